//! Compares two flattened netlists: whether every register, memory and output that both have is made
//! of the same cells in the same way.
//!
//! Registers and memories are known by the names of their nets. When each of them begins with the
//! same value and what goes into it is the same function of inputs, registers and memories in both
//! designs, all of them are equal in every cycle: an induction whose step is a comparison.

use super::engine::Verdict;
use super::netlist::{Cell, Netlist};
use anyhow::{ensure, Result};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Values of bits, as numbers that are equal when they are made in the same way.
#[derive(Default)]
struct Values {
    known: HashMap<String, u64>,
}

impl Values {
    fn number(&mut self, made: String) -> u64 {
        let next = self.known.len() as u64;
        *self.known.entry(made).or_insert(next)
    }
}

/// One design, and the values of its bits as far as they were worked out.
struct Design<'a> {
    netlist: &'a Netlist,
    /// Which cell drives a bit: the cell's number, port and place in it.
    drivers: HashMap<u64, (usize, &'a str, usize)>,
    values: HashMap<u64, u64>,
}

impl<'a> Design<'a> {
    fn new(netlist: &'a Netlist) -> Self {
        let mut drivers = HashMap::new();
        for (at, cell) in netlist.cells.iter().enumerate() {
            for (port, bits) in &cell.drives {
                for (place, bit) in bits.iter().enumerate() {
                    if let Some(bit) = bit.as_u64() {
                        drivers.insert(bit, (at, port.as_str(), place));
                    }
                }
            }
        }
        Self {
            netlist,
            drivers,
            values: HashMap::new(),
        }
    }

    /// The value of a bit. Cells wait on a list of their own, not on the stack: logic is deep.
    fn value(&mut self, bit: &Value, all: &mut Values) -> u64 {
        let mut todo = vec![bit.clone()];
        while let Some(next) = todo.pop() {
            if self.known(&next, all).is_some() {
                continue;
            }
            let number = next.as_u64().expect("constants are known");
            let Some(&(at, port, place)) = self.drivers.get(&number) else {
                let name = self.netlist.name(number);
                self.values
                    .insert(number, all.number(format!("open {name}")));
                continue;
            };
            let cell = &self.netlist.cells[at];
            if cell.holds_state() {
                let name = self.netlist.name(number);
                self.values
                    .insert(number, all.number(format!("state {name}")));
                continue;
            }
            let missing: Vec<Value> = cell
                .read_bits()
                .filter(|bit| self.known(bit, all).is_none())
                .cloned()
                .collect();
            if missing.is_empty() {
                let made = format!("{port} {place} {}", self.made(at, all));
                self.values.insert(number, all.number(made));
            } else {
                todo.push(next);
                todo.extend(missing);
            }
        }
        self.known(bit, all).expect("worked out above")
    }

    fn known(&self, bit: &Value, all: &mut Values) -> Option<u64> {
        match bit.as_u64() {
            Some(number) => self.values.get(&number).copied(),
            None => Some(all.number(format!("constant {bit}"))),
        }
    }

    /// A cell whose inputs are known, as text.
    fn made(&self, at: usize, all: &mut Values) -> String {
        let cell = &self.netlist.cells[at];
        let mut text = format!("{} {}", cell.kind, cell.parameters());
        for (port, bits) in &cell.reads {
            let bits: Vec<Option<u64>> = bits.iter().map(|bit| self.known(bit, all)).collect();
            text.push_str(&format!(" {port} {bits:?}"));
        }
        text
    }

    /// What goes into each register, memory and output, by name. Nothing else matters.
    fn roots(&mut self, all: &mut Values) -> Result<BTreeMap<String, String>> {
        let mut roots = BTreeMap::new();
        for (at, cell) in self.netlist.cells.iter().enumerate() {
            if cell.holds_state() {
                for bit in cell.read_bits() {
                    self.value(bit, all);
                }
                let name = state_name(self.netlist, cell);
                let made = self.made(at, all);
                ensure!(
                    roots.insert(name.clone(), made).is_none(),
                    "two registers or memories are called \"{name}\""
                );
            }
        }
        for (name, bits) in &self.netlist.outputs {
            let values: Vec<u64> = bits.iter().map(|bit| self.value(bit, all)).collect();
            roots.insert(format!("output {name}"), format!("{values:?}"));
        }
        Ok(roots)
    }
}

/// A register is called as what it drives and begins with, a memory as its words.
fn state_name(netlist: &Netlist, cell: &Cell) -> String {
    let outputs = cell.drives.values().flatten();
    let names: Vec<String> = outputs
        .filter_map(|bit| bit.as_u64())
        .map(|bit| match netlist.first_value(bit) {
            Some(first) => format!("{} = {first}", netlist.name(bit)),
            None => netlist.name(bit).to_owned(),
        })
        .collect();
    format!("state {} {}", cell.memory(), names.join(" "))
}

/// Outputs that only a recorder drives.
const LEFT_OUT: [&str; 2] = ["output log_tx", "output stalled"];

/// Proved when every register, memory and output of `alone` is in `board` and the same there.
pub fn compare(board: &Netlist, alone: &Netlist) -> Result<Verdict> {
    let mut all = Values::default();
    let in_board = Design::new(board).roots(&mut all)?;
    let in_alone = Design::new(alone).roots(&mut all)?;
    ensure!(
        in_alone
            .keys()
            .filter(|name| name.starts_with("state"))
            .count()
            > 0,
        "the netlist has no registers"
    );
    let different: Vec<&str> = in_alone
        .iter()
        .filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()))
        .filter(|(name, made)| in_board.get(*name) != Some(*made))
        .map(|(name, _)| name.as_str())
        .collect();
    Ok(match different.first() {
        None => Verdict::Proved,
        Some(first) => Verdict::Refuted {
            what: format!(
                "{} of the SoC's registers, memories and outputs differ, such as {first}",
                different.len()
            ),
            waveform: None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `q` takes its inverse, or with `other` that of an input.
    fn design(numbers: [u64; 3], other: bool, first: &str) -> Netlist {
        let [q, inverted, input] = numbers;
        let module = json!({
            "ports": {"out": {"direction": "output", "bits": [q]}},
            "cells": {
                "a": {
                    "type": "$dff",
                    "port_directions": {"D": "input", "Q": "output"},
                    "connections": {"D": [inverted], "Q": [q]},
                },
                "b": {
                    "type": "$not",
                    "port_directions": {"A": "input", "Y": "output"},
                    "connections": {"A": [if other { input } else { q }], "Y": [inverted]},
                },
            },
            "netnames": {"q": {"bits": [q], "attributes": {"init": first}}, "input": {"bits": [input]}},
        });
        Netlist::of_module(&module).expect("a netlist")
    }

    #[test]
    fn numbers_do_not_matter_and_cells_do() {
        let one = design([2, 3, 4], false, "0");
        let same = compare(&design([7, 9, 8], false, "0"), &one);
        assert!(matches!(same, Ok(Verdict::Proved)));
        for different in [design([7, 9, 8], true, "0"), design([7, 9, 8], false, "1")] {
            let verdict = compare(&different, &one);
            assert!(matches!(verdict, Ok(Verdict::Refuted { .. })));
        }
    }
}
