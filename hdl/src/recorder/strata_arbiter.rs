//! When a stratum has to be taken: the Strata paper's dependence bits and filter, section 11.2 of the log
//! format. Twin of `lookback_model::strata_arbiter`.
//!
//! ```text
//!  ask writer block writes ─► entries (block, writer), filter (sets of writers) ─► dependent?
//!                        take ─► a stratum: short_valid, short, or if a stride is above 3
//!                                its strides of hart 0, 1, …: stride_valid, stride ─► done
//! ```
//! An access takes two cycles, with a short stratum or without; another stratum takes two more and as
//! many as there are harts, and comes after four accesses of one hart at the soonest. `ask` and what it
//! is about hold until `done`. What an access leaves to be written (a block that falls out of the
//! entries goes into the filter, a place of the entries is written anew) is written in the next cycle;
//! an access that would read the same place then waits for a cycle.
//!
//! Entries and filter are emptied at once: each has a mark, and counts only if that is the number of
//! the region. Before a number comes round again every place was written anew: each stratum does that
//! for one place, with the number of the region that it ends.

use super::fold::Fold;
use crate::memory::{BlockRam, LutRam, MarkedRam};
use rust_hdl::prelude::*;

/// What the arbiter does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Turn {
    /// waits; memories are addressed
    Idle,
    /// what they say is there; counts and writes, unless a stratum is told first that is not short
    Judge,
    /// tells the strides, one a cycle
    Tell,
}

circuit! {
    /// `2^T` entries, a filter of `2^F` places; `A` bits of a block's number are beside an entry's
    /// number, `G` are those and a writer, `E` are a mark's, `P` a place's with its set of writers.
    pub struct StrataArbiter [T, A, G, F, E, P, N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: nothing was written; for at least as many cycles as the filter has places
        pub clear: Signal<In, Bit>,
        /// there is an access or an external write
        pub ask: Signal<In, Bit>,
        /// whose: a hart, or 4 for external
        pub writer: Signal<In, Bits<3>>,
        /// number of the block
        pub block: Signal<In, Bits<30>>,
        /// it writes
        pub writes: Signal<In, Bit>,
        /// instead: take a stratum whatever there is
        pub take: Signal<In, Bit>,
        /// a stratum without a stride above 3
        pub short_valid: Signal<Out, Bit>,
        /// its strides, two bits each, hart 0's lowest
        pub short: Signal<Out, Bits<8>>,
        /// the next stride of another stratum, plus one
        pub stride_valid: Signal<Out, Bit>,
        /// that number
        pub stride: Signal<Out, Bits<16>>,
        /// it is hart 0's
        pub stride_first: Signal<Out, Bit>,
        /// it is the last hart's
        pub stride_last: Signal<Out, Bit>,
        /// what was asked is done
        pub done: Signal<Out, Bit>,
        entries: MarkedRam<G, E, T>,
        filter: BlockRam<P, F>,
        /// strides plus one, of harts that have made an access in the region
        strides: LutRam<16, 2>,
        fold: Fold<F>,
        fallen_fold: Fold<F>,
        turn_ff: DFF<Turn>,
        hart_ff: DFF<Bits<2>>,
        region_ff: DFF<Bits<E>>,
        /// a stride is above 3
        long_ff: DFF<Bit>,
        /// the region that the last stratum ended; a place of the entries is to be written anew
        ended_ff: DFF<Bits<E>>,
        due_ff: DFF<Bit>,
        /// something fell out: its place in the filter, and whose it was
        falls_ff: DFF<Bit>,
        fallen_ff: DFF<Bits<F>>,
        faller_ff: DFF<Bits<3>>,
        entry: Signal<Local, Bits<T>>,
        tag: Signal<Local, Bits<A>>,
        held: Signal<Local, Bits<G>>,
        held_writer: Signal<Local, Bits<3>>,
        alive: Signal<Local, Bit>,
        same: Signal<Local, Bit>,
        place: Signal<Local, Bits<P>>,
        others: Signal<Local, Bits<5>>,
        set: Signal<Local, Bits<5>>,
        added: Signal<Local, Bits<5>>,
        own: Signal<Local, Bits<5>>,
        external: Signal<Local, Bit>,
        unused: Signal<Local, Bit>,
        low: Signal<Local, Bits<2>>,
        all_low: Signal<Local, Bits<8>>,
        one_hart: Signal<Local, Bits<2>>,
        full: Signal<Local, Bit>,
        dependent: Signal<Local, Bit>,
        falls: Signal<Local, Bit>,
        waits: Signal<Local, Bit>,
        stratum: Signal<Local, Bit>,
        counts: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        is_own: Signal<Local, Bit>,
        next_region: Signal<Local, Bits<E>>,
        mark: Signal<Local, Bits<E>>,
        so_far: Signal<Local, Bits<16>>,
        read_hart: Signal<Local, Bits<2>>,
        last_hart: Signal<Local, Bit>,
    }
    arrays {
        lows: [DFF<Bits<2>>; N],
    }
    built {
        ids: [Constant<Bits<3>>; N] = std::array::from_fn(|i| Constant::new(bits::<3>(i as u64))),
        numbers: [Constant<Bits<2>>; N] = std::array::from_fn(|i| Constant::new(bits::<2>(i as u64))),
        shifts: [Constant<Bits<4>>; N] = std::array::from_fn(|i| Constant::new(bits::<4>(2 * i as u64))),
    }
    constants {
        tag_lsb: 5 = T,
        writer_lsb: 5 = A,
        mark_lsb: 5 = 5,
        one_region: E = 1,
        no_set: 5 = 0,
        one_writer: 5 = 1,
        one: 16 = 1,
        two: 16 = 2,
        no_low: 2 = 0,
        one_low: 2 = 1,
        no_lows: 8 = 0,
        no_hart: 2 = 0,
        next_hart: 2 = 1,
        final_hart: 2 = N - 1,
    }
    check {
        assert!(A == 30 - T && G == A + 3 && E == F + 1 && P == E + 5, "widths follow from sizes");
        assert!(T <= F, "region numbers pass all entries");
        assert!((1..=4).contains(&N), "harts have two bits");
    }
}

impl<
        const T: usize,
        const A: usize,
        const G: usize,
        const F: usize,
        const E: usize,
        const P: usize,
        const N: usize,
    > Logic for StrataArbiter<T, A, G, F, E, P, N>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, turn_ff, hart_ff, region_ff, long_ff, ended_ff, due_ff);
        dff_setup!(self, clock, falls_ff, fallen_ff, faller_ff);
        self.entries.clock.next = self.clock.val();
        self.filter.clock.next = self.clock.val();
        self.strides.clock.next = self.clock.val();
        self.entry.next = self.block.val().get_bits::<T>(0);
        self.tag.next = self.block.val().get_bits::<A>(self.tag_lsb.val().index());
        self.external.next = self.writer.val().get_bit(2);
        self.own.next = self.one_writer.val() << self.writer.val();
        self.next_region.next = self.region_ff.q.val() + self.one_region.val();
        self.last_hart.next = self.hart_ff.q.val() == self.final_hart.val();

        // What is known of the block.
        self.fold.block.next = self.block.val();
        self.entries.read_address.next = self.entry.val();
        self.held.next = self.entries.read_data.val();
        self.fallen_fold.block.next = (bit_cast::<30, A>(self.held.val().get_bits::<A>(0))
            << self.tag_lsb.val())
            | bit_cast::<30, T>(self.entry.val());
        self.held_writer.next = self.held.val().get_bits::<3>(self.writer_lsb.val().index());
        self.alive.next = self.entries.read_mark.val() == self.region_ff.q.val();
        self.same.next = self.alive.val() & (self.held.val().get_bits::<A>(0) == self.tag.val());
        self.place.next = self.filter.read_data.val();
        self.set.next = self.no_set.val();
        if self.place.val().get_bits::<E>(self.mark_lsb.val().index()) == self.region_ff.q.val() {
            self.set.next = self.place.val().get_bits::<5>(0);
        }
        self.others.next = self.set.val() & !self.own.val();
        self.dependent.next = self.others.val().any();
        if self.same.val() {
            self.dependent.next = self.held_writer.val() != self.writer.val();
        }

        // Strides: of each hart two bits that stay at 3, and all of it, plus one, beside them. What is
        // there counts if the two bits are not 0.
        self.read_hart.next = self.writer.val().get_bits::<2>(0);
        if self.turn_ff.q.val() == Turn::Tell {
            self.read_hart.next = self.hart_ff.q.val();
        }
        self.low.next = self.no_low.val();
        self.all_low.next = self.no_lows.val();
        for i in 0..N {
            self.lows[i].clock.next = self.clock.val();
            self.lows[i].d.next = self.lows[i].q.val();
            self.one_hart.next = self.lows[i].q.val();
            self.all_low.next = self.all_low.val()
                | (bit_cast::<8, 2>(self.one_hart.val()) << self.shifts[i].val());
            if self.read_hart.val() == self.numbers[i].val() {
                self.low.next = self.one_hart.val();
            }
        }
        self.unused.next = !self.low.val().any();
        self.strides.read_address.next = self.read_hart.val();
        self.so_far.next = self.strides.read_data.val();
        if self.unused.val() {
            self.so_far.next = self.one.val();
        }
        self.full.next = self.so_far.val().all() & !self.external.val();
        self.short.next = self.all_low.val();
        self.stride.next = self.so_far.val();
        self.stride_valid.next = self.turn_ff.q.val() == Turn::Tell;
        self.stride_first.next = !self.hart_ff.q.val().any();
        self.stride_last.next = self.last_hart.val();

        // What the access before has left to do.
        self.waits.next = (self.due_ff.q.val()
            & (self.ended_ff.q.val().get_bits::<T>(0) == self.entry.val()))
            | (self.falls_ff.q.val() & (self.fallen_ff.q.val() == self.fold.place.val()));
        self.due_ff.d.next = false;
        self.falls_ff.d.next = false;
        self.added.next = self.one_writer.val() << self.faller_ff.q.val();

        self.done.next = false;
        self.counts.next = false;
        self.ends.next = false;
        self.short_valid.next = false;
        self.stratum.next =
            (self.dependent.val() | self.full.val()) & (self.turn_ff.q.val() == Turn::Judge);
        match self.turn_ff.q.val() {
            Turn::Idle => {
                self.hart_ff.d.next = self.no_hart.val();
                if self.take.val() {
                    self.turn_ff.d.next = Turn::Tell;
                } else if self.ask.val() & !self.waits.val() {
                    self.turn_ff.d.next = Turn::Judge;
                }
            }
            Turn::Judge => {
                self.turn_ff.d.next = Turn::Idle;
                if self.stratum.val() & self.long_ff.q.val() {
                    self.turn_ff.d.next = Turn::Tell;
                } else {
                    self.short_valid.next = self.stratum.val();
                    self.ends.next = self.stratum.val();
                    self.counts.next = true;
                    self.done.next = true;
                }
            }
            Turn::Tell => {
                self.hart_ff.d.next = self.hart_ff.q.val() + self.next_hart.val();
                if self.last_hart.val() {
                    // The access is judged anew: nothing is known any more.
                    self.ends.next = true;
                    self.done.next = self.take.val();
                    self.turn_ff.d.next = Turn::Idle;
                }
            }
            _ => {
                self.turn_ff.d.next = Turn::Idle;
            }
        }

        // The end of a region. The place that its number names is written anew: of the filter now, of
        // the entries with the next cycle, or not if the access writes there anyway.
        self.mark.next = self.region_ff.q.val();
        if self.ends.val() {
            self.mark.next = self.next_region.val();
            self.ended_ff.d.next = self.region_ff.q.val();
            self.long_ff.d.next = false;
            self.due_ff.d.next = !(self.counts.val()
                & self.writes.val()
                & (self.region_ff.q.val().get_bits::<T>(0) == self.entry.val()));
            for i in 0..N {
                self.lows[i].d.next = self.no_low.val();
            }
        }
        if self.clear.val() {
            self.mark.next = self.next_region.val();
            self.ended_ff.d.next = self.region_ff.q.val();
            self.due_ff.d.next = true;
            self.long_ff.d.next = false;
            self.turn_ff.d.next = Turn::Idle;
            for i in 0..N {
                self.lows[i].d.next = self.no_low.val();
            }
        }
        self.region_ff.d.next = self.mark.val();
        self.falls.next = self.counts.val()
            & !self.ends.val()
            & (self.alive.val() & !self.same.val() & self.writes.val());
        self.filter.read_address.next = self.fold.place.val();
        if self.falls.val() {
            self.falls_ff.d.next = !self.clear.val();
            self.filter.read_address.next = self.fallen_fold.place.val();
        }
        self.fallen_ff.d.next = self.fallen_fold.place.val();
        self.faller_ff.d.next = self.held_writer.val();
        self.filter.write_enable.next = self.ends.val() | self.clear.val() | self.falls_ff.q.val();
        self.filter.write_address.next = self.region_ff.q.val().get_bits::<F>(0);
        // No writer is an empty set, whatever its mark.
        self.filter.write_data.next =
            bit_cast::<P, E>(self.region_ff.q.val()) << self.mark_lsb.val();
        if self.falls_ff.q.val() & !self.clear.val() {
            self.filter.write_address.next = self.fallen_ff.q.val();
            self.filter.write_data.next = bit_cast::<P, 5>(self.set.val() | self.added.val())
                | (bit_cast::<P, E>(self.region_ff.q.val()) << self.mark_lsb.val());
        }

        // What the access counts and writes.
        self.strides.write_enable.next = self.counts.val() & !self.external.val();
        self.strides.write_address.next = self.read_hart.val();
        self.strides.write_data.next = self.so_far.val() + self.one.val();
        if self.ends.val() {
            self.strides.write_data.next = self.two.val();
        }
        for i in 0..N {
            self.is_own.next = self.counts.val() & (self.writer.val() == self.ids[i].val());
            self.one_hart.next = self.lows[i].q.val();
            if self.is_own.val() {
                if self.ends.val() {
                    self.lows[i].d.next = self.one_low.val();
                } else if self.one_hart.val().all() {
                    self.long_ff.d.next = true;
                } else {
                    self.lows[i].d.next = self.one_hart.val() + self.one_low.val();
                }
            }
        }
        self.entries.write_enable.next =
            (self.counts.val() & self.writes.val()) | self.due_ff.q.val();
        self.entries.write_address.next = self.entry.val();
        self.entries.write_data.next = bit_cast::<G, A>(self.tag.val())
            | (bit_cast::<G, 3>(self.writer.val()) << self.writer_lsb.val());
        self.entries.write_mark.next = self.mark.val();
        if self.due_ff.q.val() {
            self.entries.write_address.next = self.ended_ff.q.val().get_bits::<T>(0);
            self.entries.write_mark.next = self.ended_ff.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(
            StrataArbiter::<8, 22, 25, 10, 11, 16, 2>::default(),
            "lookback_strata_arbiter",
        );
    }
}
