//! `lookback record --port` against a board made of registers, at the other end of a pty.

mod common;

use common::{firmware, lookback, Run, Running, Scratch};
use lookback_log_format::frame::{kind, End, Frame, FrameDecoder};
use lookback_log_format::interval::EndReason;
use lookback_log_format::link::CONTROL_ACKNOWLEDGED;
use lookback_log_format::registers as reg;
use lookback_log_format::stream::to_frames;
use serialport::{SerialPort, TTYPort};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::time::Duration;

/// A board that sends intervals, and ends by itself or when it is told to.
struct Board {
    port: TTYPort,
    registers: BTreeMap<u8, u32>,
    seq: u16,
    endless: bool,
    /// After the first interval it never says anything again.
    dies: bool,
}

const INTERVALS: u32 = 3;

impl Board {
    /// Starts a board and gives the path of its port.
    fn start(endless: bool, dies: bool) -> String {
        let (mut port, host) = TTYPort::pair().unwrap();
        let path = host.name().unwrap();
        port.set_timeout(Duration::from_millis(20)).unwrap();
        let registers = BTreeMap::from([
            (reg::ID, reg::ID_VALUE),
            (reg::VERSION, 0x0101_0001),
            (reg::TAGS, 0x0808_0207),
            (reg::SIZES, 0x0810_0a06),
            (reg::CLOCK, 25_000_000),
            (reg::MEM_BASE, 0x8000_0000),
            (reg::MEM_MASK, 0xff00_0000),
        ]);
        let mut board = Self {
            port,
            registers,
            seq: 0,
            endless,
            dies,
        };
        std::thread::spawn(move || {
            // Held open, so that bytes sent before the command opens the port are not lost.
            let _host = host;
            let mut decoder = FrameDecoder::new();
            let mut buffer = [0; 256];
            loop {
                let count = board.port.read(&mut buffer).unwrap_or(0);
                for &byte in &buffer[..count] {
                    if let Some(Ok(frame)) = decoder.push(byte) {
                        board.command(&frame.payload);
                    }
                }
            }
        });
        path
    }

    fn send(&mut self, mut frame: Frame) {
        frame.seq = self.seq;
        self.seq = self.seq.wrapping_add(1);
        self.port.write_all(&frame.to_wire()).unwrap();
    }

    fn command(&mut self, payload: &[u8]) {
        let recorded = |board: &Self| {
            board.registers.get(&reg::CONTROL).unwrap_or(&0) & reg::CONTROL_RECORD != 0
        };
        let before = recorded(self);
        if self.dies && before {
            return;
        }
        let register = payload[0];
        if let &[_, a, b, c, d] = payload {
            let mut value = u32::from_le_bytes([a, b, c, d]);
            if register == reg::CONTROL {
                value &= !CONTROL_ACKNOWLEDGED;
            }
            self.registers.insert(register, value);
        }
        let value = self.registers.get(&register).copied().unwrap_or(0);
        let mut reply = vec![register];
        reply.extend(value.to_le_bytes());
        self.send(frame(kind::REPLY, reply));
        match (before, recorded(self)) {
            (false, true) => self.record(),
            (true, false) if self.endless => self.end(EndReason::Stopped),
            _ => {}
        }
    }

    fn record(&mut self) {
        self.registers.insert(reg::STATUS, reg::STATUS_RECORDING);
        for index in 0..INTERVALS {
            let bytes = common::interval(index).to_bytes();
            for piece in to_frames(0, 0, &bytes) {
                self.send(piece);
            }
            if self.dies {
                return;
            }
        }
        if !self.endless {
            self.end(EndReason::RunEnded);
        }
    }

    fn end(&mut self, reason: EndReason) {
        let end = End {
            reason,
            code: 0x3_3333,
            retired: u64::from(INTERVALS) * 100,
            cycles: 1234,
            stalls: 5,
            lost: 0,
            fired: None,
            breach: None,
        };
        self.registers
            .insert(reg::STATUS, reg::STATUS_ENDED | reg::STATUS_END_SENT);
        self.send(frame(kind::END, end.to_bytes()));
    }
}

fn frame(kind: u8, payload: Vec<u8>) -> Frame {
    Frame {
        kind,
        hart: 0,
        seq: 0,
        payload,
    }
}

fn record(scratch: &Scratch, port: &str, more: &[&str]) -> Run {
    let elf = firmware("hello");
    let mut args = vec!["record", "--port", port, "--elf", &elf, "--interval", "100"];
    args.extend(more);
    lookback(scratch, &args)
}

#[test]
fn a_run_is_recorded_and_how_it_ended_is_told() {
    let scratch = Scratch::new();
    let run = record(&scratch, &Board::start(false, false), &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("hello.lbk: 300 instructions in 3 intervals");
    run.says("the firmware reported failure, code 3");
    let info = lookback(
        &scratch,
        &["info", "hello.lbk", "--elf", &firmware("hello")],
    );
    assert_eq!(info.status, Some(0), "{info:?}");
    // A second time the file is there.
    let again = record(&scratch, &Board::start(false, false), &[]);
    again.fails_with("exists already");
    let forced = record(&scratch, &Board::start(false, false), &["--force"]);
    assert_eq!(forced.status, Some(0), "{forced:?}");
}

#[test]
fn auto_finds_the_board_that_answers() {
    let scratch = Scratch::new();
    let (_silent, other) = TTYPort::pair().unwrap();
    let ports = format!("{}:{}", other.name().unwrap(), Board::start(false, false));
    drop(other);
    let elf = firmware("hello");
    let run = common::lookback_with(
        &scratch,
        &["record", "--port", "auto", "--elf", &elf, "--json"],
        &[("LOOKBACK_PORTS", &ports)],
    );
    assert_eq!(run.status, Some(0), "{run:?}");
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["instructions"], 300);
    assert_eq!(summary["ended"]["how"], "fail");
    assert_eq!(summary["ended"]["code"], 3);
    assert_eq!(summary["stall_cycles"], 5);
    assert_eq!(summary["whole"], true);
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let scratch = Scratch::new();
    let run = record(
        &scratch,
        &Board::start(false, false),
        &["--force", "-o", "/dev/full"],
    );
    run.fails_with("cannot write /dev/full");
}

#[test]
fn a_board_that_dies_leaves_what_it_sent() {
    let scratch = Scratch::new();
    let run = record(&scratch, &Board::start(true, true), &["--timeout", "2"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("the board fell silent");
    let info = lookback(&scratch, &["info", "hello.lbk"]);
    assert_eq!(info.status, Some(1), "{info:?}");
    info.says("100 instructions (number 0 to 99) in 1 interval");
    info.says("cut off");
}

#[test]
fn ctrl_c_stops_the_board_and_keeps_everything() {
    let scratch = Scratch::new();
    let port = Board::start(true, false);
    let elf = firmware("hello");
    let mut child = Running::start(&scratch, &["record", "--port", &port, "--elf", &elf]);
    // The ELF alone is larger than a few hundred bytes; the intervals come right after it.
    child.wait_for_bytes(&scratch.path("hello.lbk"), 1000);
    std::thread::sleep(Duration::from_millis(200));
    child.signal("INT");
    let run = child.wait();
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("stopped by the host");
    run.says("300 instructions");
}

/// A port that goes is an error, never a quiet success.
#[test]
fn a_port_that_vanishes_is_told() {
    let scratch = Scratch::new();
    let (board, host) = TTYPort::pair().unwrap();
    let port = host.name().unwrap();
    drop(host);
    let elf = firmware("hello");
    let args = ["record", "--port", &port, "--elf", &elf, "--timeout", "2"];
    let child = Running::start(&scratch, &args);
    std::thread::sleep(Duration::from_millis(300));
    drop(board);
    let run = child.wait();
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains(&port), "{run:?}");
    scratch.has_no("hello.lbk");
}
