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
        sum: Signal<Local, Bits<32>>,
        amount: Signal<Local, Bits<5>>,
        shifted: Signal<Local, Bits<32>>,
        bitwise: Signal<Local, Bits<32>>,
        is_shift: Signal<Local, Bit>,
        is_bitwise: Signal<Local, Bit>,
        takes_first: Signal<Local, Bit>,
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
        self.equal.next = self.a.val() == self.b.val();
        self.less_unsigned.next = self.a.val() < self.b.val();
        self.less.next =
            (self.a.val() < self.b.val()) ^ (self.a.val().get_bit(31) ^ self.b.val().get_bit(31));
        self.is_shift.next = false;
        self.is_bitwise.next = true;
        self.takes_first.next = false;
        self.bitwise.next = self.b.val();
        self.invert.next = self.zero.val();
        match self.op.val() {
            AluOp::Xor => self.bitwise.next = self.a.val() ^ self.b.val(),
            AluOp::Or => self.bitwise.next = self.a.val() | self.b.val(),
            AluOp::And => self.bitwise.next = self.a.val() & self.b.val(),
            AluOp::Swap => self.bitwise.next = self.b.val(),
            AluOp::Min => self.takes_first.next = self.less.val(),
            AluOp::Max => self.takes_first.next = !self.less.val(),
            AluOp::MinUnsigned => self.takes_first.next = self.less_unsigned.val(),
            AluOp::MaxUnsigned => self.takes_first.next = !self.less_unsigned.val(),
            AluOp::Less => {
                self.bitwise.next = self.zero.val();
                if self.less.val() {
                    self.bitwise.next = self.one.val();
                }
            }
            AluOp::LessUnsigned => {
                self.bitwise.next = self.zero.val();
                if self.less_unsigned.val() {
                    self.bitwise.next = self.one.val();
                }
            }
            AluOp::Sub => {
                // a - b is the complement of (the complement of a) + b.
                self.is_bitwise.next = false;
                self.invert.next = self.ones.val();
            }
            AluOp::Add => self.is_bitwise.next = false,
            AluOp::ShiftArithmetic => {
                // The shift of a negative value is the complement of its complement's logical shift.
                self.is_shift.next = true;
                if self.a.val().get_bit(31) {
                    self.invert.next = self.ones.val();
                }
            }
            _ => self.is_shift.next = true,
        }
        self.sum.next = (self.a.val() ^ self.invert.val()) + self.b.val();
        self.amount.next = bit_cast::<5, 32>(self.b.val());
        self.shifted.next = self.a.val() ^ self.invert.val();
        self.y.next = self.sum.val() ^ self.invert.val();
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
        } else if self.is_bitwise.val() {
            self.y.next = self.bitwise.val();
            if self.takes_first.val() {
                self.y.next = self.a.val();
            }
        }
    }
}
