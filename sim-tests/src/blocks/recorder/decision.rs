//! The decision: events that ask, with the tags' answer a cycle later and a FIFO that is often full.

use crate::blocks::{word, Check, Records};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Events through the decision.
pub struct Events;

/// An event, and what it meets.
#[derive(Clone, Debug)]
pub struct Event {
    kind: u32,
    asks: bool,
    position: u32,
    value: u32,
    known: bool,
    /// cycles in which the FIFO is full, bit by bit, from the one in which the event comes
    full: u8,
    /// cycles before it comes
    pause: u8,
}

impl Check for Events {
    type Step = Event;

    fn runs() -> BoxedStrategy<Vec<Event>> {
        let kind = prop_oneof![
            2 => Just((2, true)),
            2 => Just((4, true)),
            1 => (0..16u32).prop_map(|kind| (kind, false)),
        ];
        let full = prop_oneof![1 => Just(0u8), 1 => any::<u8>()];
        let what = (kind, 0..1u32 << 24, word());
        let event = (what, any::<bool>(), full, 0..3u8);
        let event = event.prop_map(
            |(((kind, asks), position, value), known, full, pause)| Event {
                kind,
                asks,
                position,
                value,
                known,
                full,
                pause,
            },
        );
        vec(event, 1..80).boxed()
    }

    fn drive(run: &[Event], dut: &mut dyn Dut, out: &mut Records) {
        let mut answer = None;
        for event in run {
            (0..event.pause).for_each(|_| cycle(dut, &mut answer, 0, out));
            let mut full = event.full;
            loop {
                dut.set("next_full", u32::from(full & 1));
                if dut.get("full") == 0 {
                    break;
                }
                cycle(dut, &mut answer, full & 1, out);
                full >>= 1;
            }
            for (port, value) in [
                ("push", 1),
                ("kind", event.kind),
                ("asks", event.asks.into()),
                ("position", event.position),
                ("value", event.value),
            ] {
                dut.set(port, value);
            }
            cycle(dut, &mut answer, full & 1, out);
            dut.set("push", 0);
            answer = Some(event.known);
        }
        (0..2).for_each(|_| cycle(dut, &mut answer, 0, out));
        out.say("empty", dut.get("empty"));
    }

    fn expect(run: &[Event], out: &mut Records) {
        for event in run {
            let kind = match (event.asks, event.known, event.kind) {
                (true, true, 2) => continue,
                (true, false, 4) => 5,
                (_, _, kind) => kind,
            };
            out.say("kind", kind);
            out.say("position", event.position);
            out.say("value", event.value);
        }
        out.say("empty", 1u32);
    }
}

/// A cycle, with the answer to the event of the cycle before; later the tags say the opposite.
fn cycle(dut: &mut dyn Dut, answer: &mut Option<bool>, full: u8, out: &mut Records) {
    dut.set("next_full", full.into());
    if let Some(known) = *answer {
        dut.set("known", known.into());
    }
    if dut.get("next_push") == 1 {
        if full == 1 {
            out.say("pushed while full", true);
        }
        out.say("kind", dut.get("next_kind"));
        out.say("position", dut.get("next_position"));
        out.say("value", dut.get("next_value"));
    }
    dut.cycle();
    if let Some(known) = answer.take() {
        dut.set("known", (!known).into());
    }
}
