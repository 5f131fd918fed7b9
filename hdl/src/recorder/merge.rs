//! Brings the parcels of all sources into one stream, each behind a byte that says whose it is and
//! whether it begins something: section 5.2 of the log format. Twin of `lookback_model::parcels`.
//!
//! ```text
//!  available (a bit a source) ─► whose turn ─► source ─► (the gatherers' data and last)
//!           data, last, take ◄──────────────────────────┘
//!                             byte_valid byte_data byte_last ─► ring
//! ```
//! Sources have their turns in a circle, a parcel each. A parcel ends with what its source ends, or
//! after 224 bytes. If both come together, a parcel without bytes follows: a reader knows an end by a
//! parcel of fewer than 224 bytes. One byte a cycle, and two cycles between parcels.

use rust_hdl::prelude::*;

/// What is being sent.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Part {
    /// nothing
    Idle,
    /// the byte that names the source
    Name,
    /// the parcel
    Body,
}

circuit! {
    /// The order of parcels, for up to eight sources.
    pub struct Merge [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything
        pub clear: Signal<In, Bit>,
        /// sources with a whole parcel
        pub available: Signal<In, Bits<8>>,
        /// whose parcel is being sent
        pub source: Signal<Out, Bits<3>>,
        /// that source's oldest byte
        pub data: Signal<In, Bits<8>>,
        /// it ends an interval or gap
        pub last: Signal<In, Bit>,
        /// it is used
        pub take: Signal<Out, Bit>,
        /// a byte of the stream
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it ends a parcel
        pub byte_last: Signal<Out, Bit>,
        /// it is taken
        pub byte_ready: Signal<In, Bit>,
        /// nothing is under way, and nobody has a parcel
        pub idle: Signal<Out, Bit>,
        part_ff: DFF<Part>,
        source_ff: DFF<Bits<3>>,
        /// bytes of the parcel that were sent
        sent_ff: DFF<Bits<8>>,
        /// the parcel without bytes is due
        owed_ff: DFF<Bit>,
        /// sources whose last parcel ended nothing
        within_ff: DFF<Bits<8>>,
        mark: Signal<Local, Bits<8>>,
        fresh: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        name: Signal<Local, Bits<8>>,
        whole: Signal<Local, Bit>,
        turn: Signal<Local, Bit>,
    }
    constants {
        next_source: 3 = 1,
        no_source: 3 = 0,
        one: 8 = 1,
        none: 8 = 0,
        most: 8 = 223,
    }
}

impl Logic for Merge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, part_ff, source_ff, sent_ff, owed_ff, within_ff);
        self.source.next = self.source_ff.q.val();
        self.turn.next = self.available.val().get_bit(self.source_ff.q.val().index());
        self.whole.next = self.sent_ff.q.val() == self.most.val();
        self.mark.next = self.one.val() << self.source_ff.q.val();
        self.fresh.next = !(self.within_ff.q.val() & self.mark.val()).any();
        self.name.next = bit_cast::<8, 3>(self.source_ff.q.val());
        self.byte_valid.next = false;
        self.byte_data.next = self.name.val().replace_bit(7, self.fresh.val());
        self.ends.next = false;
        self.byte_last.next = false;
        self.take.next = false;
        self.idle.next = false;
        match self.part_ff.q.val() {
            Part::Idle => {
                self.idle.next = !self.available.val().any();
                self.sent_ff.d.next = self.none.val();
                if self.turn.val() {
                    self.part_ff.d.next = Part::Name;
                } else {
                    self.source_ff.d.next = self.source_ff.q.val() + self.next_source.val();
                }
            }
            Part::Name => {
                self.byte_valid.next = true;
                self.byte_last.next = self.owed_ff.q.val();
                if self.byte_ready.val() {
                    self.owed_ff.d.next = false;
                    self.within_ff.d.next = self.within_ff.q.val() | self.mark.val();
                    self.part_ff.d.next = Part::Body;
                    if self.owed_ff.q.val() {
                        self.part_ff.d.next = Part::Idle;
                        self.source_ff.d.next = self.source_ff.q.val() + self.next_source.val();
                        self.ends.next = true;
                    }
                }
            }
            Part::Body => {
                self.byte_valid.next = true;
                self.byte_data.next = self.data.val();
                self.byte_last.next = self.last.val() | self.whole.val();
                if self.byte_ready.val() {
                    self.take.next = true;
                    self.sent_ff.d.next = self.sent_ff.q.val() + self.one.val();
                    if self.last.val() & self.whole.val() {
                        self.owed_ff.d.next = true;
                        self.part_ff.d.next = Part::Name;
                    } else if self.last.val() | self.whole.val() {
                        self.ends.next = self.last.val();
                        self.part_ff.d.next = Part::Idle;
                        self.source_ff.d.next = self.source_ff.q.val() + self.next_source.val();
                    }
                }
            }
            _ => {
                self.part_ff.d.next = Part::Idle;
            }
        }
        if self.ends.val() {
            self.within_ff.d.next = self.within_ff.q.val() & !self.mark.val();
        }
        if self.clear.val() {
            self.within_ff.d.next = self.none.val();
            self.part_ff.d.next = Part::Idle;
            self.source_ff.d.next = self.no_source.val();
            self.owed_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Merge::default(), "lookback_merge");
    }
}
