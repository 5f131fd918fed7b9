//! The `lookback` command: from a board to a recording, and from a recording to its replay.
//!
//! [`transport`] moves bytes to and from a board, [`driver`] records with them, [`cmd`] has one file
//! for each subcommand. The binary only wires these together.

pub mod cmd;
pub mod console_input;
pub mod driver;
pub mod firmware;
pub mod stop;
pub mod text;
pub mod transport;
pub mod ui;
