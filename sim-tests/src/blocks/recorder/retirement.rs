//! What the recorder makes of one retirement: the first stage and the digest's step.

use crate::blocks::{retirement_ports, seldom, word, Inputs, Lockstep};
use lookback_hdl::recorder::config::{MEM_BASE, MEM_MASK};
use lookback_log_format::retire::lanes;
use lookback_log_format::Retire;
use lookback_model::digest::Digest;
use lookback_model::recorder::Operation;
use proptest::collection::vec;
use proptest::prelude::*;

/// Retirements as the digest's step gets them: what they do not have is zero.
#[derive(Default)]
pub struct DigestSteps(Digest);

impl Lockstep for DigestSteps {
    type Step = Retire;

    fn runs() -> BoxedStrategy<Vec<Retire>> {
        let retire = (
            word(),
            word(),
            word(),
            0..16u8,
            0..32u8,
            word(),
            seldom(200),
        )
            .prop_map(
                |(pc_rdata, mem_addr, mem_wdata, mem_wmask, rd_addr, rd_wdata, trap)| Retire {
                    pc_rdata,
                    mem_addr,
                    mem_wdata,
                    mem_wmask,
                    rd_addr,
                    rd_wdata,
                    trap,
                    ..Retire::default()
                },
            );
        vec(retire, 1..80).boxed()
    }

    fn inputs(&self, r: &Retire) -> Vec<(&'static str, u32)> {
        let stores = !r.trap && r.mem_wmask != 0;
        let mask = if r.trap { 0 } else { r.mem_wmask };
        let rd = if r.trap { 0 } else { r.rd_addr };
        vec![
            ("digest", self.0.value()),
            ("pc", r.pc_rdata),
            ("store_addr", if stores { r.mem_addr } else { 0 }),
            ("store_data", r.mem_wdata & lanes(mask)),
            ("store_mask", mask.into()),
            ("rd_addr", rd.into()),
            ("rd_data", if rd == 0 { 0 } else { r.rd_wdata }),
            ("trap", r.trap.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        self.0.retire(&Retire {
            pc_rdata: inputs.get("pc"),
            mem_addr: inputs.get("store_addr"),
            mem_wdata: inputs.get("store_data"),
            mem_wmask: inputs.get("store_mask") as u8,
            rd_addr: inputs.get("rd_addr") as u8,
            rd_wdata: inputs.get("rd_data"),
            trap: inputs.is("trap"),
            ..Retire::default()
        });
        vec![("stepped", self.0.value())]
    }
}

/// The first stage: what kind of instruction retired in the cycle before.
#[derive(Default)]
pub struct FirstStage {
    before: Option<Port>,
    /// where the retirement before that one leads, if that can be known
    previous: Option<Option<u32>>,
}

/// One cycle of the recorder's ports.
#[derive(Clone, Debug)]
pub struct Port {
    valid: bool,
    retire: Retire,
    snoop: bool,
    snoop_addr: u32,
    snoop_mask: u8,
    /// the result is no function of what is known, and neither is the next address
    opaque: (bool, bool),
    /// base and mask of memory, of the whole run
    region: (u32, u32),
}

/// Instructions that the stage tells apart, and others.
fn insn() -> BoxedStrategy<u32> {
    let opcode = prop_oneof![
        4 => Just(0x73u32),
        4 => Just(0x2f),
        2 => Just(0x03),
        1 => Just(0x72),
        1 => Just(0x6f),
        2 => 0..128u32,
    ];
    let funct3 = prop_oneof![Just(0u32), 0..8u32];
    let funct5 = prop_oneof![Just(3u32), Just(2), Just(1), 0..32u32];
    (opcode, funct3, funct5, any::<u32>())
        .prop_map(|(opcode, funct3, funct5, rest)| {
            opcode | funct3 << 12 | funct5 << 27 | rest & 0x07ff_8f80
        })
        .boxed()
}

/// Addresses in and outside of memory, aligned.
fn address() -> BoxedStrategy<u32> {
    prop_oneof![word(), (0..64u32).prop_map(|n| 0x7fff_ff80 + 4 * n)]
        .prop_map(|addr| addr & !3)
        .boxed()
}

fn retirement() -> BoxedStrategy<Retire> {
    let place = (
        insn(),
        address(),
        prop_oneof![Just(0u32), Just(4), word()],
        0..4u8,
    );
    let register = (prop_oneof![Just(0u8), 0..32u8], word());
    let mask = || prop_oneof![2 => Just(0u8), 1 => Just(15u8), 3 => 0..16u8];
    let memory = (address(), mask(), mask(), word(), word());
    (place, register, memory, seldom(150))
        .prop_map(|(place, register, memory, trap)| {
            let (insn, pc_rdata, pc_step, mode) = place;
            let (rd_addr, rd_wdata) = register;
            let (mem_addr, rmask, wmask, mem_rdata, mem_wdata) = memory;
            let system = insn & 0x7f == 0x73;
            let conditional = insn & 0x7f == 0x2f && insn >> 27 == 3;
            Retire {
                insn,
                trap,
                mode,
                rd_addr,
                rd_wdata,
                pc_rdata,
                pc_wdata: pc_rdata.wrapping_add(pc_step),
                mem_addr,
                // A CSR instruction accesses no memory, a store-conditional reads none.
                mem_rmask: if system || conditional { 0 } else { rmask },
                mem_wmask: if system { 0 } else { wmask },
                mem_rdata,
                mem_wdata,
                ..Retire::default()
            }
        })
        .boxed()
}

/// Most instructions follow the one before.
fn follow(ports: Vec<(Port, bool)>) -> Vec<Port> {
    let mut next = 0;
    let mut run = Vec::new();
    let region = ports.first().map_or((0, 0), |(port, _)| port.region);
    for (mut port, jumps) in ports {
        port.region = region;
        if port.opaque.0 {
            port.retire.insn = port.retire.insn & !0x7f | 0x0b;
            port.retire.mem_rmask = 0;
            port.retire.mem_wmask = 0;
        }
        if !jumps {
            let step = port.retire.pc_wdata.wrapping_sub(port.retire.pc_rdata);
            port.retire.pc_rdata = next;
            port.retire.pc_wdata = next.wrapping_add(step);
        }
        if port.valid {
            next = port.retire.pc_wdata;
        }
        run.push(port);
    }
    run
}

impl Port {
    fn in_memory(&self, addr: u32) -> bool {
        addr & self.region.1 == self.region.0
    }

    fn operation(&self) -> Option<Operation> {
        if self.opaque.0 && !self.retire.trap {
            // An opaque instruction accesses nothing.
            let rd = self.retire.rd_addr;
            return (rd != 0).then_some(Operation::Opaque(self.retire.rd_wdata));
        }
        Operation::of(&self.retire)
    }
}

impl FirstStage {
    fn of_retirement(&self, port: &Port) -> Vec<(&'static str, u32)> {
        let r = &port.retire;
        let (rmask, wmask) = if r.trap {
            (0, 0)
        } else {
            (r.mem_rmask, r.mem_wmask)
        };
        let rd = if r.trap { 0 } else { r.rd_addr };
        let store = wmask != 0;
        let operation = port.operation();
        let mut seen = vec![
            ("trap", r.trap.into()),
            ("mode", r.mode.into()),
            ("insn", r.insn),
            ("pc", r.pc_rdata),
            ("pc_in_memory", port.in_memory(r.pc_rdata).into()),
            ("rd_addr", rd.into()),
            ("rd_data", if rd == 0 { 0 } else { r.rd_wdata }),
            ("store_addr", if store { r.mem_addr } else { 0 }),
            ("rmask", rmask.into()),
            ("wmask", wmask.into()),
            ("store", store.into()),
            ("store_data", r.mem_wdata & lanes(wmask)),
            (
                "data",
                (rmask | wmask != 0 && port.in_memory(r.mem_addr)).into(),
            ),
            ("operation", operation.is_some().into()),
        ];
        if rmask | wmask != 0 {
            seen.push(("addr", r.mem_addr));
        }
        if let Some(operation) = operation {
            let (certain, value) = match operation {
                Operation::MemoryRead(value) => (!port.in_memory(r.mem_addr), value),
                Operation::CsrRead(value)
                | Operation::StoreConditional(value)
                | Operation::Opaque(value) => (true, value),
            };
            seen.extend([("certain", certain.into()), ("value", value)]);
        }
        if let Some(next) = self.previous {
            seen.push(("redirect", (next != Some(r.pc_rdata)).into()));
        }
        seen
    }
}

impl Lockstep for FirstStage {
    type Step = Port;

    fn runs() -> BoxedStrategy<Vec<Port>> {
        let snoop = (seldom(300), address(), prop_oneof![Just(0u8), 0..16u8]);
        let opaque = (seldom(100), seldom(50));
        let region = prop_oneof![
            Just((MEM_BASE, MEM_MASK)),
            Just((0x2000_0000, 0xf000_0000)),
            Just((0, 0xffff_0000)),
        ];
        let rest = (opaque, region);
        let port = (seldom(700), retirement(), snoop, rest);
        let port = port.prop_map(
            |(valid, retire, (snoop, snoop_addr, snoop_mask), (opaque, region))| Port {
                valid,
                retire,
                snoop,
                snoop_addr,
                snoop_mask,
                opaque,
                region,
            },
        );
        vec((port, seldom(200)), 1..150).prop_map(follow).boxed()
    }

    fn inputs(&self, port: &Port) -> Vec<(&'static str, u32)> {
        let r = &port.retire;
        let mut inputs = retirement_ports(r).to_vec();
        inputs.extend([
            ("mem_base", port.region.0),
            ("mem_mask", port.region.1),
            ("rvfi_opaque", port.opaque.0.into()),
            ("rvfi_jumps", port.opaque.1.into()),
            ("rvfi_valid", port.valid.into()),
            ("rvfi_mode", r.mode.into()),
            ("snoop_valid", port.snoop.into()),
            ("snoop_addr", port.snoop_addr),
            ("snoop_mask", port.snoop_mask.into()),
        ]);
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = Vec::new();
        if let Some(port) = &self.before {
            seen.push(("valid", port.valid.into()));
            if port.valid {
                seen.extend(self.of_retirement(port));
            }
            let snooped = port.snoop && port.snoop_mask != 0;
            let memory = snooped && port.in_memory(port.snoop_addr);
            seen.push(("snooped", snooped.into()));
            seen.push(("snooped_memory", memory.into()));
            if snooped {
                seen.push(("snooped_addr", port.snoop_addr));
                seen.push(("snooped_mask", port.snoop_mask.into()));
            }
            if port.valid {
                let r = &port.retire;
                let returns = r.insn & 0x7f == 0x73 && r.insn >> 12 & 7 == 0;
                let known = !r.trap && !returns && !port.opaque.1;
                self.previous = Some(known.then_some(r.pc_wdata));
            }
        }
        self.before = Some(port_of(inputs));
        seen
    }
}

fn port_of(inputs: &Inputs) -> Port {
    Port {
        valid: inputs.is("rvfi_valid"),
        retire: Retire {
            insn: inputs.get("rvfi_insn"),
            trap: inputs.is("rvfi_trap"),
            mode: inputs.get("rvfi_mode") as u8,
            rd_addr: inputs.get("rvfi_rd_addr") as u8,
            rd_wdata: inputs.get("rvfi_rd_wdata"),
            pc_rdata: inputs.get("rvfi_pc_rdata"),
            pc_wdata: inputs.get("rvfi_pc_wdata"),
            mem_addr: inputs.get("rvfi_mem_addr"),
            mem_rmask: inputs.get("rvfi_mem_rmask") as u8,
            mem_wmask: inputs.get("rvfi_mem_wmask") as u8,
            mem_rdata: inputs.get("rvfi_mem_rdata"),
            mem_wdata: inputs.get("rvfi_mem_wdata"),
            ..Retire::default()
        },
        snoop: inputs.is("snoop_valid"),
        snoop_addr: inputs.get("snoop_addr"),
        snoop_mask: inputs.get("snoop_mask") as u8,
        opaque: (inputs.is("rvfi_opaque"), inputs.is("rvfi_jumps")),
        region: (inputs.get("mem_base"), inputs.get("mem_mask")),
    }
}
