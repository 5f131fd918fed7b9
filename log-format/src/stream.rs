//! Puts LOG frames back together to intervals and notices what is missing.

use crate::frame::{kind, Frame};
use crate::interval::Record;
use crate::Error;
use alloc::vec::Vec;

/// No interval is longer than this; a stream that claims so is damaged.
pub const MAX_RECORD: usize = 64 << 20;

/// What comes out of a stream of LOG frames of one hart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A complete interval or gap, with its bytes as they were sent.
    Record {
        /// Parsed.
        record: Record,
        /// As sent.
        bytes: Vec<u8>,
    },
    /// Part of an interval arrived, but not all of it.
    Broken {
        /// Bytes that were thrown away.
        bytes: usize,
        /// Why.
        why: Broken,
    },
}

/// Why a piece of the log cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Its beginning was not received.
    #[error("its beginning was not received")]
    NoStart,
    /// Frames in its middle or its end were not received.
    #[error("a part of it was not received")]
    Lost,
    /// All of it arrived, and it is not an interval.
    #[error("{0}")]
    Invalid(Error),
    /// It grew beyond any length that an interval can have.
    #[error("it is longer than any interval can be")]
    TooLong,
}

/// Reassembles the intervals of one hart.
#[derive(Debug, Clone, Default)]
pub struct Assembler {
    open: Option<Vec<u8>>,
    dropped: usize,
}

impl Assembler {
    /// Waits for a first piece.
    pub fn new() -> Self {
        Self::default()
    }

    /// Frames went missing before the next one: an open interval can no longer be completed.
    pub fn lost(&mut self) -> Option<Item> {
        let bytes = self.open.take()?.len();
        Some(Item::Broken {
            bytes,
            why: Broken::Lost,
        })
    }

    /// Takes a LOG frame in.
    pub fn push(&mut self, frame: &Frame) -> Vec<Item> {
        let mut items = Vec::new();
        if frame.kind & kind::LOG_FIRST != 0 {
            items.extend(self.lost());
            self.open = Some(Vec::new());
        }
        let last = frame.kind & kind::LOG_LAST != 0;
        let Some(open) = self.open.as_mut() else {
            self.dropped += frame.payload.len();
            if last {
                let bytes = core::mem::take(&mut self.dropped);
                items.push(Item::Broken {
                    bytes,
                    why: Broken::NoStart,
                });
            }
            return items;
        };
        self.dropped = 0;
        if open.len() + frame.payload.len() > MAX_RECORD {
            let bytes = open.len();
            self.open = None;
            items.push(Item::Broken {
                bytes,
                why: Broken::TooLong,
            });
            return items;
        }
        open.extend_from_slice(&frame.payload);
        if last {
            let bytes = self.open.take().unwrap_or_default();
            items.push(match Record::from_bytes(&bytes) {
                Ok(record) => Item::Record { record, bytes },
                Err(error) => Item::Broken {
                    bytes: bytes.len(),
                    why: Broken::Invalid(error),
                },
            });
        }
        items
    }

    /// Bytes of an interval that is still open.
    pub fn pending(&self) -> usize {
        self.open.as_ref().map_or(0, Vec::len)
    }
}

/// Cuts an interval's bytes into LOG frames, as the framer does.
pub fn to_frames(hart: u8, first_seq: u16, bytes: &[u8]) -> Vec<Frame> {
    let pieces = bytes.chunks(crate::frame::MAX_PAYLOAD);
    let count = pieces.len();
    pieces
        .enumerate()
        .map(|(i, piece)| {
            let first = if i == 0 { kind::LOG_FIRST } else { 0 };
            let last = if i + 1 == count { kind::LOG_LAST } else { 0 };
            Frame {
                kind: kind::LOG | first | last,
                hart,
                seq: first_seq.wrapping_add(i as u16),
                payload: piece.to_vec(),
            }
        })
        .collect()
}
