//! The blocks of `hdl/src/small`, and what is around them: a recorder whose hart waits.

use super::boards::{Recorded, OF_SMALL};
use super::host::{began, records, Host};
use super::recorder::{Code, End, Lookups, Recording, Runs, Tags};
use super::registry::Block;
use super::soc::System;
use super::{retirement_ports, seldom, Check, Inputs, Lockstep, Records};
use crate::block;
use lookback_hdl::boards::small::SmallBoardSim;
use lookback_hdl::recorder::config::{SmallRecorderAt, CLOCK_HZ, SMALL};
use lookback_hdl::small::code::SmallCode;
use lookback_hdl::small::dictionary::SmallDictionary;
use lookback_hdl::small::front::SmallFront;
use lookback_hdl::small::kept::KeptRecorderAt;
use lookback_hdl::small::port::KeptPort;
use lookback_hdl::small::tags::SmallTags;
use lookback_hdl::small_sized;
use lookback_hdl::soc::SmallSoc;
use lookback_log_format::frame::{kind, End as EndPayload};
use lookback_log_format::interval::EndReason;
use lookback_log_format::registers as reg;
use lookback_log_format::Retire;
use lookback_model::attach::kept;
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::stimulus::{Event, Random, Stimulus};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

type Front = small_sized!(SmallFront);
type Beside = KeptRecorderAt<{ CLOCK_HZ as usize }>;
type Whole = SmallRecorderAt<{ CLOCK_HZ as usize }>;

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("small-code", OwnCode, 80; SmallCode<3>:
        clock; in clear sweep image_lo image_hi fetch_pc store store_addr; out known),
    block!("small-dictionary", Lookups<3>, 120; SmallDictionary:
        clock; in empty look value register_read register register_write register_address
            register_value;
        out done hit index register_data register_taken),
    block!("small-tags", Tags<1>, 120; SmallTags<2, 1, 27, 2, 8, 37>:
        clock; in clear advance address need touch remove commit; out known conflict),
    block!("kept-port", Kept, 80; KeptPort:
        clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_rd_addr rvfi_rd_wdata rvfi_mem_addr
            rvfi_mem_rmask rvfi_mem_wmask busy;
        out valid trap rd_addr rd_wdata mem_addr mem_rmask mem_wmask stall),
    block!("small-front", Held<false, false>, 12; Front:
        clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata enable interval count_bits image_lo image_hi run_ended hold byte_ready;
        out byte_valid byte_data byte_last stall recording ended end_reason lost_any retired_lo retired_hi cycles_lo cycles_hi stalls_lo stalls_hi),
    block!("recorder-small", Held<true, false>, 6; Whole:
        clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata run_ended run_code hold bit_clocks log_rx board_bit;
        out stall log_tx board_fire board_write board_register board_value board_index recording
            triggered overflowed),
    block!("recorder-kept", Held<true, true>, 4; Beside:
        clock; in reset rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata run_ended run_code hold bit_clocks log_rx ram_bytes core_ram_req
            core_ram_addr core_ram_wdata core_ram_wstrb ram_rdata;
        out log_tx core_stall core_reset ram_req ram_addr ram_wdata ram_wstrb recording),
    block!("small-soc", System<false, true>, 40; SmallSoc:
        clock; in reset stall ram_bytes ram_rdata console_rx_valid console_rx_data gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code
            rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata
            snoop_valid snoop_addr snoop_mask),
    block!("small-board", Recorded<OF_SMALL>, 6; SmallBoardSim:
        clock; in reset hold bit_clocks log_rx ram_bytes ram_rdata console_rx_valid console_rx_data
            gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code log_tx stalled rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask recording triggered
            overflowed),
];

/// Known code that nobody but the hart writes, and no instruction crosses a block's end.
#[derive(Default)]
pub struct OwnCode(Code);

impl Lockstep for OwnCode {
    type Step = <Code as Lockstep>::Step;

    fn runs() -> BoxedStrategy<Vec<Self::Step>> {
        let alone = |run: Vec<Self::Step>| run.into_iter().map(|step| step.alone()).collect();
        <Code as Lockstep>::runs().prop_map(alone).boxed()
    }

    fn inputs(&self, step: &Self::Step) -> Vec<(&'static str, u32)> {
        let mut inputs = self.0.inputs(step);
        inputs.retain(|(port, _)| !matches!(*port, "pc" | "straddles" | "snoop" | "snoop_addr"));
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        self.0.cycle(inputs)
    }
}

/// The port of a core that keeps it, in any cycle; only its trap may go away.
#[derive(Default)]
pub struct Kept {
    valid: bool,
    trap: bool,
}

/// One cycle of such a port.
#[derive(Clone, Debug)]
pub struct Keeping {
    valid: bool,
    reset: bool,
    busy: bool,
    raw: Retire,
}

impl Lockstep for Kept {
    type Step = Keeping;

    fn runs() -> BoxedStrategy<Vec<Keeping>> {
        let cycle = (seldom(400), seldom(20), seldom(300), seldom(100));
        (any::<u64>(), vec(cycle, 1..200))
            .prop_map(|(seed, cycles)| {
                let mut random = Random::new(seed ^ 7);
                let core = Core::new(seed, Style::Aligned);
                let step = |(mut raw, (valid, reset, busy, trap)): (Retire, _)| {
                    (0..random.below(3)).for_each(|_| {
                        damage(&mut raw, &mut random);
                    });
                    raw.trap |= trap;
                    Keeping {
                        valid,
                        reset,
                        busy,
                        raw,
                    }
                };
                core.zip(cycles).map(step).collect()
            })
            .boxed()
    }

    fn inputs(&self, step: &Keeping) -> Vec<(&'static str, u32)> {
        const PORTS: [&str; 7] = [
            "rvfi_insn",
            "rvfi_trap",
            "rvfi_rd_addr",
            "rvfi_rd_wdata",
            "rvfi_mem_addr",
            "rvfi_mem_rmask",
            "rvfi_mem_wmask",
        ];
        let mut inputs = retirement_ports(&step.raw).to_vec();
        inputs.retain(|(port, _)| PORTS.contains(port));
        inputs.extend([
            ("rvfi_valid", step.valid.into()),
            ("reset", step.reset.into()),
            ("busy", step.busy.into()),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let byte = |port: &str| inputs.get(port) as u8;
        let r = kept(&Retire {
            insn: inputs.get("rvfi_insn"),
            trap: self.trap,
            rd_addr: byte("rvfi_rd_addr"),
            rd_wdata: inputs.get("rvfi_rd_wdata"),
            mem_addr: inputs.get("rvfi_mem_addr"),
            mem_rmask: byte("rvfi_mem_rmask"),
            mem_wmask: byte("rvfi_mem_wmask"),
            ..Retire::default()
        });
        let valid = inputs.is("rvfi_valid");
        let shown = vec![
            ("valid", self.valid.into()),
            ("trap", self.trap.into()),
            ("rd_addr", r.rd_addr.into()),
            ("rd_wdata", r.rd_wdata),
            ("mem_addr", r.mem_addr),
            ("mem_rmask", r.mem_rmask.into()),
            ("mem_wmask", r.mem_wmask.into()),
            ("stall", (valid || self.valid || inputs.is("busy")).into()),
        ];
        self.valid = valid && !inputs.is("reset");
        if valid {
            self.trap = inputs.is("rvfi_trap");
        }
        shown
    }
}

/// What this recorder can be asked for: it has no triggers and no ring mode, and always waits.
pub fn waiting(mut recording: Recording) -> Recording {
    recording.sizes = SMALL;
    recording.may_stall = true;
    (recording.reset, recording.ring, recording.pin) = (false, false, None);
    (recording.trigger, recording.watch) = (None, Default::default());
    recording
}

/// Recordings of a hart that keeps its port while it waits: by the front alone, or to a host. Of somebody
/// else's core the register that was written is kept, too.
pub struct Held<const WHOLE: bool, const KEEPS: bool>;

impl<const WHOLE: bool, const KEEPS: bool> Check for Held<WHOLE, KEEPS> {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        let few = |run: Vec<Recording>| run.into_iter().take(2).map(waiting).collect();
        Runs::runs().prop_map(few).boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        for recording in run {
            dut.set("hold", 1);
            dut.set("rvfi_valid", 0);
            dut.set("run_ended", 0);
            if WHOLE {
                dut.set("log_rx", 1);
                dut.set("bit_clocks", 1);
            } else {
                dut.set("enable", 0);
            }
            dut.set("reset", 1);
            (0..3).for_each(|_| dut.cycle());
            dut.set("reset", 0);
            let bench = Bench {
                dut,
                recording,
                link: WHOLE.then(|| Host::new(1)),
                keeps: KEEPS,
                stall: if KEEPS { "core_stall" } else { "stall" },
                stimulus: recording.stimulus(),
                random: Random::new(recording.seed ^ 0xbeef),
                under_way: None,
                cycle: 0,
                events: Vec::new(),
                bytes: Vec::new(),
                records: Vec::new(),
            };
            bench.record(out);
        }
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    recording: &'a Recording,
    link: Option<Host>,
    keeps: bool,
    /// the port that holds the hart
    stall: &'static str,
    stimulus: Stimulus,
    random: Random,
    /// the instruction that is under way, and cycles until it retires
    under_way: Option<(Retire, u32)>,
    cycle: u64,
    events: Vec<(Event, u64)>,
    /// what the front has given of a record, and those that are complete
    bytes: Vec<u8>,
    records: Vec<Vec<u8>>,
}

impl Bench<'_> {
    /// What an instruction that trapped does not have, this hart does not show.
    fn next(&mut self) -> Option<Retire> {
        let mut r = self.stimulus.by_ref().find_map(|event| match event {
            Event::Retire(r) => Some(r),
            Event::Snoop { .. } => None,
        })?;
        if r.trap {
            (r.rd_addr, r.mem_rmask, r.mem_wmask) = (0, 0, 0);
        }
        if r.rd_addr == 0 {
            r.rd_wdata = 0;
        }
        Some(r)
    }

    /// One cycle of the hart; another instruction begins only if it may.
    fn step(&mut self, link: u32, pause: Option<u8>) {
        self.dut.set("rvfi_valid", 0);
        let noise = (self.random.below(32), self.random.word());
        if !self.keeps {
            self.dut.set("rvfi_rd_addr", noise.0);
            self.dut.set("rvfi_rd_wdata", noise.1);
        }
        if let Some((r, left)) = self.under_way.take() {
            self.dut.set("rvfi_pc_rdata", r.pc_rdata);
            if left < 2 {
                self.dut.set("rvfi_insn", r.insn);
            }
            if left == 0 {
                self.retire(&r);
            } else {
                self.under_way = Some((r, left - 1));
            }
        }
        match &mut self.link {
            Some(host) => host.pins(self.dut),
            None => {
                let ready = self.random.chance(link);
                self.dut.set("byte_ready", ready.into());
                if ready && self.dut.get("byte_valid") == 1 {
                    self.bytes.push(self.dut.get("byte_data") as u8);
                    if self.dut.get("byte_last") == 1 {
                        self.records.push(std::mem::take(&mut self.bytes));
                    }
                }
            }
        }
        if let (Some(pause), None) = (pause, &self.under_way) {
            if self.dut.get(self.stall) == 0 {
                let cycles = 2 + self.random.below(u32::from(pause) + 1);
                self.under_way = self.next().map(|r| (r, cycles));
            }
        }
        self.dut.cycle();
        self.cycle += 1;
    }

    fn retire(&mut self, r: &Retire) {
        for (port, value) in [
            ("rvfi_valid", 1),
            ("rvfi_trap", r.trap.into()),
            ("rvfi_mode", r.mode.into()),
            ("rvfi_rd_addr", r.rd_addr.into()),
            ("rvfi_rd_wdata", r.rd_wdata),
            ("rvfi_pc_wdata", r.pc_wdata),
            ("rvfi_mem_addr", r.mem_addr),
            ("rvfi_mem_rmask", r.mem_rmask.into()),
            ("rvfi_mem_wmask", r.mem_wmask.into()),
            ("rvfi_mem_rdata", r.mem_rdata),
            ("rvfi_mem_wdata", r.mem_wdata),
        ] {
            self.dut.set(port, value);
        }
        self.events.push((Event::Retire(*r), self.cycle));
    }

    /// Cycles without a new instruction, until something holds.
    fn until(&mut self, what: &'static str, out: &mut Records, holds: impl Fn(&mut Self) -> bool) {
        let held = (0..400_000).any(|_| {
            self.step(500, None);
            holds(self)
        });
        out.say(what, held);
        out.want(what, true);
    }

    fn set(&mut self, register: u8, value: u32, out: &mut Records) {
        if let Some(host) = &mut self.link {
            let before = host.replies().len();
            host.write(register, value);
            self.until("answered", out, |bench| {
                let replies = bench.link.as_ref().map(|host| host.replies().len());
                replies.is_some_and(|replies| replies > before)
            });
            return;
        }
        let port = match register {
            reg::INTERVAL => "interval",
            reg::COUNT_BITS => "count_bits",
            reg::IMAGE_LO => "image_lo",
            reg::IMAGE_HI => "image_hi",
            reg::POST_TRIGGER => return,
            _ => {
                self.dut.set("enable", value & 1);
                return;
            }
        };
        self.dut.set(port, value);
    }

    fn record(mut self, out: &mut Records) {
        let config = self.recording.config();
        for register in reg::INTERVAL..=reg::POST_TRIGGER {
            self.set(register, config.register(register).unwrap_or(0), out);
        }
        out.say("held", self.dut.get(self.stall));
        out.want("held", true);
        self.set(reg::CONTROL, config.control, out);
        // The hart is held until the memories are cleared, and no longer.
        self.until("began", out, |bench| bench.dut.get(bench.stall) == 0);
        for pace in &self.recording.pace {
            (0..pace.cycles).for_each(|_| self.step(pace.link, Some(pace.pause)));
        }
        self.until("comes to rest", out, |bench| bench.under_way.is_none());
        match self.recording.end {
            End::Host => self.set(reg::CONTROL, config.control & !1, out),
            End::Run => self.dut.set("run_ended", 1),
        }
        self.until("ended", out, |bench| match &bench.link {
            Some(host) => host.ends() > 0,
            None => bench.dut.get("ended") == 1,
        });
        self.judge(out);
    }

    fn judge(mut self, out: &mut Records) {
        let (reason, retired);
        match &self.link {
            Some(host) => {
                self.records = records(&host.frames);
                out.say("damaged", host.damaged);
                out.want("damaged", 0u32);
                let end = host.frames.iter().find(|frame| frame.kind == kind::END);
                let end = end.and_then(|frame| EndPayload::from_bytes(&frame.payload).ok());
                reason = end.as_ref().map_or(0, |end| end.reason.code());
                retired = end.map_or(0, |end| end.retired as u32);
            }
            None => {
                out.say("part of a record", self.bytes.len() as u32);
                out.want("part of a record", 0u32);
                reason = self.dut.get("end_reason") as u8;
                retired = self.dut.get("retired_lo");
            }
        }
        let first = began(&self.events, &self.records);
        for event in &mut self.events {
            event.1 = event.1.wrapping_sub(first);
        }
        let told = self
            .recording
            .told_whole(&self.events, &self.records, &[], out);
        for bytes in &self.records {
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of record", true);
        }
        for bytes in &told.records {
            bytes.iter().for_each(|byte| out.want("byte", *byte));
            out.want("end of record", true);
        }
        out.say("reason", reason);
        out.want("reason", told.ended.map_or(0, EndReason::code));
        out.say("retired", retired);
        out.want("retired", told.retired as u32);
    }
}
