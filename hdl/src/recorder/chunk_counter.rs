//! Where chunks end: QuickRec's and Capo's interleaving log, section 11.3 of the log format. Twin of
//! `lookback_model::chunk_counter`.
//!
//! ```text
//!  ask hart block … ─► signatures of all harts ─► whose chunks end, then the hart's own
//!                                               ─► ended, ended_hart, ended_size ─► done
//! ```
//! A retirement without an access takes one cycle, any other two; if others' chunks end, one more and one
//! for each hart, and one if its own ends. `ask` and what it is about hold until `done`.
//!
//! Signatures are emptied at once: every place has a mark, and counts only if that is the number of the
//! hart's open chunk. Before a number comes round again every place was written anew: each chunk does
//! that for one place, with a mark that is half the numbers away.

use super::fold::Fold;
use crate::memory::{BlockRam, LutRam};
use rust_hdl::prelude::*;

/// What the counter does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Turn {
    /// waits, or counts what is no access; signatures are addressed
    Idle,
    /// what they say is there; counts, unless others' chunks end first
    Judge,
    /// ends chunks, one hart a cycle
    Ends,
    /// counts
    Count,
    /// ends the chunk of the hart that retired
    Own,
}

circuit! {
    /// Signatures of `2^F` places for `N` harts; `E` bits are a mark's, `P` a place's with its two
    /// bits, `K` a chunk's size, `M` the number of bits set.
    pub struct ChunkCounter [F, E, P, K, M, N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: place `sweep` is written anew
        pub clear: Signal<In, Bit>,
        /// which; runs through all while `clear`
        pub sweep: Signal<In, Bits<F>>,
        /// there is a retirement or an external write
        pub ask: Signal<In, Bit>,
        /// it is a retirement
        pub retires: Signal<In, Bit>,
        /// of this hart
        pub hart: Signal<In, Bits<2>>,
        /// it reads memory
        pub reads: Signal<In, Bit>,
        /// it writes memory, or is an external write
        pub writes: Signal<In, Bit>,
        /// number of the block
        pub block: Signal<In, Bits<30>>,
        /// it trapped
        pub trap: Signal<In, Bit>,
        /// instead: end all chunks that are not empty
        pub close: Signal<In, Bit>,
        /// a chunk ends
        pub ended: Signal<Out, Bit>,
        /// whose
        pub ended_hart: Signal<Out, Bits<2>>,
        /// how many instructions it has
        pub ended_size: Signal<Out, Bits<K>>,
        /// what was asked is done
        pub done: Signal<Out, Bit>,
        sizes: LutRam<K, 2>,
        marks: LutRam<M, 2>,
        fold: Fold<F>,
        turn_ff: DFF<Turn>,
        visit_ff: DFF<Bits<2>>,
        ending_ff: DFF<Bits<4>>,
        /// what the own signature says of the block
        was_read_ff: DFF<Bit>,
        was_written_ff: DFF<Bit>,
        at: Signal<Local, Bits<2>>,
        touches: Signal<Local, Bit>,
        was_read: Signal<Local, Bit>,
        was_written: Signal<Local, Bit>,
        own: Signal<Local, Bit>,
        alive: Signal<Local, Bit>,
        place: Signal<Local, Bits<P>>,
        number: Signal<Local, Bits<E>>,
        ending: Signal<Local, Bits<4>>,
        any_ending: Signal<Local, Bit>,
        counts: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        ends_own: Signal<Local, Bit>,
        newly: Signal<Local, Bits<M>>,
        size: Signal<Local, Bits<K>>,
        marked: Signal<Local, Bits<M>>,
        next_number: Signal<Local, Bits<E>>,
        word: Signal<Local, Bits<P>>,
        written: Signal<Local, Bits<P>>,
        written_at: Signal<Local, Bits<F>>,
        last_hart: Signal<Local, Bit>,
    }
    arrays {
        signatures: [BlockRam<P, F>; N],
        numbers: [DFF<Bits<E>>; N],
    }
    built {
        ids: [Constant<Bits<2>>; N] = std::array::from_fn(|i| Constant::new(bits::<2>(i as u64))),
    }
    constants {
        mark_lsb: 5 = 2,
        half: E = 1usize << F,
        one_number: E = 1,
        first_number: E = 0,
        cleared: P = 4usize << F,
        none: K = 0,
        one: K = 1,
        no_marks: M = 0,
        one_mark: M = 1,
        two_marks: M = 2,
        full_bit: 5 = F - 2,
        nobody: 4 = 0,
        no_word: P = 0,
        read_bit: P = 1,
        written_bit: P = 2,
        no_hart: 2 = 0,
        next_hart: 2 = 1,
        final_hart: 2 = N - 1,
    }
    check {
        assert!(E == F + 1 && P == E + 2 && M == F, "widths follow from sizes");
        assert!((8..=16).contains(&K), "chunks of the format");
        assert!((1..=4).contains(&N), "harts have two bits");
    }
}

impl<
        const F: usize,
        const E: usize,
        const P: usize,
        const K: usize,
        const M: usize,
        const N: usize,
    > Logic for ChunkCounter<F, E, P, K, M, N>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            turn_ff,
            visit_ff,
            ending_ff,
            was_read_ff,
            was_written_ff
        );
        self.sizes.clock.next = self.clock.val();
        self.marks.clock.next = self.clock.val();
        self.fold.block.next = self.block.val();
        self.touches.next = self.reads.val() | self.writes.val();
        self.last_hart.next = self.visit_ff.q.val() == self.final_hart.val();

        // Whose chunks the access ends; what is known of the hart's own.
        self.ending.next = self.nobody.val();
        self.was_read.next = self.was_read_ff.q.val();
        self.was_written.next = self.was_written_ff.q.val();
        for i in 0..N {
            self.signatures[i].clock.next = self.clock.val();
            self.numbers[i].clock.next = self.clock.val();
            self.numbers[i].d.next = self.numbers[i].q.val();
            self.signatures[i].read_address.next = self.fold.place.val();
            self.own.next = self.retires.val() & (self.hart.val() == self.ids[i].val());
            self.place.next = self.signatures[i].read_data.val();
            self.number.next = self.numbers[i].q.val();
            self.alive.next =
                self.place.val().get_bits::<E>(self.mark_lsb.val().index()) == self.number.val();
            if self.alive.val()
                & !self.own.val()
                & (self.place.val().get_bit(1) | (self.place.val().get_bit(0) & self.writes.val()))
            {
                self.ending.next = self.ending.val().replace_bit(i, true);
            }
            if self.own.val() & (self.turn_ff.q.val() == Turn::Judge) {
                self.was_read.next = self.alive.val() & self.place.val().get_bit(0);
                self.was_written.next = self.alive.val() & self.place.val().get_bit(1);
            }
        }
        self.was_read_ff.d.next = self.was_read.val();
        self.was_written_ff.d.next = self.was_written.val();
        self.any_ending.next = self.ending.val().any();

        // One hart at a time: the one that is visited, or the one that retires.
        self.at.next = self.hart.val();
        if self.turn_ff.q.val() == Turn::Ends {
            self.at.next = self.visit_ff.q.val();
        }
        self.sizes.read_address.next = self.at.val();
        self.marks.read_address.next = self.at.val();
        self.counts.next = self.retires.val()
            & ((self.turn_ff.q.val() == Turn::Count)
                | ((self.turn_ff.q.val() == Turn::Judge) & !self.any_ending.val())
                | ((self.turn_ff.q.val() == Turn::Idle)
                    & self.ask.val()
                    & !self.close.val()
                    & !self.touches.val()));
        self.ends.next = (self.turn_ff.q.val() == Turn::Own)
            | ((self.turn_ff.q.val() == Turn::Ends)
                & self
                    .ending_ff
                    .q
                    .val()
                    .get_bit(self.visit_ff.q.val().index())
                & (self.sizes.read_data.val().any() | !self.close.val()));
        self.size.next = self.sizes.read_data.val() + self.one.val();
        self.newly.next = self.no_marks.val();
        if self.touches.val() {
            if (self.reads.val() & !self.was_read.val())
                ^ (self.writes.val() & !self.was_written.val())
            {
                self.newly.next = self.one_mark.val();
            } else if self.reads.val() & !self.was_read.val() {
                self.newly.next = self.two_marks.val();
            }
        }
        self.marked.next = self.marks.read_data.val() + self.newly.val();
        self.ends_own.next = self.trap.val()
            | self.size.val().all()
            | self.marked.val().get_bit(self.full_bit.val().index());
        self.sizes.write_enable.next = self.counts.val() | self.ends.val() | self.clear.val();
        self.marks.write_enable.next = self.counts.val() | self.ends.val() | self.clear.val();
        self.sizes.write_address.next = self.at.val();
        self.marks.write_address.next = self.at.val();
        self.sizes.write_data.next = self.none.val();
        self.marks.write_data.next = self.no_marks.val();
        if self.counts.val() {
            self.sizes.write_data.next = self.size.val();
            self.marks.write_data.next = self.marked.val();
        }
        if self.clear.val() {
            self.sizes.write_address.next = self.sweep.val().get_bits::<2>(0);
            self.marks.write_address.next = self.sweep.val().get_bits::<2>(0);
        }
        self.ended.next = self.ends.val();
        self.ended_hart.next = self.at.val();
        self.ended_size.next = self.sizes.read_data.val();

        // Signatures: what the access adds, or the place that the end of a chunk writes anew.
        self.word.next = self.no_word.val();
        if self.reads.val() | self.was_read.val() {
            self.word.next = self.word.val() | self.read_bit.val();
        }
        if self.writes.val() | self.was_written.val() {
            self.word.next = self.word.val() | self.written_bit.val();
        }
        // All see the same; only the one that it is about is written, or all while `clear`, when all
        // numbers are 0.
        self.number.next = self.first_number.val();
        for i in 0..N {
            if (self.at.val() == self.ids[i].val()) & !self.clear.val() {
                self.number.next = self.numbers[i].q.val();
            }
        }
        self.next_number.next = self.number.val() + self.one_number.val();
        self.written_at.next = self.fold.place.val();
        self.written.next =
            self.word.val() | (bit_cast::<P, E>(self.number.val()) << self.mark_lsb.val());
        if self.ends.val() {
            self.written_at.next = self.next_number.val().get_bits::<F>(0);
            self.written.next =
                bit_cast::<P, E>(self.next_number.val() ^ self.half.val()) << self.mark_lsb.val();
        }
        if self.clear.val() {
            self.written_at.next = self.sweep.val();
            self.written.next = self.cleared.val();
        }
        for i in 0..N {
            self.own.next = self.at.val() == self.ids[i].val();
            self.signatures[i].write_enable.next = self.clear.val()
                | (self.own.val() & (self.ends.val() | (self.counts.val() & self.touches.val())));
            self.signatures[i].write_address.next = self.written_at.val();
            self.signatures[i].write_data.next = self.written.val();
            if self.own.val() & self.ends.val() {
                self.numbers[i].d.next = self.next_number.val();
            }
            if self.clear.val() {
                self.numbers[i].d.next = self.first_number.val();
            }
        }

        self.done.next = false;
        match self.turn_ff.q.val() {
            Turn::Idle => {
                self.visit_ff.d.next = self.no_hart.val();
                self.ending_ff.d.next = !self.nobody.val();
                if self.close.val() {
                    self.turn_ff.d.next = Turn::Ends;
                } else if self.ask.val() & self.touches.val() {
                    self.turn_ff.d.next = Turn::Judge;
                } else if self.ask.val() {
                    self.done.next = true;
                    if self.ends_own.val() {
                        self.done.next = false;
                        self.turn_ff.d.next = Turn::Own;
                    }
                }
            }
            Turn::Judge => {
                self.ending_ff.d.next = self.ending.val();
                self.turn_ff.d.next = Turn::Idle;
                if self.any_ending.val() {
                    self.turn_ff.d.next = Turn::Ends;
                } else if self.retires.val() & self.ends_own.val() {
                    self.turn_ff.d.next = Turn::Own;
                } else {
                    self.done.next = true;
                }
            }
            Turn::Ends => {
                self.visit_ff.d.next = self.visit_ff.q.val() + self.next_hart.val();
                if self.last_hart.val() {
                    self.turn_ff.d.next = Turn::Count;
                    if self.close.val() {
                        self.turn_ff.d.next = Turn::Idle;
                        self.done.next = true;
                    }
                }
            }
            Turn::Count => {
                self.turn_ff.d.next = Turn::Idle;
                self.done.next = true;
                if self.retires.val() & self.ends_own.val() {
                    self.done.next = false;
                    self.turn_ff.d.next = Turn::Own;
                }
            }
            Turn::Own => {
                self.turn_ff.d.next = Turn::Idle;
                self.done.next = true;
            }
            _ => {
                self.turn_ff.d.next = Turn::Idle;
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
            ChunkCounter::<10, 11, 13, 16, 10, 2>::default(),
            "lookback_chunk_counter",
        );
    }
}
