//! What is in a recording that is to be gone on with.

use super::disk::DiskFile;
use super::file::Recording;
use super::stream::Stream;
use super::summary::Summary;
use anyhow::{bail, Context, Result};
use lookback_log_format::container::{self, RawChunk, Scan};
use lookback_log_format::RecorderConfig;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// A recording that was cut off.
pub struct Past {
    /// The recorder that makes it.
    pub config: RecorderConfig,
    /// Its name on the board.
    pub name: u32,
    /// How far it has come.
    pub stream: Stream,
    /// What is in it.
    pub summary: Summary,
    /// Bytes of whole chunks.
    pub whole: u64,
    /// Bytes behind them, which a cut left.
    pub torn: u64,
}

impl Past {
    /// Reads a recording through, chunk by chunk.
    pub fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let length = file.metadata()?.len();
        let past = Self::from_source(path, BufReader::new(file), length)?;
        if past.torn > 0 && whole_chunks_after(path, past.whole)? {
            bail!(
                "{name} is damaged at byte {}, and not only at its end; `lookback repair {name}` makes \
                 a recording of what is whole",
                past.whole,
                name = path.display(),
            );
        }
        Ok(past)
    }

    /// Reads a recording of `length` bytes from a source; `path` is for messages.
    pub fn from_source(path: &Path, source: impl Read, length: u64) -> Result<Self> {
        let name = path.display();
        let mut scan = Scan::new(source)
            .with_context(|| format!("cannot read {name}"))?
            .with_context(|| name.to_string())?;
        let mut seen = Seen::new(path);
        while let Some(chunk) = scan
            .next_chunk()
            .with_context(|| format!("cannot read {name}"))?
        {
            seen.take(&chunk).with_context(|| name.to_string())?;
        }
        let whole = scan.whole();
        let torn = length.saturating_sub(whole);
        if seen.ended {
            bail!("{name} is complete: it has its end; there is nothing to resume");
        }
        let (Some(config), Some(stream_name)) = (seen.config, seen.name) else {
            bail!(
                "{name} cannot be resumed: it was not made over an acknowledged link, or ends before \
                 its log begins"
            );
        };
        Ok(Self {
            config,
            name: stream_name,
            stream: seen.stream,
            summary: seen.summary,
            whole,
            torn,
        })
    }

    /// Opens the file to append; what a cut left of a chunk is removed.
    pub fn append(&self, path: &Path) -> Result<Recording> {
        let cannot = || format!("cannot write {}", path.display());
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .with_context(cannot)?;
        file.set_len(self.whole).with_context(cannot)?;
        let mut file = file;
        file.seek(SeekFrom::End(0)).with_context(cannot)?;
        let out = DiskFile::new(file);
        let intervals = self.summary.intervals;
        Ok(Recording::resume(path, out, self.whole, intervals))
    }
}

struct Seen {
    config: Option<RecorderConfig>,
    name: Option<u32>,
    stream: Stream,
    summary: Summary,
    ended: bool,
}

impl Seen {
    fn new(path: &Path) -> Self {
        Self {
            config: None,
            name: None,
            stream: Stream::new(1),
            summary: Summary::new(path),
            ended: false,
        }
    }

    fn take(&mut self, chunk: &RawChunk) -> Result<()> {
        if let Some(config) = chunk.config() {
            if self.config.is_none() {
                let config = config?;
                self.stream = Stream::new(config.harts);
                self.config = Some(config);
            }
        } else if let Some(name) = chunk.stream() {
            self.name = Some(name);
        } else if let Some(piece) = chunk.piece() {
            let before = self.stream.wanted;
            for record in self.stream.known(&piece)? {
                self.summary.record(&record, record.to_bytes().len() as u64);
            }
            let missing = piece.offset.saturating_sub(before);
            if missing > 0 && before > 0 {
                let text = format!("{missing} bytes of the log are not in the file");
                self.summary.losses.push(text);
            }
        }
        self.ended |= chunk.is_end();
        Ok(())
    }
}

/// Whether a file has whole chunks behind bytes that are none.
fn whole_chunks_after(path: &Path, offset: u64) -> Result<bool> {
    let mut file = File::open(path)?;
    let mut bytes = vec![0; container::FILE_HEADER_LEN];
    file.read_exact(&mut bytes)?;
    file.seek(SeekFrom::Start(offset))?;
    file.read_to_end(&mut bytes)?;
    let found = container::read(&bytes)?;
    Ok(found
        .iter()
        .any(|found| matches!(found, container::Found::Chunk { .. })))
}
