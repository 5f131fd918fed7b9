//! The whole front against `lookback_model::Recorder`: every byte of every interval and gap.
//!
//! Which retirements are lost is the front's choice: where it may not stall, the model is told by the
//! lengths of the intervals and gaps themselves, and everything else in them must follow.

use crate::blocks::{retirement_ports, seldom, Check, Records};
use lookback_hdl::compact::config::CompactSizes;
use lookback_hdl::recorder::config::{Sizes, CLOCK_HZ, TINY};
use lookback_log_format::config::{count_bits_for, Codec};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::trigger::Cause;
use lookback_log_format::{RecorderConfig, Retire, TriggerSettings};
use lookback_model::stimulus::{Event, Mix, Random, Stimulus};
use lookback_model::Recorder;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::iter::Peekable;

/// Recordings through the front.
pub struct Runs;

/// One recording.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(in crate::blocks) sizes: Sizes,
    /// sizes and intervals a key group, if the recorder is one of codec `compact`
    pub(in crate::blocks) compact: Option<(CompactSizes, u16)>,
    pub(in crate::blocks) seed: u64,
    pub(in crate::blocks) interval: u32,
    /// whether the hart may be stalled; if not, nobody else writes, so that only retirements are lost
    pub(in crate::blocks) may_stall: bool,
    pub(in crate::blocks) image: (u32, u32),
    pub(in crate::blocks) end: End,
    /// instructions that a trap's trigger still records
    pub(in crate::blocks) trigger: Option<u32>,
    /// what else fires a trigger
    pub(in crate::blocks) watch: TriggerSettings,
    /// the cycle in which the trigger's pin is high, if it ever is
    pub(in crate::blocks) pin: Option<u16>,
    /// base and mask of the memory region, if the recorder is one for attached cores
    pub(in crate::blocks) attached: Option<(u32, u32)>,
    /// an attached core's results of multiplications and divisions are logged
    pub(in crate::blocks) results: bool,
    /// it is broken off by a reset instead
    pub(in crate::blocks) reset: bool,
    /// in ring mode
    pub(in crate::blocks) ring: bool,
    pub(in crate::blocks) pace: Vec<Pace>,
}

/// How retirements come and bytes go for a while.
#[derive(Clone, Debug)]
pub struct Pace {
    pub(in crate::blocks) cycles: u16,
    /// cycles between retirements, at most
    pub(in crate::blocks) pause: u8,
    /// how often the link takes a byte, in a thousand
    pub(in crate::blocks) link: u32,
}

/// Who ends a recording.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// The host.
    Host,
    /// The program.
    Run,
}

impl Recording {
    /// The recorder's configuration.
    pub fn config(&self) -> RecorderConfig {
        let mut sizes = self.sizes.config(CLOCK_HZ);
        if let Some((of_compact, key)) = self.compact {
            sizes = of_compact.config(CLOCK_HZ);
            if let Codec::Compact(compact) = &mut sizes.codec {
                compact.key = key;
            }
        }
        let region = self.attached.unwrap_or((sizes.mem_base, sizes.mem_mask));
        RecorderConfig {
            attached: self.attached.is_some(),
            compressed: self.attached.is_some(),
            mem_base: region.0,
            mem_mask: region.1,
            control: 1
                | u32::from(self.ring) << 2
                | u32::from(self.trigger.is_some()) << 3
                | u32::from(self.results) << 4,
            interval: self.interval,
            count_bits: count_bits_for(self.interval),
            image_lo: self.image.0,
            image_hi: self.image.1,
            post_trigger: self.trigger.unwrap_or(0),
            trigger: self.watch,
            ..sizes
        }
    }

    /// [`Recording::told`] of a recording after a reset that none breaks off, without a pin.
    pub fn told_whole(
        &self,
        events: &[(Event, u64)],
        records: &[Vec<u8>],
        hurries: &[bool],
        out: &mut Records,
    ) -> Told {
        let whole = Self {
            reset: false,
            pin: None,
            ..self.clone()
        };
        whole.told([0; 32], events, records, hurries, out)
    }

    /// What the model says of these events, told by the records which of them were lost.
    pub fn told(
        &self,
        registers: [u32; 32],
        events: &[(Event, u64)],
        records: &[Vec<u8>],
        hurries: &[bool],
        out: &mut Records,
    ) -> Told {
        let mut model = Recorder::new(&self.config()).with_registers(registers);
        model.decide(hurries.iter().copied());
        let mut cuts = self.cuts(records);
        let mut pin = self.pin.map(u64::from);
        let reason = match self.end {
            End::Host => EndReason::Stopped,
            End::Run => EndReason::RunEnded,
        };
        if self.may_stall {
            for (event, cycle) in events {
                if pin.take_if(|pin| *pin <= *cycle).is_some() {
                    model.pull_trigger(Cause::Pin);
                }
                match event {
                    Event::Retire(r) => {
                        if cuts.next_if_eq(&(model.retired() + 1)).is_some() {
                            model.cut();
                        }
                        model.retire(r, *cycle);
                    }
                    Event::Snoop { addr, mask, .. } => model.snoop(*addr, *mask),
                }
            }
            if !self.reset {
                model.stop(reason, 0);
            }
        } else {
            self.follow_losses(&mut model, events, records, out);
            model.stop(reason, last_cycle(records));
        }
        Told {
            records: model.take_records().iter().map(Record::to_bytes).collect(),
            ended: model.ended(),
            retired: model.retired(),
            lost: model.lost(),
            fired: model.cause(),
        }
    }

    /// Whether something outside the front asks it for another key group.
    fn asks_for_cuts(&self) -> bool {
        self.seed & 1 == 1
    }

    /// After which retirements the front chose to begin another key group, from the intervals that
    /// ended before their time. One that ended with its last instruction is told by the next one's mark,
    /// where it could be asked for.
    fn cuts(&self, records: &[Vec<u8>]) -> Peekable<std::vec::IntoIter<u64>> {
        let begins_group = |bytes: &Vec<u8>| match Record::from_bytes(bytes) {
            Ok(Record::Interval(interval)) => interval.header.is_key(),
            _ => false,
        };
        let mut cuts = Vec::new();
        for (at, bytes) in records.iter().enumerate() {
            let Ok(Record::Interval(interval)) = Record::from_bytes(bytes) else {
                continue;
            };
            let trailer = interval.trailer;
            let asked = self.asks_for_cuts() && records.get(at + 1).is_some_and(begins_group);
            let early = trailer.instructions < self.interval || asked;
            if trailer.reason == EndReason::Length && early {
                cuts.push(interval.header.retired + u64::from(trailer.instructions));
            }
        }
        cuts.into_iter().peekable()
    }

    /// Tells the model what was lost, from the lengths of what was sent.
    fn follow_losses(
        &self,
        model: &mut Recorder,
        events: &[(Event, u64)],
        records: &[Vec<u8>],
        out: &mut Records,
    ) {
        let mut pin = self.pin.map(u64::from);
        let mut cuts = self.cuts(records);
        let mut retired = events.iter().filter_map(|(event, cycle)| match event {
            Event::Retire(r) => Some((r, *cycle)),
            Event::Snoop { .. } => None,
        });
        for bytes in records.iter().filter(|bytes| !bytes.is_empty()) {
            match Record::from_bytes(bytes) {
                Ok(Record::Interval(interval)) => {
                    let count = interval.trailer.instructions as usize;
                    for (r, cycle) in retired.by_ref().take(count) {
                        if pin.take_if(|pin| *pin <= cycle).is_some() {
                            model.pull_trigger(Cause::Pin);
                        }
                        if cuts.next_if_eq(&(model.retired() + 1)).is_some() {
                            model.cut();
                        }
                        model.retire(r, cycle);
                    }
                }
                Ok(Record::Gap(gap)) => {
                    model.overflow();
                    let lost = retired.by_ref().take(gap.lost as usize);
                    lost.for_each(|(r, _)| model.lose(r));
                }
                Ok(Record::Order(_)) | Err(_) => out.say("no record", bytes.len() as u32),
            }
        }
        // After a trigger the rest is nobody's.
        if model.ended() != Some(EndReason::Trigger) {
            out.say("neither recorded nor lost", retired.count() as u32);
            out.want("neither recorded nor lost", 0u32);
        }
    }

    /// What happens on its ports.
    pub fn stimulus(&self) -> Stimulus {
        let mut mix = Mix {
            fault: 20,
            to_code: 80,
            ..Mix::default()
        };
        if !self.may_stall {
            mix.dma = 0;
        }
        Stimulus::with_mix(self.seed, &self.config(), mix)
    }
}

/// A window for triggers where instructions and accesses are, in some recordings.
fn watch() -> BoxedStrategy<TriggerSettings> {
    (seldom(250), 1..32u32, 0..0x100u32, 0..8u32)
        .prop_map(|(is, kinds, first, words)| {
            let lo = 0x8000_0000 + 4 * first;
            let hi = lo + 4 * words;
            if is {
                TriggerSettings { kinds, lo, hi }
            } else {
                TriggerSettings::default()
            }
        })
        .boxed()
}

impl Check for Runs {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        let pace = (
            10..500u16,
            prop_oneof![Just(0u8), 0..4u8, Just(9), Just(40)],
            prop_oneof![Just(1000u32), Just(600), Just(150), Just(30)],
        );
        let pace = pace.prop_map(|(cycles, pause, link)| Pace {
            cycles,
            pause,
            link,
        });
        let interval = prop_oneof![3 => Just(64u32), 3 => 64..80u32, 1 => 100..300u32];
        let image = prop_oneof![
            2 => Just((0x8000_0000, 0x8000_0400)),
            1 => Just((0x8000_0040, 0x8000_0200)),
            1 => Just((0, 0)),
        ];
        let trigger = (
            seldom(200),
            prop_oneof![Just(0u32), Just(1), Just(63), Just(64), 0..200u32],
        );
        let trigger = trigger.prop_map(|(is, after)| is.then_some(after));
        let pin = (seldom(100), 0..600u16).prop_map(|(is, cycle)| is.then_some(cycle));
        let end = prop_oneof![Just(End::Host), Just(End::Run)];
        let recording = (
            (any::<u64>(), interval, seldom(600), image),
            (end, (trigger, watch()), pin, seldom(80)),
            vec(pace, 1..6),
        );
        let recording = recording.prop_map(|(what, how, pace)| {
            let (seed, interval, may_stall, image) = what;
            let (end, (trigger, watch), pin, reset) = how;
            Recording {
                sizes: TINY,
                compact: None,
                seed,
                interval,
                may_stall,
                image,
                end,
                trigger,
                watch,
                pin,
                attached: None,
                results: false,
                reset,
                ring: false,
                pace,
            }
        });
        vec(recording, 1..5).boxed()
    }

    fn drive(run: &[Recording], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("hold", 1);
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        dut.cycle();
        out.say("held", dut.get("stall"));
        out.want("held", true);
        let mut registers = [0; 32];
        for recording in run {
            registers = Bench::new(dut, recording, registers).record(out);
        }
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}

/// The front's surroundings during one recording.
struct Bench<'a> {
    dut: &'a mut dyn Dut,
    recording: &'a Recording,
    /// before the recording: they are followed from reset on
    registers: [u32; 32],
    stimulus: Peekable<Stimulus>,
    random: Random,
    pause: u32,
    /// an instruction was started before `stall` rose
    under_way: bool,
    cycle: u64,
    stalls: u32,
    /// retirements and other writes with their cycles, in order
    events: Vec<(Event, u64)>,
    /// bytes of the records, the last one perhaps unfinished
    records: Vec<Vec<u8>>,
    /// which values were hurried, with codec `compact`
    hurries: Vec<bool>,
}

impl<'a> Bench<'a> {
    fn new(dut: &'a mut dyn Dut, recording: &'a Recording, registers: [u32; 32]) -> Self {
        let config = recording.config();
        for (port, value) in [
            ("interval", config.interval),
            match recording.compact {
                Some((_, key)) => ("key_every", key.into()),
                None => ("count_bits", config.count_bits.into()),
            },
            ("image_lo", config.image_lo),
            ("image_hi", config.image_hi),
            ("may_stall", recording.may_stall.into()),
            ("trigger_on_trap", recording.trigger.is_some().into()),
            ("post_trigger", config.post_trigger),
            ("watch", config.trigger.kinds),
            ("watch_lo", config.trigger.lo),
            ("watch_hi", config.trigger.hi),
            ("byte_ready", 0),
            ("mem_base", config.mem_base),
            ("mem_mask", config.mem_mask),
        ] {
            dut.set(port, value);
        }
        Self {
            dut,
            recording,
            registers,
            stimulus: recording.stimulus().peekable(),
            random: Random::new(recording.seed ^ 0xf00d),
            pause: 0,
            under_way: false,
            cycle: 0,
            stalls: 0,
            events: Vec::new(),
            records: vec![Vec::new()],
            hurries: Vec::new(),
        }
    }

    /// Makes the recording; gives the registers after it.
    fn record(mut self, out: &mut Records) -> [u32; 32] {
        self.dut.set("enable", 1);
        let began = (0..3000).any(|_| {
            self.dut.cycle();
            self.dut.get("recording") == 1
        });
        out.say("began", began);
        out.want("began", true);
        for pace in &self.recording.pace {
            for _ in 0..pace.cycles {
                if self.dut.get("recording") == 0 {
                    break;
                }
                self.offer(pace.pause);
                let pulled = self.recording.pin.map(u64::from) == Some(self.cycle);
                self.dut.set("trigger", pulled.into());
                if self.recording.compact.is_some() && self.random.chance(100) {
                    // A ring says so until it has the next group's first byte.
                    let cut = self.recording.asks_for_cuts() && self.random.chance(300);
                    self.dut.set("cut", cut.into());
                }
                self.cycle(pace.link);
            }
        }
        self.dut.set("trigger", 0);
        self.quiet();
        if self.recording.reset {
            self.break_off(out);
            return [0; 32];
        }
        let mut registers = self.registers;
        for (event, _) in &self.events {
            if let Event::Retire(r) = event {
                if !r.trap && r.rd_addr != 0 {
                    registers[usize::from(r.rd_addr)] = r.rd_wdata;
                }
            }
        }
        self.end(out);
        registers
    }

    /// Sets the ports of a cycle in which something may happen.
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
        if self.random.chance(500) {
            if let Some(event) = self.stimulus.next_if(is_snoop) {
                if let Event::Snoop { addr, mask, .. } = event {
                    self.dut.set("snoop_valid", 1);
                    self.dut.set("snoop_addr", addr);
                    self.dut.set("snoop_mask", mask.into());
                }
                self.events.push((event, self.cycle));
            }
        }
    }

    fn quiet(&mut self) {
        self.dut.set("rvfi_valid", 0);
        self.dut.set("snoop_valid", 0);
    }

    fn cycle(&mut self, link: u32) {
        let ready = self.random.chance(link);
        self.dut.set("byte_ready", ready.into());
        if self.recording.compact.is_some() && self.dut.get("decided") == 1 {
            self.hurries.push(self.dut.get("hurried") == 1);
        }
        if ready && self.dut.get("byte_valid") == 1 {
            let byte = self.dut.get("byte_data") as u8;
            if let Some(record) = self.records.last_mut() {
                record.push(byte);
            }
            if self.dut.get("byte_last") == 1 {
                self.records.push(Vec::new());
            }
        }
        self.stalls += u32::from(self.dut.get("recording") == 1 && self.dut.get("stall") == 1);
        self.dut.cycle();
        self.cycle += 1;
    }

    fn end(mut self, out: &mut Records) {
        match self.recording.end {
            End::Host => self.dut.set("enable", 0),
            End::Run => self.dut.set("run_ended", 1),
        }
        let ended = (0..40_000).any(|_| {
            self.cycle(1000);
            self.dut.get("ended") == 1
        });
        out.say("ended", ended);
        out.want("ended", true);
        let model = self.recording.told(
            self.registers,
            &self.events,
            &self.records,
            &self.hurries,
            out,
        );
        self.compare(&model, out);
        // That of one hart, hart 0.
        let cause = match self.recording.compact {
            None => "fired",
            Some(_) => "cause",
        };
        for (what, port) in [
            ("reason", "end_reason"),
            ("retired", "retired_lo"),
            ("lost", "lost_lo"),
            ("lost something", "lost_any"),
            ("triggered", "triggered"),
            ("cause", cause),
            ("stalls", "stalls_lo"),
            ("recording", "recording"),
        ] {
            out.say(what, self.dut.get(port));
        }
        let reason = model.ended.map_or(0, EndReason::code);
        out.want("reason", reason);
        out.want("retired", model.retired as u32);
        out.want("lost", model.lost as u32);
        out.want("lost something", model.lost > 0);
        out.want("triggered", model.fired.is_some());
        out.want("cause", model.fired.map_or(0, Cause::code));
        out.want("stalls", self.stalls);
        out.want("recording", false);
        self.dut.set("enable", 0);
        self.dut.set("run_ended", 0);
        (0..3).for_each(|_| self.dut.cycle());
    }

    /// What was sent until a reset is the beginning of what would have been sent.
    fn break_off(mut self, out: &mut Records) {
        if !self.recording.may_stall {
            self.reset();
            return;
        }
        let mut model = self.recording.told(
            self.registers,
            &self.events,
            &self.records,
            &self.hurries,
            out,
        );
        let sent: usize = self.records.iter().map(Vec::len).sum();
        let mut left = sent;
        model.records.retain_mut(|record| {
            record.truncate(left);
            left -= record.len();
            !record.is_empty()
        });
        self.records.retain(|record| !record.is_empty());
        let flat = |records: &[Vec<u8>]| records.concat();
        // An interval that is still open is not the model's to tell.
        let known = flat(&model.records);
        let sent = flat(&self.records);
        sent.iter()
            .take(known.len())
            .for_each(|byte| out.say("byte", *byte));
        known.iter().for_each(|byte| out.want("byte", *byte));
        self.reset();
    }

    fn reset(&mut self) {
        self.dut.set("enable", 0);
        self.dut.set("reset", 1);
        (0..2).for_each(|_| self.dut.cycle());
        self.dut.set("reset", 0);
    }

    fn compare(&self, model: &Told, out: &mut Records) {
        let sent = self.records.iter().filter(|bytes| !bytes.is_empty());
        for bytes in sent {
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of record", true);
        }
        for bytes in &model.records {
            bytes.iter().for_each(|byte| out.want("byte", *byte));
            out.want("end of record", true);
        }
    }
}

/// What the model says of a recording.
pub struct Told {
    /// Bytes of its intervals and gaps.
    pub records: Vec<Vec<u8>>,
    /// Why it ended.
    pub ended: Option<EndReason>,
    /// Retirements.
    pub retired: u64,
    /// Retirements lost.
    pub lost: u64,
    /// What trigger fired.
    pub fired: Option<Cause>,
}

/// The cycle of a gap with which a recording ends.
fn last_cycle(records: &[Vec<u8>]) -> u64 {
    let last = records.iter().rfind(|bytes| !bytes.is_empty());
    match last.map(|bytes| Record::from_bytes(bytes)) {
        Some(Ok(Record::Gap(gap))) => gap.cycle,
        _ => 0,
    }
}

/// Puts a retirement on the port.
pub fn set_retirement(dut: &mut dyn Dut, r: &Retire) {
    let only_here = [("rvfi_valid", 1), ("rvfi_mode", r.mode.into())];
    for (port, value) in retirement_ports(r).into_iter().chain(only_here) {
        dut.set(port, value);
    }
}
