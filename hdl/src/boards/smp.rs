//! Tops for simulation with several harts: as those of `sim`, with whose retirement it is, and an input
//! that brings about other interleavings.

use crate::boards::loader::Loader;
use crate::recorder::circuit::{circuit, Pending};
use crate::recorder::config::{BUGNET, BUGNET_4K, BUGNET_WORDS, CLOCK_HZ, ORDER, TINY, TINY_ORDER};
use crate::recorder::several::SeveralRecorder;
use crate::several;
use crate::soc::smp::Smp;
use rust_hdl::prelude::*;

/// The SoC with several harts alone; `M` is `N` - 1.
#[derive(LogicBlock, Default)]
pub struct SimSmp<const N: usize, const M: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, bool>,
    /// Nothing: there is no recorder to wait for.
    pub hold: Signal<In, bool>,
    /// Harts that are granted no access in the next cycle, one bit each.
    pub hold_back: Signal<In, Bits<4>>,
    /// Size of the RAM.
    pub ram_bytes: Signal<In, Bits<32>>,
    /// The word of the last read, from the cycle after it on.
    pub ram_rdata: Signal<In, Bits<32>>,
    /// A byte is offered to the console.
    pub console_rx_valid: Signal<In, bool>,
    /// That byte.
    pub console_rx_data: Signal<In, Bits<8>>,
    /// Pins in.
    pub gpio_in: Signal<In, Bits<32>>,
    /// Nothing: the link is dead.
    pub bit_clocks: Signal<In, Bits<16>>,
    /// Nothing: the link is dead.
    pub log_rx: Signal<In, bool>,
    /// Access RAM.
    pub ram_req: Signal<Out, bool>,
    /// Byte offset of the word.
    pub ram_addr: Signal<Out, Bits<32>>,
    /// Word to write.
    pub ram_wdata: Signal<Out, Bits<32>>,
    /// Bytes to write, none for a read.
    pub ram_wstrb: Signal<Out, Bits<4>>,
    /// The console sends a byte.
    pub console_tx_valid: Signal<Out, bool>,
    /// That byte.
    pub console_tx_data: Signal<Out, Bits<8>>,
    /// The offered byte was taken.
    pub console_rx_ready: Signal<Out, bool>,
    /// Pins out.
    pub gpio_out: Signal<Out, Bits<32>>,
    /// The run has ended.
    pub finished: Signal<Out, bool>,
    /// What it ended with.
    pub finish_code: Signal<Out, Bits<32>>,
    /// Idle for ever.
    pub log_tx: Signal<Out, bool>,
    /// Never.
    pub stalled: Signal<Out, bool>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_valid: Signal<Out, bool>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_hart: Signal<Out, Bits<2>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_insn: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_trap: Signal<Out, bool>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_intr: Signal<Out, bool>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_mode: Signal<Out, Bits<2>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_rs1_addr: Signal<Out, Bits<5>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_rs2_addr: Signal<Out, Bits<5>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_rs1_rdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_rs2_rdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_rd_addr: Signal<Out, Bits<5>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_rd_wdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_mem_addr: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_mem_rmask: Signal<Out, Bits<4>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_mem_wmask: Signal<Out, Bits<4>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_mem_rdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub rvfi_mem_wdata: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub snoop_valid: Signal<Out, bool>,
    /// Checking: as the SoC's port of this name.
    pub snoop_addr: Signal<Out, Bits<32>>,
    /// Checking: as the SoC's port of this name.
    pub snoop_mask: Signal<Out, Bits<4>>,
    soc: Smp<N, M>,
}

impl<const N: usize, const M: usize> Logic for SimSmp<N, M> {
    #[hdl_gen]
    fn update(&mut self) {
        self.soc.clock.next = self.clock.val();
        self.soc.stall.next = false;
        self.stalled.next = false;
        self.log_tx.next = true;
        self.soc.reset.next = self.reset.val();
        self.soc.hold_back.next = self.hold_back.val();
        self.soc.ram_bytes.next = self.ram_bytes.val();
        self.soc.ram_rdata.next = self.ram_rdata.val();
        self.soc.console_rx_valid.next = self.console_rx_valid.val();
        self.soc.console_rx_data.next = self.console_rx_data.val();
        self.soc.gpio_in.next = self.gpio_in.val();
        self.ram_req.next = self.soc.ram_req.val();
        self.ram_addr.next = self.soc.ram_addr.val();
        self.ram_wdata.next = self.soc.ram_wdata.val();
        self.ram_wstrb.next = self.soc.ram_wstrb.val();
        self.console_tx_valid.next = self.soc.console_tx_valid.val();
        self.console_tx_data.next = self.soc.console_tx_data.val();
        self.console_rx_ready.next = self.soc.console_rx_ready.val();
        self.gpio_out.next = self.soc.gpio_out.val();
        self.finished.next = self.soc.finished.val();
        self.finish_code.next = self.soc.finish_code.val();
        self.rvfi_valid.next = self.soc.rvfi_valid.val();
        self.rvfi_hart.next = self.soc.rvfi_hart.val();
        self.rvfi_insn.next = self.soc.rvfi_insn.val();
        self.rvfi_trap.next = self.soc.rvfi_trap.val();
        self.rvfi_intr.next = self.soc.rvfi_intr.val();
        self.rvfi_mode.next = self.soc.rvfi_mode.val();
        self.rvfi_rs1_addr.next = self.soc.rvfi_rs1_addr.val();
        self.rvfi_rs2_addr.next = self.soc.rvfi_rs2_addr.val();
        self.rvfi_rs1_rdata.next = self.soc.rvfi_rs1_rdata.val();
        self.rvfi_rs2_rdata.next = self.soc.rvfi_rs2_rdata.val();
        self.rvfi_rd_addr.next = self.soc.rvfi_rd_addr.val();
        self.rvfi_rd_wdata.next = self.soc.rvfi_rd_wdata.val();
        self.rvfi_pc_rdata.next = self.soc.rvfi_pc_rdata.val();
        self.rvfi_pc_wdata.next = self.soc.rvfi_pc_wdata.val();
        self.rvfi_mem_addr.next = self.soc.rvfi_mem_addr.val();
        self.rvfi_mem_rmask.next = self.soc.rvfi_mem_rmask.val();
        self.rvfi_mem_wmask.next = self.soc.rvfi_mem_wmask.val();
        self.rvfi_mem_rdata.next = self.soc.rvfi_mem_rdata.val();
        self.rvfi_mem_wdata.next = self.soc.rvfi_mem_wdata.val();
        self.snoop_valid.next = self.soc.snoop_valid.val();
        self.snoop_addr.next = self.soc.snoop_addr.val();
        self.snoop_mask.next = self.soc.snoop_mask.val();
    }
}

impl<const N: usize, const M: usize> Pending for Smp<N, M> {}

/// Two harts without a recorder.
pub type SimSmp2 = SimSmp<2, 1>;
/// Four harts without a recorder.
pub type SimSmp4 = SimSmp<4, 3>;
/// Two harts with the recorder of the preset `bugnet`.
pub type BugnetBoard2 = several!(SmpBoard, BUGNET, ORDER, 2, 1, CLOCK_HZ as usize);
/// Four harts with the recorder of the preset `bugnet`.
pub type BugnetBoard4 = several!(SmpBoard, BUGNET, ORDER, 4, 3, CLOCK_HZ as usize);
/// Two harts with the recorder of the preset `words`.
pub type WordsBoard2 = several!(SmpBoard, BUGNET_WORDS, ORDER, 2, 1, CLOCK_HZ as usize);
/// Four harts with the recorder of the preset `words`.
pub type WordsBoard4 = several!(SmpBoard, BUGNET_WORDS, ORDER, 4, 3, CLOCK_HZ as usize);
/// Two harts with the recorder of the preset `bugnet-4k-2`, which has a ring of 4 KB, and a clock of `HZ`.
pub type Bugnet4kBoard2At<const HZ: usize> = several!(SmpBoard, BUGNET_4K, ORDER, 2, 1, HZ);
/// Two harts with the recorder of the preset `tiny`.
pub type TinyBoard2 = several!(SmpBoard, TINY, TINY_ORDER, 2, 1, CLOCK_HZ as usize);
/// Four harts with the recorder of the preset `tiny`.
pub type TinyBoard4 = several!(SmpBoard, TINY, TINY_ORDER, 4, 3, CLOCK_HZ as usize);

circuit! {
    /// A SoC with several harts and its recorder; sizes as in `SeveralRecorder`, and `Q` is `N` - 1; `HZ` is its
    /// clock.
    pub struct SmpBoard [WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, RING, N, KN, OB, OT, OA, OG, OF, OE, OP, OS, OSE, OSP, OK, OM, OH, OQ, OR, Q, HZ] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// wait for the host before the first instruction
        pub hold: Signal<In, Bit>,
        /// clock cycles of a UART bit, at least 1
        pub bit_clocks: Signal<In, Bits<16>>,
        /// UART from the host
        pub log_rx: Signal<In, Bit>,
        /// harts that are granted no access in the next cycle, one bit each
        pub hold_back: Signal<In, Bits<4>>,
        /// size of the RAM
        pub ram_bytes: Signal<In, Bits<32>>,
        /// word read from RAM, a cycle after the request
        pub ram_rdata: Signal<In, Bits<32>>,
        /// console input has a byte
        pub console_rx_valid: Signal<In, Bit>,
        /// the byte
        pub console_rx_data: Signal<In, Bits<8>>,
        /// pins in
        pub gpio_in: Signal<In, Bits<32>>,
        /// RAM is accessed at this edge
        pub ram_req: Signal<Out, Bit>,
        /// byte offset within RAM, word aligned
        pub ram_addr: Signal<Out, Bits<32>>,
        /// word to write
        pub ram_wdata: Signal<Out, Bits<32>>,
        /// bytes to write, 0 reads
        pub ram_wstrb: Signal<Out, Bits<4>>,
        /// console output has a byte
        pub console_tx_valid: Signal<Out, Bit>,
        /// the byte
        pub console_tx_data: Signal<Out, Bits<8>>,
        /// the input byte was taken
        pub console_rx_ready: Signal<Out, Bit>,
        /// pins out
        pub gpio_out: Signal<Out, Bits<32>>,
        /// the run is over
        pub finished: Signal<Out, Bit>,
        /// what it ended with
        pub finish_code: Signal<Out, Bits<32>>,
        /// UART to the host
        pub log_tx: Signal<Out, Bit>,
        /// the recorder keeps the hart from starting an instruction
        pub stalled: Signal<Out, Bit>,
        /// an instruction retires
        pub rvfi_valid: Signal<Out, Bit>,
        /// on this hart
        pub rvfi_hart: Signal<Out, Bits<2>>,
        /// its word
        pub rvfi_insn: Signal<Out, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<Out, Bit>,
        /// first of a handler
        pub rvfi_intr: Signal<Out, Bit>,
        /// privilege mode
        pub rvfi_mode: Signal<Out, Bits<2>>,
        /// first source
        pub rvfi_rs1_addr: Signal<Out, Bits<5>>,
        /// second source
        pub rvfi_rs2_addr: Signal<Out, Bits<5>>,
        /// its value
        pub rvfi_rs1_rdata: Signal<Out, Bits<32>>,
        /// its value
        pub rvfi_rs2_rdata: Signal<Out, Bits<32>>,
        /// register written
        pub rvfi_rd_addr: Signal<Out, Bits<5>>,
        /// value written to it
        pub rvfi_rd_wdata: Signal<Out, Bits<32>>,
        /// its address
        pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
        /// address of the next one
        pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
        /// word-aligned data address
        pub rvfi_mem_addr: Signal<Out, Bits<32>>,
        /// bytes read
        pub rvfi_mem_rmask: Signal<Out, Bits<4>>,
        /// bytes written
        pub rvfi_mem_wmask: Signal<Out, Bits<4>>,
        /// word read
        pub rvfi_mem_rdata: Signal<Out, Bits<32>>,
        /// word written
        pub rvfi_mem_wdata: Signal<Out, Bits<32>>,
        /// somebody else writes memory
        pub snoop_valid: Signal<Out, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<Out, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<Out, Bits<4>>,
        soc: Smp<N, Q>,
        loader: Loader,
        recorder:
            SeveralRecorder<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, RING, N, KN, OB, OT, OA, OG, OF, OE, OP, OS, OSE, OSP, OK, OM, OH, OQ, OR, HZ>,
    }
    constants {}
}

impl<
        const WAYS: usize,
        const S: usize,
        const W: usize,
        const WORDS: usize,
        const T: usize,
        const E: usize,
        const L: usize,
        const M: usize,
        const I: usize,
        const P: usize,
        const LANES: usize,
        const B: usize,
        const R: usize,
        const D: usize,
        const C: usize,
        const F: usize,
        const RESERVE: usize,
        const K: usize,
        const RING: usize,
        const N: usize,
        const KN: usize,
        const OB: usize,
        const OT: usize,
        const OA: usize,
        const OG: usize,
        const OF: usize,
        const OE: usize,
        const OP: usize,
        const OS: usize,
        const OSE: usize,
        const OSP: usize,
        const OK: usize,
        const OM: usize,
        const OH: usize,
        const OQ: usize,
        const OR: usize,
        const Q: usize,
        const HZ: usize,
    > Logic
    for SmpBoard<
        WAYS,
        S,
        W,
        WORDS,
        T,
        E,
        L,
        M,
        I,
        P,
        LANES,
        B,
        R,
        D,
        C,
        F,
        RESERVE,
        K,
        RING,
        N,
        KN,
        OB,
        OT,
        OA,
        OG,
        OF,
        OE,
        OP,
        OS,
        OSE,
        OSP,
        OK,
        OM,
        OH,
        OQ,
        OR,
        Q,
        HZ,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        self.soc.clock.next = self.clock.val();
        self.soc.reset.next = self.loader.soc_reset.val();
        self.recorder.clock.next = self.clock.val();
        self.recorder.reset.next = self.loader.recorder_reset.val();
        self.loader.clock.next = self.clock.val();
        self.loader.reset.next = self.reset.val();
        self.loader.ram_bytes.next = self.ram_bytes.val();
        self.loader.fire.next = self.recorder.board_fire.val();
        self.loader.write.next = self.recorder.board_write.val();
        self.loader.register.next = self.recorder.board_register.val();
        self.loader.value.next = self.recorder.board_value.val();
        self.loader.index.next = self.recorder.board_index.val();
        self.recorder.board_bit.next = self.loader.out_bit.val();
        self.loader.soc_req.next = self.soc.ram_req.val();
        self.loader.soc_addr.next = self.soc.ram_addr.val();
        self.loader.soc_wdata.next = self.soc.ram_wdata.val();
        self.loader.soc_wstrb.next = self.soc.ram_wstrb.val();
        self.loader.ram_rdata.next = self.ram_rdata.val();
        self.soc.stall.next = self.recorder.stall.val();
        self.soc.hold_back.next = self.hold_back.val();
        self.soc.ram_bytes.next = self.ram_bytes.val();
        self.soc.ram_rdata.next = self.ram_rdata.val();
        self.soc.console_rx_valid.next = self.console_rx_valid.val();
        self.soc.console_rx_data.next = self.console_rx_data.val();
        self.soc.gpio_in.next = self.gpio_in.val();
        self.ram_req.next = self.loader.ram_req.val();
        self.ram_addr.next = self.loader.ram_addr.val();
        self.ram_wdata.next = self.loader.ram_wdata.val();
        self.ram_wstrb.next = self.loader.ram_wstrb.val();
        self.console_tx_valid.next = self.soc.console_tx_valid.val();
        self.console_tx_data.next = self.soc.console_tx_data.val();
        self.console_rx_ready.next = self.soc.console_rx_ready.val();
        self.gpio_out.next = self.soc.gpio_out.val();
        self.finished.next = self.soc.finished.val();
        self.finish_code.next = self.soc.finish_code.val();
        self.rvfi_valid.next = self.soc.rvfi_valid.val();
        self.rvfi_hart.next = self.soc.rvfi_hart.val();
        self.rvfi_insn.next = self.soc.rvfi_insn.val();
        self.rvfi_trap.next = self.soc.rvfi_trap.val();
        self.rvfi_intr.next = self.soc.rvfi_intr.val();
        self.rvfi_mode.next = self.soc.rvfi_mode.val();
        self.rvfi_rs1_addr.next = self.soc.rvfi_rs1_addr.val();
        self.rvfi_rs2_addr.next = self.soc.rvfi_rs2_addr.val();
        self.rvfi_rs1_rdata.next = self.soc.rvfi_rs1_rdata.val();
        self.rvfi_rs2_rdata.next = self.soc.rvfi_rs2_rdata.val();
        self.rvfi_rd_addr.next = self.soc.rvfi_rd_addr.val();
        self.rvfi_rd_wdata.next = self.soc.rvfi_rd_wdata.val();
        self.rvfi_pc_rdata.next = self.soc.rvfi_pc_rdata.val();
        self.rvfi_pc_wdata.next = self.soc.rvfi_pc_wdata.val();
        self.rvfi_mem_addr.next = self.soc.rvfi_mem_addr.val();
        self.rvfi_mem_rmask.next = self.soc.rvfi_mem_rmask.val();
        self.rvfi_mem_wmask.next = self.soc.rvfi_mem_wmask.val();
        self.rvfi_mem_rdata.next = self.soc.rvfi_mem_rdata.val();
        self.rvfi_mem_wdata.next = self.soc.rvfi_mem_wdata.val();
        self.snoop_valid.next = self.soc.snoop_valid.val();
        self.snoop_addr.next = self.soc.snoop_addr.val();
        self.snoop_mask.next = self.soc.snoop_mask.val();

        self.recorder.rvfi_valid.next = self.soc.rvfi_valid.val();
        self.recorder.rvfi_hart.next = self.soc.rvfi_hart.val();
        self.recorder.rvfi_insn.next = self.soc.rvfi_insn.val();
        self.recorder.rvfi_trap.next = self.soc.rvfi_trap.val();
        self.recorder.rvfi_mode.next = self.soc.rvfi_mode.val();
        self.recorder.rvfi_rd_addr.next = self.soc.rvfi_rd_addr.val();
        self.recorder.rvfi_rd_wdata.next = self.soc.rvfi_rd_wdata.val();
        self.recorder.rvfi_pc_rdata.next = self.soc.rvfi_pc_rdata.val();
        self.recorder.rvfi_pc_wdata.next = self.soc.rvfi_pc_wdata.val();
        self.recorder.rvfi_mem_addr.next = self.soc.rvfi_mem_addr.val();
        self.recorder.rvfi_mem_rmask.next = self.soc.rvfi_mem_rmask.val();
        self.recorder.rvfi_mem_wmask.next = self.soc.rvfi_mem_wmask.val();
        self.recorder.rvfi_mem_rdata.next = self.soc.rvfi_mem_rdata.val();
        self.recorder.rvfi_mem_wdata.next = self.soc.rvfi_mem_wdata.val();
        self.recorder.snoop_valid.next = self.soc.snoop_valid.val();
        self.recorder.snoop_addr.next = self.soc.snoop_addr.val();
        self.recorder.snoop_mask.next = self.soc.snoop_mask.val();
        self.recorder.run_ended.next = self.soc.finished.val();
        self.recorder.run_code.next = self.soc.finish_code.val();
        self.recorder.hold.next = self.hold.val();
        self.recorder.bit_clocks.next = self.bit_clocks.val();
        self.recorder.log_rx.next = self.log_rx.val();
        self.log_tx.next = self.recorder.log_tx.val();
        self.stalled.next = self.recorder.stall.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::lint_top;

    #[test]
    fn passes_the_lint() {
        assert!(lint_top(&SimSmp2::default()).is_empty());
        assert_eq!(lint_top(&TinyBoard2::default()), []);
    }
}
