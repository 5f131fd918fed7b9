//! The hart and the SoC under random programs: what retires is followed by the reference machine of
//! `torture`, which shares nothing with the hart.

use super::program::{around, memory, programs, Around, Step, RAM, RAM_BYTES};
use crate::blocks::{Check, Records};
use crate::torture::asm::WFI;
use crate::torture::follow::{device, Follower};
use lookback_log_format::retire::lanes;
use lookback_log_format::Retire;
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::prelude::*;

/// Cycles after which an instruction must have retired.
const PATIENCE: u32 = 200;

/// RAM, and the machine that follows.
pub struct Trace {
    /// RAM, in words.
    pub ram: Vec<u32>,
    pub(super) follower: Follower,
    /// the pc of the last retirement, if it trapped
    trapped: Option<u32>,
    /// the last two retirements trapped at one pc
    pub(super) locked: bool,
    asleep: bool,
    retired: u32,
    /// cycles without a retirement in which one was possible
    idle: u32,
    failed: bool,
}

impl Trace {
    /// After a reset, with this RAM.
    pub fn new(ram: Vec<u32>) -> Self {
        Self {
            follower: Follower::new(RAM, ram.clone(), None),
            ram,
            trapped: None,
            locked: false,
            asleep: false,
            retired: 0,
            idle: 0,
            failed: false,
        }
    }

    /// Follows what retires in this cycle.
    pub fn follow(&mut self, dut: &mut dyn Dut, held: bool, out: &mut Records) -> Option<Retire> {
        if dut.get("rvfi_valid") == 0 {
            self.waits(held, out);
            return None;
        }
        let port = port(dut);
        self.retires(&port, out);
        Some(port)
    }

    /// Nothing retires in this cycle.
    pub(super) fn waits(&mut self, held: bool, out: &mut Records) {
        self.idle += u32::from(!held && !self.asleep);
        if self.idle > PATIENCE && !self.failed {
            self.failed = true;
            out.say("hangs after instruction", self.retired);
        }
    }

    /// An instruction retires in this cycle.
    pub(super) fn retires(&mut self, port: &Retire, out: &mut Records) {
        self.idle = 0;
        self.retired += 1;
        self.asleep = port.insn == WFI && !port.trap;
        self.locked = port.trap && self.trapped == Some(port.pc_rdata);
        self.trapped = port.trap.then_some(port.pc_rdata);
        if !self.failed {
            if let Err(difference) = self.follower.follow(port) {
                self.failed = true;
                out.say("instruction", self.retired);
                out.want("instruction", self.retired);
                out.say(difference.what, difference.found);
                out.want(difference.what, difference.expected);
            }
        }
    }

    /// Writes lanes of a word.
    pub fn write(&mut self, offset: u32, word: u32, mask: u32) {
        let lanes = lanes(mask as u8);
        if let Some(own) = self.ram.get_mut(offset as usize / 4) {
            *own = *own & !lanes | word & lanes;
        }
    }

    /// A word.
    pub fn read(&self, offset: u32) -> u32 {
        self.ram.get(offset as usize / 4).copied().unwrap_or(0)
    }

    /// When nothing is under way, RAM is what the instructions made of it.
    pub fn compare_memory(&self, out: &mut Records) {
        let words = self.ram.iter().zip(&self.follower.ram).zip(0u32..);
        for ((own, wanted), at) in words.filter(|((own, wanted), _)| own != wanted) {
            out.say("word", at);
            out.want("word", at);
            out.say("holds", *own);
            out.want("holds", *wanted);
        }
    }
}

/// The retirement port.
pub(in crate::blocks) fn port(dut: &mut dyn Dut) -> Retire {
    let mut word = |port: &str| dut.get(port);
    Retire {
        order: 0,
        insn: word("rvfi_insn"),
        trap: word("rvfi_trap") == 1,
        intr: word("rvfi_intr") == 1,
        mode: word("rvfi_mode") as u8,
        rs1_addr: word("rvfi_rs1_addr") as u8,
        rs2_addr: word("rvfi_rs2_addr") as u8,
        rs1_rdata: word("rvfi_rs1_rdata"),
        rs2_rdata: word("rvfi_rs2_rdata"),
        rd_addr: word("rvfi_rd_addr") as u8,
        rd_wdata: word("rvfi_rd_wdata"),
        pc_rdata: word("rvfi_pc_rdata"),
        pc_wdata: word("rvfi_pc_wdata"),
        mem_addr: word("rvfi_mem_addr"),
        mem_rmask: word("rvfi_mem_rmask") as u8,
        mem_wmask: word("rvfi_mem_wmask") as u8,
        mem_rdata: word("rvfi_mem_rdata"),
        mem_wdata: word("rvfi_mem_wdata"),
    }
}

/// The hart alone: the driver is the bus, the devices, and somebody else who writes.
pub struct Programs;

impl Check for Programs {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        programs(300..1500, false)
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        let Some(around) = around(run) else {
            return;
        };
        let mut bus = HartBus {
            trace: Trace::new(memory(run, around)),
            around,
            random: Random::new(around.seed),
            ram_rdata: 0,
            from_device: false,
            software: [false; 2],
            lines: [0; 2],
            other: None,
            rest: 0,
            several: around.seed & 1 == 1,
            locked: false,
            soon: false,
            wrote: None,
            shown: Vec::new(),
        };
        dut.set("several", bus.several.into());
        dut.set("hart_id", 0);
        for cycle in 0..around.cycles {
            if cycle == 0 || around.reset == Some(cycle) {
                dut.set("reset", 1);
                dut.set("other_write", 0);
                dut.cycle();
                dut.set("reset", 0);
                let ram = std::mem::take(&mut bus.trace.ram);
                bus.trace = Trace::new(ram);
                (bus.software, bus.other) = ([false; 2], None);
                bus.shown.clear();
                (bus.locked, bus.soon, bus.wrote) = (false, false, None);
            }
            let is_stalled = bus.random.chance(around.stall);
            bus.cycle(dut, is_stalled, out);
        }
        // What is under way ends.
        (0..80).for_each(|_| bus.cycle(dut, true, out));
        (0..2).for_each(|_| bus.show(1));
        bus.trace.compare_memory(out);
        out.say("lockup", dut.get("lockup"));
        out.want("lockup", bus.trace.locked);
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

struct HartBus<'a> {
    trace: Trace,
    around: &'a Around,
    random: Random,
    ram_rdata: u32,
    from_device: bool,
    /// the CLINT's bit, now and in the next cycle
    software: [bool; 2],
    /// cycles for which timer and external line are high
    lines: [u32; 2],
    /// somebody else's write
    other: Option<(u32, u32)>,
    /// cycles until the next one
    rest: u32,
    /// there are other harts: they take cycles from this one
    several: bool,
    /// this one has said that nobody else may access memory now, and that it may
    locked: bool,
    soon: bool,
    /// where one of them wrote in the last cycle
    wrote: Option<u32>,
    /// their writes, with the cycles until they are known
    shown: Vec<(u32, u32, u32)>,
}

impl HartBus<'_> {
    /// Alone, a hart leaves others the time between two instructions; among several, any cycle but
    /// those of an AMO, unless the write goes to an instruction that is under way.
    fn may_others_write(&self, dut: &mut dyn Dut, addr: u32) -> bool {
        if !self.several {
            return dut.get("between") == 1;
        }
        let at_pc = dut.get("under_way") == 1 && dut.get("rvfi_pc_rdata") == addr;
        !self.locked && !at_pc
    }

    /// The reference machine learns of writes that are so many cycles old: a hart among several retires
    /// what came before by then, and nothing that came after.
    fn show(&mut self, age: u32) {
        let known: Vec<_> = self
            .shown
            .iter()
            .copied()
            .filter(|write| write.2 == age)
            .collect();
        self.shown.retain(|write| write.2 != age);
        for (addr, word, _) in known {
            self.trace.follower.snoop(addr, word);
        }
        self.shown.iter_mut().for_each(|write| write.2 += 1);
    }

    fn cycle(&mut self, dut: &mut dyn Dut, is_stalled: bool, out: &mut Records) {
        let random = &mut self.random;
        for line in &mut self.lines {
            *line = line.saturating_sub(1);
            if random.chance(self.around.lines) {
                *line = random.below(30);
            }
        }
        self.rest = self.rest.saturating_sub(1);
        if self.other.is_none() && self.rest == 0 && random.chance(self.around.others) {
            // Near what is reserved.
            let addr = RAM + 0x5000 + 4 * random.below(2);
            self.other = Some((addr, random.word()));
        }
        let other_addr = self.other.map_or(RAM + 0x5000, |(addr, _)| addr);
        for (port, value) in [
            ("stall", is_stalled.into()),
            ("ram_rdata", self.ram_rdata),
            ("device_rdata", random.word()),
            ("from_device", self.from_device.into()),
            (
                "other_write",
                (!self.several && self.other.is_some()).into(),
            ),
            ("software", self.software[0].into()),
            ("timer", (self.lines[0] > 0).into()),
            ("external", (self.lines[1] > 0).into()),
            ("time_low", random.word()),
            ("time_high", random.word()),
        ] {
            dut.set(port, value);
        }
        let others_turn = self.other.is_some() && self.may_others_write(dut, other_addr);
        let may = self.soon && !others_turn && (self.locked || self.random.chance(700));
        let granted = !self.several || may;
        dut.set("others_write", self.wrote.is_some().into());
        dut.set("other_addr", self.wrote.unwrap_or(other_addr));
        self.wrote = (self.several && others_turn).then_some(other_addr);
        dut.set("granted", granted.into());
        // One port shows the retirements of all harts, those that access memory at once.
        let accesses = dut.get("rvfi_mem_rmask") | dut.get("rvfi_mem_wmask") != 0;
        let shown = !self.several || accesses || self.random.chance(700);
        dut.set("shown", shown.into());
        let requests = dut.get("req") == 1;
        self.soon = dut.get("soon") == 1;
        self.locked = dut.get("soon_lock") == 1;
        let addr = dut.get("req_addr");
        let mask = dut.get("req_mask");
        let in_ram = addr.wrapping_sub(RAM) < RAM_BYTES;
        let is_fetch = dut.get("req_fetch") == 1;
        let answers = in_ram || !is_fetch && device(addr, mask.count_ones());
        dut.set("fault", (requests && !answers).into());
        let held = is_stalled || dut.get("lockup") == 1;
        self.show(1);
        self.trace.follow(dut, held, out);
        if others_turn {
            if let Some((addr, word)) = self.other.take() {
                self.trace.write(addr - RAM, word, 15);
                self.shown.push((addr, word, 0));
                self.rest = 3;
            }
        }
        if !self.several {
            self.show(0);
        }
        self.software[0] = self.software[1];
        if requests && answers {
            self.from_device = !in_ram;
            let is_write = dut.get("req_write") == 1;
            let word = dut.get("req_wdata");
            if is_write && in_ram {
                self.trace.write(addr - RAM, word, mask);
            } else if is_write && addr == 0x0200_0000 {
                self.software[1] = word & 1 == 1;
            } else if in_ram {
                self.ram_rdata = self.trace.read(addr - RAM);
            }
        }
        dut.cycle();
    }
}
