//! `cargo xtask bench log`: what a log costs in bits an instruction, by several schemes, on the same
//! retirement stream.
//!
//! Each program is recorded once, on the Verilated board; the recording is verified, and its replay
//! is the stream that every scheme is fed with, at every interval length. `docs/log-size.md` says
//! how to read what comes out.
//!
//! Reading order: [`stream`] (a recording as retirements), [`scheme`] (what a scheme is, and how its
//! bits are counted), the schemes, [`measure`] (all of them over one program), [`table`], [`plot`];
//! [`keys`] and [`ring`] for themselves.

mod etrace;
mod first_loads;
mod keys;
mod measure;
mod ours;
mod plot;
mod record;
mod ring;
mod scheme;
mod squeeze;
mod stream;
mod table;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use lookback_firmware::Program;
use measure::Row;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of `cargo xtask bench log`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Bare-metal ELFs to measure besides the programs of firmware/; they must end by themselves.
    elfs: Vec<PathBuf>,
    /// Measure only the ELFs that are named.
    #[arg(long, requires = "elfs")]
    only: bool,
    /// Where log-size.csv and log-size.svg are written.
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
    /// Keep the recordings here, and do not record again what is here already.
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// Print the rows as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Measure nothing but codec compact, with key groups of several lengths; nothing is written.
    #[arg(long, conflicts_with = "json")]
    keys: bool,
    /// Measure nothing but what an armed ring holds, by the share of it that a key group may take.
    #[arg(long, conflicts_with_all = ["json", "keys"])]
    ring: bool,
}

/// A program to measure.
#[derive(Debug, Clone)]
struct Subject {
    name: String,
    elf: PathBuf,
    /// What it reads from its console.
    stdin: Vec<u8>,
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<()> {
    let subjects = subjects(arguments)?;
    let temporary = tempfile::tempdir()?;
    let kept = arguments.recordings.as_deref();
    let folder = kept.unwrap_or(temporary.path());
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    record::record_all(&subjects, folder)?;
    if arguments.keys {
        print!("{}", keys::table(&subjects, folder)?);
        return Ok(());
    }
    if arguments.ring {
        print!("{}", ring::table(&subjects, folder)?);
        return Ok(());
    }
    let rows = measure_all(&subjects, folder)?;
    write(&arguments.out, "log-size.csv", &table::csv(&rows))?;
    write(&arguments.out, "log-size.svg", &plot::svg(&rows))?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&table::json(&rows))?);
    } else {
        print!("{}", table::text(&rows));
    }
    Ok(())
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let folder = crate::root().join(folder);
    let path = folder.join(name);
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn subjects(arguments: &Arguments) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    if !arguments.only {
        let programs = [
            lookback_firmware::programs()?,
            lookback_firmware::benches()?,
        ];
        subjects.extend(programs.into_iter().flatten().map(of_program));
    }
    for elf in &arguments.elfs {
        let name = elf.file_stem().unwrap_or_default().to_string_lossy();
        subjects.push(Subject {
            name: name.into_owned(),
            elf: elf.clone(),
            stdin: Vec::new(),
        });
    }
    // A name is a row of the table and a file of the recordings.
    for at in 1..subjects.len() {
        let (before, rest) = subjects.split_at_mut(at);
        let taken = |name: &str| before.iter().any(|other| other.name == name);
        let mut number = 2;
        let name = rest[0].name.clone();
        while taken(&rest[0].name) {
            rest[0].name = format!("{name}-{number}");
            number += 1;
        }
    }
    Ok(subjects)
}

fn of_program(program: Program) -> Subject {
    Subject {
        name: program.name,
        elf: program.elf,
        stdin: program.header.stdin,
    }
}

fn measure_all(subjects: &[Subject], folder: &Path) -> Result<Vec<Row>> {
    let bar = progress(subjects.len(), "measured");
    let rows: Result<Vec<Vec<Row>>> = subjects
        .par_iter()
        .map(|subject| {
            let rows = measure::measure(&subject.name, &record::path(subject, folder));
            bar.inc(1);
            rows.with_context(|| subject.name.clone())
        })
        .collect();
    bar.finish_and_clear();
    Ok(rows?.into_iter().flatten().collect())
}

fn progress(programs: usize, done: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} programs {msg}, {elapsed}");
    let bar = ProgressBar::new(programs as u64).with_message(done);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
