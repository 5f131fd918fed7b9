//! What a board has of registers: the loader through which the host puts a program into RAM.
//! Section 6.2 of the format.
//!
//! Commands, no cycles: [`Loader::write`] and [`Loader::read`] are what the host's WRITE and READ do.

use lookback_log_format::registers as reg;

/// A board's registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loader {
    ram_bytes: u32,
    held: bool,
    base: u32,
}

/// What a command does besides changing registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// A word of RAM, by its byte offset, becomes this.
    Store(u32, u32),
    /// The board is restarted.
    Restart,
}

impl Loader {
    /// A board after reset; without RAM that can be loaded it has no loader.
    pub fn new(ram_bytes: u32) -> Self {
        Self {
            ram_bytes,
            held: false,
            base: 0,
        }
    }

    /// The board's button was pressed.
    pub fn reset(&mut self) {
        *self = Self::new(self.ram_bytes);
    }

    /// Whether the SoC is held in reset.
    pub fn held(&self) -> bool {
        self.held
    }

    /// The word of RAM that a register is, if it is one now.
    pub fn place(&self, register: u8) -> Option<u32> {
        let word = register.checked_sub(reg::LOAD).filter(|_| self.held)?;
        Some(self.base + 4 * u32::from(word))
    }

    /// The host writes a register.
    pub fn write(&mut self, register: u8, value: u32) -> Effect {
        if self.ram_bytes == 0 {
            return Effect::None;
        }
        match register {
            reg::BOOT => {
                let falls = self.held && value & 1 == 0;
                self.held = value & 1 == 1;
                if falls {
                    return Effect::Restart;
                }
            }
            reg::LOAD_BASE => self.base = value & reg::LOAD_BASE_MASK,
            _ => {
                if let Some(place) = self.place(register) {
                    return Effect::Store(place, value);
                }
            }
        }
        Effect::None
    }

    /// What a register reads; `ram` gives the word at a byte offset.
    pub fn read(&self, register: u8, ram: impl FnOnce(u32) -> u32) -> u32 {
        match register {
            reg::BOARD => self.ram_bytes,
            reg::BOOT => self.held.into(),
            reg::LOAD_BASE => self.base,
            _ => self.place(register).map_or(0, ram),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stored_only_while_the_soc_is_held() {
        let mut loader = Loader::new(4096);
        assert_eq!(loader.read(reg::BOARD, |_| 0), 4096);
        assert_eq!(loader.write(0x81, 7), Effect::None);
        assert_eq!(loader.read(0x81, |_| 7), 0);
        assert_eq!(loader.write(reg::BOOT, 3), Effect::None);
        assert_eq!(loader.read(reg::BOOT, |_| 0), 1);
        assert_eq!(loader.write(reg::LOAD_BASE, 0x1234_5678), Effect::None);
        assert_eq!(loader.read(reg::LOAD_BASE, |_| 0), 0x34_5600);
        assert_eq!(loader.write(0xff, 7), Effect::Store(0x34_57fc, 7));
        assert_eq!(loader.read(0x80, |place| place), 0x34_5600);
        assert_eq!(loader.write(reg::BOOT, 0), Effect::Restart);
        assert_eq!(loader.write(reg::BOOT, 0), Effect::None);
    }

    #[test]
    fn a_board_without_a_loader_reads_zeros() {
        let mut loader = Loader::new(0);
        assert_eq!(loader.write(reg::BOOT, 1), Effect::None);
        for register in 0x40..=0xff {
            assert_eq!(loader.read(register, |_| 9), 0);
        }
    }
}
