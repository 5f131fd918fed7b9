//! Address map and arbitration between the hart and the DMA engine.
//!
//! ```text
//!  hart ─┐            ┌─► RAM (outside)
//!        ├─► bus ─────┤
//!  dma ──┘            └─► devices: device, device_write, one cycle after the hart's request
//! ```
//! The hart never waits but in Fetch: the DMA engine reads in cycles that the hart leaves free (every
//! instruction has at least two), and writes only `between` two instructions, in place of a fetch. As
//! it must read before it writes again, it takes at most one fetch an instruction from the hart.
//!
//! **Order.** When another's write takes effect, every earlier instruction is retiring in that cycle
//! or has retired before, and no later one has fetched yet. The write is shown on `snoop` one cycle
//! later, two cycles before a later instruction can retire. So the order on the ports is the order in
//! memory, for instruction fetches as well as for data.

use rust_hdl::prelude::*;

/// Who answers the hart's request.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Device {
    /// no device: RAM or nothing
    Absent,
    /// test finisher
    Finisher,
    /// timer and software interrupts
    Clint,
    /// console UART
    Console,
    /// pins
    Gpio,
    /// external interrupts
    Plic,
    /// DMA engine
    Dma,
    /// slots of `virt` that are empty here and read zero
    Empty,
}

circuit! {
    /// Bus of the SoC.
    pub struct Bus {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// size of the RAM
        pub ram_bytes: Signal<In, Bits<32>>,
        /// the hart requests
        pub hart_req: Signal<In, Bit>,
        /// an instruction
        pub hart_fetch: Signal<In, Bit>,
        /// a write
        pub hart_write: Signal<In, Bit>,
        /// nobody else may read in this cycle
        pub hart_lock: Signal<In, Bit>,
        /// others may write in this cycle
        pub hart_between: Signal<In, Bit>,
        /// where
        pub hart_addr: Signal<In, Bits<32>>,
        /// lanes
        pub hart_mask: Signal<In, Bits<4>>,
        /// data
        pub hart_wdata: Signal<In, Bits<32>>,
        /// nothing answers there
        pub hart_fault: Signal<Out, Bit>,
        /// DMA wants to read
        pub dma_read: Signal<In, Bit>,
        /// DMA wants to write
        pub dma_write: Signal<In, Bit>,
        /// where, a multiple of four
        pub dma_addr: Signal<In, Bits<32>>,
        /// data
        pub dma_wdata: Signal<In, Bits<32>>,
        /// DMA does so in this cycle
        pub dma_grant: Signal<Out, Bit>,
        /// but its address is not in RAM
        pub dma_fault: Signal<Out, Bit>,
        /// RAM: request
        pub ram_req: Signal<Out, Bit>,
        /// RAM: offset of the word
        pub ram_addr: Signal<Out, Bits<32>>,
        /// RAM: data
        pub ram_wdata: Signal<Out, Bits<32>>,
        /// RAM: lanes to write
        pub ram_wstrb: Signal<Out, Bits<4>>,
        /// device accessed in this cycle
        pub device: Signal<Out, Device>,
        /// the access is a write
        pub device_write: Signal<Out, Bit>,
        /// somebody else than the hart wrote to RAM
        pub snoop_valid: Signal<Out, Bit>,
        /// where
        pub snoop_addr: Signal<Out, Bits<32>>,
        device_ff: DFF<Device>,
        device_write_ff: DFF<Bit>,
        snoop_valid_ff: DFF<Bit>,
        snoop_addr_ff: DFF<Bits<32>>,
        chosen: Signal<Local, Device>,
        dma_turn: Signal<Local, Bit>,
        addr: Signal<Local, Bits<32>>,
        offset: Signal<Local, Bits<32>>,
        in_ram: Signal<Local, Bit>,
        page: Signal<Local, Bits<32>>,
        region: Signal<Local, Bits<32>>,
        whole: Signal<Local, Bit>,
    }
    constants {
        ram_base: 32 = 0x8000_0000,
        word_aligned: 32 = 0xffff_fffc,
        no_lanes: 4 = 0,
        all_lanes: 4 = 15,
        page_bits: 32 = 0xffff_f000,
        region_bits: 32 = 0xffff_0000,
        finisher_page: 32 = 0x0010_0000,
        clint_region: 32 = 0x0200_0000,
        plic_bits: 32 = 0xfc00_0000,
        plic_region: 32 = 0x0c00_0000,
        console_page: 32 = 0x1000_0000,
        beyond_console: 32 = 0x0000_0ff8,
        last_empty_page: 32 = 0x1000_8000,
        gpio_page: 32 = 0x1001_2000,
        dma_page: 32 = 0x1001_3000,
    }
}

impl Logic for Bus {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            device_ff,
            device_write_ff,
            snoop_valid_ff,
            snoop_addr_ff
        );
        self.dma_turn.next = (self.dma_write.val() & self.hart_between.val())
            | (self.dma_read.val() & !(self.hart_req.val() | self.hart_lock.val()));
        self.addr.next = self.hart_addr.val();
        if self.dma_turn.val() {
            self.addr.next = self.dma_addr.val();
        }
        self.offset.next = self.addr.val() ^ self.ram_base.val();
        self.in_ram.next = self.offset.val() < self.ram_bytes.val();
        self.ram_addr.next = self.offset.val() & self.word_aligned.val();
        self.ram_wdata.next = self.hart_wdata.val();
        self.ram_wstrb.next = self.no_lanes.val();
        if self.hart_write.val() {
            self.ram_wstrb.next = self.hart_mask.val();
        }
        self.ram_req.next = self.in_ram.val() & (self.hart_req.val() | self.dma_turn.val());
        self.dma_grant.next = self.dma_turn.val();
        self.dma_fault.next = self.dma_turn.val() & !self.in_ram.val();
        self.snoop_valid_ff.d.next = false;
        if self.dma_turn.val() {
            self.ram_wdata.next = self.dma_wdata.val();
            self.ram_wstrb.next = self.no_lanes.val();
            if self.dma_write.val() {
                self.ram_wstrb.next = self.all_lanes.val();
                self.snoop_valid_ff.d.next = self.in_ram.val();
                self.snoop_addr_ff.d.next = self.dma_addr.val();
            }
        }
        self.snoop_valid.next = self.snoop_valid_ff.q.val();
        self.snoop_addr.next = self.snoop_addr_ff.q.val();
        // Devices, for the hart alone. Console and empty slots take bytes, the
        // finisher halfwords, the others whole words.
        self.page.next = self.hart_addr.val() & self.page_bits.val();
        self.region.next = self.hart_addr.val() & self.region_bits.val();
        self.whole.next = self.hart_mask.val().all();
        self.chosen.next = Device::Absent;
        if self.hart_req.val() & !(self.in_ram.val() | self.hart_fetch.val()) {
            if self.page.val() == self.finisher_page.val() {
                if self.hart_mask.val().get_bit(0) & self.hart_mask.val().get_bit(1) {
                    self.chosen.next = Device::Finisher;
                }
            } else if self.page.val() == self.console_page.val() {
                if !(self.hart_addr.val() & self.beyond_console.val()).any() {
                    self.chosen.next = Device::Console;
                }
            } else if (self.page.val() > self.console_page.val())
                & (self.page.val() <= self.last_empty_page.val())
            {
                self.chosen.next = Device::Empty;
            } else if self.whole.val() {
                if self.page.val() == self.gpio_page.val() {
                    self.chosen.next = Device::Gpio;
                } else if self.page.val() == self.dma_page.val() {
                    self.chosen.next = Device::Dma;
                } else if self.region.val() == self.clint_region.val() {
                    self.chosen.next = Device::Clint;
                } else if (self.hart_addr.val() & self.plic_bits.val()) == self.plic_region.val() {
                    self.chosen.next = Device::Plic;
                }
            }
        }
        self.hart_fault.next =
            self.hart_req.val() & !(self.in_ram.val() | (self.chosen.val() != Device::Absent));
        self.device_ff.d.next = self.chosen.val();
        self.device_write_ff.d.next = self.hart_write.val();
        if self.reset.val() {
            self.device_ff.d.next = Device::Absent;
            self.snoop_valid_ff.d.next = false;
        }
        self.device.next = self.device_ff.q.val();
        self.device_write.next = self.device_write_ff.q.val();
    }
}
