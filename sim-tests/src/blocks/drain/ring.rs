//! The log ring: what goes in comes out in pieces, or gives way whole.

use crate::blocks::{seldom, Check, Records};
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Records through a ring of 512 bytes.
pub struct Ring;

/// A ring holds one byte less than it has.
const CAPACITY: usize = 511;
/// A frame's payload.
const PIECE: usize = 240;

/// What happens to the ring.
#[derive(Clone, Debug)]
pub enum Step {
    /// A new beginning: streaming or holding, how often bytes come and are taken, in a thousand, and
    /// whether the hold is let go and taken up again while records come.
    Begin {
        /// the oldest give way
        hold: bool,
        /// bytes come
        write: u32,
        /// pieces and bytes are taken
        take: u32,
        /// the hold changes now and then
        changing: bool,
        /// the next beginning comes before everything was taken
        cut: bool,
    },
    /// A record of so many bytes.
    Record(usize),
}

impl Check for Ring {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let pace = || prop_oneof![Just(1000u32), Just(600), Just(120)];
        let begin = (any::<bool>(), pace(), pace(), seldom(300), seldom(300)).prop_map(
            |(hold, write, take, changing, cut)| Step::Begin {
                hold,
                write,
                take,
                changing,
                cut,
            },
        );
        let length = prop_oneof![
            4 => 1..40usize,
            3 => 1..300usize,
            2 => prop_oneof![Just(239usize), Just(240), Just(241), Just(480)],
            1 => 400..511usize,
        ];
        let long = prop_oneof![3 => length.clone(), 1 => 505..520usize, 1 => 500..900usize];
        let records = prop_oneof![
            3 => vec(length.prop_map(Step::Record), 1..20),
            1 => vec(long.prop_map(Step::Record), 1..12),
        ];
        vec((begin, records), 1..4)
            .prop_map(|parts| {
                let parts = parts.into_iter();
                parts
                    .flat_map(|(begin, records)| [vec![begin], records].concat())
                    .collect()
            })
            .boxed()
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        let starts = run
            .iter()
            .enumerate()
            .filter(|(_, step)| matches!(step, Step::Begin { .. }));
        for (start, _) in starts {
            let rest = &run[start + 1..];
            let lengths = rest.iter().map_while(|step| match step {
                Step::Record(length) => Some(*length),
                Step::Begin { .. } => None,
            });
            let mut random = Random::new(start as u64);
            let records: Vec<Vec<u8>> = lengths
                .map(|length| (0..length).map(|_| random.word() as u8).collect())
                .collect();
            dut.set("clear", 1);
            dut.set("byte_valid", 1);
            dut.cycle();
            dut.set("clear", 0);
            Bench::new(dut, &run[start]).play(&records, out);
        }
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

/// Records of a ring of 512 bytes that are left when the oldest give way to a byte that finds no room.
pub fn left(records: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut kept: VecDeque<&Vec<u8>> = VecDeque::new();
    let mut used = 0;
    for record in records {
        kept.push_back(record);
        for _ in record {
            if used == CAPACITY {
                used -= kept.pop_front().map_or(0, Vec::len);
            }
            used += 1;
        }
    }
    kept.into_iter().cloned().collect()
}

/// What stands around the ring.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    random: Random,
    hold: bool,
    write: u32,
    take: u32,
    changing: bool,
    cut: bool,
    /// the piece being taken: first, last, bytes
    piece: Option<(bool, bool, Vec<u8>)>,
    wait: u32,
    pieces: Vec<(bool, bool, Vec<u8>)>,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut, step: &Step) -> Self {
        let (hold, write, take, changing, cut) = match *step {
            Step::Begin {
                hold,
                write,
                take,
                changing,
                cut,
            } => (hold, write, take, changing, cut),
            Step::Record(_) => (false, 1000, 1000, false, false),
        };
        Self {
            dut,
            random: Random::new(7),
            hold,
            write,
            take,
            changing,
            cut,
            piece: None,
            wait: 0,
            pieces: Vec::new(),
        }
    }

    fn play(mut self, records: &[Vec<u8>], out: &mut Records) {
        self.dut.set("hold", self.hold.into());
        let mut holds = self.hold;
        let mut refused = 0;
        for record in records {
            for (at, byte) in record.iter().enumerate() {
                self.dut.set("byte_data", (*byte).into());
                self.dut.set("byte_last", (at + 1 == record.len()).into());
                let mut taken = false;
                while !taken && refused < 20_000 {
                    if self.changing && self.random.chance(2) {
                        holds = !holds;
                        self.dut.set("hold", holds.into());
                    }
                    let offered = self.random.chance(self.write);
                    self.dut.set("byte_valid", offered.into());
                    taken = offered && self.dut.get("byte_ready") == 1;
                    refused = if taken { 0 } else { refused + 1 };
                    self.cycle();
                }
            }
        }
        self.dut.set("byte_valid", 0);
        if self.cut {
            self.dut.set("piece_start", 0);
            self.dut.set("piece_take", 0);
            return;
        }
        // The end may come with the last byte; what is being dropped then is dropped.
        (0..CAPACITY).for_each(|_| self.cycle());
        self.dut.set("hold", 0);
        let mut quiet = 0;
        while quiet < 300 {
            let taken = self.pieces.len();
            self.cycle();
            let waits = self.dut.get("piece_ready") == 1;
            let busy = waits || self.piece.is_some() || taken != self.pieces.len();
            quiet = if busy { 0 } else { quiet + 1 };
        }
        out.say("empty", self.dut.get("empty"));
        out.want("empty", true);
        self.judge(records, out);
    }

    fn cycle(&mut self) {
        self.dut.set("piece_start", 0);
        self.dut.set("piece_take", 0);
        self.wait = self.wait.saturating_sub(1);
        if self.wait == 0 && self.random.chance(self.take) {
            self.take();
        }
        self.dut.cycle();
    }

    fn take(&mut self) {
        match &mut self.piece {
            None if self.dut.get("piece_ready") == 1 => {
                let first = self.dut.get("piece_first") == 1;
                let last = self.dut.get("piece_last") == 1;
                self.piece = Some((first, last, Vec::new()));
                self.dut.set("piece_start", 1);
                self.wait = 2;
            }
            None => {}
            Some((.., bytes)) if self.dut.get("piece_more") == 1 => {
                bytes.push(self.dut.get("piece_data") as u8);
                self.dut.set("piece_take", 1);
                self.wait = 2;
            }
            Some(_) => self.pieces.extend(self.piece.take()),
        }
    }

    fn judge(&self, records: &[Vec<u8>], out: &mut Records) {
        let fits = records.iter().all(|record| record.len() <= CAPACITY);
        let expected = match (self.hold || self.changing, fits && !self.changing) {
            (false, _) => Some(records.to_vec()),
            (true, true) => Some(left(records)),
            (true, false) => None,
        };
        for (first, last, bytes) in &self.pieces {
            out.say("first", *first);
            out.say("last", *last);
            bytes.iter().for_each(|byte| out.say("byte", *byte));
        }
        // Where time decides what gives way: whole, in order, and the newest is there.
        let expected = expected.unwrap_or_else(|| self.whole_ones(records));
        for record in expected {
            let count = record.len().div_ceil(PIECE);
            for (n, bytes) in record.chunks(PIECE).enumerate() {
                out.want("first", n == 0);
                out.want("last", n + 1 == count);
                bytes.iter().for_each(|byte| out.want("byte", *byte));
            }
        }
    }

    /// The records of which the pieces begin, in order, and the last record in any case.
    fn whole_ones(&self, records: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut rest = records.iter();
        let firsts = self.pieces.iter().filter(|piece| piece.0);
        let mut found: Vec<Vec<u8>> = firsts
            .filter_map(|(.., bytes)| rest.find(|record| record.starts_with(bytes)).cloned())
            .collect();
        if found.last() != records.last() {
            found.extend(records.last().cloned());
        }
        found
    }
}
