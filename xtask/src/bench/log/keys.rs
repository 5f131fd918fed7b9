//! What the length of a key group does to the log: codec `compact` alone, at the interval length that
//! `lookback record` uses.

use super::ours::Ours;
use super::scheme::Scheme;
use super::stream::for_each;
use super::{record, Subject};
use anyhow::{Context, Result};
use lookback_replay::Recording;
use rayon::prelude::*;
use std::path::Path;

/// Instructions an interval.
const INTERVAL: u32 = 100_000;
/// Intervals a group.
const KEYS: [u16; 5] = [1, 10, 30, 100, 1000];

/// Bits an instruction of the programs that fill ten intervals.
pub fn table(subjects: &[Subject], folder: &Path) -> Result<String> {
    let rows: Result<Vec<_>> = subjects
        .par_iter()
        .map(|subject| {
            let row = measure(&record::path(subject, folder));
            row.with_context(|| subject.name.clone())
        })
        .collect();
    let rows = rows?;
    let long = |(_, (instructions, _)): &(&Subject, &(u64, _))| *instructions >= 1_000_000;
    let rows: Vec<_> = subjects.iter().zip(&rows).filter(long).collect();
    let titles = KEYS.map(|key| format!(" {key} |")).concat();
    let mut text = format!(
        "Bits an instruction, intervals of {INTERVAL}, by intervals a key group:\n\n\
         | program | instructions |{titles}\n|---|---|{}\n",
        "---|".repeat(KEYS.len())
    );
    for (subject, (instructions, each)) in &rows {
        let cells = each.map(|bpi| format!(" {bpi:.4} |")).concat();
        text += &format!("| {} | {instructions} |{cells}\n", subject.name);
    }
    let count = rows.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| {
        let cells = (0..KEYS.len()).map(|at| format!(" **{:.4}** |", of(at)));
        cells.collect::<String>()
    };
    let sum = |at: usize, each: fn(f64) -> f64| -> f64 {
        rows.iter().map(|(_, (_, bpi))| each(bpi[at])).sum()
    };
    let geometric = mean(&|at| (sum(at, f64::ln) / count).exp());
    let arithmetic = mean(&|at| sum(at, |bpi| bpi) / count);
    text +=
        &format!("| **geometric mean** | |{geometric}\n| **arithmetic mean** | |{arithmetic}\n");
    Ok(text)
}

/// Instructions, and bits an instruction for each length of a group.
fn measure(path: &Path) -> Result<(u64, [f64; KEYS.len()])> {
    let recording = Recording::open(path)?;
    let image = recording.image(None)?;
    let mut schemes = Vec::new();
    for key in KEYS {
        schemes.push(Ours::compact(&recording.config, &image, INTERVAL, key)?);
    }
    let mut bits = [0; KEYS.len()];
    let mut instructions = 0;
    for_each(&recording, &image, &mut |event| {
        instructions += u64::from(event.is_retirement());
        for (scheme, bits) in schemes.iter_mut().zip(&mut bits) {
            *bits += scheme.event(event)?;
        }
        Ok(())
    })?;
    for (scheme, bits) in schemes.iter_mut().zip(&mut bits) {
        *bits += scheme.finish()?;
    }
    Ok((
        instructions,
        bits.map(|bits| bits as f64 / instructions as f64),
    ))
}
