//! Who answers where, and who may access RAM when: the bus, and the devices behind one port.

use super::devices::{Pins, Sources, Timer};
use super::masters::Console;
use crate::blocks::{seldom, word, Inputs, Lockstep};
use lookback_hdl::soc::bus::Device;
use proptest::collection::vec;
use proptest::prelude::*;

/// The bus.
#[derive(Default)]
pub struct Lines {
    /// the device that is accessed in this cycle, and whether it is written
    device: Option<(Device, bool)>,
    /// where somebody else wrote
    snooped: Option<u32>,
}

/// What hart and DMA engine want in a cycle.
#[derive(Clone, Debug)]
pub struct Wishes {
    ram_bytes: u32,
    hart: Option<Request>,
    /// no instruction is under way
    between: bool,
    lock: bool,
    /// a write or not, where, what
    dma: Option<(bool, u32, u32)>,
    /// what is on lines that mean nothing
    noise: u32,
    reset: bool,
}

/// A request of the hart, aligned to its size.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    fetch: bool,
    write: bool,
    addr: u32,
    mask: u32,
    data: u32,
}

/// Addresses in and around everything that there is.
fn address() -> BoxedStrategy<u32> {
    let edges = proptest::sample::select(
        &[
            0x0010_0000u32,
            0x0010_1000,
            0x0200_0000,
            0x0200_bff8,
            0x0201_0000,
            0x0c00_0000,
            0x0c20_0004,
            0x1000_0000,
            0x1000_0008,
            0x1000_1000,
            0x1000_8000,
            0x1000_9000,
            0x1001_2000,
            0x1001_3000,
            0x1001_4000,
            0x8000_0000,
        ][..],
    );
    let near = (edges.clone(), -9..9i32).prop_map(|(addr, by)| addr.wrapping_add_signed(by));
    let flipped = (edges.clone(), 0..32u32).prop_map(|(addr, bit)| addr ^ 1 << bit);
    prop_oneof![
        3 => edges,
        4 => near,
        2 => flipped,
        4 => (0..0x1000u32).prop_map(|offset| 0x8000_0000 + offset),
        1 => word(),
    ]
    .boxed()
}

/// The device at an address, for an access to these lanes: the SoC's table. The console and the empty
/// slots take bytes, the finisher halfwords, the others whole words.
fn device_at(addr: u32, mask: u32) -> Option<Device> {
    match addr {
        0x0010_0000..=0x0010_0fff => (mask & 3 == 3).then_some(Device::Finisher),
        0x1000_0000..=0x1000_0007 => Some(Device::Console),
        0x1000_1000..=0x1000_8fff => Some(Device::Empty),
        _ if mask != 15 => None,
        0x0200_0000..=0x0200_ffff => Some(Device::Clint),
        0x0c00_0000..=0x0fff_ffff => Some(Device::Plic),
        0x1001_2000..=0x1001_2fff => Some(Device::Gpio),
        0x1001_3000..=0x1001_3fff => Some(Device::Dma),
        _ => None,
    }
}

impl Lockstep for Lines {
    type Step = Wishes;

    fn runs() -> BoxedStrategy<Vec<Wishes>> {
        let request = (seldom(300), any::<bool>(), address(), 0..3u32, word());
        let request = request.prop_map(|(fetch, write, addr, size, data)| {
            let size = if fetch { 2 } else { size };
            let addr = addr >> size << size;
            Request {
                fetch,
                write: write && !fetch,
                addr,
                mask: ((1 << (1 << size)) - 1) << (addr & 3),
                data,
            }
        });
        let hart = (seldom(600), request).prop_map(|(is, request)| is.then_some(request));
        let dma = (seldom(500), (any::<bool>(), address(), word()));
        let dma = dma.prop_map(|(is, (write, addr, data))| is.then_some((write, addr & !3, data)));
        let bytes = prop_oneof![2 => Just(0x800u32), 1 => Just(0x400_0000), 1 => Just(0x8000_0000)];
        let wishes = ((hart, any::<bool>(), seldom(200)), (dma, word(), seldom(8)));
        (bytes, vec(wishes, 1..150))
            .prop_map(|(ram_bytes, wishes)| {
                let wishes = wishes.into_iter();
                let one = |((hart, between, lock), (dma, noise, reset))| Wishes {
                    ram_bytes,
                    hart,
                    between,
                    lock,
                    dma,
                    noise,
                    reset,
                };
                wishes.map(one).collect()
            })
            .boxed()
    }

    fn inputs(&self, step: &Wishes) -> Vec<(&'static str, u32)> {
        // The hart requests nothing but a fetch between instructions, nothing in a cycle that it
        // locks, and leaves the cycle to a write of others.
        let mut hart = step.hart.filter(|_| !step.lock);
        let between = step.between && hart.is_none_or(|request| request.fetch) && !step.lock;
        if between && step.dma.is_some_and(|(write, ..)| write) {
            hart = None;
        }
        let shown = hart.unwrap_or(Request {
            fetch: false,
            write: step.noise & 1 == 1,
            addr: step.noise,
            mask: step.noise >> 8 & 15,
            data: step.noise,
        });
        let (dma_write, dma_addr, dma_data) = step.dma.unwrap_or((false, step.noise & !3, 0xbad));
        vec![
            ("reset", step.reset.into()),
            ("ram_bytes", step.ram_bytes),
            ("hart_req", hart.is_some().into()),
            ("hart_fetch", shown.fetch.into()),
            ("hart_write", shown.write.into()),
            ("hart_lock", step.lock.into()),
            ("hart_between", between.into()),
            ("hart_addr", shown.addr),
            ("hart_mask", shown.mask),
            ("hart_wdata", shown.data),
            ("dma_read", (step.dma.is_some() && !dma_write).into()),
            ("dma_write", dma_write.into()),
            ("dma_addr", dma_addr),
            ("dma_wdata", dma_data),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let in_ram = |addr: u32| {
            let offset = addr.checked_sub(0x8000_0000);
            offset.is_some_and(|offset| offset < inputs.get("ram_bytes"))
        };
        let (device, is_write) = self.device.unwrap_or((Device::Absent, false));
        let mut seen = vec![("device", device as u32)];
        if device != Device::Absent {
            seen.push(("device_write", is_write.into()));
        }
        seen.push(("snoop_valid", self.snooped.is_some().into()));
        seen.extend(self.snooped.map(|addr| ("snoop_addr", addr)));

        let hart = inputs.is("hart_req");
        let dma_write = inputs.is("dma_write") && inputs.is("hart_between");
        let dma_read = inputs.is("dma_read") && !hart && !inputs.is("hart_lock");
        let dma = dma_write || dma_read;
        let addr = inputs.get(if dma { "dma_addr" } else { "hart_addr" });
        let found = in_ram(addr);
        seen.push(("dma_grant", dma.into()));
        seen.push(("dma_fault", (dma && !found).into()));
        seen.push(("ram_req", ((hart || dma) && found).into()));
        if (hart || dma) && found {
            let strobe = match (dma_write, dma_read) {
                (true, _) => 15,
                (_, true) => 0,
                _ if inputs.is("hart_write") => inputs.get("hart_mask"),
                _ => 0,
            };
            seen.push(("ram_addr", (addr - 0x8000_0000) & !3));
            seen.push(("ram_wstrb", strobe));
            if strobe != 0 {
                let data = if dma { "dma_wdata" } else { "hart_wdata" };
                seen.push(("ram_wdata", inputs.get(data)));
            }
        }
        // Devices are the hart's alone, and hold no instructions.
        let own = inputs.get("hart_addr");
        let chosen = (hart && !in_ram(own) && !inputs.is("hart_fetch"))
            .then(|| device_at(own, inputs.get("hart_mask")))
            .flatten();
        if hart {
            let fault = !in_ram(own) && chosen.is_none();
            seen.push(("hart_fault", fault.into()));
        }
        self.device = chosen.map(|device| (device, inputs.is("hart_write")));
        self.snooped = (dma_write && found).then_some(addr);
        if inputs.is("reset") {
            *self = Self::default();
        }
        seen
    }
}

/// The devices that only answer, each its own twin.
#[derive(Default)]
pub struct Answers {
    clint: Timer,
    console: Console,
    gpio: Pins,
    plic: Sources,
}

/// One cycle of the devices.
#[derive(Clone, Debug)]
pub struct Access {
    device: Device,
    write: bool,
    /// which of the device's registers
    register: usize,
    wdata: u32,
    pins: u32,
    rx: Option<u8>,
    running: bool,
    dma: bool,
    reset: bool,
}

const CLINT: &[u32] = &[0, 0x4000, 0x4004, 0xbff8, 0xbffc];
const PLIC: &[u32] = &[
    0x0c00_0028,
    0x0c00_002c,
    0x0c00_1000,
    0x0c00_2000,
    0x0c20_0000,
    0x0c20_0004,
    0x0c20_0004,
];

impl Access {
    /// Address of the word, and lanes.
    fn place(&self) -> (u32, u32) {
        match self.device {
            Device::Clint => (0x0200_0000 + CLINT[self.register % CLINT.len()], 15),
            Device::Plic => (PLIC[self.register % PLIC.len()], 15),
            Device::Gpio => (0x1001_2000 + 4 * (self.register as u32 & 1), 15),
            _ => {
                let register = self.register as u32 & 7;
                (0x1000_0000 + (register & 4), 1 << (register & 3))
            }
        }
    }
}

impl Lockstep for Answers {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let device = prop_oneof![
            2 => Just(Device::Absent),
            1 => Just(Device::Clint),
            3 => Just(Device::Console),
            1 => Just(Device::Gpio),
            2 => Just(Device::Plic),
            1 => prop_oneof![Just(Device::Dma), Just(Device::Empty), Just(Device::Finisher)],
        ];
        let wdata = prop_oneof![4 => 0..8u32, 2 => Just(0xc00u32), 1 => word()];
        let rx = (seldom(300), any::<u8>()).prop_map(|(is, byte)| is.then_some(byte));
        let what = (device, any::<bool>(), 0..8usize, wdata);
        let around = (word(), rx, seldom(800), seldom(200), seldom(5));
        let access = (what, around).prop_map(|(what, around)| {
            let (device, write, register, wdata) = what;
            let (pins, rx, running, dma, reset) = around;
            Access {
                device,
                write,
                register,
                wdata,
                pins,
                rx,
                running,
                dma,
                reset,
            }
        });
        vec(access, 1..250).boxed()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let (addr, lanes) = step.place();
        vec![
            ("reset", step.reset.into()),
            ("device", step.device as u32),
            ("write", step.write.into()),
            ("addr", addr),
            // A byte is shown in its lane.
            ("wdata", step.wdata << (8 * lanes.trailing_zeros())),
            ("lanes", lanes),
            ("running", step.running.into()),
            ("dma", step.dma.into()),
            ("rx_valid", step.rx.is_some().into()),
            ("rx_data", step.rx.unwrap_or(0x5a).into()),
            ("pins_in", step.pins),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let device = inputs.get("device");
        let own = |own: Device, more: &[(&'static str, u32)]| {
            let mut list = inputs.0.clone();
            list.push(("selected", u32::from(device == own as u32)));
            list.push(("second", inputs.get("addr") >> 2 & 1));
            list.extend(more);
            Inputs(list)
        };
        let console = self.console.cycle(&own(Device::Console, &[]));
        let interrupt = value(&console, "interrupt").unwrap_or(0);
        let clint = self.clint.cycle(&own(Device::Clint, &[]));
        let gpio = self.gpio.cycle(&own(Device::Gpio, &[]));
        let plic = self
            .plic
            .cycle(&own(Device::Plic, &[("console", interrupt)]));
        // Who is not meant reads as zero, and nobody promises what a write reads.
        let mut seen = Vec::new();
        if !inputs.is("write") {
            let all = [&clint, &console, &gpio, &plic].map(|seen| value(seen, "rdata"));
            let all: Option<Vec<u32>> = all.into_iter().collect();
            seen.extend(all.map(|all| ("rdata", all.iter().fold(0, |all, one| all | one))));
        }
        let passed = [&clint, &console, &gpio].into_iter().flatten();
        seen.extend(passed.filter(|(port, _)| !matches!(*port, "rdata" | "interrupt")));
        seen.push(("external", value(&plic, "interrupt").unwrap_or(0)));
        seen
    }
}

/// What a twin says of a port, if it says something.
fn value(seen: &[(&'static str, u32)], port: &str) -> Option<u32> {
    let found = seen.iter().find(|(name, _)| *name == port);
    found.map(|(_, value)| *value)
}
