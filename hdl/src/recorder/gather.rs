//! Gathers the bytes of one source into parcels: section 5.2 of the log format. Twin of
//! `lookback_model::parcels`.
//!
//! ```text
//!  byte_valid byte_data byte_last ─► 512 bytes ─► data, last ◄─ take
//!                     byte_ready ◄─           ─► available: a whole parcel is there
//! ```
//! A parcel is whole when 224 bytes are there, or the end of what the source sends. So a source that
//! trickles does not keep the others from the ring, and none waits for another: a full gatherer
//! always has a whole parcel. `data` is the oldest byte; in the cycle after `take` it is the next.

use crate::memory::BlockRam;
use rust_hdl::prelude::*;

circuit! {
    /// 512 bytes of one source.
    pub struct Gather [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything
        pub clear: Signal<In, Bit>,
        /// a byte is offered
        pub byte_valid: Signal<In, Bit>,
        /// the byte
        pub byte_data: Signal<In, Bits<8>>,
        /// it ends an interval or gap
        pub byte_last: Signal<In, Bit>,
        /// a byte would be taken now
        pub byte_ready: Signal<Out, Bit>,
        /// a whole parcel is there; holds until its first byte is taken
        pub available: Signal<Out, Bit>,
        /// the oldest byte, of a parcel that is there
        pub data: Signal<Out, Bits<8>>,
        /// it ends an interval or gap
        pub last: Signal<Out, Bit>,
        /// the oldest byte is used
        pub take: Signal<In, Bit>,
        bytes: BlockRam<9, 9>,
        write_ff: DFF<Bits<9>>,
        read_ff: DFF<Bits<9>>,
        /// ends that are here and were not taken
        ends_ff: DFF<Bits<5>>,
        count: Signal<Local, Bits<9>>,
        next: Signal<Local, Bits<9>>,
        read_next: Signal<Local, Bits<9>>,
        word: Signal<Local, Bits<9>>,
        head: Signal<Local, Bits<9>>,
        accept: Signal<Local, Bit>,
        ending: Signal<Local, Bit>,
        ended: Signal<Local, Bit>,
    }
    constants {
        one: 9 = 1,
        none: 9 = 0,
        one_end: 5 = 1,
        no_end: 5 = 0,
    }
}

impl Logic for Gather {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_ff, read_ff, ends_ff);
        self.bytes.clock.next = self.clock.val();
        self.count.next = self.write_ff.q.val() - self.read_ff.q.val();
        self.byte_ready.next = !self.count.val().all();
        self.accept.next = self.byte_valid.val() & !self.count.val().all();
        self.next.next = self.write_ff.q.val() + self.one.val();
        self.word.next =
            bit_cast::<9, 8>(self.byte_data.val()).replace_bit(8, self.byte_last.val());
        self.bytes.write_enable.next = self.accept.val();
        self.bytes.write_address.next = self.write_ff.q.val();
        self.bytes.write_data.next = self.word.val();
        if self.accept.val() {
            self.write_ff.d.next = self.next.val();
        }

        // The memory shows the oldest byte: the address is that of the next cycle.
        self.read_next.next = self.read_ff.q.val() + self.take.val();
        self.bytes.read_address.next = self.read_next.val();
        self.read_ff.d.next = self.read_next.val();
        self.head.next = self.bytes.read_data.val();
        self.data.next = self.head.val().get_bits::<8>(0);
        self.last.next = self.head.val().get_bit(8);

        self.ending.next = self.accept.val() & self.byte_last.val();
        self.ended.next = self.take.val() & self.head.val().get_bit(8);
        if self.ending.val() & !self.ended.val() {
            self.ends_ff.d.next = self.ends_ff.q.val() + self.one_end.val();
        }
        if self.ended.val() & !self.ending.val() {
            self.ends_ff.d.next = self.ends_ff.q.val() - self.one_end.val();
        }
        self.available.next = self.ends_ff.q.val().any()
            | self.count.val().get_bit(8)
            | self.count.val().get_bits::<3>(5).all();

        if self.clear.val() {
            self.write_ff.d.next = self.none.val();
            self.read_ff.d.next = self.none.val();
            self.ends_ff.d.next = self.no_end.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Gather::default(), "lookback_gather");
    }
}
