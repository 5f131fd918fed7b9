//! Every byte that Lookback writes: entries, intervals, frames and the `.lbk` container.
//!
//! `docs/log-format.md` is the definition; this crate is its only implementation on the host, with
//! reader and writer side by side in each file, from the inside out: [`bits`], [`entry`],
//! [`interval`], [`order`] (of several harts), [`frame`], [`stream`] (frames back to intervals), [`link`] (frames with a place), [`container`].
//! Everything read here is untrusted: no input panics, and errors say what, where and what to do.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod bits;
pub mod breach;
pub mod config;
#[cfg(feature = "std")]
pub mod container;
pub mod digest;
pub mod entry;
mod error;
pub mod frame;
pub mod interval;
pub mod isa;
pub mod link;
pub mod order;
pub mod parcel;
pub mod registers;
pub mod retire;
pub mod stream;
pub mod trigger;

pub use breach::{Breach, Rule};
pub use config::RecorderConfig;
pub use digest::Digest;
pub use error::{Error, Result};
pub use retire::Retire;
pub use trigger::TriggerSettings;

/// The version of the log format that this crate reads and writes.
pub const FORMAT_VERSION: u16 = 1;

/// CRC-32/ISO-HDLC, of frames and of container chunks.
pub const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
