//! The recorder and a small SoC to record, as circuits in rust-hdl: no file I/O, no processes.
//!
//! ```text
//!  soc ──rvfi, snoop──► recorder ──bytes──► drain ──log_tx──► host
//!   ▲                      │                  ▲
//!   └───────stall──────────┘               log_rx
//! ```
//! Reading order: `soc` (what is recorded), `recorder` (events to bytes), `drain` (bytes to the
//! wire), `boards` (tops). Every block has a plain-Rust twin in `lookback-model`.

pub mod boards;
pub mod drain;
pub mod guard;
pub mod harness;
pub mod recorder;
pub mod soc;
