//! `cargo xtask bench verify`: how fast `lookback verify` replays, against QEMU running the same ELF.

use super::build_lookback;
use crate::setup;
use anyhow::{ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often the fastest run is looked for.
const TRIES: usize = 5;

/// Measures these ELFs, or the project's own mix.
pub fn run(elfs: &[PathBuf]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let lookback = build_lookback()?;
    let elfs = if elfs.is_empty() {
        vec![lookback_firmware::folder().join("prebuilt/benches/mix.elf")]
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
            // Replay is measured, not the coder: codec compact has much more to decode.
            "--codec",
            "bugnet",
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
