//! What a developer sees of a replay: names and lines for addresses, call stacks, crash reports.
//!
//! Reading order: [`symbols`] (DWARF and the symbol table), [`unwind`] (call stacks from
//! `.debug_frame`), [`history`] (what a forward pass remembers), [`mod@report`], [`text`].

mod error;
pub mod history;
pub mod report;
pub mod symbols;
pub mod text;
pub mod unwind;

pub use error::{Error, Result};
pub use report::{report, Report};
pub use symbols::{Location, Symbols};
