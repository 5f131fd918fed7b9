//! Deterministic replay of a recording, interval by interval.
//!
//! Reading order: [`image`] (the firmware's bytes), [`recording`] (the `.lbk` file), [`decode`]
//! and [`disasm`] (instructions), [`memory`], [`step`] and [`machine`] (one interval replayed from
//! its log), [`mod@verify`] (all intervals, in parallel), [`walk`] (instructions of a range, for
//! tools), [`cause`] (why an instruction trapped), [`mod@escapes`] (what a log says without being replayed),
//! [`order`] (all harts together, against one memory).
//!
//! Everything read here is untrusted: a damaged log, an ELF from anywhere. Nothing panics, nothing
//! runs without end, and a replay that leaves its log is a located [`Divergence`].

#![forbid(unsafe_code)]

pub mod cause;
mod compact;
pub mod decode;
mod dictionary;
pub mod disasm;
mod divergence;
mod error;
pub mod escapes;
mod execute;
pub mod image;
mod log;
pub mod machine;
pub mod memory;
pub mod order;
pub mod recording;
pub mod step;
pub mod suspect;
pub mod verify;
pub mod walk;

pub use divergence::{Divergence, What};
pub use error::{Error, Result};
pub use image::Image;
pub use machine::Machine;
pub use recording::Recording;
pub use step::{Entered, Observer, Silent, Step};
pub use verify::verify;
