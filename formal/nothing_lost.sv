// Proves: while the recorder may stall the core and the core honours it, nothing is lost: each instruction that retires during a recording is accepted two cycles later, with its entry in the input queue if it needs one, and so is each write of somebody else; no retirement is counted as lost, no gap is logged, whatever the link does.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 30 cycles
// Assumes: CONTROL lets it stall; INTERVAL is at least 8 and stays; no instruction and no write of somebody else begins while `stall` is high; at most three instructions and two writes are under way at the end of a cycle; the encoder says that a header is written only after an interval was opened.
// Block: recorder as recorder
// Memories: give anything
// Free: front__enable
// Free: front__may_stall
// Free: front__interval
// Free: front__post_trigger
// Free: front__byte_ready
// Free: front__count_bits
// Free: front__image_lo
// Free: front__image_hi
// Free: front__trigger_on_trap
// Free: adapter__log_results
// Free: adapter__old_rd
// Free: front__controls__0.sweep_ff__q
// Fault: a filling queue does not stall the core | controls__0__pressure = queues__0__half | fifos__0__pressure; => controls__0__pressure = fifos__0__pressure;
// Fault: the core is stalled one entry late | half = count_ff__q[32'h4] | count_ff__q[32'h3]; => half = count_ff__q[32'h4] | (count_ff__q[32'h3] & |count_ff__q[2:0]);
// Fault: a header that is late does not stall the core | (pressure | (near_ff__q & ~live)) => pressure
// Fault: an interval's end is seen two instructions late | localparam seven_later = 3'b111; => localparam seven_later = 3'b101;
// Fault: somebody else's write makes no entry | (needs_entry | ~open_ff__q | ending)) | snooped; => (needs_entry | ~open_ff__q | ending));
module proof (
    input wire clock,
    input wire reset,
    input wire rvfi_valid,
    input wire rvfi_trap,
    input wire rvfi_halt,
    input wire [31:0] rvfi_insn,
    input wire [31:0] rvfi_pc_rdata,
    input wire [31:0] rvfi_pc_wdata,
    input wire [31:0] rvfi_mem_addr,
    input wire [3:0] rvfi_mem_rmask,
    input wire [3:0] rvfi_mem_wmask,
    input wire [31:0] rvfi_mem_rdata,
    input wire [4:0] rvfi_rs1_addr,
    input wire [4:0] rvfi_rd_addr,
    input wire [31:0] rvfi_rs1_rdata,
    input wire [31:0] rvfi_rd_wdata,
    input wire snoop_valid,
    input wire [31:0] snoop_addr,
    input wire [3:0] snoop_mask,
    input wire trigger,
    input wire hold,
    input wire run_ended,
    input wire [31:0] mem_base,
    input wire [31:0] mem_mask,
    // An instruction begins, somebody else begins to write.
    input wire begins,
    input wire asks
);
    wire stall, recording;
    recorder dut (
        .clock(clock), .reset(reset), .rvfi_valid(rvfi_valid), .rvfi_trap(rvfi_trap),
        .rvfi_halt(rvfi_halt), .rvfi_insn(rvfi_insn), .rvfi_pc_rdata(rvfi_pc_rdata),
        .rvfi_pc_wdata(rvfi_pc_wdata), .rvfi_mem_addr(rvfi_mem_addr),
        .rvfi_mem_rmask(rvfi_mem_rmask), .rvfi_mem_wmask(rvfi_mem_wmask),
        .rvfi_mem_rdata(rvfi_mem_rdata), .rvfi_rs1_addr(rvfi_rs1_addr),
        .rvfi_rd_addr(rvfi_rd_addr), .rvfi_rs1_rdata(rvfi_rs1_rdata),
        .rvfi_rd_wdata(rvfi_rd_wdata), .snoop_valid(snoop_valid), .snoop_addr(snoop_addr),
        .snoop_mask(snoop_mask), .trigger(trigger), .hold(hold), .run_ended(run_ended),
        .mem_base(mem_base), .mem_mask(mem_mask), .rvfi_order(64'b0), .rvfi_intr(1'b0),
        .rvfi_mode(2'b0), .rvfi_ixl(2'b0), .rvfi_rs2_addr(5'b0), .rvfi_rs2_rdata(32'b0),
        .rvfi_mem_wdata(32'b0), .run_code(32'b0), .clock_hz(32'b0), .m_axis_tready(1'b0),
        .s_axis_tvalid(1'b0), .s_axis_tdata(8'b0), .wb_cyc(1'b0), .wb_stb(1'b0), .wb_we(1'b0),
        .wb_adr(10'b0), .wb_sel(4'b0), .wb_dat_i(32'b0), .stall(stall), .recording(recording)
    );

    // The core and the others: what they have begun, and what came of it two cycles ago.
    localparam INSTRUCTIONS = 3;
    localparam WRITES = 2;
    reg [1:0] instructions = 0, writes = 0;
    wire [2:0] instructions_next = instructions + begins - rvfi_valid;
    wire [2:0] writes_next = writes + asks - snoop_valid;
    reg [1:0] retired = 0, written = 0;
    always @(posedge clock) begin
        instructions <= reset ? 0 : instructions_next[1:0];
        writes <= reset ? 0 : writes_next[1:0];
        retired <= {retired[0], rvfi_valid};
        written <= {written[0], snoop_valid};
    end

    (* anyconst *) wire [31:0] interval;
    (* hierconn *) wire \dut.front__may_stall ;
    (* hierconn *) wire [31:0] \dut.front__interval ;
    (* hierconn *) wire \dut.front.shadows__0__thaw ;
    (* hierconn *) wire \dut.front.shadows__0.frozen_ff__q ;
    always @* begin
        assume (\dut.front__may_stall && \dut.front__interval == interval);
        assume (interval[23:0] >= 8);
        if (stall) assume (!begins && !asks);
        if (rvfi_valid) assume (instructions != 0 || begins);
        if (snoop_valid) assume (writes != 0 || asks);
        assume (instructions_next <= INSTRUCTIONS && writes_next <= WRITES);
        if (\dut.front.shadows__0__thaw ) assume (\dut.front.shadows__0.frozen_ff__q );
    end

    // The sentence.
    (* hierconn *) wire \dut.front.controls__0.stopping ;
    (* hierconn *) wire \dut.front.controls__0.valid ;
    (* hierconn *) wire \dut.front.controls__0.snooped ;
    (* hierconn *) wire \dut.front.controls__0.needs_entry ;
    (* hierconn *) wire \dut.front.controls__0.accept ;
    (* hierconn *) wire \dut.front.controls__0.accept_snoop ;
    (* hierconn *) wire \dut.front.controls__0.open ;
    (* hierconn *) wire \dut.front.controls__0.last ;
    (* hierconn *) wire \dut.front.controls__0.gap ;
    (* hierconn *) wire \dut.front.controls__0.count_loss ;
    (* hierconn *) wire \dut.front.controls__0.lost_any ;
    (* hierconn *) wire \dut.front.queues__0__push ;
    (* hierconn *) wire \dut.front.queues__0__full ;
    wire goes_on = recording && !\dut.front.controls__0.stopping ;
    always @* begin
        a_arrives: assert (\dut.front.controls__0.valid == retired[1]);
        if (goes_on && retired[1]) a_accepted: assert (\dut.front.controls__0.accept );
        if (goes_on && \dut.front.controls__0.snooped )
            a_write_accepted: assert (\dut.front.controls__0.accept_snoop && \dut.front.queues__0__push );
        if (\dut.front.controls__0.accept && (\dut.front.controls__0.needs_entry
            || \dut.front.controls__0.open || \dut.front.controls__0.last ))
            a_entry: assert (\dut.front.queues__0__push );
        if (\dut.front.queues__0__push ) a_has_room: assert (!\dut.front.queues__0__full );
        a_nothing_lost: assert (!\dut.front.controls__0.count_loss && !\dut.front.controls__0.lost_any );
        a_no_gap: assert (!\dut.front.controls__0.gap );
    end

    // Why: what is under way when `stall` rises has room, in the queue
    (* hierconn *) wire [3:0] \dut.front.controls__0.phase_ff__q ;
    (* hierconn *) wire \dut.front.controls__0.goes_ff__q ;
    (* hierconn *) wire \dut.front.controls__0.open_ff__q ;
    (* hierconn *) wire \dut.front.controls__0.near_ff__q ;
    (* hierconn *) wire \dut.front.controls__0.live ;
    (* hierconn *) wire [23:0] \dut.front.controls__0.count_ff__q ;
    (* hierconn *) wire [4:0] \dut.front.queues__0.count_ff__q ;
    (* hierconn *) wire \dut.front.queues__0.valid_ff__q ;
    (* hierconn *) wire \dut.adapter.valid_ff__q ;
    (* hierconn *) wire \dut.adapter.snooped_ff__q ;
    (* hierconn *) wire \dut.front.retire.snooped_ff__q ;
    wire [3:0] phase = \dut.front.controls__0.phase_ff__q ;
    wire runs = phase == 2;
    wire held = !\dut.front.controls__0.goes_ff__q ;
    wire [5:0] coming = (retired[0] | written[0]) + (retired[1] | written[1]) + instructions + writes;
    wire [5:0] queued = \dut.front.queues__0.count_ff__q ;
    // and before the end of an interval whose header is not written.
    wire near = \dut.front.controls__0.near_ff__q ;
    wire late = near && !\dut.front.controls__0.live ;
    wire [23:0] near_count = interval[23:0] - 8;
    wire [23:0] since_near = \dut.front.controls__0.count_ff__q - near_count;
    wire [3:0] left = 7 - since_near[3:0];
    always @* begin
        i_adapter: assert (\dut.adapter.valid_ff__q == retired[0]
            && \dut.adapter.snooped_ff__q == written[0]
            && (!\dut.front.retire.snooped_ff__q || written[1]));
        i_phase: assert (phase <= 2 || (phase >= 6 && phase <= 8));
        i_head: assert (queued <= 16 && !(\dut.front.queues__0.valid_ff__q && queued == 0));
        if (runs && !held) i_free: assert (queued <= 8);
        if (runs && held) i_room: assert (queued + coming <= 16);
        if (runs && !\dut.front.controls__0.open_ff__q )
            i_closed: assert (\dut.front.controls__0.count_ff__q == 0);
        if (runs && !near) i_far: assert (\dut.front.controls__0.count_ff__q <= near_count);
        if (runs && near) i_near: assert (since_near <= 7);
        if (runs && late && !held) i_late: assert (left >= 6);
        if (runs && late && held)
            i_waits: assert (left >= retired[0] + retired[1] + instructions);
        c_queue_is_full: cover (runs && queued == 16);
        c_goes_on: cover (runs && !stall && queued == 7 && \dut.front.controls__0.open_ff__q
            && \dut.front.controls__0.count_ff__q >= 8);
        c_waits_for_a_header: cover (runs && late && stall && instructions == 0 && left == 0);
        c_ends: cover (phase == 8 && retired[1]);
    end
endmodule
