//! The four multiplications, one bit of the multiplier a cycle on one adder.
//!
//! ```text
//!  start, funct3, a, b ──► multiply ──► done, result   (done for one cycle, 33 after start)
//! ```
//! `funct3`, `a` and `b` must hold until `done`. The multiplier `b` is shifted out of the lower half
//! while the product is shifted in; its last partial product is subtracted when `b` is signed.

use rust_hdl::prelude::*;

circuit! {
    /// Iterative multiplier.
    pub struct Multiply {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// begin
        pub start: Signal<In, Bit>,
        /// bits 1:0 of the instruction's funct3: mul, mulh, mulhsu, mulhu
        pub funct3: Signal<In, Bits<2>>,
        /// multiplicand
        pub a: Signal<In, Bits<32>>,
        /// multiplier
        pub b: Signal<In, Bits<32>>,
        /// `result` is valid in this cycle
        pub done: Signal<Out, Bit>,
        /// the half of the product that was asked for
        pub result: Signal<Out, Bits<32>>,
        busy_ff: DFF<Bit>,
        done_ff: DFF<Bit>,
        count_ff: DFF<Bits<5>>,
        high_ff: DFF<Bits<32>>,
        low_ff: DFF<Bits<32>>,
        last: Signal<Local, Bit>,
        signed_a: Signal<Local, Bit>,
        subtract: Signal<Local, Bit>,
        addend: Signal<Local, Bits<32>>,
        sum: Signal<Local, Bits<32>>,
        carry: Signal<Local, Bit>,
        top: Signal<Local, Bits<32>>,
        bottom: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        sign: 32 = 0x8000_0000,
        first_step: 5 = 0,
        step: 5 = 1,
    }
}

impl Logic for Multiply {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy_ff, done_ff, count_ff, high_ff, low_ff);
        self.done.next = self.done_ff.q.val();
        self.result.next = self.high_ff.q.val();
        if !self.funct3.val().any() {
            self.result.next = self.low_ff.q.val();
        }
        self.last.next = self.count_ff.q.val().all();
        self.signed_a.next = !self.funct3.val().all();
        self.subtract.next = self.last.val() & !self.funct3.val().get_bit(1);
        self.addend.next = self.zero.val();
        if self.low_ff.q.val().get_bit(0) {
            self.addend.next = self.a.val();
        }
        self.sum.next = self.high_ff.q.val() + self.addend.val();
        self.carry.next = self.sum.val() < self.addend.val();
        if self.subtract.val() {
            self.sum.next = self.high_ff.q.val() - self.addend.val();
            self.carry.next = self.high_ff.q.val() < self.addend.val();
        }
        // Bit 32 of the sum: both operands extended by their sign, or by zero when unsigned.
        self.top.next = self.zero.val();
        if self.carry.val()
            ^ (self.signed_a.val()
                & (self.high_ff.q.val().get_bit(31) ^ self.addend.val().get_bit(31)))
        {
            self.top.next = self.sign.val();
        }
        self.bottom.next = self.zero.val();
        if self.sum.val().get_bit(0) {
            self.bottom.next = self.sign.val();
        }
        self.done_ff.d.next = false;
        if self.busy_ff.q.val() {
            self.high_ff.d.next = (self.sum.val() >> 1) | self.top.val();
            self.low_ff.d.next = (self.low_ff.q.val() >> 1) | self.bottom.val();
            self.count_ff.d.next = self.count_ff.q.val() + self.step.val();
            self.busy_ff.d.next = !self.last.val();
            self.done_ff.d.next = self.last.val();
        } else if self.start.val() {
            self.high_ff.d.next = self.zero.val();
            self.low_ff.d.next = self.b.val();
            self.count_ff.d.next = self.first_step.val();
            self.busy_ff.d.next = true;
        }
        if self.reset.val() {
            self.busy_ff.d.next = false;
            self.done_ff.d.next = false;
        }
    }
}
