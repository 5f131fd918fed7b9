//! Writes records of the order: words to bytes, section 11.4 of the log format. Its twin is
//! `lookback_log_format::order::encode`.
//!
//! ```text
//!  word_valid word_kind word_value ─► numbers ─────────────────────┬─► chunks_valid …
//!                      word_pop ◄─   bins ─► range_coder ─► bytes ─┴─► strata_valid …
//! ```
//! Bit 3 of a word's kind says whose it is: 0 strata, 1 chunks. The others:
//!
//! | 0 | 1 | 2 | 3 | 4 | 5 |
//! |---|---|---|---|---|---|
//! | a record begins; its index | a number: retirements, a chunk | an external write's block | the end; its reason | stride of hart 0, plus one | that of another hart |
//!
//! A byte or a bin a cycle. For 1024 cycles after a reset nothing is taken: the coder's contexts are
//! cleared.

use crate::compact::range_coder::RangeCoder;
use rust_hdl::prelude::*;

/// What is being written.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Part {
    /// nothing: the next word is looked at
    Idle,
    /// kind and number of harts
    Name,
    /// a number, seven bits at a time
    Number,
    /// the zero before an external write's block
    Zero,
    /// the bin that tells a stratum from anything else
    Kind,
    /// how long a stride is
    Length,
    /// its bits
    Rest,
    /// EXTERNAL or the end
    Other,
    /// an external write's block, coded
    Coded,
    /// the coder ends
    Finish,
    /// until it has
    Wait,
    /// why the record ended
    Reason,
}

circuit! {
    /// For `N` harts.
    pub struct OrderWriter [N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// there is a word
        pub word_valid: Signal<In, Bit>,
        /// what it is
        pub word_kind: Signal<In, Bits<4>>,
        /// its value
        pub word_value: Signal<In, Bits<32>>,
        /// it is used
        pub word_pop: Signal<Out, Bit>,
        /// a byte of a record of strata
        pub strata_valid: Signal<Out, Bit>,
        /// the byte
        pub strata_data: Signal<Out, Bits<8>>,
        /// it ends the record
        pub strata_last: Signal<Out, Bit>,
        /// it is taken
        pub strata_ready: Signal<In, Bit>,
        /// a byte of a record of chunks
        pub chunks_valid: Signal<Out, Bit>,
        /// the byte
        pub chunks_data: Signal<Out, Bits<8>>,
        /// it ends the record
        pub chunks_last: Signal<Out, Bit>,
        /// it is taken
        pub chunks_ready: Signal<In, Bit>,
        /// nothing is under way
        pub idle: Signal<Out, Bit>,
        coder: RangeCoder,
        /// cycles since the reset, up to 1024
        wiped_ff: DFF<Bits<11>>,
        part_ff: DFF<Part>,
        chunks_ff: DFF<Bit>,
        kind_ff: DFF<Bits<3>>,
        value_ff: DFF<Bits<32>>,
        /// a stride's number, halved for each bin of its length
        halved_ff: DFF<Bits<16>>,
        /// length of a stride so far, bits left of it
        count_ff: DFF<Bits<4>>,
        length_ff: DFF<Bits<4>>,
        node_ff: DFF<Bits<3>>,
        /// bits of the stride that were learnt
        learnt_ff: DFF<Bits<2>>,
        class_ff: DFF<Bits<3>>,
        direct: Signal<Local, Bit>,
        data: Signal<Local, Bits<8>>,
        last: Signal<Local, Bit>,
        ready: Signal<Local, Bit>,
        bin: Signal<Local, Bit>,
        more: Signal<Local, Bit>,
        longer: Signal<Local, Bit>,
        digit: Signal<Local, Bit>,
        kind: Signal<Local, Bits<3>>,
        begins: Signal<Local, Bit>,
        name: Signal<Local, Bits<8>>,
    }
    constants {
        head: 3 = 0,
        plain: 3 = 1,
        external: 3 = 2,
        end_word: 3 = 3,
        first: 3 = 4,
        strata_name: 8 = 4 | N << 4,
        chunks_name: 8 = 5 | N << 4,
        no_byte: 8 = 0,
        more_bit: 8 = 0x80,
        one_cycle: 11 = 1,
        no_cycles: 11 = 0,
        none: 4 = 0,
        once: 4 = 1,
        kind_context: 10 = 256,
        bits_context: 10 = 128,
        root: 3 = 1,
        none_learnt: 2 = 0,
        once_learnt: 2 = 1,
        no_class: 3 = 0,
        one_class: 3 = 1,
        last_class: 3 = 7,
        in_context: 2 = 0,
        raw: 2 = 1,
        whole_byte: 2 = 2,
        over: 2 = 3,
    }
    check {
        assert!((1..=4).contains(&N), "harts have two bits");
    }
}

impl<const N: usize> Logic for OrderWriter<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, wiped_ff, part_ff, chunks_ff, kind_ff, value_ff, halved_ff);
        dff_setup!(self, clock, count_ff, length_ff, node_ff, learnt_ff, class_ff);
        self.coder.clock.next = self.clock.val();
        self.coder.wipe.next = !self.wiped_ff.q.val().get_bit(10);
        self.coder.forget.next = false;
        self.coder.byte_ready.next = self.strata_ready.val();
        if !self.wiped_ff.q.val().get_bit(10) {
            self.wiped_ff.d.next = self.wiped_ff.q.val() + self.one_cycle.val();
        }
        self.kind.next = self.word_kind.val().get_bits::<3>(0);
        self.begins.next = self.word_valid.val() & self.wiped_ff.q.val().get_bit(10);

        // What goes out as it is.
        self.more.next = self.value_ff.q.val().get_bits::<25>(7).any();
        self.name.next = self.strata_name.val();
        if self.chunks_ff.q.val() {
            self.name.next = self.chunks_name.val();
        }
        self.direct.next = false;
        self.last.next = false;
        self.data.next = bit_cast::<8, 7>(self.value_ff.q.val().get_bits::<7>(0));
        if self.more.val() {
            self.data.next =
                bit_cast::<8, 7>(self.value_ff.q.val().get_bits::<7>(0)) | self.more_bit.val();
        }
        self.ready.next = self.strata_ready.val() & !self.coder.byte_valid.val();
        if self.chunks_ff.q.val() {
            self.ready.next = self.chunks_ready.val();
        }

        // What is coded.
        self.bin.next = false;
        self.longer.next = self.halved_ff.q.val().get_bits::<15>(1).any();
        self.digit.next = self.value_ff.q.val().get_bit(self.count_ff.q.val().index());
        self.coder.bin_kind.next = self.in_context.val();
        self.coder.bin_context.next = self.kind_context.val();
        self.coder.bin_one.next = !self.kind_ff.q.val().get_bit(2);
        self.coder.bin_byte.next = self.data.val();
        self.word_pop.next = false;
        self.idle.next = false;

        match self.part_ff.q.val() {
            Part::Idle => {
                self.idle.next = self.coder.idle.val() | !self.wiped_ff.q.val().get_bit(10);
                self.kind_ff.d.next = self.kind.val();
                self.chunks_ff.d.next = self.word_kind.val().get_bit(3);
                self.value_ff.d.next = self.word_value.val();
                self.halved_ff.d.next = self.word_value.val().get_bits::<16>(0);
                self.count_ff.d.next = self.none.val();
                self.node_ff.d.next = self.root.val();
                self.learnt_ff.d.next = self.none_learnt.val();
                if self.begins.val() {
                    self.word_pop.next = true;
                    if self.kind.val() == self.head.val() {
                        self.part_ff.d.next = Part::Name;
                        if !self.word_kind.val().get_bit(3) {
                            self.coder.forget.next = self.coder.idle.val();
                            self.word_pop.next = self.coder.idle.val();
                            if !self.coder.idle.val() {
                                self.part_ff.d.next = Part::Idle;
                            }
                        }
                    } else if self.kind.val() == self.plain.val() {
                        self.part_ff.d.next = Part::Number;
                    } else if self.kind.val() == self.first.val() {
                        self.class_ff.d.next = self.no_class.val();
                        self.part_ff.d.next = Part::Kind;
                    } else if self.kind.val().get_bit(2) {
                        self.part_ff.d.next = Part::Length;
                    } else if !self.word_kind.val().get_bit(3) {
                        self.part_ff.d.next = Part::Kind;
                    } else if self.kind.val() == self.external.val() {
                        self.part_ff.d.next = Part::Zero;
                    } else {
                        self.part_ff.d.next = Part::Reason;
                    }
                }
            }
            Part::Name => {
                self.direct.next = true;
                self.data.next = self.name.val();
                if self.ready.val() {
                    self.part_ff.d.next = Part::Number;
                }
            }
            Part::Number => {
                self.direct.next = true;
                if self.ready.val() {
                    self.value_ff.d.next = self.value_ff.q.val() >> 7;
                    if !self.more.val() {
                        self.part_ff.d.next = Part::Idle;
                    }
                }
            }
            Part::Zero => {
                self.direct.next = true;
                self.data.next = self.no_byte.val();
                if self.ready.val() {
                    self.part_ff.d.next = Part::Number;
                }
            }
            Part::Kind => {
                self.bin.next = true;
                if self.coder.bin_ready.val() {
                    self.part_ff.d.next = Part::Other;
                    if self.kind_ff.q.val().get_bit(2) {
                        self.part_ff.d.next = Part::Length;
                    }
                }
            }
            Part::Length => {
                self.bin.next = true;
                self.coder.bin_context.next = (bit_cast::<10, 3>(self.class_ff.q.val()) << 4)
                    | bit_cast::<10, 4>(self.count_ff.q.val());
                self.coder.bin_one.next = self.longer.val();
                if self.coder.bin_ready.val() {
                    self.halved_ff.d.next = self.halved_ff.q.val() >> 1;
                    if self.longer.val() {
                        self.count_ff.d.next = self.count_ff.q.val() + self.once.val();
                    } else {
                        self.length_ff.d.next = self.count_ff.q.val();
                        self.count_ff.d.next = self.count_ff.q.val() - self.once.val();
                        self.part_ff.d.next = Part::Rest;
                        self.class_ff.d.next =
                            self.count_ff.q.val().get_bits::<3>(0) + self.one_class.val();
                        if self.count_ff.q.val().get_bit(3)
                            | self.count_ff.q.val().get_bits::<3>(0).all()
                        {
                            self.class_ff.d.next = self.last_class.val();
                        }
                        if !self.count_ff.q.val().any() {
                            self.part_ff.d.next = Part::Idle;
                        }
                    }
                }
            }
            Part::Rest => {
                self.bin.next = true;
                if self.learnt_ff.q.val().all() {
                    self.coder.bin_kind.next = self.raw.val();
                }
                self.coder.bin_context.next = self.bits_context.val()
                    | (bit_cast::<10, 4>(self.length_ff.q.val()) << 3)
                    | bit_cast::<10, 3>(self.node_ff.q.val());
                self.coder.bin_one.next = self.digit.val();
                if self.coder.bin_ready.val() {
                    self.count_ff.d.next = self.count_ff.q.val() - self.once.val();
                    self.node_ff.d.next = self.node_ff.q.val() << 1;
                    if self.digit.val() {
                        self.node_ff.d.next = (self.node_ff.q.val() << 1) | self.root.val();
                    }
                    if !self.learnt_ff.q.val().all() {
                        self.learnt_ff.d.next = self.learnt_ff.q.val() + self.once_learnt.val();
                    }
                    if !self.count_ff.q.val().any() {
                        self.part_ff.d.next = Part::Idle;
                    }
                }
            }
            Part::Other => {
                self.bin.next = true;
                self.coder.bin_kind.next = self.raw.val();
                self.coder.bin_one.next = self.kind_ff.q.val() == self.end_word.val();
                if self.coder.bin_ready.val() {
                    self.part_ff.d.next = Part::Coded;
                    if self.kind_ff.q.val() == self.end_word.val() {
                        self.part_ff.d.next = Part::Finish;
                    }
                }
            }
            Part::Coded => {
                self.bin.next = true;
                self.coder.bin_kind.next = self.whole_byte.val();
                if self.coder.bin_ready.val() {
                    self.value_ff.d.next = self.value_ff.q.val() >> 7;
                    if !self.more.val() {
                        self.part_ff.d.next = Part::Idle;
                    }
                }
            }
            Part::Finish => {
                self.bin.next = true;
                self.coder.bin_kind.next = self.over.val();
                if self.coder.bin_ready.val() {
                    self.part_ff.d.next = Part::Wait;
                }
            }
            Part::Wait => {
                if self.coder.idle.val() {
                    self.part_ff.d.next = Part::Reason;
                }
            }
            Part::Reason => {
                self.direct.next = true;
                self.last.next = true;
                if self.ready.val() {
                    self.part_ff.d.next = Part::Idle;
                }
            }
            _ => {
                self.part_ff.d.next = Part::Idle;
            }
        }
        self.coder.bin_valid.next = self.bin.val();

        self.strata_valid.next =
            self.coder.byte_valid.val() | (self.direct.val() & !self.chunks_ff.q.val());
        self.strata_data.next = self.data.val();
        self.strata_last.next = self.last.val();
        if self.coder.byte_valid.val() {
            self.strata_data.next = self.coder.byte_data.val();
            self.strata_last.next = false;
        }
        self.chunks_valid.next = self.direct.val() & self.chunks_ff.q.val();
        self.chunks_data.next = self.data.val();
        self.chunks_last.next = self.last.val();
        if self.reset.val() {
            self.wiped_ff.d.next = self.no_cycles.val();
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
        check_block(OrderWriter::<2>::default(), "lookback_order_writer");
    }
}
