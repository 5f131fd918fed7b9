//! Programs for every instruction and every trap, with the operands at which machines go wrong.
//! Tables: what is missing in them is noticed by `tests/directed.rs`, which asks the replayer's
//! decoder for all mnemonics.

mod instructions;
mod system;

use super::generate::Profile;
use super::image::Program;
use super::item::Item;

/// Operands at the ends of ranges.
const CORNERS: [u32; 11] = [
    0,
    1,
    2,
    31,
    32,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0x5555_5555,
    0x0001_0000,
];

/// Who has to agree, and the program.
pub type Case = (Profile, Program);

fn case(profile: Profile, name: impl Into<String>, items: Vec<Item>) -> Case {
    let name = name.into();
    let program = Program {
        seed: name.len() as u64,
        items,
        vectored: false,
        name,
    };
    (profile, program)
}

/// All directed programs.
pub fn cases() -> Vec<Case> {
    let mut cases = instructions::cases();
    cases.extend(system::cases());
    cases
}
