//! The `lookback` command: from a board to a recording, and from a recording to its replay.
//!
//! [`transport`] moves bytes to and from a board, [`driver`] records with them.

pub mod driver;
pub mod firmware;
pub mod stop;
pub mod text;
pub mod transport;
