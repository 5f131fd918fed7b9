//! One file for each subcommand.

mod board;
mod demo;
mod export;
mod gdb;
mod info;
mod load;
mod many;
pub mod open;
mod record;
mod repair;
mod replay;
mod report;
mod rtl;
mod settings;
mod sim;
mod trigger;
mod verify;

use anyhow::{bail, Context, Result};
use clap::Subcommand;
use std::io::{self, Write};

/// How a command that could run came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Fine,
    /// Something was lost, or does not replay.
    Flawed,
}

impl Outcome {
    /// Fine if `ok`.
    pub fn fine_if(ok: bool) -> Self {
        if ok {
            Self::Fine
        } else {
            Self::Flawed
        }
    }
}

/// What `lookback` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the whole way: record a firmware that crashes, replay it, say why it crashed.
    ///
    /// The board is simulated; the recording is written to demo.lbk in the current folder.
    Demo(demo::Args),
    /// Record a board's run into a file.
    ///
    /// The board is one on a serial port, or simulated with --sim. Ctrl-C (or SIGTERM) stops the
    /// recording cleanly, a second one at once. Exit status 0: the recording is whole, however the
    /// firmware ended or who stopped it; 1: something of it was lost, and the file says what; 2: it
    /// could not be made or written.
    Record(record::Args),
    /// Put a firmware into a board's RAM, over the recorder's serial port.
    ///
    /// The board is restarted with it and waits for `lookback record`, as after power-up. RAM is read
    /// again and compared with the ELF by its CRC-32. A board that is switched off begins with the
    /// firmware of its bitstream again.
    Load(load::Args),
    /// Run firmware on a simulated board.
    ///
    /// The log link of the board is a pseudo terminal, for `lookback record --port`. The firmware's
    /// console is stdin and stdout. The firmware begins when a recording is started, or when nobody
    /// has opened the port for some time. Ctrl-C (or SIGTERM) ends a recording that is under way and
    /// then the board, a second one the board at once. Exit status 0 however the firmware ended.
    Sim(sim::Args),
    /// Tell what is in a recording.
    ///
    /// Exit status 1 if a part of the file is damaged or missing; the rest is told all the same.
    Info(info::Args),
    /// Replay every interval of a recording and check its digest.
    ///
    /// Exit status 1 if one does not replay, or something is damaged or missing; says which are fine.
    Verify(verify::Args),
    /// Print the instructions of a recording, with what each read and wrote.
    ///
    /// Instructions are counted from 0, from where the recording began. Exit status 1 if the range
    /// cannot be replayed as it was recorded, or a part of the recording is damaged or missing.
    Replay(replay::Args),
    /// Debug a recording in gdb, forwards and backwards, starting at the crash.
    ///
    /// Starts gdb with the firmware that is inside the recording. `reverse-continue`,
    /// `reverse-stepi` and the like go back in time; breakpoints and watchpoints work in both
    /// directions, and `monitor help` lists what else there is. Exit status 1 if a part of the
    /// recording is damaged or missing.
    Gdb(gdb::Args),
    /// Write a moment of a recording as an ELF core file, or the firmware that is inside it.
    ///
    /// Exit status 1 if a part of the recording is damaged or missing.
    Export(export::Args),
    /// Tell why the firmware crashed: cause, line, call stack, where the bad value came from.
    ///
    /// Exit status 1 if the recording does not replay, or a part of it is damaged or missing.
    Report(report::Args),
    /// Make a recording of what is whole in a damaged one.
    ///
    /// Says what it kept and what is gone. A recording that was cut off ends with its last complete
    /// interval. Exit status 1 if nothing of it can be used.
    Repair(repair::Args),
    /// Print the register values with which to start a recorder over its Wishbone port.
    ///
    /// For boards that control their recorder themselves and whose stream is caught with `lookback
    /// record --stream`.
    Settings(settings::Args),
    /// Write the Verilog of a recorder or a board, with a JSON manifest and a FuseSoC core file.
    Rtl(rtl::Args),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<Outcome> {
        match self {
            Self::Demo(args) => demo::run(&args),
            Self::Record(args) => record::run(&args),
            Self::Load(args) => load::run(&args),
            Self::Sim(args) => sim::run(&args),
            Self::Info(args) => info::run(&args),
            Self::Verify(args) => verify::run(&args),
            Self::Replay(args) => replay::run(&args),
            Self::Gdb(args) => gdb::run(&args),
            Self::Export(args) => export::run(&args),
            Self::Report(args) => report::run(&args),
            Self::Repair(args) => repair::run(&args),
            Self::Settings(args) => settings::run(&args),
            Self::Rtl(args) => rtl::run(&args),
        }
    }
}

/// Nobody reads stdout any more, which `main` takes for success. A type of its own: a port or a file
/// can break like a pipe, too, and that is no success.
#[derive(Debug, thiserror::Error)]
#[error("nobody reads the output")]
pub struct OutputClosed;

/// Tells a closed stdout from other errors.
fn printed(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => bail!(OutputClosed),
        result => result.context("cannot write to the output"),
    }
}

/// Prints something to stdout.
fn print(text: impl std::fmt::Display) -> Result<()> {
    printed(writeln!(io::stdout().lock(), "{text}"))
}

/// Prints something as JSON.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    print(text)
}
