//! The values that operations yield most often, ranked: section 2.1 of the log format. Twin of
//! `lookback_model::dictionary`.
//!
//! ```text
//!  rank = {row, lane}: LANES banks of LUT RAM, one row is compared each cycle
//!   Scan row 0, 1, … ── hit ──► Raise ─(swap)─► Settle ─► Scan
//!                    └─ last row, no hit ──► Insert ────► Scan
//! ```
//! A hit in row r takes r + 2 cycles, r + 3 if it climbs; a miss takes rows + 1. `done` comes with
//! the last row that was looked at, the update follows. Comparing all entries at once would take
//! twenty times the logic. The value of the rank above is read from a copy in block RAM, counters
//! by rank from two more copies.
//!
//! While rows are scanned the entry that a miss replaces is found along the way: in each row the
//! last lane with the row's smallest counter, and of the rows the last with the smallest of those.

use super::memory::{BlockRam, LutRam};
use rust_hdl::prelude::*;

/// What the dictionary does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Search {
    /// looks a value up, or waits for one
    Scan,
    /// a hit: counter up
    Raise,
    /// a hit that climbed: writes the upper entry
    Settle,
    /// a miss: replaces an entry
    Insert,
    /// empties all entries
    Empty,
}

circuit! {
    /// `LANES * 2^R` entries; `I` bits of rank, `B` bits of lane.
    pub struct Dictionary [LANES, B, R, I] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty it; takes as many cycles as there are entries
        pub empty: Signal<In, Bit>,
        /// look `value` up; kept until `done`
        pub look: Signal<In, Bit>,
        /// value of an operation
        pub value: Signal<In, Bits<32>>,
        /// it was looked up
        pub done: Signal<Out, Bit>,
        /// it is there
        pub hit: Signal<Out, Bit>,
        /// its rank
        pub index: Signal<Out, Bits<I>>,
        copy: BlockRam<32, I>,
        own_count: LutRam<3, I>,
        above_count: LutRam<3, I>,
        search_ff: DFF<Search>,
        row_ff: DFF<Bits<R>>,
        value_ff: DFF<Bits<32>>,
        index_ff: DFF<Bits<I>>,
        above_ff: DFF<Bits<I>>,
        row_least_ff: DFF<Bits<3>>,
        row_index_ff: DFF<Bits<I>>,
        least_ff: DFF<Bits<3>>,
        least_index_ff: DFF<Bits<I>>,
        hits: Signal<Local, Bits<LANES>>,
        plane_0: Signal<Local, Bits<LANES>>,
        plane_1: Signal<Local, Bits<LANES>>,
        plane_2: Signal<Local, Bits<LANES>>,
        fewer: Signal<Local, Bits<LANES>>,
        least: Signal<Local, Bits<LANES>>,
        least_count: Signal<Local, Bits<3>>,
        hit_lane: Signal<Local, Bits<B>>,
        least_lane: Signal<Local, Bits<B>>,
        rank: Signal<Local, Bits<I>>,
        above: Signal<Local, Bits<I>>,
        victim: Signal<Local, Bits<I>>,
        raised: Signal<Local, Bits<3>>,
        climbs: Signal<Local, Bit>,
        stores: Signal<Local, Bit>,
        store_index: Signal<Local, Bits<I>>,
        store_lane: Signal<Local, Bits<B>>,
        store_row: Signal<Local, Bits<R>>,
        store_value: Signal<Local, Bits<32>>,
        store_count: Signal<Local, Bits<3>>,
        count: Signal<Local, Bits<3>>,
    }
    arrays {
        values: [LutRam<32, R>; LANES],
        counts: [LutRam<3, R>; LANES],
    }
    constants {
        no_lanes: LANES = 0,
        no_lane: B = 0,
        lane_bits: 5 = B,
        row_one: R = 1,
        row_zero: R = 0,
        rank_one: I = 1,
        rank_zero: I = 0,
        count_zero: 3 = 0,
        count_one: 3 = 1,
        count_most: 3 = 7,
        count_4: 3 = 4,
        count_2: 3 = 2,
    }
    check {
        assert!(LANES == 1 << B && B >= 1, "lanes are a power of two");
        assert!(I == B + R && R >= 1, "ranks are lanes and rows");
    }
}

impl<const LANES: usize, const B: usize, const R: usize, const I: usize> Logic
    for Dictionary<LANES, B, R, I>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            search_ff,
            row_ff,
            value_ff,
            index_ff,
            above_ff,
            row_least_ff,
            row_index_ff,
            least_ff,
            least_index_ff
        );
        // The row: who has the value, and who has counted least.
        self.hits.next = self.no_lanes.val();
        self.plane_0.next = self.no_lanes.val();
        self.plane_1.next = self.no_lanes.val();
        self.plane_2.next = self.no_lanes.val();
        self.hit_lane.next = self.no_lane.val();
        for i in 0..LANES {
            self.values[i].clock.next = self.clock.val();
            self.counts[i].clock.next = self.clock.val();
            self.values[i].read_address.next = self.row_ff.q.val();
            self.counts[i].read_address.next = self.row_ff.q.val();
            self.count.next = self.counts[i].read_data.val();
            self.plane_0.next = self
                .plane_0
                .val()
                .replace_bit(i, self.count.val().get_bit(0));
            self.plane_1.next = self
                .plane_1
                .val()
                .replace_bit(i, self.count.val().get_bit(1));
            self.plane_2.next = self
                .plane_2
                .val()
                .replace_bit(i, self.count.val().get_bit(2));
            if self.count.val().any() & (self.values[i].read_data.val() == self.value.val()) {
                self.hits.next = self.hits.val().replace_bit(i, true);
                self.hit_lane.next = self.hit_lane.val() | i.to_bits();
            }
        }
        self.least_count.next = self.count_zero.val();
        self.least.next = !self.plane_2.val();
        if !self.least.val().any() {
            self.least.next = !self.no_lanes.val();
            self.least_count.next = self.count_4.val();
        }
        self.fewer.next = self.least.val() & !self.plane_1.val();
        if self.fewer.val().any() {
            self.least.next = self.fewer.val();
        } else {
            self.least_count.next = self.least_count.val() | self.count_2.val();
        }
        self.fewer.next = self.least.val() & !self.plane_0.val();
        if self.fewer.val().any() {
            self.least.next = self.fewer.val();
        } else {
            self.least_count.next = self.least_count.val() | self.count_one.val();
        }
        self.least_lane.next = self.no_lane.val();
        for i in 0..LANES {
            if self.least.val().get_bit(i) {
                self.least_lane.next = i.to_bits();
            }
        }
        self.row_least_ff.d.next = self.least_count.val();
        self.row_index_ff.d.next = (bit_cast::<I, R>(self.row_ff.q.val()) << self.lane_bits.val())
            | bit_cast::<I, B>(self.least_lane.val());
        // The rows before this one.
        self.victim.next = self.least_index_ff.q.val();
        if self.row_least_ff.q.val() <= self.least_ff.q.val() {
            self.victim.next = self.row_index_ff.q.val();
            self.least_ff.d.next = self.row_least_ff.q.val();
            self.least_index_ff.d.next = self.row_index_ff.q.val();
        }
        if !self.row_ff.q.val().any() {
            self.least_ff.d.next = self.count_most.val();
        }

        self.rank.next = (bit_cast::<I, R>(self.row_ff.q.val()) << self.lane_bits.val())
            | bit_cast::<I, B>(self.hit_lane.val());
        self.above.next = self.rank.val() - self.rank_one.val();
        self.copy.clock.next = self.clock.val();
        self.copy.read_address.next = self.above.val();
        self.own_count.clock.next = self.clock.val();
        self.own_count.read_address.next = self.index_ff.q.val();
        self.above_count.clock.next = self.clock.val();
        self.above_count.read_address.next = self.above_ff.q.val();
        self.raised.next = self.own_count.read_data.val();
        if !self.raised.val().all() {
            self.raised.next = self.own_count.read_data.val() + self.count_one.val();
        }
        self.climbs.next =
            self.index_ff.q.val().any() & (self.raised.val() >= self.above_count.read_data.val());

        self.done.next = false;
        self.hit.next = self.hits.val().any();
        self.index.next = self.rank.val();
        self.stores.next = false;
        self.store_index.next = self.index_ff.q.val();
        self.store_value.next = self.value_ff.q.val();
        self.store_count.next = self.raised.val();
        match self.search_ff.q.val() {
            Search::Scan => {
                if self.look.val() {
                    self.row_ff.d.next = self.row_ff.q.val() + self.row_one.val();
                    self.value_ff.d.next = self.value.val();
                    self.index_ff.d.next = self.rank.val();
                    self.above_ff.d.next = self.above.val();
                    if self.hit.val() {
                        self.done.next = true;
                        self.row_ff.d.next = self.row_zero.val();
                        self.search_ff.d.next = Search::Raise;
                    } else if self.row_ff.q.val().all() {
                        self.done.next = true;
                        self.row_ff.d.next = self.row_zero.val();
                        self.search_ff.d.next = Search::Insert;
                    }
                }
            }
            Search::Raise => {
                self.stores.next = true;
                self.search_ff.d.next = Search::Scan;
                if self.climbs.val() {
                    self.store_value.next = self.copy.read_data.val();
                    self.store_count.next = self.above_count.read_data.val();
                    self.search_ff.d.next = Search::Settle;
                    // The raised counter waits where the smallest one is not needed.
                    self.least_ff.d.next = self.raised.val();
                }
            }
            Search::Settle => {
                self.stores.next = true;
                self.store_index.next = self.above_ff.q.val();
                self.store_count.next = self.least_ff.q.val();
                self.search_ff.d.next = Search::Scan;
            }
            Search::Insert => {
                self.stores.next = true;
                self.store_index.next = self.victim.val();
                self.store_count.next = self.count_one.val();
                self.search_ff.d.next = Search::Scan;
            }
            Search::Empty => {
                self.stores.next = true;
                self.store_count.next = self.count_zero.val();
                self.index_ff.d.next = self.index_ff.q.val() + self.rank_one.val();
                if self.index_ff.q.val().all() {
                    self.search_ff.d.next = Search::Scan;
                }
            }
            _ => {
                self.search_ff.d.next = Search::Scan;
            }
        }
        if self.empty.val() {
            self.search_ff.d.next = Search::Empty;
            self.index_ff.d.next = self.rank_zero.val();
            self.row_ff.d.next = self.row_zero.val();
        }

        self.store_lane.next = self.store_index.val().get_bits::<B>(0);
        self.store_row.next = self
            .store_index
            .val()
            .get_bits::<R>(self.lane_bits.val().index());
        for i in 0..LANES {
            self.values[i].write_enable.next =
                self.stores.val() & (self.store_lane.val() == i.to_bits());
            self.values[i].write_address.next = self.store_row.val();
            self.values[i].write_data.next = self.store_value.val();
            self.counts[i].write_enable.next =
                self.stores.val() & (self.store_lane.val() == i.to_bits());
            self.counts[i].write_address.next = self.store_row.val();
            self.counts[i].write_data.next = self.store_count.val();
        }
        self.copy.write_enable.next = self.stores.val();
        self.copy.write_address.next = self.store_index.val();
        self.copy.write_data.next = self.store_value.val();
        self.own_count.write_enable.next = self.stores.val();
        self.own_count.write_address.next = self.store_index.val();
        self.own_count.write_data.next = self.store_count.val();
        self.above_count.write_enable.next = self.stores.val();
        self.above_count.write_address.next = self.store_index.val();
        self.above_count.write_data.next = self.store_count.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::{check_block, word};
    use crate::{harness::settle, tick};
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(Dictionary::<16, 4, 2, 6>::default(), "lookback_dictionary");
    }

    /// Values of a few kinds of program: few and often, many and seldom, in turn.
    fn compare<const LANES: usize, const B: usize, const R: usize, const I: usize>(seed: u64) {
        let mut random = Random::new(seed);
        let mut model = lookback_model::dictionary::Dictionary::new(I as u8);
        let mut dictionary = Dictionary::<LANES, B, R, I>::default();
        dictionary.connect_all();
        let (mut cycles, mut longest, mut hits) = (0u32, 0, 0);
        for step in 0..12_000u32 {
            if step % 1500 == 0 {
                model.clear();
                dictionary.empty.next = true;
                tick!(dictionary);
                dictionary.empty.next = false;
                for _ in 0..1 << I {
                    tick!(dictionary);
                }
            }
            let range = 1 << (2 + step / 250 % 7);
            let value = match step / 50 % 3 {
                0 => random.below(range) * 0x0101_0101,
                1 => random.below(range).min(random.below(range)),
                _ => step % range,
            };
            dictionary.look.next = true;
            dictionary.value.next = word(value);
            settle(&mut dictionary);
            let mut took = 1;
            while !dictionary.done.val() {
                tick!(dictionary);
                took += 1;
                assert!(took < 20);
            }
            let found = dictionary.hit.val().then(|| dictionary.index.val().index());
            assert_eq!(found, model.update(value), "step {step}");
            hits += u32::from(found.is_some());
            tick!(dictionary);
            cycles += took;
            longest = longest.max(took);
        }
        assert!(hits > 3000);
        assert!(longest <= (1 << R) + 2, "{longest} cycles, {cycles} in all");
    }

    #[test]
    fn equals_the_model() {
        compare::<16, 4, 2, 6>(8);
        compare::<4, 2, 1, 3>(9);
    }
}
