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
//! [`word_tags`] stand in place of `first_load_tags` where words are kept and compared.
//! [`trigger`] watches for what ends a recording. With codec `compact` everything between retirement and interval is in [`compact`].
//! Of several harts, [`strata_arbiter`] and [`chunk_counter`] find out what has to be known of their
//! order, [`order`] makes records of it, and [`several::Recorders`] is the whole.
//! [`recorder::Recorder`] is the whole up to finished records; [`stimulus`] makes random but
//! coherent runs to drive it and the hardware with.

pub mod attach;
pub mod chunk_counter;
pub mod compact;
pub mod dictionary;
pub mod digest;
pub mod encoder;
pub mod first_load_tags;
pub mod framer;
pub mod interval;
pub mod known_code;
pub mod link;
pub mod loader;
pub mod log_ring;
pub mod order;
pub mod recorder;
pub mod register_shadow;
pub mod several;
pub mod stimulus;
pub mod strata_arbiter;
#[cfg(test)]
mod testing;
pub mod trigger;
pub mod word_tags;

pub use recorder::Recorder;
pub use stimulus::{Event, Stimulus};
