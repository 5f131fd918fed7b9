//! The triggers of one hart, against `lookback_model::trigger`: which retirement fires, and what is kept
//! of it.

use crate::blocks::{seldom, word, Inputs, Lockstep};
use lookback_hdl::recorder::config::{CLOCK_HZ, TINY};
use lookback_log_format::isa::C_EBREAK;
use lookback_log_format::trigger::{Cause, TriggerSettings, CALL, EBREAK};
use lookback_log_format::{registers, RecorderConfig, Retire};
use lookback_model::trigger::Trigger;
use proptest::collection::vec;
use proptest::prelude::*;

/// The pages in which everything happens, so that windows are met.
const BASE: u32 = 0x8000_0000;

/// The twin: the model, and what stands around it.
pub struct Watch {
    model: Trigger,
    /// the retirement that is judged in this cycle
    last: Option<Retire>,
    /// a recording has begun: what fired before is nobody's
    began: bool,
    /// what stands still until the next begins
    settings: (TriggerSettings, bool),
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            model: Trigger::new(&TINY.config(CLOCK_HZ)),
            last: None,
            began: false,
            settings: Default::default(),
        }
    }
}

/// One cycle.
#[derive(Clone, Debug)]
pub struct Step {
    settings: TriggerSettings,
    on_trap: bool,
    clear: bool,
    retire: Retire,
    breaks: bool,
    pin: bool,
    disarm: bool,
    recording: bool,
    accept: bool,
}

fn insn() -> BoxedStrategy<u32> {
    prop_oneof![
        2 => Just(EBREAK),
        2 => Just(CALL),
        2 => (0..32u32, any::<bool>()).prop_map(|(bit, call)| {
            (if call { CALL } else { EBREAK }) ^ 1 << bit
        }),
        4 => word(),
    ]
    .boxed()
}

/// An address near the windows; data addresses are those of words.
fn address() -> BoxedStrategy<u32> {
    prop_oneof![6 => (0..24u32).prop_map(|word| BASE + 4 * word), 1 => word().prop_map(|w| w & !3)]
        .boxed()
}

impl Lockstep for Watch {
    type Step = Step;

    fn runs() -> BoxedStrategy<Vec<Step>> {
        let stretch = (0..64u32, address(), address(), any::<bool>(), 1..60usize).prop_flat_map(
            |(kinds, lo, hi, on_trap, length)| {
                // Seldom the host: it would fire at once.
                let kinds = if kinds & 0x2b == 0x2b {
                    kinds
                } else {
                    kinds & 31
                };
                let settings = TriggerSettings { kinds, lo, hi };
                let retire = (insn(), seldom(100), address(), address(), 0..16u8, 0..16u8);
                let around = (seldom(20), seldom(30), seldom(50), seldom(900), seldom(500));
                let step = (retire, around, seldom(40)).prop_map(move |(retire, around, clear)| {
                    let (insn, trap, pc_rdata, mem_addr, mem_rmask, mem_wmask) = retire;
                    let (breaks, pin, disarm, recording, accept) = around;
                    Step {
                        settings,
                        on_trap,
                        clear,
                        retire: Retire {
                            insn: if breaks { C_EBREAK } else { insn },
                            trap,
                            pc_rdata,
                            mem_addr,
                            // Often none.
                            mem_rmask: mem_rmask.saturating_sub(8),
                            mem_wmask: mem_wmask.saturating_sub(8),
                            ..Retire::default()
                        },
                        breaks,
                        pin,
                        disarm,
                        recording,
                        accept,
                    }
                });
                vec(step, length)
            },
        );
        vec(stretch, 1..8)
            .prop_map(|stretches| stretches.concat())
            .boxed()
    }

    fn inputs(&self, step: &Step) -> Vec<(&'static str, u32)> {
        let r = &step.retire;
        let last = self.last.unwrap_or_default();
        let (settings, on_trap) = match step.clear {
            true => (step.settings, step.on_trap),
            false => self.settings,
        };
        vec![
            ("clear", step.clear.into()),
            ("rvfi_insn", r.insn),
            ("rvfi_breaks", step.breaks.into()),
            ("rvfi_trap", r.trap.into()),
            ("rvfi_pc_rdata", r.pc_rdata),
            ("rvfi_mem_addr", r.mem_addr),
            ("rvfi_mem_rmask", r.mem_rmask.into()),
            ("rvfi_mem_wmask", r.mem_wmask.into()),
            ("on_trap", on_trap.into()),
            ("watch", settings.kinds),
            ("watch_lo", settings.lo),
            ("watch_hi", settings.hi),
            ("pin", step.pin.into()),
            ("disarm", step.disarm.into()),
            ("recording", step.recording.into()),
            ("trap", last.trap.into()),
            ("accept", step.accept.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = Vec::new();
        let judged = self
            .last
            .take()
            .filter(|_| self.began && !inputs.is("clear"));
        if let Some(r) = judged {
            let mut now = self.model.clone();
            let is_first = now.fired().is_none();
            let fires = !inputs.is("disarm") && now.retire(&r, r.insn);
            seen.push(("cause", self.model.fired().map_or(0, Cause::code).into()));
            if is_first {
                seen.push(("fires", fires.into()));
            }
            if inputs.is("accept") && !inputs.is("disarm") {
                self.model = now;
            }
        }
        if inputs.is("pin") && inputs.is("recording") {
            self.model.pull(Cause::Pin);
        }
        self.last = Some(Retire {
            insn: match inputs.is("rvfi_breaks") {
                true => EBREAK,
                false => inputs.get("rvfi_insn"),
            },
            trap: inputs.is("rvfi_trap"),
            pc_rdata: inputs.get("rvfi_pc_rdata"),
            mem_addr: inputs.get("rvfi_mem_addr"),
            mem_rmask: inputs.get("rvfi_mem_rmask") as u8,
            mem_wmask: inputs.get("rvfi_mem_wmask") as u8,
            ..Retire::default()
        });
        if inputs.is("clear") {
            self.began = true;
            let trigger = TriggerSettings {
                kinds: inputs.get("watch"),
                lo: inputs.get("watch_lo"),
                hi: inputs.get("watch_hi"),
            };
            self.settings = (trigger, inputs.is("on_trap"));
            self.model = Trigger::new(&RecorderConfig {
                control: u32::from(inputs.is("on_trap")) << 3,
                trigger,
                ..TINY.config(CLOCK_HZ)
            });
            if trigger.has(registers::TRIGGER_NOW) {
                self.model.pull(Cause::Host);
            }
        }
        seen
    }
}
