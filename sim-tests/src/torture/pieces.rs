//! The pieces that programs are made of, beyond single instructions: each works wherever it stands,
//! in M and in U mode, and whatever comes before and after it.

use super::asm::{
    addi, amo, branch, csr, csrr, csrs, csrw, i_type, jal, jalr, li, lui, lw, store, sw, AUIPC,
    ECALL, FENCE_I, MRET, NOP, WFI,
};
use super::image::{AWAITED, MAGIC, POINTER};
use super::item::{Item, LINK};

/// A second register for values that pieces need.
pub const VALUE: u32 = 29;
const FLAG: u32 = 28;
const CLINT: u32 = 0x0200_0000;
const MTIMECMP: u32 = 0x0200_4000;
const MTIME: u32 = 0x0200_bff8;

/// An interrupt source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `msip`.
    Software,
    /// `mtimecmp`.
    Timer,
    /// The console's transmitter, through the PLIC.
    Console,
}

impl Source {
    /// Its bit in `mie` and `mip`.
    pub fn bit(self) -> u32 {
        match self {
            Self::Software => 1 << 3,
            Self::Timer => 1 << 7,
            Self::Console => 1 << 11,
        }
    }
}

/// A destination that keeps what the piece itself still needs.
fn apart_from(rd: u32, needed: &[u32]) -> u32 {
    if needed.contains(&rd) {
        VALUE
    } else {
        rd
    }
}

/// Sets a register.
pub fn set(rd: u32, value: u32) -> Item {
    Item::Words(li(rd, value).to_vec())
}

/// An access of the A extension to the data.
pub fn atomic(funct5: u32, ordering: u32, rd: u32, rs2: u32, offset: i32) -> Item {
    Item::Words(vec![
        addi(LINK, POINTER, offset),
        amo(funct5, ordering, rd, LINK, rs2),
    ])
}

/// `lr.w`, something in between, `sc.w` to the same word or `apart` bytes from it.
pub fn reserved(rd: u32, result: u32, rs2: u32, offset: i32, between: &[u32], apart: i32) -> Item {
    let rd = apart_from(rd, &[LINK]);
    let mut words = vec![addi(LINK, POINTER, offset), amo(2, 0, rd, LINK, 0)];
    words.extend_from_slice(between);
    if apart != 0 {
        words.push(addi(LINK, LINK, apart));
    }
    words.push(amo(3, 0, result, LINK, rs2));
    Item::Words(words)
}

/// `lr.w` and two `sc.w`, of which the second has no reservation any more.
pub fn reserved_once(rd: u32, result: u32, rs2: u32, offset: i32) -> Item {
    let (rd, result) = (apart_from(rd, &[LINK]), apart_from(result, &[LINK]));
    let mut words = vec![addi(LINK, POINTER, offset), amo(2, 0, rd, LINK, 0)];
    words.extend([amo(3, 0, 0, LINK, rs2), amo(3, 0, result, LINK, rs2)]);
    Item::Words(words)
}

/// Writes, sets or clears bits of a CSR.
pub fn csr_access(funct3: u32, number: u32, rd: u32, value: u32) -> Item {
    if funct3 & 4 != 0 {
        return Item::word(csr(funct3, number, rd, value & 31));
    }
    let mut words = li(VALUE, value).to_vec();
    words.push(csr(funct3, number, rd, VALUE));
    Item::Words(words)
}

/// Reads a CSR that a clock changes, and forgets what was read.
pub fn clock_read(number: u32, rd: u32) -> Item {
    Item::Words(vec![csrr(rd, number), addi(rd, 0, 0)])
}

/// Writes `mtvec`, reads it back and puts it right again before any trap can come.
pub fn vector_access(funct3: u32, rd: u32, value: u32) -> Item {
    let rd = apart_from(rd, &[LINK, FLAG]);
    let mut words = vec![csr(7, csrs::MSTATUS, FLAG, 8)];
    words.extend(li(VALUE, value));
    words.extend([
        csr(funct3, csrs::MTVEC, LINK, VALUE),
        csrr(rd, csrs::MTVEC),
        csrw(csrs::MTVEC, LINK),
        csrw(csrs::MSTATUS, FLAG),
    ]);
    Item::Words(words)
}

/// A load or store where nothing is.
pub fn access_at(addr: u32, word: u32) -> Item {
    let mut words = li(LINK, addr).to_vec();
    words.push(word);
    Item::Words(words)
}

/// A jump to where nothing is.
pub fn jump_nowhere(addr: u32) -> Item {
    let mut words = li(VALUE, addr).to_vec();
    words.push(jalr(LINK, VALUE, 0));
    Item::Words(words)
}

/// A `jalr` over so many words that do nothing visible, from a base that is `odd` bytes off.
pub fn computed_jump(rd: u32, over: u32, odd: i32) -> Item {
    let mut words = vec![AUIPC | LINK << 7];
    words.push(jalr(rd, LINK, 8 + 4 * over as i32 + odd));
    words.extend((0..over).map(|_| addi(VALUE, VALUE, 1)));
    Item::Words(words)
}

/// Returns from no trap: to the next piece, in U or M mode.
pub fn return_to(machine: bool, status: u32) -> Item {
    let value = status & !0x1800 | if machine { 0x1800 } else { 0 };
    // Interrupts off: a handler in between would change `mepc`.
    let mut words = vec![csr(7, csrs::MSTATUS, 0, 8), AUIPC | LINK << 7];
    words.extend([addi(LINK, LINK, 28), csrw(csrs::MEPC, LINK)]);
    words.extend(li(VALUE, value));
    words.extend([csrw(csrs::MSTATUS, VALUE), MRET]);
    Item::Words(words)
}

/// Goes to U mode and tries to return from there.
pub fn forbidden_return() -> Item {
    let Item::Words(mut words) = return_to(false, 0) else {
        unreachable!("a return is plain words");
    };
    words.push(MRET);
    Item::Words(words)
}

/// Calls the handler for M mode.
pub fn to_machine() -> Item {
    let mut words = li(VALUE, MAGIC).to_vec();
    words.push(ECALL);
    Item::Words(words)
}

/// Overwrites an instruction ahead and executes it.
pub fn modify_code(word: u32) -> Item {
    let mut words = vec![AUIPC | LINK << 7];
    words.extend(li(VALUE, word));
    words.extend([sw(VALUE, LINK, 20), FENCE_I, NOP]);
    Item::Words(words)
}

/// Makes an interrupt pending. If it is enabled, the jump lets it be taken at the same place by every
/// machine: QEMU takes it at the end of a block, so after the jump; ours before or after the jump,
/// and the handler treats both alike.
pub fn raise(source: Source) -> Item {
    let mut words = match source {
        Source::Software => vec![lui(LINK, CLINT), addi(VALUE, 0, 1), sw(VALUE, LINK, 0)],
        Source::Timer => vec![lui(LINK, MTIMECMP), sw(0, LINK, 4), sw(0, LINK, 0)],
        Source::Console => vec![
            lui(LINK, 0x1000_0000),
            addi(VALUE, 0, 2),
            store(0, VALUE, LINK, 1),
        ],
    };
    words.push(jal(0, 4));
    Item::Words(words)
}

/// A timer interrupt after a while, wherever the program is then.
pub fn alarm(ticks: u32) -> Item {
    let mut words = li(LINK, MTIME).to_vec();
    words.extend([lw(VALUE, LINK, 0), lui(LINK, MTIMECMP)]);
    words.extend([addi(VALUE, VALUE, ticks as i32), sw(0, LINK, 4)]);
    words.push(sw(VALUE, LINK, 0));
    Item::Words(words)
}

/// Enables one interrupt in `mie`, and all in `mstatus`.
pub fn enable(source: Source) -> Item {
    let mut words = li(VALUE, source.bit()).to_vec();
    words.extend([csr(2, csrs::MIE, 0, VALUE), csr(6, csrs::MSTATUS, 0, 8)]);
    Item::Words(words)
}

/// Waits in M mode for an interrupt that is pending, with interrupts off, then lets it in.
pub fn wait_pending(source: Source) -> Vec<u32> {
    let mut words = li(VALUE, MAGIC).to_vec();
    words.extend([ECALL, csr(7, csrs::MSTATUS, 0, 8)]);
    words.extend(li(VALUE, source.bit()));
    words.push(csr(2, csrs::MIE, 0, VALUE));
    let Item::Words(raised) = raise(source) else {
        unreachable!("raising is plain words");
    };
    words.extend(raised);
    words.extend([WFI, csr(6, csrs::MSTATUS, 0, 8)]);
    words
}

/// Sleeps in U or M mode until the timer interrupts.
pub fn sleep(user: bool, ticks: u32) -> Item {
    let mut words = li(VALUE, MAGIC).to_vec();
    words.extend([ECALL, csr(7, csrs::MSTATUS, 0, 8), csrw(csrs::MIE, 0)]);
    let Item::Words(armed) = alarm(ticks) else {
        unreachable!("an alarm is plain words");
    };
    words.extend(armed);
    words.push(addi(FLAG, 0, AWAITED as i32));
    words.extend(li(VALUE, Source::Timer.bit()));
    words.push(csrw(csrs::MIE, VALUE));
    let Item::Words(there) = return_to(!user, 0x80) else {
        unreachable!("a return is plain words");
    };
    words.extend(there);
    // Until the handler has cleared the flag.
    words.extend([addi(VALUE, 0, AWAITED as i32)]);
    words.extend([branch(1, FLAG, VALUE, 12), WFI, jal(0, -8)]);
    // Where it came is in `mepc`; in U mode this traps, which overwrites it as well.
    words.push(csrw(csrs::MEPC, 0));
    Item::Words(words)
}

/// A load of any width.
pub fn load(funct3: u32, rd: u32, base: u32, offset: i32) -> u32 {
    i_type(0x03, funct3, rd, base, offset)
}
