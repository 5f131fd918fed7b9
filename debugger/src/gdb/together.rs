//! Several harts in one order: where one of them is, all of them are.
//!
//! The schedule says which hart executes which instruction when. A **moment** of it is a number of
//! instructions of all harts; at every moment each hart's own timeline stands where the schedule has
//! it. A run looks for the next stop of each hart by itself, and the one that comes first in the
//! schedule counts.

use super::session::{Request, Session};
use crate::timeline::run::Distance;
use crate::timeline::stops::{Stop, Stops};
use crate::timeline::{Interrupted, Timeline};
use lookback_log_format::order::OrderKind;
use lookback_replay::order::{Schedule, Shared};
use lookback_replay::{Image, Recording};
use std::sync::Arc;

/// Moments that a run forwards looks ahead at first; each further look is twice as far.
const FIRST_LOOK: u64 = 1 << 14;

/// The order of all harts, and where they are in it.
#[derive(Debug)]
pub struct Together {
    schedule: Schedule,
    image: Arc<Image>,
    moment: u64,
    /// The memory that all harts share, at a moment.
    memory: Option<(u64, Shared)>,
    /// What the user should know.
    pub note: Option<String>,
}

impl Together {
    /// The order of a recording of several harts; `None` if there is none to be had.
    pub fn open(recording: &Recording, image: &Arc<Image>) -> Option<Self> {
        if recording.harts.len() < 2 {
            return None;
        }
        let logged = |kind: &OrderKind| !recording.order(*kind).is_empty();
        let kind = recording.order_kinds().into_iter().find(logged)?;
        let (schedule, report) = Schedule::new(recording, image, kind);
        let note = report
            .problem()
            .map(|problem| format!("the order of the harts is known in part only: {problem}"));
        (schedule.length() > 0).then(|| Self {
            moment: schedule.length(),
            schedule,
            image: Arc::clone(image),
            memory: None,
            note,
        })
    }

    /// Instructions of all harts before the present.
    pub fn moment(&self) -> u64 {
        self.moment
    }

    /// Instructions of all harts.
    pub fn length(&self) -> u64 {
        self.schedule.length()
    }

    /// The memory that all harts share, at the present moment.
    pub fn memory(&mut self, recording: &Recording) -> Option<&Shared> {
        if self.memory.as_ref().map(|(moment, _)| *moment) != Some(self.moment) {
            let memory = self.schedule.memory_at(recording, &self.image, self.moment);
            self.memory = Some((self.moment, memory?));
        }
        self.memory.as_ref().map(|(_, memory)| memory)
    }
}

/// Where a hart's run would stop.
struct Found {
    place: usize,
    /// In the schedule.
    moment: u64,
    /// Of the hart.
    now: u64,
    stop: Stop,
}

impl Session<'_> {
    /// Every hart goes to where it is at a moment; `keep` is there already.
    fn gather(&mut self, moment: u64, keep: Option<usize>) {
        let Some(together) = &mut self.together else {
            return;
        };
        together.moment = moment;
        let harts = together.schedule.harts_at(moment);
        for (place, timeline) in self.timelines.iter_mut().enumerate() {
            let Some(&at) = harts.get(usize::from(timeline.hart())) else {
                continue;
            };
            let at = at.clamp(timeline.first(), timeline.last());
            if keep == Some(place) && timeline.now() == at {
                continue;
            }
            if timeline.now() != at && timeline.goto(at, &mut || false).is_err() {
                self.notes.push(format!(
                    "hart {} cannot be shown where it is now",
                    timeline.hart()
                ));
            }
        }
    }

    /// The present hart was moved by itself: the others follow.
    pub(super) fn follow_current(&mut self) {
        let Some(together) = &self.together else {
            return;
        };
        let timeline = &self.timelines[self.current];
        let (hart, now) = (timeline.hart(), timeline.now());
        let standing = together.schedule.harts_at(together.moment);
        if standing.get(usize::from(hart)) == Some(&now) {
            return;
        }
        let found = together.schedule.moment_before(hart, now);
        self.gather(found.unwrap_or(together.length()), Some(self.current));
    }

    /// The moment at which a recording is opened: where a hart crashed, else the end.
    pub(super) fn gather_at_crash(&mut self, crashed: Option<usize>) {
        let Some(together) = &self.together else {
            return;
        };
        let length = together.length();
        let moment = crashed.and_then(|place| {
            let timeline = &self.timelines[place];
            together
                .schedule
                .moment_before(timeline.hart(), timeline.now())
        });
        if let Some(place) = crashed.filter(|_| moment.is_some()) {
            self.current = place;
        }
        self.gather(moment.unwrap_or(length), None);
    }

    /// Runs all harts as asked. `None` where there is no order.
    pub(super) fn run_together(
        &mut self,
        request: &Request,
        interrupted: Interrupted<'_>,
    ) -> Option<Stop> {
        self.together.as_ref()?;
        let stop = match request {
            Request::Forward(Distance::Far | Distance::Until(_)) => self.run_far(interrupted),
            Request::Forward(distance) => self.run_near(distance, interrupted),
            Request::BackStep => self.step_back(interrupted),
            Request::Backward => self.run_back(interrupted),
        };
        Some(stop)
    }

    fn moment(&self) -> u64 {
        self.together.as_ref().map_or(0, Together::moment)
    }

    fn length(&self) -> u64 {
        self.together.as_ref().map_or(0, Together::length)
    }

    /// To the first stop of any hart.
    fn run_far(&mut self, interrupted: Interrupted<'_>) -> Stop {
        let mut look = FIRST_LOOK;
        loop {
            let (here, length) = (self.moment(), self.length());
            if here == length {
                return Stop::End;
            }
            let limit = here.saturating_add(look).min(length);
            match self.first_stop(limit, None, interrupted) {
                Ok(Some(found)) => return self.arrive(found),
                Ok(None) => self.gather(limit, None),
                Err(()) => {
                    self.gather(here, None);
                    return Stop::Interrupted;
                }
            }
            look = look.saturating_mul(2);
        }
    }

    /// One instruction of the present hart, or a few; the others as far as the order has them.
    fn run_near(&mut self, distance: &Distance, interrupted: Interrupted<'_>) -> Stop {
        let here = self.moment();
        let timeline = &mut self.timelines[self.current];
        let (hart, start) = (timeline.hart(), timeline.now());
        let stop = timeline.forward(&self.stops, distance, interrupted);
        let now = timeline.now();
        if matches!(stop, Stop::Interrupted | Stop::End | Stop::Hole(_)) && now == start {
            return stop;
        }
        let schedule = self.together.as_ref().map(|together| &together.schedule);
        let limit = match (&stop, now.checked_sub(1)) {
            (Stop::Watch { .. } | Stop::Breakpoint, _) => {
                schedule.and_then(|schedule| schedule.moment_before(hart, now))
            }
            (_, Some(last)) => schedule.and_then(|schedule| schedule.moment_after(hart, last)),
            (_, None) => None,
        };
        let Some(limit) = limit else {
            self.gather(here, None);
            return Stop::Hole("the order of the harts is not known from here on".into());
        };
        let current = self.current;
        match self.first_stop(limit, Some(current), interrupted) {
            Ok(Some(found)) => self.arrive(found),
            Ok(None) => {
                self.gather(limit, Some(current));
                stop
            }
            Err(()) => {
                self.gather(here, None);
                Stop::Interrupted
            }
        }
    }

    /// The first stop before a moment, of any hart but one.
    fn first_stop(
        &mut self,
        limit: u64,
        but: Option<usize>,
        interrupted: Interrupted<'_>,
    ) -> Result<Option<Found>, ()> {
        let here = self.moment();
        let Some(together) = &self.together else {
            return Ok(None);
        };
        if self.stops.is_empty() {
            return Ok(None);
        }
        let schedule = &together.schedule;
        let mut first: Option<Found> = None;
        for (place, timeline) in self.timelines.iter_mut().enumerate() {
            if Some(place) == but {
                continue;
            }
            // Whoever stops later than another one does not stop at all.
            let limit = first.as_ref().map_or(limit, |found| found.moment);
            let until = schedule.harts_at(limit)[usize::from(timeline.hart())];
            let stop = next_stop(timeline, schedule, &self.stops, here, until, interrupted)?;
            let found = stop.and_then(|stop| {
                let now = timeline.now();
                let moment = schedule.moment_before(timeline.hart(), now)?;
                Some(Found {
                    place,
                    moment,
                    now,
                    stop,
                })
            });
            if let Some(found) = found.filter(|found| found.moment < limit) {
                first = Some(found);
            }
        }
        Ok(first)
    }

    fn arrive(&mut self, found: Found) -> Stop {
        self.current = found.place;
        // What was found last need not be what counts.
        let timeline = &mut self.timelines[found.place];
        if timeline.now() != found.now {
            let _ = timeline.goto(found.now, &mut || false);
        }
        self.gather(found.moment, Some(found.place));
        found.stop
    }

    /// Before the last instruction of the present hart.
    fn step_back(&mut self, interrupted: Interrupted<'_>) -> Stop {
        let timeline = &mut self.timelines[self.current];
        let stop = timeline.back_step(interrupted);
        if stop == Stop::Step {
            self.follow_current();
        }
        stop
    }

    /// To the last stop of any hart.
    fn run_back(&mut self, interrupted: Interrupted<'_>) -> Stop {
        let here = self.moment();
        if here == 0 {
            return Stop::Begin;
        }
        let mut last: Option<Found> = None;
        let mut edge = Stop::Begin;
        for place in 0..self.timelines.len() {
            let Some(together) = &self.together else {
                return edge;
            };
            let timeline = &mut self.timelines[place];
            let hart = timeline.hart();
            let stop = timeline.backward(&self.stops, interrupted);
            let now = timeline.now();
            let moment = match &stop {
                Stop::Breakpoint => together.schedule.moment_before(hart, now),
                Stop::Watch { .. } => now
                    .checked_sub(1)
                    .and_then(|last| together.schedule.moment_after(hart, last)),
                Stop::Interrupted => {
                    self.gather(here, None);
                    return Stop::Interrupted;
                }
                Stop::Hole(_) => {
                    edge = stop.clone();
                    None
                }
                _ => None,
            };
            let latest = last.as_ref().map_or(0, |found| found.moment + 1);
            if let Some(moment) = moment.filter(|&moment| latest <= moment && moment <= here) {
                last = Some(Found {
                    place,
                    moment,
                    now,
                    stop,
                });
            }
        }
        match last {
            Some(found) => self.arrive(found),
            None => {
                self.gather(0, None);
                edge
            }
        }
    }
}

/// The first stop of a hart before one of its instructions.
fn next_stop(
    timeline: &mut Timeline<'_>,
    schedule: &Schedule,
    stops: &Stops,
    here: u64,
    until: u64,
    interrupted: Interrupted<'_>,
) -> Result<Option<Stop>, ()> {
    let (hart, now) = (timeline.hart(), timeline.now());
    if now >= until {
        return Ok(None);
    }
    // A hart that has waited here for its turn has not stopped here yet.
    let its_turn = schedule.moment_before(hart, now) == Some(here);
    if !its_turn && stops.breaks_at(timeline.pc()) {
        return Ok(Some(Stop::Breakpoint));
    }
    match timeline.forward(stops, &Distance::Until(until), interrupted) {
        Stop::Interrupted => Err(()),
        stop @ (Stop::Breakpoint | Stop::Watch { .. }) if timeline.now() < until => Ok(Some(stop)),
        _ => Ok(None),
    }
}
