//! The recorder's dictionary, simulated: section 2.1 of the format.
//!
//! Every load updates it, so it is made for speed: a value is found through a small hash table of
//! places, and the entry that gives way through one bit set a counter value.

/// log2 of the hash table's slots.
const SLOT_BITS: u32 = 10;
const COUNTER_MAX: u8 = 7;
/// No format has more entries: `dict_bits` is at most 10.
const MAX_ENTRIES: usize = 1024;
const SET_WORDS: usize = MAX_ENTRIES / 64;

/// Ranked values with saturating counters.
#[derive(Debug, Clone)]
pub struct Dictionary {
    values: Vec<u32>,
    /// 0 stands for an empty entry.
    counters: Vec<u8>,
    /// For each counter value the entries that have it.
    ranks: Box<[[u64; SET_WORDS]; COUNTER_MAX as usize + 1]>,
    /// For each hash the entry that had it last; only a hint.
    places: Box<[u16; 1 << SLOT_BITS]>,
    /// For each hash how many entries have it: 0 saves the search.
    population: Box<[u16; 1 << SLOT_BITS]>,
    /// Words of a set that are in use.
    set_words: usize,
}

fn slot(value: u32) -> usize {
    (value.wrapping_mul(0x9e37_79b1) >> (32 - SLOT_BITS)) as usize
}

impl Dictionary {
    /// An empty dictionary of `2^dict_bits` entries (at most 1024).
    pub fn new(dict_bits: u8) -> Self {
        let entries = (1usize << dict_bits.min(10)).min(MAX_ENTRIES);
        let mut dictionary = Self {
            values: vec![0; entries],
            counters: vec![0; entries],
            ranks: Box::new([[0; SET_WORDS]; COUNTER_MAX as usize + 1]),
            places: Box::new([0; 1 << SLOT_BITS]),
            population: Box::new([0; 1 << SLOT_BITS]),
            set_words: entries.div_ceil(64),
        };
        dictionary.clear();
        dictionary
    }

    /// Empties it, at the start of an interval.
    pub fn clear(&mut self) {
        self.counters.fill(0);
        self.population.fill(0);
        for set in self.ranks.iter_mut() {
            set.fill(0);
        }
        let empty = &mut self.ranks[0];
        for index in 0..self.values.len() {
            empty[index / 64] |= 1 << (index % 64);
        }
    }

    /// Bytes of the host's memory beside the struct itself.
    pub fn footprint(&self) -> usize {
        self.values.len() * 5
            + size_of_val(&*self.ranks)
            + size_of_val(&*self.places)
            + size_of_val(&*self.population)
    }

    /// The value at an index; `None` if the entry is empty or there is none.
    pub fn value(&self, index: u32) -> Option<u32> {
        let index = index as usize;
        (*self.counters.get(index)? != 0).then(|| self.values[index])
    }

    /// Takes in the value of an operation.
    #[inline]
    pub fn update(&mut self, value: u32) {
        let slot = slot(value);
        let hint = usize::from(self.places[slot]);
        if self.values.get(hint) == Some(&value) && self.counters[hint] != 0 {
            // The most frequent value at the top, saturated: nothing changes.
            if hint != 0 || self.counters[0] != COUNTER_MAX {
                self.promote(hint);
            }
        } else {
            self.search(value, slot);
        }
    }

    #[inline(never)]
    fn search(&mut self, value: u32, slot: usize) {
        if self.population[slot] != 0 {
            let mut entries = self.values.iter().zip(&self.counters);
            let used = entries.position(|(&known, &counter)| known == value && counter != 0);
            if let Some(index) = used {
                self.places[slot] = index as u16;
                return self.promote(index);
            }
        }
        self.insert(value, slot);
    }

    #[inline]
    fn promote(&mut self, index: usize) {
        let old = self.counters[index];
        let new = (old + 1).min(COUNTER_MAX);
        if new != old {
            self.move_rank(index, old, new);
        }
        let Some(above) = index.checked_sub(1) else {
            return;
        };
        let other = self.counters[above];
        if new >= other {
            self.values.swap(index, above);
            self.places[slot(self.values[above])] = above as u16;
            self.places[slot(self.values[index])] = index as u16;
            if new != other {
                self.move_rank(above, other, new);
                self.move_rank(index, new, other);
            }
        }
    }

    #[inline]
    fn move_rank(&mut self, index: usize, from: u8, to: u8) {
        let (word, bit) = (index / 64 % SET_WORDS, 1u64 << (index % 64));
        self.ranks[usize::from(from & COUNTER_MAX)][word] &= !bit;
        self.ranks[usize::from(to & COUNTER_MAX)][word] |= bit;
        self.counters[index] = to;
    }

    /// Replaces the entry with the smallest counter, the last among equals.
    fn insert(&mut self, value: u32, slot: usize) {
        for counter in 0..=COUNTER_MAX {
            for word in (0..self.set_words).rev() {
                let set = self.ranks[usize::from(counter)][word];
                if set == 0 {
                    continue;
                }
                let index = word * 64 + 63 - set.leading_zeros() as usize;
                if counter != 0 {
                    self.population[self::slot(self.values[index])] -= 1;
                }
                self.values[index] = value;
                self.places[slot] = index as u16;
                self.population[slot] += 1;
                self.move_rank(index, counter, 1);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Section 2.1 word for word.
    struct Plain(Vec<(u32, u8)>);

    impl Plain {
        fn update(&mut self, value: u32) {
            let table = &mut self.0;
            match (0..table.len()).find(|&i| table[i].1 != 0 && table[i].0 == value) {
                Some(i) => {
                    table[i].1 = (table[i].1 + 1).min(7);
                    if i > 0 && table[i].1 >= table[i - 1].1 {
                        table.swap(i, i - 1);
                    }
                }
                None => {
                    let least = table.iter().map(|entry| entry.1).min().unwrap();
                    let i = table.iter().rposition(|entry| entry.1 == least).unwrap();
                    table[i] = (value, 1);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn follows_the_format(
            dict_bits in 1u8..=10,
            // Few different values, so that all of hits, swaps and replacements happen often.
            values in prop::collection::vec(prop_oneof![0u32..8, 0u32..200, any::<u32>()], 0..2000),
        ) {
            let mut fast = Dictionary::new(dict_bits);
            for round in 0..2 {
                fast.clear();
                let mut plain = Plain(vec![(0, 0); 1 << dict_bits]);
                for &value in &values {
                    let value = value ^ round;
                    fast.update(value);
                    plain.update(value);
                }
                for (i, &(value, counter)) in plain.0.iter().enumerate() {
                    prop_assert_eq!(fast.value(i as u32), (counter != 0).then_some(value));
                }
                prop_assert_eq!(fast.value(1 << dict_bits), None);
            }
        }
    }
}
