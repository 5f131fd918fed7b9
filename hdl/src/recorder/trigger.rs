//! Watches for the instruction that fires a trigger: section 6.1 of the log format. Twin of
//! `lookback_model::trigger`.
//!
//! ```text
//!  rvfi_* ─► words, windows ─► hits (registers) ─┐
//!  pin, watch (TRIGGER) ─────────────────────────┼─► fires ─► (interval control)
//!  trap ─────────────────────────────────────────┘     └─ accept ─► cause
//! ```
//! The ports are those of the first stage; `trap`, `fires` and `accept` are about the same retirement a
//! cycle later, when the interval control decides about it. `fires` says nothing of an instruction that
//! is not accepted. The two words differ in three bits, and windows are compared by carry chains: the
//! comparisons take hardly any LUTs.

use rust_hdl::prelude::*;

circuit! {
    /// The triggers of one hart.
    pub struct Trigger [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: nothing has fired
        pub clear: Signal<In, Bit>,
        /// word of the instruction that retires
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it is `c.ebreak`
        pub rvfi_breaks: Signal<In, Bit>,
        /// it trapped
        pub rvfi_trap: Signal<In, Bit>,
        /// its address
        pub rvfi_pc_rdata: Signal<In, Bits<32>>,
        /// word-aligned data address
        pub rvfi_mem_addr: Signal<In, Bits<32>>,
        /// bytes read
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// bytes written
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// CONTROL bit 3: a trap is a trigger
        pub on_trap: Signal<In, Bit>,
        /// TRIGGER
        pub watch: Signal<In, Bits<6>>,
        /// TRIGGER_LO
        pub watch_lo: Signal<In, Bits<32>>,
        /// TRIGGER_HI
        pub watch_hi: Signal<In, Bits<32>>,
        /// the next recorded instruction is a trigger
        pub pin: Signal<In, Bit>,
        /// another hart's trigger was the first
        pub disarm: Signal<In, Bit>,
        /// a recording is under way
        pub recording: Signal<In, Bit>,
        /// the retirement of the cycle before trapped
        pub trap: Signal<In, Bit>,
        /// it is recorded
        pub accept: Signal<In, Bit>,
        /// it fires a trigger, if none has fired
        pub fires: Signal<Out, Bit>,
        /// what fired, 0 for nothing
        pub cause: Signal<Out, Bits<3>>,
        ebreak_ff: DFF<Bit>,
        call_ff: DFF<Bit>,
        pc_ff: DFF<Bit>,
        access_ff: DFF<Bit>,
        pulled_ff: DFF<Bit>,
        cause_ff: DFF<Bits<3>>,
        alike: Signal<Local, Bit>,
        fired_by: Signal<Local, Bits<3>>,
    }
    constants {
        upper: 18 = lookback_log_format::trigger::EBREAK >> 14,
        middle: 6 = lookback_log_format::trigger::EBREAK >> 7 & 0x3f,
        lower: 5 = lookback_log_format::trigger::EBREAK & 0x1f,
        nothing: 3 = 0,
        by_ebreak: 3 = 1,
        by_call: 3 = 2,
        by_pc: 3 = 3,
        by_access: 3 = 4,
        by_trap: 3 = 5,
        by_pin: 3 = 6,
        by_host: 3 = 7,
    }
    check {
        assert!(
            lookback_log_format::trigger::EBREAK ^ lookback_log_format::trigger::CALL == 0x2060,
            "bits 13, 6 and 5 tell the two words apart"
        );
    }
}

impl Logic for Trigger {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ebreak_ff, call_ff, pc_ff, access_ff, pulled_ff, cause_ff);

        // What the instruction is by itself.
        self.alike.next = (self.rvfi_insn.val().get_bits::<18>(14) == self.upper.val())
            & (self.rvfi_insn.val().get_bits::<6>(7) == self.middle.val())
            & (self.rvfi_insn.val().get_bits::<5>(0) == self.lower.val());
        self.ebreak_ff.d.next = self.watch.val().get_bit(0)
            & ((self.alike.val()
                & self.rvfi_insn.val().get_bits::<2>(5).all()
                & !self.rvfi_insn.val().get_bit(13))
                | self.rvfi_breaks.val());
        self.call_ff.d.next = self.watch.val().get_bit(1)
            & self.alike.val()
            & !self.rvfi_insn.val().get_bits::<2>(5).any()
            & self.rvfi_insn.val().get_bit(13);
        self.pc_ff.d.next = self.watch.val().get_bit(2)
            & (self.rvfi_pc_rdata.val() >= self.watch_lo.val())
            & (self.rvfi_pc_rdata.val() < self.watch_hi.val());
        self.access_ff.d.next = ((self.watch.val().get_bit(3) & self.rvfi_mem_rmask.val().any())
            | (self.watch.val().get_bit(4) & self.rvfi_mem_wmask.val().any()))
            & !self.rvfi_trap.val()
            & (self.rvfi_mem_addr.val() >= self.watch_lo.val())
            & (self.rvfi_mem_addr.val() < self.watch_hi.val());
        // The pin may be shorter than the time between two instructions.
        if self.pin.val() & self.recording.val() {
            self.pulled_ff.d.next = true;
        }

        // The lowest number counts.
        self.fired_by.next = self.nothing.val();
        if self.ebreak_ff.q.val() {
            self.fired_by.next = self.by_ebreak.val();
        } else if self.call_ff.q.val() {
            self.fired_by.next = self.by_call.val();
        } else if self.pc_ff.q.val() {
            self.fired_by.next = self.by_pc.val();
        } else if self.access_ff.q.val() {
            self.fired_by.next = self.by_access.val();
        } else if self.trap.val() & self.on_trap.val() {
            self.fired_by.next = self.by_trap.val();
        } else if self.pulled_ff.q.val() {
            self.fired_by.next = self.by_pin.val();
        } else if self.watch.val().get_bit(5) {
            self.fired_by.next = self.by_host.val();
        }
        self.fires.next = self.fired_by.val().any() & !self.disarm.val();
        self.cause.next = self.cause_ff.q.val();
        if self.accept.val() & !self.disarm.val() & !self.cause_ff.q.val().any() {
            self.cause_ff.d.next = self.fired_by.val();
        }
        if self.clear.val() {
            self.pulled_ff.d.next = false;
            self.cause_ff.d.next = self.nothing.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Trigger::default(), "lookback_trigger");
    }
}
