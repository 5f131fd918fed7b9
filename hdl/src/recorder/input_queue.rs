//! Holds retirements that need something until the sequencer has looked them up: 16 entries of LUT
//! RAM between a port that cannot wait and a sequencer that takes a few cycles for each.
//!
//! The flags of the head are in registers, so that the sequencer's choices start early; an entry that
//! meets an empty queue is visible after two cycles.
//!
//! An entry is one retirement and what somebody else wrote in the same cycle, after it. Either part
//! may be missing.

use crate::memory::LutRam;
use rust_hdl::prelude::*;

circuit! {
    /// First in, first out; the head is visible while `valid`.
    pub struct InputQueue [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything
        pub clear: Signal<In, Bit>,
        /// take an entry; not while `full`
        pub push: Signal<In, Bit>,
        /// flags, see `sequencer`
        pub flags: Signal<In, Bits<11>>,
        /// position in the interval
        pub position: Signal<In, Bits<24>>,
        /// address of the instruction
        pub pc: Signal<In, Bits<32>>,
        /// its word
        pub insn: Signal<In, Bits<32>>,
        /// value of the operation
        pub value: Signal<In, Bits<32>>,
        /// data address, without its two low bits
        pub addr: Signal<In, Bits<30>>,
        /// bytes read and written, and written by somebody else
        pub masks: Signal<In, Bits<12>>,
        /// where somebody else wrote, without the two low bits
        pub snoop_addr: Signal<In, Bits<30>>,
        /// drop the head
        pub pop: Signal<In, Bit>,
        /// there is a head
        pub valid: Signal<Out, Bit>,
        /// nothing is in here, visible or not
        pub empty: Signal<Out, Bit>,
        /// no place left
        pub full: Signal<Out, Bit>,
        /// half full or more
        pub half: Signal<Out, Bit>,
        /// the head's flags
        pub head_flags: Signal<Out, Bits<11>>,
        /// the head's position
        pub head_position: Signal<Out, Bits<24>>,
        /// the head's address
        pub head_pc: Signal<Out, Bits<32>>,
        /// the head's word
        pub head_insn: Signal<Out, Bits<32>>,
        /// the head's value
        pub head_value: Signal<Out, Bits<32>>,
        /// the head's data address
        pub head_addr: Signal<Out, Bits<30>>,
        /// the head's masks
        pub head_masks: Signal<Out, Bits<12>>,
        /// the head's other write
        pub head_snoop_addr: Signal<Out, Bits<30>>,
        flags_ram: LutRam<11, 4>,
        position_ram: LutRam<24, 4>,
        pc_ram: LutRam<32, 4>,
        insn_ram: LutRam<32, 4>,
        value_ram: LutRam<32, 4>,
        addr_ram: LutRam<30, 4>,
        masks_ram: LutRam<12, 4>,
        snoop_ram: LutRam<30, 4>,
        read_ff: DFF<Bits<4>>,
        valid_ff: DFF<Bit>,
        flags_ff: DFF<Bits<11>>,
        write_ff: DFF<Bits<4>>,
        count_ff: DFF<Bits<5>>,
        read: Signal<Local, Bits<4>>,
    }
    constants {
        one: 4 = 1,
        one_entry: 5 = 1,
        zero: 4 = 0,
        no_entry: 5 = 0,
    }
}

impl Logic for InputQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read_ff, valid_ff, flags_ff, write_ff, count_ff);
        self.flags_ram.clock.next = self.clock.val();
        self.position_ram.clock.next = self.clock.val();
        self.pc_ram.clock.next = self.clock.val();
        self.insn_ram.clock.next = self.clock.val();
        self.value_ram.clock.next = self.clock.val();
        self.addr_ram.clock.next = self.clock.val();
        self.masks_ram.clock.next = self.clock.val();
        self.snoop_ram.clock.next = self.clock.val();
        self.read.next = self.read_ff.q.val() + self.pop.val();
        self.read_ff.d.next = self.read.val();
        self.flags_ram.read_address.next = self.read.val();
        self.flags_ff.d.next = self.flags_ram.read_data.val();
        self.head_flags.next = self.flags_ff.q.val();
        self.position_ram.read_address.next = self.read_ff.q.val();
        self.pc_ram.read_address.next = self.read_ff.q.val();
        self.insn_ram.read_address.next = self.read_ff.q.val();
        self.value_ram.read_address.next = self.read_ff.q.val();
        self.addr_ram.read_address.next = self.read_ff.q.val();
        self.masks_ram.read_address.next = self.read_ff.q.val();
        self.snoop_ram.read_address.next = self.read_ff.q.val();
        self.flags_ram.write_address.next = self.write_ff.q.val();
        self.position_ram.write_address.next = self.write_ff.q.val();
        self.pc_ram.write_address.next = self.write_ff.q.val();
        self.insn_ram.write_address.next = self.write_ff.q.val();
        self.value_ram.write_address.next = self.write_ff.q.val();
        self.addr_ram.write_address.next = self.write_ff.q.val();
        self.masks_ram.write_address.next = self.write_ff.q.val();
        self.snoop_ram.write_address.next = self.write_ff.q.val();
        self.flags_ram.write_enable.next = self.push.val();
        self.position_ram.write_enable.next = self.push.val();
        self.pc_ram.write_enable.next = self.push.val();
        self.insn_ram.write_enable.next = self.push.val();
        self.value_ram.write_enable.next = self.push.val();
        self.addr_ram.write_enable.next = self.push.val();
        self.masks_ram.write_enable.next = self.push.val();
        self.snoop_ram.write_enable.next = self.push.val();
        self.flags_ram.write_data.next = self.flags.val();
        self.position_ram.write_data.next = self.position.val();
        self.pc_ram.write_data.next = self.pc.val();
        self.insn_ram.write_data.next = self.insn.val();
        self.value_ram.write_data.next = self.value.val();
        self.addr_ram.write_data.next = self.addr.val();
        self.masks_ram.write_data.next = self.masks.val();
        self.snoop_ram.write_data.next = self.snoop_addr.val();
        self.head_position.next = self.position_ram.read_data.val();
        self.head_pc.next = self.pc_ram.read_data.val();
        self.head_insn.next = self.insn_ram.read_data.val();
        self.head_value.next = self.value_ram.read_data.val();
        self.head_addr.next = self.addr_ram.read_data.val();
        self.head_masks.next = self.masks_ram.read_data.val();
        self.head_snoop_addr.next = self.snoop_ram.read_data.val();

        self.valid.next = self.valid_ff.q.val();
        self.empty.next = !self.count_ff.q.val().any();
        // An entry of this cycle can be read in the next one, not in this one.
        self.valid_ff.d.next = self.count_ff.q.val().any()
            & !(self.pop.val() & (self.count_ff.q.val() == self.one_entry.val()));
        self.full.next = self.count_ff.q.val().get_bit(4);
        self.half.next = self.count_ff.q.val().get_bit(4) | self.count_ff.q.val().get_bit(3);
        if self.push.val() {
            self.write_ff.d.next = self.write_ff.q.val() + self.one.val();
            if !self.pop.val() {
                self.count_ff.d.next = self.count_ff.q.val() + self.one_entry.val();
            }
        } else if self.pop.val() {
            self.count_ff.d.next = self.count_ff.q.val() - self.one_entry.val();
        }
        if self.clear.val() {
            self.valid_ff.d.next = false;
            self.read_ff.d.next = self.zero.val();
            self.write_ff.d.next = self.zero.val();
            self.count_ff.d.next = self.no_entry.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(InputQueue::default(), "lookback_input_queue");
    }
}
