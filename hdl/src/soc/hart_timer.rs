//! The part of the CLINT that each hart after the first has of its own: `msip` at 4 × number, `mtimecmp`
//! at 0x4000 + 8 × number, as in QEMU's `virt`. Time itself is that of `clint`.

use rust_hdl::prelude::*;

circuit! {
    /// Software and timer interrupt of a hart.
    pub struct HartTimer {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// the hart's number
        pub number: Signal<In, Bits<2>>,
        /// the CLINT is accessed in this cycle
        pub selected: Signal<In, Bit>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// address of the word within the region
        pub addr: Signal<In, Bits<16>>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// data read, zero unless a register of this hart is selected
        pub rdata: Signal<Out, Bits<32>>,
        /// `mtime`, low half
        pub time_low: Signal<In, Bits<32>>,
        /// `mtime`, high half
        pub time_high: Signal<In, Bits<32>>,
        /// software interrupt
        pub software: Signal<Out, Bit>,
        /// timer interrupt
        pub timer: Signal<Out, Bit>,
        software_ff: DFF<Bit>,
        timer_ff: DFF<Bit>,
        armed_ff: DFF<Bit>,
        low_ff: DFF<Bits<32>>,
        high_ff: DFF<Bits<32>>,
        own_software: Signal<Local, Bits<16>>,
        own_compare: Signal<Local, Bits<16>>,
        place: Signal<Local, Bits<16>>,
        old: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        compare_base: 16 = 0x4000,
        upper_word: 16 = 4,
    }
}

impl Logic for HartTimer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            software_ff,
            timer_ff,
            armed_ff,
            low_ff,
            high_ff
        );
        self.software.next = self.software_ff.q.val();
        self.timer.next = self.timer_ff.q.val();
        self.timer_ff.d.next = self.armed_ff.q.val()
            & ((self.time_high.val() > self.high_ff.q.val())
                | ((self.time_high.val() == self.high_ff.q.val())
                    & (self.time_low.val() >= self.low_ff.q.val())));
        self.place.next = bit_cast::<16, 2>(self.number.val());
        self.own_software.next = self.place.val() << 2;
        self.own_compare.next = (self.place.val() << 3) | self.compare_base.val();
        self.old.next = self.zero.val();
        if self.selected.val() {
            if self.addr.val() == self.own_software.val() {
                if self.software_ff.q.val() {
                    self.old.next = self.one.val();
                }
                if self.write.val() {
                    self.software_ff.d.next = self.wdata.val().get_bit(0);
                }
            } else if self.addr.val() == self.own_compare.val() {
                self.old.next = self.low_ff.q.val();
                if self.write.val() {
                    self.low_ff.d.next = self.wdata.val();
                    self.armed_ff.d.next = true;
                }
            } else if self.addr.val() == (self.own_compare.val() | self.upper_word.val()) {
                self.old.next = self.high_ff.q.val();
                if self.write.val() {
                    self.high_ff.d.next = self.wdata.val();
                    self.armed_ff.d.next = true;
                }
            }
        }
        self.rdata.next = self.old.val();
        if self.reset.val() {
            self.software_ff.d.next = false;
            self.armed_ff.d.next = false;
            self.low_ff.d.next = self.zero.val();
            self.high_ff.d.next = self.zero.val();
        }
    }
}
