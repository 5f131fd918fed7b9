//! Runs one proof, or one of its faults: yosys makes a model of it, ABC looks at the cycles after
//! reset, and z3 does the step of an induction, turns ABC's counterexample into a waveform and looks
//! for the points that a run must be able to reach.

use super::cone;
use super::header::{Depth, Fault, Proof};
use super::netlist::Netlist;
use super::{same, verilog};
use anyhow::{bail, ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// yosys-smtbmc with the solver that Debian has; asked anew at each step it is many times faster.
const SMT: [&str; 4] = ["-s", "z3", "--noincr", "--noprogress"];

/// What came out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds.
    Proved,
    /// It does not: what was violated, and a waveform if there is one.
    Refuted {
        /// The assertion, the cover or the leak.
        what: String,
        /// The counterexample.
        waveform: Option<PathBuf>,
    },
}

/// Proves one thing about blocks as they are, or as a fault makes them.
pub struct Run<'a> {
    /// The proof.
    pub proof: &'a Proof,
    /// The blocks' Verilog, in the order of the proof's header.
    pub blocks: &'a [String],
    /// For intermediate files; it is emptied.
    pub folder: &'a Path,
    /// The deeper bound.
    pub long: bool,
}

impl Run<'_> {
    /// The proof itself: it holds, and its assumptions leave something to hold for.
    pub fn prove(&self) -> Result<Verdict> {
        self.prepare(None)?;
        match self.proof.depth {
            Depth::Netlist => return self.netlists(),
            Depth::Induction(cycles) => {
                for step in [Self::decide, Self::induce] {
                    if let refuted @ Verdict::Refuted { .. } = step(self, cycles)? {
                        return Ok(refuted);
                    }
                }
            }
            Depth::Bounded(short, long) => {
                let cycles = if self.long { long } else { short };
                if let refuted @ Verdict::Refuted { .. } = self.decide(cycles)? {
                    return Ok(refuted);
                }
            }
        }
        self.cover()
    }

    /// The proof of a block with a fault: refuted by a run from reset, or the proof is worthless.
    pub fn find(&self, fault: &Fault) -> Result<Verdict> {
        self.prepare(Some(fault))?;
        match self.proof.depth {
            Depth::Netlist => self.netlists(),
            _ => self.decide(self.proof.witnesses),
        }
    }

    /// Writes the blocks, and for the solver the model of both.
    fn prepare(&self, fault: Option<&Fault>) -> Result<()> {
        if self.folder.exists() {
            std::fs::remove_dir_all(self.folder)?;
        }
        std::fs::create_dir_all(self.folder)?;
        let scripted = self.proof.depth == Depth::Netlist;
        for (at, (block, text)) in self.proof.blocks.iter().zip(self.blocks).enumerate() {
            let mut text = text.clone();
            // A fault is in the first block; others are what it is held against.
            if let (0, Some(fault)) = (at, fault) {
                text = verilog::edit(&text, &fault.old, &fault.new)?;
            }
            if !scripted {
                text = verilog::abstract_memories(&text)?;
            }
            std::fs::write(self.folder.join(format!("{}.v", block.name)), text)?;
        }
        if scripted {
            return Ok(());
        }
        let mut files: Vec<String> = self
            .proof
            .blocks
            .iter()
            .map(|block| format!("{}.v", block.name))
            .collect();
        let beside = self.proof.path.parent().context("a file is in a folder")?;
        for used in &self.proof.uses {
            files.push(beside.join(used).display().to_string());
        }
        files.push(self.proof.path.display().to_string());
        // `check` finds a memory whose watched place the proof leaves undriven.
        let script = format!(
            "read_verilog -sv -formal {}; hierarchy -check -top proof; proc; flatten; opt_clean; \
             check -assert; setundef -undriven -anyseq; memory -nordff; opt -fast; opt_clean; \
             dffunmap; write_smt2 -wires model.smt2; chformal -cover -remove; opt -full; \
             techmap; opt -fast; dffunmap; abc -g AND -fast; opt_clean; \
             write_aiger -I -B -zinit -map model.aim model.aig",
            files.join(" ")
        );
        let output = self.command("yosys", &["-q", "-p", &script])?;
        ensure!(
            output.status.success(),
            "{}: yosys cannot read the proof:\n{}",
            self.proof.name,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(())
    }

    /// Runs the proof's own script and looks at the netlists that it writes: one is searched for
    /// leaks, two are compared.
    fn netlists(&self) -> Result<Verdict> {
        let path = self.proof.path.display().to_string();
        let output = self.command("yosys", &["-q", "-s", &path])?;
        ensure!(
            output.status.success(),
            "{}: yosys failed:\n{}",
            self.proof.name,
            String::from_utf8_lossy(&output.stderr)
        );
        let netlists = self
            .proof
            .blocks
            .iter()
            .map(|block| Netlist::read(&self.folder.join(format!("{}.json", block.name))))
            .collect::<Result<Vec<_>>>()?;
        match &netlists[..] {
            [board] => cone::walk(board),
            [board, alone] => same::compare(board, alone),
            _ => bail!("{}: one or two blocks", self.proof.name),
        }
    }

    /// Lets ABC look at so many cycles after reset.
    fn decide(&self, cycles: u32) -> Result<Verdict> {
        let script =
            format!("read_aiger model.aig; fold; strash; bmc3 -F {cycles}; write_cex -a model.aiw");
        let output = self.command("yosys-abc", &["-c", &script])?;
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains("was asserted in frame") {
            return self.waveform();
        }
        ensure!(
            text.contains(&format!("No output asserted in {cycles} frames")),
            "{}: ABC gave no verdict:\n{text}",
            self.proof.name
        );
        Ok(Verdict::Proved)
    }

    /// Runs ABC's counterexample: which assertion it violates, and how.
    fn waveform(&self) -> Result<Verdict> {
        let (name, witness) = ("counterexample.vcd", "model.aim:model.aiw");
        let mut arguments = SMT.to_vec();
        arguments.extend(["--dump-vcd", name, "--aig-noheader", "--aig", witness]);
        arguments.push("model.smt2");
        let output = self.command("yosys-smtbmc", &arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some(line) = text.lines().find(|line| line.contains("Assert failed")) else {
            bail!(
                "{}: ABC's counterexample violates nothing:\n{text}",
                self.proof.name
            );
        };
        Ok(Verdict::Refuted {
            what: message(line),
            waveform: Some(self.folder.join(name)),
        })
    }

    /// The step: after so many cycles in which everything held, it holds in the next.
    fn induce(&self, cycles: u32) -> Result<Verdict> {
        let (name, cycles) = ("induction.vcd", cycles.to_string());
        let mut arguments = SMT.to_vec();
        arguments.extend(["-i", "-t", &cycles, "--dump-vcd", name, "model.smt2"]);
        let output = self.command("yosys-smtbmc", &arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && text.contains("Temporal induction successful.") {
            return Ok(Verdict::Proved);
        }
        // The last assertion named is that of the shortest induction.
        let Some(line) = text.lines().rfind(|line| line.contains("Assert failed")) else {
            bail!("{}: no induction:\n{text}", self.proof.name);
        };
        Ok(Verdict::Refuted {
            what: format!("{} (in the step of the induction)", message(line)),
            waveform: Some(self.folder.join(name)),
        })
    }

    /// Reaches every `cover`.
    fn cover(&self) -> Result<Verdict> {
        let cycles = self.proof.witnesses.to_string();
        let mut arguments = SMT.to_vec();
        arguments.extend(["-c", "-t", &cycles, "model.smt2"]);
        let output = self.command("yosys-smtbmc", &arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && text.contains("Status: PASSED") {
            return Ok(Verdict::Proved);
        }
        let Some(line) = text.lines().find(|line| line.contains("Unreached cover")) else {
            bail!(
                "{}: yosys-smtbmc gave no verdict:\n{text}{}",
                self.proof.name,
                String::from_utf8_lossy(&output.stderr)
            );
        };
        Ok(Verdict::Refuted {
            what: message(line),
            waveform: None,
        })
    }

    fn command(&self, tool: &str, arguments: &[&str]) -> Result<Output> {
        Command::new(tool)
            .current_dir(self.folder)
            .args(arguments)
            .output()
            .with_context(|| format!("cannot run {tool}; `cargo xtask setup` installs it"))
    }
}

/// A line of yosys-smtbmc without its time.
fn message(line: &str) -> String {
    line.rsplit("  ").next().unwrap_or(line).to_owned()
}
