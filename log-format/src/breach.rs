//! What a recorder says when the core it is attached to breaks a rule of the retirement port: section 8
//! of the format.

use crate::{Error, Result};
use alloc::vec::Vec;
use core::fmt;

/// A rule of the retirement port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "kebab-case"))]
pub enum Rule {
    /// Retirements are numbered one by one.
    Order,
    /// Register 0 is zero.
    Zero,
    /// A source register reads as what was last written to it.
    Registers,
    /// The register written is the one that the instruction names.
    Destination,
    /// The value written is what the instruction computes.
    Result,
    /// The next address is the one to which the instruction leads.
    Next,
    /// The data address is the one that the instruction computes.
    Address,
    /// Masks and stored bytes are those of the instruction.
    Access,
    /// Something that cannot be recorded.
    Unsupported,
}

/// All rules with their numbers, names and sentences.
const RULES: [(Rule, &str, &str); 9] = [
    (
        Rule::Order,
        "order",
        "rvfi_order goes up by one with every retirement",
    ),
    (
        Rule::Zero,
        "zero",
        "rvfi_rd_wdata is 0 when rvfi_rd_addr is 0",
    ),
    (
        Rule::Registers,
        "registers",
        "a source register reads as the value that was last written to it, or 0 if none was",
    ),
    (
        Rule::Destination,
        "destination",
        "rvfi_rd_addr is the instruction's rd field, and 0 for an instruction without one",
    ),
    (
        Rule::Result,
        "result",
        "rvfi_rd_wdata is what the instruction computes",
    ),
    (
        Rule::Next,
        "next",
        "rvfi_pc_wdata is the address to which the instruction leads",
    ),
    (
        Rule::Address,
        "address",
        "rvfi_mem_addr is the address that the instruction computes",
    ),
    (
        Rule::Access,
        "access",
        "masks and stored bytes are those of the instruction",
    ),
    (
        Rule::Unsupported,
        "unsupported",
        "no misaligned store, and no memory access by an unknown instruction",
    ),
];

impl Rule {
    /// The rule of this number.
    pub fn from_code(code: u32) -> Result<Self> {
        let index = (code as usize).wrapping_sub(1);
        match RULES.get(index) {
            Some((rule, ..)) => Ok(*rule),
            None => Err(Error::UnknownRule(code)),
        }
    }

    /// Its number, from 1 on.
    pub const fn code(self) -> u32 {
        self as u32 + 1
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        RULES[self as usize].1
    }

    /// What it says.
    pub fn sentence(self) -> &'static str {
        RULES[self as usize].2
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The first breach of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct Breach {
    /// What was broken.
    pub rule: Rule,
    /// Retirements before the instruction since recording began, the low 32 bits.
    pub at: u32,
    /// Its address.
    pub pc: u32,
    /// Its word.
    pub insn: u32,
    /// What the rule wanted.
    pub want: u32,
    /// What the core said.
    pub got: u32,
}

impl Breach {
    /// Bytes behind an END.
    pub const LEN: usize = 24;

    /// As behind an END.
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = [
            self.rule.code(),
            self.at,
            self.pc,
            self.insn,
            self.want,
            self.got,
        ];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Reads what [`Self::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.len() != Self::LEN {
            return Err(Error::BadFrame {
                len: bytes.len(),
                why: "a breach has 24 bytes",
            });
        }
        let word = |index: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[4 * index..4 * index + 4]);
            u32::from_le_bytes(word)
        };
        Ok(Self {
            rule: Rule::from_code(word(0))?,
            at: word(1),
            pc: word(2),
            insn: word(3),
            want: word(4),
            got: word(5),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rules_are_numbered_in_order() {
        for (index, (rule, ..)) in RULES.iter().enumerate() {
            assert_eq!(rule.code() as usize, index + 1);
            assert_eq!(Rule::from_code(rule.code()), Ok(*rule));
        }
        assert!(Rule::from_code(0).is_err() && Rule::from_code(10).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(code in 1u32..=9, words: [u32; 5]) {
            let [at, pc, insn, want, got] = words;
            let rule = Rule::from_code(code).unwrap();
            let breach = Breach { rule, at, pc, insn, want, got };
            prop_assert_eq!(Breach::from_bytes(&breach.to_bytes()), Ok(breach));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let _ = Breach::from_bytes(&bytes);
        }
    }
}
