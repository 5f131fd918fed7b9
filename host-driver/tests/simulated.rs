//! The whole way on a simulated board: record, verify, replay, and the board behind a pty.

mod common;

use common::{command, firmware, json, lookback, Run, Running, Scratch};
use std::io::Write;
use std::process::Stdio;

#[test]
fn a_run_is_recorded_and_replays() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    let run = lookback(
        &scratch,
        &["record", "--sim", "--elf", &elf, "--interval", "1000"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("the firmware reported success");
    let verify = lookback(&scratch, &["verify", "hello.lbk", "--json"]);
    assert_eq!(verify.status, Some(0), "{verify:?}");
    let totals = &json(&verify)["report"]["totals"];
    assert_eq!(totals["intervals"], totals["intervals_ok"]);
    assert!(totals["intervals"].as_u64() > Some(1), "{totals}");
    let info = json(&lookback(&scratch, &["info", "hello.lbk", "--json"]));
    assert_eq!(info["ended"]["how"], "pass");
    // Everything that the firmware printed was shown and is in the recording.
    let console = info["console"].as_str().unwrap();
    assert!(
        !console.is_empty() && run.stdout.contains(console),
        "{run:?}"
    );
    let listing = json(&lookback(
        &scratch,
        &["replay", "hello.lbk", "--last", "5", "--json"],
    ));
    let steps = listing.as_array().unwrap();
    assert_eq!(steps.len(), 5);
    let last = info["contents"]["instructions"].as_u64().unwrap() - 1;
    assert_eq!(steps[4]["retired"].as_u64(), Some(last));
}

#[test]
fn a_crash_is_a_good_recording() {
    let scratch = Scratch::new();
    let elf = firmware("heap_overflow");
    let run = lookback(
        &scratch,
        &[
            "record",
            "--sim",
            "--elf",
            &elf,
            "-o",
            "crash.lbk",
            "--json",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let summary = json(&run);
    assert_eq!(summary["whole"], true);
    assert_ne!(summary["ended"]["how"], "pass");
    let verify = lookback(&scratch, &["verify", "crash.lbk"]);
    assert_eq!(verify.status, Some(0), "{verify:?}");
    verify.says("every digest matches");
}

#[test]
fn a_limit_stops_the_recording_cleanly() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    let run = lookback(
        &scratch,
        &[
            "record",
            "--sim",
            "--elf",
            &elf,
            "--max-instructions",
            "500",
            "--json",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let summary = json(&run);
    assert_eq!(summary["ended"]["how"], "stopped");
    assert!(summary["instructions"].as_u64() >= Some(500), "{summary}");
    assert_eq!(lookback(&scratch, &["verify", "hello.lbk"]).status, Some(0));
}

#[test]
fn an_elf_that_does_not_fit_is_refused() {
    let scratch = Scratch::new();
    let mut elf = std::fs::read(firmware("hello")).unwrap();
    // The memory size of the segment with the highest address: nothing is in its way.
    let table = u32::from_le_bytes(elf[28..32].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes([elf[at], elf[at + 1]]));
    let (entry, count) = (half(42), half(44));
    let load = (0..count)
        .map(|i| table + i * entry)
        .filter(|&at| elf[at] == 1)
        .max_by_key(|&at| u32::from_le_bytes(elf[at + 12..at + 16].try_into().unwrap()))
        .unwrap();
    elf[load + 20..load + 24].copy_from_slice(&(200u32 << 10).to_le_bytes());
    let path = scratch.file("big.elf", &elf);
    let run = lookback(
        &scratch,
        &["record", "--sim", "--elf", &path, "--ram", "64K"],
    );
    run.fails_with("does not fit");
    run.says("--ram");
    let run = lookback(&scratch, &["sim", "--elf", &path, "--ram", "64K"]);
    run.fails_with("does not fit");
    let run = lookback(
        &scratch,
        &["sim", "--elf", &firmware("hello"), "--ram", "1K"],
    );
    run.fails_with("64");
}

/// The disk is full when the file has 64 KB (or 32, as the shell counts).
#[test]
fn a_disk_that_fills_up_leaves_what_was_recorded() {
    let scratch = Scratch::new();
    let elf = firmware("console_input");
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let run: Run = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_lookback")])
        .args(["record", "--sim", "--elf", &elf, "--interval", "500"])
        .args(["-o", "run.lbk"])
        .current_dir(scratch.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap()
        .into();
    run.fails_with("cannot write run.lbk: File too large");
    run.says("are kept and readable");
    let verify = lookback(&scratch, &["verify", "run.lbk", "--json"]);
    assert_eq!(verify.status, Some(1), "{verify:?}");
    let totals = &json(&verify)["report"]["totals"];
    assert_eq!(totals["intervals"], totals["intervals_ok"]);
    assert!(totals["intervals"].as_u64() > Some(1), "{totals}");
    let info = lookback(&scratch, &["info", "run.lbk"]);
    assert_eq!(info.status, Some(1), "{info:?}");
    info.says("cut off: the recording has no end; nothing after interval");
    lookback(
        &scratch,
        &["record", "--sim", "--elf", &elf, "-o", "run.lbk"],
    )
    .fails_with("exists already");
}

/// Stdin reaches the firmware; a reader of stdout that goes away does not end the recording.
#[test]
fn the_console_is_stdin_and_stdout() {
    let scratch = Scratch::new();
    let elf = firmware("console_input");
    let mut child = command(&scratch, &["record", "--sim", "--elf", &elf])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"look\nback\n\x04").unwrap();
    drop(child.stdout.take());
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.status, Some(0), "{run:?}");
    let info = lookback(&scratch, &["info", "console_input.lbk", "--json"]);
    assert_eq!(info.status, Some(0), "{info:?}");
    let info = json(&info);
    assert_eq!(info["ended"]["how"], "pass");
    let console = info["console"].as_str().unwrap();
    assert!(console.contains("1 [LOOK]\n2 [BACK]\n"), "{console}");
}

#[test]
fn waves_are_written_when_asked_for() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    let some = ["--elf", &elf, "--max-instructions", "50", "--vcd"];
    for (command, file) in [
        (&["record", "--sim"][..], "record.vcd"),
        (&["sim", "--no-recorder"], "sim.vcd"),
    ] {
        let nowhere = [command, &some, &["no/such/waves.vcd"]].concat();
        lookback(&scratch, &nowhere).fails_with("no/such/waves.vcd");
        let run = lookback(&scratch, &[command, &some, &[file]].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        let waves = std::fs::read_to_string(scratch.path(file)).unwrap();
        assert!(waves.starts_with("$timescale"), "{file}");
        assert!(waves.contains("rvfi_pc_rdata"), "{file}");
    }
}

#[test]
fn a_board_behind_a_port_is_recorded_like_a_real_one() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    let (sim, port) = Running::sim(&scratch, &["--elf", &elf]);
    let run = lookback(&scratch, &["record", "--port", &port, "--elf", &elf]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let sim = sim.wait();
    assert_eq!(sim.status, Some(0), "{sim:?}");
    sim.says("the firmware reported success");
    assert!(!sim.stdout.is_empty(), "the console is on stdout: {sim:?}");
    let verify = lookback(&scratch, &["verify", "hello.lbk"]);
    assert_eq!(verify.status, Some(0), "{verify:?}");
}

#[test]
fn the_same_run_gives_the_same_recording_either_way() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    let (sim, port) = Running::sim(&scratch, &["--elf", &elf]);
    let run = lookback(
        &scratch,
        &["record", "--port", &port, "--elf", &elf, "-o", "a.lbk"],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    sim.wait();
    let run = lookback(&scratch, &["record", "--sim", "--elf", &elf, "-o", "b.lbk"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let listing = |file: &str| lookback(&scratch, &["replay", file, "--last", "2000"]).stdout;
    assert_eq!(listing("a.lbk"), listing("b.lbk"));
}

#[test]
fn another_speed_than_the_boards_is_suspected() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    let (_sim, port) = Running::sim(&scratch, &["--elf", &elf, "--link-speed", "1000000"]);
    let run = lookback(
        &scratch,
        &[
            "record",
            "--port",
            &port,
            "--baud",
            "115200",
            "--timeout",
            "3",
            "--elf",
            &elf,
        ],
    );
    run.fails_with("--baud");
    scratch.has_no("hello.lbk");
    let run = lookback(
        &scratch,
        &[
            "record", "--port", &port, "--baud", "1000000", "--elf", &elf,
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn without_a_recorder_the_firmware_runs_at_once() {
    let scratch = Scratch::new();
    let run = lookback(
        &scratch,
        &[
            "sim",
            "--no-recorder",
            "--elf",
            &firmware("hello"),
            "--json",
        ],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let summary = json(&run);
    assert_eq!(summary["ended"]["how"], "pass");
    assert!(summary["instructions"].as_u64() > Some(0));
}

#[test]
fn the_demo_explains_its_crash() {
    let scratch = Scratch::new();
    let run = lookback(&scratch, &["demo"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("crashed");
    run.says("every digest matched");
    run.says("lookback replay demo.lbk");
    // It overwrites its own recording, and nothing else.
    assert_eq!(lookback(&scratch, &["demo", "--json"]).status, Some(0));
    scratch.file("demo.lbk", b"my own file");
    lookback(&scratch, &["demo"]).fails_with("is no recording");
}
