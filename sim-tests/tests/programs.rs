//! Every program of `firmware/`, the whole way, on both engines: it does what its head says, the
//! recorder does not disturb it, the log is what the model says, and the replay is what retired.

use lookback_firmware::{programs, Program};
use lookback_sim::EngineChoice;
use lookback_sim_tests::{run_plain, run_recorded, Options, Outcome};

fn elf(program: &Program) -> Vec<u8> {
    std::fs::read(&program.elf).expect("the prebuilt ELF is committed")
}

fn options(program: &Program, engine: EngineChoice, preset: &str) -> Options {
    let mut options = Options::new(engine, preset);
    options.stdin.clone_from(&program.header.stdin);
    options
}

fn check(program: &Program, engine: EngineChoice, preset: &str) -> Outcome {
    let name = &program.name;
    let outcome = run_recorded(&elf(program), &options(program, engine, preset))
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    assert!(
        outcome.recording.is_whole(),
        "{name}: the recording is not whole: {:?} {:?}",
        outcome.summary.losses,
        outcome.recording.end
    );
    assert_eq!(
        outcome.finished,
        Some(program.header.expect.finish_code()),
        "{name} ended otherwise; console: {}",
        String::from_utf8_lossy(&outcome.console)
    );
    assert!(
        program.header.console_matches(&outcome.console),
        "{name}: console: {}",
        String::from_utf8_lossy(&outcome.console)
    );
    outcome
        .model_agrees()
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let compared = outcome
        .replay_equals_retirements()
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    assert_eq!(compared as usize, outcome.retirements().count(), "{name}");
    outcome
}

/// All programs on a board: they take the same cycles as without a recorder.
fn undisturbed(preset: &str) {
    for program in programs().expect("firmware is there") {
        let outcome = check(&program, EngineChoice::Verilator, preset);
        let (_, finished, cycles) = run_plain(
            &elf(&program),
            &options(&program, EngineChoice::Verilator, preset),
        )
        .expect("the same ran with a recorder");
        assert_eq!(finished, outcome.finished, "{}", program.name);
        assert_eq!(outcome.stall_cycles, 0, "{} was held up", program.name);
        assert_eq!(
            outcome.cycles, cycles,
            "{} takes other cycles with the recorder than without",
            program.name
        );
    }
}

#[test]
fn all_programs_record_and_replay_undisturbed() {
    undisturbed("bugnet");
}

#[test]
fn all_programs_record_and_replay_undisturbed_with_the_smallest_log() {
    undisturbed("full");
}

#[test]
fn all_programs_record_and_replay_undisturbed_with_words_or_the_plain_coder() {
    for preset in ["full-words", "full-plain", "full-words-plain"] {
        undisturbed(preset);
    }
}

#[test]
fn all_programs_record_and_replay_with_a_tiny_recorder() {
    for program in programs().expect("firmware is there") {
        check(&program, EngineChoice::Verilator, "tiny");
    }
}

#[test]
fn both_engines_give_the_same_recording() {
    for name in ["hello", "dma_overwrite", "self_modify"] {
        let all = programs().expect("firmware is there");
        let program = all
            .iter()
            .find(|program| program.name == name)
            .expect("a program of this name");
        for preset in ["bugnet", "full-words-plain"] {
            let slow = check(program, EngineChoice::RustHdl, preset);
            let fast = check(program, EngineChoice::Verilator, preset);
            assert_eq!(slow.cycles, fast.cycles, "{name}");
            assert_eq!(slow.recording.end, fast.recording.end, "{name}");
            assert!(slow.records() == fast.records(), "{name}: records differ");
            assert!(slow.trace == fast.trace, "{name}: retirements differ");
        }
    }
}
