//! The front of the recorder: from retirements to the bytes of intervals.
//!
//! ```text
//!  rvfi ──► retire ──► interval ──► queue ──► sequencer ──► decision ──► fifo ──► encoder ──► packer ──► bytes
//! snoop      │ │          ▲                      │             ▲                     │
//!            │ └─ known_code                    tags ──────────┘                 dictionary
//!            └─── shadow, digest, counters
//! ```
//! One retirement and one foreign write a cycle; both reach `interval` one cycle later, which
//! accepts them or not. Nothing behind it ever loses anything. With `may_stall`, `stall` rises while
//! there is still room for everything on its way.

use super::counters::Counters;
use super::decision::Decision;
use super::dictionary::Dictionary;
use super::digest::DigestStep;
use super::encoder::Encoder;
use super::event_fifo::EventFifo;
use super::first_load_tags::FirstLoadTags;
use super::input_queue::InputQueue;
use super::interval::IntervalControl;
use super::known_code::KnownCode;
use super::packer::Packer;
use super::register_shadow::RegisterShadow;
use super::retire::RetireStage;
use super::sequencer::Sequencer;
use super::trigger::Trigger;
use super::word_tags::WordTags;
use rust_hdl::prelude::*;

circuit! {
    /// The front; sizes are those of `first_load_tags` (`WAYS` to `M`), `dictionary` (`I` to
    /// `R`), `known_code` (`D`), `interval` (`C`) and `event_fifo` (`F`, `RESERVE`); with `K` = 1 the tags keep
    /// words, with 0 they do not.
    pub struct RecorderFront [WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K] {
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
        /// the instruction is known by halves only, never from the tags
        pub rvfi_loose: Signal<In, Bit>,
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
        /// another hart's trigger ends the recording of all
        pub end_all: Signal<In, Bit>,
        /// nobody else writes beside an access, and `snoop_addr` always is `rvfi_mem_addr`; a constant
        pub one_address: Signal<In, Bit>,
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
        /// width of a full L-count and of a position
        pub count_bits: Signal<In, Bits<5>>,
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
        /// its last instruction was recorded
        pub ends: Signal<Out, Bit>,
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
        /// a retirement is counted
        pub count_retire: Signal<Out, Bit>,
        /// a retirement or another's write of this cycle belongs to the recording
        pub active: Signal<Out, Bit>,
        /// an interval ends with the retirement
        pub interval_ends: Signal<Out, Bit>,
        /// it is lost
        pub count_loss: Signal<Out, Bit>,
        /// a cycle is counted
        pub count_cycle: Signal<Out, Bit>,
        /// memories are being cleared for a recording
        pub clearing: Signal<Out, Bit>,
        retire: RetireStage,
        known_code: KnownCode<D>,
        digest: DigestStep,
        shadow: RegisterShadow,
        counters: Counters,
        watcher: Trigger,
        control: IntervalControl<C>,
        queue: InputQueue,
        sequencer: Sequencer,
        tags: FirstLoadTags<WAYS, S, W, WORDS, T, E, L, M>,
        decision: Decision,
        fifo: EventFifo<F, RESERVE>,
        head: Decision,
        dictionary: Dictionary<I, P, LANES, B, R>,
        encoder: Encoder<I>,
        packer: Packer,
        loose_ff: DFF<Bit>,
        mode_ff: DFF<Bits<2>>,
        seen_ff: DFF<Bit>,
        /// registers written since the reset, and those before the open interval
        written_ff: DFF<Bits<32>>,
        shown_ff: DFF<Bits<32>>,
        /// the register that the encoder reads is one of them
        known_ff: DFF<Bit>,
        moves: Signal<Local, Bit>,
        mark: Signal<Local, Bits<32>>,
        forgets: Signal<Local, Bit>,
        fetch: Signal<Local, Bit>,
        fetch_outside: Signal<Local, Bit>,
        clears: Signal<Local, Bit>,
        flags: Signal<Local, Bits<11>>,
        snooped: Signal<Local, Bit>,
        known: Signal<Local, Bit>,
    }
    arrays {
        words: [WordTags<WAYS, S, W, WORDS, T, E, L, M>; K],
    }
    constants {
        no_flags: 11 = 0,
        one_register: 32 = 1,
        no_data: 32 = 0,
        compares: 1 = K,
    }
    check {
        assert!(K <= 1, "there is one set of tags");
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
    > Logic
    for RecorderFront<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, loose_ff, mode_ff, seen_ff, written_ff, shown_ff, known_ff);
        self.retire.clock.next = self.clock.val();
        self.known_code.clock.next = self.clock.val();
        self.shadow.clock.next = self.clock.val();
        self.counters.clock.next = self.clock.val();
        self.watcher.clock.next = self.clock.val();
        self.control.clock.next = self.clock.val();
        self.queue.clock.next = self.clock.val();
        self.sequencer.clock.next = self.clock.val();
        self.tags.clock.next = self.clock.val();
        self.decision.clock.next = self.clock.val();
        self.head.clock.next = self.clock.val();
        self.fifo.clock.next = self.clock.val();
        self.dictionary.clock.next = self.clock.val();
        self.encoder.clock.next = self.clock.val();
        self.packer.clock.next = self.clock.val();
        self.control.reset.next = self.reset.val();
        self.clears.next = self.control.clear.val() | self.reset.val();

        // A core that has run since its reset keeps its registers, and so does their copy.
        if self.retire.valid.val() {
            self.seen_ff.d.next = true;
        }
        if self.reset.val() {
            self.seen_ff.d.next = false;
        }
        // A header that was being written at a reset is not waited for any more: both copies are the
        // same from then on, as far as anything of them is shown.
        self.forgets.next = (self.control.clear.val() & !self.seen_ff.q.val()) | self.reset.val();
        // What was not written since the reset is sent as zero, whatever the copy holds.
        self.mark.next = self.one_register.val() << self.retire.rd_addr.val();
        if self.control.open.val() {
            self.shown_ff.d.next = self.written_ff.q.val();
        }
        if self.retire.valid.val() & self.retire.rd_addr.val().any() {
            self.written_ff.d.next = self.written_ff.q.val() | self.mark.val();
        }
        if self.reset.val() {
            self.written_ff.d.next = self.no_data.val();
        }
        self.known_ff.d.next = self
            .shown_ff
            .q
            .val()
            .get_bit(self.encoder.register.val().index());

        // Ports to the first stage.
        self.retire.mem_base.next = self.mem_base.val();
        self.retire.mem_mask.next = self.mem_mask.val();
        self.retire.rvfi_opaque.next = self.rvfi_opaque.val();
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

        // What is known of the instruction word.
        self.known_code.clear.next = self.control.clear.val();
        self.known_code.sweep.next = self.control.sweep.val().get_bits::<D>(0);
        self.known_code.image_lo.next = self.image_lo.val();
        self.known_code.image_hi.next = self.image_hi.val();
        self.known_code.fetch_pc.next = self.rvfi_pc_rdata.val();
        self.known_code.pc.next = self.retire.pc.val();
        self.loose_ff.d.next = self.rvfi_loose.val();
        self.known_code.straddles.next =
            self.loose_ff.q.val() & self.retire.pc.val().get_bits::<5>(1).all();
        self.known_code.store.next = self.retire.valid.val() & self.retire.store.val();
        self.known_code.store_addr.next = self.retire.addr.val();
        self.known_code.snoop.next = self.retire.snooped.val();
        self.known_code.snoop_addr.next = self.retire.snooped_addr.val();
        self.fetch.next = !self.known_code.known.val();
        self.fetch_outside.next = !self.retire.pc_in_memory.val() | self.loose_ff.q.val();

        // Digest, registers, numbers.
        self.digest.digest.next = self.control.digest.val();
        self.digest.pc.next = self.retire.pc.val();
        self.digest.store_addr.next = self.retire.store_addr.val();
        self.digest.store_data.next = self.retire.store_data.val();
        self.digest.rd_addr.next = self.retire.rd_addr.val();
        self.digest.rd_data.next = self.retire.rd_data.val();
        self.digest.trap.next = self.retire.trap.val();
        self.digest.store_mask.next = self.retire.wmask.val();
        self.shadow.clear.next = self.forgets.val();
        self.shadow.sweep.next = self.control.sweep.val().get_bits::<5>(0);
        self.shadow.write.next = self.retire.valid.val() & self.retire.rd_addr.val().any();
        self.shadow.write_addr.next = self.retire.rd_addr.val();
        self.shadow.write_data.next = self.retire.rd_data.val();
        self.shadow.freeze.next = self.control.open.val();
        self.shadow.thaw.next = self.encoder.header_done.val();
        self.shadow.read_addr.next = self.encoder.register.val();
        self.counters.clear.next = self.control.clear.val();
        self.counters.retire.next = self.control.count_retire.val();
        self.counters.cycle.next = self.control.count_cycle.val();
        self.counters.stall.next = self.control.count_stall.val();
        self.counters.lose.next = self.control.count_loss.val();
        self.counters.mark.next = self.control.open.val() | self.control.gap.val();
        if self.control.open.val() {
            self.mode_ff.d.next = self.retire.mode.val();
        }

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

        // Tags that compare need not be told who else writes: known code is.
        self.snooped.next = self.retire.snooped_memory.val() & !self.compares.val().any();

        // Intervals: what is accepted.
        self.control.enable.next = self.enable.val();
        self.control.may_stall.next = self.may_stall.val();
        self.control.hold.next = self.hold.val();
        self.control.run_ended.next = self.run_ended.val();
        self.control.interval.next = self.interval.val();
        self.control.post_trigger.next = self.post_trigger.val();
        self.control.fires.next = self.watcher.fires.val();
        self.control.end_all.next = self.end_all.val();
        // Every interval replays by itself: none is worth an early end.
        self.control.cut.next = false;
        self.control.valid.next = self.retire.valid.val();
        self.control.needs_entry.next = self.retire.redirect.val()
            | self.fetch.val()
            | self.retire.trap.val()
            | self.retire.operation.val()
            | self.retire.data.val();
        self.control.stepped.next = self.digest.stepped.val();
        self.control.snooped.next = self.snooped.val();
        self.control.full.next = self.queue.full.val();
        self.control.pressure.next = self.queue.half.val() | self.fifo.pressure.val();
        self.control.live.next = self.shadow.live.val();
        self.control.drained.next = self.queue.empty.val()
            & self.decision.empty.val()
            & self.fifo.empty.val()
            & self.head.empty.val()
            & self.encoder.idle.val()
            & self.packer.idle.val();

        // Into the queue.
        self.queue.clear.next = self.clears.val();
        self.queue.push.next = self.control.push.val();
        self.flags.next = self.no_flags.val();
        if self.control.accept.val() {
            self.flags.next = self
                .flags
                .val()
                .replace_bit(3, self.retire.redirect.val() & !self.control.open.val())
                .replace_bit(4, self.fetch.val())
                .replace_bit(5, self.fetch_outside.val())
                .replace_bit(6, self.retire.trap.val())
                .replace_bit(7, self.retire.operation.val())
                .replace_bit(8, self.retire.certain.val())
                .replace_bit(9, self.retire.data.val());
        }
        self.flags.next = self
            .flags
            .val()
            .replace_bit(0, self.control.open.val())
            .replace_bit(1, self.control.gap.val())
            .replace_bit(2, self.control.last.val())
            .replace_bit(10, self.control.accept_snoop.val());
        self.queue.flags.next = self.flags.val();
        self.queue.position.next = self.control.position.val();
        self.queue.pc.next = self.retire.pc.val();
        self.queue.insn.next = self.retire.insn.val();
        self.queue.value.next = self.retire.value.val();
        self.queue.addr.next = self.retire.addr.val().get_bits::<30>(2);
        self.queue.masks.next = bit_cast::<12, 4>(self.retire.rmask.val())
            | (bit_cast::<12, 4>(self.retire.wmask.val()) << 4)
            | (bit_cast::<12, 4>(self.retire.snooped_mask.val()) << 8);
        self.queue.snoop_addr.next = self.retire.snooped_addr.val().get_bits::<30>(2);
        self.queue.pop.next = self.sequencer.pop.val();

        // Sequencer and tags.
        self.sequencer.clear.next = self.clears.val();
        self.sequencer.valid.next = self.queue.valid.val();
        self.sequencer.flags.next = self.queue.head_flags.val();
        self.sequencer.position.next = self.queue.head_position.val();
        self.sequencer.pc.next = self.queue.head_pc.val();
        self.sequencer.insn.next = self.queue.head_insn.val();
        self.sequencer.value.next = self.queue.head_value.val();
        self.sequencer.addr.next = self.queue.head_addr.val();
        self.sequencer.masks.next = self.queue.head_masks.val();
        self.sequencer.snoop_addr.next = self.queue.head_snoop_addr.val();
        if self.one_address.val() {
            self.sequencer.snoop_addr.next = self.queue.head_addr.val();
        }
        self.sequencer.digest.next = self.control.total_digest.val();
        self.sequencer.full.next = self.decision.full.val();
        self.tags.clear.next = self.control.clear.val();
        self.tags.address.next = self.sequencer.tag_address.val();
        self.tags.need.next = self.sequencer.tag_need.val();
        self.tags.touch.next = self.sequencer.tag_touch.val();
        self.tags.remove.next = self.sequencer.tag_remove.val();
        self.tags.commit.next = self.sequencer.tag_commit.val();
        self.tags.advance.next = self.sequencer.tag_advance.val();
        self.known.next = self.tags.known.val();
        for i in 0..K {
            self.words[i].clock.next = self.clock.val();
            self.words[i].clear.next = self.control.clear.val();
            self.words[i].forget.next = self.clears.val();
            self.words[i].push.next = self.control.push.val();
            self.words[i].stored.next = self.retire.store_data.val();
            self.words[i].pop.next = self.sequencer.pop.val();
            self.words[i].address.next = self.sequencer.tag_address.val();
            self.words[i].need.next = self.sequencer.tag_need.val();
            self.words[i].touch.next = self.sequencer.tag_touch.val();
            self.words[i].fetch.next = self.sequencer.tag_fetch.val();
            self.words[i].insn.next = self.queue.head_insn.val();
            self.words[i].value.next = self.queue.head_value.val();
            self.words[i].written.next = self.queue.head_masks.val().get_bits::<4>(4);
            self.words[i].commit.next = self.sequencer.tag_commit.val();
            self.words[i].advance.next = self.sequencer.tag_advance.val();
            self.known.next = self.words[i].known.val();
        }
        // Words are written back with `commit` itself: no set is ever being written.
        self.sequencer.tag_conflict.next = self.tags.conflict.val() & !self.compares.val().any();

        // Events to bytes.
        self.fifo.clear.next = self.clears.val();
        self.decision.clear.next = self.clears.val();
        self.decision.push.next = self.sequencer.push.val();
        self.decision.asks.next = self.sequencer.event_asks.val();
        self.decision.kind.next = self.sequencer.event_kind.val();
        self.decision.position.next = self.sequencer.event_position.val();
        self.decision.value.next = self.sequencer.event_value.val();
        self.decision.known.next = self.known.val();
        self.decision.next_full.next = self.fifo.full.val();
        self.fifo.push.next = self.decision.next_push.val();
        self.fifo.kind.next = self.decision.next_kind.val();
        self.fifo.position.next = self.decision.next_position.val();
        self.fifo.value.next = self.decision.next_value.val();
        // The FIFO's head in registers, about which nothing is left to decide: a block RAM's answer comes
        // too late in the cycle for the dictionary.
        self.head.clear.next = self.clears.val();
        // Room that only the dictionary's answer makes is filled a cycle later: what answers last of all
        // must not choose what the FIFO reads.
        self.moves.next =
            self.fifo.valid.val() & (self.head.empty.val() | self.encoder.event_moves.val());
        self.head.push.next = self.moves.val();
        self.head.asks.next = false;
        self.head.known.next = false;
        self.head.kind.next = self.fifo.head_kind.val();
        self.head.position.next = self.fifo.head_position.val();
        self.head.value.next = self.fifo.head_value.val();
        self.head.next_full.next = !self.encoder.event_pop.val();
        self.fifo.pop.next = self.moves.val();
        self.dictionary.empty.next = self.encoder.dict_empty.val();
        self.dictionary.look.next = self.encoder.dict_look.val();
        self.dictionary.value.next = self.head.next_value.val();
        self.encoder.clear.next = self.clears.val();
        self.encoder.clear_half.next = self.control.sweep.val().get_bit(3);
        self.encoder.count_bits.next = self.count_bits.val();
        self.encoder.event_valid.next = !self.head.empty.val();
        self.encoder.event_kind.next = self.head.next_kind.val();
        self.encoder.event_position.next = self.head.next_position.val();
        self.encoder.event_value.next = self.head.next_value.val();
        self.encoder.dict_done.next = self.dictionary.done.val();
        self.encoder.dict_hit.next = self.dictionary.hit.val();
        self.encoder.dict_index.next = self.dictionary.index.val();
        self.encoder.mode.next = self.mode_ff.q.val();
        self.encoder.cycles_lo.next = self.counters.mark_cycles_lo.val();
        self.encoder.cycles_hi.next = self.counters.mark_cycles_hi.val();
        self.encoder.lost_lo.next = self.counters.gap_lost_lo.val();
        self.encoder.lost_hi.next = self.counters.gap_lost_hi.val();
        self.encoder.reason.next = self.control.reason.val();
        self.encoder.register_data.next = self.no_data.val();
        if self.known_ff.q.val() {
            self.encoder.register_data.next = self.shadow.read_data.val();
        }
        self.encoder.ready.next = self.packer.ready.val();
        self.packer.clear.next = self.clears.val();
        self.packer.load.next = self.encoder.load.val();
        self.packer.bits.next = self.encoder.bits.val();
        self.packer.size.next = self.encoder.size.val();
        self.packer.align.next = self.encoder.align.val();
        self.packer.last.next = self.encoder.last.val();
        self.packer.byte_ready.next = self.byte_ready.val();

        // Out.
        self.byte_valid.next = self.packer.byte_valid.val();
        self.byte_data.next = self.packer.byte_data.val();
        self.byte_last.next = self.packer.byte_last.val();
        self.stall.next = self.control.stall.val();
        self.recording.next = self.control.recording.val();
        self.ended.next = self.control.ended.val();
        self.triggered.next = self.control.triggered.val();
        self.cause.next = self.watcher.cause.val();
        self.ends.next = self.control.ends.val();
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
        self.count_retire.next = self.control.count_retire.val();
        self.active.next = self.control.active.val();
        self.interval_ends.next = self.control.last.val();
        self.count_loss.next = self.control.count_loss.val();
        self.count_cycle.next = self.control.count_cycle.val();
        self.clearing.next = self.control.clear.val();
    }
}

#[cfg(test)]
mod tests;
