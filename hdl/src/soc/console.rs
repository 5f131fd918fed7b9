//! A 16550-style UART as programs see it, with bytes instead of a serial line behind it.
//!
//! All eight byte registers of a 16550 are there, with the divisor latches behind DLAB. Transmission
//! takes no time: THRE and TEMT are always set. Reception has a FIFO of 16 bytes; a byte that is
//! offered on `rx_valid` and `rx_data` is taken when `rx_ready` is high, which is one cycle after it
//! was stored, so hold the byte until then. Modem lines read as connected, as in QEMU.

use rust_hdl::prelude::*;

circuit! {
    /// Console UART.
    pub struct Console {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// accessed in this cycle
        pub selected: Signal<In, Bit>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// address bit 2: registers 4 to 7
        pub second: Signal<In, Bit>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// bytes accessed
        pub lanes: Signal<In, Bits<4>>,
        /// data read, zero unless selected
        pub rdata: Signal<Out, Bits<32>>,
        /// a byte was written
        pub tx_valid: Signal<Out, Bit>,
        /// that byte
        pub tx_data: Signal<Out, Bits<8>>,
        /// a byte is offered
        pub rx_valid: Signal<In, Bit>,
        /// that byte
        pub rx_data: Signal<In, Bits<8>>,
        /// it was taken
        pub rx_ready: Signal<Out, Bit>,
        /// the UART's interrupt line
        pub interrupt: Signal<Out, Bit>,
        fifo: RAM<Bits<8>, 4>,
        head_ff: DFF<Bits<4>>,
        tail_ff: DFF<Bits<4>>,
        count_ff: DFF<Bits<5>>,
        taken_ff: DFF<Bit>,
        /// the FIFO's output is valid
        available_ff: DFF<Bit>,
        /// IER in byte 1, LCR in byte 3
        first_ff: DFF<Bits<32>>,
        /// MCR in byte 0, SCR in byte 3
        second_ff: DFF<Bits<32>>,
        /// DLL in byte 0, DLM in byte 1
        divisor_ff: DFF<Bits<32>>,
        fifo_enabled_ff: DFF<Bit>,
        /// the transmitter became empty and nobody looked yet
        empty_ff: DFF<Bit>,
        latch: Signal<Local, Bit>,
        push: Signal<Local, Bit>,
        pop: Signal<Local, Bit>,
        rx_interrupt: Signal<Local, Bit>,
        tx_interrupt: Signal<Local, Bit>,
        cause: Signal<Local, Bits<32>>,
        accessed: Signal<Local, Bits<32>>,
        writable: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        no_entry: 4 = 0,
        next_entry: 4 = 1,
        none: 5 = 0,
        one: 5 = 1,
        full: 5 = 16,
        lane_0: 32 = 0x0000_00ff,
        lane_1: 32 = 0x0000_ff00,
        lane_3: 32 = 0xff00_0000,
        first_bits: 32 = 0xff00_0f00,
        latched_bits: 32 = 0xff00_0000,
        second_bits: 32 = 0xff00_001f,
        divisor_bits: 32 = 0x0000_ffff,
        fifo_on: 32 = 0x00c0_0000,
        cause_none: 32 = 0x0001_0000,
        cause_tx: 32 = 0x0002_0000,
        cause_rx: 32 = 0x0004_0000,
        lines: 32 = 0x00b0_6000,
        data_ready: 32 = 0x0000_0100,
    }
}

impl Logic for Console {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            head_ff,
            tail_ff,
            count_ff,
            taken_ff,
            available_ff,
            first_ff,
            second_ff,
            divisor_ff,
            fifo_enabled_ff,
            empty_ff
        );
        self.fifo.read_clock.next = self.clock.val();
        self.fifo.write_clock.next = self.clock.val();
        self.latch.next = self.first_ff.q.val().get_bit(31);
        self.rx_interrupt.next = self.available_ff.q.val() & self.first_ff.q.val().get_bit(8);
        self.tx_interrupt.next = self.empty_ff.q.val() & self.first_ff.q.val().get_bit(9);
        self.interrupt.next = self.rx_interrupt.val() | self.tx_interrupt.val();
        self.cause.next = self.cause_none.val();
        if self.rx_interrupt.val() {
            self.cause.next = self.cause_rx.val();
        } else if self.tx_interrupt.val() {
            self.cause.next = self.cause_tx.val();
        }
        if self.fifo_enabled_ff.q.val() {
            self.cause.next = self.cause.val() | self.fifo_on.val();
        }
        self.rdata.next = self.zero.val();
        self.tx_valid.next = false;
        self.tx_data.next = bit_cast::<8, 32>(self.wdata.val());
        self.pop.next = false;
        self.accessed.next = self.zero.val();
        self.writable.next = self.zero.val();
        if self.selected.val() {
            if self.lanes.val().get_bit(0) {
                self.accessed.next = self.accessed.val() | self.lane_0.val();
            }
            if self.lanes.val().get_bit(1) {
                self.accessed.next = self.accessed.val() | self.lane_1.val();
            }
            if self.lanes.val().get_bit(3) {
                self.accessed.next = self.accessed.val() | self.lane_3.val();
            }
        }
        if self.selected.val() & self.second.val() {
            self.rdata.next = self.second_ff.q.val() | self.lines.val();
            if self.available_ff.q.val() {
                self.rdata.next =
                    (self.second_ff.q.val() | self.lines.val()) | self.data_ready.val();
            }
            if self.write.val() {
                self.writable.next = self.accessed.val() & self.second_bits.val();
                self.second_ff.d.next = (self.second_ff.q.val() & !self.writable.val())
                    | (self.wdata.val() & self.writable.val());
            }
        } else if self.selected.val() {
            self.rdata.next = (self.first_ff.q.val() | self.cause.val())
                | bit_cast::<32, 8>(self.fifo.read_data.val());
            if self.latch.val() {
                self.rdata.next = ((self.first_ff.q.val() & self.latched_bits.val())
                    | self.cause.val())
                    | self.divisor_ff.q.val();
            }
            if self.write.val() {
                self.writable.next = self.accessed.val() & self.first_bits.val();
                if self.latch.val() {
                    self.writable.next = self.accessed.val() & self.latched_bits.val();
                    self.divisor_ff.d.next = (self.divisor_ff.q.val()
                        & !(self.accessed.val() & self.divisor_bits.val()))
                        | (self.wdata.val() & (self.accessed.val() & self.divisor_bits.val()));
                } else if self.lanes.val().get_bit(0) {
                    self.tx_valid.next = true;
                    self.empty_ff.d.next = true;
                } else if self.lanes.val().get_bit(1)
                    & (self.wdata.val().get_bit(9) & !self.first_ff.q.val().get_bit(9))
                {
                    self.empty_ff.d.next = true;
                }
                self.first_ff.d.next = (self.first_ff.q.val() & !self.writable.val())
                    | (self.wdata.val() & self.writable.val());
                if self.lanes.val().get_bit(2) {
                    self.fifo_enabled_ff.d.next = self.wdata.val().get_bit(16);
                }
            } else {
                self.pop.next =
                    (self.lanes.val().get_bit(0) & !self.latch.val()) & self.available_ff.q.val();
                if self.lanes.val().get_bit(2) & !self.rx_interrupt.val() {
                    self.empty_ff.d.next = false;
                }
            }
        }
        // Reception.
        self.push.next = (self.rx_valid.val() & !self.taken_ff.q.val())
            & (self.count_ff.q.val() != self.full.val());
        self.taken_ff.d.next = self.push.val();
        self.rx_ready.next = self.taken_ff.q.val();
        self.fifo.read_address.next = self.tail_ff.q.val();
        self.fifo.write_address.next = self.head_ff.q.val();
        self.fifo.write_data.next = self.rx_data.val();
        self.fifo.write_enable.next = self.push.val();
        self.available_ff.d.next = (self.count_ff.q.val() != self.none.val()) & !self.pop.val();
        if self.push.val() {
            self.head_ff.d.next = self.head_ff.q.val() + self.next_entry.val();
            self.count_ff.d.next = self.count_ff.q.val() + self.one.val();
        }
        if self.pop.val() {
            self.tail_ff.d.next = self.tail_ff.q.val() + self.next_entry.val();
            self.count_ff.d.next = self.count_ff.q.val() - self.one.val();
            if self.push.val() {
                self.count_ff.d.next = self.count_ff.q.val();
            }
        }
        if self.reset.val() {
            self.head_ff.d.next = self.no_entry.val();
            self.tail_ff.d.next = self.no_entry.val();
            self.count_ff.d.next = self.none.val();
            self.taken_ff.d.next = false;
            self.available_ff.d.next = false;
            self.first_ff.d.next = self.zero.val();
            self.second_ff.d.next = self.zero.val();
            self.fifo_enabled_ff.d.next = false;
            self.empty_ff.d.next = false;
        }
    }
}
