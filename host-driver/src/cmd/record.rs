//! `lookback record`: from a board to a file.

use super::board::{self, BoardArgs};
use super::trigger::ArmArgs;
use super::{many, print, print_json, Outcome};
use crate::console_input::ConsoleInput;
use crate::driver::arm::Arm;
use crate::driver::file::{self, Recording};
use crate::driver::past::Past;
use crate::driver::summary::Summary;
use crate::driver::{self, Settings};
use crate::firmware::Firmware;
use crate::stop;
use crate::transport::capture::Capture;
use crate::transport::faults::Faults;
use crate::transport::faulty::Faulty;
use crate::transport::serial::{Baud, Serial};
use crate::transport::sim::SimLink;
use crate::transport::Link;
use crate::ui::Ui;
use anyhow::{bail, Result};
use lookback_log_format::order::OrderMode;
use lookback_log_format::RecorderConfig;
use lookback_sim::BoardOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Instructions an interval.
const INTERVAL: u32 = 100_000;
/// The same for a ring of codec `compact`, which holds many more.
const ARMED_INTERVAL: u32 = 1_000_000;
/// Intervals a key group of codec `compact`: `docs/log-size.md` says why so many.
const KEY: u16 = 100;

/// What the recorder does when it cannot keep up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// Hold the hart: nothing is lost, the run takes longer.
    Stall,
    /// Leave the hart alone: a gap says how much was lost.
    Drop,
}

/// What is logged of the order of several harts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// Strata: before which accesses the others had come how far. The smallest log.
    Strata,
    /// Chunks: who executed how many instructions before the next one had its turn.
    Chunks,
    /// Both, to compare them.
    Both,
    /// Nothing: each hart can be replayed by itself.
    None,
}

impl Order {
    fn mode(self) -> OrderMode {
        OrderMode {
            strata: matches!(self, Self::Strata | Self::Both),
            chunks: matches!(self, Self::Chunks | Self::Both),
        }
    }
}

/// Options of `lookback record`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Serial port of the board; `auto` looks for the USB adapter at which a recorder answers. Given
    /// more than once, each board is recorded into a file of its own.
    #[arg(
        long,
        value_name = "PATH|auto",
        required_unless_present_any = ["sim", "stream", "all"],
        conflicts_with_all = ["sim", "stream"]
    )]
    port: Vec<String>,
    /// Record all boards that answer, each into a file named after its serial number.
    #[arg(long, conflicts_with_all = ["sim", "stream", "port", "resume"])]
    all: bool,
    /// Go on with the recording that -o names, which was cut off: the board still has the rest.
    #[arg(long, requires = "output", conflicts_with_all = ["sim", "stream", "elf", "force", "check"])]
    resume: bool,
    /// Bytes caught at the recorder's AXI-Stream port: a file, a pipe, or - for standard input. The
    /// recording must have been started over the Wishbone port (`lookback settings` tells how).
    #[arg(long, value_name = "FILE|-", conflicts_with = "sim")]
    stream: Option<PathBuf>,
    /// Bits a second on the serial port; `auto` tries the rates that boards have.
    #[arg(long, value_name = "N|auto", default_value = "3000000")]
    baud: Baud,
    /// Simulate the board in this process.
    #[arg(long)]
    sim: bool,
    /// The firmware that the board runs.
    #[arg(long, value_name = "FILE", required_unless_present = "resume")]
    elf: Option<PathBuf>,
    /// The recording [default: the ELF's name with .lbk, in the current folder].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the output file.
    #[arg(long)]
    force: bool,
    /// Instructions an interval: long ones cost less log, short ones lose less with a damaged one
    /// [default: 100000; armed, with codec compact, 1000000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(64..=0xff_ffff))]
    interval: Option<u32>,
    /// Codec compact: intervals a key group. Only the first of a group replays by itself; the others
    /// go on with what it has learnt, and cost much less log. What is lost or damaged costs the rest
    /// of its group. A ring gives way by groups, and begins one by itself when the last has half of it
    /// [default: 100; armed, as many as the ring has room for].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    key: Option<u16>,
    /// What the recorder does when it cannot keep up.
    #[arg(long, value_enum, default_value = "stall")]
    policy: Policy,
    /// What is logged of the order of several harts (--harts); one hart has none.
    #[arg(long, value_enum, default_value = "strata")]
    order: Order,
    /// Log the results of multiplications and divisions, too, so that `lookback verify` names the one
    /// that a core gets wrong. All other results are checked without it. Only for a core of your own.
    #[arg(long, conflicts_with = "stream")]
    check: bool,
    #[command(flatten, next_help_heading = "Flight recorder")]
    arm: ArmArgs,
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
    /// What goes wrong on the link, as rates per byte: flip=1e-4,drop=1e-5,dup=1e-5,swap=1e-5,
    /// burst=1e-6:64,stall=1e-5,disconnect=1e-7,reset=1e-7.
    #[arg(long, value_name = "SPEC", requires = "sim")]
    faults: Option<Faults>,
    /// Which faults, and which interleaving of several harts: the same number brings the same ones, 0
    /// the interleaving of the hardware alone.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let mut ui = Ui::new(args.json);
    let Some(elf) = &args.elf else {
        return resume(args, &mut ui);
    };
    let firmware = Firmware::read(elf)?;
    let output = args.output.clone().unwrap_or_else(|| default_output(elf));
    if args.all || args.port.len() > 1 {
        return several(args, firmware, &output, &mut ui);
    }
    file::check(&output, args.force)?;
    if let Some(stream) = &args.stream {
        return from_stream(args, stream, firmware, &output, &mut ui);
    }
    let plan = Plan {
        output: &output,
        force: args.force,
        settings: settings(args, &firmware)?,
    };
    let summary = match args.port.first() {
        Some(port) => {
            prepare_port(args)?;
            let mut link = Serial::open(port, args.baud)?;
            record(&mut link, firmware, &plan, &mut ui)?
        }
        None => simulate(args, firmware, &plan, &mut ui)?,
    };
    report(&summary, &ui, args.json)?;
    Ok(Outcome::fine_if(summary.whole && summary.breach.is_none()))
}

fn settings(args: &Args, firmware: &Firmware) -> Result<Settings> {
    let arm = args.arm.read(&firmware.elf.bytes)?;
    let (compact, key) = if arm.is_some() {
        (ARMED_INTERVAL, u16::MAX)
    } else {
        (INTERVAL, KEY)
    };
    Ok(Settings {
        interval: args.interval.unwrap_or(INTERVAL),
        compact_interval: args.interval.unwrap_or(compact),
        may_stall: args.policy == Policy::Stall,
        log_results: args.check,
        window: firmware.window(),
        loaded: firmware.loaded_window(),
        key: args.key.unwrap_or(key),
        arm,
        order: args.order.mode(),
        max_instructions: args.max_instructions,
        patience: Duration::from_secs(args.timeout),
    })
}

fn prepare_port(args: &Args) -> Result<()> {
    if let Some(option) = args.board.first_given() {
        bail!("{option} is about a simulated board; use it with --sim, without --port");
    }
    Ok(())
}

/// Records a board in this process, over a cable that may be bad.
fn simulate(args: &Args, firmware: Firmware, plan: &Plan<'_>, ui: &mut Ui) -> Result<Summary> {
    let mut link = simulated(&args.board, args.seed, &firmware, ui)?;
    let Some(faults) = &args.faults else {
        return record(&mut link, firmware, plan, ui);
    };
    let mut link = Faulty::new(link, faults.clone(), args.seed);
    let mut result = record(&mut link, firmware.clone(), plan, ui);
    // A host that was reset begins anew, as its user would.
    while link.restart_host() {
        link.reopen()?;
        result = match &result {
            Ok(summary) if summary.resumable => go_on(&mut link, plan.output, &plan.settings, ui),
            Err(_) if !plan.output.exists() => record(&mut link, firmware.clone(), plan, ui),
            _ => break,
        };
    }
    ui.tell(&format!("faults on the link: {}", link.told()));
    result
}

fn resume(args: &Args, ui: &mut Ui) -> Result<Outcome> {
    let (Some(output), [port]) = (&args.output, args.port.as_slice()) else {
        bail!(
            "one recording is resumed at a time: name its file with -o and its board with --port"
        );
    };
    // Before the port: a file that cannot be resumed needs no board.
    let past = Past::read(output)?;
    let settings = Settings {
        interval: past.config.interval,
        compact_interval: past.config.interval,
        may_stall: true,
        log_results: past.config.logs_results(),
        window: past.config.image_lo..past.config.image_hi,
        loaded: past.config.image_lo..past.config.image_hi,
        key: past.config.compact().map_or(1, |compact| compact.key),
        arm: Arm::of(&past.config),
        order: past
            .config
            .order
            .map_or_else(OrderMode::default, |order| order.mode),
        max_instructions: args.max_instructions,
        patience: Duration::from_secs(args.timeout),
    };
    let mut link = Serial::open(port, args.baud)?;
    let summary = go_on(&mut link, output, &settings, ui)?;
    report(&summary, ui, args.json)?;
    Ok(Outcome::fine_if(summary.whole && summary.breach.is_none()))
}

/// Goes on with the recording in a file.
fn go_on(link: &mut dyn Link, path: &Path, settings: &Settings, ui: &mut Ui) -> Result<Summary> {
    let past = Past::read(path)?;
    stop::listen();
    let torn = past.torn;
    let open = |past: &Past| past.append(path);
    let result = driver::resume(link, settings, (path, past), open, ui);
    if torn > 0 && result.is_ok() {
        ui.tell(&format!(
            "the last {torn} bytes of the file were cut off and came again"
        ));
    }
    ui.finish();
    result
}

/// Several boards at once, each into its own file.
fn several(args: &Args, firmware: Firmware, output: &Path, ui: &mut Ui) -> Result<Outcome> {
    prepare_port(args)?;
    let links = if args.all {
        Serial::find_all(args.baud)?
    } else {
        let opened = args.port.iter().map(|port| Serial::open(port, args.baud));
        opened.collect::<Result<_>>()?
    };
    let settings = settings(args, &firmware)?;
    let results = many::record(links, &firmware, &settings, output, args.force, ui)?;
    ui.finish();
    let mut fine = true;
    let mut list = Vec::new();
    for (name, result) in results {
        match result {
            Ok(summary) => {
                fine &= summary.whole && summary.breach.is_none();
                if args.json {
                    let mut value = serde_json::to_value(&summary)?;
                    value["board"] = name.into();
                    list.push(value);
                } else {
                    print(format_args!("board {name}: {summary}"))?;
                }
            }
            Err(error) => {
                fine = false;
                ui.tell(&format!("board {name}: {error:#}"));
                list.push(serde_json::json!({"board": name, "error": format!("{error:#}")}));
            }
        }
    }
    if args.json {
        print_json(&list)?;
    }
    Ok(Outcome::fine_if(fine))
}

/// A recording of bytes that were caught; its settings were made on the board.
fn from_stream(
    args: &Args,
    stream: &Path,
    firmware: Firmware,
    output: &Path,
    ui: &mut Ui,
) -> Result<Outcome> {
    if let Some(option) = args.board.first_given() {
        bail!("{option} is about a simulated board; use it with --sim, without --stream");
    }
    let mut link = Capture::open(stream)?;
    let create = |config| {
        stop::listen();
        warn(&firmware, &config);
        Recording::create(output, args.force, config, firmware.elf)
    };
    let result = driver::record_stream(&mut link, create, ui);
    ui.finish();
    let summary = result?;
    report(&summary, ui, args.json)?;
    Ok(Outcome::fine_if(summary.whole && summary.breach.is_none()))
}

/// A board in this process that waits for its recording to begin.
fn simulated(args: &BoardArgs, seed: u64, firmware: &Firmware, ui: &mut Ui) -> Result<SimLink> {
    let options = BoardOptions {
        hold: true,
        seed: board::interleaving(seed),
        ..args.options()?
    };
    if let Some(note) = args.note() {
        ui.tell(&note);
    }
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
        warn(&firmware, &config);
        Recording::create(plan.output, plan.force, config, firmware.elf)
    };
    let result = driver::record(link, &plan.settings, create, ui);
    ui.finish();
    result
}

/// Tells what firmware and recorder cannot do together.
fn warn(firmware: &Firmware, recorder: &RecorderConfig) {
    for warning in firmware.warnings(recorder) {
        eprintln!("lookback: {warning}");
    }
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
