//! Header and trailer of codec `compact`: section 10.7 of the format.

use super::{privilege_mode, too_short, u32_at, EndReason, Header, Interval, Layout, Trailer};
use crate::{Error, Result};
use alloc::vec::Vec;

/// What bits 3:0 of the first byte say.
pub const KIND: u8 = 3;
const MODE_SHIFT: u32 = 4;
const KEY_BIT: u8 = 1 << 6;
const TRAILER_LEN: usize = 8;
/// First byte, three numbers of one byte, pc.
const SHORTEST_HEADER: usize = 8;
/// Instructions take three bytes.
const MOST_INSTRUCTIONS: u32 = 0xff_ffff;

fn number_len(number: u64) -> usize {
    (64 - number.leading_zeros()).div_ceil(7).max(1) as usize
}

/// Bytes of header and trailer.
pub fn fixed_len(header: &Header) -> usize {
    let Header {
        index,
        retired,
        cycle,
        ..
    } = *header;
    let numbers = number_len(index.into()) + number_len(retired) + number_len(cycle);
    1 + numbers + 4 + TRAILER_LEN
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends an interval.
pub fn write(out: &mut Vec<u8>, interval: &Interval) {
    let (header, trailer) = (&interval.header, &interval.trailer);
    let key = if header.is_key() { KEY_BIT } else { 0 };
    out.push(KIND | (header.mode & 3) << MODE_SHIFT | key);
    put_number(out, header.index.into());
    put_number(out, header.retired);
    put_number(out, header.cycle);
    out.extend(header.pc.to_le_bytes());
    out.extend(&interval.entries);
    let instructions = trailer.instructions.min(MOST_INSTRUCTIONS);
    out.extend(&instructions.to_le_bytes()[..3]);
    out.extend(trailer.digest.to_le_bytes());
    out.push(trailer.reason.code());
}

/// Takes a number of at most `limit` from the front.
fn take_number(bytes: &mut &[u8], field: &'static str, limit: u64) -> Result<u64> {
    let mut number = 0u64;
    for (place, shift) in (0..64).step_by(7).enumerate() {
        let Some((&byte, rest)) = bytes.split_first() else {
            return Err(too_short(bytes, 1));
        };
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        let refuse = Error::BadInterval {
            field,
            value: byte.into(),
        };
        if bits << shift >> shift != bits {
            return Err(refuse);
        }
        number |= bits << shift;
        if byte < 0x80 {
            let padded = byte == 0 && place > 0;
            return if padded || number > limit {
                Err(refuse)
            } else {
                Ok(number)
            };
        }
    }
    Err(Error::BadInterval {
        field,
        value: number,
    })
}

/// Reads an interval, from its first to its last byte.
pub fn read(bytes: &[u8]) -> Result<Interval> {
    let shortest = SHORTEST_HEADER + TRAILER_LEN;
    let Some(body_len) = bytes.len().checked_sub(TRAILER_LEN) else {
        return Err(too_short(bytes, shortest));
    };
    let (mut body, trailer) = bytes.split_at(body_len);
    let Some((&first, rest)) = body.split_first() else {
        return Err(too_short(bytes, shortest));
    };
    body = rest;
    if first & 0x80 != 0 {
        return Err(Error::UnknownRecord(first));
    }
    let mode = privilege_mode(first >> MODE_SHIFT & 3)?;
    let index = take_number(&mut body, "index", u32::MAX.into())? as u32;
    let retired = take_number(&mut body, "retirements", u64::MAX)?;
    let cycle = take_number(&mut body, "cycles", u64::MAX)?;
    if body.len() < 4 {
        return Err(too_short(bytes, shortest));
    }
    let (pc, entries) = body.split_at(4);
    Ok(Interval {
        header: Header {
            layout: Layout::Compact {
                key: first & KEY_BIT != 0,
            },
            mode,
            index,
            retired,
            cycle,
            pc: u32_at(pc, 0),
            registers: [0; 32],
        },
        entries: entries.to_vec(),
        trailer: Trailer {
            instructions: u32_at(trailer, 0) & MOST_INSTRUCTIONS,
            digest: u32_at(trailer, 3),
            reason: EndReason::from_code(trailer[7])?,
        },
    })
}
