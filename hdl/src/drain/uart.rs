//! UART 8N1 in both directions, any whole number of clock cycles a bit, from 1 on.
//!
//! ```text
//!  valid data ready ─► UartTx ─► line        line ─► UartRx ─► bit_valid bit_data
//!                        ▲                            ▲    └─► byte_valid byte_data
//!                    bit_clocks                   bit_clocks
//! ```
//! `UartTx` takes the next byte in the last cycle of the stop bit: bytes follow each other without
//! a pause. `UartRx` samples in the middle of a bit, and also gives single bits, so that a CRC may
//! follow them: at one cycle a bit there is no time for it afterwards. A stop bit that is low is
//! not reported: the frame's CRC finds it.

use rust_hdl::prelude::*;

use super::Preset;

/// A timer in the first cycle of a bit.
const FIRST_CYCLE: u64 = 0xfffe;

/// Sends bytes.
#[derive(LogicBlock)]
pub struct UartTx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: the line goes idle.
    pub reset: Signal<In, Bit>,
    /// Clock cycles a bit.
    pub bit_clocks: Signal<In, Bits<16>>,
    /// A byte is offered.
    pub valid: Signal<In, Bit>,
    /// The byte; taken in a cycle with `valid` and `ready`.
    pub data: Signal<In, Bits<8>>,
    /// A byte would be taken now.
    pub ready: Signal<Out, Bit>,
    /// The serial line, idle high.
    pub line: Signal<Out, Bit>,
    /// What is still to be sent, inverted, so that zero (also at power-up) is an idle line.
    shift_ff: DFF<Bits<9>>,
    /// Bits still to be sent, the current one included.
    left_ff: DFF<Bits<4>>,
    /// Cycles of the current bit, from 1, all bits inverted.
    timer_ff: Preset<16>,
    sum: Signal<Local, Bits<17>>,
    inverted: Signal<Local, Bits<8>>,
    tick: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    start_bit: Constant<Bits<9>>,
    frame_bits: Constant<Bits<4>>,
    one_bit: Constant<Bits<4>>,
    one_cycle: Constant<Bits<16>>,
    first_cycle: Constant<Bits<16>>,
}

impl Default for UartTx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            bit_clocks: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            ready: Default::default(),
            line: Default::default(),
            shift_ff: Default::default(),
            left_ff: Default::default(),
            timer_ff: Preset::new(FIRST_CYCLE),
            sum: Default::default(),
            inverted: Default::default(),
            tick: Default::default(),
            free: Default::default(),
            start_bit: Constant::new(1.into()),
            frame_bits: Constant::new(10.into()),
            one_bit: Constant::new(1.into()),
            one_cycle: Constant::new(1.into()),
            first_cycle: Constant::new(FIRST_CYCLE.into()),
        }
    }
}

impl Logic for UartTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shift_ff, left_ff);
        self.timer_ff.clock.next = self.clock.val();
        self.inverted.next = !self.data.val();
        // At least so many cycles, not exactly: a change of speed cannot be missed. The sum of an
        // inverted number and another overflows if the other is greater.
        self.sum.next =
            bit_cast::<17, 16>(self.timer_ff.q.val()) + bit_cast::<17, 16>(self.bit_clocks.val());
        self.tick.next = !self.sum.val().get_bit(16);
        self.free.next = !self.left_ff.q.val().any()
            | (self.tick.val() & (self.left_ff.q.val() == self.one_bit.val()));
        self.line.next = !self.shift_ff.q.val().get_bit(0);
        self.ready.next = self.free.val();
        self.timer_ff.d.next = self.timer_ff.q.val() - self.one_cycle.val();
        if self.free.val() | self.tick.val() {
            self.timer_ff.d.next = self.first_cycle.val();
        }
        if self.free.val() {
            self.shift_ff.d.next = 0.into();
            self.left_ff.d.next = 0.into();
            if self.valid.val() {
                self.shift_ff.d.next =
                    (bit_cast::<9, 8>(self.inverted.val()) << 1) | self.start_bit.val();
                self.left_ff.d.next = self.frame_bits.val();
            }
        } else if self.tick.val() {
            self.shift_ff.d.next = self.shift_ff.q.val() >> 1;
            self.left_ff.d.next = self.left_ff.q.val() - self.one_bit.val();
        }
        if self.reset.val() {
            self.shift_ff.d.next = 0.into();
            self.left_ff.d.next = 0.into();
        }
    }
}

/// Receives bytes.
#[derive(LogicBlock)]
pub struct UartRx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Clock cycles a bit.
    pub bit_clocks: Signal<In, Bits<16>>,
    /// The serial line, asynchronous, idle high.
    pub line: Signal<In, Bit>,
    /// A data bit was sampled.
    pub bit_valid: Signal<Out, Bit>,
    /// The data bit, least significant first.
    pub bit_data: Signal<Out, Bit>,
    /// A byte is complete; never in a cycle with `bit_valid`.
    pub byte_valid: Signal<Out, Bit>,
    /// The byte.
    pub byte_data: Signal<Out, Bits<8>>,
    /// Synchroniser, inverted: power-up is an idle line.
    first_ff: DFF<Bit>,
    low_ff: DFF<Bit>,
    /// Bits are sampled one cycle after the edge detector sees them: at one cycle a bit the start
    /// bit itself is then still there to be checked.
    late_ff: DFF<Bit>,
    /// 0 idle, 10 start bit, 9 to 2 data bits, 1 stop bit.
    left_ff: DFF<Bits<4>>,
    /// Cycles of the current bit, from 1, all bits inverted.
    timer_ff: Preset<16>,
    shift_ff: DFF<Bits<8>>,
    sum: Signal<Local, Bits<17>>,
    starting: Signal<Local, Bit>,
    pace: Signal<Local, Bits<16>>,
    tick: Signal<Local, Bit>,
    stopping: Signal<Local, Bit>,
    sampled: Signal<Local, Bit>,
    waiting: Signal<Local, Bit>,
    frame_bits: Constant<Bits<4>>,
    one_bit: Constant<Bits<4>>,
    first_cycle: Constant<Bits<16>>,
    one_cycle_less: Constant<Bits<16>>,
    two_cycles_less: Constant<Bits<16>>,
    top_bit: Constant<Bits<8>>,
}

impl Default for UartRx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            bit_clocks: Default::default(),
            line: Default::default(),
            bit_valid: Default::default(),
            bit_data: Default::default(),
            byte_valid: Default::default(),
            byte_data: Default::default(),
            first_ff: Default::default(),
            low_ff: Default::default(),
            late_ff: Default::default(),
            left_ff: Default::default(),
            timer_ff: Preset::new(FIRST_CYCLE),
            shift_ff: Default::default(),
            sum: Default::default(),
            starting: Default::default(),
            pace: Default::default(),
            tick: Default::default(),
            stopping: Default::default(),
            sampled: Default::default(),
            waiting: Default::default(),
            frame_bits: Constant::new(10.into()),
            one_bit: Constant::new(1.into()),
            first_cycle: Constant::new(FIRST_CYCLE.into()),
            one_cycle_less: Constant::new(0xffff.into()),
            two_cycles_less: Constant::new(0xfffe.into()),
            top_bit: Constant::new(0x80.into()),
        }
    }
}

impl Logic for UartRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first_ff, low_ff, late_ff, left_ff, shift_ff);
        self.timer_ff.clock.next = self.clock.val();
        self.first_ff.d.next = !self.line.val();
        self.low_ff.d.next = self.first_ff.q.val();
        self.late_ff.d.next = self.low_ff.q.val();
        // The start bit is timed twice as fast as the others: that ends in its middle.
        self.starting.next = self.left_ff.q.val() == self.frame_bits.val();
        self.pace.next = self.one_cycle_less.val();
        if self.starting.val() {
            self.pace.next = self.two_cycles_less.val();
        }
        self.sum.next =
            bit_cast::<17, 16>(self.timer_ff.q.val()) + bit_cast::<17, 16>(self.bit_clocks.val());
        self.tick.next = !self.sum.val().get_bit(16);
        self.stopping.next = self.tick.val() & (self.left_ff.q.val() == self.one_bit.val());
        self.sampled.next =
            self.tick.val() & self.left_ff.q.val().get_bits::<3>(1).any() & !self.starting.val();
        self.bit_valid.next = self.sampled.val();
        self.bit_data.next = !self.late_ff.q.val();
        self.byte_valid.next = self.stopping.val();
        self.byte_data.next = self.shift_ff.q.val();
        if self.sampled.val() {
            self.shift_ff.d.next = self.shift_ff.q.val() >> 1;
            if !self.late_ff.q.val() {
                self.shift_ff.d.next = (self.shift_ff.q.val() >> 1) | self.top_bit.val();
            }
        }
        self.timer_ff.d.next = self.timer_ff.q.val() + self.pace.val();
        self.waiting.next = !self.left_ff.q.val().any() | self.stopping.val();
        if self.waiting.val() | self.tick.val() {
            self.timer_ff.d.next = self.first_cycle.val();
        }
        if self.waiting.val() {
            self.left_ff.d.next = 0.into();
            if self.low_ff.q.val() {
                self.left_ff.d.next = self.frame_bits.val();
            }
        } else if self.tick.val() {
            self.left_ff.d.next = self.left_ff.q.val() - self.one_bit.val();
            if self.starting.val() & !self.late_ff.q.val() {
                self.left_ff.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.left_ff.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{synthesises, LineReader, LineWriter, Random};
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_both() {
        synthesises("drain_uart_tx", UartTx::default());
        synthesises("drain_uart_rx", UartRx::default());
    }

    #[test]
    fn sends_without_pauses() {
        for bit_clocks in [1, 2, 3, 7] {
            let mut tx = UartTx::default();
            tx.connect_all();
            tx.bit_clocks.next = (bit_clocks as u64).into();
            tick!(tx);
            let bytes = Random(bit_clocks as u64).bytes(20);
            let mut line = LineReader::new(bit_clocks);
            let mut next = 0;
            while line.bytes.len() < bytes.len() {
                tx.valid.next = next < bytes.len();
                tx.data.next = u64::from(*bytes.get(next).unwrap_or(&0xff)).into();
                next += usize::from(next < bytes.len() && tx.ready.val());
                tick!(tx);
                line.sample(tx.line.val());
            }
            assert_eq!(line.bytes, bytes);
            assert_eq!(line.idle, 0);
        }
    }

    /// What `UartRx` makes of samples, from its bytes and from its bits.
    fn receive(bit_clocks: usize, samples: impl Iterator<Item = bool>) -> Vec<u8> {
        let mut rx = UartRx::default();
        rx.connect_all();
        rx.bit_clocks.next = (bit_clocks as u64).into();
        let (mut bytes, mut bits) = (Vec::new(), Vec::new());
        for sample in samples.chain(std::iter::repeat_n(true, 4 + bit_clocks)) {
            rx.line.next = sample;
            tick!(rx);
            if rx.bit_valid.val() {
                assert!(!rx.byte_valid.val());
                bits.push(rx.bit_data.val());
            }
            if rx.byte_valid.val() {
                bytes.push(rx.byte_data.val().to_u64() as u8);
            }
        }
        let of_bits: Vec<u8> = bits
            .chunks(8)
            .map(|bits| (0..8).fold(0, |byte, i| byte | u8::from(bits[i]) << i))
            .collect();
        assert_eq!(of_bits, bytes);
        bytes
    }

    #[test]
    fn receives_at_any_speed() {
        for bit_clocks in [1, 2, 3, 4, 5, 16, 217] {
            let bytes = Random(bit_clocks as u64).bytes(12);
            let mut line = LineWriter::new(bit_clocks);
            line.send(&bytes[..6]);
            line.pause(bit_clocks / 2 + 3);
            line.send(&bytes[6..]);
            let mut samples = Vec::new();
            while !line.idle() {
                samples.push(line.sample());
            }
            assert_eq!(receive(bit_clocks, samples.into_iter()), bytes);
        }
    }

    #[test]
    fn receives_from_an_inexact_clock() {
        // A sender that is 3 % off, from any phase.
        for bit_time in [15.5, 16.5] {
            let bytes = Random(5).bytes(40);
            let mut line = LineWriter::new(1);
            line.send(&bytes);
            let mut bits = Vec::new();
            while !line.idle() {
                bits.push(line.sample());
            }
            let length = (bits.len() as f64 * bit_time) as usize;
            let samples = (0..length).map(|t| bits[(t as f64 / bit_time) as usize]);
            assert_eq!(receive(16, samples), bytes);
        }
    }

    #[test]
    fn a_glitch_is_no_start_bit() {
        let glitch = [true, true, false, false, false, true, true, true, true];
        let mut line = LineWriter::new(8);
        line.send(&[0x42]);
        let samples = glitch.into_iter().chain((0..80).map(|_| line.sample()));
        assert_eq!(receive(8, samples), [0x42]);
    }
}
