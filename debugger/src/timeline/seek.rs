//! Goes to places: from the nearest snapshot, leaving snapshots behind, noticing damage.

use super::snapshots::{spacing, Place};
use super::{Blocked, Interrupted, Timeline, PATIENCE};
use lookback_replay::{Divergence, Observer, Silent, What};

impl Timeline<'_> {
    pub(super) fn last_of(&self, stretch: usize) -> Place {
        Place {
            stretch,
            position: self.row[stretch].last(),
        }
    }

    pub(super) fn place(&self) -> Place {
        Place {
            stretch: self.at,
            position: self.machine.position(),
        }
    }

    /// Whether the next stretch carries on where a stretch ends.
    pub(super) fn joined(&self, stretch: usize) -> bool {
        let next = self.row.get(stretch + 1);
        self.row[stretch].reach.is_none() && next.is_some_and(|next| next.hole.is_none())
    }

    /// What is missing behind a stretch, in words; `None` at the end of the recording.
    pub(super) fn hole_behind(&self, stretch: usize) -> Option<String> {
        let next = self.row.get(stretch + 1)?;
        let this = &self.row[stretch];
        let damaged = this.flaw.as_ref().filter(|_| this.reach.is_some());
        let damage =
            damaged.map(|flaw| format!("interval {} is damaged: {}", flaw.interval, flaw.what));
        let parts: Vec<String> = damage.into_iter().chain(next.hole.clone()).collect();
        Some(parts.join("; "))
    }

    /// Goes to a place, from the nearest snapshot before it.
    pub(super) fn seek(
        &mut self,
        to: Place,
        interrupted: Interrupted<'_>,
    ) -> std::result::Result<(), Blocked> {
        self.restore(to)?;
        while self.machine.position() < to.position {
            let position = self.machine.position();
            let left = to.position - position;
            let stride = spacing(left.into()).min(PATIENCE.into()) as u32;
            self.advance(position + stride.min(left), &mut Silent)?;
            if self.machine.position() < to.position {
                self.snapshots.keep(self.place(), &self.machine);
            }
            if interrupted() {
                return Err(Blocked::Interrupted);
            }
        }
        Ok(())
    }

    /// Puts the machine at the nearest snapshot before a place, or leaves it if it is nearer.
    pub(super) fn restore(&mut self, to: Place) -> std::result::Result<(), Blocked> {
        let kept = self.snapshots.before(to);
        let here = self.machine.position();
        let usable = self.at == to.stretch && here <= to.position;
        match kept {
            _ if usable && kept.is_none_or(|(at, _)| at <= here) => {}
            Some((_, machine)) => self.machine = machine.clone(),
            None => {
                let interval = self.row[to.stretch].interval;
                let goes_on = !interval.header.is_key();
                if goes_on {
                    self.approach(to.stretch);
                }
                self.at = to.stretch;
                if let Err(divergence) = self.machine.begin(self.hart, interval) {
                    self.mark(divergence);
                    return Err(Blocked::Damaged);
                }
                if goes_on {
                    self.snapshots.keep_start(to.stretch, &self.machine);
                }
            }
        }
        self.at = to.stretch;
        Ok(())
    }

    /// Replays what a stretch goes on from, and keeps the starts on the way: otherwise the machine
    /// would do the first, for each of them anew. Where it cannot, the machine says why.
    fn approach(&mut self, stretch: usize) {
        let follows = self.at + 1 == stretch && self.machine.position() == self.row[self.at].length;
        if follows {
            return;
        }
        let start = |stretch| Place {
            stretch,
            position: 0,
        };
        let mut from = stretch;
        while from > 0
            && !self.row[from].interval.header.is_key()
            && self.row[from].hole.is_none()
            && (from == stretch || self.snapshots.before(start(from)).is_none())
        {
            from -= 1;
        }
        for at in from..stretch {
            let interval = self.row[at].interval;
            if let Some((_, machine)) = self.snapshots.before(start(at)) {
                self.machine = machine.clone();
            } else if self.machine.begin(self.hart, interval).is_err() {
                return;
            } else if !interval.header.is_key() {
                self.snapshots.keep_start(at, &self.machine);
            }
            self.replayed += u64::from(self.row[at].length);
            if self.machine.run().is_err() {
                return;
            }
        }
    }

    /// Replays in the present stretch.
    pub(super) fn advance(
        &mut self,
        position: u32,
        observer: &mut impl Observer,
    ) -> std::result::Result<(), Blocked> {
        let before = self.machine.position();
        let mut ran = self.machine.run_until(position, observer);
        self.replayed += u64::from(self.machine.position() - before);
        if ran.is_ok() && self.machine.position() == self.row[self.at].length {
            // A digest that differs does not keep anybody from looking.
            if let Err(divergence) = self.machine.finish() {
                self.tell_suspicion(divergence);
            }
            ran = Ok(());
        }
        ran.map_err(|divergence| {
            self.mark(divergence);
            Blocked::Damaged
        })
    }

    /// Remembers how far a stretch can be replayed.
    pub(super) fn mark(&mut self, divergence: Divergence) {
        let mut reach = self.machine.position();
        if divergence.what == What::NoRedirect {
            reach = reach.saturating_sub(1);
        }
        let stretch = &mut self.row[self.at];
        if stretch.reach.is_none() {
            stretch.reach = Some(reach);
            self.notes.push(format!(
                "interval {} is damaged and cannot be followed beyond instruction {}: {}",
                divergence.interval,
                stretch.start + u64::from(reach),
                divergence.what
            ));
        }
        stretch.flaw.get_or_insert(divergence);
    }

    fn tell_suspicion(&mut self, divergence: Divergence) {
        let stretch = &mut self.row[self.at];
        if stretch.flaw.is_none() {
            self.notes.push(format!(
                "interval {} does not replay as it was recorded, so what is shown of it may be wrong: {}",
                divergence.interval, divergence.what
            ));
            stretch.flaw = Some(divergence);
        }
    }

    /// At the end of a stretch: goes on to the one that carries on there, or back to where the next
    /// instruction is known.
    pub(super) fn settle(&mut self, interrupted: Interrupted<'_>) {
        if self.machine.position() < self.row[self.at].length {
            let reach = self.row[self.at].last();
            if self.machine.position() > reach {
                let _ = self.seek(self.last_of(self.at), interrupted);
            }
            return;
        }
        if self.joined(self.at) {
            let next = Place {
                stretch: self.at + 1,
                position: 0,
            };
            // Nothing is replayed for it; a damaged one is marked and shows its start.
            let _ = self.restore(next);
        } else if self.machine.upcoming_pc().is_none() {
            let reach = self.row[self.at].length - 1;
            self.row[self.at].reach = Some(reach);
            let _ = self.seek(self.last_of(self.at), interrupted);
        }
    }
}
