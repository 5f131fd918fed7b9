//! A `.lbk` file in memory: what is in it, and what is missing or damaged.

use crate::{Error, Image, Result};
use lookback_log_format::container::{self, Chunk, Elf, Found};
use lookback_log_format::frame::End;
use lookback_log_format::interval::{Interval, Record};
use lookback_log_format::order::{OrderKind, OrderRecord};
use lookback_log_format::{RecorderConfig, CRC};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// A part of the file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
    /// What is wrong.
    pub why: String,
}

/// Something that was lost between board and file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// Which hart.
    pub hart: u8,
    /// Frames lost or damaged.
    pub frames: u32,
    /// For people.
    pub text: String,
}

/// Intervals and gaps of one hart, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HartLog {
    /// Which hart.
    pub hart: u8,
    /// In the order in which they happened; indices only go up.
    pub records: Vec<Record>,
}

impl HartLog {
    /// The intervals, without gaps.
    pub fn intervals(&self) -> impl DoubleEndedIterator<Item = &Interval> + Clone {
        self.records.iter().filter_map(|record| match record {
            Record::Interval(interval) => Some(interval),
            Record::Gap(_) | Record::Order(_) => None,
        })
    }

    /// The records in pieces that can be replayed by themselves: a key interval with those that go
    /// on from it, or a gap.
    pub fn groups(&self) -> impl Iterator<Item = &[Record]> {
        let goes_on = |record: &Record| matches!(record, Record::Interval(i) if !i.header.is_key());
        self.records.chunk_by(move |_, next| goes_on(next))
    }

    /// Indices of intervals that go on from one that is not there, so that they cannot be replayed.
    pub fn orphans(&self) -> Vec<u32> {
        let mut orphans = Vec::new();
        // The index of an interval that goes on from one that can be replayed.
        let mut next = None;
        for record in &self.records {
            let index = record.index();
            let usable = match record {
                Record::Interval(interval) if !interval.header.is_key() => next == Some(index),
                Record::Interval(_) | Record::Gap(_) | Record::Order(_) => true,
            };
            next = index.checked_add(1).filter(|_| usable);
            if !usable {
                orphans.push(index);
            }
        }
        orphans
    }

    /// Stretches of indices that are missing between records, as `first..=last`.
    pub fn missing(&self) -> Vec<(u32, u32)> {
        let pairs = self.records.windows(2);
        let holes = pairs.filter_map(|pair| {
            let (before, after) = (pair[0].index(), pair[1].index());
            (after - before > 1).then(|| (before + 1, after - 1))
        });
        holes.collect()
    }
}

/// A recording, read as far as it can be.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The recorder that made it.
    pub config: RecorderConfig,
    /// The firmware that ran; `None` if its chunk is missing or damaged.
    pub elf: Option<Elf>,
    /// One for each hart that has records, by hart number.
    pub harts: Vec<HartLog>,
    /// What is logged of the order across harts: strata.
    pub strata: Vec<OrderRecord>,
    /// What is logged of the order across harts: chunks.
    pub chunks: Vec<OrderRecord>,
    /// Everything the firmware printed.
    pub console: Vec<u8>,
    /// What was lost on the way to the file.
    pub losses: Vec<Loss>,
    /// What the board said at the end; `None` if the recording was cut off.
    pub end: Option<End>,
    /// Parts of the file that cannot be used.
    pub damage: Vec<Damage>,
    /// Kinds of chunks that this program does not know, with their offsets.
    pub unknown_chunks: Vec<(u64, u8)>,
    /// Bytes of the file.
    pub file_bytes: u64,
}

impl Recording {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|source| Error::Read {
            path: path.into(),
            source,
        })?;
        Self::from_bytes(&bytes)
    }

    /// Reads a recording from its bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let found = container::read(bytes)?;
        let config = found.iter().find_map(|found| match found {
            Found::Chunk {
                chunk: Chunk::Config(config),
                ..
            } => Some(config.clone()),
            _ => None,
        });
        let Some(config) = config else {
            let why = found.into_iter().find_map(|found| match found {
                Found::Damaged { why, .. } => Some(why),
                _ => None,
            });
            return Err(Error::NoConfig(why));
        };
        let mut recording = Self {
            config,
            elf: None,
            harts: Vec::new(),
            strata: Vec::new(),
            chunks: Vec::new(),
            console: Vec::new(),
            losses: Vec::new(),
            end: None,
            damage: Vec::new(),
            unknown_chunks: Vec::new(),
            file_bytes: bytes.len() as u64,
        };
        for found in found {
            recording.take(found);
        }
        recording.harts.sort_by_key(|log| log.hart);
        Ok(recording)
    }

    fn take(&mut self, found: Found) {
        match found {
            Found::Chunk { offset, chunk } => self.take_chunk(offset, chunk),
            Found::Unknown { offset, kind } => self.unknown_chunks.push((offset, kind)),
            Found::Damaged { offset, len, why } => self.damage.push(Damage { offset, len, why }),
        }
    }

    fn take_chunk(&mut self, offset: u64, chunk: Chunk) {
        match chunk {
            // The first one was taken before; a second recording in the same file is none.
            Chunk::Config(config) if config == self.config => {}
            Chunk::Config(_) => self.refuse(offset, "a second, different CONFIG"),
            Chunk::Elf(elf) if self.elf.is_none() => self.elf = Some(elf),
            Chunk::Elf(_) => self.refuse(offset, "a second ELF"),
            Chunk::Record { hart, record } => self.take_record(offset, hart, record),
            Chunk::Console(bytes) => self.console.extend(bytes),
            Chunk::Loss { hart, frames, text } => self.losses.push(Loss { hart, frames, text }),
            Chunk::End(end) => self.end = Some(end),
        }
    }

    fn take_order(&mut self, offset: u64, hart: u8, record: OrderRecord) {
        if OrderKind::of_hart(hart) != Some(record.kind) {
            let why = format!("a record of the order with the hart byte {hart:#04x}");
            return self.refuse(offset, &why);
        }
        let log = match record.kind {
            OrderKind::Strata => &mut self.strata,
            OrderKind::Chunks => &mut self.chunks,
        };
        match log.last().map(|last| last.index) {
            Some(last) if record.index <= last => {
                let (kind, index) = (crate::order::name(record.kind), record.index);
                let why = format!("record {index} of {kind} comes after record {last}");
                self.refuse(offset, &why);
            }
            _ => log.push(record),
        }
    }

    /// What is logged of the order across harts.
    pub fn order(&self, kind: OrderKind) -> &[OrderRecord] {
        match kind {
            OrderKind::Strata => &self.strata,
            OrderKind::Chunks => &self.chunks,
        }
    }

    /// The kinds of order that the recorder was told to log, or that are there; strata first.
    pub fn order_kinds(&self) -> Vec<OrderKind> {
        let mode = self
            .config
            .order
            .map(|order| order.mode)
            .unwrap_or_default();
        let strata = (mode.strata || !self.strata.is_empty()).then_some(OrderKind::Strata);
        let chunks = (mode.chunks || !self.chunks.is_empty()).then_some(OrderKind::Chunks);
        strata.into_iter().chain(chunks).collect()
    }

    fn take_record(&mut self, offset: u64, hart: u8, record: Record) {
        let record = match record {
            Record::Order(record) => return self.take_order(offset, hart, record),
            _ if hart >= self.config.harts => {
                let harts = self.config.harts;
                let why = format!("a record of hart {hart}, but the recorder has {harts}");
                return self.refuse(offset, &why);
            }
            record => record,
        };
        let log = match self.harts.iter_mut().position(|log| log.hart == hart) {
            Some(at) => &mut self.harts[at],
            None => {
                self.harts.push(HartLog {
                    hart,
                    records: Vec::new(),
                });
                self.harts.last_mut().expect("it was just added")
            }
        };
        match log.records.last().map(Record::index) {
            Some(last) if record.index() <= last => {
                let why = format!(
                    "interval {} of hart {hart} comes after interval {last}",
                    record.index()
                );
                self.refuse(offset, &why);
            }
            _ => log.records.push(record),
        }
    }

    fn refuse(&mut self, offset: u64, why: &str) {
        self.damage.push(Damage {
            offset,
            len: 0,
            why: why.into(),
        });
    }

    /// The log of a hart.
    pub fn hart(&self, hart: u8) -> Option<&HartLog> {
        self.harts.iter().find(|log| log.hart == hart)
    }

    /// The firmware. `given` is an ELF that the user named, with its name; it must be the one that
    /// was recorded, and stands in for it where the recording's own copy is damaged.
    pub fn image(&self, given: Option<(&str, &[u8])>) -> Result<Arc<Image>> {
        let bytes = match (&self.elf, given) {
            (Some(elf), Some((name, bytes))) => {
                check_same(elf, name, bytes)?;
                bytes
            }
            (Some(elf), None) => &elf.bytes,
            (None, Some((_, bytes))) => bytes,
            (None, None) => return Err(Error::NoElf),
        };
        Ok(Arc::new(Image::parse(bytes)?))
    }

    /// What is in the recording, in numbers.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary {
            harts: self.harts.iter().map(|log| log.hart).collect(),
            file_bytes: self.file_bytes,
            console_bytes: self.console.len() as u64,
            end: self.end,
            ..Summary::default()
        };
        for log in &self.harts {
            summary.add(log);
        }
        let sizes = |log: &[OrderRecord]| {
            let bytes = log.iter().map(|record| record.len_bytes() as u64).sum();
            (log.len() as u64, bytes)
        };
        (summary.strata_records, summary.strata_bytes) = sizes(&self.strata);
        (summary.chunk_records, summary.chunk_bytes) = sizes(&self.chunks);
        let instructions = summary.instructions;
        let rate =
            |bytes: u64| (instructions > 0).then(|| bytes as f64 * 8.0 / instructions as f64);
        summary.entry_bits_per_instruction = rate(summary.entry_bytes);
        summary.bits_per_instruction = rate(summary.log_bytes);
        summary
    }

    /// Whether nothing is missing: no damage, no loss, no gap, no missing interval, and an end.
    pub fn is_whole(&self) -> bool {
        let complete = |log: &HartLog| {
            log.missing().is_empty()
                && log
                    .records
                    .iter()
                    .all(|record| matches!(record, Record::Interval(_)))
        };
        self.damage.is_empty()
            && self.losses.is_empty()
            && self.end.is_some()
            && self.harts.iter().all(complete)
    }
}

/// A recording in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Harts that have records.
    pub harts: Vec<u8>,
    /// Intervals of all harts.
    pub intervals: u64,
    /// Instructions in them.
    pub instructions: u64,
    /// Gaps.
    pub gaps: u64,
    /// Instructions lost in gaps.
    pub lost: u64,
    /// Records that are missing between others.
    pub missing_records: u64,
    /// Instructions since recording began, at the start of the first interval and at the end of
    /// the last, of the first hart.
    pub retired: (u64, u64),
    /// Bytes of entries.
    pub entry_bytes: u64,
    /// Bytes of intervals, headers and trailers included.
    pub log_bytes: u64,
    /// Bits of entries for each instruction.
    pub entry_bits_per_instruction: Option<f64>,
    /// Bits of intervals for each instruction.
    pub bits_per_instruction: Option<f64>,
    /// Bytes that the firmware printed.
    pub console_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Records of strata.
    pub strata_records: u64,
    /// Bytes of those.
    pub strata_bytes: u64,
    /// Records of chunks.
    pub chunk_records: u64,
    /// Bytes of those.
    pub chunk_bytes: u64,
    /// What the board said at the end.
    pub end: Option<End>,
}

impl Summary {
    fn add(&mut self, log: &HartLog) {
        if self.intervals == 0 {
            let first = log.intervals().next().map(|i| i.header.retired);
            let last = log.intervals().next_back().map(|i| {
                let instructions = u64::from(i.trailer.instructions);
                i.header.retired.saturating_add(instructions)
            });
            self.retired = (first.unwrap_or(0), last.unwrap_or(0));
        }
        for record in &log.records {
            match record {
                Record::Interval(interval) => {
                    self.intervals += 1;
                    self.instructions += u64::from(interval.trailer.instructions);
                    self.entry_bytes += interval.entries.len() as u64;
                    self.log_bytes += interval.len_bytes() as u64;
                }
                Record::Gap(gap) => {
                    self.gaps += 1;
                    self.lost += u64::from(gap.lost);
                }
                Record::Order(_) => {}
            }
        }
        for (first, last) in log.missing() {
            self.missing_records += u64::from(last - first) + 1;
        }
    }
}

/// Refuses an ELF that is not the recorded one. Equal bytes are equal; otherwise the build id
/// decides (the same build, stripped, say), if both have one and the loaded bytes agree.
fn check_same(recorded: &Elf, name: &str, bytes: &[u8]) -> Result<()> {
    if recorded.bytes == bytes {
        return Ok(());
    }
    let given = Image::parse(bytes)?;
    let ours = Image::parse(&recorded.bytes)?;
    if ours.build_id().is_some()
        && ours.build_id() == given.build_id()
        && ours.same_contents(&given)
    {
        return Ok(());
    }
    Err(Error::WrongElf {
        given: describe(name, &given, bytes),
        recorded: describe(&recorded.name, &ours, &recorded.bytes),
    })
}

fn describe(name: &str, image: &Image, bytes: &[u8]) -> String {
    match image.build_id() {
        Some(id) => {
            let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{name} (build id {hex}, {} bytes)", bytes.len())
        }
        None => format!(
            "{name} (without build id, {} bytes, CRC-32 {:08x})",
            bytes.len(),
            CRC.checksum(bytes)
        ),
    }
}
