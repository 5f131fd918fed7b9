//! Verilator as a guard: it knows the widths that the Verilog really has.

use std::ffi::OsString;
use std::process::{Command, Output};

use crate::width::{self, Verdict};
use crate::{Error, Result};

/// Warnings that say nothing about a difference between the simulation and the Verilog.
const HARMLESS: &[&str] = &[
    "ALWCOMBORDER",
    "CASEINCOMPLETE",
    "CMPCONST",
    "SYMRSVDWORD",
    "UNOPTFLAT",
    "UNSIGNED",
    "UNUSED",
    "UNUSEDSIGNAL",
    "UNUSEDPARAM",
];

/// What Verilator said about a design that it accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Width warnings that are right by construction: literals and widening casts.
    pub tolerated: usize,
    /// Harmless warnings, such as false combinational loops, which only cost speed.
    pub notes: Vec<String>,
}

/// The command that starts Verilator: `$VERILATOR`, or `verilator` on the path.
pub fn verilator_command() -> OsString {
    std::env::var_os("VERILATOR")
        .filter(|command| !command.is_empty())
        .unwrap_or_else(|| "verilator".into())
}

/// The line by which Verilator names itself, such as `Verilator 5.006 2023-01-22 rev …`.
pub fn verilator_version() -> Result<String> {
    let output = run(&["--version".into()])?;
    if !output.status.success() {
        return Err(Error::Verilator(text(&output.stderr)));
    }
    Ok(text(&output.stdout).trim().to_owned())
}

/// Lints a design; an error names every place whose width or structure is wrong.
///
/// Without Verilator this is [`Error::NoVerilator`], for the caller to judge.
pub fn verilator_lint(verilog: &str, top: &str) -> Result<Report> {
    let folder = tempfile::tempdir().map_err(|source| Error::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let path = folder.path().join("design.v");
    std::fs::write(&path, verilog).map_err(|source| Error::File {
        path: path.clone(),
        source,
    })?;
    let output = run(&[
        "--lint-only".into(),
        "-Wno-fatal".into(),
        "--top-module".into(),
        top.into(),
        path.into(),
    ])?;
    judge(verilog, top, &text(&output.stderr), output.status.success())
}

fn run(arguments: &[OsString]) -> Result<Output> {
    let command = verilator_command();
    Command::new(&command)
        .args(arguments)
        .output()
        .map_err(|source| Error::NoVerilator {
            command: command.to_string_lossy().into_owned(),
            source,
        })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn judge(verilog: &str, top: &str, messages: &str, success: bool) -> Result<Report> {
    let lines: Vec<&str> = verilog.lines().collect();
    let mut report = Report::default();
    let mut faults = Vec::new();
    for message in messages.lines().filter_map(Message::parse) {
        let source = message
            .line
            .checked_sub(1)
            .and_then(|n| lines.get(n))
            .copied();
        let described = format!(
            "  line {}: {}{}",
            message.line,
            message.text,
            source.map_or(String::new(), |s| format!("\n      {}", s.trim()))
        );
        if message.code.starts_with("WIDTH") {
            let column = message.column;
            match width::judge(message.text, source.unwrap_or(""), column) {
                Verdict::Tolerated => report.tolerated += 1,
                Verdict::Fault => faults.push(described),
            }
        } else if HARMLESS.contains(&message.code) {
            report.notes.push(format!("{}: {described}", message.code));
        } else {
            faults.push(described);
        }
    }
    if faults.is_empty() && !success {
        return Err(Error::Verilator(messages.to_owned()));
    }
    if faults.is_empty() {
        Ok(report)
    } else {
        Err(Error::Lint {
            top: top.to_owned(),
            details: faults.join("\n"),
        })
    }
}

/// `%Warning-WIDTH: /tmp/x/design.v:9:12: Operator ADD expects …`, taken apart.
struct Message<'a> {
    code: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
}

impl<'a> Message<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let rest = line
            .strip_prefix("%Warning-")
            .or_else(|| line.strip_prefix("%Error-"))
            .or_else(|| line.strip_prefix('%'))?;
        let (code, rest) = rest.split_once(": ")?;
        let (_, rest) = rest.split_once(".v:")?;
        let (line, rest) = rest.split_once(':')?;
        let (column, text) = rest.split_once(": ")?;
        Some(Message {
            code,
            line: line.parse().ok()?,
            column: column.parse().ok()?,
            text,
        })
    }
}
