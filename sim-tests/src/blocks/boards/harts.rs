//! Boards with several harts, recorded or not: reference machines follow the harts, and a model for each
//! its log.

use crate::blocks::host::Host;
use crate::blocks::recorder::{
    began_at, compare, judge_order, models, order_mode, order_of, records, records_of, End,
    Recording, Runs, Shown,
};
use crate::blocks::soc::machine::port;
use crate::blocks::soc::program::{around, memory, programs, Around, Piece, Step, RAM, RAM_BYTES};
use crate::blocks::soc::several::{hold_back, Followers};
use crate::blocks::{Check, Records};
use lookback_hdl::recorder::config::{Sizes, BUGNET, BUGNET_WORDS, SMALL, TINY};
use lookback_log_format::frame::{kind, End as EndPayload};
use lookback_log_format::interval::EndReason;
use lookback_log_format::registers as reg;
use lookback_log_format::retire::lanes;
use lookback_model::stimulus::{Event, Random};
use lookback_sim::block::Dut;
use proptest::prelude::*;

/// The board has no recorder.
pub const PLAIN: u8 = 0;
/// It has a tiny one.
pub const OF_TINY: u8 = 1;
/// It has one of the paper's sizes.
pub const OF_BUGNET: u8 = 2;
/// The same with tags that keep words.
pub const OF_WORDS: u8 = 3;

/// It is the smallest one, on the smallest SoC.
pub const OF_SMALL: u8 = 4;

/// The sizes of a recorder of this kind.
pub fn sizes(kind: u8) -> Sizes {
    match kind {
        OF_BUGNET => BUGNET,
        OF_WORDS => BUGNET_WORDS,
        OF_SMALL => SMALL,
        _ => TINY,
    }
}

/// A board with `N` harts and a recorder of the kind `KIND`.
pub struct Harts<const N: usize, const KIND: u8>;

/// A part of a run.
#[derive(Clone, Debug)]
pub enum Part {
    /// How it is recorded; once, first.
    Recording(Box<Recording>),
    /// The program and its surroundings.
    Program(Step),
}

impl<const N: usize, const KIND: u8> Check for Harts<N, KIND> {
    type Step = Part;

    fn runs() -> BoxedStrategy<Vec<Part>> {
        let finishes = proptest::option::weighted(0.75, any::<proptest::sample::Index>());
        (Runs::runs(), programs(300..1500, true), finishes)
            .prop_map(|(runs, mut program, finishes)| {
                let mut recording = runs[0].clone();
                recording.sizes = sizes(KIND);
                (recording.reset, recording.pin) = (false, None);
                recording.may_stall = true;
                if let Some(place) = finishes {
                    let finish = Step::Piece(Piece::Finish(0x5555, 2));
                    program.insert(place.index(program.len()) + 1, finish);
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
            let ram = memory(&program, around);
            let bench = Bench {
                followers: Followers::new(&ram, N as u32),
                ram,
                ram_rdata: 0,
                before: None,
                random: Random::new(around.seed),
                is_recorded: KIND != PLAIN,
                harts: N,
                cycle: 0,
                events: Vec::new(),
                host: Host::new(1),
                dut,
                recording,
                around,
            };
            bench.play(out);
        }
    }

    fn expect(_: &[Part], _: &mut Records) {}
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    recording: &'a Recording,
    around: &'a Around,
    host: Host,
    followers: Followers,
    ram: Vec<u32>,
    ram_rdata: u32,
    /// the word that the last cycle changed, as it was before
    before: Option<(usize, u32)>,
    random: Random,
    is_recorded: bool,
    harts: usize,
    cycle: u64,
    events: Vec<Shown>,
}

impl Bench<'_> {
    fn cycle(&mut self, varied: bool, out: &mut Records) {
        self.dut.set("ram_rdata", self.ram_rdata);
        let mask = if varied {
            hold_back(&mut self.random, self.around)
        } else {
            0
        };
        self.dut.set("hold_back", mask);
        self.host.pins(self.dut);
        let held = self.dut.get("stalled") == 1 || !self.followers.endings.is_empty();
        self.followers.cycle(self.dut, held, out);
        if self.dut.get("rvfi_valid") == 1 {
            let hart = self.dut.get("rvfi_hart") as usize;
            let retire = Event::Retire(port(self.dut));
            self.events.push((Some(hart), retire, self.cycle));
        }
        if self.dut.get("snoop_valid") == 1 {
            let addr = self.dut.get("snoop_addr");
            let at = addr.wrapping_sub(RAM) as usize / 4;
            let word = self.ram.get(at).copied().unwrap_or(0);
            // It was written two cycles ago, and perhaps again since.
            let data = self.before.filter(|b| b.0 == at).map_or(word, |b| b.1);
            self.followers.written(addr, data, 15, None);
            let snoop = Event::Snoop {
                addr,
                mask: 15,
                data,
            };
            self.events.push((None, snoop, self.cycle));
        }
        self.before = None;
        let writes = self.dut.get("ram_req") == 1 && self.dut.get("ram_wstrb") != 0;
        let at = self.dut.get("ram_addr");
        self.followers.bus(writes.then(|| RAM + at));
        if self.dut.get("ram_req") == 1 {
            let mask = self.dut.get("ram_wstrb") as u8;
            let at = self.dut.get("ram_addr") as usize / 4;
            if let Some(own) = self.ram.get_mut(at) {
                self.before = Some((at, *own));
                if mask == 0 {
                    self.ram_rdata = *own;
                }
                *own = *own & !lanes(mask) | self.dut.get("ram_wdata") & lanes(mask);
            }
        }
        self.dut.cycle();
        self.cycle += 1;
    }

    fn write(&mut self, register: u8, value: u32, out: &mut Records) {
        let before = self.host.replies().len();
        self.host.write(register, value);
        let answered = (0..40_000).any(|_| {
            self.cycle(false, out);
            self.host.replies().len() > before
        });
        out.say("answered", answered);
        out.want("answered", true);
    }

    /// The host looks at a word of RAM and restarts the board.
    fn look(&mut self, out: &mut Records) {
        let number = self.around.seed >> 8 & 127;
        let word = self.ram[number as usize];
        let commands = [(reg::BOOT, 1), (reg::LOAD + number as u8, word)];
        for (register, value) in commands {
            self.write(register, value, out);
            let reply = self.host.replies().last().map_or(0, |reply| reply.1);
            out.say("the board's register", reply);
            out.want("the board's register", value);
        }
        self.host.write(reg::BOOT, 0);
        (0..400).for_each(|_| self.cycle(false, out));
        self.host = Host::new(1);
    }

    fn play(mut self, out: &mut Records) {
        self.dut.set("hold", 1);
        self.dut.set("log_rx", 1);
        self.dut.set("bit_clocks", 1);
        self.dut.set("ram_bytes", RAM_BYTES);
        self.dut.set("reset", 1);
        (0..3).for_each(|_| self.dut.cycle());
        self.dut.set("reset", 0);
        let mut config = self.recording.config();
        config.control |= 2;
        if self.is_recorded && self.around.seed & 1 == 1 {
            self.look(out);
        }
        if self.is_recorded {
            let triggers = reg::TRIGGER..=reg::TRIGGER_HI;
            for register in (reg::INTERVAL..=reg::POST_TRIGGER).chain(triggers) {
                self.write(register, config.register(register).unwrap_or(0), out);
            }
            self.write(reg::ORDER_MODE, order_mode(self.recording), out);
            // The harts wait until they are recorded.
            out.say("held", self.events.is_empty());
            out.want("held", true);
            self.write(reg::CONTROL, config.control, out);
        }
        for _ in 0..u32::from(self.around.cycles) * 2 {
            self.cycle(true, out);
            if self.dut.get("finished") == 1 {
                break;
            }
        }
        if !self.is_recorded {
            return;
        }
        let finished = self.dut.get("finished") == 1;
        if !finished {
            self.write(reg::CONTROL, config.control & !1, out);
        }
        let ended = (0..400_000).any(|_| {
            self.cycle(false, out);
            self.host.ends() > 0
        });
        out.say("ended", ended);
        out.want("ended", true);
        self.judge(out);
    }

    fn judge(mut self, out: &mut Records) {
        let end = self.host.frames.iter().find(|f| f.kind == kind::END);
        let end = end.and_then(|frame| EndPayload::from_bytes(&frame.payload).ok());
        let Some(end) = end else {
            out.say("no END", true);
            return;
        };
        // The program goes on after the recording's end; only the recorder knows when that was: with which
        // retirement, and how many writes of nobody's after that.
        let mut after = Vec::new();
        if end.reason != EndReason::Trigger {
            let is_retirement = |(_, event, _): &Shown| matches!(event, Event::Retire(_));
            let mut left = end.retired;
            let recorded = self.events.iter().take_while(|shown| {
                let goes_on = left > 0;
                left -= u64::from(goes_on && is_retirement(shown));
                goes_on
            });
            after = self.events.split_off(recorded.count());
            let next = after.iter().position(is_retirement);
            after.truncate(next.unwrap_or(after.len()));
        }
        let finished = self.dut.get("finished") == 1 && end.reason == EndReason::RunEnded;
        let reason = match (finished, self.recording.end) {
            (true, _) => EndReason::RunEnded,
            (false, End::Host | End::Run) => EndReason::Stopped,
        };
        let sent = records(&self.host.frames, self.harts, out);
        let first = began_at(&self.events, &sent);
        let models = models(
            &self.recording.config(),
            self.harts,
            &self.events,
            first,
            reason,
        );
        self.judge_order(after, reason, out);
        let (retired, reason) = compare(&sent, models, out);
        out.say("damaged", self.host.damaged);
        out.want("damaged", 0u32);
        out.say("reason", end.reason.code());
        out.want("reason", reason.map_or(0, EndReason::code));
        out.say("retired", end.retired as u32);
        out.want("retired", retired as u32);
        out.say("lost", end.lost as u32);
        out.want("lost", 0u32);
        if finished {
            let code = self.followers.endings.contains(&end.code);
            out.say("code", code);
            out.want("code", true);
        }
    }

    /// The order, with as many of the writes after the last retirement as fit what was sent.
    fn judge_order(&mut self, after: Vec<Shown>, reason: EndReason, out: &mut Records) {
        let strata = records_of(&self.host.frames, 0xff);
        let chunks = records_of(&self.host.frames, 0xfe);
        let mut after = after.into_iter();
        let mut first = None;
        loop {
            let mut order = order_of(self.recording, self.harts, &self.events, reason);
            let mut found = Records::default();
            judge_order(&mut order, [&strata, &chunks], &mut found);
            let fits = found.said == found.wanted;
            let next = after.next();
            if fits || next.is_none() {
                let judged = if fits { found } else { first.unwrap_or(found) };
                out.said.extend(judged.said);
                out.wanted.extend(judged.wanted);
                return;
            }
            first.get_or_insert(found);
            self.events.extend(next);
        }
    }
}
