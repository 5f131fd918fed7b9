//! The whole front of codec `compact` against `lookback_model::Recorder`: every byte of every interval and
//! gap, driven as the front of codec `bugnet` is.

use crate::blocks::recorder::{Recording, Runs};
use crate::blocks::{Check, Records};
use lookback_sim::block::Dut;
use proptest::prelude::*;

/// Recordings through a front of this kind.
pub struct Compact<const KIND: u8>;

impl<const KIND: u8> Check for Compact<KIND> {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        let key = prop_oneof![Just(1u16), Just(2), Just(3), Just(100)];
        (Runs::runs(), key)
            .prop_map(|(mut run, key)| {
                run.truncate(3);
                for recording in &mut run {
                    recording.compact = Some((super::sizes(KIND), key));
                }
                run
            })
            .boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        Runs::drive(run, dut, out);
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}
