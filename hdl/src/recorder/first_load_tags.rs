//! Which bytes of memory the hart has already seen in this interval: section 1.2 of the log format,
//! kind `Bits`. Twin of `lookback_model::first_load_tags`.
//!
//! ```text
//!  cycle 1: address ──► set of lines from block RAM
//!  cycle 2: compare; with `commit` the access takes effect
//!  cycle 3: `known`; the line is written back
//! ```
//! `address` and masks are kept for the first two cycles; the next access begins in the third. If that
//! is of the set which is being written, `conflict` says so in its first cycle, which then has to be
//! done again.
//!
//! A line is two words of block RAM: {mark, epoch, tag} and which of its words have known bytes. The
//! bytes themselves stand in a third memory, one entry for each word, and count only if the line says
//! so: a new line forgets all of its words at once. A line without words holds nothing. Everything is
//! computed for each way beside the comparison of its tag, not after it. The way that was used last is
//! the exclusive or of the marks of both ways, so that using a way rewrites that way only.

use crate::memory::BlockRam;
use rust_hdl::prelude::*;

circuit! {
    /// `2^S` sets of `WAYS` lines of `WORDS = 2^W` words (2 to 8); `T` bits of tag, `E` of epoch, `L` bits
    /// of line, `M = S + W` bits to number a word.
    pub struct FirstLoadTags [WAYS, S, W, WORDS, T, E, L, M] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty a set each cycle, for as many cycles as there are sets, and forget the epoch
        pub clear: Signal<In, Bit>,
        /// a new interval begins
        pub advance: Signal<In, Bit>,
        /// address of the word, without its two low bits
        pub address: Signal<In, Bits<30>>,
        /// bytes that must be known
        pub need: Signal<In, Bits<4>>,
        /// bytes that are known afterwards, or unknown if `remove`
        pub touch: Signal<In, Bits<4>>,
        /// somebody else's write
        pub remove: Signal<In, Bit>,
        /// the access takes effect
        pub commit: Signal<In, Bit>,
        /// every byte of `need` was known to the access that was committed in the cycle before
        pub known: Signal<Out, Bit>,
        /// the set that is asked for is being written: ask again
        pub conflict: Signal<Out, Bit>,
        epoch_ff: DFF<Bits<E>>,
        sweeping_ff: DFF<Bit>,
        sweep_ff: DFF<Bits<S>>,
        /// the access of the cycle before
        writing_ff: DFF<Bit>,
        swept_ff: DFF<Bit>,
        cleared_ff: DFF<Bit>,
        removing_ff: DFF<Bit>,
        need_ff: DFF<Bits<4>>,
        touch_ff: DFF<Bits<4>>,
        set_ff: DFF<Bits<S>>,
        word_ff: DFF<Bits<W>>,
        tag_ff: DFF<Bits<T>>,
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
        same_ff: [DFF<Bit>; WAYS],
        held_ff: [DFF<Bit>; WAYS],
        mark_ff: [DFF<Bit>; WAYS],
        words_ff: [DFF<Bits<WORDS>>; WAYS],
        seen_ff: [DFF<Bits<4>>; WAYS],
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
    > Logic for FirstLoadTags<WAYS, S, W, WORDS, T, E, L, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            epoch_ff,
            sweeping_ff,
            sweep_ff,
            writing_ff,
            swept_ff,
            cleared_ff,
            removing_ff,
            need_ff,
            touch_ff,
            set_ff,
            word_ff,
            tag_ff
        );
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
        self.conflict.next = self.writing_ff.q.val() & (self.set.val() == self.set_ff.q.val());

        // The second cycle: which way holds the line.
        for i in 0..WAYS {
            self.lines[i].clock.next = self.clock.val();
            self.words[i].clock.next = self.clock.val();
            self.masks[i].clock.next = self.clock.val();
            self.same_ff[i].clock.next = self.clock.val();
            self.held_ff[i].clock.next = self.clock.val();
            self.mark_ff[i].clock.next = self.clock.val();
            self.words_ff[i].clock.next = self.clock.val();
            self.seen_ff[i].clock.next = self.clock.val();
            self.lines[i].read_address.next = self.set.val();
            self.words[i].read_address.next = self.set.val();
            self.masks[i].read_address.next = self.place.val();
            self.line.next = self.lines[i].read_data.val();
            self.line_words.next = self.words[i].read_data.val();
            self.line_tag.next = self.line.val().get_bits::<T>(0);
            self.line_epoch.next = self.line.val().get_bits::<E>(self.epoch_lsb.val().index());
            self.same.next = self.line_words.val().any()
                & (self.line_tag.val() == self.tag.val())
                & (self.line_epoch.val() == self.epoch_ff.q.val())
                & !self.sweeps.val();
            self.same_ff[i].d.next = self.same.val();
            self.held_ff[i].d.next =
                self.same.val() & (self.line_words.val() & self.here.val()).any();
            self.mark_ff[i].d.next = self.line.val().get_bit(self.mark_lsb.val().index());
            self.words_ff[i].d.next = self.line_words.val();
            self.seen_ff[i].d.next = self.masks[i].read_data.val();
        }
        self.writing_ff.d.next = self.commit.val() | self.clear.val();
        self.swept_ff.d.next = self.sweeps.val();
        self.cleared_ff.d.next = self.clear.val();
        self.removing_ff.d.next = self.remove.val();
        self.need_ff.d.next = self.need.val();
        self.touch_ff.d.next = self.touch.val();
        self.set_ff.d.next = self.set.val();
        self.word_ff.d.next = self.word.val();
        self.tag_ff.d.next = self.tag.val();

        // The third: what it knows.
        self.place.next = (bit_cast::<M, S>(self.set_ff.q.val()) << self.set_lsb.val())
            | bit_cast::<M, W>(self.word_ff.q.val());
        self.here.next = self.one_word.val() << self.word_ff.q.val();
        self.found.next = false;
        self.found_way.next = false;
        self.last_used.next = false;
        self.known.next = !self.need_ff.q.val().any();
        self.old_words.next = self.no_words.val();
        self.old_lanes.next = self.no_lanes.val();
        for i in 0..WAYS {
            self.seen.next = self.seen_ff[i].q.val();
            self.last_used.next = self.last_used.val() ^ self.mark_ff[i].q.val();
            self.lanes.next = self.need_ff.q.val() & !self.seen.val();
            if self.same_ff[i].q.val() {
                self.found.next = true;
                self.found_way.next = i != 0;
                self.old_words.next = self.old_words.val() | self.words_ff[i].q.val();
            }
            if self.held_ff[i].q.val() {
                self.old_lanes.next = self.old_lanes.val() | self.seen.val();
            }
            if self.held_ff[i].q.val() & !self.lanes.val().any() {
                self.known.next = true;
            }
        }
        self.way.next = !self.last_used.val() & self.two_ways.val().any();
        if self.found.val() {
            self.way.next = self.found_way.val();
        }

        // What the access leaves. A set that is swept is found nowhere and touched nowhere.
        self.lanes.next = self.touch_ff.q.val();
        if self.swept_ff.q.val() {
            self.lanes.next = self.no_lanes.val();
        }
        self.left_lanes.next = self.old_lanes.val() | self.lanes.val();
        if self.removing_ff.q.val() {
            self.left_lanes.next = self.old_lanes.val() & !self.lanes.val();
        }
        self.left_words.next = self.old_words.val() & !self.here.val();
        if self.left_lanes.val().any() {
            self.left_words.next = self.old_words.val() | self.here.val();
        }
        self.fresh.next = bit_cast::<L, T>(self.tag_ff.q.val())
            | (bit_cast::<L, E>(self.epoch_ff.q.val()) << self.epoch_lsb.val());
        for i in 0..WAYS {
            self.chosen.next = self.way.val() ^ (i == 0);
            self.mark.next = self.mark_ff[i].q.val();
            if self.chosen.val() & !self.removing_ff.q.val() & !self.swept_ff.q.val() {
                self.mark.next = self.last_used.val() ^ self.mark_ff[i].q.val() ^ (i != 0);
            }
            if self.cleared_ff.q.val() {
                self.mark.next = false;
            }
            self.writes.next = self.writing_ff.q.val()
                & (self.swept_ff.q.val()
                    | (self.chosen.val() & (self.found.val() | !self.removing_ff.q.val())));
            self.lines[i].write_enable.next = self.writes.val();
            self.lines[i].write_address.next = self.set_ff.q.val();
            self.lines[i].write_data.next = self.fresh.val();
            if self.mark.val() {
                self.lines[i].write_data.next = self.fresh.val() | self.mark_bit.val();
            }
            self.words[i].write_enable.next = self.writes.val();
            self.words[i].write_address.next = self.set_ff.q.val();
            self.words[i].write_data.next = self.left_words.val();
            self.masks[i].write_enable.next = self.writes.val();
            self.masks[i].write_address.next = self.place.val();
            self.masks[i].write_data.next = self.left_lanes.val();
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
    use crate::recorder::testing::{check_block, config_tiny};
    use crate::{harness::settle, tick};
    use lookback_model::stimulus::Random;

    type Tiny<const WAYS: usize> = FirstLoadTags<WAYS, 2, 1, 2, 27, 2, 30, 3>;

    #[test]
    fn synthesizes() {
        check_block(
            FirstLoadTags::<2, 8, 3, 8, 19, 8, 28, 11>::default(),
            "lookback_first_load_tags",
        );
        check_block(Tiny::<1>::default(), "lookback_first_load_tags_1");
    }

    fn compare<const WAYS: usize>(seed: u64) {
        let mut config = config_tiny();
        config.tag_ways = WAYS as u8;
        let mut model = lookback_model::first_load_tags::Bits::new(&config);
        let mut tags = Tiny::<WAYS>::default();
        tags.connect_all();
        tags.clear.next = true;
        for _ in 0..4 {
            tick!(tags);
        }
        tags.clear.next = false;
        let mut random = Random::new(seed);
        let (mut known, mut conflicts) = ([0; 2], 0);
        for _ in 0..20_000 {
            if random.chance(8) {
                model.next_interval();
                tags.advance.next = true;
                tick!(tags);
                tags.advance.next = false;
            }
            // Three lines for each of four sets.
            let addr = 0x8000_0000 + 4 * random.below(8 * 3);
            let (rmask, wmask) = (random.below(16) as u8, random.below(16) as u8);
            let (rmask, wmask) = random.pick(&[(rmask, 0), (0, wmask), (rmask, wmask)]);
            if rmask | wmask == 0 {
                continue;
            }
            let snoop = random.chance(150);
            tags.address.next = u64::from(addr >> 2).into();
            tags.need.next = u64::from(if snoop { 0 } else { rmask }).into();
            tags.touch.next = u64::from(rmask | wmask).into();
            tags.remove.next = snoop;
            settle(&mut tags);
            let conflict = tags.conflict.val();
            conflicts += u32::from(conflict);
            tick!(tags);
            if conflict {
                tick!(tags);
            }
            tags.commit.next = true;
            tick!(tags);
            tags.commit.next = false;
            settle(&mut tags);
            let found = tags.known.val();
            if snoop {
                model.snoop(addr, rmask | wmask);
            } else {
                assert_eq!(found, model.access(addr, rmask, wmask));
                known[usize::from(found)] += 1;
            }
        }
        assert!(known[0] > 1000 && known[1] > 1000, "{known:?}");
        assert!(conflicts > 1000, "{conflicts}");
    }

    #[test]
    fn equals_the_model() {
        compare::<2>(6);
        compare::<1>(7);
    }
}
