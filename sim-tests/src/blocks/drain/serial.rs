//! The UART: 8N1, a whole number of cycles a bit, bytes without a pause between them.

use crate::blocks::{seldom, Check, Inputs, Lockstep, Records};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// The bits of a byte on the line.
pub fn frame(byte: u8) -> impl Iterator<Item = bool> {
    let data = (0..8).map(move |bit| byte >> bit & 1 == 1);
    std::iter::once(false).chain(data).chain([true])
}

/// Cycles a bit.
pub fn speed() -> BoxedStrategy<u32> {
    prop_oneof![3 => Just(1u32), 2 => Just(2), 1 => Just(3), 2 => 4..20u32, 1 => Just(70)].boxed()
}

/// The sender's line as a queue of levels.
pub struct Sent {
    /// levels of the byte being sent, the current one first, and how long each is
    bits: Vec<bool>,
    /// cycles that the current bit has lasted
    lasted: u32,
    bit_clocks: u32,
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            bits: Vec::new(),
            lasted: 0,
            bit_clocks: 1,
        }
    }
}

/// A cycle of the sender.
#[derive(Clone, Debug)]
pub struct Offer {
    valid: bool,
    data: u8,
    reset: bool,
    /// the speed, from the next idle line on
    bit_clocks: u32,
}

impl Sent {
    fn ends(&self) -> bool {
        self.bits.len() <= 1 && (self.bits.is_empty() || self.lasted + 1 >= self.bit_clocks)
    }
}

impl Lockstep for Sent {
    type Step = Offer;

    fn runs() -> BoxedStrategy<Vec<Offer>> {
        speed()
            .prop_flat_map(|bit_clocks| {
                let offer =
                    (seldom(700), any::<u8>(), seldom(3)).prop_map(move |(valid, data, reset)| {
                        Offer {
                            valid,
                            data,
                            reset,
                            bit_clocks,
                        }
                    });
                vec(offer, 1..(60 + 25 * bit_clocks.min(40) as usize))
            })
            .boxed()
    }

    fn inputs(&self, step: &Offer) -> Vec<(&'static str, u32)> {
        let bit_clocks = if self.bits.is_empty() {
            step.bit_clocks
        } else {
            self.bit_clocks
        };
        vec![
            ("reset", step.reset.into()),
            ("bit_clocks", bit_clocks),
            ("valid", step.valid.into()),
            ("data", step.data.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        self.bit_clocks = inputs.get("bit_clocks");
        let ready = self.ends();
        let seen = vec![
            ("ready", ready.into()),
            ("line", self.bits.first().copied().unwrap_or(true).into()),
        ];
        self.lasted += 1;
        if ready {
            self.bits.clear();
            self.lasted = 0;
            if inputs.is("valid") {
                self.bits = frame(inputs.get("data") as u8).collect();
            }
        } else if self.lasted >= self.bit_clocks {
            self.bits.remove(0);
            self.lasted = 0;
        }
        if inputs.is("reset") {
            self.bits.clear();
            self.lasted = 0;
        }
        seen
    }
}

/// Bytes through the receiver.
pub struct Received;

/// What happens on the line.
#[derive(Clone, Debug)]
pub enum Line {
    /// The receiver's speed, and by how many thousandths the sender's bits are longer; before all
    /// else.
    Speed(u32, i32),
    /// A byte, and how long the line is idle after it, in cycles.
    Byte(u8, u16),
    /// A pulse too short for a start bit. Only where a bit is long.
    Glitch,
    /// A reset in the middle of this byte; then a long pause.
    Reset(u8),
}

impl Check for Received {
    type Step = Line;

    fn runs() -> BoxedStrategy<Vec<Line>> {
        let pause = prop_oneof![3 => Just(0u16), 1 => 0..4u16, 1 => 0..70u16];
        let line = prop_oneof![
            40 => (any::<u8>(), pause).prop_map(|(byte, pause)| Line::Byte(byte, pause)),
            2 => Just(Line::Glitch),
            1 => any::<u8>().prop_map(Line::Reset),
        ];
        let drift = prop_oneof![2 => Just(0i32), 1 => Just(-30), 1 => Just(30)];
        (speed(), drift, vec(line, 1..30))
            .prop_map(|(speed, drift, line)| {
                // A bit of few cycles cannot be longer by less than one.
                let drift = if speed < 16 { 0 } else { drift };
                [vec![Line::Speed(speed, drift)], line].concat()
            })
            .boxed()
    }

    fn drive(run: &[Line], dut: &mut dyn Dut, out: &mut Records) {
        let (mut speed, mut drift) = (1, 0);
        let mut listener = Listener {
            dut,
            bits: Vec::new(),
        };
        listener.dut.set("bit_clocks", 1);
        listener.level(true, 4, out);
        for step in run {
            match *step {
                Line::Speed(chosen, by) => {
                    (speed, drift) = (chosen, by);
                    listener.dut.set("bit_clocks", speed);
                }
                Line::Byte(byte, pause) => {
                    let mut before = 0;
                    for (bit, end) in frame(byte).zip(1..) {
                        let until = end * speed as i32 * (1000 + drift) / 1000;
                        listener.level(bit, (until - before) as u32, out);
                        before = until;
                    }
                    listener.level(true, pause.into(), out);
                }
                Line::Glitch => {
                    // The middle of the start bit is where it is looked at.
                    listener.level(true, speed + 6, out);
                    if speed >= 4 {
                        listener.level(false, speed / 2 - 1, out);
                    }
                    listener.level(true, speed + 6, out);
                }
                Line::Reset(byte) => {
                    listener.level(true, speed + 6, out);
                    let begun = frame(byte).take(5);
                    begun.for_each(|bit| listener.level(bit, speed, out));
                    listener.dut.set("reset", 1);
                    listener.level(true, 4, out);
                    listener.dut.set("reset", 0);
                    listener.level(true, 4, out);
                    listener.bits.clear();
                    out.say("reset", true);
                }
            }
        }
        listener.level(true, speed + 6, out);
    }

    fn expect(run: &[Line], out: &mut Records) {
        for step in run {
            match *step {
                Line::Byte(byte, _) => {
                    out.say("byte", byte);
                    out.say("its bits", byte);
                }
                Line::Reset(_) => out.say("reset", true),
                Line::Speed(..) | Line::Glitch => {}
            }
        }
    }
}

/// Takes down what the receiver says.
struct Listener<'a> {
    dut: &'a mut dyn Dut,
    /// bits since the last byte
    bits: Vec<bool>,
}

impl Listener<'_> {
    /// The line has a level for some cycles.
    fn level(&mut self, level: bool, cycles: u32, out: &mut Records) {
        self.dut.set("line", level.into());
        for _ in 0..cycles {
            let bit = self.dut.get("bit_valid") == 1;
            if bit {
                self.bits.push(self.dut.get("bit_data") == 1);
            }
            if self.dut.get("byte_valid") == 1 {
                if bit {
                    out.say("bit and byte at once", true);
                }
                out.say("byte", self.dut.get("byte_data"));
                let bits = self.bits.drain(..).rev();
                out.say(
                    "its bits",
                    bits.fold(0u32, |byte, bit| byte << 1 | u32::from(bit)),
                );
            }
            self.dut.cycle();
        }
    }
}
