//! Takes retirements from the queue, looks them up in the tags and turns them into events, in the
//! order of section 10.2 of the log format.
//!
//! ```text
//!  head of the queue ─► boundary ─► redirect ─► pc ─► code ─► trap ─► left ─► right ─► data
//!                       ─► result ─► wfi ─► last ─► snoop ─► next head
//!                       (only the steps that the head has; one event a cycle, one more for the tags)
//! ```
//! Flags of a queue entry, from bit 0: open, gap, last, key, redirect, after a trap, after a return,
//! code to be looked up, code in the image, code in memory, trap, left, right, data in memory, data
//! read from a device, data in the image, result, snoop, wfi, left is blank, right is blank.
//!
//! Kinds of event: 0 REDIRECT, 1 TRAP, 2 CODE, 3 DATA (the numbers of the escapes; `extra` is the
//! distance; of a REDIRECT the value is the next `resume`, of a TRAP it is four less), 4 the interval
//! ends (`extra` is the last position), 5 `resume` becomes the value plus four, 6 a need, 7 the value of a REDIRECT, 8 boundary: with
//! bit 0 an interval opens, with bit 1 a gap ended before, with bit 2 it is a key interval. Of needs
//! `extra` is {slot, from `resume`, size less one, class}, the class in bits 2:0.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// One event a cycle; `V` bits of an address choose a last value.
    pub struct CompactSequencer [V] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget what was under way
        pub clear: Signal<In, Bit>,
        /// the queue has a head
        pub valid: Signal<In, Bit>,
        /// its flags
        pub flags: Signal<In, Bits<21>>,
        /// its position
        pub position: Signal<In, Bits<24>>,
        /// its address
        pub pc: Signal<In, Bits<32>>,
        /// its word
        pub insn: Signal<In, Bits<32>>,
        /// its value
        pub value: Signal<In, Bits<32>>,
        /// its first source
        pub left: Signal<In, Bits<32>>,
        /// its second source
        pub right: Signal<In, Bits<32>>,
        /// where the reader expects it
        pub from: Signal<In, Bits<32>>,
        /// its data address
        pub addr: Signal<In, Bits<30>>,
        /// bytes read and written
        pub masks: Signal<In, Bits<8>>,
        /// the other write's address
        pub snoop_addr: Signal<In, Bits<30>>,
        /// digest of the interval that ended last
        pub digest: Signal<In, Bits<32>>,
        /// tags: the reader holds all that is read
        pub tag_known: Signal<In, Bit>,
        /// tags: the reader must be told
        pub tag_escape: Signal<In, Bit>,
        /// the event FIFO takes nothing
        pub full: Signal<In, Bit>,
        /// done with the head
        pub pop: Signal<Out, Bit>,
        /// tags: address
        pub tag_address: Signal<Out, Bits<30>>,
        /// tags: bytes read
        pub tag_rmask: Signal<Out, Bits<4>>,
        /// tags: bytes written
        pub tag_wmask: Signal<Out, Bits<4>>,
        /// tags: the word read, in its lanes
        pub tag_word: Signal<Out, Bits<32>>,
        /// tags: the address is in the image
        pub tag_in_image: Signal<Out, Bit>,
        /// tags: somebody else's write
        pub tag_snoop: Signal<Out, Bit>,
        /// tags: do it
        pub tag_commit: Signal<Out, Bit>,
        /// tags: a key group begins
        pub tag_advance: Signal<Out, Bit>,
        /// an event
        pub push: Signal<Out, Bit>,
        /// its kind
        pub event_kind: Signal<Out, Bits<4>>,
        /// what else it has
        pub event_extra: Signal<Out, Bits<24>>,
        /// its value
        pub event_value: Signal<Out, Bits<32>>,
        done_ff: DFF<Bits<12>>,
        looked_ff: DFF<Bit>,
        escaped_ff: DFF<Bit>,
        previous_ff: DFF<Bits<24>>,
        remaining: Signal<Local, Bits<12>>,
        lowest: Signal<Local, Bits<12>>,
        at: Signal<Local, Bits<12>>,
        at_code: Signal<Local, Bit>,
        at_data: Signal<Local, Bit>,
        at_snoop: Signal<Local, Bit>,
        at_value: Signal<Local, Bit>,
        looks: Signal<Local, Bit>,
        ready: Signal<Local, Bit>,
        tells: Signal<Local, Bit>,
        unknown: Signal<Local, Bit>,
        pauses: Signal<Local, Bit>,
        completes: Signal<Local, Bit>,
        item: Signal<Local, Bit>,
        distance: Signal<Local, Bits<24>>,
        read: Signal<Local, Bits<4>>,
        low_any: Signal<Local, Bit>,
        high_any: Signal<Local, Bit>,
        several: Signal<Local, Bit>,
        odd: Signal<Local, Bit>,
        kind_of: Signal<Local, Bits<3>>,
        size_of: Signal<Local, Bits<2>>,
        sort: Signal<Local, Bits<3>>,
        size: Signal<Local, Bits<2>>,
        slot: Signal<Local, Bits<V>>,
        by_resume: Signal<Local, Bit>,
        escape_kind: Signal<Local, Bits<4>>,
        lifted: Signal<Local, Bits<32>>,
    }
    constants {
        no_steps: 12 = 0,
        no_mask: 4 = 0,
        whole_word: 4 = 15,
        no_address: 30 = 0,
        no_value: 32 = 0,
        no_position: 24 = 0,
        one_lane: 6 = 8,
        two_lanes: 6 = 16,
        three_lanes: 6 = 24,
        kind_redirect: 4 = 0,
        kind_trap: 4 = 1,
        kind_code: 4 = 2,
        kind_data: 4 = 3,
        kind_last: 4 = 4,
        kind_resume: 4 = 5,
        kind_need: 4 = 6,
        kind_value: 4 = 7,
        kind_boundary: 4 = 8,
        key_bit: 4 = 4,
        class_register: 3 = 0,
        class_byte: 3 = 1,
        class_half: 3 = 2,
        class_word: 3 = 3,
        class_device: 3 = 4,
        class_result: 3 = 5,
        class_code: 3 = 6,
        class_pc: 3 = 7,
        size_byte: 2 = 0,
        size_half: 2 = 1,
        size_word: 2 = 3,
        register_slot: V = 0,
        redirect_slot: V = 1,
        resume_bit: 24 = 32,
    }
    check {
        assert!((1..=16).contains(&V), "an address chooses a last value");
    }
}

impl<const V: usize> Logic for CompactSequencer<V> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, done_ff, looked_ff, escaped_ff, previous_ff);
        // The steps that are left; the first of them is taken.
        self.remaining.next = self
            .no_steps
            .val()
            .replace_bit(0, self.flags.val().get_bit(0) | self.flags.val().get_bit(1))
            .replace_bit(1, self.flags.val().get_bit(4))
            .replace_bit(
                2,
                self.flags.val().get_bit(4)
                    | self.flags.val().get_bit(5)
                    | self.flags.val().get_bit(6),
            )
            .replace_bit(3, self.flags.val().get_bit(7))
            .replace_bit(4, self.flags.val().get_bit(10))
            .replace_bit(5, self.flags.val().get_bit(11))
            .replace_bit(6, self.flags.val().get_bit(12))
            .replace_bit(
                7,
                self.flags.val().get_bit(13) | self.flags.val().get_bit(14),
            )
            .replace_bit(8, self.flags.val().get_bit(16))
            .replace_bit(9, self.flags.val().get_bit(18))
            .replace_bit(10, self.flags.val().get_bit(2))
            .replace_bit(11, self.flags.val().get_bit(17));
        self.remaining.next = self.remaining.val() & !self.done_ff.q.val();
        self.lowest.next = self.no_steps.val() - self.remaining.val();
        self.at.next = self.remaining.val() & self.lowest.val();
        self.at_code.next = self.at.val().get_bit(3);
        self.at_data.next = self.at.val().get_bit(7);
        self.at_snoop.next = self.at.val().get_bit(11);

        // Tags: the OR of what each step wants, gated by the step.
        self.tag_address.next = self.no_address.val();
        self.tag_rmask.next = self.no_mask.val();
        self.tag_wmask.next = self.no_mask.val();
        if self.at_code.val() {
            self.tag_address.next = self.pc.val().get_bits::<30>(2);
            self.tag_rmask.next = self.whole_word.val();
        }
        if self.at_data.val() {
            self.tag_address.next = self.tag_address.val() | self.addr.val();
            self.tag_rmask.next = self.tag_rmask.val() | self.masks.val().get_bits::<4>(0);
            self.tag_wmask.next = self.masks.val().get_bits::<4>(4);
        }
        if self.at_snoop.val() {
            self.tag_address.next = self.tag_address.val() | self.snoop_addr.val();
        }
        // What is compared: the whole word, or the value moved back to where it was read.
        self.lifted.next = self.value.val() << self.three_lanes.val();
        if self.masks.val().get_bit(2) {
            self.lifted.next = self.value.val() << self.two_lanes.val();
        }
        if self.masks.val().get_bit(1) {
            self.lifted.next = self.value.val() << self.one_lane.val();
        }
        if self.masks.val().get_bit(0) {
            self.lifted.next = self.value.val();
        }
        self.tag_word.next = self.lifted.val();
        if self.at_code.val() {
            self.tag_word.next = self.insn.val();
        }
        self.tag_in_image.next = (self.at_code.val() & self.flags.val().get_bit(8))
            | (self.at_data.val() & self.flags.val().get_bit(15));
        self.tag_snoop.next = self.at_snoop.val();
        self.looks.next = (self.at_code.val() & self.flags.val().get_bit(9))
            | (self.at_data.val() & self.flags.val().get_bit(13))
            | self.at_snoop.val();

        // Where the tags are not asked, a read is unknown, and one in the image must be told.
        self.ready.next = self.valid.val()
            & (self.looked_ff.q.val() | !self.looks.val())
            & (!self.full.val() | self.at_snoop.val());
        self.tells.next = self.tag_in_image.val();
        self.unknown.next = self.at_code.val() | self.at_data.val();
        if self.looks.val() {
            self.tells.next = self.tag_escape.val() & !self.at_snoop.val();
            self.unknown.next = !self.tag_known.val() & !self.at_snoop.val();
        }
        self.pauses.next = self.tells.val() & !self.escaped_ff.q.val();
        self.completes.next = self.ready.val() & !self.pauses.val();
        self.looked_ff.d.next = self.valid.val() & self.looks.val() & !self.completes.val();
        self.escaped_ff.d.next = (self.escaped_ff.q.val() | (self.ready.val() & self.pauses.val()))
            & !self.completes.val();
        self.tag_commit.next = self.completes.val() & self.looks.val();
        self.tag_advance.next =
            self.completes.val() & self.at.val().get_bit(0) & self.flags.val().get_bit(3);

        // The class and size of a read.
        self.read.next = self.masks.val().get_bits::<4>(0);
        self.low_any.next = self.read.val().get_bits::<2>(0).any();
        self.high_any.next = self.read.val().get_bits::<2>(2).any();
        self.several.next = (self.low_any.val() & self.high_any.val())
            | self.read.val().get_bits::<2>(0).all()
            | self.read.val().get_bits::<2>(2).all();
        self.odd.next = self.read.val().get_bit(0)
            ^ self.read.val().get_bit(1)
            ^ self.read.val().get_bit(2)
            ^ self.read.val().get_bit(3);
        self.kind_of.next = self.class_word.val();
        self.size_of.next = self.size_word.val();
        if !self.several.val() {
            self.kind_of.next = self.class_byte.val();
            self.size_of.next = self.size_byte.val();
        } else if !self.odd.val() & !self.read.val().all() {
            self.kind_of.next = self.class_half.val();
            self.size_of.next = self.size_half.val();
        }
        if self.flags.val().get_bit(14) {
            self.kind_of.next = self.class_device.val();
        }

        // A need: its class, its size and what predicts it.
        self.sort.next = self.class_register.val();
        self.size.next = self.size_word.val();
        self.slot.next = self.pc.val().get_bits::<V>(2);
        self.by_resume.next = false;
        if self.at.val().get_bit(2) {
            self.sort.next = self.class_pc.val();
            self.slot.next = self.from.val().get_bits::<V>(2);
            if self.flags.val().get_bit(4) {
                self.slot.next = self.redirect_slot.val();
            }
            self.by_resume.next = self.flags.val().get_bit(6);
        }
        if self.at_code.val() {
            self.sort.next = self.class_code.val();
        }
        if self.at.val().get_bit(5) | self.at.val().get_bit(6) {
            self.slot.next = self.register_slot.val();
        }
        if self.at_data.val() {
            self.sort.next = self.kind_of.val();
            self.size.next = self.size_of.val();
        }
        if self.at.val().get_bit(8) {
            self.sort.next = self.class_result.val();
        }

        // The event.
        self.distance.next = self.position.val() - self.previous_ff.q.val();
        self.event_extra.next = bit_cast::<24, 3>(self.sort.val())
            | (bit_cast::<24, 2>(self.size.val()) << 3)
            | (bit_cast::<24, V>(self.slot.val()) << 6);
        if self.by_resume.val() {
            self.event_extra.next = self.event_extra.val() | self.resume_bit.val();
        }
        self.escape_kind.next = self.kind_code.val();
        if self.at_data.val() {
            self.escape_kind.next = self.kind_data.val();
        }
        self.event_kind.next = self.kind_need.val();
        self.event_value.next = self.no_value.val();
        if self.at.val().get_bit(0) {
            self.event_kind.next =
                self.kind_boundary.val() | bit_cast::<4, 2>(self.flags.val().get_bits::<2>(0));
            if self.flags.val().get_bit(3) {
                self.event_kind.next = self.event_kind.val() | self.key_bit.val();
            }
        }
        if self.at.val().get_bit(0)
            | self.at.val().get_bit(2)
            | self.at.val().get_bit(4)
            | self.at.val().get_bit(9)
        {
            self.event_value.next = self.event_value.val() | self.pc.val();
        }
        if self.at.val().get_bit(1) {
            self.event_value.next = self.event_value.val() | self.from.val();
            self.event_kind.next = self.kind_redirect.val();
        }
        if self.at.val().get_bit(2) & self.flags.val().get_bit(4) {
            self.event_kind.next = self.kind_value.val();
        }
        if self.at_code.val() {
            self.event_value.next = self.event_value.val() | self.insn.val();
        }
        if self.at.val().get_bit(4) {
            self.event_kind.next = self.kind_trap.val();
        }
        if self.at.val().get_bit(5) & !self.flags.val().get_bit(19) {
            self.event_value.next = self.event_value.val() | self.left.val();
        }
        if self.at.val().get_bit(6) & !self.flags.val().get_bit(20) {
            self.event_value.next = self.event_value.val() | self.right.val();
        }
        if self.at_data.val() | self.at.val().get_bit(8) {
            self.event_value.next = self.event_value.val() | self.value.val();
        }
        if self.at.val().get_bit(9) {
            self.event_kind.next = self.kind_resume.val();
        }
        if self.at.val().get_bit(10) {
            self.event_value.next = self.event_value.val() | self.digest.val();
            self.event_kind.next = self.kind_last.val();
            self.event_extra.next = self.position.val();
        }
        if self.pauses.val() {
            self.event_kind.next = self.escape_kind.val();
        }
        if self.at.val().get_bit(1) | self.at.val().get_bit(4) | self.pauses.val() {
            self.event_extra.next = self.distance.val();
        }
        // A step that may log waits for a place, even if it turns out to log nothing.
        self.at_value.next = !self.at_code.val() & !self.at_data.val() & !self.at_snoop.val();
        self.push.next =
            self.ready.val() & (self.at_value.val() | self.pauses.val() | self.unknown.val());

        // Positions are told from item to item.
        self.item.next =
            !self.at.val().get_bit(0) & !self.at.val().get_bit(9) & !self.at.val().get_bit(10);
        if self.push.val() {
            if self.item.val() {
                self.previous_ff.d.next = self.position.val();
            } else if self.at.val().get_bit(0) {
                self.previous_ff.d.next = self.no_position.val();
            }
        }

        // Whether another step is left after this one.
        self.pop.next = self.completes.val() & (self.remaining.val() == self.at.val());
        if self.completes.val() {
            self.done_ff.d.next = self.done_ff.q.val() | self.at.val();
        }
        if self.pop.val() | self.clear.val() {
            self.done_ff.d.next = self.no_steps.val();
            self.looked_ff.d.next = false;
            self.escaped_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(
            CompactSequencer::<6>::default(),
            "lookback_compact_sequencer",
        );
    }
}
