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

#[cfg(test)]
mod tests {
    use super::*;
    use lookback_log_format::interval::EndReason;
    use lookback_log_format::stream;
    use proptest::prelude::*;

    fn kinds(len: usize) -> Vec<u8> {
        let frames = Framer::new(0).log_record(&vec![0; len]);
        frames.iter().map(|frame| frame.kind).collect()
    }

    #[test]
    fn first_and_last_are_marked() {
        assert_eq!(kinds(1), [0x13]);
        assert_eq!(kinds(240), [0x13]);
        assert_eq!(kinds(241), [0x11, 0x12]);
        assert_eq!(kinds(480), [0x11, 0x12]);
        assert_eq!(kinds(481), [0x11, 0x10, 0x12]);
    }

    #[test]
    fn all_frames_share_one_number() {
        let mut framer = Framer::new(2);
        let end = End {
            reason: EndReason::RunEnded,
            code: 0x5555,
            retired: 0,
            cycles: 0,
            stalls: 0,
            lost: 0,
            fired: None,
            breach: None,
        };
        let mut seqs = vec![framer.reply(0, 1).seq];
        assert!(framer.log(1, false).is_none());
        seqs.push(framer.reply(0, 1).seq);
        seqs.extend(framer.log(2, true).map(|frame| frame.seq));
        seqs.push(framer.end(&end).seq);
        assert_eq!(seqs, [0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn it_cuts_as_log_format_does(
            records in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..800), 1..5),
        ) {
            let mut framer = Framer::new(1);
            let mut seq = 0;
            for record in records {
                let frames = framer.log_record(&record);
                prop_assert_eq!(&frames, &stream::to_frames(1, seq, &record));
                seq += frames.len() as u16;
            }
        }
    }
}
