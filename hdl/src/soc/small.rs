//! The smallest SoC: one hart with a timer and a console, external RAM, and ports for a recorder.
//!
//! | address | device |
//! |---|---|
//! | 0x0010_0000 | test finisher, as in `soc` |
//! | 0x0200_0000 | `clint` |
//! | 0x1000_0000 | `console`; its interrupt leads nowhere |
//! | 0x1000_1000 – 0x1000_8fff | nothing, reads zero |
//! | 0x8000_0000 | RAM, `ram_bytes` |
//!
//! There is no PLIC, no GPIO and no DMA engine: an access to where `soc` has them is an access fault, and
//! the machine external interrupt never comes. So nobody but the hart writes to RAM. All else is as in
//! `soc`: the hart is the same.

use super::bus::{Bus, Device};
use super::clint::Clint;
use super::console::Console;
use super::hart::Hart;
use rust_hdl::prelude::*;

circuit! {
    /// One hart with what it cannot do without.
    pub struct SmallSoc {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// start no further instruction
        pub stall: Signal<In, Bit>,
        /// size of the RAM, a multiple of four
        pub ram_bytes: Signal<In, Bits<32>>,
        /// word read from RAM
        pub ram_rdata: Signal<In, Bits<32>>,
        /// access RAM
        pub ram_req: Signal<Out, Bit>,
        /// byte offset of the word
        pub ram_addr: Signal<Out, Bits<32>>,
        /// word to write
        pub ram_wdata: Signal<Out, Bits<32>>,
        /// bytes to write, none for a read
        pub ram_wstrb: Signal<Out, Bits<4>>,
        /// a byte was written to the console
        pub console_tx_valid: Signal<Out, Bit>,
        /// that byte
        pub console_tx_data: Signal<Out, Bits<8>>,
        /// a byte is offered to the console
        pub console_rx_valid: Signal<In, Bit>,
        /// that byte
        pub console_rx_data: Signal<In, Bits<8>>,
        /// it was taken
        pub console_rx_ready: Signal<Out, Bit>,
        /// nothing: there are no pins
        pub gpio_in: Signal<In, Bits<32>>,
        /// always zero
        pub gpio_out: Signal<Out, Bits<32>>,
        /// the run has ended
        pub finished: Signal<Out, Bit>,
        /// the word written to the test finisher, or 0xdead0000: the trap handler cannot run
        pub finish_code: Signal<Out, Bits<32>>,

        /// an instruction retires
        pub rvfi_valid: Signal<Out, Bit>,
        /// its word
        pub rvfi_insn: Signal<Out, Bits<32>>,
        /// it trapped
        pub rvfi_trap: Signal<Out, Bit>,
        /// it is the first of an interrupt handler
        pub rvfi_intr: Signal<Out, Bit>,
        /// privilege mode in which it ran
        pub rvfi_mode: Signal<Out, Bits<2>>,
        /// rs1
        pub rvfi_rs1_addr: Signal<Out, Bits<5>>,
        /// rs2
        pub rvfi_rs2_addr: Signal<Out, Bits<5>>,
        /// value of rs1
        pub rvfi_rs1_rdata: Signal<Out, Bits<32>>,
        /// value of rs2
        pub rvfi_rs2_rdata: Signal<Out, Bits<32>>,
        /// register written, or 0
        pub rvfi_rd_addr: Signal<Out, Bits<5>>,
        /// its new value, or 0
        pub rvfi_rd_wdata: Signal<Out, Bits<32>>,
        /// its address
        pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
        /// where it went
        pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
        /// word address of its memory access
        pub rvfi_mem_addr: Signal<Out, Bits<32>>,
        /// bytes read
        pub rvfi_mem_rmask: Signal<Out, Bits<4>>,
        /// bytes written
        pub rvfi_mem_wmask: Signal<Out, Bits<4>>,
        /// word read
        pub rvfi_mem_rdata: Signal<Out, Bits<32>>,
        /// word written
        pub rvfi_mem_wdata: Signal<Out, Bits<32>>,

        /// never: nobody else writes to RAM
        pub snoop_valid: Signal<Out, Bit>,
        /// word address
        pub snoop_addr: Signal<Out, Bits<32>>,
        /// bytes
        pub snoop_mask: Signal<Out, Bits<4>>,

        hart: Hart,
        bus: Bus,
        clint: Clint,
        console: Console,
        finished_ff: DFF<Bit>,
        finish_code_ff: DFF<Bits<32>>,
        device: Signal<Local, Device>,
        ending: Signal<Local, Bits<16>>,
        absent: Signal<Local, Bit>,
        addr: Signal<Local, Bits<32>>,
    }
    constants {
        lockup_code: 32 = 0xdead_0000,
        zero: 32 = 0,
        ending_pass: 16 = 0x5555,
        ending_fail: 16 = 0x3333,
        ending_reset: 16 = 0x7777,
        low_half: 32 = 0xffff,
        plic_bits: 32 = 0xfc00_0000,
        plic_region: 32 = 0x0c00_0000,
        pages_bits: 32 = 0xffff_e000,
        gpio_and_dma: 32 = 0x1001_2000,
        only_hart: 2 = 0,
        no_lanes: 4 = 0,
    }
}

impl Logic for SmallSoc {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, finished_ff, finish_code_ff);
        self.device.next = self.bus.device.val();

        self.hart.clock.next = self.clock.val();
        self.hart.reset.next = self.reset.val();
        self.hart.stall.next = self.stall.val();
        self.hart.halt.next = self.finished_ff.q.val();
        // What the large SoC has there is not here.
        self.addr.next = self.hart.req_addr.val();
        self.absent.next = ((self.addr.val() & self.plic_bits.val()) == self.plic_region.val())
            | ((self.addr.val() & self.pages_bits.val()) == self.gpio_and_dma.val());
        self.hart.fault.next =
            self.bus.hart_fault.val() | (self.hart.req.val() & self.absent.val());
        self.hart.ram_rdata.next = self.ram_rdata.val();
        self.hart.from_device.next = self.device.val() != Device::Absent;
        self.hart.device_rdata.next = self.clint.rdata.val() | self.console.rdata.val();
        self.hart.granted.next = true;
        self.hart.others_write.next = false;
        self.hart.several.next = false;
        self.hart.restart.next = false;
        self.hart.shown.next = true;
        self.hart.hart_id.next = self.only_hart.val();
        self.hart.other_write.next = false;
        self.hart.other_addr.next = self.zero.val();
        self.hart.software.next = self.clint.software.val();
        self.hart.timer.next = self.clint.timer.val();
        self.hart.external.next = false;
        self.hart.time_low.next = self.clint.time_low.val();
        self.hart.time_high.next = self.clint.time_high.val();

        self.bus.clock.next = self.clock.val();
        self.bus.reset.next = self.reset.val();
        self.bus.ram_bytes.next = self.ram_bytes.val();
        self.bus.hart_req.next = self.hart.req.val();
        self.bus.hart_fetch.next = self.hart.req_fetch.val();
        self.bus.hart_write.next = self.hart.req_write.val();
        self.bus.hart_lock.next = self.hart.lock.val();
        self.bus.hart_between.next = self.hart.between.val();
        self.bus.hart_addr.next = self.hart.req_addr.val();
        self.bus.hart_mask.next = self.hart.req_mask.val();
        self.bus.hart_wdata.next = self.hart.req_wdata.val();
        self.bus.dma_read.next = false;
        self.bus.dma_write.next = false;
        self.bus.dma_addr.next = self.zero.val();
        self.bus.dma_wdata.next = self.zero.val();
        self.ram_req.next = self.bus.ram_req.val();
        self.ram_addr.next = self.bus.ram_addr.val();
        self.ram_wdata.next = self.bus.ram_wdata.val();
        self.ram_wstrb.next = self.bus.ram_wstrb.val();

        self.clint.clock.next = self.clock.val();
        self.clint.reset.next = self.reset.val();
        self.clint.selected.next = self.device.val() == Device::Clint;
        self.clint.write.next = self.bus.device_write.val();
        self.clint.addr.next = bit_cast::<16, 32>(self.hart.rvfi_mem_addr.val());
        self.clint.wdata.next = self.hart.req_wdata.val();
        self.clint.running.next = self.hart.running.val();

        self.console.clock.next = self.clock.val();
        self.console.reset.next = self.reset.val();
        self.console.selected.next = self.device.val() == Device::Console;
        self.console.write.next = self.bus.device_write.val();
        self.console.second.next = self.hart.rvfi_mem_addr.val().get_bit(2);
        self.console.wdata.next = self.hart.req_wdata.val();
        self.console.lanes.next = self.hart.req_mask.val();
        self.console.rx_valid.next = self.console_rx_valid.val();
        self.console.rx_data.next = self.console_rx_data.val();
        self.console_rx_ready.next = self.console.rx_ready.val();
        self.console_tx_valid.next = self.console.tx_valid.val();
        self.console_tx_data.next = self.console.tx_data.val();

        // End of the run.
        self.finished.next = self.finished_ff.q.val();
        self.finish_code.next = self.finish_code_ff.q.val();
        self.ending.next = bit_cast::<16, 32>(self.hart.req_wdata.val());
        if !self.finished_ff.q.val() {
            if self.hart.lockup.val() {
                self.finished_ff.d.next = true;
                self.finish_code_ff.d.next = self.lockup_code.val();
            } else if ((self.device.val() == Device::Finisher) & self.bus.device_write.val())
                & (((self.ending.val() == self.ending_pass.val())
                    | (self.ending.val() == self.ending_fail.val()))
                    | (self.ending.val() == self.ending_reset.val()))
            {
                self.finished_ff.d.next = true;
                self.finish_code_ff.d.next = self.hart.req_wdata.val() & self.low_half.val();
                if self.hart.req_mask.val().all() {
                    self.finish_code_ff.d.next = self.hart.req_wdata.val();
                }
            }
        }
        if self.reset.val() {
            self.finished_ff.d.next = false;
            self.finish_code_ff.d.next = self.zero.val();
        }

        // What the large SoC has: so both run in the same harness.
        self.gpio_out.next = self.zero.val();
        self.snoop_valid.next = false;
        self.snoop_addr.next = self.zero.val();
        self.snoop_mask.next = self.no_lanes.val();

        // Recorder.
        self.rvfi_valid.next = self.hart.rvfi_valid.val();
        self.rvfi_insn.next = self.hart.rvfi_insn.val();
        self.rvfi_trap.next = self.hart.rvfi_trap.val();
        self.rvfi_intr.next = self.hart.rvfi_intr.val();
        self.rvfi_mode.next = self.hart.rvfi_mode.val();
        self.rvfi_rs1_addr.next = self.hart.rvfi_rs1_addr.val();
        self.rvfi_rs2_addr.next = self.hart.rvfi_rs2_addr.val();
        self.rvfi_rs1_rdata.next = self.hart.rvfi_rs1_rdata.val();
        self.rvfi_rs2_rdata.next = self.hart.rvfi_rs2_rdata.val();
        self.rvfi_rd_addr.next = self.hart.rvfi_rd_addr.val();
        self.rvfi_rd_wdata.next = self.hart.rvfi_rd_wdata.val();
        self.rvfi_pc_rdata.next = self.hart.rvfi_pc_rdata.val();
        self.rvfi_pc_wdata.next = self.hart.rvfi_pc_wdata.val();
        self.rvfi_mem_addr.next = self.hart.rvfi_mem_addr.val();
        self.rvfi_mem_rmask.next = self.hart.rvfi_mem_rmask.val();
        self.rvfi_mem_wmask.next = self.hart.rvfi_mem_wmask.val();
        self.rvfi_mem_rdata.next = self.hart.rvfi_mem_rdata.val();
        self.rvfi_mem_wdata.next = self.hart.rvfi_mem_wdata.val();
    }
}
