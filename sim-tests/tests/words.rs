//! First-load tags that keep words, through the whole path: what somebody else wrote is found by
//! comparison, every record equals the model's, and every replay what retired.

use lookback_log_format::config::TagKind;
use lookback_log_format::order::OrderMode;
use lookback_replay::verify::verify;
use lookback_sim::EngineChoice;
use lookback_sim_tests::{run_plain, run_recorded, Options, Outcome};
use rayon::prelude::*;

fn agrees(name: &str, outcome: &Outcome) {
    assert_eq!(outcome.recording.config.tag_kind, TagKind::Words, "{name}");
    outcome
        .model_agrees()
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let compared = outcome
        .replay_equals_retirements()
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    assert_eq!(compared as usize, outcome.retirements().count(), "{name}");
}

/// Programs of one hart, DMA among them, take no cycle more than without the recorder.
#[test]
fn programs_of_one_hart_with_and_without_dma() {
    let programs = lookback_firmware::programs().expect("firmware is there");
    programs.par_iter().for_each(|program| {
        let name = &program.name;
        let elf = std::fs::read(&program.elf).expect("it is built");
        let mut options = Options::new(EngineChoice::Verilator, "words");
        options.stdin.clone_from(&program.header.stdin);
        let outcome = run_recorded(&elf, &options).expect("it is recorded");
        assert_eq!(
            outcome.finished,
            Some(program.header.expect.finish_code()),
            "{name}"
        );
        agrees(name, &outcome);
        let (_, _, cycles) = run_plain(&elf, &options).expect("it runs");
        assert_eq!(outcome.cycles, cycles, "{name}");
    });
}

/// Programs whose harts write what others have read: locks, counters, a function pointer.
const SHARING: [&str; 6] = [
    "lrsc_stack",
    "litmus_mp",
    "overrun",
    "reference_count",
    "ring_buffer",
    "spin_lock",
];

/// The same of parallel programs: one hart's writes are the other's surprises.
#[test]
fn parallel_programs_with_their_order() {
    for harts in [2, 4] {
        let mut programs = lookback_firmware::parallel_programs(harts).expect("they are there");
        programs.retain(|program| SHARING.contains(&program.name.as_str()));
        assert_eq!(programs.len(), SHARING.len());
        programs.par_iter().for_each(|program| {
            let name = &program.name;
            let elf = std::fs::read(&program.elf).expect("it is built");
            let mut options = Options::new(EngineChoice::Verilator, "words");
            (options.board.harts, options.board.seed) = (harts, name.len() as u32);
            options.order = OrderMode {
                strata: harts == 2,
                chunks: harts == 4,
            };
            let outcome = run_recorded(&elf, &options).expect("it is recorded");
            assert_eq!(
                outcome.finished,
                Some(program.header.expect.finish_code()),
                "{name}"
            );
            agrees(name, &outcome);
            let image = outcome.recording.image(None).expect("the ELF is in it");
            let report = verify(&outcome.recording, &image, |_, _| {});
            assert!(report.ok, "{name}: {report:#?}");
        });
    }
}

/// Both engines, where a DMA engine changes data and code.
#[test]
fn both_engines_give_the_same_recording() {
    for name in ["dma_overwrite", "dma_code"] {
        let elf = std::fs::read(lookback_firmware::folder().join(format!("prebuilt/{name}.elf")));
        let elf = elf.expect("it is built");
        let [slow, fast] = [EngineChoice::RustHdl, EngineChoice::Verilator].map(|engine| {
            let outcome = run_recorded(&elf, &Options::new(engine, "words"));
            let outcome = outcome.expect("it is recorded");
            agrees(name, &outcome);
            outcome
        });
        assert!(slow.records() == fast.records(), "{name}: records differ");
    }
}
