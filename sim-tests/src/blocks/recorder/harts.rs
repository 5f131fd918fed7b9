//! The recorder of several harts: retirements of all on one port, a host's UART on the other side. A
//! model for each hart learns the others' writes in the order of the port.

use super::front::{set_retirement, End, Recording, Runs};
use super::order::{judge_order, settings};
use crate::blocks::host::{began, Host};
use crate::blocks::{seldom, Check, Records};
use lookback_hdl::recorder::config::{BUGNET, ORDER, TINY, TINY_ORDER};
use lookback_log_format::frame::{kind, End as EndPayload, Frame};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::trigger::Fired;
use lookback_log_format::{parcel, registers, RecorderConfig};
use lookback_model::order::Order;
use lookback_model::stimulus::{Event, Random, Stimulus};
use lookback_model::Recorder;
use lookback_sim::block::Dut;
use proptest::prelude::*;
use std::iter::Peekable;

/// Recordings of `N` harts, with the sizes of the paper or tiny ones.
pub struct OfHarts<const N: usize, const IS_BUGNET: bool>;

impl<const N: usize, const IS_BUGNET: bool> Check for OfHarts<N, IS_BUGNET> {
    type Step = Recording;

    fn runs() -> BoxedStrategy<Vec<Recording>> {
        (Runs::runs(), seldom(500), 0..100u32)
            .prop_map(|(mut run, triggered, after)| {
                run.truncate(2);
                // A trigger of one hart ends what all of them record.
                if let (true, Some(recording)) = (triggered, run.first_mut()) {
                    recording.trigger = Some(after);
                }
                for recording in &mut run {
                    recording.sizes = if IS_BUGNET { BUGNET } else { TINY };
                    // Who else wrote while events were lost cannot be told afterwards.
                    recording.may_stall = true;
                    // Often long enough after a trigger that another hart would have one, too.
                    if recording.seed % 3 == 0 {
                        recording.trigger.get_or_insert(100);
                    }
                }
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
            let harts = (0..N as u64).map(|hart| {
                let own = Recording {
                    seed: recording.seed ^ hart << 40,
                    ..recording.clone()
                };
                Hart {
                    stimulus: own.stimulus().peekable(),
                    pause: 0,
                    under_way: false,
                }
            });
            let bench = Bench {
                harts: harts.collect(),
                dut,
                recording,
                host: Host::new(1),
                random: Random::new(recording.seed ^ 0xbeef),
                cycle: 0,
                events: Vec::new(),
                stored: None,
            };
            bench.record(out);
        }
    }

    fn expect(_: &[Recording], _: &mut Records) {}
}

struct Hart {
    stimulus: Peekable<Stimulus>,
    pause: u32,
    /// an instruction was started before `stall` rose
    under_way: bool,
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    recording: &'a Recording,
    host: Host,
    harts: Vec<Hart>,
    random: Random,
    cycle: u64,
    /// in the order of the port
    events: Vec<Shown>,
    /// what the last cycle's retirement stored
    stored: Option<Event>,
}

impl Bench<'_> {
    fn cycle(&mut self) {
        self.host.pins(self.dut);
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
        let triggers = registers::TRIGGER..=registers::TRIGGER_HI;
        for register in (registers::INTERVAL..=registers::POST_TRIGGER).chain(triggers) {
            self.write(register, config.register(register).unwrap_or(0), out);
        }
        self.write(registers::ORDER_MODE, order_mode(self.recording), out);
        let control = config.control | 2;
        self.write(registers::CONTROL, control, out);
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

    /// One retirement of any hart, and one write of nobody's: but never two writes in a cycle. Nobody
    /// likes to write again what a hart has just stored, while the port still shows that store.
    fn offer(&mut self, pause: u8) {
        self.quiet();
        if let Some(again) = self.stored.take().filter(|_| self.random.below(4) == 0) {
            self.snoop(again);
            return;
        }
        let stall = self.dut.get("stall") == 1;
        let count = self.harts.len();
        let turn = self.random.below(count as u32) as usize;
        let mut writes = false;
        let is_retirement = |event: &Event| matches!(event, Event::Retire(_));
        for hart in (0..count).map(|n| (turn + n) % count) {
            let own = &mut self.harts[hart];
            if own.pause > 0 || stall && !own.under_way {
                continue;
            }
            let Some(event) = own.stimulus.next_if(is_retirement) else {
                continue;
            };
            if let Event::Retire(r) = &event {
                set_retirement(self.dut, r);
                self.dut.set("rvfi_hart", hart as u32);
                // Nobody's writes come between accesses.
                writes = !r.trap && r.mem_rmask | r.mem_wmask != 0;
                self.stored = (!r.trap && r.mem_wmask != 0).then_some(Event::Snoop {
                    addr: r.mem_addr,
                    mask: r.mem_wmask,
                    data: r.mem_wdata,
                });
            }
            self.events.push((Some(hart), event, self.cycle));
            own.pause = 1 + self.random.below(u32::from(pause) + 1);
            own.under_way = !stall;
            break;
        }
        for hart in &mut self.harts {
            hart.pause = hart.pause.saturating_sub(1);
            if !stall {
                hart.under_way = true;
            }
        }
        let is_snoop = |event: &Event| matches!(event, Event::Snoop { .. });
        for hart in &mut self.harts {
            if writes {
                break;
            }
            if let Some(event) = hart.stimulus.next_if(is_snoop) {
                self.snoop(event);
                break;
            }
        }
    }

    fn snoop(&mut self, event: Event) {
        if let Event::Snoop { addr, mask, .. } = event {
            self.dut.set("snoop_valid", 1);
            self.dut.set("snoop_addr", addr);
            self.dut.set("snoop_mask", mask.into());
        }
        self.events.push((None, event, self.cycle));
    }

    fn quiet(&mut self) {
        self.dut.set("rvfi_valid", 0);
        self.dut.set("snoop_valid", 0);
    }

    fn judge(self, out: &mut Records) {
        let count = self.harts.len();
        let sent = records(&self.host.frames, count, out);
        let first = began_at(&self.events, &sent);
        let reason = match self.recording.end {
            End::Host => EndReason::Stopped,
            End::Run => EndReason::RunEnded,
        };
        let config = self.recording.config();
        let models = models(&config, count, &self.events, first, reason);
        let fired = fired(&models);
        let mut order = order_of(self.recording, count, &self.events, reason);
        let (retired, reason) = compare(&sent, models, out);
        let strata = records_of(&self.host.frames, 0xff);
        let chunks = records_of(&self.host.frames, 0xfe);
        judge_order(&mut order, [&strata, &chunks], out);
        out.say("damaged", self.host.damaged);
        out.want("damaged", 0u32);
        let end = self.host.frames.iter().find(|f| f.kind == kind::END);
        if let Some(Ok(end)) = end.map(|frame| EndPayload::from_bytes(&frame.payload)) {
            out.say("reason", end.reason.code());
            out.say("fired", Fired::bits(end.fired));
            out.say("retired", end.retired as u32);
            out.say("lost", end.lost as u32);
        }
        out.want("reason", reason.map_or(0, EndReason::code));
        out.want("fired", Fired::bits(fired));
        out.want("retired", retired as u32);
        out.want("lost", 0u32);
    }
}

/// The records of each hart, put together from the parcels in LOG frames.
pub fn records(frames: &[Frame], harts: usize, out: &mut Records) -> Vec<Vec<Vec<u8>>> {
    let mut records = vec![vec![]; harts];
    let mut open: Vec<Vec<u8>> = vec![vec![]; harts];
    for frame in frames.iter().filter(|frame| frame.kind & 0xfc == kind::LOG) {
        let Ok(piece) = parcel::open(frame) else {
            out.say("no parcel", u32::from(frame.seq));
            continue;
        };
        let hart = usize::from(piece.hart);
        if piece.hart >= 0xfe {
            continue;
        }
        let Some(own) = open.get_mut(hart) else {
            out.say("no such hart", hart as u32);
            continue;
        };
        if (piece.kind & kind::LOG_FIRST != 0) != own.is_empty() {
            out.say("begins where nothing ended", hart as u32);
        }
        own.extend(&piece.payload);
        if piece.kind & kind::LOG_LAST != 0 {
            records[hart].push(std::mem::take(own));
        }
    }
    records
}

/// The records with a hart byte, as bytes.
pub fn records_of(frames: &[Frame], hart: u8) -> Vec<Vec<u8>> {
    let logs = frames.iter().filter(|frame| frame.kind & 0xfc == kind::LOG);
    let pieces = logs.filter_map(|frame| parcel::open(frame).ok());
    let (mut records, mut open) = (Vec::new(), Vec::new());
    for piece in pieces.filter(|piece| piece.hart == hart) {
        open.extend(&piece.payload);
        if piece.kind & kind::LOG_LAST != 0 {
            records.push(std::mem::take(&mut open));
        }
    }
    records
}

/// ORDER_MODE of a recording: any.
pub fn order_mode(recording: &Recording) -> u32 {
    (recording.seed >> 17) as u32 & 3
}

/// The model of the order, with everything that happened. A trigger ends it with the retirement, and
/// with whatever else came in the same cycle.
pub fn order_of(recording: &Recording, harts: usize, events: &[Shown], reason: EndReason) -> Order {
    let sizes = if recording.sizes.ring_bits == BUGNET.ring_bits {
        ORDER
    } else {
        TINY_ORDER
    };
    let config = recording.config();
    let mut order = Order::new(settings(&sizes, order_mode(recording)), harts);
    // Models of the harts tell when intervals end, and when a trigger does.
    let mut models: Vec<Recorder> = (0..harts).map(|_| Recorder::new(&config)).collect();
    let mut ended = None;
    for (whose, event, cycle) in events {
        if ended.is_some_and(|at| at != *cycle) {
            break;
        }
        match (event, whose) {
            (Event::Retire(r), Some(hart)) => {
                order.retire(*hart, r);
                let model = &mut models[*hart];
                model.retire(r, *cycle);
                let ends = model.take_records();
                let is_interval = |record: &Record| matches!(record, Record::Interval(_));
                if ends.iter().any(is_interval) {
                    order.interval_ended();
                }
                if model.ended() == Some(EndReason::Trigger) {
                    ended = Some(*cycle);
                }
                first_trigger_counts(&mut models);
            }
            (Event::Snoop { addr, mask, .. }, _) if *mask != 0 => order.external(*addr),
            _ => {}
        }
    }
    order.stop(if ended.is_some() {
        EndReason::Trigger
    } else {
        reason
    });
    order
}

/// What a port showed, in its order: whose (nobody's if a DMA engine's), what, when.
pub type Shown = (Option<usize>, Event, u64);

/// The cycle in which the recording began, which its first interval tells.
pub fn began_at(events: &[Shown], records: &[Vec<Vec<u8>>]) -> u64 {
    let first = records.iter().enumerate().find_map(|(hart, records)| {
        let own = events.iter().filter(|event| event.0 == Some(hart));
        let own: Vec<_> = own.map(|(_, event, cycle)| (*event, *cycle)).collect();
        (!own.is_empty() && !records.is_empty()).then(|| began(&own, records))
    });
    first.unwrap_or(0)
}

/// A model for each hart, with everything that happened; a trigger ends the recording of all.
pub fn models(
    config: &RecorderConfig,
    harts: usize,
    events: &[Shown],
    first: u64,
    reason: EndReason,
) -> Vec<Recorder> {
    let mut models: Vec<Recorder> = (0..harts).map(|_| Recorder::new(config)).collect();
    for (whose, event, cycle) in events {
        for (hart, model) in models.iter_mut().enumerate() {
            match event {
                Event::Retire(r) if *whose == Some(hart) => {
                    model.retire(r, cycle.wrapping_sub(first));
                }
                Event::Retire(r) if !r.trap && r.mem_wmask != 0 => {
                    model.snoop(r.mem_addr, r.mem_wmask);
                }
                Event::Retire(_) => {}
                Event::Snoop { addr, mask, .. } => model.snoop(*addr, *mask),
            }
        }
        first_trigger_counts(&mut models);
        if models.iter().any(|m| m.ended() == Some(EndReason::Trigger)) {
            models
                .iter_mut()
                .for_each(|m| m.stop(EndReason::Trigger, 0));
        }
    }
    models.iter_mut().for_each(|model| model.stop(reason, 0));
    models
}

/// Once a trigger has fired on a hart, none can on another.
fn first_trigger_counts(models: &mut [Recorder]) {
    if let Some(first) = models.iter().position(Recorder::triggered) {
        let others = models.iter_mut().enumerate();
        others
            .filter(|(hart, _)| *hart != first)
            .for_each(|(_, model)| model.disarm());
    }
}

/// The trigger that fired on one of the harts.
fn fired(models: &[Recorder]) -> Option<Fired> {
    models.iter().zip(0..).find_map(|(model, hart)| {
        let cause = model.cause()?;
        Some(Fired { cause, hart })
    })
}

/// Compares what was sent with what the models say; gives the models' count of retirements and why
/// they ended.
pub fn compare(
    sent: &[Vec<Vec<u8>>],
    models: Vec<Recorder>,
    out: &mut Records,
) -> (u64, Option<EndReason>) {
    let (mut retired, mut reason) = (0, None);
    for (hart, mut model) in models.into_iter().enumerate() {
        retired += model.retired();
        reason = reason.or(model.ended());
        for bytes in &sent[hart] {
            bytes.iter().for_each(|byte| out.say("byte", *byte));
            out.say("end of a record of hart", hart as u32);
        }
        for record in model.take_records() {
            let bytes = record.to_bytes();
            bytes.iter().for_each(|byte| out.want("byte", *byte));
            out.want("end of a record of hart", hart as u32);
        }
    }
    (retired, reason)
}
