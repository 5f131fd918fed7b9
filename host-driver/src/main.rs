//! The `lookback` command: reads the command line, runs a subcommand, turns its outcome into an
//! exit status.

use clap::Parser;
use lookback::cmd::open::Unusable;
use lookback::cmd::{Command, Outcome, OutputClosed};
use std::process::ExitCode;

/// Flight recorder and time-travel debugger for RISC-V soft cores.
///
/// Exit status: 0 fine, 1 the recording is not whole or does not replay, 2 the command could not run.
#[derive(Parser)]
#[command(name = "lookback", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Flawed) => ExitCode::from(1),
        // Whoever reads the output has seen enough, as `head` does.
        Err(error) if error.is::<OutputClosed>() => ExitCode::SUCCESS,
        Err(error) => {
            let status = if error.is::<Unusable>() { 1 } else { 2 };
            eprintln!("lookback: {error:#}");
            ExitCode::from(status)
        }
    }
}
