//! Compressed instructions: the full-size one that each of them stands for.
//!
//! RV32C, the parts of Zcb that a core may have beside it, and the compressed loads and stores of
//! floating point, which expand to words that are opaque. Sizes and fields are those of the
//! specification; a replayer knows only what comes out of [`expand`].

use super::opcode;

/// What a reserved compressed word expands to: an opaque instruction without a destination.
pub const RESERVED: u32 = 0x0000_000b;
/// `c.ebreak`.
pub const C_EBREAK: u32 = 0x9002;

const SP: u32 = 2;
const RA: u32 = 1;
/// Loads and stores of floating point.
const LOAD_FP: u32 = 0x07;
const STORE_FP: u32 = 0x27;

/// Bits `from` to `from + count - 1` of a word, moved to `to`.
const fn bits(word: u32, from: u32, count: u32, to: u32) -> u32 {
    (word >> from & ((1 << count) - 1)) << to
}

/// One of the eight registers that three bits can name.
const fn short_register(word: u32, from: u32) -> u32 {
    8 + bits(word, from, 3, 0)
}

/// `imm[5]` at bit 12 and `imm[4:0]` at bit 6, with its sign.
const fn signed_6(word: u32) -> u32 {
    let raw = bits(word, 12, 1, 5) | bits(word, 2, 5, 0);
    ((raw << 26) as i32 >> 26) as u32
}

const fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: u32) -> u32 {
    (imm & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

const fn s_type(opcode: u32, funct3: u32, rs2: u32, rs1: u32, imm: u32) -> u32 {
    bits(imm, 5, 7, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 | bits(imm, 0, 5, 7) | opcode
}

const fn r_type(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode::OP
}

/// The full-size instruction that an instruction is or stands for. The upper half of a compressed
/// word does not count.
pub const fn expand(insn: u32) -> u32 {
    let funct3 = bits(insn, 13, 3, 0);
    match insn & 3 {
        0 => quadrant_0(insn, funct3),
        1 => quadrant_1(insn, funct3),
        2 => quadrant_2(insn, funct3),
        _ => insn,
    }
}

const fn quadrant_0(word: u32, funct3: u32) -> u32 {
    let (low, base) = (short_register(word, 2), short_register(word, 7));
    let words = bits(word, 5, 1, 6) | bits(word, 10, 3, 3) | bits(word, 6, 1, 2);
    let doubles = bits(word, 5, 2, 6) | bits(word, 10, 3, 3);
    match funct3 {
        0 => {
            let imm = bits(word, 7, 4, 6)
                | bits(word, 11, 2, 4)
                | bits(word, 5, 1, 3)
                | bits(word, 6, 1, 2);
            if imm == 0 {
                RESERVED
            } else {
                i_type(opcode::OP_IMM, 0, low, SP, imm)
            }
        }
        1 => i_type(LOAD_FP, 3, low, base, doubles),
        2 => i_type(opcode::LOAD, 2, low, base, words),
        3 => i_type(LOAD_FP, 2, low, base, words),
        4 => small_access(word, low, base),
        5 => s_type(STORE_FP, 3, low, base, doubles),
        6 => s_type(opcode::STORE, 2, low, base, words),
        _ => s_type(STORE_FP, 2, low, base, words),
    }
}

/// Zcb: loads and stores of bytes and halfwords.
const fn small_access(word: u32, low: u32, base: u32) -> u32 {
    let byte = bits(word, 5, 1, 1) | bits(word, 6, 1, 0);
    let half = bits(word, 5, 1, 1);
    let other = bits(word, 6, 1, 0) == 1;
    match bits(word, 10, 3, 0) {
        0 => i_type(opcode::LOAD, 4, low, base, byte),
        1 if other => i_type(opcode::LOAD, 1, low, base, half),
        1 => i_type(opcode::LOAD, 5, low, base, half),
        2 => s_type(opcode::STORE, 0, low, base, byte),
        3 if !other => s_type(opcode::STORE, 1, low, base, half),
        _ => RESERVED,
    }
}

const fn quadrant_1(word: u32, funct3: u32) -> u32 {
    let rd = bits(word, 7, 5, 0);
    let imm = signed_6(word);
    match funct3 {
        0 => i_type(opcode::OP_IMM, 0, rd, rd, imm),
        1 => jump(word, RA),
        2 => i_type(opcode::OP_IMM, 0, rd, 0, imm),
        3 if imm == 0 => RESERVED,
        3 if rd == SP => {
            let sixteens = (imm & 0xffff_ffe0) << 4
                | bits(word, 3, 2, 7)
                | bits(word, 5, 1, 6)
                | bits(word, 2, 1, 5)
                | bits(word, 6, 1, 4);
            i_type(opcode::OP_IMM, 0, SP, SP, sixteens)
        }
        3 => imm << 12 | rd << 7 | opcode::LUI,
        4 => arithmetic(word, imm),
        5 => jump(word, 0),
        6 => branch(word, 0),
        _ => branch(word, 1),
    }
}

const fn jump(word: u32, rd: u32) -> u32 {
    let sign = bits(word, 12, 1, 0);
    let low = bits(word, 11, 1, 4)
        | bits(word, 9, 2, 8)
        | bits(word, 8, 1, 10)
        | bits(word, 7, 1, 6)
        | bits(word, 6, 1, 7)
        | bits(word, 3, 3, 1)
        | bits(word, 2, 1, 5);
    let upper = if sign == 1 { 0x801f_f000 } else { 0 };
    upper | low << 20 | rd << 7 | opcode::JAL
}

const fn branch(word: u32, funct3: u32) -> u32 {
    let low =
        bits(word, 10, 2, 3) | bits(word, 5, 2, 6) | bits(word, 3, 2, 1) | bits(word, 2, 1, 5);
    let upper = if bits(word, 12, 1, 0) == 1 {
        0xf000_0080
    } else {
        0
    };
    let fields = bits(low, 5, 3, 25) | bits(low, 1, 4, 8);
    upper | fields | short_register(word, 7) << 15 | funct3 << 12 | opcode::BRANCH
}

const fn arithmetic(word: u32, imm: u32) -> u32 {
    let (rd, rs2) = (short_register(word, 7), short_register(word, 2));
    let funct3 = [0, 4, 6, 7][bits(word, 5, 2, 0) as usize];
    match (bits(word, 10, 2, 0), bits(word, 12, 1, 0)) {
        // A shift by 32 or more is none of RV32: its bit 25 makes it opaque.
        (0, _) => i_type(opcode::OP_IMM, 5, rd, rd, imm & 63),
        (1, _) => i_type(opcode::OP_IMM, 5, rd, rd, imm & 63 | 0x400),
        (2, _) => i_type(opcode::OP_IMM, 7, rd, rd, imm),
        (_, 0) => r_type(if funct3 == 0 { 0x20 } else { 0 }, funct3, rd, rd, rs2),
        _ => unary(word, rd, rs2),
    }
}

/// Zcb: `c.mul`, and what has one register. Of these `sext` and `zext.h` are of Zbb and opaque.
const fn unary(word: u32, rd: u32, rs2: u32) -> u32 {
    match (bits(word, 5, 2, 0), bits(word, 2, 3, 0)) {
        (2, _) => r_type(1, 0, rd, rd, rs2),
        (3, 0) => i_type(opcode::OP_IMM, 7, rd, rd, 0xff),
        (3, 1) => i_type(opcode::OP_IMM, 1, rd, rd, 0x604),
        (3, 2) => r_type(4, 4, rd, rd, 0),
        (3, 3) => i_type(opcode::OP_IMM, 1, rd, rd, 0x605),
        (3, 5) => i_type(opcode::OP_IMM, 4, rd, rd, 0xfff),
        _ => RESERVED,
    }
}

const fn quadrant_2(word: u32, funct3: u32) -> u32 {
    let (rd, rs2) = (bits(word, 7, 5, 0), bits(word, 2, 5, 0));
    let words = bits(word, 2, 2, 6) | bits(word, 12, 1, 5) | bits(word, 4, 3, 2);
    let doubles = bits(word, 2, 3, 6) | bits(word, 12, 1, 5) | bits(word, 5, 2, 3);
    let stored_words = bits(word, 7, 2, 6) | bits(word, 9, 4, 2);
    let stored_doubles = bits(word, 7, 3, 6) | bits(word, 10, 3, 3);
    match funct3 {
        0 => i_type(opcode::OP_IMM, 1, rd, rd, signed_6(word) & 63),
        1 => i_type(LOAD_FP, 3, rd, SP, doubles),
        2 if rd == 0 => RESERVED,
        2 => i_type(opcode::LOAD, 2, rd, SP, words),
        3 => i_type(LOAD_FP, 2, rd, SP, words),
        4 => register_jump(word, rd, rs2),
        5 => s_type(STORE_FP, 3, rs2, SP, stored_doubles),
        6 => s_type(opcode::STORE, 2, rs2, SP, stored_words),
        _ => s_type(STORE_FP, 2, rs2, SP, stored_words),
    }
}

/// `c.jr`, `c.mv`, `c.ebreak`, `c.jalr`, `c.add`.
const fn register_jump(word: u32, rd: u32, rs2: u32) -> u32 {
    match (bits(word, 12, 1, 0), rd, rs2) {
        (0, 0, 0) => RESERVED,
        (1, 0, 0) => 0x0010_0073,
        (link, _, 0) => i_type(opcode::JALR, 0, link * RA, rd, 0),
        (0, _, _) => r_type(0, 0, rd, 0, rs2),
        _ => r_type(0, 0, rd, rd, rs2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::is_opaque;

    /// Words and their meanings as the assembler of GNU binutils gives them.
    #[test]
    fn expands_as_the_assembler_does() {
        for (compressed, full) in [
            (0x0808u32, 0x0101_0513u32), // addi a0, sp, 16
            (0x4144, 0x0045_2483),       // lw s1, 4(a0)
            (0xdd5c, 0x02f5_2e23),       // sw a5, 60(a0)
            (0x0001, 0x0000_0013),       // nop
            (0x1571, 0xffc5_0513),       // addi a0, a0, -4
            (0x2011, 0x0040_00ef),       // jal ra, +4
            (0xb7f5, 0xfedf_f06f),       // j -20
            (0x57fd, 0xfff0_0793),       // li a5, -1
            (0x7139, 0xfc01_0113),       // addi sp, sp, -64
            (0x77fd, 0xffff_f7b7),       // lui a5, 0xfffff
            (0x8391, 0x0047_d793),       // srli a5, a5, 4
            (0x8791, 0x4047_d793),       // srai a5, a5, 4
            (0x8bfd, 0x01f7_f793),       // andi a5, a5, 31
            (0x8f89, 0x40a7_87b3),       // sub a5, a5, a0
            (0x8fa9, 0x00a7_c7b3),       // xor a5, a5, a0
            (0x8fc9, 0x00a7_e7b3),       // or a5, a5, a0
            (0x8fe9, 0x00a7_f7b3),       // and a5, a5, a0
            (0xc781, 0x0007_8463),       // beqz a5, +8
            (0xfff5, 0xfe07_9ee3),       // bnez a5, -4
            (0x0792, 0x0047_9793),       // slli a5, a5, 4
            (0x4522, 0x0081_2503),       // lw a0, 8(sp)
            (0xc42a, 0x00a1_2423),       // sw a0, 8(sp)
            (0x8082, 0x0000_8067),       // ret
            (0x852e, 0x00b0_0533),       // mv a0, a1
            (C_EBREAK, 0x0010_0073),     // ebreak
            (0x9782, 0x0007_80e7),       // jalr a5
            (0x952e, 0x00b5_0533),       // add a0, a0, a1
        ] {
            assert_eq!(expand(compressed), full, "{compressed:#06x}");
            assert_eq!(expand(compressed | 0xabcd_0000), full, "{compressed:#06x}");
        }
        assert_eq!(expand(0x0045_2483), 0x0045_2483);
    }

    /// A sum over all words that the exhaustive comparison with binutils was made with: whatever
    /// changes any of them changes it.
    #[test]
    fn no_word_changes_its_meaning() {
        let words = (0..=0xffffu32).filter(|word| word & 3 != 3);
        let (mut sum, mut reserved, mut opaque) = (0u32, 0, 0);
        for word in words {
            let full = expand(word);
            assert_eq!(full & 3, 3, "{word:#06x}");
            sum = (sum.rotate_left(5) ^ full).wrapping_mul(0x9e37_79b1);
            reserved += u32::from(full == RESERVED);
            opaque += u32::from(is_opaque(full));
        }
        assert_eq!((sum, reserved, opaque), (0x0428_48ea, 1409, 19353));
    }
}
