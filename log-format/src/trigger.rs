//! What a flight recorder waits for, and what made it fire: section 6.1 of the format.

use crate::registers as reg;

/// `ebreak`; `c.ebreak` stands for it.
pub const EBREAK: u32 = 0x0010_0073;
/// `slti x0, x0, 1`, what `lookback_trigger()` executes: it does nothing on any core.
pub const CALL: u32 = 0x0010_2013;

/// Which trigger fired. The one with the lowest number counts when one instruction fires several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "lowercase"))]
pub enum Cause {
    /// [`EBREAK`] retired, trapped or not.
    Ebreak = 1,
    /// [`CALL`] retired.
    Call = 2,
    /// An instruction of the window retired.
    Pc = 3,
    /// A word of the window was read or written.
    Access = 4,
    /// An instruction trapped.
    Trap = 5,
    /// The pin of an attached recorder was high.
    Pin = 6,
    /// The host asked for it.
    Host = 7,
}

impl Cause {
    /// All of them, by number.
    pub const ALL: [Self; 7] = [
        Self::Ebreak,
        Self::Call,
        Self::Pc,
        Self::Access,
        Self::Trap,
        Self::Pin,
        Self::Host,
    ];

    /// The number in STATUS and END.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The cause that a number stands for; none for 0.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.code() == code)
    }

    /// A word or two for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ebreak => "an ebreak",
            Self::Call => "the firmware's call",
            Self::Pc => "the pc",
            Self::Access => "a data access",
            Self::Trap => "a trap",
            Self::Pin => "the pin",
            Self::Host => "the host",
        }
    }
}

/// A trigger that fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct Fired {
    /// Which.
    pub cause: Cause,
    /// On which hart.
    pub hart: u8,
}

impl Fired {
    /// As in bits 10:6 of STATUS and bits 7:3 of END's first byte: cause 2:0, hart 4:3.
    pub fn bits(fired: Option<Self>) -> u8 {
        fired.map_or(0, |fired| fired.cause.code() | (fired.hart & 3) << 3)
    }

    /// Reads those bits.
    pub fn from_bits(bits: u8) -> Option<Self> {
        let hart = bits >> 3 & 3;
        Cause::from_code(bits & 7).map(|cause| Self { cause, hart })
    }

    /// What STATUS says.
    pub fn from_status(status: u32) -> Option<Self> {
        Self::from_bits((status >> reg::STATUS_FIRED) as u8)
    }
}

/// What TRIGGER, TRIGGER_LO and TRIGGER_HI hold; traps are a bit of CONTROL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct TriggerSettings {
    /// Bits of [`reg::TRIGGER`].
    pub kinds: u32,
    /// First address of the window.
    pub lo: u32,
    /// First address after it.
    pub hi: u32,
}

impl TriggerSettings {
    /// Whether a kind is asked for.
    pub const fn has(&self, kind: u32) -> bool {
        self.kinds & kind != 0
    }

    /// Whether an address is in the window.
    pub const fn holds(&self, addr: u32) -> bool {
        self.lo <= addr && addr < self.hi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_back() {
        for cause in Cause::ALL {
            for hart in 0..4 {
                let fired = Some(Fired { cause, hart });
                assert_eq!(Fired::from_bits(Fired::bits(fired)), fired);
                let status = u32::from(Fired::bits(fired)) << reg::STATUS_FIRED | 7;
                assert_eq!(Fired::from_status(status), fired);
            }
        }
        assert_eq!(Fired::from_bits(0), None);
    }
}
