//! From the port of a core that keeps it to that of the smallest recorder: what the instruction did, and
//! nothing else. Masks and data are in their lanes already.

use lookback_log_format::isa::opcode;
use lookback_log_format::Retire;

/// What a retirement is for the recorder; one that trapped has neither destination nor masks.
pub fn kept(raw: &Retire) -> Retire {
    let kind = raw.insn & 0x7f;
    let atomic = kind == opcode::AMO;
    let reads = kind == opcode::LOAD || atomic && raw.insn >> 27 != 3;
    let writes = kind == opcode::STORE || atomic;
    let shown = |mask: u8, does: bool| if does && !raw.trap { mask } else { 0 };
    let rd_addr = if raw.trap { 0 } else { raw.rd_addr };
    Retire {
        mem_addr: raw.mem_addr & !3,
        mem_rmask: shown(raw.mem_rmask, reads),
        mem_wmask: shown(raw.mem_wmask, writes),
        rd_addr,
        rd_wdata: if rd_addr == 0 { 0 } else { raw.rd_wdata },
        ..*raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attach::styles::{Core, Style};
    use crate::attach::Adapted;

    /// Where the full adapter changes nothing but what this one changes, both agree.
    #[test]
    fn agrees_with_the_adapter_of_any_port() {
        let mut same = 0;
        for seed in 0..20 {
            for raw in Core::new(seed, Style::Aligned).take(500) {
                let adapted = Adapted::new(&raw, 0, false);
                if adapted.opaque || adapted.loose {
                    continue;
                }
                assert_eq!(kept(&raw), adapted.retire);
                same += 1;
            }
        }
        assert!(same > 2000, "{same}");
    }
}
