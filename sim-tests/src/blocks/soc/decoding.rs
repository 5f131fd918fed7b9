//! What the hart makes of an instruction word, from the tables of the RISC-V manual.

use crate::blocks::{seldom, Inputs, Lockstep};
use lookback_hdl::soc::alu::AluOp;
use lookback_hdl::soc::csr_select::CsrName;
use lookback_hdl::soc::decode::Kind;
use proptest::collection::vec;
use proptest::prelude::*;

/// A word on the bus, and whether it is decoded.
#[derive(Clone, Debug)]
pub struct Word {
    load: bool,
    insn: u32,
}

/// Words that are mostly instructions, or differ from one in a bit.
pub fn insn() -> BoxedStrategy<u32> {
    let opcode = prop_oneof![
        Just(0x37u32),
        Just(0x17),
        Just(0x6f),
        Just(0x67),
        Just(0x63),
        Just(0x03),
        Just(0x23),
        Just(0x13),
        Just(0x33),
        Just(0x0f),
        Just(0x73),
        Just(0x2f),
    ];
    // The legal ones, and those that differ from them in a bit.
    let near = (prop_oneof![Just(0u32), Just(1), Just(0x20)], 0..7u32);
    let near = near.prop_map(|(funct7, bit)| funct7 ^ 1 << bit);
    let shift_or_register = (
        prop_oneof![
            Just(0x13u32 | 1 << 12),
            Just(0x13 | 5 << 12),
            (0..8u32).prop_map(|n| 0x33 | n << 12)
        ],
        near.clone(),
        any::<u32>(),
    )
        .prop_map(|(operation, funct7, rest)| operation | funct7 << 25 | rest & 0x01ff_8f80);
    let funct7 =
        prop_oneof![2 => Just(0u32), 2 => Just(1), 2 => Just(0x20), 2 => near, 1 => 0..128u32];
    let funct5 = prop_oneof![
        Just(0u32),
        Just(1),
        Just(2),
        Just(3),
        Just(4),
        Just(8),
        Just(12),
        Just(16),
        Just(20),
        Just(24),
        Just(28),
        0..32u32
    ];
    let general =
        (opcode, funct7, 0..8u32, any::<u32>()).prop_map(|(opcode, funct7, funct3, rest)| {
            opcode | funct3 << 12 | funct7 << 25 | rest & 0x01ff_8f80
        });
    let amo = (
        funct5,
        any::<u32>(),
        prop_oneof![4 => Just(2u32), 1 => 0..8u32],
    )
        .prop_map(|(funct5, rest, funct3)| 0x2f | funct3 << 12 | funct5 << 27 | rest & 0x07ff_8f80);
    let lr = any::<u32>().prop_map(|rest| 0x1000_202f | rest & 0x060f_8f80);
    let system = prop_oneof![
        Just(0x0000_0073u32),
        Just(0x0010_0073),
        Just(0x3020_0073),
        Just(0x1050_0073)
    ];
    let near = (
        prop_oneof![general.clone(), lr.clone(), system.clone()],
        0..32u32,
    )
        .prop_map(|(word, bit)| word ^ 1 << bit);
    prop_oneof![
        8 => general,
        4 => shift_or_register,
        3 => amo,
        1 => lr,
        1 => system,
        3 => near,
        1 => any::<u32>(),
    ]
    .boxed()
}

fn words() -> BoxedStrategy<Vec<Word>> {
    let word = (seldom(800), insn()).prop_map(|(load, insn)| Word { load, insn });
    vec(word, 1..80).boxed()
}

fn inputs(step: &Word) -> Vec<(&'static str, u32)> {
    vec![("load", step.load.into()), ("word", step.insn)]
}

/// Holds the word that was decoded last.
#[derive(Default)]
struct Held(Option<u32>);

impl Held {
    /// The word that is shown; the next one is taken at the edge.
    fn cycle(&mut self, inputs: &Inputs) -> Option<u32> {
        let shown = self.0;
        if inputs.is("load") {
            self.0 = Some(inputs.get("word"));
        }
        shown
    }
}

fn bits(insn: u32, high: u32, low: u32) -> u32 {
    insn >> low & ((1 << (high - low + 1)) - 1)
}

/// RV32IMA, Zicsr and Zifencei.
pub fn kind(insn: u32) -> Kind {
    let (funct3, funct7) = (bits(insn, 14, 12), bits(insn, 31, 25));
    let legal = |is: bool, kind: Kind| if is { kind } else { Kind::Illegal };
    match insn & 0x7f {
        0x37 => Kind::AluImmediate,
        0x17 => Kind::Auipc,
        0x6f => Kind::Jal,
        0x67 => legal(funct3 == 0, Kind::Jalr),
        0x63 => legal(!matches!(funct3, 2 | 3), Kind::Branch),
        0x03 => legal(matches!(funct3, 0 | 1 | 2 | 4 | 5), Kind::Load),
        0x23 => legal(funct3 < 3, Kind::Store),
        0x13 => legal(
            match funct3 {
                1 => funct7 == 0,
                5 => matches!(funct7, 0 | 0x20),
                _ => true,
            },
            Kind::AluImmediate,
        ),
        0x33 => match (funct7, funct3) {
            (0, _) | (0x20, 0 | 5) => Kind::AluRegister,
            (1, _) => Kind::MulDiv,
            _ => Kind::Illegal,
        },
        0x0f => legal(funct3 < 2, Kind::Fence),
        0x2f if funct3 == 2 => match insn >> 27 {
            2 => legal(bits(insn, 24, 20) == 0, Kind::LoadReserved),
            3 => Kind::StoreConditional,
            0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28 => Kind::Amo,
            _ => Kind::Illegal,
        },
        0x73 => match (funct3, insn) {
            (_, 0x0000_0073) => Kind::Ecall,
            (_, 0x0010_0073) => Kind::Ebreak,
            (_, 0x3020_0073) => Kind::Mret,
            (_, 0x1050_0073) => Kind::Wfi,
            (0 | 4, _) => Kind::Illegal,
            _ => Kind::Csr,
        },
        _ => Kind::Illegal,
    }
}

/// The decoder.
#[derive(Default)]
pub struct Kinds(Held);

impl Lockstep for Kinds {
    type Step = Word;

    fn runs() -> BoxedStrategy<Vec<Word>> {
        words()
    }

    fn inputs(&self, step: &Word) -> Vec<(&'static str, u32)> {
        inputs(step)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let Some(insn) = self.0.cycle(inputs) else {
            return Vec::new();
        };
        vec![
            ("insn", insn),
            ("kind", kind(insn) as u32),
            ("rs1", bits(insn, 19, 15)),
            ("rs2", bits(insn, 24, 20)),
            ("rd", bits(insn, 11, 7)),
            ("funct3", bits(insn, 14, 12)),
        ]
    }
}

/// The immediate value.
pub fn immediate(insn: u32) -> u32 {
    let sign = |value: u32, bits: u32| ((value << (32 - bits)) as i32 >> (32 - bits)) as u32;
    match insn & 0x7f {
        0x37 | 0x17 => insn & 0xffff_f000,
        0x6f => sign(
            bits(insn, 31, 31) << 20
                | bits(insn, 19, 12) << 12
                | bits(insn, 20, 20) << 11
                | bits(insn, 30, 21) << 1,
            21,
        ),
        0x63 => sign(
            bits(insn, 31, 31) << 12
                | bits(insn, 7, 7) << 11
                | bits(insn, 30, 25) << 5
                | bits(insn, 11, 8) << 1,
            13,
        ),
        0x23 => sign(bits(insn, 31, 25) << 5 | bits(insn, 11, 7), 12),
        0x2f => 0,
        _ => sign(insn >> 20, 12),
    }
}

/// The immediate decoder.
#[derive(Default)]
pub struct Immediates(Held);

impl Lockstep for Immediates {
    type Step = Word;

    fn runs() -> BoxedStrategy<Vec<Word>> {
        words()
    }

    fn inputs(&self, step: &Word) -> Vec<(&'static str, u32)> {
        inputs(step)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let shown = self.0.cycle(inputs);
        // Of what has no immediate value nothing is promised.
        let shown = shown.filter(|insn| !matches!(kind(*insn), Kind::Illegal | Kind::AluRegister));
        shown
            .map(|insn| ("imm", immediate(insn)))
            .into_iter()
            .collect()
    }
}

/// The arithmetic unit's operation for an instruction that uses it.
pub fn operation(insn: u32) -> Option<AluOp> {
    let (funct3, alternate) = (bits(insn, 14, 12), insn >> 30 & 1 == 1);
    Some(match (kind(insn), insn & 0x7f) {
        (Kind::AluImmediate, 0x37) => AluOp::Swap,
        (Kind::Amo, _) => match insn >> 27 {
            0 => AluOp::Add,
            1 => AluOp::Swap,
            4 => AluOp::Xor,
            8 => AluOp::Or,
            12 => AluOp::And,
            16 => AluOp::Min,
            20 => AluOp::Max,
            24 => AluOp::MinUnsigned,
            _ => AluOp::MaxUnsigned,
        },
        (Kind::AluImmediate | Kind::AluRegister, opcode) => match funct3 {
            0 if alternate && opcode == 0x33 => AluOp::Sub,
            0 => AluOp::Add,
            1 => AluOp::ShiftLeft,
            2 => AluOp::Less,
            3 => AluOp::LessUnsigned,
            4 => AluOp::Xor,
            5 if alternate => AluOp::ShiftArithmetic,
            5 => AluOp::ShiftRight,
            6 => AluOp::Or,
            _ => AluOp::And,
        },
        _ => return None,
    })
}

/// The operation decoder.
#[derive(Default)]
pub struct Operations(Held);

impl Lockstep for Operations {
    type Step = Word;

    fn runs() -> BoxedStrategy<Vec<Word>> {
        words()
    }

    fn inputs(&self, step: &Word) -> Vec<(&'static str, u32)> {
        inputs(step)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let operation = self.0.cycle(inputs).and_then(operation);
        operation
            .map(|op| ("alu_op", op as u32))
            .into_iter()
            .collect()
    }
}

/// The registers of the privileged architecture that this hart has.
pub fn csr(number: u32) -> CsrName {
    match number {
        0x300 => CsrName::Status,
        0x301 => CsrName::Isa,
        0x304 => CsrName::Enables,
        0x305 => CsrName::Vector,
        0x306 => CsrName::CounterEnable,
        0x320 => CsrName::Inhibit,
        0x340 => CsrName::Scratch,
        0x341 => CsrName::Epc,
        0x342 => CsrName::Cause,
        0x343 => CsrName::Value,
        0x344 => CsrName::Pending,
        0xb00 | 0xc00 => CsrName::Cycle,
        0xb80 | 0xc80 => CsrName::CycleHigh,
        0xc01 => CsrName::Time,
        0xc81 => CsrName::TimeHigh,
        0xb02 | 0xc02 => CsrName::Instret,
        0xb82 | 0xc82 => CsrName::InstretHigh,
        0xb01 | 0xb81 => CsrName::Unknown,
        // mstatush, menvcfg, menvcfgh; the other counters and their events; PMP; who it is.
        0x310 | 0x30a | 0x31a => CsrName::Zero,
        0x323..=0x33f | 0xb03..=0xb1f | 0xb83..=0xb9f | 0xc03..=0xc1f | 0xc83..=0xc9f => {
            CsrName::Zero
        }
        0xf14 => CsrName::HartId,
        0x3a0..=0x3ef | 0xf11..=0xf15 => CsrName::Zero,
        _ => CsrName::Unknown,
    }
}

/// The CSR's name.
#[derive(Default)]
pub struct CsrNames(Held);

impl Lockstep for CsrNames {
    type Step = Word;

    fn runs() -> BoxedStrategy<Vec<Word>> {
        let known = (0..0x1000u32).prop_filter("a register", |n| csr(*n) != CsrName::Unknown);
        let near = (known.clone(), 0..12u32).prop_map(|(number, bit)| number ^ 1 << bit);
        let number = prop_oneof![4 => known, 2 => near, 1 => 0..0x1000u32];
        let word = (seldom(800), number, 0..1u32 << 20).prop_map(|(load, number, rest)| Word {
            load,
            insn: number << 20 | rest,
        });
        vec(word, 1..80).boxed()
    }

    fn inputs(&self, step: &Word) -> Vec<(&'static str, u32)> {
        inputs(step)
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let shown = self.0.cycle(inputs);
        // mcountinhibit's neighbours are reserved.
        let shown = shown.filter(|insn| !matches!(insn >> 20, 0x321 | 0x322));
        let name = shown.map(|insn| ("name", csr(insn >> 20) as u32));
        name.into_iter().collect()
    }
}
