//! The driver and the recorder's own RTL on a bad cable: every byte crosses the pins of the Verilated
//! board. What comes out replays, and is whole or says what is missing.

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
    preset: &'static str,
    harts: u8,
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
    let (preset, harts, program) = match seed % 8 {
        5 => ("tiny", 2, "harts2/spin_lock"),
        // Codec `compact`.
        6 => ("full", 1, program),
        _ => ("tiny", 1, program),
    };
    // A ring that gives way, and is fetched when a trap or the end freezes it.
    let arm = (seed % 8 == 3).then(|| Arm {
        trap: random.below(2) == 0,
        after: random.below(100) as u32,
        ..Arm::default()
    });
    let path = lookback_firmware::folder().join(format!("prebuilt/{program}.elf"));
    let firmware = Firmware::read(&path).unwrap();
    let settings = Settings {
        interval: 64 << random.below(4),
        may_stall: random.below(3) > 0,
        window: firmware.window(),
        loaded: firmware.loaded_window(),
        compact_interval: 64 << random.below(4),
        arm,
        max_instructions: Some(MOST_INSTRUCTIONS),
        patience: Duration::from_secs(2),
        ..settings()
    };
    Case {
        preset,
        harts,
        faults,
        settings,
        firmware,
    }
}

fn board(case: &Case) -> Hasty {
    let options = BoardOptions {
        preset: case.preset.into(),
        harts: case.harts,
        ram_bytes: RAM_BYTES,
        hold: true,
        ..BoardOptions::default()
    };
    let segments = case.firmware.segments(options.ram_bytes).unwrap();
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
    let elf = case.firmware.elf.clone();
    let check = |config: &RecorderConfig| {
        let acknowledged = config.control & link::CONTROL_ACKNOWLEDGED != 0;
        assert!(
            acknowledged,
            "seed {seed}: the board has no acknowledged link"
        );
    };
    let board = board(&case);
    let outcome = survive(seed, board, case.faults, &case.settings, elf, check);
    outcome.map(|(file, _)| file)
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
    if recording.config.control & reg::CONTROL_RING == 0 {
        assert_eq!(all == end.retired, told.is_empty(), "seed {seed}: {told:?}");
    } else {
        // The last interval never gives way: without any, something is missing.
        assert!(all <= end.retired, "seed {seed}: {told:?}");
        assert!(all > 0 || !told.is_empty(), "seed {seed}");
    }
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
