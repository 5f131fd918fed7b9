//! A recording may come from anybody: nothing in it is run, no path in it is followed, and nobody
//! but this machine is let in.

mod common;

use common::{command, crash, lookback, Scratch};
use lookback_log_format::container::{self, Chunk, Elf, Found, Writer};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;

/// The recording of a crash whose firmware has another name.
fn renamed(name: &str) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for found in container::read(crash()).unwrap() {
        let Found::Chunk { chunk, .. } = found else {
            panic!("{found:?}");
        };
        let chunk = match chunk {
            Chunk::Elf(elf) => Chunk::Elf(Elf {
                name: name.into(),
                ..elf
            }),
            chunk => chunk,
        };
        writer.put(&chunk).unwrap();
    }
    std::mem::take(writer.get_mut())
}

/// Everything in a folder and below it.
fn files(scratch: &Scratch) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![scratch.path("")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path.display().to_string());
        }
    }
    found.sort();
    found
}

#[test]
fn names_in_a_recording_are_only_names() {
    for name in [
        "../escaped.elf",
        "/etc/hostname",
        "$(touch run)",
        "; touch run",
        "-ex=shell touch run",
        "lookback.gdb",
        "..",
        "",
        "a\nshell touch run\n",
    ] {
        let scratch = Scratch::new();
        let file = scratch.file("run.lbk", &renamed(name));
        let before = files(&scratch);
        for args in [
            vec!["info", &file],
            vec!["verify", &file],
            vec!["replay", &file, "--last", "5"],
            vec!["report", &file],
        ] {
            let run = lookback(&scratch, &args);
            assert_eq!(run.status, Some(0), "{name:?}: {run:?}");
        }
        let script = scratch.file("script.gdb", b"info registers pc\n");
        let run = lookback(&scratch, &["gdb", &file, "--script", &script]);
        assert!(!run.stderr.contains("panicked"), "{name:?}: {run:?}");
        std::fs::remove_file(script).unwrap();
        assert_eq!(files(&scratch), before, "{name:?} left something behind");
    }
}

#[test]
fn the_server_is_for_this_machine() {
    let scratch = Scratch::new();
    let file = scratch.file("run.lbk", crash());
    let mut server = command(&scratch, &["gdb", &file, "--listen", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let said = lines.find_map(|line| {
        let line = line.unwrap();
        let (_, address) = line.split_once("target remote ")?;
        Some(address.parse::<SocketAddr>().unwrap())
    });
    server.kill().unwrap();
    server.wait().unwrap();
    let address = said.expect("it says where it listens");
    assert!(address.ip().is_loopback(), "{address}");
}

/// Only one program is ever started: `lookback gdb` starts gdb. (The
/// simulator builds its board with Verilator, from its own sources.)
#[test]
fn only_gdb_is_started() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut starting = Vec::new();
    for part in [
        "src",
        "../replay/src",
        "../debugger/src",
        "../log-format/src",
    ] {
        let mut folders = vec![folder.join(part)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if std::fs::read_to_string(&path)
                    .unwrap_or_default()
                    .contains("Command::new(")
                {
                    starting.push(path.file_name().unwrap().to_owned());
                }
            }
        }
    }
    assert_eq!(starting, ["gdb.rs"]);
}
