//! What a forward pass over the recording remembers, so that a report can look backwards: who wrote
//! each register and each word of memory last, who called whom, and the last instructions.

use lookback_log_format::isa;
use lookback_replay::decode::{decode, Op};
use lookback_replay::{Entered, Step};
use std::collections::{HashMap, VecDeque};

/// Calls beyond this depth are forgotten from the outside in.
const MAX_DEPTH: usize = 1024;
const RA: u8 = 1;
const T0: u8 = 5;

/// An instruction that made a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maker {
    /// Instructions before it since recording began.
    pub retired: u64,
    /// Its address.
    pub pc: u32,
    /// Its word.
    pub insn: u32,
    /// The value.
    pub value: u32,
    /// Where it read the value from, if it did.
    pub loaded_from: Option<u32>,
    /// How many bytes.
    pub len: u32,
}

/// A store that was the last to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Store {
    /// Instructions before it since recording began.
    pub retired: u64,
    /// Its address.
    pub pc: u32,
    /// Its word.
    pub insn: u32,
    /// First byte that it wrote.
    pub addr: u32,
    /// How many bytes it wrote.
    pub len: u32,
    /// What it wrote.
    pub value: u32,
    /// Who made the value that it stored.
    pub maker: Option<Maker>,
}

/// A call or trap that has not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Address of the call, or of the instruction that was interrupted.
    pub site: u32,
    /// Where a return from it would go.
    returns_to: u32,
    /// The hart was taken there by a trap or an interrupt.
    pub trap: bool,
}

/// How execution came to an instruction, also across the border between two intervals.
pub fn entered(before: &Step, step: &Step) -> Entered {
    if step.entered != Entered::Start {
        return step.entered;
    }
    match before.next_pc {
        _ if before.trap => Entered::Trap,
        None => Entered::Return,
        Some(next) if next != step.pc => Entered::Interrupt,
        Some(_) => Entered::Next,
    }
}

/// Everything remembered, up to the instruction seen last.
#[derive(Debug)]
pub struct History {
    registers: [Option<Maker>; 32],
    memory: HashMap<u32, Store>,
    calls: VecDeque<Call>,
    recent: VecDeque<Step>,
    keep: usize,
}

impl History {
    /// Remembers the last `keep` instructions one by one.
    pub fn new(keep: usize) -> Self {
        Self {
            registers: [None; 32],
            memory: HashMap::new(),
            calls: VecDeque::new(),
            recent: VecDeque::with_capacity(keep + 1),
            keep: keep.max(2),
        }
    }

    /// Forgets everything: a stretch of the run is missing.
    pub fn forget(&mut self) {
        *self = Self::new(self.keep);
    }

    /// Takes in the next instruction.
    pub fn step(&mut self, step: &Step) {
        self.follow_entry(step);
        if !step.trap {
            self.follow_calls(step);
            self.follow_values(step);
        }
        if self.recent.len() == self.keep {
            self.recent.pop_front();
        }
        self.recent.push_back(*step);
    }

    /// The last instructions, oldest first.
    pub fn recent(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.recent.iter()
    }

    /// The instruction seen last but one.
    pub fn before_last(&self) -> Option<&Step> {
        self.recent.iter().rev().nth(1)
    }

    /// Who made the value of a register.
    pub fn maker(&self, register: u8) -> Option<Maker> {
        self.registers.get(usize::from(register)).copied().flatten()
    }

    /// Who stored to the word of an address last.
    pub fn last_store(&self, addr: u32) -> Option<Store> {
        self.memory.get(&(addr & !3)).copied()
    }

    /// Calls and traps that have not returned, innermost first.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().rev()
    }

    /// Traps and interrupts enter and leave a level of their own.
    fn follow_entry(&mut self, step: &Step) {
        let Some(before) = self.recent.back() else {
            return;
        };
        match entered(before, step) {
            Entered::Trap => self.push(Call {
                site: before.pc,
                returns_to: before.pc,
                trap: true,
            }),
            Entered::Interrupt => {
                let interrupted = before.next_pc.unwrap_or(before.pc);
                self.push(Call {
                    site: interrupted,
                    returns_to: interrupted,
                    trap: true,
                });
            }
            Entered::Return => {
                if let Some(at) = self.calls.iter().rposition(|call| call.trap) {
                    self.calls.truncate(at);
                }
            }
            Entered::Next | Entered::Start => {}
        }
    }

    fn push(&mut self, call: Call) {
        if self.calls.len() == MAX_DEPTH {
            self.calls.pop_front();
        }
        self.calls.push_back(call);
    }

    /// Calls write ra (or t0, for millicode); a jump through it to where a call of this level
    /// returns is that return.
    fn follow_calls(&mut self, step: &Step) {
        let insn = decode(step.insn);
        let jumps = matches!(insn.op, Op::Jal | Op::Jalr);
        if jumps && matches!(step.rd, RA | T0) {
            self.push(Call {
                site: step.pc,
                returns_to: step.pc.wrapping_add(isa::size(step.insn)),
                trap: false,
            });
        } else if insn.op == Op::Jalr && step.rd == 0 {
            let level = self
                .calls
                .iter()
                .rposition(|call| call.trap)
                .map_or(0, |at| at + 1);
            let target = step.next_pc.unwrap_or(0);
            let returned = (level..self.calls.len())
                .rev()
                .find(|&at| self.calls[at].returns_to == target);
            if let Some(at) = returned {
                self.calls.truncate(at);
            }
        }
    }

    fn follow_values(&mut self, step: &Step) {
        let insn = decode(step.insn);
        if let Some(write) = step.write() {
            self.memory.insert(
                step.mem_addr,
                Store {
                    retired: step.retired,
                    pc: step.pc,
                    insn: step.insn,
                    addr: write.addr,
                    len: write.len,
                    value: write.value,
                    maker: self.maker(insn.rs2),
                },
            );
        }
        if step.rd != 0 {
            // A plain move hands the value on: its maker stays the one who made it.
            let moved = insn.op == Op::Addi && insn.imm == 0 && insn.rs1 != 0;
            self.registers[usize::from(step.rd)] = match self.maker(insn.rs1) {
                Some(maker) if moved => Some(maker),
                _ => Some(Maker {
                    retired: step.retired,
                    pc: step.pc,
                    insn: step.insn,
                    value: step.rd_value,
                    loaded_from: step.read().map(|read| read.addr),
                    len: step.read().map_or(0, |read| read.len),
                }),
            };
        }
    }
}
