//! The recording being written: whole chunks, appended in the order in which they come.
//!
//! Every chunk is handed to the system at once, so a killed program loses none. What a power cut may
//! take is what was not synced: on an acknowledged link that is never more than the board still has.

use super::disk::{sync_folder, DiskFile, Sink};
use crate::text::plural;
use anyhow::{anyhow, bail, Context, Result};
use lookback_log_format::container::{Chunk, Elf, Piece, Writer};
use lookback_log_format::RecorderConfig;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

/// Console output is kept back up to this size, so that single characters do not become chunks.
const CONSOLE_CHUNK: usize = 1024;

/// A file that grows by whole chunks.
pub struct Recording<W = DiskFile> {
    path: PathBuf,
    writer: Writer<W>,
    /// Bytes that were in the file before `writer` got it.
    before: u64,
    console: Vec<u8>,
    intervals: u64,
    /// The board keeps what is not in the file.
    resumable: bool,
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
        let recording = Self::begin(path, DiskFile::new(file), config, elf)?;
        // Some file systems cannot sync folders; the file itself is what matters.
        let _ = sync_folder(path);
        Ok(recording)
    }
}

impl<W: Sink> Recording<W> {
    /// Begins a recording in `out`; `path` is for messages.
    pub fn begin(path: &Path, out: W, config: RecorderConfig, elf: Elf) -> Result<Self> {
        let writer = Writer::new(out)
            .map_err(|error| anyhow!("cannot write {}: {error}", path.display()))?;
        let mut recording = Self {
            path: path.into(),
            writer,
            before: 0,
            console: Vec::new(),
            intervals: 0,
            resumable: false,
        };
        recording.append(&Chunk::Config(config))?;
        recording.append(&Chunk::Elf(elf))?;
        Ok(recording)
    }

    /// Goes on with a recording that has so many bytes and intervals; `out` appends to it.
    pub fn resume(path: &Path, out: W, bytes: u64, intervals: u64) -> Self {
        Self {
            path: path.into(),
            writer: Writer::resume(out, bytes),
            before: bytes,
            console: Vec::new(),
            intervals,
            resumable: true,
        }
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

    /// Appends a piece of a stream.
    pub fn piece(&mut self, piece: &Piece) -> Result<()> {
        self.flush_console()?;
        self.write(|writer| writer.put_piece(piece))?;
        self.intervals += u64::from(piece.last);
        Ok(())
    }

    /// Appends the name of the recording.
    pub fn stream(&mut self, name: u32) -> Result<()> {
        self.resumable = true;
        self.write(|writer| writer.put_stream(name))
    }

    /// Asks for everything written so far to reach the disk; does not wait.
    pub fn begin_sync(&mut self) -> Result<()> {
        let result = self.writer.get_mut().begin_sync();
        result.with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Bytes of the file that are known to be on disk.
    pub fn on_disk(&mut self) -> Result<u64> {
        let safe = self.writer.get_mut().on_disk();
        let safe = safe.with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(self.before + safe)
    }

    /// Writes what is still kept back, and waits until all of it is on disk.
    pub fn finish(&mut self) -> Result<()> {
        self.flush_console()?;
        let out = self.writer.get_mut();
        out.flush()
            .and_then(|()| out.sync())
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
        self.write(|writer| writer.put(chunk))?;
        self.intervals += u64::from(matches!(chunk, Chunk::Record { .. }));
        Ok(())
    }

    fn write(&mut self, put: impl FnOnce(&mut Writer<W>) -> io::Result<()>) -> Result<()> {
        let kept = self.writer.written();
        let Err(error) = put(&mut self.writer) else {
            return Ok(());
        };
        // What cannot be cut is still read as a recording that was.
        let _ = self.writer.get_mut().cut(kept - self.before);
        let path = self.path.display();
        let then = match self.resumable {
            true => format!("then go on: lookback record --resume --port PORT -o {path}"),
            false => "and record again".into(),
        };
        bail!(
            "cannot write {path}: {error}; its first {kept} bytes, with {}, are kept and readable. \
             Make room, {then}",
            plural(self.intervals, "interval")
        )
    }
}
