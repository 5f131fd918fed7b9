// Proves: two bytes that a UART sends, whatever they are, are the two bytes that a UART of the same speed receives, and no others; each is there ten bits and four cycles after it was taken.
// Depth: bounded, 102 cycles; 150 with --long
// Witnesses: within 100 cycles
// Assumes: 1 to 4 clock cycles a bit, which do not change; up to 7 cycles between the bytes; no reset after power-up; whoever receives takes a byte at once.
// Block: uart as uart
// Fault: the sender counts its cycles in pairs | localparam one_cycle = 16'h1; => localparam one_cycle = 16'h2;
// Fault: the receiver counts its cycles in pairs | localparam one_cycle_less = 16'hffff; => localparam one_cycle_less = 16'hfffe;
// Fault: the receiver gives a byte before its last bit | stopping = tick & (left_ff__q == one_bit); => stopping = tick & (left_ff__q == 4'h2);
// Fault: the sender offers its line a byte too early | free = ~|left_ff__q | (tick & (left_ff__q == one_bit)); => free = ~|left_ff__q | (tick & (left_ff__q == 4'h2));
module proof (
    input wire clock
);
    (* anyconst *) wire [1:0] speed;
    (* anyconst *) wire [2:0] pause;
    (* anyconst *) wire [7:0] first;
    (* anyconst *) wire [7:0] second;
    wire [15:0] bit_clocks = {14'b0, speed} + 16'd1;
    wire line, ready, received;
    wire [7:0] data;
    reg [1:0] sent = 0, came = 0;
    reg [3:0] waited = 0;
    wire offered = sent == 0 || (sent == 1 && waited >= pause);
    uart dut (
        .clock(clock), .reset(1'b0), .bit_clocks(bit_clocks), .rx(line), .tx(line),
        .s_axis_tvalid(offered), .s_axis_tdata(sent == 0 ? first : second), .s_axis_tready(ready),
        .m_axis_tvalid(received), .m_axis_tdata(data), .m_axis_tready(1'b1)
    );
    // Cycles since each byte was taken.
    reg [7:0] age_first = 0, age_second = 0;
    always @(posedge clock) begin
        if (offered && ready) sent <= sent + 1;
        if (ready && sent == 1 && waited < pause) waited <= waited + 1;
        if (received) came <= came + 1;
        if (sent != 0) age_first <= age_first + (age_first != 255);
        if (sent == 2) age_second <= age_second + (age_second != 255);
    end
    wire [7:0] latest = 10 * bit_clocks[3:0] + 4;
    always @* begin
        if (received) a_was_sent: assert (came < sent);
        if (received) a_same: assert (data == (came == 0 ? first : second));
        if (age_first > latest) a_first_in_time: assert (came >= 1);
        if (age_second > latest) a_second_in_time: assert (came == 2);
        c_fast: cover (came == 2 && speed == 0 && pause == 0);
        c_slow: cover (came == 2 && speed == 3 && pause == 7);
    end
endmodule
