//! The recording being written: every chunk reaches the file before the next byte is asked for.

use crate::text::plural;
use anyhow::{anyhow, bail, Context, Result};
use lookback_log_format::container::{Chunk, Elf, Writer};
use lookback_log_format::RecorderConfig;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Console output is kept back up to this size, so that single characters do not become chunks.
const CONSOLE_CHUNK: usize = 1024;

/// A file that grows by whole chunks.
pub struct Recording<W = File> {
    path: PathBuf,
    writer: Writer<W>,
    console: Vec<u8>,
    intervals: u64,
}

/// Refuses early what [`Recording::create`] would refuse late, when a board is already waiting.
pub fn check(path: &Path, force: bool) -> Result<()> {
    if path.is_dir() {
        bail!("{} is a folder; name a file with -o", path.display());
    }
    if !force && path.symlink_metadata().is_ok() {
        bail!("{}", exists(path));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => bail!(
            "cannot write {}: there is no folder {}",
            path.display(),
            folder.display()
        ),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> String {
    format!(
        "{} exists already; choose another name with -o, or overwrite it with --force",
        path.display()
    )
}

impl Recording {
    /// Creates the file with all that a reader needs to know first.
    pub fn create(path: &Path, force: bool, config: RecorderConfig, elf: Elf) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true);
        if force {
            options.create(true).truncate(true);
        } else {
            options.create_new(true);
        }
        let file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => anyhow!("{}", exists(path)),
            _ => anyhow!("cannot create {}: {error}", path.display()),
        })?;
        Self::begin(path, file, config, elf)
    }
}

impl<W: Write> Recording<W> {
    /// Begins a recording in `out`; `path` is for messages.
    pub fn begin(path: &Path, out: W, config: RecorderConfig, elf: Elf) -> Result<Self> {
        let writer = Writer::new(out)
            .map_err(|error| anyhow!("cannot write {}: {error}", path.display()))?;
        let mut recording = Self {
            path: path.into(),
            writer,
            console: Vec::new(),
            intervals: 0,
        };
        recording.append(&Chunk::Config(config))?;
        recording.append(&Chunk::Elf(elf))?;
        Ok(recording)
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes written.
    pub fn written(&self) -> u64 {
        self.writer.written()
    }

    /// Appends a chunk, after console output that came before it.
    pub fn put(&mut self, chunk: &Chunk) -> Result<()> {
        self.flush_console()?;
        self.append(chunk)
    }

    /// Keeps console output; it is written with the next chunk, or when there is much of it.
    pub fn console(&mut self, bytes: &[u8]) -> Result<()> {
        self.console.extend_from_slice(bytes);
        if self.console.len() >= CONSOLE_CHUNK {
            self.flush_console()?;
        }
        Ok(())
    }

    /// Writes what is still kept back.
    pub fn finish(&mut self) -> Result<()> {
        self.flush_console()?;
        self.writer
            .get_mut()
            .flush()
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn flush_console(&mut self) -> Result<()> {
        if self.console.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.console);
        self.append(&Chunk::Console(bytes))
    }

    fn append(&mut self, chunk: &Chunk) -> Result<()> {
        let kept = self.writer.written();
        self.writer.put(chunk).map_err(|error| {
            anyhow!(
                "cannot write {}: {error}; its first {kept} bytes, with {}, are kept and readable. \
                 Make room and record again",
                self.path.display(),
                plural(self.intervals, "interval")
            )
        })?;
        if let Chunk::Record { .. } = chunk {
            self.intervals += 1;
        }
        Ok(())
    }
}
