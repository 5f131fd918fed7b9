//! The SoC, alone and as a board: random programs with everything that is outside played by the driver.

use super::machine::Trace;
use super::program::{around, memory, programs, Around, Step, RAM, RAM_BYTES};
use crate::blocks::{Check, Records};
use lookback_log_format::Retire;
use lookback_model::stimulus::{Event, Random};
use lookback_sim::block::Dut;
use proptest::prelude::*;

/// What a run ends with when the trap handler itself cannot run.
const LOCKUP: u32 = 0xdead_0000;

/// Everything around a SoC: RAM, console, pins, and the machine that follows.
pub struct Outside {
    /// RAM and the retirements.
    pub trace: Trace,
    random: Random,
    ram_rdata: u32,
    /// the byte that is offered to the console
    offered: Option<u8>,
    /// bytes that the console took since the reset, cycles that the next one has waited
    taken: u32,
    waited: u32,
    /// bytes that the console sent, and that the program wrote
    sent: [Vec<u8>; 2],
    /// the console's divisor is in the place of its data
    latch: bool,
    pins: u32,
    /// what the run ended with
    ended: Option<u32>,
    /// Retirements and other writes with their cycles, in order.
    pub events: Vec<(Event, u64)>,
    /// Cycles so far.
    pub cycle: u64,
    /// the SoC is the smallest one
    is_small: bool,
}

impl Outside {
    /// After a reset.
    pub fn new(run: &[Step], around: &Around) -> Self {
        Self {
            trace: Trace::new(memory(run, around)),
            random: Random::new(around.seed),
            ram_rdata: 0,
            offered: None,
            taken: 0,
            waited: 0,
            sent: [Vec::new(), Vec::new()],
            latch: false,
            pins: 0,
            ended: None,
            events: Vec::new(),
            cycle: 0,
            is_small: false,
        }
    }

    /// The SoC has neither PLIC nor pins nor DMA engine.
    pub fn set_small(&mut self, is_small: bool) {
        self.is_small = is_small;
        self.trace.follower.set_small(is_small);
    }

    /// Resets the SoC; RAM stays.
    pub fn reset(&mut self, dut: &mut dyn Dut) {
        dut.set("ram_bytes", RAM_BYTES);
        dut.set("console_rx_valid", 0);
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        let ram = std::mem::take(&mut self.trace.ram);
        self.trace = Trace::new(ram);
        self.trace.follower.set_small(self.is_small);
        (self.offered, self.latch, self.pins) = (None, false, 0);
        (self.taken, self.waited) = (0, 0);
        self.ended = None;
    }

    /// One cycle; `held` if no instruction may begin.
    pub fn cycle(&mut self, dut: &mut dyn Dut, held: bool, out: &mut Records) {
        let random = &mut self.random;
        if self.offered.is_none() && random.chance(20) {
            self.offered = Some(random.word() as u8);
        }
        dut.set("ram_rdata", self.ram_rdata);
        dut.set("console_rx_valid", self.offered.is_some().into());
        dut.set("console_rx_data", self.offered.unwrap_or(0).into());
        if random.chance(50) {
            dut.set("gpio_in", random.word());
        }
        let finished = dut.get("finished") == 1;
        if let Some(port) = self.trace.follow(dut, held || finished, out) {
            if finished {
                out.say("retired after the end", port.pc_rdata);
            }
            self.events.push((Event::Retire(port), self.cycle));
            self.leaves(&port);
        }
        if dut.get("snoop_valid") == 1 {
            let addr = dut.get("snoop_addr");
            let mask = dut.get("snoop_mask") as u8;
            let data = self.trace.read(addr.wrapping_sub(RAM));
            self.trace.follower.snoop(addr, data);
            self.events
                .push((Event::Snoop { addr, mask, data }, self.cycle));
        }
        if dut.get("console_tx_valid") == 1 {
            self.sent[0].push(dut.get("console_tx_data") as u8);
        }
        self.waited += u32::from(self.offered.is_some());
        if dut.get("console_rx_ready") == 1 {
            (self.offered, self.waited) = (None, 0);
            self.taken += 1;
        }
        if dut.get("ram_req") == 1 {
            let (addr, mask) = (dut.get("ram_addr"), dut.get("ram_wstrb"));
            if mask == 0 {
                self.ram_rdata = self.trace.read(addr);
            } else {
                self.trace.write(addr, dut.get("ram_wdata"), mask);
            }
        }
        dut.cycle();
        self.cycle += 1;
    }

    /// What an instruction does to the outside.
    fn leaves(&mut self, port: &Retire) {
        let (mask, word) = (port.mem_wmask, port.mem_wdata);
        if self.trace.locked {
            self.ended.get_or_insert(LOCKUP);
        }
        if mask == 0 {
            return;
        }
        match port.mem_addr {
            0x1000_0000 => {
                if mask & 1 != 0 && !self.latch {
                    self.sent[1].push(word as u8);
                }
                if mask & 8 != 0 {
                    self.latch = word >> 31 == 1;
                }
            }
            0x1001_2000..=0x1001_2fff if port.mem_addr & 4 == 0 => self.pins = word,
            0x0010_0000..=0x0010_0fff if matches!(word as u16, 0x5555 | 0x3333 | 0x7777) => {
                let code = if mask == 15 { word } else { word & 0xffff };
                self.ended.get_or_insert(code);
            }
            _ => {}
        }
    }

    /// Compares what came out. Memory only if nothing is under way.
    pub fn judge(&self, dut: &mut dyn Dut, is_still: bool, out: &mut Records) {
        let finished = dut.get("finished") == 1;
        if is_still || finished {
            self.trace.compare_memory(out);
            for (what, found, wanted) in [
                ("bytes sent", self.sent[0].len(), self.sent[1].len()),
                ("finished", finished.into(), self.ended.is_some().into()),
                ("pins", dut.get("gpio_out") as usize, self.pins as usize),
            ] {
                out.say(what, found as u32);
                out.want(what, wanted as u32);
            }
        }
        // It has room for the first of them.
        out.say("console is deaf", self.taken == 0 && self.waited > 4);
        out.want("console is deaf", false);
        for (found, wanted) in self.sent[0].iter().zip(&self.sent[1]) {
            out.say("sent", *found);
            out.want("sent", *wanted);
        }
        if finished {
            out.say("code", dut.get("finish_code"));
            out.want("code", self.ended.unwrap_or(0));
        }
    }
}

/// Programs on the SoC or the smallest one, or on the board that has no recorder.
pub struct System<const IS_BOARD: bool, const IS_SMALL: bool>;

impl<const IS_BOARD: bool, const IS_SMALL: bool> Check for System<IS_BOARD, IS_SMALL> {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        programs(300..1500, true)
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        drive::<IS_BOARD>(run, IS_SMALL, dut, out);
    }

    fn expect(_: &[Step], _: &mut Records) {}
}

fn drive<const IS_BOARD: bool>(run: &[Step], is_small: bool, dut: &mut dyn Dut, out: &mut Records) {
    let Some(around) = around(run) else {
        return;
    };
    let mut outside = Outside::new(run, around);
    outside.set_small(is_small);
    let mut random = Random::new(!around.seed);
    for cycle in 0..around.cycles {
        if cycle == 0 || around.reset == Some(cycle) {
            outside.reset(dut);
        }
        let held = !IS_BOARD && random.chance(around.stall);
        if IS_BOARD {
            // What the recorder would take means nothing.
            dut.set("hold", random.below(2));
            dut.set("log_rx", random.below(2));
            dut.set("bit_clocks", random.word());
        } else {
            dut.set("stall", held.into());
        }
        outside.cycle(dut, held, out);
    }
    if IS_BOARD {
        for (port, value) in [("stalled", 0u32), ("log_tx", 1)] {
            out.say(port, dut.get(port));
            out.want(port, value);
        }
    } else {
        // What is under way ends.
        dut.set("stall", 1);
        (0..80).for_each(|_| outside.cycle(dut, true, out));
    }
    outside.judge(dut, !IS_BOARD, out);
}
