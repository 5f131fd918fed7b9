//! Replays one interval from its log: a hart without devices, clock or other harts.
//!
//! What the log says about an instruction's surroundings (escapes) is handled here; the
//! instructions themselves run in `execute.rs`, as many at a time as the log allows.

use crate::compact::items::Next;
use crate::compact::Compact;
use crate::decode::decode;
use crate::log::Log;
use crate::memory::Memory;
use crate::step::{Entered, Observer, Silent, Step};
use crate::{Divergence, Image, What};
use lookback_log_format::entry::{Escape, Widths};
use lookback_log_format::interval::{Interval, Layout, Record};
use lookback_log_format::{Digest, RecorderConfig};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Privilege mode M, in which this project's hart handles everything.
const MODE_MACHINE: u8 = 3;

/// What the instruction before the next one was, as far as it matters for the next pc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// One that leads on by itself.
    Plain,
    /// One that trapped.
    Trap,
    /// `mret` or its like.
    Return,
    /// `wfi`, which leads on by itself unless an interrupt is taken.
    Wait,
}

/// Why a block of instructions ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The log has to be asked, or the end was reached.
    Log,
    /// The observer wants to stop.
    Observer,
}

/// A hart replaying an interval. With `TRACK` it knows of each byte of memory whether it is known
/// and refuses to use others; without, it is faster and relies on the digest.
#[derive(Debug, Clone)]
pub struct Machine<'a, const TRACK: bool> {
    pub(crate) registers: [u32; 32],
    pub(crate) pc: u32,
    pub(crate) position: u32,
    pub(crate) instructions: u32,
    pub(crate) digest: Digest,
    pub(crate) memory: Memory<TRACK>,
    pub(crate) log: Log<'a>,
    /// In place of `log` with codec `compact`.
    pub(crate) compact: Box<Compact<'a>>,
    /// Registers whose contents are known, a bit each; all of them with codec `bugnet`.
    pub(crate) told: u32,
    /// Registers whose contents are known from the intervals before, though this one has not told.
    carried: u32,
    /// The records among which an interval finds those that it goes on from.
    records: &'a [Record],
    pub(crate) before: Before,
    /// Privilege mode of the next instruction, as far as it can be told.
    mode: Option<u8>,
    /// A core of the user's, whose traps may lead to any mode.
    attached: bool,
    pub(crate) retired_at_start: u64,
    /// Registers that were written since the start of the interval; kept with `TRACK` only.
    pub(crate) written: u32,
    widths: Widths,
    hart: u8,
    index: u32,
    expected_digest: u32,
    /// The first divergence is final.
    failed: Option<Box<Divergence>>,
}

impl<'a, const TRACK: bool> Machine<'a, TRACK> {
    /// A machine without an interval.
    pub fn new(config: &RecorderConfig, image: Arc<Image>) -> Self {
        let widths = Widths::from(config);
        Self {
            registers: [0; 32],
            pc: 0,
            position: 0,
            instructions: 0,
            digest: Digest::new(),
            memory: Memory::new(config, image),
            log: Log::new(widths),
            compact: Box::new(Compact::new(config)),
            told: u32::MAX,
            carried: 0,
            records: &[],
            before: Before::Plain,
            mode: None,
            attached: config.attached,
            retired_at_start: 0,
            written: 0,
            widths,
            hart: 0,
            index: 0,
            expected_digest: Digest::new().value(),
            failed: None,
        }
    }

    /// Among these records of its hart the machine looks for the intervals that one goes on from
    /// which is not a key interval.
    pub fn with_records(mut self, records: &'a [Record]) -> Self {
        self.records = records;
        self
    }

    /// Goes to the start of an interval, with nothing known but what the interval and the ELF tell,
    /// and those before it in its key group.
    pub fn begin(&mut self, hart: u8, interval: &'a Interval) -> Result<(), Divergence> {
        if !interval.header.is_key() && self.config_is_compact() {
            self.catch_up(hart, interval)?;
            return self.resume(hart, interval);
        }
        self.memory.clear();
        // What is shown must not depend on what was replayed before.
        self.instructions = 0;
        self.registers = [0; 32];
        self.resume(hart, interval)
    }

    /// Goes to the start of an interval as [`Self::resume`] does, or as [`Self::begin`] does where it
    /// goes on from intervals that the machine has not replayed just now.
    pub fn follow(&mut self, hart: u8, interval: &'a Interval) -> Result<(), Divergence> {
        match interval.header.is_key() {
            true => self.resume(hart, interval),
            false => self.begin(hart, interval),
        }
    }

    /// Replays the intervals of its key group that come before an interval.
    fn catch_up(&mut self, hart: u8, interval: &'a Interval) -> Result<(), Divergence> {
        if self.is_followed_by(hart, interval) {
            return Ok(());
        }
        let records: &'a [Record] = self.records;
        let at = records.partition_point(|record| record.index() < interval.header.index);
        let key = records[..at]
            .iter()
            .rposition(|record| matches!(record, Record::Interval(i) if i.header.is_key()));
        for record in &records[key.unwrap_or(at)..at] {
            match record {
                Record::Interval(before) if before.header.is_key() => self.begin(hart, before)?,
                Record::Interval(before) => self.resume(hart, before)?,
                Record::Gap(_) | Record::Order(_) => break,
            }
            self.run()?;
        }
        Ok(())
    }

    /// Whether the replay has come to the end of what an interval goes on from.
    fn is_followed_by(&self, hart: u8, interval: &Interval) -> bool {
        self.failed.is_none()
            && self.instructions > 0
            && self.position == self.instructions
            && self.hart == hart
            && self.index.checked_add(1) == Some(interval.header.index)
    }

    fn config_is_compact(&self) -> bool {
        self.compact.enabled
    }

    /// Goes to the start of an interval and keeps the memory of the one before it, for tools that
    /// want to show it. It may be out of date where others than the hart wrote; what the hart uses
    /// is right in any case.
    pub fn resume(&mut self, hart: u8, interval: &'a Interval) -> Result<(), Divergence> {
        let layout = interval.header.layout;
        let goes_on = self.is_followed_by(hart, interval);
        if layout == Layout::Full {
            self.registers = interval.header.registers;
            self.registers[0] = 0;
        }
        self.pc = interval.header.pc;
        self.position = 0;
        self.instructions = interval.trailer.instructions;
        self.digest = Digest::new();
        self.before = Before::Plain;
        self.mode = Some(interval.header.mode);
        self.retired_at_start = interval.header.retired;
        self.written = 0;
        self.hart = hart;
        self.index = interval.header.index;
        self.expected_digest = interval.trailer.digest;
        self.failed = None;
        let most = (1 << self.widths.count_bits) - 1;
        if self.instructions > most {
            let claimed = self.instructions;
            return Err(self.diverge(What::TooLong { claimed, most }));
        }
        let started = match layout {
            Layout::Full if !self.config_is_compact() => self.log.start(&interval.entries),
            Layout::Compact { key } if self.config_is_compact() => {
                self.start_compact(interval, key, goes_on)
            }
            _ => Err(What::OtherCodec),
        };
        started.map_err(|what| self.diverge(what))
    }

    fn start_compact(
        &mut self,
        interval: &'a Interval,
        key: bool,
        goes_on: bool,
    ) -> Result<(), What> {
        if key {
            self.compact.forget();
            self.carried = if goes_on { self.carried | self.told } else { 0 };
            self.told = 1;
        } else if !goes_on {
            return Err(What::NotAlone);
        }
        self.compact.start(&interval.entries, self.instructions)
    }

    /// Replays to the end of the interval and checks the digest.
    pub fn run(&mut self) -> Result<(), Divergence> {
        self.run_until(self.instructions, &mut Silent)?;
        self.finish()
    }

    /// Replays until `position` instructions of the interval are done, it ends, or the observer
    /// says stop. Does not check the digest.
    pub fn run_until<O: Observer>(
        &mut self,
        position: u32,
        observer: &mut O,
    ) -> Result<(), Divergence> {
        if let Some(failed) = &self.failed {
            return Err((**failed).clone());
        }
        let stop = position.min(self.instructions);
        let ran = match self.compact.enabled {
            true => self.advance_compact(stop, observer),
            false => self.advance(stop, observer),
        };
        ran.map_err(|what| self.diverge(what))
    }

    /// Replays one instruction; `None` when the interval is over and its digest is right.
    pub fn step(&mut self) -> Result<Option<Step>, Divergence> {
        let mut seen = None;
        self.run_until(self.position + 1, &mut |step: &Step| {
            seen = Some(*step);
            ControlFlow::Break(())
        })?;
        if seen.is_none() {
            self.finish()?;
        }
        Ok(seen)
    }

    /// Checks what can only be known after the last instruction: nothing is left in the log, and
    /// the digest is the recorder's. Does nothing before.
    pub fn finish(&mut self) -> Result<(), Divergence> {
        if let Some(failed) = &self.failed {
            return Err((**failed).clone());
        }
        if self.position < self.instructions {
            return Ok(());
        }
        let empty = match self.compact.enabled {
            true => self.compact.items.is_empty(),
            false => self.log.is_empty(),
        };
        if !empty {
            return Err(self.diverge(What::EntriesLeft));
        }
        let (expected, found) = (self.expected_digest, self.digest.value());
        if expected != found {
            return Err(self.diverge(What::Digest { expected, found }));
        }
        Ok(())
    }

    /// The registers before the next instruction.
    pub fn registers(&self) -> &[u32; 32] {
        &self.registers
    }

    /// The address of the next instruction; `None` when only the log knows it.
    pub fn next_pc(&self) -> Option<u32> {
        matches!(self.before, Before::Plain).then_some(self.pc)
    }

    /// The privilege mode in which the next instruction runs unless an interrupt comes before it; `None`
    /// where that cannot be told, as after `mret`, or after a trap on somebody else's core.
    pub fn next_mode(&self) -> Option<u8> {
        match self.before {
            Before::Trap => self.mode_of_handlers(),
            Before::Return => None,
            Before::Plain | Before::Wait => self.mode,
        }
    }

    fn mode_of_handlers(&self) -> Option<u8> {
        (!self.attached).then_some(MODE_MACHINE)
    }

    /// Follows the mode over the way to an instruction.
    pub(crate) fn entered(&mut self, entered: Entered) -> Entered {
        match entered {
            Entered::Trap | Entered::Interrupt => self.mode = self.mode_of_handlers(),
            Entered::Return => self.mode = None,
            Entered::Start | Entered::Next => {}
        }
        entered
    }

    /// The address of the next instruction, with what the log says about it; `None` when that is
    /// only in the next interval.
    pub fn upcoming_pc(&self) -> Option<u32> {
        let redirected = match (self.compact.enabled, self.compact.items.next) {
            (false, _) => self.log.redirect_at(self.position),
            (true, Next::Redirect(pc)) if self.compact.items.escape_at == self.position => Some(pc),
            (true, _) => self.compact.arrival,
        };
        redirected.filter(|_| self.position > 0).or(self.next_pc())
    }

    /// Registers whose contents are known, a bit each. With codec `compact` a register is known once
    /// the key group has read or written it, or an interval that was replayed just before.
    pub fn told(&self) -> u32 {
        self.told | self.carried
    }

    /// Registers of which the interval has told the content that they had at its start, a bit each,
    /// and these contents.
    pub fn first_reads(&self) -> (u32, &[u32; 32]) {
        match self.compact.enabled {
            true => (self.compact.first_reads.0, &self.compact.first_reads.1),
            false => (0, &self.compact.first_reads.1),
        }
    }

    /// Registers that were written since the start of the interval, a bit each. Only with `TRACK`.
    pub fn written(&self) -> u32 {
        self.written
    }

    /// Why it cannot go on, if it cannot.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.failed.as_deref()
    }

    /// A copy to come back to: all but the decoded instructions.
    pub fn snapshot(&self) -> Self {
        Self {
            memory: self.memory.snapshot(),
            log: self.log.clone(),
            compact: self.compact.clone(),
            failed: self.failed.clone(),
            ..*self
        }
    }

    /// Bytes of the host's memory that it takes.
    pub fn footprint(&self) -> usize {
        size_of::<Self>()
            + self.memory.footprint()
            + self.log.footprint()
            + self.compact.footprint()
    }

    /// Instructions of the interval that are done.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// Instructions since recording began.
    pub fn retired(&self) -> u64 {
        self.retired_at_start.wrapping_add(self.position.into())
    }

    /// Instructions of the interval.
    pub fn instructions(&self) -> u32 {
        self.instructions
    }

    /// Index of the interval.
    pub fn interval(&self) -> u32 {
        self.index
    }

    /// Memory as it is before the next instruction.
    pub fn memory(&self) -> &Memory<TRACK> {
        &self.memory
    }

    fn diverge(&mut self, what: What) -> Divergence {
        let divergence = Divergence {
            hart: self.hart,
            interval: self.index,
            position: self.position,
            pc: self.pc,
            what,
        };
        self.failed = Some(Box::new(divergence.clone()));
        divergence
    }

    fn advance<O: Observer>(&mut self, stop: u32, observer: &mut O) -> Result<(), What> {
        while self.position < stop {
            if O::ASKS {
                let pc = self.upcoming_pc().unwrap_or(self.pc);
                if observer.before(self.position, pc).is_break() {
                    break;
                }
            }
            let entered = self.enter()?;
            let fetched = self.fetched()?;
            let trapped = self.log.take_escape(self.position, |escape| {
                matches!(escape, Escape::Trap).then_some(())
            })?;
            if self.log.escape_at == self.position {
                return Err(What::BadEscape);
            }
            let pause = match (trapped, fetched) {
                (Some(()), word) => self.trap(word, entered, observer)?,
                (None, Some(word)) => self.execute_word(word, true, entered, observer)?,
                (None, None) => self.execute(stop, entered, observer)?,
            };
            if pause == Pause::Observer {
                break;
            }
        }
        Ok(())
    }

    /// Finds out where the next instruction is and how execution comes to it.
    fn enter(&mut self) -> Result<Entered, What> {
        let natural = self.pc;
        let redirect = self.log.take_escape(self.position, |escape| match escape {
            Escape::Redirect(pc) => Some(pc),
            _ => None,
        })?;
        let before = std::mem::replace(&mut self.before, Before::Plain);
        if let Some(pc) = redirect {
            if self.position == 0 {
                return Err(What::BadEscape);
            }
            self.pc = pc;
        } else if before != Before::Plain {
            return Err(What::NoRedirect);
        }
        if self.memory.is_between(self.pc) {
            return Err(What::Misaligned(self.pc));
        }
        let entered = match before {
            _ if self.position == 0 => Entered::Start,
            Before::Trap => Entered::Trap,
            Before::Return => Entered::Return,
            Before::Wait if self.pc == natural => Entered::Next,
            Before::Plain if redirect.is_none() => Entered::Next,
            Before::Plain | Before::Wait => Entered::Interrupt,
        };
        Ok(self.entered(entered))
    }

    /// The instruction word if the log has it; memory has it from then on, if the recorder can know it
    /// from there.
    fn fetched(&mut self) -> Result<Option<u32>, What> {
        let word = self.log.take_escape(self.position, |escape| match escape {
            Escape::Fetch(word) => Some(word),
            _ => None,
        })?;
        if let Some(word) = word.filter(|&word| !self.memory.is_loose(word, self.pc)) {
            self.memory.write(self.pc, 0xf, word)?;
        }
        Ok(word)
    }

    pub(crate) fn trap<O: Observer>(
        &mut self,
        fetched: Option<u32>,
        entered: Entered,
        observer: &mut O,
    ) -> Result<Pause, What> {
        let insn = match fetched {
            Some(word) => word,
            None => self.memory.code_word(self.pc)?,
        };
        self.digest.step_trap(self.pc);
        let mut pause = Pause::Log;
        if O::WATCHES {
            let decoded = decode(insn);
            let value = |source: Option<u8>| source.map_or(0, |r| self.registers[usize::from(r)]);
            let step = Step {
                position: self.position,
                retired: self.retired(),
                pc: self.pc,
                insn,
                entered,
                trap: true,
                rs1_value: value(decoded.source1()),
                rs2_value: value(decoded.source2()),
                fetched: fetched.is_some(),
                ..Step::default()
            };
            if observer.step(&step).is_break() {
                pause = Pause::Observer;
            }
        }
        self.position += 1;
        self.before = Before::Trap;
        Ok(pause)
    }

    /// How far instructions can run before the log has to be asked.
    #[inline]
    pub(crate) fn limit(&self, stop: u32) -> u32 {
        match self.before {
            Before::Plain if self.compact.enabled => stop.min(self.compact.items.escape_at),
            Before::Plain => stop.min(self.log.escape_at),
            _ => 0,
        }
    }
}
