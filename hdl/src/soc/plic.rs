//! External interrupts by number, as in QEMU's `virt`: source 10 the console, source 11 the DMA engine.
//!
//! | address | register |
//! |---|---|
//! | 0x0c00_0028, 0x0c00_002c | priority of source 10, 11 (0 to 7, 0 is never) |
//! | 0x0c00_1000 | pending |
//! | 0x0c00_2000 | enabled |
//! | 0x0c20_0000 | threshold: only higher priorities interrupt |
//! | 0x0c20_0004 | read: claim the source of highest priority, or 0; write: complete it |
//!
//! The rest of the region reads zero. A source becomes pending when its line is high and it is not
//! claimed, and stays so until it is claimed, even if its line goes low: the device may have been
//! served otherwise, which is for the handler to find out.

use rust_hdl::prelude::*;

circuit! {
    /// Platform-level interrupt controller with one context and two sources.
    pub struct Plic {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// accessed in this cycle
        pub selected: Signal<In, Bit>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// address of the word
        pub addr: Signal<In, Bits<32>>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// data read, zero unless selected
        pub rdata: Signal<Out, Bits<32>>,
        /// source 10
        pub console: Signal<In, Bit>,
        /// source 11
        pub dma: Signal<In, Bit>,
        /// a source interrupts
        pub interrupt: Signal<Out, Bit>,
        console_rank_ff: DFF<Bits<3>>,
        dma_rank_ff: DFF<Bits<3>>,
        threshold_ff: DFF<Bits<3>>,
        enabled_ff: DFF<Bits<32>>,
        claimed_ff: DFF<Bits<32>>,
        requested_ff: DFF<Bits<32>>,
        pending: Signal<Local, Bits<32>>,
        active: Signal<Local, Bits<32>>,
        console_active: Signal<Local, Bit>,
        dma_active: Signal<Local, Bit>,
        best: Signal<Local, Bits<32>>,
        best_bit: Signal<Local, Bits<32>>,
        finished_bit: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        no_rank: 3 = 0,
        console_number: 32 = 10,
        dma_number: 32 = 11,
        console_bit: 32 = 0x400,
        dma_bit: 32 = 0x800,
        source_bits: 32 = 0xc00,
        reg_console_rank: 32 = 0x0c00_0028,
        reg_dma_rank: 32 = 0x0c00_002c,
        reg_pending: 32 = 0x0c00_1000,
        reg_enabled: 32 = 0x0c00_2000,
        reg_threshold: 32 = 0x0c20_0000,
        reg_claim: 32 = 0x0c20_0004,
    }
}

impl Logic for Plic {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            console_rank_ff,
            dma_rank_ff,
            threshold_ff,
            enabled_ff,
            claimed_ff,
            requested_ff
        );
        self.pending.next = self.requested_ff.q.val();
        if self.console.val() {
            self.pending.next = self.pending.val() | self.console_bit.val();
        }
        if self.dma.val() {
            self.pending.next = self.pending.val() | self.dma_bit.val();
        }
        self.pending.next = self.pending.val() & !self.claimed_ff.q.val();
        self.requested_ff.d.next = self.pending.val();
        self.active.next = self.pending.val() & self.enabled_ff.q.val();
        self.console_active.next =
            self.active.val().get_bit(10) & self.console_rank_ff.q.val().any();
        self.dma_active.next = self.active.val().get_bit(11) & self.dma_rank_ff.q.val().any();
        self.interrupt.next = (self.console_active.val()
            & (self.console_rank_ff.q.val() > self.threshold_ff.q.val()))
            | (self.dma_active.val() & (self.dma_rank_ff.q.val() > self.threshold_ff.q.val()));
        self.best.next = self.zero.val();
        self.best_bit.next = self.zero.val();
        self.finished_bit.next = self.zero.val();
        self.rdata.next = self.zero.val();
        if self.selected.val() {
            if self.dma_active.val() {
                self.best.next = self.dma_number.val();
                self.best_bit.next = self.dma_bit.val();
            }
            if self.console_active.val()
                & (!self.dma_active.val()
                    | (self.console_rank_ff.q.val() >= self.dma_rank_ff.q.val()))
            {
                self.best.next = self.console_number.val();
                self.best_bit.next = self.console_bit.val();
            }
            if self.wdata.val() == self.console_number.val() {
                self.finished_bit.next = self.console_bit.val();
            } else if self.wdata.val() == self.dma_number.val() {
                self.finished_bit.next = self.dma_bit.val();
            }
            if self.addr.val() == self.reg_claim.val() {
                self.rdata.next = self.best.val();
                self.claimed_ff.d.next = self.claimed_ff.q.val() | self.best_bit.val();
                if self.write.val() {
                    self.claimed_ff.d.next = self.claimed_ff.q.val() & !self.finished_bit.val();
                }
            } else if self.addr.val() == self.reg_pending.val() {
                self.rdata.next = self.pending.val();
            } else if self.addr.val() == self.reg_enabled.val() {
                self.rdata.next = self.enabled_ff.q.val();
                if self.write.val() {
                    self.enabled_ff.d.next = self.wdata.val() & self.source_bits.val();
                }
            } else if self.addr.val() == self.reg_console_rank.val() {
                self.rdata.next = bit_cast::<32, 3>(self.console_rank_ff.q.val());
                if self.write.val() {
                    self.console_rank_ff.d.next = bit_cast::<3, 32>(self.wdata.val());
                }
            } else if self.addr.val() == self.reg_dma_rank.val() {
                self.rdata.next = bit_cast::<32, 3>(self.dma_rank_ff.q.val());
                if self.write.val() {
                    self.dma_rank_ff.d.next = bit_cast::<3, 32>(self.wdata.val());
                }
            } else if self.addr.val() == self.reg_threshold.val() {
                self.rdata.next = bit_cast::<32, 3>(self.threshold_ff.q.val());
                if self.write.val() {
                    self.threshold_ff.d.next = bit_cast::<3, 32>(self.wdata.val());
                }
            }
        }
        if self.reset.val() {
            self.console_rank_ff.d.next = self.no_rank.val();
            self.dma_rank_ff.d.next = self.no_rank.val();
            self.threshold_ff.d.next = self.no_rank.val();
            self.enabled_ff.d.next = self.zero.val();
            self.claimed_ff.d.next = self.zero.val();
            self.requested_ff.d.next = self.zero.val();
        }
    }
}
