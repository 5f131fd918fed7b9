//! `lookback export`: a moment of a recording, or its firmware, as a file for other tools.

use super::open::{flaws, tell_flaws, OpenArgs, Opened, Unusable};
use super::Outcome;
use crate::text::{count, parse_memory};
use anyhow::{bail, Context, Result};
use lookback_debugger::core_file::core_file;
use lookback_debugger::gdb::crash_of;
use lookback_debugger::others::Others;
use lookback_debugger::{Symbols, Timeline};
use lookback_replay::order::Shared;
use lookback_replay::Recording;
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
    /// The moment of the core file: the number of the instruction that comes next, `crash` or `end`;
    /// of several harts in their order, instructions of all are counted. [default: the crash, or the
    /// end if there was none]
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
    let others = Others::open(recording, &image);
    let shared = match &others {
        Some(others) => gather(args.at.as_deref(), file, recording, others, &mut harts)?,
        None => {
            for hart in &mut harts {
                alone(args.at.as_deref(), file, recording, hart)?;
            }
            None
        }
    };
    for note in harts.iter_mut().flat_map(Timeline::take_notes) {
        eprintln!("lookback: {note}");
    }
    write(path, &core_file(&mut harts, &image, shared.as_ref()))?;
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

/// A hart goes where it is to be shown.
fn alone(at: Option<&str>, file: &str, recording: &Recording, hart: &mut Timeline) -> Result<()> {
    match at {
        None => drop(crash_of(hart, recording)),
        Some("crash") if crash_of(hart, recording) => {}
        Some("crash") => bail!("{file}: hart {} did not crash", hart.hart()),
        Some("end") => hart.goto_end(&mut || false)?,
        Some(number) => {
            let moment = moment(number)?;
            hart.goto(moment, &mut || false)
                .with_context(|| format!("cannot go to instruction {moment} of {file}"))?;
        }
    }
    Ok(())
}

/// All harts go where they were at one moment of their order; the one that crashed comes first. Gives the
/// memory that they shared then.
fn gather(
    at: Option<&str>,
    file: &str,
    recording: &Recording,
    others: &Others<'_>,
    harts: &mut [Timeline<'_>],
) -> Result<Option<Shared>> {
    let crashed = |harts: &mut [Timeline<'_>]| {
        let mut first: Option<(u64, u8)> = None;
        for hart in harts {
            if crash_of(hart, recording) {
                let moment = others.moment(hart.hart(), hart.now());
                let this = moment.map(|moment| (moment, hart.hart()));
                first = first.into_iter().chain(this).min();
            }
        }
        first
    };
    let moment = match at {
        None | Some("crash") => match crashed(harts) {
            Some((moment, crashed)) => {
                harts.sort_by_key(|hart| (hart.hart() != crashed, hart.hart()));
                moment
            }
            None if at.is_some() => bail!("{file}: no hart crashed"),
            None => others.length(),
        },
        Some("end") => others.length(),
        Some(number) => moment(number)?,
    };
    if moment > others.length() {
        bail!(
            "{file}: the order of its harts has {} instructions",
            count(others.length())
        );
    }
    let places = others.harts_at(moment);
    for hart in harts {
        let wanted = places.get(usize::from(hart.hart())).copied().unwrap_or(0);
        let wanted = wanted.clamp(hart.first(), hart.last());
        hart.goto(wanted, &mut || false)
            .with_context(|| format!("cannot show hart {} in {file}", hart.hart()))?;
    }
    Ok(others.memory_at(moment))
}

fn moment(number: &str) -> Result<u64> {
    number
        .parse()
        .ok()
        .with_context(|| format!("`{number}` is no moment; give a number, `crash` or `end`"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
