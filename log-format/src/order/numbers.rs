//! Numbers of seven bits a byte, the lowest first: section 11.4 of the format.

use super::bad;
use crate::Result;
use alloc::vec::Vec;

/// Appends a number.
pub fn put_number(out: &mut Vec<u8>, mut number: u32) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads numbers one after the other.
#[derive(Debug, Clone)]
pub struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    /// From the first byte on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes that were read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// A number of so many bytes at most; anything longer is no recorder's.
    pub fn next(&mut self, most: u32) -> Result<u32> {
        let start = self.at;
        let mut number = 0u64;
        for place in 0..most {
            let byte = self.bytes.get(self.at);
            let byte = *byte.ok_or_else(|| bad(start, "an element of which the end is missing"))?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return match (byte == 0 && place > 0, u32::try_from(number)) {
                    (true, _) => Err(bad(start, "a number that is longer than it needs to be")),
                    (_, Err(_)) => Err(bad(start, "a number of more than 32 bits")),
                    (_, Ok(number)) => Ok(number),
                };
            }
        }
        Err(bad(start, "a number that is too long"))
    }
}
