//! The whole chunks of a damaged file, each once and in its place.
//!
//! Whatever copied a file badly may have left chunks twice or in another order; nothing of them is
//! lost then, so they are put back rather than dropped.

use crate::text::plural;
use lookback_log_format::container::{RawChunk, FILE_HEADER_LEN};
use std::collections::HashSet;

/// What a repaired file is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A chunk that is whole.
    Chunk(RawChunk),
    /// Bytes of the damaged file that are no chunk: offset and length.
    Hole(u64, u64),
}

/// What a file holds, and what had to be done about it.
#[derive(Debug, Default)]
pub struct Tidy {
    /// The parts, in their order.
    pub parts: Vec<Part>,
    /// Bytes before the first chunk and behind the last, where a recording misses nothing.
    pub outside: Vec<(u64, u64)>,
    /// What was done, in words.
    pub done: Vec<String>,
}

/// Puts the chunks of a file of `length` bytes in order.
pub fn tidy(chunks: Vec<RawChunk>, length: u64) -> Tidy {
    let mut tidy = Tidy::default();
    let mut at = FILE_HEADER_LEN as u64;
    for chunk in chunks {
        if chunk.offset > at {
            let hole = (at, chunk.offset - at);
            // Before the configuration nothing of a recording can be missing.
            if tidy.parts.is_empty() && chunk.config().is_some() {
                tidy.outside.push(hole);
            } else {
                tidy.parts.push(Part::Hole(hole.0, hole.1));
            }
        }
        at = chunk.end();
        tidy.parts.push(Part::Chunk(chunk));
    }
    if length > at {
        tidy.outside.push((at, length - at));
    }
    tidy.end_at_another();
    tidy.drop_doubles();
    tidy.sort();
    tidy
}

impl Tidy {
    /// Another recording behind this one is not a part of it.
    fn end_at_another(&mut self) {
        let mut first: [Option<&[u8]>; 2] = [None, None];
        let mut other = None;
        for (number, part) in self.parts.iter().enumerate() {
            let Part::Chunk(chunk) = part else {
                continue;
            };
            let kind = match (chunk.config(), chunk.stream()) {
                (Some(_), _) => 0,
                (_, Some(_)) => 1,
                _ => continue,
            };
            if *first[kind].get_or_insert(&chunk.payload) != chunk.payload {
                other = Some((number, chunk.offset));
                break;
            }
        }
        let Some((number, offset)) = other else {
            return;
        };
        self.parts.truncate(number);
        self.done.push(format!(
            "left out: everything from byte {offset} on, which belongs to another recording"
        ));
    }

    fn drop_doubles(&mut self) {
        let mut seen = HashSet::new();
        let done = &mut self.done;
        self.parts.retain(|part| {
            let Part::Chunk(chunk) = part else {
                return true;
            };
            let fresh = identity(chunk).is_none_or(|identity| seen.insert(identity));
            if !fresh {
                let offset = chunk.offset;
                done.push(format!(
                    "left out: the chunk at byte {offset}, which is there before"
                ));
            }
            fresh
        });
    }

    /// What stands in front first, then the log in its order, with everything else where it is.
    fn sort(&mut self) {
        let before = self.parts.clone();
        self.parts.sort_by_key(|part| match part {
            Part::Chunk(chunk) if chunk.config().is_some() => 0,
            Part::Chunk(chunk) if chunk.is_elf() => 1,
            Part::Chunk(chunk) if chunk.stream().is_some() => 2,
            Part::Chunk(chunk) if chunk.is_end() => 4,
            _ => 3,
        });
        let mut places = Vec::new();
        let mut log = Vec::new();
        for (place, part) in self.parts.iter().enumerate() {
            if let Some(number) = number(part) {
                places.push(place);
                log.push((number, part.clone()));
            }
        }
        log.sort_by_key(|(number, _)| *number);
        for (place, (_, part)) in places.into_iter().zip(log) {
            self.parts[place] = part;
        }
        let moved = before.iter().zip(&self.parts).filter(|(a, b)| a != b);
        let moved = moved.count() as u64;
        if moved > 0 {
            let chunks = plural(moved, "chunk");
            self.done
                .push(format!("put back: {chunks} in another order"));
        }
    }
}

/// By what a chunk is known, if a recording has it but once.
fn identity(chunk: &RawChunk) -> Option<(u8, u64, u64)> {
    let (hart, index) = match (chunk.piece(), chunk.record()) {
        (Some(piece), _) => (0, piece.offset),
        (_, Some((hart, record))) => (hart.into(), record.index().into()),
        _ if chunk.is_single() => (0, 0),
        _ => return None,
    };
    Some((chunk.kind, hart, index))
}

/// The place of a part in the log: pieces by their offset; intervals of one hart by their index.
fn number(part: &Part) -> Option<u64> {
    let Part::Chunk(chunk) = part else {
        return None;
    };
    let piece = chunk.piece().map(|piece| piece.offset);
    piece.or_else(|| chunk.record().map(|(_, record)| record.index().into()))
}
