//! `lookback rtl`: Verilog for a preset.

use super::{print, print_json, Outcome};
use anyhow::{bail, Context, Result};
use lookback_rtl_gen::{find, presets};
use serde_json::json;
use std::path::PathBuf;

/// Options of `lookback rtl`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which design (see --list).
    #[arg(long, value_name = "NAME", required_unless_present = "list")]
    preset: Option<String>,
    /// Folder for the .v and the .json file.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// List the designs instead.
    #[arg(long, conflicts_with = "preset")]
    list: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    match &args.preset {
        Some(name) => generate(name, args)?,
        None => list(args.json)?,
    }
    Ok(Outcome::Fine)
}

fn list(as_json: bool) -> Result<()> {
    if as_json {
        let all: Vec<_> = presets()
            .iter()
            .map(|preset| {
                json!({
                    "preset": preset.name,
                    "top": preset.top(),
                    "description": preset.description,
                })
            })
            .collect();
        return print_json(&all);
    }
    let width = presets().iter().map(|p| p.name.len()).max().unwrap_or(0);
    for preset in presets() {
        print(format_args!(
            "{:width$}  {}",
            preset.name, preset.description
        ))?;
    }
    Ok(())
}

fn generate(name: &str, args: &Args) -> Result<()> {
    let preset = find(name)?;
    if args.output.exists() && !args.output.is_dir() {
        bail!(
            "{} is not a folder; name one with -o",
            args.output.display()
        );
    }
    let design = preset.generate()?;
    let manifest = preset.manifest(&design);
    let files = design
        .write(&manifest, &args.output)
        .with_context(|| format!("cannot write into {}", args.output.display()))?;
    if args.json {
        return print_json(&manifest);
    }
    for file in files {
        print(file.display())?;
    }
    Ok(())
}
