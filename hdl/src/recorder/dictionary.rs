//! The values that operations yield most often, ranked: section 2.1 of the log format. Twin of
//! `lookback_model::dictionary`.
//!
//! ```text
//!            hash      buckets ─► slot ─► next slot …     a value keeps its slot and its chain
//!  value ────────►     value, rank by slot                until it is replaced
//!                      slot, counter by rank              a climb swaps two slots here
//!
//!   look ─► compare ─┬─ equal ──► raise ─(climbs)─► settle ─► look
//!    │        ▲  │   │
//!    │        └──┘   └─ chain ends ─┐
//!    └── bucket empty ──────────────┴─► choose ─► unlink ─► walk ─► insert ─► look
//! ```
//! Comparing a value with all entries at once would take more logic than the rest of the recorder,
//! comparing one after the other more time than a hart leaves. The chains of a hash table take
//! neither: a hit is known after two cycles and a miss after one, each longer by one for every other
//! value of the bucket, and `done` does not wait for what an update changes.
//!
//! The entry that a miss replaces, the last one with the smallest counter, is looked for meanwhile,
//! a row of `LANES` ranks in a cycle. No counter is below `floor`, and no row after `row` has it; so
//! `row` moves up until it finds one, and if there is none the floor rises. A climb may bring the
//! floor behind `row`, which then starts again from there; an insertion leaves it where it is. A miss
//! that finds the entry there (`fresh`) does not choose, and is done after four cycles.
//!
//! A register for each step (`…_ff`), of which at most one is set, takes less logic than a number.

use crate::memory::{BlockRam, LutRam};
use rust_hdl::prelude::*;

circuit! {
    /// `2^I` entries; `P = I + 1` bits of a slot and whether there is one; `2^R` rows of `LANES =
    /// 2^B` ranks.
    pub struct Dictionary [I, P, LANES, B, R] {
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
        buckets: LutRam<P, I>,
        nexts: BlockRam<P, I>,
        values: BlockRam<32, I>,
        ranks: BlockRam<I, I>,
        slots: LutRam<I, I>,
        counts: LutRam<3, I>,
        above_counts: LutRam<3, I>,
        busy_ff: DFF<Bit>,
        compare_ff: DFF<Bit>,
        raise_ff: DFF<Bit>,
        settle_ff: DFF<Bit>,
        choose_ff: DFF<Bit>,
        unlink_ff: DFF<Bit>,
        walk_ff: DFF<Bit>,
        insert_ff: DFF<Bit>,
        empty_ff: DFF<Bit>,
        slot_ff: DFF<Bits<I>>,
        rank_ff: DFF<Bits<I>>,
        value_ff: DFF<Bits<32>>,
        hash_ff: DFF<Bits<I>>,
        victim_ff: DFF<Bits<I>>,
        behind_ff: DFF<Bits<P>>,
        count_ff: DFF<Bits<3>>,
        floor_ff: DFF<Bits<3>>,
        row_ff: DFF<Bits<R>>,
        last_ff: DFF<Bits<I>>,
        fresh_ff: DFF<Bit>,
        hash: Signal<Local, Bits<I>>,
        old_hash: Signal<Local, Bits<I>>,
        bucket: Signal<Local, Bits<I>>,
        first: Signal<Local, Bits<P>>,
        slot: Signal<Local, Bits<I>>,
        equal: Signal<Local, Bit>,
        finds: Signal<Local, Bit>,
        chained: Signal<Local, Bit>,
        first_there: Signal<Local, Bit>,
        next_there: Signal<Local, Bit>,
        from_bucket: Signal<Local, Bit>,
        from_chain: Signal<Local, Bit>,
        heads: Signal<Local, Bit>,
        meets: Signal<Local, Bit>,
        replaces: Signal<Local, Bit>,
        linked: Signal<Local, Bit>,
        misses: Signal<Local, Bit>,
        found: Signal<Local, Bit>,
        used: Signal<Local, Bit>,
        emptied: Signal<Local, Bit>,
        above: Signal<Local, Bits<I>>,
        raised: Signal<Local, Bits<3>>,
        climbs: Signal<Local, Bit>,
        other_rank: Signal<Local, Bits<I>>,
        lowest: Signal<Local, Bit>,
        lowest_lane: Signal<Local, Bits<B>>,
        rank_row: Signal<Local, Bits<R>>,
        rank_lane: Signal<Local, Bits<B>>,
        last: Signal<Local, Bits<I>>,
        moved: Signal<Local, Bits<I>>,
        bucket_data: Signal<Local, Bits<P>>,
        next_data: Signal<Local, Bits<P>>,
        store_count: Signal<Local, Bits<3>>,
        stores: Signal<Local, Bit>,
        stays: Signal<Local, Bit>,
    }
    arrays {
        row_counts: [LutRam<3, R>; LANES],
    }
    constants {
        rank_one: I = 1,
        last_rank: I = (1 << I) - 1,
        no_slot: I = 0,
        no_lane: B = 0,
        lane_bits: 4 = B,
        row_one: R = 1,
        last_row: R = (1 << R) - 1,
        nowhere: P = 0,
        there: P = 1 << I,
        used_lsb: 4 = I,
        count_zero: 3 = 0,
        count_one: 3 = 1,
        fold_1: 5 = (32 - I) / 5,
        fold_2: 5 = 2 * (32 - I) / 5,
        fold_3: 5 = 3 * (32 - I) / 5,
        fold_4: 5 = 4 * (32 - I) / 5,
        fold_5: 5 = 32 - I,
    }
    check {
        assert!(P == I + 1, "a pointer is a slot and a bit");
        assert!(LANES == 1 << B && B >= 1, "lanes are a power of two");
        assert!(I == B + R && R >= 1 && I <= 8, "ranks are rows and lanes");
    }
}

impl<const I: usize, const P: usize, const LANES: usize, const B: usize, const R: usize>
    Dictionary<I, P, LANES, B, R>
{
    /// With its values and chains in block RAM if it is one of several.
    pub fn one_of(harts: usize) -> Self {
        Self {
            nexts: BlockRam::default().of_block(harts > 1),
            values: BlockRam::default().of_block(harts > 1),
            ranks: BlockRam::default().of_block(harts > 1),
            ..Self::default()
        }
    }
}

impl<const I: usize, const P: usize, const LANES: usize, const B: usize, const R: usize> Logic
    for Dictionary<I, P, LANES, B, R>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, busy_ff, compare_ff, raise_ff, settle_ff, choose_ff, unlink_ff, walk_ff,
            insert_ff, empty_ff, slot_ff, rank_ff, value_ff, hash_ff, victim_ff, behind_ff,
            count_ff, floor_ff, row_ff, last_ff, fresh_ff
        );
        self.buckets.clock.next = self.clock.val();
        self.nexts.clock.next = self.clock.val();
        self.values.clock.next = self.clock.val();
        self.ranks.clock.next = self.clock.val();
        self.slots.clock.next = self.clock.val();
        self.counts.clock.next = self.clock.val();
        self.above_counts.clock.next = self.clock.val();

        // By hash: of the value, of the value to replace, of the value that was missed.
        self.hash.next = self.value.val().get_bits::<I>(0)
            ^ self.value.val().get_bits::<I>(self.fold_1.val().index())
            ^ self.value.val().get_bits::<I>(self.fold_2.val().index())
            ^ self.value.val().get_bits::<I>(self.fold_3.val().index())
            ^ self.value.val().get_bits::<I>(self.fold_4.val().index())
            ^ self.value.val().get_bits::<I>(self.fold_5.val().index());
        self.old_hash.next = self.values.read_data.val().get_bits::<I>(0)
            ^ self
                .values
                .read_data
                .val()
                .get_bits::<I>(self.fold_1.val().index())
            ^ self
                .values
                .read_data
                .val()
                .get_bits::<I>(self.fold_2.val().index())
            ^ self
                .values
                .read_data
                .val()
                .get_bits::<I>(self.fold_3.val().index())
            ^ self
                .values
                .read_data
                .val()
                .get_bits::<I>(self.fold_4.val().index())
            ^ self
                .values
                .read_data
                .val()
                .get_bits::<I>(self.fold_5.val().index());
        self.bucket.next = self.no_slot.val();
        if !self.busy_ff.q.val() {
            self.bucket.next = self.hash.val();
        }
        if self.unlink_ff.q.val() {
            self.bucket.next = self.bucket.val() | self.old_hash.val();
        }
        if self.insert_ff.q.val() {
            self.bucket.next = self.bucket.val() | self.hash_ff.q.val();
        }
        if self.empty_ff.q.val() {
            self.bucket.next = self.bucket.val() | self.rank_ff.q.val();
        }
        self.buckets.read_address.next = self.bucket.val();
        self.first.next = self.buckets.read_data.val();
        self.first_there.next = self.first.val().get_bit(self.used_lsb.val().index());

        // By rank: the entry, and the one above it or the one that may be replaced.
        self.above.next = self.rank_ff.q.val() - self.rank_one.val();
        self.counts.read_address.next = self.rank_ff.q.val();
        self.above_counts.read_address.next = self.above.val();
        self.other_rank.next = self.last_ff.q.val();
        if self.raise_ff.q.val() {
            self.other_rank.next = self.above.val();
        }
        self.slots.read_address.next = self.other_rank.val();
        self.raised.next = self.counts.read_data.val();
        if !self.raised.val().all() {
            self.raised.next = self.counts.read_data.val() + self.count_one.val();
        }
        self.climbs.next =
            self.rank_ff.q.val().any() & (self.raised.val() >= self.above_counts.read_data.val());
        self.rank_row.next = self
            .rank_ff
            .q
            .val()
            .get_bits::<R>(self.lane_bits.val().index());
        self.rank_lane.next = self.rank_ff.q.val().get_bits::<B>(0);

        // By row: the last lane that has the floor.
        self.lowest.next = false;
        self.lowest_lane.next = self.no_lane.val();
        for i in 0..LANES {
            self.row_counts[i].clock.next = self.clock.val();
            self.row_counts[i].read_address.next = self.row_ff.q.val();
            if self.row_counts[i].read_data.val() == self.floor_ff.q.val() {
                self.lowest.next = true;
                self.lowest_lane.next = i.to_bits();
            }
        }
        self.last.next = (bit_cast::<I, R>(self.row_ff.q.val()) << self.lane_bits.val())
            | bit_cast::<I, B>(self.lowest_lane.val());

        // By slot, read together with the step to it: the chain, the value, the rank.
        self.next_there.next = self
            .nexts
            .read_data
            .val()
            .get_bit(self.used_lsb.val().index());
        self.from_bucket.next = !self.busy_ff.q.val() | self.unlink_ff.q.val();
        self.from_chain.next = self.compare_ff.q.val() | self.walk_ff.q.val();
        self.slot.next = self.no_slot.val();
        if self.from_bucket.val() {
            self.slot.next = self.first.val().get_bits::<I>(0);
        }
        if self.from_chain.val() {
            self.slot.next = self.slot.val() | self.nexts.read_data.val().get_bits::<I>(0);
        }
        // What is not there is zero.
        self.replaces.next = self.choose_ff.q.val()
            | (!self.busy_ff.q.val() & !self.first_there.val())
            | (self.compare_ff.q.val() & !self.next_there.val());
        if self.replaces.val() {
            self.slot.next = self.slot.val() | self.slots.read_data.val();
        }
        self.nexts.read_address.next = self.slot.val();
        self.values.read_address.next = self.slot.val();
        self.ranks.read_address.next = self.slot.val();
        self.equal.next = self.values.read_data.val() == self.value.val();
        self.heads.next = self.slot.val() == self.slot_ff.q.val();
        self.meets.next = self.slot.val() == self.victim_ff.q.val();

        // From step to step.
        self.finds.next = self.look.val() & !self.busy_ff.q.val();
        self.found.next = self.compare_ff.q.val() & self.equal.val();
        self.chained.next = self.compare_ff.q.val() & !self.equal.val();
        self.misses.next = (self.finds.val() & !self.first_there.val())
            | (self.chained.val() & !self.next_there.val());
        self.used.next = self.floor_ff.q.val().any();
        self.emptied.next = self.empty_ff.q.val() & !self.rank_ff.q.val().any();
        self.compare_ff.d.next = (self.finds.val() & self.first_there.val())
            | (self.chained.val() & self.next_there.val());
        self.raise_ff.d.next = self.found.val();
        self.settle_ff.d.next = self.raise_ff.q.val() & self.climbs.val();
        self.choose_ff.d.next =
            (self.misses.val() | self.choose_ff.q.val()) & !self.fresh_ff.q.val();
        self.unlink_ff.d.next =
            (self.misses.val() | self.choose_ff.q.val()) & self.fresh_ff.q.val();
        // An empty entry is in no bucket.
        self.linked.next = self.unlink_ff.q.val() & self.used.val();
        self.walk_ff.d.next =
            (self.linked.val() & !self.heads.val()) | (self.walk_ff.q.val() & !self.meets.val());
        self.insert_ff.d.next = (self.unlink_ff.q.val() & !self.used.val())
            | (self.linked.val() & self.heads.val())
            | (self.walk_ff.q.val() & self.meets.val());
        if (self.raise_ff.q.val() & !self.climbs.val())
            | self.settle_ff.q.val()
            | self.insert_ff.q.val()
            | self.emptied.val()
        {
            self.busy_ff.d.next = false;
        }
        if self.finds.val() {
            self.busy_ff.d.next = true;
        }
        if self.emptied.val() {
            self.empty_ff.d.next = false;
        }
        self.done.next = self.found.val() | self.misses.val();
        self.hit.next = self.found.val();
        self.index.next = self.ranks.read_data.val();

        // What a step keeps.
        if !self.busy_ff.q.val() {
            self.hash_ff.d.next = self.hash.val();
            self.value_ff.d.next = self.value.val();
        }
        if !self.busy_ff.q.val()
            | self.linked.val()
            | self.chained.val()
            | self.choose_ff.q.val()
            | self.walk_ff.q.val()
        {
            self.slot_ff.d.next = self.slot.val();
        }
        if self.unlink_ff.q.val() {
            self.victim_ff.d.next = self.slot_ff.q.val();
        }
        if self.unlink_ff.q.val() {
            self.behind_ff.d.next = self.nexts.read_data.val();
        }
        if self.compare_ff.q.val() {
            self.rank_ff.d.next = self.ranks.read_data.val();
        } else if self.unlink_ff.q.val() {
            self.rank_ff.d.next = self.last_ff.q.val();
        } else if self.raise_ff.q.val() | self.empty_ff.q.val() {
            self.rank_ff.d.next = self.above.val();
        }
        if self.unlink_ff.q.val() {
            self.count_ff.d.next = self.count_one.val();
        } else if self.raise_ff.q.val() {
            self.count_ff.d.next = self.raised.val();
        }

        // The entry that the next miss replaces: nothing is concluded while counters change.
        self.stays.next = self.raise_ff.q.val() & !self.climbs.val();
        self.stores.next = self.raise_ff.q.val()
            | self.settle_ff.q.val()
            | self.insert_ff.q.val()
            | self.empty_ff.q.val();
        self.last_ff.d.next = self.last.val();
        self.fresh_ff.d.next = self.lowest.val() & !self.stores.val();
        if self.raise_ff.q.val() {
            if self.climbs.val() & (self.rank_row.val() > self.row_ff.q.val()) {
                self.row_ff.d.next = self.rank_row.val();
            }
        } else if !self.lowest.val() & !self.stores.val() {
            self.row_ff.d.next = self.row_ff.q.val() - self.row_one.val();
            if !self.row_ff.q.val().any() {
                self.floor_ff.d.next = self.floor_ff.q.val() + self.count_one.val();
            }
        }
        if self.insert_ff.q.val() & self.used.val() {
            self.floor_ff.d.next = self.count_one.val();
        }
        if self.empty_ff.q.val() {
            self.row_ff.d.next = self.last_row.val();
            self.floor_ff.d.next = self.count_zero.val();
        }
        if self.empty.val() {
            self.busy_ff.d.next = true;
            self.compare_ff.d.next = false;
            self.raise_ff.d.next = false;
            self.settle_ff.d.next = false;
            self.choose_ff.d.next = false;
            self.unlink_ff.d.next = false;
            self.walk_ff.d.next = false;
            self.insert_ff.d.next = false;
            self.empty_ff.d.next = true;
            self.rank_ff.d.next = self.last_rank.val();
            self.count_ff.d.next = self.count_zero.val();
        }

        // A hit writes its rank: the one above moves down, or the entry stays. What climbs is written
        // one step later to the rank above.
        self.moved.next = self.slot_ff.q.val();
        if self.raise_ff.q.val() {
            self.moved.next = self.slots.read_data.val();
        }
        if self.empty_ff.q.val() {
            self.moved.next = self.rank_ff.q.val();
        }
        self.store_count.next = self.count_ff.q.val();
        if self.raise_ff.q.val() {
            self.store_count.next = self.above_counts.read_data.val();
        }
        if self.stays.val() {
            self.store_count.next = self.raised.val();
        }
        self.bucket_data.next = self.nowhere.val();
        if self.insert_ff.q.val() {
            self.bucket_data.next = self.there.val() | bit_cast::<P, I>(self.slot_ff.q.val());
        }
        if self.unlink_ff.q.val() {
            self.bucket_data.next = self.bucket_data.val() | self.nexts.read_data.val();
        }
        self.next_data.next = self.behind_ff.q.val();
        if self.insert_ff.q.val() {
            self.next_data.next = self.first.val();
        }
        self.buckets.write_enable.next =
            (self.linked.val() & self.heads.val()) | self.insert_ff.q.val() | self.empty_ff.q.val();
        self.buckets.write_address.next = self.bucket.val();
        self.buckets.write_data.next = self.bucket_data.val();
        self.nexts.write_enable.next =
            (self.walk_ff.q.val() & self.meets.val()) | self.insert_ff.q.val();
        self.nexts.write_address.next = self.slot_ff.q.val();
        self.nexts.write_data.next = self.next_data.val();
        self.values.write_enable.next = self.insert_ff.q.val();
        self.values.write_address.next = self.slot_ff.q.val();
        self.values.write_data.next = self.value_ff.q.val();
        self.ranks.write_enable.next = self.stores.val() & !self.stays.val();
        self.ranks.write_address.next = self.moved.val();
        self.ranks.write_data.next = self.rank_ff.q.val();
        self.slots.write_enable.next = self.stores.val() & !self.stays.val();
        self.slots.write_address.next = self.rank_ff.q.val();
        self.slots.write_data.next = self.moved.val();
        self.counts.write_enable.next = self.stores.val();
        self.counts.write_address.next = self.rank_ff.q.val();
        self.counts.write_data.next = self.store_count.val();
        self.above_counts.write_enable.next = self.stores.val();
        self.above_counts.write_address.next = self.rank_ff.q.val();
        self.above_counts.write_data.next = self.store_count.val();
        for i in 0..LANES {
            self.row_counts[i].write_enable.next =
                self.stores.val() & (self.rank_lane.val() == i.to_bits());
            self.row_counts[i].write_address.next = self.rank_row.val();
            self.row_counts[i].write_data.next = self.store_count.val();
        }
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
            Dictionary::<6, 7, 8, 3, 3>::default(),
            "lookback_dictionary",
        );
    }

    /// Values of a few kinds of program: few and often, many and seldom, in turn.
    fn compare<
        const I: usize,
        const P: usize,
        const LANES: usize,
        const B: usize,
        const R: usize,
    >(
        seed: u64,
    ) {
        let mut random = Random::new(seed);
        let mut model = lookback_model::dictionary::Dictionary::new(I as u8);
        let mut dictionary = Dictionary::<I, P, LANES, B, R>::default();
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
            // New values that come twice: each leaves no entry with the smallest counter behind.
            let value = if step % 1500 > 1400 { step / 2 } else { value };
            dictionary.look.next = true;
            dictionary.value.next = word(value);
            settle(&mut dictionary);
            let mut took = 1;
            while !dictionary.done.val() {
                tick!(dictionary);
                took += 1;
                assert!(took < 1000, "step {step}");
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
        assert!(average <= 4.5, "{average} cycles on average");
        assert!(longest <= 8 << R.max(3), "{longest} cycles");
    }

    #[test]
    fn equals_the_model() {
        compare::<6, 7, 8, 3, 3>(8);
        compare::<3, 4, 4, 2, 1>(9);
    }
}
