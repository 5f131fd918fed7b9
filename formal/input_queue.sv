// Proves: the input queue neither loses, duplicates nor reorders entries, its count, `empty`, `full` and `half` are right, and an entry is visible at most two cycles after it came.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 20 cycles
// Assumes: `push` never while `full`, `pop` only while `valid`.
// Block: recorder-bugnet front$queues$0
// Uses: fifo_checker.sv
// Fault: an entry is lost when one leaves in the same cycle | if (~pop) begin => if (1'b1) begin
// Fault: the head is shown a cycle early | valid_ff$d = |count_ff$q & => valid_ff$d = (|count_ff$q | push) &
// Fault: values are written one place on | value_ram$write_address = write_ff$q; => value_ram$write_address = write_ff$q + one;
// Fault: the queue wraps one entry early | full = count_ff$q[32'h4]; => full = &count_ff$q[3:1];
module proof (
    input wire clock,
    input wire clear,
    input wire mark,
    input wire push,
    input wire [202:0] data,
    input wire pop
);
    wire valid, empty, full, half;
    wire [202:0] head;
    input_queue dut (
        .clock(clock), .clear(clear), .push(push), .pop(pop),
        .flags(data[10:0]), .position(data[34:11]), .pc(data[66:35]), .insn(data[98:67]),
        .value(data[130:99]), .addr(data[160:131]), .masks(data[172:161]),
        .snoop_addr(data[202:173]),
        .valid(valid), .empty(empty), .full(full), .half(half),
        .head_flags(head[10:0]), .head_position(head[34:11]), .head_pc(head[66:35]),
        .head_insn(head[98:67]), .head_value(head[130:99]), .head_addr(head[160:131]),
        .head_masks(head[172:161]), .head_snoop_addr(head[202:173])
    );
    wire [4:0] count, ahead;
    wire watching;
    wire [202:0] watched;
    fifo_checker #(.WIDTH(203), .COUNT_BITS(5)) follow (
        .clock(clock), .clear(clear), .mark(mark), .push(push), .push_data(data), .pop(pop),
        .valid(valid), .head_data(head),
        .count(count), .watching(watching), .ahead(ahead), .watched(watched)
    );
    // Something has been in here for a cycle, and nothing left.
    reg waited = 0;
    always @(posedge clock) waited <= !clear && !pop && count != 0;

    // What the queue's registers and memories hold, so that one step suffices for the induction.
    (* anyconst *) wire [3:0] place;
    (* hierconn *) wire [3:0] \dut.read_ff$q ;
    (* hierconn *) wire [3:0] \dut.write_ff$q ;
    (* hierconn *) wire [4:0] \dut.count_ff$q ;
    (* hierconn *) wire [3:0] \dut.flags_ram.watched ;
    (* hierconn *) wire [3:0] \dut.position_ram.watched ;
    (* hierconn *) wire [3:0] \dut.pc_ram.watched ;
    (* hierconn *) wire [3:0] \dut.insn_ram.watched ;
    (* hierconn *) wire [3:0] \dut.value_ram.watched ;
    (* hierconn *) wire [3:0] \dut.addr_ram.watched ;
    (* hierconn *) wire [3:0] \dut.masks_ram.watched ;
    (* hierconn *) wire [3:0] \dut.snoop_ram.watched ;
    (* hierconn *) wire [10:0] \dut.flags_ram.watched_word ;
    (* hierconn *) wire [23:0] \dut.position_ram.watched_word ;
    (* hierconn *) wire [31:0] \dut.pc_ram.watched_word ;
    (* hierconn *) wire [31:0] \dut.insn_ram.watched_word ;
    (* hierconn *) wire [31:0] \dut.value_ram.watched_word ;
    (* hierconn *) wire [29:0] \dut.addr_ram.watched_word ;
    (* hierconn *) wire [11:0] \dut.masks_ram.watched_word ;
    (* hierconn *) wire [29:0] \dut.snoop_ram.watched_word ;
    assign \dut.flags_ram.watched = place;
    assign \dut.position_ram.watched = place;
    assign \dut.pc_ram.watched = place;
    assign \dut.insn_ram.watched = place;
    assign \dut.value_ram.watched = place;
    assign \dut.addr_ram.watched = place;
    assign \dut.masks_ram.watched = place;
    assign \dut.snoop_ram.watched = place;
    always @* begin
        if (full) assume (!push);
        if (!valid) assume (!pop);
        // The watched entry lies at an arbitrary place.
        if (mark) assume (\dut.write_ff$q == place);
    end

    wire [202:0] stored = {
        \dut.snoop_ram.watched_word , \dut.masks_ram.watched_word , \dut.addr_ram.watched_word ,
        \dut.value_ram.watched_word , \dut.insn_ram.watched_word , \dut.pc_ram.watched_word ,
        \dut.position_ram.watched_word , \dut.flags_ram.watched_word
    };
    always @* begin
        a_count: assert (\dut.count_ff$q == count);
        a_count_fits: assert (count <= 16);
        a_pointers: assert (count[3:0] == \dut.write_ff$q - \dut.read_ff$q );
        if (watching) a_place: assert (place == \dut.read_ff$q + ahead[3:0]);
        if (watching) a_stored: assert (stored == watched);
        a_empty: assert (empty == (count == 0));
        a_full: assert (full == (count == 16));
        a_half: assert (half == (count >= 8));
        if (waited) a_visible: assert (valid);
        c_full: cover (full);
        c_watched_leaves_after_full: cover (watching && ahead == 0 && pop && half);
    end
endmodule
