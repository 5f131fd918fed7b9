//! Copies words from memory to memory beside the hart: the source of writes that are not the hart's.
//!
//! | offset | register | |
//! |---|---|---|
//! | 0x00 | source | RAM address; low two bits are zero; advances |
//! | 0x04 | destination | RAM address; low two bits are zero; advances |
//! | 0x08 | length | bytes still to copy; low two bits are zero |
//! | 0x0c | control | write bit 0: start; bit 1: interrupt when done |
//! | 0x10 | status | bit 0 busy; bit 1 done, bit 2 an address was outside RAM (write 1 to clear) |
//!
//! Registers are written as whole words and only while not busy (but status). An error stops the copy,
//! done. Each word is one read and one write on the bus, when `grant` says so.

use rust_hdl::prelude::*;

/// What the engine does in this cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum DmaState {
    /// nothing
    Idle,
    /// wants to read
    Read,
    /// the word is there
    Arrive,
    /// wants to write
    Write,
}

circuit! {
    /// Memory-to-memory DMA engine.
    pub struct Dma {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// registers accessed in this cycle
        pub selected: Signal<In, Bit>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// offset of the register
        pub register: Signal<In, Bits<5>>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// data read, zero unless selected
        pub rdata: Signal<Out, Bits<32>>,
        /// wants to read `bus_addr`
        pub bus_read: Signal<Out, Bit>,
        /// wants to write `bus_wdata` to `bus_addr`
        pub bus_write: Signal<Out, Bit>,
        /// where
        pub bus_addr: Signal<Out, Bits<32>>,
        /// what
        pub bus_wdata: Signal<Out, Bits<32>>,
        /// it happens in this cycle
        pub grant: Signal<In, Bit>,
        /// but the address is outside RAM
        pub fault: Signal<In, Bit>,
        /// word read, the cycle after the grant
        pub bus_rdata: Signal<In, Bits<32>>,
        /// done, and an interrupt is wanted
        pub interrupt: Signal<Out, Bit>,
        state_ff: DFF<DmaState>,
        source_ff: DFF<Bits<32>>,
        destination_ff: DFF<Bits<32>>,
        length_ff: DFF<Bits<32>>,
        data_ff: DFF<Bits<32>>,
        wanted_ff: DFF<Bit>,
        done_ff: DFF<Bit>,
        error_ff: DFF<Bit>,
        idle: Signal<Local, Bit>,
        status: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        four: 32 = 4,
        word_aligned: 32 = 0xffff_fffc,
        bit_busy: 32 = 1,
        bit_done: 32 = 2,
        bit_error: 32 = 4,
        bit_wanted: 32 = 2,
        reg_source: 5 = 0x00,
        reg_destination: 5 = 0x04,
        reg_length: 5 = 0x08,
        reg_control: 5 = 0x0c,
        reg_status: 5 = 0x10,
    }
}

impl Logic for Dma {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state_ff,
            source_ff,
            destination_ff,
            length_ff,
            data_ff,
            wanted_ff,
            done_ff,
            error_ff
        );
        self.idle.next = self.state_ff.q.val() == DmaState::Idle;
        self.interrupt.next = self.done_ff.q.val() & self.wanted_ff.q.val();
        self.bus_read.next = self.state_ff.q.val() == DmaState::Read;
        self.bus_write.next = self.state_ff.q.val() == DmaState::Write;
        self.bus_addr.next = self.source_ff.q.val();
        self.bus_wdata.next = self.data_ff.q.val();
        self.rdata.next = self.zero.val();
        self.status.next = self.zero.val();
        if self.selected.val() {
            if !self.idle.val() {
                self.status.next = self.bit_busy.val();
            }
            if self.done_ff.q.val() {
                self.status.next = self.status.val() | self.bit_done.val();
            }
            if self.error_ff.q.val() {
                self.status.next = self.status.val() | self.bit_error.val();
            }
            if self.register.val() == self.reg_source.val() {
                self.rdata.next = self.source_ff.q.val();
            } else if self.register.val() == self.reg_destination.val() {
                self.rdata.next = self.destination_ff.q.val();
            } else if self.register.val() == self.reg_length.val() {
                self.rdata.next = self.length_ff.q.val();
            } else if self.register.val() == self.reg_control.val() {
                if self.wanted_ff.q.val() {
                    self.rdata.next = self.bit_wanted.val();
                }
            } else if self.register.val() == self.reg_status.val() {
                self.rdata.next = self.status.val();
            }
        }
        if (self.selected.val() & self.write.val()) & (self.register.val() == self.reg_status.val())
        {
            if self.wdata.val().get_bit(1) {
                self.done_ff.d.next = false;
            }
            if self.wdata.val().get_bit(2) {
                self.error_ff.d.next = false;
            }
        }
        match self.state_ff.q.val() {
            DmaState::Read => {
                if self.grant.val() {
                    self.state_ff.d.next = DmaState::Arrive;
                    self.source_ff.d.next = self.source_ff.q.val() + self.four.val();
                }
            }
            DmaState::Arrive => {
                self.data_ff.d.next = self.bus_rdata.val();
                self.state_ff.d.next = DmaState::Write;
            }
            DmaState::Write => {
                self.bus_addr.next = self.destination_ff.q.val();
                if self.grant.val() {
                    self.destination_ff.d.next = self.destination_ff.q.val() + self.four.val();
                    self.length_ff.d.next = self.length_ff.q.val() - self.four.val();
                    self.state_ff.d.next = DmaState::Read;
                    if self.length_ff.q.val() == self.four.val() {
                        self.state_ff.d.next = DmaState::Idle;
                        self.done_ff.d.next = true;
                    }
                }
            }
            _ => {
                if self.selected.val() & self.write.val() {
                    if self.register.val() == self.reg_source.val() {
                        self.source_ff.d.next = self.wdata.val() & self.word_aligned.val();
                    } else if self.register.val() == self.reg_destination.val() {
                        self.destination_ff.d.next = self.wdata.val() & self.word_aligned.val();
                    } else if self.register.val() == self.reg_length.val() {
                        self.length_ff.d.next = self.wdata.val() & self.word_aligned.val();
                    } else if self.register.val() == self.reg_control.val() {
                        self.wanted_ff.d.next = self.wdata.val().get_bit(1);
                        if self.wdata.val().get_bit(0) {
                            self.error_ff.d.next = false;
                            self.done_ff.d.next = !self.length_ff.q.val().any();
                            if self.length_ff.q.val().any() {
                                self.state_ff.d.next = DmaState::Read;
                            }
                        }
                    }
                }
            }
        }
        if self.fault.val() {
            self.state_ff.d.next = DmaState::Idle;
            self.error_ff.d.next = true;
            self.done_ff.d.next = true;
        }
        if self.reset.val() {
            self.state_ff.d.next = DmaState::Idle;
            self.wanted_ff.d.next = false;
            self.done_ff.d.next = false;
            self.error_ff.d.next = false;
        }
    }
}
