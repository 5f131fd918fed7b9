//! What a gdb client debugs: the timelines of all harts, and where to stop.

use super::crash_of;
use super::together::Together;
use crate::timeline::run::Distance;
use crate::timeline::stops::{Stop, Stops};
use crate::timeline::{Interrupted, Timeline};
use crate::{Error, Result, Symbols};
use lookback_replay::{Image, Recording};
use std::sync::Arc;

/// A run that a client asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Forwards.
    Forward(Distance),
    /// One instruction back.
    BackStep,
    /// Backwards.
    Backward,
}

/// A recording under debug.
#[derive(Debug)]
pub struct Session<'a> {
    pub(super) recording: &'a Recording,
    pub(super) symbols: &'a Symbols,
    pub(super) timelines: Vec<Timeline<'a>>,
    pub(super) stops: Stops,
    /// The hart that moves, by its place among the timelines.
    pub(super) current: usize,
    pub(super) request: Option<Request>,
    /// The order of all harts, where it is known.
    pub(super) together: Option<Together>,
    /// What the user should know.
    pub(super) notes: Vec<String>,
    /// The present changed without a run, so gdb shows what it remembers of another moment.
    pub(super) gdb_flushes: bool,
}

impl<'a> Session<'a> {
    /// Opens a recording, at the crash or the end of each hart. Snapshots and pages take about
    /// `memory` bytes at most. `gdb_flushes` says that the client forgets its caches after each
    /// `monitor` command.
    pub fn open(
        recording: &'a Recording,
        image: &Arc<Image>,
        symbols: &'a Symbols,
        memory: usize,
        gdb_flushes: bool,
    ) -> Result<Self> {
        let share = memory / recording.harts.len().max(1);
        let open = |log| Timeline::new(recording, image, log, share);
        let timelines: Vec<_> = recording
            .harts
            .iter()
            .filter_map(|log| open(log).ok())
            .collect();
        if timelines.is_empty() {
            return Err(Error::Empty);
        }
        let mut session = Self {
            recording,
            symbols,
            timelines,
            stops: Stops::default(),
            current: 0,
            request: None,
            together: Together::open(recording, image),
            notes: Vec::new(),
            gdb_flushes,
        };
        let together = session.together.as_mut();
        let note = together.and_then(|together| together.note.take());
        session.notes.extend(note);
        session.rewind();
        Ok(session)
    }

    /// As a new client finds it: nothing to stop at, every hart at its crash or end.
    pub fn rewind(&mut self) {
        self.stops.clear();
        self.request = None;
        self.current = 0;
        let mut crashed = None;
        for (place, timeline) in self.timelines.iter_mut().enumerate() {
            if crash_of(timeline, self.recording) {
                crashed.get_or_insert(place);
            }
        }
        self.gather_at_crash(crashed);
    }

    /// The hart that moves.
    pub fn timeline(&mut self) -> &mut Timeline<'a> {
        &mut self.timelines[self.current]
    }

    /// Where the hart is, in words.
    pub fn describe(&self) -> String {
        let timeline = &self.timelines[self.current];
        let pc = timeline.pc();
        format!(
            "hart {}, instruction {}, interval {}, at {pc:#010x} {}",
            timeline.hart(),
            timeline.now(),
            timeline.interval().header.index,
            self.symbols.locate(pc)
        ) + &self.describe_order()
    }

    /// Where all harts are together.
    fn describe_order(&self) -> String {
        let Some(together) = &self.together else {
            return String::new();
        };
        let (moment, length) = (together.moment(), together.length());
        format!("; {moment} of the {length} instructions of all harts are done")
    }

    /// Runs as asked; why it stopped, and what the user should know.
    pub(super) fn run(&mut self, interrupted: Interrupted<'_>) -> (Stop, Vec<String>) {
        let request = self.request.take();
        let together = request
            .as_ref()
            .and_then(|request| self.run_together(request, interrupted));
        let timeline = &mut self.timelines[self.current];
        let stop = match (together, request) {
            (Some(stop), _) => stop,
            (None, request) => alone(timeline, &self.stops, request, interrupted),
        };
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(timeline.take_notes());
        if let Stop::Hole(why) = &stop {
            notes.push(format!(
                "the recording has a hole here: {why}. The same command again goes across it"
            ));
        }
        (stop, notes)
    }
}

/// Runs one hart by itself.
fn alone(
    timeline: &mut Timeline<'_>,
    stops: &Stops,
    request: Option<Request>,
    interrupted: Interrupted<'_>,
) -> Stop {
    match request {
        Some(Request::Forward(distance)) => timeline.forward(stops, &distance, interrupted),
        Some(Request::BackStep) => timeline.back_step(interrupted),
        Some(Request::Backward) => timeline.backward(stops, interrupted),
        None => Stop::Step,
    }
}
