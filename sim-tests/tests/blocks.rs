//! Every block of the hardware: in the table, past all guards, and equal to its twin in rust-hdl's
//! simulator and as Verilated Verilog.

use lookback_rtl_gen::presets;
use lookback_sim::block::verilated::prepare;
use lookback_sim::block::verilated::VerilatedLibrary;
use lookback_sim_tests::blocks::registry::{blocks, lint, Block, PRESETS};
use lookback_sim_tests::blocks::run::{Effort, Engines, Verdict};
use lookback_sim_tests::blocks::sources::block_types;
use rayon::prelude::*;

/// The part of a name that `LOOKBACK_BLOCK` has.
fn part() -> String {
    std::env::var("LOOKBACK_BLOCK").unwrap_or_default()
}

/// What is chosen by `LOOKBACK_BLOCK`, or everything.
fn chosen() -> Vec<&'static Block> {
    let part = part();
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

#[test]
fn every_block_is_in_the_table() {
    let known: Vec<&str> = blocks().map(Block::type_path).collect();
    let missing: Vec<String> = block_types()
        .expect("the sources are beside this crate")
        .into_iter()
        .filter(|name| !known.contains(&name.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "blocks without an entry in sim-tests/src/blocks: {missing:#?}"
    );
    let mut names: Vec<&str> = blocks().map(|block| block.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two blocks have the same name");
}

#[test]
fn every_preset_passes_every_guard_and_equals_the_model() {
    prepare().expect("Verilator and a C++ compiler are installed");
    let part = part();
    let failures: Vec<String> = presets()
        .par_iter()
        .filter(|preset| preset.name.contains(&part))
        .filter_map(|preset| {
            let check = || -> Verdict {
                let name = preset.name;
                let design = preset.generate().map_err(|error| error.to_string())?;
                lint(name, &design)?;
                let entry = PRESETS.iter().find(|entry| entry.preset == name);
                let entry = entry.ok_or_else(|| format!("{name}: no co-simulation"))?;
                let verilated = VerilatedLibrary::new(&design).map_err(|e| e.to_string())?;
                let engines = Engines {
                    stepped: None,
                    verilated: &verilated,
                };
                let effort = Effort::from_environment(entry.cases);
                (entry.check)(name, &engines, &effort)
            };
            check().err()
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}
