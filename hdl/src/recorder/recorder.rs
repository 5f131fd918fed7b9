//! The whole recorder of one hart: the front, which makes the bytes of intervals, and the drain, which
//! sends them and takes the host's commands.

use super::circuit::Pending;
use super::config::Sizes;
use super::front::RecorderFront;
use crate::drain::{Drain, Identity};
use lookback_log_format::{registers, RecorderConfig};
use rust_hdl::prelude::*;

/// What the read-only registers say of a recorder.
pub(crate) fn identity(config: &RecorderConfig) -> Identity {
    let word = |number| {
        config
            .register(number)
            .expect("a configuration has all configuration registers")
    };
    Identity {
        version: word(registers::VERSION),
        tags: word(registers::TAGS),
        sizes: word(registers::SIZES),
        clock_hz: word(registers::CLOCK),
        mem_base: word(registers::MEM_BASE),
        mem_mask: word(registers::MEM_MASK),
        port: word(registers::PORT),
        compact: config.register(registers::COMPACT).unwrap_or(0),
        order: config.register(registers::ORDER).unwrap_or(0),
        plain: false,
    }
}

impl<const RING: usize> Pending for Drain<RING> {}

circuit! {
    /// Retirement port in, UART out; sizes as in `RecorderFront`, a ring of `2^RING` bytes, and a
    /// clock of `HZ`, which is only reported.
    pub struct Recorder [WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, RING, HZ] {
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
        /// a recording is under way
        pub recording: Signal<Out, Bit>,
        /// what was waited for has happened
        pub triggered: Signal<Out, Bit>,
        /// retirements were lost
        pub overflowed: Signal<Out, Bit>,
        front: RecorderFront<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, 1, K>,
    }
    built {
        drain: Drain<RING> = Drain::new(identity(&Sizes {
            set_bits: S,
            ways: WAYS,
            word_bits: W,
            epoch_bits: E,
            dict_bits: I,
            lane_bits: B,
            dirty_bits: D,
            fifo_bits: F,
            fifo_reserve: RESERVE,
            ring_bits: RING,
            keeps_words: K,
        }.config(HZ as u32))),
    }
    constants {
        mem_base: 32 = super::config::MEM_BASE,
        mem_mask: 32 = super::config::MEM_MASK,
        only_hart: 2 = 0,
    }
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
        const HZ: usize,
    > Logic
    for Recorder<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, RING, HZ>
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
        self.front.rvfi_loose.next = false;
        self.front.rvfi_breaks.next = false;
        self.front.trigger.next = false;
        self.front.rvfi_hart.next = self.only_hart.val();
        self.front.also_stalls.next = false;

        // What the host wants.
        self.front.enable.next = self.drain.enable.val();
        self.front.may_stall.next = self.drain.may_stall.val();
        self.front.interval.next = self.drain.interval.val();
        self.front.count_bits.next = self.drain.count_bits.val();
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
        self.drain.fired.next = self.front.fired.val();
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
        self.triggered.next = self.front.triggered.val();
        self.overflowed.next = self.front.lost_any.val();
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{BugnetRecorder, TinyRecorder};
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(BugnetRecorder::default(), "lookback_recorder_bugnet");
        check_block(TinyRecorder::default(), "lookback_recorder_tiny");
    }
}
