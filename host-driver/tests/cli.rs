//! The command from outside: what it says and how it exits when something is wrong.

mod common;

use common::{firmware, lookback, Scratch};
use serialport::{SerialPort, TTYPort};
use std::io::{Read, Write};
use std::time::Duration;

#[test]
fn no_such_port_is_named() {
    let scratch = Scratch::new();
    let run = lookback(
        &scratch,
        &[
            "record",
            "--port",
            "/dev/ttyNone9",
            "--elf",
            &firmware("hello"),
        ],
    );
    run.fails_with("no such port: /dev/ttyNone9");
    scratch.has_no("hello.lbk");
}

#[test]
fn a_board_that_does_not_answer_is_not_a_recording() {
    let scratch = Scratch::new();
    let (_board, port) = TTYPort::pair().unwrap();
    let path = port.name().unwrap();
    drop(port);
    let run = lookback(
        &scratch,
        &[
            "record",
            "--port",
            &path,
            "--timeout",
            "1",
            "--elf",
            &firmware("hello"),
        ],
    );
    run.fails_with("does not answer");
    scratch.has_no("hello.lbk");
}

/// What a UART makes of bits at another speed: bytes, but no frames.
#[test]
fn a_wrong_baud_rate_is_suspected() {
    let scratch = Scratch::new();
    let (mut board, port) = TTYPort::pair().unwrap();
    let path = port.name().unwrap();
    drop(port);
    board.set_timeout(Duration::from_millis(20)).unwrap();
    std::thread::spawn(move || loop {
        let mut buffer = [0; 64];
        // Errors are the pty's other end being closed; the test's end ends this thread.
        if matches!(board.read(&mut buffer), Ok(count) if count > 0) {
            let _ = board.write_all(&[0xfe, 0x7c, 0x00, 0x80, 0xf8, 0x1f, 0x00]);
        }
    });
    let run = lookback(
        &scratch,
        &[
            "record",
            "--port",
            &path,
            "--baud",
            "9600",
            "--timeout",
            "1",
            "--elf",
            &firmware("hello"),
        ],
    );
    run.fails_with("wrong baud rate");
    run.says("9600");
}

#[test]
fn auto_lists_what_it_tried() {
    let scratch = Scratch::new();
    let (_board, port) = TTYPort::pair().unwrap();
    let path = port.name().unwrap();
    drop(port);
    let elf = firmware("hello");
    let run = common::lookback_with(
        &scratch,
        &["record", "--port", "auto", "--elf", &elf],
        &[("LOOKBACK_PORTS", &path)],
    );
    run.fails_with("no recorder found");
    run.says(&path);
    let run = common::lookback_with(
        &scratch,
        &["record", "--port", "auto", "--elf", &elf],
        &[("LOOKBACK_PORTS", "")],
    );
    run.fails_with("no USB serial adapter found");
}

#[test]
fn not_an_elf_is_refused() {
    let scratch = Scratch::new();
    let path = scratch.file("notes.txt", b"hello there, this is no program at all\n");
    let run = lookback(&scratch, &["record", "--sim", "--elf", &path]);
    run.fails_with("not an ELF file");
    run.says("notes.txt");
}

#[test]
fn an_elf_that_is_not_there_is_named() {
    let scratch = Scratch::new();
    let run = lookback(&scratch, &["record", "--sim", "--elf", "gone.elf"]);
    run.fails_with("cannot read gone.elf");
}

/// Codec compact with each kind of tags and coder: what `info` tells of it, and that it verifies, with
/// a DMA engine and interrupts, too.
#[test]
fn tags_and_coder_of_codec_compact_are_told_and_verify() {
    let scratch = Scratch::new();
    for (tags, keeps) in [("bits", false), ("words", true)] {
        for (coder, told) in [
            ("range", "the arithmetic coder"),
            ("plain", "the plain coder"),
        ] {
            for program in ["dma_overwrite", "user_mode"] {
                let elf = firmware(program);
                let args = [
                    "record",
                    "--sim",
                    "--elf",
                    &elf,
                    "--codec",
                    "compact",
                    "--tags",
                    tags,
                    "--coder",
                    coder,
                    "--interval",
                    "300",
                    "--key",
                    "7",
                    "-o",
                    "run.lbk",
                    "--force",
                ];
                assert_eq!(lookback(&scratch, &args).status, Some(0), "{args:?}");
                let info = lookback(&scratch, &["info", "run.lbk"]);
                info.says(told);
                assert_eq!(info.stdout.contains("that keep words"), keeps, "{info:?}");
                let verified = lookback(&scratch, &["verify", "run.lbk"]);
                assert_eq!(verified.status, Some(0), "{verified:?}");
            }
        }
    }
}

/// Which boards have which codec is told where it matters.
#[test]
fn a_codec_that_a_board_has_not_is_refused() {
    let scratch = Scratch::new();
    let elf = firmware("hello");
    for (args, message) in [
        (
            &["--preset", "full", "--harts", "2"][..],
            "the board \"full\" has one hart; with 2 harts there are: bugnet, tiny",
        ),
        (
            &["--codec", "compact", "--harts", "2"],
            "the recorder of 2 harts has codec bugnet only",
        ),
        (
            &["--codec", "compact", "--core", "picorv32"],
            "the recorder beside picorv32 has codec bugnet only",
        ),
        (
            &["--coder", "plain", "--harts", "2"],
            "the recorder of 2 harts has codec bugnet only, which has no coder",
        ),
        (
            &["--coder", "range", "--codec", "bugnet"],
            "--coder is for codec compact",
        ),
        (
            &["--preset", "full-words", "--core", "serv"],
            "the board \"full-words\" has Lookback's own hart",
        ),
        (
            &["--preset", "full", "--core", "serv"],
            "the board \"full\" has Lookback's own hart",
        ),
        (
            &["--harts", "3"],
            "there is no simulated board with 3 harts",
        ),
        (
            &["--preset", "mini"],
            "there are: full, full-words, full-plain, full-words-plain, bugnet, small, tiny, words",
        ),
    ] {
        let args = [&["record", "--sim", "--elf", &elf][..], args].concat();
        lookback(&scratch, &args).fails_with(message);
    }
}

/// What a byte or two make of a good ELF, and what both commands say about it.
#[test]
fn an_elf_for_another_hart_is_refused_with_what_to_do() {
    let scratch = Scratch::new();
    let good = std::fs::read(firmware("hello")).unwrap();
    let changes: [(&str, usize, &[u8], &str); 6] = [
        ("wide.elf", 4, &[2], "a 64-bit ELF"),
        ("big-endian.elf", 5, &[2], "big-endian"),
        ("x86.elf", 18, &[62, 0], "machine number 62"),
        ("object.elf", 16, &[1, 0], "link it first"),
        ("nothing.elf", 44, &[0, 0], "nothing to load"),
        ("compressed.elf", 36, &[1], "-march=rv32ima_zicsr_zifencei"),
    ];
    let mut cases: Vec<_> = changes
        .iter()
        .map(|&(name, at, bytes, says)| {
            let mut elf = good.clone();
            elf[at..at + bytes.len()].copy_from_slice(bytes);
            (name, elf, says)
        })
        .collect();
    cases.push(("cut.elf", good[..60].to_vec(), "damaged ELF"));
    cases.push(("empty.elf", Vec::new(), "the file is empty"));
    for (name, elf, says) in cases {
        scratch.file(name, &elf);
        for command in [&["sim"][..], &["record", "--sim"]] {
            let run = lookback(&scratch, &[command, &["--elf", name]].concat());
            run.fails_with(says);
            run.says(name);
        }
        scratch.has_no(&name.replace(".elf", ".lbk"));
    }
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let scratch = Scratch::new();
    let path = scratch.file("hello.lbk", b"precious");
    let run = lookback(&scratch, &["record", "--sim", "--elf", &firmware("hello")]);
    run.fails_with("exists already");
    run.says("--force");
    assert_eq!(std::fs::read(path).unwrap(), b"precious");
}

#[test]
fn an_output_folder_that_is_not_there_is_named() {
    let scratch = Scratch::new();
    let run = lookback(
        &scratch,
        &[
            "record",
            "--sim",
            "--elf",
            &firmware("hello"),
            "-o",
            "no/such/run.lbk",
        ],
    );
    run.fails_with("there is no folder no/such");
}

#[test]
fn options_of_a_simulated_board_do_not_go_with_a_port() {
    let scratch = Scratch::new();
    let run = lookback(
        &scratch,
        &[
            "record",
            "--port",
            "auto",
            "--ram",
            "1M",
            "--elf",
            &firmware("hello"),
        ],
    );
    run.fails_with("--ram is about a simulated board");
}

#[test]
fn usage_errors_exit_with_2() {
    let scratch = Scratch::new();
    for args in [
        &["record", "--elf", "x"][..],
        &["record", "--sim"],
        &["record", "--sim", "--elf", "x", "--interval", "63"],
        &["record", "--sim", "--elf", "x", "--ram", "many"],
        &["nonsense"],
    ] {
        assert_eq!(lookback(&scratch, args).status, Some(2), "{args:?}");
    }
}
