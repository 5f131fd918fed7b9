//! Tells words that the replayer executes from those whose result is logged, combinational. Twin of
//! `lookback_log_format::isa::is_opaque`.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Decoder of known instruction words.
    pub struct OpaqueWord [] {
        /// instruction word
        pub insn: Signal<In, Bits<32>>,
        /// full-size, but none of RV32IMA, Zicsr, Zifencei
        pub opaque: Signal<Out, Bit>,
        opcode: Signal<Local, Bits<7>>,
        funct3: Signal<Local, Bits<3>>,
        rs2: Signal<Local, Bits<5>>,
        funct7: Signal<Local, Bits<7>>,
        plain: Signal<Local, Bit>,
        other: Signal<Local, Bit>,
        known: Signal<Local, Bit>,
    }
    constants {
        op_load: 7 = 0x03,
        op_fence: 7 = 0x0f,
        op_imm: 7 = 0x13,
        op_auipc: 7 = 0x17,
        op_store: 7 = 0x23,
        op_amo: 7 = 0x2f,
        op_register: 7 = 0x33,
        op_lui: 7 = 0x37,
        op_branch: 7 = 0x63,
        op_jalr: 7 = 0x67,
        op_jal: 7 = 0x6f,
        op_system: 7 = 0x73,
        funct7_other: 7 = 0x20,
        funct7_muldiv: 7 = 1,
        double: 3 = 3,
        shift_right: 3 = 5,
        word: 3 = 2,
    }
}

impl Logic for OpaqueWord {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.insn.val().get_bits::<7>(0);
        self.funct3.next = self.insn.val().get_bits::<3>(12);
        self.rs2.next = self.insn.val().get_bits::<5>(20);
        self.funct7.next = self.insn.val().get_bits::<7>(25);
        self.plain.next = !self.funct7.val().any();
        self.other.next = self.funct7.val() == self.funct7_other.val();
        self.known.next = (self.opcode.val() == self.op_lui.val())
            | (self.opcode.val() == self.op_auipc.val())
            | (self.opcode.val() == self.op_jal.val())
            | (self.opcode.val() == self.op_fence.val())
            | (self.opcode.val() == self.op_system.val());
        if self.opcode.val() == self.op_jalr.val() {
            self.known.next = !self.funct3.val().any();
        }
        if self.opcode.val() == self.op_branch.val() {
            self.known.next = self.funct3.val().get_bit(2) | !self.funct3.val().get_bit(1);
        }
        if self.opcode.val() == self.op_load.val() {
            self.known.next = (self.funct3.val() != self.double.val())
                & !(self.funct3.val().get_bit(2) & self.funct3.val().get_bit(1));
        }
        if self.opcode.val() == self.op_store.val() {
            self.known.next =
                !self.funct3.val().get_bit(2) & (self.funct3.val() != self.double.val());
        }
        if self.opcode.val() == self.op_imm.val() {
            self.known.next = true;
            if self.funct3.val().get_bit(0) & !self.funct3.val().get_bit(1) {
                self.known.next =
                    self.plain.val() | (self.funct3.val().get_bit(2) & self.other.val());
            }
        }
        if self.opcode.val() == self.op_register.val() {
            self.known.next = self.plain.val()
                | (self.funct7.val() == self.funct7_muldiv.val())
                | (self.other.val()
                    & (!self.funct3.val().any() | (self.funct3.val() == self.shift_right.val())));
        }
        // Every fourth code, and three beside the first of them; a load has no second source.
        if self.opcode.val() == self.op_amo.val() {
            self.known.next = (self.funct3.val() == self.word.val())
                & (!self.insn.val().get_bits::<2>(27).any()
                    | (!self.insn.val().get_bits::<3>(29).any()
                        & (self.insn.val().get_bit(27) | !self.rs2.val().any())));
        }
        self.opaque.next = self.insn.val().get_bits::<2>(0).all() & !self.known.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::settle;
    use crate::recorder::testing::{check_block, word};
    use lookback_log_format::isa::is_opaque;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(OpaqueWord::default(), "lookback_opaque_word");
    }

    /// Every opcode with every funct3 and funct7; the other bits are random.
    #[test]
    fn equals_the_format() {
        let mut block = OpaqueWord::default();
        block.connect_all();
        let mut random = Random::new(1);
        let mut opaque = 0;
        for fields in 0..1u32 << 17 {
            let rs2 = random.pick(&[0, 31]) << 20;
            let insn = random.word() & 0x000f_8f80
                | rs2
                | fields & 0x7f
                | (fields >> 7 & 7) << 12
                | fields >> 10 << 25;
            block.insn.next = word(insn);
            settle(&mut block);
            assert_eq!(block.opaque.val(), is_opaque(insn), "{insn:#010x}");
            opaque += u32::from(is_opaque(insn));
        }
        assert!(opaque > 1000);
    }
}
