//! Cores that are not this project's, with the emitted recorder beside them as on an FPGA: they run
//! their programs, the recorder does not disturb them, what comes over the UART is what the model
//! says, and the replay is what retired.
//!
//! The cores' Verilog comes from PyPI. Without it, or without Verilator, these tests fail.

use std::path::{Path, PathBuf};

use lookback_firmware::{core_programs, Program};
use lookback_log_format::interval::Record;
use lookback_log_format::isa;
use lookback_replay::{verify, What};
use lookback_sim::{core_names, fetch_core, Board, BoardOptions, CoreChoice, EngineChoice};
use lookback_sim_tests::{run_plain, run_recorded, Options, Outcome};
use rayon::prelude::*;

fn elf(program: &Program) -> Vec<u8> {
    std::fs::read(&program.elf).expect("the prebuilt ELF is committed")
}

fn program(core: &str, name: &str) -> Program {
    let all = core_programs(core).expect("firmware is there");
    let found = all.into_iter().find(|program| program.name == name);
    found.expect("a program of this name")
}

fn options(core: &str, program: &Program) -> Options {
    let target = lookback_firmware::target(core).expect("a target of this name");
    let mut options = Options::core(target.core);
    options.stdin.clone_from(&program.header.stdin);
    options
}

fn recorded(core: &str, program: &Program, options: &Options) -> Outcome {
    let name = format!("{core}, {}", program.name);
    let outcome =
        run_recorded(&elf(program), options).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let end = outcome.recording.end.as_ref().expect("it has an end");
    assert!(end.breach.is_none(), "{name}: {:x?}", end.breach);
    assert_eq!(
        outcome.finished,
        Some(program.header.expect.finish_code()),
        "{name} ended otherwise; console: {}",
        String::from_utf8_lossy(&outcome.console)
    );
    outcome
}

/// Everything was recorded, is what the model says, and replays as it retired.
fn check(core: &str, program: &Program, options: &Options) -> Outcome {
    let outcome = recorded(core, program, options);
    let name = format!("{core}, {}", program.name);
    let losses = &outcome.summary.losses;
    assert!(outcome.recording.is_whole(), "{name}: {losses:?}");
    outcome
        .model_agrees()
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let compared = outcome
        .replay_equals_retirements()
        .unwrap_or_else(|error| panic!("{name}: {error:#}"));
    assert_eq!(compared as usize, outcome.retirements().count(), "{name}");
    outcome
}

fn all_programs(core: &str, least: usize) {
    let programs = core_programs(core).expect("firmware is there");
    assert!(
        programs.len() >= least,
        "{core} has {} programs",
        programs.len()
    );
    for program in &programs {
        let name = format!("{core}, {}", program.name);
        let options = options(core, program);
        let (console, finished, cycles) = run_plain(&elf(program), &options).expect(&name);
        assert_eq!(
            finished,
            Some(program.header.expect.finish_code()),
            "{name}"
        );
        assert!(
            program.header.console_matches(&console),
            "{name}: {}",
            String::from_utf8_lossy(&console)
        );
        let outcome = check(core, program, &options);
        assert_eq!(outcome.console, console, "{name}");
        if outcome.stall_cycles == 0 {
            assert_eq!(
                outcome.cycles, cycles,
                "{name} takes other cycles when recorded"
            );
        }
    }
}

#[test]
fn picorv32_records_and_replays_all_its_programs() {
    all_programs("picorv32", 7);
}

#[test]
fn serv_records_and_replays_all_its_programs() {
    all_programs("serv", 7);
}

/// The smallest recorder makes SERV wait, whose port stands still meanwhile.
#[test]
fn serv_keeps_its_port_for_the_smallest_recorder() {
    for program in &core_programs("serv").expect("firmware is there") {
        let mut options = options("serv", program);
        options.board.preset = "small".into();
        let name = format!("serv with small, {}", program.name);
        let outcome = recorded("serv", program, &options);
        assert!(outcome.recording.is_whole(), "{name}");
        let compared = outcome
            .replay_equals_retirements()
            .unwrap_or_else(|error| panic!("{name}: {error:#}"));
        assert_eq!(compared as usize, outcome.retirements().count(), "{name}");
        assert!(outcome.stall_cycles > 0, "{name}");
    }
}

#[test]
fn a_core_that_does_not_keep_its_port_is_refused_the_smallest_recorder() {
    let program = program("picorv32", "hello");
    let mut options = options("picorv32", &program);
    options.board.preset = "small".into();
    let error = run_recorded(&elf(&program), &options).err();
    let error = format!("{:#}", error.expect("it fetches ahead"));
    assert!(error.contains("keeps its retirement port"), "{error}");
}

#[test]
fn ibex_records_and_replays_all_its_programs() {
    all_programs("ibex", 7);
}

#[test]
fn compressed_programs_are_recorded_and_replayed() {
    for core in ["picorv32-c", "ibex-c"] {
        all_programs(core, 5);
        let program = program(core, "compute");
        let outcome = recorded(core, &program, &options(core, &program));
        let all = outcome.retirements().count();
        let short = outcome
            .retirements()
            .filter(|r| isa::is_compressed(r.insn) && r.insn >> 16 == 0);
        assert!(
            3 * short.count() > all,
            "{core}: most of {all} are full-size"
        );
    }
}

/// What a core without the C extension makes of them nobody needs to find out.
#[test]
fn firmware_with_compressed_instructions_needs_a_core_that_has_them() {
    let elf = elf(&program("ibex-c", "hello"));
    let firmware = lookback::firmware::Firmware::parse("c.elf".into(), elf).expect("an ELF");
    for (core, takes) in [("picorv32", true), ("serv", false), ("ibex", true)] {
        let suits = firmware.suits(&CoreChoice::Named(core.into()));
        assert_eq!(suits.is_ok(), takes, "{core}");
    }
    let error = firmware.suits(&CoreChoice::Own).expect_err("it has none");
    assert!(error.to_string().contains("no C extension"), "{error}");
}

/// Handlers do run: otherwise the programs above would prove less than they seem to.
#[test]
fn interrupts_are_in_the_recordings() {
    for (core, name, least) in [
        ("picorv32", "hello", 5),
        ("picorv32", "picorv32_irq", 9),
        ("serv", "hello", 5),
        ("serv", "traps", 28),
        ("ibex", "traps", 28),
    ] {
        let program = program(core, name);
        let outcome = recorded(core, &program, &options(core, &program));
        let handler = symbol(&elf(&program), "trap_entry");
        let entered = outcome.retirements().filter(|r| r.pc_rdata == handler);
        assert!(entered.count() >= least, "{core}, {name}");
    }
}

fn symbol(elf: &[u8], name: &str) -> u32 {
    use object::{Object, ObjectSymbol};
    let file = object::File::parse(elf).expect("an ELF");
    let found = file.symbols().find(|symbol| symbol.name() == Ok(name));
    found.expect("the runtime has it").address() as u32
}

/// A small recorder at a link that is far too slow holds the core, and nothing is lost.
#[test]
fn a_slow_link_holds_the_core() {
    // Where SERV's interrupts come must not depend on the link: it forgets to enable them again when
    // one comes right after `mret`.
    for (core, name) in [
        ("picorv32", "hello"),
        ("serv", "compute"),
        ("ibex", "hello"),
    ] {
        let program = program(core, name);
        let mut options = options(core, &program);
        options.board.preset = "tiny".into();
        options.board.bit_clocks = 16;
        let outcome = check(core, &program, &options);
        assert!(
            outcome.stall_cycles > 1000,
            "{core}: {}",
            outcome.stall_cycles
        );
    }
}

/// A core that may not be held loses something, says how much, and what is left replays.
#[test]
fn without_stall_gaps_say_what_is_missing() {
    for (core, bit_clocks) in [("picorv32", 16), ("ibex", 16)] {
        let program = program(core, "compute");
        let mut options = options(core, &program);
        options.board.preset = "tiny".into();
        options.board.bit_clocks = bit_clocks;
        options.may_stall = false;
        let outcome = recorded(core, &program, &options);
        let lost: u64 = outcome
            .records()
            .iter()
            .map(|record| match record {
                Record::Gap(gap) => u64::from(gap.lost),
                _ => 0,
            })
            .sum();
        assert!(lost > 0, "{core} lost nothing");
        let compared = outcome
            .replay_equals_retirements()
            .unwrap_or_else(|error| panic!("{core}: {error:#}"));
        assert_eq!(
            compared + lost,
            outcome.retirements().count() as u64,
            "{core}"
        );
    }
}

#[test]
fn only_verilator_runs_them() {
    for core in core_names() {
        let options = BoardOptions {
            engine: EngineChoice::RustHdl,
            core: CoreChoice::Named(core.into()),
            ..BoardOptions::default()
        };
        let error = Board::new(&options, &[]).err().expect("refused");
        assert!(error.to_string().contains("Verilator"), "{error}");
    }
}

/// A user's folder: the board of PicoRV32, as a user would have written it.
fn own_folder(board: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let core = fetch_core("picorv32", &mut |step| eprintln!("{step}")).expect("PicoRV32");
    let list = format!(
        "# PicoRV32\n{}\n+define+RISCV_FORMAL\n",
        core.join("verilog/picorv32.v").display()
    );
    std::fs::write(folder.path().join("board.f"), list).expect("written");
    std::fs::write(folder.path().join("board.v"), board).expect("written");
    let path = folder.path().to_owned();
    (folder, path)
}

fn picorv32_board() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/cores/picorv32_board.v");
    let text = std::fs::read_to_string(path).expect("the board is committed");
    text.replace("module lookback_picorv32_board", "module board")
}

#[test]
fn a_users_own_core_is_recorded_from_its_folder() {
    let (_keep, folder) = own_folder(&picorv32_board());
    let program = program("picorv32", "picorv32_irq");
    let mut options = options("picorv32", &program);
    options.board.core = CoreChoice::Folder(folder);
    check("picorv32", &program, &options);
}

#[test]
fn a_port_that_is_missing_is_named() {
    let text = picorv32_board().replace("output wire [31:0] gpio_out,", "");
    let (_keep, folder) = own_folder(&text);
    let options = BoardOptions {
        core: CoreChoice::Folder(folder),
        recorder: false,
        ..BoardOptions::default()
    };
    let error = Board::new(&options, &[]).err().expect("refused");
    assert!(error.to_string().contains("gpio_out"), "{error}");
}

/// PicoRV32 with a multiplier that gets one product in 32 wrong.
fn with_a_wrong_multiplier() -> (tempfile::TempDir, PathBuf) {
    let (keep, folder) = own_folder(&picorv32_board());
    let core = fetch_core("picorv32", &mut |step| eprintln!("{step}")).expect("PicoRV32");
    let text = std::fs::read_to_string(core.join("verilog/picorv32.v")).expect("its Verilog");
    let right = "instr_any_mulh ? rd >> 32 : rd;";
    assert_eq!(text.matches(right).count(), 1, "PicoRV32 was rewritten");
    let wrong = "instr_any_mulh ? rd >> 32 : rd ^ (rd[4:0] == 21);";
    std::fs::write(folder.join("wrong.v"), text.replace(right, wrong)).expect("written");
    let list = "wrong.v\n+define+RISCV_FORMAL\n";
    std::fs::write(folder.join("board.f"), list).expect("written");
    (keep, folder)
}

/// No rule of the port sees it, since the core goes on with its own result: the digest does, and with
/// logged results the instruction is named.
#[test]
fn a_wrong_multiplier_is_found_and_named() {
    let (_keep, folder) = with_a_wrong_multiplier();
    let program = program("picorv32", "compute");
    let mut options = options("picorv32", &program);
    options.board.core = CoreChoice::Folder(folder);
    for log_results in [false, true] {
        options.log_results = log_results;
        let outcome = run_recorded(&elf(&program), &options).expect("it runs");
        outcome.model_agrees().expect("the recorder is right");
        let image = outcome.recording.image(None).expect("the ELF is inside");
        let report = verify(&outcome.recording, &image, |_, _| {});
        let first = report.divergences().next().expect("it is found");
        match (log_results, &first.what) {
            (false, What::Digest { .. }) => {}
            (true, What::Result { core, replay }) => {
                assert_eq!((core ^ replay, replay & 31), (1, 21), "{first}");
                let mut retired = outcome.retirements();
                let named = retired.find(|r| r.pc_rdata == first.pc && r.rd_wdata == *core);
                assert!(isa::is_muldiv(named.expect("it retired").insn), "{first}");
            }
            _ => panic!("with results logged, {log_results}: {first}"),
        }
    }
}

/// PicoRV32 has faults of its authors' in it, to try checkers with: a register written beside its place,
/// a wrong value written, a wrong destination, result and next address reported.
#[test]
fn the_bugs_that_come_with_picorv32_are_named() {
    let program = program("picorv32", "hello");
    let bugs = [(1, 3), (2, 3), (3, 4), (4, 5), (5, 6)];
    bugs.par_iter().for_each(|&(bug, rule)| {
        let (_keep, folder) = own_folder(&picorv32_board());
        let list = std::fs::read_to_string(folder.join("board.f")).expect("the list");
        let list = format!("{list}+define+PICORV32_TESTBUG_{bug:03}\n");
        std::fs::write(folder.join("board.f"), list).expect("written");
        let mut options = options("picorv32", &program);
        options.board.core = CoreChoice::Folder(folder);
        options.max_instructions = 1000;
        let outcome = run_recorded(&elf(&program), &options).expect("it runs");
        let end = outcome.recording.end.expect("it has an end");
        let breach = end
            .breach
            .unwrap_or_else(|| panic!("bug {bug} is not seen"));
        assert_eq!(breach.rule.code(), rule, "bug {bug}: {breach:x?}");
        let named = outcome.retirements().nth(breach.at as usize);
        let named = named.expect("it is one that retired");
        assert_eq!(
            (named.pc_rdata, named.insn),
            (breach.pc, breach.insn),
            "bug {bug}"
        );
    });
}
