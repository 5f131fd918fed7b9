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
/// What a key group may take of a held ring.
const SHARE: usize = 256;
/// First bytes of records: of key intervals and others of codec `compact`, and of what is neither.
const KINDS: [u8; 6] = [0x03, 0x33, 0x13, 0x43, 0x73, 0x02];

/// Whether a record goes on with the key group before it.
fn goes_on(record: &[u8]) -> bool {
    record.first().is_some_and(|kind| kind & 0x4f == 3)
}

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
        /// what was sent stays until it is acknowledged; sometimes it is wanted again
        keep: bool,
        /// records are intervals of codec `compact`, of which whole key groups give way
        groups: bool,
    },
    /// A record of so many bytes.
    Record(usize),
}

impl Check for Ring {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let pace = || prop_oneof![Just(1000u32), Just(600), Just(120)];
        let spells = (seldom(300), seldom(300), seldom(400), any::<bool>());
        let begin = (any::<bool>(), pace(), pace(), spells).prop_map(
            |(hold, write, take, (changing, cut, keep, groups))| Step::Begin {
                hold,
                write,
                take,
                changing: changing && !keep,
                cut,
                keep,
                groups,
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
            let mut records: Vec<Vec<u8>> = lengths
                .map(|length| (0..length).map(|_| random.word() as u8).collect())
                .collect();
            if matches!(run[start], Step::Begin { groups: true, .. }) {
                for record in &mut records {
                    record[0] = KINDS[random.below(KINDS.len() as u32) as usize];
                }
            }
            dut.set("clear", 1);
            dut.set("byte_valid", 1);
            dut.cycle();
            dut.set("clear", 0);
            Bench::new(dut, &run[start]).play(&records, out);
        }
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

/// Records of a ring of 512 bytes that are left when the oldest give way to a byte that finds no room;
/// with `groups` up to the next that begins a key group.
pub fn left(records: &[Vec<u8>], groups: bool) -> Vec<Vec<u8>> {
    let mut kept: VecDeque<&Vec<u8>> = VecDeque::new();
    let mut used = 0;
    // Everything is gone up to the end of a group.
    let mut gone = false;
    for record in records {
        gone = gone && goes_on(record);
        if gone {
            continue;
        }
        kept.push_back(record);
        for written in 0..record.len() {
            if used < CAPACITY {
                used += 1;
                continue;
            }
            used -= kept.pop_front().map_or(0, Vec::len);
            while let Some(next) = kept.front().filter(|next| groups && goes_on(next)) {
                // Of the last one not all is here yet.
                used -= if kept.len() == 1 { written } else { next.len() };
                kept.pop_front();
            }
            gone = kept.is_empty();
            if gone {
                break;
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
    groups: bool,
    holds: bool,
    /// bytes of the newest key group
    grown: usize,
    /// cycles in which the ring was wrong about them
    misjudged: u32,
    link: Option<Kept>,
    /// the piece being taken: first, last, bytes
    piece: Option<(bool, bool, Vec<u8>)>,
    wait: u32,
    pieces: Vec<(bool, bool, Vec<u8>)>,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut, step: &Step) -> Self {
        let (hold, write, take, changing, cut, keep, groups) = match *step {
            Step::Begin {
                hold,
                write,
                take,
                changing,
                cut,
                keep,
                groups,
            } => (hold, write, take, changing, cut, keep, groups),
            Step::Record(_) => (false, 1000, 1000, false, false, false, false),
        };
        Self {
            dut,
            random: Random::new(7),
            hold,
            write,
            take,
            changing,
            cut,
            groups,
            holds: hold,
            grown: 0,
            misjudged: 0,
            link: keep.then(Kept::default),
            piece: None,
            wait: 0,
            pieces: Vec::new(),
        }
    }

    fn play(mut self, records: &[Vec<u8>], out: &mut Records) {
        // A held ring whose open record is sent in part would wait for the host.
        if records.iter().any(|record| record.len() > CAPACITY) && self.hold {
            self.link = None;
        }
        self.dut.set("hold", self.hold.into());
        self.dut.set("keep", self.link.is_some().into());
        self.dut.set("groups", self.groups.into());
        if let Some(link) = &mut self.link {
            link.stream = records.concat();
            let ends = records.iter().scan(0, |at, record| {
                *at += record.len();
                Some(*at)
            });
            link.ends = ends.collect();
        }
        let mut refused = 0;
        for record in records {
            for (at, byte) in record.iter().enumerate() {
                self.dut.set("byte_data", (*byte).into());
                self.dut.set("byte_last", (at + 1 == record.len()).into());
                let mut taken = false;
                while !taken && refused < 20_000 {
                    if self.changing && self.random.chance(2) {
                        self.holds = !self.holds;
                        self.dut.set("hold", self.holds.into());
                    }
                    let offered = self.random.chance(self.write);
                    self.dut.set("byte_valid", offered.into());
                    taken = offered && self.dut.get("byte_ready") == 1;
                    refused = if taken { 0 } else { refused + 1 };
                    self.cycle();
                }
                if at == 0 && !goes_on(record) {
                    self.grown = 0;
                }
                self.grown = (self.grown + 1) % (CAPACITY + 1);
            }
        }
        self.dut.set("byte_valid", 0);
        if self.cut {
            for port in ["piece_start", "piece_take", "acknowledge", "again"] {
                self.dut.set(port, 0);
            }
            return;
        }
        // The end may come with the last byte; what is being dropped then is dropped.
        (0..CAPACITY).for_each(|_| self.cycle());
        self.holds = false;
        self.dut.set("hold", 0);
        if let Some(link) = self.link.as_mut().filter(|_| self.hold) {
            let kept: usize = left(records, self.groups).iter().map(Vec::len).sum();
            let first = link.stream.len() - kept;
            (link.kept, link.sent, link.furthest) = (first, first, first);
        }
        let (mut quiet, mut cycles) = (0, 0);
        while quiet < 300 && cycles < 300_000 {
            let taken = self.pieces.len();
            self.cycle();
            let behind = |link: &Kept| link.sent < link.stream.len();
            let waits = self.dut.get("piece_ready") == 1;
            let busy = waits || self.piece.is_some() || taken != self.pieces.len();
            let busy = busy || self.link.as_ref().is_some_and(behind);
            quiet = if busy { 0 } else { quiet + 1 };
            cycles += 1;
        }
        if self.link.is_some() {
            self.last_words(out);
        }
        out.say("misjudged", self.misjudged);
        out.want("misjudged", 0u32);
        out.say("empty", self.dut.get("empty"));
        out.want("empty", true);
        self.judge(records, out);
    }

    fn cycle(&mut self) {
        for port in ["piece_start", "piece_take", "acknowledge", "again"] {
            self.dut.set(port, 0);
        }
        self.wait = self.wait.saturating_sub(1);
        if self.wait == 0 && self.random.chance(self.take) {
            self.take();
        }
        // The byte of this cycle is not counted yet.
        let cut = self.groups && self.holds && self.grown >= SHARE;
        self.dut.cycle();
        self.misjudged += u32::from((self.dut.get("cut") == 1) != cut);
    }

    fn take(&mut self) {
        match &mut self.piece {
            None if self.link.is_some() && self.random.chance(300) => self.host(),
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
                if let Some(link) = &mut self.link {
                    link.took(self.dut.get("fresh") == 1);
                }
                self.dut.set("piece_take", 1);
                self.wait = 2;
            }
            Some(_) => self.pieces.extend(self.piece.take()),
        }
    }

    /// The host acknowledges or wants something again, with an offset that may be out of bounds.
    fn host(&mut self) {
        let Some(link) = &mut self.link else { return };
        // A held ring moves by itself; the host asks when it has ended.
        if self.dut.get("dropping") == 1 || self.hold && link.furthest == 0 {
            return;
        }
        let again = self.random.chance(300) && link.agains < 12;
        let span = (link.furthest - link.kept) as u32;
        let at = (link.kept + self.random.below(span + 5) as usize).wrapping_sub(2);
        let port = ["acknowledge", "again"][usize::from(again)];
        self.dut.set("value", at as u32);
        self.dut.set(port, 1);
        let repeated = self.dut.get("repeated") == 1;
        link.told(again, at, repeated);
    }

    /// An offset, bit by bit.
    fn offset(&mut self, which: u32) -> u32 {
        self.dut.set("which", which);
        let bits = (0..32).map(|bit| {
            self.dut.set("used", 0);
            self.dut.set("index", bit);
            self.dut.cycle();
            self.dut.set("used", 1);
            self.dut.set("index", (bit + 1) % 32);
            let value = self.dut.get("offset_bit") << bit;
            self.dut.cycle();
            value
        });
        let offset = bits.sum();
        self.dut.set("used", 0);
        offset
    }

    /// Where everything is when everything was sent, and that the host was told the truth.
    fn last_words(&mut self, out: &mut Records) {
        for port in ["piece_start", "piece_take", "acknowledge", "again"] {
            self.dut.set(port, 0);
        }
        let offsets = [0, 1, 2].map(|which| self.offset(which));
        let Some(link) = &self.link else { return };
        let end = link.stream.len();
        for (name, (found, wanted)) in ["KEPT", "SENT", "WRITTEN"]
            .iter()
            .zip(offsets.iter().zip([link.kept, end, end]))
        {
            out.say(name, *found);
            out.want(name, wanted as u32);
        }
        out.say("wrong", link.wrong);
        out.want("wrong", 0u32);
    }

    fn judge(&self, records: &[Vec<u8>], out: &mut Records) {
        if let Some(link) = &self.link {
            return link.judge(&self.pieces, out);
        }
        let fits = records.iter().all(|record| record.len() <= CAPACITY);
        let expected = match (self.hold || self.changing, fits && !self.changing) {
            (false, _) => Some(records.to_vec()),
            (true, true) => Some(left(records, self.groups)),
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

    /// The records of which the pieces begin, in order, and the last record if nothing goes on.
    fn whole_ones(&self, records: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut rest = records.iter();
        let firsts = self.pieces.iter().filter(|piece| piece.0);
        let mut found: Vec<Vec<u8>> = firsts
            .filter_map(|(.., bytes)| rest.find(|record| record.starts_with(bytes)).cloned())
            .collect();
        // A group whose beginning gave way is gone to its end.
        if found.last() != records.last() && !self.groups {
            found.extend(records.last().cloned());
        }
        found
    }
}

/// What the host has been sent and has said on an acknowledged link: section 5.1, whole offsets.
#[derive(Default)]
struct Kept {
    kept: usize,
    sent: usize,
    furthest: usize,
    stream: Vec<u8>,
    /// offsets behind the last byte of each record
    ends: Vec<usize>,
    agains: u32,
    /// at which offset each piece began
    began: Vec<usize>,
    /// what the ring said that is not so
    wrong: u32,
    /// bytes of the piece under way
    taken: usize,
}

impl Kept {
    fn took(&mut self, fresh: bool) {
        if self.taken == 0 {
            self.began.push(self.sent);
        }
        self.taken += 1;
        let ends = self.ends.contains(&(self.sent + 1));
        if ends || self.taken == PIECE {
            self.taken = 0;
        }
        self.wrong += u32::from(fresh != (self.sent == self.furthest));
        self.sent += 1;
        self.furthest = self.furthest.max(self.sent);
    }

    fn told(&mut self, again: bool, at: usize, repeated: bool) {
        let inside = (self.kept..=self.furthest).contains(&at);
        self.wrong += u32::from(repeated != (again && inside));
        if inside && again {
            self.sent = at;
            self.agains += 1;
        } else if inside {
            self.kept = at;
            self.sent = self.sent.max(at);
        }
    }

    /// Every piece is what its offset says, up to the end of a record or its full length.
    fn judge(&self, pieces: &[(bool, bool, Vec<u8>)], out: &mut Records) {
        out.say("pieces", pieces.len() as u32);
        out.want("pieces", self.began.len() as u32);
        for ((_, last, bytes), at) in pieces.iter().zip(&self.began) {
            let end = self.ends.iter().find(|end| *end > at);
            let end = end.copied().unwrap_or(*at).min(at + PIECE);
            out.say("last", *last);
            out.want("last", self.ends.contains(&end));
            out.say("length", bytes.len() as u32);
            out.want("length", (end - at) as u32);
            let wanted = self.stream.get(*at..end).unwrap_or_default();
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            wanted.iter().for_each(|byte| out.want("byte", *byte));
        }
        let all = self.furthest == self.stream.len();
        out.say("all sent", all);
        out.want("all sent", true);
    }
}
