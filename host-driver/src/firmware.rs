//! The firmware's ELF: what of it goes into memory, and clear words when it cannot run on a board.

use anyhow::{anyhow, bail, Context, Result};
use lookback_log_format::container::{Elf, MAX_ELF};
use object::elf::{
    FileHeader32, EF_RISCV_RVC, EM_RISCV, ET_EXEC, PF_X, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, FileKind};
use std::ops::Range;
use std::path::Path;

/// Where the memory of every board begins, and its hart with it.
pub const RAM_BASE: u32 = 0x8000_0000;

/// The image window is a whole number of these.
const BLOCK: u32 = 64;

/// A stretch of memory that the ELF fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Where it is loaded.
    pub addr: u32,
    /// What is loaded.
    pub bytes: Vec<u8>,
    /// Its size in memory; what `bytes` does not cover is zero.
    pub size: u32,
}

/// An ELF that a 32-bit RISC-V board can run.
#[derive(Debug, Clone)]
pub struct Firmware {
    /// The file, as it goes into a recording.
    pub elf: Elf,
    /// What is loaded.
    pub segments: Vec<Segment>,
    /// Memory that holds code and equals the file, for the recorder's image window.
    pub window: Range<u32>,
    /// What the user should know, though it may run.
    pub warnings: Vec<String>,
}

impl Firmware {
    /// Reads an ELF from a file.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self::parse(name, bytes).with_context(|| format!("cannot use {}", path.display()))
    }

    /// Takes an ELF apart.
    pub fn parse(name: String, bytes: Vec<u8>) -> Result<Self> {
        check_kind(&bytes)?;
        let header = FileHeader32::<Endianness>::parse(bytes.as_slice()).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;
        if endian != Endianness::Little {
            bail!("it is a big-endian ELF, and RISC-V harts are little-endian");
        }
        let machine = header.e_machine(endian);
        if machine != EM_RISCV {
            bail!("it is an ELF for another processor (machine {machine}), not for RISC-V");
        }
        if header.e_type(endian) != ET_EXEC {
            bail!("it is an object file or a library, not a linked program; link it statically at {RAM_BASE:#x}");
        }
        let (segments, window) = layout(header, endian, &bytes)?;
        if segments.is_empty() {
            bail!("it has nothing to load into memory");
        }
        let mut warnings = Vec::new();
        if (header.e_flags(endian) & EF_RISCV_RVC).0 != 0 {
            warnings.push(format!(
                "{name} contains compressed instructions, which the simulated board's hart does \
                 not have; if it traps at once, compile with -march=rv32ima"
            ));
        }
        Ok(Self {
            elf: Elf { name, bytes },
            segments,
            window,
            warnings,
        })
    }

    /// Refuses what does not fit a board's memory, or would not be run there.
    pub fn check_fits(&self, ram_bytes: u32) -> Result<()> {
        let ram_end = u64::from(RAM_BASE) + u64::from(ram_bytes);
        for segment in &self.segments {
            let end = u64::from(segment.addr) + u64::from(segment.size);
            if segment.addr < RAM_BASE {
                bail!(
                    "{} loads at {:#010x}, outside the board's memory, which begins at \
                     {RAM_BASE:#010x}; link it for QEMU's virt machine",
                    self.elf.name,
                    segment.addr
                );
            }
            if end > ram_end {
                let needed = (end - u64::from(RAM_BASE)).div_ceil(1024);
                bail!(
                    "{} does not fit: it needs memory up to {end:#010x}, {needed} KB, and the \
                     board has {} KB{}",
                    self.elf.name,
                    ram_bytes / 1024,
                    hint(needed)
                );
            }
        }
        let starts = |segment: &Segment| segment.addr == RAM_BASE && !segment.bytes.is_empty();
        if !self.segments.iter().any(starts) {
            bail!(
                "{} has nothing at {RAM_BASE:#010x}, where the board's hart begins; put its start \
                 code first in the linker script",
                self.elf.name
            );
        }
        Ok(())
    }
}

fn hint(needed_kb: u64) -> String {
    match needed_kb {
        0..=16_384 => format!("; try --ram {}K", needed_kb.next_power_of_two().max(64)),
        _ => "; 16 MB is the most a simulated board can have".into(),
    }
}

fn check_kind(bytes: &[u8]) -> Result<()> {
    if bytes.len() as u64 > u64::from(MAX_ELF) {
        bail!("it is larger than {} MB", MAX_ELF >> 20);
    }
    match FileKind::parse(bytes) {
        Ok(FileKind::Elf32) => Ok(()),
        Ok(FileKind::Elf64) => bail!(
            "it is a 64-bit ELF, and the hart is 32-bit; compile with -march=rv32ima -mabi=ilp32"
        ),
        _ => bail!("it is not an ELF file"),
    }
}

fn damaged(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("it is a damaged ELF: {error}")
}

/// The segments that are loaded, and the image window.
fn layout(
    header: &FileHeader32<Endianness>,
    endian: Endianness,
    file: &[u8],
) -> Result<(Vec<Segment>, Range<u32>)> {
    let programs = header.program_headers(endian, file).map_err(damaged)?;
    // A file without section headers still runs; its executable segments then count as code.
    let sections = header.sections(endian, file).unwrap_or_default();
    let mut segments = Vec::new();
    let mut code = Vec::new();
    for program in programs {
        if program.p_type(endian) != PT_LOAD || program.p_memsz(endian) == 0 {
            continue;
        }
        let bytes = program
            .data(endian, file)
            .map_err(|()| damaged("a segment reaches beyond the end of the file"))?;
        let (addr, start) = (program.p_paddr(endian), program.p_vaddr(endian));
        let len = bytes.len() as u32;
        if addr.checked_add(len.max(program.p_memsz(endian))).is_none() {
            return Err(damaged("a segment reaches beyond the address space"));
        }
        // Sections carry virtual addresses; code runs where it was loaded.
        let place = |at: u32| addr + at.saturating_sub(start).min(len);
        if sections.is_empty() && (program.p_flags(endian) & PF_X).0 != 0 {
            code.push(addr..addr + len);
        }
        for section in sections.iter() {
            let at = section.sh_addr(endian);
            let executable = SHF_ALLOC | SHF_EXECINSTR;
            if section.sh_flags(endian) & executable == executable
                && at.checked_sub(start).is_some_and(|offset| offset < len)
            {
                code.push(place(at)..place(at.saturating_add(section.sh_size(endian))));
            }
        }
        segments.push(Segment {
            addr,
            bytes: bytes.to_vec(),
            size: program.p_memsz(endian).max(len),
        });
    }
    let window = window(&segments, &code);
    Ok((segments, window))
}

/// The blocks that hold code and lie wholly in the file: all code if there is nothing but file
/// between its parts, else the largest part.
fn window(segments: &[Segment], code: &[Range<u32>]) -> Range<u32> {
    let mut filled: Vec<Range<u32>> = segments
        .iter()
        .map(|segment| segment.addr..segment.addr + segment.bytes.len() as u32)
        .collect();
    filled.sort_by_key(|range| range.start);
    let mut runs: Vec<Range<u32>> = Vec::new();
    for range in filled {
        match runs.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => runs.push(range),
        }
    }
    let whole = |range: &Range<u32>| {
        let run = runs
            .iter()
            .find(|run| run.start <= range.start && range.end <= run.end)?;
        let first = run.start.next_multiple_of(BLOCK);
        let last = run.end / BLOCK * BLOCK;
        let start = (range.start / BLOCK * BLOCK).max(first);
        let end = range.end.next_multiple_of(BLOCK).min(last);
        (start < end).then_some(start..end)
    };
    let hull = code.iter().map(|range| range.start).min().unwrap_or(0)
        ..code.iter().map(|range| range.end).max().unwrap_or(0);
    whole(&hull)
        .or_else(|| {
            code.iter()
                .filter_map(whole)
                .max_by_key(|range| range.end - range.start)
        })
        .unwrap_or(0..0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(addr: u32, len: usize, size: u32) -> Segment {
        Segment {
            addr,
            bytes: vec![0; len],
            size,
        }
    }

    fn firmware(segments: Vec<Segment>) -> Firmware {
        Firmware {
            elf: Elf {
                name: "fw.elf".into(),
                bytes: vec![],
            },
            segments,
            window: 0..0,
            warnings: vec![],
        }
    }

    #[test]
    fn the_window_is_whole_blocks_of_the_file() {
        let text = [segment(RAM_BASE, 0x1010, 0x1010)];
        let window_of = |len| window(&text, std::slice::from_ref(&(RAM_BASE..RAM_BASE + len)));
        assert_eq!(window_of(0x810), RAM_BASE..RAM_BASE + 0x840);
        assert_eq!(window_of(0x1010), RAM_BASE..RAM_BASE + 0x1000);
        assert_eq!(window(&text, &[]), 0..0);
    }

    #[test]
    fn code_around_a_hole_keeps_its_largest_part() {
        let parts = [
            segment(RAM_BASE, 0x100, 0x100),
            segment(RAM_BASE + 0x1000, 0x400, 0x400),
        ];
        let code = [
            RAM_BASE..RAM_BASE + 0x100,
            RAM_BASE + 0x1000..RAM_BASE + 0x1400,
        ];
        assert_eq!(window(&parts, &code), RAM_BASE + 0x1000..RAM_BASE + 0x1400);
    }

    #[test]
    fn what_does_not_fit_says_how_much_it_needs() {
        let large = firmware(vec![segment(RAM_BASE, 16, 200 << 10)]);
        let text = large.check_fits(64 << 10).unwrap_err().to_string();
        assert!(text.contains("--ram 256K"), "{text}");
        large.check_fits(256 << 10).unwrap();
        let elsewhere = firmware(vec![segment(0x1000, 16, 16)]);
        assert!(elsewhere.check_fits(1 << 20).is_err());
        let late = firmware(vec![segment(RAM_BASE + 64, 16, 16)]);
        let text = late.check_fits(1 << 20).unwrap_err().to_string();
        assert!(text.contains("where the board's hart begins"), "{text}");
    }

    #[test]
    fn damaged_elfs_are_refused_without_panic() {
        let mut elf = b"\x7fELF\x01\x01\x01".to_vec();
        elf.resize(52, 0xff);
        elf[18..20].copy_from_slice(&[243, 0]);
        elf[16..18].copy_from_slice(&[2, 0]);
        for cut in 0..elf.len() {
            assert!(Firmware::parse("x".into(), elf[..cut].to_vec()).is_err());
        }
        assert!(Firmware::parse("x".into(), elf).is_err());
    }
}
