//! The arithmetic coder: bins to bytes, section 10.6 of the log format. Twin of
//! `lookback_model::compact::bins`.
//!
//! ```text
//!  bin ─► context from block RAM ─► learn ─► narrow the range ─► held byte, 0xff … ─► byte
//!         cycle 0                   cycle 1  cycle 2             cycle 3
//! ```
//! One bin a cycle, and one direct byte; only bytes that are sent behind each other (a carry or its
//! absence settles a run of 0xff) and a sink that is not ready make it wait. A context that comes
//! again at once is taken from the register of what was just learnt.
//!
//! Contexts are marked with an epoch number of three bits, so that a key interval forgets all of them
//! at once; one with another mark is as new. The eighth of them whose number begins with the new
//! epoch number is written anew behind what goes on (128 cycles in which nothing is learnt), so that
//! no mark comes round again; bins for that eighth wait for it.

use crate::memory::BlockRam;
use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Kinds of bin: 0 in a context, 1 raw, 2 direct byte, 3 end of the interval.
    pub struct RangeCoder [C] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// a recording begins: forget everything; for at least 1024 cycles
        pub wipe: Signal<In, Bit>,
        /// a key interval begins: forget what was learnt; only while `idle`
        pub forget: Signal<In, Bit>,
        /// there is a bin
        pub bin_valid: Signal<In, Bit>,
        /// its kind
        pub bin_kind: Signal<In, Bits<2>>,
        /// its context
        pub bin_context: Signal<In, Bits<10>>,
        /// its value
        pub bin_one: Signal<In, Bit>,
        /// the direct byte
        pub bin_byte: Signal<In, Bits<8>>,
        /// it is taken
        pub bin_ready: Signal<Out, Bit>,
        /// a byte of the entries
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it is taken
        pub byte_ready: Signal<In, Bit>,
        /// nothing is under way
        pub idle: Signal<Out, Bit>,
        contexts: BlockRam<18, 10>,
        epoch_ff: DFF<Bits<3>>,
        sweeping_ff: DFF<Bit>,
        sweep_ff: DFF<Bits<10>>,
        /// first stage: the bin whose context was read
        valid_ff: DFF<Bit>,
        kind_ff: DFF<Bits<2>>,
        context_ff: DFF<Bits<10>>,
        one_ff: DFF<Bit>,
        byte_ff: DFF<Bits<8>>,
        /// its context is the one that was learnt last
        again_ff: DFF<Bit>,
        learnt_ff: DFF<Bits<15>>,
        /// second stage
        due_ff: DFF<Bit>,
        due_kind_ff: DFF<Bits<2>>,
        due_one_ff: DFF<Bit>,
        factor_ff: DFF<Bits<8>>,
        low_ff: DFF<Bits<25>>,
        range_ff: DFF<Bits<24>>,
        /// what is held back
        holds_ff: DFF<Bit>,
        held_ff: DFF<Bits<8>>,
        count_ff: DFF<Bits<C>>,
        carry_ff: DFF<Bit>,
        spilling_ff: DFF<Bit>,
        closing_ff: DFF<Bit>,
        sends_ff: DFF<Bit>,
        sent_ff: DFF<Bits<8>>,
        free: Signal<Local, Bit>,
        steps: Signal<Local, Bit>,
        direct: Signal<Local, Bit>,
        ends: Signal<Local, Bit>,
        units: Signal<Local, Bits<12>>,
        product: Signal<Local, Bits<32>>,
        bound: Signal<Local, Bits<24>>,
        addend: Signal<Local, Bits<25>>,
        sum: Signal<Local, Bits<25>>,
        narrowed: Signal<Local, Bits<24>>,
        shrunk: Signal<Local, Bit>,
        puts: Signal<Local, Bit>,
        settles: Signal<Local, Bit>,
        closes: Signal<Local, Bit>,
        counted: Signal<Local, Bits<C>>,
        moves: Signal<Local, Bit>,
        stays: Signal<Local, Bit>,
        takes: Signal<Local, Bit>,
        entry: Signal<Local, Bits<18>>,
        state: Signal<Local, Bits<15>>,
        chance: Signal<Local, Bits<12>>,
        uses: Signal<Local, Bits<3>>,
        other: Signal<Local, Bits<12>>,
        slowness: Signal<Local, Bits<3>>,
        nearer: Signal<Local, Bits<12>>,
        learnt: Signal<Local, Bits<15>>,
        learns: Signal<Local, Bit>,
        sweeps: Signal<Local, Bit>,
        next_epoch: Signal<Local, Bits<3>>,
        place: Signal<Local, Bits<10>>,
        written: Signal<Local, Bits<15>>,
    }
    constants {
        nothing: 25 = 0,
        rest: 25 = 0xffff,
        whole: 24 = 0xff_ffff,
        all_ones: 8 = 0xff,
        no_byte: 8 = 0,
        one_byte: 8 = 1,
        none: C = 0,
        one: C = 1,
        less: C = (1u64 << C) - 1,
        even: 8 = 128,
        fresh: 15 = 2048,
        fresh_kind: 15 = 256 | 2 << 12,
        fresh_hurry: 15 = 64 | 7 << 12,
        kind_or_hurry: 8 = 928 / 4,
        ones: 12 = 0xfff,
        half: 3 = 1,
        quarter: 3 = 2,
        eighth: 3 = 3,
        sixteenth: 3 = 4,
        least: 3 = 5,
        use_once: 3 = 1,
        use_thrice: 3 = 3,
        use_five: 3 = 5,
        one_epoch: 3 = 1,
        one_context: 10 = 1,
    }
}

impl<const C: usize> Logic for RangeCoder<C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            epoch_ff,
            sweeping_ff,
            sweep_ff,
            valid_ff,
            kind_ff,
            context_ff,
            one_ff,
            byte_ff,
            again_ff,
            learnt_ff,
            due_ff,
            due_kind_ff,
            due_one_ff,
            factor_ff,
            low_ff,
            range_ff,
            holds_ff,
            held_ff,
            count_ff,
            carry_ff,
            spilling_ff,
            closing_ff,
            sends_ff,
            sent_ff
        );
        self.contexts.clock.next = self.clock.val();
        self.byte_valid.next = self.sends_ff.q.val();
        self.byte_data.next = self.sent_ff.q.val();
        self.idle.next = !self.valid_ff.q.val()
            & !self.due_ff.q.val()
            & !self.spilling_ff.q.val()
            & !self.closing_ff.q.val()
            & !self.sends_ff.q.val()
            & !self.sweeping_ff.q.val();

        // Second stage: the part of the range that the bin takes. A direct byte is a factor like a
        // probability.
        self.free.next = !self.sends_ff.q.val() | self.byte_ready.val();
        self.steps.next = self.due_ff.q.val()
            & self.free.val()
            & !self.spilling_ff.q.val()
            & !self.closing_ff.q.val();
        self.direct.next =
            self.due_kind_ff.q.val().get_bit(1) & !self.due_kind_ff.q.val().get_bit(0);
        self.ends.next = self.due_kind_ff.q.val().all();
        self.units.next = self.range_ff.q.val().get_bits::<12>(12);
        self.product.next =
            bit_cast::<16, 12>(self.units.val()) * bit_cast::<16, 8>(self.factor_ff.q.val());
        self.bound.next = self.product.val().get_bits::<24>(0) << 4;
        self.narrowed.next = self.range_ff.q.val() - self.bound.val();
        self.addend.next = bit_cast::<25, 24>(self.bound.val());
        if self.direct.val() {
            self.narrowed.next = bit_cast::<24, 12>(self.units.val()) << 4;
        } else if self.ends.val() {
            self.addend.next = self.rest.val();
        } else if self.due_one_ff.q.val() {
            self.narrowed.next = self.bound.val();
            self.addend.next = self.nothing.val();
        }
        self.sum.next = self.low_ff.q.val() + self.addend.val();
        self.shrunk.next = !self.narrowed.val().get_bits::<8>(16).any();
        self.puts.next = self.steps.val() & (self.shrunk.val() | self.ends.val());
        self.settles.next = self.sum.val().get_bit(24) | !self.sum.val().get_bits::<8>(16).all();
        if self.steps.val() {
            self.low_ff.d.next = self.sum.val();
            self.range_ff.d.next = self.narrowed.val();
            if self.puts.val() {
                self.low_ff.d.next = bit_cast::<25, 16>(self.sum.val().get_bits::<16>(0)) << 8;
                self.range_ff.d.next = self.narrowed.val() << 8;
            }
        }

        // Third stage: the byte held back waits for a carry, and so does every 0xff behind it.
        self.closes.next = self.closing_ff.q.val() & !self.spilling_ff.q.val() & self.free.val();
        self.counted.next = self.one.val();
        if self.spilling_ff.q.val() {
            self.counted.next = self.less.val();
        }
        self.counted.next = self.count_ff.q.val() + self.counted.val();
        if self.byte_ready.val() {
            self.sends_ff.d.next = false;
        }
        if self.puts.val() {
            if self.settles.val() {
                self.sends_ff.d.next = self.holds_ff.q.val();
                self.sent_ff.d.next = self.held_ff.q.val();
                if self.sum.val().get_bit(24) {
                    self.sent_ff.d.next = self.held_ff.q.val() + self.one_byte.val();
                }
                self.holds_ff.d.next = true;
                self.held_ff.d.next = self.sum.val().get_bits::<8>(16);
                self.carry_ff.d.next = self.sum.val().get_bit(24);
                self.spilling_ff.d.next = self.count_ff.q.val().any();
            } else {
                self.count_ff.d.next = self.counted.val();
            }
            self.closing_ff.d.next = self.ends.val();
        }
        if self.spilling_ff.q.val() & self.free.val() {
            self.sends_ff.d.next = true;
            self.sent_ff.d.next = self.all_ones.val();
            if self.carry_ff.q.val() {
                self.sent_ff.d.next = self.no_byte.val();
            }
            self.count_ff.d.next = self.counted.val();
            self.spilling_ff.d.next = self.counted.val().any();
        }
        if self.closes.val() {
            self.sends_ff.d.next = self.holds_ff.q.val();
            self.sent_ff.d.next = self.held_ff.q.val();
            self.holds_ff.d.next = false;
            self.carry_ff.d.next = false;
            self.spilling_ff.d.next = self.count_ff.q.val().any();
            self.closing_ff.d.next = false;
            self.low_ff.d.next = self.nothing.val();
            self.range_ff.d.next = self.whole.val();
        }

        // First stage: what is known of the context, and what is learnt. `other` is how far the
        // probability is from the bin.
        self.moves.next = !self.due_ff.q.val() | self.steps.val();
        self.stays.next = self.valid_ff.q.val() & !self.moves.val();
        self.entry.next = self.contexts.read_data.val();
        self.state.next = self.fresh.val();
        if self.context_ff.q.val().get_bits::<8>(2) == self.kind_or_hurry.val() {
            self.state.next = self.fresh_kind.val();
            if self.context_ff.q.val().get_bit(1) {
                self.state.next = self.fresh_hurry.val();
            }
        }
        if self.entry.val().get_bits::<3>(15) == self.epoch_ff.q.val() {
            self.state.next = self.entry.val().get_bits::<15>(0);
        }
        if self.again_ff.q.val() {
            self.state.next = self.learnt_ff.q.val();
        }
        self.chance.next = self.state.val().get_bits::<12>(0);
        self.uses.next = self.state.val().get_bits::<3>(12);
        self.other.next = self.chance.val();
        if self.one_ff.q.val() {
            self.other.next = self.chance.val() ^ self.ones.val();
        }
        self.slowness.next = self.least.val();
        if !self.uses.val().any() {
            self.slowness.next = self.half.val();
        } else if self.uses.val() < self.use_thrice.val() {
            self.slowness.next = self.quarter.val();
        } else if self.uses.val() < self.use_five.val() {
            self.slowness.next = self.eighth.val();
        } else if !self.uses.val().all() {
            self.slowness.next = self.sixteenth.val();
        }
        self.nearer.next = self.other.val() - (self.other.val() >> self.slowness.val());
        if self.one_ff.q.val() {
            self.nearer.next = self.nearer.val() ^ self.ones.val();
        }
        if !self.uses.val().all() {
            self.uses.next = self.uses.val() + self.use_once.val();
        }
        self.learnt.next =
            bit_cast::<15, 12>(self.nearer.val()) | (bit_cast::<15, 3>(self.uses.val()) << 12);
        self.learns.next = self.valid_ff.q.val() & self.moves.val() & !self.kind_ff.q.val().any();
        if self.learns.val() {
            self.learnt_ff.d.next = self.learnt.val();
        }
        if self.moves.val() {
            self.due_ff.d.next = self.valid_ff.q.val();
            self.due_kind_ff.d.next = self.kind_ff.q.val();
            self.due_one_ff.d.next = self.one_ff.q.val();
            self.factor_ff.d.next = self.chance.val().get_bits::<8>(4);
            if self.kind_ff.q.val().get_bit(0) {
                self.factor_ff.d.next = self.even.val();
            } else if self.kind_ff.q.val().get_bit(1) {
                self.factor_ff.d.next = self.byte_ff.q.val();
            }
            self.valid_ff.d.next = false;
        }

        // A bin comes in, unless its context is about to be written anew.
        self.bin_ready.next = !self.stays.val()
            & !(self.sweeping_ff.q.val()
                & (self.bin_context.val().get_bits::<3>(7) == self.epoch_ff.q.val()));
        self.takes.next = self.bin_valid.val() & self.bin_ready.val();
        self.contexts.read_address.next = self.bin_context.val();
        if self.stays.val() {
            self.contexts.read_address.next = self.context_ff.q.val();
        }
        if self.takes.val() {
            self.valid_ff.d.next = true;
            self.kind_ff.d.next = self.bin_kind.val();
            self.context_ff.d.next = self.bin_context.val();
            self.one_ff.d.next = self.bin_one.val();
            self.byte_ff.d.next = self.bin_byte.val();
            self.again_ff.d.next =
                self.learns.val() & (self.bin_context.val() == self.context_ff.q.val());
        }

        // Contexts are written when something is learnt; the sweep takes the other cycles.
        self.sweeps.next = self.wipe.val() | (self.sweeping_ff.q.val() & !self.learns.val());
        self.place.next = self.context_ff.q.val();
        self.written.next = self.learnt.val();
        if self.sweeps.val() {
            self.place.next = self.sweep_ff.q.val();
            self.written.next = self.fresh.val();
            if self.sweep_ff.q.val().get_bits::<8>(2) == self.kind_or_hurry.val() {
                self.written.next = self.fresh_kind.val();
                if self.sweep_ff.q.val().get_bit(1) {
                    self.written.next = self.fresh_hurry.val();
                }
            }
            self.sweep_ff.d.next = self.sweep_ff.q.val() + self.one_context.val();
            if self.sweep_ff.q.val().get_bits::<7>(0).all() {
                self.sweeping_ff.d.next = false;
            }
        }
        self.contexts.write_enable.next = self.learns.val() | self.sweeps.val();
        self.contexts.write_address.next = self.place.val();
        self.contexts.write_data.next = bit_cast::<18, 15>(self.written.val())
            | (bit_cast::<18, 3>(self.epoch_ff.q.val()) << 15);
        self.next_epoch.next = self.epoch_ff.q.val() + self.one_epoch.val();
        if self.forget.val() {
            self.epoch_ff.d.next = self.next_epoch.val();
            self.sweeping_ff.d.next = true;
            self.sweep_ff.d.next = bit_cast::<10, 3>(self.next_epoch.val()) << 7;
        }
        if self.wipe.val() {
            self.sweeping_ff.d.next = false;
            self.valid_ff.d.next = false;
            self.due_ff.d.next = false;
            self.holds_ff.d.next = false;
            self.count_ff.d.next = self.none.val();
            self.spilling_ff.d.next = false;
            self.closing_ff.d.next = false;
            self.sends_ff.d.next = false;
            self.low_ff.d.next = self.nothing.val();
            self.range_ff.d.next = self.whole.val();
        }
    }
}
