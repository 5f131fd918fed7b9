//! Ports of any style made one, and the words that the replayer does not execute.

use crate::blocks::soc::insn;
use crate::blocks::{retirement_ports, seldom, word, Inputs, Lockstep};
use lookback_log_format::isa::{expand, is_compressed, is_opaque, C_EBREAK};
use lookback_log_format::Retire;
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::attach::Adapted;
use lookback_model::stimulus::Random;
use proptest::collection::vec;
use proptest::prelude::*;

/// Which words the replayer does not execute.
#[derive(Default)]
pub struct Opaque;

impl Lockstep for Opaque {
    type Step = u32;

    fn runs() -> BoxedStrategy<Vec<u32>> {
        vec(insn(), 1..100).boxed()
    }

    fn inputs(&self, word: &u32) -> Vec<(&'static str, u32)> {
        vec![("insn", *word)]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        vec![("opaque", is_opaque(inputs.get("insn")).into())]
    }
}

/// Full-size instructions of compressed ones.
#[derive(Default)]
pub struct Expanded;

impl Lockstep for Expanded {
    type Step = u32;

    fn runs() -> BoxedStrategy<Vec<u32>> {
        vec(any::<u32>(), 1..400).boxed()
    }

    fn inputs(&self, word: &u32) -> Vec<(&'static str, u32)> {
        vec![("insn", *word)]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let insn = inputs.get("insn");
        vec![
            ("word", expand(insn)),
            ("short", is_compressed(insn).into()),
        ]
    }
}

/// Ports of any style, made one, a cycle later.
#[derive(Default)]
pub struct Uniform(Option<Port>);

/// One cycle of a core's port.
#[derive(Clone, Debug)]
pub struct Port {
    valid: bool,
    raw: Retire,
    old_rd: u32,
    log_results: bool,
    snoop: (bool, u32, u32),
}

impl Lockstep for Uniform {
    type Step = Port;

    fn runs() -> BoxedStrategy<Vec<Port>> {
        let cycle = (
            seldom(800),
            word(),
            (seldom(200), word(), 0..16u32),
            seldom(50),
            seldom(300),
        );
        let style = proptest::sample::select(&Style::ALL[..]);
        (any::<u64>(), style, any::<bool>(), vec(cycle, 1..200))
            .prop_map(|(seed, style, damaged, cycles)| {
                let mut random = Random::new(seed ^ 3);
                let core = Core::new(seed, style);
                let port = |(mut raw, (valid, old_rd, snoop, trap, log_results)): (Retire, _)| {
                    if damaged {
                        (0..random.below(4)).for_each(|_| {
                            damage(&mut raw, &mut random);
                        });
                        raw.trap = trap;
                    }
                    Port {
                        valid,
                        raw,
                        old_rd,
                        log_results,
                        snoop,
                    }
                };
                core.zip(cycles).map(port).collect()
            })
            .boxed()
    }

    fn inputs(&self, port: &Port) -> Vec<(&'static str, u32)> {
        let r = &port.raw;
        let mut inputs = retirement_ports(r).to_vec();
        inputs.extend([
            ("rvfi_valid", port.valid.into()),
            ("rvfi_mode", r.mode.into()),
            ("rvfi_rs1_addr", r.rs1_addr.into()),
            ("rvfi_rs1_rdata", r.rs1_rdata),
            ("old_rd", port.old_rd),
            ("log_results", port.log_results.into()),
            ("snoop_valid", port.snoop.0.into()),
            ("snoop_addr", port.snoop.1),
            ("snoop_mask", port.snoop.2),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let shown = self.0.take().map(|port| {
            let Adapted {
                retire: r,
                opaque,
                jumps,
                loose,
            } = Adapted::new(&port.raw, port.old_rd, port.log_results);
            [
                ("valid", port.valid.into()),
                ("insn", r.insn),
                ("trap", r.trap.into()),
                ("mode", r.mode.into()),
                ("rd_addr", r.rd_addr.into()),
                ("rd_wdata", r.rd_wdata),
                ("pc_rdata", r.pc_rdata),
                ("pc_wdata", r.pc_wdata),
                ("mem_addr", r.mem_addr),
                ("mem_rmask", r.mem_rmask.into()),
                ("mem_wmask", r.mem_wmask.into()),
                ("mem_rdata", r.mem_rdata),
                ("mem_wdata", r.mem_wdata),
                ("opaque", opaque.into()),
                ("jumps", jumps.into()),
                ("loose", loose.into()),
                ("breaks", (port.raw.insn & 0xffff == C_EBREAK).into()),
                ("snooped", port.snoop.0.into()),
                ("snooped_addr", port.snoop.1),
                ("snooped_mask", port.snoop.2),
            ]
        });
        self.0 = Some(port_of(inputs));
        shown.into_iter().flatten().collect()
    }
}

fn port_of(inputs: &Inputs) -> Port {
    let byte = |port: &str| inputs.get(port) as u8;
    Port {
        valid: inputs.is("rvfi_valid"),
        raw: Retire {
            insn: inputs.get("rvfi_insn"),
            trap: inputs.is("rvfi_trap"),
            mode: byte("rvfi_mode"),
            rs1_addr: byte("rvfi_rs1_addr"),
            rs1_rdata: inputs.get("rvfi_rs1_rdata"),
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
        },
        old_rd: inputs.get("old_rd"),
        log_results: inputs.is("log_results"),
        snoop: (
            inputs.is("snoop_valid"),
            inputs.get("snoop_addr"),
            inputs.get("snoop_mask"),
        ),
    }
}
