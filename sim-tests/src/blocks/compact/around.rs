//! What stands around the entries: the bytes of headers, trailers and gaps, as `log-format` writes them.

use crate::blocks::{seldom, word, Check, Records};
use lookback_log_format::interval::{EndReason, Gap, Header, Interval, Layout, Record, Trailer};
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Recordings through the writer.
pub struct Around;

/// An interval, with a gap before it perhaps, or a gap alone.
#[derive(Clone, Debug)]
pub struct Step {
    gap: Option<(u32, u8)>,
    /// without it a gap ends the recording
    opens: bool,
    key: bool,
    mode: u8,
    cycles: (u32, u32),
    pc: u32,
    last_position: u32,
    digest: u32,
    reason: EndReason,
    seed: u64,
    ready: u32,
}

/// Sums of the recording.
#[derive(Default)]
struct Twin {
    index: u32,
    retired: u64,
}

impl Twin {
    fn play(&mut self, step: &Step, out: &mut Records) {
        let cycle = u64::from(step.cycles.0) | u64::from(step.cycles.1) << 32;
        if let Some((lost, above)) = step.gap {
            let gap = Gap {
                index: self.index,
                retired: self.retired,
                cycle,
                lost,
            };
            say(out, &Record::Gap(gap));
            self.index += 1;
            self.retired += u64::from(lost) | u64::from(above) << 32;
        }
        if step.opens {
            let interval = Interval {
                header: Header {
                    layout: Layout::Compact { key: step.key },
                    mode: step.mode,
                    index: self.index,
                    retired: self.retired,
                    cycle,
                    pc: step.pc,
                    registers: [0; 32],
                },
                entries: Vec::new(),
                trailer: Trailer {
                    instructions: step.last_position + 1,
                    digest: step.digest,
                    reason: step.reason,
                },
            };
            say(out, &Record::Interval(interval));
            self.index += 1;
            self.retired += u64::from(step.last_position) + 1;
        }
    }
}

fn say(out: &mut Records, record: &Record) {
    let bytes = record.to_bytes();
    bytes.iter().for_each(|byte| out.say("byte", *byte));
    out.say("end of record", true);
}

impl Check for Around {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let reason = prop_oneof![
            Just(EndReason::Length),
            Just(EndReason::Stopped),
            Just(EndReason::RunEnded),
            Just(EndReason::Overflow),
            Just(EndReason::Trigger),
        ];
        let gap = (
            seldom(300),
            word(),
            prop_oneof![3 => Just(0u8), 1 => any::<u8>()],
        );
        let high = prop_oneof![2 => Just(0u32), 1 => word()];
        let step = (
            (
                gap,
                seldom(900),
                any::<bool>(),
                prop_oneof![Just(0u8), Just(1), Just(3)],
            ),
            (word(), high, word()),
            (prop_oneof![0..300u32, 0..0xff_ffffu32], word(), reason),
            (any::<u64>(), prop_oneof![Just(1000u32), Just(400)]),
        );
        let step = step.prop_map(|(what, numbers, end, play)| {
            let ((gap, lost, above), opens, key, mode) = what;
            Step {
                gap: (gap || !opens).then_some((lost, above)),
                opens,
                key,
                mode,
                cycles: (numbers.0, numbers.1),
                pc: numbers.2,
                last_position: end.0,
                digest: end.1,
                reason: end.2,
                seed: play.0,
                ready: play.1,
            }
        });
        vec(step, 1..30).boxed()
    }

    fn drive(run: &[Step], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("clear", 1);
        dut.cycle();
        dut.set("clear", 0);
        for step in run {
            Bench {
                dut,
                random: Random::new(step.seed),
                ready: step.ready,
            }
            .play(step, out);
        }
    }

    fn expect(run: &[Step], out: &mut Records) {
        let mut twin = Twin::default();
        run.iter().for_each(|step| twin.play(step, out));
    }
}

struct Bench<'a> {
    dut: &'a mut dyn Dut,
    random: Random,
    ready: u32,
}

impl Bench<'_> {
    fn play(&mut self, step: &Step, out: &mut Records) {
        let (lost, above) = step
            .gap
            .unwrap_or((self.random.word(), self.random.word() as u8));
        for (port, value) in [
            ("mode", step.mode.into()),
            ("cycles_lo", step.cycles.0),
            ("cycles_hi", step.cycles.1),
            ("lost_lo", lost),
            ("lost_hi", above.into()),
            ("reason", step.reason.code().into()),
        ] {
            self.dut.set(port, value);
        }
        let key = step.opens && step.key;
        let kind =
            8 | u32::from(step.opens) | u32::from(step.gap.is_some()) << 1 | u32::from(key) << 2;
        let noise = self.random.word() & 0xff_ffff;
        let (forgets, headers) = self.write((kind, noise, step.pc), true, out);
        if forgets != u32::from(key) || headers != u32::from(step.opens) {
            out.say("forgot or had a header", forgets | headers << 8);
        }
        if step.opens {
            self.write((4, step.last_position, step.digest), false, out);
        }
    }

    /// Writes what belongs to an event; how often it asked to forget, and said that a header is done.
    fn write(&mut self, event: (u32, u32, u32), boundary: bool, out: &mut Records) -> (u32, u32) {
        self.dut.set("event_kind", event.0);
        self.dut.set("event_extra", event.1);
        self.dut.set("event_value", event.2);
        self.dut.set("event_valid", 1);
        let (mut forgets, mut headers) = (0, 0);
        let wait = self.random.below(4);
        for cycle in 0..400 {
            let idle = cycle >= wait;
            self.dut.set("coder_idle", idle.into());
            self.dut
                .set("closed", (!boundary && cycle >= wait / 2).into());
            let ready = self.random.chance(self.ready);
            self.dut.set("byte_ready", ready.into());
            if ready && self.dut.get("byte_valid") == 1 {
                out.say("byte", self.dut.get("byte_data"));
                if self.dut.get("byte_last") == 1 {
                    out.say("end of record", true);
                }
            }
            forgets += self.dut.get("forget");
            headers += self.dut.get("header_done");
            let popped = self.dut.get("event_pop") == 1;
            self.dut.cycle();
            if popped {
                break;
            }
        }
        self.dut.set("event_valid", 0);
        self.dut.set("closed", 0);
        if self.dut.get("idle") != 1 {
            out.say("still busy", event.0);
        }
        (forgets, headers)
    }
}
