//! CRCs of any stretch of a file, each in nearly constant time.
//!
//! Behind damage every byte may begin a chunk, and a chunk may claim to reach to the end of the
//! file. Summing each candidate anew would take quadratic time, which a crafted file could turn
//! into hours. A CRC is linear: the sum of `a..b` follows from the sums of `0..a` and `0..b`, so
//! one pass over the file is enough for all candidates.

use crate::CRC;
use std::ops::Range;

/// A sum is kept for every so many bytes: small enough to be near, large enough to cost no memory.
const STRIDE: usize = 64;
/// The polynomial of [`CRC`], reflected: bit 31 stands for x^0.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// The register before the first byte, and what is added after the last.
const ONES: u32 = u32::MAX;
/// Lengths are taken apart into digits of eight bits.
const DIGITS: usize = std::mem::size_of::<u64>();

/// The sums of one file.
pub(super) struct Checks<'a> {
    bytes: &'a [u8],
    /// The register before every `STRIDE`th byte, if it was zero before the first one.
    registers: Vec<u32>,
    /// x^(8 · digit · 256^place), by place and digit.
    powers: Vec<[u32; 256]>,
}

impl<'a> Checks<'a> {
    /// Goes over the file once.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut registers = vec![0];
        let mut register = 0;
        for stride in bytes.chunks_exact(STRIDE) {
            register = feed(register, stride);
            registers.push(register);
        }
        Self {
            bytes,
            registers,
            powers: powers(),
        }
    }

    /// The CRC of a stretch that lies within the file.
    pub(super) fn crc(&self, range: Range<usize>) -> u32 {
        let start = self.register(range.start) ^ ONES;
        self.register(range.end) ^ self.shift(start, range.len() as u64) ^ ONES
    }

    fn register(&self, at: usize) -> u32 {
        let stride = at / STRIDE;
        feed(self.registers[stride], &self.bytes[stride * STRIDE..at])
    }

    /// The register after so many zero bytes.
    fn shift(&self, register: u32, bytes: u64) -> u32 {
        let digits = bytes.to_le_bytes().into_iter().zip(&self.powers);
        digits
            .filter(|&(digit, _)| digit != 0)
            .fold(register, |register, (digit, powers)| {
                multiply(register, powers[usize::from(digit)])
            })
    }
}

fn feed(register: u32, bytes: &[u8]) -> u32 {
    let mut digest = CRC.digest_with_initial(register.reverse_bits());
    digest.update(bytes);
    digest.finalize() ^ ONES
}

/// The product of two polynomials, modulo that of the CRC.
fn multiply(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..32).rev() {
        if a >> bit & 1 != 0 {
            product ^= b;
        }
        b = (b >> 1) ^ if b & 1 != 0 { POLYNOMIAL } else { 0 };
    }
    product
}

fn powers() -> Vec<[u32; 256]> {
    let mut byte = 1 << (31 - 8);
    let mut places = Vec::with_capacity(DIGITS);
    for _ in 0..DIGITS {
        let mut powers = [1 << 31; 256];
        for digit in 1..256 {
            powers[digit] = multiply(powers[digit - 1], byte);
        }
        byte = multiply(powers[255], byte);
        places.push(powers);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stretch_has_the_sum_that_it_would_have_alone() {
        for len in [0, 1, 63, 64, 65, 128, 300] {
            let bytes: Vec<u8> = (0..len).map(|n| (n * 37 % 251) as u8).collect();
            let checks = Checks::new(&bytes);
            for start in 0..=len {
                for end in start..=len {
                    let alone = CRC.checksum(&bytes[start..end]);
                    assert_eq!(checks.crc(start..end), alone, "{start}..{end} of {len}");
                }
            }
        }
        let long: Vec<u8> = (0..200_000_u32).map(|n| (n >> 3) as u8).collect();
        let checks = Checks::new(&long);
        for range in [0..200_000, 1..65_537, 77_777..199_999, 5..131_077] {
            assert_eq!(checks.crc(range.clone()), CRC.checksum(&long[range]));
        }
    }
}
