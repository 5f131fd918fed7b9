//! Runs that keep the rules, and one breach of each rule planted in them.

use super::*;
use crate::attach::styles::{Core, Style};

/// What the rules say of a run.
fn judge(run: impl IntoIterator<Item = Retire>) -> Option<Breach> {
    let mut rules = Conformance::default();
    for (at, raw) in run.into_iter().enumerate() {
        rules.retire(&raw, true, at as u32);
    }
    rules.breach()
}

#[test]
fn conforming_runs_break_no_rule() {
    for style in Style::ALL {
        for seed in 0..20 {
            assert_eq!(judge(Core::new(seed, style).take(2000)), None, "{style:?}");
        }
    }
}

/// Changes the first retirement after some that `fits`, and wants the breach found there.
fn plant(
    rule: u8,
    fits: impl Fn(&Retire) -> bool,
    change: impl Fn(&mut Retire),
    values: impl Fn(&Retire, &Retire) -> (u32, u32),
) {
    for style in Style::ALL {
        let mut run: Vec<_> = Core::new(u64::from(rule), style).take(3000).collect();
        let at = (100..run.len())
            .find(|&at| fits(&run[at]))
            .expect("there is one");
        let right = run[at];
        change(&mut run[at]);
        let (want, got) = values(&right, &run[at]);
        let expected = Breach {
            rule,
            at: at as u32,
            pc: right.pc_rdata,
            insn: match isa::is_compressed(run[at].insn) {
                true => run[at].insn & 0xffff,
                false => run[at].insn,
            },
            want,
            got,
        };
        assert_eq!(judge(run), Some(expected), "{style:?}");
    }
}

fn is(raw: &Retire, major: u32) -> bool {
    raw.insn & 0x7f == major
}

fn is_store(raw: &Retire) -> bool {
    is(raw, opcode::STORE)
}

#[test]
fn rule_1_finds_a_lost_retirement() {
    plant(
        1,
        |_| true,
        |r| r.order += 1,
        |a, b| (a.order as u32, b.order as u32),
    );
    plant(
        1,
        |_| true,
        |r| (r.trap, r.order) = (true, 7),
        |a, _| (a.order as u32, 7),
    );
}

#[test]
fn rule_2_finds_a_value_for_no_register() {
    plant(2, is_store, |r| r.rd_wdata = 5, |_, _| (0, 5));
}

#[test]
fn rule_3_finds_a_wrong_source() {
    let reads = |r: &Retire| is(r, opcode::OP) && r.rs1_addr != 0 && r.rs2_addr != 0;
    plant(
        3,
        reads,
        |r| r.rs1_rdata ^= 64,
        |a, b| (a.rs1_rdata, b.rs1_rdata),
    );
    plant(
        3,
        reads,
        |r| r.rs2_rdata ^= 1,
        |a, b| (a.rs2_rdata, b.rs2_rdata),
    );
}

#[test]
fn rule_4_finds_a_wrong_destination() {
    let other = |r: &Retire| !matches!(r.rd_addr, 0 | 7);
    let writes = |r: &Retire| is(r, opcode::OP_IMM) && other(r);
    plant(4, writes, |r| r.rd_addr = 7, |a, _| (a.rd_addr.into(), 7));
    plant(4, is_store, |r| r.rd_addr = 7, |_, _| (0, 7));
    let upper = |r: &Retire| is(r, opcode::LUI) && other(r);
    let nowhere = |r: &mut Retire| (r.rd_addr, r.rd_wdata) = (0, 0);
    plant(4, upper, nowhere, |a, _| (a.rd_addr.into(), 0));
    // Of an opaque instruction nobody knows whether it writes its register, but no other one.
    let opaque = |r: &Retire| is(r, 0x0b) && other(r);
    plant(4, opaque, |r| r.rd_addr = 7, |a, _| (a.rd_addr.into(), 7));
    let opaque_too = |r: &mut Retire| (r.rd_addr, r.mem_wmask) = (7, 1);
    plant(4, opaque, opaque_too, |a, _| (a.rd_addr.into(), 7));
}

/// c.addi a3, …; c.lw; c.j: each judged as the instruction that it stands for.
#[test]
fn rules_5_to_7_hold_for_compressed_instructions() {
    let short = |r: &Retire, mask: u32, code: u32| r.insn & mask == code;
    plant(
        5,
        |r| short(r, 0xe003, 1) && r.rd_addr != 0,
        |r| r.rd_wdata ^= 1 << 31,
        |a, b| (a.rd_wdata, b.rd_wdata),
    );
    plant(
        6,
        |r| short(r, 0xe003, 0xa001),
        |r| r.pc_wdata ^= 2,
        |a, b| (a.pc_wdata, b.pc_wdata),
    );
    plant(
        6,
        |r| short(r, 0xe003, 1),
        |r| r.pc_wdata = r.pc_rdata.wrapping_add(4),
        |a, b| (a.pc_rdata.wrapping_add(2), b.pc_wdata),
    );
    plant(
        4,
        |r| short(r, 0xe003, 0x2001),
        |r| r.rd_addr = 5,
        |_, _| (1, 5),
    );
    plant(
        8,
        |r| short(r, 0xe003, 0xc002),
        |r| r.mem_wmask = 7,
        |_, _| (0xf0, 0x70),
    );
}

#[test]
fn rule_5_finds_a_wrong_result() {
    for major in [
        opcode::OP_IMM,
        opcode::LUI,
        opcode::AUIPC,
        opcode::JAL,
        opcode::JALR,
        opcode::LOAD,
    ] {
        let writes = move |r: &Retire| {
            let aligned = r.rs1_rdata.wrapping_add((r.insn as i32 >> 20) as u32) & 3 == 0;
            is(r, major) && r.rd_addr != 0 && (major != opcode::LOAD || aligned)
        };
        plant(
            5,
            writes,
            |r| r.rd_wdata ^= 1 << 31,
            |a, b| (a.rd_wdata, b.rd_wdata),
        );
    }
}

#[test]
fn rule_6_finds_a_wrong_next() {
    for major in [
        opcode::OP,
        opcode::BRANCH,
        opcode::JAL,
        opcode::JALR,
        opcode::AMO,
    ] {
        let fits = move |r: &Retire| is(r, major) && !isa::is_opaque(r.insn);
        plant(
            6,
            fits,
            |r| r.pc_wdata ^= 8,
            |a, b| (a.pc_wdata, b.pc_wdata),
        );
    }
}

#[test]
fn rule_7_finds_a_wrong_address() {
    let address = |r: &Retire| {
        r.rs1_rdata
            .wrapping_add((r.insn as i32 >> 25 << 5) as u32 | r.insn >> 7 & 31)
    };
    plant(
        7,
        is_store,
        |r| r.mem_addr ^= 16,
        |a, b| (address(a), b.mem_addr),
    );
}

#[test]
fn rule_8_finds_wrong_masks_and_data() {
    let word = |r: &Retire| is_store(r) && r.insn >> 12 & 7 == 2;
    plant(8, word, |r| r.mem_wmask = 7, |_, _| (0xf0, 0x70));
    plant(
        8,
        word,
        |r| r.mem_wdata ^= 1,
        |a, b| (a.rs2_rdata, b.mem_wdata),
    );
    let none = |r: &Retire| is(r, opcode::OP_IMM);
    plant(8, none, |r| r.mem_wmask = 8, |_, _| (0, 0x80));
    let load = |r: &Retire| {
        let aligned = r.rs1_rdata.wrapping_add((r.insn as i32 >> 20) as u32) & 3 == 0;
        is(r, opcode::LOAD) && r.insn >> 12 & 7 == 2 && aligned
    };
    plant(8, load, |r| r.mem_rmask = 14, |_, _| (15, 14));
}

#[test]
fn rule_9_finds_what_is_not_supported() {
    plant(9, |r| is(r, 0x0b), |r| r.mem_wmask = 1, |_, _| (0, 0));
    // The base is a multiple of 4 in the first, so that an offset of 1 is at fault.
    let word = |r: &Retire| is_store(r) && r.insn >> 12 & 7 == 2;
    plant(9, word, |r| r.insn ^= 1 << 7, |_, _| (0, 0));
}

#[test]
fn traps_and_other_recordings_do_not_count() {
    let mut run: Vec<_> = Core::new(3, Style::Aligned).take(100).collect();
    let at = run.iter().position(is_store).expect("there is one");
    run[at].rd_wdata = 1;
    run[at].trap = true;
    assert_eq!(judge(run.clone()), None);
    run[at].trap = false;
    let mut rules = Conformance::default();
    for (index, raw) in run.iter().enumerate() {
        rules.retire(raw, index != at, index as u32);
    }
    assert_eq!(rules.breach(), None);
    rules.retire(&run[0], true, 100);
    assert_eq!(rules.breach().map(|b| b.rule), Some(1));
    rules.clear();
    rules.retire(&run[at], true, 0);
    assert_eq!(rules.breach().map(|b| b.rule), Some(2));
}
