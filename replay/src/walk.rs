//! Goes through the instructions of a hart, across intervals, for tools that print or search.

use crate::recording::HartLog;
use crate::{Divergence, Image, Machine, Observer, Recording, Silent, Step};
use lookback_log_format::interval::{Gap, Interval, Record};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// What comes along.
#[derive(Debug)]
pub enum Event<'a> {
    /// An interval starts, or is entered in its middle.
    Interval(&'a Interval),
    /// An instruction.
    Step(&'a Step),
    /// The recorder lost events.
    Gap(&'a Gap),
    /// Records with these indices are not in the file.
    Missing {
        /// The first.
        first: u32,
        /// The last.
        last: u32,
    },
    /// The interval cannot be followed further; the next one can.
    Diverged(&'a Divergence),
}

/// Visits the instructions of a hart whose number since recording began lies in `range`, and what
/// lies between them, until `visit` says stop. A divergence is an event, not an end.
pub fn walk(
    recording: &Recording,
    image: &Arc<Image>,
    log: &HartLog,
    range: Range<u64>,
    mut visit: impl FnMut(Event<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut machine =
        Machine::<true>::new(&recording.config, image.clone()).with_records(&log.records);
    let mut previous: Option<u32> = None;
    for record in &log.records {
        let (start, end) = span(record);
        let before = previous.replace(record.index());
        if end <= range.start || start >= range.end {
            continue;
        }
        if let Some(before) = before.filter(|&before| record.index() - before > 1) {
            visit(Event::Missing {
                first: before + 1,
                last: record.index() - 1,
            })?;
        }
        match record {
            Record::Gap(gap) => visit(Event::Gap(gap))?,
            Record::Order(_) => {}
            Record::Interval(interval) => {
                visit(Event::Interval(interval))?;
                let from = range.start.saturating_sub(start).min(u32::MAX.into()) as u32;
                let to = (range.end - start).min(u32::MAX.into()) as u32;
                let positions = from..to;
                let mut stopped = ControlFlow::Continue(());
                let mut observer = |step: &Step| {
                    stopped = visit(Event::Step(step));
                    stopped
                };
                let went = follow(&mut machine, log.hart, interval, positions, &mut observer);
                stopped?;
                if let Err(divergence) = went {
                    visit(Event::Diverged(&divergence))?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

fn span(record: &Record) -> (u64, u64) {
    let (start, length) = match record {
        Record::Interval(i) => (i.header.retired, i.trailer.instructions),
        Record::Gap(gap) => (gap.retired, gap.lost),
        Record::Order(_) => (0, 0),
    };
    (start, start.saturating_add(length.into()))
}

fn follow<'a>(
    machine: &mut Machine<'a, true>,
    hart: u8,
    interval: &'a Interval,
    positions: Range<u32>,
    observer: &mut impl Observer,
) -> Result<(), Divergence> {
    machine.begin(hart, interval)?;
    machine.run_until(positions.start, &mut Silent)?;
    machine.run_until(positions.end, observer)?;
    machine.finish()
}

/// A machine in front of instruction number `retired` (since recording began), or at the end of
/// the recording if that is where it lies; `None` if no interval has it. The `history` intervals
/// before are replayed first, so that more of memory is known.
pub fn machine_at<'a>(
    recording: &'a Recording,
    image: &Arc<Image>,
    log: &'a HartLog,
    retired: u64,
    history: usize,
) -> Result<Option<Machine<'a, true>>, Divergence> {
    let holds = |record: &Record| {
        let (start, end) = span(record);
        matches!(record, Record::Interval(_)) && start <= retired && retired < end
    };
    let ends = |record: &Record| matches!(record, Record::Interval(_)) && span(record).1 == retired;
    let found = log.records.iter().position(holds);
    let Some(at) = found.or_else(|| log.records.iter().rposition(ends)) else {
        return Ok(None);
    };
    let mut machine =
        Machine::<true>::new(&recording.config, image.clone()).with_records(&log.records);
    for record in &log.records[at.saturating_sub(history)..at] {
        if let Record::Interval(interval) = record {
            // A damaged interval only costs what it would have told about memory.
            if machine.follow(log.hart, interval).is_ok() {
                machine.run().ok();
            }
        }
    }
    if let Record::Interval(interval) = &log.records[at] {
        machine.follow(log.hart, interval)?;
        let position = (retired - interval.header.retired).min(u32::MAX.into()) as u32;
        machine.run_until(position, &mut Silent)?;
    }
    Ok(Some(machine))
}
