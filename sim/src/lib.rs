//! Simulated boards: a SoC with its recorder, clocked by rust-hdl's simulator or by Verilator,
//! behind one interface that looks like a board on a desk: a console, a log link, a clock.
//!
//! ```text
//!            ┌ Stepped (rust-hdl) ┐
//!  Board ──► │                    │ ◄── Exchange: RAM, pins as edges, console bytes, trace
//!    │       └ Verilated (C++)    ┘
//!    ├ uart: edges ◄► bytes of the log link
//!    ├ vcd:  waves of all ports
//!    └ pty:  the link as a serial device, for a program that expects one
//! ```
//! Both engines are identical to the cycle: the same program gives the same link bytes, the same
//! cycles and the same waves. A board may have somebody else's core ([`CoreChoice`]), in Verilator.

pub mod block;
mod board;
mod catalog;
mod cores;
mod engine;
mod error;
#[cfg(unix)]
pub mod pty;
mod sources;
mod stepped;
mod uart;
mod vcd;
mod verilator;

#[cfg(test)]
mod testboard;

pub use board::{Board, BoardOptions, EngineChoice, EngineKind, RunStatus, Segment};
pub use catalog::board_names;
pub use cores::{core_names, core_sources, fetch_core, CoreChoice};
pub use engine::TraceItem;
pub use error::{Error, Result};
pub use sources::Sources;

/// Where the RAM of a simulated board begins.
pub const RAM_BASE: u32 = 0x8000_0000;
