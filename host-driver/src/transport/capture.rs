//! Bytes that somebody else caught at a recorder's stream port: a file, a pipe, or standard input.
//! They go one way, so the recording must have been started on the board.

use super::Link;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

/// Bytes read at once.
const PIECE: usize = 1 << 16;

/// A stream that can only be listened to.
pub struct Capture {
    source: Box<dyn Read>,
    name: String,
    buffer: Vec<u8>,
}

impl Capture {
    /// Listens to a file or pipe; `-` is standard input.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let source: Box<dyn Read> = if name == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).with_context(|| format!("cannot read {name}"))?)
        };
        let name = if name == "-" {
            "standard input".into()
        } else {
            name
        };
        Ok(Self::new(source, name))
    }

    /// Listens to any source.
    pub fn new(source: Box<dyn Read>, name: String) -> Self {
        Self {
            source,
            name,
            buffer: vec![0; PIECE],
        }
    }
}

impl Link for Capture {
    /// Nobody hears it.
    fn send(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, _: Duration) -> io::Result<()> {
        match self.source.read(&mut self.buffer) {
            Ok(0) => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the captured stream ends here",
            )),
            Ok(length) => {
                into.extend(&self.buffer[..length]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Time stands still: a stream that is slow, or paused, is not a silent board.
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
