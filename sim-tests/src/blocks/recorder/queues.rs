//! The two queues of the recorder: first in, first out, an entry is seen two cycles after it came.

use crate::blocks::{pressure, seldom, Inputs, Lockstep};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// What tells one queue from the other.
pub trait Kind: 'static {
    /// Places.
    const DEPTH: usize;
    /// Input, output and width of each field of an entry.
    const FIELDS: &'static [(&'static str, &'static str, u32)];
    /// The flags that say early that it fills up, and from how many entries on.
    const EARLY: &'static [(&'static str, usize)];
}

/// The event FIFO with `RESERVE` places that it keeps back, of `2^F`.
pub struct Events<const F: u32, const RESERVE: usize>;

impl<const F: u32, const RESERVE: usize> Kind for Events<F, RESERVE> {
    const DEPTH: usize = 1 << F;
    const FIELDS: &'static [(&'static str, &'static str, u32)] = &[
        ("kind", "head_kind", 4),
        ("position", "head_position", 24),
        ("value", "head_value", 32),
    ];
    // Fewer than RESERVE places are left.
    const EARLY: &'static [(&'static str, usize)] = &[
        ("pressure", (1 << F) - RESERVE + 1),
        ("behind", if F > 4 { 16 } else { 1 << F }),
    ];
}

/// The input queue.
pub struct Retirements;

impl Kind for Retirements {
    const DEPTH: usize = 16;
    const FIELDS: &'static [(&'static str, &'static str, u32)] = &[
        ("flags", "head_flags", 11),
        ("position", "head_position", 24),
        ("pc", "head_pc", 32),
        ("insn", "head_insn", 32),
        ("value", "head_value", 32),
        ("addr", "head_addr", 30),
        ("masks", "head_masks", 12),
        ("snoop_addr", "head_snoop_addr", 30),
    ];
    const EARLY: &'static [(&'static str, usize)] = &[("half", 8)];
}

/// The queue of codec `compact`; with `STORED` it also keeps what was stored.
pub struct CompactRetirements<const STORED: bool>;

impl<const STORED: bool> CompactRetirements<STORED> {
    const ALL: &'static [(&'static str, &'static str, u32)] = &[
        ("stored", "head_stored", 32),
        ("flags", "head_flags", 21),
        ("position", "head_position", 24),
        ("pc", "head_pc", 32),
        ("insn", "head_insn", 32),
        ("value", "head_value", 32),
        ("left", "head_left", 32),
        ("right", "head_right", 32),
        ("from", "head_from", 32),
        ("addr", "head_addr", 30),
        ("masks", "head_masks", 8),
        ("snoop_addr", "head_snoop_addr", 30),
    ];
}

impl<const STORED: bool> Kind for CompactRetirements<STORED> {
    const DEPTH: usize = 16;
    const FIELDS: &'static [(&'static str, &'static str, u32)] = match STORED {
        true => Self::ALL,
        false => Self::ALL.split_at(1).1,
    };
    const EARLY: &'static [(&'static str, usize)] = &[("half", 8)];
}

/// A queue's twin.
pub struct Queue<K> {
    now: u64,
    /// entries, and from when on they are seen
    waiting: VecDeque<(Vec<u32>, u64)>,
    kind: PhantomData<K>,
}

impl<K> Default for Queue<K> {
    fn default() -> Self {
        Self {
            now: 0,
            waiting: VecDeque::new(),
            kind: PhantomData,
        }
    }
}

/// One cycle's wishes.
#[derive(Clone, Debug)]
pub struct Step {
    push: bool,
    pop: bool,
    clear: bool,
    entry: u64,
}

/// Fields that differ from each other and from entry to entry.
fn field(entry: u64, index: usize, width: u32) -> u32 {
    let mixed = (entry ^ (index as u64) << 57).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32 & (u32::MAX >> (32 - width))
}

impl<K: Kind> Queue<K> {
    fn head(&self) -> Option<&[u32]> {
        let seen = self.waiting.front().filter(|(_, from)| *from <= self.now);
        seen.map(|(entry, _)| entry.as_slice())
    }
}

impl<K: Kind> Lockstep for Queue<K> {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        pressure(500)
            .prop_flat_map(|wishes| {
                let count = wishes.len();
                (Just(wishes), vec((any::<u64>(), seldom(6)), count))
            })
            .prop_map(|(wishes, entries)| {
                let cycles = wishes.into_iter().zip(entries);
                let step = |((push, pop), (entry, clear))| Step {
                    push,
                    pop,
                    clear,
                    entry,
                };
                cycles.map(step).collect()
            })
            .boxed()
    }

    fn inputs(&self, step: &Step) -> Vec<(&'static str, u32)> {
        let full = self.waiting.len() == K::DEPTH;
        let mut inputs = vec![
            ("clear", step.clear.into()),
            ("push", (step.push && !full).into()),
            ("pop", (step.pop && self.head().is_some()).into()),
        ];
        let fields = K::FIELDS.iter().enumerate();
        inputs.extend(fields.map(|(n, (port, _, width))| (*port, field(step.entry, n, *width))));
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let count = self.waiting.len();
        let mut seen = vec![
            ("valid", self.head().is_some().into()),
            ("empty", (count == 0).into()),
            ("full", (count == K::DEPTH).into()),
        ];
        let early = K::EARLY.iter();
        seen.extend(early.map(|(port, from)| (*port, (count >= *from).into())));
        if let Some(head) = self.head() {
            let outputs = K::FIELDS.iter().map(|(_, port, _)| *port);
            seen.extend(outputs.zip(head.iter().copied()));
        }
        if inputs.is("pop") {
            self.waiting.pop_front();
        }
        if inputs.is("push") {
            let entry = K::FIELDS.iter().map(|(port, ..)| inputs.get(port));
            self.waiting.push_back((entry.collect(), self.now + 2));
        }
        if inputs.is("clear") {
            self.waiting.clear();
        }
        self.now += 1;
        seen
    }
}
