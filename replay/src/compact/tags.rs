//! What the recorder's tags make of the accesses of a replay, made for speed. Section 10.3 of the
//! format; what only the recorder can know (stale rows, words that differ) comes as escapes.

use lookback_log_format::config::Compact;
use lookback_log_format::RecorderConfig;

#[derive(Debug, Clone, Copy, Default)]
struct Line {
    number: u32,
    /// The key group in which it was taken; 0 for none.
    group: u32,
    valid: u8,
}

/// Lines of rows of words, as masks.
#[derive(Debug, Clone)]
pub struct Tags {
    set_mask: u32,
    /// log2 of the words a line.
    line_bits: u32,
    /// log2 of the words a row.
    row_bits: u32,
    ways: usize,
    lines: Vec<Line>,
    masks: Vec<u8>,
    last_used: Vec<u8>,
    group: u32,
    /// Counts what changes which rows are valid.
    changes: u64,
}

/// A row that code runs in: where it is held, or that it is not.
#[derive(Debug, Clone, Copy)]
pub struct CodeRow {
    /// Address divided by the row's size.
    number: u32,
    changes: u64,
    /// The line that holds it; `None` if none does.
    line: Option<usize>,
}

impl CodeRow {
    /// No row at all.
    pub const NONE: Self = Self {
        number: u32::MAX,
        changes: u64::MAX,
        line: None,
    };
}

impl Tags {
    /// Empty tags; the smallest there can be, if the codec has none of this kind.
    pub fn new(config: &RecorderConfig, compact: Option<&Compact>) -> Self {
        let (set_bits, ways, words, row_words) = match compact {
            Some(compact) => {
                let RecorderConfig {
                    tag_set_bits: sets,
                    tag_ways: ways,
                    tag_words: words,
                    ..
                } = *config;
                (sets.min(20), ways.clamp(1, 2), words, compact.row_words)
            }
            None => (0, 1, 1, 1),
        };
        let (sets, ways) = (1usize << set_bits, usize::from(ways));
        let line_bits = words.max(1).ilog2();
        Self {
            set_mask: sets as u32 - 1,
            line_bits,
            row_bits: row_words.max(1).ilog2().min(line_bits),
            ways,
            lines: vec![Line::default(); sets * ways],
            masks: vec![0; (sets * ways) << line_bits],
            last_used: vec![0; sets],
            group: 1,
            changes: 0,
        }
    }

    /// Nothing is held any more.
    pub fn forget(&mut self) {
        self.changes += 1;
        self.group = match self.group.checked_add(1) {
            Some(group) => group,
            None => {
                self.lines.fill(Line::default());
                1
            }
        };
    }

    /// Whether the row of an address holds something.
    #[inline]
    pub fn row_is_valid(&self, addr: u32) -> bool {
        self.find(addr)
            .is_some_and(|line| self.lines[line].valid >> self.row_of(addr) & 1 == 1)
    }

    /// Forgets the row of an address.
    pub fn drop_row(&mut self, addr: u32) {
        let row = self.row_of(addr);
        self.changes += 1;
        if let Some(line) = self.find(addr) {
            self.lines[line].valid &= !(1 << row);
        }
    }

    /// A read of `rmask` and a write of `wmask`; whether every byte read was held.
    #[inline]
    pub fn access(&mut self, addr: u32, rmask: u8, wmask: u8) -> bool {
        let set = (self.number_of(addr) & self.set_mask) as usize;
        let line = match self.find(addr) {
            Some(line) => line,
            None => self.take(addr, set),
        };
        self.last_used[set] = (line - set * self.ways) as u8;
        let row = self.row_of(addr);
        if self.lines[line].valid >> row & 1 == 0 {
            self.open_row(line, row);
        }
        let word = (line << self.line_bits) + (addr >> 2) as usize % (1 << self.line_bits);
        let mask = &mut self.masks[word];
        let known = rmask & !*mask == 0;
        *mask |= rmask | wmask;
        known
    }

    /// The row of an address as it is now, for [`Self::refetch`].
    pub fn code_row(&self, addr: u32) -> CodeRow {
        // The image window ends between blocks of 64 bytes, which is inside larger rows.
        if self.row_bits > 4 {
            return CodeRow::NONE;
        }
        let row = self.row_of(addr);
        let line = self.find(addr);
        CodeRow {
            number: addr >> 2 >> self.row_bits,
            changes: self.changes,
            line: line.filter(|&line| self.lines[line].valid >> row & 1 == 1),
        }
    }

    /// A read of the whole word at `addr`, if it lies in `code` and nothing has changed since: does
    /// what [`Self::access`] does if the word is held, or nothing if the row is not. `false` if
    /// more is to be found out.
    #[inline(always)]
    pub fn refetch(&mut self, code: &CodeRow, addr: u32) -> bool {
        if code.number != addr >> 2 >> self.row_bits || code.changes != self.changes {
            return false;
        }
        let Some(line) = code.line else {
            return true;
        };
        let word = (line << self.line_bits) + (addr >> 2) as usize % (1 << self.line_bits);
        if self.masks[word] != 0xf {
            return false;
        }
        let set = (self.number_of(addr) & self.set_mask) as usize;
        self.last_used[set] = (line - set * self.ways) as u8;
        true
    }

    /// Bytes of the host's memory beside the struct itself.
    pub fn footprint(&self) -> usize {
        self.lines.len() * size_of::<Line>() + self.masks.len() + self.last_used.len()
    }

    fn open_row(&mut self, line: usize, row: u32) {
        self.changes += 1;
        self.lines[line].valid |= 1 << row;
        let first = (line << self.line_bits) + ((row as usize) << self.row_bits);
        self.masks[first..first + (1 << self.row_bits)].fill(0);
    }

    fn number_of(&self, addr: u32) -> u32 {
        addr >> 2 >> self.line_bits
    }

    fn row_of(&self, addr: u32) -> u32 {
        ((addr >> 2) % (1 << self.line_bits)) >> self.row_bits
    }

    #[inline]
    fn find(&self, addr: u32) -> Option<usize> {
        let number = self.number_of(addr);
        let first = (number & self.set_mask) as usize * self.ways;
        let lines = &self.lines[first..first + self.ways];
        let way = lines
            .iter()
            .position(|line| line.number == number && line.group == self.group)?;
        Some(first + way)
    }

    #[inline(never)]
    fn take(&mut self, addr: u32, set: usize) -> usize {
        self.changes += 1;
        let first = set * self.ways;
        let mut ways = first..first + self.ways;
        let free = ways.find(|&line| self.lines[line].group != self.group);
        let line = free.unwrap_or(match self.ways {
            1 => first,
            _ => first + 1 - usize::from(self.last_used[set] & 1),
        });
        self.lines[line] = Line {
            number: self.number_of(addr),
            group: self.group,
            valid: 0,
        };
        line
    }
}
