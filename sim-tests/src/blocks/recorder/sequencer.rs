//! The sequencer: which events an entry of the queue becomes, in which order, and what it asks the
//! first-load tags.

use crate::blocks::{seldom, word, Check, Records};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Entries through the sequencer, with tags that answer as scripted.
pub struct Entries;

/// An entry of the input queue, and what it meets.
#[derive(Clone, Debug)]
pub struct Entry {
    flags: u32,
    position: u32,
    pc: u32,
    insn: u32,
    value: u32,
    addr: u32,
    masks: u32,
    snoop_addr: u32,
    digest: u32,
    /// what the tags say of the instruction word and of the data
    knows: (bool, bool),
    /// cycles of this entry in which the tags are busy with its set, bit by bit
    conflicts: u16,
    /// cycles before the entry is there
    pause: u8,
    /// cycles of this entry in which the event FIFO is full, bit by bit, and free ever after
    full: u16,
    /// it is all forgotten after so many cycles
    cleared: Option<u8>,
}

const OPEN: u32 = 1;
const GAP: u32 = 1 << 1;
const LAST: u32 = 1 << 2;
const REDIRECT: u32 = 1 << 3;
const FETCH: u32 = 1 << 4;
const FETCH_CERTAIN: u32 = 1 << 5;
const TRAP: u32 = 1 << 6;
const OPERATION: u32 = 1 << 7;
const CERTAIN: u32 = 1 << 8;
const DATA: u32 = 1 << 9;
const SNOOP: u32 = 1 << 10;

/// Only what a retirement can be: a trapped one has no operation, one outside memory is certain.
fn legal(mut flags: u32) -> u32 {
    if flags & TRAP != 0 {
        flags &= !(OPERATION | DATA);
    }
    if flags & OPERATION != 0 && flags & DATA == 0 {
        flags |= CERTAIN;
    }
    if flags & (OPEN | GAP | LAST | REDIRECT | FETCH | TRAP | OPERATION | DATA) == 0 {
        flags |= SNOOP;
    }
    flags
}

impl Entry {
    /// Words of the lookups, in order: address, need, touch, remove; and what is answered.
    fn lookups(&self) -> Vec<([u32; 5], bool)> {
        let mut asked = Vec::new();
        let (read, written, other) = (self.masks & 15, self.masks >> 4 & 15, self.masks >> 8);
        if self.flags & FETCH != 0 && self.flags & FETCH_CERTAIN == 0 {
            asked.push(([self.pc >> 2, 15, 15, 0, 1], self.knows.0));
        }
        if self.flags & DATA != 0 {
            asked.push(([self.addr, read, read | written, 0, 0], self.knows.1));
        }
        if self.flags & SNOOP != 0 {
            asked.push(([self.snoop_addr, 0, other, 1, 0], false));
        }
        asked
    }
}

impl Check for Entries {
    type Step = Entry;

    fn runs() -> BoxedStrategy<Vec<Entry>> {
        let some = |flag: u32, per_mille: u32| {
            seldom(per_mille).prop_map(move |is| if is { flag } else { 0 })
        };
        let flags = (
            (
                some(OPEN, 150),
                some(GAP, 100),
                some(LAST, 150),
                some(REDIRECT, 250),
            ),
            (some(FETCH, 300), some(FETCH_CERTAIN, 300), some(TRAP, 200)),
            (
                some(OPERATION, 500),
                some(CERTAIN, 300),
                some(DATA, 500),
                some(SNOOP, 250),
            ),
        );
        let flags = flags.prop_map(|((a, b, c, d), (e, f, g), (h, i, j, k))| {
            legal(a | b | c | d | e | f | g | h | i | j | k)
        });
        let what = (flags, 0..1u32 << 24, word(), word(), word());
        let data = (0..1u32 << 30, 0..1u32 << 12, 0..1u32 << 30, word());
        let pause = prop_oneof![3 => Just(0u8), 1 => 0..5u8];
        let full = prop_oneof![2 => Just(0u16), 1 => any::<u16>(), 1 => Just(0xff)];
        let cleared = (seldom(10), 0..6u8).prop_map(|(is, after)| is.then_some(after));
        let conflicts = prop_oneof![2 => Just(0u16), 1 => any::<u16>()];
        let knows = (any::<bool>(), any::<bool>());
        let met = (knows, conflicts, pause, full, cleared);
        let entry = (what, data, met).prop_map(|(what, data, met)| {
            let (flags, position, pc, insn, value) = what;
            let (addr, masks, snoop_addr, digest) = data;
            let (knows, conflicts, pause, full, cleared) = met;
            Entry {
                flags,
                position,
                pc,
                insn,
                value,
                addr,
                masks,
                snoop_addr,
                digest,
                knows,
                conflicts,
                pause,
                full,
                cleared,
            }
        });
        vec(entry, 1..60).boxed()
    }

    fn drive(run: &[Entry], dut: &mut dyn Dut, out: &mut Records) {
        for entry in run {
            dut.set("valid", 0);
            // What stands there before the entry is nothing.
            dut.set("flags", 0x7ff);
            (0..entry.pause).for_each(|_| dut.cycle());
            present(dut, entry);
            process(dut, entry, out);
        }
    }

    fn expect(run: &[Entry], out: &mut Records) {
        for entry in run {
            if entry.cleared.is_some() {
                out.say("cleared", true);
                continue;
            }
            let flags = entry.flags;
            let mut event = |kind: u32, value: Option<u32>| {
                out.say("event", kind);
                out.say("position", entry.position);
                value.into_iter().for_each(|value| out.say("value", value));
            };
            if flags & (OPEN | GAP) != 0 {
                event(8 | flags & 3, Some(entry.pc));
            }
            if flags & REDIRECT != 0 {
                event(0, Some(entry.pc));
            }
            if flags & FETCH != 0 && (flags & FETCH_CERTAIN != 0 || !entry.knows.0) {
                event(2, Some(entry.insn));
            }
            if flags & TRAP != 0 {
                event(1, None);
            } else if flags & OPERATION != 0 {
                let logged = flags & CERTAIN != 0 || !entry.knows.1;
                event(if logged { 5 } else { 4 }, Some(entry.value));
            }
            if flags & LAST != 0 {
                event(3, Some(entry.digest));
                out.say("advance", true);
            }
            for (asked, _) in entry.lookups() {
                asked.iter().for_each(|word| out.say("lookup", *word));
            }
            out.say("done", true);
        }
    }
}

fn present(dut: &mut dyn Dut, entry: &Entry) {
    for (port, value) in [
        ("valid", 1),
        ("flags", entry.flags),
        ("position", entry.position),
        ("pc", entry.pc),
        ("insn", entry.insn),
        ("value", entry.value),
        ("addr", entry.addr),
        ("masks", entry.masks),
        ("snoop_addr", entry.snoop_addr),
        ("digest", entry.digest),
    ] {
        dut.set(port, value);
    }
}

/// Runs until the entry is popped. Events come first in the records, then lookups.
fn process(dut: &mut dyn Dut, entry: &Entry, out: &mut Records) {
    let lookups = entry.lookups();
    let mut asked: Vec<[u32; 5]> = Vec::new();
    let mut before = [u32::MAX; 5];
    let mut seen = Records::default();
    for cycle in 0..40u8 {
        if entry.cleared == Some(cycle) {
            dut.set("clear", 1);
            dut.cycle();
            dut.set("clear", 0);
            out.say("cleared", true);
            return;
        }
        let full = u32::from(entry.full) >> cycle.min(16) & 1;
        dut.set("full", full);
        let answer = lookups.get(asked.len()).is_some_and(|(_, known)| *known);
        let conflict = u32::from(entry.conflicts) >> cycle.min(16) & 1;
        dut.set("tag_conflict", conflict);
        let now = [
            "tag_address",
            "tag_need",
            "tag_touch",
            "tag_remove",
            "tag_fetch",
        ]
        .map(|p| dut.get(p));
        if dut.get("tag_commit") == 1 {
            if now != before {
                seen.say("address not kept", true);
            }
            asked.push(now);
        }
        // What meets a conflict was not read.
        before = if conflict == 1 { [u32::MAX; 5] } else { now };
        if dut.get("push") == 1 {
            if full == 1 {
                seen.say("pushed while full", true);
            }
            // What asks is decided by the answer to the lookup of this cycle.
            let asks = dut.get("event_asks") == 1;
            if asks && dut.get("tag_commit") == 0 {
                seen.say("asks without a lookup", true);
            }
            let kind = match dut.get("event_kind") {
                2 if asks && answer => None,
                4 if asks && !answer => Some(5),
                kind => Some(kind),
            };
            if let Some(kind) = kind {
                seen.say("event", kind);
                seen.say("position", dut.get("event_position"));
                if kind != 1 {
                    seen.say("value", dut.get("event_value"));
                }
            }
        }
        if dut.get("tag_advance") == 1 {
            seen.say("advance", true);
        }
        let done = dut.get("pop") == 1;
        dut.cycle();
        if done {
            if entry.cleared.is_some() {
                out.say("cleared", true);
                return;
            }
            for asked in &asked {
                asked.iter().for_each(|word| seen.say("lookup", *word));
            }
            seen.say("done", true);
            break;
        }
    }
    out.said.append(&mut seen.said);
}
