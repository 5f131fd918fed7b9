//! What random and directed programs choose from: CSRs, illegal words, empty addresses.

use super::asm::csrs;

/// Where nothing answers, on the board as on QEMU's `virt`.
pub const NOWHERE: [u32; 4] = [0x0030_0000, 0x1800_0000, 0x8100_0000, 0xf000_0000];

/// CSRs that can be written without harm, with the bits on which all machines agree.
pub const WRITABLE: [(u32, u32); 12] = [
    (csrs::MSTATUS, 0x0020_1888),
    (csrs::MIE, 0x888),
    (csrs::MCOUNTEREN, 7),
    (csrs::MCOUNTINHIBIT, 5),
    (csrs::MSCRATCH, u32::MAX),
    (csrs::MSCRATCH, u32::MAX),
    (csrs::MEPC, !3),
    (csrs::MCAUSE, 0x8000_001f),
    (csrs::MTVAL, u32::MAX),
    (csrs::MIP, 0),
    (csrs::MISA, 0),
    // `mstatush`: QEMU keeps bits of the H extension.
    (0x310, 0),
];

/// CSRs that read the same always, and CSRs that do not exist.
pub const OTHERS: [u32; 13] = [
    csrs::MVENDORID,
    csrs::MARCHID,
    csrs::MIMPID,
    csrs::MHARTID,
    0x100,
    0x141,
    0x180,
    0x003,
    0x400,
    0x5c0,
    0x7c0,
    0x800,
    0xcc0,
];

/// CSRs that count.
pub const CLOCKS: [u32; 10] = [
    csrs::MCYCLE,
    csrs::MCYCLEH,
    csrs::MINSTRET,
    csrs::MINSTRETH,
    csrs::CYCLE,
    csrs::CYCLEH,
    csrs::TIME,
    csrs::TIMEH,
    csrs::INSTRET,
    csrs::INSTRETH,
];

/// What is no instruction: other extensions, reserved fields, S mode.
pub const ILLEGAL: [u32; 24] = [
    0x0000_0000,
    0xffff_ffff,
    0x0000_0001,
    0x0000_4501,
    0x1020_0073,
    0x0020_0073,
    0x7b20_0073,
    0x0000_00f3,
    0x0000_8073,
    0x0000_4073,
    0x0000_3003,
    0x0000_6003,
    0x0000_7003,
    0x0000_3023,
    0x0000_7023,
    0x0000_2063,
    0x0000_3063,
    0x0000_1067,
    0x4000_1033,
    0x0200_1013,
    0x0000_302f,
    0x1010_202f,
    0x2800_202f,
    0x0000_2007,
];

/// Major opcodes of other extensions, of custom instructions and of longer ones.
pub const MAJORS: [u32; 20] = [
    0x07, 0x27, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x57, 0x0b, 0x2b, 0x5b, 0x7b, 0x1b, 0x3b, 0x1f, 0x3f,
    0x5f, 0x7f, 0x77, 0x6b,
];
