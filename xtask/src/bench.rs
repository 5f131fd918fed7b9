//! `cargo xtask bench`: measurements as ratios within one run, because the seconds of two machines
//! cannot be compared.

use crate::{firmware, setup};
use anyhow::{ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often the fastest run is looked for.
const TRIES: usize = 5;

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
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Verify { elfs } => verify(elfs),
    }
}

fn verify(elfs: &[PathBuf]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let lookback = build_lookback()?;
    let elfs = if elfs.is_empty() {
        let elf = folder.path().join("mix.elf");
        let source = lookback_firmware::folder().join("benches/mix.c");
        std::fs::write(&elf, firmware::build_file(&source, folder.path())?)?;
        vec![elf]
    } else {
        elfs.to_vec()
    };
    println!("| program | instructions | bits/instruction | verify, M instructions/s | QEMU | verify : QEMU |");
    println!("|---|---|---|---|---|---|");
    for elf in elfs {
        println!("{}", measure(&lookback, &elf, folder.path())?);
    }
    Ok(())
}

fn measure(lookback: &Path, elf: &Path, folder: &Path) -> Result<String> {
    let name = elf
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let recording = folder.join(format!("{name}.lbk"));
    let status = Command::new(lookback)
        .args([
            "record",
            "--sim",
            "--force",
            "--interval",
            "100000",
            "--elf",
        ])
        .arg(elf)
        .arg("-o")
        .arg(&recording)
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "{name} could not be recorded whole");
    let mut best = f64::INFINITY;
    let (mut instructions, mut bits) = (0.0, 0.0);
    for _ in 0..TRIES {
        let output = Command::new(lookback)
            .env("RAYON_NUM_THREADS", "1")
            .args(["verify", "--json"])
            .arg(&recording)
            .output()?;
        ensure!(output.status.success(), "{name} does not verify");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let number = |pointer| {
            let value = result.pointer(pointer).and_then(serde_json::Value::as_f64);
            value.with_context(|| format!("`verify --json` has no {pointer}"))
        };
        best = best.min(number("/seconds")?);
        instructions = number("/report/totals/instructions")?;
        bits = number("/report/totals/bits_per_instruction")?;
    }
    let ours = instructions / best / 1e6;
    let qemu = qemu_seconds(elf)?.map(|seconds| instructions / seconds / 1e6);
    let (speed, ratio) = match qemu {
        Some(speed) => (format!("{speed:.0}"), format!("{:.3}", ours / speed)),
        None => ("not installed".into(), "–".into()),
    };
    Ok(format!(
        "| {name} | {instructions} | {bits:.3} | {ours:.0} | {speed} | {ratio} |"
    ))
}

/// What a program takes in QEMU beyond one that ends at once.
fn qemu_seconds(elf: &Path) -> Result<Option<f64>> {
    let Some(qemu) = setup::qemu() else {
        return Ok(None);
    };
    let nothing = lookback_firmware::folder().join("prebuilt/exit_code.elf");
    let seconds = |elf: &Path| -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..TRIES {
            let start = Instant::now();
            Command::new(&qemu)
                .args(["-M", "virt", "-bios", "none", "-nographic", "-kernel"])
                .arg(elf)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .status()?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    Ok(Some((seconds(elf)? - seconds(&nothing)?).max(1e-3)))
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
