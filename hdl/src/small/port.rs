//! Makes the retirement port of a core that keeps it what `front` asks for: nothing that the instruction
//! did not do, and address and word a cycle before they count. Twin of `lookback_model::attach::kept`.
//!
//! ```text
//!  rvfi_* ──► what an instruction of its kind can do ──► valid (a cycle later), rd, masks
//!  busy ────► stall, from the cycle of the retirement on
//! ```
//! The core keeps its port from the retirement on until its next instruction is fetched, and fetches none
//! while `stall` is high. Only the trap is kept here: a core may show it for a single cycle.
//! Data and masks are in their lanes. It is for cores that execute nothing but RV32IMA with Zicsr, as
//! SERV does: an instruction that the replayer does not know is not logged here, and diverges.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// From the port of a core that keeps it to that of `SmallFront`.
    pub struct KeptPort [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped; in the cycle of `rvfi_valid`
        pub rvfi_trap: Signal<In, Bit>,
        /// register written
        pub rvfi_rd_addr: Signal<In, Bits<5>>,
        /// value written to it
        pub rvfi_rd_wdata: Signal<In, Bits<32>>,
        /// data address
        pub rvfi_mem_addr: Signal<In, Bits<32>>,
        /// lanes read, of whatever access was the last
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// lanes written, likewise
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// the recorder is at work
        pub busy: Signal<In, Bit>,
        /// an instruction retired in the cycle before
        pub valid: Signal<Out, Bit>,
        /// it trapped
        pub trap: Signal<Out, Bit>,
        /// register written, 0 for none
        pub rd_addr: Signal<Out, Bits<5>>,
        /// value written to it, else 0
        pub rd_wdata: Signal<Out, Bits<32>>,
        /// word-aligned data address
        pub mem_addr: Signal<Out, Bits<32>>,
        /// lanes that the instruction read
        pub mem_rmask: Signal<Out, Bits<4>>,
        /// lanes that it wrote
        pub mem_wmask: Signal<Out, Bits<4>>,
        /// the core must not fetch
        pub stall: Signal<Out, Bit>,
        valid_ff: DFF<Bit>,
        trap_ff: DFF<Bit>,
        opcode: Signal<Local, Bits<7>>,
        atomic: Signal<Local, Bit>,
        conditional: Signal<Local, Bit>,
        loads: Signal<Local, Bit>,
        stores: Signal<Local, Bit>,
    }
    constants {
        opcode_load: 7 = 0x03,
        opcode_store: 7 = 0x23,
        opcode_amo: 7 = 0x2f,
        funct5_sc: 5 = 3,
        no_register: 5 = 0,
        no_lanes: 4 = 0,
        none: 32 = 0,
        word_bits: 32 = 0xffff_fffcu32,
    }
}

impl Logic for KeptPort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid_ff, trap_ff);
        self.valid_ff.d.next = self.rvfi_valid.val() & !self.reset.val();
        if self.rvfi_valid.val() {
            self.trap_ff.d.next = self.rvfi_trap.val();
        }
        self.valid.next = self.valid_ff.q.val();
        self.trap.next = self.trap_ff.q.val();
        self.stall.next = self.rvfi_valid.val() | self.valid_ff.q.val() | self.busy.val();

        self.opcode.next = self.rvfi_insn.val().get_bits::<7>(0);
        self.atomic.next = self.opcode.val() == self.opcode_amo.val();
        self.conditional.next =
            self.atomic.val() & (self.rvfi_insn.val().get_bits::<5>(27) == self.funct5_sc.val());
        self.loads.next = (self.opcode.val() == self.opcode_load.val())
            | (self.atomic.val() & !self.conditional.val());
        self.stores.next = (self.opcode.val() == self.opcode_store.val()) | self.atomic.val();
        self.mem_addr.next = self.rvfi_mem_addr.val() & self.word_bits.val();
        self.mem_rmask.next = self.rvfi_mem_rmask.val();
        if self.trap_ff.q.val() | !self.loads.val() {
            self.mem_rmask.next = self.no_lanes.val();
        }
        self.mem_wmask.next = self.rvfi_mem_wmask.val();
        if self.trap_ff.q.val() | !self.stores.val() {
            self.mem_wmask.next = self.no_lanes.val();
        }
        self.rd_addr.next = self.rvfi_rd_addr.val();
        self.rd_wdata.next = self.rvfi_rd_wdata.val();
        if self.trap_ff.q.val() | !self.rvfi_rd_addr.val().any() {
            self.rd_addr.next = self.no_register.val();
            self.rd_wdata.next = self.none.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(KeptPort::default(), "lookback_kept_port");
    }
}
