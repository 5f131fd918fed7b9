//! The recorder's registers on a Wishbone bus (B4, classic cycles, 32 bits), for boards that control
//! their recorder themselves.
//!
//! ```text
//!  wb_* ─► read:  the register, acknowledged in the next cycle
//!      └─► write: taken, then `poke`d when the drain is `quiet`
//!                 CONTROL with bit 0: CONTROL without it ─► `ask` for all registers ─► CONTROL
//! ```
//! A byte address is four times the register's number. Registers take whole words: a write that does
//! not select all four bytes changes nothing. A write is acknowledged when it is taken; the next one
//! waits until it was carried out, for which what was sent before must leave the recorder.
//! A recording that is started here is preceded by its configuration, so that whoever catches the
//! stream needs nothing else.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Bus side of the registers.
    pub struct Wishbone [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// a cycle is under way
        pub wb_cyc: Signal<In, Bit>,
        /// a transfer is wanted
        pub wb_stb: Signal<In, Bit>,
        /// it is a write
        pub wb_we: Signal<In, Bit>,
        /// byte address
        pub wb_adr: Signal<In, Bits<10>>,
        /// bytes of the word
        pub wb_sel: Signal<In, Bits<4>>,
        /// word to write
        pub wb_dat_i: Signal<In, Bits<32>>,
        /// done
        pub wb_ack: Signal<Out, Bit>,
        /// word read
        pub wb_dat_o: Signal<Out, Bits<32>>,
        /// the drain takes a poke or an ask
        pub quiet: Signal<In, Bit>,
        /// set a register
        pub poke: Signal<Out, Bit>,
        /// send a register to the host
        pub ask: Signal<Out, Bit>,
        /// which
        pub bus_register: Signal<Out, Bits<8>>,
        /// to what
        pub bus_value: Signal<Out, Bits<32>>,
        /// VERSION
        pub version: Signal<In, Bits<32>>,
        /// TAGS
        pub tag_sizes: Signal<In, Bits<32>>,
        /// SIZES
        pub sizes: Signal<In, Bits<32>>,
        /// CLOCK
        pub clock_hz: Signal<In, Bits<32>>,
        /// MEM_BASE
        pub mem_base: Signal<In, Bits<32>>,
        /// MEM_MASK
        pub mem_mask: Signal<In, Bits<32>>,
        /// CONTROL
        pub control_word: Signal<In, Bits<6>>,
        /// INTERVAL
        pub interval: Signal<In, Bits<32>>,
        /// COUNT_BITS
        pub count_bits: Signal<In, Bits<5>>,
        /// IMAGE_LO
        pub image_lo: Signal<In, Bits<32>>,
        /// IMAGE_HI
        pub image_hi: Signal<In, Bits<32>>,
        /// POST_TRIGGER
        pub post_trigger: Signal<In, Bits<32>>,
        /// TRIGGER
        pub watch: Signal<In, Bits<6>>,
        /// TRIGGER_LO
        pub watch_lo: Signal<In, Bits<32>>,
        /// TRIGGER_HI
        pub watch_hi: Signal<In, Bits<32>>,
        /// STATUS
        pub status: Signal<In, Bits<11>>,
        /// RETIRED, low
        pub retired_lo: Signal<In, Bits<32>>,
        /// RETIRED, high
        pub retired_hi: Signal<In, Bits<32>>,
        /// CYCLES, low
        pub cycles_lo: Signal<In, Bits<32>>,
        /// CYCLES, high
        pub cycles_hi: Signal<In, Bits<32>>,
        /// STALLS
        pub stalls_lo: Signal<In, Bits<32>>,
        /// LOST
        pub lost_lo: Signal<In, Bits<32>>,
        /// BREACH
        pub breach_rule: Signal<In, Bits<4>>,
        /// BREACH_AT
        pub breach_at: Signal<In, Bits<32>>,
        /// BREACH_PC
        pub breach_pc: Signal<In, Bits<32>>,
        /// BREACH_INSN
        pub breach_insn: Signal<In, Bits<32>>,
        /// BREACH_WANT
        pub breach_want: Signal<In, Bits<32>>,
        /// BREACH_GOT
        pub breach_got: Signal<In, Bits<32>>,
        ack_ff: DFF<Bit>,
        read_ff: DFF<Bits<32>>,
        /// a write was taken and not carried out
        pending_ff: DFF<Bit>,
        register_ff: DFF<Bits<8>>,
        value_ff: DFF<Bits<32>>,
        /// registers are being sent before a recording
        announcing_ff: DFF<Bit>,
        /// the next of them; `announced` after the last
        next_ff: DFF<Bits<4>>,
        number: Signal<Local, Bits<8>>,
        request: Signal<Local, Bit>,
        takes: Signal<Local, Bit>,
        starts: Signal<Local, Bit>,
        all_sent: Signal<Local, Bit>,
        identities: Signal<Local, Bits<32>>,
        settings: Signal<Local, Bits<32>>,
        triggers: Signal<Local, Bits<32>>,
        counters: Signal<Local, Bits<32>>,
        breaches: Signal<Local, Bits<32>>,
        group: Signal<Local, Bits<5>>,
        low: Signal<Local, Bits<3>>,
    }
    constants {
        id_word: 32 = 0x4b4f_4f4c,
        port_word: 32 = lookback_log_format::registers::PORT_ATTACHED
            | lookback_log_format::registers::PORT_COMPRESSED,
        control_number: 8 = 0x10,
        first_setting: 8 = 0x10,
        no_word: 32 = 0,
        no_register: 8 = 0,
        record: 32 = 1,
        one: 4 = 1,
        none: 4 = 0,
        announced: 4 = 14,
        group_identities: 5 = 0,
        group_settings: 5 = 2,
        group_triggers: 5 = 3,
        group_counters: 5 = 4,
        group_breaches: 5 = 5,
        low_0: 3 = 0,
        low_1: 3 = 1,
        low_2: 3 = 2,
        low_3: 3 = 3,
        low_4: 3 = 4,
        low_5: 3 = 5,
        low_6: 3 = 6,
    }
}

impl Logic for Wishbone {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            ack_ff,
            read_ff,
            pending_ff,
            register_ff,
            value_ff,
            announcing_ff,
            next_ff
        );
        self.number.next = self.wb_adr.val().get_bits::<8>(2);
        self.request.next = self.wb_cyc.val() & self.wb_stb.val() & !self.ack_ff.q.val();
        self.takes.next = self.request.val()
            & self.wb_we.val()
            & !self.pending_ff.q.val()
            & !self.announcing_ff.q.val();
        self.ack_ff.d.next = self.request.val() & (!self.wb_we.val() | self.takes.val());
        self.wb_ack.next = self.ack_ff.q.val();
        self.wb_dat_o.next = self.read_ff.q.val();
        if self.takes.val() & self.wb_sel.val().all() {
            self.pending_ff.d.next = true;
            self.register_ff.d.next = self.number.val();
            self.value_ff.d.next = self.wb_dat_i.val();
        }

        // What was taken is carried out.
        self.starts.next = (self.register_ff.q.val() == self.control_number.val())
            & self.value_ff.q.val().get_bit(0)
            & !self.control_word.val().get_bit(0);
        self.all_sent.next = self.next_ff.q.val() == self.announced.val();
        self.poke.next = self.quiet.val()
            & (self.pending_ff.q.val() | (self.announcing_ff.q.val() & self.all_sent.val()));
        self.ask.next = self.quiet.val() & self.announcing_ff.q.val() & !self.all_sent.val();
        self.bus_value.next = self.value_ff.q.val();
        self.bus_register.next = self.register_ff.q.val();
        if self.pending_ff.q.val() & self.starts.val() {
            self.bus_value.next = self.value_ff.q.val() ^ self.record.val();
        }
        if self.announcing_ff.q.val() & !self.all_sent.val() {
            self.bus_register.next =
                self.no_register.val() | bit_cast::<8, 3>(self.next_ff.q.val().get_bits::<3>(0));
            if self.next_ff.q.val().get_bit(3) {
                self.bus_register.next = self.first_setting.val()
                    | bit_cast::<8, 3>(self.next_ff.q.val().get_bits::<3>(0));
            }
        }
        if self.ask.val() {
            self.next_ff.d.next = self.next_ff.q.val() + self.one.val();
        }
        if self.poke.val() {
            self.pending_ff.d.next = false;
            self.announcing_ff.d.next = self.pending_ff.q.val() & self.starts.val();
            self.next_ff.d.next = self.none.val();
        }

        // What is read.
        self.group.next = self.number.val().get_bits::<5>(3);
        self.low.next = self.number.val().get_bits::<3>(0);
        self.identities.next = self.no_word.val();
        self.settings.next = self.no_word.val();
        self.triggers.next = self.no_word.val();
        self.counters.next = self.no_word.val();
        self.breaches.next = self.no_word.val();
        if self.low.val() == self.low_0.val() {
            self.identities.next = self.id_word.val();
            self.settings.next = bit_cast::<32, 6>(self.control_word.val());
            self.counters.next = bit_cast::<32, 11>(self.status.val());
            self.breaches.next = bit_cast::<32, 4>(self.breach_rule.val());
        } else if self.low.val() == self.low_1.val() {
            self.identities.next = self.version.val();
            self.settings.next = self.interval.val();
            self.triggers.next = bit_cast::<32, 6>(self.watch.val());
            self.counters.next = self.retired_lo.val();
            self.breaches.next = self.breach_at.val();
        } else if self.low.val() == self.low_2.val() {
            self.identities.next = self.tag_sizes.val();
            self.settings.next = bit_cast::<32, 5>(self.count_bits.val());
            self.triggers.next = self.watch_lo.val();
            self.counters.next = self.retired_hi.val();
            self.breaches.next = self.breach_pc.val();
        } else if self.low.val() == self.low_3.val() {
            self.identities.next = self.sizes.val();
            self.settings.next = self.image_lo.val();
            self.triggers.next = self.watch_hi.val();
            self.counters.next = self.cycles_lo.val();
            self.breaches.next = self.breach_insn.val();
        } else if self.low.val() == self.low_4.val() {
            self.identities.next = self.clock_hz.val();
            self.settings.next = self.image_hi.val();
            self.counters.next = self.cycles_hi.val();
            self.breaches.next = self.breach_want.val();
        } else if self.low.val() == self.low_5.val() {
            self.identities.next = self.mem_base.val();
            self.settings.next = self.post_trigger.val();
            self.counters.next = self.stalls_lo.val();
            self.breaches.next = self.breach_got.val();
        } else if self.low.val() == self.low_6.val() {
            self.identities.next = self.mem_mask.val();
            self.counters.next = self.lost_lo.val();
        } else {
            self.identities.next = self.port_word.val();
        }
        self.read_ff.d.next = self.no_word.val();
        if self.group.val() == self.group_identities.val() {
            self.read_ff.d.next = self.identities.val();
        } else if self.group.val() == self.group_settings.val() {
            self.read_ff.d.next = self.settings.val();
        } else if self.group.val() == self.group_triggers.val() {
            self.read_ff.d.next = self.triggers.val();
        } else if self.group.val() == self.group_counters.val() {
            self.read_ff.d.next = self.counters.val();
        } else if self.group.val() == self.group_breaches.val() {
            self.read_ff.d.next = self.breaches.val();
        }

        if self.reset.val() {
            self.ack_ff.d.next = false;
            self.pending_ff.d.next = false;
            self.announcing_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Wishbone::default(), "lookback_wishbone");
    }
}
