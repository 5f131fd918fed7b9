//! Records of the order across harts, strata and chunks: section 11.4 of the format.

mod settings;

pub use settings::{OrderMode, OrderSettings};

use crate::interval::EndReason;
use crate::{Error, Result};
use alloc::vec::Vec;

/// The hart byte of records of strata.
pub const STRATA_HART: u8 = 0xff;
/// The hart byte of records of chunks.
pub const CHUNKS_HART: u8 = 0xfe;
/// Harts that a recorder has at most.
pub const MAX_HARTS: usize = 8;
/// The largest stride of a stratum; a hart that has made so many accesses takes one.
pub const MAX_STRIDE: u16 = 65534;
/// Elements after which a record is closed.
pub const MAX_ELEMENTS: usize = 256;
/// Ends of intervals after which a record is closed.
pub const MAX_INTERVAL_ENDS: u8 = 8;

pub(crate) const KIND_STRATA: u8 = 4;
pub(crate) const KIND_CHUNKS: u8 = 5;
const FIXED_LEN: usize = 7;
/// What stands for an EXTERNAL in the place of a first stride.
const EXTERNAL_STRIDE: u32 = 65535;

/// What a record of the order is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "kebab-case"))]
pub enum OrderKind {
    /// Vectors of strides.
    Strata,
    /// Harts and sizes.
    Chunks,
}

impl OrderKind {
    /// The hart byte of its records.
    pub fn hart(self) -> u8 {
        match self {
            Self::Strata => STRATA_HART,
            Self::Chunks => CHUNKS_HART,
        }
    }

    /// What records with this hart byte are about, if they are about the order at all.
    pub fn of_hart(hart: u8) -> Option<Self> {
        match hart {
            STRATA_HART => Some(Self::Strata),
            CHUNKS_HART => Some(Self::Chunks),
            _ => None,
        }
    }
}

/// One element of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderElement {
    /// Accesses of each hart since the stratum before; 0 for harts that there are not.
    Stratum([u16; MAX_HARTS]),
    /// Instructions of one hart.
    Chunk {
        /// Which hart.
        hart: u8,
        /// How many, not 0.
        size: u32,
    },
    /// Somebody else than the harts wrote to the block that begins at this address.
    External(u32),
}

/// A record of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRecord {
    /// What it is about.
    pub kind: OrderKind,
    /// Its number among those of its kind.
    pub index: u32,
    /// Retirements of each hart before its first element, the low 32 bits; one for each hart.
    pub retired: Vec<u32>,
    /// Its elements, still encoded.
    pub elements: Vec<u8>,
    /// Why it ended.
    pub reason: EndReason,
}

/// Bits that a hart's number takes in a chunk.
pub fn hart_bits(harts: usize) -> u32 {
    usize::BITS - harts.saturating_sub(1).leading_zeros()
}

impl OrderRecord {
    /// Bytes that it takes.
    pub fn len_bytes(&self) -> usize {
        FIXED_LEN + 4 * self.retired.len() + self.elements.len()
    }

    /// The bytes as the hardware sends them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len_bytes());
        out.push(match self.kind {
            OrderKind::Strata => KIND_STRATA,
            OrderKind::Chunks => KIND_CHUNKS,
        });
        out.push(self.retired.len() as u8);
        out.extend(self.index.to_le_bytes());
        out.extend(self.retired.iter().flat_map(|count| count.to_le_bytes()));
        out.extend(&self.elements);
        out.push(self.reason.code());
        out
    }

    /// Reads what the hardware sent, from its first to its last byte.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let short = |needed| Error::IntervalTooShort {
            len: bytes.len(),
            needed,
        };
        let kind = match bytes.first() {
            Some(&KIND_STRATA) => OrderKind::Strata,
            Some(&KIND_CHUNKS) => OrderKind::Chunks,
            Some(&other) => return Err(Error::UnknownRecord(other)),
            None => return Err(short(FIXED_LEN)),
        };
        let harts = usize::from(*bytes.get(1).ok_or_else(|| short(FIXED_LEN))?);
        if harts == 0 || harts > MAX_HARTS {
            return Err(Error::BadInterval {
                field: "number of harts in a record of the order",
                value: harts as u64,
            });
        }
        let fixed = FIXED_LEN + 4 * harts;
        if bytes.len() < fixed {
            return Err(short(fixed));
        }
        let word = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(word)
        };
        let last = bytes.len() - 1;
        Ok(Self {
            kind,
            index: word(2),
            retired: (0..harts).map(|hart| word(6 + 4 * hart)).collect(),
            elements: bytes[6 + 4 * harts..last].to_vec(),
            reason: EndReason::from_code(bytes[last])?,
        })
    }

    /// Its elements, up to the first that cannot be read.
    pub fn elements(&self) -> Elements<'_> {
        Elements {
            kind: self.kind,
            harts: self.retired.len(),
            bytes: &self.elements,
            at: 0,
            failed: false,
        }
    }
}

/// Appends an element as the recorder writes it.
pub fn put_element(out: &mut Vec<u8>, harts: usize, kind: OrderKind, element: OrderElement) {
    match element {
        OrderElement::Stratum(strides) => {
            for &stride in &strides[..harts.min(MAX_HARTS)] {
                put_number(out, stride.into());
            }
        }
        OrderElement::Chunk { hart, size } => {
            put_number(out, size << hart_bits(harts) | u32::from(hart));
        }
        OrderElement::External(address) => {
            put_number(
                out,
                if kind == OrderKind::Strata {
                    EXTERNAL_STRIDE
                } else {
                    0
                },
            );
            out.extend(address.to_le_bytes());
        }
    }
}

fn put_number(out: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the elements of a record.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    kind: OrderKind,
    harts: usize,
    bytes: &'a [u8],
    at: usize,
    failed: bool,
}

impl Elements<'_> {
    /// A number of at most three bytes' worth; anything longer is no recorder's.
    fn number(&mut self) -> Result<u32> {
        let start = self.at;
        let mut number = 0;
        for place in 0..3 {
            let byte = *self.bytes.get(self.at).ok_or_else(|| self.ends(start))?;
            self.at += 1;
            number |= u32::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return match byte == 0 && place > 0 {
                    true => Err(bad(start, "a number that is longer than it needs to be")),
                    false => Ok(number),
                };
            }
        }
        Err(bad(start, "a number of more than three bytes"))
    }

    fn ends(&self, start: usize) -> Error {
        bad(start, "an element of which the end is missing")
    }

    fn external(&mut self) -> Result<OrderElement> {
        let start = self.at;
        let bytes = self.bytes.get(start..start + 4);
        let bytes = bytes.ok_or_else(|| self.ends(start))?;
        let mut word = [0; 4];
        word.copy_from_slice(bytes);
        self.at += 4;
        Ok(OrderElement::External(u32::from_le_bytes(word)))
    }

    fn element(&mut self) -> Result<OrderElement> {
        let start = self.at;
        let first = self.number()?;
        if self.kind == OrderKind::Chunks {
            let (size, hart) = (first >> hart_bits(self.harts), self.hart_of(first));
            return match size {
                0 if first == 0 => self.external(),
                0 => Err(bad(start, "a chunk without instructions")),
                _ if hart >= self.harts => Err(bad(start, "a chunk of a hart that there is not")),
                _ => Ok(OrderElement::Chunk {
                    hart: hart as u8,
                    size,
                }),
            };
        }
        if first == EXTERNAL_STRIDE {
            return self.external();
        }
        let mut strides = [0; MAX_HARTS];
        let mut next = first;
        for (hart, stride) in strides.iter_mut().enumerate().take(self.harts) {
            if hart > 0 {
                next = self.number()?;
            }
            if next > MAX_STRIDE.into() {
                return Err(bad(start, "a stride that is larger than a counter can be"));
            }
            *stride = next as u16;
        }
        Ok(OrderElement::Stratum(strides))
    }

    fn hart_of(&self, first: u32) -> usize {
        (first & ((1 << hart_bits(self.harts)) - 1)) as usize
    }
}

fn bad(offset: usize, what: &'static str) -> Error {
    Error::BadElement {
        offset: offset as u64,
        what,
    }
}

impl Iterator for Elements<'_> {
    type Item = Result<OrderElement>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.at == self.bytes.len() {
            return None;
        }
        let element = self.element();
        self.failed = element.is_err();
        Some(element)
    }
}
