//! Every size of a recorder, once. A preset is a set of sizes and the circuit types made of it.

use super::front::RecorderFront;
use super::order_log::OrderLog;
use super::recorder::Recorder;
use super::several::SeveralRecorder;
use crate::small::recorder::SmallRecorder;
use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::order::{OrderMode, OrderSettings};
use lookback_log_format::RecorderConfig;

/// Memory region: an address is memory when `addr & MEM_MASK == MEM_BASE`.
pub const MEM_BASE: u32 = 0x8000_0000;
/// See [`MEM_BASE`].
pub const MEM_MASK: u32 = 0x8000_0000;
/// The clock that recorders report and are made for.
pub const CLOCK_HZ: u32 = 50_000_000;

/// Sizes of a recorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// log2 of the first-load tags' sets
    pub set_bits: usize,
    /// ways of the first-load tags, 1 or 2
    pub ways: usize,
    /// log2 of the words a line, 1 to 3
    pub word_bits: usize,
    /// bits of the epoch number
    pub epoch_bits: usize,
    /// log2 of the dictionary's entries
    pub dict_bits: usize,
    /// log2 of the dictionary's counters that are compared each cycle
    pub lane_bits: usize,
    /// log2 of the bitmap of written code blocks
    pub dirty_bits: usize,
    /// log2 of the event FIFO's entries
    pub fifo_bits: usize,
    /// entries of the event FIFO that are left when the hart is stalled: enough for all that may
    /// still be on its way, so that nothing is ever held up in the input queue
    pub fifo_reserve: usize,
    /// log2 of the ring's bytes
    pub ring_bits: usize,
    /// 1 if the tags keep words and compare them, 0 if they keep masks alone
    pub keeps_words: usize,
}

impl Sizes {
    /// Bits of an address above the set.
    pub const fn tag_bits(&self) -> usize {
        30 - self.set_bits - self.word_bits
    }

    /// Bits of a line beside its mask.
    pub const fn line_bits(&self) -> usize {
        self.tag_bits() + self.epoch_bits + 1
    }

    /// Bits that number a word of the first-load tags' lines.
    pub const fn place_bits(&self) -> usize {
        self.set_bits + self.word_bits
    }

    /// Bits of the counter that clears all memories when a recording begins.
    pub const fn sweep_bits(&self) -> usize {
        let mut bits = 5;
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
        self.config_with(1, clock_hz, None)
    }

    /// The same of a recorder for so many harts and their order.
    pub fn config_of(&self, harts: u8, clock_hz: u32, order: OrderSizes) -> RecorderConfig {
        self.config_with(harts, clock_hz, Some(order.settings()))
    }

    fn config_with(
        &self,
        harts: u8,
        clock_hz: u32,
        order: Option<OrderSettings>,
    ) -> RecorderConfig {
        RecorderConfig {
            codec: Codec::Bugnet,
            harts,
            tag_set_bits: self.set_bits as u8,
            tag_ways: self.ways as u8,
            tag_words: 1 << self.word_bits,
            epoch_bits: self.epoch_bits as u8,
            tag_kind: match self.keeps_words {
                0 => TagKind::Bits,
                _ => TagKind::Words,
            },
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
            order,
        }
    }
}

/// The recorder of the BugNet paper: tags for 16 KB of data, 64 dictionary entries.
pub const BUGNET: Sizes = Sizes {
    set_bits: 8,
    ways: 2,
    word_bits: 3,
    epoch_bits: 8,
    dict_bits: 6,
    lane_bits: 3,
    dirty_bits: 11,
    fifo_bits: 9,
    fifo_reserve: 64,
    ring_bits: 16,
    keeps_words: 0,
};

/// As [`BUGNET`] with a ring of 4 KB, for FPGAs with little block RAM.
pub const BUGNET_4K: Sizes = Sizes {
    ring_bits: 12,
    ..BUGNET
};

/// So small that evictions, wraps and overflows happen all the time: for tests.
pub const TINY: Sizes = Sizes {
    set_bits: 2,
    ways: 2,
    word_bits: 1,
    epoch_bits: 2,
    dict_bits: 3,
    lane_bits: 2,
    dirty_bits: 3,
    fifo_bits: 5,
    fifo_reserve: 24,
    ring_bits: 10,
    keeps_words: 0,
};

/// For FPGAs whose only memories are a few small block RAMs: the recorder of `crate::small`, whose
/// dictionary has eight entries, and which has neither queue nor FIFO, because the hart waits.
pub const SMALL: Sizes = Sizes {
    set_bits: 8,
    ways: 1,
    word_bits: 1,
    epoch_bits: 3,
    dict_bits: 3,
    lane_bits: 0,
    dirty_bits: 8,
    fifo_bits: 0,
    fifo_reserve: 0,
    ring_bits: 10,
    keeps_words: 0,
};

/// A block of `crate::small` with the sizes of [`SMALL`]; what follows is appended.
#[macro_export]
macro_rules! small_sized {
    ($block:ident $(, $more:expr)*) => {
        $block<
            { $crate::recorder::config::SMALL.set_bits },
            { $crate::recorder::config::SMALL.word_bits },
            { $crate::recorder::config::SMALL.tag_bits() },
            { $crate::recorder::config::SMALL.epoch_bits },
            { 4 << $crate::recorder::config::SMALL.word_bits },
            {
                $crate::recorder::config::SMALL.tag_bits()
                    + $crate::recorder::config::SMALL.epoch_bits
                    + (4 << $crate::recorder::config::SMALL.word_bits)
            },
            { $crate::recorder::config::SMALL.dirty_bits },
            { $crate::recorder::config::SMALL.sweep_bits() },
            $({ $more },)*
        >
    };
}

/// Recorder of the preset `small` with a clock of `HZ`.
pub type SmallRecorderAt<const HZ: usize> = small_sized!(SmallRecorder, SMALL.ring_bits, HZ);

/// As [`BUGNET`] with tags that keep words.
pub const BUGNET_WORDS: Sizes = Sizes {
    keeps_words: 1,
    ..BUGNET
};

/// As [`TINY`] with tags that keep words.
pub const TINY_WORDS: Sizes = Sizes {
    keeps_words: 1,
    ..TINY
};

/// Sizes of what logs the order of several harts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderSizes {
    /// log2 of the bytes of a block
    pub block_bits: usize,
    /// log2 of the blocks whose writer is known
    pub tracked_bits: usize,
    /// log2 of the filter's places, at least as many
    pub filter_bits: usize,
    /// log2 of the bits of a signature
    pub signature_bits: usize,
    /// bits of a chunk's size
    pub chunk_bits: usize,
    /// log2 of the events that wait
    pub queue_bits: usize,
    /// places for events that are left when the harts are stalled
    pub queue_reserve: usize,
}

impl OrderSizes {
    /// What registers ORDER and ORDER_MODE say; nothing is logged until the host says so.
    pub fn settings(&self) -> OrderSettings {
        OrderSettings {
            block_bits: self.block_bits as u8,
            tracked_bits: self.tracked_bits as u8,
            filter_bits: self.filter_bits as u8,
            signature_bits: self.signature_bits as u8,
            chunk_bits: self.chunk_bits as u8,
            has: OrderMode {
                strata: true,
                chunks: true,
            },
            mode: OrderMode::default(),
        }
    }
}

/// Beside the recorders of [`BUGNET`]: a filter of 1024 places, as in the Strata paper.
pub const ORDER: OrderSizes = OrderSizes {
    block_bits: 4,
    tracked_bits: 8,
    filter_bits: 10,
    signature_bits: 10,
    chunk_bits: 16,
    queue_bits: 11,
    queue_reserve: 64,
};

/// Beside those of [`TINY`].
pub const TINY_ORDER: OrderSizes = OrderSizes {
    block_bits: 3,
    tracked_bits: 2,
    filter_bits: 4,
    signature_bits: 5,
    chunk_bits: 8,
    queue_bits: 6,
    queue_reserve: 32,
};

/// A block that takes all sizes, for so many harts and their order; what follows is appended.
#[macro_export]
macro_rules! several {
    ($block:ident, $sizes:ident, $order:ident, $harts:expr $(, $more:expr)*) => {
        $crate::sized!(
            $block,
            $sizes,
            $sizes.ring_bits,
            $harts,
            $sizes.keeps_words * $harts,
            $order.block_bits,
            $order.tracked_bits,
            30 - $order.tracked_bits,
            33 - $order.tracked_bits,
            $order.filter_bits,
            $order.filter_bits + 1,
            $order.filter_bits + 6,
            $order.signature_bits,
            $order.signature_bits + 1,
            $order.signature_bits + 3,
            $order.chunk_bits,
            $order.signature_bits,
            if $harts > 2 { 2 } else { 1 },
            $order.queue_bits,
            $order.queue_reserve
            $(, $more)*
        )
    };
}

/// A block that takes the sizes of the order, for so many harts.
#[macro_export]
macro_rules! ordered {
    ($block:ident, $sizes:ident, $harts:expr) => {
        $block<
            { $sizes.block_bits },
            { $sizes.tracked_bits },
            { 30 - $sizes.tracked_bits },
            { 33 - $sizes.tracked_bits },
            { $sizes.filter_bits },
            { $sizes.filter_bits + 1 },
            { $sizes.filter_bits + 6 },
            { $sizes.signature_bits },
            { $sizes.signature_bits + 1 },
            { $sizes.signature_bits + 3 },
            { $sizes.chunk_bits },
            { $sizes.signature_bits },
            { if $harts > 2 { 2 } else { 1 } },
            { $sizes.queue_bits },
            { $sizes.queue_reserve },
            { $harts },
        >
    };
}

/// The order of two harts.
pub type PairOrder = ordered!(OrderLog, ORDER, 2);
/// The order of four harts.
pub type QuadOrder = ordered!(OrderLog, ORDER, 4);
/// The order of two harts, so small that everything happens all the time.
pub type TinyPairOrder = ordered!(OrderLog, TINY_ORDER, 2);
/// The same of four harts.
pub type TinyQuadOrder = ordered!(OrderLog, TINY_ORDER, 4);

/// A block that takes all sizes, with those of a preset. The order is that of [`RecorderFront`];
/// what follows it is appended.
#[macro_export]
macro_rules! sized {
    ($block:ident, $sizes:ident $(, $more:expr)*) => {
        $block<
            { $sizes.ways },
            { $sizes.set_bits },
            { $sizes.word_bits },
            { 1 << $sizes.word_bits },
            { $sizes.tag_bits() },
            { $sizes.epoch_bits },
            { $sizes.line_bits() },
            { $sizes.place_bits() },
            { $sizes.dict_bits },
            { $sizes.dict_bits + 1 },
            { 1 << $sizes.lane_bits },
            { $sizes.lane_bits },
            { $sizes.dict_bits - $sizes.lane_bits },
            { $sizes.dirty_bits },
            { $sizes.sweep_bits() },
            { $sizes.fifo_bits },
            { $sizes.fifo_reserve },
            { $sizes.keeps_words },
            $({ $more },)*
        >
    };
}

/// Front of the preset `bugnet`.
pub type BugnetFront = sized!(RecorderFront, BUGNET, 1, BUGNET.keeps_words);
/// Front of the preset `tiny`.
pub type TinyFront = sized!(RecorderFront, TINY, 1, TINY.keeps_words);
/// The same with tags that keep words.
pub type TinyWordsFront = sized!(RecorderFront, TINY_WORDS, 1, TINY_WORDS.keeps_words);
/// Recorder of the preset `bugnet`.
pub type BugnetRecorder = sized!(Recorder, BUGNET, BUGNET.ring_bits, CLOCK_HZ as usize);
/// Recorder of the preset `tiny`.
pub type TinyRecorder = sized!(Recorder, TINY, TINY.ring_bits, CLOCK_HZ as usize);
/// Recorder of the preset `bugnet` for two harts.
pub type BugnetPair = several!(SeveralRecorder, BUGNET, ORDER, 2, CLOCK_HZ as usize);
/// Recorder of the preset `tiny` for two harts.
pub type TinyPair = several!(SeveralRecorder, TINY, TINY_ORDER, 2, CLOCK_HZ as usize);
