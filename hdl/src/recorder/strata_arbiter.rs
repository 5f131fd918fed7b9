//! When a stratum has to be taken: the Strata paper's dependence bits and filter, section 11.2 of the log
//! format. Twin of `lookback_model::strata_arbiter`.
//!
//! ```text
//!  ask writer block writes ─► entries (block, writer), filter (sets of writers) ─► dependent?
//!                        take ─► strides of hart 0, 1, …: stride_valid, stride ─► done
//! ```
//! An access takes two cycles, four if it makes another block fall out of the entries; a stratum takes
//! one more and as many as there are harts. `ask` and what it is about hold until `done`.
//!
//! Entries and filter are emptied at once: each has a mark, and counts only if that is the number of
//! the region. Before a number comes round again every place was written anew: each stratum does that
//! for one place, with a mark that is half the numbers away.

use super::fold::Fold;
use crate::memory::{BlockRam, LutRam, MarkedRam};
use rust_hdl::prelude::*;

/// What the arbiter does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Turn {
    /// waits; memories are addressed
    Idle,
    /// what they say is there; counts and writes, unless a stratum comes first
    Judge,
    /// tells the strides, one a cycle; with the last, one place is written anew
    Tell,
    /// counts and writes
    Count,
    /// a block that fell out goes into the filter
    Fall,
}

circuit! {
    /// `2^T` entries, a filter of `2^F` places; `A` bits of a block's number are beside an entry's
    /// number, `G` are those and a writer, `E` are a mark's, `P` a place's with its set of writers.
    pub struct StrataArbiter [T, A, G, F, E, P, N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: place `sweep` is written anew
        pub clear: Signal<In, Bit>,
        /// which; runs through all while `clear`
        pub sweep: Signal<In, Bits<F>>,
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
        /// the next stride of a stratum, plus one
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
        strides: LutRam<16, 2>,
        fold: Fold<F>,
        fallen_fold: Fold<F>,
        turn_ff: DFF<Turn>,
        hart_ff: DFF<Bits<2>>,
        region_ff: DFF<Bits<E>>,
        /// a stratum was just taken: nothing is held
        fresh_ff: DFF<Bit>,
        /// place of what fell out, and whose it was
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
        full: Signal<Local, Bit>,
        dependent: Signal<Local, Bit>,
        falls: Signal<Local, Bit>,
        counts: Signal<Local, Bit>,
        next_region: Signal<Local, Bits<E>>,
        sweeps: Signal<Local, Bit>,
        swept: Signal<Local, Bits<F>>,
        away: Signal<Local, Bits<E>>,
        read_hart: Signal<Local, Bits<2>>,
        last_hart: Signal<Local, Bit>,
    }
    constants {
        tag_lsb: 5 = T,
        writer_lsb: 5 = A,
        mark_lsb: 5 = 5,
        one_region: E = 1,
        half: E = 1usize << F,
        no_held: G = 0,
        no_set: 5 = 0,
        one_writer: 5 = 1,
        one: 16 = 1,
        no_hart: 2 = 0,
        next_hart: 2 = 1,
        final_hart: 2 = N - 1,
    }
    check {
        assert!(A == 30 - T && G == A + 3 && E == F + 1 && P == E + 5, "widths follow from sizes");
        assert!(T <= F, "a region number is swept over all entries");
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
        dff_setup!(self, clock, turn_ff, hart_ff, region_ff, fresh_ff, fallen_ff, faller_ff);
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
        self.filter.read_address.next = self.fold.place.val();
        if self.turn_ff.q.val() == Turn::Fall {
            self.filter.read_address.next = self.fallen_ff.q.val();
        }
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
        self.read_hart.next = self.writer.val().get_bits::<2>(0);
        if self.turn_ff.q.val() == Turn::Tell {
            self.read_hart.next = self.hart_ff.q.val();
        }
        self.strides.read_address.next = self.read_hart.val();
        self.full.next = self.strides.read_data.val().all() & !self.external.val();
        self.dependent.next = self.others.val().any();
        if self.same.val() {
            self.dependent.next = self.held_writer.val() != self.writer.val();
        }
        self.falls.next =
            self.alive.val() & !self.same.val() & self.writes.val() & !self.fresh_ff.q.val();

        // Strides: each is counted by itself, from one on, and told and emptied by itself.
        self.strides.write_enable.next = self.clear.val();
        self.strides.write_address.next = self.read_hart.val();
        self.strides.write_data.next = self.one.val();
        if self.clear.val() {
            self.strides.write_address.next = self.sweep.val().get_bits::<2>(0);
        }
        self.stride.next = self.strides.read_data.val();
        self.stride_valid.next = self.turn_ff.q.val() == Turn::Tell;
        self.stride_first.next = !self.hart_ff.q.val().any();
        self.stride_last.next = self.last_hart.val();

        // One place is written anew: an entry and one of the filter.
        self.away.next = self.next_region.val() ^ self.half.val();
        self.swept.next = self.next_region.val().get_bits::<F>(0);
        if self.clear.val() {
            self.swept.next = self.sweep.val();
        }
        self.sweeps.next =
            self.clear.val() | ((self.turn_ff.q.val() == Turn::Tell) & self.last_hart.val());
        self.entries.write_enable.next = self.sweeps.val();
        self.entries.write_address.next = self.swept.val().get_bits::<T>(0);
        self.entries.write_data.next = self.no_held.val();
        self.entries.write_mark.next = self.away.val();
        self.filter.write_enable.next = self.sweeps.val();
        self.filter.write_address.next = self.swept.val();
        self.filter.write_data.next = bit_cast::<P, E>(self.away.val()) << self.mark_lsb.val();
        self.added.next = self.one_writer.val() << self.faller_ff.q.val();

        self.done.next = false;
        self.counts.next = false;
        match self.turn_ff.q.val() {
            Turn::Idle => {
                self.hart_ff.d.next = self.no_hart.val();
                self.fresh_ff.d.next = false;
                if self.take.val() {
                    self.turn_ff.d.next = Turn::Tell;
                } else if self.ask.val() {
                    self.turn_ff.d.next = Turn::Judge;
                }
            }
            Turn::Judge => {
                if self.dependent.val() | self.full.val() {
                    self.turn_ff.d.next = Turn::Tell;
                } else {
                    self.counts.next = true;
                }
            }
            Turn::Tell => {
                self.fresh_ff.d.next = true;
                self.strides.write_enable.next = true;
                self.hart_ff.d.next = self.hart_ff.q.val() + self.next_hart.val();
                if self.last_hart.val() {
                    self.region_ff.d.next = self.next_region.val();
                    self.turn_ff.d.next = Turn::Count;
                    if self.take.val() {
                        self.done.next = true;
                        self.turn_ff.d.next = Turn::Idle;
                    }
                }
            }
            Turn::Count => {
                self.counts.next = true;
            }
            Turn::Fall => {
                // Read in this cycle, written in the next: `hart` counts them.
                self.hart_ff.d.next = self.hart_ff.q.val() + self.next_hart.val();
                self.filter.write_address.next = self.fallen_ff.q.val();
                self.filter.write_data.next = bit_cast::<P, 5>(self.set.val() | self.added.val())
                    | (bit_cast::<P, E>(self.region_ff.q.val()) << self.mark_lsb.val());
                if self.hart_ff.q.val().get_bit(0) {
                    self.filter.write_enable.next = true;
                    self.done.next = true;
                    self.turn_ff.d.next = Turn::Idle;
                }
            }
            _ => {
                self.turn_ff.d.next = Turn::Idle;
            }
        }
        if self.counts.val() {
            self.strides.write_enable.next = !self.external.val();
            self.strides.write_data.next = self.strides.read_data.val() + self.one.val();
            self.entries.write_enable.next = self.writes.val();
            self.entries.write_address.next = self.entry.val();
            self.entries.write_data.next = bit_cast::<G, A>(self.tag.val())
                | (bit_cast::<G, 3>(self.writer.val()) << self.writer_lsb.val());
            self.entries.write_mark.next = self.region_ff.q.val();
            self.fallen_ff.d.next = self.fallen_fold.place.val();
            self.faller_ff.d.next = self.held_writer.val();
            self.turn_ff.d.next = Turn::Idle;
            if self.falls.val() {
                self.turn_ff.d.next = Turn::Fall;
            } else {
                self.done.next = true;
            }
        }
        if self.clear.val() {
            self.turn_ff.d.next = Turn::Idle;
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
