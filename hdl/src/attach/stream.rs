//! The byte stream between recorder and link: AXI-Stream with bytes, in both directions.
//!
//! ```text
//!  s_axis_* ─► StreamRx ─► bits and bytes for the command decoder
//!  lookback_uart:  rx ─► UartRx ─► m_axis_*      s_axis_* ─► UartTx ─► tx
//! ```

use crate::drain::{UartRx, UartTx};
use crate::recorder::circuit::{circuit, Pending};
use rust_hdl::prelude::*;

circuit! {
    /// Takes a byte and gives its bits, one a cycle, then the byte: as a UART receiver does, only
    /// that it can wait.
    pub struct StreamRx [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// a byte is offered
        pub s_axis_tvalid: Signal<In, Bit>,
        /// the byte
        pub s_axis_tdata: Signal<In, Bits<8>>,
        /// it is taken
        pub s_axis_tready: Signal<Out, Bit>,
        /// a bit, least significant first
        pub bit_valid: Signal<Out, Bit>,
        /// the bit
        pub bit_data: Signal<Out, Bit>,
        /// the byte is complete; never in a cycle with `bit_valid`
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// rotated while its bits are given, so that it is whole again at the end
        byte_ff: DFF<Bits<8>>,
        busy_ff: DFF<Bit>,
        place_ff: DFF<Bits<3>>,
        end_ff: DFF<Bit>,
        low_bit: Signal<Local, Bit>,
    }
    constants {
        one: 3 = 1,
        none: 3 = 0,
        top: 8 = 0x80,
    }
}

impl Logic for StreamRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, byte_ff, busy_ff, place_ff, end_ff);
        self.low_bit.next = self.byte_ff.q.val().get_bit(0);
        self.s_axis_tready.next = !self.busy_ff.q.val() & !self.end_ff.q.val();
        self.bit_valid.next = self.busy_ff.q.val();
        self.bit_data.next = self.low_bit.val();
        self.byte_valid.next = self.end_ff.q.val();
        self.byte_data.next = self.byte_ff.q.val();
        self.end_ff.d.next = self.busy_ff.q.val() & self.place_ff.q.val().all();
        if self.busy_ff.q.val() {
            self.place_ff.d.next = self.place_ff.q.val() + self.one.val();
            self.byte_ff.d.next = self.byte_ff.q.val() >> 1;
            if self.low_bit.val() {
                self.byte_ff.d.next = (self.byte_ff.q.val() >> 1) | self.top.val();
            }
            if self.place_ff.q.val().all() {
                self.busy_ff.d.next = false;
            }
        } else if self.s_axis_tvalid.val() & !self.end_ff.q.val() {
            self.busy_ff.d.next = true;
            self.byte_ff.d.next = self.s_axis_tdata.val();
        }
        if self.reset.val() {
            self.busy_ff.d.next = false;
            self.end_ff.d.next = false;
            self.place_ff.d.next = self.none.val();
        }
    }
}

impl Pending for UartTx {}
impl Pending for UartRx {}

circuit! {
    /// A UART between the recorder's streams and two pins. A received byte that is not taken before
    /// the next one comes is lost, and the frame's CRC finds it; the recorder is always faster.
    pub struct UartBridge [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// clock cycles of a bit, at least 1
        pub bit_clocks: Signal<In, Bits<16>>,
        /// from the host, asynchronous
        pub rx: Signal<In, Bit>,
        /// to the host
        pub tx: Signal<Out, Bit>,
        /// a byte for the host is offered
        pub s_axis_tvalid: Signal<In, Bit>,
        /// the byte
        pub s_axis_tdata: Signal<In, Bits<8>>,
        /// it is taken
        pub s_axis_tready: Signal<Out, Bit>,
        /// a byte came from the host
        pub m_axis_tvalid: Signal<Out, Bit>,
        /// the byte
        pub m_axis_tdata: Signal<Out, Bits<8>>,
        /// it is taken
        pub m_axis_tready: Signal<In, Bit>,
        byte_ff: DFF<Bits<8>>,
        valid_ff: DFF<Bit>,
    }
    built {
        sender: UartTx = UartTx::default(),
        receiver: UartRx = UartRx::default(),
    }
    constants {}
}

impl Logic for UartBridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, byte_ff, valid_ff);
        self.sender.clock.next = self.clock.val();
        self.sender.reset.next = self.reset.val();
        self.sender.bit_clocks.next = self.bit_clocks.val();
        self.sender.valid.next = self.s_axis_tvalid.val();
        self.sender.data.next = self.s_axis_tdata.val();
        self.s_axis_tready.next = self.sender.ready.val();
        self.tx.next = self.sender.line.val();

        self.receiver.clock.next = self.clock.val();
        self.receiver.reset.next = self.reset.val();
        self.receiver.bit_clocks.next = self.bit_clocks.val();
        self.receiver.line.next = self.rx.val();
        self.m_axis_tvalid.next = self.valid_ff.q.val();
        self.m_axis_tdata.next = self.byte_ff.q.val();
        if self.m_axis_tready.val() {
            self.valid_ff.d.next = false;
        }
        if self.receiver.byte_valid.val() {
            self.valid_ff.d.next = true;
            self.byte_ff.d.next = self.receiver.byte_data.val();
        }
        if self.reset.val() {
            self.valid_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;
    use crate::tick;

    #[test]
    fn synthesizes() {
        check_block(StreamRx::default(), "lookback_stream_rx");
        check_block(UartBridge::default(), "lookback_uart_bridge");
    }

    #[test]
    fn gives_every_byte_as_bits_and_whole() {
        let mut stream = StreamRx::default();
        stream.connect_all();
        let bytes: Vec<u8> = (0..=255).collect();
        let mut offered = bytes.iter().copied().peekable();
        let (mut taken, mut bits, mut seen) = (0, Vec::new(), Vec::new());
        for cycle in 0..4000 {
            let next = offered.peek().copied().filter(|_| cycle % 3 != 0);
            stream.s_axis_tvalid.next = next.is_some();
            stream.s_axis_tdata.next = u64::from(next.unwrap_or(0)).into();
            crate::harness::settle(&mut stream);
            if next.is_some() && stream.s_axis_tready.val() {
                offered.next();
                taken += 1;
            }
            assert!(!(stream.bit_valid.val() && stream.byte_valid.val()));
            if stream.bit_valid.val() {
                bits.push(stream.bit_data.val());
            }
            if stream.byte_valid.val() {
                let whole = bits
                    .drain(..)
                    .rev()
                    .fold(0, |sum, bit| sum << 1 | u8::from(bit));
                assert_eq!(whole, stream.byte_data.val().to_u8());
                seen.push(whole);
            }
            tick!(stream);
        }
        assert_eq!((taken, seen), (256, bytes));
    }

    #[test]
    fn what_is_sent_over_the_pins_arrives() {
        let mut uart = UartBridge::default();
        uart.connect_all();
        uart.bit_clocks.next = 3u64.into();
        uart.rx.next = true;
        uart.m_axis_tready.next = true;
        let bytes: Vec<u8> = (0..64).map(|i: u8| i.wrapping_mul(37)).collect();
        let mut offered = bytes.iter().copied().peekable();
        let mut seen = Vec::new();
        for _ in 0..64 * 31 + 60 {
            let next = offered.peek().copied();
            uart.s_axis_tvalid.next = next.is_some();
            uart.s_axis_tdata.next = u64::from(next.unwrap_or(0)).into();
            crate::harness::settle(&mut uart);
            // The line is looped back.
            uart.rx.next = uart.tx.val();
            if next.is_some() && uart.s_axis_tready.val() {
                offered.next();
            }
            if uart.m_axis_tvalid.val() {
                seen.push(uart.m_axis_tdata.val().to_u8());
            }
            tick!(uart);
        }
        assert_eq!(seen, bytes);
    }
}
