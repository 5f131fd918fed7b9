//! Puts the PIECE chunks of an acknowledged link back together to intervals and gaps.

use super::{Chunk, Found};
use crate::interval::Record;
use crate::{Error, Result};

/// Marks of a piece: it begins an interval or gap.
const FIRST: u8 = 1;
/// Marks of a piece: it ends one.
const LAST: u8 = 2;
/// Marks of a piece: it is a parcel of several harts' stream, and says which one of its hart's.
const PARCEL: u8 = 4;
/// Hart, marks and offset.
const HEAD_LEN: usize = 10;
/// The number of a hart's parcel.
const TURN_LEN: usize = 4;

/// A part of a stream, as a PIECE chunk holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which hart.
    pub hart: u8,
    /// An interval or gap begins with it.
    pub first: bool,
    /// An interval or gap ends with it.
    pub last: bool,
    /// Offset of its first byte in the stream; of a parcel, that is the byte that says whose it is.
    pub offset: u64,
    /// How many parcels of this hart came before it, if it is a parcel.
    pub turn: Option<u32>,
    /// At least one, if it is no parcel. The first byte of a parcel is not among them.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// The chunk's payload.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mark = |set: bool, mark: u8| if set { mark } else { 0 };
        let marks = mark(self.first, FIRST) | mark(self.last, LAST);
        let marks = marks | mark(self.turn.is_some(), PARCEL);
        let mut payload = vec![self.hart, marks];
        payload.extend(self.offset.to_le_bytes());
        payload.extend(self.turn.iter().flat_map(|turn| turn.to_le_bytes()));
        payload.extend(&self.bytes);
        payload
    }

    /// Reads the payload of the chunk at `at`.
    pub fn from_bytes(payload: &[u8], at: u64) -> Result<Self> {
        let bad = |why: &str| Error::BadChunk {
            offset: at,
            why: why.into(),
        };
        let Some((head, bytes)) = payload.split_first_chunk::<HEAD_LEN>() else {
            return Err(bad("a piece without its place"));
        };
        let [hart, marks, offset @ ..] = *head;
        let (turn, bytes) = if marks & PARCEL == 0 {
            (None, bytes)
        } else {
            let Some((turn, bytes)) = bytes.split_first_chunk::<TURN_LEN>() else {
                return Err(bad("a parcel without its number"));
            };
            (Some(u32::from_le_bytes(*turn)), bytes)
        };
        if marks & !(FIRST | LAST | PARCEL) != 0 || bytes.is_empty() && turn.is_none() {
            return Err(bad("a piece that is none"));
        }
        Ok(Self {
            hart,
            first: marks & FIRST != 0,
            last: marks & LAST != 0,
            offset: u64::from_le_bytes(offset),
            turn,
            bytes: bytes.to_vec(),
        })
    }

    /// Where its successor in the stream begins.
    pub fn end(&self) -> u64 {
        let name = u64::from(self.turn.is_some());
        self.offset.saturating_add(self.bytes.len() as u64 + name)
    }

    /// What the successor in its own interval must continue: the offset, or the number of the parcel.
    fn place(&self) -> u64 {
        self.turn.map_or(self.offset, u64::from)
    }

    fn next_place(&self) -> u64 {
        self.turn.map_or(self.end(), |turn| u64::from(turn) + 1)
    }
}

/// The intervals that are not complete yet.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    hart: u8,
    /// Where its parts are in the file: offset and length of each stretch.
    parts: Vec<(u64, u64)>,
    /// The place at which it goes on.
    next: u64,
    /// Its beginning gave way in a ring, before anything of this hart was sent: it is passed over.
    headless: bool,
    bytes: Vec<u8>,
}

impl Pieces {
    /// Takes the piece that stands at `at` in the file and takes `len` bytes of it.
    pub(super) fn take(&mut self, piece: Piece, at: u64, len: u64) -> Vec<Found> {
        let mut found = Vec::new();
        let open = self.open.iter().position(|open| open.hart == piece.hart);
        let open = open.map(|index| self.open.swap_remove(index));
        let mut open = match open {
            Some(open) if !piece.first && open.next == piece.place() => open,
            other => {
                found.extend(other.into_iter().flat_map(Open::lost));
                let fresh = Open {
                    hart: piece.hart,
                    parts: Vec::new(),
                    next: 0,
                    headless: piece.turn == Some(0) && !piece.first,
                    bytes: Vec::new(),
                };
                if !piece.first && !fresh.headless {
                    let parts = vec![(at, len)];
                    found.extend(Open { parts, ..fresh }.lost());
                    return found;
                }
                fresh
            }
        };
        open.add_part(at, len);
        open.next = piece.next_place();
        if !open.headless {
            open.bytes.extend(piece.bytes);
        }
        if !piece.last {
            self.open.push(open);
        } else if !open.headless {
            found.extend(open.finish());
        }
        found
    }
}

impl Open {
    fn add_part(&mut self, at: u64, len: u64) {
        match self.parts.last_mut() {
            Some((begin, length)) if *begin + *length == at => *length += len,
            _ => self.parts.push((at, len)),
        }
    }

    fn lost(self) -> Vec<Found> {
        if self.headless {
            return Vec::new();
        }
        self.damaged("a part of an interval whose other parts are missing")
    }

    fn damaged(&self, why: &str) -> Vec<Found> {
        let parts = self.parts.iter().map(|&(offset, len)| Found::Damaged {
            offset,
            len,
            why: why.into(),
        });
        parts.collect()
    }

    fn finish(mut self) -> Vec<Found> {
        match Record::from_bytes(&std::mem::take(&mut self.bytes)) {
            Ok(record) => vec![Found::Chunk {
                offset: self.parts.first().map_or(0, |part| part.0),
                chunk: Chunk::Record {
                    hart: self.hart,
                    record,
                },
            }],
            Err(error) => self.damaged(&error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{read, Writer};
    use super::*;
    use crate::interval::Gap;

    fn gap(index: u32) -> Record {
        Record::Gap(Gap {
            index,
            retired: 0,
            cycle: 0,
            lost: 1,
        })
    }

    /// Two gaps, each in two pieces; those in `left_out` are not written.
    fn file(left_out: &[usize]) -> Vec<Found> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        writer.put_stream(5).unwrap();
        let bytes: Vec<u8> = [gap(0), gap(1)].iter().flat_map(Record::to_bytes).collect();
        for (n, half) in bytes.chunks(13).enumerate() {
            let piece = Piece {
                hart: 0,
                first: n % 2 == 0,
                last: n % 2 == 1,
                offset: n as u64 * 13,
                turn: None,
                bytes: half.to_vec(),
            };
            if !left_out.contains(&n) {
                writer.put_piece(&piece).unwrap();
            }
        }
        read(writer.get_mut()).unwrap()
    }

    /// Indices of the records, and how often something is damaged.
    fn seen(found: &[Found]) -> (Vec<u32>, usize) {
        let mut indices = Vec::new();
        for found in found {
            if let Found::Chunk {
                chunk: Chunk::Record { record, .. },
                ..
            } = found
            {
                indices.push(record.index());
            }
        }
        let damaged = found.iter().filter(|f| matches!(f, Found::Damaged { .. }));
        (indices, damaged.count())
    }

    #[test]
    fn pieces_become_records_and_what_is_missing_is_damage() {
        assert_eq!(seen(&file(&[])), (vec![0, 1], 0));
        assert_eq!(seen(&file(&[0])), (vec![1], 1));
        assert_eq!(seen(&file(&[1])), (vec![1], 1));
        assert_eq!(seen(&file(&[1, 2])), (vec![], 2));
        assert_eq!(seen(&file(&[3])), (vec![0], 0), "it just ends");
    }

    #[test]
    fn a_piece_that_is_none_is_refused() {
        assert!(Piece::from_bytes(&[0; 10], 0).is_err());
        assert!(Piece::from_bytes(&[0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1], 0).is_err());
        assert!(Piece::from_bytes(&[], 0).is_err());
    }

    /// Gaps of two harts in parcels that take turns; those in `left_out` are not written.
    fn several(left_out: &[usize], first_turn: [u32; 2]) -> Vec<Found> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        let bytes = [gap(0).to_bytes(), gap(1).to_bytes()];
        let mut offset = 100;
        for n in 0..8 {
            let hart = n % 2;
            let half = &bytes[n / 4][(n / 2 % 2) * 13..][..13];
            let piece = Piece {
                hart: hart as u8,
                first: n / 2 % 2 == 0,
                last: n / 2 % 2 == 1,
                offset,
                turn: Some((n / 2) as u32 + first_turn[hart]),
                bytes: half.to_vec(),
            };
            offset = piece.end();
            if !left_out.contains(&n) {
                writer.put_piece(&piece).unwrap();
            }
        }
        read(writer.get_mut()).unwrap()
    }

    #[test]
    fn a_parcel_that_is_missing_costs_the_interval_of_its_hart_alone() {
        assert_eq!(seen(&several(&[], [0, 0])), (vec![0, 0, 1, 1], 0));
        assert_eq!(seen(&several(&[2], [0, 0])), (vec![0, 1, 1], 1));
        assert_eq!(seen(&several(&[0], [0, 0])), (vec![0, 1, 1], 1));
        assert_eq!(seen(&several(&[2, 3, 4, 5], [0, 0])), (vec![], 4));
    }

    #[test]
    fn what_gave_way_before_the_first_parcel_is_no_damage() {
        let found = several(&[0], [7, 0]);
        assert_eq!(seen(&found).1, 1, "it was sent, and is missing");
        let mut writer = Writer::new(Vec::new()).unwrap();
        let parts = [(false, 0), (true, 1), (false, 2), (true, 3)];
        for (last, turn) in parts {
            let bytes = gap(3).to_bytes();
            let piece = Piece {
                hart: 1,
                first: turn == 2,
                last,
                offset: 40 + u64::from(turn) * 14,
                turn: Some(turn),
                bytes: bytes[(turn % 2) as usize * 13..][..13].to_vec(),
            };
            writer.put_piece(&piece).unwrap();
        }
        assert_eq!(seen(&read(writer.get_mut()).unwrap()), (vec![3], 0));
    }

    #[test]
    fn an_empty_parcel_ends_an_interval() {
        let mut writer = Writer::new(Vec::new()).unwrap();
        for (turn, bytes) in [(0, gap(0).to_bytes()), (1, Vec::new())] {
            let piece = Piece {
                hart: 2,
                first: turn == 0,
                last: turn == 1,
                offset: u64::from(turn) * 27,
                turn: Some(turn),
                bytes,
            };
            let again = Piece::from_bytes(&piece.to_bytes(), 0).unwrap();
            assert_eq!(again, piece);
            writer.put_piece(&piece).unwrap();
        }
        assert_eq!(seen(&read(writer.get_mut()).unwrap()), (vec![0], 0));
    }
}
