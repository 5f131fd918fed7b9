//! `lookback info`: what is in a recording.

use super::open::{flaws, whole_intervals, OpenArgs, Opened};
use super::{print, print_json, Outcome};
use crate::driver::ending::Ending;
use crate::text::{count, plural};
use anyhow::Result;
use lookback_log_format::config::{Coder, TagKind};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::order::OrderKind;
use lookback_log_format::registers::{CONTROL_MAY_STALL, CONTROL_RING};
use lookback_log_format::{RecorderConfig, CRC, FORMAT_VERSION};
use lookback_replay::recording::HartLog;
use lookback_replay::Recording;
use serde_json::{json, Value};
use std::fmt::Write;

/// Options of `lookback info`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    open: OpenArgs,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let opened = args.open.open()?;
    let flaws = flaws(&opened.recording);
    if args.open.json {
        print_json(&as_json(args, &opened, &flaws))?;
    } else {
        print(as_text(args, &opened, &flaws).trim_end())?;
    }
    Ok(Outcome::fine_if(flaws.is_empty()))
}

fn as_json(args: &Args, opened: &Opened, flaws: &[String]) -> Value {
    let recording = &opened.recording;
    let elf = recording.elf.as_ref().map(|elf| {
        json!({
            "name": elf.name,
            "bytes": elf.bytes.len(),
            "crc32": format!("{:08x}", CRC.checksum(&elf.bytes)),
            "build_id": build_id(opened),
        })
    });
    json!({
        "file": args.open.file,
        "format_version": FORMAT_VERSION,
        "elf": elf,
        "recorder": recording.config,
        "contents": recording.summary(),
        "intervals": recording.harts.iter().map(|log| json!({
            "hart": log.hart,
            "indices": log.intervals().map(|i| i.header.index).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "ring": (recording.config.control & CONTROL_RING != 0).then(|| json!({
            "bytes": 1u64 << recording.config.ring_bits.min(32),
            "instructions": recording.harts.iter().map(unbroken).sum::<u64>(),
        })),
        "trigger": recording.end.as_ref().and_then(|end| end.fired).map(|fired| json!({
            "cause": fired.cause,
            "hart": fired.hart,
            "instruction": fired_at(recording),
            "after": recording.config.post_trigger,
        })),
        "ended": Ending::from_end(recording.end.as_ref()),
        "console": String::from_utf8_lossy(&recording.console),
        "losses": recording.losses,
        "damage": recording.damage,
        "flaws": flaws,
        "fine": flaws.is_empty(),
    })
}

fn build_id(opened: &Opened) -> Option<String> {
    let id = opened.image.as_ref().ok()?.build_id()?;
    Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn as_text(args: &Args, opened: &Opened, flaws: &[String]) -> String {
    let recording = &opened.recording;
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{}", args.open.file.display());
    let several = recording.config.harts > 1;
    let lines = [
        ("firmware", firmware(opened)),
        ("recorder", recorder(&recording.config)),
        ("contents", contents(recording)),
        ("intervals", whole_intervals(recording)),
        ("log", log(recording)),
        ("order", order(recording)),
        ("time", time(recording)),
        ("ring", ring(recording)),
        ("trigger", trigger(recording)),
        ("console", plural(recording.console.len() as u64, "byte")),
        ("end", Ending::from_end(recording.end.as_ref()).to_string()),
    ];
    let shown = lines
        .into_iter()
        .filter(|(name, value)| (several || *name != "order") && !value.is_empty());
    for (name, value) in shown {
        let _ = writeln!(text, "  {name:<10}{value}");
    }
    for flaw in flaws {
        let _ = writeln!(text, "  {flaw}");
    }
    text
}

fn firmware(opened: &Opened) -> String {
    match (&opened.recording.elf, build_id(opened)) {
        (Some(elf), Some(id)) => format!("{}, build id {id}", elf.name),
        (Some(elf), None) => format!("{}, CRC-32 {:08x}", elf.name, CRC.checksum(&elf.bytes)),
        (None, _) => "damaged; give it with --elf to replay".into(),
    }
}

fn recorder(config: &RecorderConfig) -> String {
    let tags = (1u64 << config.tag_set_bits)
        * u64::from(config.tag_ways)
        * u64::from(config.tag_words)
        * 4;
    let codec = match config.compact() {
        None => "codec bugnet".to_owned(),
        Some(compact) => format!(
            "codec compact with the {} coder, {} a key group",
            if compact.coder == Coder::Arithmetic {
                "arithmetic"
            } else {
                "plain"
            },
            plural(compact.key.into(), "interval")
        ),
    };
    format!(
        "{codec}, {} at {:.1} MHz, first-load tags for {} bytes{}, {} dictionary \
         entries, intervals of {}, {}",
        plural(config.harts.into(), "hart"),
        f64::from(config.clock_hz) / 1e6,
        count(tags),
        match config
            .compact()
            .map_or(config.tag_kind, |compact| compact.tags)
        {
            TagKind::Bits => "",
            TagKind::Words => " that keep words",
        },
        1u32 << config.dict_bits,
        count(config.interval.into()),
        if config.control & CONTROL_MAY_STALL != 0 {
            "holds the hart rather than lose"
        } else {
            "loses rather than hold the hart"
        }
    )
}

fn contents(recording: &Recording) -> String {
    let summary = recording.summary();
    let (first, last) = summary.retired;
    let mut text = format!(
        "{} (number {} to {}) in {}",
        plural(summary.instructions, "instruction"),
        count(first),
        count(last.saturating_sub(1)),
        plural(summary.intervals, "interval"),
    );
    if recording.config.harts > 1 {
        let of_hart = |log: &HartLog| {
            let intervals = log.intervals().map(|i| u64::from(i.trailer.instructions));
            format!("{} by hart {}", count(intervals.sum()), log.hart)
        };
        let harts: Vec<_> = recording.harts.iter().map(of_hart).collect();
        text = format!(
            "{} in {}: {}",
            plural(summary.instructions, "instruction"),
            plural(summary.intervals, "interval"),
            harts.join(", ")
        );
    }
    if summary.gaps > 0 {
        let _ = write!(
            text,
            ", {} where {} lost",
            plural(summary.gaps, "gap"),
            plural(summary.lost, "instruction")
        );
    }
    text
}

fn log(recording: &Recording) -> String {
    let summary = recording.summary();
    format!(
        "{} bytes, {:.3} bits an instruction ({:.3} without headers); the file has {} bytes",
        count(summary.log_bytes),
        summary.bits_per_instruction.unwrap_or(0.0),
        summary.entry_bits_per_instruction.unwrap_or(0.0),
        count(summary.file_bytes),
    )
}

/// What is known of the order of several harts.
fn order(recording: &Recording) -> String {
    let summary = recording.summary();
    let rate = |bytes: u64| bytes as f64 * 8000.0 / summary.instructions.max(1) as f64;
    let line = |name: &str, records: u64, bytes: u64| {
        let rate = rate(bytes);
        let records = plural(records, "record");
        let bytes = count(bytes);
        format!("{name} in {records}, {bytes} bytes, {rate:.1} bits a thousand instructions")
    };
    let mut lines = Vec::new();
    for kind in recording.order_kinds() {
        lines.push(match kind {
            OrderKind::Strata => line("strata", summary.strata_records, summary.strata_bytes),
            OrderKind::Chunks => line("chunks", summary.chunk_records, summary.chunk_bytes),
        });
    }
    match lines.is_empty() {
        true => "not recorded: each hart can be replayed only by itself".into(),
        false => lines.join("; "),
    }
}

/// How much the ring of a flight recorder held.
fn ring(recording: &Recording) -> String {
    if recording.config.control & CONTROL_RING == 0 {
        return String::new();
    }
    let held: u64 = recording.harts.iter().map(unbroken).sum();
    let size = 1u64 << recording.config.ring_bits.min(32);
    let all = match &recording.end {
        Some(end) => format!(" of {}", count(end.retired)),
        None => String::new(),
    };
    format!(
        "{} bytes held the last {}{all} instructions",
        count(size),
        count(held)
    )
}

/// Instructions of a hart without a break before its end: intervals that filled the ring alone were sent
/// when they came, and others gave way after them.
fn unbroken(log: &HartLog) -> u64 {
    let mut held = 0;
    let mut next: Option<u32> = None;
    for record in log.records.iter().rev() {
        let Record::Interval(interval) = record else {
            break;
        };
        let index = interval.header.index;
        if next.is_some_and(|next| index.wrapping_add(1) != next) {
            break;
        }
        held += u64::from(interval.trailer.instructions);
        next = Some(index);
    }
    held
}

/// Which trigger fired, and where.
fn trigger(recording: &Recording) -> String {
    let Some((end, fired)) = recording
        .end
        .as_ref()
        .and_then(|end| Some((end, end.fired?)))
    else {
        return String::new();
    };
    let hart = match recording.config.harts {
        1 => String::new(),
        _ => format!(" of hart {}", fired.hart),
    };
    let cause = fired.cause.name();
    let after = plural(recording.config.post_trigger.into(), "instruction");
    match fired_at(recording) {
        Some(at) => format!(
            "{cause} at instruction {}{hart}, {after} before the end",
            count(at)
        ),
        None if end.reason == EndReason::Trigger => {
            format!("{cause}{hart}, before what the ring holds: {after} came after it")
        }
        None => format!("{cause}{hart}, fewer than {after} before the end"),
    }
}

/// Retirements of its hart before the instruction that fired the trigger (section 6.1 of the format).
fn fired_at(recording: &Recording) -> Option<u64> {
    let end = recording.end.as_ref()?;
    let fired = end.fired.filter(|_| end.reason == EndReason::Trigger)?;
    let log = recording.harts.iter().find(|log| log.hart == fired.hart)?;
    let mut left = u64::from(recording.config.post_trigger) + 1;
    let intervals: Vec<_> = log.intervals().collect();
    for interval in intervals.into_iter().rev() {
        let count = u64::from(interval.trailer.instructions);
        match count.checked_sub(left) {
            Some(before) => return Some(interval.header.retired.saturating_add(before)),
            None => left -= count,
        }
    }
    None
}

fn time(recording: &Recording) -> String {
    match &recording.end {
        Some(end) => format!(
            "{} cycles, {} of them held by the recorder",
            count(end.cycles),
            count(end.stalls)
        ),
        None => "unknown".into(),
    }
}
