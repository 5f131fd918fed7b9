//! The devices that only answer: CLINT, console, pins and PLIC behind one register port.
//!
//! An access takes one cycle, the one after the hart's request: `device` says whose it is, and whoever
//! is not meant reads as zero, so that the answers can be ored.

use super::bus::Device;
use super::clint::Clint;
use super::console::Console;
use super::gpio::Gpio;
use super::plic::Plic;
use rust_hdl::prelude::*;

circuit! {
    /// Devices of the SoC but the DMA engine.
    pub struct Devices {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// who is accessed in this cycle
        pub device: Signal<In, Device>,
        /// the access is a write
        pub write: Signal<In, Bit>,
        /// address of the word
        pub addr: Signal<In, Bits<32>>,
        /// data to write
        pub wdata: Signal<In, Bits<32>>,
        /// bytes accessed
        pub lanes: Signal<In, Bits<4>>,
        /// data read
        pub rdata: Signal<Out, Bits<32>>,
        /// time runs
        pub running: Signal<In, Bit>,
        /// `mtime`, low half
        pub time_low: Signal<Out, Bits<32>>,
        /// `mtime`, high half
        pub time_high: Signal<Out, Bits<32>>,
        /// software interrupt
        pub software: Signal<Out, Bit>,
        /// timer interrupt
        pub timer: Signal<Out, Bit>,
        /// interrupt of the PLIC
        pub external: Signal<Out, Bit>,
        /// the DMA engine is done
        pub dma: Signal<In, Bit>,
        /// console: a byte was written
        pub tx_valid: Signal<Out, Bit>,
        /// that byte
        pub tx_data: Signal<Out, Bits<8>>,
        /// console: a byte is offered
        pub rx_valid: Signal<In, Bit>,
        /// that byte
        pub rx_data: Signal<In, Bits<8>>,
        /// it was taken
        pub rx_ready: Signal<Out, Bit>,
        /// pins in
        pub pins_in: Signal<In, Bits<32>>,
        /// pins out
        pub pins_out: Signal<Out, Bits<32>>,
        clint: Clint,
        console: Console,
        gpio: Gpio,
        plic: Plic,
    }
    constants {}
}

impl Logic for Devices {
    #[hdl_gen]
    fn update(&mut self) {
        self.rdata.next = (self.clint.rdata.val() | self.console.rdata.val())
            | (self.gpio.rdata.val() | self.plic.rdata.val());

        self.clint.clock.next = self.clock.val();
        self.clint.reset.next = self.reset.val();
        self.clint.selected.next = self.device.val() == Device::Clint;
        self.clint.write.next = self.write.val();
        self.clint.addr.next = bit_cast::<16, 32>(self.addr.val());
        self.clint.wdata.next = self.wdata.val();
        self.clint.running.next = self.running.val();
        self.time_low.next = self.clint.time_low.val();
        self.time_high.next = self.clint.time_high.val();
        self.software.next = self.clint.software.val();
        self.timer.next = self.clint.timer.val();

        self.console.clock.next = self.clock.val();
        self.console.reset.next = self.reset.val();
        self.console.selected.next = self.device.val() == Device::Console;
        self.console.write.next = self.write.val();
        self.console.second.next = self.addr.val().get_bit(2);
        self.console.wdata.next = self.wdata.val();
        self.console.lanes.next = self.lanes.val();
        self.console.rx_valid.next = self.rx_valid.val();
        self.console.rx_data.next = self.rx_data.val();
        self.rx_ready.next = self.console.rx_ready.val();
        self.tx_valid.next = self.console.tx_valid.val();
        self.tx_data.next = self.console.tx_data.val();

        self.gpio.clock.next = self.clock.val();
        self.gpio.reset.next = self.reset.val();
        self.gpio.selected.next = self.device.val() == Device::Gpio;
        self.gpio.write.next = self.write.val();
        self.gpio.second.next = self.addr.val().get_bit(2);
        self.gpio.wdata.next = self.wdata.val();
        self.gpio.pins_in.next = self.pins_in.val();
        self.pins_out.next = self.gpio.pins_out.val();

        self.plic.clock.next = self.clock.val();
        self.plic.reset.next = self.reset.val();
        self.plic.selected.next = self.device.val() == Device::Plic;
        self.plic.write.next = self.write.val();
        self.plic.addr.next = self.addr.val();
        self.plic.wdata.next = self.wdata.val();
        self.plic.console.next = self.console.interrupt.val();
        self.plic.dma.next = self.dma.val();
        self.external.next = self.plic.interrupt.val();
    }
}
