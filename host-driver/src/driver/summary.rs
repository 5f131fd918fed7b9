//! What a recording session amounted to, for people and for programs.

use super::breach;
use super::ending::Ending;
use super::wire::Traffic;
use crate::text::{count, plural, rate};
use lookback_log_format::frame::End;
use lookback_log_format::interval::Record;
use lookback_log_format::stream::Item;
use lookback_log_format::trigger::Fired;
use lookback_log_format::Breach;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// The result of a recording session.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The recording.
    pub file: PathBuf,
    /// Size of the recording.
    pub file_bytes: u64,
    /// How the firmware ended.
    pub ended: Ending,
    /// Instructions that the recording holds.
    pub instructions: u64,
    /// Intervals that it holds.
    pub intervals: u64,
    /// Bytes of those intervals.
    pub log_bytes: u64,
    /// The board kept only the last instructions, in its ring.
    pub ring: bool,
    /// Instructions that gave way there.
    pub gave_way: u64,
    /// The trigger that fired.
    pub trigger: Option<Fired>,
    /// Bytes of the order across harts.
    pub order_bytes: u64,
    /// Log bits for each instruction.
    pub bits_per_instruction: f64,
    /// Stretches that the recorder itself had to leave out.
    pub gaps: u64,
    /// Instructions in those.
    pub lost_instructions: u64,
    /// Clock cycles, if the board could tell.
    pub cycles: Option<u64>,
    /// Cycles in which the recorder held the hart, if the board could tell.
    pub stall_cycles: Option<u64>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// What went over the wire.
    pub link: Traffic,
    /// The part of the time from the start to the board's end in which the line was not idle, where
    /// the link sees that.
    pub line_busy: Option<f64>,
    /// What is missing and why; empty for a whole recording.
    pub losses: Vec<String>,
    /// The first rule of the retirement port that the core broke.
    pub breach: Option<Breach>,
    /// Whether the board may still hold what is missing: `lookback record --resume` asks it.
    pub resumable: bool,
    /// Whether the recording holds everything from start to end.
    pub whole: bool,
}

impl Summary {
    /// Nothing was recorded into `file` yet.
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.into(),
            file_bytes: 0,
            ended: Ending::CutOff,
            instructions: 0,
            intervals: 0,
            log_bytes: 0,
            ring: false,
            gave_way: 0,
            trigger: None,
            order_bytes: 0,
            bits_per_instruction: 0.0,
            gaps: 0,
            lost_instructions: 0,
            cycles: None,
            stall_cycles: None,
            seconds: 0.0,
            link: Traffic::default(),
            line_busy: None,
            losses: Vec::new(),
            breach: None,
            resumable: false,
            whole: false,
        }
    }

    /// One more record is in the file.
    pub(super) fn record(&mut self, record: &Record, len: u64) {
        match record {
            Record::Interval(interval) => self.count(len, interval.trailer.instructions.into()),
            Record::Gap(gap) => {
                self.gaps += 1;
                self.lost_instructions += u64::from(gap.lost);
            }
            Record::Order(_) => self.order_bytes += len,
        }
    }

    /// What came of a hart's parcels.
    pub(super) fn items(&mut self, hart: u8, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Record { record, bytes } => self.record(&record, bytes.len() as u64),
                Item::Broken { bytes, why } => self.losses.push(format!(
                    "an interval of hart {hart} is dropped ({bytes} bytes of it arrived): {why}"
                )),
            }
        }
    }

    pub(super) fn finish(&mut self, end: Option<&End>) {
        self.ended = Ending::from_end(end);
        self.cycles = end.map(|end| end.cycles);
        self.stall_cycles = end.map(|end| end.stalls);
        if let Some(end) = end {
            let accounted = self.instructions + self.lost_instructions;
            self.trigger = end.fired;
            if self.ring {
                self.gave_way = end.retired.saturating_sub(accounted);
                // The last interval never gives way.
                if accounted == 0 && end.retired > 0 {
                    let text = "nothing of the ring arrived: it was emptied, or begun anew";
                    self.losses.push(text.into());
                }
            } else if accounted != end.retired {
                self.losses.push(format!(
                    "the board counted {} instructions, {} arrived",
                    count(end.retired),
                    count(accounted)
                ));
            }
        }
        if self.gaps > 0 {
            self.losses.push(format!(
                "{} in {}: the recorder could not keep up (--policy stall holds \
                 the hart instead, where the board can)",
                plural(self.lost_instructions, "instruction"),
                plural(self.gaps, "gap")
            ));
        }
        self.breach = end.and_then(|end| end.breach);
        self.whole = end.is_some() && self.losses.is_empty();
    }

    fn count(&mut self, log_bytes: u64, instructions: u64) {
        self.intervals += 1;
        self.log_bytes += log_bytes;
        self.instructions += instructions;
        self.bits_per_instruction = self.log_bytes as f64 * 8.0 / self.instructions.max(1) as f64;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} in {}, {:.3} bits an instruction ({} log bytes)",
            self.file.display(),
            plural(self.instructions, "instruction"),
            plural(self.intervals, "interval"),
            self.bits_per_instruction,
            count(self.log_bytes),
        )?;
        if let (Some(cycles), Some(stalls)) = (self.cycles, self.stall_cycles) {
            writeln!(
                f,
                "  {} cycles, {} of them held by the recorder; {:.1} s, {} instructions a second",
                count(cycles),
                count(stalls),
                self.seconds,
                rate(self.instructions as f64 / self.seconds.max(1e-9)),
            )?;
        }
        if self.ring {
            writeln!(
                f,
                "  the ring gave {}; {} more had given way",
                plural(self.instructions, "instruction"),
                count(self.gave_way)
            )?;
        }
        if let Some(fired) = &self.trigger {
            writeln!(
                f,
                "  trigger: {} on hart {}",
                fired.cause.name(),
                fired.hart
            )?;
        }
        write!(f, "  end: {}", self.ended)?;
        for loss in &self.losses {
            write!(f, "\n  lost: {loss}")?;
        }
        if self.resumable {
            let file = self.file.display();
            write!(
                f,
                "\n  the board may still hold the rest: lookback record --resume --port PORT -o {file} goes on"
            )?;
        }
        if let Some(breach) = &self.breach {
            write!(f, "\n  breach: {}", breach::describe(breach))?;
        }
        Ok(())
    }
}
