//! Opens and closes intervals, and decides what is recorded and what is lost: section 4 of the log
//! format. Twin of `lookback_model::interval`.
//!
//! ```text
//!          enable            swept
//!   Idle ─────────► Clear ─────────► Run ──── cannot accept ────► Lose ──closed──► Drain
//!    ▲                                │ ▲                                            │ all written
//!    │ !enable                  stop  │ └───────── next retirement ──── Resume ◄─────┘
//!  Ended ◄─all written─ Flush ◄──── Stop                                   │
//!                         ▲                          stop                  │
//!                         └────────────────────────────────────────────────┘
//! ```
//! Decides about one retirement a cycle. An instruction is accepted completely or not at all: when
//! there is no place in the input queue, or it would end an interval while the header
//! of that interval is not yet written, it is the first one lost. The interval then ends with the
//! instruction before it.

use rust_hdl::prelude::*;

/// What the recorder does.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Phase {
    /// nothing is recorded
    Idle,
    /// memories are being cleared, the hart waits
    Clear,
    /// recording
    Run,
    /// losing; the open interval has to be closed
    Lose,
    /// losing until everything is written
    Drain,
    /// a gap ends with the next retirement
    Resume,
    /// over; the open interval has to be closed
    Stop,
    /// over; everything has to be written
    Flush,
    /// over and everything is written
    Ended,
}

circuit! {
    /// Interval control; `C` bits of sweep clear the largest memory.
    pub struct IntervalControl [C] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// recording is requested
        pub enable: Signal<In, Bit>,
        /// the hart may be stalled
        pub may_stall: Signal<In, Bit>,
        /// stall the hart until the first recording
        pub hold: Signal<In, Bit>,
        /// the run is over
        pub run_ended: Signal<In, Bit>,
        /// instructions an interval
        pub interval: Signal<In, Bits<32>>,
        /// instructions recorded after a trigger
        pub post_trigger: Signal<In, Bits<32>>,
        /// the instruction, if it is accepted, is a trigger
        pub fires: Signal<In, Bit>,
        /// another hart's trigger ends the recording of all
        pub end_all: Signal<In, Bit>,
        /// the open interval should end with the next instruction that can end it
        pub cut: Signal<In, Bit>,
        /// an instruction retires
        pub valid: Signal<In, Bit>,
        /// something about it must be looked up or logged
        pub needs_entry: Signal<In, Bit>,
        /// digest with it
        pub stepped: Signal<In, Bits<32>>,
        /// somebody else wrote memory (after the instruction)
        pub snooped: Signal<In, Bit>,
        /// the input queue takes nothing
        pub full: Signal<In, Bit>,
        /// queue or event FIFO are filling up
        pub pressure: Signal<In, Bit>,
        /// the last header is written
        pub live: Signal<In, Bit>,
        /// everything is written
        pub drained: Signal<In, Bit>,
        /// a gap may end without a retirement in this cycle: harts that share what counts it take turns
        pub turn: Signal<In, Bit>,
        /// clear memories at `sweep`
        pub clear: Signal<Out, Bit>,
        /// entry to clear
        pub sweep: Signal<Out, Bits<C>>,
        /// the instruction is recorded
        pub accept: Signal<Out, Bit>,
        /// the other's write is recorded
        pub accept_snoop: Signal<Out, Bit>,
        /// put an entry into the queue
        pub push: Signal<Out, Bit>,
        /// the instruction opens an interval
        pub open: Signal<Out, Bit>,
        /// a gap ends before it
        pub gap: Signal<Out, Bit>,
        /// the interval ends after it
        pub last: Signal<Out, Bit>,
        /// because of `cut`
        pub severed: Signal<Out, Bit>,
        /// its position, or that of the last one accepted before it if it is not
        pub position: Signal<Out, Bits<24>>,
        /// digest before it
        pub digest: Signal<Out, Bits<32>>,
        /// no interval is open: the digest begins
        pub fresh: Signal<Out, Bit>,
        /// counts a retirement
        pub count_retire: Signal<Out, Bit>,
        /// a retirement or another's write of this cycle belongs to the recording
        pub active: Signal<Out, Bit>,
        /// counts a loss
        pub count_loss: Signal<Out, Bit>,
        /// counts a cycle
        pub count_cycle: Signal<Out, Bit>,
        /// counts a stall
        pub count_stall: Signal<Out, Bit>,
        /// a gap begins
        pub gap_start: Signal<Out, Bit>,
        /// digest of the interval that ended last
        pub total_digest: Signal<Out, Bits<32>>,
        /// why it ended
        pub reason: Signal<Out, Bits<3>>,
        /// the hart must not start an instruction
        pub stall: Signal<Out, Bit>,
        /// recording
        pub recording: Signal<Out, Bit>,
        /// over and everything is written
        pub ended: Signal<Out, Bit>,
        /// why
        pub end_reason: Signal<Out, Bits<3>>,
        /// a trigger fired
        pub triggered: Signal<Out, Bit>,
        /// its last instruction was recorded: the recording ends, that of the other harts too
        pub ends: Signal<Out, Bit>,
        /// something was lost
        pub lost_any: Signal<Out, Bit>,
        phase_ff: DFF<Phase>,
        sweep_ff: DFF<Bits<C>>,
        started_ff: DFF<Bit>,
        enable_ff: DFF<Bit>,
        settle_ff: DFF<Bits<4>>,
        open_ff: DFF<Bit>,
        count_ff: DFF<Bits<24>>,
        digest_ff: DFF<Bits<32>>,
        closing_ff: DFF<Bit>,
        cause_ff: DFF<Bits<3>>,
        total_digest_ff: DFF<Bits<32>>,
        reason_ff: DFF<Bits<3>>,
        end_reason_ff: DFF<Bits<3>>,
        ended_ff: DFF<Bit>,
        triggered_ff: DFF<Bit>,
        since_ff: DFF<Bits<32>>,
        lost_any_ff: DFF<Bit>,
        cycle_ff: DFF<Bit>,
        /// the hart may start an instruction; not so at power-up
        goes_ff: DFF<Bit>,
        full_soon: Signal<Local, Bit>,
        holds: Signal<Local, Bit>,
        running: Signal<Local, Bit>,
        losing: Signal<Local, Bit>,
        triggered_out: Signal<Local, Bit>,
        stopping: Signal<Local, Bit>,
        cause: Signal<Local, Bits<3>>,
        near_ff: DFF<Bit>,
        ending: Signal<Local, Bit>,
        severs: Signal<Local, Bit>,
        near_count: Signal<Local, Bits<24>>,
        back: Signal<Local, Bits<24>>,
        last_place: Signal<Local, Bits<3>>,
        wants: Signal<Local, Bit>,
        blocked: Signal<Local, Bit>,
        taken: Signal<Local, Bit>,
        closes: Signal<Local, Bit>,
    }
    constants {
        none: 32 = 0,
        one: 32 = 1,
        ones: 32 = 0xffff_ffffu32,
        no_count: 24 = 0,
        one_count: 24 = 1,
        less_one: 24 = 0xff_ffff,
        less_eight: 24 = 0x100_0000 - 8,
        seven_later: 3 = 7,
        one_sweep: C = 1,
        no_sweep: C = 0,
        one_settle: 4 = 1,
        no_settle: 4 = 0,
        by_length: 3 = 1,
        by_host: 3 = 2,
        by_run: 3 = 3,
        by_overflow: 3 = 4,
        by_trigger: 3 = 5,
    }
}

impl<const C: usize> Logic for IntervalControl<C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            phase_ff,
            sweep_ff,
            started_ff,
            enable_ff,
            settle_ff,
            open_ff,
            count_ff,
            digest_ff,
            closing_ff,
            cause_ff,
            total_digest_ff,
            reason_ff,
            end_reason_ff,
            ended_ff,
            triggered_ff,
            since_ff,
            near_ff,
            lost_any_ff,
            cycle_ff,
            goes_ff
        );
        self.running.next =
            (self.phase_ff.q.val() == Phase::Run) | (self.phase_ff.q.val() == Phase::Resume);
        self.losing.next =
            (self.phase_ff.q.val() == Phase::Lose) | (self.phase_ff.q.val() == Phase::Drain);

        // The end: a trigger whose instructions were recorded, the run, or the host. The hart's
        // last retirement may come some cycles after the run is said to be over.
        self.enable_ff.d.next = self.enable.val();
        self.settle_ff.d.next = self.no_settle.val();
        if self.run_ended.val() & (self.running.val() | self.losing.val()) {
            self.settle_ff.d.next = self.settle_ff.q.val();
            if !self.settle_ff.q.val().all() {
                self.settle_ff.d.next = self.settle_ff.q.val() + self.one_settle.val();
            }
        }
        self.ends.next =
            self.triggered_ff.q.val() & (self.since_ff.q.val() == self.post_trigger.val());
        self.triggered_out.next = self.ends.val() | self.end_all.val();
        self.stopping.next =
            self.triggered_out.val() | self.settle_ff.q.val().all() | !self.enable_ff.q.val();
        self.cause.next = self.by_host.val();
        if self.triggered_out.val() {
            self.cause.next = self.by_trigger.val();
        } else if self.settle_ff.q.val().all() {
            self.cause.next = self.by_run.val();
        }

        // Whether this retirement can be accepted.
        // `near` rises with the seventh instruction before the last, so that three bits tell the last.
        self.near_count.next = self.interval.val().get_bits::<24>(0) + self.less_eight.val();
        // Once it is near it stays so: a carry chain will do instead of equality.
        if self.count_ff.q.val() >= self.near_count.val() {
            self.near_ff.d.next = true;
        }
        self.last_place.next = self.near_count.val().get_bits::<3>(0) + self.seven_later.val();
        // A cut waits until the end can be written at once.
        self.severs.next =
            self.cut.val() & self.open_ff.q.val() & self.live.val() & !self.full.val();
        self.ending.next = self.severs.val()
            | (self.near_ff.q.val()
                & (self.count_ff.q.val().get_bits::<3>(0) == self.last_place.val()));
        self.wants.next = (self.valid.val()
            & (self.needs_entry.val() | !self.open_ff.q.val() | self.ending.val()))
            | self.snooped.val();
        // A full queue blocks an instruction without an entry, too: whether it has one is known last
        // of all, and everything that depends on `accept` would wait for it.
        self.blocked.next = ((self.valid.val() | self.snooped.val()) & self.full.val())
            | (self.valid.val() & self.ending.val() & !self.live.val());
        self.taken.next = self.running.val() & !self.stopping.val() & !self.blocked.val();
        self.accept.next = self.taken.val() & self.valid.val();
        self.accept_snoop.next = self.taken.val() & self.snooped.val();
        self.push.next = self.taken.val() & self.wants.val();
        self.open.next = self.accept.val() & !self.open_ff.q.val();
        self.gap.next = false;
        self.last.next = self.accept.val() & self.ending.val();
        self.severed.next = self.accept.val() & self.severs.val();
        self.closes.next = self.last.val();
        self.active.next = self.losing.val() | (self.running.val() & !self.stopping.val());
        self.count_retire.next = self.valid.val() & self.active.val();
        self.count_loss.next = self.count_retire.val() & !self.accept.val();
        self.gap_start.next = false;

        self.back.next = self.no_count.val();
        if !self.running.val() {
            self.back.next = self.less_one.val();
        }
        self.position.next = self.count_ff.q.val() + self.back.val();
        self.fresh.next = !self.open_ff.q.val();
        self.digest.next = self.digest_ff.q.val();
        if !self.open_ff.q.val() {
            self.digest.next = self.ones.val();
        }
        if self.accept.val() {
            self.count_ff.d.next = self.count_ff.q.val() + self.one_count.val();
            self.open_ff.d.next = !self.ending.val();
            self.digest_ff.d.next = self.stepped.val();
            if self.triggered_ff.q.val() {
                self.since_ff.d.next = self.since_ff.q.val() + self.one.val();
            } else if self.fires.val() {
                self.triggered_ff.d.next = true;
            }
        }
        self.cause_ff.d.next = self.by_length.val();

        match self.phase_ff.q.val() {
            Phase::Idle => {
                if self.enable_ff.q.val() {
                    self.phase_ff.d.next = Phase::Clear;
                    self.sweep_ff.d.next = self.no_sweep.val();
                }
            }
            Phase::Clear => {
                self.sweep_ff.d.next = self.sweep_ff.q.val() + self.one_sweep.val();
                if self.sweep_ff.q.val().all() {
                    self.phase_ff.d.next = Phase::Run;
                }
            }
            Phase::Run => {
                if self.stopping.val() {
                    self.phase_ff.d.next = Phase::Stop;
                    self.end_reason_ff.d.next = self.cause.val();
                } else if self.blocked.val() {
                    self.phase_ff.d.next = Phase::Lose;
                    self.gap_start.next = true;
                    self.lost_any_ff.d.next = true;
                }
            }
            Phase::Lose => {
                self.cause_ff.d.next = self.by_overflow.val();
                if !self.open_ff.q.val() {
                    self.phase_ff.d.next = Phase::Drain;
                } else if self.live.val() & !self.full.val() {
                    self.phase_ff.d.next = Phase::Drain;
                    self.closes.next = true;
                }
            }
            Phase::Drain => {
                if self.drained.val() & self.live.val() {
                    self.phase_ff.d.next = Phase::Resume;
                }
            }
            Phase::Resume => {
                if self.stopping.val() {
                    if self.turn.val() {
                        self.phase_ff.d.next = Phase::Flush;
                        self.end_reason_ff.d.next = self.cause.val();
                        self.gap.next = true;
                        self.push.next = true;
                    }
                } else if self.accept.val() {
                    self.phase_ff.d.next = Phase::Run;
                    self.gap.next = true;
                }
            }
            Phase::Stop => {
                self.cause_ff.d.next = self.end_reason_ff.q.val();
                if !self.open_ff.q.val() {
                    self.phase_ff.d.next = Phase::Flush;
                } else if self.live.val() & !self.full.val() {
                    self.phase_ff.d.next = Phase::Flush;
                    self.closes.next = true;
                }
            }
            Phase::Flush => {
                if self.drained.val() {
                    self.phase_ff.d.next = Phase::Ended;
                    self.ended_ff.d.next = true;
                }
            }
            Phase::Ended => {
                if !self.enable_ff.q.val() {
                    self.phase_ff.d.next = Phase::Idle;
                }
            }
            _ => {
                self.phase_ff.d.next = Phase::Idle;
            }
        }

        // Digest and reason are copied in the next cycle: by then the digest has the last instruction
        // in it, and a trigger has shown whether it ends here.
        self.closing_ff.d.next = self.closes.val();
        if self.closes.val() & !self.accept.val() {
            self.last.next = true;
            self.push.next = true;
            self.open_ff.d.next = false;
        }
        if self.closing_ff.q.val() {
            self.total_digest_ff.d.next = self.digest_ff.q.val();
            self.reason_ff.d.next = self.cause_ff.q.val();
            if self.triggered_out.val() {
                self.reason_ff.d.next = self.by_trigger.val();
            }
        }

        self.clear.next = self.phase_ff.q.val() == Phase::Clear;
        self.sweep.next = self.sweep_ff.q.val();
        self.recording.next = self.running.val() | self.losing.val();
        // One cycle later than the ports, as the retirements are.
        self.cycle_ff.d.next = self.recording.val();
        self.count_cycle.next = self.cycle_ff.q.val() & self.recording.val();
        // The core hears `stall` from a register, so that nothing here is in the core's paths. It rises
        // with `clear` and falls with it, and a hart that is to be held is so from its reset on.
        self.full_soon.next = self.may_stall.val()
            & (self.losing.val()
                | (self.running.val()
                    & (self.pressure.val() | (self.near_ff.q.val() & !self.live.val()))));
        self.holds.next = (self.clear.val() & !self.sweep_ff.q.val().all())
            | ((self.phase_ff.q.val() == Phase::Idle)
                & (self.enable_ff.q.val() | (self.hold.val() & !self.started_ff.q.val())));
        self.goes_ff.d.next = !self.full_soon.val() & !self.holds.val();
        self.stall.next = !self.goes_ff.q.val();
        self.count_stall.next = !self.goes_ff.q.val() & self.recording.val();

        self.total_digest.next = self.total_digest_ff.q.val();
        self.reason.next = self.reason_ff.q.val();
        self.ended.next = self.ended_ff.q.val();
        self.end_reason.next = self.end_reason_ff.q.val();
        self.triggered.next = self.triggered_ff.q.val();
        self.lost_any.next = self.lost_any_ff.q.val();

        if self.closes.val() | self.clear.val() {
            self.count_ff.d.next = self.no_count.val();
            self.near_ff.d.next = false;
        }
        if self.clear.val() {
            self.started_ff.d.next = true;
            self.open_ff.d.next = false;
            self.ended_ff.d.next = false;
            self.triggered_ff.d.next = false;
            self.since_ff.d.next = self.none.val();
            self.lost_any_ff.d.next = false;
        }
        if self.reset.val() {
            self.phase_ff.d.next = Phase::Idle;
            self.started_ff.d.next = false;
            self.ended_ff.d.next = false;
            self.enable_ff.d.next = false;
            self.goes_ff.d.next = !self.hold.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(
            IntervalControl::<11>::default(),
            "lookback_interval_control",
        );
    }
}
