//! From retirements to interval bytes.
//!
//! Reading order: `front` (the picture), `retire`, `interval`, `sequencer`, `encoder`, and the blocks
//! beside them as they are met. `several` is the recorder of several harts, `order_log` logs their
//! order. `config` has
//! the sizes.

#[macro_use]
pub(crate) mod circuit;

pub mod chunk_counter;
pub mod chunk_writer;
pub mod config;
pub mod counters;
pub mod decision;
pub mod dictionary;
pub mod digest;
pub mod encoder;
pub mod entry_writer;
pub mod event_fifo;
pub mod first_load_tags;
pub mod fold;
pub mod front;
pub mod gather;
pub mod input_queue;
pub mod interval;
pub mod known_code;
pub mod look_up;
pub mod merge;
pub mod order_log;
pub mod order_writer;
pub mod packer;
#[allow(clippy::module_inception)]
pub mod recorder;
pub mod register_shadow;
pub mod retire;
pub mod sequencer;
pub mod several;
pub mod strata_arbiter;
#[cfg(test)]
pub(crate) mod testing;
pub mod trigger;
pub mod word_tags;
