//! The dictionary against `lookback_model::dictionary`: what is looked up, found where, and that it is
//! not kept waiting.

use crate::blocks::{Check, Records};
use lookback_model::dictionary::Dictionary;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Lookups in a dictionary of `2^I` entries.
pub struct Lookups<const I: u8>;

/// What happens next.
#[derive(Clone, Debug)]
pub enum Step {
    /// A value is looked up.
    Look(u32),
    /// Nothing, for some cycles.
    Pause(u8),
    /// A new interval.
    Empty,
}

/// Values as programs have them: few and often, some more often than others, counted up, any.
fn values(entries: u32) -> BoxedStrategy<Vec<u32>> {
    let range = prop_oneof![
        Just(2),
        Just(entries / 2),
        Just(entries),
        Just(2 * entries),
        Just(9 * entries)
    ];
    let spread = prop_oneof![
        Just(1u32),
        Just(0x0101_0101),
        Just(0x8000_0001),
        Just(0x0841_0000)
    ];
    (range, spread, 0..4u8, 1..90usize)
        .prop_flat_map(|(range, spread, style, length)| {
            let pair = (0..range, 0..range);
            let shape = move |(n, (a, b)): (usize, (u32, u32))| {
                let value = match style {
                    0 => a,
                    1 => a.min(b),
                    2 => n as u32 % range,
                    // New values that come twice leave no entry with the smallest counter behind.
                    _ => a.wrapping_mul(977) + n as u32 / 2,
                };
                value.wrapping_mul(spread)
            };
            vec(pair, length)
                .prop_map(move |pairs| pairs.into_iter().enumerate().map(shape).collect())
        })
        .boxed()
}

impl<const I: u8> Check for Lookups<I> {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let stretch = (values(1 << I), 0..20u8).prop_flat_map(|(values, pauses)| {
            let count = values.len();
            (
                Just(values),
                vec(
                    prop_oneof![40 => Just(0u8), u32::from(pauses) => 1..30u8],
                    count,
                ),
            )
                .prop_map(|(values, pauses)| {
                    let steps = values
                        .into_iter()
                        .zip(pauses)
                        .map(|(value, pause)| [Step::Pause(pause), Step::Look(value)]);
                    let steps: Vec<Step> = steps.flatten().collect();
                    steps
                })
        });
        let stretch = prop_oneof![12 => stretch, 1 => Just(vec![Step::Empty])];
        vec(stretch, 1..24)
            .prop_map(|stretches| stretches.concat())
            .boxed()
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        empty::<I>(dut);
        for step in run {
            match step {
                Step::Look(value) => look(dut, *value, out),
                Step::Pause(cycles) => (0..*cycles).for_each(|_| dut.cycle()),
                Step::Empty => empty::<I>(dut),
            }
        }
    }

    fn expect(run: &[Step], out: &mut Records) {
        let mut dictionary = Dictionary::new(I);
        for step in run {
            match step {
                Step::Look(value) => match dictionary.update(*value) {
                    Some(index) => out.say("index", index as u32),
                    None => out.say("miss", 0u32),
                },
                Step::Pause(_) => {}
                Step::Empty => dictionary.clear(),
            }
        }
    }
}

fn empty<const I: u8>(dut: &mut dyn Dut) {
    dut.set("empty", 1);
    dut.cycle();
    dut.set("empty", 0);
    (0..1 << I).for_each(|_| dut.cycle());
}

fn look(dut: &mut dyn Dut, value: u32, out: &mut Records) {
    dut.set("look", 1);
    dut.set("value", value);
    let mut waited = 0;
    while dut.get("done") == 0 && waited < 100 {
        dut.cycle();
        waited += 1;
    }
    if waited == 100 {
        out.say("never done", value);
    } else if dut.get("hit") == 1 {
        out.say("index", dut.get("index"));
    } else {
        out.say("miss", 0u32);
    }
    dut.cycle();
    dut.set("look", 0);
}
