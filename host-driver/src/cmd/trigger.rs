//! The options of a flight recorder: what ends the recording, in a user's words.

use crate::driver::arm::Arm;
use crate::text::parse_size;
use anyhow::{bail, Result};
use lookback_debugger::Symbols;
use lookback_log_format::registers as reg;
use std::ops::Range;

/// Options of an armed recorder.
#[derive(Debug, Default, clap::Args)]
pub struct ArmArgs {
    /// Keep the last instructions in the board's ring and wait for a trigger: nothing is sent before
    /// it. Ctrl-C is a trigger, too.
    #[arg(long, conflicts_with_all = ["stream", "resume"])]
    pub arm: bool,
    /// What to wait for: trap, ebreak, call (the firmware's lookback_trigger()), pin, pc=WHERE, or
    /// addr=WHERE, read=WHERE, write=WHERE for data; WHERE is a symbol or an address, ADDRESS..END or
    /// SYMBOL+OFFSET. Can be given more than once [default: trap, call].
    #[arg(long, value_name = "WHAT", requires = "arm", value_delimiter = ',')]
    pub trigger: Vec<String>,
    /// Instructions that are still recorded after the trigger.
    #[arg(long, value_name = "N", requires = "arm", default_value_t = 1000)]
    pub after: u32,
}

impl ArmArgs {
    /// What the recorder is to wait for, `None` if it is not armed.
    pub fn read(&self, elf: &[u8]) -> Result<Option<Arm>> {
        if !self.arm {
            return Ok(None);
        }
        let default = ["trap".to_string(), "call".to_string()];
        let given = match self.trigger.is_empty() {
            true => &default[..],
            false => &self.trigger,
        };
        let symbols = Symbols::load(elf);
        let mut arm = Arm {
            after: self.after,
            ..Arm::default()
        };
        let mut window: Option<Range<u32>> = None;
        for what in given {
            let (kinds, range) = match what.split_once('=') {
                None => (word(what, &mut arm)?, None),
                Some((kind, place)) => {
                    let (kinds, range) = placed(kind, place, what, &symbols)?;
                    (kinds, Some(range))
                }
            };
            arm.trigger.kinds |= kinds;
            if let Some(range) = range {
                if window.as_ref().is_some_and(|window| *window != range) {
                    bail!(
                        "--trigger {what}: a recorder watches one place at a time, for pc, reads and \
                         writes alike; give one"
                    );
                }
                window = Some(range);
            }
        }
        let window = window.unwrap_or(0..0);
        (arm.trigger.lo, arm.trigger.hi) = (window.start, window.end);
        Ok(Some(arm))
    }
}

/// A trigger without a place.
fn word(what: &str, arm: &mut Arm) -> Result<u32> {
    Ok(match what {
        "trap" => {
            arm.trap = true;
            0
        }
        "ebreak" => reg::TRIGGER_EBREAK,
        "call" => reg::TRIGGER_CALL,
        // Always heard.
        "pin" => 0,
        _ => bail!(
            "--trigger {what}: there is no such trigger; there are trap, ebreak, call, pin, pc=WHERE, \
             addr=WHERE, read=WHERE and write=WHERE"
        ),
    })
}

/// A trigger with a place: its kinds, and the window.
fn placed(kind: &str, place: &str, what: &str, symbols: &Symbols) -> Result<(u32, Range<u32>)> {
    let kinds = match kind {
        "pc" => reg::TRIGGER_PC,
        "addr" => reg::TRIGGER_READ | reg::TRIGGER_WRITE,
        "read" => reg::TRIGGER_READ,
        "write" => reg::TRIGGER_WRITE,
        _ => bail!("--trigger {what}: a place is for pc=, addr=, read= or write="),
    };
    let range = find(place, kind == "pc", symbols);
    let Some(range) = range.filter(|range| !range.is_empty()) else {
        bail!(
            "--trigger {what}: `{place}` is neither a symbol of the firmware nor an address; write \
             a name, NAME+4, 0x80001000 or 0x80001000..0x80001010"
        );
    };
    // Data is watched by words.
    Ok(match kind {
        "pc" => (kinds, range),
        _ => {
            let end = range.end.checked_next_multiple_of(4).unwrap_or(u32::MAX);
            (kinds, range.start & !3..end)
        }
    })
}

/// The addresses that a place stands for: a function's first instruction, a variable's bytes, a word.
fn find(place: &str, code: bool, symbols: &Symbols) -> Option<Range<u32>> {
    if let Some((first, end)) = place.split_once("..") {
        return Some(number(first)?..number(end)?);
    }
    if let Some(address) = number(place) {
        return Some(address..address.checked_add(if code { 1 } else { 4 })?);
    }
    let (name, offset) = match place.split_once('+') {
        Some((name, offset)) => (name, Some(number(offset)?)),
        None => (place, None),
    };
    let function = symbols.function_named(name);
    if code {
        let start = function?.checked_add(offset.unwrap_or(0))?;
        return Some(start..start.checked_add(1)?);
    }
    let (start, size) = symbols.variable(name)?;
    match offset {
        Some(offset) => {
            let start = start.checked_add(offset)?;
            Some(start..start.checked_add(4)?)
        }
        None => Some(start..start.checked_add(size.max(1))?),
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => parse_size(text)
            .ok()
            .filter(|_| text.starts_with(|c: char| c.is_ascii_digit())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookback_firmware::DEMO_ELF;

    fn read(given: &[&str]) -> Result<Arm> {
        let args = ArmArgs {
            arm: true,
            trigger: given.iter().map(|what| (*what).into()).collect(),
            after: 7,
        };
        args.read(DEMO_ELF).map(|arm| arm.expect("armed"))
    }

    #[test]
    fn words_and_places() {
        let arm = read(&[]).unwrap();
        assert!(arm.trap && arm.trigger.kinds == reg::TRIGGER_CALL && arm.after == 7);
        let arm = read(&["ebreak", "pin", "pc=main"]).unwrap();
        let main = Symbols::load(DEMO_ELF).function_named("main").unwrap();
        assert!(!arm.trap);
        assert_eq!(arm.trigger.kinds, reg::TRIGGER_EBREAK | reg::TRIGGER_PC);
        assert_eq!((arm.trigger.lo, arm.trigger.hi), (main, main + 1));
        let arm = read(&["write=0x80000101"]).unwrap();
        assert_eq!(arm.trigger.kinds, reg::TRIGGER_WRITE);
        assert_eq!((arm.trigger.lo, arm.trigger.hi), (0x8000_0100, 0x8000_0108));
        let arm = read(&["addr=0x80000100..0x80000180"]).unwrap();
        assert_eq!((arm.trigger.lo, arm.trigger.hi), (0x8000_0100, 0x8000_0180));
        let arm = read(&["addr=heap"]).unwrap();
        assert!(arm.trigger.hi - arm.trigger.lo > 4);
    }

    #[test]
    fn what_is_refused_says_why() {
        for (given, part) in [
            (&["traps"][..], "no such trigger"),
            (&["at=main"], "a place is for"),
            (&["pc=nowhere"], "neither a symbol"),
            (&["addr=0x9..0x5"], "neither a symbol"),
            (&["pc=main", "addr=heap"], "one place"),
        ] {
            let error = read(given).unwrap_err().to_string();
            assert!(error.contains(part), "{given:?}: {error}");
        }
    }
}
