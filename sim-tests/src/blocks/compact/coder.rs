//! The arithmetic coder: bins of whole intervals, among them such that a carry stays open for long.

use crate::blocks::{seldom, Check, Records};
use lookback_log_format::config::Coder;
use lookback_model::compact::bins::Bins;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Intervals through the twin.
pub struct Intervals;

/// What is coded next.
#[derive(Clone, Debug)]
pub enum Turn {
    /// A bin in a context.
    Bin(u16, bool),
    /// The same bin several times.
    Repeat(u16, bool, u8),
    /// A raw bin.
    Raw(bool),
    /// A direct byte.
    Byte(u8),
    /// Raw bins that keep both outcomes of a carry possible; the last one decides.
    Undecided(u8, bool),
}

/// An interval.
#[derive(Clone, Debug)]
pub struct Stretch {
    key: bool,
    /// how often bins are there and bytes are taken, in a thousand
    offered: u32,
    ready: u32,
    seed: u64,
    turns: Vec<Turn>,
}

/// A bin as the block takes it.
#[derive(Clone, Copy, Debug)]
enum Bin {
    Context(u16, bool),
    Raw(bool),
    Byte(u8),
}

/// The twin, and so much of section 10.6 beside it that bins can be chosen by what they lead to.
struct Twin {
    bins: Bins,
    contexts: Vec<(u32, usize)>,
    low: u32,
    range: u32,
}

impl Twin {
    fn new() -> Self {
        let mut twin = Self {
            bins: Bins::new(Coder::Arithmetic),
            contexts: Vec::new(),
            low: 0,
            range: 0xff_ffff,
        };
        twin.forget();
        twin
    }

    fn forget(&mut self) {
        self.bins.forget();
        self.contexts = vec![(2048, 0); 1024];
        self.contexts[928..930].fill((256, 2));
        self.contexts[930..932].fill((64, 7));
    }

    fn take(&mut self, bin: Bin) {
        match bin {
            Bin::Context(context, one) => {
                self.bins.bin(context.into(), one);
                let (p, count) = self.contexts[usize::from(context)];
                self.narrow(p, one);
                let slowness = [1, 2, 2, 3, 3, 4, 4, 5][count];
                let p = match one {
                    true => p + ((4095 - p) >> slowness),
                    false => p - (p >> slowness),
                };
                self.contexts[usize::from(context)] = (p, (count + 1).min(7));
            }
            Bin::Raw(one) => {
                self.bins.raw(one);
                self.narrow(2048, one);
            }
            Bin::Byte(byte) => {
                self.bins.byte(byte);
                let unit = (self.range >> 12) << 4;
                self.low += unit * u32::from(byte);
                self.range = unit;
                self.shift();
            }
        }
    }

    fn bound(&self, p: u32) -> u32 {
        ((self.range >> 12) * (p >> 4)) << 4
    }

    fn narrow(&mut self, p: u32, one: bool) {
        let bound = self.bound(p);
        match one {
            true => self.range = bound,
            false => (self.low, self.range) = (self.low + bound, self.range - bound),
        }
        self.shift();
    }

    fn shift(&mut self) {
        if self.range < 0x1_0000 {
            self.low = (self.low & 0xffff) << 8;
            self.range <<= 8;
        }
    }

    fn end(&mut self) -> Vec<u8> {
        (self.low, self.range) = (0, 0xff_ffff);
        self.bins.finish()
    }

    /// The raw bin whose part of the range has the next carry inside, if both are still possible.
    fn undecided(&self) -> Option<bool> {
        let middle = self.low + self.bound(2048);
        let open = self.low < 0x100_0000 && self.low + self.range > 0x100_0000;
        open.then_some(middle > 0x100_0000)
    }

    /// Codes a turn and says of which bins it consists.
    fn turn(&mut self, turn: &Turn, bins: &mut Vec<Bin>) {
        let mut next = |twin: &mut Self, bin| {
            twin.take(bin);
            bins.push(bin);
        };
        match *turn {
            Turn::Bin(context, one) => next(self, Bin::Context(context, one)),
            Turn::Repeat(context, one, times) => {
                (0..times).for_each(|_| next(self, Bin::Context(context, one)));
            }
            Turn::Raw(one) => next(self, Bin::Raw(one)),
            Turn::Byte(byte) => next(self, Bin::Byte(byte)),
            Turn::Undecided(most, last) => {
                for _ in 0..most {
                    let one = self.undecided().unwrap_or(last);
                    next(self, Bin::Raw(one));
                }
                next(self, Bin::Raw(last));
            }
        }
    }
}

/// Neighbours, borders of the parts that are written anew, and those that do not begin in the middle.
fn context() -> BoxedStrategy<u16> {
    prop_oneof![
        6 => (0..8u16).prop_map(|part| 128 * part),
        3 => (0..8u16).prop_map(|part| 128 * part + 127),
        4 => 926..934u16,
        2 => 0..1024u16,
    ]
    .boxed()
}

fn turn() -> BoxedStrategy<Turn> {
    prop_oneof![
        10 => (context(), any::<bool>()).prop_map(|(context, one)| Turn::Bin(context, one)),
        4 => (context(), any::<bool>(), 2..40u8)
            .prop_map(|(context, one, times)| Turn::Repeat(context, one, times)),
        2 => any::<bool>().prop_map(Turn::Raw),
        4 => any::<u8>().prop_map(Turn::Byte),
        1 => prop_oneof![Just(0u8), Just(255), Just(254)].prop_map(Turn::Byte),
        1 => (1..60u8, any::<bool>()).prop_map(|(most, last)| Turn::Undecided(most, last)),
    ]
    .boxed()
}

impl Check for Intervals {
    type Step = Stretch;

    fn runs() -> BoxedStrategy<Vec<Stretch>> {
        let often = || prop_oneof![3 => Just(1000u32), 1 => Just(700), 1 => Just(200)];
        let stretch = |most: usize| {
            (
                seldom(700),
                often(),
                often(),
                any::<u64>(),
                vec(turn(), 0..most),
            )
                .prop_map(|(key, offered, ready, seed, turns)| Stretch {
                    key,
                    offered,
                    ready,
                    seed,
                    turns,
                })
        };
        prop_oneof![vec(stretch(120), 1..5), vec(stretch(12), 9..26)].boxed()
    }

    fn drive(run: &[Stretch], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("wipe", 1);
        (0..1024).for_each(|_| dut.cycle());
        dut.set("wipe", 0);
        let mut twin = Twin::new();
        for stretch in run {
            Bench::new(dut, stretch, out).play(stretch, &mut twin);
        }
    }

    fn expect(run: &[Stretch], out: &mut Records) {
        let mut twin = Twin::new();
        for stretch in run {
            if stretch.key {
                twin.forget();
            }
            let mut bins = Vec::new();
            stretch
                .turns
                .iter()
                .for_each(|turn| twin.turn(turn, &mut bins));
            let bytes = twin.end();
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of interval", true);
        }
    }
}

/// What stands around the coder during an interval.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    out: &'a mut Records,
    random: Random,
    offered: u32,
    ready: u32,
    /// cycles in which it took nothing, and bytes that it gave
    refused: u32,
    given: u32,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut, stretch: &Stretch, out: &'a mut Records) -> Self {
        Self {
            dut,
            out,
            random: Random::new(stretch.seed),
            offered: stretch.offered,
            ready: stretch.ready,
            refused: 0,
            given: 0,
        }
    }

    fn play(&mut self, stretch: &Stretch, twin: &mut Twin) {
        if stretch.key {
            twin.forget();
            self.dut.set("forget", 1);
            self.cycle();
            self.dut.set("forget", 0);
        }
        let mut bins = Vec::new();
        stretch
            .turns
            .iter()
            .for_each(|turn| twin.turn(turn, &mut bins));
        twin.end();
        for bin in bins {
            let (kind, context, one, byte) = match bin {
                Bin::Context(context, one) => (0, context.into(), one.into(), self.noise()),
                Bin::Raw(one) => (1, self.noise(), one.into(), self.noise()),
                Bin::Byte(byte) => (2, self.noise(), self.noise(), byte.into()),
            };
            self.offer(kind, context, one, byte);
        }
        let (context, one, byte) = (self.noise(), self.noise(), self.noise());
        self.offer(3, context, one, byte);
        let ended = (0..4000).any(|_| {
            self.cycle();
            self.dut.get("idle") == 1
        });
        self.out.say("end of interval", ended);
        // A bin a cycle, but for bytes that wait for a carry and contexts that are written anew.
        if self.ready == 1000 && self.refused > self.given + 128 {
            self.out.say("too slow", self.refused);
        }
    }

    fn noise(&mut self) -> u32 {
        self.random.word()
    }

    fn offer(&mut self, kind: u32, context: u32, one: u32, byte: u32) {
        while !self.random.chance(self.offered) {
            self.cycle();
        }
        self.dut.set("bin_kind", kind);
        self.dut.set("bin_context", context & 1023);
        self.dut.set("bin_one", one & 1);
        self.dut.set("bin_byte", byte & 255);
        self.dut.set("bin_valid", 1);
        let taken = (0..4000).any(|_| self.cycle());
        self.dut.set("bin_valid", 0);
        if !taken {
            self.out.say("not taken", kind);
        }
    }

    /// One cycle; whether the bin was taken in it.
    fn cycle(&mut self) -> bool {
        let ready = self.random.chance(self.ready);
        self.dut.set("byte_ready", ready.into());
        let taken = self.dut.get("bin_ready") == 1;
        if ready && self.dut.get("byte_valid") == 1 {
            let byte = self.dut.get("byte_data");
            self.out.say("byte", byte);
            self.given += 1;
        }
        self.refused += u32::from(!taken);
        self.dut.cycle();
        taken
    }
}
