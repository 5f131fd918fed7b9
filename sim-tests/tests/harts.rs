//! Boards with several harts, through the whole path: recorded by the driver, every hart's records equal
//! the model's, every hart's replay equals its retirements, and the recorder costs no cycle.

use lookback_log_format::order::{OrderKind, OrderMode, Pace};
use lookback_replay::verify::verify;
use lookback_sim::EngineChoice;
use lookback_sim_tests::torture::asm::{addi, amo, branch, csrr, jal, li, lw, sw, Code};
use lookback_sim_tests::{run_plain, run_recorded, Options, Outcome};
use rayon::prelude::*;

const RAM: u32 = 0x8000_0000;
const LOCK: u32 = RAM + 0x1000;
const TURNS: u32 = 60;
const WFI: u32 = 0x1050_0073;

/// All harts add to one number under one lock; the last to be done ends the run.
fn counter(harts: u32) -> Vec<u8> {
    let mut code = Code::at(RAM);
    code.put([csrr(8, 0xf14)])
        .put(li(9, LOCK))
        .put(li(19, TURNS))
        .label("again")
        .put([addi(5, 0, 1)])
        .label("spin")
        .put([amo(1, 0, 6, 9, 5)])
        .to(branch(1, 6, 0, 0), "spin")
        .put([lw(7, 9, 4), addi(7, 7, 1), sw(7, 9, 4), amo(1, 0, 0, 9, 0)])
        .put([addi(19, 19, -1)])
        .to(branch(1, 19, 0, 0), "again")
        .put([addi(28, 9, 8), amo(0, 0, 30, 28, 5), addi(30, 30, 1)])
        .put(li(31, harts))
        .to(branch(1, 30, 31, 0), "park")
        .put(li(10, 0x0010_0000))
        .put(li(11, 0x5555))
        .put([sw(11, 10, 0)])
        .label("park")
        .put([WFI])
        .to(jal(0, 0), "park");
    elf(&code.finish())
}

/// What a hart does to the one block that all of them use.
#[derive(Clone, Copy, Debug)]
enum Does {
    Adds,
    Stores,
    LoadsAndStores,
}

/// All harts do nothing but access one block, for long without a branch.
fn hammer(harts: u32, does: Does, turns: u32) -> Vec<u8> {
    let mut code = Code::at(RAM);
    code.put(li(9, LOCK)).put(li(19, turns)).label("again");
    for _ in 0..16 {
        match does {
            Does::Adds => code.put([amo(0, 0, 6, 9, 19), amo(0, 0, 7, 9, 6)]),
            Does::Stores => code.put([sw(19, 9, 0), sw(19, 9, 4)]),
            Does::LoadsAndStores => code.put([lw(5, 9, 4), sw(5, 9, 4)]),
        };
    }
    code.put([addi(19, 19, -1)])
        .to(branch(1, 19, 0, 0), "again")
        .put([
            addi(5, 0, 1),
            addi(28, 9, 64),
            amo(0, 0, 30, 28, 5),
            addi(30, 30, 1),
        ])
        .put(li(31, harts))
        .to(branch(1, 30, 31, 0), "park")
        .put(li(10, 0x0010_0000))
        .put(li(11, 0x5555))
        .put([sw(11, 10, 0)])
        .label("park")
        .put([WFI])
        .to(jal(0, 0), "park");
    elf(&code.finish())
}

/// An ELF file of one segment.
fn elf(words: &[u32]) -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0];
    file.resize(16, 0);
    let size = 4 * words.len() as u32;
    // Executable, RISC-V, version, entry, program headers behind this, no sections, no flags.
    for half in [2u16, 243] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, RAM, 52, 0, 0] {
        file.extend(word.to_le_bytes());
    }
    for half in [52u16, 32, 1, 40, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, 84, RAM, RAM, size, size, 5, 4] {
        file.extend(word.to_le_bytes());
    }
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    file
}

fn options(engine: EngineChoice, preset: &str, harts: u8, seed: u32) -> Options {
    let mut options = Options::new(engine, preset);
    (options.board.harts, options.board.seed) = (harts, seed);
    options
}

fn recorded(elf: &[u8], options: &Options) -> Outcome {
    let outcome = run_recorded(elf, options).expect("it is recorded");
    let harts = u32::from(options.board.harts);
    assert_eq!(outcome.finished, Some(0x5555));
    let counted = outcome.ram[(LOCK + 4 - RAM) as usize / 4];
    assert_eq!(counted, harts * TURNS, "the lock holds");
    outcome.model_agrees().expect("records equal the model's");
    in_order(&outcome);
    let compared = outcome
        .replay_equals_retirements()
        .expect("replay equals the port");
    assert_eq!(compared, outcome.retirements().count() as u64);
    assert_eq!(outcome.recording.harts.len() as u32, harts);
    outcome
}

/// The order is the model's, and what every hart saw fits into it.
fn in_order(outcome: &Outcome) {
    outcome
        .order_agrees()
        .expect("the order equals the model's");
    let image = outcome.recording.image(None).expect("the ELF is in it");
    let report = verify(&outcome.recording, &image, |_, _| {});
    assert!(report.ok, "{report:#?}");
    let mode = outcome.recording.config.order.expect("it is logged").mode;
    let kinds = usize::from(mode.strata) + usize::from(mode.chunks);
    assert_eq!(report.order.len(), kinds);
    for order in &report.order {
        assert_eq!(order.instructions, outcome.retirements().count() as u64);
        assert!(order.notes.is_empty(), "{:?}", order.notes);
    }
}

/// ORDER_MODE: nothing, strata, chunks, both.
fn mode(number: u32) -> OrderMode {
    OrderMode::from_register(number)
}

/// Every parallel program of the repository, on the boards that it is built for: whatever is logged of
/// the order, the program takes as many cycles as without a recorder.
#[test]
fn parallel_programs_are_recorded_with_their_order_and_not_held() {
    for harts in [2, 4] {
        let programs = lookback_firmware::parallel_programs(harts).expect("they are there");
        programs.par_iter().for_each(|program| {
            let name = &program.name;
            let elf = std::fs::read(&program.elf).expect("it is built");
            let seed = name.len() as u32;
            let mut options = options(EngineChoice::Verilator, "bugnet", harts, seed);
            options.interval = 20_000;
            let (_, _, cycles) = run_plain(&elf, &options).expect("it runs");
            // Everything, and one of the others in turns.
            for number in [3, (seed + u32::from(harts) / 4) % 3] {
                options.order = mode(number);
                let outcome = run_recorded(&elf, &options).expect("it is recorded");
                let code = program.header.expect.finish_code();
                assert_eq!(outcome.finished, Some(code), "{name}");
                assert_eq!(
                    outcome.cycles, cycles,
                    "{name} on {harts} harts, ORDER_MODE {number}"
                );
                // Replay takes longer than the run.
                if number == 1 || number == 2 {
                    in_order(&outcome);
                }
            }
        });
    }
}

/// The most that harts can bring: an access for every two cycles of the bus, and each of them conflicts
/// with the one before. Stores alone are more than the first-load tags of a hart take, which need a third
/// cycle where the same set comes again at once: then it is not the order that holds anybody.
#[test]
fn harts_that_do_nothing_but_conflict_are_not_held() {
    let mut runs = Vec::new();
    for harts in [2u8, 4] {
        for (does, turns) in [
            (Does::Adds, 60),
            (Does::Stores, 60),
            (Does::LoadsAndStores, 60),
            // So long that no queue hides anything.
            (Does::Stores, 250),
        ] {
            runs.extend((0..4).map(|number| (harts, does, turns, number)));
        }
    }
    runs.par_iter().for_each(|&(harts, does, turns, number)| {
        let elf = hammer(harts.into(), does, turns);
        let mut options = options(EngineChoice::Verilator, "bugnet", harts, number / 3);
        options.interval = 20_000;
        options.order = mode(number);
        let outcome = run_recorded(&elf, &options).expect("it is recorded");
        assert_eq!(outcome.finished, Some(0x5555));
        let cycles = match does {
            Does::Stores => {
                let mut unordered = options.clone();
                unordered.order = mode(0);
                let outcome = run_recorded(&elf, &unordered).expect("it is recorded");
                outcome.cycles
            }
            _ => run_plain(&elf, &options).expect("it runs").2,
        };
        let what = format!("{does:?} {turns} times on {harts} harts, ORDER_MODE {number}");
        assert_eq!(outcome.cycles, cycles, "{what}");
        if turns < 100 && number > 0 {
            in_order(&outcome);
        }
        let strata = outcome.recording.order(OrderKind::Strata);
        let paces = strata.iter().flat_map(|record| record.paces());
        let hurried = paces.filter(|pace| *pace != Pace::Calm).count();
        if harts == 4 && mode(number).strata && turns > 100 {
            assert!(hurried > 1000, "{what}: {hurried} strata hurried");
        }
    });
}

/// Forbidden outcomes end a litmus test with another code.
#[test]
fn no_seed_brings_a_forbidden_outcome() {
    for harts in [2, 4] {
        let mut programs = lookback_firmware::parallel_programs(harts).expect("they are there");
        programs.retain(|program| program.name.starts_with("litmus"));
        assert!(programs.len() >= 4);
        let runs = programs
            .iter()
            .flat_map(|p| (100..112).map(move |seed| (p, seed)));
        let runs: Vec<_> = runs.collect();
        runs.par_iter().for_each(|(program, seed)| {
            let elf = std::fs::read(&program.elf).expect("it is built");
            let options = options(EngineChoice::Verilator, "bugnet", harts, *seed);
            let (_, finished, _) = run_plain(&elf, &options).expect("it runs");
            let code = program.header.expect.finish_code();
            assert_eq!(finished, Some(code), "{} with seed {seed}", program.name);
        });
    }
}

/// Nor does a recorder that holds the harts again and again, in patterns that follow from the link's
/// speed; and what it recorded is in order.
#[test]
fn no_pattern_of_stalls_brings_a_forbidden_outcome() {
    for harts in [2, 4] {
        let mut programs = lookback_firmware::parallel_programs(harts).expect("they are there");
        programs.retain(|program| program.name.starts_with("litmus"));
        programs.par_iter().enumerate().for_each(|(n, program)| {
            let elf = std::fs::read(&program.elf).expect("it is built");
            let mut options = options(EngineChoice::Verilator, "tiny", harts, 200 + n as u32);
            options.board.bit_clocks = 2 + n as u16 % 3;
            options.board.trace = false;
            options.interval = 1000;
            options.order = mode(1 + n as u32 % 3);
            let outcome = run_recorded(&elf, &options).expect("it is recorded");
            let name = &program.name;
            let code = program.header.expect.finish_code();
            assert_eq!(outcome.finished, Some(code), "{name} on {harts} harts");
            assert!(outcome.stall_cycles > 10_000, "{name} on {harts} harts");
            let image = outcome.recording.image(None).expect("the ELF is in it");
            let report = verify(&outcome.recording, &image, |_, _| {});
            assert!(report.ok, "{name} on {harts} harts: {report:#?}");
        });
    }
}

/// What the host does not ask for is not logged.
#[test]
fn the_order_is_a_choice() {
    let elf = counter(2);
    for (strata, chunks) in [(false, false), (true, false), (false, true)] {
        let mut options = options(EngineChoice::Verilator, "tiny", 2, 3);
        options.order = OrderMode { strata, chunks };
        let outcome = recorded(&elf, &options);
        let records = |kind| outcome.recording.order(kind).len();
        assert_eq!(records(OrderKind::Strata) > 0, strata);
        assert_eq!(records(OrderKind::Chunks) > 0, chunks);
    }
}

#[test]
fn every_hart_is_recorded_and_the_recorder_costs_nothing() {
    let mut interleavings = std::collections::BTreeSet::new();
    for harts in [2, 4] {
        let elf = counter(harts.into());
        for seed in [0, 1, 77] {
            let mut options = options(EngineChoice::Verilator, "bugnet", harts, seed);
            options.order = mode(1 + seed % 3);
            let outcome = recorded(&elf, &options);
            let (_, finished, cycles) = run_plain(&elf, &options).expect("it runs");
            assert_eq!(finished, Some(0x5555));
            assert_eq!(outcome.cycles, cycles, "{harts} harts, seed {seed}");
            assert_eq!(outcome.stall_cycles, 0);
            interleavings.insert(cycles);
        }
    }
    assert_eq!(interleavings.len(), 6, "seeds bring other interleavings");
}

#[test]
fn a_recorder_that_is_too_small_holds_all_harts_and_loses_nothing() {
    let elf = counter(2);
    let outcome = recorded(&elf, &options(EngineChoice::Verilator, "tiny", 2, 5));
    assert!(outcome.stall_cycles > 0);
}

#[test]
fn both_engines_make_the_same_recording() {
    let elf = counter(2);
    let verilated = recorded(&elf, &options(EngineChoice::Verilator, "bugnet", 2, 9));
    let stepped = recorded(&elf, &options(EngineChoice::RustHdl, "bugnet", 2, 9));
    assert_eq!(verilated.trace, stepped.trace);
    for hart in 0..2 {
        assert_eq!(verilated.records_of(hart), stepped.records_of(hart));
    }
    for kind in [OrderKind::Strata, OrderKind::Chunks] {
        assert_eq!(
            verilated.recording.order(kind),
            stepped.recording.order(kind)
        );
    }
}
