//! Block RAM with one write and one registered read port on one clock.
//!
//! rust-hdl's own `RAM` simulates on a B-tree and wants two clocks; a ring of many kilobytes that
//! is read every cycle deserves an array. The Verilog is the same pattern, which every synthesiser
//! maps to block RAM. A read in the cycle of a write to the same word gives nothing to rely on: to
//! promise the old word would cost registers and multiplexers around the block RAM.

use rust_hdl::prelude::*;

/// `2^ADDRESS_BITS` words of `WIDTH` bits, at most 32. A word must be written before it is used:
/// there is no initial content in hardware.
#[derive(LogicBlock)]
pub struct Memory<const WIDTH: usize, const ADDRESS_BITS: usize> {
    /// Clock of both ports.
    pub clock: Signal<In, Clock>,
    /// Word to read at the next rising edge.
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// The word that was addressed at the last rising edge.
    pub read_data: Signal<Out, Bits<WIDTH>>,
    /// Write at the next rising edge.
    pub write_enable: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// What to write.
    pub write_data: Signal<In, Bits<WIDTH>>,
    _words: Vec<u32>,
}

impl<const WIDTH: usize, const ADDRESS_BITS: usize> Default for Memory<WIDTH, ADDRESS_BITS> {
    fn default() -> Self {
        assert!(WIDTH <= 32, "words are kept in 32 bits");
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            _words: vec![0; 1 << ADDRESS_BITS],
        }
    }
}

impl<const WIDTH: usize, const ADDRESS_BITS: usize> Logic for Memory<WIDTH, ADDRESS_BITS> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let word = self._words[self.read_address.val().index()];
            self.read_data.next = u64::from(word).into();
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] =
                    self.write_data.val().to_u64() as u32;
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
(* no_rw_check *) reg[{top}:0] mem[{last}:0];

always @(posedge clock) begin
   read_data <= mem[read_address];
   if (write_enable) begin
      mem[write_address] <= write_data;
   end
end
",
            top = WIDTH - 1,
            last = (1usize << ADDRESS_BITS) - 1
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![
            TimingInfo {
                name: "memory_read".into(),
                clock: "clock".into(),
                inputs: vec!["read_address".into()],
                outputs: vec!["read_data".into()],
            },
            TimingInfo {
                name: "memory_write".into(),
                clock: "clock".into(),
                inputs: vec![
                    "write_address".into(),
                    "write_data".into(),
                    "write_enable".into(),
                ],
                outputs: vec![],
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{synthesises, Random};
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_memory", Memory::<8, 9>::default());
    }

    #[test]
    fn reads_what_was_written_a_cycle_later() {
        let mut memory = Memory::<5, 3>::default();
        memory.connect_all();
        let mut random = Random(1);
        let mut words = [0; 8];
        for _ in 0..500 {
            let (read, write) = (random.below(8), random.below(8));
            let (enable, data) = (random.one_in(2), random.below(32));
            memory.read_address.next = read.into();
            memory.write_address.next = write.into();
            memory.write_enable.next = enable;
            memory.write_data.next = data.into();
            tick!(memory);
            assert_eq!(memory.read_data.val().to_u64(), words[read as usize]);
            if enable {
                words[write as usize] = data;
            }
        }
    }
}
