//! `monitor last-write`, `next-read` and `irqs`: searches that leave the present where it is.

use super::monitor::usage;
use super::session::Session;
use crate::history::entered;
use crate::report::values;
use crate::timeline::run::Distance;
use crate::timeline::stops::{Stop, Stops, Watch, WatchKind};
use lookback_replay::disasm::disassemble;
use lookback_replay::{Entered, Step};
use std::fmt::Write;

impl Session<'_> {
    /// Who wrote this memory last.
    pub(super) fn last_write(&mut self, addr: &str, len: Option<&str>) -> String {
        let watch = match self.watch(addr, len, WatchKind::Write) {
            Ok(watch) => watch,
            Err(why) => return format!("{why}\n{}", usage("last-write")),
        };
        let mut stops = Stops::default();
        stops.add_watch(watch);
        let timeline = self.timeline();
        let present = timeline.bookmark();
        let mut never = || false;
        let stop = timeline.backward(&stops, &mut never);
        let found = match stop {
            Stop::Watch { .. } => {
                timeline.back_step(&mut never);
                timeline.peek()
            }
            _ => None,
        };
        let edge = timeline.now();
        timeline.return_to(present);
        match (found, stop) {
            (Some(step), _) => self.tell(&step),
            (None, Stop::Hole(why)) => format!(
                "not written back to instruction {edge}, where the recording has a hole: {why}"
            ),
            _ => format!(
                "no instruction writes it between the start of the recording ({edge}) and the present"
            ),
        }
    }

    /// Who reads this memory next.
    pub(super) fn next_read(&mut self, addr: &str, len: Option<&str>) -> String {
        let watch = match self.watch(addr, len, WatchKind::Read) {
            Ok(watch) => watch,
            Err(why) => return format!("{why}\n{}", usage("next-read")),
        };
        let mut stops = Stops::default();
        stops.add_watch(watch);
        let timeline = self.timeline();
        let present = timeline.bookmark();
        let mut never = || false;
        let stop = timeline.forward(&stops, &Distance::Far, &mut never);
        let found = match stop {
            Stop::Watch { .. } => timeline.peek(),
            _ => None,
        };
        let edge = timeline.now();
        timeline.return_to(present);
        match (found, stop) {
            (Some(step), _) => self.tell(&step),
            (None, Stop::Hole(why)) => {
                format!("not read up to instruction {edge}, where the recording has a hole: {why}")
            }
            _ => format!("no instruction reads it up to the end of the recording ({edge})"),
        }
    }

    fn tell(&self, step: &Step) -> String {
        format!(
            "instruction {} at {:#010x} {}\n  {}  {}",
            step.retired,
            step.pc,
            self.symbols.locate(step.pc),
            disassemble(step.insn, step.pc).replace('\t', " "),
            values(step)
        )
    }

    /// Memory to look for, from what the user typed.
    fn watch(&self, addr: &str, len: Option<&str>, kind: WatchKind) -> Result<Watch, String> {
        let variable = self.symbols.variable(addr.trim_start_matches('&'));
        let (addr, size) = match (number(addr), variable) {
            (Some(addr), _) => (addr, 4),
            (None, Some(found)) => found,
            (None, None) => {
                return Err(format!("`{addr}` is neither an address nor a variable"));
            }
        };
        let len = match len {
            None => size.max(1),
            Some(text) => number(text)
                .filter(|&len| len > 0)
                .ok_or_else(|| format!("`{text}` is no length"))?,
        };
        Ok(Watch { addr, len, kind })
    }

    /// The last interrupts and traps before the present.
    pub(super) fn irqs(&mut self, count: usize) -> String {
        let timeline = self.timeline();
        let present = timeline.bookmark();
        let mut found = timeline.turns_before(count);
        timeline.return_to(present);
        found.reverse();
        if found.is_empty() {
            return "no interrupts or traps before the present".into();
        }
        let mut text = String::new();
        for (before, step) in &found {
            let what = match entered(before, step) {
                Entered::Trap => "trap of",
                _ => "interrupt before",
            };
            let at = match before.trap {
                true => before.pc,
                false => before.next_pc.unwrap_or(before.pc),
            };
            let _ = writeln!(
                text,
                "{:>12}  {what} {at:#010x} {}, handled at {:#010x} {}",
                step.retired,
                self.symbols.locate(at),
                step.pc,
                self.symbols.locate(step.pc)
            );
        }
        text
    }
}

/// A number as C writes it.
fn number(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    match lower.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => lower.parse().ok(),
    }
}
