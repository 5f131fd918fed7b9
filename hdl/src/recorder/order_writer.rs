//! Writes records of strata: words to bytes, section 11.4 of the log format. Its twin is
//! `lookback_log_format::order::encode_paced`.
//!
//! ```text
//!  word_valid word_kind word_value ─► numbers ─────────────────────┬─► byte_valid …
//!                      word_pop ◄─   bins ─► range_coder ─► bytes ─┘
//! ```
//! | kind | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
//! |---|---|---|---|---|---|---|---|
//! | | a record begins; its index | retirements | an external write's block | the end; its reason | stride of hart 0, plus one | that of another hart | a short stratum: two bits a hart |
//!
//! A byte or a bin a cycle. With `behind` a short stratum and those that follow it, as long as there are
//! any, are hurried: a cycle each. For 1024 cycles after a reset nothing is taken: the coder's contexts
//! are cleared.

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
    /// the bin that tells a stratum from anything else
    Kind,
    /// the bin that says whether strata are hurried
    Hurry,
    /// strata as bytes
    Run,
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
        pub word_kind: Signal<In, Bits<3>>,
        /// its value
        pub word_value: Signal<In, Bits<32>>,
        /// it is used
        pub word_pop: Signal<Out, Bit>,
        /// many words wait
        pub behind: Signal<In, Bit>,
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
        coder: RangeCoder<18>,
        /// cycles since the reset, up to 1024
        wiped_ff: DFF<Bits<11>>,
        part_ff: DFF<Part>,
        kind_ff: DFF<Bits<3>>,
        value_ff: DFF<Bits<32>>,
        /// the stratum that is written is hurried; the one before was
        hurries_ff: DFF<Bit>,
        hurried_ff: DFF<Bit>,
        /// harts of a short stratum that are done
        visit_ff: DFF<Bits<2>>,
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
        begins: Signal<Local, Bit>,
        is_short: Signal<Local, Bit>,
        stride_ends: Signal<Local, Bit>,
        rest: Signal<Local, Bits<32>>,
        next_short: Signal<Local, Bits<2>>,
        number: Signal<Local, Bits<3>>,
    }
    constants {
        head: 3 = 0,
        plain: 3 = 1,
        external: 3 = 2,
        end_word: 3 = 3,
        first: 3 = 4,
        short: 3 = 6,
        name: 8 = 6 | N << 4,
        no_byte: 8 = 0,
        more_bit: 8 = 0x80,
        one_cycle: 11 = 1,
        no_cycles: 11 = 0,
        none: 4 = 0,
        once: 4 = 1,
        kind_context: 10 = 256,
        bits_context: 10 = 128,
        hurry_context: 10 = 930,
        hurried_context: 10 = 931,
        one_number: 3 = 1,
        no_hart: 2 = 0,
        next_hart: 2 = 1,
        of_short: 32 = 0xff >> 2,
        final_hart: 2 = N - 1,
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
        dff_setup!(self, clock, wiped_ff, part_ff, kind_ff, value_ff, halved_ff, visit_ff);
        dff_setup!(self, clock, count_ff, length_ff, node_ff, learnt_ff, class_ff);
        dff_setup!(self, clock, hurries_ff, hurried_ff);
        self.coder.clock.next = self.clock.val();
        self.coder.wipe.next = !self.wiped_ff.q.val().get_bit(10);
        self.coder.forget.next = false;
        self.coder.byte_ready.next = self.byte_ready.val();
        if !self.wiped_ff.q.val().get_bit(10) {
            self.wiped_ff.d.next = self.wiped_ff.q.val() + self.one_cycle.val();
        }
        self.begins.next = self.word_valid.val() & self.wiped_ff.q.val().get_bit(10);
        // What a byte can say: 0 ends a run.
        self.is_short.next = (self.word_kind.val() == self.short.val())
            & self.word_value.val().get_bits::<8>(0).any();

        // What goes out as it is.
        self.more.next = self.value_ff.q.val().get_bits::<25>(7).any();
        self.direct.next = false;
        self.last.next = false;
        self.data.next = bit_cast::<8, 7>(self.value_ff.q.val().get_bits::<7>(0));
        if self.more.val() {
            self.data.next =
                bit_cast::<8, 7>(self.value_ff.q.val().get_bits::<7>(0)) | self.more_bit.val();
        }
        self.ready.next = self.byte_ready.val() & !self.coder.byte_valid.val();

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
        self.stride_ends.next = false;
        // The number of the next short stride; of its bits below the highest one can be 1 at most.
        self.rest.next = (self.value_ff.q.val() >> 2) & self.of_short.val();
        self.next_short.next = self.value_ff.q.val().get_bits::<2>(0);
        if self.part_ff.q.val() != Part::Hurry {
            self.next_short.next = self.rest.val().get_bits::<2>(0);
        }
        self.number.next = bit_cast::<3, 2>(self.next_short.val()) + self.one_number.val();
        if self.kind_ff.q.val() == self.short.val() {
            self.digit.next = self.value_ff.q.val().get_bit(1) & !self.value_ff.q.val().get_bit(0);
        }

        match self.part_ff.q.val() {
            Part::Idle => {
                self.idle.next = self.coder.idle.val() | !self.wiped_ff.q.val().get_bit(10);
                self.kind_ff.d.next = self.word_kind.val();
                self.value_ff.d.next = self.word_value.val();
                self.halved_ff.d.next = self.word_value.val().get_bits::<16>(0);
                self.visit_ff.d.next = self.no_hart.val();
                self.hurries_ff.d.next = self.behind.val() & self.is_short.val();
                self.count_ff.d.next = self.none.val();
                self.node_ff.d.next = self.root.val();
                self.learnt_ff.d.next = self.none_learnt.val();
                if self.begins.val() {
                    self.word_pop.next = true;
                    if self.word_kind.val() == self.head.val() {
                        self.hurried_ff.d.next = false;
                        self.part_ff.d.next = Part::Name;
                        self.coder.forget.next = self.coder.idle.val();
                        self.word_pop.next = self.coder.idle.val();
                        if !self.coder.idle.val() {
                            self.part_ff.d.next = Part::Idle;
                        }
                    } else if self.word_kind.val() == self.plain.val() {
                        self.part_ff.d.next = Part::Number;
                    } else if self.word_kind.val() == self.first.val() {
                        self.class_ff.d.next = self.no_class.val();
                        self.part_ff.d.next = Part::Kind;
                    } else if self.word_kind.val() == self.short.val() {
                        self.class_ff.d.next = self.no_class.val();
                        self.part_ff.d.next = Part::Kind;
                        // In a run the words are looked at, the first one, too.
                        self.word_pop.next = !(self.behind.val() & self.is_short.val());
                    } else if self.word_kind.val().get_bit(2) {
                        self.part_ff.d.next = Part::Length;
                    } else {
                        self.part_ff.d.next = Part::Kind;
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
            Part::Kind => {
                self.bin.next = true;
                if self.coder.bin_ready.val() {
                    self.part_ff.d.next = Part::Other;
                    if self.kind_ff.q.val().get_bit(2) {
                        self.part_ff.d.next = Part::Hurry;
                    }
                }
            }
            Part::Hurry => {
                self.bin.next = true;
                self.coder.bin_context.next = self.hurry_context.val();
                if self.hurried_ff.q.val() {
                    self.coder.bin_context.next = self.hurried_context.val();
                }
                self.coder.bin_one.next = self.hurries_ff.q.val();
                if self.kind_ff.q.val() == self.short.val() {
                    self.halved_ff.d.next = bit_cast::<16, 3>(self.number.val());
                }
                if self.coder.bin_ready.val() {
                    self.hurried_ff.d.next = self.hurries_ff.q.val();
                    self.part_ff.d.next = Part::Length;
                    if self.hurries_ff.q.val() {
                        self.part_ff.d.next = Part::Run;
                    }
                }
            }
            Part::Run => {
                self.bin.next = true;
                self.coder.bin_kind.next = self.whole_byte.val();
                self.coder.bin_byte.next = self.no_byte.val();
                if self.word_valid.val() & self.is_short.val() {
                    self.coder.bin_byte.next = self.word_value.val().get_bits::<8>(0);
                    self.word_pop.next = self.coder.bin_ready.val();
                } else if self.coder.bin_ready.val() {
                    self.part_ff.d.next = Part::Idle;
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
                            self.stride_ends.next = true;
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
                        self.stride_ends.next = true;
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

        // A stride is written; a short stratum has others.
        if self.stride_ends.val() {
            self.part_ff.d.next = Part::Idle;
            if (self.kind_ff.q.val() == self.short.val())
                & (self.visit_ff.q.val() != self.final_hart.val())
            {
                self.part_ff.d.next = Part::Length;
            }
            self.visit_ff.d.next = self.visit_ff.q.val() + self.next_hart.val();
            self.value_ff.d.next = self.rest.val();
            self.halved_ff.d.next = bit_cast::<16, 3>(self.number.val());
            self.count_ff.d.next = self.none.val();
            self.node_ff.d.next = self.root.val();
            self.learnt_ff.d.next = self.none_learnt.val();
        }

        self.byte_valid.next = self.coder.byte_valid.val() | self.direct.val();
        self.byte_data.next = self.data.val();
        self.byte_last.next = self.last.val();
        if self.coder.byte_valid.val() {
            self.byte_data.next = self.coder.byte_data.val();
            self.byte_last.next = false;
        }
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
