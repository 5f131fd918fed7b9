//! Cuts records into LOG frames and numbers everything that the board sends. Section 5 of the
//! format.

use lookback_log_format::frame::{kind, End, Frame, MAX_PAYLOAD};

/// The sender of one board. All its frames share one sequence number, whatever their type.
#[derive(Debug, Clone)]
pub struct Framer {
    hart: u8,
    seq: u16,
    payload: Vec<u8>,
    /// The next byte is the first of a record.
    at_start: bool,
    /// The frame being filled holds the first byte of its record.
    first: bool,
}

impl Framer {
    /// A framer after reset.
    pub fn new(hart: u8) -> Self {
        Self {
            hart,
            seq: 0,
            payload: Vec::new(),
            at_start: true,
            first: false,
        }
    }

    /// Takes one byte of a record; gives a frame when it is full or the record ends.
    pub fn log(&mut self, byte: u8, last: bool) -> Option<Frame> {
        self.first |= self.at_start;
        self.at_start = last;
        self.payload.push(byte);
        if !last && self.payload.len() < MAX_PAYLOAD {
            return None;
        }
        let mut marks = 0;
        if std::mem::take(&mut self.first) {
            marks |= kind::LOG_FIRST;
        }
        if last {
            marks |= kind::LOG_LAST;
        }
        let payload = std::mem::take(&mut self.payload);
        Some(self.frame(kind::LOG | marks, payload))
    }

    /// The frames of one whole record.
    pub fn log_record(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let last = bytes.len().saturating_sub(1);
        let numbered = bytes.iter().enumerate();
        numbered
            .filter_map(|(i, &byte)| self.log(byte, i == last))
            .collect()
    }

    /// The answer to READ or WRITE.
    pub fn reply(&mut self, register: u8, value: u32) -> Frame {
        let mut payload = vec![register];
        payload.extend(value.to_le_bytes());
        self.frame(kind::REPLY, payload)
    }

    /// The log is complete.
    pub fn end(&mut self, end: &End) -> Frame {
        self.frame(kind::END, end.to_bytes())
    }

    fn frame(&mut self, kind: u8, payload: Vec<u8>) -> Frame {
        let seq = self.seq;
        self.seq = seq.wrapping_add(1);
        Frame {
            kind,
            hart: self.hart,
            seq,
            payload,
        }
    }
}
