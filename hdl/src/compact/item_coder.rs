//! Turns needs and escapes into bins, with what was seen before in the key group: sections 10.4 to 10.6
//! of the log format. Twin of `lookback_model::compact::values`.
//!
//! ```text
//!  need:   kind ─► hurry ─┬─► direct bytes
//!                         └─► zero ─► same ─► listed ─► near ─► length ─► byte …
//!                                              └► index   └► offset
//!  escape: kind ─► type ─► distance (ones, zero, top bit, raw bits)
//!  end:    kind ─► type ─► check ─► end
//! ```
//! One bin a cycle while the coder takes them; a byte of a literal takes one cycle more. For the plain
//! coder nothing is hurried and there is no bin that says so: its cycle passes without one. What was seen
//! before stands in one block RAM: the dictionary below, the last values above. The last value is read
//! beside the kind bin and the dictionary beside the hurry bin; the first is written with the hurry
//! bin, the second with the value's last bin.
//!
//! Entries are marked with an epoch number of four bits, so that a key interval forgets all of them at
//! once; the sixteenth of them whose number begins with the new epoch number is written anew (32 cycles
//! in which no event is taken), so that no mark comes round again.

use crate::memory::MarkedRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

/// What is coded next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Part {
    /// the kind of an item
    Kind,
    /// whether a value is hurried
    Hurry,
    /// which form it has
    Form,
    /// a tree of bins
    Tree,
    /// a byte of a literal begins
    Byte,
    /// bytes without contexts
    Direct,
    /// how many bits a distance has
    Ones,
    /// the highest of them but one
    Top,
    /// the others
    Rest,
    /// the check of the interval
    Check,
    /// the end of the interval
    End,
    /// nothing until the event is gone
    Closed,
}

/// What a tree of bins is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Tree {
    /// the last part of a value
    Value,
    /// the length of a literal
    Length,
    /// a byte of it
    Byte,
    /// the type of an escape
    Type,
}

circuit! {
    /// `2^I` dictionary entries and `2^V` last values; `A` is 1 if values may be hurried (arithmetic
    /// coder), and 0 if not (plain coder).
    pub struct ItemCoder [I, V, A] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: forget everything; for at least 512 cycles
        pub wipe: Signal<In, Bit>,
        /// a key interval begins; only between intervals
        pub forget: Signal<In, Bit>,
        /// there is an event
        pub event_valid: Signal<In, Bit>,
        /// its kind, see `sequencer`
        pub event_kind: Signal<In, Bits<4>>,
        /// what else it has
        pub event_extra: Signal<In, Bits<24>>,
        /// its value
        pub event_value: Signal<In, Bits<32>>,
        /// the recorder falls behind
        pub hurry: Signal<In, Bit>,
        /// the bin is taken
        pub bin_ready: Signal<In, Bit>,
        /// the event is taken (not of boundaries and ends)
        pub event_pop: Signal<Out, Bit>,
        /// all bins of the interval were taken; until its event is gone
        pub closed: Signal<Out, Bit>,
        /// there is a bin
        pub bin_valid: Signal<Out, Bit>,
        /// its kind, see `range_coder`
        pub bin_kind: Signal<Out, Bits<2>>,
        /// its context
        pub bin_context: Signal<Out, Bits<10>>,
        /// its value
        pub bin_one: Signal<Out, Bit>,
        /// the direct byte
        pub bin_byte: Signal<Out, Bits<8>>,
        /// it is decided whether a value is hurried
        pub decided: Signal<Out, Bit>,
        /// it is
        pub hurried: Signal<Out, Bit>,
        seen: MarkedRam<32, 4, 9>,
        epoch_ff: DFF<Bits<4>>,
        sweeping_ff: DFF<Bit>,
        sweep_ff: DFF<Bits<9>>,
        part_ff: DFF<Part>,
        tree_ff: DFF<Tree>,
        /// the last value was read
        fresh_ff: DFF<Bit>,
        guess_ff: DFF<Bits<32>>,
        resume_ff: DFF<Bits<32>>,
        escaped_ff: DFF<Bits<1>>,
        hurried_ff: DFF<Bits<1>>,
        hurry_ff: DFF<Bits<1>>,
        hit_ff: DFF<Bits<2>>,
        check_ff: DFF<Bits<8>>,
        form_ff: DFF<Bits<2>>,
        symbol_ff: DFF<Bits<8>>,
        left_ff: DFF<Bits<4>>,
        node_ff: DFF<Bits<8>>,
        base_ff: DFF<Bits<10>>,
        /// a tree of two halves
        halves_ff: DFF<Bit>,
        place_ff: DFF<Bits<2>>,
        set_ff: DFF<Bits<4>>,
        level_ff: DFF<Bits<5>>,
        shift_ff: DFF<Bits<25>>,
        sort: Signal<Local, Bits<3>>,
        size: Signal<Local, Bits<2>>,
        slot: Signal<Local, Bits<9>>,
        by_resume: Signal<Local, Bit>,
        escape: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        resumes: Signal<Local, Bit>,
        silent: Signal<Local, Bit>,
        boundary: Signal<Local, Bit>,
        folded: Signal<Local, Bits<8>>,
        fold: Signal<Local, Bits<I>>,
        listed_at: Signal<Local, Bits<9>>,
        marked: Signal<Local, Bit>,
        ahead: Signal<Local, Bits<32>>,
        moved: Signal<Local, Bits<32>>,
        offset: Signal<Local, Bits<32>>,
        is_zero: Signal<Local, Bit>,
        is_same: Signal<Local, Bit>,
        is_listed: Signal<Local, Bit>,
        is_near: Signal<Local, Bit>,
        applies: Signal<Local, Bit>,
        byte_0: Signal<Local, Bits<8>>,
        byte_1: Signal<Local, Bits<8>>,
        byte_2: Signal<Local, Bits<8>>,
        byte_3: Signal<Local, Bits<8>>,
        chosen: Signal<Local, Bits<8>>,
        length: Signal<Local, Bits<2>>,
        number: Signal<Local, Bits<25>>,
        next_set: Signal<Local, Bits<4>>,
        takes: Signal<Local, Bit>,
        passes: Signal<Local, Bit>,
        done: Signal<Local, Bit>,
        tree_done: Signal<Local, Bit>,
        escape_done: Signal<Local, Bit>,
        next_epoch: Signal<Local, Bits<4>>,
        below: Signal<Local, Bits<5>>,
        turned: Signal<Local, Bits<8>>,
    }
    constants {
        kind_last: 4 = 4,
        kind_resume: 4 = 5,
        kind_value: 4 = 7,
        in_context: 2 = 0,
        raw: 2 = 1,
        direct: 2 = 2,
        closing: 2 = 3,
        base_kind: 10 = 928,
        base_hurry: 10 = 930,
        base_type: 10 = 936,
        base_length: 10 = 944,
        base_length_half: 10 = 948,
        base_dictionary: 10 = 512,
        base_near: 10 = 896,
        base_flags: 10 = 768,
        base_ones: 10 = 960,
        base_top: 10 = 992,
        second_half: 10 = 16,
        no_context: 10 = 0,
        last_values: 9 = 256,
        no_word: 32 = 0,
        one_word: 32 = 4,
        around: 32 = 128,
        no_bit: 1 = 0,
        one_bit: 1 = 1,
        form_zero: 2 = 0,
        form_same: 2 = 1,
        form_listed: 2 = 2,
        form_near: 2 = 3,
        one_form: 2 = 1,
        hit_certain: 2 = 0,
        hit_listed: 2 = 1,
        hit_near: 2 = 2,
        hit_none: 2 = 3,
        no_check: 8 = 0,
        root: 8 = 1,
        one: 4 = 1,
        two: 4 = 2,
        three: 4 = 3,
        half: 4 = 5,
        whole: 4 = 8,
        index_bits: 4 = I,
        index_shift: 4 = 8 - I,
        place_0: 2 = 0,
        place_1: 2 = 1,
        place_2: 2 = 2,
        place_3: 2 = 3,
        one_place: 2 = 1,
        sets_lowest: 4 = 4,
        sets_second: 4 = 8,
        sets_third: 4 = 12,
        no_level: 5 = 0,
        one_level: 5 = 1,
        one_number: 25 = 1,
        one_entry: 9 = 1,
        one_epoch: 4 = 1,
        above_ones: 4 = 1,
        above_other: 4 = 2,
        hurries: 1 = A,
    }
    check {
        assert!((1..=8).contains(&I) && (1..=8).contains(&V), "all of it fits 512 entries");
        assert!(A <= 1, "values may be hurried, or not");
    }
}

impl<const I: usize, const V: usize, const A: usize> Logic for ItemCoder<I, V, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            epoch_ff,
            sweeping_ff,
            sweep_ff,
            part_ff,
            tree_ff,
            fresh_ff,
            guess_ff,
            resume_ff,
            escaped_ff,
            hurried_ff,
            hurry_ff,
            hit_ff,
            check_ff,
            form_ff,
            symbol_ff,
            left_ff,
            node_ff,
            base_ff,
            halves_ff,
            place_ff,
            set_ff,
            level_ff,
            shift_ff
        );
        self.seen.clock.next = self.clock.val();

        // What the event is.
        self.boundary.next = self.event_kind.val().get_bit(3);
        self.ends.next = self.event_kind.val() == self.kind_last.val();
        self.resumes.next = self.event_kind.val() == self.kind_resume.val();
        self.silent.next = self.event_kind.val() == self.kind_value.val();
        self.escape.next = !self.event_kind.val().get_bit(2) | self.ends.val();
        self.sort.next = self.event_extra.val().get_bits::<3>(0);
        self.size.next = self.event_extra.val().get_bits::<2>(3);
        self.by_resume.next = self.event_extra.val().get_bit(5);
        self.slot.next =
            bit_cast::<9, V>(self.event_extra.val().get_bits::<V>(6)) | self.last_values.val();
        self.number.next = bit_cast::<25, 24>(self.event_extra.val()) + self.one_number.val();

        // The value, and what was seen before.
        self.byte_0.next = self.event_value.val().get_bits::<8>(0);
        self.byte_1.next = self.event_value.val().get_bits::<8>(8);
        self.byte_2.next = self.event_value.val().get_bits::<8>(16);
        self.byte_3.next = self.event_value.val().get_bits::<8>(24);
        self.folded.next =
            self.byte_0.val() ^ self.byte_1.val() ^ self.byte_2.val() ^ self.byte_3.val();
        self.fold.next = self.folded.val().get_bits::<I>(0);
        self.listed_at.next = bit_cast::<9, I>(self.fold.val());
        self.marked.next = self.seen.read_mark.val() == self.epoch_ff.q.val();
        if self.fresh_ff.q.val() {
            self.guess_ff.d.next = self.no_word.val();
            if self.by_resume.val() {
                self.guess_ff.d.next = self.resume_ff.q.val();
            } else if self.marked.val() {
                self.guess_ff.d.next = self.seen.read_data.val();
            }
        }
        self.moved.next = self.event_value.val() - self.guess_ff.q.val();
        self.offset.next = self.moved.val() + self.around.val();
        self.is_zero.next = !self.event_value.val().any();
        self.is_same.next = !self.moved.val().any();
        // Without the mark an entry is 0, and the value is none of those here.
        self.is_listed.next =
            self.marked.val() & (self.seen.read_data.val() == self.event_value.val());
        self.is_near.next = !self.offset.val().get_bits::<24>(8).any();
        self.applies.next = self.is_near.val();
        if self.form_ff.q.val() == self.form_zero.val() {
            self.applies.next = self.is_zero.val();
        } else if self.form_ff.q.val() == self.form_same.val() {
            self.applies.next = self.is_same.val();
        } else if self.form_ff.q.val() == self.form_listed.val() {
            self.applies.next = self.is_listed.val();
        }
        self.length.next = self.place_0.val();
        if self.byte_3.val().any() {
            self.length.next = self.place_3.val();
        } else if self.byte_2.val().any() {
            self.length.next = self.place_2.val();
        } else if self.byte_1.val().any() {
            self.length.next = self.place_1.val();
        }
        self.chosen.next = self.byte_0.val();
        if self.place_ff.q.val() == self.place_1.val() {
            self.chosen.next = self.byte_1.val();
        } else if self.place_ff.q.val() == self.place_2.val() {
            self.chosen.next = self.byte_2.val();
        } else if self.place_ff.q.val() == self.place_3.val() {
            self.chosen.next = self.byte_3.val();
        }
        self.below.next = self.level_ff.q.val() - self.one_level.val();
        // The contexts of the next byte depend on its place and on this one.
        self.next_set.next = self.sets_lowest.val();
        if self.place_ff.q.val() == self.place_2.val() {
            self.next_set.next = self.sets_second.val();
        } else if self.place_ff.q.val() == self.place_3.val() {
            self.next_set.next = self.sets_third.val();
        }
        if self.chosen.val().all() {
            self.next_set.next = self.next_set.val() | self.above_ones.val();
        } else if self.chosen.val().any() {
            self.next_set.next = self.next_set.val() | self.above_other.val();
        }

        // The bin.
        self.bin_valid.next = false;
        self.bin_kind.next = self.in_context.val();
        self.bin_context.next = self.no_context.val();
        self.bin_one.next = false;
        self.bin_byte.next = self.chosen.val();
        match self.part_ff.q.val() {
            Part::Kind => {
                self.bin_valid.next = self.event_valid.val()
                    & !self.boundary.val()
                    & !self.resumes.val()
                    & !self.silent.val()
                    & !self.sweeping_ff.q.val();
                self.bin_context.next =
                    self.base_kind.val() | bit_cast::<10, 1>(self.escaped_ff.q.val());
                self.bin_one.next = self.escape.val();
            }
            Part::Hurry => {
                self.bin_valid.next = self.hurries.val().any();
                self.bin_context.next =
                    self.base_hurry.val() | bit_cast::<10, 1>(self.hurried_ff.q.val());
                self.bin_one.next = self.hurry_ff.q.val().any();
            }
            Part::Form => {
                self.bin_valid.next = true;
                self.bin_context.next = self.base_flags.val()
                    | (bit_cast::<10, 3>(self.sort.val()) << 4)
                    | (bit_cast::<10, 2>(self.hit_ff.q.val()) << 2)
                    | bit_cast::<10, 2>(self.form_ff.q.val());
                self.bin_one.next = self.applies.val();
            }
            Part::Tree => {
                self.bin_valid.next = true;
                self.bin_context.next =
                    self.base_ff.q.val() | bit_cast::<10, 8>(self.node_ff.q.val());
                self.bin_one.next = self.symbol_ff.q.val().get_bit(7);
            }
            Part::Direct => {
                self.bin_valid.next = true;
                self.bin_kind.next = self.direct.val();
            }
            Part::Ones => {
                self.bin_valid.next = true;
                self.bin_context.next =
                    self.base_ones.val() | bit_cast::<10, 5>(self.level_ff.q.val());
                self.bin_one.next = self.shift_ff.q.val().get_bits::<24>(1).any();
            }
            Part::Top => {
                self.bin_valid.next = true;
                self.bin_context.next =
                    self.base_top.val() | bit_cast::<10, 5>(self.level_ff.q.val());
                self.bin_one.next = self.number.val().get_bit(self.below.val().index());
            }
            Part::Rest => {
                self.bin_valid.next = true;
                self.bin_kind.next = self.raw.val();
                self.bin_one.next = self.number.val().get_bit(self.below.val().index());
            }
            Part::Check => {
                self.bin_valid.next = true;
                self.bin_kind.next = self.raw.val();
                self.bin_one.next = self.symbol_ff.q.val().get_bit(7);
            }
            Part::End => {
                self.bin_valid.next = true;
                self.bin_kind.next = self.closing.val();
            }
            _ => {
                self.bin_valid.next = false;
            }
        }
        self.takes.next = self.bin_valid.val() & self.bin_ready.val();
        self.decided.next = (self.part_ff.q.val() == Part::Hurry) & self.takes.val();
        self.passes.next =
            (self.part_ff.q.val() == Part::Hurry) & (self.takes.val() | !self.hurries.val().any());
        self.hurried.next = self.hurry_ff.q.val().any();

        // From part to part.
        self.fresh_ff.d.next = false;
        self.done.next = false;
        self.escape_done.next = false;
        self.tree_done.next = self.left_ff.q.val() == self.one.val();
        match self.part_ff.q.val() {
            Part::Kind => {
                self.symbol_ff.d.next =
                    bit_cast::<8, 3>(self.event_kind.val().get_bits::<3>(0)) << 5;
                self.left_ff.d.next = self.three.val();
                self.node_ff.d.next = self.root.val();
                self.base_ff.d.next = self.base_type.val();
                self.halves_ff.d.next = false;
                self.tree_ff.d.next = Tree::Type;
                self.hurry_ff.d.next = self.no_bit.val();
                if self.hurry.val() & self.hurries.val().any() {
                    self.hurry_ff.d.next = self.one_bit.val();
                }
                if self.takes.val() {
                    self.escaped_ff.d.next = self.no_bit.val();
                    if self.escape.val() {
                        self.escaped_ff.d.next = self.one_bit.val();
                        self.part_ff.d.next = Part::Tree;
                    } else {
                        self.fresh_ff.d.next = true;
                        self.part_ff.d.next = Part::Hurry;
                    }
                } else if self.event_valid.val() & self.silent.val() {
                    self.fresh_ff.d.next = true;
                    self.part_ff.d.next = Part::Hurry;
                }
            }
            Part::Hurry => {
                self.form_ff.d.next = self.form_zero.val();
                self.place_ff.d.next = self.place_0.val();
                if self.passes.val() {
                    self.hurried_ff.d.next = self.hurry_ff.q.val();
                    self.part_ff.d.next = Part::Form;
                    if self.hurry_ff.q.val().any() {
                        self.part_ff.d.next = Part::Direct;
                    }
                }
            }
            Part::Form => {
                if self.takes.val() {
                    self.form_ff.d.next = self.form_ff.q.val() + self.one_form.val();
                    self.node_ff.d.next = self.root.val();
                    self.tree_ff.d.next = Tree::Value;
                    if self.applies.val() {
                        if self.form_ff.q.val() == self.form_listed.val() {
                            self.hit_ff.d.next = self.hit_listed.val();
                            self.symbol_ff.d.next =
                                bit_cast::<8, I>(self.fold.val()) << self.index_shift.val();
                            self.left_ff.d.next = self.index_bits.val();
                            self.base_ff.d.next = self.base_dictionary.val();
                            self.halves_ff.d.next = false;
                            self.part_ff.d.next = Part::Tree;
                        } else if self.form_ff.q.val() == self.form_near.val() {
                            self.hit_ff.d.next = self.hit_near.val();
                            self.symbol_ff.d.next = self.offset.val().get_bits::<8>(0);
                            self.left_ff.d.next = self.whole.val();
                            self.base_ff.d.next = self.base_near.val();
                            self.halves_ff.d.next = true;
                            self.part_ff.d.next = Part::Tree;
                        } else {
                            self.hit_ff.d.next = self.hit_certain.val();
                            self.done.next = true;
                        }
                    } else if self.form_ff.q.val() == self.form_near.val() {
                        self.hit_ff.d.next = self.hit_none.val();
                        self.place_ff.d.next = self.length.val();
                        self.set_ff.d.next = bit_cast::<4, 2>(self.length.val());
                        self.halves_ff.d.next = false;
                        self.tree_ff.d.next = Tree::Length;
                        self.part_ff.d.next = Part::Tree;
                        self.symbol_ff.d.next = bit_cast::<8, 2>(self.length.val()) << 6;
                        self.left_ff.d.next = self.two.val();
                        self.base_ff.d.next = self.base_length.val();
                        if !self.size.val().get_bit(1) {
                            self.symbol_ff.d.next = bit_cast::<8, 2>(self.length.val()) << 7;
                            self.left_ff.d.next = self.one.val();
                            self.base_ff.d.next = self.base_length_half.val();
                            if !self.size.val().get_bit(0) {
                                self.part_ff.d.next = Part::Byte;
                            }
                        }
                    }
                }
            }
            Part::Tree => {
                if self.takes.val() {
                    self.symbol_ff.d.next = self.symbol_ff.q.val() << 1;
                    self.left_ff.d.next = self.left_ff.q.val() - self.one.val();
                    self.node_ff.d.next = self.node_ff.q.val() << 1;
                    if self.symbol_ff.q.val().get_bit(7) {
                        self.node_ff.d.next = (self.node_ff.q.val() << 1) | self.root.val();
                    }
                    if self.halves_ff.q.val() & (self.left_ff.q.val() == self.half.val()) {
                        self.node_ff.d.next = self.root.val();
                        self.base_ff.d.next = self.base_ff.q.val() | self.second_half.val();
                    }
                    if self.tree_done.val() {
                        match self.tree_ff.q.val() {
                            Tree::Value => {
                                self.done.next = true;
                            }
                            Tree::Length => {
                                self.part_ff.d.next = Part::Byte;
                            }
                            Tree::Byte => {
                                self.part_ff.d.next = Part::Byte;
                                self.place_ff.d.next = self.place_ff.q.val() - self.one_place.val();
                                if !self.place_ff.q.val().any() {
                                    self.done.next = true;
                                }
                            }
                            Tree::Type => {
                                self.part_ff.d.next = Part::Ones;
                                self.level_ff.d.next = self.no_level.val();
                                self.shift_ff.d.next = self.number.val();
                                if self.ends.val() {
                                    self.part_ff.d.next = Part::Check;
                                    self.symbol_ff.d.next = self.check_ff.q.val();
                                    self.left_ff.d.next = self.whole.val();
                                }
                            }
                            _ => {
                                self.part_ff.d.next = Part::Kind;
                            }
                        }
                    }
                }
            }
            Part::Byte => {
                self.symbol_ff.d.next = self.chosen.val();
                self.left_ff.d.next = self.whole.val();
                self.node_ff.d.next = self.root.val();
                self.base_ff.d.next = bit_cast::<10, 4>(self.set_ff.q.val()) << 5;
                self.halves_ff.d.next = true;
                self.tree_ff.d.next = Tree::Byte;
                self.part_ff.d.next = Part::Tree;
                self.set_ff.d.next = self.next_set.val();
            }
            Part::Direct => {
                if self.takes.val() {
                    self.hit_ff.d.next = self.hit_none.val();
                    self.place_ff.d.next = self.place_ff.q.val() + self.one_place.val();
                    self.done.next = self.place_ff.q.val() == self.size.val();
                }
            }
            Part::Ones => {
                if self.takes.val() {
                    if self.bin_one.val() {
                        self.level_ff.d.next = self.level_ff.q.val() + self.one_level.val();
                        self.shift_ff.d.next = self.shift_ff.q.val() >> 1;
                    } else if self.level_ff.q.val().any() {
                        self.part_ff.d.next = Part::Top;
                    } else {
                        self.escape_done.next = true;
                    }
                }
            }
            Part::Top => {
                if self.takes.val() {
                    self.level_ff.d.next = self.below.val();
                    self.part_ff.d.next = Part::Rest;
                    self.escape_done.next = !self.below.val().any();
                }
            }
            Part::Rest => {
                if self.takes.val() {
                    self.level_ff.d.next = self.below.val();
                    self.escape_done.next = !self.below.val().any();
                }
            }
            Part::Check => {
                if self.takes.val() {
                    self.symbol_ff.d.next = self.symbol_ff.q.val() << 1;
                    self.left_ff.d.next = self.left_ff.q.val() - self.one.val();
                    if self.tree_done.val() {
                        self.part_ff.d.next = Part::End;
                    }
                }
            }
            Part::End => {
                self.check_ff.d.next = self.no_check.val();
                if self.takes.val() {
                    self.part_ff.d.next = Part::Closed;
                }
            }
            Part::Closed => {
                if !self.event_valid.val() | !self.ends.val() {
                    self.part_ff.d.next = Part::Kind;
                }
            }
            _ => {
                self.part_ff.d.next = Part::Kind;
            }
        }
        self.closed.next = self.part_ff.q.val() == Part::Closed;

        // An event is done.
        self.turned.next = self.check_ff.q.val() << 1;
        if self.check_ff.q.val().get_bit(7) {
            self.turned.next = (self.check_ff.q.val() << 1) | self.root.val();
        }
        if self.done.val() {
            self.check_ff.d.next = self.turned.val() ^ self.folded.val();
        }
        if self.done.val() | self.escape_done.val() {
            self.part_ff.d.next = Part::Kind;
        }
        self.event_pop.next = self.done.val()
            | self.escape_done.val()
            | (self.event_valid.val() & self.resumes.val() & (self.part_ff.q.val() == Part::Kind));
        self.ahead.next = self.no_word.val();
        if self.event_kind.val().get_bit(0) {
            self.ahead.next = self.one_word.val();
        }
        if self.event_pop.val()
            & !(self.event_kind.val().get_bit(2) & self.event_kind.val().get_bit(1))
        {
            // REDIRECT says where execution goes on, TRAP and `wfi` what stands before it.
            if self.resumes.val() | !self.event_kind.val().get_bit(1) {
                self.resume_ff.d.next = self.event_value.val() + self.ahead.val();
            }
        }

        // Memory.
        self.seen.read_address.next = self.listed_at.val();
        if self.part_ff.q.val() == Part::Kind {
            self.seen.read_address.next = self.slot.val();
        }
        self.seen.write_enable.next = (self.passes.val() & !self.by_resume.val())
            | (self.done.val() & !self.is_zero.val())
            | self.sweeping_ff.q.val()
            | self.wipe.val();
        self.seen.write_address.next = self.slot.val();
        self.seen.write_data.next = self.event_value.val();
        self.seen.write_mark.next = self.epoch_ff.q.val();
        if self.done.val() {
            self.seen.write_address.next = self.listed_at.val();
        }
        self.next_epoch.next = self.epoch_ff.q.val() + self.one_epoch.val();
        if self.sweeping_ff.q.val() | self.wipe.val() {
            self.seen.write_address.next = self.sweep_ff.q.val();
            self.seen.write_data.next = self.no_word.val();
            self.sweep_ff.d.next = self.sweep_ff.q.val() + self.one_entry.val();
            if self.sweep_ff.q.val().get_bits::<5>(0).all() {
                self.sweeping_ff.d.next = false;
            }
        }
        if self.forget.val() {
            self.epoch_ff.d.next = self.next_epoch.val();
            self.sweeping_ff.d.next = true;
            self.sweep_ff.d.next = bit_cast::<9, 4>(self.next_epoch.val()) << 5;
        }
        if self.forget.val() | self.wipe.val() {
            self.resume_ff.d.next = self.no_word.val();
            self.escaped_ff.d.next = self.no_bit.val();
            self.hurried_ff.d.next = self.no_bit.val();
            self.hit_ff.d.next = self.hit_certain.val();
        }
        if self.wipe.val() {
            self.sweeping_ff.d.next = false;
            self.check_ff.d.next = self.no_check.val();
            self.part_ff.d.next = Part::Kind;
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
            ItemCoder::<8, 6, 1>::default(),
            "lookback_compact_item_coder",
        );
        check_block(
            ItemCoder::<8, 6, 0>::default(),
            "lookback_compact_item_coder_plain",
        );
    }
}
