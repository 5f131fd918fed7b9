//! RISC-V E-Trace (Efficient Trace for RISC-V, branch trace): control flow only, no data.
//!
//! The packets are made by the crate `riscv-etrace`, and every one is read back by its decoder: the
//! instructions that it reconstructs must be those that retired, or the measurement fails.
//!
//! The crate's generator has no implicit return. It is told here of a return that the decoder's
//! stack of return addresses foretells as of a jump that can be inferred. A return that the stack
//! foretells wrongly ends the trace, and another begins behind it; so does an instruction word that
//! changes, for the decoder knows one program only, and so does the end of an interval, so that each
//! can be read by itself, as ours can.
//!
//! Counted are the payloads, cut to whole bytes as the standard has it, without the headers that
//! carry them over a link and without support packets: our own log is counted without frames, too.

mod code;

use super::scheme::Scheme;
use super::stream::Event;
use anyhow::{anyhow, ensure, Context as _, Result};
use code::{decoded, Code, Word};
use lookback_log_format::Retire;
use riscv_etrace::config::Parameters;
use riscv_etrace::generator::hart2enc::{CType, JumpType};
use riscv_etrace::generator::step::{Kind, Step};
use riscv_etrace::generator::{self, Generator};
use riscv_etrace::instruction::info::Info;
use riscv_etrace::packet::payload::InstructionTrace;
use riscv_etrace::packet::sync::Synchronization;
use riscv_etrace::packet::{self, unit};
use riscv_etrace::tracer::{self, Tracer};
use riscv_etrace::types::stack::{ReturnStack, StaticStack};
use riscv_etrace::types::{trap, Context, Privilege};
use std::collections::VecDeque;

/// Return addresses that encoder and decoder keep, as log2.
const STACK_BITS: u8 = 5;
/// The longest payload is far shorter.
const LONGEST_PAYLOAD: usize = 64;
const BREAKPOINT: u16 = 3;
const TIMER: u16 = 7;
const ECALL: u16 = 11;

type Stack = StaticStack<{ 1 << STACK_BITS }>;
type Payload = InstructionTrace<unit::ReferenceIOptions, unit::ReferenceDOptions>;

/// One step for the generator.
#[derive(Debug, Clone, Copy)]
struct Traced {
    address: u32,
    kind: Kind,
}

impl Step for Traced {
    fn address(&self) -> u64 {
        self.address.into()
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn ctype(&self) -> CType {
        CType::Unreported
    }

    /// Always machine mode: a change of mode, which a retirement stream does not show, would cost
    /// a packet more.
    fn context(&self) -> Context {
        Context {
            privilege: Privilege::Machine,
            context: 0,
        }
    }
}

/// The trace that is open: encoder and decoder.
struct Open {
    generator: Generator<Traced>,
    tracer: Tracer<Code, Stack>,
    /// What the decoder has, kept beside so that it is known what it will foretell.
    stack: Stack,
    /// Instructions that retired and that the decoder has not told yet.
    expected: VecDeque<u32>,
    /// The step that the generator holds, and whether it comes right after a foretold return.
    held_after_return: bool,
    /// The last step was a foretold return.
    after_return: bool,
    /// Something was traced.
    stepped: bool,
}

/// Whether the decoder's stack has an instruction's next address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Foretold {
    Nothing,
    Right,
    Wrong,
}

/// E-Trace, plain or with implicit return.
pub struct Etrace {
    implicit_return: bool,
    interval: u32,
    position: u32,
    parameters: Parameters,
    open: Option<Open>,
    code: Code,
    /// Where the instruction before leads, if it is in this trace.
    leads_to: Option<u32>,
}

impl Etrace {
    /// With intervals of this length.
    pub fn new(interval: u32, implicit_return: bool) -> Self {
        Self {
            implicit_return,
            interval,
            position: 0,
            parameters: Parameters {
                // No compressed instructions: two address bits are always 0.
                iaddress_lsb_p: 2,
                return_stack_size_p: if implicit_return { STACK_BITS } else { 0 },
                ..Parameters::default()
            },
            open: None,
            code: Code::default(),
            leads_to: None,
        }
    }

    fn begin(&mut self) -> Result<Open> {
        let mut generator = generator::builder()
            .with_params(&self.parameters)
            .build()
            .map_err(|error| anyhow!("no E-Trace generator: {error}"))?;
        generator
            .begin_qualification(Default::default(), Default::default())
            .map_err(|error| anyhow!("no E-Trace generator: {error}"))?;
        let tracer = tracer::builder()
            .with_binary(std::mem::take(&mut self.code))
            .with_params(&self.parameters)
            .with_implicit_return(self.implicit_return)
            .build()
            .map_err(|error| anyhow!("no E-Trace decoder: {error:?}"))?;
        Ok(Open {
            generator,
            tracer,
            stack: Stack::new(1 << STACK_BITS).context("the stack has its own size")?,
            expected: VecDeque::new(),
            held_after_return: false,
            after_return: false,
            stepped: false,
        })
    }

    /// Ends the open trace: everything that retired must have come out of the decoder.
    fn end(&mut self) -> Result<u64> {
        let Some(mut open) = self.open.take() else {
            return Ok(0);
        };
        let payloads: Vec<_> = open.generator.end_qualification(false).collect();
        let mut bits = 0;
        for payload in payloads {
            let payload = payload.map_err(|error| anyhow!("E-Trace: {error}"))?;
            bits += self.send(&mut open, payload)?;
        }
        ensure!(
            open.expected.is_empty(),
            "E-Trace's decoder leaves {} instructions out, from {:#x} on",
            open.expected.len(),
            open.expected[0]
        );
        self.code = std::mem::take(open.tracer.binary_mut());
        Ok(bits)
    }

    fn step(&self, open: &mut Open, step: Traced, foretold: bool) -> Result<u64> {
        // What comes out now is about the step before.
        let payloads: Vec<_> = open.generator.process_step(step, None).collect();
        let mut bits = 0;
        for payload in payloads {
            let payload = payload.map_err(|error| anyhow!("E-Trace: {error}"))?;
            bits += self.send(open, payload)?;
        }
        open.held_after_return = open.after_return;
        open.after_return = foretold;
        open.stepped = true;
        Ok(bits)
    }

    /// Encodes a payload, decodes its bytes, and follows what they say.
    fn send(&self, open: &mut Open, mut payload: Payload) -> Result<u64> {
        let mut support = false;
        match &mut payload {
            InstructionTrace::Synchronization(Synchronization::Support(told)) => {
                told.ioptions.implicit_return = self.implicit_return;
                support = true;
            }
            // The decoder does not stop by itself at an address right behind a return, foretold
            // or not; a notification stops it.
            InstructionTrace::Address(address) if open.held_after_return => address.notify = true,
            InstructionTrace::Branch(branch) if open.held_after_return => {
                if let Some(address) = &mut branch.address {
                    address.notify = true;
                }
            }
            _ => {}
        }
        let builder = packet::builder().with_params(&self.parameters);
        let mut buffer = [0; LONGEST_PAYLOAD];
        let mut encoder = builder.encoder(&mut buffer);
        let encoded = encoder.encode(&payload);
        encoded.map_err(|error| anyhow!("E-Trace: {error}"))?;
        let length = LONGEST_PAYLOAD - encoder.uncommitted();
        let mut decoded: Payload = builder
            .decoder(&buffer[..length])
            .decode_payload()
            .map_err(|error| anyhow!("E-Trace: {error}"))?;
        if let InstructionTrace::Synchronization(Synchronization::Trap(trap)) = &mut decoded {
            // At an interrupt the decoder does not take the step that the last instruction leads
            // to, and a branch stays in its map. As an exception it does.
            trap.info.tval.get_or_insert(0);
        }
        follow(open, &decoded)?;
        Ok(if support { 0 } else { 8 * length as u64 })
    }

    /// Returns the bits, and whether the trace cannot go on.
    fn retire(&self, open: &mut Open, retire: &Retire, word: Word) -> Result<(u64, bool)> {
        let mut bits = 0;
        if let Some(address) = self.leads_to.filter(|&pc| pc != retire.pc_rdata) {
            // The port does not say which interrupt it was; all take as many bits.
            let info = trap::Info {
                ecause: TIMER,
                tval: None,
            };
            let kind = Kind::Trap {
                insn_size: None,
                info,
            };
            bits += self.step(open, Traced { address, kind }, false)?;
        }
        let (kind, foretold) = if retire.trap {
            (trapped(retire, word), Foretold::Nothing)
        } else {
            let taken = retire.pc_wdata != retire.pc_rdata.wrapping_add(4);
            let kind = Kind::from_instruction(word, taken, None);
            match self.foretell(open, retire, word) {
                Foretold::Right => (inferred(), Foretold::Right),
                other => (kind, other),
            }
        };
        let address = retire.pc_rdata;
        if kind.is_exc_only() && !open.stepped {
            // Nothing has been traced yet, and this does not retire: the handler is the start.
            return Ok((0, true));
        }
        if !kind.is_exc_only() {
            open.expected.push_back(address);
        }
        bits += self.step(open, Traced { address, kind }, foretold == Foretold::Right)?;
        Ok((bits, foretold == Foretold::Wrong))
    }

    /// What the decoder will make of a call or return.
    fn foretell(&self, open: &mut Open, retire: &Retire, word: Word) -> Foretold {
        if !self.implicit_return {
            return Foretold::Nothing;
        }
        if word.is_call() {
            open.stack.push(u64::from(retire.pc_rdata) + 4);
            return Foretold::Nothing;
        }
        match word.is_return().then(|| open.stack.pop()).flatten() {
            Some(top) if top == u64::from(retire.pc_wdata) => Foretold::Right,
            Some(_) => Foretold::Wrong,
            None => Foretold::Nothing,
        }
    }

    fn forget(&mut self) -> Result<u64> {
        self.leads_to = None;
        self.end()
    }
}

impl Scheme for Etrace {
    fn event(&mut self, event: Event<'_>) -> Result<u64> {
        let Event::Retire(retire) = event else {
            return Ok(0);
        };
        let word = decoded(retire.insn);
        let mut bits = 0;
        let known = match &mut self.open {
            Some(open) => open.tracer.binary_mut().get(retire.pc_rdata),
            None => self.code.get(retire.pc_rdata),
        };
        if known.is_some_and(|known| known != word) {
            bits += self.forget()?;
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin()?,
        };
        if known != Some(word) {
            open.tracer.binary_mut().put(retire.pc_rdata, word);
        }
        let (grown, over) = self.retire(&mut open, retire, word)?;
        bits += grown;
        self.open = Some(open);
        self.leads_to = Some(retire.pc_wdata);
        self.position += 1;
        if self.position == self.interval || over {
            bits += self.forget()?;
        }
        if self.position == self.interval {
            self.position = 0;
        }
        Ok(bits)
    }

    fn finish(&mut self) -> Result<u64> {
        self.forget()
    }
}

/// A jump that the decoder works out by itself.
fn inferred() -> Kind {
    Kind::Jump {
        insn_size: Default::default(),
        kind: JumpType::InferOther,
        sequentially_inferable: false,
    }
}

/// An exception. Its cause and value are not on the port: what stands for them has their width.
fn trapped(retire: &Retire, word: Word) -> Kind {
    let called = word.is_ecall_or_ebreak();
    let ecause = match retire.insn {
        0x0000_0073 => ECALL,
        _ => BREAKPOINT,
    };
    Kind::Trap {
        insn_size: called.then(Default::default),
        info: trap::Info {
            ecause,
            tval: Some(retire.pc_rdata.into()),
        },
    }
}

/// Lets the decoder go as far as a payload leads, and compares.
fn follow(open: &mut Open, payload: &Payload) -> Result<()> {
    let went = open.tracer.process_te_inst(payload);
    went.map_err(|error| anyhow!("E-Trace's decoder: {error:?} at {payload}"))?;
    for item in open.tracer.by_ref() {
        let item = item.map_err(|error| anyhow!("E-Trace's decoder: {error:?} at {payload}"))?;
        if item.instruction().is_none() {
            continue;
        }
        let expected = open.expected.pop_front();
        ensure!(
            expected.map(u64::from) == Some(item.pc()),
            "E-Trace's decoder says {:#x} where {expected:#x?} retired, at {payload}",
            item.pc()
        );
    }
    Ok(())
}
