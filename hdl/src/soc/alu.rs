//! The arithmetic of register, immediate, branch and AMO instructions, combinational.
//!
//! ```text
//!  op, a, b ──► alu ──► y, equal, less, less_unsigned
//! ```

use rust_hdl::prelude::*;

/// What the unit computes from `a` and `b`.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum AluOp {
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a << b
    ShiftLeft,
    /// a >> b, logical
    ShiftRight,
    /// a >> b, arithmetic
    ShiftArithmetic,
    /// a < b, signed
    Less,
    /// a < b, unsigned
    LessUnsigned,
    /// a ^ b
    Xor,
    /// a | b
    Or,
    /// a & b
    And,
    /// b, for `amoswap`
    Swap,
    /// the smaller, signed
    Min,
    /// the larger, signed
    Max,
    /// the smaller, unsigned
    MinUnsigned,
    /// the larger, unsigned
    MaxUnsigned,
}

circuit! {
    /// Arithmetic and logic unit.
    pub struct Alu {
        /// what `y` is
        pub op: Signal<In, AluOp>,
        /// left operand
        pub a: Signal<In, Bits<32>>,
        /// right operand
        pub b: Signal<In, Bits<32>>,
        /// result
        pub y: Signal<Out, Bits<32>>,
        /// a == b
        pub equal: Signal<Out, Bit>,
        /// a < b, signed
        pub less: Signal<Out, Bit>,
        /// a < b, unsigned
        pub less_unsigned: Signal<Out, Bit>,
        invert: Signal<Local, Bits<32>>,
        amount: Signal<Local, Bits<5>>,
        shifted: Signal<Local, Bits<32>>,
        both: Signal<Local, Bits<32>>,
        only_a: Signal<Local, Bits<32>>,
        only_b: Signal<Local, Bits<32>>,
        is_sum: Signal<Local, Bit>,
        is_shift: Signal<Local, Bit>,
        smaller: Signal<Local, Bit>,
        takes_a: Signal<Local, Bit>,
        is_one: Signal<Local, Bit>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        ones: 32 = 0xffff_ffff,
        even_bits: 32 = 0x5555_5555,
        even_pairs: 32 = 0x3333_3333,
        even_nibbles: 32 = 0x0f0f_0f0f,
        even_bytes: 32 = 0x00ff_00ff,
    }
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        self.smaller.next = self.a.val() < self.b.val();
        self.equal.next = self.a.val() == self.b.val();
        self.less_unsigned.next = self.smaller.val();
        self.less.next = self.smaller.val() ^ (self.a.val().get_bit(31) ^ self.b.val().get_bit(31));
        // Bitwise operations, min and max are one truth table: what the result is where both are 1,
        // only a is 1, only b is 1.
        self.both.next = self.zero.val();
        self.only_a.next = self.zero.val();
        self.only_b.next = self.zero.val();
        self.takes_a.next = false;
        self.is_one.next = false;
        self.is_sum.next = false;
        self.is_shift.next = false;
        self.invert.next = self.zero.val();
        match self.op.val() {
            AluOp::Add => self.is_sum.next = true,
            AluOp::Sub => self.is_sum.next = true,
            AluOp::ShiftLeft => self.is_shift.next = true,
            AluOp::ShiftRight => self.is_shift.next = true,
            AluOp::ShiftArithmetic => {
                // The shift of a negative value is the complement of its complement's logical shift.
                self.is_shift.next = true;
                if self.a.val().get_bit(31) {
                    self.invert.next = self.ones.val();
                }
            }
            AluOp::Xor => {
                self.only_a.next = self.ones.val();
                self.only_b.next = self.ones.val();
            }
            AluOp::Or => {
                self.both.next = self.ones.val();
                self.only_a.next = self.ones.val();
                self.only_b.next = self.ones.val();
            }
            AluOp::And => self.both.next = self.ones.val(),
            AluOp::Less => self.is_one.next = self.less.val(),
            AluOp::LessUnsigned => self.is_one.next = self.smaller.val(),
            _ => {
                self.takes_a.next = self.less.val();
                if self.op.val() == AluOp::Max {
                    self.takes_a.next = !self.less.val();
                } else if self.op.val() == AluOp::MinUnsigned {
                    self.takes_a.next = self.smaller.val();
                } else if self.op.val() == AluOp::MaxUnsigned {
                    self.takes_a.next = !self.smaller.val();
                } else if self.op.val() == AluOp::Swap {
                    self.takes_a.next = false;
                }
                self.both.next = self.ones.val();
                if self.takes_a.val() {
                    self.only_a.next = self.ones.val();
                } else {
                    self.only_b.next = self.ones.val();
                }
            }
        }
        self.y.next = ((self.a.val() & self.b.val()) & self.both.val())
            | (((self.a.val() & !self.b.val()) & self.only_a.val())
                | ((!self.a.val() & self.b.val()) & self.only_b.val()));
        if self.is_one.val() {
            self.y.next = self.one.val();
        }
        self.amount.next = bit_cast::<5, 32>(self.b.val());
        self.shifted.next = self.a.val() ^ self.invert.val();
        if self.is_sum.val() {
            self.y.next = self.a.val() + self.b.val();
            if self.op.val() == AluOp::Sub {
                self.y.next = self.a.val() - self.b.val();
            }
        }
        if self.is_shift.val() {
            // A left shift is a right shift of the mirrored word, mirrored: one shifter for both.
            if self.op.val() == AluOp::ShiftLeft {
                self.shifted.next = ((self.shifted.val() >> 1) & self.even_bits.val())
                    | ((self.shifted.val() & self.even_bits.val()) << 1);
                self.shifted.next = ((self.shifted.val() >> 2) & self.even_pairs.val())
                    | ((self.shifted.val() & self.even_pairs.val()) << 2);
                self.shifted.next = ((self.shifted.val() >> 4) & self.even_nibbles.val())
                    | ((self.shifted.val() & self.even_nibbles.val()) << 4);
                self.shifted.next = ((self.shifted.val() >> 8) & self.even_bytes.val())
                    | ((self.shifted.val() & self.even_bytes.val()) << 8);
                self.shifted.next = (self.shifted.val() >> 16) | (self.shifted.val() << 16);
            }
            self.shifted.next = self.shifted.val() >> self.amount.val();
            self.y.next = self.shifted.val() ^ self.invert.val();
            if self.op.val() == AluOp::ShiftLeft {
                self.shifted.next = ((self.shifted.val() >> 1) & self.even_bits.val())
                    | ((self.shifted.val() & self.even_bits.val()) << 1);
                self.shifted.next = ((self.shifted.val() >> 2) & self.even_pairs.val())
                    | ((self.shifted.val() & self.even_pairs.val()) << 2);
                self.shifted.next = ((self.shifted.val() >> 4) & self.even_nibbles.val())
                    | ((self.shifted.val() & self.even_nibbles.val()) << 4);
                self.shifted.next = ((self.shifted.val() >> 8) & self.even_bytes.val())
                    | ((self.shifted.val() & self.even_bytes.val()) << 8);
                self.y.next = (self.shifted.val() >> 16) | (self.shifted.val() << 16);
            }
        }
    }
}
