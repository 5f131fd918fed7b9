//! What the recorder remembers of a run: known code, first-load tags, registers.

use crate::blocks::{seldom, word, Check, Inputs, Lockstep, Records};
use lookback_hdl::recorder::config::{CLOCK_HZ, TINY};
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::first_load_tags::Bits;
use lookback_model::known_code::KnownCode;
use lookback_model::register_shadow::RegisterShadow;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

fn config() -> RecorderConfig {
    TINY.config(CLOCK_HZ)
}

/// The known code of eight blocks, a bitmap that large windows go round many times.
pub struct Code {
    window: (u32, u32),
    known: KnownCode,
    /// entries that are still to be cleared
    clearing: u32,
    /// what was fetched in the cycle before
    fetched: Option<u32>,
}

/// One cycle at the known code.
#[derive(Clone, Debug)]
pub struct Fetch {
    restart: Option<(u32, u32)>,
    pc: u32,
    store: Option<u32>,
    snoop: Option<u32>,
}

impl Fetch {
    /// The same where nobody but the hart writes, and all instructions are whole words.
    pub fn alone(self) -> Self {
        Self {
            pc: self.pc & !3,
            snoop: None,
            ..self
        }
    }
}

const BLOCKS: u32 = 1 << TINY.dirty_bits;

impl Default for Code {
    fn default() -> Self {
        Self {
            window: (0, 0),
            known: KnownCode::new(&config()),
            clearing: BLOCKS,
            fetched: None,
        }
    }
}

/// Around the borders of the windows below, and anywhere.
fn place() -> BoxedStrategy<u32> {
    let near = (0..0x1a0u32).prop_map(|n| 0x8000_0000 - 0x80 + 4 * n);
    let far = (any::<u32>(), near.clone()).prop_map(|(far, near)| (far << 28) ^ near);
    prop_oneof![8 => near, 2 => far, 1 => any::<u32>().prop_map(|a| a & !3)].boxed()
}

fn window() -> BoxedStrategy<(u32, u32)> {
    prop_oneof![
        Just((0x8000_0000, 0x8000_0200)),
        Just((0x8000_0040, 0x8000_0400)),
        Just((0x8000_0100, 0x8000_0140)),
        Just((0x8000_0100, 0x8000_0100)),
        Just((0x0000_0000, 0xffff_ffc0)),
        Just((0x7fff_ffc0, 0x9000_0000)),
    ]
    .boxed()
}

impl Lockstep for Code {
    type Step = Fetch;

    fn runs() -> BoxedStrategy<Vec<Fetch>> {
        let some = |per_mille: u32| {
            (seldom(per_mille), place()).prop_map(|(is, place)| is.then_some(place))
        };
        let restart = (seldom(10), window()).prop_map(|(is, window)| is.then_some(window));
        // Every other one at an odd halfword, most of these at the last of a block.
        let half = prop_oneof![4 => Just(0u32), 1 => Just(2), 3 => Just(62)];
        let fetch = (restart, place(), some(60), some(40), half);
        let fetch = fetch.prop_map(|(restart, pc, store, snoop, half)| Fetch {
            restart,
            pc: pc | half,
            store,
            snoop,
        });
        (window(), vec(fetch, 20..200))
            .prop_map(|(window, mut fetches)| {
                fetches[0].restart = Some(window);
                fetches
            })
            .boxed()
    }

    fn inputs(&self, step: &Fetch) -> Vec<(&'static str, u32)> {
        let (low, high) = step.restart.unwrap_or(self.window);
        let clears = step.restart.is_some() || self.clearing > 0;
        let left = step.restart.map_or(self.clearing, |_| BLOCKS);
        let (store, snoop) = match clears {
            true => (None, None),
            false => (step.store, step.snoop),
        };
        vec![
            ("clear", clears.into()),
            ("sweep", BLOCKS.wrapping_sub(left) % BLOCKS),
            ("image_lo", low),
            ("image_hi", high),
            ("fetch_pc", step.pc),
            ("pc", self.fetched.unwrap_or(0)),
            ("straddles", (self.fetched.unwrap_or(0) % 64 == 62).into()),
            ("store", store.is_some().into()),
            ("store_addr", store.or(step.store).unwrap_or(step.pc)),
            ("snoop", snoop.is_some().into()),
            ("snoop_addr", snoop.or(step.snoop).unwrap_or(step.pc)),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        if inputs.is("clear") {
            if inputs.get("sweep") == 0 {
                self.clearing = BLOCKS;
                self.window = (inputs.get("image_lo"), inputs.get("image_hi"));
                self.known = KnownCode::new(&RecorderConfig {
                    image_lo: self.window.0,
                    image_hi: self.window.1,
                    ..config()
                });
            }
            self.clearing -= 1;
            self.fetched = None;
            return Vec::new();
        }
        let known = self
            .fetched
            .map(|pc| ("known", self.known.is_known_by_halves(pc).into()));
        for (port, address) in [("store", "store_addr"), ("snoop", "snoop_addr")] {
            if inputs.is(port) {
                self.known.write(inputs.get(address));
            }
        }
        self.fetched = Some(inputs.get("fetch_pc"));
        known.into_iter().collect()
    }
}

/// Accesses to first-load tags of four sets, two words a line and an epoch of two bits.
pub struct Tags<const WAYS: u8>;

/// What the tags are asked next.
#[derive(Clone, Debug)]
pub enum Access {
    /// The hart reads and writes bytes of a word.
    Hart {
        /// address
        addr: u32,
        /// bytes read
        rmask: u8,
        /// bytes written
        wmask: u8,
        /// it takes effect
        commit: bool,
    },
    /// Somebody else writes.
    Other {
        /// address
        addr: u32,
        /// bytes
        mask: u8,
    },
    /// The interval ends.
    Advance,
    /// Nothing happens for some cycles.
    Pause(u8),
    /// A new recording.
    Clear,
}

impl<const WAYS: u8> Check for Tags<WAYS> {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        // Three lines for each of four sets, and some that differ from them in a high bit only.
        let addr = (0..24u32, seldom(100), 5..31u32)
            .prop_map(|(word, far, bit)| (0x8000_0000 + 4 * word) ^ (u32::from(far) << bit));
        let addr = addr.boxed();
        let mask = prop_oneof![2 => Just(15u8), 3 => 0..16u8, 1 => (0..4u8).prop_map(|n| 1 << n)];
        let mask = mask.boxed();
        let masks = prop_oneof![
            3 => (mask.clone(), Just(0)),
            2 => (Just(0), mask.clone()),
            1 => (mask.clone(), mask.clone()),
        ];
        let hart = (addr.clone(), masks, seldom(930)).prop_map(|(addr, (rmask, wmask), commit)| {
            Access::Hart {
                addr,
                // An access that touches nothing is none.
                rmask: rmask | u8::from(rmask | wmask == 0),
                wmask,
                commit,
            }
        });
        let other = (addr, mask).prop_map(|(addr, mask)| Access::Other {
            addr,
            mask: mask.max(1),
        });
        let step = |ends: u32| {
            prop_oneof![
                200 => hart.clone(),
                40 => other.clone(),
                ends => Just(Access::Advance),
                20 => (1..4u8).prop_map(Access::Pause),
                1 => Just(Access::Clear),
            ]
        };
        prop_oneof![
            vec(step(4), 1..400),
            vec(step(40), 1..300),
            vec(step(150), 1..200)
        ]
        .boxed()
    }

    fn drive(run: &[Access], dut: &mut dyn Dut, out: &mut Records) {
        clear(dut);
        for access in run {
            match *access {
                Access::Hart {
                    addr,
                    rmask,
                    wmask,
                    commit,
                } => {
                    let known = access_tags(dut, addr, (rmask, rmask | wmask), false, commit);
                    out.say("known", known);
                }
                Access::Other { addr, mask } => {
                    access_tags(dut, addr, (0, mask), true, true);
                }
                Access::Advance => pulse(dut, "advance"),
                Access::Pause(cycles) => (0..cycles).for_each(|_| dut.cycle()),
                Access::Clear => clear(dut),
            }
        }
    }

    fn expect(run: &[Access], out: &mut Records) {
        let config = RecorderConfig {
            tag_ways: WAYS,
            ..config()
        };
        let mut tags = Bits::new(&config);
        for access in run {
            match *access {
                Access::Hart {
                    addr,
                    rmask,
                    wmask,
                    commit,
                } => {
                    let known = match commit {
                        true => tags.access(addr, rmask, wmask),
                        false => tags.clone().access(addr, rmask, wmask),
                    };
                    out.say("known", known);
                }
                Access::Other { addr, mask } => tags.snoop(addr, mask),
                Access::Advance => tags.next_interval(),
                Access::Pause(_) => {}
                Access::Clear => tags = Bits::new(&config),
            }
        }
    }
}

fn pulse(dut: &mut dyn Dut, port: &str) {
    dut.set(port, 1);
    dut.cycle();
    dut.set(port, 0);
}

/// For as many cycles as there are sets, or more: the longest memory decides in the recorder.
fn clear(dut: &mut dyn Dut) {
    dut.set("clear", 1);
    (0..1 << (TINY.set_bits + 1)).for_each(|_| dut.cycle());
    dut.set("clear", 0);
}

fn access_tags(
    dut: &mut dyn Dut,
    addr: u32,
    (need, touch): (u8, u8),
    remove: bool,
    commit: bool,
) -> u32 {
    dut.set("address", addr >> 2);
    dut.set("need", need.into());
    dut.set("touch", touch.into());
    dut.set("remove", remove.into());
    // What is still being written is asked for once more.
    let conflict = dut.get("conflict") == 1;
    dut.cycle();
    if conflict {
        dut.cycle();
    }
    dut.set("commit", commit.into());
    dut.cycle();
    dut.set("commit", 0);
    dut.get("known")
}

/// The two copies of the registers.
pub struct Registers;

/// What happens to the registers next.
#[derive(Clone, Debug)]
pub enum Turn {
    /// A register is written while another is read.
    Write(u8, u32, u8),
    /// A register is read.
    Read(u8),
    /// The first instruction of an interval, which may write a register.
    Freeze(Option<(u8, u32)>),
    /// The header is written. The registers may be written while the copy is brought up to date.
    Thaw(Vec<Option<(u8, u32)>>),
    /// A new recording.
    Clear,
}

impl Check for Registers {
    type Step = Turn;

    fn runs() -> BoxedStrategy<Vec<Turn>> {
        let write = (1..32u8, word());
        let perhaps = |per_mille: u32| {
            (seldom(per_mille), 1..32u8, word())
                .prop_map(|(is, rd, value)| is.then_some((rd, value)))
        };
        let busy = prop_oneof![
            vec(perhaps(0), 0..3),
            vec(perhaps(300), 0..60),
            vec(perhaps(100), 0..90)
        ];
        let turn = prop_oneof![
            10 => (write, 1..32u8).prop_map(|((rd, value), read)| Turn::Write(rd, value, read)),
            4 => (1..32u8).prop_map(Turn::Read),
            1 => perhaps(500).prop_map(Turn::Freeze),
            1 => busy.prop_map(Turn::Thaw),
        ];
        let turn = prop_oneof![150 => turn, 1 => Just(Turn::Clear)];
        vec(turn, 1..150).boxed()
    }

    fn drive(run: &[Turn], dut: &mut dyn Dut, out: &mut Records) {
        clear_registers(dut);
        let mut frozen = false;
        for turn in run {
            match turn {
                Turn::Write(rd, value, read) => {
                    set_write(dut, Some((*rd, *value)));
                    dut.set("read_addr", (*read).into());
                    dut.cycle();
                    // What is read beside a write of the same register is not promised.
                    if rd != read || frozen {
                        out.say("read", dut.get("read_data"));
                    }
                    set_write(dut, None);
                }
                Turn::Read(read) => {
                    dut.set("read_addr", (*read).into());
                    dut.cycle();
                    out.say("read", dut.get("read_data"));
                }
                Turn::Freeze(write) if !frozen => {
                    out.say("live", dut.get("live"));
                    set_write(dut, *write);
                    pulse(dut, "freeze");
                    set_write(dut, None);
                    frozen = true;
                    out.say("live", dut.get("live"));
                }
                Turn::Thaw(writes) if frozen => {
                    thaw(dut, writes, out);
                    frozen = false;
                }
                Turn::Freeze(_) | Turn::Thaw(_) => {}
                Turn::Clear => {
                    clear_registers(dut);
                    frozen = false;
                }
            }
        }
    }

    fn expect(run: &[Turn], out: &mut Records) {
        let mut registers = RegisterShadow::default();
        let mut copy = None;
        let write = |registers: &mut RegisterShadow, (rd_addr, rd_wdata)| {
            registers.retire(&Retire {
                rd_addr,
                rd_wdata,
                ..Retire::default()
            });
        };
        let seen = |registers: &RegisterShadow, copy: &Option<RegisterShadow>, read: u8| {
            copy.as_ref().unwrap_or(registers).values()[usize::from(read)]
        };
        for turn in run {
            match turn {
                Turn::Write(rd, value, read) => {
                    write(&mut registers, (*rd, *value));
                    if rd != read || copy.is_some() {
                        out.say("read", seen(&registers, &copy, *read));
                    }
                }
                Turn::Read(read) => out.say("read", seen(&registers, &copy, *read)),
                Turn::Freeze(first) if copy.is_none() => {
                    out.say("live", true);
                    copy = Some(registers);
                    first.iter().for_each(|w| write(&mut registers, *w));
                    out.say("live", false);
                }
                Turn::Thaw(writes) if copy.is_some() => {
                    writes
                        .iter()
                        .flatten()
                        .for_each(|w| write(&mut registers, *w));
                    copy = None;
                    out.say("up to date", true);
                    registers.values()[1..]
                        .iter()
                        .for_each(|value| out.say("register", *value));
                }
                Turn::Freeze(_) | Turn::Thaw(_) => {}
                Turn::Clear => (registers, copy) = (RegisterShadow::default(), None),
            }
        }
    }
}

fn set_write(dut: &mut dyn Dut, write: Option<(u8, u32)>) {
    dut.set("write", write.is_some().into());
    if let Some((rd, value)) = write {
        dut.set("write_addr", rd.into());
        dut.set("write_data", value);
    }
}

fn thaw(dut: &mut dyn Dut, writes: &[Option<(u8, u32)>], out: &mut Records) {
    pulse(dut, "thaw");
    for write in writes {
        set_write(dut, *write);
        dut.cycle();
    }
    set_write(dut, None);
    let mut waited = 0;
    while dut.get("live") == 0 && waited < 40 {
        dut.cycle();
        waited += 1;
    }
    out.say("up to date", waited < 40);
    for register in 1..32 {
        dut.set("read_addr", register);
        dut.cycle();
        out.say("register", dut.get("read_data"));
    }
}

fn clear_registers(dut: &mut dyn Dut) {
    set_write(dut, None);
    dut.set("clear", 1);
    dut.set("write_data", 0);
    for register in 0..32 {
        dut.set("sweep", register);
        dut.cycle();
    }
    dut.set("clear", 0);
}
