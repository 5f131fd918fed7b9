//! What several harts send: parcels, and records of their order.

use crate::record::{known, survives, Known};
use lookback_log_format::frame::{kind, Frame};
use lookback_log_format::interval::Record;
use lookback_log_format::order::{encode, OrderElement, OrderKind, OrderRecord, MAX_ELEMENTS};
use lookback_log_format::parcel;
use lookback_replay::verify::verify;
use std::sync::OnceLock;

/// A record may have a few more elements than it should before it is cut.
const SLACK: usize = 64;

/// Parcels are opened or refused; a record's elements can be read to an end and survive being written
/// again; harts are put in its order, or it is said why they cannot be.
pub fn check(bytes: &[u8]) {
    parcels(bytes);
    let Some(Record::Order(order)) = survives(bytes) else {
        return;
    };
    elements(&order);
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let seed = include_bytes!("../../seeds/container/harts.lbk");
    let (recording, image) = known(&KNOWN, seed);
    let mut changed = recording.clone();
    match order.kind {
        OrderKind::Strata => changed.strata = vec![order],
        OrderKind::Chunks => changed.chunks = vec![order],
    }
    verify(&changed, image, |_, _| {});
}

fn parcels(bytes: &[u8]) {
    let frame = Frame {
        kind: kind::LOG,
        hart: 0,
        seq: 0,
        payload: bytes.to_vec(),
    };
    if let Ok(opened) = parcel::open(&frame) {
        assert_eq!(opened.payload, bytes[1..], "a parcel lost something");
    }
}

fn elements(order: &OrderRecord) {
    let read: Vec<_> = order.elements().collect();
    let count = read.len();
    assert!(count <= MAX_ELEMENTS + SLACK, "{count} elements");
    let Ok(read) = read.into_iter().collect::<Result<Vec<OrderElement>, _>>() else {
        return;
    };
    let again = OrderRecord {
        elements: encode(order.retired.len(), order.kind, &read),
        never_hurries: false,
        ..order.clone()
    };
    let again: Result<Vec<_>, _> = again.elements().collect();
    assert_eq!(again, Ok(read), "an element does not survive");
}
