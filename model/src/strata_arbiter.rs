//! When a stratum has to be taken: the Strata paper's dependence bits and filter, section 11.2.
//!
//! The paper keeps a dependence bit with each cache block and a filter for blocks that have left the
//! caches; there being no caches here, a table of the last written blocks stands for them. All of it is
//! emptied by each stratum, which is the paper's transitive reduction: a write before the last stratum
//! is ordered already.

use lookback_log_format::order::{OrderSettings, MAX_HARTS, MAX_STRIDE};

/// The writer that is no hart: DMA, say.
pub const EXTERNAL: u8 = MAX_HARTS as u8;

/// Strides of all harts, 0 for those that there are not.
pub type Strides = [u16; MAX_HARTS];

/// A block that was written since the last stratum, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Written {
    block: u32,
    writer: u8,
}

/// The place of a block in a table of `2^bits` places: its pieces of so many bits, exclusive or.
pub fn fold(block: u32, bits: u8) -> usize {
    let mut rest = block;
    let mut place = 0;
    while rest != 0 {
        place ^= rest & ((1 << bits) - 1);
        rest = rest.checked_shr(bits.into()).unwrap_or(0);
    }
    place as usize
}

/// Counters, dependence bits and filter.
#[derive(Debug, Clone)]
pub struct StrataArbiter {
    settings: OrderSettings,
    strides: Strides,
    entries: Vec<Option<Written>>,
    /// Sets of writers, a bit each.
    filter: Vec<u16>,
}

impl StrataArbiter {
    /// Nothing was written yet.
    pub fn new(settings: OrderSettings) -> Self {
        Self {
            settings,
            strides: [0; MAX_HARTS],
            entries: vec![None; 1 << settings.tracked_bits],
            filter: vec![0; 1 << settings.filter_bits],
        }
    }

    /// An access of a hart, or a write by [`EXTERNAL`], to a block. The stratum that is taken before
    /// it, if one is.
    pub fn access(&mut self, writer: u8, block: u32, writes: bool) -> Option<Strides> {
        let full = writer != EXTERNAL && self.strides[usize::from(writer)] == MAX_STRIDE;
        let stratum = (full || self.is_dependent(writer, block)).then(|| self.take());
        if writes {
            self.write(writer, block);
        }
        if writer != EXTERNAL {
            self.strides[usize::from(writer)] += 1;
        }
        stratum
    }

    /// Takes a stratum: everything that was written is ordered from now on.
    pub fn take(&mut self) -> Strides {
        self.entries.fill(None);
        self.filter.fill(0);
        std::mem::take(&mut self.strides)
    }

    fn is_dependent(&self, writer: u8, block: u32) -> bool {
        match self.entries[self.entry_of(block)] {
            Some(written) if written.block == block => written.writer != writer,
            _ => self.filter[fold(block, self.settings.filter_bits)] & !(1 << writer) != 0,
        }
    }

    fn write(&mut self, writer: u8, block: u32) {
        let entry = self.entry_of(block);
        let before = self.entries[entry].replace(Written { block, writer });
        if let Some(fallen) = before.filter(|before| before.block != block) {
            self.filter[fold(fallen.block, self.settings.filter_bits)] |= 1 << fallen.writer;
        }
    }

    fn entry_of(&self, block: u32) -> usize {
        block as usize % self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arbiter() -> StrataArbiter {
        StrataArbiter::new(OrderSettings {
            tracked_bits: 2,
            ..OrderSettings::default()
        })
    }

    fn strides(first: u16, second: u16) -> Option<Strides> {
        let mut strides = [0; MAX_HARTS];
        (strides[0], strides[1]) = (first, second);
        Some(strides)
    }

    #[test]
    fn a_stratum_comes_before_the_dependent_access() {
        let mut arbiter = arbiter();
        assert_eq!(arbiter.access(0, 7, true), None);
        assert_eq!(arbiter.access(1, 9, false), None);
        assert_eq!(arbiter.access(1, 7, false), strides(1, 1), "RAW");
        // The read counts after the stratum, and the write is ordered: nobody needs another one.
        assert_eq!(arbiter.access(2, 7, false), None);
        assert_eq!(arbiter.access(1, 7, true), None, "WAR is the reader's");
        assert_eq!(arbiter.access(0, 7, true), {
            let mut strides = [0; MAX_HARTS];
            (strides[1], strides[2]) = (2, 1);
            Some(strides)
        });
    }

    #[test]
    fn blocks_that_fall_out_are_in_the_filter() {
        let mut arbiter = arbiter();
        arbiter.access(0, 1, true);
        arbiter.access(0, 5, true);
        assert_eq!(arbiter.access(0, 1, false), None, "one's own");
        assert_eq!(arbiter.access(1, 1, false), strides(3, 0));
        assert_eq!(arbiter.access(1, 5, false), None, "cleared");
    }

    #[test]
    fn others_write_too_and_count_nothing() {
        let mut arbiter = arbiter();
        assert_eq!(arbiter.access(EXTERNAL, 3, true), None);
        assert_eq!(arbiter.access(0, 3, false), strides(0, 0));
        assert_eq!(arbiter.access(0, 3, true), None);
        assert_eq!(arbiter.access(EXTERNAL, 3, true), strides(2, 0));
    }

    #[test]
    fn a_counter_that_is_full_takes_a_stratum() {
        let mut arbiter = arbiter();
        for _ in 0..MAX_STRIDE {
            assert_eq!(arbiter.access(1, 3, true), None);
        }
        assert_eq!(arbiter.access(1, 3, true), strides(0, MAX_STRIDE));
        assert_eq!(arbiter.take(), strides(0, 1).unwrap());
    }
}
