//! `cargo xtask mutate`: plants faults into the Verilog of blocks and shows that their checks find
//! each. The work is done by the `blocks` command of `sim-tests`, which knows the blocks.

use anyhow::{bail, Context, Result};
use std::process::Command;

/// Options of `cargo xtask mutate`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Only one fault for each kind of block.
    #[arg(long)]
    quick: bool,
    /// Only faults whose name or block contains this.
    #[arg(long)]
    only: Option<String>,
    /// Only tell which faults there are.
    #[arg(long)]
    list: bool,
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
    /// Instead of the named faults, so many random ones in each block; survivors are listed.
    #[arg(long)]
    random: Option<usize>,
    /// Chooses the random ones.
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs them; a fault that is not caught is a failure.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut options: Vec<String> = Vec::new();
    for (is, name) in [
        (arguments.quick, "--quick"),
        (arguments.list, "--list"),
        (arguments.json, "--json"),
    ] {
        if is {
            options.push(name.into());
        }
    }
    if let Some(only) = &arguments.only {
        options.extend(["--only".into(), only.clone()]);
    }
    if let Some(count) = arguments.random {
        options.extend(["--random".into(), count.to_string()]);
    }
    if let Some(seed) = arguments.seed {
        options.extend(["--seed".into(), seed.to_string()]);
    }
    start(&options)
}

/// One fault for each kind of block, for every test run.
pub fn quick() -> Result<()> {
    start(&["--quick".into()])
}

fn start(options: &[String]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(crate::root())
        .args([
            "run",
            "--quiet",
            "-p",
            "lookback-sim-tests",
            "--bin",
            "blocks",
            "--",
        ])
        .arg("mutate")
        .args(options)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("not every fault was caught");
    }
    Ok(())
}
