//! `lookback report`: why did the firmware crash?

use super::open::{flaws, tell_flaws, whole_intervals, OpenArgs, Opened, Unusable};
use super::{print, print_json, Outcome};
use anyhow::Result;
use lookback_debugger::{report, Symbols};

/// Options of `lookback report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    open: OpenArgs,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let opened = args.open.open()?;
    let file = args.open.file.display().to_string();
    let image = opened.replayable(&file)?;
    let Opened { recording, elf, .. } = opened;
    let report = report(&recording, &image, &Symbols::load(&elf))
        .map_err(|error| Unusable::new(&file, error.to_string()))?;
    let flaws = flaws(&recording);
    let fine = report.diverged.is_none() && flaws.is_empty();
    if args.open.json {
        let mut value = serde_json::to_value(&report)?;
        value["fine"] = fine.into();
        value["whole_intervals"] = whole_intervals(&recording).into();
        value["flaws"] = flaws.into();
        print_json(&value)?;
    } else {
        print(&report)?;
        tell_flaws(&file, &recording, &flaws);
    }
    Ok(Outcome::fine_if(fine))
}
