//! Point-to-point logging, as the Strata paper describes FDR's: every dependence between two harts is
//! an entry, unless Netzer's reduction says that an earlier entry implies it.
//!
//! All dependences are logged: read after write, write after write, and write after read. Each hart
//! remembers how far every other hart was in the last entry that named it; a dependence on something
//! before that is implied.

use std::collections::HashMap;

/// Bytes of an entry, as the paper counts them.
pub const ENTRY_BYTES: u64 = 9;

/// Who touched a block, and when (in accesses of that hart, from 1).
#[derive(Clone)]
struct Block {
    writer: Option<(usize, u64)>,
    /// Last read of each hart since the last write, 0 for none.
    readers: Vec<u64>,
}

/// A log that only counts.
pub struct PointToPoint {
    blocks: HashMap<u32, Block>,
    counts: Vec<u64>,
    /// What each hart knows of each other hart: `known[hart][other]`.
    known: Vec<Vec<u64>>,
    entries: u64,
}

impl PointToPoint {
    /// Nothing was accessed yet.
    pub fn new(harts: usize) -> Self {
        Self {
            blocks: HashMap::new(),
            counts: vec![0; harts],
            known: vec![vec![0; harts]; harts],
            entries: 0,
        }
    }

    /// A hart accesses a block.
    pub fn access(&mut self, hart: usize, block: u32, reads: bool, writes: bool) {
        self.counts[hart] += 1;
        let now = self.counts[hart];
        let harts = self.counts.len();
        let block = self.blocks.entry(block).or_insert_with(|| Block {
            writer: None,
            readers: vec![0; harts],
        });
        let readers = block.readers.iter().copied().enumerate();
        let readers = readers.filter(|&(_, at)| writes && at > 0);
        let before = block.writer.into_iter().chain(readers);
        for (other, at) in before.filter(|&(other, _)| other != hart) {
            let known = &mut self.known[hart][other];
            if at > *known {
                *known = at;
                self.entries += 1;
            }
        }
        if writes {
            block.writer = Some((hart, now));
            block.readers.fill(0);
        }
        if reads && !writes {
            block.readers[hart] = now;
        }
    }

    /// Entries so far.
    pub fn entries(&self) -> u64 {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Netzer's example: the second dependence is implied by the first.
    #[test]
    fn what_is_implied_is_not_logged() {
        let mut log = PointToPoint::new(2);
        log.access(0, 1, true, false); // Ra
        log.access(0, 2, false, true); // Wb
        log.access(1, 2, true, false); // Rb: logged
        log.access(1, 1, false, true); // Wa: implied
        assert_eq!(log.entries(), 1);
        log.access(0, 1, true, false); // Ra: logged
        assert_eq!(log.entries(), 2);
    }

    #[test]
    fn all_kinds_of_dependences_are_logged() {
        let mut log = PointToPoint::new(3);
        log.access(0, 1, false, true);
        log.access(1, 1, false, true); // WAW
        log.access(2, 1, true, false); // RAW
        log.access(0, 1, false, true); // WAW and WAR
        assert_eq!(log.entries(), 4);
    }
}
