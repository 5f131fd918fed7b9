//! First-load tags that keep the word beside its mask (kind `Words`): section 1.2 of the format.

use crate::first_load_tags::Bits;
use lookback_log_format::config::TagKind;
use lookback_log_format::RecorderConfig;

/// First-load tags, kind `Words`: masks as of kind [`Bits`], and what each byte was when the hart saw it
/// last.
#[derive(Debug, Clone)]
pub struct Words {
    masks: Bits,
    kept: Vec<u32>,
}

/// The bits of a word's bytes.
fn lanes(mask: u8) -> u32 {
    let lane = |lane: u32| (u32::from(mask >> lane & 1) * 0xff) << (8 * lane);
    (0..4).map(lane).sum()
}

impl Words {
    /// Empty tags of the configured geometry, in the first interval of a recording.
    pub fn new(config: &RecorderConfig) -> Self {
        let masks = Bits::new(config);
        let kept = vec![0; masks.places()];
        Self { masks, kept }
    }

    /// A new interval begins: no byte is known any more.
    pub fn next_interval(&mut self) {
        self.masks.next_interval();
    }

    /// The hart reads the bytes `rmask` of the word at `addr`, which is memory and holds `read`, and then
    /// writes the bytes `wmask` of `written`. Returns whether every byte read was known, and is still
    /// what it was.
    pub fn access(
        &mut self,
        addr: u32,
        (rmask, read): (u8, u32),
        (wmask, written): (u8, u32),
    ) -> bool {
        let known = self.masks.access(addr, rmask, wmask);
        // Nothing is kept while lines are swept.
        let Some(place) = self.masks.place(addr) else {
            return known;
        };
        let kept = &mut self.kept[place];
        let same = (*kept ^ read) & lanes(rmask) == 0;
        *kept = *kept & !lanes(rmask) | read & lanes(rmask);
        *kept = *kept & !lanes(wmask) | written & lanes(wmask);
        known && same
    }
}

/// The tags of codec `bugnet`, of whichever kind.
#[derive(Debug, Clone)]
pub enum Tags {
    /// Masks alone.
    Bits(Bits),
    /// Words beside them.
    Words(Words),
}

impl Tags {
    /// Empty tags of the configured kind and geometry.
    pub fn new(config: &RecorderConfig) -> Self {
        match config.tag_kind {
            TagKind::Bits => Self::Bits(Bits::new(config)),
            TagKind::Words => Self::Words(Words::new(config)),
        }
    }

    /// A new interval begins.
    pub fn next_interval(&mut self) {
        match self {
            Self::Bits(tags) => tags.next_interval(),
            Self::Words(tags) => tags.next_interval(),
        }
    }

    /// As [`Words::access`].
    pub fn access(&mut self, addr: u32, read: (u8, u32), written: (u8, u32)) -> bool {
        match self {
            Self::Bits(tags) => tags.access(addr, read.0, written.0),
            Self::Words(tags) => tags.access(addr, read, written),
        }
    }

    /// Somebody else writes `mask` of the word at `addr`, which is memory. Words will tell by
    /// themselves.
    pub fn snoop(&mut self, addr: u32, mask: u8) {
        match self {
            Self::Bits(tags) => tags.snoop(addr, mask),
            Self::Words(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    const A: u32 = 0x8000_0100;
    const NOTHING: (u8, u32) = (0, 0);

    #[test]
    fn what_was_changed_behind_the_harts_back_is_unknown_once() {
        let mut tags = Words::new(&config());
        assert!(!tags.access(A, (15, 7), NOTHING), "the first load");
        assert!(tags.access(A, (15, 7), NOTHING));
        assert!(!tags.access(A, (15, 0x107), NOTHING), "somebody wrote");
        assert!(tags.access(A, (15, 0x107), NOTHING));
    }

    #[test]
    fn only_bytes_that_are_read_are_compared() {
        let mut tags = Words::new(&config());
        tags.access(A, (15, 0x4433_2211), NOTHING);
        assert!(tags.access(A, (0b0011, 0xffff_2211), NOTHING));
        assert!(!tags.access(A, (0b0110, 0xffff_2211), NOTHING));
        assert!(tags.access(A, (0b0111, 0xffff_2211), NOTHING));
        assert!(!tags.access(A, (0b1000, 0xffff_2211), NOTHING));
    }

    #[test]
    fn a_store_keeps_what_it_wrote() {
        let mut tags = Words::new(&config());
        assert!(tags.access(A, NOTHING, (0b1100, 0xaabb_0000)));
        assert!(tags.access(A, (0b1100, 0xaabb_ccdd), NOTHING));
        assert!(!tags.access(A, (0b1100, 0xaabc_0000), NOTHING));
    }

    #[test]
    fn an_amo_keeps_what_it_wrote_and_compares_what_it_read() {
        let mut tags = Words::new(&config());
        assert!(!tags.access(A, (15, 1), (15, 2)));
        assert!(tags.access(A, (15, 2), (15, 3)));
        assert!(!tags.access(A, (15, 5), (15, 6)));
        assert!(tags.access(A, (15, 6), NOTHING));
    }

    #[test]
    fn equal_bytes_of_another_address_or_interval_are_not_known() {
        let mut tags = Words::new(&config());
        tags.access(A, (15, 0), NOTHING);
        assert!(!tags.access(A + 4, (15, 0), NOTHING));
        tags.next_interval();
        assert!(!tags.access(A, (15, 0), NOTHING));
    }
}
