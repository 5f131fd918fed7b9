// Proves: on the recorder's Wishbone port each request gets one acknowledgement and there is none without a request; a read is answered in the next cycle with the register of log-format.md that it addresses; each acknowledged write of a whole word is carried out exactly once, in order, and one that starts a recording only after all 14 configuration registers were sent.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 30 cycles
// Assumes: a master keeps its request as it is until the acknowledgement.
// Block: recorder wishbone
// Fault: a request is acknowledged twice | request = wb_cyc & wb_stb & ~ack_ff__q; => request = wb_cyc & wb_stb;
// Fault: a write is acknowledged while another one is pending | (~wb_we | takes); => 1'b1;
// Fault: a write of one byte is carried out | if (takes & &wb_sel) begin => if (takes) begin
// Fault: a write is carried out twice | announcing_ff__d = pending_ff__q & starts; => announcing_ff__d = pending_ff__q;
// Fault: one register is not sent before a recording | localparam announced = 4'he; => localparam announced = 4'hd;
// Fault: a recording starts before its registers are sent | bus_value = value_ff__q ^ record; => bus_value = value_ff__q;
// Fault: a register reads as its neighbour | counters = lost_lo; => counters = stalls_lo;
module proof (
    input wire clock,
    input wire reset,
    input wire wb_cyc,
    input wire wb_stb,
    input wire wb_we,
    input wire [9:0] wb_adr,
    input wire [3:0] wb_sel,
    input wire [31:0] wb_dat_i,
    input wire quiet,
    input wire [5:0] control_word,
    input wire [4:0] count_bits,
    input wire [5:0] watch,
    input wire [10:0] status,
    input wire [3:0] breach_rule,
    // The other words of the register map, by the numbers below.
    input wire [735:0] words
);
    wire wb_ack, poke, ask;
    wire [31:0] wb_dat_o, bus_value;
    wire [7:0] bus_register;
    wishbone dut (
        .clock(clock), .reset(reset), .wb_cyc(wb_cyc), .wb_stb(wb_stb), .wb_we(wb_we),
        .wb_adr(wb_adr), .wb_sel(wb_sel), .wb_dat_i(wb_dat_i), .wb_ack(wb_ack),
        .wb_dat_o(wb_dat_o), .quiet(quiet), .poke(poke), .ask(ask), .bus_register(bus_register),
        .bus_value(bus_value), .control_word(control_word), .count_bits(count_bits),
        .watch(watch), .status(status), .breach_rule(breach_rule),
        .version(words[0 +: 32]), .tag_sizes(words[32 +: 32]), .sizes(words[64 +: 32]),
        .clock_hz(words[96 +: 32]), .mem_base(words[128 +: 32]), .mem_mask(words[160 +: 32]),
        .interval(words[192 +: 32]), .image_lo(words[224 +: 32]), .image_hi(words[256 +: 32]),
        .post_trigger(words[288 +: 32]), .retired_lo(words[320 +: 32]),
        .retired_hi(words[352 +: 32]), .cycles_lo(words[384 +: 32]), .cycles_hi(words[416 +: 32]),
        .stalls_lo(words[448 +: 32]), .lost_lo(words[480 +: 32]), .breach_at(words[512 +: 32]),
        .breach_pc(words[544 +: 32]), .breach_insn(words[576 +: 32]),
        .breach_want(words[608 +: 32]), .breach_got(words[640 +: 32]),
        .watch_lo(words[672 +: 32]), .watch_hi(words[704 +: 32])
    );
    // Section 6 of the log format.
    reg [31:0] wanted;
    always @* case (wb_adr[9:2])
        8'h00: wanted = 32'h4b4f4f4c;
        8'h01: wanted = words[0 +: 32];
        8'h02: wanted = words[32 +: 32];
        8'h03: wanted = words[64 +: 32];
        8'h04: wanted = words[96 +: 32];
        8'h05: wanted = words[128 +: 32];
        8'h06: wanted = words[160 +: 32];
        8'h07: wanted = 32'h3;
        8'h10: wanted = control_word;
        8'h11: wanted = words[192 +: 32];
        8'h12: wanted = count_bits;
        8'h13: wanted = words[224 +: 32];
        8'h14: wanted = words[256 +: 32];
        8'h15: wanted = words[288 +: 32];
        8'h19: wanted = watch;
        8'h1a: wanted = words[672 +: 32];
        8'h1b: wanted = words[704 +: 32];
        8'h20: wanted = status;
        8'h21: wanted = words[320 +: 32];
        8'h22: wanted = words[352 +: 32];
        8'h23: wanted = words[384 +: 32];
        8'h24: wanted = words[416 +: 32];
        8'h25: wanted = words[448 +: 32];
        8'h26: wanted = words[480 +: 32];
        8'h28: wanted = breach_rule;
        8'h29: wanted = words[512 +: 32];
        8'h2a: wanted = words[544 +: 32];
        8'h2b: wanted = words[576 +: 32];
        8'h2c: wanted = words[608 +: 32];
        8'h2d: wanted = words[640 +: 32];
        default: wanted = 0;
    endcase

    // The specification. A request waits for its acknowledgement;
    reg waiting = 0, was_read = 0;
    reg [47:0] asked;
    reg [31:0] answer;
    wire request = wb_cyc & wb_stb;
    wire [47:0] asks = {wb_we, wb_adr, wb_sel, wb_dat_i, 1'b0};
    // what was taken waits to be carried out, in so many steps;
    reg pending = 0, starting = 0;
    reg [3:0] sent = 0;
    reg [7:0] number;
    reg [31:0] value;
    wire takes = request & !wb_ack & wb_we & !pending & !starting;
    wire starts = number == 8'h10 && value[0] && !control_word[0];
    reg acknowledge = 0;
    always @(posedge clock) begin
        waiting <= request & !wb_ack & !reset;
        was_read <= request & !wb_ack & !wb_we & !reset;
        asked <= asks;
        answer <= wanted;
        acknowledge <= takes & !reset;
        if (takes && wb_sel == 15) {pending, number, value} <= {1'b1, wb_adr[9:2], wb_dat_i};
        if (pending && quiet) begin
            pending <= 0;
            starting <= starts;
            sent <= 0;
        end
        if (starting && quiet) begin
            sent <= sent + 1;
            if (sent == 14) starting <= 0;
        end
        if (reset) {pending, starting} <= 0;
    end

    (* hierconn *) wire \dut.pending_ff__q ;
    (* hierconn *) wire \dut.announcing_ff__q ;
    (* hierconn *) wire [3:0] \dut.next_ff__q ;
    (* hierconn *) wire [7:0] \dut.register_ff__q ;
    (* hierconn *) wire [31:0] \dut.value_ff__q ;
    always @* begin
        if (waiting) assume (request && asks == asked);

        if (wb_ack) a_was_requested: assert (waiting && request);
        if (was_read) a_reads_at_once: assert (wb_ack && wb_dat_o == answer);
        if (!was_read) a_writes_when_taken: assert (wb_ack == acknowledge);
        a_poke: assert (poke == (quiet && (pending || (starting && sent == 14))));
        a_ask: assert (ask == (quiet && starting && sent < 14));
        if (poke) a_poked: assert (bus_register == number
            && bus_value == (pending && starts ? value ^ 1 : value));
        if (ask) a_asked: assert (bus_register == (sent < 8 ? {4'b0, sent} : 8'h10 + (sent - 8)));
        i_one: assert (!(pending && starting) && sent <= 15 && !(starting && sent == 15));
        i_pending: assert (\dut.pending_ff__q == pending && \dut.announcing_ff__q == starting);
        if (starting) i_sent: assert (\dut.next_ff__q == sent);
        if (pending || starting)
            i_taken: assert (\dut.register_ff__q == number && \dut.value_ff__q == value);
        c_started: cover (poke && starting && wb_ack);
        c_read: cover (wb_ack && !wb_we && wb_adr == 10'h098 && wb_dat_o == 32'h1234);
        c_waits: cover (waiting && wb_we && !wb_ack && sent == 14);
    end
endmodule
