//! Follows what the recorder drives through a board's flattened netlist, and names everything of it
//! that reaches the SoC.

use super::engine::Verdict;
use anyhow::{ensure, Context, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

/// The one signal that may reach the SoC.
const ALLOWED: &str = "recorder.stall";

/// A cell: the bits that it reads and drives.
struct Cell<'a> {
    owner: Owner,
    reads: Vec<&'a Value>,
    drives: Vec<&'a Value>,
}

/// Which part of the board a cell belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Recorder,
    Soc,
    Board,
}

/// Reads what the yosys script wrote.
pub fn walk(path: &Path) -> Result<Verdict> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let netlist: Value = serde_json::from_str(&text)?;
    let modules = netlist["modules"].as_object().context("modules")?;
    ensure!(modules.len() == 1, "the netlist must be flattened");
    let module = modules.values().next().context("counted above")?;
    let leaks = leaks(module)?;
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
fn leaks(module: &Value) -> Result<Vec<String>> {
    let cells: Vec<Cell> = objects(module, "cells")?
        .iter()
        .map(|(name, cell)| read_cell(name, cell))
        .collect::<Result<_>>()?;
    for owner in [Owner::Recorder, Owner::Soc] {
        ensure!(
            cells.iter().any(|cell| cell.owner == owner),
            "the netlist lacks the recorder or the SoC"
        );
    }
    let names = net_names(module)?;
    let stall = objects(module, "netnames")?
        .get(ALLOWED)
        .and_then(|net| net["bits"].get(0))
        .and_then(Value::as_u64)
        .context("the recorder has a stall signal")?;
    let reached = influenced(&cells);
    let mut read: BTreeSet<u64> = BTreeSet::new();
    for cell in cells.iter().filter(|cell| cell.owner == Owner::Soc) {
        read.extend(cell.reads.iter().filter_map(|bit| bit.as_u64()));
    }
    // A board in which nothing reaches the SoC is not the one that is meant.
    ensure!(
        reached.contains(&stall) && read.contains(&stall),
        "stall does not reach the SoC: this is not a board with a recorder"
    );
    read.remove(&stall);
    let leaking = read.iter().filter(|bit| reached.contains(bit));
    let found: BTreeSet<&str> = leaking
        .map(|bit| names.get(bit).copied().unwrap_or("a net without a name"))
        .collect();
    Ok(found.into_iter().map(str::to_owned).collect())
}

/// All bits that the recorder drives, or that cells of the board make of such bits.
fn influenced(cells: &[Cell]) -> HashSet<u64> {
    let mut readers: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, cell) in cells.iter().enumerate() {
        if cell.owner == Owner::Board {
            for bit in cell.reads.iter().filter_map(|bit| bit.as_u64()) {
                readers.entry(bit).or_default().push(at);
            }
        }
    }
    let recorder = cells.iter().filter(|cell| cell.owner == Owner::Recorder);
    let mut todo: Vec<u64> = recorder
        .flat_map(|cell| cell.drives.iter().filter_map(|bit| bit.as_u64()))
        .collect();
    let mut reached = HashSet::new();
    while let Some(bit) = todo.pop() {
        if reached.insert(bit) {
            for &at in readers.get(&bit).into_iter().flatten() {
                todo.extend(cells[at].drives.iter().filter_map(|bit| bit.as_u64()));
            }
        }
    }
    reached
}

fn read_cell<'a>(name: &str, cell: &'a Value) -> Result<Cell<'a>> {
    // Flattened names are `recorder.x` or `$flatten\recorder.$x`.
    let path = name.strip_prefix("$flatten\\").unwrap_or(name);
    let owner = match path.split('.').next() {
        Some("recorder") => Owner::Recorder,
        Some("soc") => Owner::Soc,
        _ => Owner::Board,
    };
    let (mut reads, mut drives) = (Vec::new(), Vec::new());
    for (port, bits) in objects(cell, "connections")? {
        let bits = bits.as_array().context("a connection is a list of bits")?;
        match cell["port_directions"][port].as_str() {
            Some("input") => reads.extend(bits),
            Some("output") => drives.extend(bits),
            _ => {
                reads.extend(bits);
                drives.extend(bits);
            }
        }
    }
    Ok(Cell {
        owner,
        reads,
        drives,
    })
}

/// A name for each bit, the shortest that it has.
fn net_names(module: &Value) -> Result<BTreeMap<u64, &str>> {
    let mut names: BTreeMap<u64, &str> = BTreeMap::new();
    for (name, net) in objects(module, "netnames")? {
        for bit in net["bits"].as_array().into_iter().flatten() {
            if let Some(bit) = bit.as_u64() {
                let best = names.entry(bit).or_insert(name);
                if (name.starts_with('$'), name.len()) < (best.starts_with('$'), best.len()) {
                    *best = name;
                }
            }
        }
    }
    Ok(names)
}

fn objects<'a>(value: &'a Value, key: &str) -> Result<&'a Map<String, Value>> {
    value[key]
        .as_object()
        .with_context(|| format!("the netlist lacks \"{key}\""))
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

    fn board(soc_reads: u64) -> Value {
        json!({
            "cells": {
                "recorder.a": cell(2, 3),
                "$flatten\\recorder.$b": cell(2, 4),
                "glue": cell(4, 5),
                "soc.a": cell(3, 2),
                "soc.b": cell(soc_reads, 9),
            },
            "netnames": {
                "recorder.stall": {"bits": [3]},
                "recorder.log_tx": {"bits": [4]},
                "gpio": {"bits": [5]},
            },
        })
    }

    #[test]
    fn only_stall_may_reach_the_soc() {
        assert!(leaks(&board(6)).expect("a netlist").is_empty());
        assert_eq!(leaks(&board(4)).expect("a netlist"), ["recorder.log_tx"]);
        assert_eq!(leaks(&board(5)).expect("a netlist"), ["gpio"]);
    }
}
