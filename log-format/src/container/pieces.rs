//! Puts the PIECE chunks of an acknowledged link back together to intervals and gaps.

use super::{Chunk, Found};
use crate::interval::Record;
use crate::{Error, Result};

/// Marks of a piece: it begins an interval or gap.
const FIRST: u8 = 1;
/// Marks of a piece: it ends one.
const LAST: u8 = 2;
/// Hart, marks and offset.
const HEAD_LEN: usize = 10;

/// A part of a stream, as a PIECE chunk holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which hart.
    pub hart: u8,
    /// An interval or gap begins with it.
    pub first: bool,
    /// An interval or gap ends with it.
    pub last: bool,
    /// Offset of its first byte in the stream.
    pub offset: u64,
    /// At least one.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// The chunk's payload.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mark = |set: bool, mark: u8| if set { mark } else { 0 };
        let mut payload = vec![self.hart, mark(self.first, FIRST) | mark(self.last, LAST)];
        payload.extend(self.offset.to_le_bytes());
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
        if marks & !(FIRST | LAST) != 0 || bytes.is_empty() {
            return Err(bad("a piece that is none"));
        }
        Ok(Self {
            hart,
            first: marks & FIRST != 0,
            last: marks & LAST != 0,
            offset: u64::from_le_bytes(offset),
            bytes: bytes.to_vec(),
        })
    }

    /// Where its successor begins.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
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
    /// Where in the file it begins, and how much of the file it takes.
    at: u64,
    len: u64,
    next: u64,
    bytes: Vec<u8>,
}

impl Pieces {
    /// Takes the piece that stands at `at` in the file and takes `len` bytes of it.
    pub(super) fn take(&mut self, piece: Piece, at: u64, len: u64) -> Vec<Found> {
        let mut found = Vec::new();
        let open = self.open.iter().position(|open| open.hart == piece.hart);
        let open = open.map(|index| self.open.swap_remove(index));
        let next = piece.end();
        let mut open = match open {
            Some(open) if !piece.first && open.next == piece.offset => open,
            other => {
                found.extend(other.map(Open::lost));
                let fresh = Open {
                    hart: piece.hart,
                    at,
                    len: 0,
                    next,
                    bytes: Vec::new(),
                };
                if !piece.first {
                    found.push(Open { len, ..fresh }.lost());
                    return found;
                }
                fresh
            }
        };
        open.len += len;
        open.next = next;
        open.bytes.extend(piece.bytes);
        if piece.last {
            found.push(open.finish());
        } else {
            self.open.push(open);
        }
        found
    }
}

impl Open {
    fn lost(self) -> Found {
        Found::Damaged {
            offset: self.at,
            len: self.len,
            why: "a part of an interval whose other parts are missing".into(),
        }
    }

    fn finish(self) -> Found {
        match Record::from_bytes(&self.bytes) {
            Ok(record) => Found::Chunk {
                offset: self.at,
                chunk: Chunk::Record {
                    hart: self.hart,
                    record,
                },
            },
            Err(error) => Found::Damaged {
                offset: self.at,
                len: self.len,
                why: error.to_string(),
            },
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
        assert!(Piece::from_bytes(&[0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1], 0).is_err());
        assert!(Piece::from_bytes(&[], 0).is_err());
    }
}
