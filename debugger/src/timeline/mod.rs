//! Any moment of a hart's recording, at random: snapshots, and short replays from them.
//!
//! A **moment** is a number of instructions since recording began: the state before the instruction of
//! that number. Moments lie in stretches (intervals) with holes between them where something was lost.
//!
//! Reading order: [`stretch`] (intervals and holes), [`snapshots`], [`older`] (memory that only
//! earlier intervals know), [`stops`] (breakpoints and watchpoints), [`run`] (forwards and backwards),
//! [`crash`] (where a debugger starts), [`look`] (searches that leave the present alone).

pub mod crash;
pub mod look;
pub mod older;
pub mod run;
mod seek;
pub mod snapshots;
pub mod stops;
pub mod stretch;

use crate::{Error, Result};
use lookback_log_format::entry::Escape;
use lookback_log_format::interval::Interval;
use lookback_log_format::RecorderConfig;
use lookback_replay::escapes::escapes;
use lookback_replay::memory::Byte;
use lookback_replay::recording::HartLog;
use lookback_replay::{Image, Machine, Recording};
use older::Older;
use snapshots::{Place, Snapshots};
use std::collections::HashMap;
use std::sync::Arc;
use stretch::{stretches, Stretch};

/// Instructions between two looks at whether somebody wants to interrupt.
const PATIENCE: u32 = 1 << 18;

/// Asked now and then during long replays; `true` ends them.
pub type Interrupted<'i> = &'i mut dyn FnMut() -> bool;

/// Why a place could not be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blocked {
    Interrupted,
    /// The stretch cannot be replayed so far; it has been marked.
    Damaged,
}

/// Which access a stop at a watchpoint was about. Without it a client that does not go over the access
/// by itself, as gdb does, would stop at the same one for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reported {
    /// That of the next instruction.
    Ahead,
    /// That of the instruction before.
    Behind,
}

/// Why a moment cannot be gone to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GotoError {
    /// It lies before or after everything.
    #[error("the recording has instructions {first} to {last}")]
    Outside {
        /// The first moment.
        first: u64,
        /// The last moment.
        last: u64,
    },
    /// It lies in a hole.
    #[error("instruction {moment} is not in the recording: {why}; it goes on at {next}")]
    InHole {
        /// The moment.
        moment: u64,
        /// What is missing.
        why: String,
        /// The first moment behind the hole.
        next: u64,
    },
    /// The interval is damaged before it.
    #[error("the interval is damaged before instruction {moment}: {why}")]
    Damaged {
        /// The moment.
        moment: u64,
        /// What is wrong.
        why: String,
    },
    /// Somebody asked to stop.
    #[error("interrupted on the way")]
    Interrupted,
}

/// A hart's recording, and a moment of it that is looked at.
#[derive(Debug)]
pub struct Timeline<'a> {
    hart: u8,
    config: &'a RecorderConfig,
    row: Vec<Stretch<'a>>,
    /// What the log says about each interval's surroundings, by the interval's index.
    escapes: HashMap<u32, Vec<(u32, Escape)>>,
    /// At the present moment.
    machine: Machine<'a, true>,
    /// The stretch that the present lies in.
    at: usize,
    snapshots: Snapshots<'a>,
    older: Older<'a>,
    image: Arc<Image>,
    /// Instructions replayed so far.
    replayed: u64,
    /// What the user should know.
    notes: Vec<String>,
    /// The last stop was at a watchpoint, and nothing has moved since.
    reported: Option<Reported>,
    /// Code ran that is not in the ELF, so its window cannot be trusted to be unchanged.
    code_changes: bool,
}

impl<'a> Timeline<'a> {
    /// The timeline of a hart, at its first moment. Takes about `budget` bytes of memory for
    /// snapshots and pages at most. Replays nothing, unless the codec is `compact`, whose log does not
    /// tell by itself what happened.
    pub fn new(
        recording: &'a Recording,
        image: &Arc<Image>,
        log: &'a HartLog,
        budget: usize,
    ) -> Result<Self> {
        let row = stretches(log);
        let first = row.first().ok_or(Error::Empty)?;
        let config = &recording.config;
        let mut machine = Machine::new(config, Arc::clone(image)).with_records(&log.records);
        let started = machine.begin(log.hart, first.interval);
        let escapes = escapes(config, image, log);
        let mut all_escapes = escapes.values().flatten();
        let code_changes = all_escapes.any(|(_, e)| matches!(e, Escape::Fetch(_)));
        let mut timeline = Self {
            hart: log.hart,
            config,
            code_changes,
            escapes,
            row,
            machine,
            at: 0,
            snapshots: Snapshots::new(budget / 4 * 3),
            older: Older::new(config, image, log, budget / 4),
            image: Arc::clone(image),
            replayed: 0,
            notes: Vec::new(),
            reported: None,
        };
        if let Err(divergence) = started {
            timeline.mark(divergence);
        }
        Ok(timeline)
    }

    /// Which hart it is.
    pub fn hart(&self) -> u8 {
        self.hart
    }

    /// The present moment.
    pub fn now(&self) -> u64 {
        self.row[self.at].start + u64::from(self.machine.position())
    }

    /// The first moment.
    pub fn first(&self) -> u64 {
        self.row[0].start
    }

    /// The last moment, as far as is known yet.
    pub fn last(&self) -> u64 {
        let last = &self.row[self.row.len() - 1];
        last.start + u64::from(last.last())
    }

    /// The interval that the present moment lies in.
    pub fn interval(&self) -> &'a Interval {
        self.row[self.at].interval
    }

    /// Instructions of the interval before the present moment.
    pub fn position(&self) -> u32 {
        self.machine.position()
    }

    /// The intervals and holes.
    pub fn row(&self) -> &[Stretch<'a>] {
        &self.row
    }

    /// What the log says about the surroundings of a stretch.
    fn escapes_of(&self, stretch: &Stretch<'_>) -> &[(u32, Escape)] {
        let index = stretch.interval.header.index;
        self.escapes.get(&index).map_or(&[], Vec::as_slice)
    }

    /// The recorder's configuration.
    pub fn config(&self) -> &'a RecorderConfig {
        self.config
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        let known = self.machine.upcoming_pc();
        known.or_else(|| self.machine.next_pc()).unwrap_or(0)
    }

    /// The machine at the present moment.
    pub fn machine(&self) -> &Machine<'a, true> {
        &self.machine
    }

    /// Instructions replayed so far, for whatever reason.
    pub fn replayed(&self) -> u64 {
        self.replayed + self.older.replayed
    }

    /// Number of snapshots, and bytes in use for them and for pages of earlier intervals.
    pub fn held(&self) -> (usize, usize) {
        let bytes = self.snapshots.bytes() + self.older.bytes();
        (self.snapshots.count(), bytes)
    }

    /// Intervals that were replayed to know their memory.
    pub fn intervals_asked(&self) -> usize {
        self.older.intervals()
    }

    /// How far apart the snapshots around a place are; the start and the end of an interval count.
    pub fn snapshot_distance(&self, moment: u64) -> Option<u64> {
        let place = self.locate(moment).ok()?;
        let before = self.snapshots.before(place).map_or(0, |(at, _)| at);
        let length = self.row[place.stretch].length;
        let after = self.snapshots.after(place).unwrap_or(length);
        Some(u64::from(after - before))
    }

    /// What the user should know since it was last asked for.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// A register at the present moment; `None` if it is not known.
    ///
    /// Of an attached core nobody knows what a register holds that was not written since reset: the
    /// recorder sends 0 for it.
    pub fn register(&mut self, number: u8) -> Option<u32> {
        let number = number % 32;
        if self.machine.told() >> number & 1 == 0 {
            return self.older.register(&self.row, self.at, number);
        }
        let value = self.machine.registers()[usize::from(number)];
        let from_reset = self.config.attached && self.row[0].interval.header.index == 0;
        if number == 0 || value != 0 || !from_reset || self.row[0].start != 0 {
            return Some(value);
        }
        let whole = self.row[..=self.at].iter().all(|s| s.hole.is_none());
        let written = self.machine.written() >> number & 1 != 0
            || !whole
            || self.row[..=self.at]
                .iter()
                .any(|s| s.interval.header.registers[usize::from(number)] != 0)
            || self.older.wrote(&self.row, self.at, number);
        written.then_some(value)
    }

    /// Reads memory at the present moment; gives the number of bytes up to the first unknown one.
    pub fn read(&mut self, addr: u32, bytes: &mut [u8]) -> usize {
        for (offset, byte) in bytes.iter_mut().enumerate() {
            let place = u64::from(addr) + offset as u64;
            let known = u32::try_from(place).ok().and_then(|addr| self.byte(addr));
            match known {
                Some(known) => *byte = known,
                None => return offset,
            }
        }
        bytes.len()
    }

    fn byte(&mut self, addr: u32) -> Option<u8> {
        let image = match self.machine.memory().byte(addr) {
            Byte::Seen(byte) => return Some(byte),
            Byte::Image(byte) => Some(byte),
            Byte::Unknown => None,
        };
        if !self.config.is_memory(addr) {
            return image;
        }
        // Code is asked for all the time, and nobody changed it.
        let window = self.config.image_lo..self.config.image_hi;
        if !self.code_changes && window.contains(&addr) && self.image.in_file(addr) {
            return image;
        }
        self.older.byte(&self.row, self.at, addr).or(image)
    }

    /// Where a moment lies.
    fn locate(&self, moment: u64) -> std::result::Result<Place, GotoError> {
        let outside = GotoError::Outside {
            first: self.first(),
            last: self.last(),
        };
        let after = self.row.partition_point(|stretch| stretch.start <= moment);
        let Some(at) = after.checked_sub(1) else {
            return Err(outside);
        };
        let stretch = &self.row[at];
        if moment <= stretch.end() {
            return Ok(Place {
                stretch: at,
                position: (moment - stretch.start) as u32,
            });
        }
        let Some(next) = self.row.get(after) else {
            return Err(outside);
        };
        Err(GotoError::InHole {
            moment,
            why: next.hole.clone().unwrap_or_default(),
            next: next.start,
        })
    }

    /// Goes to a moment. If that is not possible, the present stays as near to it as it could come.
    pub fn goto(
        &mut self,
        moment: u64,
        interrupted: Interrupted<'_>,
    ) -> std::result::Result<(), GotoError> {
        let place = self.locate(moment)?;
        self.reported = None;
        match self.seek(place, interrupted) {
            Ok(()) => {
                self.settle(interrupted);
                match self.now() == moment {
                    true => Ok(()),
                    false => Err(GotoError::Outside {
                        first: self.first(),
                        last: self.last(),
                    }),
                }
            }
            Err(Blocked::Interrupted) => Err(GotoError::Interrupted),
            Err(Blocked::Damaged) => {
                let flaw = self.row[place.stretch].flaw.as_ref();
                let why = flaw.map_or(String::new(), |flaw| flaw.to_string());
                Err(GotoError::Damaged { moment, why })
            }
        }
    }

    /// Goes to the last moment.
    pub fn goto_end(&mut self, interrupted: Interrupted<'_>) -> std::result::Result<(), GotoError> {
        let last = self.row.len() - 1;
        let went = self.seek(self.last_of(last), interrupted);
        self.reported = None;
        self.settle(interrupted);
        match went {
            Err(Blocked::Interrupted) => Err(GotoError::Interrupted),
            // As far as it goes is where it ends.
            Ok(()) | Err(Blocked::Damaged) => Ok(()),
        }
    }
}
