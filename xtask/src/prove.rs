//! `cargo xtask prove`: the proofs in `formal/`, about the Verilog of the presets.
//!
//! Every proof also names faults of the hardware that it must find, and points that a run must be
//! able to reach: a proof that cannot fail, or whose assumptions contradict each other, says
//! nothing.

mod cone;
mod engine;
mod header;
mod netlist;
mod report;
mod same;
mod verilog;

use anyhow::{ensure, Context, Result};
use engine::{Run, Verdict};
use header::{Fault, Proof};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Options of `cargo xtask prove`.
#[derive(clap::Args, Default)]
pub struct Arguments {
    /// Proofs in formal/; all when none is named.
    names: Vec<String>,
    /// Go deeper: more cycles after reset for every proof, as its line "Depth" says (also done by
    /// `cargo xtask test --long`).
    #[arg(long)]
    long: bool,
    /// Leave out the seeded faults.
    #[arg(long)]
    no_faults: bool,
    /// Print a JSON document instead of a table.
    #[arg(long)]
    json: bool,
}

/// One thing to run: a proof, or a fault that it must find.
struct Task<'a> {
    proof: &'a Proof,
    fault: Option<(usize, &'a Fault)>,
}

/// What a task gave.
struct Done<'a> {
    task: &'a Task<'a>,
    verdict: Result<Verdict>,
    time: Duration,
}

impl Done<'_> {
    /// A proof must hold, a fault must be found.
    fn as_wanted(&self) -> bool {
        match (&self.verdict, self.task.fault) {
            (Ok(Verdict::Proved), None) | (Ok(Verdict::Refuted { .. }), Some(_)) => true,
            (Ok(_), _) | (Err(_), _) => false,
        }
    }
}

/// The ordinary run, a step of `cargo xtask test`.
pub fn check() -> Result<()> {
    run(&Arguments::default())
}

/// The deeper run, the same step of `cargo xtask test --long`.
pub fn check_long() -> Result<()> {
    run(&Arguments {
        long: true,
        ..Arguments::default()
    })
}

/// Runs the proofs that are asked for; fails when one does not hold or misses a fault.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = crate::root().join("formal");
    let all = header::read_all(&folder)?;
    report::check_readme(&folder.join("README.md"), &all)?;
    for name in &arguments.names {
        let known: Vec<&str> = all.iter().map(|proof| proof.name.as_str()).collect();
        ensure!(
            known.contains(&name.as_str()),
            "no proof is called \"{name}\"; there are: {}",
            known.join(", ")
        );
    }
    let proofs: Vec<&Proof> = all
        .iter()
        .filter(|proof| arguments.names.is_empty() || arguments.names.contains(&proof.name))
        .collect();
    let designs = designs(&proofs)?;
    let tasks = tasks(&proofs, !arguments.no_faults);
    let start = Instant::now();
    let done = run_tasks(&tasks, &designs, arguments.long)?;
    if arguments.json {
        println!("{:#}", report::json(&proofs, &done, start.elapsed()));
    } else {
        report::print(&proofs, &done, start.elapsed());
    }
    let failed = done.iter().filter(|done| !done.as_wanted()).count();
    ensure!(failed == 0, "{failed} of {} runs failed", done.len());
    Ok(())
}

/// The blocks of each proof, by the proof's name.
fn designs(proofs: &[&Proof]) -> Result<BTreeMap<String, Vec<String>>> {
    let mut presets: BTreeMap<&str, lookback_rtl_gen::Design> = BTreeMap::new();
    let mut designs = BTreeMap::new();
    for proof in proofs {
        let mut blocks = Vec::new();
        for block in &proof.blocks {
            if !presets.contains_key(block.preset.as_str()) {
                let design = lookback_rtl_gen::find(&block.preset)?.generate()?;
                presets.insert(&block.preset, design);
            }
            let design = &presets[block.preset.as_str()];
            blocks.push(
                verilog::extract(&design.verilog, &design.top, block)
                    .with_context(|| proof.path.display().to_string())?,
            );
        }
        designs.insert(proof.name.clone(), blocks);
    }
    Ok(designs)
}

/// Proofs before faults: they take longer.
fn tasks<'a>(proofs: &[&'a Proof], faults: bool) -> Vec<Task<'a>> {
    let mut tasks: Vec<Task> = proofs
        .iter()
        .map(|proof| Task { proof, fault: None })
        .collect();
    if faults {
        for proof in proofs {
            tasks.extend(proof.faults.iter().enumerate().map(|fault| Task {
                proof,
                fault: Some(fault),
            }));
        }
    }
    tasks
}

/// As many at a time as there are processors.
fn run_tasks<'a>(
    tasks: &'a [Task<'a>],
    designs: &BTreeMap<String, Vec<String>>,
    long: bool,
) -> Result<Vec<Done<'a>>> {
    let bar = ProgressBar::new(tasks.len() as u64);
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} {elapsed} {wide_msg}",
    )?);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    bar.set_message(task.proof.name.clone());
                    let start = Instant::now();
                    let verdict = run_task(task, &designs[&task.proof.name], long);
                    let time = start.elapsed();
                    let mut done = done.lock().expect("no worker panics");
                    done.push(Done {
                        task,
                        verdict,
                        time,
                    });
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    Ok(done.into_inner().expect("no worker panics"))
}

fn run_task(task: &Task, blocks: &[String], long: bool) -> Result<Verdict> {
    let mut folder: PathBuf = crate::root().join("target/prove").join(&task.proof.name);
    folder.push(match task.fault {
        None => "proof".to_owned(),
        Some((number, _)) => format!("fault-{}", number + 1),
    });
    let run = Run {
        proof: task.proof,
        blocks,
        folder: &folder,
        long,
    };
    match task.fault {
        None => run.prove(),
        Some((_, fault)) => run.find(fault),
    }
}
