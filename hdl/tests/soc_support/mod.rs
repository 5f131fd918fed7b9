//! A board around the SoC for tests: RAM, console, and everything that retired; and an assembler of
//! just the instructions that the tests use, so that they need no cross compiler.
#![allow(dead_code)] // each test file uses its own part

use lookback_hdl::soc::Soc;
use lookback_hdl::tick;
use rust_hdl::prelude::*;

/// Where RAM starts.
pub const RAM: u32 = 0x8000_0000;
/// Where the test finisher is.
pub const FINISHER: u32 = 0x0010_0000;
/// Where the CLINT is.
pub const CLINT: u32 = 0x0200_0000;
/// Where the console is.
pub const CONSOLE: u32 = 0x1000_0000;
/// Where the pins are.
pub const GPIO: u32 = 0x1001_2000;
/// Where the DMA engine is.
pub const DMA: u32 = 0x1001_3000;

/// What the retirement port showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retired {
    pub cycle: u64,
    pub pc: u32,
    pub next_pc: u32,
    pub insn: u32,
    pub trap: bool,
    pub intr: bool,
    pub mode: u8,
    pub rd: u8,
    pub rd_value: u32,
    pub mem_addr: u32,
    pub rmask: u8,
    pub wmask: u8,
    pub rdata: u32,
    pub wdata: u32,
}

/// What the ports showed, in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// An instruction retired.
    Retired(Retired),
    /// Somebody else wrote this word.
    Snoop(u32),
}

/// The SoC with RAM and a log of its ports.
pub struct Board {
    pub soc: Soc,
    pub ram: Vec<u32>,
    pub console: String,
    pub input: Vec<u8>,
    pub seen: Vec<Seen>,
    pub cycle: u64,
    rdata: u32,
}

impl Board {
    /// A board of 64 KB with `image` at the start of RAM, after reset.
    pub fn new(image: &[u32]) -> Self {
        let mut soc = Soc::default();
        soc.connect_all();
        let mut ram = vec![0; 16384];
        ram[..image.len()].copy_from_slice(image);
        soc.ram_bytes.next = (ram.len() as u64 * 4).into();
        let mut board = Self {
            soc,
            ram,
            console: String::new(),
            input: Vec::new(),
            seen: Vec::new(),
            cycle: 0,
            rdata: 0,
        };
        board.soc.reset.next = true;
        board.step();
        board.soc.reset.next = false;
        board.cycle = 0;
        board
    }

    /// One clock cycle.
    pub fn step(&mut self) {
        let soc = &mut self.soc;
        soc.ram_rdata.next = (self.rdata as u64).into();
        soc.console_rx_valid.next = !self.input.is_empty();
        soc.console_rx_data.next = (*self.input.first().unwrap_or(&0) as u64).into();
        soc.clock.next = Clock { clk: false };
        lookback_hdl::harness::settle(soc);
        self.observe();
        let soc = &mut self.soc;
        if soc.ram_req.val() {
            let word = &mut self.ram[soc.ram_addr.val().to_u32() as usize / 4];
            let strobe = soc.ram_wstrb.val().to_u32();
            if strobe == 0 {
                self.rdata = *word;
            } else {
                let mask = (0..4).fold(0, |m, i| m | ((strobe >> i & 1) * 0xff) << (8 * i));
                *word = *word & !mask | soc.ram_wdata.val().to_u32() & mask;
            }
        }
        tick!(*soc);
        self.cycle += 1;
    }

    fn observe(&mut self) {
        let soc = &self.soc;
        if soc.console_tx_valid.val() {
            self.console.push(soc.console_tx_data.val().to_u8() as char);
        }
        if soc.console_rx_ready.val() {
            self.input.remove(0);
        }
        if soc.rvfi_valid.val() {
            self.seen.push(Seen::Retired(Retired {
                cycle: self.cycle,
                pc: soc.rvfi_pc_rdata.val().to_u32(),
                next_pc: soc.rvfi_pc_wdata.val().to_u32(),
                insn: soc.rvfi_insn.val().to_u32(),
                trap: soc.rvfi_trap.val(),
                intr: soc.rvfi_intr.val(),
                mode: soc.rvfi_mode.val().to_u8(),
                rd: soc.rvfi_rd_addr.val().to_u8(),
                rd_value: soc.rvfi_rd_wdata.val().to_u32(),
                mem_addr: soc.rvfi_mem_addr.val().to_u32(),
                rmask: soc.rvfi_mem_rmask.val().to_u8(),
                wmask: soc.rvfi_mem_wmask.val().to_u8(),
                rdata: soc.rvfi_mem_rdata.val().to_u32(),
                wdata: soc.rvfi_mem_wdata.val().to_u32(),
            }));
        }
        if soc.snoop_valid.val() {
            self.seen.push(Seen::Snoop(soc.snoop_addr.val().to_u32()));
        }
    }

    /// Steps until the run ends and some cycles more; what it ended with.
    pub fn run(&mut self, cycles: u64) -> u32 {
        for _ in 0..cycles {
            if self.soc.finished.val() {
                let code = self.soc.finish_code.val().to_u32();
                let retired = self.seen.len();
                (0..50).for_each(|_| self.step());
                assert_eq!(self.seen.len(), retired, "something happened after the end");
                return code;
            }
            self.step();
        }
        panic!(
            "still running after {cycles} cycles; console: {:?}",
            self.console
        );
    }

    /// Only the retirements.
    pub fn retired(&self) -> Vec<Retired> {
        self.seen
            .iter()
            .filter_map(|seen| match seen {
                Seen::Retired(retired) => Some(*retired),
                Seen::Snoop(_) => None,
            })
            .collect()
    }

    /// The word at an address of RAM.
    pub fn word(&self, addr: u32) -> u32 {
        self.ram[(addr - RAM) as usize / 4]
    }
}

/// Runs `image` to its end, which must be a pass.
pub fn pass(image: &[u32]) -> Board {
    let mut board = Board::new(image);
    assert_eq!(board.run(200_000), 0x5555, "console: {:?}", board.console);
    board
}

fn r(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn i(imm: i32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// Register instruction: `op` is funct7 << 3 | funct3.
pub fn op(op: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(op >> 3, rs2, rs1, op & 7, rd, 0x33)
}

/// Immediate instruction.
pub fn opi(funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, funct3, rd, 0x13)
}

pub fn addi(rd: u32, rs1: u32, imm: i32) -> u32 {
    opi(0, rd, rs1, imm)
}

pub fn lui(rd: u32, imm: u32) -> u32 {
    imm & 0xffff_f000 | rd << 7 | 0x37
}

pub fn auipc(rd: u32, imm: u32) -> u32 {
    imm & 0xffff_f000 | rd << 7 | 0x17
}

/// Two instructions that load any constant.
pub fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value as i32) << 20 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

/// Load: funct3 0 lb, 1 lh, 2 lw, 4 lbu, 5 lhu.
pub fn load(funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, funct3, rd, 0x03)
}

pub fn lw(rd: u32, rs1: u32, imm: i32) -> u32 {
    load(2, rd, rs1, imm)
}

/// Store: funct3 0 sb, 1 sh, 2 sw.
pub fn store(funct3: u32, rs2: u32, rs1: u32, imm: i32) -> u32 {
    let imm = imm as u32;
    r(imm >> 5 & 0x7f, rs2, rs1, funct3, imm & 31, 0x23)
}

pub fn sw(rs2: u32, rs1: u32, imm: i32) -> u32 {
    store(2, rs2, rs1, imm)
}

/// Branch by `offset`: funct3 0 beq, 1 bne, 4 blt, 5 bge, 6 bltu, 7 bgeu.
pub fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let o = offset as u32;
    r(
        o >> 12 << 6 & 0x40 | o >> 5 & 0x3f,
        rs2,
        rs1,
        funct3,
        o & 0x1e | o >> 11 & 1,
        0x63,
    )
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    let o = offset as u32;
    (o >> 20 & 1) << 31
        | (o >> 1 & 0x3ff) << 21
        | (o >> 11 & 1) << 20
        | o & 0xff000
        | rd << 7
        | 0x6f
}

pub fn jalr(rd: u32, rs1: u32, imm: i32) -> u32 {
    i(imm, rs1, 0, rd, 0x67)
}

/// AMO: funct5 2 lr, 3 sc, 1 swap, 0 add, …
pub fn amo(funct5: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(funct5 << 2, rs2, rs1, 2, rd, 0x2f)
}

/// CSR instruction: funct3 1 csrrw, 2 csrrs, 3 csrrc, 5 to 7 with an immediate for `rs1`.
pub fn csr(funct3: u32, rd: u32, name: u32, rs1: u32) -> u32 {
    name << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const MRET: u32 = 0x3020_0073;
pub const WFI: u32 = 0x1050_0073;
pub const FENCE: u32 = 0x0ff0_000f;
pub const FENCE_I: u32 = 0x0000_100f;

pub const MSTATUS: u32 = 0x300;
pub const MISA: u32 = 0x301;
pub const MIE: u32 = 0x304;
pub const MTVEC: u32 = 0x305;
pub const MCOUNTEREN: u32 = 0x306;
pub const MSCRATCH: u32 = 0x340;
pub const MEPC: u32 = 0x341;
pub const MCAUSE: u32 = 0x342;
pub const MTVAL: u32 = 0x343;
pub const MIP: u32 = 0x344;

/// Code that ends the run with a pass; uses x30 and x31.
pub fn finish() -> Vec<u32> {
    [
        &li(30, FINISHER)[..],
        &li(31, 0x5555),
        &[sw(31, 30, 0), jal(0, 0)],
    ]
    .concat()
}

/// A program with a trap handler at `RAM + 0x1000`: sets mtvec, then runs `code`, then passes.
pub fn with_handler(code: &[u32], handler: &[u32]) -> Vec<u32> {
    let mut image = [
        &li(31, RAM + 0x1000)[..],
        &[csr(1, 0, MTVEC, 31)],
        code,
        &finish(),
    ]
    .concat();
    assert!(image.len() < 0x400);
    image.resize(0x400, 0);
    image.extend_from_slice(handler);
    image
}
