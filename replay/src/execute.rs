//! The instructions of RV32IMA, Zicsr and Zifencei, executed from memory and log.
//!
//! This loop is what makes `verify` fast: pc, position and digest live in registers of the host,
//! and everything that most instructions do not need is elsewhere.

use crate::decode::{decode, Op};
use crate::machine::{Before, Machine, Pause};
use crate::memory::executable;
use crate::step::{Entered, Observer, Step};
use crate::What;

/// The memory access of an instruction, in lanes.
#[derive(Clone, Copy, Default)]
struct Access {
    addr: u32,
    rmask: u8,
    rdata: u32,
    wmask: u8,
    wdata: u32,
    logged: bool,
}

impl Access {
    const NONE: Self = Self {
        addr: 0,
        rmask: 0,
        rdata: 0,
        wmask: 0,
        wdata: 0,
        logged: false,
    };
}

/// No page of any pc.
const NO_PAGE: u32 = u32::MAX;

impl<const TRACK: bool> Machine<'_, TRACK> {
    /// Executes from memory until `stop`, or until the log has something to say.
    pub(crate) fn execute<O: Observer>(
        &mut self,
        stop: u32,
        entered: Entered,
        observer: &mut O,
    ) -> Result<Pause, What> {
        self.execute_loop::<O, false>(stop, 0, entered, observer)
    }

    /// Executes one instruction of which the log has the word.
    pub(crate) fn execute_word<O: Observer>(
        &mut self,
        word: u32,
        entered: Entered,
        observer: &mut O,
    ) -> Result<Pause, What> {
        self.execute_loop::<O, true>(self.position + 1, word, entered, observer)
    }

    #[inline(always)]
    fn execute_loop<O: Observer, const FETCHED: bool>(
        &mut self,
        stop: u32,
        mut word: u32,
        mut entered: Entered,
        observer: &mut O,
    ) -> Result<Pause, What> {
        let mut limit = self.limit(stop);
        let (mut page, mut code_page) = (NO_PAGE, 0);
        let (mut pc, mut position, mut digest) = (self.pc, self.position, self.digest);
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(what) => break Err(what),
                }
            };
        }
        let ended = loop {
            if position >= limit {
                break Ok(Pause::Log);
            }
            let insn = if FETCHED {
                executable(word)
            } else {
                if pc >> 12 != page {
                    code_page = attempt!(self.memory.code_page(pc));
                    page = pc >> 12;
                }
                self.memory.decoded(code_page, pc)
            };
            if O::WATCHES && !FETCHED {
                // Before the instruction itself can overwrite it.
                word = attempt!(self.memory.code_word(pc));
            }
            let (a, b, imm) = (self.register(insn.rs1), self.register(insn.rs2), insn.imm);
            // The register write, memory access and next pc of an instruction: digest, step, and
            // on to the next one.
            macro_rules! retire {
                ($rd:expr, $value:expr, $access:expr, $next:expr) => {{
                    let (rd, value, access, next): (u8, u32, Access, u32) =
                        ($rd, $value, $access, $next);
                    let stored = if access.wmask == 0 { 0 } else { access.addr };
                    digest.step(pc, rd, value, stored, access.wmask, access.wdata);
                    if access.logged {
                        limit = self.limit(stop);
                    }
                    let mut stop_here = false;
                    if O::WATCHES {
                        let step = Step {
                            position,
                            retired: self.retired_at_start.wrapping_add(position.into()),
                            pc,
                            insn: word,
                            entered: std::mem::take(&mut entered),
                            rd,
                            rd_value: value,
                            next_pc: matches!(self.before, Before::Plain).then_some(next),
                            fetched: FETCHED,
                            ..watched(word, a, b, access)
                        };
                        stop_here = observer.step(&step).is_break();
                    }
                    pc = next;
                    position += 1;
                    if stop_here {
                        break Ok(Pause::Observer);
                    }
                }};
            }
            macro_rules! load {
                ($bytes:literal, $extend:expr) => {{
                    let access = attempt!(self.read::<$bytes>(a.wrapping_add(imm), position));
                    let raw = access.rdata >> (8 * (a.wrapping_add(imm) % 4));
                    let value = if insn.rd == 0 { 0 } else { $extend(raw) };
                    self.set_register(insn.rd, value);
                    retire!(insn.rd, value, access, pc.wrapping_add(4));
                }};
            }
            macro_rules! store {
                ($bytes:literal) => {{
                    let access = attempt!(self.write::<$bytes>(a.wrapping_add(imm), b));
                    retire!(0, 0, access, pc.wrapping_add(4));
                }};
            }
            macro_rules! jump {
                ($rd:expr, $target:expr) => {{
                    let target: u32 = $target;
                    if target % 4 != 0 {
                        break Err(What::Misaligned(target));
                    }
                    let value = if $rd == 0 { 0 } else { pc.wrapping_add(4) };
                    self.set_register($rd, value);
                    retire!($rd, value, Access::NONE, target);
                }};
            }
            macro_rules! branch {
                ($taken:expr) => {{
                    let target = pc.wrapping_add(if $taken { imm } else { 4 });
                    if target % 4 != 0 {
                        break Err(What::Misaligned(target));
                    }
                    retire!(0, 0, Access::NONE, target);
                }};
            }
            match insn.op {
                Op::Illegal if !FETCHED => {
                    let (insn, word) = attempt!(self.memory.decode(code_page, pc));
                    if insn.op == Op::Illegal {
                        break Err(What::NoTrap(word));
                    }
                }
                Op::Illegal => break Err(What::NoTrap(word)),
                Op::Lw => load!(4, |raw| raw),
                Op::Lb => load!(1, |raw| raw as u8 as i8 as u32),
                Op::Lh => load!(2, |raw| raw as u16 as i16 as u32),
                Op::Lbu => load!(1, |raw| raw as u8 as u32),
                Op::Lhu => load!(2, |raw| raw as u16 as u32),
                Op::Sw => store!(4),
                Op::Sb => store!(1),
                Op::Sh => store!(2),
                Op::Beq => branch!(a == b),
                Op::Bne => branch!(a != b),
                Op::Blt => branch!((a as i32) < b as i32),
                Op::Bge => branch!(a as i32 >= b as i32),
                Op::Bltu => branch!(a < b),
                Op::Bgeu => branch!(a >= b),
                Op::Jal => jump!(insn.rd, pc.wrapping_add(imm)),
                Op::Jalr => jump!(insn.rd, a.wrapping_add(imm) & !1),
                Op::Fence | Op::FenceI => retire!(0, 0, Access::NONE, pc.wrapping_add(4)),
                Op::Mret | Op::Wfi => {
                    let wait = insn.op == Op::Wfi;
                    self.before = if wait { Before::Wait } else { Before::Return };
                    // Only the log knows what comes next: it has to be asked.
                    limit = position;
                    retire!(0, 0, Access::NONE, pc.wrapping_add(4));
                }
                Op::Ecall => break Err(What::NoTrap(0x0000_0073)),
                Op::Ebreak => break Err(What::NoTrap(0x0010_0073)),
                op if op.is_csr() => {
                    let value = attempt!(self.logged_value(position, "a CSR"));
                    self.set_register(insn.rd, value);
                    let access = Access {
                        logged: true,
                        ..Access::NONE
                    };
                    retire!(insn.rd, value, access, pc.wrapping_add(4));
                }
                op if op == Op::LrW || op == Op::ScW || op.is_amo() => {
                    let (value, access) = attempt!(self.atomic(op, a, b, position));
                    let value = if insn.rd == 0 { 0 } else { value };
                    self.set_register(insn.rd, value);
                    retire!(insn.rd, value, access, pc.wrapping_add(4));
                }
                op => {
                    let value = compute(op, a, b, imm, pc);
                    self.set_register(insn.rd, value);
                    retire!(insn.rd, value, Access::NONE, pc.wrapping_add(4));
                }
            }
        };
        self.pc = pc;
        self.position = position;
        self.digest = digest;
        ended
    }

    #[inline(always)]
    fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number % 32)]
    }

    /// `value` is 0 for x0, which so stays 0.
    #[inline(always)]
    fn set_register(&mut self, number: u8, value: u32) {
        self.registers[usize::from(number % 32)] = value;
    }

    /// A memory read, from the log or from memory.
    #[inline(always)]
    fn read<const BYTES: u32>(&mut self, addr: u32, position: u32) -> Result<Access, What> {
        if addr % BYTES != 0 {
            return Err(What::Misaligned(addr));
        }
        let shift = 8 * (addr % 4);
        let width = u32::MAX >> (32 - 8 * BYTES);
        let mask = ((1u8 << BYTES) - 1) << (addr % 4);
        let mut access = Access {
            addr: addr & !3,
            rmask: mask,
            ..Access::NONE
        };
        if self.log.skip == 0 {
            access.logged = true;
            access.rdata = self.logged_read(addr, mask, width, position)?;
        } else {
            let word = self.memory.read(addr & !3, mask)?;
            access.rdata = word & (width << shift);
            self.log.pass(access.rdata >> shift);
        }
        Ok(access)
    }

    #[inline(never)]
    fn logged_read(&mut self, addr: u32, mask: u8, width: u32, position: u32) -> Result<u32, What> {
        let value = self.log.take_value(position)?;
        if value & !width != 0 {
            return Err(What::ValueTooWide(value));
        }
        let data = value << (8 * (addr % 4));
        self.memory.write(addr & !3, mask, data)?;
        Ok(data)
    }

    #[inline(always)]
    fn write<const BYTES: u32>(&mut self, addr: u32, value: u32) -> Result<Access, What> {
        if addr % BYTES != 0 {
            return Err(What::Misaligned(addr));
        }
        let width = u32::MAX >> (32 - 8 * BYTES);
        let access = Access {
            addr: addr & !3,
            wmask: ((1u8 << BYTES) - 1) << (addr % 4),
            wdata: (value & width) << (8 * (addr % 4)),
            ..Access::NONE
        };
        self.memory.write(access.addr, access.wmask, access.wdata)?;
        Ok(access)
    }

    /// The value of an operation that is always logged.
    fn logged_value(&mut self, position: u32, of: &'static str) -> Result<u32, What> {
        if self.log.skip != 0 {
            return Err(What::NotLogged(of));
        }
        self.log.take_value(position)
    }

    /// `lr.w`, `sc.w` and the AMOs: the value for the register and the access.
    #[inline(never)]
    fn atomic(&mut self, op: Op, addr: u32, b: u32, position: u32) -> Result<(u32, Access), What> {
        if addr % 4 != 0 {
            return Err(What::Misaligned(addr));
        }
        if op == Op::ScW {
            let failed = self.logged_value(position, "sc.w")?;
            let mut access = match failed {
                0 => self.write::<4>(addr, b)?,
                1 => Access::NONE,
                _ => return Err(What::ValueTooWide(failed)),
            };
            access.logged = true;
            return Ok((failed, access));
        }
        let mut access = self.read::<4>(addr, position)?;
        let old = access.rdata;
        if op != Op::LrW {
            let write = self.write::<4>(addr, combine(op, old, b))?;
            (access.wmask, access.wdata) = (write.wmask, write.wdata);
        }
        Ok((old, access))
    }
}

/// What an AMO writes.
fn combine(op: Op, old: u32, b: u32) -> u32 {
    match op {
        Op::AmoaddW => old.wrapping_add(b),
        Op::AmoxorW => old ^ b,
        Op::AmoandW => old & b,
        Op::AmoorW => old | b,
        Op::AmominW => (old as i32).min(b as i32) as u32,
        Op::AmomaxW => (old as i32).max(b as i32) as u32,
        Op::AmominuW => old.min(b),
        Op::AmomaxuW => old.max(b),
        // AmoswapW; no other operation comes here.
        _ => b,
    }
}

/// The instructions that only compute.
#[inline(always)]
fn compute(op: Op, a: u32, b: u32, imm: u32, pc: u32) -> u32 {
    let (sa, sb) = (a as i32, b as i32);
    match op {
        Op::Lui => imm,
        Op::Auipc => pc.wrapping_add(imm),
        Op::Addi => a.wrapping_add(imm),
        Op::Slti => (sa < imm as i32).into(),
        Op::Sltiu => (a < imm).into(),
        Op::Xori => a ^ imm,
        Op::Ori => a | imm,
        Op::Andi => a & imm,
        Op::Slli => a.wrapping_shl(imm),
        Op::Srli => a.wrapping_shr(imm),
        Op::Srai => sa.wrapping_shr(imm) as u32,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Sll => a.wrapping_shl(b),
        Op::Slt => (sa < sb).into(),
        Op::Sltu => (a < b).into(),
        Op::Xor => a ^ b,
        Op::Srl => a.wrapping_shr(b),
        Op::Sra => sa.wrapping_shr(b) as u32,
        Op::Or => a | b,
        Op::And => a & b,
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => ((i64::from(sa) * i64::from(sb)) >> 32) as u32,
        Op::Mulhsu => (i64::from(sa).wrapping_mul(i64::from(b)) >> 32) as u32,
        Op::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::Div if b == 0 => u32::MAX,
        Op::Div => sa.wrapping_div(sb) as u32,
        Op::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Op::Rem if b == 0 => a,
        Op::Rem => sa.wrapping_rem(sb) as u32,
        Op::Remu => a.checked_rem(b).unwrap_or(a),
        // All other operations have effects beyond a register and are executed above.
        _ => 0,
    }
}

/// The parts of a step that take some decoding again.
fn watched(word: u32, a: u32, b: u32, access: Access) -> Step {
    let insn = decode(word);
    Step {
        rs1_value: insn.source1().map_or(0, |_| a),
        rs2_value: insn.source2().map_or(0, |_| b),
        mem_addr: access.addr,
        mem_rmask: access.rmask,
        mem_rdata: access.rdata,
        mem_wmask: access.wmask,
        mem_wdata: access.wdata,
        logged: access.logged,
        ..Step::default()
    }
}
