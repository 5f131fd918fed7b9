//! The sequencer of codec `compact`: queue entries in, tag accesses and events out, in the order of
//! section 10.2.

use crate::blocks::{seldom, word, Check, Records};
use lookback_log_format::retire::lanes;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// log2 of the last values.
const LAST_BITS: u32 = 6;

/// Entries through the sequencer.
pub struct Entries;

/// An entry of the queue, and how it is played.
#[derive(Clone, Debug)]
pub struct Entry {
    flags: u32,
    pc: u32,
    insn: u32,
    value: u32,
    left: u32,
    right: u32,
    from: u32,
    addr: u32,
    masks: u32,
    snoop_addr: u32,
    digest: u32,
    /// instructions since the entry before
    passed: u32,
    /// what the tags answer: known, escape
    code: (bool, bool),
    data: (bool, bool),
    seed: u64,
    /// how often the FIFO is full, in a thousand
    full: u32,
}

const OPEN: u32 = 0;
const GAP: u32 = 1;
const LAST: u32 = 2;
const KEY: u32 = 3;
const REDIRECT: u32 = 4;
const AFTER_TRAP: u32 = 5;
const AFTER_RETURN: u32 = 6;
const CODE: u32 = 7;
const CODE_IN_IMAGE: u32 = 8;
const CODE_IN_MEMORY: u32 = 9;
const TRAP: u32 = 10;
const LEFT: u32 = 11;
const RIGHT: u32 = 12;
const ACCESS: u32 = 13;
const DEVICE: u32 = 14;
const DATA_IN_IMAGE: u32 = 15;
const RESULT: u32 = 16;
const SNOOP: u32 = 17;
const WFI: u32 = 18;
const LEFT_BLANK: u32 = 19;
const RIGHT_BLANK: u32 = 20;

impl Entry {
    fn has(&self, flag: u32) -> bool {
        self.flags >> flag & 1 == 1
    }

    /// What a source holds.
    fn source(&self, blank: u32, read: u32) -> u32 {
        match self.has(blank) {
            true => 0,
            false => read,
        }
    }

    fn rmask(&self) -> u32 {
        self.masks & 15
    }

    /// The word read, in its lanes: the value begins at the lowest of them.
    fn read_word(&self) -> u32 {
        let lowest = self.rmask().trailing_zeros().min(3);
        (self.value << (8 * lowest)) & lanes(self.rmask() as u8)
    }

    /// Class and size less one of what is read.
    fn read(&self) -> (u32, u32) {
        let (class, size) = match self.rmask().count_ones() {
            1 => (1, 0),
            2 => (2, 1),
            _ => (3, 3),
        };
        (if self.has(DEVICE) { 4 } else { class }, size)
    }

    /// Flags as the port makes them: one kind of next address, one kind of access, masks that fit it.
    fn legal(mut self) -> Self {
        let only_one = [REDIRECT, AFTER_TRAP, AFTER_RETURN];
        let chosen = only_one.into_iter().find(|flag| self.has(*flag));
        for flag in only_one.into_iter().filter(|flag| Some(*flag) != chosen) {
            self.flags &= !(1 << flag);
        }
        if self.has(ACCESS) {
            self.flags &= !(1 << DEVICE);
            if self.masks == 0 {
                self.masks = 15;
            }
        } else if self.has(DEVICE) && self.rmask() == 0 {
            self.masks |= 1;
        }
        if self.rmask() == 0 {
            self.data = (true, false);
        }
        // An escape is always followed by what the reader was wrong about.
        self.code.0 &= !self.code.1;
        self.data.0 &= !self.data.1;
        let no_steps = 1 << KEY
            | 1 << CODE_IN_IMAGE
            | 1 << CODE_IN_MEMORY
            | 1 << DATA_IN_IMAGE
            | 1 << LEFT_BLANK
            | 1 << RIGHT_BLANK;
        if self.flags & !no_steps == 0 {
            self.flags |= 1 << RESULT;
        }
        self
    }
}

/// The twin: the position of the last item.
#[derive(Default)]
struct Twin {
    position: u32,
    last_item: u32,
}

impl Twin {
    fn event(&mut self, out: &mut Records, kind: u32, extra: Option<u32>, value: Option<u32>) {
        out.say("kind", kind);
        if let Some(extra) = extra {
            out.say("extra", extra);
        }
        if let Some(value) = value {
            out.say("value", value);
        }
    }

    fn escape(&mut self, out: &mut Records, kind: u32, value: Option<u32>) {
        let distance = self.position.wrapping_sub(self.last_item) & 0xff_ffff;
        self.last_item = self.position;
        self.event(out, kind, Some(distance), value);
    }

    fn need(
        &mut self,
        out: &mut Records,
        kind: u32,
        (class, size): (u32, u32),
        slot: Slot,
        value: u32,
    ) {
        self.last_item = self.position;
        let (by_resume, slot) = match slot {
            Slot::Resume => (1, None),
            Slot::At(slot) => (0, Some(slot % (1 << LAST_BITS))),
        };
        // With `resume` the slot is nothing.
        out.say("kind", kind);
        out.say("class, size and resume", class | size << 3 | by_resume << 5);
        if let Some(slot) = slot {
            out.say("slot", slot);
        }
        out.say("value", value);
    }

    fn play(&mut self, entry: &Entry, out: &mut Records) {
        self.position = self.position.wrapping_add(entry.passed) & 0xff_ffff;
        let here = Slot::At(entry.pc / 4);
        if entry.has(OPEN) || entry.has(GAP) {
            if entry.has(KEY) {
                out.say("advance", true);
            }
            self.last_item = 0;
            self.event(
                out,
                8 | entry.flags & 3 | u32::from(entry.has(KEY)) << 2,
                None,
                Some(entry.pc),
            );
        }
        if entry.has(REDIRECT) {
            self.escape(out, 0, Some(entry.from));
            self.need(out, 7, (7, 3), Slot::At(1), entry.pc);
        } else if entry.has(AFTER_TRAP) {
            self.need(out, 6, (7, 3), Slot::At(entry.from / 4), entry.pc);
        } else if entry.has(AFTER_RETURN) {
            self.need(out, 6, (7, 3), Slot::Resume, entry.pc);
        }
        if entry.has(CODE) {
            let (known, escape) = match entry.has(CODE_IN_MEMORY) {
                true => entry.code,
                false => (false, entry.has(CODE_IN_IMAGE)),
            };
            if escape {
                self.escape(out, 2, None);
            }
            if entry.has(CODE_IN_MEMORY) {
                say_access(out, entry.pc / 4, 15, entry.has(CODE_IN_IMAGE), entry.insn);
            }
            if !known {
                self.need(out, 6, (6, 3), here, entry.insn);
            }
        }
        if entry.has(TRAP) {
            self.escape(out, 1, Some(entry.pc));
        }
        if entry.has(LEFT) {
            self.need(
                out,
                6,
                (0, 3),
                Slot::At(0),
                entry.source(LEFT_BLANK, entry.left),
            );
        }
        if entry.has(RIGHT) {
            self.need(
                out,
                6,
                (0, 3),
                Slot::At(0),
                entry.source(RIGHT_BLANK, entry.right),
            );
        }
        if entry.has(ACCESS) || entry.has(DEVICE) {
            let (known, escape) = match entry.has(ACCESS) {
                true => entry.data,
                false => (false, entry.has(DATA_IN_IMAGE)),
            };
            if escape {
                self.escape(out, 3, None);
            }
            if entry.has(ACCESS) {
                say_access(
                    out,
                    entry.addr,
                    entry.masks,
                    entry.has(DATA_IN_IMAGE),
                    entry.read_word(),
                );
            }
            if !known {
                self.need(out, 6, entry.read(), here, entry.value);
            }
        }
        if entry.has(RESULT) {
            self.need(out, 6, (5, 3), here, entry.value);
        }
        if entry.has(WFI) {
            self.event(out, 5, None, Some(entry.pc));
        }
        if entry.has(LAST) {
            self.event(out, 4, Some(self.position), Some(entry.digest));
        }
        if entry.has(SNOOP) {
            out.say("snoop", entry.snoop_addr);
        }
        out.say("popped", true);
    }
}

/// What predicts a value.
#[derive(Clone, Copy)]
enum Slot {
    At(u32),
    Resume,
}

fn say_access(out: &mut Records, address: u32, masks: u32, in_image: bool, word: u32) {
    out.say("access", address);
    out.say("word", word & lanes(masks as u8 & 15));
    out.say("masks", masks | u32::from(in_image) << 8);
}

impl Check for Entries {
    type Step = Entry;

    fn runs() -> BoxedStrategy<Vec<Entry>> {
        let flags = vec(seldom(220), 21).prop_map(|bits| {
            let bits = bits.into_iter().enumerate();
            bits.map(|(place, bit)| u32::from(bit) << place)
                .sum::<u32>()
        });
        let address = || word().prop_map(|word| word & 0x3fff_ffff);
        let answer = || (any::<bool>(), seldom(300));
        let entry = (
            (flags, word(), word(), word(), word(), word(), word()),
            (address(), 0..256u32, address(), word()),
            (prop_oneof![0..4u32, Just(300u32)], answer(), answer()),
            (any::<u64>(), prop_oneof![3 => Just(0u32), 1 => Just(300)]),
        );
        let entry = entry.prop_map(|(words, data, rest, play)| {
            let (flags, pc, insn, value, left, right, from) = words;
            let (addr, masks, snoop_addr, digest) = data;
            let (passed, code, data) = rest;
            let (seed, full) = play;
            let entry = Entry {
                flags,
                pc,
                insn,
                value,
                left,
                right,
                from,
                addr,
                masks,
                snoop_addr,
                digest,
                passed,
                code,
                data,
                seed,
                full,
            };
            entry.legal()
        });
        vec(entry, 1..40).boxed()
    }

    fn drive(run: &[Entry], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("clear", 1);
        dut.cycle();
        dut.set("clear", 0);
        let mut position = 0u32;
        for entry in run {
            position = position.wrapping_add(entry.passed) & 0xff_ffff;
            play(entry, position, dut, out);
        }
    }

    fn expect(run: &[Entry], out: &mut Records) {
        let mut twin = Twin::default();
        run.iter().for_each(|entry| twin.play(entry, out));
    }
}

fn play(entry: &Entry, position: u32, dut: &mut dyn Dut, out: &mut Records) {
    let mut random = Random::new(entry.seed);
    dut.set("valid", 0);
    (0..random.below(3)).for_each(|_| dut.cycle());
    for (port, value) in [
        ("valid", 1),
        ("flags", entry.flags),
        ("position", position),
        ("pc", entry.pc),
        ("insn", entry.insn),
        ("value", entry.value),
        ("left", entry.left),
        ("right", entry.right),
        ("from", entry.from),
        ("addr", entry.addr),
        ("masks", entry.masks),
        ("snoop_addr", entry.snoop_addr),
        ("digest", entry.digest),
    ] {
        dut.set(port, value);
    }
    // Accesses of this entry that were committed: code comes before data.
    let mut code_done = !entry.has(CODE) || !entry.has(CODE_IN_MEMORY);
    let mut asked = None;
    for _ in 0..200 {
        dut.set("full", random.chance(entry.full).into());
        // The tags answer a cycle after they were asked, and nonsense before.
        let address = (
            dut.get("tag_address"),
            dut.get("tag_rmask"),
            dut.get("tag_snoop"),
        );
        let (known, escape) = match code_done {
            false => entry.code,
            true => entry.data,
        };
        let answers = asked == Some(address);
        dut.set(
            "tag_known",
            if answers {
                known.into()
            } else {
                random.below(2)
            },
        );
        dut.set(
            "tag_escape",
            if answers {
                escape.into()
            } else {
                random.below(2)
            },
        );
        asked = Some(address);
        observe(entry, dut, out);
        if dut.get("tag_commit") == 1 {
            code_done = true;
            asked = None;
        }
        let popped = dut.get("pop") == 1;
        dut.cycle();
        if popped {
            out.say("popped", true);
            dut.set("valid", 0);
            return;
        }
    }
    out.say("stuck", entry.flags);
}

/// What the sequencer does in this cycle.
fn observe(entry: &Entry, dut: &mut dyn Dut, out: &mut Records) {
    if dut.get("tag_advance") == 1 {
        out.say("advance", true);
    }
    if dut.get("tag_commit") == 1 {
        if dut.get("tag_snoop") == 1 {
            out.say("snoop", dut.get("tag_address"));
        } else {
            let masks = dut.get("tag_rmask") | dut.get("tag_wmask") << 4;
            let in_image = dut.get("tag_in_image") == 1;
            let (address, word) = (dut.get("tag_address"), dut.get("tag_word"));
            say_access(out, address, masks, in_image, word);
        }
    }
    if dut.get("push") == 0 {
        return;
    }
    let (kind, extra, value) = (
        dut.get("event_kind"),
        dut.get("event_extra"),
        dut.get("event_value"),
    );
    out.say("kind", kind);
    match kind {
        0 | 1 => out.say("extra", extra),
        2 | 3 => {
            out.say("extra", extra);
            return;
        }
        4 => out.say("extra", extra),
        6 | 7 => {
            out.say("class, size and resume", extra & 63);
            if extra >> 5 & 1 == 0 || !entry.has(AFTER_RETURN) {
                out.say("slot", extra >> 6);
            }
        }
        _ => {}
    }
    out.say("value", value);
}
