//! The program that E-Trace's decoder follows: every instruction that has retired so far.

use riscv_etrace::binary::Binary;
use riscv_etrace::instruction::base::Set;
use riscv_etrace::instruction::bits::Bits;
use riscv_etrace::instruction::info::Info;
use riscv_etrace::instruction::{Instruction, Kind};
use std::convert::Infallible;

/// As much of an instruction as E-Trace wants to know.
pub type Word = Instruction<Option<Kind>>;

const PAGE_BITS: u32 = 12;
const PAGE_WORDS: usize = 1 << (PAGE_BITS - 2);

type Page = Box<[Option<Word>; PAGE_WORDS]>;

/// What an instruction word is to E-Trace.
pub fn decoded(insn: u32) -> Word {
    Instruction::decode(Bits::Bit32(insn), &Set::Rv32I)
}

/// Instructions by address. Programs are small and are asked at every instruction, so pages are
/// looked for one after the other, the last one that was found first.
#[derive(Default)]
pub struct Code {
    pages: Vec<(u32, Page)>,
    last: usize,
}

impl Code {
    /// The instruction at an address, if it was ever executed.
    pub fn get(&mut self, pc: u32) -> Option<Word> {
        self.page(pc).and_then(|page| page[index(pc)])
    }

    /// It is executed.
    pub fn put(&mut self, pc: u32, word: Word) {
        if self.page(pc).is_none() {
            let page = Box::new([None; PAGE_WORDS]);
            self.pages.push((pc >> PAGE_BITS, page));
        }
        if let Some(page) = self.page(pc) {
            page[index(pc)] = Some(word);
        }
    }

    fn page(&mut self, pc: u32) -> Option<&mut Page> {
        let number = pc >> PAGE_BITS;
        if self
            .pages
            .get(self.last)
            .is_none_or(|page| page.0 != number)
        {
            self.last = self.pages.iter().position(|page| page.0 == number)?;
        }
        self.pages.get_mut(self.last).map(|page| &mut page.1)
    }
}

fn index(pc: u32) -> usize {
    pc as usize >> 2 & (PAGE_WORDS - 1)
}

impl Binary<Option<Kind>> for Code {
    type Error = Infallible;

    /// Where nothing retired, nothing leads away; a decoder that goes there is found out by its
    /// addresses.
    fn get_insn(&mut self, address: u64) -> Result<Word, Infallible> {
        let known = u32::try_from(address).ok().and_then(|pc| self.get(pc));
        Ok(known.unwrap_or_else(Word::ignored))
    }
}
