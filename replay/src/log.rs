//! The entries of one interval, handed out as replay asks for them.
//!
//! Only two numbers are looked at for each instruction: how many operations are still to be
//! skipped, and where the next escape is.

use crate::dictionary::Dictionary;
use crate::What;
use lookback_log_format::entry::{Entry, EntryReader, Escape, Value, Widths, SHORT_COUNT};

/// More operations or instructions than an interval has.
pub const NEVER: u32 = u32::MAX;

/// The log of one interval, at the entry that comes next.
#[derive(Debug, Clone)]
pub struct Log<'a> {
    entries: EntryReader<'a>,
    widths: Widths,
    /// Operations before the next logged one; [`NEVER`] if the next entry is not an operation.
    pub skip: u32,
    /// What `skip` was when the next entry was read.
    skip_at_read: u32,
    /// Operations since the last logged one, up to the moment the next entry was read.
    skipped_before: u32,
    value: Value,
    /// Position of the next escape; [`NEVER`] if the next entry is not an escape.
    pub escape_at: u32,
    escape: Escape,
    dictionary: Dictionary,
}

impl<'a> Log<'a> {
    /// A log that has no entry.
    pub fn new(widths: Widths) -> Self {
        Self {
            entries: EntryReader::new(&[], widths),
            widths,
            skip: NEVER,
            skip_at_read: NEVER,
            skipped_before: 0,
            value: Value::Word(0),
            escape_at: NEVER,
            escape: Escape::Trap,
            dictionary: Dictionary::new(widths.dict_bits as u8),
        }
    }

    /// Starts at the first entry of an interval.
    pub fn start(&mut self, bytes: &'a [u8]) -> Result<(), What> {
        self.entries = EntryReader::new(bytes, self.widths);
        self.dictionary.clear();
        self.skipped_before = 0;
        self.skip_at_read = 0;
        self.skip = 0;
        self.advance(0)
    }

    /// Reads the next entry; the instruction at `position` may still use it.
    fn advance(&mut self, position: u32) -> Result<(), What> {
        let skipped = self.skipped_before + (self.skip_at_read - self.skip);
        self.skipped_before = skipped;
        self.skip = NEVER;
        self.escape_at = NEVER;
        let start = self.entries.position();
        let entry = self.entries.next_entry();
        match entry.map_err(|error| What::Entries(error.to_string()))? {
            Some(Entry::Operation {
                skipped: wanted,
                value,
            }) => {
                if self.entries.position() - start != self.operation_bits(wanted, value) {
                    return Err(What::LongForm(wanted));
                }
                self.skip = wanted.checked_sub(skipped).ok_or(What::EntryPassed)?;
                self.value = value;
            }
            Some(Entry::Escape {
                position: at,
                escape,
            }) => {
                if at < position {
                    return Err(What::EntryPassed);
                }
                self.escape_at = at;
                self.escape = escape;
            }
            None => {}
        }
        self.skip_at_read = self.skip;
        Ok(())
    }

    /// Bits of a logged operation. There is one way to write it, so any other is damage.
    fn operation_bits(&self, skipped: u32, value: Value) -> u64 {
        let count = if skipped < SHORT_COUNT {
            5
        } else {
            self.widths.count_bits
        };
        let value = match value {
            Value::Index(_) => self.widths.dict_bits,
            Value::Word(_) => 32,
        };
        u64::from(2 + count + value)
    }

    /// Takes the next escape if it is for `position` and `wanted` knows its kind.
    pub fn take_escape<T>(
        &mut self,
        position: u32,
        wanted: impl Fn(Escape) -> Option<T>,
    ) -> Result<Option<T>, What> {
        if self.escape_at != position {
            return Ok(None);
        }
        let taken = wanted(self.escape);
        if taken.is_some() {
            self.advance(position)?;
        }
        Ok(taken)
    }

    /// Where the log says that the instruction at `position` is, if it says so.
    pub fn redirect_at(&self, position: u32) -> Option<u32> {
        match self.escape {
            Escape::Redirect(pc) if self.escape_at == position => Some(pc),
            _ => None,
        }
    }

    /// The value of the operation that is logged next, which the instruction at `position` is.
    #[inline(never)]
    pub fn take_value(&mut self, position: u32) -> Result<u32, What> {
        let value = match self.value {
            Value::Word(word) => word,
            Value::Index(index) => self
                .dictionary
                .value(index)
                .ok_or(What::EmptyIndex(index))?,
        };
        self.skipped_before = 0;
        self.skip_at_read = 0;
        self.skip = 0;
        self.dictionary.update(value);
        // An escape for this instruction would have come before its operation.
        self.advance(position + 1)?;
        Ok(value)
    }

    /// Counts an operation that is not logged.
    #[inline(always)]
    pub fn pass(&mut self, value: u32) {
        self.skip -= 1;
        self.dictionary.update(value);
    }

    /// Bytes of the host's memory beside the struct itself.
    pub fn footprint(&self) -> usize {
        self.dictionary.footprint()
    }

    /// Whether every entry has been used.
    pub fn is_empty(&self) -> bool {
        self.skip_at_read == NEVER && self.escape_at == NEVER
    }
}
