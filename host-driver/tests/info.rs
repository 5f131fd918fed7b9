//! `lookback info` on recordings that are whole, cut, damaged, or none at all.

mod common;

use common::{firmware, lookback, sample, Scratch};

#[test]
fn a_whole_recording_is_described() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(4));
    let run = lookback(&scratch, &["info", "run.lbk"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("400 instructions (number 0 to 399) in 4 intervals");
    run.says("hello.elf");
    run.says("the firmware reported success");
    run.says("0 to 3");
}

#[test]
fn json_is_all_there_is_on_stdout() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(4));
    let run = lookback(&scratch, &["info", "run.lbk", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["contents"]["instructions"], 400);
    assert_eq!(value["ended"]["how"], "pass");
    assert_eq!(value["recorder"]["interval"], 100);
    assert_eq!(value["flaws"].as_array().unwrap().len(), 0);
}

#[test]
fn a_recording_cut_anywhere_exits_with_1() {
    let scratch = Scratch::new();
    let whole = sample(3);
    let step = whole.len() / 40;
    let cuts = (0..12)
        .chain((12..whole.len() - 1).step_by(step))
        .chain([whole.len() - 1]);
    for cut in cuts {
        scratch.file("cut.lbk", &whole[..cut]);
        let run = lookback(&scratch, &["info", "cut.lbk"]);
        assert_eq!(run.status, Some(1), "cut at {cut}: {run:?}");
        assert!(!run.stderr.contains("panicked"), "cut at {cut}: {run:?}");
    }
    scratch.file("cut.lbk", &whole[..whole.len() - 60]);
    let run = lookback(&scratch, &["info", "cut.lbk"]);
    run.says("0 to 1");
    run.says("cut off");
}

#[test]
fn damage_in_the_middle_leaves_the_other_intervals() {
    let scratch = Scratch::new();
    let mut bytes = sample(4);
    // END takes 49 bytes, each interval 12 + 160 + entries.
    let inside_interval_2 = bytes.len() - 49 - 500;
    bytes[inside_interval_2] ^= 1;
    scratch.file("bad.lbk", &bytes);
    let run = lookback(&scratch, &["info", "bad.lbk"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("damaged: ");
    run.says("missing: interval 2 of hart 0");
    run.says("0 to 1, 3");
}

#[test]
fn a_damaged_header_is_damage() {
    let scratch = Scratch::new();
    let mut bytes = sample(2);
    bytes[1] ^= 4;
    scratch.file("bad.lbk", &bytes);
    let run = lookback(&scratch, &["info", "bad.lbk"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("the file's header is damaged");
}

#[test]
fn what_is_no_recording_is_refused() {
    let scratch = Scratch::new();
    scratch.file("notes.txt", b"these are the notes of a long day");
    lookback(&scratch, &["info", "notes.txt"]).fails_with("not a Lookback recording");
    lookback(&scratch, &["info", "gone.lbk"]).fails_with("cannot read gone.lbk");
    lookback(&scratch, &["info", "."]).fails_with("cannot read .");
}

#[test]
fn a_newer_format_is_refused_by_its_version() {
    let scratch = Scratch::new();
    let mut bytes = sample(2);
    bytes[4] = 9;
    scratch.file("new.lbk", &bytes);
    lookback(&scratch, &["info", "new.lbk"]).fails_with("version 9 is newer");
}

#[test]
fn the_wrong_elf_is_refused() {
    let scratch = Scratch::new();
    scratch.file("run.lbk", &sample(2));
    let right = lookback(&scratch, &["info", "run.lbk", "--elf", &firmware("hello")]);
    assert_eq!(right.status, Some(0), "{right:?}");
    let wrong = lookback(
        &scratch,
        &["info", "run.lbk", "--elf", &firmware("heap_overflow")],
    );
    wrong.fails_with("is not the firmware of this recording");
    wrong.says("hello.elf");
}
