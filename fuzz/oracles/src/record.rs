//! An interval or gap as a board sent it, and its replay.

use lookback_log_format::entry::{EntryReader, EntryWriter, Widths};
use lookback_log_format::interval::Record;
use lookback_replay::verify::verify;
use lookback_replay::{Image, Recording};
use std::sync::{Arc, OnceLock};

/// Longer intervals are not replayed: only the time that it takes would be tested.
const MOST_INSTRUCTIONS: u32 = 20_000;

/// A recording that replays, and its firmware.
fn known() -> &'static (Recording, Arc<Image>) {
    static KNOWN: OnceLock<(Recording, Arc<Image>)> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let bytes = include_bytes!("../../seeds/container/hello.lbk");
        let recording = Recording::from_bytes(bytes).expect("the seed is a recording");
        let image = recording.image(None).expect("the seed has its firmware");
        (recording, image)
    })
}

/// A record survives being written again; its entries can be read to an end; its replay comes
/// to an end.
pub fn check(bytes: &[u8]) {
    let (recording, image) = known();
    entries(bytes, Widths::from(&recording.config));
    entries(
        bytes,
        Widths {
            count_bits: 24,
            dict_bits: 1,
        },
    );
    let Ok(record) = Record::from_bytes(bytes) else {
        return;
    };
    let again = Record::from_bytes(&record.to_bytes());
    assert_eq!(again.as_ref(), Ok(&record), "a record does not survive");
    let Record::Interval(interval) = &record else {
        return;
    };
    if interval.trailer.instructions > MOST_INSTRUCTIONS {
        return;
    }
    let mut changed = recording.clone();
    changed.harts[0].records = vec![record.clone()];
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
