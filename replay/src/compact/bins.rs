//! From bytes to bins: the plain and the arithmetic coder, read. Section 10.6 of the format.

use crate::What;
use lookback_log_format::config::Coder;

const CONTEXTS: usize = 1024;
/// Every context's number is cut to this, so that no bounds have to be checked.
const ANY: usize = CONTEXTS - 1;
const SHIFT: [u8; 8] = [1, 2, 2, 3, 3, 4, 4, 5];
/// Contexts of the kind bin.
pub const KIND: usize = 928;
/// Contexts of the hurry bin.
pub const HURRY: usize = 930;
/// Bytes behind the end that a reader of the arithmetic coder has taken after the last item.
const TAKEN_BEYOND: usize = 2;

/// A context: the probability of a 1 in the upper 12 bits, the count in the lower 3.
type Context = u16;

const fn context(probability: u16, count: u16) -> Context {
    probability << 3 | count
}

fn empty_contexts() -> Box<[Context; CONTEXTS]> {
    let mut contexts = Box::new([context(2048, 0); CONTEXTS]);
    contexts[KIND..KIND + 2].fill(context(256, 2));
    contexts[HURRY..HURRY + 2].fill(context(64, 7));
    contexts
}

/// Reads the bins of an interval.
#[derive(Debug, Clone)]
pub struct Bins<'a> {
    coder: Coder,
    contexts: Box<[Context; CONTEXTS]>,
    bytes: &'a [u8],
    /// Bytes taken by the arithmetic coder, bits by the plain one.
    taken: usize,
    range: u32,
    code: u32,
}

impl<'a> Bins<'a> {
    /// A reader without an interval.
    pub fn new(coder: Coder) -> Self {
        Self {
            coder,
            contexts: empty_contexts(),
            bytes: &[],
            taken: 0,
            range: 0xff_ffff,
            code: 0,
        }
    }

    /// Forgets what was learnt.
    pub fn forget(&mut self) {
        self.contexts = empty_contexts();
    }

    /// Starts at the first bin of an interval.
    pub fn start(&mut self, bytes: &'a [u8]) -> Result<(), What> {
        self.bytes = bytes;
        self.taken = 0;
        if self.coder == Coder::Plain {
            return Ok(());
        }
        (self.range, self.code) = (0xff_ffff, 0);
        for _ in 0..3 {
            self.code = self.code << 8 | self.next_byte()?;
        }
        if self.code >= self.range {
            return Err(What::BadCode);
        }
        Ok(())
    }

    /// Whether values may be hurried.
    pub fn can_hurry(&self) -> bool {
        self.coder == Coder::Arithmetic
    }

    /// Whether the bytes end where the last item does.
    pub fn is_at_end(&self) -> bool {
        match self.coder {
            // The recorder ends with the smallest number that will do.
            Coder::Arithmetic => {
                self.taken == self.bytes.len() + TAKEN_BEYOND && self.code < 0x1_0000
            }
            Coder::Plain => {
                let left = (self.bytes.len() * 8).checked_sub(self.taken);
                let filling = |left: usize| match self.bytes.last() {
                    Some(&last) if left > 0 => last >> (8 - left) == 0,
                    _ => true,
                };
                left.is_some_and(|left| left < 8 && filling(left))
            }
        }
    }

    /// A bin that is learnt from.
    #[inline]
    pub fn bin(&mut self, number: usize) -> Result<bool, What> {
        if self.coder == Coder::Plain {
            return self.bit();
        }
        let context = &mut self.contexts[number & ANY];
        let (probability, count) = (*context >> 3, *context & 7);
        let shift = SHIFT[usize::from(count)];
        let bound = ((self.range >> 12) * u32::from(probability >> 4)) << 4;
        let bin = self.code < bound;
        let probability = match bin {
            true => probability + ((4095 - probability) >> shift),
            false => probability - (probability >> shift),
        };
        *context = probability << 3 | (count + 1).min(7);
        self.narrow(bound, bin)
    }

    /// A bin that is as likely 0 as 1.
    pub fn raw(&mut self) -> Result<bool, What> {
        if self.coder == Coder::Plain {
            return self.bit();
        }
        let bound = ((self.range >> 12) * 128) << 4;
        self.narrow(bound, self.code < bound)
    }

    /// A number of `bits` bins, the most significant first.
    #[inline]
    pub fn tree(&mut self, base: usize, bits: u32) -> Result<u32, What> {
        let mut node = 1;
        for _ in 0..bits {
            node = 2 * node + usize::from(self.bin(base + node)?);
        }
        Ok(node as u32 - (1 << bits))
    }

    /// A whole byte at once; arithmetic coder only.
    pub fn byte(&mut self) -> Result<u32, What> {
        let unit = self.range >> 12 << 4;
        let byte = self.code / unit;
        if byte > 0xff {
            return Err(What::BadCode);
        }
        self.code -= byte * unit;
        self.range = unit;
        self.renormalise()?;
        Ok(byte)
    }

    fn bit(&mut self) -> Result<bool, What> {
        let byte = self.bytes.get(self.taken / 8).ok_or(What::LogEnds)?;
        let bit = byte >> (self.taken % 8) & 1 == 1;
        self.taken += 1;
        Ok(bit)
    }

    #[inline]
    fn narrow(&mut self, bound: u32, bin: bool) -> Result<bool, What> {
        if bin {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        self.renormalise()?;
        Ok(bin)
    }

    #[inline]
    fn renormalise(&mut self) -> Result<(), What> {
        if self.range < 0x1_0000 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next_byte()?;
        }
        Ok(())
    }

    fn next_byte(&mut self) -> Result<u32, What> {
        let byte = match self.bytes.get(self.taken) {
            Some(&byte) => byte,
            None if self.taken < self.bytes.len() + TAKEN_BEYOND => 0,
            None => return Err(What::LogEnds),
        };
        self.taken += 1;
        Ok(byte.into())
    }
}
