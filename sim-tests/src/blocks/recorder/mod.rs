//! The blocks of `hdl/src/recorder`.

mod control;
mod decision;
mod dictionary;
mod encoder;
mod front;
mod harts;
mod memories;
mod numbers;
mod order;
mod parcels;
pub(super) mod queues;
mod retirement;
mod sequencer;
mod stages;
mod trigger;
mod whole;
mod words;

use super::registry::Block;
use crate::block;
use lookback_hdl::recorder::{
    chunk_counter::ChunkCounter,
    chunk_writer::ChunkWriter,
    config::{TinyFront, TinyPair, TinyPairOrder, TinyQuadOrder, TinyRecorder, TinyWordsFront},
    counters::Counters,
    decision::Decision,
    dictionary::Dictionary,
    digest::DigestStep,
    encoder::Encoder,
    entry_writer::EntryWriter,
    event_fifo::EventFifo,
    first_load_tags::FirstLoadTags,
    fold::Fold,
    gather::Gather,
    input_queue::InputQueue,
    interval::IntervalControl,
    known_code::KnownCode,
    look_up::LookUp,
    merge::Merge,
    order_writer::OrderWriter,
    packer::Packer,
    register_shadow::RegisterShadow,
    retire::RetireStage,
    sequencer::Sequencer,
    strata_arbiter::StrataArbiter,
    trigger::Trigger,
    word_tags::WordTags,
};
use queues::Queue;

pub use dictionary::Lookups;
pub use front::{End, Pace, Recording, Runs};
pub use harts::{
    began_at, compare, models, order_mode, order_of, records, records_of, OfHarts, Shown,
};
pub use memories::{Code, Tags};
pub use order::{judge_order, Logged};
pub use whole::Recordings as Whole;
pub(in crate::blocks) use words::value;

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("counters", numbers::Sums, 40; Counters<1>:
        clock; in hart of clear retire cycle stall lose mark;
        out retired_lo retired_hi cycles_lo cycles_hi stalls_lo stalls_hi lost_lo lost_hi
            mark_cycles_lo mark_cycles_hi gap_lost_lo gap_lost_hi),
    block!("decision", decision::Events, 100; Decision:
        clock; in clear push asks kind position value known next_full;
        out full empty next_push next_kind next_position next_value),
    block!("dictionary", dictionary::Lookups<6>, 24; Dictionary<6, 7, 8, 3, 3>:
        clock; in empty look value; out done hit index),
    block!("dictionary-small", dictionary::Lookups<3>, 120; Dictionary<3, 4, 4, 2, 1>:
        clock; in empty look value; out done hit index),
    block!("digest-step", retirement::DigestSteps, 40; DigestStep:
        in digest pc store_addr store_data store_mask rd_addr rd_data trap; out stepped),
    block!("encoder", encoder::Events, 100; Encoder<3>:
        clock; in clear clear_half count_bits event_valid event_kind event_position event_value
            dict_done dict_hit dict_index mode cycles_lo cycles_hi lost_lo lost_hi reason
            register_data ready;
        out event_pop dict_empty dict_look register header_done load bits size align last idle),
    block!("look-up", stages::Looked, 80; LookUp<3>:
        clock; in clear event_valid event_kind event_position dict_done dict_hit dict_index taken;
        out event_pop dict_empty dict_look valid number long hit rank),
    block!("entry-writer", stages::Written, 60; EntryWriter<3, 2>:
        clock; in clear clear_half count_bits take entry_hart entry_kind entry_number entry_long
            entry_value entry_hit entry_rank mode cycles_lo cycles_hi lost_lo lost_hi digest reason
            register_data ready;
        out free hart register header_done load bits size align last),
    block!("event-fifo", Queue<queues::Events<3, 4>>, 100; EventFifo<3, 4>:
        clock; in clear push kind position value pop;
        out valid empty full pressure behind head_kind head_position head_value),
    block!("event-fifo-deep", Queue<queues::Events<5, 4>>, 60; EventFifo<5, 4>:
        clock; in clear push kind position value pop;
        out valid empty full pressure behind head_kind head_position head_value),
    block!("first-load-tags", memories::Tags<2>, 150; FirstLoadTags<2, 2, 1, 2, 27, 2, 30, 3>:
        clock; in clear advance address need touch remove commit; out known conflict),
    block!("first-load-tags-direct", memories::Tags<1>, 80; FirstLoadTags<1, 2, 1, 2, 27, 2, 30, 3>:
        clock; in clear advance address need touch remove commit; out known conflict),
    block!("front", front::Runs, 48; TinyFront:
        clock; in reset rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata snoop_valid snoop_addr snoop_mask enable may_stall interval count_bits
            image_lo image_hi trigger_on_trap post_trigger run_ended hold byte_ready mem_base mem_mask
            rvfi_opaque rvfi_jumps rvfi_loose rvfi_breaks trigger watch watch_lo watch_hi also_stalls;
        out byte_valid byte_hart byte_data byte_last stall recording ended end_reason triggered fired lost_any
            retired_lo retired_hi cycles_lo cycles_hi stalls_lo stalls_hi lost_lo lost_hi
            count_retire active interval_ends clearing),
    block!("front-words", words::Fronts, 32; TinyWordsFront:
        clock; in reset rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata snoop_valid snoop_addr snoop_mask enable may_stall interval count_bits
            image_lo image_hi trigger_on_trap post_trigger run_ended hold byte_ready mem_base mem_mask
            rvfi_opaque rvfi_jumps rvfi_loose rvfi_breaks trigger watch watch_lo watch_hi also_stalls;
        out byte_valid byte_hart byte_data byte_last stall recording ended end_reason triggered fired lost_any
            retired_lo retired_hi cycles_lo cycles_hi stalls_lo stalls_hi lost_lo lost_hi
            count_retire active interval_ends clearing),
    block!("word-tags", words::Tags<2>, 150; WordTags<2, 2, 1, 2, 27, 2, 30, 3>:
        clock; in clear forget push stored pop advance address need touch fetch insn value written
            commit;
        out known),
    block!("word-tags-direct", words::Tags<1>, 80; WordTags<1, 2, 1, 2, 27, 2, 30, 3>:
        clock; in clear forget push stored pop advance address need touch fetch insn value written
            commit;
        out known),
    block!("fold", order::Places, 20; Fold<10>: in block; out place),
    block!("strata-arbiter", order::Strata, 60; StrataArbiter<2, 28, 31, 4, 5, 10, 3>:
        clock; in clear ask writer block writes take;
        out short_valid short stride_valid stride stride_first stride_last done),
    block!("chunk-counter", order::Chunks, 60; ChunkCounter<5, 6, 8, 8, 5, 4>:
        clock; in clear ask retires hart reads writes block trap close;
        out ended ended_hart ended_size telling done),
    block!("order-writer", order::Written<false>, 40; OrderWriter<3>:
        clock; in reset word_valid word_kind word_value behind byte_ready;
        out word_pop byte_valid byte_data byte_last idle),
    block!("chunk-writer", order::Written<true>, 40; ChunkWriter<3>:
        clock; in reset word_valid word_kind word_value byte_ready;
        out word_pop byte_valid byte_data byte_last idle),
    block!("order-log", order::Logged<2, true>, 16; TinyPairOrder:
        clock; in reset clear strata chunks retires hart reads writes trap ends external address stop
            reason strata_ready chunks_ready;
        out pressure lost idle strata_valid strata_data strata_last chunks_valid chunks_data
            chunks_last),
    block!("order-log-4", order::Logged<4, true>, 12; TinyQuadOrder:
        clock; in reset clear strata chunks retires hart reads writes trap ends external address stop
            reason strata_ready chunks_ready;
        out pressure lost idle strata_valid strata_data strata_last chunks_valid chunks_data
            chunks_last),
    block!("gather", parcels::Gathered, 60; Gather:
        clock; in clear byte_valid byte_data byte_last take; out byte_ready available data last),
    block!("merge", parcels::Merged, 60; Merge:
        clock; in clear available data last byte_ready;
        out source take byte_valid byte_data byte_last idle),
    block!("input-queue", Queue<queues::Retirements>, 60; InputQueue:
        clock; in clear push flags position pc insn value addr masks snoop_addr pop;
        out valid empty full half head_flags head_position head_pc head_insn head_value head_addr
            head_masks head_snoop_addr),
    block!("interval-control", control::Control, 80; IntervalControl<4>:
        clock; in reset enable may_stall hold run_ended interval post_trigger valid fires end_all
            cut needs_entry stepped snooped full pressure live drained turn;
        out clear sweep accept accept_snoop push open gap last severed position digest fresh count_retire active
            count_loss count_cycle count_stall gap_start total_digest reason stall recording ended
            end_reason triggered ends lost_any),
    block!("known-code", memories::Code, 120; KnownCode<3>:
        clock; in clear sweep image_lo image_hi fetch_pc pc straddles store store_addr snoop snoop_addr;
        out known),
    block!("packer", numbers::Bits, 80; Packer<1>:
        clock; in clear hart load bits size align last byte_ready;
        out ready idle byte_valid byte_hart byte_data byte_last),
    block!("recorder-tiny", whole::Recordings<false>, 8; TinyRecorder:
        clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata snoop_valid snoop_addr snoop_mask run_ended run_code hold bit_clocks
            log_rx board_bit;
        out stall log_tx board_fire board_write board_register board_value board_index recording
            triggered overflowed),
    block!("recorder-tiny-2", harts::OfHarts<2, false>, 8; TinyPair:
        clock; in reset rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata snoop_valid snoop_addr snoop_mask run_ended run_code hold bit_clocks
            log_rx board_bit;
        out stall log_tx board_fire board_write board_register board_value board_index),
    block!("register-shadow", memories::Registers, 60; RegisterShadow:
        clock; in clear sweep write write_addr write_data freeze thaw read_addr;
        out read_data live),
    block!("retire-stage", retirement::FirstStage, 100; RetireStage<1>:
        clock; in mem_base mem_mask rvfi_opaque rvfi_jumps rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata snoop_valid snoop_addr snoop_mask;
        out valid hart trap mode insn pc pc_in_memory redirect rd_addr rd_data addr store_addr rmask
            wmask store store_data data operation certain value snooped snooped_memory
            snooped_addr snooped_mask),
    block!("sequencer", sequencer::Entries, 100; Sequencer:
        clock; in clear valid flags position pc insn value addr masks snoop_addr digest
            tag_conflict full;
        out pop tag_address tag_need tag_touch tag_remove tag_commit tag_advance tag_fetch push
            event_asks event_kind event_position event_value),
    block!("trigger", trigger::Watch, 100; Trigger:
        clock; in clear rvfi_insn rvfi_breaks rvfi_trap rvfi_pc_rdata rvfi_mem_addr rvfi_mem_rmask
            rvfi_mem_wmask on_trap watch watch_lo watch_hi pin disarm recording trap accept;
        out fires cause),
];
