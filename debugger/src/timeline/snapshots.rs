//! Machines to come back to. They are dense around the moment that is looked at and get sparse with
//! the distance from it, so their number grows with the logarithm of the recording's length; if that
//! is still too much memory, they get sparser.
//!
//! The start of a key interval needs no snapshot: the log has it. Others go on from those before them
//! in their key group, so their starts are kept, too.

use lookback_replay::Machine;
use std::collections::BTreeMap;

/// A place on the timeline: a stretch, and a position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Number of the stretch.
    pub stretch: usize,
    /// Instructions of it that are done.
    pub position: u32,
}

/// No two snapshots are nearer to each other: replaying so many instructions takes about as long as
/// copying a machine.
const NEAREST: u64 = 512;
/// Snapshots are apart by their distance from the present divided by this.
const DENSITY: u64 = 4;
/// How far apart they are made while a run goes forward to an unknown place.
pub const STRIDE: u32 = 1 << 14;
/// More are thinned out even if there is memory for them.
const MANY: usize = 512;

/// How far apart snapshots are kept at a distance from the present.
pub fn spacing(distance: u64) -> u64 {
    (distance / DENSITY).max(NEAREST)
}

#[derive(Debug)]
struct Snapshot<'a> {
    machine: Machine<'a, true>,
    /// Instructions before it since recording began.
    moment: u64,
    bytes: usize,
}

/// The snapshots of a timeline.
#[derive(Debug)]
pub struct Snapshots<'a> {
    kept: BTreeMap<Place, Snapshot<'a>>,
    bytes: usize,
    budget: usize,
}

impl<'a> Snapshots<'a> {
    /// None yet; they will take at most `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self {
            kept: BTreeMap::new(),
            bytes: 0,
            budget,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last one in a stretch at or before a position.
    pub fn before(&self, place: Place) -> Option<(u32, &Machine<'a, true>)> {
        let from = Place {
            position: 0,
            ..place
        };
        let (at, snapshot) = self.kept.range(from..=place).next_back()?;
        Some((at.position, &snapshot.machine))
    }

    /// The position of the first one in a stretch behind a position.
    pub fn after(&self, place: Place) -> Option<u32> {
        let to = Place {
            position: u32::MAX,
            ..place
        };
        let from = Place {
            position: place.position.checked_add(1)?,
            ..place
        };
        let (at, _) = self.kept.range(from..=to).next()?;
        Some(at.position)
    }

    /// Keeps a copy of a machine that is at a place in a stretch.
    pub fn keep(&mut self, place: Place, machine: &Machine<'a, true>) {
        if place.position > 0 {
            self.keep_any(place, machine);
        }
    }

    /// Keeps a copy of a machine at the start of a stretch that goes on from the one before.
    pub fn keep_start(&mut self, stretch: usize, machine: &Machine<'a, true>) {
        let start = Place {
            stretch,
            position: 0,
        };
        self.keep_any(start, machine);
    }

    fn keep_any(&mut self, place: Place, machine: &Machine<'a, true>) {
        if self.kept.contains_key(&place) {
            return;
        }
        let machine = machine.snapshot();
        let bytes = machine.footprint();
        let moment = machine.retired();
        if bytes > self.budget {
            return;
        }
        self.bytes += bytes;
        let snapshot = Snapshot {
            machine,
            moment,
            bytes,
        };
        self.kept.insert(place, snapshot);
        if self.bytes > self.budget || self.kept.len() > MANY {
            self.thin(moment);
        }
    }

    /// Thins them out around a moment, until they fit.
    fn thin(&mut self, present: u64) {
        let mut sparser = 1;
        loop {
            self.thin_once(present, sparser);
            if self.bytes <= self.budget && self.kept.len() <= MANY / 2 {
                return;
            }
            if sparser >= 1 << 40 {
                // Not even two of them fit.
                self.kept.clear();
                self.bytes = 0;
                return;
            }
            sparser *= 2;
        }
    }

    fn thin_once(&mut self, present: u64, sparser: u64) {
        let mut last: Option<(usize, u64)> = None;
        let mut bytes = 0;
        self.kept.retain(|place, snapshot| {
            let distance = snapshot.moment.abs_diff(present);
            let wanted = spacing(distance).saturating_mul(sparser);
            // The start of a stretch is as good as a snapshot, if it is not one itself.
            let before = match last {
                Some((stretch, moment)) if stretch == place.stretch => moment,
                Some((_, moment)) if place.position == 0 => moment,
                None if place.position == 0 => 0,
                _ => snapshot.moment.saturating_sub(place.position.into()),
            };
            let keep = snapshot.moment - before >= wanted;
            if keep {
                last = Some((place.stretch, snapshot.moment));
                bytes += snapshot.bytes;
            }
            keep
        });
        self.bytes = bytes;
    }
}
