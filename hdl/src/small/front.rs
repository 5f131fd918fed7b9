//! The front of the smallest recorder: from retirements to the bytes of intervals, one at a time.
//!
//! ```text
//!  rvfi ─┬─► interval ─► flags ─► sequencer ─► decision ─► encoder ─► packer ─► bytes
//!        │      ▲                   │  ▲                      │
//!        │      └─ code          tags ─┘                 dictionary
//!        └─ digest, counters                             (and registers)
//! ```
//! The hart waits: `stall` rises in the cycle of a retirement about which there is something to do, and
//! falls when the next one may come. So nothing is queued, and nothing is ever lost, whatever
//! `may_stall` would say. That needs a hart which keeps its port: while `stall` is high no instruction
//! starts, and address, word, next address, data address, masks and data stay as they were in the cycle
//! of the retirement. A trapped instruction shows no register and no masks. Nobody else writes memory.
//! The hart of this project does all that. There are no triggers.
//!
//! The header of an interval shows the registers before its first instruction: the one that this
//! instruction writes is written when the header is done. A reset takes 32 cycles to empty them.

use super::code::SmallCode;
use super::dictionary::SmallDictionary;
use super::tags::SmallTags;
use crate::recorder::circuit::circuit;
use crate::recorder::config::{MEM_BASE, MEM_MASK};
use crate::recorder::counters::Counters;
use crate::recorder::decision::Decision;
use crate::recorder::digest::DigestStep;
use crate::recorder::encoder::Encoder;
use crate::recorder::interval::IntervalControl;
use crate::recorder::packer::Packer;
use crate::recorder::sequencer::Sequencer;
use rust_hdl::prelude::*;

circuit! {
    /// The front; sizes are those of `tags` (`S` to `L`), `code` (`D`) and `interval` (`C`).
    pub struct SmallFront [S, W, T, E, MASKS, L, D, C] {
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
        /// register written, only in this cycle
        pub rvfi_rd_addr: Signal<In, Bits<5>>,
        /// value written to it, only in this cycle
        pub rvfi_rd_wdata: Signal<In, Bits<32>>,
        /// its address, also a cycle before it retires
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
        /// recording is requested; low ends it
        pub enable: Signal<In, Bit>,
        /// instructions an interval, at least 64
        pub interval: Signal<In, Bits<32>>,
        /// width of a full L-count and of a position
        pub count_bits: Signal<In, Bits<5>>,
        /// first address of the image window
        pub image_lo: Signal<In, Bits<32>>,
        /// first address after it
        pub image_hi: Signal<In, Bits<32>>,
        /// the run is over
        pub run_ended: Signal<In, Bit>,
        /// stall the hart until a recording begins
        pub hold: Signal<In, Bit>,
        /// the byte is taken
        pub byte_ready: Signal<In, Bit>,
        /// a byte of the log
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it ends an interval
        pub byte_last: Signal<Out, Bit>,
        /// the hart must not start an instruction
        pub stall: Signal<Out, Bit>,
        /// a recording is under way
        pub recording: Signal<Out, Bit>,
        /// the recording is over and its last byte was taken
        pub ended: Signal<Out, Bit>,
        /// why it is over
        pub end_reason: Signal<Out, Bits<8>>,
        /// something was lost
        pub lost_any: Signal<Out, Bit>,
        /// retirements since recording began
        pub retired_lo: Signal<Out, Bits<32>>,
        /// high half
        pub retired_hi: Signal<Out, Bits<32>>,
        /// clock cycles since recording began
        pub cycles_lo: Signal<Out, Bits<32>>,
        /// high half
        pub cycles_hi: Signal<Out, Bits<32>>,
        /// cycles in which the recorder stalled the hart
        pub stalls_lo: Signal<Out, Bits<32>>,
        /// high half
        pub stalls_hi: Signal<Out, Bits<32>>,
        code: SmallCode<D>,
        digest: DigestStep,
        counters: Counters<1>,
        control: IntervalControl<C>,
        sequencer: Sequencer,
        tags: SmallTags<S, W, T, E, MASKS, L>,
        decision: Decision,
        dictionary: SmallDictionary,
        encoder: Encoder<3>,
        packer: Packer<1>,
        next_pc_ff: DFF<Bits<32>>,
        /// the next address must be logged
        opaque_ff: DFF<Bit>,
        /// what there is to do about the retirement, and where it is in its interval
        flags_ff: DFF<Bits<11>>,
        position_ff: DFF<Bits<24>>,
        pushed_ff: DFF<Bit>,
        valid_ff: DFF<Bit>,
        /// the tags' answer about the event that waits comes in this cycle
        asked_ff: DFF<Bit>,
        mode_ff: DFF<Bits<2>>,
        /// a register that is to be written
        register_ff: DFF<Bits<5>>,
        register_value_ff: DFF<Bits<32>>,
        pending_ff: DFF<Bit>,
        wiping_ff: DFF<Bit>,
        /// an interval has begun, and its header is not written yet
        heading_ff: DFF<Bit>,
        /// it is being written
        reading_ff: DFF<Bit>,
        clears: Signal<Local, Bit>,
        system: Signal<Local, Bit>,
        csr: Signal<Local, Bit>,
        conditional: Signal<Local, Bit>,
        accesses: Signal<Local, Bit>,
        operation: Signal<Local, Bit>,
        in_memory: Signal<Local, Bit>,
        certain: Signal<Local, Bit>,
        outside: Signal<Local, Bit>,
        masked: Signal<Local, Bits<32>>,
        stored: Signal<Local, Bits<32>>,
        read: Signal<Local, Bits<32>>,
        value: Signal<Local, Bits<32>>,
        redirect: Signal<Local, Bit>,
        fetch: Signal<Local, Bit>,
        flags: Signal<Local, Bits<11>>,
        waits: Signal<Local, Bit>,
        writes: Signal<Local, Bit>,
    }
    constants {
        only_hart: 2 = 0,
        opcode_system: 7 = 0x73,
        opcode_amo: 7 = 0x2f,
        funct5_sc: 5 = 3,
        failure: 32 = 1,
        none: 32 = 0,
        no_flags: 11 = 0,
        no_register: 5 = 0,
        one_register: 5 = 1,
        mem_base: 32 = MEM_BASE,
        mem_mask: 32 = MEM_MASK,
        byte_0: 32 = 0x0000_00ff,
        byte_1: 32 = 0x0000_ff00,
        byte_2: 32 = 0x00ff_0000,
        byte_3: 32 = 0xff00_0000u32,
        nobody: 30 = 0,
        no_lost: 8 = 0,
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
    > Logic for SmallFront<S, W, T, E, MASKS, L, D, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            next_pc_ff,
            opaque_ff,
            flags_ff,
            position_ff,
            pushed_ff,
            valid_ff
        );
        dff_setup!(
            self,
            clock,
            asked_ff,
            mode_ff,
            register_ff,
            register_value_ff,
            pending_ff
        );
        dff_setup!(self, clock, wiping_ff, heading_ff, reading_ff);
        self.code.clock.next = self.clock.val();
        self.counters.clock.next = self.clock.val();
        self.control.clock.next = self.clock.val();
        self.sequencer.clock.next = self.clock.val();
        self.tags.clock.next = self.clock.val();
        self.decision.clock.next = self.clock.val();
        self.dictionary.clock.next = self.clock.val();
        self.encoder.clock.next = self.clock.val();
        self.packer.clock.next = self.clock.val();
        self.control.reset.next = self.reset.val();
        self.clears.next = self.control.clear.val() | self.reset.val();

        // What kind of instruction it is: sections 1.1 and 1.4 of the log format.
        self.system.next = self.rvfi_insn.val().get_bits::<7>(0) == self.opcode_system.val();
        self.csr.next = self.system.val() & self.rvfi_insn.val().get_bits::<3>(12).any();
        self.conditional.next = (self.rvfi_insn.val().get_bits::<7>(0) == self.opcode_amo.val())
            & (self.rvfi_insn.val().get_bits::<5>(27) == self.funct5_sc.val());
        self.operation.next = !self.rvfi_trap.val()
            & (self.rvfi_mem_rmask.val().any()
                | (self.csr.val() & self.rvfi_rd_addr.val().any())
                | self.conditional.val());
        self.masked.next = self.rvfi_pc_rdata.val() & self.mem_mask.val();
        self.outside.next = self.masked.val() != self.mem_base.val();
        self.masked.next = self.rvfi_mem_addr.val() & self.mem_mask.val();
        self.in_memory.next = self.masked.val() == self.mem_base.val();
        self.certain.next = self.csr.val() | self.conditional.val() | !self.in_memory.val();
        self.accesses.next = !self.rvfi_trap.val()
            & self.in_memory.val()
            & (self.rvfi_mem_rmask.val().any() | self.rvfi_mem_wmask.val().any());
        self.redirect.next =
            self.opaque_ff.q.val() | (self.rvfi_pc_rdata.val() != self.next_pc_ff.q.val());
        if self.rvfi_valid.val() {
            self.next_pc_ff.d.next = self.rvfi_pc_wdata.val();
            self.opaque_ff.d.next = self.rvfi_trap.val() | (self.system.val() & !self.csr.val());
        }

        // The operation's value, from what the port keeps and from the register that was written.
        self.read.next = self.none.val();
        if self.rvfi_mem_rmask.val().get_bit(0) {
            self.read.next = self.rvfi_mem_rdata.val() & self.byte_0.val();
        }
        if self.rvfi_mem_rmask.val().get_bit(1) {
            self.read.next = self.read.val() | (self.rvfi_mem_rdata.val() & self.byte_1.val());
        }
        if self.rvfi_mem_rmask.val().get_bit(2) {
            self.read.next = self.read.val() | (self.rvfi_mem_rdata.val() & self.byte_2.val());
        }
        if self.rvfi_mem_rmask.val().get_bit(3) {
            self.read.next = self.read.val() | (self.rvfi_mem_rdata.val() & self.byte_3.val());
        }
        // Bytes of a mask lie side by side: an upper half, or the upper byte of a half.
        self.value.next = self.read.val();
        if !self.rvfi_mem_rmask.val().get_bits::<2>(0).any() {
            self.value.next = self.value.val() >> 16;
        }
        if !self.rvfi_mem_rmask.val().get_bit(0) & !self.rvfi_mem_rmask.val().get_bit(2) {
            self.value.next = self.value.val() >> 8;
        }
        if !self.rvfi_mem_rmask.val().any() {
            self.value.next = self.none.val();
            if self.csr.val() {
                self.value.next = self.register_value_ff.q.val();
            }
            if self.conditional.val() & !self.rvfi_mem_wmask.val().any() {
                self.value.next = self.failure.val();
            }
        }

        // What is known of the instruction word.
        self.code.clear.next = self.control.clear.val();
        self.code.sweep.next = self.control.sweep.val().get_bits::<D>(0);
        self.code.image_lo.next = self.image_lo.val();
        self.code.image_hi.next = self.image_hi.val();
        self.code.fetch_pc.next = self.rvfi_pc_rdata.val();
        self.code.store.next = self.rvfi_valid.val() & self.rvfi_mem_wmask.val().any();
        self.code.store_addr.next = self.rvfi_mem_addr.val();
        self.fetch.next = !self.code.known.val();

        // The digest; a lane that is not stored is zero in it.
        self.stored.next = self.none.val();
        if self.rvfi_mem_wmask.val().get_bit(0) {
            self.stored.next = self.rvfi_mem_wdata.val() & self.byte_0.val();
        }
        if self.rvfi_mem_wmask.val().get_bit(1) {
            self.stored.next = self.stored.val() | (self.rvfi_mem_wdata.val() & self.byte_1.val());
        }
        if self.rvfi_mem_wmask.val().get_bit(2) {
            self.stored.next = self.stored.val() | (self.rvfi_mem_wdata.val() & self.byte_2.val());
        }
        if self.rvfi_mem_wmask.val().get_bit(3) {
            self.stored.next = self.stored.val() | (self.rvfi_mem_wdata.val() & self.byte_3.val());
        }
        self.digest.digest.next = self.control.digest.val();
        self.digest.pc.next = self.rvfi_pc_rdata.val();
        self.digest.store_addr.next = self.none.val();
        if self.rvfi_mem_wmask.val().any() {
            self.digest.store_addr.next = self.rvfi_mem_addr.val();
        }
        self.digest.store_data.next = self.stored.val();
        self.digest.store_mask.next = self.rvfi_mem_wmask.val();
        self.digest.rd_addr.next = self.rvfi_rd_addr.val();
        self.digest.rd_data.next = self.rvfi_rd_wdata.val();
        self.digest.trap.next = self.rvfi_trap.val();

        // Numbers. Nothing is ever lost.
        self.counters.clear.next = self.control.clear.val();
        self.counters.retire.next = self.control.count_retire.val();
        self.counters.cycle.next = self.control.count_cycle.val();
        self.counters.lose.next = false;
        self.counters.hart.next = self.only_hart.val();
        self.counters.of.next = self.only_hart.val();
        self.counters.mark.next = self.control.open.val();
        if self.control.open.val() {
            self.mode_ff.d.next = self.rvfi_mode.val();
        }

        // Intervals. The hart waits by other means than the control's.
        self.control.enable.next = self.enable.val();
        self.control.may_stall.next = false;
        self.control.hold.next = self.hold.val();
        self.control.run_ended.next = self.run_ended.val();
        self.control.interval.next = self.interval.val();
        self.control.post_trigger.next = self.none.val();
        self.control.fires.next = false;
        self.control.end_all.next = false;
        self.control.cut.next = false;
        self.control.turn.next = true;
        self.control.valid.next = self.rvfi_valid.val();
        self.control.needs_entry.next = self.redirect.val()
            | self.fetch.val()
            | self.rvfi_trap.val()
            | self.operation.val()
            | self.accesses.val();
        self.control.stepped.next = self.digest.stepped.val();
        self.control.snooped.next = false;
        self.control.full.next = self.pushed_ff.q.val() | self.valid_ff.q.val();
        self.control.pressure.next = false;
        self.control.live.next = true;
        self.control.drained.next = !self.pushed_ff.q.val()
            & !self.valid_ff.q.val()
            & self.decision.empty.val()
            & self.encoder.idle.val()
            & self.packer.idle.val();

        // What there is to do. An interval's digest is there two cycles after its end.
        self.flags.next = self.no_flags.val();
        if self.control.accept.val() {
            self.flags.next = self
                .flags
                .val()
                .replace_bit(3, self.redirect.val() & !self.control.open.val())
                .replace_bit(4, self.fetch.val())
                .replace_bit(5, self.outside.val())
                .replace_bit(6, self.rvfi_trap.val())
                .replace_bit(7, self.operation.val())
                .replace_bit(8, self.certain.val())
                .replace_bit(9, self.accesses.val());
        }
        self.flags.next = self
            .flags
            .val()
            .replace_bit(0, self.control.open.val())
            .replace_bit(2, self.control.last.val());
        self.pushed_ff.d.next = self.control.push.val();
        if self.control.push.val() {
            self.flags_ff.d.next = self.flags.val();
            self.position_ff.d.next = self.control.position.val();
        }
        if self.pushed_ff.q.val() {
            self.valid_ff.d.next = true;
        }
        if self.sequencer.pop.val() | self.clears.val() {
            self.valid_ff.d.next = false;
        }

        // Sequencer and tags.
        self.sequencer.clear.next = self.clears.val();
        self.sequencer.valid.next = self.valid_ff.q.val();
        self.sequencer.flags.next = self.flags_ff.q.val();
        self.sequencer.position.next = self.position_ff.q.val();
        self.sequencer.pc.next = self.rvfi_pc_rdata.val();
        self.sequencer.insn.next = self.rvfi_insn.val();
        self.sequencer.value.next = self.value.val();
        self.sequencer.addr.next = self.rvfi_mem_addr.val().get_bits::<30>(2);
        self.sequencer.masks.next = bit_cast::<12, 4>(self.rvfi_mem_rmask.val())
            | (bit_cast::<12, 4>(self.rvfi_mem_wmask.val()) << 4);
        self.sequencer.snoop_addr.next = self.nobody.val();
        self.sequencer.digest.next = self.control.total_digest.val();
        self.sequencer.full.next = self.decision.full.val();
        self.sequencer.tag_conflict.next = self.tags.conflict.val();
        self.tags.clear.next = self.control.clear.val();
        self.tags.address.next = self.sequencer.tag_address.val();
        self.tags.need.next = self.sequencer.tag_need.val();
        self.tags.touch.next = self.sequencer.tag_touch.val();
        self.tags.remove.next = false;
        self.tags.commit.next = self.sequencer.tag_commit.val();
        self.tags.advance.next = self.sequencer.tag_advance.val();

        // Events to bytes. An event waits until the tags have answered, and while a header is written.
        self.decision.clear.next = self.clears.val();
        self.decision.push.next = self.sequencer.push.val();
        self.decision.asks.next = self.sequencer.event_asks.val();
        self.decision.kind.next = self.sequencer.event_kind.val();
        self.decision.position.next = self.sequencer.event_position.val();
        self.decision.value.next = self.sequencer.event_value.val();
        self.decision.known.next = self.tags.known.val();
        self.decision.next_full.next = !self.encoder.event_pop.val();
        self.asked_ff.d.next = self.sequencer.push.val() & self.sequencer.event_asks.val();
        self.encoder.event_valid.next =
            !self.decision.empty.val() & !self.asked_ff.q.val() & !self.reading_ff.q.val();
        self.encoder.event_kind.next = self.decision.next_kind.val();
        self.encoder.event_position.next = self.decision.next_position.val();
        self.encoder.event_value.next = self.decision.next_value.val();
        self.dictionary.empty.next = self.encoder.dict_empty.val();
        self.dictionary.look.next = self.encoder.dict_look.val();
        self.dictionary.value.next = self.decision.next_value.val();
        self.encoder.dict_done.next = self.dictionary.done.val();
        self.encoder.dict_hit.next = self.dictionary.hit.val();
        self.encoder.dict_index.next = self.dictionary.index.val();
        self.encoder.clear.next = self.clears.val();
        self.encoder.clear_half.next = self.control.sweep.val().get_bit(3);
        self.encoder.count_bits.next = self.count_bits.val();
        self.encoder.mode.next = self.mode_ff.q.val();
        self.encoder.cycles_lo.next = self.counters.mark_cycles_lo.val();
        self.encoder.cycles_hi.next = self.counters.mark_cycles_hi.val();
        self.encoder.lost_lo.next = self.none.val();
        self.encoder.lost_hi.next = self.no_lost.val();
        self.encoder.reason.next = self.control.reason.val();
        self.encoder.register_data.next = self.dictionary.register_data.val();
        self.encoder.ready.next = self.packer.ready.val();
        self.packer.clear.next = self.clears.val();
        self.packer.hart.next = self.only_hart.val();
        self.packer.load.next = self.encoder.load.val();
        self.packer.bits.next = self.encoder.bits.val();
        self.packer.size.next = self.encoder.size.val();
        self.packer.align.next = self.encoder.align.val();
        self.packer.last.next = self.encoder.last.val();
        self.packer.byte_ready.next = self.byte_ready.val();

        // Registers: the copy is written behind the header that shows what was there before.
        self.dictionary.register_read.next = self.reading_ff.q.val();
        self.dictionary.register.next = self.encoder.register.val();
        self.writes.next =
            self.wiping_ff.q.val() | (self.pending_ff.q.val() & !self.heading_ff.q.val());
        self.dictionary.register_write.next = self.writes.val();
        self.dictionary.register_address.next = self.register_ff.q.val();
        self.dictionary.register_value.next = self.register_value_ff.q.val();
        if self.writes.val() & self.dictionary.register_taken.val() {
            self.pending_ff.d.next = false;
            if self.wiping_ff.q.val() {
                self.register_ff.d.next = self.register_ff.q.val() + self.one_register.val();
                self.wiping_ff.d.next = !self.register_ff.q.val().all();
            }
        }
        if self.rvfi_valid.val() {
            self.pending_ff.d.next = self.rvfi_rd_addr.val().any();
            self.register_ff.d.next = self.rvfi_rd_addr.val();
            self.register_value_ff.d.next = self.rvfi_rd_wdata.val();
        }
        if self.encoder.dict_empty.val() {
            self.reading_ff.d.next = true;
        }
        if self.control.open.val() {
            self.heading_ff.d.next = true;
        }
        if self.encoder.header_done.val() | self.clears.val() {
            self.reading_ff.d.next = false;
            self.heading_ff.d.next = false;
        }
        if self.reset.val() {
            self.pending_ff.d.next = false;
            self.wiping_ff.d.next = true;
            self.register_ff.d.next = self.no_register.val();
            self.register_value_ff.d.next = self.none.val();
        }

        // Out.
        self.waits.next = self.control.push.val()
            | self.pushed_ff.q.val()
            | self.valid_ff.q.val()
            | self.heading_ff.q.val();
        self.counters.stall.next = self.waits.val() & self.control.recording.val();
        self.stall.next = self.waits.val() | self.wiping_ff.q.val() | self.control.stall.val();
        self.byte_valid.next = self.packer.byte_valid.val();
        self.byte_data.next = self.packer.byte_data.val();
        self.byte_last.next = self.packer.byte_last.val();
        self.recording.next = self.control.recording.val();
        self.ended.next = self.control.ended.val();
        self.lost_any.next = self.control.lost_any.val();
        self.end_reason.next = bit_cast::<8, 3>(self.control.end_reason.val());
        self.retired_lo.next = self.counters.retired_lo.val();
        self.retired_hi.next = self.counters.retired_hi.val();
        self.cycles_lo.next = self.counters.cycles_lo.val();
        self.cycles_hi.next = self.counters.cycles_hi.val();
        self.stalls_lo.next = self.counters.stalls_lo.val();
        self.stalls_hi.next = self.counters.stalls_hi.val();
    }
}

#[cfg(test)]
mod tests;
