//! Where a debugger starts: at the crash, or at the end.
//!
//! Opening a long recording must not replay it, so the crash is looked for in what the log says by
//! itself: a trap that is followed by no return is the crash. Whether a redirection is a return or an
//! interrupt is told by where it leads: interrupts lead to where traps lead, or into the table of
//! vectors there.

use super::{Interrupted, Timeline};
use lookback_log_format::entry::Escape;
use lookback_log_format::interval::EndReason;
use lookback_replay::Recording;
use std::collections::HashSet;

/// Vectors lie within so many bytes of the trap handler's address.
const VECTORS: u32 = 4 * 64;
const ECALL: u32 = 0x0000_0073;
/// What a firmware that is content tells the test finisher.
const PASS: u32 = 0x5555;

/// Something that the log says about the way of execution, by itself.
enum Turn {
    Trap(u64),
    /// A redirection that no trap explains.
    Redirect(u32),
}

impl Timeline<'_> {
    /// Goes to the crash, or to the end if there was none; says whether it was a crash. Replays at
    /// most the interval in which the crash is (and the one before, if that ends in a system call).
    pub fn goto_start(&mut self, recording: &Recording, interrupted: Interrupted<'_>) -> bool {
        let passed = recording
            .end
            .is_some_and(|end| end.reason == EndReason::RunEnded && end.code & 0xffff == PASS);
        if !passed {
            for moment in self.unreturned() {
                if self.goto(moment, interrupted).is_ok() && !self.is_call() {
                    return true;
                }
            }
        }
        // However far it goes is where it ends.
        let _ = self.goto_end(interrupted);
        false
    }

    /// Whether the next instruction is a system call, which traps without being a crash.
    fn is_call(&self) -> bool {
        self.peek().is_some_and(|step| step.insn == ECALL)
    }

    /// Moments of traps after the last return, the first one first.
    fn unreturned(&self) -> Vec<u64> {
        let (turns, handlers) = self.turns();
        let is_handler = |pc: u32| {
            let near = |&handler: &u32| pc.wrapping_sub(handler) < VECTORS;
            handlers.iter().any(near)
        };
        let mut found = Vec::new();
        for turn in turns.iter().rev() {
            match *turn {
                Turn::Trap(moment) => found.push(moment),
                Turn::Redirect(pc) if is_handler(pc) => {}
                Turn::Redirect(_) => break,
            }
        }
        found.reverse();
        found
    }

    /// All turns in their order, and the addresses to which traps led.
    fn turns(&self) -> (Vec<Turn>, HashSet<u32>) {
        let mut turns = Vec::new();
        let mut handlers = HashSet::new();
        let mut trapped = None;
        for stretch in self.row() {
            let pc = stretch.interval.header.pc;
            if trapped.take() == Some(stretch.start) && stretch.hole.is_none() {
                handlers.insert(pc);
            }
            for &(position, escape) in self.escapes_of(stretch) {
                let moment = stretch.start + u64::from(position);
                match escape {
                    Escape::Trap => {
                        turns.push(Turn::Trap(moment));
                        trapped = Some(moment + 1);
                    }
                    Escape::Redirect(pc) if trapped == Some(moment) => {
                        handlers.insert(pc);
                    }
                    Escape::Redirect(pc) => turns.push(Turn::Redirect(pc)),
                    Escape::Fetch(_) => {}
                }
            }
        }
        (turns, handlers)
    }
}
