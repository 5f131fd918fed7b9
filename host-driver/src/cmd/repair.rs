//! `lookback repair`: what is whole in a damaged recording, as a recording.

mod tidy;

use super::open::{flaws, whole_intervals, Unusable};
use super::{print, Outcome};
use crate::text::plural;
use anyhow::{bail, Context, Result};
use lookback_log_format::container::{
    check_file_header, read, whole_chunks, Chunk, Found, Writer, FILE_HEADER_LEN, MAGIC,
};
use lookback_log_format::FORMAT_VERSION;
use lookback_replay::Recording;
use std::path::{Path, PathBuf};
use tidy::{tidy, Part};

/// Options of `lookback repair`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The recording.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write what is whole [default: in place of FILE, which is kept as FILE.damaged].
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let name = args.file.display().to_string();
    let bytes = std::fs::read(&args.file).with_context(|| format!("cannot read {name}"))?;
    let Repaired {
        file,
        told,
        recording,
    } = repair(&name, &bytes)?;
    if told.is_empty() && args.output.is_none() {
        print(format_args!(
            "{name}: nothing in it is damaged; it stays as it is"
        ))?;
    } else {
        let output = args.output.as_deref().unwrap_or(&args.file);
        write(&args.file, output, &file)?;
        print(format_args!(
            "{}: kept intervals {}",
            output.display(),
            whole_intervals(&recording)
        ))?;
    }
    for told in &told {
        print(format_args!("  {told}"))?;
    }
    for flaw in flaws(&recording) {
        print(format_args!("  {flaw}"))?;
    }
    Ok(Outcome::Fine)
}

/// What could be saved.
struct Repaired {
    file: Vec<u8>,
    /// What was done, and what is gone, in words.
    told: Vec<String>,
    recording: Recording,
}

fn repair(name: &str, bytes: &[u8]) -> Result<Repaired> {
    let mut header = MAGIC.to_vec();
    header.extend(FORMAT_VERSION.to_le_bytes());
    header.extend([0, 0]);
    let mut told = Vec::new();
    let mut sound = bytes.to_vec();
    if let Some(start) = sound
        .get_mut(..FILE_HEADER_LEN)
        .filter(|s| !s.starts_with(&MAGIC))
    {
        start.copy_from_slice(&header);
        told.push(format!(
            "gone: the first {FILE_HEADER_LEN} bytes, the file's header, which is known"
        ));
    }
    let chunks = whole_chunks(&sound);
    if chunks.is_empty() {
        bail!(Unusable::new(name, "no part of it is a recording".into()));
    }
    // Refuses what a newer program made.
    check_file_header(&sound).with_context(|| name.to_string())?;
    let tidy = tidy(chunks, sound.len() as u64);
    told.extend(tidy.done);
    let (file, gone) = assemble(tidy.parts)?;
    let outside = tidy.outside.into_iter().map(|(offset, len)| {
        let why = match offset {
            0..=8 => "nothing of a recording",
            _ => "the file ends within a chunk, or its last bytes are damaged",
        };
        (offset, len, why.to_string())
    });
    let mut gone: Vec<_> = gone.into_iter().chain(outside).collect();
    gone.sort();
    told.extend(gone.into_iter().map(|(offset, len, why)| {
        let bytes = plural(len, "byte");
        format!("gone: {bytes} at byte {offset}: {why}")
    }));
    let recording = match Recording::from_bytes(&file) {
        Ok(recording) => recording,
        Err(error) => bail!(Unusable::new(
            name,
            format!("{error}: no interval in it can be used")
        )),
    };
    Ok(Repaired {
        file,
        told,
        recording,
    })
}

/// What is no longer there: where it was, how long it was, and why it is not.
type Gone = (u64, u64, String);

/// The parts as a file, with a note where others were.
fn assemble(parts: Vec<Part>) -> Result<(Vec<u8>, Vec<Gone>)> {
    let (file, places) = write_all(&parts, &[])?;
    // Only now that all is in order can it be said which intervals are not whole.
    let damage = read(&file)?.into_iter().filter_map(|found| match found {
        Found::Damaged { offset, len, why } => Some((offset..offset + len, why)),
        Found::Chunk { .. } | Found::Unknown { .. } => None,
    });
    let damage: Vec<_> = damage.collect();
    let bad = |place: &u64| damage.iter().find(|(range, _)| range.contains(place));
    let bad: Vec<_> = places
        .iter()
        .map(|place| bad(place).map(|d| &d.1))
        .collect();
    let mut gone = Vec::new();
    for (part, bad) in parts.iter().zip(&bad) {
        match (part, bad) {
            (Part::Hole(offset, len), _) => {
                gone.push((*offset, *len, "these bytes are damaged".into()));
            }
            (Part::Chunk(chunk), Some(why)) => {
                let len = chunk.end() - chunk.offset;
                gone.push((chunk.offset, len, (*why).clone()));
            }
            (Part::Chunk(_), None) => {}
        }
    }
    let bad: Vec<_> = bad.iter().map(Option::is_some).collect();
    let (file, _) = write_all(&parts, &bad)?;
    Ok((file, joined(gone)))
}

/// A file of all parts but those that are bad, and where each of them is in it.
fn write_all(parts: &[Part], bad: &[bool]) -> Result<(Vec<u8>, Vec<u64>)> {
    let mut writer = Writer::new(Vec::new())?;
    let mut places = Vec::new();
    // One note for all that is missing at one place.
    let mut missing = 0;
    for (number, part) in parts.iter().enumerate() {
        let bad = bad.get(number).is_some_and(|&bad| bad);
        match part {
            Part::Chunk(chunk) if !bad => {
                note(&mut writer, &mut missing)?;
                places.push(writer.written());
                writer.put_raw(chunk)?;
            }
            Part::Chunk(chunk) => missing += chunk.end() - chunk.offset,
            Part::Hole(_, len) => missing += len,
        }
        places.resize(number + 1, u64::MAX);
    }
    note(&mut writer, &mut missing)?;
    Ok((std::mem::take(writer.get_mut()), places))
}

fn note(writer: &mut Writer<Vec<u8>>, missing: &mut u64) -> Result<()> {
    let missing = std::mem::take(missing);
    if missing > 0 {
        let text = format!("{} of the damaged file", plural(missing, "byte"));
        writer.put(&Chunk::Loss {
            hart: 0,
            frames: 0,
            text,
        })?;
    }
    Ok(())
}

/// Neighbours that are gone for the same reason, as one.
fn joined(mut gone: Vec<Gone>) -> Vec<Gone> {
    gone.sort();
    let mut all: Vec<Gone> = Vec::new();
    for (offset, len, why) in gone {
        match all.last_mut() {
            Some(last) if last.0 + last.1 == offset && last.2 == why => last.1 += len,
            _ => all.push((offset, len, why)),
        }
    }
    all
}

/// Never leaves less than there was: the new file is complete before the old one makes room.
fn write(old: &Path, output: &Path, bytes: &[u8]) -> Result<()> {
    let with = |suffix: &str| {
        let mut name = output.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let cannot = |path: &Path| format!("cannot write {}", path.display());
    if old != output && output.symlink_metadata().is_ok() {
        bail!(
            "{} exists already; choose another name with -o",
            output.display()
        );
    }
    let part = with(".part");
    std::fs::write(&part, bytes).with_context(|| cannot(&part))?;
    std::fs::File::open(&part)
        .and_then(|file| file.sync_all())
        .with_context(|| cannot(&part))?;
    if old == output {
        let kept = with(".damaged");
        if kept.symlink_metadata().is_ok() {
            bail!(
                "{} exists already; move it away, or name another file with -o",
                kept.display()
            );
        }
        std::fs::rename(old, &kept).with_context(|| cannot(&kept))?;
    }
    std::fs::rename(&part, output).with_context(|| cannot(output))
}
