//! The plain coder: bins of whole intervals, packed as the model packs them.

use crate::blocks::{seldom, Check, Records};
use lookback_log_format::config::Coder;
use lookback_model::compact::bins::Bins;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Intervals through the twin.
pub struct Packed;

/// An interval: bins, whether each is raw.
#[derive(Clone, Debug)]
pub struct Stretch {
    bins: Vec<(bool, bool)>,
    /// how often bins are there and bytes are taken, in a thousand
    offered: u32,
    ready: u32,
    seed: u64,
    /// it is broken off by a new recording
    wiped: bool,
}

impl Check for Packed {
    type Step = Stretch;

    fn runs() -> BoxedStrategy<Vec<Stretch>> {
        let often = || prop_oneof![3 => Just(1000u32), 1 => Just(700), 1 => Just(100)];
        let stretch = (
            vec((any::<bool>(), seldom(200)), 0..80),
            (often(), often()),
            (any::<u64>(), seldom(60)),
        );
        let stretch = stretch.prop_map(|(bins, (offered, ready), (seed, wiped))| Stretch {
            bins,
            offered,
            ready,
            seed,
            wiped,
        });
        vec(stretch, 1..12).boxed()
    }

    fn drive(run: &[Stretch], dut: &mut dyn Dut, out: &mut Records) {
        wipe(dut);
        for stretch in run {
            let bench = Bench {
                dut,
                out,
                random: Random::new(stretch.seed),
                stretch,
                bytes: Vec::new(),
                refused: 0,
            };
            bench.play();
        }
    }

    fn expect(run: &[Stretch], out: &mut Records) {
        for stretch in run.iter().filter(|stretch| !stretch.wiped) {
            let mut bins = Bins::new(Coder::Plain);
            for &(one, raw) in &stretch.bins {
                match raw {
                    true => bins.raw(one),
                    false => bins.bin(0, one),
                }
            }
            let bytes = bins.finish();
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of interval", true);
        }
    }
}

fn wipe(dut: &mut dyn Dut) {
    dut.set("bin_valid", 0);
    dut.set("wipe", 1);
    dut.cycle();
    dut.set("wipe", 0);
}

/// What stands around the coder during an interval.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    out: &'a mut Records,
    random: Random,
    stretch: &'a Stretch,
    bytes: Vec<u32>,
    /// cycles in which it took nothing
    refused: u32,
}

impl Bench<'_> {
    fn play(mut self) {
        for &(one, raw) in &self.stretch.bins {
            self.offer(raw.into(), one.into());
        }
        if self.stretch.wiped {
            return wipe(self.dut);
        }
        // What stands at the port with the end is no bin.
        let noise = self.random.word() & 1;
        self.offer(3, noise);
        let ended = (0..4000).any(|_| {
            let idle = self.dut.get("idle") == 1;
            self.cycle();
            idle
        });
        for byte in self.bytes {
            self.out.say("byte", byte);
        }
        self.out.say("end of interval", ended);
        if self.stretch.ready == 1000 && self.refused > 0 {
            self.out.say("too slow", self.refused);
        }
    }

    fn offer(&mut self, kind: u32, one: u32) {
        while !self.random.chance(self.stretch.offered) {
            self.cycle();
        }
        self.dut.set("bin_kind", kind);
        self.dut.set("bin_one", one);
        self.dut.set("bin_valid", 1);
        let taken = (0..4000).any(|_| self.cycle());
        self.dut.set("bin_valid", 0);
        if !taken {
            self.out.say("not taken", kind);
        }
    }

    /// One cycle; whether a bin is taken in it.
    fn cycle(&mut self) -> bool {
        let ready = self.random.chance(self.stretch.ready);
        self.dut.set("byte_ready", ready.into());
        let taken = self.dut.get("bin_ready") == 1;
        if ready && self.dut.get("byte_valid") == 1 {
            self.bytes.push(self.dut.get("byte_data"));
        }
        self.refused += u32::from(!taken);
        self.dut.cycle();
        taken
    }
}
