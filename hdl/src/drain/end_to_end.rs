//! The whole drain, from bytes and commands to what a host reads from the pin.

use std::collections::VecDeque;

use rust_hdl::prelude::*;

use super::testing::{frames, intervals, synthesises, wire, Frame, LineReader, LineWriter, Random};
use super::{Drain, Identity};
use crate::tick;

const IDENTITY: Identity = Identity {
    version: 0x0101_0001,
    tags: 0x0404_0207,
    sizes: 0x0610_0e06,
    clock_hz: 25_000_000,
    mem_base: 0x8000_0000,
    mem_mask: 0xfff0_0000,
    port: 0,
    compact: 0,
    order: 0,
    plain: false,
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
        assert!(self.cycles < 1_000_000, "the test hangs");
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
        let mut known = self.frames_so_far();
        for _ in 0..200_000 {
            self.step();
            if self.frames_so_far() > known {
                known = self.frames_so_far();
                if self.frames().last().is_some_and(|f| f.kind == 0x20) {
                    return *self.replies().last().expect("a reply");
                }
            }
        }
        panic!("no reply");
    }

    fn frames_so_far(&self) -> usize {
        self.from_board.zeros
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
    for (bit_clocks, pace, count, seed) in
        [(1, 1, 12, 1), (1, 30, 6, 2), (3, 2, 4, 3), (8, 1, 2, 4)]
    {
        let mut bench = Bench::<10>::new(bit_clocks, seed);
        bench.pace = pace;
        let sent = random_intervals(&mut Random(seed), count, 1000);
        sent.iter().for_each(|interval| bench.write(interval));
        bench.settle();
        assert_eq!(intervals(&bench.frames()), sent, "seed {seed}");
    }
}

#[test]
fn keeps_the_line_busy() {
    // Long and short frames in turn are the hard case: a short one leaves little time to prepare
    // the long one after it.
    let mut random = Random(7);
    for lengths in [[1, 240], [26, 250], [700, 170], [3, 5]] {
        let mut bench = Bench::<12>::new(1, 7);
        let sent: Vec<_> = (0..2000 / (lengths[0] + lengths[1]) + 1)
            .flat_map(|_| lengths)
            .map(|length| random.bytes(length))
            .collect();
        sent.iter().for_each(|interval| bench.write(interval));
        bench.settle();
        let LineReader { busy, idle, .. } = bench.from_board;
        let occupancy = busy as f64 / (busy + idle) as f64;
        assert!(occupancy > 0.98, "occupancy {occupancy} for {lengths:?}");
        assert_eq!(intervals(&bench.frames()), sent);
    }
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
    assert_eq!(bench.set(CONTROL, 0xffff_fffe), 0x3e);
    assert_eq!(bench.set(0x11, 0x0098_7654), 0x0098_7654);
    assert_eq!(bench.set(0x12, 0xffff_ff18), 0x18);
    assert_eq!(bench.set(0x13, 0x8000_0040), 0x8000_0040);
    assert_eq!(bench.set(0x14, 0x8765_43ff), 0x8765_43c0);
    assert_eq!(bench.set(0x15, 0xfeed_beef), 0xfeed_beef);
    assert_eq!(bench.set(0x04, 1), IDENTITY.clock_hz);
    assert_eq!(bench.set(0x16, 0xdead_beef), 0xdead_beef);
    assert_eq!(bench.set(0x17, 0xffff_8001), 0x8001);
    assert_eq!(bench.set(0x18, 1), 0);
    assert_eq!(bench.set(0x50, 1), 0);
    assert_eq!(bench.read(CONTROL), 0x3e);
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

/// What a host does to a board that hears anything but commands in between.
#[test]
fn ignores_what_is_no_command() {
    for (bit_clocks, seed) in [(1, 21), (2, 22), (5, 23)] {
        let mut bench = Bench::<10>::new(bit_clocks, seed);
        let mut random = Random(seed);
        let mut interval = 0;
        for round in 0..if bit_clocks == 1 { 60 } else { 12 } {
            let value = random.next() as u32 & 0x00ff_ffff;
            let wrong = wrong_command(&mut random, value ^ 1);
            bench.to_board.send(&wrong);
            // Noise may end within a frame: a zero brings the board back.
            bench.to_board.send(&[0]);
            bench.settle();
            assert_eq!(bench.replies().len(), round, "answered {wrong:02x?}");
            assert_eq!(bench.drain.interval.val().to_u64() as u32, interval);
            assert_eq!(bench.set(0x11, value), value);
            interval = value;
        }
    }
}

/// Bytes that hold no command that a board may obey, though many nearly are one.
fn wrong_command(random: &mut Random, value: u32) -> Vec<u8> {
    let mut payload = vec![0x11];
    payload.extend(value.to_le_bytes());
    let right = Frame::new(2, random.next() as u16, &payload);
    let mut plain = right.plain();
    match random.below(8) {
        0 => random.bytes(40),
        1 => {
            let bit = random.below(8 * plain.len() as u64) as usize;
            plain[bit / 8] ^= 1 << (bit % 8);
            wire(&plain)
        }
        2 => {
            // One byte too many or too few, with the right CRC.
            payload.truncate(4);
            Frame::new(2, 7, &payload).wire()
        }
        3 => {
            payload.push(0);
            Frame::new(2, 7, &payload).wire()
        }
        4 => Frame::new(random.below(256) as u8 & !3, 7, &payload).wire(),
        5 => Frame::new(1, 7, &payload).wire(),
        6 => {
            // Cut off by the end of the frame.
            let mut coded = right.wire();
            coded.truncate(random.below(coded.len() as u64 - 1) as usize);
            coded
        }
        _ => Frame::new(2, 7, &random.bytes(250)).wire(),
    }
}

#[test]
fn replies_go_before_the_log() {
    let mut bench = Bench::<12>::new(1, 31);
    let sent: Vec<_> = (0..3).map(|i| Random(31 + i).bytes(1100)).collect();
    sent.iter().for_each(|interval| bench.write(interval));
    bench.run(3000);
    let mut replies = 0;
    while bench.frames_so_far() < 8 {
        let before = bench.from_board.bytes.len();
        assert_eq!(bench.read(0x00), 0x4b4f_4f4c);
        replies += 1;
        // The queue before the UART and the frame being made are ahead of a reply.
        assert!(bench.from_board.bytes.len() - before < 512 + 250 + 40);
    }
    bench.settle();
    assert_eq!(bench.replies().len(), replies);
    assert_eq!(intervals(&bench.frames()), sent);
}

/// In ring mode: what the ring holds at the end, by the rule in words. Bytes of evicted intervals
/// are free when the next byte has no room.
fn newest_that_fit(all: &[Vec<u8>], capacity: usize) -> Vec<Vec<u8>> {
    let mut kept: VecDeque<&Vec<u8>> = VecDeque::new();
    for interval in all {
        kept.push_back(interval);
        while kept.iter().map(|i| i.len()).sum::<usize>() > capacity {
            kept.pop_front();
        }
    }
    kept.into_iter().cloned().collect()
}

#[test]
fn ring_keeps_the_newest_intervals() {
    for seed in 41..47 {
        let mut bench = Bench::<10>::new(1, seed);
        bench.pace = 1 + seed % 3;
        assert_eq!(bench.set(CONTROL, 0b100), 0b100);
        assert_eq!(bench.set(CONTROL, 0b101), 0b101);
        bench.run(300);
        let quiet = bench.from_board.bytes.len();
        let sent = random_intervals(&mut Random(seed), 40, 500);
        sent.iter().for_each(|interval| bench.write(interval));
        while !bench.front.is_empty() {
            bench.step();
        }
        assert_eq!(bench.from_board.bytes.len(), quiet, "sent before the end");
        // With the last byte the interval before may still be giving way.
        bench.drain.ended.next = true;
        bench.settle();
        let frames = bench.frames();
        assert_eq!(frames.last().map(|f| f.kind), Some(0x30));
        assert_eq!(
            intervals(&frames),
            newest_that_fit(&sent, 1023),
            "seed {seed}"
        );
    }
}

#[test]
fn ring_lets_an_interval_through_that_it_cannot_hold() {
    let mut bench = Bench::<10>::new(1, 51);
    bench.set(CONTROL, 0b100);
    bench.set(CONTROL, 0b101);
    bench.run(300);
    let mut random = Random(51);
    let sent: Vec<_> = [300, 2500, 100, 200, 900]
        .map(|length| random.bytes(length))
        .into();
    sent.iter().for_each(|interval| bench.write(interval));
    for _ in 0..100_000 {
        bench.step();
    }
    assert!(bench.front.is_empty(), "the front is stuck");
    assert_eq!(intervals(&bench.frames()), sent[1..2]);
    bench.drain.ended.next = true;
    bench.settle();
    let mut expected = vec![sent[1].clone()];
    expected.extend(newest_that_fit(&sent[2..], 1023));
    assert_eq!(intervals(&bench.frames()), expected);
}

#[test]
fn starting_again_forgets_the_ring() {
    let mut bench = Bench::<12>::new(1, 61);
    bench.set(CONTROL, 1);
    bench.write(&Random(61).bytes(3500));
    bench.run(4000);
    bench.set(CONTROL, 0);
    bench.set(CONTROL, 1);
    bench.run(3000);
    assert!(bench.front.is_empty());
    let sent = Random(62).bytes(700);
    bench.write(&sent);
    bench.settle();
    // The first recording is cut between two frames; the second is whole.
    let frames = bench.frames();
    let start = frames.iter().rposition(|f| f.kind & 0xf1 == 0x11);
    assert_eq!(intervals(&frames[start.expect("two recordings")..]), [sent]);
    assert_eq!(frames.iter().filter(|f| f.kind == 0x11).count(), 2);
}
