//! A board at the other end of a pty: the twin of the board's link, with the log of a real run.

// Each test file is a program of its own and uses another part of this.
#![allow(dead_code)]

use lookback_log_format::container::{self, Chunk, Found};
use lookback_log_format::frame::End;
use lookback_log_format::RecorderConfig;
use lookback_model::link::Link;
use lookback_sim::pty::Pty;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// What a recording was made of.
pub struct Log {
    pub config: RecorderConfig,
    pub records: Vec<Vec<u8>>,
    pub end: End,
}

/// Takes a recording apart.
pub fn log(recording: &[u8]) -> Log {
    let (mut config, mut records, mut end) = (None, Vec::new(), None);
    for found in container::read(recording).unwrap() {
        match found {
            Found::Chunk { chunk, .. } => match chunk {
                Chunk::Config(found) => config = Some(found),
                Chunk::Record { record, .. } => records.push(record.to_bytes()),
                Chunk::End(found) => end = Some(found),
                _ => {}
            },
            other => panic!("{other:?}"),
        }
    }
    Log {
        config: config.unwrap(),
        records,
        end: end.unwrap(),
    }
}

/// A board that runs beside the test.
pub struct Board {
    pub port: String,
    reset: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Board {
    /// Starts a board that says the log of `recording`, with a pause after each frame.
    pub fn start(recording: &[u8], ring_bits: u8, baud: u32, pause: Duration) -> Self {
        let mut log = log(recording);
        log.config.ring_bits = ring_bits;
        let mut pty = Pty::open(baud).unwrap();
        let port = pty.path().to_str().unwrap().to_owned();
        let reset = Arc::new(AtomicBool::new(false));
        let over = Arc::new(AtomicBool::new(false));
        let (resets, ends) = (Arc::clone(&reset), Arc::clone(&over));
        std::thread::spawn(move || {
            let mut twin = Link::new(&log.config);
            let bytes = log.records.iter().flat_map(|record| {
                let last = record.len() - 1;
                record.iter().enumerate().map(move |(n, &b)| (b, n == last))
            });
            let mut bytes = bytes.peekable();
            while !ends.load(Ordering::Relaxed) {
                if resets.swap(false, Ordering::Relaxed) {
                    twin.reset();
                }
                for byte in pty.receive().unwrap() {
                    twin.hear(byte);
                }
                while twin.recording() && bytes.next_if(|&(b, last)| twin.write(b, last)).is_some()
                {
                }
                if twin.recording() && bytes.peek().is_none() {
                    twin.end(log.end);
                }
                match twin.speak() {
                    Some(frame) => {
                        pty.send(&frame.to_wire()).unwrap();
                        std::thread::sleep(pause);
                    }
                    None => std::thread::sleep(Duration::from_millis(1)),
                }
            }
        });
        Self { port, reset, over }
    }

    /// Presses the button.
    pub fn reset(&self) {
        self.reset.store(true, Ordering::Relaxed);
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
