//! What an instruction word implies for a retirement, from the RISC-V manual and section 8 of the log
//! format.

use crate::blocks::soc::{immediate, insn};
use crate::blocks::{word, Inputs, Lockstep};
use lookback_log_format::isa::{expand, is_compressed, is_opaque, opcode};
use lookback_log_format::Retire;
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::stimulus::Random;
use proptest::collection::vec;
use proptest::prelude::*;

/// The block has no state.
#[derive(Default)]
pub struct Implied;

/// A word, its operands, and the access that a port shows with it.
#[derive(Clone, Debug)]
pub struct Case {
    insn: u32,
    short: bool,
    pc: u32,
    left: u32,
    right: u32,
    addr: u32,
    masks: (u8, u8),
    data: (u32, u32),
}

impl From<Retire> for Case {
    fn from(r: Retire) -> Self {
        Self {
            insn: expand(r.insn),
            short: is_compressed(r.insn),
            pc: r.pc_rdata,
            left: r.rs1_rdata,
            right: r.rs2_rdata,
            addr: r.mem_addr,
            masks: (r.mem_rmask, r.mem_wmask),
            data: (r.mem_rdata, r.mem_wdata),
        }
    }
}

impl Lockstep for Implied {
    type Step = Case;

    fn runs() -> BoxedStrategy<Vec<Case>> {
        let style = proptest::sample::select(&Style::ALL[..]);
        let real = (any::<u64>(), style, 1..80usize).prop_map(|(seed, style, count)| {
            let mut random = Random::new(seed ^ 9);
            let case = |mut raw: Retire| {
                if random.chance(200) {
                    damage(&mut raw, &mut random);
                }
                Case::from(raw)
            };
            Core::new(seed, style).take(count).map(case).collect()
        });
        let operands = prop_oneof![
            3 => (word(), word()),
            1 => word().prop_map(|a| (a, a)),
            1 => (word(), -2..3i32).prop_map(|(a, by)| (a, a.wrapping_add_signed(by))),
        ];
        let any_case = (
            (insn(), any::<bool>(), word(), operands),
            (0..4u32, 0..16u8, 0..16u8),
            (word(), word()),
        );
        let any_case = any_case.prop_map(|((insn, short, pc, (left, right)), access, data)| Case {
            // No other word comes here.
            insn: insn | 3,
            short,
            pc,
            left,
            right,
            addr: access.0,
            masks: (access.1, access.2),
            data,
        });
        prop_oneof![real, vec(any_case, 1..80)].boxed()
    }

    fn inputs(&self, case: &Case) -> Vec<(&'static str, u32)> {
        vec![
            ("insn", case.insn),
            ("short", case.short.into()),
            ("pc", case.pc),
            ("left", case.left),
            ("right", case.right),
            ("mem_low", case.addr & 3),
            ("mem_rmask", case.masks.0.into()),
            ("mem_wmask", case.masks.1.into()),
            ("mem_rdata", case.data.0),
            ("mem_wdata", case.data.1),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let insn = inputs.get("insn");
        let word = Word::new(inputs);
        let (left, right) = word.sources();
        let mut seen = vec![("reads_left", left.into()), ("reads_right", right.into())];
        let opaque = is_opaque(insn);
        let misaligned = word.kind != Kind::Other && word.address % word.size != 0;
        let unsupported = if opaque {
            inputs.is("mem_wmask")
        } else {
            misaligned && word.kind != Kind::Load
        };
        let checked = !opaque && !misaligned;
        let is_opaque = opaque || misaligned && word.kind == Kind::Load;
        seen.extend([
            ("unsupported", unsupported.into()),
            ("checked", checked.into()),
            ("opaque", is_opaque.into()),
        ]);
        if is_opaque {
            seen.push(("rd", insn >> 7 & 31));
        }
        if checked {
            word.destination(&mut seen);
            word.next(&mut seen);
            word.access(&mut seen);
        }
        seen
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Load,
    Store,
    LoadReserved,
    StoreConditional,
    Amo,
    /// no access
    Other,
}

struct Word<'a> {
    inputs: &'a Inputs,
    insn: u32,
    opcode: u32,
    funct3: u32,
    kind: Kind,
    left: u32,
    right: u32,
    /// of an access, or of `jalr`
    address: u32,
    size: u32,
}

impl<'a> Word<'a> {
    fn new(inputs: &'a Inputs) -> Self {
        let insn = inputs.get("insn");
        let left = inputs.get("left");
        let kind = match (insn & 0x7f, insn >> 27) {
            (opcode::LOAD, _) => Kind::Load,
            (opcode::STORE, _) => Kind::Store,
            (opcode::AMO, 2) => Kind::LoadReserved,
            (opcode::AMO, 3) => Kind::StoreConditional,
            (opcode::AMO, _) => Kind::Amo,
            _ => Kind::Other,
        };
        Self {
            inputs,
            insn,
            opcode: insn & 0x7f,
            funct3: insn >> 12 & 7,
            kind,
            left,
            right: inputs.get("right"),
            address: left.wrapping_add(immediate(insn)),
            size: 1 << (insn >> 12 & 3),
        }
    }

    /// Bytes of the instruction.
    fn length(&self) -> u32 {
        match self.inputs.is("short") {
            true => 2,
            false => 4,
        }
    }

    /// Registers that the rules take values from: what an AMO makes of its second operand they leave
    /// to the digest.
    fn sources(&self) -> (bool, bool) {
        if is_opaque(self.insn) {
            return (false, false);
        }
        match self.opcode {
            opcode::OP | opcode::STORE | opcode::BRANCH => (true, true),
            opcode::AMO => (true, self.kind == Kind::StoreConditional),
            opcode::OP_IMM | opcode::LOAD | opcode::JALR => (true, false),
            opcode::SYSTEM => (matches!(self.funct3, 1..=3), false),
            _ => (false, false),
        }
    }

    fn destination(&self, seen: &mut Vec<(&'static str, u32)>) {
        let has_none = match self.opcode {
            opcode::STORE | opcode::BRANCH | opcode::MISC_MEM => true,
            opcode::SYSTEM => self.funct3 == 0,
            _ => false,
        };
        let rd = if has_none { 0 } else { self.insn >> 7 & 31 };
        seen.push(("rd", rd));
        if rd != 0 {
            let result = self.result();
            seen.push(("knows_result", result.is_some().into()));
            seen.extend(result.map(|result| ("result", result)));
        }
    }

    fn result(&self) -> Option<u32> {
        let pc = self.inputs.get("pc");
        let upper = self.insn & 0xffff_f000;
        Some(match self.opcode {
            opcode::LUI => upper,
            opcode::AUIPC => pc.wrapping_add(upper),
            opcode::JAL | opcode::JALR => pc.wrapping_add(self.length()),
            opcode::OP_IMM => {
                let alternative = self.funct3 == 5 && self.insn >> 30 & 1 == 1;
                self.arithmetic(immediate(self.insn), alternative)
            }
            opcode::OP if self.insn >> 25 == 1 => return None,
            opcode::OP => self.arithmetic(self.right, self.insn >> 30 & 1 == 1),
            opcode::LOAD => {
                let value = self.bytes("mem_rmask", "mem_rdata");
                match self.funct3 {
                    0 => value as u8 as i8 as u32,
                    1 => value as u16 as i16 as u32,
                    _ => value,
                }
            }
            opcode::AMO if self.kind != Kind::StoreConditional => self.inputs.get("mem_rdata"),
            _ => return None,
        })
    }

    fn arithmetic(&self, right: u32, alternative: bool) -> u32 {
        let (left, by) = (self.left, right & 31);
        match self.funct3 {
            0 if alternative => left.wrapping_sub(right),
            0 => left.wrapping_add(right),
            1 => left << by,
            2 => ((left as i32) < right as i32).into(),
            3 => (left < right).into(),
            4 => left ^ right,
            5 if alternative => (left as i32 >> by) as u32,
            5 => left >> by,
            6 => left | right,
            _ => left & right,
        }
    }

    fn next(&self, seen: &mut Vec<(&'static str, u32)>) {
        let is_known = !(self.opcode == opcode::SYSTEM && self.funct3 == 0);
        seen.push(("knows_next", is_known.into()));
        if !is_known {
            return;
        }
        let (left, right) = (self.left, self.right);
        let pc = self.inputs.get("pc");
        let is_taken = match self.funct3 {
            0 => left == right,
            1 => left != right,
            4 => (left as i32) < right as i32,
            5 => left as i32 >= right as i32,
            6 => left < right,
            _ => left >= right,
        };
        let target = match self.opcode {
            opcode::JALR => self.address & !1,
            opcode::JAL => pc.wrapping_add(immediate(self.insn)),
            opcode::BRANCH if is_taken => pc.wrapping_add(immediate(self.insn)),
            _ => pc.wrapping_add(self.length()),
        };
        seen.push(("next_pc", target));
    }

    fn access(&self, seen: &mut Vec<(&'static str, u32)>) {
        let (rmask, wmask) = (
            self.inputs.get("mem_rmask") as u8,
            self.inputs.get("mem_wmask") as u8,
        );
        let (reads, writes) = match self.kind {
            Kind::Load | Kind::LoadReserved => (true, false),
            Kind::Store => (false, true),
            // One that failed has no access.
            Kind::StoreConditional => (false, wmask != 0),
            Kind::Amo => (true, true),
            Kind::Other => (false, false),
        };
        seen.push(("accesses", (reads || writes).into()));
        if reads || writes {
            seen.push(("address", self.address));
        }
        // A mask from bit 0 on goes up to its lanes, unless it has them all.
        let style = if self.kind == Kind::Store {
            wmask
        } else {
            rmask
        };
        let up = match style {
            15 => 0,
            mask if mask & 1 == 1 => self.inputs.get("mem_low"),
            _ => 0,
        };
        let lanes = |mask: u8| u32::from(mask) << up & 15;
        let wanted = ((1u32 << self.size) - 1) << (self.address & 3);
        let only = |is: bool, mask: u32| if is { mask } else { 0 };
        let (want_read, want_written) = (only(reads, wanted), only(writes, wanted));
        let (read, written) = (only(reads, lanes(rmask)), lanes(wmask));
        // A load may show more than it takes.
        let is_bad = want_read & !read != 0 || written != want_written;
        seen.push(("masks_bad", is_bad.into()));
        if is_bad {
            seen.push(("masks_want", want_read | want_written << 4));
            seen.push(("masks_got", read | written << 4));
            return;
        }
        let stores = self.kind == Kind::Store || self.kind == Kind::StoreConditional && writes;
        seen.push(("stores", stores.into()));
        if stores {
            let all = u32::MAX >> (32 - 8 * self.size);
            seen.push(("stored_want", self.right & all));
            seen.push(("stored_got", self.bytes("mem_wmask", "mem_wdata")));
        }
    }

    /// The bytes of the access at bit 0. They are there already when the mask says so.
    fn bytes(&self, mask: &str, data: &str) -> u32 {
        let is_low = self.inputs.get(mask) == (1 << self.size) - 1;
        let lane = if is_low { 0 } else { self.address & 3 };
        let all = u32::MAX >> (32 - 8 * self.size);
        self.inputs.get(data) >> (8 * lane) & all
    }
}
