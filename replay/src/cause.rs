//! Why an instruction trapped. The log says only that it did; the instruction and its operands, and
//! what the trap handler reads afterwards, say the rest.

use crate::decode::{decode, Insn, Op};
use crate::{Entered, Step};
use lookback_log_format::{isa, RecorderConfig};
use serde::Serialize;
use std::fmt;

const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MTVAL: u32 = 0x343;

/// An exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A jump to an address that is not a multiple of 4.
    InstructionMisaligned,
    /// A fetch from where nothing is.
    InstructionAccessFault,
    /// A word that is no instruction, or one that is not allowed here.
    IllegalInstruction,
    /// `ebreak`.
    Breakpoint,
    /// A load from a misaligned address.
    LoadMisaligned,
    /// A load from where nothing is.
    LoadAccessFault,
    /// A store to a misaligned address.
    StoreMisaligned,
    /// A store to where nothing is.
    StoreAccessFault,
    /// `ecall`.
    EnvironmentCall,
    /// Another cause, by its number.
    Other(u32),
}

impl Cause {
    /// The exception that a value of `mcause` stands for.
    pub fn from_mcause(mcause: u32) -> Self {
        match mcause {
            0 => Self::InstructionMisaligned,
            1 => Self::InstructionAccessFault,
            2 => Self::IllegalInstruction,
            3 => Self::Breakpoint,
            4 => Self::LoadMisaligned,
            5 => Self::LoadAccessFault,
            6 => Self::StoreMisaligned,
            7 => Self::StoreAccessFault,
            8..=11 => Self::EnvironmentCall,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InstructionMisaligned => "instruction address misaligned",
            Self::InstructionAccessFault => "instruction access fault",
            Self::IllegalInstruction => "illegal instruction",
            Self::Breakpoint => "breakpoint",
            Self::LoadMisaligned => "load address misaligned",
            Self::LoadAccessFault => "load access fault",
            Self::StoreMisaligned => "store address misaligned",
            Self::StoreAccessFault => "store access fault",
            Self::EnvironmentCall => "environment call",
            Self::Other(number) => return write!(f, "exception {number}"),
        })
    }
}

/// An exception with the address that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What happened.
    pub cause: Cause,
    /// The address that was to be read, written or executed.
    pub addr: Option<u32>,
    /// The trap handler read the cause, so it is certain; otherwise it is worked out.
    pub confirmed: bool,
}

/// Works out why an instruction trapped. `None` if it did not.
pub fn infer(config: &RecorderConfig, step: &Step) -> Option<Fault> {
    if !step.trap {
        return None;
    }
    let fault = |cause, addr| Fault {
        cause,
        addr,
        confirmed: false,
    };
    let known = config.compressed || !isa::is_compressed(step.insn);
    let insn = if known {
        decode(step.insn)
    } else {
        Insn::ILLEGAL
    };
    // A recorder sends 0 for the word of an instruction that could not be fetched.
    if step.insn == 0 && !config.is_memory(step.pc) {
        return Some(fault(Cause::InstructionAccessFault, Some(step.pc)));
    }
    let op = insn.op;
    let data = insn.address(step.rs1_value);
    let misaligned = data.is_some_and(|addr| addr % op.access_bytes() != 0);
    let cause = match op {
        Op::Ebreak => return Some(fault(Cause::Breakpoint, Some(step.pc))),
        Op::Ecall => return Some(fault(Cause::EnvironmentCall, None)),
        Op::Jal | Op::Jalr => {
            let base = if op == Op::Jal {
                step.pc
            } else {
                step.rs1_value
            };
            let target = base.wrapping_add(insn.imm) & !1;
            return Some(fault(Cause::InstructionMisaligned, Some(target)));
        }
        _ if op.is_branch() => {
            let target = step.pc.wrapping_add(insn.imm);
            return Some(fault(Cause::InstructionMisaligned, Some(target)));
        }
        Op::LrW if misaligned => Cause::LoadMisaligned,
        Op::LrW => Cause::LoadAccessFault,
        _ if op.is_store() && misaligned => Cause::StoreMisaligned,
        _ if op.is_store() => Cause::StoreAccessFault,
        _ if op.is_load() && misaligned => Cause::LoadMisaligned,
        _ if op.is_load() => Cause::LoadAccessFault,
        _ => Cause::IllegalInstruction,
    };
    Some(fault(cause, data))
}

/// Follows a trap handler to what it reads about its trap.
#[derive(Debug, Clone)]
pub struct Handler {
    pc: u32,
    steps: u32,
    mcause: Option<u32>,
    mtval: Option<u32>,
    over: bool,
}

impl Handler {
    /// Instructions after which no handler is expected to read `mcause` any more.
    pub const PATIENCE: u32 = 1000;

    /// A handler of the trap at this step.
    pub fn of(trap: &Step) -> Self {
        Self {
            pc: trap.pc,
            steps: 0,
            mcause: None,
            mtval: None,
            over: false,
        }
    }

    /// Takes in the next instruction; `true` while it is worth going on.
    pub fn follow(&mut self, step: &Step) -> bool {
        let another = self.steps > 0 && !matches!(step.entered, Entered::Next | Entered::Start);
        self.steps += 1;
        let insn = decode(step.insn);
        self.over |= another || step.trap || insn.op == Op::Mret || self.steps > Self::PATIENCE;
        if self.over {
            return false;
        }
        if insn.op.is_csr() {
            let read = (step.rd != 0).then_some(step.rd_value);
            let writes = matches!(insn.op, Op::Csrrw | Op::Csrrwi) || insn.rs1 != 0;
            match insn.imm {
                // The handler of something else: its trap came before the first step.
                MEPC if read.is_some_and(|pc| pc != self.pc) => self.over = true,
                MCAUSE if self.mcause.is_none() => self.mcause = read,
                MTVAL if self.mtval.is_none() => self.mtval = read,
                _ => {}
            }
            self.over |= writes && matches!(insn.imm, MCAUSE | MTVAL | MEPC);
        }
        !self.over && (self.mcause.is_none() || self.mtval.is_none())
    }

    /// What is known now: what the handler read, else what was inferred.
    pub fn conclude(&self, inferred: Fault) -> Fault {
        let Some(mcause) = self.mcause.filter(|mcause| mcause >> 31 == 0) else {
            return inferred;
        };
        let cause = Cause::from_mcause(mcause);
        let says_address = !matches!(cause, Cause::IllegalInstruction | Cause::EnvironmentCall);
        // Harts may leave mtval 0; an address that was worked out is better than none.
        let told = self.mtval.filter(|&addr| addr != 0 && says_address);
        let worked_out = if cause == inferred.cause {
            inferred.addr
        } else {
            None
        };
        Fault {
            cause,
            addr: told.or(worked_out),
            confirmed: true,
        }
    }
}

/// Why an instruction trapped, from itself and from the instructions after it.
pub fn explain<'a>(
    config: &RecorderConfig,
    trap: &Step,
    after: impl IntoIterator<Item = &'a Step>,
) -> Option<Fault> {
    let inferred = infer(config, trap)?;
    let mut handler = Handler::of(trap);
    for step in after {
        if !handler.follow(step) {
            break;
        }
    }
    Some(handler.conclude(inferred))
}
