//! The recorder for any core with an RVFI port: flat ports, an AXI-Stream of bytes out, Wishbone control.
//!
//! ```text
//!  rvfi_* ─┬─► adapter ─► front ─bytes─► drain ─► m_axis_*
//!          └─► conformance ─breach─────────┘ ▲
//!  wb_* ◄──► wishbone ◄─────────────────────►┤
//!  s_axis_* ─► stream ───────────────────────┘
//! ```
//! The adapter makes real cores uniform; behind it everything is as on this project's own boards.
//! `stall` is the only thing that goes back. Inputs that are not needed are tied to 0.

use super::adapter::Adapter;
use super::conformance::Conformance;
use super::stream::StreamRx;
use super::wishbone::Wishbone;
use crate::drain::DrainCore;
use crate::recorder::circuit::{circuit, Pending};
use crate::recorder::config::{Sizes, BUGNET, CLOCK_HZ, TINY};
use crate::recorder::front::RecorderFront;
use crate::recorder::recorder::identity;
use crate::sized;
use lookback_log_format::RecorderConfig;
use rust_hdl::prelude::*;

/// The attached recorder with the sizes of `bugnet`.
pub type AttachedBugnet = sized!(AttachedRecorder, BUGNET, BUGNET.ring_bits);
/// The attached recorder with the sizes of `tiny`.
pub type AttachedTiny = sized!(AttachedRecorder, TINY, TINY.ring_bits);

/// What an attached recorder of these sizes tells of itself before its straps are counted in.
pub fn config(sizes: &Sizes) -> RecorderConfig {
    RecorderConfig {
        attached: true,
        compressed: true,
        ..sizes.config(CLOCK_HZ)
    }
}

impl<const RING: usize> Pending for DrainCore<RING> {}

circuit! {
    /// Retirement port in, bytes out; sizes as in `Recorder`.
    pub struct AttachedRecorder [WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, RING] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// its number
        pub rvfi_order: Signal<In, Bits<64>>,
        /// its word
        pub rvfi_insn: Signal<In, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<In, Bit>,
        /// it is the last one: the run is over
        pub rvfi_halt: Signal<In, Bit>,
        /// it is the first of a handler; not used, the addresses tell
        pub rvfi_intr: Signal<In, Bit>,
        /// privilege mode
        pub rvfi_mode: Signal<In, Bits<2>>,
        /// width of registers; not used
        pub rvfi_ixl: Signal<In, Bits<2>>,
        /// first register read
        pub rvfi_rs1_addr: Signal<In, Bits<5>>,
        /// second register read
        pub rvfi_rs2_addr: Signal<In, Bits<5>>,
        /// its value
        pub rvfi_rs1_rdata: Signal<In, Bits<32>>,
        /// its value
        pub rvfi_rs2_rdata: Signal<In, Bits<32>>,
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
        /// the next recorded instruction is a trigger
        pub trigger: Signal<In, Bit>,
        /// stall the core until a recording begins
        pub hold: Signal<In, Bit>,
        /// the run is over
        pub run_ended: Signal<In, Bit>,
        /// what it ended with
        pub run_code: Signal<In, Bits<32>>,
        /// memory is where `addr & mem_mask == mem_base`; a constant
        pub mem_base: Signal<In, Bits<32>>,
        /// see `mem_base`; a constant
        pub mem_mask: Signal<In, Bits<32>>,
        /// the clock, for people; a constant
        pub clock_hz: Signal<In, Bits<32>>,
        /// the byte for the host is taken
        pub m_axis_tready: Signal<In, Bit>,
        /// a byte from the host is offered
        pub s_axis_tvalid: Signal<In, Bit>,
        /// the byte
        pub s_axis_tdata: Signal<In, Bits<8>>,
        /// Wishbone: a cycle is under way
        pub wb_cyc: Signal<In, Bit>,
        /// Wishbone: a transfer is wanted
        pub wb_stb: Signal<In, Bit>,
        /// Wishbone: it is a write
        pub wb_we: Signal<In, Bit>,
        /// Wishbone: byte address, four times the register's number
        pub wb_adr: Signal<In, Bits<10>>,
        /// Wishbone: bytes of the word
        pub wb_sel: Signal<In, Bits<4>>,
        /// Wishbone: word to write
        pub wb_dat_i: Signal<In, Bits<32>>,
        /// the core must not start an instruction
        pub stall: Signal<Out, Bit>,
        /// a byte for the host
        pub m_axis_tvalid: Signal<Out, Bit>,
        /// the byte
        pub m_axis_tdata: Signal<Out, Bits<8>>,
        /// it ends a frame
        pub m_axis_tlast: Signal<Out, Bit>,
        /// the byte from the host is taken
        pub s_axis_tready: Signal<Out, Bit>,
        /// Wishbone: done
        pub wb_ack: Signal<Out, Bit>,
        /// Wishbone: word read
        pub wb_dat_o: Signal<Out, Bits<32>>,
        /// a recording is under way
        pub recording: Signal<Out, Bit>,
        /// a trigger fired
        pub triggered: Signal<Out, Bit>,
        /// the core broke a rule
        pub breach: Signal<Out, Bit>,
        adapter: Adapter,
        conformance: Conformance,
        front: RecorderFront<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, 1, K>,
        wishbone: Wishbone,
        stream: StreamRx,
        recording_ff: DFF<Bit>,
        halted_ff: DFF<Bit>,
    }
    built {
        drain: DrainCore<RING> = DrainCore::new(identity(&config(&Sizes {
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
        }))),
        version: Constant<Bits<32>> = Constant::new(u64::from(identity(&config(&Sizes {
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
        })).version).into()),
        tag_sizes: Constant<Bits<32>> = Constant::new(u64::from(identity(&config(&Sizes {
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
        })).tags).into()),
        sizes: Constant<Bits<32>> = Constant::new(u64::from(identity(&config(&Sizes {
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
        })).sizes).into()),
    }
    constants {
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
    > Logic
    for AttachedRecorder<
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
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, recording_ff, halted_ff);
        self.front.clock.next = self.clock.val();
        self.drain.clock.next = self.clock.val();
        self.adapter.clock.next = self.clock.val();
        self.conformance.clock.next = self.clock.val();
        self.wishbone.clock.next = self.clock.val();
        self.stream.clock.next = self.clock.val();
        self.front.reset.next = self.reset.val();
        self.drain.reset.next = self.reset.val();
        self.conformance.reset.next = self.reset.val();
        self.wishbone.reset.next = self.reset.val();
        self.stream.reset.next = self.reset.val();

        // The raw port to those who know it.
        self.adapter.rvfi_valid.next = self.rvfi_valid.val();
        self.conformance.rvfi_valid.next = self.rvfi_valid.val();
        self.conformance.rvfi_order.next = self.rvfi_order.val().get_bits::<32>(0);
        self.adapter.rvfi_insn.next = self.rvfi_insn.val();
        self.conformance.rvfi_insn.next = self.rvfi_insn.val();
        self.adapter.rvfi_trap.next = self.rvfi_trap.val();
        self.conformance.rvfi_trap.next = self.rvfi_trap.val();
        self.adapter.rvfi_mode.next = self.rvfi_mode.val();
        self.conformance.rvfi_rs1_addr.next = self.rvfi_rs1_addr.val();
        self.conformance.rvfi_rs2_addr.next = self.rvfi_rs2_addr.val();
        self.adapter.rvfi_rs1_addr.next = self.rvfi_rs1_addr.val();
        self.adapter.rvfi_rs1_rdata.next = self.rvfi_rs1_rdata.val();
        self.conformance.rvfi_rs1_rdata.next = self.rvfi_rs1_rdata.val();
        self.conformance.rvfi_rs2_rdata.next = self.rvfi_rs2_rdata.val();
        self.adapter.rvfi_rd_addr.next = self.rvfi_rd_addr.val();
        self.conformance.rvfi_rd_addr.next = self.rvfi_rd_addr.val();
        self.adapter.rvfi_rd_wdata.next = self.rvfi_rd_wdata.val();
        self.conformance.rvfi_rd_wdata.next = self.rvfi_rd_wdata.val();
        self.adapter.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.conformance.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.adapter.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.conformance.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.adapter.rvfi_mem_addr.next = self.rvfi_mem_addr.val();
        self.conformance.rvfi_mem_addr.next = self.rvfi_mem_addr.val();
        self.adapter.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.conformance.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.adapter.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.conformance.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.adapter.rvfi_mem_rdata.next = self.rvfi_mem_rdata.val();
        self.conformance.rvfi_mem_rdata.next = self.rvfi_mem_rdata.val();
        self.adapter.rvfi_mem_wdata.next = self.rvfi_mem_wdata.val();
        self.conformance.rvfi_mem_wdata.next = self.rvfi_mem_wdata.val();
        self.adapter.old_rd.next = self.conformance.old_rd.val();
        self.adapter.snoop_valid.next = self.snoop_valid.val();
        self.adapter.snoop_addr.next = self.snoop_addr.val();
        self.adapter.snoop_mask.next = self.snoop_mask.val();

        // The uniform port to the front.
        self.front.rvfi_valid.next = self.adapter.valid.val();
        self.front.rvfi_insn.next = self.adapter.insn.val();
        self.front.rvfi_trap.next = self.adapter.trap.val();
        self.front.rvfi_mode.next = self.adapter.mode.val();
        self.front.rvfi_rd_addr.next = self.adapter.rd_addr.val();
        self.front.rvfi_rd_wdata.next = self.adapter.rd_wdata.val();
        self.front.rvfi_pc_rdata.next = self.adapter.pc_rdata.val();
        self.front.rvfi_pc_wdata.next = self.adapter.pc_wdata.val();
        self.front.rvfi_mem_addr.next = self.adapter.mem_addr.val();
        self.front.rvfi_mem_rmask.next = self.adapter.mem_rmask.val();
        self.front.rvfi_mem_wmask.next = self.adapter.mem_wmask.val();
        self.front.rvfi_mem_rdata.next = self.adapter.mem_rdata.val();
        self.front.rvfi_mem_wdata.next = self.adapter.mem_wdata.val();
        self.adapter.log_results.next = self.drain.control_word.val().get_bit(4);
        self.front.rvfi_opaque.next = self.adapter.opaque.val();
        self.front.rvfi_jumps.next = self.adapter.jumps.val();
        self.front.rvfi_loose.next = self.adapter.loose.val();
        self.front.snoop_valid.next = self.adapter.snooped.val();
        self.front.snoop_addr.next = self.adapter.snooped_addr.val();
        self.front.snoop_mask.next = self.adapter.snooped_mask.val();
        self.front.mem_base.next = self.mem_base.val();
        self.front.mem_mask.next = self.mem_mask.val();
        self.front.rvfi_breaks.next = self.adapter.breaks.val();
        self.front.trigger.next = self.trigger.val();
        self.front.rvfi_hart.next = self.only_hart.val();
        self.front.also_stalls.next = false;
        self.front.hold.next = self.hold.val();
        if self.rvfi_valid.val() & self.rvfi_halt.val() {
            self.halted_ff.d.next = true;
        }
        if self.reset.val() {
            self.halted_ff.d.next = false;
        }
        self.front.run_ended.next = self.run_ended.val() | self.halted_ff.q.val();

        // What the host wants, and what it gets.
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
        self.drain.strapped.next = true;
        self.drain.clock_hz.next = self.clock_hz.val();
        self.drain.mem_base.next = self.mem_base.val();
        self.drain.mem_mask.next = self.mem_mask.val();

        // The port is checked while a recording runs.
        self.recording_ff.d.next = self.front.recording.val();
        self.conformance.clear.next = self.front.recording.val() & !self.recording_ff.q.val();
        self.conformance.recording.next = self.front.recording.val();
        self.conformance.retired_lo.next = self.front.retired_lo.val();
        self.drain.breached.next = self.conformance.breach.val();
        self.drain.breach_rule.next = self.conformance.rule.val();
        self.wishbone.breach_rule.next = self.conformance.rule.val();
        self.drain.breach_at.next = self.conformance.at.val();
        self.wishbone.breach_at.next = self.conformance.at.val();
        self.drain.breach_pc.next = self.conformance.pc.val();
        self.wishbone.breach_pc.next = self.conformance.pc.val();
        self.drain.breach_insn.next = self.conformance.insn.val();
        self.wishbone.breach_insn.next = self.conformance.insn.val();
        self.drain.breach_want.next = self.conformance.want.val();
        self.wishbone.breach_want.next = self.conformance.want.val();
        self.drain.breach_got.next = self.conformance.got.val();
        self.wishbone.breach_got.next = self.conformance.got.val();

        // The bus.
        self.wishbone.wb_cyc.next = self.wb_cyc.val();
        self.wishbone.wb_stb.next = self.wb_stb.val();
        self.wishbone.wb_we.next = self.wb_we.val();
        self.wishbone.wb_adr.next = self.wb_adr.val();
        self.wishbone.wb_sel.next = self.wb_sel.val();
        self.wishbone.wb_dat_i.next = self.wb_dat_i.val();
        self.wb_ack.next = self.wishbone.wb_ack.val();
        self.wb_dat_o.next = self.wishbone.wb_dat_o.val();
        self.wishbone.quiet.next = self.drain.quiet.val();
        self.drain.poke.next = self.wishbone.poke.val();
        self.drain.ask.next = self.wishbone.ask.val();
        self.drain.bus_register.next = self.wishbone.bus_register.val();
        self.drain.bus_value.next = self.wishbone.bus_value.val();
        self.wishbone.version.next = self.version.val();
        self.wishbone.tag_sizes.next = self.tag_sizes.val();
        self.wishbone.sizes.next = self.sizes.val();
        self.wishbone.clock_hz.next = self.clock_hz.val();
        self.wishbone.mem_base.next = self.mem_base.val();
        self.wishbone.mem_mask.next = self.mem_mask.val();
        self.wishbone.control_word.next = self.drain.control_word.val();
        self.wishbone.interval.next = self.drain.interval.val();
        self.wishbone.count_bits.next = self.drain.count_bits.val();
        self.wishbone.image_lo.next = self.drain.image_lo.val();
        self.wishbone.image_hi.next = self.drain.image_hi.val();
        self.wishbone.post_trigger.next = self.drain.post_trigger.val();
        self.wishbone.watch.next = self.drain.watch.val();
        self.wishbone.watch_lo.next = self.drain.watch_lo.val();
        // No board's registers: they read 0.
        self.drain.board_bit.next = false;
        self.wishbone.watch_hi.next = self.drain.watch_hi.val();
        self.wishbone.status.next = self.drain.status.val();
        self.wishbone.retired_lo.next = self.front.retired_lo.val();
        self.wishbone.retired_hi.next = self.front.retired_hi.val();
        self.wishbone.cycles_lo.next = self.front.cycles_lo.val();
        self.wishbone.cycles_hi.next = self.front.cycles_hi.val();
        self.wishbone.stalls_lo.next = self.front.stalls_lo.val();
        self.wishbone.lost_lo.next = self.front.lost_lo.val();

        // The streams.
        self.stream.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.stream.s_axis_tdata.next = self.s_axis_tdata.val();
        self.s_axis_tready.next = self.stream.s_axis_tready.val();
        self.drain.rx_bit_valid.next = self.stream.bit_valid.val();
        self.drain.rx_bit_data.next = self.stream.bit_data.val();
        self.drain.rx_byte_valid.next = self.stream.byte_valid.val();
        self.drain.rx_byte_data.next = self.stream.byte_data.val();
        self.m_axis_tvalid.next = self.drain.tx_valid.val();
        self.m_axis_tdata.next = self.drain.tx_data.val();
        self.m_axis_tlast.next = !self.drain.tx_data.val().any();
        self.drain.tx_ready.next = self.m_axis_tready.val();
        self.stall.next = self.front.stall.val();
        self.recording.next = self.front.recording.val();
        self.triggered.next = self.front.triggered.val();
        self.breach.next = self.conformance.breach.val();
    }
}

#[cfg(test)]
mod tests;
