//! A plain functional simulator of the board: an independent producer of retirement streams. It
//! shares no code with the replayer: instructions are taken apart here once more, bit by bit.

use lookback_log_format::{isa, Retire};
use std::collections::VecDeque;

pub const RAM_BASE: u32 = 0x8000_0000;
const LOCKUP: u32 = 0xdead_0000;

/// What a recorder would see.
pub enum Event {
    Retire(Retire, u64),
    Snoop(u32, u8),
}

struct Trap(u32, u32);

type Done<T> = Result<T, Trap>;

#[derive(Default)]
struct Dma {
    source: u32,
    target: u32,
    length: u32,
    left: u32,
    interrupt: bool,
    done: bool,
    error: bool,
}

#[derive(Default)]
struct Csrs {
    mstatus: u32,
    mie: u32,
    mtvec: u32,
    mscratch: u32,
    mepc: u32,
    mcause: u32,
    mtval: u32,
    mcounteren: u32,
}

/// The hart and everything around it.
pub struct Reference {
    pub ram: Vec<u8>,
    pub console: Vec<u8>,
    pub input: VecDeque<u8>,
    pub finished: Option<u32>,
    /// How often the program is started once more instead of finishing, for longer runs.
    pub restarts: u32,
    /// The hart has the C extension.
    pub compressed: bool,
    pub cycle: u64,
    pub retired: u64,
    pub pc: u32,
    pub hart_id: u32,
    x: [u32; 32],
    mode: u8,
    csrs: Csrs,
    msip: bool,
    mtimecmp: u64,
    gpio: u32,
    dma: Dma,
    reservation: Option<u32>,
    trapped_at: Option<u32>,
    snoops: Vec<(u32, u8)>,
    access: Retire,
}

fn sign(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)) as i32 >> (32 - bits)) as u32
}

impl Reference {
    pub fn new(ram_bytes: usize, entry: u32) -> Self {
        Self {
            ram: vec![0; ram_bytes],
            console: Vec::new(),
            input: VecDeque::new(),
            finished: None,
            restarts: 0,
            compressed: false,
            cycle: 0,
            retired: 0,
            pc: entry,
            hart_id: 0,
            x: [0; 32],
            mode: 3,
            csrs: Csrs::default(),
            msip: false,
            mtimecmp: u64::MAX,
            gpio: 0,
            dma: Dma::default(),
            reservation: None,
            trapped_at: None,
            snoops: Vec::new(),
            access: Retire::default(),
        }
    }

    pub fn load(&mut self, addr: u32, bytes: &[u8]) {
        let at = (addr - RAM_BASE) as usize;
        self.ram[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Another hart stored a word, or a part of one.
    pub fn somebody_wrote(&mut self, addr: u32, data: u32) {
        if self.reservation == Some(addr) {
            self.reservation = None;
        }
        if addr == 0x0200_0000 + 4 * self.hart_id {
            self.msip = data & 1 == 1;
        }
    }

    /// Runs until the finisher is written, the hart locks up, or `limit` instructions retired.
    pub fn run(&mut self, limit: u64, mut sink: impl FnMut(Event)) {
        while self.finished.is_none() && self.retired < limit {
            let retire = self.step();
            sink(Event::Retire(retire, self.cycle));
            self.run_dma();
            if self.finished.is_some() && self.restarts > 0 {
                self.restarts -= 1;
                self.finished = None;
                self.pc = RAM_BASE;
            }
            for (addr, mask) in self.snoops.drain(..) {
                sink(Event::Snoop(addr, mask));
            }
        }
    }

    fn step(&mut self) -> Retire {
        self.cycle += 4;
        let pending = self.pending() & self.csrs.mie;
        let enabled = self.mode < 3 || self.csrs.mstatus & 8 != 0;
        let intr = pending != 0 && enabled;
        if intr {
            let cause = [11, 3, 7].into_iter().find(|c| pending >> c & 1 == 1);
            self.pc = self.enter_trap(1 << 31 | cause.unwrap_or(7), 0);
        }
        let (pc, mode) = (self.pc, self.mode);
        self.access = Retire::default();
        let fetched = self.fetch();
        let insn = *fetched.as_ref().unwrap_or(&0);
        let full = if self.compressed {
            isa::expand(insn)
        } else {
            insn
        };
        let (rs1, rs2) = (full >> 15 & 31, full >> 20 & 31);
        let sources = (self.x[rs1 as usize], self.x[rs2 as usize]);
        let executed = match fetched {
            Ok(_) => self.execute(full, if full == insn { 4 } else { 2 }),
            Err(trap) => Err(trap),
        };
        let mut retire = Retire {
            order: self.retired,
            insn,
            intr,
            mode,
            rs1_addr: rs1 as u8,
            rs2_addr: rs2 as u8,
            rs1_rdata: sources.0,
            rs2_rdata: sources.1,
            pc_rdata: pc,
            ..self.access
        };
        match executed {
            Ok((next, rd, value)) => {
                if rd != 0 {
                    self.x[rd as usize] = value;
                    (retire.rd_addr, retire.rd_wdata) = (rd as u8, value);
                }
                self.pc = next;
                self.trapped_at = None;
            }
            Err(Trap(cause, value)) => {
                retire.trap = true;
                (retire.mem_addr, retire.mem_rmask, retire.mem_wmask) = (0, 0, 0);
                if self.trapped_at == Some(pc) {
                    self.finished = Some(LOCKUP);
                }
                self.trapped_at = Some(pc);
                self.pc = self.enter_trap(cause, value);
            }
        }
        retire.pc_wdata = self.pc;
        self.retired += 1;
        retire
    }

    fn pending(&self) -> u32 {
        u32::from(self.msip) << 3
            | u32::from(self.cycle >= self.mtimecmp) << 7
            | u32::from(self.dma.done && self.dma.interrupt) << 11
    }

    fn enter_trap(&mut self, cause: u32, value: u32) -> u32 {
        let csrs = &mut self.csrs;
        (csrs.mepc, csrs.mcause, csrs.mtval) = (self.pc, cause, value);
        let mie = csrs.mstatus >> 3 & 1;
        csrs.mstatus = csrs.mstatus & !0x1888 | mie << 7 | u32::from(self.mode) << 11;
        self.mode = 3;
        self.reservation = None;
        let vector = csrs.mtvec & !3;
        match cause >> 31 & csrs.mtvec & 1 {
            1 => vector + 4 * (cause & 0x7fff_ffff),
            _ => vector,
        }
    }

    fn aligned(&self, target: u32) -> Done<u32> {
        if target & 3 == 0 || self.compressed {
            Ok(target)
        } else {
            Err(Trap(0, target))
        }
    }

    fn fetch(&mut self) -> Done<u32> {
        let at = self.pc.wrapping_sub(RAM_BASE) as usize;
        let bytes = self.ram.get(at..at.saturating_add(4));
        let bytes = bytes.ok_or(Trap(1, self.pc))?;
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        match self.compressed && word & 3 != 3 {
            true => Ok(word & 0xffff),
            false => Ok(word),
        }
    }

    /// Next pc, destination register, its value.
    fn execute(&mut self, w: u32, size: u32) -> Done<(u32, u32, u32)> {
        let pc = self.pc;
        let (rd, f3, f7) = (w >> 7 & 31, w >> 12 & 7, w >> 25);
        let (a, b) = (
            self.x[(w >> 15 & 31) as usize],
            self.x[(w >> 20 & 31) as usize],
        );
        let (i, next) = (sign(w >> 20, 12), pc.wrapping_add(size));
        let s = sign(f7 << 5 | rd, 12);
        let illegal = Err(Trap(2, w));
        Ok(match w & 0x7f {
            0x37 => (next, rd, w & !0xfff),
            0x17 => (next, rd, pc.wrapping_add(w & !0xfff)),
            0x6f => {
                let j = w >> 31 << 20 | w >> 12 << 12 & 0xf_f000 | w >> 20 << 11 & 0x800;
                let target = pc.wrapping_add(sign(j | w >> 20 & 0x7fe, 21));
                (self.aligned(target)?, rd, next)
            }
            0x67 if f3 == 0 => (self.aligned(a.wrapping_add(i) & !1)?, rd, next),
            0x63 => {
                let taken = match f3 {
                    0 => a == b,
                    1 => a != b,
                    4 => (a as i32) < b as i32,
                    5 => a as i32 >= b as i32,
                    6 => a < b,
                    7 => a >= b,
                    _ => return illegal,
                };
                let o = w >> 31 << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 | w >> 7 & 0x1e;
                let target = pc.wrapping_add(sign(o, 13));
                (if taken { self.aligned(target)? } else { next }, 0, 0)
            }
            0x03 if f3 != 3 && f3 < 6 => {
                let size = 1 << (f3 & 3);
                let value = self.read(a.wrapping_add(i), size)?;
                let extended = if f3 < 4 { sign(value, 8 * size) } else { value };
                (next, rd, extended)
            }
            0x23 if f3 < 3 => {
                self.write(a.wrapping_add(s), 1 << f3, b)?;
                (next, 0, 0)
            }
            0x13 if !matches!(f3, 1 | 5) => (next, rd, arithmetic(f3, a, i)),
            0x13 if f7 == 0 => (next, rd, arithmetic(f3, a, i & 31)),
            0x13 if f7 == 32 && f3 == 5 => (next, rd, (a as i32 >> (i & 31)) as u32),
            0x33 if f7 == 0 => (next, rd, arithmetic(f3, a, b)),
            0x33 if f7 == 1 => (next, rd, multiply(f3, a, b)),
            0x33 if f7 == 32 && f3 == 0 => (next, rd, a.wrapping_sub(b)),
            0x33 if f7 == 32 && f3 == 5 => (next, rd, (a as i32 >> (b & 31)) as u32),
            0x0f if f3 < 2 => (next, 0, 0),
            0x2f if f3 == 2 => (next, rd, self.atomic(w, a, b)?),
            0x73 if f3 == 0 => (self.privileged(w)?, 0, 0),
            0x73 if f3 != 4 => (next, rd, self.csr(w, f3, a)?),
            _ => return illegal,
        })
    }

    fn privileged(&mut self, w: u32) -> Done<u32> {
        match w {
            0x73 => Err(Trap(if self.mode == 3 { 11 } else { 8 }, 0)),
            0x0010_0073 => Err(Trap(3, self.pc)),
            0x3020_0073 if self.mode == 3 => {
                let status = self.csrs.mstatus;
                self.mode = (status >> 11 & 3) as u8;
                self.csrs.mstatus = status & !0x1888 | (status >> 7 & 1) << 3 | 0x80;
                self.reservation = None;
                Ok(self.csrs.mepc)
            }
            0x1050_0073 => {
                // Sleeps until something it waits for happens, at the latest the timer.
                if self.pending() & self.csrs.mie == 0 && self.dma.left == 0 {
                    let timer = self.csrs.mie >> 7 & 1 == 1 && self.mtimecmp != u64::MAX;
                    self.cycle = if timer {
                        self.mtimecmp
                    } else {
                        self.cycle + 100
                    };
                }
                Ok(self.pc + 4)
            }
            _ => Err(Trap(2, w)),
        }
    }

    fn csr(&mut self, w: u32, f3: u32, a: u32) -> Done<u32> {
        let (number, field) = (w >> 20, w >> 15 & 31);
        let illegal = || Trap(2, w);
        let writes = f3 & 3 == 1 || field != 0;
        if u32::from(self.mode) < number >> 8 & 3 || (writes && number >> 10 == 3) {
            return Err(illegal());
        }
        let old = self.csr_value(number).ok_or_else(illegal)?;
        let operand = if f3 & 4 != 0 { field } else { a };
        let new = match f3 & 3 {
            1 => operand,
            2 => old | operand,
            _ => old & !operand,
        };
        if writes {
            self.set_csr(number, new);
        }
        Ok(old)
    }

    fn csr_value(&self, number: u32) -> Option<u32> {
        let csrs = &self.csrs;
        Some(match number {
            0x300 => csrs.mstatus,
            0x301 => 0x4010_1101,
            0x304 => csrs.mie,
            0x305 => csrs.mtvec,
            0x306 => csrs.mcounteren,
            0x310 | 0x320 | 0x323..=0x33f => 0,
            0x340 => csrs.mscratch,
            0x341 => csrs.mepc,
            0x342 => csrs.mcause,
            0x343 => csrs.mtval,
            0x344 => self.pending(),
            0xf14 => self.hart_id,
            0x3a0..=0x3ef | 0xb03..=0xb1f | 0xb83..=0xb9f | 0xf11..=0xf15 => 0,
            0xb00 => self.cycle as u32,
            0xb80 => (self.cycle >> 32) as u32,
            0xb02 => self.retired as u32,
            0xb82 => (self.retired >> 32) as u32,
            0xc00..=0xc02 | 0xc80..=0xc82 => {
                if self.mode == 0 && csrs.mcounteren >> (number & 31) & 1 == 0 {
                    return None;
                }
                let count = if number & 31 == 2 {
                    self.retired
                } else {
                    self.cycle
                };
                (count >> (number >> 2 & 32)) as u32
            }
            _ => return None,
        })
    }

    fn set_csr(&mut self, number: u32, value: u32) {
        let csrs = &mut self.csrs;
        match number {
            0x300 => {
                let mpp = if value >> 11 & 3 == 3 { 0x1800 } else { 0 };
                csrs.mstatus = value & 0x88 | mpp;
            }
            0x304 => csrs.mie = value & 0x888,
            0x305 => csrs.mtvec = value & !2,
            0x306 => csrs.mcounteren = value & 7,
            0x340 => csrs.mscratch = value,
            0x341 => csrs.mepc = value & if self.compressed { !1 } else { !3 },
            0x342 => csrs.mcause = value,
            0x343 => csrs.mtval = value,
            _ => {}
        }
    }

    fn atomic(&mut self, w: u32, addr: u32, b: u32) -> Done<u32> {
        let fault = |cause| Err(Trap(cause, addr));
        let in_ram = (addr.wrapping_sub(RAM_BASE) as usize) < self.ram.len();
        let operation = w >> 27;
        let load = operation == 2;
        if addr & 3 != 0 {
            return fault(if load { 4 } else { 6 });
        }
        if !in_ram {
            return fault(if load { 5 } else { 7 });
        }
        if load {
            if w >> 20 & 31 != 0 {
                return Err(Trap(2, w));
            }
            self.reservation = Some(addr);
            return self.read(addr, 4);
        }
        if operation == 3 {
            let held = self.reservation.take() == Some(addr);
            if held {
                self.write(addr, 4, b)?;
            }
            return Ok(u32::from(!held));
        }
        let known = matches!(operation, 0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28);
        if !known {
            return Err(Trap(2, w));
        }
        let old = self.read(addr, 4)?;
        let (so, sb) = (old as i32, b as i32);
        let new = match operation {
            0 => old.wrapping_add(b),
            1 => b,
            4 => old ^ b,
            8 => old | b,
            12 => old & b,
            16 => so.min(sb) as u32,
            20 => so.max(sb) as u32,
            24 => old.min(b),
            _ => old.max(b),
        };
        self.write(addr, 4, new)?;
        Ok(old)
    }

    fn read(&mut self, addr: u32, size: u32) -> Done<u32> {
        if addr % size != 0 {
            return Err(Trap(4, addr));
        }
        let mask = ((1u8 << size) - 1) << (addr & 3);
        let at = addr.wrapping_sub(RAM_BASE) as usize;
        let value = if at < self.ram.len() {
            let mut word = [0; 4];
            word[..size as usize].copy_from_slice(&self.ram[at..at + size as usize]);
            u32::from_le_bytes(word)
        } else {
            let word = self.device_read(addr).ok_or(Trap(5, addr))?;
            word & u32::MAX >> (32 - 8 * size)
        };
        self.access.mem_addr = addr & !3;
        self.access.mem_rmask = mask;
        self.access.mem_rdata = value << (8 * (addr & 3));
        Ok(value)
    }

    fn write(&mut self, addr: u32, size: u32, value: u32) -> Done<()> {
        if addr % size != 0 {
            return Err(Trap(6, addr));
        }
        let at = addr.wrapping_sub(RAM_BASE) as usize;
        if at < self.ram.len() {
            self.ram[at..at + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        } else {
            self.device_write(addr, value).ok_or(Trap(7, addr))?;
        }
        self.access.mem_addr = addr & !3;
        self.access.mem_wmask = ((1u8 << size) - 1) << (addr & 3);
        self.access.mem_wdata = value << (8 * (addr & 3));
        Ok(())
    }

    fn device_read(&mut self, addr: u32) -> Option<u32> {
        Some(match addr {
            0x0010_0000 => 0,
            0x0200_0000..=0x0200_000c if addr == 0x0200_0000 + 4 * self.hart_id => self.msip.into(),
            0x0200_4000 => self.mtimecmp as u32,
            0x0200_4004 => (self.mtimecmp >> 32) as u32,
            0x0200_bff8 => self.cycle as u32,
            0x0200_bffc => (self.cycle >> 32) as u32,
            0x1000_0000 => self.input.pop_front().unwrap_or(0).into(),
            0x1000_0005 => 0x60 | u32::from(!self.input.is_empty()),
            0x1000_0001..=0x1000_0007 => 0,
            0x1001_2000 => self.gpio,
            0x1001_2004 => 0,
            0x1001_3000 => self.dma.source,
            0x1001_3004 => self.dma.target,
            0x1001_3008 => self.dma.length,
            0x1001_300c => u32::from(self.dma.interrupt) << 1,
            0x1001_3010 => {
                let dma = &self.dma;
                let flags = [dma.left > 0, dma.done, dma.error];
                (0..)
                    .zip(flags)
                    .map(|(bit, flag)| u32::from(flag) << bit)
                    .sum()
            }
            _ => return None,
        })
    }

    fn device_write(&mut self, addr: u32, value: u32) -> Option<()> {
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        match addr {
            0x0010_0000 if value & 0xffff == 0x5555 => self.finished = Some(0x5555),
            0x0010_0000 if value & 0xffff == 0x3333 => self.finished = Some(value),
            0x0010_0000 => {}
            0x0200_0000..=0x0200_000c if addr & 3 == 0 => {
                // That of another hart hears of it by itself.
                if addr == 0x0200_0000 + 4 * self.hart_id {
                    self.msip = value & 1 == 1;
                }
            }
            0x0200_4000 => self.mtimecmp = low(self.mtimecmp),
            0x0200_4004 => self.mtimecmp = high(self.mtimecmp),
            0x1000_0000 => self.console.push(value as u8),
            0x1000_0001..=0x1000_0007 => {}
            0x1001_2000 => self.gpio = value,
            0x1001_3000 => self.dma.source = value,
            0x1001_3004 => self.dma.target = value,
            0x1001_3008 => self.dma.length = value,
            0x1001_300c => {
                self.dma.interrupt = value & 2 != 0;
                if value & 1 == 1 {
                    self.dma.left = self.dma.length;
                    self.dma.done = self.dma.left == 0;
                    self.dma.error = false;
                }
            }
            0x1001_3010 => self.dma.done &= value & 2 == 0,
            _ => return None,
        }
        Some(())
    }

    /// Moves a word every other instruction, so that the hart sees buffers half overwritten.
    fn run_dma(&mut self) {
        let dma = &mut self.dma;
        if dma.left == 0 || self.retired % 2 == 0 {
            return;
        }
        let from = dma.source.wrapping_sub(RAM_BASE) as usize;
        let to = dma.target.wrapping_sub(RAM_BASE) as usize;
        let size = dma.left.min(4) as usize;
        if from.max(to) >= self.ram.len() {
            (dma.left, dma.done, dma.error) = (0, true, true);
            return;
        }
        self.ram.copy_within(from..from + size, to);
        self.snoops.push((dma.target, ((1u16 << size) - 1) as u8));
        if self.reservation == Some(dma.target) {
            self.reservation = None;
        }
        dma.source += 4;
        dma.target += 4;
        dma.left -= size as u32;
        dma.done |= dma.left == 0;
    }
}

fn arithmetic(f3: u32, a: u32, b: u32) -> u32 {
    match f3 {
        0 => a.wrapping_add(b),
        1 => a << (b & 31),
        2 => u32::from((a as i32) < b as i32),
        3 => u32::from(a < b),
        4 => a ^ b,
        5 => a >> (b & 31),
        6 => a | b,
        _ => a & b,
    }
}

fn multiply(f3: u32, a: u32, b: u32) -> u32 {
    let (sa, sb) = (i128::from(a as i32), i128::from(b as i32));
    let (ua, ub) = (i128::from(a), i128::from(b));
    let result = match f3 {
        0 => ua * ub,
        1 => (sa * sb) >> 32,
        2 => (sa * ub) >> 32,
        3 => (ua * ub) >> 32,
        4 => sa.checked_div(sb).unwrap_or(-1),
        5 => ua.checked_div(ub).unwrap_or(-1),
        6 => sa.checked_rem(sb).unwrap_or(sa),
        _ => ua.checked_rem(ub).unwrap_or(ua),
    };
    result as u32
}
