//! Every hardware block by itself, three ways: the same random steps through its plain-Rust twin, the
//! rust-hdl simulator and the Verilated Verilog; what comes out must be equal.
//!
//! ```text
//!  steps (proptest) ─┬─► twin ───────────────────────► records ┐
//!                    ├─► driver ─► SteppedBlock    ──► records ├ equal, or shrunk and shown
//!                    └─► driver ─► VerilatedBlock  ──► records ┘
//! ```
//! To add a block:
//! 1. Write its check into the file of its group: a type that is [`Lockstep`] (a twin that knows every
//!    cycle: most blocks) or [`Check`] (only the order of what comes out is promised). The twin is
//!    written from the block's words (its header, `docs/log-format.md`, the ISA), never from its
//!    circuit; where `lookback-model` has it, that one is used.
//! 2. Name it in the group's `BLOCKS` with [`block!`](crate::block): a name, the check, how many
//!    cases, and the ports. A port that is missing there fails a test.
//! 3. Add faults to `faults/`: text edits of its Verilog that its check must catch.
//!
//! `LOOKBACK_SEED` (a number or `random`), `LOOKBACK_CASES` (a factor for the number of cases) and
//! `LOOKBACK_BLOCK` (part of a name) choose what runs.

pub mod registry;
pub mod run;

pub mod attach;
pub mod boards;
pub mod compact;
pub mod drain;
mod host;
pub mod memory;
pub mod recorder;
pub mod small;
pub mod soc;
pub mod sources;

use lookback_log_format::Retire;
use lookback_sim::block::Dut;
use proptest::prelude::*;
use std::fmt;

/// Something that a block said, or must say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Which port, or what of it.
    pub what: &'static str,
    /// Its value.
    pub value: u32,
}

impl fmt::Debug for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={:#x}", self.what, self.value)
    }
}

/// Streams of records while they grow.
#[derive(Default)]
pub struct Records {
    /// What was said.
    pub said: Vec<Record>,
    /// What should have been said, where only the driver can tell: when a block chooses the time at
    /// which it takes something, its model has to be told.
    pub wanted: Vec<Record>,
}

impl Records {
    /// Adds what was said.
    pub fn say(&mut self, what: &'static str, value: impl Into<u32>) {
        let value = value.into();
        self.said.push(Record { what, value });
    }

    /// Adds what should be said.
    pub fn want(&mut self, what: &'static str, value: impl Into<u32>) {
        let value = value.into();
        self.wanted.push(Record { what, value });
    }
}

/// What every port for retirements has of one, but for `rvfi_valid`.
pub fn retirement_ports(r: &Retire) -> [(&'static str, u32); 11] {
    [
        ("rvfi_insn", r.insn),
        ("rvfi_trap", r.trap.into()),
        ("rvfi_rd_addr", r.rd_addr.into()),
        ("rvfi_rd_wdata", r.rd_wdata),
        ("rvfi_pc_rdata", r.pc_rdata),
        ("rvfi_pc_wdata", r.pc_wdata),
        ("rvfi_mem_addr", r.mem_addr),
        ("rvfi_mem_rmask", r.mem_rmask.into()),
        ("rvfi_mem_wmask", r.mem_wmask.into()),
        ("rvfi_mem_rdata", r.mem_rdata),
        ("rvfi_mem_wdata", r.mem_wdata),
    ]
}

/// How a block is driven and what it must answer.
pub trait Check: 'static {
    /// What happens to the block next.
    type Step: fmt::Debug + Clone + 'static;

    /// Random runs that shrink.
    fn runs() -> BoxedStrategy<Vec<Self::Step>>;

    /// Plays a run through the block's ports.
    fn drive(run: &[Self::Step], dut: &mut dyn Dut, out: &mut Records);

    /// What must come of it; nothing, if the driver runs the model and says what it wants.
    fn expect(run: &[Self::Step], out: &mut Records);
}

/// A twin that knows what its block shows in every cycle.
pub trait Lockstep: Default + 'static {
    /// What is wished for one cycle.
    type Step: fmt::Debug + Clone + 'static;

    /// Random runs that shrink.
    fn runs() -> BoxedStrategy<Vec<Self::Step>>;

    /// Inputs of this cycle; a twin makes a wish legal where its state forbids it.
    fn inputs(&self, step: &Self::Step) -> Vec<(&'static str, u32)>;

    /// Outputs of this cycle with these inputs, as far as they are promised; then the clock's edge.
    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)>;
}

/// The inputs of a cycle by name; what was never set is 0.
pub struct Inputs(Vec<(&'static str, u32)>);

impl Inputs {
    /// An input's value.
    pub fn get(&self, port: &str) -> u32 {
        let found = self.0.iter().rev().find(|(name, _)| *name == port);
        found.map_or(0, |(_, value)| *value)
    }

    /// An input of one bit.
    pub fn is(&self, port: &str) -> bool {
        self.get(port) != 0
    }
}

impl<T: Lockstep> Check for T {
    type Step = T::Step;

    fn runs() -> BoxedStrategy<Vec<Self::Step>> {
        T::runs()
    }

    fn drive(run: &[Self::Step], dut: &mut dyn Dut, out: &mut Records) {
        let mut twin = T::default();
        for step in run {
            let inputs = Inputs(twin.inputs(step));
            for (port, value) in &inputs.0 {
                dut.set(port, *value);
            }
            for (port, _) in twin.cycle(&inputs) {
                out.say(port, dut.get(port));
            }
            dut.cycle();
        }
    }

    fn expect(run: &[Self::Step], out: &mut Records) {
        let mut twin = T::default();
        for step in run {
            let inputs = Inputs(twin.inputs(step));
            for (port, value) in twin.cycle(&inputs) {
                out.say(port, value);
            }
        }
    }
}

/// A number of one of the kinds that hardware gets wrong: anything, few bits, borders.
pub fn word() -> BoxedStrategy<u32> {
    prop_oneof![
        4 => any::<u32>(),
        2 => 0..8u32,
        1 => (0..32u32).prop_map(|bit| 1 << bit),
        1 => (0..32u32).prop_map(|bit| !(1 << bit)),
        1 => (0..4u32).prop_map(|below| u32::MAX - below),
        1 => prop_oneof![Just(0x7fff_ffff), Just(0x8000_0000), Just(0xffff), Just(0x5555_5555)],
    ]
    .boxed()
}

/// `per_mille` times in a thousand; shrinks to false.
pub fn seldom(per_mille: u32) -> BoxedStrategy<bool> {
    proptest::bool::weighted(f64::from(per_mille) / 1000.0).boxed()
}

/// Back-pressure as it comes in practice: stretches of eager, slow and none.
///
/// Pairs of wishes, such as to push and to pop, for each cycle of a run of up to `most` cycles.
pub fn pressure(most: usize) -> BoxedStrategy<Vec<(bool, bool)>> {
    let stretch = prop_oneof![
        Just((1000u32, 0u32)),
        Just((0, 1000)),
        Just((1000, 1000)),
        Just((900, 100)),
        Just((100, 900)),
        Just((500, 500)),
    ];
    let stretch = (stretch, 1..60usize).prop_flat_map(|((push, pop), length)| {
        proptest::collection::vec((seldom(push), seldom(pop)), length)
    });
    proptest::collection::vec(stretch, 1..(most / 30).max(2))
        .prop_map(|stretches| stretches.concat())
        .boxed()
}
