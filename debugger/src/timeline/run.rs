//! Runs along the timeline, forwards and backwards.
//!
//! Backwards is a forward pass too: each piece between two snapshots, the latest piece first, is
//! replayed once, and the last hit in it is where the run stops. So a run backwards costs little more
//! than one forwards over the same instructions.

use super::snapshots::{spacing, Place, STRIDE};
use super::stops::{FirstHit, LastHit, Stop, Stops};
use super::{Blocked, Interrupted, Reported, Timeline, PATIENCE};
use lookback_replay::{Machine, Silent};
use std::ops::Range;

/// How far a run forwards goes if nothing stops it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distance {
    /// One instruction.
    Step,
    /// One instruction, and on while the next one lies in this range of addresses.
    Range(Range<u32>),
    /// To the end.
    Far,
    /// To this moment.
    Until(u64),
}

impl<'a> Timeline<'a> {
    /// Runs forwards.
    pub fn forward(
        &mut self,
        stops: &Stops,
        distance: &Distance,
        interrupted: Interrupted<'_>,
    ) -> Stop {
        if matches!(distance, Distance::Until(limit) if *limit <= self.now()) {
            return Stop::Step;
        }
        let reported = self.reported.take() == Some(Reported::Ahead);
        let origin = self.place();
        if let Some(stop) = self.cross_forwards(interrupted) {
            return stop;
        }
        let crossed = self.place() != origin;
        if crossed && *distance == Distance::Step {
            return Stop::Step;
        }
        // No breakpoint counts where the run begins, since that is where the last one ended.
        let mut start = (!crossed).then_some(origin.position);
        let mut ignore_watch = start.filter(|_| reported);
        let mut kept = self.machine.position();
        loop {
            let here = self.machine.position();
            let length = self.row[self.at].length;
            let stride = if *distance == Distance::Step {
                1
            } else {
                STRIDE
            };
            let mut watcher = FirstHit {
                stops,
                start: start.take(),
                ignore_watch_at: ignore_watch.take(),
                range: match distance {
                    Distance::Range(range) => Some(range.clone()),
                    _ => None,
                },
                hit: None,
            };
            let to = length.min(here.saturating_add(stride));
            let to = match distance {
                Distance::Until(limit) => {
                    let ahead = limit.saturating_sub(self.now()).min(u32::MAX.into());
                    to.min(here.saturating_add(ahead as u32))
                }
                _ => to,
            };
            let searches = matches!(distance, Distance::Step | Distance::Range(_));
            let went = match stops.is_empty() && !searches {
                true => self.advance(to, &mut Silent),
                false => self.advance(to, &mut watcher),
            };
            let hit = watcher.hit.take();
            if matches!(hit, Some(Stop::Watch { .. })) {
                // The access has been replayed to be seen; gdb expects to be before it.
                let before = Place {
                    position: self.machine.position() - 1,
                    ..self.place()
                };
                let went = self.seek(before, interrupted);
                self.reported = went.is_ok().then_some(Reported::Ahead);
                return hit.filter(|_| went.is_ok()).unwrap_or(Stop::Interrupted);
            }
            let over = self.machine.position() == length && !self.joined(self.at);
            let shown = !over || self.machine.upcoming_pc().is_some();
            if went.is_err() || !shown {
                return self.edge_ahead(interrupted);
            }
            if hit.is_some() || *distance == Distance::Step {
                self.settle(interrupted);
                return hit.unwrap_or(Stop::Step);
            }
            if over {
                return self.edge_ahead(interrupted);
            }
            if self.machine.position() == length {
                self.settle(interrupted);
                kept = 0;
            } else if self.machine.position() - kept >= STRIDE {
                kept = self.machine.position();
                self.snapshots.keep(self.place(), &self.machine);
            }
            if matches!(distance, Distance::Until(limit) if *limit <= self.now()) {
                return Stop::Step;
            }
            if interrupted() {
                return Stop::Interrupted;
            }
        }
    }

    /// Standing before a hole (or the end), goes to the other side; tells when there is none.
    fn cross_forwards(&mut self, interrupted: Interrupted<'_>) -> Option<Stop> {
        loop {
            if self.machine.position() < self.row[self.at].last() {
                return None;
            }
            if self.at + 1 == self.row.len() {
                return Some(Stop::End);
            }
            let next = Place {
                stretch: self.at + 1,
                position: 0,
            };
            // A stretch that cannot even begin has nothing to show: on to the one behind it.
            if self.seek(next, interrupted).is_ok() && self.row[self.at].last() > 0 {
                return None;
            }
        }
    }

    /// Stands where it cannot go on forwards; why?
    fn edge_ahead(&mut self, interrupted: Interrupted<'_>) -> Stop {
        self.settle(interrupted);
        match self.hole_behind(self.at) {
            Some(why) => Stop::Hole(why),
            None => Stop::End,
        }
    }

    /// One instruction back.
    pub fn back_step(&mut self, interrupted: Interrupted<'_>) -> Stop {
        self.reported = None;
        let here = self.place();
        let target = match here.position.checked_sub(1) {
            Some(position) => Some(Place { position, ..here }),
            None => self.place_before(here.stretch, interrupted),
        };
        let Some(target) = target else {
            return Stop::Begin;
        };
        match self.seek(target, interrupted) {
            Ok(()) | Err(Blocked::Damaged) => Stop::Step,
            Err(Blocked::Interrupted) => Stop::Interrupted,
        }
    }

    /// The moment before the first of a stretch: the last but one of the stretch before (its last is
    /// the same moment) or, across a hole, the last.
    fn place_before(&mut self, stretch: usize, interrupted: Interrupted<'_>) -> Option<Place> {
        let mut stretch = stretch;
        loop {
            let earlier = stretch.checked_sub(1)?;
            let end = self.last_of(earlier);
            if self.joined(earlier) {
                let position = end.position.saturating_sub(1);
                if self.seek(Place { position, ..end }, interrupted) != Err(Blocked::Damaged) {
                    return Some(Place { position, ..end });
                }
            }
            // How far it can be shown is known only after having been there.
            let reached = self.seek(self.last_of(earlier), interrupted).is_ok();
            self.settle(interrupted);
            if reached || self.row[earlier].last() > 0 {
                return Some(self.last_of(earlier));
            }
            stretch = earlier;
        }
    }

    /// Runs backwards.
    pub fn backward(&mut self, stops: &Stops, interrupted: Interrupted<'_>) -> Stop {
        let reported = self.reported.take() == Some(Reported::Behind);
        let ignore_watch = reported.then(|| self.now());
        if self.machine.position() == 0 && !self.joins_before(self.at) {
            // Standing behind a hole (or at the beginning): across it.
            let behind = self.place();
            let Some(place) = self.place_before(self.at, interrupted) else {
                let _ = self.seek(behind, interrupted);
                return Stop::Begin;
            };
            let _ = self.seek(place, interrupted);
            if stops.breaks_at(self.pc()) {
                return Stop::Breakpoint;
            }
        }
        // Where everything later has been looked at; to come back to if the run is interrupted.
        let mut done = self.place();
        let mut origin = Some(self.machine.snapshot());
        let mut end = done;
        loop {
            match self.last_hit(stops, end, ignore_watch, interrupted) {
                Ok(Some((place, stop))) => {
                    if place == end {
                        self.come_back(done, origin);
                    } else if self.seek(place, interrupted) == Err(Blocked::Interrupted) {
                        return Stop::Interrupted;
                    }
                    self.settle(interrupted);
                    let watch = matches!(stop, Stop::Watch { .. });
                    self.reported = watch.then_some(Reported::Behind);
                    return stop;
                }
                Ok(None) => {}
                Err(Blocked::Interrupted) => {
                    self.come_back(done, origin);
                    return Stop::Interrupted;
                }
                Err(Blocked::Damaged) => {
                    self.come_back(done, origin);
                    return self.edge_before(done.stretch);
                }
            }
            done = Place {
                stretch: end.stretch,
                position: 0,
            };
            origin = None;
            if !self.joins_before(end.stretch) {
                self.come_back(done, origin);
                return self.edge_before(end.stretch);
            }
            end = self.last_of(end.stretch - 1);
        }
    }

    /// Goes to where a run was before it looked further: a copy of the machine, or the start of a
    /// stretch.
    fn come_back(&mut self, place: Place, machine: Option<Machine<'a, true>>) {
        match machine {
            Some(machine) => (self.machine, self.at) = (machine, place.stretch),
            // Nothing is replayed for the start of a stretch, and it has been begun before.
            None => drop(self.restore(place)),
        }
    }

    fn joins_before(&self, stretch: usize) -> bool {
        stretch
            .checked_sub(1)
            .is_some_and(|before| self.joined(before))
    }

    fn edge_before(&self, stretch: usize) -> Stop {
        match stretch
            .checked_sub(1)
            .and_then(|before| self.hole_behind(before))
        {
            Some(why) => Stop::Hole(why),
            None => Stop::Begin,
        }
    }

    /// The last hit in a stretch before `end`. Pieces between snapshots are looked at from the last
    /// to the first.
    fn last_hit(
        &mut self,
        stops: &Stops,
        end: Place,
        ignore_watch: Option<u64>,
        interrupted: Interrupted<'_>,
    ) -> std::result::Result<Option<(Place, Stop)>, Blocked> {
        let mut to = end.position;
        while to > 0 {
            let before = Place {
                position: to - 1,
                ..end
            };
            let from = self.snapshots.before(before).map_or(0, |(at, _)| at);
            self.restore(Place {
                position: from,
                ..end
            })?;
            let mut last = LastHit {
                stops,
                ignore_watch_at: ignore_watch
                    .and_then(|moment| moment.checked_sub(self.row[end.stretch].start))
                    .and_then(|position| u32::try_from(position).ok()),
                hit: None,
            };
            while self.machine.position() < to {
                let position = self.machine.position();
                let left = to - position;
                let stride = spacing(left.into()).min(PATIENCE.into()) as u32;
                let end = position + stride.min(left);
                match stops.is_empty() {
                    true => self.advance(end, &mut Silent)?,
                    false => self.advance(end, &mut last)?,
                }
                if self.machine.position() < to {
                    self.snapshots.keep(self.place(), &self.machine);
                }
                if interrupted() {
                    return Err(Blocked::Interrupted);
                }
            }
            if let Some((position, stop)) = last.hit {
                return Ok(Some((Place { position, ..end }, stop)));
            }
            to = from;
        }
        Ok(None)
    }
}
