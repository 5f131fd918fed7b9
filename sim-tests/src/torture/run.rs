//! Runs a batch of programs on all machines and compares them.

use super::compare;
use super::follow::{Flaw, Follower};
use super::image::{Image, Program, PROGRAMS, RAM};
use super::qemu;
use crate::{run_recorded, Options, Outcome};
use anyhow::{ensure, Result};
use lookback_log_format::interval::Record;
use lookback_log_format::Retire;
use lookback_replay::disasm::disassemble;
use lookback_replay::memory::Byte;
use lookback_replay::Machine;
use lookback_sim::EngineChoice;
use std::collections::BTreeMap;
use std::fmt;

/// How a batch is run.
#[derive(Debug, Clone)]
pub struct Setup {
    /// What clocks the hart.
    pub engine: EngineChoice,
    /// Instructions an interval of the recording.
    pub interval: u32,
    /// QEMU has to agree, too.
    pub qemu: bool,
    /// A mistake in the reference machine, to see the comparison fail.
    pub flaw: Option<Flaw>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            engine: EngineChoice::Verilator,
            interval: 1000,
            qemu: true,
            flaw: None,
        }
    }
}

/// What was compared.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Instructions of the programs themselves that retired.
    pub instructions: u64,
    /// All that retired, with those of the handler and between programs.
    pub retired: u64,
    /// Programs.
    pub programs: u64,
    /// Traps in the logs, by `mcause`.
    pub traps: BTreeMap<u32, u64>,
    /// The causes of each program's traps, in order.
    pub causes: Vec<Vec<u32>>,
    /// All that retired.
    pub trace: Vec<Retire>,
}

/// Machines disagree.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Which program of the batch.
    pub program: Option<usize>,
    /// Which machines, and in what: the same for failures of the same kind.
    pub kind: String,
    /// Which machines, and where they part.
    pub title: String,
    /// The instruction, if it is known.
    pub instruction: Option<(u32, String)>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        if let Some((pc, text)) = &self.instruction {
            write!(f, "\n  at {pc:#010x}: {text}")?;
        }
        Ok(())
    }
}

/// Runs programs and compares: `Ok(Err(_))` is a disagreement, `Err(_)` a machine that cannot run.
pub fn check(programs: &[Program], setup: &Setup) -> Result<Result<Stats, Failure>> {
    let image = Image::new(programs);
    let mut options = Options::new(setup.engine, "bugnet");
    options.interval = setup.interval;
    options.max_instructions = 50_000_000;
    options.board.ram_bytes = qemu::RAM_BYTES;
    let outcome = run_recorded(&image.elf, &options)?;
    let trace: Vec<Retire> = outcome.retirements().copied().collect();
    let compared = follow(&image, &trace, &outcome, setup.flaw)
        .and_then(|()| ended(&image, &trace, &outcome))
        .and_then(|()| replayed(&image, &outcome));
    if let Err(failure) = compared {
        return Ok(Err(failure));
    }
    if setup.qemu {
        let theirs = qemu::run(&image.elf)?;
        if let Some(found) = compare::first(&image, [&outcome.ram, &theirs], true) {
            return Ok(Err(differs("hart and QEMU", &found, &trace)));
        }
    }
    ensure!(outcome.recording.is_whole(), "the recording is not whole");
    Ok(Ok(stats(&image, trace, &outcome)))
}

/// The reference machine follows the hart, and ends with the same memory.
fn follow(
    image: &Image,
    trace: &[Retire],
    outcome: &Outcome,
    flaw: Option<Flaw>,
) -> Result<(), Failure> {
    let mut follower = Follower::new(RAM, image.memory(qemu::RAM_BYTES), flaw);
    let mut program = None;
    for port in trace {
        program = place_of(image, port.pc_rdata).or(program);
        if let Err(difference) = follower.follow(port) {
            return Err(Failure {
                program,
                kind: format!("reference: {}", difference.what),
                title: format!(
                    "hart and reference differ in {} at retirement {}: the reference has {:#x}, \
                     the hart {:#x}",
                    difference.what, port.order, difference.expected, difference.found
                ),
                instruction: Some(instruction(port)),
            });
        }
    }
    match compare::first(image, [&outcome.ram, &follower.ram], false) {
        Some(found) => Err(differs("hart and reference", &found, trace)),
        None => Ok(()),
    }
}

fn ended(image: &Image, trace: &[Retire], outcome: &Outcome) -> Result<(), Failure> {
    if outcome.finished == Some(0x5555) {
        return Ok(());
    }
    let last = trace.last();
    Err(Failure {
        program: last.and_then(|port| place_of(image, port.pc_rdata)),
        kind: "no end".into(),
        title: format!("the programs do not end: {:x?}", outcome.finished),
        instruction: last.map(instruction),
    })
}

/// The replayer retires what the hart retired, and ends with the same memory.
fn replayed(image: &Image, outcome: &Outcome) -> Result<(), Failure> {
    let failure = |error: anyhow::Error| Failure {
        program: None,
        kind: "replayer".into(),
        title: format!("hart and replayer differ: {error:#}"),
        instruction: None,
    };
    let compared = outcome.replay_equals_retirements().map_err(failure)?;
    if compared != outcome.retirements().count() as u64 {
        return Err(failure(anyhow::anyhow!("only {compared} were replayed")));
    }
    let known = replayed_memory(outcome).map_err(failure)?;
    for program in 0..image.places.len() {
        let place = &image.places[program];
        let range = place.data..place.signature() + 256;
        for addr in range.step_by(4) {
            let at = (addr - RAM) as usize / 4;
            let Some(theirs) = known(addr) else {
                continue;
            };
            if theirs != outcome.ram[at] {
                return Err(Failure {
                    program: Some(program),
                    kind: "replayer: memory".into(),
                    title: format!(
                        "hart and replayer differ in memory at {addr:#x}: the hart has {:#x}, the \
                         replayer {theirs:#x}",
                        outcome.ram[at]
                    ),
                    instruction: None,
                });
            }
        }
    }
    Ok(())
}

/// What the replayer knows of memory at the end of the run, by word.
fn replayed_memory(outcome: &Outcome) -> Result<impl Fn(u32) -> Option<u32> + '_> {
    let image = outcome.recording.image(None)?;
    let mut machine = Machine::<true>::new(&outcome.recording.config, image);
    for record in outcome.records() {
        if let Record::Interval(interval) = record {
            machine.resume(0, interval)?;
            machine.run()?;
        }
    }
    Ok(move |addr: u32| {
        let bytes = [0, 1, 2, 3].map(|lane| machine.memory().byte(addr + lane));
        let mut word = 0;
        for (lane, byte) in bytes.into_iter().enumerate() {
            let Byte::Seen(byte) = byte else {
                return None;
            };
            word |= u32::from(byte) << (8 * lane);
        }
        Some(word)
    })
}

fn stats(image: &Image, trace: Vec<Retire>, outcome: &Outcome) -> Stats {
    let inside = |port: &&Retire| port.pc_rdata >= PROGRAMS;
    let mut stats = Stats {
        instructions: trace.iter().filter(inside).count() as u64,
        retired: trace.len() as u64,
        programs: image.places.len() as u64,
        ..Stats::default()
    };
    for place in &image.places {
        let traps = compare::traps(&outcome.ram, place).into_iter();
        let causes: Vec<u32> = traps.map(|trap| trap.cause).collect();
        for &cause in &causes {
            *stats.traps.entry(cause).or_default() += 1;
        }
        stats.causes.push(causes);
    }
    stats.trace = trace;
    stats
}

fn place_of(image: &Image, pc: u32) -> Option<usize> {
    let found = image.places.partition_point(|place| place.code.end <= pc);
    let place = image.places.get(found)?;
    place.code.contains(&pc).then_some(found)
}

fn instruction(port: &Retire) -> (u32, String) {
    (port.pc_rdata, disassemble(port.insn, port.pc_rdata))
}

/// A difference in memory, with the last instruction that the hart wrote there with: for a register
/// in the signature, the one that wrote the register.
fn differs(who: &str, found: &compare::Difference, trace: &[Retire]) -> Failure {
    let wrote = |port: &&Retire| port.mem_wmask != 0 && port.mem_addr == found.addr;
    let at = trace.iter().rposition(|port| wrote(&port));
    let mut source = at.map(|at| &trace[at]);
    if let (Some(at), true) = (at, found.what.starts_with('x')) {
        let register = trace[at].rs2_addr;
        let before = trace[..at].iter().rfind(|port| port.rd_addr == register);
        source = before.or(source);
    }
    Failure {
        program: found.program,
        kind: format!("{who}: {}", found.kind),
        title: format!(
            "{who} differ in {}: {:#x} and {:#x}",
            found.what, found.values[0], found.values[1]
        ),
        instruction: source.map(instruction),
    }
}
