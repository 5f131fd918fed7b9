//! One step of an interval's digest, combinational: section 3 of the log format.

use rust_hdl::prelude::*;

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
        mixed: Signal<Local, Bits<32>>,
        facts: Signal<Local, Bits<32>>,
    }
    constants {
        polynomial: 32 = 0xedb8_8320u32,
        trap_bit: 32 = 0x8000_0000u32,
    }
}

impl Logic for DigestStep {
    #[hdl_gen]
    fn update(&mut self) {
        self.mixed.next = self.digest.val() ^ self.pc.val() ^ self.store_addr.val();
        for _step in 0..8 {
            if self.mixed.val().get_bit(0) {
                self.mixed.next = (self.mixed.val() >> 1) ^ self.polynomial.val();
            } else {
                self.mixed.next = self.mixed.val() >> 1;
            }
        }
        self.facts.next = (bit_cast::<32, 5>(self.rd_addr.val()) << 8)
            ^ (bit_cast::<32, 4>(self.store_mask.val()) << 16);
        if self.trap.val() {
            self.facts.next = self.facts.val() ^ self.trap_bit.val();
        }
        self.stepped.next = self.mixed.val()
            ^ self.facts.val()
            ^ self.rd_data.val()
            ^ (self.store_data.val() << 16)
            ^ (self.store_data.val() >> 16);
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
