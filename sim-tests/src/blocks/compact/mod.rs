//! The blocks of `hdl/src/compact`.

mod around;
mod coder;
mod entries;
mod front;
mod items;
mod plain;
mod ports;
mod tags;
mod whole;

use super::registry::Block;
use crate::block;
use crate::blocks::recorder::queues::{CompactRetirements, Queue};
use lookback_hdl::boards::compact::FullBoard;
use lookback_hdl::compact::{
    config::{
        self, CompactSizes, TinyCompactFront, TinyCompactPlainFront, TinyCompactRecorder,
        TinyCompactWordsFront, TinyCompactWordsPlainRecorder,
    },
    flow::Flow,
    item_coder::ItemCoder,
    known_image::KnownImage,
    plain_coder::PlainCoder,
    range_coder::RangeCoder,
    record_writer::RecordWriter,
    registers::Registers,
    sequencer::CompactSequencer,
    tags::CompactTags,
    told::Told,
    waiting::Waiting,
};

pub use whole::{Board, Recordings};

/// Sizes of the preset `full`; what is added makes another kind.
pub const FULL: u8 = 0;
/// Tags that keep words.
pub const WORDS: u8 = 1;
/// The plain coder.
pub const PLAIN: u8 = 2;
/// Tiny sizes.
pub const TINY: u8 = 4;

/// The sizes of a recorder of this kind.
fn sizes(kind: u8) -> CompactSizes {
    [
        config::FULL,
        config::FULL_WORDS,
        config::FULL_PLAIN,
        config::FULL_WORDS_PLAIN,
        config::TINY,
        config::TINY_WORDS,
        config::TINY_PLAIN,
        config::TINY_WORDS_PLAIN,
    ][usize::from(kind)]
}

/// Fronts and recorders have the same ports, whatever their kind.
macro_rules! front {
    ($name:literal, $kind:expr, $cases:literal; $block:ty) => {
        block!($name, front::Compact<{ $kind }>, $cases; $block:
            clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
                rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
                rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask enable may_stall
                interval key_every cut image_lo image_hi trigger_on_trap post_trigger run_ended
                hold byte_ready mem_base mem_mask rvfi_opaque rvfi_jumps rvfi_breaks trigger watch
                watch_lo watch_hi disarm;
            out byte_valid byte_data byte_last decided hurried stall recording ended end_reason
                triggered cause lost_any retired_lo retired_hi cycles_lo cycles_hi stalls_lo
                stalls_hi lost_lo lost_hi)
    };
}

macro_rules! recorder {
    ($name:literal, $kind:expr, $cases:literal; $block:ty) => {
        block!($name, whole::Recordings<{ $kind }>, $cases; $block:
            clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
                rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
                rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask run_ended run_code
                hold bit_clocks log_rx board_bit;
            out stall log_tx board_fire board_write board_register board_value board_index decided
                hurried)
    };
}

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("compact-board", whole::Board<FULL>, 2; FullBoard:
        clock; in reset hold bit_clocks log_rx ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask decided hurried),
    recorder!("compact-recorder", TINY, 4; TinyCompactRecorder),
    recorder!("compact-recorder-words-plain", TINY | WORDS | PLAIN, 4; TinyCompactWordsPlainRecorder),
    block!("compact-flow", ports::Expectations, 60; Flow:
        clock; in rvfi_valid rvfi_insn rvfi_trap rvfi_pc_rdata rvfi_pc_wdata rvfi_jumps;
        out redirect after_trap after_return from wfi),
    front!("compact-front", TINY, 24; TinyCompactFront),
    front!("compact-front-words", TINY | WORDS, 24; TinyCompactWordsFront),
    front!("compact-front-plain", TINY | PLAIN, 16; TinyCompactPlainFront),
    block!("compact-image", ports::Image, 60; KnownImage<5>:
        clock; in clear sweep image_lo image_hi rvfi_pc rvfi_addr pc addr store snoop snoop_addr;
        out code_inside code_known data_inside data_known),
    block!("compact-registers", ports::Sources, 40; Registers:
        clock; in reset write write_addr write_data left_addr right_addr;
        out left left_blank right right_blank),
    block!("compact-sequencer", entries::Entries, 100; CompactSequencer<6>:
        clock; in clear valid flags position pc insn value left right from addr masks snoop_addr
            digest tag_known tag_escape full;
        out pop tag_address tag_rmask tag_wmask tag_word tag_in_image tag_snoop tag_commit tag_advance push
            event_kind event_extra event_value),
    block!("compact-told", ports::Registers, 60; Told:
        clock; in clear key_every insn rd_addr accept last gap_start; out key left right),
    block!("compact-waiting", Queue<CompactRetirements<false>>, 40; Waiting<0>:
        clock; in clear push flags position pc insn value left right from addr masks snoop_addr
            stored pop;
        out valid empty full half head_flags head_position head_pc head_insn head_value head_left
            head_right head_from head_addr head_masks head_snoop_addr head_stored),
    block!("compact-waiting-words", Queue<CompactRetirements<true>>, 40; Waiting<1>:
        clock; in clear push flags position pc insn value left right from addr masks snoop_addr
            stored pop;
        out valid empty full half head_flags head_position head_pc head_insn head_value head_left
            head_right head_from head_addr head_masks head_snoop_addr head_stored),
    block!("item-coder", items::Intervals<true>, 40; ItemCoder<3, 2, 1>:
        clock; in wipe forget event_valid event_kind event_extra event_value hurry bin_ready;
        out event_pop closed bin_valid bin_kind bin_context bin_one bin_byte decided hurried),
    block!("item-coder-plain", items::Intervals<false>, 40; ItemCoder<3, 2, 0>:
        clock; in wipe forget event_valid event_kind event_extra event_value hurry bin_ready;
        out event_pop closed bin_valid bin_kind bin_context bin_one bin_byte decided hurried),
    block!("plain-coder", plain::Packed, 60; PlainCoder:
        clock; in wipe bin_valid bin_kind bin_one byte_ready;
        out bin_ready byte_valid byte_data idle),
    block!("record-writer", around::Around, 60; RecordWriter:
        clock; in clear event_valid event_kind event_extra event_value closed coder_idle mode cycles_lo
            cycles_hi lost_lo lost_hi reason byte_ready;
        out byte_valid byte_data byte_last event_pop forget header_done idle),
    block!("range-coder", coder::Intervals, 60; RangeCoder<32>:
        clock; in wipe forget bin_valid bin_kind bin_context bin_one bin_byte byte_ready;
        out bin_ready byte_valid byte_data idle),
    block!("compact-tags", tags::Tags<2, 2, 1, 1, false>, 120;
        CompactTags<2, 2, 1, 2, 1, 26, 29, 4, 3, 8, 4, 0>:
        clock; in advance address rmask wmask read_word written_word in_image snoop commit;
        out known escape),
    block!("compact-tags-direct", tags::Tags<1, 3, 2, 3, false>, 60;
        CompactTags<1, 3, 2, 4, 3, 22, 26, 8, 5, 32, 8, 0>:
        clock; in advance address rmask wmask read_word written_word in_image snoop commit;
        out known escape),
    block!("compact-tags-words", tags::Tags<2, 2, 1, 1, true>, 120;
        CompactTags<2, 2, 1, 2, 1, 26, 29, 4, 3, 8, 4, 2>:
        clock; in advance address rmask wmask read_word written_word in_image snoop commit;
        out known escape),
    block!("compact-tags-words-direct", tags::Tags<1, 3, 2, 3, true>, 60;
        CompactTags<1, 3, 2, 4, 3, 22, 26, 8, 5, 32, 8, 1>:
        clock; in advance address rmask wmask read_word written_word in_image snoop commit;
        out known escape),
];
