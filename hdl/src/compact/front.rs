//! The front of the recorder of codec `compact`: from retirements to the bytes of intervals.
//!
//! ```text
//!  rvfi ──► retire, flow ──► interval ──► waiting ──► sequencer ──► fifo ──► item_coder ──► coder ──► bytes
//! snoop      │ │ │             ▲                        │             └────► record_writer ──────────────────┘
//!            │ │ └─ known_image, told                  tags
//!            └─┴─── registers, digest, counters
//! ```
//! As `recorder::front`, whose first blocks these are: one retirement and one foreign write a cycle; both
//! reach `interval` one cycle later, which accepts them or not. Nothing behind it ever loses anything.
//! With `may_stall`, `stall` rises while there is still room for everything on its way. With 16 events
//! or more in the FIFO values are hurried, so that it seldom comes to that; the plain coder cannot.
//!
//! `coder` is a `range_coder` or a `plain_coder`, by configuration. With tags that keep words others'
//! writes go to `known_image` alone.

use super::flow::Flow;
use super::item_coder::ItemCoder;
use super::known_image::KnownImage;
use super::plain_coder::PlainCoder;
use super::range_coder::RangeCoder;
use super::record_writer::RecordWriter;
use super::registers::Registers;
use super::sequencer::CompactSequencer;
use super::tags::CompactTags;
use super::told::Told;
use super::waiting::Waiting;
use crate::recorder::circuit::circuit;
use crate::recorder::counters::Counters;
use crate::recorder::digest::DigestStep;
use crate::recorder::event_fifo::EventFifo;
use crate::recorder::interval::IntervalControl;
use crate::recorder::retire::RetireStage;
use crate::recorder::trigger::Trigger;
use rust_hdl::prelude::*;

circuit! {
    /// The front; sizes are those of `tags` (`WAYS` to `K`, `P`, `KEPT`), `item_coder` (`I`, `V`),
    /// `known_image` (`D`), `interval` (`C`) and `event_fifo` (`N`, `RESERVE`). With `H` = 1 the tags keep
    /// words, with 0 they do not; there are `A` range coders and `B` plain ones, one in all.
    pub struct CompactFront
        [WAYS, S, R, ROWS, Q, T, L, F, M, K, I, V, D, C, N, RESERVE, P, KEPT, H, A, B] {
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
        /// memory is where `addr & mem_mask == mem_base`
        pub mem_base: Signal<In, Bits<32>>,
        /// see `mem_base`
        pub mem_mask: Signal<In, Bits<32>>,
        /// the instruction's result must be logged
        pub rvfi_opaque: Signal<In, Bit>,
        /// the address of the next instruction must be logged
        pub rvfi_jumps: Signal<In, Bit>,
        /// the instruction is `c.ebreak`
        pub rvfi_breaks: Signal<In, Bit>,
        /// the next recorded instruction is a trigger
        pub trigger: Signal<In, Bit>,
        /// TRIGGER: what else is one
        pub watch: Signal<In, Bits<6>>,
        /// first address that is
        pub watch_lo: Signal<In, Bits<32>>,
        /// first address after those
        pub watch_hi: Signal<In, Bits<32>>,
        /// another hart's trigger was the first
        pub disarm: Signal<In, Bit>,
        /// somebody else writes memory
        pub snoop_valid: Signal<In, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<In, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<In, Bits<4>>,
        /// recording is requested; low ends it
        pub enable: Signal<In, Bit>,
        /// the hart may be stalled
        pub may_stall: Signal<In, Bit>,
        /// instructions an interval, at least 64
        pub interval: Signal<In, Bits<32>>,
        /// intervals a key group
        pub key_every: Signal<In, Bits<16>>,
        /// the key group that is being written has grown enough: another should begin
        pub cut: Signal<In, Bit>,
        /// first address of the image window
        pub image_lo: Signal<In, Bits<32>>,
        /// first address after it
        pub image_hi: Signal<In, Bits<32>>,
        /// a trap is a trigger
        pub trigger_on_trap: Signal<In, Bit>,
        /// instructions recorded after a trigger
        pub post_trigger: Signal<In, Bits<32>>,
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
        /// it ends an interval or a gap
        pub byte_last: Signal<Out, Bit>,
        /// it is decided whether a value is hurried
        pub decided: Signal<Out, Bit>,
        /// it is
        pub hurried: Signal<Out, Bit>,
        /// the hart must not start an instruction
        pub stall: Signal<Out, Bit>,
        /// a recording is under way
        pub recording: Signal<Out, Bit>,
        /// the recording is over and its last byte was taken
        pub ended: Signal<Out, Bit>,
        /// why it is over
        pub end_reason: Signal<Out, Bits<8>>,
        /// a trigger fired
        pub triggered: Signal<Out, Bit>,
        /// which
        pub cause: Signal<Out, Bits<3>>,
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
        /// retirements lost
        pub lost_lo: Signal<Out, Bits<32>>,
        /// high half
        pub lost_hi: Signal<Out, Bits<32>>,
        retire: RetireStage<1>,
        flow: Flow,
        image: KnownImage<D>,
        told: Told,
        digest: DigestStep,
        registers: Registers,
        counters: Counters<1>,
        watcher: Trigger,
        control: IntervalControl<C>,
        queue: Waiting<H>,
        sequencer: CompactSequencer<V>,
        tags: CompactTags<WAYS, S, R, ROWS, Q, T, L, F, M, K, P, KEPT>,
        fifo: EventFifo<N, RESERVE>,
        items: ItemCoder<I, V, A>,
        writer: RecordWriter,
        mode_ff: DFF<Bits<2>>,
        /// the header of the open interval is not yet written
        heading_ff: DFF<Bit>,
        /// that of the newest key group is not: `cut` is about an older one
        young_ff: DFF<Bit>,
        cut_ff: DFF<Bit>,
        clears: Signal<Local, Bit>,
        foreign: Signal<Local, Bit>,
        rmask: Signal<Local, Bits<4>>,
        access: Signal<Local, Bit>,
        device: Signal<Local, Bit>,
        result: Signal<Local, Bit>,
        wfi: Signal<Local, Bit>,
        flags: Signal<Local, Bits<21>>,
        bin_ready: Signal<Local, Bit>,
        coded_valid: Signal<Local, Bit>,
        coded: Signal<Local, Bits<8>>,
        coder_idle: Signal<Local, Bit>,
    }
    arrays {
        coder: [RangeCoder<32>; A],
        plain: [PlainCoder; B],
    }
    constants {
        only_hart: 2 = 0,
        compares: 1 = H,
        no_byte: 8 = 0,
        no_flags: 21 = 0,
        no_lanes: 4 = 0,
        no_data: 32 = 0,
    }
    check {
        assert!(C >= 10, "all contexts are cleared when a recording begins");
        assert!(A + B == 1, "there is one coder");
        assert!(H == KEPT.min(1), "what is kept is also compared");
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
    > Logic
    for CompactFront<WAYS, S, R, ROWS, Q, T, L, F, M, K, I, V, D, C, N, RESERVE, P, KEPT, H, A, B>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mode_ff, heading_ff, young_ff, cut_ff);
        self.retire.clock.next = self.clock.val();
        self.flow.clock.next = self.clock.val();
        self.image.clock.next = self.clock.val();
        self.told.clock.next = self.clock.val();
        self.registers.clock.next = self.clock.val();
        self.counters.clock.next = self.clock.val();
        self.watcher.clock.next = self.clock.val();
        self.control.clock.next = self.clock.val();
        self.queue.clock.next = self.clock.val();
        self.sequencer.clock.next = self.clock.val();
        self.tags.clock.next = self.clock.val();
        self.fifo.clock.next = self.clock.val();
        self.items.clock.next = self.clock.val();
        self.writer.clock.next = self.clock.val();
        self.control.reset.next = self.reset.val();
        self.registers.reset.next = self.reset.val();
        self.clears.next = self.control.clear.val() | self.reset.val();

        // The coder, whichever there is.
        self.bin_ready.next = false;
        self.coded_valid.next = false;
        self.coded.next = self.no_byte.val();
        self.coder_idle.next = true;
        for i in 0..A {
            self.coder[i].clock.next = self.clock.val();
            self.coder[i].wipe.next = self.clears.val();
            self.coder[i].forget.next = self.writer.forget.val();
            self.coder[i].bin_valid.next = self.items.bin_valid.val();
            self.coder[i].bin_kind.next = self.items.bin_kind.val();
            self.coder[i].bin_context.next = self.items.bin_context.val();
            self.coder[i].bin_one.next = self.items.bin_one.val();
            self.coder[i].bin_byte.next = self.items.bin_byte.val();
            self.coder[i].byte_ready.next = self.byte_ready.val();
            self.bin_ready.next = self.coder[i].bin_ready.val();
            self.coded_valid.next = self.coder[i].byte_valid.val();
            self.coded.next = self.coder[i].byte_data.val();
            self.coder_idle.next = self.coder[i].idle.val();
        }
        for i in 0..B {
            self.plain[i].clock.next = self.clock.val();
            self.plain[i].wipe.next = self.clears.val();
            self.plain[i].bin_valid.next = self.items.bin_valid.val();
            self.plain[i].bin_kind.next = self.items.bin_kind.val();
            self.plain[i].bin_one.next = self.items.bin_one.val();
            self.plain[i].byte_ready.next = self.byte_ready.val();
            self.bin_ready.next = self.plain[i].bin_ready.val();
            self.coded_valid.next = self.plain[i].byte_valid.val();
            self.coded.next = self.plain[i].byte_data.val();
            self.coder_idle.next = self.plain[i].idle.val();
        }

        // Ports to the first stage.
        self.retire.mem_base.next = self.mem_base.val();
        self.retire.mem_mask.next = self.mem_mask.val();
        self.retire.rvfi_opaque.next = self.rvfi_opaque.val();
        self.retire.rvfi_hart.next = self.only_hart.val();
        self.retire.rvfi_jumps.next = self.rvfi_jumps.val();
        self.retire.rvfi_valid.next = self.rvfi_valid.val();
        self.retire.rvfi_insn.next = self.rvfi_insn.val();
        self.retire.rvfi_trap.next = self.rvfi_trap.val();
        self.retire.rvfi_mode.next = self.rvfi_mode.val();
        self.retire.rvfi_rd_addr.next = self.rvfi_rd_addr.val();
        self.retire.rvfi_rd_wdata.next = self.rvfi_rd_wdata.val();
        self.retire.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.retire.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.retire.rvfi_mem_addr.next = self.rvfi_mem_addr.val();
        self.retire.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.retire.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.retire.rvfi_mem_rdata.next = self.rvfi_mem_rdata.val();
        self.retire.rvfi_mem_wdata.next = self.rvfi_mem_wdata.val();
        self.retire.snoop_valid.next = self.snoop_valid.val();
        self.retire.snoop_addr.next = self.snoop_addr.val();
        self.retire.snoop_mask.next = self.snoop_mask.val();
        self.flow.rvfi_valid.next = self.rvfi_valid.val();
        self.flow.rvfi_insn.next = self.rvfi_insn.val();
        self.flow.rvfi_trap.next = self.rvfi_trap.val();
        self.flow.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.flow.rvfi_pc_wdata.next = self.rvfi_pc_wdata.val();
        self.flow.rvfi_jumps.next = self.rvfi_jumps.val();

        // What the reader has from the ELF. A read that is known from there is none.
        self.image.clear.next = self.control.clear.val();
        self.image.sweep.next = self.control.sweep.val().get_bits::<D>(0);
        self.image.image_lo.next = self.image_lo.val();
        self.image.image_hi.next = self.image_hi.val();
        self.image.rvfi_pc.next = self.rvfi_pc_rdata.val();
        self.image.rvfi_addr.next = self.rvfi_mem_addr.val();
        self.image.pc.next = self.retire.pc.val();
        self.image.addr.next = self.retire.addr.val();
        self.image.store.next = self.retire.valid.val() & self.retire.store.val();
        self.image.snoop.next = self.retire.snooped.val();
        self.image.snoop_addr.next = self.retire.snooped_addr.val();
        self.foreign.next = !self.image.code_known.val();
        self.rmask.next = self.retire.rmask.val();
        if self.image.data_known.val() {
            self.rmask.next = self.no_lanes.val();
        }
        self.access.next =
            self.retire.data.val() & (self.rmask.val().any() | self.retire.wmask.val().any());
        self.device.next = self.rmask.val().any() & !self.retire.data.val();
        self.result.next = self.retire.operation.val() & !self.retire.rmask.val().any();
        self.wfi.next = self.flow.wfi.val() & !self.retire.trap.val();

        // Registers, as they are before the instruction.
        self.registers.write.next = self.retire.valid.val() & self.retire.rd_addr.val().any();
        self.registers.write_addr.next = self.retire.rd_addr.val();
        self.registers.write_data.next = self.retire.rd_data.val();
        self.registers.left_addr.next = self.retire.insn.val().get_bits::<5>(15);
        self.registers.right_addr.next = self.retire.insn.val().get_bits::<5>(20);
        self.told.clear.next = self.clears.val();
        self.told.key_every.next = self.key_every.val();
        self.told.insn.next = self.retire.insn.val();
        self.told.rd_addr.next = self.retire.rd_addr.val();
        self.told.accept.next = self.control.accept.val();
        self.told.last.next = self.control.last.val();
        self.told.gap_start.next = self.control.gap_start.val() | self.control.severed.val();

        // Digest and numbers.
        self.digest.digest.next = self.control.digest.val();
        self.digest.pc.next = self.retire.pc.val();
        self.digest.store_addr.next = self.retire.store_addr.val();
        self.digest.store_data.next = self.retire.store_data.val();
        self.digest.rd_addr.next = self.retire.rd_addr.val();
        self.digest.rd_data.next = self.retire.rd_data.val();
        self.digest.trap.next = self.retire.trap.val();
        self.digest.store_mask.next = self.retire.wmask.val();
        self.counters.clear.next = self.control.clear.val();
        self.counters.retire.next = self.control.count_retire.val();
        self.counters.cycle.next = self.control.count_cycle.val();
        self.counters.stall.next = self.control.count_stall.val();
        self.counters.lose.next = self.control.count_loss.val();
        self.counters.hart.next = self.only_hart.val();
        self.counters.of.next = self.only_hart.val();
        self.counters.mark.next = self.control.open.val() | self.control.gap.val();
        if self.control.open.val() {
            self.mode_ff.d.next = self.retire.mode.val();
            self.heading_ff.d.next = true;
        }
        if self.writer.header_done.val() | self.clears.val() {
            self.heading_ff.d.next = false;
        }
        if (self.writer.header_done.val() & self.fifo.head_kind.val().get_bit(2))
            | self.clears.val()
        {
            self.young_ff.d.next = false;
        } else if self.control.open.val() & self.told.key.val() {
            self.young_ff.d.next = true;
        }
        self.cut_ff.d.next = self.cut.val();

        // What ends the recording.
        self.watcher.clear.next = self.control.clear.val();
        self.watcher.rvfi_insn.next = self.rvfi_insn.val();
        self.watcher.rvfi_breaks.next = self.rvfi_breaks.val();
        self.watcher.rvfi_trap.next = self.rvfi_trap.val();
        self.watcher.rvfi_pc_rdata.next = self.rvfi_pc_rdata.val();
        self.watcher.rvfi_mem_addr.next = self.rvfi_mem_addr.val();
        self.watcher.rvfi_mem_rmask.next = self.rvfi_mem_rmask.val();
        self.watcher.rvfi_mem_wmask.next = self.rvfi_mem_wmask.val();
        self.watcher.on_trap.next = self.trigger_on_trap.val();
        self.watcher.watch.next = self.watch.val();
        self.watcher.watch_lo.next = self.watch_lo.val();
        self.watcher.watch_hi.next = self.watch_hi.val();
        self.watcher.pin.next = self.trigger.val();
        self.watcher.disarm.next = self.disarm.val();
        self.watcher.recording.next = self.control.recording.val();
        self.watcher.trap.next = self.retire.trap.val();
        self.watcher.accept.next = self.control.accept.val();

        // Intervals: what is accepted.
        self.control.enable.next = self.enable.val();
        self.control.may_stall.next = self.may_stall.val();
        self.control.hold.next = self.hold.val();
        self.control.run_ended.next = self.run_ended.val();
        self.control.interval.next = self.interval.val();
        self.control.post_trigger.next = self.post_trigger.val();
        self.control.fires.next = self.watcher.fires.val();
        self.control.end_all.next = false;
        self.control.turn.next = true;
        self.control.cut.next = self.cut_ff.q.val() & !self.young_ff.q.val();
        self.control.valid.next = self.retire.valid.val();
        self.control.needs_entry.next = self.flow.redirect.val()
            | self.flow.after_trap.val()
            | self.flow.after_return.val()
            | self.foreign.val()
            | self.retire.trap.val()
            | self.told.left.val()
            | self.told.right.val()
            | self.access.val()
            | self.device.val()
            | self.result.val()
            | self.wfi.val();
        self.control.stepped.next = self.digest.stepped.val();
        // Tags that compare need not be told who else writes: the known image is.
        self.control.snooped.next = self.retire.snooped_memory.val() & !self.compares.val().any();
        self.control.full.next = self.queue.full.val();
        self.control.pressure.next = self.queue.half.val() | self.fifo.pressure.val();
        self.control.live.next = !self.heading_ff.q.val();
        self.control.drained.next = self.queue.empty.val()
            & self.fifo.empty.val()
            & self.coder_idle.val()
            & self.writer.idle.val();

        // Into the queue.
        self.queue.clear.next = self.clears.val();
        self.queue.push.next = self.control.push.val();
        self.flags.next = self.no_flags.val();
        if self.control.accept.val() {
            self.flags.next = self
                .flags
                .val()
                .replace_bit(3, self.told.key.val())
                .replace_bit(4, self.flow.redirect.val() & !self.control.open.val())
                .replace_bit(5, self.flow.after_trap.val() & !self.control.open.val())
                .replace_bit(6, self.flow.after_return.val() & !self.control.open.val())
                .replace_bit(7, self.foreign.val())
                .replace_bit(8, self.image.code_inside.val())
                .replace_bit(9, self.retire.pc_in_memory.val())
                .replace_bit(10, self.retire.trap.val())
                .replace_bit(11, self.told.left.val())
                .replace_bit(12, self.told.right.val())
                .replace_bit(13, self.access.val())
                .replace_bit(14, self.device.val())
                .replace_bit(15, self.image.data_inside.val())
                .replace_bit(16, self.result.val())
                .replace_bit(18, self.wfi.val())
                .replace_bit(19, self.registers.left_blank.val())
                .replace_bit(20, self.registers.right_blank.val());
        }
        self.flags.next = self
            .flags
            .val()
            .replace_bit(0, self.control.open.val())
            .replace_bit(1, self.control.gap.val())
            .replace_bit(2, self.control.last.val())
            .replace_bit(17, self.control.accept_snoop.val());
        self.queue.flags.next = self.flags.val();
        self.queue.position.next = self.control.position.val();
        self.queue.pc.next = self.retire.pc.val();
        self.queue.insn.next = self.retire.insn.val();
        self.queue.value.next = self.retire.value.val();
        self.queue.left.next = self.registers.left.val();
        self.queue.right.next = self.registers.right.val();
        self.queue.from.next = self.flow.from.val();
        self.queue.addr.next = self.retire.addr.val().get_bits::<30>(2);
        self.queue.masks.next =
            bit_cast::<8, 4>(self.rmask.val()) | (bit_cast::<8, 4>(self.retire.wmask.val()) << 4);
        self.queue.snoop_addr.next = self.retire.snooped_addr.val().get_bits::<30>(2);
        self.queue.stored.next = self.retire.store_data.val();
        self.queue.pop.next = self.sequencer.pop.val();

        // Sequencer and tags.
        self.sequencer.clear.next = self.clears.val();
        self.sequencer.valid.next = self.queue.valid.val();
        self.sequencer.flags.next = self.queue.head_flags.val();
        self.sequencer.position.next = self.queue.head_position.val();
        self.sequencer.pc.next = self.queue.head_pc.val();
        self.sequencer.insn.next = self.queue.head_insn.val();
        self.sequencer.value.next = self.queue.head_value.val();
        self.sequencer.left.next = self.queue.head_left.val();
        self.sequencer.right.next = self.queue.head_right.val();
        self.sequencer.from.next = self.queue.head_from.val();
        self.sequencer.addr.next = self.queue.head_addr.val();
        self.sequencer.masks.next = self.queue.head_masks.val();
        self.sequencer.snoop_addr.next = self.queue.head_snoop_addr.val();
        self.sequencer.digest.next = self.control.total_digest.val();
        self.sequencer.tag_known.next = self.tags.known.val();
        self.sequencer.tag_escape.next = self.tags.escape.val();
        self.sequencer.full.next = self.fifo.full.val();
        self.tags.advance.next = self.control.clear.val() | self.sequencer.tag_advance.val();
        self.tags.address.next = self.sequencer.tag_address.val();
        self.tags.rmask.next = self.sequencer.tag_rmask.val();
        self.tags.wmask.next = self.sequencer.tag_wmask.val();
        self.tags.read_word.next = self.sequencer.tag_word.val();
        self.tags.written_word.next = self.queue.head_stored.val();
        self.tags.in_image.next = self.sequencer.tag_in_image.val();
        self.tags.snoop.next = self.sequencer.tag_snoop.val();
        self.tags.commit.next = self.sequencer.tag_commit.val();

        // Events to bytes.
        self.fifo.clear.next = self.clears.val();
        self.fifo.push.next = self.sequencer.push.val();
        self.fifo.kind.next = self.sequencer.event_kind.val();
        self.fifo.position.next = self.sequencer.event_extra.val();
        self.fifo.value.next = self.sequencer.event_value.val();
        self.fifo.pop.next = self.items.event_pop.val() | self.writer.event_pop.val();
        self.items.wipe.next = self.clears.val();
        self.items.forget.next = self.writer.forget.val();
        self.items.event_valid.next = self.fifo.valid.val();
        self.items.event_kind.next = self.fifo.head_kind.val();
        self.items.event_extra.next = self.fifo.head_position.val();
        self.items.event_value.next = self.fifo.head_value.val();
        self.items.hurry.next = self.fifo.behind.val();
        self.items.bin_ready.next = self.bin_ready.val();
        self.writer.clear.next = self.clears.val();
        self.writer.event_valid.next = self.fifo.valid.val();
        self.writer.event_kind.next = self.fifo.head_kind.val();
        self.writer.event_extra.next = self.fifo.head_position.val();
        self.writer.event_value.next = self.fifo.head_value.val();
        self.writer.closed.next = self.items.closed.val();
        self.writer.coder_idle.next = self.coder_idle.val();
        self.writer.mode.next = self.mode_ff.q.val();
        self.writer.cycles_lo.next = self.counters.mark_cycles_lo.val();
        self.writer.cycles_hi.next = self.counters.mark_cycles_hi.val();
        self.writer.lost_lo.next = self.counters.gap_lost_lo.val();
        self.writer.lost_hi.next = self.counters.gap_lost_hi.val();
        self.writer.reason.next = self.control.reason.val();
        self.writer.byte_ready.next = self.byte_ready.val();

        // Out. The coder sends nothing while a header or a trailer is written.
        self.byte_valid.next = self.coded_valid.val() | self.writer.byte_valid.val();
        self.byte_data.next = self.writer.byte_data.val();
        if self.coded_valid.val() {
            self.byte_data.next = self.coded.val();
        }
        self.byte_last.next = self.writer.byte_valid.val() & self.writer.byte_last.val();
        self.decided.next = self.items.decided.val();
        self.hurried.next = self.items.hurried.val();
        self.stall.next = self.control.stall.val();
        self.recording.next = self.control.recording.val();
        self.ended.next = self.control.ended.val();
        self.triggered.next = self.control.triggered.val();
        self.cause.next = self.watcher.cause.val();
        self.lost_any.next = self.control.lost_any.val();
        self.end_reason.next = bit_cast::<8, 3>(self.control.end_reason.val());
        self.retired_lo.next = self.counters.retired_lo.val();
        self.retired_hi.next = self.counters.retired_hi.val();
        self.cycles_lo.next = self.counters.cycles_lo.val();
        self.cycles_hi.next = self.counters.cycles_hi.val();
        self.stalls_lo.next = self.counters.stalls_lo.val();
        self.stalls_hi.next = self.counters.stalls_hi.val();
        self.lost_lo.next = self.counters.lost_lo.val();
        self.lost_hi.next = self.counters.lost_hi.val();
    }
}

#[cfg(test)]
mod tests;
