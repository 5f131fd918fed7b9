//! Devices with registers: CLINT, PLIC, GPIO, and the hart's counters.

use crate::blocks::{seldom, word, Inputs, Lockstep};
use proptest::collection::vec;
use proptest::prelude::*;

/// One access to a device, or none.
#[derive(Clone, Debug)]
pub struct Access {
    selected: bool,
    write: bool,
    addr: u32,
    wdata: u32,
    /// lines and enables that come in
    lines: u32,
    reset: bool,
}

/// Accesses to registers of a list, and near them.
fn accesses(addresses: &'static [u32], wdata: BoxedStrategy<u32>) -> BoxedStrategy<Vec<Access>> {
    let addr = prop_oneof![
        12 => proptest::sample::select(addresses),
        1 => (proptest::sample::select(addresses), 2..24u32).prop_map(|(addr, bit)| addr ^ 1 << bit),
    ];
    let what = (seldom(500), any::<bool>(), addr, wdata);
    let lines = prop_oneof![word(), Just(u32::MAX), Just(0u32)];
    let access = (what, lines, seldom(6)).prop_map(|(what, lines, reset)| {
        let (selected, write, addr, wdata) = what;
        Access {
            selected,
            write,
            addr,
            wdata,
            lines,
            reset,
        }
    });
    vec(access, 1..200).boxed()
}

fn ports(step: &Access) -> Vec<(&'static str, u32)> {
    vec![
        ("selected", step.selected.into()),
        ("write", step.write.into()),
        ("addr", step.addr),
        ("wdata", step.wdata),
        ("reset", step.reset.into()),
    ]
}

/// The CLINT as two numbers of 64 bits.
#[derive(Default)]
pub struct Timer {
    software: bool,
    time: u64,
    /// cycles since time last moved
    part: u32,
    compare: Option<u64>,
    /// `mtimecmp` as it is read, written or not
    kept: u64,
    timer: bool,
}

fn put(whole: u64, high: bool, word: u32) -> u64 {
    match high {
        true => whole & 0xffff_ffff | u64::from(word) << 32,
        false => whole & !0xffff_ffff | u64::from(word),
    }
}

impl Lockstep for Timer {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let wdata = prop_oneof![0..4u32, word(), (0..8u32).prop_map(|n| u32::MAX - n)].boxed();
        accesses(&[0, 0x4000, 0x4004, 0xbff8, 0xbffc], wdata)
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let mut inputs = ports(step);
        inputs.push(("running", u32::from(step.lines != 0)));
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let addr = inputs.get("addr") & 0xffff;
        let (time, compare) = (self.time, self.kept);
        let rdata = match (inputs.is("selected"), addr) {
            (true, 0) => self.software.into(),
            (true, 0x4000) => compare as u32,
            (true, 0x4004) => (compare >> 32) as u32,
            (true, 0xbff8) => time as u32,
            (true, 0xbffc) => (time >> 32) as u32,
            _ => 0,
        };
        let seen = vec![
            ("rdata", rdata),
            ("software", self.software.into()),
            ("timer", self.timer.into()),
            ("time_low", time as u32),
            ("time_high", (time >> 32) as u32),
        ];
        self.timer = self.compare.is_some_and(|compare| time >= compare);
        if inputs.is("running") {
            self.part += 1;
            if self.part == 5 {
                self.part = 0;
                self.time = time.wrapping_add(1);
            }
        }
        if inputs.is("selected") && inputs.is("write") {
            let wdata = inputs.get("wdata");
            match addr {
                0 => self.software = wdata & 1 == 1,
                0x4000 | 0x4004 => {
                    self.kept = put(self.kept, addr == 0x4004, wdata);
                    self.compare = Some(self.kept);
                }
                0xbff8 | 0xbffc => self.time = put(self.time, addr == 0xbffc, wdata),
                _ => {}
            }
        }
        if inputs.is("reset") {
            let timer = self.timer;
            *self = Self {
                timer,
                ..Self::default()
            };
        }
        seen
    }
}

/// The PLIC: two sources by number.
#[derive(Default)]
pub struct Sources {
    priority: [u32; 2],
    enabled: u32,
    threshold: u32,
    claimed: u32,
    /// asked for and not claimed, though the line may be low again
    requested: u32,
}

impl Lockstep for Sources {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let wdata = prop_oneof![
            6 => 1..3u32,
            4 => 0..12u32,
            6 => Just(0xc00u32),
            1 => Just(0x400),
            1 => word()
        ];
        const ADDRESSES: &[u32] = &[
            0x0c00_0028,
            0x0c00_002c,
            0x0c00_1000,
            0x0c00_2000,
            0x0c20_0000,
            0x0c20_0004,
            0x0c20_0004,
        ];
        accesses(ADDRESSES, wdata.boxed())
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let mut inputs = ports(step);
        inputs.push(("console", step.lines & 1));
        inputs.push(("dma", step.lines >> 1 & 1));
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let lines = inputs.get("console") << 10 | inputs.get("dma") << 11;
        let pending = (self.requested | lines) & !self.claimed;
        self.requested = pending;
        let rank = |source: u32| match (pending & self.enabled) >> source & 1 {
            0 => 0,
            _ => self.priority[source as usize - 10],
        };
        let (console, dma) = (rank(10), rank(11));
        // The lower number goes first among equals.
        let best = match console.max(dma) {
            0 => 0,
            highest if console == highest => 10,
            _ => 11,
        };
        let selected = inputs.is("selected");
        let addr = inputs.get("addr");
        let rdata = match (selected, addr) {
            (true, 0x0c00_0028) => self.priority[0],
            (true, 0x0c00_002c) => self.priority[1],
            (true, 0x0c00_1000) => pending,
            (true, 0x0c00_2000) => self.enabled,
            (true, 0x0c20_0000) => self.threshold,
            (true, 0x0c20_0004) => best,
            _ => 0,
        };
        let interrupt = console > self.threshold || dma > self.threshold;
        let mut seen = vec![("interrupt", interrupt.into())];
        let writes = inputs.is("write");
        if !writes {
            seen.push(("rdata", rdata));
        }
        let wdata = inputs.get("wdata");
        match (selected, writes, addr) {
            (true, false, 0x0c20_0004) if best != 0 => self.claimed |= 1 << best,
            (true, true, 0x0c20_0004) if matches!(wdata, 10 | 11) => self.claimed &= !(1 << wdata),
            (true, true, 0x0c00_0028) => self.priority[0] = wdata & 7,
            (true, true, 0x0c00_002c) => self.priority[1] = wdata & 7,
            (true, true, 0x0c00_2000) => self.enabled = wdata & 0xc00,
            (true, true, 0x0c20_0000) => self.threshold = wdata & 7,
            _ => {}
        }
        if inputs.is("reset") {
            *self = Self::default();
        }
        seen
    }
}

/// Pins that go out, and pins that come in two cycles later.
#[derive(Default)]
pub struct Pins {
    out: u32,
    past: [u32; 2],
}

impl Lockstep for Pins {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        accesses(&[0, 4], word())
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        vec![
            ("selected", step.selected.into()),
            ("write", step.write.into()),
            ("second", step.addr >> 2 & 1),
            ("wdata", step.wdata),
            ("pins_in", step.lines),
            ("reset", step.reset.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let (selected, second) = (inputs.is("selected"), inputs.is("second"));
        let mut seen = vec![("pins_out", self.out)];
        if !(selected && inputs.is("write")) {
            let rdata = match (selected, second) {
                (false, _) => 0,
                (true, false) => self.out,
                (true, true) => self.past[1],
            };
            seen.push(("rdata", rdata));
        }
        self.past = [inputs.get("pins_in"), self.past[0]];
        if selected && inputs.is("write") && !second {
            self.out = inputs.get("wdata");
        }
        if inputs.is("reset") {
            self.out = 0;
        }
        seen
    }
}

/// `mcycle` and `minstret`.
#[derive(Default)]
pub struct Counted(pub(super) [u64; 2]);

/// A cycle of the counters.
#[derive(Clone, Debug)]
pub struct Count {
    counts: [bool; 2],
    /// which half is written, if one is
    write: Option<u8>,
    data: u32,
    reset: bool,
}

impl Lockstep for Counted {
    type Step = Count;

    fn runs() -> BoxedStrategy<Vec<Count>> {
        let data = prop_oneof![word(), (0..4u32).prop_map(|n| u32::MAX - n)];
        let write = (seldom(150), 0..4u8).prop_map(|(is, half)| is.then_some(half));
        let count = (seldom(800), seldom(600), write, data, seldom(5)).prop_map(
            |(cycle, instruction, write, data, reset)| Count {
                counts: [cycle, instruction],
                write,
                data,
                reset,
            },
        );
        vec(count, 1..150).boxed()
    }

    fn inputs(&self, step: &Count) -> Vec<(&'static str, u32)> {
        let half = |half: u8| u32::from(step.write == Some(half));
        vec![
            ("reset", step.reset.into()),
            ("count_cycle", step.counts[0].into()),
            ("count_instruction", step.counts[1].into()),
            ("write_cycle", half(0)),
            ("write_cycle_high", half(1)),
            ("write_instruction", half(2)),
            ("write_instruction_high", half(3)),
            ("write_data", step.data),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let [cycle, instruction] = self.0;
        let seen = vec![
            ("cycle", cycle as u32),
            ("cycle_high", (cycle >> 32) as u32),
            ("instruction", instruction as u32),
            ("instruction_high", (instruction >> 32) as u32),
        ];
        let counted = ["count_cycle", "count_instruction"];
        let written = [
            ["write_cycle", "write_cycle_high"],
            ["write_instruction", "write_instruction_high"],
        ];
        for (n, count) in self.0.iter_mut().enumerate() {
            *count = count.wrapping_add(u64::from(inputs.is(counted[n])));
            for (port, high) in written[n].iter().zip([false, true]) {
                if inputs.is(port) {
                    *count = put(*count, high, inputs.get("write_data"));
                }
            }
        }
        if inputs.is("reset") {
            self.0 = [0; 2];
        }
        seen
    }
}

/// What each hart after the first has of the CLINT: hart 1 or 3.
#[derive(Default)]
pub struct OwnTimer {
    software: bool,
    compare: Option<u64>,
    kept: u64,
    timer: bool,
}

impl Lockstep for OwnTimer {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let wdata = prop_oneof![0..4u32, word(), (0..8u32).prop_map(|n| u32::MAX - n)].boxed();
        const PLACES: &[u32] = &[0, 4, 8, 12, 0x4000, 0x4008, 0x400c, 0x4018, 0x401c, 0xbff8];
        accesses(PLACES, wdata)
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let mut inputs = ports(step);
        inputs.extend([
            ("number", if step.lines & 1 == 0 { 1 } else { 3 }),
            ("time_low", step.lines & 7),
            ("time_high", step.lines >> 30),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let (addr, number) = (inputs.get("addr") & 0xffff, inputs.get("number"));
        let (own, compare) = (4 * number, 0x4000 + 8 * number);
        let rdata = match addr {
            _ if !inputs.is("selected") => 0,
            _ if addr == own => self.software.into(),
            _ if addr == compare => self.kept as u32,
            _ if addr == compare + 4 => (self.kept >> 32) as u32,
            _ => 0,
        };
        let seen = vec![
            ("rdata", rdata),
            ("software", self.software.into()),
            ("timer", self.timer.into()),
        ];
        let time = u64::from(inputs.get("time_high")) << 32 | u64::from(inputs.get("time_low"));
        self.timer = self.compare.is_some_and(|compare| time >= compare);
        if inputs.is("selected") && inputs.is("write") {
            let wdata = inputs.get("wdata");
            if addr == own {
                self.software = wdata & 1 == 1;
            } else if addr & !4 == compare {
                self.kept = put(self.kept, addr & 4 != 0, wdata);
                self.compare = Some(self.kept);
            }
        }
        if inputs.is("reset") {
            let timer = self.timer;
            *self = Self {
                timer,
                ..Self::default()
            };
        }
        seen
    }
}
