//! Key groups, and which registers the reader knows in one: sections 10.1 and 10.2 (sources) of the
//! log format.
//!
//! Combinational answers about the instruction that `IntervalControl` decides about in the same cycle;
//! they do not depend on that decision. What an accepted instruction tells counts from the next one on.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// A bit for each register, and the intervals left in the key group.
    pub struct Told [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins
        pub clear: Signal<In, Bit>,
        /// intervals a key group, at least 1
        pub key_every: Signal<In, Bits<16>>,
        /// word of the instruction
        pub insn: Signal<In, Bits<32>>,
        /// register that it writes, 0 for none
        pub rd_addr: Signal<In, Bits<5>>,
        /// it is recorded
        pub accept: Signal<In, Bit>,
        /// an interval ends with it, or with the one before
        pub last: Signal<In, Bit>,
        /// events are lost
        pub gap_start: Signal<In, Bit>,
        /// if it is recorded it opens a key interval
        pub key: Signal<Out, Bit>,
        /// the reader needs its first source
        pub left: Signal<Out, Bit>,
        /// the reader needs its second source
        pub right: Signal<Out, Bit>,
        told_ff: DFF<Bits<32>>,
        opened_ff: DFF<Bit>,
        intervals_ff: DFF<Bits<16>>,
        opcode: Signal<Local, Bits<7>>,
        funct3: Signal<Local, Bits<3>>,
        first: Signal<Local, Bits<5>>,
        second: Signal<Local, Bits<5>>,
        amo: Signal<Local, Bit>,
        both: Signal<Local, Bit>,
        single: Signal<Local, Bit>,
        told: Signal<Local, Bits<32>>,
        names_left: Signal<Local, Bit>,
        opened: Signal<Local, Bit>,
        intervals: Signal<Local, Bits<16>>,
        mark: Signal<Local, Bits<32>>,
        remaining: Signal<Local, Bits<16>>,
    }
    constants {
        load: 7 = 0x03,
        op_imm: 7 = 0x13,
        jalr: 7 = 0x67,
        branch: 7 = 0x63,
        store: 7 = 0x23,
        op: 7 = 0x33,
        system: 7 = 0x73,
        opcode_amo: 7 = 0x2f,
        funct5_lr: 5 = 2,
        zero_told: 32 = 1,
        no_mark: 32 = 0,
        one: 16 = 1,
        none: 16 = 0,
    }
}

impl Logic for Told {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, told_ff, opened_ff, intervals_ff);
        self.key.next = !self.opened_ff.q.val() & !self.intervals_ff.q.val().any();

        // The registers that the word names as sources.
        self.opcode.next = self.insn.val().get_bits::<7>(0);
        self.funct3.next = self.insn.val().get_bits::<3>(12);
        self.first.next = self.insn.val().get_bits::<5>(15);
        self.second.next = self.insn.val().get_bits::<5>(20);
        self.amo.next = self.opcode.val() == self.opcode_amo.val();
        self.both.next = (self.opcode.val() == self.branch.val())
            | (self.opcode.val() == self.store.val())
            | (self.opcode.val() == self.op.val())
            | (self.amo.val() & (self.insn.val().get_bits::<5>(27) != self.funct5_lr.val()));
        self.single.next = (self.opcode.val() == self.load.val())
            | (self.opcode.val() == self.op_imm.val())
            | (self.opcode.val() == self.jalr.val())
            | (self.opcode.val() == self.opcode_amo.val())
            | ((self.opcode.val() == self.system.val())
                & !self.funct3.val().get_bit(2)
                & self.funct3.val().any());

        // What is told, before the instruction and by it. A source that was told already may be told
        // again, so that the next state does not wait for the answers.
        self.names_left.next = self.both.val() | self.single.val();
        self.left.next =
            self.names_left.val() & !self.told_ff.q.val().get_bit(self.first.val().index());
        self.right.next = self.both.val()
            & (self.first.val() != self.second.val())
            & !self.told_ff.q.val().get_bit(self.second.val().index());
        self.mark.next = self.no_mark.val();
        if self.names_left.val() {
            self.mark.next = self.zero_told.val() << self.first.val();
        }
        self.told.next = self.told_ff.q.val() | self.mark.val();
        self.mark.next = self.no_mark.val();
        if self.both.val() {
            self.mark.next = self.zero_told.val() << self.second.val();
        }
        self.told.next = self.told.val() | self.mark.val();
        self.mark.next = self.zero_told.val() << self.rd_addr.val();
        if self.accept.val() {
            self.told_ff.d.next = self.told.val() | self.mark.val();
        }

        // Key groups.
        self.opened.next = self.opened_ff.q.val();
        self.intervals.next = self.intervals_ff.q.val();
        self.remaining.next = self.intervals_ff.q.val();
        if self.key.val() {
            self.remaining.next = self.key_every.val();
        }
        if self.accept.val() {
            self.opened.next = true;
            if !self.opened_ff.q.val() {
                self.intervals.next = self.remaining.val() - self.one.val();
            }
        }
        if self.last.val() | self.clear.val() {
            self.opened.next = false;
        }
        if self.gap_start.val() | self.clear.val() {
            self.intervals.next = self.none.val();
        }
        self.opened_ff.d.next = self.opened.val();
        self.intervals_ff.d.next = self.intervals.val();
        // The next instruction opens a key group: nothing is told but x0.
        if !self.opened.val() & !self.intervals.val().any() {
            self.told_ff.d.next = self.zero_told.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Told::default(), "lookback_compact_told");
    }
}
