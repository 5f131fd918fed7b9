//! The blocks' checks from the command line: one block for long, planted faults, the Verilog that
//! both are about. `cargo xtask mutate` starts it.

use anyhow::{bail, Context, Result};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use lookback_sim::block::verilated::prepare;
use lookback_sim_tests::blocks::registry::{blocks, Block};
use lookback_sim_tests::blocks::run::Effort;
use lookback_sim_tests::faults::{self, random, Fault, Outcome};
use rayon::prelude::*;
use std::time::Instant;

/// Checks of single hardware blocks.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Plant faults and show that the checks find them.
    Mutate(Mutate),
    /// Run blocks' checks; LOOKBACK_SEED and LOOKBACK_CASES choose how.
    Check {
        /// Part of a block's name.
        #[arg(default_value = "")]
        only: String,
    },
    /// Print a block's Verilog.
    Verilog {
        /// The block's name.
        name: String,
    },
}

#[derive(clap::Args)]
struct Mutate {
    /// Only one fault for each kind of block.
    #[arg(long)]
    quick: bool,
    /// Only faults whose name or block contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Only tell which faults there are.
    #[arg(long)]
    list: bool,
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
    /// Instead of the named faults, so many random ones in each block.
    #[arg(long)]
    random: Option<usize>,
    /// Chooses the random ones.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Mutate(arguments) => mutate(&arguments),
        Task::Check { only } => check(&only),
        Task::Verilog { name } => {
            let block = faults::block(&name).map_err(anyhow::Error::msg)?;
            print!("{}", block.design().map_err(anyhow::Error::msg)?.verilog);
            Ok(())
        }
    }
}

fn check(only: &str) -> Result<()> {
    prepare()?;
    let mut failed = 0;
    for block in blocks().filter(|block| block.name.contains(only)) {
        let start = Instant::now();
        let effort = Effort::from_environment(block.cases);
        let verdict = block.design().and_then(|design| {
            block.guard(&design)?;
            block.cosimulate(&design, &effort)
        });
        let seconds = start.elapsed().as_secs_f64();
        match verdict {
            Ok(()) => println!("{:24} equal  {seconds:6.1} s", block.name),
            Err(difference) => {
                println!("{:24} DIFFERS {seconds:5.1} s\n{difference}", block.name);
                failed += 1;
            }
        }
    }
    if failed > 0 {
        bail!("{failed} blocks differ");
    }
    Ok(())
}

/// A fault to try.
struct Trial {
    name: String,
    block: &'static str,
    what: String,
    plant: Box<dyn Fn() -> Outcome + Send + Sync>,
}

fn named(fault: &'static Fault) -> Trial {
    Trial {
        name: fault.name.into(),
        block: fault.block,
        what: fault.what.into(),
        plant: Box::new(move || fault.plant()),
    }
}

fn random_trials(block: &'static Block, count: usize, seed: u64) -> Result<Vec<Trial>> {
    let design = block.design().map_err(anyhow::Error::msg)?;
    let mutations = random::some(&design.verilog, count, seed);
    let trial = |mutation: random::Mutation| {
        let mut mutant = design.clone();
        mutant.verilog = mutation.apply(&design.verilog);
        Trial {
            name: format!("{}:{}", block.name, mutation.line),
            block: block.name,
            what: format!("{}  =>  {}", mutation.before.trim(), mutation.after.trim()),
            plant: Box::new(move || faults::run(block, &mutant)),
        }
    };
    Ok(mutations.into_iter().map(trial).collect())
}

fn trials(arguments: &Mutate) -> Result<Vec<Trial>> {
    let part = arguments.only.as_str();
    if let Some(count) = arguments.random {
        let chosen = blocks().filter(|block| block.name.contains(part));
        let trials = chosen.map(|block| random_trials(block, count, arguments.seed));
        return Ok(trials
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect());
    }
    let chosen = faults::faults()
        .filter(|fault| fault.name.contains(part) || fault.block.contains(part))
        .filter(|fault| fault.quick || !arguments.quick);
    Ok(chosen.map(named).collect())
}

fn mutate(arguments: &Mutate) -> Result<()> {
    let trials = trials(arguments)?;
    if trials.is_empty() {
        bail!("no fault is called \"{}\"", arguments.only);
    }
    if arguments.list {
        for trial in &trials {
            println!("{:32} {:20} {}", trial.name, trial.block, trial.what);
        }
        println!("{} faults", trials.len());
        return Ok(());
    }
    prepare().context("faults are planted into compiled Verilog")?;
    // A mutant that never settles is caught as a panic: nothing that a reader should see.
    std::panic::set_hook(Box::new(|_| {}));
    let bar = ProgressBar::new(trials.len() as u64);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?);
    let outcomes: Vec<(Outcome, f64)> = trials
        .par_iter()
        .map(|trial| {
            let start = Instant::now();
            bar.set_message(trial.name.clone());
            let outcome = (trial.plant)();
            bar.inc(1);
            (outcome, start.elapsed().as_secs_f64())
        })
        .collect();
    bar.finish_and_clear();
    if arguments.json {
        println!("{:#}", json(&trials, &outcomes));
    } else {
        table(&trials, &outcomes, arguments.random.is_some());
    }
    let caught = |(outcome, _): &&(Outcome, f64)| matches!(outcome, Outcome::Caught(_));
    let missed = outcomes.len() - outcomes.iter().filter(caught).count();
    if missed > 0 {
        bail!("{missed} of {} faults were not caught", outcomes.len());
    }
    Ok(())
}

fn words(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Caught(how) => ("caught", how),
        Outcome::Survived => ("SURVIVED", ""),
        Outcome::Failed(why) => ("FAILED", why),
    }
}

fn table(trials: &[Trial], outcomes: &[(Outcome, f64)], only_missed: bool) {
    println!("{:32} {:20} {:9} seconds", "fault", "block", "outcome");
    for (trial, (outcome, seconds)) in trials.iter().zip(outcomes) {
        let (word, details) = words(outcome);
        if only_missed && word == "caught" {
            continue;
        }
        println!(
            "{:32} {:20} {word:9} {seconds:7.1}",
            trial.name, trial.block
        );
        if word != "caught" {
            println!("    {}", trial.what);
            details.lines().for_each(|line| println!("    {line}"));
        }
    }
    let count = |wanted: &str| {
        outcomes
            .iter()
            .filter(|(o, _)| words(o).0 == wanted)
            .count()
    };
    println!(
        "{} faults: {} caught, {} survived, {} failed",
        outcomes.len(),
        count("caught"),
        count("SURVIVED"),
        count("FAILED")
    );
}

fn json(trials: &[Trial], outcomes: &[(Outcome, f64)]) -> serde_json::Value {
    let one = |(trial, (outcome, seconds)): (&Trial, &(Outcome, f64))| {
        let (word, details) = words(outcome);
        serde_json::json!({
            "fault": trial.name,
            "block": trial.block,
            "what": trial.what,
            "outcome": word.to_lowercase(),
            "details": details,
            "seconds": seconds,
        })
    };
    trials.iter().zip(outcomes).map(one).collect()
}
