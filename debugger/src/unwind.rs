//! Call stacks from `.debug_frame`.
//!
//! A crash is where stacks are least trustworthy, so every step is checked: a frame must lie in
//! known code, the stack must grow, and a value that the recording does not know ends the walk.

use crate::symbols::Symbols;
use addr2line::gimli::{
    BaseAddresses, CfaRule, DebugFrame, LittleEndian, Register, RegisterRule, UnwindContext,
    UnwindSection,
};

/// No call stack printed is deeper than this.
const MAX_FRAMES: usize = 256;
const RA: usize = 1;
const SP: usize = 2;

/// Registers of one frame, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Address of the instruction that executes in this frame (for callers: of the call).
    pub pc: u32,
    /// x0 … x31.
    pub registers: [Option<u32>; 32],
}

/// A call stack, innermost frame first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    /// The frames.
    pub frames: Vec<Frame>,
    /// Whether the walk reached a frame that has no caller; otherwise it had to stop early.
    pub complete: bool,
}

/// Walks the stack from `pc` and `registers`; `read` gives a word of memory if it is known.
pub fn unwind(
    symbols: &Symbols,
    pc: u32,
    registers: [u32; 32],
    read: impl Fn(u32) -> Option<u32>,
) -> Stack {
    let mut section = DebugFrame::new(&symbols.debug_frame, LittleEndian);
    section.set_address_size(4);
    let mut frames = vec![Frame {
        pc,
        registers: registers.map(Some),
    }];
    let mut complete = false;
    while frames.len() < MAX_FRAMES {
        let current = frames[frames.len() - 1];
        match caller(&section, symbols, &current, frames.len() == 1, &read) {
            Caller::Frame(frame) => frames.push(*frame),
            Caller::Outermost => {
                complete = true;
                break;
            }
            Caller::Unknown => break,
        }
    }
    Stack { frames, complete }
}

enum Caller {
    Frame(Box<Frame>),
    /// The frame says that nobody called it.
    Outermost,
    Unknown,
}

fn caller(
    section: &DebugFrame<addr2line::gimli::EndianSlice<'_, LittleEndian>>,
    symbols: &Symbols,
    frame: &Frame,
    innermost: bool,
    read: &impl Fn(u32) -> Option<u32>,
) -> Caller {
    let bases = BaseAddresses::default();
    let mut context = UnwindContext::new();
    let Ok(fde) = section.fde_for_address(&bases, frame.pc.into(), DebugFrame::cie_from_offset)
    else {
        // A jump to nowhere: whoever jumped there left the return address in ra.
        return match frame.registers[RA] {
            Some(ra) if innermost && symbols.is_code(ra.wrapping_sub(4)) => {
                let mut registers = frame.registers;
                registers[RA] = None;
                Caller::Frame(Box::new(Frame {
                    pc: ra.wrapping_sub(4),
                    registers,
                }))
            }
            _ => Caller::Unknown,
        };
    };
    let Ok(row) = fde.unwind_info_for_address(section, &bases, &mut context, frame.pc.into())
    else {
        return Caller::Unknown;
    };
    let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else {
        return Caller::Unknown;
    };
    let Some(cfa) =
        register_value(&frame.registers, register).map(|base| base.wrapping_add(offset as u32))
    else {
        return Caller::Unknown;
    };
    let mut registers = frame.registers;
    registers[SP] = Some(cfa);
    // Usually ra; a trap frame keeps the interrupted pc in a column of its own.
    let return_column = usize::from(fde.cie().return_address_register().0);
    let mut return_address = registers.get(return_column).copied().flatten();
    let mut has_caller = true;
    for (register, rule) in row.registers() {
        let number = usize::from(register.0);
        let value = match *rule {
            RegisterRule::Offset(offset) => read(cfa.wrapping_add(offset as u32)),
            RegisterRule::ValOffset(offset) => Some(cfa.wrapping_add(offset as u32)),
            RegisterRule::Register(other) => register_value(&frame.registers, other),
            RegisterRule::SameValue => register_value(&frame.registers, *register),
            RegisterRule::Undefined => {
                has_caller &= number != return_column;
                None
            }
            _ => None,
        };
        if let Some(slot) = registers.get_mut(number) {
            *slot = value;
        }
        if number == return_column {
            return_address = value;
        }
    }
    let Some(return_address) = return_address.filter(|_| has_caller) else {
        return if has_caller {
            Caller::Unknown
        } else {
            Caller::Outermost
        };
    };
    if return_address == 0 {
        return Caller::Outermost;
    }
    let grows = frame.registers[SP].is_some_and(|sp| cfa > sp || (innermost && cfa == sp));
    // A call returns to the instruction after it; a trap to the interrupted one itself.
    let interrupted = fde.is_signal_trampoline();
    let pc = if interrupted {
        return_address
    } else {
        registers[RA] = None;
        return_address.wrapping_sub(4)
    };
    if !(grows || interrupted) || !symbols.is_code(pc) {
        return Caller::Unknown;
    }
    Caller::Frame(Box::new(Frame { pc, registers }))
}

fn register_value(registers: &[Option<u32>; 32], register: Register) -> Option<u32> {
    registers.get(usize::from(register.0)).copied().flatten()
}
