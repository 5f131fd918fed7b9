//! The figures of one small recording, of which it is known what they must be.

use super::*;
use std::path::PathBuf;

fn recording() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compute.lbk")
}

#[test]
fn a_small_recording_has_its_figures() {
    let rows = measure("compute", &recording()).unwrap();
    let intervals: Vec<u32> = rows.iter().map(|row| row.interval).collect();
    assert_eq!(intervals, INTERVALS);
    let recorded = Recording::open(&recording()).unwrap();
    let instructions = recorded.summary().instructions;
    for row in &rows {
        assert_eq!(row.instructions, instructions);
        assert_eq!(row.measured.len(), SCHEMES.len());
        let [bugnet, compact, without_image, etrace, implicit, zstd, alone, small] =
            row.measured[..]
        else {
            panic!("there are eight schemes");
        };
        assert!(bugnet.bits < small.bits, "{row:?}");
        assert!(compact.bits < bugnet.bits && compact.bits < without_image.bits);
        assert!(compact.bits <= alone.bits, "{row:?}");
        // Foretold returns only ever leave packets out, and zstd has neither headers nor positions.
        assert!(implicit.bits < etrace.bits, "{row:?}");
        assert!(zstd.bits < bugnet.bits, "{row:?}");
        assert!(bugnet.squeezed_bits.unwrap() < bugnet.bits, "{row:?}");
        // The 150 bytes of a header are one burst.
        assert!(
            bugnet.bursts[0] >= 1200 && bugnet.bursts.is_sorted(),
            "{row:?}"
        );
    }
    // Short intervals cost more; those that the run does not fill cost the same, but for counts
    // that are wider.
    let bits = |row: usize, scheme: usize| rows[row].measured[scheme].bits;
    for scheme in 0..SCHEMES.len() {
        assert!(bits(0, scheme) > bits(1, scheme));
    }
    assert_eq!(bits(1, 3), bits(3, 3));
    let found = [0, 1].map(|row| [0, 3, 4].map(|scheme| bits(row, scheme)));
    assert_eq!(found, EXPECTED);
}

/// Bits of `bugnet` and both kinds of E-Trace, for intervals of 10 k and 100 k, as they were when
/// they were first measured; what zstd gives may change with its version.
const EXPECTED: [[u64; 3]; 2] = [[33808, 11496, 8888], [8152, 11312, 8616]];

#[test]
fn with_the_papers_tags_the_log_is_what_the_board_sent() {
    // The board's tags are others than the paper's, but nothing of this run is evicted from either.
    let recorded = Recording::open(&recording()).unwrap();
    let sent: usize = recorded.harts[0]
        .records
        .iter()
        .map(|record| record.to_bytes().len())
        .sum();
    let rows = measure("compute", &recording()).unwrap();
    assert_eq!(rows[1].measured[0].bits, 8 * sent as u64);
}
