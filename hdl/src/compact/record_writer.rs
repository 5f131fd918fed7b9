//! The bytes around the entries: headers and trailers of intervals (section 10.7 of the log format) and
//! gaps (section 4).
//!
//! ```text
//!  boundary: ─(gap)─► kind ─► zero ─► index ─► retired ─► cycles ─► lost
//!            ─(open)► kind ─► index ─► retired ─► cycles ─► pc          (numbers of seven bits a byte)
//!  end:      instructions ─► digest ─► reason
//! ```
//! A byte a cycle. An event is begun when the coder has sent all of the interval before, so that bytes
//! of both never meet. Index and retirements are counted here by what is written. Cycles and losses
//! stand still until `header_done`.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

/// What is written.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Field {
    /// nothing
    Idle,
    /// the first byte of a record
    Kind,
    /// the second one of a gap
    Zero,
    /// index of the record
    Index,
    /// retirements before it
    Retired,
    /// cycles before it
    Cycles,
    /// retirements lost in a gap
    Lost,
    /// address of the first instruction
    Pc,
    /// instructions of an interval
    Count,
    /// its digest
    Digest,
    /// why it ended
    Reason,
}

circuit! {
    /// Writes records around their entries.
    pub struct RecordWriter [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins
        pub clear: Signal<In, Bit>,
        /// there is an event
        pub event_valid: Signal<In, Bit>,
        /// its kind, see `sequencer`
        pub event_kind: Signal<In, Bits<4>>,
        /// what else it has
        pub event_extra: Signal<In, Bits<24>>,
        /// its value
        pub event_value: Signal<In, Bits<32>>,
        /// all bins of the interval are with the coder
        pub closed: Signal<In, Bit>,
        /// the coder has sent everything
        pub coder_idle: Signal<In, Bit>,
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
        /// the byte is taken
        pub byte_ready: Signal<In, Bit>,
        /// a byte
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it ends a record
        pub byte_last: Signal<Out, Bit>,
        /// the event is taken
        pub event_pop: Signal<Out, Bit>,
        /// a key interval begins
        pub forget: Signal<Out, Bit>,
        /// the header is written
        pub header_done: Signal<Out, Bit>,
        /// nothing is under way
        pub idle: Signal<Out, Bit>,
        field_ff: DFF<Field>,
        /// a gap is written, not an interval
        gap_ff: DFF<Bit>,
        byte_ff: DFF<Bits<3>>,
        shift_lo_ff: DFF<Bits<32>>,
        shift_hi_ff: DFF<Bits<32>>,
        index_ff: DFF<Bits<32>>,
        retired_lo_ff: DFF<Bits<32>>,
        retired_hi_ff: DFF<Bits<32>>,
        boundary: Signal<Local, Bit>,
        trailer: Signal<Local, Bit>,
        begins: Signal<Local, Bit>,
        sevens: Signal<Local, Bit>,
        more: Signal<Local, Bit>,
        third: Signal<Local, Bit>,
        fourth: Signal<Local, Bit>,
        eighth: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        steps: Signal<Local, Bit>,
        turns: Signal<Local, Bit>,
        crossing: Signal<Local, Bits<8>>,
        addend_lo: Signal<Local, Bits<32>>,
        addend_hi: Signal<Local, Bits<32>>,
        sum_lo: Signal<Local, Bits<32>>,
        carry: Signal<Local, Bit>,
        carried: Signal<Local, Bits<32>>,
        sum_hi: Signal<Local, Bits<32>>,
        adds: Signal<Local, Bit>,
        kind: Signal<Local, Bits<8>>,
    }
    constants {
        kind_last: 4 = 4,
        no_byte: 8 = 0,
        gap_kind: 8 = 2,
        interval_kind: 8 = 3,
        key_bit: 8 = 0x40,
        more_bit: 8 = 0x80,
        first: 3 = 0,
        one_byte: 3 = 1,
        place_2: 3 = 2,
        place_3: 3 = 3,
        none: 32 = 0,
        one: 32 = 1,
    }
}

impl Logic for RecordWriter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            field_ff,
            gap_ff,
            byte_ff,
            shift_lo_ff,
            shift_hi_ff,
            index_ff,
            retired_lo_ff,
            retired_hi_ff
        );
        self.boundary.next = self.event_kind.val().get_bit(3);
        self.trailer.next = (self.event_kind.val() == self.kind_last.val()) & self.closed.val();
        self.begins.next = self.event_valid.val()
            & (self.boundary.val() | self.trailer.val())
            & self.coder_idle.val()
            & (self.field_ff.q.val() == Field::Idle);
        self.forget.next =
            self.begins.val() & self.boundary.val() & self.event_kind.val().get_bit(2);
        self.idle.next = self.field_ff.q.val() == Field::Idle;

        // The byte. Numbers of an interval have seven bits a byte.
        self.sevens.next = !self.gap_ff.q.val()
            & ((self.field_ff.q.val() == Field::Index)
                | (self.field_ff.q.val() == Field::Retired)
                | (self.field_ff.q.val() == Field::Cycles));
        self.more.next =
            self.shift_hi_ff.q.val().any() | self.shift_lo_ff.q.val().get_bits::<25>(7).any();
        self.kind.next = self.interval_kind.val() | (bit_cast::<8, 2>(self.mode.val()) << 4);
        if self.event_kind.val().get_bit(2) {
            self.kind.next = self.kind.val() | self.key_bit.val();
        }
        if self.gap_ff.q.val() {
            self.kind.next = self.gap_kind.val();
        }
        self.byte_data.next = self.shift_lo_ff.q.val().get_bits::<8>(0);
        if self.sevens.val() {
            self.byte_data.next = bit_cast::<8, 7>(self.shift_lo_ff.q.val().get_bits::<7>(0));
            if self.more.val() {
                self.byte_data.next = bit_cast::<8, 7>(self.shift_lo_ff.q.val().get_bits::<7>(0))
                    | self.more_bit.val();
            }
        }
        if self.field_ff.q.val() == Field::Kind {
            self.byte_data.next = self.kind.val();
        } else if self.field_ff.q.val() == Field::Zero {
            self.byte_data.next = self.no_byte.val();
        } else if self.field_ff.q.val() == Field::Reason {
            self.byte_data.next = bit_cast::<8, 3>(self.reason.val());
        }
        self.byte_valid.next = self.field_ff.q.val() != Field::Idle;
        self.steps.next = self.byte_valid.val() & self.byte_ready.val();

        // Whether the field ends with it.
        self.third.next = self.byte_ff.q.val() == self.place_2.val();
        self.fourth.next = self.byte_ff.q.val() == self.place_3.val();
        self.eighth.next = self.byte_ff.q.val().all();
        self.ends.next = self.fourth.val();
        if self.sevens.val() {
            self.ends.next = !self.more.val();
        } else if (self.field_ff.q.val() == Field::Retired)
            | (self.field_ff.q.val() == Field::Cycles)
        {
            self.ends.next = self.eighth.val();
        } else if self.field_ff.q.val() == Field::Count {
            self.ends.next = self.third.val();
        } else if (self.field_ff.q.val() == Field::Kind)
            | (self.field_ff.q.val() == Field::Zero)
            | (self.field_ff.q.val() == Field::Reason)
        {
            self.ends.next = true;
        }
        self.turns.next = self.steps.val() & self.ends.val();
        self.byte_last.next = (self.field_ff.q.val() == Field::Reason)
            | ((self.field_ff.q.val() == Field::Lost) & self.fourth.val());

        // The number moves on, by seven bits or by eight.
        self.crossing.next = self.shift_hi_ff.q.val().get_bits::<8>(0);
        if self.steps.val() {
            self.byte_ff.d.next = self.byte_ff.q.val() + self.one_byte.val();
            self.shift_lo_ff.d.next =
                bit_cast::<32, 24>(self.shift_lo_ff.q.val().get_bits::<24>(8))
                    | (bit_cast::<32, 8>(self.crossing.val()) << 24);
            self.shift_hi_ff.d.next = self.shift_hi_ff.q.val() >> 8;
            if self.sevens.val() {
                self.shift_lo_ff.d.next =
                    bit_cast::<32, 25>(self.shift_lo_ff.q.val().get_bits::<25>(7))
                        | (bit_cast::<32, 8>(self.crossing.val()) << 25);
                self.shift_hi_ff.d.next = self.shift_hi_ff.q.val() >> 7;
            }
        }

        // From field to field.
        self.header_done.next = false;
        self.event_pop.next = false;
        if self.begins.val() {
            self.byte_ff.d.next = self.first.val();
            self.gap_ff.d.next = self.event_kind.val().get_bit(1) & self.boundary.val();
            self.field_ff.d.next = Field::Kind;
            if self.trailer.val() {
                self.field_ff.d.next = Field::Count;
                self.shift_lo_ff.d.next =
                    bit_cast::<32, 24>(self.event_extra.val()) + self.one.val();
                self.shift_hi_ff.d.next = self.none.val();
            }
        }
        if self.turns.val() {
            self.byte_ff.d.next = self.first.val();
            match self.field_ff.q.val() {
                Field::Kind => {
                    self.field_ff.d.next = Field::Index;
                    if self.gap_ff.q.val() {
                        self.field_ff.d.next = Field::Zero;
                    }
                    self.shift_lo_ff.d.next = self.index_ff.q.val();
                    self.shift_hi_ff.d.next = self.none.val();
                }
                Field::Zero => {
                    self.field_ff.d.next = Field::Index;
                    self.shift_lo_ff.d.next = self.index_ff.q.val();
                    self.shift_hi_ff.d.next = self.none.val();
                }
                Field::Index => {
                    self.field_ff.d.next = Field::Retired;
                    self.index_ff.d.next = self.index_ff.q.val() + self.one.val();
                    self.shift_lo_ff.d.next = self.retired_lo_ff.q.val();
                    self.shift_hi_ff.d.next = self.retired_hi_ff.q.val();
                }
                Field::Retired => {
                    self.field_ff.d.next = Field::Cycles;
                    self.shift_lo_ff.d.next = self.cycles_lo.val();
                    self.shift_hi_ff.d.next = self.cycles_hi.val();
                }
                Field::Cycles => {
                    self.field_ff.d.next = Field::Pc;
                    self.shift_lo_ff.d.next = self.event_value.val();
                    if self.gap_ff.q.val() {
                        self.field_ff.d.next = Field::Lost;
                        self.shift_lo_ff.d.next = self.lost_lo.val();
                    }
                }
                Field::Lost => {
                    self.gap_ff.d.next = false;
                    self.field_ff.d.next = Field::Kind;
                    if !self.event_kind.val().get_bit(0) {
                        self.field_ff.d.next = Field::Idle;
                        self.event_pop.next = true;
                    }
                }
                Field::Pc => {
                    self.field_ff.d.next = Field::Idle;
                    self.event_pop.next = true;
                    self.header_done.next = true;
                }
                Field::Count => {
                    self.field_ff.d.next = Field::Digest;
                    self.shift_lo_ff.d.next = self.event_value.val();
                }
                Field::Digest => {
                    self.field_ff.d.next = Field::Reason;
                }
                Field::Reason => {
                    self.field_ff.d.next = Field::Idle;
                    self.event_pop.next = true;
                }
                _ => {
                    self.field_ff.d.next = Field::Idle;
                }
            }
        }

        // Retirements grow by the instructions of an interval, and by those of a gap.
        self.adds.next = self.turns.val()
            & ((self.field_ff.q.val() == Field::Reason) | (self.field_ff.q.val() == Field::Lost));
        self.addend_lo.next = bit_cast::<32, 24>(self.event_extra.val()) + self.one.val();
        self.addend_hi.next = self.none.val();
        if self.gap_ff.q.val() {
            self.addend_lo.next = self.lost_lo.val();
            self.addend_hi.next = bit_cast::<32, 8>(self.lost_hi.val());
        }
        self.sum_lo.next = self.retired_lo_ff.q.val() + self.addend_lo.val();
        self.carry.next = self.sum_lo.val() < self.addend_lo.val();
        self.carried.next = self.none.val();
        if self.carry.val() {
            self.carried.next = self.one.val();
        }
        self.sum_hi.next = self.retired_hi_ff.q.val() + self.addend_hi.val() + self.carried.val();
        if self.adds.val() {
            self.retired_lo_ff.d.next = self.sum_lo.val();
            self.retired_hi_ff.d.next = self.sum_hi.val();
        }
        if self.clear.val() {
            self.field_ff.d.next = Field::Idle;
            self.gap_ff.d.next = false;
            self.index_ff.d.next = self.none.val();
            self.retired_lo_ff.d.next = self.none.val();
            self.retired_hi_ff.d.next = self.none.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(RecordWriter::default(), "lookback_compact_record_writer");
    }
}
