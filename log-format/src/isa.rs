//! Which instructions a replayer executes by itself: section 1.1 of the format. What is asked here of
//! a word is asked of a full-size one; [`expand`] makes one of a compressed instruction.

mod compressed;

pub use compressed::{expand, C_EBREAK, RESERVED};

/// Major opcodes, `insn[6:0]`.
pub mod opcode {
    /// Loads.
    pub const LOAD: u32 = 0x03;
    /// Fences.
    pub const MISC_MEM: u32 = 0x0f;
    /// Register with immediate.
    pub const OP_IMM: u32 = 0x13;
    /// `auipc`.
    pub const AUIPC: u32 = 0x17;
    /// Stores.
    pub const STORE: u32 = 0x23;
    /// Atomics.
    pub const AMO: u32 = 0x2f;
    /// Register with register.
    pub const OP: u32 = 0x33;
    /// `lui`.
    pub const LUI: u32 = 0x37;
    /// Conditional branches.
    pub const BRANCH: u32 = 0x63;
    /// `jalr`.
    pub const JALR: u32 = 0x67;
    /// `jal`.
    pub const JAL: u32 = 0x6f;
    /// Environment calls, returns from traps, CSRs.
    pub const SYSTEM: u32 = 0x73;
}

/// Whether a word is a 32-bit instruction outside RV32IMA, Zicsr and Zifencei. What it does is not
/// worked out but logged; see [`result_is_opaque`].
///
/// All of MISC-MEM and SYSTEM counts as inside: a replayer takes hints, fences, CSR accesses and
/// returns for what they are whatever their other fields say.
pub const fn is_opaque(insn: u32) -> bool {
    insn & 3 == 3 && !is_executable(insn)
}

const fn is_executable(insn: u32) -> bool {
    let funct3 = insn >> 12 & 7;
    let funct7 = insn >> 25;
    match insn & 0x7f {
        opcode::LUI | opcode::AUIPC | opcode::JAL | opcode::MISC_MEM | opcode::SYSTEM => true,
        opcode::JALR => funct3 == 0,
        opcode::BRANCH => funct3 != 2 && funct3 != 3,
        opcode::LOAD => matches!(funct3, 0 | 1 | 2 | 4 | 5),
        opcode::STORE => funct3 <= 2,
        // shifts have a funct7
        opcode::OP_IMM => match funct3 {
            1 => funct7 == 0,
            5 => funct7 == 0 || funct7 == 0x20,
            _ => true,
        },
        opcode::OP => matches!((funct7, funct3), (0 | 1, _) | (0x20, 0) | (0x20, 5)),
        opcode::AMO => {
            let known = matches!(
                insn >> 27,
                0x00 | 0x01 | 0x03 | 0x04 | 0x08 | 0x0c | 0x10 | 0x14 | 0x18 | 0x1c
            );
            let reserves = insn >> 27 == 0x02 && insn >> 20 & 31 == 0;
            funct3 == 2 && (known || reserves)
        }
        _ => false,
    }
}

/// The register whose content after an instruction is logged because the instruction is opaque: the
/// `rd` field, or 0 if there is nothing to log. An instruction is opaque if its word is, or if it is a
/// load that neither trapped nor read anything from a word of memory: one that was misaligned.
pub const fn result_is_opaque(insn: u32, trap: bool, mem_rmask: u8) -> u8 {
    let misaligned = insn & 0x7f == opcode::LOAD && mem_rmask == 0;
    if !trap && (is_opaque(insn) || misaligned) {
        (insn >> 7 & 31) as u8
    } else {
        0
    }
}

/// Whether a word is a multiplication or division: what a recorder logs when it is asked for results.
pub const fn is_muldiv(insn: u32) -> bool {
    insn & 0xfe00_007f == 1 << 25 | opcode::OP
}

/// Whether a word is a compressed instruction, or starts with one.
pub const fn is_compressed(insn: u32) -> bool {
    insn & 3 != 3
}

/// Bytes of an instruction.
pub const fn size(insn: u32) -> u32 {
    if is_compressed(insn) {
        2
    } else {
        4
    }
}

/// Bytes that a load (of opcode LOAD, not an atomic) reads; `None` for every other word.
pub const fn load_size(insn: u32) -> Option<u32> {
    if insn & 0x7f == opcode::LOAD && !is_opaque(insn) {
        Some(1 << (insn >> 12 & 3))
    } else {
        None
    }
}

/// Whether a word is a load whose address is not a multiple of its size.
pub const fn is_misaligned_load(insn: u32, address: u32) -> bool {
    match load_size(insn) {
        Some(size) => address & (size - 1) != 0,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_misaligned_by_their_size() {
        let (lb, lh, lw, sw) = (0x03, 0x1003, 0x2003, 0x2023);
        assert!(!is_misaligned_load(lb, 3));
        assert!(is_misaligned_load(lh, 1) && !is_misaligned_load(lh, 2));
        assert!(is_misaligned_load(lw, 2) && !is_misaligned_load(lw, 4));
        assert!(!is_misaligned_load(sw, 1));
        assert_eq!(load_size(0x3003), None);
        assert!(is_compressed(0x4501) && !is_compressed(lw));
    }

    #[test]
    fn the_base_and_its_extensions_are_not_opaque() {
        for insn in [
            0x0000_0013, // nop
            0x4020_81b3, // sub
            0x4020_d193, // srai
            0x0220_81b3, // mul
            0x1000_a12f, // lr.w
            0x1821_a12f, // sc.w
            0x3020_0073, // mret
            0x0000_100f, // fence.i
            0x7fff_f073, // a CSR
        ] {
            assert!(!is_opaque(insn), "{insn:#010x}");
        }
    }

    #[test]
    fn others_are() {
        for insn in [
            0x0000_450bu32, // PicoRV32: getq
            0x0600_650b,    // PicoRV32: maskirq
            0x6000_9093,    // Zbb: clz
            0x2020_a1b3,    // Zba: sh1add
            0x4020_c1b3,    // Zbb: xnor
            0x0000_2007,    // F: flw
            0x0000_3003,    // RV64: ld
            0x1010_a12f,    // lr.w with a second source
        ] {
            assert!(is_opaque(insn), "{insn:#010x}");
        }
        assert!(!is_opaque(0x0000_4501), "compressed is another matter");
    }

    #[test]
    fn a_misaligned_load_is_opaque() {
        let lw = 0x0005_2503;
        assert_eq!(result_is_opaque(lw, false, 0), 10);
        assert_eq!(result_is_opaque(lw, false, 0xf), 0);
        assert_eq!(result_is_opaque(lw, true, 0), 0);
    }
}
