//! `lookback demo`: the whole way, with a firmware that crashes.

use super::board::{self, BoardArgs, EngineChoice};
use super::record::{record, Plan};
use super::{print, print_json, Outcome};
use crate::driver::Settings;
use crate::firmware::Firmware;
use crate::transport::sim::SimLink;
use crate::ui::Ui;
use anyhow::{bail, Context, Result};
use lookback_debugger::{report, Symbols};
use lookback_firmware::{DEMO_ELF, DEMO_NAME};
use lookback_log_format::container::MAGIC;
use lookback_replay::Recording;
use lookback_sim::BoardOptions;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// The recording, in the current folder.
const OUTPUT: &str = "demo.lbk";
/// Short, so that a short run has several intervals.
const INTERVAL: u32 = 4096;
/// Far more than the demo needs.
const PATIENCE: Duration = Duration::from_secs(10);

/// Options of `lookback demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Simulator: Verilator is used when it is installed, unless told otherwise.
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,
    /// Print the crash report as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let output = Path::new(OUTPUT);
    refuse_foreign(output)?;
    let mut ui = Ui::new(args.json);
    let firmware = Firmware::parse(format!("{DEMO_NAME}.elf"), DEMO_ELF.to_vec())
        .context("the demo's own firmware")?;
    let options = BoardOptions {
        hold: true,
        ..BoardArgs {
            engine: args.engine,
            ..BoardArgs::default()
        }
        .options()?
    };
    ui.tell(&format!(
        "a simulated board runs {DEMO_NAME}.elf; its log comes over the board's UART into {OUTPUT}"
    ));
    let board = board::power_up(&options, &firmware, &mut ui)?;
    let plan = Plan {
        output,
        force: true,
        settings: Settings {
            interval: INTERVAL,
            compact_interval: INTERVAL,
            may_stall: true,
            log_results: false,
            window: firmware.window(),
            loaded: firmware.loaded_window(),
            key: 1,
            arm: None,
            order: Default::default(),
            max_instructions: None,
            patience: PATIENCE,
        },
    };
    let mut link = SimLink::new(board, options.bit_clocks, None);
    let summary = record(&mut link, firmware, &plan, &mut ui)?;
    if !args.json {
        print(&summary)?;
    }
    let recording = Recording::open(output)?;
    let image = recording.image(None)?;
    let report = report(&recording, &image, &Symbols::load(DEMO_ELF))?;
    let fine = summary.whole && report.diverged.is_none() && report.matched == report.intervals;
    if args.json {
        print_json(&report)?;
    } else {
        print(format_args!("\n{report}"))?;
        print(HINT)?;
    }
    Ok(Outcome::fine_if(fine))
}

const HINT: &str = "\
Next:
  lookback replay demo.lbk --last 40      the instructions before the end, with their values
  lookback verify demo.lbk                replay everything, check every digest
  lookback report demo.lbk                this report again
  lookback info demo.lbk                  what is in the recording
  lookback record --sim --elf YOUR.elf    the same with your firmware for QEMU's virt machine";

/// Overwrites an earlier demo, but nothing else that happens to have its name.
fn refuse_foreign(path: &Path) -> Result<()> {
    let Ok(metadata) = path.symlink_metadata() else {
        return Ok(());
    };
    let mut start = [0; MAGIC.len()];
    let recording = metadata.is_file()
        && File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok()
        && start == MAGIC;
    if !recording && metadata.len() > 0 {
        bail!("{OUTPUT} exists in this folder and is no recording; move it away, or run the demo in another folder");
    }
    Ok(())
}
