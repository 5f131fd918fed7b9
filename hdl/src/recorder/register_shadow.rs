//! The recorder's own copy of the register file, from which interval headers are made. Twin of
//! `lookback_model::register_shadow`.
//!
//! Two copies in block RAM. The first follows every retirement. The second is what the encoder reads:
//! it stands still from `freeze` (the first instruction of an interval, whose own write it must not
//! have) to `thaw` (the header is written), then takes the first copy over, one register a cycle
//! in which nothing retires that writes a register, nor did in the cycle before. `live` says that it is up to date, and that an
//! interval may end.

use crate::memory::BlockRam;
use rust_hdl::prelude::*;

circuit! {
    /// Two copies of x1 … x31.
    pub struct RegisterShadow [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// write `write_data` to register `sweep` of both copies
        pub clear: Signal<In, Bit>,
        /// register to clear
        pub sweep: Signal<In, Bits<5>>,
        /// a register is written
        pub write: Signal<In, Bit>,
        /// which, not 0
        pub write_addr: Signal<In, Bits<5>>,
        /// its value
        pub write_data: Signal<In, Bits<32>>,
        /// keep the second copy as it is before this cycle's write
        pub freeze: Signal<In, Bit>,
        /// the second copy is no longer needed
        pub thaw: Signal<In, Bit>,
        /// register of the second copy
        pub read_addr: Signal<In, Bits<5>>,
        /// its value, one cycle later
        pub read_data: Signal<Out, Bits<32>>,
        /// both copies are the same
        pub live: Signal<Out, Bit>,
        first: BlockRam<32, 5>,
        second: BlockRam<32, 5>,
        frozen_ff: DFF<Bit>,
        syncing_ff: DFF<Bit>,
        fresh_ff: DFF<Bit>,
        next_ff: DFF<Bits<5>>,
        next: Signal<Local, Bits<5>>,
        copies: Signal<Local, Bit>,
        address: Signal<Local, Bits<5>>,
    }
    constants {
        one: 5 = 1,
    }
}

impl RegisterShadow {
    /// In block RAM if it is one of several.
    pub fn one_of(harts: usize) -> Self {
        Self {
            first: BlockRam::default().of_block(harts > 1),
            second: BlockRam::default().of_block(harts > 1),
            ..Self::default()
        }
    }
}

impl Logic for RegisterShadow {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frozen_ff, syncing_ff, fresh_ff, next_ff);
        self.first.clock.next = self.clock.val();
        self.second.clock.next = self.clock.val();
        self.live.next = !self.frozen_ff.q.val() & !self.syncing_ff.q.val();
        // What was read beside a write may be neither the old value nor the new one.
        self.fresh_ff.d.next = self.syncing_ff.q.val() & !self.write.val();
        self.copies.next = self.syncing_ff.q.val() & self.fresh_ff.q.val() & !self.write.val();
        self.next.next = self.next_ff.q.val();
        if self.copies.val() {
            self.next.next = self.next_ff.q.val() + self.one.val();
        }

        self.address.next = self.write_addr.val();
        if self.clear.val() {
            self.address.next = self.sweep.val();
        }
        self.first.write_enable.next = self.write.val() | self.clear.val();
        self.first.write_address.next = self.address.val();
        self.first.write_data.next = self.write_data.val();
        self.first.read_address.next = self.next.val();

        self.second.write_enable.next = self.clear.val()
            | (self.write.val() & !self.frozen_ff.q.val() & !self.freeze.val())
            | self.copies.val();
        self.second.write_address.next = self.address.val();
        self.second.write_data.next = self.write_data.val();
        if self.copies.val() {
            self.second.write_address.next = self.next_ff.q.val();
            self.second.write_data.next = self.first.read_data.val();
        }
        self.second.read_address.next = self.read_addr.val();
        self.read_data.next = self.second.read_data.val();

        self.next_ff.d.next = self.next.val();
        if self.freeze.val() {
            self.frozen_ff.d.next = true;
        }
        if self.thaw.val() {
            self.frozen_ff.d.next = false;
            self.syncing_ff.d.next = true;
            self.next_ff.d.next = self.one.val();
        } else if self.copies.val() {
            if self.next_ff.q.val().all() {
                self.syncing_ff.d.next = false;
            }
        }
        if self.clear.val() {
            self.frozen_ff.d.next = false;
            self.syncing_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::{check_block, word};
    use crate::tick;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(RegisterShadow::default(), "lookback_register_shadow");
    }

    #[test]
    fn shows_the_registers_of_the_freeze_until_thawed() {
        let mut random = Random::new(4);
        let mut shadow = RegisterShadow::default();
        shadow.connect_all();
        let mut registers = [0u32; 32];
        let mut frozen = None;
        let mut asked = 0;
        shadow.clear.next = true;
        for i in 0..32u64 {
            shadow.sweep.next = i.into();
            tick!(shadow);
        }
        shadow.clear.next = false;
        let mut freezes = 0;
        for _ in 0..5000 {
            let write = random.chance(500);
            let (rd, value) = (1 + random.below(31), random.word());
            shadow.write.next = write;
            shadow.write_addr.next = u64::from(rd).into();
            shadow.write_data.next = word(value);
            shadow.freeze.next = false;
            shadow.thaw.next = false;
            if let Some(expected) = frozen {
                let expected: [u32; 32] = expected;
                if asked != 0 {
                    assert_eq!(shadow.read_data.val().to_u32(), expected[asked]);
                }
                asked = 1 + random.below(31) as usize;
                shadow.read_addr.next = (asked as u64).into();
                if random.chance(10) {
                    shadow.thaw.next = true;
                    frozen = None;
                    asked = 0;
                }
            } else if shadow.live.val() && random.chance(100) {
                freezes += 1;
                shadow.freeze.next = true;
                frozen = Some(registers);
            }
            if write {
                registers[rd as usize] = value;
            }
            tick!(shadow);
        }
        assert!(freezes > 10);
    }
}
