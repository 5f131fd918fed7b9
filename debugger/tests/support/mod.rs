//! Recordings of the firmware programs, and real gdb sessions over them.
// Each test binary uses its own part of this.
#![allow(dead_code)]

#[path = "../../../replay/tests/common/mod.rs"]
pub mod common;

use common::{config, record};
use lookback_debugger::gdb::server::News;
use lookback_debugger::gdb::{serve, Session};
use lookback_debugger::Symbols;
use lookback_firmware::Program;
use lookback_replay::Recording;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

pub const MEMORY: usize = 64 << 20;

/// A program of the firmware folder, run by the reference machine.
pub fn recorded(name: &str, interval: u32) -> Recording {
    let programs = lookback_firmware::programs().unwrap();
    recorded_program(programs.iter().find(|p| p.name == name).unwrap(), interval)
}

/// A program, run by the reference machine.
pub fn recorded_program(program: &Program, interval: u32) -> Recording {
    let elf = std::fs::read(&program.elf).unwrap();
    let header = &program.header;
    let limit = header.limit * 4;
    let run = record(
        &program.name,
        &elf,
        config(interval),
        &header.stdin,
        limit,
        false,
    );
    run.recording()
}

/// Serves a recording while `client` is busy with it; what the server told.
pub fn served<T: Send>(
    recording: &Recording,
    client: impl FnOnce(u16) -> T + Send,
) -> (T, Vec<String>) {
    let image = recording.image(None).unwrap();
    let symbols = Symbols::load(&recording.elf.as_ref().unwrap().bytes);
    let mut session = Session::open(recording, &image, &symbols, MEMORY, false).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let over = AtomicBool::new(false);
    let told = Mutex::new(Vec::new());
    let result = std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            let client = std::panic::AssertUnwindSafe(|| client(port));
            let result = std::panic::catch_unwind(client);
            over.store(true, Ordering::Release);
            result
        });
        let tell = |news: News<'_>| told.lock().unwrap().push(news.to_string());
        let ended = || over.load(Ordering::Acquire);
        serve(&listener, &mut session, &tell, &ended).unwrap();
        client.join().unwrap()
    });
    let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    (result, told.into_inner().unwrap())
}

/// What a real gdb says to these commands.
pub fn gdb(recording: &Recording, commands: &str) -> String {
    served(recording, |port| gdb_at(recording, port, commands)).0
}

/// What a real gdb that connects to this port says to these commands.
pub fn gdb_at(recording: &Recording, port: u16, commands: &str) -> String {
    let elf = &recording.elf.as_ref().unwrap().bytes;
    gdb_with(elf, &format!("target remote 127.0.0.1:{port}\n{commands}"))
}

/// What a real gdb with this ELF says to these commands.
pub fn gdb_with(elf: &[u8], commands: &str) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(elf).unwrap();
    let mut script = tempfile::NamedTempFile::new().unwrap();
    script.write_all(commands.as_bytes()).unwrap();
    let output = Command::new("gdb-multiarch")
        .args(["-nx", "-q", "-batch", "-x"])
        .arg(script.path())
        .arg(file.path())
        .stdin(Stdio::null())
        .output()
        .expect("gdb-multiarch is installed (cargo xtask setup)");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Some million instructions of `compute`, which runs again and again.
pub fn long_loop() -> Recording {
    let elf = std::fs::read(lookback_firmware::folder().join("prebuilt/compute.elf")).unwrap();
    let run = common::record_repeatedly("compute", &elf, config(1 << 19), b"", 1 << 22, false, 500);
    run.recording()
}

/// What a real gdb says to an editor that goes back from the crash: a step, then to a watchpoint.
pub fn gdb_mi(recording: &Recording, port: u16) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let elf = &recording.elf.as_ref().unwrap().bytes;
    file.write_all(elf).unwrap();
    let mut child = Command::new("gdb-multiarch")
        .args(["-nx", "-q", "--interpreter=mi2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gdb-multiarch is installed (cargo xtask setup)");
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    let commands = [
        (
            format!("-file-exec-and-symbols {}", file.path().display()),
            "^done",
        ),
        (
            format!("-target-select remote 127.0.0.1:{port}"),
            "*stopped",
        ),
        ("-exec-step --reverse".into(), "*stopped"),
        ("-break-watch sensors[1]->calibration".into(), "^done"),
        ("-exec-continue --reverse".into(), "*stopped"),
        ("-gdb-exit".into(), "^exit"),
    ];
    for (command, answer) in commands {
        writeln!(input, "{command}").unwrap();
        loop {
            let mut line = String::new();
            assert!(
                output.read_line(&mut line).unwrap() > 0,
                "gdb ended: {said}"
            );
            let done = line.starts_with(answer);
            assert!(!line.starts_with("^error"), "{command}: {line}");
            said.push_str(&line);
            if done {
                break;
            }
        }
    }
    child.wait().unwrap();
    said
}
