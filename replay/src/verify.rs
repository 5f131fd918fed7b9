//! Replays every interval by itself (every key group, with codec `compact`), in parallel, and says
//! what holds and what does not.

use crate::order::{self, OrderReport};
use crate::recording::{Damage, HartLog, Loss};
use crate::suspect::{suspect, Suspect};
use crate::{Divergence, Image, Machine, Recording, What};
use lookback_log_format::interval::{EndReason, Gap, Interval, Layout, Record};
use lookback_log_format::RecorderConfig;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Intervals of a hart for which somebody to blame is looked for.
const MOST_BLAMED: usize = 8;

/// What came of one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IntervalReport {
    /// Its index in the recording.
    pub index: u32,
    /// Instructions since recording began, at its start.
    pub retired: u64,
    /// Its length.
    pub instructions: u32,
    /// Bytes of its entries.
    pub entry_bytes: u64,
    /// Why it ended.
    pub reason: EndReason,
    /// Where its replay left the log; `None` if its digest matched.
    pub divergence: Option<Divergence>,
    /// The instruction to blame for another digest, if it can be told.
    pub suspect: Option<Suspect>,
}

/// Two neighbouring records that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("hart {hart}, between interval {before} and {after}: {what}")]
pub struct Seam {
    /// Which hart.
    pub hart: u8,
    /// Index of the first.
    pub before: u32,
    /// Index of the second.
    pub after: u32,
    /// What does not fit.
    pub what: String,
}

/// What came of one hart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HartReport {
    /// Which hart.
    pub hart: u8,
    /// Its intervals.
    pub intervals: Vec<IntervalReport>,
    /// Where the recorder itself lost events.
    pub gaps: Vec<Gap>,
    /// Indices of records that are not in the file, as first and last.
    pub missing: Vec<(u32, u32)>,
    /// Records that do not fit together.
    pub seams: Vec<Seam>,
}

/// Sums over all harts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Intervals.
    pub intervals: u64,
    /// Intervals whose digest matched.
    pub intervals_ok: u64,
    /// Instructions in all intervals.
    pub instructions: u64,
    /// Instructions in intervals whose digest matched.
    pub instructions_ok: u64,
    /// Instructions lost in gaps.
    pub instructions_lost: u64,
    /// Bits of entries for each instruction.
    pub entry_bits_per_instruction: Option<f64>,
    /// Bits of entries, headers and trailers for each instruction.
    pub bits_per_instruction: Option<f64>,
}

/// What came of a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Every interval in the file replayed, the order of the harts explains what each of them saw and fits its neighbours, nothing is damaged, missing or
    /// lost on the way, and the board's end is there. Gaps do not count: the recorder says itself
    /// that it could not keep up.
    pub ok: bool,
    /// The board said that the log is complete.
    pub complete: bool,
    /// Sums.
    pub totals: Totals,
    /// One for each hart.
    pub harts: Vec<HartReport>,
    /// All harts together, one for each kind of order that was logged.
    pub order: Vec<OrderReport>,
    /// Parts of the file that cannot be used.
    pub damage: Vec<Damage>,
    /// What was lost on the way to the file.
    pub losses: Vec<Loss>,
}

impl Report {
    /// All divergences, in the order of the recording.
    pub fn divergences(&self) -> impl Iterator<Item = &Divergence> {
        let intervals = self.harts.iter().flat_map(|hart| &hart.intervals);
        let alone = intervals.filter_map(|interval| interval.divergence.as_ref());
        let together = self
            .order
            .iter()
            .filter_map(|order| order.divergence.as_ref());
        alone.chain(together)
    }

    /// All instructions to blame, in the order of the recording.
    pub fn suspects(&self) -> impl Iterator<Item = &Suspect> {
        let intervals = self.harts.iter().flat_map(|hart| &hart.intervals);
        intervals.filter_map(|interval| interval.suspect.as_ref())
    }

    /// All seams that do not fit.
    pub fn seams(&self) -> impl Iterator<Item = &Seam> {
        self.harts.iter().flat_map(|hart| &hart.seams)
    }
}

/// The state of the hart behind an interval that replayed.
struct Behind {
    registers: [u32; 32],
    /// Which of them are known, a bit each.
    told: u32,
    next_pc: Option<u32>,
    /// Its privilege mode, where that can be told.
    next_mode: Option<u8>,
    /// Which registers it told before they were written, a bit each, and their contents.
    first_reads: (u32, [u32; 32]),
}

/// Replays all intervals. `progress` is called after each, from any thread, with the instructions
/// that are done and that there are.
pub fn verify(
    recording: &Recording,
    image: &Arc<Image>,
    progress: impl Fn(u64, u64) + Sync,
) -> Report {
    let done = AtomicU64::new(0);
    let all = recording.summary().instructions;
    let advance = |instructions: u32| {
        let before = done.fetch_add(instructions.into(), Ordering::Relaxed);
        progress(before + u64::from(instructions), all);
    };
    let harts: Vec<HartReport> = recording
        .harts
        .iter()
        .map(|log| verify_hart(&recording.config, image, log, &advance))
        .collect();
    let totals = totals(&harts, recording.summary().log_bytes);
    let kinds = recording.order_kinds();
    let order: Vec<OrderReport> = kinds
        .into_par_iter()
        .map(|kind| order::check(recording, image, kind, &mut |_| {}))
        .collect();
    let complete = recording.end.is_some();
    let hart_ok = |hart: &HartReport| hart.missing.is_empty() && hart.seams.is_empty();
    let ok = complete
        && totals.intervals == totals.intervals_ok
        && harts.iter().all(hart_ok)
        && order.iter().all(OrderReport::is_ok)
        && recording.damage.is_empty()
        && recording.losses.is_empty();
    Report {
        ok,
        complete,
        totals,
        harts,
        order,
        damage: recording.damage.clone(),
        losses: recording.losses.clone(),
    }
}

fn verify_hart(
    config: &RecorderConfig,
    image: &Arc<Image>,
    log: &HartLog,
    advance: &(impl Fn(u32) + Sync),
) -> HartReport {
    let groups: Vec<&[Record]> = log.groups().collect();
    let replayed: Vec<_> = groups
        .into_par_iter()
        .map_init(
            || Machine::<false>::new(config, image.clone()),
            |machine, group| replay_group(machine, log.hart, group, advance),
        )
        .flatten_iter()
        .collect();
    let mut report = HartReport {
        hart: log.hart,
        intervals: Vec::new(),
        gaps: Vec::new(),
        missing: log.missing(),
        seams: seams(log, &replayed),
    };
    let mut blamed = 0;
    for (record, result) in log.records.iter().zip(replayed) {
        match record {
            Record::Gap(gap) => report.gaps.push(*gap),
            // The recording keeps those apart.
            Record::Order(_) => {}
            Record::Interval(interval) => report.intervals.push(IntervalReport {
                suspect: match &result {
                    // One wrong instruction tends to spoil what follows: the first few tell.
                    Some(Err(divergence)) if blamed < MOST_BLAMED => {
                        blamed += 1;
                        blame(config, image, log, interval, divergence)
                    }
                    _ => None,
                },
                index: interval.header.index,
                retired: interval.header.retired,
                instructions: interval.trailer.instructions,
                entry_bytes: interval.entries.len() as u64,
                reason: interval.trailer.reason,
                divergence: result.and_then(Result::err),
            }),
        }
    }
    report
}

/// Who is to blame for a digest that differs, if the next interval follows without a gap.
fn blame(
    config: &RecorderConfig,
    image: &Arc<Image>,
    log: &HartLog,
    interval: &Interval,
    divergence: &Divergence,
) -> Option<Suspect> {
    if !matches!(divergence.what, What::Digest { .. }) {
        return None;
    }
    let mut intervals = log.intervals();
    let index = interval.header.index.checked_add(1)?;
    let next = intervals.find(|next| next.header.index == index)?;
    suspect(config, image, log.hart, interval, next)
}

/// Replays what depends on each other, in its order.
fn replay_group<'a>(
    machine: &mut Machine<'a, false>,
    hart: u8,
    group: &'a [Record],
    advance: &(impl Fn(u32) + Sync),
) -> Vec<Option<Result<Behind, Divergence>>> {
    let results = group.iter().map(|record| match record {
        Record::Gap(_) | Record::Order(_) => None,
        Record::Interval(interval) => {
            let result = replay(machine, hart, interval);
            advance(interval.trailer.instructions);
            Some(result)
        }
    });
    results.collect()
}

fn replay<'a>(
    machine: &mut Machine<'a, false>,
    hart: u8,
    interval: &'a Interval,
) -> Result<Behind, Divergence> {
    machine.begin(hart, interval)?;
    machine.run()?;
    let (mask, values) = machine.first_reads();
    Ok(Behind {
        registers: *machine.registers(),
        told: machine.told(),
        next_pc: machine.next_pc(),
        next_mode: machine.next_mode(),
        first_reads: (mask, *values),
    })
}

/// Checks that each record starts where the one before it ended.
fn seams(log: &HartLog, replayed: &[Option<Result<Behind, Divergence>>]) -> Vec<Seam> {
    let mut seams = Vec::new();
    for (pair, pair_results) in log.records.windows(2).zip(replayed.windows(2)) {
        let (before, after) = (pair[0].index(), pair[1].index());
        if after != before + 1 {
            continue;
        }
        let mut found = |what: String| {
            seams.push(Seam {
                hart: log.hart,
                before,
                after,
                what,
            });
        };
        let (end, start) = (end_of(&pair[0]), start_of(&pair[1]));
        if end != start {
            found(format!(
                "the first ends with instruction {end}, the second starts with {start}"
            ));
        }
        if let Some(what) = reason_misfits(&pair[0], &pair[1]) {
            found(what.into());
        }
        let (earliest, cycle) = (soonest_end(&pair[0]), cycle_of(&pair[1]));
        if cycle < earliest {
            found(format!(
                "the first takes until cycle {earliest} at least, the second starts in cycle {cycle}"
            ));
        }
        let (Some(Ok(behind)), Record::Interval(next)) = (&pair_results[0], &pair[1]) else {
            continue;
        };
        let (told, started) = match (&pair_results[1], next.header.layout) {
            (_, Layout::Full) => (u32::MAX, &next.header.registers),
            (Some(Ok(after)), _) => (after.first_reads.0 & behind.told, &after.first_reads.1),
            _ => (0, &next.header.registers),
        };
        let registers = behind.registers.iter().zip(started).enumerate().skip(1);
        let differs =
            |(number, (old, new)): &(usize, (&u32, &u32))| told >> number & 1 == 1 && old != new;
        if let Some((number, (old, new))) = registers.into_iter().find(differs) {
            found(format!(
                "x{number} is {old:#010x} at the end of the first and {new:#010x} at the start \
                 of the second"
            ));
        }
        // An interrupt leads from any mode to M.
        let mode = next.header.mode;
        if let Some(left) = behind.next_mode.filter(|&left| left != mode && mode != 3) {
            found(format!(
                "the first ends in privilege mode {left}, the second starts in mode {mode}"
            ));
        }
        // Without a next pc only the log could have told; an interrupt leads to any other one.
        let interrupted = || next.header.mode == 3;
        if behind.next_pc.is_some_and(|pc| pc != next.header.pc) && !interrupted() {
            found(format!(
                "the second starts at pc {:#010x}, where the first does not lead",
                next.header.pc
            ));
        }
    }
    seams
}

/// Why a record cannot have ended as it says, if another one follows.
fn reason_misfits(before: &Record, after: &Record) -> Option<&'static str> {
    let Record::Interval(interval) = before else {
        return None;
    };
    match (interval.trailer.reason, after) {
        (EndReason::Length, _) | (EndReason::Overflow, Record::Gap(_)) => None,
        (EndReason::Overflow, _) => Some("the first says that events were lost behind it"),
        _ => Some("the first says that the recording ended with it"),
    }
}

/// Clock cycles before the end of a record at least: no two instructions retire in the same one.
fn soonest_end(record: &Record) -> u64 {
    match record {
        Record::Interval(interval) => {
            cycle_of(record).saturating_add(interval.trailer.instructions.into())
        }
        Record::Gap(_) | Record::Order(_) => cycle_of(record),
    }
}

/// Clock cycles before a record.
fn cycle_of(record: &Record) -> u64 {
    match record {
        Record::Interval(interval) => interval.header.cycle,
        Record::Gap(gap) => gap.cycle,
        Record::Order(_) => 0,
    }
}

fn end_of(record: &Record) -> u64 {
    match record {
        Record::Interval(interval) => interval
            .header
            .retired
            .saturating_add(interval.trailer.instructions.into()),
        Record::Gap(gap) => gap.retired.saturating_add(gap.lost.into()),
        Record::Order(_) => 0,
    }
}

fn start_of(record: &Record) -> u64 {
    match record {
        Record::Interval(interval) => interval.header.retired,
        Record::Gap(gap) => gap.retired,
        Record::Order(_) => 0,
    }
}

fn totals(harts: &[HartReport], log_bytes: u64) -> Totals {
    let mut totals = Totals::default();
    let mut entry_bytes = 0;
    for interval in harts.iter().flat_map(|hart| &hart.intervals) {
        let instructions = u64::from(interval.instructions);
        totals.intervals += 1;
        totals.instructions += instructions;
        if interval.divergence.is_none() {
            totals.intervals_ok += 1;
            totals.instructions_ok += instructions;
        }
        entry_bytes += interval.entry_bytes;
    }
    let gaps = harts.iter().flat_map(|hart| &hart.gaps);
    totals.instructions_lost = gaps.map(|gap| u64::from(gap.lost)).sum();
    let rate = |bytes: u64| {
        let instructions = totals.instructions;
        (instructions > 0).then(|| bytes as f64 * 8.0 / instructions as f64)
    };
    totals.entry_bits_per_instruction = rate(entry_bytes);
    totals.bits_per_instruction = rate(log_bytes);
    totals
}
