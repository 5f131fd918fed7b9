// What stands in for a board's SoC when only its UART is looked at: every byte goes back.
module echo (
    input wire clock,
    input wire reset,
    input wire hold,
    input wire [15:0] bit_clocks,
    input wire log_rx,
    output wire log_tx,
    input wire [31:0] ram_bytes,
    output wire ram_req,
    output wire [31:0] ram_addr,
    output wire [31:0] ram_wdata,
    output wire [3:0] ram_wstrb,
    input wire [31:0] ram_rdata,
    output wire console_tx_valid,
    output wire [7:0] console_tx_data,
    input wire console_rx_valid,
    input wire [7:0] console_rx_data,
    input wire [31:0] gpio_in
);
    wire valid, ready;
    wire [7:0] data;
    lookback_uart uart (
        .clock(clock), .reset(reset), .bit_clocks(bit_clocks), .rx(log_rx), .tx(log_tx),
        .m_axis_tvalid(valid), .m_axis_tdata(data), .m_axis_tready(ready),
        .s_axis_tvalid(valid), .s_axis_tdata(data), .s_axis_tready(ready)
    );
    assign ram_req = 1'b0;
    assign ram_addr = 32'h0;
    assign ram_wdata = 32'h0;
    assign ram_wstrb = 4'h0;
    // The console's pin sends the same bytes.
    assign console_tx_valid = valid & ready;
    assign console_tx_data = data;
endmodule
