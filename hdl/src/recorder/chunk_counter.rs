//! Where chunks end: QuickRec's and Capo's interleaving log, section 11.3 of the log format. Twin of
//! `lookback_model::chunk_counter`.
//!
//! ```text
//!  ask hart block … ─► signatures of all harts ─► whose chunks end, then the hart's own
//!                              ─► done ─► ended, ended_hart, ended_size, one a cycle; telling
//! ```
//! A retirement without an access takes one cycle, any other two, one more if its own chunk ends. The
//! chunks of others that end do so at once, and are told behind that, one a cycle: more time is taken
//! only if the next ones end before that, or the hart whose chunk is still to be told retires. `ask` and
//! what it is about hold until `done`.
//!
//! Signatures are emptied at once: every place has a mark, and counts only if that is the number of the
//! hart's open chunk. Before a number comes round again every place was written anew: the end of each
//! chunk does that for one place, without a bit set.

use super::fold::Fold;
use crate::memory::{BlockRam, LutRam};
use rust_hdl::prelude::*;

/// What the counter does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Turn {
    /// waits, or counts what is no access; signatures are addressed
    Idle,
    /// what they say is there; others' chunks end, and the access counts
    Judge,
    /// ends the chunk of the hart that retired
    Own,
    /// tells what is still to be told
    Close,
}

circuit! {
    /// Signatures of `2^F` places for `N` harts; `E` bits are a mark's, `P` a place's with its two
    /// bits, `K` a chunk's size, `M` the number of bits set.
    pub struct ChunkCounter [F, E, P, K, M, N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: all is empty; for at least as many cycles as a signature has places
        pub clear: Signal<In, Bit>,
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
        /// a chunk ended
        pub ended: Signal<Out, Bit>,
        /// whose
        pub ended_hart: Signal<Out, Bits<2>>,
        /// how many instructions it has
        pub ended_size: Signal<Out, Bits<K>>,
        /// another one ended, and will be told
        pub telling: Signal<Out, Bit>,
        /// what was asked is done
        pub done: Signal<Out, Bit>,
        /// twice the same, of harts that have retired something in their chunk
        sizes: LutRam<K, 2>,
        told_sizes: LutRam<K, 2>,
        marks: LutRam<M, 2>,
        fold: Fold<F>,
        turn_ff: DFF<Turn>,
        /// harts whose chunk has something in it
        begun_ff: DFF<Bits<4>>,
        /// harts whose chunk ended and is to be told
        telling_ff: DFF<Bits<4>>,
        touches: Signal<Local, Bit>,
        was_read: Signal<Local, Bit>,
        was_written: Signal<Local, Bit>,
        own: Signal<Local, Bit>,
        alive: Signal<Local, Bit>,
        place: Signal<Local, Bits<P>>,
        number: Signal<Local, Bits<E>>,
        mine: Signal<Local, Bits<4>>,
        conflicting: Signal<Local, Bits<4>>,
        any_ending: Signal<Local, Bit>,
        ending: Signal<Local, Bits<4>>,
        rest: Signal<Local, Bits<4>>,
        tells: Signal<Local, Bits<4>>,
        told: Signal<Local, Bits<2>>,
        free: Signal<Local, Bit>,
        steps: Signal<Local, Bit>,
        counts: Signal<Local, Bit>,
        ends_own: Signal<Local, Bit>,
        begun: Signal<Local, Bit>,
        so_far: Signal<Local, Bits<K>>,
        marked_so_far: Signal<Local, Bits<M>>,
        newly: Signal<Local, Bits<M>>,
        size: Signal<Local, Bits<K>>,
        marked: Signal<Local, Bits<M>>,
        word: Signal<Local, Bits<2>>,
        ends: Signal<Local, Bit>,
        written: Signal<Local, Bits<P>>,
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
        one_number: E = 1,
        none: K = 0,
        one: K = 1,
        no_marks: M = 0,
        one_mark: M = 1,
        two_marks: M = 2,
        full_bit: 5 = F - 2,
        nobody: 4 = 0,
        first_of_all: 4 = 1,
        no_word: 2 = 0,
        read_bit: 2 = 1,
        written_bit: 2 = 2,
        no_hart: 2 = 0,
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
        dff_setup!(self, clock, turn_ff, begun_ff, telling_ff);
        self.sizes.clock.next = self.clock.val();
        self.told_sizes.clock.next = self.clock.val();
        self.marks.clock.next = self.clock.val();
        self.fold.block.next = self.block.val();
        self.touches.next = self.reads.val() | self.writes.val();
        self.mine.next = self.first_of_all.val() << self.hart.val();

        // Whose chunks the access ends; what is known of the hart's own.
        self.conflicting.next = self.nobody.val();
        self.was_read.next = false;
        self.was_written.next = false;
        for i in 0..N {
            self.signatures[i].clock.next = self.clock.val();
            self.numbers[i].clock.next = self.clock.val();
            self.signatures[i].read_address.next = self.fold.place.val();
            self.own.next = self.retires.val() & (self.hart.val() == self.ids[i].val());
            self.place.next = self.signatures[i].read_data.val();
            self.number.next = self.numbers[i].q.val();
            self.alive.next =
                self.place.val().get_bits::<E>(self.mark_lsb.val().index()) == self.number.val();
            if self.own.val() {
                self.was_read.next = self.alive.val() & self.place.val().get_bit(0);
                self.was_written.next = self.alive.val() & self.place.val().get_bit(1);
            } else if self.alive.val()
                & (self.place.val().get_bit(1) | (self.place.val().get_bit(0) & self.writes.val()))
            {
                self.conflicting.next = self.conflicting.val().replace_bit(i, true);
            }
        }
        self.any_ending.next = self.conflicting.val().any();

        // What is left to be told after this cycle, of what ended before it.
        self.rest.next =
            self.telling_ff.q.val() & (self.telling_ff.q.val() - self.first_of_all.val());
        self.free.next = !self.rest.val().any();
        self.telling.next = self.telling_ff.q.val().any();

        // Sizes and numbers of bits set, of the hart that retires.
        self.sizes.read_address.next = self.hart.val();
        self.marks.read_address.next = self.hart.val();
        self.begun.next = (self.begun_ff.q.val() & self.mine.val()).any();
        self.so_far.next = self.none.val();
        self.marked_so_far.next = self.no_marks.val();
        if self.begun.val() {
            self.so_far.next = self.sizes.read_data.val();
            self.marked_so_far.next = self.marks.read_data.val();
        }
        self.size.next = self.so_far.val() + self.one.val();
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
        self.marked.next = self.marked_so_far.val() + self.newly.val();
        self.ends_own.next = self.trap.val()
            | self.size.val().all()
            | self.marked.val().get_bit(self.full_bit.val().index());

        // Nothing moves on while the hart's last chunk is still to be told after this cycle, or somebody's
        // is when others end.
        self.steps.next = !(self.rest.val() & self.mine.val()).any();
        self.counts.next = false;
        self.ending.next = self.nobody.val();
        self.done.next = false;
        match self.turn_ff.q.val() {
            Turn::Idle => {
                if self.close.val() {
                    if self.free.val() {
                        self.ending.next = self.begun_ff.q.val();
                        self.turn_ff.d.next = Turn::Close;
                    }
                } else if self.ask.val() & self.touches.val() {
                    self.turn_ff.d.next = Turn::Judge;
                } else if self.ask.val() & self.steps.val() {
                    self.counts.next = self.retires.val();
                    self.done.next = !self.ends_own.val();
                    if self.ends_own.val() {
                        self.turn_ff.d.next = Turn::Own;
                    }
                }
            }
            Turn::Judge => {
                if self.steps.val() & (self.free.val() | !self.any_ending.val()) {
                    self.ending.next = self.conflicting.val();
                    self.counts.next = self.retires.val();
                    self.turn_ff.d.next = Turn::Idle;
                    self.done.next = true;
                    if self.retires.val() & self.ends_own.val() {
                        self.done.next = false;
                        self.turn_ff.d.next = Turn::Own;
                    }
                }
            }
            Turn::Own => {
                if self.free.val() {
                    self.ending.next = self.mine.val();
                    self.done.next = true;
                    self.turn_ff.d.next = Turn::Idle;
                }
            }
            Turn::Close => {
                if !self.telling_ff.q.val().any() {
                    self.done.next = true;
                    self.turn_ff.d.next = Turn::Idle;
                }
            }
            _ => {
                self.turn_ff.d.next = Turn::Idle;
            }
        }
        // One is told in this cycle, the lowest first.
        self.tells.next = self.telling_ff.q.val();
        self.telling_ff.d.next = self.rest.val() | self.ending.val();
        if self.telling.val() {
            self.ended.next = true;
        } else {
            self.ended.next = self.ending.val().any();
            self.tells.next = self.ending.val();
            self.telling_ff.d.next =
                self.ending.val() & (self.ending.val() - self.first_of_all.val());
        }
        self.told.next = self.no_hart.val();
        for n in N..(N + 1) {
            for i in 0..N {
                if self.tells.val().get_bit(n - 1 - i) {
                    self.told.next = self.ids[n - 1 - i].val();
                }
            }
        }
        self.told_sizes.read_address.next = self.told.val();
        self.ended_hart.next = self.told.val();
        self.ended_size.next = self.told_sizes.read_data.val();
        self.begun_ff.d.next = self.begun_ff.q.val() & !self.ending.val();
        if self.counts.val() {
            self.begun_ff.d.next = (self.begun_ff.q.val() & !self.ending.val()) | self.mine.val();
        }
        self.sizes.write_enable.next = self.counts.val();
        self.sizes.write_address.next = self.hart.val();
        self.sizes.write_data.next = self.size.val();
        self.told_sizes.write_enable.next = self.counts.val();
        self.told_sizes.write_address.next = self.hart.val();
        self.told_sizes.write_data.next = self.size.val();
        self.marks.write_enable.next = self.counts.val();
        self.marks.write_address.next = self.hart.val();
        self.marks.write_data.next = self.marked.val();

        // Signatures: what the access adds, or the place that the end of a chunk writes anew.
        self.word.next = self.no_word.val();
        if self.reads.val() | self.was_read.val() {
            self.word.next = self.word.val() | self.read_bit.val();
        }
        if self.writes.val() | self.was_written.val() {
            self.word.next = self.word.val() | self.written_bit.val();
        }
        for i in 0..N {
            self.own.next = self.hart.val() == self.ids[i].val();
            self.ends.next = self.ending.val().get_bit(i) | self.clear.val();
            self.number.next = self.numbers[i].q.val();
            self.numbers[i].d.next = self.number.val();
            self.signatures[i].write_enable.next =
                self.ends.val() | (self.own.val() & (self.counts.val() & self.touches.val()));
            self.signatures[i].write_address.next = self.fold.place.val();
            self.written.next = bit_cast::<P, E>(self.number.val()) << self.mark_lsb.val();
            self.signatures[i].write_data.next =
                self.written.val() | bit_cast::<P, 2>(self.word.val());
            if self.ends.val() {
                self.numbers[i].d.next = self.number.val() + self.one_number.val();
                self.signatures[i].write_address.next = self.number.val().get_bits::<F>(0);
                self.signatures[i].write_data.next = self.written.val();
            }
        }
        if self.clear.val() {
            self.turn_ff.d.next = Turn::Idle;
            self.begun_ff.d.next = self.nobody.val();
            self.telling_ff.d.next = self.nobody.val();
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
