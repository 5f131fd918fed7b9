//! Control and status registers: what a CSR instruction reads, whether it may, and what it writes.
//!
//! ```text
//!  access, name, insn, rs1 ──► csr ──► rdata, illegal     (same cycle; the write at its end)
//!                               ├── traps     (trap entry, mret, interrupts: ports passed through)
//!                               └── counters
//! ```
//! `medeleg` and `mideleg` do not exist without S mode. PMP and performance-monitor registers accept
//! writes and read zero, and U mode may access everything: a program written for `virt` that sets PMP
//! up to let U mode in runs unchanged; one that uses PMP to keep U mode out is not protected.

use super::counters::Counters;
use super::csr_select::CsrName;
use super::traps::Traps;
use rust_hdl::prelude::*;

circuit! {
    /// CSR access of the hart.
    pub struct Csr {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// a CSR instruction executes in this cycle
        pub access: Signal<In, Bit>,
        /// the register that it names
        pub name: Signal<In, CsrName>,
        /// that instruction
        pub insn: Signal<In, Bits<32>>,
        /// its rs1
        pub rs1: Signal<In, Bits<32>>,
        /// old value of the CSR
        pub rdata: Signal<Out, Bits<32>>,
        /// the CSR does not exist or may not be accessed so
        pub illegal: Signal<Out, Bit>,
        /// a trap is entered in this cycle
        pub trap: Signal<In, Bit>,
        /// it is an interrupt
        pub trap_interrupt: Signal<In, Bit>,
        /// for `mcause`
        pub trap_cause: Signal<In, Bits<4>>,
        /// for `mtval`
        pub trap_value: Signal<In, Bits<32>>,
        /// for `mepc`
        pub trap_pc: Signal<In, Bits<32>>,
        /// where the trap goes, valid with `trap`; otherwise where `mret` goes
        pub target: Signal<Out, Bits<32>>,
        /// `mret` executes in this cycle
        pub mret: Signal<In, Bit>,
        /// `mepc`
        pub mepc: Signal<Out, Bits<32>>,
        /// the hart is in M mode
        pub machine: Signal<Out, Bit>,
        /// `wfi` traps in U mode
        pub timeout_wait: Signal<Out, Bit>,
        /// `mhartid`
        pub hart_id: Signal<In, Bits<2>>,
        /// time runs
        pub running: Signal<In, Bit>,
        /// an instruction completes in this cycle
        pub retire: Signal<In, Bit>,
        /// software interrupt pending
        pub software: Signal<In, Bit>,
        /// timer interrupt pending
        pub timer: Signal<In, Bit>,
        /// external interrupt pending
        pub external: Signal<In, Bit>,
        /// `time`, low half
        pub time_low: Signal<In, Bits<32>>,
        /// `time`, high half
        pub time_high: Signal<In, Bits<32>>,
        /// an interrupt is to be taken
        pub request: Signal<Out, Bit>,
        /// which one
        pub request_cause: Signal<Out, Bits<4>>,
        /// an enabled interrupt is pending, even if interrupts are globally off
        pub wake: Signal<Out, Bit>,
        counters: Counters,
        traps: Traps,
        scratch_ff: DFF<Bits<32>>,
        counteren_ff: DFF<Bits<32>>,
        inhibit_ff: DFF<Bits<32>>,
        enabled: Signal<Local, Bit>,
        old: Signal<Local, Bits<32>>,
        source: Signal<Local, Bits<32>>,
        new_value: Signal<Local, Bits<32>>,
        wants_write: Signal<Local, Bit>,
        refused: Signal<Local, Bit>,
        write: Signal<Local, Bit>,
    }
    constants {
        zero: 32 = 0,
        isa: 32 = 0x4010_1101,
        rs1_field: 32 = 0x000f_8000,
        counteren_bits: 32 = 7,
        inhibit_bits: 32 = 5,
    }
}

impl Logic for Csr {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, scratch_ff, counteren_ff, inhibit_ff);
        self.traps.clock.next = self.clock.val();
        self.traps.reset.next = self.reset.val();
        self.traps.trap.next = self.trap.val();
        self.traps.trap_interrupt.next = self.trap_interrupt.val();
        self.traps.trap_cause.next = self.trap_cause.val();
        self.traps.trap_value.next = self.trap_value.val();
        self.traps.trap_pc.next = self.trap_pc.val();
        self.traps.mret.next = self.mret.val();
        self.traps.software.next = self.software.val();
        self.traps.timer.next = self.timer.val();
        self.traps.external.next = self.external.val();
        self.traps.name.next = self.name.val();
        self.target.next = self.traps.target.val();
        self.mepc.next = self.traps.epc.val();
        self.machine.next = self.traps.machine.val();
        self.timeout_wait.next = self.traps.status.val().get_bit(21);
        self.request.next = self.traps.request.val();
        self.request_cause.next = self.traps.request_cause.val();
        self.wake.next = self.traps.wake.val();
        self.counters.clock.next = self.clock.val();
        self.counters.reset.next = self.reset.val();
        self.counters.count_cycle.next = self.running.val() & !self.inhibit_ff.q.val().get_bit(0);
        self.counters.count_instruction.next =
            self.retire.val() & !self.inhibit_ff.q.val().get_bit(2);
        self.old.next = self.zero.val();
        self.source.next = self.zero.val();
        self.new_value.next = self.zero.val();
        // csrrs and csrrc with x0 or a zero immediate do not write, not even a read-only register.
        self.wants_write.next =
            !self.insn.val().get_bit(13) | (self.insn.val() & self.rs1_field.val()).any();
        self.refused.next = (self.name.val() == CsrName::Unknown)
            | (self.wants_write.val()
                & (self.insn.val().get_bit(31) & self.insn.val().get_bit(30)));
        // U mode has the user counters, as far as mcounteren lets it.
        self.enabled.next = self.counteren_ff.q.val().get_bit(0);
        if self.insn.val().get_bit(20) {
            self.enabled.next = self.counteren_ff.q.val().get_bit(1);
        } else if self.insn.val().get_bit(21) {
            self.enabled.next = self.counteren_ff.q.val().get_bit(2);
        }
        if !self.traps.machine.val()
            & (((self.name.val() == CsrName::Zero) | !self.enabled.val())
                | (self.insn.val().get_bit(29) | self.insn.val().get_bit(28)))
        {
            self.refused.next = true;
        }
        if self.access.val() {
            match self.name.val() {
                CsrName::Status => self.old.next = self.traps.status.val(),
                CsrName::Isa => self.old.next = self.isa.val(),
                CsrName::Enables => self.old.next = self.traps.enables.val(),
                CsrName::Vector => self.old.next = self.traps.vector.val(),
                CsrName::CounterEnable => self.old.next = self.counteren_ff.q.val(),
                CsrName::Inhibit => self.old.next = self.inhibit_ff.q.val(),
                CsrName::Scratch => self.old.next = self.scratch_ff.q.val(),
                CsrName::Epc => self.old.next = self.traps.epc.val(),
                CsrName::Cause => self.old.next = self.traps.cause.val(),
                CsrName::Value => self.old.next = self.traps.value.val(),
                CsrName::Pending => self.old.next = self.traps.pending.val(),
                CsrName::Cycle => self.old.next = self.counters.cycle.val(),
                CsrName::CycleHigh => self.old.next = self.counters.cycle_high.val(),
                CsrName::Time => self.old.next = self.time_low.val(),
                CsrName::TimeHigh => self.old.next = self.time_high.val(),
                CsrName::Instret => self.old.next = self.counters.instruction.val(),
                CsrName::InstretHigh => self.old.next = self.counters.instruction_high.val(),
                CsrName::HartId => self.old.next = bit_cast::<32, 2>(self.hart_id.val()),
                _ => self.old.next = self.zero.val(),
            }
            self.source.next = self.rs1.val();
            if self.insn.val().get_bit(14) {
                self.source.next = bit_cast::<32, 5>(self.insn.val().get_bits::<5>(15));
            }
            self.new_value.next = self.source.val();
            if self.insn.val().get_bit(13) {
                self.new_value.next = self.old.val() | self.source.val();
                if self.insn.val().get_bit(12) {
                    self.new_value.next = self.old.val() & !self.source.val();
                }
            }
        }
        self.rdata.next = self.old.val();
        self.illegal.next = self.refused.val();
        self.write.next = (self.access.val() & self.wants_write.val()) & !self.refused.val();
        self.traps.write.next = self.write.val();
        self.traps.write_data.next = self.new_value.val();
        self.counters.write_data.next = self.new_value.val();
        self.counters.write_cycle.next = self.write.val() & (self.name.val() == CsrName::Cycle);
        self.counters.write_cycle_high.next =
            self.write.val() & (self.name.val() == CsrName::CycleHigh);
        self.counters.write_instruction.next =
            self.write.val() & (self.name.val() == CsrName::Instret);
        self.counters.write_instruction_high.next =
            self.write.val() & (self.name.val() == CsrName::InstretHigh);
        if self.write.val() {
            if self.name.val() == CsrName::Scratch {
                self.scratch_ff.d.next = self.new_value.val();
            } else if self.name.val() == CsrName::CounterEnable {
                self.counteren_ff.d.next = self.new_value.val() & self.counteren_bits.val();
            } else if self.name.val() == CsrName::Inhibit {
                self.inhibit_ff.d.next = self.new_value.val() & self.inhibit_bits.val();
            }
        }
        if self.reset.val() {
            self.scratch_ff.d.next = self.zero.val();
            self.counteren_ff.d.next = self.zero.val();
            self.inhibit_ff.d.next = self.zero.val();
        }
    }
}
