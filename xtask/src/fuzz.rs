//! The long way to fuzz: `cargo fuzz`, for some time on each target.
//!
//! It asks the compiler for what only a nightly one gives. Where there is none, the toolchain of the
//! project is told to give it as well, without the sanitizer: nearly all of the code is safe Rust,
//! and what is looked for are panics, hangs and memory without bounds.

use anyhow::{ensure, Context, Result};
use std::process::{Command, Stdio};

/// Seconds for each target, unless the variable says otherwise.
const SECONDS: u32 = 120;
const SECONDS_VARIABLE: &str = "LOOKBACK_FUZZ_SECONDS";

/// Fuzzes every target; fails, and says why, where that cannot be done.
pub fn long() -> Result<()> {
    let nightly = works(&["+nightly", "--version"]);
    if !works(&["fuzz", "--version"]) {
        let status = cargo().args(["install", "cargo-fuzz", "--locked"]).status();
        let installed = status.is_ok_and(|status| status.success());
        ensure!(
            installed,
            "fuzzing needs cargo-fuzz: cargo install cargo-fuzz"
        );
    }
    let seconds = match std::env::var(SECONDS_VARIABLE) {
        Ok(seconds) => seconds.parse().context(SECONDS_VARIABLE)?,
        Err(_) => SECONDS,
    };
    let manifest = std::fs::read_to_string(crate::root().join("fuzz/Cargo.toml"))?;
    let names = manifest.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"fuzz_targets/")?;
        path.strip_suffix(".rs\"")
    });
    for name in names {
        eprintln!("fuzzing {name} for {seconds} s");
        let corpus = format!("fuzz/corpus/{name}");
        std::fs::create_dir_all(crate::root().join(&corpus))?;
        let mut fuzz = cargo();
        if nightly {
            fuzz.arg("+nightly").args(["fuzz", "run", name, &corpus]);
        } else {
            fuzz.env("RUSTC_BOOTSTRAP", "1");
            fuzz.args(["fuzz", "run", "--sanitizer", "none", name, &corpus]);
        }
        let status = fuzz
            .arg(format!("fuzz/seeds/{name}"))
            .args([
                "--",
                &format!("-max_total_time={seconds}"),
                "-rss_limit_mb=2048",
                // An input that takes longer hangs.
                "-timeout=60",
            ])
            .status()
            .context("cannot run cargo fuzz")?;
        ensure!(status.success(), "{name}: cargo fuzz found something");
    }
    Ok(())
}

/// Cargo as a user starts it, not as `cargo xtask` was.
fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command
        .current_dir(crate::root())
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}

fn works(arguments: &[&str]) -> bool {
    let status = cargo()
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
