//! The memory that a replay knows: sparse 4 KB pages over the firmware's image, with decoded
//! instructions beside those that are executed.
//!
//! The hot paths are one look into a direct-mapped table of recent pages. A page enters the table
//! for writes only when a write there can do no more than change a word: pages with decoded
//! instructions and pages that still equal the image take the slow path, which keeps both in step.

mod snapshot;

use crate::decode::{decode, Insn, Op, MUL_DIV};
use crate::image::PAGE_WORDS;
use crate::{Image, What};
use lookback_log_format::retire::lanes;
use lookback_log_format::{isa, RecorderConfig};
use std::sync::Arc;

/// Pages an interval may touch; a damaged log must not take all memory of the host.
const MAX_PAGES: usize = 1 << 16;
/// Entries of the tables of recent pages.
const RECENT: usize = 64;
const NOWHERE: u32 = u32::MAX;
const DIRECTORY: usize = 1024;

/// What is known of a byte of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Byte {
    /// The replayed instructions read or wrote it.
    Seen(u8),
    /// It has not been touched; in the ELF it is this.
    Image(u8),
    /// Neither touched nor in the ELF.
    Unknown,
}

#[derive(Debug, Clone)]
struct Page {
    number: u32,
    /// Equal to the image, word for word.
    pristine: bool,
    /// Where its decoded instructions are.
    code: u32,
}

/// Pages that were used last, and the index of their first word.
#[derive(Debug, Clone)]
struct Recent([(u32, u32); RECENT]);

impl Recent {
    const EMPTY: Self = Self([(NOWHERE, 0); RECENT]);

    #[inline(always)]
    fn find(&self, number: u32) -> Option<usize> {
        let (tag, first) = self.0[number as usize % RECENT];
        (tag == number).then_some(first as usize)
    }

    fn put(&mut self, number: u32, first: usize) {
        self.0[number as usize % RECENT] = (number, first as u32);
    }

    fn forget(&mut self, number: u32) {
        let entry = &mut self.0[number as usize % RECENT];
        if entry.0 == number {
            entry.0 = NOWHERE;
        }
    }
}

/// Memory of one hart in one interval. `TRACK` keeps account of which bytes are known.
#[derive(Debug, Clone)]
pub struct Memory<const TRACK: bool> {
    image: Arc<Image>,
    region_base: u32,
    region_mask: u32,
    window: std::ops::Range<u32>,
    /// The core is the user's: see [`executable`].
    attached: bool,
    compares: bool,
    /// Page number to slot + 1, in two levels.
    directory: Vec<Option<Box<[u32; DIRECTORY]>>>,
    pages: Vec<Page>,
    free: Vec<u32>,
    /// Words of the page in slot n from n × 1024 on.
    words: Vec<u32>,
    /// For each word the mask of its known bytes; empty unless `TRACK`.
    known: Vec<u8>,
    /// Decoded instructions; [`Op::Illegal`] stands for what is not decoded yet.
    code: Vec<Insn>,
    free_code: Vec<u32>,
    reads: Recent,
    writes: Recent,
}

#[inline(always)]
fn index_in_page(addr: u32) -> usize {
    (addr >> 2) as usize % PAGE_WORDS
}

impl<const TRACK: bool> Memory<TRACK> {
    /// Memory of which nothing but the image is known.
    pub fn new(config: &RecorderConfig, image: Arc<Image>) -> Self {
        Self {
            image,
            region_base: config.mem_base,
            region_mask: config.mem_mask,
            window: config.image_lo..config.image_hi,
            attached: config.attached,
            compares: config.logs_results(),
            directory: vec![None; DIRECTORY],
            pages: Vec::new(),
            free: Vec::new(),
            words: Vec::new(),
            known: Vec::new(),
            code: Vec::new(),
            free_code: Vec::new(),
            reads: Recent::EMPTY,
            writes: Recent::EMPTY,
        }
    }

    /// Forgets all but the image. Pages that equal it stay, so that code is decoded only once.
    pub fn clear(&mut self) {
        self.reads = Recent::EMPTY;
        self.writes = Recent::EMPTY;
        for slot in 0..self.pages.len() {
            let page = &mut self.pages[slot];
            if page.number == NOWHERE || (page.pristine && !TRACK) {
                continue;
            }
            let number = std::mem::replace(&mut page.number, NOWHERE);
            if page.code != NOWHERE {
                self.free_code
                    .push(std::mem::replace(&mut page.code, NOWHERE));
            }
            self.set_slot(number, 0);
            self.free.push(slot as u32);
        }
    }

    /// Whether the core is the user's.
    pub(crate) fn attached(&self) -> bool {
        self.attached
    }

    /// Decodes a word for execution, as the recorder logged it.
    pub(crate) fn executable(&self, word: u32) -> Insn {
        let insn = executable(word, self.attached);
        match MUL_DIV.iter().position(|&op| op == insn.op) {
            Some(which) if self.compares => Insn {
                op: Op::Compared,
                imm: which as u32,
                ..insn
            },
            _ => insn,
        }
    }

    /// Whether an address is memory; anything else is a device.
    pub fn is_memory(&self, addr: u32) -> bool {
        addr & self.region_mask == self.region_base
    }

    /// The word at a word-aligned address, of which the bytes in `mask` must be known.
    #[inline(always)]
    pub fn read(&mut self, addr: u32, mask: u8) -> Result<u32, What> {
        let first = match self.reads.find(addr >> 12) {
            Some(first) => first,
            None => self.find_for_read(addr)?,
        };
        let at = first + index_in_page(addr);
        if TRACK && self.known[at] & mask != mask {
            return Err(What::UnknownMemory(addr));
        }
        Ok(self.words[at])
    }

    #[inline(never)]
    fn find_for_read(&mut self, addr: u32) -> Result<usize, What> {
        if !self.is_memory(addr) {
            return Err(What::NotLogged("a device"));
        }
        let slot = match self.slot(addr >> 12) {
            Some(slot) => Some(slot),
            None => self.load_from_image(addr >> 12)?,
        };
        let slot = slot.ok_or(What::UnknownMemory(addr))?;
        let first = slot * PAGE_WORDS;
        self.reads.put(addr >> 12, first);
        Ok(first)
    }

    /// Writes the bytes of `data` in `mask` at a word-aligned address. Devices remember nothing.
    #[inline(always)]
    pub fn write(&mut self, addr: u32, mask: u8, data: u32) -> Result<(), What> {
        let Some(first) = self.writes.find(addr >> 12) else {
            return self.write_slowly(addr, mask, data);
        };
        let at = first + index_in_page(addr);
        let bits = lanes(mask);
        self.words[at] = self.words[at] & !bits | data & bits;
        if TRACK {
            self.known[at] |= mask;
        }
        Ok(())
    }

    #[inline(never)]
    fn write_slowly(&mut self, addr: u32, mask: u8, data: u32) -> Result<(), What> {
        if !self.is_memory(addr) {
            return Ok(());
        }
        let number = addr >> 12;
        let slot = match self.slot(number) {
            Some(slot) => slot,
            None => match self.load_from_image(number)? {
                Some(slot) => slot,
                None => self.add_page(number, false)?,
            },
        };
        let at = slot * PAGE_WORDS + index_in_page(addr);
        let bits = lanes(mask);
        let word = self.words[at] & !bits | data & bits;
        if TRACK {
            self.known[at] |= mask;
        }
        let page = &mut self.pages[slot];
        if word != self.words[at] {
            self.words[at] = word;
            page.pristine = false;
            if page.code != NOWHERE {
                let decoded = page.code as usize * PAGE_WORDS + index_in_page(addr);
                self.code[decoded] = Insn::ILLEGAL;
            }
        }
        if page.code == NOWHERE && !page.pristine {
            self.writes.put(number, slot * PAGE_WORDS);
        }
        Ok(())
    }

    /// Where the decoded instructions of the page around `pc` are. It stays there until
    /// [`Self::clear`].
    #[inline(never)]
    pub fn code_page(&mut self, pc: u32) -> Result<usize, What> {
        let number = pc >> 12;
        let slot = match self.slot(number) {
            Some(slot) => slot,
            None => self.load_from_image(number)?.ok_or(What::UnknownCode)?,
        };
        if self.pages[slot].code == NOWHERE {
            let code = match self.free_code.pop() {
                Some(code) => {
                    let first = code as usize * PAGE_WORDS;
                    self.code[first..first + PAGE_WORDS].fill(Insn::ILLEGAL);
                    code
                }
                None => {
                    let code = self.code.len() / PAGE_WORDS;
                    self.code
                        .resize(self.code.len() + PAGE_WORDS, Insn::ILLEGAL);
                    code as u32
                }
            };
            self.pages[slot].code = code;
            self.writes.forget(number);
        }
        Ok(self.pages[slot].code as usize * PAGE_WORDS)
    }

    /// The decoded instruction at `pc`; [`Op::Illegal`] if it must be decoded first.
    #[inline(always)]
    pub fn decoded(&self, code_page: usize, pc: u32) -> Insn {
        self.code[code_page + index_in_page(pc)]
    }

    /// Decodes the instruction at `pc` and keeps it for [`Self::decoded`].
    #[inline(never)]
    pub fn decode(&mut self, code_page: usize, pc: u32) -> Result<(), What> {
        let word = self.code_word(pc)?;
        let insn = self.executable(word);
        if insn.op == Op::Illegal {
            return Err(What::NoTrap(word));
        }
        self.code[code_page + index_in_page(pc)] = insn;
        Ok(())
    }

    /// The instruction word at `pc`.
    pub fn code_word(&mut self, pc: u32) -> Result<u32, What> {
        let number = pc >> 12;
        let slot = match self.slot(number) {
            Some(slot) => slot,
            None => self.load_from_image(number)?.ok_or(What::UnknownCode)?,
        };
        let at = slot * PAGE_WORDS + index_in_page(pc);
        if TRACK && self.known[at] != 0xf {
            let in_window = self.window.contains(&pc);
            if !in_window || !(0..4).all(|i| self.image.in_file(pc.wrapping_add(i))) {
                return Err(What::UnknownCode);
            }
        }
        Ok(self.words[at])
    }

    /// What is known of the byte at an address. Without `TRACK` the image counts as seen.
    pub fn byte(&self, addr: u32) -> Byte {
        if let Some(slot) = self.slot(addr >> 12) {
            let at = slot * PAGE_WORDS + index_in_page(addr);
            let lane = addr % 4;
            if !TRACK || self.known[at] >> lane & 1 == 1 {
                return Byte::Seen((self.words[at] >> (8 * lane)) as u8);
            }
        }
        self.image.byte(addr).map_or(Byte::Unknown, Byte::Image)
    }

    /// Addresses of the pages that are held, in no order.
    pub fn page_addresses(&self) -> impl Iterator<Item = u32> + '_ {
        let used = self.pages.iter().filter(|page| page.number != NOWHERE);
        used.map(|page| page.number << 12)
    }

    #[inline]
    fn slot(&self, number: u32) -> Option<usize> {
        let table = self.directory[number as usize / DIRECTORY].as_ref()?;
        table[number as usize % DIRECTORY]
            .checked_sub(1)
            .map(|slot| slot as usize)
    }

    fn set_slot(&mut self, number: u32, slot_plus_one: u32) {
        let table = &mut self.directory[number as usize / DIRECTORY];
        let table = table.get_or_insert_with(|| Box::new([0; DIRECTORY]));
        table[number as usize % DIRECTORY] = slot_plus_one;
    }

    fn load_from_image(&mut self, number: u32) -> Result<Option<usize>, What> {
        let mut words = [0; PAGE_WORDS];
        if !self.image.page(number, &mut words) {
            return Ok(None);
        }
        let slot = self.add_page(number, true)?;
        let first = slot * PAGE_WORDS;
        self.words[first..first + PAGE_WORDS].copy_from_slice(&words);
        Ok(Some(slot))
    }

    fn add_page(&mut self, number: u32, pristine: bool) -> Result<usize, What> {
        let page = Page {
            number,
            pristine,
            code: NOWHERE,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                let slot = slot as usize;
                let words = slot * PAGE_WORDS..(slot + 1) * PAGE_WORDS;
                self.words[words.clone()].fill(0);
                if TRACK {
                    self.known[words].fill(0);
                }
                self.pages[slot] = page;
                slot
            }
            None => {
                let slot = self.pages.len();
                if slot == MAX_PAGES {
                    return Err(What::TooMuchMemory((MAX_PAGES >> 8) as u32));
                }
                self.pages.push(page);
                self.words.resize((slot + 1) * PAGE_WORDS, 0);
                if TRACK {
                    self.known.resize((slot + 1) * PAGE_WORDS, 0);
                }
                slot
            }
        };
        self.set_slot(number, slot as u32 + 1);
        Ok(slot)
    }
}

/// Decodes a word for execution: what writes only x0 becomes a fence, which does nothing here. Of an
/// `attached` core it is not expected that it traps where the hart of this project does: it may have
/// more instructions, and take a trap between this instruction and the next.
pub fn executable(word: u32, attached: bool) -> Insn {
    use Op::*;
    let insn = decode(word);
    if attached {
        match insn.op {
            // SYSTEM with funct3 = 4 is logged as a CSR access is.
            Illegal if isa::is_opaque(word) || word & 0x707f == 0x4073 => {
                let rd = (word >> 7 & 31) as u8;
                let op = if rd == 0 { Fence } else { Opaque };
                return Insn { op, rd, ..insn };
            }
            Illegal if word & 0x7f == 0x0f => return Insn { op: Fence, ..insn },
            Ecall | Ebreak => return Insn { op: Wfi, ..insn },
            _ => {}
        }
    }
    let effect_beyond_rd = insn.op.is_load()
        || insn.op.is_store()
        || matches!(insn.op, Illegal | Jal | Jalr | Ecall | Ebreak | Mret | Wfi)
        || insn.op.is_branch();
    match insn.op {
        // `sret` and its like, of harts that have them: they did not trap, so they returned.
        Illegal if crate::decode::is_plain_system(word) => Insn { op: Mret, ..insn },
        _ if insn.rd == 0 && !effect_beyond_rd => Insn { op: Fence, ..insn },
        _ => insn,
    }
}
