//! The registers as retirements have told since reset, for the conformance check.
//!
//! Contract: a register that is written in a cycle shows its new value from the next cycle on, so
//! that a retirement reads what all retirements before it wrote, one a cycle if need be.

use crate::memory::LutRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// 32 registers, three asynchronous read ports. Those not written since reset read as 0, and
    /// so does x0, which nobody writes.
    pub struct RegisterCopy [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget all
        pub reset: Signal<In, Bit>,
        /// a register is written
        pub write: Signal<In, Bit>,
        /// which, not 0
        pub write_addr: Signal<In, Bits<5>>,
        /// its value
        pub write_data: Signal<In, Bits<32>>,
        /// first register to read
        pub left_addr: Signal<In, Bits<5>>,
        /// its value
        pub left: Signal<Out, Bits<32>>,
        /// second register to read
        pub right_addr: Signal<In, Bits<5>>,
        /// its value
        pub right: Signal<Out, Bits<32>>,
        /// third register to read
        pub old_addr: Signal<In, Bits<5>>,
        /// its value
        pub old: Signal<Out, Bits<32>>,
        left_copy: LutRam<32, 5>,
        right_copy: LutRam<32, 5>,
        old_copy: LutRam<32, 5>,
        written_ff: DFF<Bits<32>>,
        mark: Signal<Local, Bits<32>>,
    }
    constants {
        one: 32 = 1,
        none: 32 = 0,
    }
}

impl Logic for RegisterCopy {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, written_ff);
        self.left_copy.clock.next = self.clock.val();
        self.left_copy.read_address.next = self.left_addr.val();
        self.left_copy.write_enable.next = self.write.val();
        self.left_copy.write_address.next = self.write_addr.val();
        self.left_copy.write_data.next = self.write_data.val();
        self.right_copy.clock.next = self.clock.val();
        self.right_copy.read_address.next = self.right_addr.val();
        self.right_copy.write_enable.next = self.write.val();
        self.right_copy.write_address.next = self.write_addr.val();
        self.right_copy.write_data.next = self.write_data.val();
        self.old_copy.clock.next = self.clock.val();
        self.old_copy.read_address.next = self.old_addr.val();
        self.old_copy.write_enable.next = self.write.val();
        self.old_copy.write_address.next = self.write_addr.val();
        self.old_copy.write_data.next = self.write_data.val();

        self.mark.next = self.one.val() << self.write_addr.val();
        if self.write.val() {
            self.written_ff.d.next = self.written_ff.q.val() | self.mark.val();
        }
        if self.reset.val() {
            self.written_ff.d.next = self.none.val();
        }
        self.left.next = self.none.val();
        if self
            .written_ff
            .q
            .val()
            .get_bit(self.left_addr.val().index())
        {
            self.left.next = self.left_copy.read_data.val();
        }
        self.right.next = self.none.val();
        if self
            .written_ff
            .q
            .val()
            .get_bit(self.right_addr.val().index())
        {
            self.right.next = self.right_copy.read_data.val();
        }
        self.old.next = self.none.val();
        if self.written_ff.q.val().get_bit(self.old_addr.val().index()) {
            self.old.next = self.old_copy.read_data.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::settle;
    use crate::recorder::testing::{check_block, word};
    use crate::tick;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(RegisterCopy::default(), "lookback_register_copy");
    }

    #[test]
    fn reads_what_was_written_since_reset() {
        let mut copy = RegisterCopy::default();
        copy.connect_all();
        let mut random = Random::new(2);
        let mut registers = [0u32; 32];
        for _ in 0..5000 {
            let [left, right, old] = [0; 3].map(|_: u8| random.below(32));
            let (write, addr, data) = (random.chance(400), 1 + random.below(31), random.word());
            let reset = random.chance(10);
            copy.left_addr.next = u64::from(left).into();
            copy.right_addr.next = u64::from(right).into();
            copy.old_addr.next = u64::from(old).into();
            copy.write.next = write;
            copy.write_addr.next = u64::from(addr).into();
            copy.write_data.next = word(data);
            copy.reset.next = reset;
            settle(&mut copy);
            assert_eq!(copy.left.val().to_u32(), registers[left as usize]);
            assert_eq!(copy.right.val().to_u32(), registers[right as usize]);
            assert_eq!(copy.old.val().to_u32(), registers[old as usize]);
            tick!(copy);
            if write {
                registers[addr as usize] = data;
            }
            if reset {
                registers = [0; 32];
            }
        }
    }
}
