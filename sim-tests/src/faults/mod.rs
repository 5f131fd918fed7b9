//! Faults that are planted into the Verilog of blocks, to show that the blocks' checks would find them.
//!
//! A fault is a text edit that must fit exactly one place of the block's Verilog: one that fits none or
//! several has rotted, and that is a failure too. The mutant runs against the model alone, with the
//! runs of the ordinary test, so that finding it does not depend on comparing two simulators.
//!
//! [`random`] makes faults of its own, to show where the stimulus is weak.

mod attach;
mod boards;
mod compact;
mod drain;
pub mod random;
mod recorder;
mod small;
mod soc;
mod system;

use crate::blocks::registry::{blocks, Block};
use crate::blocks::run::{Effort, Engines};
use lookback_rtl_gen::Design;
use lookback_sim::block::verilated::VerilatedLibrary;

/// A named fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What it is called.
    pub name: &'static str,
    /// What is broken, in one sentence.
    pub what: &'static str,
    /// The block's name in the table of blocks.
    pub block: &'static str,
    /// What stands in its Verilog; spaces and line ends count as one space.
    pub from: &'static str,
    /// What stands there instead.
    pub to: &'static str,
    /// Whether it is one of those that every test run tries.
    pub quick: bool,
}

/// All named faults.
pub fn faults() -> impl Iterator<Item = &'static Fault> {
    [
        recorder::FAULTS,
        compact::FAULTS,
        drain::FAULTS,
        small::FAULTS,
        soc::FAULTS,
        system::FAULTS,
        attach::FAULTS,
        boards::FAULTS,
    ]
    .into_iter()
    .flatten()
}

/// What became of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The check found it, and said so.
    Caught(String),
    /// The check found nothing.
    Survived,
    /// It could not be tried.
    Failed(String),
}

/// The block of this name.
pub fn block(name: &str) -> Result<&'static Block, String> {
    blocks()
        .find(|block| block.name == name)
        .ok_or_else(|| format!("no block is called \"{name}\""))
}

impl Fault {
    /// Plants it and runs the block's check.
    pub fn plant(&self) -> Outcome {
        let tried = || -> Result<Outcome, String> {
            let block = block(self.block)?;
            let mut design = block.design()?;
            design.verilog = edit(&design.verilog, self.from, self.to)?;
            Ok(run(block, &design))
        };
        tried().unwrap_or_else(Outcome::Failed)
    }
}

/// Runs a block's check on a changed design.
pub fn run(block: &Block, design: &Design) -> Outcome {
    let verilated = match VerilatedLibrary::new(design) {
        Ok(library) => library,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let engines = Engines {
        stepped: None,
        verilated: &verilated,
    };
    let effort = Effort {
        shrink: false,
        ..Effort::from_environment(block.cases)
    };
    match (block.check)(block.name, &engines, &effort) {
        Err(difference) => Outcome::Caught(difference),
        Ok(()) => Outcome::Survived,
    }
}

/// Replaces the only place that reads `from`.
pub fn edit(verilog: &str, from: &str, to: &str) -> Result<String, String> {
    let places: Vec<(usize, usize)> = places(verilog, from);
    match places.as_slice() {
        [(start, end)] => Ok(format!("{}{to}{}", &verilog[..*start], &verilog[*end..])),
        [] => Err(format!(
            "rotted: the Verilog has no place that reads \"{from}\""
        )),
        many => Err(format!("{} places read \"{from}\": name one", many.len())),
    }
}

/// Where a text stands, with any white space for each of its spaces.
fn places(verilog: &str, text: &str) -> Vec<(usize, usize)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(first) = words.first() else {
        return Vec::new();
    };
    let fits = |start: usize| -> Option<usize> {
        let mut at = start + first.len();
        for word in &words[1..] {
            let rest = &verilog[at..];
            let space = rest.len() - rest.trim_start().len();
            let next = rest.trim_start().strip_prefix(word).filter(|_| space > 0)?;
            at = verilog.len() - next.len();
        }
        Some(at)
    };
    verilog
        .match_indices(first)
        .filter_map(|(start, _)| fits(start).map(|end| (start, end)))
        .collect()
}
