//! `cargo xtask test`: sets up what is missing, then runs every check of the project.

use crate::{bench, bitstream, firmware, fuzz, mutate, prove, setup, synth, torture};
use anyhow::{bail, Context, Result};
use std::process::Command;
use std::time::Instant;

/// Options of `cargo xtask test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the steps whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Run the long steps, too: many more random programs, and deeper proofs.
    #[arg(long)]
    long: bool,
}

type Step = (&'static str, fn() -> Result<()>);

const STEPS: &[Step] = &[
    ("setup", setup::run),
    ("format", || cargo(&["fmt", "--all", "--check"])),
    ("clippy", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ])
    }),
    ("firmware", firmware::check_all),
    ("tests", || {
        cargo(&["test", "--workspace", "--no-fail-fast"])
    }),
    ("planted faults", mutate::quick),
    ("docs", || {
        std::env::set_var("RUSTDOCFLAGS", "-D warnings");
        cargo(&["doc", "--workspace", "--no-deps", "--quiet"])
    }),
    ("proofs", prove::check),
    ("synthesis budget", synth::check),
    ("synthesis of boards", bitstream::check_synthesised),
    ("uart of a board", bitstream::uart::quick),
];

/// What takes too long for every day.
const LONG_STEPS: &[Step] = &[
    ("deeper proofs", prove::check_long),
    ("torture", torture::long),
    ("2 GB over the link", bench::long_link),
    ("fuzzing", fuzz::long),
    ("uarts of all boards", bitstream::uart::long),
    ("place and route of all boards", bitstream::check_placed),
    ("netlists of all boards", bitstream::netlist::long),
];

/// Runs the steps in order; all of them run even when one fails, so that one look shows everything.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut failed = Vec::new();
    let mut passed = 0;
    let long = if arguments.long { LONG_STEPS } else { &[] };
    for (name, step) in STEPS.iter().chain(long) {
        if let Some(only) = &arguments.only {
            if !name.contains(only.as_str()) {
                continue;
            }
        }
        eprintln!("\n== {name}");
        let start = Instant::now();
        match step() {
            Ok(()) => {
                passed += 1;
                eprintln!(
                    "== {name}: passed in {:.0} s",
                    start.elapsed().as_secs_f64()
                );
            }
            Err(error) => {
                eprintln!("== {name}: FAILED: {error:#}");
                failed.push(*name);
            }
        }
        if *name == "setup" && !failed.is_empty() {
            bail!("set-up failed, so nothing else was run");
        }
    }
    println!("steps: {passed} passed, {} failed", failed.len());
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("failed: {}", failed.join(", "))
    }
}

fn cargo(arguments: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(crate::root()).args(arguments);
    if let Some(qemu) = setup::qemu() {
        command.env("LOOKBACK_QEMU_SYSTEM", qemu);
    }
    // Tests that need a tool fail without it instead of passing it over.
    command.env("LOOKBACK_REQUIRE_TOOLS", "1");
    let status = command
        .status()
        .with_context(|| format!("cannot run cargo {}", arguments.join(" ")))?;
    if !status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(())
}
