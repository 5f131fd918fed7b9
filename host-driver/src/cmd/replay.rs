//! `lookback replay`: the instructions of a recording, one line each.

mod together;

use super::open::{flaws, tell_flaws, whole_intervals, OpenArgs, Opened};
use super::{printed, Outcome};
use crate::text::parse_number;
use anyhow::{bail, Result};
use lookback_debugger::report::values;
use lookback_debugger::timeline::stops::{Stops, Watch, WatchKind};
use lookback_debugger::{Location, Symbols};
use lookback_log_format::interval::Interval;
use lookback_replay::disasm::disassemble;
use lookback_replay::recording::HartLog;
use lookback_replay::walk::{walk, Event};
use lookback_replay::Step;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::ops::{ControlFlow, Range};

/// Options of `lookback replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    open: OpenArgs,
    /// First instruction.
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// Last instruction.
    #[arg(long, value_name = "N")]
    to: Option<u64>,
    /// Only the last so many instructions (up to --to, if that is given).
    #[arg(long, value_name = "N", conflicts_with = "from")]
    last: Option<u64>,
    /// Which hart; or all of them in the order in which their instructions took effect: then
    /// --from, --to, --last and --until count the instructions of all.
    #[arg(long, value_name = "N|all", default_value = "0", value_parser = parse_hart)]
    hart: Which,
    /// Stop before the first instruction at this address or function; may be given several times.
    #[arg(long = "break", value_name = "PLACE")]
    breaks: Vec<String>,
    /// Stop behind the first instruction that writes this memory: an address or a variable, with a
    /// length in bytes if need be (ADDRESS:LENGTH); may be given several times.
    #[arg(long = "watch", value_name = "ADDRESS")]
    watches: Vec<String>,
    /// Stop before instruction number N.
    #[arg(long, value_name = "N", conflicts_with = "to")]
    until: Option<u64>,
}

/// Which harts to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    One(u8),
    All,
}

fn parse_hart(text: &str) -> Result<Which, String> {
    match text {
        "all" => Ok(Which::All),
        number => match number.parse() {
            Ok(hart) => Ok(Which::One(hart)),
            Err(_) => Err("write a hart's number, or `all`".into()),
        },
    }
}

/// One instruction as JSON.
#[derive(Serialize)]
struct JsonStep<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hart: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moment: Option<u64>,
    interval: u32,
    #[serde(flatten)]
    step: &'a Step,
    text: String,
    at: &'a Location,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let opened = args.open.open()?;
    let file = args.open.file.display().to_string();
    let image = opened.replayable(&file)?;
    let hart = match args.hart {
        Which::All if opened.recording.config.harts > 1 => {
            return together::run(args, opened, &image, &file)
        }
        Which::All => 0,
        Which::One(hart) => hart,
    };
    let Opened { recording, elf, .. } = opened;
    let Some(log) = recording.hart(hart) else {
        let harts: Vec<_> = recording.harts.iter().map(|l| l.hart.to_string()).collect();
        bail!(
            "{file} has nothing of hart {hart}; its harts: {}",
            harts.join(", ")
        );
    };
    let range = range_of(args, span(log))?;
    let symbols = Symbols::load(&elf);
    let stops = stops(args, &symbols)?;
    let mut listing = Listing::new(BufWriter::new(io::stdout().lock()), symbols, args.open.json);
    let mut failed = None;
    let _ = walk(&recording, &image, log, range, |event| {
        match listing.event_until(&stops, &event) {
            Ok(flow) => flow,
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    printed(failed.map_or(Ok(()), Err))?;
    let flaws = flaws(&recording);
    if args.open.json && !flaws.is_empty() {
        let whole = whole_intervals(&recording);
        printed(listing.remark("", json!({ "flaws": flaws, "whole_intervals": whole })))?;
    }
    printed(listing.end())?;
    if !args.open.json {
        tell_flaws(&file, &recording, &flaws);
    }
    Ok(Outcome::fine_if(!listing.flawed && flaws.is_empty()))
}

/// The instructions of a hart, by number since recording began.
fn span(log: &HartLog) -> Range<u64> {
    let end_of = |interval: &Interval| {
        let instructions = u64::from(interval.trailer.instructions);
        interval.header.retired.saturating_add(instructions)
    };
    log.intervals().next().map_or(0, |i| i.header.retired)
        ..log.intervals().next_back().map_or(0, end_of)
}

/// Those of them that are to be listed.
fn range_of(args: &Args, all: Range<u64>) -> Result<Range<u64>> {
    let end = match (args.to, args.until) {
        (Some(to), _) => to.saturating_add(1).min(all.end),
        (None, Some(until)) => until.min(all.end),
        (None, None) => all.end,
    };
    let start = match (args.from, args.last) {
        (Some(from), _) => from,
        (None, Some(last)) => end.saturating_sub(last),
        (None, None) => all.start,
    };
    if start >= end || end <= all.start {
        bail!(
            "no instruction lies in that range; the recording has {} to {}",
            all.start,
            all.end.saturating_sub(1)
        );
    }
    Ok(start.max(all.start)..end)
}

/// Where to stop, from what the user typed.
fn stops(args: &Args, symbols: &Symbols) -> Result<Stops> {
    let mut stops = Stops::default();
    for place in &args.breaks {
        let addr = parse_number(place).or_else(|| symbols.function_named(place));
        let Some(addr) = addr else {
            bail!("--break {place}: neither an address nor a function of the firmware");
        };
        stops.add_breakpoint(addr);
    }
    for place in &args.watches {
        let (name, length) = match place.split_once(':') {
            Some((name, length)) => (name, Some(length)),
            None => (place.as_str(), None),
        };
        let found = parse_number(name).map(|addr| (addr, 4));
        let Some((addr, size)) = found.or_else(|| symbols.variable(name)) else {
            bail!("--watch {place}: neither an address nor a variable of the firmware");
        };
        let len = match length {
            Some(text) => parse_number(text).filter(|&len| len > 0),
            None => Some(size.max(1)),
        };
        let Some(len) = len else {
            bail!("--watch {place}: the length is no number of bytes");
        };
        stops.add_watch(Watch {
            addr,
            len,
            kind: WatchKind::Write,
        });
    }
    Ok(stops)
}

struct Listing<W> {
    out: W,
    symbols: Symbols,
    /// Looking a line up costs more than replaying an instruction, and loops repeat themselves.
    known: HashMap<u32, Location>,
    json: bool,
    /// Of several harts together: whose instruction it is, and how many of all came before it.
    hart: Option<u8>,
    moment: u64,
    interval: u32,
    any: bool,
    flawed: bool,
}

impl<W: Write> Listing<W> {
    fn new(out: W, symbols: Symbols, json: bool) -> Self {
        Self {
            out,
            symbols,
            known: HashMap::new(),
            json,
            hart: None,
            moment: 0,
            interval: 0,
            any: false,
            flawed: false,
        }
    }

    /// An instruction's number, for remarks.
    fn number(&self, step: &Step) -> String {
        match self.hart {
            None => step.retired.to_string(),
            Some(hart) => format!("{}, {} of hart {hart}", self.moment, step.retired),
        }
    }

    /// Lists, and says whether to go on.
    fn event_until(&mut self, stops: &Stops, event: &Event<'_>) -> io::Result<ControlFlow<()>> {
        let Event::Step(step) = event else {
            self.event(event)?;
            return Ok(ControlFlow::Continue(()));
        };
        if stops.breaks_at(step.pc) {
            let text = format!(
                "stopped before instruction {}: breakpoint",
                self.number(step)
            );
            self.remark(
                &text,
                json!({ "stopped": "breakpoint", "before": step.retired }),
            )?;
            return Ok(ControlFlow::Break(()));
        }
        self.event(event)?;
        if stops.watched(step).is_some() {
            let text = format!(
                "stopped behind instruction {}: watchpoint",
                self.number(step)
            );
            self.remark(
                &text,
                json!({ "stopped": "watchpoint", "behind": step.retired }),
            )?;
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Interval(interval) => {
                self.interval = interval.header.index;
                Ok(())
            }
            Event::Step(step) => self.step(step),
            Event::Gap(gap) => self.remark(
                &format!("{} instructions were not recorded", gap.lost),
                json!({ "gap": gap }),
            ),
            Event::Missing { first, last } => {
                self.flawed = true;
                self.remark(
                    &format!("intervals {first} to {last} are missing"),
                    json!({ "missing": [first, last] }),
                )
            }
            Event::Diverged(divergence) => {
                self.flawed = true;
                self.remark(
                    &format!("the replay goes another way than the recording: {divergence}"),
                    json!({ "diverged": divergence, "text": divergence.to_string() }),
                )
            }
        }
    }

    fn step(&mut self, step: &Step) -> io::Result<()> {
        let at = self
            .known
            .entry(step.pc)
            .or_insert_with(|| self.symbols.locate(step.pc));
        let text = disassemble(step.insn, step.pc);
        if self.json {
            separate(&mut self.out, &mut self.any)?;
            let step = JsonStep {
                hart: self.hart,
                moment: self.hart.map(|_| self.moment),
                interval: self.interval,
                step,
                text: text.replace('\t', " "),
                at,
            };
            return serde_json::to_writer(&mut self.out, &step).map_err(io::Error::from);
        }
        let (mnemonic, operands) = text.split_once('\t').unwrap_or((&text, ""));
        if let Some(hart) = self.hart {
            write!(self.out, "{:>10}  hart {hart}  ", self.moment)?;
        }
        writeln!(
            self.out,
            "{:>10}  {:08x}  {mnemonic:<8}{operands:<24}  {:<50}  {at}",
            step.retired,
            step.pc,
            values(step)
        )
    }

    fn remark(&mut self, text: &str, value: serde_json::Value) -> io::Result<()> {
        if self.json {
            separate(&mut self.out, &mut self.any)?;
            return serde_json::to_writer(&mut self.out, &value).map_err(io::Error::from);
        }
        writeln!(self.out, "{:>10}  {text}", "…")
    }

    fn end(&mut self) -> io::Result<()> {
        if self.json {
            let end: &[u8] = if self.any { b"\n]\n" } else { b"[]\n" };
            self.out.write_all(end)?;
        }
        self.out.flush()
    }
}

/// Begins an element of the JSON list.
fn separate(out: &mut impl Write, any: &mut bool) -> io::Result<()> {
    let before = if std::mem::replace(any, true) {
        ",\n"
    } else {
        "[\n"
    };
    out.write_all(before.as_bytes())
}
