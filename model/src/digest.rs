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

#[cfg(test)]
mod tests {
    use super::*;
    use lookback_log_format as format;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_all_ones() {
        assert_eq!(Digest::default().value(), 0xffff_ffff);
    }

    #[test]
    fn a_trap_hides_all_effects() {
        let plain = Retire {
            trap: true,
            pc_rdata: 0x8000_0000,
            ..Retire::default()
        };
        let noisy = Retire {
            rd_addr: 3,
            rd_wdata: 7,
            mem_addr: 0x8000_1000,
            mem_wmask: 15,
            mem_wdata: 9,
            ..plain
        };
        let (mut a, mut b) = (Digest::default(), Digest::default());
        a.retire(&plain);
        b.retire(&noisy);
        assert_eq!(a, b);
    }

    proptest! {
        #[test]
        fn both_implementations_agree(
            list in prop::collection::vec(any::<(bool, u8, [u32; 4], u8)>(), 0..20),
        ) {
            let mut own = Digest::default();
            let mut other = format::Digest::new();
            for (trap, rd, [value, pc, addr, data], mask) in list {
                let r = Retire {
                    trap,
                    rd_addr: rd & 31,
                    rd_wdata: value,
                    pc_rdata: pc,
                    mem_addr: addr,
                    mem_wmask: mask & 15,
                    mem_wdata: data,
                    ..Retire::default()
                };
                own.retire(&r);
                other.retire(&r);
                prop_assert_eq!(own.value(), other.value());
            }
        }
    }
}
