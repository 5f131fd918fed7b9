//! The crash report: why the firmware died, where, how it got there, and where the bad value came
//! from.
//!
//! One forward pass replays the recording and checks every digest on the way. Of traps that the
//! firmware never returned from, the first is the crash; what came after it is its own handler.

use crate::history::{entered, Call, History, Maker, Store};
use crate::others::Others;
use crate::symbols::{Location, Symbols};
use crate::unwind::unwind;
use crate::{Error, Result};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::RecorderConfig;
use lookback_replay::cause::{infer, Cause, Fault, Handler};
use lookback_replay::decode::{decode, Op};
use lookback_replay::disasm::{disassemble, REGISTERS};
use lookback_replay::memory::{Byte, Memory};
use lookback_replay::recording::HartLog;
use lookback_replay::{Divergence, Entered, Image, Machine, Recording, Step};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Instructions listed before the crash.
const LAST: usize = 16;
/// Recordings longer than this are looked at from their end.
const MOST_INSTRUCTIONS: u64 = 50_000_000;

/// What a recording says about how its firmware fared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// File name of the firmware.
    pub elf: Option<String>,
    /// Instructions in the recording.
    pub instructions: u64,
    /// Intervals in the recording.
    pub intervals: u64,
    /// Size of the log for each instruction, headers included.
    pub bits_per_instruction: Option<f64>,
    /// Intervals that were replayed for this report.
    pub replayed: u64,
    /// Those of them whose digest matched.
    pub matched: u64,
    /// Instructions lost in gaps.
    pub lost: u64,
    /// The hart that this is about, of several: the first that crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hart: Option<u8>,
    /// How the run ended.
    pub ended: String,
    /// The crash, if there was one.
    pub crash: Option<Crash>,
    /// Where the firmware was when the recording ended, if it did not crash.
    pub last_seen: Option<Place>,
    /// Why replay had to stop, if it did.
    pub diverged: Option<Divergence>,
}

/// A moment of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// Instructions before it since recording began.
    pub retired: u64,
    /// Interval that it lies in.
    pub interval: u32,
    /// Where it is in the program.
    pub at: Location,
    /// Call stack, innermost first.
    pub stack: Vec<Location>,
    /// Whether the stack was followed through the recording because it could not be read from
    /// memory any more.
    pub stack_followed: bool,
    /// The last instructions, the place's own last.
    pub last: Vec<Line>,
}

/// Why and where the firmware died.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crash {
    /// What happened, in words.
    pub cause: String,
    /// The firmware's own handler read the cause; otherwise it is worked out.
    pub cause_confirmed: bool,
    /// Its number in mcause.
    pub mcause: Option<u32>,
    /// The address that could not be accessed or jumped to.
    pub address: Option<u32>,
    /// The instruction that trapped.
    pub place: Place,
    /// The jump that led to a place where no code is.
    pub jumped_from: Option<Location>,
    /// Where the bad value came from, the latest step first.
    pub origin: Vec<Origin>,
}

/// One step back on the way of a bad value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Origin {
    /// The hart that did it, if it is another one than that which crashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hart: Option<u8>,
    /// Instructions before it since recording began.
    pub retired: u64,
    /// What happened there.
    pub what: String,
    /// Where.
    pub at: Location,
}

/// One line of the listing of last instructions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Instructions before it since recording began.
    pub retired: u64,
    /// Where.
    pub at: Location,
    /// Disassembly.
    pub text: String,
    /// Values read and written.
    pub values: String,
}

/// Replays a recording and reports on the hart that crashed, or on its first one if none did.
pub fn report(recording: &Recording, image: &Arc<Image>, symbols: &Symbols) -> Result<Report> {
    let summary = recording.summary();
    let several = recording.config.harts > 1;
    let mut outcomes = Vec::new();
    for log in &recording.harts {
        outcomes.push(replayed(recording, image, symbols, log));
    }
    let (replayed, matched) = outcomes
        .iter()
        .fold((0, 0), |(replayed, matched), outcome| {
            (replayed + outcome.replayed, matched + outcome.matched)
        });
    if replayed == 0 {
        return Err(Error::Empty);
    }
    let diverged = outcomes.iter_mut().find_map(|hart| hart.diverged.take());
    let crashed = outcomes.iter().filter(|outcome| outcome.crash.is_some());
    let others = match several && crashed.count() > 0 {
        true => Others::open(recording, image),
        false => None,
    };
    let when = |outcome: &Outcome| {
        let place = &outcome.crash.as_ref()?.crash.place;
        let moment = |others: &Others<'_>| others.moment(outcome.hart, place.retired);
        Some((others.as_ref().and_then(moment), outcome.hart))
    };
    // Those that the order does not have come last.
    let first = outcomes
        .iter()
        .enumerate()
        .filter_map(|(place, outcome)| {
            let (moment, hart) = when(outcome)?;
            Some((moment.unwrap_or(u64::MAX), hart, place))
        })
        .min();
    let outcome = outcomes.swap_remove(first.map_or(0, |(_, _, place)| place));
    let hart = outcome.hart;
    Ok(Report {
        elf: recording.elf.as_ref().map(|elf| elf.name.clone()),
        instructions: summary.instructions,
        intervals: summary.intervals,
        bits_per_instruction: summary.bits_per_instruction,
        replayed,
        matched,
        lost: summary.lost,
        hart: several.then_some(hart),
        ended: ending(recording),
        crash: outcome.crash.map(|mut suspect| {
            if let Some(others) = &others {
                suspect.ask(hart, others, symbols);
            }
            suspect.conclude()
        }),
        last_seen: outcome.last_seen,
        diverged,
    })
}

/// What the replay of one hart came to.
struct Outcome {
    hart: u8,
    crash: Option<Suspect>,
    last_seen: Option<Place>,
    replayed: u64,
    matched: u64,
    diverged: Option<Divergence>,
}

fn replayed(
    recording: &Recording,
    image: &Arc<Image>,
    symbols: &Symbols,
    log: &HartLog,
) -> Outcome {
    let mut pass = Pass {
        config: &recording.config,
        symbols,
        history: History::new(LAST + 1),
        depth: 0,
        crash: None,
        interval: 0,
        replayed: 0,
        matched: 0,
    };
    let mut machine =
        Machine::<true>::new(&recording.config, Arc::clone(image)).with_records(&log.records);
    let mut diverged = None;
    let lengths = log
        .intervals()
        .map(|interval| u64::from(interval.trailer.instructions));
    let mut skip = lengths.sum::<u64>().saturating_sub(MOST_INSTRUCTIONS);
    // The index of an interval that would carry on where the last one ended.
    let mut follows = None;
    for record in &log.records {
        let Record::Interval(interval) = record else {
            pass.history.forget();
            follows = None;
            continue;
        };
        if skip > 0 {
            skip = skip.saturating_sub(interval.trailer.instructions.into());
            continue;
        }
        let started = if follows == Some(interval.header.index) {
            machine.resume(log.hart, interval)
        } else {
            pass.history.forget();
            machine.begin(log.hart, interval)
        };
        follows = interval.header.index.checked_add(1);
        pass.interval = interval.header.index;
        pass.replayed += 1;
        if let Err(divergence) = started.and_then(|()| pass.interval(&mut machine)) {
            diverged.get_or_insert(divergence);
            pass.history.forget();
            follows = None;
        } else {
            pass.matched += 1;
        }
    }
    let last_seen = match (&pass.crash, pass.history.recent().next_back().copied()) {
        (None, Some(step)) => Some(pass.place(&step, &machine)),
        _ => None,
    };
    Outcome {
        hart: log.hart,
        crash: pass.crash,
        last_seen,
        replayed: pass.replayed,
        matched: pass.matched,
        diverged,
    }
}

fn ending(recording: &Recording) -> String {
    let Some(end) = recording.end else {
        return "the recording was cut off before the board said that it was complete".into();
    };
    match end.reason {
        EndReason::RunEnded => match (end.code & 0xffff, end.code >> 16) {
            (0x5555, _) => "the firmware ended with success".into(),
            (0x3333, code) => format!("the firmware ended with failure code {code}"),
            (0, 0xdead) => "the hart locked up: its trap handler trapped at once".into(),
            _ => format!("the run ended with code {:#010x}", end.code),
        },
        EndReason::Stopped => "the host stopped the recording".into(),
        EndReason::Trigger => "a trigger ended the recording".into(),
        EndReason::Length | EndReason::Overflow => "the recorder stopped".into(),
    }
}

/// A trap that has not returned yet.
struct Suspect {
    crash: Crash,
    /// How many traps deep its handler runs.
    depth: u32,
    fault: Fault,
    handler: Handler,
    /// Its handler may still read why it was called.
    following: bool,
    /// The load that brought the bad value.
    load: Option<Maker>,
}

impl Suspect {
    /// What another hart stored is better known from the order of all harts.
    fn ask(&mut self, hart: u8, others: &Others<'_>, symbols: &Symbols) {
        let Some(load) = self.load else {
            return;
        };
        let found = load
            .loaded_from
            .and_then(|addr| others.store_before(hart, load.retired, addr));
        let Some((other, store)) = found else {
            return;
        };
        self.crash.origin.truncate(1);
        let mut steps = vec![stored(symbols, &store)];
        steps.extend(
            store
                .maker
                .map(|maker| made(symbols, "which came from", &maker)),
        );
        for mut step in steps {
            step.hart = Some(other);
            self.crash.origin.push(step);
        }
    }

    fn conclude(mut self) -> Crash {
        let fault = self.handler.conclude(self.fault);
        self.crash.cause = match fault.addr {
            Some(addr) => format!("{} at {addr:#010x}", fault.cause),
            None => fault.cause.to_string(),
        };
        self.crash.mcause = mcause(fault.cause);
        self.crash.address = fault.addr;
        self.crash.cause_confirmed = fault.confirmed;
        self.crash
    }
}

/// The number of a cause in mcause, where there is only one.
fn mcause(cause: Cause) -> Option<u32> {
    (0..=7)
        .find(|&number| Cause::from_mcause(number) == cause)
        .or(match cause {
            Cause::Other(number) => Some(number),
            _ => None,
        })
}

struct Pass<'a> {
    config: &'a RecorderConfig,
    symbols: &'a Symbols,
    history: History,
    /// Traps and interrupts that have not returned.
    depth: u32,
    /// The first trap that has not returned.
    crash: Option<Suspect>,
    interval: u32,
    replayed: u64,
    matched: u64,
}

impl Pass<'_> {
    /// Replays an interval, stopping at each trap to look at the machine as it is then.
    fn interval(&mut self, machine: &mut Machine<'_, true>) -> std::result::Result<(), Divergence> {
        while machine.position() < machine.instructions() {
            let mut trapped = None;
            machine.run_until(machine.instructions(), &mut |step: &Step| {
                self.follow_depth(step);
                if let Some(suspect) = self.crash.as_mut().filter(|suspect| suspect.following) {
                    suspect.following = suspect.handler.follow(step);
                }
                self.history.step(step);
                if step.trap {
                    trapped = Some(*step);
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            if let Some(step) = trapped {
                self.trap(&step, machine);
            }
        }
        machine.finish()
    }

    fn follow_depth(&mut self, step: &Step) {
        let before = self.history.recent().next_back();
        match before.map(|before| entered(before, step)) {
            Some(Entered::Trap | Entered::Interrupt) => self.depth += 1,
            Some(Entered::Return) => {
                // A return from the handler of what looked like the crash: it was none.
                if self
                    .crash
                    .as_ref()
                    .is_some_and(|suspect| suspect.depth >= self.depth)
                {
                    self.crash = None;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn trap(&mut self, step: &Step, machine: &Machine<'_, true>) {
        if self.crash.is_some() {
            return;
        }
        let Some(fault) = infer(self.config, step) else {
            return;
        };
        if fault.cause == Cause::EnvironmentCall {
            return;
        }
        let jump = self.history.before_last().copied();
        let lost = !self.symbols.is_code(step.pc);
        let jumped = jump.filter(|jump| lost && jump.next_pc == Some(step.pc) && !jump.trap);
        let mut place = self.place(step, machine);
        if let (true, Some(jump)) = (place.stack.len() < 2, jumped) {
            place.stack = self.followed_stack(jump.pc);
            place.stack_followed = true;
        }
        let crash = Crash {
            cause: String::new(),
            cause_confirmed: false,
            mcause: None,
            address: fault.addr,
            place,
            jumped_from: jumped.map(|jump| self.symbols.locate(jump.pc)),
            origin: Vec::new(),
        };
        let (crash, load) = self.with_origin(crash, step, jumped.as_ref(), &fault);
        self.crash = Some(Suspect {
            crash,
            depth: self.depth + 1,
            fault,
            handler: Handler::of(step),
            following: true,
            load,
        });
    }

    fn place(&self, step: &Step, machine: &Machine<'_, true>) -> Place {
        let read = |addr| word(machine.memory(), addr);
        let unwound = unwind(self.symbols, step.pc, *machine.registers(), read);
        let mut stack: Vec<Location> = unwound
            .frames
            .iter()
            .flat_map(|frame| self.symbols.frames(frame.pc))
            .collect();
        let followed = self.followed_stack(step.pc);
        // What memory says is cut short by a smashed stack; what the recording says is not.
        let stack_followed = !unwound.complete && followed.len() > stack.len();
        if stack_followed {
            stack = followed;
        }
        Place {
            retired: step.retired,
            interval: self.interval,
            at: self.symbols.locate(step.pc),
            stack,
            stack_followed,
            last: self.history.recent().map(|step| self.line(step)).collect(),
        }
    }

    /// The call stack as the recording saw it grow.
    fn followed_stack(&self, pc: u32) -> Vec<Location> {
        let sites = self.history.calls().map(|call: &Call| call.site);
        std::iter::once(pc)
            .chain(sites)
            .flat_map(|pc| self.symbols.frames(pc))
            .collect()
    }

    fn line(&self, step: &Step) -> Line {
        Line {
            retired: step.retired,
            at: self.symbols.locate(step.pc),
            text: disassemble(step.insn, step.pc),
            values: values(step),
        }
    }

    /// Follows the register that held the bad address back to who made it, and tells which load that
    /// was, if it was one.
    fn with_origin(
        &self,
        mut crash: Crash,
        step: &Step,
        jumped: Option<&Step>,
        fault: &Fault,
    ) -> (Crash, Option<Maker>) {
        let register = match jumped {
            Some(jump) => {
                let insn = decode(jump.insn);
                (insn.op == Op::Jalr && insn.rd != insn.rs1).then_some(insn.rs1)
            }
            None if fault.addr.is_some() => decode(step.insn).source1(),
            None => None,
        };
        let Some((register, maker)) = register.and_then(|r| Some((r, self.history.maker(r)?)))
        else {
            return (crash, None);
        };
        let what = format!("{} got", register_name(register));
        crash.origin.push(made(self.symbols, &what, &maker));
        let Some(addr) = maker.loaded_from else {
            return (crash, None);
        };
        let store = self.history.last_store(addr);
        if let Some(store) = store.filter(|store| store.retired < maker.retired) {
            if contradicts(&store, &maker) {
                crash.origin.push(Origin {
                    hart: None,
                    retired: store.retired,
                    what: format!(
                        "the hart itself had stored {} there: somebody else wrote since (another \
                         hart, or DMA)",
                        hex(store.value, store.len)
                    ),
                    at: self.symbols.locate(store.pc),
                });
            } else {
                crash.origin.push(stored(self.symbols, &store));
                let maker = store.maker;
                let from = maker.map(|maker| made(self.symbols, "which came from", &maker));
                crash.origin.extend(from);
            }
        }
        (crash, Some(maker))
    }
}

/// Whether a load saw something else than this store, the hart's own last one to the word, had left.
fn contradicts(store: &Store, load: &Maker) -> bool {
    let Some(addr) = load.loaded_from else {
        return false;
    };
    let byte = |value: u32, n: u32| value >> (8 * n) & 0xff;
    (0..load.len).any(|n| {
        let at = addr.wrapping_add(n).wrapping_sub(store.addr);
        at < store.len && byte(store.value, at) != byte(load.value, n)
    })
}

fn stored(symbols: &Symbols, store: &Store) -> Origin {
    Origin {
        hart: None,
        retired: store.retired,
        what: format!(
            "{} was stored to {:#010x} ({} byte{})",
            hex(store.value, store.len),
            store.addr,
            store.len,
            if store.len == 1 { "" } else { "s" }
        ),
        at: symbols.locate(store.pc),
    }
}

fn made(symbols: &Symbols, what: &str, maker: &Maker) -> Origin {
    let text = disassemble(maker.insn, maker.pc);
    let from = match maker.loaded_from {
        Some(addr) => format!(", loaded from {addr:#010x}"),
        None => String::new(),
    };
    Origin {
        hart: None,
        retired: maker.retired,
        what: format!(
            "{what} {:#010x}{from} by `{}`",
            maker.value,
            text.replace('\t', " ")
        ),
        at: symbols.locate(maker.pc),
    }
}

fn hex(value: u32, len: u32) -> String {
    format!("{value:#0width$x}", width = 2 + 2 * len as usize)
}

/// A word of memory if all of it is known.
fn word(memory: &Memory<true>, addr: u32) -> Option<u32> {
    let byte = |i| match memory.byte(addr.wrapping_add(i)) {
        Byte::Seen(byte) | Byte::Image(byte) => Some(byte),
        Byte::Unknown => None,
    };
    Some(u32::from_le_bytes([byte(0)?, byte(1)?, byte(2)?, byte(3)?]))
}

/// The ABI name of a register.
fn register_name(register: u8) -> &'static str {
    REGISTERS[usize::from(register) % 32]
}

/// What an instruction read and wrote, for a listing.
pub fn values(step: &Step) -> String {
    let insn = decode(step.insn);
    let mut parts = Vec::new();
    for (source, value) in [
        (insn.source1(), step.rs1_value),
        (insn.source2(), step.rs2_value),
    ] {
        match source {
            Some(register) if register != 0 => {
                let part = format!("{}={value:#x}", register_name(register));
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            _ => {}
        }
    }
    if let Some(read) = step.read() {
        parts.push(format!(
            "[{:#010x}] is {}",
            read.addr,
            hex(read.value, read.len)
        ));
    }
    if let Some(write) = step.write() {
        parts.push(format!(
            "[{:#010x}] := {}",
            write.addr,
            hex(write.value, write.len)
        ));
    }
    if step.rd != 0 {
        parts.push(format!(
            "{} := {:#x}",
            register_name(step.rd),
            step.rd_value
        ));
    }
    if step.trap {
        parts.push("traps".into());
    }
    parts.join(", ")
}
