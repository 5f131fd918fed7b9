//! The whole recorder of one hart with codec `compact`: the front, which makes the bytes of intervals,
//! and the drain, which sends them and takes the host's commands.

use super::config::CompactSizes;
use super::front::CompactFront;
use crate::drain::Drain;
use crate::recorder::circuit::circuit;
use crate::recorder::config::CLOCK_HZ;
use crate::recorder::recorder::identity;
use rust_hdl::prelude::*;

circuit! {
    /// Retirement port in, UART out; sizes as in `CompactFront`, and a ring of `2^RING` bytes.
    pub struct CompactRecorder
        [WAYS, S, R, ROWS, Q, T, L, F, M, K, I, V, D, C, N, RESERVE, P, KEPT, H, A, B, RING] {
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
        /// somebody else writes memory
        pub snoop_valid: Signal<In, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<In, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<In, Bits<4>>,
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
        /// checking: it is decided whether a value is hurried
        pub decided: Signal<Out, Bit>,
        /// checking: it is
        pub hurried: Signal<Out, Bit>,
        front: CompactFront<WAYS, S, R, ROWS, Q, T, L, F, M, K, I, V, D, C, N, RESERVE, P, KEPT, H, A, B>,
    }
    built {
        drain: Drain<RING> = Drain::new(identity(&CompactSizes {
            set_bits: S,
            ways: WAYS,
            row_bits: R,
            word_bits: Q,
            dict_bits: I,
            last_bits: V,
            dirty_bits: D,
            fifo_bits: N,
            fifo_reserve: RESERVE,
            ring_bits: RING,
            keeps_words: H,
            arithmetic: A,
        }.config(CLOCK_HZ))),
    }
    constants {
        mem_base: 32 = crate::recorder::config::MEM_BASE,
        mem_mask: 32 = crate::recorder::config::MEM_MASK,
    }
}

impl<
        const WAYS: usize,
        const S: usize,
        const R: usize,
        const ROWS: usize,
        const Q: usize,
        const T: usize,
        const L: usize,
        const F: usize,
        const M: usize,
        const K: usize,
        const I: usize,
        const V: usize,
        const D: usize,
        const C: usize,
        const N: usize,
        const RESERVE: usize,
        const P: usize,
        const KEPT: usize,
        const H: usize,
        const A: usize,
        const B: usize,
        const RING: usize,
    > Logic
    for CompactRecorder<
        WAYS,
        S,
        R,
        ROWS,
        Q,
        T,
        L,
        F,
        M,
        K,
        I,
        V,
        D,
        C,
        N,
        RESERVE,
        P,
        KEPT,
        H,
        A,
        B,
        RING,
    >
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
        self.front.snoop_valid.next = self.snoop_valid.val();
        self.front.snoop_addr.next = self.snoop_addr.val();
        self.front.snoop_mask.next = self.snoop_mask.val();
        self.front.run_ended.next = self.run_ended.val();
        self.front.hold.next = self.hold.val();
        self.front.mem_base.next = self.mem_base.val();
        self.front.mem_mask.next = self.mem_mask.val();
        // The hart of this project has no instruction that its replayer does not have.
        self.front.rvfi_opaque.next = false;
        self.front.rvfi_jumps.next = false;
        self.front.rvfi_breaks.next = false;
        self.front.trigger.next = false;
        self.front.disarm.next = false;

        // What the host wants.
        self.front.enable.next = self.drain.enable.val();
        self.front.may_stall.next = self.drain.may_stall.val();
        self.front.interval.next = self.drain.interval.val();
        self.front.key_every.next = self.drain.key.val();
        self.front.image_lo.next = self.drain.image_lo.val();
        self.front.image_hi.next = self.drain.image_hi.val();
        self.front.trigger_on_trap.next = self.drain.trigger_on_trap.val();
        self.front.post_trigger.next = self.drain.post_trigger.val();
        self.front.watch.next = self.drain.watch.val();
        self.front.watch_lo.next = self.drain.watch_lo.val();
        self.front.watch_hi.next = self.drain.watch_hi.val();

        // What it gets.
        self.drain.byte_valid.next = self.front.byte_valid.val();
        self.drain.byte_data.next = self.front.byte_data.val();
        self.drain.byte_last.next = self.front.byte_last.val();
        self.drain.recording.next = self.front.recording.val();
        self.drain.ended.next = self.front.ended.val();
        self.drain.end_reason.next = self.front.end_reason.val();
        self.drain.triggered.next = self.front.triggered.val();
        self.drain.fired.next = bit_cast::<5, 3>(self.front.cause.val());
        self.drain.lost_any.next = self.front.lost_any.val();
        self.drain.retired_lo.next = self.front.retired_lo.val();
        self.drain.retired_hi.next = self.front.retired_hi.val();
        self.drain.cycles_lo.next = self.front.cycles_lo.val();
        self.drain.cycles_hi.next = self.front.cycles_hi.val();
        self.drain.stalls_lo.next = self.front.stalls_lo.val();
        self.drain.stalls_hi.next = self.front.stalls_hi.val();
        self.drain.lost_lo.next = self.front.lost_lo.val();
        self.drain.lost_hi.next = self.front.lost_hi.val();
        self.front.byte_ready.next = self.drain.byte_ready.val();
        self.front.cut.next = self.drain.cut.val();
        self.drain.run_code.next = self.run_code.val();
        self.drain.bit_clocks.next = self.bit_clocks.val();
        self.drain.log_rx.next = self.log_rx.val();
        self.stall.next = self.front.stall.val();
        self.decided.next = self.front.decided.val();
        self.hurried.next = self.front.hurried.val();
        self.log_tx.next = self.drain.log_tx.val();
        self.drain.board_bit.next = self.board_bit.val();
        self.board_fire.next = self.drain.board_fire.val();
        self.board_write.next = self.drain.board_write.val();
        self.board_register.next = self.drain.board_register.val();
        self.board_value.next = self.drain.board_value.val();
        self.board_index.next = self.drain.board_index.val();
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{FullRecorder, TinyCompactRecorder};
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(FullRecorder::default(), "lookback_recorder_full");
        check_block(
            TinyCompactRecorder::default(),
            "lookback_recorder_compact_tiny",
        );
    }
}
