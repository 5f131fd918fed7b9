// Proves: the bytes that leave the packer are the bits of its chunks in their order, least significant first, with zeros up to a byte where it was told to align; none is lost or comes twice; a byte stays with its mark until it is taken.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 20 cycles
// Assumes: `load` only while `ready`; the bits above a chunk's size are zero, all of them with `align`; `last` only with a chunk that completes a byte.
// Block: recorder-bugnet front$packer
// Fault: a byte that is not taken is written over | ready = ~byte_valid_ff$q | byte_ready; => ready = 1'b1;
// Fault: bits that did not fit are forgotten | left = rotated & ~above; => left = 8'h0;
// Fault: a chunk that fills the byte exactly does not emit it | emits = level[32'h3]; => emits = level[32'h3] & (|level[2:0]);
// Fault: aligning an aligned stream emits a byte | emits = |fill; => emits = 1'b1;
// Fault: the mark is a byte late | byte_last = byte_last_ff$q; => byte_last = last;
module proof (
    input wire clock,
    input wire clear,
    input wire load,
    input wire [7:0] bits,
    input wire [2:0] size,
    input wire align,
    input wire last,
    input wire byte_ready
);
    wire ready, idle, byte_valid, byte_last;
    wire [7:0] byte_data;
    packer dut (
        .clock(clock), .clear(clear), .hart(2'b0), .load(load), .bits(bits), .size(size), .align(align),
        .last(last), .ready(ready), .idle(idle), .byte_valid(byte_valid), .byte_data(byte_data),
        .byte_hart(), .byte_last(byte_last), .byte_ready(byte_ready)
    );
    // The specification: bits that make no byte yet, and a byte that waits to be taken.
    reg [2:0] fill = 0;
    reg [7:0] part = 0;
    reg waiting = 0;
    reg [7:0] byte_;
    reg mark;
    wire [15:0] joined = {8'b0, part} | ({8'b0, bits} << fill);
    wire [4:0] level = align ? (fill == 0 ? 5'd0 : 5'd8) : {2'b0, fill} + {2'b0, size} + 5'd1;
    always @(posedge clock) begin
        if (byte_ready) waiting <= 0;
        if (load) begin
            fill <= level[2:0];
            part <= level >= 8 ? joined[15:8] : joined[7:0];
            if (level >= 8) {waiting, byte_, mark} <= {1'b1, joined[7:0], last};
        end
        if (clear) begin
            waiting <= 0;
            fill <= 0;
            part <= 0;
        end
    end
    // What is on the port and not taken.
    reg held = 0;
    reg [8:0] held_byte;
    always @(posedge clock) begin
        held <= byte_valid & !byte_ready & !clear;
        held_byte <= {byte_last, byte_data};
    end

    (* hierconn *) wire [7:0] \dut.part ;
    (* hierconn *) wire [2:0] \dut.fill ;
    wire [7:0] below = ~(8'hff << fill);
    always @* begin
        if (load) begin
            assume (ready);
            assume ((bits & (8'hfe << size)) == 0);
            if (align) assume (bits == 0);
            // A mark is only asked for where it has a byte to be on.
            if (last) assume (level >= 8);
        end
        a_valid: assert (byte_valid == waiting);
        if (waiting) a_byte: assert (byte_data == byte_ && byte_last == mark);
        a_ready: assert (ready == (!waiting || byte_ready));
        a_idle: assert (idle == !waiting);
        if (held) a_held: assert (byte_valid && {byte_last, byte_data} == held_byte);
        i_fill: assert (\dut.fill == fill);
        i_part: assert ((\dut.part & below) == part && (part & ~below) == 0);
        c_last: cover (byte_valid && byte_last && byte_ready && fill == 3);
        c_held: cover (held && byte_data == 8'ha5);
    end
endmodule
