//! Codec `compact`, read: the recorder's state machine run beside the replay, so that it is known
//! which values the log has. Section 10 of the format.
//!
//! [`bins`] reads, [`items`] makes values of it, [`tags`] knows what was seen, and `follow` asks for
//! each instruction what the log has to say about it.

pub mod bins;
mod follow;
pub mod items;
pub mod tags;

use crate::What;
use items::{Items, Next};
use lookback_log_format::entry::Escape;
use lookback_log_format::RecorderConfig;
use std::ops::Range;
use tags::{CodeRow, Tags};

/// log2 of the bytes of a page.
const PAGE_BITS: u32 = 12;

/// How a read is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// From the ELF.
    Image,
    /// From what was read or written before in the key group.
    Held,
    /// Not at all: the log has it.
    No,
}

/// The registers that a word names as sources, 0 for none: section 10.2, point 4.
pub fn sources(word: u32) -> [u8; 2] {
    let (rs1, rs2) = ((word >> 15 & 31) as u8, (word >> 20 & 31) as u8);
    let funct3 = word >> 12 & 7;
    match word & 0x7f {
        0x03 | 0x13 | 0x67 => [rs1, 0],
        0x73 if matches!(funct3, 1..=3) => [rs1, 0],
        0x2f if word >> 27 == 2 => [rs1, 0],
        0x23 | 0x2f | 0x33 | 0x63 => [rs1, rs2],
        _ => [0, 0],
    }
}

/// The state that recorder and reader share, and what the log has next.
#[derive(Debug, Clone)]
pub struct Compact<'a> {
    /// Whether the recording is of this codec at all.
    pub enabled: bool,
    /// The log.
    pub items: Items<'a>,
    tags: Tags,
    window: Range<u32>,
    /// For each page of the window whether the tags may hold something of it.
    touched: Vec<bool>,
    /// Counts changes of `touched`.
    pub version: u32,
    /// The row of the last instruction whose word was asked for.
    code_row: CodeRow,
    /// Where execution goes on after a trap or return.
    pub arrival: Option<u32>,
    /// The word of the next instruction, if the log had it and it has not been executed yet.
    pub fetched: Option<u32>,
    /// The escapes so far, if somebody wants them.
    pub escapes: Option<Vec<(u32, Escape)>>,
    /// Registers that this interval was told, and their values at its start.
    pub first_reads: (u32, [u32; 32]),
}

impl<'a> Compact<'a> {
    /// Without an interval; idle if the codec is another.
    pub fn new(config: &RecorderConfig) -> Self {
        let compact = config.compact();
        let window = config.image_lo..config.image_hi.max(config.image_lo);
        let pages = match compact {
            Some(_) if !window.is_empty() => {
                ((window.end - 1) >> PAGE_BITS) - (window.start >> PAGE_BITS) + 1
            }
            _ => 0,
        };
        Self {
            enabled: compact.is_some(),
            items: Items::new(config, compact),
            tags: Tags::new(config, compact),
            window,
            touched: vec![false; pages as usize],
            version: 0,
            code_row: CodeRow::NONE,
            arrival: None,
            fetched: None,
            escapes: None,
            first_reads: (0, [0; 32]),
        }
    }

    /// A key group begins.
    pub fn forget(&mut self) {
        self.items.forget();
        self.tags.forget();
        self.touched.fill(false);
        self.version = self.version.wrapping_add(1);
    }

    /// Starts at the first item of an interval.
    pub fn start(&mut self, bytes: &'a [u8], instructions: u32) -> Result<(), What> {
        (self.arrival, self.fetched, self.escapes) = (None, None, None);
        self.first_reads.0 = 0;
        self.items.start(bytes, instructions)
    }

    /// Notes an escape of the instruction at `position`.
    fn note(&mut self, position: u32, escape: Option<Escape>) {
        if let (Some(escapes), Some(escape)) = (&mut self.escapes, escape) {
            escapes.push((position, escape));
        }
    }

    /// Bytes of the host's memory beside the struct itself.
    pub fn footprint(&self) -> usize {
        self.items.footprint() + self.tags.footprint() + self.touched.len()
    }

    /// Whether all words of the page around an address are known from the ELF.
    pub fn page_is_image(&self, addr: u32) -> bool {
        let first = addr >> PAGE_BITS << PAGE_BITS;
        let last = first | ((1 << PAGE_BITS) - 1);
        self.window.contains(&first) && self.window.contains(&last) && !self.is_touched(addr)
    }

    /// Whether the tags may hold something of the page around an address in the window.
    #[inline]
    fn is_touched(&self, addr: u32) -> bool {
        let page = (addr >> PAGE_BITS) - (self.window.start >> PAGE_BITS);
        self.touched.get(page as usize) != Some(&false)
    }

    /// Whether the word at `pc` is known as the last one was, whose row it shares.
    #[inline(always)]
    pub fn is_like_last(&mut self, pc: u32) -> bool {
        self.tags.refetch(&self.code_row, pc)
    }

    /// The word at `pc`, in memory or in the window, is known: the next one may be known alike.
    pub fn remember(&mut self, pc: u32) {
        self.code_row = self.tags.code_row(pc);
    }

    /// Whether the ELF may tell the instruction at `pc` whatever its size.
    #[inline(always)]
    pub fn has_halves(&self, pc: u32) -> bool {
        self.window.contains(&pc) && self.window.contains(&pc.wrapping_add(2))
    }

    /// A read of memory, or of a device.
    #[inline]
    pub fn read(
        &mut self,
        position: u32,
        (addr, rmask): (u32, u8),
        memory: bool,
        escape: Next,
    ) -> Result<Known, What> {
        let in_window = self.window.contains(&addr);
        if self.items.escape_at == position && self.items.next == escape {
            self.items.take_escape(position, escape)?;
            if memory && self.tags.row_is_valid(addr) {
                self.tags.drop_row(addr);
            } else if !in_window {
                return Err(What::BadEscape);
            }
        } else if in_window && (!memory || !self.is_touched(addr) || !self.tags.row_is_valid(addr))
        {
            return Ok(Known::Image);
        }
        if !memory {
            return Ok(Known::No);
        }
        if in_window {
            self.touch(addr);
        }
        Ok(match self.tags.access(addr, rmask, 0) {
            true => Known::Held,
            false => Known::No,
        })
    }

    /// A write to memory.
    #[inline]
    pub fn write(&mut self, addr: u32, wmask: u8) {
        if self.window.contains(&addr) {
            self.touch(addr);
        }
        self.tags.access(addr, 0, wmask);
    }

    fn touch(&mut self, addr: u32) {
        let page = (addr >> PAGE_BITS) - (self.window.start >> PAGE_BITS);
        if let Some(touched @ false) = self.touched.get_mut(page as usize) {
            *touched = true;
            self.version = self.version.wrapping_add(1);
        }
    }
}
