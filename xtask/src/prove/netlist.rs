//! A flattened netlist as yosys writes it.

use anyhow::{ensure, Context, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The one module of a flattened design.
pub struct Netlist {
    /// All cells.
    pub cells: Vec<Cell>,
    /// Output ports.
    pub outputs: BTreeMap<String, Vec<Value>>,
    /// Bits of each named net.
    pub nets: BTreeMap<String, Vec<Value>>,
    names: HashMap<u64, String>,
    first: HashMap<u64, char>,
}

/// A cell.
pub struct Cell {
    /// Its name, with the path of instances.
    pub name: String,
    /// Its type.
    pub kind: String,
    parameters: Map<String, Value>,
    /// Bits that it reads, by port.
    pub reads: BTreeMap<String, Vec<Value>>,
    /// Bits that it drives, by port.
    pub drives: BTreeMap<String, Vec<Value>>,
}

impl Netlist {
    /// Reads what `write_json` wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let netlist: Value = serde_json::from_str(&text)?;
        let modules = netlist["modules"].as_object().context("modules")?;
        ensure!(modules.len() == 1, "the netlist must be flattened");
        Self::of_module(modules.values().next().context("counted above")?)
    }

    /// Reads one module of such a file.
    pub fn of_module(module: &Value) -> Result<Self> {
        let cells = objects(module, "cells")?
            .iter()
            .map(|(name, cell)| Cell::read(name, cell))
            .collect::<Result<_>>()?;
        let nets: BTreeMap<String, Vec<Value>> = objects(module, "netnames")?
            .iter()
            .map(|(name, net)| (name.clone(), bits(&net["bits"])))
            .collect();
        let ports = module["ports"].as_object().into_iter().flatten();
        let outputs = ports
            .filter(|(_, port)| port["direction"] == "output")
            .map(|(name, port)| (name.clone(), bits(&port["bits"])))
            .collect();
        let names = name_bits(&nets);
        let mut first = HashMap::new();
        for net in objects(module, "netnames")?.values() {
            // The most significant bit comes first.
            let digits = net["attributes"]["init"].as_str().unwrap_or_default();
            for (bit, digit) in bits(&net["bits"]).iter().zip(digits.chars().rev()) {
                if let (Some(bit), '0' | '1') = (bit.as_u64(), digit) {
                    first.insert(bit, digit);
                }
            }
        }
        Ok(Self {
            cells,
            outputs,
            nets,
            names,
            first,
        })
    }

    /// What a bit begins with, if that is known.
    pub fn first_value(&self, bit: u64) -> Option<char> {
        self.first.get(&bit).copied()
    }

    /// A name for a bit: the shortest that it has, with its place in that net.
    pub fn name(&self, bit: u64) -> &str {
        self.names
            .get(&bit)
            .map_or("a net without a name", String::as_str)
    }
}

impl Cell {
    fn read(name: &str, cell: &Value) -> Result<Self> {
        let (mut reads, mut drives) = (BTreeMap::new(), BTreeMap::new());
        for (port, connected) in objects(cell, "connections")? {
            let direction = cell["port_directions"][port].as_str();
            if direction != Some("output") {
                reads.insert(port.clone(), bits(connected));
            }
            if direction != Some("input") {
                drives.insert(port.clone(), bits(connected));
            }
        }
        Ok(Self {
            name: name.to_owned(),
            kind: cell["type"].as_str().unwrap_or_default().to_owned(),
            parameters: cell["parameters"].as_object().cloned().unwrap_or_default(),
            reads,
            drives,
        })
    }

    /// Whether it remembers: a register or a memory.
    pub fn holds_state(&self) -> bool {
        ["$dff", "$sdff", "$adff", "$mem", "$dlatch", "$sr", "$ff"]
            .iter()
            .any(|kind| self.kind.starts_with(kind))
    }

    /// All bits that it reads.
    pub fn read_bits(&self) -> impl Iterator<Item = &Value> {
        self.reads.values().flatten()
    }

    /// The name of the memory that it is, or nothing.
    pub fn memory(&self) -> &str {
        self.parameters
            .get("MEMID")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// What it was made with.
    pub fn parameters(&self) -> String {
        Value::Object(self.parameters.clone()).to_string()
    }
}

fn name_bits(nets: &BTreeMap<String, Vec<Value>>) -> HashMap<u64, String> {
    let mut best: HashMap<u64, (bool, usize, String)> = HashMap::new();
    for (name, bits) in nets {
        for (place, bit) in bits.iter().enumerate() {
            let Some(bit) = bit.as_u64() else { continue };
            let candidate = (
                name.starts_with('$'),
                name.len(),
                format!("{name}[{place}]"),
            );
            match best.get(&bit) {
                Some(found) if *found <= candidate => {}
                _ => {
                    best.insert(bit, candidate);
                }
            }
        }
    }
    best.into_iter()
        .map(|(bit, (_, _, name))| (bit, name))
        .collect()
}

fn bits(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn objects<'a>(value: &'a Value, key: &str) -> Result<&'a Map<String, Value>> {
    value[key]
        .as_object()
        .with_context(|| format!("the netlist lacks \"{key}\""))
}
