//! Names the instruction that a core computed otherwise than the replay, when all that is known is that
//! the digest of an interval differs.
//!
//! The next interval tells the registers as the core left them, in its header or where it reads them
//! first. Where they differ from the
//! replay's, the last instruction that wrote them is suspected; with the core's value in place of its
//! own, the interval must replay to the recorded digest. If it does, that proves the case.

use crate::{Image, Machine, Step};
use lookback_log_format::interval::{Interval, Layout};
use lookback_log_format::RecorderConfig;
use serde::Serialize;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An instruction whose result the core and the replay do not agree about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Suspect {
    /// Instructions before it since recording began.
    pub retired: u64,
    /// Its address.
    pub pc: u32,
    /// Its word.
    pub insn: u32,
    /// The register it wrote.
    pub register: u8,
    /// What the core left in it.
    pub core: u32,
    /// What the replay computes.
    pub replay: u32,
    /// With the core's value the whole interval replays: nothing else is wrong in it.
    pub proven: bool,
}

impl fmt::Display for Suspect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            retired,
            pc,
            insn,
            register,
            core,
            replay,
            proven,
        } = self;
        write!(
            out,
            "instruction {retired} at {pc:#010x}, {}, left {core:#010x} in x{register}, but computes \
             {replay:#010x} (rule `result`): {}",
            crate::disasm::disassemble(*insn, *pc),
            if *proven {
                "with that value everything else replays"
            } else {
                "the first whose result is known to differ"
            }
        )
    }
}

/// Looks for the culprit in an interval that replays to its end but with another digest.
pub fn suspect(
    config: &RecorderConfig,
    image: &Arc<Image>,
    hart: u8,
    interval: &Interval,
    next: &Interval,
) -> Option<Suspect> {
    let mut machine = Machine::<false>::new(config, image.clone());
    machine.begin(hart, interval).ok()?;
    let mut writers: [Option<Step>; 32] = [None; 32];
    let length = interval.trailer.instructions;
    let ran = machine.run_until(length, &mut |step: &Step| {
        writers[usize::from(step.rd % 32)] = Some(*step);
        ControlFlow::Continue(())
    });
    ran.ok()?;
    let registers = *machine.registers();
    let (told, left) = left_by_core(config, image, hart, next)?;
    let mut suspects: Vec<(u32, Suspect)> = (1..32)
        .filter(|&r| told >> r & 1 == 1 && registers[r] != left[r])
        .filter_map(|r| {
            let step = writers[r]?;
            let suspect = Suspect {
                retired: step.retired,
                pc: step.pc,
                insn: step.insn,
                register: r as u8,
                core: left[r],
                replay: step.rd_value,
                proven: false,
            };
            Some((step.position, suspect))
        })
        .collect();
    // A wrong value spreads: the first is where it comes from.
    suspects.sort_by_key(|(position, _)| *position);
    for (position, suspect) in &mut suspects {
        machine.begin(hart, interval).ok()?;
        suspect.proven = machine.replays_with(*position, suspect.core);
        if suspect.proven {
            return Some(*suspect);
        }
    }
    suspects.first().map(|(_, suspect)| *suspect)
}

/// The registers at the start of an interval, and which of them it tells, a bit each; `None` if it
/// goes on from a state that is not the core's.
fn left_by_core(
    config: &RecorderConfig,
    image: &Arc<Image>,
    hart: u8,
    next: &Interval,
) -> Option<(u32, [u32; 32])> {
    if next.header.layout == Layout::Full {
        return Some((u32::MAX, next.header.registers));
    }
    let mut machine = Machine::<false>::new(config, image.clone());
    machine.begin(hart, next).ok()?;
    // As far as it goes: what it has told by then is the core's.
    machine.run().ok();
    let (told, values) = machine.first_reads();
    Some((told, *values))
}

impl<const TRACK: bool> Machine<'_, TRACK> {
    /// Whether the interval replays if the instruction at `position` gives `value`.
    fn replays_with(&mut self, position: u32, value: u32) -> bool {
        if self.run_until(position, &mut crate::Silent).is_err() {
            return false;
        }
        let mut digest = self.digest;
        let Ok(Some(step)) = self.step() else {
            return false;
        };
        let stored = if step.mem_wmask == 0 {
            0
        } else {
            step.mem_addr
        };
        digest.step(
            step.pc,
            step.rd,
            value,
            stored,
            step.mem_wmask,
            step.mem_wdata,
        );
        self.digest = digest;
        self.registers[usize::from(step.rd % 32)] = value;
        self.run().is_ok()
    }
}
