//! The front of the recorder: from retirements to the bytes of intervals.
//!
//! ```text
//!  rvfi ──► retire ──► control ──► queue ──► sequencer ──► decision ──► fifo ──► look_up ─┐
//! snoop      │ │          ▲                      │             ▲                   │       │
//!            │ └─ known_code                    tags ──────────┘               dictionary  │
//!            ├─── digest, marks, counters                                                  │
//!            └─── shadow                                        bytes ◄── packer ◄── writer
//! ```
//! One retirement and one foreign write a cycle; both reach `control` one cycle later, which
//! accepts them or not. Nothing behind it ever loses anything. With `may_stall`, `stall` rises while
//! there is still room for everything on its way.
//!
//! **Several harts** retire through one port, one instruction a cycle. What looks at a retirement alone is
//! here once, and what it leaves is kept in small memories, a word for each hart: the digest so far, what
//! registers were written, cycles and losses. What has a pace of its own, each hart has: from `control` to
//! `look_up`, tags, dictionary and the register copies. `writer` and `packer` serve one hart after the other,
//! an entry each: the ring takes a byte a cycle, whoever it is from. `at` is the hart of the cycle: whose
//! retirement it is or, if nothing retires, whose turn it is.

use super::counters::Counters;
use super::decision::Decision;
use super::dictionary::Dictionary;
use super::digest::DigestStep;
use super::entry_writer::EntryWriter;
use super::event_fifo::EventFifo;
use super::first_load_tags::FirstLoadTags;
use super::input_queue::InputQueue;
use super::interval::IntervalControl;
use super::known_code::KnownCode;
use super::look_up::LookUp;
use super::packer::Packer;
use super::register_shadow::RegisterShadow;
use super::retire::RetireStage;
use super::sequencer::Sequencer;
use super::trigger::Trigger;
use super::word_tags::WordTags;
use crate::memory::{LutRam, PerHart};
use rust_hdl::prelude::*;

circuit! {
    /// The front; sizes are those of `first_load_tags` (`WAYS` to `M`), `dictionary` (`I` to
    /// `R`), `known_code` (`D`), `interval` (`C`) and `event_fifo` (`F`, `RESERVE`); with `K` = 1 the tags keep
    /// words, with 0 they do not. For `N` harts; `KN` is the product of the two.
    pub struct RecorderFront [WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, N, KN] {
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
        /// somebody else writes memory; one of several harts, too, and then never with another's
        /// access, and `snoop_addr` always is `rvfi_mem_addr`
        pub snoop_valid: Signal<In, Bit>,
        /// word-aligned address
        pub snoop_addr: Signal<In, Bits<32>>,
        /// bytes written
        pub snoop_mask: Signal<In, Bits<4>>,
        /// the harts are stalled for another reason
        pub also_stalls: Signal<In, Bit>,
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
        /// whose
        pub byte_hart: Signal<Out, Bits<2>>,
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
        /// which, and above that on which hart
        pub fired: Signal<Out, Bits<5>>,
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
        /// memories are being cleared for a recording
        pub clearing: Signal<Out, Bit>,
        retire: RetireStage<N>,
        known_code: KnownCode<D>,
        digest: DigestStep,
        /// digests of the open interval and of the one before, which is the last that ended, or the
        /// other way round: twice, to be read by two
        digests: LutRam<32, 3>,
        ended_digests: LutRam<32, 3>,
        counters: Counters<N>,
        watcher: Trigger,
        writer: EntryWriter<I, N>,
        packer: Packer<N>,
        loose_ff: DFF<Bit>,
        modes: PerHart<2, N>,
        /// registers written since the reset, and those before the open interval; bit 0 of those says
        /// whether there were any
        written: PerHart<32, N>,
        shown: PerHart<32, N>,
        /// the register that the writer reads is one of them
        known_ff: DFF<Bit>,
        turn_ff: DFF<Bits<2>>,
        next_ff: DFF<Bits<2>>,
        at: Signal<Local, Bits<2>>,
        own: Signal<Local, Bit>,
        accept: Signal<Local, Bit>,
        opens: Signal<Local, Bit>,
        marks: Signal<Local, Bit>,
        fresh: Signal<Local, Bit>,
        seen: Signal<Local, Bit>,
        slot: Signal<Local, Bit>,
        ended_slot: Signal<Local, Bit>,
        digest_at: Signal<Local, Bits<3>>,
        ended_digest_at: Signal<Local, Bits<3>>,
        mark: Signal<Local, Bits<32>>,
        row: Signal<Local, Bits<32>>,
        id: Signal<Local, Bits<2>>,
        sweep: Signal<Local, Bits<C>>,
        any_clear: Signal<Local, Bit>,
        fetch: Signal<Local, Bit>,
        fetch_outside: Signal<Local, Bit>,
        needs_entry: Signal<Local, Bit>,
        masks: Signal<Local, Bits<12>>,
        all_end: Signal<Local, Bit>,
        clears: Signal<Local, Bit>,
        clears_own: Signal<Local, Bit>,
        flags: Signal<Local, Bits<11>>,
        written_here: Signal<Local, Bit>,
        passed_on: Signal<Local, Bit>,
        holds: Signal<Local, Bit>,
        counted: Signal<Local, Bit>,
        cycled: Signal<Local, Bit>,
        lost: Signal<Local, Bit>,
        is_over: Signal<Local, Bit>,
        over_by: Signal<Local, Bits<3>>,
        offers: Signal<Local, Bit>,
        moves: Signal<Local, Bit>,
        moves_own: Signal<Local, Bit>,
        fills: Signal<Local, Bit>,
        head_masks: Signal<Local, Bits<12>>,
    }
    arrays {
        controls: [IntervalControl<C>; N],
        queues: [InputQueue; N],
        sequencers: [Sequencer; N],
        tags: [FirstLoadTags<WAYS, S, W, WORDS, T, E, L, M>; N],
        words: [WordTags<WAYS, S, W, WORDS, T, E, L, M>; KN],
        decisions: [Decision; N],
        fifos: [EventFifo<F, RESERVE>; N],
        heads: [Decision; N],
        look_ups: [LookUp<I>; N],
        seen_ff: [DFF<Bit>; N],
        slot_ff: [DFF<Bit>; N],
    }
    built {
        shadows: [RegisterShadow; N] = std::array::from_fn(|_| RegisterShadow::one_of(N)),
        dictionaries: [Dictionary<I, P, LANES, B, R>; N] =
            std::array::from_fn(|_| Dictionary::one_of(N)),
        ids: [Constant<Bits<2>>; N] = std::array::from_fn(|i| Constant::new(bits::<2>(i as u64))),
    }
    constants {
        no_flags: 11 = 0,
        one_register: 32 = 1,
        no_data: 32 = 0,
        no_fired: 5 = 0,
        no_kind: 4 = 0,
        no_number: 24 = 0,
        no_rank: I = 0,
        no_reason: 3 = 0,
        ones: 32 = 0xffff_ffffu32,
        next_hart: 2 = 1,
        harts: 2 = if N > 2 { 3 } else { N - 1 },
        compares: 1 = K,
        several: 1 = N > 1,
    }
    check {
        assert!(K <= 1 && KN == K * N, "each hart has one set of tags");
        assert!((1..=4).contains(&N), "harts have two bits");
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
        const N: usize,
        const KN: usize,
    > Logic
    for RecorderFront<WAYS, S, W, WORDS, T, E, L, M, I, P, LANES, B, R, D, C, F, RESERVE, K, N, KN>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, loose_ff, known_ff, turn_ff, next_ff);
        self.retire.clock.next = self.clock.val();
        self.known_code.clock.next = self.clock.val();
        self.digests.clock.next = self.clock.val();
        self.ended_digests.clock.next = self.clock.val();
        self.counters.clock.next = self.clock.val();
        self.watcher.clock.next = self.clock.val();
        self.writer.clock.next = self.clock.val();
        self.packer.clock.next = self.clock.val();
        self.modes.clock.next = self.clock.val();
        self.written.clock.next = self.clock.val();
        self.shown.clock.next = self.clock.val();

        // The hart of the cycle, and what its control says.
        self.turn_ff.d.next = (self.turn_ff.q.val() + self.next_hart.val()) & self.harts.val();
        self.at.next = self.turn_ff.q.val();
        if self.retire.valid.val() {
            self.at.next = self.retire.hart.val();
        }
        self.accept.next = false;
        self.opens.next = false;
        self.marks.next = false;
        self.fresh.next = false;
        self.seen.next = false;
        self.slot.next = false;
        self.any_clear.next = false;
        self.all_end.next = false;
        self.triggered.next = false;
        self.fired.next = self.no_fired.val();
        for i in 0..N {
            self.seen_ff[i].clock.next = self.clock.val();
            self.slot_ff[i].clock.next = self.clock.val();
            self.id.next = self.ids[i].val();
            self.accept.next = self.accept.val() | self.controls[i].accept.val();
            self.opens.next = self.opens.val() | self.controls[i].open.val();
            self.marks.next =
                self.marks.val() | self.controls[i].open.val() | self.controls[i].gap.val();
            self.any_clear.next = self.any_clear.val() | self.controls[i].clear.val();
            self.all_end.next = self.all_end.val() | self.controls[i].ends.val();
            self.triggered.next = self.triggered.val() | self.controls[i].triggered.val();
            if self.at.val() == self.id.val() {
                self.fresh.next = self.controls[i].fresh.val();
                self.seen.next = self.seen_ff[i].q.val();
                self.slot.next = self.slot_ff[i].q.val();
            }
            // One retirement a cycle, and the first trigger disarms the others: there is one cause.
            if self.controls[i].triggered.val() {
                self.fired.next = (bit_cast::<5, 2>(self.id.val()) << 3)
                    | bit_cast::<5, 3>(self.watcher.cause.val());
            }
        }
        self.clears.next = self.any_clear.val() | self.reset.val();

        // A core that has run since its reset keeps its registers, and so does their copy. What was not
        // written since the reset is sent as zero, whatever the copy holds.
        self.mark.next = self.one_register.val() << self.retire.rd_addr.val();
        self.written.read_hart.next = self.at.val();
        self.written.write_hart.next = self.at.val();
        self.written.write_enable.next = self.retire.valid.val();
        self.written.write_data.next = self.mark.val();
        if self.seen.val() {
            self.written.write_data.next = self.written.read_data.val() | self.mark.val();
        }
        self.shown.write_hart.next = self.at.val();
        self.shown.write_enable.next = self.opens.val();
        self.shown.write_data.next = self.written.read_data.val().replace_bit(0, self.seen.val());
        self.shown.read_hart.next = self.writer.hart.val();
        self.row.next = self.shown.read_data.val();
        self.known_ff.d.next =
            self.row.val().get_bit(self.writer.register.val().index()) & self.row.val().get_bit(0);

        // Ports to the first stage.
        self.retire.mem_base.next = self.mem_base.val();
        self.retire.mem_mask.next = self.mem_mask.val();
        self.retire.rvfi_opaque.next = self.rvfi_opaque.val();
        self.retire.rvfi_jumps.next = self.rvfi_jumps.val();
        self.retire.rvfi_valid.next = self.rvfi_valid.val();
        self.retire.rvfi_hart.next = self.rvfi_hart.val();
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
        self.known_code.clear.next = self.any_clear.val();
        for i in 0..N {
            self.sweep.next = self.controls[i].sweep.val();
        }
        self.known_code.sweep.next = self.sweep.val().get_bits::<D>(0);
        self.known_code.image_lo.next = self.image_lo.val();
        self.known_code.image_hi.next = self.image_hi.val();
        self.known_code.fetch_pc.next = self.rvfi_pc_rdata.val();
        self.known_code.pc.next = self.retire.pc.val();
        self.loose_ff.d.next = self.rvfi_loose.val();
        self.known_code.straddles.next =
            self.loose_ff.q.val() & self.retire.pc.val().get_bits::<5>(1).all();
        self.known_code.store.next = self.retire.store.val();
        self.known_code.store_addr.next = self.retire.addr.val();
        self.known_code.snoop.next = self.retire.snooped.val();
        self.known_code.snoop_addr.next = self.retire.snooped_addr.val();
        self.fetch.next = !self.known_code.known.val();
        self.fetch_outside.next = !self.retire.pc_in_memory.val() | self.loose_ff.q.val();

        // Digests.
        self.digest_at.next = bit_cast::<3, 2>(self.at.val()) << 1;
        self.digest_at.next = self.digest_at.val().replace_bit(0, self.slot.val());
        self.digests.read_address.next = self.digest_at.val();
        self.digests.write_address.next = self.digest_at.val();
        self.digests.write_enable.next = self.accept.val();
        self.digests.write_data.next = self.digest.stepped.val();
        self.ended_digests.write_address.next = self.digest_at.val();
        self.ended_digests.write_enable.next = self.accept.val();
        self.ended_digests.write_data.next = self.digest.stepped.val();
        self.digest.digest.next = self.digests.read_data.val();
        if self.fresh.val() {
            self.digest.digest.next = self.ones.val();
        }
        self.digest.pc.next = self.retire.pc.val();
        self.digest.store_addr.next = self.retire.store_addr.val();
        self.digest.store_data.next = self.retire.store_data.val();
        self.digest.rd_addr.next = self.retire.rd_addr.val();
        self.digest.rd_data.next = self.retire.rd_data.val();
        self.digest.trap.next = self.retire.trap.val();
        self.digest.store_mask.next = self.retire.wmask.val();

        // Numbers and modes.
        self.holds.next = self.also_stalls.val();
        self.counted.next = false;
        self.cycled.next = false;
        self.lost.next = false;
        self.recording.next = false;
        self.active.next = false;
        self.interval_ends.next = false;
        self.lost_any.next = false;
        self.is_over.next = true;
        self.over_by.next = self.no_reason.val();
        for i in 0..N {
            self.holds.next = self.holds.val() | self.controls[i].stall.val();
            self.counted.next = self.counted.val() | self.controls[i].count_retire.val();
            self.cycled.next = self.cycled.val() | self.controls[i].count_cycle.val();
            self.lost.next = self.lost.val() | self.controls[i].count_loss.val();
            self.recording.next = self.recording.val() | self.controls[i].recording.val();
            self.active.next = self.active.val() | self.controls[i].active.val();
            self.interval_ends.next = self.interval_ends.val() | self.controls[i].last.val();
            self.lost_any.next = self.lost_any.val() | self.controls[i].lost_any.val();
            self.is_over.next = self.is_over.val() & self.controls[i].ended.val();
            self.over_by.next = self.controls[i].end_reason.val();
        }
        self.end_reason.next = bit_cast::<8, 3>(self.over_by.val());
        self.counters.hart.next = self.at.val();
        self.counters.of.next = self.writer.hart.val();
        self.counters.clear.next = self.any_clear.val();
        self.counters.retire.next = self.counted.val();
        self.counters.cycle.next = self.cycled.val();
        self.counters.stall.next = self.holds.val() & self.recording.val();
        self.counters.lose.next = self.lost.val();
        self.counters.mark.next = self.marks.val();
        self.modes.write_enable.next = self.opens.val();
        self.modes.write_hart.next = self.at.val();
        self.modes.write_data.next = self.retire.mode.val();
        self.modes.read_hart.next = self.writer.hart.val();

        // What ends the recording: what fires for one hart fires for none after it.
        self.watcher.clear.next = self.any_clear.val();
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
        self.watcher.disarm.next = self.triggered.val() & self.several.val().any();
        self.watcher.recording.next = self.recording.val();
        self.watcher.trap.next = self.retire.trap.val();
        self.watcher.accept.next = self.accept.val();

        self.needs_entry.next = self.retire.redirect.val()
            | self.fetch.val()
            | self.retire.trap.val()
            | self.retire.operation.val()
            | self.retire.data.val();
        self.masks.next = bit_cast::<12, 4>(self.retire.rmask.val())
            | (bit_cast::<12, 4>(self.retire.wmask.val()) << 4)
            | (bit_cast::<12, 4>(self.retire.snooped_mask.val()) << 8);
        for i in 0..N {
            self.own.next = self.retire.hart.val() == self.ids[i].val();
            self.clears_own.next = self.controls[i].clear.val() | self.reset.val();

            // Intervals: what is accepted.
            self.controls[i].clock.next = self.clock.val();
            self.controls[i].reset.next = self.reset.val();
            self.controls[i].enable.next = self.enable.val();
            self.controls[i].may_stall.next = self.may_stall.val();
            self.controls[i].hold.next = self.hold.val();
            self.controls[i].run_ended.next = self.run_ended.val();
            self.controls[i].interval.next = self.interval.val();
            self.controls[i].post_trigger.next = self.post_trigger.val();
            self.controls[i].fires.next = self.watcher.fires.val();
            self.controls[i].end_all.next = self.all_end.val();
            // Every interval replays by itself: none is worth an early end.
            self.controls[i].cut.next = false;
            self.controls[i].turn.next = self.at.val() == self.ids[i].val();
            self.controls[i].valid.next = self.retire.valid.val() & self.own.val();
            self.controls[i].needs_entry.next = self.needs_entry.val();
            self.controls[i].stepped.next = self.digest.stepped.val();
            // Tags that compare need not be told who else writes: known code is.
            self.controls[i].snooped.next = (self.retire.snooped_memory.val()
                & !self.compares.val().any())
                & !(self.several.val().any() & self.own.val() & self.retire.store.val());
            self.controls[i].full.next = self.queues[i].full.val();
            self.controls[i].pressure.next =
                self.queues[i].half.val() | self.fifos[i].pressure.val();
            self.controls[i].live.next = self.shadows[i].live.val();
            self.written_here.next =
                self.writer.free.val() | (self.writer.hart.val() != self.ids[i].val());
            self.passed_on.next =
                self.packer.idle.val() | (self.packer.byte_hart.val() != self.ids[i].val());
            self.controls[i].drained.next = self.queues[i].empty.val()
                & self.decisions[i].empty.val()
                & self.fifos[i].empty.val()
                & self.heads[i].empty.val()
                & self.written_here.val()
                & self.passed_on.val();
            // The next interval's digest goes where the last one's is not.
            self.slot_ff[i].d.next = self.slot_ff[i].q.val() ^ self.controls[i].last.val();

            // Registers.
            self.seen_ff[i].d.next = self.seen_ff[i].q.val();
            if self.retire.valid.val() & self.own.val() {
                self.seen_ff[i].d.next = true;
            }
            if self.reset.val() {
                self.seen_ff[i].d.next = false;
            }
            self.shadows[i].clock.next = self.clock.val();
            // A header that was being written at a reset is not waited for any more: both copies are the
            // same from then on, as far as anything of them is shown.
            self.shadows[i].clear.next =
                (self.controls[i].clear.val() & !self.seen_ff[i].q.val()) | self.reset.val();
            self.sweep.next = self.controls[i].sweep.val();
            self.shadows[i].sweep.next = self.sweep.val().get_bits::<5>(0);
            self.shadows[i].write.next =
                self.retire.valid.val() & self.own.val() & self.retire.rd_addr.val().any();
            self.shadows[i].write_addr.next = self.retire.rd_addr.val();
            self.shadows[i].write_data.next = self.retire.rd_data.val();
            self.shadows[i].freeze.next = self.controls[i].open.val();
            self.shadows[i].thaw.next =
                self.writer.header_done.val() & (self.writer.hart.val() == self.ids[i].val());
            self.shadows[i].read_addr.next = self.writer.register.val();

            // Into the queue.
            self.queues[i].clock.next = self.clock.val();
            self.queues[i].clear.next = self.clears_own.val();
            self.queues[i].push.next = self.controls[i].push.val();
            self.flags.next = self.no_flags.val();
            if self.controls[i].accept.val() {
                self.flags.next = self
                    .flags
                    .val()
                    .replace_bit(3, self.retire.redirect.val() & !self.controls[i].open.val())
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
                .replace_bit(0, self.controls[i].open.val())
                .replace_bit(1, self.controls[i].gap.val())
                .replace_bit(2, self.controls[i].last.val())
                .replace_bit(10, self.controls[i].accept_snoop.val());
            self.queues[i].flags.next = self.flags.val();
            self.queues[i].position.next = self.controls[i].position.val();
            self.queues[i].pc.next = self.retire.pc.val();
            self.queues[i].insn.next = self.retire.insn.val();
            self.queues[i].value.next = self.retire.value.val();
            self.queues[i].addr.next = self.retire.addr.val().get_bits::<30>(2);
            self.queues[i].masks.next = self.masks.val();
            self.queues[i].snoop_addr.next = self.retire.snooped_addr.val().get_bits::<30>(2);
            self.queues[i].pop.next = self.sequencers[i].pop.val();

            // Sequencer and tags.
            self.sequencers[i].clock.next = self.clock.val();
            self.sequencers[i].clear.next = self.clears_own.val();
            self.sequencers[i].valid.next = self.queues[i].valid.val();
            self.sequencers[i].flags.next = self.queues[i].head_flags.val();
            self.sequencers[i].position.next = self.queues[i].head_position.val();
            self.sequencers[i].pc.next = self.queues[i].head_pc.val();
            self.sequencers[i].insn.next = self.queues[i].head_insn.val();
            self.sequencers[i].value.next = self.queues[i].head_value.val();
            self.sequencers[i].addr.next = self.queues[i].head_addr.val();
            self.sequencers[i].masks.next = self.queues[i].head_masks.val();
            self.sequencers[i].snoop_addr.next = self.queues[i].head_snoop_addr.val();
            if self.several.val().any() {
                self.sequencers[i].snoop_addr.next = self.queues[i].head_addr.val();
            }
            // That of one hart of several joins what is written: one multiplexer for all.
            self.sequencers[i].digest.next = self.ended_digests.read_data.val();
            if self.several.val().any() {
                self.sequencers[i].digest.next = self.no_data.val();
            }
            self.sequencers[i].full.next = self.decisions[i].full.val();
            self.tags[i].clock.next = self.clock.val();
            self.tags[i].clear.next = self.controls[i].clear.val();
            self.tags[i].address.next = self.sequencers[i].tag_address.val();
            self.tags[i].need.next = self.sequencers[i].tag_need.val();
            self.tags[i].touch.next = self.sequencers[i].tag_touch.val();
            self.tags[i].remove.next = self.sequencers[i].tag_remove.val();
            self.tags[i].commit.next = self.sequencers[i].tag_commit.val();
            self.tags[i].advance.next = self.sequencers[i].tag_advance.val();
            // Words are written back with `commit` itself: no set is ever being written.
            self.sequencers[i].tag_conflict.next =
                self.tags[i].conflict.val() & !self.compares.val().any();

            // What the tags say, and the events that are left.
            self.decisions[i].clock.next = self.clock.val();
            self.decisions[i].clear.next = self.clears_own.val();
            self.decisions[i].push.next = self.sequencers[i].push.val();
            self.decisions[i].asks.next = self.sequencers[i].event_asks.val();
            self.decisions[i].kind.next = self.sequencers[i].event_kind.val();
            self.decisions[i].position.next = self.sequencers[i].event_position.val();
            self.decisions[i].value.next = self.sequencers[i].event_value.val();
            self.decisions[i].known.next = self.tags[i].known.val();
            self.decisions[i].next_full.next = self.fifos[i].full.val();
            self.fifos[i].clock.next = self.clock.val();
            self.fifos[i].clear.next = self.clears_own.val();
            self.fifos[i].push.next = self.decisions[i].next_push.val();
            self.fifos[i].kind.next = self.decisions[i].next_kind.val();
            self.fifos[i].position.next = self.decisions[i].next_position.val();
            self.fifos[i].value.next = self.decisions[i].next_value.val();
            // The FIFO's head in registers, about which nothing is left to decide: a block RAM's answer
            // comes too late in the cycle for the dictionary.
            self.heads[i].clock.next = self.clock.val();
            self.heads[i].clear.next = self.clears_own.val();
            self.heads[i].asks.next = false;
            self.heads[i].known.next = false;
            self.heads[i].kind.next = self.fifos[i].head_kind.val();
            self.heads[i].position.next = self.fifos[i].head_position.val();
            self.heads[i].value.next = self.fifos[i].head_value.val();
            self.heads[i].next_full.next = !self.look_ups[i].event_pop.val();

            // The dictionary.
            self.dictionaries[i].clock.next = self.clock.val();
            self.dictionaries[i].empty.next = self.look_ups[i].dict_empty.val();
            self.dictionaries[i].look.next = self.look_ups[i].dict_look.val();
            self.dictionaries[i].value.next = self.heads[i].next_value.val();
            self.look_ups[i].clock.next = self.clock.val();
            self.look_ups[i].clear.next = self.clears_own.val();
            self.look_ups[i].event_valid.next = !self.heads[i].empty.val();
            self.look_ups[i].event_kind.next = self.heads[i].next_kind.val();
            self.look_ups[i].event_position.next = self.heads[i].next_position.val();
            self.look_ups[i].dict_done.next = self.dictionaries[i].done.val();
            self.look_ups[i].dict_hit.next = self.dictionaries[i].hit.val();
            self.look_ups[i].dict_index.next = self.dictionaries[i].index.val();
        }
        self.head_masks.next = self.masks.val();
        for i in 0..KN {
            self.words[i].clock.next = self.clock.val();
            self.words[i].clear.next = self.controls[i].clear.val();
            self.words[i].forget.next = self.controls[i].clear.val() | self.reset.val();
            self.words[i].push.next = self.controls[i].push.val();
            self.words[i].stored.next = self.retire.store_data.val();
            self.words[i].pop.next = self.sequencers[i].pop.val();
            self.words[i].address.next = self.sequencers[i].tag_address.val();
            self.words[i].need.next = self.sequencers[i].tag_need.val();
            self.words[i].touch.next = self.sequencers[i].tag_touch.val();
            self.words[i].fetch.next = self.sequencers[i].tag_fetch.val();
            self.words[i].insn.next = self.queues[i].head_insn.val();
            self.words[i].value.next = self.queues[i].head_value.val();
            self.head_masks.next = self.queues[i].head_masks.val();
            self.words[i].written.next = self.head_masks.val().get_bits::<4>(4);
            self.words[i].commit.next = self.sequencers[i].tag_commit.val();
            self.words[i].advance.next = self.sequencers[i].tag_advance.val();
            self.decisions[i].known.next = self.words[i].known.val();
        }

        // The next entry, of one hart after the other.
        self.offers.next = false;
        self.writer.entry_kind.next = self.no_kind.val();
        self.writer.entry_value.next = self.no_data.val();
        self.writer.entry_number.next = self.no_number.val();
        self.writer.entry_long.next = false;
        self.writer.entry_hit.next = false;
        self.writer.entry_rank.next = self.no_rank.val();
        for i in 0..N {
            if self.next_ff.q.val() == self.ids[i].val() {
                self.offers.next = self.look_ups[i].valid.val();
                self.writer.entry_kind.next = self.heads[i].next_kind.val();
                self.writer.entry_value.next = self.heads[i].next_value.val();
                self.writer.entry_number.next = self.look_ups[i].number.val();
                self.writer.entry_long.next = self.look_ups[i].long.val();
                self.writer.entry_hit.next = self.look_ups[i].hit.val();
                self.writer.entry_rank.next = self.look_ups[i].rank.val();
            }
        }
        self.moves.next = self.offers.val() & self.writer.free.val();
        for i in 0..N {
            self.moves_own.next = self.moves.val() & (self.next_ff.q.val() == self.ids[i].val());
            self.look_ups[i].taken.next = self.moves_own.val();
            // Room that only the dictionary's answer makes is filled a cycle later: what answers last of
            // all must not choose what the FIFO reads.
            self.fills.next =
                self.fifos[i].valid.val() & (self.heads[i].empty.val() | self.moves_own.val());
            self.heads[i].push.next = self.fills.val();
            self.fifos[i].pop.next = self.fills.val();
        }
        if self.moves.val() | !self.offers.val() {
            self.next_ff.d.next = (self.next_ff.q.val() + self.next_hart.val()) & self.harts.val();
        }
        self.writer.entry_hart.next = self.next_ff.q.val();
        self.writer.take.next = self.moves.val();
        self.writer.clear.next = self.clears.val();
        self.writer.clear_half.next = self.sweep.val().get_bit(3);
        self.writer.count_bits.next = self.count_bits.val();
        self.writer.mode.next = self.modes.read_data.val();
        self.writer.cycles_lo.next = self.counters.mark_cycles_lo.val();
        self.writer.cycles_hi.next = self.counters.mark_cycles_hi.val();
        self.writer.lost_lo.next = self.counters.gap_lost_lo.val();
        self.writer.lost_hi.next = self.counters.gap_lost_hi.val();
        self.ended_slot.next = false;
        self.writer.reason.next = self.no_reason.val();
        self.writer.register_data.next = self.no_data.val();
        for i in 0..N {
            if self.writer.hart.val() == self.ids[i].val() {
                self.ended_slot.next = !self.slot_ff[i].q.val();
                self.writer.reason.next = self.controls[i].reason.val();
                if self.known_ff.q.val() {
                    self.writer.register_data.next = self.shadows[i].read_data.val();
                }
            }
        }
        // An interval's trailer is written before the next one can end: its digest is still there.
        self.ended_digest_at.next = bit_cast::<3, 2>(self.writer.hart.val()) << 1;
        self.ended_digest_at.next = self
            .ended_digest_at
            .val()
            .replace_bit(0, self.ended_slot.val());
        self.ended_digests.read_address.next = self.ended_digest_at.val();
        self.writer.digest.next = self.no_data.val();
        if self.several.val().any() {
            self.writer.digest.next = self.ended_digests.read_data.val();
        }
        self.writer.ready.next = self.packer.ready.val();
        // Clearing passes all harts.
        self.packer.clear.next = self.clears.val();
        self.packer.hart.next = self.writer.hart.val();
        if self.any_clear.val() {
            self.packer.hart.next = self.turn_ff.q.val();
        }
        self.packer.load.next = self.writer.load.val();
        self.packer.bits.next = self.writer.bits.val();
        self.packer.size.next = self.writer.size.val();
        self.packer.align.next = self.writer.align.val();
        self.packer.last.next = self.writer.last.val();
        self.packer.byte_ready.next = self.byte_ready.val();

        // Out.
        self.byte_valid.next = self.packer.byte_valid.val();
        self.byte_hart.next = self.packer.byte_hart.val();
        self.byte_data.next = self.packer.byte_data.val();
        self.byte_last.next = self.packer.byte_last.val();
        self.stall.next = self.holds.val();
        self.ended.next = self.is_over.val();
        self.retired_lo.next = self.counters.retired_lo.val();
        self.retired_hi.next = self.counters.retired_hi.val();
        self.cycles_lo.next = self.counters.cycles_lo.val();
        self.cycles_hi.next = self.counters.cycles_hi.val();
        self.stalls_lo.next = self.counters.stalls_lo.val();
        self.stalls_hi.next = self.counters.stalls_hi.val();
        self.lost_lo.next = self.counters.lost_lo.val();
        self.lost_hi.next = self.counters.lost_hi.val();
        self.count_retire.next = self.counted.val();
        self.clearing.next = self.any_clear.val();
    }
}

#[cfg(test)]
mod tests;
