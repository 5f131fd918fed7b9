//! The stream of several harts on a bad cable: parcels of all of them, in turns.

use super::board::identity;
use super::*;
use crate::driver::tests::end;
use lookback_log_format::parcel;
use lookback_model::link::Link as Twin;
use std::collections::VecDeque;
use std::io;

/// Seeded runs in every test run.
const RUNS: u64 = 2_000;
/// A run that looks at the link more often than this hangs.
const MOST_LOOKS: u64 = 100_000;

/// A board of several harts: the twin of its link, and what each hart's recorder has to say.
struct Several {
    twin: Twin,
    script: Vec<VecDeque<Record>>,
    written: Vec<Vec<Record>>,
    /// Parcels on their way into the ring, and how far the first has come.
    parcels: VecDeque<Vec<u8>>,
    at: usize,
    now: Duration,
    looks: u64,
}

impl Several {
    fn new(harts: u8, ring_bits: u8, records: Vec<Record>) -> Self {
        let mut script = vec![VecDeque::new(); harts.into()];
        for (n, record) in records.into_iter().enumerate() {
            let hart: &mut VecDeque<Record> = &mut script[n % usize::from(harts)];
            let Record::Interval(mut interval) = record else {
                continue;
            };
            interval.header.index = hart.len() as u32;
            interval.header.retired = hart.len() as u64 * 100;
            hart.push_back(Record::Interval(interval));
        }
        Self {
            twin: Twin::new(&identity(harts, ring_bits)),
            script,
            written: vec![Vec::new(); harts.into()],
            parcels: VecDeque::new(),
            at: 0,
            now: Duration::ZERO,
            looks: 0,
        }
    }

    /// The recorders write what there is room for.
    fn feed(&mut self) {
        while self.twin.started() > 0 {
            if let Some(parcel) = self.parcels.front() {
                let last = self.at + 1 == parcel.len();
                if !self.twin.write(parcel[self.at], last) {
                    return;
                }
                self.at += 1;
                if last {
                    self.parcels.pop_front();
                    self.at = 0;
                }
            } else if !self.twin.recording() || !self.next_records() {
                return;
            }
        }
    }

    /// The next record of each hart, whose parcels take turns; `false` at the end.
    fn next_records(&mut self) -> bool {
        let mut turns = Vec::new();
        for (hart, script) in self.script.iter_mut().enumerate() {
            let Some(record) = script.pop_front() else {
                continue;
            };
            let parcels: VecDeque<_> = parcel::pack(hart as u8, &record.to_bytes()).into();
            self.written[hart].push(record);
            turns.push(parcels);
        }
        if turns.is_empty() {
            let intervals: usize = self.written.iter().map(Vec::len).sum();
            self.twin.end(end(intervals as u64 * 100));
            return false;
        }
        while turns.iter().any(|turn| !turn.is_empty()) {
            let next = turns.iter_mut().filter_map(VecDeque::pop_front);
            self.parcels.extend(next);
        }
        true
    }
}

impl Link for Several {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes.iter().for_each(|&byte| self.twin.hear(byte));
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        self.looks += 1;
        assert!(self.looks < MOST_LOOKS, "it hangs");
        for _ in 0..3 {
            self.feed();
            let Some(frame) = self.twin.speak() else {
                break;
            };
            into.extend(frame.to_wire());
        }
        self.now += if into.is_empty() {
            patience
        } else {
            Duration::from_micros(into.len() as u64 * 10 / 3)
        };
        Ok(())
    }

    fn reset_board(&mut self) -> io::Result<()> {
        self.twin.reset();
        Ok(())
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn name(&self) -> String {
        "the twin".into()
    }
}

fn run(seed: u64) -> Option<(Vec<u8>, Several)> {
    let mut plan = plan(seed);
    plan.settings.may_stall = true;
    let harts = if seed % 2 == 0 { 2 } else { 4 };
    let board = Several::new(harts, plan.ring_bits, plan.script);
    let elf = Elf {
        name: "fw.elf".into(),
        bytes: vec![],
    };
    survive(seed, board, plan.faults, &plan.settings, elf, |config| {
        assert_eq!(config.harts, harts);
        assert_ne!(config.control & link::CONTROL_ACKNOWLEDGED, 0);
    })
}

/// Whether it is whole; asserts that what is not is said to be missing.
fn judge(seed: u64, file: &[u8], board: &Several) -> bool {
    let Ok(recording) = lookback_replay::Recording::from_bytes(file) else {
        return false;
    };
    let mut all = board.script.iter().all(VecDeque::is_empty);
    for (hart, written) in board.written.iter().enumerate() {
        let log = recording.hart(hart as u8);
        let records = log.map_or(&[][..], |log| &log.records);
        for record in records {
            let sent = written.get(record.index() as usize);
            assert_eq!(sent, Some(record), "seed {seed}, hart {hart}: wrong record");
        }
        all &= records.len() == written.len();
    }
    let told = flaws(&recording);
    let whole = all && recording.end.is_some();
    assert_eq!(whole, told.is_empty(), "seed {seed}: {told:?}");
    whole
}

#[test]
fn whatever_the_cable_does_no_hart_loses_anything_silently() {
    let (mut whole, mut files) = (0, 0);
    let first = std::env::var("LOOKBACK_SEED").map_or(0, |seed| seed.parse().unwrap());
    for seed in first..first + RUNS {
        let Ok(outcome) = std::panic::catch_unwind(|| run(seed)) else {
            panic!("seed {seed}");
        };
        if let Some((file, board)) = outcome {
            files += 1;
            whole += u64::from(judge(seed, &file, &board));
        }
    }
    println!("{files} files of {RUNS} runs, {whole} of them whole");
    assert!(
        files > RUNS * 5 / 6 && whole > RUNS * 3 / 4,
        "{files} {whole}"
    );
}
