//! Runs of real instructions with right results, as the retirement ports of real cores show them.
//!
//! Loads read anything (nothing here depends on memory), branches and jumps go where they say.

use crate::stimulus::Random;
use lookback_log_format::isa::{self, opcode};
use lookback_log_format::Retire;

/// How a port shows an access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Word-aligned address, lane masks.
    Aligned,
    /// Byte address, access at bit 0.
    ByteAddress,
    /// Byte address, lane masks.
    ByteAddressLanes,
    /// PicoRV32: word-aligned address, loads show the whole word, stores repeat their data.
    WholeWord,
    /// Ibex: as `ByteAddress`, a read mask on every instruction, loaded data extended.
    ReadMaskAlways,
}

impl Style {
    /// All of them.
    pub const ALL: [Style; 5] = [
        Style::Aligned,
        Style::ByteAddress,
        Style::ByteAddressLanes,
        Style::WholeWord,
        Style::ReadMaskAlways,
    ];
}

/// A core that runs random instructions; see [`Iterator`]. The same seed runs the same instructions
/// in every style.
#[derive(Debug, Clone)]
pub struct Core {
    random: Random,
    /// What a port shows where it means nothing.
    noise: Random,
    style: Style,
    registers: [u32; 32],
    order: u64,
    pc: u32,
}

impl Core {
    /// A core just out of reset.
    pub fn new(seed: u64, style: Style) -> Self {
        Self {
            random: Random::new(seed),
            noise: Random::new(!seed),
            style,
            registers: [0; 32],
            order: 0,
            pc: 0x8000_0000,
        }
    }

    fn register(&self, number: u32) -> u32 {
        self.registers[(number & 31) as usize]
    }

    /// A word of a kind that the run can execute.
    fn word(&mut self) -> u32 {
        let bits = self.random.word();
        let few = bits & 0x00f7_8780; // registers below 16, so that values meet
        let funct3 = |list: &[u32], random: &mut Random| random.pick(list) << 12;
        let random = &mut self.random;
        match random.below(20) {
            0..=2 => match funct3(&[0, 1, 2, 3, 4, 5, 6, 7], random) {
                0x1000 => few | bits & 0x01f0_0000 | 0x1013,
                0x5000 => few | bits & 0x41f0_0000 | 0x5013,
                other => few | bits & 0xfff0_0000 | other | opcode::OP_IMM,
            },
            3..=5 => {
                let funct3 = funct3(&[0, 1, 2, 3, 4, 5, 6, 7], random);
                let alternative = matches!(funct3, 0 | 0x5000) && random.chance(500);
                few | funct3 | u32::from(alternative) << 30 | opcode::OP
            }
            6 => few | 1 << 25 | funct3(&[0, 3, 4, 7], random) | opcode::OP,
            7 => bits & 0xffff_f780 | random.pick(&[opcode::LUI, opcode::AUIPC]),
            8..=11 => bits & 0xfff7_8780 | funct3(&[0, 1, 2, 4, 5], random) | opcode::LOAD,
            12..=14 => bits & 0xfef7_8f80 | funct3(&[0, 1, 2], random) | opcode::STORE,
            15 => bits & 0x81f7_8f80 | funct3(&[0, 1, 4, 5, 6, 7], random) | opcode::BRANCH,
            16 => bits & 0xfff7_8780 & !(3 << 20) | random.pick(&[opcode::JAL, opcode::JALR]),
            17 => match random.pick(&[0, 1, 2, 3, 4, 28]) {
                2 => few & !(31 << 20) | 2 << 27 | 2 << 12 | opcode::AMO,
                other => few | other << 27 | 2 << 12 | opcode::AMO,
            },
            18 => bits & 0xfff7_8780 | funct3(&[1, 2, 3, 5, 6, 7], random) | opcode::SYSTEM,
            _ => random.pick(&[
                opcode::MISC_MEM,
                0x3020_0073,
                few | 0x0b,
                few | 1 << 25 | 0x0b,
                few | 1 << 29 | opcode::OP,
            ]),
        }
    }

    /// Loads a base register with what makes the address of `insn` a multiple of `size`.
    fn align(&mut self, insn: u32, size: u32) -> Option<Retire> {
        let probe = Retire {
            insn,
            ..self.blank()
        };
        let address = self.address(&probe);
        let base = insn >> 15 & 31;
        if address % size == 0 || base == 0 {
            return None;
        }
        // andi base, base, -4 helps unless the immediate is at fault; addi does then.
        let fix = (address % size).wrapping_neg() & 0xfff;
        Some(self.execute(fix << 20 | base << 15 | base << 7 | opcode::OP_IMM, 4))
    }

    fn address(&self, r: &Retire) -> u32 {
        let signed = r.insn as i32;
        let offset = match r.insn & 0x7f {
            opcode::AMO => 0,
            opcode::STORE => signed >> 25 << 5 | signed >> 7 & 31,
            _ => signed >> 20,
        };
        self.register(r.insn >> 15).wrapping_add(offset as u32)
    }

    /// A compressed word, with noise where it has ended.
    fn short_word(&mut self) -> u32 {
        loop {
            // A few words among 49,152 need care of their own, and would hardly ever come:
            // `c.ebreak`, `c.jr` and `c.jalr`.
            let register = 1 + self.random.below(31);
            let word = match self.random.chance(60) {
                true => self.random.pick(&[
                    isa::C_EBREAK,
                    0x8002 | register << 7,
                    0x9002 | register << 7,
                ]),
                false => self.random.word() & 0xffff,
            };
            // Nobody has the stores of floating point.
            if isa::is_compressed(word) && isa::expand(word) & 0x7f != 0x27 {
                return word | self.noise.pick(&[0, 0xffff_0000, 0x1234_0000]);
            }
        }
    }

    /// A retirement of nothing, with noise where nothing is meant.
    fn blank(&mut self) -> Retire {
        Retire {
            order: self.order,
            mode: 3,
            pc_rdata: self.pc,
            mem_addr: self.noise.word(),
            mem_rdata: self.noise.word(),
            mem_wdata: self.noise.word(),
            ..Retire::default()
        }
    }

    /// Runs one instruction of some bytes.
    fn execute(&mut self, insn: u32, size: u32) -> Retire {
        let mut r = Retire {
            insn,
            pc_wdata: self.pc.wrapping_add(size),
            ..self.blank()
        };
        let (left, right) = (self.register(insn >> 15), self.register(insn >> 20));
        let major = insn & 0x7f;
        let sources = !matches!(major, opcode::LUI | opcode::AUIPC | opcode::JAL);
        if sources && !isa::is_opaque(insn) || self.noise.chance(300) {
            (r.rs1_addr, r.rs1_rdata) = ((insn >> 15 & 31) as u8, left);
            (r.rs2_addr, r.rs2_rdata) = ((insn >> 20 & 31) as u8, right);
        }
        if self.style == Style::ReadMaskAlways {
            r.mem_rmask = 15;
        }
        let field = (insn >> 7 & 31) as u8;
        match major {
            opcode::LOAD => self.load(&mut r, field),
            opcode::STORE => self.store(&mut r, right, 1 << (insn >> 12 & 3)),
            opcode::AMO => self.atomic(&mut r, field, right),
            opcode::MISC_MEM => {}
            opcode::SYSTEM if insn >> 12 & 7 == 0 => r.pc_wdata = self.random.word() & !1,
            opcode::BRANCH | opcode::JAL | opcode::JALR => self.jump(&mut r, field, left, right),
            0x0b if insn >> 25 == 1 => {}
            opcode::OP_IMM => {
                let immediate = (insn as i32 >> 20) as u32;
                let other = insn >> 12 & 7 == 5 && insn >> 30 & 1 != 0;
                (r.rd_addr, r.rd_wdata) = (field, compute(insn, left, immediate, other));
            }
            opcode::OP if matches!(insn >> 25, 0 | 0x20) => {
                let value = compute(insn, left, right, insn >> 30 != 0);
                (r.rd_addr, r.rd_wdata) = (field, value);
            }
            opcode::LUI => (r.rd_addr, r.rd_wdata) = (field, insn & !0xfff),
            opcode::AUIPC => {
                (r.rd_addr, r.rd_wdata) = (field, self.pc.wrapping_add(insn & !0xfff));
            }
            _ => (r.rd_addr, r.rd_wdata) = (field, self.random.word()),
        }
        self.retire(r)
    }

    fn retire(&mut self, mut r: Retire) -> Retire {
        if r.rd_addr == 0 {
            r.rd_wdata = 0;
        }
        self.registers[usize::from(r.rd_addr)] = r.rd_wdata;
        self.order += 1;
        self.pc = r.pc_wdata;
        r
    }

    fn load(&mut self, r: &mut Retire, field: u8) {
        let size = 1 << (r.insn >> 12 & 3);
        let address = self.address(r);
        let word = self.random.word();
        let value = word >> (8 * (address & 3)) & (u32::MAX >> (32 - 8 * size));
        let value = match r.insn >> 12 & 7 {
            0 => value as i8 as u32,
            1 => value as i16 as u32,
            _ => value,
        };
        (r.rd_addr, r.rd_wdata) = (field, value);
        self.show(r, address, size, word, value);
        r.mem_rmask = std::mem::take(&mut r.mem_wmask);
        r.mem_rdata = r.mem_wdata;
        if self.style == Style::WholeWord {
            (r.mem_rmask, r.mem_rdata) = (15, word);
        }
    }

    fn store(&mut self, r: &mut Retire, value: u32, size: u32) {
        let address = self.address(r);
        let repeated = match size {
            1 => (value & 0xff) * 0x0101_0101,
            2 => (value & 0xffff) * 0x0001_0001,
            _ => value,
        };
        self.show(r, address, size, repeated, value);
        if self.style == Style::ReadMaskAlways {
            r.mem_rmask = r.mem_wmask;
        }
    }

    fn atomic(&mut self, r: &mut Retire, field: u8, right: u32) {
        let word = self.random.word();
        let stored = self.random.chance(700);
        (r.rd_addr, r.rd_wdata) = (field, word);
        r.mem_addr = self.address(r);
        r.mem_rdata = word;
        match r.insn >> 27 {
            2 => r.mem_rmask = 15,
            3 => {
                r.rd_wdata = u32::from(!stored);
                r.mem_wmask = if stored { 15 } else { 0 };
                r.mem_wdata = right;
            }
            _ => (r.mem_rmask, r.mem_wmask) = (15, 15),
        }
    }

    /// An access as a store: `word` in its lanes, or `value` at bit 0.
    fn show(&mut self, r: &mut Retire, address: u32, size: u32, word: u32, value: u32) {
        let low = ((1u32 << size) - 1) as u8;
        let mask = (u32::from(low) << (address & 3)) as u8 & 15;
        let lanes = lookback_log_format::retire::lanes;
        let noise = self.noise.word();
        (r.mem_addr, r.mem_wmask, r.mem_wdata) = match self.style {
            Style::Aligned => (
                address & !3,
                mask,
                word & lanes(mask) | noise & !lanes(mask),
            ),
            Style::ByteAddressLanes => (address, mask, word & lanes(mask)),
            Style::WholeWord => (address & !3, mask, word),
            Style::ByteAddress | Style::ReadMaskAlways => (address, low, value),
        };
    }

    fn jump(&mut self, r: &mut Retire, field: u8, left: u32, right: u32) {
        let insn = r.insn;
        let bits = |from: u32, count: u32, to: u32| (insn >> from & ((1 << count) - 1)) << to;
        let sign = |from: u32| if insn >> 31 != 0 { u32::MAX << from } else { 0 };
        let taken = match insn >> 12 & 7 {
            0 => left == right,
            1 => left != right,
            4 => (left as i32) < right as i32,
            5 => left as i32 >= right as i32,
            6 => left < right,
            _ => left >= right,
        };
        let link = r.pc_wdata;
        match insn & 0x7f {
            opcode::JAL => {
                let offset = bits(12, 8, 12) | bits(20, 1, 11) | bits(21, 10, 1) | sign(20);
                r.pc_wdata = self.pc.wrapping_add(offset);
                (r.rd_addr, r.rd_wdata) = (field, link);
            }
            opcode::JALR => {
                r.pc_wdata = left.wrapping_add((insn as i32 >> 20) as u32) & !1;
                (r.rd_addr, r.rd_wdata) = (field, link);
            }
            _ if taken => {
                let offset = bits(7, 1, 11) | bits(25, 6, 5) | bits(8, 4, 1) | sign(12);
                r.pc_wdata = self.pc.wrapping_add(offset);
            }
            _ => {}
        }
    }
}

/// Arithmetic of OP and OP-IMM.
fn compute(insn: u32, left: u32, right: u32, other: bool) -> u32 {
    let amount = right & 31;
    match insn >> 12 & 7 {
        0 if other => left.wrapping_sub(right),
        0 => left.wrapping_add(right),
        1 => left << amount,
        2 => u32::from((left as i32) < right as i32),
        3 => u32::from(left < right),
        4 => left ^ right,
        5 if other => (left as i32 >> amount) as u32,
        5 => left >> amount,
        6 => left | right,
        _ => left & right,
    }
}

impl Iterator for Core {
    type Item = Retire;

    fn next(&mut self) -> Option<Retire> {
        let raw = match self.random.chance(300) {
            true => self.short_word(),
            false => self.word(),
        };
        let insn = isa::expand(raw);
        let size = match insn & 0x7f {
            opcode::STORE | opcode::AMO => 1 << (insn >> 12 & 3),
            // A core may do misaligned loads by itself.
            opcode::LOAD if self.random.chance(950) => 1 << (insn >> 12 & 3),
            _ => 1,
        };
        if let Some(fix) = self.align(insn, size) {
            return Some(fix);
        }
        if insn >> 15 & 31 == 0 && size > 1 {
            return Some(self.execute(opcode::MISC_MEM, 4));
        }
        let mut retire = self.execute(insn, isa::size(raw));
        retire.insn = raw;
        Some(retire)
    }
}

/// Damages one signal of a retirement, as a wiring mistake or a bug in a core would. `false` if
/// nothing is damaged.
pub fn damage(r: &mut Retire, random: &mut Random) -> bool {
    let before = *r;
    let bit = 1u32 << random.below(32);
    let small = 1u8 << random.below(5);
    let lane = 1u8 << random.below(4);
    match random.below(15) {
        0 => r.order ^= u64::from(bit),
        1 => r.insn ^= bit,
        2 => r.rs1_addr ^= small,
        3 => r.rs2_addr ^= small,
        4 => r.rs1_rdata ^= bit,
        5 => r.rs2_rdata ^= bit,
        6 => r.rd_addr ^= small,
        7 => r.rd_wdata ^= bit,
        8 => r.pc_rdata ^= bit,
        9 => r.pc_wdata ^= bit,
        10 => r.mem_addr ^= bit,
        11 => r.mem_rmask ^= lane,
        12 => r.mem_wmask ^= lane,
        13 => r.mem_rdata ^= bit,
        _ => r.mem_wdata ^= bit,
    }
    *r != before
}
