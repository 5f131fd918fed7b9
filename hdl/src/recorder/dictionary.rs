//! The values that operations yield most often, ranked: section 2.1 of the log format. Twin of
//! `lookback_model::dictionary`.
//!
//! ```text
//!  rank = {row, lane}: LANES banks of LUT RAM, one row is compared each cycle
//!
//!   Scan row 0, 1, … ── looks alike ──► Verify ── equal ─(climbs)─► Settle ─► Scan
//!     ▲          │  ▲                     │
//!     │          │  └──────── differs ────┘
//!     └─ Insert ◄┴ last row
//! ```
//! Comparing whole values would take most of the recorder's logic. The lanes hold eleven bits made of
//! a value; the values themselves stand in block RAM by rank, where a rank that looks alike is
//! verified; a second copy gives the value of the rank above. A hit in row r takes r + 2 cycles,
//! r + 3 if it climbs, `done` comes with Verify; a miss takes one cycle more than there are rows, and
//! two more for each rank that looked alike.
//!
//! The entry that a miss replaces is found along the way: the last one whose counter is `floor`, a
//! lower bound of all counters. If there is none the bound was too low: it goes up and the rows are
//! scanned again. A new entry has counter 1, so the bound is 0 or 1 nearly always.

use super::memory::{BlockRam, LutRam};
use rust_hdl::prelude::*;

/// What the dictionary does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Search {
    /// looks a value up, or waits for one
    Scan,
    /// compares a value that looks alike; a hit raises its counter
    Verify,
    /// a hit that climbed: writes the upper entry
    Settle,
    /// a miss for which no entry is found yet
    Again,
    /// a miss: replaces an entry
    Insert,
    /// empties all entries
    Empty,
}

circuit! {
    /// `LANES * 2^R` entries; `I` bits of rank, `B` bits of lane.
    pub struct Dictionary [LANES, NODES, B, R, I] {
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
        values: BlockRam<32, I>,
        above_values: BlockRam<32, I>,
        own_count: LutRam<3, I>,
        above_count: LutRam<3, I>,
        search_ff: DFF<Search>,
        row_ff: DFF<Bits<R>>,
        first_ff: DFF<Bits<B>>,
        value_ff: DFF<Bits<32>>,
        index_ff: DFF<Bits<I>>,
        above_ff: DFF<Bits<I>>,
        floor_ff: DFF<Bits<3>>,
        victim_ff: DFF<Bits<I>>,
        found_ff: DFF<Bit>,
        raised_ff: DFF<Bits<3>>,
        scanning: Signal<Local, Bit>,
        folded: Signal<Local, Bits<11>>,
        mark: Signal<Local, Bits<12>>,
        entry: Signal<Local, Bits<15>>,
        entry_mark: Signal<Local, Bits<12>>,
        entry_count: Signal<Local, Bits<3>>,
        some_alike: Signal<Local, Bit>,
        first_lane: Signal<Local, Bits<B>>,
        some_lowest: Signal<Local, Bit>,
        last_lane: Signal<Local, Bits<B>>,
        lowest_rank: Signal<Local, Bits<I>>,
        lane: Signal<Local, Bits<B>>,
        rank: Signal<Local, Bits<I>>,
        after: Signal<Local, Bits<I>>,
        above: Signal<Local, Bits<I>>,
        equal: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        misses: Signal<Local, Bit>,
        raised: Signal<Local, Bits<3>>,
        climbs: Signal<Local, Bit>,
        stores: Signal<Local, Bit>,
        store_index: Signal<Local, Bits<I>>,
        store_lane: Signal<Local, Bits<B>>,
        store_row: Signal<Local, Bits<R>>,
        store_value: Signal<Local, Bits<32>>,
        store_count: Signal<Local, Bits<3>>,
        store_entry: Signal<Local, Bits<15>>,
    }
    arrays {
        lanes: [LutRam<15, R>; LANES],
        alike: [Signal<Local, Bit>; NODES],
        alike_lane: [Signal<Local, Bits<B>>; NODES],
        lowest: [Signal<Local, Bit>; NODES],
        lowest_lane: [Signal<Local, Bits<B>>; NODES],
    }
    constants {
        no_lane: B = 0,
        lane_bits: 5 = B,
        row_one: R = 1,
        row_zero: R = 0,
        rank_one: I = 1,
        rank_zero: I = 0,
        count_zero: 3 = 0,
        count_one: 3 = 1,
        used: 12 = 0x800,
    }
    check {
        assert!(LANES == 1 << B && B >= 1, "lanes are a power of two");
        assert!(NODES == 2 * LANES, "a tree has a node for each pair");
        assert!(I == B + R && R >= 1, "ranks are lanes and rows");
    }
}

impl<const LANES: usize, const NODES: usize, const B: usize, const R: usize, const I: usize> Logic
    for Dictionary<LANES, NODES, B, R, I>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, search_ff, row_ff, first_ff, value_ff, index_ff, above_ff, floor_ff,
            victim_ff, found_ff, raised_ff
        );
        // The row: the first lane that looks alike, and the last with the smallest counter.
        self.folded.next = self.value.val().get_bits::<11>(0)
            ^ self.value.val().get_bits::<11>(11)
            ^ bit_cast::<11, 10>(self.value.val().get_bits::<10>(22));
        self.mark.next = bit_cast::<12, 11>(self.folded.val()) | self.used.val();
        // Trees of choices, root 1, leaves LANES to 2 * LANES: a chain would be as deep as long.
        self.alike[0].next = false;
        self.alike_lane[0].next = self.no_lane.val();
        self.lowest[0].next = false;
        self.lowest_lane[0].next = self.no_lane.val();
        for n in LANES..(LANES + 1) {
            for i in 0..LANES {
                self.lanes[i].clock.next = self.clock.val();
                self.lanes[i].read_address.next = self.row_ff.q.val();
                self.entry.next = self.lanes[i].read_data.val();
                self.entry_mark.next = self.entry.val().get_bits::<12>(0);
                self.entry_count.next = self.entry.val().get_bits::<3>(12);
                self.lane.next = i.to_bits();
                self.alike[n + i].next = (self.entry_mark.val() == self.mark.val())
                    & (self.first_ff.q.val() <= self.lane.val());
                self.alike_lane[n + i].next = self.lane.val();
                self.lowest[n + i].next = self.entry_count.val() == self.floor_ff.q.val();
                self.lowest_lane[n + i].next = self.lane.val();
            }
            for k in 1..LANES {
                self.alike[n - k].next =
                    self.alike[2 * (n - k)].val() | self.alike[2 * (n - k) + 1].val();
                self.alike_lane[n - k].next = self.alike_lane[2 * (n - k) + 1].val();
                if self.alike[2 * (n - k)].val() {
                    self.alike_lane[n - k].next = self.alike_lane[2 * (n - k)].val();
                }
                self.lowest[n - k].next =
                    self.lowest[2 * (n - k)].val() | self.lowest[2 * (n - k) + 1].val();
                self.lowest_lane[n - k].next = self.lowest_lane[2 * (n - k)].val();
                if self.lowest[2 * (n - k) + 1].val() {
                    self.lowest_lane[n - k].next = self.lowest_lane[2 * (n - k) + 1].val();
                }
            }
        }
        self.first_lane.next = self.alike_lane[1].val();
        self.last_lane.next = self.lowest_lane[1].val();
        self.some_alike.next = self.alike[1].val();
        self.some_lowest.next = self.lowest[1].val();
        self.rank.next = (bit_cast::<I, R>(self.row_ff.q.val()) << self.lane_bits.val())
            | bit_cast::<I, B>(self.first_lane.val());
        self.lowest_rank.next = (bit_cast::<I, R>(self.row_ff.q.val()) << self.lane_bits.val())
            | bit_cast::<I, B>(self.last_lane.val());
        self.ends.next = self.row_ff.q.val().all();
        self.scanning.next = self.search_ff.q.val() == Search::Scan;

        // Value and counter of the rank and of the rank above.
        self.above.next = self.rank.val() - self.rank_one.val();
        self.after.next = self.index_ff.q.val() + self.rank_one.val();
        self.values.clock.next = self.clock.val();
        self.values.read_address.next = self.rank.val();
        self.above_values.clock.next = self.clock.val();
        self.above_values.read_address.next = self.above.val();
        self.equal.next = self.values.read_data.val() == self.value_ff.q.val();
        self.own_count.clock.next = self.clock.val();
        self.own_count.read_address.next = self.index_ff.q.val();
        self.above_count.clock.next = self.clock.val();
        self.above_count.read_address.next = self.above_ff.q.val();
        self.raised.next = self.own_count.read_data.val();
        if !self.raised.val().all() {
            self.raised.next = self.own_count.read_data.val() + self.count_one.val();
        }
        self.raised_ff.d.next = self.raised.val();
        self.climbs.next =
            self.index_ff.q.val().any() & (self.raised.val() >= self.above_count.read_data.val());

        self.done.next = false;
        self.misses.next = false;
        self.hit.next = self.equal.val() & !self.scanning.val();
        self.index.next = self.index_ff.q.val();
        self.stores.next = false;
        self.store_index.next = self.index_ff.q.val();
        self.store_value.next = self.value_ff.q.val();
        self.store_count.next = self.raised.val();
        match self.search_ff.q.val() {
            Search::Scan => {
                if self.look.val() {
                    self.value_ff.d.next = self.value.val();
                    self.index_ff.d.next = self.rank.val();
                    self.above_ff.d.next = self.above.val();
                    if self.some_lowest.val() {
                        self.found_ff.d.next = true;
                        self.victim_ff.d.next = self.lowest_rank.val();
                    }
                    if self.some_alike.val() {
                        self.search_ff.d.next = Search::Verify;
                    } else {
                        self.row_ff.d.next = self.row_ff.q.val() + self.row_one.val();
                        self.first_ff.d.next = self.no_lane.val();
                        self.misses.next = self.ends.val();
                    }
                }
            }
            Search::Verify => {
                self.search_ff.d.next = Search::Scan;
                if self.climbs.val() {
                    self.store_value.next = self.above_values.read_data.val();
                    self.store_count.next = self.above_count.read_data.val();
                }
                if self.equal.val() {
                    self.done.next = true;
                    self.stores.next = true;
                    if self.climbs.val() {
                        self.search_ff.d.next = Search::Settle;
                    }
                    self.row_ff.d.next = self.row_zero.val();
                    self.first_ff.d.next = self.no_lane.val();
                    self.found_ff.d.next = false;
                } else {
                    // Go on behind it; behind the last rank is the end of the search.
                    self.row_ff.d.next =
                        self.after.val().get_bits::<R>(self.lane_bits.val().index());
                    self.first_ff.d.next = self.after.val().get_bits::<B>(0);
                    self.misses.next = self.index_ff.q.val().all();
                }
            }
            Search::Settle => {
                self.stores.next = true;
                self.store_index.next = self.above_ff.q.val();
                self.store_count.next = self.raised_ff.q.val();
                self.search_ff.d.next = Search::Scan;
            }
            Search::Again => {
                self.row_ff.d.next = self.row_ff.q.val() + self.row_one.val();
                if self.some_lowest.val() {
                    self.found_ff.d.next = true;
                    self.victim_ff.d.next = self.lowest_rank.val();
                }
                if self.ends.val() {
                    if self.some_lowest.val() | self.found_ff.q.val() {
                        self.search_ff.d.next = Search::Insert;
                    } else {
                        self.floor_ff.d.next = self.floor_ff.q.val() + self.count_one.val();
                    }
                }
            }
            Search::Insert => {
                self.stores.next = true;
                self.store_index.next = self.victim_ff.q.val();
                self.store_count.next = self.count_one.val();
                self.found_ff.d.next = false;
                if self.floor_ff.q.val().any() {
                    self.floor_ff.d.next = self.count_one.val();
                }
                self.search_ff.d.next = Search::Scan;
            }
            Search::Empty => {
                self.stores.next = true;
                self.store_count.next = self.count_zero.val();
                self.index_ff.d.next = self.after.val();
                if self.index_ff.q.val().all() {
                    self.search_ff.d.next = Search::Scan;
                }
            }
            _ => {
                self.search_ff.d.next = Search::Scan;
            }
        }
        if self.misses.val() {
            self.done.next = true;
            self.row_ff.d.next = self.row_zero.val();
            self.first_ff.d.next = self.no_lane.val();
            if self.some_lowest.val() | self.found_ff.q.val() {
                self.search_ff.d.next = Search::Insert;
            } else {
                self.search_ff.d.next = Search::Again;
                self.floor_ff.d.next = self.floor_ff.q.val() + self.count_one.val();
            }
        }
        if self.empty.val() {
            self.search_ff.d.next = Search::Empty;
            self.index_ff.d.next = self.rank_zero.val();
            self.row_ff.d.next = self.row_zero.val();
            self.first_ff.d.next = self.no_lane.val();
            self.floor_ff.d.next = self.count_zero.val();
            self.found_ff.d.next = false;
        }

        self.folded.next = self.store_value.val().get_bits::<11>(0)
            ^ self.store_value.val().get_bits::<11>(11)
            ^ bit_cast::<11, 10>(self.store_value.val().get_bits::<10>(22));
        self.mark.next = bit_cast::<12, 11>(self.folded.val());
        if self.store_count.val().any() {
            self.mark.next = self.mark.val() | self.used.val();
        }
        self.store_entry.next =
            bit_cast::<15, 12>(self.mark.val()) | (bit_cast::<15, 3>(self.store_count.val()) << 12);
        self.store_lane.next = self.store_index.val().get_bits::<B>(0);
        self.store_row.next = self
            .store_index
            .val()
            .get_bits::<R>(self.lane_bits.val().index());
        for i in 0..LANES {
            self.lanes[i].write_enable.next =
                self.stores.val() & (self.store_lane.val() == i.to_bits());
            self.lanes[i].write_address.next = self.store_row.val();
            self.lanes[i].write_data.next = self.store_entry.val();
        }
        self.values.write_enable.next = self.stores.val();
        self.values.write_address.next = self.store_index.val();
        self.values.write_data.next = self.store_value.val();
        self.above_values.write_enable.next = self.stores.val();
        self.above_values.write_address.next = self.store_index.val();
        self.above_values.write_data.next = self.store_value.val();
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
        check_block(
            Dictionary::<16, 32, 4, 2, 6>::default(),
            "lookback_dictionary",
        );
    }

    /// Values of a few kinds of program: few and often, many and seldom, in turn.
    fn compare<
        const LANES: usize,
        const NODES: usize,
        const B: usize,
        const R: usize,
        const I: usize,
    >(
        seed: u64,
    ) {
        let mut random = Random::new(seed);
        let mut model = lookback_model::dictionary::Dictionary::new(I as u8);
        let mut dictionary = Dictionary::<LANES, NODES, B, R, I>::default();
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
                assert!(took < 100);
            }
            let found = dictionary.hit.val().then(|| dictionary.index.val().index());
            assert_eq!(found, model.update(value), "step {step}");
            hits += u32::from(found.is_some());
            tick!(dictionary);
            cycles += took;
            longest = longest.max(took);
        }
        assert!(hits > 3000);
        let average = f64::from(cycles) / 12_000.0;
        assert!(
            average <= f64::from(1 << R) + 1.5,
            "{average} cycles on average"
        );
        assert!(longest <= 60, "{longest} cycles");
    }

    #[test]
    fn equals_the_model() {
        compare::<16, 32, 4, 2, 6>(8);
        compare::<4, 8, 2, 1, 3>(9);
    }
}
