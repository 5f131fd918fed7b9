//! First-load tags that keep the words themselves: section 1.2 of the log format, kind `Words`. Twin of
//! `lookback_model::word_tags`.
//!
//! ```text
//!  cycle 1: address ──► set of lines, and the words kept, from block RAM
//!  cycle 2: compare tags, masks and words; with `commit` line and word are written back
//!  cycle 3: `known`
//! ```
//! A read is known only if the hart would read again what it has seen last. So nobody has to tell when
//! somebody else writes: a word that was changed behind the hart's back differs. Lines, masks, marks
//! and epochs are those of `first_load_tags`.
//!
//! What a retirement stored waits here beside the input queue, in the same order: the queue of the
//! other kind of tags has no place for it.

use crate::memory::{BlockRam, LutRam};
use rust_hdl::prelude::*;

circuit! {
    /// Sizes as in `FirstLoadTags`.
    pub struct WordTags [WAYS, S, W, WORDS, T, E, L, M] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty a set each cycle, for as many cycles as there are sets, and forget the epoch
        pub clear: Signal<In, Bit>,
        /// forget what waits
        pub forget: Signal<In, Bit>,
        /// the input queue takes an entry
        pub push: Signal<In, Bit>,
        /// bytes that it stored, in their lanes
        pub stored: Signal<In, Bits<32>>,
        /// the input queue drops its head
        pub pop: Signal<In, Bit>,
        /// a new interval begins
        pub advance: Signal<In, Bit>,
        /// address of the word, without its two low bits
        pub address: Signal<In, Bits<30>>,
        /// bytes that must be known
        pub need: Signal<In, Bits<4>>,
        /// bytes that are known afterwards
        pub touch: Signal<In, Bits<4>>,
        /// the instruction word is read
        pub fetch: Signal<In, Bit>,
        /// it
        pub insn: Signal<In, Bits<32>>,
        /// the head's value: bytes of `need`, the lowest at bit 0
        pub value: Signal<In, Bits<32>>,
        /// bytes that the head stored
        pub written: Signal<In, Bits<4>>,
        /// the access takes effect
        pub commit: Signal<In, Bit>,
        /// every byte of `need` was known to the access that was committed in the cycle before, and was
        /// what it had been
        pub known: Signal<Out, Bit>,
        known_ff: DFF<Bit>,
        knows: Signal<Local, Bit>,
        waiting: LutRam<32, 4>,
        write_ff: DFF<Bits<4>>,
        read_ff: DFF<Bits<4>>,
        needed: Signal<Local, Bits<32>>,
        touched: Signal<Local, Bits<32>>,
        stores: Signal<Local, Bits<32>>,
        seen_word: Signal<Local, Bits<32>>,
        new_word: Signal<Local, Bits<32>>,
        old_word: Signal<Local, Bits<32>>,
        differs: Signal<Local, Bit>,
        epoch_ff: DFF<Bits<E>>,
        sweeping_ff: DFF<Bit>,
        sweep_ff: DFF<Bits<S>>,
        sweeps: Signal<Local, Bit>,
        set: Signal<Local, Bits<S>>,
        tag: Signal<Local, Bits<T>>,
        word: Signal<Local, Bits<W>>,
        line: Signal<Local, Bits<L>>,
        line_words: Signal<Local, Bits<WORDS>>,
        place: Signal<Local, Bits<M>>,
        here: Signal<Local, Bits<WORDS>>,
        line_tag: Signal<Local, Bits<T>>,
        line_epoch: Signal<Local, Bits<E>>,
        same: Signal<Local, Bit>,
        held: Signal<Local, Bit>,
        seen: Signal<Local, Bits<4>>,
        found: Signal<Local, Bit>,
        found_way: Signal<Local, Bit>,
        last_used: Signal<Local, Bit>,
        way: Signal<Local, Bit>,
        old_words: Signal<Local, Bits<WORDS>>,
        old_lanes: Signal<Local, Bits<4>>,
        lanes: Signal<Local, Bits<4>>,
        left_words: Signal<Local, Bits<WORDS>>,
        left_lanes: Signal<Local, Bits<4>>,
        fresh: Signal<Local, Bits<L>>,
        mark: Signal<Local, Bit>,
        writes: Signal<Local, Bit>,
        chosen: Signal<Local, Bit>,
    }
    arrays {
        lines: [BlockRam<L, S>; WAYS],
        words: [BlockRam<WORDS, S>; WAYS],
        masks: [BlockRam<4, M>; WAYS],
        kept: [BlockRam<32, M>; WAYS],
        marks: [Signal<Local, Bit>; WAYS],
    }
    constants {
        set_lsb: 6 = W,
        tag_lsb: 6 = W + S,
        epoch_lsb: 6 = T,
        mark_lsb: 6 = T + E,
        mark_bit: L = 1u64 << (T + E),
        no_words: WORDS = 0,
        one_word: WORDS = 1,
        no_lanes: 4 = 0,
        one_epoch: E = 1,
        no_epoch: E = 0,
        one_set: S = 1,
        no_set: S = 0,
        two_ways: 1 = WAYS - 1,
        one_place: 4 = 1,
        no_place: 4 = 0,
        no_word: 32 = 0,
        lane_0: 32 = 0xff,
        lane_1: 32 = 0xff00,
        lane_2: 32 = 0xff_0000,
        lane_3: 32 = 0xff00_0000u32,
        one_lane: 6 = 8,
        two_lanes: 6 = 16,
        three_lanes: 6 = 24,
    }
    check {
        assert!(WAYS == 1 || WAYS == 2, "one or two ways");
        assert!((1..=3).contains(&W) && WORDS == 1 << W, "2, 4 or 8 words a line");
        assert!(M == S + W, "a word is numbered by its set and its place in the line");
        assert!(T == 30 - S - W, "the tag is the rest of the address");
        assert!(L == T + E + 1 && L <= 32, "a line fits a word");
    }
}

impl<
        const WAYS: usize,
        const S: usize,
        const W: usize,
        const WORDS: usize,
        const T: usize,
        const E: usize,
        const L: usize,
        const M: usize,
    > Logic for WordTags<WAYS, S, W, WORDS, T, E, L, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            epoch_ff,
            sweeping_ff,
            sweep_ff,
            write_ff,
            read_ff,
            known_ff
        );
        self.known.next = self.known_ff.q.val();
        // What the entries of the input queue have stored.
        self.waiting.clock.next = self.clock.val();
        self.waiting.write_address.next = self.write_ff.q.val();
        self.waiting.write_enable.next = self.push.val();
        self.waiting.write_data.next = self.stored.val();
        self.waiting.read_address.next = self.read_ff.q.val();
        if self.push.val() {
            self.write_ff.d.next = self.write_ff.q.val() + self.one_place.val();
        }
        if self.pop.val() {
            self.read_ff.d.next = self.read_ff.q.val() + self.one_place.val();
        }
        if self.forget.val() {
            self.write_ff.d.next = self.no_place.val();
            self.read_ff.d.next = self.no_place.val();
        }

        // Masks of lanes as masks of bits; what was read and what is there afterwards, in lanes.
        self.needed.next = self.no_word.val();
        self.touched.next = self.no_word.val();
        self.stores.next = self.no_word.val();
        if self.need.val().get_bit(0) {
            self.needed.next = self.needed.val() | self.lane_0.val();
        }
        if self.need.val().get_bit(1) {
            self.needed.next = self.needed.val() | self.lane_1.val();
        }
        if self.need.val().get_bit(2) {
            self.needed.next = self.needed.val() | self.lane_2.val();
        }
        if self.need.val().get_bit(3) {
            self.needed.next = self.needed.val() | self.lane_3.val();
        }
        if self.touch.val().get_bit(0) {
            self.touched.next = self.touched.val() | self.lane_0.val();
        }
        if self.touch.val().get_bit(1) {
            self.touched.next = self.touched.val() | self.lane_1.val();
        }
        if self.touch.val().get_bit(2) {
            self.touched.next = self.touched.val() | self.lane_2.val();
        }
        if self.touch.val().get_bit(3) {
            self.touched.next = self.touched.val() | self.lane_3.val();
        }
        if self.written.val().get_bit(0) {
            self.stores.next = self.stores.val() | self.lane_0.val();
        }
        if self.written.val().get_bit(1) {
            self.stores.next = self.stores.val() | self.lane_1.val();
        }
        if self.written.val().get_bit(2) {
            self.stores.next = self.stores.val() | self.lane_2.val();
        }
        if self.written.val().get_bit(3) {
            self.stores.next = self.stores.val() | self.lane_3.val();
        }
        self.seen_word.next = self.value.val() << self.three_lanes.val();
        if self.need.val().get_bit(2) {
            self.seen_word.next = self.value.val() << self.two_lanes.val();
        }
        if self.need.val().get_bit(1) {
            self.seen_word.next = self.value.val() << self.one_lane.val();
        }
        if self.need.val().get_bit(0) {
            self.seen_word.next = self.value.val();
        }
        self.new_word.next = (self.seen_word.val() & !self.stores.val())
            | (self.waiting.read_data.val() & self.stores.val());
        if self.fetch.val() {
            self.seen_word.next = self.insn.val();
            self.new_word.next = self.insn.val();
        }
        self.word.next = self.address.val().get_bits::<W>(0);
        self.tag.next = self.address.val().get_bits::<T>(self.tag_lsb.val().index());
        self.set.next = self.address.val().get_bits::<S>(self.set_lsb.val().index());
        self.sweeps.next = self.sweeping_ff.q.val() | self.clear.val();
        if self.sweeps.val() {
            self.set.next = self.sweep_ff.q.val();
        }
        self.place.next = (bit_cast::<M, S>(self.set.val()) << self.set_lsb.val())
            | bit_cast::<M, W>(self.word.val());
        self.here.next = self.one_word.val() << self.word.val();

        // Which way holds the line, and what it knows.
        self.found.next = false;
        self.found_way.next = false;
        self.last_used.next = false;
        self.knows.next = !self.need.val().any();
        self.old_words.next = self.no_words.val();
        self.old_lanes.next = self.no_lanes.val();
        self.old_word.next = self.no_word.val();
        for i in 0..WAYS {
            self.lines[i].clock.next = self.clock.val();
            self.words[i].clock.next = self.clock.val();
            self.masks[i].clock.next = self.clock.val();
            self.kept[i].clock.next = self.clock.val();
            self.lines[i].read_address.next = self.set.val();
            self.words[i].read_address.next = self.set.val();
            self.masks[i].read_address.next = self.place.val();
            self.kept[i].read_address.next = self.place.val();
            self.line.next = self.lines[i].read_data.val();
            self.line_words.next = self.words[i].read_data.val();
            self.seen.next = self.masks[i].read_data.val();
            self.line_tag.next = self.line.val().get_bits::<T>(0);
            self.line_epoch.next = self.line.val().get_bits::<E>(self.epoch_lsb.val().index());
            self.marks[i].next = self.line.val().get_bit(self.mark_lsb.val().index());
            self.last_used.next = self.last_used.val() ^ self.marks[i].val();
            self.same.next = self.line_words.val().any()
                & (self.line_tag.val() == self.tag.val())
                & (self.line_epoch.val() == self.epoch_ff.q.val())
                & !self.sweeps.val();
            self.held.next = self.same.val() & (self.line_words.val() & self.here.val()).any();
            self.lanes.next = self.need.val() & !self.seen.val();
            self.differs.next =
                ((self.kept[i].read_data.val() ^ self.seen_word.val()) & self.needed.val()).any();
            if self.same.val() {
                self.found.next = true;
                self.found_way.next = i != 0;
                self.old_words.next = self.old_words.val() | self.line_words.val();
            }
            if self.held.val() {
                self.old_lanes.next = self.old_lanes.val() | self.seen.val();
                self.old_word.next = self.old_word.val() | self.kept[i].read_data.val();
            }
            if self.held.val() & !self.lanes.val().any() & !self.differs.val() {
                self.knows.next = true;
            }
        }
        self.known_ff.d.next = self.knows.val();
        self.way.next = !self.last_used.val() & self.two_ways.val().any();
        if self.found.val() {
            self.way.next = self.found_way.val();
        }

        // What the access leaves. A set that is swept is found nowhere and touched nowhere.
        self.lanes.next = self.touch.val();
        if self.sweeps.val() {
            self.lanes.next = self.no_lanes.val();
        }
        self.left_lanes.next = self.old_lanes.val() | self.lanes.val();
        self.left_words.next = self.old_words.val() & !self.here.val();
        if self.left_lanes.val().any() {
            self.left_words.next = self.old_words.val() | self.here.val();
        }
        self.fresh.next = bit_cast::<L, T>(self.tag.val())
            | (bit_cast::<L, E>(self.epoch_ff.q.val()) << self.epoch_lsb.val());
        for i in 0..WAYS {
            self.chosen.next = self.way.val() ^ (i == 0);
            self.mark.next = self.marks[i].val();
            if self.chosen.val() & !self.sweeps.val() {
                self.mark.next = self.last_used.val() ^ self.marks[i].val() ^ (i != 0);
            }
            if self.clear.val() {
                self.mark.next = false;
            }
            self.writes.next = self.clear.val()
                | (self.commit.val() & (self.sweeping_ff.q.val() | self.chosen.val()));
            self.lines[i].write_enable.next = self.writes.val();
            self.lines[i].write_address.next = self.set.val();
            self.lines[i].write_data.next = self.fresh.val();
            if self.mark.val() {
                self.lines[i].write_data.next = self.fresh.val() | self.mark_bit.val();
            }
            self.words[i].write_enable.next = self.writes.val();
            self.words[i].write_address.next = self.set.val();
            self.words[i].write_data.next = self.left_words.val();
            self.masks[i].write_enable.next = self.writes.val();
            self.masks[i].write_address.next = self.place.val();
            self.masks[i].write_data.next = self.left_lanes.val();
            self.kept[i].write_enable.next = self.writes.val();
            self.kept[i].write_address.next = self.place.val();
            self.kept[i].write_data.next = (self.old_word.val() & !self.touched.val())
                | (self.new_word.val() & self.touched.val());
        }

        // An epoch number that comes round again would make old lines new: they are swept first.
        if (self.commit.val() & self.sweeping_ff.q.val()) | self.clear.val() {
            self.sweep_ff.d.next = self.sweep_ff.q.val() + self.one_set.val();
            if self.sweep_ff.q.val().all() {
                self.sweeping_ff.d.next = false;
            }
        }
        if self.advance.val() {
            self.epoch_ff.d.next = self.epoch_ff.q.val() + self.one_epoch.val();
            if self.epoch_ff.q.val().all() {
                self.sweeping_ff.d.next = true;
                self.sweep_ff.d.next = self.no_set.val();
            }
        }
        if self.clear.val() {
            self.epoch_ff.d.next = self.no_epoch.val();
            self.sweeping_ff.d.next = false;
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
            WordTags::<2, 8, 3, 8, 19, 8, 28, 11>::default(),
            "lookback_word_tags",
        );
        check_block(
            WordTags::<1, 2, 1, 2, 27, 2, 30, 3>::default(),
            "lookback_word_tags_1",
        );
    }
}
