//! What both engines share: the state of a board between batches of cycles, and the buffers through
//! which its pins talk to the host.
//!
//! A cycle is the same in both, to the last bit: inputs are set while the clock is low, the logic
//! settles, outputs are sampled (memory, console, link, retirement), then the clock rises. The pins
//! of the log link travel as edges, so that an idle line costs nothing.

pub(crate) use lookback_hdl::boards::pins::PortRecord as Record;
use lookback_log_format::Retire;

/// A level change on a wire: the first cycle with the new level, and the level in bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Edge(u64);

impl Edge {
    pub(crate) fn new(cycle: u64, level: bool) -> Self {
        Edge(cycle << 1 | u64::from(level))
    }
    pub(crate) fn cycle(self) -> u64 {
        self.0 >> 1
    }
    pub(crate) fn level(self) -> bool {
        self.0 & 1 != 0
    }
}

/// Inputs that hold their value over a batch. The C++ shim has the same structure.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Inputs {
    pub reset: u32,
    pub hold: u32,
    pub ram_bytes: u32,
    pub bit_clocks: u32,
    pub gpio_in: u32,
    /// Which interleaving of several harts; 0 for that of the hardware alone.
    pub seed: u32,
}

/// What goes on from batch to batch. The C++ shim has the same structure.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct State {
    /// Cycles since power-up.
    pub cycle: u64,
    /// Cycles from the first fetch, with which the program begins, until `finished`.
    pub program_cycles: u64,
    /// Those of them in which the recorder made the hart wait.
    pub stall_cycles: u64,
    /// Retirements since power-up.
    pub retired: u64,
    pub started: u32,
    pub finished: u32,
    pub finish_code: u32,
    pub log_rx: u32,
    pub log_tx: u32,
    pub ram_rdata: u32,
    pub gpio_out: u32,
    /// The random numbers of the interleaving, and how often each hart is held back just now.
    pub random: u32,
    pub pace: u32,
    pub spare: u32,
}

/// One thing that the board's checking ports told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceItem {
    /// An instruction retired.
    Retire {
        /// On this hart.
        hart: u8,
        /// What the port said of it.
        retire: Retire,
    },
    /// Somebody other than the hart wrote to memory.
    Snoop {
        /// Word-aligned address.
        addr: u32,
        /// Bytes written.
        mask: u8,
    },
}

/// What a record says; `order` is the number of retirements before this one; it goes up with each.
pub(crate) fn item(record: &Record, order: &mut u64) -> TraceItem {
    let byte = |word: u32, shift: u32| (word >> shift) as u8;
    if record.kind == 1 {
        return TraceItem::Snoop {
            addr: record.mem_addr,
            mask: byte(record.masks, 4) & 15,
        };
    }
    let retire = Retire {
        order: *order,
        insn: record.insn,
        trap: record.flags & 1 != 0,
        intr: record.flags & 2 != 0,
        mode: byte(record.flags, 2) & 3,
        rs1_addr: byte(record.registers, 0),
        rs2_addr: byte(record.registers, 8),
        rs1_rdata: record.rs1_rdata,
        rs2_rdata: record.rs2_rdata,
        rd_addr: byte(record.registers, 16),
        rd_wdata: record.rd_wdata,
        pc_rdata: record.pc_rdata,
        pc_wdata: record.pc_wdata,
        mem_addr: record.mem_addr,
        mem_rmask: byte(record.masks, 0) & 15,
        mem_wmask: byte(record.masks, 4) & 15,
        mem_rdata: record.mem_rdata,
        mem_wdata: record.mem_wdata,
    };
    *order += 1;
    TraceItem::Retire {
        hart: byte(record.flags, 4) & 3,
        retire,
    }
}

/// The harts that get no access to memory in the next cycle, a bit each: with a seed, each is held back
/// now more often, now less, and sometimes memory is slow for all. `shim.cpp` has the same function. It
/// begins with the program, so that recorded and plain runs are alike.
pub(crate) fn hold_back(seed: u32, state: &mut State) -> u8 {
    if seed == 0 || state.started == 0 {
        return 0;
    }
    if state.random == 0 {
        state.random = seed.wrapping_mul(0x9e37_79b9) | 1;
        state.pace = state.random >> 7;
    }
    let mut x = state.random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    state.random = x;
    if x & 127 == 0 {
        state.pace = x >> 7;
    }
    let slow = x >> 23 & 7 < state.pace >> 16 & 7;
    if slow && state.pace >> 19 & 3 == 0 {
        return 15;
    }
    (0..4).fold(0, |mask, hart| {
        let held = x >> (7 + 4 * hart) & 15 < state.pace >> (4 * hart) & 15;
        mask | u8::from(held) << hart
    })
}

/// Everything that a batch of cycles reads and writes.
#[derive(Default)]
pub(crate) struct Exchange {
    pub inputs: Inputs,
    pub state: State,
    pub ram: Vec<u32>,
    /// Levels to put on the board's receive pin, in the order of their cycles.
    pub log_rx: Vec<Edge>,
    /// Bytes that the console has not taken yet.
    pub console_in: Vec<u8>,
    /// Levels that the board's transmit pin took.
    pub log_tx: Vec<Edge>,
    /// Bytes that the console sent.
    pub console_out: Vec<u8>,
    /// Retirements and snoops, if they are wanted.
    pub trace: Option<Vec<Record>>,
    /// All ports of the last cycle before its rising edge, if they are wanted.
    pub snapshot: Option<Vec<u32>>,
}

impl Exchange {
    /// Starts with the link idle and the board in reset.
    pub(crate) fn new(inputs: Inputs, ram: Vec<u32>) -> Self {
        Exchange {
            inputs: Inputs { reset: 1, ..inputs },
            state: State {
                log_rx: 1,
                log_tx: 1,
                ..State::default()
            },
            ram,
            ..Exchange::default()
        }
    }

    /// Whether the program has ended.
    pub(crate) fn finished(&self) -> bool {
        self.state.finished != 0
    }
}

/// How many edges, bytes or records a batch may add before it returns early.
pub(crate) const BUFFER: usize = 1 << 15;

/// A board that can be clocked.
pub(crate) trait Engine {
    /// Runs up to `max_cycles` cycles; fewer when a buffer fills or the program ends just then.
    fn run(&mut self, exchange: &mut Exchange, max_cycles: u64);
}
