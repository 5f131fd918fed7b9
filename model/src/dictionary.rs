//! The values that operations yield most often, ranked. Section 2.1 of the format, 4.3.1 of the
//! BugNet paper.

const COUNTER_MAX: u8 = 7;

/// A ranked table of values with saturating counters.
#[derive(Debug, Clone)]
pub struct Dictionary {
    values: Vec<u32>,
    /// 0 stands for an empty entry.
    counters: Vec<u8>,
}

impl Dictionary {
    /// An empty dictionary of `2^dict_bits` entries.
    pub fn new(dict_bits: u8) -> Self {
        let entries = 1 << dict_bits;
        Self {
            values: vec![0; entries],
            counters: vec![0; entries],
        }
    }

    /// Empties it, at the start of an interval.
    pub fn clear(&mut self) {
        self.counters.fill(0);
    }

    /// The rank of a value.
    pub fn find(&self, value: u32) -> Option<usize> {
        (0..self.values.len()).find(|&i| self.values[i] == value && self.counters[i] != 0)
    }

    /// The value at a rank, `None` if the entry is empty or outside.
    pub fn value(&self, index: usize) -> Option<u32> {
        let used = *self.counters.get(index)? != 0;
        used.then(|| self.values[index])
    }

    /// Takes in the value of an operation, logged or not. Returns the rank it had before.
    pub fn update(&mut self, value: u32) -> Option<usize> {
        let found = self.find(value);
        match found {
            Some(index) => self.promote(index),
            None => self.insert(value),
        }
        found
    }

    fn promote(&mut self, index: usize) {
        let counter = (self.counters[index] + 1).min(COUNTER_MAX);
        self.counters[index] = counter;
        if index > 0 && counter >= self.counters[index - 1] {
            self.values.swap(index, index - 1);
            self.counters.swap(index, index - 1);
        }
    }

    fn insert(&mut self, value: u32) {
        let smallest = self.counters.iter().copied().min().unwrap_or(0);
        if let Some(index) = self.counters.iter().rposition(|&c| c == smallest) {
            self.values[index] = value;
            self.counters[index] = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranks(dictionary: &Dictionary) -> Vec<Option<u32>> {
        (0..dictionary.values.len())
            .map(|i| dictionary.value(i))
            .collect()
    }

    fn repeat(dictionary: &mut Dictionary, value: u32, times: usize) {
        for _ in 0..times {
            dictionary.update(value);
        }
    }

    #[test]
    fn it_fills_from_the_bottom() {
        let mut dictionary = Dictionary::new(2);
        assert_eq!(dictionary.update(10), None);
        assert_eq!(dictionary.update(20), None);
        assert_eq!(ranks(&dictionary), [None, None, Some(20), Some(10)]);
    }

    #[test]
    fn zero_is_no_hit_in_an_empty_entry() {
        let mut dictionary = Dictionary::new(2);
        assert_eq!(dictionary.update(0), None);
        assert_eq!(dictionary.update(0), Some(3));
    }

    #[test]
    fn a_hit_percolates_one_place() {
        let mut dictionary = Dictionary::new(2);
        (1..=4).for_each(|value| assert!(dictionary.update(value).is_none()));
        assert_eq!(ranks(&dictionary), [Some(4), Some(3), Some(2), Some(1)]);
        assert_eq!(dictionary.update(1), Some(3));
        assert_eq!(ranks(&dictionary), [Some(4), Some(3), Some(1), Some(2)]);
        assert_eq!(dictionary.update(1), Some(2));
        assert_eq!(dictionary.update(1), Some(1));
        assert_eq!(dictionary.update(1), Some(0));
        assert_eq!(ranks(&dictionary), [Some(1), Some(4), Some(3), Some(2)]);
    }

    #[test]
    fn a_hit_below_a_larger_counter_stays() {
        let mut dictionary = Dictionary::new(1);
        dictionary.update(1);
        repeat(&mut dictionary, 1, 3);
        dictionary.update(2);
        assert_eq!(dictionary.update(2), Some(1), "counter 2 against 4");
        assert_eq!(ranks(&dictionary), [Some(1), Some(2)]);
        assert_eq!(dictionary.update(2), Some(1));
        assert_eq!(dictionary.update(2), Some(1), "equal counters swap");
        assert_eq!(ranks(&dictionary), [Some(2), Some(1)]);
    }

    #[test]
    fn counters_stop_at_seven_and_equals_still_swap() {
        let mut dictionary = Dictionary::new(1);
        repeat(&mut dictionary, 1, 20);
        repeat(&mut dictionary, 2, 7);
        assert_eq!(dictionary.find(2), Some(0), "7 meets 7");
        assert_eq!(dictionary.update(1), Some(1));
        assert_eq!(dictionary.find(1), Some(0));
    }

    #[test]
    fn a_miss_replaces_the_rarest_lowest() {
        let mut dictionary = Dictionary::new(2);
        (1..=4).for_each(|value| assert!(dictionary.update(value).is_none()));
        dictionary.update(1); // 4 3 1 2, and 1 has counter 2
        dictionary.update(5);
        assert_eq!(ranks(&dictionary), [Some(4), Some(3), Some(1), Some(5)]);
        dictionary.update(5); // swaps with 1: both have counter 2
        dictionary.update(6);
        assert_eq!(ranks(&dictionary), [Some(4), Some(6), Some(5), Some(1)]);
    }

    proptest! {
        /// A value is never in two places, and what was just used is in one.
        #[test]
        fn values_are_unique(values in prop::collection::vec(0u32..40, 1..300), bits in 1u8..6) {
            let mut dictionary = Dictionary::new(bits);
            for value in values {
                let before = dictionary.find(value);
                prop_assert_eq!(dictionary.update(value), before);
                let mut used: Vec<u32> = ranks(&dictionary).into_iter().flatten().collect();
                prop_assert!(used.contains(&value));
                used.sort_unstable();
                let count = used.len();
                used.dedup();
                prop_assert_eq!(used.len(), count);
            }
        }
    }
}
