//! The four divisions: restoring division of magnitudes, one bit a cycle, signs put right afterwards.
//!
//! ```text
//!  start, funct3, a, b ──► divide ──► done, result   (done for one cycle, 36 after start)
//! ```
//! `funct3`, `a` and `b` must hold until `done`. A zero divisor and the overflow of the most negative
//! dividend by -1 need no special cases but one: a zero divisor's quotient keeps its ones.

use rust_hdl::prelude::*;

/// What happens in this cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum DivideState {
    /// takes a new operation
    Idle,
    /// replaces the dividend by its magnitude
    Dividend,
    /// replaces the divisor by its magnitude
    Divisor,
    /// one bit of the quotient
    Step,
    /// gives the quotient or remainder its sign
    Sign,
    /// the result is there
    Done,
}

circuit! {
    /// Iterative divider.
    pub struct Divide {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// begin
        pub start: Signal<In, Bit>,
        /// bits 1:0 of the instruction's funct3: div, divu, rem, remu
        pub funct3: Signal<In, Bits<2>>,
        /// dividend
        pub a: Signal<In, Bits<32>>,
        /// divisor
        pub b: Signal<In, Bits<32>>,
        /// `result` is valid in this cycle
        pub done: Signal<Out, Bit>,
        /// quotient or remainder
        pub result: Signal<Out, Bits<32>>,
        state_ff: DFF<DivideState>,
        count_ff: DFF<Bits<5>>,
        remainder_ff: DFF<Bits<32>>,
        quotient_ff: DFF<Bits<32>>,
        divisor_ff: DFF<Bits<32>>,
        is_signed: Signal<Local, Bit>,
        negative: Signal<Local, Bit>,
        shifted: Signal<Local, Bits<32>>,
        left: Signal<Local, Bits<32>>,
        right: Signal<Local, Bits<32>>,
        difference: Signal<Local, Bits<32>>,
        remaining: Signal<Local, Bits<32>>,
        fits: Signal<Local, Bit>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        first_step: 5 = 0,
        step: 5 = 1,
    }
}

impl Logic for Divide {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state_ff,
            count_ff,
            remainder_ff,
            quotient_ff,
            divisor_ff
        );
        self.done.next = self.state_ff.q.val() == DivideState::Done;
        self.result.next = self.quotient_ff.q.val();
        self.is_signed.next = !self.funct3.val().get_bit(0);
        self.negative.next = self.is_signed.val() & self.a.val().get_bit(31);
        if !self.funct3.val().get_bit(1) {
            self.negative.next = (self.is_signed.val() & self.b.val().any())
                & (self.a.val().get_bit(31) ^ self.b.val().get_bit(31));
        }
        self.shifted.next = (self.remainder_ff.q.val() << 1) | (self.quotient_ff.q.val() >> 31);
        self.left.next = self.zero.val();
        self.right.next = self.quotient_ff.q.val();
        if self.state_ff.q.val() == DivideState::Step {
            self.left.next = self.shifted.val();
            self.right.next = self.divisor_ff.q.val();
        } else if self.state_ff.q.val() == DivideState::Divisor {
            self.right.next = self.divisor_ff.q.val();
        }
        self.difference.next = self.left.val() - self.right.val();
        self.fits.next =
            self.remainder_ff.q.val().get_bit(31) | (self.shifted.val() >= self.divisor_ff.q.val());
        self.remaining.next = self.shifted.val();
        if self.fits.val() {
            self.remaining.next = self.difference.val();
        }
        match self.state_ff.q.val() {
            DivideState::Idle => {
                if self.start.val() {
                    self.remainder_ff.d.next = self.zero.val();
                    self.quotient_ff.d.next = self.a.val();
                    self.divisor_ff.d.next = self.b.val();
                    self.count_ff.d.next = self.first_step.val();
                    self.state_ff.d.next = DivideState::Dividend;
                }
            }
            DivideState::Dividend => {
                if self.is_signed.val() & self.a.val().get_bit(31) {
                    self.quotient_ff.d.next = self.difference.val();
                }
                self.state_ff.d.next = DivideState::Divisor;
            }
            DivideState::Divisor => {
                if self.is_signed.val() & self.b.val().get_bit(31) {
                    self.divisor_ff.d.next = self.difference.val();
                }
                self.state_ff.d.next = DivideState::Step;
            }
            DivideState::Step => {
                self.remainder_ff.d.next = self.remaining.val();
                self.quotient_ff.d.next = self.quotient_ff.q.val() << 1;
                if self.fits.val() {
                    self.quotient_ff.d.next = (self.quotient_ff.q.val() << 1) | self.one.val();
                }
                self.count_ff.d.next = self.count_ff.q.val() + self.step.val();
                if self.count_ff.q.val().all() {
                    self.state_ff.d.next = DivideState::Sign;
                    if self.funct3.val().get_bit(1) {
                        self.quotient_ff.d.next = self.remaining.val();
                    }
                }
            }
            DivideState::Sign => {
                if self.negative.val() {
                    self.quotient_ff.d.next = self.difference.val();
                }
                self.state_ff.d.next = DivideState::Done;
            }
            _ => self.state_ff.d.next = DivideState::Idle,
        }
        if self.reset.val() {
            self.state_ff.d.next = DivideState::Idle;
        }
    }
}
