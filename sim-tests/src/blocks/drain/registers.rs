//! The host's registers and the messages that are made of them: sections 5 and 6 of the log format.

use crate::blocks::{word, Check, Records};
use lookback_hdl::drain::Identity;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// The recorder that the tests' blocks claim to be.
pub const IDENTITY: Identity = Identity {
    version: 0x0101_0001,
    tags: 0x0202_0208,
    sizes: 0x050a_0303,
    clock_hz: 50_000_000,
    mem_base: 0x8000_0000,
    mem_mask: 0xf00f_0ff0,
    port: 1,
    compact: 0x0006_1108,
    order: 0x0310_aa84,
};

/// What the composer is told for ORDER_MODE.
const ORDER_MODE: u32 = 2;

/// Registers 0 to 7.
pub const IDENTIFICATION: [u32; 8] = [
    0x4b4f_4f4c,
    IDENTITY.version,
    IDENTITY.tags,
    IDENTITY.sizes,
    IDENTITY.clock_hz,
    IDENTITY.mem_base,
    IDENTITY.mem_mask,
    IDENTITY.port,
];

/// What a setting keeps of what is written to it.
pub fn kept(number: u32, value: u32) -> u32 {
    match number {
        0 => value & 0x1f,
        1 => value & 0xff_ffff,
        2 => value & 0x1f,
        3 | 4 => value & !63,
        5 => value,
        7 => value & 0xffff,
        _ => 0,
    }
}

/// Outputs that show the settings, by number.
pub const SETTINGS: [&str; 6] = [
    "control",
    "interval",
    "count_bits",
    "image_lo",
    "image_hi",
    "post_trigger",
];

/// The words that END and the counters are made of, in the order of `pick`.
const WORDS: [&str; 16] = [
    "run_code",
    "retired_lo",
    "retired_hi",
    "cycles_lo",
    "cycles_hi",
    "stalls_lo",
    "stalls_hi",
    "lost_lo",
    "lost_hi",
    "breach_rule",
    "breach_at",
    "breach_pc",
    "breach_insn",
    "breach_want",
    "breach_got",
    "status",
];

/// The register file.
pub struct Registers;

/// What is asked of the register file.
#[derive(Clone, Debug)]
pub enum Access {
    /// Write a register.
    Write(u32, u32),
    /// Read a setting or an identification bit by bit.
    Stored(bool, u32),
    /// Read COMPACT bit by bit.
    Compact,
    /// Pick one of words made from a seed, or none.
    Pick(Option<u32>, u64),
    /// A reset.
    Reset,
}

fn register() -> BoxedStrategy<u32> {
    prop_oneof![
        6 => 0x10..0x16u32,
        2 => 0x20..0x30u32,
        2 => 0..8u32,
        1 => Just(8u32),
        1 => Just(9u32),
        1 => Just(0x18u32),
        1 => Just(0x17),
        1 => 0..256u32,
    ]
    .boxed()
}

impl Check for Registers {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let pick = prop_oneof![1 => Just(None), 8 => (0..16u32).prop_map(Some)];
        let access = prop_oneof![
            8 => (register(), word()).prop_map(|(register, value)| Access::Write(register, value)),
            8 => (any::<bool>(), 0..8u32).prop_map(|(setting, n)| Access::Stored(setting, n)),
            3 => (pick, any::<u64>()).prop_map(|(pick, seed)| Access::Pick(pick, seed)),
            1 => Just(Access::Compact),
            1 => Just(Access::Reset),
        ];
        vec(access, 1..50).boxed()
    }

    fn drive(run: &[Access], dut: &mut dyn Dut, out: &mut Records) {
        for access in run {
            match access {
                Access::Write(register, value) => write(dut, *register, *value),
                Access::Stored(setting, number) => {
                    out.say("stored", stored(dut, *setting, *number))
                }
                Access::Compact => {
                    dut.set("compact", 1);
                    out.say("stored", stored(dut, false, 0));
                    dut.set("compact", 0);
                }
                Access::Pick(pick, seed) => {
                    let mut random = Random::new(*seed);
                    WORDS.iter().for_each(|port| dut.set(port, random.word()));
                    dut.set("pick", pick.map_or(0, |bit| 1 << bit));
                    out.say("word", dut.get("word"));
                    dut.cycle();
                }
                Access::Reset => {
                    dut.set("reset", 1);
                    dut.cycle();
                    dut.set("reset", 0);
                }
            }
            SETTINGS
                .iter()
                .for_each(|port| out.say(port, dut.get(port)));
            out.say("key", dut.get("key"));
        }
    }

    fn expect(run: &[Access], out: &mut Records) {
        let mut settings = [0; 8];
        for access in run {
            match access {
                Access::Write(register, value) if register >> 3 == 2 => {
                    settings[*register as usize & 7] = kept(register & 7, *value);
                }
                Access::Write(..) => {}
                Access::Stored(setting, number) => {
                    let words = if *setting { &settings } else { &IDENTIFICATION };
                    out.say("stored", words[*number as usize]);
                }
                Access::Compact => out.say("stored", IDENTITY.compact),
                Access::Pick(pick, seed) => {
                    let mut random = Random::new(*seed);
                    let mut words = WORDS.map(|_| random.word());
                    words[9] &= 15;
                    words[15] &= 63;
                    out.say("word", pick.map_or(0, |bit| words[bit as usize]));
                }
                Access::Reset => settings = [0; 8],
            }
            for (port, value) in SETTINGS.iter().zip(settings) {
                out.say(port, value);
            }
            out.say("key", settings[7]);
        }
    }
}

/// Writes as the command decoder does: the value's bits come to bit 0 while they are copied.
fn write(dut: &mut dyn Dut, register: u32, mut value: u32) {
    dut.set("register", register);
    dut.set("value", value);
    dut.set("write", 1);
    dut.cycle();
    dut.set("write", 0);
    dut.set("number", register & 7);
    for _ in 0..40 {
        if dut.get("copying") == 0 {
            break;
        }
        dut.cycle();
        value >>= 1;
        dut.set("value", value);
    }
}

fn stored(dut: &mut dyn Dut, setting: bool, number: u32) -> u32 {
    dut.set("setting", setting.into());
    dut.set("number", number);
    (0..32).fold(0, |word, bit| {
        dut.set("index", bit);
        dut.cycle();
        // Which bit is wanted next does not matter any more.
        dut.set("index", !bit & 31);
        word | dut.get("stored_bit") << bit
    })
}

/// The composer of messages.
pub struct Messages;

/// What is asked of the composer.
#[derive(Clone, Debug)]
pub enum Ask {
    /// A command for a register, and how long the framer takes until it begins.
    Command(u32, u8),
    /// Two commands before the first is answered: the second is not obeyed.
    Hasty(u32, u32),
    /// The front ends a recording, for this reason, and the core broke a rule or not.
    End(u8, bool),
    /// The front begins one.
    Clear,
    /// A reset.
    Reset,
}

/// The words around the composer in one run.
fn surroundings() -> ([u32; 16], [u32; 8]) {
    let mut random = Random::new(77);
    (
        std::array::from_fn(|_| random.word()),
        std::array::from_fn(|_| random.word()),
    )
}

fn reply_to(register: u32) -> Vec<u8> {
    let (words, settings) = surroundings();
    let low = register as usize & 7;
    let value = match register >> 3 {
        0 => IDENTIFICATION[low],
        1 if low == 0 => IDENTITY.compact,
        1 if low == 1 => IDENTITY.order,
        3 if low == 0 => ORDER_MODE,
        2 => settings[low],
        // STATUS, RETIRED, CYCLES, STALLS, LOST.
        4 => [
            words[15], words[1], words[2], words[3], words[4], words[5], words[7], 0,
        ][low],
        // The breach's six words.
        5 if low < 6 => words[9 + low],
        _ => 0,
    };
    let mut bytes = vec![register as u8];
    bytes.extend(value.to_le_bytes());
    bytes
}

impl Check for Messages {
    type Step = Ask;

    fn runs() -> BoxedStrategy<Vec<Ask>> {
        let ask = prop_oneof![
            12 => (register(), 0..6u8).prop_map(|(register, wait)| Ask::Command(register, wait)),
            1 => (register(), register()).prop_map(|(a, b)| Ask::Hasty(a, b)),
            2 => (1..6u8, any::<bool>()).prop_map(|(reason, breached)| Ask::End(reason, breached)),
            1 => Just(Ask::Clear),
            1 => Just(Ask::Reset),
        ];
        vec(ask, 1..16).boxed()
    }

    fn drive(run: &[Ask], dut: &mut dyn Dut, out: &mut Records) {
        let mut bench = Composer {
            dut,
            stored: (false, 0, 0, false, false),
        };
        bench.pulse("reset");
        for ask in run {
            match ask {
                Ask::Command(register, wait) => {
                    out.say("obeyed", bench.command(*register));
                    (0..*wait).for_each(|_| bench.cycle());
                    out.say("reply due", bench.dut.get("reply_ready"));
                    bench.message(false, 5, out);
                    out.say("reply due", bench.dut.get("reply_ready"));
                }
                Ask::Hasty(first, second) => {
                    out.say("obeyed", bench.command(*first));
                    out.say("obeyed", bench.command(*second));
                    bench.message(false, 5, out);
                }
                Ask::End(reason, breached) => {
                    bench.dut.set("breached", (*breached).into());
                    bench.dut.set("ended", 1);
                    bench.dut.set("end_reason", (*reason).into());
                    bench.cycle();
                    out.say("end due", bench.dut.get("end_due"));
                    bench.message(true, 70, out);
                    out.say("end due", bench.dut.get("end_due"));
                    bench.dut.set("ended", 0);
                    bench.cycle();
                }
                Ask::Clear => bench.pulse("clear"),
                Ask::Reset => bench.pulse("reset"),
            }
            out.say("end sent", bench.dut.get("end_sent"));
        }
    }

    fn expect(run: &[Ask], out: &mut Records) {
        let (words, _) = surroundings();
        let mut sent = false;
        let bytes = |bytes: &[u8], out: &mut Records| {
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("more", false);
        };
        for ask in run {
            match ask {
                Ask::Command(register, _) => {
                    out.say("obeyed", true);
                    out.say("reply due", true);
                    bytes(&reply_to(*register), out);
                    out.say("reply due", false);
                }
                Ask::Hasty(first, _) => {
                    out.say("obeyed", true);
                    out.say("obeyed", false);
                    bytes(&reply_to(*first), out);
                }
                Ask::End(reason, breached) => {
                    out.say("end due", true);
                    let mut payload = vec![*reason];
                    payload.extend(
                        words[..if *breached { 15 } else { 9 }]
                            .iter()
                            .flat_map(|word| word.to_le_bytes()),
                    );
                    bytes(&payload, out);
                    out.say("end due", false);
                    sent = true;
                }
                Ask::Clear | Ask::Reset => sent = false,
            }
            out.say("end sent", sent);
        }
    }
}

/// What stands around the composer: the register file and the framer.
struct Composer<'a> {
    dut: &'a mut dyn Dut,
    /// the stored bit that was wanted: setting, number, index, and whether it is COMPACT's
    stored: (bool, u32, u32, bool, bool),
}

impl Composer<'_> {
    fn cycle(&mut self) {
        let (words, settings) = surroundings();
        let pick = self.dut.get("pick");
        let picked = words
            .iter()
            .zip(0..)
            .filter(|(_, bit)| pick >> bit & 1 == 1);
        self.dut
            .set("word", picked.fold(0, |all, (word, _)| all | word));
        self.stored = (
            self.dut.get("setting") == 1,
            self.dut.get("number"),
            self.dut.get("index"),
            self.dut.get("compact") == 1,
            self.dut.get("ordered") == 1,
        );
        self.dut.cycle();
        let (setting, number, index, compact, ordered) = self.stored;
        let file = if setting { &settings } else { &IDENTIFICATION };
        let word = match (compact, ordered, setting) {
            (true, ..) => IDENTITY.compact,
            (_, true, true) => ORDER_MODE,
            (_, true, false) => IDENTITY.order,
            _ => file[number as usize],
        };
        self.dut.set("stored_bit", word >> index & 1);
    }

    fn pulse(&mut self, port: &str) {
        self.dut.set(port, 1);
        self.cycle();
        self.dut.set(port, 0);
    }

    fn command(&mut self, register: u32) -> u32 {
        self.dut.set("register", register);
        self.dut.set("fire", 1);
        let obeyed = self.dut.get("obey");
        self.cycle();
        self.dut.set("fire", 0);
        self.dut.set("register", 0xa5);
        obeyed
    }

    /// Takes a message as the framer does: a bit is wanted a cycle before it is used.
    fn message(&mut self, end: bool, most: usize, out: &mut Records) {
        self.dut.set("start_end", end.into());
        self.pulse("start");
        (0..6).for_each(|_| self.cycle());
        for _ in 0..most {
            if self.dut.get("more") == 0 {
                break;
            }
            let mut byte = 0;
            for bit in 0..8 {
                self.dut.set("bit_index", bit);
                self.cycle();
                byte |= self.dut.get("data") << bit;
            }
            out.say("byte", byte);
            self.pulse("take");
            (0..2).for_each(|_| self.cycle());
        }
        out.say("more", self.dut.get("more"));
    }
}
