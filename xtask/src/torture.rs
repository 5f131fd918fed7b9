//! `cargo xtask torture`: builds and runs the comparison of all machines on random programs, which
//! lives in `sim-tests` because it needs the simulators.

use crate::setup;
use anyhow::{ensure, Context, Result};
use std::process::Command;

/// Options of `cargo xtask torture`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    /// Options of the comparison; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Runs it and gives its exit status: 0 all agree, 1 they do not, 2 it could not run.
pub fn run(arguments: &Arguments) -> Result<i32> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(crate::root());
    command.args(["run", "--quiet", "--package", "lookback-sim-tests"]);
    command.args(["--bin", "torture", "--"]);
    command.args(&arguments.options);
    if let Some(qemu) = setup::qemu() {
        command.env("LOOKBACK_QEMU_SYSTEM", qemu);
    }
    let status = command.status().context("cannot run cargo")?;
    Ok(status.code().unwrap_or(2))
}

/// The many instructions of the long tests.
pub fn long() -> Result<()> {
    let options = vec!["--long".to_owned()];
    let code = run(&Arguments { options })?;
    ensure!(
        code == 0,
        "the machines do not agree, or could not be compared"
    );
    Ok(())
}
