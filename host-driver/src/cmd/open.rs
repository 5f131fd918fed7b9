//! Opening a recording, for every command that reads one.

use crate::driver::breach;
use crate::text::plural;
use anyhow::{Context, Result};
use lookback_log_format::container::{FILE_HEADER_LEN, MAGIC};
use lookback_log_format::interval::Record;
use lookback_log_format::registers::CONTROL_RING;
use lookback_log_format::{Error as FormatError, FORMAT_VERSION};
use lookback_replay::recording::{Damage, HartLog};
use lookback_replay::{Error, Image, Recording};
use std::path::PathBuf;
use std::sync::Arc;

/// Flaws of one kind that are told one by one.
const MOST_TOLD: usize = 10;

/// Which recording to read.
#[derive(Debug, clap::Args)]
pub struct OpenArgs {
    /// The recording.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The firmware; refused unless it is the one that was recorded.
    #[arg(long, value_name = "FILE")]
    pub elf: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// A recording as far as it can be read.
pub struct Opened {
    /// What is in it.
    pub recording: Recording,
    /// The firmware; an error if the recording's copy is damaged and none was given.
    pub image: Result<Arc<Image>, Error>,
    /// The firmware's file.
    pub elf: Vec<u8>,
}

/// A file of which nothing can be used, though it is a recording.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct Unusable {
    file: String,
    why: String,
}

impl Unusable {
    /// Nothing of `file` can be used, because of `why`.
    pub fn new(file: &str, why: String) -> Self {
        Self {
            file: file.into(),
            why,
        }
    }
}

impl Opened {
    /// The firmware, for commands that replay; [`Unusable`] without it or without any interval.
    pub fn replayable(&self, file: &str) -> Result<Arc<Image>, Unusable> {
        let image = match &self.image {
            Ok(image) => Arc::clone(image),
            Err(error) => return Err(Unusable::new(file, error.to_string())),
        };
        if self.recording.harts.is_empty() {
            let mut why = vec!["there is no interval to replay".to_owned()];
            why.extend(flaws(&self.recording));
            return Err(Unusable::new(file, why.join("\n  ")));
        }
        Ok(image)
    }
}

impl OpenArgs {
    /// Reads the recording and checks the ELF that was given. [`Unusable`] is among the errors.
    pub fn open(&self) -> Result<Opened> {
        let name = self.file.display().to_string();
        let bytes = std::fs::read(&self.file).with_context(|| format!("cannot read {name}"))?;
        let recording = match Recording::from_bytes(&bytes) {
            Ok(recording) => recording,
            Err(Error::Format(FormatError::NotARecording)) => repaired(bytes, &name)?,
            Err(error @ Error::NoConfig(_)) => {
                let why = format!("{error}: no interval in it can be used");
                return Err(Unusable::new(&name, why).into());
            }
            Err(error) => return Err(error).context(name),
        };
        let given = match &self.elf {
            Some(path) => {
                let bytes = std::fs::read(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Some((path.display().to_string(), bytes))
            }
            None => None,
        };
        let pair = given
            .as_ref()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let image = recording.image(pair);
        let image = match image {
            Err(error) if given.is_some() => return Err(error.into()),
            image => image,
        };
        let elf = match (given, &recording.elf) {
            (Some((_, bytes)), _) => bytes,
            (None, Some(elf)) => elf.bytes.clone(),
            (None, None) => Vec::new(),
        };
        Ok(Opened {
            recording,
            image,
            elf,
        })
    }
}

/// A recording whose very first bytes are cut or damaged is still known by the chunks that follow.
fn repaired(mut bytes: Vec<u8>, name: &str) -> Result<Recording> {
    let mut header = MAGIC.to_vec();
    header.extend(FORMAT_VERSION.to_le_bytes());
    header.extend([0, 0]);
    if header.starts_with(&bytes) {
        let why = format!(
            "the file ends after {} bytes: there is no interval in it",
            bytes.len()
        );
        return Err(Unusable::new(name, why).into());
    }
    let refuse = || anyhow::anyhow!("{name}: {}", FormatError::NotARecording);
    let start = bytes.get_mut(..FILE_HEADER_LEN).ok_or_else(refuse)?;
    start.copy_from_slice(&header);
    let mut recording = Recording::from_bytes(&bytes).map_err(|_| refuse())?;
    recording.damage.insert(
        0,
        Damage {
            offset: 0,
            len: FILE_HEADER_LEN as u64,
            why: "the file's header is damaged".into(),
        },
    );
    Ok(recording)
}

/// What keeps a recording from being complete, in words; gaps are not among it, since a recorder
/// that was told not to hold the hart makes them by design.
pub fn flaws(recording: &Recording) -> Vec<String> {
    let mut flaws = Vec::new();
    let damage = recording.damage.iter().map(|damage| {
        let Damage { offset, len, why } = damage;
        format!("damaged: {len} bytes at byte {offset}: {why}")
    });
    tell_some(&mut flaws, damage);
    for log in &recording.harts {
        let first = log.records.first().map_or(0, Record::index);
        let ring = recording.config.control & CONTROL_RING != 0;
        if let Some(last) = first.checked_sub(1).filter(|_| !ring) {
            flaws.push(missing(log, 0, last));
        }
        // In a ring intervals give way; what the link lost says so itself.
        let holes = log.missing();
        let holes = holes.into_iter().filter(|_| !ring).collect::<Vec<_>>();
        tell_some(
            &mut flaws,
            holes
                .into_iter()
                .map(|(first, last)| missing(log, first, last)),
        );
        let orphans = log.orphans();
        if !orphans.is_empty() {
            flaws.push(format!(
                "unusable: intervals {} of hart {}, which go on from one that is missing",
                ranges(orphans),
                log.hart
            ));
        }
    }
    let losses = recording.losses.iter();
    tell_some(
        &mut flaws,
        losses.map(|loss| format!("lost on the way: {}", loss.text)),
    );
    flaws.extend(missing_end(recording));
    let breach = recording.end.as_ref().and_then(|end| end.breach.as_ref());
    flaws.extend(breach.map(|breach| format!("breach: {}", breach::describe(breach))));
    flaws
}

/// A file of nothing but damage must not fill the screen.
fn tell_some(flaws: &mut Vec<String>, all: impl ExactSizeIterator<Item = String>) {
    let untold = all.len().saturating_sub(MOST_TOLD);
    flaws.extend(all.take(MOST_TOLD));
    if untold > 0 {
        flaws.push(format!("… and {untold} more of these"));
    }
}

/// What is not there after the last interval that is.
fn missing_end(recording: &Recording) -> Option<String> {
    let after = |log: &HartLog| {
        let last = log.records.last().map_or(0, Record::index);
        format!("interval {last} of hart {}", log.hart)
    };
    let Some(end) = &recording.end else {
        let last: Vec<_> = recording.harts.iter().map(after).collect();
        let last = match last.as_slice() {
            [] => "there is no interval in it".into(),
            last => format!("nothing after {} is in it", last.join(" and ")),
        };
        return Some(format!("cut off: the recording has no end; {last}"));
    };
    match recording.harts.as_slice() {
        [] if end.retired > 0 => Some(format!(
            "missing: all intervals ({})",
            plural(end.retired, "instruction")
        )),
        [log] => {
            let reached = log.records.last().map_or(0, end_of);
            let rest = end.retired.checked_sub(reached).filter(|&rest| rest > 0)?;
            Some(format!(
                "missing: all intervals after {} ({})",
                after(log),
                plural(rest, "instruction")
            ))
        }
        _ => None,
    }
}

/// Retirements since recording began, at the end of an interval or gap.
fn end_of(record: &Record) -> u64 {
    match record {
        Record::Interval(interval) => {
            let instructions = interval.trailer.instructions.into();
            interval.header.retired.saturating_add(instructions)
        }
        Record::Gap(gap) => gap.retired.saturating_add(gap.lost.into()),
        Record::Order(_) => 0,
    }
}

/// The intervals that are in the file and whole, in words.
pub fn whole_intervals(recording: &Recording) -> String {
    let harts: Vec<_> = recording
        .harts
        .iter()
        .map(|log| {
            let orphans = log.orphans();
            let indices = log.intervals().map(|i| i.header.index);
            let indices = ranges(indices.filter(|index| orphans.binary_search(index).is_err()));
            format!("{indices} of hart {}", log.hart)
        })
        .collect();
    if harts.is_empty() {
        return "none".into();
    }
    harts.join("; ")
}

/// What to tell on stderr about a recording that has flaws, for commands that print something else.
pub fn tell_flaws(file: &str, recording: &Recording, flaws: &[String]) {
    if flaws.is_empty() {
        return;
    }
    eprintln!(
        "lookback: {file} is not whole; intervals that are: {}",
        whole_intervals(recording)
    );
    for flaw in flaws {
        eprintln!("  {flaw}");
    }
}

fn missing(log: &HartLog, first: u32, last: u32) -> String {
    format!("missing: {} of hart {}", intervals(first, last), log.hart)
}

fn intervals(first: u32, last: u32) -> String {
    if first == last {
        format!("interval {first}")
    } else {
        format!("intervals {first} to {last}")
    }
}

/// Numbers as ranges: "0 to 4, 6, 8 to 11".
pub fn ranges(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let texts: Vec<_> = runs
        .into_iter()
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first} to {last}")
            }
        })
        .collect();
    if texts.is_empty() {
        return "none".into();
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_ranges() {
        assert_eq!(ranges([]), "none");
        assert_eq!(ranges([3]), "3");
        assert_eq!(ranges([0, 1, 2, 4, 6, 7]), "0 to 2, 4, 6 to 7");
    }
}
