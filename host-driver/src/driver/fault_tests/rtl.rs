//! The driver and the recorder's own RTL on a bad cable: every byte crosses the pins of the Verilated
//! board. What comes out replays, and is whole or says what is missing.

use super::disk::{Disk, Rest};
use super::*;
use crate::firmware::Firmware;
use crate::transport::sim::SimLink;
use crate::transport::Link;
use lookback_replay::Image;
use lookback_sim::{Board as SimBoard, BoardOptions, Segment};
use std::io;

/// Seeded runs in every test run.
const RUNS: u64 = 110;
/// Small programs; one of them traps, one talks.
const PROGRAMS: [&str; 3] = ["exit_code", "hello", "traps"];
/// They are short; what runs on is stopped.
const MOST_INSTRUCTIONS: u64 = 1000;
/// So many times faster than a simulated board's own does this one's clock go, so that waiting costs
/// fewer cycles.
const HASTE: u32 = 4;
/// RAM that they need.
const RAM_BYTES: u32 = 1 << 20;

/// A board whose time passes faster.
struct Hasty(SimLink);

impl Link for Hasty {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.send(bytes)
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        self.0.receive(into, patience / HASTE)
    }

    fn reset_board(&mut self) -> io::Result<()> {
        self.0.reset_board()
    }

    fn now(&self) -> Duration {
        self.0.now() * HASTE
    }

    fn retired(&self) -> Option<u64> {
        self.0.retired()
    }

    fn name(&self) -> String {
        self.0.name()
    }
}

struct Case {
    faults: Faults,
    settings: Settings,
    firmware: Firmware,
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed ^ 0xb0a2d);
    let mut faults = Faults::default();
    for (fault, most) in [
        (Fault::Flip, 2e-3),
        (Fault::Drop, 2e-3),
        (Fault::Dup, 2e-3),
        (Fault::Swap, 2e-3),
        (Fault::Burst, 5e-4),
        (Fault::Stall, 5e-4),
        (Fault::Disconnect, 5e-4),
        (Fault::Reset, 2e-4),
    ] {
        if random.below(2) == 0 {
            faults = faults.with(fault, most * random.fraction());
        }
    }
    let program = PROGRAMS[random.below(PROGRAMS.len() as u64) as usize];
    let path = lookback_firmware::folder().join(format!("prebuilt/{program}.elf"));
    let firmware = Firmware::read(&path).unwrap();
    let settings = Settings {
        interval: 64 << random.below(4),
        may_stall: random.below(3) > 0,
        window: firmware.window(),
        loaded: firmware.loaded_window(),
        max_instructions: Some(MOST_INSTRUCTIONS),
        patience: Duration::from_secs(2),
        ..settings()
    };
    Case {
        faults,
        settings,
        firmware,
    }
}

fn board(firmware: &Firmware) -> Hasty {
    let options = BoardOptions {
        preset: "tiny".into(),
        ram_bytes: RAM_BYTES,
        hold: true,
        ..BoardOptions::default()
    };
    let segments = firmware.segments(options.ram_bytes).unwrap();
    let load: Vec<_> = segments
        .iter()
        .map(|segment| Segment {
            address: segment.addr,
            bytes: &segment.bytes,
        })
        .collect();
    let board = SimBoard::new(&options, &load).unwrap();
    Hasty(SimLink::new(board, options.bit_clocks, None))
}

/// The file that comes of a run.
fn run(seed: u64) -> Option<Vec<u8>> {
    let case = case(seed);
    let mut link = Faulty::new(board(&case.firmware), case.faults, seed);
    let mut disk = Disk::new(seed);
    let path = Path::new("t.lbk");
    let mut watcher = Bystander::default();
    let elf = case.firmware.elf.clone();
    let mut result = record(
        &mut link,
        &case.settings,
        |config| {
            let acknowledged = config.control & link::CONTROL_ACKNOWLEDGED != 0;
            assert!(
                acknowledged,
                "seed {seed}: the board has no acknowledged link"
            );
            Recording::begin(path, Rest(&mut disk, 0), config, elf)
        },
        &mut watcher,
    );
    for _ in 0..MOST_RESUMES {
        let again = match &result {
            Ok(summary) => summary.resumable,
            Err(_) => !disk.bytes.is_empty(),
        };
        if !again {
            break;
        }
        if link.restart_host() {
            disk.cut();
        }
        let source = disk.bytes.as_slice();
        let Ok(past) = Past::from_source(path, source, disk.bytes.len() as u64) else {
            break;
        };
        let whole = past.whole as usize;
        disk.bytes.truncate(whole);
        disk.safe = whole;
        let intervals = past.summary.intervals;
        let rest = Rest(&mut disk, whole);
        let mut recording = Recording::resume(path, rest, whole as u64, intervals);
        let _ = link.reopen();
        result = resume(
            &mut link,
            &case.settings,
            past,
            &mut recording,
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
    (!disk.bytes.is_empty()).then_some(disk.bytes)
}

/// Whether it is whole; asserts that everything in it replays, and that what is not in it is told.
fn judge(seed: u64, file: &[u8]) -> bool {
    let Ok(recording) = lookback_replay::Recording::from_bytes(file) else {
        // The power went before the first chunk was on disk.
        return false;
    };
    let elf = recording.elf.as_ref().expect("the ELF comes first");
    let image = std::sync::Arc::new(Image::parse(&elf.bytes).unwrap());
    let report = lookback_replay::verify(&recording, &image, |_, _| {});
    let totals = &report.totals;
    assert_eq!(
        totals.intervals_ok, totals.intervals,
        "seed {seed}: {report:?}"
    );
    let told = flaws(&recording);
    let Some(end) = &recording.end else {
        let said = told.iter().any(|flaw| flaw.contains("cut off"));
        assert!(said, "seed {seed}: {told:?}");
        return false;
    };
    let all = totals.instructions + end.lost;
    assert_eq!(all == end.retired, told.is_empty(), "seed {seed}: {told:?}");
    told.is_empty()
}

#[test]
fn whatever_the_cable_does_the_rtl_loses_nothing_silently() {
    let first = std::env::var("LOOKBACK_SEED").map_or(0, |seed| seed.parse().unwrap());
    let (mut whole, mut files) = (0, 0);
    for seed in first..first + RUNS {
        let Ok(outcome) = std::panic::catch_unwind(|| run(seed)) else {
            panic!("seed {seed}");
        };
        if let Some(file) = outcome {
            files += 1;
            whole += u64::from(judge(seed, &file));
        }
    }
    println!("{files} files of {RUNS} runs, {whole} of them whole");
    assert!(
        files > RUNS * 5 / 6 && whole > RUNS * 2 / 3,
        "{files} {whole}"
    );
}
