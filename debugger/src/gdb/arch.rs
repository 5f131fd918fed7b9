//! RV32 as gdb knows it.

use gdbstub::arch::{Arch, RegId, Registers};
use std::num::NonZeroUsize;

/// RV32 without floating point.
#[derive(Debug)]
pub enum Rv32 {}

/// The registers of a hart; `None` for one that is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rv32Registers {
    /// x0 … x31.
    pub x: [Option<u32>; 32],
    /// Address of the next instruction.
    pub pc: u32,
}

impl Registers for Rv32Registers {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.pc
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for value in self.x.iter().copied().chain([Some(self.pc)]) {
            match value {
                Some(value) => value
                    .to_le_bytes()
                    .into_iter()
                    .for_each(|byte| write_byte(Some(byte))),
                None => (0..4).for_each(|_| write_byte(None)),
            }
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let (x, pc) = (words.get(..32).ok_or(())?, *words.get(32).ok_or(())?);
        for (to, &value) in self.x.iter_mut().zip(x) {
            *to = Some(value);
        }
        self.pc = pc;
        Ok(())
    }
}

/// A register by gdb's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rv32RegId(pub u8);

impl RegId for Rv32RegId {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        let number = u8::try_from(id).ok().filter(|&number| number <= 32)?;
        Some((Self(number), NonZeroUsize::new(4)))
    }

    fn to_raw_id(&self) -> Option<usize> {
        Some(self.0.into())
    }
}

impl Arch for Rv32 {
    type Usize = u32;
    type Registers = Rv32Registers;
    type BreakpointKind = usize;
    type RegId = Rv32RegId;

    /// With `<osabi>none</osabi>`: for GNU/Linux, which gdb would assume, it does not single-step.
    fn target_description_xml() -> Option<&'static str> {
        Some(include_str!("target.xml"))
    }
}
