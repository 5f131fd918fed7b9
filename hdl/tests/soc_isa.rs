//! Instructions: results of every arithmetic instruction, memory, branches, atomics, timing.

mod soc_support;

use soc_support::*;

/// What RISC-V says the instruction `op(number, …)` gives.
fn expected(number: u32, a: u32, b: u32) -> u32 {
    let (sa, sb) = (a as i32, b as i32);
    let wide = |x: i64, y: i64| (x.wrapping_mul(y) >> 32) as u32;
    match number {
        0x000 => a.wrapping_add(b),
        0x100 => a.wrapping_sub(b),
        0x001 => a << (b & 31),
        0x002 => (sa < sb) as u32,
        0x003 => (a < b) as u32,
        0x004 => a ^ b,
        0x005 => a >> (b & 31),
        0x105 => (sa >> (b & 31)) as u32,
        0x006 => a | b,
        0x007 => a & b,
        0x008 => a.wrapping_mul(b),
        0x009 => wide(sa as i64, sb as i64),
        0x00a => wide(sa as i64, b as i64),
        0x00b => ((a as u64 * b as u64) >> 32) as u32,
        0x00c if b == 0 => u32::MAX,
        0x00c => sa.wrapping_div(sb) as u32,
        0x00d => a.checked_div(b).unwrap_or(u32::MAX),
        0x00e if b == 0 => a,
        0x00e => sa.wrapping_rem(sb) as u32,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

const OPERATIONS: [u32; 18] = [
    0x000, 0x100, 0x001, 0x002, 0x003, 0x004, 0x005, 0x105, 0x006, 0x007, 0x008, 0x009, 0x00a,
    0x00b, 0x00c, 0x00d, 0x00e, 0x00f,
];

const OPERANDS: [u32; 9] = [
    0,
    1,
    0xffff_ffff,
    0x8000_0000,
    0x7fff_ffff,
    0x1234_5678,
    0xfedc_ba98,
    31,
    0xffff_ffe1,
];

#[test]
fn register_instructions() {
    for a in OPERANDS {
        let mut code = li(1, a).to_vec();
        for b in OPERANDS {
            code.extend(li(2, b));
            code.extend(OPERATIONS.map(|number| op(number, 3, 1, 2)));
        }
        code.extend(finish());
        let retired = pass(&code).retired();
        let results = retired.iter().filter(|r| r.rd == 3).map(|r| r.rd_value);
        let wanted = OPERANDS
            .iter()
            .flat_map(|b| OPERATIONS.map(|number| (number, a, *b)));
        for (result, (number, a, b)) in results.zip(wanted) {
            let right = expected(number, a, b);
            assert_eq!(result, right, "operation {number:#x} of {a:#x}, {b:#x}");
        }
    }
}

#[test]
fn immediate_instructions_and_upper_immediates() {
    let mut code = li(1, 0x8765_4321).to_vec();
    code.extend([
        addi(2, 1, -2048),
        opi(2, 2, 1, 5),
        opi(3, 2, 1, -1),
        opi(4, 2, 1, 0x7ff),
        opi(6, 2, 1, -256),
        opi(7, 2, 1, 0xff),
        opi(1, 2, 1, 7),
        opi(5, 2, 1, 7),
        opi(5, 2, 1, 0x407),
        lui(2, 0xabcd_e000),
        auipc(2, 0x1_1000),
        FENCE,
        FENCE_I,
        addi(0, 1, 1),
        op(0, 2, 0, 0),
    ]);
    code.extend(finish());
    let board = pass(&code);
    let results: Vec<u32> = board
        .retired()
        .iter()
        .filter(|r| r.rd == 2)
        .map(|r| r.rd_value)
        .collect();
    let pc = RAM + 4 * 12;
    let wanted = [
        0x8765_3b21,
        1,
        1,
        0x8765_44de,
        0xffff_ff21,
        0x21,
        0xb2a1_9080,
        0x010e_ca86,
        0xff0e_ca86,
        0xabcd_e000,
        pc + 0x1_1000,
        0,
    ];
    assert_eq!(results, wanted);
}

#[test]
fn loads_and_stores_use_their_lanes() {
    let base = RAM + 0x800;
    let mut code = [li(1, base), li(2, 0x8182_8384), li(3, 0xa5b6_c7d8)].concat();
    code.push(sw(2, 1, 0));
    for offset in 0..4 {
        code.extend([load(0, 4, 1, offset), load(4, 4, 1, offset)]);
    }
    code.extend([
        load(1, 4, 1, 0),
        load(5, 4, 1, 0),
        load(1, 4, 1, 2),
        load(5, 4, 1, 2),
    ]);
    code.extend([
        store(0, 3, 1, 1),
        lw(4, 1, 0),
        store(0, 3, 1, 3),
        lw(4, 1, 0),
    ]);
    code.extend([
        store(1, 3, 1, 0),
        lw(4, 1, 0),
        store(1, 3, 1, 2),
        lw(4, 1, 0),
    ]);
    code.extend(finish());
    let board = pass(&code);
    let retired = board.retired();
    let loaded: Vec<u32> = retired
        .iter()
        .filter(|r| r.rd == 4)
        .map(|r| r.rd_value)
        .collect();
    let wanted = [
        0xffff_ff84,
        0x84,
        0xffff_ff83,
        0x83,
        0xffff_ff82,
        0x82,
        0xffff_ff81,
        0x81,
        0xffff_8384,
        0x8384,
        0xffff_8182,
        0x8182,
        0x8182_d884,
        0xd882_d884,
        0xd882_c7d8,
        0xc7d8_c7d8,
    ];
    assert_eq!(loaded, wanted);
    // The port shows whole words and the bytes that count.
    let reads: Vec<u8> = retired
        .iter()
        .filter(|r| r.rmask != 0)
        .map(|r| r.rmask)
        .take(12)
        .collect();
    assert_eq!(reads, [1, 1, 2, 2, 4, 4, 8, 8, 3, 3, 12, 12]);
    for r in retired.iter().filter(|r| r.rmask != 0) {
        assert_eq!((r.mem_addr, r.wmask), (base, 0));
    }
    let writes: Vec<(u8, u32)> = retired
        .iter()
        .filter(|r| r.wmask != 0 && r.mem_addr == base)
        .map(|r| (r.wmask, r.wdata))
        .collect();
    assert_eq!(
        writes.iter().map(|w| w.0).collect::<Vec<_>>(),
        [15, 2, 8, 3, 12]
    );
    assert_eq!(writes[1].1 >> 8 & 0xff, 0xd8);
    assert_eq!(writes[4].1 >> 16, 0xc7d8);
}

#[test]
fn branches_and_jumps() {
    let taken = |funct3: u32, a: u32, b: u32| match funct3 {
        0 => a == b,
        1 => a != b,
        4 => (a as i32) < b as i32,
        5 => (a as i32) >= b as i32,
        6 => a < b,
        _ => a >= b,
    };
    let pairs = [
        (1, 1),
        (1, 2),
        (0xffff_ffff, 1),
        (1, 0xffff_ffff),
        (0x8000_0000, 0x7fff_ffff),
    ];
    let mut code = vec![];
    for (a, b) in pairs {
        code.extend([li(1, a), li(2, b)].concat());
        for funct3 in [0, 1, 4, 5, 6, 7] {
            code.extend([branch(funct3, 1, 2, 8), addi(3, 0, 1)]);
        }
    }
    code.extend([jal(5, 8), 0, auipc(6, 0), jalr(5, 6, 13), 0]);
    code.extend(finish());
    let retired = pass(&code).retired();
    let mut branches = retired.iter().filter(|r| r.insn & 0x7f == 0x63);
    for (a, b) in pairs {
        for funct3 in [0, 1, 4, 5, 6, 7] {
            let r = branches.next().unwrap();
            let step = if taken(funct3, a, b) { 8 } else { 4 };
            assert_eq!(r.next_pc, r.pc + step, "branch {funct3} of {a:#x}, {b:#x}");
        }
    }
    let links: Vec<_> = retired.iter().filter(|r| r.rd == 5).collect();
    assert_eq!(links.len(), 2);
    assert!(links.iter().all(|r| r.rd_value == r.pc + 4));
    assert_eq!(links[1].next_pc, links[1].pc + 8, "jalr clears bit 0");
    for pair in retired.windows(2) {
        assert_eq!(pair[0].next_pc, pair[1].pc);
    }
}

#[test]
fn atomics_read_and_write_in_one_step() {
    let base = RAM + 0x800;
    let (old, operand) = (0x8000_0010_u32, 0x7fff_fff3_u32);
    let cases: [(u32, u32); 9] = [
        (1, operand),
        (0, old.wrapping_add(operand)),
        (4, old ^ operand),
        (12, old & operand),
        (8, old | operand),
        (16, old),
        (20, operand),
        (24, operand),
        (28, old),
    ];
    let mut code = [li(1, base), li(2, old), li(3, operand)].concat();
    for (funct5, _) in cases {
        code.extend([sw(2, 1, 0), amo(funct5, 4, 1, 3)]);
    }
    code.extend(finish());
    let board = pass(&code);
    let seen: Vec<_> = board.retired().into_iter().filter(|r| r.rd == 4).collect();
    for (r, (funct5, new)) in seen.iter().zip(cases) {
        assert_eq!(
            (r.rd_value, r.rdata, r.wdata),
            (old, old, new),
            "funct5 {funct5}"
        );
        assert_eq!((r.rmask, r.wmask, r.mem_addr), (15, 15, base));
    }
}

#[test]
fn store_conditional_needs_its_reservation() {
    let base = RAM + 0x800;
    let mut code = [li(1, base), li(2, base + 4)].concat();
    code.extend([
        amo(3, 5, 1, 1), // no reservation yet
        amo(2, 4, 1, 0),
        amo(3, 5, 2, 1), // another word
        amo(3, 5, 1, 1), // lost by the last one
        amo(2, 4, 1, 0),
        amo(3, 5, 1, 1), // works
        amo(3, 5, 1, 1), // used up
    ]);
    code.extend(finish());
    let board = pass(&code);
    let stores: Vec<_> = board.retired().into_iter().filter(|r| r.rd == 5).collect();
    let seen: Vec<_> = stores
        .iter()
        .map(|r| (r.rd_value, r.rmask, r.wmask))
        .collect();
    assert_eq!(
        seen,
        [(1, 0, 0), (1, 0, 0), (1, 0, 0), (0, 0, 15), (1, 0, 0)]
    );
    assert_eq!(board.word(base), base);
}

#[test]
fn instructions_take_their_time() {
    let mut code = li(1, RAM + 0x800).to_vec();
    code.extend([
        addi(2, 0, 3),
        branch(0, 0, 0, 4),
        sw(2, 1, 0),
        lw(3, 1, 0),
        amo(0, 3, 1, 2),
        csr(2, 3, MSCRATCH, 0),
        op(8, 3, 2, 2),
        op(0xc, 3, 2, 2),
    ]);
    code.extend(finish());
    let retired = pass(&code).retired();
    let took: Vec<u64> = retired
        .windows(2)
        .skip(1)
        .take(8)
        .map(|w| w[1].cycle - w[0].cycle)
        .collect();
    assert_eq!(took, [3, 3, 4, 5, 7, 4, 36, 38]);
}
