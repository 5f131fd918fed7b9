//! What every way to log a run has in common, and how its bits are counted.

use super::stream::Event;
use anyhow::Result;
use std::collections::VecDeque;

/// Instructions in which the worst burst is looked for.
pub const WINDOWS: [usize; 3] = [64, 256, 1024];

/// A way to log a run.
pub trait Scheme {
    /// What happens next; returns the bits by which the log grows.
    fn event(&mut self, event: Event<'_>) -> Result<u64>;

    /// The run is over; returns the bits by which the log grows.
    fn finish(&mut self) -> Result<u64>;

    /// Bits of the log after zstd, for schemes of which that is asked.
    fn squeezed_bits(&self) -> Option<u64> {
        None
    }
}

/// What a scheme's log took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measured {
    /// Bits in all.
    pub bits: u64,
    /// The same after zstd.
    pub squeezed_bits: Option<u64>,
    /// Most bits within as many instructions as [`WINDOWS`] says.
    pub bursts: [u64; WINDOWS.len()],
}

/// A scheme and its count.
pub struct Meter {
    scheme: Box<dyn Scheme>,
    bits: u64,
    /// What the last instructions cost, the latest at the back.
    recent: VecDeque<u64>,
    sums: [u64; WINDOWS.len()],
    bursts: [u64; WINDOWS.len()],
}

impl Meter {
    /// Nothing has happened yet.
    pub fn new(scheme: Box<dyn Scheme>) -> Self {
        Self {
            scheme,
            bits: 0,
            recent: VecDeque::new(),
            sums: [0; WINDOWS.len()],
            bursts: [0; WINDOWS.len()],
        }
    }

    /// What happens next.
    pub fn event(&mut self, event: Event<'_>) -> Result<()> {
        let grown = self.scheme.event(event)?;
        self.bits += grown;
        if let Event::Retire(_) = event {
            self.slide(grown);
        }
        Ok(())
    }

    fn slide(&mut self, grown: u64) {
        let before = self.recent.len();
        for (index, window) in WINDOWS.into_iter().enumerate() {
            let leaving = before.checked_sub(window).map_or(0, |at| self.recent[at]);
            self.sums[index] = self.sums[index] + grown - leaving;
            self.bursts[index] = self.bursts[index].max(self.sums[index]);
        }
        self.recent.push_back(grown);
        if self.recent.len() > WINDOWS[WINDOWS.len() - 1] {
            self.recent.pop_front();
        }
    }

    /// The run is over.
    pub fn finish(mut self) -> Result<Measured> {
        self.bits += self.scheme.finish()?;
        Ok(Measured {
            bits: self.bits,
            squeezed_bits: self.scheme.squeezed_bits(),
            bursts: self.bursts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookback_log_format::Retire;

    /// Costs what stands in `insn`.
    struct Priced;

    impl Scheme for Priced {
        fn event(&mut self, event: Event<'_>) -> Result<u64> {
            Ok(match event {
                Event::Retire(retire) => retire.insn.into(),
                Event::Snoop { .. } => 0,
            })
        }

        fn finish(&mut self) -> Result<u64> {
            Ok(5)
        }
    }

    #[test]
    fn bursts_are_the_worst_windows() {
        let mut meter = Meter::new(Box::new(Priced));
        // Two prices 100 instructions apart, and a third one 500 later.
        for at in 0..2000 {
            let insn = if matches!(at, 300 | 400 | 900) { 10 } else { 0 };
            let retire = Retire {
                insn,
                ..Retire::default()
            };
            meter.event(Event::Retire(&retire)).unwrap();
        }
        let measured = meter.finish().unwrap();
        assert_eq!(measured.bits, 35);
        assert_eq!(measured.bursts, [10, 20, 30]);
    }
}
