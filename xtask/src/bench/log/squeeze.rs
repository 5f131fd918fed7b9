//! zstd as a yardstick: what a general compressor makes of some bytes.

use anyhow::Result;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;

/// The level that is asked for.
const LEVEL: i32 = 19;

/// Compresses pieces one by one, each so that it can be read by itself.
pub struct Squeezer {
    compressor: Compressor<'static>,
    bits: u64,
}

impl Squeezer {
    /// Without what frames carry besides their contents.
    pub fn new() -> Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.set_parameter(CParameter::ContentSizeFlag(false))?;
        compressor.set_parameter(CParameter::ChecksumFlag(false))?;
        Ok(Self {
            compressor,
            bits: 0,
        })
    }

    /// One more piece; returns the bits that it takes. What does not get smaller counts as it is.
    pub fn add(&mut self, bytes: &[u8]) -> Result<u64> {
        let compressed = self.compressor.compress(bytes)?.len();
        let bits = 8 * compressed.min(bytes.len()) as u64;
        self.bits += bits;
        Ok(bits)
    }

    /// Bits of all pieces so far.
    pub fn bits(&self) -> u64 {
        self.bits
    }
}
