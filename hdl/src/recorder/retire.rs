//! Takes the retirement port and the other writers' port into registers and says what kind of
//! instruction it was: sections 1.1 and 1.4 of the log format.
//!
//! ```text
//!  rvfi_*, snoop_* ──► registers ──► valid, pc, rd, addr, masks, value, operation, redirect, …
//! ```
//! One retirement a cycle, one cycle of latency. What a trapped instruction does not have (register,
//! masks, data) leaves here as zero: zeroing in front of a register costs no logic.

use crate::memory::PerHart;
use rust_hdl::prelude::*;

circuit! {
    /// First stage of the recorder of `N` harts. Outputs are those of the retirement of the cycle before.
    pub struct RetireStage [N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// memory is where `addr & mem_mask == mem_base`
        pub mem_base: Signal<In, Bits<32>>,
        /// see `mem_base`
        pub mem_mask: Signal<In, Bits<32>>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// on this hart
        pub rvfi_hart: Signal<In, Bits<2>>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<In, Bit>,
        /// privilege mode
        pub rvfi_mode: Signal<In, Bits<2>>,
        /// register written
        pub rvfi_rd_addr: Signal<In, Bits<5>>,
        /// value written to it
        pub rvfi_rd_wdata: Signal<In, Bits<32>>,
        /// its address
        pub rvfi_pc_rdata: Signal<In, Bits<32>>,
        /// address of the next one
        pub rvfi_pc_wdata: Signal<In, Bits<32>>,
        /// word-aligned data address
        pub rvfi_mem_addr: Signal<In, Bits<32>>,
        /// bytes read
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// bytes written
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// word read
        pub rvfi_mem_rdata: Signal<In, Bits<32>>,
        /// word written
        pub rvfi_mem_wdata: Signal<In, Bits<32>>,
        /// its register's new content is no function of what the replayer has
        pub rvfi_opaque: Signal<In, Bit>,
        /// neither is the address of the next one
        pub rvfi_jumps: Signal<In, Bit>,
        /// somebody else writes memory
        pub snoop_valid: Signal<In, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<In, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<In, Bits<4>>,
        /// an instruction retired
        pub valid: Signal<Out, Bit>,
        /// on this hart
        pub hart: Signal<Out, Bits<2>>,
        /// it trapped
        pub trap: Signal<Out, Bit>,
        /// privilege mode
        pub mode: Signal<Out, Bits<2>>,
        /// its word
        pub insn: Signal<Out, Bits<32>>,
        /// its address
        pub pc: Signal<Out, Bits<32>>,
        /// its address is memory
        pub pc_in_memory: Signal<Out, Bit>,
        /// the replayer cannot know its address
        pub redirect: Signal<Out, Bit>,
        /// register written, 0 for none
        pub rd_addr: Signal<Out, Bits<5>>,
        /// value written to it, else 0
        pub rd_data: Signal<Out, Bits<32>>,
        /// word-aligned data address
        pub addr: Signal<Out, Bits<32>>,
        /// the same if something was stored, else 0
        pub store_addr: Signal<Out, Bits<32>>,
        /// bytes read
        pub rmask: Signal<Out, Bits<4>>,
        /// bytes written
        pub wmask: Signal<Out, Bits<4>>,
        /// something was stored
        pub store: Signal<Out, Bit>,
        /// bytes stored, other bytes 0
        pub store_data: Signal<Out, Bits<32>>,
        /// it accessed memory (not a device)
        pub data: Signal<Out, Bit>,
        /// it is an operation
        pub operation: Signal<Out, Bit>,
        /// an operation that is logged whatever the tags say
        pub certain: Signal<Out, Bit>,
        /// the operation's value
        pub value: Signal<Out, Bits<32>>,
        /// somebody else wrote
        pub snooped: Signal<Out, Bit>,
        /// somebody else wrote to memory
        pub snooped_memory: Signal<Out, Bit>,
        /// where
        pub snooped_addr: Signal<Out, Bits<32>>,
        /// which bytes
        pub snooped_mask: Signal<Out, Bits<4>>,
        valid_ff: DFF<Bit>,
        trap_ff: DFF<Bit>,
        mode_ff: DFF<Bits<2>>,
        insn_ff: DFF<Bits<32>>,
        pc_ff: DFF<Bits<32>>,
        redirect_ff: DFF<Bit>,
        next_pcs: PerHart<32, N>,
        opaques: PerHart<1, N>,
        hart_ff: DFF<Bits<2>>,
        rd_addr_ff: DFF<Bits<5>>,
        rd_data_ff: DFF<Bits<32>>,
        addr_ff: DFF<Bits<32>>,
        store_addr_ff: DFF<Bits<32>>,
        rmask_ff: DFF<Bits<4>>,
        wmask_ff: DFF<Bits<4>>,
        csr_value_ff: DFF<Bits<32>>,
        failed_ff: DFF<Bits<1>>,
        lowest_0_ff: DFF<Bit>,
        lowest_1_ff: DFF<Bit>,
        lowest_2_ff: DFF<Bit>,
        lowest_3_ff: DFF<Bit>,
        operation_ff: DFF<Bit>,
        certain_ff: DFF<Bit>,
        read_0_ff: DFF<Bits<8>>,
        read_1_ff: DFF<Bits<8>>,
        read_2_ff: DFF<Bits<8>>,
        read_3_ff: DFF<Bits<8>>,
        stored_0_ff: DFF<Bits<8>>,
        stored_1_ff: DFF<Bits<8>>,
        stored_2_ff: DFF<Bits<8>>,
        stored_3_ff: DFF<Bits<8>>,
        snooped_ff: DFF<Bit>,
        snooped_addr_ff: DFF<Bits<32>>,
        snooped_mask_ff: DFF<Bits<4>>,
        opcode: Signal<Local, Bits<7>>,
        funct3: Signal<Local, Bits<3>>,
        funct5: Signal<Local, Bits<5>>,
        system: Signal<Local, Bit>,
        csr: Signal<Local, Bit>,
        conditional: Signal<Local, Bit>,
        masked: Signal<Local, Bits<32>>,
        in_memory: Signal<Local, Bit>,
    }
    constants {
        opcode_system: 7 = 0x73,
        opcode_amo: 7 = 0x2f,
        funct5_sc: 5 = 3,
        none: 32 = 0,
        no_byte: 8 = 0,
        failure: 1 = 1,
        no_failure: 1 = 0,
        implied: 1 = 0,
        opaque: 1 = 1,
        no_register: 5 = 0,
        no_lanes: 4 = 0,
    }
}

impl<const N: usize> Logic for RetireStage<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid_ff,
            trap_ff,
            mode_ff,
            insn_ff,
            pc_ff,
            redirect_ff,
            hart_ff,
            rd_addr_ff,
            rd_data_ff,
            addr_ff,
            store_addr_ff,
            rmask_ff,
            wmask_ff,
            csr_value_ff,
            failed_ff,
            lowest_0_ff,
            lowest_1_ff,
            lowest_2_ff,
            lowest_3_ff,
            operation_ff,
            certain_ff,
            read_0_ff,
            read_1_ff,
            read_2_ff,
            read_3_ff,
            stored_0_ff,
            stored_1_ff,
            stored_2_ff,
            stored_3_ff,
            snooped_ff,
            snooped_addr_ff,
            snooped_mask_ff
        );
        // What kind of instruction retires.
        self.opcode.next = self.rvfi_insn.val().get_bits::<7>(0);
        self.funct3.next = self.rvfi_insn.val().get_bits::<3>(12);
        self.funct5.next = self.rvfi_insn.val().get_bits::<5>(27);
        self.system.next = self.opcode.val() == self.opcode_system.val();
        self.csr.next = ((self.system.val() & self.funct3.val().any()) | self.rvfi_opaque.val())
            & self.rvfi_rd_addr.val().any();
        self.conditional.next = (self.opcode.val() == self.opcode_amo.val())
            & (self.funct5.val() == self.funct5_sc.val());

        self.valid_ff.d.next = self.rvfi_valid.val();
        self.hart_ff.d.next = self.rvfi_hart.val();
        self.trap_ff.d.next = self.rvfi_trap.val();
        self.mode_ff.d.next = self.rvfi_mode.val();
        self.insn_ff.d.next = self.rvfi_insn.val();
        self.pc_ff.d.next = self.rvfi_pc_rdata.val();
        self.addr_ff.d.next = self.rvfi_mem_addr.val();
        // Where the hart would go on.
        self.next_pcs.clock.next = self.clock.val();
        self.opaques.clock.next = self.clock.val();
        self.next_pcs.read_hart.next = self.rvfi_hart.val();
        self.opaques.read_hart.next = self.rvfi_hart.val();
        self.redirect_ff.d.next = self.opaques.read_data.val().any()
            | (self.rvfi_pc_rdata.val() != self.next_pcs.read_data.val());
        self.next_pcs.write_enable.next = self.rvfi_valid.val();
        self.opaques.write_enable.next = self.rvfi_valid.val();
        self.next_pcs.write_hart.next = self.rvfi_hart.val();
        self.opaques.write_hart.next = self.rvfi_hart.val();
        self.next_pcs.write_data.next = self.rvfi_pc_wdata.val();
        self.opaques.write_data.next = self.implied.val();
        if self.rvfi_trap.val()
            | (self.system.val() & !self.funct3.val().any())
            | self.rvfi_jumps.val()
        {
            self.opaques.write_data.next = self.opaque.val();
        }

        // Zero where there is nothing.
        self.rd_addr_ff.d.next = self.rvfi_rd_addr.val();
        self.rmask_ff.d.next = self.rvfi_mem_rmask.val();
        self.wmask_ff.d.next = self.rvfi_mem_wmask.val();
        self.failed_ff.d.next = self.no_failure.val();
        if self.conditional.val()
            & !self.rvfi_mem_rmask.val().any()
            & !self.rvfi_mem_wmask.val().any()
        {
            self.failed_ff.d.next = self.failure.val();
        }
        self.operation_ff.d.next =
            self.rvfi_mem_rmask.val().any() | self.csr.val() | self.conditional.val();
        self.masked.next = self.rvfi_mem_addr.val() & self.mem_mask.val();
        self.certain_ff.d.next =
            self.csr.val() | self.conditional.val() | (self.masked.val() != self.mem_base.val());
        // Ports say nothing in a cycle in which nothing retires, whatever they still show.
        if self.rvfi_trap.val() | !self.rvfi_valid.val() {
            self.rd_addr_ff.d.next = self.no_register.val();
            self.rmask_ff.d.next = self.no_lanes.val();
            self.wmask_ff.d.next = self.no_lanes.val();
            self.operation_ff.d.next = false;
        }
        self.rd_data_ff.d.next = self.rvfi_rd_wdata.val();
        if self.rvfi_trap.val() | !self.rvfi_rd_addr.val().any() {
            self.rd_data_ff.d.next = self.none.val();
        }
        self.store_addr_ff.d.next = self.rvfi_mem_addr.val();
        if self.rvfi_trap.val() | !self.rvfi_mem_wmask.val().any() {
            self.store_addr_ff.d.next = self.none.val();
        }
        self.read_0_ff.d.next = self.rvfi_mem_rdata.val().get_bits::<8>(0);
        if self.rvfi_trap.val() | !self.rvfi_mem_rmask.val().get_bit(0) {
            self.read_0_ff.d.next = self.no_byte.val();
        }
        self.read_1_ff.d.next = self.rvfi_mem_rdata.val().get_bits::<8>(8);
        if self.rvfi_trap.val() | !self.rvfi_mem_rmask.val().get_bit(1) {
            self.read_1_ff.d.next = self.no_byte.val();
        }
        self.read_2_ff.d.next = self.rvfi_mem_rdata.val().get_bits::<8>(16);
        if self.rvfi_trap.val() | !self.rvfi_mem_rmask.val().get_bit(2) {
            self.read_2_ff.d.next = self.no_byte.val();
        }
        self.read_3_ff.d.next = self.rvfi_mem_rdata.val().get_bits::<8>(24);
        if self.rvfi_trap.val() | !self.rvfi_mem_rmask.val().get_bit(3) {
            self.read_3_ff.d.next = self.no_byte.val();
        }
        self.stored_0_ff.d.next = self.rvfi_mem_wdata.val().get_bits::<8>(0);
        if self.rvfi_trap.val() | !self.rvfi_mem_wmask.val().get_bit(0) {
            self.stored_0_ff.d.next = self.no_byte.val();
        }
        self.stored_1_ff.d.next = self.rvfi_mem_wdata.val().get_bits::<8>(8);
        if self.rvfi_trap.val() | !self.rvfi_mem_wmask.val().get_bit(1) {
            self.stored_1_ff.d.next = self.no_byte.val();
        }
        self.stored_2_ff.d.next = self.rvfi_mem_wdata.val().get_bits::<8>(16);
        if self.rvfi_trap.val() | !self.rvfi_mem_wmask.val().get_bit(2) {
            self.stored_2_ff.d.next = self.no_byte.val();
        }
        self.stored_3_ff.d.next = self.rvfi_mem_wdata.val().get_bits::<8>(24);
        if self.rvfi_trap.val() | !self.rvfi_mem_wmask.val().get_bit(3) {
            self.stored_3_ff.d.next = self.no_byte.val();
        }
        self.lowest_0_ff.d.next = self.rvfi_mem_rmask.val().get_bit(0);
        self.lowest_1_ff.d.next =
            self.rvfi_mem_rmask.val().get_bit(1) & !self.rvfi_mem_rmask.val().get_bit(0);
        self.lowest_2_ff.d.next = self.rvfi_mem_rmask.val().get_bit(2)
            & !self.rvfi_mem_rmask.val().get_bits::<2>(0).any();
        self.lowest_3_ff.d.next = !self.rvfi_mem_rmask.val().get_bits::<3>(0).any();
        self.csr_value_ff.d.next = self.rvfi_rd_wdata.val();
        if !self.csr.val() | self.rvfi_mem_rmask.val().any() {
            self.csr_value_ff.d.next = self.none.val();
        }
        self.snooped_ff.d.next = self.snoop_valid.val() & self.snoop_mask.val().any();
        self.snooped_addr_ff.d.next = self.snoop_addr.val();
        self.snooped_mask_ff.d.next = self.snoop_mask.val();

        // What the next stage sees.
        self.valid.next = self.valid_ff.q.val();
        self.hart.next = self.hart_ff.q.val();
        self.trap.next = self.trap_ff.q.val();
        self.mode.next = self.mode_ff.q.val();
        self.insn.next = self.insn_ff.q.val();
        self.pc.next = self.pc_ff.q.val();
        self.masked.next = self.pc_ff.q.val() & self.mem_mask.val();
        self.pc_in_memory.next = self.masked.val() == self.mem_base.val();
        self.redirect.next = self.redirect_ff.q.val();
        self.rd_addr.next = self.rd_addr_ff.q.val();
        self.rd_data.next = self.rd_data_ff.q.val();
        self.addr.next = self.addr_ff.q.val();
        self.store_addr.next = self.store_addr_ff.q.val();
        self.rmask.next = self.rmask_ff.q.val();
        self.wmask.next = self.wmask_ff.q.val();
        self.store.next = self.wmask_ff.q.val().any();
        self.store_data.next = bit_cast::<32, 8>(self.stored_0_ff.q.val())
            | (bit_cast::<32, 8>(self.stored_1_ff.q.val()) << 8)
            | (bit_cast::<32, 8>(self.stored_2_ff.q.val()) << 16)
            | (bit_cast::<32, 8>(self.stored_3_ff.q.val()) << 24);
        self.operation.next = self.operation_ff.q.val();
        self.certain.next = self.certain_ff.q.val();
        self.masked.next = self.addr_ff.q.val() & self.mem_mask.val();
        self.in_memory.next = self.masked.val() == self.mem_base.val();
        self.data.next =
            self.in_memory.val() & (self.rmask_ff.q.val().any() | self.wmask_ff.q.val().any());
        // Bytes that were not read are zero already.
        self.value.next = self.csr_value_ff.q.val()
            | bit_cast::<32, 1>(self.failed_ff.q.val())
            | bit_cast::<32, 8>(self.read_0_ff.q.val());
        if self.lowest_0_ff.q.val() {
            self.value.next = self.value.val()
                | (bit_cast::<32, 8>(self.read_1_ff.q.val()) << 8)
                | (bit_cast::<32, 8>(self.read_2_ff.q.val()) << 16)
                | (bit_cast::<32, 8>(self.read_3_ff.q.val()) << 24);
        }
        if self.lowest_1_ff.q.val() {
            self.value.next = self.value.val()
                | bit_cast::<32, 8>(self.read_1_ff.q.val())
                | (bit_cast::<32, 8>(self.read_2_ff.q.val()) << 8)
                | (bit_cast::<32, 8>(self.read_3_ff.q.val()) << 16);
        }
        if self.lowest_2_ff.q.val() {
            self.value.next = self.value.val()
                | bit_cast::<32, 8>(self.read_2_ff.q.val())
                | (bit_cast::<32, 8>(self.read_3_ff.q.val()) << 8);
        }
        if self.lowest_3_ff.q.val() {
            self.value.next = self.value.val() | bit_cast::<32, 8>(self.read_3_ff.q.val());
        }
        self.snooped.next = self.snooped_ff.q.val();
        self.masked.next = self.snooped_addr_ff.q.val() & self.mem_mask.val();
        self.snooped_memory.next =
            self.snooped_ff.q.val() & (self.masked.val() == self.mem_base.val());
        self.snooped_addr.next = self.snooped_addr_ff.q.val();
        self.snooped_mask.next = self.snooped_mask_ff.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::config::{MEM_BASE, MEM_MASK};
    use crate::recorder::testing::{check_block, retirements};
    use crate::tick;
    use lookback_log_format::Retire;
    use lookback_model::recorder::Operation;

    /// Sets the retirement port.
    fn drive(stage: &mut RetireStage<1>, r: &Retire) {
        stage.rvfi_valid.next = true;
        stage.rvfi_insn.next = u64::from(r.insn).into();
        stage.rvfi_trap.next = r.trap;
        stage.rvfi_mode.next = u64::from(r.mode).into();
        stage.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
        stage.rvfi_rd_wdata.next = u64::from(r.rd_wdata).into();
        stage.rvfi_pc_rdata.next = u64::from(r.pc_rdata).into();
        stage.rvfi_pc_wdata.next = u64::from(r.pc_wdata).into();
        stage.rvfi_mem_addr.next = u64::from(r.mem_addr).into();
        stage.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
        stage.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
        stage.rvfi_mem_rdata.next = u64::from(r.mem_rdata).into();
        stage.rvfi_mem_wdata.next = u64::from(r.mem_wdata).into();
        stage.mem_base.next = u64::from(MEM_BASE).into();
        stage.mem_mask.next = u64::from(MEM_MASK).into();
    }

    #[test]
    fn synthesizes() {
        check_block(RetireStage::<1>::default(), "lookback_retire_stage");
        check_block(RetireStage::<2>::default(), "lookback_retire_stage_2");
    }

    #[test]
    fn names_the_operations_of_the_model() {
        let mut stage = RetireStage::<1>::default();
        stage.connect_all();
        let mut operations = 0;
        for r in retirements(2, 3000) {
            drive(&mut stage, &r);
            tick!(stage);
            let (certain, value) = match Operation::of(&r) {
                Some(Operation::MemoryRead(value)) => (r.mem_addr < 0x8000_0000, value),
                Some(
                    Operation::CsrRead(value)
                    | Operation::StoreConditional(value)
                    | Operation::Opaque(value),
                ) => (true, value),
                None => {
                    assert!(!stage.operation.val());
                    continue;
                }
            };
            operations += 1;
            assert!(stage.operation.val());
            assert_eq!(stage.certain.val(), certain);
            assert_eq!(stage.value.val().to_u32(), value);
        }
        assert!(operations > 500);
    }
}
