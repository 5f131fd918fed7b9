//! Looks operations up in the dictionary and counts those that are not logged: the first stage of
//! `encoder`.
//!
//! ```text
//!  event FIFO ─► operation? ─► dictionary ─┬─ not logged ──► counted
//!                    └─ no ────────────────┴─ logged ──────► valid, number, hit, rank ◄─ taken
//! ```
//! Operations that are not logged end here. What is logged waits, with what was found, until it is taken.

use rust_hdl::prelude::*;

circuit! {
    /// First stage; dictionary ranks have `I` bits.
    pub struct LookUp [I] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins
        pub clear: Signal<In, Bit>,
        /// there is an event
        pub event_valid: Signal<In, Bit>,
        /// its kind, see `sequencer`
        pub event_kind: Signal<In, Bits<4>>,
        /// its position
        pub event_position: Signal<In, Bits<24>>,
        /// it is over
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
        /// the event can be written
        pub valid: Signal<Out, Bit>,
        /// operations before it, or its position
        pub number: Signal<Out, Bits<24>>,
        /// 32 or more operations before it
        pub long: Signal<Out, Bit>,
        /// it is in the dictionary
        pub hit: Signal<Out, Bit>,
        /// there
        pub rank: Signal<Out, Bits<I>>,
        /// it is taken
        pub taken: Signal<In, Bit>,
        skipped_ff: DFF<Bits<24>>,
        many_ff: DFF<Bit>,
        looked_ff: DFF<Bit>,
        hit_ff: DFF<Bit>,
        rank_ff: DFF<Bits<I>>,
        operation: Signal<Local, Bit>,
        trailer: Signal<Local, Bit>,
    }
    constants {
        no_skipped: 24 = 0,
        one_skipped: 24 = 1,
    }
}

impl<const I: usize> Logic for LookUp<I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, skipped_ff, many_ff, looked_ff, hit_ff, rank_ff);
        self.operation.next = self.event_kind.val().get_bit(2);
        self.trailer.next = self.event_kind.val().get_bit(1)
            & self.event_kind.val().get_bit(0)
            & !self.event_kind.val().get_bit(3);
        self.dict_look.next =
            self.event_valid.val() & self.operation.val() & !self.looked_ff.q.val();
        self.valid.next = self.event_valid.val() & (self.looked_ff.q.val() | !self.operation.val());
        self.event_pop.next = self.taken.val();
        self.dict_empty.next = self.taken.val() & self.event_kind.val().get_bit(3);
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
        self.number.next = self.event_position.val();
        if self.operation.val() {
            self.number.next = self.skipped_ff.q.val();
        }
        self.long.next = self.many_ff.q.val();
        self.hit.next = self.hit_ff.q.val();
        self.rank.next = self.rank_ff.q.val();
        if self.taken.val() {
            self.looked_ff.d.next = false;
        }
        if (self.taken.val() & (self.operation.val() | self.trailer.val())) | self.clear.val() {
            self.skipped_ff.d.next = self.no_skipped.val();
            self.many_ff.d.next = false;
        }
        if self.clear.val() {
            self.looked_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(LookUp::<6>::default(), "lookback_look_up");
    }
}
