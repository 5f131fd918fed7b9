//! Who else wrote a word: a report on one of several harts asks the order of all of them.

use crate::history::{History, Store};
use lookback_log_format::interval::Interval;
use lookback_log_format::order::OrderKind;
use lookback_replay::order::{Schedule, Shared};
use lookback_replay::walk::{walk, Event};
use lookback_replay::{Image, Recording};
use std::ops::ControlFlow;
use std::sync::Arc;

/// All harts of a recording, in their order.
pub struct Others<'a> {
    recording: &'a Recording,
    image: &'a Arc<Image>,
    schedule: Schedule,
}

impl<'a> Others<'a> {
    /// `None` where there is one hart, or no order of several.
    pub fn open(recording: &'a Recording, image: &'a Arc<Image>) -> Option<Self> {
        if recording.harts.len() < 2 {
            return None;
        }
        let logged = |kind: &OrderKind| !recording.order(*kind).is_empty();
        let kind = recording.order_kinds().into_iter().find(logged)?;
        let (schedule, _) = Schedule::new(recording, image, kind);
        Some(Self {
            recording,
            image,
            schedule,
        })
    }

    /// Instructions of all harts before this one.
    pub fn moment(&self, hart: u8, retired: u64) -> Option<u64> {
        self.schedule.moment_before(hart, retired)
    }

    /// Instructions of all harts.
    pub fn length(&self) -> u64 {
        self.schedule.length()
    }

    /// Where every hart is at a moment.
    pub fn harts_at(&self, moment: u64) -> Vec<u64> {
        self.schedule.harts_at(moment)
    }

    /// The memory of all harts at a moment, if it can be replayed.
    pub fn memory_at(&self, moment: u64) -> Option<Shared> {
        let schedule = &self.schedule;
        schedule.memory_at(self.recording, self.image, moment)
    }

    /// The store of another hart whose word a hart's instruction read.
    pub fn store_before(&self, hart: u8, retired: u64, addr: u32) -> Option<(u8, Store)> {
        let moment = self.moment(hart, retired)?;
        let memory = self.memory_at(moment)?;
        let by = memory.written_by(addr)?;
        if !by.wrote || by.hart == hart {
            return None;
        }
        let log = self.recording.hart(by.hart)?;
        let end = |interval: &Interval| {
            let instructions = u64::from(interval.trailer.instructions);
            interval.header.retired.saturating_add(instructions)
        };
        let mut intervals = log.intervals();
        let interval = intervals.find(|i| i.header.retired <= by.retired && by.retired < end(i))?;
        let range = interval.header.retired..by.retired + 1;
        let mut history = History::new(2);
        let _ = walk(self.recording, self.image, log, range, |event| {
            if let Event::Step(step) = event {
                history.step(step);
            }
            ControlFlow::Continue(())
        });
        let store = history.last_store(addr)?;
        (store.retired == by.retired).then_some((by.hart, store))
    }
}
