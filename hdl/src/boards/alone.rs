//! Tops without a recorder, with the ports of a recorded board, so that both run in the same harness
//! and what a recorder adds to a board can be told.

use crate::soc::{SmallSoc, Soc};
use rust_hdl::prelude::*;

/// A SoC alone. What a recorder would take means nothing, and what it would give stays idle.
macro_rules! alone {
    ($(#[$meta:meta])* pub struct $name:ident { soc: $soc:ident }) => {
        $(#[$meta])*
        #[derive(LogicBlock, Default)]
        pub struct $name {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, bool>,
            /// Nothing: there is no recorder to wait for.
            pub hold: Signal<In, bool>,
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
            soc: $soc,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.soc.clock.next = self.clock.val();
                self.soc.stall.next = false;
                self.stalled.next = false;
                self.log_tx.next = true;
                self.soc.reset.next = self.reset.val();
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
    };
}

alone! {
    /// The SoC of the boards in `sim`.
    pub struct SimSoc { soc: Soc }
}

alone! {
    /// The smallest SoC, of the boards in `small`.
    pub struct SmallSimSoc { soc: SmallSoc }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::lint_top;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        assert!(lint_top(&SimSoc::default()).is_empty());
        assert!(lint_top(&SmallSimSoc::default()).is_empty());
        check_block(SimSoc::default(), "lookback_sim_soc");
        check_block(SmallSimSoc::default(), "lookback_small_sim_soc");
    }
}
