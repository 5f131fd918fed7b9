//! The driver against a board made of registers and a script of what it sends.

use super::*;
use crate::driver::ending::Ending;
use lookback_log_format::container::{self, Chunk, Elf, Found};
use lookback_log_format::frame::{kind, End, Frame, FrameDecoder};
use lookback_log_format::interval::{EndReason, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::stream::to_frames;
use std::collections::VecDeque;
use std::io;
use std::path::Path;

/// What goes wrong on the way.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// This frame of the log, counted from 0, never arrives.
    Drop(usize),
    /// One bit of this frame is flipped.
    Damage(usize),
    /// After this frame nothing ever comes again.
    SilentAfter(usize),
    /// Bytes come that are no frames.
    Garbage,
    /// Nothing comes at all.
    Dead,
    /// The link reports an error after this frame.
    BreaksAfter(usize),
    /// Every second answer is lost.
    Forgetful,
}

struct FakeBoard {
    registers: BTreeMap<u8, u32>,
    decoder: FrameDecoder,
    out: VecDeque<u8>,
    seq: u16,
    now: Duration,
    records: Vec<Record>,
    end: End,
    fault: Fault,
    /// Whether it runs until the host stops it.
    endless: bool,
    replies: u32,
    sent: usize,
    mute: bool,
    broken: bool,
}

pub(super) fn interval(index: u32, entries: usize) -> Record {
    Record::Interval(Interval {
        header: Header {
            layout: Layout::Full,
            mode: 3,
            index,
            retired: u64::from(index) * 100,
            cycle: u64::from(index) * 400,
            pc: 0x8000_0000,
            registers: [0; 32],
        },
        entries: vec![0x5a; entries],
        trailer: Trailer {
            instructions: 100,
            digest: 1,
            reason: EndReason::Length,
        },
    })
}

pub(super) fn end(retired: u64) -> End {
    End {
        reason: EndReason::RunEnded,
        code: 0x5555,
        retired,
        cycles: 4000,
        stalls: 0,
        lost: 0,
        fired: None,
        breach: None,
    }
}

impl FakeBoard {
    fn new(fault: Fault) -> Self {
        let registers = BTreeMap::from([
            (reg::ID, reg::ID_VALUE),
            (reg::VERSION, 0x0101_0001),
            (reg::TAGS, 0x0810_0106),
            (reg::SIZES, 0x0810_0a06),
            (reg::CLOCK, 25_000_000),
            (reg::MEM_BASE, 0x8000_0000),
            (reg::MEM_MASK, 0xff00_0000),
        ]);
        Self {
            registers,
            decoder: FrameDecoder::new(),
            out: VecDeque::new(),
            seq: 0,
            now: Duration::ZERO,
            records: (0..5).map(|i| interval(i, 600)).collect(),
            end: end(500),
            fault,
            endless: false,
            replies: 0,
            sent: 0,
            mute: false,
            broken: false,
        }
    }

    fn emit(&mut self, mut frame: Frame) {
        frame.seq = self.seq;
        self.seq = self.seq.wrapping_add(1);
        let mut wire = frame.to_wire();
        if self.mute || matches!(self.fault, Fault::Dead) {
            return;
        }
        if matches!(self.fault, Fault::Garbage) {
            self.out.extend(wire.iter().map(|byte| byte ^ 0xa5));
            return;
        }
        if frame.kind == kind::REPLY {
            self.replies += 1;
            if self.fault == Fault::Forgetful && self.replies % 2 == 1 {
                self.seq = self.seq.wrapping_sub(1);
                return;
            }
        } else {
            let number = self.sent;
            self.sent += 1;
            match self.fault {
                Fault::Drop(n) if n == number => return,
                Fault::Damage(n) if n == number => wire[5] ^= 0x10,
                Fault::SilentAfter(n) if n == number => self.mute = true,
                Fault::BreaksAfter(n) if n == number => {
                    self.mute = true;
                    self.broken = true;
                }
                _ => {}
            }
        }
        self.out.extend(wire);
    }

    fn finish(&mut self) {
        let payload = self.end.to_bytes();
        self.registers
            .insert(reg::STATUS, reg::STATUS_ENDED | reg::STATUS_END_SENT);
        self.emit(Frame {
            kind: kind::END,
            hart: 0,
            seq: 0,
            payload,
        });
    }

    fn command(&mut self, frame: &Frame) {
        let register = frame.payload[0];
        if let &[_, a, b, c, d] = frame.payload.as_slice() {
            let mut value = u32::from_le_bytes([a, b, c, d]);
            if register == reg::CONTROL {
                value &= !link::CONTROL_ACKNOWLEDGED;
            }
            let before = self.registers.insert(register, value);
            let now = self.registers[&register];
            let was = before.unwrap_or(0) & reg::CONTROL_RECORD != 0;
            let is = now & reg::CONTROL_RECORD != 0;
            self.reply(register);
            if register == reg::CONTROL && is && !was {
                self.registers.insert(reg::STATUS, reg::STATUS_RECORDING);
                for record in self.records.clone() {
                    for piece in to_frames(0, 0, &record.to_bytes()) {
                        self.emit(piece);
                    }
                }
                if !self.endless {
                    self.finish();
                }
            } else if register == reg::CONTROL && was && !is && self.endless {
                self.end.reason = EndReason::Stopped;
                self.finish();
            }
        } else {
            self.reply(register);
        }
    }

    fn reply(&mut self, register: u8) {
        let mut payload = vec![register];
        let value = self.registers.get(&register).copied().unwrap_or(0);
        payload.extend(value.to_le_bytes());
        self.emit(Frame {
            kind: kind::REPLY,
            hart: 0,
            seq: 0,
            payload,
        });
    }
}

impl Link for FakeBoard {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for &byte in bytes {
            if let Some(Ok(frame)) = self.decoder.push(byte) {
                self.command(&frame);
            }
        }
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        let count = self.out.len().min(64);
        into.extend(self.out.drain(..count));
        if count == 0 && self.broken {
            return Err(io::Error::other("the adapter was unplugged"));
        }
        self.now += if count == 0 {
            patience
        } else {
            Duration::from_millis(5)
        };
        Ok(())
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn name(&self) -> String {
        "fake".into()
    }

    fn baud(&self) -> Option<u32> {
        Some(115_200)
    }
}

#[derive(Default)]
pub(super) struct Bystander {
    stop_after: Option<u64>,
    stop: u32,
    notes: Vec<String>,
}

impl Watcher for Bystander {
    fn console(&mut self, _: &[u8]) {}

    fn progress(&mut self, so_far: &Summary) {
        if self.stop_after.is_some_and(|n| so_far.intervals >= n) {
            self.stop = 1;
        }
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.into());
    }

    fn stop_asked(&self) -> u32 {
        self.stop
    }
}

pub(super) fn settings() -> Settings {
    Settings {
        interval: 100,
        compact_interval: 100,
        may_stall: true,
        log_results: false,
        window: 0x8000_0000..0x8000_1000,
        loaded: 0x8000_0000..0x8000_2000,
        key: 1,
        arm: None,
        order: Default::default(),
        max_instructions: None,
        patience: Duration::from_secs(4),
    }
}

fn run_with(board: &mut FakeBoard, watcher: &mut Bystander) -> (Result<Summary>, Vec<u8>) {
    let mut bytes = Vec::new();
    let elf = Elf {
        name: "fw.elf".into(),
        bytes: b"\x7fELF".to_vec(),
    };
    let result = record(
        board,
        &settings(),
        |config| Recording::begin(Path::new("t.lbk"), &mut bytes, config, elf),
        watcher,
    );
    (result, bytes)
}

fn run(fault: Fault) -> (Result<Summary>, Vec<u8>) {
    run_with(&mut FakeBoard::new(fault), &mut Bystander::default())
}

/// Indices of the intervals in a file, how many loss notes, and whether END is there.
fn contents(bytes: &[u8]) -> (Vec<u32>, usize, bool) {
    let (mut indices, mut losses, mut ended) = (Vec::new(), 0, false);
    for found in container::read(bytes).unwrap() {
        match found {
            Found::Chunk { chunk, .. } => match chunk {
                Chunk::Record { record, .. } => indices.push(record.index()),
                Chunk::Loss { .. } => losses += 1,
                Chunk::End(_) => ended = true,
                _ => {}
            },
            other => panic!("{other:?}"),
        }
    }
    (indices, losses, ended)
}

#[test]
fn a_whole_run_is_kept_whole() {
    let (summary, bytes) = run(Fault::None);
    let summary = summary.unwrap();
    assert!(summary.whole, "{summary}");
    assert_eq!(summary.ended, Ending::Pass);
    assert_eq!((summary.instructions, summary.intervals), (500, 5));
    assert_eq!(summary.file_bytes, bytes.len() as u64);
    assert_eq!(contents(&bytes), (vec![0, 1, 2, 3, 4], 0, true));
}

#[test]
fn lost_answers_are_asked_for_again() {
    let (summary, bytes) = run(Fault::Forgetful);
    assert!(summary.unwrap().whole);
    assert_eq!(contents(&bytes).0, [0, 1, 2, 3, 4]);
}

#[test]
fn a_lost_or_damaged_frame_costs_its_interval_and_is_noted() {
    // Each interval takes four frames: the sixth is in the middle of interval 1.
    for fault in [Fault::Drop(5), Fault::Damage(5)] {
        let (summary, bytes) = run(fault);
        let summary = summary.unwrap();
        assert!(!summary.whole);
        assert_eq!(summary.link.missing, 1);
        let (indices, losses, ended) = contents(&bytes);
        assert_eq!(indices, [0, 2, 3, 4]);
        assert!(losses >= 1 && ended);
    }
}

#[test]
fn a_lost_end_is_noticed() {
    let (summary, bytes) = run(Fault::Drop(20));
    let summary = summary.unwrap();
    assert_eq!(summary.ended, Ending::CutOff);
    assert!(!summary.whole);
    assert_eq!(contents(&bytes).0.len(), 5);
}

#[test]
fn a_board_that_falls_silent_leaves_what_came() {
    let (summary, bytes) = run(Fault::SilentAfter(9));
    let summary = summary.unwrap();
    assert!(!summary.whole);
    assert!(summary.losses.iter().any(|l| l.contains("fell silent")));
    assert_eq!(contents(&bytes).0, [0, 1]);
}

#[test]
fn an_unplugged_adapter_leaves_what_came() {
    let (summary, bytes) = run(Fault::BreaksAfter(9));
    let summary = summary.unwrap();
    assert!(summary.losses.iter().any(|l| l.contains("unplugged")));
    assert_eq!(contents(&bytes).0, [0, 1]);
}

#[test]
fn a_dead_board_and_a_wrong_speed_are_told_apart() {
    let (dead, bytes) = run(Fault::Dead);
    assert!(dead.unwrap_err().to_string().contains("does not answer"));
    assert!(bytes.is_empty(), "no file before the board has answered");
    let (garbled, _) = run(Fault::Garbage);
    let text = garbled.unwrap_err().to_string();
    assert!(text.contains("baud rate is wrong"), "{text}");
}

#[test]
fn asked_to_stop_it_stops_and_drains() {
    let mut board = FakeBoard::new(Fault::None);
    board.endless = true;
    let mut watcher = Bystander {
        stop_after: Some(3),
        ..Bystander::default()
    };
    let (summary, bytes) = run_with(&mut board, &mut watcher);
    let summary = summary.unwrap();
    assert!(summary.whole, "{summary}");
    assert_eq!(summary.ended, Ending::Stopped);
    assert_eq!(contents(&bytes), (vec![0, 1, 2, 3, 4], 0, true));
}

#[test]
fn an_earlier_recording_is_ended_first() {
    let mut board = FakeBoard::new(Fault::None);
    board.registers.insert(reg::STATUS, reg::STATUS_RECORDING);
    board.registers.insert(reg::CONTROL, reg::CONTROL_RECORD);
    let mut watcher = Bystander::default();
    let (summary, _) = run_with(&mut board, &mut watcher);
    assert!(summary.unwrap().whole);
    assert_eq!(watcher.notes.len(), 1);
}

#[test]
fn a_stranger_is_refused_by_its_id() {
    let mut board = FakeBoard::new(Fault::None);
    board.registers.insert(reg::ID, 7);
    let (result, _) = run_with(&mut board, &mut Bystander::default());
    assert!(result
        .unwrap_err()
        .to_string()
        .contains("no Lookback recorder"));
}

#[test]
fn a_newer_board_is_refused_by_its_version() {
    let mut board = FakeBoard::new(Fault::None);
    board.registers.insert(reg::VERSION, 0x0101_0009);
    let (result, _) = run_with(&mut board, &mut Bystander::default());
    let text = format!("{:#}", result.unwrap_err());
    assert!(text.contains("version 9 is newer"), "{text}");
}

/// A disk that fills up after some bytes.
struct SmallDisk<'a>(&'a mut Vec<u8>, usize);

impl io::Write for SmallDisk<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > self.1 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for SmallDisk<'_> {
    fn begin_sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_named_and_what_was_written_stays() {
    let mut board = FakeBoard::new(Fault::None);
    let mut bytes = Vec::new();
    let elf = Elf {
        name: "fw.elf".into(),
        bytes: vec![],
    };
    let result = record(
        &mut board,
        &settings(),
        |config| Recording::begin(Path::new("t.lbk"), SmallDisk(&mut bytes, 2000), config, elf),
        &mut Bystander::default(),
    );
    let text = result.unwrap_err().to_string();
    assert!(text.contains("cannot write t.lbk"), "{text}");
    assert_eq!(contents(&bytes).0, [0, 1]);
    assert_eq!(board.registers[&reg::CONTROL] & reg::CONTROL_RECORD, 0);
}
