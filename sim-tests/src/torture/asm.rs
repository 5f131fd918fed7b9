//! Instruction words from their fields. Written for these tests alone: it shares nothing with the
//! decoders that it tests.

/// A register by its number.
pub type Reg = u32;

/// `lui`, `auipc` opcode of the second.
pub const AUIPC: u32 = 0x17;
const LUI: u32 = 0x37;

/// Registers and immediate: `addi`, loads, `jalr`, CSR accesses.
pub fn i_type(opcode: u32, funct3: u32, rd: Reg, rs1: Reg, imm: i32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// Three registers.
pub fn r_type(opcode: u32, funct3: u32, funct7: u32, rd: Reg, rs1: Reg, rs2: Reg) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// A store.
pub fn store(funct3: u32, rs2: Reg, base: Reg, imm: i32) -> u32 {
    let imm = imm as u32;
    (imm >> 5 & 0x7f) << 25 | rs2 << 20 | base << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23
}

/// A conditional branch; the offset in bytes.
pub fn branch(funct3: u32, rs1: Reg, rs2: Reg, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 12 & 1) << 31
        | (o >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (o >> 1 & 15) << 8
        | (o >> 11 & 1) << 7
        | 0x63
}

/// `jal`; the offset in bytes.
pub fn jal(rd: Reg, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 20 & 1) << 31
        | (o >> 1 & 0x3ff) << 21
        | (o >> 11 & 1) << 20
        | (o >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}

/// `jalr`.
pub fn jalr(rd: Reg, rs1: Reg, imm: i32) -> u32 {
    i_type(0x67, 0, rd, rs1, imm)
}

/// `lui` with the upper 20 bits of a value.
pub fn lui(rd: Reg, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | LUI
}

/// `addi`.
pub fn addi(rd: Reg, rs1: Reg, imm: i32) -> u32 {
    i_type(0x13, 0, rd, rs1, imm)
}

/// `lw`.
pub fn lw(rd: Reg, base: Reg, imm: i32) -> u32 {
    i_type(0x03, 2, rd, base, imm)
}

/// `sw`.
pub fn sw(rs2: Reg, base: Reg, imm: i32) -> u32 {
    store(2, rs2, base, imm)
}

/// Puts any value into a register: always two words, so that addresses can be laid out first.
pub fn li(rd: Reg, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

/// A CSR access: `funct3` 1 to 3 write, set, clear from a register, 5 to 7 from the 5 bits of `rs1`.
pub fn csr(funct3: u32, number: u32, rd: Reg, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73
}

/// Reads a CSR.
pub fn csrr(rd: Reg, number: u32) -> u32 {
    csr(2, number, rd, 0)
}

/// Writes a CSR.
pub fn csrw(number: u32, rs1: Reg) -> u32 {
    csr(1, number, 0, rs1)
}

/// An operation of the A extension on a word.
pub fn amo(funct5: u32, ordering: u32, rd: Reg, base: Reg, rs2: Reg) -> u32 {
    r_type(0x2f, 2, funct5 << 2 | ordering, rd, base, rs2)
}

/// Does nothing.
pub const NOP: u32 = 0x0000_0013;
/// Environment call.
pub const ECALL: u32 = 0x0000_0073;
/// Breakpoint.
pub const EBREAK: u32 = 0x0010_0073;
/// Return from a trap.
pub const MRET: u32 = 0x3020_0073;
/// Wait for an interrupt.
pub const WFI: u32 = 0x1050_0073;
/// Instruction fence.
pub const FENCE_I: u32 = 0x0000_100f;

/// Numbers of CSRs.
pub mod csrs {
    #![allow(missing_docs)]
    pub const MSTATUS: u32 = 0x300;
    pub const MISA: u32 = 0x301;
    pub const MIE: u32 = 0x304;
    pub const MTVEC: u32 = 0x305;
    pub const MCOUNTEREN: u32 = 0x306;
    pub const MCOUNTINHIBIT: u32 = 0x320;
    pub const MSCRATCH: u32 = 0x340;
    pub const MEPC: u32 = 0x341;
    pub const MCAUSE: u32 = 0x342;
    pub const MTVAL: u32 = 0x343;
    pub const MIP: u32 = 0x344;
    pub const PMPCFG0: u32 = 0x3a0;
    pub const PMPADDR0: u32 = 0x3b0;
    pub const MCYCLE: u32 = 0xb00;
    pub const MINSTRET: u32 = 0xb02;
    pub const MCYCLEH: u32 = 0xb80;
    pub const MINSTRETH: u32 = 0xb82;
    pub const CYCLE: u32 = 0xc00;
    pub const TIME: u32 = 0xc01;
    pub const INSTRET: u32 = 0xc02;
    pub const CYCLEH: u32 = 0xc80;
    pub const TIMEH: u32 = 0xc81;
    pub const INSTRETH: u32 = 0xc82;
    pub const MVENDORID: u32 = 0xf11;
    pub const MARCHID: u32 = 0xf12;
    pub const MIMPID: u32 = 0xf13;
    pub const MHARTID: u32 = 0xf14;
}

/// Code with labels, at a fixed address.
#[derive(Debug)]
pub struct Code {
    base: u32,
    words: Vec<u32>,
    labels: Vec<(&'static str, u32)>,
    jumps: Vec<(usize, &'static str)>,
}

impl Code {
    /// Code that begins at an address.
    pub fn at(base: u32) -> Self {
        Self {
            base,
            words: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
        }
    }

    /// The address of the next word.
    pub fn here(&self) -> u32 {
        self.base + 4 * self.words.len() as u32
    }

    /// Adds words.
    pub fn put(&mut self, words: impl IntoIterator<Item = u32>) -> &mut Self {
        self.words.extend(words);
        self
    }

    /// Names this place.
    pub fn label(&mut self, name: &'static str) -> &mut Self {
        self.labels.push((name, self.here()));
        self
    }

    /// Adds a branch or `jal`, given with offset 0, to a label anywhere in this code.
    pub fn to(&mut self, word: u32, label: &'static str) -> &mut Self {
        self.jumps.push((self.words.len(), label));
        self.put([word])
    }

    /// The address of a label.
    pub fn address(&self, label: &str) -> u32 {
        let found = self.labels.iter().find(|(name, _)| *name == label);
        found.expect("every label that is used is placed").1
    }

    /// The words, with all jumps resolved.
    pub fn finish(mut self) -> Vec<u32> {
        for (at, label) in std::mem::take(&mut self.jumps) {
            let from = self.base + 4 * at as u32;
            let offset = self.address(label).wrapping_sub(from) as i32;
            self.words[at] = with_offset(self.words[at], offset);
        }
        self.words
    }
}

/// A branch or `jal` that had offset 0, with this one.
pub fn with_offset(word: u32, offset: i32) -> u32 {
    if word & 0x7f == 0x6f {
        word | jal(0, offset) & 0xffff_f000
    } else {
        word | branch(0, 0, 0, offset) & 0xfe00_0f80
    }
}
