//! Which operation of the arithmetic unit an instruction needs, held until the next one.
//!
//! Looks only at instructions that use the unit's result: register, immediate, AMO and
//! `lui`, which takes the immediate as it is.

use super::alu::AluOp;
use rust_hdl::prelude::*;

circuit! {
    /// Operation decoder with a registered output.
    pub struct Operation {
        /// clock
        pub clock: Signal<In, Clock>,
        /// decode `word` at the next edge
        pub load: Signal<In, Bit>,
        /// instruction word
        pub word: Signal<In, Bits<32>>,
        /// what the arithmetic unit does
        pub alu_op: Signal<Out, AluOp>,
        alu_op_ff: DFF<AluOp>,
        funct3: Signal<Local, Bits<3>>,
        funct5: Signal<Local, Bits<5>>,
        opcode: Signal<Local, Bits<7>>,
    }
    constants {
        op_register: 7 = 0x33,
        op_amo: 7 = 0x2f,
        op_lui: 7 = 0x37,
        no_funct: 3 = 0,
        no_long_funct: 5 = 0,
        f0: 3 = 0,
        f1: 3 = 1,
        f2: 3 = 2,
        f3: 3 = 3,
        f4: 3 = 4,
        f5: 3 = 5,
        f6: 3 = 6,
        amo_swap: 5 = 0x01,
        amo_xor: 5 = 0x04,
        amo_or: 5 = 0x08,
        amo_and: 5 = 0x0c,
        amo_min: 5 = 0x10,
        amo_max: 5 = 0x14,
        amo_minu: 5 = 0x18,
        amo_maxu: 5 = 0x1c,
    }
}

impl Logic for Operation {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, alu_op_ff);
        self.alu_op.next = self.alu_op_ff.q.val();
        self.opcode.next = bit_cast::<7, 32>(self.word.val());
        self.funct3.next = self.no_funct.val();
        self.funct5.next = self.no_long_funct.val();
        if self.load.val() {
            self.funct3.next = self.word.val().get_bits::<3>(12);
            self.funct5.next = self.word.val().get_bits::<5>(27);
            self.alu_op_ff.d.next = AluOp::Add;
            if self.opcode.val() == self.op_amo.val() {
                if self.funct5.val() == self.amo_swap.val() {
                    self.alu_op_ff.d.next = AluOp::Swap;
                } else if self.funct5.val() == self.amo_xor.val() {
                    self.alu_op_ff.d.next = AluOp::Xor;
                } else if self.funct5.val() == self.amo_or.val() {
                    self.alu_op_ff.d.next = AluOp::Or;
                } else if self.funct5.val() == self.amo_and.val() {
                    self.alu_op_ff.d.next = AluOp::And;
                } else if self.funct5.val() == self.amo_min.val() {
                    self.alu_op_ff.d.next = AluOp::Min;
                } else if self.funct5.val() == self.amo_max.val() {
                    self.alu_op_ff.d.next = AluOp::Max;
                } else if self.funct5.val() == self.amo_minu.val() {
                    self.alu_op_ff.d.next = AluOp::MinUnsigned;
                } else if self.funct5.val() == self.amo_maxu.val() {
                    self.alu_op_ff.d.next = AluOp::MaxUnsigned;
                }
            } else if self.opcode.val() == self.op_lui.val() {
                self.alu_op_ff.d.next = AluOp::Swap;
            } else if self.funct3.val() == self.f0.val() {
                if (self.opcode.val() == self.op_register.val()) & self.word.val().get_bit(30) {
                    self.alu_op_ff.d.next = AluOp::Sub;
                }
            } else if self.funct3.val() == self.f1.val() {
                self.alu_op_ff.d.next = AluOp::ShiftLeft;
            } else if self.funct3.val() == self.f2.val() {
                self.alu_op_ff.d.next = AluOp::Less;
            } else if self.funct3.val() == self.f3.val() {
                self.alu_op_ff.d.next = AluOp::LessUnsigned;
            } else if self.funct3.val() == self.f4.val() {
                self.alu_op_ff.d.next = AluOp::Xor;
            } else if self.funct3.val() == self.f5.val() {
                self.alu_op_ff.d.next = AluOp::ShiftRight;
                if self.word.val().get_bit(30) {
                    self.alu_op_ff.d.next = AluOp::ShiftArithmetic;
                }
            } else if self.funct3.val() == self.f6.val() {
                self.alu_op_ff.d.next = AluOp::Or;
            } else {
                self.alu_op_ff.d.next = AluOp::And;
            }
        }
    }
}
