//! The order of several harts as bytes: what happens at the port to records of strata and of chunks,
//! section 11 of the log format. Twin of `lookback_model::order`.
//!
//! ```text
//!  retires hart … external ─► queue ─► one after the other ─► strata_arbiter ─► words ─► order_writer
//!             stop, reason ──►          (records, counters) ─► chunk_counter ─► words ─► chunk_writer
//! ```
//! One event a cycle comes in: a retirement, an external write, or a retirement that is no access and
//! an external write after it. Events wait in the queue. One without an access takes a cycle, one with
//! an access two, whether strata, chunks or both are logged: so they go through as fast as the bus of
//! several harts lets them come, which has a cycle for each fetch and one for each access. Only strata
//! with long strides, the headers of records and external writes take more; these are seldom, and the
//! queue is long enough for them. `pressure` rises early enough to stall.
//!
//! If nobody stalls and the queue is full, an event is lost: open records end with reason 4, and there
//! are no more in this recording.

use super::chunk_counter::ChunkCounter;
use super::chunk_writer::ChunkWriter;
use super::event_fifo::EventFifo;
use super::order_writer::OrderWriter;
use super::strata_arbiter::StrataArbiter;
use crate::memory::LutRam;
use rust_hdl::prelude::*;

/// What is done with the oldest event.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Step {
    /// looks at it; counts a retirement that is no access
    Next,
    /// ends a record of strata: its last stratum
    TakeLast,
    /// ends a record of chunks: the open chunks
    CloseAll,
    /// the end of a record
    End,
    /// begins a record: its index
    Head,
    /// and how far the harts are
    Harts,
    /// asks for a stratum and for ends of chunks
    Asks,
    /// logs an external write
    External,
}

circuit! {
    /// Sizes as in `StrataArbiter` (`T` to `N`) and `ChunkCounter` (`S` to `M`); blocks of `2^B` bytes,
    /// `H` bits for a hart, a queue of `2^Q` events of which `RESERVE` are left under pressure.
    pub struct OrderLog [B, T, A, G, F, E, P, S, SE, SP, K, M, H, Q, RESERVE, N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// a recording begins; for as many cycles as filter and signatures have places
        pub clear: Signal<In, Bit>,
        /// log strata
        pub strata: Signal<In, Bit>,
        /// log chunks
        pub chunks: Signal<In, Bit>,
        /// an instruction retires
        pub retires: Signal<In, Bit>,
        /// on this hart
        pub hart: Signal<In, Bits<2>>,
        /// it reads memory; not if it trapped
        pub reads: Signal<In, Bit>,
        /// it writes memory; not if it trapped
        pub writes: Signal<In, Bit>,
        /// it trapped
        pub trap: Signal<In, Bit>,
        /// an interval ends with it
        pub ends: Signal<In, Bit>,
        /// somebody who is no hart writes, after it; never with an access
        pub external: Signal<In, Bit>,
        /// address of the access or of the external write
        pub address: Signal<In, Bits<32>>,
        /// the recording ends behind what came before; alone
        pub stop: Signal<In, Bit>,
        /// why
        pub reason: Signal<In, Bits<3>>,
        /// the harts should wait
        pub pressure: Signal<Out, Bit>,
        /// something was lost
        pub lost: Signal<Out, Bit>,
        /// everything is written
        pub idle: Signal<Out, Bit>,
        /// a byte of a record of strata
        pub strata_valid: Signal<Out, Bit>,
        /// the byte
        pub strata_data: Signal<Out, Bits<8>>,
        /// it ends the record
        pub strata_last: Signal<Out, Bit>,
        /// it is taken
        pub strata_ready: Signal<In, Bit>,
        /// a byte of a record of chunks
        pub chunks_valid: Signal<Out, Bit>,
        /// the byte
        pub chunks_data: Signal<Out, Bits<8>>,
        /// it ends the record
        pub chunks_last: Signal<Out, Bit>,
        /// it is taken
        pub chunks_ready: Signal<In, Bit>,
        queue: EventFifo<Q, RESERVE>,
        words: EventFifo<8, 32>,
        chunk_words: EventFifo<8, 32>,
        arbiter: StrataArbiter<T, A, G, F, E, P, N>,
        counter: ChunkCounter<S, SE, SP, K, M, N>,
        writer: OrderWriter<N>,
        chunk_writer: ChunkWriter<N>,
        /// retirements of harts 0 to 3, indices of records of strata and of chunks
        numbers: LutRam<32, 3>,
        step_ff: DFF<Step>,
        /// arbiter or counter is done with the event, and the other is not
        strata_done_ff: DFF<Bit>,
        chunks_done_ff: DFF<Bit>,
        clears_ff: DFF<Bits<3>>,
        /// the retirement of an event that has both is done
        half_ff: DFF<Bit>,
        /// which record begins or ends
        which_ff: DFF<Bit>,
        visit_ff: DFF<Bits<2>>,
        open_strata_ff: DFF<Bit>,
        open_chunks_ff: DFF<Bit>,
        strata_count_ff: DFF<Bits<11>>,
        chunks_count_ff: DFF<Bits<11>>,
        strata_ends_ff: DFF<Bits<4>>,
        chunks_ends_ff: DFF<Bits<4>>,
        /// the last element is an external write, of that block
        strata_external_ff: DFF<Bit>,
        chunks_external_ff: DFF<Bit>,
        block_ff: DFF<Bits<30>>,
        lost_ff: DFF<Bit>,
        stop_ff: DFF<Bit>,
        reason_ff: DFF<Bits<3>>,
        happens: Signal<Local, Bit>,
        flags: Signal<Local, Bits<24>>,
        misses: Signal<Local, Bit>,
        stops: Signal<Local, Bit>,
        event_flags: Signal<Local, Bits<24>>,
        event_hart: Signal<Local, Bits<2>>,
        event_retires: Signal<Local, Bit>,
        event_reads: Signal<Local, Bit>,
        event_writes: Signal<Local, Bit>,
        event_external: Signal<Local, Bit>,
        event_over: Signal<Local, Bit>,
        event_block: Signal<Local, Bits<32>>,
        full_strata: Signal<Local, Bit>,
        full_chunks: Signal<Local, Bit>,
        room: Signal<Local, Bit>,
        late: Signal<Local, Bit>,
        goes: Signal<Local, Bit>,
        turns_external: Signal<Local, Bit>,
        touches: Signal<Local, Bit>,
        same: Signal<Local, Bit>,
        counted: Signal<Local, Bit>,
        finished: Signal<Local, Bit>,
        number_at: Signal<Local, Bits<3>>,
        adds: Signal<Local, Bit>,
        push: Signal<Local, Bit>,
        push_chunk: Signal<Local, Bit>,
        push_kind: Signal<Local, Bits<4>>,
        push_value: Signal<Local, Bits<32>>,
        low: Signal<Local, Bits<16>>,
        chunk: Signal<Local, Bits<32>>,
        ask_strata: Signal<Local, Bit>,
        ask_chunks: Signal<Local, Bit>,
        strata_done: Signal<Local, Bit>,
        chunks_done: Signal<Local, Bit>,
        last_hart: Signal<Local, Bit>,
    }
    constants {
        block_lsb: 5 = B,
        hart_bits: 5 = H,
        no_flags: 24 = 0,
        retires_flag: 24 = 1 << 2,
        reads_flag: 24 = 1 << 3,
        writes_flag: 24 = 1 << 4,
        trap_flag: 24 = 1 << 5,
        external_flag: 24 = 1 << 6,
        ends_flag: 24 = 1 << 7,
        stop_flag: 24 = 1 << 8,
        no_kind: 4 = 0,
        head: 4 = 0,
        number: 4 = 1,
        external_word: 4 = 2,
        end_word: 4 = 3,
        stride_first: 4 = 4,
        stride_other: 4 = 5,
        stride_short: 4 = 6,
        above_short: 16 = 0xff00,
        above_stride: 32 = 0xffff_0000u32,
        strata_index: 3 = 4,
        chunks_index: 3 = 5,
        nothing: 32 = 0,
        one: 32 = 1,
        no_clears: 3 = 0,
        one_clear: 3 = 1,
        no_count: 11 = 0,
        one_more: 11 = 1,
        no_ends: 4 = 0,
        one_end: 4 = 1,
        no_hart: 2 = 0,
        next_hart: 2 = 1,
        final_hart: 2 = N - 1,
        somebody: 3 = 4,
        by_length: 3 = 1,
        by_overflow: 3 = 4,
    }
}

impl<
        const B: usize,
        const T: usize,
        const A: usize,
        const G: usize,
        const F: usize,
        const E: usize,
        const P: usize,
        const S: usize,
        const SE: usize,
        const SP: usize,
        const K: usize,
        const M: usize,
        const H: usize,
        const Q: usize,
        const RESERVE: usize,
        const N: usize,
    > Logic for OrderLog<B, T, A, G, F, E, P, S, SE, SP, K, M, H, Q, RESERVE, N>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step_ff, half_ff, which_ff, visit_ff);
        dff_setup!(self, clock, strata_done_ff, chunks_done_ff, clears_ff);
        dff_setup!(
            self,
            clock,
            open_strata_ff,
            open_chunks_ff,
            strata_count_ff,
            chunks_count_ff
        );
        dff_setup!(
            self,
            clock,
            strata_ends_ff,
            chunks_ends_ff,
            strata_external_ff
        );
        dff_setup!(self, clock, chunks_external_ff, block_ff, lost_ff);
        dff_setup!(self, clock, stop_ff, reason_ff);
        self.queue.clock.next = self.clock.val();
        self.words.clock.next = self.clock.val();
        self.arbiter.clock.next = self.clock.val();
        self.counter.clock.next = self.clock.val();
        self.writer.clock.next = self.clock.val();
        self.chunk_words.clock.next = self.clock.val();
        self.chunk_writer.clock.next = self.clock.val();
        self.numbers.clock.next = self.clock.val();
        self.queue.clear.next = self.reset.val() | self.clear.val();
        self.words.clear.next = self.reset.val() | self.clear.val();
        self.chunk_words.clear.next = self.reset.val() | self.clear.val();
        self.writer.reset.next = self.reset.val();
        self.chunk_writer.reset.next = self.reset.val();
        self.arbiter.clear.next = self.clear.val();
        self.counter.clear.next = self.clear.val();
        self.clears_ff.d.next = self.clears_ff.q.val() + self.one_clear.val();

        // What comes in, until something is lost.
        self.happens.next = (self.retires.val() | self.external.val())
            & (self.strata.val() | self.chunks.val())
            & !self.lost_ff.q.val();
        self.misses.next = self.happens.val() & self.queue.full.val();
        self.stops.next = self.stop_ff.q.val() & !self.queue.full.val() & !self.happens.val();
        if self.misses.val() & !self.lost_ff.q.val() {
            self.lost_ff.d.next = true;
            self.stop_ff.d.next = true;
            self.reason_ff.d.next = self.by_overflow.val();
        } else if self.stop.val() & !self.lost_ff.q.val() {
            self.stop_ff.d.next = self.strata.val() | self.chunks.val();
            self.reason_ff.d.next = self.reason.val();
        } else if self.stops.val() {
            self.stop_ff.d.next = false;
        }
        self.flags.next = self.no_flags.val();
        if self.stops.val() {
            self.flags.next = self.stop_flag.val();
        } else {
            self.flags.next = bit_cast::<24, 2>(self.hart.val());
            if self.retires.val() {
                self.flags.next = self.flags.val() | self.retires_flag.val();
                if self.reads.val() {
                    self.flags.next = self.flags.val() | self.reads_flag.val();
                }
                if self.writes.val() {
                    self.flags.next = self.flags.val() | self.writes_flag.val();
                }
                if self.trap.val() {
                    self.flags.next = self.flags.val() | self.trap_flag.val();
                }
                if self.ends.val() {
                    self.flags.next = self.flags.val() | self.ends_flag.val();
                }
            }
            if self.external.val() {
                self.flags.next = self.flags.val() | self.external_flag.val();
            }
        }
        self.queue.push.next = (self.happens.val() & !self.misses.val()) | self.stops.val();
        self.queue.kind.next = self.no_kind.val();
        self.queue.position.next = self.flags.val();
        self.queue.value.next = self.address.val();
        self.pressure.next = self.queue.pressure.val();
        self.lost.next = self.lost_ff.q.val();

        // The oldest event, or what is left of it.
        self.event_flags.next = self.queue.head_position.val();
        self.event_hart.next = self.event_flags.val().get_bits::<2>(0);
        self.event_retires.next =
            (self.event_flags.val() & self.retires_flag.val()).any() & !self.half_ff.q.val();
        self.event_reads.next = (self.event_flags.val() & self.reads_flag.val()).any();
        self.event_writes.next = (self.event_flags.val() & self.writes_flag.val()).any();
        self.event_external.next = (self.event_flags.val() & self.external_flag.val()).any();
        self.turns_external.next = self.event_external.val() & !self.event_retires.val();
        self.event_over.next = (self.event_flags.val() & self.stop_flag.val()).any();
        self.event_block.next = self.queue.head_value.val() >> self.block_lsb.val();
        self.touches.next =
            self.event_reads.val() | self.event_writes.val() | self.turns_external.val();
        self.same.next = self.event_block.val().get_bits::<30>(0) == self.block_ff.q.val();
        self.full_strata.next = self.open_strata_ff.q.val()
            & (self.event_over.val()
                | self.strata_count_ff.q.val().get_bit(10)
                | self.strata_ends_ff.q.val().get_bit(3));
        self.full_chunks.next = self.open_chunks_ff.q.val()
            & (self.event_over.val()
                | self.chunks_count_ff.q.val().get_bit(10)
                | self.chunks_ends_ff.q.val().get_bit(3));
        self.room.next = !(self.words.pressure.val() | self.chunk_words.pressure.val());
        // Whether a record of chunks is full is known when all that ended are counted.
        self.late.next =
            self.counter.telling.val() & self.chunks_count_ff.q.val().get_bits::<7>(3).all();
        self.goes.next = (self.queue.valid.val() & self.room.val() & !self.late.val())
            & (self.step_ff.q.val() == Step::Next);
        self.last_hart.next = self.visit_ff.q.val() == self.final_hart.val();

        self.arbiter.take.next = self.step_ff.q.val() == Step::TakeLast;
        self.arbiter.block.next = self.event_block.val().get_bits::<30>(0);
        self.arbiter.writes.next = self.event_writes.val() | self.turns_external.val();
        self.arbiter.writer.next = bit_cast::<3, 2>(self.event_hart.val());
        if self.turns_external.val() {
            self.arbiter.writer.next = self.somebody.val();
        }
        self.counter.close.next = self.step_ff.q.val() == Step::CloseAll;
        self.counter.retires.next = self.event_retires.val();
        self.counter.hart.next = self.event_hart.val();
        self.counter.reads.next = self.event_reads.val() & self.event_retires.val();
        self.counter.writes.next =
            (self.event_writes.val() & self.event_retires.val()) | self.turns_external.val();
        self.counter.block.next = self.event_block.val().get_bits::<30>(0);
        self.counter.trap.next =
            (self.event_flags.val() & self.trap_flag.val()).any() & self.event_retires.val();

        // Steps.
        self.number_at.next = bit_cast::<3, 2>(self.event_hart.val());
        self.adds.next = false;
        self.push.next = false;
        self.push_chunk.next = false;
        self.push_kind.next = self.head.val();
        self.push_value.next = self.numbers.read_data.val();
        self.counted.next = false;
        self.finished.next = false;
        self.ask_strata.next = false;
        self.ask_chunks.next = false;
        self.strata_done.next = self.strata_done_ff.q.val() | self.arbiter.done.val();
        self.chunks_done.next = self.chunks_done_ff.q.val() | self.counter.done.val();
        self.strata_done_ff.d.next = false;
        self.chunks_done_ff.d.next = false;
        match self.step_ff.q.val() {
            Step::Next => {
                self.visit_ff.d.next = self.no_hart.val();
                if self.goes.val() {
                    if self.full_strata.val() {
                        self.which_ff.d.next = false;
                        self.step_ff.d.next = Step::TakeLast;
                    } else if self.full_chunks.val() {
                        self.which_ff.d.next = true;
                        self.step_ff.d.next = Step::CloseAll;
                    } else if self.event_over.val() {
                        self.finished.next = true;
                    } else if self.strata.val() & !self.open_strata_ff.q.val() {
                        self.which_ff.d.next = false;
                        self.step_ff.d.next = Step::Head;
                    } else if self.chunks.val() & !self.open_chunks_ff.q.val() {
                        self.which_ff.d.next = true;
                        self.step_ff.d.next = Step::Head;
                    } else {
                        self.ask_strata.next = self.touches.val() & self.strata.val();
                        self.ask_chunks.next = self.chunks.val();
                        self.step_ff.d.next = Step::Asks;
                        self.strata_done_ff.d.next = !self.ask_strata.val();
                        self.chunks_done_ff.d.next = !self.chunks.val();
                        if !self.touches.val() & (self.counter.done.val() | !self.chunks.val()) {
                            self.step_ff.d.next = Step::Next;
                            self.counted.next = true;
                        }
                    }
                }
            }
            Step::TakeLast => {
                if self.arbiter.done.val() {
                    self.step_ff.d.next = Step::End;
                }
            }
            Step::CloseAll => {
                if self.counter.done.val() {
                    self.step_ff.d.next = Step::End;
                }
            }
            Step::End => {
                self.push.next = !self.which_ff.q.val();
                self.push_chunk.next = self.which_ff.q.val();
                self.push_kind.next = self.end_word.val();
                self.push_value.next = bit_cast::<32, 3>(self.by_length.val());
                if self.event_over.val() {
                    self.push_value.next = bit_cast::<32, 3>(self.reason_ff.q.val());
                }
                if self.which_ff.q.val() {
                    self.open_chunks_ff.d.next = false;
                } else {
                    self.open_strata_ff.d.next = false;
                }
                self.step_ff.d.next = Step::Next;
            }
            Step::Head => {
                self.push.next = !self.which_ff.q.val();
                self.push_chunk.next = self.which_ff.q.val();
                self.adds.next = true;
                self.number_at.next = self.strata_index.val();
                if self.which_ff.q.val() {
                    self.number_at.next = self.chunks_index.val();
                    self.open_chunks_ff.d.next = true;
                    self.chunks_count_ff.d.next = self.no_count.val();
                    self.chunks_ends_ff.d.next = self.no_ends.val();
                    self.chunks_external_ff.d.next = false;
                } else {
                    self.open_strata_ff.d.next = true;
                    self.strata_count_ff.d.next = self.no_count.val();
                    self.strata_ends_ff.d.next = self.no_ends.val();
                    self.strata_external_ff.d.next = false;
                }
                self.step_ff.d.next = Step::Harts;
            }
            Step::Harts => {
                self.push.next = !self.which_ff.q.val();
                self.push_chunk.next = self.which_ff.q.val();
                self.push_kind.next = self.number.val();
                self.number_at.next = bit_cast::<3, 2>(self.visit_ff.q.val());
                self.visit_ff.d.next = self.visit_ff.q.val() + self.next_hart.val();
                if self.last_hart.val() {
                    self.step_ff.d.next = Step::Next;
                }
            }
            Step::Asks => {
                self.ask_strata.next = !self.strata_done_ff.q.val();
                self.ask_chunks.next = !self.chunks_done_ff.q.val();
                self.strata_done_ff.d.next = self.strata_done.val();
                self.chunks_done_ff.d.next = self.chunks_done.val();
                if self.strata_done.val() & self.chunks_done.val() {
                    self.step_ff.d.next = Step::Next;
                    self.counted.next = !self.turns_external.val();
                    if self.turns_external.val() {
                        self.step_ff.d.next = Step::External;
                    }
                }
            }
            Step::External => {
                // Behind the chunks that it ended.
                self.push_kind.next = self.external_word.val();
                if !self.counter.telling.val() {
                    if self.strata.val() & !(self.strata_external_ff.q.val() & self.same.val()) {
                        self.push.next = true;
                        self.strata_external_ff.d.next = true;
                        self.strata_count_ff.d.next =
                            self.strata_count_ff.q.val() + self.one_more.val();
                    }
                    if self.chunks.val() & !(self.chunks_external_ff.q.val() & self.same.val()) {
                        self.push_chunk.next = true;
                        self.chunks_external_ff.d.next = true;
                        self.chunks_count_ff.d.next =
                            self.chunks_count_ff.q.val() + self.one_more.val();
                    }
                    self.counted.next = true;
                    self.step_ff.d.next = Step::Next;
                }
            }
            _ => {
                self.step_ff.d.next = Step::Next;
            }
        }
        self.arbiter.ask.next = self.ask_strata.val();
        self.counter.ask.next = self.ask_chunks.val();

        // An event is over when its last half is.
        if self.counted.val() {
            if self.event_retires.val() {
                self.adds.next = true;
                self.half_ff.d.next = true;
                if (self.event_flags.val() & self.ends_flag.val()).any() {
                    if !self.strata_ends_ff.q.val().get_bit(3) {
                        self.strata_ends_ff.d.next =
                            self.strata_ends_ff.q.val() + self.one_end.val();
                    }
                    if !self.chunks_ends_ff.q.val().get_bit(3) {
                        self.chunks_ends_ff.d.next =
                            self.chunks_ends_ff.q.val() + self.one_end.val();
                    }
                }
            } else {
                self.block_ff.d.next = self.event_block.val().get_bits::<30>(0);
            }
            if !(self.event_retires.val() & self.event_external.val()) {
                self.finished.next = true;
            }
        }
        if self.finished.val() {
            self.half_ff.d.next = false;
        }
        self.queue.pop.next = self.finished.val();

        // Elements that arbiter and counter have.
        if self.push_kind.val().get_bits::<3>(0) == self.external_word.val().get_bits::<3>(0) {
            self.push_value.next = self.event_block.val();
        }
        self.chunk_words.push.next = self.push_chunk.val() | self.counter.ended.val();
        self.chunk_words.kind.next = self.push_kind.val();
        self.chunk_words.value.next = self.push_value.val();
        self.chunk.next = (bit_cast::<32, K>(self.counter.ended_size.val())
            << self.hart_bits.val())
            | bit_cast::<32, 2>(self.counter.ended_hart.val());
        if self.counter.ended.val() {
            self.chunk_words.kind.next = self.number.val();
            self.chunk_words.value.next = self.chunk.val();
            self.chunks_external_ff.d.next = false;
            self.chunks_count_ff.d.next = self.chunks_count_ff.q.val() + self.one_more.val();
        }
        self.words.push.next =
            self.push.val() | self.arbiter.stride_valid.val() | self.arbiter.short_valid.val();
        self.words.kind.next = self.push_kind.val();
        // Of strides the writer looks at what they take, and not at what is above.
        self.low.next = self.push_value.val().get_bits::<16>(0);
        if self.arbiter.short_valid.val() {
            self.words.kind.next = self.stride_short.val();
            self.low.next = (self.arbiter.stride.val() & self.above_short.val())
                | bit_cast::<16, 8>(self.arbiter.short.val());
        } else if self.arbiter.stride_valid.val() {
            self.words.kind.next = self.stride_other.val();
            if self.arbiter.stride_first.val() {
                self.words.kind.next = self.stride_first.val();
            }
            self.low.next = self.arbiter.stride.val();
        }
        self.words.value.next =
            (self.push_value.val() & self.above_stride.val()) | bit_cast::<32, 16>(self.low.val());
        if self.arbiter.short_valid.val()
            | (self.arbiter.stride_valid.val() & self.arbiter.stride_last.val())
        {
            self.strata_external_ff.d.next = false;
            self.strata_count_ff.d.next = self.strata_count_ff.q.val() + self.one_more.val();
        }
        self.words.position.next = self.no_flags.val();
        self.chunk_words.position.next = self.no_flags.val();

        // Numbers of records and retirements.
        self.numbers.read_address.next = self.number_at.val();
        self.numbers.write_enable.next = self.adds.val() | self.clear.val();
        self.numbers.write_address.next = self.number_at.val();
        self.numbers.write_data.next = self.numbers.read_data.val() + self.one.val();
        if self.clear.val() {
            self.numbers.write_address.next = self.clears_ff.q.val();
            self.numbers.write_data.next = self.nothing.val();
        }

        // Out.
        self.writer.word_valid.next = self.words.valid.val();
        self.writer.word_kind.next = self.words.head_kind.val().get_bits::<3>(0);
        self.writer.word_value.next = self.words.head_value.val();
        self.writer.behind.next = self.words.behind.val();
        self.words.pop.next = self.writer.word_pop.val();
        self.writer.byte_ready.next = self.strata_ready.val();
        self.strata_valid.next = self.writer.byte_valid.val();
        self.strata_data.next = self.writer.byte_data.val();
        self.strata_last.next = self.writer.byte_last.val();
        self.chunk_writer.word_valid.next = self.chunk_words.valid.val();
        self.chunk_writer.word_kind.next = self.chunk_words.head_kind.val().get_bits::<2>(0);
        self.chunk_writer.word_value.next = self.chunk_words.head_value.val();
        self.chunk_words.pop.next = self.chunk_writer.word_pop.val();
        self.chunk_writer.byte_ready.next = self.chunks_ready.val();
        self.chunks_valid.next = self.chunk_writer.byte_valid.val();
        self.chunks_data.next = self.chunk_writer.byte_data.val();
        self.chunks_last.next = self.chunk_writer.byte_last.val();
        self.idle.next = self.queue.empty.val()
            & self.words.empty.val()
            & self.writer.idle.val()
            & self.chunk_words.empty.val()
            & self.chunk_writer.idle.val()
            & !self.stop.val()
            & !self.stop_ff.q.val();

        if self.clear.val() | self.reset.val() {
            self.step_ff.d.next = Step::Next;
            self.half_ff.d.next = false;
            self.open_strata_ff.d.next = false;
            self.open_chunks_ff.d.next = false;
            self.lost_ff.d.next = false;
            self.stop_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::recorder::config::{PairOrder, TinyPairOrder};
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(PairOrder::default(), "lookback_order_log");
        check_block(TinyPairOrder::default(), "lookback_order_log_tiny");
    }
}
