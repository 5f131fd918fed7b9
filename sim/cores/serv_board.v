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
    // The reset comes from far; nothing is in a hurry to be reset.
    reg bus_reset = 1'b1;
    always @(posedge clock)
        bus_reset <= core_reset;
    wire core_ram_req;
    wire [31:0] core_ram_addr, core_ram_wdata;
    wire [3:0] core_ram_wstrb;

    // Its port has an address of its own that a reset does not take back: until the second retirement
    // after one, the first instruction's address is where SERV begins.
    wire [31:0] shown_pc;
    reg [1:0] shown = 2'd0;
    always @(posedge clock)
        if (bus_reset) shown <= 2'd0;
        else if (core_valid & ~shown[1]) shown <= shown + 2'd1;
    assign rvfi_pc_rdata = shown[1] | (shown[0] & core_valid) ? shown_pc : 32'h80000000;

    // SERV's registers and CSRs, two bits a cycle. This is what SERV's own top has, but for one register:
    // the last two bits of `mepc` are written a cycle after SERV has forgotten that it takes an interrupt,
    // and would go into whatever CSR the interrupted instruction's bits name. So where they go is asked a
    // cycle earlier.
    wire rf_rreq, rf_wreq, rf_ready;
    wire [5:0] wreg0, wreg1, rreg0, rreg1;
    wire wen0, wen1, wdata0, wdata1, rdata0, rdata1;
    wire rf_wen;
    wire [9:0] rf_waddr, rf_raddr;
    wire [1:0] rf_wdata, rf_rdata;
    reg [5:0] wreg1_before;
    always @(posedge clock)
        wreg1_before <= wreg1;

    // Memory keeps its contents over a reset. The recorder takes registers that were not written since for
    // zero, so they are made that before SERV begins. What is written goes there from registers, a cycle
    // late; SERV reads two cycles after its last write at the soonest.
    reg [9:0] cleared = 10'd0;
    reg serv_reset = 1'b1;
    reg write = 1'b0;
    reg [9:0] write_address;
    reg [1:0] write_data;
    always @(posedge clock) begin
        cleared <= bus_reset ? 10'd0 : cleared + {9'd0, ~&cleared};
        serv_reset <= bus_reset | ~&cleared;
        write <= serv_reset | rf_wen;
        write_address <= serv_reset ? cleared : rf_waddr;
        write_data <= serv_reset ? 2'd0 : rf_wdata;
    end

    serv_rf_ram_if #(
        .width(2),
        .csr_regs(4)
    ) registers_port (
        .i_clk(clock),
        .i_rst(serv_reset),
        .i_wreq(rf_wreq),
        .i_rreq(rf_rreq),
        .o_ready(rf_ready),
        .i_wreg0(wreg0),
        .i_wreg1(wreg1_before),
        .i_wen0(wen0),
        .i_wen1(wen1),
        .i_wdata0(wdata0),
        .i_wdata1(wdata1),
        .i_rreg0(rreg0),
        .i_rreg1(rreg1),
        .o_rdata0(rdata0),
        .o_rdata1(rdata1),
        .o_waddr(rf_waddr),
        .o_wdata(rf_wdata),
        .o_wen(rf_wen),
        .o_raddr(rf_raddr),
        .i_rdata(rf_rdata)
    );

    serv_rf_ram #(
        .width(2),
        .csr_regs(4)
    ) registers (
        .i_clk(clock),
        .i_waddr(write_address),
        .i_wdata(write_data),
        .i_wen(write),
        .i_raddr(rf_raddr),
        .o_rdata(rf_rdata)
    );

    // SERV takes an interrupt at the handler's first instruction if it comes with the last bit of an `ecall`
    // or `ebreak`, whose return address is lost then. So interrupts come before these, or later.
    reg calls = 1'b0;
    always @(posedge clock)
        if (ready & ibus_cyc) calls <= rdata == 32'h00000073 | rdata == 32'h00100073;

    serv_top #(
        .RESET_PC(32'h80000000)
    ) core (
        .clk(clock),
        .i_rst(serv_reset),
        .i_timer_irq(timer_interrupt & ~calls),
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
        .o_rf_rreq(rf_rreq),
        .o_rf_wreq(rf_wreq),
        .i_rf_ready(rf_ready),
        .o_wreg0(wreg0),
        .o_wreg1(wreg1),
        .o_wen0(wen0),
        .o_wen1(wen1),
        .o_wdata0(wdata0),
        .o_wdata1(wdata1),
        .o_rreg0(rreg0),
        .o_rreg1(rreg1),
        .i_rdata0(rdata0),
        .i_rdata1(rdata1),
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

    // Beside the smallest recorder SERV fetches nothing for two cycles after each retirement, of the forty or
    // so that it takes in any case, and then hears from a register whether it must wait.
`ifdef LOOKBACK_KEPT
    reg retired_before = 1'b0;
    reg held = 1'b1;
    always @(posedge clock) begin
        retired_before <= core_valid;
        held <= stalled;
    end
    wire waits = core_valid | retired_before | held;
`else
    wire waits = stalled;
`endif

    // SERV never fetches while it accesses data. Its fences read from some address or other, where
    // there may be nothing.
    lookback_bus #(
        .TIMER_SHIFT(6),
        .NOWHERE(1)
    ) bus (
        .clock(clock),
        .reset(bus_reset),
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
        .stall(waits),
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
