//! The whole drain, with its UART and without: a host on one side, a front that the driver plays on
//! the other. Without a UART there is a bus beside the host, and the core may break rules.

use super::registers::{kept, IDENTIFICATION, SETTINGS};
use super::ring::left;
use crate::blocks::host::Host;
use crate::blocks::{seldom, word, Check, Records};
use lookback_log_format::frame::kind;
use lookback_log_format::link::{self, Placed};
use lookback_log_format::CRC;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Recordings through the drain, or through its core without a UART.
pub struct Recordings<const CORE: bool>;

/// One recording.
#[derive(Clone, Debug)]
pub struct Recording {
    bit_clocks: u32,
    /// values for registers 0x11 to 0x15
    settings: [u32; 5],
    /// bits of CONTROL but the first
    control: u32,
    records: Vec<usize>,
    /// registers that are read while it goes on
    reads: Vec<u8>,
    reason: u8,
    /// what counters and bytes are made from
    seed: u64,
    /// the host stops it; otherwise it ends by itself
    stopped: bool,
    /// a reset comes after it
    reset: bool,
    /// what only a drain's core has
    core: Option<Core>,
}

impl Recording {
    /// A ring keeps everything until its recording ends. The front never ends this one: what the ring
    /// has must be gone when the next begins.
    fn is_forgotten(&self) -> bool {
        self.stopped && self.control & 0x24 == 4 && self.seed & 1 == 1
    }

    /// This recording, but its front never ends it.
    fn forgotten(&self) -> Self {
        Self {
            control: 4,
            records: vec![40, 7],
            seed: self.seed | 1,
            stopped: true,
            reset: false,
            ..self.clone()
        }
    }
}

/// What a drain's core is beside its UART.
#[derive(Clone, Debug)]
pub struct Core {
    /// settings are made by the bus
    pokes: bool,
    /// CLOCK, MEM_BASE and MEM_MASK, if they are straps
    straps: Option<[u32; 3]>,
    /// the core broke a rule: the six words of it
    breach: Option<[u32; 6]>,
}

/// The front's counters in the order of END.
const COUNTERS: [&str; 9] = [
    "run_code",
    "retired_lo",
    "retired_hi",
    "cycles_lo",
    "cycles_hi",
    "stalls_lo",
    "stalls_hi",
    "lost_lo",
    "lost_hi",
];

/// The words of a breach.
const BREACH: [&str; 6] = [
    "breach_rule",
    "breach_at",
    "breach_pc",
    "breach_insn",
    "breach_want",
    "breach_got",
];

impl<const CORE: bool> Check for Recordings<CORE> {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        let length = prop_oneof![4 => 1..30usize, 2 => 1..300usize, 1 => 238..243usize];
        let registers = prop_oneof![0x20..0x30u8, 0..8u8, 0x10..0x17u8, 0x40..=0xffu8];
        let first = (
            prop_oneof![4 => Just(1u32), 1 => Just(2), 1 => Just(3)],
            proptest::array::uniform5(word()),
            prop_oneof![
                4 => Just(0u32),
                1 => Just(2),
                2 => Just(4),
                1 => Just(14),
                4 => Just(0x20),
                2 => Just(0x24)
            ],
            vec(length, 0..6),
        );
        let second = (
            vec(registers, 0..5),
            1..6u8,
            any::<u64>(),
            any::<bool>(),
            seldom(200),
        );
        let straps = (any::<bool>(), proptest::array::uniform3(word()));
        let breach = (any::<bool>(), 1..16u32, proptest::array::uniform6(word()));
        let core = (any::<bool>(), straps, breach).prop_map(|(pokes, straps, breach)| {
            let (is_strapped, straps) = straps;
            let (is_breached, rule, mut words) = breach;
            words[0] = rule;
            Core {
                pokes,
                straps: is_strapped.then_some(straps),
                breach: is_breached.then_some(words),
            }
        });
        (vec((first, second, core), 1..3), seldom(500))
            .prop_map(|(recordings, is_first_forgotten)| {
                let recordings = recordings.into_iter();
                let recording = |(first, second, core)| {
                    let (bit_clocks, settings, control, records) = first;
                    let (reads, reason, seed, stopped, reset) = second;
                    Recording {
                        bit_clocks,
                        settings,
                        control,
                        records,
                        reads,
                        reason,
                        seed,
                        stopped,
                        reset,
                        core: CORE.then_some(core),
                    }
                };
                let mut recordings: Vec<Recording> = recordings.map(recording).collect();
                if is_first_forgotten {
                    recordings.insert(0, recordings[0].forgotten());
                }
                recordings
            })
            .boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        if !CORE {
            dut.set("log_rx", 1);
            dut.set("bit_clocks", 1);
        }
        reset(dut);
        let mut seq = 0;
        for recording in run {
            let mut bench = Bench {
                host: Host::new(if CORE { 0 } else { recording.bit_clocks }),
                dut,
                recording,
                kept: 0,
                ends: 1,
                board: [0; 256],
            };
            bench.play(out, &mut seq);
            if recording.reset {
                reset(dut);
                seq = 0;
            }
        }
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}

fn reset(dut: &mut dyn Dut) {
    // It resets the front, too.
    dut.set("ended", 0);
    dut.set("recording", 0);
    dut.set("reset", 1);
    (0..3).for_each(|_| dut.cycle());
    dut.set("reset", 0);
    (0..3).for_each(|_| dut.cycle());
}

struct Bench<'a> {
    host: Host,
    dut: &'a mut dyn Dut,
    recording: &'a Recording,
    /// KEPT, as the host has set it
    kept: u32,
    /// ENDs that were due
    ends: usize,
    /// the board's registers, from 0x40 on
    board: [u32; 256],
}

impl Bench<'_> {
    fn cycle(&mut self) {
        self.host.pins(self.dut);
        let register = self.dut.get("board_register") as usize & 255;
        if self.dut.get("board_fire") == 1 && self.dut.get("board_write") == 1 {
            self.board[register] = self.dut.get("board_value");
        }
        let index = self.dut.get("board_index") & 31;
        self.dut.cycle();
        self.dut.set("board_bit", self.board[register] >> index & 1);
    }

    /// Waits for the answer to a command; what it says is compared at once.
    fn answer(&mut self, register: u8, value: u32, out: &mut Records) {
        let before = self.host.replies().len();
        for _ in 0..8000 * self.recording.bit_clocks {
            self.cycle();
            if self.host.replies().len() > before {
                break;
            }
        }
        let (found, word) = self.host.replies().last().copied().unwrap_or_default();
        out.say("register", found);
        out.want("register", register);
        out.say("value", word);
        out.want("value", value);
    }

    fn write(&mut self, register: u8, value: u32, out: &mut Records) {
        match self.recording.core {
            Some(Core { pokes: true, .. }) => self.poke(register, value),
            _ => self.host.write(register, value),
        }
        let number = u32::from(register);
        let value = if number >> 4 == 1 {
            kept(number & 15, value)
        } else {
            0
        };
        self.answer(register, value, out);
    }

    /// The bus sets a register, and has the drain tell the host.
    fn poke(&mut self, register: u8, value: u32) {
        for port in ["poke", "ask"] {
            while self.dut.get("quiet") == 0 {
                self.cycle();
            }
            self.dut.set("bus_register", register.into());
            self.dut.set("bus_value", value);
            self.dut.set(port, 1);
            self.cycle();
            self.dut.set(port, 0);
            self.dut.set("bus_register", 0xff);
            self.dut.set("bus_value", !value);
        }
    }

    /// Sets what only a core has.
    fn core(&mut self, core: &Core) {
        let straps = core.straps.unwrap_or([0xdead_beef; 3]);
        self.dut.set("strapped", core.straps.is_some().into());
        for (port, word) in ["clock_hz", "mem_base", "mem_mask"].iter().zip(straps) {
            self.dut.set(port, word);
        }
        let words = core.breach.unwrap_or([0; 6]);
        self.dut.set("breached", core.breach.is_some().into());
        for (port, word) in BREACH.iter().zip(words) {
            self.dut.set(port, word);
        }
    }

    fn counters(&mut self, seed: u64) -> [u32; 9] {
        let mut random = Random::new(seed);
        COUNTERS.map(|port| {
            let word = random.word();
            self.dut.set(port, word);
            word
        })
    }

    fn play(&mut self, out: &mut Records, seq: &mut u16) {
        match &self.recording.core {
            Some(core) => self.core(core),
            None => self.dut.set("bit_clocks", self.recording.bit_clocks),
        }
        self.dut.set("recording", 0);
        self.dut.set("fired", self.fired());
        let words = self.counters(self.recording.seed);
        for (register, value) in (0x11..).zip(self.recording.settings) {
            self.write(register, value, out);
        }
        self.write(0x10, self.recording.control | 1, out);
        for (number, port) in (1..).zip(&SETTINGS[1..]) {
            out.say(port, self.dut.get(port));
            out.want(
                port,
                kept(number, self.recording.settings[number as usize - 1]),
            );
        }
        for (bit, port) in [(0, "enable"), (1, "may_stall"), (3, "trigger_on_trap")] {
            out.say(port, self.dut.get(port));
            out.want(port, (self.recording.control | 1) >> bit & 1);
        }
        self.dut.set("ended", 0);
        self.dut.set("recording", 1);
        let records = self.offer(&words, out);
        if self.recording.stopped {
            self.write(0x10, self.recording.control, out);
            out.say("enable", self.dut.get("enable"));
            out.want("enable", false);
        }
        let replies = self.host.replies().len() as u16;
        self.dut.set("recording", 0);
        if self.recording.is_forgotten() {
            self.host.frames.retain(|frame| frame.reply().is_none());
            out.say("sent of a forgotten log", self.host.frames.len() as u32);
            out.want("sent of a forgotten log", 0u32);
            *seq = seq.wrapping_add(replies);
            return;
        }
        self.dut.set("end_reason", self.recording.reason.into());
        self.dut.set("ended", 1);
        self.wait_for_end(out);
        if self.acknowledges() {
            self.last_words(&records, out);
        }
        self.host.read(0x20);
        self.answer(0x20, 0x12 | self.breached() | self.fired() << 6, out);
        if !self.recording.stopped {
            self.write(0x10, 0, out);
        }
        self.judge(&records, &words, seq, out);
    }

    fn wait_for_end(&mut self, out: &mut Records) {
        let wanted = self.ends;
        let ended = (0..60_000 * self.recording.bit_clocks).any(|_| {
            self.cycle();
            self.host.ends() >= wanted
        });
        out.say("ended", ended);
        out.want("ended", true);
    }

    fn acknowledges(&self) -> bool {
        self.recording.control & link::CONTROL_ACKNOWLEDGED != 0
    }

    fn holds(&self) -> bool {
        self.recording.control & 4 != 0
    }

    /// The offset behind what has come; every piece follows the one before, or was asked for again.
    fn wanted(&self) -> u32 {
        let pieces = self.host.frames.iter().filter_map(Placed::of);
        let ends = pieces.map(|piece| piece.offset + piece.bytes.len() as u32);
        ends.fold(self.kept, u32::max)
    }

    /// Acknowledges some of what has come, or names an offset that cannot be.
    fn say_kept(&mut self, random: &mut Random, out: &mut Records) {
        let wanted = self.wanted();
        let offset = self.kept + random.below(wanted - self.kept + 1);
        let offset = if random.chance(700) { wanted } else { offset };
        let wrong = if random.chance(100) { 1 << 20 } else { 0 };
        if wrong == 0 {
            self.kept = offset;
        }
        self.host.write(link::KEPT, offset + wrong);
        self.answer(link::KEPT, self.kept, out);
    }

    /// Has some of what has come sent again.
    fn want_again(&mut self, random: &mut Random, out: &mut Records) {
        let offset = self.kept + random.below(self.wanted() - self.kept + 1);
        self.host.write(link::SENT, offset);
        self.answer(link::SENT, offset, out);
    }

    /// What a host asks at the end: is everything here, and is it right; and once more, please.
    fn last_words(&mut self, records: &[Vec<u8>], out: &mut Records) {
        let stream = records.concat();
        let end = stream.len() as u32;
        let first = match self.holds() {
            true => end - left(records, false).concat().len() as u32,
            false => 0,
        };
        self.kept = self.kept.max(first);
        let sum = CRC.checksum(&stream[first as usize..]);
        for (register, value) in [
            (link::WRITTEN, end),
            (link::KEPT, self.kept),
            (link::SENT, end),
            (link::SUM, sum),
            (0x20, 0x12 | self.breached() | self.fired() << 6),
        ] {
            self.host.read(register);
            self.answer(register, value, out);
        }
        self.host.write(link::SENT, end + 1);
        self.answer(link::SENT, end, out);
        let mut random = Random::new(self.recording.seed ^ 2);
        self.want_again(&mut random, out);
        self.ends += 1;
        self.wait_for_end(out);
        self.host.read(link::SUM);
        self.answer(link::SUM, sum, out);
    }

    /// Offers the records' bytes, and reads registers meanwhile.
    fn offer(&mut self, words: &[u32; 9], out: &mut Records) -> Vec<Vec<u8>> {
        let mut random = Random::new(self.recording.seed ^ 1);
        let lengths = &self.recording.records;
        let records: Vec<Vec<u8>> = lengths
            .iter()
            .map(|length| (0..*length).map(|_| random.word() as u8).collect())
            .collect();
        let mut reads = self.recording.reads.iter();
        for record in &records {
            for (at, byte) in record.iter().enumerate() {
                self.dut.set("byte_valid", 1);
                self.dut.set("byte_data", (*byte).into());
                self.dut.set("byte_last", (at + 1 == record.len()).into());
                for tries in 0..20_000 {
                    let taken = self.dut.get("byte_ready") == 1;
                    self.cycle();
                    if taken {
                        break;
                    }
                    if tries % 3000 == 2999 && self.acknowledges() && !self.holds() {
                        self.dut.set("byte_valid", 0);
                        self.say_kept(&mut random, out);
                        self.dut.set("byte_valid", 1);
                    }
                }
            }
            self.dut.set("byte_valid", 0);
            if self.acknowledges() && !self.holds() && random.chance(300) {
                self.say_kept(&mut random, out);
                self.want_again(&mut random, out);
            }
            if let Some(register) = reads.next() {
                if *register >= 0x40 && random.chance(700) {
                    let value = random.word();
                    self.host.write(*register, value);
                    self.answer(*register, value, out);
                }
                self.host.read(*register);
                self.answer(*register, self.value_of(*register, words), out);
            }
        }
        // What gives way in the ring does so before the end.
        (0..600).for_each(|_| self.cycle());
        records
    }

    /// A register's value while the recording goes on.
    fn value_of(&self, register: u8, words: &[u32; 9]) -> u32 {
        let low = usize::from(register & 7);
        match register >> 3 {
            0 => self.identification(low),
            1 => IDENTIFICATION[usize::from(register)],
            2 if low == 0 => self.recording.control | 1,
            2 => (self.recording.settings.get(low - 1)).map_or(0, |value| kept(low as u32, *value)),
            4 => [
                1 | self.breached() | self.fired() << 6,
                words[1],
                words[2],
                words[3],
                words[4],
                words[5],
                words[7],
                0,
            ][low],
            5 => self.breach().get(low).copied().unwrap_or(0),
            8.. => self.board[usize::from(register)],
            _ => 0,
        }
    }

    fn identification(&self, number: usize) -> u32 {
        let straps = self.recording.core.as_ref().and_then(|core| core.straps);
        let strap = straps.and_then(|straps| straps.get(number.checked_sub(4)?).copied());
        strap.unwrap_or(IDENTIFICATION[number])
    }

    /// The words of a breach, or none.
    fn breach(&self) -> Vec<u32> {
        let breach = self.recording.core.as_ref().and_then(|core| core.breach);
        breach.map_or(Vec::new(), Vec::from)
    }

    /// Which trigger the front says has fired.
    fn fired(&self) -> u32 {
        (self.recording.seed >> 8) as u32 & 0x1f
    }

    /// Its bit of STATUS.
    fn breached(&self) -> u32 {
        u32::from(!self.breach().is_empty()) << 5
    }

    /// The log's frames are the records', the last frame is END, all are numbered.
    fn judge(&self, records: &[Vec<u8>], words: &[u32; 9], seq: &mut u16, out: &mut Records) {
        out.say("damaged", self.host.damaged);
        out.want("damaged", 0u32);
        for frame in &self.host.frames {
            out.say("seq", frame.seq);
            out.want("seq", *seq);
            *seq = seq.wrapping_add(1);
        }
        if self.acknowledges() {
            self.judge_pieces(records, out);
        }
        for frame in &self.host.frames {
            if frame.kind & 0xfc == kind::LOG {
                out.say("log", frame.kind);
                frame.payload.iter().for_each(|byte| out.say("byte", *byte));
            }
            if frame.kind == kind::END {
                frame.payload.iter().for_each(|byte| out.say("end", *byte));
            }
        }
        let expected = match self.recording.control & 0x24 {
            0 => records.to_vec(),
            4 => left(records, false),
            _ => Vec::new(),
        };
        for record in &expected {
            let count = record.len().div_ceil(240);
            for (n, bytes) in record.chunks(240).enumerate() {
                let flags = u8::from(n == 0) | u8::from(n + 1 == count) << 1;
                out.want("log", kind::LOG | flags);
                bytes.iter().for_each(|byte| out.want("byte", *byte));
            }
        }
        for _ in 0..self.ends {
            out.want("end", self.recording.reason | (self.fired() as u8) << 3);
            let words = words.iter().copied().chain(self.breach());
            let bytes = words.flat_map(u32::to_le_bytes);
            bytes.for_each(|byte| out.want("end", byte));
        }
    }

    /// Every piece is what its offset says, and all that was kept has come.
    fn judge_pieces(&self, records: &[Vec<u8>], out: &mut Records) {
        let stream = records.concat();
        let ends = records.iter().scan(0, |at, record| {
            *at += record.len();
            Some(*at)
        });
        let ends: Vec<usize> = ends.collect();
        let mut next = None;
        for piece in self.host.frames.iter().filter_map(Placed::of) {
            let at = piece.offset as usize;
            let end = ends.iter().find(|end| **end > at).copied();
            let end = end.unwrap_or(at).min(at + 240);
            out.say("last", piece.last);
            out.want("last", ends.contains(&end));
            piece.bytes.iter().for_each(|byte| out.say("byte", *byte));
            let wanted = stream.get(at..end).unwrap_or_default();
            wanted.iter().for_each(|byte| out.want("byte", *byte));
            // A hole would stay one.
            out.say("hole", next.is_some_and(|next| next < at));
            out.want("hole", false);
            next = next.max(Some(end));
        }
        let all = next.unwrap_or(stream.len()) == stream.len();
        out.say("all here", all);
        out.want("all here", true);
    }
}
