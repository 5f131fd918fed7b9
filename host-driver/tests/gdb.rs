//! `lookback gdb` and `lookback export`, from a simulated board's recording to the line to blame.

mod common;

use common::{command, crash, firmware, lookback, Scratch};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

/// Each program that crashes, and the line to blame, as it stands in the source.
const BLAMED: [(&str, &str); 6] = [
    ("assertion", "if (fee > 1) {"),
    ("corrupt_jump", "machine->stack[machine->depth++] = value;"),
    ("dangling", "sessions[number] = 0;"),
    ("heap_overflow", "sensor->samples[sensor->next++] = sample;"),
    ("long_name", "while ((*to++ = *from++)) {"),
    ("null_function", "device->operations.write = write_any;"),
];

fn source_file(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    std::fs::read_to_string(format!("{root}/{path}")).unwrap()
}

/// Recorded on the simulated board, debugged by a real gdb: the culprit is found going backwards, at
/// both ends of optimisation.
#[test]
fn culprits_are_found_on_the_board() {
    let scratch = Scratch::new();
    for (name, text) in BLAMED {
        let source = source_file(&format!("firmware/programs/{name}.c"));
        let line = source.lines().position(|line| line.trim() == text).unwrap() + 1;
        let blamed = format!("firmware/programs/{name}.c:{line}");
        let script = source_file(&format!("debugger/tests/sessions/{name}.gdb"));
        let script = scratch.file(
            "find.gdb",
            (script + "echo \\n=====\\n\nframe\n").as_bytes(),
        );
        for level in ["O0", "O2"] {
            let elf = firmware(&format!("{level}/{name}"));
            let args = [
                "record",
                "--sim",
                "--force",
                "--elf",
                &elf,
                "--interval",
                "3000",
                "-o",
            ];
            let run = lookback(&scratch, &[&args[..], &["run.lbk"]].concat());
            assert_eq!(run.status, Some(0), "{run:?}");
            let run = lookback(&scratch, &["gdb", "run.lbk", "--script", &script]);
            assert_eq!(run.status, Some(0), "{run:?}");
            let last = run.stdout.split("=====").nth(1).unwrap_or_default();
            assert!(
                last.contains(&blamed),
                "{name} {level}: not at {blamed}: {run:?}"
            );
        }
    }
}

#[test]
fn scripts_and_core_files() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", crash());
    let script = scratch.file(
        "a.gdb",
        b"bt 1\nmonitor goto 12000\nprintf \"pc %x\\n\", $pc\nmonitor when\nset var noise_state = 1\n",
    );
    let run = lookback(&scratch, &["gdb", "run.lbk", "--script", &script]);
    assert_eq!(run.status, Some(2), "{run:?}");
    run.says("to_physical");
    run.says("instruction 12000");
    run.says("Writing to memory is not allowed");
    run.says("the script failed");
    let args = [
        "export",
        "run.lbk",
        "--core",
        "core.elf",
        "--at",
        "12000",
        "--firmware",
        "fw.elf",
    ];
    let exported = lookback(&scratch, &args);
    assert_eq!(exported.status, Some(0), "{exported:?}");
    let output = std::process::Command::new("gdb-multiarch")
        .args([
            "-nx",
            "-batch",
            "-ex",
            "printf \"pc %x\\n\", $pc",
            "-ex",
            "bt",
        ])
        .args([scratch.path("fw.elf"), scratch.path("core.elf")])
        .output()
        .expect("gdb-multiarch is installed (cargo xtask setup)");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let pc = said.lines().find(|line| line.starts_with("pc ")).unwrap();
    run.says(pc);
    assert!(said.contains("main ()"), "{said}");
    lookback(&scratch, &["export", "run.lbk"]).fails_with("--core");
    let args = ["export", "run.lbk", "--core", "x.elf", "--at", "99999999"];
    lookback(&scratch, &args).fails_with("the recording has instructions 0 to");
    let args = ["export", "run.lbk", "--core", "x.elf", "--at", "soon"];
    lookback(&scratch, &args).fails_with("`soon` is no moment");
    scratch.has_no("x.elf");
    lookback(&scratch, &["gdb", "run.lbk", "--script", "none.gdb"]).fails_with("none.gdb");
    lookback(&scratch, &["gdb", "none.lbk"]).fails_with("cannot read none.lbk");
    lookback(&scratch, &["gdb", "run.lbk", "--gdb", "/bin/true1"]).fails_with("gdb-multiarch");
    lookback(&scratch, &["gdb", "run.lbk", "--listen", "nowhere"]).fails_with("is no address");
}

#[test]
fn replay_stops_where_it_is_told() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", crash());
    let run = lookback(&scratch, &["replay", "run.lbk", "--break", "report"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.trim_end().ends_with("breakpoint"), "{run:?}");
    let run = lookback(
        &scratch,
        &[
            "replay",
            "run.lbk",
            "--from",
            "9000",
            "--watch",
            "noise_state",
        ],
    );
    assert!(run.stdout.trim_end().ends_with("watchpoint"), "{run:?}");
    let run = lookback(
        &scratch,
        &["replay", "run.lbk", "--from", "10", "--until", "20"],
    );
    assert_eq!(run.stdout.lines().count(), 10, "{run:?}");
    lookback(&scratch, &["replay", "run.lbk", "--break", "x"]).fails_with("--break x");
    lookback(&scratch, &["replay", "run.lbk", "--watch", "x"]).fails_with("--watch x");
    lookback(&scratch, &["replay", "run.lbk", "--watch", "4:0"]).fails_with("length");
}

/// A server for a gdb that connects by itself; interrupted, it ends cleanly.
#[test]
fn a_server_listens_until_it_is_told_to_end() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", crash());
    let mut child = command(&scratch, &["gdb", "run.lbk", "--listen", "0"]);
    child.stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    while !said.contains("Ctrl-C ends") {
        let mut byte = [0];
        stderr.read_exact(&mut byte).unwrap();
        said.push(byte[0].into());
    }
    let address = said.split("target remote ").nth(1).unwrap();
    let address = address.lines().next().unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{said}");
    let mut client = TcpStream::connect(address).unwrap();
    client
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    client.write_all(b"$?#3f").unwrap();
    let mut reply = [0; 5];
    client.read_exact(&mut reply).unwrap();
    assert_eq!(&reply, b"+$T05");
    let kill = std::process::Command::new("kill")
        .args(["-s", "INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A recording with a hole says so, and is debugged on both sides of it.
#[test]
fn holes_are_told() {
    let scratch = Scratch::new();
    let mut bytes = crash().to_vec();
    let middle = bytes.len() - 1500;
    bytes[middle] ^= 0x55;
    scratch.file("run.lbk", &bytes);
    let script = scratch.file(
        "a.gdb",
        b"bt 1\nreverse-continue\nreverse-continue\nmonitor when\n",
    );
    let run = lookback(&scratch, &["gdb", "run.lbk", "--script", &script]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("the recording has a hole here");
    run.says("hart 0, instruction 0,");
}
