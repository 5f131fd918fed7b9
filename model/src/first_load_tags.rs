//! Which bytes of memory the hart has already seen in this interval (the `Bits` kind: masks, no
//! values). Section 1.2 of the format.

use lookback_log_format::RecorderConfig;

/// One line: the bytes of `words` consecutive words.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// Address divided by the line's size.
    number: u32,
    /// The interval in which its mask was made; a mask of another interval counts as empty.
    interval: u64,
}

/// First-load tags, kind `Bits`.
///
/// The hardware empties them by an epoch number that wraps. Here an interval's number never wraps,
/// so no line can be stale; of the wrap only its visible effect is left, the accesses that a sweep
/// takes.
#[derive(Debug, Clone)]
pub struct Bits {
    set_mask: u32,
    ways: usize,
    words: usize,
    epochs: u64,
    lines: Vec<Line>,
    /// One byte mask (4 bits) for each word of each line.
    masks: Vec<u8>,
    last_used: Vec<u8>,
    interval: u64,
    sweep_left: u32,
}

impl Bits {
    /// Empty tags of the configured geometry, in the first interval of a recording.
    pub fn new(config: &RecorderConfig) -> Self {
        let sets = 1usize << config.tag_set_bits;
        let (ways, words) = (usize::from(config.tag_ways), usize::from(config.tag_words));
        Self {
            set_mask: sets as u32 - 1,
            ways,
            words,
            epochs: 1 << config.epoch_bits,
            lines: vec![Line::default(); sets * ways],
            masks: vec![0; sets * ways * words],
            last_used: vec![0; sets],
            interval: 0,
            sweep_left: 0,
        }
    }

    /// A new interval begins: no byte is known any more.
    pub fn next_interval(&mut self) {
        self.interval += 1;
        if self.interval % self.epochs == 0 {
            self.sweep_left = self.set_mask + 1;
        }
    }

    /// The hart reads `rmask` and then writes `wmask` of the word at `addr`, which is memory.
    /// Returns whether every byte read was known.
    pub fn access(&mut self, addr: u32, rmask: u8, wmask: u8) -> bool {
        if rmask | wmask == 0 {
            return true;
        }
        if self.sweeps() {
            return rmask == 0;
        }
        let set = self.set_of(addr);
        let line = self.find(addr).unwrap_or_else(|| self.replace(addr, set));
        let word = line * self.words + self.word_of(addr);
        let mask = &mut self.masks[word];
        let known = rmask & !*mask == 0;
        *mask |= rmask | wmask;
        self.last_used[set] = (line % self.ways) as u8;
        known
    }

    /// Somebody else writes `mask` of the word at `addr`, which is memory.
    pub fn snoop(&mut self, addr: u32, mask: u8) {
        if mask == 0 || self.sweeps() {
            return;
        }
        if let Some(line) = self.find(addr) {
            let word = line * self.words + self.word_of(addr);
            self.masks[word] &= !mask;
        }
    }

    /// The number of the word's place in the store, if a line holds its address.
    pub(crate) fn place(&self, addr: u32) -> Option<usize> {
        let line = self.find(addr)?;
        Some(line * self.words + self.word_of(addr))
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.masks.len()
    }

    /// While lines are swept each access empties the next set instead of doing its work.
    fn sweeps(&mut self) -> bool {
        let sweeping = self.sweep_left > 0;
        self.sweep_left -= u32::from(sweeping);
        sweeping
    }

    fn number_of(&self, addr: u32) -> u32 {
        addr / 4 / self.words as u32
    }

    fn word_of(&self, addr: u32) -> usize {
        addr as usize / 4 % self.words
    }

    fn set_of(&self, addr: u32) -> usize {
        (self.number_of(addr) & self.set_mask) as usize
    }

    fn mask_range(&self, line: usize) -> std::ops::Range<usize> {
        line * self.words..(line + 1) * self.words
    }

    /// The line that holds an address. One whose mask is empty holds nothing.
    fn find(&self, addr: u32) -> Option<usize> {
        let (number, first) = (self.number_of(addr), self.set_of(addr) * self.ways);
        (first..first + self.ways).find(|&line| {
            let Line {
                number: held,
                interval,
            } = self.lines[line];
            held == number
                && interval == self.interval
                && self.masks[self.mask_range(line)].iter().any(|&m| m != 0)
        })
    }

    /// Gives the way that was not used last to this address, with an empty mask.
    fn replace(&mut self, addr: u32, set: usize) -> usize {
        let way = match self.ways {
            1 => 0,
            _ => 1 - usize::from(self.last_used[set]),
        };
        let line = set * self.ways + way;
        self.lines[line] = Line {
            number: self.number_of(addr),
            interval: self.interval,
        };
        let range = self.mask_range(line);
        self.masks[range].fill(0);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    const LINE: u32 = 16;
    const A: u32 = 0x8000_0100;
    /// Distance of addresses that fall into the same set.
    const STRIDE: u32 = LINE << 3;

    fn tags(ways: u8, epoch_bits: u8) -> Bits {
        Bits::new(&RecorderConfig {
            tag_ways: ways,
            epoch_bits,
            ..config()
        })
    }

    #[test]
    fn only_the_first_load_is_unknown() {
        let mut tags = tags(2, 4);
        assert!(!tags.access(A, 0b1111, 0));
        assert!(tags.access(A, 0b1111, 0));
        assert!(!tags.access(A + 4, 0b1111, 0), "another word of the line");
        assert!(tags.access(A, 0b0010, 0), "a byte of a known word");
    }

    #[test]
    fn a_store_makes_its_bytes_known() {
        let mut tags = tags(2, 4);
        assert!(tags.access(A, 0, 0b0011), "a store reads nothing");
        assert!(tags.access(A, 0b0011, 0));
        assert!(!tags.access(A, 0b0111, 0), "one byte of it is new");
        assert!(tags.access(A, 0b0111, 0));
    }

    #[test]
    fn an_amo_does_not_know_what_it_is_about_to_write() {
        let mut tags = tags(2, 4);
        assert!(!tags.access(A, 0b1111, 0b1111));
        assert!(tags.access(A, 0b1111, 0b1111));
    }

    #[test]
    fn an_interval_starts_with_nothing() {
        let mut tags = tags(2, 4);
        tags.access(A, 0b1111, 0);
        tags.next_interval();
        assert!(!tags.access(A, 0b1111, 0));
    }

    #[test]
    fn writes_of_others_remove_their_bytes_only() {
        let mut tags = tags(2, 4);
        tags.access(A, 0b1111, 0);
        tags.snoop(A, 0b0100);
        assert!(tags.access(A, 0b1011, 0));
        assert!(!tags.access(A, 0b0100, 0));
        tags.snoop(A + 4, 0b1111);
        assert!(tags.access(A, 0b1111, 0), "that was another word");
        tags.snoop(A + STRIDE, 0b1111);
        assert!(tags.access(A, 0b1111, 0), "that was another line");
    }

    #[test]
    fn the_way_not_used_last_is_replaced() {
        let mut tags = tags(2, 4);
        let [a, b, c] = [A, A + STRIDE, A + 2 * STRIDE];
        tags.access(a, 0b1111, 0);
        tags.access(b, 0b1111, 0);
        assert!(tags.access(a, 0b1111, 0), "two lines fit");
        tags.access(c, 0b1111, 0);
        assert!(tags.access(a, 0b1111, 0), "a was used last and stays");
        assert!(!tags.access(b, 0b1111, 0), "b gave way to c");
        assert!(!tags.access(c, 0b1111, 0), "c gave way to b");
    }

    #[test]
    fn last_used_marks_outlive_the_interval() {
        let mut tags = tags(2, 4);
        let [a, b, c] = [A, A + STRIDE, A + 2 * STRIDE];
        tags.access(a, 0b1111, 0); // way 1, because way 0 counts as last used at first
        tags.next_interval();
        tags.access(b, 0b1111, 0); // way 0
        tags.snoop(b, 0b1111); // way 0 is still last used, but empty
        tags.access(a, 0b1111, 0); // way 1
        tags.access(c, 0b1111, 0); // way 0
        assert!(tags.access(a, 0b1111, 0));
        assert!(tags.access(c, 0b1111, 0));
    }

    #[test]
    fn a_line_without_bytes_is_not_found_again() {
        let mut tags = tags(2, 4);
        let [a, b] = [A, A + STRIDE];
        tags.access(b, 0b1111, 0); // way 1
        tags.access(a, 0b1111, 0); // way 0, last used
        tags.snoop(a, 0b1111);
        tags.access(a, 0b1111, 0); // a miss: replaces way 1, not way 0
        assert!(!tags.access(b, 0b1111, 0));
    }

    #[test]
    fn one_way_replaces_itself() {
        let mut tags = tags(1, 4);
        tags.access(A, 0b1111, 0);
        tags.access(A + STRIDE, 0b1111, 0);
        assert!(!tags.access(A, 0b1111, 0));
    }

    #[test]
    fn a_wrapped_epoch_costs_one_access_a_set() {
        let mut tags = tags(2, 1);
        tags.next_interval();
        tags.access(A, 0b1111, 0);
        assert!(tags.access(A, 0b1111, 0), "epoch 1 needs no sweep");
        tags.next_interval();
        for _ in 0..7 {
            assert!(!tags.access(A, 0b1111, 0), "swept instead of looked up");
        }
        tags.snoop(A, 0b1111); // others' writes sweep too
        assert!(!tags.access(A, 0b1111, 0), "the first access that counts");
        assert!(tags.access(A, 0b1111, 0));
    }

    #[test]
    fn a_sweep_goes_on_in_the_next_interval() {
        let mut tags = tags(2, 2);
        (0..4).for_each(|_| tags.next_interval());
        (0..5).for_each(|_| assert!(!tags.access(A, 0b1111, 0)));
        tags.next_interval();
        (0..3).for_each(|_| assert!(!tags.access(A, 0b1111, 0)));
        assert!(!tags.access(A, 0b1111, 0));
        assert!(tags.access(A, 0b1111, 0));
    }
}
