//! `mcycle` and `minstret`, each in two halves because signals above 32 bits simulate slowly.

use rust_hdl::prelude::*;

circuit! {
    /// The two 64-bit counters; a write wins over an increment in the same cycle.
    pub struct Counters {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// add one to `mcycle`
        pub count_cycle: Signal<In, Bit>,
        /// add one to `minstret`
        pub count_instruction: Signal<In, Bit>,
        /// write the low half of `mcycle`
        pub write_cycle: Signal<In, Bit>,
        /// write the high half of `mcycle`
        pub write_cycle_high: Signal<In, Bit>,
        /// write the low half of `minstret`
        pub write_instruction: Signal<In, Bit>,
        /// write the high half of `minstret`
        pub write_instruction_high: Signal<In, Bit>,
        /// value to write
        pub write_data: Signal<In, Bits<32>>,
        /// `mcycle`, low half
        pub cycle: Signal<Out, Bits<32>>,
        /// `mcycle`, high half
        pub cycle_high: Signal<Out, Bits<32>>,
        /// `minstret`, low half
        pub instruction: Signal<Out, Bits<32>>,
        /// `minstret`, high half
        pub instruction_high: Signal<Out, Bits<32>>,
        cycle_ff: DFF<Bits<32>>,
        cycle_high_ff: DFF<Bits<32>>,
        instruction_ff: DFF<Bits<32>>,
        instruction_high_ff: DFF<Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
    }
}

impl Logic for Counters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            cycle_ff,
            cycle_high_ff,
            instruction_ff,
            instruction_high_ff
        );
        self.cycle.next = self.cycle_ff.q.val();
        self.cycle_high.next = self.cycle_high_ff.q.val();
        self.instruction.next = self.instruction_ff.q.val();
        self.instruction_high.next = self.instruction_high_ff.q.val();
        if self.count_cycle.val() {
            self.cycle_ff.d.next = self.cycle_ff.q.val() + self.one.val();
            if self.cycle_ff.q.val().all() {
                self.cycle_high_ff.d.next = self.cycle_high_ff.q.val() + self.one.val();
            }
        }
        if self.count_instruction.val() {
            self.instruction_ff.d.next = self.instruction_ff.q.val() + self.one.val();
            if self.instruction_ff.q.val().all() {
                self.instruction_high_ff.d.next = self.instruction_high_ff.q.val() + self.one.val();
            }
        }
        if self.write_cycle.val() {
            self.cycle_ff.d.next = self.write_data.val();
        }
        if self.write_cycle_high.val() {
            self.cycle_high_ff.d.next = self.write_data.val();
        }
        if self.write_instruction.val() {
            self.instruction_ff.d.next = self.write_data.val();
        }
        if self.write_instruction_high.val() {
            self.instruction_high_ff.d.next = self.write_data.val();
        }
        if self.reset.val() {
            self.cycle_ff.d.next = self.zero.val();
            self.cycle_high_ff.d.next = self.zero.val();
            self.instruction_ff.d.next = self.zero.val();
            self.instruction_high_ff.d.next = self.zero.val();
        }
    }
}
