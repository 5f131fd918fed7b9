//! A block in rust-hdl's simulator, with its ports by name.

use lookback_hdl::harness::settle;
use lookback_hdl::soc::alu::AluOp;
use lookback_hdl::soc::bus::Device;
use lookback_hdl::soc::control::HartState;
use lookback_hdl::soc::csr_select::CsrName;
use lookback_hdl::soc::decode::Kind;
use lookback_rtl_gen::{Design, Direction};
use rust_hdl::prelude::*;

use super::{find, Dut};

/// A value of a port as a word.
pub trait PinValue {
    /// From the low bits of a word.
    fn from_word(word: u32) -> Self;
    /// Zero-extended.
    fn to_word(self) -> u32;
}

impl PinValue for bool {
    fn from_word(word: u32) -> Self {
        word & 1 != 0
    }
    fn to_word(self) -> u32 {
        self.into()
    }
}

impl<const N: usize> PinValue for Bits<N> {
    fn from_word(word: u32) -> Self {
        let mask = if N >= 32 { u32::MAX } else { (1 << N) - 1 };
        u64::from(word & mask).into()
    }
    fn to_word(self) -> u32 {
        self.to_u32()
    }
}

/// An enumeration on a port: its variant's number, which is the same in Rust and in the Verilog.
macro_rules! state_pins {
    ($($state:ty: $($variant:ident)+;)+) => {
        $(impl PinValue for $state {
            fn from_word(word: u32) -> Self {
                const ALL: &[$state] = &[$(<$state>::$variant),+];
                // A block never sees a number that its enumeration does not have.
                ALL[word as usize % ALL.len()]
            }
            fn to_word(self) -> u32 {
                // A variant that is missing above does not compile.
                match self {
                    $(<$state>::$variant)|+ => self as u32,
                }
            }
        })+
    };
}

state_pins! {
    AluOp: Add Sub ShiftLeft ShiftRight ShiftArithmetic Less LessUnsigned Xor Or And Swap Min
        Max MinUnsigned MaxUnsigned;
    Device: Absent Finisher Clint Console Gpio Plic Dma Empty;
    HartState: Start Fetch Decode Execute Access Arrive Modify Update Settle Compute Csr Trap Halt;
    CsrName: Unknown Zero Status Isa Enables Vector CounterEnable Inhibit Scratch Epc Cause
        Value Pending Cycle CycleHigh Time TimeHigh Instret InstretHigh HartId;
    Kind: Illegal Auipc Jal Jalr Branch Load Store AluImmediate AluRegister MulDiv Fence Amo
        LoadReserved StoreConditional Csr Ecall Ebreak Mret Wfi;
}

/// Sets a port of a block.
pub type SetPort<B> = fn(&mut B, u32);
/// Reads a port of a block.
pub type GetPort<B> = fn(&B) -> u32;

/// How a driver reaches the signals of a block; made by [`pins!`](crate::pins).
pub struct Pins<B> {
    /// Drives the clock, if there is one.
    pub clock: Option<fn(&mut B, bool)>,
    /// Inputs by name.
    pub inputs: Vec<(String, SetPort<B>)>,
    /// Outputs by name.
    pub outputs: Vec<(String, GetPort<B>)>,
}

impl<B> Pins<B> {
    /// What the list lacks or has too much compared with the ports of the emitted module.
    pub fn differences(&self, design: &Design) -> Vec<String> {
        let mut found = Vec::new();
        let clocked = design.ports.iter().any(|port| port.name == "clock");
        if clocked != self.clock.is_some() {
            found.push("clock: named in one of module and list only".to_owned());
        }
        let own = |input: bool| -> Vec<&str> {
            if input {
                self.inputs.iter().map(|(name, _)| name.as_str()).collect()
            } else {
                self.outputs.iter().map(|(name, _)| name.as_str()).collect()
            }
        };
        for (input, direction) in [(true, Direction::Input), (false, Direction::Output)] {
            let listed = own(input);
            let ports = || design.ports.iter().filter(|p| p.direction == direction);
            for port in ports().filter(|port| port.name != "clock") {
                if !listed.contains(&port.name.as_str()) {
                    found.push(format!("{}: not in the list of pins", port.name));
                }
                // Of a wider input only the low word is driven.
                if port.width > 32 && !input {
                    found.push(format!("{}: wider than a word", port.name));
                }
            }
            for name in listed {
                if !ports().any(|port| port.name == name) {
                    found.push(format!("{name}: no such {direction:?} of the module"));
                }
            }
        }
        found
    }
}

/// Names the ports of a block: `pins!(Block<1, 2>: clock; in a b; out c d)`, `pins!(Block: in a; out b)`
/// for one without a clock.
#[macro_export]
macro_rules! pins {
    ($block:ty: clock; in $($input:ident)*; out $($output:ident)*) => {
        $crate::pins!(@ $block; Some(|block: &mut $block, level| {
            block.clock.next = $crate::block::stepped::clock(level);
        }); $($input)*; $($output)*)
    };
    ($block:ty: in $($input:ident)*; out $($output:ident)*) => {
        $crate::pins!(@ $block; None; $($input)*; $($output)*)
    };
    (@ $block:ty; $clock:expr; $($input:ident)*; $($output:ident)*) => {{
        use $crate::block::stepped::{PinValue, Pins};
        Pins::<$block> {
            clock: $clock,
            inputs: vec![$((stringify!($input).to_owned(), (|block, word| {
                block.$input.next = PinValue::from_word(word);
            }) as fn(&mut $block, u32))),*],
            outputs: vec![$((stringify!($output).to_owned(), (|block| {
                PinValue::to_word(block.$output.val())
            }) as fn(&$block) -> u32)),*],
        }
    }};
}

/// A level of the clock, for [`pins!`](crate::pins).
pub fn clock(level: bool) -> Clock {
    Clock { clk: level }
}

/// A block in rust-hdl's simulator.
pub struct SteppedBlock<B> {
    block: Box<B>,
    pins: Pins<B>,
    /// an input was set or the clock rose since the block last settled
    moved: bool,
}

impl<B: Block> SteppedBlock<B> {
    /// Powers the block up.
    pub fn new(mut block: B, pins: Pins<B>) -> Self {
        block.connect_all();
        Self {
            block: Box::new(block),
            pins,
            moved: true,
        }
    }

    fn settle(&mut self) {
        if self.moved {
            if let Some(clock) = self.pins.clock {
                clock(&mut self.block, false);
            }
            settle(&mut *self.block);
            self.moved = false;
        }
    }
}

impl<B: Block> Dut for SteppedBlock<B> {
    fn set(&mut self, port: &str, value: u32) {
        find(&self.pins.inputs, port)(&mut self.block, value);
        self.moved = true;
    }

    fn get(&mut self, port: &str) -> u32 {
        self.settle();
        find(&self.pins.outputs, port)(&self.block)
    }

    fn cycle(&mut self) {
        self.settle();
        if let Some(clock) = self.pins.clock {
            clock(&mut self.block, true);
            settle(&mut *self.block);
            self.moved = true;
        }
    }

    fn outputs(&mut self) -> Vec<u32> {
        self.settle();
        let outputs = self.pins.outputs.iter();
        outputs.map(|(_, read)| read(&self.block)).collect()
    }
}
