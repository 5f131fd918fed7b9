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
    plain: false,
};

/// Registers 0 to 15.
pub const IDENTIFICATION: [u32; 16] = [
    0x4b4f_4f4c,
    IDENTITY.version,
    IDENTITY.tags,
    IDENTITY.sizes,
    IDENTITY.clock_hz,
    IDENTITY.mem_base,
    IDENTITY.mem_mask,
    IDENTITY.port,
    IDENTITY.compact,
    IDENTITY.order,
    0,
    0,
    0,
    0,
    0,
    0,
];

/// What a setting keeps of what is written to it.
pub fn kept(number: u32, value: u32) -> u32 {
    match number {
        0 => value & 0x3f,
        1 => value & 0xff_ffff,
        2 => value & 0x1f,
        3 | 4 => value & !63,
        5 | 6 => value,
        7 => value & 0xffff,
        8 => value & 3,
        9 => value & 0x3f,
        10 | 11 => value,
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

/// The other settings.
const LATE: [(usize, &str); 5] = [
    (7, "key"),
    (8, "order_mode"),
    (9, "watch"),
    (10, "watch_lo"),
    (11, "watch_hi"),
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
    /// Pick one of words made from a seed, or none.
    Pick(Option<u32>, u64),
    /// A reset.
    Reset,
}

fn register() -> BoxedStrategy<u32> {
    prop_oneof![
        6 => 0x10..0x17u32,
        2 => 0x20..0x30u32,
        2 => 0x30..0x36u32,
        2 => 0..8u32,
        1 => Just(8u32),
        1 => Just(9u32),
        1 => Just(0x17),
        2 => 0x18..0x1du32,
        2 => 0x40..256u32,
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
            8 => (any::<bool>(), 0..16u32).prop_map(|(setting, n)| Access::Stored(setting, n)),
            3 => (pick, any::<u64>()).prop_map(|(pick, seed)| Access::Pick(pick, seed)),
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
            LATE.iter()
                .for_each(|(_, port)| out.say(port, dut.get(port)));
        }
    }

    fn expect(run: &[Access], out: &mut Records) {
        let mut settings = [0; 16];
        for access in run {
            match access {
                Access::Write(register, value) if register >> 4 == 1 => {
                    settings[*register as usize & 15] = kept(register & 15, *value);
                }
                Access::Write(..) => {}
                Access::Stored(setting, number) => {
                    let words = if *setting { &settings } else { &IDENTIFICATION };
                    out.say("stored", words[*number as usize]);
                }
                Access::Pick(pick, seed) => {
                    let mut random = Random::new(*seed);
                    let mut words = WORDS.map(|_| random.word());
                    words[9] &= 15;
                    words[15] &= 0x7ff;
                    out.say("word", pick.map_or(0, |bit| words[bit as usize]));
                }
                Access::Reset => settings = [0; 16],
            }
            for (port, value) in SETTINGS.iter().zip(settings) {
                out.say(port, value);
            }
            for (number, port) in LATE {
                out.say(port, settings[number]);
            }
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
    dut.set("number", register & 15);
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
    /// A command for a register, whether it is a WRITE, and how long the framer takes until it begins.
    Command(u32, bool, u8),
    /// A piece of the log begins: its offset. A command may come meanwhile.
    Place(Option<u32>),
    /// The host wants bytes again: END follows them.
    Repeat,
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
fn surroundings() -> ([u32; 16], [u32; 16]) {
    let mut random = Random::new(77);
    (
        std::array::from_fn(|_| random.word()),
        std::array::from_fn(|_| random.word()),
    )
}

/// KEPT, SENT, WRITTEN and SUM around the composer.
const LINK: [u32; 4] = [0x1234_5678, 0x9abc_def0, 0xfedc_ba98, 0x7654_3210];

/// What a register of the board has.
fn board_word(register: u32) -> u32 {
    (register ^ 0x5a).wrapping_mul(0x0103_0709)
}

fn reply_to(register: u32) -> Vec<u8> {
    let (words, settings) = surroundings();
    let low = register as usize & 7;
    let value = match register >> 3 {
        0 | 1 => IDENTIFICATION[register as usize],
        2 | 3 => settings[register as usize & 15],
        // STATUS, RETIRED, CYCLES, STALLS, LOST.
        4 => [
            words[15], words[1], words[2], words[3], words[4], words[5], words[7], 0,
        ][low],
        // The breach's six words.
        5 if low < 6 => words[9 + low],
        6 if low < 4 => LINK[low],
        8.. => board_word(register),
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
            12 => (register(), any::<bool>(), 0..6u8)
                .prop_map(|(register, write, wait)| Ask::Command(register, write, wait)),
            2 => proptest::option::of(register()).prop_map(Ask::Place),
            1 => Just(Ask::Repeat),
            1 => (register(), register()).prop_map(|(a, b)| Ask::Hasty(a, b)),
            2 => (1..=255u8, any::<bool>()).prop_map(|(reason, breached)| Ask::End(reason, breached)),
            1 => Just(Ask::Clear),
            1 => Just(Ask::Reset),
        ];
        vec(ask, 1..16).boxed()
    }

    fn drive(run: &[Ask], dut: &mut dyn Dut, out: &mut Records) {
        let mut bench = Composer {
            dut,
            stored: (false, 0, 0),
            link_bits: 0,
            meanwhile: None,
            asked: 0,
        };
        bench.pulse("reset");
        for ask in run {
            match ask {
                Ask::Command(register, write, wait) => {
                    bench.dut.set("write", (*write).into());
                    out.say("obeyed", bench.command(*register));
                    bench.dut.set("write", (!*write).into());
                    (0..*wait).for_each(|_| bench.cycle());
                    out.say("reply due", bench.dut.get("reply_ready"));
                    bench.message(false, 5, out);
                    out.say("reply due", bench.dut.get("reply_ready"));
                }
                Ask::Hasty(first, second) => {
                    bench.dut.set("write", 0);
                    out.say("obeyed", bench.command(*first));
                    out.say("obeyed", bench.command(*second));
                    bench.message(false, 5, out);
                }
                Ask::Place(command) => {
                    bench.dut.set("start_place", 1);
                    bench.meanwhile = *command;
                    bench.message(false, 5, out);
                    bench.dut.set("start_place", 0);
                    out.say("reply due", bench.dut.get("reply_ready"));
                    if command.is_some() {
                        bench.message(false, 5, out);
                    }
                }
                Ask::Repeat => {
                    bench.pulse("repeated");
                    out.say("end due", bench.dut.get("end_due"));
                    if bench.dut.get("end_due") == 1 {
                        bench.message(true, 70, out);
                    }
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
        let mut sent: Option<Vec<u8>> = None;
        let bytes = |bytes: &[u8], sets: [bool; 2], link: bool, out: &mut Records| {
            out.say("sets KEPT", sets[0]);
            out.say("sets SENT", sets[1]);
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("more", false);
            out.say("bits of the link", if link { 32u32 } else { 0 });
        };
        let reply = |register: u32, write: bool, out: &mut Records| {
            let sets = [0x30, 0x31].map(|number| write && register == number);
            let link = (0x30..0x34).contains(&register);
            bytes(&reply_to(register), sets, link, out);
        };
        for ask in run {
            match ask {
                Ask::Command(register, write, _) => {
                    out.say("obeyed", true);
                    out.say("reply due", true);
                    reply(*register, *write, out);
                    out.say("reply due", false);
                }
                Ask::Hasty(first, _) => {
                    out.say("obeyed", true);
                    out.say("obeyed", false);
                    reply(*first, false, out);
                }
                Ask::Place(command) => {
                    bytes(&LINK[1].to_le_bytes(), [false; 2], true, out);
                    out.say("reply due", command.is_some());
                    if let Some(register) = command {
                        reply(*register, false, out);
                    }
                }
                Ask::Repeat => {
                    out.say("end due", sent.is_some());
                    if let Some(payload) = &sent {
                        bytes(payload, [false; 2], false, out);
                    }
                }
                Ask::End(reason, breached) => {
                    out.say("end due", true);
                    let mut payload = vec![*reason];
                    payload.extend(
                        words[..if *breached { 15 } else { 9 }]
                            .iter()
                            .flat_map(|word| word.to_le_bytes()),
                    );
                    bytes(&payload, [false; 2], false, out);
                    out.say("end due", false);
                    sent = Some(payload);
                }
                Ask::Clear | Ask::Reset => sent = None,
            }
            out.say("end sent", sent.is_some());
        }
    }
}

/// What stands around the composer: the register file and the framer.
struct Composer<'a> {
    dut: &'a mut dyn Dut,
    /// the stored bit that was wanted: setting, number, index
    stored: (bool, u32, u32),
    /// bits of the link's registers that were used in this message
    link_bits: u32,
    /// a command that comes while the message is under way
    meanwhile: Option<u32>,
    /// the register of the command that was obeyed last
    asked: u32,
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
        );
        let link = self.dut.get("link") == 1;
        let board = self.dut.get("board") == 1;
        self.dut.cycle();
        let (setting, number, index) = self.stored;
        let file = if setting { &settings } else { &IDENTIFICATION };
        let word = match (link, board) {
            (_, true) => board_word(self.asked),
            (true, false) => LINK[self.dut.get("which") as usize],
            (false, false) => file[number as usize],
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
        if obeyed == 1 {
            self.asked = register;
        }
        self.dut.set("fire", 0);
        self.dut.set("register", 0xa5);
        obeyed
    }

    /// Takes a message as the framer does: a bit is wanted a cycle before it is used.
    fn message(&mut self, end: bool, most: usize, out: &mut Records) {
        self.dut.set("start_end", end.into());
        self.dut.set("start", 1);
        out.say("sets KEPT", self.dut.get("set_kept"));
        out.say("sets SENT", self.dut.get("set_sent"));
        self.pulse("start");
        self.link_bits = 0;
        (0..6).for_each(|_| self.cycle());
        if let Some(register) = self.meanwhile.take() {
            self.dut.set("write", 0);
            self.command(register);
        }
        for _ in 0..most {
            if self.dut.get("more") == 0 {
                break;
            }
            let mut byte = 0;
            for bit in 0..8 {
                self.dut.set("bit_index", bit);
                self.cycle();
                byte |= self.dut.get("data") << bit;
                self.link_bits += self.dut.get("link_bit");
            }
            out.say("byte", byte);
            self.pulse("take");
            (0..2).for_each(|_| self.cycle());
        }
        out.say("more", self.dut.get("more"));
        out.say("bits of the link", self.link_bits);
    }
}
