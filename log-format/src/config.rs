//! What the reader of a log must know of the recorder that wrote it.

mod compact;

pub use compact::{Coder, Compact, TagKind};

use crate::order::OrderSettings;
use crate::trigger::TriggerSettings;
use crate::{registers as reg, Error, Result, FORMAT_VERSION};
use alloc::vec::Vec;

/// The entry format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
#[cfg_attr(feature = "std", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Codec {
    /// The format that the BugNet paper describes.
    Bugnet,
    /// Implicit positions and an adaptive coder: section 10.
    Compact(Compact),
}

/// Sizes and settings of a recorder, as its registers tell them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct RecorderConfig {
    /// Entry format.
    pub codec: Codec,
    /// Harts that are recorded.
    pub harts: u8,
    /// log2 of the first-load tags' sets.
    pub tag_set_bits: u8,
    /// Ways of the first-load tags: 1 or 2.
    pub tag_ways: u8,
    /// Words a line of the first-load tags.
    pub tag_words: u8,
    /// Bits of the epoch number in each line.
    pub epoch_bits: u8,
    /// What the first-load tags of codec `bugnet` keep; codec `compact` has its own.
    pub tag_kind: TagKind,
    /// log2 of the dictionary's entries.
    pub dict_bits: u8,
    /// log2 of the bitmap of written code blocks.
    pub dirty_bits: u8,
    /// log2 of the ring's bytes.
    pub ring_bits: u8,
    /// log2 of the event FIFO's entries.
    pub fifo_bits: u8,
    /// Clock in Hz.
    pub clock_hz: u32,
    /// Memory region: `addr & mem_mask == mem_base`.
    pub mem_base: u32,
    /// Memory region: `addr & mem_mask == mem_base`.
    pub mem_mask: u32,
    /// The core is the user's: opaque instructions are logged, and its port is checked.
    pub attached: bool,
    /// Compressed instructions are recorded; recorders of attached cores once could not do it.
    pub compressed: bool,
    /// Policy bits, see [`reg::CONTROL`].
    pub control: u32,
    /// Instructions an interval.
    pub interval: u32,
    /// Width of a full L-count and of a position.
    pub count_bits: u8,
    /// First address of the image window.
    pub image_lo: u32,
    /// First address after the image window.
    pub image_hi: u32,
    /// Instructions recorded after a trigger.
    pub post_trigger: u32,
    /// What fires a trigger, besides traps.
    pub trigger: TriggerSettings,
    /// How the order across harts is logged; `None` where it is not.
    pub order: Option<OrderSettings>,
}

/// The registers that make a configuration, in the order in which they are stored.
pub const CONFIG_REGISTERS: [u8; 14] = [
    reg::ID,
    reg::VERSION,
    reg::TAGS,
    reg::SIZES,
    reg::CLOCK,
    reg::MEM_BASE,
    reg::MEM_MASK,
    reg::PORT,
    reg::INTERVAL,
    reg::COUNT_BITS,
    reg::IMAGE_LO,
    reg::IMAGE_HI,
    reg::POST_TRIGGER,
    reg::CONTROL,
];

/// The registers that are part of a configuration with codec `compact` only; COMPACT also where
/// tags of codec `bugnet` keep words.
pub const COMPACT_REGISTERS: [u8; 2] = [reg::COMPACT, reg::KEY];

/// The registers that are part of a configuration only where the order across harts can be logged.
pub const ORDER_REGISTERS: [u8; 2] = [reg::ORDER, reg::ORDER_MODE];

/// The registers that are part of a configuration only where TRIGGER is not 0.
pub const TRIGGER_REGISTERS: [u8; 3] = [reg::TRIGGER, reg::TRIGGER_LO, reg::TRIGGER_HI];

/// The smallest `count_bits` that fits an interval length.
pub const fn count_bits_for(interval: u32) -> u8 {
    let bits = 32 - interval.leading_zeros() as u8;
    if bits < 5 {
        5
    } else {
        bits
    }
}

fn byte(word: u32, index: u32) -> u8 {
    (word >> (8 * index)) as u8
}

fn check(field: &'static str, value: u64, ok: bool, rule: &'static str) -> Result<()> {
    if ok {
        Ok(())
    } else {
        Err(Error::BadConfig { field, value, rule })
    }
}

impl RecorderConfig {
    /// Reads a configuration through `read`, which gives a register's value or `None`.
    pub fn from_registers(read: impl Fn(u8) -> Option<u32>) -> Result<Self> {
        let get = |number| read(number).ok_or(Error::MissingRegister(number));
        let id = get(reg::ID)?;
        check(
            "ID",
            id.into(),
            id == reg::ID_VALUE,
            "a Lookback recorder says \"LOOK\"",
        )?;
        let version = get(reg::VERSION)?;
        let found = version as u16;
        if found > FORMAT_VERSION {
            return Err(Error::NewerVersion {
                found,
                known: FORMAT_VERSION,
            });
        }
        check("version", found.into(), found > 0, "versions start at 1")?;
        let mut tag_kind = TagKind::Bits;
        let codec = match byte(version, 2) {
            1 => {
                // Recorders that were made before there was this register have masks alone.
                tag_kind = TagKind::of_bugnet(read(reg::COMPACT).unwrap_or(0))?;
                Codec::Bugnet
            }
            2 => Codec::Compact(Compact::from_registers(get(reg::COMPACT)?, get(reg::KEY)?)?),
            other => return Err(Error::UnknownCodec(other)),
        };
        let (tags, sizes) = (get(reg::TAGS)?, get(reg::SIZES)?);
        // Recorders that were made before there was this register have no such port.
        let port = read(reg::PORT).unwrap_or(0);
        let config = Self {
            codec,
            harts: byte(version, 3),
            tag_set_bits: byte(tags, 0),
            tag_ways: byte(tags, 1),
            tag_words: byte(tags, 2),
            epoch_bits: byte(tags, 3),
            tag_kind,
            dict_bits: byte(sizes, 0),
            dirty_bits: byte(sizes, 1),
            ring_bits: byte(sizes, 2),
            fifo_bits: byte(sizes, 3),
            clock_hz: get(reg::CLOCK)?,
            mem_base: get(reg::MEM_BASE)?,
            mem_mask: get(reg::MEM_MASK)?,
            attached: port & reg::PORT_ATTACHED != 0,
            compressed: port & reg::PORT_ATTACHED != 0 && port & reg::PORT_COMPRESSED != 0,
            control: get(reg::CONTROL)?,
            interval: get(reg::INTERVAL)?,
            count_bits: get(reg::COUNT_BITS)?.min(255) as u8,
            image_lo: get(reg::IMAGE_LO)?,
            image_hi: get(reg::IMAGE_HI)?,
            post_trigger: get(reg::POST_TRIGGER)?,
            trigger: TriggerSettings {
                kinds: read(reg::TRIGGER).unwrap_or(0) & !reg::TRIGGER_NOW,
                lo: read(reg::TRIGGER_LO).unwrap_or(0),
                hi: read(reg::TRIGGER_HI).unwrap_or(0),
            },
            order: OrderSettings::from_registers(
                read(reg::ORDER).unwrap_or(0),
                read(reg::ORDER_MODE).unwrap_or(0),
            )?,
        };
        config.validate()?;
        Ok(config)
    }

    /// Checks what the format asks of the values.
    pub fn validate(&self) -> Result<()> {
        check(
            "harts",
            self.harts.into(),
            (1..=8).contains(&self.harts),
            "there are 1 to 8",
        )?;
        check(
            "tag sets",
            self.tag_set_bits.into(),
            self.tag_set_bits <= 20,
            "log2 of the sets is at most 20",
        )?;
        check(
            "tag ways",
            self.tag_ways.into(),
            matches!(self.tag_ways, 1 | 2),
            "there are 1 or 2",
        )?;
        check(
            "tag words",
            self.tag_words.into(),
            self.tag_words.is_power_of_two() && self.tag_words <= 64,
            "a line has 1, 2, 4, … 64 words",
        )?;
        check(
            "epoch bits",
            self.epoch_bits.into(),
            (1..=32).contains(&self.epoch_bits),
            "there are 1 to 32",
        )?;
        check(
            "dictionary",
            self.dict_bits.into(),
            (1..=10).contains(&self.dict_bits),
            "log2 of its entries is 1 to 10",
        )?;
        check(
            "dirty bits",
            self.dirty_bits.into(),
            self.dirty_bits <= 20,
            "log2 of the bitmap is at most 20",
        )?;
        check(
            "COUNT_BITS",
            self.count_bits.into(),
            (5..=24).contains(&self.count_bits),
            "it is 5 to 24",
        )?;
        check(
            "INTERVAL",
            self.interval.into(),
            self.interval >= 64 && self.interval < 1 << self.count_bits,
            "it is at least 64 and fits COUNT_BITS",
        )?;
        if let Codec::Compact(compact) = &self.codec {
            compact.validate(self)?;
        }
        check(
            "IMAGE_LO",
            self.image_lo.into(),
            self.image_lo % 64 == 0 && self.image_hi % 64 == 0,
            "the window's ends are multiples of 64",
        )
    }

    /// The value of a configuration register, `None` for any other register.
    pub fn register(&self, number: u8) -> Option<u32> {
        let word = |bytes: [u8; 4]| u32::from_le_bytes(bytes);
        let [v0, v1] = FORMAT_VERSION.to_le_bytes();
        let (codec, compact) = match &self.codec {
            Codec::Bugnet => (1, None),
            Codec::Compact(compact) => (2, Some(compact)),
        };
        Some(match number {
            reg::ID => reg::ID_VALUE,
            reg::VERSION => word([v0, v1, codec, self.harts]),
            reg::TAGS => word([
                self.tag_set_bits,
                self.tag_ways,
                self.tag_words,
                self.epoch_bits,
            ]),
            reg::SIZES => word([
                self.dict_bits,
                self.dirty_bits,
                self.ring_bits,
                self.fifo_bits,
            ]),
            reg::CLOCK => self.clock_hz,
            reg::MEM_BASE => self.mem_base,
            reg::MEM_MASK => self.mem_mask,
            reg::PORT => {
                let attached = u32::from(self.attached) * reg::PORT_ATTACHED;
                let compressed = u32::from(self.compressed) * reg::PORT_COMPRESSED;
                attached | compressed
            }
            reg::CONTROL => self.control,
            reg::INTERVAL => self.interval,
            reg::COUNT_BITS => self.count_bits.into(),
            reg::IMAGE_LO => self.image_lo,
            reg::IMAGE_HI => self.image_hi,
            reg::POST_TRIGGER => self.post_trigger,
            reg::COMPACT => match compact {
                Some(compact) => compact.register(),
                None => Some(self.tag_kind.register()).filter(|&kind| kind != 0)?,
            },
            reg::KEY => compact?.key.into(),
            reg::TRIGGER => Some(self.trigger.kinds).filter(|&kinds| kinds != 0)?,
            reg::TRIGGER_LO => Some(self.trigger.lo).filter(|_| self.trigger.kinds != 0)?,
            reg::TRIGGER_HI => Some(self.trigger.hi).filter(|_| self.trigger.kinds != 0)?,
            reg::ORDER => self.order?.register(),
            reg::ORDER_MODE => self.order?.mode.register(),
            _ => return None,
        })
    }

    /// The payload of a CONFIG chunk.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(CONFIG_REGISTERS.len() * 5);
        for number in CONFIG_REGISTERS
            .into_iter()
            .chain(COMPACT_REGISTERS)
            .chain(ORDER_REGISTERS)
            .chain(TRIGGER_REGISTERS)
        {
            if let Some(value) = self.register(number) {
                bytes.push(number);
                bytes.extend(value.to_le_bytes());
            }
        }
        bytes
    }

    /// Reads the payload of a CONFIG chunk; unknown registers are skipped.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_registers(|number| {
            bytes
                .chunks_exact(5)
                .find(|pair| pair[0] == number)
                .map(|pair| u32::from_le_bytes([pair[1], pair[2], pair[3], pair[4]]))
        })
    }

    /// What codec `compact` adds; `None` with another codec.
    pub fn compact(&self) -> Option<&Compact> {
        match &self.codec {
            Codec::Compact(compact) => Some(compact),
            Codec::Bugnet => None,
        }
    }

    /// Whether the log has the results of multiplications and divisions, to be compared.
    pub fn logs_results(&self) -> bool {
        self.attached && self.control & reg::CONTROL_LOG_RESULTS != 0
    }

    /// Whether an address is memory, which a recorder tracks; anything else is a device.
    pub fn is_memory(&self, addr: u32) -> bool {
        addr & self.mem_mask == self.mem_base
    }
}
