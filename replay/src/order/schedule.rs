//! The order of all harts as a whole: which hart executes which instructions, one after the other.

use super::cursor::{Cursor, Touch, Until};
use super::shared::{Shared, WrittenBy};
use super::together::{Sink, Together};
use super::OrderReport;
use crate::{Image, Recording};
use lookback_log_format::order::OrderKind;
use std::sync::Arc;

/// Instructions between two copies of the shared memory.
const SPACING: u64 = 1 << 16;

/// A hart executes instructions, with nobody else in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Which hart.
    pub hart: u8,
    /// Its first instruction, counted since recording began.
    pub from: u64,
    /// Behind its last one.
    pub to: u64,
    /// Instructions of all harts before it.
    pub start: u64,
}

/// Memory at the beginning of a slice.
#[derive(Debug)]
struct Copy {
    slice: usize,
    /// Where each hart is there.
    harts: Vec<u64>,
    shared: Shared,
}

/// One order of all instructions of all harts.
#[derive(Debug)]
pub struct Schedule {
    slices: Vec<Slice>,
    copies: Vec<Copy>,
    /// Where each hart is before the first slice, and behind the last.
    first: Vec<u64>,
    harts: Vec<u64>,
    /// Instructions of all slices.
    length: u64,
    since_copy: u64,
}

impl Sink for Schedule {
    fn run(&mut self, hart: usize, from: u64, to: u64) {
        self.harts[hart] = to;
        let start = self.length;
        self.length += to - from;
        self.since_copy += to - from;
        let count = self.slices.len();
        let whole = |copy: &Copy| copy.slice < count;
        let may_join = self.copies.last().is_none_or(whole);
        match self.slices.last_mut() {
            Some(last) if may_join && usize::from(last.hart) == hart && last.to == from => {
                last.to = to;
            }
            _ => self.slices.push(Slice {
                hart: hart as u8,
                from,
                to,
                start,
            }),
        }
    }

    fn settled(&mut self, shared: &Shared) {
        if self.since_copy >= SPACING {
            self.copy(shared);
        }
    }

    fn jumped(&mut self, harts: &[u64], shared: &Shared) {
        self.harts.copy_from_slice(harts);
        if self.slices.is_empty() {
            self.first.copy_from_slice(harts);
        }
        self.copy(shared);
    }
}

impl Schedule {
    /// Works out the order of a recording, and whether it is right.
    pub fn new(recording: &Recording, image: &Arc<Image>, kind: OrderKind) -> (Self, OrderReport) {
        let harts = usize::from(recording.config.harts);
        let mut schedule = Self {
            slices: Vec::new(),
            copies: Vec::new(),
            first: vec![0; harts],
            harts: vec![0; harts],
            length: 0,
            since_copy: 0,
        };
        let report = Together::new(recording, image, kind).run(&mut schedule);
        (schedule, report)
    }

    fn copy(&mut self, shared: &Shared) {
        self.since_copy = 0;
        self.copies.push(Copy {
            slice: self.slices.len(),
            harts: self.harts.clone(),
            shared: shared.clone(),
        });
    }

    /// All slices, in their order.
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// Instructions of all harts.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The moment of the order before an instruction of a hart; behind its last one, the moment right
    /// after it. `None` if the order does not have it.
    pub fn moment_before(&self, hart: u8, retired: u64) -> Option<u64> {
        let mut own = self.slices.iter().filter(|slice| slice.hart == hart);
        let slice = own.find(|slice| slice.from <= retired && retired < slice.to);
        if let Some(slice) = slice {
            return Some(slice.start + (retired - slice.from));
        }
        self.moment_after(hart, retired.checked_sub(1)?)
    }

    /// The moment of the order right after an instruction of a hart.
    pub fn moment_after(&self, hart: u8, retired: u64) -> Option<u64> {
        let mut own = self.slices.iter().filter(|slice| slice.hart == hart);
        let slice = own.find(|slice| slice.from <= retired && retired < slice.to)?;
        Some(slice.start + (retired - slice.from) + 1)
    }

    /// The slice that has the instruction after a moment, if there is one.
    pub fn slice_at(&self, moment: u64) -> Option<&Slice> {
        let after = self.slices.partition_point(|slice| slice.start <= moment);
        let slice = self.slices.get(after.checked_sub(1)?)?;
        (moment < slice.start + (slice.to - slice.from)).then_some(slice)
    }

    /// Where each hart is at a moment.
    pub fn harts_at(&self, moment: u64) -> Vec<u64> {
        let after = self.slices.partition_point(|slice| slice.start < moment);
        let copy = self.copy_before(after.saturating_sub(1));
        let (from, mut harts) = match copy {
            Some(copy) => (copy.slice, copy.harts.clone()),
            None => (0, self.first.clone()),
        };
        for slice in &self.slices[from.min(after)..after] {
            let done = (moment - slice.start).min(slice.to - slice.from);
            harts[usize::from(slice.hart)] = slice.from + done;
        }
        harts
    }

    fn copy_before(&self, slice: usize) -> Option<&Copy> {
        let after = self.copies.partition_point(|copy| copy.slice <= slice);
        self.copies.get(after.checked_sub(1)?)
    }

    /// The memory that all harts share, at a moment. `None` if it cannot be replayed.
    pub fn memory_at(
        &self,
        recording: &Recording,
        image: &Arc<Image>,
        moment: u64,
    ) -> Option<Shared> {
        let after = self.slices.partition_point(|slice| slice.start < moment);
        let copy = self.copy_before(after.saturating_sub(1))?;
        let mut shared = copy.shared.clone();
        let config = &recording.config;
        let mut cursors = Vec::new();
        for (hart, &retired) in copy.harts.iter().enumerate() {
            let log = recording.hart(hart as u8);
            let mut cursor = Cursor::new(config, image, hart as u8, log);
            cursor.seek(retired).ok()?;
            cursors.push(cursor);
        }
        let mut touches = Vec::new();
        for slice in &self.slices[copy.slice.min(after)..after] {
            let done = (moment - slice.start).min(slice.to - slice.from);
            touches.clear();
            let to = Until::Retired(slice.from + done);
            cursors[usize::from(slice.hart)].go(to, &mut touches).ok()?;
            touches
                .iter()
                .for_each(|touch| apply(&mut shared, slice.hart, touch));
        }
        Some(shared)
    }
}

fn apply(shared: &mut Shared, hart: u8, touch: &Touch) {
    let by = |wrote| WrittenBy {
        hart,
        retired: touch.retired,
        wrote,
    };
    if touch.rmask != 0 {
        // What others than the harts wrote since shows here, when it is read.
        let read = shared.read(touch.addr, touch.rmask, touch.rdata, by(false));
        if read.is_err() {
            shared.write(touch.addr, touch.rmask, touch.rdata, by(false));
        }
    }
    shared.write(touch.addr, touch.wmask, touch.wdata, by(true));
}
