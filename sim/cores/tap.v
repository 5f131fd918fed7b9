// Where a core's retirement port meets the recorder: `lookback rtl --preset recorder` and
// `--preset uart` side by side, as on an FPGA. LOOKBACK_RECORDER is the recorder's module, which
// depends on its size; without it there is none, and the core runs by itself.
//
// The port is taken as the core has it; the recorder's own adapter makes it uniform.
module lookback_tap (
    input wire clock,
    input wire reset,
    // the core's retirement port
    input wire rvfi_valid,
    input wire [63:0] rvfi_order,
    input wire [31:0] rvfi_insn,
    input wire rvfi_trap,
    input wire rvfi_halt,
    input wire rvfi_intr,
    input wire [1:0] rvfi_mode,
    input wire [1:0] rvfi_ixl,
    input wire [4:0] rvfi_rs1_addr,
    input wire [4:0] rvfi_rs2_addr,
    input wire [31:0] rvfi_rs1_rdata,
    input wire [31:0] rvfi_rs2_rdata,
    input wire [4:0] rvfi_rd_addr,
    input wire [31:0] rvfi_rd_wdata,
    input wire [31:0] rvfi_pc_rdata,
    input wire [31:0] rvfi_pc_wdata,
    input wire [31:0] rvfi_mem_addr,
    input wire [3:0] rvfi_mem_rmask,
    input wire [3:0] rvfi_mem_wmask,
    input wire [31:0] rvfi_mem_rdata,
    input wire [31:0] rvfi_mem_wdata,
    // the board
    input wire hold,
    input wire run_ended,
    input wire [31:0] run_code,
    input wire [15:0] bit_clocks,
    input wire log_rx,
    output wire log_tx,
    output wire stall
);
`ifdef LOOKBACK_RECORDER
    wire frame_valid, frame_ready;
    wire [7:0] frame_data;
    wire command_valid, command_ready;
    wire [7:0] command_data;

    `LOOKBACK_RECORDER recorder (
        .clock(clock),
        .reset(reset),
        .rvfi_valid(rvfi_valid),
        .rvfi_order(rvfi_order),
        .rvfi_insn(rvfi_insn),
        .rvfi_trap(rvfi_trap),
        .rvfi_halt(rvfi_halt),
        .rvfi_intr(rvfi_intr),
        .rvfi_mode(rvfi_mode),
        .rvfi_ixl(rvfi_ixl),
        .rvfi_rs1_addr(rvfi_rs1_addr),
        .rvfi_rs2_addr(rvfi_rs2_addr),
        .rvfi_rs1_rdata(rvfi_rs1_rdata),
        .rvfi_rs2_rdata(rvfi_rs2_rdata),
        .rvfi_rd_addr(rvfi_rd_addr),
        .rvfi_rd_wdata(rvfi_rd_wdata),
        .rvfi_pc_rdata(rvfi_pc_rdata),
        .rvfi_pc_wdata(rvfi_pc_wdata),
        .rvfi_mem_addr(rvfi_mem_addr),
        .rvfi_mem_rmask(rvfi_mem_rmask),
        .rvfi_mem_wmask(rvfi_mem_wmask),
        .rvfi_mem_rdata(rvfi_mem_rdata),
        .rvfi_mem_wdata(rvfi_mem_wdata),
        // nobody but the core writes to memory here
        .snoop_valid(1'b0),
        .snoop_addr(32'h0),
        .snoop_mask(4'h0),
        .trigger(1'b0),
        .hold(hold),
        .run_ended(run_ended),
        .run_code(run_code),
        // memory is the upper half of the addresses
        .mem_base(32'h80000000),
        .mem_mask(32'h80000000),
        .clock_hz(`LOOKBACK_CLOCK_HZ),
        .stall(stall),
        // log out, commands in
        .m_axis_tvalid(frame_valid),
        .m_axis_tdata(frame_data),
        .m_axis_tlast(),
        .m_axis_tready(frame_ready),
        .s_axis_tvalid(command_valid),
        .s_axis_tdata(command_data),
        .s_axis_tready(command_ready),
        // nobody but the host controls it
        .wb_cyc(1'b0),
        .wb_stb(1'b0),
        .wb_we(1'b0),
        .wb_adr(10'h0),
        .wb_sel(4'h0),
        .wb_dat_i(32'h0),
        .wb_ack(),
        .wb_dat_o(),
        .recording(),
        .triggered(),
        .breach()
    );

    lookback_uart uart (
        .clock(clock),
        .reset(reset),
        .bit_clocks(bit_clocks),
        .rx(log_rx),
        .tx(log_tx),
        .s_axis_tvalid(frame_valid),
        .s_axis_tdata(frame_data),
        .s_axis_tready(frame_ready),
        .m_axis_tvalid(command_valid),
        .m_axis_tdata(command_data),
        .m_axis_tready(command_ready)
    );
`else
    assign log_tx = 1'b1;
    assign stall = 1'b0;
`endif
endmodule
