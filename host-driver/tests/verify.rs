//! `lookback verify` and `lookback replay` on recordings that do not replay.

mod common;

use common::{firmware, lookback, sample, Scratch};

#[test]
fn what_does_not_replay_exits_with_1_and_says_where() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(3));
    let run = lookback(&scratch, &["verify", "run.lbk"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("0 of 3 intervals replayed");
    run.says("fine: intervals none of hart 0");
    run.says("diverges: hart 0, interval 0");
    let run = lookback(&scratch, &["verify", "run.lbk", "--json"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["fine"], false);
    assert_eq!(value["report"]["totals"]["intervals"], 3);
}

#[test]
fn a_recording_without_its_firmware_asks_for_it() {
    let scratch = Scratch::new();
    let mut bytes = sample(2);
    bytes[300] ^= 1;
    scratch.file("run.lbk", &bytes);
    for command in ["verify", "replay"] {
        let run = lookback(&scratch, &[command, "run.lbk"]);
        assert_eq!(run.status, Some(1), "{run:?}");
        run.says("--elf");
    }
    // With it, the intervals are replayed (and diverge, as those of the sample do).
    let run = lookback(
        &scratch,
        &["verify", "run.lbk", "--elf", &firmware("hello")],
    );
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("of 2 intervals");
}

#[test]
fn the_wrong_elf_is_refused() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(2));
    for command in ["verify", "replay"] {
        let other = firmware("heap_overflow");
        let run = lookback(&scratch, &[command, "run.lbk", "--elf", &other]);
        run.fails_with("is not the firmware of this recording");
    }
}

#[test]
fn a_range_outside_the_recording_is_an_error() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(2));
    let run = lookback(&scratch, &["replay", "run.lbk", "--from", "200"]);
    run.fails_with("the recording has 0 to 199");
    let run = lookback(&scratch, &["replay", "run.lbk", "--hart", "3"]);
    run.fails_with("nothing of hart 3");
}

#[test]
fn a_listing_that_leaves_the_recording_says_so() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(1));
    let run = lookback(&scratch, &["replay", "run.lbk"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("goes another way than the recording");
    let run = lookback(&scratch, &["replay", "run.lbk", "--json"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let list: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let last = list.as_array().unwrap().last().unwrap();
    assert!(last["diverged"].is_object(), "{last}");
}
