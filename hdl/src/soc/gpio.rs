//! 32 pins out (register 0x0) and 32 pins in (register 0x4, two flip-flops behind the pins).

use rust_hdl::prelude::*;

circuit! {
    /// General-purpose pins.
    pub struct Gpio {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// accessed in this cycle
        pub selected: Signal<In, Bit>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// address bit 2: the input register
        pub second: Signal<In, Bit>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// data read, zero unless selected
        pub rdata: Signal<Out, Bits<32>>,
        /// pins in
        pub pins_in: Signal<In, Bits<32>>,
        /// pins out
        pub pins_out: Signal<Out, Bits<32>>,
        out_ff: DFF<Bits<32>>,
        settling_ff: DFF<Bits<32>>,
        in_ff: DFF<Bits<32>>,
    }
    constants {
        zero: 32 = 0,
    }
}

impl Logic for Gpio {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, out_ff, settling_ff, in_ff);
        self.settling_ff.d.next = self.pins_in.val();
        self.in_ff.d.next = self.settling_ff.q.val();
        self.pins_out.next = self.out_ff.q.val();
        self.rdata.next = self.zero.val();
        if self.selected.val() {
            self.rdata.next = self.out_ff.q.val();
            if self.second.val() {
                self.rdata.next = self.in_ff.q.val();
            } else if self.write.val() {
                self.out_ff.d.next = self.wdata.val();
            }
        }
        if self.reset.val() {
            self.out_ff.d.next = self.zero.val();
        }
    }
}
