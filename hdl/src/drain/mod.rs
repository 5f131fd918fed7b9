//! From interval bytes to the wire and back: ring, framer, UART, control registers.
//!
//! ```text
//!  byte stream ─► log_ring ─pieces─► framer ─bytes─► uart tx ─► log_tx
//!                                      ▲
//!  front ◄─ control ─words─► message ──┘
//!                ▲
//!             command ◄─bits, bytes── uart rx ◄─ log_rx
//! ```
//! `docs/log-format.md` sections 5 and 6 say what goes over the wire; `drain` joins the blocks:
//! `drain_core` all but the UART.

mod command;
mod control;
#[allow(clippy::module_inception)] // the block is called as its part of the recorder
mod drain;
mod drain_core;
mod framer;
mod log_ring;
mod message;
mod preset;
mod register_bits;
mod stream_sum;
mod uart;
mod window;

pub use command::Command;
pub use control::{Control, Identity};
pub use drain::Drain;
pub use drain_core::DrainCore;
pub use framer::Framer;
pub use log_ring::LogRing;
pub use message::Message;
pub use preset::Preset;
pub use register_bits::RegisterBits;
pub use stream_sum::StreamSum;
pub use uart::{UartRx, UartTx};
pub use window::Window;

/// The reflected polynomial of CRC-32/ISO-HDLC.
const CRC_POLYNOMIAL: u32 = 0xedb8_8320;

#[cfg(test)]
mod end_to_end;
#[cfg(test)]
mod testing;
