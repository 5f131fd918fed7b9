//! Records of the order across harts, strata and chunks: section 11.4 of the format.

mod coder;
mod numbers;
mod settings;

pub use settings::{OrderMode, OrderSettings};

use crate::interval::EndReason;
use crate::{Error, Result};
use alloc::boxed::Box;
use alloc::vec::Vec;
use coder::{Decoder, Encoder, KIND};
use numbers::{put_number, Numbers};

/// The hart byte of records of strata.
pub const STRATA_HART: u8 = 0xff;
/// The hart byte of records of chunks.
pub const CHUNKS_HART: u8 = 0xfe;
/// Harts that a recorder has at most.
pub const MAX_HARTS: usize = 8;
/// The largest stride of a stratum; a hart that has made so many accesses takes one.
pub const MAX_STRIDE: u16 = 65534;
/// Elements after which a record is closed.
pub const MAX_ELEMENTS: usize = 1024;
/// Ends of intervals after which a record is closed.
pub const MAX_INTERVAL_ENDS: u8 = 8;

/// Elements beyond [`MAX_ELEMENTS`] that one event and the closing add at most.
const MOST_AT_ONCE: usize = 4 * MAX_HARTS;

pub(crate) const KIND_STRATA: u8 = 4;
pub(crate) const KIND_CHUNKS: u8 = 5;

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
    /// Somebody else than the harts wrote to the block with this number.
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
        self.to_bytes().len()
    }

    /// The bytes as the hardware sends them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(16 + self.elements.len());
        let kind = match self.kind {
            OrderKind::Strata => KIND_STRATA,
            OrderKind::Chunks => KIND_CHUNKS,
        };
        out.push(kind | (self.retired.len() as u8) << 4);
        put_number(&mut out, self.index);
        for &count in &self.retired {
            put_number(&mut out, count);
        }
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
        let (&first, rest) = bytes.split_first().ok_or_else(|| short(1))?;
        let kind = match first & 0xf {
            KIND_STRATA => OrderKind::Strata,
            KIND_CHUNKS => OrderKind::Chunks,
            _ => return Err(Error::UnknownRecord(first)),
        };
        let harts = usize::from(first >> 4);
        if harts == 0 || harts > MAX_HARTS {
            return Err(Error::BadInterval {
                field: "number of harts in a record of the order",
                value: harts as u64,
            });
        }
        let (&reason, rest) = rest.split_last().ok_or_else(|| short(3 + harts))?;
        let mut numbers = Numbers::new(rest);
        let index = numbers.next(5)?;
        let retired: Result<_> = (0..harts).map(|_| numbers.next(5)).collect();
        Ok(Self {
            kind,
            index,
            retired: retired?,
            elements: numbers.rest().to_vec(),
            reason: EndReason::from_code(reason)?,
        })
    }

    /// Its elements, up to the first that cannot be read.
    pub fn elements(&self) -> Elements<'_> {
        let coded = match self.kind {
            OrderKind::Strata => Coded::Strata(Box::new(Decoder::new(&self.elements))),
            OrderKind::Chunks => Coded::Chunks(Numbers::new(&self.elements)),
        };
        Elements {
            harts: self.retired.len(),
            coded: Some(coded),
            count: 0,
        }
    }
}

/// The bytes of elements as the recorder writes them.
pub fn encode(harts: usize, kind: OrderKind, elements: &[OrderElement]) -> Vec<u8> {
    match kind {
        OrderKind::Strata => {
            let mut coder = Encoder::new();
            elements
                .iter()
                .for_each(|&element| put_coded(&mut coder, harts, element));
            coder.bin(KIND, true);
            coder.raw(true);
            coder.finish()
        }
        OrderKind::Chunks => {
            let mut out = Vec::new();
            for &element in elements {
                match element {
                    OrderElement::Chunk { hart, size } => {
                        put_number(&mut out, size << hart_bits(harts) | u32::from(hart));
                    }
                    OrderElement::External(block) => {
                        put_number(&mut out, 0);
                        put_number(&mut out, block);
                    }
                    OrderElement::Stratum(_) => {}
                }
            }
            out
        }
    }
}

fn put_coded(coder: &mut Encoder, harts: usize, element: OrderElement) {
    match element {
        OrderElement::Stratum(strides) => {
            coder.bin(KIND, false);
            let mut class = 0;
            for &stride in &strides[..harts.min(MAX_HARTS)] {
                class = coder.stride(class, stride);
            }
        }
        OrderElement::External(block) => {
            coder.bin(KIND, true);
            coder.raw(false);
            let mut bytes = Vec::new();
            put_number(&mut bytes, block);
            bytes.into_iter().for_each(|byte| coder.byte(byte));
        }
        OrderElement::Chunk { .. } => {}
    }
}

/// Reads the elements of a record.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    harts: usize,
    /// Nothing behind the last element, or one that cannot be read.
    coded: Option<Coded<'a>>,
    count: usize,
}

#[derive(Debug, Clone)]
enum Coded<'a> {
    Strata(Box<Decoder<'a>>),
    Chunks(Numbers<'a>),
}

impl Elements<'_> {
    fn element(&mut self) -> Result<Option<OrderElement>> {
        match &mut self.coded {
            None => Ok(None),
            Some(Coded::Strata(coder)) => stratum(coder, self.harts),
            Some(Coded::Chunks(numbers)) if numbers.rest().is_empty() => Ok(None),
            Some(Coded::Chunks(numbers)) => chunk(numbers, self.harts).map(Some),
        }
    }
}

fn stratum(coder: &mut Decoder<'_>, harts: usize) -> Result<Option<OrderElement>> {
    if !coder.bin(KIND)? {
        let mut strides = [0; MAX_HARTS];
        let mut class = 0;
        for stride in strides.iter_mut().take(harts) {
            (*stride, class) = coder.stride(class)?;
        }
        return Ok(Some(OrderElement::Stratum(strides)));
    }
    if coder.raw()? {
        return coder.end().map(|()| None);
    }
    let mut bytes = Vec::new();
    loop {
        let byte = coder.byte()?;
        bytes.push(byte);
        if byte & 0x80 == 0 || bytes.len() > 5 {
            let block = Numbers::new(&bytes).next(5)?;
            return Ok(Some(OrderElement::External(block)));
        }
    }
}

fn chunk(numbers: &mut Numbers<'_>, harts: usize) -> Result<OrderElement> {
    let start = numbers.at();
    let first = numbers.next(3)?;
    if first == 0 {
        return numbers.next(5).map(OrderElement::External);
    }
    let (size, hart) = (
        first >> hart_bits(harts),
        (first & ((1 << hart_bits(harts)) - 1)) as usize,
    );
    match size {
        0 => Err(bad(start, "a chunk without instructions")),
        _ if hart >= harts => Err(bad(start, "a chunk of a hart that there is not")),
        _ => Ok(OrderElement::Chunk {
            hart: hart as u8,
            size,
        }),
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
        let element = match self.element() {
            Ok(_) if self.count >= MAX_ELEMENTS + MOST_AT_ONCE && self.coded.is_some() => {
                Err(bad(0, "more elements than a record can have"))
            }
            Ok(None) => {
                self.coded = None;
                return None;
            }
            Ok(Some(element)) => Ok(element),
            Err(error) => Err(error),
        };
        self.count += 1;
        if element.is_err() {
            self.coded = None;
        }
        Some(element)
    }
}
