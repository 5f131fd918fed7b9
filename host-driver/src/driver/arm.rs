//! A recorder that waits for a trigger: what it waits for, and what it says meanwhile.

use super::wire::Wire;
use super::Watcher;
use crate::text::{count, plural};
use anyhow::{bail, Result};
use lookback_log_format::registers as reg;
use lookback_log_format::trigger::{Fired, TriggerSettings};
use lookback_log_format::RecorderConfig;
use serde::Serialize;
use std::fmt;

/// What a flight recorder waits for. Pin and host are always heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arm {
    /// A trap.
    pub trap: bool,
    /// Everything else.
    pub trigger: TriggerSettings,
    /// Instructions that are recorded after the trigger.
    pub after: u32,
}

impl Arm {
    /// What a recording was armed with, if it was.
    pub fn of(config: &RecorderConfig) -> Option<Self> {
        (config.control & reg::CONTROL_RING != 0).then_some(Self {
            trap: config.control & reg::CONTROL_TRIGGER_ON_TRAP != 0,
            trigger: config.trigger,
            after: config.post_trigger,
        })
    }

    /// The bits of CONTROL that it needs.
    pub fn control(&self) -> u32 {
        let trap = if self.trap {
            reg::CONTROL_TRIGGER_ON_TRAP
        } else {
            0
        };
        reg::CONTROL_RING | trap
    }

    /// Sets the recorder up, and refuses one that does not know a trigger.
    pub(super) fn set_up(&self, wire: &mut Wire<'_>) -> Result<()> {
        wire.write(reg::POST_TRIGGER, self.after, u32::MAX)?;
        let TriggerSettings { kinds, lo, hi } = self.trigger;
        // Whatever the last recording left there would fire at once.
        let known = wire.write(reg::TRIGGER, kinds, 0)?;
        if known != kinds {
            bail!(
                "the recorder at {} does not know all of these triggers (it takes {known:#x} of \
                 {kinds:#x}): it is older than they are; use --trigger trap, or a new bitstream",
                wire.link().name()
            );
        }
        if kinds != 0 {
            wire.write(reg::TRIGGER_LO, lo, u32::MAX)?;
            wire.write(reg::TRIGGER_HI, hi, u32::MAX)?;
        }
        Ok(())
    }
}

/// What an armed recorder does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    /// It waits.
    Armed {
        /// Instructions so far, as far as the board has said.
        instructions: u64,
    },
    /// A trigger fired; what comes after it is still recorded.
    Triggered {
        /// Which.
        by: Option<Fired>,
        /// Instructions so far.
        instructions: u64,
    },
    /// It no longer records: its ring is being drained.
    Frozen {
        /// The trigger that did it, if one did.
        by: Option<Fired>,
    },
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = |by: &Option<Fired>| by.map_or("nothing", |fired| fired.cause.name());
        match self {
            Self::Armed { instructions } => write!(
                f,
                "armed: {} so far, waiting for the trigger",
                plural(*instructions, "instruction")
            ),
            Self::Triggered { by, instructions } => write!(
                f,
                "triggered by {}, recording on: {} instructions so far",
                cause(by),
                count(*instructions)
            ),
            Self::Frozen { by } => write!(
                f,
                "frozen by {}: draining the ring",
                by.map_or("the end of the run", |fired| fired.cause.name()),
            ),
        }
    }
}

/// Follows an armed recorder from what it answers, and carries a user's wish to it.
#[derive(Debug, Default)]
pub(super) struct Armed {
    status: u32,
    /// The user asked for the trigger, by Ctrl-C.
    pub(super) pulled: bool,
}

impl Armed {
    /// STATUS came.
    pub(super) fn status(&mut self, status: u32) {
        self.status = status;
    }

    /// Tells what the recorder does.
    pub(super) fn tell(&self, instructions: u64, watcher: &mut dyn Watcher) {
        let by = Fired::from_status(self.status);
        watcher.armed(if self.status & reg::STATUS_ENDED != 0 {
            State::Frozen { by }
        } else if self.status & reg::STATUS_TRIGGERED != 0 {
            State::Triggered { by, instructions }
        } else {
            State::Armed { instructions }
        });
    }
}
