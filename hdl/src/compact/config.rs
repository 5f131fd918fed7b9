//! Every size of a recorder of codec `compact`, once. A preset is a set of sizes and the circuit types
//! made of it.

use super::front::CompactFront;
use super::recorder::CompactRecorder;
use crate::recorder::config::{MEM_BASE, MEM_MASK};
use lookback_log_format::config::{Codec, Coder, Compact, TagKind};
use lookback_log_format::RecorderConfig;

/// Sizes of a recorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactSizes {
    /// log2 of the tags' sets
    pub set_bits: usize,
    /// ways of the tags, 1 or 2
    pub ways: usize,
    /// log2 of the rows a line, 1 to 3
    pub row_bits: usize,
    /// log2 of the words a row, 1 to 3
    pub word_bits: usize,
    /// log2 of the dictionary's entries
    pub dict_bits: usize,
    /// log2 of the last values
    pub last_bits: usize,
    /// log2 of the bitmap of blocks that the hart has written
    pub dirty_bits: usize,
    /// log2 of the event FIFO's entries
    pub fifo_bits: usize,
    /// entries of the event FIFO that are left when the hart is stalled
    pub fifo_reserve: usize,
    /// log2 of the ring's bytes
    pub ring_bits: usize,
    /// 1 if the tags keep words and compare them, 0 if they keep masks alone
    pub keeps_words: usize,
    /// 1 for the arithmetic coder, 0 for the plain one
    pub arithmetic: usize,
}

impl CompactSizes {
    /// Bits of an address above the set.
    pub const fn tag_bits(&self) -> usize {
        30 - self.set_bits - self.row_bits - self.word_bits
    }

    /// Bits of the counter that clears all memories when a recording begins; 2^10 contexts are the
    /// least.
    pub const fn sweep_bits(&self) -> usize {
        let mut bits = 10;
        if self.set_bits > bits {
            bits = self.set_bits;
        }
        if self.dirty_bits > bits {
            bits = self.dirty_bits;
        }
        bits
    }

    /// What a recorder of these sizes tells of itself; the settings are those of a host that has
    /// not made any.
    pub fn config(&self, clock_hz: u32) -> RecorderConfig {
        RecorderConfig {
            codec: Codec::Compact(Compact {
                row_words: 1 << self.word_bits,
                tags: match self.keeps_words {
                    0 => TagKind::Bits,
                    _ => TagKind::Words,
                },
                coder: match self.arithmetic {
                    0 => Coder::Plain,
                    _ => Coder::Arithmetic,
                },
                last_bits: self.last_bits as u8,
                key: 1,
            }),
            harts: 1,
            tag_set_bits: self.set_bits as u8,
            tag_ways: self.ways as u8,
            tag_words: 1 << (self.row_bits + self.word_bits),
            epoch_bits: self.set_bits as u8,
            tag_kind: TagKind::Bits,
            dict_bits: self.dict_bits as u8,
            dirty_bits: self.dirty_bits as u8,
            ring_bits: self.ring_bits as u8,
            fifo_bits: self.fifo_bits as u8,
            clock_hz,
            mem_base: MEM_BASE,
            mem_mask: MEM_MASK,
            attached: false,
            compressed: false,
            control: 0,
            interval: 64,
            count_bits: 7,
            image_lo: 0,
            image_hi: 0,
            post_trigger: 0,
            trigger: Default::default(),
            order: None,
        }
    }
}

/// The best log: tags for 128 KB of data, 256 dictionary entries, 64 last values.
pub const FULL: CompactSizes = CompactSizes {
    set_bits: 9,
    ways: 2,
    row_bits: 2,
    word_bits: 3,
    dict_bits: 8,
    last_bits: 6,
    dirty_bits: 11,
    fifo_bits: 9,
    fifo_reserve: 64,
    ring_bits: 16,
    keeps_words: 0,
    arithmetic: 1,
};

/// As [`FULL`] with tags that keep words. A word takes eight times as much memory as its mask, so they
/// are for 16 KB, as those of the preset `bugnet` are.
pub const FULL_WORDS: CompactSizes = CompactSizes {
    set_bits: 6,
    keeps_words: 1,
    ..FULL
};

/// As [`FULL`] with the plain coder: no multiplier, no contexts.
pub const FULL_PLAIN: CompactSizes = CompactSizes {
    arithmetic: 0,
    ..FULL
};

/// As [`FULL_WORDS`] with the plain coder.
pub const FULL_WORDS_PLAIN: CompactSizes = CompactSizes {
    arithmetic: 0,
    ..FULL_WORDS
};

/// So small that evictions, wraps and overflows happen all the time: for tests.
pub const TINY: CompactSizes = CompactSizes {
    set_bits: 2,
    ways: 2,
    row_bits: 1,
    word_bits: 1,
    dict_bits: 3,
    last_bits: 2,
    dirty_bits: 5,
    fifo_bits: 6,
    fifo_reserve: 24,
    ring_bits: 10,
    keeps_words: 0,
    arithmetic: 1,
};

/// As [`TINY`] with tags that keep words.
pub const TINY_WORDS: CompactSizes = CompactSizes {
    keeps_words: 1,
    ..TINY
};

/// As [`TINY`] with the plain coder.
pub const TINY_PLAIN: CompactSizes = CompactSizes {
    arithmetic: 0,
    ..TINY
};

/// As [`TINY_WORDS`] with the plain coder.
pub const TINY_WORDS_PLAIN: CompactSizes = CompactSizes {
    arithmetic: 0,
    ..TINY_WORDS
};

/// A block that takes all sizes, with those of a preset. The order is that of [`CompactFront`];
/// what follows it is appended.
#[macro_export]
macro_rules! compact_sized {
    ($block:ident, $sizes:ident $(, $more:expr)*) => {
        $block<
            { $sizes.ways },
            { $sizes.set_bits },
            { $sizes.row_bits },
            { 1 << $sizes.row_bits },
            { $sizes.word_bits },
            { $sizes.tag_bits() },
            { $sizes.tag_bits() + $sizes.set_bits + 1 },
            { 2 << $sizes.row_bits },
            { $sizes.set_bits + $sizes.row_bits },
            { 4 << $sizes.word_bits },
            { $sizes.dict_bits },
            { $sizes.last_bits },
            { $sizes.dirty_bits },
            { $sizes.sweep_bits() },
            { $sizes.fifo_bits },
            { $sizes.fifo_reserve },
            { $sizes.set_bits + $sizes.row_bits + $sizes.word_bits },
            { $sizes.ways * $sizes.keeps_words },
            { $sizes.keeps_words },
            { $sizes.arithmetic },
            { 1 - $sizes.arithmetic },
            $({ $more },)*
        >
    };
}

/// Front of the preset `full`.
pub type FullFront = compact_sized!(CompactFront, FULL);
/// Front of the preset `tiny`.
pub type TinyCompactFront = compact_sized!(CompactFront, TINY);
/// The same with tags that keep words.
pub type TinyCompactWordsFront = compact_sized!(CompactFront, TINY_WORDS);
/// The same with the plain coder.
pub type TinyCompactPlainFront = compact_sized!(CompactFront, TINY_PLAIN);
/// Recorder of the preset `full`.
pub type FullRecorder = compact_sized!(CompactRecorder, FULL, FULL.ring_bits);
/// The same with tags that keep words.
pub type FullWordsRecorder = compact_sized!(CompactRecorder, FULL_WORDS, FULL_WORDS.ring_bits);
/// The same with the plain coder.
pub type FullPlainRecorder = compact_sized!(CompactRecorder, FULL_PLAIN, FULL_PLAIN.ring_bits);
/// Recorder of the preset `tiny`.
pub type TinyCompactRecorder = compact_sized!(CompactRecorder, TINY, TINY.ring_bits);
/// The same with tags that keep words and the plain coder.
pub type TinyCompactWordsPlainRecorder = compact_sized!(
    CompactRecorder,
    TINY_WORDS_PLAIN,
    TINY_WORDS_PLAIN.ring_bits
);
