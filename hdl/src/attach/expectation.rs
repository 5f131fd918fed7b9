//! What an instruction word implies for a retirement, combinational: the knowledge of rules 3 to 9
//! of the conformance check.
//!
//! ```text
//!  insn, pc, operands, masks, data ──► result, next, address, masks, stored, what is checked
//! ```

use super::opaque_word::OpaqueWord;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// A small RV32I without state.
    pub struct Expectation [] {
        /// full-size instruction
        pub insn: Signal<In, Bits<32>>,
        /// it stands for a compressed one
        pub short: Signal<In, Bit>,
        /// its address
        pub pc: Signal<In, Bits<32>>,
        /// content of rs1
        pub left: Signal<In, Bits<32>>,
        /// content of rs2
        pub right: Signal<In, Bits<32>>,
        /// low bits of the data address that the port shows
        pub mem_low: Signal<In, Bits<2>>,
        /// read mask of the port
        pub mem_rmask: Signal<In, Bits<4>>,
        /// write mask of the port
        pub mem_wmask: Signal<In, Bits<4>>,
        /// data read
        pub mem_rdata: Signal<In, Bits<32>>,
        /// data written
        pub mem_wdata: Signal<In, Bits<32>>,
        /// rs1 field names a register that the instruction reads
        pub reads_left: Signal<Out, Bit>,
        /// rs2 field does
        pub reads_right: Signal<Out, Bit>,
        /// it does what a recording cannot hold
        pub unsupported: Signal<Out, Bit>,
        /// rules 4 to 8 apply
        pub checked: Signal<Out, Bit>,
        /// `rd` may also be left alone, and of rules 4 to 8 only rule 4 applies
        pub opaque: Signal<Out, Bit>,
        /// register to be written, 0 for none
        pub rd: Signal<Out, Bits<5>>,
        /// `result` is what it must be
        pub knows_result: Signal<Out, Bit>,
        /// value for `rd`
        pub result: Signal<Out, Bits<32>>,
        /// `next_pc` is what it must be
        pub knows_next: Signal<Out, Bit>,
        /// address of the next instruction
        pub next_pc: Signal<Out, Bits<32>>,
        /// it accesses memory
        pub accesses: Signal<Out, Bit>,
        /// at this byte address
        pub address: Signal<Out, Bits<32>>,
        /// masks do not fit
        pub masks_bad: Signal<Out, Bit>,
        /// lanes that must be read, and written (high half)
        pub masks_want: Signal<Out, Bits<8>>,
        /// lanes of the port, likewise
        pub masks_got: Signal<Out, Bits<8>>,
        /// `stored_got` must be `stored_want`
        pub stores: Signal<Out, Bit>,
        /// bytes of rs2
        pub stored_want: Signal<Out, Bits<32>>,
        /// bytes written, at bit 0
        pub stored_got: Signal<Out, Bits<32>>,
        decoder: OpaqueWord,
        opcode: Signal<Local, Bits<7>>,
        funct3: Signal<Local, Bits<3>>,
        funct5: Signal<Local, Bits<5>>,
        funct7: Signal<Local, Bits<7>>,
        is_load: Signal<Local, Bit>,
        is_store: Signal<Local, Bit>,
        is_atomic: Signal<Local, Bit>,
        is_conditional: Signal<Local, Bit>,
        is_imm: Signal<Local, Bit>,
        is_register: Signal<Local, Bit>,
        is_branch: Signal<Local, Bit>,
        is_jal: Signal<Local, Bit>,
        is_jalr: Signal<Local, Bit>,
        is_lui: Signal<Local, Bit>,
        is_auipc: Signal<Local, Bit>,
        is_system: Signal<Local, Bit>,
        is_byte: Signal<Local, Bit>,
        is_half: Signal<Local, Bit>,
        misaligned: Signal<Local, Bit>,
        sign: Signal<Local, Bits<32>>,
        operand: Signal<Local, Bits<32>>,
        subtract: Signal<Local, Bit>,
        augend: Signal<Local, Bits<32>>,
        sum: Signal<Local, Bits<32>>,
        unsigned_order: Signal<Local, Bit>,
        less: Signal<Local, Bit>,
        taken: Signal<Local, Bit>,
        fill: Signal<Local, Bits<32>>,
        amount: Signal<Local, Bits<5>>,
        shifted: Signal<Local, Bits<32>>,
        distance: Signal<Local, Bits<32>>,
        target: Signal<Local, Bits<32>>,
        link: Signal<Local, Bits<32>>,
        mask: Signal<Local, Bits<4>>,
        word: Signal<Local, Bits<32>>,
        low: Signal<Local, Bit>,
        half: Signal<Local, Bits<16>>,
        octet: Signal<Local, Bits<8>>,
        widens: Signal<Local, Bit>,
        accessed: Signal<Local, Bits<32>>,
        reads: Signal<Local, Bit>,
        writes: Signal<Local, Bit>,
        lanes: Signal<Local, Bits<4>>,
        style: Signal<Local, Bits<4>>,
        moves: Signal<Local, Bit>,
        rmask: Signal<Local, Bits<4>>,
        wmask: Signal<Local, Bits<4>>,
        want_rmask: Signal<Local, Bits<4>>,
        want_wmask: Signal<Local, Bits<4>>,
        missing: Signal<Local, Bits<4>>,
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
        funct7_muldiv: 7 = 1,
        funct5_lr: 5 = 2,
        funct5_sc: 5 = 3,
        no_register: 5 = 0,
        none: 32 = 0,
        one: 32 = 1,
        ones: 32 = 0xffff_ffffu32,
        two: 32 = 2,
        four: 32 = 4,
        even: 32 = 0xffff_fffeu32,
        sign_from_11: 32 = 0xffff_f800u32,
        sign_from_20: 32 = 0xfff0_0000u32,
        upper: 32 = 0xffff_f000u32,
        s_high: 32 = 0x0000_0fe0,
        s_low: 32 = 0x0000_001f,
        b_high: 32 = 0x0000_07e0,
        b_low: 32 = 0x0000_001e,
        bit_11: 32 = 0x0000_0800,
        j_middle: 32 = 0x000f_f000,
        j_low: 32 = 0x0000_07fe,
        even_bits: 32 = 0x5555_5555,
        even_pairs: 32 = 0x3333_3333,
        even_nibbles: 32 = 0x0f0f_0f0f,
        even_bytes: 32 = 0x00ff_00ff,
        top_1: 32 = 0x8000_0000u32,
        top_2: 32 = 0xc000_0000u32,
        top_4: 32 = 0xf000_0000u32,
        top_8: 32 = 0xff00_0000u32,
        top_16: 32 = 0xffff_0000u32,
        byte_sign: 32 = 0xffff_ff00u32,
        half_sign: 32 = 0xffff_0000u32,
        byte_bits: 32 = 0xff,
        half_bits: 32 = 0xffff,
        no_lanes: 4 = 0,
        lane_0: 4 = 1,
        low_lanes: 4 = 3,
        all_lanes: 4 = 15,
    }
}

impl Logic for Expectation {
    #[hdl_gen]
    fn update(&mut self) {
        self.decoder.insn.next = self.insn.val();
        self.opcode.next = self.insn.val().get_bits::<7>(0);
        self.funct3.next = self.insn.val().get_bits::<3>(12);
        self.funct5.next = self.insn.val().get_bits::<5>(27);
        self.funct7.next = self.insn.val().get_bits::<7>(25);
        self.is_load.next = self.opcode.val() == self.op_load.val();
        self.is_store.next = self.opcode.val() == self.op_store.val();
        self.is_atomic.next = self.opcode.val() == self.op_amo.val();
        self.is_conditional.next =
            self.is_atomic.val() & (self.funct5.val() == self.funct5_sc.val());
        self.is_imm.next = self.opcode.val() == self.op_imm.val();
        self.is_register.next = self.opcode.val() == self.op_register.val();
        self.is_branch.next = self.opcode.val() == self.op_branch.val();
        self.is_jal.next = self.opcode.val() == self.op_jal.val();
        self.is_jalr.next = self.opcode.val() == self.op_jalr.val();
        self.is_lui.next = self.opcode.val() == self.op_lui.val();
        self.is_auipc.next = self.opcode.val() == self.op_auipc.val();
        self.is_system.next = self.opcode.val() == self.op_system.val();
        self.is_half.next = self.funct3.val().get_bit(0);
        self.is_byte.next = !(self.funct3.val().get_bit(0) | self.funct3.val().get_bit(1));
        self.reads_left.next = !self.decoder.opaque.val()
            & (self.is_register.val()
                | self.is_store.val()
                | self.is_branch.val()
                | self.is_atomic.val()
                | self.is_imm.val()
                | self.is_load.val()
                | self.is_jalr.val()
                | (self.is_system.val() & !self.funct3.val().get_bit(2) & self.funct3.val().any()));
        self.reads_right.next = !self.decoder.opaque.val()
            & (self.is_register.val()
                | self.is_store.val()
                | self.is_branch.val()
                | self.is_conditional.val());

        // Sums and differences: a - b is !(!a + b).
        self.sign.next = self.none.val();
        if self.insn.val().get_bit(31) {
            self.sign.next = self.sign_from_11.val();
        }
        self.operand.next = (self.insn.val() >> 20) | self.sign.val();
        if self.is_store.val() {
            self.operand.next = (((self.insn.val() >> 20) & self.s_high.val())
                | ((self.insn.val() >> 7) & self.s_low.val()))
                | self.sign.val();
        }
        if self.is_register.val() | self.is_branch.val() {
            self.operand.next = self.right.val();
        }
        if self.is_atomic.val() {
            self.operand.next = self.none.val();
        }
        self.subtract.next = self.is_branch.val()
            | ((self.is_register.val() | self.is_imm.val())
                & (self.funct3.val().get_bit(1) & !self.funct3.val().get_bit(2)))
            | (self.is_register.val() & self.insn.val().get_bit(30));
        self.augend.next = self.left.val();
        if self.subtract.val() {
            self.augend.next = self.left.val() ^ self.ones.val();
        }
        self.sum.next = self.augend.val() + self.operand.val();
        self.address.next = self.sum.val();
        self.unsigned_order.next = self.funct3.val().get_bit(0);
        if self.is_branch.val() {
            self.unsigned_order.next = self.funct3.val().get_bit(1);
        }
        self.less.next = !self.sum.val().get_bit(31);
        if self.left.val().get_bit(31) ^ self.operand.val().get_bit(31) {
            self.less.next = self.left.val().get_bit(31) ^ self.unsigned_order.val();
        }

        // Shifts go to the right; to the left means reversed before and after.
        self.amount.next = self.operand.val().get_bits::<5>(0);
        self.shifted.next = self.left.val();
        if !self.funct3.val().get_bit(2) {
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
        self.fill.next = self.none.val();
        if self.insn.val().get_bit(30) & self.left.val().get_bit(31) {
            self.fill.next = self.ones.val();
        }
        if self.amount.val().get_bit(0) {
            self.shifted.next = (self.shifted.val() >> 1) | (self.fill.val() & self.top_1.val());
        }
        if self.amount.val().get_bit(1) {
            self.shifted.next = (self.shifted.val() >> 2) | (self.fill.val() & self.top_2.val());
        }
        if self.amount.val().get_bit(2) {
            self.shifted.next = (self.shifted.val() >> 4) | (self.fill.val() & self.top_4.val());
        }
        if self.amount.val().get_bit(3) {
            self.shifted.next = (self.shifted.val() >> 8) | (self.fill.val() & self.top_8.val());
        }
        if self.amount.val().get_bit(4) {
            self.shifted.next = (self.shifted.val() >> 16) | (self.fill.val() & self.top_16.val());
        }
        if !self.funct3.val().get_bit(2) {
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

        // Where it goes on.
        self.sign.next = self.none.val();
        if self.insn.val().get_bit(31) {
            self.sign.next = self.upper.val();
        }
        self.distance.next = (((self.insn.val() >> 20) & self.b_high.val())
            | ((self.insn.val() >> 7) & self.b_low.val()))
            | (((self.insn.val() << 4) & self.bit_11.val()) | self.sign.val());
        if self.is_jal.val() {
            self.distance.next = ((self.insn.val() & self.j_middle.val())
                | ((self.insn.val() >> 9) & self.bit_11.val()))
                | (((self.insn.val() >> 20) & self.j_low.val())
                    | (self.sign.val() & self.sign_from_20.val()));
        }
        if self.is_auipc.val() {
            self.distance.next = self.insn.val() & self.upper.val();
        }
        self.target.next = self.pc.val() + self.distance.val();
        self.link.next = self.pc.val() + self.four.val();
        if self.short.val() {
            self.link.next = self.pc.val() + self.two.val();
        }
        self.taken.next = self.left.val() == self.right.val();
        if self.funct3.val().get_bit(2) {
            self.taken.next = self.less.val();
        }
        self.taken.next = self.is_jal.val()
            | (self.is_branch.val() & (self.taken.val() ^ self.funct3.val().get_bit(0)));
        self.knows_next.next = !(self.is_system.val() & !self.funct3.val().any());
        self.next_pc.next = self.link.val();
        if self.taken.val() {
            self.next_pc.next = self.target.val();
        }
        if self.is_jalr.val() {
            self.next_pc.next = self.sum.val() & self.even.val();
        }

        // The bytes of the access, at bit 0: they are there already when the mask says so.
        self.mask.next = self.mem_rmask.val();
        self.word.next = self.mem_rdata.val();
        if self.is_store.val() | self.is_conditional.val() {
            self.mask.next = self.mem_wmask.val();
            self.word.next = self.mem_wdata.val();
        }
        self.low.next = self.mask.val() == self.low_lanes.val();
        if self.is_byte.val() {
            self.low.next = self.mask.val() == self.lane_0.val();
        }
        self.half.next = self.word.val().get_bits::<16>(0);
        if self.sum.val().get_bit(1) & !self.low.val() {
            self.half.next = self.word.val().get_bits::<16>(16);
        }
        self.octet.next = self.half.val().get_bits::<8>(0);
        if self.sum.val().get_bit(0) & !self.low.val() {
            self.octet.next = self.half.val().get_bits::<8>(8);
        }
        self.widens.next = self.is_load.val() & !self.funct3.val().get_bit(2);
        self.accessed.next = self.word.val();
        self.stored_want.next = self.right.val();
        if self.is_half.val() {
            self.stored_want.next = self.right.val() & self.half_bits.val();
            self.accessed.next = bit_cast::<32, 16>(self.half.val());
            if self.widens.val() & self.half.val().get_bit(15) {
                self.accessed.next = bit_cast::<32, 16>(self.half.val()) | self.half_sign.val();
            }
        } else if self.is_byte.val() {
            self.stored_want.next = self.right.val() & self.byte_bits.val();
            self.accessed.next = bit_cast::<32, 8>(self.octet.val());
            if self.widens.val() & self.octet.val().get_bit(7) {
                self.accessed.next = bit_cast::<32, 8>(self.octet.val()) | self.byte_sign.val();
            }
        }
        self.stored_got.next = self.accessed.val();

        // The destination.
        self.rd.next = self.insn.val().get_bits::<5>(7);
        if !self.decoder.opaque.val()
            & (self.is_store.val()
                | self.is_branch.val()
                | (self.opcode.val() == self.op_fence.val())
                | (self.is_system.val() & !self.funct3.val().any()))
        {
            self.rd.next = self.no_register.val();
        }
        self.knows_result.next = !(self.is_system.val()
            | self.is_conditional.val()
            | (self.is_register.val() & (self.funct7.val() == self.funct7_muldiv.val())));
        self.result.next = self.accessed.val();
        if self.is_register.val() | self.is_imm.val() {
            self.result.next = self.sum.val();
            if self.subtract.val() {
                self.result.next = self.sum.val() ^ self.ones.val();
            }
            if self.funct3.val().get_bit(0) & !self.funct3.val().get_bit(1) {
                self.result.next = self.shifted.val();
            }
            if self.funct3.val().get_bit(1) & !self.funct3.val().get_bit(2) {
                self.result.next = self.none.val();
                if self.less.val() {
                    self.result.next = self.one.val();
                }
            }
            if self.funct3.val().get_bit(2) & !self.funct3.val().get_bit(0) {
                self.result.next = self.left.val() ^ self.operand.val();
                if self.funct3.val().get_bit(1) {
                    self.result.next = self.left.val() | self.operand.val();
                }
            }
            if self.funct3.val().all() {
                self.result.next = self.left.val() & self.operand.val();
            }
        }
        if self.is_jal.val() | self.is_jalr.val() {
            self.result.next = self.link.val();
        }
        if self.is_auipc.val() {
            self.result.next = self.target.val();
        }
        if self.is_lui.val() {
            self.result.next = self.insn.val() & self.upper.val();
        }

        // The access.
        self.reads.next = self.is_load.val() | (self.is_atomic.val() & !self.is_conditional.val());
        self.writes.next = self.is_store.val()
            | (self.is_conditional.val() & self.mem_wmask.val().any())
            | (self.is_atomic.val()
                & !self.is_conditional.val()
                & (self.funct5.val() != self.funct5_lr.val()));
        self.accesses.next = self.reads.val() | self.writes.val();
        self.stores.next = self.is_store.val() | (self.is_conditional.val() & self.writes.val());
        self.lanes.next = self.all_lanes.val();
        if self.is_half.val() {
            self.lanes.next = self.low_lanes.val();
        } else if self.is_byte.val() {
            self.lanes.next = self.lane_0.val();
        }
        if self.sum.val().get_bit(0) {
            self.lanes.next = self.lanes.val() << 1;
        }
        if self.sum.val().get_bit(1) {
            self.lanes.next = self.lanes.val() << 2;
        }
        self.style.next = self.mem_rmask.val();
        if self.is_store.val() {
            self.style.next = self.mem_wmask.val();
        }
        self.moves.next = self.style.val().get_bit(0) & !self.style.val().all();
        self.rmask.next = self.mem_rmask.val();
        self.wmask.next = self.mem_wmask.val();
        if self.moves.val() & self.mem_low.val().get_bit(0) {
            self.rmask.next = self.rmask.val() << 1;
            self.wmask.next = self.wmask.val() << 1;
        }
        if self.moves.val() & self.mem_low.val().get_bit(1) {
            self.rmask.next = self.rmask.val() << 2;
            self.wmask.next = self.wmask.val() << 2;
        }
        self.want_rmask.next = self.lanes.val();
        if !self.reads.val() {
            self.want_rmask.next = self.no_lanes.val();
            self.rmask.next = self.no_lanes.val();
        }
        self.want_wmask.next = self.lanes.val();
        if !self.writes.val() {
            self.want_wmask.next = self.no_lanes.val();
        }
        self.missing.next = self.want_rmask.val() & (self.rmask.val() ^ self.all_lanes.val());
        self.masks_bad.next =
            self.missing.val().any() | (self.wmask.val() != self.want_wmask.val());
        self.masks_want.next = bit_cast::<8, 4>(self.want_rmask.val())
            | (bit_cast::<8, 4>(self.want_wmask.val()) << 4);
        self.masks_got.next =
            bit_cast::<8, 4>(self.rmask.val()) | (bit_cast::<8, 4>(self.wmask.val()) << 4);

        // What is checked at all.
        self.misaligned.next = !self.is_byte.val()
            & (self.sum.val().get_bit(0) | (self.sum.val().get_bit(1) & !self.is_half.val()));
        self.opaque.next = self.decoder.opaque.val() | (self.is_load.val() & self.misaligned.val());
        self.unsupported.next = (self.decoder.opaque.val() & self.mem_wmask.val().any())
            | (!self.decoder.opaque.val()
                & self.misaligned.val()
                & (self.is_store.val() | self.is_atomic.val()));
        self.checked.next = !self.decoder.opaque.val()
            & !(self.misaligned.val()
                & (self.is_load.val() | self.is_store.val() | self.is_atomic.val()));
    }
}
