//! Frames on the wire: section 5 of the format.

use crate::interval::EndReason;
use crate::trigger::Fired;
use crate::{Breach, Error, Result, CRC};
use alloc::vec::Vec;

/// The most log bytes in a frame.
pub const MAX_PAYLOAD: usize = 240;
/// The offset before the log bytes of an acknowledged link.
pub const PLACE_LEN: usize = 4;
/// Type, hart, sequence number and CRC.
const OVERHEAD: usize = 8;
/// The longest frame on the wire without its delimiter: one COBS code byte for at most 254 bytes.
pub const MAX_WIRE: usize = PLACE_LEN + MAX_PAYLOAD + OVERHEAD + 1;

/// Frame types.
pub mod kind {
    /// Host to board: read a register.
    pub const READ: u8 = 0x01;
    /// Host to board: write a register.
    pub const WRITE: u8 = 0x02;
    /// Bytes of an interval or gap; bit 0 set: its first, bit 1 set: its last.
    pub const LOG: u8 = 0x10;
    /// Bit of a LOG frame: an interval or gap starts here.
    pub const LOG_FIRST: u8 = 0x01;
    /// Bit of a LOG frame: it ends here.
    pub const LOG_LAST: u8 = 0x02;
    /// The same on an acknowledged link: the bytes follow their offset in the stream. Bit 1 set:
    /// they end an interval or gap.
    pub const LOG_AT: u8 = 0x18;
    /// Board to host: a register's value.
    pub const REPLY: u8 = 0x20;
    /// Board to host: the log is complete.
    pub const END: u8 = 0x30;
}

/// A decoded frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// One of [`kind`].
    pub kind: u8,
    /// Hart that it belongs to.
    pub hart: u8,
    /// The sender's frame counter.
    pub seq: u16,
    /// At most [`PLACE_LEN`] and [`MAX_PAYLOAD`] bytes.
    pub payload: Vec<u8>,
}

impl Frame {
    /// A request to read a register.
    pub fn read(seq: u16, register: u8) -> Self {
        let payload = alloc::vec![register];
        Self {
            kind: kind::READ,
            hart: 0,
            seq,
            payload,
        }
    }

    /// A request to write a register.
    pub fn write(seq: u16, register: u8, value: u32) -> Self {
        let mut payload = alloc::vec![register];
        payload.extend(value.to_le_bytes());
        Self {
            kind: kind::WRITE,
            hart: 0,
            seq,
            payload,
        }
    }

    /// The register and value of a REPLY.
    pub fn reply(&self) -> Option<(u8, u32)> {
        match (self.kind, self.payload.as_slice()) {
            (kind::REPLY, &[register, a, b, c, d]) => {
                Some((register, u32::from_le_bytes([a, b, c, d])))
            }
            _ => None,
        }
    }

    /// The bytes on the wire, delimiter included.
    pub fn to_wire(&self) -> Vec<u8> {
        let mut plain = alloc::vec![self.kind, self.hart];
        plain.extend(self.seq.to_le_bytes());
        plain.extend(&self.payload);
        plain.extend(CRC.checksum(&plain).to_le_bytes());
        let mut wire = alloc::vec![0; cobs::max_encoding_length(plain.len())];
        let len = cobs::encode(&plain, &mut wire);
        wire.truncate(len);
        wire.push(0);
        wire
    }

    /// Decodes what stood between two delimiters.
    pub fn from_wire(wire: &[u8]) -> Result<Self> {
        let bad = |why| Error::BadFrame {
            len: wire.len(),
            why,
        };
        if wire.len() > MAX_WIRE {
            return Err(bad("longer than any frame can be"));
        }
        let mut plain = [0u8; MAX_WIRE];
        let report = cobs::decode(wire, &mut plain).map_err(|_| bad("its COBS code is wrong"))?;
        let plain = &plain[..report.frame_size()];
        let Some(split) = plain.len().checked_sub(4).filter(|&n| n >= OVERHEAD - 4) else {
            return Err(bad("shorter than any frame can be"));
        };
        let (body, crc) = plain.split_at(split);
        if crc != CRC.checksum(body).to_le_bytes() {
            return Err(bad("its CRC does not match"));
        }
        Ok(Self {
            kind: body[0],
            hart: body[1],
            seq: u16::from_le_bytes([body[2], body[3]]),
            payload: body[4..].to_vec(),
        })
    }
}

/// Finds frames in a byte stream. Memory is bounded; after garbage it is back in step at the next
/// delimiter.
#[derive(Debug, Clone, Default)]
pub struct FrameDecoder {
    pending: Vec<u8>,
    overlong: usize,
}

impl FrameDecoder {
    /// A decoder that waits for a frame's first byte.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one byte in; a delimiter may complete a frame or show a damaged one.
    pub fn push(&mut self, byte: u8) -> Option<Result<Frame>> {
        if byte != 0 {
            if self.pending.len() < MAX_WIRE {
                self.pending.push(byte);
            } else {
                self.overlong += 1;
            }
            return None;
        }
        let overlong = core::mem::take(&mut self.overlong);
        let wire = core::mem::take(&mut self.pending);
        if wire.is_empty() {
            return None;
        }
        if overlong > 0 {
            return Some(Err(Error::BadFrame {
                len: wire.len() + overlong,
                why: "longer than any frame can be",
            }));
        }
        Some(Frame::from_wire(&wire))
    }

    /// Bytes of a frame that has not ended yet.
    pub fn pending(&self) -> usize {
        self.pending.len() + self.overlong
    }
}

/// The payload of an END frame and of an END chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct End {
    /// Why the recording ended.
    pub reason: EndReason,
    /// The finisher's word, or the board's own code.
    pub code: u32,
    /// Retirements since recording began.
    pub retired: u64,
    /// Clock cycles since recording began.
    pub cycles: u64,
    /// Cycles in which the recorder held the hart.
    pub stalls: u64,
    /// Retirements lost.
    pub lost: u64,
    /// The trigger that fired, if one did; the recording may have ended before it was due to.
    pub fired: Option<Fired>,
    /// The first rule of the retirement port that the core broke, if it broke one.
    pub breach: Option<Breach>,
}

impl End {
    /// Bytes of the payload, without a breach.
    pub const LEN: usize = 37;

    /// The payload.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = alloc::vec![self.reason.code() | Fired::bits(self.fired) << 3];
        bytes.extend(self.code.to_le_bytes());
        for count in [self.retired, self.cycles, self.stalls, self.lost] {
            bytes.extend(count.to_le_bytes());
        }
        if let Some(breach) = &self.breach {
            bytes.extend(breach.to_bytes());
        }
        bytes
    }

    /// Reads the payload.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let breach = match bytes.len() {
            Self::LEN => None,
            len if len == Self::LEN + Breach::LEN => Some(Breach::from_bytes(&bytes[Self::LEN..])?),
            len => {
                return Err(Error::BadFrame {
                    len,
                    why: "END has 37 bytes, or 61 with a breach",
                })
            }
        };
        let fired = Fired::from_bits(bytes[0] >> 3);
        if fired.is_none() && bytes[0] >> 3 != 0 {
            return Err(Error::BadFrame {
                len: bytes.len(),
                why: "END names a hart whose trigger fired, but no trigger",
            });
        }
        let count = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        Ok(Self {
            reason: EndReason::from_code(bytes[0] & 7)?,
            code: u32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]),
            retired: count(5),
            cycles: count(13),
            stalls: count(21),
            lost: count(29),
            fired,
            breach,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames() -> impl Strategy<Value = Frame> {
        (
            any::<u8>(),
            any::<u8>(),
            any::<u16>(),
            prop::collection::vec(any::<u8>(), 0..=PLACE_LEN + MAX_PAYLOAD),
        )
            .prop_map(|(kind, hart, seq, payload)| Frame {
                kind,
                hart,
                seq,
                payload,
            })
    }

    fn decode(bytes: &[u8]) -> Vec<Result<Frame>> {
        let mut decoder = FrameDecoder::new();
        bytes
            .iter()
            .filter_map(|&byte| decoder.push(byte))
            .collect()
    }

    proptest! {
        #[test]
        fn what_is_sent_arrives(list in prop::collection::vec(frames(), 0..8)) {
            let wire: Vec<u8> = list.iter().flat_map(Frame::to_wire).collect();
            let got: Result<Vec<Frame>> = decode(&wire).into_iter().collect();
            prop_assert_eq!(got.unwrap(), list);
        }

        #[test]
        fn a_flipped_bit_is_never_a_frame(frame in frames(), at: prop::sample::Index, bit in 0u8..8) {
            let mut wire = frame.to_wire();
            let at = at.index(wire.len() - 1);
            wire[at] ^= 1 << bit;
            prop_assert!(decode(&wire).iter().all(|result| result.is_err()));
        }

        #[test]
        fn garbage_costs_one_frame_at_most(garbage: Vec<u8>, frame in frames()) {
            let mut wire = garbage;
            wire.push(0);
            wire.extend(frame.to_wire());
            let got = decode(&wire);
            prop_assert_eq!(got.last(), Some(&Ok(frame)));
        }
    }
}
