//! Litmus tests while the recorder holds the harts again and again: another pattern of stalls for each
//! seed, and still no outcome that sequential consistency forbids.

use lookback_log_format::order::OrderMode;
use lookback_replay::verify::verify;
use lookback_sim::EngineChoice;
use lookback_sim_tests::{run_recorded, Options};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Mutex;

#[test]
fn no_pattern_of_stalls_brings_a_forbidden_outcome() {
    for harts in [2, 4] {
        let mut programs = lookback_firmware::parallel_programs(harts).expect("they are there");
        programs.retain(|program| program.name.starts_with("litmus"));
        assert!(programs.len() >= 4);
        let runs = programs
            .iter()
            .flat_map(|program| (0..2u32).map(move |seed| (program, seed)));
        let runs: Vec<_> = runs.collect();
        let patterns = Mutex::new(BTreeSet::new());
        runs.par_iter().for_each(|(program, seed)| {
            let name = &program.name;
            let elf = std::fs::read(&program.elf).expect("it is built");
            // So small that it holds the harts all the time.
            let mut options = Options::new(EngineChoice::Verilator, "tiny");
            (options.board.harts, options.board.seed) = (harts, 1000 + 77 * seed);
            options.order = OrderMode {
                strata: seed % 2 == 0,
                chunks: seed % 2 == 1,
            };
            let outcome = run_recorded(&elf, &options).expect("it is recorded");
            // A forbidden outcome ends the run with another code.
            let code = program.header.expect.finish_code();
            assert_eq!(outcome.finished, Some(code), "{name} with seed {seed}");
            assert!(outcome.stall_cycles > 0, "{name} was not held");
            let image = outcome.recording.image(None).expect("the ELF is in it");
            let report = verify(&outcome.recording, &image, |_, _| {});
            assert!(report.ok, "{name} with seed {seed}: {report:#?}");
            let mut patterns = patterns.lock().expect("nobody panicked");
            patterns.insert((outcome.stall_cycles, outcome.cycles));
        });
        let patterns = patterns.into_inner().expect("nobody panicked");
        assert!(patterns.len() > runs.len() / 2, "they differ: {patterns:?}");
    }
}
