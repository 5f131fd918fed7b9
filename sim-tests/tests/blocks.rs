//! Every block of the hardware: in the table, past all guards, and equal to its twin in rust-hdl's
//! simulator and as Verilated Verilog.

use lookback_rtl_gen::presets;
use lookback_sim::block::verilated::prepare;
use lookback_sim::block::verilated::VerilatedLibrary;
use lookback_sim_tests::blocks::registry::{blocks, Block, PRESETS};
use lookback_sim_tests::blocks::run::{Effort, Engines, Verdict};
use lookback_sim_tests::blocks::sources::block_types;
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

/// Blocks that are checked within the blocks around them only. The list may shrink, not grow.
const WITHIN_OTHERS: &[&str] = &[
    "lookback_hdl::attach::conformance::Conformance",
    "lookback_hdl::attach::expectation::Expectation",
    "lookback_hdl::attach::recorder::AttachedRecorder",
    "lookback_hdl::attach::register_copy::RegisterCopy",
    "lookback_hdl::attach::stream::StreamRx",
    "lookback_hdl::attach::stream::UartBridge",
    "lookback_hdl::attach::wishbone::Wishbone",
    "lookback_hdl::boards::sim::SimBoard",
    "lookback_hdl::boards::sim::SimSoc",
    "lookback_hdl::soc::bus::Bus",
    "lookback_hdl::soc::control::Control",
    "lookback_hdl::soc::csr::Csr",
    "lookback_hdl::soc::datapath::Datapath",
    "lookback_hdl::soc::devices::Devices",
    "lookback_hdl::soc::hart::Hart",
    "lookback_hdl::soc::soc::Soc",
    "lookback_hdl::soc::traps::Traps",
];

#[test]
fn every_block_is_in_the_table() {
    let known: Vec<&str> = blocks().map(Block::type_path).collect();
    let missing: Vec<String> = block_types()
        .expect("the sources are beside this crate")
        .into_iter()
        .filter(|name| !known.contains(&name.as_str()))
        .collect();
    assert_eq!(
        missing, WITHIN_OTHERS,
        "left: blocks without an entry in sim-tests/src/blocks; right: those that may be"
    );
    let mut names: Vec<&str> = blocks().map(|block| block.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two blocks have the same name");
}

/// Presets that run programs, model beside them, in tests of their own.
const RUN_PROGRAMS: &[&str] = &[
    "sim-bugnet",
    "sim-tiny",
    "sim-soc",
    "recorder",
    "recorder-small",
    "uart",
];

#[test]
fn every_preset_passes_every_guard_and_equals_the_model() {
    prepare().expect("Verilator and a C++ compiler are installed");
    let failures: Vec<String> = presets()
        .par_iter()
        .filter_map(|preset| {
            let check = || -> Verdict {
                let name = preset.name;
                let design = preset.generate().map_err(|error| error.to_string())?;
                lookback_rtl_gen::verilator_lint(&design.verilog, &design.top)
                    .map_err(|error| format!("{name}: {error}"))?;
                if RUN_PROGRAMS.contains(&name) {
                    return Ok(());
                }
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
