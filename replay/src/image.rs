//! The firmware: which bytes are in memory when a board starts.
//!
//! Both sides need it. A board loads [`Image::segments`]; the recorder is told
//! [`Image::window`], the code that it need not log; replay takes instruction words from
//! [`Image::page`]. All three must agree about every byte, so all come from here.
//! Addresses are load addresses (`p_paddr`), as they are for any loader.

use crate::{Error, Result};
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::LittleEndian as Le;
use std::ops::Range;

/// The granularity of the image window, in bytes.
const BLOCK: u64 = 64;
/// Bytes a page.
pub const PAGE_BYTES: u32 = 4096;
/// Words a page.
pub const PAGE_WORDS: usize = PAGE_BYTES as usize / 4;
/// Segments whose contents add up to more are refused: headers of a small file can claim a lot.
const MAX_CONTENTS: u64 = 256 << 20;

type Header = elf::FileHeader32<Le>;
type Program = elf::ProgramHeader32<Le>;

/// Bytes to put at an address before the hart starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// First address.
    pub addr: u32,
    /// Contents; memory that the ELF only reserves is zero.
    pub bytes: Vec<u8>,
}

/// A piece of memory as the ELF describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    addr: u32,
    /// What the file holds.
    contents: Vec<u8>,
    /// Bytes in memory, at least as many; the rest is zero.
    size: u64,
}

impl Piece {
    fn end(&self) -> u64 {
        u64::from(self.addr) + self.size
    }

    fn contents_range(&self) -> Range<u64> {
        let start = u64::from(self.addr);
        start..start + self.contents.len() as u64
    }
}

/// A firmware ELF, checked and ready to load.
#[derive(Debug, Clone)]
pub struct Image {
    entry: u32,
    /// Sorted by address, without overlaps.
    pieces: Vec<Piece>,
    window: Range<u32>,
    build_id: Option<Vec<u8>>,
    compressed: bool,
}

impl Image {
    /// Reads an ELF.
    pub fn parse(file: &[u8]) -> Result<Self> {
        check_kind(file)?;
        let header = Header::parse(file).map_err(bad)?;
        let programs = header.program_headers(Le, file).map_err(bad)?;
        let pieces = pieces(programs, file)?;
        let code = code_ranges(header, programs, file)?;
        Ok(Self {
            entry: header.e_entry(Le),
            window: window(&pieces, &code),
            build_id: build_id(header, programs, file),
            compressed: header.e_flags(Le).0 & elf::EF_RISCV_RVC.0 != 0,
            pieces,
        })
    }

    /// Where execution starts, as the ELF says.
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// The image window for the recorder, `start..end` in whole 64-byte blocks (empty if there is
    /// no whole block of code): memory of which every byte is in the file, around the sections
    /// that are not writable.
    pub fn window(&self) -> Range<u32> {
        self.window.clone()
    }

    /// The image window for a recorder whose codec takes data from it, too (`compact`): from the start
    /// of [`Self::window`] on over everything that the file loads, initialised data included. Holes
    /// of less than a block, which linkers leave for alignment, are taken in: nobody has a use for
    /// what is there.
    pub fn loaded_window(&self) -> Range<u32> {
        let code = self.window();
        let mut end = u64::from(code.end);
        for range in self.pieces.iter().map(Piece::contents_range) {
            if range.start < end + BLOCK && !code.is_empty() {
                end = end.max(range.end / BLOCK * BLOCK);
            }
        }
        code.start..end.min((1 << 32) - BLOCK) as u32
    }

    /// The GNU build id.
    pub fn build_id(&self) -> Option<&[u8]> {
        self.build_id.as_deref()
    }

    /// Whether the ELF was built for compressed instructions, which an RV32IMA hart does not have.
    pub fn compressed(&self) -> bool {
        self.compressed
    }

    /// What to load into a board's RAM; `ram` is its address range.
    pub fn segments(&self, ram: Range<u64>) -> Result<Vec<Segment>> {
        let load = |piece: &Piece| {
            let start = u64::from(piece.addr);
            if start < ram.start || piece.end() > ram.end {
                return Err(Error::OutsideRam {
                    start,
                    end: piece.end(),
                    ram_start: ram.start,
                    ram_end: ram.end,
                });
            }
            let mut bytes = piece.contents.clone();
            bytes.resize(piece.size as usize, 0);
            Ok(Segment {
                addr: piece.addr,
                bytes,
            })
        };
        self.pieces.iter().map(load).collect()
    }

    /// The byte at an address when the board starts; `None` outside the ELF's segments.
    pub fn byte(&self, addr: u32) -> Option<u8> {
        let after = self.pieces.partition_point(|piece| piece.addr <= addr);
        let piece = &self.pieces[after.checked_sub(1)?];
        let offset = addr - piece.addr;
        if u64::from(offset) >= piece.size {
            return None;
        }
        Some(piece.contents.get(offset as usize).copied().unwrap_or(0))
    }

    /// Whether the file itself holds the byte at an address.
    pub fn in_file(&self, addr: u32) -> bool {
        let after = self.pieces.partition_point(|piece| piece.addr <= addr);
        after
            .checked_sub(1)
            .is_some_and(|i| self.pieces[i].contents_range().contains(&addr.into()))
    }

    /// Whether both load the same bytes to the same places.
    pub fn same_contents(&self, other: &Self) -> bool {
        self.pieces == other.pieces
    }

    /// Numbers of the 4 KB pages that the file has bytes of.
    pub fn page_numbers(&self) -> Vec<u32> {
        let pages = |range: Range<u64>| range.start >> 12..(range.end + 0xfff) >> 12;
        let contents = self.pieces.iter().map(Piece::contents_range);
        let some = contents.filter(|range| !range.is_empty());
        some.flat_map(pages).map(|number| number as u32).collect()
    }

    /// Copies the file's bytes of one 4 KB page into `words`, which is zero elsewhere. `false` and
    /// nothing done if the file has none of them.
    pub fn page(&self, number: u32, words: &mut [u32; PAGE_WORDS]) -> bool {
        let start = u64::from(number) * u64::from(PAGE_BYTES);
        let page = start..start + u64::from(PAGE_BYTES);
        let first = self.pieces.partition_point(|piece| piece.end() <= start);
        let mut any = false;
        for piece in &self.pieces[first..] {
            let have = piece.contents_range();
            if have.start >= page.end {
                break;
            }
            let (from, to) = (have.start.max(page.start), have.end.min(page.end));
            if from >= to {
                continue;
            }
            if !any {
                words.fill(0);
                any = true;
            }
            let bytes = &piece.contents[(from - have.start) as usize..(to - have.start) as usize];
            for (offset, &byte) in ((from - start) as usize..).zip(bytes) {
                words[offset / 4] |= u32::from(byte) << (8 * (offset % 4));
            }
        }
        any
    }
}

fn bad(error: object::read::Error) -> Error {
    Error::BadElf(error.to_string())
}

/// Refuses what is not for this hart, by what it is.
fn check_kind(file: &[u8]) -> Result<()> {
    if file.get(..4) != Some(&elf::ELFMAG[..]) {
        return Err(Error::NotElf);
    }
    let Some(start) = file.get(..20) else {
        return Err(Error::BadElf("it ends within its header".into()));
    };
    let (class, data) = (start[4], start[5]);
    if class == 2 {
        return Err(Error::Elf64);
    }
    if data == 2 {
        return Err(Error::BigEndian);
    }
    if class != 1 || data != 1 {
        return Err(Error::BadElf(
            "its class or byte order does not exist".into(),
        ));
    }
    let half = |at: usize| u16::from_le_bytes([start[at], start[at + 1]]);
    let (kind, machine) = (half(16), half(18));
    if machine != elf::EM_RISCV.0 {
        return Err(Error::WrongMachine(machine));
    }
    if kind != elf::ET_EXEC.0 && kind != elf::ET_DYN.0 {
        return Err(Error::NotExecutable(kind));
    }
    Ok(())
}

fn pieces(programs: &[Program], file: &[u8]) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut total = 0;
    for program in programs {
        let size = u64::from(program.p_memsz(Le));
        if program.p_type(Le) != elf::PT_LOAD || size == 0 {
            continue;
        }
        let contents = program
            .data(Le, file)
            .map_err(|()| Error::BadElf("a segment's contents lie outside the file".into()))?;
        total += contents.len() as u64;
        if contents.len() as u64 > size || total > MAX_CONTENTS {
            return Err(Error::BadElf(
                "a segment's contents are larger than it can be".into(),
            ));
        }
        let addr = program.p_paddr(Le);
        if u64::from(addr) + size > 1 << 32 {
            return Err(Error::BadElf(format!(
                "its segment at {addr:#010x} goes beyond 4 GB"
            )));
        }
        pieces.push(Piece {
            addr,
            contents: contents.to_vec(),
            size,
        });
    }
    if pieces.is_empty() {
        return Err(Error::NothingToLoad);
    }
    pieces.sort_by_key(|piece| piece.addr);
    for pair in pieces.windows(2) {
        if pair[0].end() > pair[1].addr.into() {
            return Err(Error::Overlap {
                first: pair[0].addr.into(),
                first_end: pair[0].end(),
                second: pair[1].addr.into(),
            });
        }
    }
    Ok(pieces)
}

/// Load addresses of what the program is not meant to write: from sections if there are any, since
/// a small linker script often puts code and data into a single writable segment.
fn code_ranges(header: &Header, programs: &[Program], file: &[u8]) -> Result<Vec<Range<u64>>> {
    let sections = header.section_headers(Le, file).map_err(bad)?;
    let of_sections = |wanted: &dyn Fn(u32) -> bool| -> Vec<Range<u64>> {
        let is_wanted = |section: &&elf::SectionHeader32<Le>| {
            section.sh_type(Le) != elf::SHT_NOBITS && wanted(section.sh_flags(Le).0 as u32)
        };
        let matching = sections.iter().filter(is_wanted);
        matching
            .filter_map(|section| load_range(programs, section))
            .collect()
    };
    let of_programs = |wanted: &dyn Fn(u32) -> bool| -> Vec<Range<u64>> {
        let is_wanted = |program: &&Program| {
            program.p_type(Le) == elf::PT_LOAD && wanted(program.p_flags(Le).0)
        };
        let range = |program: &Program| {
            let start = u64::from(program.p_paddr(Le));
            start..start + u64::from(program.p_filesz(Le))
        };
        programs.iter().filter(is_wanted).map(range).collect()
    };
    let (alloc, write, execute) = (
        elf::SHF_ALLOC.0 as u32,
        elf::SHF_WRITE.0 as u32,
        elf::SHF_EXECINSTR.0 as u32,
    );
    let (segment_write, segment_execute) = (elf::PF_W.0, elf::PF_X.0);
    // Each is right, since writes into the window are noticed; the first logs the least.
    let choices = [
        of_sections(&|flags| flags & (alloc | write) == alloc),
        of_sections(&|flags| flags & (alloc | execute) == alloc | execute),
        of_programs(&|flags| flags & (segment_write | segment_execute) == segment_execute),
        of_programs(&|flags| flags & segment_execute != 0),
    ];
    let chosen = choices.into_iter().find(|ranges| !ranges.is_empty());
    Ok(chosen.unwrap_or_default())
}

/// Where a section is loaded, if a segment contains it.
fn load_range(programs: &[Program], section: &elf::SectionHeader32<Le>) -> Option<Range<u64>> {
    let start = u64::from(section.sh_addr(Le));
    let end = start + u64::from(section.sh_size(Le));
    let home = programs.iter().find(|program| {
        let first = u64::from(program.p_vaddr(Le));
        program.p_type(Le) == elf::PT_LOAD
            && first <= start
            && end <= first + u64::from(program.p_filesz(Le))
    })?;
    let moved = start - u64::from(home.p_vaddr(Le)) + u64::from(home.p_paddr(Le));
    (start < end).then(|| moved..moved + (end - start))
}

/// The longest useful run of blocks of which every byte is in the file.
///
/// RAM outside the file's contents is unknown on a real board (even what start code will clear),
/// so a block that is only partly in the file must not be claimed.
fn window(pieces: &[Piece], code: &[Range<u64>]) -> Range<u32> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for range in pieces.iter().map(Piece::contents_range) {
        match runs.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => runs.push(range),
        }
    }
    let mut best = (0, 0..0);
    for run in runs {
        let inside = code
            .iter()
            .filter(|c| run.start <= c.start && c.end <= run.end);
        let bytes: u64 = inside.clone().map(|c| c.end - c.start).sum();
        let first = inside.clone().map(|c| c.start).min();
        let last = inside.map(|c| c.end).max();
        let (Some(first), Some(last)) = (first, last) else {
            continue;
        };
        let whole = run.start.next_multiple_of(BLOCK)..run.end / BLOCK * BLOCK;
        let start = (first / BLOCK * BLOCK).max(whole.start);
        let end = last.next_multiple_of(BLOCK).min(whole.end);
        if start < end && bytes > best.0 {
            best = (bytes, start..end);
        }
    }
    // The window's end is a 32-bit number: the very last block of the address space stays out.
    let end = best.1.end.min((1 << 32) - BLOCK);
    best.1.start as u32..end as u32
}

fn build_id(header: &Header, programs: &[Program], file: &[u8]) -> Option<Vec<u8>> {
    let mut in_segments = programs
        .iter()
        .filter_map(|program| program.notes(Le, file).ok().flatten());
    let sections = header.section_headers(Le, file).unwrap_or_default();
    let mut in_sections = sections
        .iter()
        .filter_map(|section| section.notes(Le, file).ok().flatten());
    let find = |mut notes: object::read::elf::NoteIterator<'_, Header>| {
        while let Ok(Some(note)) = notes.next() {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(Le) == elf::NT_GNU_BUILD_ID {
                return Some(note.desc().to_vec());
            }
        }
        None
    };
    in_segments
        .find_map(find)
        .or_else(|| in_sections.find_map(find))
}
