//! Privilege mode, trap entry and return, and the registers that belong to them.
//!
//! ```text
//!  trap, interrupt, cause, value, pc ──► traps ──► target, machine, mepc
//!  software, timer, external ───────►          ──► request, request_cause, wake
//! ```
//! Only M and U mode exist and every trap goes to M mode.

use super::csr_select::CsrName;
use rust_hdl::prelude::*;

circuit! {
    /// Trap unit.
    pub struct Traps {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
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
        /// the hart is in M mode
        pub machine: Signal<Out, Bit>,
        /// a CSR is written in this cycle; never together with `trap` or `mret`
        pub write: Signal<In, Bit>,
        /// which one
        pub name: Signal<In, CsrName>,
        /// its new value
        pub write_data: Signal<In, Bits<32>>,
        /// software interrupt pending
        pub software: Signal<In, Bit>,
        /// timer interrupt pending
        pub timer: Signal<In, Bit>,
        /// external interrupt pending
        pub external: Signal<In, Bit>,
        /// an interrupt is to be taken
        pub request: Signal<Out, Bit>,
        /// which one
        pub request_cause: Signal<Out, Bits<4>>,
        /// an enabled interrupt is pending, even if interrupts are globally off
        pub wake: Signal<Out, Bit>,
        /// `mstatus`
        pub status: Signal<Out, Bits<32>>,
        /// `mie`
        pub enables: Signal<Out, Bits<32>>,
        /// `mip`
        pub pending: Signal<Out, Bits<32>>,
        /// `mtvec`
        pub vector: Signal<Out, Bits<32>>,
        /// `mepc`
        pub epc: Signal<Out, Bits<32>>,
        /// `mcause`
        pub cause: Signal<Out, Bits<32>>,
        /// `mtval`
        pub value: Signal<Out, Bits<32>>,
        user_ff: DFF<Bit>,
        status_ff: DFF<Bits<32>>,
        enables_ff: DFF<Bits<32>>,
        vector_ff: DFF<Bits<32>>,
        epc_ff: DFF<Bits<32>>,
        cause_ff: DFF<Bits<32>>,
        value_ff: DFF<Bits<32>>,
        active: Signal<Local, Bits<32>>,
        raised: Signal<Local, Bits<32>>,
        new_status: Signal<Local, Bits<32>>,
        base: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        bit_software: 32 = 0x008,
        bit_timer: 32 = 0x080,
        bit_external: 32 = 0x800,
        enable_bits: 32 = 0x888,
        cause_software: 4 = 3,
        cause_timer: 4 = 7,
        cause_external: 4 = 11,
        cause_interrupt: 32 = 0x8000_0000,
        cause_bits: 32 = 0x8000_001f,
        aligned: 32 = 0xffff_fffc,
        status_mie: 32 = 0x0000_0008,
        status_mpie: 32 = 0x0000_0080,
        status_mpp: 32 = 0x0000_1800,
        status_tw: 32 = 0x0020_0000,
        status_tw_mprv: 32 = 0x0022_0000,
        status_writable: 32 = 0x0022_0088,
    }
}

impl Logic for Traps {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, user_ff, status_ff, enables_ff, vector_ff, epc_ff, cause_ff, value_ff
        );
        self.machine.next = !self.user_ff.q.val();
        self.status.next = self.status_ff.q.val();
        self.enables.next = self.enables_ff.q.val();
        self.vector.next = self.vector_ff.q.val();
        self.epc.next = self.epc_ff.q.val();
        self.cause.next = self.cause_ff.q.val();
        self.value.next = self.value_ff.q.val();
        self.raised.next = self.zero.val();
        if self.software.val() {
            self.raised.next = self.raised.val() | self.bit_software.val();
        }
        if self.timer.val() {
            self.raised.next = self.raised.val() | self.bit_timer.val();
        }
        if self.external.val() {
            self.raised.next = self.raised.val() | self.bit_external.val();
        }
        self.pending.next = self.raised.val();
        self.active.next = self.raised.val() & self.enables_ff.q.val();
        self.wake.next = self.active.val().any();
        self.request.next =
            self.active.val().any() & (self.user_ff.q.val() | self.status_ff.q.val().get_bit(3));
        self.request_cause.next = self.cause_timer.val();
        if self.active.val().get_bit(11) {
            self.request_cause.next = self.cause_external.val();
        } else if self.active.val().get_bit(3) {
            self.request_cause.next = self.cause_software.val();
        }
        self.base.next = self.vector_ff.q.val() & self.aligned.val();
        self.target.next = self.epc_ff.q.val();
        self.new_status.next = self.write_data.val() & self.status_writable.val();
        if self.trap.val() {
            self.target.next = self.base.val();
            if self.trap_interrupt.val() & self.vector_ff.q.val().get_bit(0) {
                self.target.next =
                    self.base.val() + (bit_cast::<32, 4>(self.trap_cause.val()) << 2);
            }
            self.epc_ff.d.next = self.trap_pc.val();
            self.value_ff.d.next = self.trap_value.val();
            self.cause_ff.d.next = bit_cast::<32, 4>(self.trap_cause.val());
            if self.trap_interrupt.val() {
                self.value_ff.d.next = self.zero.val();
                self.cause_ff.d.next =
                    bit_cast::<32, 4>(self.trap_cause.val()) | self.cause_interrupt.val();
            }
            self.user_ff.d.next = false;
            self.new_status.next = self.status_ff.q.val() & self.status_tw_mprv.val();
            if self.status_ff.q.val().get_bit(3) {
                self.new_status.next = self.new_status.val() | self.status_mpie.val();
            }
            if !self.user_ff.q.val() {
                self.new_status.next = self.new_status.val() | self.status_mpp.val();
            }
            self.status_ff.d.next = self.new_status.val();
        } else if self.mret.val() {
            self.user_ff.d.next = !self.status_ff.q.val().get_bit(11);
            self.new_status.next = self.status_ff.q.val() & self.status_tw.val();
            if self.status_ff.q.val().get_bit(11) {
                self.new_status.next = self.status_ff.q.val() & self.status_tw_mprv.val();
            }
            if self.status_ff.q.val().get_bit(7) {
                self.new_status.next = self.new_status.val() | self.status_mie.val();
            }
            self.status_ff.d.next = self.new_status.val() | self.status_mpie.val();
        } else if self.write.val() {
            match self.name.val() {
                CsrName::Status => {
                    if self.write_data.val().get_bits::<2>(11).all() {
                        self.new_status.next = self.new_status.val() | self.status_mpp.val();
                    }
                    self.status_ff.d.next = self.new_status.val();
                }
                CsrName::Enables => {
                    self.enables_ff.d.next = self.write_data.val() & self.enable_bits.val();
                }
                CsrName::Vector => {
                    // Modes above vectored are reserved: the write is ignored, as QEMU does.
                    if !self.write_data.val().get_bit(1) {
                        self.vector_ff.d.next = self.write_data.val();
                    }
                }
                CsrName::Epc => self.epc_ff.d.next = self.write_data.val() & self.aligned.val(),
                CsrName::Cause => {
                    self.cause_ff.d.next = self.write_data.val() & self.cause_bits.val()
                }
                CsrName::Value => self.value_ff.d.next = self.write_data.val(),
                _ => self.status_ff.d.next = self.status_ff.q.val(),
            }
        }
        if self.reset.val() {
            self.user_ff.d.next = false;
            self.status_ff.d.next = self.zero.val();
            self.enables_ff.d.next = self.zero.val();
            self.vector_ff.d.next = self.zero.val();
            self.epc_ff.d.next = self.zero.val();
            self.cause_ff.d.next = self.zero.val();
            self.value_ff.d.next = self.zero.val();
        }
    }
}
