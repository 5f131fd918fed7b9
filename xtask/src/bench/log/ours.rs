//! Our own log, by the golden recorder: what the hardware sends.

use super::scheme::Scheme;
use super::squeeze::Squeezer;
use super::stream::Event;
use anyhow::{Context, Result};
use lookback_log_format::config::{count_bits_for, Codec};
use lookback_log_format::interval::{EndReason, Record, HEADER_LEN};
use lookback_log_format::RecorderConfig;
use lookback_model::Recorder;
use lookback_replay::Image;
use std::ops::Range;

/// Intervals a key group, as `lookback record` sets it.
pub const KEY: u16 = 100;

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
    /// Codec `bugnet` as the recorder `bugnet` writes it: the paper's tags, the first-load bits of a
    /// 16 KB cache with two ways and lines of 32 bytes, and its dictionary of 64 values.
    pub fn bugnet(recorded: &RecorderConfig, image: &Image, interval: u32) -> Result<Self> {
        let config = preset("recorder-bugnet", recorded, image.window(), interval)?;
        Self::new(&config, 8 * HEADER_LEN as u64)
    }

    /// Codec `bugnet` as the recorder `small` writes it, with tags for 2 KB and eight values.
    pub fn small(recorded: &RecorderConfig, image: &Image, interval: u32) -> Result<Self> {
        let config = preset("recorder-small", recorded, image.window(), interval)?;
        Self::new(&config, 8 * HEADER_LEN as u64)
    }

    /// Codec `compact` as the recorder `full` writes it, masks for 128 KB, in key groups of so many
    /// intervals.
    pub fn compact(
        recorded: &RecorderConfig,
        image: &Image,
        interval: u32,
        key: u16,
    ) -> Result<Self> {
        let window = image.loaded_window();
        Self::new(&full(recorded, window, interval, key)?, 0)
    }

    /// The same when nothing is known of the ELF, not even the code.
    pub fn compact_without_image(
        recorded: &RecorderConfig,
        interval: u32,
        key: u16,
    ) -> Result<Self> {
        Self::new(&full(recorded, 0..0, interval, key)?, 0)
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

/// The recorder `full` with key groups.
pub(super) fn full(
    recorded: &RecorderConfig,
    window: Range<u32>,
    interval: u32,
    key: u16,
) -> Result<RecorderConfig> {
    let mut config = preset("recorder-full", recorded, window, interval)?;
    if let Codec::Compact(compact) = &mut config.codec {
        compact.key = key;
    }
    Ok(config)
}

/// The recorder of a preset beside the core that was recorded.
fn preset(
    name: &str,
    recorded: &RecorderConfig,
    window: Range<u32>,
    interval: u32,
) -> Result<RecorderConfig> {
    let preset = lookback_rtl_gen::find(name)?.recorder();
    let sizes = preset.with_context(|| format!("the preset {name} has no recorder"))?;
    Ok(RecorderConfig {
        mem_base: recorded.mem_base,
        mem_mask: recorded.mem_mask,
        control: recorded.control,
        interval,
        count_bits: count_bits_for(interval),
        image_lo: window.start,
        image_hi: window.end,
        ..sizes
    })
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
