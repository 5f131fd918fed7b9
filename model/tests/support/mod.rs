//! The recorder that the tests of this crate are about.

use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::RecorderConfig;

/// A small recorder whose tags are often too few.
pub fn config() -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Bugnet,
        harts: 1,
        tag_set_bits: 3,
        tag_ways: 2,
        tag_words: 4,
        epoch_bits: 2,
        tag_kind: TagKind::Bits,
        dict_bits: 4,
        dirty_bits: 3,
        ring_bits: 12,
        fifo_bits: 4,
        clock_hz: 25_000_000,
        mem_base: 0x8000_0000,
        mem_mask: 0xff00_0000,
        attached: false,
        compressed: false,
        control: 1,
        interval: 200,
        count_bits: 8,
        image_lo: 0x8000_0000,
        image_hi: 0x8000_1000,
        post_trigger: 0,
        trigger: Default::default(),
        order: None,
    }
}
