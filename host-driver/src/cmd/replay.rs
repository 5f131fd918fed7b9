//! `lookback replay`: the instructions of a recording, one line each.

use super::open::{flaws, tell_flaws, whole_intervals, OpenArgs, Opened};
use super::Outcome;
use anyhow::{bail, Result};
use lookback_debugger::report::values;
use lookback_debugger::{Location, Symbols};
use lookback_log_format::interval::Interval;
use lookback_replay::disasm::disassemble;
use lookback_replay::recording::HartLog;
use lookback_replay::walk::{walk, Event};
use lookback_replay::Step;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::ops::{ControlFlow, Range};

/// Options of `lookback replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    open: OpenArgs,
    /// First instruction.
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// Last instruction.
    #[arg(long, value_name = "N")]
    to: Option<u64>,
    /// Only the last so many instructions (up to --to, if that is given).
    #[arg(long, value_name = "N", conflicts_with = "from")]
    last: Option<u64>,
    /// Which hart.
    #[arg(long, value_name = "N", default_value_t = 0)]
    hart: u8,
}

/// One instruction as JSON.
#[derive(Serialize)]
struct JsonStep<'a> {
    interval: u32,
    #[serde(flatten)]
    step: &'a Step,
    text: String,
    at: &'a Location,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let opened = args.open.open()?;
    let file = args.open.file.display().to_string();
    let image = opened.replayable(&file)?;
    let Opened { recording, elf, .. } = opened;
    let Some(log) = recording.hart(args.hart) else {
        let harts: Vec<_> = recording.harts.iter().map(|l| l.hart.to_string()).collect();
        bail!(
            "{file} has nothing of hart {}; its harts: {}",
            args.hart,
            harts.join(", ")
        );
    };
    let range = range(args, log)?;
    let mut listing = Listing {
        out: BufWriter::new(io::stdout().lock()),
        symbols: Symbols::load(&elf),
        known: HashMap::new(),
        json: args.open.json,
        interval: 0,
        any: false,
        flawed: false,
    };
    let mut failed = None;
    let _ = walk(&recording, &image, log, range, |event| {
        match listing.event(&event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let flaws = flaws(&recording);
    if args.open.json && !flaws.is_empty() {
        let whole = whole_intervals(&recording);
        listing.remark("", json!({ "flaws": flaws, "whole_intervals": whole }))?;
    }
    listing.end()?;
    if !args.open.json {
        tell_flaws(&file, &recording, &flaws);
    }
    Ok(Outcome::fine_if(!listing.flawed && flaws.is_empty()))
}

/// The instructions to list, by number since recording began.
fn range(args: &Args, log: &HartLog) -> Result<Range<u64>> {
    let end_of = |interval: &Interval| {
        let instructions = u64::from(interval.trailer.instructions);
        interval.header.retired.saturating_add(instructions)
    };
    let all = log.intervals().next().map_or(0, |i| i.header.retired)
        ..log.intervals().next_back().map_or(0, end_of);
    let end = match args.to {
        Some(to) => to.saturating_add(1).min(all.end),
        None => all.end,
    };
    let start = match (args.from, args.last) {
        (Some(from), _) => from,
        (None, Some(last)) => end.saturating_sub(last),
        (None, None) => all.start,
    };
    if start >= end || end <= all.start {
        bail!(
            "no instruction lies in that range; the recording has {} to {}",
            all.start,
            all.end.saturating_sub(1)
        );
    }
    Ok(start.max(all.start)..end)
}

struct Listing<W> {
    out: W,
    symbols: Symbols,
    /// Looking a line up costs more than replaying an instruction, and loops repeat themselves.
    known: HashMap<u32, Location>,
    json: bool,
    interval: u32,
    any: bool,
    flawed: bool,
}

impl<W: Write> Listing<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Interval(interval) => {
                self.interval = interval.header.index;
                Ok(())
            }
            Event::Step(step) => self.step(step),
            Event::Gap(gap) => self.remark(
                &format!("{} instructions were not recorded", gap.lost),
                json!({ "gap": gap }),
            ),
            Event::Missing { first, last } => {
                self.flawed = true;
                self.remark(
                    &format!("intervals {first} to {last} are missing"),
                    json!({ "missing": [first, last] }),
                )
            }
            Event::Diverged(divergence) => {
                self.flawed = true;
                self.remark(
                    &format!("the replay goes another way than the recording: {divergence}"),
                    json!({ "diverged": divergence, "text": divergence.to_string() }),
                )
            }
        }
    }

    fn step(&mut self, step: &Step) -> io::Result<()> {
        let at = self
            .known
            .entry(step.pc)
            .or_insert_with(|| self.symbols.locate(step.pc));
        let text = disassemble(step.insn, step.pc);
        if self.json {
            separate(&mut self.out, &mut self.any)?;
            let step = JsonStep {
                interval: self.interval,
                step,
                text: text.replace('\t', " "),
                at,
            };
            return serde_json::to_writer(&mut self.out, &step).map_err(io::Error::from);
        }
        let (mnemonic, operands) = text.split_once('\t').unwrap_or((&text, ""));
        writeln!(
            self.out,
            "{:>10}  {:08x}  {mnemonic:<8}{operands:<24}  {:<50}  {at}",
            step.retired,
            step.pc,
            values(step)
        )
    }

    fn remark(&mut self, text: &str, value: serde_json::Value) -> io::Result<()> {
        if self.json {
            separate(&mut self.out, &mut self.any)?;
            return serde_json::to_writer(&mut self.out, &value).map_err(io::Error::from);
        }
        writeln!(self.out, "{:>10}  {text}", "…")
    }

    fn end(&mut self) -> io::Result<()> {
        if self.json {
            let end: &[u8] = if self.any { b"\n]\n" } else { b"[]\n" };
            self.out.write_all(end)?;
        }
        self.out.flush()
    }
}

/// Begins an element of the JSON list.
fn separate(out: &mut impl Write, any: &mut bool) -> io::Result<()> {
    let before = if std::mem::replace(any, true) {
        ",\n"
    } else {
        "[\n"
    };
    out.write_all(before.as_bytes())
}
