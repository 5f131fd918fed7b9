//! The recorder and a small SoC to record, as circuits in rust-hdl: no file I/O, no processes.
//!
//! ```text
//!  soc ──rvfi, snoop──► recorder ──bytes──► drain ──log_tx──► host
//!   ▲                      │                  ▲
//!   └───────stall──────────┘               log_rx
//! ```
//! Reading order: `soc` (what is recorded), `recorder` (events to bytes), `compact` (the same, smaller), `small` (the same for the
//! smallest FPGAs), `drain` (bytes to the
//! wire), `boards` (tops), `tops` (what other crates build). Every block has a plain-Rust twin in `lookback-model`.

// `#[hdl_gen]` lowers neither `&&` nor shorthands: circuits are written out.
#![allow(clippy::collapsible_if, clippy::collapsible_else_if)]
// Sizes are const generics: what they must satisfy is asserted where a block is built.
#![allow(clippy::assertions_on_constants)]

pub mod attach;
pub mod boards;
pub mod compact;
pub mod drain;
pub mod guard;
pub mod harness;
pub mod memory;
pub mod recorder;
pub mod small;
pub mod soc;
pub mod tops;
