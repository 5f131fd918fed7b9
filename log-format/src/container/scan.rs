//! Goes through a recording chunk by chunk without holding it in memory: for whoever wants to append
//! to one, or to save what is whole.

use super::{check_file_header, Piece, Reader};
use super::{CHUNK_HEADER_LEN, CRC_LEN, FILE_HEADER_LEN, MAX_ELF};
use crate::interval::Record;
use crate::{RecorderConfig, Result, CRC};
use std::io::{self, Read};

/// A chunk whose CRC holds; its payload is not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawChunk {
    /// Byte offset in the file.
    pub offset: u64,
    /// Its kind.
    pub kind: u8,
    /// Its payload.
    pub payload: Vec<u8>,
}

impl RawChunk {
    /// The configuration that it holds, if it is one.
    pub fn config(&self) -> Option<Result<RecorderConfig>> {
        (self.kind == super::chunk::CONFIG).then(|| RecorderConfig::from_bytes(&self.payload))
    }

    /// The piece that it holds, if it is one.
    pub fn piece(&self) -> Option<Piece> {
        let piece = (self.kind == super::chunk::PIECE)
            .then(|| Piece::from_bytes(&self.payload, self.offset));
        piece?.ok()
    }

    /// The name of the recording, if it holds that.
    pub fn stream(&self) -> Option<u32> {
        let name = (self.kind == super::chunk::STREAM).then_some(self.payload.as_slice())?;
        Some(u32::from_le_bytes(name.try_into().ok()?))
    }

    /// The interval or gap that it holds, and whose it is, if it holds one.
    pub fn record(&self) -> Option<(u8, Record)> {
        let payload = (self.kind == super::chunk::INTERVAL).then_some(self.payload.as_slice())?;
        let (&hart, bytes) = payload.split_first()?;
        Some((hart, Record::from_bytes(bytes).ok()?))
    }

    /// Whether it holds the firmware.
    pub fn is_elf(&self) -> bool {
        self.kind == super::chunk::ELF
    }

    /// Whether a recording has its kind but once.
    pub fn is_single(&self) -> bool {
        use super::chunk::{CONFIG, ELF, END, STREAM};
        [CONFIG, ELF, END, STREAM].contains(&self.kind)
    }

    /// Whether it says that the recording is complete.
    pub fn is_end(&self) -> bool {
        self.kind == super::chunk::END
    }

    /// Where the next chunk begins.
    pub fn end(&self) -> u64 {
        self.offset + (CHUNK_HEADER_LEN + self.payload.len() + CRC_LEN) as u64
    }
}

/// The chunks at the beginning of a recording, up to the first that is damaged or incomplete.
#[derive(Debug)]
pub struct Scan<R> {
    source: R,
    at: u64,
}

impl<R: Read> Scan<R> {
    /// Reads the file header; the inner error is about its contents.
    pub fn new(mut source: R) -> io::Result<Result<Self>> {
        let mut header = Vec::new();
        (&mut source)
            .take(FILE_HEADER_LEN as u64)
            .read_to_end(&mut header)?;
        Ok(check_file_header(&header).map(|()| Self {
            source,
            at: FILE_HEADER_LEN as u64,
        }))
    }

    /// Bytes of whole chunks so far, the file header included.
    pub fn whole(&self) -> u64 {
        self.at
    }

    /// The next chunk if it is whole.
    pub fn next_chunk(&mut self) -> io::Result<Option<RawChunk>> {
        let mut bytes = Vec::new();
        let mut fill = |bytes: &mut Vec<u8>, count: u64| -> io::Result<bool> {
            // Grows with what is there, not with what is claimed.
            Ok((&mut self.source).take(count).read_to_end(bytes)? as u64 == count)
        };
        if !fill(&mut bytes, CHUNK_HEADER_LEN as u64)? || bytes[0] == 0 || bytes[1..4] != [0; 3] {
            return Ok(None);
        }
        let len = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        if !fill(&mut bytes, u64::from(len) + CRC_LEN as u64)? {
            return Ok(None);
        }
        let crc = bytes.split_off(bytes.len() - CRC_LEN);
        if crc != CRC.checksum(&bytes).to_le_bytes() {
            return Ok(None);
        }
        let chunk = RawChunk {
            offset: self.at,
            kind: bytes[0],
            payload: bytes.split_off(CHUNK_HEADER_LEN),
        };
        self.at = chunk.end();
        Ok(Some(chunk))
    }
}

/// All chunks of a file whose CRC holds, whatever lies between them. The file header is not looked at.
pub fn whole_chunks(bytes: &[u8]) -> Vec<RawChunk> {
    let mut reader = Reader {
        bytes,
        checks: None,
        elf_room: MAX_ELF,
    };
    let mut chunks = Vec::new();
    let mut at = FILE_HEADER_LEN;
    while at < bytes.len() {
        at = match reader.chunk_at(at) {
            Some((kind, payload, next)) => {
                chunks.push(RawChunk {
                    offset: at as u64,
                    kind,
                    payload: payload.to_vec(),
                });
                next
            }
            None => reader.next_chunk(at + 1),
        };
    }
    chunks
}
