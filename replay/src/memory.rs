//! The memory that a replay knows: sparse 4 KB pages over the firmware's image, with decoded
//! instructions beside those that are executed.
//!
//! The hot paths are one look into a direct-mapped table of recent pages. A page enters the table
//! for writes only when a write there can do no more than change a word: pages with decoded
//! instructions and pages that still equal the image take the slow path, which keeps both in step.

mod snapshot;

use crate::compact::sources;
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
/// Immediate of an instruction that is treated as `wfi` but is another.
pub(crate) const NOT_WFI: u32 = 1;
const DIRECTORY: usize = 1024;
/// Decoded instructions of a page: one can begin at every halfword.
const CODE_PLACES: usize = 2 * PAGE_WORDS;

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
    /// It may have compressed instructions.
    compressed: bool,
    /// The codec is `compact`: see [`Self::executable`].
    compact: bool,
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

/// Where the decoded instruction at an address is among those of its page: those at words first, so
/// that code without compressed instructions lies close together.
#[inline(always)]
fn place_in_page(pc: u32) -> usize {
    index_in_page(pc) + (pc as usize & 2) / 2 * PAGE_WORDS
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
            compressed: config.compressed,
            compact: config.compact().is_some(),
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

    /// Whether the core may have compressed instructions.
    #[inline(always)]
    pub(crate) fn compressed(&self) -> bool {
        self.compressed
    }

    /// Whether no instruction can be at an address.
    #[inline(always)]
    pub(crate) fn is_between(&self, pc: u32) -> bool {
        pc & if self.compressed { 1 } else { 3 } != 0
    }

    /// Whether an instruction is one that is known by halves only: section 1.3.
    pub(crate) fn is_loose(&self, word: u32, pc: u32) -> bool {
        self.compressed && (isa::is_compressed(word) || pc % 4 != 0)
    }

    /// Decodes a word for execution, as the recorder logged it.
    pub(crate) fn executable(&self, word: u32) -> Insn {
        let short = self.compressed && isa::is_compressed(word);
        let word = if short { isa::expand(word) } else { word };
        let mut insn = executable(word, self.attached);
        if self.compact {
            // What the word names as sources is asked of the log, whatever the instruction does.
            [insn.rs1, insn.rs2] = sources(word);
        }
        if let Some(which) = MUL_DIV.iter().position(|&op| op == insn.op) {
            if self.compares {
                (insn.op, insn.imm) = (Op::Compared, which as u32);
            }
        }
        if short {
            insn.shortened()
        } else {
            insn
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

    /// The word at a word-aligned address, of which the bytes in `mask` are as the ELF has them.
    #[inline(always)]
    pub fn read_image(&mut self, addr: u32, mask: u8) -> Result<u32, What> {
        match self.reads.find(addr >> 12) {
            Some(first) if !TRACK => Ok(self.words[first + index_in_page(addr)]),
            _ => self.read_image_slowly(addr, mask),
        }
    }

    #[inline(never)]
    fn read_image_slowly(&mut self, addr: u32, mask: u8) -> Result<u32, What> {
        let slot = match self.slot(addr >> 12) {
            Some(slot) => Some(slot),
            None => self.load_from_image(addr >> 12)?,
        };
        let slot = slot.ok_or(What::UnknownMemory(addr))?;
        let first = slot * PAGE_WORDS;
        self.reads.put(addr >> 12, first);
        let at = first + index_in_page(addr);
        if TRACK {
            self.known[at] |= mask;
        }
        Ok(self.words[at])
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
                // Those that begin in the word, and the one that may end in it.
                let first = page.code as usize * CODE_PLACES;
                let index = index_in_page(addr);
                self.code[first + index] = Insn::ILLEGAL;
                let halves = PAGE_WORDS + index.saturating_sub(1)..=PAGE_WORDS + index;
                self.code[first..][halves].fill(Insn::ILLEGAL);
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
                    let first = code as usize * CODE_PLACES;
                    self.code[first..first + CODE_PLACES].fill(Insn::ILLEGAL);
                    code
                }
                None => {
                    let code = self.code.len() / CODE_PLACES;
                    self.code
                        .resize(self.code.len() + CODE_PLACES, Insn::ILLEGAL);
                    code as u32
                }
            };
            self.pages[slot].code = code;
            self.writes.forget(number);
        }
        Ok(self.pages[slot].code as usize * CODE_PLACES)
    }

    /// The decoded instruction at `pc`; [`Op::Illegal`] if it must be decoded first.
    #[inline(always)]
    pub fn decoded(&self, code_page: usize, pc: u32) -> Insn {
        self.code[code_page + place_in_page(pc)]
    }

    /// Decodes the instruction at `pc` and keeps it for [`Self::decoded`], unless it ends on another
    /// page, of whose changes this one learns nothing.
    #[inline(never)]
    pub fn decode(&mut self, code_page: usize, pc: u32) -> Result<Insn, What> {
        let word = self.code_word(pc)?;
        let insn = self.executable(word);
        if insn.op == Op::Illegal {
            return Err(What::NoTrap(word));
        }
        if pc & 0xfff != 0xffe || isa::is_compressed(word) {
            self.code[code_page + place_in_page(pc)] = insn;
        }
        Ok(insn)
    }

    /// The instruction word at `pc`.
    pub fn code_word(&mut self, pc: u32) -> Result<u32, What> {
        if !self.compressed {
            return self.code_bytes(pc, 0xf);
        }
        let mut half = |pc: u32| -> Result<u32, What> {
            let shift = 8 * (pc & 2);
            let word = self.code_bytes(pc, 3 << (pc & 2))?;
            Ok(word >> shift & 0xffff)
        };
        let low = half(pc)?;
        match isa::is_compressed(low) {
            true => Ok(low),
            false => Ok(low | half(pc.wrapping_add(2))? << 16),
        }
    }

    /// The word around `pc`, of which the bytes in `mask` are code that is known.
    fn code_bytes(&mut self, pc: u32, mask: u8) -> Result<u32, What> {
        let number = pc >> 12;
        let slot = match self.slot(number) {
            Some(slot) => slot,
            None => self.load_from_image(number)?.ok_or(What::UnknownCode)?,
        };
        let at = slot * PAGE_WORDS + index_in_page(pc);
        if TRACK && self.known[at] & mask != mask {
            let in_window = self.window.contains(&pc);
            let bytes = mask.count_ones();
            if !in_window || !(0..bytes).all(|i| self.image.in_file(pc.wrapping_add(i))) {
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

/// Decodes a full-size word for execution: what writes only x0 becomes a fence, which does nothing here. Of an
/// `attached` core it is not expected that it traps where the hart of this project does: it may have
/// more instructions, and take a trap between this instruction and the next.
pub fn executable(word: u32, attached: bool) -> Insn {
    use Op::*;
    if isa::is_compressed(word) {
        return Insn::ILLEGAL;
    }
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
            Ecall | Ebreak => {
                let imm = NOT_WFI;
                return Insn {
                    op: Wfi,
                    imm,
                    ..insn
                };
            }
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
