//! The smallest recorder, for FPGAs without LUT RAM: one that waits.
//!
//! Reading order: `front` (the picture), then its own blocks `tags`, `dictionary` and `code`, and
//! `recorder`, which puts a drain behind it. The rest is the large recorder's (`crate::recorder`), and
//! so is the log: `lookback_model` with these sizes is the twin of the whole.
//! `port` and `kept` put it beside somebody else's core, one that keeps its port while it waits.

pub mod code;
pub mod dictionary;
pub mod front;
pub mod kept;
pub mod port;
pub mod recorder;
pub mod tags;
