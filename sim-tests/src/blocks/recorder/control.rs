//! The interval control: what is recorded, what is lost, when intervals open and end.
//!
//! A twin of the states that the block's header draws, with numbers instead of registers: positions
//! are counted, not compared bit by bit, and the end of an interval is known by its length.

use crate::blocks::{seldom, word, Inputs, Lockstep};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Clear(u32),
    Run,
    Lose,
    Drain,
    Resume,
    Stop,
    Flush,
    Ended,
}

/// `C` bits of sweep.
const SWEEP: u32 = 1 << 4;

/// The twin.
#[derive(Default)]
pub struct Control {
    phase: Phase,
    /// a recording was begun since the reset
    started: bool,
    /// `enable` as it was a cycle ago
    enabled: bool,
    /// cycles since the run was over, up to 15
    settled: u32,
    /// instructions of the open interval
    open: Option<u32>,
    digest: u32,
    /// the interval that ended in the cycle before: why, unless a trigger says otherwise
    closed: Option<u32>,
    total_digest: Option<u32>,
    reason: Option<u32>,
    end_reason: Option<u32>,
    triggered: bool,
    since: u32,
    lost_any: bool,
    /// everything of the last recording is written
    ended: bool,
    /// recording in the cycle before
    recorded: bool,
    /// nothing kept the hart from starting in the cycle before; something does at power-up
    goes: bool,
    was_near: bool,
    /// another hart's trigger ends the recording of all
    all_end: bool,
    set: Settings,
}

/// What stands still during a recording.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    may_stall: bool,
    hold: bool,
    interval: u32,
    post_trigger: u32,
}

/// One cycle.
#[derive(Clone, Debug)]
pub struct Step {
    /// taken over while nothing is recorded
    settings: Settings,
    reset: bool,
    enable: bool,
    run_ended: bool,
    valid: bool,
    fires: bool,
    end_all: bool,
    cut: bool,
    needs_entry: bool,
    stepped: u32,
    snooped: bool,
    full: bool,
    pressure: bool,
    live: bool,
    drained: bool,
    turn: bool,
}

impl Control {
    fn running(&self) -> bool {
        matches!(self.phase, Phase::Run | Phase::Resume)
    }

    fn losing(&self) -> bool {
        matches!(self.phase, Phase::Lose | Phase::Drain)
    }

    /// This hart's own trigger ends the recording.
    fn ends(&self) -> bool {
        self.triggered && self.since == self.set.post_trigger
    }

    fn trigger_out(&self) -> bool {
        self.ends() || self.all_end
    }

    /// Whether the recording ends now, and why.
    fn stopping(&self) -> Option<u32> {
        if self.trigger_out() {
            Some(5)
        } else if self.settled == 15 {
            Some(3)
        } else {
            (!self.enabled).then_some(2)
        }
    }
}

fn settings() -> BoxedStrategy<Settings> {
    let post = prop_oneof![Just(0u32), Just(1), 0..80u32];
    (any::<bool>(), any::<bool>(), 64..72u32, post)
        .prop_map(|(may_stall, hold, interval, post_trigger)| Settings {
            may_stall,
            hold,
            interval,
            post_trigger,
        })
        .boxed()
}

impl Lockstep for Control {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        // Stretches in which things come more or less often.
        let rates = (
            prop_oneof![Just(1000u32), Just(700), Just(150)],
            prop_oneof![3 => Just(0u32), 1 => Just(100), 1 => Just(700)],
            prop_oneof![2 => Just(1000u32), 1 => Just(500), 1 => Just(30)],
            prop_oneof![4 => Just((1000u32, 0u32)), 1 => Just((0, 0)), 1 => Just((1000, 1000))],
        );
        let stretch =
            (settings(), rates, 10..150usize).prop_flat_map(|(settings, rates, length)| {
                let (valid, full, live, (enable, ended)) = rates;
                let events = (seldom(valid), seldom(500), seldom(60), word());
                let state = (
                    seldom(full),
                    seldom(300),
                    seldom(live),
                    seldom(400),
                    seldom(700),
                );
                let triggers = (seldom(5), seldom(2), seldom(15));
                let host = (seldom(enable), seldom(ended), seldom(2), triggers);
                let step = (events, state, host).prop_map(move |(events, state, host)| {
                    let (valid, needs_entry, snooped, stepped) = events;
                    let (full, pressure, live, drained, turn) = state;
                    let (enable, run_ended, reset, (fires, end_all, cut)) = host;
                    Step {
                        settings: settings.clone(),
                        reset,
                        enable,
                        run_ended,
                        valid,
                        fires,
                        end_all,
                        cut,
                        needs_entry,
                        stepped,
                        snooped,
                        full,
                        pressure,
                        live,
                        drained,
                        turn,
                    }
                });
                vec(step, length)
            });
        vec(stretch, 2..9)
            .prop_map(|stretches| stretches.concat())
            .boxed()
    }

    fn inputs(&self, step: &Step) -> Vec<(&'static str, u32)> {
        // The settings must not change while something is recorded.
        let still = !matches!(self.phase, Phase::Idle | Phase::Ended);
        let set = if still { &self.set } else { &step.settings };
        // Everything may be written before the queue of a closing interval is: not in this cycle.
        let drained = step.drained && self.open.is_none();
        vec![
            ("reset", step.reset.into()),
            ("enable", step.enable.into()),
            ("may_stall", set.may_stall.into()),
            ("hold", set.hold.into()),
            ("run_ended", step.run_ended.into()),
            ("interval", set.interval),
            ("post_trigger", set.post_trigger),
            ("valid", step.valid.into()),
            ("fires", step.fires.into()),
            ("end_all", step.end_all.into()),
            ("cut", step.cut.into()),
            ("needs_entry", step.needs_entry.into()),
            ("stepped", step.stepped),
            ("snooped", step.snooped.into()),
            ("full", step.full.into()),
            ("pressure", step.pressure.into()),
            ("live", step.live.into()),
            ("drained", drained.into()),
            ("turn", step.turn.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        self.set = Settings {
            may_stall: inputs.is("may_stall"),
            hold: inputs.is("hold"),
            interval: inputs.get("interval"),
            post_trigger: inputs.get("post_trigger"),
        };
        self.all_end = inputs.is("end_all");
        let now = self.judge(inputs);
        let seen = self.outputs(inputs, &now);
        self.edge(inputs, &now);
        seen
    }
}

/// What is decided in a cycle.
struct Now {
    stopping: Option<u32>,
    ending: bool,
    /// it ends although it is not complete
    severs: bool,
    wants: bool,
    blocked: bool,
    taken: bool,
    accept: bool,
    /// the open interval ends without another instruction
    closes_alone: bool,
    /// a gap ends
    gap: bool,
    count_retire: bool,
}

impl Control {
    fn judge(&self, inputs: &Inputs) -> Now {
        let stopping = self.stopping();
        let valid = inputs.is("valid");
        let position = self.open.unwrap_or(0);
        let severs =
            inputs.is("cut") && self.open.is_some() && inputs.is("live") && !inputs.is("full");
        let ending = self.running() && (severs || position + 1 == self.set.interval);
        let wants = valid && (inputs.is("needs_entry") || self.open.is_none() || ending)
            || inputs.is("snooped");
        let comes = valid || inputs.is("snooped");
        let blocked = comes && inputs.is("full") || valid && ending && !inputs.is("live");
        let taken = self.running() && stopping.is_none() && !blocked;
        let accept = taken && valid;
        let closes_alone = matches!(self.phase, Phase::Lose | Phase::Stop)
            && self.open.is_some()
            && inputs.is("live")
            && !inputs.is("full");
        let gap =
            self.phase == Phase::Resume && (stopping.is_some() && inputs.is("turn") || accept);
        let count_retire = valid && (self.losing() || self.running() && stopping.is_none());
        Now {
            stopping,
            ending,
            severs,
            wants,
            blocked,
            taken,
            accept,
            closes_alone,
            gap,
            count_retire,
        }
    }

    fn outputs(&self, inputs: &Inputs, now: &Now) -> Vec<(&'static str, u32)> {
        let recording = self.running() || self.losing();
        let clears = matches!(self.phase, Phase::Clear(_));
        let gap_alone = now.gap && !now.accept;
        let push = now.taken && now.wants || now.closes_alone || gap_alone;
        let mut seen: Vec<(&'static str, u32)> = vec![
            ("clear", clears.into()),
            ("accept", now.accept.into()),
            ("accept_snoop", (now.taken && inputs.is("snooped")).into()),
            ("push", push.into()),
            ("open", (now.accept && self.open.is_none()).into()),
            ("gap", now.gap.into()),
            (
                "last",
                (now.accept && now.ending || now.closes_alone).into(),
            ),
            ("severed", (now.accept && now.severs).into()),
            (
                "active",
                (self.losing() || self.running() && now.stopping.is_none()).into(),
            ),
            ("count_retire", now.count_retire.into()),
            ("count_loss", (now.count_retire && !now.accept).into()),
            ("count_cycle", (self.recorded && recording).into()),
            ("count_stall", (!self.goes && recording).into()),
            (
                "gap_start",
                (self.phase == Phase::Run && now.stopping.is_none() && now.blocked).into(),
            ),
            ("stall", (!self.goes).into()),
            ("recording", recording.into()),
        ];
        if let Phase::Clear(sweep) = self.phase {
            seen.push(("sweep", sweep));
        }
        if now.accept {
            seen.push(("position", self.open.unwrap_or(0)));
            let digest = if self.open.is_some() {
                self.digest
            } else {
                u32::MAX
            };
            seen.push(("digest", digest));
            seen.push(("fresh", self.open.is_none().into()));
        } else if let (true, Some(count)) = (now.closes_alone, self.open) {
            seen.push(("position", count - 1));
        }
        if self.started && !clears {
            seen.push(("ended", self.ended.into()));
            seen.push(("triggered", self.triggered.into()));
            seen.push(("ends", self.ends().into()));
            seen.push(("lost_any", self.lost_any.into()));
        }
        seen.extend(self.total_digest.map(|digest| ("total_digest", digest)));
        seen.extend(self.reason.map(|reason| ("reason", reason)));
        let over = matches!(self.phase, Phase::Stop | Phase::Flush | Phase::Ended);
        seen.extend(
            self.end_reason
                .filter(|_| over)
                .map(|reason| ("end_reason", reason)),
        );
        seen
    }

    fn edge(&mut self, inputs: &Inputs, now: &Now) {
        let recording = self.running() || self.losing();
        // Why the interval that ended a cycle ago did.
        if let Some(cause) = self.closed.take() {
            self.total_digest = Some(self.digest);
            self.reason = Some(if self.trigger_out() { 5 } else { cause });
        }
        let near = self.was_near;
        let full_soon = self.set.may_stall
            && (self.losing()
                || self.running() && (inputs.is("pressure") || near && !inputs.is("live")));
        let held = self.set.hold && !self.started && self.phase == Phase::Idle;
        self.recorded = recording;
        let over = inputs.is("run_ended") && recording;
        self.settled = if over { (self.settled + 1).min(15) } else { 0 };
        // The last eight instructions of an interval are near its end.
        self.was_near = self
            .open
            .is_some_and(|count| count + 8 >= self.set.interval);
        self.phase = self.next_phase(inputs, now);
        // A hart waits while memories are cleared, and until then if it is to be held.
        self.goes = !(full_soon || held || matches!(self.phase, Phase::Clear(_)));
        self.ended |= self.phase == Phase::Ended;
        if now.accept {
            self.accept(inputs, now);
        }
        if now.closes_alone {
            self.open = None;
            self.was_near = false;
            self.closed = Some(if self.phase == Phase::Drain {
                4
            } else {
                self.end_reason.unwrap_or(0)
            });
        }
        self.enabled = inputs.is("enable");
        if matches!(self.phase, Phase::Clear(_)) {
            let kept = std::mem::take(self);
            *self = Self {
                phase: kept.phase,
                enabled: kept.enabled,
                set: kept.set,
                goes: kept.goes,
                started: true,
                total_digest: kept.total_digest,
                reason: kept.reason,
                ..Self::default()
            };
        }
        if inputs.is("reset") {
            // What an interval ended with is nothing any more.
            *self = Self {
                goes: !self.set.hold,
                ..Self::default()
            };
        }
    }

    fn accept(&mut self, inputs: &Inputs, now: &Now) {
        let count = self.open.unwrap_or(0) + 1;
        self.open = Some(count);
        self.digest = inputs.get("stepped");
        if self.triggered {
            self.since += 1;
        } else if inputs.is("fires") {
            self.triggered = true;
        }
        if now.ending {
            self.open = None;
            self.was_near = false;
            self.closed = Some(1);
        }
    }

    fn next_phase(&mut self, inputs: &Inputs, now: &Now) -> Phase {
        match (self.phase, now.stopping) {
            (Phase::Idle, _) if self.enabled => Phase::Clear(0),
            (Phase::Clear(sweep), _) if sweep + 1 == SWEEP => Phase::Run,
            (Phase::Clear(sweep), _) => Phase::Clear(sweep + 1),
            (Phase::Run, Some(reason)) => {
                self.end_reason = Some(reason);
                Phase::Stop
            }
            (Phase::Run, None) if now.blocked => {
                self.lost_any = true;
                Phase::Lose
            }
            (Phase::Lose, _) if self.open.is_none() || now.closes_alone => Phase::Drain,
            (Phase::Drain, _) if inputs.is("drained") && inputs.is("live") => Phase::Resume,
            (Phase::Resume, Some(reason)) if inputs.is("turn") => {
                self.end_reason = Some(reason);
                Phase::Flush
            }
            (Phase::Resume, None) if now.accept => Phase::Run,
            (Phase::Stop, _) if self.open.is_none() || now.closes_alone => Phase::Flush,
            (Phase::Flush, _) if inputs.is("drained") => Phase::Ended,
            (Phase::Ended, _) if !self.enabled => Phase::Idle,
            (phase, _) => phase,
        }
    }
}
