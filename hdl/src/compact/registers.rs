//! The registers as retirements have told since reset: what a source holds before the instruction.
//!
//! ```text
//!  write, write_addr, write_data ──► two copies (LUT RAM), a bit for each register that was written
//!  left_addr, right_addr ──► left, right, and whether they are blank
//! ```
//! A register that is written in a cycle shows its new value from the next cycle on. One that was not
//! written since reset holds 0 (x0 always does): it is said to be `blank`, and what the memory gives for
//! it means nothing. Who uses the value sees to that, with one gate instead of one for each bit here.

use crate::memory::LutRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// 32 registers, two asynchronous read ports.
    pub struct Registers [] {
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
        /// its value, unless it is blank
        pub left: Signal<Out, Bits<32>>,
        /// it holds 0, whatever `left` is
        pub left_blank: Signal<Out, Bit>,
        /// second register to read
        pub right_addr: Signal<In, Bits<5>>,
        /// its value, unless it is blank
        pub right: Signal<Out, Bits<32>>,
        /// it holds 0, whatever `right` is
        pub right_blank: Signal<Out, Bit>,
        left_copy: LutRam<32, 5>,
        right_copy: LutRam<32, 5>,
        written_ff: DFF<Bits<32>>,
        mark: Signal<Local, Bits<32>>,
    }
    constants {
        one: 32 = 1,
        none: 32 = 0,
    }
}

impl Logic for Registers {
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

        self.mark.next = self.one.val() << self.write_addr.val();
        if self.write.val() {
            self.written_ff.d.next = self.written_ff.q.val() | self.mark.val();
        }
        if self.reset.val() {
            self.written_ff.d.next = self.none.val();
        }
        self.left.next = self.left_copy.read_data.val();
        self.left_blank.next = !self
            .written_ff
            .q
            .val()
            .get_bit(self.left_addr.val().index());
        self.right.next = self.right_copy.read_data.val();
        self.right_blank.next = !self
            .written_ff
            .q
            .val()
            .get_bit(self.right_addr.val().index());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Registers::default(), "lookback_compact_registers");
    }
}
