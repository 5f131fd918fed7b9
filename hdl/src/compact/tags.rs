//! Which bytes of memory the reader holds in this key group: section 10.3 of the log format, both kinds
//! of tags. Twin of `lookback_model::compact::tags`.
//!
//! ```text
//!  cycle 1: address ──► line and row of each way from block RAM; `Words`: the word that is kept
//!  cycle 2: compare, `known`, `escape`; with `commit` the way is written back
//! ```
//! `address`, masks and `in_image` are kept for both cycles; the next access begins in the cycle
//! after. Only accesses to the memory region come here; a read that is known from the image comes
//! with an empty `rmask`, or not at all.
//!
//! A way is two memories: {stale, valid, mark, epoch, tag} of each line, and the masks of a whole row,
//! so that a row that becomes valid is emptied by the same write. A line is valid if its epoch is the
//! present one and one of its rows is valid: one that was taken always has such a row. The way that was
//! used last is the exclusive or of the marks of both ways; it counts only where both lines are valid,
//! so a set that is emptied may lose it.
//!
//! There are as many epoch numbers as sets: when the number advances to *n*, set *n* is emptied. A
//! line meets the emptying of its set before its epoch number comes round, so it is never found again.
//!
//! Of kind `Words` there is a memory more for each way, which keeps what the hart saw last of every word.
//! A row is then out of date when a byte that is read and held differs, whoever wrote it: nobody has to
//! tell, and stale marks count for nothing. The comparison is behind the choice of the way, so that
//! there is one of it.

use crate::memory::{BlockRam, MarkedRam};
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// `2^S` sets of `WAYS` lines of `ROWS = 2^R` rows of `2^Q` words; `T` bits of tag, `L` bits of
    /// line, `F` of flags, `M` bits to number a row, `K` bits of masks in a row; `P` bits to number a
    /// word, `KEPT` memories of words: `WAYS` with kind `Words`, 0 with `Bits`.
    pub struct CompactTags [WAYS, S, R, ROWS, Q, T, L, F, M, K, P, KEPT] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a key group begins; for as many cycles as there are sets when a recording begins
        pub advance: Signal<In, Bit>,
        /// address of the word, without its two low bits
        pub address: Signal<In, Bits<30>>,
        /// bytes read
        pub rmask: Signal<In, Bits<4>>,
        /// bytes written
        pub wmask: Signal<In, Bits<4>>,
        /// the word read, in its lanes; other bytes are whatever they are
        pub read_word: Signal<In, Bits<32>>,
        /// the word written over it
        pub written_word: Signal<In, Bits<32>>,
        /// the address is in the image, which the reader takes it from unless the row is valid
        pub in_image: Signal<In, Bit>,
        /// somebody else's write
        pub snoop: Signal<In, Bit>,
        /// the access takes effect
        pub commit: Signal<In, Bit>,
        /// the reader holds every byte of `rmask`
        pub known: Signal<Out, Bit>,
        /// the reader must be told that it does not
        pub escape: Signal<Out, Bit>,
        epoch_ff: DFF<Bits<S>>,
        next_epoch: Signal<Local, Bits<S>>,
        word: Signal<Local, Bits<Q>>,
        row: Signal<Local, Bits<R>>,
        set: Signal<Local, Bits<S>>,
        tag: Signal<Local, Bits<T>>,
        lane: Signal<Local, Bits<5>>,
        place: Signal<Local, Bits<M>>,
        here: Signal<Local, Bits<ROWS>>,
        reads: Signal<Local, Bit>,
        line: Signal<Local, Bits<L>>,
        line_tag: Signal<Local, Bits<T>>,
        line_epoch: Signal<Local, Bits<S>>,
        line_flags: Signal<Local, Bits<F>>,
        line_row: Signal<Local, Bits<K>>,
        lifted: Signal<Local, Bits<K>>,
        valid: Signal<Local, Bits<ROWS>>,
        stale: Signal<Local, Bits<ROWS>>,
        taken: Signal<Local, Bit>,
        same: Signal<Local, Bit>,
        holds: Signal<Local, Bit>,
        found: Signal<Local, Bit>,
        found_way: Signal<Local, Bit>,
        free: Signal<Local, Bit>,
        free_way: Signal<Local, Bit>,
        last_used: Signal<Local, Bit>,
        way: Signal<Local, Bit>,
        row_valid: Signal<Local, Bit>,
        row_stale: Signal<Local, Bit>,
        fresh: Signal<Local, Bit>,
        seen: Signal<Local, Bits<4>>,
        missing: Signal<Local, Bits<4>>,
        left_row: Signal<Local, Bits<K>>,
        left_valid: Signal<Local, Bits<ROWS>>,
        left_stale: Signal<Local, Bits<ROWS>>,
        left_line: Signal<Local, Bits<L>>,
        left_flags: Signal<Local, Bits<F>>,
        line_set: Signal<Local, Bits<S>>,
        touched: Signal<Local, Bits<4>>,
        chosen: Signal<Local, Bit>,
        mark: Signal<Local, Bit>,
        word_place: Signal<Local, Bits<P>>,
        kept_word: Signal<Local, Bits<32>>,
        compared: Signal<Local, Bits<32>>,
        written: Signal<Local, Bits<32>>,
        replaced: Signal<Local, Bits<32>>,
        left_word: Signal<Local, Bits<32>>,
        held: Signal<Local, Bits<4>>,
    }
    arrays {
        lines: [MarkedRam<L, F, S>; WAYS],
        rows: [BlockRam<K, M>; WAYS],
        marks: [Signal<Local, Bit>; WAYS],
        kept: [BlockRam<32, P>; KEPT],
        holding: [Signal<Local, Bit>; WAYS],
    }
    constants {
        row_lsb: 6 = Q,
        set_lsb: 6 = Q + R,
        tag_lsb: 6 = Q + R + S,
        row_bits: 6 = R,
        stale_lsb: 6 = ROWS,
        epoch_lsb: 6 = T,
        mark_lsb: 6 = T + S,
        mark_bit: L = 1u64 << (T + S),
        one_row: ROWS = 1,
        no_rows: ROWS = 0,
        no_flags: F = 0,
        no_masks: K = 0,
        no_lanes: 4 = 0,
        one_epoch: S = 1,
        two_ways: 1 = WAYS - 1,
        compares: 1 = KEPT.min(1),
        word_bits: 6 = Q,
        no_word: 32 = 0,
        lane_0: 32 = 0xff,
        lane_1: 32 = 0xff00,
        lane_2: 32 = 0xff_0000,
        lane_3: 32 = 0xff00_0000u32,
    }
    check {
        assert!(WAYS == 1 || WAYS == 2, "one or two ways");
        assert!((1..=3).contains(&R) && ROWS == 1 << R, "2, 4 or 8 rows a line");
        assert!((1..=3).contains(&Q) && K == 4 << Q, "2, 4 or 8 words a row");
        assert!(F == 2 * ROWS, "two flags a row");
        assert!(M == S + R, "a row is numbered by its set and its place in the line");
        assert!(T == 30 - S - R - Q, "the tag is the rest of the address");
        assert!(L == T + S + 1 && L <= 32, "a line fits a word");
        assert!(P == M + Q, "a word is numbered by its row and its place in that");
        assert!(KEPT == 0 || KEPT == WAYS, "words are kept of every way, or of none");
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
        const P: usize,
        const KEPT: usize,
    > Logic for CompactTags<WAYS, S, R, ROWS, Q, T, L, F, M, K, P, KEPT>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, epoch_ff);
        self.word.next = self.address.val().get_bits::<Q>(0);
        self.row.next = self.address.val().get_bits::<R>(self.row_lsb.val().index());
        self.set.next = self.address.val().get_bits::<S>(self.set_lsb.val().index());
        self.tag.next = self.address.val().get_bits::<T>(self.tag_lsb.val().index());
        self.lane.next = bit_cast::<5, Q>(self.word.val()) << 2;
        self.place.next = (bit_cast::<M, S>(self.set.val()) << self.row_bits.val())
            | bit_cast::<M, R>(self.row.val());
        self.here.next = self.one_row.val() << self.row.val();
        self.reads.next = self.rmask.val().any();

        // Which way holds the line, and what it holds of the row.
        self.found.next = false;
        self.found_way.next = false;
        self.free.next = false;
        self.free_way.next = false;
        self.last_used.next = false;
        self.row_valid.next = false;
        self.left_valid.next = self.no_rows.val();
        self.left_stale.next = self.no_rows.val();
        self.left_row.next = self.no_masks.val();
        self.seen.next = self.no_lanes.val();
        for i in 0..WAYS {
            self.lines[i].clock.next = self.clock.val();
            self.rows[i].clock.next = self.clock.val();
            self.lines[i].read_address.next = self.set.val();
            self.rows[i].read_address.next = self.place.val();
            self.line.next = self.lines[i].read_data.val();
            self.line_flags.next = self.lines[i].read_mark.val();
            self.line_row.next = self.rows[i].read_data.val();
            self.line_tag.next = self.line.val().get_bits::<T>(0);
            self.line_epoch.next = self.line.val().get_bits::<S>(self.epoch_lsb.val().index());
            self.marks[i].next = self.line.val().get_bit(self.mark_lsb.val().index());
            self.valid.next = self.line_flags.val().get_bits::<ROWS>(0);
            self.stale.next = self
                .line_flags
                .val()
                .get_bits::<ROWS>(self.stale_lsb.val().index());
            self.last_used.next = self.last_used.val() ^ self.marks[i].val();
            self.taken.next =
                self.valid.val().any() & (self.line_epoch.val() == self.epoch_ff.q.val());
            self.same.next = self.taken.val() & (self.line_tag.val() == self.tag.val());
            self.holds.next = self.same.val() & (self.valid.val() & self.here.val()).any();
            self.holding[i].next = self.holds.val();
            self.lifted.next = self.line_row.val() >> self.lane.val();
            if !self.taken.val() & !self.free.val() {
                self.free.next = true;
                self.free_way.next = i != 0;
            }
            if self.same.val() {
                self.found.next = true;
                self.found_way.next = i != 0;
                self.left_valid.next = self.left_valid.val() | self.valid.val();
                self.left_stale.next = self.left_stale.val() | self.stale.val();
            }
            if self.holds.val() {
                self.row_valid.next = true;
                self.left_row.next = self.left_row.val() | self.line_row.val();
                self.seen.next = self.seen.val() | self.lifted.val().get_bits::<4>(0);
            }
        }
        self.row_stale.next =
            self.row_valid.val() & (self.left_stale.val() & self.here.val()).any();

        // What the hart saw last, and whether it reads the same again.
        self.word_place.next = (bit_cast::<P, M>(self.place.val()) << self.word_bits.val())
            | bit_cast::<P, Q>(self.word.val());
        self.kept_word.next = self.no_word.val();
        for i in 0..KEPT {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].read_address.next = self.word_place.val();
            if self.holding[i].val() {
                self.kept_word.next = self.kept_word.val() | self.kept[i].read_data.val();
            }
        }
        self.held.next = self.rmask.val() & self.seen.val();
        self.compared.next = self.no_word.val();
        self.written.next = self.no_word.val();
        self.replaced.next = self.no_word.val();
        if self.held.val().get_bit(0) {
            self.compared.next = self.compared.val() | self.lane_0.val();
        }
        if self.held.val().get_bit(1) {
            self.compared.next = self.compared.val() | self.lane_1.val();
        }
        if self.held.val().get_bit(2) {
            self.compared.next = self.compared.val() | self.lane_2.val();
        }
        if self.held.val().get_bit(3) {
            self.compared.next = self.compared.val() | self.lane_3.val();
        }
        if self.wmask.val().get_bit(0) {
            self.written.next = self.written.val() | self.lane_0.val();
        }
        if self.wmask.val().get_bit(1) {
            self.written.next = self.written.val() | self.lane_1.val();
        }
        if self.wmask.val().get_bit(2) {
            self.written.next = self.written.val() | self.lane_2.val();
        }
        if self.wmask.val().get_bit(3) {
            self.written.next = self.written.val() | self.lane_3.val();
        }
        if self.rmask.val().get_bit(0) {
            self.replaced.next = self.replaced.val() | self.lane_0.val();
        }
        if self.rmask.val().get_bit(1) {
            self.replaced.next = self.replaced.val() | self.lane_1.val();
        }
        if self.rmask.val().get_bit(2) {
            self.replaced.next = self.replaced.val() | self.lane_2.val();
        }
        if self.rmask.val().get_bit(3) {
            self.replaced.next = self.replaced.val() | self.lane_3.val();
        }
        if self.compares.val().any() {
            self.row_stale.next =
                ((self.kept_word.val() ^ self.read_word.val()) & self.compared.val()).any();
        }
        // What is written lies over what is read, and both over what was kept.
        self.left_word.next = (self.kept_word.val() & !self.replaced.val())
            | (self.read_word.val() & self.replaced.val());
        self.left_word.next = (self.left_word.val() & !self.written.val())
            | (self.written_word.val() & self.written.val());

        self.escape.next = self.reads.val()
            & ((self.in_image.val() & !self.row_valid.val()) | self.row_stale.val());
        self.fresh.next = !self.row_valid.val() | (self.row_stale.val() & self.reads.val());
        if self.fresh.val() {
            self.seen.next = self.no_lanes.val();
            self.left_row.next = self.no_masks.val();
        }
        self.missing.next = self.rmask.val() & !self.seen.val();
        self.known.next = !self.missing.val().any();

        // What the access leaves.
        self.way.next = !self.last_used.val() & self.two_ways.val().any();
        if self.free.val() {
            self.way.next = self.free_way.val();
        }
        if self.found.val() {
            self.way.next = self.found_way.val();
        }
        self.touched.next = self.rmask.val() | self.wmask.val();
        self.left_row.next =
            self.left_row.val() | (bit_cast::<K, 4>(self.touched.val()) << self.lane.val());
        if self.snoop.val() {
            self.left_stale.next = self.left_stale.val() | self.here.val();
        } else {
            self.left_valid.next = self.left_valid.val() | self.here.val();
            if self.fresh.val() {
                self.left_stale.next = self.left_stale.val() & !self.here.val();
            }
        }
        self.left_line.next = bit_cast::<L, T>(self.tag.val())
            | (bit_cast::<L, S>(self.epoch_ff.q.val()) << self.epoch_lsb.val());
        self.left_flags.next = bit_cast::<F, ROWS>(self.left_valid.val())
            | (bit_cast::<F, ROWS>(self.left_stale.val()) << self.stale_lsb.val());
        self.line_set.next = self.set.val();
        self.next_epoch.next = self.epoch_ff.q.val() + self.one_epoch.val();
        if self.advance.val() {
            self.epoch_ff.d.next = self.next_epoch.val();
            self.line_set.next = self.next_epoch.val();
            self.left_flags.next = self.no_flags.val();
        }
        for i in 0..WAYS {
            self.chosen.next = self.commit.val() & (self.way.val() ^ (i == 0));
            self.mark.next = self.last_used.val() ^ self.marks[i].val() ^ (i != 0);
            if self.snoop.val() {
                self.mark.next = self.marks[i].val();
            }
            self.lines[i].write_enable.next = self.advance.val()
                | (self.chosen.val() & (self.row_valid.val() | !self.snoop.val()));
            self.lines[i].write_address.next = self.line_set.val();
            self.lines[i].write_mark.next = self.left_flags.val();
            self.lines[i].write_data.next = self.left_line.val();
            if self.mark.val() {
                self.lines[i].write_data.next = self.left_line.val() | self.mark_bit.val();
            }
            self.rows[i].write_enable.next = self.chosen.val() & !self.snoop.val();
            self.rows[i].write_address.next = self.place.val();
            self.rows[i].write_data.next = self.left_row.val();
        }
        for i in 0..KEPT {
            self.chosen.next = self.commit.val() & (self.way.val() ^ (i == 0));
            self.kept[i].write_enable.next = self.chosen.val() & !self.snoop.val();
            self.kept[i].write_address.next = self.word_place.val();
            self.kept[i].write_data.next = self.left_word.val();
        }
    }
}
