//! Strata as bins of the arithmetic coder, written and read: sections 10.6 and 11.4 of the format.

use super::{bad, MAX_STRIDE};
use crate::{Error, Result};
use alloc::vec::Vec;

/// The context of the bin that tells a stratum from anything else.
pub const KIND: usize = 256;
/// The contexts of the bin that says whether the recorder hurries, by the one before it.
const HURRY: usize = 930;
const CONTEXTS: usize = 932;
/// What a context of [`HURRY`] starts with: recorders seldom hurry.
const SELDOM: Context = (64, 7);
/// Contexts of the bits below a stride's highest.
const BITS: usize = 128;
/// How many of those bits are learnt.
const LEARNT_BITS: u32 = 3;
/// The highest class of the strides of harts but the first.
const LAST_CLASS: usize = 7;
/// How far a probability moves, by how often its context was used.
const SHIFT: [u16; 8] = [1, 2, 2, 3, 3, 4, 4, 5];
/// Bytes behind the end that a reader has taken after the last bin.
const TAKEN_BEYOND: usize = 2;
const WHOLE: u32 = 0xff_ffff;
const ENDS: &str = "an element of which the end is missing";

/// What is known of the bins of one context: 4096ths of a 1, and how many there were.
type Context = (u16, u8);

fn learn(context: &mut Context, bin: bool) {
    let (probability, count) = context;
    let shift = SHIFT[usize::from(*count)];
    match bin {
        true => *probability += (4095 - *probability) >> shift,
        false => *probability -= *probability >> shift,
    }
    *count = (*count + 1).min(7);
}

fn bound(range: u32, probability: u16) -> u32 {
    ((range >> 12) * u32::from(probability >> 4)) << 4
}

fn empty_contexts() -> [Context; CONTEXTS] {
    let mut contexts = [(2048, 0); CONTEXTS];
    contexts[HURRY..].fill(SELDOM);
    contexts
}

/// The class of the next hart's stride, after one of so many bits.
fn class_after(bits: u32) -> usize {
    (bits as usize + 1).min(LAST_CLASS)
}

/// Writes the bins of a record.
#[derive(Debug, Clone)]
pub struct Encoder {
    contexts: [Context; CONTEXTS],
    hurried: bool,
    low: u32,
    range: u32,
    held: Option<u8>,
    /// Bytes 0xff behind the one held back, which a carry would make 0.
    waiting: usize,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Before the first bin.
    pub fn new() -> Self {
        Self {
            contexts: empty_contexts(),
            hurried: false,
            low: 0,
            range: WHOLE,
            held: None,
            waiting: 0,
            bytes: Vec::new(),
        }
    }

    /// A bin that is learnt from.
    pub fn bin(&mut self, context: usize, bin: bool) {
        let context = &mut self.contexts[context];
        let bound = bound(self.range, context.0);
        learn(context, bin);
        self.narrow(bound, bin);
    }

    /// A bin that is as likely 0 as 1.
    pub fn raw(&mut self, bin: bool) {
        self.narrow(bound(self.range, 2048), bin);
    }

    /// A whole byte.
    pub fn byte(&mut self, byte: u8) {
        let unit = self.range >> 12 << 4;
        self.low += unit * u32::from(byte);
        self.range = unit;
        self.renormalise();
    }

    /// Whether bytes of small strides follow.
    pub fn hurry(&mut self, bin: bool) {
        self.bin(HURRY + usize::from(self.hurried), bin);
        self.hurried = bin;
    }

    /// A stride; gives the class of the next.
    pub fn stride(&mut self, class: usize, stride: u16) -> usize {
        let number = u32::from(stride) + 1;
        let bits = number.ilog2();
        for place in 0..bits {
            self.bin(16 * class + place as usize, true);
        }
        self.bin(16 * class + bits as usize, false);
        let mut node = 1;
        for place in (0..bits).rev() {
            let bin = number >> place & 1;
            match bits - place <= LEARNT_BITS {
                true => self.bin(BITS + 8 * bits as usize + node, bin == 1),
                false => self.raw(bin == 1),
            }
            node = (2 * node + bin as usize) & 7;
        }
        class_after(bits)
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.low += 0xffff;
        self.put_out();
        self.bytes.extend(self.held);
        self.bytes.extend((0..self.waiting).map(|_| 0xff));
        self.bytes
    }

    fn narrow(&mut self, bound: u32, bin: bool) {
        if bin {
            self.range = bound;
        } else {
            self.low += bound;
            self.range -= bound;
        }
        self.renormalise();
    }

    fn renormalise(&mut self) {
        if self.range < 0x1_0000 {
            self.put_out();
            self.range <<= 8;
        }
    }

    fn put_out(&mut self) {
        let carry = (self.low >> 24) as u8;
        if self.low < 0xff_0000 || carry != 0 {
            let held = self.held.replace((self.low >> 16) as u8);
            self.bytes.extend(held.map(|byte| byte.wrapping_add(carry)));
            let settled = 0xffu8.wrapping_add(carry);
            self.bytes.extend((0..self.waiting).map(|_| settled));
            self.waiting = 0;
        } else {
            self.waiting += 1;
        }
        self.low = (self.low & 0xffff) << 8;
    }
}

/// Reads the bins of a record.
#[derive(Debug, Clone)]
pub struct Decoder<'a> {
    contexts: [Context; CONTEXTS],
    hurried: bool,
    bytes: &'a [u8],
    taken: usize,
    range: u32,
    code: u32,
}

impl<'a> Decoder<'a> {
    /// Before the first bin.
    pub fn new(bytes: &'a [u8]) -> Self {
        let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));
        Self {
            contexts: empty_contexts(),
            hurried: false,
            bytes,
            taken: 3,
            range: WHOLE,
            code: byte(0) << 16 | byte(1) << 8 | byte(2),
        }
    }

    /// A bin that is learnt from.
    pub fn bin(&mut self, context: usize) -> Result<bool> {
        let probability = self.contexts[context].0;
        let bin = self.narrow(bound(self.range, probability))?;
        learn(&mut self.contexts[context], bin);
        Ok(bin)
    }

    /// A bin that is as likely 0 as 1.
    pub fn raw(&mut self) -> Result<bool> {
        self.narrow(bound(self.range, 2048))
    }

    /// A whole byte.
    pub fn byte(&mut self) -> Result<u8> {
        let unit = self.range >> 12 << 4;
        let byte = u8::try_from(self.code / unit);
        let byte = byte.map_err(|_| bad(self.taken, "a byte that no recorder writes"))?;
        self.code -= u32::from(byte) * unit;
        self.range = unit;
        self.renormalise()?;
        Ok(byte)
    }

    /// Whether bytes of small strides follow.
    pub fn hurry(&mut self) -> Result<bool> {
        self.hurried = self.bin(HURRY + usize::from(self.hurried))?;
        Ok(self.hurried)
    }

    /// A stride, and the class of the next.
    pub fn stride(&mut self, class: usize) -> Result<(u16, usize)> {
        let too_large = "a stride that is larger than a counter can be";
        let mut bits = 0;
        while self.bin(16 * class + bits as usize)? {
            bits += 1;
            if bits > 15 {
                return Err(bad(self.taken, too_large));
            }
        }
        let mut number = 1u32;
        for place in 0..bits {
            let bin = match place < LEARNT_BITS {
                true => self.bin(BITS + 8 * bits as usize + (number as usize & 7))?,
                false => self.raw()?,
            };
            number = 2 * number + u32::from(bin);
        }
        match u16::try_from(number - 1) {
            Ok(stride) if stride <= MAX_STRIDE => Ok((stride, class_after(bits))),
            _ => Err(bad(self.taken, too_large)),
        }
    }

    /// Something that no recorder writes was just read.
    pub fn refuse(&self, what: &'static str) -> Error {
        bad(self.taken, what)
    }

    /// Whether the bytes end where the last bin does: the recorder ends with the smallest number that
    /// will do.
    pub fn end(&self) -> Result<()> {
        match self.taken == self.bytes.len() + TAKEN_BEYOND && self.code < 0x1_0000 {
            true => Ok(()),
            false => Err(bad(self.taken, "something behind the last element")),
        }
    }

    fn narrow(&mut self, bound: u32) -> Result<bool> {
        let bin = self.code < bound;
        if bin {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
            // Only a number that is too large from the start is outside.
            if self.code >= self.range {
                return Err(bad(self.taken, "a number that no recorder writes"));
            }
        }
        self.renormalise()?;
        Ok(bin)
    }

    fn renormalise(&mut self) -> Result<()> {
        if self.range < 0x1_0000 {
            let byte = match self.bytes.get(self.taken) {
                Some(&byte) => byte,
                None if self.taken < self.bytes.len() + TAKEN_BEYOND => 0,
                None => return Err(bad(self.taken, ENDS)),
            };
            self.taken += 1;
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(byte);
        }
        Ok(())
    }
}
