//! Execution that somebody watches: with everything that an instruction did, or with its memory access
//! alone, which is all that a search for a watchpoint needs.

use super::{CodeCheck, Cursor, Effect, NO_PAGE};
use crate::decode::{decode, Insn, Op};
use crate::log::NEVER;
use crate::machine::{Before, Machine, Pause};
use crate::step::{Entered, Observer, Step};
use crate::What;

impl<const TRACK: bool> Machine<'_, TRACK> {
    /// Executes until the log has to be asked, and tells the observer.
    pub(super) fn watched_loop<O: Observer, const COMPACT: bool>(
        &mut self,
        at: &mut Cursor,
        mut entered: Entered,
        observer: &mut O,
    ) -> Result<Pause, What> {
        let (mut page, mut code_page) = (NO_PAGE, 0);
        // The observer was asked about the first instruction before it was entered.
        let mut asked = if COMPACT { NEVER } else { at.position };
        let mut code = CodeCheck::default();
        while at.position < at.limit {
            if COMPACT && O::ASKS && at.position != asked {
                asked = at.position;
                if observer.before(at.position, at.pc).is_break() {
                    return Ok(Pause::Observer);
                }
            }
            if COMPACT && self.asks_for_word(at, &mut code)? {
                return Ok(Pause::Log);
            }
            if at.pc >> 12 != page {
                code_page = self.memory.code_page(at.pc)?;
                page = at.pc >> 12;
            }
            let mut insn = self.memory.decoded(code_page, at.pc);
            if insn.op == Op::Illegal {
                insn = self.memory.decode(code_page, at.pc)?;
            }
            if O::ASKS && at.position != asked {
                asked = at.position;
                if observer.before(at.position, at.pc).is_break() {
                    return Ok(Pause::Observer);
                }
            }
            // Read before the instruction itself can overwrite it.
            let word = match O::DETAILS {
                true => self.memory.code_word(at.pc)?,
                false => 0,
            };
            let entered = std::mem::take(&mut entered);
            code.done();
            let step = match O::DETAILS {
                true => self.watched::<COMPACT>(at, insn, word, entered)?,
                false => match self.watched_access::<COMPACT>(at, insn, entered)? {
                    Some(step) => step,
                    None => continue,
                },
            };
            if observer.step(&step).is_break() {
                return Ok(Pause::Observer);
            }
        }
        Ok(Pause::Log)
    }

    /// Executes one instruction and tells what it did to memory, if anything.
    #[inline(always)]
    fn watched_access<const COMPACT: bool>(
        &mut self,
        at: &mut Cursor,
        insn: Insn,
        entered: Entered,
    ) -> Result<Option<Step>, What> {
        let (pc, position) = (at.pc, at.position);
        self.instruction::<true, COMPACT>(at, insn)?;
        let access = at.effect.access;
        let touched = access.rmask | access.wmask != 0;
        Ok(touched.then(|| self.step_of(at, pc, position, entered)))
    }

    /// What the instruction at `position` did, which was the last.
    #[inline(always)]
    fn step_of(&self, at: &Cursor, pc: u32, position: u32, entered: Entered) -> Step {
        let Effect { rd, value, access } = at.effect;
        Step {
            position,
            retired: self.retired_at_start.wrapping_add(position.into()),
            pc,
            entered,
            rd,
            rd_value: value,
            mem_addr: access.addr,
            mem_rmask: access.rmask,
            mem_rdata: access.rdata,
            mem_wmask: access.wmask,
            mem_wdata: access.wdata,
            logged: access.logged,
            next_pc: matches!(self.before, Before::Plain).then_some(at.pc),
            ..Step::default()
        }
    }

    /// Executes one instruction and tells all that it did.
    pub(super) fn watched<const COMPACT: bool>(
        &mut self,
        at: &mut Cursor,
        insn: Insn,
        word: u32,
        entered: Entered,
    ) -> Result<Step, What> {
        let (pc, position) = (at.pc, at.position);
        if COMPACT {
            self.tell([insn.rs1, insn.rs2], at.position)?;
            at.limit = self.limit(at.stop);
        }
        let (a, b) = (self.register(insn.rs1), self.register(insn.rs2));
        self.instruction::<true, COMPACT>(at, insn)
            .map_err(|what| match what {
                What::NoTrap(_) => What::NoTrap(word),
                other => other,
            })?;
        let sources = decode(word);
        Ok(Step {
            insn: word,
            rs1_value: sources.source1().map_or(0, |_| a),
            rs2_value: sources.source2().map_or(0, |_| b),
            ..self.step_of(at, pc, position, entered)
        })
    }
}
