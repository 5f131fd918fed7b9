//! Needs and escapes to bins. The bins that come out go through the model's coder, and the bytes must be
//! those of the model's items. Which values are hurried is the block's choice; the model is told. For the
//! plain coder none is.

use crate::blocks::{seldom, word, Check, Records};
use lookback_hdl::compact::config::{CompactSizes, TINY, TINY_PLAIN};
use lookback_hdl::recorder::config::CLOCK_HZ;
use lookback_model::compact::bins::Bins;
use lookback_model::compact::values::{Escape, Items, Predictor, Value};
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Intervals through the block, for the arithmetic coder or the plain one.
pub struct Intervals<const HURRIES: bool>;

/// What is coded next.
#[derive(Clone, Debug)]
pub enum Turn {
    /// A need of this class and size, predicted by a slot or by `resume`.
    Need(u8, u32, Option<u8>, u32),
    /// An escape 1 to 3, so many instructions ahead; 1 is of the instruction at an address.
    Escape(u8, u32, u32),
    /// Execution goes on elsewhere: distance, from, to.
    Redirect(u32, u32, u32),
    /// `resume` becomes the word behind this one.
    Resume(u32),
}

/// An interval.
#[derive(Clone, Debug)]
pub struct Stretch {
    key: bool,
    seed: u64,
    /// how often the coder takes a bin and the recorder falls behind, in a thousand
    ready: u32,
    hurry: u32,
    turns: Vec<Turn>,
}

/// Values that are found again: few, near each other, and any.
fn value() -> BoxedStrategy<u32> {
    prop_oneof![
        3 => Just(0u32),
        4 => (0..6u32).prop_map(|n| 0x8000_1000 + 4 * n),
        2 => (0..4u32).prop_map(|n| 0x1234 * n),
        2 => (0..300u32).prop_map(|n| 0x8000_1000u32.wrapping_add(n).wrapping_sub(150)),
        2 => 0..256u32,
        1 => (0..256u32).prop_map(|n| 0xffff_ff00 | n),
        2 => word(),
    ]
    .boxed()
}

fn distance() -> BoxedStrategy<u32> {
    prop_oneof![4 => 0..6u32, 2 => 0..2000u32, 1 => 0..0xff_ffffu32, 1 => Just(0xff_ffffu32)]
        .boxed()
}

fn turn() -> BoxedStrategy<Turn> {
    let size = |value: u32, size: u32| match size {
        1 => value & 0xff,
        2 => value & 0xffff,
        _ => value,
    };
    let need = (
        0..8u8,
        prop_oneof![Just(1u32), Just(2), Just(4), Just(4)],
        seldom(900),
        0..4u8,
        value(),
    );
    let need = need.prop_map(move |(class, bytes, listed, slot, value)| {
        let slot = listed.then_some(slot);
        Turn::Need(class, bytes, slot, size(value, bytes))
    });
    prop_oneof![
        8 => need,
        2 => (1..4u8, distance(), value()).prop_map(|(kind, far, value)| Turn::Escape(kind, far, value)),
        1 => (distance(), value(), value()).prop_map(|(far, from, to)| Turn::Redirect(far, from, to)),
        1 => value().prop_map(Turn::Resume),
    ]
    .boxed()
}

/// An event as the FIFO has it: kind, extra, value.
type Event = (u32, u32, u32);

fn events(turn: &Turn) -> Vec<Event> {
    let need = |kind, class: u8, size: u32, slot: Option<u8>, value| {
        let by_resume = u32::from(slot.is_none()) << 5;
        let extra =
            u32::from(class) | (size - 1) << 3 | by_resume | u32::from(slot.unwrap_or(3)) << 6;
        (kind, extra, value)
    };
    match *turn {
        Turn::Need(class, size, slot, value) => vec![need(6, class, size, slot, value)],
        Turn::Escape(kind, far, value) => vec![(kind.into(), far, value)],
        Turn::Redirect(far, from, to) => vec![(0, far, from), need(7, 7, 4, Some(1), to)],
        Turn::Resume(value) => vec![(5, 0, value)],
    }
}

/// The same through the model; positions are sums of distances.
fn follow(items: &mut Items, position: &mut u32, turn: &Turn) {
    match *turn {
        Turn::Need(class, size, slot, value) => {
            let predictor = slot.map_or(Predictor::Resume, |slot| Predictor::Slot(slot.into()));
            let value = Value {
                class: class.into(),
                size,
                value,
                predictor,
            };
            items.need(*position, value, false);
        }
        Turn::Escape(kind, far, value) => {
            *position = position.wrapping_add(far);
            let escape = [Escape::Redirect, Escape::Trap, Escape::Code, Escape::Data];
            items.escape(*position, escape[usize::from(kind)]);
            if kind == 1 {
                items.resume = value.wrapping_add(4);
            }
        }
        Turn::Redirect(far, from, to) => {
            *position = position.wrapping_add(far);
            items.redirect(*position, from, to, false);
        }
        Turn::Resume(value) => items.resume = value.wrapping_add(4),
    }
}

impl<const HURRIES: bool> Intervals<HURRIES> {
    const SIZES: CompactSizes = if HURRIES { TINY } else { TINY_PLAIN };
}

impl<const HURRIES: bool> Check for Intervals<HURRIES> {
    type Step = Stretch;

    fn runs() -> BoxedStrategy<Vec<Stretch>> {
        let stretch = |most: usize| {
            (
                (seldom(500), any::<u64>()),
                prop_oneof![3 => Just(1000u32), 1 => Just(500)],
                prop_oneof![3 => Just(0u32), 1 => Just(300), 1 => Just(1000)],
                vec(turn(), 0..most),
            )
                .prop_map(|((key, seed), ready, hurry, turns)| Stretch {
                    key,
                    seed,
                    ready,
                    hurry,
                    turns,
                })
        };
        // An entry's mark comes round with the sixteenth key interval: what it was must not count.
        let quiet = prop_oneof![Just(15usize), 12..18usize];
        let round = (stretch(12), quiet).prop_map(|(first, quiet)| {
            let key = |turns| Stretch {
                key: true,
                turns,
                ..first.clone()
            };
            let mut run = vec![first.clone()];
            run.resize(1 + quiet, key(Vec::new()));
            run.push(key(first.turns.clone()));
            run
        });
        prop_oneof![
            4 => vec(stretch(40), 1..5),
            2 => vec(stretch(6), 20..40),
            1 => round,
        ]
        .boxed()
    }

    fn drive(run: &[Stretch], dut: &mut dyn Dut, out: &mut Records) {
        let config = Self::SIZES.config(CLOCK_HZ);
        let Some(compact) = config.compact() else {
            return out.say("no codec", true);
        };
        let mut items = Items::new(&config, compact);
        dut.set("wipe", 1);
        (0..1024).for_each(|_| dut.cycle());
        dut.set("wipe", 0);
        let mut bench = Bench {
            dut,
            bins: Bins::new(compact.coder),
            random: Random::new(1),
            ready: 1000,
            hurry: 0,
            decisions: Vec::new(),
        };
        for stretch in run {
            bench.random = Random::new(stretch.seed);
            (bench.ready, bench.hurry) = (stretch.ready, stretch.hurry);
            if stretch.key {
                bench.bins.forget();
                items.forget();
                bench.dut.set("forget", 1);
                bench.dut.cycle();
                bench.dut.set("forget", 0);
            }
            for event in stretch.turns.iter().flat_map(events) {
                bench.code(event, out);
            }
            bench.close(out);
            if !HURRIES {
                out.say("decisions", bench.decisions.len() as u32);
                out.want("decisions", 0u32);
            }
            items.decide(std::mem::take(&mut bench.decisions));
            let mut position = 0;
            stretch
                .turns
                .iter()
                .for_each(|turn| follow(&mut items, &mut position, turn));
            bench
                .bins
                .finish()
                .iter()
                .for_each(|byte| out.say("byte", *byte));
            items
                .finish()
                .iter()
                .for_each(|byte| out.want("byte", *byte));
            out.say("end of interval", true);
            out.want("end of interval", true);
        }
    }

    fn expect(_: &[Stretch], _: &mut Records) {}
}

/// What stands around the block.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    bins: Bins,
    random: Random,
    ready: u32,
    hurry: u32,
    decisions: Vec<bool>,
}

impl Bench<'_> {
    /// One cycle; takes its bin. Whether the event was taken, and whether the interval ended.
    fn cycle(&mut self) -> (bool, bool) {
        let ready = self.random.chance(self.ready);
        self.dut.set("bin_ready", ready.into());
        self.dut.set("hurry", self.random.chance(self.hurry).into());
        if self.dut.get("decided") == 1 {
            self.decisions.push(self.dut.get("hurried") == 1);
        }
        let mut ends = false;
        if ready && self.dut.get("bin_valid") == 1 {
            let one = self.dut.get("bin_one") == 1;
            match self.dut.get("bin_kind") {
                0 => self.bins.bin(self.dut.get("bin_context") as usize, one),
                1 => self.bins.raw(one),
                2 => self.bins.byte(self.dut.get("bin_byte") as u8),
                _ => ends = true,
            }
        }
        let popped = self.dut.get("event_pop") == 1;
        self.dut.cycle();
        (popped, ends)
    }

    fn set(&mut self, (kind, extra, value): Event) {
        self.dut.set("event_kind", kind);
        self.dut.set("event_extra", extra);
        self.dut.set("event_value", value);
        self.dut.set("event_valid", 1);
    }

    fn code(&mut self, event: Event, out: &mut Records) {
        self.dut.set("event_valid", 0);
        for _ in 0..self.random.below(3) {
            self.cycle();
        }
        self.set(event);
        let taken = (0..400).any(|_| self.cycle().0);
        self.dut.set("event_valid", 0);
        if !taken {
            out.say("stuck", event.0);
        }
    }

    fn close(&mut self, out: &mut Records) {
        let noise = self.random.word();
        self.set((4, noise & 0xff_ffff, noise));
        let ended = (0..400).any(|_| self.cycle().1);
        out.say("ended", ended);
        out.want("ended", true);
        out.say("closed", self.dut.get("closed"));
        out.want("closed", true);
        self.dut.set("event_valid", 0);
        self.dut.cycle();
    }
}
