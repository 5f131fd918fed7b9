//! Follows what the recorder drives through a board's flattened netlist, and names everything of it
//! that reaches the SoC.

use super::engine::Verdict;
use super::netlist::Netlist;
use anyhow::{ensure, Context, Result};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What may reach the SoC: the recorder's stall, and the reset that the loader makes of the host's BOOT.
const ALLOWED: [&str; 2] = ["recorder.stall", "loader.soc_reset"];

/// Which part of the board a cell belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Recorder,
    Soc,
    Board,
}

/// Proved when nothing leaks.
pub fn walk(board: &Netlist) -> Result<Verdict> {
    let leaks = leaks(board)?;
    Ok(if leaks.is_empty() {
        Verdict::Proved
    } else {
        Verdict::Refuted {
            what: format!(
                "what the recorder drives reaches the SoC as {}",
                leaks.join(", ")
            ),
            waveform: None,
        }
    })
}

/// Names of the nets that the recorder influences outside of the SoC and the SoC reads.
fn leaks(board: &Netlist) -> Result<Vec<String>> {
    let owners: Vec<Owner> = board.cells.iter().map(|cell| owner(&cell.name)).collect();
    for part in [Owner::Recorder, Owner::Soc] {
        ensure!(
            owners.contains(&part),
            "the netlist lacks the recorder or the SoC"
        );
    }
    let allowed = ALLOWED.map(|name| {
        let bits = board.nets.get(name)?;
        bits.first().and_then(Value::as_u64)
    });
    let reached = influenced(board, &owners);
    let mut read: BTreeSet<u64> = BTreeSet::new();
    for (cell, owner) in board.cells.iter().zip(&owners) {
        if *owner == Owner::Soc {
            read.extend(cell.read_bits().filter_map(Value::as_u64));
        }
    }
    // A board in which nothing reaches the SoC is not the one that is meant.
    for (bit, name) in allowed.iter().zip(ALLOWED) {
        let bit = bit.with_context(|| format!("the board has no signal {name}"))?;
        ensure!(
            reached.contains(&bit),
            "the recorder does not reach {name}: this is not a board with a recorder and a loader"
        );
        read.remove(&bit);
    }
    let leaking = read.iter().filter(|bit| reached.contains(bit));
    let found: BTreeSet<&str> = leaking.map(|bit| board.name(*bit)).collect();
    Ok(found.into_iter().map(str::to_owned).collect())
}

/// All bits that the recorder drives, or that cells of the board make of such bits.
fn influenced(board: &Netlist, owners: &[Owner]) -> HashSet<u64> {
    let driven = |at: usize| {
        let bits = board.cells[at].drives.values().flatten();
        bits.filter_map(Value::as_u64)
    };
    let mut readers: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut todo: Vec<u64> = Vec::new();
    for (at, cell) in board.cells.iter().enumerate() {
        match owners[at] {
            Owner::Board => {
                for bit in cell.read_bits().filter_map(Value::as_u64) {
                    readers.entry(bit).or_default().push(at);
                }
            }
            Owner::Recorder => todo.extend(driven(at)),
            Owner::Soc => {}
        }
    }
    let mut reached = HashSet::new();
    while let Some(bit) = todo.pop() {
        if reached.insert(bit) {
            for &at in readers.get(&bit).into_iter().flatten() {
                todo.extend(driven(at));
            }
        }
    }
    reached
}

/// Flattened names are `recorder.x` or `$flatten\recorder.$x`.
fn owner(name: &str) -> Owner {
    let path = name.strip_prefix("$flatten\\").unwrap_or(name);
    match path.split('.').next() {
        Some("recorder") => Owner::Recorder,
        Some("soc") => Owner::Soc,
        _ => Owner::Board,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cell(input: u64, output: u64) -> Value {
        json!({
            "port_directions": {"A": "input", "Y": "output"},
            "connections": {"A": [input], "Y": [output]},
        })
    }

    fn board(soc_reads: u64) -> Netlist {
        let module = json!({
            "cells": {
                "recorder.a": cell(2, 3),
                "$flatten\\recorder.$b": cell(2, 4),
                "glue": cell(4, 5),
                "loader.a": cell(4, 7),
                "soc.c": cell(7, 8),
                "soc.a": cell(3, 2),
                "soc.b": cell(soc_reads, 9),
            },
            "netnames": {
                "recorder.stall": {"bits": [3]},
                "recorder.log_tx": {"bits": [4]},
                "loader.soc_reset": {"bits": [7]},
                "gpio": {"bits": [5]},
            },
        });
        Netlist::of_module(&module).expect("a netlist")
    }

    #[test]
    fn only_stall_may_reach_the_soc() {
        assert!(leaks(&board(6)).expect("a netlist").is_empty());
        assert_eq!(leaks(&board(4)).expect("a netlist"), ["recorder.log_tx[0]"]);
        assert_eq!(leaks(&board(5)).expect("a netlist"), ["gpio[0]"]);
    }
}
