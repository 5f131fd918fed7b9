//! The parcels of several harts' stream: which of its hart's each one is, and the records that they
//! become.

use lookback_log_format::container::Piece;
use lookback_log_format::frame::{kind, Frame};
use lookback_log_format::parcel::{self, NoParcel};
use lookback_log_format::stream::{Assembler, Item};
use std::collections::BTreeMap;

/// The harts of a stream, as far as they were heard.
#[derive(Debug, Clone, Default)]
pub(super) struct Parcels {
    harts: BTreeMap<u8, Hart>,
    /// The number of the first parcel of whoever was not heard yet.
    first_turn: u32,
}

#[derive(Debug, Clone, Default)]
struct Hart {
    turn: u32,
    records: Assembler,
    /// The record under way began before the stream did, and is passed over.
    headless: bool,
}

impl Parcels {
    /// The piece that the parcel at `offset` is, and what it completes.
    pub(super) fn take(
        &mut self,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(Piece, Vec<Item>), NoParcel> {
        let part = parcel::open(&Frame {
            kind: kind::LOG,
            hart: 0,
            seq: 0,
            payload: bytes.to_vec(),
        })?;
        let turn = self.harts.get(&part.hart).map(|hart| hart.turn);
        let piece = Piece {
            hart: part.hart,
            first: part.kind & kind::LOG_FIRST != 0,
            last: part.kind & kind::LOG_LAST != 0,
            offset,
            turn: Some(turn.unwrap_or(self.first_turn)),
            bytes: part.payload,
        };
        let items = self.known(&piece);
        Ok((piece, items))
    }

    /// What a piece completes that has its number already.
    pub(super) fn known(&mut self, piece: &Piece) -> Vec<Item> {
        let hart = self.harts.entry(piece.hart).or_default();
        let turn = piece.turn.unwrap_or(hart.turn);
        let mut items: Vec<Item> = Vec::new();
        if turn != hart.turn {
            items.extend(hart.records.lost());
        }
        hart.turn = turn.wrapping_add(1);
        hart.headless = !piece.first && (hart.headless || turn == 0);
        let mark = |set: bool, mark: u8| if set { mark } else { 0 };
        let more = hart.records.push(&Frame {
            kind: kind::LOG | mark(piece.first, kind::LOG_FIRST) | mark(piece.last, kind::LOG_LAST),
            hart: piece.hart,
            seq: 0,
            payload: piece.bytes.clone(),
        });
        if !hart.headless {
            items.extend(more);
        }
        hart.headless &= !piece.last;
        items
    }

    /// Bytes of the stream are gone: nobody's next parcel continues what came before.
    pub(super) fn jump(&mut self) -> Vec<Item> {
        if self.harts.is_empty() {
            return Vec::new();
        }
        self.first_turn = 1;
        let lost = self.harts.values_mut().filter_map(|hart| {
            hart.turn = hart.turn.wrapping_add(1);
            hart.headless = false;
            hart.records.lost()
        });
        lost.collect()
    }
}
