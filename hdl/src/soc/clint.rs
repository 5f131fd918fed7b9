//! Timer and software interrupts, laid out as in QEMU's `virt`: msip 0x0, mtimecmp 0x4000, mtime 0xbff8.
//!
//! `mtime` counts every fifth clock cycle, ten million a second at the nominal 50 MHz as in `virt`, and
//! stands still until the hart runs. The timer interrupt is off until `mtimecmp` is written first.

use rust_hdl::prelude::*;

circuit! {
    /// Core-local interruptor of one hart.
    pub struct Clint {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// accessed in this cycle
        pub selected: Signal<In, Bit>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// address of the word within the region
        pub addr: Signal<In, Bits<16>>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// data read, zero unless selected
        pub rdata: Signal<Out, Bits<32>>,
        /// time runs
        pub running: Signal<In, Bit>,
        /// software interrupt
        pub software: Signal<Out, Bit>,
        /// timer interrupt
        pub timer: Signal<Out, Bit>,
        /// `mtime`, low half
        pub time_low: Signal<Out, Bits<32>>,
        /// `mtime`, high half
        pub time_high: Signal<Out, Bits<32>>,
        software_ff: DFF<Bit>,
        timer_ff: DFF<Bit>,
        armed_ff: DFF<Bit>,
        prescale_ff: DFF<Bits<3>>,
        low_ff: DFF<Bits<32>>,
        high_ff: DFF<Bits<32>>,
        compare_low_ff: DFF<Bits<32>>,
        compare_high_ff: DFF<Bits<32>>,
        old: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        no_prescale: 3 = 0,
        count_one: 3 = 1,
        last_prescale: 3 = 4,
        reg_software: 16 = 0x0000,
        reg_compare_low: 16 = 0x4000,
        reg_compare_high: 16 = 0x4004,
        reg_low: 16 = 0xbff8,
        reg_high: 16 = 0xbffc,
    }
}

impl Logic for Clint {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            software_ff,
            timer_ff,
            armed_ff,
            prescale_ff,
            low_ff,
            high_ff,
            compare_low_ff,
            compare_high_ff
        );
        self.software.next = self.software_ff.q.val();
        self.timer.next = self.timer_ff.q.val();
        self.time_low.next = self.low_ff.q.val();
        self.time_high.next = self.high_ff.q.val();
        self.timer_ff.d.next = self.armed_ff.q.val()
            & ((self.high_ff.q.val() > self.compare_high_ff.q.val())
                | ((self.high_ff.q.val() == self.compare_high_ff.q.val())
                    & (self.low_ff.q.val() >= self.compare_low_ff.q.val())));
        if self.running.val() {
            self.prescale_ff.d.next = self.prescale_ff.q.val() + self.count_one.val();
            if self.prescale_ff.q.val() == self.last_prescale.val() {
                self.prescale_ff.d.next = self.no_prescale.val();
                self.low_ff.d.next = self.low_ff.q.val() + self.one.val();
                if self.low_ff.q.val().all() {
                    self.high_ff.d.next = self.high_ff.q.val() + self.one.val();
                }
            }
        }
        self.old.next = self.zero.val();
        if self.selected.val() {
            if self.addr.val() == self.reg_software.val() {
                if self.software_ff.q.val() {
                    self.old.next = self.one.val();
                }
            } else if self.addr.val() == self.reg_compare_low.val() {
                self.old.next = self.compare_low_ff.q.val();
            } else if self.addr.val() == self.reg_compare_high.val() {
                self.old.next = self.compare_high_ff.q.val();
            } else if self.addr.val() == self.reg_low.val() {
                self.old.next = self.low_ff.q.val();
            } else if self.addr.val() == self.reg_high.val() {
                self.old.next = self.high_ff.q.val();
            }
            if self.write.val() {
                if self.addr.val() == self.reg_software.val() {
                    self.software_ff.d.next = self.wdata.val().get_bit(0);
                } else if self.addr.val() == self.reg_compare_low.val() {
                    self.compare_low_ff.d.next = self.wdata.val();
                    self.armed_ff.d.next = true;
                } else if self.addr.val() == self.reg_compare_high.val() {
                    self.compare_high_ff.d.next = self.wdata.val();
                    self.armed_ff.d.next = true;
                } else if self.addr.val() == self.reg_low.val() {
                    self.low_ff.d.next = self.wdata.val();
                } else if self.addr.val() == self.reg_high.val() {
                    self.high_ff.d.next = self.wdata.val();
                }
            }
        }
        self.rdata.next = self.old.val();
        if self.reset.val() {
            self.software_ff.d.next = false;
            self.armed_ff.d.next = false;
            self.prescale_ff.d.next = self.no_prescale.val();
            self.low_ff.d.next = self.zero.val();
            self.high_ff.d.next = self.zero.val();
            self.compare_low_ff.d.next = self.zero.val();
            self.compare_high_ff.d.next = self.zero.val();
        }
    }
}
