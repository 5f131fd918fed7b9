//! Traps, privilege, CSRs and interrupts.

mod soc_support;

use soc_support::*;

/// A handler that records cause and value in x20 and x21 and goes on after the instruction.
fn skipping_handler() -> Vec<u32> {
    vec![
        csr(2, 20, MCAUSE, 0),
        csr(2, 21, MTVAL, 0),
        csr(2, 22, MEPC, 0),
        addi(23, 22, 4),
        csr(1, 0, MEPC, 23),
        MRET,
    ]
}

/// Runs `code` and gives (cause, value, pc) of each trap.
fn traps(code: &[u32]) -> Vec<(u32, u32, u32)> {
    let board = pass(&with_handler(code, &skipping_handler()));
    let retired = board.retired();
    for pair in retired.windows(2) {
        assert_eq!(pair[0].next_pc, pair[1].pc);
        if pair[0].trap {
            let r = pair[0];
            assert_eq!((r.rd, r.rmask, r.wmask), (0, 0, 0));
            assert_eq!(r.next_pc, RAM + 0x1000);
        }
    }
    let values = |rd| {
        retired
            .iter()
            .filter(move |r| r.rd == rd)
            .map(|r| r.rd_value)
    };
    values(20)
        .zip(values(21))
        .zip(values(22))
        .map(|((c, v), p)| (c, v, p))
        .collect()
}

#[test]
fn every_cause_with_its_value() {
    let mut code = [li(1, RAM + 0x801), li(2, 0x0300_0000), li(3, RAM + 0x10002)].concat();
    let start = RAM + 4 * (3 + code.len() as u32);
    let faulting = [
        (ECALL, 11, 0),
        (EBREAK, 3, 0),
        (0, 2, 0),
        (0xffff_ffff, 2, 0xffff_ffff),
        (lw(4, 1, 0), 4, RAM + 0x801),
        (load(1, 4, 1, 0), 4, RAM + 0x801),
        (load(5, 4, 1, 2), 4, RAM + 0x803),
        (sw(4, 1, 1), 6, RAM + 0x802),
        (store(1, 4, 1, 0), 6, RAM + 0x801),
        (amo(0, 4, 1, 4), 6, RAM + 0x801),
        (amo(2, 4, 1, 0), 4, RAM + 0x801),
        (amo(3, 4, 1, 4), 6, RAM + 0x801),
        (lw(4, 2, 4), 5, 0x0300_0004),
        (sw(4, 2, 8), 7, 0x0300_0008),
        (amo(0, 4, 2, 4), 7, 0x0300_0000),
        (amo(2, 4, 2, 0), 5, 0x0300_0000),
        (load(4, 4, 3, 0), 5, RAM + 0x10002),
        (store(0, 4, 3, 1), 7, RAM + 0x10003),
        (jal(4, 6), 0, 0), // its value is checked below
        (jalr(4, 1, 2), 0, RAM + 0x802),
        (branch(0, 0, 0, 10), 0, 0),
        (csr(2, 4, 0x7c0, 0), 2, csr(2, 4, 0x7c0, 0)),
        (csr(1, 4, 0xf14, 0), 2, csr(1, 4, 0xf14, 0)),
        (csr(6, 4, 0xc00, 1), 2, csr(6, 4, 0xc00, 1)),
        (csr(2, 4, 0x302, 0), 2, csr(2, 4, 0x302, 0)),
        (op(0x201, 4, 1, 1), 2, op(0x201, 4, 1, 1)),
        (opi(1, 4, 1, 0x20), 2, opi(1, 4, 1, 0x20)),
        (load(3, 4, 1, 0), 2, load(3, 4, 1, 0)),
        (store(3, 4, 1, 0), 2, store(3, 4, 1, 0)),
        (branch(2, 0, 0, 8), 2, branch(2, 0, 0, 8)),
        (amo(5, 4, 1, 4), 2, amo(5, 4, 1, 4)),
        (amo(2, 4, 1, 4), 2, amo(2, 4, 1, 4)),
        (0x1020_0073, 2, 0x1020_0073), // sret: there is no S mode
    ];
    code.extend(faulting.map(|f| f.0));
    let seen = traps(&code);
    assert_eq!(seen.len(), faulting.len());
    for (index, (seen, wanted)) in seen.iter().zip(faulting).enumerate() {
        let pc = start + 4 * index as u32;
        let value = match wanted.0 {
            insn if insn == jal(4, 6) => pc + 6,
            insn if insn == branch(0, 0, 0, 10) => pc + 10,
            _ => wanted.2,
        };
        assert_eq!(
            *seen,
            (wanted.1, value, pc),
            "instruction {:#010x}",
            wanted.0
        );
    }
}

#[test]
fn a_jump_into_nowhere_is_a_fetch_fault_there() {
    let code = li(1, 0x2000_0000);
    let handler = [
        &[
            csr(2, 20, MCAUSE, 0),
            csr(2, 21, MTVAL, 0),
            csr(2, 22, MEPC, 0),
        ][..],
        &finish(),
    ]
    .concat();
    let board = pass(&with_handler(&[code[0], code[1], jalr(5, 1, 0)], &handler));
    let retired = board.retired();
    let at = retired.iter().position(|r| r.trap).unwrap();
    assert_eq!(retired[at - 1].next_pc, 0x2000_0000);
    assert_eq!(
        (retired[at].pc, retired[at].insn, retired[at].next_pc),
        (0x2000_0000, 0, RAM + 0x1000)
    );
    let values: Vec<u32> = retired[at + 1..at + 4].iter().map(|r| r.rd_value).collect();
    assert_eq!(values, [1, 0x2000_0000, 0x2000_0000]);
}

#[test]
fn the_finisher_and_lockup_end_the_run() {
    for (code, ends) in [(0x5555, 0x5555), (0x7_3333, 0x7_3333), (0x7777, 0x7777)] {
        let image = [
            &li(1, FINISHER)[..],
            &li(2, code),
            &[sw(2, 1, 0), jal(0, 0)],
        ]
        .concat();
        let mut board = Board::new(&image);
        assert_eq!(board.run(1000), ends);
        assert_eq!(board.retired().last().unwrap().insn, sw(2, 1, 0));
    }
    // Halfwords end it too; other values do not.
    let image = [
        &li(1, FINISHER)[..],
        &li(2, 0x9_3333),
        &[sw(1, 1, 0), store(1, 2, 1, 0), jal(0, 0)],
    ]
    .concat();
    assert_eq!(Board::new(&image).run(1000), 0x3333);
    // mtvec is 0, where there is nothing.
    let mut board = Board::new(&[addi(1, 0, 1), ECALL]);
    assert_eq!(board.run(1000), 0xdead_0000);
    let pcs: Vec<_> = board.retired().iter().map(|r| (r.pc, r.trap)).collect();
    assert_eq!(pcs, [(RAM, false), (RAM + 4, true), (0, true), (0, true)]);
}

#[test]
fn csr_instructions_read_and_write() {
    let mut code = li(1, 0xf0f0_f0f0).to_vec();
    code.extend([
        csr(1, 2, MSCRATCH, 1),
        csr(2, 2, MSCRATCH, 0),
        csr(6, 2, MSCRATCH, 15),
        csr(7, 2, MSCRATCH, 3),
        csr(5, 2, MSCRATCH, 31),
        csr(3, 2, MSCRATCH, 1),
        csr(2, 2, MSCRATCH, 0),
        csr(2, 2, MISA, 0),
        csr(1, 2, MISA, 1),
        csr(2, 2, 0xf14, 0),
        csr(2, 2, 0xf11, 0),
        csr(1, 2, MIE, 1),
        csr(2, 2, MIE, 0),
        csr(1, 0, MSTATUS, 1),
        csr(2, 2, MSTATUS, 0),
        csr(1, 0, 0x3a0, 1),
        csr(2, 2, 0x3a0, 0),
        csr(1, 0, 0x3b0, 1),
        csr(2, 2, 0x3b0, 0),
        csr(1, 0, 0xb05, 1),
        csr(2, 2, 0xb05, 0),
        csr(2, 2, 0x310, 0),
        csr(1, 0, MEPC, 1),
        csr(2, 2, MEPC, 0),
    ]);
    code.extend(finish());
    let values: Vec<u32> = pass(&code)
        .retired()
        .iter()
        .filter(|r| r.rd == 2)
        .map(|r| r.rd_value)
        .collect();
    let wanted = [
        0,
        0xf0f0_f0f0,
        0xf0f0_f0f0,
        0xf0f0_f0ff,
        0xf0f0_f0fc,
        31,
        0xf,
        0x4010_1101,
        0x4010_1101,
        0,
        0,
        0,
        0x80,
        0x0020_0080,
        0,
        0,
        0,
        0,
        0xf0f0_f0f0,
    ];
    assert_eq!(values, wanted);
}

#[test]
fn counters_count_and_can_be_written() {
    let mut code = vec![
        csr(2, 2, 0xb02, 0), // minstret: two instructions in
        csr(2, 2, 0xc02, 0),
        addi(1, 0, -1),
        csr(1, 0, 0xb02, 1), // the write wins over its own count
        csr(2, 2, 0xb02, 0),
        csr(2, 2, 0xb02, 0),
        csr(2, 2, 0xb82, 0),
        csr(5, 0, 0x320, 5), // mcountinhibit
        csr(2, 3, 0xb00, 0),
        csr(2, 3, 0xb00, 0),
        csr(2, 2, 0xb02, 0),
        csr(2, 2, 0xb02, 0),
        csr(5, 0, 0xb00, 7),
        csr(2, 2, 0xc00, 0),
        csr(5, 0, 0xb80, 9),
        csr(2, 2, 0xc80, 0),
    ];
    code.extend(finish());
    let retired = pass(&code).retired();
    let values: Vec<u32> = retired
        .iter()
        .filter(|r| r.rd == 2)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(values, [0, 1, u32::MAX, 0, 1, 3, 3, 7, 9]);
    let cycles: Vec<u32> = retired
        .iter()
        .filter(|r| r.rd == 3)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(cycles[0], cycles[1], "inhibited");
}

#[test]
fn user_mode_is_kept_out_of_machine_registers() {
    // mstatus.MPP is 0 after reset, so mret enters U mode at mepc.
    let user = RAM + 4 * 3 + 4 * 4;
    let mut code = [&li(1, user)[..], &[csr(1, 0, MEPC, 1), MRET]].concat();
    let attempts = [csr(2, 4, MSTATUS, 0), csr(2, 4, 0xc00, 0), MRET, ECALL];
    code.extend(attempts);
    // The fourth trap allows the counters and stays in M mode afterwards.
    let handler = [
        &skipping_handler()[..5],
        &[addi(24, 24, 1), addi(25, 0, 4), branch(0, 24, 25, 8), MRET],
        &li(26, 0x1800),
        &[csr(2, 0, MSTATUS, 26), csr(5, 0, MCOUNTEREN, 7), MRET],
    ]
    .concat();
    code.extend([csr(2, 5, MSTATUS, 0)]);
    let board = pass(&with_handler(&code, &handler));
    let retired = board.retired();
    let causes: Vec<u32> = retired
        .iter()
        .filter(|r| r.rd == 20)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(causes, [2, 2, 2, 8]);
    for r in retired.iter().filter(|r| r.trap) {
        assert_eq!(r.mode, 0);
    }
    let status = retired.iter().find(|r| r.rd == 5).unwrap();
    assert_eq!(
        (status.mode, status.rd_value),
        (3, 0x80),
        "mret leaves MPP = U, MPIE = 1"
    );
}

#[test]
fn user_counters_follow_mcounteren() {
    let user = RAM + 4 * 3 + 4 * 5;
    let mut code = [
        &li(1, user)[..],
        &[csr(5, 0, MCOUNTEREN, 2), csr(1, 0, MEPC, 1), MRET],
    ]
    .concat();
    code.extend([
        csr(2, 4, 0xc01, 0),
        csr(2, 4, 0xc00, 0),
        csr(2, 4, 0xc03, 0),
    ]);
    let board = pass(&with_handler(&code, &skipping_handler()));
    let causes: Vec<_> = board
        .retired()
        .iter()
        .filter(|r| r.rd == 21)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(causes, [csr(2, 4, 0xc00, 0), csr(2, 4, 0xc03, 0)]);
}

#[test]
fn timer_and_software_interrupts_by_vector() {
    let mut code = [li(1, CLINT), li(2, CLINT + 0x4000)].concat();
    code.extend(li(3, RAM + 0x1001));
    code.extend([
        csr(1, 0, MTVEC, 3),
        addi(4, 0, 0x88),
        csr(1, 0, MIE, 4),
        addi(5, 0, 60),
        sw(0, 2, 4),
        sw(5, 2, 0), // mtimecmp = 60
        csr(6, 0, MSTATUS, 8),
        WFI,
        addi(6, 0, 1),
        sw(6, 1, 0), // msip
        addi(7, 0, 1),
        addi(7, 0, 2),
    ]);
    // Vector table: entry 3 software, entry 7 timer.
    let mut handler = vec![jal(0, 0); 8];
    handler[3] = jal(0, 4 * (8 - 3));
    handler[7] = jal(0, 4 * (12 - 7));
    handler.extend([csr(2, 20, MCAUSE, 0), sw(0, 1, 0), csr(2, 22, MIP, 0), MRET]);
    handler.extend([
        csr(2, 20, MCAUSE, 0),
        addi(8, 0, -1),
        sw(8, 2, 4),
        csr(2, 21, MIP, 0),
        MRET,
    ]);
    let board = pass(&with_handler(&code, &handler));
    let retired = board.retired();
    let first: Vec<_> = retired.iter().filter(|r| r.intr).map(|r| r.pc).collect();
    assert_eq!(first, [RAM + 0x1000 + 28, RAM + 0x1000 + 12]);
    let values = |rd| {
        retired
            .iter()
            .filter(|r| r.rd == rd)
            .map(|r| r.rd_value)
            .collect::<Vec<_>>()
    };
    assert_eq!(values(20), [0x8000_0007, 0x8000_0003]);
    assert_eq!(
        (values(21), values(22)),
        (vec![0], vec![0]),
        "the handlers put the lines down"
    );
    let wfi = retired.iter().position(|r| r.insn == WFI).unwrap();
    assert!(
        retired[wfi + 1].intr && retired[wfi + 1].cycle >= 300,
        "slept until the timer"
    );
    assert_eq!(retired[wfi].next_pc, retired[wfi].pc + 4);
    // The interrupt is seen as a break in the chain of pcs, nowhere else.
    for pair in retired.windows(2) {
        assert_eq!(pair[0].next_pc != pair[1].pc, pair[1].intr);
    }
}

#[test]
fn wfi_wakes_without_taking_a_disabled_interrupt() {
    let mut code = li(1, CLINT).to_vec();
    code.extend([
        csr(5, 0, MIE, 8),
        addi(2, 0, 1),
        sw(2, 1, 0),
        WFI,
        csr(2, 3, MIP, 0),
    ]);
    let board = pass(&with_handler(&code, &[]));
    let pending = board.retired().iter().find(|r| r.rd == 3).unwrap().rd_value;
    assert_eq!(pending, 8);
}

#[test]
fn time_begins_with_the_program_and_stall_holds_it() {
    let mut image = vec![csr(2, 2, 0xc01, 0), csr(2, 2, 0xb00, 0)];
    image.extend(finish());
    let run = |stalled: u64| {
        let mut board = Board::new(&image);
        board.soc.stall.next = true;
        (0..stalled).for_each(|_| board.step());
        assert!(board.seen.is_empty());
        board.soc.stall.next = false;
        board.run(1000);
        board
            .retired()
            .iter()
            .map(|r| r.rd_value)
            .collect::<Vec<_>>()
    };
    assert_eq!(run(40), run(500));
    // Later, an instruction under way completes and no other starts.
    let mut board = Board::new(&image);
    while board.seen.is_empty() {
        board.step();
    }
    board.step();
    board.soc.stall.next = true;
    (0..100).for_each(|_| board.step());
    assert_eq!(board.seen.len(), 2);
    board.soc.stall.next = false;
    assert_eq!(board.run(1000), 0x5555);
}

#[test]
fn reset_clears_what_the_program_left() {
    let mut image = vec![addi(1, 1, 1), addi(31, 31, 7)];
    image.extend([csr(6, 2, MSCRATCH, 5), addi(0, 0, 0)]);
    image.extend(finish());
    let mut board = Board::new(&image);
    board.run(1000);
    let first: Vec<_> = board
        .retired()
        .iter()
        .map(|r| (r.pc, r.rd, r.rd_value))
        .collect();
    board.seen.clear();
    board.soc.reset.next = true;
    board.step();
    board.soc.reset.next = false;
    assert_eq!(board.run(1000), 0x5555);
    let second: Vec<_> = board
        .retired()
        .iter()
        .map(|r| (r.pc, r.rd, r.rd_value))
        .collect();
    assert_eq!(first, second);
}
