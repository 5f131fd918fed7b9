//! Runs one proof, or one of its faults: yosys makes models of it, ABC looks at the cycles after reset
//! and for the points that a run must be able to reach, and yosys' own solver does the step of an
//! induction. z3 only turns a counterexample into a waveform: it is many times slower.

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

/// For the step of an induction: constants that are left open keep their value, signals that are left
/// open do not.
const OPEN: &str = "\
(* techmap_celltype = \"$anyconst\" *)
module open_constant(Y);
    parameter WIDTH = 1;
    output [WIDTH-1:0] Y;
    \\$ff #(.WIDTH(WIDTH)) kept (.D(Y), .Q(Y));
endmodule
(* techmap_celltype = \"$anyseq\" *)
module open_signal(Y);
    parameter WIDTH = 1;
    output [WIDTH-1:0] Y;
endmodule
";

/// A point is reached when the assertion that it is not is violated.
const UNREACHED: &str = "\
(* techmap_celltype = \"$cover\" *)
module unreached(A, EN);
    input A, EN;
    \\$assert never (.A(!A), .EN(EN));
endmodule
";

/// How ABC says that an output is reached.
const ASSERTED: &str = "was asserted in frame";

/// From a model with formal cells to gates.
const GATES: &str = "opt -full; techmap; opt -fast; dffunmap; abc -g AND -fast; opt_clean";

/// Cycles after reset that the long run looks at, for proofs by induction.
const DEEP: u32 = 20;

impl Run<'_> {
    /// The proof itself: it holds, and its assumptions leave something to hold for.
    pub fn prove(&self) -> Result<Verdict> {
        self.prepare(None)?;
        match self.proof.depth {
            Depth::Netlist => return self.netlists(),
            Depth::Induction(cycles) => {
                // The long run looks at far more cycles after reset than the induction needs.
                let begin = if self.long { DEEP } else { cycles };
                for verdict in [self.decide(begin, true)?, self.induce(cycles)?] {
                    if let Verdict::Refuted { .. } = verdict {
                        return Ok(verdict);
                    }
                }
            }
            Depth::Bounded(short, long) => {
                let cycles = if self.long { long } else { short };
                if let refuted @ Verdict::Refuted { .. } = self.decide(cycles, true)? {
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
            _ => self.decide(self.proof.witnesses, false),
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
            if at == 0 {
                for signal in &self.proof.free {
                    text = verilog::set_free(&text, &block.name, signal)?;
                }
            }
            if !scripted {
                text = verilog::abstract_memories(&text, self.proof.memories)?;
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
        let mut script = format!(
            "read_verilog -sv -formal {}; hierarchy -check -top proof; proc; flatten; opt_clean; \
             check -assert; setundef -undriven -anyseq; memory -nordff; opt -fast; opt_clean; \
             dffunmap; {}; chformal -cover -remove; {GATES}; \
             write_aiger -I -B -zinit -map model.aim model.aig",
            files.join(" "),
            match fault {
                None => "write_smt2 -wires model.smt2; design -save both",
                Some(_) => "",
            }
        );
        if fault.is_none() {
            std::fs::write(self.folder.join("open.v"), OPEN)?;
            std::fs::write(self.folder.join("unreached.v"), UNREACHED)?;
            script += "; techmap -map open.v; write_rtlil step.il; design -load both; \
                       chformal -assert -remove; techmap -map unreached.v; ";
            script += &format!("{GATES}; write_aiger -I -B -zinit covers.aig");
        }
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

    /// Lets ABC look at so many cycles after reset; what is violated has to be named for a proof only.
    fn decide(&self, cycles: u32, named: bool) -> Result<Verdict> {
        let script =
            format!("read_aiger model.aig; fold; strash; bmc3 -F {cycles}; write_cex -a model.aiw");
        let output = self.command("yosys-abc", &["-c", &script])?;
        let text = String::from_utf8_lossy(&output.stdout);
        if let Some(line) = text.lines().find(|line| line.contains(ASSERTED)) {
            return match named {
                true => self.waveform(),
                false => Ok(Verdict::Refuted {
                    what: line.trim().to_owned(),
                    waveform: None,
                }),
            };
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
        let name = "induction.vcd";
        let script = format!(
            "read_rtlil step.il; sat -tempinduct -tempinduct-inductonly -seq 1 -maxsteps {cycles} \
             -prove-asserts -set-assumes -dump_vcd {name}"
        );
        let output = self.command("yosys", &["-p", &script])?;
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains("Induction step proven: SUCCESS!") {
            return Ok(Verdict::Proved);
        }
        ensure!(
            text.contains("Reached maximum number of time steps -> proof failed."),
            "{}: yosys gave no verdict:\n{text}{}",
            self.proof.name,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(Verdict::Refuted {
            what: "the step of the induction fails".to_owned(),
            waveform: Some(self.folder.join(name)),
        })
    }

    /// Reaches every `cover`.
    fn cover(&self) -> Result<Verdict> {
        let beside = self.proof.path.parent().context("a file is in a folder")?;
        let mut wanted = 0;
        for file in self.proof.uses.iter().map(|used| beside.join(used)) {
            wanted += covers(&file)?;
        }
        wanted += covers(&self.proof.path)?;
        ensure!(wanted > 0, "{} has no cover", self.proof.name);
        let cycles = self.proof.witnesses;
        let script = format!("read_aiger covers.aig; fold; strash; bmc3 -a -F {cycles}");
        let output = self.command("yosys-abc", &["-c", &script])?;
        let text = String::from_utf8_lossy(&output.stdout);
        let reached = text.lines().filter(|line| line.contains(ASSERTED)).count();
        if reached == wanted {
            return Ok(Verdict::Proved);
        }
        Ok(Verdict::Refuted {
            what: format!("{reached} of {wanted} covers are reached:\n{text}"),
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

/// How many points a file wants to be reached.
fn covers(path: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.matches(": cover (").count())
}

/// A line of yosys-smtbmc without its time.
fn message(line: &str) -> String {
    line.rsplit("  ").next().unwrap_or(line).to_owned()
}
