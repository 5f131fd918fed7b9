//! The encoder: events to the bytes of intervals and gaps, beside a dictionary, registers and a packer
//! that the driver plays.

use crate::blocks::{seldom, word, Check, Records};
use lookback_hdl::recorder::config::{CLOCK_HZ, TINY};
use lookback_log_format::entry::Escape;
use lookback_log_format::interval::{EndReason, Gap, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::RecorderConfig;
use lookback_model::dictionary::Dictionary;
use lookback_model::encoder::Encoder;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Events through the encoder.
pub struct Events;

/// Something that is logged, after operations that are not.
#[derive(Clone, Debug)]
pub struct Entry {
    skipped: u16,
    ahead: u32,
    what: What,
}

/// What is logged.
#[derive(Clone, Debug)]
pub enum What {
    /// An operation's value.
    Operation(u32),
    /// An instruction elsewhere.
    Redirect(u32),
    /// A trap.
    Trap,
    /// An instruction word.
    Fetch(u32),
}

/// A record, or a gap and the interval after it.
#[derive(Clone, Debug)]
pub struct Stretch {
    pub(super) gap: Option<u64>,
    pub(super) open: bool,
    pub(super) mode: u8,
    pub(super) cycle: u64,
    pub(super) pc: u32,
    /// what its pauses and registers are made from
    pub(super) seed: u64,
    /// how often the packer is ready and events are there, in a thousand
    pub(super) ready: u32,
    pub(super) entries: Vec<Entry>,
    pub(super) digest: u32,
    pub(super) reason: u8,
    /// of the whole run; the first one counts
    pub(super) count_bits: u8,
}

pub(super) fn config(run: &[Stretch]) -> RecorderConfig {
    RecorderConfig {
        count_bits: run.first().map_or(5, |first| first.count_bits),
        ..TINY.config(CLOCK_HZ)
    }
}

pub(super) fn registers(seed: u64) -> [u32; 32] {
    let mut random = Random::new(seed);
    let mut registers = [0; 32];
    registers[1..].fill_with(|| random.word());
    registers
}

/// Few values, so that the dictionary has them.
fn value(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.word(),
        _ => random.below(12) * 0x1111,
    }
}

/// An event of the FIFO: kind, position, value.
pub(super) type Event = (u32, u32, u32);

impl Stretch {
    /// Its events, with positions that fit `count_bits`.
    pub(super) fn events(&self, count_bits: u8) -> Vec<Event> {
        let boundary = 8 | u32::from(self.open) | u32::from(self.gap.is_some()) << 1;
        let mut events = vec![(boundary, 0, self.pc)];
        if !self.open {
            return events;
        }
        let mut random = Random::new(self.seed ^ 5);
        let limit = (1 << count_bits) - 2;
        let (mut position, mut last) = (0u32, 0);
        for entry in &self.entries {
            for _ in 0..entry.skipped {
                if position < limit {
                    events.push((4, position, value(&mut random)));
                    last = position;
                    position += 1;
                }
            }
            let at = position.saturating_add(entry.ahead);
            if at >= limit {
                continue;
            }
            position = at;
            last = at;
            let (kind, value) = match entry.what {
                What::Operation(value) => (5, value),
                What::Redirect(pc) => (0, pc),
                // Its value is nothing's.
                What::Trap => (1, random.word()),
                What::Fetch(insn) => (2, insn),
            };
            events.push((kind, position, value));
            position += u32::from(kind == 5);
        }
        events.push((3, last, self.digest));
        events
    }
}

fn entry() -> BoxedStrategy<Entry> {
    let skipped = prop_oneof![
        6 => Just(0u16),
        3 => 0..4u16,
        2 => 30..34u16,
        1 => 0..120u16,
    ];
    let ahead = prop_oneof![6 => 0..3u32, 1 => 0..100u32, 1 => 0..1u32 << 21];
    let what = prop_oneof![
        4 => (0..12u32).prop_map(|n| What::Operation(n * 0x1111)),
        2 => word().prop_map(What::Operation),
        1 => word().prop_map(What::Redirect),
        1 => Just(What::Trap),
        1 => word().prop_map(What::Fetch),
    ];
    (skipped, ahead, what)
        .prop_map(|(skipped, ahead, what)| Entry {
            skipped,
            ahead,
            what,
        })
        .boxed()
}

impl Check for Events {
    type Step = Stretch;

    fn runs() -> BoxedStrategy<Vec<Stretch>> {
        let lost = prop_oneof![Just(0u64), 0..300u64, any::<u64>().prop_map(|n| n >> 24)];
        let gap = (seldom(250), lost).prop_map(|(is, lost)| is.then_some(lost));
        let cycle = prop_oneof![any::<u64>(), any::<u32>().prop_map(u64::from)];
        let head = (gap, seldom(900), 0..4u8, cycle, word(), any::<u64>());
        let ready = prop_oneof![Just(1000u32), Just(700), Just(250)];
        let end = (ready, word(), 1..6u8, 5..25u8);
        (vec((head, vec(entry(), 0..14), end), 1..6))
            .prop_map(|stretches| {
                let stretches = stretches.into_iter();
                let stretch = |(head, entries, end)| {
                    let (gap, open, mode, cycle, pc, seed): (Option<u64>, _, _, _, _, _) = head;
                    let (ready, digest, reason, count_bits) = end;
                    Stretch {
                        gap,
                        open: open || gap.is_none(),
                        mode,
                        cycle,
                        pc,
                        seed,
                        ready,
                        entries,
                        digest,
                        reason,
                        count_bits,
                    }
                };
                stretches.map(stretch).collect()
            })
            .boxed()
    }

    fn drive(run: &[Stretch], dut: &mut dyn Dut, out: &mut Records) {
        let config = config(run);
        dut.set("count_bits", config.count_bits.into());
        dut.set("clear", 1);
        for cycle in 0..16 {
            dut.set("clear_half", cycle / 8);
            dut.cycle();
        }
        dut.set("clear", 0);
        let mut bench = Bench::new(dut, &config);
        for stretch in run {
            bench.play(stretch, config.count_bits);
        }
        bench.finish();
        out.said.append(&mut bench.out.said);
    }

    fn expect(run: &[Stretch], out: &mut Records) {
        let config = config(run);
        let mut encoder = Encoder::new(&config);
        let (mut index, mut retired) = (0, 0u64);
        for stretch in run {
            if let Some(lost) = stretch.gap {
                let gap = Gap {
                    index,
                    retired,
                    cycle: stretch.cycle,
                    lost: lost as u32,
                };
                bytes_of(&Record::Gap(gap), out);
                index += 1;
                retired = retired.wrapping_add(lost);
            }
            if !stretch.open {
                continue;
            }
            let mut instructions = 0;
            for (kind, position, value) in stretch.events(config.count_bits) {
                match kind {
                    0 => encoder.escape(position, Escape::Redirect(value)),
                    1 => encoder.escape(position, Escape::Trap),
                    2 => encoder.escape(position, Escape::Fetch(value)),
                    3 => instructions = position + 1,
                    4 => encoder.operation(value, false),
                    5 => encoder.operation(value, true),
                    _ => {}
                }
            }
            let header = Header {
                layout: Layout::Full,
                mode: stretch.mode,
                index,
                retired,
                cycle: stretch.cycle,
                pc: stretch.pc,
                registers: registers(stretch.seed),
            };
            let trailer = Trailer {
                instructions,
                digest: stretch.digest,
                reason: EndReason::from_code(stretch.reason).expect("1 to 5 are reasons"),
            };
            let entries = encoder.finish();
            let interval = Interval {
                header,
                entries,
                trailer,
            };
            bytes_of(&Record::Interval(interval), out);
            index += 1;
            retired = retired.wrapping_add(instructions.into());
        }
    }
}

fn bytes_of(record: &Record, out: &mut Records) {
    record
        .to_bytes()
        .iter()
        .for_each(|byte| out.say("byte", *byte));
    out.say("end of record", true);
}

/// What stands around the encoder.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    random: Random,
    ready: u32,
    dictionary: Dictionary,
    /// cycles in which the dictionary is being emptied
    emptying: u32,
    /// cycles until it answers
    wait: Option<u32>,
    registers: [u32; 32],
    asked: usize,
    bits: Vec<bool>,
    out: Records,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut, config: &RecorderConfig) -> Self {
        Self {
            dut,
            random: Random::new(0),
            ready: 1000,
            dictionary: Dictionary::new(config.dict_bits),
            emptying: 0,
            wait: None,
            registers: [0; 32],
            asked: 0,
            bits: Vec::new(),
            out: Records::default(),
        }
    }

    fn play(&mut self, stretch: &Stretch, count_bits: u8) {
        self.random = Random::new(stretch.seed ^ 9);
        self.ready = stretch.ready;
        for event in stretch.events(count_bits) {
            while !self.random.chance(self.ready) {
                self.dut.set("event_valid", 0);
                self.cycle(None);
            }
            if event.0 & 8 != 0 {
                // These change only when what was before is written.
                self.finish();
                self.header(stretch);
            }
            if event.0 == 3 {
                self.dut.set("reason", stretch.reason.into());
            }
            self.dut.set("event_valid", 1);
            self.dut.set("event_kind", event.0);
            self.dut.set("event_position", event.1);
            self.dut.set("event_value", event.2);
            let taken = (0..4000).any(|_| self.cycle(Some(event.2)));
            if !taken {
                self.out.say("not taken", event.0);
            }
        }
        self.dut.set("event_valid", 0);
    }

    fn header(&mut self, stretch: &Stretch) {
        let lost = stretch.gap.unwrap_or(0);
        self.dut.set("mode", stretch.mode.into());
        self.dut.set("cycles_lo", stretch.cycle as u32);
        self.dut.set("cycles_hi", (stretch.cycle >> 32) as u32);
        self.dut.set("lost_lo", lost as u32);
        self.dut.set("lost_hi", (lost >> 32) as u32);
        self.registers = registers(stretch.seed);
    }

    fn finish(&mut self) {
        let idle = (0..4000).any(|_| {
            self.cycle(None);
            self.dut.get("idle") == 1
        });
        if !idle {
            self.out.say("never idle", true);
        }
    }

    /// One cycle; whether the event was taken in it.
    fn cycle(&mut self, value: Option<u32>) -> bool {
        let ready = self.random.chance(self.ready);
        self.dut.set("ready", ready.into());
        self.dut.set("register_data", self.registers[self.asked]);
        self.answer(value);
        if self.dut.get("load") == 1 {
            if !ready {
                self.out.say("loads an unready packer", true);
            }
            self.take_chunk();
        }
        let taken = self.dut.get("event_pop") == 1 && value.is_some();
        self.asked = self.dut.get("register") as usize;
        let header_done = self.dut.get("header_done") == 1;
        let empties = self.dut.get("dict_empty") == 1;
        self.dut.cycle();
        self.emptying = self.emptying.saturating_sub(1);
        if empties {
            self.dictionary.clear();
            self.emptying = 1 << TINY.dict_bits;
        }
        if header_done {
            // Once the header is written nobody looks after its numbers.
            self.registers = [0xdead_beef; 32];
            for port in ["mode", "cycles_lo", "cycles_hi", "lost_lo", "lost_hi"] {
                let noise = self.random.word();
                self.dut.set(port, noise);
            }
        }
        taken
    }

    fn answer(&mut self, value: Option<u32>) {
        self.dut.set("dict_done", 0);
        let noise = self.random.word();
        self.dut.set("dict_hit", noise & 1);
        self.dut.set("dict_index", noise >> 1);
        let looks = self.dut.get("dict_look") == 1;
        let (true, Some(value)) = (looks && self.emptying == 0, value) else {
            return;
        };
        let wait = self.wait.take().unwrap_or_else(|| self.random.below(5));
        if wait > 0 {
            self.wait = Some(wait - 1);
            return;
        }
        let index = self.dictionary.update(value);
        self.dut.set("dict_done", 1);
        self.dut.set("dict_hit", index.is_some().into());
        if let Some(index) = index {
            self.dut.set("dict_index", index as u32);
        }
    }

    fn take_chunk(&mut self) {
        let (bits, size) = (self.dut.get("bits"), self.dut.get("size"));
        if self.dut.get("align") == 1 {
            let whole = self.bits.len().next_multiple_of(8);
            self.bits.resize(whole, false);
        } else {
            self.bits.extend((0..=size).map(|bit| bits >> bit & 1 == 1));
        }
        while self.bits.len() >= 8 {
            let byte = self.bits.drain(..8).rev();
            let byte = byte.fold(0u32, |byte, bit| byte << 1 | u32::from(bit));
            self.out.say("byte", byte);
        }
        if self.dut.get("last") == 1 {
            if !self.bits.is_empty() {
                self.out.say("ends within a byte", true);
            }
            self.out.say("end of record", true);
        }
    }
}
