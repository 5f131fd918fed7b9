//! Looks at other moments that leave the present where it is.

use super::snapshots::Place;
use super::{Blocked, Reported, Timeline};
use crate::history::entered;
use lookback_log_format::entry::Escape;
use lookback_replay::{Entered, Machine, Step};
use std::ops::ControlFlow;

/// A moment to come back to.
#[derive(Debug)]
pub struct Bookmark<'a> {
    machine: Machine<'a, true>,
    stretch: usize,
    reported: Option<Reported>,
}

impl<'a> Timeline<'a> {
    /// Marks the present.
    pub fn bookmark(&self) -> Bookmark<'a> {
        Bookmark {
            machine: self.machine.snapshot(),
            stretch: self.at,
            reported: self.reported,
        }
    }

    /// Goes back to a marked moment.
    pub fn return_to(&mut self, bookmark: Bookmark<'a>) {
        self.machine = bookmark.machine;
        self.at = bookmark.stretch;
        self.reported = bookmark.reported;
    }

    /// Numbers of the 4 KB pages of which something is known beyond the ELF.
    pub fn known_pages(&mut self) -> Vec<u32> {
        let seen = self.machine.memory().seen_pages();
        let mut pages: Vec<u32> = seen.map(|(addr, ..)| addr >> 12).collect();
        pages.extend(self.older.pages(&self.row, self.at));
        pages
    }

    /// What the next instruction does.
    pub fn peek(&self) -> Option<Step> {
        self.machine.snapshot().step().ok().flatten()
    }

    /// The last interrupts and traps before the present, the latest first: the instruction before
    /// each, and the first of its handler. Only intervals whose log has any are replayed. The present
    /// is another one afterwards.
    pub fn turns_before(&mut self, count: usize) -> Vec<(Step, Step)> {
        let mut found = Vec::new();
        let mut end = self.place();
        loop {
            let stretch = &self.row[end.stretch];
            let mut escapes = self.escapes_of(stretch).iter();
            let turns = escapes.any(|(_, escape)| !matches!(escape, Escape::Fetch(_)));
            if turns {
                let mut here = self.turns_in(end);
                here.reverse();
                found.extend(here);
            }
            if found.len() >= count || end.stretch == 0 {
                break;
            }
            end = self.last_of(end.stretch - 1);
        }
        found.truncate(count);
        found
    }

    /// The interrupts and traps of a stretch before a place, in their order.
    fn turns_in(&mut self, end: Place) -> Vec<(Step, Step)> {
        let start = Place { position: 0, ..end };
        let mut found = Vec::new();
        let mut before: Option<Step> = None;
        if self.restore(start) == Err(Blocked::Damaged) {
            return found;
        }
        let mut observer = |step: &Step| {
            if let Some(before) = before.replace(*step) {
                if matches!(entered(&before, step), Entered::Trap | Entered::Interrupt) {
                    found.push((before, *step));
                }
            }
            ControlFlow::Continue(())
        };
        // What a damaged stretch has before its damage counts.
        let _ = self.advance(end.position, &mut observer);
        found
    }
}
