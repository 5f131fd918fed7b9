//! Turns events into the fields of an interval: sections 2 and 4 of the log format. Twin of
//! `lookback_model::encoder`.
//!
//! ```text
//!  event FIFO ─► look up (dictionary) ─► write: header, entries, trailer ─► packer
//! ```
//! Two stages, so that the dictionary already searches the next value while an entry is written.
//! An operation that is not logged ends in the first stage. Header, gap and trailer take their
//! numbers from copies that stand still until `header_done`.

use rust_hdl::prelude::*;

/// The field that is written next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Field {
    /// nothing to write
    Idle,
    /// L-count, and LV and index behind a short one
    Count,
    /// LV and index behind a long L-count
    Rank,
    /// a value, a word, an address
    Word,
    /// what tells an escape from an entry
    Escape,
    /// kind and position of an escape
    Place,
    /// zero bits up to a byte
    Align,
    /// instructions of the interval
    Total,
    /// its digest
    Digest,
    /// why it ended
    Reason,
    /// kind and mode
    Kind,
    /// index in the recording
    Index,
    /// retirements before
    RetiredLo,
    /// high half
    RetiredHi,
    /// cycles before
    CyclesLo,
    /// high half
    CyclesHi,
    /// retirements lost
    Lost,
    /// a register
    Register,
}

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
        pub event_kind: Signal<In, Bits<3>>,
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
        field_ff: DFF<Field>,
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
        short: Signal<Local, Bit>,
        wide: Signal<Local, Bits<6>>,
        ranked: Signal<Local, Bits<32>>,
        rank_width: Signal<Local, Bits<6>>,
        go: Signal<Local, Bit>,
    }
    constants {
        one: 32 = 1,
        zero: 32 = 0,
        ones: 32 = 0xffff_ffffu32,
        gap_kind: 32 = 2,
        whole: 6 = 32,
        sixteen: 6 = 16,
        eight: 6 = 8,
        six: 6 = 6,
        wide_one: 6 = 1,
        wide_two: 6 = 2,
        wide_rank: 6 = I + 1,
        no_skipped: 24 = 0,
        one_skipped: 24 = 1,
        register_one: 5 = 1,
        kind_trap: 2 = 1,
        kind_last: 3 = 3,
        kind_boundary: 3 = 6,
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
            field_ff,
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
        self.operation.next = self.event_kind.val().get_bit(2) & !self.event_kind.val().get_bit(1);
        self.dict_look.next =
            self.event_valid.val() & self.operation.val() & !self.looked_ff.q.val();
        self.moves.next = self.event_valid.val()
            & (self.field_ff.q.val() == Field::Idle)
            & (self.looked_ff.q.val() | !self.operation.val());
        self.event_pop.next = self.moves.val();
        self.dict_empty.next = false;
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

        // Second stage: the fields of an event, one after the other.
        self.short.next = !self.number_ff.q.val().get_bits::<19>(5).any();
        self.wide.next = bit_cast::<6, 5>(self.count_bits.val()) + self.wide_one.val();
        self.ranked.next = self.one.val();
        self.rank_width.next = self.wide_one.val();
        if self.value_hit_ff.q.val() {
            self.ranked.next = bit_cast::<32, I>(self.value_rank_ff.q.val()) << 1;
            self.rank_width.next = self.wide_rank.val();
        }
        self.field.next = self.value_ff.q.val();
        self.width.next = self.whole.val();
        self.align.next = false;
        self.last.next = false;
        self.header_done.next = false;
        self.go.next = self.ready.val() & (self.field_ff.q.val() != Field::Idle);
        match self.field_ff.q.val() {
            Field::Count => {
                self.field.next =
                    (bit_cast::<32, 24>(self.number_ff.q.val()) << 1) | self.one.val();
                self.width.next = self.wide.val();
                if self.short.val() {
                    self.field.next = (bit_cast::<32, 24>(self.number_ff.q.val()) << 1)
                        | (self.ranked.val() << 6);
                    self.width.next = self.rank_width.val() + self.six.val();
                }
            }
            Field::Rank => {
                self.field.next = self.ranked.val();
                self.width.next = self.rank_width.val();
            }
            Field::Escape => {
                self.field.next = self.ones.val();
                self.width.next = self.wide.val();
            }
            Field::Place => {
                self.field.next = (bit_cast::<32, 24>(self.number_ff.q.val()) << 2)
                    | bit_cast::<32, 2>(self.kind_ff.q.val());
                self.width.next = bit_cast::<6, 5>(self.count_bits.val()) + self.wide_two.val();
            }
            Field::Align => {
                self.align.next = true;
                self.go.next = self.packer_empty.val();
            }
            Field::Total => {
                self.field.next = bit_cast::<32, 24>(self.total.val());
            }
            Field::Digest => {
                self.field.next = self.digest.val();
            }
            Field::Reason => {
                self.field.next = bit_cast::<32, 3>(self.reason.val());
                self.width.next = self.eight.val();
                self.last.next = true;
            }
            Field::Kind => {
                self.field.next = (bit_cast::<32, 2>(self.mode.val()) << 8) | self.one.val();
                if self.gap_ff.q.val() {
                    self.field.next = self.gap_kind.val();
                }
                self.width.next = self.sixteen.val();
            }
            Field::Index => {
                self.field.next = self.index_ff.q.val();
            }
            Field::RetiredLo => {
                self.field.next = self.retired_lo.val();
                if self.gap_ff.q.val() {
                    self.field.next = self.gap_retired_lo.val();
                }
            }
            Field::RetiredHi => {
                self.field.next = self.retired_hi.val();
                if self.gap_ff.q.val() {
                    self.field.next = self.gap_retired_hi.val();
                }
            }
            Field::CyclesLo => {
                self.field.next = self.cycles_lo.val();
            }
            Field::CyclesHi => {
                self.field.next = self.cycles_hi.val();
            }
            Field::Lost => {
                self.field.next = self.gap_lost.val();
                self.last.next = true;
            }
            Field::Register => {
                self.field.next = self.register_data.val();
            }
            _ => {
                self.field.next = self.value_ff.q.val();
            }
        }
        self.load.next = self.go.val();
        self.register.next = self.register_ff.q.val();
        if self.go.val() {
            match self.field_ff.q.val() {
                Field::Count => {
                    self.field_ff.d.next = Field::Rank;
                    if self.short.val() {
                        self.field_ff.d.next = Field::Word;
                        if self.value_hit_ff.q.val() {
                            self.field_ff.d.next = Field::Idle;
                        }
                    }
                }
                Field::Rank => {
                    self.field_ff.d.next = Field::Word;
                    if self.value_hit_ff.q.val() {
                        self.field_ff.d.next = Field::Idle;
                    }
                }
                Field::Word => {
                    self.field_ff.d.next = Field::Idle;
                    if self.boundary_ff.q.val() {
                        self.field_ff.d.next = Field::Register;
                    }
                }
                Field::Escape => {
                    self.field_ff.d.next = Field::Place;
                }
                Field::Place => {
                    self.field_ff.d.next = Field::Word;
                    if self.kind_ff.q.val() == self.kind_trap.val() {
                        self.field_ff.d.next = Field::Idle;
                    }
                }
                Field::Align => {
                    self.field_ff.d.next = Field::Total;
                }
                Field::Total => {
                    self.field_ff.d.next = Field::Digest;
                }
                Field::Digest => {
                    self.field_ff.d.next = Field::Reason;
                }
                Field::Reason => {
                    self.field_ff.d.next = Field::Idle;
                }
                Field::Kind => {
                    self.field_ff.d.next = Field::Index;
                }
                Field::Index => {
                    self.field_ff.d.next = Field::RetiredLo;
                    self.index_ff.d.next = self.index_ff.q.val() + self.one.val();
                }
                Field::RetiredLo => {
                    self.field_ff.d.next = Field::RetiredHi;
                }
                Field::RetiredHi => {
                    self.field_ff.d.next = Field::CyclesLo;
                }
                Field::CyclesLo => {
                    self.field_ff.d.next = Field::CyclesHi;
                }
                Field::CyclesHi => {
                    self.field_ff.d.next = Field::Word;
                    if self.gap_ff.q.val() {
                        self.field_ff.d.next = Field::Lost;
                    }
                }
                Field::Lost => {
                    self.gap_ff.d.next = false;
                    self.field_ff.d.next = Field::Idle;
                    if self.opens_ff.q.val() {
                        self.field_ff.d.next = Field::Kind;
                    }
                }
                Field::Register => {
                    self.register_ff.d.next = self.register_ff.q.val() + self.register_one.val();
                    if self.register_ff.q.val().all() {
                        self.field_ff.d.next = Field::Idle;
                        self.header_done.next = true;
                    }
                }
                _ => {
                    self.field_ff.d.next = Field::Idle;
                }
            }
        }

        // An event moves from the first to the second stage.
        if self.moves.val() {
            self.looked_ff.d.next = false;
            self.kind_ff.d.next = self.event_kind.val().get_bits::<2>(0);
            self.boundary_ff.d.next = false;
            self.value_ff.d.next = self.event_value.val();
            self.value_hit_ff.d.next = self.hit_ff.q.val();
            self.value_rank_ff.d.next = self.rank_ff.q.val();
            self.number_ff.d.next = self.event_position.val();
            self.register_ff.d.next = self.register_one.val();
            if self.operation.val() {
                self.number_ff.d.next = self.skipped_ff.q.val();
                self.skipped_ff.d.next = self.no_skipped.val();
                self.field_ff.d.next = Field::Count;
            } else if self.event_kind.val() == self.kind_last.val() {
                self.skipped_ff.d.next = self.no_skipped.val();
                self.field_ff.d.next = Field::Align;
            } else if self.event_kind.val() == self.kind_boundary.val() {
                self.boundary_ff.d.next = true;
                self.opens_ff.d.next = self.event_position.val().get_bit(0);
                self.gap_ff.d.next = self.event_position.val().get_bit(1);
                self.dict_empty.next = true;
                self.field_ff.d.next = Field::Kind;
            } else {
                self.field_ff.d.next = Field::Escape;
            }
        }
        self.idle.next = self.field_ff.q.val() == Field::Idle;
        if self.clear.val() {
            self.skipped_ff.d.next = self.no_skipped.val();
            self.looked_ff.d.next = false;
            self.field_ff.d.next = Field::Idle;
            self.index_ff.d.next = self.zero.val();
            self.boundary_ff.d.next = false;
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
