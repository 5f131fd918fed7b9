//! Which instruction words the replayer has from the ELF: the image window less the blocks that
//! were written. Sections 1.3 and 10.3 of the format.

use lookback_log_format::RecorderConfig;

/// Bytes of code that one bit of the bitmap stands for.
const BLOCK: u32 = 64;
/// Bits of the bitmap of others' writes, with codec `compact`.
const OTHERS: usize = 32;

/// The image window and its bitmap of written blocks.
#[derive(Debug, Clone)]
pub struct KnownCode {
    image_lo: u32,
    image_hi: u32,
    dirty: Vec<bool>,
    /// With codec `compact`, what others wrote is noted apart.
    others: [bool; OTHERS],
}

impl KnownCode {
    /// A window of which nothing was written yet.
    pub fn new(config: &RecorderConfig) -> Self {
        Self {
            image_lo: config.image_lo,
            image_hi: config.image_hi,
            dirty: vec![false; 1 << config.dirty_bits],
            others: [false; OTHERS],
        }
    }

    /// Whether the ELF still tells the instruction word at `pc`.
    pub fn is_known(&self, pc: u32) -> bool {
        let other = (pc / BLOCK) as usize % OTHERS;
        self.in_window(pc) && !self.dirty[self.block(pc)] && !self.others[other]
    }

    /// Whether the ELF still tells the instruction at `pc` whatever its size, halfword by halfword.
    pub fn is_known_by_halves(&self, pc: u32) -> bool {
        self.is_known(pc) && self.is_known(pc.wrapping_add(2))
    }

    /// Somebody other than the hart wrote to `addr`; codec `compact`.
    pub fn write_by_other(&mut self, addr: u32) {
        if self.in_window(addr) {
            self.others[(addr / BLOCK) as usize % OTHERS] = true;
        }
    }

    /// The hart wrote to `addr`; with codec `bugnet`, anybody did.
    pub fn write(&mut self, addr: u32) {
        if self.in_window(addr) {
            let block = self.block(addr);
            self.dirty[block] = true;
        }
    }

    /// Whether an address lies in the window.
    pub fn in_window(&self, addr: u32) -> bool {
        (self.image_lo..self.image_hi).contains(&addr)
    }

    /// Blocks that are a bitmap's size apart share a bit.
    fn block(&self, addr: u32) -> usize {
        (addr / BLOCK) as usize % self.dirty.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    const LO: u32 = 0x8000_0040;
    const HI: u32 = 0x8000_0840;

    fn code() -> KnownCode {
        KnownCode::new(&RecorderConfig {
            image_lo: LO,
            image_hi: HI,
            dirty_bits: 4,
            ..config()
        })
    }

    #[test]
    fn the_window_excludes_its_upper_end() {
        let code = code();
        assert!(code.is_known(LO) && code.is_known(HI - 4));
        assert!(!code.is_known(LO - 4) && !code.is_known(HI));
    }

    #[test]
    fn the_last_halfword_of_a_block_needs_the_next_block() {
        let mut code = code();
        code.write(LO + 64);
        assert!(code.is_known_by_halves(LO + 60) && !code.is_known_by_halves(LO + 62));
        assert!(!code.is_known_by_halves(HI - 2) && code.is_known_by_halves(HI - 4));
    }

    #[test]
    fn a_write_dirties_its_block_and_those_that_share_its_bit() {
        let mut code = code();
        code.write(LO + 100);
        assert!(code.is_known(LO + 60));
        assert!(!code.is_known(LO + 64) && !code.is_known(LO + 124));
        assert!(code.is_known(LO + 128));
        assert!(!code.is_known(LO + 64 + 16 * 64), "same bit");
    }

    #[test]
    fn writes_outside_the_window_are_nothing() {
        let mut code = code();
        code.write(LO - 4);
        code.write(HI);
        assert!((LO..HI).step_by(4).all(|pc| code.is_known(pc)));
    }
}
