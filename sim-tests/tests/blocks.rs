//! Every block of the hardware: in the table, past all guards, and equal to its twin in rust-hdl's
//! simulator and as Verilated Verilog.

use lookback_sim::block::verilated::prepare;
use lookback_sim_tests::blocks::registry::{blocks, Block};
use lookback_sim_tests::blocks::run::{Effort, Verdict};
use rayon::prelude::*;

/// What is chosen by `LOOKBACK_BLOCK`, or everything.
fn chosen() -> Vec<&'static Block> {
    let part = std::env::var("LOOKBACK_BLOCK").unwrap_or_default();
    let chosen: Vec<&Block> = blocks().filter(|b| b.name.contains(&part)).collect();
    assert!(!chosen.is_empty(), "no block is called \"{part}\"");
    chosen
}

fn all(verdict: impl Fn(&Block) -> Verdict + Sync) {
    let blocks = chosen();
    let found = blocks.par_iter().filter_map(|block| verdict(block).err());
    let failures: Vec<String> = found.collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

#[test]
fn every_block_passes_every_guard() {
    all(|block| block.guard(&block.design()?));
}

#[test]
fn every_block_equals_its_model_in_both_simulators() {
    prepare().expect("Verilator and a C++ compiler are installed");
    all(|block| {
        let effort = Effort::from_environment(block.cases);
        let start = std::time::Instant::now();
        let verdict = block.cosimulate(&block.design()?, &effort);
        println!("{:24} {:6.2} s", block.name, start.elapsed().as_secs_f64());
        verdict
    });
}
