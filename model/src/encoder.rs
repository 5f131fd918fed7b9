//! Turns operations and escapes into the bits of codec `bugnet`. Section 2 of the format.

use crate::dictionary::Dictionary;
use lookback_log_format::{entry::Escape, RecorderConfig};

/// Bits, least significant first, packed here on its own so that `log-format`'s writer is checked
/// against it.
#[derive(Debug, Clone, Default)]
struct Packer {
    bytes: Vec<u8>,
    partial: u64,
    partial_bits: u32,
}

impl Packer {
    fn field(&mut self, value: u32, width: u32) {
        self.partial |= u64::from(value) << self.partial_bits;
        self.partial_bits += width;
        while self.partial_bits >= 8 {
            self.bytes.push((self.partial & 0xff) as u8);
            self.partial >>= 8;
            self.partial_bits -= 8;
        }
    }

    fn len_bits(&self) -> u64 {
        8 * self.bytes.len() as u64 + u64::from(self.partial_bits)
    }

    /// Zero bits up to a byte boundary; the packer is empty afterwards.
    fn finish(&mut self) -> Vec<u8> {
        if self.partial_bits > 0 {
            self.bytes.push(self.partial as u8);
        }
        std::mem::take(self).bytes
    }
}

/// The entries of the interval that is open.
#[derive(Debug, Clone)]
pub struct Encoder {
    count_bits: u32,
    dict_bits: u32,
    bits: Packer,
    dictionary: Dictionary,
    /// Operations not logged since the last logged one: the L-count.
    skipped: u32,
}

impl Encoder {
    /// An encoder before the first interval.
    pub fn new(config: &RecorderConfig) -> Self {
        Self {
            count_bits: config.count_bits.into(),
            dict_bits: config.dict_bits.into(),
            bits: Packer::default(),
            dictionary: Dictionary::new(config.dict_bits),
            skipped: 0,
        }
    }

    /// An operation yields `value`; it is written only when `logged`, but always remembered.
    pub fn operation(&mut self, value: u32, logged: bool) {
        let index = self.dictionary.update(value);
        if !logged {
            self.skipped += 1;
            return;
        }
        if self.skipped < 32 {
            self.bits.field(0, 1);
            self.bits.field(self.skipped, 5);
        } else {
            self.bits.field(1, 1);
            self.bits.field(self.skipped, self.count_bits);
        }
        match index {
            Some(index) => {
                self.bits.field(0, 1);
                self.bits.field(index as u32, self.dict_bits);
            }
            None => {
                self.bits.field(1, 1);
                self.bits.field(value, 32);
            }
        }
        self.skipped = 0;
    }

    /// Something else that the replayer could not work out about the instruction at `position`.
    pub fn escape(&mut self, position: u32, escape: Escape) {
        let all_ones = (1 << self.count_bits) - 1;
        self.bits.field(1, 1);
        self.bits.field(all_ones, self.count_bits);
        let (kind, payload) = match escape {
            Escape::Redirect(pc) => (0, Some(pc)),
            Escape::Trap => (1, None),
            Escape::Fetch(word) => (2, Some(word)),
        };
        self.bits.field(kind, 2);
        self.bits.field(position, self.count_bits);
        if let Some(word) = payload {
            self.bits.field(word, 32);
        }
    }

    /// Bits of the entries so far.
    pub fn len_bits(&self) -> u64 {
        self.bits.len_bits()
    }

    /// The interval ends: its entries, filled up to a byte. The next one starts with nothing
    /// skipped and an empty dictionary.
    pub fn finish(&mut self) -> Vec<u8> {
        self.skipped = 0;
        self.dictionary.clear();
        self.bits.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;
    use lookback_log_format::entry::{Entry, EntryReader, EntryWriter, Value, Widths};
    use proptest::prelude::*;

    fn entries(bytes: &[u8]) -> Vec<Entry> {
        let mut reader = EntryReader::new(bytes, Widths::from(&config()));
        std::iter::from_fn(|| reader.next_entry().unwrap()).collect()
    }

    fn logged(skipped: u32, value: Value) -> Entry {
        Entry::Operation { skipped, value }
    }

    #[test]
    fn a_value_is_a_word_first_and_an_index_later() {
        let mut encoder = Encoder::new(&config());
        encoder.operation(7, true);
        encoder.operation(7, true);
        assert_eq!(
            entries(&encoder.finish()),
            [logged(0, Value::Word(7)), logged(0, Value::Index(15))]
        );
    }

    #[test]
    fn operations_left_out_count_and_teach_the_dictionary() {
        let mut encoder = Encoder::new(&config());
        encoder.operation(7, false);
        encoder.escape(3, Escape::Trap);
        encoder.operation(7, true);
        let trap = Entry::Escape {
            position: 3,
            escape: Escape::Trap,
        };
        assert_eq!(
            entries(&encoder.finish()),
            [trap, logged(1, Value::Index(15))]
        );
    }

    #[test]
    fn the_short_count_reaches_31() {
        for (skipped, bits) in [(31, 1 + 5 + 1 + 32), (32, 1 + 8 + 1 + 32)] {
            let mut encoder = Encoder::new(&config());
            (0..skipped).for_each(|_| encoder.operation(1, false));
            encoder.operation(9, true);
            let bytes = encoder.finish();
            assert_eq!(bytes.len(), usize::div_ceil(bits, 8));
            assert_eq!(entries(&bytes), [logged(skipped, Value::Word(9))]);
        }
    }

    #[test]
    fn the_next_interval_starts_empty() {
        let mut encoder = Encoder::new(&config());
        encoder.operation(7, true);
        encoder.operation(8, false);
        encoder.finish();
        encoder.operation(7, true);
        assert_eq!(entries(&encoder.finish()), [logged(0, Value::Word(7))]);
        assert!(encoder.finish().is_empty());
    }

    proptest! {
        /// Both writers of the format make the same bytes.
        #[test]
        fn packing_agrees_with_log_format(
            list in prop::collection::vec(any::<(u8, u32, bool)>(), 0..200),
        ) {
            let mut encoder = Encoder::new(&config());
            let mut writer = EntryWriter::new(Widths::from(&config()));
            let mut dictionary = Dictionary::new(config().dict_bits);
            let mut skipped = 0;
            for (kind, word, log) in list {
                let (position, value) = (word % 200, word % 24);
                let escape = match kind % 8 {
                    0 => Escape::Redirect(word),
                    1 => Escape::Trap,
                    2 => Escape::Fetch(word),
                    _ => {
                        encoder.operation(value, log);
                        let index = dictionary.update(value);
                        skipped += 1;
                        if log {
                            let value = index.map_or(Value::Word(value), |i| Value::Index(i as u32));
                            writer.put(logged(skipped - 1, value));
                            skipped = 0;
                        }
                        continue;
                    }
                };
                encoder.escape(position, escape);
                writer.put(Entry::Escape { position, escape });
            }
            prop_assert_eq!(encoder.finish(), writer.finish());
        }
    }
}
