//! First-load tags that keep words: what the hart reads again is known only if it is what it was.

use super::front::{Recording, Runs};
use crate::blocks::{seldom, Check, Records};
use lookback_hdl::recorder::config::{CLOCK_HZ, TINY, TINY_WORDS};
use lookback_log_format::RecorderConfig;
use lookback_model::word_tags::Words;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Accesses to tags of four sets, two words a line and an epoch of two bits.
pub struct Tags<const WAYS: u8>;

/// What the tags are asked next.
#[derive(Clone, Debug)]
pub enum Access {
    /// The hart reads bytes of a word and then writes some.
    Hart {
        /// address
        addr: u32,
        /// bytes read, and the whole word
        read: (u8, u32),
        /// bytes written, and the word with them
        written: (u8, u32),
        /// it is the fetch of an instruction, which is the word
        fetch: bool,
        /// it takes effect
        commit: bool,
    },
    /// The interval ends.
    Advance,
    /// Nothing happens for some cycles.
    Pause(u8),
    /// A new recording.
    Clear,
}

/// Few values, so that many reads find what was there; they differ in one byte, or in many.
pub(in crate::blocks) fn value() -> BoxedStrategy<u32> {
    prop_oneof![
        6 => Just(0u32),
        2 => (0..4u32).prop_map(|lane| 1 << (8 * lane)),
        1 => (0..32u32).prop_map(|bit| 1 << bit),
        1 => any::<u32>(),
    ]
    .boxed()
}

impl<const WAYS: u8> Check for Tags<WAYS> {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let addr = (0..24u32, seldom(100), 5..31u32)
            .prop_map(|(word, far, bit)| (0x8000_0000 + 4 * word) ^ (u32::from(far) << bit));
        // Bytes that are read lie side by side, as in a load; any may be stored.
        let read = prop_oneof![
            4 => Just(15u8),
            2 => prop_oneof![Just(3u8), Just(12)],
            3 => (0..4u8).prop_map(|lane| 1 << lane),
        ];
        let masks = prop_oneof![
            4 => read.prop_map(|mask| (mask, 0)),
            2 => (1..16u8).prop_map(|mask| (0, mask)),
            1 => Just((15, 15)),
        ];
        let hart = (addr, masks, value(), value(), seldom(100), seldom(930)).prop_map(
            |(addr, (rmask, wmask), read, written, fetch, commit)| match fetch {
                true => Access::Hart {
                    addr,
                    read: (15, read),
                    written: (0, written),
                    fetch,
                    commit,
                },
                false => Access::Hart {
                    addr,
                    read: (rmask, read),
                    written: (wmask, written),
                    fetch,
                    commit,
                },
            },
        );
        let step = |ends: u32| {
            prop_oneof![
                200 => hart.clone(),
                ends => Just(Access::Advance),
                20 => (1..4u8).prop_map(Access::Pause),
                1 => Just(Access::Clear),
            ]
        };
        prop_oneof![
            vec(step(4), 1..400),
            vec(step(40), 1..300),
            vec(step(150), 1..200)
        ]
        .boxed()
    }

    fn drive(run: &[Access], dut: &mut dyn Dut, out: &mut Records) {
        clear(dut);
        for access in run {
            match access {
                Access::Hart { .. } => out.say("known", look_up(dut, access)),
                Access::Advance => pulse(dut, "advance"),
                Access::Pause(cycles) => (0..*cycles).for_each(|_| dut.cycle()),
                Access::Clear => clear(dut),
            }
        }
    }

    fn expect(run: &[Access], out: &mut Records) {
        let config = RecorderConfig {
            tag_ways: WAYS,
            ..TINY_WORDS.config(CLOCK_HZ)
        };
        let mut tags = Words::new(&config);
        for access in run {
            match *access {
                Access::Hart {
                    addr,
                    read,
                    written,
                    commit,
                    ..
                } => {
                    let known = match commit {
                        true => tags.access(addr, read, written),
                        false => tags.clone().access(addr, read, written),
                    };
                    out.say("known", known);
                }
                Access::Advance => tags.next_interval(),
                Access::Pause(_) => {}
                Access::Clear => tags = Words::new(&config),
            }
        }
    }
}

fn pulse(dut: &mut dyn Dut, port: &str) {
    dut.set(port, 1);
    dut.cycle();
    dut.set(port, 0);
}

fn clear(dut: &mut dyn Dut) {
    dut.set("clear", 1);
    dut.set("forget", 1);
    (0..1 << (TINY.set_bits + 1)).for_each(|_| dut.cycle());
    dut.set("clear", 0);
    dut.set("forget", 0);
}

/// An entry of the input queue comes, is looked up and goes.
fn look_up(dut: &mut dyn Dut, access: &Access) -> u32 {
    let &Access::Hart {
        addr,
        read: (rmask, read),
        written: (wmask, written),
        fetch,
        commit,
    } = access
    else {
        return 0;
    };
    dut.set("stored", written);
    pulse(dut, "push");
    // Whatever the next one stores does not matter.
    dut.set("stored", !written);
    dut.set("address", addr >> 2);
    dut.set("need", rmask.into());
    dut.set("touch", (rmask | wmask).into());
    dut.set("fetch", fetch.into());
    dut.set("insn", if fetch { read } else { !read });
    let lowest = 8 * rmask.trailing_zeros().min(3);
    let bytes = 8 * rmask.count_ones();
    let value = (read >> lowest) & (u32::MAX.checked_shr(32 - bytes).unwrap_or(0));
    dut.set("value", if fetch { !read } else { value });
    // The head of a fetch may have stored something itself.
    dut.set("written", wmask.into());
    dut.cycle();
    dut.set("commit", commit.into());
    dut.cycle();
    dut.set("commit", 0);
    let known = dut.get("known");
    pulse(dut, "pop");
    known
}

/// Recordings through a front with such tags.
pub struct Fronts;

impl Check for Fronts {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        Runs::runs()
            .prop_map(|mut run| {
                run.iter_mut()
                    .for_each(|recording| recording.sizes = TINY_WORDS);
                run
            })
            .boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        Runs::drive(run, dut, out);
    }

    fn expect(run: &[Recording], out: &mut Records) {
        Runs::expect(run, out);
    }
}
