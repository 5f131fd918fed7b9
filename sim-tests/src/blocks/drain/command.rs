//! The command decoder: whatever the host sends, commands come out of whole frames only.

use crate::blocks::{seldom, Check, Records};
use lookback_log_format::frame::{kind, Frame, FrameDecoder};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes of the host through the decoder.
pub struct Commands;

/// What the host sends.
#[derive(Clone, Debug)]
pub enum Sent {
    /// A frame.
    Frame {
        /// what the frame is for
        kind: u8,
        /// its number
        seq: u16,
        /// its payload
        payload: Vec<u8>,
        /// a bit of the wire that is wrong, if it is
        wrong: Option<u16>,
        /// cycles between bytes
        pause: u8,
        /// the bytes that come while the last command is held
        held: Option<(u8, u8)>,
    },
    /// Anything.
    Noise(Vec<u8>),
    /// Zeros between frames.
    Zeros(u8),
    /// A reset.
    Reset,
}

impl Sent {
    /// Whether this byte comes while the last command is held.
    fn is_held(&self, at: usize) -> bool {
        match self {
            Sent::Frame {
                held: Some((from, to)),
                ..
            } => (usize::from(*from)..usize::from(*to)).contains(&at),
            _ => false,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Sent::Frame {
                kind,
                seq,
                payload,
                wrong,
                ..
            } => {
                let frame = Frame {
                    kind: *kind,
                    hart: 0,
                    seq: *seq,
                    payload: payload.clone(),
                };
                let mut wire = frame.to_wire();
                if let Some(bit) = wrong {
                    let bit = usize::from(*bit) % (8 * wire.len());
                    wire[bit / 8] ^= 1 << (bit % 8);
                }
                wire
            }
            Sent::Noise(bytes) => bytes.clone(),
            Sent::Zeros(count) => vec![0; usize::from(*count)],
            Sent::Reset => Vec::new(),
        }
    }
}

/// Register and value of a frame that is a command.
fn command(frame: &Frame) -> Option<(bool, u8, u32)> {
    match (frame.kind, frame.payload.as_slice()) {
        (kind::READ, [register]) => Some((false, *register, 0)),
        (kind::WRITE, [register, a, b, c, d]) => {
            Some((true, *register, u32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => None,
    }
}

impl Check for Commands {
    type Step = Sent;

    fn runs() -> BoxedStrategy<Vec<Sent>> {
        let byte = || prop_oneof![Just(0u8), any::<u8>(), Just(0xff)];
        let payload = prop_oneof![
            8 => vec(byte(), 1),
            10 => vec(byte(), 5),
            1 => vec(byte(), 0..9),
            1 => vec(byte(), 0..60),
        ];
        let kinds = prop_oneof![8 => Just(kind::READ), 10 => Just(kind::WRITE), 1 => 0..8u8];
        let wrong = (seldom(250), any::<u16>()).prop_map(|(is, bit)| is.then_some(bit));
        let pause = prop_oneof![2 => Just(0u8), 1 => 0..4u8];
        let held = (seldom(150), 0..12u8, 1..12u8)
            .prop_map(|(is, from, count)| is.then_some((from, from + count)));
        let frame = (kinds, any::<u16>(), payload, wrong, pause, held).prop_map(
            |(kind, seq, payload, wrong, pause, held)| Sent::Frame {
                kind,
                seq,
                payload,
                wrong,
                pause,
                held,
            },
        );
        let noise = prop_oneof![vec(byte(), 0..40), vec(1..20u8, 0..20)];
        let sent = prop_oneof![
            24 => frame,
            2 => noise.prop_map(Sent::Noise),
            1 => (0..4u8).prop_map(Sent::Zeros),
            1 => Just(Sent::Reset),
        ];
        vec(sent, 1..14).boxed()
    }

    fn drive(run: &[Sent], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        for sent in run {
            let pause = match sent {
                Sent::Frame { pause, .. } => *pause,
                Sent::Reset => {
                    dut.set("reset", 1);
                    dut.cycle();
                    dut.set("reset", 0);
                    0
                }
                Sent::Noise(_) | Sent::Zeros(_) => 0,
            };
            for (at, byte) in sent.bytes().into_iter().enumerate() {
                let before = (dut.get("register"), dut.get("value"));
                let held = sent.is_held(at) && byte != 0;
                dut.set("hold", held.into());
                receive(dut, byte, out);
                (0..=pause).for_each(|_| dut.cycle());
                if held {
                    let after = (dut.get("register"), dut.get("value"));
                    out.say("stands still", before == after);
                }
                dut.set("hold", 0);
            }
        }
    }

    fn expect(run: &[Sent], out: &mut Records) {
        let mut decoder = FrameDecoder::new();
        let mut held = false;
        for sent in run {
            if matches!(sent, Sent::Reset) {
                decoder = FrameDecoder::new();
                held = false;
            }
            for (at, byte) in sent.bytes().into_iter().enumerate() {
                // In no command: as if it were one byte too many that fits nowhere.
                let holds = sent.is_held(at) && byte != 0;
                held |= holds;
                let came = decoder.push(byte);
                let ignored = byte == 0 && std::mem::take(&mut held);
                let frame = came.and_then(Result::ok).filter(|_| !ignored);
                let fired = frame.as_ref().and_then(command);
                if let Some((write, register, value)) = fired {
                    out.say("write", write);
                    out.say("register", register);
                    if write {
                        out.say("value", value);
                        out.say("bit by bit", value);
                    }
                }
                if holds {
                    out.say("stands still", true);
                }
            }
        }
    }
}

/// A byte comes as the UART gives it: its bits, then itself.
fn receive(dut: &mut dyn Dut, byte: u8, out: &mut Records) {
    dut.set("bit_valid", 1);
    for bit in 0..8 {
        dut.set("bit_data", u32::from(byte) >> bit & 1);
        if dut.get("fire") == 1 {
            out.say("fires within a byte", true);
        }
        dut.cycle();
    }
    dut.set("bit_valid", 0);
    dut.set("byte_valid", 1);
    dut.set("byte_data", byte.into());
    let fires = dut.get("fire") == 1;
    let write = dut.get("write") == 1;
    if fires {
        out.say("write", write);
        out.say("register", dut.get("register"));
        if write {
            out.say("value", dut.get("value"));
        }
    }
    dut.cycle();
    dut.set("byte_valid", 0);
    dut.set("byte_data", 0x55);
    if fires && write {
        out.say("bit by bit", bits(dut));
    }
}

/// The value as it is copied, a bit at a time.
fn bits(dut: &mut dyn Dut) -> u32 {
    dut.set("next_bit", 1);
    let mut word = 0;
    for bit in 0..32 {
        word |= (dut.get("value") & 1) << bit;
        dut.cycle();
    }
    dut.set("next_bit", 0);
    word
}
