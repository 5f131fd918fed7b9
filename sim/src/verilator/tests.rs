//! Both engines on the same small board: whatever the host can see must be equal.

use std::path::Path;

use lookback_rtl_gen::{emit, Design};

use super::Verilated;
use crate::engine::{Engine, TraceItem};
use crate::stepped::Stepped;
use crate::testboard::TestBoard;
use crate::{Board, BoardOptions, EngineKind, Error};

const RAM_BYTES: u32 = 64 * 1024;

fn design() -> Design {
    emit("lookback_test_board", &mut TestBoard::default()).unwrap()
}

/// Without Verilator this says so instead of passing silently.
fn verilated() -> Option<Box<dyn Engine>> {
    match Verilated::new(&design().into(), &mut |step| eprintln!("{step}")) {
        Ok(engine) => Some(Box::new(engine)),
        Err(Error::Rtl(error @ lookback_rtl_gen::Error::NoVerilator { .. })) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[derive(Debug, PartialEq)]
struct Seen {
    console: Vec<u8>,
    link: Vec<u8>,
    trace: Vec<TraceItem>,
    ram: Vec<u32>,
    numbers: [u64; 5],
    waves: String,
}

fn play(engine: Box<dyn Engine>, hold: bool, waves: Option<&Path>) -> Seen {
    let options = BoardOptions {
        ram_bytes: RAM_BYTES,
        bit_clocks: 3,
        hold,
        trace: true,
        ..BoardOptions::default()
    };
    let ram = (0..RAM_BYTES / 4)
        .map(|n| n.wrapping_mul(0x9e37_79b9))
        .collect();
    let kind = EngineKind::Verilator;
    let mut board = Board::power_up(engine, kind, &options, ram);
    if let Some(path) = waves {
        let design = design();
        board
            .record_waves(path, &design.top, &design.ports)
            .unwrap();
    }
    board.reset().unwrap();
    board.set_gpio(0x1234_5678);
    board.console_send(b"Hello, board");
    board.link_send(&[0x00, 0x55, 0xff, 0x13]);
    board.run(100).unwrap();
    board.link_send(b"more");
    while board.finished().is_none() {
        board.run(1000).unwrap();
    }
    let (cycles, total) = (board.cycles(), board.total_cycles());
    board.run(1000).unwrap();
    Seen {
        console: board.console_take(),
        link: board.link_take(),
        trace: board.take_trace(),
        ram: board.ram().to_vec(),
        numbers: [
            cycles,
            total,
            board.retired(),
            board.stall_cycles(),
            u64::from(board.finished().unwrap()),
        ],
        waves: waves.map_or(String::new(), |path| std::fs::read_to_string(path).unwrap()),
    }
}

#[test]
fn both_engines_do_the_same_in_every_cycle() {
    let Some(fast) = verilated() else { return };
    let fast = play(fast, false, None);
    let slow = play(
        Box::new(Stepped::new(Box::new(TestBoard::default()))),
        false,
        None,
    );
    assert_eq!(fast.console, b"hELLO\x0c\0BOARD");
    assert_eq!(fast.link, b"\x00\x55\xff\x13more");
    assert!(fast.trace.len() > 200, "{}", fast.trace.len());
    assert_eq!(fast.numbers[..2], [4096, 4096 + 4 + 1]);
    assert_eq!(fast, slow);
}

#[test]
fn waves_and_stalls_are_the_same_too() {
    let Some(fast) = verilated() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.vcd"), folder.path().join("b.vcd"));
    let fast = play(fast, true, Some(&a));
    let slow = play(
        Box::new(Stepped::new(Box::new(TestBoard::default()))),
        true,
        Some(&b),
    );
    assert_eq!(fast.numbers[0], 4096 - 32, "held for 32 cycles");
    assert!(fast.waves.contains("$var wire 32 $ ram_bytes $end"));
    assert!(fast.waves.lines().count() > 4096 * 4);
    assert_eq!(fast, slow);
}
