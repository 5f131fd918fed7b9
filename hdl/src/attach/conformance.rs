//! Checks a retirement port against the rules of the log format and keeps the first breach of a
//! recording. Twin of `lookback_model::attach::conformance`.
//!
//! ```text
//!            cycle t             t + 1                  t + 2
//!  rvfi_* ──► register copy ──► expectation ──► compare, choose, keep ──► breach, rule, at, …
//!                 └─► old_rd (to the adapter, in cycle t)
//! ```
//! A retirement is on the raw port in cycle t. `recording`, `clear` and `retired_lo` are sampled in
//! cycle t + 2, in which the recorder's first stage, fed by the adapter, holds the same retirement:
//! `retired_lo` is then its index. A retirement in the cycle of `clear` is the recording's first. The
//! outputs show a breach from cycle t + 3 on.

use super::expand::Expand;
use super::expectation::Expectation;
use super::register_copy::RegisterCopy;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// The conformance check.
    pub struct Conformance [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything, registers too
        pub reset: Signal<In, Bit>,
        /// a recording begins: forget the breach, and the order of the last retirement
        pub clear: Signal<In, Bit>,
        /// a recording is being made
        pub recording: Signal<In, Bit>,
        /// index of the retirement that was on the port two cycles ago
        pub retired_lo: Signal<In, Bits<32>>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its number, low half
        pub rvfi_order: Signal<In, Bits<32>>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<In, Bit>,
        /// first source register, 0 if it reads none or the port does not show it
        pub rvfi_rs1_addr: Signal<In, Bits<5>>,
        /// second source register, likewise
        pub rvfi_rs2_addr: Signal<In, Bits<5>>,
        /// value of the first
        pub rvfi_rs1_rdata: Signal<In, Bits<32>>,
        /// value of the second
        pub rvfi_rs2_rdata: Signal<In, Bits<32>>,
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
        /// bytes read
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// bytes written
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// data read
        pub rvfi_mem_rdata: Signal<In, Bits<32>>,
        /// data written
        pub rvfi_mem_wdata: Signal<In, Bits<32>>,
        /// content of register `[11:7]` of the expanded instruction before it, in the same cycle
        pub old_rd: Signal<Out, Bits<32>>,
        /// there was a breach
        pub breach: Signal<Out, Bit>,
        /// of this rule, 0 for none
        pub rule: Signal<Out, Bits<4>>,
        /// index of the retirement
        pub at: Signal<Out, Bits<32>>,
        /// its address
        pub pc: Signal<Out, Bits<32>>,
        /// its word
        pub insn: Signal<Out, Bits<32>>,
        /// what the rule wants
        pub want: Signal<Out, Bits<32>>,
        /// what the port shows
        pub got: Signal<Out, Bits<32>>,
        expander: Expand,
        copy: RegisterCopy,
        expectation: Expectation,
        // Cycle t + 1.
        valid_ff: DFF<Bit>,
        trap_ff: DFF<Bit>,
        order_ff: DFF<Bits<32>>,
        insn_ff: DFF<Bits<32>>,
        raw_ff: DFF<Bits<16>>,
        short_ff: DFF<Bit>,
        left_ff: DFF<Bits<32>>,
        right_ff: DFF<Bits<32>>,
        rs1_any_ff: DFF<Bit>,
        rs2_any_ff: DFF<Bit>,
        rs1_other_ff: DFF<Bit>,
        rs2_other_ff: DFF<Bit>,
        rs1_rdata_ff: DFF<Bits<32>>,
        rs2_rdata_ff: DFF<Bits<32>>,
        rd_addr_ff: DFF<Bits<5>>,
        rd_wdata_ff: DFF<Bits<32>>,
        pc_rdata_ff: DFF<Bits<32>>,
        pc_wdata_ff: DFF<Bits<32>>,
        mem_addr_ff: DFF<Bits<32>>,
        mem_rmask_ff: DFF<Bits<4>>,
        mem_wmask_ff: DFF<Bits<4>>,
        mem_rdata_ff: DFF<Bits<32>>,
        mem_wdata_ff: DFF<Bits<32>>,
        // Cycle t + 2.
        holds_ff: DFF<Bit>,
        trapped_ff: DFF<Bit>,
        number_ff: DFF<Bits<32>>,
        word_ff: DFF<Bits<32>>,
        place_ff: DFF<Bits<32>>,
        source_bad_ff: DFF<Bit>,
        source_want_ff: DFF<Bits<32>>,
        source_got_ff: DFF<Bits<32>>,
        unsupported_ff: DFF<Bit>,
        rd_any_ff: DFF<Bit>,
        rd_bad_ff: DFF<Bit>,
        result_known_ff: DFF<Bit>,
        result_want_ff: DFF<Bits<32>>,
        result_got_ff: DFF<Bits<32>>,
        next_known_ff: DFF<Bit>,
        next_want_ff: DFF<Bits<32>>,
        next_got_ff: DFF<Bits<32>>,
        accesses_ff: DFF<Bit>,
        address_want_ff: DFF<Bits<32>>,
        address_got_ff: DFF<Bits<32>>,
        masks_bad_ff: DFF<Bit>,
        small_want_ff: DFF<Bits<8>>,
        small_got_ff: DFF<Bits<8>>,
        stores_ff: DFF<Bit>,
        stored_want_ff: DFF<Bits<32>>,
        stored_got_ff: DFF<Bits<32>>,
        due_known_ff: DFF<Bit>,
        due_ff: DFF<Bits<32>>,
        // The breach.
        breach_ff: DFF<Bit>,
        rule_ff: DFF<Bits<4>>,
        at_ff: DFF<Bits<32>>,
        pc_ff: DFF<Bits<32>>,
        kept_insn_ff: DFF<Bits<32>>,
        want_ff: DFF<Bits<32>>,
        got_ff: DFF<Bits<32>>,
        word: Signal<Local, Bits<32>>,
        other_rd: Signal<Local, Bit>,
        left_bad: Signal<Local, Bit>,
        right_bad: Signal<Local, Bit>,
        value_bad: Signal<Local, Bit>,
        address_bad: Signal<Local, Bit>,
        address_low: Signal<Local, Bits<2>>,
        /// no breach is kept yet
        open: Signal<Local, Bit>,
        broken: Signal<Local, Bits<4>>,
        choice: Signal<Local, Bits<3>>,
        wanted: Signal<Local, Bits<32>>,
        shown: Signal<Local, Bits<32>>,
    }
    constants {
        none: 32 = 0,
        one: 32 = 1,
        small_none: 8 = 0,
        no_rule: 4 = 0,
        rule_order: 4 = 1,
        rule_zero: 4 = 2,
        rule_registers: 4 = 3,
        rule_destination: 4 = 4,
        rule_result: 4 = 5,
        rule_next: 4 = 6,
        rule_address: 4 = 7,
        rule_access: 4 = 8,
        rule_unsupported: 4 = 9,
        choose_order: 3 = 0,
        choose_source: 3 = 1,
        choose_result: 3 = 2,
        choose_next: 3 = 3,
        choose_address: 3 = 4,
        choose_stored: 3 = 5,
        choose_small: 3 = 6,
    }
}

impl Logic for Conformance {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid_ff,
            trap_ff,
            order_ff,
            insn_ff,
            raw_ff,
            short_ff,
            left_ff,
            right_ff,
            rs1_any_ff,
            rs2_any_ff,
            rs1_other_ff,
            rs2_other_ff,
            rs1_rdata_ff,
            rs2_rdata_ff,
            rd_addr_ff,
            rd_wdata_ff,
            pc_rdata_ff,
            pc_wdata_ff,
            mem_addr_ff,
            mem_rmask_ff,
            mem_wmask_ff,
            mem_rdata_ff,
            mem_wdata_ff,
            holds_ff,
            trapped_ff,
            number_ff,
            word_ff,
            place_ff,
            source_bad_ff,
            source_want_ff,
            source_got_ff,
            unsupported_ff,
            rd_any_ff,
            rd_bad_ff,
            result_known_ff,
            result_want_ff,
            result_got_ff,
            next_known_ff,
            next_want_ff,
            next_got_ff,
            accesses_ff,
            address_want_ff,
            address_got_ff,
            masks_bad_ff,
            small_want_ff,
            small_got_ff,
            stores_ff,
            stored_want_ff,
            stored_got_ff,
            due_known_ff,
            due_ff,
            breach_ff,
            rule_ff,
            at_ff,
            pc_ff,
            kept_insn_ff,
            want_ff,
            got_ff
        );
        // Cycle t: a source is read where the port says, or else where the word says.
        self.expander.insn.next = self.rvfi_insn.val();
        self.word.next = self.expander.word.val();
        self.copy.clock.next = self.clock.val();
        self.copy.reset.next = self.reset.val();
        self.copy.write.next =
            self.rvfi_valid.val() & !self.rvfi_trap.val() & self.rvfi_rd_addr.val().any();
        self.copy.write_addr.next = self.rvfi_rd_addr.val();
        self.copy.write_data.next = self.rvfi_rd_wdata.val();
        self.copy.left_addr.next = self.rvfi_rs1_addr.val();
        if !self.rvfi_rs1_addr.val().any() {
            self.copy.left_addr.next = self.word.val().get_bits::<5>(15);
        }
        self.copy.right_addr.next = self.rvfi_rs2_addr.val();
        if !self.rvfi_rs2_addr.val().any() {
            self.copy.right_addr.next = self.word.val().get_bits::<5>(20);
        }
        self.copy.old_addr.next = self.word.val().get_bits::<5>(7);
        self.old_rd.next = self.copy.old.val();
        self.valid_ff.d.next = self.rvfi_valid.val() & !self.reset.val();
        self.trap_ff.d.next = self.rvfi_trap.val();
        self.order_ff.d.next = self.rvfi_order.val();
        self.insn_ff.d.next = self.word.val();
        self.raw_ff.d.next = self.rvfi_insn.val().get_bits::<16>(0);
        self.short_ff.d.next = self.expander.short.val();
        self.left_ff.d.next = self.copy.left.val();
        self.right_ff.d.next = self.copy.right.val();
        self.rs1_any_ff.d.next = self.rvfi_rs1_addr.val().any();
        self.rs2_any_ff.d.next = self.rvfi_rs2_addr.val().any();
        self.rs1_other_ff.d.next = self.rvfi_rs1_addr.val() != self.word.val().get_bits::<5>(15);
        self.rs2_other_ff.d.next = self.rvfi_rs2_addr.val() != self.word.val().get_bits::<5>(20);
        self.rs1_rdata_ff.d.next = self.rvfi_rs1_rdata.val();
        self.rs2_rdata_ff.d.next = self.rvfi_rs2_rdata.val();
        self.rd_addr_ff.d.next = self.rvfi_rd_addr.val();
        self.rd_wdata_ff.d.next = self.rvfi_rd_wdata.val();
        self.pc_rdata_ff.d.next = self.rvfi_pc_rdata.val();
        self.pc_wdata_ff.d.next = self.rvfi_pc_wdata.val();
        self.mem_addr_ff.d.next = self.rvfi_mem_addr.val();
        self.mem_rmask_ff.d.next = self.rvfi_mem_rmask.val();
        self.mem_wmask_ff.d.next = self.rvfi_mem_wmask.val();
        self.mem_rdata_ff.d.next = self.rvfi_mem_rdata.val();
        self.mem_wdata_ff.d.next = self.rvfi_mem_wdata.val();

        // Cycle t + 1: what it should be. The copy's operands will do: where the port's differ,
        // rule 3 is broken and comes first.
        self.expectation.insn.next = self.insn_ff.q.val();
        self.expectation.short.next = self.short_ff.q.val();
        self.expectation.pc.next = self.pc_rdata_ff.q.val();
        self.expectation.left.next = self.left_ff.q.val();
        self.expectation.right.next = self.right_ff.q.val();
        self.expectation.mem_low.next = self.mem_addr_ff.q.val().get_bits::<2>(0);
        self.expectation.mem_rmask.next = self.mem_rmask_ff.q.val();
        self.expectation.mem_wmask.next = self.mem_wmask_ff.q.val();
        self.expectation.mem_rdata.next = self.mem_rdata_ff.q.val();
        self.expectation.mem_wdata.next = self.mem_wdata_ff.q.val();
        self.holds_ff.d.next = self.valid_ff.q.val() & !self.reset.val();
        self.trapped_ff.d.next = self.trap_ff.q.val();
        self.number_ff.d.next = self.order_ff.q.val();
        self.word_ff.d.next = self.insn_ff.q.val();
        if self.short_ff.q.val() {
            self.word_ff.d.next = bit_cast::<32, 16>(self.raw_ff.q.val());
        }
        self.place_ff.d.next = self.pc_rdata_ff.q.val();
        self.left_bad.next = self.rs1_any_ff.q.val()
            & ((self.expectation.reads_left.val() & self.rs1_other_ff.q.val())
                | (self.left_ff.q.val() != self.rs1_rdata_ff.q.val()));
        self.right_bad.next = self.rs2_any_ff.q.val()
            & ((self.expectation.reads_right.val() & self.rs2_other_ff.q.val())
                | (self.right_ff.q.val() != self.rs2_rdata_ff.q.val()));
        self.source_bad_ff.d.next = self.left_bad.val() | self.right_bad.val();
        self.source_want_ff.d.next = self.right_ff.q.val();
        self.source_got_ff.d.next = self.rs2_rdata_ff.q.val();
        if self.left_bad.val() {
            self.source_want_ff.d.next = self.left_ff.q.val();
            self.source_got_ff.d.next = self.rs1_rdata_ff.q.val();
        }
        self.unsupported_ff.d.next = self.expectation.unsupported.val();
        self.rd_any_ff.d.next = self.rd_addr_ff.q.val().any();
        self.other_rd.next = self.rd_addr_ff.q.val() != self.expectation.rd.val();
        self.rd_bad_ff.d.next = self.other_rd.val()
            & (self.expectation.checked.val()
                | (self.expectation.opaque.val() & self.rd_addr_ff.q.val().any()));
        self.result_known_ff.d.next =
            self.expectation.checked.val() & self.expectation.knows_result.val();
        self.result_want_ff.d.next = self.expectation.result.val();
        if !self.rd_addr_ff.q.val().any() {
            self.result_want_ff.d.next = self.none.val();
        }
        self.result_got_ff.d.next = self.rd_wdata_ff.q.val();
        self.next_known_ff.d.next =
            self.expectation.checked.val() & self.expectation.knows_next.val();
        self.next_want_ff.d.next = self.expectation.next_pc.val();
        self.next_got_ff.d.next = self.pc_wdata_ff.q.val();
        self.accesses_ff.d.next = self.expectation.checked.val() & self.expectation.accesses.val();
        self.address_want_ff.d.next = self.expectation.address.val();
        self.address_got_ff.d.next = self.mem_addr_ff.q.val();
        self.masks_bad_ff.d.next =
            self.expectation.checked.val() & self.expectation.masks_bad.val();
        self.small_want_ff.d.next = self.expectation.masks_want.val();
        self.small_got_ff.d.next = self.expectation.masks_got.val();
        if self.expectation.unsupported.val() {
            self.small_want_ff.d.next = self.small_none.val();
            self.small_got_ff.d.next = self.small_none.val();
        }
        if self.other_rd.val()
            & (!self.expectation.unsupported.val()
                | (self.expectation.opaque.val() & self.rd_addr_ff.q.val().any()))
        {
            self.small_want_ff.d.next = bit_cast::<8, 5>(self.expectation.rd.val());
            self.small_got_ff.d.next = bit_cast::<8, 5>(self.rd_addr_ff.q.val());
        }
        self.stores_ff.d.next = self.expectation.checked.val() & self.expectation.stores.val();
        self.stored_want_ff.d.next = self.expectation.stored_want.val();
        self.stored_got_ff.d.next = self.expectation.stored_got.val();

        // Cycle t + 2: the lowest-numbered rule that is broken.
        self.value_bad.next = self.result_want_ff.q.val() != self.result_got_ff.q.val();
        self.address_low.next = self.address_got_ff.q.val().get_bits::<2>(0);
        self.address_bad.next = (self.address_want_ff.q.val().get_bits::<30>(2)
            != self.address_got_ff.q.val().get_bits::<30>(2))
            | (self.address_low.val().any()
                & (self.address_low.val() != self.address_want_ff.q.val().get_bits::<2>(0)));
        self.broken.next = self.no_rule.val();
        self.choice.next = self.choose_small.val();
        if self.due_known_ff.q.val()
            & !self.clear.val()
            & (self.number_ff.q.val() != self.due_ff.q.val())
        {
            self.broken.next = self.rule_order.val();
            self.choice.next = self.choose_order.val();
        } else if !self.trapped_ff.q.val() {
            if !self.rd_any_ff.q.val() & self.value_bad.val() {
                self.broken.next = self.rule_zero.val();
                self.choice.next = self.choose_result.val();
            } else if self.source_bad_ff.q.val() {
                self.broken.next = self.rule_registers.val();
                self.choice.next = self.choose_source.val();
            } else if self.rd_bad_ff.q.val() {
                self.broken.next = self.rule_destination.val();
            } else if self.unsupported_ff.q.val() {
                self.broken.next = self.rule_unsupported.val();
            } else if self.result_known_ff.q.val() & self.value_bad.val() {
                self.broken.next = self.rule_result.val();
                self.choice.next = self.choose_result.val();
            } else if self.next_known_ff.q.val()
                & (self.next_want_ff.q.val() != self.next_got_ff.q.val())
            {
                self.broken.next = self.rule_next.val();
                self.choice.next = self.choose_next.val();
            } else if self.accesses_ff.q.val() & self.address_bad.val() {
                self.broken.next = self.rule_address.val();
                self.choice.next = self.choose_address.val();
            } else if self.masks_bad_ff.q.val() {
                self.broken.next = self.rule_access.val();
            } else if self.stores_ff.q.val()
                & (self.stored_want_ff.q.val() != self.stored_got_ff.q.val())
            {
                self.broken.next = self.rule_access.val();
                self.choice.next = self.choose_stored.val();
            }
        }
        self.wanted.next = bit_cast::<32, 8>(self.small_want_ff.q.val());
        self.shown.next = bit_cast::<32, 8>(self.small_got_ff.q.val());
        if self.choice.val() == self.choose_order.val() {
            self.wanted.next = self.due_ff.q.val();
            self.shown.next = self.number_ff.q.val();
        } else if self.choice.val() == self.choose_source.val() {
            self.wanted.next = self.source_want_ff.q.val();
            self.shown.next = self.source_got_ff.q.val();
        } else if self.choice.val() == self.choose_result.val() {
            self.wanted.next = self.result_want_ff.q.val();
            self.shown.next = self.result_got_ff.q.val();
        } else if self.choice.val() == self.choose_next.val() {
            self.wanted.next = self.next_want_ff.q.val();
            self.shown.next = self.next_got_ff.q.val();
        } else if self.choice.val() == self.choose_address.val() {
            self.wanted.next = self.address_want_ff.q.val();
            self.shown.next = self.address_got_ff.q.val();
        } else if self.choice.val() == self.choose_stored.val() {
            self.wanted.next = self.stored_want_ff.q.val();
            self.shown.next = self.stored_got_ff.q.val();
        }
        self.open.next = !self.breach_ff.q.val() | self.clear.val();
        if self.clear.val() {
            self.due_known_ff.d.next = false;
            self.breach_ff.d.next = false;
            self.rule_ff.d.next = self.no_rule.val();
        }
        if self.holds_ff.q.val() {
            self.due_known_ff.d.next = true;
            self.due_ff.d.next = self.number_ff.q.val() + self.one.val();
            if self.recording.val() & self.open.val() {
                self.breach_ff.d.next = self.broken.val().any();
                self.rule_ff.d.next = self.broken.val();
            }
        }
        // What is kept means nothing until there is a breach.
        if self.open.val() {
            self.at_ff.d.next = self.retired_lo.val();
            self.pc_ff.d.next = self.place_ff.q.val();
            self.kept_insn_ff.d.next = self.word_ff.q.val();
            self.want_ff.d.next = self.wanted.val();
            self.got_ff.d.next = self.shown.val();
        }
        if self.reset.val() {
            self.due_known_ff.d.next = false;
            self.breach_ff.d.next = false;
            self.rule_ff.d.next = self.no_rule.val();
        }
        self.breach.next = self.breach_ff.q.val();
        self.rule.next = self.rule_ff.q.val();
        self.at.next = self.at_ff.q.val();
        self.pc.next = self.pc_ff.q.val();
        self.insn.next = self.kept_insn_ff.q.val();
        self.want.next = self.want_ff.q.val();
        self.got.next = self.got_ff.q.val();
    }
}

#[cfg(test)]
mod tests;
