//! A file that says it is a recording.

use lookback_log_format::container::{read, whole_chunks, Found, Scan};
use lookback_replay::Recording;

/// Everything in the file is a chunk or reported as damage, in order, and all readers agree.
pub fn check(bytes: &[u8]) {
    let scan = Scan::new(bytes).expect("memory can be read");
    let found = read(bytes);
    assert_eq!(scan.is_ok(), found.is_ok(), "the readers do not agree");
    let (Ok(mut scan), Ok(found)) = (scan, found) else {
        return;
    };
    let whole = whole_chunks(bytes);
    let mut listed = whole.iter();
    while let Some(chunk) = scan.next_chunk().expect("memory can be read") {
        assert_eq!(listed.next(), Some(&chunk), "the readers do not agree");
    }
    for found in &found {
        let (offset, len) = match found {
            Found::Chunk { offset, .. } | Found::Unknown { offset, .. } => (*offset, 12),
            Found::Damaged { offset, len, .. } => (*offset, *len),
        };
        assert!(
            offset + len <= bytes.len() as u64,
            "outside the file: {found:?}"
        );
    }
    if let Ok(recording) = Recording::from_bytes(bytes) {
        recording.summary();
        for log in &recording.harts {
            let indices: Vec<_> = log.records.iter().map(|record| record.index()).collect();
            assert!(
                indices.windows(2).all(|pair| pair[0] < pair[1]),
                "{indices:?}"
            );
        }
    }
}
