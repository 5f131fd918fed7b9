//! How a recorder finds out about the order: registers ORDER and ORDER_MODE of section 11.4.

use crate::{registers as reg, Error, Result};

/// What is logged of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct OrderMode {
    /// Strata.
    pub strata: bool,
    /// Chunks.
    pub chunks: bool,
}

impl OrderMode {
    /// From register ORDER_MODE.
    pub fn from_register(value: u32) -> Self {
        Self {
            strata: value & reg::ORDER_MODE_STRATA != 0,
            chunks: value & reg::ORDER_MODE_CHUNKS != 0,
        }
    }

    /// Register ORDER_MODE.
    pub fn register(self) -> u32 {
        let bit = |does: bool, bit: u32| if does { bit } else { 0 };
        bit(self.strata, reg::ORDER_MODE_STRATA) | bit(self.chunks, reg::ORDER_MODE_CHUNKS)
    }
}

/// Sizes of the hardware, and what it logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct OrderSettings {
    /// log2 of the bytes of a block.
    pub block_bits: u8,
    /// log2 of the blocks whose writer is known.
    pub tracked_bits: u8,
    /// log2 of the filter's places.
    pub filter_bits: u8,
    /// log2 of the bits of a chunk's signature.
    pub signature_bits: u8,
    /// The largest chunk has `2^chunk_bits - 1` instructions.
    pub chunk_bits: u8,
    /// What the hardware can log.
    pub has: OrderMode,
    /// What it does log.
    pub mode: OrderMode,
}

impl Default for OrderSettings {
    fn default() -> Self {
        let both = OrderMode {
            strata: true,
            chunks: true,
        };
        Self {
            block_bits: 4,
            tracked_bits: 8,
            filter_bits: 10,
            signature_bits: 10,
            chunk_bits: 16,
            has: both,
            mode: both,
        }
    }
}

impl OrderSettings {
    /// From registers ORDER and ORDER_MODE; `None` if there is nothing of the kind.
    pub fn from_registers(order: u32, mode: u32) -> Result<Option<Self>> {
        if order == 0 {
            return Ok(None);
        }
        let field = |at: u32, bits: u32| (order >> at & ((1 << bits) - 1)) as u8;
        let settings = Self {
            block_bits: field(0, 4),
            tracked_bits: field(4, 4),
            filter_bits: field(8, 4),
            signature_bits: field(12, 4),
            chunk_bits: field(16, 5),
            has: OrderMode::from_register(order >> 24),
            mode: OrderMode::from_register(mode),
        };
        settings.validate()?;
        Ok(Some(settings))
    }

    /// Register ORDER.
    pub fn register(&self) -> u32 {
        u32::from(self.block_bits)
            | u32::from(self.tracked_bits) << 4
            | u32::from(self.filter_bits) << 8
            | u32::from(self.signature_bits) << 12
            | u32::from(self.chunk_bits) << 16
            | self.has.register() << 24
    }

    /// Checks what the format asks of the values.
    pub fn validate(&self) -> Result<()> {
        let check = |field, value: u8, range: core::ops::RangeInclusive<u8>, rule| {
            let value_ok = range.contains(&value);
            let value = value.into();
            match value_ok {
                true => Ok(()),
                false => Err(Error::BadConfig { field, value, rule }),
            }
        };
        check("block_bits", self.block_bits, 2..=6, "it is 2 to 6")?;
        check("tracked_bits", self.tracked_bits, 0..=12, "it is 0 to 12")?;
        check("filter_bits", self.filter_bits, 4..=14, "it is 4 to 14")?;
        check(
            "signature_bits",
            self.signature_bits,
            4..=14,
            "it is 4 to 14",
        )?;
        check("chunk_bits", self.chunk_bits, 8..=16, "it is 8 to 16")
    }

    /// The block of an address.
    pub fn block(&self, addr: u32) -> u32 {
        addr >> self.block_bits
    }
}
