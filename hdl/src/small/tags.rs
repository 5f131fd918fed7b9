//! Which bytes of memory the hart has already seen in this interval: section 1.2 of the log format, kind
//! `Bits`, one way. Twin of `lookback_model::first_load_tags`.
//!
//! ```text
//!  cycle 1: address ──► line from block RAM
//!  cycle 2: compare; with `commit` the access takes effect, and the line is written back
//!  cycle 3: `known`
//! ```
//! `address` and masks are kept for the first two cycles; the next access begins in the third. A whole
//! line with its byte masks is one word of 32 bits, which is two block RAMs of an iCE40 in all: whatever
//! address it held before, a set always takes the new one.

use crate::memory::BlockRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// `2^S` lines of `2^W` words with `MASKS` bits of mask; `T` bits of tag, `E` of epoch, `L` bits of line.
    pub struct SmallTags [S, W, T, E, MASKS, L] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// empty a line each cycle, for as many cycles as there are lines, and forget the epoch
        pub clear: Signal<In, Bit>,
        /// a new interval begins
        pub advance: Signal<In, Bit>,
        /// address of the word, without its two low bits
        pub address: Signal<In, Bits<30>>,
        /// bytes that must be known
        pub need: Signal<In, Bits<4>>,
        /// bytes that are known afterwards, or unknown if `remove`
        pub touch: Signal<In, Bits<4>>,
        /// somebody else's write
        pub remove: Signal<In, Bit>,
        /// the access takes effect
        pub commit: Signal<In, Bit>,
        /// every byte of `need` was known to the access that was committed in the cycle before
        pub known: Signal<Out, Bit>,
        /// never: no line is still being written when the next one is asked for
        pub conflict: Signal<Out, Bit>,
        lines: BlockRam<L, S>,
        epoch_ff: DFF<Bits<E>>,
        sweeping_ff: DFF<Bit>,
        sweep_ff: DFF<Bits<S>>,
        known_ff: DFF<Bit>,
        sweeps: Signal<Local, Bit>,
        set: Signal<Local, Bits<S>>,
        tag: Signal<Local, Bits<T>>,
        line: Signal<Local, Bits<L>>,
        found: Signal<Local, Bit>,
        place: Signal<Local, Bits<6>>,
        old: Signal<Local, Bits<MASKS>>,
        shifted: Signal<Local, Bits<MASKS>>,
        seen: Signal<Local, Bits<4>>,
        missing: Signal<Local, Bits<4>>,
        lanes: Signal<Local, Bits<MASKS>>,
        left: Signal<Local, Bits<MASKS>>,
        writes: Signal<Local, Bit>,
    }
    constants {
        set_lsb: 6 = W,
        tag_lsb: 6 = W + S,
        epoch_lsb: 6 = T,
        mask_lsb: 6 = T + E,
        no_lanes: MASKS = 0,
        one_epoch: E = 1,
        no_epoch: E = 0,
        one_set: S = 1,
        no_set: S = 0,
    }
    check {
        assert!((1..=2).contains(&W) && MASKS == 4 << W, "2 or 4 words a line");
        assert!(T == 30 - S - W, "the tag is the rest of the address");
        assert!(L == T + E + MASKS && L <= 40, "a line is a tag, an epoch and its masks");
    }
}

impl<
        const S: usize,
        const W: usize,
        const T: usize,
        const E: usize,
        const MASKS: usize,
        const L: usize,
    > Logic for SmallTags<S, W, T, E, MASKS, L>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, epoch_ff, sweeping_ff, sweep_ff, known_ff);
        self.lines.clock.next = self.clock.val();
        self.tag.next = self.address.val().get_bits::<T>(self.tag_lsb.val().index());
        self.set.next = self.address.val().get_bits::<S>(self.set_lsb.val().index());
        self.sweeps.next = self.sweeping_ff.q.val() | self.clear.val();
        if self.sweeps.val() {
            self.set.next = self.sweep_ff.q.val();
        }
        self.lines.read_address.next = self.set.val();

        // The second cycle: what is known of the word. A set that is swept holds nothing.
        self.line.next = self.lines.read_data.val();
        self.found.next = (self.line.val().get_bits::<T>(0) == self.tag.val())
            & (self.line.val().get_bits::<E>(self.epoch_lsb.val().index())
                == self.epoch_ff.q.val())
            & !self.sweeps.val();
        self.old.next = self.no_lanes.val();
        if self.found.val() {
            self.old.next = self
                .line
                .val()
                .get_bits::<MASKS>(self.mask_lsb.val().index());
        }
        self.place.next = bit_cast::<6, W>(self.address.val().get_bits::<W>(0)) << 2;
        self.shifted.next = self.old.val() >> self.place.val();
        self.seen.next = self.shifted.val().get_bits::<4>(0);
        self.missing.next = self.need.val() & !self.seen.val();
        self.known_ff.d.next = !self.missing.val().any();
        self.known.next = self.known_ff.q.val();
        self.conflict.next = false;

        // What the access leaves.
        self.lanes.next = bit_cast::<MASKS, 4>(self.touch.val()) << self.place.val();
        self.left.next = self.old.val() | self.lanes.val();
        if self.remove.val() {
            self.left.next = self.old.val() & !self.lanes.val();
        }
        if self.sweeps.val() {
            self.left.next = self.no_lanes.val();
        }
        self.writes.next = self.clear.val()
            | (self.commit.val()
                & (self.sweeping_ff.q.val() | self.found.val() | !self.remove.val()));
        self.lines.write_enable.next = self.writes.val();
        self.lines.write_address.next = self.set.val();
        self.lines.write_data.next = bit_cast::<L, T>(self.tag.val())
            | (bit_cast::<L, E>(self.epoch_ff.q.val()) << self.epoch_lsb.val())
            | (bit_cast::<L, MASKS>(self.left.val()) << self.mask_lsb.val());

        // An epoch number that comes round again would make old lines new: they are swept first.
        if (self.commit.val() & self.sweeping_ff.q.val()) | self.clear.val() {
            self.sweep_ff.d.next = self.sweep_ff.q.val() + self.one_set.val();
            if self.sweep_ff.q.val().all() {
                self.sweeping_ff.d.next = false;
            }
        }
        if self.advance.val() {
            self.epoch_ff.d.next = self.epoch_ff.q.val() + self.one_epoch.val();
            if self.epoch_ff.q.val().all() {
                self.sweeping_ff.d.next = true;
                self.sweep_ff.d.next = self.no_set.val();
            }
        }
        if self.clear.val() {
            self.epoch_ff.d.next = self.no_epoch.val();
            self.sweeping_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(
            SmallTags::<8, 1, 21, 3, 8, 32>::default(),
            "lookback_small_tags",
        );
    }
}
