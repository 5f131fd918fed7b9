//! Takes retirements from the input queue, looks them up in the first-load tags and turns them into
//! events, in the order that section 2 of the log format gives.
//!
//! ```text
//!  head of the queue ─► boundary ─► redirect ─► fetch ─► own ─► last ─► snoop ─► next head
//!                       (only the steps that the head has; tags take two cycles, all else one)
//! ```
//! Flags of a queue entry, from bit 0: open, gap, last, redirect, fetch, fetch certain, trap,
//! operation, certain, data, snoop. Masks: read, written, written by somebody else.
//!
//! Kinds of event: 0 REDIRECT, 1 TRAP, 2 FETCH (the numbers of the escapes), 3 the interval ends,
//! 4 an operation that is not logged, 5 one that is, 8 boundary: with bit 0 an interval opens, with
//! bit 1 a gap ended before. An event of kind 2 or 4 that asks is pushed before the tags have answered:
//! see `decision`.

use rust_hdl::prelude::*;

circuit! {
    /// One step a cycle, two if it needs the tags.
    pub struct Sequencer [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget what was under way
        pub clear: Signal<In, Bit>,
        /// the queue has a head
        pub valid: Signal<In, Bit>,
        /// its flags
        pub flags: Signal<In, Bits<11>>,
        /// its position
        pub position: Signal<In, Bits<24>>,
        /// its address
        pub pc: Signal<In, Bits<32>>,
        /// its word
        pub insn: Signal<In, Bits<32>>,
        /// its value
        pub value: Signal<In, Bits<32>>,
        /// its data address
        pub addr: Signal<In, Bits<30>>,
        /// its masks
        pub masks: Signal<In, Bits<12>>,
        /// the other write's address
        pub snoop_addr: Signal<In, Bits<30>>,
        /// digest of the interval that ended last
        pub digest: Signal<In, Bits<32>>,
        /// done with the head
        pub pop: Signal<Out, Bit>,
        /// tags: address
        pub tag_address: Signal<Out, Bits<30>>,
        /// tags: bytes needed
        pub tag_need: Signal<Out, Bits<4>>,
        /// tags: bytes added or removed
        pub tag_touch: Signal<Out, Bits<4>>,
        /// tags: somebody else's write
        pub tag_remove: Signal<Out, Bit>,
        /// tags: do it
        pub tag_commit: Signal<Out, Bit>,
        /// tags: the interval ended
        pub tag_advance: Signal<Out, Bit>,
        /// tags: the instruction word is read
        pub tag_fetch: Signal<Out, Bit>,
        /// tags: the set is being written, ask again
        pub tag_conflict: Signal<In, Bit>,
        /// the event FIFO takes nothing
        pub full: Signal<In, Bit>,
        /// an event
        pub push: Signal<Out, Bit>,
        /// the tags decide about it, in the next cycle
        pub event_asks: Signal<Out, Bit>,
        /// its kind
        pub event_kind: Signal<Out, Bits<4>>,
        /// its position
        pub event_position: Signal<Out, Bits<24>>,
        /// its value
        pub event_value: Signal<Out, Bits<32>>,
        boundary_ff: DFF<Bit>,
        redirect_ff: DFF<Bit>,
        fetch_ff: DFF<Bit>,
        own_ff: DFF<Bit>,
        last_ff: DFF<Bit>,
        looked_ff: DFF<Bit>,
        boundary: Signal<Local, Bit>,
        redirect: Signal<Local, Bit>,
        fetch: Signal<Local, Bit>,
        own: Signal<Local, Bit>,
        last: Signal<Local, Bit>,
        at_redirect: Signal<Local, Bit>,
        at_fetch: Signal<Local, Bit>,
        at_own: Signal<Local, Bit>,
        at_last: Signal<Local, Bit>,
        at_snoop: Signal<Local, Bit>,
        fetch_address: Signal<Local, Bits<30>>,
        looks: Signal<Local, Bit>,
        steps: Signal<Local, Bit>,
        more: Signal<Local, Bit>,
    }
    constants {
        no_mask: 4 = 0,
        whole_word: 4 = 15,
        no_address: 30 = 0,
        no_value: 32 = 0,
        kind_redirect: 4 = 0,
        kind_trap: 4 = 1,
        kind_fetch: 4 = 2,
        kind_last: 4 = 3,
        kind_skipped: 4 = 4,
        kind_logged: 4 = 5,
        kind_boundary: 4 = 8,
    }
}

impl Logic for Sequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            boundary_ff,
            redirect_ff,
            fetch_ff,
            own_ff,
            last_ff,
            looked_ff
        );
        // The steps that are left; the first of them is taken.
        self.boundary.next =
            (self.flags.val().get_bit(0) | self.flags.val().get_bit(1)) & !self.boundary_ff.q.val();
        self.redirect.next = self.flags.val().get_bit(3) & !self.redirect_ff.q.val();
        self.fetch.next = self.flags.val().get_bit(4) & !self.fetch_ff.q.val();
        self.own.next = (self.flags.val().get_bit(6)
            | self.flags.val().get_bit(7)
            | self.flags.val().get_bit(9))
            & !self.own_ff.q.val();
        self.last.next = self.flags.val().get_bit(2) & !self.last_ff.q.val();
        self.at_redirect.next = self.redirect.val() & !self.boundary.val();
        self.at_fetch.next = self.fetch.val() & !self.boundary.val() & !self.redirect.val();
        self.at_own.next =
            self.own.val() & !self.boundary.val() & !self.redirect.val() & !self.fetch.val();
        self.at_last.next = self.last.val()
            & !self.boundary.val()
            & !self.redirect.val()
            & !self.fetch.val()
            & !self.own.val();
        self.at_snoop.next = !self.boundary.val()
            & !self.redirect.val()
            & !self.fetch.val()
            & !self.own.val()
            & !self.last.val();

        // Tags: the OR of what each step wants, gated by the step.
        self.fetch_address.next = self.pc.val().get_bits::<30>(2);
        self.tag_address.next = self.no_address.val();
        self.tag_need.next = self.no_mask.val();
        self.tag_touch.next = self.no_mask.val();
        if self.at_fetch.val() {
            self.tag_address.next = self.fetch_address.val();
            self.tag_need.next = self.whole_word.val();
            self.tag_touch.next = self.whole_word.val();
        }
        if self.at_own.val() {
            self.tag_address.next = self.tag_address.val() | self.addr.val();
            self.tag_need.next = self.tag_need.val() | self.masks.val().get_bits::<4>(0);
            self.tag_touch.next = self.tag_touch.val()
                | self.masks.val().get_bits::<4>(0)
                | self.masks.val().get_bits::<4>(4);
        }
        if self.at_snoop.val() {
            self.tag_address.next = self.tag_address.val() | self.snoop_addr.val();
            self.tag_touch.next = self.tag_touch.val() | self.masks.val().get_bits::<4>(8);
        }
        self.tag_remove.next = self.at_snoop.val();
        self.tag_fetch.next = self.at_fetch.val();
        self.looks.next = (self.at_fetch.val() & !self.flags.val().get_bit(5))
            | (self.at_own.val() & self.flags.val().get_bit(9))
            | (self.at_snoop.val() & self.flags.val().get_bit(10));

        // The event, in the same way.
        self.event_position.next = self.position.val();
        self.event_value.next = self.no_value.val();
        self.event_kind.next = self.kind_redirect.val();
        self.more.next = false;
        if self.boundary.val() {
            self.event_kind.next =
                self.kind_boundary.val() | bit_cast::<4, 2>(self.flags.val().get_bits::<2>(0));
        }
        if self.boundary.val() | self.at_redirect.val() {
            self.event_value.next = self.pc.val();
        }
        if self.at_fetch.val() {
            self.event_value.next = self.event_value.val() | self.insn.val();
            self.event_kind.next = self.kind_fetch.val();
        }
        if self.at_own.val() {
            self.event_value.next = self.event_value.val() | self.value.val();
            self.event_kind.next = self.kind_skipped.val();
            if self.flags.val().get_bit(6) {
                self.event_kind.next = self.kind_trap.val();
            } else if self.flags.val().get_bit(8) {
                self.event_kind.next = self.kind_logged.val();
            }
        }
        if self.at_last.val() {
            self.event_value.next = self.event_value.val() | self.digest.val();
            self.event_kind.next = self.kind_last.val();
        }

        // A step that may log waits for a place, even if it turns out to log nothing.
        self.steps.next = self.valid.val()
            & (self.looked_ff.q.val() | !self.looks.val())
            & (!self.full.val() | self.at_snoop.val());
        self.looked_ff.d.next =
            self.valid.val() & self.looks.val() & !self.steps.val() & !self.tag_conflict.val();
        self.event_asks.next = (self.at_fetch.val() & !self.flags.val().get_bit(5))
            | (self.at_own.val()
                & self.flags.val().get_bit(7)
                & !self.flags.val().get_bit(8)
                & !self.flags.val().get_bit(6));
        self.push.next = self.steps.val()
            & (self.boundary.val()
                | self.at_redirect.val()
                | self.at_fetch.val()
                | (self.at_own.val()
                    & (self.flags.val().get_bit(6) | self.flags.val().get_bit(7)))
                | self.at_last.val());
        self.tag_commit.next = self.steps.val() & self.looks.val();
        self.tag_advance.next = self.steps.val() & self.at_last.val();
        // Whether another step is left after this one.
        self.more.next = (self.flags.val().get_bit(10) & !self.at_snoop.val())
            | (self.last.val() & !self.at_last.val() & !self.at_snoop.val())
            | (self.own.val() & (self.at_fetch.val() | self.at_redirect.val()))
            | (self.fetch.val() & self.at_redirect.val())
            | (self.boundary.val() & (self.redirect.val() | self.fetch.val() | self.own.val()));
        self.pop.next = self.steps.val() & !self.more.val();
        if self.steps.val() {
            self.boundary_ff.d.next = true;
            if self.at_redirect.val() {
                self.redirect_ff.d.next = true;
            }
            if self.at_fetch.val() {
                self.fetch_ff.d.next = true;
            }
            if self.at_own.val() {
                self.own_ff.d.next = true;
            }
            if self.at_last.val() {
                self.last_ff.d.next = true;
            }
        }
        if self.pop.val() | self.clear.val() {
            self.boundary_ff.d.next = false;
            self.redirect_ff.d.next = false;
            self.fetch_ff.d.next = false;
            self.own_ff.d.next = false;
            self.last_ff.d.next = false;
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
        check_block(Sequencer::default(), "lookback_sequencer");
    }
}
