//! Opens and closes intervals: header, length, digest, trigger and the reason of the end.
//! Section 4 of the format.

use crate::digest::Digest;
use lookback_log_format::interval::{EndReason, Header, Interval, Trailer};
use lookback_log_format::{RecorderConfig, Retire};

/// An interval that has begun.
#[derive(Debug, Clone)]
struct Open {
    header: Header,
    instructions: u32,
    digest: Digest,
}

/// The interval logic.
#[derive(Debug, Clone)]
pub struct Intervals {
    length: u32,
    post_trigger: u32,
    open: Option<Open>,
    /// Instructions still to be recorded, once a trigger has fired.
    after_trigger: Option<u32>,
    /// The open interval ends with the next instruction.
    cut: bool,
}

impl Intervals {
    /// No interval is open before the first retirement.
    pub fn new(config: &RecorderConfig) -> Self {
        Self {
            length: config.interval,
            post_trigger: config.post_trigger,
            open: None,
            after_trigger: None,
            cut: false,
        }
    }

    /// Whether an interval has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a trigger has fired.
    pub fn triggered(&self) -> bool {
        self.after_trigger.is_some()
    }

    /// Begins an interval with the state before its first instruction.
    pub fn open(&mut self, header: Header) {
        self.open = Some(Open {
            header,
            instructions: 0,
            digest: Digest::default(),
        });
    }

    /// The open interval ends with the next instruction, however few it has.
    pub fn cut(&mut self) {
        self.cut = true;
    }

    /// Instructions that the open interval has so far: the position of the next.
    pub fn position(&self) -> u32 {
        self.open.as_ref().map_or(0, |open| open.instructions)
    }

    /// Counts a retirement of the open interval, which `fires` a trigger or not, and says whether the
    /// interval ends with it. A trigger also ends the recording, so it goes before length.
    pub fn retire(&mut self, r: &Retire, fires: bool) -> Option<EndReason> {
        let open = self.open.as_mut()?;
        open.instructions += 1;
        open.digest.retire(r);
        self.after_trigger = match self.after_trigger {
            Some(left) => Some(left.saturating_sub(1)),
            None if fires => Some(self.post_trigger),
            None => None,
        };
        let cut = std::mem::take(&mut self.cut);
        if self.after_trigger == Some(0) {
            Some(EndReason::Trigger)
        } else if cut || open.instructions == self.length {
            Some(EndReason::Length)
        } else {
            None
        }
    }

    /// Ends the open interval, if there is one.
    pub fn close(&mut self, entries: Vec<u8>, reason: EndReason) -> Option<Interval> {
        let open = self.open.take()?;
        Some(Interval {
            header: open.header,
            entries,
            trailer: Trailer {
                instructions: open.instructions,
                digest: open.digest.value(),
                reason,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;
    use lookback_log_format::interval::Layout;

    fn next() -> Retire {
        Retire {
            insn: 0x13,
            ..Retire::default()
        }
    }

    fn opened(config: &RecorderConfig) -> Intervals {
        let mut intervals = Intervals::new(config);
        intervals.open(header());
        intervals
    }

    fn header() -> Header {
        Header {
            layout: Layout::Full,
            mode: 3,
            index: 0,
            retired: 0,
            cycle: 0,
            pc: 0,
            registers: [0; 32],
        }
    }

    fn triggering(post_trigger: u32) -> RecorderConfig {
        RecorderConfig {
            post_trigger,
            interval: 64,
            ..config()
        }
    }

    #[test]
    fn it_ends_at_its_length() {
        let mut intervals = opened(&config());
        for position in 0..199 {
            assert_eq!(intervals.position(), position);
            assert_eq!(intervals.retire(&next(), false), None);
        }
        assert_eq!(intervals.retire(&next(), false), Some(EndReason::Length));
        let interval = intervals.close(vec![1], EndReason::Length);
        let trailer = interval.map(|interval| interval.trailer);
        assert_eq!(trailer.map(|t| t.instructions), Some(200));
        assert!(intervals.close(vec![], EndReason::Length).is_none());
    }

    #[test]
    fn a_trigger_ends_at_once_or_after_a_while() {
        assert_eq!(
            opened(&triggering(0)).retire(&next(), true),
            Some(EndReason::Trigger)
        );
        let mut intervals = opened(&triggering(2));
        assert_eq!(intervals.retire(&next(), true), None);
        assert_eq!(
            intervals.retire(&next(), true),
            None,
            "a second one does not count"
        );
        assert_eq!(intervals.retire(&next(), false), Some(EndReason::Trigger));
    }

    #[test]
    fn a_trigger_outlives_an_interval_and_goes_before_length() {
        let mut intervals = opened(&triggering(64));
        assert_eq!(intervals.retire(&next(), true), None);
        (1..63).for_each(|_| assert_eq!(intervals.retire(&next(), false), None));
        assert_eq!(intervals.retire(&next(), false), Some(EndReason::Length));
        intervals.close(vec![], EndReason::Length);
        intervals.open(header());
        assert_eq!(intervals.retire(&next(), false), Some(EndReason::Trigger));

        let mut intervals = opened(&triggering(63));
        intervals.retire(&next(), true);
        (1..63).for_each(|_| assert_eq!(intervals.retire(&next(), false), None));
        assert_eq!(intervals.retire(&next(), false), Some(EndReason::Trigger));
    }
}
