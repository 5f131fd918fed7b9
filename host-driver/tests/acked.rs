//! `lookback record` over an acknowledged link: killed, resumed, beside others, at any speed.

mod common;
#[path = "common/twin.rs"]
mod twin;

use common::{crash, firmware, lookback, Run, Running, Scratch};
use std::time::Duration;
use twin::Board;

const QUICK: Duration = Duration::ZERO;
/// Slow enough to be killed in the middle.
const SLOW: Duration = Duration::from_millis(3);
const BAUD: u32 = 3_000_000;

fn args<'a>(port: &'a str, elf: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["record", "--port", port, "--elf", elf];
    args.extend(["--interval", "2000", "-o", "run.lbk"]);
    args.extend(more);
    args
}

fn record(scratch: &Scratch, board: &Board, more: &[&str]) -> Run {
    let elf = firmware("heap_overflow");
    lookback(scratch, &args(&board.port, &elf, more))
}

/// It replays from its first to its last instruction.
fn verifies(scratch: &Scratch, file: &str) {
    let run = lookback(scratch, &["verify", file]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("every digest matches");
}

/// Waits for some of the log, then kills without mercy; gives what is left.
fn killed(scratch: &Scratch, board: &Board, bytes: u64) {
    let elf = firmware("heap_overflow");
    let mut child = Running::start(scratch, &args(&board.port, &elf, &[]));
    let file = scratch.path("run.lbk");
    let size = |name: &str| std::fs::metadata(name).unwrap().len();
    child.wait_for_bytes(&file, size(&elf) / 8);
    let header = std::fs::metadata(&file).unwrap().len();
    child.wait_for_bytes(&file, header + bytes);
    child.signal("KILL");
    child.wait();
}

fn resume(scratch: &Scratch, port: &str, more: &[&str]) -> Run {
    let mut args = vec!["record", "--port", port, "--resume", "-o", "run.lbk"];
    args.extend(more);
    lookback(scratch, &args)
}

#[test]
fn a_run_is_recorded_whole() {
    let scratch = Scratch::new();
    for ring_bits in [9, 16] {
        let board = Board::start(crash(), ring_bits, BAUD, QUICK);
        let run = record(&scratch, &board, &["--force"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        verifies(&scratch, "run.lbk");
    }
}

#[test]
fn a_killed_recording_opens_and_is_resumed() {
    let scratch = Scratch::new();
    let board = Board::start(crash(), 11, BAUD, SLOW);
    killed(&scratch, &board, 3000);
    let cut = lookback(&scratch, &["verify", "run.lbk"]);
    assert_eq!(cut.status, Some(1), "{cut:?}");
    cut.says("every digest matches");
    cut.says("cut off");
    // A half-written chunk, as a power cut leaves it.
    let mut bytes = std::fs::read(scratch.path("run.lbk")).unwrap();
    bytes.extend([7, 0, 0, 0, 200, 0, 0, 0, 1, 2, 3]);
    std::fs::write(scratch.path("run.lbk"), bytes).unwrap();
    let run = resume(&scratch, &board.port, &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("were cut off and came again");
    verifies(&scratch, "run.lbk");
    resume(&scratch, &board.port, &[]).fails_with("is complete");
}

#[test]
fn a_board_that_was_reset_has_nothing_to_resume() {
    let scratch = Scratch::new();
    let board = Board::start(crash(), 11, BAUD, SLOW);
    killed(&scratch, &board, 3000);
    board.reset();
    // What a cut left of a chunk stays, too, while nobody can say that it comes again.
    let path = scratch.path("run.lbk");
    let mut before = std::fs::read(&path).unwrap();
    before.extend([7, 0, 0]);
    std::fs::write(&path, &before).unwrap();
    resume(&scratch, &board.port, &[]).fails_with("was reset since");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let cut = lookback(&scratch, &["verify", "run.lbk"]);
    cut.says("every digest matches");
    cut.says("cut off");
}

#[test]
fn a_reset_in_the_middle_is_told() {
    let scratch = Scratch::new();
    let board = Board::start(crash(), 11, BAUD, SLOW);
    let elf = firmware("heap_overflow");
    let mut child = Running::start(&scratch, &args(&board.port, &elf, &[]));
    child.wait_for_bytes(&scratch.path("run.lbk"), 1000);
    std::thread::sleep(Duration::from_millis(50));
    board.reset();
    let run = child.wait();
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("the board was reset");
}

#[test]
fn the_second_at_a_port_is_told_so() {
    let scratch = Scratch::new();
    let board = Board::start(crash(), 11, BAUD, SLOW);
    let elf = firmware("heap_overflow");
    let mut child = Running::start(&scratch, &args(&board.port, &elf, &[]));
    child.wait_for_bytes(&scratch.path("run.lbk"), 1000);
    let second = lookback(
        &scratch,
        &[
            "record",
            "--port",
            &board.port,
            "--elf",
            &elf,
            "-o",
            "b.lbk",
        ],
    );
    second.fails_with("another program has it open");
    scratch.has_no("b.lbk");
    let first = child.wait();
    assert_eq!(first.status, Some(0), "{first:?}");
}

#[test]
fn several_boards_are_recorded_side_by_side() {
    let scratch = Scratch::new();
    let boards = [
        Board::start(crash(), 12, BAUD, QUICK),
        Board::start(crash(), 10, BAUD, QUICK),
    ];
    let run = record(&scratch, &boards[0], &["--port", &boards[1].port]);
    assert_eq!(run.status, Some(0), "{run:?}");
    for board in &boards {
        let name = board.port.trim_start_matches("/dev/").replace('/', "-");
        run.says(&format!("board {name}: "));
        verifies(&scratch, &format!("run-{name}.lbk"));
    }
    let ports = format!("{}:{}", boards[0].port, boards[1].port);
    let elf = firmware("heap_overflow");
    let both = common::lookback_with(
        &scratch,
        &["record", "--port", "auto", "--elf", &elf],
        &[("LOOKBACK_PORTS", &ports)],
    );
    both.fails_with("or take --all");
}

#[test]
fn the_boards_rate_is_found() {
    let scratch = Scratch::new();
    let board = Board::start(crash(), 12, 1_000_000, QUICK);
    record(&scratch, &board, &["--timeout", "2"]).fails_with("--baud auto");
    scratch.has_no("run.lbk");
    let run = record(&scratch, &board, &["--baud", "auto"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    verifies(&scratch, "run.lbk");
    record(&scratch, &board, &["--baud", "fast"]).fails_with("is no speed");
}
