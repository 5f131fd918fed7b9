//! The numbers of a recording: retirements, cycles, stalls and losses, and the copies of them that
//! stand in interval headers and gap records.
//!
//! 64 bits in two halves, because wider signals simulate slowly. Headers are written while the hart
//! runs on, so they get copies; `mark` takes them. A gap's own numbers are copied too: the next gap
//! may begin before this one is written.
//!
//! The numbers are those of all harts together, the copies and a gap's own each hart's: `hart` says whose
//! retirement is counted or lost, or whose gap ends. All of them have to pass by while `clear` is high.

use crate::memory::PerHart;
use rust_hdl::prelude::*;

circuit! {
    /// Counters of `N` harts and their copies.
    pub struct Counters [N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: all zero
        pub clear: Signal<In, Bit>,
        /// whose turn it is
        pub hart: Signal<In, Bits<2>>,
        /// whose copies to read
        pub of: Signal<In, Bits<2>>,
        /// an instruction retires
        pub retire: Signal<In, Bit>,
        /// a cycle of the recording
        pub cycle: Signal<In, Bit>,
        /// a cycle in which the recorder stalls the hart
        pub stall: Signal<In, Bit>,
        /// the instruction that retires is lost
        pub lose: Signal<In, Bit>,
        /// the instruction that retires is the first of an interval, or a gap ends
        pub mark: Signal<In, Bit>,
        /// retirements, low half
        pub retired_lo: Signal<Out, Bits<32>>,
        /// retirements, high half
        pub retired_hi: Signal<Out, Bits<32>>,
        /// cycles, low half
        pub cycles_lo: Signal<Out, Bits<32>>,
        /// cycles, high half
        pub cycles_hi: Signal<Out, Bits<32>>,
        /// stalls, low half
        pub stalls_lo: Signal<Out, Bits<32>>,
        /// stalls, high half
        pub stalls_hi: Signal<Out, Bits<32>>,
        /// retirements lost, low half
        pub lost_lo: Signal<Out, Bits<32>>,
        /// retirements lost, high half
        pub lost_hi: Signal<Out, Bits<32>>,
        /// cycles at `mark`
        pub mark_cycles_lo: Signal<Out, Bits<32>>,
        /// high half
        pub mark_cycles_hi: Signal<Out, Bits<32>>,
        /// retirements lost in the gap that ended at `mark`
        pub gap_lost_lo: Signal<Out, Bits<32>>,
        /// above that: 2^40 retirements take hours
        pub gap_lost_hi: Signal<Out, Bits<8>>,
        retired_lo_ff: DFF<Bits<32>>,
        retired_hi_ff: DFF<Bits<32>>,
        cycles_lo_ff: DFF<Bits<32>>,
        cycles_hi_ff: DFF<Bits<32>>,
        stalls_lo_ff: DFF<Bits<32>>,
        stalls_hi_ff: DFF<Bits<32>>,
        stalls_top_ff: DFF<Bit>,
        lost_lo_ff: DFF<Bits<32>>,
        lost_hi_ff: DFF<Bits<32>>,
        lost_top_ff: DFF<Bit>,
        mark_cycles_lows: PerHart<32, N>,
        mark_cycles_highs: PerHart<32, N>,
        losing_lows: PerHart<32, N>,
        /// and above that the highest bit of the low half, as it was one loss before
        losing_highs: PerHart<9, N>,
        gap_lost_lows: PerHart<32, N>,
        gap_lost_highs: PerHart<8, N>,
        losing_lo: Signal<Local, Bits<32>>,
        losing_old: Signal<Local, Bits<9>>,
        losing_hi: Signal<Local, Bits<8>>,
        carries: Signal<Local, Bit>,
        forgets: Signal<Local, Bit>,
    }
    constants {
        zero: 32 = 0,
        zero_hi: 9 = 0,
        one: 32 = 1,
    }
}

impl<const N: usize> Logic for Counters<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            retired_lo_ff,
            retired_hi_ff,
            cycles_lo_ff,
            cycles_hi_ff,
            stalls_lo_ff,
            stalls_hi_ff,
            stalls_top_ff,
            lost_lo_ff,
            lost_hi_ff,
            lost_top_ff
        );
        // Exact at every moment, because headers copy them.
        if self.retire.val() {
            self.retired_lo_ff.d.next = self.retired_lo_ff.q.val() + self.one.val();
            if self.retired_lo_ff.q.val().all() {
                self.retired_hi_ff.d.next = self.retired_hi_ff.q.val() + self.one.val();
            }
        }
        if self.cycle.val() {
            self.cycles_lo_ff.d.next = self.cycles_lo_ff.q.val() + self.one.val();
            if self.cycles_lo_ff.q.val().all() {
                self.cycles_hi_ff.d.next = self.cycles_hi_ff.q.val() + self.one.val();
            }
        }
        // The high halves of these may follow a cycle later.
        if self.stall.val() {
            self.stalls_lo_ff.d.next = self.stalls_lo_ff.q.val() + self.one.val();
        }
        self.stalls_top_ff.d.next = self.stalls_lo_ff.q.val().get_bit(31);
        if self.stalls_top_ff.q.val() & !self.stalls_lo_ff.q.val().get_bit(31) {
            self.stalls_hi_ff.d.next = self.stalls_hi_ff.q.val() + self.one.val();
        }
        if self.lose.val() {
            self.lost_lo_ff.d.next = self.lost_lo_ff.q.val() + self.one.val();
        }
        self.lost_top_ff.d.next = self.lost_lo_ff.q.val().get_bit(31);
        if self.lost_top_ff.q.val() & !self.lost_lo_ff.q.val().get_bit(31) {
            self.lost_hi_ff.d.next = self.lost_hi_ff.q.val() + self.one.val();
        }

        // A gap's own losses: zero from the end of the gap before. The high half follows with the next.
        self.losing_lows.clock.next = self.clock.val();
        self.losing_highs.clock.next = self.clock.val();
        self.losing_lows.read_hart.next = self.hart.val();
        self.losing_highs.read_hart.next = self.hart.val();
        self.losing_lo.next = self.losing_lows.read_data.val();
        self.losing_old.next = self.losing_highs.read_data.val();
        self.carries.next = self.losing_old.val().get_bit(8) & !self.losing_lo.val().get_bit(31);
        self.losing_hi.next = self.losing_old.val().get_bits::<8>(0) + self.carries.val();
        self.forgets.next = self.mark.val() | self.clear.val();
        self.losing_lows.write_enable.next = self.forgets.val() | self.lose.val();
        self.losing_highs.write_enable.next = self.forgets.val() | self.lose.val();
        self.losing_lows.write_hart.next = self.hart.val();
        self.losing_highs.write_hart.next = self.hart.val();
        self.losing_lows.write_data.next = self.losing_lo.val() + self.one.val();
        self.losing_highs.write_data.next =
            bit_cast::<9, 8>(self.losing_hi.val()).replace_bit(8, self.losing_lo.val().get_bit(31));
        if self.forgets.val() {
            self.losing_lows.write_data.next = self.zero.val();
            self.losing_highs.write_data.next = self.zero_hi.val();
        }

        // The copies.
        self.mark_cycles_lows.clock.next = self.clock.val();
        self.mark_cycles_highs.clock.next = self.clock.val();
        self.gap_lost_lows.clock.next = self.clock.val();
        self.gap_lost_highs.clock.next = self.clock.val();
        self.mark_cycles_lows.write_enable.next = self.mark.val();
        self.mark_cycles_highs.write_enable.next = self.mark.val();
        self.gap_lost_lows.write_enable.next = self.mark.val();
        self.gap_lost_highs.write_enable.next = self.mark.val();
        self.mark_cycles_lows.write_hart.next = self.hart.val();
        self.mark_cycles_highs.write_hart.next = self.hart.val();
        self.gap_lost_lows.write_hart.next = self.hart.val();
        self.gap_lost_highs.write_hart.next = self.hart.val();
        self.mark_cycles_lows.write_data.next = self.cycles_lo_ff.q.val();
        self.mark_cycles_highs.write_data.next = self.cycles_hi_ff.q.val();
        self.gap_lost_lows.write_data.next = self.losing_lo.val();
        self.gap_lost_highs.write_data.next = self.losing_hi.val();
        self.mark_cycles_lows.read_hart.next = self.of.val();
        self.mark_cycles_highs.read_hart.next = self.of.val();
        self.gap_lost_lows.read_hart.next = self.of.val();
        self.gap_lost_highs.read_hart.next = self.of.val();
        if self.clear.val() {
            self.retired_lo_ff.d.next = self.zero.val();
            self.retired_hi_ff.d.next = self.zero.val();
            self.cycles_lo_ff.d.next = self.zero.val();
            self.cycles_hi_ff.d.next = self.zero.val();
            self.stalls_lo_ff.d.next = self.zero.val();
            self.stalls_hi_ff.d.next = self.zero.val();
            self.stalls_top_ff.d.next = false;
            self.lost_lo_ff.d.next = self.zero.val();
            self.lost_hi_ff.d.next = self.zero.val();
            self.lost_top_ff.d.next = false;
        }

        self.retired_lo.next = self.retired_lo_ff.q.val();
        self.retired_hi.next = self.retired_hi_ff.q.val();
        self.cycles_lo.next = self.cycles_lo_ff.q.val();
        self.cycles_hi.next = self.cycles_hi_ff.q.val();
        self.stalls_lo.next = self.stalls_lo_ff.q.val();
        self.stalls_hi.next = self.stalls_hi_ff.q.val();
        self.lost_lo.next = self.lost_lo_ff.q.val();
        self.lost_hi.next = self.lost_hi_ff.q.val();
        self.mark_cycles_lo.next = self.mark_cycles_lows.read_data.val();
        self.mark_cycles_hi.next = self.mark_cycles_highs.read_data.val();
        self.gap_lost_lo.next = self.gap_lost_lows.read_data.val();
        self.gap_lost_hi.next = self.gap_lost_highs.read_data.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Counters::<1>::default(), "lookback_counters");
        check_block(Counters::<2>::default(), "lookback_counters_2");
    }
}
