//! The driver and the board's twin on a bad cable, thousands of times: what comes out is whole, or
//! says exactly what is missing.

mod board;
mod disk;
mod rtl;
mod several;

use super::tests::{interval, settings, Bystander};
use super::*;
use crate::cmd::open::flaws;
use crate::transport::faults::{Fault, Faults, Random};
use crate::transport::faulty::Faulty;
use crate::transport::Link;
pub(super) use board::identity;
use board::Board;
use disk::{Disk, Rest};
use lookback_log_format::container::Elf;
use lookback_log_format::interval::Record;
use std::path::Path;

/// Seeded runs in every test run.
const RUNS: u64 = 12_000;
/// The same on a cable that is hardly one.
const BAD_RUNS: u64 = 200;
/// How often a user asks the board for the rest before giving up.
const MOST_RESUMES: usize = 40;

struct Plan {
    faults: Faults,
    settings: Settings,
    ring_bits: u8,
    script: Vec<Record>,
}

fn plan(seed: u64) -> Plan {
    let mut random = Random::new(seed);
    let mut faults = Faults::default();
    for (fault, most) in [
        (Fault::Flip, 1e-3),
        (Fault::Drop, 1e-3),
        (Fault::Dup, 1e-3),
        (Fault::Swap, 1e-3),
        (Fault::Burst, 3e-4),
        (Fault::Stall, 1e-3),
        (Fault::Disconnect, 3e-4),
        (Fault::Reset, 1e-4),
    ] {
        if random.below(2) == 0 {
            faults = faults.with(fault, most * random.fraction());
        }
    }
    let count = 1 + random.below(10) as u32;
    let script = (0..count)
        .map(|index| interval(index, random.below(1200) as usize))
        .collect();
    Plan {
        faults,
        settings: Settings {
            may_stall: random.below(2) == 0,
            patience: Duration::from_secs(8),
            ..settings()
        },
        ring_bits: 9 + random.below(4) as u8,
        script,
    }
}

/// What came of a run: the file, and the board at its end.
fn run(seed: u64) -> Option<(Vec<u8>, Board)> {
    let plan = plan(seed);
    let board = Board::new(plan.ring_bits, plan.script);
    let elf = Elf {
        name: "fw.elf".into(),
        bytes: vec![],
    };
    survive(seed, board, plan.faults, &plan.settings, elf, |_| {})
}

/// Records over a bad cable, and goes on for as long as a user would; the file, and the board.
fn survive<L: Link>(
    seed: u64,
    board: L,
    faults: Faults,
    settings: &Settings,
    elf: Elf,
    check: impl FnOnce(&RecorderConfig),
) -> Option<(Vec<u8>, L)> {
    let mut link = Faulty::new(board, faults, seed);
    let mut disk = Disk::new(seed);
    let mut watcher = Bystander::default();
    let path = Path::new("t.lbk");
    let mut result = record(
        &mut link,
        settings,
        |config| {
            check(&config);
            Recording::begin(path, Rest(&mut disk, 0), config, elf)
        },
        &mut watcher,
    );
    for _ in 0..MOST_RESUMES {
        let again = match &result {
            Ok(summary) => summary.resumable,
            // Without a file there is nothing to go on with.
            Err(_) => !disk.bytes.is_empty(),
        };
        if !again {
            break;
        }
        if link.restart_host() {
            disk.cut();
        }
        let Ok(past) = Past::from_source(path, disk.bytes.as_slice(), disk.bytes.len() as u64)
        else {
            break;
        };
        let whole = past.whole as usize;
        disk.bytes.truncate(whole);
        disk.safe = whole;
        let intervals = past.summary.intervals;
        let rest = Rest(&mut disk, whole);
        let recording = Recording::resume(path, rest, whole as u64, intervals);
        let _ = link.reopen();
        result = resume(
            &mut link,
            settings,
            (path, past),
            |_| Ok(recording),
            &mut watcher,
        );
        let hopeless = |error: &anyhow::Error| {
            let text = error.to_string();
            text.contains("no longer has") || text.contains("never began")
        };
        if result.as_ref().is_err_and(hopeless) {
            break;
        }
    }
    (!disk.bytes.is_empty()).then(|| (disk.bytes, link.into_inner()))
}

/// Whether it is whole; asserts that what is not is said to be missing.
fn judge(seed: u64, file: &[u8], board: &Board) -> bool {
    let Ok(recording) = lookback_replay::Recording::from_bytes(file) else {
        // The power went before the first chunk was on disk.
        return false;
    };
    let told = flaws(&recording);
    let records = recording.hart(0).map_or(&[][..], |log| &log.records);
    for record in records {
        let index = record.index() as usize;
        assert_eq!(
            board.written.get(index),
            Some(record),
            "seed {seed}: wrong record"
        );
    }
    let all = records.len() == board.written.len() && board.script.is_empty();
    let whole = all && recording.end.is_some();
    assert_eq!(whole, told.is_empty(), "seed {seed}: {told:?}");
    if recording.end.is_none() {
        let said = told.iter().any(|flaw| flaw.contains("cut off"));
        assert!(said, "seed {seed}: {told:?}");
    }
    whole
}

#[test]
fn whatever_the_cable_does_nothing_is_lost_silently() {
    let (mut whole, mut files) = (0, 0);
    let first = std::env::var("LOOKBACK_SEED").map_or(0, |seed| seed.parse().unwrap());
    for seed in first..first + RUNS {
        let Ok(outcome) = std::panic::catch_unwind(|| run(seed)) else {
            panic!("seed {seed}");
        };
        let Some((file, board)) = outcome else {
            continue;
        };
        files += 1;
        whole += u64::from(judge(seed, &file, &board));
    }
    println!("{files} files of {RUNS} runs, {whole} of them whole");
    // Resets of the board cannot be mended, everything else can.
    assert!(
        files > RUNS * 5 / 6 && whole > RUNS * 3 / 4,
        "{files} {whole}"
    );
}

/// On a cable over which hardly a frame comes whole, a recording is made or given up; it never hangs.
#[test]
fn a_cable_that_is_too_bad_is_given_up() {
    let first = std::env::var("LOOKBACK_SEED").map_or(0, |seed| seed.parse().unwrap());
    for seed in first..first + BAD_RUNS {
        let mut random = Random::new(seed);
        let Plan {
            settings,
            ring_bits,
            script,
            ..
        } = plan(seed);
        let fault = [Fault::Flip, Fault::Drop, Fault::Disconnect][random.below(3) as usize];
        let faults = Faults::default().with(fault, 0.02 + 0.08 * random.fraction());
        let board = Board::new(ring_bits, script);
        let elf = Elf {
            name: "fw.elf".into(),
            bytes: vec![],
        };
        if let Some((file, board)) = survive(seed, board, faults, &settings, elf, |_| {}) {
            judge(seed, &file, &board);
        }
    }
}
