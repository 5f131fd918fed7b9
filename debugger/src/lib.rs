//! What a developer sees of a replay: names and lines for addresses, call stacks, crash reports,
//! and time travel in gdb.
//!
//! Reading order: [`symbols`] (DWARF and the symbol table), [`unwind`] (call stacks from
//! `.debug_frame`), [`history`] (what a forward pass remembers), [`mod@report`], [`text`]; then
//! [`timeline`] (any moment, at random), [`gdb`] (a server over it), [`core_file`].

pub mod core_file;
mod error;
pub mod gdb;
pub mod history;
pub mod others;
pub mod report;
pub mod symbols;
pub mod text;
pub mod timeline;
pub mod unwind;

pub use error::{Error, Result};
pub use report::{report, Report};
pub use symbols::{Location, Symbols};
pub use timeline::Timeline;
