//! The whole recorder: retirements on one side, a host's UART on the other.

use super::front::{set_retirement, End, Recording, Runs};
use crate::blocks::host::{began, records, Host};
use crate::blocks::{Check, Records};
use lookback_hdl::recorder::config::{BUGNET, TINY};
use lookback_log_format::frame::{kind, End as EndPayload};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::registers;
use lookback_log_format::trigger::Fired;
use lookback_model::stimulus::{Event, Random, Stimulus};
use lookback_sim::block::Dut;
use proptest::prelude::*;
use std::iter::Peekable;

/// Recordings through the whole recorder, with the sizes of the paper or tiny ones.
pub struct Recordings<const IS_BUGNET: bool>;

impl<const IS_BUGNET: bool> Check for Recordings<IS_BUGNET> {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        Runs::runs()
            .prop_map(|mut run| {
                let sizes = if IS_BUGNET { BUGNET } else { TINY };
                run.truncate(2);
                run.iter_mut().for_each(|recording| recording.sizes = sizes);
                run
            })
            .boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("hold", 1);
        dut.set("log_rx", 1);
        for recording in run {
            dut.set("bit_clocks", 1);
            dut.set("run_ended", 0);
            dut.set("reset", 1);
            (0..3).for_each(|_| dut.cycle());
            dut.set("reset", 0);
            dut.cycle();
            out.say("held", dut.get("stall"));
            out.want("held", true);
            let bench = Bench {
                dut,
                recording,
                host: Host::new(1),
                stimulus: recording.stimulus().peekable(),
                random: Random::new(recording.seed ^ 0xbeef),
                under_way: false,
                pause: 0,
                cycle: 0,
                events: Vec::new(),
                hurries: Vec::new(),
            };
            bench.record(out);
        }
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}

/// Bytes that a tiny ring of 1024 holds at least when something is gone: less than what is left when a
/// group of its share, and what was under way then, has just given way.
const FEW: usize = 128;

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    recording: &'a Recording,
    host: Host,
    stimulus: Peekable<Stimulus>,
    random: Random,
    under_way: bool,
    pause: u32,
    cycle: u64,
    events: Vec<(Event, u64)>,
    hurries: Vec<bool>,
}

impl Bench<'_> {
    fn cycle(&mut self) {
        self.host.pins(self.dut);
        if self.recording.compact.is_some() && self.dut.get("decided") == 1 {
            self.hurries.push(self.dut.get("hurried") == 1);
        }
        self.dut.cycle();
        self.cycle += 1;
    }

    fn write(&mut self, register: u8, value: u32, out: &mut Records) {
        self.host.write(register, value);
        let before = self.host.replies().len();
        let answered = (0..20_000).any(|_| {
            self.cycle();
            self.host.replies().len() > before
        });
        out.say("answered", answered);
        out.want("answered", true);
    }

    fn record(mut self, out: &mut Records) {
        let config = self.recording.config();
        for (register, value) in [
            (registers::INTERVAL, config.interval),
            (registers::COUNT_BITS, config.count_bits.into()),
            (registers::IMAGE_LO, config.image_lo),
            (registers::IMAGE_HI, config.image_hi),
            (registers::POST_TRIGGER, config.post_trigger),
            (registers::TRIGGER, config.trigger.kinds),
            (registers::TRIGGER_LO, config.trigger.lo),
            (registers::TRIGGER_HI, config.trigger.hi),
        ] {
            self.write(register, value, out);
        }
        if let Some((_, key)) = self.recording.compact {
            self.write(registers::KEY, key.into(), out);
        }
        let control = config.control | u32::from(self.recording.may_stall) << 1;
        self.write(registers::CONTROL, control, out);
        // The hart is held until the memories are cleared.
        let began = (0..5000).any(|_| {
            self.cycle();
            self.dut.get("stall") == 0
        });
        out.say("began", began);
        out.want("began", true);
        for pace in &self.recording.pace {
            for _ in 0..pace.cycles {
                self.offer(pace.pause);
                self.cycle();
            }
        }
        self.quiet();
        self.cycle();
        match self.recording.end {
            End::Host => self.write(registers::CONTROL, control & !1, out),
            End::Run => {
                self.dut.set("run_code", 0x5555);
                self.dut.set("run_ended", 1);
            }
        }
        let ended = (0..400_000).any(|_| {
            self.cycle();
            self.host.ends() > 0
        });
        out.say("ended", ended);
        out.want("ended", true);
        self.judge(out);
    }

    fn offer(&mut self, pause: u8) {
        self.quiet();
        let stall = self.dut.get("stall") == 1;
        if self.pause == 0 && (!stall || self.under_way) {
            let is_retirement = |event: &Event| matches!(event, Event::Retire(_));
            if let Some(event) = self.stimulus.next_if(is_retirement) {
                if let Event::Retire(r) = &event {
                    set_retirement(self.dut, r);
                }
                self.events.push((event, self.cycle));
                self.pause = 1 + self.random.below(u32::from(pause) + 1);
            }
            self.under_way = !stall;
        }
        self.pause = self.pause.saturating_sub(1);
        let is_snoop = |event: &Event| matches!(event, Event::Snoop { .. });
        if let Some(event) = self.stimulus.next_if(is_snoop) {
            if let Event::Snoop { addr, mask, .. } = event {
                self.dut.set("snoop_valid", 1);
                self.dut.set("snoop_addr", addr);
                self.dut.set("snoop_mask", mask.into());
            }
            self.events.push((event, self.cycle));
        }
    }

    fn quiet(&mut self) {
        self.dut.set("rvfi_valid", 0);
        self.dut.set("snoop_valid", 0);
    }

    /// Which records a ring has left is its own choice: they begin with a key interval, follow each
    /// other to the end of the recording, and are not few if any are gone.
    fn judge_ring(&self, records: &[Vec<u8>], out: &mut Records) {
        let read = |bytes: &Vec<u8>| Record::from_bytes(bytes).ok();
        let held: Vec<Record> = records.iter().filter_map(read).collect();
        let begins = match held.first() {
            Some(Record::Interval(interval)) => interval.header.is_key(),
            _ => true,
        };
        let follow = |pair: &[Record]| pair[0].index() + 1 == pair[1].index();
        let behind = held.last().map_or(0, |record| match record {
            Record::Interval(i) => i.header.retired + u64::from(i.trailer.instructions),
            Record::Gap(gap) => gap.retired + u64::from(gap.lost),
            Record::Order(_) => 0,
        });
        let end = self
            .host
            .frames
            .iter()
            .find(|frame| frame.kind == kind::END);
        let end = end.and_then(|frame| EndPayload::from_bytes(&frame.payload).ok());
        let gone = held.first().is_none_or(|record| record.index() > 0) && !self.events.is_empty();
        for (what, holds) in [
            ("all are records", held.len() == records.len()),
            ("a key interval is first", begins),
            ("they follow each other", held.windows(2).all(follow)),
            (
                "they reach the end",
                held.is_empty() || end.is_some_and(|end| end.retired == behind),
            ),
            ("many are left", !gone || records.concat().len() > FEW),
        ] {
            out.say(what, holds);
            out.want(what, true);
        }
    }

    fn judge(mut self, out: &mut Records) {
        let records = records(&self.host.frames);
        if self.recording.ring {
            return self.judge_ring(&records, out);
        }
        let first = began(&self.events, &records);
        for event in &mut self.events {
            event.1 = event.1.wrapping_sub(first);
        }
        let told = self
            .recording
            .told_whole(&self.events, &records, &self.hurries, out);
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
        let end = self
            .host
            .frames
            .iter()
            .find(|frame| frame.kind == kind::END);
        if let Some(Ok(end)) = end.map(|frame| EndPayload::from_bytes(&frame.payload)) {
            out.say("reason", end.reason.code());
            out.say("fired", Fired::bits(end.fired));
            out.say("retired", end.retired as u32);
            out.say("lost", end.lost as u32);
        }
        out.want("reason", told.ended.map_or(0, EndReason::code));
        let fired = told.fired.map(|cause| Fired { cause, hart: 0 });
        out.want("fired", Fired::bits(fired));
        out.want("retired", told.retired as u32);
        out.want("lost", told.lost as u32);
    }
}
