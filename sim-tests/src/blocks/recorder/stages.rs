//! The two stages of the encoder by themselves: what is looked up, and what is written for two harts, an
//! entry of one after an entry of the other.

use super::encoder::{config, registers, Event, Events, Stretch};
use crate::blocks::{seldom, Check, Inputs, Lockstep, Records};
use lookback_log_format::RecorderConfig;
use lookback_model::dictionary::Dictionary;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// The first stage.
#[derive(Default)]
pub struct Looked {
    /// kind and position of the event that waits
    waits: Option<(u32, u32)>,
    skipped: u32,
    /// what the dictionary said of it: whether it is there, where
    found: Option<(bool, u32)>,
}

/// One cycle.
#[derive(Clone, Debug)]
pub struct Look {
    clear: bool,
    /// the event that comes if none waits
    comes: Option<(u32, u32)>,
    done: bool,
    hit: bool,
    index: u32,
    taken: bool,
}

impl Looked {
    fn is_operation(&self) -> bool {
        self.waits.is_some_and(|(kind, _)| kind & 4 != 0)
    }

    fn valid(&self) -> bool {
        self.waits.is_some() && (!self.is_operation() || self.found.is_some())
    }
}

impl Lockstep for Looked {
    type Step = Look;

    fn runs() -> BoxedStrategy<Vec<Look>> {
        // Now and then many operations that are not logged, one after the other.
        let kinds = prop_oneof![
            1 => Just(vec![0u32, 1, 2, 3, 4, 5, 8, 9, 10, 11]),
            1 => Just(vec![4, 4, 4, 5]),
            1 => Just(vec![4; 40].into_iter().chain([5, 0, 3]).collect::<Vec<_>>()),
        ];
        let stretch = (kinds, 20..200usize).prop_flat_map(|(kinds, length)| {
            let event = (seldom(900), proptest::sample::select(kinds), 0..1u32 << 24);
            let answer = (seldom(700), any::<bool>(), 0..8u32);
            let step = (seldom(3), event, answer, seldom(600)).prop_map(
                |(clear, (comes, kind, position), (done, hit, index), taken)| Look {
                    clear,
                    comes: comes.then_some((kind, position)),
                    done,
                    hit,
                    index,
                    taken,
                },
            );
            vec(step, length)
        });
        vec(stretch, 1..5).prop_map(|s| s.concat()).boxed()
    }

    fn inputs(&self, step: &Look) -> Vec<(&'static str, u32)> {
        let waits = self.waits.or(step.comes);
        let (kind, position) = waits.unwrap_or((5, 0xabc));
        let next = Self {
            waits,
            found: self.found,
            ..Self::default()
        };
        vec![
            ("clear", step.clear.into()),
            ("event_valid", waits.is_some().into()),
            ("event_kind", kind),
            ("event_position", position),
            ("dict_done", step.done.into()),
            ("dict_hit", step.hit.into()),
            ("dict_index", step.index),
            ("taken", (step.taken && next.valid()).into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let event = (inputs.get("event_kind"), inputs.get("event_position"));
        self.waits = inputs.is("event_valid").then_some(event);
        let (kind, position) = event;
        let (valid, taken) = (self.valid(), inputs.is("taken"));
        let looks = self.is_operation() && self.found.is_none();
        let answered = looks && inputs.is("dict_done");
        let passes = answered && kind & 1 == 0;
        let mut seen = vec![
            ("valid", valid.into()),
            ("dict_look", looks.into()),
            ("event_pop", (taken || passes).into()),
            ("dict_empty", (taken && kind & 8 != 0).into()),
        ];
        if valid && kind & 4 == 0 {
            seen.push(("number", position));
        }
        if let (true, Some((hit, rank))) = (valid, self.found) {
            seen.push(("number", self.skipped));
            seen.push(("long", (self.skipped >= 32).into()));
            seen.push(("hit", hit.into()));
            seen.extend(hit.then_some(("rank", rank)));
        }
        if answered && !passes {
            self.found = Some((inputs.is("dict_hit"), inputs.get("dict_index")));
        }
        self.skipped += u32::from(passes);
        if taken && (kind & 4 != 0 || kind == 3) {
            self.skipped = 0;
        }
        if taken || passes {
            (self.waits, self.found) = (None, None);
        }
        if inputs.is("clear") {
            *self = Self::default();
        }
        seen
    }
}

/// The second stage, for two harts.
pub struct Written;

/// What one of the harts logs.
#[derive(Clone, Debug)]
pub struct Logged {
    second: bool,
    stretch: Stretch,
}

/// Each hart's own, all with the count bits of the first.
fn of_harts(run: &[Logged]) -> [Vec<Stretch>; 2] {
    let count_bits = run.first().map_or(5, |first| first.stretch.count_bits);
    [false, true].map(|second| {
        let own = run.iter().filter(|logged| logged.second == second);
        own.map(|logged| Stretch {
            count_bits,
            ..logged.stretch.clone()
        })
        .collect()
    })
}

impl Check for Written {
    type Step = Logged;

    fn runs() -> BoxedStrategy<Vec<Logged>> {
        (Events::runs(), any::<u32>())
            .prop_map(|(run, harts)| {
                let stretches = run.into_iter().enumerate();
                stretches
                    .map(|(at, stretch)| Logged {
                        second: harts >> at & 1 == 1,
                        stretch,
                    })
                    .collect()
            })
            .boxed()
    }

    fn drive(run: &[Logged], dut: &mut dyn Dut, out: &mut Records) {
        let harts = of_harts(run);
        let first: Vec<Stretch> = run.iter().map(|l| l.stretch.clone()).take(1).collect();
        let config = config(&first);
        dut.set("count_bits", config.count_bits.into());
        dut.set("clear", 1);
        for cycle in 0..16 {
            dut.set("clear_half", cycle / 8);
            dut.cycle();
        }
        dut.set("clear", 0);
        let seed = run.first().map_or(0, |first| first.stretch.seed);
        let ready = run.first().map_or(1000, |first| first.stretch.ready);
        let mut bench = Bench {
            dut,
            random: Random::new(seed ^ 11),
            ready,
            asked: 0,
            sides: harts.map(|own| Side::new(&own, &config)),
        };
        bench.play();
        for side in bench.sides {
            out.said.extend(side.out.said);
        }
    }

    fn expect(run: &[Logged], out: &mut Records) {
        for own in of_harts(run) {
            if !own.is_empty() {
                Events::expect(&own, out);
            }
        }
    }
}

/// An entry as the first stage gives it, and the stretch it is from.
struct Entry {
    kind: u32,
    number: u32,
    value: u32,
    found: Option<u32>,
    of: usize,
}

/// What one hart has to write, and what was written for it.
struct Side {
    stretches: Vec<Stretch>,
    entries: VecDeque<Entry>,
    /// the stretch whose numbers are on the ports
    now: usize,
    bits: Vec<bool>,
    out: Records,
}

impl Side {
    fn new(stretches: &[Stretch], config: &RecorderConfig) -> Self {
        let mut dictionary = Dictionary::new(config.dict_bits);
        let mut skipped = 0;
        let mut entries = VecDeque::new();
        for (of, stretch) in stretches.iter().enumerate() {
            for (kind, position, value) in stretch.events(config.count_bits) {
                let event: Event = (kind, position, value);
                entries.extend(look_up(event, of, &mut dictionary, &mut skipped));
            }
        }
        Self {
            stretches: stretches.to_vec(),
            entries,
            now: 0,
            bits: Vec::new(),
            out: Records::default(),
        }
    }
}

/// The first stage.
fn look_up(
    (kind, position, value): Event,
    of: usize,
    dictionary: &mut Dictionary,
    skipped: &mut u32,
) -> Option<Entry> {
    let mut entry = Entry {
        kind,
        number: position,
        value,
        found: None,
        of,
    };
    if kind & 8 != 0 {
        dictionary.clear();
    }
    if kind & 4 != 0 {
        entry.found = dictionary.update(value).map(|index| index as u32);
        entry.number = *skipped;
    }
    *skipped = match kind {
        4 => *skipped + 1,
        3 | 5 => 0,
        _ => *skipped,
    };
    (kind != 4).then_some(entry)
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    random: Random,
    ready: u32,
    asked: usize,
    sides: [Side; 2],
}

impl Bench<'_> {
    fn play(&mut self) {
        let mut idle = 0;
        while idle < 4000 {
            let left = self.sides.iter().any(|side| !side.entries.is_empty());
            let free = self.dut.get("free") == 1;
            if free && !left {
                return;
            }
            idle += 1;
            if free && self.random.chance(700) && self.offer() {
                idle = 0;
            }
            self.cycle();
        }
        self.sides[0].out.say("never free", true);
    }

    /// The next entry of any of the harts.
    fn offer(&mut self) -> bool {
        let hart = self.random.below(2) as usize;
        let Some(entry) = self.sides[hart].entries.pop_front() else {
            return false;
        };
        self.sides[hart].now = entry.of;
        // The digest is the value, or comes from beside it.
        let beside = entry.kind == 3 && hart == 1;
        let value = if beside { 0 } else { entry.value };
        self.dut.set("take", 1);
        self.dut.set("entry_hart", hart as u32);
        self.dut.set("entry_kind", entry.kind);
        self.dut.set("entry_number", entry.number);
        self.dut.set("entry_long", (entry.number >= 32).into());
        self.dut.set("entry_value", value);
        self.dut.set("entry_hit", entry.found.is_some().into());
        let noise = self.random.word() & 7;
        self.dut.set("entry_rank", entry.found.unwrap_or(noise));
        true
    }

    fn cycle(&mut self) {
        let ready = self.random.chance(self.ready);
        self.dut.set("ready", ready.into());
        let hart = self.dut.get("hart") as usize;
        let Some(side) = self.sides.get_mut(hart) else {
            self.sides[0].out.say("no such hart", hart as u32);
            return;
        };
        if let Some(stretch) = side.stretches.get(side.now) {
            let lost = stretch.gap.unwrap_or(0);
            let digest = if hart == 1 { stretch.digest } else { 0 };
            self.dut.set("mode", stretch.mode.into());
            self.dut.set("cycles_lo", stretch.cycle as u32);
            self.dut.set("cycles_hi", (stretch.cycle >> 32) as u32);
            self.dut.set("lost_lo", lost as u32);
            self.dut.set("lost_hi", (lost >> 32) as u32);
            self.dut.set("reason", stretch.reason.into());
            self.dut.set("digest", digest);
            let register = registers(stretch.seed)[self.asked];
            self.dut.set("register_data", register);
        }
        if self.dut.get("load") == 1 {
            if !ready {
                side.out.say("loads an unready packer", true);
            }
            side.take_chunk(self.dut);
        }
        self.asked = self.dut.get("register") as usize;
        self.dut.cycle();
        self.dut.set("take", 0);
    }
}

impl Side {
    fn take_chunk(&mut self, dut: &mut dyn Dut) {
        let (bits, size) = (dut.get("bits"), dut.get("size"));
        if dut.get("align") == 1 {
            let whole = self.bits.len().next_multiple_of(8);
            self.bits.resize(whole, false);
        } else {
            self.bits.extend((0..=size).map(|bit| bits >> bit & 1 == 1));
        }
        while self.bits.len() >= 8 {
            let byte = self.bits.drain(..8).rev();
            let byte = byte.fold(0u32, |byte, bit| byte << 1 | u32::from(bit));
            self.out.say("byte", byte);
        }
        if dut.get("last") == 1 {
            self.out.say("end of record", true);
        }
    }
}
