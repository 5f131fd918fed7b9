//! `lookback verify`: does a recording replay, every interval of it?

use super::open::{flaws, ranges, OpenArgs, Opened, Unusable};
use super::{print, print_json, Outcome};
use crate::text::{count, plural, rate};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use lookback_log_format::order::OrderKind;
use lookback_replay::order::OrderReport;
use lookback_replay::recording::HartLog;
use lookback_replay::suspect::Suspect;
use lookback_replay::verify::{verify, HartReport, Report};
use lookback_replay::{Divergence, Recording, What};
use serde_json::json;
use std::fmt::Write;
use std::time::Instant;

/// Divergences that are told one by one.
const MOST_TOLD: usize = 10;

/// Options of `lookback verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    open: OpenArgs,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let Opened {
        recording, image, ..
    } = args.open.open()?;
    let file = args.open.file.display().to_string();
    let image = image.map_err(|error| Unusable::new(&file, error.to_string()))?;
    let began = Instant::now();
    let bar = ProgressBar::new(recording.summary().instructions);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} instructions, {per_sec}")
    {
        bar.set_style(style);
    }
    let report = verify(&recording, &image, |done, _| bar.set_position(done));
    bar.finish_and_clear();
    let seconds = began.elapsed().as_secs_f64();
    let flaws = flaws(&recording);
    let fine = report.ok && flaws.is_empty();
    if args.open.json {
        print_json(&json!({
            "file": file,
            "fine": fine,
            "seconds": seconds,
            "flaws": flaws,
            "breach": recording.end.and_then(|end| end.breach),
            "report": report,
        }))?;
    } else {
        let orphans: Vec<_> = recording.harts.iter().flat_map(orphans).collect();
        let mut text = describe(&file, &report, (&flaws, &orphans), fine, seconds);
        text.push_str(&blame(&recording, &report));
        print(text.trim_end())?;
    }
    Ok(Outcome::fine_if(fine))
}

/// Hart and index of each interval that goes on from a missing one.
fn orphans(log: &HartLog) -> Vec<(u8, u32)> {
    let orphans = log.orphans().into_iter();
    orphans.map(|index| (log.hart, index)).collect()
}

/// `orphans` are told among the flaws, so they need not be told again.
fn describe(
    file: &str,
    report: &Report,
    (flaws, orphans): (&[String], &[(u8, u32)]),
    fine: bool,
    seconds: f64,
) -> String {
    let totals = &report.totals;
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = if totals.intervals == totals.intervals_ok {
        writeln!(
            text,
            "{file}: all of {} replayed, every digest matches",
            plural(totals.intervals, "interval")
        )
    } else {
        writeln!(
            text,
            "{file}: {} of {} replayed, the others do not replay",
            count(totals.intervals_ok),
            plural(totals.intervals, "interval")
        )
    };
    let _ = writeln!(
        text,
        "  {} in {seconds:.2} s, {} a second; {:.3} bits each",
        plural(totals.instructions_ok, "instruction"),
        rate(totals.instructions as f64 / seconds.max(1e-9)),
        totals.bits_per_instruction.unwrap_or(0.0),
    );
    if totals.instructions_lost > 0 {
        let _ = writeln!(
            text,
            "  {} not in it: the recorder could not keep up",
            plural(totals.instructions_lost, "instruction")
        );
    }
    for order in &report.order {
        let _ = writeln!(text, "  {}", order_line(order));
    }
    if fine {
        return text;
    }
    for fault in report
        .order
        .iter()
        .flat_map(|order| &order.faults)
        .take(MOST_TOLD)
    {
        let _ = writeln!(text, "  the order of the harts: {fault}");
    }
    for hart in &report.harts {
        let _ = writeln!(
            text,
            "  fine: intervals {} of hart {}",
            good(hart),
            hart.hart
        );
    }
    if report.harts.is_empty() {
        let _ = writeln!(text, "  fine: no intervals");
    }
    for flaw in flaws {
        let _ = writeln!(text, "  {flaw}");
    }
    for seam in report.seams() {
        let _ = writeln!(text, "  does not fit: {seam}");
    }
    let told = |divergence: &&Divergence| {
        let place = (divergence.hart, divergence.interval);
        divergence.what != What::NotAlone || !orphans.contains(&place)
    };
    for divergence in report.divergences().filter(told).take(MOST_TOLD) {
        let _ = writeln!(text, "  diverges: {divergence}");
    }
    let untold = report.divergences().filter(told).count();
    let untold = untold.saturating_sub(MOST_TOLD);
    if untold > 0 {
        let _ = writeln!(text, "  … and {untold} more");
    }
    text
}

/// What came of one log of the order of several harts.
fn order_line(order: &OrderReport) -> String {
    let log = match order.kind {
        OrderKind::Strata => plural(order.elements, "strata region"),
        OrderKind::Chunks => plural(order.elements, "chunk"),
    };
    let bits = order.bytes as f64 * 8000.0 / order.instructions.max(1) as f64;
    let mut text = match order.is_ok() {
        true => format!(
            "all harts together, by {log}: every read sees what was written last ({} confirmed); \
             {bits:.1} bits a thousand instructions",
            count(order.reads_confirmed)
        ),
        false => format!(
            "all harts together, by {log}: the order does not explain what they saw; {} were put \
             in order",
            plural(order.instructions, "instruction")
        ),
    };
    for note in &order.notes {
        let _ = write!(text, "\n    {note}");
    }
    text
}

/// Whose fault another digest is, or how to learn it.
fn blame(recording: &Recording, report: &Report) -> String {
    let breach = recording.end.is_some_and(|end| end.breach.is_some());
    // After a breach the replay computes with what the core did not; only a proof is worth telling.
    let told = |suspect: &&Suspect| suspect.proven || !breach;
    let mut text = String::new();
    for suspect in report.suspects().filter(told).take(MOST_TOLD) {
        let _ = writeln!(text, "  to blame: {suspect}");
    }
    let mut divergences = report.divergences();
    let only_digest = divergences.any(|divergence| matches!(divergence.what, What::Digest { .. }));
    let config = &recording.config;
    if text.is_empty() && only_digest && !breach && config.attached && !config.logs_results() {
        text.push_str(
            "  The digest says that the core did something else, but not where. The recorder checks all \
             results but those of multiplications and divisions: record again with --check to compare \
             these, too.\n",
        );
    }
    text
}

fn good(hart: &HartReport) -> String {
    let replayed = hart.intervals.iter().filter(|i| i.divergence.is_none());
    ranges(replayed.map(|interval| interval.index))
}
