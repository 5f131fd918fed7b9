//! What the host can read of the registers that hold still: one bit after the other, from a memory.
//!
//! A multiplexer of all registers costs more than the registers; a reply has time for a bit a cycle.
//! The read-only words are the memory's initial content. A word that the host sets is copied here
//! after it was set, bit by bit too.
//!
//! The memory is a block RAM. A recorder that has none to spare has its settings in LUT RAM and the
//! read-only words as constants ([`RegisterBits::of_luts`]).

use rust_hdl::prelude::*;

/// Registers of each kind.
const REGISTERS: usize = 16;
/// Bits of one kind.
const BITS: usize = 32 * REGISTERS;

/// 16 read-only registers of 32 bits and 16 others, as bits: the address is the kind, the register
/// and then the bit.
#[derive(LogicBlock)]
pub struct RegisterBits {
    /// Clock of both ports.
    pub clock: Signal<In, Clock>,
    /// Bit to read at the next rising edge.
    pub read_address: Signal<In, Bits<10>>,
    /// The bit that was addressed at the last rising edge.
    pub read_data: Signal<Out, Bit>,
    /// Write at the next rising edge.
    pub write_enable: Signal<In, Bit>,
    /// Bit to write, of those that are not read-only; not the one that is being read.
    pub write_address: Signal<In, Bits<9>>,
    /// What to write.
    pub write_data: Signal<In, Bit>,
    _words: [u32; 2 * REGISTERS],
    _luts: bool,
}

impl RegisterBits {
    /// With these words in the first registers and zeros in the others.
    pub fn new<const N: usize>(words: [u32; N]) -> Self {
        let mut all = [0; 2 * REGISTERS];
        all[..N].copy_from_slice(&words);
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            _words: all,
            _luts: false,
        }
    }

    /// The same without a block RAM.
    pub fn of_luts(self) -> Self {
        Self {
            _luts: true,
            ..self
        }
    }

    fn block_ram(&self) -> String {
        let ones = (0..BITS)
            .filter(|place| self._words[place / 32] >> (place % 32) & 1 == 1)
            .map(|place| format!("   mem[{place}] = 1'b1;\n"))
            .collect::<String>();
        format!(
            "\
(* ram_style = \"block\", no_rw_check *) reg mem[{last}:0];
integer place;

initial begin
   for (place = 0; place <= {last}; place = place + 1) mem[place] = 1'b0;
{ones}end

always @(posedge clock) begin
   read_data <= mem[read_address];
   if (write_enable) begin
      mem[{{1'b1, write_address}}] <= write_data;
   end
end
",
            last = 2 * BITS - 1
        )
    }

    fn lut_ram(&self) -> String {
        let words = self._words[..REGISTERS].iter().rev();
        let words: Vec<String> = words.map(|word| format!("32'h{word:08x}")).collect();
        format!(
            "\
localparam [{last}:0] words = {{{words}}};
(* ram_style = \"distributed\", no_rw_check *) reg mem[{last}:0];

always @(posedge clock) begin
   read_data <= read_address[9] ? mem[read_address[8:0]] : words[read_address[8:0]];
   if (write_enable) begin
      mem[write_address] <= write_data;
   end
end
",
            last = BITS - 1,
            words = words.join(", ")
        )
    }
}

impl Logic for RegisterBits {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let place = self.read_address.val().index();
            self.read_data.next = self._words[place / 32] >> (place % 32) & 1 == 1;
            if self.write_enable.val() {
                let place = BITS + self.write_address.val().index();
                let word = &mut self._words[place / 32];
                *word &= !(1 << (place % 32));
                *word |= u32::from(self.write_data.val()) << (place % 32);
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(if self._luts {
            self.lut_ram()
        } else {
            self.block_ram()
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "register_bits".into(),
            clock: "clock".into(),
            inputs: vec![
                "read_address".into(),
                "write_address".into(),
                "write_data".into(),
                "write_enable".into(),
            ],
            outputs: vec!["read_data".into()],
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::synthesises;
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        let bits = RegisterBits::new([1, 2]);
        synthesises("drain_register_bits", bits);
        let bits = RegisterBits::new([1, 2]).of_luts();
        synthesises("drain_register_bits_luts", bits);
    }

    #[test]
    fn keeps_bits() {
        let mut bits = RegisterBits::new([0x8000_0001, 0x1234_5678]);
        bits.connect_all();
        let word = |bits: &mut RegisterBits, register: u64| {
            (0..32).fold(0, |word, i| {
                bits.read_address.next = (32 * register + i).into();
                tick!(*bits);
                word | u32::from(bits.read_data.val()) << i
            })
        };
        bits.write_enable.next = true;
        for place in [0u64, 1, 15 * 32 + 31] {
            bits.write_address.next = u64::into(place);
            bits.write_data.next = place != 0;
            tick!(bits);
        }
        bits.write_enable.next = false;
        assert_eq!(word(&mut bits, 0), 0x8000_0001);
        assert_eq!(word(&mut bits, 1), 0x1234_5678);
        assert_eq!(word(&mut bits, 2), 0);
        assert_eq!(word(&mut bits, 16), 2);
        assert_eq!(word(&mut bits, 31), 0x8000_0000);
    }
}
