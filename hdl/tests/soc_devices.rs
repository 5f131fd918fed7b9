//! Console, pins, DMA, and the order of what the ports show.

mod soc_support;

use soc_support::*;

#[test]
fn console_sends_and_receives() {
    let mut code = li(1, CONSOLE).to_vec();
    code.extend([
        // wait for a byte, send it back, until it is zero
        load(4, 2, 1, 5),
        opi(7, 2, 2, 1),
        branch(0, 2, 0, -8),
        load(4, 3, 1, 0),
        store(0, 3, 1, 0),
        branch(1, 3, 0, -20),
    ]);
    code.extend(finish());
    let mut board = Board::new(&code);
    let text = "forty characters go through the console\0";
    board.input = text.bytes().collect();
    assert_eq!(board.run(200_000), 0x5555);
    assert_eq!(board.console, text);
}

#[test]
fn console_registers_are_those_of_a_16550() {
    let mut code = li(1, CONSOLE).to_vec();
    let byte = |value: i32, register: i32| [addi(2, 0, value), store(0, 2, 1, register)];
    for register in 0..8 {
        code.push(load(4, 3, 1, register));
    }
    code.extend(byte(0x83, 3)); // DLAB
    code.extend(byte(0x12, 0));
    code.extend(byte(0x34, 1));
    code.extend([load(4, 3, 1, 0), load(4, 3, 1, 1)]);
    code.extend(byte(0x03, 3));
    code.extend(byte(0xff, 1)); // IER keeps four bits, THRE becomes pending
    code.extend(byte(0x5a, 7));
    code.extend(byte(0x01, 2)); // FIFO on
    code.extend([
        load(4, 3, 1, 1),
        load(4, 3, 1, 7),
        load(4, 3, 1, 3),
        load(4, 3, 1, 2),
        load(4, 3, 1, 2),
    ]);
    code.extend(finish());
    let board = pass(&code);
    let values: Vec<u32> = board
        .retired()
        .iter()
        .filter(|r| r.rd == 3)
        .map(|r| r.rd_value)
        .collect();
    let wanted = [
        0, 0, 1, 0, 0, 0x60, 0xb0, 0, 0x12, 0x34, 0x0f, 0x5a, 3, 0xc2, 0xc1,
    ];
    assert_eq!(values, wanted);
    assert_eq!(board.console, "", "divisor bytes are not sent");
}

#[test]
fn pins_go_out_and_come_in() {
    let mut code = [li(1, GPIO), li(2, 0xdead_beef)].concat();
    code.extend([sw(2, 1, 0), lw(3, 1, 0), lw(3, 1, 4)]);
    code.extend(finish());
    let mut board = Board::new(&code);
    board.soc.gpio_in.next = 0x1234_5678_u64.into();
    assert_eq!(board.run(1000), 0x5555);
    let values: Vec<u32> = board
        .retired()
        .iter()
        .filter(|r| r.rd == 3)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(values, [0xdead_beef, 0x1234_5678]);
    assert_eq!(board.soc.gpio_out.val().to_u32(), 0xdead_beef);
}

#[test]
fn devices_refuse_what_they_do_not_have() {
    let handler = [
        csr(2, 20, MCAUSE, 0),
        csr(2, 22, MEPC, 0),
        addi(22, 22, 4),
        csr(1, 0, MEPC, 22),
        MRET,
    ];
    let mut code = [
        li(1, CLINT),
        li(2, CONSOLE),
        li(3, 0x1000_1000),
        li(4, GPIO),
    ]
    .concat();
    let accesses = [
        (load(4, 5, 1, 0), 5), // the CLINT takes words
        (store(1, 5, 1, 0), 7),
        (load(4, 5, 2, 8), 5), // eight registers
        (store(0, 5, 4, 0), 7),
    ];
    code.extend(accesses.map(|a| a.0));
    code.extend([lw(6, 3, 0), load(4, 6, 3, 3), lw(6, 2, 4)]);
    let board = pass(&with_handler(&code, &handler));
    let retired = board.retired();
    let causes: Vec<u32> = retired
        .iter()
        .filter(|r| r.rd == 20)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(causes, accesses.map(|a| a.1));
    let read: Vec<u32> = retired
        .iter()
        .filter(|r| r.rd == 6)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(read, [0, 0, 0x00b0_6000]);
}

/// Code that starts a copy of `bytes` from `source` to `destination`; uses x8 to x10.
fn start_copy(source: u32, destination: u32, bytes: u32, control: i32) -> Vec<u32> {
    let mut code = li(10, DMA).to_vec();
    for (register, value) in [(0, source), (4, destination), (8, bytes)] {
        code.extend(li(9, value));
        code.push(sw(9, 10, register));
    }
    code.extend([addi(9, 0, control), sw(9, 10, 12)]);
    code
}

#[test]
fn dma_copies_and_interrupts() {
    let (source, destination, words) = (RAM + 0x2000, RAM + 0x3000, 40);
    let mut code = start_copy(source, destination, 4 * words, 3);
    code.extend(li(1, 0x800));
    code.extend([csr(1, 0, MIE, 1), csr(6, 0, MSTATUS, 8), WFI, lw(3, 10, 16)]);
    let handler = [
        lw(2, 10, 16),
        csr(2, 20, MCAUSE, 0),
        addi(4, 0, 2),
        sw(4, 10, 16),
        lw(5, 10, 8),
        MRET,
    ];
    let mut image = with_handler(&code, &handler);
    image.resize(0x800, 0);
    image.extend((0..words).map(|i| 0x0101_0101 * i));
    let board = pass(&image);
    for i in 0..words {
        assert_eq!(board.word(destination + 4 * i), 0x0101_0101 * i);
    }
    let retired = board.retired();
    let value = |rd| retired.iter().find(|r| r.rd == rd).unwrap().rd_value;
    assert_eq!(
        (value(2), value(20), value(3), value(5)),
        (2, 0x8000_000b, 0, 0)
    );
    let snoops: Vec<u32> = board
        .seen
        .iter()
        .filter_map(|s| {
            if let Seen::Snoop(addr) = s {
                Some(*addr)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        snoops,
        (0..words).map(|i| destination + 4 * i).collect::<Vec<_>>()
    );
}

#[test]
fn dma_outside_of_ram_is_an_error() {
    for (source, destination) in [(0x1000_0000, RAM + 0x800), (RAM, RAM + 0x1_0000)] {
        let mut code = start_copy(source, destination, 8, 1);
        code.extend([lw(3, 10, 16), opi(7, 4, 3, 1), branch(1, 4, 0, -8)]);
        code.extend([addi(5, 0, 6), sw(5, 10, 16), lw(6, 10, 16)]);
        code.extend(finish());
        let board = pass(&code);
        let retired = board.retired();
        let last = |rd| retired.iter().rfind(|r| r.rd == rd).unwrap().rd_value;
        assert_eq!((last(3), last(6)), (6, 0));
        assert!(board.seen.iter().all(|s| matches!(s, Seen::Retired(_))));
    }
}

/// Replays what the ports showed on a memory of its own: every word that an instruction read or
/// that was executed must be the one which that order gives.
fn check_order(board: &Board, image: &[u32], copied: &[(u32, u32)]) {
    let mut memory = vec![0; board.ram.len()];
    memory[..image.len()].copy_from_slice(image);
    let mut copied = copied.iter();
    for seen in &board.seen {
        match seen {
            Seen::Snoop(addr) => {
                let (destination, value) = copied.next().expect("a copied word");
                assert_eq!(addr, destination);
                memory[(addr - RAM) as usize / 4] = *value;
            }
            Seen::Retired(r) => {
                assert_eq!(r.insn, memory[(r.pc - RAM) as usize / 4], "{r:x?}");
                if r.mem_addr < RAM {
                    continue;
                }
                let word = &mut memory[(r.mem_addr - RAM) as usize / 4];
                for lane in 0..4 {
                    let bits = 0xff << (8 * lane);
                    if r.rmask >> lane & 1 == 1 {
                        assert_eq!(r.rdata & bits, *word & bits, "{r:x?}");
                    }
                    if r.wmask >> lane & 1 == 1 {
                        *word = *word & !bits | r.wdata & bits;
                    }
                }
            }
        }
    }
}

#[test]
fn ports_show_the_order_of_memory() {
    // DMA overwrites a buffer that loads, stores and AMOs work on, and the code that does so.
    let (source, destination, words) = (RAM + 0x2000, RAM + 0x1000, 64u32);
    let mut code = start_copy(source, destination, 4 * words, 1);
    code.extend(li(1, destination));
    code.push(jalr(5, 1, 0x80));
    code.extend(finish());
    code.resize(0x400, 0);
    // The routine lies inside the buffer, after 32 words of data, and is replaced while it runs
    // by one that counts by two.
    let routine = |step: i32| {
        [
            lw(2, 1, 0x20),
            addi(2, 2, step),
            sw(2, 1, 0x24),
            amo(0, 3, 1, 2),
            load(4, 3, 1, 0x41),
            store(1, 2, 1, 0x52),
            op(8, 3, 2, 2),
            lw(4, 10, 16),
            opi(7, 4, 4, 1),
            branch(1, 4, 0, -36),
            jalr(0, 5, 0),
        ]
    };
    code.extend((0..32).map(|i| 1000 + i));
    code.extend(routine(1));
    code.resize(0x800, 0);
    let copy: Vec<u32> = (0..32)
        .map(|i| 5000 + i)
        .chain(routine(2))
        .chain([7; 21])
        .collect();
    code.extend(&copy);
    let board = pass(&code);
    let copied: Vec<(u32, u32)> = (0..words)
        .map(|i| (destination + 4 * i, copy[i as usize]))
        .collect();
    check_order(&board, &code, &copied);
    let executed = board
        .retired()
        .iter()
        .filter(|r| r.insn == addi(2, 2, 2))
        .count();
    assert!(executed > 0, "the new code ran");
}

#[test]
fn a_copy_takes_the_reservation_away() {
    for (destination, fails) in [(RAM + 0x3000, 1), (RAM + 0x3004, 0)] {
        let mut code = li(1, RAM + 0x3000).to_vec();
        code.push(amo(2, 2, 1, 0));
        code.extend(start_copy(RAM, destination, 4, 1));
        code.extend([
            lw(3, 10, 16),
            opi(7, 4, 3, 1),
            branch(1, 4, 0, -8),
            amo(3, 6, 1, 0),
        ]);
        code.extend(finish());
        let retired = pass(&code).retired();
        let stored = retired.iter().find(|r| r.rd == 6).unwrap().rd_value;
        assert_eq!(stored, fails);
    }
}

#[test]
fn a_stalled_soc_writes_nothing() {
    let mut code = start_copy(RAM, RAM + 0x3000, 400, 1);
    code.push(jal(0, 0));
    let mut board = Board::new(&code);
    while !board.seen.iter().any(|s| matches!(s, Seen::Snoop(_))) {
        board.step();
    }
    board.soc.stall.next = true;
    (0..20).for_each(|_| board.step());
    let seen = board.seen.len();
    (0..100).for_each(|_| board.step());
    assert_eq!(board.seen.len(), seen);
}

#[test]
fn the_plic_brings_console_and_dma_interrupts() {
    const PLIC: u32 = 0x0c00_0000;
    let mut code = [
        li(1, PLIC),
        li(2, PLIC + 0x2000),
        li(3, PLIC + 0x20_0000),
        li(7, CONSOLE),
    ]
    .concat();
    code.extend([
        addi(4, 0, 1),
        sw(4, 1, 0x28), // console: priority 1
        addi(4, 0, 3),
        sw(4, 1, 0x2c), // DMA: priority 3
        lui(4, 0x1000),
        addi(4, 4, -0x400),
        sw(4, 2, 0), // enable both
        lw(5, 2, 0),
        addi(4, 0, 1),
        store(0, 4, 7, 1), // console: receive interrupt
    ]);
    code.extend(start_copy(RAM, RAM + 0x3000, 4, 3));
    code.extend([lw(6, 10, 16), opi(7, 6, 6, 1), branch(1, 6, 0, -8)]);
    code.extend([
        lw(6, 1, 0), // no source 0
        lw(5, 3, 4), // claims DMA, of higher priority
        lw(5, 3, 4), // then the console
        lw(5, 3, 4), // then nothing
        addi(4, 0, 11),
        sw(4, 3, 4),
        lw(5, 3, 4), // the DMA line is still high
        addi(6, 0, 2),
        sw(6, 10, 16),
        sw(4, 3, 4),
        lw(5, 3, 4),
        load(4, 6, 7, 0), // takes the byte
        addi(4, 0, 10),
        sw(4, 3, 4),
        csr(2, 5, MIP, 0),
    ]);
    code.extend(finish());
    let mut board = Board::new(&code);
    board.input = b"x".to_vec();
    assert_eq!(board.run(10_000), 0x5555);
    let values: Vec<u32> = board
        .retired()
        .iter()
        .filter(|r| r.rd == 5)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(values, [0xc00, 11, 10, 0, 11, 0, 0]);
}

#[test]
fn a_request_stays_until_it_is_claimed() {
    const PLIC: u32 = 0x0c00_0000;
    let mut code = [
        li(1, PLIC + 0x1000),
        li(2, PLIC + 0x2000),
        li(3, PLIC + 0x20_0000),
        li(6, PLIC),
        li(7, CONSOLE),
    ]
    .concat();
    code.extend([
        addi(4, 0, 1),
        sw(4, 6, 0x28), // console: priority 1
        addi(4, 0, 0x400),
        sw(4, 2, 0),
        addi(4, 0, 2),
        store(0, 4, 7, 1), // interrupt when the transmitter is empty, which it is
        store(0, 0, 7, 1), // no more
        lw(5, 1, 0),
        csr(2, 5, MIP, 0),
        lw(5, 3, 4),
        lw(5, 1, 0),
        csr(2, 5, MIP, 0),
        sw(4, 3, 4),
        addi(4, 0, 10),
        sw(4, 3, 4),
        lw(5, 1, 0),
    ]);
    code.extend(finish());
    let mut board = Board::new(&code);
    assert_eq!(board.run(10_000), 0x5555);
    let values: Vec<u32> = board
        .retired()
        .iter()
        .filter(|r| r.rd == 5)
        .map(|r| r.rd_value)
        .collect();
    assert_eq!(values, [0x400, 0x800, 10, 0, 0, 0]);
}
