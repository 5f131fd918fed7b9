//! Which instruction words the replayer has from the ELF: section 1.3 of the log format, where nobody
//! but the hart writes. Twin of `lookback_model::known_code`.
//!
//! One bitmap in one block RAM, looked up with the window a cycle ahead of the answer. A write of the cycle in which the
//! bitmap is read comes too late for the memory and is remembered beside it.

use crate::memory::BlockRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Image window and a bitmap of `2^D` blocks.
    pub struct SmallCode [D] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty the bitmap at `sweep`
        pub clear: Signal<In, Bit>,
        /// entry to empty
        pub sweep: Signal<In, Bits<D>>,
        /// first address of the window, a multiple of 64
        pub image_lo: Signal<In, Bits<32>>,
        /// first address after it, a multiple of 64
        pub image_hi: Signal<In, Bits<32>>,
        /// the address that is asked for, a cycle before `known` answers
        pub fetch_pc: Signal<In, Bits<32>>,
        /// a retired instruction stores
        pub store: Signal<In, Bit>,
        /// where
        pub store_addr: Signal<In, Bits<32>>,
        /// the word at the address of the last cycle is known
        pub known: Signal<Out, Bit>,
        stored: BlockRam<1, D>,
        late_ff: DFF<Bit>,
        in_window_ff: DFF<Bit>,
        low: Signal<Local, Bits<26>>,
        high: Signal<Local, Bits<26>>,
        block: Signal<Local, Bits<26>>,
        fetched: Signal<Local, Bits<D>>,
        index: Signal<Local, Bits<D>>,
        in_window: Signal<Local, Bit>,
        written: Signal<Local, Bit>,
    }
    constants {
        set: 1 = 1,
        unset: 1 = 0,
    }
}

impl<const D: usize> Logic for SmallCode<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, late_ff, in_window_ff);
        self.stored.clock.next = self.clock.val();
        self.low.next = self.image_lo.val().get_bits::<26>(6);
        self.high.next = self.image_hi.val().get_bits::<26>(6);
        self.fetched.next = self.fetch_pc.val().get_bits::<D>(6);
        self.stored.read_address.next = self.fetched.val();

        self.block.next = self.store_addr.val().get_bits::<26>(6);
        self.in_window.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        self.written.next = self.store.val() & self.in_window.val();
        self.index.next = self.store_addr.val().get_bits::<D>(6);
        self.late_ff.d.next = self.written.val() & (self.index.val() == self.fetched.val());
        self.stored.write_enable.next = self.written.val() | self.clear.val();
        self.stored.write_address.next = self.index.val();
        self.stored.write_data.next = self.set.val();
        if self.clear.val() {
            self.stored.write_address.next = self.sweep.val();
            self.stored.write_data.next = self.unset.val();
        }

        self.block.next = self.fetch_pc.val().get_bits::<26>(6);
        self.in_window.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        self.in_window_ff.d.next = self.in_window.val();
        self.known.next =
            self.in_window_ff.q.val() & !self.stored.read_data.val().any() & !self.late_ff.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(SmallCode::<7>::default(), "lookback_small_code");
    }
}
