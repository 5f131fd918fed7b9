//! Where chunks end: QuickRec's and Capo's interleaving log, section 11.3.
//!
//! Each hart collects what it has read and written in two signatures. Another hart's access that
//! conflicts ends its chunk *before* that access counts, so the chunk comes first in the log; the
//! access belongs to a chunk that is logged later. So chunks can be executed one after the other.

use crate::strata_arbiter::fold;
use lookback_log_format::order::OrderSettings;

/// The chunk of a hart that is still open.
#[derive(Debug, Clone)]
struct Open {
    size: u32,
    read: Vec<bool>,
    written: Vec<bool>,
    /// Bits set in both.
    marks: usize,
}

impl Open {
    fn new(bits: u8) -> Self {
        Self {
            size: 0,
            read: vec![false; 1 << bits],
            written: vec![false; 1 << bits],
            marks: 0,
        }
    }

    fn end(&mut self, hart: usize) -> Chunk {
        let size = std::mem::take(&mut self.size);
        self.read.fill(false);
        self.written.fill(false);
        self.marks = 0;
        Chunk {
            hart: hart as u8,
            size,
        }
    }
}

/// A chunk that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Whose.
    pub hart: u8,
    /// Instructions.
    pub size: u32,
}

/// What an instruction does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Where.
    pub block: u32,
    /// It reads.
    pub reads: bool,
    /// It writes.
    pub writes: bool,
}

/// The open chunks of all harts.
#[derive(Debug, Clone)]
pub struct ChunkCounter {
    settings: OrderSettings,
    open: Vec<Open>,
}

impl ChunkCounter {
    /// All chunks are empty.
    pub fn new(settings: OrderSettings, harts: usize) -> Self {
        Self {
            settings,
            open: vec![Open::new(settings.signature_bits); harts],
        }
    }

    /// An instruction of a hart retires; the chunks that end, in their order.
    pub fn retire(&mut self, hart: usize, access: Option<Access>, trap: bool) -> Vec<Chunk> {
        let mut ended = Vec::new();
        let bits = self.settings.signature_bits;
        if let Some(access) = access {
            let bit = fold(access.block, bits);
            for (other, open) in self.open.iter_mut().enumerate() {
                let conflicts = open.written[bit] || open.read[bit] && access.writes;
                if other != hart && conflicts {
                    ended.push(open.end(other));
                }
            }
        }
        let own = &mut self.open[hart];
        own.size += 1;
        if let Some(access) = access {
            let bit = fold(access.block, bits);
            for (does, signature) in [
                (access.reads, &mut own.read),
                (access.writes, &mut own.written),
            ] {
                if does && !std::mem::replace(&mut signature[bit], true) {
                    own.marks += 1;
                }
            }
        }
        let limit = (1 << self.settings.chunk_bits) - 1;
        if trap || own.size == limit || own.marks >= 1 << bits >> 2 {
            ended.push(own.end(hart));
        }
        ended
    }

    /// Somebody other than the harts writes; the chunks that end.
    pub fn external(&mut self, block: u32) -> Vec<Chunk> {
        let bit = fold(block, self.settings.signature_bits);
        let open = self.open.iter_mut().enumerate();
        let conflicting = open.filter(|(_, open)| open.written[bit] || open.read[bit]);
        conflicting.map(|(hart, open)| open.end(hart)).collect()
    }

    /// Ends all chunks that are not empty.
    pub fn close(&mut self) -> Vec<Chunk> {
        let open = self.open.iter_mut().enumerate();
        let begun = open.filter(|(_, open)| open.size > 0);
        begun.map(|(hart, open)| open.end(hart)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: fn(u32) -> Option<Access> = |block| {
        Some(Access {
            block,
            reads: true,
            writes: false,
        })
    };
    const WRITE: fn(u32) -> Option<Access> = |block| {
        Some(Access {
            block,
            reads: false,
            writes: true,
        })
    };

    fn chunk(hart: u8, size: u32) -> Chunk {
        Chunk { hart, size }
    }

    fn counter() -> ChunkCounter {
        let settings = OrderSettings {
            signature_bits: 4,
            chunk_bits: 8,
            ..OrderSettings::default()
        };
        ChunkCounter::new(settings, 3)
    }

    #[test]
    fn a_conflict_ends_the_others_chunks() {
        let mut counter = counter();
        assert_eq!(counter.retire(0, None, false), []);
        assert_eq!(counter.retire(0, READ(1), false), []);
        assert_eq!(counter.retire(1, READ(1), false), [], "two readers");
        assert_eq!(
            counter.retire(2, WRITE(1), false),
            [chunk(0, 2), chunk(1, 1)]
        );
        assert_eq!(counter.retire(0, READ(1), false), [chunk(2, 1)]);
        assert_eq!(counter.close(), [chunk(0, 1)]);
    }

    #[test]
    fn a_chunk_ends_by_itself() {
        let mut counter = counter();
        assert_eq!(counter.retire(0, None, true), [chunk(0, 1)], "a trap");
        for block in 0..3 {
            assert_eq!(counter.retire(0, READ(block), false), []);
            assert_eq!(counter.retire(0, READ(block), false), []);
        }
        assert_eq!(counter.retire(0, READ(3), false), [chunk(0, 7)], "overfull");
        for _ in 0..254 {
            assert_eq!(counter.retire(0, None, false), []);
        }
        assert_eq!(counter.retire(0, None, false), [chunk(0, 255)], "too long");
    }

    #[test]
    fn others_write_too() {
        let mut counter = counter();
        counter.retire(0, READ(1), false);
        counter.retire(1, WRITE(2), false);
        assert_eq!(counter.external(1), [chunk(0, 1)]);
        assert_eq!(counter.external(2), [chunk(1, 1)]);
        assert_eq!(counter.external(2), []);
    }
}
