//! The recording's counters and the bit packer.

use crate::blocks::{seldom, Inputs, Lockstep};
use proptest::collection::vec;
use proptest::prelude::*;

/// Counters as sums, and copies of them at marks.
#[derive(Default)]
pub struct Sums {
    retired: u64,
    cycles: u64,
    stalls: u64,
    lost: u64,
    /// lost since the last mark
    losing: u64,
    mark: Option<(u64, u64)>,
}

/// What is counted in a cycle.
#[derive(Clone, Debug)]
pub struct Count {
    clear: bool,
    retire: bool,
    cycle: bool,
    stall: bool,
    lose: bool,
    mark: bool,
}

impl Lockstep for Sums {
    type Step = Count;

    fn runs() -> BoxedStrategy<Vec<Count>> {
        let flags = (
            seldom(5),
            seldom(500),
            seldom(900),
            seldom(300),
            seldom(400),
            seldom(60),
        );
        let count = flags.prop_map(|(clear, retire, cycle, stall, lose, mark)| Count {
            clear,
            retire,
            cycle,
            stall,
            // What is lost neither opens an interval nor ends a gap.
            lose: lose && !mark,
            mark,
        });
        vec(count, 1..400).boxed()
    }

    fn inputs(&self, step: &Count) -> Vec<(&'static str, u32)> {
        vec![
            ("clear", step.clear.into()),
            ("retire", step.retire.into()),
            ("cycle", step.cycle.into()),
            ("stall", step.stall.into()),
            ("lose", step.lose.into()),
            ("mark", step.mark.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let low = |sum: u64| sum as u32;
        let high = |sum: u64| (sum >> 32) as u32;
        let mut seen = vec![
            ("retired_lo", low(self.retired)),
            ("retired_hi", high(self.retired)),
            ("cycles_lo", low(self.cycles)),
            ("cycles_hi", high(self.cycles)),
            ("stalls_lo", low(self.stalls)),
            ("stalls_hi", high(self.stalls)),
            ("lost_lo", low(self.lost)),
            ("lost_hi", high(self.lost)),
        ];
        if let Some((cycles, lost)) = self.mark {
            seen.extend([
                ("mark_cycles_lo", low(cycles)),
                ("mark_cycles_hi", high(cycles)),
                ("gap_lost_lo", low(lost)),
                ("gap_lost_hi", high(lost)),
            ]);
        }
        if inputs.is("mark") {
            self.mark = Some((self.cycles, self.losing));
            self.losing = 0;
        }
        self.retired += u64::from(inputs.is("retire"));
        self.cycles += u64::from(inputs.is("cycle"));
        self.stalls += u64::from(inputs.is("stall"));
        self.lost += u64::from(inputs.is("lose"));
        self.losing += u64::from(inputs.is("lose"));
        if inputs.is("clear") {
            // A header that is being written keeps its numbers.
            *self = Self {
                mark: self.mark,
                ..Self::default()
            };
        }
        seen
    }
}

/// Chunks as a string of bits, of which whole bytes leave at the front.
#[derive(Default)]
pub struct Bits {
    /// bits that are no whole byte yet
    part: Vec<bool>,
    offered: Option<(u32, bool)>,
}

/// One cycle of the packer.
#[derive(Clone, Debug)]
pub struct Chunk {
    load: bool,
    bits: u32,
    size: u32,
    align: bool,
    last: bool,
    clear: bool,
    byte_ready: bool,
}

impl Lockstep for Bits {
    type Step = Chunk;

    fn runs() -> BoxedStrategy<Vec<Chunk>> {
        let size = prop_oneof![3 => 1..9u32, 1 => Just(8u32)];
        let flags = (seldom(800), seldom(60), seldom(300), seldom(4), seldom(600));
        let chunk = (any::<u8>(), size, flags).prop_map(
            |(bits, size, (load, align, last, clear, byte_ready))| Chunk {
                load,
                bits: if align {
                    0
                } else {
                    u32::from(bits) & ((1 << size) - 1)
                },
                size,
                align,
                last,
                clear,
                byte_ready,
            },
        );
        vec(chunk, 1..300).boxed()
    }

    fn inputs(&self, step: &Chunk) -> Vec<(&'static str, u32)> {
        let ready = self.offered.is_none() || step.byte_ready;
        let filled = self.part.len() as u32 + if step.align { 8 } else { step.size };
        // A record ends with a whole byte.
        let whole = if step.align {
            !self.part.is_empty()
        } else {
            filled % 8 == 0
        };
        vec![
            ("clear", step.clear.into()),
            ("load", (step.load && ready).into()),
            ("bits", step.bits),
            ("size", step.size - 1),
            ("align", step.align.into()),
            ("last", (step.last && whole).into()),
            ("byte_ready", step.byte_ready.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = vec![
            (
                "ready",
                (self.offered.is_none() || inputs.is("byte_ready")).into(),
            ),
            ("idle", self.offered.is_none().into()),
            ("byte_valid", self.offered.is_some().into()),
        ];
        if let Some((byte, last)) = self.offered {
            seen.extend([("byte_data", byte), ("byte_last", last.into())]);
        }
        if inputs.is("byte_ready") {
            self.offered = None;
        }
        if inputs.is("load") {
            if inputs.is("align") {
                let whole = self.part.len().next_multiple_of(8);
                self.part.resize(whole, false);
            } else {
                let bits = 0..=inputs.get("size");
                self.part
                    .extend(bits.map(|bit| inputs.get("bits") >> bit & 1 == 1));
            }
            if self.part.len() >= 8 {
                let byte = self.part.drain(..8).rev();
                let byte = byte.fold(0, |byte, bit| byte << 1 | u32::from(bit));
                self.offered = Some((byte, inputs.is("last")));
            }
        }
        if inputs.is("clear") {
            *self = Self::default();
        }
        seen
    }
}
