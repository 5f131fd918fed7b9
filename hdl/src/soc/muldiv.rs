//! The M extension, one bit a cycle on one adder.
//!
//! ```text
//!  start, funct3, a, b ──► muldiv ──► done, result   (done for one cycle)
//! ```
//! `funct3`, `a` and `b` must hold until `done`, 33 cycles after `start` for products, 35 for quotients
//! and remainders.
//! A product is shifted in while the multiplier `a` is shifted out of `low_ff`; its last partial product
//! is subtracted when `a` is signed. A quotient is restoring division of |a| by |b|, adding a negative
//! `b` instead of subtracting its magnitude, with the sign of the result put right at the end. A zero
//! divisor gives what the ISA asks for by itself, but for the sign: its quotient is not negated.

use rust_hdl::prelude::*;

/// What happens in this cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum MulDivState {
    /// takes a new operation
    Idle,
    /// replaces a negative dividend by its magnitude
    Magnitude,
    /// one bit of a product
    Multiply,
    /// one bit of a quotient
    Divide,
    /// gives a quotient or remainder its sign
    Sign,
    /// the result is there
    Done,
}

circuit! {
    /// Iterative multiplier and divider.
    pub struct MulDiv {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// begin
        pub start: Signal<In, Bit>,
        /// mul, mulh, mulhsu, mulhu, div, divu, rem, remu
        pub funct3: Signal<In, Bits<3>>,
        /// rs1
        pub a: Signal<In, Bits<32>>,
        /// rs2
        pub b: Signal<In, Bits<32>>,
        /// `result` is valid in this cycle
        pub done: Signal<Out, Bit>,
        /// for rd
        pub result: Signal<Out, Bits<32>>,
        state_ff: DFF<MulDivState>,
        count_ff: DFF<Bits<5>>,
        /// upper half of the product, or the remainder
        high_ff: DFF<Bits<32>>,
        /// multiplier and lower half of the product, or dividend and quotient; at last the result
        low_ff: DFF<Bits<32>>,
        last: Signal<Local, Bit>,
        is_signed: Signal<Local, Bit>,
        negative: Signal<Local, Bit>,
        left: Signal<Local, Bits<32>>,
        right: Signal<Local, Bits<32>>,
        subtract: Signal<Local, Bit>,
        sum: Signal<Local, Bits<32>>,
        carry: Signal<Local, Bit>,
        fits: Signal<Local, Bit>,
        entering: Signal<Local, Bits<32>>,
        new_high: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        sign: 32 = 0x8000_0000,
        first_step: 5 = 0,
        step: 5 = 1,
    }
}

impl Logic for MulDiv {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state_ff, count_ff, high_ff, low_ff);
        self.done.next = self.state_ff.q.val() == MulDivState::Done;
        self.result.next = self.low_ff.q.val();
        self.last.next = self.count_ff.q.val().all();
        self.is_signed.next = !self.funct3.val().get_bit(0);
        // One adder for everything: left + right or left - right.
        self.left.next = self.zero.val();
        self.right.next = self.low_ff.q.val();
        self.subtract.next = true;
        if self.state_ff.q.val() == MulDivState::Multiply {
            self.left.next = self.high_ff.q.val();
            self.right.next = self.zero.val();
            if self.low_ff.q.val().get_bit(0) {
                self.right.next = self.b.val();
            }
            self.subtract.next =
                self.last.val() & !(self.funct3.val().get_bit(1) & self.funct3.val().get_bit(0));
        } else if self.state_ff.q.val() == MulDivState::Divide {
            self.left.next = (self.high_ff.q.val() << 1) | (self.low_ff.q.val() >> 31);
            self.right.next = self.b.val();
            self.subtract.next = !(self.is_signed.val() & self.b.val().get_bit(31));
        }
        self.sum.next = self.left.val() + self.right.val();
        self.carry.next = self.sum.val() < self.right.val();
        if self.subtract.val() {
            self.sum.next = self.left.val() - self.right.val();
            self.carry.next = self.left.val() < self.right.val();
        }
        self.negative.next = self.a.val().get_bit(31) & self.is_signed.val();
        self.fits.next =
            self.high_ff.q.val().get_bit(31) | (self.subtract.val() ^ self.carry.val());
        // Bit 32 of the sum: both operands extended by their sign, or by zero when b is unsigned.
        self.entering.next = self.zero.val();
        if self.carry.val()
            ^ (!self.funct3.val().get_bit(1)
                & (self.left.val().get_bit(31) ^ self.right.val().get_bit(31)))
        {
            self.entering.next = self.sign.val();
        }
        self.new_high.next = self.left.val();
        match self.state_ff.q.val() {
            MulDivState::Idle => {
                if self.start.val() {
                    self.high_ff.d.next = self.zero.val();
                    self.low_ff.d.next = self.a.val();
                    self.count_ff.d.next = self.first_step.val();
                    self.state_ff.d.next = MulDivState::Multiply;
                    if self.funct3.val().get_bit(2) {
                        self.state_ff.d.next = MulDivState::Magnitude;
                    }
                }
            }
            MulDivState::Magnitude => {
                if self.negative.val() {
                    self.low_ff.d.next = self.sum.val();
                }
                self.state_ff.d.next = MulDivState::Divide;
            }
            MulDivState::Multiply => {
                self.new_high.next = (self.sum.val() >> 1) | self.entering.val();
                self.high_ff.d.next = self.new_high.val();
                self.low_ff.d.next = self.low_ff.q.val() >> 1;
                if self.sum.val().get_bit(0) {
                    self.low_ff.d.next = (self.low_ff.q.val() >> 1) | self.sign.val();
                }
                self.count_ff.d.next = self.count_ff.q.val() + self.step.val();
                if self.last.val() {
                    self.state_ff.d.next = MulDivState::Done;
                    if self.funct3.val().any() {
                        self.low_ff.d.next = self.new_high.val();
                    }
                }
            }
            MulDivState::Divide => {
                if self.fits.val() {
                    self.new_high.next = self.sum.val();
                }
                self.high_ff.d.next = self.new_high.val();
                self.low_ff.d.next = self.low_ff.q.val() << 1;
                if self.fits.val() {
                    self.low_ff.d.next = (self.low_ff.q.val() << 1) | self.one.val();
                }
                self.count_ff.d.next = self.count_ff.q.val() + self.step.val();
                if self.last.val() {
                    self.state_ff.d.next = MulDivState::Sign;
                    if self.funct3.val().get_bit(1) {
                        self.low_ff.d.next = self.new_high.val();
                    }
                }
            }
            MulDivState::Sign => {
                if !self.funct3.val().get_bit(1) {
                    self.negative.next = (self.is_signed.val() & self.b.val().any())
                        & (self.a.val().get_bit(31) ^ self.b.val().get_bit(31));
                }
                if self.negative.val() {
                    self.low_ff.d.next = self.sum.val();
                }
                self.state_ff.d.next = MulDivState::Done;
            }
            _ => self.state_ff.d.next = MulDivState::Idle,
        }
        if self.reset.val() {
            self.state_ff.d.next = MulDivState::Idle;
        }
    }
}
