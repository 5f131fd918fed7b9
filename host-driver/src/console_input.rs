//! What the user types for the firmware: stdin, read aside so that nobody waits for it.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};

/// Bytes from stdin as they come; after its end there are simply no more.
pub struct ConsoleInput {
    bytes: Receiver<Vec<u8>>,
}

impl ConsoleInput {
    /// Begins to read stdin.
    pub fn from_stdin() -> Self {
        Self::new(io::stdin())
    }

    fn new(mut source: impl Read + Send + 'static) -> Self {
        let (sender, bytes) = mpsc::sync_channel(16);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match source.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return,
                    Ok(count) => {
                        if sender.send(buffer[..count].to_vec()).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Self { bytes }
    }

    /// What has come since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        self.bytes.try_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn all_input_arrives_and_its_end_is_no_error() {
        let mut input = ConsoleInput::new(&b"hello\n"[..]);
        let mut got = Vec::new();
        while got.len() < 6 {
            got.extend(input.take());
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(got, b"hello\n");
        assert!(input.take().is_empty());
    }
}
