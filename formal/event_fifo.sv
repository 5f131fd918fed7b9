// Proves: the event FIFO neither loses, duplicates nor reorders events, `empty`, `full` and `pressure` are right, and an event is visible at most two cycles after it came.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 20 cycles
// Assumes: `push` never while `full`, `pop` only while `valid`.
// Block: recorder-bugnet front$fifos$0
// Uses: fifo_checker.sv
// Fault: an event is dropped when another leaves | values$write_enable = push; => values$write_enable = push & ~pop;
// Fault: a FIFO with one event calls itself full | full_ff$d = write == read; => full_ff$d = write != read;
// Fault: the head follows a cycle late | values$read_address = read; => values$read_address = read_ff$q;
// Fault: pressure comes too early | used > limit => used > zero
module proof (
    input wire clock,
    input wire clear,
    input wire mark,
    input wire push,
    input wire [59:0] data,
    input wire pop
);
    localparam PLACES = 512;
    localparam RESERVE = 64;
    wire valid, empty, full, pressure;
    wire [59:0] head;
    event_fifo dut (
        .clock(clock), .clear(clear), .push(push), .pop(pop),
        .kind(data[3:0]), .position(data[27:4]), .value(data[59:28]),
        .valid(valid), .empty(empty), .full(full), .pressure(pressure),
        .head_kind(head[3:0]), .head_position(head[27:4]), .head_value(head[59:28])
    );
    wire [9:0] count, ahead;
    wire watching;
    wire [59:0] watched;
    fifo_checker #(.WIDTH(60), .COUNT_BITS(10)) follow (
        .clock(clock), .clear(clear), .mark(mark), .push(push), .push_data(data), .pop(pop),
        .valid(valid), .head_data(head),
        .count(count), .watching(watching), .ahead(ahead), .watched(watched)
    );

    // Cycles for which something has been in here without a pop.
    reg waited = 0;
    always @(posedge clock) waited <= !clear && !pop && count != 0;

    // What the registers and memories hold, so that one step suffices for the induction.
    (* anyconst *) wire [8:0] place;
    (* hierconn *) wire [8:0] \dut.read_ff$q ;
    (* hierconn *) wire [8:0] \dut.write_ff$q ;
    (* hierconn *) wire \dut.full_ff$q ;
    (* hierconn *) wire [8:0] \dut.values.watched ;
    (* hierconn *) wire [8:0] \dut.kinds.watched ;
    (* hierconn *) wire [31:0] \dut.values.watched_word ;
    (* hierconn *) wire [27:0] \dut.kinds.watched_word ;
    assign \dut.values.watched = place;
    assign \dut.kinds.watched = place;
    wire [59:0] stored = {
        \dut.values.watched_word , \dut.kinds.watched_word [23:0], \dut.kinds.watched_word [27:24]
    };
    always @* begin
        if (full) assume (!push);
        if (!valid) assume (!pop);
        // The watched event lies at an arbitrary place.
        if (mark) assume (\dut.write_ff$q == place);

        a_pointers: assert (count[8:0] == \dut.write_ff$q - \dut.read_ff$q );
        a_count_fits: assert (count <= PLACES);
        if (watching) a_place: assert (place == \dut.read_ff$q + ahead[8:0]);
        if (watching) a_stored: assert (stored == watched);
        a_empty: assert (empty == (count == 0));
        a_full: assert (full == (count == PLACES));
        a_pressure: assert (pressure == (count > PLACES - RESERVE));
        if (waited) a_visible: assert (valid);
        c_second_leaves: cover (watching && ahead == 0 && pop && count == 1);
        c_empty_again: cover (waited && count == 2);
    end
endmodule
