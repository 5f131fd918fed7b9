//! The 31 integer registers and x0: two synchronous read ports, one write port.
//!
//! rust-hdl's own RAM has one read port and keeps its simulated contents in a tree; this one is a
//! plain array, and in hardware two block RAMs.
//! Contract: `left` and `right` show, one cycle later, what the registers held before the edge. The hart
//! relies on that only for registers that are not written at that edge: it writes in Fetch and reads in
//! Decode. So rtl-gen may leave out what the rest would take where that is much.

use rust_hdl::prelude::*;

/// Register file. x0 is an ordinary cell that nobody writes.
#[derive(LogicBlock, Default)]
pub struct Registers {
    /// clock
    pub clock: Signal<In, Clock>,
    /// instruction whose rs1 and rs2 are read (its slices are taken here, where that is cheap)
    pub read_insn: Signal<In, Bits<32>>,
    /// value of rs1, one cycle later
    pub left: Signal<Out, Bits<32>>,
    /// value of rs2, one cycle later
    pub right: Signal<Out, Bits<32>>,
    /// write `write_data` at the next edge
    pub write: Signal<In, Bit>,
    /// register to write
    pub write_address: Signal<In, Bits<5>>,
    /// its new value
    pub write_data: Signal<In, Bits<32>>,
    _cells: [Bits<32>; 32],
}

impl Logic for Registers {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let insn = self.read_insn.val().to_u32();
            self.left.next = self._cells[(insn >> 15 & 31) as usize];
            self.right.next = self._cells[(insn >> 20 & 31) as usize];
            if self.write.val() {
                self._cells[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.left.connect();
        self.right.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
(* ram_style = \"block\" *) reg [31:0] cells [31:0];
integer i;

initial begin
   for (i = 0; i < 32; i = i + 1) cells[i] = 32'h0;
   left = 32'h0;
   right = 32'h0;
end

always @(posedge clock) begin
   left <= cells[read_insn[19:15]];
   right <= cells[read_insn[24:20]];
   if (write) cells[write_address] <= write_data;
end
"
            .into(),
        )
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "registers".into(),
            clock: "clock".into(),
            inputs: vec![
                "read_insn".into(),
                "write".into(),
                "write_address".into(),
                "write_data".into(),
            ],
            outputs: vec!["left".into(), "right".into()],
        }]
    }
}

impl super::circuit::Pending for Registers {
    fn pending(&self) -> bool {
        false
    }
}
