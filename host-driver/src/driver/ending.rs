//! How a run ended, in words.

use lookback_log_format::frame::End;
use lookback_log_format::interval::EndReason;
use serde::Serialize;
use std::fmt;

/// The finisher's word for success.
const PASS: u32 = 0x5555;
/// The finisher's low half for failure; the code is above it.
const FAIL: u32 = 0x3333;
/// The board's own code for a hart whose trap handler traps.
const LOCKUP: u32 = 0xdead_0000;

/// How the firmware's run ended, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum Ending {
    /// It wrote "pass" to the finisher.
    Pass,
    /// It wrote "fail" to the finisher.
    Fail {
        /// The firmware's own code.
        code: u32,
    },
    /// Its trap handler trapped.
    Lockup,
    /// It wrote something else to the finisher.
    Finished {
        /// The word it wrote.
        word: u32,
    },
    /// The host stopped the recording; the firmware may run on.
    Stopped,
    /// A trigger ended the recording.
    Trigger,
    /// The recorder said that it ended, for a reason that ends only intervals.
    Odd {
        /// The reason's number.
        reason: u8,
    },
    /// Nobody knows: the recording was cut off.
    CutOff,
}

impl Ending {
    /// From the word that a finished board shows.
    pub fn from_finish_code(code: u32) -> Self {
        match code {
            PASS => Self::Pass,
            LOCKUP => Self::Lockup,
            code if code & 0xffff == FAIL => Self::Fail { code: code >> 16 },
            word => Self::Finished { word },
        }
    }

    /// From the end of a recording, `None` when it has none.
    pub fn from_end(end: Option<&End>) -> Self {
        let Some(end) = end else {
            return Self::CutOff;
        };
        match end.reason {
            EndReason::RunEnded => Self::from_finish_code(end.code),
            EndReason::Stopped => Self::Stopped,
            EndReason::Trigger => Self::Trigger,
            reason => Self::Odd {
                reason: reason.code(),
            },
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => write!(f, "the firmware reported success"),
            Self::Fail { code } => write!(f, "the firmware reported failure, code {code}"),
            Self::Lockup => write!(f, "the hart locked up: its trap handler itself trapped"),
            Self::Finished { word } => {
                write!(f, "the firmware wrote {word:#x} to the test finisher")
            }
            Self::Stopped => write!(f, "stopped by the host"),
            Self::Trigger => write!(f, "a trigger ended the recording"),
            Self::Odd { reason } => write!(f, "the recorder ended it, reason {reason}"),
            Self::CutOff => write!(f, "unknown: the recording was cut off"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finisher_words_have_meanings() {
        assert_eq!(Ending::from_finish_code(0x5555), Ending::Pass);
        assert_eq!(Ending::from_finish_code(0x7_3333), Ending::Fail { code: 7 });
        assert_eq!(Ending::from_finish_code(0xdead_0000), Ending::Lockup);
        assert_eq!(Ending::from_finish_code(5), Ending::Finished { word: 5 });
        assert_eq!(Ending::from_end(None), Ending::CutOff);
    }
}
