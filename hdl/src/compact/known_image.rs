//! What the reader has from the ELF, code and data: the image window less the blocks that were
//! written. Section 10.3 of the log format; twin of `lookback_model::known_code`.
//!
//! ```text
//!  rvfi_pc, rvfi_addr ─► bitmap of the hart's writes (block RAM) ─┐
//!  pc, addr ─► window, bitmap of others' writes (LUT RAM) ────────┴─► known, inside
//! ```
//! The hart's bitmap is read at the port itself, so that the answer is there one cycle later, together
//! with the registered retirement; a copy for each of the two addresses. A write of the cycle in which
//! it is read comes too late for the memory and is remembered beside it. Others write into the image
//! so seldom that 32 bits are enough for them.

use crate::memory::{BlockRam, LutRam};
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Image window and bitmaps of `2^D` and of 32 blocks.
    pub struct KnownImage [D] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty the bitmaps at `sweep`; for all of them
        pub clear: Signal<In, Bit>,
        /// entry to empty
        pub sweep: Signal<In, Bits<D>>,
        /// first address of the window, a multiple of 64
        pub image_lo: Signal<In, Bits<32>>,
        /// first address after it, a multiple of 64
        pub image_hi: Signal<In, Bits<32>>,
        /// address of the instruction, on the retirement port
        pub rvfi_pc: Signal<In, Bits<32>>,
        /// its data address, there
        pub rvfi_addr: Signal<In, Bits<32>>,
        /// its address, one cycle later
        pub pc: Signal<In, Bits<32>>,
        /// its data address, one cycle later
        pub addr: Signal<In, Bits<32>>,
        /// it stores
        pub store: Signal<In, Bit>,
        /// somebody else writes
        pub snoop: Signal<In, Bit>,
        /// where
        pub snoop_addr: Signal<In, Bits<32>>,
        /// `pc` is in the window
        pub code_inside: Signal<Out, Bit>,
        /// and nobody has written there
        pub code_known: Signal<Out, Bit>,
        /// `addr` is in the window
        pub data_inside: Signal<Out, Bit>,
        /// and nobody has written there
        pub data_known: Signal<Out, Bit>,
        code_stored: BlockRam<1, D>,
        data_stored: BlockRam<1, D>,
        code_others: LutRam<1, 5>,
        data_others: LutRam<1, 5>,
        code_late_ff: DFF<Bit>,
        data_late_ff: DFF<Bit>,
        low: Signal<Local, Bits<26>>,
        high: Signal<Local, Bits<26>>,
        block: Signal<Local, Bits<26>>,
        code_index: Signal<Local, Bits<D>>,
        data_index: Signal<Local, Bits<D>>,
        index: Signal<Local, Bits<D>>,
        place: Signal<Local, Bits<5>>,
        code_in: Signal<Local, Bit>,
        data_in: Signal<Local, Bit>,
        snoop_in: Signal<Local, Bit>,
        written: Signal<Local, Bit>,
        mark: Signal<Local, Bits<1>>,
    }
    constants {
        set: 1 = 1,
        unset: 1 = 0,
    }
    check {
        assert!(D >= 5, "the sweep clears both bitmaps");
    }
}

impl<const D: usize> Logic for KnownImage<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, code_late_ff, data_late_ff);
        self.code_stored.clock.next = self.clock.val();
        self.data_stored.clock.next = self.clock.val();
        self.code_others.clock.next = self.clock.val();
        self.data_others.clock.next = self.clock.val();

        // Window.
        self.low.next = self.image_lo.val().get_bits::<26>(6);
        self.high.next = self.image_hi.val().get_bits::<26>(6);
        self.block.next = self.pc.val().get_bits::<26>(6);
        self.code_in.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        self.block.next = self.snoop_addr.val().get_bits::<26>(6);
        self.snoop_in.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        self.block.next = self.addr.val().get_bits::<26>(6);
        self.data_in.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());

        // What the hart wrote.
        self.code_index.next = self.rvfi_pc.val().get_bits::<D>(6);
        self.data_index.next = self.rvfi_addr.val().get_bits::<D>(6);
        self.code_stored.read_address.next = self.code_index.val();
        self.data_stored.read_address.next = self.data_index.val();
        self.written.next = self.store.val() & self.data_in.val();
        self.index.next = self.addr.val().get_bits::<D>(6);
        self.code_late_ff.d.next = self.written.val() & (self.index.val() == self.code_index.val());
        self.data_late_ff.d.next = self.written.val() & (self.index.val() == self.data_index.val());
        self.mark.next = self.set.val();
        if self.clear.val() {
            self.index.next = self.sweep.val();
            self.mark.next = self.unset.val();
        }
        self.code_stored.write_enable.next = self.written.val() | self.clear.val();
        self.data_stored.write_enable.next = self.written.val() | self.clear.val();
        self.code_stored.write_address.next = self.index.val();
        self.data_stored.write_address.next = self.index.val();
        self.code_stored.write_data.next = self.mark.val();
        self.data_stored.write_data.next = self.mark.val();

        // What others wrote.
        self.code_others.read_address.next = self.pc.val().get_bits::<5>(6);
        self.data_others.read_address.next = self.addr.val().get_bits::<5>(6);
        self.place.next = self.snoop_addr.val().get_bits::<5>(6);
        if self.clear.val() {
            self.place.next = self.sweep.val().get_bits::<5>(0);
        }
        self.code_others.write_enable.next =
            (self.snoop.val() & self.snoop_in.val()) | self.clear.val();
        self.data_others.write_enable.next =
            (self.snoop.val() & self.snoop_in.val()) | self.clear.val();
        self.code_others.write_address.next = self.place.val();
        self.data_others.write_address.next = self.place.val();
        self.code_others.write_data.next = self.mark.val();
        self.data_others.write_data.next = self.mark.val();

        self.code_inside.next = self.code_in.val();
        self.data_inside.next = self.data_in.val();
        self.code_known.next = self.code_in.val()
            & !self.code_stored.read_data.val().any()
            & !self.code_others.read_data.val().any()
            & !self.code_late_ff.q.val();
        self.data_known.next = self.data_in.val()
            & !self.data_stored.read_data.val().any()
            & !self.data_others.read_data.val().any()
            & !self.data_late_ff.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(KnownImage::<11>::default(), "lookback_compact_known_image");
    }
}
