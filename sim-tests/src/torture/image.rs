//! Many programs in one ELF: a start, a trap handler that all share, and for each program its
//! code, its data, its log of traps and its signature.
//!
//! ```text
//!  0x8000_0000  start, reset of devices and CSRs between programs
//!  0x8000_0200  trap vectors, handler
//!  0x8000_0600  the programs, one after the other
//!  0x8040_0000  for each program: 4 KiB data, 4 KiB log of traps, signature, initial registers
//! ```
//! The handler writes eight words for each trap (see [`TrapEntry`]), silences what interrupted, and
//! goes on after the instruction; after a jump to where nothing is, at the address in `x30`. An
//! `ecall` with [`MAGIC`] in `x29` goes on in M mode. It uses `x3` and `x4`, which programs leave
//! alone.

use super::asm::{
    addi, branch, csr, csrr, csrs, csrw, i_type, jal, jalr, li, lui, lw, store, sw, Code, ECALL,
    MRET, WFI,
};
use super::item::{lay_out, Item};
use super::random::Random;

/// Where RAM begins.
pub const RAM: u32 = 0x8000_0000;
const TABLE: u32 = RAM + 0x200;
/// Where the first program begins.
pub const PROGRAMS: u32 = RAM + 0x600;
const DATA: u32 = RAM + 0x40_0000;
const STRIDE: u32 = 0x3000;
/// Programs that fit into one ELF.
pub const MOST: usize = 512;

/// The register that points into the middle of the data.
pub const POINTER: u32 = 8;
/// A second one, 1 KiB above.
pub const SECOND_POINTER: u32 = 9;
/// Registers that a program's instructions do not write: the handler's, the pointers, the counter.
pub const RESERVED: [u32; 5] = [3, 4, POINTER, SECOND_POINTER, 31];
/// In `x29`, asks the handler of `ecall` for M mode.
pub const MAGIC: u32 = 0x4d4d_4d4d;
/// In `x28`, says that a timer interrupt is awaited at no particular instruction.
pub const AWAITED: u32 = 2;

/// Traps that a log has room for; later ones overwrite the last.
pub const LOG_ENTRIES: usize = 127;
const LOG: u32 = 0x1000;
const SIGNATURE: u32 = 0x2000;
/// Words of a signature: 32 registers, then [`FINAL_CSRS`].
pub const SIGNATURE_WORDS: usize = 32 + FINAL_CSRS.len();
const INITIAL: u32 = 0x2100;

/// CSRs that are part of the signature.
pub const FINAL_CSRS: [u32; 10] = [
    csrs::MSTATUS,
    csrs::MIE,
    csrs::MTVEC,
    csrs::MSCRATCH,
    csrs::MEPC,
    csrs::MCAUSE,
    csrs::MTVAL,
    csrs::MCOUNTEREN,
    csrs::MCOUNTINHIBIT,
    csrs::MIP,
];

/// What the handler writes down of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrapEntry {
    /// `mcause`.
    pub cause: u32,
    /// `mepc`; 0 for an awaited timer interrupt.
    pub epc: u32,
    /// `mtval`.
    pub value: u32,
    /// `mstatus`.
    pub status: u32,
    /// After which entry of the vector table it came.
    pub vector: u32,
    /// `mip`.
    pub pending: u32,
    /// `mie`.
    pub enables: u32,
    /// `mscratch`, or for an external interrupt the claimed source.
    pub scratch: u32,
}

/// One program and what it starts with.
#[derive(Debug, Clone)]
pub struct Program {
    /// For messages.
    pub name: String,
    /// What it does.
    pub items: Vec<Item>,
    /// Seed of its initial registers and data.
    pub seed: u64,
    /// Interrupts go to entries of the vector table by cause.
    pub vectored: bool,
}

/// Where the parts of a program lie.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its code.
    pub code: std::ops::Range<u32>,
    /// Its data.
    pub data: u32,
}

impl Place {
    /// Where its log of traps begins.
    pub fn log(&self) -> u32 {
        self.data + LOG
    }

    /// Where its signature begins.
    pub fn signature(&self) -> u32 {
        self.data + SIGNATURE
    }
}

/// Programs laid out in memory.
#[derive(Debug)]
pub struct Image {
    /// The file.
    pub elf: Vec<u8>,
    /// Where each program is.
    pub places: Vec<Place>,
    /// Code words, from [`RAM`] on.
    pub code: Vec<u32>,
    /// Data words, from the first program's data on.
    pub data: Vec<u32>,
}

impl Image {
    /// Lays out at most [`MOST`] programs.
    pub fn new(programs: &[Program]) -> Self {
        assert!(programs.len() <= MOST, "an image has room for {MOST}");
        let mut code = start();
        code.resize((TABLE - RAM) as usize / 4, 0);
        code.extend(handler());
        assert!(code.len() <= (PROGRAMS - RAM) as usize / 4);
        code.resize((PROGRAMS - RAM) as usize / 4, 0);
        let reset = RAM + 8;
        let (mut data, mut places) = (Vec::new(), Vec::new());
        for (index, program) in programs.iter().enumerate() {
            let at = RAM + 4 * code.len() as u32;
            let place = DATA + STRIDE * index as u32;
            code.extend(around(program, at, place, reset));
            let end = RAM + 4 * code.len() as u32;
            places.push(Place {
                code: at..end,
                data: place,
            });
            data.extend(initial(program, place));
        }
        code.extend(finish());
        code.resize(code.len().next_multiple_of(16), 0);
        assert!(
            code.len() < 1 << 18,
            "`jal` reaches the start from everywhere"
        );
        Self {
            elf: elf(&code, &data),
            places,
            code,
            data,
        }
    }

    /// Memory as the ELF fills it, in words from [`RAM`] on.
    pub fn memory(&self, bytes: u32) -> Vec<u32> {
        let mut memory = vec![0; bytes as usize / 4];
        memory[..self.code.len()].copy_from_slice(&self.code);
        let data = (DATA - RAM) as usize / 4;
        memory[data..data + self.data.len()].copy_from_slice(&self.data);
        memory
    }

    /// The end of what the programs use.
    pub fn end(&self) -> u32 {
        DATA + 4 * self.data.len() as u32
    }

    /// Where all programs' data begin.
    pub fn data_start(&self) -> u32 {
        DATA
    }
}

/// Jumps to the first program; a subroutine that makes every program start with the same devices
/// and CSRs.
fn start() -> Vec<u32> {
    let mut code = Code::at(RAM);
    // `x5` has the vector for mtvec.
    code.to(jal(0, 0), "first").put([0]);
    code.put([csr(7, csrs::MSTATUS, 0, 8), csrw(csrs::MTVEC, 5)]);
    // U mode may access everything only if PMP says so.
    code.put([addi(6, 0, -1), csrw(csrs::PMPADDR0, 6)]);
    code.put([addi(6, 0, 0x1f), csrw(csrs::PMPCFG0, 6)]);
    code.put([lui(6, 0x0200_0000), sw(0, 6, 0), lui(6, 0x0200_4000)]);
    code.put([addi(7, 0, -1), sw(7, 6, 4), sw(7, 6, 0)]);
    code.put([lui(6, 0x1000_0000), store(0, 0, 6, 1)]);
    // Source 10, the console, may interrupt.
    code.put([lui(6, 0x0c00_0000), addi(7, 0, 1), sw(7, 6, 40)]);
    code.put([lui(6, 0x0c00_2000), addi(7, 0, 0x400), sw(7, 6, 0)]);
    code.put([lui(6, 0x0c20_0000), sw(0, 6, 0)]);
    // A request that the program before left behind is claimed and completed.
    code.put([lw(7, 6, 4), sw(7, 6, 4)]);
    for number in [
        csrs::MSTATUS,
        csrs::MIE,
        csrs::MCOUNTEREN,
        csrs::MCOUNTINHIBIT,
        csrs::MSCRATCH,
        csrs::MEPC,
        csrs::MCAUSE,
        csrs::MTVAL,
    ] {
        code.put([csrw(number, 0)]);
    }
    code.put([jalr(0, 1, 0)]);
    code.label("first");
    let offset = PROGRAMS.wrapping_sub(code.here()) as i32;
    code.put([jal(0, offset)]);
    code.finish()
}

fn handler() -> Vec<u32> {
    let mut code = Code::at(TABLE);
    for _ in 0..16 {
        code.to(jal(4, 0), "common");
    }
    code.label("common").put([sw(4, 3, 16)]);
    for (number, offset) in [
        (csrs::MTVAL, 8),
        (csrs::MSTATUS, 12),
        (csrs::MIP, 20),
        (csrs::MIE, 24),
        (csrs::MSCRATCH, 28),
        (csrs::MEPC, 4),
        (csrs::MCAUSE, 0),
    ] {
        code.put([csrr(4, number), sw(4, 3, offset)]);
    }
    // QEMU's `mtval` is not always right: a program reads it only from the log.
    code.put([csrw(csrs::MTVAL, 0)]);
    // Two more registers; their values wait in the log's next entry.
    code.put([sw(5, 3, 32), sw(6, 3, 36)]);
    code.to(branch(4, 4, 0, 0), "interrupt");
    code.put([addi(6, 0, 1)]).to(branch(0, 4, 6, 0), "nowhere");
    code.put([addi(6, 0, 8)]).to(branch(1, 4, 6, 0), "skip");
    code.put(li(6, MAGIC)).to(branch(1, 29, 6, 0), "skip");
    code.put(li(6, 0x1800)).put([csr(2, csrs::MSTATUS, 0, 6)]);
    code.label("skip").put([csrr(5, csrs::MEPC), addi(5, 5, 4)]);
    code.to(jal(0, 0), "go on at x5");
    code.label("nowhere").put([addi(5, 30, 0)]);
    code.label("go on at x5").put([csrw(csrs::MEPC, 5)]);
    code.label("leave").put([lw(5, 3, 32), lw(6, 3, 36)]);
    // The next entry, if there is one: bits 5 to 11 of the address count entries.
    code.put([sw(0, 3, 32), sw(0, 3, 36), addi(3, 3, 32)]);
    code.put([i_type(0x13, 1, 4, 3, 20), i_type(0x13, 5, 4, 4, 20)]);
    code.put([addi(4, 4, 32), i_type(0x13, 5, 4, 4, 12)]);
    code.put([
        i_type(0x13, 1, 4, 4, 5),
        0x4000_0033 | 4 << 20 | 3 << 15 | 3 << 7,
    ]);
    code.put([MRET]);
    interrupts(&mut code);
    code.finish()
}

fn interrupts(code: &mut Code) {
    code.label("interrupt");
    // Taken at a jump that does nothing (see `pieces::raise`): it may as well be done. But look at
    // the instruction only if the program is in its code.
    code.put([csrr(5, csrs::MEPC), i_type(0x13, 5, 6, 5, 22)]);
    code.put([addi(6, 6, -0x200)])
        .to(branch(1, 6, 0, 0), "which");
    code.put([lw(6, 5, 0), addi(6, 6, -0x6f), lui(5, jal(0, 4))]);
    code.to(branch(1, 6, 5, 0), "which");
    code.put([csrr(5, csrs::MEPC), addi(5, 5, 4)]);
    code.put([csrw(csrs::MEPC, 5), sw(5, 3, 4)]);
    code.label("which");
    code.put([i_type(0x13, 7, 4, 4, 15), addi(6, 0, 7)]);
    code.to(branch(0, 4, 6, 0), "timer");
    code.put([addi(6, 0, 3)]).to(branch(1, 4, 6, 0), "external");
    code.put([lui(6, 0x0200_0000), sw(0, 6, 0)]);
    code.to(jal(0, 0), "leave");
    code.label("timer");
    code.put([
        lui(6, 0x0200_4000),
        addi(5, 0, -1),
        sw(5, 6, 4),
        sw(5, 6, 0),
    ]);
    code.put([addi(6, 0, AWAITED as i32)]);
    code.to(branch(1, 28, 6, 0), "leave");
    // Awaited: where it came must not matter, and `wfi` must not be entered once more.
    code.put([
        sw(0, 3, 4),
        addi(28, 0, 1),
        csrr(5, csrs::MEPC),
        lw(5, 5, 0),
    ]);
    code.put(li(6, WFI)).to(branch(0, 5, 6, 0), "skip");
    code.to(jal(0, 0), "leave");
    code.label("external");
    code.put([lui(6, 0x0c20_0000), lw(5, 6, 4), sw(5, 3, 28)]);
    code.put([lui(4, 0x1000_0000), store(0, 0, 4, 1), sw(5, 6, 4)]);
    code.to(jal(0, 0), "leave");
}

/// A program with what comes before and after it.
fn around(program: &Program, at: u32, data: u32, reset: u32) -> Vec<u32> {
    let mut code = Code::at(at);
    code.put(li(5, TABLE | u32::from(program.vectored)));
    let offset = reset.wrapping_sub(code.here()) as i32;
    code.put([jal(1, offset)]);
    code.put(li(3, data + LOG)).put(li(5, data + INITIAL));
    let others = (1..32).filter(|register| ![3, 4, 5].contains(register));
    code.put(others.map(|register| lw(register, 5, 4 * register as i32)));
    code.put([lw(5, 5, 20)]);
    code.put(lay_out(&program.items));
    code.put(li(29, MAGIC))
        .put([ECALL, csr(7, csrs::MSTATUS, 0, 8)]);
    code.put(li(4, data + SIGNATURE));
    let kept = (1..32).filter(|&register| register != 4);
    code.put(kept.map(|register| sw(register, 4, 4 * register as i32)));
    for (index, number) in FINAL_CSRS.into_iter().enumerate() {
        code.put([csrr(5, number), sw(5, 4, 128 + 4 * index as i32)]);
    }
    code.finish()
}

/// Data, empty log and signature, initial registers.
fn initial(program: &Program, data: u32) -> Vec<u32> {
    let mut random = Random::new(program.seed ^ 0x6461_7461);
    let mut words: Vec<u32> = (0..1024).map(|_| random.operand()).collect();
    words.resize(INITIAL as usize / 4, 0);
    let mut registers = [0; 32];
    registers.fill_with(|| random.operand());
    registers[POINTER as usize] = data + 0x800;
    registers[SECOND_POINTER as usize] = data + 0xc00;
    // No loop is under way.
    registers[31] = 0;
    words.extend(registers);
    words.resize(STRIDE as usize / 4, 0);
    words
}

/// Tells the test finisher that all is over.
fn finish() -> Vec<u32> {
    let mut words = vec![lui(5, 0x0010_0000)];
    words.extend(li(6, 0x5555));
    words.extend([sw(6, 5, 0), jal(0, 0)]);
    words
}

/// An ELF of two segments, and sections only as far as loaders ask for them.
fn elf(code: &[u32], data: &[u32]) -> Vec<u8> {
    let header = 52 + 2 * 32;
    let (code_size, data_size) = (4 * code.len() as u32, 4 * data.len() as u32);
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([2, 0, 243, 0, 1, 0, 0, 0]);
    for word in [RAM, 52, 0, 0] {
        file.extend(u32::to_le_bytes(word));
    }
    for half in [52u16, 32, 2, 40, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for (offset, addr, size, flags) in [
        (header, RAM, code_size, 5),
        (header + code_size, DATA, data_size, 6),
    ] {
        for word in [1, offset, addr, addr, size, size, flags, 4] {
            file.extend(u32::to_le_bytes(word));
        }
    }
    let words = code.iter().chain(data);
    file.extend(words.flat_map(|word| word.to_le_bytes()));
    file
}
