//! The smallest recorder, for FPGAs without LUT RAM: one that waits.
//!
//! Reading order: `front` (the picture), then its own blocks `tags`, `dictionary` and `code`, and
//! `recorder`, which puts a drain behind it. The rest is the large recorder's (`crate::recorder`), and
//! so is the log: `lookback_model` with these sizes is the twin of the whole.

pub mod code;
pub mod dictionary;
pub mod front;
pub mod recorder;
pub mod tags;
