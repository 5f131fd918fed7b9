//! The memory that all harts see, as far as it is known at a moment of the order.

use crate::Image;
use lookback_log_format::RecorderConfig;
use std::collections::HashMap;
use std::sync::Arc;

const PAGE: usize = 4096;

/// Who wrote a word last, or read it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenBy {
    /// The hart.
    pub hart: u8,
    /// Its instruction, counted since recording began.
    pub retired: u64,
    /// It wrote; otherwise it was the first to read.
    pub wrote: bool,
}

#[derive(Debug, Clone)]
struct Page {
    bytes: Vec<u8>,
    known: Vec<bool>,
    by: Vec<Option<WrittenBy>>,
}

/// Pages are shared with copies until they are written.
#[derive(Debug, Clone)]
pub struct Shared {
    base: u32,
    mask: u32,
    window: std::ops::Range<u32>,
    image: Arc<Image>,
    /// Whether bytes of the image that nobody has touched are known.
    from_image: bool,
    pages: HashMap<u32, Arc<Page>>,
}

/// A read that saw another byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Differs {
    /// Where.
    pub addr: u32,
    /// What the order says.
    pub shared: u8,
    /// What the hart saw.
    pub seen: u8,
    /// Who put it there.
    pub by: Option<WrittenBy>,
}

impl Shared {
    /// Nothing is known but the image's window, and that only from the beginning of a recording on.
    pub fn new(config: &RecorderConfig, image: &Arc<Image>, from_image: bool) -> Self {
        Self {
            base: config.mem_base,
            mask: config.mem_mask,
            window: config.image_lo..config.image_hi,
            image: Arc::clone(image),
            from_image,
            pages: HashMap::new(),
        }
    }

    /// Forgets everything: a part of the order is missing.
    pub fn forget(&mut self) {
        self.pages.clear();
        self.from_image = false;
    }

    fn is_memory(&self, addr: u32) -> bool {
        addr & self.mask == self.base
    }

    fn page(&mut self, addr: u32) -> &mut Page {
        let number = addr / PAGE as u32;
        let (image, window, from_image) = (&self.image, &self.window, self.from_image);
        let page = self.pages.entry(number).or_insert_with(|| {
            let mut page = Page {
                bytes: vec![0; PAGE],
                known: vec![false; PAGE],
                by: vec![None; PAGE / 4],
            };
            for offset in 0..if from_image { PAGE } else { 0 } {
                let addr = number * PAGE as u32 + offset as u32;
                let known = window.contains(&addr) && image.in_file(addr);
                if let Some(byte) = image.byte(addr).filter(|_| known) {
                    (page.bytes[offset], page.known[offset]) = (byte, true);
                }
            }
            Arc::new(page)
        });
        Arc::make_mut(page)
    }

    /// A hart read these bytes of a word. What was known must be so, what was not is known now.
    /// Whether all of it was known.
    pub fn read(&mut self, addr: u32, mask: u8, data: u32, by: WrittenBy) -> Result<bool, Differs> {
        if !self.is_memory(addr) {
            return Ok(false);
        }
        let at = (addr as usize % PAGE) & !3;
        let page = self.page(addr);
        let mut all_known = true;
        for lane in (0..4).filter(|lane| mask >> lane & 1 == 1) {
            let seen = (data >> (8 * lane)) as u8;
            if !std::mem::replace(&mut page.known[at + lane], true) {
                all_known = false;
                page.bytes[at + lane] = seen;
                page.by[at / 4].get_or_insert(by);
            } else if page.bytes[at + lane] != seen {
                return Err(Differs {
                    addr: (addr & !3) + lane as u32,
                    shared: page.bytes[at + lane],
                    seen,
                    by: page.by[at / 4],
                });
            }
        }
        Ok(all_known)
    }

    /// A hart wrote these bytes of a word.
    pub fn write(&mut self, addr: u32, mask: u8, data: u32, by: WrittenBy) {
        if mask == 0 || !self.is_memory(addr) {
            return;
        }
        let at = (addr as usize % PAGE) & !3;
        let page = self.page(addr);
        for lane in (0..4).filter(|lane| mask >> lane & 1 == 1) {
            page.bytes[at + lane] = (data >> (8 * lane)) as u8;
            page.known[at + lane] = true;
        }
        page.by[at / 4] = Some(by);
    }

    /// Somebody other than the harts wrote somewhere in this block.
    pub fn forget_block(&mut self, addr: u32, len: u32) {
        if !self.is_memory(addr) {
            return;
        }
        let at = addr as usize % PAGE;
        let page = self.page(addr);
        let end = (at + len as usize).min(PAGE);
        page.known[at..end].fill(false);
        page.by[at / 4..end.div_ceil(4)].fill(None);
    }

    /// A byte, if it is known.
    pub fn byte(&self, addr: u32) -> Option<u8> {
        if !self.is_memory(addr) {
            return None;
        }
        match self.pages.get(&(addr / PAGE as u32)) {
            Some(page) => {
                let at = addr as usize % PAGE;
                page.known[at].then(|| page.bytes[at])
            }
            None => {
                let known = self.from_image && self.window.contains(&addr);
                self.image
                    .byte(addr)
                    .filter(|_| known && self.image.in_file(addr))
            }
        }
    }

    /// Who wrote a word last.
    pub fn written_by(&self, addr: u32) -> Option<WrittenBy> {
        let page = self.pages.get(&(addr / PAGE as u32))?;
        page.by[addr as usize % PAGE / 4]
    }
}
