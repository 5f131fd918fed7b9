//! The instructions of RV32IMA, Zicsr and Zifencei, executed from memory and log.
//!
//! This loop is what makes `verify` fast. The state that every instruction changes is kept apart
//! from the machine, so that it stays in registers of the host, and each kind of instruction ends
//! in its own inlined copy of `retire`, so that it pays only for what it does.

mod watched;

use crate::decode::{Insn, Op, MUL_DIV};
use crate::log::NEVER;
use crate::machine::{Before, Machine, Pause};
use crate::memory::NOT_WFI;
use crate::step::{Entered, Observer, Step};
use crate::What;
use lookback_log_format::Digest;

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
    /// No memory, but the log.
    const LOGGED: Self = Self {
        logged: true,
        ..Self::NONE
    };
}

/// What an instruction did, for its [`Step`].
#[derive(Clone, Copy, Default)]
struct Effect {
    rd: u8,
    value: u32,
    access: Access,
}

/// Where the loop is.
#[derive(Clone, Copy)]
struct Cursor {
    pc: u32,
    position: u32,
    digest: Digest,
    /// Where the caller wants to stop.
    stop: u32,
    /// Where the loop has to stop, for the caller or for the log.
    limit: u32,
    /// What the last instruction did, if somebody watches.
    effect: Effect,
}

/// Codec `compact`: what is known of the page that is executed.
#[derive(Clone, Copy)]
struct CodeCheck {
    page: u32,
    /// Of what the tags hold, when that was found out.
    version: u32,
    is_image: bool,
    /// The next instruction's word was asked for already.
    asked: bool,
}

impl Default for CodeCheck {
    fn default() -> Self {
        Self {
            page: NO_PAGE,
            version: 0,
            is_image: false,
            asked: false,
        }
    }
}

impl CodeCheck {
    /// The next instruction is another one.
    #[inline(always)]
    fn done(&mut self) {
        self.asked = false;
    }
}

/// Whether an access of so many bytes is not where the specification wants it.
#[inline(always)]
fn is_misaligned<const BYTES: u32>(addr: u32) -> bool {
    addr % BYTES != 0
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
        let mut at = self.cursor(stop);
        let ended = match (O::WATCHES, self.compact.enabled) {
            (true, false) => self.watched_loop::<O, false>(&mut at, entered, observer),
            (true, true) => self.watched_loop::<O, true>(&mut at, entered, observer),
            (false, false) => self.silent_loop::<false>(&mut at),
            (false, true) => self.silent_loop::<true>(&mut at),
        };
        self.leave_at(&at);
        ended
    }

    /// Executes one instruction, this word, which the log had if `fetched`.
    pub(crate) fn execute_word<O: Observer>(
        &mut self,
        word: u32,
        fetched: bool,
        entered: Entered,
        observer: &mut O,
    ) -> Result<Pause, What> {
        let insn = self.memory.executable(word);
        let mut at = self.cursor(NEVER);
        let step = match self.compact.enabled {
            true => self.watched::<true>(&mut at, insn, word, entered)?,
            false => self.watched::<false>(&mut at, insn, word, entered)?,
        };
        self.leave_at(&at);
        let step = Step { fetched, ..step };
        if O::WATCHES && observer.step(&step).is_break() {
            return Ok(Pause::Observer);
        }
        Ok(Pause::Log)
    }

    fn cursor(&self, stop: u32) -> Cursor {
        Cursor {
            pc: self.pc,
            position: self.position,
            digest: self.digest,
            stop,
            limit: self.limit(stop),
            effect: Effect::default(),
        }
    }

    fn leave_at(&mut self, at: &Cursor) {
        (self.pc, self.position, self.digest) = (at.pc, at.position, at.digest);
    }

    #[inline(always)]
    fn silent_loop<const COMPACT: bool>(&mut self, at: &mut Cursor) -> Result<Pause, What> {
        let (mut page, mut code_page) = (NO_PAGE, 0);
        let mut code = CodeCheck::default();
        while at.position < at.limit {
            if COMPACT && self.asks_for_word(at, &mut code)? {
                return Ok(Pause::Log);
            }
            if at.pc >> 12 != page {
                code_page = self.memory.code_page(at.pc)?;
                page = at.pc >> 12;
            }
            let mut insn = self.memory.decoded(code_page, at.pc);
            if insn.op == Op::Illegal {
                insn = self.memory.decode(code_page, at.pc)?;
            }
            code.done();
            self.instruction::<false, COMPACT>(at, insn)?;
        }
        Ok(Pause::Log)
    }

    /// Codec `compact`: the log is asked for the next instruction's word, unless its page is as the
    /// ELF has it. Whether the log had it; then it waits in [`crate::compact::Compact::fetched`].
    #[inline(always)]
    fn asks_for_word(&mut self, at: &Cursor, code: &mut CodeCheck) -> Result<bool, What> {
        if self.memory.compressed() {
            if code.asked || self.compact.has_halves(at.pc) {
                return Ok(false);
            }
            code.asked = true;
            self.compact.fetched = self.fetch_from_log(at.pc, at.position)?;
            return Ok(self.compact.fetched.is_some());
        }
        if at.pc >> 12 != code.page || self.compact.version != code.version {
            code.page = at.pc >> 12;
            code.version = self.compact.version;
            code.is_image = self.compact.page_is_image(at.pc);
        }
        if code.is_image || code.asked {
            return Ok(false);
        }
        if self.compact.is_like_last(at.pc) {
            return Ok(false);
        }
        code.asked = true;
        self.compact.fetched = self.fetch_from_log(at.pc, at.position)?;
        Ok(self.compact.fetched.is_some())
    }

    /// Executes one instruction.
    #[inline(always)]
    fn instruction<const WATCHED: bool, const COMPACT: bool>(
        &mut self,
        at: &mut Cursor,
        insn: Insn,
    ) -> Result<(), What> {
        if COMPACT && self.told >> (insn.rs1 % 32) & self.told >> (insn.rs2 % 32) & 1 == 0 {
            self.tell([insn.rs1, insn.rs2], at.position)?;
            at.limit = self.limit(at.stop);
        }
        let (a, b) = (self.register(insn.rs1), self.register(insn.rs2));
        let (rd, imm) = (insn.rd, insn.imm);
        let behind = at.pc.wrapping_add(insn.size());
        let addr = a.wrapping_add(imm);
        let (sa, sb) = (a as i32, b as i32);
        macro_rules! value {
            ($value:expr) => {{
                self.retire::<WATCHED, COMPACT>(at, rd, $value, Access::NONE, behind);
                Ok(())
            }};
        }
        macro_rules! load {
            ($bytes:literal, $extend:expr) => {{
                if is_misaligned::<$bytes>(addr) {
                    let (value, access) =
                        self.misaligned::<COMPACT>(addr, rd, at.position, at.pc)?;
                    self.retire::<WATCHED, COMPACT>(at, rd, value, access, behind);
                    return Ok(());
                }
                let access = self.read::<$bytes, COMPACT>(addr, at.position, at.pc)?;
                let value = $extend(access.rdata >> (8 * (addr % 4)));
                self.retire::<WATCHED, COMPACT>(at, rd, value, access, behind);
                Ok(())
            }};
        }
        macro_rules! store {
            ($bytes:literal) => {{
                let access = self.write::<$bytes, COMPACT>(addr, b)?;
                self.retire::<WATCHED, COMPACT>(at, 0, 0, access, behind);
                Ok(())
            }};
        }
        macro_rules! jump {
            ($rd:expr, $target:expr) => {{
                let target: u32 = $target;
                if self.memory.is_between(target) {
                    return Err(What::Misaligned(target));
                }
                self.retire::<WATCHED, COMPACT>(at, $rd, behind, Access::NONE, target);
                Ok(())
            }};
        }
        macro_rules! branch {
            ($taken:expr) => {
                jump!(
                    0,
                    if $taken {
                        at.pc.wrapping_add(imm)
                    } else {
                        behind
                    }
                )
            };
        }
        match insn.op {
            Op::Illegal | Op::Ecall | Op::Ebreak => Err(What::NoTrap(plain_system(insn.op))),
            Op::Lb => load!(1, |raw| raw as u8 as i8 as u32),
            Op::Lh => load!(2, |raw| raw as u16 as i16 as u32),
            Op::Lw => load!(4, |raw| raw),
            Op::Lbu => load!(1, |raw| raw as u8 as u32),
            Op::Lhu => load!(2, |raw| raw as u16 as u32),
            Op::Sb => store!(1),
            Op::Sh => store!(2),
            Op::Sw => store!(4),
            Op::Beq => branch!(a == b),
            Op::Bne => branch!(a != b),
            Op::Blt => branch!(sa < sb),
            Op::Bge => branch!(sa >= sb),
            Op::Bltu => branch!(a < b),
            Op::Bgeu => branch!(a >= b),
            Op::Jal => jump!(rd, at.pc.wrapping_add(imm)),
            Op::Jalr => jump!(rd, addr & !1),
            Op::Lui => value!(imm),
            Op::Auipc => value!(at.pc.wrapping_add(imm)),
            Op::Addi => value!(addr),
            Op::Slti => value!((sa < imm as i32).into()),
            Op::Sltiu => value!((a < imm).into()),
            Op::Xori => value!(a ^ imm),
            Op::Ori => value!(a | imm),
            Op::Andi => value!(a & imm),
            Op::Slli => value!(a.wrapping_shl(imm)),
            Op::Srli => value!(a.wrapping_shr(imm)),
            Op::Srai => value!(sa.wrapping_shr(imm) as u32),
            Op::Add => value!(a.wrapping_add(b)),
            Op::Sub => value!(a.wrapping_sub(b)),
            Op::Sll => value!(a.wrapping_shl(b)),
            Op::Slt => value!((sa < sb).into()),
            Op::Sltu => value!((a < b).into()),
            Op::Xor => value!(a ^ b),
            Op::Srl => value!(a.wrapping_shr(b)),
            Op::Sra => value!(sa.wrapping_shr(b) as u32),
            Op::Or => value!(a | b),
            Op::And => value!(a & b),
            Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => value!(multiply(insn.op, a, b)),
            Op::Div | Op::Divu | Op::Rem | Op::Remu => value!(divide(insn.op, a, b)),
            Op::Fence | Op::FenceI => {
                self.retire::<WATCHED, COMPACT>(at, 0, 0, Access::NONE, behind);
                Ok(())
            }
            _ => {
                let (value, access) = self.rare::<COMPACT>(insn, a, b, at.position, at.pc)?;
                self.retire::<WATCHED, COMPACT>(at, rd, value, access, behind);
                at.limit = self.limit(at.stop);
                Ok(())
            }
        }
    }

    /// The instructions that talk to the log, and those that are rare: the value for the register
    /// and the access.
    #[inline(never)]
    fn rare<const COMPACT: bool>(
        &mut self,
        insn: Insn,
        a: u32,
        b: u32,
        position: u32,
        pc: u32,
    ) -> Result<(u32, Access), What> {
        match insn.op {
            Op::Mret | Op::Wfi => {
                if COMPACT && insn.op == Op::Wfi && insn.imm != NOT_WFI {
                    self.compact.items.resume = pc.wrapping_add(4);
                }
                self.before = match insn.op {
                    Op::Wfi => Before::Wait,
                    _ => Before::Return,
                };
                Ok((0, Access::NONE))
            }
            // Without a destination it has been made a fence.
            op if op.is_csr() => {
                let value = self.logged_value::<COMPACT>(position, pc, "a CSR")?;
                Ok((value, Access::LOGGED))
            }
            Op::Opaque => {
                let value = self.logged_value::<COMPACT>(position, pc, "an opaque instruction")?;
                Ok((value, Access::LOGGED))
            }
            Op::Compared => {
                let core =
                    self.logged_value::<COMPACT>(position, pc, "a result that is compared")?;
                let replay = match MUL_DIV[insn.imm as usize % MUL_DIV.len()] {
                    op @ (Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu) => multiply(op, a, b),
                    op => divide(op, a, b),
                };
                if core == replay {
                    Ok((core, Access::LOGGED))
                } else {
                    Err(What::Result { core, replay })
                }
            }
            op => self.atomic::<COMPACT>(op, a, b, position, pc),
        }
    }

    /// A misaligned load that did not trap: of an attached core the log has the result.
    #[inline(never)]
    fn misaligned<const COMPACT: bool>(
        &mut self,
        addr: u32,
        rd: u8,
        position: u32,
        pc: u32,
    ) -> Result<(u32, Access), What> {
        if !self.memory.attached() {
            return Err(What::Misaligned(addr));
        }
        if rd == 0 {
            return Ok((0, Access::NONE));
        }
        let value = self.logged_value::<COMPACT>(position, pc, "a misaligned load")?;
        Ok((value, Access::LOGGED))
    }

    /// The end of every instruction that did not trap.
    #[inline(always)]
    fn retire<const WATCHED: bool, const COMPACT: bool>(
        &mut self,
        at: &mut Cursor,
        rd: u8,
        value: u32,
        access: Access,
        next: u32,
    ) {
        let value = if rd == 0 { 0 } else { value };
        self.registers[usize::from(rd % 32)] = value;
        if TRACK {
            self.written |= 1 << (rd % 32);
        }
        if COMPACT {
            self.told |= 1 << (rd % 32);
        }
        let stored = if access.wmask == 0 { 0 } else { access.addr };
        at.digest
            .step(at.pc, rd, value, stored, access.wmask, access.wdata);
        if access.logged {
            at.limit = self.limit(at.stop);
        }
        if WATCHED {
            at.effect = Effect { rd, value, access };
        }
        at.pc = next;
        at.position += 1;
    }

    #[inline(always)]
    fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number % 32)]
    }

    /// A memory read, from the log or from memory.
    #[inline(always)]
    fn read<const BYTES: u32, const COMPACT: bool>(
        &mut self,
        addr: u32,
        position: u32,
        pc: u32,
    ) -> Result<Access, What> {
        if is_misaligned::<BYTES>(addr) {
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
        if COMPACT {
            let (word, logged) = self.read_along((addr & !3, mask), position, pc)?;
            access.rdata = word & (width << shift);
            access.logged = logged || self.compact.items.escape_at == position;
        } else if self.log.skip == 0 {
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
    fn write<const BYTES: u32, const COMPACT: bool>(
        &mut self,
        addr: u32,
        value: u32,
    ) -> Result<Access, What> {
        if is_misaligned::<BYTES>(addr) {
            return Err(What::Misaligned(addr));
        }
        let width = u32::MAX >> (32 - 8 * BYTES);
        let access = Access {
            addr: addr & !3,
            wmask: ((1u8 << BYTES) - 1) << (addr % 4),
            wdata: (value & width) << (8 * (addr % 4)),
            ..Access::NONE
        };
        if COMPACT && self.memory.is_memory(addr) {
            self.compact.write(access.addr, access.wmask);
        }
        self.memory.write(access.addr, access.wmask, access.wdata)?;
        Ok(access)
    }

    /// The value of an operation that is always logged.
    fn logged_value<const COMPACT: bool>(
        &mut self,
        position: u32,
        pc: u32,
        of: &'static str,
    ) -> Result<u32, What> {
        if COMPACT {
            return self.result_along(position, pc);
        }
        if self.log.skip != 0 {
            return Err(What::NotLogged(of));
        }
        self.log.take_value(position)
    }

    /// `lr.w`, `sc.w` and the AMOs: the value for the register and the access.
    fn atomic<const COMPACT: bool>(
        &mut self,
        op: Op,
        addr: u32,
        b: u32,
        position: u32,
        pc: u32,
    ) -> Result<(u32, Access), What> {
        if addr % 4 != 0 {
            return Err(What::Misaligned(addr));
        }
        if op == Op::ScW {
            let failed = self.logged_value::<COMPACT>(position, pc, "sc.w")?;
            let mut access = match failed {
                0 => self.write::<4, COMPACT>(addr, b)?,
                1 => Access::NONE,
                _ => return Err(What::ValueTooWide(failed)),
            };
            access.logged = true;
            return Ok((failed, access));
        }
        let mut access = self.read::<4, COMPACT>(addr, position, pc)?;
        let old = access.rdata;
        if op != Op::LrW {
            let write = self.write::<4, COMPACT>(addr, combine(op, old, b))?;
            (access.wmask, access.wdata) = (write.wmask, write.wdata);
        }
        Ok((old, access))
    }
}

/// The word of an instruction that always traps, where the caller does not know it.
fn plain_system(op: Op) -> u32 {
    match op {
        Op::Ecall => 0x0000_0073,
        Op::Ebreak => 0x0010_0073,
        _ => 0,
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

/// Multiplication.
#[inline(always)]
fn multiply(op: Op, a: u32, b: u32) -> u32 {
    let (sa, sb) = (i64::from(a as i32), i64::from(b as i32));
    match op {
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => ((sa * sb) >> 32) as u32,
        Op::Mulhsu => (sa.wrapping_mul(i64::from(b)) >> 32) as u32,
        // Mulhu; no other operation comes here.
        _ => ((u64::from(a) * u64::from(b)) >> 32) as u32,
    }
}

/// Division, which never traps.
#[inline(never)]
fn divide(op: Op, a: u32, b: u32) -> u32 {
    let (sa, sb) = (a as i32, b as i32);
    match op {
        Op::Div if b == 0 => u32::MAX,
        Op::Div => sa.wrapping_div(sb) as u32,
        Op::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Op::Rem if b == 0 => a,
        Op::Rem => sa.wrapping_rem(sb) as u32,
        // Remu; no other operation comes here.
        _ => a.checked_rem(b).unwrap_or(a),
    }
}
