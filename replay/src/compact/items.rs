//! The items of a log of codec `compact`, handed out as replay asks for them. Sections 10.4 and 10.5
//! of the format.
//!
//! An item's kind is read as soon as the item before it is done, so that replay knows how far it can
//! run without asking.

use super::bins::{Bins, HURRY, KIND};
use crate::log::NEVER;
use crate::What;
use lookback_log_format::config::{Coder, Compact};
use lookback_log_format::RecorderConfig;

const DICTIONARY: usize = 512;
const FLAGS: usize = 768;
const NEAR: usize = 896;
const TYPE: usize = 936;
const LENGTH: usize = 944;
const DISTANCE: usize = 960;
const DISTANCE_BIT: usize = 992;
/// Distances have at most so many bits, plus one.
const MOST_BITS: u32 = 24;

/// What comes next in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A value that replay will ask for.
    Need,
    /// Execution goes on at this pc.
    Redirect(u32),
    /// The instruction traps.
    Trap,
    /// Its word is not what replay holds.
    Code,
    /// What it reads is not what replay holds.
    Data,
    /// Nothing.
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

/// What a value is for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// 0 to 7, as section 10.2 names them.
    pub class: usize,
    /// 1, 2 or 4 bytes.
    pub size: u32,
    /// Where a guess is found.
    pub predictor: Predictor,
}

/// The items of an interval, at the one that comes next.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    bins: Bins<'a>,
    dict_bits: u32,
    dictionary: Vec<u32>,
    last: Vec<u32>,
    /// Where execution goes on after an interruption, as far as can be guessed.
    pub resume: u32,
    escaped: bool,
    hurried: bool,
    /// Which values were hurried so far, if somebody wants to know.
    pub hurries: Option<Vec<bool>>,
    hit: usize,
    /// Of all values of the interval.
    check: u8,
    /// What comes next.
    pub next: Next,
    /// Where, if it is an escape; [`NEVER`] otherwise.
    pub escape_at: u32,
    /// Position of the last item's instruction.
    position: u32,
    /// Instructions of the interval.
    instructions: u32,
}

impl<'a> Items<'a> {
    /// Without an interval; as small as can be if the codec is another.
    pub fn new(config: &RecorderConfig, compact: Option<&Compact>) -> Self {
        let (dict_bits, last_bits) = match compact {
            Some(compact) => (config.dict_bits.min(8), compact.last_bits.min(12)),
            None => (0, 1),
        };
        Self {
            bins: Bins::new(compact.map_or(Coder::Plain, |compact| compact.coder)),
            dict_bits: dict_bits.into(),
            dictionary: vec![0; 1 << dict_bits],
            last: vec![0; 1 << last_bits],
            resume: 0,
            escaped: false,
            hurried: false,
            hurries: None,
            hit: 0,
            check: 0,
            next: Next::End,
            escape_at: NEVER,
            position: 0,
            instructions: 0,
        }
    }

    /// A key group begins: nothing was seen before.
    pub fn forget(&mut self) {
        self.bins.forget();
        self.dictionary.fill(0);
        self.last.fill(0);
        self.resume = 0;
        (self.escaped, self.hurried, self.hit) = (false, false, 0);
    }

    /// Starts at the first item of an interval.
    pub fn start(&mut self, bytes: &'a [u8], instructions: u32) -> Result<(), What> {
        self.position = 0;
        self.check = 0;
        self.instructions = instructions;
        self.bins.start(bytes)?;
        self.advance()
    }

    /// Whether every item was used, up to the last byte.
    pub fn is_empty(&self) -> bool {
        self.next == Next::End && self.bins.is_at_end()
    }

    /// Bytes of the host's memory beside the struct itself.
    pub fn footprint(&self) -> usize {
        (self.dictionary.len() + self.last.len()) * 4 + 2048
    }

    /// The value that the instruction at `position` asks for.
    #[inline(never)]
    pub fn take(&mut self, position: u32, wanted: Wanted) -> Result<u32, What> {
        match self.next {
            Next::Need => {}
            Next::End => return Err(What::NothingLeft),
            _ => return Err(What::BadEscape),
        }
        let value = self.value(wanted)?;
        self.position = position;
        self.advance()?;
        Ok(value)
    }

    /// Takes the next item if it is this escape, of the instruction at `position`.
    #[inline]
    pub fn take_escape(&mut self, position: u32, escape: Next) -> Result<bool, What> {
        if self.escape_at != position || self.next != escape {
            return Ok(false);
        }
        self.position = position;
        self.advance()?;
        Ok(true)
    }

    /// Takes the next item if it redirects the instruction at `position` from `natural`.
    pub fn take_redirect(&mut self, position: u32, natural: u32) -> Result<Option<u32>, What> {
        match self.next {
            Next::Redirect(pc) if self.escape_at == position => {
                self.resume = natural;
                self.position = position;
                self.advance()?;
                Ok(Some(pc))
            }
            _ => Ok(None),
        }
    }

    /// Reads what comes next.
    fn advance(&mut self) -> Result<(), What> {
        self.escape_at = NEVER;
        self.next = Next::Need;
        let escaped = self.bins.bin(KIND + usize::from(self.escaped))?;
        self.escaped = escaped;
        if !escaped {
            return Ok(());
        }
        let kind = self.bins.tree(TYPE, 3)?;
        let next = match kind {
            0 => Next::Redirect(0),
            1 => Next::Trap,
            2 => Next::Code,
            3 => Next::Data,
            4 => Next::End,
            _ => return Err(What::UnknownEscape(kind)),
        };
        self.next = next;
        if next == Next::End {
            return self.end();
        }
        let at = self.position.saturating_add(self.distance()?);
        if at >= self.instructions {
            return Err(What::EscapeBeyondEnd(at));
        }
        self.escape_at = at;
        if next == Next::Redirect(0) {
            let wanted = Wanted {
                class: 7,
                size: 4,
                predictor: Predictor::Slot(1),
            };
            self.next = Next::Redirect(self.value(wanted)?);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), What> {
        let mut check = 0;
        for _ in 0..8 {
            check = check << 1 | u8::from(self.bins.raw()?);
        }
        match check == self.check {
            true => Ok(()),
            false => Err(What::Check),
        }
    }

    fn distance(&mut self) -> Result<u32, What> {
        let mut log = 0;
        while self.bins.bin(DISTANCE + log as usize)? {
            log += 1;
            if log > MOST_BITS {
                return Err(What::BadCode);
            }
        }
        let mut number = 1;
        for place in (0..log).rev() {
            let bin = if place + 1 == log {
                self.bins.bin(DISTANCE_BIT + log as usize)?
            } else {
                self.bins.raw()?
            };
            number = number << 1 | u32::from(bin);
        }
        Ok(number - 1)
    }

    fn value(&mut self, wanted: Wanted) -> Result<u32, What> {
        let slot = match wanted.predictor {
            Predictor::Slot(slot) => Some(slot),
            Predictor::Pc(pc) => Some((pc >> 2) as usize % self.last.len()),
            Predictor::Resume => None,
        };
        let guess = slot.map_or(self.resume, |slot| self.last[slot]);
        let hurried = self.bins.can_hurry() && self.bins.bin(HURRY + usize::from(self.hurried))?;
        self.hurried = hurried;
        if let Some(hurries) = &mut self.hurries {
            hurries.push(hurried);
        }
        let value = if hurried {
            self.hit = 3;
            let mut value = 0;
            for place in 0..wanted.size {
                value |= self.bins.byte()? << (8 * place);
            }
            value
        } else {
            self.considered(wanted, guess)?
        };
        if wanted.size < 4 && value >> (8 * wanted.size) != 0 {
            return Err(What::ValueTooWide(value));
        }
        if let Some(slot) = slot {
            self.last[slot] = value;
        }
        let [a, b, c, d] = value.to_le_bytes();
        let fold = a ^ b ^ c ^ d;
        self.check = self.check.rotate_left(1) ^ fold;
        if value != 0 {
            let index = usize::from(fold) % self.dictionary.len();
            self.dictionary[index] = value;
        }
        Ok(value)
    }

    fn considered(&mut self, wanted: Wanted, guess: u32) -> Result<u32, What> {
        let flags = FLAGS + 16 * wanted.class + 4 * self.hit;
        self.hit = 0;
        if self.bins.bin(flags)? {
            return Ok(0);
        }
        if self.bins.bin(flags + 1)? {
            return Ok(guess);
        }
        if self.bins.bin(flags + 2)? {
            self.hit = 1;
            let index = self.bins.tree(DICTIONARY, self.dict_bits)?;
            return match self.dictionary.get(index as usize) {
                Some(&value) if value != 0 => Ok(value),
                _ => Err(What::EmptyIndex(index)),
            };
        }
        if self.bins.bin(flags + 3)? {
            self.hit = 2;
            let upper = self.bins.tree(NEAR, 4)?;
            let offset = upper << 4 | self.bins.tree(NEAR + 16, 4)?;
            return Ok(guess.wrapping_add(offset).wrapping_sub(128));
        }
        self.hit = 3;
        self.literal(wanted.size)
    }

    fn literal(&mut self, size: u32) -> Result<u32, What> {
        let length = match size {
            4 => self.bins.tree(LENGTH, 2)?,
            2 => self.bins.tree(LENGTH + 4, 1)?,
            _ => 0,
        };
        let (mut value, mut set) = (0, length as usize);
        for place in (0..=length as usize).rev() {
            let upper = self.bins.tree(32 * set, 4)?;
            let byte = upper << 4 | self.bins.tree(32 * set + 16, 4)?;
            value = value << 8 | byte;
            let above = match byte {
                0 => 0,
                0xff => 1,
                _ => 2,
            };
            set = 4 + 4 * place.saturating_sub(1) + above;
        }
        Ok(value)
    }
}
