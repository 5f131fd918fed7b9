//! The whole smallest recorder: its front, and the drain without what may be left out (the
//! acknowledged link, ring mode, triggers), which reads 0 in the registers.

use super::front::SmallFront;
use crate::drain::{Drain, Identity};
use crate::recorder::circuit::circuit;
use crate::recorder::config::{Sizes, SMALL};
use crate::recorder::recorder::identity;
use rust_hdl::prelude::*;

circuit! {
    /// Retirement port in, UART out; sizes as in `SmallFront`, a ring of `2^RING` bytes, and a
    /// clock of `HZ`, which is only reported.
    pub struct SmallRecorder [S, W, T, E, MASKS, L, D, C, RING, HZ] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped
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
        /// word-aligned data address
        pub rvfi_mem_addr: Signal<In, Bits<32>>,
        /// bytes read
        pub rvfi_mem_rmask: Signal<In, Bits<4>>,
        /// bytes written
        pub rvfi_mem_wmask: Signal<In, Bits<4>>,
        /// word read
        pub rvfi_mem_rdata: Signal<In, Bits<32>>,
        /// word written
        pub rvfi_mem_wdata: Signal<In, Bits<32>>,
        /// the run is over
        pub run_ended: Signal<In, Bit>,
        /// what it ended with
        pub run_code: Signal<In, Bits<32>>,
        /// stall the hart until a recording begins
        pub hold: Signal<In, Bit>,
        /// clock cycles of a UART bit, at least 1
        pub bit_clocks: Signal<In, Bits<16>>,
        /// UART from the host
        pub log_rx: Signal<In, Bit>,
        /// the hart must not start an instruction
        pub stall: Signal<Out, Bit>,
        /// UART to the host
        pub log_tx: Signal<Out, Bit>,
        /// the bit of the board's register that was wanted
        pub board_bit: Signal<In, Bit>,
        /// a command of the host is obeyed, see `drain_core`
        pub board_fire: Signal<Out, Bit>,
        /// it is a WRITE
        pub board_write: Signal<Out, Bit>,
        /// its register
        pub board_register: Signal<Out, Bits<8>>,
        /// its value
        pub board_value: Signal<Out, Bits<32>>,
        /// the bit of the register that is wanted in the next cycle
        pub board_index: Signal<Out, Bits<5>>,
        /// a recording is under way
        pub recording: Signal<Out, Bit>,
        /// never: there are no triggers
        pub triggered: Signal<Out, Bit>,
        /// retirements were lost
        pub overflowed: Signal<Out, Bit>,
        front: SmallFront<S, W, T, E, MASKS, L, D, C>,
    }
    built {
        drain: Drain<RING> = Drain::new(Identity {
            plain: true,
            ..identity(&Sizes {
                set_bits: S,
                word_bits: W,
                epoch_bits: E,
                dirty_bits: D,
                ring_bits: RING,
                ..SMALL
            }.config(HZ as u32))
        }),
    }
    constants {
        none: 32 = 0,
        nothing: 5 = 0,
    }
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
    > Logic for SmallRecorder<S, W, T, E, MASKS, L, D, C, RING, HZ>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.front.clock.next = self.clock.val();
        self.front.reset.next = self.reset.val();
        self.drain.clock.next = self.clock.val();
        self.drain.reset.next = self.reset.val();
        self.front.rvfi_valid.next = self.rvfi_valid.val();
        self.front.rvfi_insn.next = self.rvfi_insn.val();
        self.front.rvfi_trap.next = self.rvfi_trap.val();
        self.front.rvfi_mode.next = self.rvfi_mode.val();
        self.front.rvfi_rd_addr.next = self.rvfi_rd_addr.val();
        self.front.rvfi_rd_wdata.next = self.rvfi_rd_wdata.val();
        self.front.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.front.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.front.rvfi_mem_addr.next = self.rvfi_mem_addr.val();
        self.front.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.front.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.front.rvfi_mem_rdata.next = self.rvfi_mem_rdata.val();
        self.front.rvfi_mem_wdata.next = self.rvfi_mem_wdata.val();
        self.front.run_ended.next = self.run_ended.val();
        self.front.hold.next = self.hold.val();

        // What the host wants.
        self.front.enable.next = self.drain.enable.val();
        self.front.interval.next = self.drain.interval.val();
        self.front.count_bits.next = self.drain.count_bits.val();
        self.front.image_lo.next = self.drain.image_lo.val();
        self.front.image_hi.next = self.drain.image_hi.val();

        // What it gets.
        self.drain.byte_valid.next = self.front.byte_valid.val();
        self.drain.byte_data.next = self.front.byte_data.val();
        self.drain.byte_last.next = self.front.byte_last.val();
        self.drain.recording.next = self.front.recording.val();
        self.drain.ended.next = self.front.ended.val();
        self.drain.end_reason.next = self.front.end_reason.val();
        self.drain.triggered.next = false;
        self.drain.fired.next = self.nothing.val();
        self.drain.lost_any.next = self.front.lost_any.val();
        self.drain.retired_lo.next = self.front.retired_lo.val();
        self.drain.retired_hi.next = self.front.retired_hi.val();
        self.drain.cycles_lo.next = self.front.cycles_lo.val();
        self.drain.cycles_hi.next = self.front.cycles_hi.val();
        self.drain.stalls_lo.next = self.front.stalls_lo.val();
        self.drain.stalls_hi.next = self.front.stalls_hi.val();
        self.drain.lost_lo.next = self.none.val();
        self.drain.lost_hi.next = self.none.val();
        self.front.byte_ready.next = self.drain.byte_ready.val();
        self.drain.run_code.next = self.run_code.val();
        self.drain.bit_clocks.next = self.bit_clocks.val();
        self.drain.log_rx.next = self.log_rx.val();
        self.stall.next = self.front.stall.val();
        self.log_tx.next = self.drain.log_tx.val();
        self.drain.board_bit.next = self.board_bit.val();
        self.board_fire.next = self.drain.board_fire.val();
        self.board_write.next = self.drain.board_write.val();
        self.board_register.next = self.drain.board_register.val();
        self.board_value.next = self.drain.board_value.val();
        self.board_index.next = self.drain.board_index.val();
        self.recording.next = self.front.recording.val();
        self.triggered.next = false;
        self.overflowed.next = self.front.lost_any.val();
    }
}

#[cfg(test)]
mod tests {
    use crate::recorder::config::SmallRecorderAt;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(
            SmallRecorderAt::<12_000_000>::default(),
            "lookback_recorder_small",
        );
    }
}
