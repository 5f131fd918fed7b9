//! One hart of several, replayed from its own intervals, from access to access.

use crate::recording::HartLog;
use crate::step::{Observer, Step};
use crate::{Divergence, Image, Machine};
use lookback_log_format::interval::{Interval, Record};
use lookback_log_format::RecorderConfig;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An access as the hart saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    pub addr: u32,
    pub rmask: u8,
    pub wmask: u8,
    pub rdata: u32,
    pub wdata: u32,
    /// Instructions of the hart before it since recording began.
    pub retired: u64,
    pub pc: u32,
    pub interval: u32,
    pub position: u32,
}

/// Why a hart cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Stuck {
    /// Its replay leaves its log.
    Diverged(Divergence),
    /// Its log ends.
    End,
    /// Something of its log is missing here.
    Hole(String),
}

/// How far a hart goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// So many accesses.
    Accesses(u32),
    /// Before this instruction.
    Retired(u64),
}

/// A hart, before one of its instructions.
#[derive(Debug)]
pub struct Cursor<'a> {
    hart: u8,
    records: &'a [Record],
    machine: Machine<'a, false>,
    /// The record that is entered next.
    next: usize,
    /// The machine is inside an interval.
    inside: bool,
}

struct Collect<'o> {
    out: &'o mut Vec<Touch>,
    interval: u32,
    left: u32,
}

impl Observer for Collect<'_> {
    const WATCHES: bool = true;
    const DETAILS: bool = false;

    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        if step.trap || step.mem_rmask | step.mem_wmask == 0 {
            return ControlFlow::Continue(());
        }
        self.out.push(Touch {
            addr: step.mem_addr,
            rmask: step.mem_rmask,
            wmask: step.mem_wmask,
            rdata: step.mem_rdata,
            wdata: step.mem_wdata,
            retired: step.retired,
            pc: step.pc,
            interval: self.interval,
            position: step.position,
        });
        self.left -= 1;
        match self.left {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn interval(record: &Record) -> Option<&Interval> {
    match record {
        Record::Interval(interval) => Some(interval),
        _ => None,
    }
}

fn end(interval: &Interval) -> u64 {
    let instructions = interval.trailer.instructions.into();
    interval.header.retired.saturating_add(instructions)
}

impl<'a> Cursor<'a> {
    /// At the beginning of what is recorded of a hart, which may be nothing.
    pub fn new(
        config: &RecorderConfig,
        image: &Arc<Image>,
        hart: u8,
        log: Option<&'a HartLog>,
    ) -> Self {
        let records = log.map_or(&[][..], |log| &log.records);
        Self {
            hart,
            records,
            machine: Machine::new(config, Arc::clone(image)).with_records(records),
            next: 0,
            inside: false,
        }
    }

    /// Instructions of the hart that are done, since recording began.
    pub fn retired(&self) -> u64 {
        match self.inside {
            true => self.machine.retired(),
            false => match self.records.get(self.next) {
                Some(Record::Interval(next)) => next.header.retired,
                Some(Record::Gap(gap)) => gap.retired,
                _ => self.last(),
            },
        }
    }

    /// The first instruction that is recorded.
    pub fn first(&self) -> u64 {
        let first = self.records.iter().find_map(interval);
        first.map_or(0, |first| first.header.retired)
    }

    /// Behind the last instruction that is recorded.
    pub fn last(&self) -> u64 {
        self.records.iter().rev().find_map(interval).map_or(0, end)
    }

    /// Goes to an instruction without looking; false if it is not recorded.
    pub fn seek(&mut self, retired: u64) -> Result<bool, Stuck> {
        let holds = |record: &Record| {
            interval(record).is_some_and(|i| i.header.retired <= retired && retired < end(i))
        };
        self.inside = false;
        let Some(at) = self.records.iter().position(holds) else {
            // Behind the last one is a place, too.
            let behind = |r: &Record| interval(r).is_some_and(|i| end(i) == retired);
            let at = self.records.iter().position(behind);
            self.next = at.map_or(self.records.len(), |at| at + 1);
            return Ok(at.is_some() || (self.records.is_empty() && retired == 0));
        };
        self.next = at;
        let mut passed = Vec::new();
        self.go(Until::Retired(retired), &mut passed)?;
        Ok(true)
    }

    /// Goes on and tells the accesses on the way.
    pub fn go(&mut self, until: Until, out: &mut Vec<Touch>) -> Result<(), Stuck> {
        let accesses_before = out.len();
        loop {
            let made = (out.len() - accesses_before) as u32;
            let (left, stop) = match until {
                Until::Accesses(wanted) if made >= wanted => return Ok(()),
                Until::Accesses(wanted) => (wanted - made, u64::MAX),
                Until::Retired(to) if self.retired() >= to => return Ok(()),
                Until::Retired(to) => (u32::MAX, to),
            };
            if !self.inside {
                self.enter()?;
            }
            let start = self.machine.retired() - u64::from(self.machine.position());
            let position = stop.saturating_sub(start).min(u32::MAX.into()) as u32;
            let mut collect = Collect {
                out,
                interval: self.machine.interval(),
                left,
            };
            self.machine
                .run_until(position, &mut collect)
                .map_err(Stuck::Diverged)?;
            if self.machine.position() == self.machine.instructions() {
                self.machine.finish().map_err(Stuck::Diverged)?;
                self.inside = false;
            }
        }
    }

    /// Begins the next interval.
    fn enter(&mut self) -> Result<(), Stuck> {
        let record = self.records.get(self.next).ok_or(Stuck::End)?;
        let before = self.next.checked_sub(1).map(|at| self.records[at].index());
        if let Some(before) = before.filter(|before| record.index() - before > 1) {
            let (first, last) = (before + 1, record.index() - 1);
            return Err(Stuck::Hole(format!(
                "intervals {first} to {last} are missing"
            )));
        }
        match record {
            Record::Interval(interval) => {
                self.next += 1;
                let begun = self.machine.begin(self.hart, interval);
                begun.map_err(Stuck::Diverged)?;
                self.inside = self.machine.instructions() > 0;
                Ok(())
            }
            Record::Gap(gap) => {
                let lost = gap.lost;
                Err(Stuck::Hole(format!(
                    "{lost} instructions were not recorded"
                )))
            }
            Record::Order(_) => Err(Stuck::End),
        }
    }
}
