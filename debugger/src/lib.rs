//! What a developer sees of a replay: names and lines for addresses, call stacks, crash reports.
//!
//! Reading order: [`symbols`] (DWARF and the symbol table), [`unwind`] (call stacks from
//! `.debug_frame`).

pub mod symbols;
pub mod unwind;

pub use symbols::{Location, Symbols};
