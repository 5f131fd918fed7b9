//! The golden recorder in plain Rust: what the hardware must produce, retirement by retirement.
//!
//! Written from the words of `docs/log-format.md` and never from the HDL, one file for each
//! hardware block, so that the two can only agree by both being right:
//!
//! ```text
//!            ┌ known_code ─ first_load_tags ┐
//! retirement ┤                              ├ encoder ─ interval ─ log_ring ─ framer
//!            └ register_shadow ── digest ───┘    └ dictionary
//! ```
//! [`recorder::Recorder`] is the whole up to finished records; [`stimulus`] makes random but
//! coherent runs to drive it and the hardware with.

pub mod attach;
pub mod dictionary;
pub mod digest;
pub mod encoder;
pub mod first_load_tags;
pub mod framer;
pub mod interval;
pub mod known_code;
pub mod log_ring;
pub mod recorder;
pub mod register_shadow;
pub mod stimulus;
#[cfg(test)]
mod testing;

pub use recorder::Recorder;
pub use stimulus::{Event, Stimulus};
