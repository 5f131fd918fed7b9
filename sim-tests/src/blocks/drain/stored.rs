//! What stands still: a register with a value at power-up, and the bits of the host's registers.

use crate::blocks::{seldom, Inputs, Lockstep};
use proptest::collection::vec;
use proptest::prelude::*;

/// A register that begins with 9.
pub struct Register(u32);

impl Default for Register {
    fn default() -> Self {
        Self(9)
    }
}

impl Lockstep for Register {
    type Step = u32;

    fn runs() -> BoxedStrategy<Vec<u32>> {
        vec(0..32u32, 1..60).boxed()
    }

    fn inputs(&self, step: &u32) -> Vec<(&'static str, u32)> {
        vec![("d", *step)]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let seen = vec![("q", self.0)];
        self.0 = inputs.get("d");
        seen
    }
}

/// Words at power-up.
pub const INITIAL: [u32; 3] = [0x8000_0001, 0x1234_5678, 0x4b4f_4f4c];

/// Words, bit by bit; those from the sixteenth on can be written.
pub struct Bits {
    words: [u32; 32],
    read: Option<bool>,
}

impl Default for Bits {
    fn default() -> Self {
        let mut words = [0; 32];
        words[..INITIAL.len()].copy_from_slice(&INITIAL);
        Self { words, read: None }
    }
}

/// A read and perhaps a write.
#[derive(Clone, Debug)]
pub struct Access {
    read: u32,
    write: Option<(u32, bool)>,
}

impl Lockstep for Bits {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let read = prop_oneof![3 => 0..96u32, 3 => 512..608u32, 1 => 0..1024u32];
        let place = prop_oneof![3 => 0..96u32, 1 => 0..512u32];
        let write = (seldom(400), place, any::<bool>());
        let access = (read, write).prop_map(|(read, (writes, place, bit))| Access {
            read,
            // The bit that is being read is not written.
            write: (writes && 512 + place != read).then_some((place, bit)),
        });
        vec(access, 1..400).boxed()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let (place, bit) = step.write.unwrap_or((511, true));
        vec![
            ("read_address", step.read),
            ("write_enable", step.write.is_some().into()),
            ("write_address", place),
            ("write_data", bit.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let seen = self.read.map(|bit| ("read_data", bit.into()));
        let place = inputs.get("read_address");
        self.read = Some(self.words[place as usize / 32] >> (place % 32) & 1 == 1);
        if inputs.is("write_enable") {
            let place = 512 + inputs.get("write_address");
            let word = &mut self.words[place as usize / 32];
            *word &= !(1 << (place % 32));
            *word |= inputs.get("write_data") << (place % 32);
        }
        seen.into_iter().collect()
    }
}
