//! The whole recorder, from retirements to finished records.

use crate::compact;
use crate::encoder::Encoder;
use crate::interval::Intervals;
use crate::known_code::KnownCode;
use crate::register_shadow::RegisterShadow;
use crate::trigger::Trigger;
use crate::word_tags::Tags;
use lookback_log_format::entry::Escape;
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Gap, Header, Layout, Record};
use lookback_log_format::trigger::{Cause, Fired};
use lookback_log_format::{isa, RecorderConfig, Retire};

const OPCODE_AMO: u32 = 0x2f;
const OPCODE_SYSTEM: u32 = 0x73;
const FUNCT5_SC: u32 = 0b00011;

fn opcode(insn: u32) -> u32 {
    insn & 0x7f
}

fn funct3(insn: u32) -> u32 {
    insn >> 12 & 7
}

/// What an instruction yields that the replayer may not know: section 1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Bytes read from memory or a device, the lowest at bit 0.
    MemoryRead(u32),
    /// A CSR's value.
    CsrRead(u32),
    /// 0 for success.
    StoreConditional(u32),
    /// What an attached core's instruction that is opaque, or is to be compared, left in its register.
    Opaque(u32),
}

impl Operation {
    /// The operation of an attached core's retirement, if it is one. Its instruction is full-size, or
    /// was expanded.
    pub fn of_attached(r: &Retire, log_results: bool) -> Option<Self> {
        let opaque = isa::result_is_opaque(r.insn, r.trap, r.mem_rmask) != 0;
        let compared = log_results && !r.trap && isa::is_muldiv(r.insn) && r.rd_addr != 0;
        if opaque || compared {
            Some(Self::Opaque(r.rd_wdata))
        } else {
            Self::of(r)
        }
    }

    /// The operation of a retirement, if it is one.
    pub fn of(r: &Retire) -> Option<Self> {
        if r.trap {
            None
        } else if r.mem_rmask != 0 {
            let mut value = 0;
            let first = r.mem_rmask.trailing_zeros();
            for lane in (first..4).filter(|lane| r.mem_rmask >> lane & 1 == 1) {
                value |= (r.mem_rdata >> (8 * lane) & 0xff) << (8 * (lane - first));
            }
            Some(Self::MemoryRead(value))
        } else if opcode(r.insn) == OPCODE_SYSTEM && funct3(r.insn) != 0 && r.rd_addr != 0 {
            Some(Self::CsrRead(r.rd_wdata))
        } else if opcode(r.insn) == OPCODE_AMO && r.insn >> 27 == FUNCT5_SC {
            Some(Self::StoreConditional(u32::from(r.mem_wmask == 0)))
        } else {
            None
        }
    }
}

/// The full-size instruction that retires, or that the one that retires stands for.
pub(crate) fn instruction(config: &RecorderConfig, r: &Retire) -> u32 {
    match config.compressed {
        true => isa::expand(r.insn),
        false => r.insn,
    }
}

/// Bytes of the instruction.
pub(crate) fn size(config: &RecorderConfig, r: &Retire) -> u32 {
    match config.compressed {
        true => isa::size(r.insn),
        false => 4,
    }
}

/// The operation of a retirement of a core as configured, if it is one.
pub(crate) fn operation(config: &RecorderConfig, r: &Retire) -> Option<Operation> {
    let r = &Retire {
        insn: instruction(config, r),
        ..*r
    };
    match config.attached {
        true => Operation::of_attached(r, config.logs_results()),
        false => Operation::of(r),
    }
}

/// How the instruction before this one leaves the next pc.
#[derive(Debug, Clone, Copy)]
struct Previous {
    pc_wdata: u32,
    /// It trapped, is `mret` or its like, or jumped although it is opaque: the replayer cannot work the next pc out.
    opaque: bool,
}

/// The golden recorder of one hart, from the start of a recording to its end.
///
/// What depends on the hardware's timing is told by the caller: cycle numbers, and where an
/// overflow begins ([`Recorder::overflow`]), which retirements it costs ([`Recorder::lose`]) and
/// where it is over ([`Recorder::resume`]).
#[derive(Debug, Clone)]
pub struct Recorder {
    config: RecorderConfig,
    tags: Tags,
    code: KnownCode,
    registers: RegisterShadow,
    encoder: Encoder,
    /// In place of tags and encoder, with codec `compact`.
    compact: Option<Box<compact::Log>>,
    trigger: Trigger,
    intervals: Intervals,
    records: Vec<Record>,
    previous: Option<Previous>,
    next_index: u32,
    retired: u64,
    lost: u64,
    /// The gap that is open: retirements before it, and how many it has cost.
    gap: Option<(u64, u32)>,
    ended: Option<EndReason>,
}

impl Recorder {
    /// A recording that begins now. The configuration must be valid.
    pub fn new(config: &RecorderConfig) -> Self {
        Self {
            config: config.clone(),
            tags: Tags::new(config),
            code: KnownCode::new(config),
            registers: RegisterShadow::default(),
            encoder: Encoder::new(config),
            compact: config
                .compact()
                .map(|compact| Box::new(compact::Log::new(config, compact))),
            trigger: Trigger::new(config),
            intervals: Intervals::new(config),
            records: Vec::new(),
            previous: None,
            next_index: 0,
            retired: 0,
            lost: 0,
            gap: None,
            ended: None,
        }
    }

    /// The recording begins in the middle of a run, with these register contents.
    pub fn with_registers(mut self, values: [u32; 32]) -> Self {
        self.registers = RegisterShadow::holding(values);
        self
    }

    /// The pin or the host asks for a trigger: it fires with the next recorded instruction.
    pub fn pull_trigger(&mut self, cause: Cause) {
        self.trigger.pull(cause);
    }

    /// Another hart's trigger fired, so that none does here.
    pub fn disarm(&mut self) {
        self.trigger.disarm();
    }

    /// One instruction retires. `cycle` is the number of cycles since the recording began; it is
    /// used when the instruction is the first of an interval. Nothing happens after the end.
    pub fn retire(&mut self, r: &Retire, cycle: u64) {
        if self.ended.is_some() {
            return;
        }
        self.resume(cycle);
        if !self.intervals.is_open() {
            self.open(r, cycle);
        }
        match &mut self.compact {
            Some(log) => log.retire(r, &self.registers.values(), &self.code),
            None => self.log(r),
        }
        self.follow(r);
        let fires = self.trigger.retire(r, instruction(&self.config, r));
        if let Some(reason) = self.intervals.retire(r, fires) {
            self.close(reason);
            if reason == EndReason::Trigger {
                self.ended = Some(reason);
            }
        }
    }

    /// Somebody other than the hart writes `mask` of the word at `addr`. It comes after every
    /// retirement reported before.
    pub fn snoop(&mut self, addr: u32, mask: u8) {
        if mask == 0 {
            return;
        }
        if self.config.is_memory(addr) {
            match &mut self.compact {
                Some(log) => log.snoop(addr),
                None => self.tags.snoop(addr, mask),
            }
        }
        match self.compact {
            Some(_) => self.code.write_by_other(addr),
            None => self.code.write(addr),
        }
    }

    /// The hardware could not keep up: the open interval ends and a gap begins. Without effect
    /// while a gap is open.
    pub fn overflow(&mut self) {
        if self.ended.is_none() && self.gap.is_none() {
            self.close(EndReason::Overflow);
            if let Some(log) = &mut self.compact {
                log.interrupt();
            }
            self.gap = Some((self.retired, 0));
        }
    }

    /// A retirement that the gap costs (one is begun if none is open). Registers and written code
    /// are still followed: the next interval starts from them.
    pub fn lose(&mut self, r: &Retire) {
        if self.ended.is_some() {
            return;
        }
        self.overflow();
        self.follow(r);
        self.lost += 1;
        if let Some((_, lost)) = &mut self.gap {
            *lost += 1;
        }
    }

    /// The gap is over and its record is written, with `cycle` in it. Without effect when none is
    /// open. The next retirement opens an interval.
    pub fn resume(&mut self, cycle: u64) {
        if let Some((retired, lost)) = self.gap.take() {
            let index = self.take_index();
            self.records.push(Record::Gap(Gap {
                index,
                retired,
                cycle,
                lost,
            }));
        }
    }

    /// The recording ends: what is open is closed. `cycle` stands in the record of an open gap.
    pub fn stop(&mut self, reason: EndReason, cycle: u64) {
        if self.ended.is_none() {
            self.resume(cycle);
            self.close(reason);
            self.ended = Some(reason);
        }
    }

    /// The hardware has fallen behind, or not any more: with codec `compact` values are hurried.
    pub fn hurry(&mut self, hurry: bool) {
        if let Some(log) = &mut self.compact {
            log.hurry(hurry);
        }
    }

    /// Codec `compact`: which of the next values are hurried, as the hardware has decided.
    pub fn decide(&mut self, hurried: impl IntoIterator<Item = bool>) {
        if let Some(log) = &mut self.compact {
            log.decide(hurried);
        }
    }

    /// Codec `compact`: the key group has its share of a ring. The open interval ends with the next
    /// instruction, and the one after it is a key interval.
    pub fn cut(&mut self) {
        if let Some(log) = &mut self.compact {
            self.intervals.cut();
            log.interrupt();
        }
    }

    /// Codec `compact`: the log, for those who measure it.
    pub fn compact(&self) -> Option<&compact::Log> {
        self.compact.as_deref()
    }

    /// The finished records since the last call.
    pub fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }

    /// Bits of the open interval's entries so far, with codec `compact` to a few bytes; `None` when
    /// none is open.
    pub fn open_bits(&self) -> Option<u64> {
        let bits = match &self.compact {
            Some(log) => 8 * log.written_bytes() as u64,
            None => self.encoder.len_bits(),
        };
        self.intervals.is_open().then_some(bits)
    }

    /// Why the recording ended, once it has.
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// Whether a trigger has fired.
    pub fn triggered(&self) -> bool {
        self.intervals.triggered()
    }

    /// Which.
    pub fn cause(&self) -> Option<Cause> {
        self.trigger.fired()
    }

    /// Retirements since the recording began, lost ones included.
    pub fn retired(&self) -> u64 {
        self.retired
    }

    /// Retirements lost.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// What the END frame says once the recording has ended; codes and cycles are the board's.
    pub fn end(&self, code: u32, cycles: u64, stalls: u64) -> Option<End> {
        Some(End {
            reason: self.ended?,
            code,
            retired: self.retired,
            cycles,
            stalls,
            lost: self.lost,
            fired: self.cause().map(|cause| Fired { cause, hart: 0 }),
            breach: None,
        })
    }

    fn open(&mut self, r: &Retire, cycle: u64) {
        let index = self.take_index();
        let (layout, registers) = match &mut self.compact {
            Some(log) => (Layout::Compact { key: log.begin() }, [0; 32]),
            None => (Layout::Full, self.registers.values()),
        };
        self.intervals.open(Header {
            layout,
            mode: r.mode,
            index,
            retired: self.retired,
            cycle,
            pc: r.pc_rdata,
            registers,
        });
    }

    /// Ends the open interval; everything that belongs to one interval alone starts anew.
    fn close(&mut self, reason: EndReason) {
        let entries = match &mut self.compact {
            Some(log) if self.intervals.is_open() => log.finish(),
            Some(_) => return,
            None => self.encoder.finish(),
        };
        if let Some(interval) = self.intervals.close(entries, reason) {
            self.records.push(Record::Interval(interval));
            self.tags.next_interval();
            self.previous = None;
        }
    }

    fn take_index(&mut self) -> u32 {
        let index = self.next_index;
        self.next_index = index.wrapping_add(1);
        index
    }

    fn escape(&mut self, escape: Escape) {
        self.encoder.escape(self.intervals.position(), escape);
    }

    /// Codec `bugnet`: what the reader cannot work out about an instruction.
    fn log(&mut self, r: &Retire) {
        self.log_redirect(r);
        self.log_fetch(r);
        if r.trap {
            self.escape(Escape::Trap);
        } else {
            self.log_operation(r);
        }
    }

    /// Section 1.4. The first instruction of an interval has its pc in the header.
    fn log_redirect(&mut self, r: &Retire) {
        let redirected = self
            .previous
            .is_some_and(|previous| previous.opaque || previous.pc_wdata != r.pc_rdata);
        if redirected {
            self.escape(Escape::Redirect(r.pc_rdata));
        }
        let insn = instruction(&self.config, r);
        let jumps = self.config.attached
            && (isa::is_opaque(insn) || self.config.logs_results() && isa::is_muldiv(insn))
            && r.pc_wdata != r.pc_rdata.wrapping_add(size(&self.config, r));
        self.previous = Some(Previous {
            pc_wdata: r.pc_wdata,
            opaque: r.trap || (opcode(insn) == OPCODE_SYSTEM && funct3(insn) == 0) || jumps,
        });
    }

    /// Section 1.3. Code outside the memory region has no tags and is never known.
    fn log_fetch(&mut self, r: &Retire) {
        let pc = r.pc_rdata;
        let by_halves = self.config.compressed && (isa::is_compressed(r.insn) || pc % 4 != 0);
        let known = match by_halves {
            true => self.code.is_known_by_halves(pc),
            false => {
                self.code.is_known(pc)
                    || (self.config.is_memory(pc) && self.tags.access(pc, (0b1111, r.insn), (0, 0)))
            }
        };
        if !known {
            self.escape(Escape::Fetch(r.insn));
        }
    }

    /// Sections 1.1 and 1.2.
    fn log_operation(&mut self, r: &Retire) {
        let known = self.config.is_memory(r.mem_addr)
            && self.tags.access(
                r.mem_addr,
                (r.mem_rmask, r.mem_rdata),
                (r.mem_wmask, r.mem_wdata),
            );
        let operation = operation(&self.config, r);
        match operation {
            Some(Operation::MemoryRead(value)) => self.encoder.operation(value, !known),
            Some(
                Operation::CsrRead(value)
                | Operation::StoreConditional(value)
                | Operation::Opaque(value),
            ) => self.encoder.operation(value, true),
            None => {}
        }
    }

    /// What outlives intervals: written code, registers and the count.
    fn follow(&mut self, r: &Retire) {
        if !r.trap && r.mem_wmask != 0 {
            self.code.write(r.mem_addr);
        }
        self.registers.retire(r);
        self.retired += 1;
    }
}
