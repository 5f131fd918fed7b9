//! Every instruction of RV32IMA and Zifencei, by tables.

use super::super::asm::{addi, branch, i_type, jal, jalr, lui, r_type, store, sw, AUIPC, FENCE_I};
use super::super::generate::Profile::{Common, Own};
use super::super::image::POINTER;
use super::super::item::{Back, Item};
use super::super::pieces::{atomic, computed_jump, load, modify_code, reserved, set};
use super::{case, Case, CORNERS};

const A: u32 = 5;
const B: u32 = 6;
const RESULT: u32 = 7;

/// Name, `funct7`, `funct3`.
const REGISTER: [(&str, u32, u32); 18] = [
    ("add", 0, 0),
    ("sub", 0x20, 0),
    ("sll", 0, 1),
    ("slt", 0, 2),
    ("sltu", 0, 3),
    ("xor", 0, 4),
    ("srl", 0, 5),
    ("sra", 0x20, 5),
    ("or", 0, 6),
    ("and", 0, 7),
    ("mul", 1, 0),
    ("mulh", 1, 1),
    ("mulhsu", 1, 2),
    ("mulhu", 1, 3),
    ("div", 1, 4),
    ("divu", 1, 5),
    ("rem", 1, 6),
    ("remu", 1, 7),
];

/// Name, `funct3`.
const IMMEDIATE: [(&str, u32); 6] = [
    ("addi", 0),
    ("slti", 2),
    ("sltiu", 3),
    ("xori", 4),
    ("ori", 6),
    ("andi", 7),
];

/// Name, `funct3`, bits of the immediate besides the amount.
const SHIFT: [(&str, u32, i32); 3] = [("slli", 1, 0), ("srli", 5, 0), ("srai", 5, 0x400)];

/// Name, `funct3`.
const BRANCH: [(&str, u32); 6] = [
    ("beq", 0),
    ("bne", 1),
    ("blt", 4),
    ("bge", 5),
    ("bltu", 6),
    ("bgeu", 7),
];

/// Name, `funct3`, bytes.
const LOAD: [(&str, u32, i32); 5] = [
    ("lb", 0, 1),
    ("lh", 1, 2),
    ("lw", 2, 4),
    ("lbu", 4, 1),
    ("lhu", 5, 2),
];

/// Name, `funct3`, bytes.
const STORE: [(&str, u32, i32); 3] = [("sb", 0, 1), ("sh", 1, 2), ("sw", 2, 4)];

/// Name, `funct5`.
const ATOMIC: [(&str, u32); 9] = [
    ("amoadd.w", 0),
    ("amoswap.w", 1),
    ("amoxor.w", 4),
    ("amoor.w", 8),
    ("amoand.w", 12),
    ("amomin.w", 16),
    ("amomax.w", 20),
    ("amominu.w", 24),
    ("amomaxu.w", 28),
];

/// Results go to memory one after the other, so that the signature has all of them.
struct Results(i32);

impl Results {
    fn keep(&mut self) -> Item {
        self.0 += 4;
        Item::word(sw(RESULT, POINTER, (self.0 - 4) % 2048))
    }
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(
        REGISTER.map(|(name, funct7, funct3)| case(Common, name, register(funct7, funct3))),
    );
    cases.extend(IMMEDIATE.map(|(name, funct3)| {
        let values = [0, 1, -1, 31, 32, 2047, -2048, 0x555];
        case(Common, name, immediate(funct3, &values))
    }));
    cases.extend(SHIFT.map(|(name, funct3, bits)| {
        let values = [0, 1, 15, 16, 30, 31].map(|amount| amount | bits);
        case(Common, name, immediate(funct3, &values))
    }));
    cases.extend(BRANCH.map(|(name, funct3)| case(Common, name, branches(funct3))));
    for (name, funct3, bytes) in LOAD {
        cases.push(case(Common, name, loads(funct3, bytes)));
        let name = format!("{name} misaligned");
        cases.push(case(Own, name, loads(funct3, 1)));
    }
    for (name, funct3, bytes) in STORE {
        cases.push(case(Common, name, stores(funct3, bytes)));
        let name = format!("{name} misaligned");
        cases.push(case(Own, name, stores(funct3, 1)));
    }
    cases.extend(ATOMIC.map(|(name, funct5)| case(Common, name, atomics(funct5, 4))));
    cases.push(case(Own, "atomics misaligned", atomics(1, 1)));
    cases.push(case(Common, "lr.w sc.w", reservations()));
    cases.push(case(Common, "lui auipc", upper()));
    cases.push(case(Common, "jal jalr", jumps()));
    cases.push(case(Common, "fence fence.i", fences()));
    cases
}

/// All pairs of corners, and results in a source register and in `x0`.
fn register(funct7: u32, funct3: u32) -> Vec<Item> {
    let mut results = Results(0);
    let mut items = Vec::new();
    let word = |rd, rs1, rs2| Item::word(r_type(0x33, funct3, funct7, rd, rs1, rs2));
    for a in CORNERS {
        items.push(set(A, a));
        for b in CORNERS {
            items.extend([set(B, b), word(RESULT, A, B), results.keep()]);
        }
        items.extend([word(RESULT, A, A), results.keep(), word(0, A, B)]);
        items.extend([word(B, A, B), word(A, A, B), word(RESULT, A, B)]);
        items.push(results.keep());
    }
    items
}

fn immediate(funct3: u32, values: &[i32]) -> Vec<Item> {
    let mut results = Results(0);
    let mut items = Vec::new();
    for a in CORNERS {
        items.push(set(A, a));
        for &imm in values {
            items.push(Item::word(i_type(0x13, funct3, RESULT, A, imm)));
            items.push(results.keep());
        }
        items.push(Item::word(i_type(0x13, funct3, 0, A, values[1])));
        items.push(Item::word(i_type(0x13, funct3, A, A, values[1])));
    }
    items
}

/// Which pairs branch, forward and back.
fn branches(funct3: u32) -> Vec<Item> {
    let mut items = vec![set(RESULT, 0)];
    for a in CORNERS {
        items.push(set(A, a));
        for b in CORNERS {
            items.push(set(B, b));
            items.push(Item::Forward(branch(funct3, A, B, 0), 1));
            items.push(Item::word(addi(RESULT, RESULT, 1)));
            items.push(Item::word(i_type(0x13, 1, RESULT, RESULT, 1)));
        }
        items.push(Item::word(sw(RESULT, POINTER, 0)));
    }
    // Back, and to itself with both registers the same.
    items.extend([set(A, 3), set(B, 0)]);
    items.push(Item::Words(vec![
        addi(A, A, -1),
        branch(0, A, 0, 12),
        branch(funct3, A, B, -8),
        branch(funct3, A, A, 4),
    ]));
    // A misaligned target counts only if the branch is taken.
    items.push(Item::word(branch(funct3, A, A, 6)));
    items.push(Item::word(branch(funct3, POINTER, 0, 10)));
    items
}

fn loads(funct3: u32, step: i32) -> Vec<Item> {
    let mut results = Results(64);
    let mut items = Vec::new();
    for (index, value) in [0x8081_7f80, 0x7fff_8000, 0xffff_ffff, 0]
        .into_iter()
        .enumerate()
    {
        items.push(set(A, value));
        items.push(Item::word(sw(A, POINTER, 4 * index as i32)));
    }
    for offset in (-4..16).filter(|offset| offset % step == 0) {
        items.push(Item::word(load(funct3, RESULT, POINTER, offset)));
        items.push(results.keep());
    }
    // Into its own base and into nothing.
    items.push(Item::word(addi(A, POINTER, 0)));
    items.push(Item::word(load(funct3, A, A, 0)));
    items.push(Item::word(load(funct3, 0, POINTER, 0)));
    items.push(Item::word(load(funct3, RESULT, POINTER, -2048)));
    items
}

fn stores(funct3: u32, step: i32) -> Vec<Item> {
    let mut items = Vec::new();
    for (index, value) in CORNERS.into_iter().enumerate() {
        items.push(set(A, value ^ 0xa5a5_a5a5));
        let base = 32 * index as i32;
        for offset in (0..16).filter(|offset| offset % step == 0) {
            items.push(Item::word(store(funct3, A, POINTER, base + offset)));
        }
    }
    items.push(Item::word(store(funct3, POINTER, POINTER, -2048)));
    items.push(Item::word(store(funct3, 0, POINTER, 2044)));
    items
}

fn atomics(funct5: u32, step: i32) -> Vec<Item> {
    let mut results = Results(64);
    let mut items = Vec::new();
    for a in CORNERS {
        for (index, b) in CORNERS.into_iter().enumerate() {
            let offset = 8 * step.min(1) + step * (index as i32 % 4);
            items.extend([set(A, a), set(B, b)]);
            items.push(Item::word(sw(A, POINTER, offset & !3)));
            items.push(atomic(funct5, index as u32 & 3, RESULT, B, offset));
            items.push(results.keep());
            items.push(Item::word(load(2, RESULT, POINTER, offset & !3)));
            items.push(results.keep());
        }
    }
    items.push(atomic(funct5, 3, 0, A, 0));
    items.push(atomic(funct5, 0, A, A, 0));
    items
}

fn reservations() -> Vec<Item> {
    let mut results = Results(64);
    let mut items = vec![set(A, 0x1234_5678)];
    let mut keep = |items: &mut Vec<Item>| items.push(results.keep());
    // Held; held with work between; another word; given up by the first `sc.w`.
    items.push(reserved(A, RESULT, B, 0, &[], 0));
    keep(&mut items);
    items.push(reserved(
        A,
        RESULT,
        B,
        4,
        &[addi(B, A, 1), addi(A, B, 1)],
        0,
    ));
    keep(&mut items);
    items.push(reserved(A, RESULT, B, 8, &[], 4));
    keep(&mut items);
    items.push(reserved(A, RESULT, B, 8, &[], 0));
    keep(&mut items);
    items.push(atomic(3, 0, RESULT, B, 8));
    keep(&mut items);
    // Given up by a trap.
    let ecall = super::super::asm::ECALL;
    items.push(reserved(A, RESULT, B, 12, &[ecall], 0));
    keep(&mut items);
    items.push(reserved(A, 0, B, 16, &[], 0));
    items.push(reserved(A, A, A, 20, &[], 0));
    items
}

fn upper() -> Vec<Item> {
    let mut results = Results(0);
    let mut items = Vec::new();
    for value in [0, 0x1000, 0x7fff_f000, 0x8000_0000, 0xffff_f000] {
        items.extend([Item::word(lui(RESULT, value)), results.keep()]);
        items.push(Item::word(AUIPC | RESULT << 7 | value));
        items.push(results.keep());
    }
    items.extend([Item::word(lui(0, 0x1000)), Item::word(AUIPC)]);
    items
}

fn jumps() -> Vec<Item> {
    let mut results = Results(0);
    let mut items = Vec::new();
    for over in 0..4 {
        items.push(Item::Forward(jal(RESULT, 0), over as usize));
        items.extend([results.keep(), Item::Forward(jal(0, 0), over as usize)]);
        for odd in [0, 1, 2, 3, -1] {
            items.extend([computed_jump(RESULT, over, odd), results.keep()]);
        }
    }
    for back in [Back::Branch, Back::Jal, Back::Jalr] {
        items.push(Item::Loop {
            count: 3,
            back,
            body: vec![results.keep()],
        });
    }
    // A link into its own base; misaligned targets.
    items.push(Item::Words(vec![AUIPC | A << 7, jalr(A, A, 12), 0]));
    items.push(Item::word(jal(RESULT, 2)));
    items.push(Item::word(jal(RESULT, 6)));
    items.push(results.keep());
    items
}

fn fences() -> Vec<Item> {
    let mut items: Vec<Item> = (0..256)
        .step_by(15)
        .map(|sets| Item::word(0x0f | sets << 20))
        .collect();
    items.push(Item::word(0x8330_000f));
    items.push(Item::word(FENCE_I));
    items.push(Item::word(FENCE_I | A << 7 | B << 15 | 5 << 20));
    for imm in 1..6 {
        items.push(modify_code(addi(RESULT, RESULT, imm)));
    }
    let mut patched = vec![
        Item::word(addi(A, A, 1)),
        modify_code(addi(RESULT, RESULT, 7)),
    ];
    patched.push(Item::word(sw(RESULT, POINTER, 0)));
    items.push(Item::Loop {
        count: 4,
        back: Back::Branch,
        body: patched,
    });
    items
}
