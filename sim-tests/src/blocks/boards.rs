//! The blocks of `hdl/src/boards`: whole boards under random programs, recorded or not.

mod harts;
mod loader;

pub use harts::{Harts, OF_BUGNET, OF_SMALL, OF_TINY, OF_WORDS, PLAIN};

use super::host::{began, records, Host};
use super::recorder::{End, Recording, Runs};
use super::registry::Block;
use super::soc::program::{around, programs, Around, Piece, Step, RAM_BYTES};
use super::soc::{Outside, System};
use super::{Check, Records};
use crate::block;
use lookback_hdl::boards::alone::{SimSoc, SmallSimSoc};
use lookback_hdl::boards::loader::Loader;
use lookback_hdl::boards::sim::TinyBoard;
use lookback_hdl::boards::smp::{SimSmp2, TinyBoard2};
use lookback_log_format::frame::{kind, End as EndPayload};
use lookback_log_format::interval::EndReason;
use lookback_log_format::registers as reg;
use lookback_model::stimulus::{Event, Random};
use lookback_sim::block::Dut;
use proptest::prelude::*;

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("loader", loader::Loading, 120; Loader:
        clock; in reset ram_bytes fire write register value index soc_req soc_addr soc_wdata soc_wstrb
            ram_rdata;
        out out_bit ram_req ram_addr ram_wdata ram_wstrb soc_reset recorder_reset),
    block!("sim-board", Recorded<OF_TINY>, 8; TinyBoard:
        clock; in reset hold bit_clocks log_rx ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask recording triggered
            overflowed),
    block!("sim-board-2", Harts<2, OF_TINY>, 8; TinyBoard2:
        clock; in reset hold bit_clocks log_rx hold_back ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask),
    block!("sim-soc-2", Harts<2, PLAIN>, 16; SimSmp2:
        clock; in reset hold bit_clocks log_rx hold_back ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask),
    block!("sim-soc", System<true, false>, 16; SimSoc:
        clock; in reset hold bit_clocks log_rx ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask),
    block!("small-sim-soc", System<true, true>, 8; SmallSimSoc:
        clock; in reset hold bit_clocks log_rx ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask),
];

/// A board with a recorder: the reference machine follows its retirements, the model its log.
pub struct Recorded<const KIND: u8>;

/// A part of a run.
#[derive(Clone, Debug)]
pub enum Part {
    /// How it is recorded; once, first.
    Recording(Box<Recording>),
    /// The program and its surroundings.
    Program(Step),
}

impl<const KIND: u8> Check for Recorded<KIND> {
    type Step = Part;

    fn runs() -> BoxedStrategy<Vec<Part>> {
        let finishes = proptest::option::weighted(0.75, any::<proptest::sample::Index>());
        (Runs::runs(), programs(300..1500, true), finishes)
            .prop_map(|(runs, mut program, finishes)| {
                // A run has at least one recording.
                let mut recording = runs[0].clone();
                recording.sizes = harts::sizes(KIND);
                (recording.reset, recording.pin) = (false, None);
                if KIND == OF_SMALL {
                    recording = super::small::waiting(recording);
                }
                if !recording.may_stall || KIND == OF_SMALL {
                    // Who else wrote while events were lost cannot be told afterwards, and the smallest
                    // SoC has nobody else.
                    program.retain(|step| {
                        !matches!(step, Step::Piece(Piece::Copy(..) | Piece::Race(..)))
                    });
                }
                if let Some(place) = finishes {
                    let finish = Step::Piece(Piece::Finish(0x5555, 2));
                    program.insert(place.index(program.len()) + 1, finish);
                    recording.end = End::Run;
                }
                let program = program.into_iter().map(Part::Program);
                let first = Part::Recording(Box::new(recording));
                std::iter::once(first).chain(program).collect()
            })
            .boxed()
    }

    fn drive(run: &[Part], dut: &mut dyn Dut, out: &mut Records) {
        let recording = run.iter().find_map(|part| match part {
            Part::Recording(recording) => Some(&**recording),
            Part::Program(_) => None,
        });
        let program: Vec<Step> = run
            .iter()
            .filter_map(|part| match part {
                Part::Program(step) => Some(step.clone()),
                Part::Recording(_) => None,
            })
            .collect();
        if let (Some(recording), Some(around)) = (recording, around(&program)) {
            let mut outside = Outside::new(&program, around);
            outside.set_small(KIND == OF_SMALL);
            let bench = Bench {
                outside,
                dut,
                host: Host::new(1),
                recording,
                around,
                hurries: Vec::new(),
            };
            bench.play(out);
        }
    }

    fn expect(_: &[Part], _: &mut Records) {}
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    host: Host,
    outside: Outside,
    recording: &'a Recording,
    around: &'a Around,
    /// which values were hurried, with codec `compact`
    hurries: Vec<bool>,
}

impl Bench<'_> {
    fn cycle(&mut self, out: &mut Records) {
        self.host.pins(self.dut);
        if self.recording.compact.is_some() && self.dut.get("decided") == 1 {
            self.hurries.push(self.dut.get("hurried") == 1);
        }
        let held = self.dut.get("stalled") == 1;
        self.outside.cycle(self.dut, held, out);
    }

    fn write(&mut self, register: u8, value: u32, out: &mut Records) {
        let before = self.host.replies().len();
        self.host.write(register, value);
        let answered = (0..40_000).any(|_| {
            self.cycle(out);
            self.host.replies().len() > before
        });
        out.say("answered", answered);
        out.want("answered", true);
    }

    fn play(mut self, out: &mut Records) {
        self.dut.set("hold", 1);
        self.dut.set("log_rx", 1);
        self.dut.set("bit_clocks", 1);
        self.outside.reset(self.dut);
        if self.around.seed & 1 == 1 {
            self.load(out);
        }
        let config = self.recording.config();
        let triggers = reg::TRIGGER..=reg::TRIGGER_HI;
        for register in (reg::INTERVAL..=reg::POST_TRIGGER).chain(triggers) {
            let value = config.register(register).unwrap_or(0);
            self.write(register, value, out);
        }
        if let Some((_, key)) = self.recording.compact {
            self.write(reg::KEY, key.into(), out);
        }
        // The program waits until it is recorded.
        out.say("held", self.outside.events.is_empty());
        out.want("held", true);
        let control = config.control | u32::from(self.recording.may_stall) << 1;
        self.write(reg::CONTROL, control, out);
        for _ in 0..u32::from(self.around.cycles) * 4 {
            self.cycle(out);
            if self.dut.get("finished") == 1 {
                break;
            }
        }
        let finished = self.dut.get("finished") == 1;
        let before = self.retirements();
        if !finished {
            self.write(reg::CONTROL, control & !1, out);
        }
        let ended = (0..400_000).any(|_| {
            self.cycle(out);
            self.host.ends() > 0
        });
        out.say("ended", ended);
        out.want("ended", true);
        self.judge(finished, before, out);
    }

    /// The host puts some words into RAM, in the place of others, and restarts the board.
    fn load(&mut self, out: &mut Records) {
        let mut random = Random::new(self.around.seed ^ 3);
        self.write(reg::INTERVAL, 100, out);
        self.write(reg::BOOT, 1, out);
        for _ in 0..2 {
            let base = random.below(RAM_BYTES / 512) * 512;
            self.write(reg::LOAD_BASE, base, out);
            for _ in 0..4 {
                let number = random.below(reg::LOAD_WORDS);
                let at = base + 4 * number;
                let word = self.outside.trace.read(at);
                self.outside.trace.write(at, random.word(), 15);
                self.write(reg::LOAD + number as u8, word, out);
                let read = self.host.replies().last().map_or(0, |reply| reply.1);
                out.say("loaded", read);
                out.want("loaded", word);
                out.say("in RAM", self.outside.trace.read(at));
                out.want("in RAM", word);
            }
        }
        self.host.write(reg::BOOT, 0);
        (0..400).for_each(|_| self.cycle(out));
        // Frames are numbered from 0 again.
        self.host = Host::new(1);
        for (register, value) in [(reg::BOOT, 0), (reg::INTERVAL, 0), (reg::BOARD, RAM_BYTES)] {
            self.host.read(register);
            let answered = (0..4000).any(|_| {
                self.cycle(out);
                self.host
                    .replies()
                    .last()
                    .is_some_and(|last| last.0 == register)
            });
            out.say("answered", answered);
            out.want("answered", true);
            let read = self.host.replies().last().map_or(0, |reply| reply.1);
            out.say("after the restart", read);
            out.want("after the restart", value);
        }
        self.host = Host::new(1);
    }

    fn retirements(&self) -> u64 {
        let retirement = |(event, _): &&(Event, u64)| matches!(event, Event::Retire(_));
        self.outside.events.iter().filter(retirement).count() as u64
    }

    fn judge(mut self, finished: bool, before: u64, out: &mut Records) {
        self.outside.judge(self.dut, false, out);
        let end = self.host.frames.iter().find(|f| f.kind == kind::END);
        let end = end.and_then(|frame| EndPayload::from_bytes(&frame.payload).ok());
        let Some(end) = end else {
            out.say("no END", true);
            return;
        };
        let triggered = end.reason == EndReason::Trigger;
        // A program that was to be stopped may end by itself while the host says so.
        let ended = end.reason == EndReason::RunEnded && self.dut.get("finished") == 1;
        let finished = finished || ended;
        // The program goes on after the recording's end; only the recorder knows when that was.
        out.say("stopped too early", !triggered && end.retired < before);
        out.want("stopped too early", false);
        let mut events = std::mem::take(&mut self.outside.events);
        if !triggered {
            let mut left = end.retired;
            events.retain(|(event, _)| match event {
                Event::Retire(_) if left == 0 => false,
                Event::Retire(_) => {
                    left -= 1;
                    true
                }
                Event::Snoop { .. } => left > 0,
            });
        }
        let records = records(&self.host.frames);
        let first = began(&events, &records);
        events
            .iter_mut()
            .for_each(|event| event.1 = event.1.wrapping_sub(first));
        let recording = Recording {
            end: if finished { End::Run } else { End::Host },
            ..self.recording.clone()
        };
        let told = recording.told_whole(&events, &records, &self.hurries, out);
        for bytes in &records {
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of record", true);
        }
        for bytes in &told.records {
            bytes.iter().for_each(|byte| out.want("byte", *byte));
            out.want("end of record", true);
        }
        out.say("damaged", self.host.damaged);
        out.want("damaged", 0u32);
        out.say("reason", end.reason.code());
        out.want("reason", told.ended.map_or(0, EndReason::code));
        out.say("retired", end.retired as u32);
        out.want("retired", told.retired as u32);
        out.say("lost", end.lost as u32);
        out.want("lost", told.lost as u32);
        if finished {
            out.say("code", end.code);
            out.want("code", self.dut.get("finish_code"));
        }
    }
}
