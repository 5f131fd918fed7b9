//! An interval of codec `compact` as a board sent it, and its replay.

use crate::record::{known, replay, survives, Known};
use lookback_log_format::interval::Record;
use std::sync::OnceLock;

/// It survives being written again, and its replay comes to an end: by itself, and behind the first
/// interval of a key group, whose knowledge it then goes on with.
pub fn check(bytes: &[u8]) {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let seed = include_bytes!("../../seeds/container/compact.lbk");
    let (recording, image) = known(&KNOWN, seed);
    let Some(record @ Record::Interval(_)) = survives(bytes) else {
        return;
    };
    let records = &recording.harts[0].records;
    for before in [&records[..0], &records[..1]] {
        replay(recording, image, before, record.clone());
    }
}
