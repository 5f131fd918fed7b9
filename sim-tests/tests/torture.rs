//! Random programs, on which the hart, the replayer, the reference machine and QEMU have to agree;
//! and mistakes put in on purpose, which the comparison has to find.

use lookback_replay::decode::decode;
use lookback_sim::EngineChoice;
use lookback_sim_tests::torture::campaign::{self, Programs};
use lookback_sim_tests::torture::follow::Flaw;
use lookback_sim_tests::torture::generate::{program, Profile};
use lookback_sim_tests::torture::minimise::minimise;
use lookback_sim_tests::torture::{check, Setup};
use std::collections::BTreeSet;

/// Always the same programs, so that a failure is one of a change; `cargo xtask torture --seed`
/// takes others.
const SEED: u64 = 0x1000;
const INSTRUCTIONS: u64 = 100_000;

#[test]
fn machines_agree_on_random_programs() {
    let mut executed = BTreeSet::new();
    let ran = campaign::run(SEED, INSTRUCTIONS, &mut |stats, _| {
        let completed = stats.trace.iter().filter(|port| !port.trap);
        executed.extend(completed.map(|port| decode(port.insn).op as u8));
    });
    let summary = match ran.expect("all machines run") {
        Ok(summary) => summary,
        Err(disagreement) => panic!("{disagreement}"),
    };
    println!("{summary:?}");
    assert!(summary.with_qemu >= INSTRUCTIONS);
    assert!(summary.instructions > summary.with_qemu);
    // The generator leaves nothing out: all mnemonics complete but `ecall` and `ebreak`, which trap,
    // and all causes come.
    assert_eq!(executed.len(), 66);
    let interrupt = 1 << 31;
    for cause in (0..=8).chain([11, interrupt | 3, interrupt | 7, interrupt | 11]) {
        assert!(summary.traps.contains_key(&cause), "no trap {cause:#x}");
    }
}

#[test]
fn both_engines_agree_on_random_programs() {
    for profile in [Profile::Common, Profile::Own] {
        let programs: Vec<_> = (0..4).map(|seed| program(seed, profile, 60)).collect();
        let run = |engine| {
            let setup = Setup {
                engine,
                qemu: false,
                ..Setup::default()
            };
            match check(&programs, &setup).expect("all machines run") {
                Ok(stats) => stats.trace,
                Err(failure) => panic!("{profile:?} on {engine:?}: {failure}"),
            }
        };
        assert!(run(EngineChoice::RustHdl) == run(EngineChoice::Verilator));
    }
}

/// A reference machine with a mistake: the comparison finds it, names the instruction, and makes
/// the program as small as it can be.
#[test]
fn a_wrong_machine_is_found_and_its_program_minimised() {
    for (flaw, mnemonic) in [
        (Flaw::Mulhsu, "mulhsu"),
        (Flaw::Sra, "sra"),
        (Flaw::Lh, "lh"),
        // What `mret` left behind shows when it is read.
        (Flaw::Mret, "csrr"),
        (Flaw::Reservation, "sc.w"),
    ] {
        let setup = Setup {
            flaw: Some(flaw),
            qemu: false,
            ..Setup::default()
        };
        let batch = Programs {
            profile: Profile::Common,
            seed: SEED,
            count: 16,
        };
        let programs = batch.generate();
        let Err(failure) = check(&programs, &setup).expect("all machines run") else {
            panic!("{flaw:?} is not found");
        };
        let index = failure.program.expect("the failing program is known");
        let small = minimise(&programs[index], &setup)
            .expect("all machines run")
            .expect("it fails by itself");
        println!("{flaw:?}: {failure}\n{}", small.listing());
        assert!(small.pieces() <= 4, "{flaw:?}: {} pieces", small.pieces());
        let (_, text) = small.failure.instruction.expect("the instruction is known");
        assert!(text.starts_with(mnemonic), "{flaw:?}: {text}");
    }
}
