//! `lookback repair`: what is whole in a damaged recording, as a recording.

use super::open::{flaws, whole_intervals, Unusable};
use super::{print, Outcome};
use crate::text::plural;
use anyhow::{bail, Context, Result};
use lookback_log_format::container::{
    read, whole_chunks, Chunk, Found, RawChunk, Writer, FILE_HEADER_LEN, MAGIC,
};
use lookback_log_format::FORMAT_VERSION;
use lookback_replay::Recording;
use std::path::{Path, PathBuf};

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
        gone,
        recording,
    } = repair(&name, &bytes)?;
    if gone.is_empty() && args.output.is_none() {
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
    for gone in &gone {
        print(format_args!("  gone: {gone}"))?;
    }
    for flaw in flaws(&recording) {
        print(format_args!("  {flaw}"))?;
    }
    Ok(Outcome::Fine)
}

/// What could be saved.
struct Repaired {
    file: Vec<u8>,
    gone: Vec<String>,
    recording: Recording,
}

fn repair(name: &str, bytes: &[u8]) -> Result<Repaired> {
    let mut header = MAGIC.to_vec();
    header.extend(FORMAT_VERSION.to_le_bytes());
    header.extend([0, 0]);
    let mut gone = Vec::new();
    let mut sound = bytes.to_vec();
    if let Some(start) = sound
        .get_mut(..FILE_HEADER_LEN)
        .filter(|s| !s.starts_with(&MAGIC))
    {
        start.copy_from_slice(&header);
        gone.push(format!(
            "the first {FILE_HEADER_LEN} bytes, the file's header, which is known"
        ));
    }
    let chunks = whole_chunks(&sound);
    if chunks.is_empty() {
        bail!(Unusable::new(name, "no part of it is a recording".into()));
    }
    let found = read(&sound).with_context(|| name.to_string())?;
    let mut damage: Vec<(u64, u64, String)> = found
        .into_iter()
        .filter_map(|found| match found {
            Found::Damaged { offset, len, why } => Some((offset, len, why)),
            _ => None,
        })
        .collect();
    damage.sort();
    gone.extend(
        damage
            .iter()
            .map(|(offset, len, why)| format!("{} at byte {offset}: {why}", plural(*len, "byte"))),
    );
    let file = assemble(&chunks, &damage)?;
    let recording = match Recording::from_bytes(&file) {
        Ok(recording) => recording,
        Err(error) => bail!(Unusable::new(
            name,
            format!("{error}: no interval in it can be used")
        )),
    };
    Ok(Repaired {
        file,
        gone,
        recording,
    })
}

/// The chunks that are whole, with a note where others were.
fn assemble(chunks: &[RawChunk], damage: &[(u64, u64, String)]) -> Result<Vec<u8>> {
    let mut writer = Writer::new(Vec::new())?;
    let mut damage = damage.iter().peekable();
    let mut until = 0;
    for chunk in chunks {
        while let Some((offset, len, why)) = damage.next_if(|damage| damage.0 <= chunk.offset) {
            until = until.max(offset + len);
            writer.put(&Chunk::Loss {
                hart: 0,
                frames: 0,
                text: format!("{len} bytes at byte {offset} of the damaged file: {why}"),
            })?;
        }
        if chunk.offset >= until {
            writer.put_raw(chunk)?;
        }
    }
    // Behind the last whole chunk there is nothing to mark: the recording just ends there.
    Ok(std::mem::take(writer.get_mut()))
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
