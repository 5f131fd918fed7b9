//! The engine that needs nothing installed: rust-hdl's simulator, stepped without threads.

use lookback_hdl::boards::pins::{BoardPins, CycleInputs, CycleOutputs};
use lookback_hdl::harness::settle;
use rust_hdl::prelude::*;

use crate::engine::{hold_back, Edge, Engine, Exchange, BUFFER};

/// A board in rust-hdl's simulator.
pub(crate) struct Stepped(Box<dyn BoardPins>);

impl Stepped {
    pub(crate) fn new(mut board: Box<dyn BoardPins>) -> Self {
        board.connect_all();
        Stepped(board)
    }
}

impl Engine for Stepped {
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
fn cycle(board: &mut dyn BoardPins, exchange: &mut Exchange, edges: &mut usize, bytes: &mut usize) {
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
        hold_back: hold_back(inputs.seed, state),
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
