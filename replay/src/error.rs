//! One error for everything that keeps a recording or an ELF from being used.

use crate::Divergence;
use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The bytes are not a recording that this program reads.
    #[error(transparent)]
    Format(#[from] lookback_log_format::Error),
    /// The recording lacks its recorder's configuration.
    #[error(
        "the recording's CONFIG chunk is missing or damaged{}; without it no entry can be read",
        detail(.0)
    )]
    NoConfig(Option<String>),
    /// The recording lacks its ELF.
    #[error(
        "the recording's ELF is missing or damaged; give the firmware it was made with (--elf)"
    )]
    NoElf,
    /// Another ELF than the one that was recorded.
    #[error(
        "{given} is not the firmware of this recording, which is {recorded}; give that file, or \
         none at all to use the copy inside the recording"
    )]
    WrongElf {
        /// The ELF that was given.
        given: String,
        /// The ELF that was recorded.
        recorded: String,
    },
    /// The file does not start like an ELF.
    #[error("not an ELF file: it does not begin with \"\\x7fELF\"")]
    NotElf,
    /// The ELF is for a 64-bit hart.
    #[error("a 64-bit ELF, but the hart is RV32; build it with -march=rv32ima -mabi=ilp32")]
    Elf64,
    /// The ELF is big-endian.
    #[error(
        "a big-endian ELF, but the hart is little-endian; build it for riscv32 (little-endian)"
    )]
    BigEndian,
    /// The ELF is for another processor.
    #[error("an ELF for machine number {0}, but the hart is RISC-V (243); build it for riscv32")]
    WrongMachine(u16),
    /// An object file or core dump.
    #[error("an ELF of type {0}, not an executable; link it first")]
    NotExecutable(u16),
    /// The ELF's own tables are wrong.
    #[error("a damaged ELF: {0}; build or copy it again")]
    BadElf(String),
    /// There is nothing in the ELF to run.
    #[error("the ELF has nothing to load: it needs at least one LOAD program header")]
    NothingToLoad,
    /// Two segments want the same memory.
    #[error(
        "two segments of the ELF overlap, at {first:#010x}..{first_end:#010x} and from \
         {second:#010x}; check the linker script"
    )]
    Overlap {
        /// Address of the first.
        first: u64,
        /// Its end.
        first_end: u64,
        /// Address of the second.
        second: u64,
    },
    /// A segment does not fit the RAM.
    #[error(
        "the ELF's segment at {start:#010x}..{end:#010x} is outside the board's RAM at \
         {ram_start:#010x}..{ram_end:#010x}; link it there or give the board more RAM"
    )]
    OutsideRam {
        /// First address of the segment.
        start: u64,
        /// First address after it.
        end: u64,
        /// First address of RAM.
        ram_start: u64,
        /// First address after RAM.
        ram_end: u64,
    },
    /// A replay went another way than the recording says.
    #[error(transparent)]
    Diverged(#[from] Divergence),
}

fn detail(text: &Option<String>) -> String {
    text.as_ref()
        .map_or(String::new(), |text| format!(" ({text})"))
}
