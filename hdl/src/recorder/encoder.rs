//! Turns events into the fields of an interval: sections 2 and 4 of the log format. Twin of
//! `lookback_model::encoder`.
//!
//! ```text
//!  event FIFO ─► look up (dictionary) ─► write: header, entries, trailer ─► packer
//! ```
//! Two stages, so that the dictionary already searches the next value while an entry is written.
//! An operation that is not logged ends in the first stage. Header, gap and trailer take their
//! numbers from copies that stand still until `header_done`.
//!
//! The second stage has one register for each field (`at_…`), of which at most one is set, and the
//! field is the OR of all sources gated by them: a choice by number takes twice the logic.
//!
//! ```text
//!  operation: count ─(long)─► rank ─(not in the dictionary)─► word
//!  escape:    escape ─► place ─► word
//!  end:       align ─► total ─► digest ─► reason
//!  boundary:  kind ─► index ─► retired ─► cycles ─(gap)─► lost ─► kind …
//!                                            └──► word (pc) ─► register 1 … 31
//! ```

use rust_hdl::prelude::*;

circuit! {
    /// Event encoder; dictionary ranks have `I` bits.
    pub struct Encoder [I] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins
        pub clear: Signal<In, Bit>,
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
        /// retirements before it
        pub retired_lo: Signal<In, Bits<32>>,
        /// high half
        pub retired_hi: Signal<In, Bits<32>>,
        /// cycles before it
        pub cycles_lo: Signal<In, Bits<32>>,
        /// high half
        pub cycles_hi: Signal<In, Bits<32>>,
        /// retirements before the gap
        pub gap_retired_lo: Signal<In, Bits<32>>,
        /// high half
        pub gap_retired_hi: Signal<In, Bits<32>>,
        /// retirements lost in the gap
        pub gap_lost: Signal<In, Bits<32>>,
        /// instructions of the interval that ended
        pub total: Signal<In, Bits<24>>,
        /// its digest
        pub digest: Signal<In, Bits<32>>,
        /// why it ended
        pub reason: Signal<In, Bits<3>>,
        /// register to read
        pub register: Signal<Out, Bits<5>>,
        /// its value
        pub register_data: Signal<In, Bits<32>>,
        /// the header is written
        pub header_done: Signal<Out, Bit>,
        /// packer: take a field
        pub load: Signal<Out, Bit>,
        /// packer: the field
        pub field: Signal<Out, Bits<32>>,
        /// packer: its width
        pub width: Signal<Out, Bits<6>>,
        /// packer: zero bits up to a byte
        pub align: Signal<Out, Bit>,
        /// packer: the record ends
        pub last: Signal<Out, Bit>,
        /// packer: a field is taken
        pub ready: Signal<In, Bit>,
        /// packer: no field is under way
        pub packer_empty: Signal<In, Bit>,
        /// nothing is left to write
        pub idle: Signal<Out, Bit>,
        skipped_ff: DFF<Bits<24>>,
        looked_ff: DFF<Bit>,
        hit_ff: DFF<Bit>,
        rank_ff: DFF<Bits<I>>,
        at_count_ff: DFF<Bit>,
        at_rank_ff: DFF<Bit>,
        at_word_ff: DFF<Bit>,
        at_escape_ff: DFF<Bit>,
        at_place_ff: DFF<Bit>,
        at_align_ff: DFF<Bit>,
        at_total_ff: DFF<Bit>,
        at_digest_ff: DFF<Bit>,
        at_reason_ff: DFF<Bit>,
        at_kind_ff: DFF<Bit>,
        at_index_ff: DFF<Bit>,
        at_retired_lo_ff: DFF<Bit>,
        at_retired_hi_ff: DFF<Bit>,
        at_cycles_lo_ff: DFF<Bit>,
        at_cycles_hi_ff: DFF<Bit>,
        at_lost_ff: DFF<Bit>,
        at_register_ff: DFF<Bit>,
        busy_ff: DFF<Bit>,
        kind_ff: DFF<Bits<2>>,
        boundary_ff: DFF<Bit>,
        opens_ff: DFF<Bit>,
        gap_ff: DFF<Bit>,
        number_ff: DFF<Bits<24>>,
        value_ff: DFF<Bits<32>>,
        value_hit_ff: DFF<Bit>,
        value_rank_ff: DFF<Bits<I>>,
        index_ff: DFF<Bits<32>>,
        register_ff: DFF<Bits<5>>,
        operation: Signal<Local, Bit>,
        moves: Signal<Local, Bit>,
        go: Signal<Local, Bit>,
        done: Signal<Local, Bit>,
        short: Signal<Local, Bit>,
        ranked: Signal<Local, Bits<32>>,
        rank_width: Signal<Local, Bits<6>>,
        full_width: Signal<Local, Bits<6>>,
        gap_lo: Signal<Local, Bit>,
        gap_hi: Signal<Local, Bit>,
    }
    constants {
        one: 32 = 1,
        zero: 32 = 0,
        ones: 32 = 0xffff_ffffu32,
        gap_kind: 32 = 2,
        no_width: 6 = 0,
        width_1: 6 = 1,
        width_6: 6 = 6,
        width_8: 6 = 8,
        width_16: 6 = 16,
        width_32: 6 = 32,
        width_rank: 6 = I + 1,
        no_skipped: 24 = 0,
        one_skipped: 24 = 1,
        register_one: 5 = 1,
        kind_trap: 2 = 1,
        kind_last: 4 = 3,
    }
}

impl<const I: usize> Logic for Encoder<I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            skipped_ff,
            looked_ff,
            hit_ff,
            rank_ff,
            at_count_ff,
            at_rank_ff,
            at_word_ff,
            at_escape_ff,
            at_place_ff,
            at_align_ff,
            at_total_ff,
            at_digest_ff,
            at_reason_ff,
            at_kind_ff,
            at_index_ff,
            at_retired_lo_ff,
            at_retired_hi_ff,
            at_cycles_lo_ff,
            at_cycles_hi_ff,
            at_lost_ff,
            at_register_ff,
            busy_ff,
            kind_ff,
            boundary_ff,
            opens_ff,
            gap_ff,
            number_ff,
            value_ff,
            value_hit_ff,
            value_rank_ff,
            index_ff,
            register_ff
        );
        // First stage: operations are looked up.
        self.operation.next = self.event_kind.val().get_bit(2) & !self.event_kind.val().get_bit(3);
        self.dict_look.next =
            self.event_valid.val() & self.operation.val() & !self.looked_ff.q.val();
        self.moves.next = self.event_valid.val()
            & !self.busy_ff.q.val()
            & (self.looked_ff.q.val() | !self.operation.val());
        self.event_pop.next = self.moves.val();
        self.dict_empty.next = self.moves.val() & self.event_kind.val().get_bit(3);
        if self.dict_look.val() & self.dict_done.val() {
            self.hit_ff.d.next = self.dict_hit.val();
            self.rank_ff.d.next = self.dict_index.val();
            if self.event_kind.val().get_bit(0) {
                self.looked_ff.d.next = true;
            } else {
                self.event_pop.next = true;
                self.skipped_ff.d.next = self.skipped_ff.q.val() + self.one_skipped.val();
            }
        }

        // Second stage: the field.
        self.short.next = !self.number_ff.q.val().get_bits::<19>(5).any();
        self.ranked.next = self.one.val();
        self.rank_width.next = self.width_1.val();
        if self.value_hit_ff.q.val() {
            self.ranked.next = bit_cast::<32, I>(self.value_rank_ff.q.val()) << 1;
            self.rank_width.next = self.width_rank.val();
        }
        self.full_width.next = bit_cast::<6, 5>(self.count_bits.val()) + self.width_1.val();
        self.gap_lo.next = self.at_retired_lo_ff.q.val() & self.gap_ff.q.val();
        self.gap_hi.next = self.at_retired_hi_ff.q.val() & self.gap_ff.q.val();
        self.field.next = self.zero.val();
        self.width.next = self.no_width.val();
        if self.at_count_ff.q.val() {
            self.field.next = bit_cast::<32, 24>(self.number_ff.q.val()) << 1;
            if self.short.val() {
                self.field.next = self.field.val() | (self.ranked.val() << 6);
                self.width.next = self.rank_width.val() + self.width_6.val();
            } else {
                self.field.next = self.field.val() | self.one.val();
                self.width.next = self.full_width.val();
            }
        }
        if self.at_rank_ff.q.val() {
            self.field.next = self.field.val() | self.ranked.val();
            self.width.next = self.width.val() | self.rank_width.val();
        }
        if self.at_escape_ff.q.val() {
            self.field.next = self.field.val() | self.ones.val();
            self.width.next = self.width.val() | self.full_width.val();
        }
        if self.at_place_ff.q.val() {
            self.field.next = self.field.val()
                | (bit_cast::<32, 24>(self.number_ff.q.val()) << 2)
                | bit_cast::<32, 2>(self.kind_ff.q.val());
            self.width.next = self.width.val() | (self.full_width.val() + self.width_1.val());
        }
        if self.at_reason_ff.q.val() {
            self.field.next = self.field.val() | bit_cast::<32, 3>(self.reason.val());
            self.width.next = self.width.val() | self.width_8.val();
        }
        if self.at_kind_ff.q.val() {
            self.width.next = self.width.val() | self.width_16.val();
            if self.gap_ff.q.val() {
                self.field.next = self.field.val() | self.gap_kind.val();
            } else {
                self.field.next =
                    self.field.val() | (bit_cast::<32, 2>(self.mode.val()) << 8) | self.one.val();
            }
        }
        if self.at_word_ff.q.val()
            | self.at_total_ff.q.val()
            | self.at_digest_ff.q.val()
            | self.at_index_ff.q.val()
            | self.at_retired_lo_ff.q.val()
            | self.at_retired_hi_ff.q.val()
            | self.at_cycles_lo_ff.q.val()
            | self.at_cycles_hi_ff.q.val()
            | self.at_lost_ff.q.val()
            | self.at_register_ff.q.val()
        {
            self.width.next = self.width.val() | self.width_32.val();
        }
        if self.at_word_ff.q.val() {
            self.field.next = self.field.val() | self.value_ff.q.val();
        }
        if self.at_total_ff.q.val() {
            self.field.next = self.field.val() | bit_cast::<32, 24>(self.total.val());
        }
        if self.at_digest_ff.q.val() {
            self.field.next = self.field.val() | self.digest.val();
        }
        if self.at_index_ff.q.val() {
            self.field.next = self.field.val() | self.index_ff.q.val();
        }
        if self.at_retired_lo_ff.q.val() & !self.gap_ff.q.val() {
            self.field.next = self.field.val() | self.retired_lo.val();
        }
        if self.at_retired_hi_ff.q.val() & !self.gap_ff.q.val() {
            self.field.next = self.field.val() | self.retired_hi.val();
        }
        if self.gap_lo.val() {
            self.field.next = self.field.val() | self.gap_retired_lo.val();
        }
        if self.gap_hi.val() {
            self.field.next = self.field.val() | self.gap_retired_hi.val();
        }
        if self.at_cycles_lo_ff.q.val() {
            self.field.next = self.field.val() | self.cycles_lo.val();
        }
        if self.at_cycles_hi_ff.q.val() {
            self.field.next = self.field.val() | self.cycles_hi.val();
        }
        if self.at_lost_ff.q.val() {
            self.field.next = self.field.val() | self.gap_lost.val();
        }
        if self.at_register_ff.q.val() {
            self.field.next = self.field.val() | self.register_data.val();
        }
        self.align.next = self.at_align_ff.q.val();
        self.last.next = self.at_reason_ff.q.val() | self.at_lost_ff.q.val();
        self.go.next = self.busy_ff.q.val()
            & self.ready.val()
            & (self.packer_empty.val() | !self.at_align_ff.q.val());
        self.load.next = self.go.val();
        self.register.next = self.register_ff.q.val();
        self.header_done.next = false;
        self.done.next = false;

        // Second stage: from field to field.
        if self.go.val() {
            self.at_count_ff.d.next = false;
            self.at_rank_ff.d.next = self.at_count_ff.q.val() & !self.short.val();
            self.at_word_ff.d.next = (((self.at_count_ff.q.val() & self.short.val())
                | self.at_rank_ff.q.val())
                & !self.value_hit_ff.q.val())
                | (self.at_place_ff.q.val() & (self.kind_ff.q.val() != self.kind_trap.val()))
                | (self.at_cycles_hi_ff.q.val() & !self.gap_ff.q.val());
            self.at_escape_ff.d.next = false;
            self.at_place_ff.d.next = self.at_escape_ff.q.val();
            self.at_align_ff.d.next = false;
            self.at_total_ff.d.next = self.at_align_ff.q.val();
            self.at_digest_ff.d.next = self.at_total_ff.q.val();
            self.at_reason_ff.d.next = self.at_digest_ff.q.val();
            self.at_kind_ff.d.next = self.at_lost_ff.q.val() & self.opens_ff.q.val();
            self.at_index_ff.d.next = self.at_kind_ff.q.val();
            self.at_retired_lo_ff.d.next = self.at_index_ff.q.val();
            self.at_retired_hi_ff.d.next = self.at_retired_lo_ff.q.val();
            self.at_cycles_lo_ff.d.next = self.at_retired_hi_ff.q.val();
            self.at_cycles_hi_ff.d.next = self.at_cycles_lo_ff.q.val();
            self.at_lost_ff.d.next = self.at_cycles_hi_ff.q.val() & self.gap_ff.q.val();
            self.at_register_ff.d.next = (self.at_word_ff.q.val() & self.boundary_ff.q.val())
                | (self.at_register_ff.q.val() & !self.register_ff.q.val().all());
            self.header_done.next = self.at_register_ff.q.val() & self.register_ff.q.val().all();
            self.done.next = (((self.at_count_ff.q.val() & self.short.val())
                | self.at_rank_ff.q.val())
                & self.value_hit_ff.q.val())
                | (self.at_place_ff.q.val() & (self.kind_ff.q.val() == self.kind_trap.val()))
                | (self.at_word_ff.q.val() & !self.boundary_ff.q.val())
                | self.at_reason_ff.q.val()
                | (self.at_lost_ff.q.val() & !self.opens_ff.q.val())
                | self.header_done.val();
            if self.at_index_ff.q.val() {
                self.index_ff.d.next = self.index_ff.q.val() + self.one.val();
            }
            if self.at_lost_ff.q.val() {
                self.gap_ff.d.next = false;
            }
            if self.at_register_ff.q.val() {
                self.register_ff.d.next = self.register_ff.q.val() + self.register_one.val();
            }
            if self.done.val() {
                self.busy_ff.d.next = false;
            }
        }

        // An event moves from the first to the second stage.
        if self.moves.val() {
            self.busy_ff.d.next = true;
            self.looked_ff.d.next = false;
            self.kind_ff.d.next = self.event_kind.val().get_bits::<2>(0);
            self.boundary_ff.d.next = self.event_kind.val().get_bit(3);
            self.opens_ff.d.next = self.event_kind.val().get_bit(0);
            self.gap_ff.d.next = self.event_kind.val().get_bit(1);
            self.value_ff.d.next = self.event_value.val();
            self.value_hit_ff.d.next = self.hit_ff.q.val();
            self.value_rank_ff.d.next = self.rank_ff.q.val();
            self.number_ff.d.next = self.event_position.val();
            self.register_ff.d.next = self.register_one.val();
            if self.operation.val() {
                self.number_ff.d.next = self.skipped_ff.q.val();
                self.skipped_ff.d.next = self.no_skipped.val();
                self.at_count_ff.d.next = true;
            } else if self.event_kind.val().get_bit(3) {
                self.at_kind_ff.d.next = true;
            } else if self.event_kind.val() == self.kind_last.val() {
                self.skipped_ff.d.next = self.no_skipped.val();
                self.at_align_ff.d.next = true;
            } else {
                self.at_escape_ff.d.next = true;
            }
        }
        self.idle.next = !self.busy_ff.q.val();
        if self.clear.val() {
            self.skipped_ff.d.next = self.no_skipped.val();
            self.looked_ff.d.next = false;
            self.busy_ff.d.next = false;
            self.at_count_ff.d.next = false;
            self.at_rank_ff.d.next = false;
            self.at_word_ff.d.next = false;
            self.at_escape_ff.d.next = false;
            self.at_place_ff.d.next = false;
            self.at_align_ff.d.next = false;
            self.at_total_ff.d.next = false;
            self.at_digest_ff.d.next = false;
            self.at_reason_ff.d.next = false;
            self.at_kind_ff.d.next = false;
            self.at_index_ff.d.next = false;
            self.at_retired_lo_ff.d.next = false;
            self.at_retired_hi_ff.d.next = false;
            self.at_cycles_lo_ff.d.next = false;
            self.at_cycles_hi_ff.d.next = false;
            self.at_lost_ff.d.next = false;
            self.at_register_ff.d.next = false;
            self.index_ff.d.next = self.zero.val();
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
