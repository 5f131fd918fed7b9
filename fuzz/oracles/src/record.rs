//! An interval or gap as a board sent it, and its replay.

use lookback_log_format::entry::{EntryReader, EntryWriter, Widths};
use lookback_log_format::interval::Record;
use lookback_replay::verify::verify;
use lookback_replay::{Image, Recording};
use std::sync::{Arc, OnceLock};

/// Longer intervals are not replayed: only the time that it takes would be tested.
const MOST_INSTRUCTIONS: u32 = 20_000;

/// A recording that replays, and its firmware.
pub(crate) type Known = (Recording, Arc<Image>);

/// A seed that is a recording.
pub(crate) fn known(cell: &'static OnceLock<Known>, seed: &[u8]) -> &'static Known {
    cell.get_or_init(|| {
        let recording = Recording::from_bytes(seed).expect("the seed is a recording");
        let image = recording.image(None).expect("the seed has its firmware");
        (recording, image)
    })
}

/// A record survives being written again; its entries can be read to an end; its replay comes
/// to an end.
pub fn check(bytes: &[u8]) {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let seed = include_bytes!("../../seeds/container/hello.lbk");
    let (recording, image) = known(&KNOWN, seed);
    entries(bytes, Widths::from(&recording.config));
    entries(
        bytes,
        Widths {
            count_bits: 24,
            dict_bits: 1,
        },
    );
    if let Some(record) = survives(bytes) {
        replay(recording, image, &[], record);
    }
}

/// The record that these bytes are, if it is one that can soon be replayed.
pub(crate) fn survives(bytes: &[u8]) -> Option<Record> {
    let record = Record::from_bytes(bytes).ok()?;
    let again = Record::from_bytes(&record.to_bytes());
    assert_eq!(again.as_ref(), Ok(&record), "a record does not survive");
    match &record {
        Record::Interval(interval) if interval.trailer.instructions > MOST_INSTRUCTIONS => None,
        Record::Interval(_) | Record::Order(_) => Some(record),
        Record::Gap(_) => None,
    }
}

/// Replays a record of hart 0 behind others.
pub(crate) fn replay(recording: &Recording, image: &Arc<Image>, before: &[Record], record: Record) {
    let mut changed = recording.clone();
    let mut records = before.to_vec();
    records.push(record);
    changed.harts[0].records = records;
    verify(&changed, image, |_, _| {});
}

/// Reads entries to their end, which is never further than their bits; writes them again.
fn entries(bytes: &[u8], widths: Widths) {
    let mut reader = EntryReader::new(bytes, widths);
    let mut writer = EntryWriter::new(widths);
    let mut last = 0;
    while let Ok(Some(entry)) = reader.next_entry() {
        assert!(reader.position() > last, "it does not move");
        last = reader.position();
        writer.put(entry);
    }
    assert!(last <= bytes.len() as u64 * 8, "it read past the end");
    let again = writer.finish();
    let mut first = EntryReader::new(bytes, widths);
    let mut second = EntryReader::new(&again, widths);
    while let Ok(Some(entry)) = first.next_entry() {
        assert_eq!(
            second.next_entry(),
            Ok(Some(entry)),
            "an entry does not survive"
        );
    }
}
