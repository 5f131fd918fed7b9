//! Which control and status register an instruction names, held until the next instruction.

use rust_hdl::prelude::*;

/// A register that exists.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CsrName {
    /// there is no such register
    Unknown,
    /// reads zero, ignores writes
    Zero,
    /// `mstatus`
    Status,
    /// `misa`
    Isa,
    /// `mie`
    Enables,
    /// `mtvec`
    Vector,
    /// `mcounteren`
    CounterEnable,
    /// `mcountinhibit`
    Inhibit,
    /// `mscratch`
    Scratch,
    /// `mepc`
    Epc,
    /// `mcause`
    Cause,
    /// `mtval`
    Value,
    /// `mip`
    Pending,
    /// `mcycle`, `cycle`
    Cycle,
    /// `mcycleh`, `cycleh`
    CycleHigh,
    /// `time`
    Time,
    /// `timeh`
    TimeHigh,
    /// `minstret`, `instret`
    Instret,
    /// `minstreth`, `instreth`
    InstretHigh,
    /// `mhartid`
    HartId,
}

circuit! {
    /// CSR address decoder with a registered output.
    pub struct CsrSelect {
        /// clock
        pub clock: Signal<In, Clock>,
        /// decode `word` at the next edge
        pub load: Signal<In, Bit>,
        /// instruction word
        pub word: Signal<In, Bits<32>>,
        /// the register that it names, if it is a CSR instruction
        pub name: Signal<Out, CsrName>,
        name_ff: DFF<CsrName>,
        page: Signal<Local, Bits<7>>,
        index: Signal<Local, Bits<5>>,
    }
    constants {
        no_page: 7 = 0x00,
        trap_setup: 7 = 0x18,
        inhibit: 7 = 0x19,
        trap_handling: 7 = 0x1a,
        pmp_first: 7 = 0x1d,
        pmp_middle: 7 = 0x1e,
        pmp_last: 7 = 0x1f,
        machine_counters: 7 = 0x58,
        machine_counters_high: 7 = 0x5c,
        user_counters: 7 = 0x60,
        user_counters_high: 7 = 0x64,
        identity: 7 = 0x78,
        i0: 5 = 0x00,
        i1: 5 = 0x01,
        i2: 5 = 0x02,
        i3: 5 = 0x03,
        i4: 5 = 0x04,
        i5: 5 = 0x05,
        i6: 5 = 0x06,
        envcfg: 5 = 0x0a,
        statush: 5 = 0x10,
        envcfgh: 5 = 0x1a,
        vendor: 5 = 0x11,
        hart_id: 5 = 0x14,
        configptr: 5 = 0x15,
    }
}

impl Logic for CsrSelect {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, name_ff);
        self.name.next = self.name_ff.q.val();
        self.page.next = self.no_page.val();
        self.index.next = self.i0.val();
        if self.load.val() {
            self.page.next = self.word.val().get_bits::<7>(25);
            self.index.next = self.word.val().get_bits::<5>(20);
            self.name_ff.d.next = CsrName::Unknown;
            if self.page.val() == self.trap_setup.val() {
                if self.index.val() == self.i0.val() {
                    self.name_ff.d.next = CsrName::Status;
                } else if self.index.val() == self.i1.val() {
                    self.name_ff.d.next = CsrName::Isa;
                } else if self.index.val() == self.i4.val() {
                    self.name_ff.d.next = CsrName::Enables;
                } else if self.index.val() == self.i5.val() {
                    self.name_ff.d.next = CsrName::Vector;
                } else if self.index.val() == self.i6.val() {
                    self.name_ff.d.next = CsrName::CounterEnable;
                } else if ((self.index.val() == self.statush.val())
                    | (self.index.val() == self.envcfg.val()))
                    | (self.index.val() == self.envcfgh.val())
                {
                    self.name_ff.d.next = CsrName::Zero;
                }
            } else if self.page.val() == self.inhibit.val() {
                if self.index.val() == self.i0.val() {
                    self.name_ff.d.next = CsrName::Inhibit;
                } else if self.index.val() >= self.i3.val() {
                    self.name_ff.d.next = CsrName::Zero;
                }
            } else if self.page.val() == self.trap_handling.val() {
                if self.index.val() == self.i0.val() {
                    self.name_ff.d.next = CsrName::Scratch;
                } else if self.index.val() == self.i1.val() {
                    self.name_ff.d.next = CsrName::Epc;
                } else if self.index.val() == self.i2.val() {
                    self.name_ff.d.next = CsrName::Cause;
                } else if self.index.val() == self.i3.val() {
                    self.name_ff.d.next = CsrName::Value;
                } else if self.index.val() == self.i4.val() {
                    self.name_ff.d.next = CsrName::Pending;
                }
            } else if ((self.page.val() == self.pmp_first.val())
                | (self.page.val() == self.pmp_middle.val()))
                | ((self.page.val() == self.pmp_last.val()) & !self.index.val().get_bit(4))
            {
                self.name_ff.d.next = CsrName::Zero;
            } else if (self.page.val() == self.machine_counters.val())
                | (self.page.val() == self.user_counters.val())
            {
                self.name_ff.d.next = CsrName::Zero;
                if self.index.val() == self.i0.val() {
                    self.name_ff.d.next = CsrName::Cycle;
                } else if self.index.val() == self.i2.val() {
                    self.name_ff.d.next = CsrName::Instret;
                } else if self.index.val() == self.i1.val() {
                    self.name_ff.d.next = CsrName::Time;
                    if self.page.val() == self.machine_counters.val() {
                        self.name_ff.d.next = CsrName::Unknown;
                    }
                }
            } else if (self.page.val() == self.machine_counters_high.val())
                | (self.page.val() == self.user_counters_high.val())
            {
                self.name_ff.d.next = CsrName::Zero;
                if self.index.val() == self.i0.val() {
                    self.name_ff.d.next = CsrName::CycleHigh;
                } else if self.index.val() == self.i2.val() {
                    self.name_ff.d.next = CsrName::InstretHigh;
                } else if self.index.val() == self.i1.val() {
                    self.name_ff.d.next = CsrName::TimeHigh;
                    if self.page.val() == self.machine_counters_high.val() {
                        self.name_ff.d.next = CsrName::Unknown;
                    }
                }
            } else if (self.page.val() == self.identity.val())
                & ((self.index.val() >= self.vendor.val())
                    & (self.index.val() <= self.configptr.val()))
            {
                self.name_ff.d.next = CsrName::Zero;
                if self.index.val() == self.hart_id.val() {
                    self.name_ff.d.next = CsrName::HartId;
                }
            }
        }
    }
}
