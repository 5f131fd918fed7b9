//! What stands at the port of a compact recorder: the next address, registers that were told, the known
//! image. Each by the words of section 10.

use crate::blocks::{retirement_ports, seldom, word, Inputs, Lockstep};
use lookback_hdl::compact::config::TINY;
use lookback_hdl::recorder::config::CLOCK_HZ;
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::compact::sources;
use lookback_model::known_code::KnownCode;
use proptest::collection::vec;
use proptest::prelude::*;

/// Where the instruction before leads, as far as the reader can tell.
#[derive(Clone, Copy)]
enum Previous {
    Leads(u32),
    Trapped(u32),
    Returned,
}

/// The next address: what the reader expects, and what it gets.
pub struct Expectations {
    previous: Previous,
    /// the retirement of the cycle before, and what it met
    shown: Option<(u32, bool, Previous)>,
}

/// One cycle of the retirement port.
#[derive(Clone, Debug)]
pub struct Retirement {
    valid: bool,
    retire: Retire,
    jumps: bool,
}

impl Default for Expectations {
    fn default() -> Self {
        Self {
            previous: Previous::Leads(0),
            shown: None,
        }
    }
}

impl Lockstep for Expectations {
    type Step = Retirement;

    fn runs() -> BoxedStrategy<Vec<Retirement>> {
        let insn = prop_oneof![
            3 => Just(0x13u32),
            2 => Just(0x1050_0073),
            2 => Just(0x3020_0073),
            2 => Just(0x1050_1073),
            1 => any::<u32>(),
        ];
        let pc = || (0..4u32).prop_map(|n| 0x8000_0000 + 4 * n);
        let retirement = (insn, pc(), pc(), seldom(200), seldom(100), seldom(700));
        let retirement = retirement.prop_map(|(insn, pc_rdata, pc_wdata, trap, jumps, valid)| {
            let retire = Retire {
                insn,
                pc_rdata,
                pc_wdata,
                trap,
                ..Retire::default()
            };
            Retirement {
                valid,
                retire,
                jumps,
            }
        });
        vec(retirement, 1..200).boxed()
    }

    fn inputs(&self, step: &Retirement) -> Vec<(&'static str, u32)> {
        let used = ["rvfi_insn", "rvfi_trap", "rvfi_pc_rdata", "rvfi_pc_wdata"];
        let ports = retirement_ports(&step.retire).into_iter();
        let mut inputs: Vec<_> = ports.filter(|(name, _)| used.contains(name)).collect();
        inputs.push(("rvfi_valid", step.valid.into()));
        inputs.push(("rvfi_jumps", step.jumps.into()));
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = Vec::new();
        if let Some((pc, wfi, before)) = self.shown.take() {
            let redirect = matches!(before, Previous::Leads(to) if to != pc);
            seen.extend([
                ("redirect", u32::from(redirect)),
                ("after_trap", matches!(before, Previous::Trapped(_)).into()),
                ("after_return", matches!(before, Previous::Returned).into()),
                ("wfi", wfi.into()),
            ]);
            if let Previous::Leads(from) | Previous::Trapped(from) = before {
                seen.push(("from", from));
            }
        }
        if inputs.is("rvfi_valid") {
            let (insn, pc) = (inputs.get("rvfi_insn"), inputs.get("rvfi_pc_rdata"));
            self.shown = Some((pc, insn == 0x1050_0073, self.previous));
            self.previous = if inputs.is("rvfi_trap") {
                Previous::Trapped(pc)
            } else if insn & 0x707f == 0x73 {
                Previous::Returned
            } else if inputs.is("rvfi_jumps") {
                Previous::Leads(pc.wrapping_add(4))
            } else {
                Previous::Leads(inputs.get("rvfi_pc_wdata"))
            };
        }
        seen
    }
}

/// Key groups and the registers that were told in them.
#[derive(Default)]
pub struct Registers {
    told: u32,
    open: bool,
    intervals: u32,
}

/// One cycle's instruction and what becomes of it.
#[derive(Clone, Debug)]
pub struct Told {
    insn: u32,
    rd: u8,
    accept: bool,
    last: bool,
    gap: bool,
    clear: bool,
    key_every: u16,
}

impl Registers {
    fn is_key(&self) -> bool {
        !self.open && self.intervals == 0
    }
}

impl Lockstep for Registers {
    type Step = Told;

    fn runs() -> BoxedStrategy<Vec<Told>> {
        let opcode = prop_oneof![
            8 => prop_oneof![
                Just(0x03u32), Just(0x13), Just(0x67), Just(0x73), Just(0x63), Just(0x23),
                Just(0x33), Just(0x2f),
            ],
            1 => Just(0x37),
            1 => 0..128u32,
        ];
        let insn = (opcode, any::<u32>(), seldom(200)).prop_map(|(opcode, rest, reserve)| {
            let insn = opcode | rest & !0x7f;
            if reserve {
                insn & 0x07ff_ffff | 0x1000_0000
            } else {
                insn
            }
        });
        let step = (
            (insn, prop_oneof![Just(0u8), 0..32u8], 1..4u16),
            (seldom(800), seldom(80), seldom(20), seldom(5)),
        );
        let step = step.prop_map(|((insn, rd, key_every), (accept, last, gap, clear))| Told {
            insn,
            rd,
            accept,
            last,
            gap,
            clear,
            key_every,
        });
        vec(step, 1..300)
            .prop_map(|mut steps| {
                steps[0].clear = true;
                steps
            })
            .boxed()
    }

    fn inputs(&self, step: &Told) -> Vec<(&'static str, u32)> {
        let accept = step.accept && !step.clear;
        vec![
            ("insn", step.insn),
            ("rd_addr", step.rd.into()),
            ("accept", accept.into()),
            ("last", (step.last && (accept || self.open)).into()),
            ("gap_start", (step.gap && !accept).into()),
            ("clear", step.clear.into()),
            ("key_every", step.key_every.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = Vec::new();
        let key = self.is_key();
        let mut told = if key { 1 } else { self.told };
        if !inputs.is("clear") {
            let [left, right] = sources(inputs.get("insn"));
            let needs_left = told >> left & 1 == 0;
            told |= 1 << left;
            let needs_right = told >> right & 1 == 0;
            told |= 1 << right;
            seen.extend([
                ("key", u32::from(key)),
                ("left", needs_left.into()),
                ("right", needs_right.into()),
            ]);
        }
        if inputs.is("accept") {
            self.told = told | 1 << inputs.get("rd_addr");
            if !self.open {
                let intervals = match key {
                    true => inputs.get("key_every"),
                    false => self.intervals,
                };
                self.intervals = intervals - 1;
            }
            self.open = true;
        }
        if inputs.is("last") {
            self.open = false;
        }
        if inputs.is("gap_start") {
            self.intervals = 0;
        }
        if inputs.is("clear") {
            (self.open, self.intervals) = (false, 0);
        }
        seen
    }
}

/// What the registers hold, as far as retirements told since reset.
#[derive(Default)]
pub struct Sources([Option<u32>; 32]);

/// Two reads and perhaps a write.
#[derive(Clone, Debug)]
pub struct Read {
    sources: [u32; 2],
    write: Option<(u32, u32)>,
    reset: bool,
}

impl Lockstep for Sources {
    type Step = Read;

    fn runs() -> BoxedStrategy<Vec<Read>> {
        // Few registers, so that reads meet writes.
        let register = prop_oneof![3 => 0..4u32, 1 => 0..32u32];
        let written = prop_oneof![3 => 1..4u32, 1 => 1..32u32];
        let write = (seldom(500), written, word());
        let read = (proptest::array::uniform2(register), write, seldom(15)).prop_map(
            |(sources, (writes, rd, value), reset)| Read {
                sources,
                write: writes.then_some((rd, value)),
                reset,
            },
        );
        vec(read, 1..150)
            .prop_map(|mut reads| {
                reads[0].reset = true;
                reads
            })
            .boxed()
    }

    fn inputs(&self, step: &Read) -> Vec<(&'static str, u32)> {
        let (rd, value) = step.write.unwrap_or((step.sources[0], 0xbad));
        vec![
            ("reset", step.reset.into()),
            ("left_addr", step.sources[0]),
            ("right_addr", step.sources[1]),
            ("write", step.write.is_some().into()),
            ("write_addr", rd),
            ("write_data", value),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = Vec::new();
        for (addr, content, blank) in [
            ("left_addr", "left", "left_blank"),
            ("right_addr", "right", "right_blank"),
        ] {
            let register = self.0[inputs.get(addr) as usize];
            seen.push((blank, register.is_none().into()));
            seen.extend(register.map(|value| (content, value)));
        }
        if inputs.is("write") {
            self.0[inputs.get("write_addr") as usize] = Some(inputs.get("write_data"));
        }
        if inputs.is("reset") {
            self.0 = [None; 32];
        }
        seen
    }
}

/// The known image, with bitmaps that large windows go round many times.
pub struct Image {
    window: (u32, u32),
    known: KnownCode,
    /// entries that are still to be cleared
    clearing: u32,
    /// addresses of the cycle before, on the port
    before: (u32, u32),
}

/// One cycle at the known image.
#[derive(Clone, Debug)]
pub struct Access {
    restart: Option<(u32, u32)>,
    pc: u32,
    addr: u32,
    store: bool,
    snoop: Option<u32>,
}

const BLOCKS: u32 = 1 << TINY.dirty_bits;

fn image((image_lo, image_hi): (u32, u32)) -> KnownCode {
    KnownCode::new(&RecorderConfig {
        image_lo,
        image_hi,
        ..TINY.config(CLOCK_HZ)
    })
}

impl Default for Image {
    fn default() -> Self {
        Self {
            window: (0, 0),
            known: image((0, 0)),
            clearing: BLOCKS,
            before: (0, 0),
        }
    }
}

fn place() -> BoxedStrategy<u32> {
    let near = (0..0x400u32).prop_map(|n| 0x8000_0000 - 0x80 + 4 * n);
    prop_oneof![8 => near, 1 => word().prop_map(|a| a & !3)].boxed()
}

fn window() -> BoxedStrategy<(u32, u32)> {
    prop_oneof![
        Just((0x8000_0000, 0x8000_0200)),
        Just((0x8000_0040, 0x8000_1000)),
        Just((0x8000_0100, 0x8000_0100)),
        Just((0x0000_0000, 0xffff_ffc0)),
    ]
    .boxed()
}

impl Lockstep for Image {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let restart = (seldom(4), window()).prop_map(|(is, window)| is.then_some(window));
        let snoop = (seldom(30), place()).prop_map(|(is, place)| is.then_some(place));
        let access = (restart, place(), place(), seldom(80), snoop);
        let access = access.prop_map(|(restart, pc, addr, store, snoop)| Access {
            restart,
            pc,
            addr,
            store,
            snoop,
        });
        (window(), vec(access, 40..300))
            .prop_map(|(window, mut run)| {
                run[0].restart = Some(window);
                run
            })
            .boxed()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let (low, high) = step.restart.unwrap_or(self.window);
        let left = step.restart.map_or(self.clearing, |_| BLOCKS);
        let clears = left > 0;
        vec![
            ("clear", clears.into()),
            ("sweep", BLOCKS.wrapping_sub(left) % BLOCKS),
            ("image_lo", low),
            ("image_hi", high),
            ("rvfi_pc", step.pc),
            ("rvfi_addr", step.addr),
            ("pc", self.before.0),
            ("addr", self.before.1),
            ("store", (step.store && !clears).into()),
            ("snoop", (step.snoop.is_some() && !clears).into()),
            ("snoop_addr", step.snoop.unwrap_or(step.pc)),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let (pc, addr) = self.before;
        self.before = (inputs.get("rvfi_pc"), inputs.get("rvfi_addr"));
        if inputs.is("clear") {
            if inputs.get("sweep") == 0 {
                self.clearing = BLOCKS;
                self.window = (inputs.get("image_lo"), inputs.get("image_hi"));
                self.known = image(self.window);
            }
            self.clearing -= 1;
            // What was looked up while it was cleared, up to the last write, is no answer.
            self.before.0 |= 1;
            return Vec::new();
        }
        let mut seen = vec![
            ("code_inside", u32::from(self.known.in_window(pc))),
            ("data_inside", self.known.in_window(addr).into()),
        ];
        // The look-up beside the clearing's last write is shown after it.
        if pc & 1 == 0 {
            seen.push(("code_known", self.known.is_known(pc).into()));
            seen.push(("data_known", self.known.is_known(addr).into()));
        }
        if inputs.is("store") {
            self.known.write(addr);
        }
        if inputs.is("snoop") {
            self.known.write_by_other(inputs.get("snoop_addr"));
        }
        seen
    }
}
