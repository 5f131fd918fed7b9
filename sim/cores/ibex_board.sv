// Ibex on a simulated board, with the ports of Lookback's own simulated boards.
//
// RV32IM with machine and user mode, software and timer interrupts and access faults. Ibex begins at
// its boot address + 0x80, which cannot be the first word of the RAM: two instructions in a ROM just
// below it jump there. What it has fetched ahead waits, too, while the recorder stalls it: its
// execution is disabled then, not only its bus.
module lookback_ibex_board (
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
    localparam [31:0] BOOT = 32'h7fffff00;
    localparam [31:0] ROM = 32'h7fffff80;

    wire instr_req, data_req, data_we;
    wire [31:0] instr_addr, data_addr, data_wdata;
    wire [3:0] data_be;
    wire taken, ready, fault;
    wire [31:0] rdata;
    wire timer_interrupt, software_interrupt;
    wire core_valid, rvfi_halt;
    wire [63:0] rvfi_order;
    wire [1:0] rvfi_ixl;

    // Its reset is asynchronous and must be seen to fall: part of it has no clock meanwhile.
    reg reset_n;
    initial reset_n = 1'b1;
    always @(posedge clock)
        reset_n <= ~reset;

    // One access at a time for both of its buses; data goes first.
    wire fetch = ~data_req;
    reg answers_fetch, answers_rom;
    reg [31:0] rom_word;
    always @(posedge clock)
        if (taken) begin
            answers_fetch <= fetch;
            answers_rom <= fetch & instr_addr[31:3] == ROM[31:3];
            // lui t0, 0x80000; jr t0
            rom_word <= instr_addr[2] ? 32'h00028067 : 32'h800002b7;
        end

    ibex_top #(
        .RV32M(ibex_pkg::RV32MFast),
        .RegFile(ibex_pkg::RegFileFF)
    ) core (
        .clk_i(clock),
        .rst_ni(reset_n),
        .test_en_i(1'b0),
        .ram_cfg_i('0),
        .hart_id_i(32'h0),
        .boot_addr_i(BOOT),
        .instr_req_o(instr_req),
        .instr_gnt_i(taken & fetch),
        .instr_rvalid_i(ready & answers_fetch),
        .instr_addr_o(instr_addr),
        .instr_rdata_i(answers_rom ? rom_word : rdata),
        .instr_rdata_intg_i(7'h0),
        .instr_err_i(fault & ~answers_rom),
        .data_req_o(data_req),
        .data_gnt_i(taken & ~fetch),
        .data_rvalid_i(ready & ~answers_fetch),
        .data_we_o(data_we),
        .data_be_o(data_be),
        .data_addr_o(data_addr),
        .data_wdata_o(data_wdata),
        .data_wdata_intg_o(),
        .data_rdata_i(rdata),
        .data_rdata_intg_i(7'h0),
        .data_err_i(fault),
        .irq_software_i(software_interrupt),
        .irq_timer_i(timer_interrupt),
        .irq_external_i(1'b0),
        .irq_fast_i(15'h0),
        .irq_nm_i(1'b0),
        .scramble_key_valid_i(1'b0),
        .scramble_key_i('0),
        .scramble_nonce_i('0),
        .scramble_req_o(),
        .debug_req_i(1'b0),
        .crash_dump_o(),
        .double_fault_seen_o(),
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
        .rvfi_pc_rdata(rvfi_pc_rdata),
        .rvfi_pc_wdata(rvfi_pc_wdata),
        .rvfi_mem_addr(rvfi_mem_addr),
        .rvfi_mem_rmask(rvfi_mem_rmask),
        .rvfi_mem_wmask(rvfi_mem_wmask),
        .rvfi_mem_rdata(rvfi_mem_rdata),
        .rvfi_mem_wdata(rvfi_mem_wdata),
        .rvfi_rs3_addr(),
        .rvfi_rs3_rdata(),
        .rvfi_ext_pre_mip(),
        .rvfi_ext_post_mip(),
        .rvfi_ext_nmi(),
        .rvfi_ext_nmi_int(),
        .rvfi_ext_debug_req(),
        .rvfi_ext_debug_mode(),
        .rvfi_ext_rf_wr_suppress(),
        .rvfi_ext_mcycle(),
        .rvfi_ext_mhpmcounters(),
        .rvfi_ext_mhpmcountersh(),
        .rvfi_ext_ic_scr_key_valid(),
        .rvfi_ext_irq_valid(),
        .fetch_enable_i(stalled | finished ? ibex_pkg::IbexMuBiOff : ibex_pkg::IbexMuBiOn),
        .alert_minor_o(),
        .alert_major_internal_o(),
        .alert_major_bus_o(),
        .core_sleep_o(),
        .scan_rst_ni(1'b1)
    );

    // After the end nothing retires any more.
    assign rvfi_valid = core_valid & ~finished;
    assign snoop_valid = 1'b0;
    assign snoop_addr = 32'h0;
    assign snoop_mask = 4'h0;

    // A fault is answered, and the core takes an exception: nothing ends the run but the finisher.
    lookback_bus #(
        .TIMER_SHIFT(0),
        .NOWHERE(0)
    ) bus (
        .clock(clock),
        .reset(reset),
        .valid(instr_req | data_req),
        .fetch(fetch),
        .address(fetch ? instr_addr : data_addr),
        .wdata(data_wdata),
        .wstrb(fetch | ~data_we ? 4'h0 : data_be),
        .taken(taken),
        .ready(ready),
        .rdata(rdata),
        .fault(fault),
        .timer_interrupt(timer_interrupt),
        .software_interrupt(software_interrupt),
        .stall(stalled),
        .retired(rvfi_valid),
        .retired_halt(rvfi_halt),
        .retired_access(|rvfi_mem_wmask),
        .retired_address(rvfi_mem_addr),
        .ram_bytes(ram_bytes),
        .ram_rdata(ram_rdata),
        .console_rx_valid(console_rx_valid),
        .console_rx_data(console_rx_data),
        .gpio_in(gpio_in),
        .ram_req(ram_req),
        .ram_addr(ram_addr),
        .ram_wdata(ram_wdata),
        .ram_wstrb(ram_wstrb),
        .console_tx_valid(console_tx_valid),
        .console_tx_data(console_tx_data),
        .console_rx_ready(console_rx_ready),
        .gpio_out(gpio_out),
        .finished(finished),
        .finish_code(finish_code)
    );

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
endmodule
