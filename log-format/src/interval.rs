//! Intervals and gaps: section 4 of the format, and 10.7 for those of codec `compact`.

mod compact;

use crate::order::{self, OrderRecord};
use crate::{Error, Result};
use alloc::vec::Vec;

/// Bytes before the entries.
pub const HEADER_LEN: usize = 150;
/// Bytes after the entries.
pub const TRAILER_LEN: usize = 9;
/// Bytes of a gap.
pub const GAP_LEN: usize = 26;

const KIND_INTERVAL: u8 = 1;
const KIND_GAP: u8 = 2;

/// Why an interval ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "kebab-case"))]
pub enum EndReason {
    /// It reached the interval length.
    Length,
    /// The host stopped the recording.
    Stopped,
    /// The run ended: the firmware wrote to the finisher, or the hart locked up.
    RunEnded,
    /// The recorder could not keep up; a gap follows.
    Overflow,
    /// A trigger fired and its instructions afterwards were recorded.
    Trigger,
}

impl EndReason {
    /// The number that stands in the log.
    pub fn code(self) -> u8 {
        match self {
            Self::Length => 1,
            Self::Stopped => 2,
            Self::RunEnded => 3,
            Self::Overflow => 4,
            Self::Trigger => 5,
        }
    }

    /// The reason that a number stands for.
    pub fn from_code(code: u8) -> Result<Self> {
        Ok(match code {
            1 => Self::Length,
            2 => Self::Stopped,
            3 => Self::RunEnded,
            4 => Self::Overflow,
            5 => Self::Trigger,
            _ => {
                return Err(Error::BadInterval {
                    field: "end reason",
                    value: code.into(),
                })
            }
        })
    }
}

/// How an interval's header and trailer are laid out: that depends on the codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// With all registers: codec `bugnet`, section 4.
    #[default]
    Full,
    /// Without registers: codec `compact`, section 10.7.
    Compact {
        /// It starts from the empty state; others go on from the interval before.
        key: bool,
    },
}

/// The state of the hart before the first instruction of an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// How it is written.
    pub layout: Layout,
    /// Privilege mode.
    pub mode: u8,
    /// Number of the interval in the recording; gaps count too.
    pub index: u32,
    /// Retirements since recording began.
    pub retired: u64,
    /// Clock cycles since recording began.
    pub cycle: u64,
    /// Address of the first instruction.
    pub pc: u32,
    /// x0 … x31; x0 is always 0 and not sent. All 0 where the layout has none.
    pub registers: [u32; 32],
}

/// What is known when an interval ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trailer {
    /// Instructions in the interval.
    pub instructions: u32,
    /// Digest of all of them.
    pub digest: u32,
    /// Why it ended.
    pub reason: EndReason,
}

impl Header {
    /// Whether the interval replays by itself.
    pub fn is_key(&self) -> bool {
        !matches!(self.layout, Layout::Compact { key: false })
    }
}

/// An interval, its entries still encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// State before the first instruction.
    pub header: Header,
    /// Encoded entries.
    pub entries: Vec<u8>,
    /// Length, digest and reason of its end.
    pub trailer: Trailer,
}

impl Interval {
    /// Bytes that it takes, header and trailer included.
    pub fn len_bytes(&self) -> usize {
        let fixed = match self.header.layout {
            Layout::Full => HEADER_LEN + TRAILER_LEN,
            Layout::Compact { .. } => compact::fixed_len(&self.header),
        };
        fixed + self.entries.len()
    }
}

/// A stretch of the run that was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct Gap {
    /// Its number in the recording, counted with the intervals.
    pub index: u32,
    /// Retirements since recording began, before the gap.
    pub retired: u64,
    /// Clock cycles since recording began.
    pub cycle: u64,
    /// Retirements lost.
    pub lost: u32,
}

/// What a recorder's byte stream consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Replays by itself.
    Interval(Interval),
    /// Nothing is known of it but its length.
    Gap(Gap),
    /// What is known of the order of several harts: section 11.
    Order(OrderRecord),
}

impl Record {
    /// Its number in the recording.
    pub fn index(&self) -> u32 {
        match self {
            Self::Interval(interval) => interval.header.index,
            Self::Gap(gap) => gap.index,
            Self::Order(order) => order.index,
        }
    }

    /// The bytes as the hardware sends them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let prefix = |out: &mut Vec<u8>, kind, mode, index: u32, retired: u64, cycle: u64| {
            out.push(kind);
            out.push(mode);
            out.extend(index.to_le_bytes());
            out.extend(retired.to_le_bytes());
            out.extend(cycle.to_le_bytes());
        };
        match self {
            Self::Interval(interval) if interval.header.layout != Layout::Full => {
                compact::write(&mut out, interval);
            }
            Self::Interval(Interval {
                header: h,
                entries,
                trailer: t,
            }) => {
                prefix(&mut out, KIND_INTERVAL, h.mode, h.index, h.retired, h.cycle);
                out.extend(h.pc.to_le_bytes());
                out.extend(
                    h.registers[1..]
                        .iter()
                        .flat_map(|value| value.to_le_bytes()),
                );
                out.extend(entries);
                out.extend(t.instructions.to_le_bytes());
                out.extend(t.digest.to_le_bytes());
                out.push(t.reason.code());
            }
            Self::Gap(g) => {
                prefix(&mut out, KIND_GAP, 0, g.index, g.retired, g.cycle);
                out.extend(g.lost.to_le_bytes());
            }
            Self::Order(order) => out = order.to_bytes(),
        }
        out
    }

    /// Reads what the hardware sent, from its first to its last byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        match bytes.first() {
            Some(&KIND_INTERVAL) => interval(bytes).map(Self::Interval),
            Some(&KIND_GAP) => gap(bytes).map(Self::Gap),
            Some(&first)
                if matches!(first & 0x0f, order::KIND_CALM_STRATA..=order::KIND_STRATA) =>
            {
                OrderRecord::from_bytes(bytes).map(Self::Order)
            }
            Some(&first) if first & 0x0f == compact::KIND => {
                compact::read(bytes).map(Self::Interval)
            }
            Some(&other) => Err(Error::UnknownRecord(other)),
            None => Err(too_short(bytes, GAP_LEN)),
        }
    }
}

fn too_short(bytes: &[u8], needed: usize) -> Error {
    Error::IntervalTooShort {
        len: bytes.len(),
        needed,
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

fn privilege_mode(mode: u8) -> Result<u8> {
    match mode {
        0 | 1 | 3 => Ok(mode),
        _ => Err(Error::BadInterval {
            field: "privilege mode",
            value: mode.into(),
        }),
    }
}

fn interval(bytes: &[u8]) -> Result<Interval> {
    let Some(entries_len) = bytes.len().checked_sub(HEADER_LEN + TRAILER_LEN) else {
        return Err(too_short(bytes, HEADER_LEN + TRAILER_LEN));
    };
    let mode = privilege_mode(bytes[1])?;
    let mut registers = [0; 32];
    for (number, value) in registers.iter_mut().enumerate().skip(1) {
        *value = u32_at(bytes, 26 + 4 * (number - 1));
    }
    let (body, trailer) = bytes.split_at(HEADER_LEN + entries_len);
    Ok(Interval {
        header: Header {
            layout: Layout::Full,
            mode,
            index: u32_at(bytes, 2),
            retired: u64_at(bytes, 6),
            cycle: u64_at(bytes, 14),
            pc: u32_at(bytes, 22),
            registers,
        },
        entries: body[HEADER_LEN..].to_vec(),
        trailer: Trailer {
            instructions: u32_at(trailer, 0),
            digest: u32_at(trailer, 4),
            reason: EndReason::from_code(trailer[8])?,
        },
    })
}

fn gap(bytes: &[u8]) -> Result<Gap> {
    if bytes.len() < GAP_LEN {
        return Err(too_short(bytes, GAP_LEN));
    }
    if bytes.len() > GAP_LEN {
        return Err(Error::BadInterval {
            field: "length of a gap",
            value: bytes.len() as u64,
        });
    }
    Ok(Gap {
        index: u32_at(bytes, 2),
        retired: u64_at(bytes, 6),
        cycle: u64_at(bytes, 14),
        lost: u32_at(bytes, 22),
    })
}
