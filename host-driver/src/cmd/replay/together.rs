//! `lookback replay --hart all`: the instructions of all harts, in the order in which they took effect.

use super::{range_of, stops, Args, Listing};
use crate::cmd::open::{flaws, tell_flaws, Opened};
use crate::cmd::Outcome;
use anyhow::{bail, Result};
use lookback_debugger::Symbols;
use lookback_log_format::order::OrderKind;
use lookback_replay::order::{Schedule, Slice};
use lookback_replay::walk::{walk, Event};
use lookback_replay::{Image, Recording, Step};
use serde_json::json;
use std::collections::VecDeque;
use std::io::{self, BufWriter};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Instructions whose values are kept at a time. Each look at a hart begins with its interval, so a
/// window is about as long as one.
const WINDOW: u64 = 1 << 16;

pub(super) fn run(args: &Args, opened: Opened, image: &Arc<Image>, file: &str) -> Result<Outcome> {
    let Opened { recording, elf, .. } = opened;
    let logged = |kind: &OrderKind| !recording.order(*kind).is_empty();
    let Some(kind) = recording.order_kinds().into_iter().find(logged) else {
        bail!(
            "{file} does not have the order of its harts; list one of them: --hart {}",
            recording.harts.first().map_or(0, |log| log.hart)
        );
    };
    let (schedule, report) = Schedule::new(&recording, image, kind);
    let range = range_of(args, 0..schedule.length())?;
    let symbols = Symbols::load(&elf);
    let stops = stops(args, &symbols)?;
    let mut listing = Listing::new(BufWriter::new(io::stdout().lock()), symbols, args.open.json);
    let mut reached = vec![None; usize::from(recording.config.harts)];
    let mut start = range.start;
    'all: while start < range.end {
        let window = start..range.end.min(start + WINDOW);
        start = window.end;
        let slices = slices_in(&schedule, &window);
        let mut steps = Steps::new(&recording, image, &slices);
        for slice in &slices {
            let place = usize::from(slice.hart);
            listing.hart = Some(slice.hart);
            if let Some(before) = reached[place].filter(|&before: &u64| before < slice.from) {
                let text = format!(
                    "hart {}: the order does not have instructions {before} to {}",
                    slice.hart,
                    slice.from - 1
                );
                let missing = json!({ "hart": slice.hart, "unordered": [before, slice.from - 1] });
                listing.remark(&text, missing)?;
            }
            reached[place] = Some(slice.to);
            for retired in slice.from..slice.to {
                listing.moment = slice.start + (retired - slice.from);
                let Some((interval, step)) = steps.take(place, retired) else {
                    listing.flawed = true;
                    let text = format!("instruction {retired} of hart {place} is not known");
                    let unknown = json!({ "hart": place, "unknown": retired });
                    listing.remark(&text, unknown)?;
                    continue;
                };
                listing.interval = interval;
                let flow = listing.event_until(&stops, &Event::Step(&step))?;
                if flow.is_break() {
                    break 'all;
                }
            }
        }
    }
    let reaches_end = start >= schedule.length();
    if let Some(problem) = report.problem().filter(|_| reaches_end) {
        listing.flawed = true;
        let text = format!("the order of the harts goes no further: {problem}");
        listing.remark(&text, json!({ "order": problem }))?;
    }
    listing.end()?;
    let flaws = flaws(&recording);
    if !args.open.json {
        tell_flaws(file, &recording, &flaws);
    }
    Ok(Outcome::fine_if(!listing.flawed && flaws.is_empty()))
}

/// The parts of slices that lie in a window of the order.
fn slices_in(schedule: &Schedule, window: &Range<u64>) -> Vec<Slice> {
    let all = schedule.slices();
    let first = all.partition_point(|slice| slice.start + (slice.to - slice.from) <= window.start);
    let overlapping = all[first..]
        .iter()
        .take_while(|slice| slice.start < window.end);
    overlapping
        .map(|slice| {
            let skip = window.start.saturating_sub(slice.start);
            let from = slice.from + skip;
            let start = slice.start + skip;
            let to = slice.to.min(from + (window.end - start));
            Slice {
                from,
                to,
                start,
                ..*slice
            }
        })
        .collect()
}

/// The instructions of each hart that a window needs, with the intervals that they are from.
struct Steps(Vec<VecDeque<(u32, Step)>>);

impl Steps {
    fn new(recording: &Recording, image: &Arc<Image>, slices: &[Slice]) -> Self {
        let of_hart = |hart: u8| {
            let own = || slices.iter().filter(|slice| slice.hart == hart);
            let mut steps = VecDeque::new();
            let from = own().map(|slice| slice.from).min();
            let to = own().map(|slice| slice.to).max();
            let (Some(from), Some(to), Some(log)) = (from, to, recording.hart(hart)) else {
                return steps;
            };
            let mut interval = 0;
            let _ = walk(recording, image, log, from..to, |event| {
                match event {
                    Event::Interval(entered) => interval = entered.header.index,
                    Event::Step(step) => steps.push_back((interval, *step)),
                    // What cannot be followed is missed when its turn comes.
                    Event::Gap(_) | Event::Missing { .. } | Event::Diverged(_) => {}
                }
                ControlFlow::Continue(())
            });
            steps
        };
        Self((0..recording.config.harts).map(of_hart).collect())
    }

    fn take(&mut self, hart: usize, retired: u64) -> Option<(u32, Step)> {
        let steps = &mut self.0[hart];
        while steps.front()?.1.retired < retired {
            steps.pop_front();
        }
        match steps.front()?.1.retired == retired {
            true => steps.pop_front(),
            false => None,
        }
    }
}
