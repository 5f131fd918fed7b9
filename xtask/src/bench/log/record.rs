//! Records every program once, on the Verilated board, as many at a time as there are cores.

use super::{progress, Subject};
use crate::bench::build_lookback;
use anyhow::{ensure, Context, Result};
use lookback_log_format::interval::EndReason;
use lookback_replay::Recording;
use rayon::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where a program's recording is.
pub fn path(subject: &Subject, folder: &Path) -> PathBuf {
    folder.join(format!("{}.lbk", subject.name))
}

/// Records what the folder does not have yet.
pub fn record_all(subjects: &[Subject], folder: &Path) -> Result<()> {
    let mut missing = Vec::new();
    for subject in subjects {
        if !is_recorded(subject, folder)? {
            missing.push(subject);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let lookback = build_lookback()?;
    let bar = progress(missing.len(), "recorded");
    // The first one alone: it compiles the board, which the others then find.
    let (first, others) = missing.split_at(1);
    let recorded = first.iter().try_for_each(|subject| {
        let recorded = record(&lookback, subject, folder);
        bar.inc(1);
        recorded
    });
    let recorded = recorded.and_then(|()| {
        others.par_iter().try_for_each(|subject| {
            let recorded = record(&lookback, subject, folder);
            bar.inc(1);
            recorded
        })
    });
    bar.finish_and_clear();
    recorded
}

/// Whether there is a whole recording of this very ELF, to the program's own end.
fn is_recorded(subject: &Subject, folder: &Path) -> Result<bool> {
    let elf =
        fs::read(&subject.elf).with_context(|| format!("cannot read {}", subject.elf.display()))?;
    let Ok(recording) = Recording::open(&path(subject, folder)) else {
        return Ok(false);
    };
    let same = recording.elf.as_ref().is_some_and(|of| of.bytes == elf);
    let ended = recording
        .end
        .as_ref()
        .is_some_and(|end| end.reason == EndReason::RunEnded);
    Ok(same && ended && recording.is_whole())
}

fn record(lookback: &Path, subject: &Subject, folder: &Path) -> Result<()> {
    let name = &subject.name;
    let mut child = Command::new(lookback)
        .args(["record", "--sim", "--engine", "verilator", "--force"])
        .args(["--codec", "compact"])
        .arg("--elf")
        .arg(&subject.elf)
        .arg("-o")
        .arg(path(subject, folder))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run lookback")?;
    if let Some(mut stdin) = child.stdin.take() {
        // Programs that read nothing may have ended already.
        stdin.write_all(&subject.stdin).ok();
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{name} could not be recorded whole:\n{said}"
    );
    Ok(())
}
