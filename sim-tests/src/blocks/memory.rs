//! The memories that recorder and drain are built on.

use super::registry::Block;
use super::{seldom, Inputs, Lockstep};
use crate::block;
use lookback_hdl::memory::{BlockRam, LutRam, MarkedRam, PerHart};
use proptest::collection::vec;
use proptest::prelude::*;

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("lut-ram", Lut, 30; LutRam<12, 3>:
        clock; in read_address write_enable write_address write_data; out read_data),
    block!("block-ram", Registered, 30; BlockRam<12, 3>:
        clock; in read_address write_enable write_address write_data; out read_data),
    block!("marked-ram", Marked, 30; MarkedRam<8, 4, 3>:
        clock; in read_address write_enable write_address write_data write_mark;
        out read_data read_mark),
    block!("per-hart", Harts<4>, 30; PerHart<12, 4>:
        clock; in read_hart write_enable write_hart write_data; out read_data),
    block!("per-hart-single", Harts<1>, 10; PerHart<12, 1>:
        clock; in read_hart write_enable write_hart write_data; out read_data),
];

/// A read and perhaps a write in one cycle.
#[derive(Clone, Debug)]
pub struct Access {
    read: u32,
    write: Option<(u32, u32)>,
}

fn accesses() -> BoxedStrategy<Vec<Access>> {
    let write = (seldom(500), 0..8u32, 0..1u32 << 12);
    let access = (0..8u32, write).prop_map(|(read, (writes, address, data))| Access {
        read,
        write: writes.then_some((address, data)),
    });
    vec(access, 1..120).boxed()
}

fn ports(step: &Access) -> Vec<(&'static str, u32)> {
    let (address, data) = step.write.unwrap_or((step.read, 0xabc));
    vec![
        ("read_address", step.read),
        ("write_enable", step.write.is_some().into()),
        ("write_address", address),
        ("write_data", data),
    ]
}

/// Words that were written; a word that never was holds nothing that may be relied on.
#[derive(Default)]
struct Words([Option<u32>; 8]);

impl Words {
    fn read(&self, address: u32) -> Option<u32> {
        self.0[address as usize]
    }

    fn write(&mut self, inputs: &Inputs) {
        if inputs.is("write_enable") {
            self.0[inputs.get("write_address") as usize] = Some(inputs.get("write_data"));
        }
    }
}

/// LUT RAM: read in the same cycle.
#[derive(Default)]
pub struct Lut(Words);

impl Lockstep for Lut {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        accesses()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        ports(step)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let seen = self.0.read(inputs.get("read_address"));
        self.0.write(inputs);
        seen.map(|data| ("read_data", data)).into_iter().collect()
    }
}

/// Block RAM: what was read at the last edge, unless it was being written there.
#[derive(Default)]
pub struct Registered {
    words: Words,
    read: Option<u32>,
}

impl Lockstep for Registered {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        accesses()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        ports(step)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let seen = self.read;
        let address = inputs.get("read_address");
        let written = inputs.is("write_enable") && inputs.get("write_address") == address;
        self.read = self.words.read(address).filter(|_| !written);
        self.words.write(inputs);
        seen.map(|data| ("read_data", data)).into_iter().collect()
    }
}

/// Marked RAM: block RAM that shows a word in two parts.
#[derive(Default)]
pub struct Marked(Registered);

impl Lockstep for Marked {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        accesses()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let mut ports = ports(step);
        let data = step.write.map_or(0xabc, |(_, data)| data);
        ports.retain(|(port, _)| *port != "write_data");
        ports.extend([("write_data", data & 0xff), ("write_mark", data >> 8)]);
        ports
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut whole = inputs.0.clone();
        whole.push((
            "write_data",
            inputs.get("write_data") | inputs.get("write_mark") << 8,
        ));
        let seen = self.0.cycle(&Inputs(whole));
        let parts = |(_, data): (_, u32)| [("read_data", data & 0xff), ("read_mark", data >> 8)];
        seen.into_iter().flat_map(parts).collect()
    }
}

/// A word for each hart, or one word whichever hart is named.
#[derive(Default)]
pub struct Harts<const N: usize>(Words);

impl<const N: usize> Lockstep for Harts<N> {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        accesses()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let (hart, data) = step.write.unwrap_or((step.read, 0xabc));
        vec![
            ("read_hart", step.read % 4),
            ("write_enable", step.write.is_some().into()),
            ("write_hart", hart % 4),
            ("write_data", data),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let harts = N as u32;
        let seen = self.0.read(inputs.get("read_hart") % harts);
        if inputs.is("write_enable") {
            let hart = inputs.get("write_hart") % harts;
            self.0 .0[hart as usize] = Some(inputs.get("write_data"));
        }
        seen.map(|data| ("read_data", data)).into_iter().collect()
    }
}
