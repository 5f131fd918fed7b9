//! The whole recorder of codec `compact` and a board with it, driven as those of codec `bugnet` are.

use super::{sizes, TINY};
use crate::blocks::boards::{Part, Recorded, OF_TINY};
use crate::blocks::recorder::{Pace, Recording, Whole};
use crate::blocks::{seldom, Check, Records};
use lookback_sim::block::Dut;
use proptest::prelude::*;

fn key() -> BoxedStrategy<u16> {
    prop_oneof![Just(1u16), Just(2), Just(3), Just(100)].boxed()
}

/// Recordings through the whole recorder of this kind.
pub struct Recordings<const KIND: u8>;

impl<const KIND: u8> Check for Recordings<KIND> {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        (Whole::<false>::runs(), key(), seldom(400))
            .prop_map(|(mut run, key, ring)| {
                let sizes = sizes(KIND);
                for recording in &mut run {
                    recording.compact = Some((sizes, key));
                    recording.ring = ring && KIND & TINY != 0;
                    if recording.ring {
                        // More than the ring holds, in groups that only a cut ends.
                        let longer = |pace: &mut Pace| pace.cycles *= 4;
                        recording.pace.iter_mut().for_each(longer);
                        recording.compact = Some((sizes, 1000));
                    }
                }
                run
            })
            .boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        Whole::<false>::drive(run, dut, out);
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}

/// Programs on a board with the recorder of this kind.
pub struct Board<const KIND: u8>;

impl<const KIND: u8> Check for Board<KIND> {
    type Step = Part;

    fn runs() -> BoxedStrategy<Vec<Part>> {
        (Recorded::<OF_TINY>::runs(), key())
            .prop_map(|(mut run, key)| {
                for part in &mut run {
                    if let Part::Recording(recording) = part {
                        recording.compact = Some((sizes(KIND), key));
                    }
                }
                run
            })
            .boxed()
    }

    fn drive(run: &[Part], dut: &mut dyn Dut, out: &mut Records) {
        Recorded::<OF_TINY>::drive(run, dut, out);
    }

    fn expect(_: &[Part], _: &mut Records) {}
}
