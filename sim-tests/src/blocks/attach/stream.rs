//! Bytes in AXI-Streams: taken apart into bits, and over the pins of a UART.

use crate::blocks::drain::{frame_bits, speed, Sent};
use crate::blocks::{seldom, Check, Inputs, Lockstep, Records};
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// A byte's bits, then the byte.
#[derive(Default)]
pub struct Taken {
    /// what is still shown of the byte that was taken
    left: VecDeque<Show>,
}

#[derive(Clone, Copy)]
enum Show {
    Bit(bool),
    Byte(u8),
}

/// An offered byte, or none.
#[derive(Clone, Debug)]
pub struct Offer {
    byte: u8,
    valid: bool,
    reset: bool,
}

impl Lockstep for Taken {
    type Step = Offer;

    fn runs() -> BoxedStrategy<Vec<Offer>> {
        let offer = (any::<u8>(), seldom(600), seldom(10));
        let offer = offer.prop_map(|(byte, valid, reset)| Offer { byte, valid, reset });
        vec(offer, 1..200).boxed()
    }

    fn inputs(&self, step: &Offer) -> Vec<(&'static str, u32)> {
        vec![
            ("reset", step.reset.into()),
            ("s_axis_tvalid", step.valid.into()),
            ("s_axis_tdata", step.byte.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let shown = self.left.pop_front();
        let (is_bit, is_byte) = match shown {
            Some(Show::Bit(_)) => (true, false),
            Some(Show::Byte(_)) => (false, true),
            None => (false, false),
        };
        let mut seen = vec![
            ("s_axis_tready", shown.is_none().into()),
            ("bit_valid", is_bit.into()),
            ("byte_valid", is_byte.into()),
        ];
        match shown {
            Some(Show::Bit(bit)) => seen.push(("bit_data", bit.into())),
            Some(Show::Byte(byte)) => seen.push(("byte_data", byte.into())),
            None if inputs.is("s_axis_tvalid") => {
                let byte = inputs.get("s_axis_tdata") as u8;
                let bits = (0..8).map(|bit| Show::Bit(byte >> bit & 1 == 1));
                self.left.extend(bits);
                self.left.push_back(Show::Byte(byte));
            }
            None => {}
        }
        if inputs.is("reset") {
            self.left.clear();
        }
        seen
    }
}

/// A UART between two streams and two pins: both directions at once.
pub struct Bridge;

/// What happens at the bridge.
#[derive(Clone, Debug)]
pub enum Step {
    /// The speed; before all else.
    Speed(u32),
    /// The host sends a byte and the line is idle for some cycles after it. The stream takes it in
    /// time.
    Byte(u8, u16),
    /// The host sends bytes and the stream takes none before the last was sent: only that is left.
    Late(Vec<u8>),
    /// A reset while a byte is on each line, then a pause.
    Reset(u8),
}

impl Check for Bridge {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let pause = prop_oneof![3 => Just(0u16), 1 => 0..4u16, 1 => 0..70u16];
        let step = prop_oneof![
            30 => (any::<u8>(), pause).prop_map(|(byte, pause)| Step::Byte(byte, pause)),
            3 => vec(any::<u8>(), 1..4).prop_map(Step::Late),
            1 => any::<u8>().prop_map(Step::Reset),
        ];
        (speed(), vec(step, 1..25))
            .prop_map(|(speed, steps)| [vec![Step::Speed(speed)], steps].concat())
            .boxed()
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        let speed = match run.first() {
            Some(Step::Speed(speed)) => *speed,
            _ => 1,
        };
        let mut bench = Bench {
            dut,
            out,
            sent: Sent::default(),
            random: Random::new(run.len() as u64),
            speed,
            unready: 0,
            offered: None,
            received: Vec::new(),
        };
        let mut expected = Vec::new();
        bench.idle(4);
        for step in run {
            match step {
                Step::Speed(_) => {}
                Step::Byte(byte, pause) => {
                    bench.send(*byte, true);
                    expected.push(*byte);
                    bench.idle(u32::from(*pause));
                }
                Step::Late(bytes) => {
                    // What came before is taken first.
                    bench.idle(speed + 10);
                    bytes.iter().for_each(|byte| bench.send(*byte, false));
                    (0..speed + 6).for_each(|_| bench.cycle(true, false, false));
                    expected.extend(bytes.last());
                    bench.idle(4);
                }
                Step::Reset(byte) => {
                    bench.idle(speed + 10);
                    for bit in frame_bits(*byte).take(5) {
                        (0..speed).for_each(|_| bench.cycle(bit, true, false));
                    }
                    (0..4).for_each(|_| bench.cycle(true, true, true));
                    bench.idle(4);
                }
            }
        }
        bench.idle(speed + 10);
        let received = std::mem::take(&mut bench.received);
        received.iter().for_each(|byte| out.say("received", *byte));
        expected.iter().for_each(|byte| out.want("received", *byte));
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

/// Both lines, cycle by cycle.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    out: &'a mut Records,
    /// the line to the host and the stream that feeds it
    sent: Sent,
    random: Random,
    speed: u32,
    /// cycles for which the stream from the host takes nothing
    unready: u32,
    /// the byte that is offered until it is taken
    offered: Option<u8>,
    received: Vec<u8>,
}

impl Bench<'_> {
    fn idle(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.cycle(true, true, false));
    }

    /// A byte from the host.
    fn send(&mut self, byte: u8, taking: bool) {
        for bit in frame_bits(byte) {
            (0..self.speed).for_each(|_| self.cycle(bit, taking, false));
        }
    }

    /// One cycle with a level on the line; `taking` is in time for every byte, though not at once.
    fn cycle(&mut self, level: bool, taking: bool, reset: bool) {
        if self.unready > 0 {
            self.unready -= 1;
        } else if self.random.chance(300) {
            self.unready = self.random.below(6);
        }
        let ready = taking && self.unready == 0;
        let random = &mut self.random;
        if self.offered.is_none() && random.chance(400) {
            self.offered = Some(random.word() as u8);
        }
        let offered = self.offered;
        let inputs = Inputs(vec![
            ("reset", reset.into()),
            ("bit_clocks", self.speed),
            ("valid", offered.is_some().into()),
            ("data", offered.unwrap_or(0x3c).into()),
        ]);
        for (port, value) in [
            ("reset", reset.into()),
            ("bit_clocks", self.speed),
            ("rx", level.into()),
            ("m_axis_tready", ready.into()),
            ("s_axis_tvalid", offered.is_some().into()),
            ("s_axis_tdata", offered.unwrap_or(0x3c).into()),
        ] {
            self.dut.set(port, value);
        }
        let seen = self.sent.cycle(&inputs);
        for (port, value) in seen {
            let own = match port {
                "ready" => "s_axis_tready",
                _ => "tx",
            };
            self.out.say(own, self.dut.get(own));
            self.out.want(own, value);
            if port == "ready" && value == 1 {
                self.offered = None;
            }
        }
        if ready && self.dut.get("m_axis_tvalid") == 1 {
            let byte = self.dut.get("m_axis_tdata");
            self.received.push(byte as u8);
        }
        self.dut.cycle();
    }
}
