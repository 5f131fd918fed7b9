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
        amount: Signal<Local, Bits<5>>,
        fill: Signal<Local, Bits<32>>,
        flipped: Signal<Local, Bits<32>>,
        shifted: Signal<Local, Bits<32>>,
        biased_a: Signal<Local, Bits<32>>,
        biased_b: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        ones: 32 = 0xffff_ffff,
        sign: 32 = 0x8000_0000,
    }
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        self.equal.next = self.a.val() == self.b.val();
        self.less_unsigned.next = self.a.val() < self.b.val();
        self.biased_a.next = self.a.val() ^ self.sign.val();
        self.biased_b.next = self.b.val() ^ self.sign.val();
        self.less.next = self.biased_a.val() < self.biased_b.val();
        self.amount.next = self.b.val().get_bits::<5>(0);
        // An arithmetic shift of a negative value is a logical shift of its complement, complemented.
        self.fill.next = self.zero.val();
        if (self.op.val() == AluOp::ShiftArithmetic) & self.a.val().get_bit(31) {
            self.fill.next = self.ones.val();
        }
        self.flipped.next = self.a.val() ^ self.fill.val();
        self.shifted.next = self.flipped.val() >> self.amount.val();
        self.y.next = self.a.val() + self.b.val();
        match self.op.val() {
            AluOp::Sub => self.y.next = self.a.val() - self.b.val(),
            AluOp::ShiftLeft => self.y.next = self.a.val() << self.amount.val(),
            AluOp::ShiftRight => self.y.next = self.shifted.val(),
            AluOp::ShiftArithmetic => self.y.next = self.shifted.val() ^ self.fill.val(),
            AluOp::Less => {
                self.y.next = self.zero.val();
                if self.less.val() {
                    self.y.next = self.one.val();
                }
            }
            AluOp::LessUnsigned => {
                self.y.next = self.zero.val();
                if self.less_unsigned.val() {
                    self.y.next = self.one.val();
                }
            }
            AluOp::Xor => self.y.next = self.a.val() ^ self.b.val(),
            AluOp::Or => self.y.next = self.a.val() | self.b.val(),
            AluOp::And => self.y.next = self.a.val() & self.b.val(),
            AluOp::Swap => self.y.next = self.b.val(),
            AluOp::Min => {
                self.y.next = self.b.val();
                if self.less.val() {
                    self.y.next = self.a.val();
                }
            }
            AluOp::Max => {
                self.y.next = self.a.val();
                if self.less.val() {
                    self.y.next = self.b.val();
                }
            }
            AluOp::MinUnsigned => {
                self.y.next = self.b.val();
                if self.less_unsigned.val() {
                    self.y.next = self.a.val();
                }
            }
            AluOp::MaxUnsigned => {
                self.y.next = self.a.val();
                if self.less_unsigned.val() {
                    self.y.next = self.b.val();
                }
            }
            _ => self.y.next = self.a.val() + self.b.val(),
        }
    }
}
