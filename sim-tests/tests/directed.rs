//! Directed programs for every instruction and every trap, on which the hart, the replayer, the
//! reference machine and QEMU have to agree.

use lookback_replay::decode::{decode, Op};
use lookback_sim::EngineChoice;
use lookback_sim_tests::torture::directed::cases;
use lookback_sim_tests::torture::generate::Profile;
use lookback_sim_tests::torture::image::Program;
use lookback_sim_tests::torture::{check, Setup, Stats};
use std::collections::{BTreeMap, BTreeSet};

/// Runs programs; on a disagreement says which program it is.
fn agree(programs: &[Program], setup: &Setup) -> Stats {
    match check(programs, setup).expect("all machines run") {
        Ok(stats) => stats,
        Err(failure) => {
            let name = failure.program.map_or("?", |index| &programs[index].name);
            panic!("directed program `{name}`: {failure}");
        }
    }
}

fn of(profile: Profile) -> Vec<Program> {
    let all = cases().into_iter();
    all.filter(|(p, _)| *p == profile)
        .map(|(_, program)| program)
        .collect()
}

/// Everything that the replayer's decoder knows, from the words themselves.
fn mnemonics() -> BTreeMap<u8, Op> {
    let mut found = BTreeMap::new();
    for low in 0..1 << 7 {
        for funct3 in 0..8 {
            for high in 0..1 << 12 {
                let op = decode(high << 20 | funct3 << 12 | low).op;
                found.insert(op as u8, op);
            }
        }
    }
    found.remove(&(Op::Illegal as u8));
    found
}

#[test]
fn machines_agree_on_every_instruction_and_trap() {
    let common = agree(&of(Profile::Common), &Setup::default());
    let own = Setup {
        qemu: false,
        ..Setup::default()
    };
    let programs = of(Profile::Own);
    let own = agree(&programs, &own);
    let priority = programs.iter().position(|p| p.name == "priority");
    // Between them the calls for M mode. External goes before software, software before timer.
    let expected = "b 8000000b 80000003 80000007 b 80000003 80000007 8000000b b 8000000b 80000007 \
                    80000003 b 8000000b 80000003 80000007 b";
    let causes = &own.causes[priority.expect("there is such a program")];
    let causes: Vec<String> = causes.iter().map(|cause| format!("{cause:x}")).collect();
    assert_eq!(causes.join(" "), expected);
    // QEMU has seen every instruction complete, and every trap but the two that it does not make.
    let executed: BTreeSet<u8> = common
        .trace
        .iter()
        .map(|port| (port, decode(port.insn).op))
        .filter(|(port, op)| !port.trap || matches!(op, Op::Ecall | Op::Ebreak))
        .map(|(_, op)| op as u8)
        .collect();
    let mnemonics = mnemonics();
    assert_eq!(mnemonics.len(), 68, "{mnemonics:?}");
    for (number, op) in mnemonics {
        assert!(executed.contains(&number), "no directed program for {op:?}");
    }
    let interrupt = 1 << 31;
    for cause in [
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        11,
        interrupt | 3,
        interrupt | 7,
        interrupt | 11,
    ] {
        assert!(common.traps.contains_key(&cause), "no trap {cause:#x}");
    }
    for cause in [4, 5, 6, 7] {
        assert!(own.traps.contains_key(&cause), "no trap {cause:#x}");
    }
}

#[test]
fn both_engines_agree_on_directed_programs() {
    let names = ["mulhsu", "div", "amomin.w", "interrupts vectored", "nested"];
    let all = of(Profile::Common).into_iter();
    let programs: Vec<Program> = all.filter(|p| names.contains(&p.name.as_str())).collect();
    assert_eq!(programs.len(), names.len());
    let run = |engine| {
        let setup = Setup {
            engine,
            ..Setup::default()
        };
        agree(&programs, &setup).trace
    };
    assert!(run(EngineChoice::RustHdl) == run(EngineChoice::Verilator));
}
