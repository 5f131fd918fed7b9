//! Which bytes of the ring are kept, sent and new: the offsets of the acknowledged link.
//!
//! ```text
//!       kept ≤ sent ≤ furthest ≤ written        kept: acknowledged up to here
//!  ──────┬──────┬───────┬─────────┬──────       furthest: every byte before it was sent once
//!        │ again│       │   new   │
//! ```
//! `docs/log-format.md` section 5.1 has the words. Offsets have 32 bits, and the lower of them are
//! the place in the ring. Only `furthest` is kept whole: the others lie within a ring's length of it,
//! so their upper bits are its own, or one less or more. An offset is read bit by bit, lowest first:
//! by the time that its upper bits come, the comparison of the lower ones is done.
//! Without acknowledgements `kept` goes with `sent`.

use rust_hdl::prelude::*;

/// The offsets around a ring of `2^RING_BITS` bytes.
#[derive(LogicBlock)]
pub struct Window<const RING_BITS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A recording starts, or reset: all offsets are 0.
    pub clear: Signal<In, Bit>,
    /// What was sent stays until it is acknowledged.
    pub keep: Signal<In, Bit>,
    /// A byte is sent.
    pub take: Signal<In, Bit>,
    /// The oldest byte is dropped; only while `released`, and nothing is sent.
    pub drop: Signal<In, Bit>,
    /// An offset of the host's.
    pub value: Signal<In, Bits<32>>,
    /// The host has everything before `value`.
    pub acknowledge: Signal<In, Bit>,
    /// Send again from `value` on; not with `acknowledge`.
    pub again: Signal<In, Bit>,
    /// Where the next byte will be written.
    pub written: Signal<In, Bits<RING_BITS>>,
    /// A place not before `kept`.
    pub look: Signal<In, Bits<RING_BITS>>,
    /// The oldest byte.
    pub kept: Signal<Out, Bits<RING_BITS>>,
    /// The next byte to be sent.
    pub sent: Signal<Out, Bits<RING_BITS>>,
    /// `sent` becomes `value`.
    pub moved: Signal<Out, Bit>,
    /// `again` is obeyed.
    pub repeated: Signal<Out, Bit>,
    /// The next byte to be sent was never sent.
    pub fresh: Signal<Out, Bit>,
    /// Everything that was sent is acknowledged.
    pub released: Signal<Out, Bit>,
    /// `look` is at a byte that was sent.
    pub old: Signal<Out, Bit>,
    /// Which offset is read: 0 `kept`, 1 `sent`, 2 `written`.
    pub which: Signal<In, Bits<2>>,
    /// The bit of it that will be used in the next cycle.
    pub index: Signal<In, Bits<5>>,
    /// The bit.
    pub offset_bit: Signal<Out, Bit>,
    /// It is used now: the next one will be wanted.
    pub used: Signal<In, Bit>,
    kept_ff: DFF<Bits<RING_BITS>>,
    sent_ff: DFF<Bits<RING_BITS>>,
    furthest_ff: DFF<Bits<32>>,
    index_ff: DFF<Bits<5>>,
    /// Borrow or carry of what was read so far.
    carry_ff: DFF<Bit>,
    near: Signal<Local, Bits<RING_BITS>>,
    wanted: Signal<Local, Bits<RING_BITS>>,
    span: Signal<Local, Bits<RING_BITS>>,
    behind: Signal<Local, Bits<RING_BITS>>,
    ahead: Signal<Local, Bits<RING_BITS>>,
    distance: Signal<Local, Bits<32>>,
    back: Signal<Local, Bits<RING_BITS>>,
    valid_offset: Signal<Local, Bit>,
    is_fresh: Signal<Local, Bit>,
    acknowledged: Signal<Local, Bit>,
    again_from: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    wide_kept: Signal<Local, Bits<32>>,
    wide_sent: Signal<Local, Bits<32>>,
    wide_written: Signal<Local, Bits<32>>,
    place_bit: Signal<Local, Bit>,
    furthest_bit: Signal<Local, Bit>,
    in_ring: Signal<Local, Bit>,
    after: Signal<Local, Bit>,
    carry: Signal<Local, Bit>,
    one: Constant<Bits<RING_BITS>>,
    one_byte: Constant<Bits<32>>,
    above_ring: Constant<Bits<32>>,
    ring_bits: Constant<Bits<5>>,
    /// Bytes may be kept.
    keeps: Constant<Bit>,
}

impl<const RING_BITS: usize> Default for Window<RING_BITS> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            keep: Default::default(),
            take: Default::default(),
            drop: Default::default(),
            value: Default::default(),
            acknowledge: Default::default(),
            again: Default::default(),
            written: Default::default(),
            look: Default::default(),
            kept: Default::default(),
            sent: Default::default(),
            moved: Default::default(),
            repeated: Default::default(),
            fresh: Default::default(),
            released: Default::default(),
            old: Default::default(),
            which: Default::default(),
            index: Default::default(),
            offset_bit: Default::default(),
            used: Default::default(),
            kept_ff: Default::default(),
            sent_ff: Default::default(),
            furthest_ff: Default::default(),
            index_ff: Default::default(),
            carry_ff: Default::default(),
            near: Default::default(),
            wanted: Default::default(),
            span: Default::default(),
            behind: Default::default(),
            ahead: Default::default(),
            distance: Default::default(),
            back: Default::default(),
            valid_offset: Default::default(),
            is_fresh: Default::default(),
            acknowledged: Default::default(),
            again_from: Default::default(),
            moves: Default::default(),
            wide_kept: Default::default(),
            wide_sent: Default::default(),
            wide_written: Default::default(),
            place_bit: Default::default(),
            furthest_bit: Default::default(),
            in_ring: Default::default(),
            after: Default::default(),
            carry: Default::default(),
            one: Constant::new(1.into()),
            one_byte: Constant::new(1.into()),
            above_ring: Constant::new(u64::from(u32::MAX << RING_BITS).into()),
            ring_bits: Constant::new((RING_BITS as u64).into()),
            keeps: Constant::new(true),
        }
    }
}

impl<const RING_BITS: usize> Window<RING_BITS> {
    /// One that never keeps what was sent, whatever `keep` says: `sent` is all there is.
    pub fn without_keeping() -> Self {
        Self {
            keeps: Constant::new(false),
            ..Self::default()
        }
    }
}

impl<const RING_BITS: usize> Logic for Window<RING_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            kept_ff,
            sent_ff,
            furthest_ff,
            index_ff,
            carry_ff
        );
        self.kept.next = self.kept_ff.q.val();
        self.sent.next = self.sent_ff.q.val();

        // Distances, all seen from `furthest` or from `kept`: the ring is longer than any of them.
        self.near.next = self.furthest_ff.q.val().get_bits::<RING_BITS>(0);
        self.wanted.next = self.value.val().get_bits::<RING_BITS>(0);
        self.span.next = self.near.val() - self.kept_ff.q.val();
        self.behind.next = self.near.val() - self.sent_ff.q.val();
        self.ahead.next = self.look.val() - self.kept_ff.q.val();
        self.distance.next = self.furthest_ff.q.val() - self.value.val();
        self.back.next = self.distance.val().get_bits::<RING_BITS>(0);
        self.is_fresh.next = !self.behind.val().any() | !self.keeps.val();
        self.fresh.next = self.is_fresh.val();
        self.released.next = !self.span.val().any() | !self.keeps.val();
        self.old.next = (self.ahead.val() < self.span.val()) & self.keeps.val();

        // The host's offset counts if it is from `kept` to `furthest`.
        self.valid_offset.next = !(self.distance.val() & self.above_ring.val()).any()
            & (self.back.val() <= self.span.val());
        self.acknowledged.next = self.acknowledge.val() & self.valid_offset.val();
        self.again_from.next = self.again.val() & self.valid_offset.val();
        self.moves.next = self.again_from.val()
            | (self.acknowledged.val() & (self.back.val() < self.behind.val()));
        self.moved.next = self.moves.val();
        self.repeated.next = self.again_from.val();
        if self.acknowledged.val() {
            self.kept_ff.d.next = self.wanted.val();
        } else if self.drop.val() | (self.take.val() & !self.keep.val()) {
            self.kept_ff.d.next = self.kept_ff.q.val() + self.one.val();
        }
        if self.moves.val() {
            self.sent_ff.d.next = self.wanted.val();
        } else if self.drop.val() | self.take.val() {
            self.sent_ff.d.next = self.sent_ff.q.val() + self.one.val();
        }
        if self.drop.val() | (self.take.val() & self.is_fresh.val()) {
            self.furthest_ff.d.next = self.furthest_ff.q.val() + self.one_byte.val();
        }

        // Reading: within the ring the place's own bits, above them those of `furthest`, less one if
        // the place is above that of `furthest`. `written` is not before `furthest`: one more if its
        // place is below.
        self.index_ff.d.next = self.index.val();
        self.wide_kept.next = bit_cast::<32, RING_BITS>(self.kept_ff.q.val());
        self.wide_sent.next = bit_cast::<32, RING_BITS>(self.sent_ff.q.val());
        self.wide_written.next = bit_cast::<32, RING_BITS>(self.written.val());
        self.after.next = self.which.val().get_bit(1);
        self.place_bit.next = self.wide_kept.val().get_bit(self.index_ff.q.val().index());
        if self.which.val().get_bit(0) {
            self.place_bit.next = self.wide_sent.val().get_bit(self.index_ff.q.val().index());
        }
        if self.after.val() {
            self.place_bit.next = self
                .wide_written
                .val()
                .get_bit(self.index_ff.q.val().index());
        }
        self.furthest_bit.next = self
            .furthest_ff
            .q
            .val()
            .get_bit(self.index_ff.q.val().index());
        self.in_ring.next = self.index_ff.q.val() < self.ring_bits.val();
        self.carry.next = self.carry_ff.q.val() & self.index_ff.q.val().any();
        self.offset_bit.next = self.furthest_bit.val() ^ self.carry.val();
        if self.in_ring.val() {
            self.offset_bit.next = self.place_bit.val();
        }
        if self.used.val() {
            self.carry_ff.d.next = self.carry.val() & (self.furthest_bit.val() ^ !self.after.val());
            if self.in_ring.val() {
                self.carry_ff.d.next = self.carry.val();
                if self.place_bit.val() ^ self.furthest_bit.val() {
                    self.carry_ff.d.next = self.place_bit.val() ^ self.after.val();
                }
            }
        }

        if self.clear.val() {
            self.kept_ff.d.next = 0.into();
            self.sent_ff.d.next = 0.into();
            self.furthest_ff.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::synthesises;
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_window", Window::<12>::default());
    }

    /// The offset, bit by bit.
    fn offset(window: &mut Window<9>, which: u64) -> u64 {
        window.which.next = which.into();
        let bits = (0..32u64).map(|i| {
            window.used.next = false;
            window.index.next = i.into();
            tick!(*window);
            let bit = u64::from(window.offset_bit.val()) << i;
            window.used.next = true;
            window.index.next = ((i + 1) & 31).into();
            tick!(*window);
            bit
        });
        let offset = bits.sum();
        window.used.next = false;
        offset
    }

    #[test]
    fn goes_on_from_where_the_host_says() {
        let mut window = Window::<9>::default();
        window.connect_all();
        window.keep.next = true;
        window.take.next = true;
        (0..700).for_each(|_| {
            tick!(window);
        });
        window.take.next = false;
        window.written.next = (800u64 & 511).into();
        assert_eq!(offset(&mut window, 1), 700);
        assert_eq!(offset(&mut window, 2), 800);
        let write = |window: &mut Window<9>, again: bool, value: u64| {
            window.value.next = value.into();
            window.again.next = again;
            window.acknowledge.next = !again;
            tick!(*window);
            window.again.next = false;
            window.acknowledge.next = false;
        };
        // More than a ring was never acknowledged: a window that nobody keeps is not checked.
        window.keep.next = false;
        window.clear.next = true;
        tick!(window);
        window.clear.next = false;
        window.take.next = true;
        (0..500).for_each(|_| {
            tick!(window);
        });
        window.keep.next = true;
        (0..200).for_each(|_| {
            tick!(window);
        });
        window.take.next = false;
        assert_eq!((offset(&mut window, 0), offset(&mut window, 1)), (500, 700));
        write(&mut window, true, 499);
        assert_eq!(offset(&mut window, 1), 700, "gone");
        write(&mut window, true, 701);
        assert_eq!(offset(&mut window, 1), 700, "not sent yet");
        write(&mut window, true, 510);
        assert_eq!(offset(&mut window, 1), 510);
        write(&mut window, false, 600);
        assert_eq!((offset(&mut window, 0), offset(&mut window, 1)), (600, 600));
        write(&mut window, false, 600 + (1 << 20));
        assert_eq!(offset(&mut window, 0), 600, "another lap");
    }
}
