//! Writes records of chunks: words to bytes, section 11.4 of the log format. Its twin is
//! `lookback_log_format::order::encode`.
//!
//! | kind | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | | a record begins; its index | a number: retirements, a chunk | an external write's block | the end; its reason |
//!
//! A byte a cycle; numbers follow each other without a pause.

use rust_hdl::prelude::*;

/// What is being written.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Part {
    /// nothing: the next word is looked at
    Idle,
    /// kind and number of harts, or the zero before an external write's block
    Before,
    /// a number, seven bits at a time
    Number,
    /// why the record ended
    Reason,
}

circuit! {
    /// For `N` harts.
    pub struct ChunkWriter [N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// there is a word
        pub word_valid: Signal<In, Bit>,
        /// what it is
        pub word_kind: Signal<In, Bits<2>>,
        /// its value
        pub word_value: Signal<In, Bits<32>>,
        /// it is used
        pub word_pop: Signal<Out, Bit>,
        /// a byte of a record
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it ends the record
        pub byte_last: Signal<Out, Bit>,
        /// it is taken
        pub byte_ready: Signal<In, Bit>,
        /// nothing is under way
        pub idle: Signal<Out, Bit>,
        part_ff: DFF<Part>,
        value_ff: DFF<Bits<32>>,
        head_ff: DFF<Bit>,
        more: Signal<Local, Bit>,
        takes: Signal<Local, Bit>,
    }
    constants {
        head: 2 = 0,
        plain: 2 = 1,
        end_word: 2 = 3,
        name: 8 = 5 | N << 4,
        no_byte: 8 = 0,
        more_bit: 8 = 0x80,
    }
    check {
        assert!((1..=4).contains(&N), "harts have two bits");
    }
}

impl<const N: usize> Logic for ChunkWriter<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, part_ff, value_ff, head_ff);
        self.more.next = self.value_ff.q.val().get_bits::<25>(7).any();
        self.byte_valid.next = self.part_ff.q.val() != Part::Idle;
        self.byte_last.next = false;
        self.byte_data.next = bit_cast::<8, 7>(self.value_ff.q.val().get_bits::<7>(0));
        if self.more.val() {
            self.byte_data.next =
                bit_cast::<8, 7>(self.value_ff.q.val().get_bits::<7>(0)) | self.more_bit.val();
        }
        self.idle.next = false;
        self.takes.next = false;
        match self.part_ff.q.val() {
            Part::Idle => {
                self.idle.next = true;
                self.takes.next = true;
            }
            Part::Before => {
                self.byte_data.next = self.no_byte.val();
                if self.head_ff.q.val() {
                    self.byte_data.next = self.name.val();
                }
                if self.byte_ready.val() {
                    self.part_ff.d.next = Part::Number;
                }
            }
            Part::Number => {
                if self.byte_ready.val() {
                    self.value_ff.d.next = self.value_ff.q.val() >> 7;
                    self.takes.next = !self.more.val();
                }
            }
            Part::Reason => {
                self.byte_last.next = true;
                self.takes.next = self.byte_ready.val();
            }
            _ => {
                self.part_ff.d.next = Part::Idle;
            }
        }
        self.word_pop.next = self.takes.val() & self.word_valid.val();
        if self.takes.val() {
            self.value_ff.d.next = self.word_value.val();
            self.head_ff.d.next = self.word_kind.val() == self.head.val();
            self.part_ff.d.next = Part::Idle;
            if self.word_valid.val() {
                self.part_ff.d.next = Part::Before;
                if self.word_kind.val() == self.plain.val() {
                    self.part_ff.d.next = Part::Number;
                } else if self.word_kind.val() == self.end_word.val() {
                    self.part_ff.d.next = Part::Reason;
                }
            }
        }
        if self.reset.val() {
            self.part_ff.d.next = Part::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(ChunkWriter::<2>::default(), "lookback_chunk_writer");
    }
}
