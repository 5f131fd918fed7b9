//! The smallest recorder beside somebody else's core, with all that a board needs: UART, and the way to
//! put a program into its RAM.
//!
//! ```text
//!  rvfi_* ──► port ──► recorder ──► log_tx
//!  core_stall, core_reset ◄──┤         ◄── log_rx
//!  core_ram_* ──► loader ────┴──► ram_*
//! ```
//! For one core that keeps its port, as `port` says. There is no checker of the port's rules and no bus:
//! BREACH reads 0. To the host it is a hart of this project.

use super::port::KeptPort;
use super::recorder::SmallRecorder;
use crate::boards::loader::Loader;
use crate::recorder::circuit::circuit;
use crate::recorder::config::SMALL;
use crate::small_sized;
use rust_hdl::prelude::*;

/// The recorder of the preset `small` for somebody else's core, with a clock of `HZ`.
pub type KeptRecorderAt<const HZ: usize> = small_sized!(KeptRecorder, SMALL.ring_bits, HZ);

circuit! {
    /// Retirement port in, UART out, RAM between core and memory; sizes and clock as in `SmallRecorder`.
    pub struct KeptRecorder [S, W, T, E, MASKS, L, D, C, RING, HZ] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped; in the cycle of `rvfi_valid`
        pub rvfi_trap: Signal<In, Bit>,
        /// privilege mode
        pub rvfi_mode: Signal<In, Bits<2>>,
        /// register written
        pub rvfi_rd_addr: Signal<In, Bits<5>>,
        /// value written to it
        pub rvfi_rd_wdata: Signal<In, Bits<32>>,
        /// its address
        pub rvfi_pc_rdata: Signal<In, Bits<32>>,
        /// address of the next one
        pub rvfi_pc_wdata: Signal<In, Bits<32>>,
        /// data address
        pub rvfi_mem_addr: Signal<In, Bits<32>>,
        /// lanes read, of whatever access was the last
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// lanes written, likewise
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// word read
        pub rvfi_mem_rdata: Signal<In, Bits<32>>,
        /// word written
        pub rvfi_mem_wdata: Signal<In, Bits<32>>,
        /// the run is over
        pub run_ended: Signal<In, Bit>,
        /// what it ended with
        pub run_code: Signal<In, Bits<32>>,
        /// stall the core until a recording begins
        pub hold: Signal<In, Bit>,
        /// clock cycles of a UART bit, at least 1
        pub bit_clocks: Signal<In, Bits<16>>,
        /// UART from the host
        pub log_rx: Signal<In, Bit>,
        /// UART to the host
        pub log_tx: Signal<Out, Bit>,
        /// the core must not fetch
        pub core_stall: Signal<Out, Bit>,
        /// reset of the core and of what is around it
        pub core_reset: Signal<Out, Bit>,
        /// size of the RAM
        pub ram_bytes: Signal<In, Bits<32>>,
        /// the core accesses RAM
        pub core_ram_req: Signal<In, Bit>,
        /// its address
        pub core_ram_addr: Signal<In, Bits<32>>,
        /// its word to write
        pub core_ram_wdata: Signal<In, Bits<32>>,
        /// its bytes to write
        pub core_ram_wstrb: Signal<In, Bits<4>>,
        /// the word of the last read, from the cycle after it on
        pub ram_rdata: Signal<In, Bits<32>>,
        /// RAM is accessed at this edge
        pub ram_req: Signal<Out, Bit>,
        /// byte offset within RAM, word aligned
        pub ram_addr: Signal<Out, Bits<32>>,
        /// word to write
        pub ram_wdata: Signal<Out, Bits<32>>,
        /// bytes to write, 0 reads
        pub ram_wstrb: Signal<Out, Bits<4>>,
        /// a recording is under way
        pub recording: Signal<Out, Bit>,
        port: KeptPort,
        loader: Loader,
        recorder: SmallRecorder<S, W, T, E, MASKS, L, D, C, RING, HZ>,
    }
    constants {}
}

impl<
        const S: usize,
        const W: usize,
        const T: usize,
        const E: usize,
        const MASKS: usize,
        const L: usize,
        const D: usize,
        const C: usize,
        const RING: usize,
        const HZ: usize,
    > Logic for KeptRecorder<S, W, T, E, MASKS, L, D, C, RING, HZ>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.port.clock.next = self.clock.val();
        self.loader.clock.next = self.clock.val();
        self.recorder.clock.next = self.clock.val();
        self.loader.reset.next = self.reset.val();
        self.port.reset.next = self.loader.soc_reset.val();
        self.recorder.reset.next = self.loader.recorder_reset.val();
        self.core_reset.next = self.loader.soc_reset.val();

        self.port.rvfi_valid.next = self.rvfi_valid.val();
        self.port.rvfi_insn.next = self.rvfi_insn.val();
        self.port.rvfi_trap.next = self.rvfi_trap.val();
        self.port.rvfi_rd_addr.next = self.rvfi_rd_addr.val();
        self.port.rvfi_rd_wdata.next = self.rvfi_rd_wdata.val();
        self.port.rvfi_mem_addr.next = self.rvfi_mem_addr.val();
        self.port.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.port.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.port.busy.next = self.recorder.stall.val();
        self.core_stall.next = self.port.stall.val();

        self.recorder.rvfi_valid.next = self.port.valid.val();
        self.recorder.rvfi_insn.next = self.rvfi_insn.val();
        self.recorder.rvfi_trap.next = self.port.trap.val();
        self.recorder.rvfi_mode.next = self.rvfi_mode.val();
        self.recorder.rvfi_rd_addr.next = self.port.rd_addr.val();
        self.recorder.rvfi_rd_wdata.next = self.port.rd_wdata.val();
        self.recorder.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.recorder.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.recorder.rvfi_mem_addr.next = self.port.mem_addr.val();
        self.recorder.rvfi_mem_rmask.next = self.port.mem_rmask.val();
        self.recorder.rvfi_mem_wmask.next = self.port.mem_wmask.val();
        self.recorder.rvfi_mem_rdata.next = self.rvfi_mem_rdata.val();
        self.recorder.rvfi_mem_wdata.next = self.rvfi_mem_wdata.val();
        self.recorder.run_ended.next = self.run_ended.val();
        self.recorder.run_code.next = self.run_code.val();
        self.recorder.hold.next = self.hold.val();
        self.recorder.bit_clocks.next = self.bit_clocks.val();
        self.recorder.log_rx.next = self.log_rx.val();
        self.log_tx.next = self.recorder.log_tx.val();
        self.recording.next = self.recorder.recording.val();

        self.loader.ram_bytes.next = self.ram_bytes.val();
        self.loader.fire.next = self.recorder.board_fire.val();
        self.loader.write.next = self.recorder.board_write.val();
        self.loader.register.next = self.recorder.board_register.val();
        self.loader.value.next = self.recorder.board_value.val();
        self.loader.index.next = self.recorder.board_index.val();
        self.recorder.board_bit.next = self.loader.out_bit.val();
        self.loader.soc_req.next = self.core_ram_req.val();
        self.loader.soc_addr.next = self.core_ram_addr.val();
        self.loader.soc_wdata.next = self.core_ram_wdata.val();
        self.loader.soc_wstrb.next = self.core_ram_wstrb.val();
        self.loader.ram_rdata.next = self.ram_rdata.val();
        self.ram_req.next = self.loader.ram_req.val();
        self.ram_addr.next = self.loader.ram_addr.val();
        self.ram_wdata.next = self.loader.ram_wdata.val();
        self.ram_wstrb.next = self.loader.ram_wstrb.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::lint_top;
    use crate::recorder::config::CLOCK_HZ;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        let block = KeptRecorderAt::<{ CLOCK_HZ as usize }>::default();
        assert!(lint_top(&block).is_empty());
        check_block(block, "lookback_recorder_kept");
    }
}
