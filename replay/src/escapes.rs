//! Where execution was redirected, trapped, or ran words that the firmware's file does not have.
//!
//! A log of codec `bugnet` says so by itself, without replaying an instruction: cheap enough to look
//! at a whole recording when it is opened. One of codec `compact` has to be replayed for it.

use crate::recording::HartLog;
use crate::{Image, Machine};
use lookback_log_format::entry::{Entry, EntryReader, Escape, Widths};
use lookback_log_format::interval::Interval;
use lookback_log_format::RecorderConfig;
use std::collections::HashMap;
use std::sync::Arc;

/// The escapes of all intervals of a hart, by the intervals' indices, with the positions of their
/// instructions; of each interval up to where it cannot be read.
pub fn escapes(
    config: &RecorderConfig,
    image: &Arc<Image>,
    log: &HartLog,
) -> HashMap<u32, Vec<(u32, Escape)>> {
    let mut machine = Machine::<false>::new(config, Arc::clone(image));
    let mut of_interval = |interval| {
        if config.compact().is_none() {
            return written(config, interval).collect();
        }
        // As far as it goes: where it diverges is told where it is looked at.
        let started = machine.begin(log.hart, interval);
        machine.watch_escapes();
        if started.is_ok() {
            machine.run().ok();
        }
        machine.take_escapes()
    };
    let intervals = log.intervals();
    intervals
        .map(|interval| (interval.header.index, of_interval(interval)))
        .collect()
}

/// The escapes that stand in the entries of codec `bugnet`.
fn written<'a>(
    config: &RecorderConfig,
    interval: &'a Interval,
) -> impl Iterator<Item = (u32, Escape)> + 'a {
    let mut entries = EntryReader::new(&interval.entries, Widths::from(config));
    let length = interval.trailer.instructions;
    std::iter::from_fn(move || loop {
        match entries.next_entry() {
            Ok(Some(Entry::Escape { position, escape })) if position < length => {
                return Some((position, escape));
            }
            Ok(Some(Entry::Operation { .. })) => {}
            _ => return None,
        }
    })
}
