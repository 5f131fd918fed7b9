//! Checks what a retirement port says against what the instruction words imply, and keeps the first
//! breach of a recording: a recording of a port that lies cannot be replayed.

use lookback_log_format::isa::{self, opcode};
use lookback_log_format::Retire;

/// A retirement that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breach {
    /// 1 order, 2 zero, 3 registers, 4 destination, 5 result, 6 next, 7 address, 8 access,
    /// 9 unsupported.
    pub rule: u8,
    /// Retirements before it since the recording began, low 32 bits.
    pub at: u32,
    /// Its address.
    pub pc: u32,
    /// Its word.
    pub insn: u32,
    /// What the rule wants; 0 for rule 9. Masks are `rmask | wmask << 4`.
    pub want: u32,
    /// What the port shows; 0 for rule 9.
    pub got: u32,
}

/// A broken rule, and the values of [`Breach`].
type Verdict = Option<(u8, u32, u32)>;

/// The rules, and the registers as retirements have told since reset.
#[derive(Debug, Clone, Default)]
pub struct Conformance {
    registers: [u32; 32],
    order: Option<u32>,
    breach: Option<Breach>,
}

/// `want`, unless it is what the port shows.
fn equal(rule: u8, want: u32, got: u32) -> Verdict {
    (want != got).then_some((rule, want, got))
}

impl Conformance {
    /// The core was reset.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// A recording begins: forgets the breach and the order of the last retirement.
    pub fn clear(&mut self) {
        (self.order, self.breach) = (None, None);
    }

    /// What a register holds.
    pub fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number & 31)]
    }

    /// The first breach since [`Self::clear`].
    pub fn breach(&self) -> Option<Breach> {
        self.breach
    }

    /// Takes a raw retirement, which is number `at` of a recording if there is one.
    pub fn retire(&mut self, raw: &Retire, recording: bool, at: u32) {
        if recording && self.breach.is_none() {
            self.breach = self.check(raw).map(|(rule, want, got)| Breach {
                rule,
                at,
                pc: raw.pc_rdata,
                insn: match isa::is_compressed(raw.insn) {
                    true => raw.insn & 0xffff,
                    false => raw.insn,
                },
                want,
                got,
            });
        }
        self.order = Some(raw.order as u32);
        if !raw.trap && raw.rd_addr != 0 {
            self.registers[usize::from(raw.rd_addr & 31)] = raw.rd_wdata;
        }
    }

    /// The lowest-numbered rule that a retirement breaks.
    fn check(&self, raw: &Retire) -> Verdict {
        let order = self.order.map(|last| last.wrapping_add(1));
        let order = order.and_then(|want| equal(1, want, raw.order as u32));
        if raw.trap || order.is_some() {
            return order;
        }
        if raw.rd_addr == 0 && raw.rd_wdata != 0 {
            return Some((2, 0, raw.rd_wdata));
        }
        let size = isa::size(raw.insn);
        let expanded = Retire {
            insn: isa::expand(raw.insn),
            ..*raw
        };
        let raw = &expanded;
        self.sources(raw).or_else(|| {
            let word = Word::new(raw.insn, size, self);
            let field = raw.insn >> 7 & 31;
            let no_field = !matches!(u32::from(raw.rd_addr), rd if rd == 0 || rd == field);
            let strange = no_field.then_some((4, field, raw.rd_addr.into()));
            if isa::is_opaque(raw.insn) {
                return strange.or((raw.mem_wmask != 0).then_some((9, 0, 0)));
            }
            if isa::is_misaligned_load(raw.insn, word.address) {
                return strange;
            }
            if word.misaligned() {
                return Some((9, 0, 0));
            }
            word.destination(raw)
                .or_else(|| word.next(raw))
                .or_else(|| word.access(raw))
        })
    }

    /// Rule 3.
    fn sources(&self, raw: &Retire) -> Verdict {
        let source = |reads: bool, field: u32, addr: u8, got: u32| {
            let want = self.register(addr);
            let other = reads && u32::from(addr) != field;
            (addr != 0 && (other || want != got)).then_some((3, want, got))
        };
        let (reads_1, reads_2) = reads(raw.insn);
        source(reads_1, raw.insn >> 15 & 31, raw.rs1_addr, raw.rs1_rdata)
            .or_else(|| source(reads_2, raw.insn >> 20 & 31, raw.rs2_addr, raw.rs2_rdata))
    }
}

/// Whether the rs1 and rs2 fields of a word name registers that the rules take values from.
fn reads(insn: u32) -> (bool, bool) {
    if isa::is_opaque(insn) {
        return (false, false);
    }
    match insn & 0x7f {
        opcode::OP | opcode::STORE | opcode::BRANCH => (true, true),
        opcode::AMO => (true, insn >> 27 == 3),
        opcode::OP_IMM | opcode::LOAD | opcode::JALR => (true, false),
        opcode::SYSTEM => (matches!(insn >> 12 & 7, 1..=3), false),
        _ => (false, false),
    }
}

/// A known full-size instruction and its operands.
struct Word {
    insn: u32,
    /// Bytes of what stood for it.
    size: u32,
    opcode: u32,
    funct3: u32,
    left: u32,
    right: u32,
    /// Data address of loads, stores and atomics; target of `jalr`.
    address: u32,
}

impl Word {
    fn new(insn: u32, size: u32, registers: &Conformance) -> Self {
        let opcode = insn & 0x7f;
        let left = registers.register((insn >> 15 & 31) as u8);
        let signed = insn as i32;
        let offset = match opcode {
            opcode::AMO => 0,
            opcode::STORE => signed >> 25 << 5 | signed >> 7 & 31,
            _ => signed >> 20,
        };
        Self {
            insn,
            size,
            opcode,
            funct3: insn >> 12 & 7,
            left,
            right: registers.register((insn >> 20 & 31) as u8),
            address: left.wrapping_add(offset as u32),
        }
    }

    /// Size of the access in bytes.
    fn width(&self) -> u32 {
        1 << (self.funct3 & 3)
    }

    fn is_store_conditional(&self) -> bool {
        self.opcode == opcode::AMO && self.insn >> 27 == 3
    }

    /// A store or an atomic at an address that is no multiple of its size.
    fn misaligned(&self) -> bool {
        matches!(self.opcode, opcode::STORE | opcode::AMO) && self.address % self.width() != 0
    }

    /// Rules 4 and 5.
    fn destination(&self, raw: &Retire) -> Verdict {
        let has_rd = match self.opcode {
            opcode::STORE | opcode::BRANCH | opcode::MISC_MEM => false,
            opcode::SYSTEM => self.funct3 != 0,
            _ => true,
        };
        let rd = if has_rd { self.insn >> 7 & 31 } else { 0 };
        equal(4, rd, raw.rd_addr.into()).or_else(|| {
            if rd == 0 {
                return None;
            }
            self.result(raw)
                .and_then(|want| equal(5, want, raw.rd_wdata))
        })
    }

    /// What goes to the destination, where the rules know it.
    fn result(&self, raw: &Retire) -> Option<u32> {
        let upper = self.insn & 0xffff_f000;
        let immediate = (self.insn as i32 >> 20) as u32;
        let alternative = self.insn >> 30 & 1 != 0;
        match self.opcode {
            opcode::LUI => Some(upper),
            opcode::AUIPC => Some(raw.pc_rdata.wrapping_add(upper)),
            opcode::JAL | opcode::JALR => Some(raw.pc_rdata.wrapping_add(self.size)),
            opcode::OP_IMM => Some(self.arithmetic(immediate, alternative && self.funct3 == 5)),
            opcode::OP if self.insn >> 25 != 1 => Some(self.arithmetic(self.right, alternative)),
            opcode::LOAD => {
                let value = self.accessed(raw.mem_rmask, raw.mem_rdata);
                Some(match self.funct3 {
                    0 => value as i8 as u32,
                    1 => value as i16 as u32,
                    _ => value,
                })
            }
            opcode::AMO if !self.is_store_conditional() => Some(raw.mem_rdata),
            _ => None,
        }
    }

    fn arithmetic(&self, right: u32, alternative: bool) -> u32 {
        let left = self.left;
        match (self.funct3, alternative) {
            (0, false) => left.wrapping_add(right),
            (0, true) => left.wrapping_sub(right),
            (1, _) => left << (right & 31),
            (2, _) => u32::from((left as i32) < right as i32),
            (3, _) => u32::from(left < right),
            (4, _) => left ^ right,
            (5, false) => left >> (right & 31),
            (5, true) => (left as i32 >> (right & 31)) as u32,
            (6, _) => left | right,
            _ => left & right,
        }
    }

    /// Rule 6.
    fn next(&self, raw: &Retire) -> Verdict {
        let bits = |from: u32, count: u32, to: u32| (self.insn >> from & ((1 << count) - 1)) << to;
        let sign = |from: u32| {
            if self.insn >> 31 != 0 {
                u32::MAX << from
            } else {
                0
            }
        };
        let taken = match self.funct3 {
            0 => self.left == self.right,
            1 => self.left != self.right,
            4 => (self.left as i32) < self.right as i32,
            5 => self.left as i32 >= self.right as i32,
            6 => self.left < self.right,
            _ => self.left >= self.right,
        };
        let offset = match self.opcode {
            opcode::JAL => bits(12, 8, 12) | bits(20, 1, 11) | bits(21, 10, 1) | sign(20),
            opcode::BRANCH if taken => bits(7, 1, 11) | bits(25, 6, 5) | bits(8, 4, 1) | sign(12),
            _ => self.size,
        };
        let want = match self.opcode {
            opcode::SYSTEM if self.funct3 == 0 => return None,
            opcode::JALR => self.address & !1,
            _ => raw.pc_rdata.wrapping_add(offset),
        };
        equal(6, want, raw.pc_wdata)
    }

    /// Rules 7 and 8.
    fn access(&self, raw: &Retire) -> Verdict {
        let (reads, writes) = match self.opcode {
            opcode::LOAD => (true, false),
            opcode::STORE => (false, true),
            // One that failed has no access.
            opcode::AMO if self.is_store_conditional() => (false, raw.mem_wmask != 0),
            opcode::AMO => (true, self.insn >> 27 != 2),
            _ => (false, false),
        };
        let aligned = self.address & !3;
        if (reads || writes) && ![self.address, aligned].contains(&raw.mem_addr) {
            return Some((7, self.address, raw.mem_addr));
        }
        // Masks in their lanes, whichever the style.
        let style = if self.opcode == opcode::STORE {
            raw.mem_wmask
        } else {
            raw.mem_rmask
        };
        let low = style & 1 != 0 && style != 15;
        let shift = if low { raw.mem_addr & 3 } else { 0 };
        let lanes = ((1 << self.width()) - 1) << (self.address & 3);
        let only = |wanted: bool, lanes: u32| if wanted { lanes } else { 0 };
        let (rmask, wmask) = (
            only(reads, u32::from(raw.mem_rmask) << shift & 15),
            u32::from(raw.mem_wmask) << shift & 15,
        );
        // A load may show more than it takes.
        let (want_r, want_w) = (only(reads, lanes), only(writes, lanes));
        if rmask & want_r != want_r || wmask != want_w {
            return Some((8, want_r | want_w << 4, rmask | wmask << 4));
        }
        if self.opcode != opcode::STORE && !(self.is_store_conditional() && writes) {
            return None;
        }
        let want = self.right & (u32::MAX >> (32 - 8 * self.width()));
        equal(8, want, self.accessed(raw.mem_wmask, raw.mem_wdata))
    }

    /// The bytes of the access, at bit 0: they are there already when the mask says so.
    fn accessed(&self, mask: u8, data: u32) -> u32 {
        let low = u32::from(mask) == (1 << self.width()) - 1;
        let lane = if low { 0 } else { self.address & 3 };
        (data >> (8 * lane)) & (u32::MAX >> (32 - 8 * self.width()))
    }
}

#[cfg(test)]
mod tests;
