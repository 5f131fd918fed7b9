//! `lookback settings`: what to write to a recorder's Wishbone registers, for boards without a host.

use super::{print, print_json, Outcome};
use crate::firmware::Firmware;
use anyhow::Result;
use lookback_log_format::config::count_bits_for;
use lookback_log_format::registers as reg;
use serde_json::json;
use std::path::PathBuf;

/// Options of `lookback settings`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The firmware that the core runs.
    #[arg(long, value_name = "FILE")]
    elf: PathBuf,
    /// Instructions an interval.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(64..=0xff_ffff))]
    interval: u32,
    /// What the recorder does when it cannot keep up.
    #[arg(long, value_enum, default_value = "stall")]
    policy: super::record::Policy,
    /// Log the results of multiplications and divisions, too; see `lookback record --help`.
    #[arg(long)]
    check: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let firmware = Firmware::read(&args.elf)?;
    let window = firmware.window();
    let policy = match args.policy {
        super::record::Policy::Stall => reg::CONTROL_MAY_STALL,
        super::record::Policy::Drop => 0,
    };
    let results = if args.check {
        reg::CONTROL_LOG_RESULTS
    } else {
        0
    };
    let writes = [
        ("INTERVAL", reg::INTERVAL, args.interval),
        (
            "COUNT_BITS",
            reg::COUNT_BITS,
            count_bits_for(args.interval).into(),
        ),
        ("IMAGE_LO", reg::IMAGE_LO, window.start),
        ("IMAGE_HI", reg::IMAGE_HI, window.end),
        ("POST_TRIGGER", reg::POST_TRIGGER, 0),
        (
            "CONTROL",
            reg::CONTROL,
            policy | results | reg::CONTROL_RECORD,
        ),
    ];
    if args.json {
        let list: Vec<_> = writes
            .iter()
            .map(|(name, number, value)| {
                json!({"register": name, "address": u32::from(*number) * 4, "value": value})
            })
            .collect();
        print_json(&list)?;
        return Ok(Outcome::Fine);
    }
    print("byte address  value       register (write in this order; the last write starts)")?;
    for (name, number, value) in writes {
        let address = format!("{:#05x}", u32::from(number) * 4);
        print(format_args!("{address:<12}  {value:#010x}  {name}"))?;
    }
    Ok(Outcome::Fine)
}
