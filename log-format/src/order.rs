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

/// Strata of recorders that never hurry: read, no longer written.
pub(crate) const KIND_CALM_STRATA: u8 = 4;
pub(crate) const KIND_CHUNKS: u8 = 5;
pub(crate) const KIND_STRATA: u8 = 6;

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

/// How a recorder wrote a stratum, which is its own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// In bins.
    Calm,
    /// As a byte, the first of a run.
    Hurries,
    /// As a byte that follows another.
    GoesOn,
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
    /// Strata of a recorder that never hurries, as they were once written.
    pub never_hurries: bool,
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
            OrderKind::Strata if self.never_hurries => KIND_CALM_STRATA,
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
            KIND_STRATA | KIND_CALM_STRATA => OrderKind::Strata,
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
            never_hurries: first & 0xf == KIND_CALM_STRATA,
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
            may_hurry: !self.never_hurries,
            pace: Pace::Calm,
            count: 0,
        }
    }

    /// How each element is written, up to the first that cannot be read.
    pub fn paces(&self) -> Vec<Pace> {
        let mut elements = self.elements();
        let mut paces = Vec::new();
        while let Some(Ok(_)) = elements.next() {
            paces.push(elements.pace);
        }
        paces
    }

    /// The same record, its elements written at the paces of another. Where it differs otherwise, it
    /// still does.
    pub fn at_paces_of(&self, other: &Self) -> Self {
        let elements: Result<Vec<_>> = self.elements().collect();
        let mut same = self.clone();
        if let (Ok(elements), OrderKind::Strata) = (elements, self.kind) {
            same.elements = encode_paced(self.retired.len(), &elements, &other.paces());
            same.never_hurries = false;
        }
        same
    }
}

/// The bytes of elements as a recorder writes them that never hurries.
pub fn encode(harts: usize, kind: OrderKind, elements: &[OrderElement]) -> Vec<u8> {
    match kind {
        OrderKind::Strata => encode_paced(harts, elements, &[]),
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

/// The bytes of strata and external writes, written at these paces; calmly where there are none, and
/// where a stratum does not fit a byte.
pub fn encode_paced(harts: usize, elements: &[OrderElement], paces: &[Pace]) -> Vec<u8> {
    let mut coder = Encoder::new();
    let mut runs = false;
    for (place, &element) in elements.iter().enumerate() {
        let pace = paces.get(place).copied().unwrap_or(Pace::Calm);
        let byte = short(harts, element).filter(|_| pace != Pace::Calm);
        if runs && (byte.is_none() || pace == Pace::Hurries) {
            coder.byte(0);
            runs = false;
        }
        match byte {
            Some(byte) => {
                if !runs {
                    coder.bin(KIND, false);
                    coder.hurry(true);
                }
                coder.byte(byte);
                runs = true;
            }
            None => put_coded(&mut coder, harts, element),
        }
    }
    if runs {
        coder.byte(0);
    }
    coder.bin(KIND, true);
    coder.raw(true);
    coder.finish()
}

/// Bits of a stride in the byte of a stratum, if so many harts fit.
fn short_bits(harts: usize) -> u32 {
    match harts {
        0..=4 => 2,
        _ => 1,
    }
}

/// A stratum as a byte, unless it is 0 or does not fit.
fn short(harts: usize, element: OrderElement) -> Option<u8> {
    let OrderElement::Stratum(strides) = element else {
        return None;
    };
    let bits = short_bits(harts);
    let mut byte = 0u32;
    for (hart, &stride) in strides.iter().take(harts.min(MAX_HARTS)).enumerate() {
        if stride >> bits != 0 {
            return None;
        }
        byte |= u32::from(stride) << (bits * hart as u32);
    }
    (byte != 0).then_some(byte as u8)
}

/// The stratum of a byte, if it is one.
fn long(harts: usize, byte: u8) -> Option<[u16; MAX_HARTS]> {
    let bits = short_bits(harts);
    let mut rest = u16::from(byte);
    let mut strides = [0; MAX_HARTS];
    for stride in strides.iter_mut().take(harts) {
        *stride = rest & ((1 << bits) - 1);
        rest >>= bits;
    }
    (rest == 0).then_some(strides)
}

fn put_coded(coder: &mut Encoder, harts: usize, element: OrderElement) {
    match element {
        OrderElement::Stratum(strides) => {
            coder.bin(KIND, false);
            coder.hurry(false);
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
    may_hurry: bool,
    /// Of the element before.
    pace: Pace,
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
            Some(Coded::Strata(coder)) => {
                if self.pace != Pace::Calm {
                    match coder.byte()? {
                        0 => self.pace = Pace::Calm,
                        byte => {
                            self.pace = Pace::GoesOn;
                            return hurried(coder, self.harts, byte);
                        }
                    }
                }
                if coder.bin(KIND)? {
                    external_or_end(coder)
                } else if self.may_hurry && coder.hurry()? {
                    self.pace = Pace::Hurries;
                    let byte = coder.byte()?;
                    hurried(coder, self.harts, byte)
                } else {
                    stratum(coder, self.harts).map(Some)
                }
            }
            Some(Coded::Chunks(numbers)) if numbers.rest().is_empty() => Ok(None),
            Some(Coded::Chunks(numbers)) => chunk(numbers, self.harts).map(Some),
        }
    }
}

fn stratum(coder: &mut Decoder<'_>, harts: usize) -> Result<OrderElement> {
    let mut strides = [0; MAX_HARTS];
    let mut class = 0;
    for stride in strides.iter_mut().take(harts) {
        (*stride, class) = coder.stride(class)?;
    }
    Ok(OrderElement::Stratum(strides))
}

fn hurried(coder: &Decoder<'_>, harts: usize, byte: u8) -> Result<Option<OrderElement>> {
    match long(harts, byte) {
        Some(strides) if byte != 0 => Ok(Some(OrderElement::Stratum(strides))),
        _ => Err(coder.refuse("a byte of strides that no recorder writes")),
    }
}

fn external_or_end(coder: &mut Decoder<'_>) -> Result<Option<OrderElement>> {
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
