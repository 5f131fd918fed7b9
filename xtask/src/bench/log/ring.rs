//! What an armed recorder's ring holds, by the share of it at which a key group ends: codec `compact`
//! alone, at the interval length and ring of the preset `full`, and in smaller rings.
//!
//! The golden recorder writes the log and is told to cut as the ring would tell it. A trigger may come
//! at any moment, so what the ring would hold is looked at all through the second half of a run.

use super::ours::full;
use super::stream::{for_each, Event};
use super::{record, Subject};
use anyhow::{Context, Result};
use lookback_log_format::interval::EndReason;
use lookback_model::Recorder;
use lookback_replay::Recording;
use rayon::prelude::*;
use std::path::Path;

/// Instructions an interval, as `lookback record --arm` has them; nothing but a cut ends a group.
const INTERVAL: u32 = 1_000_000;
/// Sixteenths of the ring at which a key group ends.
const SHARES: [u64; 5] = [4, 6, 8, 10, 12];
/// Logarithms of the ring's bytes; that of the preset comes first.
const RINGS: [u32; 2] = [16, 14];
/// Moments are so many instructions apart.
const STEP: u64 = 997;

/// A recorder with a ring.
struct Ring {
    recorder: Recorder,
    bytes: u64,
    share: u64,
    retired: u64,
    closed: u64,
    cutting: bool,
    /// Where the groups begin that are held: bytes before them, and instructions.
    groups: Vec<(u64, u64)>,
    /// Instructions held at each moment.
    held: Vec<u64>,
}

impl Ring {
    fn new(recorder: Recorder, ring_bits: u32, sixteenths: u64) -> Self {
        let bytes = 1 << ring_bits;
        Self {
            recorder,
            bytes,
            share: bytes * sixteenths / 16,
            retired: 0,
            closed: 0,
            cutting: false,
            groups: vec![(0, 0)],
            held: Vec::new(),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Snoop { addr, mask } => return self.recorder.snoop(addr, mask),
            Event::Retire(retire) => self.recorder.retire(retire, 0),
        }
        self.retired += 1;
        for record in self.recorder.take_records() {
            self.closed += record.to_bytes().len() as u64;
            if self.cutting {
                self.groups.push((self.closed, self.retired));
                self.cutting = false;
            }
        }
        let open = self.recorder.open_bits().unwrap_or(0) / 8;
        let written = self.closed + open;
        let newest = self.groups.last().map_or(0, |group| group.0);
        if written - newest >= self.share && !self.cutting {
            self.recorder.cut();
            self.cutting = true;
        }
        if self.retired.is_multiple_of(STEP) {
            // The last place of the ring is never used.
            let gone = |group: &&(u64, u64)| written - group.0 >= self.bytes;
            let gone = self.groups.iter().take_while(gone).count();
            self.groups
                .drain(..gone.min(self.groups.len().saturating_sub(1)));
            let oldest = self.groups.first().map_or(0, |group| group.1);
            self.held.push(self.retired - oldest);
        }
    }

    /// Mean and least of what is held in the second half of the run.
    fn result(&self) -> (f64, u64) {
        let late = &self.held[self.held.len() / 2..];
        let sum: u64 = late.iter().sum();
        let least = late.iter().copied().min().unwrap_or(0);
        (sum as f64 / late.len().max(1) as f64, least)
    }
}

/// Thousands of instructions held, mean and least, of the programs of a million instructions or more.
pub fn table(subjects: &[Subject], folder: &Path) -> Result<String> {
    let rows: Result<Vec<_>> = subjects
        .par_iter()
        .map(|subject| {
            let row = measure(&record::path(subject, folder));
            row.with_context(|| subject.name.clone())
        })
        .collect();
    let rows = rows?;
    let mut text = String::new();
    for (at, ring) in RINGS.iter().enumerate() {
        let titles = SHARES.map(|share| format!(" {share}/16 |")).concat();
        text += &format!(
            "\nThousands of instructions held by a ring of {} bytes, mean / least, by the share at \
             which a key group ends:\n\n| program | thousands |{titles}\n|---|---|{}\n",
            1 << ring,
            "---|".repeat(SHARES.len())
        );
        for (subject, (retired, held)) in subjects.iter().zip(&rows) {
            if *retired >= 1_000_000 {
                let cells = held[at].map(|(mean, least)| {
                    format!(" {:.0} / {:.0} |", mean / 1e3, least as f64 / 1e3)
                });
                let thousands = retired / 1000;
                text += &format!("| {} | {thousands} |{}\n", subject.name, cells.concat());
            }
        }
    }
    Ok(text)
}

/// Mean and least for each ring and share.
type Held = [[(f64, u64); SHARES.len()]; RINGS.len()];

fn measure(path: &Path) -> Result<(u64, Held)> {
    let recording = Recording::open(path)?;
    let image = recording.image(None)?;
    let config = full(&recording.config, image.loaded_window(), INTERVAL, u16::MAX)?;
    let mut rings =
        RINGS.map(|bits| SHARES.map(|share| Ring::new(Recorder::new(&config), bits, share)));
    for_each(&recording, &image, &mut |event| {
        for ring in rings.iter_mut().flatten() {
            ring.event(event);
        }
        Ok(())
    })?;
    for ring in rings.iter_mut().flatten() {
        ring.recorder.stop(EndReason::RunEnded, 0);
    }
    let retired = rings[0][0].retired;
    Ok((retired, rings.map(|rings| rings.map(|ring| ring.result()))))
}
