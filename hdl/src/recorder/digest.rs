//! One step of an interval's digest, combinational: section 3 of the log format.

use rust_hdl::prelude::*;

/// What bit `bit` of the lowest byte adds to the digest once it is shifted out.
const fn column(bit: u32) -> u32 {
    let mut x = 1u32 << bit;
    let mut step = 0;
    while step < 8 {
        x = (x >> 1) ^ ((x & 1) * 0xedb8_8320);
        step += 1;
    }
    x
}

circuit! {
    /// The digest after one more retirement.
    ///
    /// Everything but `digest` and `pc` is zero already where the retirement does not have it
    /// (`RetireStage` sees to that).
    pub struct DigestStep [] {
        /// digest so far
        pub digest: Signal<In, Bits<32>>,
        /// address of the instruction
        pub pc: Signal<In, Bits<32>>,
        /// address stored to, else 0
        pub store_addr: Signal<In, Bits<32>>,
        /// bytes stored, other bytes 0
        pub store_data: Signal<In, Bits<32>>,
        /// lanes stored
        pub store_mask: Signal<In, Bits<4>>,
        /// register written, 0 for none
        pub rd_addr: Signal<In, Bits<5>>,
        /// value written to it, else 0
        pub rd_data: Signal<In, Bits<32>>,
        /// the instruction trapped
        pub trap: Signal<In, Bit>,
        /// digest afterwards
        pub stepped: Signal<Out, Bits<32>>,
        place: Signal<Local, Bits<32>>,
        mixed: Signal<Local, Bits<32>>,
        low: Signal<Local, Bits<32>>,
        high: Signal<Local, Bits<32>>,
        facts: Signal<Local, Bits<32>>,
    }
    constants {
        none: 32 = 0,
        column_0: 32 = column(0),
        column_1: 32 = column(1),
        column_2: 32 = column(2),
        column_3: 32 = column(3),
        column_4: 32 = column(4),
        column_5: 32 = column(5),
        column_6: 32 = column(6),
        column_7: 32 = column(7),
        trap_bit: 32 = 0x8000_0000u32,
    }
}

impl Logic for DigestStep {
    #[hdl_gen]
    fn update(&mut self) {
        // What depends on the retirement alone stands by itself: it is the same beside every hart's
        // digest, and synthesis keeps it once.
        self.place.next = self.pc.val() ^ self.store_addr.val();
        self.mixed.next = self.digest.val() ^ self.place.val();
        self.low.next = self.none.val();
        if self.mixed.val().get_bit(0) {
            self.low.next = self.low.val() ^ self.column_0.val();
        }
        if self.mixed.val().get_bit(1) {
            self.low.next = self.low.val() ^ self.column_1.val();
        }
        if self.mixed.val().get_bit(2) {
            self.low.next = self.low.val() ^ self.column_2.val();
        }
        if self.mixed.val().get_bit(3) {
            self.low.next = self.low.val() ^ self.column_3.val();
        }
        self.high.next = self.none.val();
        if self.mixed.val().get_bit(4) {
            self.high.next = self.high.val() ^ self.column_4.val();
        }
        if self.mixed.val().get_bit(5) {
            self.high.next = self.high.val() ^ self.column_5.val();
        }
        if self.mixed.val().get_bit(6) {
            self.high.next = self.high.val() ^ self.column_6.val();
        }
        if self.mixed.val().get_bit(7) {
            self.high.next = self.high.val() ^ self.column_7.val();
        }
        self.facts.next = self.rd_data.val()
            ^ ((self.store_data.val() << 16) | (self.store_data.val() >> 16))
            ^ (bit_cast::<32, 5>(self.rd_addr.val()) << 8)
            ^ (bit_cast::<32, 4>(self.store_mask.val()) << 16);
        if self.trap.val() {
            self.facts.next = self.facts.val() ^ self.trap_bit.val();
        }
        self.stepped.next =
            (self.low.val() ^ self.high.val()) ^ (self.mixed.val() >> 8) ^ self.facts.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::settle;
    use crate::recorder::testing::{check_block, retirements, word};

    #[test]
    fn synthesizes() {
        check_block(DigestStep::default(), "lookback_digest_step");
    }

    #[test]
    fn equals_the_model() {
        let mut step = DigestStep::default();
        step.connect_all();
        let mut expected = lookback_model::digest::Digest::default();
        let mut digest = 0xffff_ffff;
        for r in retirements(1, 500) {
            let stored = !r.trap && r.mem_wmask != 0;
            let rd = if r.trap { 0 } else { r.rd_addr };
            let mask = if r.trap { 0 } else { r.mem_wmask };
            step.digest.next = word(digest);
            step.pc.next = word(r.pc_rdata);
            step.store_addr.next = word(if stored { r.mem_addr } else { 0 });
            step.store_data.next = word(r.mem_wdata & lookback_log_format::retire::lanes(mask));
            step.store_mask.next = u64::from(mask).into();
            step.rd_addr.next = u64::from(rd).into();
            step.rd_data.next = word(if rd == 0 { 0 } else { r.rd_wdata });
            step.trap.next = r.trap;
            settle(&mut step);
            digest = step.stepped.val().to_u32();
            expected.retire(&r);
            assert_eq!(digest, expected.value());
        }
    }
}
