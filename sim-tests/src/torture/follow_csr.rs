//! The control and status registers of the reference machine, its mode, and which interrupts may
//! be taken.

use super::asm::csrs;
use super::follow::{same, Difference, Done, Trap};

const MIE: u32 = 1 << 3;
const MPIE: u32 = 1 << 7;
const MPP: u32 = 3 << 11;
const MPRV: u32 = 1 << 17;
const TW: u32 = 1 << 21;
const INTERRUPT: u32 = 1 << 31;
const SOFTWARE: u32 = 1 << 3;

/// Instructions that may still retire after a store to `msip`, before its interrupt is taken.
const LATENCY: u32 = 1;

/// CSRs, mode, and the one interrupt source whose state follows from the program alone.
pub(super) struct Csrs {
    pub mode: u32,
    /// `mhartid`, if there are several harts: then others raise the software interrupt, too.
    pub among_several: Option<u32>,
    /// The software interrupt of the CLINT.
    software: bool,
    /// It was raised by the last instruction, so that the hart may not see it yet.
    fresh: bool,
    /// Whether it was pending when the last interrupt was taken, and the hart must have seen it.
    pending: bool,
    seen: bool,
    status: u32,
    enables: u32,
    vector: u32,
    counter_enable: u32,
    inhibit: u32,
    scratch: u32,
    epc: u32,
    cause: u32,
    /// An interrupt was taken, but which is known only when `mcause` is read.
    cause_unknown: bool,
    value: u32,
    instructions: u64,
    /// Whether the instruction under way counts: `mcountinhibit` as it was before it.
    counts: bool,
    /// What the instruction under way wrote: the low half of the count, the high half.
    written: [bool; 2],
    /// Instructions for which a software interrupt was due and not taken.
    due: u32,
}

impl Default for Csrs {
    fn default() -> Self {
        Self {
            mode: 3,
            among_several: None,
            software: false,
            fresh: false,
            pending: false,
            seen: false,
            status: 0,
            enables: 0,
            vector: 0,
            counter_enable: 0,
            inhibit: 0,
            scratch: 0,
            epc: 0,
            cause: 0,
            cause_unknown: false,
            value: 0,
            instructions: 0,
            counts: true,
            written: [false; 2],
            due: 0,
        }
    }
}

impl Csrs {
    /// Takes an interrupt; `target` is where the hart goes on, which in vectored mode tells the
    /// cause.
    pub fn interrupt(&mut self, pc: u32, target: u32) -> Result<u32, Difference> {
        let enabled = self.mode < 3 || self.status & MIE != 0;
        same("interrupt while disabled", 1, enabled.into())?;
        self.due = 0;
        self.pending = self.software && self.enables & SOFTWARE != 0;
        self.seen = self.pending && !self.fresh;
        self.fresh = false;
        let base = self.enter(pc, INTERRUPT, 0);
        if self.vector & 1 == 0 {
            self.cause_unknown = true;
            return Ok(base);
        }
        self.adopt_cause(INTERRUPT | ((target.wrapping_sub(base) / 4) & 31))?;
        Ok(base + 4 * (self.cause & 31))
    }

    /// An instruction retires without an interrupt before it.
    pub fn no_interrupt(&mut self) -> Result<(), Difference> {
        self.fresh = false;
        let enabled = self.mode < 3 || self.status & MIE != 0;
        let due = enabled && self.software && self.enables & SOFTWARE != 0;
        self.due = if due { self.due + 1 } else { 0 };
        same("software interrupt", 0, (self.due > LATENCY).into())
    }

    /// The hart says which interrupt it took: an enabled one, and none below a pending software
    /// interrupt.
    fn adopt_cause(&mut self, cause: u32) -> Result<(), Difference> {
        let number = cause & !INTERRUPT;
        let known = cause & INTERRUPT != 0 && [3, 7, 11].contains(&number);
        same("cause of the interrupt", 1, known.into())?;
        same("cause enabled", 1, self.enables >> number & 1)?;
        let first = match number {
            3 => self.pending || self.among_several.is_some(),
            7 => !self.seen,
            _ => true,
        };
        same("interrupt priority", 1, first.into())?;
        (self.cause, self.cause_unknown) = (cause, false);
        Ok(())
    }

    /// A store to `msip`.
    pub fn set_software(&mut self, is: bool) {
        let is = is && self.among_several.is_none();
        self.fresh = is && !self.software;
        self.software = is;
    }

    /// Enters the trap handler.
    pub fn enter(&mut self, pc: u32, cause: u32, value: u32) -> u32 {
        (self.epc, self.cause, self.value) = (pc, cause, value);
        self.cause_unknown = false;
        let pie = if self.status & MIE != 0 { MPIE } else { 0 };
        self.status = self.status & (TW | MPRV) | pie | self.mode << 11;
        self.mode = 3;
        self.vector & !3
    }

    /// `mret`: gives the next pc. With a flaw it keeps MPP.
    pub fn leave(&mut self, keeps: bool) -> u32 {
        self.mode = self.status >> 11 & 3;
        let kept = if self.mode == 3 { TW | MPRV } else { TW };
        let mie = if self.status & MPIE != 0 { MIE } else { 0 };
        let mpp = if keeps { self.status & MPP } else { 0 };
        self.status = self.status & kept | mie | MPIE | mpp;
        self.epc
    }

    /// `wfi` is illegal in U mode.
    pub fn wait_traps(&self) -> bool {
        self.status & TW != 0
    }

    /// An instruction begins.
    pub fn begin(&mut self) {
        self.counts = self.inhibit & 4 == 0;
        self.written = [false; 2];
    }

    /// It retired without a trap. A half that it wrote does not count.
    pub fn count_instruction(&mut self) {
        let [low, high] = self.written;
        if self.counts && !low {
            let next = self.instructions.wrapping_add(1);
            let kept = if high { !0xffff_ffff } else { 0 };
            self.instructions = self.instructions & kept | next & !kept;
        }
    }

    /// A CSR instruction; `shown` is what the port shows as its result, for what only clocks and
    /// devices know.
    pub fn access(&mut self, w: u32, rs1: u32, shown: u32) -> Done<u32> {
        let (number, field, f3) = (w >> 20, w >> 15 & 31, w >> 12 & 7);
        let illegal = Trap(2, w);
        let writes = f3 & 3 == 1 || field != 0;
        if self.mode < number >> 8 & 3 || writes && number >> 10 == 3 {
            return Err(illegal);
        }
        let Some(old) = self.read(number, shown) else {
            return Err(illegal);
        };
        let operand = if f3 & 4 != 0 { field } else { rs1 };
        if writes {
            let new = match f3 & 3 {
                1 => operand,
                2 => old | operand,
                _ => old & !operand,
            };
            self.write(number, new);
        }
        Ok(old)
    }

    fn read(&mut self, number: u32, shown: u32) -> Option<u32> {
        Some(match number {
            csrs::MSTATUS => self.status,
            csrs::MISA => 0x4010_1101,
            csrs::MIE => self.enables,
            csrs::MTVEC => self.vector,
            csrs::MCOUNTEREN => self.counter_enable,
            csrs::MCOUNTINHIBIT => self.inhibit,
            csrs::MSCRATCH => self.scratch,
            csrs::MEPC => self.epc,
            csrs::MCAUSE => {
                if self.cause_unknown && self.adopt_cause(shown).is_err() {
                    // What was shown cannot be: the comparison of rd then fails.
                    self.cause_unknown = false;
                }
                self.cause
            }
            csrs::MTVAL => self.value,
            // The timer's and the devices' bits are theirs.
            csrs::MIP if self.among_several.is_some() => shown & 0x888,
            csrs::MIP => shown & 0x880 | u32::from(self.software) << 3,
            csrs::MCYCLE | csrs::MCYCLEH => shown,
            csrs::MINSTRET => self.instructions as u32,
            csrs::MINSTRETH => (self.instructions >> 32) as u32,
            csrs::CYCLE..=csrs::INSTRET | csrs::CYCLEH..=csrs::INSTRETH => {
                if self.mode < 3 && self.counter_enable >> (number & 31) & 1 == 0 {
                    return None;
                }
                match number {
                    csrs::INSTRET => self.instructions as u32,
                    csrs::INSTRETH => (self.instructions >> 32) as u32,
                    _ => shown,
                }
            }
            0x30a | 0x310 | 0x31a | 0x323..=0x33f | 0x3a0..=0x3ef => 0,
            0xf14 => self.among_several.unwrap_or(0),
            0xb03..=0xb1f | 0xb83..=0xb9f | 0xf11..=0xf15 => 0,
            0xc03..=0xc1f | 0xc83..=0xc9f if self.mode == 3 => 0,
            _ => return None,
        })
    }

    fn write(&mut self, number: u32, value: u32) {
        match number {
            csrs::MSTATUS => {
                let mpp = if value & MPP == MPP { MPP } else { 0 };
                self.status = value & (MIE | MPIE | TW | MPRV) | mpp;
            }
            csrs::MIE => self.enables = value & 0x888,
            csrs::MTVEC if value & 2 == 0 => self.vector = value,
            csrs::MCOUNTEREN => self.counter_enable = value & 7,
            csrs::MCOUNTINHIBIT => self.inhibit = value & 5,
            csrs::MSCRATCH => self.scratch = value,
            csrs::MEPC => self.epc = value & !3,
            csrs::MCAUSE => self.cause = value & (INTERRUPT | 31),
            csrs::MTVAL => self.value = value,
            csrs::MINSTRET => {
                self.written[0] = true;
                self.instructions = self.instructions & !0xffff_ffff | u64::from(value);
            }
            csrs::MINSTRETH => {
                self.written[1] = true;
                self.instructions = self.instructions & 0xffff_ffff | u64::from(value) << 32;
            }
            _ => {}
        }
    }
}
