//! Devices that do something by themselves: the console with its FIFO, the DMA engine.

use crate::blocks::{seldom, word, Inputs, Lockstep};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// The console: a 16550 whose transmitter is always empty.
#[derive(Default)]
pub struct Console {
    now: u64,
    /// bytes received, and from when on they are seen
    received: VecDeque<(u8, u64)>,
    taken: bool,
    ier: u32,
    lcr: u32,
    mcr: u32,
    scratch: u32,
    /// unknown until it is written: a reset leaves it
    divisor: [Option<u32>; 2],
    fifos: bool,
    /// the transmitter became empty and nobody looked
    empty: bool,
}

/// One cycle of the console.
#[derive(Clone, Debug)]
pub struct Use {
    selected: bool,
    write: bool,
    register: u32,
    wdata: u32,
    rx_valid: bool,
    rx_data: u8,
    reset: bool,
}

impl Console {
    fn front(&self) -> Option<u32> {
        let seen = self.received.front().filter(|(_, from)| *from <= self.now);
        seen.map(|(byte, _)| u32::from(*byte))
    }

    fn latch(&self) -> bool {
        self.lcr & 0x80 != 0
    }

    /// The word that a register is a byte of, as far as it is known.
    fn word(&self, second: bool, cause: u32) -> Option<u32> {
        if second {
            let lsr = 0x60 | u32::from(self.front().is_some());
            return Some(self.mcr | lsr << 8 | 0xb0 << 16 | self.scratch << 24);
        }
        let iir = cause | if self.fifos { 0xc0 } else { 0 };
        let (low, high) = match self.latch() {
            true => (self.divisor[0]?, self.divisor[1]?),
            false => (self.front()?, self.ier),
        };
        Some(low | high << 8 | iir << 16 | self.lcr << 24)
    }

    fn write(&mut self, register: u32, byte: u32) {
        match register {
            0 | 1 if self.latch() => self.divisor[register as usize] = Some(byte),
            0 => self.empty = true,
            1 => {
                self.empty |= byte & 2 != 0 && self.ier & 2 == 0;
                self.ier = byte & 0xf;
            }
            2 => self.fifos = byte & 1 != 0,
            3 => self.lcr = byte,
            4 => self.mcr = byte & 0x1f,
            7 => self.scratch = byte,
            _ => {}
        }
    }
}

impl Lockstep for Console {
    type Step = Use;

    fn runs() -> BoxedStrategy<Vec<Use>> {
        let register = prop_oneof![4 => Just(0u32), 2 => Just(2), 1 => 0..8u32];
        let wdata = prop_oneof![4 => 0..8u32, 2 => any::<u8>().prop_map(u32::from)];
        let stretch = (prop_oneof![Just(0u32), Just(400), Just(1000)], 1..80usize);
        let stretch = stretch.prop_flat_map(move |(coming, length)| {
            let what = (seldom(500), any::<bool>(), register.clone(), wdata.clone());
            let one = (what, seldom(coming), any::<u8>(), seldom(5)).prop_map(
                |(what, rx_valid, rx_data, reset)| {
                    let (selected, write, register, wdata) = what;
                    Use {
                        selected,
                        write,
                        register,
                        wdata,
                        rx_valid,
                        rx_data,
                        reset,
                    }
                },
            );
            vec(one, length)
        });
        vec(stretch, 1..6).prop_map(|parts| parts.concat()).boxed()
    }

    fn inputs(&self, step: &Use) -> Vec<(&'static str, u32)> {
        let lane = step.register & 3;
        vec![
            ("reset", step.reset.into()),
            ("selected", step.selected.into()),
            ("write", step.write.into()),
            ("second", step.register >> 2),
            ("lanes", 1 << lane),
            ("wdata", step.wdata << (8 * lane)),
            ("rx_valid", step.rx_valid.into()),
            ("rx_data", step.rx_data.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let (selected, writes) = (inputs.is("selected"), inputs.is("write"));
        let second = inputs.is("second");
        let lane = inputs.get("lanes").trailing_zeros();
        let register = lane + 4 * u32::from(second);
        let byte = inputs.get("wdata") >> (8 * lane) & 0xff;
        let received = self.front().is_some() && self.ier & 1 != 0;
        let emptied = self.empty && self.ier & 2 != 0;
        let cause = match (received, emptied) {
            (true, _) => 4,
            (false, true) => 2,
            (false, false) => 1,
        };
        let sends = selected && writes && register == 0 && !self.latch();
        let mut seen = vec![
            ("interrupt", (received || emptied).into()),
            ("rx_ready", self.taken.into()),
            ("tx_valid", sends.into()),
        ];
        if sends {
            seen.push(("tx_data", byte));
        }
        match (selected, writes) {
            (false, _) => seen.push(("rdata", 0)),
            (true, false) => seen.extend(self.word(second, cause).map(|word| ("rdata", word))),
            (true, true) => {}
        }
        let push = inputs.is("rx_valid") && !self.taken && self.received.len() < 16;
        if selected && !writes && register == 0 && !self.latch() && self.front().is_some() {
            self.received.pop_front();
            // The next one is looked up first.
            if let Some((_, from)) = self.received.front_mut() {
                *from = (*from).max(self.now + 2);
            }
        }
        if selected && !writes && register == 2 && !received {
            self.empty = false;
        }
        if selected && writes {
            self.write(register, byte);
        }
        if push {
            let byte = inputs.get("rx_data") as u8;
            self.received.push_back((byte, self.now + 2));
        }
        self.taken = push;
        self.now += 1;
        if inputs.is("reset") {
            *self = Self {
                now: self.now,
                divisor: self.divisor,
                ..Self::default()
            };
        }
        seen
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    Read,
    Arrive,
    Write,
}

/// The DMA engine.
#[derive(Default)]
pub struct Copier {
    state: State,
    /// unknown until written, and after a fault
    source: Option<u32>,
    destination: Option<u32>,
    length: Option<u32>,
    data: u32,
    wanted: bool,
    done: bool,
    error: bool,
}

/// One cycle of the engine.
#[derive(Clone, Debug)]
pub struct Turn {
    selected: bool,
    write: bool,
    register: u32,
    wdata: u32,
    grant: bool,
    fault: bool,
    rdata: u32,
    reset: bool,
}

impl Copier {
    fn status(&self) -> u32 {
        u32::from(self.state != State::Idle)
            | u32::from(self.done) << 1
            | u32::from(self.error) << 2
    }

    fn write(&mut self, register: u32, wdata: u32) {
        match register {
            0x10 => {
                self.done &= wdata & 2 == 0;
                self.error &= wdata & 4 == 0;
            }
            _ if self.state != State::Idle => {}
            0x00 => self.source = Some(wdata & !3),
            0x04 => self.destination = Some(wdata & !3),
            0x08 => self.length = Some(wdata & !3),
            0x0c => {
                self.wanted = wdata & 2 != 0;
                if wdata & 1 != 0 {
                    self.error = false;
                    self.done = self.length == Some(0);
                    if !self.done {
                        self.state = State::Read;
                    }
                }
            }
            _ => {}
        }
    }

    fn proceed(&mut self, inputs: &Inputs) {
        let next = |word: Option<u32>| word.map(|word| word.wrapping_add(4));
        match self.state {
            State::Read if inputs.is("grant") => {
                self.state = State::Arrive;
                self.source = next(self.source);
            }
            State::Arrive => {
                self.data = inputs.get("bus_rdata");
                self.state = State::Write;
            }
            State::Write if inputs.is("grant") => {
                self.destination = next(self.destination);
                let left = self.length.map(|length| length.wrapping_sub(4));
                self.length = left;
                self.done |= left == Some(0);
                self.state = if left == Some(0) {
                    State::Idle
                } else {
                    State::Read
                };
            }
            _ => {}
        }
    }
}

impl Lockstep for Copier {
    type Step = Turn;

    fn runs() -> BoxedStrategy<Vec<Turn>> {
        let register = prop_oneof![
            3 => Just(0x0cu32),
            2 => Just(0x08),
            1 => Just(0x00),
            1 => Just(0x04),
            2 => Just(0x10),
            1 => 0..8u32,
        ];
        let wdata = prop_oneof![4 => 0..20u32, 1 => word()];
        let stretch = (prop_oneof![Just(1000u32), Just(300)], 1..70usize);
        let stretch = stretch.prop_flat_map(move |(grants, length)| {
            let what = (seldom(300), any::<bool>(), register.clone(), wdata.clone());
            let bus = (seldom(grants), seldom(15), word());
            let turn = (what, bus, seldom(5)).prop_map(|(what, bus, reset)| {
                let (selected, write, register, wdata) = what;
                let (grant, fault, rdata) = bus;
                Turn {
                    selected,
                    write,
                    // Of length only its low bits are often set, so that copies end.
                    register: if register < 8 {
                        (register * 4) & 0x1c
                    } else {
                        register
                    },
                    wdata,
                    grant,
                    fault,
                    rdata,
                    reset,
                }
            });
            vec(turn, length)
        });
        vec(stretch, 1..6).prop_map(|parts| parts.concat()).boxed()
    }

    fn inputs(&self, step: &Turn) -> Vec<(&'static str, u32)> {
        let asks = matches!(self.state, State::Read | State::Write);
        // It copies only from and to where it was told to.
        let told = self.source.is_some() && self.destination.is_some() && self.length.is_some();
        let starts = step.register == 0x0c && self.state == State::Idle;
        let wdata = if starts && !told {
            step.wdata & !1
        } else {
            step.wdata
        };
        vec![
            ("reset", step.reset.into()),
            ("selected", step.selected.into()),
            ("write", step.write.into()),
            ("register", step.register),
            ("wdata", wdata),
            ("grant", (step.grant && asks).into()),
            ("fault", (step.grant && asks && step.fault).into()),
            ("bus_rdata", step.rdata),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = vec![
            ("bus_read", (self.state == State::Read).into()),
            ("bus_write", (self.state == State::Write).into()),
            ("interrupt", (self.done && self.wanted).into()),
        ];
        match self.state {
            State::Read => seen.extend(self.source.map(|addr| ("bus_addr", addr))),
            State::Write => {
                seen.extend(self.destination.map(|addr| ("bus_addr", addr)));
                seen.push(("bus_wdata", self.data));
            }
            State::Idle | State::Arrive => {}
        }
        let register = inputs.get("register");
        let selected = inputs.is("selected");
        if !(selected && inputs.is("write")) {
            let rdata = match (selected, register) {
                (true, 0x00) => self.source,
                (true, 0x04) => self.destination,
                (true, 0x08) => self.length,
                (true, 0x0c) => Some(u32::from(self.wanted) << 1),
                (true, 0x10) => Some(self.status()),
                _ => Some(0),
            };
            seen.extend(rdata.map(|rdata| ("rdata", rdata)));
        }
        let busy = self.state != State::Idle;
        if selected && inputs.is("write") {
            self.write(register, inputs.get("wdata"));
        }
        if busy {
            self.proceed(inputs);
        }
        if inputs.is("fault") {
            let (wanted, data) = (self.wanted, self.data);
            *self = Self {
                wanted,
                data,
                done: true,
                error: true,
                ..Self::default()
            };
        }
        if inputs.is("reset") {
            *self = Self {
                source: self.source,
                destination: self.destination,
                length: self.length,
                ..Self::default()
            };
        }
        seen
    }
}
