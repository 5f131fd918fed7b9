//! The loader, between a host's commands, a SoC that accesses RAM at any time, and RAM.

use crate::blocks::{seldom, word, Check, Records};
use lookback_log_format::registers as reg;
use lookback_log_format::retire::lanes;
use lookback_model::loader::{Effect, Loader};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Words of RAM behind the loader.
const WORDS: usize = 1024;

/// Cycles of a restart.
const RESTART: u32 = 15;

/// Loading through commands.
pub struct Loading;

/// What happens next.
#[derive(Clone, Debug)]
pub enum Step {
    /// The host writes a register, and has it read to it.
    Write(u8, u32),
    /// The host reads a register.
    Read(u8),
    /// The SoC accesses RAM from now on: address, word, lanes.
    Access(u32, u32, u32),
    /// The SoC accesses nothing for some cycles.
    Rest(u8),
    /// The board's reset.
    Reset,
    /// The board has this much RAM.
    Ram(bool),
}

fn register() -> BoxedStrategy<u8> {
    prop_oneof![
        2 => Just(reg::BOARD),
        4 => Just(reg::BOOT),
        2 => Just(reg::LOAD_BASE),
        8 => reg::LOAD..=0xff,
        1 => 0x40..0x80u8,
        1 => any::<u8>(),
    ]
    .boxed()
}

impl Check for Loading {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let boot = prop_oneof![3 => Just(1u32), 1 => Just(0), 1 => any::<u32>()];
        let base = prop_oneof![4 => 0..0x1000u32, 1 => any::<u32>()];
        let step = prop_oneof![
            10 => (register(), word()).prop_map(|(register, value)| Step::Write(register, value)),
            5 => boot.prop_map(|value| Step::Write(reg::BOOT, value)),
            3 => base.prop_map(|value| Step::Write(reg::LOAD_BASE, value)),
            6 => register().prop_map(Step::Read),
            4 => (0..WORDS as u32, word(), 0..16u32)
                .prop_map(|(at, word, mask)| Step::Access(4 * at, word, mask)),
            2 => (0..20u8).prop_map(Step::Rest),
            1 => seldom(300).prop_map(|_| Step::Reset),
        ];
        (seldom(100), vec(step, 1..60))
            .prop_map(|(bare, mut steps)| {
                steps.insert(0, Step::Ram(!bare));
                steps
            })
            .boxed()
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        let mut bench = Bench {
            dut,
            twin: Loader::new(0),
            ram: (0..WORDS as u32)
                .map(|n| n.wrapping_mul(0x9e37_79b9))
                .collect(),
            wanted: Vec::new(),
            rdata: 0,
            restart: 0,
            access: None,
        };
        bench.wanted.clone_from(&bench.ram);
        for step in run {
            bench.step(step, out);
        }
        let differs = bench
            .ram
            .iter()
            .zip(&bench.wanted)
            .position(|(a, b)| a != b);
        out.say("RAM differs at", differs.map_or(u32::MAX, |at| at as u32));
        out.want("RAM differs at", u32::MAX);
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    twin: Loader,
    ram: Vec<u32>,
    /// what RAM must be
    wanted: Vec<u32>,
    rdata: u32,
    /// cycles of a restart that are left
    restart: u32,
    /// what the SoC does
    access: Option<(u32, u32, u32)>,
}

impl Bench<'_> {
    fn step(&mut self, step: &Step, out: &mut Records) {
        match *step {
            Step::Write(register, value) => self.command(register, Some(value), out),
            Step::Read(register) => self.command(register, None, out),
            Step::Access(at, word, mask) => {
                self.access = Some((at, word, mask));
                self.cycle(false, out);
            }
            Step::Rest(cycles) => {
                self.access = None;
                (0..cycles).for_each(|_| self.cycle(false, out));
            }
            Step::Reset => {
                self.cycle(true, out);
                self.twin.reset();
                self.restart = 0;
            }
            Step::Ram(there) => {
                let bytes = if there { 4 * WORDS as u32 } else { 0 };
                self.dut.set("ram_bytes", bytes);
                self.twin = Loader::new(bytes);
                self.cycle(true, out);
            }
        }
    }

    /// A command, and its answer bit by bit.
    fn command(&mut self, register: u8, value: Option<u32>, out: &mut Records) {
        self.dut.set("register", register.into());
        self.dut.set("value", value.unwrap_or(0xdead_beef));
        self.dut.set("write", value.is_some().into());
        self.dut.set("fire", 1);
        self.cycle(false, out);
        self.dut.set("fire", 0);
        let effect = value.map_or(Effect::None, |value| self.twin.write(register, value));
        match effect {
            Effect::None => {}
            Effect::Store(place, word) => {
                if let Some(own) = self.wanted.get_mut(place as usize / 4) {
                    *own = word;
                }
            }
            Effect::Restart => self.restart = RESTART,
        }
        (0..8).for_each(|_| self.cycle(false, out));
        let found = (0..32).fold(0, |word, index| {
            self.dut.set("index", index);
            self.cycle(false, out);
            self.dut.set("index", !index & 31);
            word | self.dut.get("out_bit") << index
        });
        // Beyond its end RAM gives what it gave last.
        let beyond = |place: u32| place as usize / 4 >= WORDS;
        if !self.twin.place(register).is_some_and(beyond) {
            out.say("reads", found);
            let ram = &self.wanted;
            out.want(
                "reads",
                self.twin.read(register, |place| ram[place as usize / 4]),
            );
        }
    }

    fn cycle(&mut self, reset: bool, out: &mut Records) {
        let (at, word, mask) = self.access.unwrap_or((0x40, 0x1234_5678, 15));
        self.dut.set("reset", reset.into());
        self.dut.set("ram_rdata", self.rdata);
        self.dut.set("soc_req", self.access.is_some().into());
        self.dut.set("soc_addr", at);
        self.dut.set("soc_wdata", word);
        self.dut.set("soc_wstrb", mask);
        let (held, restarts) = (self.twin.held(), self.restart > 0);
        for (port, value) in [
            ("soc_reset", reset || held || restarts),
            ("recorder_reset", reset || restarts),
        ] {
            out.say(port, self.dut.get(port));
            out.want(port, value);
        }
        if !held {
            for (port, value) in [
                ("ram_req", self.access.is_some().into()),
                ("ram_addr", at),
                ("ram_wdata", word),
                ("ram_wstrb", mask),
            ] {
                out.say(port, self.dut.get(port));
                out.want(port, value);
            }
            if let (Some(own), true) = (self.wanted.get_mut(at as usize / 4), self.access.is_some())
            {
                *own = *own & !lanes(mask as u8) | word & lanes(mask as u8);
            }
        }
        if self.dut.get("ram_req") == 1 {
            let mask = self.dut.get("ram_wstrb") as u8;
            let word = self.dut.get("ram_wdata");
            if let Some(own) = self.ram.get_mut(self.dut.get("ram_addr") as usize / 4) {
                if mask == 0 {
                    self.rdata = *own;
                }
                *own = *own & !lanes(mask) | word & lanes(mask);
            }
        }
        self.dut.cycle();
        self.restart = self.restart.saturating_sub(1);
    }
}
