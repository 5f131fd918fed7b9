//! A reference machine that follows the hart: it executes every instruction by itself and compares
//! what it did with what the retirement port shows.
//!
//! From the port it takes only what no program decides: that an interrupt is taken now, what a
//! device or a clock answers. It shares no code with the hart, the replayer or their decoders.

use super::follow_alu::{arithmetic, modified, offset_b, offset_j, sign, taken};
use super::follow_csr::Csrs;
use lookback_log_format::retire::lanes;
use lookback_log_format::Retire;

/// Where hart and reference part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub what: &'static str,
    /// What the reference says.
    pub expected: u32,
    /// What the port shows.
    pub found: u32,
}

/// A mistake built in on purpose, to see that the comparison finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// `mulhsu` takes its second operand as signed.
    Mulhsu,
    /// `sra` fills with zeros.
    Sra,
    /// `lh` does not extend the sign.
    Lh,
    /// `mret` keeps MPP.
    Mret,
    /// `sc.w` does not give the reservation up.
    Reservation,
}

/// A trap: cause and value.
pub(super) struct Trap(pub u32, pub u32);
pub(super) type Done<T> = Result<T, Trap>;

/// What an instruction did besides going on.
#[derive(Default)]
struct Effect {
    rd: u32,
    value: u32,
    addr: u32,
    rmask: u8,
    wmask: u8,
    rdata: u32,
    wdata: u32,
}

/// The reference machine.
pub struct Follower {
    /// RAM, in words.
    pub ram: Vec<u32>,
    base: u32,
    registers: [u32; 32],
    pc: u32,
    pub(super) csrs: Csrs,
    reservation: Option<u32>,
    flaw: Option<Flaw>,
    effect: Effect,
    /// there is neither PLIC nor GPIO nor DMA engine
    is_small: bool,
}

impl Follower {
    /// A machine after reset, with this RAM at this address.
    pub fn new(base: u32, ram: Vec<u32>, flaw: Option<Flaw>) -> Self {
        Self {
            ram,
            base,
            registers: [0; 32],
            pc: base,
            csrs: Csrs::default(),
            reservation: None,
            flaw,
            effect: Effect::default(),
            is_small: false,
        }
    }

    /// The SoC is the smallest one: it has neither PLIC nor GPIO nor DMA engine.
    pub fn set_small(&mut self, is_small: bool) {
        self.is_small = is_small;
    }

    /// A device of this SoC answers to such an access.
    fn answers(&self, addr: u32, size: u32) -> bool {
        let is_absent = matches!(addr, 0x1001_2000..=0x1001_3fff | 0x0c00_0000..=0x0fff_ffff);
        device(addr, size) && !(self.is_small && is_absent)
    }

    /// This is one of several harts, the one with this number.
    pub fn set_hart_id(&mut self, id: u32) {
        self.csrs.among_several = Some(id);
    }

    /// Executes the next instruction and compares it with the port.
    pub fn follow(&mut self, port: &Retire) -> Result<(), Difference> {
        self.csrs.begin();
        if port.intr {
            self.pc = self.csrs.interrupt(self.pc, port.pc_rdata)?;
            self.reservation = None;
        } else {
            self.csrs.no_interrupt()?;
        }
        same("pc", self.pc, port.pc_rdata)?;
        same("mode", self.csrs.mode, port.mode.into())?;
        self.effect = Effect::default();
        let fetched = self.word(self.pc).ok_or(Trap(1, self.pc));
        let insn = *fetched.as_ref().unwrap_or(&0);
        same("instruction word", insn, port.insn)?;
        let sources = (insn >> 15 & 31, insn >> 20 & 31);
        let (a, b) = (self.x(sources.0), self.x(sources.1));
        same("rs1 number", sources.0, port.rs1_addr.into())?;
        same("rs2 number", sources.1, port.rs2_addr.into())?;
        same("rs1", a, port.rs1_rdata)?;
        same("rs2", b, port.rs2_rdata)?;
        let done = fetched.and_then(|insn| self.execute(insn, a, b, port));
        let next = match done {
            Ok(next) => {
                same("trap", 0, port.trap.into())?;
                self.csrs.count_instruction();
                next
            }
            Err(Trap(cause, value)) => {
                same("trap", 1, port.trap.into())?;
                self.effect = Effect::default();
                self.reservation = None;
                self.csrs.enter(self.pc, cause, value)
            }
        };
        self.compare(port)?;
        same("next pc", next, port.pc_wdata)?;
        let Effect { rd, value, .. } = self.effect;
        if rd != 0 {
            self.registers[rd as usize] = value;
        }
        self.pc = next;
        Ok(())
    }

    /// The reservation was lost for a reason that is shown later.
    pub fn lose_reservation(&mut self) {
        self.reservation = None;
    }

    /// Somebody else writes a word of RAM, after everything that has retired.
    pub fn snoop(&mut self, addr: u32, word: u32) {
        let offset = addr.wrapping_sub(self.base) / 4;
        if let Some(own) = self.ram.get_mut(offset as usize) {
            *own = word;
        }
        if self.reservation == Some(addr) {
            self.reservation = None;
        }
    }

    fn compare(&self, port: &Retire) -> Result<(), Difference> {
        let effect = &self.effect;
        let value = if effect.rd == 0 { 0 } else { effect.value };
        same("rd number", effect.rd, port.rd_addr.into())?;
        same("rd", value, port.rd_wdata)?;
        same("bytes read", effect.rmask.into(), port.mem_rmask.into())?;
        same("bytes written", effect.wmask.into(), port.mem_wmask.into())?;
        if effect.rmask | effect.wmask != 0 {
            same("memory address", effect.addr & !3, port.mem_addr)?;
        }
        let read = lanes(effect.rmask);
        same("memory read", effect.rdata & read, port.mem_rdata & read)?;
        let written = lanes(effect.wmask);
        same(
            "memory written",
            effect.wdata & written,
            port.mem_wdata & written,
        )
    }

    fn x(&self, register: u32) -> u32 {
        self.registers[register as usize]
    }

    fn word(&self, addr: u32) -> Option<u32> {
        let offset = addr.wrapping_sub(self.base) / 4;
        self.ram.get(offset as usize).copied()
    }

    /// Executes a word with its two operands and gives the next pc.
    fn execute(&mut self, w: u32, a: u32, b: u32, port: &Retire) -> Done<u32> {
        let (rd, f3, f7) = (w >> 7 & 31, w >> 12 & 7, w >> 25);
        let (pc, next) = (self.pc, self.pc.wrapping_add(4));
        let imm = sign(w >> 20, 12);
        let shift = f3 == 1 || f3 == 5;
        let illegal = Err(Trap(2, w));
        match w & 0x7f {
            0x37 => self.put(rd, w & !0xfff),
            0x17 => self.put(rd, pc.wrapping_add(w & !0xfff)),
            0x6f => return self.jump(rd, pc.wrapping_add(offset_j(w))),
            0x67 if f3 == 0 => return self.jump(rd, a.wrapping_add(imm) & !1),
            0x63 => match taken(f3, a, b) {
                None => return illegal,
                Some(false) => {}
                Some(true) => return self.jump(0, pc.wrapping_add(offset_b(w))),
            },
            0x03 if f3 != 3 && f3 < 6 => {
                let value = self.load(a.wrapping_add(imm), f3, port)?;
                self.put(rd, value);
            }
            0x23 if f3 < 3 => {
                let offset = sign(f7 << 5 | rd, 12);
                self.store(a.wrapping_add(offset), f3, b)?;
            }
            0x13 if !shift || f7 == 0 => self.put(rd, arithmetic(f3, a, imm)),
            0x13 if f3 == 5 && f7 == 0x20 => self.put(rd, (a as i32 >> (imm & 31)) as u32),
            0x33 if f7 == 0 => self.put(rd, arithmetic(f3, a, b)),
            0x33 if f7 == 0x20 && f3 == 0 => self.put(rd, a.wrapping_sub(b)),
            0x33 if f7 == 0x20 && f3 == 5 => {
                let filled = self.flaw != Some(Flaw::Sra);
                let shifted = (a as i32 >> (b & 31)) as u32;
                self.put(rd, if filled { shifted } else { a >> (b & 31) });
            }
            0x33 if f7 == 1 => self.put(rd, self.multiply(f3, a, b)),
            0x0f if f3 < 2 => {}
            0x2f if f3 == 2 => {
                let value = self.atomic(w, a, b, port)?;
                self.put(rd, value);
            }
            0x73 if f3 == 0 => return self.privileged(w),
            0x73 if f3 != 4 => {
                let value = self.csrs.access(w, a, port.rd_wdata)?;
                self.put(rd, value);
            }
            _ => return illegal,
        }
        Ok(next)
    }

    fn put(&mut self, rd: u32, value: u32) {
        (self.effect.rd, self.effect.value) = (rd, value);
    }

    fn jump(&mut self, rd: u32, target: u32) -> Done<u32> {
        if target & 3 != 0 {
            return Err(Trap(0, target));
        }
        self.put(rd, self.pc.wrapping_add(4));
        Ok(target)
    }

    fn privileged(&mut self, w: u32) -> Done<u32> {
        let machine = self.csrs.mode == 3;
        match w {
            0x0000_0073 => Err(Trap(if machine { 11 } else { 8 }, 0)),
            0x0010_0073 => Err(Trap(3, 0)),
            0x3020_0073 if machine => Ok(self.csrs.leave(self.flaw == Some(Flaw::Mret))),
            0x1050_0073 if machine || !self.csrs.wait_traps() => Ok(self.pc.wrapping_add(4)),
            _ => Err(Trap(2, w)),
        }
    }

    fn load(&mut self, addr: u32, f3: u32, port: &Retire) -> Done<u32> {
        let size = 1 << (f3 & 3);
        let value = self.read(addr, size, port, (4, 5))?;
        let signed = f3 < 4 && !(f3 == 1 && self.flaw == Some(Flaw::Lh));
        Ok(if signed { sign(value, 8 * size) } else { value })
    }

    /// Reads bytes; the causes are for a misaligned address and for one where nothing answers.
    fn read(&mut self, addr: u32, size: u32, port: &Retire, causes: (u32, u32)) -> Done<u32> {
        if addr % size != 0 {
            return Err(Trap(causes.0, addr));
        }
        let word = match self.word(addr) {
            Some(word) => word,
            None if self.answers(addr, size) => port.mem_rdata,
            None => return Err(Trap(causes.1, addr)),
        };
        let lane = addr & 3;
        self.effect.addr = addr;
        self.effect.rmask = ((1u8 << size) - 1) << lane;
        self.effect.rdata = word;
        Ok(word >> (8 * lane) & u32::MAX >> (32 - 8 * size))
    }

    fn store(&mut self, addr: u32, f3: u32, value: u32) -> Done<()> {
        let size = 1 << f3;
        if addr % size != 0 {
            return Err(Trap(6, addr));
        }
        let lane = addr & 3;
        let mask = ((1u8 << size) - 1) << lane;
        let data = value << (8 * lane);
        let offset = addr.wrapping_sub(self.base) / 4;
        if let Some(word) = self.ram.get_mut(offset as usize) {
            *word = *word & !lanes(mask) | data & lanes(mask);
        } else if !self.answers(addr, size) {
            return Err(Trap(7, addr));
        } else if addr == 0x0200_0000 {
            self.csrs.set_software(value & 1 == 1);
        }
        self.effect.addr = addr;
        self.effect.wmask = mask;
        self.effect.wdata = data;
        Ok(())
    }

    fn atomic(&mut self, w: u32, addr: u32, b: u32, port: &Retire) -> Done<u32> {
        match w >> 27 {
            2 if w >> 20 & 31 == 0 => {
                let value = self.read(addr, 4, port, (4, 5))?;
                self.reservation = Some(addr);
                Ok(value)
            }
            3 => {
                if addr & 3 != 0 {
                    return Err(Trap(6, addr));
                }
                let held = self.reservation == Some(addr);
                if self.flaw != Some(Flaw::Reservation) {
                    self.reservation = None;
                }
                if held {
                    self.store(addr, 2, b)?;
                }
                Ok(u32::from(!held))
            }
            0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28 => {
                let old = self.read(addr, 4, port, (6, 7))?;
                self.store(addr, 2, modified(w >> 27, old, b))?;
                Ok(old)
            }
            _ => Err(Trap(2, w)),
        }
    }

    fn multiply(&self, f3: u32, a: u32, b: u32) -> u32 {
        let (sa, sb) = (i64::from(a as i32), i64::from(b as i32));
        let (ua, ub) = (u64::from(a), u64::from(b));
        let mixed = if self.flaw == Some(Flaw::Mulhsu) {
            sa * sb
        } else {
            sa * i64::from(b)
        };
        match f3 {
            0 => a.wrapping_mul(b),
            1 => ((sa * sb) >> 32) as u32,
            2 => (mixed >> 32) as u32,
            3 => ((ua * ub) >> 32) as u32,
            4 if b == 0 => u32::MAX,
            4 => (sa / sb) as u32,
            5 => ua.checked_div(ub).map_or(u32::MAX, |q| q as u32),
            6 if b == 0 => a,
            6 => (sa % sb) as u32,
            _ => ua.checked_rem(ub).map_or(a, |r| r as u32),
        }
    }
}

pub(super) fn same(what: &'static str, expected: u32, found: u32) -> Result<(), Difference> {
    if expected == found {
        return Ok(());
    }
    Err(Difference {
        what,
        expected,
        found,
    })
}

/// Whether a device answers at an address that is not RAM, to an access of this size.
pub fn device(addr: u32, size: u32) -> bool {
    match addr {
        0x0010_0000..=0x0010_0fff => addr & 3 == 0 && size >= 2,
        0x1000_0000..=0x1000_0007 | 0x1000_1000..=0x1000_8fff => true,
        0x1001_2000..=0x1001_3fff | 0x0200_0000..=0x0200_ffff | 0x0c00_0000..=0x0fff_ffff => {
            size == 4
        }
        _ => false,
    }
}
