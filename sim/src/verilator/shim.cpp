// The hot loop around a Verilated board: one call runs many cycles, exactly as `stepped.rs` does.
// The structures are those of `engine.rs` and `verilator.rs`.
#include <cstdint>

#include "Vboard.h"
#include "verilated.h"

#define API extern "C" __attribute__((visibility("default")))

double sc_time_stamp() { return 0; }

struct Inputs {
    uint32_t reset, hold, ram_bytes, bit_clocks, gpio_in, seed;
};

struct State {
    uint64_t cycle, program_cycles, stall_cycles, retired;
    uint32_t started, finished, finish_code, log_rx, log_tx, ram_rdata, gpio_out;
    uint32_t random, pace, spare;
};

struct Record {
    uint32_t kind, insn, flags, registers, rs1_rdata, rs2_rdata, rd_wdata, pc_rdata, pc_wdata;
    uint32_t mem_addr, masks, mem_rdata, mem_wdata;
};

struct Batch {
    Inputs inputs;
    State state;
    uint64_t max_cycles;
    uint32_t* ram;
    uint64_t ram_words;
    const uint64_t* log_rx;
    uint64_t log_rx_length, log_rx_taken;
    const uint8_t* console_in;
    uint64_t console_in_length, console_in_taken;
    uint64_t* log_tx;
    uint64_t log_tx_length, log_tx_capacity;
    uint8_t* console_out;
    uint64_t console_out_length, console_out_capacity;
    Record* trace;
    uint64_t trace_length, trace_capacity;
    uint32_t* snapshot;
};

struct Board {
    VerilatedContext context;
    Vboard pins{&context, "board"};
};

static void take_snapshot(const Vboard& pins, uint32_t* out) {
    // @SNAPSHOT@
}

static void serve_memory(const Vboard& pins, Batch& batch) {
    const uint64_t index = pins.ram_addr >> 2;
    if (!pins.ram_req || index >= batch.ram_words) return;
    uint32_t& word = batch.ram[index];
    if (pins.ram_wstrb == 0) {
        batch.state.ram_rdata = word;
        return;
    }
    uint32_t lanes = 0;
    for (int lane = 0; lane < 4; lane++)
        if (pins.ram_wstrb >> lane & 1) lanes |= 0xffu << (8 * lane);
    word = (word & ~lanes) | (pins.ram_wdata & lanes);
}

#ifdef SEVERAL
static uint32_t hart_of(const Vboard& pins) { return pins.rvfi_hart; }

// The same as in `engine.rs`.
static void hold_back(Vboard& pins, uint32_t seed, State& state) {
    pins.hold_back = 0;
    if (seed == 0 || !state.started) return;
    if (state.random == 0) {
        state.random = seed * 0x9e3779b9u | 1;
        state.pace = state.random >> 7;
    }
    uint32_t x = state.random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    state.random = x;
    if ((x & 127) == 0) state.pace = x >> 7;
    if ((x >> 23 & 7) < (state.pace >> 16 & 7) && (state.pace >> 19 & 3) == 0) {
        pins.hold_back = 15;
        return;
    }
    uint32_t mask = 0;
    for (int hart = 0; hart < 4; hart++)
        if ((x >> (7 + 4 * hart) & 15) < (state.pace >> (4 * hart) & 15)) mask |= 1u << hart;
    pins.hold_back = mask;
}
#else
static uint32_t hart_of(const Vboard&) { return 0; }
static void hold_back(Vboard&, uint32_t, State&) {}
#endif

static void write_trace(const Vboard& pins, Batch& batch) {
    if (pins.rvfi_valid) {
        Record& out = batch.trace[batch.trace_length++];
        out.kind = 0;
        out.insn = pins.rvfi_insn;
        out.flags = pins.rvfi_trap | pins.rvfi_intr << 1 | pins.rvfi_mode << 2 | hart_of(pins) << 4;
        out.registers =
            pins.rvfi_rs1_addr | pins.rvfi_rs2_addr << 8 | pins.rvfi_rd_addr << 16;
        out.rs1_rdata = pins.rvfi_rs1_rdata;
        out.rs2_rdata = pins.rvfi_rs2_rdata;
        out.rd_wdata = pins.rvfi_rd_wdata;
        out.pc_rdata = pins.rvfi_pc_rdata;
        out.pc_wdata = pins.rvfi_pc_wdata;
        out.mem_addr = pins.rvfi_mem_addr;
        out.masks = pins.rvfi_mem_rmask | pins.rvfi_mem_wmask << 4;
        out.mem_rdata = pins.rvfi_mem_rdata;
        out.mem_wdata = pins.rvfi_mem_wdata;
    }
    if (pins.snoop_valid) {
        Record out = {};
        out.kind = 1;
        out.mem_addr = pins.snoop_addr;
        out.masks = pins.snoop_mask << 4;
        batch.trace[batch.trace_length++] = out;
    }
}

static void sample_outputs(const Vboard& pins, Batch& batch, bool console_valid) {
    State& state = batch.state;
    serve_memory(pins, batch);
    if (pins.console_tx_valid) batch.console_out[batch.console_out_length++] = pins.console_tx_data;
    if (console_valid && pins.console_rx_ready) batch.console_in_taken++;
    if (pins.log_tx != state.log_tx) {
        state.log_tx = pins.log_tx;
        batch.log_tx[batch.log_tx_length++] = state.cycle << 1 | state.log_tx;
    }
    if (!batch.inputs.reset) {
        if (pins.ram_req && !pins.stalled) state.started = 1;
        if (pins.finished) {
            state.finished = 1;
            state.finish_code = pins.finish_code;
        } else if (state.started) {
            state.program_cycles++;
            state.stall_cycles += pins.stalled;
        }
        state.retired += pins.rvfi_valid;
        if (batch.trace) write_trace(pins, batch);
    }
    state.gpio_out = pins.gpio_out;
    if (batch.snapshot) take_snapshot(pins, batch.snapshot);
}

API uint64_t lookback_batch_size() { return sizeof(Batch); }

API void* lookback_board_new() { return new Board; }

API void lookback_board_free(void* board) {
    Board* own = static_cast<Board*>(board);
    own->pins.final();
    delete own;
}

API void lookback_board_run(void* board, Batch* shared) {
    Vboard& pins = static_cast<Board*>(board)->pins;
    Batch& batch = *shared;
    State& state = batch.state;
    pins.reset = batch.inputs.reset;
    pins.hold = batch.inputs.hold;
    pins.ram_bytes = batch.inputs.ram_bytes;
    pins.bit_clocks = batch.inputs.bit_clocks;
    pins.gpio_in = batch.inputs.gpio_in;
    for (uint64_t n = 0; n < batch.max_cycles; n++) {
        if (batch.log_tx_length >= batch.log_tx_capacity ||
            batch.console_out_length >= batch.console_out_capacity ||
            (batch.trace && batch.trace_length + 2 > batch.trace_capacity))
            break;
        while (batch.log_rx_taken < batch.log_rx_length &&
               batch.log_rx[batch.log_rx_taken] >> 1 <= state.cycle)
            state.log_rx = batch.log_rx[batch.log_rx_taken++] & 1;
        const bool console_valid = batch.console_in_taken < batch.console_in_length;
        const bool was_finished = state.finished;
        pins.log_rx = state.log_rx;
        pins.ram_rdata = state.ram_rdata;
        pins.console_rx_valid = console_valid;
        pins.console_rx_data = console_valid ? batch.console_in[batch.console_in_taken] : 0;
        hold_back(pins, batch.inputs.seed, state);
        pins.clock = 0;
        pins.eval();
        sample_outputs(pins, batch, console_valid);
        pins.clock = 1;
        pins.eval();
        state.cycle++;
        if (state.finished && !was_finished) break;
    }
}
