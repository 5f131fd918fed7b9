//! The retirement port as plain data: what the recorder sees of one instruction.

/// One retired instruction, named after the RISC-V formal interface.
///
/// `mem_addr` is word-aligned; bit *i* of a mask stands for the byte at `mem_addr + i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize))]
pub struct Retire {
    /// Retirements before this one since reset.
    pub order: u64,
    /// The instruction word; 0 when the fetch itself faulted.
    pub insn: u32,
    /// The instruction trapped and had no other effect.
    pub trap: bool,
    /// First instruction of a trap handler.
    pub intr: bool,
    /// Privilege mode: 0 U, 1 S, 3 M.
    pub mode: u8,
    /// First source register.
    pub rs1_addr: u8,
    /// Second source register.
    pub rs2_addr: u8,
    /// Its value.
    pub rs1_rdata: u32,
    /// Its value.
    pub rs2_rdata: u32,
    /// Destination register, 0 for none.
    pub rd_addr: u8,
    /// The value written to it.
    pub rd_wdata: u32,
    /// Address of the instruction.
    pub pc_rdata: u32,
    /// Address of the next one, as the hart sees it.
    pub pc_wdata: u32,
    /// Word-aligned address of the data access.
    pub mem_addr: u32,
    /// Bytes read.
    pub mem_rmask: u8,
    /// Bytes written.
    pub mem_wmask: u8,
    /// The word read, in its lanes; bytes outside the mask mean nothing.
    pub mem_rdata: u32,
    /// The word written, in its lanes; bytes outside the mask mean nothing.
    pub mem_wdata: u32,
}

/// The 32-bit mask whose bytes are all ones where a lane mask has a bit.
pub const fn lanes(mask: u8) -> u32 {
    let mut bits = 0;
    let mut lane = 0;
    while lane < 4 {
        if mask & (1 << lane) != 0 {
            bits |= 0xff << (8 * lane);
        }
        lane += 1;
    }
    bits
}
