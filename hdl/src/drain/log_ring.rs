//! Holds the bytes of intervals until the link takes them: whole intervals, in pieces.
//!
//! ```text
//!  byte_valid byte_data byte_last ─► 2^RING_BITS bytes ─► piece_ready first last ◄─ piece_start
//!                     byte_ready ◄─       and marks    ─► piece_data piece_more  ◄─ piece_take
//!                            cut ◄─
//! ```
//! Each byte is kept with a mark, set on the last byte of an interval or gap. A lookout walks the
//! marks ahead of the reader, a mark a cycle:
//! - it measures the next piece, up to 240 bytes or to the mark, as the bytes arrive. A measured
//!   piece is offered to the framer; when the framer starts it, the lookout goes on to the next
//!   piece while the framer takes this one byte by byte;
//! - while `hold` is high (ring mode, not yet ended) it measures nothing. When a byte waits at a full
//!   ring it drops the oldest interval, byte by byte to its mark, and each dropped byte is free at
//!   once.
//!
//! With `groups` (codec `compact`) it drops the oldest key group: behind each interval it looks at
//! the first byte of the next, and goes on if that is one that goes on with the state of the dropped
//! one. So what a held ring keeps begins with a key interval. `cut` says that the group that is being
//! written has taken half of a held ring: the front begins another.
//!
//! With `keep` a byte stays when it was sent, until the host acknowledges it: `window` knows which
//! bytes those are, and moves the reader back when the host wants them again. The lookout then walks
//! that stretch once more. What was sent and not acknowledged is never dropped.
//!
//! An interval is either sent from its first byte to its last or dropped, never in part. If the
//! open interval alone is more than a held ring there is nothing to drop, and waiting for its end would
//! be for ever: it goes over the link as if streamed, and the ring holds again after its end.
//! `byte_ready` is low while the ring is full.

use rust_hdl::prelude::*;

use super::Window;
use crate::memory::BlockRam;

/// Bytes a frame carries at most; the comparison below needs the four upper bits to be ones only
/// in numbers from this on.
const PIECE_BYTES: u64 = 240;

/// The ring; `RING_BITS` is the logarithm of its size.
#[derive(LogicBlock)]
pub struct LogRing<const RING_BITS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: the ring is empty.
    pub reset: Signal<In, Bit>,
    /// A recording starts: forget everything. No byte is taken in this cycle.
    pub clear: Signal<In, Bit>,
    /// Keep the intervals, let the oldest give way.
    pub hold: Signal<In, Bit>,
    /// Intervals of codec `compact`: whole key groups give way.
    pub groups: Signal<In, Bit>,
    /// The newest key group has taken its share of a held ring.
    pub cut: Signal<Out, Bit>,
    /// A byte is offered.
    pub byte_valid: Signal<In, Bit>,
    /// The byte; taken in a cycle with `byte_valid` and `byte_ready`.
    pub byte_data: Signal<In, Bits<8>>,
    /// The byte ends an interval or gap.
    pub byte_last: Signal<In, Bit>,
    /// A byte would be taken now.
    pub byte_ready: Signal<Out, Bit>,
    /// A piece was measured and may be taken.
    pub piece_ready: Signal<Out, Bit>,
    /// The piece begins an interval or gap.
    pub piece_first: Signal<Out, Bit>,
    /// The piece ends it.
    pub piece_last: Signal<Out, Bit>,
    /// The framer starts the piece that is ready.
    pub piece_start: Signal<In, Bit>,
    /// The next byte of the started piece, two cycles after `piece_start` or `piece_take`.
    pub piece_data: Signal<Out, Bits<8>>,
    /// There is a next byte of the started piece.
    pub piece_more: Signal<Out, Bit>,
    /// The framer has used `piece_data`.
    pub piece_take: Signal<In, Bit>,
    /// Everything was started.
    pub empty: Signal<Out, Bit>,
    /// An interval is being dropped: no frame may begin.
    pub dropping: Signal<Out, Bit>,
    /// What was sent stays until it is acknowledged.
    pub keep: Signal<In, Bit>,
    /// An offset of the host's.
    pub value: Signal<In, Bits<32>>,
    /// The host has everything before `value`; only between two frames, like `again`.
    pub acknowledge: Signal<In, Bit>,
    /// The host wants everything from `value` on again.
    pub again: Signal<In, Bit>,
    /// It gets that.
    pub repeated: Signal<Out, Bit>,
    /// The next byte was never sent before.
    pub fresh: Signal<Out, Bit>,
    /// Offset to read, its bit, and that it is used: see `window`.
    pub which: Signal<In, Bits<2>>,
    /// Its bit that will be used in the next cycle.
    pub index: Signal<In, Bits<5>>,
    /// The bit.
    pub offset_bit: Signal<Out, Bit>,
    /// The bit is used now.
    pub used: Signal<In, Bit>,
    window: Window<RING_BITS>,
    bytes: BlockRam<8, RING_BITS>,
    marks: BlockRam<1, RING_BITS>,
    write_ff: DFF<Bits<RING_BITS>>,
    /// The next byte that is written begins an interval or gap.
    opening_ff: DFF<Bit>,
    /// Where the newest key group begins.
    group_ff: DFF<Bits<RING_BITS>>,
    cut_ff: DFF<Bit>,
    /// Where the interval that is being written begins.
    open_ff: DFF<Bits<RING_BITS>>,
    /// The lookout's place.
    look_ff: DFF<Bits<RING_BITS>>,
    /// The mark at the memory's output was asked for.
    looked_ff: DFF<Bit>,
    /// Bytes measured.
    count_ff: DFF<Bits<8>>,
    measured_ff: DFF<Bit>,
    last_ff: DFF<Bit>,
    /// What is new to the lookout continues an interval.
    inside_ff: DFF<Bit>,
    /// Bytes of the started piece that are not taken yet.
    left_ff: DFF<Bits<8>>,
    dropping_ff: DFF<Bit>,
    /// An interval was dropped: the first byte of the next decides.
    peek_ff: DFF<Bit>,
    /// It is at the memory's output.
    peeked_ff: DFF<Bit>,
    write_next: Signal<Local, Bits<RING_BITS>>,
    accept: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    taking: Signal<Local, Bit>,
    stuck: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    marked: Signal<Local, Bit>,
    limit: Signal<Local, Bit>,
    behind: Signal<Local, Bit>,
    look: Signal<Local, Bit>,
    peek: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    continues: Signal<Local, Bit>,
    grown: Signal<Local, Bits<RING_BITS>>,
    one: Constant<Bits<RING_BITS>>,
    step: Constant<Bits<8>>,
    marked_word: Constant<Bits<1>>,
    share: Constant<Bits<RING_BITS>>,
    /// The bits of an interval's first byte that tell one that is not key.
    kind_bits: Constant<Bits<8>>,
    going_on: Constant<Bits<8>>,
}

impl<const RING_BITS: usize> Default for LogRing<RING_BITS> {
    fn default() -> Self {
        assert!(
            (9..=24).contains(&RING_BITS),
            "a piece must fit, and pointers stay within 32 bits"
        );
        assert!(PIECE_BYTES == 0xf0);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clear: Default::default(),
            hold: Default::default(),
            groups: Default::default(),
            cut: Default::default(),
            byte_valid: Default::default(),
            byte_data: Default::default(),
            byte_last: Default::default(),
            byte_ready: Default::default(),
            piece_ready: Default::default(),
            piece_first: Default::default(),
            piece_last: Default::default(),
            piece_start: Default::default(),
            piece_data: Default::default(),
            piece_more: Default::default(),
            piece_take: Default::default(),
            empty: Default::default(),
            dropping: Default::default(),
            keep: Default::default(),
            value: Default::default(),
            acknowledge: Default::default(),
            again: Default::default(),
            repeated: Default::default(),
            fresh: Default::default(),
            which: Default::default(),
            index: Default::default(),
            offset_bit: Default::default(),
            used: Default::default(),
            window: Default::default(),
            bytes: Default::default(),
            marks: Default::default(),
            write_ff: Default::default(),
            opening_ff: Default::default(),
            group_ff: Default::default(),
            cut_ff: Default::default(),
            open_ff: Default::default(),
            look_ff: Default::default(),
            looked_ff: Default::default(),
            count_ff: Default::default(),
            measured_ff: Default::default(),
            last_ff: Default::default(),
            inside_ff: Default::default(),
            left_ff: Default::default(),
            dropping_ff: Default::default(),
            peek_ff: Default::default(),
            peeked_ff: Default::default(),
            write_next: Default::default(),
            accept: Default::default(),
            full: Default::default(),
            taking: Default::default(),
            stuck: Default::default(),
            kept: Default::default(),
            marked: Default::default(),
            limit: Default::default(),
            behind: Default::default(),
            look: Default::default(),
            peek: Default::default(),
            goes_on: Default::default(),
            continues: Default::default(),
            grown: Default::default(),
            one: Constant::new(1.into()),
            step: Constant::new(1.into()),
            marked_word: Constant::new(1.into()),
            share: Constant::new((1u64 << (RING_BITS - 1)).into()),
            kind_bits: Constant::new(0x4f.into()),
            going_on: Constant::new(3.into()),
        }
    }
}

impl<const RING_BITS: usize> LogRing<RING_BITS> {
    /// A ring whose `keep` is always low.
    pub fn without_keeping() -> Self {
        Self {
            window: Window::without_keeping(),
            ..Self::default()
        }
    }
}

impl<const RING_BITS: usize> Logic for LogRing<RING_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_ff, open_ff, look_ff, count_ff, left_ff);
        dff_setup!(self, clock, opening_ff, group_ff, cut_ff, peek_ff, peeked_ff);
        dff_setup!(
            self,
            clock,
            looked_ff,
            measured_ff,
            last_ff,
            inside_ff,
            dropping_ff
        );
        self.bytes.clock.next = self.clock.val();
        self.marks.clock.next = self.clock.val();
        self.window.clock.next = self.clock.val();

        // Writing.
        self.write_next.next = self.write_ff.q.val() + self.one.val();
        self.full.next = self.write_next.val() == self.window.kept.val();
        self.byte_ready.next = !self.full.val() & !self.clear.val();
        self.accept.next = self.byte_valid.val() & !self.full.val() & !self.clear.val();
        self.bytes.write_enable.next = self.accept.val();
        self.bytes.write_address.next = self.write_ff.q.val();
        self.bytes.write_data.next = self.byte_data.val();
        self.marks.write_enable.next = self.accept.val();
        self.marks.write_address.next = self.write_ff.q.val();
        self.marks.write_data.next = 0.into();
        if self.byte_last.val() {
            self.marks.write_data.next = self.marked_word.val();
        }
        self.goes_on.next = (self.byte_data.val() & self.kind_bits.val()) == self.going_on.val();
        if self.accept.val() {
            self.write_ff.d.next = self.write_next.val();
            self.opening_ff.d.next = self.byte_last.val();
            if self.byte_last.val() {
                self.open_ff.d.next = self.write_next.val();
            }
            if self.opening_ff.q.val() & !self.goes_on.val() {
                self.group_ff.d.next = self.write_ff.q.val();
            }
        }

        // The newest key group: whether it has its share.
        self.grown.next = self.write_ff.q.val() - self.group_ff.q.val();
        self.cut_ff.d.next =
            self.groups.val() & self.hold.val() & (self.grown.val() >= self.share.val());
        self.cut.next = self.cut_ff.q.val();

        // The lookout: measuring and dropping walk alike, on to the mark, never past what is
        // written.
        self.marks.read_address.next = self.look_ff.q.val();
        self.marked.next = self.looked_ff.q.val() & self.marks.read_data.val().any();
        self.limit.next = self.count_ff.q.val().get_bits::<4>(4).all();
        self.behind.next = self.look_ff.q.val() != self.write_ff.q.val();
        self.taking.next = self.left_ff.q.val().any();
        self.stuck.next = self.byte_valid.val() & self.full.val() & !self.taking.val();
        self.kept.next = self.hold.val()
            & !self.inside_ff.q.val()
            & !self.count_ff.q.val().any()
            & !self.window.old.val()
            & !(self.stuck.val() & (self.look_ff.q.val() == self.open_ff.q.val()));
        self.look.next = self.behind.val()
            & !self.measured_ff.q.val()
            & !self.marked.val()
            & !self.limit.val()
            & !self.peek_ff.q.val()
            & (self.dropping_ff.q.val() | !self.kept.val());
        self.looked_ff.d.next = self.look.val();
        if self.look.val() {
            self.look_ff.d.next = self.look_ff.q.val() + self.one.val();
            if !self.dropping_ff.q.val() {
                self.count_ff.d.next = self.count_ff.q.val() + self.step.val();
            }
        }
        // Behind a dropped interval the next one's first byte is looked at, when it is there: what is
        // dropped is neither sent nor looked at before, so the reader has it.
        self.continues.next =
            (self.bytes.read_data.val() & self.kind_bits.val()) == self.going_on.val();
        self.peek.next = self.peek_ff.q.val() & !self.peeked_ff.q.val();
        self.peeked_ff.d.next = self.peek.val() & self.behind.val();
        if self.dropping_ff.q.val() {
            if self.marked.val() {
                self.dropping_ff.d.next = self.groups.val();
                self.peek_ff.d.next = self.groups.val();
            }
            if self.peeked_ff.q.val() {
                self.peek_ff.d.next = false;
                self.dropping_ff.d.next = self.continues.val();
            }
            if self.peek.val() & !self.behind.val() & !self.hold.val() {
                self.peek_ff.d.next = false;
                self.dropping_ff.d.next = false;
            }
        } else {
            if self.marked.val() | (self.looked_ff.q.val() & self.limit.val()) {
                self.measured_ff.d.next = true;
                self.last_ff.d.next = self.marked.val();
            }
            if self.kept.val() & self.stuck.val() & self.window.released.val() {
                self.dropping_ff.d.next = true;
            }
        }

        // The reader.
        self.piece_ready.next = self.measured_ff.q.val();
        self.piece_first.next = !self.inside_ff.q.val();
        self.piece_last.next = self.last_ff.q.val();
        self.empty.next = !self.behind.val() & !self.count_ff.q.val().any();
        self.bytes.read_address.next = self.window.sent.val();
        self.piece_data.next = self.bytes.read_data.val();
        self.piece_more.next = self.taking.val();
        if self.piece_start.val() {
            self.left_ff.d.next = self.count_ff.q.val();
            self.count_ff.d.next = 0.into();
            self.measured_ff.d.next = false;
            // What is sent again says nothing about where new bytes begin.
            if !self.window.old.val() {
                self.inside_ff.d.next = !self.last_ff.q.val();
            }
        } else if self.piece_take.val() {
            self.left_ff.d.next = self.left_ff.q.val() - self.step.val();
        }

        // The window.
        self.dropping.next = self.dropping_ff.q.val();
        self.window.clear.next = self.reset.val() | self.clear.val();
        self.window.keep.next = self.keep.val();
        self.window.take.next = self.piece_take.val();
        self.window.drop.next = self.look.val() & self.dropping_ff.q.val();
        self.window.value.next = self.value.val();
        self.window.acknowledge.next = self.acknowledge.val();
        self.window.again.next = self.again.val();
        self.window.written.next = self.write_ff.q.val();
        self.window.look.next = self.look_ff.q.val();
        self.window.which.next = self.which.val();
        self.window.index.next = self.index.val();
        self.window.used.next = self.used.val();
        self.offset_bit.next = self.window.offset_bit.val();
        self.repeated.next = self.window.repeated.val();
        self.fresh.next = self.window.fresh.val();
        if self.window.moved.val() {
            self.look_ff.d.next = self.value.val().get_bits::<RING_BITS>(0);
            self.looked_ff.d.next = false;
            self.count_ff.d.next = 0.into();
            self.measured_ff.d.next = false;
        }

        if self.reset.val() | self.clear.val() {
            self.write_ff.d.next = 0.into();
            self.open_ff.d.next = 0.into();
            self.look_ff.d.next = 0.into();
            self.looked_ff.d.next = false;
            self.count_ff.d.next = 0.into();
            self.left_ff.d.next = 0.into();
            self.measured_ff.d.next = false;
            self.inside_ff.d.next = false;
            self.dropping_ff.d.next = false;
            self.peek_ff.d.next = false;
            self.peeked_ff.d.next = false;
            self.opening_ff.d.next = true;
            self.group_ff.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{synthesises, Random};
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_log_ring", LogRing::<12>::default());
    }

    /// Writes intervals and takes pieces, both at random paces, with `hold` high in some spells
    /// but not in the end; the intervals that came out.
    fn through(sent: &[Vec<u8>], mut random: Random, holds: bool) -> Vec<Vec<u8>> {
        let mut ring = LogRing::<9>::default();
        ring.connect_all();
        tick!(ring);
        let mut bytes = sent.iter().flat_map(|interval| {
            let last = interval.len() - 1;
            interval
                .iter()
                .enumerate()
                .map(move |(i, &b)| (b, i == last))
        });
        let mut offered = bytes.next();
        let mut whole: Vec<Vec<u8>> = Vec::new();
        let mut piece: Option<(Vec<u8>, bool)> = None;
        let (mut wait, mut quiet) = (0, 0);
        // Longer than the lookout needs for a piece.
        while quiet < 300 {
            if random.one_in(1000) || offered.is_none() {
                ring.hold.next = holds && offered.is_some() && !ring.hold.val();
            }
            ring.byte_valid.next = offered.is_some() && !random.one_in(3);
            let (byte, last) = offered.unwrap_or((0, false));
            ring.byte_data.next = u64::from(byte).into();
            ring.byte_last.next = last;
            ring.piece_start.next = false;
            ring.piece_take.next = false;
            wait = if wait > 0 { wait - 1 } else { random.below(4) };
            if wait == 0 {
                match &mut piece {
                    Some((taken, last)) if !ring.piece_more.val() => {
                        let last = *last;
                        assert!(taken.len() == 240 || (last && taken.len() < 240));
                        whole.last_mut().expect("started").append(taken);
                        assert_eq!(ring.piece_first.val(), last);
                        piece = None;
                    }
                    Some((taken, _)) => {
                        taken.push(ring.piece_data.val().to_u64() as u8);
                        ring.piece_take.next = true;
                        wait = 2;
                    }
                    None if ring.piece_ready.val() => {
                        if ring.piece_first.val() {
                            whole.push(Vec::new());
                        }
                        piece = Some((Vec::new(), ring.piece_last.val()));
                        ring.piece_start.next = true;
                        wait = 2;
                    }
                    None => {}
                }
            }
            if ring.byte_valid.next && ring.byte_ready.val() {
                offered = bytes.next();
            }
            quiet = if ring.piece_ready.val() || piece.is_some() || offered.is_some() {
                0
            } else {
                quiet + 1
            };
            tick!(ring);
        }
        assert!(ring.empty.val());
        whole
    }

    fn random_intervals(random: &mut Random) -> Vec<Vec<u8>> {
        (0..60)
            .map(|_| {
                let longest = if random.one_in(4) { 900 } else { 260 };
                let length = 1 + random.below(longest);
                random.bytes(length as usize)
            })
            .collect()
    }

    #[test]
    fn streams_everything() {
        for seed in 0..4 {
            let sent = random_intervals(&mut Random(seed));
            assert_eq!(through(&sent, Random(seed), false), sent, "seed {seed}");
        }
    }

    /// Whatever is held and dropped: intervals come out whole, in order, and the newest does.
    #[test]
    fn never_cuts_an_interval() {
        for seed in 10..18 {
            let sent = random_intervals(&mut Random(seed));
            let came = through(&sent, Random(seed), true);
            assert_eq!(came.last(), sent.last(), "seed {seed}");
            assert!(came.len() < sent.len(), "nothing was dropped");
            let mut rest = sent.iter();
            for interval in &came {
                assert!(rest.any(|i| i == interval), "seed {seed}");
            }
        }
    }
}
