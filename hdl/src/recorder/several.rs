//! The recorder of several harts: one front for all, and one drain.
//!
//! ```text
//!  rvfi, hart ─┬─► front ─┬─► gather ────────┐
//!              │          ├─► gather ────────┼─► merge ─► drain ─► log_tx
//!  snoop ──────┤          └─► …              │
//!              └─► order_log ─► gather twice ┘
//! ```
//! A hart's write is another's write for all other harts, as those of the DMA engine are for all. No two
//! writes come in one cycle (`cluster` says why), so every hart sees one at most. `stall` is for all harts:
//! whichever is in need, all wait. Beside the front, a cycle behind the ports as they are, `order_log` logs
//! what the host asked for of the order.
//!
//! The numbers that END and the registers tell are those of all harts together; those in the headers
//! of intervals are each hart's own. A trigger of one hart ends the recording of all, with the same
//! retirement.

use super::config::{OrderSizes, Sizes};
use super::front::RecorderFront;
use super::gather::Gather;
use super::merge::Merge;
use super::order_log::OrderLog;
use super::recorder::identity;
use crate::drain::Drain;
use rust_hdl::prelude::*;

circuit! {
    /// Retirement port of `N` harts in, UART out; the other sizes as in `Recorder` and, from `OB` to
    /// `OR`, in `OrderLog`. With a clock of `HZ`, which is only reported.
    pub struct SeveralRecorder [WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, RING, N, KN, OB, OT, OA, OG, OF, OE, OP, OS, OSE, OSP, OK, OM, OH, OQ, OR, HZ] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// an instruction retires
        pub rvfi_valid: Signal<In, Bit>,
        /// on this hart
        pub rvfi_hart: Signal<In, Bits<2>>,
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
        /// somebody who is no hart writes memory
        pub snoop_valid: Signal<In, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<In, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<In, Bits<4>>,
        /// the run is over
        pub run_ended: Signal<In, Bit>,
        /// what it ended with
        pub run_code: Signal<In, Bits<32>>,
        /// stall the harts until a recording begins
        pub hold: Signal<In, Bit>,
        /// clock cycles of a UART bit, at least 1
        pub bit_clocks: Signal<In, Bits<16>>,
        /// UART from the host
        pub log_rx: Signal<In, Bit>,
        /// no hart may start an instruction
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
        front: RecorderFront<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, N, KN>,
        merge: Merge,
        writes: Signal<Local, Bit>,
        available: Signal<Local, Bits<8>>,
        data: Signal<Local, Bits<8>>,
        last: Signal<Local, Bit>,
        order: OrderLog<OB, OT, OA, OG, OF, OE, OP, OS, OSE, OSP, OK, OM, OH, OQ, OR, N>,
        strata_gather: Gather,
        chunks_gather: Gather,
        hart_ff: DFF<Bits<2>>,
        reads_ff: DFF<Bit>,
        writes_ff: DFF<Bit>,
        trap_ff: DFF<Bit>,
        snooped_ff: DFF<Bit>,
        address_ff: DFF<Bits<32>>,
        recording_ff: DFF<Bit>,
        order_stall_ff: DFF<Bit>,
        accesses: Signal<Local, Bit>,
        address: Signal<Local, Bits<32>>,
        snooped: Signal<Local, Bits<4>>,
    }
    arrays {
        gathers: [Gather; N],
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
        }.config_of(N as u8, HZ as u32, OrderSizes {
            block_bits: OB,
            tracked_bits: OT,
            filter_bits: OF,
            signature_bits: OS,
            chunk_bits: OK,
            queue_bits: OQ,
            queue_reserve: OR,
        }))),
        ids: [Constant<Bits<2>>; N] = std::array::from_fn(|i| Constant::new(bits::<2>(i as u64))),
        sources: [Constant<Bits<3>>; N] = std::array::from_fn(|i| Constant::new(bits::<3>(i as u64))),
    }
    constants {
        mem_base: 32 = super::config::MEM_BASE,
        mem_mask: 32 = super::config::MEM_MASK,
        nobody: 8 = 0,
        no_data: 8 = 0,
        strata_source: 3 = 7,
        chunks_source: 3 = 6,
    }
    check {
        assert!(OF <= C && OS <= C, "filter and signatures are cleared with the tags");
        assert!((2..=4).contains(&N), "`rvfi_hart` has two bits");
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
        const HZ: usize,
    > Logic
    for SeveralRecorder<
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
        HZ,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        self.drain.clock.next = self.clock.val();
        self.merge.clock.next = self.clock.val();
        self.drain.reset.next = self.reset.val();
        self.merge.clear.next = self.reset.val();

        dff_setup!(self, clock, hart_ff, reads_ff, writes_ff, trap_ff, snooped_ff);
        dff_setup!(self, clock, address_ff, recording_ff, order_stall_ff);
        self.order.clock.next = self.clock.val();
        self.strata_gather.clock.next = self.clock.val();
        self.chunks_gather.clock.next = self.clock.val();
        self.order.reset.next = self.reset.val();
        self.strata_gather.clear.next = self.reset.val();
        self.chunks_gather.clear.next = self.reset.val();
        self.hart_ff.d.next = self.rvfi_hart.val();
        self.reads_ff.d.next = self.rvfi_mem_rmask.val().any() & !self.rvfi_trap.val();
        self.writes_ff.d.next = self.rvfi_mem_wmask.val().any() & !self.rvfi_trap.val();
        self.trap_ff.d.next = self.rvfi_trap.val();
        self.snooped_ff.d.next = self.snoop_valid.val() & self.snoop_mask.val().any();
        self.accesses.next = self.rvfi_valid.val()
            & !self.rvfi_trap.val()
            & (self.rvfi_mem_rmask.val().any() | self.rvfi_mem_wmask.val().any());
        // Nobody else writes beside an access: one address is enough for both, here and in the front.
        self.address.next = self.snoop_addr.val();
        self.snooped.next = self.snoop_mask.val();
        if self.accesses.val() {
            self.address.next = self.rvfi_mem_addr.val();
            self.snooped.next = self.rvfi_mem_wmask.val();
        }
        self.address_ff.d.next = self.address.val();
        self.order.hart.next = self.hart_ff.q.val();
        self.order.reads.next = self.reads_ff.q.val();
        self.order.writes.next = self.writes_ff.q.val();
        self.order.trap.next = self.trap_ff.q.val();
        self.order.address.next = self.address_ff.q.val();
        self.order.strata.next = self.drain.order_mode.val().get_bit(0);
        self.order.chunks.next = self.drain.order_mode.val().get_bit(1);
        self.strata_gather.byte_valid.next = self.order.strata_valid.val();
        self.strata_gather.byte_data.next = self.order.strata_data.val();
        self.strata_gather.byte_last.next = self.order.strata_last.val();
        self.order.strata_ready.next = self.strata_gather.byte_ready.val();
        self.chunks_gather.byte_valid.next = self.order.chunks_valid.val();
        self.chunks_gather.byte_data.next = self.order.chunks_data.val();
        self.chunks_gather.byte_last.next = self.order.chunks_last.val();
        self.order.chunks_ready.next = self.chunks_gather.byte_ready.val();

        self.writes.next =
            (self.rvfi_valid.val() & !self.rvfi_trap.val()) & self.rvfi_mem_wmask.val().any();
        self.front.clock.next = self.clock.val();
        self.front.reset.next = self.reset.val();
        self.front.rvfi_valid.next = self.rvfi_valid.val();
        self.front.rvfi_hart.next = self.rvfi_hart.val();
        self.front.rvfi_insn.next = self.rvfi_insn.val();
        self.front.rvfi_trap.next = self.rvfi_trap.val();
        self.front.rvfi_mode.next = self.rvfi_mode.val();
        self.front.rvfi_rd_addr.next = self.rvfi_rd_addr.val();
        self.front.rvfi_rd_wdata.next = self.rvfi_rd_wdata.val();
        self.front.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.front.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.front.rvfi_mem_addr.next = self.address.val();
        self.front.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.front.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.front.rvfi_mem_rdata.next = self.rvfi_mem_rdata.val();
        self.front.rvfi_mem_wdata.next = self.rvfi_mem_wdata.val();
        self.front.rvfi_opaque.next = false;
        self.front.rvfi_jumps.next = false;
        self.front.rvfi_loose.next = false;
        self.front.rvfi_breaks.next = false;
        self.front.trigger.next = false;
        // What others write: everybody but the hart itself is told.
        self.front.snoop_valid.next = self.snoop_valid.val() | self.writes.val();
        self.front.snoop_addr.next = self.address.val();
        self.front.snoop_mask.next = self.snooped.val();
        self.front.mem_base.next = self.mem_base.val();
        self.front.mem_mask.next = self.mem_mask.val();
        self.front.run_ended.next = self.run_ended.val();
        self.front.hold.next = self.hold.val();
        self.front.also_stalls.next = self.order_stall_ff.q.val();
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
        // What it gets, parcel by parcel.
        self.front.byte_ready.next = false;
        for i in 0..N {
            self.gathers[i].clock.next = self.clock.val();
            self.gathers[i].clear.next = self.reset.val();
            self.gathers[i].byte_valid.next = false;
            self.gathers[i].byte_data.next = self.front.byte_data.val();
            self.gathers[i].byte_last.next = self.front.byte_last.val();
            if self.front.byte_hart.val() == self.ids[i].val() {
                self.gathers[i].byte_valid.next = self.front.byte_valid.val();
                self.front.byte_ready.next = self.gathers[i].byte_ready.val();
            }
        }

        self.available.next = self.nobody.val();
        self.data.next = self.no_data.val();
        self.last.next = false;
        for i in 0..N {
            self.available.next = self
                .available
                .val()
                .replace_bit(i, self.gathers[i].available.val());
            self.gathers[i].take.next = false;
            if self.merge.source.val() == self.sources[i].val() {
                self.gathers[i].take.next = self.merge.take.val();
                self.data.next = self.gathers[i].data.val();
                self.last.next = self.gathers[i].last.val();
            }
        }
        // The order, as two more sources.
        self.strata_gather.take.next = false;
        self.chunks_gather.take.next = false;
        self.available.next = self
            .available
            .val()
            .replace_bit(7, self.strata_gather.available.val())
            .replace_bit(6, self.chunks_gather.available.val());
        if self.merge.source.val() == self.strata_source.val() {
            self.strata_gather.take.next = self.merge.take.val();
            self.data.next = self.strata_gather.data.val();
            self.last.next = self.strata_gather.last.val();
        } else if self.merge.source.val() == self.chunks_source.val() {
            self.chunks_gather.take.next = self.merge.take.val();
            self.data.next = self.chunks_gather.data.val();
            self.last.next = self.chunks_gather.last.val();
        }
        self.merge.available.next = self.available.val();
        self.merge.data.next = self.data.val();
        self.merge.last.next = self.last.val();
        self.merge.byte_ready.next = self.drain.byte_ready.val();
        self.drain.byte_valid.next = self.merge.byte_valid.val();
        self.drain.byte_data.next = self.merge.byte_data.val();
        self.drain.byte_last.next = self.merge.byte_last.val();

        // The order sees what the front sees, as long as it does.
        self.order.retires.next = self.front.count_retire.val();
        self.order.ends.next = self.front.interval_ends.val();
        self.order.external.next = self.snooped_ff.q.val() & self.front.active.val();
        self.recording_ff.d.next = self.front.recording.val();
        self.order.stop.next = self.recording_ff.q.val() & !self.front.recording.val();
        self.order.reason.next = self.front.end_reason.val().get_bits::<3>(0);
        self.order.clear.next = self.front.clearing.val();
        self.order_stall_ff.d.next =
            self.order.pressure.val() & self.drain.may_stall.val() & self.front.recording.val();
        self.drain.recording.next = self.front.recording.val();
        self.drain.ended.next =
            self.front.ended.val() & self.merge.idle.val() & self.order.idle.val();
        self.drain.end_reason.next = self.front.end_reason.val();
        self.drain.triggered.next = self.front.triggered.val();
        self.drain.fired.next = self.front.fired.val();
        self.drain.lost_any.next = self.front.lost_any.val() | self.order.lost.val();
        self.drain.retired_lo.next = self.front.retired_lo.val();
        self.drain.retired_hi.next = self.front.retired_hi.val();
        self.drain.cycles_lo.next = self.front.cycles_lo.val();
        self.drain.cycles_hi.next = self.front.cycles_hi.val();
        self.drain.stalls_lo.next = self.front.stalls_lo.val();
        self.drain.stalls_hi.next = self.front.stalls_hi.val();
        self.drain.lost_lo.next = self.front.lost_lo.val();
        self.drain.lost_hi.next = self.front.lost_hi.val();
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
    }
}
