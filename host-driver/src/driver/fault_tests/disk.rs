//! A disk that can lose power.

use crate::driver::disk::Sink;
use crate::transport::faults::Random;
use std::io::{self, Write};

/// A disk that takes its time, and may lose what it was not given time for.
pub struct Disk {
    pub bytes: Vec<u8>,
    pub safe: usize,
    asked: Option<(usize, u64)>,
    random: Random,
}

impl Disk {
    pub fn new(seed: u64) -> Self {
        Self {
            bytes: Vec::new(),
            safe: 0,
            asked: None,
            random: Random::new(seed),
        }
    }

    /// The power goes: of what was not synced, a part is gone.
    pub fn cut(&mut self) {
        let unsure = (self.bytes.len() - self.safe) as u64;
        let left = self.safe + self.random.below(unsure + 1) as usize;
        self.bytes.truncate(left);
        self.safe = left;
        self.asked = None;
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Disk {
    fn begin_sync(&mut self) -> io::Result<()> {
        if self.asked.is_none() {
            self.asked = Some((self.bytes.len(), self.random.below(4)));
        }
        Ok(())
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        match &mut self.asked {
            Some((bytes, 0)) => {
                self.safe = *bytes;
                self.asked = None;
            }
            Some((_, time)) => *time -= 1,
            None => {}
        }
        Ok(self.safe as u64)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.safe = self.bytes.len();
        Ok(())
    }
}

/// The same disk for whoever goes on with the file that is on it.
pub struct Rest<'a>(pub &'a mut Disk, pub usize);

impl Write for Rest<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Rest<'_> {
    fn begin_sync(&mut self) -> io::Result<()> {
        self.0.begin_sync()
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        Ok((self.0.on_disk()? as usize).saturating_sub(self.1) as u64)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}
