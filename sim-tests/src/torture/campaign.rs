//! Many batches of random programs from one seed, and what is told when machines disagree.

use super::generate::{program, Profile};
use super::image::Program;
use super::minimise::{minimise, Minimised};
use super::run::{check, Failure, Setup, Stats};
use anyhow::{bail, Context, Result};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Programs of a batch.
pub const BATCH: u64 = 64;
/// Pieces of a program.
const PIECES: usize = 110;
/// Of so many batches one is of profile `Own`.
const OWN_EVERY: u64 = 4;

/// Consecutive programs, by name: `common:0x10`, `own:0x10+64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Programs {
    /// Who has to agree.
    pub profile: Profile,
    /// Seed of the first.
    pub seed: u64,
    /// How many.
    pub count: u64,
}

impl Programs {
    /// The programs themselves.
    pub fn generate(&self) -> Vec<Program> {
        (0..self.count)
            .map(|index| program(self.seed.wrapping_add(index), self.profile, PIECES))
            .collect()
    }

    /// How they are run. Intervals differ from batch to batch.
    pub fn setup(&self) -> Setup {
        Setup {
            interval: [100, 1000, 333, 5000][(self.seed / BATCH % 4) as usize],
            qemu: self.profile == Profile::Common,
            ..Setup::default()
        }
    }
}

impl fmt::Display for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = match self.profile {
            Profile::Common => "common",
            Profile::Own => "own",
        };
        write!(f, "{profile}:{:#x}", self.seed)?;
        if self.count != 1 {
            write!(f, "+{}", self.count)?;
        }
        Ok(())
    }
}

impl FromStr for Programs {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let wanted = "programs are named like common:0x10 or own:0x10+64";
        let (profile, rest) = text.split_once(':').context(wanted)?;
        let profile = match profile {
            "common" => Profile::Common,
            "own" => Profile::Own,
            _ => bail!(wanted),
        };
        let (seed, count) = rest.split_once('+').unwrap_or((rest, "1"));
        let seed = match seed.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => seed.parse(),
        };
        let programs = Self {
            profile,
            seed: seed.context(wanted)?,
            count: count.parse().context(wanted)?,
        };
        if !(1..=super::image::MOST as u64).contains(&programs.count) {
            bail!("a batch has 1 to {} programs", super::image::MOST);
        }
        Ok(programs)
    }
}

/// What a campaign compared.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Instructions of random programs that retired.
    pub instructions: u64,
    /// All that retired, with trap handlers.
    pub retired: u64,
    /// Of `instructions`, those that QEMU agreed on, too.
    pub with_qemu: u64,
    /// Programs.
    pub programs: u64,
    /// Traps by `mcause`.
    pub traps: BTreeMap<u32, u64>,
}

impl Summary {
    /// Adds a batch.
    pub fn add(&mut self, stats: &Stats, qemu: bool) {
        self.instructions += stats.instructions;
        self.retired += stats.retired;
        self.programs += stats.programs;
        if qemu {
            self.with_qemu += stats.instructions;
        }
        for (&cause, count) in &stats.traps {
            *self.traps.entry(cause).or_default() += count;
        }
    }
}

/// Machines disagree on a random program.
#[derive(Debug, Clone)]
pub struct Disagreement {
    /// The program, or the batch if the program fails only in it.
    pub programs: Programs,
    /// How it failed in its batch.
    pub failure: Failure,
    /// The program made small, if it fails by itself.
    pub minimised: Option<Minimised>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.failure)?;
        writeln!(
            f,
            "repeat: cargo xtask torture --programs {}",
            self.programs
        )?;
        match &self.minimised {
            Some(small) => {
                writeln!(f, "minimised ({} runs): {}", small.runs, small.failure)?;
                f.write_str(&small.listing())
            }
            None => f.write_str("it does not fail by itself, so it was not minimised"),
        }
    }
}

/// Runs one batch; if it fails, makes its failing program small.
pub fn run_batch(programs: &Programs) -> Result<Result<Stats, Disagreement>> {
    let setup = programs.setup();
    let generated = programs.generate();
    let failure = match check(&generated, &setup)? {
        Ok(stats) => return Ok(Ok(stats)),
        Err(failure) => failure,
    };
    let mut disagreement = Disagreement {
        programs: *programs,
        failure,
        minimised: None,
    };
    if let Some(index) = disagreement.failure.program {
        let minimised = minimise(&generated[index], &setup)?;
        if minimised.is_some() {
            disagreement.programs.seed += index as u64;
            disagreement.programs.count = 1;
        }
        disagreement.minimised = minimised;
    }
    Ok(Err(disagreement))
}

/// Runs batches until all machines, QEMU included, have agreed on so many instructions.
pub fn run(
    seed: u64,
    instructions: u64,
    seen: &mut dyn FnMut(&Stats, &Summary),
) -> Result<Result<Summary, Disagreement>> {
    let mut summary = Summary::default();
    let mut batch = 0;
    while summary.with_qemu < instructions {
        let profile = match batch % OWN_EVERY {
            1 => Profile::Own,
            _ => Profile::Common,
        };
        let programs = Programs {
            profile,
            seed: seed.wrapping_add(batch * BATCH),
            count: BATCH,
        };
        let stats = match run_batch(&programs)? {
            Ok(stats) => stats,
            Err(disagreement) => return Ok(Err(disagreement)),
        };
        summary.add(&stats, profile == Profile::Common);
        seen(&stats, &summary);
        batch += 1;
    }
    Ok(Ok(summary))
}
