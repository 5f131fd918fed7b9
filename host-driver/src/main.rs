//! The `lookback` command: reads the command line, runs a subcommand, turns its outcome into an
//! exit status.

use clap::Parser;
use lookback::cmd::open::Unusable;
use lookback::cmd::{Command, Outcome};
use std::io;
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
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let status = if error.is::<Unusable>() { 1 } else { 2 };
            eprintln!("lookback: {error:#}");
            ExitCode::from(status)
        }
    }
}

/// Whoever reads the output has seen enough, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
