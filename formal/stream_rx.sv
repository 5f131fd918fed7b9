// Proves: each byte that the recorder's `s_axis_*` port takes is given on once: its eight bits, least significant first, one a cycle, then the byte; `s_axis_tready` is low meanwhile and comes back.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 24 cycles
// Assumes: nothing.
// Block: recorder stream as stream_rx
// Fault: a byte is taken while the one before is being given on | s_axis_tready = ~busy_ff__q & ~end_ff__q; => s_axis_tready = ~end_ff__q;
// Fault: the byte is given after seven bits | end_ff__d = busy_ff__q & &place_ff__q; => end_ff__d = busy_ff__q & &place_ff__q[2:1];
// Fault: bits come in the wrong order | bit_data = low_bit; => bit_data = byte_ff__q[7];
// Fault: the byte is not whole at the end | (byte_ff__q >> 32'h1) | top => (byte_ff__q >> 32'h1)
module proof (
    input wire clock,
    input wire reset,
    input wire s_axis_tvalid,
    input wire [7:0] s_axis_tdata
);
    wire s_axis_tready, bit_valid, bit_data, byte_valid;
    wire [7:0] byte_data;
    stream_rx dut (
        .clock(clock), .reset(reset), .s_axis_tvalid(s_axis_tvalid), .s_axis_tdata(s_axis_tdata),
        .s_axis_tready(s_axis_tready), .bit_valid(bit_valid), .bit_data(bit_data),
        .byte_valid(byte_valid), .byte_data(byte_data)
    );
    // The specification: the byte that was taken and how many of its nine steps are left.
    reg [3:0] left = 0;
    reg [7:0] taken;
    always @(posedge clock) begin
        if (left != 0) left <= left - 1;
        if (s_axis_tvalid && s_axis_tready) begin
            left <= 9;
            taken <= s_axis_tdata;
        end
        if (reset) left <= 0;
    end
    wire [3:0] place = 4'd9 - left;
    wire [15:0] twice = {taken, taken};

    (* hierconn *) wire [7:0] \dut.byte_ff__q ;
    (* hierconn *) wire \dut.busy_ff__q ;
    (* hierconn *) wire \dut.end_ff__q ;
    (* hierconn *) wire [2:0] \dut.place_ff__q ;
    always @* begin
        a_ready: assert (s_axis_tready == (left == 0));
        a_bit_valid: assert (bit_valid == (left > 1));
        if (left > 1) a_bit: assert (bit_data == taken[place[2:0]]);
        a_byte_valid: assert (byte_valid == (left == 1));
        if (left == 1) a_byte: assert (byte_data == taken);
        i_left: assert (left <= 9);
        i_place: assert (\dut.place_ff__q == (left > 1 ? place[2:0] : 3'd0));
        if (left != 0) i_byte: assert (\dut.byte_ff__q == twice[place[2:0] +: 8]);
        c_second: cover (byte_valid && byte_data == 8'h1e && s_axis_tvalid);
    end
    reg [1:0] bytes = 0;
    always @(posedge clock) if (byte_valid && bytes != 3) bytes <= bytes + 1;
    always @* c_two: cover (bytes == 2);
endmodule
