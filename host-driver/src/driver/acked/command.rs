//! What to say to the board next.

use super::{Acked, Asked, RETRY};
use crate::driver::disk::Sink;
use crate::driver::Settings;
use lookback_log_format::{link, registers as reg};
use std::time::Duration;

impl<W: Sink> Acked<'_, '_, '_, W> {
    /// Says the most urgent thing, unless an answer is still due.
    pub(super) fn command(&mut self, settings: &Settings) {
        let now = self.wire.link().now();
        let late = |since: Duration| now.saturating_sub(since) >= RETRY;
        // Behind a frame that is still coming in, an answer or a piece is not late yet.
        let behind = |ended: u64| self.wire.coming(RETRY) && self.wire.ended() == ended;
        let due = |asked: Asked| !late(asked.since) || behind(asked.ended);
        if self.command.is_some_and(due) {
            return;
        }
        let quiet = late(self.last_progress) && late(self.last_nudge) && !behind(self.ended);
        let stream = &self.begin.stream;
        let (wanted, safe) = (stream.wanted as u32, stream.safe);
        let (register, value) = if self.look_back {
            self.look_back = false;
            (link::KEPT, None)
        } else if self.doubt {
            self.doubt = false;
            (link::STREAM, None)
        } else if self.resend {
            self.resend = false;
            (link::SENT, Some(wanted))
        } else if self.pull && !self.stopping {
            let kinds = settings.arm.map_or(0, |arm| arm.trigger.kinds);
            (reg::TRIGGER, Some(kinds | reg::TRIGGER_NOW))
        } else if self.stopping && !self.stopped {
            let control = self.begin.control & !reg::CONTROL_RECORD;
            (reg::CONTROL, Some(control))
        } else if quiet {
            self.last_nudge = now;
            self.ended = self.wire.ended();
            self.nudges += 1;
            self.nudge(settings, wanted)
        } else if self.finish.all_here {
            (link::SUM, None)
        } else if self.finish.end.is_some() {
            (link::WRITTEN, None)
        } else if safe > self.kept {
            (link::KEPT, Some(safe as u32))
        } else {
            self.command = None;
            return;
        };
        self.command = Some(Asked {
            register,
            value,
            since: now,
            ended: self.wire.ended(),
        });
        // If it cannot be sent, the next look at the link says so.
        let _ = match value {
            Some(value) => self.wire.tell(register, value),
            None => self.wire.ask(register),
        };
    }

    /// What to ask a board that sends nothing, in turn.
    fn nudge(&self, settings: &Settings, wanted: u32) -> (u8, Option<u32>) {
        match self.nudges % 4 {
            1 if settings.max_instructions.is_some() || settings.arm.is_some() => {
                (reg::RETIRED_LO, None)
            }
            0 if self.nudges % 8 == 0 && !self.adrift => (link::WRITTEN, None),
            0 | 2 if !self.adrift && self.finish.end.is_none() => (link::SENT, Some(wanted)),
            3 => (link::STREAM, None),
            _ => (reg::STATUS, None),
        }
    }
}
