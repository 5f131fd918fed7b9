//! Traps, returns and CSRs, from the privileged architecture and the blocks' headers: M and U mode
//! only, every trap goes to M mode.

use super::decoding::csr;
use super::devices::Counted;
use crate::blocks::{seldom, word, Inputs, Lockstep};
use lookback_hdl::soc::csr_select::CsrName;
use proptest::collection::vec;
use proptest::prelude::*;

/// The trap unit.
#[derive(Default)]
pub struct Modes {
    user: bool,
    /// MIE, MPIE, MPRV, TW
    mie: bool,
    mpie: bool,
    mprv: bool,
    tw: bool,
    /// the mode before the trap was M
    mpp: bool,
    enables: u32,
    vector: u32,
    epc: u32,
    cause: u32,
    value: u32,
}

/// What happens in a cycle.
#[derive(Clone, Debug)]
pub enum Happening {
    /// Nothing.
    Nothing,
    /// A trap: interrupt, cause, value, pc.
    Trap(bool, u32, u32, u32),
    /// `mret`.
    Return,
    /// A register, by its name's number, is written.
    Write(u32, u32),
    /// A CSR instruction with a value of rs1.
    Access(u32, u32),
}

/// A cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    what: Happening,
    /// software, timer, external
    lines: u32,
    /// whether time runs, whether an instruction completes
    counts: (bool, bool),
    /// the clock's words
    time: (u32, u32),
    reset: bool,
}

impl Modes {
    fn status(&self) -> u32 {
        u32::from(self.mie) << 3
            | u32::from(self.mpie) << 7
            | if self.mpp { 3 << 11 } else { 0 }
            | u32::from(self.mprv) << 17
            | u32::from(self.tw) << 21
    }

    /// `mip`, and what of it is enabled.
    fn pending(inputs: &Inputs) -> u32 {
        inputs.get("software") << 3 | inputs.get("timer") << 7 | inputs.get("external") << 11
    }

    fn read(&self, name: CsrName, inputs: &Inputs) -> u32 {
        match name {
            CsrName::Status => self.status(),
            CsrName::Enables => self.enables,
            CsrName::Vector => self.vector,
            CsrName::Epc => self.epc,
            CsrName::Cause => self.cause,
            CsrName::Value => self.value,
            CsrName::Pending => Self::pending(inputs),
            _ => 0,
        }
    }

    fn write(&mut self, name: u32, data: u32) {
        const STATUS: u32 = CsrName::Status as u32;
        const ENABLES: u32 = CsrName::Enables as u32;
        const VECTOR: u32 = CsrName::Vector as u32;
        const EPC: u32 = CsrName::Epc as u32;
        const CAUSE: u32 = CsrName::Cause as u32;
        const VALUE: u32 = CsrName::Value as u32;
        let bit = |at: u32| data >> at & 1 == 1;
        match name {
            STATUS => {
                (self.mie, self.mpie) = (bit(3), bit(7));
                (self.mprv, self.tw) = (bit(17), bit(21));
                // Of the modes only M and U exist.
                self.mpp = bit(11) && bit(12);
            }
            ENABLES => self.enables = data & 0x888,
            // Modes above vectored are reserved: the write is ignored.
            VECTOR if !bit(1) => self.vector = data,
            EPC => self.epc = data & !3,
            CAUSE => self.cause = data & 0x8000_001f,
            VALUE => self.value = data,
            _ => {}
        }
    }

    /// The outputs that the CSR unit passes on.
    fn shown(&self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let active = Self::pending(inputs) & self.enables;
        let request = active != 0 && (self.user || self.mie);
        let mut seen = vec![
            ("machine", (!self.user).into()),
            ("request", request.into()),
            ("wake", (active != 0).into()),
        ];
        if request {
            let first = [11, 3, 7].iter().find(|cause| active >> **cause & 1 == 1);
            seen.extend(first.map(|cause| ("request_cause", *cause)));
        }
        let vectored = inputs.is("trap_interrupt") && self.vector & 1 == 1;
        let target = match (inputs.is("trap"), vectored) {
            (false, _) => self.epc,
            (true, false) => self.vector & !3,
            (true, true) => (self.vector & !3).wrapping_add(4 * inputs.get("trap_cause")),
        };
        seen.push(("target", target));
        seen
    }

    /// Traps and returns at the clock's edge.
    fn step(&mut self, inputs: &Inputs) {
        if inputs.is("trap") {
            let interrupt = inputs.is("trap_interrupt");
            self.epc = inputs.get("trap_pc");
            self.cause = inputs.get("trap_cause") | u32::from(interrupt) << 31;
            self.value = if interrupt {
                0
            } else {
                inputs.get("trap_value")
            };
            (self.mpie, self.mie) = (self.mie, false);
            (self.mpp, self.user) = (!self.user, false);
        } else if inputs.is("mret") {
            (self.mie, self.mpie) = (self.mpie, true);
            (self.user, self.mpp) = (!self.mpp, false);
            self.mprv &= !self.user;
        }
    }
}

/// Runs with so much of traps, returns and writes that modes change often.
fn cycles(write: BoxedStrategy<Happening>) -> BoxedStrategy<Vec<Cycle>> {
    let exception = (0..16u32, word(), word())
        .prop_map(|(cause, value, pc)| Happening::Trap(false, cause, value, pc & !3));
    let interrupt = (prop_oneof![Just(3u32), Just(7), Just(11)], word(), word())
        .prop_map(|(cause, value, pc)| Happening::Trap(true, cause, value, pc & !3));
    let what = prop_oneof![
        3 => Just(Happening::Nothing),
        2 => exception,
        1 => interrupt,
        2 => Just(Happening::Return),
        8 => write,
    ];
    let cycle = (
        what,
        0..8u32,
        (any::<bool>(), any::<bool>()),
        (word(), word()),
        seldom(8),
    );
    let cycle = cycle.prop_map(|(what, lines, counts, time, reset)| Cycle {
        what,
        lines,
        counts,
        time,
        reset,
    });
    vec(cycle, 1..150).boxed()
}

fn trap_ports(step: &Cycle) -> Vec<(&'static str, u32)> {
    let (interrupt, cause, value, pc) = match step.what {
        Happening::Trap(interrupt, cause, value, pc) => (interrupt, cause, value, pc),
        // Whatever they show without a trap.
        _ => (step.lines & 1 == 1, step.lines, step.time.0, step.time.1),
    };
    vec![
        ("reset", step.reset.into()),
        ("trap", matches!(step.what, Happening::Trap(..)).into()),
        ("trap_interrupt", interrupt.into()),
        ("trap_cause", cause),
        ("trap_value", value),
        ("trap_pc", pc),
        ("mret", matches!(step.what, Happening::Return).into()),
        ("software", step.lines & 1),
        ("timer", step.lines >> 1 & 1),
        ("external", step.lines >> 2 & 1),
    ]
}

/// Data for CSRs in which the bits that matter are often set.
fn data() -> BoxedStrategy<u32> {
    prop_oneof![
        3 => any::<u32>(),
        1 => any::<u32>().prop_map(|word| word | 0x1888),
        1 => word(),
    ]
    .boxed()
}

impl Lockstep for Modes {
    type Step = Cycle;

    fn runs() -> BoxedStrategy<Vec<Cycle>> {
        let name = prop_oneof![2 => Just(CsrName::Status as u32), 3 => 0..19u32];
        let write = (name, data()).prop_map(|(name, data)| Happening::Write(name, data));
        cycles(write.boxed())
    }

    fn inputs(&self, step: &Cycle) -> Vec<(&'static str, u32)> {
        let mut inputs = trap_ports(step);
        let (name, data) = match step.what {
            Happening::Write(name, data) => (name, data),
            _ => (CsrName::Status as u32, step.time.0),
        };
        inputs.extend([
            ("write", matches!(step.what, Happening::Write(..)).into()),
            ("name", name),
            ("write_data", data),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = self.shown(inputs);
        seen.extend([
            ("status", self.status()),
            ("enables", self.enables),
            ("pending", Self::pending(inputs)),
            ("vector", self.vector),
            ("epc", self.epc),
            ("cause", self.cause),
            ("value", self.value),
        ]);
        self.step(inputs);
        if inputs.is("write") {
            self.write(inputs.get("name"), inputs.get("write_data"));
        }
        if inputs.is("reset") {
            *self = Self::default();
        }
        seen
    }
}

/// The CSR unit: the trap unit's registers, the counters and a few of its own.
#[derive(Default)]
pub struct Csrs {
    modes: Modes,
    counted: Counted,
    scratch: u32,
    counter_enable: u32,
    inhibit: u32,
}

impl Csrs {
    fn is_illegal(&self, insn: u32) -> bool {
        let number = insn >> 20;
        let writes = insn >> 12 & 3 == 1 || insn >> 15 & 31 != 0;
        let refused = if number >> 8 & 3 != 0 {
            self.modes.user
        } else {
            // Of the user counters U mode has those that M mode lets it have.
            self.modes.user && self.counter_enable.checked_shr(number & 31).unwrap_or(0) & 1 == 0
        };
        csr(number) == CsrName::Unknown || refused || writes && number >> 10 == 3
    }

    fn read(&self, name: CsrName, inputs: &Inputs) -> u32 {
        let [cycles, instructions] = self.counted.0;
        match name {
            CsrName::Isa => 1 << 30 | 1 << 20 | 1 << 12 | 1 << 8 | 1,
            CsrName::CounterEnable => self.counter_enable,
            CsrName::Inhibit => self.inhibit,
            CsrName::Scratch => self.scratch,
            CsrName::Cycle => cycles as u32,
            CsrName::CycleHigh => (cycles >> 32) as u32,
            CsrName::Time => inputs.get("time_low"),
            CsrName::TimeHigh => inputs.get("time_high"),
            CsrName::Instret => instructions as u32,
            CsrName::InstretHigh => (instructions >> 32) as u32,
            CsrName::HartId => inputs.get("hart_id"),
            other => self.modes.read(other, inputs),
        }
    }

    /// What a CSR instruction writes, if it does.
    fn written(insn: u32, old: u32, rs1: u32) -> Option<u32> {
        let field = insn >> 15 & 31;
        let operand = if insn >> 14 & 1 == 1 { field } else { rs1 };
        match insn >> 12 & 3 {
            1 => Some(operand),
            _ if field == 0 => None,
            2 => Some(old | operand),
            _ => Some(old & !operand),
        }
    }
}

impl Lockstep for Csrs {
    type Step = Cycle;

    fn runs() -> BoxedStrategy<Vec<Cycle>> {
        let known = (0..0x1000u32).prop_filter("a register", |n| csr(*n) != CsrName::Unknown);
        let number = prop_oneof![
            6 => proptest::sample::select(&[0x300u32, 0x304, 0x305, 0x306, 0x320, 0x340, 0x341,
                0x342, 0x343, 0x344][..]),
            3 => proptest::sample::select(&[0xb00u32, 0xb02, 0xb80, 0xb82, 0xc00, 0xc01, 0xc02,
                0xc80, 0xc81, 0xc82][..]),
            1 => known,
            1 => 0..0x1000u32,
        ];
        // mcountinhibit's neighbours are reserved.
        let number = number.prop_filter("defined", |n| !matches!(n, 0x321 | 0x322));
        let funct3 = prop_oneof![Just(1u32), Just(2), Just(3), Just(5), Just(6), Just(7)];
        let field = prop_oneof![1 => Just(0u32), 3 => 0..32u32];
        let access = (number, funct3, field, 0..32u32, data());
        let access = access.prop_map(|(number, funct3, field, rd, rs1)| {
            let insn = number << 20 | field << 15 | funct3 << 12 | rd << 7 | 0x73;
            Happening::Access(insn, rs1)
        });
        cycles(access.boxed())
    }

    fn inputs(&self, step: &Cycle) -> Vec<(&'static str, u32)> {
        let mut inputs = trap_ports(step);
        let (insn, rs1) = match step.what {
            Happening::Access(insn, rs1) => (insn, rs1),
            _ => (0x3000_9073, step.time.0),
        };
        inputs.extend([
            ("access", matches!(step.what, Happening::Access(..)).into()),
            ("insn", insn),
            ("name", csr(insn >> 20) as u32),
            ("rs1", rs1),
            ("hart_id", step.time.0 & 3),
            ("running", step.counts.0.into()),
            ("retire", step.counts.1.into()),
            ("time_low", step.time.0),
            ("time_high", step.time.1),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = self.modes.shown(inputs);
        seen.push(("mepc", self.modes.epc));
        seen.push(("timeout_wait", self.modes.tw.into()));
        let insn = inputs.get("insn");
        let name = csr(insn >> 20);
        let mut written = None;
        if inputs.is("access") {
            let illegal = self.is_illegal(insn);
            seen.push(("illegal", illegal.into()));
            if !illegal {
                let old = self.read(name, inputs);
                seen.push(("rdata", old));
                written = Self::written(insn, old, inputs.get("rs1"));
            }
        }
        let counts = [
            inputs.is("running") && self.inhibit & 1 == 0,
            inputs.is("retire") && self.inhibit & 4 == 0,
        ];
        let half = |own: CsrName| u32::from(written.is_some() && name == own);
        self.counted.cycle(&Inputs(vec![
            ("count_cycle", counts[0].into()),
            ("count_instruction", counts[1].into()),
            ("write_cycle", half(CsrName::Cycle)),
            ("write_cycle_high", half(CsrName::CycleHigh)),
            ("write_instruction", half(CsrName::Instret)),
            ("write_instruction_high", half(CsrName::InstretHigh)),
            ("write_data", written.unwrap_or(0)),
        ]));
        self.modes.step(inputs);
        if let Some(data) = written {
            match name {
                CsrName::Scratch => self.scratch = data,
                CsrName::CounterEnable => self.counter_enable = data & 7,
                CsrName::Inhibit => self.inhibit = data & 5,
                other => self.modes.write(other as u32, data),
            }
        }
        if inputs.is("reset") {
            *self = Self::default();
        }
        seen
    }
}
