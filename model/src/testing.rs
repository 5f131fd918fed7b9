//! What the unit tests of several blocks need.

use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::RecorderConfig;

/// A small recorder: 8 sets of 2 ways of 4 words, 16 dictionary entries, 200 instructions.
pub fn config() -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Bugnet,
        harts: 1,
        tag_set_bits: 3,
        tag_ways: 2,
        tag_words: 4,
        epoch_bits: 4,
        tag_kind: TagKind::Bits,
        dict_bits: 4,
        dirty_bits: 6,
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
