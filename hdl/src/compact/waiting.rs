//! Holds retirements that need something until the sequencer has looked them up: 16 entries of LUT
//! RAM between a port that cannot wait and a sequencer that takes a few cycles for each.
//!
//! As `recorder::input_queue`, with what codec `compact` needs besides; what was stored only where the
//! tags keep words, which is the only place that asks for it. The flags of the head are in
//! registers, so that the sequencer's choices start early; an entry that meets an empty queue is
//! visible after two cycles.

use crate::memory::LutRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// First in, first out; the head is visible while `valid`. `H` is 1 if what was stored is kept, and
    /// 0 if not.
    pub struct Waiting [H] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything
        pub clear: Signal<In, Bit>,
        /// take an entry; not while `full`
        pub push: Signal<In, Bit>,
        /// what it has, see `sequencer`
        pub flags: Signal<In, Bits<21>>,
        /// position in the interval
        pub position: Signal<In, Bits<24>>,
        /// address of the instruction
        pub pc: Signal<In, Bits<32>>,
        /// its word
        pub insn: Signal<In, Bits<32>>,
        /// value of the operation
        pub value: Signal<In, Bits<32>>,
        /// first source
        pub left: Signal<In, Bits<32>>,
        /// second source
        pub right: Signal<In, Bits<32>>,
        /// where the reader expects it
        pub from: Signal<In, Bits<32>>,
        /// data address, without its two low bits
        pub addr: Signal<In, Bits<30>>,
        /// bytes read and written
        pub masks: Signal<In, Bits<8>>,
        /// where somebody else wrote, without the two low bits
        pub snoop_addr: Signal<In, Bits<30>>,
        /// word written, in its lanes
        pub stored: Signal<In, Bits<32>>,
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
        pub head_flags: Signal<Out, Bits<21>>,
        /// the head's position
        pub head_position: Signal<Out, Bits<24>>,
        /// the head's pc
        pub head_pc: Signal<Out, Bits<32>>,
        /// the head's insn
        pub head_insn: Signal<Out, Bits<32>>,
        /// the head's value
        pub head_value: Signal<Out, Bits<32>>,
        /// the head's left
        pub head_left: Signal<Out, Bits<32>>,
        /// the head's right
        pub head_right: Signal<Out, Bits<32>>,
        /// the head's from
        pub head_from: Signal<Out, Bits<32>>,
        /// the head's data address
        pub head_addr: Signal<Out, Bits<30>>,
        /// the head's masks
        pub head_masks: Signal<Out, Bits<8>>,
        /// the head's snoop address
        pub head_snoop_addr: Signal<Out, Bits<30>>,
        /// the head's stored word; 0 if it is not kept
        pub head_stored: Signal<Out, Bits<32>>,
        flags_ram: LutRam<21, 4>,
        position_ram: LutRam<24, 4>,
        pc_ram: LutRam<32, 4>,
        insn_ram: LutRam<32, 4>,
        value_ram: LutRam<32, 4>,
        left_ram: LutRam<32, 4>,
        right_ram: LutRam<32, 4>,
        from_ram: LutRam<32, 4>,
        addr_ram: LutRam<30, 4>,
        masks_ram: LutRam<8, 4>,
        snoop_addr_ram: LutRam<30, 4>,
        read_ff: DFF<Bits<4>>,
        valid_ff: DFF<Bit>,
        flags_ff: DFF<Bits<21>>,
        write_ff: DFF<Bits<4>>,
        count_ff: DFF<Bits<5>>,
        read: Signal<Local, Bits<4>>,
    }
    arrays {
        stored_ram: [LutRam<32, 4>; H],
    }
    constants {
        no_word: 32 = 0,
        one: 4 = 1,
        one_entry: 5 = 1,
        zero: 4 = 0,
        no_entry: 5 = 0,
    }
    check {
        assert!(H <= 1, "it is kept once");
    }
}

impl<const H: usize> Logic for Waiting<H> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read_ff, valid_ff, flags_ff, write_ff, count_ff);
        self.read.next = self.read_ff.q.val();
        if self.pop.val() {
            self.read.next = self.read_ff.q.val() + self.one.val();
        }
        self.read_ff.d.next = self.read.val();
        self.flags_ram.clock.next = self.clock.val();
        self.flags_ram.read_address.next = self.read.val();
        self.flags_ram.write_address.next = self.write_ff.q.val();
        self.flags_ram.write_enable.next = self.push.val();
        self.flags_ram.write_data.next = self.flags.val();
        self.flags_ff.d.next = self.flags_ram.read_data.val();
        self.head_flags.next = self.flags_ff.q.val();
        self.position_ram.clock.next = self.clock.val();
        self.position_ram.read_address.next = self.read_ff.q.val();
        self.position_ram.write_address.next = self.write_ff.q.val();
        self.position_ram.write_enable.next = self.push.val();
        self.position_ram.write_data.next = self.position.val();
        self.head_position.next = self.position_ram.read_data.val();
        self.pc_ram.clock.next = self.clock.val();
        self.pc_ram.read_address.next = self.read_ff.q.val();
        self.pc_ram.write_address.next = self.write_ff.q.val();
        self.pc_ram.write_enable.next = self.push.val();
        self.pc_ram.write_data.next = self.pc.val();
        self.head_pc.next = self.pc_ram.read_data.val();
        self.insn_ram.clock.next = self.clock.val();
        self.insn_ram.read_address.next = self.read_ff.q.val();
        self.insn_ram.write_address.next = self.write_ff.q.val();
        self.insn_ram.write_enable.next = self.push.val();
        self.insn_ram.write_data.next = self.insn.val();
        self.head_insn.next = self.insn_ram.read_data.val();
        self.value_ram.clock.next = self.clock.val();
        self.value_ram.read_address.next = self.read_ff.q.val();
        self.value_ram.write_address.next = self.write_ff.q.val();
        self.value_ram.write_enable.next = self.push.val();
        self.value_ram.write_data.next = self.value.val();
        self.head_value.next = self.value_ram.read_data.val();
        self.left_ram.clock.next = self.clock.val();
        self.left_ram.read_address.next = self.read_ff.q.val();
        self.left_ram.write_address.next = self.write_ff.q.val();
        self.left_ram.write_enable.next = self.push.val();
        self.left_ram.write_data.next = self.left.val();
        self.head_left.next = self.left_ram.read_data.val();
        self.right_ram.clock.next = self.clock.val();
        self.right_ram.read_address.next = self.read_ff.q.val();
        self.right_ram.write_address.next = self.write_ff.q.val();
        self.right_ram.write_enable.next = self.push.val();
        self.right_ram.write_data.next = self.right.val();
        self.head_right.next = self.right_ram.read_data.val();
        self.from_ram.clock.next = self.clock.val();
        self.from_ram.read_address.next = self.read_ff.q.val();
        self.from_ram.write_address.next = self.write_ff.q.val();
        self.from_ram.write_enable.next = self.push.val();
        self.from_ram.write_data.next = self.from.val();
        self.head_from.next = self.from_ram.read_data.val();
        self.addr_ram.clock.next = self.clock.val();
        self.addr_ram.read_address.next = self.read_ff.q.val();
        self.addr_ram.write_address.next = self.write_ff.q.val();
        self.addr_ram.write_enable.next = self.push.val();
        self.addr_ram.write_data.next = self.addr.val();
        self.head_addr.next = self.addr_ram.read_data.val();
        self.masks_ram.clock.next = self.clock.val();
        self.masks_ram.read_address.next = self.read_ff.q.val();
        self.masks_ram.write_address.next = self.write_ff.q.val();
        self.masks_ram.write_enable.next = self.push.val();
        self.masks_ram.write_data.next = self.masks.val();
        self.head_masks.next = self.masks_ram.read_data.val();
        self.snoop_addr_ram.clock.next = self.clock.val();
        self.snoop_addr_ram.read_address.next = self.read_ff.q.val();
        self.snoop_addr_ram.write_address.next = self.write_ff.q.val();
        self.snoop_addr_ram.write_enable.next = self.push.val();
        self.snoop_addr_ram.write_data.next = self.snoop_addr.val();
        self.head_snoop_addr.next = self.snoop_addr_ram.read_data.val();
        self.head_stored.next = self.no_word.val();
        for i in 0..H {
            self.stored_ram[i].clock.next = self.clock.val();
            self.stored_ram[i].read_address.next = self.read_ff.q.val();
            self.stored_ram[i].write_address.next = self.write_ff.q.val();
            self.stored_ram[i].write_enable.next = self.push.val();
            self.stored_ram[i].write_data.next = self.stored.val();
            self.head_stored.next = self.stored_ram[i].read_data.val();
        }

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
        check_block(Waiting::<0>::default(), "lookback_compact_waiting");
        check_block(Waiting::<1>::default(), "lookback_compact_waiting_words");
    }
}
