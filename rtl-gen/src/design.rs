//! From a block to Verilog under its own name.

use std::path::{Path, PathBuf};

use lookback_hdl::guard;
use rust_hdl::core::check_error::{CheckError, PathedName};
use rust_hdl::prelude::*;
use serde::Serialize;

use crate::{fusesoc, names, Error, Manifest, Result};

/// Which way a port goes, seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
    /// Both.
    Inout,
}

/// One port of a top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Port {
    /// Name, the same in Rust and in Verilog.
    pub name: String,
    /// Which way it goes.
    pub direction: Direction,
    /// Bits.
    pub width: usize,
}

/// A checked design: its Verilog and what describes it.
#[derive(Clone, Debug)]
pub struct Design {
    /// Name of the top module.
    pub top: String,
    /// Ports of the top module, in the order of its declaration.
    pub ports: Vec<Port>,
    /// The whole Verilog text.
    pub verilog: String,
}

/// Checks a block and emits its Verilog with `top` as the name of the top module.
///
/// Every sub-module's name begins with `top` too, so that two designs fit into one project.
pub fn emit(top: &str, block: &mut dyn Block) -> Result<Design> {
    block.connect_all();
    check_all(block).map_err(|error| Error::Check {
        top: top.to_owned(),
        details: describe(error),
    })?;
    let findings = guard::lint_top(block);
    if !findings.is_empty() {
        let lines: Vec<String> = findings.iter().map(|f| format!("  {f}")).collect();
        return Err(Error::Guard {
            top: top.to_owned(),
            details: lines.join("\n"),
        });
    }
    let mut ports = Ports::default();
    block.accept("top", &mut ports);
    Ok(Design {
        top: top.to_owned(),
        ports: ports.found,
        verilog: rename(&verilog(block), top),
    })
}

/// As rust-hdl's `generate_verilog_unchecked`, which takes no trait object.
fn verilog(block: &dyn Block) -> String {
    let mut modules = ModuleDefines::default();
    block.accept("top", &mut modules);
    modules.defines()
}

impl Design {
    /// The same design without a `$` in any of its names, for tools that do not take them.
    pub fn with_plain_names(self) -> Result<Self> {
        let verilog = names::without_dollars(&self.verilog).map_err(|name| Error::Names {
            top: self.top.clone(),
            name,
        })?;
        Ok(Self { verilog, ..self })
    }

    /// Writes `<top>.v`, `<top>.core` (for FuseSoC) and `<top>.json` into a folder, which is made if
    /// need be.
    pub fn write(&self, manifest: &Manifest, folder: &Path) -> Result<[PathBuf; 3]> {
        let save = |name: String, text: &str| {
            let path = folder.join(name);
            match std::fs::write(&path, text) {
                Ok(()) => Ok(path),
                Err(source) => Err(Error::File { path, source }),
            }
        };
        std::fs::create_dir_all(folder).map_err(|source| Error::File {
            path: folder.to_owned(),
            source,
        })?;
        Ok([
            save(format!("{}.v", self.top), &self.verilog)?,
            save(format!("{}.core", self.top), &fusesoc::core_file(manifest))?,
            save(format!("{}.json", self.top), &manifest.to_json())?,
        ])
    }
}

/// One line a signal, sorted: rust-hdl keeps them in a hash map.
fn describe(error: CheckError) -> String {
    let (what, mut names): (&str, Vec<PathedName>) = match error {
        CheckError::OpenSignal(open) => ("is not driven", open.into_values().collect()),
        CheckError::LogicLoops(names) => ("is read before it is written", names),
        CheckError::WritesToInputs(names) => ("is an input and is written", names),
    };
    names.sort_by(|a, b| (&a.path, &a.name).cmp(&(&b.path, &b.name)));
    let lines: Vec<String> = names
        .iter()
        .map(|n| format!("  {}${} {what}", n.path, n.name))
        .collect();
    lines.join("\n")
}

/// Collects the ports of the outermost scope.
#[derive(Default)]
struct Ports {
    depth: usize,
    found: Vec<Port>,
}

impl Probe for Ports {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let direction = match signal.kind() {
            AtomKind::InputParameter => Direction::Input,
            AtomKind::OutputParameter | AtomKind::OutputPassthrough => Direction::Output,
            AtomKind::InOutParameter => Direction::Inout,
            _ => return,
        };
        if self.depth == 1 {
            self.found.push(Port {
                name: name.to_owned(),
                direction,
                width: signal.bits(),
            });
        }
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
}

/// Gives the modules, which rust-hdl calls `top` and `top$…`, the design's name, and tidies spaces.
fn rename(text: &str, top: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    out.push_str("// Generated by Lookback. Do not edit: change the circuit and generate again.\n");
    let mut blank = false;
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() && blank {
            continue;
        }
        blank = line.is_empty();
        let indent = line.len() - line.trim_start().len();
        let (space, words) = line.split_at(indent);
        out.push_str(space);
        out.push_str(&rename_line(words, top));
        out.push('\n');
    }
    out
}

fn rename_line(words: &str, top: &str) -> String {
    for lead in ["module ", "endmodule // "] {
        if let Some(name) = words.strip_prefix(lead).and_then(module_suffix) {
            return format!("{lead}{top}{name}");
        }
    }
    // An instance is `module$path name(` and ends its line there.
    let instance = words.ends_with('(') && words.split(' ').count() == 2;
    if let (true, Some(name)) = (instance, words.strip_prefix("top$")) {
        return format!("{top}${name}");
    }
    // `input wire  [3:0]`: the second space is where `signed` would stand.
    for kind in ["wire", "reg", "localparam"] {
        if let Some(at) = words.find(&format!("{kind}  ")) {
            let (head, tail) = words.split_at(at + kind.len());
            return format!("{head}{}", &tail[1..]);
        }
    }
    words.to_owned()
}

fn module_suffix(name: &str) -> Option<&str> {
    name.strip_prefix("top")
        .filter(|rest| rest.is_empty() || rest.starts_with(['$', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_module_names_are_renamed() {
        for (line, wanted) in [
            ("module top(clock,a);", "module lb(clock,a);"),
            ("module top$core(q);", "module lb$core(q);"),
            ("endmodule // top$core", "endmodule // lb$core"),
            ("top$core core(", "lb$core core("),
            ("module topper(q);", "module topper(q);"),
            ("top$x = top$y;", "top$x = top$y;"),
            ("input wire  [3:0] a;", "input wire [3:0] a;"),
            ("localparam  k = 4'h3;", "localparam k = 4'h3;"),
        ] {
            assert_eq!(rename_line(line, "lb"), wanted);
        }
    }
}
