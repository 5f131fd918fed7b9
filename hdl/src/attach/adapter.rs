//! Makes the retirement ports of real cores one: word-aligned address, lane masks, and only what the
//! instruction really did. Twin of `lookback_model::attach::adapter`.
//!
//! ```text
//!  rvfi_*, snoop_*, old_rd ──► decode, lanes ──► registers ──► valid, insn, …, opaque, jumps
//! ```
//! One retirement a cycle, one cycle of latency.

use super::expand::Expand;
use super::opaque_word::OpaqueWord;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// From any style of retirement port to the recorder's. Outputs are those of the retirement of
    /// the cycle before.
    pub struct Adapter [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<In, Bit>,
        /// privilege mode
        pub rvfi_mode: Signal<In, Bits<2>>,
        /// first source register, 0 if the port does not show it
        pub rvfi_rs1_addr: Signal<In, Bits<5>>,
        /// its value
        pub rvfi_rs1_rdata: Signal<In, Bits<32>>,
        /// register written
        pub rvfi_rd_addr: Signal<In, Bits<5>>,
        /// value written to it
        pub rvfi_rd_wdata: Signal<In, Bits<32>>,
        /// its address
        pub rvfi_pc_rdata: Signal<In, Bits<32>>,
        /// address of the next one
        pub rvfi_pc_wdata: Signal<In, Bits<32>>,
        /// data address, of the byte or of its word
        pub rvfi_mem_addr: Signal<In, Bits<32>>,
        /// bytes read, from the address on or in their lanes
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// bytes written, likewise
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// data read, likewise
        pub rvfi_mem_rdata: Signal<In, Bits<32>>,
        /// data written, likewise
        pub rvfi_mem_wdata: Signal<In, Bits<32>>,
        /// what register `[11:7]` of the expanded instruction held before it
        pub old_rd: Signal<In, Bits<32>>,
        /// log the results of multiplications and divisions, too
        pub log_results: Signal<In, Bit>,
        /// somebody else writes memory
        pub snoop_valid: Signal<In, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<In, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<In, Bits<4>>,
        /// an instruction retired
        pub valid: Signal<Out, Bit>,
        /// its word, 16 bits if it is compressed
        pub insn: Signal<Out, Bits<32>>,
        /// it trapped
        pub trap: Signal<Out, Bit>,
        /// privilege mode
        pub mode: Signal<Out, Bits<2>>,
        /// register written, 0 for none
        pub rd_addr: Signal<Out, Bits<5>>,
        /// value written to it, else 0
        pub rd_wdata: Signal<Out, Bits<32>>,
        /// its address
        pub pc_rdata: Signal<Out, Bits<32>>,
        /// address of the next one
        pub pc_wdata: Signal<Out, Bits<32>>,
        /// word-aligned data address
        pub mem_addr: Signal<Out, Bits<32>>,
        /// lanes read
        pub mem_rmask: Signal<Out, Bits<4>>,
        /// lanes written
        pub mem_wmask: Signal<Out, Bits<4>>,
        /// word read, in its lanes
        pub mem_rdata: Signal<Out, Bits<32>>,
        /// word written, in its lanes
        pub mem_wdata: Signal<Out, Bits<32>>,
        /// the result is logged: the replayer cannot execute it, or is to compare it
        pub opaque: Signal<Out, Bit>,
        /// only the log knows where it goes on: opaque and not to the next one, or `c.ebreak`
        pub jumps: Signal<Out, Bit>,
        /// it is compressed, or at an address that is no multiple of 4
        pub loose: Signal<Out, Bit>,
        /// it is `c.ebreak`, trapped or not
        pub breaks: Signal<Out, Bit>,
        /// somebody else wrote memory
        pub snooped: Signal<Out, Bit>,
        /// where
        pub snooped_addr: Signal<Out, Bits<32>>,
        /// which bytes
        pub snooped_mask: Signal<Out, Bits<4>>,
        expander: Expand,
        decoder: OpaqueWord,
        short_ff: DFF<Bit>,
        breaks_ff: DFF<Bit>,
        valid_ff: DFF<Bit>,
        insn_ff: DFF<Bits<32>>,
        trap_ff: DFF<Bit>,
        mode_ff: DFF<Bits<2>>,
        rd_addr_ff: DFF<Bits<5>>,
        rd_wdata_ff: DFF<Bits<32>>,
        pc_rdata_ff: DFF<Bits<32>>,
        pc_wdata_ff: DFF<Bits<32>>,
        mem_addr_ff: DFF<Bits<32>>,
        mem_rmask_ff: DFF<Bits<4>>,
        mem_wmask_ff: DFF<Bits<4>>,
        mem_rdata_ff: DFF<Bits<32>>,
        mem_wdata_ff: DFF<Bits<32>>,
        opaque_ff: DFF<Bit>,
        snooped_ff: DFF<Bit>,
        snooped_addr_ff: DFF<Bits<32>>,
        snooped_mask_ff: DFF<Bits<4>>,
        word: Signal<Local, Bits<32>>,
        opcode: Signal<Local, Bits<7>>,
        funct5: Signal<Local, Bits<5>>,
        field: Signal<Local, Bits<5>>,
        load: Signal<Local, Bit>,
        store: Signal<Local, Bit>,
        atomic: Signal<Local, Bit>,
        base_shown: Signal<Local, Bit>,
        offset: Signal<Local, Bits<2>>,
        is_byte: Signal<Local, Bit>,
        is_half: Signal<Local, Bit>,
        misaligned: Signal<Local, Bit>,
        compared: Signal<Local, Bit>,
        is_opaque: Signal<Local, Bit>,
        no_rd: Signal<Local, Bit>,
        style: Signal<Local, Bits<4>>,
        low: Signal<Local, Bit>,
        up_1: Signal<Local, Bit>,
        up_2: Signal<Local, Bit>,
        rmask: Signal<Local, Bits<4>>,
        wmask: Signal<Local, Bits<4>>,
        rdata: Signal<Local, Bits<32>>,
        wdata: Signal<Local, Bits<32>>,
        following: Signal<Local, Bits<32>>,
    }
    constants {
        opcode_load: 7 = 0x03,
        opcode_store: 7 = 0x23,
        opcode_amo: 7 = 0x2f,
        opcode_register: 7 = 0x33,
        funct7_muldiv: 7 = 1,
        funct5_sc: 5 = 3,
        no_register: 5 = 0,
        no_lanes: 4 = 0,
        lane_0: 4 = 1,
        low_lanes: 4 = 3,
        all_lanes: 4 = 15,
        none: 32 = 0,
        two: 32 = 2,
        four: 32 = 4,
        half: 32 = 0xffff,
        word_breaks: 16 = lookback_log_format::isa::C_EBREAK,
        word_bits: 32 = 0xffff_fffcu32,
    }
}

impl Logic for Adapter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            short_ff,
            breaks_ff,
            valid_ff,
            insn_ff,
            trap_ff,
            mode_ff,
            rd_addr_ff,
            rd_wdata_ff,
            pc_rdata_ff,
            pc_wdata_ff,
            mem_addr_ff,
            mem_rmask_ff,
            mem_wmask_ff,
            mem_rdata_ff,
            mem_wdata_ff,
            opaque_ff,
            snooped_ff,
            snooped_addr_ff,
            snooped_mask_ff
        );
        // What kind of instruction it is, and where a load goes by its own operands.
        self.expander.insn.next = self.rvfi_insn.val();
        self.word.next = self.expander.word.val();
        self.decoder.insn.next = self.word.val();
        self.opcode.next = self.word.val().get_bits::<7>(0);
        self.field.next = self.word.val().get_bits::<5>(7);
        self.funct5.next = self.word.val().get_bits::<5>(27);
        self.load.next = self.opcode.val() == self.opcode_load.val();
        self.store.next = self.opcode.val() == self.opcode_store.val();
        self.atomic.next = self.opcode.val() == self.opcode_amo.val();
        self.base_shown.next = self.rvfi_rs1_addr.val() == self.word.val().get_bits::<5>(15);
        self.offset.next =
            self.rvfi_rs1_rdata.val().get_bits::<2>(0) + self.word.val().get_bits::<2>(20);
        self.is_byte.next = !(self.word.val().get_bit(12) | self.word.val().get_bit(13));
        self.is_half.next = self.word.val().get_bit(12);
        self.misaligned.next = self.load.val()
            & self.base_shown.val()
            & !self.is_byte.val()
            & (self.offset.val().get_bit(0) | (self.offset.val().get_bit(1) & !self.is_half.val()));
        self.compared.next = self.log_results.val()
            & (self.opcode.val() == self.opcode_register.val())
            & (self.word.val().get_bits::<7>(25) == self.funct7_muldiv.val());
        self.is_opaque.next =
            (self.decoder.opaque.val() | self.misaligned.val() | self.compared.val())
                & !self.rvfi_trap.val();

        // An access at bit 0 goes up to its lanes. All lanes are where they belong already.
        self.style.next = self.rvfi_mem_rmask.val();
        if self.store.val() {
            self.style.next = self.rvfi_mem_wmask.val();
        }
        self.low.next = self.style.val().get_bit(0) & !self.style.val().all();
        self.up_1.next = self.low.val() & self.rvfi_mem_addr.val().get_bit(0);
        self.up_2.next = self.low.val() & self.rvfi_mem_addr.val().get_bit(1);
        self.rmask.next = self.rvfi_mem_rmask.val();
        if self.load.val() & self.base_shown.val() {
            self.rmask.next = self.all_lanes.val();
            if self.is_half.val() {
                self.rmask.next = self.low_lanes.val();
            } else if self.is_byte.val() {
                self.rmask.next = self.lane_0.val();
            }
            if self.offset.val().get_bit(0) {
                self.rmask.next = self.rmask.val() << 1;
            }
            if self.offset.val().get_bit(1) {
                self.rmask.next = self.rmask.val() << 2;
            }
        } else {
            if self.up_1.val() {
                self.rmask.next = self.rmask.val() << 1;
            }
            if self.up_2.val() {
                self.rmask.next = self.rmask.val() << 2;
            }
        }
        self.wmask.next = self.rvfi_mem_wmask.val();
        self.rdata.next = self.rvfi_mem_rdata.val();
        self.wdata.next = self.rvfi_mem_wdata.val();
        if self.up_1.val() {
            self.wmask.next = self.wmask.val() << 1;
            self.rdata.next = self.rdata.val() << 8;
            self.wdata.next = self.wdata.val() << 8;
        }
        if self.up_2.val() {
            self.wmask.next = self.wmask.val() << 2;
            self.rdata.next = self.rdata.val() << 16;
            self.wdata.next = self.wdata.val() << 16;
        }

        self.valid_ff.d.next = self.rvfi_valid.val();
        self.insn_ff.d.next = self.rvfi_insn.val();
        self.short_ff.d.next = self.expander.short.val();
        if self.expander.short.val() {
            self.insn_ff.d.next = self.rvfi_insn.val() & self.half.val();
        }
        self.breaks_ff.d.next = self.rvfi_insn.val().get_bits::<16>(0) == self.word_breaks.val();
        self.trap_ff.d.next = self.rvfi_trap.val();
        self.mode_ff.d.next = self.rvfi_mode.val();
        self.pc_rdata_ff.d.next = self.rvfi_pc_rdata.val();
        self.pc_wdata_ff.d.next = self.rvfi_pc_wdata.val();
        self.mem_addr_ff.d.next = self.rvfi_mem_addr.val() & self.word_bits.val();
        self.mem_rdata_ff.d.next = self.rdata.val();
        self.mem_wdata_ff.d.next = self.wdata.val();
        self.opaque_ff.d.next = self.is_opaque.val();
        self.mem_rmask_ff.d.next = self.rmask.val();
        self.mem_wmask_ff.d.next = self.wmask.val();
        if self.rvfi_trap.val()
            | self.is_opaque.val()
            | !(self.load.val() | (self.atomic.val() & (self.funct5.val() != self.funct5_sc.val())))
        {
            self.mem_rmask_ff.d.next = self.no_lanes.val();
        }
        if self.rvfi_trap.val() | self.is_opaque.val() | !(self.store.val() | self.atomic.val()) {
            self.mem_wmask_ff.d.next = self.no_lanes.val();
        }
        // Zero comes last: in front of a register it costs no logic.
        self.rd_addr_ff.d.next = self.rvfi_rd_addr.val();
        self.rd_wdata_ff.d.next = self.rvfi_rd_wdata.val();
        if self.is_opaque.val() {
            self.rd_addr_ff.d.next = self.field.val();
        }
        if self.is_opaque.val() & (self.rvfi_rd_addr.val() != self.field.val()) {
            self.rd_wdata_ff.d.next = self.old_rd.val();
        }
        self.no_rd.next = !self.rvfi_rd_addr.val().any();
        if self.is_opaque.val() {
            self.no_rd.next = !self.field.val().any();
        }
        if self.no_rd.val() | self.rvfi_trap.val() {
            self.rd_addr_ff.d.next = self.no_register.val();
            self.rd_wdata_ff.d.next = self.none.val();
        }
        self.snooped_ff.d.next = self.snoop_valid.val();
        self.snooped_addr_ff.d.next = self.snoop_addr.val();
        self.snooped_mask_ff.d.next = self.snoop_mask.val();

        // What the recorder sees.
        self.valid.next = self.valid_ff.q.val();
        self.insn.next = self.insn_ff.q.val();
        self.trap.next = self.trap_ff.q.val();
        self.mode.next = self.mode_ff.q.val();
        self.rd_addr.next = self.rd_addr_ff.q.val();
        self.rd_wdata.next = self.rd_wdata_ff.q.val();
        self.pc_rdata.next = self.pc_rdata_ff.q.val();
        self.pc_wdata.next = self.pc_wdata_ff.q.val();
        self.mem_addr.next = self.mem_addr_ff.q.val();
        self.mem_rmask.next = self.mem_rmask_ff.q.val();
        self.mem_wmask.next = self.mem_wmask_ff.q.val();
        self.mem_rdata.next = self.mem_rdata_ff.q.val();
        self.mem_wdata.next = self.mem_wdata_ff.q.val();
        self.opaque.next = self.opaque_ff.q.val();
        self.following.next = self.pc_rdata_ff.q.val() + self.four.val();
        if self.short_ff.q.val() {
            self.following.next = self.pc_rdata_ff.q.val() + self.two.val();
        }
        self.breaks.next = self.breaks_ff.q.val();
        self.jumps.next = (self.breaks_ff.q.val() & !self.trap_ff.q.val())
            | (self.opaque_ff.q.val() & (self.pc_wdata_ff.q.val() != self.following.val()));
        self.loose.next = self.short_ff.q.val() | self.pc_rdata_ff.q.val().get_bit(1);
        self.snooped.next = self.snooped_ff.q.val();
        self.snooped_addr.next = self.snooped_addr_ff.q.val();
        self.snooped_mask.next = self.snooped_mask_ff.q.val();
    }
}

#[cfg(test)]
mod tests;
