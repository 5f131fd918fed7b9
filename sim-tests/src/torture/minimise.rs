//! Makes a failing program small: leaves out pieces as long as it still fails in the same way.

use super::image::Program;
use super::item::{count, lay_out, Item};
use super::run::{check, Failure, Setup};
use anyhow::Result;
use lookback_replay::disasm::disassemble;
use std::fmt::Write;

/// Runs that a minimisation may take.
const MOST_RUNS: usize = 300;

/// A small program that still fails, and how.
#[derive(Debug, Clone)]
pub struct Minimised {
    /// The program.
    pub program: Program,
    /// How it fails.
    pub failure: Failure,
    /// Runs that it took.
    pub runs: usize,
}

impl Minimised {
    /// The program's words with their meaning; addresses count from its first instruction.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        for (index, word) in lay_out(&self.program.items).into_iter().enumerate() {
            let at = 4 * index as u32;
            let line = writeln!(text, "  {at:5x}: {word:08x}  {}", disassemble(word, at));
            line.expect("text grows without fail");
        }
        text
    }

    /// Pieces that are left.
    pub fn pieces(&self) -> usize {
        count(&self.program.items)
    }
}

/// Minimises a program; `None` if it does not fail by itself.
pub fn minimise(program: &Program, setup: &Setup) -> Result<Option<Minimised>> {
    let fails = |program: &Program| Ok(check(std::slice::from_ref(program), setup)?.err());
    minimise_with(program, fails)
}

/// The same with any way to find out whether a program fails.
pub fn minimise_with(
    program: &Program,
    mut fails: impl FnMut(&Program) -> Result<Option<Failure>>,
) -> Result<Option<Minimised>> {
    let Some(failure) = fails(program)? else {
        return Ok(None);
    };
    let mut best = Minimised {
        program: program.clone(),
        failure,
        runs: 1,
    };
    loop {
        let before = best.program.items.clone();
        let mut chunk = best.program.items.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < best.program.items.len() {
                let mut items = best.program.items.clone();
                items.drain(at..(at + chunk).min(items.len()));
                if !attempt(&mut best, items, &mut fails)? {
                    at += chunk;
                }
            }
            if chunk == 1 {
                break;
            }
            chunk = chunk.div_ceil(2);
        }
        unroll(&mut best, &mut fails)?;
        if best.program.items == before || best.runs >= MOST_RUNS {
            return Ok(Some(best));
        }
    }
}

/// Replaces loops by what they repeat.
fn unroll(
    best: &mut Minimised,
    fails: &mut impl FnMut(&Program) -> Result<Option<Failure>>,
) -> Result<()> {
    let mut at = 0;
    while at < best.program.items.len() {
        if let Item::Loop { body, .. } = &best.program.items[at] {
            let mut items = best.program.items.clone();
            items.splice(at..=at, body.clone());
            attempt(best, items, fails)?;
        }
        at += 1;
    }
    Ok(())
}

fn attempt(
    best: &mut Minimised,
    items: Vec<Item>,
    fails: &mut impl FnMut(&Program) -> Result<Option<Failure>>,
) -> Result<bool> {
    if best.runs >= MOST_RUNS {
        return Ok(false);
    }
    best.runs += 1;
    let program = Program {
        items,
        ..best.program.clone()
    };
    let failure = fails(&program)?.filter(|failure| failure.kind == best.failure.kind);
    let failed = failure.is_some();
    if let Some(failure) = failure {
        (best.program, best.failure) = (program, failure);
    }
    Ok(failed)
}
