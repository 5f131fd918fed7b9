//! Codec `compact`: what the reader cannot work out by itself, in the order in which it asks for it.
//! Section 10 of the format.
//!
//! [`Log`] follows the retirements, [`tags`] knows what the reader holds, [`values`] guesses, and
//! [`bins`] writes.

pub mod bins;
pub mod tags;
pub mod values;

use crate::known_code::KnownCode;
use crate::recorder::{instruction, operation, size, Operation};
use lookback_log_format::config::Compact;
use lookback_log_format::retire::lanes;
use lookback_log_format::{isa, RecorderConfig, Retire};
use tags::Tags;
use values::{Escape, Items, Predictor, Value};

const WFI: u32 = 0x1050_0073;

/// Where the instruction before this one leads.
#[derive(Debug, Clone, Copy)]
enum Previous {
    /// To this address.
    Leads(u32),
    /// It trapped, at this address.
    Trapped(u32),
    /// It is `mret` or its like.
    Returned,
}

/// The registers that a word names as sources, 0 for none: section 10.2, point 4.
pub fn sources(insn: u32) -> [u32; 2] {
    let (rs1, rs2) = (insn >> 15 & 31, insn >> 20 & 31);
    match insn & 0x7f {
        0x03 | 0x13 | 0x67 => [rs1, 0],
        0x73 if matches!(insn >> 12 & 7, 1..=3) => [rs1, 0],
        0x63 | 0x23 | 0x33 => [rs1, rs2],
        0x2f if insn >> 27 == 0b00010 => [rs1, 0],
        0x2f => [rs1, rs2],
        _ => [0, 0],
    }
}

/// The log of codec `compact`.
#[derive(Debug, Clone)]
pub struct Log {
    config: RecorderConfig,
    tags: Tags,
    items: Items,
    /// Registers that the reader knows, a bit each.
    told: u32,
    previous: Option<Previous>,
    position: u32,
    /// Intervals left in the key group.
    left: u16,
    key: u16,
    hurry: bool,
}

impl Log {
    /// A log before the first interval.
    pub fn new(config: &RecorderConfig, compact: &Compact) -> Self {
        Self {
            config: config.clone(),
            tags: Tags::new(config, compact),
            items: Items::new(config, compact),
            told: 1,
            previous: None,
            position: 0,
            left: 0,
            key: compact.key,
            hurry: false,
        }
    }

    /// From now on values are hurried, or not any more: the hardware has fallen behind.
    pub fn hurry(&mut self, hurry: bool) {
        self.hurry = hurry;
    }

    /// Which of the next values are hurried, as the hardware has decided them one by one.
    pub fn decide(&mut self, hurried: impl IntoIterator<Item = bool>) {
        self.items.decide(hurried);
    }

    /// Bins so far, which are cycles of the hardware.
    pub fn bins(&self) -> u64 {
        self.items.bins()
    }

    /// Bytes of the open interval so far, to a few.
    pub fn written_bytes(&self) -> usize {
        self.items.written_bytes()
    }

    /// An interval begins. Returns whether it is a key interval.
    pub fn begin(&mut self) -> bool {
        let key = self.left == 0;
        if key {
            self.left = self.key;
            self.tags.forget();
            self.items.forget();
            self.told = 1;
        }
        self.left -= 1;
        self.position = 0;
        self.previous = None;
        key
    }

    /// Events were lost: the next interval is a key interval.
    pub fn interrupt(&mut self) {
        self.left = 0;
    }

    /// The interval ends: its entries.
    pub fn finish(&mut self) -> Vec<u8> {
        self.items.finish()
    }

    /// Somebody else writes to memory.
    pub fn snoop(&mut self, addr: u32) {
        self.tags.snoop(addr);
    }

    /// An instruction of the open interval. `registers` are those before it, `image` what of the ELF
    /// nobody has written to before it.
    pub fn retire(&mut self, r: &Retire, registers: &[u32; 32], image: &KnownCode) {
        self.next_pc(r);
        if !self.word_is_known(r, image) {
            self.need(6, 4, r.insn, Predictor::Pc(r.pc_rdata));
        }
        let insn = instruction(&self.config, r);
        if r.trap {
            self.items.escape(self.position, Escape::Trap);
        }
        for register in sources(insn) {
            if self.told >> register & 1 == 0 {
                self.told |= 1 << register;
                let value = registers[register as usize];
                self.need(0, 4, value, Predictor::Slot(0));
            }
        }
        if !r.trap {
            self.operation(r, image);
        }
        if r.trap || insn == WFI {
            self.items.resume = r.pc_rdata.wrapping_add(4);
        }
        self.position += 1;
    }

    /// Section 10.2, point 2.
    fn word_is_known(&mut self, r: &Retire, image: &KnownCode) -> bool {
        let pc = r.pc_rdata;
        if !self.config.compressed {
            return self.access(pc, 0xf, 0, r.insn, Escape::Code, image);
        }
        let known = image.is_known_by_halves(pc);
        if !known && image.in_window(pc) && image.in_window(pc.wrapping_add(2)) {
            self.items.escape(self.position, Escape::Code);
        }
        known
    }

    fn need(&mut self, class: usize, size: u32, value: u32, predictor: Predictor) {
        let value = Value {
            class,
            size,
            value,
            predictor,
        };
        self.items.need(self.position, value, self.hurry);
    }

    fn next_pc(&mut self, r: &Retire) {
        let pc = r.pc_rdata;
        match self.previous {
            Some(Previous::Trapped(at)) => self.need(7, 4, pc, Predictor::Pc(at)),
            Some(Previous::Returned) => self.need(7, 4, pc, Predictor::Resume),
            Some(Previous::Leads(to)) if to != pc => {
                self.items.redirect(self.position, to, pc, self.hurry);
            }
            _ => {}
        }
        let insn = instruction(&self.config, r);
        let results = self.config.logs_results() && isa::is_muldiv(insn);
        let opaque = self.config.attached && (isa::is_opaque(insn) || results);
        self.previous = Some(if r.trap {
            Previous::Trapped(pc)
        } else if insn & 0x707f == 0x73 {
            Previous::Returned
        } else if opaque {
            Previous::Leads(pc.wrapping_add(size(&self.config, r)))
        } else {
            Previous::Leads(r.pc_wdata)
        });
    }

    /// Section 10.3. Returns whether the read is known; `data` is the word as it is afterwards.
    fn access(
        &mut self,
        addr: u32,
        rmask: u8,
        wmask: u8,
        data: u32,
        escape: Escape,
        image: &KnownCode,
    ) -> bool {
        let mut rmask = rmask;
        if rmask != 0 && image.is_known(addr) {
            if wmask == 0 {
                return true;
            }
            rmask = 0;
        }
        let memory = self.config.is_memory(addr);
        if rmask != 0 && image.in_window(addr) && !(memory && self.tags.row_is_valid(addr)) {
            self.items.escape(self.position, escape);
        }
        if !memory {
            return rmask == 0;
        }
        if rmask != 0 && self.tags.is_out_of_date(addr, rmask, data) {
            self.items.escape(self.position, escape);
            self.tags.drop_row(addr);
        }
        self.tags.access(addr, rmask, wmask, data)
    }

    fn operation(&mut self, r: &Retire, image: &KnownCode) {
        let mut known = true;
        if r.mem_rmask | r.mem_wmask != 0 {
            // What is compared is what was read; what is kept is what was written over it.
            let read = r.mem_rdata & lanes(r.mem_rmask);
            known = self.access(
                r.mem_addr,
                r.mem_rmask,
                r.mem_wmask,
                read,
                Escape::Data,
                image,
            );
            if r.mem_wmask != 0 && self.config.is_memory(r.mem_addr) {
                self.tags.access(r.mem_addr, 0, r.mem_wmask, r.mem_wdata);
            }
        }
        let operation = operation(&self.config, r);
        let here = Predictor::Pc(r.pc_rdata);
        match operation {
            Some(Operation::MemoryRead(value)) if !known => {
                let (class, size) = match r.mem_rmask.count_ones() {
                    1 => (1, 1),
                    2 => (2, 2),
                    _ => (3, 4),
                };
                let class = match self.config.is_memory(r.mem_addr) {
                    true => class,
                    false => 4,
                };
                self.need(class, size, value, here);
            }
            Some(
                Operation::CsrRead(value)
                | Operation::StoreConditional(value)
                | Operation::Opaque(value),
            ) => self.need(5, 4, value, here),
            _ => {}
        }
        self.told |= 1 << (r.rd_addr & 31);
        if let Some(Operation::Opaque(_)) = operation {
            self.told |= 1 << (instruction(&self.config, r) >> 7 & 31);
        }
    }
}
