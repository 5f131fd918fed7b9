// The UP5K's SPRAM as a board's top uses it, for simulators that do not read yosys's models: 16K words of
// 16 bits, written by half bytes. What was read stands still until the next read.
module SB_SPRAM256KA (
    input wire [13:0] ADDRESS,
    input wire [15:0] DATAIN,
    input wire [3:0] MASKWREN,
    input wire WREN, CHIPSELECT, CLOCK, STANDBY, SLEEP, POWEROFF,
    output reg [15:0] DATAOUT
);
    reg [15:0] cells [0:16383];
    wire used = CHIPSELECT & ~STANDBY & ~SLEEP & POWEROFF;
    always @(posedge CLOCK) begin
        if (used & ~WREN) DATAOUT <= cells[ADDRESS];
        if (used & WREN & MASKWREN[0]) cells[ADDRESS][3:0] <= DATAIN[3:0];
        if (used & WREN & MASKWREN[1]) cells[ADDRESS][7:4] <= DATAIN[7:4];
        if (used & WREN & MASKWREN[2]) cells[ADDRESS][11:8] <= DATAIN[11:8];
        if (used & WREN & MASKWREN[3]) cells[ADDRESS][15:12] <= DATAIN[15:12];
    end
endmodule
