//! Zicsr, traps, modes and interrupts, by tables.

use super::super::asm::{
    addi, amo, branch, csr, csrr, csrs, csrw, jal, jalr, li, lui, lw, store, sw, AUIPC, EBREAK,
    ECALL, MRET, NOP, WFI,
};
use super::super::generate::Profile::{Common, Own};
use super::super::image::POINTER;
use super::super::item::{Item, LINK};
use super::super::pieces::{self, Source};
use super::super::tables::{self, NOWHERE};
use super::{case, Case, CORNERS};

const RESULT: u32 = 7;
const SOURCES: [Source; 3] = [Source::Software, Source::Timer, Source::Console];
/// What a CSR instruction does: `funct3`.
const ACCESSES: [u32; 6] = [1, 2, 3, 5, 6, 7];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        case(Common, "csr values", csr_values()),
        case(Common, "csr read-only", csr_constants(&tables::OTHERS, 1)),
        case(Own, "csr written zero", csr_constants(&tables::OTHERS, 0)),
        case(Own, "csr zeros", csr_constants(&ZEROS, u32::MAX)),
        case(Own, "counters", counters()),
        case(Common, "counters in U", user_counters()),
        case(Common, "mtvec", vectors()),
        case(Common, "illegal", tables::ILLEGAL.map(Item::word).to_vec()),
        case(Common, "calls", calls()),
        case(Common, "access faults", faults()),
        case(Own, "access faults of atomics", atomic_faults()),
        case(Own, "narrow device accesses", narrow()),
        case(Common, "mstatus stack", status_stack(&STATUSES)),
        case(
            Own,
            "mstatus stack with MPRV",
            status_stack(&[0x2_0000, 0x22_0088]),
        ),
        case(Common, "U mode", user()),
        case(Common, "wfi", waiting()),
        case(Common, "nested", nested()),
        case(Common, "withdrawn request", withdrawn()),
        case(Own, "priority", priority()),
    ];
    for vectored in [false, true] {
        let name = if vectored { "vectored" } else { "direct" };
        let mut interrupts = case(Common, format!("interrupts {name}"), interrupts());
        interrupts.1.vectored = vectored;
        cases.push(interrupts);
    }
    cases
}

/// MIE, MPIE and TW.
const STATUSES: [u32; 6] = [0, 8, 0x80, 0x88, 0x20_0000, 0x20_0088];

/// CSRs that are there for programs that look, and read zero.
const ZEROS: [u32; 13] = [
    0x310, 0x30a, 0x31a, 0x323, 0x33f, 0x3a0, 0x3b0, 0x3ef, 0xb03, 0xb9f, 0xc03, 0xc9f, 0xf15,
];

fn keep(offset: i32) -> Item {
    Item::word(sw(RESULT, POINTER, offset))
}

/// Every access to every writable CSR, and the value afterwards.
fn csr_values() -> Vec<Item> {
    let mut items = Vec::new();
    for (number, mask) in tables::WRITABLE {
        for funct3 in ACCESSES {
            for value in [0, 1, 0x5555_5555, 0xaaaa_aaaa, u32::MAX] {
                // Interrupts stay off, and MPP is U or M.
                let mut value = value & mask & !if number == csrs::MSTATUS { 8 } else { 0 };
                if number == csrs::MSTATUS && value & 0x1800 != 0 {
                    value |= 0x1800;
                }
                items.push(pieces::csr_access(funct3, number, RESULT, value));
                items.push(keep(0));
                items.push(Item::Words(vec![
                    csrr(RESULT, number),
                    sw(RESULT, POINTER, 4),
                ]));
                // Each value stays in the log.
                items.push(Item::Words(vec![csrw(csrs::MSCRATCH, RESULT)]));
            }
            items.push(Item::word(EBREAK));
        }
        items.push(pieces::csr_access(1, number, 0, 0));
        // Set and clear with nothing do not write; with rd = x0 nothing is read.
        items.push(Item::word(csr(2, number, RESULT, 0)));
        items.push(Item::word(csr(7, number, RESULT, 0)));
        items.push(Item::word(csr(1, number, 0, 0)));
    }
    items
}

/// Reads are allowed where writes are not, and neither where nothing is.
fn csr_constants(numbers: &[u32], value: u32) -> Vec<Item> {
    let mut items = Vec::new();
    for (index, &number) in numbers.iter().enumerate() {
        for funct3 in ACCESSES {
            items.push(pieces::csr_access(funct3, number, RESULT, value));
            items.push(Item::word(csr(funct3, number, RESULT, 0)));
        }
        items.push(keep(4 * index as i32));
    }
    items
}

fn counters() -> Vec<Item> {
    let mut items = Vec::new();
    for number in tables::CLOCKS {
        items.push(Item::Words(vec![
            csrr(RESULT, number),
            sw(RESULT, POINTER, 0),
        ]));
        for value in CORNERS {
            items.push(pieces::csr_access(1, number, RESULT, value));
            items.push(Item::Words(vec![
                csrr(RESULT, number),
                sw(RESULT, POINTER, 4),
            ]));
            items.push(Item::Words(vec![NOP, csrr(RESULT, number)]));
        }
    }
    // The low half carries into the high one; inhibited counters stand still.
    for inhibit in [0, 1, 4, 5, 0] {
        items.push(pieces::csr_access(1, csrs::MCOUNTINHIBIT, 0, inhibit));
        for (low, high) in [
            (csrs::MINSTRET, csrs::MINSTRETH),
            (csrs::MCYCLE, csrs::MCYCLEH),
        ] {
            items.push(pieces::csr_access(1, high, 0, 7));
            items.push(pieces::csr_access(1, low, 0, 0xffff_fffe));
            items.push(Item::Words(vec![
                NOP,
                NOP,
                csrr(RESULT, low),
                csrr(5, high),
            ]));
        }
    }
    items
}

/// U mode reads the counters that `mcounteren` lets it read.
fn user_counters() -> Vec<Item> {
    let mut items = Vec::new();
    for enabled in 0..8 {
        items.push(pieces::to_machine());
        items.push(pieces::csr_access(1, csrs::MCOUNTEREN, 0, enabled));
        items.push(pieces::return_to(false, 0));
        for number in tables::CLOCKS {
            items.push(pieces::clock_read(number, RESULT));
        }
    }
    items
}

fn vectors() -> Vec<Item> {
    let values = [
        0,
        1,
        4,
        5,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffd,
        0xffff_ffff,
        2,
        3,
    ];
    let mut items = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        items.push(pieces::vector_access(1, RESULT, value));
        items.push(keep(4 * index as i32));
    }
    items
}

/// `ecall` and `ebreak` from both modes.
fn calls() -> Vec<Item> {
    let mut items = vec![Item::word(ECALL), Item::word(EBREAK)];
    items.push(pieces::return_to(false, 0));
    items.extend([Item::word(ECALL), Item::word(EBREAK), pieces::to_machine()]);
    items.extend([Item::word(ECALL), Item::word(EBREAK)]);
    items
}

fn faults() -> Vec<Item> {
    let mut items = Vec::new();
    for user in [false, true] {
        for addr in NOWHERE {
            for funct3 in [0, 1, 2, 4, 5] {
                items.push(pieces::access_at(
                    addr,
                    pieces::load(funct3, RESULT, LINK, 0),
                ));
            }
            for funct3 in 0..3 {
                items.push(pieces::access_at(addr, store(funct3, RESULT, LINK, 4)));
            }
            items.push(pieces::jump_nowhere(addr));
        }
        if !user {
            items.push(pieces::return_to(false, 0));
        }
    }
    items
}

fn atomic_faults() -> Vec<Item> {
    let mut items = Vec::new();
    for addr in NOWHERE
        .into_iter()
        .chain([0x8000_0001, 0x8000_0002, 0x8000_0003])
    {
        for funct5 in [0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28] {
            let rs2 = if funct5 == 2 { 0 } else { 6 };
            items.push(pieces::access_at(addr, amo(funct5, 0, RESULT, LINK, rs2)));
        }
    }
    items
}

/// Devices that take whole words refuse others.
fn narrow() -> Vec<Item> {
    let mut items = Vec::new();
    for addr in [
        0x0200_4000,
        0x0c00_1000,
        0x1001_2000,
        0x1001_3000,
        0x0010_0000,
        0x1000_1000,
    ] {
        for offset in 0..4 {
            for funct3 in [0, 1, 2] {
                let word = pieces::load(funct3, RESULT, LINK, offset);
                items.push(pieces::access_at(addr, word));
            }
        }
    }
    items
}

/// `mret` with every MPP, MPIE and MIE, and what `mstatus` is then: the trap logs have it.
fn status_stack(statuses: &[u32]) -> Vec<Item> {
    let mut items = Vec::new();
    for machine in [true, false] {
        for &status in statuses {
            items.push(pieces::to_machine());
            items.push(pieces::return_to(machine, status));
            items.push(Item::Words(vec![csrr(RESULT, csrs::MSTATUS), EBREAK]));
            items.push(keep(0));
            items.push(Item::word(ECALL));
        }
    }
    items.push(pieces::forbidden_return());
    items
}

/// U mode may use no CSR of M mode, but everything else.
fn user() -> Vec<Item> {
    let mut items = vec![pieces::return_to(false, 0x80)];
    for (number, _) in tables::WRITABLE {
        for funct3 in ACCESSES {
            items.push(pieces::csr_access(funct3, number, RESULT, 0));
        }
    }
    items.extend([Item::word(MRET), Item::word(csrr(RESULT, csrs::MHARTID))]);
    items.push(pieces::atomic(0, 0, RESULT, 5, 0));
    items.push(Item::word(super::super::asm::FENCE_I));
    items.extend([pieces::modify_code(addi(RESULT, RESULT, 5)), keep(4)]);
    items
}

fn waiting() -> Vec<Item> {
    let mut items = Vec::new();
    for source in SOURCES {
        items.push(Item::Words(pieces::wait_pending(source)));
    }
    for user in [false, true] {
        items.push(pieces::sleep(user, 60));
    }
    // Forbidden in U mode by `mstatus.TW`.
    items.push(pieces::to_machine());
    items.push(pieces::return_to(false, 0x20_0000));
    items.push(Item::word(WFI));
    items
}

/// Every source, let in by `mstatus`, by `mie`, by `mret`, and by the request itself.
fn interrupts() -> Vec<Item> {
    let off = || pieces::csr_access(7, csrs::MSTATUS, 0, 8);
    let mut items = Vec::new();
    for source in SOURCES {
        let bit = source.bit();
        items.extend([pieces::to_machine(), off()]);
        items.push(pieces::csr_access(1, csrs::MIE, 0, bit));
        items.push(pieces::raise(source));
        items.push(Item::Words(vec![
            csrr(RESULT, csrs::MIP),
            sw(RESULT, POINTER, 0),
        ]));
        items.push(pieces::csr_access(6, csrs::MSTATUS, 0, 8));
        items.push(pieces::csr_access(1, csrs::MIE, 0, 0));
        items.push(pieces::raise(source));
        items.push(pieces::csr_access(2, csrs::MIE, 0, bit));
        items.push(off());
        items.push(pieces::raise(source));
        items.push(pieces::return_to(true, 0x80));
        items.push(off());
        items.push(pieces::raise(source));
        items.push(pieces::return_to(false, 0));
        items.push(pieces::raise(source));
        items.push(Item::word(NOP));
    }
    items
}

/// All sources at once: external first, then software, then timer.
fn priority() -> Vec<Item> {
    let mut items = Vec::new();
    for enabled in [0x888, 0x88, 0x880, 0x808] {
        items.push(pieces::to_machine());
        items.push(pieces::csr_access(7, csrs::MSTATUS, 0, 8));
        items.push(pieces::csr_access(1, csrs::MIE, 0, enabled));
        items.extend(SOURCES.map(pieces::raise));
        items.push(pieces::csr_access(6, csrs::MSTATUS, 0, 8));
        items.push(pieces::csr_access(1, csrs::MIE, 0, 0x888));
    }
    items
}

/// A software interrupt whose handler, here in the program, is interrupted by the timer.
fn nested() -> Vec<Item> {
    let mut words = vec![AUIPC | 10 << 7];
    // The handler is 12 words ahead; the old vector comes back inside it.
    words.extend([addi(10, 10, 48), csr(1, csrs::MTVEC, 11, 10)]);
    words.extend(li(5, 0x88));
    words.extend([csrw(csrs::MIE, 5), lui(LINK, 0x0200_0000), addi(5, 0, 1)]);
    words.extend([sw(5, LINK, 0), csr(6, csrs::MSTATUS, 0, 8), jal(0, 4)]);
    // Past the handler.
    let skip = words.len();
    words.push(0);
    assert_eq!(words.len(), 12, "the handler stands where the vector says");
    words.extend([csrw(csrs::MTVEC, 11), csrr(12, csrs::MEPC)]);
    words.extend([csrr(13, csrs::MSTATUS), csrr(14, csrs::MCAUSE)]);
    words.extend([sw(13, POINTER, 0), sw(14, POINTER, 4), sw(0, LINK, 0)]);
    words.extend([lui(5, 0x0200_4000), sw(0, 5, 4), sw(0, 5, 0), NOP, NOP]);
    words.extend([csr(6, csrs::MSTATUS, 0, 8), addi(RESULT, RESULT, 1)]);
    words.extend([csr(7, csrs::MSTATUS, 0, 8), csrw(csrs::MEPC, 12)]);
    words.extend([csrw(csrs::MSTATUS, 13), MRET]);
    words[skip] = jal(0, 4 * (words.len() - skip) as i32);
    let unreached = vec![branch(0, 0, 0, 8), jalr(0, 0, 0)];
    vec![Item::Words(words), Item::Words(unreached), keep(8)]
}

/// A device that no longer wants to interrupt: its request waits in the PLIC all the same.
fn withdrawn() -> Vec<Item> {
    let reads = |offset| {
        let mut words = li(LINK, 0x0c00_1000).to_vec();
        words.extend([lw(RESULT, LINK, 0), sw(RESULT, POINTER, offset)]);
        words.extend([csrr(RESULT, csrs::MIP), sw(RESULT, POINTER, offset + 4)]);
        Item::Words(words)
    };
    let mut items = vec![reads(0), pieces::raise(Source::Console), reads(8)];
    items.push(pieces::access_at(0x1000_0001, store(0, 0, LINK, 0)));
    items.push(reads(16));
    let claim = lw(RESULT, LINK, 0);
    items.push(pieces::access_at(0x0c20_0004, claim));
    items.extend([keep(24), reads(32)]);
    items.push(Item::word(addi(RESULT, 0, 10)));
    items.push(pieces::access_at(0x0c20_0004, sw(RESULT, LINK, 0)));
    items.push(reads(40));
    items
}
