//! The firmware's ELF as the commands need it: its file for the recording, its bytes for a board.

use anyhow::{bail, Context, Result};
use lookback_log_format::container::{Elf, MAX_ELF};
use lookback_log_format::RecorderConfig;
use lookback_replay::image::Segment;
use lookback_replay::{Error, Image};
use lookback_sim::CoreChoice;
use std::ops::Range;
use std::path::Path;

/// Where the memory of every simulated board begins, and its hart with it.
pub const RAM_BASE: u32 = lookback_sim::RAM_BASE;
/// The most memory that a simulated board can have.
const MOST_RAM_KB: u64 = 16 << 10;

/// What to do about compressed instructions.
const WITHOUT_C: &str = "compile and link it with a -march that has no c in it";

/// An ELF that a 32-bit RISC-V board can run.
#[derive(Debug, Clone)]
pub struct Firmware {
    /// The file, as it goes into a recording.
    pub elf: Elf,
    image: Image,
}

impl Firmware {
    /// Reads an ELF from a file.
    pub fn read(path: &Path) -> Result<Self> {
        let cannot = || format!("cannot read {}", path.display());
        let size = std::fs::metadata(path).with_context(cannot)?.len();
        if size > u64::from(MAX_ELF) {
            bail!(
                "{} is larger than {} MB, the most a recording can hold",
                path.display(),
                MAX_ELF >> 20
            );
        }
        let bytes = std::fs::read(path).with_context(cannot)?;
        if bytes.is_empty() {
            bail!(
                "cannot use {}: the file is empty; build it again",
                path.display()
            );
        }
        let name = path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self::parse(name, bytes).with_context(|| format!("cannot use {}", path.display()))
    }

    /// Takes an ELF that is in memory.
    pub fn parse(name: String, bytes: Vec<u8>) -> Result<Self> {
        let image = Image::parse(&bytes)?;
        Ok(Self {
            elf: Elf { name, bytes },
            image,
        })
    }

    /// Memory that holds code and equals the file, for the recorder's image window.
    pub fn window(&self) -> Range<u32> {
        self.image.window()
    }

    /// The same with the data that the file loads, for codec `compact`.
    pub fn loaded_window(&self) -> Range<u32> {
        self.image.loaded_window()
    }

    /// What the user should know of a recording by this recorder, though the board may run it.
    pub fn warnings(&self, recorder: &RecorderConfig) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.image.compressed() && !recorder.compressed {
            warnings.push(format!(
                "{} contains compressed instructions (the C extension), which this recorder cannot \
                 record; {WITHOUT_C}, or use a recorder of `lookback rtl --preset recorder`",
                self.elf.name
            ));
        }
        warnings
    }

    /// Refuses what a simulated board with this core would not run.
    pub fn suits(&self, core: &CoreChoice) -> Result<()> {
        if !self.image.compressed() || core.takes_compressed() {
            return Ok(());
        }
        let (whose, what) = match core {
            CoreChoice::Named(name) => (name.as_str(), WITHOUT_C),
            _ => (
                "the simulated board's hart",
                "compile and link it with -march=rv32ima_zicsr_zifencei -mabi=ilp32",
            ),
        };
        bail!(
            "{} contains compressed instructions, but {whose} has no C extension; {what}",
            self.elf.name
        );
    }

    /// What goes into the RAM of a board whose hart is the project's own, as words by their offsets;
    /// refuses what does not fit.
    pub fn words(&self, ram_bytes: u32) -> Result<Vec<(u32, u32)>> {
        self.suits(&CoreChoice::Own)?;
        let ram = u64::from(RAM_BASE)..u64::from(RAM_BASE) + u64::from(ram_bytes);
        let segments = self.image.segments(ram.clone()).map_err(|error| {
            let by = match &error {
                Error::OutsideRam { start, end, .. } if *start >= ram.start => {
                    let needed = end - ram.start;
                    let over = needed.saturating_sub(ram_bytes.into());
                    format!(
                        ": it needs {needed} bytes and the board has {ram_bytes}, {over} too few"
                    )
                }
                _ => String::new(),
            };
            anyhow::anyhow!("{} does not fit: {error}{by}", self.elf.name)
        })?;
        self.begins(&segments)?;
        let mut words = std::collections::BTreeMap::new();
        for segment in &segments {
            for (at, byte) in (segment.addr - RAM_BASE..).zip(&segment.bytes) {
                *words.entry(at & !3).or_insert(0) |= u32::from(*byte) << (8 * (at & 3));
            }
        }
        Ok(words.into_iter().collect())
    }

    /// What a simulated board loads; refuses what does not fit.
    pub fn segments(&self, ram_bytes: u32) -> Result<Vec<Segment>> {
        let ram = u64::from(RAM_BASE)..u64::from(RAM_BASE) + u64::from(ram_bytes);
        let segments = self.image.segments(ram.clone()).map_err(|error| {
            let hint = match &error {
                Error::OutsideRam { start, end, .. } if *start >= ram.start => {
                    more_ram(end - ram.start)
                }
                _ => String::new(),
            };
            anyhow::anyhow!("{} does not fit: {error}{hint}", self.elf.name)
        })?;
        self.begins(&segments)?;
        Ok(segments)
    }

    /// Refuses what has no first instruction.
    fn begins(&self, segments: &[Segment]) -> Result<()> {
        let begins = |segment: &Segment| {
            let end = u64::from(segment.addr) + segment.bytes.len() as u64;
            segment.addr <= RAM_BASE && u64::from(RAM_BASE) + 4 <= end
        };
        if !segments.iter().any(begins) {
            bail!(
                "{} has nothing at {RAM_BASE:#010x}, where the board's hart begins; put its start \
                 code first in the linker script",
                self.elf.name
            );
        }
        Ok(())
    }
}

fn more_ram(needed: u64) -> String {
    let kilobytes = needed.div_ceil(1024).next_power_of_two().max(64);
    if kilobytes > MOST_RAM_KB {
        return " (16M is the most it can have)".into();
    }
    format!(": --ram {kilobytes}K would do")
}
