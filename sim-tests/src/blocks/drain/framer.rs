//! The framer: pieces and messages as the driver offers them, frames as the UART takes them.

use crate::blocks::{Check, Records};
use lookback_log_format::frame::{kind, Frame};
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Frames out of the framer.
pub struct Frames;

/// What there is to send, and how it goes.
#[derive(Clone, Debug)]
pub enum Step {
    /// A piece of the log comes.
    Piece {
        /// it begins a record
        first: bool,
        /// it ends one
        last: bool,
        /// its bytes
        bytes: Vec<u8>,
        /// its place in the stream, on an acknowledged link
        offset: Option<u32>,
    },
    /// A reply comes.
    Reply(Vec<u8>),
    /// The end comes.
    End(Vec<u8>),
    /// Time passes, with the UART taking bytes so often in a thousand cycles.
    Wait(u16, u32),
    /// No frame may begin for so long.
    Pause(u16),
    /// A reset.
    Reset,
}

impl Check for Frames {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let byte = || prop_oneof![2 => any::<u8>(), 1 => Just(0u8), 1 => Just(0xffu8)];
        let bytes = prop_oneof![
            6 => vec(byte(), 1..12),
            2 => vec(byte(), 1..241),
            1 => vec(byte(), 240),
            1 => (1..241usize).prop_map(|n| vec![0; n]),
            1 => (1..241usize).prop_map(|n| vec![7; n]),
        ];
        let offset = || proptest::option::of(prop_oneof![any::<u32>(), 0..70_000u32]);
        let piece = (any::<bool>(), any::<bool>(), bytes, offset()).prop_map(
            |(first, last, bytes, offset)| Step::Piece {
                first: first && offset.is_none(),
                last,
                bytes,
                offset,
            },
        );
        let link = prop_oneof![Just(1000u32), Just(100), Just(30), Just(0)];
        let step = prop_oneof![
            12 => piece,
            3 => vec(byte(), 5).prop_map(Step::Reply),
            1 => vec(byte(), 37).prop_map(Step::End),
            8 => (1..400u16, link).prop_map(|(cycles, link)| Step::Wait(cycles, link)),
            1 => (1..200u16).prop_map(Step::Pause),
        ];
        let step = prop_oneof![100 => step, 1 => Just(Step::Reset)];
        let steps = vec(step, 1..24);
        // Enough for the queue to fill while nothing is taken.
        let flood = vec(vec(byte(), 150..241), 4..6).prop_map(|pieces| {
            let piece = |bytes| Step::Piece {
                first: true,
                last: true,
                bytes,
                offset: None,
            };
            let mut steps: Vec<Step> = pieces.into_iter().map(piece).collect();
            steps.push(Step::Wait(7000, 0));
            steps
        });
        let flooded = (flood, steps.clone()).prop_map(|(flood, steps)| [flood, steps].concat());
        prop_oneof![9 => steps, 1 => flooded].boxed()
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        let mut bench = Bench::new(dut);
        bench.reset();
        for step in run {
            match step {
                Step::Piece {
                    first,
                    last,
                    bytes,
                    offset,
                } => {
                    let piece = (*first, *last, bytes.clone(), *offset);
                    bench.pieces.push_back(piece);
                }
                Step::Reply(bytes) => bench.replies.push_back(bytes.clone()),
                Step::End(bytes) => bench.ends.push_back(bytes.clone()),
                Step::Wait(cycles, link) => (0..*cycles).for_each(|_| bench.cycle(*link)),
                Step::Pause(cycles) => {
                    bench.dut.set("pause", 1);
                    bench.paused = true;
                    (0..*cycles).for_each(|_| bench.cycle(500));
                    bench.dut.set("pause", 0);
                    bench.paused = false;
                }
                Step::Reset => bench.reset(),
            }
        }
        bench.finish(out);
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

/// What stands around the framer.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    random: Random,
    pieces: VecDeque<(bool, bool, Vec<u8>, Option<u32>)>,
    replies: VecDeque<Vec<u8>>,
    ends: VecDeque<Vec<u8>>,
    paused: bool,
    seq: u16,
    /// payload under way, at which byte of it a piece begins, and bytes that were used
    payload: (Vec<u8>, usize, usize),
    /// bits that were said to be a piece's, or a message's, and which they should be
    bits: [Vec<u8>; 2],
    sent: [Vec<u8>; 2],
    /// cycles since a byte was used or the payload began
    since: u32,
    /// the message's bit that was wanted in the cycle before
    bit: u32,
    /// bytes that the UART took
    wire: Vec<u8>,
    expected: Vec<Vec<u8>>,
    faults: Records,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut) -> Self {
        Self {
            dut,
            random: Random::new(3),
            pieces: VecDeque::new(),
            replies: VecDeque::new(),
            ends: VecDeque::new(),
            paused: false,
            seq: 0,
            payload: (Vec::new(), 0, 0),
            bits: Default::default(),
            sent: Default::default(),
            since: 0,
            bit: 0,
            wire: Vec::new(),
            expected: Vec::new(),
            faults: Records::default(),
        }
    }

    /// What was not sent whole is lost, and so is what was offered.
    fn reset(&mut self) {
        self.dut.set("reset", 1);
        self.dut.set("tx_ready", 0);
        self.dut.cycle();
        self.dut.set("reset", 0);
        let whole = self.wire.iter().filter(|byte| **byte == 0).count();
        self.expected.truncate(whole);
        let end = self.wire.iter().rposition(|byte| *byte == 0);
        self.wire.truncate(end.map_or(0, |at| at + 1));
        self.pieces.clear();
        self.replies.clear();
        self.ends.clear();
        self.payload = (Vec::new(), 0, 0);
        self.bits = Default::default();
        self.sent = Default::default();
        self.seq = 0;
    }

    fn offer(&mut self) {
        self.dut
            .set("reply_ready", (!self.replies.is_empty()).into());
        self.dut.set("end_ready", (!self.ends.is_empty()).into());
        let piece = self.pieces.front();
        self.dut.set("piece_ready", piece.is_some().into());
        self.dut
            .set("piece_first", piece.is_some_and(|p| p.0).into());
        self.dut
            .set("piece_last", piece.is_some_and(|p| p.1).into());
        self.dut
            .set("placed", piece.is_some_and(|p| p.3.is_some()).into());
        let (bytes, piece_at, used) = &self.payload;
        let piece_more = *piece_at < bytes.len() && *used < bytes.len();
        let message_more = used < piece_at;
        let byte = self.byte();
        self.dut.set("piece_more", piece_more.into());
        // While the offset is sent, the piece's first byte waits.
        let waiting = bytes_at(&self.payload).filter(|_| message_more && piece_more);
        self.dut.set("piece_data", waiting.unwrap_or(byte));
        self.dut.set("message_more", message_more.into());
        self.dut.set("message_data", self.bit);
    }

    /// The next byte; in the cycle after one was used it is anything.
    fn byte(&mut self) -> u32 {
        let (bytes, _, used) = &self.payload;
        let byte = bytes.get(*used).copied();
        match byte.filter(|_| self.since > 0) {
            Some(byte) => byte.into(),
            None => self.random.word() & 0xff,
        }
    }

    fn cycle(&mut self, link: u32) {
        self.offer();
        let ready = self.random.chance(link);
        self.dut.set("tx_ready", ready.into());
        if ready && self.dut.get("tx_valid") == 1 {
            self.wire.push(self.dut.get("tx_data") as u8);
        }
        let wanted = self.dut.get("message_bit");
        self.bit = self.byte() >> wanted & 1;
        self.since += 1;
        let of_piece = usize::from(self.payload.2 >= self.payload.1);
        for (n, port) in ["message_shift", "piece_shift"].iter().enumerate() {
            if self.dut.get(port) == 1 {
                let bit = if n == 1 { self.dut.get("piece_bit") } else { 2 };
                self.bits[n].push(bit as u8);
            }
        }
        if self.dut.get(["message_take", "piece_take"][of_piece]) == 1 {
            self.payload.2 += 1;
            self.since = 0;
        }
        let (message, piece) = (self.dut.get("message_start"), self.dut.get("piece_start"));
        if message + piece > 0 {
            self.begin(message == 1, piece == 1);
        }
        self.dut.cycle();
    }

    /// A reply goes first, the end last.
    fn begin(&mut self, message: bool, piece: bool) {
        if self.paused {
            self.faults.say("begins while paused", true);
        }
        let end = self.dut.get("message_end") == 1;
        let (kind, bytes) = if message && !piece && !end && !self.replies.is_empty() {
            (kind::REPLY, self.replies.pop_front())
        } else if piece && !message && self.replies.is_empty() {
            let (first, last, bytes, offset) = self.pieces.pop_front().unwrap_or_default();
            let flags = u8::from(first) | u8::from(last) << 1;
            match offset {
                None => (kind::LOG | flags, Some(bytes)),
                Some(offset) => (
                    kind::LOG_AT | flags,
                    Some([&offset.to_le_bytes()[..], &bytes].concat()),
                ),
            }
        } else if message && end && self.replies.is_empty() && self.pieces.is_empty() {
            (kind::END, self.ends.pop_front())
        } else {
            self.faults.say("begins the wrong frame", true);
            return;
        };
        let bytes = bytes.unwrap_or_default();
        let frame = Frame {
            kind,
            hart: 0,
            seq: self.seq,
            payload: bytes.clone(),
        };
        self.seq = self.seq.wrapping_add(1);
        self.expected.push(frame.to_wire());
        let piece_at = match kind & 0xf8 {
            kind::LOG => 0,
            kind::LOG_AT => 4,
            _ => bytes.len(),
        };
        let bits = |bytes: &[u8]| -> Vec<u8> {
            let bits = bytes
                .iter()
                .flat_map(|byte| (0..8).map(move |n| byte >> n & 1));
            bits.collect()
        };
        self.sent[0].extend(vec![2; 8 * piece_at]);
        self.sent[1].extend(bits(&bytes[piece_at..]));
        self.payload = (bytes, piece_at, 0);
        self.since = 0;
    }

    /// Until everything was sent.
    fn finish(mut self, out: &mut Records) {
        let mut quiet = 0;
        for _ in 0..60_000 {
            let before = self.wire.len();
            self.cycle(1000);
            let idle = self.dut.get("idle") == 1 && self.wire.len() == before;
            quiet = if idle { quiet + 1 } else { 0 };
            let left = self.pieces.len() + self.replies.len() + self.ends.len();
            if left == 0 && quiet > 20 {
                break;
            }
        }
        out.said.append(&mut self.faults.said);
        self.wire.iter().for_each(|byte| out.say("byte", *byte));
        out.say(
            "left",
            (self.pieces.len() + self.replies.len() + self.ends.len()) as u32,
        );
        self.expected
            .concat()
            .iter()
            .for_each(|byte| out.want("byte", *byte));
        out.want("left", 0u32);
        out.say("bits as sent", self.bits == self.sent);
        out.want("bits as sent", true);
    }
}

/// The first byte of a payload's piece.
fn bytes_at((bytes, piece_at, _): &(Vec<u8>, usize, usize)) -> Option<u32> {
    bytes.get(*piece_at).map(|byte| (*byte).into())
}
