//! Turns events into the chunks of an interval: sections 2 and 4 of the log format. Twin of
//! `lookback_model::encoder`.
//!
//! ```text
//!  event FIFO ─► look up (dictionary) ─► write: header, entries, trailer ─► packer
//! ```
//! Two stages, so that the dictionary already searches the next value while an entry is written.
//! An operation that is not logged ends in the first stage. The second stage gives the packer up to
//! eight bits a cycle. Cycles, losses and registers stand still until `header_done`.
//!
//! The second stage has one register for each field (`at_…`), of which at most one is set, and the
//! chunk is the OR of all sources gated by them: a choice by number takes twice the logic.
//!
//! ```text
//!  operation: head ─(long)─► number ─► tag ─► rank or word
//!  escape:    head ─► ones ─► tag ─► number ─► word
//!  end:       align ─► number (instructions) ─► word (digest) ─► reason
//!  boundary:  kind ─► mode ─► index ─► retired ─► cycles ─(gap)─► lost ─► kind …
//!                                                   └──► word (pc) ─► register 1 … 31
//! ```
//! The index and the number of retirements are kept here, in `sums`, and grow by what is written: a
//! carry runs from byte to byte. Retirements grow by the instructions of an interval while its
//! trailer is written, and by those of a gap.

use crate::memory::LutRam;
use rust_hdl::prelude::*;

circuit! {
    /// Event encoder; dictionary ranks have `I` bits.
    pub struct Encoder [I] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins; for at least 16 cycles
        pub clear: Signal<In, Bit>,
        /// changes every eight cycles of `clear`
        pub clear_half: Signal<In, Bit>,
        /// width of a full L-count and of a position
        pub count_bits: Signal<In, Bits<5>>,
        /// there is an event
        pub event_valid: Signal<In, Bit>,
        /// its kind, see `sequencer`
        pub event_kind: Signal<In, Bits<4>>,
        /// its position
        pub event_position: Signal<In, Bits<24>>,
        /// its value
        pub event_value: Signal<In, Bits<32>>,
        /// it is taken
        pub event_pop: Signal<Out, Bit>,
        /// it is taken, as is known without the dictionary's answer of this cycle
        pub event_moves: Signal<Out, Bit>,
        /// dictionary: empty it
        pub dict_empty: Signal<Out, Bit>,
        /// dictionary: look the event's value up
        pub dict_look: Signal<Out, Bit>,
        /// dictionary: looked up
        pub dict_done: Signal<In, Bit>,
        /// dictionary: it is there
        pub dict_hit: Signal<In, Bit>,
        /// dictionary: its rank
        pub dict_index: Signal<In, Bits<I>>,
        /// privilege mode of the first instruction
        pub mode: Signal<In, Bits<2>>,
        /// cycles before it
        pub cycles_lo: Signal<In, Bits<32>>,
        /// high half
        pub cycles_hi: Signal<In, Bits<32>>,
        /// retirements lost in the gap
        pub lost_lo: Signal<In, Bits<32>>,
        /// above that
        pub lost_hi: Signal<In, Bits<8>>,
        /// why the interval ended
        pub reason: Signal<In, Bits<3>>,
        /// register to read, one cycle ahead
        pub register: Signal<Out, Bits<5>>,
        /// its value
        pub register_data: Signal<In, Bits<32>>,
        /// the header is written
        pub header_done: Signal<Out, Bit>,
        /// packer: take a chunk
        pub load: Signal<Out, Bit>,
        /// packer: the chunk
        pub bits: Signal<Out, Bits<8>>,
        /// packer: its size less one
        pub size: Signal<Out, Bits<3>>,
        /// packer: zero bits up to a byte
        pub align: Signal<Out, Bit>,
        /// packer: the record ends
        pub last: Signal<Out, Bit>,
        /// packer: a chunk is taken
        pub ready: Signal<In, Bit>,
        /// nothing is left to write
        pub idle: Signal<Out, Bit>,
        skipped_ff: DFF<Bits<24>>,
        many_ff: DFF<Bit>,
        looked_ff: DFF<Bit>,
        hit_ff: DFF<Bit>,
        rank_ff: DFF<Bits<I>>,
        at_head_ff: DFF<Bit>,
        at_ones_ff: DFF<Bit>,
        at_tag_ff: DFF<Bit>,
        at_number_ff: DFF<Bit>,
        at_rank_ff: DFF<Bit>,
        at_word_ff: DFF<Bit>,
        at_align_ff: DFF<Bit>,
        at_reason_ff: DFF<Bit>,
        at_kind_ff: DFF<Bit>,
        at_mode_ff: DFF<Bit>,
        at_index_ff: DFF<Bit>,
        at_retired_ff: DFF<Bit>,
        at_cycles_ff: DFF<Bit>,
        at_lost_ff: DFF<Bit>,
        at_register_ff: DFF<Bit>,
        busy_ff: DFF<Bit>,
        byte_ff: DFF<Bits<3>>,
        kind_ff: DFF<Bits<2>>,
        operation_ff: DFF<Bit>,
        trailer_ff: DFF<Bit>,
        boundary_ff: DFF<Bit>,
        gap_ff: DFF<Bit>,
        number_ff: DFF<Bits<24>>,
        long_ff: DFF<Bit>,
        value_ff: DFF<Bits<32>>,
        value_hit_ff: DFF<Bit>,
        value_rank_ff: DFF<Bits<I>>,
        register_ff: DFF<Bits<5>>,
        carry_ff: DFF<Bit>,
        /// `clear` and `clear_half` a cycle ago, for `sums`: a reset reaches them, too
        wipes_ff: DFF<Bit>,
        wipes_half_ff: DFF<Bit>,
        sums: LutRam<8, 4>,
        operation: Signal<Local, Bit>,
        trailer: Signal<Local, Bit>,
        moves: Signal<Local, Bit>,
        number: Signal<Local, Bits<24>>,
        short: Signal<Local, Bit>,
        steps: Signal<Local, Bit>,
        turns: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        done: Signal<Local, Bit>,
        counts: Signal<Local, Bit>,
        count_ends: Signal<Local, Bit>,
        top: Signal<Local, Bits<5>>,
        fourth: Signal<Local, Bit>,
        upper: Signal<Local, Bit>,
        of_value: Signal<Local, Bits<32>>,
        of_register: Signal<Local, Bits<32>>,
        of_cycles_lo: Signal<Local, Bits<32>>,
        of_cycles_hi: Signal<Local, Bits<32>>,
        of_number: Signal<Local, Bits<32>>,
        of_lost_lo: Signal<Local, Bits<32>>,
        of_lost_hi: Signal<Local, Bits<32>>,
        byte_0_of_word: Signal<Local, Bits<8>>,
        byte_1_of_word: Signal<Local, Bits<8>>,
        byte_2_of_word: Signal<Local, Bits<8>>,
        byte_3_of_word: Signal<Local, Bits<8>>,
        of_sums: Signal<Local, Bits<8>>,
        of_ones: Signal<Local, Bits<8>>,
        of_rank: Signal<Local, Bits<8>>,
        of_reason: Signal<Local, Bits<8>>,
        of_mode: Signal<Local, Bits<8>>,
        of_head: Signal<Local, Bits<8>>,
        of_tag: Signal<Local, Bits<8>>,
        of_kind: Signal<Local, Bits<8>>,
        word: Signal<Local, Bits<32>>,
        chunk: Signal<Local, Bits<8>>,
        sum_address: Signal<Local, Bits<4>>,
        adds: Signal<Local, Bit>,
        addend: Signal<Local, Bits<8>>,
        sum: Signal<Local, Bits<9>>,
    }
    constants {
        less_one: 5 = 31,
        all: 8 = 0xff,
        nothing: 8 = 0,
        no_word: 32 = 0,
        one: 8 = 1,
        gap_kind: 8 = 2,
        miss: 8 = 0x40,
        seven: 3 = 7,
        size_short: 3 = 6,
        size_rank: 3 = I - 1,
        size_kind: 3 = 1,
        size_bit: 3 = 0,
        no_byte: 3 = 0,
        one_byte: 3 = 1,
        byte_0: 2 = 0,
        byte_1: 2 = 1,
        byte_2: 2 = 2,
        byte_3: 2 = 3,
        half: 4 = 4,
        second_sum: 4 = 8,
        no_skipped: 24 = 0,
        one_skipped: 24 = 1,
        register_one: 5 = 1,
        kind_trap: 2 = 1,
    }
    check {
        assert!(I <= 8, "a rank is one chunk");
    }
}

impl<const I: usize> Logic for Encoder<I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            skipped_ff,
            many_ff,
            looked_ff,
            hit_ff,
            rank_ff,
            at_head_ff,
            at_ones_ff,
            at_tag_ff,
            at_number_ff,
            at_rank_ff,
            at_word_ff,
            at_align_ff,
            at_reason_ff,
            at_kind_ff,
            at_mode_ff,
            at_index_ff,
            at_retired_ff,
            at_cycles_ff,
            at_lost_ff,
            at_register_ff,
            busy_ff,
            byte_ff,
            kind_ff,
            operation_ff,
            trailer_ff,
            boundary_ff,
            gap_ff,
            number_ff,
            long_ff,
            value_ff,
            value_hit_ff,
            value_rank_ff,
            register_ff,
            carry_ff,
            wipes_ff,
            wipes_half_ff
        );
        // First stage: operations are looked up.
        self.operation.next = self.event_kind.val().get_bit(2);
        self.trailer.next = self.event_kind.val().get_bit(1)
            & self.event_kind.val().get_bit(0)
            & !self.event_kind.val().get_bit(3);
        self.dict_look.next =
            self.event_valid.val() & self.operation.val() & !self.looked_ff.q.val();
        self.moves.next = self.event_valid.val()
            & !self.busy_ff.q.val()
            & (self.looked_ff.q.val() | !self.operation.val());
        self.event_pop.next = self.moves.val();
        self.event_moves.next = self.moves.val();
        self.dict_empty.next = self.moves.val() & self.event_kind.val().get_bit(3);
        if self.dict_look.val() & self.dict_done.val() {
            self.hit_ff.d.next = self.dict_hit.val();
            self.rank_ff.d.next = self.dict_index.val();
            if self.event_kind.val().get_bit(0) {
                self.looked_ff.d.next = true;
            } else {
                self.event_pop.next = true;
                self.skipped_ff.d.next = self.skipped_ff.q.val() + self.one_skipped.val();
                if self.skipped_ff.q.val().get_bits::<5>(0).all() {
                    self.many_ff.d.next = true;
                }
            }
        }

        // Second stage: size of the chunk, and whether the field ends with it.
        self.short.next = self.operation_ff.q.val() & !self.long_ff.q.val();
        self.upper.next = self.byte_ff.q.val().get_bit(2);
        self.top.next = self.count_bits.val() + self.less_one.val();
        self.counts.next =
            self.at_ones_ff.q.val() | (self.at_number_ff.q.val() & !self.trailer_ff.q.val());
        self.count_ends.next = self.counts.val()
            & (self.byte_ff.q.val().get_bits::<2>(0) == self.top.val().get_bits::<2>(3));
        self.fourth.next = self.byte_ff.q.val().get_bits::<2>(0).all();
        self.size.next = self.seven.val();
        if self.count_ends.val() {
            self.size.next = self.top.val().get_bits::<3>(0);
        } else if self.at_head_ff.q.val() {
            self.size.next = self.size_bit.val();
            if self.short.val() {
                self.size.next = self.size_short.val();
            }
        } else if self.at_tag_ff.q.val() {
            self.size.next = self.size_kind.val();
            if self.operation_ff.q.val() {
                self.size.next = self.size_bit.val();
            }
        } else if self.at_rank_ff.q.val() {
            self.size.next = self.size_rank.val();
        }
        self.ends.next = self.at_head_ff.q.val()
            | self.at_tag_ff.q.val()
            | self.at_rank_ff.q.val()
            | self.at_align_ff.q.val()
            | self.at_reason_ff.q.val()
            | self.at_kind_ff.q.val()
            | self.at_mode_ff.q.val()
            | self.count_ends.val()
            | (self.fourth.val()
                & (self.upper.val()
                    | !(self.at_retired_ff.q.val()
                        | self.at_cycles_ff.q.val()
                        | self.at_lost_ff.q.val())));
        self.align.next = self.at_align_ff.q.val();
        self.last.next = self.at_reason_ff.q.val() | (self.at_lost_ff.q.val() & self.fourth.val());
        self.steps.next = self.busy_ff.q.val() & self.ready.val();
        self.turns.next = self.steps.val() & self.ends.val();
        // The upper bytes of a gap's losses are added, not written.
        self.load.next = self.steps.val() & !(self.at_lost_ff.q.val() & self.upper.val());

        // Second stage: its bits.
        self.of_value.next = self.no_word.val();
        if self.at_word_ff.q.val() {
            self.of_value.next = self.value_ff.q.val();
        }
        self.of_register.next = self.no_word.val();
        if self.at_register_ff.q.val() {
            self.of_register.next = self.register_data.val();
        }
        self.of_cycles_lo.next = self.no_word.val();
        if self.at_cycles_ff.q.val() & !self.upper.val() {
            self.of_cycles_lo.next = self.cycles_lo.val();
        }
        self.of_cycles_hi.next = self.no_word.val();
        if self.at_cycles_ff.q.val() & self.upper.val() {
            self.of_cycles_hi.next = self.cycles_hi.val();
        }
        self.of_number.next = self.no_word.val();
        if self.at_number_ff.q.val() {
            self.of_number.next = bit_cast::<32, 24>(self.number_ff.q.val());
        }
        self.of_lost_lo.next = self.no_word.val();
        if self.at_lost_ff.q.val() & !self.upper.val() {
            self.of_lost_lo.next = self.lost_lo.val();
        }
        self.of_lost_hi.next = self.no_word.val();
        if self.at_lost_ff.q.val() & self.upper.val() {
            self.of_lost_hi.next = bit_cast::<32, 8>(self.lost_hi.val());
        }
        self.word.next = self.of_value.val()
            | self.of_register.val()
            | self.of_cycles_lo.val()
            | self.of_cycles_hi.val()
            | self.of_number.val()
            | self.of_lost_lo.val()
            | self.of_lost_hi.val();
        self.byte_0_of_word.next = self.nothing.val();
        if self.byte_ff.q.val().get_bits::<2>(0) == self.byte_0.val() {
            self.byte_0_of_word.next = self.word.val().get_bits::<8>(0);
        }
        self.byte_1_of_word.next = self.nothing.val();
        if self.byte_ff.q.val().get_bits::<2>(0) == self.byte_1.val() {
            self.byte_1_of_word.next = self.word.val().get_bits::<8>(8);
        }
        self.byte_2_of_word.next = self.nothing.val();
        if self.byte_ff.q.val().get_bits::<2>(0) == self.byte_2.val() {
            self.byte_2_of_word.next = self.word.val().get_bits::<8>(16);
        }
        self.byte_3_of_word.next = self.nothing.val();
        if self.byte_ff.q.val().get_bits::<2>(0) == self.byte_3.val() {
            self.byte_3_of_word.next = self.word.val().get_bits::<8>(24);
        }
        self.of_sums.next = self.nothing.val();
        if self.at_index_ff.q.val() | self.at_retired_ff.q.val() {
            self.of_sums.next = self.sums.read_data.val();
        }
        self.of_ones.next = self.nothing.val();
        if self.at_ones_ff.q.val() {
            self.of_ones.next = !((self.all.val() << 1) << self.size.val());
        }
        self.of_rank.next = self.nothing.val();
        if self.at_rank_ff.q.val() {
            self.of_rank.next = bit_cast::<8, I>(self.value_rank_ff.q.val());
        }
        self.of_reason.next = self.nothing.val();
        if self.at_reason_ff.q.val() {
            self.of_reason.next = bit_cast::<8, 3>(self.reason.val());
        }
        self.of_mode.next = self.nothing.val();
        if self.at_mode_ff.q.val() & !self.gap_ff.q.val() {
            self.of_mode.next = bit_cast::<8, 2>(self.mode.val());
        }
        self.of_head.next = self.nothing.val();
        if self.at_head_ff.q.val() {
            self.of_head.next = self.one.val();
            if self.short.val() {
                self.of_head.next = bit_cast::<8, 5>(self.number_ff.q.val().get_bits::<5>(0)) << 1;
                if !self.value_hit_ff.q.val() {
                    self.of_head.next = self.of_head.val() | self.miss.val();
                }
            }
        }
        self.of_tag.next = self.nothing.val();
        if self.at_tag_ff.q.val() {
            self.of_tag.next = bit_cast::<8, 2>(self.kind_ff.q.val());
            if self.operation_ff.q.val() {
                self.of_tag.next = self.one.val();
                if self.value_hit_ff.q.val() {
                    self.of_tag.next = self.nothing.val();
                }
            }
        }
        self.of_kind.next = self.nothing.val();
        if self.at_kind_ff.q.val() {
            self.of_kind.next = self.one.val();
            if self.gap_ff.q.val() {
                self.of_kind.next = self.gap_kind.val();
            }
        }
        self.addend.next = self.byte_0_of_word.val()
            | self.byte_1_of_word.val()
            | self.byte_2_of_word.val()
            | self.byte_3_of_word.val();
        self.chunk.next = self.addend.val()
            | self.of_sums.val()
            | self.of_head.val()
            | self.of_ones.val()
            | self.of_tag.val()
            | self.of_rank.val()
            | self.of_reason.val()
            | self.of_kind.val()
            | self.of_mode.val();
        self.bits.next = self.chunk.val();

        // Index and retirements grow.
        self.sums.clock.next = self.clock.val();
        self.sum_address.next = bit_cast::<4, 3>(self.byte_ff.q.val());
        if self.at_word_ff.q.val() {
            self.sum_address.next = self.sum_address.val() | self.half.val();
        }
        self.wipes_ff.d.next = self.clear.val();
        self.wipes_half_ff.d.next = self.clear_half.val();
        if (self.wipes_ff.q.val() & self.wipes_half_ff.q.val())
            | (!self.wipes_ff.q.val() & !self.at_index_ff.q.val())
        {
            self.sum_address.next = self.sum_address.val() | self.second_sum.val();
        }
        self.sums.read_address.next = self.sum_address.val();
        self.sums.write_address.next = self.sum_address.val();
        self.adds.next = self.at_index_ff.q.val()
            | self.at_lost_ff.q.val()
            | (self.trailer_ff.q.val() & (self.at_number_ff.q.val() | self.at_word_ff.q.val()));
        if self.at_word_ff.q.val() {
            self.addend.next = self.nothing.val();
        }
        self.sum.next = bit_cast::<9, 8>(self.sums.read_data.val())
            + bit_cast::<9, 8>(self.addend.val())
            + self.carry_ff.q.val();
        self.sums.write_enable.next = (self.steps.val() & self.adds.val()) | self.wipes_ff.q.val();
        self.sums.write_data.next = self.sum.val().get_bits::<8>(0);
        if self.wipes_ff.q.val() {
            self.sums.write_data.next = self.nothing.val();
        }
        if self.steps.val() {
            self.carry_ff.d.next =
                self.at_mode_ff.q.val() | (self.adds.val() & self.sum.val().get_bit(8));
        }

        // Second stage: from byte to byte and from field to field.
        if self.steps.val() | self.clear.val() {
            self.byte_ff.d.next = self.byte_ff.q.val() + self.one_byte.val();
        }
        self.header_done.next =
            self.turns.val() & self.at_register_ff.q.val() & self.register_ff.q.val().all();
        self.register.next = self.register_ff.q.val();
        if self.turns.val() & self.at_register_ff.q.val() {
            self.register.next = self.register_ff.q.val() + self.register_one.val();
        }
        if self.moves.val() {
            self.register.next = self.register_one.val();
        }
        self.register_ff.d.next = self.register.val();
        self.done.next = self.at_rank_ff.q.val()
            | self.at_reason_ff.q.val()
            | (self.at_number_ff.q.val()
                & !self.operation_ff.q.val()
                & !self.trailer_ff.q.val()
                & (self.kind_ff.q.val() == self.kind_trap.val()))
            | (self.at_word_ff.q.val() & !self.boundary_ff.q.val() & !self.trailer_ff.q.val())
            | (self.at_lost_ff.q.val() & !self.kind_ff.q.val().get_bit(0))
            | (self.at_register_ff.q.val() & self.register_ff.q.val().all());
        if self.turns.val() {
            self.byte_ff.d.next = self.no_byte.val();
            if self.at_lost_ff.q.val() {
                self.gap_ff.d.next = false;
            }
            if self.done.val() {
                self.busy_ff.d.next = false;
            }
        }
        // All of these are low while an event moves to the second stage.
        if self.turns.val() | self.moves.val() {
            self.at_head_ff.d.next =
                self.moves.val() & !self.event_kind.val().get_bit(3) & !self.trailer.val();
            self.at_ones_ff.d.next = self.at_head_ff.q.val() & !self.operation_ff.q.val();
            self.at_number_ff.d.next =
                (self.at_head_ff.q.val() & self.operation_ff.q.val() & self.long_ff.q.val())
                    | (self.at_tag_ff.q.val() & !self.operation_ff.q.val())
                    | self.at_align_ff.q.val();
            self.at_tag_ff.d.next =
                self.at_ones_ff.q.val() | (self.at_number_ff.q.val() & self.operation_ff.q.val());
            self.at_rank_ff.d.next = ((self.at_head_ff.q.val() & self.short.val())
                | (self.at_tag_ff.q.val() & self.operation_ff.q.val()))
                & self.value_hit_ff.q.val();
            self.at_word_ff.d.next = (((self.at_head_ff.q.val() & self.short.val())
                | (self.at_tag_ff.q.val() & self.operation_ff.q.val()))
                & !self.value_hit_ff.q.val())
                | (self.at_number_ff.q.val()
                    & (self.trailer_ff.q.val()
                        | (!self.operation_ff.q.val()
                            & (self.kind_ff.q.val() != self.kind_trap.val()))))
                | (self.at_cycles_ff.q.val() & !self.gap_ff.q.val());
            self.at_align_ff.d.next = self.moves.val() & self.trailer.val();
            self.at_reason_ff.d.next = self.at_word_ff.q.val() & self.trailer_ff.q.val();
            self.at_kind_ff.d.next = (self.moves.val() & self.event_kind.val().get_bit(3))
                | (self.at_lost_ff.q.val() & self.kind_ff.q.val().get_bit(0));
            self.at_mode_ff.d.next = self.at_kind_ff.q.val();
            self.at_index_ff.d.next = self.at_mode_ff.q.val();
            self.at_retired_ff.d.next = self.at_index_ff.q.val();
            self.at_cycles_ff.d.next = self.at_retired_ff.q.val();
            self.at_lost_ff.d.next = self.at_cycles_ff.q.val() & self.gap_ff.q.val();
            self.at_register_ff.d.next = (self.at_word_ff.q.val() & self.boundary_ff.q.val())
                | (self.at_register_ff.q.val() & !self.register_ff.q.val().all());
        }

        // An event moves from the first to the second stage.
        self.number.next = self.event_position.val();
        if self.operation.val() {
            self.number.next = self.skipped_ff.q.val();
        }
        if self.moves.val() {
            self.busy_ff.d.next = true;
            self.looked_ff.d.next = false;
            self.byte_ff.d.next = self.no_byte.val();
            self.kind_ff.d.next = self.event_kind.val().get_bits::<2>(0);
            self.operation_ff.d.next = self.operation.val();
            self.trailer_ff.d.next = self.trailer.val();
            self.boundary_ff.d.next = self.event_kind.val().get_bit(3);
            self.gap_ff.d.next = self.event_kind.val().get_bit(1);
            self.value_ff.d.next = self.event_value.val();
            self.value_hit_ff.d.next = self.hit_ff.q.val();
            self.value_rank_ff.d.next = self.rank_ff.q.val();
            // The position of the last instruction makes the number of instructions.
            self.number_ff.d.next = self.number.val() + self.trailer.val();
            self.long_ff.d.next = self.many_ff.q.val();
        }
        self.idle.next = !self.busy_ff.q.val();
        if (self.moves.val() & (self.operation.val() | self.trailer.val())) | self.clear.val() {
            self.skipped_ff.d.next = self.no_skipped.val();
            self.many_ff.d.next = false;
        }
        if self.clear.val() {
            self.looked_ff.d.next = false;
            self.busy_ff.d.next = false;
            self.at_head_ff.d.next = false;
            self.at_ones_ff.d.next = false;
            self.at_tag_ff.d.next = false;
            self.at_number_ff.d.next = false;
            self.at_rank_ff.d.next = false;
            self.at_word_ff.d.next = false;
            self.at_align_ff.d.next = false;
            self.at_reason_ff.d.next = false;
            self.at_kind_ff.d.next = false;
            self.at_mode_ff.d.next = false;
            self.at_index_ff.d.next = false;
            self.at_retired_ff.d.next = false;
            self.at_cycles_ff.d.next = false;
            self.at_lost_ff.d.next = false;
            self.at_register_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Encoder::<6>::default(), "lookback_encoder");
    }
}
