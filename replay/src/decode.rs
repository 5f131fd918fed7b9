//! Instruction words of RV32IMA, Zicsr and Zifencei, taken apart.
//!
//! Strict: whatever the specification does not define for these extensions is [`Op::Illegal`],
//! as it is for the hart. A compressed instruction is taken apart as the one that it stands for.

use lookback_log_format::isa;

/// What an instruction does. Named as in the specification.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// No instruction that the hart has.
    Illegal,
    /// An attached core's instruction whose result the log has.
    Opaque,
    /// One that is executed, and whose result the log has all the same: they must agree. The immediate
    /// says which, as its place among [`MUL_DIV`].
    Compared,
    Lui,
    Auipc,
    Jal,
    Jalr,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Fence,
    FenceI,
    Ecall,
    Ebreak,
    Mret,
    Wfi,
    Csrrw,
    Csrrs,
    Csrrc,
    Csrrwi,
    Csrrsi,
    Csrrci,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
    LrW,
    ScW,
    AmoswapW,
    AmoaddW,
    AmoxorW,
    AmoandW,
    AmoorW,
    AmominW,
    AmomaxW,
    AmominuW,
    AmomaxuW,
}

/// Multiplications and divisions.
pub const MUL_DIV: [Op; 8] = [
    Op::Mul,
    Op::Mulh,
    Op::Mulhsu,
    Op::Mulhu,
    Op::Div,
    Op::Divu,
    Op::Rem,
    Op::Remu,
];

/// An instruction in eight bytes, so that a decoded page stays in the first-level cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insn {
    /// What it does.
    pub op: Op,
    /// Destination register; 0 for none.
    pub rd: u8,
    /// First source register, or the 5-bit immediate of a CSR instruction.
    pub rs1: u8,
    /// Second source register. Above its five bits stands how much shorter than four bytes an
    /// instruction is that will be executed; see `Insn::size`.
    pub rs2: u8,
    /// Immediate, shift amount or CSR number.
    pub imm: u32,
}

impl Insn {
    /// What any word decodes to that is not an instruction.
    pub const ILLEGAL: Self = Self {
        op: Op::Illegal,
        rd: 0,
        rs1: 0,
        rs2: 0,
        imm: 0,
    };

    /// The same for a compressed instruction.
    pub(crate) fn shortened(self) -> Self {
        Self {
            rs2: self.rs2 | 2 << 5,
            ..self
        }
    }

    /// Bytes of an instruction that is executed.
    #[inline(always)]
    pub(crate) fn size(&self) -> u32 {
        4 - u32::from(self.rs2 >> 5)
    }
}

const fn rd(word: u32) -> u8 {
    (word >> 7 & 31) as u8
}

const fn rs1(word: u32) -> u8 {
    (word >> 15 & 31) as u8
}

const fn rs2(word: u32) -> u8 {
    (word >> 20 & 31) as u8
}

const fn imm_i(word: u32) -> u32 {
    ((word as i32) >> 20) as u32
}

const fn imm_s(word: u32) -> u32 {
    (((word & 0xfe00_0000) as i32) >> 20) as u32 | (word >> 7 & 31)
}

const fn imm_b(word: u32) -> u32 {
    (((word & 0x8000_0000) as i32) >> 19) as u32
        | (word & 0x80) << 4
        | word >> 20 & 0x7e0
        | word >> 7 & 0x1e
}

const fn imm_j(word: u32) -> u32 {
    (((word & 0x8000_0000) as i32) >> 11) as u32
        | word & 0xf_f000
        | word >> 9 & 0x800
        | word >> 20 & 0x7fe
}

/// Takes an instruction word apart. What is compressed has nothing in its upper half.
pub fn decode(word: u32) -> Insn {
    let word = match word {
        0..=0xffff => isa::expand(word),
        _ => word,
    };
    let funct3 = word >> 12 & 7;
    let register = |op, imm| Insn {
        op,
        rd: rd(word),
        rs1: rs1(word),
        rs2: 0,
        imm,
    };
    match word & 0x7f {
        0x37 => upper(Op::Lui, word),
        0x17 => upper(Op::Auipc, word),
        0x6f => Insn {
            op: Op::Jal,
            rd: rd(word),
            rs1: 0,
            rs2: 0,
            imm: imm_j(word),
        },
        0x67 if funct3 == 0 => register(Op::Jalr, imm_i(word)),
        0x63 => branch(word, funct3),
        0x03 => match funct3 {
            0 => register(Op::Lb, imm_i(word)),
            1 => register(Op::Lh, imm_i(word)),
            2 => register(Op::Lw, imm_i(word)),
            4 => register(Op::Lbu, imm_i(word)),
            5 => register(Op::Lhu, imm_i(word)),
            _ => Insn::ILLEGAL,
        },
        0x23 => store(word, funct3),
        0x13 => immediate(word, funct3),
        0x33 => arithmetic(word, funct3),
        0x0f => match funct3 {
            0 => Insn {
                op: Op::Fence,
                ..Insn::ILLEGAL
            },
            1 => Insn {
                op: Op::FenceI,
                ..Insn::ILLEGAL
            },
            _ => Insn::ILLEGAL,
        },
        0x73 => system(word, funct3),
        0x2f if funct3 == 2 => atomic(word),
        _ => Insn::ILLEGAL,
    }
}

fn upper(op: Op, word: u32) -> Insn {
    Insn {
        op,
        rd: rd(word),
        rs1: 0,
        rs2: 0,
        imm: word & 0xffff_f000,
    }
}

fn branch(word: u32, funct3: u32) -> Insn {
    let op = match funct3 {
        0 => Op::Beq,
        1 => Op::Bne,
        4 => Op::Blt,
        5 => Op::Bge,
        6 => Op::Bltu,
        7 => Op::Bgeu,
        _ => return Insn::ILLEGAL,
    };
    Insn {
        op,
        rd: 0,
        rs1: rs1(word),
        rs2: rs2(word),
        imm: imm_b(word),
    }
}

fn store(word: u32, funct3: u32) -> Insn {
    let op = match funct3 {
        0 => Op::Sb,
        1 => Op::Sh,
        2 => Op::Sw,
        _ => return Insn::ILLEGAL,
    };
    Insn {
        op,
        rd: 0,
        rs1: rs1(word),
        rs2: rs2(word),
        imm: imm_s(word),
    }
}

fn immediate(word: u32, funct3: u32) -> Insn {
    let (mut imm, shift) = (imm_i(word), word >> 20 & 31);
    let op = match (funct3, word >> 25) {
        (0, _) => Op::Addi,
        (2, _) => Op::Slti,
        (3, _) => Op::Sltiu,
        (4, _) => Op::Xori,
        (6, _) => Op::Ori,
        (7, _) => Op::Andi,
        (1, 0) => Op::Slli,
        (5, 0) => Op::Srli,
        (5, 0x20) => Op::Srai,
        _ => return Insn::ILLEGAL,
    };
    if funct3 == 1 || funct3 == 5 {
        imm = shift;
    }
    Insn {
        op,
        rd: rd(word),
        rs1: rs1(word),
        rs2: 0,
        imm,
    }
}

fn arithmetic(word: u32, funct3: u32) -> Insn {
    const BASE: [Op; 8] = [
        Op::Add,
        Op::Sll,
        Op::Slt,
        Op::Sltu,
        Op::Xor,
        Op::Srl,
        Op::Or,
        Op::And,
    ];
    const MULTIPLY: [Op; 8] = [
        Op::Mul,
        Op::Mulh,
        Op::Mulhsu,
        Op::Mulhu,
        Op::Div,
        Op::Divu,
        Op::Rem,
        Op::Remu,
    ];
    let op = match (word >> 25, funct3) {
        (0, _) => BASE[funct3 as usize],
        (1, _) => MULTIPLY[funct3 as usize],
        (0x20, 0) => Op::Sub,
        (0x20, 5) => Op::Sra,
        _ => return Insn::ILLEGAL,
    };
    Insn {
        op,
        rd: rd(word),
        rs1: rs1(word),
        rs2: rs2(word),
        imm: 0,
    }
}

fn system(word: u32, funct3: u32) -> Insn {
    let op = match (funct3, word) {
        (0, 0x0000_0073) => Op::Ecall,
        (0, 0x0010_0073) => Op::Ebreak,
        (0, 0x3020_0073) => Op::Mret,
        (0, 0x1050_0073) => Op::Wfi,
        (1, _) => Op::Csrrw,
        (2, _) => Op::Csrrs,
        (3, _) => Op::Csrrc,
        (5, _) => Op::Csrrwi,
        (6, _) => Op::Csrrsi,
        (7, _) => Op::Csrrci,
        _ => return Insn::ILLEGAL,
    };
    if funct3 == 0 {
        return Insn {
            op,
            ..Insn::ILLEGAL
        };
    }
    Insn {
        op,
        rd: rd(word),
        rs1: rs1(word),
        rs2: 0,
        imm: word >> 20,
    }
}

fn atomic(word: u32) -> Insn {
    let op = match word >> 27 {
        0x02 if rs2(word) == 0 => Op::LrW,
        0x03 => Op::ScW,
        0x01 => Op::AmoswapW,
        0x00 => Op::AmoaddW,
        0x04 => Op::AmoxorW,
        0x0c => Op::AmoandW,
        0x08 => Op::AmoorW,
        0x10 => Op::AmominW,
        0x14 => Op::AmomaxW,
        0x18 => Op::AmominuW,
        0x1c => Op::AmomaxuW,
        _ => return Insn::ILLEGAL,
    };
    Insn {
        op,
        rd: rd(word),
        rs1: rs1(word),
        rs2: rs2(word),
        imm: 0,
    }
}

/// Whether a word is SYSTEM with `funct3 = 0`, after which only the log knows the next pc.
pub fn is_plain_system(word: u32) -> bool {
    word & 0x707f == 0x73
}

impl Op {
    /// Memory is read.
    pub fn is_load(self) -> bool {
        use Op::*;
        matches!(self, Lb | Lh | Lw | Lbu | Lhu | LrW) || self.is_amo()
    }

    /// Memory is written, or may be.
    pub fn is_store(self) -> bool {
        matches!(self, Op::Sb | Op::Sh | Op::Sw | Op::ScW) || self.is_amo()
    }

    /// Memory is read and written at once.
    pub fn is_amo(self) -> bool {
        self as u8 >= Op::AmoswapW as u8
    }

    /// A CSR instruction.
    pub fn is_csr(self) -> bool {
        use Op::*;
        matches!(self, Csrrw | Csrrs | Csrrc | Csrrwi | Csrrsi | Csrrci)
    }

    /// A conditional branch.
    pub fn is_branch(self) -> bool {
        use Op::*;
        matches!(self, Beq | Bne | Blt | Bge | Bltu | Bgeu)
    }

    /// Bytes of a memory access, 0 if there is none.
    pub fn access_bytes(self) -> u32 {
        use Op::*;
        match self {
            Lb | Lbu | Sb => 1,
            Lh | Lhu | Sh => 2,
            _ if self.is_load() || self.is_store() => 4,
            _ => 0,
        }
    }
}

impl Insn {
    /// The data address of a load or store, from the value of `rs1`.
    pub fn address(&self, rs1: u32) -> Option<u32> {
        (self.op.access_bytes() > 0).then(|| rs1.wrapping_add(self.imm))
    }

    /// The first source register, if the instruction has one.
    pub fn source1(&self) -> Option<u8> {
        use Op::*;
        match self.op {
            Illegal | Opaque | Compared | Lui | Auipc | Jal | Fence | FenceI | Ecall | Ebreak
            | Mret | Wfi | Csrrwi | Csrrsi | Csrrci => None,
            _ => Some(self.rs1),
        }
    }

    /// The second source register, if the instruction has one.
    pub fn source2(&self) -> Option<u8> {
        use Op::*;
        match self.op {
            Beq | Bne | Blt | Bge | Bltu | Bgeu | Sb | Sh | Sw | ScW => Some(self.rs2),
            Add | Sub | Sll | Slt | Sltu | Xor | Srl | Sra | Or | And => Some(self.rs2),
            Mul | Mulh | Mulhsu | Mulhu | Div | Divu | Rem | Remu => Some(self.rs2),
            op if op.is_amo() => Some(self.rs2),
            _ => None,
        }
    }
}
