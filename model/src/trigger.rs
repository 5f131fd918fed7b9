//! Watches the recorded instructions for the one that fires a trigger. Section 6.1 of the format.

use lookback_log_format::trigger::{Cause, TriggerSettings, CALL, EBREAK};
use lookback_log_format::{registers, RecorderConfig, Retire};

/// The triggers of one hart, from the start of a recording on.
#[derive(Debug, Clone)]
pub struct Trigger {
    on_trap: bool,
    settings: TriggerSettings,
    /// The pin or the host asks for a trigger.
    pulled: Option<Cause>,
    /// Another hart's trigger was the first.
    disarmed: bool,
    fired: Option<Cause>,
}

impl Trigger {
    /// Nothing has fired yet.
    pub fn new(config: &RecorderConfig) -> Self {
        Self {
            on_trap: config.control & registers::CONTROL_TRIGGER_ON_TRAP != 0,
            settings: config.trigger,
            pulled: None,
            disarmed: false,
            fired: None,
        }
    }

    /// The next recorded instruction fires, if none has: the pin is high, or the host asks for it.
    pub fn pull(&mut self, cause: Cause) {
        self.pulled = Some(self.pulled.map_or(cause, |pulled| pulled.min(cause)));
    }

    /// Another hart's trigger fired: from now on nothing fires here.
    pub fn disarm(&mut self) {
        self.disarmed = true;
    }

    /// What fired.
    pub fn fired(&self) -> Option<Cause> {
        self.fired
    }

    /// An instruction is recorded; `insn` is it, or what it stands for. Whether a trigger fires.
    pub fn retire(&mut self, r: &Retire, insn: u32) -> bool {
        if self.fired.is_some() || self.disarmed {
            return false;
        }
        let on = |kind| self.settings.has(kind);
        let reads = on(registers::TRIGGER_READ) && r.mem_rmask != 0;
        let writes = on(registers::TRIGGER_WRITE) && r.mem_wmask != 0;
        let causes = [
            (
                on(registers::TRIGGER_EBREAK) && insn == EBREAK,
                Cause::Ebreak,
            ),
            (on(registers::TRIGGER_CALL) && insn == CALL, Cause::Call),
            (
                on(registers::TRIGGER_PC) && self.settings.holds(r.pc_rdata),
                Cause::Pc,
            ),
            (
                !r.trap && (reads || writes) && self.settings.holds(r.mem_addr),
                Cause::Access,
            ),
            (r.trap && self.on_trap, Cause::Trap),
        ];
        self.fired = causes
            .into_iter()
            .find_map(|(is, cause)| is.then_some(cause))
            .or(self.pulled);
        self.fired.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    fn armed(kinds: u32) -> Trigger {
        let window = TriggerSettings {
            kinds,
            lo: 0x8000_1000,
            hi: 0x8000_1010,
        };
        Trigger::new(&RecorderConfig {
            trigger: window,
            ..config()
        })
    }

    /// What fires at this instruction alone.
    fn fires(kinds: u32, r: Retire) -> Option<Cause> {
        let mut trigger = armed(kinds);
        assert_eq!(trigger.retire(&r, r.insn), trigger.fired().is_some());
        trigger.fired()
    }

    fn load(mem_addr: u32) -> Retire {
        Retire {
            mem_addr,
            mem_rmask: 1,
            ..Retire::default()
        }
    }

    #[test]
    fn each_kind_fires_when_asked_for() {
        use registers::{TRIGGER_CALL, TRIGGER_EBREAK, TRIGGER_PC, TRIGGER_READ, TRIGGER_WRITE};
        let of = |insn, trap| Retire {
            insn,
            trap,
            ..Retire::default()
        };
        assert_eq!(fires(TRIGGER_EBREAK, of(EBREAK, true)), Some(Cause::Ebreak));
        assert_eq!(fires(TRIGGER_EBREAK, of(CALL, false)), None);
        assert_eq!(fires(TRIGGER_CALL, of(CALL, false)), Some(Cause::Call));
        assert_eq!(fires(!TRIGGER_CALL, of(CALL, false)), None);
        let at = |pc_rdata| Retire {
            pc_rdata,
            ..Retire::default()
        };
        assert_eq!(fires(TRIGGER_PC, at(0x8000_1000)), Some(Cause::Pc));
        assert_eq!(fires(TRIGGER_PC, at(0x8000_1010)), None);
        assert_eq!(fires(TRIGGER_PC, at(0x8000_0ffe)), None);
        assert_eq!(fires(TRIGGER_READ, load(0x8000_100c)), Some(Cause::Access));
        assert_eq!(fires(TRIGGER_READ, load(0x8000_1010)), None);
        assert_eq!(fires(TRIGGER_WRITE, load(0x8000_100c)), None);
        let faulting = Retire {
            trap: true,
            ..load(0x8000_100c)
        };
        assert_eq!(fires(TRIGGER_READ, faulting), None, "it did not happen");
    }

    #[test]
    fn the_first_counts_and_the_lowest_of_one_instruction() {
        let mut trigger = armed(registers::TRIGGER_EBREAK | registers::TRIGGER_CALL);
        trigger.pull(Cause::Host);
        trigger.pull(Cause::Pin);
        assert!(trigger.retire(&Retire::default(), EBREAK));
        assert_eq!(trigger.fired(), Some(Cause::Ebreak));
        assert!(!trigger.retire(&Retire::default(), CALL));
        assert_eq!(trigger.fired(), Some(Cause::Ebreak));
        let mut trigger = armed(0);
        trigger.pull(Cause::Host);
        trigger.pull(Cause::Pin);
        assert!(trigger.retire(&Retire::default(), CALL));
        assert_eq!(trigger.fired(), Some(Cause::Pin));
        let mut trigger = armed(0);
        trigger.pull(Cause::Host);
        trigger.disarm();
        assert!(!trigger.retire(&Retire::default(), CALL));
    }
}
