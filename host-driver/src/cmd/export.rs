//! `lookback export`: a moment of a recording, or its firmware, as a file for other tools.

use super::open::{flaws, tell_flaws, OpenArgs, Opened, Unusable};
use super::Outcome;
use crate::text::{count, parse_memory};
use anyhow::{bail, Context, Result};
use lookback_debugger::core_file::core_file;
use lookback_debugger::gdb::crash_of;
use lookback_debugger::{Symbols, Timeline};
use std::path::{Path, PathBuf};

/// Options of `lookback export`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The recording.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The firmware; refused unless it is the one that was recorded.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Write an ELF core file, for gdb: its registers and all memory that is known.
    #[arg(long, value_name = "FILE", required_unless_present = "firmware")]
    core: Option<PathBuf>,
    /// The moment of the core file: the number of the instruction that comes next, `crash` or `end`.
    /// [default: the crash, or the end if there was none]
    #[arg(long, value_name = "N")]
    at: Option<String>,
    /// Write the firmware's ELF, which is inside the recording.
    #[arg(long, value_name = "FILE")]
    firmware: Option<PathBuf>,
    /// Memory for the replay.
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = parse_memory)]
    memory: usize,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let file = args.file.display().to_string();
    let open = OpenArgs {
        file: args.file.clone(),
        elf: args.elf.clone(),
        json: false,
    };
    let opened = open.open()?;
    if let Some(path) = &args.firmware {
        opened
            .image
            .as_ref()
            .map_err(|error| Unusable::new(&file, error.to_string()))?;
        write(path, &opened.elf)?;
        eprintln!("lookback: {}: the firmware", path.display());
    }
    let flaws = flaws(&opened.recording);
    if let Some(path) = &args.core {
        export_core(args, &file, &opened, path)?;
    }
    tell_flaws(&file, &opened.recording, &flaws);
    Ok(Outcome::fine_if(flaws.is_empty()))
}

fn export_core(args: &Args, file: &str, opened: &Opened, path: &Path) -> Result<()> {
    let image = opened.replayable(file)?;
    let recording = &opened.recording;
    let share = args.memory / recording.harts.len().max(1);
    let mut harts = Vec::new();
    for log in &recording.harts {
        let timeline = Timeline::new(recording, &image, log, share);
        harts.push(timeline.map_err(|error| Unusable::new(file, error.to_string()))?);
    }
    for hart in &mut harts {
        match args.at.as_deref() {
            None => drop(crash_of(hart, recording)),
            Some("crash") if crash_of(hart, recording) => {}
            Some("crash") => bail!("{file}: hart {} did not crash", hart.hart()),
            Some("end") => hart.goto_end(&mut || false)?,
            Some(number) => {
                let moment = number.parse().ok().with_context(|| {
                    format!("`{number}` is no moment; give a number, `crash` or `end`")
                })?;
                hart.goto(moment, &mut || false)
                    .with_context(|| format!("cannot go to instruction {moment} of {file}"))?;
            }
        }
        for note in hart.take_notes() {
            eprintln!("lookback: {note}");
        }
    }
    write(path, &core_file(&mut harts, &image))?;
    let symbols = Symbols::load(&opened.elf);
    for hart in &harts {
        eprintln!(
            "lookback: {}: hart {} before instruction {}, at {:#010x} {}",
            path.display(),
            hart.hart(),
            count(hart.now()),
            hart.pc(),
            symbols.locate(hart.pc())
        );
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
