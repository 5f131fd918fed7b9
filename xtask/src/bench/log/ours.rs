//! Our own log, by the golden recorder: what the hardware sends.

use super::scheme::Scheme;
use super::squeeze::Squeezer;
use super::stream::Event;
use anyhow::Result;
use lookback_log_format::config::{count_bits_for, Codec, Coder, Compact, TagKind};
use lookback_log_format::interval::{EndReason, Record, HEADER_LEN};
use lookback_log_format::RecorderConfig;
use lookback_model::Recorder;

/// Codec `compact` as it is measured: every interval replays by itself, as the others do.
const COMPACT: Compact = Compact {
    tags: TagKind::Bits,
    row_words: 8,
    coder: Coder::Arithmetic,
    last_bits: 10,
    key: 1,
};

/// The recorder and what it has sent.
pub struct Ours {
    recorder: Recorder,
    squeezer: Squeezer,
    /// Bits of a header, where they are the same for all; otherwise they count at the end.
    header_bits: u64,
    /// Of finished intervals.
    closed_bits: u64,
    told_bits: u64,
}

impl Ours {
    /// Codec `bugnet` with the paper's tags, the first-load bits of a 16 KB cache with two ways and
    /// lines of 32 bytes, and its dictionary of 64 values.
    pub fn bugnet(recorded: &RecorderConfig, interval: u32) -> Result<Self> {
        let config = RecorderConfig {
            codec: Codec::Bugnet,
            tag_set_bits: 8,
            tag_ways: 2,
            tag_words: 8,
            dict_bits: 6,
            ..with_interval(recorded, interval)
        };
        Self::new(&config, 8 * HEADER_LEN as u64)
    }

    /// Codec `compact`, with masks for 128 KB in sectors of 256 bytes (16 KB of block RAM).
    pub fn compact(recorded: &RecorderConfig, interval: u32) -> Result<Self> {
        let config = RecorderConfig {
            codec: Codec::Compact(COMPACT),
            tag_set_bits: 8,
            tag_ways: 2,
            tag_words: 64,
            dict_bits: 8,
            ..with_interval(recorded, interval)
        };
        Self::new(&config, 0)
    }

    /// The same when nothing is known of the ELF, not even the code.
    pub fn compact_without_image(recorded: &RecorderConfig, interval: u32) -> Result<Self> {
        let recorded = RecorderConfig {
            image_lo: 0,
            image_hi: 0,
            ..recorded.clone()
        };
        Self::compact(&recorded, interval)
    }

    fn new(config: &RecorderConfig, header_bits: u64) -> Result<Self> {
        config.validate()?;
        Ok(Self {
            recorder: Recorder::new(config),
            squeezer: Squeezer::new()?,
            header_bits,
            closed_bits: 0,
            told_bits: 0,
        })
    }

    /// Takes finished intervals; returns the bits that are new.
    fn take(&mut self) -> Result<u64> {
        for record in self.recorder.take_records() {
            let bytes = record.to_bytes();
            self.closed_bits += 8 * bytes.len() as u64;
            if let Record::Interval(_) = record {
                self.squeezer.add(&bytes)?;
            }
        }
        let open = self.recorder.open_bits();
        let open = open.map_or(0, |bits| bits + self.header_bits);
        let total = (self.closed_bits + open).max(self.told_bits);
        let grown = total - self.told_bits;
        self.told_bits = total;
        Ok(grown)
    }
}

fn with_interval(recorded: &RecorderConfig, interval: u32) -> RecorderConfig {
    RecorderConfig {
        interval,
        count_bits: count_bits_for(interval),
        ..recorded.clone()
    }
}

impl Scheme for Ours {
    fn event(&mut self, event: Event<'_>) -> Result<u64> {
        match event {
            // Of cycles only headers tell, next to nothing.
            Event::Retire(retire) => self.recorder.retire(retire, 0),
            Event::Snoop { addr, mask } => self.recorder.snoop(addr, mask),
        }
        self.take()
    }

    fn finish(&mut self) -> Result<u64> {
        self.recorder.stop(EndReason::RunEnded, 0);
        self.take()
    }

    fn squeezed_bits(&self) -> Option<u64> {
        Some(self.squeezer.bits())
    }
}
