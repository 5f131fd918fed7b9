//! The SoC with two or four harts: the memory map and the devices are those of `soc`.
//!
//! All harts begin at the start of RAM, as those of `virt` do, and `mhartid` tells them apart. Each has
//! its `msip` and `mtimecmp`; the PLIC and the DMA engine interrupt hart 0 only. How harts share memory
//! and one retirement port is said in `cluster`. `finished` rises when everything that was under way
//! has retired.

use super::bus::{Bus, Device};
use super::cluster::Cluster;
use super::devices::Devices;
use super::dma::Dma;
use super::hart_timer::HartTimer;
use rust_hdl::prelude::*;

/// The SoC with two harts.
pub type Smp2 = Smp<2, 1>;
/// The SoC with four harts.
pub type Smp4 = Smp<4, 3>;

/// `N` harts with devices; `M` is `N` - 1.
#[derive(LogicBlock)]
pub struct Smp<const N: usize, const M: usize> {
    /// clock
    pub clock: Signal<In, Clock>,
    /// synchronous reset
    pub reset: Signal<In, Bit>,
    /// start no further instruction
    pub stall: Signal<In, Bit>,
    /// harts that are granted no access in the next cycle, one bit each; 0 but in simulations
    pub hold_back: Signal<In, Bits<4>>,
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
    /// pins in
    pub gpio_in: Signal<In, Bits<32>>,
    /// pins out
    pub gpio_out: Signal<Out, Bits<32>>,
    /// the run has ended
    pub finished: Signal<Out, Bit>,
    /// the word written to the test finisher, or 0xdead0000: the trap handler cannot run
    pub finish_code: Signal<Out, Bits<32>>,

    /// an instruction retires
    pub rvfi_valid: Signal<Out, Bit>,
    /// on this hart
    pub rvfi_hart: Signal<Out, Bits<2>>,
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

    /// somebody else than the hart wrote to RAM
    pub snoop_valid: Signal<Out, Bit>,
    /// word address
    pub snoop_addr: Signal<Out, Bits<32>>,
    /// bytes
    pub snoop_mask: Signal<Out, Bits<4>>,

    cluster: Cluster<N>,
    bus: Bus,
    dma: Dma,
    devices: Devices,
    timers: [HartTimer; M],
    numbers: [Constant<Bits<2>>; M],
    places: [Constant<Bits<4>>; M],
    ending_ff: DFF<Bit>,
    finish_code_ff: DFF<Bits<32>>,
    snooped_ff: DFF<Bit>,
    snooped_addr_ff: DFF<Bits<32>>,
    device: Signal<Local, Device>,
    device_rdata: Signal<Local, Bits<32>>,
    software: Signal<Local, Bits<4>>,
    timer: Signal<Local, Bits<4>>,
    ending: Signal<Local, Bits<16>>,
    lockup_code: Constant<Bits<32>>,
    zero: Constant<Bits<32>>,
    nobody: Constant<Bits<4>>,
    first: Constant<Bits<4>>,
    ending_pass: Constant<Bits<16>>,
    ending_fail: Constant<Bits<16>>,
    ending_reset: Constant<Bits<16>>,
    low_half: Constant<Bits<32>>,
    all_lanes: Constant<Bits<4>>,
}

impl<const N: usize, const M: usize> Default for Smp<N, M> {
    fn default() -> Self {
        assert_eq!(N, M + 1);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stall: Default::default(),
            hold_back: Default::default(),
            ram_bytes: Default::default(),
            ram_rdata: Default::default(),
            ram_req: Default::default(),
            ram_addr: Default::default(),
            ram_wdata: Default::default(),
            ram_wstrb: Default::default(),
            console_tx_valid: Default::default(),
            console_tx_data: Default::default(),
            console_rx_valid: Default::default(),
            console_rx_data: Default::default(),
            console_rx_ready: Default::default(),
            gpio_in: Default::default(),
            gpio_out: Default::default(),
            finished: Default::default(),
            finish_code: Default::default(),
            rvfi_valid: Default::default(),
            rvfi_hart: Default::default(),
            rvfi_insn: Default::default(),
            rvfi_trap: Default::default(),
            rvfi_intr: Default::default(),
            rvfi_mode: Default::default(),
            rvfi_rs1_addr: Default::default(),
            rvfi_rs2_addr: Default::default(),
            rvfi_rs1_rdata: Default::default(),
            rvfi_rs2_rdata: Default::default(),
            rvfi_rd_addr: Default::default(),
            rvfi_rd_wdata: Default::default(),
            rvfi_pc_rdata: Default::default(),
            rvfi_pc_wdata: Default::default(),
            rvfi_mem_addr: Default::default(),
            rvfi_mem_rmask: Default::default(),
            rvfi_mem_wmask: Default::default(),
            rvfi_mem_rdata: Default::default(),
            rvfi_mem_wdata: Default::default(),
            snoop_valid: Default::default(),
            snoop_addr: Default::default(),
            snoop_mask: Default::default(),
            cluster: Default::default(),
            bus: Default::default(),
            dma: Default::default(),
            devices: Default::default(),
            timers: std::array::from_fn(|_| Default::default()),
            numbers: std::array::from_fn(|i| Constant::new(bits::<2>(i as u64 + 1))),
            places: std::array::from_fn(|i| Constant::new(bits::<4>(2 << i))),
            ending_ff: Default::default(),
            finish_code_ff: Default::default(),
            snooped_ff: Default::default(),
            snooped_addr_ff: Default::default(),
            device: Default::default(),
            device_rdata: Default::default(),
            software: Default::default(),
            timer: Default::default(),
            ending: Default::default(),
            lockup_code: Constant::new(bits::<32>(0xdead_0000)),
            zero: Constant::new(bits::<32>(0)),
            nobody: Constant::new(bits::<4>(0)),
            first: Constant::new(bits::<4>(1)),
            ending_pass: Constant::new(bits::<16>(0x5555)),
            ending_fail: Constant::new(bits::<16>(0x3333)),
            ending_reset: Constant::new(bits::<16>(0x7777)),
            low_half: Constant::new(bits::<32>(0xffff)),
            all_lanes: Constant::new(bits::<4>(15)),
        }
    }
}

impl<const N: usize, const M: usize> Logic for Smp<N, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            ending_ff,
            finish_code_ff,
            snooped_ff,
            snooped_addr_ff
        );
        self.device.next = self.bus.device.val();

        // Interrupts of hart 0 come from the devices, those of the others from their timers.
        self.device_rdata.next = self.devices.rdata.val() | self.dma.rdata.val();
        self.software.next = self.nobody.val();
        self.timer.next = self.nobody.val();
        if self.devices.software.val() {
            self.software.next = self.first.val();
        }
        if self.devices.timer.val() {
            self.timer.next = self.first.val();
        }
        for i in 0..M {
            self.timers[i].clock.next = self.clock.val();
            self.timers[i].reset.next = self.reset.val();
            self.timers[i].number.next = self.numbers[i].val();
            self.timers[i].selected.next = self.device.val() == Device::Clint;
            self.timers[i].write.next = self.bus.device_write.val();
            self.timers[i].addr.next = bit_cast::<16, 32>(self.cluster.device_addr.val());
            self.timers[i].wdata.next = self.cluster.device_wdata.val();
            self.timers[i].time_low.next = self.devices.time_low.val();
            self.timers[i].time_high.next = self.devices.time_high.val();
            self.device_rdata.next = self.device_rdata.val() | self.timers[i].rdata.val();
            if self.timers[i].software.val() {
                self.software.next = self.software.val() | self.places[i].val();
            }
            if self.timers[i].timer.val() {
                self.timer.next = self.timer.val() | self.places[i].val();
            }
        }

        self.cluster.clock.next = self.clock.val();
        self.cluster.reset.next = self.reset.val();
        self.cluster.stall.next = self.stall.val();
        self.cluster.hold_back.next = self.hold_back.val();
        self.cluster.ending.next = self.ending_ff.q.val();
        self.cluster.fault.next = self.bus.hart_fault.val();
        self.cluster.ram_rdata.next = self.ram_rdata.val();
        self.cluster.from_device.next = self.device.val() != Device::Absent;
        self.cluster.device_rdata.next = self.device_rdata.val();
        self.cluster.dma_read.next = self.dma.bus_read.val();
        self.cluster.dma_write.next = self.dma.bus_write.val();
        self.cluster.dma_addr.next = self.dma.bus_addr.val();
        self.cluster.software.next = self.software.val();
        self.cluster.timer.next = self.timer.val();
        self.cluster.external.next = self.devices.external.val() | self.dma.interrupt.val();
        self.cluster.time_low.next = self.devices.time_low.val();
        self.cluster.time_high.next = self.devices.time_high.val();

        // The bus knows one hart: the cluster. The DMA engine has the cycles that it is given.
        self.bus.clock.next = self.clock.val();
        self.bus.reset.next = self.reset.val();
        self.bus.ram_bytes.next = self.ram_bytes.val();
        self.bus.hart_req.next = self.cluster.req.val();
        self.bus.hart_fetch.next = self.cluster.req_fetch.val();
        self.bus.hart_write.next = self.cluster.req_write.val();
        self.bus.hart_lock.next = !self.cluster.dma_turn.val();
        self.bus.hart_between.next = self.cluster.dma_turn.val();
        self.bus.hart_addr.next = self.cluster.req_addr.val();
        self.bus.hart_mask.next = self.cluster.req_mask.val();
        self.bus.hart_wdata.next = self.cluster.req_wdata.val();
        self.bus.dma_read.next = self.dma.bus_read.val();
        self.bus.dma_write.next = self.dma.bus_write.val();
        self.bus.dma_addr.next = self.dma.bus_addr.val();
        self.bus.dma_wdata.next = self.dma.bus_wdata.val();
        self.ram_req.next = self.bus.ram_req.val();
        self.ram_addr.next = self.bus.ram_addr.val();
        self.ram_wdata.next = self.bus.ram_wdata.val();
        self.ram_wstrb.next = self.bus.ram_wstrb.val();

        self.devices.clock.next = self.clock.val();
        self.devices.reset.next = self.reset.val();
        self.devices.device.next = self.device.val();
        self.devices.write.next = self.bus.device_write.val();
        self.devices.addr.next = self.cluster.device_addr.val();
        self.devices.wdata.next = self.cluster.device_wdata.val();
        self.devices.lanes.next = self.cluster.device_mask.val();
        self.devices.running.next = self.cluster.running.val();
        self.devices.dma.next = self.dma.interrupt.val();
        self.devices.rx_valid.next = self.console_rx_valid.val();
        self.devices.rx_data.next = self.console_rx_data.val();
        self.console_rx_ready.next = self.devices.rx_ready.val();
        self.console_tx_valid.next = self.devices.tx_valid.val();
        self.console_tx_data.next = self.devices.tx_data.val();
        self.devices.pins_in.next = self.gpio_in.val();
        self.gpio_out.next = self.devices.pins_out.val();

        self.dma.clock.next = self.clock.val();
        self.dma.reset.next = self.reset.val();
        self.dma.selected.next = self.device.val() == Device::Dma;
        self.dma.write.next = self.bus.device_write.val();
        self.dma.register.next = bit_cast::<5, 32>(self.cluster.device_addr.val());
        self.dma.wdata.next = self.cluster.device_wdata.val();
        self.dma.grant.next = self.bus.dma_grant.val();
        self.dma.fault.next = self.bus.dma_fault.val();
        self.dma.bus_rdata.next = self.ram_rdata.val();

        // End of the run.
        self.finished.next = self.cluster.ended.val();
        self.finish_code.next = self.finish_code_ff.q.val();
        self.ending.next = bit_cast::<16, 32>(self.cluster.device_wdata.val());
        if !self.ending_ff.q.val() {
            if self.cluster.lockup.val() {
                self.ending_ff.d.next = true;
                self.finish_code_ff.d.next = self.lockup_code.val();
            } else if ((self.device.val() == Device::Finisher) & self.bus.device_write.val())
                & (((self.ending.val() == self.ending_pass.val())
                    | (self.ending.val() == self.ending_fail.val()))
                    | (self.ending.val() == self.ending_reset.val()))
            {
                self.ending_ff.d.next = true;
                self.finish_code_ff.d.next = self.cluster.device_wdata.val() & self.low_half.val();
                if self.cluster.device_mask.val().all() {
                    self.finish_code_ff.d.next = self.cluster.device_wdata.val();
                }
            }
        }
        if self.reset.val() {
            self.ending_ff.d.next = false;
            self.finish_code_ff.d.next = self.zero.val();
        }

        // Recorder.
        self.rvfi_valid.next = self.cluster.rvfi_valid.val();
        self.rvfi_hart.next = self.cluster.rvfi_hart.val();
        self.rvfi_insn.next = self.cluster.rvfi_insn.val();
        self.rvfi_trap.next = self.cluster.rvfi_trap.val();
        self.rvfi_intr.next = self.cluster.rvfi_intr.val();
        self.rvfi_mode.next = self.cluster.rvfi_mode.val();
        self.rvfi_rs1_addr.next = self.cluster.rvfi_rs1_addr.val();
        self.rvfi_rs2_addr.next = self.cluster.rvfi_rs2_addr.val();
        self.rvfi_rs1_rdata.next = self.cluster.rvfi_rs1_rdata.val();
        self.rvfi_rs2_rdata.next = self.cluster.rvfi_rs2_rdata.val();
        self.rvfi_rd_addr.next = self.cluster.rvfi_rd_addr.val();
        self.rvfi_rd_wdata.next = self.cluster.rvfi_rd_wdata.val();
        self.rvfi_pc_rdata.next = self.cluster.rvfi_pc_rdata.val();
        self.rvfi_pc_wdata.next = self.cluster.rvfi_pc_wdata.val();
        self.rvfi_mem_addr.next = self.cluster.rvfi_mem_addr.val();
        self.rvfi_mem_rmask.next = self.cluster.rvfi_mem_rmask.val();
        self.rvfi_mem_wmask.next = self.cluster.rvfi_mem_wmask.val();
        self.rvfi_mem_rdata.next = self.cluster.rvfi_mem_rdata.val();
        self.rvfi_mem_wdata.next = self.cluster.rvfi_mem_wdata.val();
        // As late as accesses retire, so that no two writes are ever shown in one cycle.
        self.snooped_ff.d.next = self.bus.snoop_valid.val() & !self.reset.val();
        self.snooped_addr_ff.d.next = self.bus.snoop_addr.val();
        self.snoop_valid.next = self.snooped_ff.q.val();
        self.snoop_addr.next = self.snooped_addr_ff.q.val();
        self.snoop_mask.next = self.all_lanes.val();
    }
}
