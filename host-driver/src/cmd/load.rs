//! `lookback load`: a firmware into a board's RAM.

use super::{print, print_json, Outcome};
use crate::driver::load::{self, Loaded, Phase};
use crate::firmware::Firmware;
use crate::text::{count, rate};
use crate::transport::serial::{Baud, Serial};
use crate::ui::Ui;
use anyhow::Result;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of `lookback load`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The firmware.
    #[arg(value_name = "ELF")]
    elf: PathBuf,
    /// Serial port of the board; `auto` looks for the USB adapter at which a recorder answers.
    #[arg(long, value_name = "PATH|auto")]
    port: String,
    /// Bits a second on the serial port; `auto` tries the rates that boards have.
    #[arg(long, value_name = "N|auto", default_value = "3000000")]
    baud: Baud,
    /// Load although the board is recording, or has a recording that nobody has taken: it is lost.
    #[arg(long)]
    force: bool,
    /// How long the board may say nothing, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Print what was loaded as JSON.
    #[arg(long)]
    json: bool,
}

/// What came of it.
#[derive(Serialize)]
struct Summary {
    elf: String,
    port: String,
    #[serde(flatten)]
    loaded: Loaded,
    seconds: f64,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    // Before the port: a file that cannot be loaded needs no board.
    let firmware = Firmware::read(&args.elf)?;
    let mut ui = Ui::new(args.json);
    let mut link = Serial::open(&args.port, args.baud)?;
    let port = crate::transport::Link::name(&link);
    let began = Instant::now();
    let mut progress = |phase, done: usize, total: usize| {
        ui.show_progress(|| {
            let what = match phase {
                Phase::Writing => "writing RAM",
                Phase::Reading => "reading it again",
            };
            let (done, total) = (4 * done as u64, 4 * total as u64);
            format!(
                "{what}: {} of {} bytes {}",
                count(done),
                count(total),
                bar(done, total)
            )
        });
    };
    let loaded = load::load(
        &mut link,
        |ram_bytes| firmware.words(ram_bytes),
        args.force,
        Duration::from_secs(args.timeout),
        &mut progress,
    );
    ui.finish();
    let summary = Summary {
        elf: firmware.elf.name.clone(),
        loaded: loaded?,
        seconds: began.elapsed().as_secs_f64(),
        port,
    };
    report(&summary, args)?;
    Ok(Outcome::Fine)
}

/// How far it is, as a picture.
fn bar(done: u64, total: u64) -> String {
    const WIDTH: u64 = 24;
    let full = WIDTH * done / total.max(1);
    (0..WIDTH)
        .map(|n| if n < full { '#' } else { '.' })
        .collect()
}

fn report(summary: &Summary, args: &Args) -> Result<()> {
    if args.json {
        return print_json(summary);
    }
    let Loaded {
        bytes,
        crc,
        ram_bytes,
        repeated,
    } = summary.loaded;
    print(format_args!(
        "{}: {} bytes in the board's RAM of {} in {:.1} s ({} bytes a second), {}\n  CRC-32 {crc:#010x}, \
         read from RAM, is that of the ELF\n  the board was restarted; record with\n  \
         lookback record --port {} --elf {}",
        summary.elf,
        count(bytes),
        count(ram_bytes.into()),
        summary.seconds,
        rate(bytes as f64 / summary.seconds.max(1e-9)),
        match repeated {
            0 => "nothing repeated".into(),
            n => format!("{} commands repeated", count(n)),
        },
        summary.port,
        args.elf.display(),
    ))
}
