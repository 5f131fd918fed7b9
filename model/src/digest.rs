//! The digest of an interval, bit by bit as section 3 of the format says it. It shares nothing with
//! the table-driven one of `log-format`, so that the two check each other.

use lookback_log_format::Retire;

/// Running digest of one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(u32);

impl Default for Digest {
    fn default() -> Self {
        Self(0xffff_ffff)
    }
}

/// Eight steps of the reflected CRC-32 polynomial.
fn mix(mut x: u32) -> u32 {
    for _ in 0..8 {
        let carry = x & 1 != 0;
        x >>= 1;
        if carry {
            x ^= 0xedb8_8320;
        }
    }
    x
}

impl Digest {
    /// Takes one retirement in.
    pub fn retire(&mut self, r: &Retire) {
        let mut addr = 0;
        let mut data = 0;
        let mut mask = 0;
        let mut rd = 0;
        let mut val = 0;
        if !r.trap {
            mask = u32::from(r.mem_wmask);
            if mask != 0 {
                addr = r.mem_addr;
            }
            for lane in 0..4 {
                if mask >> lane & 1 == 1 {
                    data |= r.mem_wdata & (0xff << (8 * lane));
                }
            }
            rd = u32::from(r.rd_addr);
            if rd != 0 {
                val = r.rd_wdata;
            }
        }
        let d = mix(self.0 ^ r.pc_rdata ^ addr);
        let rotated = data.rotate_left(16);
        self.0 = d ^ val ^ rotated ^ rd << 8 ^ mask << 16 ^ u32::from(r.trap) << 31;
    }

    /// The 32 bits that stand in the trailer.
    pub fn value(self) -> u32 {
        self.0
    }
}
