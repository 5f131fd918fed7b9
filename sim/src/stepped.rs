//! The engine that needs nothing installed: rust-hdl's simulator, stepped without threads.

use lookback_hdl::harness::settle;
use rust_hdl::prelude::*;

use crate::engine::{Edge, Engine, Exchange, Record, BUFFER};

/// Inputs that change from cycle to cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CycleInputs {
    pub reset: bool,
    pub hold: bool,
    pub ram_bytes: u32,
    pub bit_clocks: u16,
    pub gpio_in: u32,
    pub ram_rdata: u32,
    pub log_rx: bool,
    pub console_rx: Option<u8>,
}

/// Outputs that matter in every cycle; the retirement port is read only when it is valid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CycleOutputs {
    pub ram_req: bool,
    pub ram_addr: u32,
    pub ram_wdata: u32,
    pub ram_wstrb: u8,
    pub console_tx: Option<u8>,
    pub console_rx_ready: bool,
    pub gpio_out: u32,
    pub finished: bool,
    pub finish_code: u32,
    pub log_tx: bool,
    pub stalled: bool,
    pub rvfi_valid: bool,
    pub snoop_valid: bool,
}

/// The ports that all simulated boards have.
pub(crate) trait Pins: Block {
    fn set_clock(&mut self, level: bool);
    fn set_inputs(&mut self, inputs: &CycleInputs);
    fn outputs(&self) -> CycleOutputs;
    fn retirement(&self) -> Record;
    fn snoop(&self) -> Record;
}

/// Implements [`Pins`] for a block with the ports of a simulated board.
macro_rules! board_pins {
    ($(<$($size:ident),+>)? $board:ty) => {
        impl $(<$(const $size: usize),+>)? $crate::stepped::Pins for $board {
            fn set_clock(&mut self, level: bool) {
                self.clock.next = rust_hdl::prelude::Clock { clk: level };
            }

            fn set_inputs(&mut self, inputs: &$crate::stepped::CycleInputs) {
                self.reset.next = inputs.reset;
                self.hold.next = inputs.hold;
                self.ram_bytes.next = u64::from(inputs.ram_bytes).into();
                self.bit_clocks.next = u64::from(inputs.bit_clocks).into();
                self.gpio_in.next = u64::from(inputs.gpio_in).into();
                self.ram_rdata.next = u64::from(inputs.ram_rdata).into();
                self.log_rx.next = inputs.log_rx;
                self.console_rx_valid.next = inputs.console_rx.is_some();
                self.console_rx_data.next = u64::from(inputs.console_rx.unwrap_or(0)).into();
            }

            fn outputs(&self) -> $crate::stepped::CycleOutputs {
                let console = self.console_tx_data.val().to_u8();
                $crate::stepped::CycleOutputs {
                    ram_req: self.ram_req.val(),
                    ram_addr: self.ram_addr.val().to_u32(),
                    ram_wdata: self.ram_wdata.val().to_u32(),
                    ram_wstrb: self.ram_wstrb.val().to_u8(),
                    console_tx: self.console_tx_valid.val().then_some(console),
                    console_rx_ready: self.console_rx_ready.val(),
                    gpio_out: self.gpio_out.val().to_u32(),
                    finished: self.finished.val(),
                    finish_code: self.finish_code.val().to_u32(),
                    log_tx: self.log_tx.val(),
                    stalled: self.stalled.val(),
                    rvfi_valid: self.rvfi_valid.val(),
                    snoop_valid: self.snoop_valid.val(),
                }
            }

            fn retirement(&self) -> $crate::engine::Record {
                $crate::engine::Record {
                    kind: 0,
                    insn: self.rvfi_insn.val().to_u32(),
                    flags: u32::from(self.rvfi_trap.val())
                        | u32::from(self.rvfi_intr.val()) << 1
                        | self.rvfi_mode.val().to_u32() << 2,
                    registers: self.rvfi_rs1_addr.val().to_u32()
                        | self.rvfi_rs2_addr.val().to_u32() << 8
                        | self.rvfi_rd_addr.val().to_u32() << 16,
                    rs1_rdata: self.rvfi_rs1_rdata.val().to_u32(),
                    rs2_rdata: self.rvfi_rs2_rdata.val().to_u32(),
                    rd_wdata: self.rvfi_rd_wdata.val().to_u32(),
                    pc_rdata: self.rvfi_pc_rdata.val().to_u32(),
                    pc_wdata: self.rvfi_pc_wdata.val().to_u32(),
                    mem_addr: self.rvfi_mem_addr.val().to_u32(),
                    masks: self.rvfi_mem_rmask.val().to_u32()
                        | self.rvfi_mem_wmask.val().to_u32() << 4,
                    mem_rdata: self.rvfi_mem_rdata.val().to_u32(),
                    mem_wdata: self.rvfi_mem_wdata.val().to_u32(),
                }
            }

            fn snoop(&self) -> $crate::engine::Record {
                $crate::engine::Record {
                    kind: 1,
                    mem_addr: self.snoop_addr.val().to_u32(),
                    masks: self.snoop_mask.val().to_u32() << 4,
                    ..$crate::engine::Record::default()
                }
            }
        }
    };
}
pub(crate) use board_pins;

/// A board in rust-hdl's simulator.
pub(crate) struct Stepped<B>(Box<B>);

impl<B: Pins> Stepped<B> {
    pub(crate) fn new(mut board: B) -> Self {
        board.connect_all();
        Stepped(Box::new(board))
    }
}

impl<B: Pins> Engine for Stepped<B> {
    fn run(&mut self, exchange: &mut Exchange, max_cycles: u64) {
        let (mut edges, mut bytes) = (0, 0);
        for _ in 0..max_cycles {
            let trace_length = exchange.trace.as_ref().map_or(0, Vec::len);
            if exchange.log_tx.len() >= BUFFER
                || exchange.console_out.len() >= BUFFER
                || trace_length + 2 > BUFFER
            {
                break;
            }
            let was_finished = exchange.finished();
            cycle(&mut *self.0, exchange, &mut edges, &mut bytes);
            if exchange.finished() && !was_finished {
                break;
            }
        }
        exchange.log_rx.drain(..edges);
        exchange.console_in.drain(..bytes);
    }
}

/// One clock cycle, exactly as `shim.cpp` does it.
fn cycle<B: Pins>(board: &mut B, exchange: &mut Exchange, edges: &mut usize, bytes: &mut usize) {
    let state = &mut exchange.state;
    while let Some(edge) = exchange.log_rx.get(*edges) {
        if edge.cycle() > state.cycle {
            break;
        }
        state.log_rx = edge.level().into();
        *edges += 1;
    }
    let inputs = &exchange.inputs;
    let console_rx = exchange.console_in.get(*bytes).copied();
    board.set_inputs(&CycleInputs {
        reset: inputs.reset != 0,
        hold: inputs.hold != 0,
        ram_bytes: inputs.ram_bytes,
        bit_clocks: inputs.bit_clocks as u16,
        gpio_in: inputs.gpio_in,
        ram_rdata: state.ram_rdata,
        log_rx: state.log_rx != 0,
        console_rx,
    });
    board.set_clock(false);
    settle(board);

    let outputs = board.outputs();
    serve_memory(&outputs, &mut state.ram_rdata, &mut exchange.ram);
    if let Some(byte) = outputs.console_tx {
        exchange.console_out.push(byte);
    }
    if console_rx.is_some() && outputs.console_rx_ready {
        *bytes += 1;
    }
    if u32::from(outputs.log_tx) != state.log_tx {
        state.log_tx = outputs.log_tx.into();
        let edge = Edge::new(state.cycle, outputs.log_tx);
        exchange.log_tx.push(edge);
    }
    if inputs.reset == 0 {
        if outputs.ram_req && !outputs.stalled {
            state.started = 1;
        }
        if outputs.finished {
            state.finished = 1;
            state.finish_code = outputs.finish_code;
        } else if state.started != 0 {
            state.program_cycles += 1;
            state.stall_cycles += u64::from(outputs.stalled);
        }
        state.retired += u64::from(outputs.rvfi_valid);
        if let Some(trace) = &mut exchange.trace {
            if outputs.rvfi_valid {
                trace.push(board.retirement());
            }
            if outputs.snoop_valid {
                trace.push(board.snoop());
            }
        }
    }
    state.gpio_out = outputs.gpio_out;
    if let Some(snapshot) = &mut exchange.snapshot {
        snapshot.clear();
        board.accept("top", &mut Snapshot { depth: 0, snapshot });
    }
    board.set_clock(true);
    settle(board);
    state.cycle += 1;
}

/// A read gives its word in the next cycle and keeps it; a write changes the bytes of its strobes.
fn serve_memory(outputs: &CycleOutputs, ram_rdata: &mut u32, ram: &mut [u32]) {
    if !outputs.ram_req {
        return;
    }
    let Some(word) = ram.get_mut(outputs.ram_addr as usize / 4) else {
        return;
    };
    if outputs.ram_wstrb == 0 {
        *ram_rdata = *word;
    } else {
        let lanes = lookback_log_format::retire::lanes(outputs.ram_wstrb);
        *word = (*word & !lanes) | (outputs.ram_wdata & lanes);
    }
}

/// Reads all ports of the top, in the order of their declaration.
struct Snapshot<'a> {
    depth: usize,
    snapshot: &'a mut Vec<u32>,
}

impl Probe for Snapshot<'_> {
    fn visit_start_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth += 1;
    }
    fn visit_atom(&mut self, _name: &str, signal: &dyn Atom) {
        if self.depth == 1 && signal.kind().is_parameter() {
            self.snapshot.push(value(signal.vcd()));
        }
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.depth -= 1;
    }
}

fn value(value: VCDValue) -> u32 {
    // rust-hdl does not re-export the type of a bit, but a bit prints as in a VCD file.
    let bits = match value {
        VCDValue::Single(bit) => bit.to_string(),
        VCDValue::Vector(bits) => bits.iter().map(ToString::to_string).collect(),
        VCDValue::Composite(_) | VCDValue::String(_) => String::new(),
    };
    bits.bytes()
        .fold(0, |word, bit| word << 1 | u32::from(bit == b'1'))
}
