//! Deterministic Verilog for a preset, behind the guards that rust-hdl needs.
//!
//! ```text
//!  preset ─► block ─► check_all ─► guard::lint_top ─► Verilog, renamed ─► verilator_lint ─► .v
//!                                                          └──────────► manifest ─────────► .json, .core
//! ```
//! The same preset gives the same bytes on every machine: no dates, no paths, no random order.

mod board;
mod design;
mod error;
mod fusesoc;
mod manifest;
mod names;
mod preset;
mod verilator;
mod width;

pub use board::{board_verilog, find_board, without_small_memories, BoardVerilog, RECORDERS};
pub use design::{emit, Design, Direction, Port};
pub use error::{Error, Result};
pub use manifest::Manifest;
pub use preset::{find, kept_recorder, presets, Preset};
pub use verilator::{verilator_command, verilator_lint, verilator_version, Report};
