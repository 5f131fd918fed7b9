//! The immediate value of an instruction, held until the next one.

use rust_hdl::prelude::*;

circuit! {
    /// Immediate decoder with a registered output.
    pub struct Immediate {
        /// clock
        pub clock: Signal<In, Clock>,
        /// decode `word` at the next edge
        pub load: Signal<In, Bit>,
        /// instruction word
        pub word: Signal<In, Bits<32>>,
        /// immediate value; zero for AMOs, whose address is rs1 itself
        pub imm: Signal<Out, Bits<32>>,
        imm_ff: DFF<Bits<32>>,
        opcode: Signal<Local, Bits<7>>,
        sign_i: Signal<Local, Bits<32>>,
        sign_j: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        op_lui: 7 = 0x37,
        op_auipc: 7 = 0x17,
        op_jal: 7 = 0x6f,
        op_branch: 7 = 0x63,
        op_store: 7 = 0x23,
        op_amo: 7 = 0x2f,
        sign_from_11: 32 = 0xffff_f000,
        sign_from_20: 32 = 0xfff0_0000,
        u_bits: 32 = 0xffff_f000,
        s_high: 32 = 0x0000_0fe0,
        s_low: 32 = 0x0000_001f,
        b_high: 32 = 0x0000_07e0,
        b_low: 32 = 0x0000_001e,
        bit_11: 32 = 0x0000_0800,
        j_middle: 32 = 0x000f_f000,
        j_low: 32 = 0x0000_07fe,
    }
}

impl Logic for Immediate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, imm_ff);
        self.imm.next = self.imm_ff.q.val();
        self.opcode.next = bit_cast::<7, 32>(self.word.val());
        self.sign_i.next = self.zero.val();
        self.sign_j.next = self.zero.val();
        if self.word.val().get_bit(31) {
            self.sign_i.next = self.sign_from_11.val();
            self.sign_j.next = self.sign_from_20.val();
        }
        if self.load.val() {
            self.imm_ff.d.next = (self.word.val() >> 20) | self.sign_i.val();
            if (self.opcode.val() == self.op_lui.val()) | (self.opcode.val() == self.op_auipc.val())
            {
                self.imm_ff.d.next = self.word.val() & self.u_bits.val();
            } else if self.opcode.val() == self.op_store.val() {
                self.imm_ff.d.next = (((self.word.val() >> 20) & self.s_high.val())
                    | ((self.word.val() >> 7) & self.s_low.val()))
                    | self.sign_i.val();
            } else if self.opcode.val() == self.op_branch.val() {
                self.imm_ff.d.next = (((self.word.val() >> 20) & self.b_high.val())
                    | ((self.word.val() >> 7) & self.b_low.val()))
                    | (((self.word.val() << 4) & self.bit_11.val()) | self.sign_i.val());
            } else if self.opcode.val() == self.op_jal.val() {
                self.imm_ff.d.next = ((self.word.val() & self.j_middle.val())
                    | ((self.word.val() >> 9) & self.bit_11.val()))
                    | (((self.word.val() >> 20) & self.j_low.val()) | self.sign_j.val());
            } else if self.opcode.val() == self.op_amo.val() {
                self.imm_ff.d.next = self.zero.val();
            }
        }
    }
}
