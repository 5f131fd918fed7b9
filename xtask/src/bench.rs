//! `cargo xtask bench`: measurements as ratios within one run, because the seconds of two machines
//! cannot be compared.

mod link;
mod log;
mod order;
mod verify;

use anyhow::{ensure, Context, Result};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Options of `cargo xtask bench`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Speed of `lookback verify` on one core, against QEMU running the same ELF.
    Verify {
        /// Bare-metal ELFs for QEMU's `virt` machine that end through its test finisher; the
        /// project's own mix when none is named.
        elfs: Vec<PathBuf>,
    },
    /// Size of the log in bits an instruction, against other ways to trace the same run.
    Log(log::Arguments),
    /// Size of the log of the order of several harts, against point-to-point logging.
    Order(order::Arguments),
    /// How well the acknowledged link is used at a rate, and what it costs the host.
    Link(link::Arguments),
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Verify { elfs } => verify::run(elfs),
        What::Log(arguments) => log::run(arguments),
        What::Order(arguments) => order::run(arguments),
        What::Link(arguments) => link::run(&build_lookback()?, arguments),
    }
}

/// A stream far longer than memory should be, as fast as it goes.
pub fn long_link() -> Result<()> {
    link::run(&build_lookback()?, &link::Arguments::long())
}

fn build_lookback() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(crate::root())
        .args([
            "build",
            "--release",
            "--package",
            "lookback",
            "--message-format=json",
        ])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "lookback could not be built");
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let found = messages
        .filter_map(|message: serde_json::Value| Some(message["executable"].as_str()?.to_owned()))
        .next_back();
    found
        .map(PathBuf::from)
        .context("cargo built no executable")
}
