//! The recorder of codec `compact`: section 10 of the log format.
//!
//! Reading order: `front` (the picture), `flow`, `told`, `registers` and `known_image` (what the reader does
//! not know), `sequencer` and `tags` (what it holds), `item_coder` (bins), `range_coder` or
//! `plain_coder` (bytes), `record_writer` (what stands around them). `config` has the sizes.

pub mod config;
pub mod flow;
pub mod front;
pub mod item_coder;
pub mod known_image;
pub mod plain_coder;
pub mod range_coder;
pub mod record_writer;
pub mod recorder;
pub mod registers;
pub mod sequencer;
pub mod tags;
pub mod told;
pub mod waiting;
