//! A bad cable: bit flips, lost, doubled and swapped bytes, bursts, stalls, disconnections and resets
//! of either side, at rates and from a seed, so that what happened can happen again.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The longest stall.
const LONGEST_STALL_MS: u64 = 400;
/// The most bytes in a burst.
const LONGEST_BURST: u32 = 1 << 16;

/// Something that goes wrong with a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One of its bits is the other.
    Flip,
    /// It does not arrive.
    Drop,
    /// It arrives twice.
    Dup,
    /// It changes places with the one before it.
    Swap,
    /// From it on, some bytes are anything.
    Burst,
    /// It and what follows arrives late.
    Stall,
    /// The connection breaks; what is under way is lost.
    Disconnect,
    /// The board, or the host's program, begins anew.
    Reset,
}

const ALL: [(Fault, &str); 8] = [
    (Fault::Flip, "flip"),
    (Fault::Drop, "drop"),
    (Fault::Dup, "dup"),
    (Fault::Swap, "swap"),
    (Fault::Burst, "burst"),
    (Fault::Stall, "stall"),
    (Fault::Disconnect, "disconnect"),
    (Fault::Reset, "reset"),
];

/// How often what goes wrong: rates per byte, in each direction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults {
    rates: [f64; ALL.len()],
    /// Bytes of a burst.
    burst: u32,
}

/// Why a list of faults cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; write a list like flip=1e-4,drop=1e-5,burst=1e-6:64: {1}, each with its rate per byte from 0 to 1")]
pub struct BadFaults(String, String);

impl Faults {
    /// The same with one more rate.
    pub fn with(mut self, fault: Fault, rate: f64) -> Self {
        self.rates[fault as usize] = rate;
        if fault == Fault::Burst && self.burst == 0 {
            self.burst = 64;
        }
        self
    }

    fn total(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// What happens to a byte.
    fn draw(&self, random: &mut Random) -> Option<Fault> {
        let mut at = random.fraction();
        if at >= self.total() {
            return None;
        }
        for (fault, _) in ALL {
            let rate = self.rates[fault as usize];
            if at < rate {
                return Some(fault);
            }
            at -= rate;
        }
        None
    }
}

impl FromStr for Faults {
    type Err = BadFaults;

    fn from_str(text: &str) -> Result<Self, BadFaults> {
        let names: Vec<_> = ALL.iter().map(|(_, name)| *name).collect();
        let names = names.join(", ");
        let bad = |why: String| BadFaults(why, names.clone());
        let mut faults = Self::default();
        let mut seen = Vec::new();
        for item in text
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
        {
            let Some((name, value)) = item.split_once('=') else {
                return Err(bad(format!("`{item}` has no rate")));
            };
            let Some(&(fault, _)) = ALL.iter().find(|known| known.1 == name.trim()) else {
                return Err(bad(format!("`{name}` is no fault")));
            };
            if seen.contains(&fault) {
                return Err(bad(format!("`{name}` is there twice")));
            }
            seen.push(fault);
            let (rate, length) = match value.split_once(':') {
                Some((rate, length)) if fault == Fault::Burst => (rate, Some(length)),
                Some(_) => return Err(bad(format!("`{item}`: only a burst has a length"))),
                None => (value, None),
            };
            let rate = rate
                .trim()
                .parse()
                .ok()
                .filter(|rate| (0.0..=1.0).contains(rate));
            let Some(rate) = rate else {
                return Err(bad(format!("`{value}` is no rate for {name}")));
            };
            if let Some(length) = length {
                let length = length.trim().parse().ok();
                let length = length.filter(|length| (1..=LONGEST_BURST).contains(length));
                let wrong = || bad(format!("`{item}`: a burst has 1 to {LONGEST_BURST} bytes"));
                faults.burst = length.ok_or_else(wrong)?;
            }
            faults = faults.with(fault, rate);
        }
        if faults.total() > 1.0 {
            return Err(bad("the rates add up to more than 1".into()));
        }
        Ok(faults)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for (fault, name) in ALL {
            let rate = self.rates[fault as usize];
            if rate > 0.0 {
                write!(f, "{comma}{name}={rate:e}")?;
                if fault == Fault::Burst {
                    write!(f, ":{}", self.burst)?;
                }
                comma = ",";
            }
        }
        Ok(())
    }
}

/// Numbers that look random and are the same for the same seed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.word() % end
    }

    /// From 0 to 1, without 1.
    pub fn fraction(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What bytes go through. What concerns more than a byte is left to whoever has the cable.
pub struct Cable {
    faults: Faults,
    random: Random,
    /// Bytes that are still to be anything.
    burst_left: u32,
    counts: [u64; ALL.len()],
}

impl Cable {
    /// A cable with these faults.
    pub fn new(faults: Faults, seed: u64) -> Self {
        Self {
            faults,
            random: Random::new(seed),
            burst_left: 0,
            counts: [0; ALL.len()],
        }
    }

    /// Numbers for what else has to be drawn.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// What becomes of bytes on their way; a stall, disconnection or reset among them goes to `big`,
    /// and after the latter two nothing arrives.
    pub fn pass(&mut self, bytes: &[u8], big: &mut Vec<Fault>) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 2);
        for &byte in bytes {
            if self.burst_left > 0 {
                self.burst_left -= 1;
                out.push(self.random.word() as u8);
                continue;
            }
            let Some(fault) = self.faults.draw(&mut self.random) else {
                out.push(byte);
                continue;
            };
            self.counts[fault as usize] += 1;
            match fault {
                Fault::Flip => out.push(byte ^ 1 << self.random.below(8)),
                Fault::Drop => {}
                Fault::Dup => out.extend([byte, byte]),
                Fault::Swap => out.insert(out.len().saturating_sub(1), byte),
                Fault::Burst => {
                    self.burst_left = self.faults.burst.saturating_sub(1);
                    out.push(self.random.word() as u8);
                }
                Fault::Stall => {
                    out.push(byte);
                    big.push(fault);
                }
                Fault::Disconnect | Fault::Reset => {
                    self.burst_left = 0;
                    big.push(fault);
                    break;
                }
            }
        }
        out
    }

    /// How long a stall is.
    pub fn pause(&mut self) -> Duration {
        Duration::from_millis(1 + self.random.below(LONGEST_STALL_MS))
    }

    /// What has gone wrong so far, in words.
    pub fn told(&self) -> String {
        let counted = ALL.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let told: Vec<_> = counted
            .map(|((_, name), count)| format!("{count} {name}"))
            .collect();
        if told.is_empty() {
            return "none".into();
        }
        told.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_is_written() {
        let text = "flip=1e-4,drop=1e-5,dup=1e-5,swap=1e-5,burst=1e-6:32,stall=1e-5,disconnect=1e-7,reset=1e-7";
        let faults: Faults = text.parse().unwrap();
        assert_eq!(faults.to_string(), text);
        assert_eq!(
            " flip = 0.5 ,".parse::<Faults>().unwrap().to_string(),
            "flip=5e-1"
        );
        assert_eq!("".parse::<Faults>().unwrap(), Faults::default());
    }

    #[test]
    fn a_bad_list_is_refused_with_what_is_wrong() {
        for (text, why) in [
            ("flip", "`flip` has no rate"),
            ("melt=1", "`melt` is no fault"),
            ("flip=2", "`2` is no rate for flip"),
            ("flip=-1e-3", "is no rate"),
            ("flip=NaN", "is no rate"),
            ("flip=", "is no rate"),
            ("flip=1e-3:4", "only a burst has a length"),
            ("burst=1e-3:0", "a burst has 1 to"),
            ("flip=0.1,flip=0.2", "is there twice"),
            ("flip=0.6,drop=0.6", "add up to more than 1"),
        ] {
            let error = text.parse::<Faults>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
            assert!(error.contains("flip=1e-4,drop=1e-5"), "{error}");
        }
    }
}
