//! The memory between encoder and link: a byte ring of records.
//!
//! In stream mode it is a FIFO: what is written is read as soon as the link is free, and a full
//! ring refuses bytes. In ring mode it is a flight recorder: nothing is read until it is frozen, and
//! the oldest whole record gives way to new bytes, so that what is left always starts with the
//! first byte of a record.

use std::collections::VecDeque;

/// Who has to wait or go when the ring is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The writer waits.
    Stream,
    /// The oldest record goes.
    Ring,
}

/// A ring of `capacity` bytes.
#[derive(Debug, Clone)]
pub struct LogRing {
    mode: Mode,
    capacity: usize,
    /// Bytes, each with whether it ends its record.
    bytes: VecDeque<(u8, bool)>,
    /// Whole records in the ring.
    whole: usize,
    /// Records that gave way or were too long.
    gone: u64,
    frozen: bool,
    /// The record being written does not fit even alone: the rest of it goes nowhere.
    skipping: bool,
}

impl LogRing {
    /// An empty ring.
    pub fn new(mode: Mode, capacity: usize) -> Self {
        Self {
            mode,
            capacity,
            bytes: VecDeque::with_capacity(capacity),
            whole: 0,
            gone: 0,
            frozen: false,
            skipping: false,
        }
    }

    /// Takes one byte; `last` ends its record. `false` when there is no room (stream mode only) or
    /// the ring is frozen: the byte was not taken.
    pub fn write(&mut self, byte: u8, last: bool) -> bool {
        if self.frozen {
            return false;
        }
        if self.skipping {
            self.skipping = !last;
            return true;
        }
        if self.bytes.len() == self.capacity && !self.make_room() {
            self.skipping = self.mode == Mode::Ring && !last;
            return self.mode == Mode::Ring;
        }
        self.bytes.push_back((byte, last));
        self.whole += usize::from(last);
        true
    }

    /// The next byte for the link and whether it ends its record. In ring mode there is none before
    /// the ring is frozen.
    pub fn read(&mut self) -> Option<(u8, bool)> {
        if self.mode == Mode::Ring && !self.frozen {
            return None;
        }
        let (byte, last) = self.bytes.pop_front()?;
        self.whole -= usize::from(last);
        Some((byte, last))
    }

    /// The recording has ended: nothing more is written, everything may be read. A record that was
    /// not finished is removed.
    pub fn freeze(&mut self) {
        self.frozen = true;
        while self.bytes.back().is_some_and(|&(_, last)| !last) {
            self.bytes.pop_back();
        }
    }

    /// Bytes in the ring.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether no byte is in the ring.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whole records in the ring.
    pub fn records(&self) -> usize {
        self.whole
    }

    /// Records that gave way, or were longer than the ring.
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// Removes the oldest record in ring mode. If that is the one being written, its beginning is
    /// lost and all of it with it: returns `false`, as always in stream mode.
    fn make_room(&mut self) -> bool {
        if self.mode == Mode::Stream {
            return false;
        }
        self.gone += 1;
        while let Some((_, last)) = self.bytes.pop_front() {
            if last {
                self.whole -= 1;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write(ring: &mut LogRing, record: &[u8]) {
        for (i, &byte) in record.iter().enumerate() {
            assert!(ring.write(byte, i + 1 == record.len()));
        }
    }

    fn drain(ring: &mut LogRing) -> Vec<Vec<u8>> {
        let mut records = vec![vec![]];
        while let Some((byte, last)) = ring.read() {
            records.last_mut().unwrap().push(byte);
            if last {
                records.push(vec![]);
            }
        }
        assert_eq!(records.pop(), Some(vec![]), "half a record came out");
        records
    }

    #[test]
    fn a_full_stream_makes_the_writer_wait() {
        let mut ring = LogRing::new(Mode::Stream, 2);
        assert!(ring.write(1, false) && ring.write(2, false));
        assert!(!ring.write(3, true));
        assert_eq!(ring.read(), Some((1, false)));
        assert!(ring.write(3, true));
        assert_eq!(ring.read(), Some((2, false)));
        assert_eq!(ring.read(), Some((3, true)));
        assert_eq!(ring.read(), None);
    }

    #[test]
    fn the_oldest_record_gives_way_whole() {
        let mut ring = LogRing::new(Mode::Ring, 8);
        write(&mut ring, &[1, 1, 1]);
        write(&mut ring, &[2, 2, 2]);
        write(&mut ring, &[3, 3, 3]);
        assert_eq!(ring.read(), None, "not before it is frozen");
        ring.freeze();
        assert_eq!(drain(&mut ring), [[2, 2, 2], [3, 3, 3]]);
        assert_eq!(ring.gone(), 1);
    }

    #[test]
    fn a_record_longer_than_the_ring_is_gone_and_the_next_is_fine() {
        let mut ring = LogRing::new(Mode::Ring, 4);
        write(&mut ring, &[1, 1]);
        write(&mut ring, &[2; 9]);
        assert!(ring.is_empty());
        write(&mut ring, &[3, 3]);
        ring.freeze();
        assert_eq!(drain(&mut ring), [[3, 3]]);
        assert_eq!(ring.gone(), 2);
    }

    #[test]
    fn freezing_removes_what_is_not_finished() {
        let mut ring = LogRing::new(Mode::Ring, 8);
        write(&mut ring, &[1, 1]);
        ring.write(2, false);
        ring.freeze();
        assert!(!ring.write(2, true));
        assert_eq!(drain(&mut ring), [[1, 1]]);
    }

    proptest! {
        /// What is left are the newest records: as many as fit, and nothing but whole ones.
        #[test]
        fn the_newest_records_are_kept(
            lengths in prop::collection::vec(1usize..30, 1..60),
            capacity in 30usize..100,
        ) {
            let mut ring = LogRing::new(Mode::Ring, capacity);
            let record = |(i, &len): (usize, &usize)| vec![i as u8; len];
            let all: Vec<Vec<u8>> = lengths.iter().enumerate().map(record).collect();
            all.iter().for_each(|record| write(&mut ring, record));
            ring.freeze();
            prop_assert_eq!(ring.records() as u64 + ring.gone(), all.len() as u64);
            let kept = drain(&mut ring);
            let older = all.len() - kept.len();
            prop_assert_eq!(&all[older..], &kept[..]);
            let size: usize = kept.iter().map(Vec::len).sum();
            prop_assert!(size <= capacity);
            if older > 0 {
                prop_assert!(size + all[older - 1].len() > capacity);
            }
        }
    }
}
