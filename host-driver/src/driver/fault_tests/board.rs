//! A board that is not there: the twin of its link, and a recorder that has some records to say.

use crate::driver::tests::end;
use crate::transport::Link;
use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::interval::{Gap, Record};
use lookback_log_format::RecorderConfig;
use lookback_model::link::Link as Twin;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

/// A run that looks at the link more often than this hangs.
const MOST_LOOKS: u64 = 100_000;

pub fn identity(harts: u8, ring_bits: u8) -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Bugnet,
        harts,
        tag_set_bits: 3,
        tag_ways: 2,
        tag_words: 4,
        epoch_bits: 4,
        tag_kind: TagKind::Bits,
        dict_bits: 4,
        dirty_bits: 6,
        ring_bits,
        fifo_bits: 4,
        clock_hz: 25_000_000,
        mem_base: 0x8000_0000,
        mem_mask: 0xff00_0000,
        attached: false,
        compressed: false,
        control: 0,
        interval: 100,
        count_bits: 7,
        image_lo: 0,
        image_hi: 0,
        post_trigger: 0,
        trigger: Default::default(),
        order: None,
    }
}

/// A board: the twin of its link, and a recorder that has some records to say.
pub struct Board {
    twin: Twin,
    pub script: VecDeque<Record>,
    /// What the recorder has given to the ring, by index.
    pub written: Vec<Record>,
    /// The record on its way into the ring, and how far it has come.
    current: Option<(Vec<u8>, usize)>,
    retired: u64,
    lost: u32,
    now: Duration,
    looks: u64,
}

impl Board {
    pub fn new(ring_bits: u8, script: Vec<Record>) -> Self {
        Self {
            twin: Twin::new(&identity(1, ring_bits)),
            script: script.into(),
            written: Vec::new(),
            current: None,
            retired: 0,
            lost: 0,
            now: Duration::ZERO,
            looks: 0,
        }
    }

    /// The recorder writes what there is room for.
    fn feed(&mut self) {
        if self.twin.started() == 0 {
            return;
        }
        loop {
            if let Some((bytes, at)) = &mut self.current {
                while *at < bytes.len() {
                    if !self.twin.write(bytes[*at], *at + 1 == bytes.len()) {
                        return;
                    }
                    *at += 1;
                }
                self.current = None;
            }
            if !self.begin_next() {
                return;
            }
        }
    }

    /// Takes the next record, or ends; `false` if there is nothing to write.
    fn begin_next(&mut self) -> bool {
        if !self.twin.recording() {
            return false;
        }
        let Some(next) = self.script.front() else {
            if self.lost > 0 {
                return self.gap();
            }
            let mut end = end(self.retired);
            end.lost = self
                .written
                .iter()
                .filter_map(gap_of)
                .map(|g| u64::from(g.lost))
                .sum();
            self.twin.end(end);
            return false;
        };
        let fits = next.to_bytes().len() + 26 <= self.twin.room();
        if !self.twin.may_stall() && !fits {
            self.script.pop_front();
            self.lost += 100;
            self.retired += 100;
            return true;
        }
        if self.lost > 0 {
            return self.gap();
        }
        let Some(Record::Interval(mut next)) = self.script.pop_front() else {
            return false;
        };
        next.header.index = self.written.len() as u32;
        next.header.retired = self.retired;
        self.retired += 100;
        self.put(Record::Interval(next));
        true
    }

    fn gap(&mut self) -> bool {
        if self.twin.room() < 26 {
            return false;
        }
        let lost = std::mem::take(&mut self.lost);
        self.put(Record::Gap(Gap {
            index: self.written.len() as u32,
            retired: self.retired - u64::from(lost),
            cycle: 0,
            lost,
        }));
        true
    }

    fn put(&mut self, record: Record) {
        self.current = Some((record.to_bytes(), 0));
        self.written.push(record);
    }
}

fn gap_of(record: &Record) -> Option<&Gap> {
    match record {
        Record::Gap(gap) => Some(gap),
        Record::Interval(_) | Record::Order(_) => None,
    }
}

impl Link for Board {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes.iter().for_each(|&byte| self.twin.hear(byte));
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        self.looks += 1;
        assert!(self.looks < MOST_LOOKS, "it hangs");
        for _ in 0..3 {
            self.feed();
            let Some(frame) = self.twin.speak() else {
                break;
            };
            into.extend(frame.to_wire());
        }
        self.now += if into.is_empty() {
            patience
        } else {
            Duration::from_micros(into.len() as u64 * 10 / 3)
        };
        Ok(())
    }

    fn reset_board(&mut self) -> io::Result<()> {
        self.twin.reset();
        Ok(())
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn name(&self) -> String {
        "the twin".into()
    }
}
