//! Eight frequent values and their ranks, and the hart's registers: sections 2.1 and 4 of the log format.
//! Twin of `lookback_model::dictionary`.
//!
//! ```text
//!            ┌── rank 0 ◄── rank 1 ◄── … ◄── rank 7 ◄──┐       a step turns the ring by one
//!  value ─► equal? counter, place in memory ──────────┘
//! ```
//! Ranks go past the comparison one by one: counters and places in memory are a ring that is turned,
//! so that only its two ends are ever changed. A search takes nine cycles, and eight more if the value
//! is not there: then it replaces the entry with the smallest counter, the last among equals.
//!
//! Two block RAMs of an iCE40 have room for 256 words; the entries and a copy of the hart's registers
//! share them. The host's header is written while nothing is searched, so one port to read is enough.
//! A register is written when `register_taken` is high: the dictionary goes first.

use crate::memory::BlockRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

/// What the dictionary does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Search {
    /// nothing
    Idle,
    /// every rank is compared
    Compare,
    /// the value takes its place
    Replace,
}

circuit! {
    /// Eight entries.
    pub struct SmallDictionary [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget all values; not while one is looked up
        pub empty: Signal<In, Bit>,
        /// look `value` up; it stands still until `done`
        pub look: Signal<In, Bit>,
        /// the value
        pub value: Signal<In, Bits<32>>,
        /// looked up, in this cycle
        pub done: Signal<Out, Bit>,
        /// it was there
        pub hit: Signal<Out, Bit>,
        /// at this rank
        pub index: Signal<Out, Bits<3>>,
        /// registers are read in this cycle; not with `look`
        pub register_read: Signal<In, Bit>,
        /// which; `register_data` has it in the next cycle
        pub register: Signal<In, Bits<5>>,
        /// its value
        pub register_data: Signal<Out, Bits<32>>,
        /// write a register
        pub register_write: Signal<In, Bit>,
        /// which
        pub register_address: Signal<In, Bits<5>>,
        /// its new value
        pub register_value: Signal<In, Bits<32>>,
        /// it is written in this cycle
        pub register_taken: Signal<Out, Bit>,
        words: BlockRam<32, 6>,
        search_ff: DFF<Search>,
        step_ff: DFF<Bits<3>>,
        /// places in memory, rank 0 lowest
        places_ff: DFF<Bits<24>>,
        /// counters
        counts_ff: DFF<Bits<24>>,
        found_ff: DFF<Bit>,
        index_ff: DFF<Bits<3>>,
        /// the smallest counter so far, and its rank
        least_ff: DFF<Bits<3>>,
        least_index_ff: DFF<Bits<3>>,
        place: Signal<Local, Bits<3>>,
        count: Signal<Local, Bits<3>>,
        prior: Signal<Local, Bits<3>>,
        prior_place: Signal<Local, Bits<3>>,
        next_place: Signal<Local, Bits<3>>,
        grown: Signal<Local, Bits<3>>,
        turns: Signal<Local, Bit>,
        equals: Signal<Local, Bit>,
        swaps: Signal<Local, Bit>,
        replaces: Signal<Local, Bit>,
        last: Signal<Local, Bit>,
    }
    constants {
        one: 3 = 1,
        no_step: 3 = 0,
        in_order: 24 = 0o7654_3210,
        no_counts: 24 = 0,
        below_two: 24 = 0x3_ffff,
        entries: 6 = 32,
    }
}

impl Logic for SmallDictionary {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            search_ff,
            step_ff,
            places_ff,
            counts_ff,
            found_ff,
            index_ff,
            least_ff,
            least_index_ff
        );
        self.words.clock.next = self.clock.val();
        self.place.next = self.places_ff.q.val().get_bits::<3>(0);
        self.count.next = self.counts_ff.q.val().get_bits::<3>(0);
        self.prior.next = self.counts_ff.q.val().get_bits::<3>(21);
        self.prior_place.next = self.places_ff.q.val().get_bits::<3>(21);
        self.last.next = self.step_ff.q.val().all();
        self.turns.next = self.search_ff.q.val() != Search::Idle;

        // This rank: whether it has the value, and what becomes of its counter.
        self.equals.next = (self.search_ff.q.val() == Search::Compare)
            & self.count.val().any()
            & !self.found_ff.q.val()
            & (self.words.read_data.val() == self.value.val());
        self.grown.next = self.count.val();
        if self.equals.val() & !self.count.val().all() {
            self.grown.next = self.count.val() + self.one.val();
        }
        self.replaces.next = (self.search_ff.q.val() == Search::Replace)
            & (self.step_ff.q.val() == self.least_index_ff.q.val());
        if self.replaces.val() {
            self.grown.next = self.one.val();
        }
        self.swaps.next =
            self.equals.val() & self.step_ff.q.val().any() & (self.grown.val() >= self.prior.val());
        if self.turns.val() {
            self.step_ff.d.next = self.step_ff.q.val() + self.one.val();
            self.places_ff.d.next =
                (self.places_ff.q.val() >> 3) | (bit_cast::<24, 3>(self.place.val()) << 21);
            self.counts_ff.d.next =
                (self.counts_ff.q.val() >> 3) | (bit_cast::<24, 3>(self.grown.val()) << 21);
            // The rank before went to the ring's end a step ago: it stays behind this one.
            if self.swaps.val() {
                self.places_ff.d.next = ((self.places_ff.q.val() >> 3) & self.below_two.val())
                    | (bit_cast::<24, 3>(self.place.val()) << 18)
                    | (bit_cast::<24, 3>(self.prior_place.val()) << 21);
                self.counts_ff.d.next = ((self.counts_ff.q.val() >> 3) & self.below_two.val())
                    | (bit_cast::<24, 3>(self.grown.val()) << 18)
                    | (bit_cast::<24, 3>(self.prior.val()) << 21);
            }
            if self.equals.val() {
                self.found_ff.d.next = true;
                self.index_ff.d.next = self.step_ff.q.val();
            }
            if !self.step_ff.q.val().any() | (self.count.val() <= self.least_ff.q.val()) {
                self.least_ff.d.next = self.count.val();
                if self.search_ff.q.val() == Search::Compare {
                    self.least_index_ff.d.next = self.step_ff.q.val();
                }
            }
        }

        self.hit.next = self.found_ff.q.val() | self.equals.val();
        self.index.next = self.index_ff.q.val();
        if self.equals.val() {
            self.index.next = self.step_ff.q.val();
        }
        self.done.next = false;
        match self.search_ff.q.val() {
            Search::Idle => {
                self.step_ff.d.next = self.no_step.val();
                self.found_ff.d.next = false;
                if self.look.val() {
                    self.search_ff.d.next = Search::Compare;
                }
            }
            Search::Compare => {
                if self.last.val() {
                    self.search_ff.d.next = Search::Replace;
                    if self.hit.val() {
                        self.search_ff.d.next = Search::Idle;
                        self.done.next = true;
                    }
                }
            }
            _ => {
                if self.last.val() {
                    self.search_ff.d.next = Search::Idle;
                    self.done.next = true;
                }
            }
        }
        if self.empty.val() {
            self.places_ff.d.next = self.in_order.val();
            self.counts_ff.d.next = self.no_counts.val();
        }

        // The memory. The next rank is read while this one is compared.
        self.next_place.next = self.place.val();
        if self.turns.val() {
            self.next_place.next = self.places_ff.q.val().get_bits::<3>(3);
        }
        self.words.read_address.next = self.entries.val() | bit_cast::<6, 3>(self.next_place.val());
        if self.register_read.val() {
            self.words.read_address.next = bit_cast::<6, 5>(self.register.val());
        }
        self.register_data.next = self.words.read_data.val();
        self.register_taken.next = !self.replaces.val();
        self.words.write_enable.next = self.replaces.val() | self.register_write.val();
        self.words.write_address.next = bit_cast::<6, 5>(self.register_address.val());
        self.words.write_data.next = self.register_value.val();
        if self.replaces.val() {
            self.words.write_address.next = self.entries.val() | bit_cast::<6, 3>(self.place.val());
            self.words.write_data.next = self.value.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::{check_block, word};
    use crate::{harness::settle, tick};
    use lookback_model::dictionary::Dictionary;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(SmallDictionary::default(), "lookback_small_dictionary");
    }

    /// Values as the model finds them, and registers beside them, written at any time.
    #[test]
    fn finds_what_the_model_finds_and_keeps_registers() {
        let mut random = Random::new(3);
        let mut block = SmallDictionary::default();
        block.connect_all();
        let mut model = Dictionary::new(3);
        let mut registers = [0u32; 32];
        block.register_write.next = true;
        for number in 0..32u64 {
            block.register_address.next = number.into();
            tick!(block);
        }
        block.register_write.next = false;
        let mut waiting: Option<(u64, u32)> = None;
        let (mut hits, mut deferred) = (0, 0);
        for round in 0..1500 {
            if round % 60 == 0 {
                block.empty.next = true;
                tick!(block);
                block.empty.next = false;
                model.clear();
            }
            block.look.next = true;
            let value = random.below(5) * random.below(4);
            block.value.next = word(value);
            let mut cycles = 0;
            loop {
                if waiting.is_none() && random.chance(200) {
                    waiting = Some((u64::from(random.below(32)), random.word()));
                }
                block.register_write.next = waiting.is_some();
                if let Some((address, value)) = waiting {
                    block.register_address.next = address.into();
                    block.register_value.next = word(value);
                }
                settle(&mut block);
                let done = block.done.val();
                if done {
                    let found = block.hit.val().then(|| block.index.val().to_u64() as usize);
                    assert_eq!(found, model.update(value), "round {round}");
                    hits += u32::from(found.is_some());
                }
                let taken = block.register_taken.val();
                tick!(block);
                if let (true, Some((address, value))) = (taken, waiting) {
                    registers[address as usize] = value;
                    waiting = None;
                }
                deferred += u32::from(waiting.is_some());
                cycles += 1;
                if done {
                    break;
                }
                assert!(cycles < 20);
            }
            block.look.next = false;
            block.register_write.next = false;
            if waiting.is_none() {
                let number = random.below(32);
                block.register_read.next = true;
                block.register.next = u64::from(number).into();
                tick!(block);
                assert_eq!(
                    block.register_data.val().to_u32(),
                    registers[number as usize]
                );
                block.register_read.next = false;
                tick!(block);
            }
        }
        assert!(hits > 500 && deferred > 10);
    }
}
