//! The parameters of codec `compact`: registers COMPACT and KEY.

use super::{byte, check, RecorderConfig};
use crate::Result;

/// Kinds of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "lowercase"))]
pub enum TagKind {
    /// Masks alone; others' writes are snooped.
    Bits,
    /// The word beside its mask, to be compared.
    Words,
}

impl TagKind {
    /// What register COMPACT tells of the tags of codec `bugnet`, which has nothing else in it.
    pub(super) fn of_bugnet(compact: u32) -> Result<Self> {
        check(
            "COMPACT",
            compact.into(),
            compact & !(1 << 8) == 0,
            "with codec bugnet it has the tag kind alone, 0 or 1",
        )?;
        Ok(match compact {
            0 => Self::Bits,
            _ => Self::Words,
        })
    }

    /// Its bits of register COMPACT.
    pub(super) fn register(self) -> u32 {
        match self {
            Self::Bits => 0,
            Self::Words => 1 << 8,
        }
    }
}

/// How bins become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "lowercase"))]
pub enum Coder {
    /// A bit for each bin.
    Plain,
    /// Adaptive binary arithmetic coding.
    Arithmetic,
}

/// What codec `compact` adds to a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct Compact {
    /// What the tags keep.
    pub tags: TagKind,
    /// Words a row of a line.
    pub row_words: u8,
    /// How bins become bytes.
    pub coder: Coder,
    /// log2 of the table of last values.
    pub last_bits: u8,
    /// Intervals a key group.
    pub key: u16,
}

impl Compact {
    pub(super) fn from_registers(compact: u32, key: u32) -> Result<Self> {
        let kind = compact >> 8 & 15;
        check("tag kind", kind.into(), kind <= 1, "there are 0 and 1")?;
        let number = compact >> 12 & 15;
        check("coder", number.into(), number <= 1, "there are 0 and 1")?;
        check(
            "COMPACT",
            compact.into(),
            byte(compact, 3) == 0,
            "its highest byte is 0",
        )?;
        check(
            "KEY",
            key.into(),
            (1..=0xffff).contains(&key),
            "it is 1 to 65535",
        )?;
        Ok(Self {
            tags: if kind == 0 {
                TagKind::Bits
            } else {
                TagKind::Words
            },
            row_words: byte(compact, 0),
            coder: if number == 0 {
                Coder::Plain
            } else {
                Coder::Arithmetic
            },
            last_bits: byte(compact, 2),
            key: key as u16,
        })
    }

    /// The value of register COMPACT.
    pub(super) fn register(&self) -> u32 {
        let coder = match self.coder {
            Coder::Plain => 0,
            Coder::Arithmetic => 1,
        };
        u32::from(self.row_words)
            | self.tags.register()
            | coder << 12
            | u32::from(self.last_bits) << 16
    }

    /// Checks what the format asks of the values.
    pub(super) fn validate(&self, config: &RecorderConfig) -> Result<()> {
        let rows = config.tag_words.checked_div(self.row_words).unwrap_or(0);
        check(
            "row words",
            self.row_words.into(),
            self.row_words.is_power_of_two() && (1..=8).contains(&rows),
            "a line has 1, 2, 4 or 8 rows",
        )?;
        check(
            "last values",
            self.last_bits.into(),
            (1..=12).contains(&self.last_bits),
            "log2 of the table is 1 to 12",
        )?;
        check("KEY", self.key.into(), self.key > 0, "it is at least 1")?;
        check(
            "dictionary",
            config.dict_bits.into(),
            config.dict_bits <= 8,
            "log2 of its entries is at most 8 with codec compact",
        )
    }
}
