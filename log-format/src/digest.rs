//! The digest that proves a replay: section 3 of the format.

use crate::retire::lanes;
use crate::Retire;

/// `M` of the format for a single byte: eight steps of the reflected CRC-32 polynomial.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut x = byte as u32;
        let mut step = 0;
        while step < 8 {
            x = (x >> 1) ^ if x & 1 != 0 { 0xedb8_8320 } else { 0 };
            step += 1;
        }
        table[byte] = x;
        byte += 1;
    }
    table
};

/// Running digest of one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(u32);

impl Default for Digest {
    fn default() -> Self {
        Self(0xffff_ffff)
    }
}

impl Digest {
    /// The digest of no instruction.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in one instruction that did not trap. `rd` is 0 for none; without a store `mask`,
    /// `addr` and `data` are 0, and `data` is 0 outside `mask`.
    #[inline(always)]
    pub fn step(&mut self, pc: u32, rd: u8, value: u32, addr: u32, mask: u8, data: u32) {
        let x = self.0 ^ pc ^ addr;
        let mixed = (x >> 8) ^ TABLE[(x & 0xff) as usize];
        self.0 =
            mixed ^ value ^ data.rotate_left(16) ^ (u32::from(rd) << 8) ^ (u32::from(mask) << 16);
    }

    /// Takes in an instruction that trapped.
    #[inline]
    pub fn step_trap(&mut self, pc: u32) {
        self.step(pc, 0, 0, 0, 0, 0);
        self.0 ^= 1 << 31;
    }

    /// Takes in a retirement as the port shows it.
    pub fn retire(&mut self, r: &Retire) {
        if r.trap {
            return self.step_trap(r.pc_rdata);
        }
        let value = if r.rd_addr == 0 { 0 } else { r.rd_wdata };
        let addr = if r.mem_wmask == 0 { 0 } else { r.mem_addr };
        let data = r.mem_wdata & lanes(r.mem_wmask);
        self.step(r.pc_rdata, r.rd_addr, value, addr, r.mem_wmask, data);
    }

    /// The 32 bits that stand in the interval's trailer.
    pub fn value(self) -> u32 {
        self.0
    }
}
