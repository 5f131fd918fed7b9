//! Where a run shall stop: breakpoints and watchpoints, as many as one likes.

use lookback_replay::step::Access;
use lookback_replay::{Observer, Step};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

/// Which accesses a watchpoint looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchKind {
    /// Stores.
    Write,
    /// Loads.
    Read,
    /// Both.
    Access,
}

/// A piece of memory that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    /// First byte.
    pub addr: u32,
    /// Bytes; at least one is watched.
    pub len: u32,
    /// Which accesses.
    pub kind: WatchKind,
}

impl Watch {
    fn meets(&self, access: Option<Access>) -> Option<u32> {
        let access = access?;
        let (first, last) = (
            u64::from(self.addr),
            u64::from(self.addr) + u64::from(self.len.max(1)),
        );
        let start = u64::from(access.addr);
        let overlaps = start < last && first < start + u64::from(access.len);
        overlaps.then(|| self.addr.max(access.addr))
    }

    /// The first watched byte that an instruction accessed.
    pub fn hit(&self, step: &Step) -> Option<u32> {
        let write = || self.meets(step.write());
        let read = || self.meets(step.read());
        match self.kind {
            WatchKind::Write => write(),
            WatchKind::Read => read(),
            WatchKind::Access => write().or_else(read),
        }
    }
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It went as far as it was told.
    Step,
    /// A breakpoint is at the next instruction.
    Breakpoint,
    /// Watched memory is accessed: by the next instruction if the run went forwards, by the one before
    /// if it went backwards. In both cases gdb goes over the access by itself.
    Watch {
        /// The kind of the watchpoint.
        kind: WatchKind,
        /// The first watched byte that was accessed.
        addr: u32,
    },
    /// Something is missing in this direction; the next run in it goes across.
    Hole(String),
    /// The recording begins here.
    Begin,
    /// The recording ends here.
    End,
    /// Somebody asked to stop.
    Interrupted,
}

/// Breakpoints and watchpoints.
#[derive(Debug, Clone)]
pub struct Stops {
    /// With how often each was set.
    breakpoints: BTreeMap<u32, u32>,
    watches: Vec<Watch>,
    /// A bit for each word address modulo the filter's size: most instructions are no breakpoints.
    filter: Box<[u64; FILTER_WORDS]>,
}

const FILTER_WORDS: usize = 64;

impl Default for Stops {
    fn default() -> Self {
        Self {
            breakpoints: BTreeMap::new(),
            watches: Vec::new(),
            filter: Box::new([0; FILTER_WORDS]),
        }
    }
}

impl Stops {
    /// Sets a breakpoint.
    pub fn add_breakpoint(&mut self, addr: u32) {
        *self.breakpoints.entry(addr).or_default() += 1;
        self.rebuild();
    }

    /// Takes a breakpoint away; `false` if there is none.
    pub fn remove_breakpoint(&mut self, addr: u32) -> bool {
        let Some(count) = self.breakpoints.get_mut(&addr) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.breakpoints.remove(&addr);
        }
        self.rebuild();
        true
    }

    /// Sets a watchpoint.
    pub fn add_watch(&mut self, watch: Watch) {
        self.watches.push(watch);
    }

    /// Takes a watchpoint away; `false` if there is none.
    pub fn remove_watch(&mut self, watch: Watch) -> bool {
        let found = self.watches.iter().position(|known| *known == watch);
        found.map(|at| self.watches.swap_remove(at)).is_some()
    }

    /// Takes all away.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether there is nothing to stop at.
    pub fn is_empty(&self) -> bool {
        self.breakpoints.is_empty() && self.watches.is_empty()
    }

    /// Whether a breakpoint is at an address.
    #[inline(always)]
    pub fn breaks_at(&self, pc: u32) -> bool {
        let (word, bit) = filter_place(pc);
        self.filter[word] >> bit & 1 != 0 && self.breakpoints.contains_key(&pc)
    }

    /// Whether an instruction accessed watched memory.
    #[inline(always)]
    pub fn watched(&self, step: &Step) -> Option<Stop> {
        if step.mem_rmask | step.mem_wmask == 0 || self.watches.is_empty() {
            return None;
        }
        let hit = |watch: &Watch| {
            let addr = watch.hit(step)?;
            Some(Stop::Watch {
                kind: watch.kind,
                addr,
            })
        };
        self.watches.iter().find_map(hit)
    }

    fn rebuild(&mut self) {
        self.filter.fill(0);
        for &addr in self.breakpoints.keys() {
            let (word, bit) = filter_place(addr);
            self.filter[word] |= 1 << bit;
        }
    }
}

#[inline(always)]
fn filter_place(pc: u32) -> (usize, u32) {
    ((pc >> 8) as usize % FILTER_WORDS, pc >> 2 & 63)
}

/// Stops a forward run at the first hit.
pub(super) struct FirstHit<'s> {
    pub stops: &'s Stops,
    /// No breakpoint counts here: the run starts at it.
    pub start: Option<u32>,
    /// No watchpoint counts here: it has just been reported.
    pub ignore_watch_at: Option<u32>,
    /// Stop as soon as the next instruction is not in this range.
    pub range: Option<Range<u32>>,
    pub hit: Option<Stop>,
}

impl Observer for FirstHit<'_> {
    const WATCHES: bool = true;
    const DETAILS: bool = false;
    const ASKS: bool = true;

    #[inline(always)]
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        if self.ignore_watch_at == Some(step.position) {
            return ControlFlow::Continue(());
        }
        self.hit = self.stops.watched(step);
        match self.hit {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline(always)]
    fn before(&mut self, position: u32, pc: u32) -> ControlFlow<()> {
        if self.start == Some(position) {
            return ControlFlow::Continue(());
        }
        if self.stops.breaks_at(pc) {
            self.hit = Some(Stop::Breakpoint);
        } else if self
            .range
            .as_ref()
            .is_some_and(|range| !range.contains(&pc))
        {
            self.hit = Some(Stop::Step);
        }
        match self.hit {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Remembers the last hit of a pass over instructions that a backward run goes through.
pub(super) struct LastHit<'s> {
    pub stops: &'s Stops,
    /// A watchpoint that leads here does not count: the run starts at it.
    pub ignore_watch_at: Option<u32>,
    /// Where to stop, and why.
    pub hit: Option<(u32, Stop)>,
}

impl Observer for LastHit<'_> {
    const WATCHES: bool = true;
    const DETAILS: bool = false;
    const ASKS: bool = true;

    #[inline(always)]
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        if let Some(stop) = self.stops.watched(step) {
            // gdb undoes the access by itself: it steps back once more after such a stop.
            let after = step.position + 1;
            if self.ignore_watch_at != Some(after) {
                self.hit = Some((after, stop));
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn before(&mut self, position: u32, pc: u32) -> ControlFlow<()> {
        if self.stops.breaks_at(pc) && self.hit.as_ref().is_none_or(|(at, _)| *at < position) {
            self.hit = Some((position, Stop::Breakpoint));
        }
        ControlFlow::Continue(())
    }
}
