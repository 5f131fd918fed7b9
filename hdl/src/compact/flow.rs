//! Where the instruction before this one leads: sections 10.2 (next pc) and 10.5 (`resume`) of the log
//! format.
//!
//! ```text
//!  rvfi_* ──► registers ──► redirect, after_trap, after_return, from, wfi
//! ```
//! One retirement a cycle, one cycle of latency, like `RetireStage`. What counts is the instruction
//! that retired before, recorded or not: the first of an interval needs none of this.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// What the reader expects of the next address.
    pub struct Flow [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<In, Bit>,
        /// its address
        pub rvfi_pc_rdata: Signal<In, Bits<32>>,
        /// address of the next one
        pub rvfi_pc_wdata: Signal<In, Bits<32>>,
        /// it leads elsewhere than the reader expects: to the word behind it
        pub rvfi_jumps: Signal<In, Bit>,
        /// the reader expects another address
        pub redirect: Signal<Out, Bit>,
        /// the reader expects none, the one before trapped
        pub after_trap: Signal<Out, Bit>,
        /// the reader expects none, the one before is `mret` or its like
        pub after_return: Signal<Out, Bit>,
        /// where the reader expects the instruction; of one that trapped its own address
        pub from: Signal<Out, Bits<32>>,
        /// the instruction is `wfi`
        pub wfi: Signal<Out, Bit>,
        lead_ff: DFF<Bits<32>>,
        trapped_ff: DFF<Bit>,
        returned_ff: DFF<Bit>,
        redirect_ff: DFF<Bit>,
        after_trap_ff: DFF<Bit>,
        after_return_ff: DFF<Bit>,
        from_ff: DFF<Bits<32>>,
        wfi_ff: DFF<Bit>,
        returns: Signal<Local, Bit>,
    }
    constants {
        opcode_system: 7 = 0x73,
        word_wfi: 32 = 0x1050_0073u32,
        behind: 32 = 4,
    }
}

impl Logic for Flow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            lead_ff,
            trapped_ff,
            returned_ff,
            redirect_ff,
            after_trap_ff,
            after_return_ff,
            from_ff,
            wfi_ff
        );
        self.returns.next = (self.rvfi_insn.val().get_bits::<7>(0) == self.opcode_system.val())
            & !self.rvfi_insn.val().get_bits::<3>(12).any();
        if self.rvfi_valid.val() {
            self.lead_ff.d.next = self.rvfi_pc_wdata.val();
            if self.rvfi_jumps.val() {
                self.lead_ff.d.next = self.rvfi_pc_rdata.val() + self.behind.val();
            }
            if self.rvfi_trap.val() {
                self.lead_ff.d.next = self.rvfi_pc_rdata.val();
            }
            self.trapped_ff.d.next = self.rvfi_trap.val();
            self.returned_ff.d.next = self.returns.val() & !self.rvfi_trap.val();
        }
        self.from_ff.d.next = self.lead_ff.q.val();
        self.redirect_ff.d.next = !self.trapped_ff.q.val()
            & !self.returned_ff.q.val()
            & (self.rvfi_pc_rdata.val() != self.lead_ff.q.val());
        self.after_trap_ff.d.next = self.trapped_ff.q.val();
        self.after_return_ff.d.next = self.returned_ff.q.val();
        self.wfi_ff.d.next = self.rvfi_insn.val() == self.word_wfi.val();
        self.redirect.next = self.redirect_ff.q.val();
        self.after_trap.next = self.after_trap_ff.q.val();
        self.after_return.next = self.after_return_ff.q.val();
        self.from.next = self.from_ff.q.val();
        self.wfi.next = self.wfi_ff.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Flow::default(), "lookback_compact_flow");
    }
}
