//! The `.lbk` file: section 7 of the format.

mod checks;
mod pieces;
mod scan;

use crate::frame::End;
use crate::interval::Record;
use crate::{Error, RecorderConfig, Result, CRC, FORMAT_VERSION};
use checks::Checks;
use flate2::{read::DeflateDecoder, write::DeflateEncoder, Compression};
pub use pieces::Piece;
use pieces::Pieces;
pub use scan::{whole_chunks, RawChunk, Scan};
use std::io::{self, Read, Write};
use std::ops::Range;

/// The first bytes of every recording.
pub const MAGIC: [u8; 4] = *b"LBK\x1a";
/// Magic, version, two zero bytes.
pub const FILE_HEADER_LEN: usize = 8;
/// Those two.
const HEADER_ZEROS: Range<usize> = 6..8;
/// Kind, zeros and length.
const CHUNK_HEADER_LEN: usize = 8;
/// The name of a recording over an acknowledged link.
const STREAM_LEN: usize = 4;
const CRC_LEN: usize = 4;
/// ELFs beyond this are refused, so that a small file cannot ask for all memory.
pub const MAX_ELF: u32 = 256 << 20;

mod chunk {
    pub const CONFIG: u8 = 1;
    pub const ELF: u8 = 2;
    pub const INTERVAL: u8 = 3;
    pub const CONSOLE: u8 = 4;
    pub const LOSS: u8 = 5;
    pub const END: u8 = 6;
    pub const PIECE: u8 = 7;
    pub const STREAM: u8 = 8;
}

/// The ELF that a recording belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elf {
    /// File name, without folders.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// One chunk of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Recorder configuration.
    Config(RecorderConfig),
    /// The firmware.
    Elf(Elf),
    /// An interval or gap of a hart.
    Record {
        /// Which hart.
        hart: u8,
        /// Its interval or gap.
        record: Record,
    },
    /// Console output.
    Console(Vec<u8>),
    /// Something was lost between board and file.
    Loss {
        /// Which hart, if it is known.
        hart: u8,
        /// Frames lost or damaged.
        frames: u32,
        /// For people.
        text: String,
    },
    /// The board said that the log is complete.
    End(End),
}

/// Writes a recording, chunk by chunk.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    written: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the file header.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        out.write_all(&FORMAT_VERSION.to_le_bytes())?;
        out.write_all(&[0, 0])?;
        Ok(Self {
            out,
            written: FILE_HEADER_LEN as u64,
        })
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The file behind.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Goes on with a file that has so many bytes, all of them whole chunks.
    pub fn resume(out: W, written: u64) -> Self {
        Self { out, written }
    }

    /// Appends one chunk.
    pub fn put(&mut self, chunk: &Chunk) -> io::Result<()> {
        let (kind, payload) = encode(chunk)?;
        self.append(kind, payload)
    }

    /// Appends a piece of the stream of an acknowledged link.
    pub fn put_piece(&mut self, piece: &Piece) -> io::Result<()> {
        self.append(chunk::PIECE, piece.to_bytes())
    }

    /// Appends the name of the recording on an acknowledged link.
    pub fn put_stream(&mut self, name: u32) -> io::Result<()> {
        self.append(chunk::STREAM, name.to_le_bytes().to_vec())
    }

    /// Appends a chunk as it is.
    pub fn put_raw(&mut self, chunk: &RawChunk) -> io::Result<()> {
        self.append(chunk.kind, chunk.payload.clone())
    }

    /// In a single write, so that a kill between chunks loses none.
    fn append(&mut self, kind: u8, payload: Vec<u8>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(payload.len() + CHUNK_HEADER_LEN + CRC_LEN);
        bytes.extend([kind, 0, 0, 0]);
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(payload);
        bytes.extend(CRC.checksum(&bytes).to_le_bytes());
        self.out.write_all(&bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

fn encode(chunk: &Chunk) -> io::Result<(u8, Vec<u8>)> {
    Ok(match chunk {
        Chunk::Config(config) => (chunk::CONFIG, config.to_bytes()),
        Chunk::Elf(elf) => (chunk::ELF, encode_elf(elf)?),
        Chunk::Record { hart, record } => {
            let mut payload = vec![*hart];
            payload.extend(record.to_bytes());
            (chunk::INTERVAL, payload)
        }
        Chunk::Console(bytes) => (chunk::CONSOLE, bytes.clone()),
        Chunk::Loss { hart, frames, text } => {
            let mut payload = vec![*hart];
            payload.extend(frames.to_le_bytes());
            payload.extend(text.as_bytes());
            (chunk::LOSS, payload)
        }
        Chunk::End(end) => (chunk::END, end.to_bytes()),
    })
}

fn encode_elf(elf: &Elf) -> io::Result<Vec<u8>> {
    let name = elf.name.as_bytes();
    let name = &name[..name.len().min(usize::from(u16::MAX))];
    let size = u32::try_from(elf.bytes.len())
        .ok()
        .filter(|&size| size <= MAX_ELF)
        .ok_or_else(|| io::Error::other("the ELF is larger than 256 MB"))?;
    let mut payload = size.to_le_bytes().to_vec();
    payload.extend(CRC.checksum(&elf.bytes).to_le_bytes());
    payload.extend((name.len() as u16).to_le_bytes());
    payload.extend(name);
    let mut deflate = DeflateEncoder::new(payload, Compression::default());
    deflate.write_all(&elf.bytes)?;
    deflate.finish()
}

/// What the reader found, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A chunk whose CRC holds and whose payload parses.
    Chunk {
        /// Byte offset in the file.
        offset: u64,
        /// The chunk.
        chunk: Chunk,
    },
    /// A chunk of a kind that this program does not know; skipped.
    Unknown {
        /// Byte offset in the file.
        offset: u64,
        /// Its kind.
        kind: u8,
    },
    /// Bytes that belong to no whole chunk.
    Damaged {
        /// Byte offset in the file.
        offset: u64,
        /// How many bytes.
        len: u64,
        /// What is wrong.
        why: String,
    },
}

/// Reads a whole recording from its bytes, in time that grows little faster than they do, whatever
/// they are.
pub fn read(bytes: &[u8]) -> Result<Vec<Found>> {
    check_file_header(bytes)?;
    let mut reader = Reader {
        bytes,
        checks: None,
        elf_room: MAX_ELF,
    };
    let mut found = Vec::new();
    if bytes[HEADER_ZEROS] != [0, 0] {
        found.push(Found::Damaged {
            offset: HEADER_ZEROS.start as u64,
            len: HEADER_ZEROS.len() as u64,
            why: "bytes of the file's header that are always zero".into(),
        });
    }
    let mut pieces = Pieces::default();
    let mut at = FILE_HEADER_LEN;
    while at < bytes.len() {
        match reader.chunk_at(at) {
            Some((chunk::STREAM, payload, next)) => {
                if payload.len() != STREAM_LEN {
                    found.push(Found::Damaged {
                        offset: at as u64,
                        len: (next - at) as u64,
                        why: "the name of a stream has four bytes".into(),
                    });
                }
                at = next;
            }
            Some((chunk::PIECE, payload, next)) => {
                let (offset, len) = (at as u64, (next - at) as u64);
                match Piece::from_bytes(payload, offset) {
                    Ok(piece) => found.extend(pieces.take(piece, offset, len)),
                    Err(error) => found.push(Found::Damaged {
                        offset,
                        len,
                        why: error.to_string(),
                    }),
                }
                at = next;
            }
            Some((kind, payload, next)) => {
                found.push(reader.parse(kind, payload, at as u64));
                at = next;
            }
            None => {
                let next = reader.next_chunk(at + 1);
                let why = if next == bytes.len() {
                    "the file ends within a chunk, or its last bytes are damaged"
                } else {
                    "these bytes are damaged"
                };
                found.push(Found::Damaged {
                    offset: at as u64,
                    len: (next - at) as u64,
                    why: why.into(),
                });
                at = next;
            }
        }
    }
    Ok(found)
}

/// Refuses what is no recording, and what a newer program made.
pub fn check_file_header(bytes: &[u8]) -> Result<()> {
    if bytes.len() < FILE_HEADER_LEN || bytes[..4] != MAGIC {
        return Err(Error::NotARecording);
    }
    let found = u16::from_le_bytes([bytes[4], bytes[5]]);
    if found > FORMAT_VERSION {
        return Err(Error::NewerVersion {
            found,
            known: FORMAT_VERSION,
        });
    }
    if found == 0 {
        return Err(Error::NotARecording);
    }
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Made at the first damage: without any, each chunk is summed once by itself.
    checks: Option<Checks<'a>>,
    /// What ELFs may still inflate to; a recording has one.
    elf_room: u32,
}

impl<'a> Reader<'a> {
    /// The chunk at an offset if it is whole: kind, payload and where the next one starts.
    fn chunk_at(&self, at: usize) -> Option<(u8, &'a [u8], usize)> {
        let header = self.bytes.get(at..at + CHUNK_HEADER_LEN)?;
        if header[1..4] != [0, 0, 0] || header[0] == 0 {
            return None;
        }
        let len = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let end = at.checked_add(CHUNK_HEADER_LEN)?.checked_add(len)?;
        let crc = self.bytes.get(end..end.checked_add(CRC_LEN)?)?;
        (crc == self.crc(at..end).to_le_bytes()).then(|| {
            let payload = &self.bytes[at + CHUNK_HEADER_LEN..end];
            (header[0], payload, end + CRC_LEN)
        })
    }

    fn crc(&self, range: Range<usize>) -> u32 {
        match &self.checks {
            Some(checks) => checks.crc(range),
            None => CRC.checksum(&self.bytes[range]),
        }
    }

    /// Where the first whole chunk begins, from an offset behind damage on; else the file's end.
    fn next_chunk(&mut self, from: usize) -> usize {
        let bytes = self.bytes;
        self.checks.get_or_insert_with(|| Checks::new(bytes));
        (from..bytes.len())
            .find(|&candidate| {
                // Only known kinds: a chance hit among other bytes is likelier than a new kind.
                (chunk::CONFIG..=chunk::STREAM).contains(&bytes[candidate])
                    && self.chunk_at(candidate).is_some()
            })
            .unwrap_or(bytes.len())
    }

    fn parse(&mut self, kind: u8, payload: &[u8], offset: u64) -> Found {
        let chunk = match kind {
            chunk::CONFIG => RecorderConfig::from_bytes(payload).map(Chunk::Config),
            chunk::ELF => parse_elf(payload, offset, &mut self.elf_room).map(Chunk::Elf),
            chunk::INTERVAL => parse_record(payload, offset),
            chunk::CONSOLE => Ok(Chunk::Console(payload.to_vec())),
            chunk::LOSS => parse_loss(payload, offset),
            chunk::END => End::from_bytes(payload).map(Chunk::End),
            kind => return Found::Unknown { offset, kind },
        };
        match chunk {
            Ok(chunk) => Found::Chunk { offset, chunk },
            Err(error) => Found::Damaged {
                offset,
                len: (payload.len() + CHUNK_HEADER_LEN + CRC_LEN) as u64,
                why: error.to_string(),
            },
        }
    }
}

fn bad(offset: u64, why: &str) -> Error {
    Error::BadChunk {
        offset,
        why: why.into(),
    }
}

fn parse_record(payload: &[u8], offset: u64) -> Result<Chunk> {
    let (&hart, bytes) = payload
        .split_first()
        .ok_or_else(|| bad(offset, "an empty interval"))?;
    let record = Record::from_bytes(bytes)?;
    Ok(Chunk::Record { hart, record })
}

fn parse_loss(payload: &[u8], offset: u64) -> Result<Chunk> {
    let Some((&[hart, a, b, c, d], text)) = payload.split_first_chunk::<5>() else {
        return Err(bad(offset, "a loss note without its numbers"));
    };
    Ok(Chunk::Loss {
        hart,
        frames: u32::from_le_bytes([a, b, c, d]),
        text: String::from_utf8_lossy(text).into_owned(),
    })
}

/// Inflates at most `room` bytes, and takes what it claims from it: many small chunks must not
/// become much work either.
fn parse_elf(payload: &[u8], offset: u64, room: &mut u32) -> Result<Elf> {
    let short = || bad(offset, "the ELF's size, CRC or name is cut off");
    let (&[a, b, c, d, e, f, g, h, n0, n1], rest) =
        payload.split_first_chunk::<10>().ok_or_else(short)?;
    let size = u32::from_le_bytes([a, b, c, d]);
    let crc = u32::from_le_bytes([e, f, g, h]);
    let name_len = usize::from(u16::from_le_bytes([n0, n1]));
    let (name, deflated) = rest.split_at_checked(name_len).ok_or_else(short)?;
    if size > MAX_ELF {
        return Err(bad(offset, "it claims an ELF of more than 256 MB"));
    }
    *room = room
        .checked_sub(size)
        .ok_or_else(|| bad(offset, "it holds more ELFs than a recording can"))?;
    let mut bytes = Vec::new();
    DeflateDecoder::new(deflated)
        .take(u64::from(size) + 1)
        .read_to_end(&mut bytes)
        .map_err(|_| bad(offset, "the ELF does not inflate"))?;
    if bytes.len() as u64 != u64::from(size) || CRC.checksum(&bytes) != crc {
        return Err(bad(
            offset,
            "the ELF has another size or CRC than the chunk says",
        ));
    }
    Ok(Elf {
        name: String::from_utf8_lossy(name).into_owned(),
        bytes,
    })
}
