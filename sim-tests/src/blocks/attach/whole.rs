//! The whole recorder of an attached core: a port of any style on one side, a host or a bus master on
//! the other.
//!
//! Everything that comes out follows from three models: the adapter's, the recorder's behind it, and
//! the one of the port's rules beside it.

use super::raw_ports;
use crate::blocks::recorder::{End, Recording, Runs};
use crate::blocks::{seldom, word, Check, Records};
use lookback_hdl::recorder::config::{BUGNET, TINY};
use lookback_log_format::frame::{kind, Frame, FrameDecoder};
use lookback_log_format::{isa, registers as reg, Retire};
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::attach::{Adapted, Conformance};
use lookback_model::stimulus::{Event, Random};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Recordings of attached cores, with the sizes of the paper or tiny ones.
pub struct Attached<const IS_BUGNET: bool>;

/// One recording, after a reset.
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) recording: Recording,
    style: Style,
    /// how often a retirement is not what the rules want, in a thousand
    damage: u32,
    /// the recorder is controlled over Wishbone; otherwise by the stream's frames
    pub(super) over_bus: bool,
    /// instructions that retire before the recording; if there are none, the core is held
    before: u8,
    /// a run ends with the core's own last instruction
    halts: bool,
    /// before which of the paces the trigger's pin is pulled
    pull: Option<usize>,
    pub(super) run_code: u32,
}

impl<const IS_BUGNET: bool> Check for Attached<IS_BUGNET> {
    type Step = Session;

    fn runs() -> BoxedStrategy<Vec<Session>> {
        let region = prop_oneof![
            Just((0x8000_0000, 0x8000_0000)),
            Just((0, 0)),
            Just((0x4000_0000, 0xc000_0000)),
        ];
        let before = prop_oneof![Just(0u8), 1..40u8];
        let pull = (seldom(250), 0..4usize).prop_map(|(is, pace)| is.then_some(pace));
        let session = (
            (Runs::runs(), region),
            proptest::sample::select(&Style::ALL[..]),
            prop_oneof![2 => Just(0u32), 1 => Just(4), 1 => Just(30)],
            (any::<bool>(), before, any::<bool>()),
            (pull, word(), any::<bool>()),
        );
        let session = session.prop_map(
            |((runs, region), style, damage, how, (pull, run_code, results))| {
                let (over_bus, before, halts) = how;
                // A run has at least one recording.
                let mut recording = runs[0].clone();
                recording.sizes = if IS_BUGNET { BUGNET } else { TINY };
                (recording.attached, recording.results) = (Some(region), results);
                (recording.reset, recording.pin) = (false, None);
                // What retires with the last instruction of a trigger is nobody's, and judged or not.
                let triggers =
                    pull.is_some() || recording.trigger.is_some() || recording.watch.kinds != 0;
                Session {
                    recording,
                    style,
                    damage: if triggers { 0 } else { damage },
                    over_bus,
                    before,
                    halts,
                    pull,
                    run_code,
                }
            },
        );
        vec(session, 1..3).boxed()
    }

    fn drive(run: &[Session], dut: &mut dyn Dut, out: &mut Records) {
        for session in run {
            Bench::new(dut, session).play(out);
        }
    }

    fn expect(_: &[Session], _: &mut Records) {}
}

/// The surroundings of a recorder during one recording.
pub(super) struct Bench<'a> {
    pub(super) dut: &'a mut dyn Dut,
    pub(super) session: &'a Session,
    random: Random,
    core: Core,
    /// retirements that the core does not count
    traps: u64,
    pub(super) rules: Conformance,
    /// registers as the port told, and as the recorder follows them
    told: [u32; 32],
    followed: [u32; 32],
    commands: VecDeque<u8>,
    /// the first of them is offered
    offering: bool,
    seq: u16,
    /// how often the stream takes a byte, in a thousand
    link: u32,
    decoder: FrameDecoder,
    pub(super) frames: Vec<Frame>,
    pub(super) damaged: u32,
    pause: u32,
    /// an instruction was started before `stall` rose
    under_way: bool,
    /// writes that others still make while `stall` is high
    begun: u32,
    cycle: u64,
    pub(super) events: Vec<(Event, u64)>,
    pub(super) pulled: Option<u64>,
    recorded: u32,
    /// the last instruction's address, and that of its access
    places: [u32; 2],
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut, session: &'a Session) -> Self {
        let config = session.recording.config();
        for (port, value) in [
            ("hold", u32::from(session.before == 0)),
            ("mem_base", config.mem_base),
            ("mem_mask", config.mem_mask),
            ("clock_hz", config.clock_hz),
            ("run_ended", 0),
            ("run_code", session.run_code),
            ("rvfi_valid", 0),
            ("rvfi_halt", 0),
            ("snoop_valid", 0),
            ("trigger", 0),
            ("s_axis_tvalid", 0),
            ("wb_cyc", 0),
            ("wb_stb", 0),
            ("wb_sel", 15),
        ] {
            dut.set(port, value);
        }
        dut.set("reset", 1);
        (0..3).for_each(|_| dut.cycle());
        dut.set("reset", 0);
        dut.cycle();
        Self {
            dut,
            session,
            random: Random::new(session.recording.seed ^ 0xcafe),
            core: Core::new(session.recording.seed, session.style),
            traps: 0,
            rules: Conformance::default(),
            told: [0; 32],
            followed: [0; 32],
            commands: VecDeque::new(),
            offering: false,
            seq: 0,
            link: 1000,
            decoder: FrameDecoder::new(),
            frames: Vec::new(),
            damaged: 0,
            pause: 0,
            under_way: false,
            begun: 3,
            cycle: 0,
            events: Vec::new(),
            pulled: None,
            recorded: 0,
            places: [0; 2],
        }
    }

    /// One cycle of the streams.
    fn cycle(&mut self) {
        let ready = self.random.chance(self.link);
        self.offering |= !self.commands.is_empty() && self.random.chance(700);
        let offered = self.commands.front().copied().unwrap_or(0xa5);
        self.dut.set("m_axis_tready", ready.into());
        self.dut.set("s_axis_tvalid", self.offering.into());
        self.dut.set("s_axis_tdata", offered.into());
        if ready && self.dut.get("m_axis_tvalid") == 1 {
            let byte = self.dut.get("m_axis_tdata") as u8;
            let ends = self.dut.get("m_axis_tlast") == 1;
            self.damaged += u32::from(ends != (byte == 0));
            match self.decoder.push(byte) {
                Some(Ok(frame)) => self.frames.push(frame),
                Some(Err(_)) => self.damaged += 1,
                None => {}
            }
        }
        if self.offering && self.dut.get("s_axis_tready") == 1 {
            self.commands.pop_front();
            self.offering = false;
        }
        self.dut.cycle();
        self.cycle += 1;
    }

    /// A transfer on the bus; nothing if it is never acknowledged.
    pub(super) fn transfer(&mut self, register: u8, write: Option<u32>) -> Option<u32> {
        for (port, value) in [
            ("wb_cyc", 1),
            ("wb_stb", 1),
            ("wb_we", write.is_some().into()),
            ("wb_adr", u32::from(register) * 4),
            ("wb_dat_i", write.unwrap_or(0xbad)),
        ] {
            self.dut.set(port, value);
        }
        let mut word = None;
        for _ in 0..20_000 {
            if self.dut.get("wb_ack") == 1 {
                word = Some(self.dut.get("wb_dat_o"));
                break;
            }
            self.cycle();
        }
        self.cycle();
        self.dut.set("wb_cyc", 0);
        self.dut.set("wb_stb", 0);
        self.cycle();
        word
    }

    /// Sets a register; a host is answered.
    fn write(&mut self, register: u8, value: u32, out: &mut Records) {
        let done = if self.session.over_bus {
            self.transfer(register, Some(value)).is_some()
        } else {
            let before = self.frames.len();
            let frame = Frame::write(self.seq, register, value);
            self.seq = self.seq.wrapping_add(1);
            self.commands.extend(frame.to_wire());
            let reply = |frame: &Frame| frame.reply().is_some_and(|(number, _)| number == register);
            (0..40_000).any(|_| {
                self.cycle();
                self.frames[before..].iter().any(reply)
            })
        };
        out.say("done", done);
        out.want("done", true);
    }

    fn play(mut self, out: &mut Records) {
        out.say("held", self.dut.get("stall"));
        out.want("held", self.session.before == 0);
        for _ in 0..self.session.before {
            self.retire(false);
            self.cycle();
            self.quiet();
            if self.random.chance(300) {
                self.cycle();
            }
        }
        (0..4).for_each(|_| self.cycle());
        let recording = &self.session.recording;
        let config = recording.config();
        let triggers = reg::TRIGGER..=reg::TRIGGER_HI;
        for register in (reg::INTERVAL..=reg::POST_TRIGGER).chain(triggers) {
            let value = config.register(register).unwrap_or(0);
            self.write(register, value, out);
        }
        let control = config.control | u32::from(recording.may_stall) << 1;
        self.write(reg::CONTROL, control, out);
        let began = (0..40_000).any(|_| {
            self.cycle();
            self.dut.get("recording") == 1
        });
        out.say("began", began);
        out.want("began", true);
        self.rules.clear();
        let registers = self.followed;
        for (number, pace) in recording.pace.iter().enumerate() {
            if self.session.pull == Some(number) {
                self.pull();
            }
            self.link = pace.link;
            for _ in 0..pace.cycles {
                self.offer(pace.pause);
                self.cycle();
                self.quiet();
            }
        }
        self.end(control, out);
        self.judge(registers, control, out);
    }

    /// Pulls the trigger's pin, with no retirement near.
    fn pull(&mut self) {
        (0..4).for_each(|_| self.cycle());
        self.dut.set("trigger", 1);
        self.pulled = Some(self.cycle);
        self.cycle();
        self.dut.set("trigger", 0);
        (0..4).for_each(|_| self.cycle());
    }

    fn quiet(&mut self) {
        self.dut.set("rvfi_valid", 0);
        self.dut.set("rvfi_halt", 0);
        self.dut.set("snoop_valid", 0);
    }

    /// An instruction retires, if it may, and perhaps somebody writes.
    fn offer(&mut self, pause: u8) {
        let stall = self.dut.get("stall") == 1;
        if self.pause == 0 && (!stall || self.under_way) {
            self.retire(true);
            self.pause = 1 + self.random.below(u32::from(pause) + 1);
            self.under_way = !stall;
        }
        self.pause = self.pause.saturating_sub(1);
        // Others finish what they have begun, then they wait for the recorder, too.
        self.begun = if stall { self.begun } else { 3 };
        if self.session.recording.may_stall && self.begun > 0 && self.random.chance(200) {
            self.begun -= 1;
            // Where the core has just been.
            let addr = self.random.pick(&self.places) & !3;
            let mask = self.random.below(16) as u8;
            self.dut.set("snoop_valid", 1);
            self.dut.set("snoop_addr", addr);
            self.dut.set("snoop_mask", mask.into());
            let data = 0;
            self.events
                .push((Event::Snoop { addr, mask, data }, self.cycle));
        }
    }

    /// The core's next instruction retires, in a recording or before it.
    fn retire(&mut self, recorded: bool) {
        // What traps has done nothing: the core goes on with the same instruction.
        let traps = self.random.chance(10);
        let next = if traps {
            self.core.clone().next()
        } else {
            self.core.next()
        };
        let Some(mut raw) = next else {
            return;
        };
        raw.trap = traps;
        raw.order += self.traps;
        self.traps += u64::from(traps);
        if recorded && self.random.chance(self.session.damage) {
            damage(&mut raw, &mut self.random);
        }
        for (port, value) in raw_ports(&raw) {
            self.dut.set(port, value);
        }
        self.dut.set("rvfi_valid", 1);
        self.dut.set("rvfi_mode", raw.mode.into());
        self.dut.set("rvfi_intr", self.random.below(2));
        self.dut.set("rvfi_ixl", 1);
        self.places = [raw.pc_rdata, raw.mem_addr];
        self.rules.retire(&raw, recorded, self.recorded);
        let old = self.told[(isa::expand(raw.insn) >> 7 & 31) as usize];
        let adapted = Adapted::new(&raw, old, self.session.recording.results).retire;
        write_register(&mut self.told, &raw);
        write_register(&mut self.followed, &adapted);
        if recorded {
            self.recorded += 1;
            self.events.push((Event::Retire(adapted), self.cycle));
        }
    }

    fn end(&mut self, control: u32, out: &mut Records) {
        self.quiet();
        self.cycle();
        self.link = 1000;
        match self.session.recording.end {
            End::Host => self.write(reg::CONTROL, control & !1, out),
            End::Run if self.session.halts => self.halt(),
            End::Run => self.dut.set("run_ended", 1),
        }
        let ended = (0..400_000).any(|_| {
            self.cycle();
            self.frames.iter().any(|frame| frame.kind == kind::END)
        });
        out.say("ended", ended);
        out.want("ended", true);
    }

    /// The core's last instruction.
    fn halt(&mut self) {
        for _ in 0..20_000 {
            if self.dut.get("stall") == 0 {
                break;
            }
            self.cycle();
        }
        self.retire(true);
        self.dut.set("rvfi_halt", 1);
        self.cycle();
        self.quiet();
    }
}

fn write_register(registers: &mut [u32; 32], r: &Retire) {
    if !r.trap && r.rd_addr != 0 {
        registers[usize::from(r.rd_addr)] = r.rd_wdata;
    }
}
