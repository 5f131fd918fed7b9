//! The acknowledged link: section 5.1 of the format. Offsets in a recording's stream, the registers
//! that move them, and the LOG frames that carry them.

use crate::frame::{kind, Frame};

/// Any number that the host chooses for a recording; 0 after reset.
pub const STREAM: u8 = 0x16;
/// Offset of the oldest byte that the board keeps; writing it acknowledges all before.
pub const KEPT: u8 = 0x30;
/// Offset of the next byte that the board sends; writing it makes the board send again from there.
pub const SENT: u8 = 0x31;
/// Offset behind the last byte of the stream so far.
pub const WRITTEN: u8 = 0x32;
/// CRC-32 of all bytes that were sent, each counted once.
pub const SUM: u8 = 0x33;

/// CONTROL: what was sent is kept until the host acknowledges it.
pub const CONTROL_ACKNOWLEDGED: u32 = 1 << 5;

/// How far `to` lies ahead of `from`; offsets count modulo 2^32, so behind is far ahead.
pub fn distance(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from)
}

/// Whether `offset` lies in the stretch from `first` to `last`, both included.
pub fn within(first: u32, offset: u32, last: u32) -> bool {
    distance(first, offset) <= distance(first, last)
}

/// The full offset that 32 bits of it stand for, near a known one.
pub fn widen(near: u64, offset: u32) -> u64 {
    let ahead = distance(near as u32, offset) as i32;
    near.wrapping_add_signed(ahead.into())
}

/// A piece of a stream, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Offset of its first byte.
    pub offset: u32,
    /// At least one.
    pub bytes: &'a [u8],
    /// Its last byte ends an interval or gap.
    pub last: bool,
}

impl<'a> Placed<'a> {
    /// The piece that a frame carries, `None` if it is another frame or carries nothing.
    pub fn of(frame: &'a Frame) -> Option<Self> {
        if frame.kind & !kind::LOG_LAST != kind::LOG_AT {
            return None;
        }
        let (offset, bytes) = frame.payload.split_first_chunk::<4>()?;
        (!bytes.is_empty()).then(|| Self {
            offset: u32::from_le_bytes(*offset),
            bytes,
            last: frame.kind & kind::LOG_LAST != 0,
        })
    }

    /// The frame that carries it.
    pub fn to_frame(self, hart: u8, seq: u16) -> Frame {
        let mut payload = self.offset.to_le_bytes().to_vec();
        payload.extend_from_slice(self.bytes);
        let last = if self.last { kind::LOG_LAST } else { 0 };
        Frame {
            kind: kind::LOG_AT | last,
            hart,
            seq,
            payload,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_go_round() {
        assert_eq!(distance(0xffff_fffe, 3), 5);
        assert!(within(0xffff_fff0, 2, 7) && !within(0xffff_fff0, 8, 7));
        assert_eq!(widen(0x1_ffff_fffe, 3), 0x2_0000_0003);
        assert_eq!(widen(0x2_0000_0003, 0xffff_fffe), 0x1_ffff_fffe);
        assert_eq!(widen(500, 400), 400);
    }

    #[test]
    fn a_piece_keeps_its_place() {
        let piece = Placed {
            offset: 0x0102_0304,
            bytes: &[7; 240],
            last: true,
        };
        let frame = piece.to_frame(1, 9);
        let wire = frame.to_wire();
        let back = Frame::from_wire(&wire[..wire.len() - 1]).unwrap();
        assert_eq!(back, frame);
        assert_eq!(Placed::of(&back), Some(piece));
        let empty = Placed {
            bytes: &[],
            ..piece
        };
        assert_eq!(Placed::of(&empty.to_frame(0, 0)), None);
    }
}
