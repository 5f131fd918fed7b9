//! Which instruction words the replayer has from the ELF: the image window less the blocks that
//! were written. Section 1.3 of the log format; twin of `lookback_model::known_code`.
//!
//! The bitmap is looked up at the port itself (`fetch_pc`), so that the answer is there one cycle
//! later, together with the registered retirement. Retirements and other writers each have a bitmap
//! of their own: both may write in every cycle. Each bitmap is there twice, so that the block behind the
//! one of `pc` is known in the same cycle, for an instruction that may end in it. A write of the cycle in which the bitmap is read
//! comes too late for the memory and is remembered beside it.

use crate::memory::BlockRam;
use rust_hdl::prelude::*;

circuit! {
    /// Image window and bitmaps of `2^D` blocks.
    pub struct KnownCode [D] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty the bitmaps at `sweep`
        pub clear: Signal<In, Bit>,
        /// entry to empty
        pub sweep: Signal<In, Bits<D>>,
        /// first address of the window, a multiple of 64
        pub image_lo: Signal<In, Bits<32>>,
        /// first address after it, a multiple of 64
        pub image_hi: Signal<In, Bits<32>>,
        /// address on the retirement port
        pub fetch_pc: Signal<In, Bits<32>>,
        /// the same, one cycle later
        pub pc: Signal<In, Bits<32>>,
        /// the instruction at `pc` may end in the next block
        pub straddles: Signal<In, Bit>,
        /// a retired instruction stores
        pub store: Signal<In, Bit>,
        /// where
        pub store_addr: Signal<In, Bits<32>>,
        /// somebody else writes
        pub snoop: Signal<In, Bit>,
        /// where
        pub snoop_addr: Signal<In, Bits<32>>,
        /// the word at `pc` is known
        pub known: Signal<Out, Bit>,
        stored: BlockRam<1, D>,
        snooped: BlockRam<1, D>,
        /// the same bitmaps, looked up for the block behind
        stored_behind: BlockRam<1, D>,
        snooped_behind: BlockRam<1, D>,
        stored_late_ff: DFF<Bit>,
        snooped_late_ff: DFF<Bit>,
        stored_late_behind_ff: DFF<Bit>,
        snooped_late_behind_ff: DFF<Bit>,
        low: Signal<Local, Bits<26>>,
        high: Signal<Local, Bits<26>>,
        block: Signal<Local, Bits<26>>,
        fetched: Signal<Local, Bits<D>>,
        behind: Signal<Local, Bits<D>>,
        index: Signal<Local, Bits<D>>,
        in_window: Signal<Local, Bit>,
        known_behind: Signal<Local, Bit>,
        stored_at: Signal<Local, Bits<D>>,
        snooped_at: Signal<Local, Bits<D>>,
        writes: Signal<Local, Bit>,
        mark: Signal<Local, Bits<1>>,
        written: Signal<Local, Bit>,
    }
    constants {
        set: 1 = 1,
        unset: 1 = 0,
        one: D = 1,
        one_block: 26 = 1,
    }
}

impl<const D: usize> Logic for KnownCode<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            stored_late_ff,
            snooped_late_ff,
            stored_late_behind_ff,
            snooped_late_behind_ff
        );
        self.stored_behind.clock.next = self.clock.val();
        self.snooped_behind.clock.next = self.clock.val();
        self.stored.clock.next = self.clock.val();
        self.snooped.clock.next = self.clock.val();
        self.low.next = self.image_lo.val().get_bits::<26>(6);
        self.high.next = self.image_hi.val().get_bits::<26>(6);
        self.fetched.next = self.fetch_pc.val().get_bits::<D>(6);
        self.stored.read_address.next = self.fetched.val();
        self.snooped.read_address.next = self.fetched.val();
        self.behind.next = self.fetched.val() + self.one.val();
        self.stored_behind.read_address.next = self.behind.val();
        self.snooped_behind.read_address.next = self.behind.val();

        self.block.next = self.store_addr.val().get_bits::<26>(6);
        self.in_window.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        self.written.next = self.store.val() & self.in_window.val();
        self.index.next = self.store_addr.val().get_bits::<D>(6);
        self.stored_late_ff.d.next = self.written.val() & (self.index.val() == self.fetched.val());
        self.stored_late_behind_ff.d.next =
            self.written.val() & (self.index.val() == self.behind.val());
        self.writes.next = self.written.val() | self.clear.val();
        self.stored.write_enable.next = self.writes.val();
        self.stored_behind.write_enable.next = self.writes.val();
        self.stored_at.next = self.index.val();

        self.block.next = self.snoop_addr.val().get_bits::<26>(6);
        self.in_window.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        self.written.next = self.snoop.val() & self.in_window.val();
        self.index.next = self.snoop_addr.val().get_bits::<D>(6);
        self.snooped_late_ff.d.next = self.written.val() & (self.index.val() == self.fetched.val());
        self.snooped_late_behind_ff.d.next =
            self.written.val() & (self.index.val() == self.behind.val());
        self.writes.next = self.written.val() | self.clear.val();
        self.snooped.write_enable.next = self.writes.val();
        self.snooped_behind.write_enable.next = self.writes.val();
        self.snooped_at.next = self.index.val();

        self.mark.next = self.set.val();
        if self.clear.val() {
            self.stored_at.next = self.sweep.val();
            self.snooped_at.next = self.sweep.val();
            self.mark.next = self.unset.val();
        }
        self.stored.write_address.next = self.stored_at.val();
        self.stored.write_data.next = self.mark.val();
        self.snooped.write_address.next = self.snooped_at.val();
        self.snooped.write_data.next = self.mark.val();
        self.stored_behind.write_address.next = self.stored_at.val();
        self.stored_behind.write_data.next = self.mark.val();
        self.snooped_behind.write_address.next = self.snooped_at.val();
        self.snooped_behind.write_data.next = self.mark.val();

        self.block.next = self.pc.val().get_bits::<26>(6);
        self.in_window.next =
            (self.block.val() >= self.low.val()) & (self.block.val() < self.high.val());
        // Where a block is in the window, the next one is unless the window ends there.
        self.block.next = self.block.val() + self.one_block.val();
        self.known_behind.next = (self.block.val() != self.high.val())
            & !self.stored_behind.read_data.val().any()
            & !self.snooped_behind.read_data.val().any()
            & !self.stored_late_behind_ff.q.val()
            & !self.snooped_late_behind_ff.q.val();
        self.known.next = self.in_window.val()
            & (self.known_behind.val() | !self.straddles.val())
            & !self.stored.read_data.val().any()
            & !self.snooped.read_data.val().any()
            & !self.stored_late_ff.q.val()
            & !self.snooped_late_ff.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::{check_block, config_tiny, word};
    use crate::tick;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(KnownCode::<11>::default(), "lookback_known_code");
    }

    #[test]
    fn equals_the_model_with_writes_in_every_cycle() {
        let mut config = config_tiny();
        config.image_lo = 0x8000_0040;
        config.image_hi = 0x8000_0400;
        let mut model = lookback_model::known_code::KnownCode::new(&config);
        let mut block = KnownCode::<3>::default();
        block.connect_all();
        block.image_lo.next = word(config.image_lo);
        block.image_hi.next = word(config.image_hi);
        block.clear.next = true;
        for i in 0..8u64 {
            block.sweep.next = i.into();
            tick!(block);
        }
        block.clear.next = false;
        let mut random = Random::new(3);
        let mut pending: Option<(u32, Option<u32>, Option<u32>)> = None;
        for step in 0..4000 {
            if step % 200 == 0 {
                model = lookback_model::known_code::KnownCode::new(&config);
                block.clear.next = true;
                pending = None;
                block.store.next = false;
                block.snoop.next = false;
                for i in 0..8u64 {
                    block.sweep.next = i.into();
                    tick!(block);
                }
                block.clear.next = false;
            }
            let place = |random: &mut Random| 0x8000_0000 + 4 * random.below(0x140);
            let pc = place(&mut random) + 2 * random.below(2);
            block.fetch_pc.next = word(pc);
            tick!(block);
            // The writes of the retirement before took effect at this edge.
            if let Some((_, store, snoop)) = pending.take() {
                store.into_iter().chain(snoop).for_each(|a| model.write(a));
            }
            let store = random.chance(60).then(|| place(&mut random));
            let snoop = random.chance(40).then(|| place(&mut random));
            block.pc.next = word(pc);
            block.straddles.next = pc % 64 == 62;
            block.store.next = store.is_some();
            block.store_addr.next = word(store.unwrap_or(0));
            block.snoop.next = snoop.is_some();
            block.snoop_addr.next = word(snoop.unwrap_or(0));
            crate::harness::settle(&mut block);
            assert_eq!(
                block.known.val(),
                model.is_known_by_halves(pc),
                "step {step}"
            );
            pending = Some((pc, store, snoop));
        }
    }
}
