//! Which bytes of memory the reader holds in this key group: lines of rows of words, as masks alone
//! or with the words beside them. Section 10.3 of the format.

use lookback_log_format::config::{Compact, TagKind};
use lookback_log_format::retire::lanes;
use lookback_log_format::RecorderConfig;

/// One line.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// Address divided by the line's size.
    number: u32,
    /// The key group in which it was taken; 0 for none. Never wraps, unlike the hardware's epoch,
    /// which shows nowhere.
    group: u64,
    /// A bit for each row that holds something.
    valid: u8,
    /// A bit for each row that others wrote to.
    stale: u8,
}

/// The tags.
#[derive(Debug, Clone)]
pub struct Tags {
    kind: TagKind,
    set_mask: u32,
    ways: usize,
    words: usize,
    row_words: usize,
    lines: Vec<Line>,
    masks: Vec<u8>,
    kept: Vec<u32>,
    last_used: Vec<usize>,
    group: u64,
}

impl Tags {
    /// Tags of the configured geometry, empty.
    pub fn new(config: &RecorderConfig, compact: &Compact) -> Self {
        let sets = 1usize << config.tag_set_bits;
        let (ways, words) = (usize::from(config.tag_ways), usize::from(config.tag_words));
        Self {
            kind: compact.tags,
            set_mask: sets as u32 - 1,
            ways,
            words,
            row_words: compact.row_words.into(),
            lines: vec![Line::default(); sets * ways],
            masks: vec![0; sets * ways * words],
            kept: vec![0; sets * ways * words],
            last_used: vec![0; sets],
            group: 1,
        }
    }

    /// A key group begins: nothing is held.
    pub fn forget(&mut self) {
        self.group += 1;
    }

    /// Whether the row of an address holds something.
    pub fn row_is_valid(&self, addr: u32) -> bool {
        let row = self.row_of(addr);
        self.find(addr)
            .is_some_and(|line| self.lines[line].valid >> row & 1 == 1)
    }

    /// Whether what is held for a read of `rmask` may be wrong, where the word read is `data`.
    pub fn is_out_of_date(&self, addr: u32, rmask: u8, data: u32) -> bool {
        let Some(line) = self.find(addr).filter(|_| self.row_is_valid(addr)) else {
            return false;
        };
        match self.kind {
            TagKind::Bits => self.lines[line].stale >> self.row_of(addr) & 1 == 1,
            TagKind::Words => {
                let word = self.word_of(line, addr);
                let held = lanes(self.masks[word] & rmask);
                (self.kept[word] ^ data) & held != 0
            }
        }
    }

    /// Forgets the row of an address.
    pub fn drop_row(&mut self, addr: u32) {
        let row = self.row_of(addr);
        if let Some(line) = self.find(addr) {
            self.lines[line].valid &= !(1 << row);
        }
    }

    /// The hart reads `rmask` and then writes `wmask` of a word of memory, which is `data` afterwards
    /// as far as it was accessed. Returns whether every byte read was held.
    pub fn access(&mut self, addr: u32, rmask: u8, wmask: u8, data: u32) -> bool {
        let set = (self.number_of(addr) & self.set_mask) as usize;
        let line = self.find(addr).unwrap_or_else(|| self.take(addr, set));
        self.last_used[set] = line % self.ways;
        let row = self.row_of(addr);
        if self.lines[line].valid >> row & 1 == 0 {
            self.lines[line].valid |= 1 << row;
            self.lines[line].stale &= !(1 << row);
            let first = line * self.words + row * self.row_words;
            self.masks[first..first + self.row_words].fill(0);
        }
        let word = self.word_of(line, addr);
        let known = rmask & !self.masks[word] == 0;
        self.masks[word] |= rmask | wmask;
        let accessed = lanes(rmask | wmask);
        self.kept[word] = self.kept[word] & !accessed | data & accessed;
        known
    }

    /// Somebody else writes to a word of memory.
    pub fn snoop(&mut self, addr: u32) {
        let row = self.row_of(addr);
        if let Some(line) = self.find(addr) {
            self.lines[line].stale |= self.lines[line].valid & 1 << row;
        }
    }

    fn number_of(&self, addr: u32) -> u32 {
        addr / 4 / self.words as u32
    }

    fn row_of(&self, addr: u32) -> usize {
        addr as usize / 4 % self.words / self.row_words
    }

    fn word_of(&self, line: usize, addr: u32) -> usize {
        line * self.words + addr as usize / 4 % self.words
    }

    fn find(&self, addr: u32) -> Option<usize> {
        let number = self.number_of(addr);
        let first = (number & self.set_mask) as usize * self.ways;
        (first..first + self.ways).find(|&line| {
            let Line {
                number: held,
                group,
                ..
            } = self.lines[line];
            held == number && group == self.group
        })
    }

    fn take(&mut self, addr: u32, set: usize) -> usize {
        let first = set * self.ways;
        let free = (first..first + self.ways).find(|&line| self.lines[line].group != self.group);
        let line = free.unwrap_or(match self.ways {
            1 => first,
            _ => first + 1 - self.last_used[set],
        });
        self.lines[line] = Line {
            number: self.number_of(addr),
            group: self.group,
            valid: 0,
            stale: 0,
        };
        line
    }
}
