//! All harts in step, from one element of the order's log to the next.

use super::cursor::{Cursor, Stuck, Touch, Until};
use super::region::{self, NoOrder};
use super::shared::{Differs, Shared, WrittenBy};
use super::{name, Fault, OrderReport};
use crate::{Divergence, Image, Recording, What};
use lookback_log_format::interval::EndReason;
use lookback_log_format::order::{OrderElement, OrderKind, OrderRecord, MAX_HARTS};
use lookback_log_format::registers::CONTROL_RING;
use std::sync::Arc;

/// Hears what is found out about the order.
pub trait Sink {
    /// A hart executes instructions, counted since recording began.
    fn run(&mut self, hart: usize, from: u64, to: u64);
    /// Behind an element; memory is what it is there.
    fn settled(&mut self, _: &Shared) {}
    /// What follows does not follow what was before: the harts stand at these instructions.
    fn jumped(&mut self, _: &[u64], _: &Shared) {}
}

/// Only counts.
pub struct Nobody<'p>(pub &'p mut dyn FnMut(u64));

impl Sink for Nobody<'_> {
    fn run(&mut self, _: usize, from: u64, to: u64) {
        (self.0)(to - from);
    }
}

/// Why a record cannot be followed further.
enum Trouble {
    Diverged(Divergence),
    Fault(Option<u32>, String),
    Hole(String),
}

/// The harts of a recording and the memory that they share.
pub struct Together<'a> {
    recording: &'a Recording,
    kind: OrderKind,
    cursors: Vec<Cursor<'a>>,
    /// Instructions of each hart that were put in order.
    scheduled: Vec<u64>,
    /// Accesses of each hart in the present region.
    touches: Vec<Vec<Touch>>,
    /// Blocks that others wrote in the present region.
    externals: Vec<u32>,
    shared: Shared,
    block_len: u32,
    report: OrderReport,
    /// The next record does not follow what was before.
    lost: bool,
}

/// The first number from `at` on whose low half is this.
fn extend(low: u32, at: u64) -> u64 {
    let near = at & !0xffff_ffff | u64::from(low);
    match near < at {
        true => near.saturating_add(1 << 32),
        false => near,
    }
}

impl<'a> Together<'a> {
    pub fn new(recording: &'a Recording, image: &Arc<Image>, kind: OrderKind) -> Self {
        let config = &recording.config;
        let harts = usize::from(config.harts).min(MAX_HARTS);
        let cursor = |hart: usize| {
            let hart = hart as u8;
            Cursor::new(config, image, hart, recording.hart(hart))
        };
        let cursors: Vec<_> = (0..harts).map(cursor).collect();
        let records = recording.order(kind);
        let from_start = cursors.iter().all(|cursor| cursor.first() == 0);
        Self {
            recording,
            kind,
            scheduled: vec![0; harts],
            touches: vec![Vec::new(); harts],
            externals: Vec::new(),
            shared: Shared::new(config, image, from_start),
            block_len: 1 << config.order.unwrap_or_default().block_bits,
            report: OrderReport {
                kind,
                records: records.len() as u64,
                bytes: records.iter().map(|r| r.len_bytes() as u64).sum(),
                elements: 0,
                instructions: 0,
                accesses: 0,
                reads_confirmed: 0,
                divergence: None,
                faults: Vec::new(),
                notes: Vec::new(),
            },
            cursors,
            lost: true,
        }
    }

    /// Follows the whole log.
    pub fn run(mut self, sink: &mut impl Sink) -> OrderReport {
        let records: &'a [OrderRecord] = self.recording.order(self.kind);
        let mut before: Option<&OrderRecord> = None;
        for record in records {
            self.lost |= !self.follows(before, record);
            if let Err(trouble) = self.record(record, before.is_none(), sink) {
                match trouble {
                    Trouble::Diverged(divergence) => {
                        self.report.divergence = Some(divergence);
                        return self.report;
                    }
                    Trouble::Fault(element, what) => self.fault(record.index, element, what),
                    Trouble::Hole(what) => self.report.notes.push(what),
                }
                self.lost = true;
            }
            before = Some(record);
        }
        match before {
            Some(last) => self.finish(last, sink),
            None if self.cursors.iter().any(|cursor| cursor.last() > 0) => {
                let what = "none are in the file, although the recorder was told to log them";
                self.fault(0, None, what.into());
            }
            None => {}
        }
        self.report
    }

    fn fault(&mut self, record: u32, element: Option<u32>, what: String) {
        self.report.faults.push(Fault {
            kind: name(self.kind),
            record,
            element,
            what,
        });
    }

    /// Whether a record goes on where the one before it ended; tells if something is missing.
    fn follows(&mut self, before: Option<&OrderRecord>, record: &OrderRecord) -> bool {
        let wanted = before.map_or(0, |before| before.index.wrapping_add(1));
        if record.index != wanted {
            let ring = self.recording.config.control & CONTROL_RING != 0;
            let last = record.index.wrapping_sub(1);
            let what = format!("records {wanted} to {last} are not in the file");
            match before.is_none() && ring {
                true => self.report.notes.push(what),
                false => self.fault(record.index, None, what),
            }
            return false;
        }
        if before.is_some_and(|before| before.reason == EndReason::Overflow) {
            let text = "the order is not known between two records: the recorder could not keep up";
            self.report.notes.push(text.into());
            return false;
        }
        before.is_some()
    }

    fn record(
        &mut self,
        record: &OrderRecord,
        first: bool,
        sink: &mut impl Sink,
    ) -> Result<(), Trouble> {
        if record.retired.len() != self.cursors.len() {
            let (found, wanted) = (record.retired.len(), self.cursors.len());
            let what = format!("it is about {found} harts, but the recorder has {wanted}");
            return Err(Trouble::Fault(None, what));
        }
        match std::mem::take(&mut self.lost) {
            true => self.jump(record, first, sink)?,
            false => self.connect(record, sink)?,
        }
        let mut ends_with_stratum = true;
        for (number, element) in record.elements().enumerate() {
            let number = number as u32;
            let fault = |what| Trouble::Fault(Some(number), what);
            let element = element.map_err(|error| fault(error.to_string()))?;
            ends_with_stratum = matches!(element, OrderElement::Stratum(_));
            match element {
                OrderElement::Stratum(strides) => self.region(&strides, number, sink)?,
                OrderElement::Chunk { hart, size } => self.chunk(hart, size, number, sink)?,
                OrderElement::External(block) if self.kind == OrderKind::Strata => {
                    self.externals.push(block.wrapping_mul(self.block_len));
                }
                OrderElement::External(block) => {
                    let addr = block.wrapping_mul(self.block_len);
                    self.shared.forget_block(addr, self.block_len);
                }
            }
            sink.settled(&self.shared);
        }
        let complete = record.reason == EndReason::Overflow || ends_with_stratum;
        match self.kind == OrderKind::Strata && !complete {
            true => Err(Trouble::Fault(None, "its last stratum is missing".into())),
            false => Ok(()),
        }
    }

    /// The record starts anew: every hart goes to where its header says.
    fn jump(
        &mut self,
        record: &OrderRecord,
        first: bool,
        sink: &mut impl Sink,
    ) -> Result<(), Trouble> {
        self.externals.clear();
        if !(first && record.index == 0) {
            self.shared.forget();
        }
        for (hart, &low) in record.retired.iter().enumerate() {
            let cursor = &mut self.cursors[hart];
            let target = extend(low, cursor.first());
            let found = cursor.seek(target).map_err(|stuck| stopped(hart, stuck))?;
            if !found {
                self.lost = true;
                let (first, last) = (cursor.first(), cursor.last());
                return Err(Trouble::Hole(format!(
                    "{} record {} starts at instruction {low} of hart {hart}, of which \
                     {first} to {last} are recorded: it cannot be placed",
                    name(self.kind),
                    record.index
                )));
            }
            self.scheduled[hart] = target;
        }
        sink.jumped(&self.scheduled, &self.shared);
        Ok(())
    }

    /// The record goes on: nothing may lie between it and the one before.
    fn connect(&mut self, record: &OrderRecord, sink: &mut impl Sink) -> Result<(), Trouble> {
        for (hart, &low) in record.retired.iter().enumerate() {
            let cursor = &mut self.cursors[hart];
            let (at, last) = (cursor.retired(), cursor.last());
            let target = extend(low, at);
            let what = if target > last {
                format!(
                    "it starts at instruction {low} of hart {hart}, but what was before it ends \
                     at {at}, and the hart's log at {last}"
                )
            } else if self.kind == OrderKind::Chunks && target != at {
                format!(
                    "it starts at instruction {target} of hart {hart}, but the chunks before it \
                     end at {at}"
                )
            } else {
                let mut between = Vec::new();
                let went = cursor.go(Until::Retired(target), &mut between);
                went.map_err(|stuck| stopped(hart, stuck))?;
                if between.is_empty() {
                    self.schedule(hart, target, sink);
                    continue;
                }
                let count = between.len();
                format!(
                    "it starts at instruction {target} of hart {hart}, which makes {count} \
                     accesses after the last stratum before it"
                )
            };
            return Err(Trouble::Fault(None, what));
        }
        Ok(())
    }

    fn schedule(&mut self, hart: usize, to: u64, sink: &mut impl Sink) {
        let from = std::mem::replace(&mut self.scheduled[hart], to);
        if to > from {
            self.report.instructions += to - from;
            sink.run(hart, from, to);
        }
    }

    fn region(
        &mut self,
        strides: &[u16; MAX_HARTS],
        number: u32,
        sink: &mut impl Sink,
    ) -> Result<(), Trouble> {
        for (hart, cursor) in self.cursors.iter_mut().enumerate() {
            let touches = &mut self.touches[hart];
            touches.clear();
            let wanted = strides[hart];
            cursor
                .go(Until::Accesses(wanted.into()), touches)
                .map_err(|stuck| match stuck {
                    Stuck::End => {
                        let made = touches.len();
                        let what = format!(
                            "hart {hart} makes {wanted} accesses, but its log ends after {made}"
                        );
                        Trouble::Fault(Some(number), what)
                    }
                    other => stopped(hart, other),
                })?;
        }
        let touches = std::mem::take(&mut self.touches);
        let ordered = self.in_order(&touches, sink);
        self.touches = touches;
        ordered.map_err(Trouble::Diverged)?;
        for addr in std::mem::take(&mut self.externals) {
            self.shared.forget_block(addr, self.block_len);
        }
        self.report.elements += 1;
        Ok(())
    }

    fn in_order(&mut self, touches: &[Vec<Touch>], sink: &mut impl Sink) -> Result<(), Divergence> {
        let runs = region::order(touches).map_err(|no_order| {
            let (at, what) = match no_order {
                NoOrder::TwoWriters { at, other } => (at, What::TwoWriters(other as u8)),
                NoOrder::Circle { at } => (at, What::NoOrder),
            };
            diverged(at.0, &touches[at.0][at.1], what)
        })?;
        let mut done = [0; MAX_HARTS];
        for (hart, count) in runs {
            let from = done[hart];
            done[hart] += count;
            let run = &touches[hart][from..from + count];
            run.iter().try_for_each(|touch| self.touch(hart, touch))?;
            if let Some(last) = run.last() {
                self.schedule(hart, last.retired + 1, sink);
            }
        }
        Ok(())
    }

    fn chunk(
        &mut self,
        hart: u8,
        size: u32,
        number: u32,
        sink: &mut impl Sink,
    ) -> Result<(), Trouble> {
        let hart = usize::from(hart);
        let mut touches = std::mem::take(&mut self.touches[hart]);
        touches.clear();
        let cursor = &mut self.cursors[hart];
        let to = cursor.retired().saturating_add(size.into());
        let went = cursor.go(Until::Retired(to), &mut touches);
        let at = cursor.retired();
        let checked = touches.iter().try_for_each(|touch| self.touch(hart, touch));
        self.touches[hart] = touches;
        checked.map_err(Trouble::Diverged)?;
        went.map_err(|stuck| match stuck {
            Stuck::End => {
                let what = format!(
                    "hart {hart} retires {size} instructions up to {to}, but its log ends at {at}"
                );
                Trouble::Fault(Some(number), what)
            }
            other => stopped(hart, other),
        })?;
        self.schedule(hart, to, sink);
        self.report.elements += 1;
        Ok(())
    }

    /// An access takes its place in the order.
    fn touch(&mut self, hart: usize, touch: &Touch) -> Result<(), Divergence> {
        let by = |wrote| WrittenBy {
            hart: hart as u8,
            retired: touch.retired,
            wrote,
        };
        if touch.rmask != 0 {
            let known = self
                .shared
                .read(touch.addr, touch.rmask, touch.rdata, by(false))
                .map_err(|differs| diverged(hart, touch, other_value(differs)))?;
            self.report.reads_confirmed += u64::from(known);
        }
        self.shared
            .write(touch.addr, touch.wmask, touch.wdata, by(true));
        self.report.accesses += 1;
        Ok(())
    }

    /// Behind the last record the harts may have nothing left that it should have told.
    fn finish(&mut self, last: &OrderRecord, sink: &mut impl Sink) {
        if self.lost || last.reason == EndReason::Overflow {
            return;
        }
        let mut left = Vec::new();
        for hart in 0..self.cursors.len() {
            let cursor = &mut self.cursors[hart];
            let (at, end) = (cursor.retired(), cursor.last());
            let mut touches = Vec::new();
            let went = cursor.go(Until::Retired(end), &mut touches);
            match (went, self.kind) {
                (Err(stuck @ (Stuck::Diverged(_) | Stuck::Hole(_))), _) => {
                    if let Trouble::Hole(what) = stopped(hart, stuck) {
                        self.report.notes.push(what);
                    }
                }
                (_, OrderKind::Strata) if !touches.is_empty() => {
                    left.push(format!("{} accesses of hart {hart}", touches.len()));
                }
                (_, OrderKind::Chunks) if end > at => {
                    left.push(format!("{} instructions of hart {hart}", end - at));
                }
                _ => self.schedule(hart, end, sink),
            }
        }
        if left.is_empty() {
            return;
        }
        let what = format!("after the last record come {}", left.join(", "));
        match self.recording.end.is_some() {
            true => self.fault(last.index, None, what),
            false => self.report.notes.push(what),
        }
    }
}

fn stopped(hart: usize, stuck: Stuck) -> Trouble {
    match stuck {
        // That is told with the hart's own intervals.
        Stuck::Diverged(divergence) => Trouble::Hole(format!(
            "interval {} of hart {hart} does not replay",
            divergence.interval
        )),
        Stuck::End => Trouble::Fault(None, format!("the log of hart {hart} ends here")),
        Stuck::Hole(what) => Trouble::Hole(format!("hart {hart}: {what}")),
    }
}

fn diverged(hart: usize, touch: &Touch, what: What) -> Divergence {
    Divergence {
        hart: hart as u8,
        interval: touch.interval,
        position: touch.position,
        pc: touch.pc,
        what,
    }
}

fn other_value(differs: Differs) -> What {
    let by = match differs.by {
        None => "as in the ELF".to_owned(),
        Some(by) => {
            let verb = if by.wrote { "wrote" } else { "read" };
            format!(
                "as hart {} {verb} it at instruction {}",
                by.hart, by.retired
            )
        }
    };
    What::OtherValue {
        addr: differs.addr,
        seen: differs.seen,
        shared: differs.shared,
        by,
    }
}
