//! From a core's own style of retirement port to the recorder's: word-aligned address, lane masks,
//! and only what the instruction really did.

use lookback_log_format::isa::{self, opcode};
use lookback_log_format::Retire;

/// A retirement as the recorder takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapted {
    /// The retirement; a trapped one has neither destination nor masks.
    pub retire: Retire,
    /// The result is logged: the replayer cannot execute the instruction, or is to compare it.
    pub opaque: bool,
    /// Only the log knows where it goes on: it is opaque and not to the next instruction, or it is
    /// `c.ebreak`, which the recorder does not see for itself.
    pub jumps: bool,
    /// It is compressed, or at an address that is no multiple of 4.
    pub loose: bool,
}

impl Adapted {
    /// Adapts a raw retirement; `old_rd` is what register `insn[11:7]` of the expanded instruction held
    /// before it, `log_results` is CONTROL's bit of that name.
    pub fn new(raw: &Retire, old_rd: u32, log_results: bool) -> Self {
        let short = isa::is_compressed(raw.insn);
        let expanded = Retire {
            insn: isa::expand(raw.insn),
            ..*raw
        };
        let mut adapted = Self::full_size(&expanded, old_rd, log_results);
        adapted.retire.insn = if short { raw.insn & 0xffff } else { raw.insn };
        let behind = raw.pc_rdata.wrapping_add(isa::size(raw.insn));
        adapted.jumps = adapted.opaque && raw.pc_wdata != behind
            || !raw.trap && raw.insn & 0xffff == isa::C_EBREAK;
        adapted.loose = short || raw.pc_rdata & 2 != 0;
        adapted
    }

    /// As [`Self::new`], for a full-size instruction.
    fn full_size(raw: &Retire, old_rd: u32, log_results: bool) -> Self {
        let offset = load_offset(raw);
        let opaque = !raw.trap
            && (isa::is_opaque(raw.insn)
                || log_results && isa::is_muldiv(raw.insn)
                || offset.is_some_and(|offset| isa::is_misaligned_load(raw.insn, offset)));
        let mut retire = Retire {
            mem_addr: raw.mem_addr & !3,
            ..*raw
        };
        (retire.mem_rmask, retire.mem_wmask) = (0, 0);
        let shift = shift(raw);
        retire.mem_rdata = raw.mem_rdata << (8 * shift);
        retire.mem_wdata = raw.mem_wdata << (8 * shift);
        if !raw.trap && !opaque {
            if reads(raw.insn) {
                retire.mem_rmask = match (isa::load_size(raw.insn), offset) {
                    (Some(size), Some(offset)) => ((1 << size) - 1) << (offset & 3) & 15,
                    _ => raw.mem_rmask << shift & 15,
                };
            }
            if writes(raw.insn) {
                retire.mem_wmask = raw.mem_wmask << shift & 15;
            }
        }
        let field = (raw.insn >> 7 & 31) as u8;
        if opaque {
            retire.rd_addr = field;
            if raw.rd_addr != field {
                retire.rd_wdata = old_rd;
            }
        }
        if raw.trap {
            retire.rd_addr = 0;
        }
        if retire.rd_addr == 0 {
            retire.rd_wdata = 0;
        }
        Self {
            retire,
            opaque,
            jumps: false,
            loose: false,
        }
    }
}

/// Where a load goes by its own operands; `None` if it is no load, or if the port does not show the
/// register it takes the address from.
fn load_offset(raw: &Retire) -> Option<u32> {
    isa::load_size(raw.insn)?;
    let immediate = (raw.insn as i32 >> 20) as u32;
    (u32::from(raw.rs1_addr) == raw.insn >> 15 & 31)
        .then(|| raw.rs1_rdata.wrapping_add(immediate) & 3)
}

/// Lanes that masks and data stand too low: a byte address with the access at bit 0. A mask of all
/// lanes leaves no doubt where the data is.
fn shift(raw: &Retire) -> u32 {
    let mask = if raw.insn & 0x7f == opcode::STORE {
        raw.mem_wmask
    } else {
        raw.mem_rmask
    };
    if mask & 1 != 0 && mask != 15 {
        raw.mem_addr & 3
    } else {
        0
    }
}

/// The word is of a kind that reads memory.
fn reads(insn: u32) -> bool {
    match insn & 0x7f {
        opcode::LOAD => true,
        opcode::AMO => insn >> 27 != 3,
        _ => false,
    }
}

/// The word is of a kind that writes memory.
fn writes(insn: u32) -> bool {
    matches!(insn & 0x7f, opcode::STORE | opcode::AMO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attach::styles::{Core, Style};

    /// lb x1, 2(x2)
    const LOAD_BYTE: u32 = 0x0021_0083;
    /// sh x1, 2(x2)
    const STORE_HALF: u32 = 0x0011_1123;

    fn load(mem_addr: u32, mem_rmask: u8, mem_rdata: u32) -> Retire {
        Retire {
            insn: LOAD_BYTE,
            rs1_addr: 2,
            rs1_rdata: 0x100,
            rd_addr: 1,
            rd_wdata: 0x55,
            mem_addr,
            mem_rmask,
            mem_rdata,
            ..Retire::default()
        }
    }

    #[test]
    fn all_styles_of_a_load_become_one() {
        for raw in [
            load(0x100, 4, 0x0055_0000),
            load(0x102, 1, 0x55),
            load(0x102, 4, 0x0055_0000),
            load(0x100, 15, 0x1155_3344),
            load(0x102, 15, 0x1155_3344),
        ] {
            let r = Adapted::new(&raw, 0, false).retire;
            assert_eq!((r.mem_addr, r.mem_rmask), (0x100, 4));
            assert_eq!(r.mem_rdata >> 16 & 0xff, 0x55, "{raw:x?}");
        }
    }

    #[test]
    fn a_compressed_load_is_a_load() {
        // c.lw s1, 4(a0), with noise where its word has ended
        let raw = Retire {
            insn: 0x1234_4144,
            rs1_addr: 10,
            rs1_rdata: 0x100,
            rd_addr: 9,
            rd_wdata: 0x55,
            pc_rdata: 0x22,
            pc_wdata: 0x24,
            mem_addr: 0x104,
            mem_rmask: 15,
            mem_rdata: 0x55,
            ..Retire::default()
        };
        let adapted = Adapted::new(&raw, 0, false);
        assert!(adapted.loose && !adapted.opaque && !adapted.jumps);
        let r = adapted.retire;
        assert_eq!((r.insn, r.mem_addr, r.mem_rmask), (0x4144, 0x104, 15));
        let breaks = Adapted::new(
            &Retire {
                insn: 0x9002,
                ..raw
            },
            0,
            false,
        );
        assert!(breaks.jumps && !breaks.opaque);
    }

    #[test]
    fn a_store_reads_nothing() {
        let raw = Retire {
            insn: STORE_HALF,
            mem_addr: 0x102,
            mem_rmask: 3,
            mem_wmask: 3,
            mem_wdata: 0x1234,
            ..Retire::default()
        };
        let r = Adapted::new(&raw, 0, false).retire;
        assert_eq!((r.mem_addr, r.mem_rmask, r.mem_wmask), (0x100, 0, 12));
        assert_eq!(r.mem_wdata, 0x1234_0000);
    }

    #[test]
    fn an_opaque_instruction_has_the_register_of_its_field() {
        // setq q1, x2: the field names another register file, the port reports no write.
        let mut raw = Retire {
            insn: 0x0201_208b,
            pc_rdata: 0x10,
            pc_wdata: 0x14,
            ..Retire::default()
        };
        let kept = Adapted::new(&raw, 7, false);
        assert!(kept.opaque && !kept.jumps);
        assert_eq!((kept.retire.rd_addr, kept.retire.rd_wdata), (1, 7));
        (raw.rd_addr, raw.rd_wdata, raw.pc_wdata) = (1, 9, 0x20);
        let written = Adapted::new(&raw, 7, false);
        assert!(written.opaque && written.jumps);
        assert_eq!((written.retire.rd_addr, written.retire.rd_wdata), (1, 9));
        raw.trap = true;
        let trapped = Adapted::new(&raw, 7, false);
        assert!(!trapped.opaque);
        assert_eq!((trapped.retire.rd_addr, trapped.retire.rd_wdata), (0, 0));
    }

    #[test]
    fn a_misaligned_load_is_opaque() {
        let mut raw = load(0x100, 15, 0);
        raw.insn = 0x0021_2083; // lw x1, 2(x2)
        let adapted = Adapted::new(&raw, 0, false);
        assert!(adapted.opaque);
        assert_eq!((adapted.retire.mem_rmask, adapted.retire.rd_addr), (0, 1));
    }

    /// The same run in every style is the same run for the recorder, as far as it looks.
    #[test]
    fn styles_do_not_show_behind_the_adapter() {
        let seen = |style| {
            let run = Core::new(9, style).take(3000);
            run.map(|raw| {
                let adapted = Adapted::new(&raw, 0, false);
                let r = adapted.retire;
                let lanes = lookback_log_format::retire::lanes;
                let read = r.mem_rdata & lanes(r.mem_rmask);
                let written = r.mem_wdata & lanes(r.mem_wmask);
                let access = r.mem_rmask | r.mem_wmask;
                let addr = if access == 0 { 0 } else { r.mem_addr };
                let rd = (r.rd_addr, r.rd_wdata);
                (
                    r.pc_rdata,
                    rd,
                    addr,
                    r.mem_rmask,
                    r.mem_wmask,
                    read,
                    written,
                    adapted.opaque,
                )
            })
            .collect::<Vec<_>>()
        };
        let aligned = seen(Style::Aligned);
        for style in Style::ALL {
            assert_eq!(seen(style), aligned, "{style:?}");
        }
    }
}
