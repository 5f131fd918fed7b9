//! A recording of a real run, damaged in every way: each command says what is left of it.

mod common;

use common::{crash, firmware, json, lookback, Run, Scratch};
use lookback_log_format::container::{self, Chunk, Found};
use lookback_log_format::interval::Record;

const COMMANDS: [&str; 4] = ["info", "verify", "replay", "report"];

/// Where each interval's chunk begins.
fn interval_offsets() -> Vec<usize> {
    let found = container::read(crash()).unwrap();
    let offset = |found: &Found| match found {
        Found::Chunk {
            offset,
            chunk:
                Chunk::Record {
                    record: Record::Interval(_),
                    ..
                },
        } => Some(*offset as usize),
        _ => None,
    };
    found.iter().filter_map(offset).collect()
}

/// Runs every command on a file; all exit with the same status.
fn all(bytes: &[u8], status: i32, more: &[&str]) -> Vec<Run> {
    let scratch = Scratch::new();
    scratch.file("run.lbk", bytes);
    COMMANDS
        .iter()
        .map(|command| {
            let run = lookback(&scratch, &[&[command, "run.lbk"], more].concat());
            assert_eq!(run.status, Some(status), "{command}: {run:?}");
            assert!(!run.stderr.contains("panicked"), "{command}: {run:?}");
            run
        })
        .collect()
}

#[test]
fn a_whole_recording_gives_the_same_facts_everywhere() {
    let texts = all(crash(), 0, &[]);
    assert!(texts.iter().all(|run| run.stderr.is_empty()), "{texts:?}");
    let runs = all(crash(), 0, &["--json"]);
    let [info, verify, replay, report] = [0, 1, 2, 3].map(|n| json(&runs[n]));
    let intervals = interval_offsets().len();
    assert!(intervals > 5, "{intervals}");
    let instructions = &info["contents"]["instructions"];
    assert_eq!(info["contents"]["intervals"], intervals);
    assert_eq!(verify["report"]["totals"]["intervals_ok"], intervals);
    assert_eq!(report["matched"], intervals);
    assert_eq!(&verify["report"]["totals"]["instructions_ok"], instructions);
    assert_eq!(&report["instructions"], instructions);
    assert_eq!(
        Some(replay.as_array().unwrap().len() as u64),
        instructions.as_u64()
    );
    for value in [&info, &verify, &report] {
        assert_eq!(value["fine"], true);
        assert_eq!(value["flaws"], serde_json::json!([]));
    }
    assert!(report["crash"]["cause"].is_string(), "{report}");
}

#[test]
fn a_damaged_interval_costs_only_itself() {
    let offsets = interval_offsets();
    let last = offsets.len() - 1;
    let mut bytes = crash().to_vec();
    bytes[offsets[2] + 30] ^= 0x10;
    let left = format!("0 to 1, 3 to {last} of hart 0");
    for run in all(&bytes, 1, &[]) {
        run.says("missing: interval 2 of hart 0");
        run.says(&left);
        run.says(&format!("at byte {}", offsets[2]));
    }
    let runs = all(&bytes, 1, &["--json"]);
    let replay = json(&runs[2]);
    let end = replay.as_array().unwrap().last().unwrap();
    assert_eq!(end["whole_intervals"], left);
    for value in [&json(&runs[0]), &json(&runs[1]), &json(&runs[3]), end] {
        let flaws = value["flaws"].to_string();
        assert!(flaws.contains("interval 2 of hart 0"), "{flaws}");
    }
}

#[test]
fn a_cut_recording_is_used_up_to_the_cut() {
    let offsets = interval_offsets();
    // Within the fourth interval, and between the fourth and the fifth.
    for (cut, left) in [(offsets[3] + 20, "0 to 2"), (offsets[4], "0 to 3")] {
        for run in all(&crash()[..cut], 1, &[]) {
            run.says("cut off: the recording has no end; nothing after interval");
            run.says(left);
        }
    }
    for run in all(&crash()[..offsets[0]], 1, &[]) {
        run.says("no interval");
    }
}

#[test]
fn an_end_without_its_last_intervals_says_how_much_is_missing() {
    let offsets = interval_offsets();
    let last = offsets.len() - 1;
    let mut bytes = crash().to_vec();
    bytes[offsets[last] + 5] ^= 1;
    let before = last - 1;
    for run in all(&bytes, 1, &[]) {
        run.says(&format!(
            "missing: all intervals after interval {before} of hart 0"
        ));
    }
}

#[test]
fn a_newer_format_is_refused_by_its_version() {
    let mut bytes = crash().to_vec();
    bytes[4] = 2;
    for run in all(&bytes, 2, &[]) {
        run.fails_with("version 2 is newer");
    }
}

#[test]
fn the_wrong_elf_is_refused() {
    let scratch = Scratch::new();
    let mut changed = std::fs::read(firmware("heap_overflow")).unwrap();
    // Bytes 64 and on of the first segment to load are code.
    let word = |at: usize| u32::from_le_bytes(changed[at..at + 4].try_into().unwrap()) as usize;
    let mut headers = (word(28)..).step_by(32);
    let load = headers.find(|&at| word(at) == 1).unwrap();
    let code = word(load + 4) + 64;
    changed[code] ^= 1;
    let changed = scratch.file("changed.elf", &changed);
    for wrong in [changed, firmware("hello")] {
        for run in all(crash(), 2, &["--elf", &wrong]) {
            run.fails_with("is not the firmware of this recording");
        }
    }
    all(crash(), 0, &["--elf", &firmware("heap_overflow")]);
}
