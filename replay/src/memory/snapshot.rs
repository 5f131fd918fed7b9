//! Copies of memory, for those who come back to a moment, and what a copy costs.

use super::{Memory, Page, Recent, DIRECTORY, NOWHERE};
use crate::decode::Insn;
use crate::image::PAGE_WORDS;
use std::sync::Arc;

impl<const TRACK: bool> Memory<TRACK> {
    /// A copy without the decoded instructions.
    pub(crate) fn snapshot(&self) -> Self {
        let mut pages = self.pages.clone();
        for page in &mut pages {
            page.code = NOWHERE;
        }
        Self {
            image: Arc::clone(&self.image),
            window: self.window.clone(),
            directory: self.directory.clone(),
            pages,
            free: self.free.clone(),
            words: self.words.clone(),
            known: self.known.clone(),
            code: Vec::new(),
            free_code: Vec::new(),
            // Which pages may be written fast depends on which have decoded instructions.
            reads: Recent::EMPTY,
            writes: Recent::EMPTY,
            ..*self
        }
    }

    /// Bytes of the host's memory beside the struct itself.
    pub(crate) fn footprint(&self) -> usize {
        let tables = self.directory.iter().flatten().count();
        self.directory.len() * size_of::<usize>()
            + tables * size_of::<[u32; DIRECTORY]>()
            + self.pages.len() * size_of::<Page>()
            + self.words.len() * 4
            + self.known.len()
            + self.code.len() * size_of::<Insn>()
    }

    /// The pages of which something was read or written, in no order: address, words, and for each
    /// word the mask of its known bytes. Only with `TRACK`.
    pub fn seen_pages(&self) -> impl Iterator<Item = (u32, &[u32], &[u8])> {
        let slots = self.pages.iter().enumerate();
        slots.filter(|_| TRACK).filter_map(|(slot, page)| {
            let range = slot * PAGE_WORDS..(slot + 1) * PAGE_WORDS;
            let known = self.known.get(range.clone())?;
            let seen = page.number != NOWHERE && known.iter().any(|&mask| mask != 0);
            seen.then(|| (page.number << 12, &self.words[range], known))
        })
    }
}
