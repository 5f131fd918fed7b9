//! The kinds of memory that recorder and drain are built on, as leaves that synthesis maps to LUT RAM
//! and block RAM.
//!
//! rust-hdl's own `RAM` keeps its simulated contents in a tree, which is slow, and knows no
//! asynchronous read. Nothing is initialised: every user clears or guards what it reads. Reading
//! the word that is being written gives nothing that a user relies on.

use rust_hdl::prelude::*;

/// LUT RAM: `2^N` words of `W` bits, read in the same cycle, written at the clock edge.
#[derive(LogicBlock)]
pub struct LutRam<const W: usize, const N: usize> {
    /// clock of writes
    pub clock: Signal<In, Clock>,
    /// word to read
    pub read_address: Signal<In, Bits<N>>,
    /// its value, combinational
    pub read_data: Signal<Out, Bits<W>>,
    /// write at this edge
    pub write_enable: Signal<In, Bit>,
    /// word to write
    pub write_address: Signal<In, Bits<N>>,
    /// its new value
    pub write_data: Signal<In, Bits<W>>,
    _words: Vec<Bits<W>>,
}

impl<const W: usize, const N: usize> Default for LutRam<W, N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            _words: vec![Bits::default(); 1 << N],
        }
    }
}

impl<const W: usize, const N: usize> Logic for LutRam<W, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._words[self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "(* ram_style = \"distributed\" *) reg [{}:0] mem [0:{}];

always @(*) read_data = mem[read_address];

always @(posedge clock) begin
   if (write_enable) mem[write_address] <= write_data;
end
",
            W - 1,
            (1usize << N) - 1
        ))
    }
}

/// A word for each of `N` harts, at most four: registers for one hart, LUT RAM for several. Read in
/// the same cycle, written at the clock edge.
#[derive(LogicBlock)]
pub struct PerHart<const W: usize, const N: usize> {
    /// clock of writes
    pub clock: Signal<In, Clock>,
    /// whose word to read
    pub read_hart: Signal<In, Bits<2>>,
    /// it, combinational
    pub read_data: Signal<Out, Bits<W>>,
    /// write at this edge
    pub write_enable: Signal<In, Bit>,
    /// whose word to write
    pub write_hart: Signal<In, Bits<2>>,
    /// its new value
    pub write_data: Signal<In, Bits<W>>,
    _words: [Bits<W>; 4],
}

impl<const W: usize, const N: usize> Default for PerHart<W, N> {
    fn default() -> Self {
        assert!((1..=4).contains(&N), "harts have two bits");
        Self {
            clock: Default::default(),
            read_hart: Default::default(),
            read_data: Default::default(),
            write_enable: Default::default(),
            write_hart: Default::default(),
            write_data: Default::default(),
            _words: Default::default(),
        }
    }
}

impl<const W: usize, const N: usize> Logic for PerHart<W, N> {
    fn update(&mut self) {
        // One hart has no number.
        let place = |hart: Bits<2>| if N == 1 { 0 } else { hart.index() };
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words[place(self.write_hart.val())] = self.write_data.val();
        }
        self.read_data.next = self._words[place(self.read_hart.val())];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let top = W - 1;
        Verilog::Custom(if N == 1 {
            format!(
                "reg [{top}:0] word;

initial word = 0;

always @(*) read_data = word;

always @(posedge clock) begin
   if (write_enable) word <= write_data;
end
"
            )
        } else {
            format!(
                "(* ram_style = \"distributed\" *) reg [{top}:0] mem [0:3];

always @(*) read_data = mem[read_hart];

always @(posedge clock) begin
   if (write_enable) mem[write_hart] <= write_data;
end
"
            )
        })
    }
}

/// Block RAM: `2^N` words of `W` bits, read and written at the clock edge. Up to 64 words are made of
/// LUT RAM with a register behind it: the answer of a block RAM comes six nanoseconds after the edge.
/// So is one for which a block would be too much ([`BlockRam::of_luts`]), and neither is one that may
/// take a block ([`BlockRam::of_block`]).
#[derive(LogicBlock)]
pub struct BlockRam<const W: usize, const N: usize> {
    /// clock of reads and writes
    pub clock: Signal<In, Clock>,
    /// word to read at this edge
    pub read_address: Signal<In, Bits<N>>,
    /// what was read at the last edge
    pub read_data: Signal<Out, Bits<W>>,
    /// write at this edge
    pub write_enable: Signal<In, Bit>,
    /// word to write
    pub write_address: Signal<In, Bits<N>>,
    /// its new value
    pub write_data: Signal<In, Bits<W>>,
    _words: Vec<Bits<W>>,
    _luts: bool,
}

impl<const W: usize, const N: usize> Default for BlockRam<W, N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            _words: vec![Bits::default(); 1 << N],
            _luts: N <= 6,
        }
    }
}

impl<const W: usize, const N: usize> BlockRam<W, N> {
    /// The same of a block, however few words it has, or of LUT RAM if it is not `wanted`.
    pub fn of_block(self, wanted: bool) -> Self {
        Self {
            _luts: self._luts && !wanted,
            ..self
        }
    }

    /// The same of LUT RAM, however many words it has.
    pub fn of_luts(self) -> Self {
        Self {
            _luts: true,
            ..self
        }
    }
}

impl<const W: usize, const N: usize> Logic for BlockRam<W, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_data.next = self._words[self.read_address.val().index()];
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let style = if self._luts { "distributed" } else { "block" };
        // Without `no_rw_check` yosys would build the old value of a word that is being written.
        Verilog::Custom(format!(
            "(* no_rw_check, ram_style = \"{style}\" *) reg [{}:0] mem [0:{}];

always @(posedge clock) begin
   read_data <= mem[read_address];
   if (write_enable) mem[write_address] <= write_data;
end
",
            W - 1,
            (1usize << N) - 1
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "block_ram".into(),
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

/// Block RAM whose words have a mark of `E` bits beside their `W`: one memory where a block of 36 bits
/// has room for both, though no signal is that wide.
#[derive(LogicBlock)]
pub struct MarkedRam<const W: usize, const E: usize, const N: usize> {
    /// clock of reads and writes
    pub clock: Signal<In, Clock>,
    /// word to read at this edge
    pub read_address: Signal<In, Bits<N>>,
    /// what was read at the last edge
    pub read_data: Signal<Out, Bits<W>>,
    /// its mark
    pub read_mark: Signal<Out, Bits<E>>,
    /// write at this edge
    pub write_enable: Signal<In, Bit>,
    /// word to write
    pub write_address: Signal<In, Bits<N>>,
    /// its new value
    pub write_data: Signal<In, Bits<W>>,
    /// its new mark
    pub write_mark: Signal<In, Bits<E>>,
    _words: Vec<(Bits<W>, Bits<E>)>,
}

impl<const W: usize, const E: usize, const N: usize> Default for MarkedRam<W, E, N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            read_mark: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            write_mark: Default::default(),
            _words: vec![Default::default(); 1 << N],
        }
    }
}

impl<const W: usize, const E: usize, const N: usize> Logic for MarkedRam<W, E, N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let (data, mark) = self._words[self.read_address.val().index()];
            self.read_data.next = data;
            self.read_mark.next = mark;
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] =
                    (self.write_data.val(), self.write_mark.val());
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
        self.read_mark.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "(* no_rw_check, ram_style = \"block\" *) reg [{}:0] mem [0:{}];

always @(posedge clock) begin
   {{read_mark, read_data}} <= mem[read_address];
   if (write_enable) mem[write_address] <= {{write_mark, write_data}};
end
",
            W + E - 1,
            (1usize << N) - 1
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "marked_ram".into(),
            clock: "clock".into(),
            inputs: vec![
                "read_address".into(),
                "write_address".into(),
                "write_data".into(),
                "write_mark".into(),
                "write_enable".into(),
            ],
            outputs: vec!["read_data".into(), "read_mark".into()],
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;
    use crate::{harness::settle, tick};
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(BlockRam::<8, 9>::default(), "lookback_block_ram");
        check_block(LutRam::<8, 4>::default(), "lookback_lut_ram");
    }

    /// Both kinds with the same accesses: one shows a word at once, the other a cycle later.
    #[test]
    fn read_what_was_written() {
        let (mut block, mut lut) = (BlockRam::<5, 3>::default(), LutRam::<5, 3>::default());
        block.connect_all();
        lut.connect_all();
        let mut random = Random::new(1);
        let mut words = [0; 8];
        for _ in 0..500 {
            let (read, write) = (random.below(8), random.below(8));
            let (enable, data) = (random.below(2) == 1, random.below(32));
            block.read_address.next = u64::from(read).into();
            block.write_address.next = u64::from(write).into();
            block.write_enable.next = enable;
            block.write_data.next = u64::from(data).into();
            lut.read_address.next = u64::from(read).into();
            lut.write_address.next = u64::from(write).into();
            lut.write_enable.next = enable;
            lut.write_data.next = u64::from(data).into();
            settle(&mut lut);
            assert_eq!(lut.read_data.val().to_u64(), words[read as usize]);
            tick!(block);
            tick!(lut);
            assert_eq!(block.read_data.val().to_u64(), words[read as usize]);
            if enable {
                words[write as usize] = u64::from(data);
            }
        }
    }
}
