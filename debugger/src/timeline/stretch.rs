//! The intervals of a hart in a row, and the holes between them.

use lookback_log_format::interval::{Interval, Record};
use lookback_replay::recording::HartLog;
use lookback_replay::Divergence;

/// An interval on the timeline.
#[derive(Debug)]
pub struct Stretch<'a> {
    /// The interval.
    pub interval: &'a Interval,
    /// Instructions before it since recording began.
    pub start: u64,
    /// Its instructions.
    pub length: u32,
    /// What is missing before it; `None` if it carries on where the one before it ended.
    pub hole: Option<String>,
    /// The last position that can be shown, where that is known to be another than `length`.
    pub reach: Option<u32>,
    /// Why it does not replay as recorded, once that is known.
    pub flaw: Option<Divergence>,
}

impl Stretch<'_> {
    /// The last position in it that can be shown.
    pub fn last(&self) -> u32 {
        self.reach.unwrap_or(self.length)
    }

    /// Instructions before its end since recording began.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }
}

/// Puts the usable intervals of a hart in a row.
///
/// Headers are not trusted: an interval that claims to lie before the end of the one before it, or to
/// have no instructions, is left out and told as a hole.
pub fn stretches(log: &HartLog) -> Vec<Stretch<'_>> {
    let mut row: Vec<Stretch<'_>> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    let mut index_before: Option<u32> = None;
    for record in &log.records {
        let index = record.index();
        if let Some(before) = index_before.replace(index) {
            match index - before - 1 {
                0 => {}
                1 => missing.push(format!("interval {} is missing", index - 1)),
                _ => missing.push(format!(
                    "intervals {} to {} are missing",
                    before + 1,
                    index - 1
                )),
            }
        }
        let interval = match record {
            Record::Gap(gap) => {
                missing.push(format!(
                    "{} instructions were not recorded, because the recorder could not keep up",
                    gap.lost
                ));
                continue;
            }
            Record::Interval(interval) => interval,
            // Not of a hart: the recording keeps those apart.
            Record::Order(_) => continue,
        };
        let (start, length) = (interval.header.retired, interval.trailer.instructions);
        let end = row.last().map_or(0, Stretch::end);
        if length == 0 || start < end || start.checked_add(length.into()).is_none() {
            missing.push(format!(
                "interval {index} is left out: it claims {length} instructions from number {start} on"
            ));
            continue;
        }
        if missing.is_empty() && start > end && !row.is_empty() {
            missing.push(format!("instructions {end} to {} are missing", start - 1));
        }
        let first = row.is_empty();
        let hole = (!missing.is_empty() && !first).then(|| missing.join("; "));
        missing.clear();
        row.push(Stretch {
            interval,
            start,
            length,
            hole,
            reach: None,
            flaw: None,
        });
    }
    row
}
