//! What the hart computes with: arithmetic unit, multiplier, byte lanes, registers.

use crate::blocks::{seldom, word, Check, Inputs, Lockstep, Records};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Operands that are often equal or nearly so.
fn operands() -> BoxedStrategy<(u32, u32)> {
    prop_oneof![
        4 => (word(), word()),
        1 => word().prop_map(|a| (a, a)),
        1 => (word(), -2..3i32).prop_map(|(a, by)| (a, a.wrapping_add_signed(by))),
        1 => (word(), 0..32u32).prop_map(|(a, bit)| (a, a ^ 1 << bit)),
    ]
    .boxed()
}

/// The arithmetic unit.
#[derive(Default)]
pub struct Results;

/// An operation, by its number, and operands.
#[derive(Clone, Debug)]
pub struct Compute {
    op: u32,
    a: u32,
    b: u32,
}

impl Lockstep for Results {
    type Step = Compute;

    fn runs() -> BoxedStrategy<Vec<Compute>> {
        let step = (0..15u32, operands()).prop_map(|(op, (a, b))| Compute { op, a, b });
        vec(step, 1..80).boxed()
    }

    fn inputs(&self, step: &Compute) -> Vec<(&'static str, u32)> {
        vec![("op", step.op), ("a", step.a), ("b", step.b)]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let (a, b) = (inputs.get("a"), inputs.get("b"));
        let (signed_a, signed_b) = (a as i32, b as i32);
        let distance = b & 31;
        let y = match inputs.get("op") {
            0 => a.wrapping_add(b),
            1 => a.wrapping_sub(b),
            2 => a << distance,
            3 => a >> distance,
            4 => (signed_a >> distance) as u32,
            5 => (signed_a < signed_b).into(),
            6 => (a < b).into(),
            7 => a ^ b,
            8 => a | b,
            9 => a & b,
            10 => b,
            11 => signed_a.min(signed_b) as u32,
            12 => signed_a.max(signed_b) as u32,
            13 => a.min(b),
            _ => a.max(b),
        };
        vec![
            ("y", y),
            ("equal", (a == b).into()),
            ("less", (signed_a < signed_b).into()),
            ("less_unsigned", (a < b).into()),
        ]
    }
}

/// Byte lanes of loads and stores.
#[derive(Default)]
pub struct Parts;

/// An access.
#[derive(Clone, Debug)]
pub struct Part {
    size: u32,
    offset: u32,
    value: u32,
    word: u32,
    stores: bool,
}

impl Lockstep for Parts {
    type Step = Part;

    fn runs() -> BoxedStrategy<Vec<Part>> {
        let size = prop_oneof![Just(0u32), Just(1), Just(2), Just(4), Just(5)];
        let part = (size, 0..4u32, word(), word(), any::<bool>());
        let part = part.prop_map(|(size, offset, value, word, stores)| Part {
            size,
            offset,
            value,
            word,
            // A store has no unsigned form.
            stores: stores && size < 4,
        });
        vec(part, 1..80).boxed()
    }

    fn inputs(&self, step: &Part) -> Vec<(&'static str, u32)> {
        vec![
            ("size", step.size),
            ("offset", step.offset),
            ("value", step.value),
            ("word", step.word),
            ("stores", step.stores.into()),
            ("loads", (!step.stores).into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let (size, offset) = (inputs.get("size"), inputs.get("offset"));
        let bytes = 1 << (size & 3);
        let misaligned = offset % bytes != 0;
        let mut seen = vec![("misaligned", misaligned.into())];
        if misaligned {
            return seen;
        }
        let mask = ((1 << bytes) - 1) << offset;
        seen.push(("mask", mask));
        if inputs.is("stores") {
            let value = inputs.get("value");
            seen.push((
                "stored",
                match bytes {
                    1 => (value & 0xff) * 0x0101_0101,
                    2 => (value & 0xffff) * 0x0001_0001,
                    _ => value,
                },
            ));
        } else {
            let part = inputs.get("word") >> (8 * offset);
            seen.push((
                "loaded",
                match size {
                    0 => part as u8 as i8 as u32,
                    1 => part as u16 as i16 as u32,
                    4 => part & 0xff,
                    5 => part & 0xffff,
                    _ => part,
                },
            ));
        }
        seen
    }
}

/// The M extension.
pub struct Products;

/// An operation, and whether it is broken off by a reset.
#[derive(Clone, Debug)]
pub struct Product {
    funct3: u32,
    a: u32,
    b: u32,
    pause: u8,
    reset: Option<u8>,
}

impl Product {
    fn result(&self) -> u32 {
        let (a, b) = (self.a, self.b);
        let (wide_a, wide_b) = (i64::from(a as i32), i64::from(b as i32));
        match self.funct3 {
            0 => a.wrapping_mul(b),
            1 => ((wide_a * wide_b) >> 32) as u32,
            2 => ((wide_a * i64::from(b)) >> 32) as u32,
            3 => ((u64::from(a) * u64::from(b)) >> 32) as u32,
            4 if b == 0 => u32::MAX,
            4 => (wide_a / wide_b) as u32,
            5 => a.checked_div(b).unwrap_or(u32::MAX),
            6 if b == 0 => a,
            6 => (wide_a % wide_b) as u32,
            _ => a.checked_rem(b).unwrap_or(a),
        }
    }
}

impl Check for Products {
    type Step = Product;

    fn runs() -> BoxedStrategy<Vec<Product>> {
        let operands = prop_oneof![
            5 => operands(),
            1 => word().prop_map(|a| (a, 0)),
            1 => Just((0x8000_0000, u32::MAX)),
            1 => (word(), 1..20u32),
        ];
        let reset = (seldom(30), 0..30u8).prop_map(|(is, after)| is.then_some(after));
        let product = (0..8u32, operands, 0..3u8, reset);
        let product = product.prop_map(|(funct3, (a, b), pause, reset)| Product {
            funct3,
            a,
            b,
            pause,
            reset,
        });
        vec(product, 1..12).boxed()
    }

    fn drive(run: &[Product], dut: &mut dyn Dut, out: &mut Records) {
        for product in run {
            (0..product.pause).for_each(|_| dut.cycle());
            dut.set("funct3", product.funct3);
            dut.set("a", product.a);
            dut.set("b", product.b);
            dut.set("start", 1);
            dut.cycle();
            dut.set("start", 0);
            if let Some(after) = product.reset {
                (0..after).for_each(|_| dut.cycle());
                dut.set("reset", 1);
                dut.cycle();
                dut.set("reset", 0);
                out.say("done", dut.get("done"));
                continue;
            }
            let mut took = 1u32;
            while dut.get("done") == 0 && took < 100 {
                dut.cycle();
                took += 1;
            }
            out.say("cycles", took);
            out.say("result", dut.get("result"));
            dut.cycle();
            out.say("done", dut.get("done"));
        }
    }

    fn expect(run: &[Product], out: &mut Records) {
        for product in run {
            if product.reset.is_none() {
                out.say("cycles", if product.funct3 < 4 { 33u32 } else { 35 });
                out.say("result", product.result());
            }
            out.say("done", false);
        }
    }
}

/// The register file.
#[derive(Default)]
pub struct Cells {
    cells: [u32; 32],
    read: Option<(u32, u32)>,
}

/// Two reads and perhaps a write.
#[derive(Clone, Debug)]
pub struct Access {
    insn: u32,
    write: Option<(u32, u32)>,
}

impl Lockstep for Cells {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        let write = (seldom(600), 1..32u32, word());
        let access = (any::<u32>(), write, seldom(300)).prop_map(|(insn, write, same)| {
            let (writes, rd, value) = write;
            // Often the register that is being read.
            let insn = if same {
                insn & !(31 << 15) | rd << 15
            } else {
                insn
            };
            Access {
                insn,
                write: writes.then_some((rd, value)),
            }
        });
        vec(access, 1..120).boxed()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let (rd, value) = step.write.unwrap_or((step.insn >> 20 & 31, 0xbad));
        vec![
            ("read_insn", step.insn),
            ("write", step.write.is_some().into()),
            ("write_address", rd),
            ("write_data", value),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let seen = self
            .read
            .map(|(left, right)| [("left", left), ("right", right)]);
        let insn = inputs.get("read_insn");
        let cell = |from: u32| self.cells[(insn >> from & 31) as usize];
        self.read = Some((cell(15), cell(20)));
        if inputs.is("write") {
            self.cells[inputs.get("write_address") as usize] = inputs.get("write_data");
        }
        seen.into_iter().flatten().collect()
    }
}
