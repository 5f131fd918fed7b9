//! The project's own tasks, one file a subcommand.

mod firmware;

use clap::{Parser, Subcommand};

/// Tasks of the Lookback project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Rebuild the firmware programs' ELFs.
    Firmware(firmware::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Firmware(arguments) => firmware::run(&arguments),
    }
}
