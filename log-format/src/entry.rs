//! Entries of codec `bugnet`: section 2 of the format.

use crate::bits::{BitReader, BitWriter};
use crate::{Error, Result};
use alloc::vec::Vec;

/// L-counts below this take the short form.
pub const SHORT_COUNT: u32 = 32;

/// How a logged operation's value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// An index into the dictionary as it is before this operation.
    Index(u32),
    /// The value itself.
    Word(u32),
}

/// What an escape says about the instruction at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// It is at this pc.
    Redirect(u32),
    /// It trapped.
    Trap,
    /// It is this word.
    Fetch(u32),
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A logged operation.
    Operation {
        /// Operations that were not logged since the last logged one.
        skipped: u32,
        /// Its value.
        value: Value,
    },
    /// Something else that the replayer could not work out.
    Escape {
        /// Position of the instruction in the interval.
        position: u32,
        /// What it is.
        escape: Escape,
    },
}

/// Field widths that a recorder's configuration fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Width of a full L-count and of a position.
    pub count_bits: u32,
    /// Width of a dictionary index.
    pub dict_bits: u32,
}

impl Widths {
    fn escape_mark(self) -> u32 {
        (1 << self.count_bits) - 1
    }
}

impl From<&crate::RecorderConfig> for Widths {
    fn from(config: &crate::RecorderConfig) -> Self {
        Self {
            count_bits: config.count_bits.into(),
            dict_bits: config.dict_bits.into(),
        }
    }
}

/// Writes entries.
#[derive(Debug, Clone)]
pub struct EntryWriter {
    bits: BitWriter,
    widths: Widths,
}

impl EntryWriter {
    /// An empty stream.
    pub fn new(widths: Widths) -> Self {
        Self {
            bits: BitWriter::new(),
            widths,
        }
    }

    /// Appends one entry.
    pub fn put(&mut self, entry: Entry) {
        let Widths {
            count_bits,
            dict_bits,
        } = self.widths;
        match entry {
            Entry::Operation { skipped, value } => {
                if skipped < SHORT_COUNT {
                    self.bits.put(0, 1);
                    self.bits.put(skipped, 5);
                } else {
                    self.bits.put(1, 1);
                    self.bits.put(skipped, count_bits);
                }
                match value {
                    Value::Index(index) => {
                        self.bits.put(0, 1);
                        self.bits.put(index, dict_bits);
                    }
                    Value::Word(word) => {
                        self.bits.put(1, 1);
                        self.bits.put(word, 32);
                    }
                }
            }
            Entry::Escape { position, escape } => {
                self.bits.put(1, 1);
                self.bits.put(self.widths.escape_mark(), count_bits);
                let (kind, payload) = match escape {
                    Escape::Redirect(pc) => (0, Some(pc)),
                    Escape::Trap => (1, None),
                    Escape::Fetch(word) => (2, Some(word)),
                };
                self.bits.put(kind, 2);
                self.bits.put(position, count_bits);
                if let Some(word) = payload {
                    self.bits.put(word, 32);
                }
            }
        }
    }

    /// Bits written so far.
    pub fn len_bits(&self) -> u64 {
        self.bits.len_bits()
    }

    /// Fills up to a byte boundary and gives the bytes away.
    pub fn finish(self) -> Vec<u8> {
        self.bits.finish()
    }
}

/// Reads entries.
#[derive(Debug, Clone)]
pub struct EntryReader<'a> {
    bits: BitReader<'a>,
    widths: Widths,
}

impl<'a> EntryReader<'a> {
    /// Starts at the first entry.
    pub fn new(bytes: &'a [u8], widths: Widths) -> Self {
        Self {
            bits: BitReader::new(bytes),
            widths,
        }
    }

    /// Bits read so far.
    pub fn position(&self) -> u64 {
        self.bits.position()
    }

    /// The next entry, or `None` when only filling can be left: fewer than 8 bits, all zero.
    ///
    /// An entry takes at least 8 bits when `dict_bits` is at least 1, so filling is never
    /// mistaken for one.
    #[inline]
    pub fn next_entry(&mut self) -> Result<Option<Entry>> {
        let start = self.bits.position();
        let left = self.bits.remaining();
        if left < 8 && self.bits.clone().take(left as u32)? == 0 {
            return Ok(None);
        }
        self.entry(start).map(Some)
    }

    fn entry(&mut self, start: u64) -> Result<Entry> {
        let Widths {
            count_bits,
            dict_bits,
        } = self.widths;
        let skipped = if self.bits.take(1)? == 0 {
            self.bits.take(5)?
        } else {
            let count = self.bits.take(count_bits)?;
            if count == self.widths.escape_mark() {
                return self.escape(start);
            }
            count
        };
        let value = if self.bits.take(1)? == 0 {
            Value::Index(self.bits.take(dict_bits)?)
        } else {
            Value::Word(self.bits.take(32)?)
        };
        Ok(Entry::Operation { skipped, value })
    }

    fn escape(&mut self, start: u64) -> Result<Entry> {
        let kind = self.bits.take(2)?;
        let position = self.bits.take(self.widths.count_bits)?;
        let escape = match kind {
            0 => Escape::Redirect(self.bits.take(32)?),
            1 => Escape::Trap,
            2 => Escape::Fetch(self.bits.take(32)?),
            _ => return Err(Error::ReservedEscape { bit: start, kind }),
        };
        Ok(Entry::Escape { position, escape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entries() -> impl Strategy<Value = Entry> {
        let value = prop_oneof![
            (0u32..64).prop_map(Value::Index),
            any::<u32>().prop_map(Value::Word)
        ];
        let escape = prop_oneof![
            any::<u32>().prop_map(Escape::Redirect),
            Just(Escape::Trap),
            any::<u32>().prop_map(Escape::Fetch)
        ];
        prop_oneof![
            (0u32..1023, value).prop_map(|(skipped, value)| Entry::Operation { skipped, value }),
            (0u32..1024, escape).prop_map(|(position, escape)| Entry::Escape { position, escape })
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(list in prop::collection::vec(entries(), 0..50)) {
            let widths = Widths { count_bits: 10, dict_bits: 6 };
            let mut writer = EntryWriter::new(widths);
            list.iter().for_each(|&entry| writer.put(entry));
            let bytes = writer.finish();
            let mut reader = EntryReader::new(&bytes, widths);
            for entry in list {
                prop_assert_eq!(reader.next_entry().unwrap(), Some(entry));
            }
            prop_assert_eq!(reader.next_entry().unwrap(), None);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes: Vec<u8>, count_bits in 5u32..=24, dict_bits in 1u32..=10) {
            let mut reader = EntryReader::new(&bytes, Widths { count_bits, dict_bits });
            while let Ok(Some(_)) = reader.next_entry() {}
        }
    }
}
