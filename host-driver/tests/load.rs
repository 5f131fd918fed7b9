//! `lookback load` into a simulated board at the other end of a pty, and what is recorded of it then.

mod common;

use common::{firmware, json, lookback, Running, Scratch};

/// Loads a program over another one's, records it and replays it.
fn load_and_record(more: &[&str], program: &str, attempts: usize) -> serde_json::Value {
    let scratch = Scratch::new();
    let hello = firmware("hello");
    let mut args = vec!["--elf", hello.as_str(), "--ram", "256K"];
    args.extend(more);
    let (sim, port) = Running::sim(&scratch, &args);
    let elf = firmware(program);
    let mut load = lookback(&scratch, &["load", "--json", "--port", &port, &elf]);
    for _ in 1..attempts {
        if load.status == Some(0) {
            break;
        }
        load = lookback(&scratch, &["load", "--json", "--port", &port, &elf]);
    }
    assert_eq!(load.status, Some(0), "{load:?}");
    let loaded = json(&load);
    assert_eq!(loaded["ram_bytes"], 256 << 10);
    let args = ["record", "--port", &port, "--elf", &elf, "-o", "run.lbk"];
    let record = lookback(&scratch, &args);
    assert_eq!(record.status, Some(0), "{record:?}");
    let verify = lookback(&scratch, &["verify", "run.lbk"]);
    assert_eq!(verify.status, Some(0), "{verify:?}");
    verify.says("every digest matches");
    let sim = sim.wait();
    assert_eq!(sim.status, Some(0), "{sim:?}");
    loaded
}

#[test]
fn another_program_is_loaded_recorded_and_replayed() {
    let loaded = load_and_record(&[], "exit_code", 1);
    assert_eq!(loaded["repeated"], 0, "{loaded}");
    let bytes = loaded["bytes"].as_u64().unwrap();
    assert!(bytes > 100 && bytes % 4 == 0, "{loaded}");
}

#[test]
fn so_it_is_on_a_board_with_two_harts() {
    load_and_record(&["--harts", "2", "--preset", "tiny"], "exit_code", 1);
}

#[test]
fn a_bad_cable_costs_repetitions() {
    let faults = "flip=1e-3,drop=3e-4,dup=3e-4,swap=3e-4";
    let loaded = load_and_record(&["--faults", faults, "--seed", "7"], "exit_code", 1);
    assert!(loaded["repeated"].as_u64().unwrap() > 0, "{loaded}");
}

/// SERV keeps its registers in a memory, which a reset does not empty.
#[test]
fn a_core_that_has_run_before_begins_again_with_empty_registers() {
    let scratch = Scratch::new();
    let hello = firmware("serv/hello");
    let board = ["--elf", &hello, "--core", "serv", "--preset", "small"];
    let (sim, port) = Running::sim(&scratch, &board);
    let record = |elf: &str, more: &[&str]| {
        let mut args = vec!["record", "--port", &port, "--elf", elf, "-o", "run.lbk"];
        args.extend(more);
        let record = lookback(&scratch, &args);
        assert_eq!(record.status, Some(0), "{record:?}");
        let verify = lookback(&scratch, &["verify", "run.lbk"]);
        assert_eq!(verify.status, Some(0), "{verify:?}");
    };
    // By then it has written registers that its first interrupt saves.
    record(&hello, &["--max-instructions", "4000"]);
    let load = lookback(&scratch, &["load", "--force", "--port", &port, &hello]);
    assert_eq!(load.status, Some(0), "{load:?}");
    record(&hello, &["--force"]);
    assert_eq!(sim.wait().status, Some(0));
}

#[test]
fn what_cannot_be_loaded_is_refused_by_name() {
    let scratch = Scratch::new();
    let hello = firmware("hello");
    let (sim, port) = Running::sim(&scratch, &["--elf", &hello, "--ram", "64K"]);
    let load = |elf: &str| lookback(&scratch, &["load", "--port", &port, elf]);
    load("nothing.elf").fails_with("cannot read nothing.elf");
    let text = scratch.file("text.elf", b"no firmware at all");
    load(&text).fails_with("cannot use");
    load(env!("CARGO_BIN_EXE_lookback")).fails_with("cannot use");
    let mut large = std::fs::read(&hello).unwrap();
    // The first loadable segment claims 1 MB of memory: p_memsz of the program headers.
    let headers = u32::from_le_bytes(large[28..32].try_into().unwrap()) as usize;
    let count = usize::from(large[44]);
    let load_at = (0..count)
        .map(|n| headers + 32 * n)
        .rfind(|at| large[*at..at + 4] == 1u32.to_le_bytes())
        .unwrap();
    large[load_at + 20..load_at + 24].copy_from_slice(&(1u32 << 20).to_le_bytes());
    let large = scratch.file("large.elf", &large);
    load(&large).fails_with("too few");
    lookback(&scratch, &["load", "--port", "/dev/nothing", &hello]).fails_with("no such port");
    // It is still the board that it was.
    let args = ["record", "--port", &port, "--elf", &hello, "-o", "run.lbk"];
    assert_eq!(lookback(&scratch, &args).status, Some(0));
    sim.wait();
}
