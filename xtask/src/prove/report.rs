//! What was proved, as a table for people, as JSON for programs, and as the list in the folder's
//! README, which must say the same as the proofs.

use super::engine::Verdict;
use super::header::Proof;
use super::Done;
use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};
use std::path::Path;
use std::time::Duration;

/// Prints a line for each proof and a paragraph for each failure.
pub fn print(proofs: &[&Proof], done: &[Done], elapsed: Duration) {
    let width = proofs.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for proof in proofs {
        let of_proof = |done: &&Done| done.task.proof.name == proof.name;
        let runs: Vec<&Done> = done.iter().filter(of_proof).collect();
        let seconds: f64 = runs.iter().map(|done| done.time.as_secs_f64()).sum();
        let held = runs.iter().any(|d| d.task.fault.is_none() && d.as_wanted());
        let faults = runs.iter().filter(|done| done.task.fault.is_some());
        let found = faults.clone().filter(|done| done.as_wanted()).count();
        println!(
            "{:width$}  {}  {found}/{} faults found  {seconds:5.1} s  {}",
            proof.name,
            if held { "proved" } else { "FAILED" },
            faults.count(),
            proof.depth_text,
        );
        println!("{:width$}  {}", "", proof.proves);
        println!("{:width$}  assuming: {}", "", proof.assumes);
    }
    for done in done.iter().filter(|done| !done.as_wanted()) {
        println!("\n{}", describe(done));
    }
    println!(
        "{} proofs, {} runs in {:.0} s",
        proofs.len(),
        done.len(),
        elapsed.as_secs_f64()
    );
}

fn describe(done: &Done) -> String {
    let name = &done.task.proof.name;
    let fault = done.task.fault.map(|(_, fault)| fault.name.as_str());
    match (&done.verdict, fault) {
        (Err(error), None) => format!("{name}: {error:#}"),
        (Err(error), Some(fault)) => format!("{name}, fault \"{fault}\": {error:#}"),
        (Ok(_), Some(fault)) => format!("{name}: the fault \"{fault}\" was not found"),
        (Ok(Verdict::Refuted { what, waveform }), None) => match waveform {
            Some(path) => format!("{name}: {what}; see {}", path.display()),
            None => format!("{name}: {what}"),
        },
        (Ok(Verdict::Proved), None) => format!("{name}: proved"),
    }
}

/// The same for programs.
pub fn json(proofs: &[&Proof], done: &[Done], elapsed: Duration) -> Value {
    let runs = |proof: &Proof, faults: bool| -> Vec<Value> {
        done.iter()
            .filter(|d| d.task.proof.name == proof.name && d.task.fault.is_some() == faults)
            .map(run)
            .collect()
    };
    let entries: Vec<Value> = proofs
        .iter()
        .map(|proof| {
            json!({
                "name": proof.name,
                "proves": proof.proves,
                "depth": proof.depth_text,
                "assumes": proof.assumes,
                "proof": runs(proof, false).pop(),
                "faults": runs(proof, true),
            })
        })
        .collect();
    json!({
        "passed": done.iter().all(Done::as_wanted),
        "seconds": elapsed.as_secs_f64(),
        "proofs": entries,
    })
}

fn run(done: &Done) -> Value {
    let (violated, waveform) = match &done.verdict {
        Ok(Verdict::Refuted { what, waveform }) => (Some(what.clone()), waveform.as_ref()),
        Ok(Verdict::Proved) => (None, None),
        Err(error) => (Some(format!("{error:#}")), None),
    };
    json!({
        "fault": done.task.fault.map(|(_, fault)| &fault.name),
        "as_wanted": done.as_wanted(),
        "seconds": done.time.as_secs_f64(),
        "violated": violated,
        "waveform": waveform.map(|path| path.display().to_string()),
    })
}

/// Fails when the README's list is not what the proofs' headers say; prints what it should be.
pub fn check_readme(path: &Path, proofs: &[Proof]) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let list = list(proofs);
    ensure!(
        text.contains(&list),
        "{} does not list the proofs as their headers say; the list must be:\n\n{list}",
        path.display()
    );
    Ok(())
}

fn list(proofs: &[Proof]) -> String {
    let mut list =
        String::from("| proof | what it proves | depth | assumes |\n|---|---|---|---|\n");
    for proof in proofs {
        let row = [
            &proof.name,
            &proof.proves,
            &proof.depth_text,
            &proof.assumes,
        ]
        .map(|cell| cell.replace('|', "\\|"));
        list.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    list
}
