//! The whole recorder, from retirements to finished records.

use crate::encoder::Encoder;
use crate::first_load_tags::Bits;
use crate::interval::Intervals;
use crate::known_code::KnownCode;
use crate::register_shadow::RegisterShadow;
use lookback_log_format::entry::Escape;
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Gap, Header, Record};
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
    /// The operation of an attached core's retirement, if it is one.
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
    tags: Bits,
    code: KnownCode,
    registers: RegisterShadow,
    encoder: Encoder,
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
            tags: Bits::new(config),
            code: KnownCode::new(config),
            registers: RegisterShadow::default(),
            encoder: Encoder::new(config),
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

    /// An input pin asks for a trigger: it fires with the next recorded instruction.
    pub fn pull_trigger(&mut self) {
        self.intervals.pull_trigger();
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
        self.log_redirect(r);
        self.log_fetch(r);
        if r.trap {
            self.escape(Escape::Trap);
        } else {
            self.log_operation(r);
        }
        self.follow(r);
        if let Some(reason) = self.intervals.retire(r) {
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
            self.tags.snoop(addr, mask);
        }
        self.code.write(addr);
    }

    /// The hardware could not keep up: the open interval ends and a gap begins. Without effect
    /// while a gap is open.
    pub fn overflow(&mut self) {
        if self.ended.is_none() && self.gap.is_none() {
            self.close(EndReason::Overflow);
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

    /// The finished records since the last call.
    pub fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }

    /// Why the recording ended, once it has.
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// Whether a trigger has fired.
    pub fn triggered(&self) -> bool {
        self.intervals.triggered()
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
            breach: None,
        })
    }

    fn open(&mut self, r: &Retire, cycle: u64) {
        let index = self.take_index();
        self.intervals.open(Header {
            mode: r.mode,
            index,
            retired: self.retired,
            cycle,
            pc: r.pc_rdata,
            registers: self.registers.values(),
        });
    }

    /// Ends the open interval; everything that belongs to one interval alone starts anew.
    fn close(&mut self, reason: EndReason) {
        let entries = self.encoder.finish();
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

    /// Section 1.4. The first instruction of an interval has its pc in the header.
    fn log_redirect(&mut self, r: &Retire) {
        let redirected = self
            .previous
            .is_some_and(|previous| previous.opaque || previous.pc_wdata != r.pc_rdata);
        if redirected {
            self.escape(Escape::Redirect(r.pc_rdata));
        }
        let jumps = self.config.attached
            && (isa::is_opaque(r.insn) || self.config.logs_results() && isa::is_muldiv(r.insn))
            && r.pc_wdata != r.pc_rdata.wrapping_add(4);
        self.previous = Some(Previous {
            pc_wdata: r.pc_wdata,
            opaque: r.trap || (opcode(r.insn) == OPCODE_SYSTEM && funct3(r.insn) == 0) || jumps,
        });
    }

    /// Section 1.3. Code outside the memory region has no tags and is never known.
    fn log_fetch(&mut self, r: &Retire) {
        let pc = r.pc_rdata;
        let known = self.code.is_known(pc)
            || (self.config.is_memory(pc) && self.tags.access(pc, 0b1111, 0));
        if !known {
            self.escape(Escape::Fetch(r.insn));
        }
    }

    /// Sections 1.1 and 1.2.
    fn log_operation(&mut self, r: &Retire) {
        let known = self.config.is_memory(r.mem_addr)
            && self.tags.access(r.mem_addr, r.mem_rmask, r.mem_wmask);
        let operation = if self.config.attached {
            Operation::of_attached(r, self.config.logs_results())
        } else {
            Operation::of(r)
        };
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
