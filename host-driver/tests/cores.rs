//! Boards with somebody else's core, as a user gets them: by name, or from a folder as the page
//! `docs/attach-your-core.md` says, whose commands are run here as they stand there.

mod common;

use common::{firmware, lookback, lookback_with, Scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn an_unknown_core_is_told_the_known_ones() {
    let scratch = Scratch::new();
    let elf = firmware("picorv32/hello");
    for command in [&["sim"][..], &["record", "--sim"]] {
        let mut args = command.to_vec();
        args.extend(["--core", "list", "--elf", &elf]);
        lookback(&scratch, &args).fails_with("picorv32, serv, ibex");
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let scratch = Scratch::new();
    let elf = firmware("picorv32/hello");
    let sim = |more: &[&str]| {
        let mut args = vec!["sim", "--no-recorder", "--elf", &elf];
        args.extend(more);
        lookback(&scratch, &args)
    };
    sim(&["--core", "picorv32", "--engine", "rust-hdl"]).fails_with("Verilator only");
    sim(&["--core-dir", "nowhere"]).fails_with("board.v");
    sim(&["--core", "serv", "--core-dir", "x"]).fails_with("cannot be used with");
    let port = ["record", "--port", "x", "--core", "serv", "--elf", &elf];
    lookback(&scratch, &port).fails_with("--core is about a simulated board");
}

#[test]
fn a_core_that_cannot_be_fetched_says_what_is_needed() {
    let scratch = Scratch::new();
    let elf = firmware("serv/hello");
    let cache = scratch.path("cache");
    let run = lookback_with(
        &scratch,
        &["sim", "--no-recorder", "--core", "serv", "--elf", &elf],
        &[
            ("XDG_CACHE_HOME", cache.to_str().unwrap()),
            ("LOOKBACK_CORES", ""),
            ("PYTHON", "no-such-python"),
        ],
    );
    run.fails_with("python3 with pip");
    run.says("LOOKBACK_CORES");
}

#[test]
fn the_page_about_attaching_a_core_works_as_it_stands() {
    let scratch = Scratch::new();
    let page = repository().join("docs/attach-your-core.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = page
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert!(blocks.len() >= 4, "the page has {} blocks", blocks.len());
    let mut script = String::from("set -eu\n");
    for folder in ["sim", "firmware"] {
        let target = repository().join(folder);
        script += &format!("ln -s '{}' {folder}\n", target.display());
    }
    // The last block is about a recording of the reader's own.
    let (last, others) = blocks.split_last().unwrap();
    script += &others.concat();
    script += "cp mine.lbk run.lbk\n";
    script += last;
    let command = Path::new(env!("CARGO_BIN_EXE_lookback")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(scratch.path("."))
        .env("PATH", format!("{}:{path}", command.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{script}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.matches("every digest matches").count(), 3, "{said}");
}
