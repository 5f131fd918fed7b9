//! `lookback repair` on files that were cut and damaged.

mod common;

use common::{crash, lookback, Scratch};

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
