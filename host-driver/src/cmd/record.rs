//! `lookback record`: from a board to a file.

use super::board::{self, BoardArgs};
use super::{print, print_json, Outcome};
use crate::console_input::ConsoleInput;
use crate::driver::file::{self, Recording};
use crate::driver::summary::Summary;
use crate::driver::{self, Settings};
use crate::firmware::Firmware;
use crate::stop;
use crate::transport::capture::Capture;
use crate::transport::serial::Serial;
use crate::transport::sim::SimLink;
use crate::transport::Link;
use crate::ui::Ui;
use anyhow::{bail, Result};
use lookback_sim::BoardOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the recorder does when it cannot keep up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// Hold the hart: nothing is lost, the run takes longer.
    Stall,
    /// Leave the hart alone: a gap says how much was lost.
    Drop,
}

/// Options of `lookback record`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Serial port of the board; `auto` looks for the USB adapter at which a recorder answers.
    #[arg(
        long,
        value_name = "PATH|auto",
        required_unless_present_any = ["sim", "stream"],
        conflicts_with_all = ["sim", "stream"]
    )]
    port: Option<String>,
    /// Bytes caught at the recorder's AXI-Stream port: a file, a pipe, or - for standard input. The
    /// recording must have been started over the Wishbone port (`lookback settings` tells how).
    #[arg(long, value_name = "FILE|-", conflicts_with = "sim")]
    stream: Option<PathBuf>,
    /// Bits a second on the serial port.
    #[arg(long, value_name = "N", default_value_t = 3_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    baud: u32,
    /// Simulate the board in this process.
    #[arg(long)]
    sim: bool,
    /// The firmware that the board runs.
    #[arg(long, value_name = "FILE")]
    elf: PathBuf,
    /// The recording [default: the ELF's name with .lbk, in the current folder].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the output file.
    #[arg(long)]
    force: bool,
    /// Instructions an interval: long ones cost less log, short ones lose less with a damaged one.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(64..=0xff_ffff))]
    interval: u32,
    /// What the recorder does when it cannot keep up.
    #[arg(long, value_enum, default_value = "stall")]
    policy: Policy,
    /// Log the results of multiplications and divisions, too, so that `lookback verify` names the one
    /// that a core gets wrong. All other results are checked without it. Only for a core of your own.
    #[arg(long, conflicts_with = "stream")]
    check: bool,
    /// Stop after about so many instructions.
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// How long the board may say nothing, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Print the summary, and the firmware's console in it, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten, next_help_heading = "Simulated board")]
    board: BoardArgs,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let firmware = Firmware::read(&args.elf)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| default_output(&args.elf));
    file::check(&output, args.force)?;
    let mut ui = Ui::new(args.json);
    if let Some(stream) = &args.stream {
        return from_stream(args, stream, firmware, &output, &mut ui);
    }
    let mut link: Box<dyn Link> = match &args.port {
        Some(port) => {
            for warning in firmware.warnings() {
                ui.tell(&warning);
            }
            if let Some(option) = args.board.first_given() {
                bail!("{option} is about a simulated board; use it with --sim, without --port");
            }
            Box::new(Serial::open(port, args.baud)?)
        }
        None => Box::new(simulated(&args.board, &firmware, &mut ui)?),
    };
    let plan = Plan {
        output: &output,
        force: args.force,
        settings: Settings {
            interval: args.interval,
            may_stall: args.policy == Policy::Stall,
            log_results: args.check,
            window: firmware.window(),
            max_instructions: args.max_instructions,
            patience: Duration::from_secs(args.timeout),
        },
    };
    let summary = record(link.as_mut(), firmware, &plan, &mut ui)?;
    report(&summary, &ui, args.json)?;
    Ok(Outcome::fine_if(summary.whole && summary.breach.is_none()))
}

/// A recording of bytes that were caught; its settings were made on the board.
fn from_stream(
    args: &Args,
    stream: &Path,
    firmware: Firmware,
    output: &Path,
    ui: &mut Ui,
) -> Result<Outcome> {
    for warning in firmware.warnings() {
        ui.tell(&warning);
    }
    if let Some(option) = args.board.first_given() {
        bail!("{option} is about a simulated board; use it with --sim, without --stream");
    }
    let mut link = Capture::open(stream)?;
    let create = |config| {
        stop::listen();
        Recording::create(output, args.force, config, firmware.elf)
    };
    let result = driver::record_stream(&mut link, create, ui);
    ui.finish();
    let summary = result?;
    report(&summary, ui, args.json)?;
    Ok(Outcome::fine_if(summary.whole && summary.breach.is_none()))
}

/// A board in this process that waits for its recording to begin.
fn simulated(args: &BoardArgs, firmware: &Firmware, ui: &mut Ui) -> Result<SimLink> {
    let options = BoardOptions {
        hold: true,
        ..args.options()?
    };
    let board = board::power_up(&options, firmware, ui)?;
    let input = ConsoleInput::from_stdin();
    Ok(SimLink::new(board, options.bit_clocks, Some(input)))
}

/// How to record.
pub(super) struct Plan<'a> {
    pub output: &'a Path,
    pub force: bool,
    pub settings: Settings,
}

/// Records over a link into a file.
pub(super) fn record(
    link: &mut dyn Link,
    firmware: Firmware,
    plan: &Plan<'_>,
    ui: &mut Ui,
) -> Result<Summary> {
    let create = |config| {
        // Before this there is nothing to end cleanly.
        stop::listen();
        Recording::create(plan.output, plan.force, config, firmware.elf)
    };
    let result = driver::record(link, &plan.settings, create, ui);
    ui.finish();
    result
}

fn report(summary: &Summary, ui: &Ui, json: bool) -> Result<()> {
    if !json {
        return print(summary);
    }
    let mut value = serde_json::to_value(summary)?;
    value["console"] = ui.kept_console().into();
    print_json(&value)
}

fn default_output(elf: &Path) -> PathBuf {
    let mut name = elf.file_stem().unwrap_or(elf.as_os_str()).to_owned();
    name.push(".lbk");
    name.into()
}
