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
