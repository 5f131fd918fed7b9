//! The plain coder: a bin of any kind is a bit, section 10.6 of the log format. Twin of
//! `lookback_model::compact::bins`; takes the place of `range_coder` in a recorder without its multiplier
//! and its block RAM for contexts.
//!
//! ```text
//!  bin ──► place in the byte that is not full yet ──► byte
//! ```
//! One bin a cycle, the first of a byte at bit 0; only a byte that is not taken makes it wait. The end of
//! an interval fills the last byte up with zeros. Nothing is learnt, so contexts mean nothing; there
//! are no direct bytes, because nothing is hurried.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Kinds of bin: 0 and 1 a bit, 3 end of the interval; 2 (a direct byte) never comes.
    pub struct PlainCoder [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: forget everything
        pub wipe: Signal<In, Bit>,
        /// there is a bin
        pub bin_valid: Signal<In, Bit>,
        /// its kind
        pub bin_kind: Signal<In, Bits<2>>,
        /// its value
        pub bin_one: Signal<In, Bit>,
        /// it is taken
        pub bin_ready: Signal<Out, Bit>,
        /// a byte of the entries
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it is taken
        pub byte_ready: Signal<In, Bit>,
        /// no whole byte is under way
        pub idle: Signal<Out, Bit>,
        /// the byte that is not full yet, and a bit at the place of the next bin
        part_ff: DFF<Bits<8>>,
        place_ff: DFF<Bits<8>>,
        sends_ff: DFF<Bit>,
        sent_ff: DFF<Bits<8>>,
        takes: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        place: Signal<Local, Bits<8>>,
        joined: Signal<Local, Bits<8>>,
    }
    constants {
        no_byte: 8 = 0,
        first: 8 = 1,
    }
}

impl Logic for PlainCoder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, part_ff, place_ff, sends_ff, sent_ff);
        self.byte_valid.next = self.sends_ff.q.val();
        self.byte_data.next = self.sent_ff.q.val();
        self.idle.next = !self.sends_ff.q.val();
        self.bin_ready.next = !self.sends_ff.q.val() | self.byte_ready.val();
        self.takes.next = self.bin_valid.val() & self.bin_ready.val();
        self.ends.next = self.bin_kind.val().all();

        // No place is marked before the first bin of a byte.
        self.place.next = self.place_ff.q.val();
        if !self.place_ff.q.val().any() {
            self.place.next = self.first.val();
        }
        self.joined.next = self.part_ff.q.val();
        if self.bin_one.val() & !self.ends.val() {
            self.joined.next = self.part_ff.q.val() | self.place.val();
        }
        if self.byte_ready.val() {
            self.sends_ff.d.next = false;
        }
        if self.takes.val() {
            self.part_ff.d.next = self.joined.val();
            self.place_ff.d.next = self.place.val() << 1;
            if self.ends.val() {
                self.sends_ff.d.next = self.place_ff.q.val().any();
                self.place_ff.d.next = self.no_byte.val();
            } else if self.place.val().get_bit(7) {
                self.sends_ff.d.next = true;
            }
            if self.ends.val() | self.place.val().get_bit(7) {
                self.sent_ff.d.next = self.joined.val();
                self.part_ff.d.next = self.no_byte.val();
            }
        }
        if self.wipe.val() {
            self.part_ff.d.next = self.no_byte.val();
            self.place_ff.d.next = self.no_byte.val();
            self.sends_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(PlainCoder::default(), "lookback_compact_plain_coder");
    }
}
