//! The long way to fuzz: `cargo fuzz`, which needs a nightly toolchain, for some time on each target.

use anyhow::{bail, ensure, Context, Result};
use std::process::{Command, Stdio};

/// Seconds for each target.
const SECONDS: u32 = 120;

/// Fuzzes every target; fails, and says why, where that cannot be done.
pub fn long() -> Result<()> {
    if !works(&["+nightly", "--version"]) {
        bail!("fuzzing needs a nightly toolchain: rustup toolchain install nightly");
    }
    if !works(&["+nightly", "fuzz", "--version"]) {
        bail!("fuzzing needs cargo-fuzz: cargo install cargo-fuzz");
    }
    let manifest = std::fs::read_to_string(crate::root().join("fuzz/Cargo.toml"))?;
    let names = manifest.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"fuzz_targets/")?;
        path.strip_suffix(".rs\"")
    });
    for name in names {
        let corpus = format!("fuzz/corpus/{name}");
        std::fs::create_dir_all(crate::root().join(&corpus))?;
        let status = Command::new("cargo")
            .current_dir(crate::root())
            .env_remove("CARGO")
            .env_remove("RUSTUP_TOOLCHAIN")
            .args(["+nightly", "fuzz", "run", name, &corpus])
            .arg(format!("fuzz/seeds/{name}"))
            .args([
                "--",
                &format!("-max_total_time={SECONDS}"),
                "-rss_limit_mb=2048",
            ])
            .status()
            .context("cannot run cargo fuzz")?;
        ensure!(status.success(), "{name}: cargo fuzz found something");
    }
    Ok(())
}

fn works(arguments: &[&str]) -> bool {
    let status = Command::new("cargo")
        .current_dir(crate::root())
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
