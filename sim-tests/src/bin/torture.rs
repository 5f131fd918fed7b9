//! `cargo xtask torture`: random programs, as many as wanted, on which all machines have to agree.
//! Exit status: 0 they agree, 1 they do not, 2 the comparison could not run.

use anyhow::Result;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use lookback_sim_tests::torture::campaign::{self, Disagreement, Programs, Summary};
use lookback_sim_tests::torture::generate::Profile;
use std::process::ExitCode;

/// Runs random programs on the hart, the replayer, the reference machine and QEMU.
#[derive(Parser)]
#[command(name = "cargo xtask torture", bin_name = "cargo xtask torture")]
struct Arguments {
    /// Random instructions on which all machines, QEMU included, have to agree.
    #[arg(long, default_value_t = 100_000)]
    instructions: u64,
    /// Ten million instructions.
    #[arg(long, conflicts_with = "instructions")]
    long: bool,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these programs, as a failure names them: `common:0x10`, `own:0x10+64`.
    #[arg(long, conflicts_with_all = ["instructions", "long", "seed"])]
    programs: Option<Programs>,
    /// The result as JSON.
    #[arg(long)]
    json: bool,
}

const LONG: u64 = 10_000_000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(Ok(summary)) => {
            print_summary(&summary, arguments.json);
            ExitCode::SUCCESS
        }
        Ok(Err(disagreement)) => {
            print_disagreement(&disagreement, arguments.json);
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Result<Summary, Disagreement>> {
    if let Some(programs) = &arguments.programs {
        let ran = campaign::run_batch(programs)?;
        return Ok(ran.map(|stats| {
            let mut summary = Summary::default();
            summary.add(&stats, programs.profile == Profile::Common);
            summary
        }));
    }
    let instructions = if arguments.long {
        LONG
    } else {
        arguments.instructions
    };
    let style = "{bar:40} {human_pos} of {human_len} instructions, {elapsed} (eta {eta})";
    let bar = ProgressBar::new(instructions).with_style(ProgressStyle::with_template(style)?);
    bar.tick();
    let ran = campaign::run(arguments.seed, instructions, &mut |_, summary| {
        bar.set_position(summary.with_qemu.min(instructions));
    })?;
    bar.finish_and_clear();
    Ok(ran)
}

fn print_summary(summary: &Summary, json: bool) {
    if json {
        let traps = summary.traps.iter();
        let traps: serde_json::Map<_, _> = traps
            .map(|(cause, &count)| (format!("{cause:#x}"), count.into()))
            .collect();
        let value = serde_json::json!({
            "agree": true,
            "programs": summary.programs,
            "instructions": summary.instructions,
            "instructions_with_qemu": summary.with_qemu,
            "retired": summary.retired,
            "traps": traps,
        });
        println!("{value}");
        return;
    }
    println!(
        "{} programs agree: {} random instructions ({} with QEMU), {} retired in all, {} traps",
        summary.programs,
        summary.instructions,
        summary.with_qemu,
        summary.retired,
        summary.traps.values().sum::<u64>()
    );
}

fn print_disagreement(found: &Disagreement, json: bool) {
    if !json {
        println!("{found}");
        return;
    }
    let small = found.minimised.as_ref();
    let value = serde_json::json!({
        "agree": false,
        "failure": found.failure.title,
        "instruction": found.failure.instruction.as_ref().map(|(_, text)| text),
        "pc": found.failure.instruction.as_ref().map(|(pc, _)| pc),
        "repeat": format!("cargo xtask torture --programs {}", found.programs),
        "minimised": small.map(|small| small.listing()),
        "minimised_failure": small.map(|small| small.failure.to_string()),
    });
    println!("{value}");
}
