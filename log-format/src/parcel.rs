//! Parcels: how the records of several harts share one stream. Section 5.2 of the log format.

use crate::frame::{kind, Frame};
use alloc::vec::Vec;

/// Bytes of a hart's stream in a parcel that ends nothing; every shorter one ends a record.
pub const PARCEL_BYTES: usize = 224;
/// The hart byte of strata.
const STRATA: u8 = 0xff;
/// The hart byte of chunks.
const CHUNKS: u8 = 0xfe;

/// Why the bytes of a frame are no parcel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoParcel {
    /// It has no first byte.
    #[error("a parcel without its first byte")]
    Empty,
    /// The first byte has bits that mean nothing, or names nobody.
    #[error("a parcel that begins with {0:#04x}, which names no hart")]
    Name(u8),
    /// It is longer than a parcel.
    #[error("a parcel of {0} bytes, where {most} are the most", most = PARCEL_BYTES + 1)]
    TooLong(usize),
}

/// The LOG frame that a parcel stands for: its hart, and whether it begins and ends a record.
pub fn open(parcel: &Frame) -> Result<Frame, NoParcel> {
    let (&name, bytes) = parcel.payload.split_first().ok_or(NoParcel::Empty)?;
    let hart = match name & 0x7f {
        hart @ 0..=3 => hart,
        6 => CHUNKS,
        7 => STRATA,
        _ => return Err(NoParcel::Name(name)),
    };
    if bytes.len() > PARCEL_BYTES {
        return Err(NoParcel::TooLong(parcel.payload.len()));
    }
    let first = if name & 0x80 != 0 { kind::LOG_FIRST } else { 0 };
    let last = if bytes.len() < PARCEL_BYTES {
        kind::LOG_LAST
    } else {
        0
    };
    Ok(Frame {
        kind: kind::LOG | first | last,
        hart,
        seq: parcel.seq,
        payload: bytes.to_vec(),
    })
}

/// The first byte of a parcel: whose it is, and whether it begins something.
pub fn name(hart: u8, first: bool) -> u8 {
    hart & 7 | u8::from(first) << 7
}

/// Cuts a record of a hart into parcels, as the recorder does.
pub fn pack(hart: u8, record: &[u8]) -> Vec<Vec<u8>> {
    let mut parcels = Vec::new();
    let mut rest = record;
    loop {
        let (bytes, after) = rest.split_at(rest.len().min(PARCEL_BYTES));
        let mut parcel = alloc::vec![name(hart, parcels.is_empty())];
        parcel.extend_from_slice(bytes);
        parcels.push(parcel);
        rest = after;
        if bytes.len() < PARCEL_BYTES {
            return parcels;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_opened_again() {
        for length in [1, 223, 224, 225, 448, 1000] {
            for hart in [0, 3, 0xfe, 0xff] {
                let record: Vec<u8> = (0..length).map(|n| n as u8).collect();
                let parcels = pack(hart, &record);
                let frames: Vec<Frame> = parcels
                    .iter()
                    .map(|payload| {
                        let frame = Frame {
                            kind: 0x13,
                            hart: 0,
                            seq: 0,
                            payload: payload.clone(),
                        };
                        open(&frame).expect("a parcel")
                    })
                    .collect();
                let bytes: Vec<u8> = frames.iter().flat_map(|f| f.payload.clone()).collect();
                assert_eq!(bytes, record);
                assert!(frames.iter().all(|frame| frame.hart == hart));
                let ends = frames.iter().filter(|f| f.kind & kind::LOG_LAST != 0);
                let begins = frames.iter().filter(|f| f.kind & kind::LOG_FIRST != 0);
                assert_eq!((begins.count(), ends.count()), (1, 1));
                assert!(frames[frames.len() - 1].kind & kind::LOG_LAST != 0);
            }
        }
    }

    #[test]
    fn what_is_no_parcel_is_refused() {
        let frame = |payload: &[u8]| Frame {
            kind: 0x13,
            hart: 0,
            seq: 0,
            payload: payload.to_vec(),
        };
        assert_eq!(open(&frame(&[])), Err(NoParcel::Empty));
        assert_eq!(open(&frame(&[0x44, 1])), Err(NoParcel::Name(0x44)));
        assert_eq!(open(&frame(&[4])), Err(NoParcel::Name(4)));
        assert_eq!(open(&frame(&[0; 230])), Err(NoParcel::TooLong(230)));
    }
}
