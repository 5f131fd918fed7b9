//! Several harts: each is followed by a reference machine of its own, which learns what the others wrote
//! when it retires. So every load says whether the order of retirements is the order in memory.

use super::machine::{port, Trace};
use super::program::{around, memory, programs_that_meet, Around, Step, RAM, RAM_BYTES};
use crate::blocks::{Check, Records};
use crate::torture::follow::device;
use lookback_log_format::retire::lanes;
use lookback_log_format::Retire;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::prelude::*;

/// What a run ends with when the trap handler itself cannot run.
const LOCKUP: u32 = 0xdead_0000;

/// Memory in the order of retirements, and the machines that follow.
pub(in crate::blocks) struct Followers {
    ram: Vec<u32>,
    harts: Vec<Trace>,
    /// what the run may have ended with
    pub(in crate::blocks) endings: Vec<u32>,
    /// where memory was written in the last two cycles
    recent: [Option<u32>; 2],
}

impl Followers {
    pub(in crate::blocks) fn new(ram: &[u32], count: u32) -> Self {
        let trace = |id| {
            let mut trace = Trace::new(ram.to_vec());
            trace.follower.set_hart_id(id);
            trace
        };
        Self {
            ram: ram.to_vec(),
            harts: (0..count).map(trace).collect(),
            endings: Vec::new(),
            recent: [None; 2],
        }
    }

    /// Memory was written in this cycle, or not.
    pub(in crate::blocks) fn bus(&mut self, written: Option<u32>) {
        self.recent = [self.recent[1], written];
    }

    /// Somebody wrote, other than this hart.
    pub(in crate::blocks) fn written(&mut self, addr: u32, word: u32, mask: u8, by: Option<usize>) {
        let offset = addr.wrapping_sub(RAM) as usize / 4;
        let Some(own) = self.ram.get_mut(offset) else {
            return;
        };
        *own = *own & !lanes(mask) | word & lanes(mask);
        for (hart, trace) in self.harts.iter_mut().enumerate() {
            if Some(hart) != by {
                trace.follower.snoop(addr, *own);
            }
        }
    }

    pub(in crate::blocks) fn cycle(&mut self, dut: &mut dyn Dut, held: bool, out: &mut Records) {
        let shown = (dut.get("rvfi_valid") == 1).then(|| dut.get("rvfi_hart") as usize);
        for (hart, trace) in self.harts.iter_mut().enumerate() {
            if Some(hart) != shown {
                trace.waits(held, out);
            }
        }
        let Some(hart) = shown else {
            return;
        };
        let Some(trace) = self.harts.get_mut(hart) else {
            out.say("no such hart", hart as u32);
            return;
        };
        let port = port(dut);
        // A store-conditional may fail for a write of the DMA engine that is shown a cycle later.
        let is_sc = port.insn & 0x7f == 0x2f && port.insn >> 27 == 3 && !port.trap;
        if is_sc && port.mem_wmask == 0 && self.recent.contains(&Some(port.rs1_rdata)) {
            trace.follower.lose_reservation();
        }
        trace.retires(&port, out);
        if trace.locked {
            self.endings.push(LOCKUP);
        }
        if port.mem_wmask != 0 {
            self.written(port.mem_addr, port.mem_wdata, port.mem_wmask, Some(hart));
            self.endings.extend(ending(&port));
        }
    }

    /// When nothing is under way.
    pub(in crate::blocks) fn judge(&self, ram: &[u32], out: &mut Records) {
        let differ = |other: &[u32]| other.iter().zip(ram).position(|(a, b)| a != b);
        out.say("memory", differ(&self.ram).map_or(0, |at| at as u32 + 1));
        out.want("memory", 0u32);
        for trace in &self.harts {
            out.say(
                "a hart's",
                differ(&trace.follower.ram).map_or(0, |at| at as u32 + 1),
            );
            out.want("a hart's", 0u32);
        }
    }
}

/// What a store to the finisher ends the run with.
fn ending(port: &Retire) -> Option<u32> {
    let word = port.mem_wdata;
    let is_finisher = (0x0010_0000..0x0010_1000).contains(&port.mem_addr);
    let ends = matches!(word as u16, 0x5555 | 0x3333 | 0x7777) && port.mem_wmask & 3 == 3;
    let code = if port.mem_wmask == 15 {
        word
    } else {
        word & 0xffff
    };
    (is_finisher && ends).then_some(code)
}

/// Whom to hold back in this cycle.
pub(in crate::blocks) fn hold_back(random: &mut Random, around: &Around) -> u32 {
    match around.others {
        0 => 0,
        rate => (0..4).fold(0, |mask, hart| {
            mask | u32::from(random.chance(rate)) << hart
        }),
    }
}

/// Programs on a SoC with `N` harts: all run the same one on the same data.
pub struct Socs<const N: u32>;

impl<const N: u32> Check for Socs<N> {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        programs_that_meet(300..1500, true)
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        let Some(around) = around(run) else {
            return;
        };
        let mut ram = memory(run, around);
        let mut followers = Followers::new(&ram, N);
        let mut random = Random::new(around.seed);
        let mut ram_rdata = 0;
        // The word that the last cycle changed, as it was before.
        let mut before: Option<(usize, u32)> = None;
        dut.set("ram_bytes", RAM_BYTES);
        let end = u32::from(around.cycles);
        for cycle in 0..end + 200 {
            if cycle == 0 || around.reset.map(u32::from) == Some(cycle) && cycle < end {
                dut.set("reset", 1);
                dut.cycle();
                dut.set("reset", 0);
                followers = Followers::new(&ram, N);
            }
            let held = cycle >= end || random.chance(around.stall);
            dut.set("stall", held.into());
            let mask = if cycle >= end {
                0
            } else {
                hold_back(&mut random, around)
            };
            dut.set("hold_back", mask);
            dut.set("ram_rdata", ram_rdata);
            let finished = dut.get("finished") == 1;
            if finished && dut.get("rvfi_valid") == 1 {
                out.say("retired after the end", dut.get("rvfi_pc_rdata"));
            }
            followers.cycle(dut, held || !followers.endings.is_empty(), out);
            if dut.get("snoop_valid") == 1 {
                let addr = dut.get("snoop_addr");
                let at = addr.wrapping_sub(RAM) as usize / 4;
                let word = ram.get(at).copied().unwrap_or(0);
                // It was written two cycles ago, and perhaps again since.
                let word = before.filter(|b| b.0 == at).map_or(word, |b| b.1);
                followers.written(addr, word, 15, None);
                if dut.get("rvfi_valid") == 1 && dut.get("rvfi_mem_wmask") != 0 {
                    out.say("two writes at once", addr);
                }
            }
            before = None;
            let writes = dut.get("ram_req") == 1 && dut.get("ram_wstrb") != 0;
            followers.bus(writes.then(|| RAM + dut.get("ram_addr")));
            if dut.get("ram_req") == 1 {
                let mask = dut.get("ram_wstrb") as u8;
                let at = dut.get("ram_addr") as usize / 4;
                if let Some(own) = ram.get_mut(at) {
                    before = Some((at, *own));
                    ram_rdata = if mask == 0 { *own } else { ram_rdata };
                    *own = *own & !lanes(mask) | dut.get("ram_wdata") & lanes(mask);
                }
            }
            dut.cycle();
        }
        followers.judge(&ram, out);
        let finished = dut.get("finished") == 1;
        out.say("finished", finished);
        out.want("finished", !followers.endings.is_empty());
        if finished {
            let code = dut.get("finish_code");
            out.say("code", followers.endings.contains(&code));
            out.want("code", true);
        }
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

/// Programs on `N` harts without bus and devices: the driver is those, and somebody who writes.
pub struct Clusters<const N: u32>;

impl<const N: u32> Check for Clusters<N> {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        programs_that_meet(300..1500, false)
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        let Some(around) = around(run) else {
            return;
        };
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        let ram = memory(run, around);
        let mut bus = ClusterBus {
            followers: Followers::new(&ram, N),
            ram,
            around,
            random: Random::new(around.seed),
            ram_rdata: 0,
            asked: None,
            other: None,
            snoop: None,
            rest: 0,
            ending: false,
        };
        let end = u32::from(around.cycles);
        for cycle in 0..end + 200 {
            bus.cycle(dut, cycle >= end, out);
        }
        bus.followers.judge(&bus.ram, out);
        out.say("ended", dut.get("ended"));
        out.want("ended", bus.ending);
        out.say("lockup", dut.get("lockup"));
        out.want("lockup", bus.followers.endings.contains(&LOCKUP));
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

struct ClusterBus<'a> {
    followers: Followers,
    ram: Vec<u32>,
    around: &'a Around,
    random: Random,
    ram_rdata: u32,
    /// the device that was asked in the last cycle: address, mask, data
    asked: Option<(u32, u32, u32)>,
    /// somebody else wants to read or write: where, what
    other: Option<(u32, Option<u32>)>,
    /// they wrote in the last cycle
    snoop: Option<(u32, u32)>,
    rest: u32,
    ending: bool,
}

impl ClusterBus<'_> {
    fn cycle(&mut self, dut: &mut dyn Dut, is_over: bool, out: &mut Records) {
        let random = &mut self.random;
        self.rest = self.rest.saturating_sub(1);
        if self.other.is_none() && self.rest == 0 && !is_over && random.chance(self.around.others) {
            // Near what is reserved, or where the program is.
            let base = if random.chance(700) { 0x5000 } else { 0x400 };
            let addr = RAM + base + 4 * random.below(4);
            let at = (addr - RAM) as usize / 4;
            let word = if base == 0x400 {
                self.ram[at]
            } else {
                random.word()
            };
            self.other = Some((addr, random.chance(600).then_some(word)));
        }
        self.ending |=
            random.chance(u32::from(self.around.vectored)) || is_over && self.around.vectored;
        let held = is_over || random.chance(self.around.stall);
        let (mask, software) = if is_over {
            (0, 0)
        } else {
            let software = random.word() & random.word() & random.word();
            (hold_back(random, self.around), software)
        };
        for (port, value) in [
            ("stall", held.into()),
            ("ending", self.ending.into()),
            ("hold_back", mask),
            ("ram_rdata", self.ram_rdata),
            ("device_rdata", random.word()),
            ("from_device", self.asked.is_some().into()),
            (
                "dma_read",
                self.other.is_some_and(|other| other.1.is_none()).into(),
            ),
            (
                "dma_write",
                self.other.is_some_and(|other| other.1.is_some()).into(),
            ),
            ("dma_addr", self.other.map_or(0, |other| other.0)),
            ("software", software),
            ("timer", 0),
            ("external", 0),
            ("time_low", random.word()),
            ("time_high", random.word()),
        ] {
            dut.set(port, value);
        }
        if let Some((addr, mask, wdata)) = self.asked.take() {
            for (port, wanted) in [
                ("device_addr", addr & !3),
                ("device_mask", mask),
                ("device_wdata", wdata),
            ] {
                out.say(port, dut.get(port));
                out.want(port, wanted);
            }
        }
        let requests = dut.get("req") == 1;
        let (addr, mask) = (dut.get("req_addr"), dut.get("req_mask"));
        let in_ram = addr.wrapping_sub(RAM) < RAM_BYTES;
        let is_fetch = dut.get("req_fetch") == 1;
        let answers = in_ram || !is_fetch && device(addr, mask.count_ones());
        dut.set("fault", (requests && !answers).into());
        self.followers.cycle(dut, held || self.ending, out);
        if let Some((addr, word)) = self.snoop.take() {
            self.followers.written(addr, word, 15, None);
        }
        if dut.get("dma_turn") == 1 {
            if requests {
                out.say("two at once", addr);
            }
            if let Some((addr, Some(word))) = self.other {
                self.ram[(addr - RAM) as usize / 4] = word;
                self.snoop = Some((addr, word));
            }
            if self.other.take().is_some() {
                self.rest = 2;
            }
        }
        if requests && answers {
            let wdata = dut.get("req_wdata");
            let is_write = dut.get("req_write") == 1;
            if !in_ram {
                self.asked = Some((addr, mask, wdata));
            } else if is_write {
                let lanes = lanes(mask as u8);
                let own = &mut self.ram[(addr - RAM) as usize / 4];
                *own = *own & !lanes | wdata & lanes;
            } else {
                self.ram_rdata = self.ram[(addr - RAM) as usize / 4];
            }
        }
        dut.cycle();
    }
}
