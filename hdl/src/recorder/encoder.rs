//! Turns events into the chunks of an interval: sections 2 and 4 of the log format. Twin of
//! `lookback_model::encoder`.
//!
//! ```text
//!  event FIFO ─► look up (dictionary) ─► write: header, entries, trailer ─► packer
//! ```
//! Two stages, so that the dictionary already searches the next value while an entry is written:
//! `look_up`, where an operation that is not logged ends, and `entry_writer`, which gives the packer up to
//! eight bits a cycle. Cycles, losses and registers stand still until `header_done`. Here they are for one
//! hart; `front` has a first stage for each hart and one second stage for all.

use super::entry_writer::EntryWriter;
use super::look_up::LookUp;
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
        first: LookUp<I>,
        second: EntryWriter<I, 1>,
        moves: Signal<Local, Bit>,
    }
    constants {
        only_hart: 2 = 0,
        no_digest: 32 = 0,
    }
    check {
        assert!(I <= 8, "a rank is one chunk");
    }
}

impl<const I: usize> Logic for Encoder<I> {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.clock.next = self.clock.val();
        self.second.clock.next = self.clock.val();
        self.first.clear.next = self.clear.val();
        self.first.event_valid.next = self.event_valid.val();
        self.first.event_kind.next = self.event_kind.val();
        self.first.event_position.next = self.event_position.val();
        self.event_pop.next = self.first.event_pop.val();
        self.dict_empty.next = self.first.dict_empty.val();
        self.dict_look.next = self.first.dict_look.val();
        self.first.dict_done.next = self.dict_done.val();
        self.first.dict_hit.next = self.dict_hit.val();
        self.first.dict_index.next = self.dict_index.val();

        self.moves.next = self.first.valid.val() & self.second.free.val();
        self.first.taken.next = self.moves.val();
        self.second.take.next = self.moves.val();
        self.second.entry_hart.next = self.only_hart.val();
        self.second.entry_kind.next = self.event_kind.val();
        self.second.entry_number.next = self.first.number.val();
        self.second.entry_long.next = self.first.long.val();
        self.second.entry_value.next = self.event_value.val();
        self.second.entry_hit.next = self.first.hit.val();
        self.second.entry_rank.next = self.first.rank.val();

        self.second.clear.next = self.clear.val();
        self.second.clear_half.next = self.clear_half.val();
        self.second.count_bits.next = self.count_bits.val();
        self.second.mode.next = self.mode.val();
        self.second.cycles_lo.next = self.cycles_lo.val();
        self.second.cycles_hi.next = self.cycles_hi.val();
        self.second.lost_lo.next = self.lost_lo.val();
        self.second.lost_hi.next = self.lost_hi.val();
        // The digest is the event's value.
        self.second.digest.next = self.no_digest.val();
        self.second.reason.next = self.reason.val();
        self.register.next = self.second.register.val();
        self.second.register_data.next = self.register_data.val();
        self.header_done.next = self.second.header_done.val();
        self.load.next = self.second.load.val();
        self.bits.next = self.second.bits.val();
        self.size.next = self.second.size.val();
        self.align.next = self.second.align.val();
        self.last.next = self.second.last.val();
        self.second.ready.next = self.ready.val();
        self.idle.next = self.second.free.val();
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
