//! Turns needs and escapes into bins, with what was seen before in the key group. Sections 10.4 and
//! 10.5 of the format.

use super::bins::{Bins, HURRY, KIND};
use lookback_log_format::config::Compact;
use lookback_log_format::RecorderConfig;
use std::collections::VecDeque;

const DICTIONARY: usize = 512;
const FLAGS: usize = 768;
const NEAR: usize = 896;
const TYPE: usize = 936;
const LENGTH: usize = 944;
const DISTANCE: usize = 960;
const DISTANCE_BIT: usize = 992;

/// Escapes, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// The instruction is elsewhere.
    Redirect,
    /// It trapped.
    Trap,
    /// Its word is not what the reader holds.
    Code,
    /// What it reads is not what the reader holds.
    Data,
    /// No item follows.
    End,
}

/// Where the prediction of a value is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predictor {
    /// In the table, at an index that is no instruction's.
    Slot(usize),
    /// In the table, for the instruction at this address.
    Pc(u32),
    /// Where execution was interrupted.
    Resume,
}

/// A value with all that decides how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// 0 to 7, as section 10.2 names them.
    pub class: usize,
    /// Bytes.
    pub size: u32,
    /// What it is.
    pub value: u32,
    /// Where a guess is found.
    pub predictor: Predictor,
}

/// How a value was written, for the next one's contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hit {
    Certain = 0,
    Listed = 1,
    Near = 2,
    None = 3,
}

/// The items of the key group that is open.
#[derive(Debug, Clone)]
pub struct Items {
    bins: Bins,
    dict_bits: u32,
    dictionary: Vec<u32>,
    last: Vec<u32>,
    /// Where execution goes on after an interruption, as far as can be guessed.
    pub resume: u32,
    escaped: bool,
    hurried: bool,
    hit: Hit,
    /// Of all values of the interval.
    check: u8,
    /// Position of the last item's instruction in the interval.
    position: u32,
    /// Which of the next values are hurried, whatever the caller says.
    decisions: VecDeque<bool>,
}

impl Items {
    /// No item yet.
    pub fn new(config: &RecorderConfig, compact: &Compact) -> Self {
        Self {
            bins: Bins::new(compact.coder),
            dict_bits: config.dict_bits.into(),
            dictionary: vec![0; 1 << config.dict_bits],
            last: vec![0; 1 << compact.last_bits],
            resume: 0,
            escaped: false,
            hurried: false,
            hit: Hit::Certain,
            check: 0,
            position: 0,
            decisions: VecDeque::new(),
        }
    }

    /// Which of the next values are hurried: what the hardware has decided.
    pub fn decide(&mut self, hurried: impl IntoIterator<Item = bool>) {
        self.decisions.extend(hurried);
    }

    /// A key group begins: nothing was seen before.
    pub fn forget(&mut self) {
        self.bins.forget();
        self.dictionary.fill(0);
        self.last.fill(0);
        self.resume = 0;
        (self.escaped, self.hurried) = (false, false);
        self.hit = Hit::Certain;
    }

    /// Bins so far, which are cycles of the hardware.
    pub fn bins(&self) -> u64 {
        self.bins.written()
    }

    /// Bytes of the open interval so far, to a few.
    pub fn written_bytes(&self) -> usize {
        self.bins.written_bytes()
    }

    /// The reader needs this value for the instruction at `position`.
    pub fn need(&mut self, position: u32, value: Value, hurry: bool) {
        self.kind(false);
        self.position = position;
        self.value(value, hurry);
    }

    /// The instruction at `position` is not as the reader expects.
    pub fn escape(&mut self, position: u32, escape: Escape) {
        self.kind(true);
        self.bins.tree(TYPE, escape as u32, 3);
        self.distance(position - self.position);
        self.position = position;
    }

    /// Execution goes on elsewhere than `from`, unforeseen.
    pub fn redirect(&mut self, position: u32, from: u32, to: u32, hurry: bool) {
        self.escape(position, Escape::Redirect);
        let value = Value {
            class: 7,
            size: 4,
            value: to,
            predictor: Predictor::Slot(1),
        };
        self.value(value, hurry);
        self.resume = from;
    }

    /// The interval ends: its entries.
    pub fn finish(&mut self) -> Vec<u8> {
        self.kind(true);
        self.bins.tree(TYPE, Escape::End as u32, 3);
        let check = std::mem::take(&mut self.check);
        for place in (0..8).rev() {
            self.bins.raw(check >> place & 1 == 1);
        }
        self.position = 0;
        self.bins.finish()
    }

    fn kind(&mut self, escape: bool) {
        self.bins.bin(KIND + usize::from(self.escaped), escape);
        self.escaped = escape;
    }

    fn distance(&mut self, distance: u32) {
        let number = distance + 1;
        let log = number.ilog2();
        for place in 0..log {
            self.bins.bin(DISTANCE + place as usize, true);
        }
        self.bins.bin(DISTANCE + log as usize, false);
        for place in (0..log).rev() {
            let bin = number >> place & 1 == 1;
            if place + 1 == log {
                self.bins.bin(DISTANCE_BIT + log as usize, bin);
            } else {
                self.bins.raw(bin);
            }
        }
    }

    /// Section 10.5: the first form that applies, and what is remembered of it.
    fn value(&mut self, value: Value, hurry: bool) {
        let Value { size, value: v, .. } = value;
        let slot = match value.predictor {
            Predictor::Slot(slot) => Some(slot),
            Predictor::Pc(pc) => Some((pc / 4) as usize % self.last.len()),
            Predictor::Resume => None,
        };
        let guess = slot.map_or(self.resume, |slot| self.last[slot]);
        let hurried = self.decisions.pop_front().unwrap_or(hurry) && self.bins.can_hurry();
        if self.bins.can_hurry() {
            self.bins.bin(HURRY + usize::from(self.hurried), hurried);
            self.hurried = hurried;
        }
        let fold = v.to_le_bytes().iter().fold(0u8, |fold, byte| fold ^ byte);
        self.check = self.check.rotate_left(1) ^ fold;
        let fold = usize::from(fold) % self.dictionary.len();
        if hurried {
            let bytes = v.to_le_bytes();
            bytes[..size as usize]
                .iter()
                .for_each(|&byte| self.bins.byte(byte));
            self.hit = Hit::None;
        } else {
            self.hit = self.considered(value, guess, fold);
        }
        if let Some(slot) = slot {
            self.last[slot] = v;
        }
        if v != 0 {
            self.dictionary[fold] = v;
        }
    }

    fn considered(&mut self, value: Value, guess: u32, fold: usize) -> Hit {
        let Value {
            class,
            size,
            value: v,
            ..
        } = value;
        let flags = FLAGS + 16 * class + 4 * self.hit as usize;
        let offset = v.wrapping_sub(guess).wrapping_add(128);
        for (number, applies) in [v == 0, v == guess, self.dictionary[fold] == v, offset < 256]
            .into_iter()
            .enumerate()
        {
            self.bins.bin(flags + number, applies);
            if applies {
                return match number {
                    0 | 1 => Hit::Certain,
                    2 => {
                        self.bins.tree(DICTIONARY, fold as u32, self.dict_bits);
                        Hit::Listed
                    }
                    _ => {
                        self.bins.tree(NEAR, offset >> 4, 4);
                        self.bins.tree(NEAR + 16, offset & 15, 4);
                        Hit::Near
                    }
                };
            }
        }
        self.literal(v, size);
        Hit::None
    }

    fn literal(&mut self, value: u32, size: u32) {
        let length = value.checked_ilog2().map_or(0, |log| log / 8);
        match size {
            4 => self.bins.tree(LENGTH, length, 2),
            2 => self.bins.tree(LENGTH + 4, length, 1),
            _ => {}
        }
        let mut set = length;
        for place in (0..=length).rev() {
            let byte = value >> (8 * place) & 0xff;
            let base = 32 * set as usize;
            self.bins.tree(base, byte >> 4, 4);
            self.bins.tree(base + 16, byte & 15, 4);
            let above = match byte {
                0 => 0,
                0xff => 1,
                _ => 2,
            };
            set = 4 + 4 * place.saturating_sub(1) + above;
        }
    }
}
