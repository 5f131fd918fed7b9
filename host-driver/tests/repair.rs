//! `lookback repair` on files that were cut and damaged.

mod common;

use common::{crash, lookback, Scratch};
use lookback_log_format::container::whole_chunks;

#[test]
fn what_is_whole_is_kept_and_what_is_not_is_told() {
    let scratch = Scratch::new();
    let mut bytes = crash().to_vec();
    let middle = bytes.len() * 3 / 4;
    bytes[middle] ^= 0x40;
    let file = scratch.file("run.lbk", &bytes);
    let run = lookback(&scratch, &["repair", &file, "-o", "mended.lbk"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("mended.lbk: kept intervals 0 to ");
    run.says("gone: ");
    run.says("missing: interval ");
    assert_eq!(std::fs::read(&file).unwrap(), bytes, "the file stays");
    let verify = lookback(&scratch, &["verify", "mended.lbk"]);
    assert_eq!(verify.status, Some(1), "{verify:?}");
    verify.says("every digest matches");
    verify.says("missing: interval ");
    assert!(!verify.stdout.contains("  damaged:"), "{verify:?}");
    lookback(&scratch, &["repair", &file, "-o", "mended.lbk"]).fails_with("exists already");
}

#[test]
fn a_file_is_repaired_in_its_place() {
    let scratch = Scratch::new();
    let cut = &crash()[..crash().len() * 9 / 10];
    let file = scratch.file("run.lbk", cut);
    let run = lookback(&scratch, &["repair", &file]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("cut off");
    assert_eq!(std::fs::read(scratch.path("run.lbk.damaged")).unwrap(), cut);
    let verify = lookback(&scratch, &["verify", &file]);
    verify.says("every digest matches");
    assert!(!verify.stdout.contains("  damaged:"), "{verify:?}");
    let again = lookback(&scratch, &["repair", &file]);
    assert_eq!(again.status, Some(0), "{again:?}");
    again.says("nothing in it is damaged");
}

#[test]
fn a_lost_header_is_known_and_noise_is_refused() {
    let scratch = Scratch::new();
    let mut bytes = crash().to_vec();
    bytes[..8].fill(0xff);
    let file = scratch.file("run.lbk", &bytes);
    let run = lookback(&scratch, &["repair", &file, "-o", "mended.lbk"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(std::fs::read(scratch.path("mended.lbk")).unwrap(), crash());
    let noise = scratch.file("noise.lbk", &[0x5a; 5000]);
    let refused = lookback(&scratch, &["repair", &noise]);
    assert_eq!(refused.status, Some(1), "{refused:?}");
    refused.says("no part of it is a recording");
    lookback(&scratch, &["repair", "absent.lbk"]).fails_with("cannot read absent.lbk");
}

/// Whatever byte a recording is cut at, what is left opens, and every interval in it replays.
#[test]
fn every_cut_leaves_whole_intervals() {
    let scratch = Scratch::new();
    for twentieth in 1..20 {
        let cut = &crash()[..crash().len() * twentieth / 20];
        let file = scratch.file("run.lbk", cut);
        let verify = lookback(&scratch, &["verify", &file]);
        assert_eq!(verify.status, Some(1), "{twentieth}: {verify:?}");
        assert!(
            !verify.stdout.contains("diverges"),
            "{twentieth}: {verify:?}"
        );
        assert!(!verify.stderr.contains("panicked"), "{verify:?}");
    }
}

/// What was only copied badly is put back: nothing of it is lost.
#[test]
fn chunks_in_disorder_are_put_back() {
    let scratch = Scratch::new();
    let chunks = whole_chunks(crash());
    let at = |n: usize| chunks[n].offset as usize..chunks[n].end() as usize;
    let last = chunks.len() - 1;
    let middle = chunks.len() / 2;
    let (header, whole) = (&crash()[..8], crash());
    let mut swapped = header.to_vec();
    for n in 0..chunks.len() {
        let n = match n {
            1 => middle,
            n if n == middle => 1,
            n => n,
        };
        swapped.extend(&whole[at(n)]);
    }
    let before = at(middle).start;
    let doubled = [&whole[..before], &whole[at(middle)], &whole[before..]].concat();
    let late = [&[0x5a; 777], whole].concat();
    let twice = [whole, &whole[8..]].concat();
    let ended_first = [header, &whole[at(last)], &whole[8..at(last).start]].concat();
    for (name, bytes, told) in [
        ("swapped.lbk", swapped, "put back: "),
        ("doubled.lbk", doubled, "left out: the chunk at byte "),
        (
            "late.lbk",
            late,
            "gone: 777 bytes at byte 8: nothing of a recording",
        ),
        ("twice.lbk", twice, "left out: the chunk at byte "),
        ("ended.lbk", ended_first, "put back: "),
    ] {
        let file = scratch.file(name, &bytes);
        let out = format!("mended-{name}");
        let run = lookback(&scratch, &["repair", &file, "-o", &out]);
        assert_eq!(run.status, Some(0), "{name}: {run:?}");
        run.says(told);
        let verify = lookback(&scratch, &["verify", &out]);
        assert_eq!(verify.status, Some(0), "{name}: {verify:?}");
    }
}

/// Whatever is appended to a recording, even another one, it stays what it was.
#[test]
fn another_recording_behind_it_is_left_out() {
    let scratch = Scratch::new();
    let other = include_bytes!("../../fuzz/seeds/container/compact.lbk");
    let file = scratch.file("run.lbk", &[crash(), &other[8..]].concat());
    let run = lookback(&scratch, &["repair", &file, "-o", "mended.lbk"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("which belongs to another recording");
    assert_eq!(std::fs::read(scratch.path("mended.lbk")).unwrap(), crash());
}

/// An interval that goes on from a lost one cannot be used, and is not said to be whole.
#[test]
fn a_key_group_without_its_beginning_is_told() {
    let scratch = Scratch::new();
    let group = include_bytes!("../../fuzz/seeds/container/compact.lbk");
    let pieces: Vec<_> = whole_chunks(group)
        .into_iter()
        .filter(|chunk| chunk.piece().is_some())
        .collect();
    // Intervals 4 to 7 are a key group.
    let lost = pieces[4].offset as usize..pieces[4].end() as usize;
    let bytes = [&group[..lost.start], &group[lost.end..]].concat();
    let file = scratch.file("run.lbk", &bytes);
    for command in ["verify", "info", "repair"] {
        let run = lookback(&scratch, &[command, &file]);
        run.says("unusable: intervals 5 to 7 of hart 0, which go on from one that is missing");
        assert!(!run.stdout.contains("diverges"), "{run:?}");
    }
    lookback(&scratch, &["verify", &file]).says("fine: intervals 0 to 3, 8 to 13 of hart 0");
}
