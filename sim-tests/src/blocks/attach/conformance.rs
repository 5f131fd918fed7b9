//! The rules of section 8 of the log format, kept by `lookback_model::attach::Conformance`.

use super::raw_ports;
use crate::blocks::{seldom, word, Inputs, Lockstep};
use lookback_log_format::isa::{expand, is_opaque};
use lookback_log_format::Retire;
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::attach::Conformance;
use lookback_model::stimulus::Random;
use proptest::collection::vec;
use proptest::prelude::*;

/// The registers as retirements told.
#[derive(Default)]
pub struct Copied([u32; 32]);

/// Three reads and perhaps a write.
#[derive(Clone, Debug)]
pub struct Access {
    reads: [u32; 3],
    write: Option<(u32, u32)>,
    reset: bool,
}

impl Lockstep for Copied {
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        // Few registers, so that reads meet writes.
        let register = prop_oneof![3 => 0..4u32, 1 => 0..32u32];
        let write = (
            seldom(500),
            prop_oneof![3 => 1..4u32, 1 => 1..32u32],
            word(),
        );
        let access = (proptest::array::uniform3(register), write, seldom(15)).prop_map(
            |(reads, (writes, rd, value), reset)| Access {
                reads,
                write: writes.then_some((rd, value)),
                reset,
            },
        );
        vec(access, 1..150).boxed()
    }

    fn inputs(&self, step: &Access) -> Vec<(&'static str, u32)> {
        let (rd, value) = step.write.unwrap_or((step.reads[0], 0xbad));
        vec![
            ("reset", step.reset.into()),
            ("left_addr", step.reads[0]),
            ("right_addr", step.reads[1]),
            ("old_addr", step.reads[2]),
            ("write", step.write.is_some().into()),
            ("write_addr", rd),
            ("write_data", value),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let register = |port| self.0[inputs.get(port) as usize];
        let seen = vec![
            ("left", register("left_addr")),
            ("right", register("right_addr")),
            ("old", register("old_addr")),
        ];
        if inputs.is("write") {
            self.0[inputs.get("write_addr") as usize] = inputs.get("write_data");
        }
        if inputs.is("reset") {
            self.0 = [0; 32];
        }
        seen
    }
}

/// The rules. A retirement is judged two cycles after it was on the port.
#[derive(Default)]
pub struct Rules {
    model: Conformance,
    registers: [u32; 32],
    under_way: [Option<Retire>; 2],
}

/// One cycle of the port, with the recorder's state beside it.
#[derive(Clone, Debug)]
pub struct Cycle {
    retire: Option<Retire>,
    recording: bool,
    clear: bool,
    /// the number of the retirement that is judged now
    index: u32,
    reset: bool,
}

impl Lockstep for Rules {
    type Step = Cycle;

    fn runs() -> BoxedStrategy<Vec<Cycle>> {
        let cycle = (
            (seldom(750), seldom(40), seldom(20), seldom(100)),
            seldom(950),
            seldom(40),
            word(),
            seldom(4),
        );
        let style = proptest::sample::select(&Style::ALL[..]);
        (any::<u64>(), style, vec(cycle, 1..250))
            .prop_map(|(seed, style, cycles)| {
                let mut random = Random::new(seed ^ 5);
                let mut core = Core::new(seed, style);
                let cycles = cycles.into_iter();
                cycles
                    .map(
                        |((valid, damaged, trap, hidden), recording, clear, index, reset)| {
                            let mut retire = core.next().filter(|_| valid);
                            if let Some(raw) = &mut retire {
                                raw.trap = trap;
                                // A port need not show what is read.
                                if hidden {
                                    (raw.rs1_addr, raw.rs1_rdata) = (0, 0);
                                    (raw.rs2_addr, raw.rs2_rdata) = (0, 0);
                                }
                                // A register that is none of theirs is all that can be wrong with
                                // words which the rules do not know, and they are few.
                                if damaged && is_opaque(expand(raw.insn)) && random.chance(500) {
                                    raw.rd_addr ^= 1 << random.below(5);
                                } else if damaged {
                                    damage(raw, &mut random);
                                }
                            }
                            if reset {
                                core = Core::new(seed ^ u64::from(index), style);
                            }
                            Cycle {
                                retire,
                                recording,
                                clear,
                                index,
                                reset,
                            }
                        },
                    )
                    .collect()
            })
            .boxed()
    }

    fn inputs(&self, step: &Cycle) -> Vec<(&'static str, u32)> {
        let noise = Retire {
            insn: step.index,
            rd_addr: 7,
            rd_wdata: step.index,
            ..Retire::default()
        };
        let mut inputs = raw_ports(&step.retire.unwrap_or(noise));
        inputs.extend([
            ("rvfi_valid", step.retire.is_some().into()),
            ("recording", step.recording.into()),
            ("clear", step.clear.into()),
            ("retired_lo", step.index),
            ("reset", step.reset.into()),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let raw = raw_of(inputs);
        let field = (expand(raw.insn) >> 7 & 31) as usize;
        let mut seen = vec![("old_rd", self.registers[field])];
        let breach = self.model.breach();
        seen.push(("breach", breach.is_some().into()));
        seen.push(("rule", breach.map_or(0, |breach| breach.rule.into())));
        if let Some(breach) = breach {
            seen.extend([
                ("at", breach.at),
                ("pc", breach.pc),
                ("insn", breach.insn),
                ("want", breach.want),
                ("got", breach.got),
            ]);
        }
        // With the first cycle of a recording its first retirement may come.
        if inputs.is("clear") {
            self.model.clear();
        }
        if let Some(judged) = self.under_way[1] {
            let index = inputs.get("retired_lo");
            self.model.retire(&judged, inputs.is("recording"), index);
        }
        let raw = inputs.is("rvfi_valid").then_some(raw);
        self.under_way = [raw, self.under_way[0]];
        if let Some(raw) = raw.filter(|raw| !raw.trap && raw.rd_addr != 0) {
            self.registers[usize::from(raw.rd_addr)] = raw.rd_wdata;
        }
        if inputs.is("reset") {
            *self = Self::default();
        }
        seen
    }
}

fn raw_of(inputs: &Inputs) -> Retire {
    let byte = |port: &str| inputs.get(port) as u8;
    Retire {
        order: inputs.get("rvfi_order").into(),
        insn: inputs.get("rvfi_insn"),
        trap: inputs.is("rvfi_trap"),
        rs1_addr: byte("rvfi_rs1_addr"),
        rs2_addr: byte("rvfi_rs2_addr"),
        rs1_rdata: inputs.get("rvfi_rs1_rdata"),
        rs2_rdata: inputs.get("rvfi_rs2_rdata"),
        rd_addr: byte("rvfi_rd_addr"),
        rd_wdata: inputs.get("rvfi_rd_wdata"),
        pc_rdata: inputs.get("rvfi_pc_rdata"),
        pc_wdata: inputs.get("rvfi_pc_wdata"),
        mem_addr: inputs.get("rvfi_mem_addr"),
        mem_rmask: byte("rvfi_mem_rmask"),
        mem_wmask: byte("rvfi_mem_wmask"),
        mem_rdata: inputs.get("rvfi_mem_rdata"),
        mem_wdata: inputs.get("rvfi_mem_wdata"),
        ..Retire::default()
    }
}
