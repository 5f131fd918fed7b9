// SERV on a simulated board, with the ports of Lookback's own simulated boards.
//
// RV32I with the machine-mode CSRs that SERV has and the timer interrupt, which is the only one it
// knows. SERV takes its time, so the timer counts every 64th clock cycle.
//
// SERV shows a retirement while it asks for the next instruction, and its port stands still until that
// comes: so the smallest recorder will do (LOOKBACK_KEPT), which makes it wait.
module lookback_serv_board (
    input wire clock,
    input wire reset,
    input wire hold,
    input wire [31:0] ram_bytes,
    input wire [31:0] ram_rdata,
    input wire console_rx_valid,
    input wire [7:0] console_rx_data,
    input wire [31:0] gpio_in,
    input wire [15:0] bit_clocks,
    input wire log_rx,
    output wire ram_req,
    output wire [31:0] ram_addr,
    output wire [31:0] ram_wdata,
    output wire [3:0] ram_wstrb,
    output wire console_tx_valid,
    output wire [7:0] console_tx_data,
    output wire console_rx_ready,
    output wire [31:0] gpio_out,
    output wire finished,
    output wire [31:0] finish_code,
    output wire log_tx,
    output wire stalled,
    output wire rvfi_valid,
    output wire [31:0] rvfi_insn,
    output wire rvfi_trap,
    output wire rvfi_intr,
    output wire [1:0] rvfi_mode,
    output wire [4:0] rvfi_rs1_addr,
    output wire [4:0] rvfi_rs2_addr,
    output wire [31:0] rvfi_rs1_rdata,
    output wire [31:0] rvfi_rs2_rdata,
    output wire [4:0] rvfi_rd_addr,
    output wire [31:0] rvfi_rd_wdata,
    output wire [31:0] rvfi_pc_rdata,
    output wire [31:0] rvfi_pc_wdata,
    output wire [31:0] rvfi_mem_addr,
    output wire [3:0] rvfi_mem_rmask,
    output wire [3:0] rvfi_mem_wmask,
    output wire [31:0] rvfi_mem_rdata,
    output wire [31:0] rvfi_mem_wdata,
    output wire snoop_valid,
    output wire [31:0] snoop_addr,
    output wire [3:0] snoop_mask
);
    wire ibus_cyc, dbus_cyc, dbus_we;
    wire [31:0] ibus_adr, dbus_adr, dbus_dat;
    wire [3:0] dbus_sel;
    wire ready;
    wire [31:0] rdata;
    wire timer_interrupt;
    wire core_valid, rvfi_halt;
    wire [63:0] rvfi_order;
    wire [1:0] rvfi_ixl;
    wire core_reset;
    wire core_ram_req;
    wire [31:0] core_ram_addr, core_ram_wdata;
    wire [3:0] core_ram_wstrb;

    // Its port has an address of its own that a reset does not take back: until the second retirement
    // after one, the first instruction's address is where SERV begins.
    wire [31:0] shown_pc;
    reg [1:0] shown = 2'd0;
    always @(posedge clock)
        if (core_reset) shown <= 2'd0;
        else if (core_valid & ~shown[1]) shown <= shown + 2'd1;
    assign rvfi_pc_rdata = shown[1] | (shown[0] & core_valid) ? shown_pc : 32'h80000000;

    serv_rf_top #(
        .RESET_PC(32'h80000000)
    ) core (
        .clk(clock),
        .i_rst(core_reset),
        .i_timer_irq(timer_interrupt),
        .rvfi_valid(core_valid),
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
        .rvfi_pc_rdata(shown_pc),
        .rvfi_pc_wdata(rvfi_pc_wdata),
        .rvfi_mem_addr(rvfi_mem_addr),
        .rvfi_mem_rmask(rvfi_mem_rmask),
        .rvfi_mem_wmask(rvfi_mem_wmask),
        .rvfi_mem_rdata(rvfi_mem_rdata),
        .rvfi_mem_wdata(rvfi_mem_wdata),
        .o_ibus_adr(ibus_adr),
        .o_ibus_cyc(ibus_cyc),
        .i_ibus_rdt(rdata),
        .i_ibus_ack(ready & ibus_cyc),
        .o_dbus_adr(dbus_adr),
        .o_dbus_dat(dbus_dat),
        .o_dbus_sel(dbus_sel),
        .o_dbus_we(dbus_we),
        .o_dbus_cyc(dbus_cyc),
        .i_dbus_rdt(rdata),
        .i_dbus_ack(ready & dbus_cyc),
        .o_ext_rs1(),
        .o_ext_rs2(),
        .o_ext_funct3(),
        .i_ext_rd(32'h0),
        .i_ext_ready(1'b0),
        .o_mdu_valid()
    );

    // After the end nothing retires any more.
    assign rvfi_valid = core_valid & ~finished;
    assign snoop_valid = 1'b0;
    assign snoop_addr = 32'h0;
    assign snoop_mask = 4'h0;

    // SERV never fetches while it accesses data. Its fences read from some address or other, where
    // there may be nothing.
    lookback_bus #(
        .TIMER_SHIFT(6),
        .NOWHERE(1)
    ) bus (
        .clock(clock),
        .reset(core_reset),
        .valid(ibus_cyc | dbus_cyc),
        .fetch(ibus_cyc),
        .address(ibus_cyc ? ibus_adr : dbus_adr),
        .wdata(dbus_dat),
        .wstrb(ibus_cyc | ~dbus_we ? 4'h0 : dbus_sel),
        .taken(),
        .ready(ready),
        .rdata(rdata),
        .fault(),
        .timer_interrupt(timer_interrupt),
        .software_interrupt(),
        .stall(stalled),
        .retired(rvfi_valid),
        .retired_halt(rvfi_halt),
        .retired_access(|{rvfi_mem_rmask, rvfi_mem_wmask}),
        .retired_address(rvfi_mem_addr),
        .ram_bytes(ram_bytes),
        .ram_rdata(ram_rdata),
        .console_rx_valid(console_rx_valid),
        .console_rx_data(console_rx_data),
        .gpio_in(gpio_in),
        .ram_req(core_ram_req),
        .ram_addr(core_ram_addr),
        .ram_wdata(core_ram_wdata),
        .ram_wstrb(core_ram_wstrb),
        .console_tx_valid(console_tx_valid),
        .console_tx_data(console_tx_data),
        .console_rx_ready(console_rx_ready),
        .gpio_out(gpio_out),
        .finished(finished),
        .finish_code(finish_code)
    );

`ifdef LOOKBACK_KEPT
    lookback_recorder_kept recorder (
        .clock(clock),
        .reset(reset),
        .rvfi_valid(rvfi_valid),
        .rvfi_insn(rvfi_insn),
        .rvfi_trap(rvfi_trap),
        .rvfi_mode(rvfi_mode),
        .rvfi_rd_addr(rvfi_rd_addr),
        .rvfi_rd_wdata(rvfi_rd_wdata),
        .rvfi_pc_rdata(rvfi_pc_rdata),
        .rvfi_pc_wdata(rvfi_pc_wdata),
        .rvfi_mem_addr(rvfi_mem_addr),
        .rvfi_mem_rmask(rvfi_mem_rmask),
        .rvfi_mem_wmask(rvfi_mem_wmask),
        .rvfi_mem_rdata(rvfi_mem_rdata),
        .rvfi_mem_wdata(rvfi_mem_wdata),
        .run_ended(finished),
        .run_code(finish_code),
        .hold(hold),
        .bit_clocks(bit_clocks),
        .log_rx(log_rx),
        .log_tx(log_tx),
        .core_stall(stalled),
        .core_reset(core_reset),
        .ram_bytes(ram_bytes),
        .core_ram_req(core_ram_req),
        .core_ram_addr(core_ram_addr),
        .core_ram_wdata(core_ram_wdata),
        .core_ram_wstrb(core_ram_wstrb),
        .ram_rdata(ram_rdata),
        .ram_req(ram_req),
        .ram_addr(ram_addr),
        .ram_wdata(ram_wdata),
        .ram_wstrb(ram_wstrb),
        .recording()
    );
`else
    assign core_reset = reset;
    assign ram_req = core_ram_req;
    assign ram_addr = core_ram_addr;
    assign ram_wdata = core_ram_wdata;
    assign ram_wstrb = core_ram_wstrb;

    lookback_tap tap (
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
        .hold(hold),
        .run_ended(finished),
        .run_code(finish_code),
        .bit_clocks(bit_clocks),
        .log_rx(log_rx),
        .log_tx(log_tx),
        .stall(stalled)
    );
`endif
endmodule
