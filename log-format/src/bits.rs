//! Bit streams, least significant bit first.

use crate::{Error, Result};
use alloc::vec::Vec;

/// Appends fields of up to 32 bits to a byte vector.
#[derive(Debug, Clone, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    pending_bits: u32,
}

impl BitWriter {
    /// An empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the low `width` bits of `value` (at most 32).
    pub fn put(&mut self, value: u32, width: u32) {
        debug_assert!(width <= 32);
        let field = u64::from(value) & ((1u64 << width) - 1);
        self.pending |= field << self.pending_bits;
        self.pending_bits += width;
        while self.pending_bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
    }

    /// Bits written so far.
    pub fn len_bits(&self) -> u64 {
        self.bytes.len() as u64 * 8 + u64::from(self.pending_bits)
    }

    /// Fills the last byte with zero bits and gives the bytes away.
    pub fn finish(mut self) -> Vec<u8> {
        if self.pending_bits > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// Reads fields of up to 32 bits from bytes.
#[derive(Debug, Clone)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    position: u64,
}

impl<'a> BitReader<'a> {
    /// Starts at the first bit.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Bits read so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Bits that are left.
    pub fn remaining(&self) -> u64 {
        self.bytes.len() as u64 * 8 - self.position
    }

    /// Takes the next `width` bits (at most 32).
    #[inline]
    pub fn take(&mut self, width: u32) -> Result<u32> {
        debug_assert!(width <= 32);
        if self.remaining() < u64::from(width) {
            return Err(Error::EntriesEnd {
                bit: self.position,
                wanted: width,
            });
        }
        let first = (self.position / 8) as usize;
        let tail = &self.bytes[first..];
        let mut window = [0u8; 8];
        let have = tail.len().min(8);
        window[..have].copy_from_slice(&tail[..have]);
        let word = u64::from_le_bytes(window) >> (self.position % 8);
        self.position += u64::from(width);
        Ok((word & ((1u64 << width) - 1)) as u32)
    }
}
