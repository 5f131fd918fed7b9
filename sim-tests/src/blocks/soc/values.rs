//! What each step of an instruction does to values, held against the RISC-V manual: the driver plays
//! the steps as the hart's header has them.

use super::decoding::{immediate, insn, kind, operation};
use crate::blocks::{seldom, word, Check, Records};
use lookback_hdl::soc::alu::AluOp;
use lookback_hdl::soc::control::HartState as State;
use lookback_hdl::soc::decode::Kind;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Instructions through the hart's registers for values.
pub struct Values;

/// One instruction and what comes to it from outside.
#[derive(Clone, Debug)]
pub struct Instruction {
    insn: u32,
    rs1: u32,
    rs2: u32,
    /// what RAM and a device answer, and which of them counts
    words: (u32, u32),
    from_device: bool,
    /// product or quotient, old value of a CSR, where a trap or return goes
    given: (u32, u32, u32),
    reserved: bool,
    /// cycles in Fetch before it begins
    waits: u8,
    /// its fetch has no answer
    no_fetch: bool,
    /// its access has none, its CSR may not be accessed, or it needs a mode that the hart is not in
    refused: bool,
    /// the hart is reset before it
    reset: bool,
}

/// How an instruction ends.
struct Outcome {
    next: u32,
    result: Option<u32>,
    /// value for `mtval`, of one that traps
    trap: Option<u32>,
}

impl Instruction {
    fn kind(&self) -> Kind {
        kind(self.insn)
    }

    fn funct3(&self) -> u32 {
        self.insn >> 12 & 7
    }

    fn address(&self) -> u32 {
        self.rs1.wrapping_add(immediate(self.insn))
    }

    fn size(&self) -> u32 {
        1 << (self.funct3() & 3)
    }

    fn is_misaligned(&self) -> bool {
        self.address() % self.size() != 0
    }

    /// Where a jump goes, if it jumps.
    fn target(&self, pc: u32) -> Option<u32> {
        let (a, b) = (self.rs1, self.rs2);
        let is_taken = match self.funct3() {
            0 => a == b,
            1 => a != b,
            4 => (a as i32) < b as i32,
            5 => a as i32 >= b as i32,
            6 => a < b,
            _ => a >= b,
        };
        match self.kind() {
            Kind::Jalr => Some(self.address() & !1),
            Kind::Jal => Some(pc.wrapping_add(immediate(self.insn))),
            Kind::Branch if is_taken => Some(pc.wrapping_add(immediate(self.insn))),
            _ => None,
        }
    }

    fn arrived(&self) -> u32 {
        if self.from_device {
            self.words.1
        } else {
            self.words.0
        }
    }

    fn loaded(&self) -> u32 {
        let part = self.arrived() >> (8 * (self.address() & 3));
        match self.funct3() {
            0 => part as u8 as i8 as u32,
            1 => part as u16 as i16 as u32,
            4 => part & 0xff,
            5 => part & 0xffff,
            _ => part,
        }
    }

    /// The steps after Decode, and how it ends.
    fn course(&self, pc: u32) -> (Vec<State>, Outcome) {
        let (computed, csr, elsewhere) = self.given;
        let following = pc.wrapping_add(4);
        let done = |steps: &[State], next: u32, result: Option<u32>| {
            let trap = None;
            (steps.to_vec(), Outcome { next, result, trap })
        };
        let trap = |steps: &[State], value: u32| {
            let steps = [steps, &[State::Trap]].concat();
            let (next, trap) = (elsewhere, Some(value));
            let result = None;
            (steps, Outcome { next, result, trap })
        };
        use State::{Access, Arrive, Compute, Execute, Modify, Update};
        match self.kind() {
            Kind::Illegal => trap(&[Execute], self.insn),
            Kind::Ecall | Kind::Ebreak => trap(&[Execute], 0),
            Kind::Mret | Kind::Wfi if self.refused => trap(&[Execute], self.insn),
            Kind::Mret => done(&[Execute], elsewhere, None),
            Kind::Wfi | Kind::Fence => done(&[Execute], following, None),
            Kind::Jal | Kind::Jalr | Kind::Branch => {
                let target = self.target(pc);
                let link = (self.kind() != Kind::Branch).then_some(following);
                match target {
                    Some(target) if target & 2 != 0 => trap(&[Execute], target),
                    _ => done(&[Execute], target.unwrap_or(following), link),
                }
            }
            Kind::Auipc => {
                let result = pc.wrapping_add(immediate(self.insn));
                done(&[Execute], following, Some(result))
            }
            Kind::AluImmediate | Kind::AluRegister => {
                done(&[Execute], following, Some(self.arithmetic()))
            }
            Kind::MulDiv => done(&[Execute, Compute], following, Some(computed)),
            Kind::Csr if self.refused => trap(&[Execute, State::Csr], self.insn),
            Kind::Csr => done(&[Execute, State::Csr], following, Some(csr)),
            _ if self.is_misaligned() => trap(&[Execute, Access], self.address()),
            Kind::StoreConditional if !self.reserved => {
                done(&[Execute, Access], following, Some(1))
            }
            _ if self.refused => trap(&[Execute, Access], self.address()),
            Kind::StoreConditional => done(&[Execute, Access], following, Some(0)),
            Kind::Store => done(&[Execute, Access], following, None),
            Kind::Load | Kind::LoadReserved => {
                done(&[Execute, Access, Arrive], following, Some(self.loaded()))
            }
            Kind::Amo => done(
                &[Execute, Access, Arrive, Modify, Update],
                following,
                Some(self.arrived()),
            ),
        }
    }

    fn arithmetic(&self) -> u32 {
        let b = match self.kind() {
            Kind::AluImmediate => immediate(self.insn),
            _ => self.rs2,
        };
        operation(self.insn).map_or(0, |op| apply(op, self.rs1, b))
    }

    /// The word that goes to memory, as far as lanes of the mask are concerned.
    fn stored(&self) -> Option<u32> {
        match self.kind() {
            Kind::Store => Some(self.rs2 << (8 * (self.address() & 3))),
            Kind::StoreConditional => Some(self.rs2),
            Kind::Amo => operation(self.insn).map(|op| apply(op, self.arrived(), self.rs2)),
            _ => None,
        }
    }
}

/// What the arithmetic unit computes.
fn apply(op: AluOp, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    match op {
        AluOp::Add => a.wrapping_add(b),
        AluOp::Sub => a.wrapping_sub(b),
        AluOp::ShiftLeft => a << (b & 31),
        AluOp::ShiftRight => a >> (b & 31),
        AluOp::ShiftArithmetic => (signed_a >> (b & 31)) as u32,
        AluOp::Less => (signed_a < signed_b).into(),
        AluOp::LessUnsigned => (a < b).into(),
        AluOp::Xor => a ^ b,
        AluOp::Or => a | b,
        AluOp::And => a & b,
        AluOp::Swap => b,
        AluOp::Min => signed_a.min(signed_b) as u32,
        AluOp::Max => signed_a.max(signed_b) as u32,
        AluOp::MinUnsigned => a.min(b),
        AluOp::MaxUnsigned => a.max(b),
    }
}

impl Check for Values {
    type Step = Instruction;

    fn runs() -> BoxedStrategy<Vec<Instruction>> {
        let operands = prop_oneof![
            4 => (word(), word()),
            1 => word().prop_map(|a| (a, a)),
            1 => (word(), -2..3i32).prop_map(|(a, by)| (a, a.wrapping_add_signed(by))),
        ];
        let given = (word(), word(), word().prop_map(|target| target & !3));
        let how = (any::<bool>(), any::<bool>(), 0..3u8);
        let odd = (seldom(30), seldom(150), seldom(15));
        let one = (insn(), operands, (word(), word()), given, (how, odd));
        let one = one.prop_map(|(insn, (rs1, rs2), words, given, (how, odd))| Instruction {
            insn,
            rs1,
            rs2,
            words,
            given,
            from_device: how.0,
            reserved: how.1,
            waits: how.2,
            no_fetch: odd.0,
            refused: odd.1,
            reset: odd.2,
        });
        vec(one, 1..40).boxed()
    }

    fn drive(run: &[Instruction], dut: &mut dyn Dut, out: &mut Records) {
        let mut pc = start(dut);
        for one in run {
            if one.reset {
                pc = start(dut);
            }
            pc = play(one, pc, dut, out);
        }
    }

    fn expect(_: &[Instruction], _: &mut Records) {}
}

/// A reset, and the step that follows it.
fn start(dut: &mut dyn Dut) -> u32 {
    dut.set("state", State::Start as u32);
    dut.set("reset", 1);
    dut.cycle();
    dut.set("reset", 0);
    dut.cycle();
    0x8000_0000
}

/// Plays an instruction; gives the next pc.
fn play(one: &Instruction, pc: u32, dut: &mut dyn Dut, out: &mut Records) -> u32 {
    dut.set("state", State::Fetch as u32);
    dut.set("begins", 0);
    (0..one.waits).for_each(|_| dut.cycle());
    both(out, "next pc", dut.get("next_pc"), pc);
    dut.set("begins", 1);
    dut.cycle();
    dut.set("begins", 0);
    dut.set("trap_target", one.given.2);
    if one.no_fetch {
        dut.set("state", State::Trap as u32);
        both(out, "trap value", dut.get("addr"), pc);
        both(out, "pc", dut.get("pc"), pc);
        dut.cycle();
        return one.given.2;
    }
    dut.set("state", State::Decode as u32);
    dut.cycle();
    let op = operation(one.insn).unwrap_or(AluOp::Add);
    for (port, value) in [
        ("kind", one.kind() as u32),
        ("alu_op", op as u32),
        ("insn", one.insn),
        ("funct3", one.funct3()),
        ("imm", immediate(one.insn)),
        ("rs1", one.rs1),
        ("rs2", one.rs2),
        ("from_device", one.from_device.into()),
        ("reserved", one.reserved.into()),
    ] {
        dut.set(port, value);
    }
    let (steps, outcome) = one.course(pc);
    for &step in &steps {
        dut.set("state", step as u32);
        // What comes from outside is there in its step alone.
        let only = |own: State, value: u32| if step == own { value } else { !value };
        dut.set("ram_rdata", only(State::Arrive, one.words.0));
        dut.set("device_rdata", only(State::Arrive, one.words.1));
        dut.set("computed", only(State::Compute, one.given.0));
        dut.set("csr_rdata", only(State::Csr, one.given.1));
        match step {
            State::Execute => {
                let misaligned = one.target(pc).is_some_and(|target| target & 2 != 0);
                let found = dut.get("misaligned_target");
                both(out, "misaligned target", found, misaligned.into());
                if steps.contains(&State::Access) {
                    both(out, "soon", dut.get("target_addr"), one.address());
                }
            }
            State::Access if one.waits == 1 => {
                // It is fetched once more, before anything came of it.
                dut.set("restarts", 1);
                dut.cycle();
                dut.set("restarts", 0);
                return pc;
            }
            State::Access => access(one, dut, out),
            State::Update => written(one, dut, out),
            State::Trap => {
                let value = outcome.trap.unwrap_or(0);
                both(out, "trap value", dut.get("addr"), value);
                both(out, "pc", dut.get("pc"), pc);
            }
            _ => {}
        }
        dut.cycle();
    }
    dut.set("state", State::Fetch as u32);
    retired(one, pc, &outcome, dut, out);
    outcome.next
}

/// In Access: the address and its lanes.
fn access(one: &Instruction, dut: &mut dyn Dut, out: &mut Records) {
    let misaligned = one.is_misaligned();
    both(out, "misaligned", dut.get("misaligned"), misaligned.into());
    both(out, "address", dut.get("addr"), one.address());
    if !misaligned {
        let mask = ((1u32 << one.size()) - 1) << (one.address() & 3);
        both(out, "mask", dut.get("mask"), mask);
        if one.kind() != Kind::Amo {
            written(one, dut, out);
        }
    }
}

/// When memory is written: its word.
fn written(one: &Instruction, dut: &mut dyn Dut, out: &mut Records) {
    if let Some(word) = one.stored() {
        let mask = ((1u32 << one.size()) - 1) << (one.address() & 3);
        let lanes = lookback_log_format::retire::lanes(mask as u8);
        both(out, "written", dut.get("wdata") & lanes, word & lanes);
    }
}

/// When it retires everything is still there.
fn retired(one: &Instruction, pc: u32, outcome: &Outcome, dut: &mut dyn Dut, out: &mut Records) {
    both(out, "pc", dut.get("pc"), pc);
    both(out, "next pc", dut.get("next_pc"), outcome.next);
    if let Some(result) = outcome.result {
        both(out, "result", dut.get("result"), result);
    }
    if outcome.trap.is_some() {
        return;
    }
    let failed = one.kind() == Kind::StoreConditional && !one.reserved;
    if one.stored().is_some() && !failed {
        both(out, "address", dut.get("addr"), one.address());
        written(one, dut, out);
    }
    if matches!(one.kind(), Kind::Load | Kind::LoadReserved | Kind::Amo) {
        both(out, "address", dut.get("addr"), one.address());
        both(out, "read", dut.get("word"), one.arrived());
    }
}

fn both(out: &mut Records, what: &'static str, found: u32, expected: u32) {
    out.say(what, found);
    out.want(what, expected);
}
