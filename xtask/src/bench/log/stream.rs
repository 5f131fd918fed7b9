//! The retirement stream of a recording, instruction by instruction, as the recorder saw it.
//!
//! A replay gives everything but two things. Where a trap or `mret` led is told by the next
//! instruction, so each is handed on when the next one is known. Who else wrote memory (DMA) shows
//! when a load finds other bytes than the hart left there: such a write is handed on just before
//! that load. A write that nobody reads, or of the same bytes, stays unseen and costs no scheme
//! anything.

use anyhow::{bail, ensure, Result};
use lookback_log_format::retire::{lanes, Retire};
use lookback_log_format::RecorderConfig;
use lookback_replay::recording::HartLog;
use lookback_replay::walk::{walk, Event as Walked};
use lookback_replay::{Image, Recording, Step};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What a recorder is told.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// An instruction retires.
    Retire(&'a Retire),
    /// Somebody else than the hart wrote these bytes of the word.
    Snoop {
        /// Its address.
        addr: u32,
        /// Its bytes.
        mask: u8,
    },
}

impl Event<'_> {
    /// Whether it is an instruction.
    pub fn is_retirement(&self) -> bool {
        matches!(self, Self::Retire(_))
    }
}

/// Hands the whole run of the one hart to `visit`; an error of it ends the walk.
pub fn for_each(
    recording: &Recording,
    image: &Arc<Image>,
    visit: &mut dyn FnMut(Event<'_>) -> Result<()>,
) -> Result<()> {
    let [log] = recording.harts.as_slice() else {
        bail!("the recording has {} harts", recording.harts.len());
    };
    let mut source = Source::new(&recording.config);
    let mut outcome = Ok(());
    let _ = walk_all(recording, image, log, |event| {
        outcome = match event {
            Walked::Step(step) => source.step(step, visit),
            Walked::Interval(_) => Ok(()),
            other => Err(anyhow::anyhow!("the recording is not whole: {other:?}")),
        };
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    outcome?;
    source.finish(visit)
}

fn walk_all(
    recording: &Recording,
    image: &Arc<Image>,
    log: &HartLog,
    visit: impl FnMut(Walked<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    walk(recording, image, log, 0..u64::MAX, visit)
}

/// Makes events from replayed steps.
struct Source<'a> {
    config: &'a RecorderConfig,
    memory: Shadow,
    /// The last instruction, which waits for the next one's pc.
    waiting: Option<Waiting>,
    retired: u64,
}

struct Waiting {
    retire: Retire,
    leads_on: bool,
}

impl<'a> Source<'a> {
    fn new(config: &'a RecorderConfig) -> Self {
        Self {
            config,
            memory: Shadow::default(),
            waiting: None,
            retired: 0,
        }
    }

    fn step(&mut self, step: &Step, visit: &mut dyn FnMut(Event<'_>) -> Result<()>) -> Result<()> {
        ensure!(step.retired == self.retired, "an instruction is missing");
        self.retired += 1;
        if let Some(mut waiting) = self.waiting.take() {
            if !waiting.leads_on {
                waiting.retire.pc_wdata = step.pc;
            }
            visit(Event::Retire(&waiting.retire))?;
        }
        self.tell_of_others(step, visit)?;
        let (rs1, rs2) = (step.insn >> 15 & 31, step.insn >> 20 & 31);
        self.waiting = Some(Waiting {
            leads_on: step.next_pc.is_some(),
            retire: Retire {
                order: step.retired,
                insn: step.insn,
                trap: step.trap,
                intr: false,
                // Only a header has it, and its width is the same for all.
                mode: 3,
                rs1_addr: rs1 as u8,
                rs2_addr: rs2 as u8,
                rs1_rdata: step.rs1_value,
                rs2_rdata: step.rs2_value,
                rd_addr: step.rd,
                rd_wdata: step.rd_value,
                pc_rdata: step.pc,
                pc_wdata: step.next_pc.unwrap_or(step.pc),
                mem_addr: step.mem_addr,
                mem_rmask: step.mem_rmask,
                mem_wmask: step.mem_wmask,
                mem_rdata: step.mem_rdata,
                mem_wdata: step.mem_wdata,
            },
        });
        Ok(())
    }

    /// The instruction word and what the instruction reads, compared with what the hart knows.
    fn tell_of_others(
        &mut self,
        step: &Step,
        visit: &mut dyn FnMut(Event<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut see = |addr: u32, mask: u8, data: u32| {
            let changed = self.memory.see(addr, mask, data);
            if changed == 0 {
                return Ok(());
            }
            visit(Event::Snoop {
                addr,
                mask: changed,
            })
        };
        if step.fetched && self.config.is_memory(step.pc) {
            see(step.pc, 0b1111, step.insn)?;
        }
        if step.mem_rmask != 0 && self.config.is_memory(step.mem_addr) {
            see(step.mem_addr, step.mem_rmask, step.mem_rdata)?;
        }
        if step.mem_wmask != 0 {
            self.memory
                .put(step.mem_addr, step.mem_wmask, step.mem_wdata);
        }
        Ok(())
    }

    fn finish(mut self, visit: &mut dyn FnMut(Event<'_>) -> Result<()>) -> Result<()> {
        match self.waiting.take() {
            Some(waiting) => visit(Event::Retire(&waiting.retire)),
            None => bail!("the recording is empty"),
        }
    }
}

/// Memory as far as the hart has seen it.
#[derive(Default)]
struct Shadow {
    /// By word address: the bytes that are known, and the word.
    words: HashMap<u32, (u8, u32)>,
}

impl Shadow {
    /// Bytes are read: returns those that are not what was seen last.
    fn see(&mut self, addr: u32, mask: u8, data: u32) -> u8 {
        let (known, word) = self.words.get(&addr).copied().unwrap_or_default();
        let differs = |lane: &u32| (word ^ data) >> (8 * lane) & 0xff != 0;
        let both = (0..4u32).filter(|lane| (known & mask) >> lane & 1 == 1);
        let changed = both.filter(differs).fold(0, |sum, lane| sum | 1 << lane);
        if known & mask != mask || changed != 0 {
            self.put(addr, mask, data);
        }
        changed
    }

    fn put(&mut self, addr: u32, mask: u8, data: u32) {
        let (known, word) = self.words.entry(addr).or_default();
        *known |= mask;
        *word = *word & !lanes(mask) | data & lanes(mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_others_wrote_is_noticed_once() {
        let mut memory = Shadow::default();
        assert_eq!(memory.see(0x100, 0b1111, 0x1122_3344), 0);
        memory.put(0x100, 0b0001, 0x55);
        assert_eq!(memory.see(0x100, 0b1111, 0x1122_3355), 0);
        assert_eq!(memory.see(0x100, 0b1111, 0x1199_3355), 0b0100);
        assert_eq!(memory.see(0x100, 0b1111, 0x1199_3355), 0);
    }
}
