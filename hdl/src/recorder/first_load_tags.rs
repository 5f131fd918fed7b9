//! Which bytes of memory the hart has already seen in this interval: section 1.2 of the log format,
//! kind `Bits`. Twin of `lookback_model::first_load_tags`.
//!
//! ```text
//!  cycle 1: address ──► set of lines from block RAM
//!  cycle 2: compare, `known`; with `commit` the line is written back
//! ```
//! `address` and masks are kept for both cycles; the next access begins in the cycle after.
//!
//! A line is two words of block RAM: {mark, epoch, tag} and the mask of its bytes. A line whose mask
//! is empty holds nothing. Everything is computed for each way beside the comparison of its tag, not
//! after it. The way that was used last is the exclusive
//! or of the marks of both ways, so that using a way rewrites that way only.

use super::memory::BlockRam;
use rust_hdl::prelude::*;

circuit! {
    /// `2^S` sets of `WAYS` lines of `WORDS = 2^W` words (2 to 8); `T` bits of tag, `E` of epoch, `L` bits
    /// of line, `M` bits of mask.
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
        /// every byte of `need` is known
        pub known: Signal<Out, Bit>,
        epoch_ff: DFF<Bits<E>>,
        sweeping_ff: DFF<Bit>,
        sweep_ff: DFF<Bits<S>>,
        sweeps: Signal<Local, Bit>,
        set: Signal<Local, Bits<S>>,
        tag: Signal<Local, Bits<T>>,
        word: Signal<Local, Bits<W>>,
        line: Signal<Local, Bits<L>>,
        line_mask: Signal<Local, Bits<M>>,
        line_tag: Signal<Local, Bits<T>>,
        line_epoch: Signal<Local, Bits<E>>,
        same: Signal<Local, Bit>,
        seen: Signal<Local, Bits<4>>,
        found: Signal<Local, Bit>,
        found_way: Signal<Local, Bit>,
        last_used: Signal<Local, Bit>,
        way: Signal<Local, Bit>,
        old: Signal<Local, Bits<M>>,
        lanes: Signal<Local, Bits<4>>,
        touched: Signal<Local, Bits<M>>,
        mask: Signal<Local, Bits<M>>,
        fresh: Signal<Local, Bits<L>>,
        mark: Signal<Local, Bit>,
        writes: Signal<Local, Bit>,
        chosen: Signal<Local, Bit>,
    }
    arrays {
        lines: [BlockRam<L, S>; WAYS],
        masks: [BlockRam<M, S>; WAYS],
        marks: [Signal<Local, Bit>; WAYS],
    }
    constants {
        set_lsb: 6 = W,
        tag_lsb: 6 = W + S,
        epoch_lsb: 6 = T,
        mark_lsb: 6 = T + E,
        mark_bit: L = 1u64 << (T + E),
        no_mask: M = 0,
        no_lanes: 4 = 0,
        one_epoch: E = 1,
        no_epoch: E = 0,
        one_set: S = 1,
        no_set: S = 0,
        two_ways: 1 = WAYS - 1,
    }
    check {
        assert!(WAYS == 1 || WAYS == 2, "one or two ways");
        assert!((1..=3).contains(&W) && WORDS == 1 << W && M == 4 * WORDS, "2, 4 or 8 words a line");
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
        dff_setup!(self, clock, epoch_ff, sweeping_ff, sweep_ff);
        self.word.next = self.address.val().get_bits::<W>(0);
        self.tag.next = self.address.val().get_bits::<T>(self.tag_lsb.val().index());
        self.set.next = self.address.val().get_bits::<S>(self.set_lsb.val().index());
        self.sweeps.next = self.sweeping_ff.q.val() | self.clear.val();
        if self.sweeps.val() {
            self.set.next = self.sweep_ff.q.val();
        }

        // Which way holds the line, and its mask.
        self.found.next = false;
        self.found_way.next = false;
        self.last_used.next = false;
        self.known.next = !self.need.val().any();
        self.old.next = self.no_mask.val();
        for i in 0..WAYS {
            self.lines[i].clock.next = self.clock.val();
            self.masks[i].clock.next = self.clock.val();
            self.lines[i].read_address.next = self.set.val();
            self.masks[i].read_address.next = self.set.val();
            self.line.next = self.lines[i].read_data.val();
            self.line_mask.next = self.masks[i].read_data.val();
            self.line_tag.next = self.line.val().get_bits::<T>(0);
            self.line_epoch.next = self.line.val().get_bits::<E>(self.epoch_lsb.val().index());
            self.marks[i].next = self.line.val().get_bit(self.mark_lsb.val().index());
            self.last_used.next = self.last_used.val() ^ self.marks[i].val();
            self.same.next = self.line_mask.val().any()
                & (self.line_tag.val() == self.tag.val())
                & (self.line_epoch.val() == self.epoch_ff.q.val())
                & !self.sweeps.val();
            self.seen.next = self.no_lanes.val();
            for k in 0..WORDS {
                if self.word.val() == k.to_bits() {
                    self.seen.next = self.seen.val() | self.line_mask.val().get_bits::<4>(4 * k);
                }
            }
            self.lanes.next = self.need.val() & !self.seen.val();
            if self.same.val() {
                self.found.next = true;
                self.found_way.next = i != 0;
                self.old.next = self.old.val() | self.line_mask.val();
            }
            if self.same.val() & !self.lanes.val().any() {
                self.known.next = true;
            }
        }
        self.way.next = !self.last_used.val() & self.two_ways.val().any();
        if self.found.val() {
            self.way.next = self.found_way.val();
        }

        // What the access leaves. A set that is swept is found nowhere and touched nowhere.
        self.lanes.next = self.touch.val();
        if self.sweeps.val() {
            self.lanes.next = self.no_lanes.val();
        }
        self.touched.next = self.no_mask.val();
        for k in 0..WORDS {
            if self.word.val() == k.to_bits() {
                self.touched.next = self.touched.val()
                    | (bit_cast::<M, 4>(self.lanes.val()) << (4 * k).to_bits::<6>());
            }
        }
        self.mask.next = self.old.val() | self.touched.val();
        if self.remove.val() {
            self.mask.next = self.old.val() & !self.touched.val();
        }
        self.fresh.next = bit_cast::<L, T>(self.tag.val())
            | (bit_cast::<L, E>(self.epoch_ff.q.val()) << self.epoch_lsb.val());
        for i in 0..WAYS {
            self.chosen.next = self.way.val() ^ (i == 0);
            self.mark.next = self.marks[i].val();
            if self.chosen.val() & !self.remove.val() & !self.sweeps.val() {
                self.mark.next = self.last_used.val() ^ self.marks[i].val() ^ (i != 0);
            }
            if self.clear.val() {
                self.mark.next = false;
            }
            self.writes.next = self.clear.val()
                | (self.commit.val()
                    & (self.sweeping_ff.q.val()
                        | (self.chosen.val() & (self.found.val() | !self.remove.val()))));
            self.lines[i].write_enable.next = self.writes.val();
            self.lines[i].write_address.next = self.set.val();
            self.lines[i].write_data.next = self.fresh.val();
            if self.mark.val() {
                self.lines[i].write_data.next = self.fresh.val() | self.mark_bit.val();
            }
            self.masks[i].write_enable.next = self.writes.val();
            self.masks[i].write_address.next = self.set.val();
            self.masks[i].write_data.next = self.mask.val();
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

    type Tiny<const WAYS: usize> = FirstLoadTags<WAYS, 2, 1, 2, 27, 2, 30, 8>;

    #[test]
    fn synthesizes() {
        check_block(
            FirstLoadTags::<2, 8, 3, 8, 19, 8, 28, 32>::default(),
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
        let mut known = [0; 2];
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
            tick!(tags);
            tags.commit.next = true;
            settle(&mut tags);
            let found = tags.known.val();
            tick!(tags);
            tags.commit.next = false;
            if snoop {
                model.snoop(addr, rmask | wmask);
            } else {
                assert_eq!(found, model.access(addr, rmask, wmask));
                known[usize::from(found)] += 1;
            }
        }
        assert!(known[0] > 1000 && known[1] > 1000, "{known:?}");
    }

    #[test]
    fn equals_the_model() {
        compare::<2>(6);
        compare::<1>(7);
    }
}
