//! `lookback report`: why did the firmware crash?

use super::open::{flaws, OpenArgs, Opened, Unusable};
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
    let Opened {
        recording,
        image,
        elf,
    } = args.open.open()?;
    let file = args.open.file.display().to_string();
    let image = image.map_err(|error| Unusable::new(&file, error.to_string()))?;
    let report = report(&recording, &image, &Symbols::load(&elf))
        .map_err(|error| Unusable::new(&file, error.to_string()))?;
    if args.open.json {
        print_json(&report)?;
    } else {
        print(&report)?;
    }
    let fine = report.diverged.is_none() && flaws(&recording).is_empty();
    Ok(Outcome::fine_if(fine))
}
