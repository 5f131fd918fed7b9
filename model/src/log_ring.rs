//! The memory between encoder and link: a byte ring of records. Section 5.1 of the format, ring mode.
//!
//! In stream mode it is a FIFO: what is written is read as soon as the link is free, and a full
//! ring refuses bytes. In ring mode it is a flight recorder: nothing is read until it is frozen, and
//! the oldest records give way to new bytes: one, or with codec `compact` a whole key group, so that
//! what is left always begins with a record that replays by itself. A record that alone fills the ring
//! is read as if streamed.

use std::collections::VecDeque;

/// Who has to wait or go when the ring is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The writer waits.
    Stream,
    /// The oldest record goes.
    Ring,
    /// The oldest key group goes: records are intervals of codec `compact`, and gaps.
    Groups,
}

/// Whether a record goes on with the key group before it, by its first byte.
fn goes_on(first: u8) -> bool {
    first & 0x4f == 3
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
    /// Records that gave way.
    gone: u64,
    frozen: bool,
    /// The next byte begins a record.
    opening: bool,
    /// The record being written is read as it comes.
    streaming: bool,
    /// A key group is being dropped: records go that go on with it.
    dropping: bool,
    /// So does the rest of the record being written.
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
            opening: true,
            streaming: false,
            dropping: false,
            skipping: false,
        }
    }

    /// Takes one byte; `last` ends its record. `false` when there is no room or the ring is frozen: the
    /// byte was not taken.
    pub fn write(&mut self, byte: u8, last: bool) -> bool {
        if self.frozen {
            return false;
        }
        if !self.skipping && self.bytes.len() == self.capacity && !self.make_room() {
            return false;
        }
        if self.opening && self.dropping {
            self.dropping = goes_on(byte);
            self.skipping = self.dropping;
        }
        self.opening = last;
        if self.skipping {
            self.skipping = !last;
            self.gone += u64::from(last);
            return true;
        }
        self.bytes.push_back((byte, last));
        self.whole += usize::from(last);
        true
    }

    /// The next byte for the link and whether it ends its record. In ring mode there is none before
    /// the ring is frozen, but of a record that alone fills it.
    pub fn read(&mut self) -> Option<(u8, bool)> {
        if self.mode != Mode::Stream && !self.frozen && !self.streaming {
            return None;
        }
        let (byte, last) = self.bytes.pop_front()?;
        self.whole -= usize::from(last);
        self.streaming &= !last;
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

    /// Records that gave way.
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// Removes the oldest record, or group. If that is all of the one record that is being written, it
    /// is read instead. Returns whether there is room.
    fn make_room(&mut self) -> bool {
        if self.mode == Mode::Stream || self.streaming {
            return false;
        }
        if self.whole == 0 && !self.opening {
            self.streaming = true;
            return false;
        }
        self.drop_record();
        if self.mode == Mode::Groups {
            while let Some(&(first, _)) = self.bytes.front() {
                if !goes_on(first) {
                    return true;
                }
                self.drop_record();
            }
            // Nothing is left but what is written now, and that may go on.
            self.dropping = true;
            if self.opening {
                return true;
            }
            self.skipping = true;
        }
        true
    }

    /// Removes the oldest record, as far as it is here.
    fn drop_record(&mut self) {
        while let Some((_, last)) = self.bytes.pop_front() {
            if last {
                self.whole -= 1;
                self.gone += 1;
                return;
            }
        }
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
    fn a_record_longer_than_the_ring_is_read_and_the_next_is_held() {
        let mut ring = LogRing::new(Mode::Ring, 4);
        write(&mut ring, &[1, 1]);
        let mut read = Vec::new();
        for at in 0..9 {
            while !ring.write(2, at == 8) {
                read.extend(ring.read());
            }
        }
        assert_eq!(ring.gone(), 1);
        while let Some(byte) = ring.read() {
            read.push(byte);
        }
        assert_eq!(read.len(), 9, "all of it");
        assert_eq!(read[8], (2, true));
        write(&mut ring, &[3, 3]);
        assert_eq!(ring.read(), None);
        ring.freeze();
        assert_eq!(drain(&mut ring), [[3, 3]]);
    }

    #[test]
    fn key_groups_give_way_whole() {
        const KEY: u8 = 0x43;
        const ON: u8 = 0x03;
        let mut ring = LogRing::new(Mode::Groups, 8);
        for record in [[KEY, 1], [ON, 2], [KEY, 3], [ON, 4], [ON, 5]] {
            write(&mut ring, &record);
        }
        assert_eq!(ring.gone(), 2, "the first group");
        // There is room for one more; the next one finds none.
        write(&mut ring, &[ON, 6]);
        write(&mut ring, &[ON, 7]);
        assert_eq!(
            (ring.gone(), ring.len()),
            (7, 0),
            "a group longer than the ring"
        );
        write(&mut ring, &[ON, 8]);
        write(&mut ring, &[KEY, 9]);
        write(&mut ring, &[2, 10]);
        ring.freeze();
        assert_eq!(drain(&mut ring), [[KEY, 9], [2, 10]]);
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
