//! Instructions as text, the way GNU objdump writes them: pseudo-instructions where there are any,
//! absolute addresses for jumps and branches.

use crate::decode::{decode, Insn, Op};
use lookback_log_format::isa;
use std::borrow::Cow;

/// ABI names of the registers.
pub const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

fn name(register: u8) -> &'static str {
    REGISTERS[usize::from(register % 32)]
}

/// The name of a CSR.
pub fn csr_name(number: u32) -> Cow<'static, str> {
    Cow::Borrowed(match number {
        0x300 => "mstatus",
        0x301 => "misa",
        0x302 => "medeleg",
        0x303 => "mideleg",
        0x304 => "mie",
        0x305 => "mtvec",
        0x306 => "mcounteren",
        0x310 => "mstatush",
        0x320 => "mcountinhibit",
        0x340 => "mscratch",
        0x341 => "mepc",
        0x342 => "mcause",
        0x343 => "mtval",
        0x344 => "mip",
        0xb00 => "mcycle",
        0xb02 => "minstret",
        0xb80 => "mcycleh",
        0xb82 => "minstreth",
        0xc00 => "cycle",
        0xc01 => "time",
        0xc02 => "instret",
        0xc80 => "cycleh",
        0xc81 => "timeh",
        0xc82 => "instreth",
        0xf11 => "mvendorid",
        0xf12 => "marchid",
        0xf13 => "mimpid",
        0xf14 => "mhartid",
        0xf15 => "mconfigptr",
        0x3a0..=0x3af => return Cow::Owned(format!("pmpcfg{}", number - 0x3a0)),
        0x3b0..=0x3ef => return Cow::Owned(format!("pmpaddr{}", number - 0x3b0)),
        0x323..=0x33f => return Cow::Owned(format!("mhpmevent{}", number - 0x320)),
        0xb03..=0xb1f => return Cow::Owned(format!("mhpmcounter{}", number - 0xb00)),
        0xb83..=0xb9f => return Cow::Owned(format!("mhpmcounter{}h", number - 0xb80)),
        _ => return Cow::Owned(format!("0x{number:x}")),
    })
}

/// The target of a jump or branch at `pc`, if its word alone tells it.
pub fn target(word: u32, pc: u32) -> Option<u32> {
    let insn = decode(word);
    (insn.op == Op::Jal || insn.op.is_branch()).then(|| pc.wrapping_add(insn.imm))
}

/// One instruction at an address, mnemonic and operands separated by a tab as objdump does.
pub fn disassemble(word: u32, pc: u32) -> String {
    let insn = decode(word);
    let (mnemonic, operands) = text(&insn, word, pc);
    if operands.is_empty() {
        mnemonic.into_owned()
    } else {
        format!("{mnemonic}\t{operands}")
    }
}

type Text = (Cow<'static, str>, String);

fn plain(mnemonic: &'static str, operands: String) -> Text {
    (Cow::Borrowed(mnemonic), operands)
}

fn text(insn: &Insn, word: u32, pc: u32) -> Text {
    let (rd, rs1, rs2) = (name(insn.rd), name(insn.rs1), name(insn.rs2));
    let (imm, upper) = (insn.imm as i32, insn.imm >> 12);
    match insn.op {
        Op::Illegal if isa::is_compressed(word) && (1..=0xffff).contains(&word) => {
            plain(".2byte", format!("0x{word:x}"))
        }
        Op::Illegal => plain(".word", format!("0x{word:08x}")),
        Op::Lui => plain("lui", format!("{rd},0x{upper:x}")),
        Op::Auipc => plain("auipc", format!("{rd},0x{upper:x}")),
        Op::Jal => jal(insn, pc),
        Op::Jalr => jalr(insn),
        op if op.is_branch() => branch(insn, pc),
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => {
            plain(mnemonic(insn.op), format!("{rd},{imm}({rs1})"))
        }
        Op::Sb | Op::Sh | Op::Sw => plain(mnemonic(insn.op), format!("{rs2},{imm}({rs1})")),
        Op::Fence => fence(word),
        Op::FenceI | Op::Ecall | Op::Ebreak | Op::Mret | Op::Wfi => {
            plain(mnemonic(insn.op), String::new())
        }
        op if op.is_csr() => csr(insn),
        op if op.is_amo() || matches!(op, Op::LrW | Op::ScW) => atomic(insn, word),
        Op::Add if insn.rs1 == 0 => plain("mv", format!("{rd},{rs2}")),
        Op::Sub if insn.rs1 == 0 => plain("neg", format!("{rd},{rs2}")),
        Op::Sltu if insn.rs1 == 0 => plain("snez", format!("{rd},{rs2}")),
        Op::Slt if insn.rs2 == 0 => plain("sltz", format!("{rd},{rs1}")),
        Op::Slt if insn.rs1 == 0 => plain("sgtz", format!("{rd},{rs2}")),
        _ if insn.source2().is_some() => plain(mnemonic(insn.op), format!("{rd},{rs1},{rs2}")),
        _ => immediate(insn),
    }
}

fn immediate(insn: &Insn) -> Text {
    let (rd, rs1, imm) = (name(insn.rd), name(insn.rs1), insn.imm as i32);
    match (insn.op, imm) {
        (Op::Addi, 0) if insn.rd == 0 && insn.rs1 == 0 => plain("nop", String::new()),
        (Op::Addi, _) if insn.rs1 == 0 => plain("li", format!("{rd},{imm}")),
        (Op::Addi, 0) => plain("mv", format!("{rd},{rs1}")),
        (Op::Xori, -1) => plain("not", format!("{rd},{rs1}")),
        (Op::Sltiu, 1) => plain("seqz", format!("{rd},{rs1}")),
        (Op::Andi, 255) => plain("zext.b", format!("{rd},{rs1}")),
        (Op::Slli | Op::Srli | Op::Srai, _) => {
            plain(mnemonic(insn.op), format!("{rd},{rs1},0x{imm:x}"))
        }
        _ => plain(mnemonic(insn.op), format!("{rd},{rs1},{imm}")),
    }
}

fn jal(insn: &Insn, pc: u32) -> Text {
    let target = pc.wrapping_add(insn.imm);
    match insn.rd {
        0 => plain("j", format!("{target:x}")),
        1 => plain("jal", format!("{target:x}")),
        rd => plain("jal", format!("{},{target:x}", name(rd))),
    }
}

fn jalr(insn: &Insn) -> Text {
    let (rs1, imm) = (name(insn.rs1), insn.imm as i32);
    let place = if imm == 0 {
        rs1.to_string()
    } else {
        format!("{imm}({rs1})")
    };
    match (insn.rd, insn.rs1, imm) {
        (0, 1, 0) => plain("ret", String::new()),
        (0, _, _) => plain("jr", place),
        (1, _, _) => plain("jalr", place),
        (rd, _, _) => plain("jalr", format!("{},{place}", name(rd))),
    }
}

fn branch(insn: &Insn, pc: u32) -> Text {
    let target = pc.wrapping_add(insn.imm);
    let (rs1, rs2) = (name(insn.rs1), name(insn.rs2));
    let with_zero = match insn.op {
        Op::Beq => Some("beqz"),
        Op::Bne => Some("bnez"),
        Op::Blt => Some("bltz"),
        Op::Bge => Some("bgez"),
        _ => None,
    };
    match (insn.op, with_zero) {
        (_, Some(mnemonic)) if insn.rs2 == 0 => plain(mnemonic, format!("{rs1},{target:x}")),
        (Op::Blt, _) if insn.rs1 == 0 => plain("bgtz", format!("{rs2},{target:x}")),
        (Op::Bge, _) if insn.rs1 == 0 => plain("blez", format!("{rs2},{target:x}")),
        (op, _) => plain(mnemonic(op), format!("{rs1},{rs2},{target:x}")),
    }
}

fn fence(word: u32) -> Text {
    let set = |bits: u32| -> String {
        let letters = [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')];
        let present = letters.iter().filter(|(bit, _)| bits & bit != 0);
        present.map(|&(_, letter)| letter).collect()
    };
    let (before, after) = (set(word >> 24 & 15), set(word >> 20 & 15));
    match (before.as_str(), after.as_str(), word >> 28) {
        ("iorw", "iorw", 0) => plain("fence", String::new()),
        ("rw", "rw", 8) => plain("fence.tso", String::new()),
        ("w", "", 0) => plain("pause", String::new()),
        (before, after, _) => {
            let or_unknown = |text: &str| {
                if text.is_empty() {
                    "unknown".into()
                } else {
                    text.to_string()
                }
            };
            plain(
                "fence",
                format!("{},{}", or_unknown(before), or_unknown(after)),
            )
        }
    }
}

fn csr(insn: &Insn) -> Text {
    let (rd, rs1, field) = (name(insn.rd), name(insn.rs1), insn.rs1);
    let csr = csr_name(insn.imm);
    let counter = match insn.imm {
        0xc00 => Some("rdcycle"),
        0xc01 => Some("rdtime"),
        0xc02 => Some("rdinstret"),
        0xc80 => Some("rdcycleh"),
        0xc81 => Some("rdtimeh"),
        0xc82 => Some("rdinstreth"),
        _ => None,
    };
    match (insn.op, insn.rd, insn.rs1) {
        (Op::Csrrs, _, 0) => match counter {
            Some(mnemonic) => plain(mnemonic, rd.into()),
            None => plain("csrr", format!("{rd},{csr}")),
        },
        (Op::Csrrw, 0, _) => plain("csrw", format!("{csr},{rs1}")),
        (Op::Csrrs, 0, _) => plain("csrs", format!("{csr},{rs1}")),
        (Op::Csrrc, 0, _) => plain("csrc", format!("{csr},{rs1}")),
        (Op::Csrrwi, 0, _) => plain("csrwi", format!("{csr},{field}")),
        (Op::Csrrsi, 0, _) => plain("csrsi", format!("{csr},{field}")),
        (Op::Csrrci, 0, _) => plain("csrci", format!("{csr},{field}")),
        (Op::Csrrwi | Op::Csrrsi | Op::Csrrci, _, _) => {
            plain(mnemonic(insn.op), format!("{rd},{csr},{field}"))
        }
        _ => plain(mnemonic(insn.op), format!("{rd},{csr},{rs1}")),
    }
}

fn atomic(insn: &Insn, word: u32) -> Text {
    let ordering = match word >> 25 & 3 {
        0 => "",
        1 => ".rl",
        2 => ".aq",
        _ => ".aqrl",
    };
    let (rd, rs1, rs2) = (name(insn.rd), name(insn.rs1), name(insn.rs2));
    let operands = match insn.op {
        Op::LrW => format!("{rd},({rs1})"),
        _ => format!("{rd},{rs2},({rs1})"),
    };
    let mnemonic = format!("{}{ordering}", mnemonic(insn.op));
    (Cow::Owned(mnemonic), operands)
}

fn mnemonic(op: Op) -> &'static str {
    use Op::*;
    match op {
        Illegal | Opaque | Compared => ".word",
        Lui => "lui",
        Auipc => "auipc",
        Jal => "jal",
        Jalr => "jalr",
        Beq => "beq",
        Bne => "bne",
        Blt => "blt",
        Bge => "bge",
        Bltu => "bltu",
        Bgeu => "bgeu",
        Lb => "lb",
        Lh => "lh",
        Lw => "lw",
        Lbu => "lbu",
        Lhu => "lhu",
        Sb => "sb",
        Sh => "sh",
        Sw => "sw",
        Addi => "addi",
        Slti => "slti",
        Sltiu => "sltiu",
        Xori => "xori",
        Ori => "ori",
        Andi => "andi",
        Slli => "slli",
        Srli => "srli",
        Srai => "srai",
        Add => "add",
        Sub => "sub",
        Sll => "sll",
        Slt => "slt",
        Sltu => "sltu",
        Xor => "xor",
        Srl => "srl",
        Sra => "sra",
        Or => "or",
        And => "and",
        Fence => "fence",
        FenceI => "fence.i",
        Ecall => "ecall",
        Ebreak => "ebreak",
        Mret => "mret",
        Wfi => "wfi",
        Csrrw => "csrrw",
        Csrrs => "csrrs",
        Csrrc => "csrrc",
        Csrrwi => "csrrwi",
        Csrrsi => "csrrsi",
        Csrrci => "csrrci",
        Mul => "mul",
        Mulh => "mulh",
        Mulhsu => "mulhsu",
        Mulhu => "mulhu",
        Div => "div",
        Divu => "divu",
        Rem => "rem",
        Remu => "remu",
        LrW => "lr.w",
        ScW => "sc.w",
        AmoswapW => "amoswap.w",
        AmoaddW => "amoadd.w",
        AmoxorW => "amoxor.w",
        AmoandW => "amoand.w",
        AmoorW => "amoor.w",
        AmominW => "amomin.w",
        AmomaxW => "amomax.w",
        AmominuW => "amominu.w",
        AmomaxuW => "amomaxu.w",
    }
}
