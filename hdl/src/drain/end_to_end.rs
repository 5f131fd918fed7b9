//! The whole drain, from bytes and commands to what a host reads from the pin.

use std::collections::VecDeque;

use rust_hdl::prelude::*;

use super::testing::{frames, intervals, synthesises, Frame, LineReader, LineWriter, Random};
use super::{Drain, Identity};
use crate::tick;

const IDENTITY: Identity = Identity {
    version: 0x0101_0001,
    tags: 0x0404_0207,
    sizes: 0x0610_0e06,
    clock_hz: 25_000_000,
    mem_base: 0x8000_0000,
    mem_mask: 0xfff0_0000,
};

const CONTROL: u8 = 0x10;
const STATUS: u8 = 0x20;

/// A drain with a host on one side and a front that has intervals to write on the other.
struct Bench<const RING_BITS: usize> {
    drain: Drain<RING_BITS>,
    from_board: LineReader,
    to_board: LineWriter,
    random: Random,
    /// Bytes of the front, with their last flags.
    front: VecDeque<(u8, bool)>,
    /// The front offers a byte in one of so many cycles.
    pace: u64,
    cycles: u64,
}

impl<const RING_BITS: usize> Bench<RING_BITS> {
    fn new(bit_clocks: usize, seed: u64) -> Self {
        let mut drain = Drain::new(IDENTITY);
        drain.connect_all();
        drain.bit_clocks.next = (bit_clocks as u64).into();
        drain.log_rx.next = true;
        let mut bench = Bench {
            drain,
            from_board: LineReader::new(bit_clocks),
            to_board: LineWriter::new(bit_clocks),
            random: Random(seed),
            front: VecDeque::new(),
            pace: 1,
            cycles: 0,
        };
        bench.drain.reset.next = true;
        bench.run(4);
        bench.drain.reset.next = false;
        bench.run(4);
        bench
    }

    fn step(&mut self) {
        let offer = !self.front.is_empty() && self.random.one_in(self.pace);
        let (byte, last) = *self.front.front().unwrap_or(&(0xa5, true));
        self.drain.byte_valid.next = offer;
        self.drain.byte_data.next = u64::from(byte).into();
        self.drain.byte_last.next = last;
        self.drain.log_rx.next = self.to_board.sample();
        // `byte_ready` does not depend on inputs, so what the last step left is this cycle's.
        if offer && self.drain.byte_ready.val() {
            self.front.pop_front();
        }
        tick!(self.drain);
        self.from_board.sample(self.drain.log_tx.val());
        self.cycles += 1;
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// Steps until the line has been quiet for two bytes' time and nothing is left to offer.
    fn settle(&mut self) {
        let mut quiet = 0;
        while quiet < 20 * u64::from(self.drain.bit_clocks.val().to_u64() as u32) + 600 {
            let before = self.from_board.busy;
            self.step();
            quiet += 1;
            if self.from_board.busy != before || !self.to_board.idle() || self.can_write() {
                quiet = 0;
            }
        }
    }

    fn can_write(&self) -> bool {
        !self.front.is_empty() && self.drain.byte_ready.val()
    }

    fn write(&mut self, interval: &[u8]) {
        let last = interval.len() - 1;
        self.front
            .extend(interval.iter().enumerate().map(|(i, &b)| (b, i == last)));
    }

    fn frames(&self) -> Vec<Frame> {
        let frames = frames(&self.from_board.bytes);
        for (i, frame) in frames.iter().enumerate() {
            assert_eq!(usize::from(frame.seq), i, "sequence number");
        }
        frames
    }

    fn replies(&self) -> Vec<(u8, u32)> {
        let reply = |f: &Frame| {
            assert_eq!(f.payload.len(), 5);
            let value = f.payload[1..].try_into().expect("four bytes");
            (f.payload[0], u32::from_le_bytes(value))
        };
        let frames = self.frames();
        frames
            .iter()
            .filter(|f| f.kind == 0x20)
            .map(reply)
            .collect()
    }

    fn send_read(&mut self, register: u8) {
        let seq = self.random.next() as u16;
        self.to_board.send(&Frame::new(1, seq, &[register]).wire());
    }

    fn send_write(&mut self, register: u8, value: u32) {
        let seq = self.random.next() as u16;
        let mut payload = vec![register];
        payload.extend(value.to_le_bytes());
        self.to_board.send(&Frame::new(2, seq, &payload).wire());
    }

    /// A command and its answer.
    fn answer(&mut self) -> (u8, u32) {
        let before = self.replies_so_far();
        for _ in 0..200_000 {
            self.step();
            if self.replies_so_far() > before {
                return *self.replies().last().expect("a reply");
            }
        }
        panic!("no reply");
    }

    fn replies_so_far(&self) -> usize {
        match self.from_board.bytes.last() {
            Some(0) | None => self.replies().len(),
            Some(_) => 0,
        }
    }

    fn read(&mut self, register: u8) -> u32 {
        self.send_read(register);
        let (answered, value) = self.answer();
        assert_eq!(answered, register);
        value
    }

    fn set(&mut self, register: u8, value: u32) -> u32 {
        self.send_write(register, value);
        let (answered, value) = self.answer();
        assert_eq!(answered, register);
        value
    }
}

fn random_intervals(random: &mut Random, count: usize, longest: u64) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| {
            let length = match random.below(4) {
                0 => 26,
                1 => 240 * (1 + random.below(longest / 240)),
                _ => 1 + random.below(longest),
            };
            random.bytes(length as usize)
        })
        .collect()
}

#[test]
fn synthesises_whole() {
    synthesises("drain_whole", Drain::<16>::new(IDENTITY));
}

#[test]
fn streams_intervals() {
    for (bit_clocks, pace, seed) in [(1, 1, 1), (1, 30, 2), (3, 2, 3), (8, 1, 4)] {
        let mut bench = Bench::<10>::new(bit_clocks, seed);
        bench.pace = pace;
        let sent = random_intervals(&mut Random(seed), 30, 1200);
        sent.iter().for_each(|interval| bench.write(interval));
        bench.settle();
        assert_eq!(intervals(&bench.frames()), sent, "seed {seed}");
    }
}

#[test]
fn keeps_the_line_busy() {
    let mut bench = Bench::<12>::new(1, 7);
    let sent = random_intervals(&mut Random(7), 60, 2000);
    sent.iter().for_each(|interval| bench.write(interval));
    while !bench.front.is_empty() {
        bench.step();
    }
    let occupancy = bench.from_board.busy as f64 / bench.from_board.cycles as f64;
    assert!(occupancy > 0.99, "occupancy {occupancy}");
    bench.settle();
    assert_eq!(intervals(&bench.frames()), sent);
}

#[test]
fn reads_and_writes_registers() {
    let mut bench = Bench::<10>::new(2, 11);
    bench.drain.retired_lo.next = 0x1234_5678u64.into();
    bench.drain.cycles_hi.next = 0x9abc_def0u64.into();
    bench.drain.lost_lo.next = 0x55u64.into();
    bench.drain.lost_hi.next = 0x66u64.into();
    bench.drain.lost_any.next = true;
    assert_eq!(bench.read(0x00), 0x4b4f_4f4c);
    assert_eq!(bench.read(0x01), IDENTITY.version);
    assert_eq!(bench.read(0x02), IDENTITY.tags);
    assert_eq!(bench.read(0x03), IDENTITY.sizes);
    assert_eq!(bench.read(0x04), IDENTITY.clock_hz);
    assert_eq!(bench.read(0x05), IDENTITY.mem_base);
    assert_eq!(bench.read(0x06), IDENTITY.mem_mask);
    assert_eq!(bench.read(0x21), 0x1234_5678);
    assert_eq!(bench.read(0x24), 0x9abc_def0);
    assert_eq!(bench.read(0x26), 0x55);
    assert_eq!(bench.read(STATUS), 0b1000);
    for register in 0..=255u8 {
        let known = matches!(register, 0..=6 | 0x21 | 0x24 | 0x26 | STATUS);
        assert_eq!(bench.read(register) != 0, known, "register {register:#x}");
    }
    assert_eq!(bench.set(CONTROL, 0xffff_fffe), 0xe);
    assert_eq!(bench.set(0x11, 0x0098_7654), 0x0098_7654);
    assert_eq!(bench.set(0x12, 0xffff_ff18), 0x18);
    assert_eq!(bench.set(0x13, 0x8000_0040), 0x8000_0040);
    assert_eq!(bench.set(0x14, 0x8765_43ff), 0x8765_43c0);
    assert_eq!(bench.set(0x15, 0xfeed_beef), 0xfeed_beef);
    assert_eq!(bench.set(0x04, 1), IDENTITY.clock_hz);
    assert_eq!(bench.set(0x17, 1), 0);
    assert_eq!(bench.set(0x18, 1), 0);
    assert_eq!(bench.set(0x50, 1), 0);
    assert_eq!(bench.read(CONTROL), 0xe);
    let drain = &bench.drain;
    assert!(drain.may_stall.val() && drain.trigger_on_trap.val() && !drain.enable.val());
    assert_eq!(drain.interval.val().to_u64(), 0x0098_7654);
    assert_eq!(drain.count_bits.val().to_u64(), 0x18);
    assert_eq!(drain.image_lo.val().to_u64(), 0x8000_0040);
    assert_eq!(drain.image_hi.val().to_u64(), 0x8765_43c0);
    assert_eq!(drain.post_trigger.val().to_u64(), 0xfeed_beef);
}

/// The END payload that the bench's status inputs stand for.
fn set_end_status<const N: usize>(bench: &mut Bench<N>) -> Vec<u8> {
    let mut words = Vec::new();
    let drain = &mut bench.drain;
    for (i, port) in [
        &mut drain.run_code,
        &mut drain.retired_lo,
        &mut drain.retired_hi,
        &mut drain.cycles_lo,
        &mut drain.cycles_hi,
        &mut drain.stalls_lo,
        &mut drain.stalls_hi,
        &mut drain.lost_lo,
        &mut drain.lost_hi,
    ]
    .into_iter()
    .enumerate()
    {
        let word = 0x0102_0304u32.wrapping_mul(i as u32 + 1) ^ 0x8000_0000;
        port.next = u64::from(word).into();
        words.extend(word.to_le_bytes());
    }
    drain.end_reason.next = 3u64.into();
    let mut payload = vec![3];
    payload.extend(words);
    payload
}

#[test]
fn sends_end_after_everything_else() {
    let mut bench = Bench::<12>::new(1, 13);
    let payload = set_end_status(&mut bench);
    for recording in 0..3 {
        assert_eq!(bench.set(CONTROL, 1), 1);
        bench.run(100);
        assert!(bench.drain.enable.val());
        bench.drain.ended.next = false;
        let sent = random_intervals(&mut Random(13 + recording), 6, 700);
        sent.iter().for_each(|interval| bench.write(interval));
        while !bench.front.is_empty() {
            bench.step();
        }
        bench.drain.ended.next = true;
        bench.settle();
        let frames = bench.frames();
        assert_eq!(
            *frames.last().expect("frames"),
            Frame {
                seq: frames.len() as u16 - 1,
                ..Frame::new(0x30, 0, &payload)
            }
        );
        assert_eq!(
            frames.iter().filter(|f| f.kind == 0x30).count() as u64,
            recording + 1
        );
        assert_eq!(intervals(&frames)[intervals(&frames).len() - 6..], sent);
        assert_eq!(bench.read(STATUS), 0b10010);
        assert_eq!(bench.set(CONTROL, 0), 0);
        bench.settle();
    }
}
