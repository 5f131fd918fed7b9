//! What earlier intervals say about memory that the present one has not touched yet.
//!
//! Every interval is replayed from nothing, so that any of them can be looked at first. What it does
//! not know itself is asked of the intervals before it, the latest first, only as far back as needed,
//! and never across a hole: what happened there may have changed anything.

use super::stretch::Stretch;
use lookback_log_format::RecorderConfig;
use lookback_replay::image::PAGE_WORDS;
use lookback_replay::recording::HartLog;
use lookback_replay::{Image, Machine, Silent};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A page of memory as far as it is known.
#[derive(Debug, Clone)]
struct Page {
    words: Box<[u32]>,
    /// For each word the mask of its known bytes.
    known: Box<[u8]>,
}

impl Page {
    const BYTES: usize = PAGE_WORDS * 5;

    fn unknown() -> Self {
        Self {
            words: vec![0; PAGE_WORDS].into(),
            known: vec![0; PAGE_WORDS].into(),
        }
    }

    fn byte(&self, addr: u32) -> Option<u8> {
        let (word, lane) = ((addr >> 2) as usize % PAGE_WORDS, addr % 4);
        (self.known[word] >> lane & 1 != 0).then(|| (self.words[word] >> (8 * lane)) as u8)
    }

    /// Takes over what an earlier page knows and this one does not.
    fn learn(&mut self, earlier: &Page) {
        for (at, &known) in earlier.known.iter().enumerate() {
            let new = known & !self.known[at];
            if new != 0 {
                let bits = lookback_log_format::retire::lanes(new);
                self.words[at] |= earlier.words[at] & bits;
                self.known[at] |= new;
            }
        }
    }
}

/// What one interval leaves behind.
#[derive(Debug)]
struct Trace {
    pages: HashMap<u32, Page>,
    /// Registers that it wrote, a bit each.
    written: u32,
    /// Registers at its end, and which of them are known, a bit each.
    registers: ([u32; 32], u32),
    /// It replayed to its end.
    whole: bool,
}

/// What is kept of an interval even when its pages had to be dropped.
#[derive(Debug)]
struct Outline {
    pages: HashSet<u32>,
    written: u32,
    registers: ([u32; 32], u32),
    whole: bool,
}

/// What is known at the start of a stretch of one page.
#[derive(Debug)]
struct Base {
    page: Page,
    /// The stretches from here on have been asked.
    asked_from: usize,
    /// A damaged stretch comes before: whatever is older may have changed in it.
    barred: bool,
}

/// The first stretch of a stretch's key group: what those between them have seen, the later one's
/// replay has seen, too.
fn group_of(row: &[Stretch<'_>], stretch: usize) -> usize {
    let goes_on = |at: &usize| !row[*at].interval.header.is_key() && row[*at].hole.is_none();
    let mut at = stretch;
    while at > 0 && goes_on(&at) {
        at -= 1;
    }
    at
}

/// The memory of earlier intervals.
#[derive(Debug)]
pub struct Older<'a> {
    scratch: Machine<'a, true>,
    hart: u8,
    outlines: HashMap<usize, Outline>,
    traces: HashMap<usize, Trace>,
    trace_bytes: usize,
    budget: usize,
    /// Pages as they were at the start of the stretch `base_of`.
    bases: HashMap<u32, Base>,
    base_of: usize,
    /// Instructions replayed for this.
    pub replayed: u64,
}

impl<'a> Older<'a> {
    /// Nothing known yet; pages will take about `budget` bytes at most.
    pub fn new(
        config: &RecorderConfig,
        image: &Arc<Image>,
        log: &'a HartLog,
        budget: usize,
    ) -> Self {
        Self {
            scratch: Machine::new(config, Arc::clone(image)).with_records(&log.records),
            hart: log.hart,
            outlines: HashMap::new(),
            traces: HashMap::new(),
            trace_bytes: 0,
            budget,
            bases: HashMap::new(),
            base_of: 0,
            replayed: 0,
        }
    }

    /// How many intervals have been asked so far.
    pub fn intervals(&self) -> usize {
        self.outlines.len()
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.trace_bytes + self.bases.len() * Page::BYTES
    }

    /// The byte at an address at the start of a stretch, if an earlier one knows it.
    pub fn byte(&mut self, row: &[Stretch<'a>], stretch: usize, addr: u32) -> Option<u8> {
        if self.base_of != stretch || self.bases.len() * Page::BYTES > self.budget {
            self.bases.clear();
            self.base_of = stretch;
        }
        let number = addr >> 12;
        let mut base = self.bases.remove(&number).unwrap_or_else(|| Base {
            page: Page::unknown(),
            asked_from: group_of(row, stretch),
            barred: false,
        });
        while base.page.byte(addr).is_none() && !base.barred {
            let joined = row[base.asked_from].hole.is_none();
            let Some(earlier) = base.asked_from.checked_sub(1).filter(|_| joined) else {
                break;
            };
            base.asked_from = group_of(row, earlier);
            let outline = self.outline(row, earlier);
            base.barred = !outline.whole;
            if outline.whole && outline.pages.contains(&number) {
                if let Some(page) = self.trace(row, earlier).pages.get(&number) {
                    base.page.learn(page);
                }
            }
        }
        let byte = base.page.byte(addr);
        self.bases.insert(number, base);
        byte
    }

    /// Pages that earlier stretches know something of, with repetitions.
    pub fn pages(&mut self, row: &[Stretch<'a>], stretch: usize) -> Vec<u32> {
        let mut pages = Vec::new();
        let mut at = group_of(row, stretch);
        while row[at].hole.is_none() && at > 0 {
            let outline = self.outline(row, at - 1);
            if !outline.whole {
                break;
            }
            pages.extend(&outline.pages);
            at = group_of(row, at - 1);
        }
        pages
    }

    /// Whether an earlier stretch wrote a register. Only asked when the recording has no holes
    /// before `stretch`.
    pub fn wrote(&mut self, row: &[Stretch<'a>], stretch: usize, register: u8) -> bool {
        let mut earlier = (0..stretch).rev();
        earlier.any(|at| self.outline(row, at).written >> register & 1 != 0)
    }

    /// What a register was at the start of `stretch`, as far as the stretches before it tell: the
    /// latest first, and never across a hole or a damaged one.
    pub fn register(&mut self, row: &[Stretch<'a>], stretch: usize, register: u8) -> Option<u32> {
        for at in (0..stretch).rev() {
            if row[at + 1].hole.is_some() {
                break;
            }
            let outline = self.outline(row, at);
            let (values, told) = outline.registers;
            if !outline.whole {
                break;
            }
            if told >> register & 1 == 1 {
                return Some(values[usize::from(register % 32)]);
            }
        }
        None
    }

    fn outline(&mut self, row: &[Stretch<'a>], stretch: usize) -> &Outline {
        if !self.outlines.contains_key(&stretch) {
            // Those before it in its key group are replayed on the way: they need not be once more.
            for at in group_of(row, stretch)..=stretch {
                let trace = self.trace(row, at);
                let outline = Outline {
                    pages: trace.pages.keys().copied().collect(),
                    written: trace.written,
                    registers: trace.registers,
                    whole: trace.whole,
                };
                self.outlines.insert(at, outline);
            }
        }
        &self.outlines[&stretch]
    }

    fn trace(&mut self, row: &[Stretch<'a>], stretch: usize) -> &Trace {
        if !self.traces.contains_key(&stretch) {
            let trace = self.replay(&row[stretch]);
            let bytes = trace.pages.len() * Page::BYTES;
            if self.trace_bytes + bytes > self.budget {
                self.traces.clear();
                self.trace_bytes = 0;
            }
            self.trace_bytes += bytes;
            self.traces.insert(stretch, trace);
        }
        &self.traces[&stretch]
    }

    /// Replays a stretch as far as it goes: of a damaged one only that is lost which it would have
    /// told.
    fn replay(&mut self, stretch: &Stretch<'a>) -> Trace {
        let machine = &mut self.scratch;
        let mut whole = false;
        if machine.begin(self.hart, stretch.interval).is_ok() {
            // A divergence is told where the interval itself is looked at.
            whole = machine.run_until(stretch.length, &mut Silent).is_ok();
            self.replayed += u64::from(machine.position());
        }
        let page = |(addr, words, known): (u32, &[u32], &[u8])| {
            let page = Page {
                words: words.into(),
                known: known.into(),
            };
            (addr >> 12, page)
        };
        Trace {
            pages: machine.memory().seen_pages().map(page).collect(),
            written: machine.written(),
            registers: (*machine.registers(), machine.told()),
            whole,
        }
    }
}
