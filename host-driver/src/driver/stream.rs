//! The bytes of an acknowledged link on their way into the file: what is wanted next, what is in the
//! file, what is on disk and may be acknowledged.

use super::disk::Sink;
use super::file::Recording;
use super::parcels::Parcels;
use super::summary::Summary;
use anyhow::{bail, Result};
use lookback_log_format::container::Piece;
use lookback_log_format::interval::Record;
use lookback_log_format::link::{widen, Placed};
use lookback_log_format::parcel;
use lookback_log_format::stream::{Item, MAX_RECORD};
use lookback_log_format::CRC;
use std::collections::VecDeque;

/// Where a piece lies, seen from what is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It was the next one, and was taken.
    Taken,
    /// Something before it is missing.
    Ahead,
    /// It was there already.
    Behind,
}

/// How far a stream has come.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Offset of the next byte.
    pub wanted: u64,
    /// Everything before this is on disk.
    pub safe: u64,
    /// The register of the CRC over all bytes taken.
    sum: u32,
    hart: u8,
    /// The record under way, and how many of its last bytes are not in the file.
    open: Vec<u8>,
    unfiled: usize,
    /// Lengths of the file, and the offsets that are in it then.
    filed: VecDeque<(u64, u64)>,
    /// Several harts share the stream: each piece is a parcel.
    parcels: Option<Parcels>,
}

impl Stream {
    /// Nothing was taken yet.
    pub fn new(harts: u8) -> Self {
        Self {
            wanted: 0,
            safe: 0,
            sum: u32::MAX,
            hart: 0,
            open: Vec::new(),
            unfiled: 0,
            filed: VecDeque::new(),
            parcels: (harts > 1).then(Parcels::default),
        }
    }

    /// CRC-32 of all bytes taken.
    pub fn sum(&self) -> u32 {
        !self.sum
    }

    /// Takes a piece that is in a file already; the records that it completes.
    pub fn known(&mut self, piece: &Piece) -> Result<Vec<Record>> {
        self.wanted = piece.offset;
        if let (Some(parcels), Some(_)) = (&mut self.parcels, piece.turn) {
            let records = parcels
                .known(piece)
                .into_iter()
                .filter_map(|item| match item {
                    Item::Record { record, .. } => Some(record),
                    Item::Broken { .. } => None,
                });
            let records = records.collect();
            self.count(&[parcel::name(piece.hart, piece.first)]);
            self.count(&piece.bytes);
            self.safe = self.wanted;
            return Ok(records);
        }
        if piece.first || piece.offset != self.safe {
            self.open.clear();
        }
        self.hart = piece.hart;
        self.count(&piece.bytes);
        self.open.extend_from_slice(&piece.bytes);
        self.safe = self.wanted;
        if !piece.last {
            return Ok(Vec::new());
        }
        let bytes = std::mem::take(&mut self.open);
        Ok(vec![Record::from_bytes(&bytes)?])
    }

    /// Takes a piece from the link if it is the next one. A record that it completes is counted.
    pub fn take<W: Sink>(
        &mut self,
        hart: u8,
        piece: &Placed<'_>,
        file: &mut Recording<W>,
        summary: &mut Summary,
    ) -> Result<Place> {
        let offset = widen(self.wanted, piece.offset);
        if offset != self.wanted {
            return Ok(if offset > self.wanted {
                Place::Ahead
            } else {
                Place::Behind
            });
        }
        if self.parcels.is_some() {
            self.take_parcel(piece, file, summary)?;
            return Ok(Place::Taken);
        }
        if self.open.len() + piece.bytes.len() > MAX_RECORD {
            bail!("the board sends an interval that is longer than any can be");
        }
        self.hart = hart;
        self.count(piece.bytes);
        self.open.extend_from_slice(piece.bytes);
        self.unfiled += piece.bytes.len();
        if piece.last {
            self.write(true, file)?;
            let bytes = std::mem::take(&mut self.open);
            // What is no record is in the file, and its readers say so.
            if let Ok(record) = Record::from_bytes(&bytes) {
                summary.record(&record, bytes.len() as u64);
            } else {
                summary
                    .losses
                    .push("the board sent something that is no interval".into());
            }
        }
        Ok(Place::Taken)
    }

    /// A parcel goes into the file as it comes.
    fn take_parcel<W: Sink>(
        &mut self,
        piece: &Placed<'_>,
        file: &mut Recording<W>,
        summary: &mut Summary,
    ) -> Result<()> {
        let offset = self.wanted;
        self.count(piece.bytes);
        let parcels = self.parcels.get_or_insert_with(Parcels::default);
        let filed = match parcels.take(offset, piece.bytes) {
            Ok((piece, items)) => {
                summary.items(piece.hart, items);
                piece
            }
            // What is no parcel is in the file, and its readers say so.
            Err(error) => {
                summary.losses.push(format!("the board sent {error}"));
                Piece {
                    hart: 0,
                    first: false,
                    last: true,
                    offset,
                    turn: None,
                    bytes: piece.bytes.to_vec(),
                }
            }
        };
        file.piece(&filed)?;
        self.filed.push_back((file.written(), self.wanted));
        Ok(())
    }

    /// Bytes that cannot be acknowledged yet.
    pub fn unsafe_bytes(&self) -> u64 {
        self.wanted - self.safe
    }

    /// The bytes from what is wanted to `offset` are gone for ever; a record, or a parcel, begins
    /// there.
    pub fn jump<W: Sink>(&mut self, offset: u64, file: &mut Recording<W>) -> Result<()> {
        self.write(false, file)?;
        self.open.clear();
        if let Some(parcels) = &mut self.parcels {
            parcels.jump();
        }
        self.wanted = offset;
        self.filed.push_back((file.written(), offset));
        Ok(())
    }

    /// Puts everything taken into the file.
    pub fn write<W: Sink>(&mut self, last: bool, file: &mut Recording<W>) -> Result<()> {
        if self.unfiled == 0 {
            return Ok(());
        }
        let fresh = self.open.len() - self.unfiled;
        file.piece(&Piece {
            hart: self.hart,
            first: fresh == 0,
            last,
            offset: self.wanted - self.unfiled as u64,
            turn: None,
            bytes: self.open[fresh..].to_vec(),
        })?;
        self.unfiled = 0;
        self.filed.push_back((file.written(), self.wanted));
        Ok(())
    }

    /// Learns how much of the file is on disk.
    pub fn on_disk(&mut self, bytes: u64) {
        while let Some(&(_, offset)) = self.filed.front().filter(|filed| filed.0 <= bytes) {
            self.safe = offset;
            self.filed.pop_front();
        }
    }

    fn count(&mut self, bytes: &[u8]) {
        let mut digest = CRC.digest_with_initial(self.sum.reverse_bits());
        digest.update(bytes);
        self.sum = !digest.finalize();
        self.wanted += bytes.len() as u64;
    }
}
