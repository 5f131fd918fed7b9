//! Where a recording's bytes end up, and which of them survive a power cut.
//!
//! A board forgets what the host has acknowledged, so an acknowledgement waits until the bytes are on
//! disk. Waiting takes time in which the link must not be left alone: a thread waits.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{channel, Receiver, Sender, TryRecvError};

/// A file, or what stands for one, that knows how much of it is safe.
pub trait Sink: Write {
    /// Asks for everything written so far to reach the disk; does not wait.
    fn begin_sync(&mut self) -> io::Result<()>;

    /// Bytes, counted from the first that was written here, that are known to be on disk.
    fn on_disk(&mut self) -> io::Result<u64>;

    /// Waits until everything is on disk.
    fn sync(&mut self) -> io::Result<()>;

    /// Removes what a write that failed has left behind the first `keep` bytes written here.
    fn cut(&mut self, _keep: u64) -> io::Result<()> {
        Ok(())
    }
}

/// Memory is as safe as it gets.
impl Sink for Vec<u8> {
    fn begin_sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn begin_sync(&mut self) -> io::Result<()> {
        (**self).begin_sync()
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        (**self).on_disk()
    }

    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }

    fn cut(&mut self, keep: u64) -> io::Result<()> {
        (**self).cut(keep)
    }
}

/// A real file.
pub struct DiskFile {
    file: File,
    written: u64,
    asked: u64,
    safe: u64,
    worker: Option<Worker>,
}

/// The thread that waits for the disk.
struct Worker {
    asks: Sender<u64>,
    answers: Receiver<io::Result<u64>>,
}

impl DiskFile {
    /// Counts from here on.
    pub fn new(file: File) -> Self {
        Self {
            file,
            written: 0,
            asked: 0,
            safe: 0,
            worker: None,
        }
    }
}

/// Makes a new file's name as safe as its contents.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

/// Pipes and devices cannot be synced, and need not be.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

impl Worker {
    fn new(file: File) -> Self {
        let (asks, inbox) = channel::<u64>();
        let (outbox, answers) = channel();
        std::thread::spawn(move || {
            for written in inbox {
                let answer = sync(&file).map(|()| written);
                if outbox.send(answer).is_err() {
                    break;
                }
            }
        });
        Self { asks, answers }
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for DiskFile {
    fn begin_sync(&mut self) -> io::Result<()> {
        // One at a time: the next one then covers all that came meanwhile.
        if self.asked > self.safe || self.written == self.safe {
            return Ok(());
        }
        if self.worker.is_none() {
            self.worker = Some(Worker::new(self.file.try_clone()?));
        }
        let asks = self.worker.as_ref().map(|worker| &worker.asks);
        if asks.is_some_and(|asks| asks.send(self.written).is_ok()) {
            self.asked = self.written;
        }
        Ok(())
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        let answer = self.worker.as_ref().map(|worker| worker.answers.try_recv());
        match answer {
            Some(Ok(Ok(safe))) => self.safe = self.safe.max(safe),
            Some(Ok(Err(error))) => return Err(error),
            // Nobody waits any more: the caller can.
            Some(Err(TryRecvError::Disconnected)) => self.sync()?,
            Some(Err(TryRecvError::Empty)) | None => {}
        }
        Ok(self.safe)
    }

    fn sync(&mut self) -> io::Result<()> {
        sync(&self.file)?;
        self.safe = self.written;
        Ok(())
    }

    fn cut(&mut self, keep: u64) -> io::Result<()> {
        let torn = self.written.saturating_sub(keep);
        let metadata = self.file.metadata()?;
        if torn > 0 && metadata.is_file() {
            self.file.set_len(metadata.len().saturating_sub(torn))?;
        }
        Ok(())
    }
}
