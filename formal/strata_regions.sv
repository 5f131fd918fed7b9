// Proves: no strata region has an access to a block after a write to the same block by another writer: when the arbiter is done with an access, the strata that it has told since another hart or an external writer wrote the block are not none. So no two operations of different harts in one region are RAW or WAW.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 20 cycles
// Assumes: what is asked stands still until `done`; harts are 0 and 1, an external writer is 4 and writes.
// Block: order-2 arbiter
// Fault: a write by another is no dependence | dependent = held_writer != writer; => dependent = 1'b0;
// Fault: a block that falls out of the entries is forgotten | falls_ff$d = ~clear; => falls_ff$d = 1'b0;
// Fault: the entry that begins a region is written anew | due_ff$d = ~(counts & writes & (region_ff$q[(32'h0)+:(8)] == entry)); => due_ff$d = 1'b1;
// Fault: what is being written is read | ask & ~waits => ask
// Fault: a stratum is counted and not told | short_valid = stratum; => short_valid = 1'b0;
module proof (
    input wire clock,
    input wire clear,
    input wire ask,
    input wire take,
    input wire writes,
    input wire [2:0] writer,
    input wire [29:0] block
);
    wire short_valid, stride_valid, stride_first, stride_last, done;
    wire [7:0] short;
    wire [15:0] stride;
    strata_regions dut (
        .clock(clock), .clear(clear), .ask(ask), .writer(writer), .block(block), .writes(writes),
        .take(take), .short_valid(short_valid), .short(short), .stride_valid(stride_valid),
        .stride(stride), .stride_first(stride_first), .stride_last(stride_last), .done(done)
    );

    // Who has written an arbitrary block since the last stratum.
    (* anyconst *) wire [29:0] one;
    wire about = block == one;
    wire told = short_valid || (stride_valid && stride_last);
    reg [4:0] wrote = 0;
    wire [4:0] own = 5'd1 << writer;
    wire [4:0] before = told ? 5'd0 : wrote;
    always @(posedge clock) begin
        wrote <= before | (ask && done && writes && about ? own : 5'd0);
        if (clear) wrote <= 0;
    end

    // What was asked and is not done.
    reg open = 0;
    reg [35:0] last;
    wire [35:0] now = {ask, take, writes, writer, block};
    always @(posedge clock) begin
        open <= (ask || take) && !done && !clear;
        last <= now;
    end

    // What the registers and memories hold, so that one step suffices for the induction.
    (* hierconn *) wire [1:0] \dut.turn_ff$q ;
    (* hierconn *) wire [10:0] \dut.region_ff$q ;
    (* hierconn *) wire [10:0] \dut.ended_ff$q ;
    (* hierconn *) wire \dut.due_ff$q ;
    (* hierconn *) wire \dut.falls_ff$q ;
    (* hierconn *) wire [9:0] \dut.fallen_ff$q ;
    (* hierconn *) wire [2:0] \dut.faller_ff$q ;
    (* hierconn *) wire [24:0] \dut.entries$read_data ;
    (* hierconn *) wire [10:0] \dut.entries$read_mark ;
    (* hierconn *) wire [15:0] \dut.filter$read_data ;
    (* hierconn *) wire [7:0] \dut.entries.watched ;
    (* hierconn *) wire [9:0] \dut.filter.watched ;
    (* hierconn *) wire [1:0] \dut.strides.watched ;
    (* hierconn *) wire [35:0] \dut.entries.watched_word ;
    (* hierconn *) wire [15:0] \dut.filter.watched_word ;
    wire [9:0] place = one[9:0] ^ one[19:10] ^ one[29:20];
    wire [9:0] asked_place = block[9:0] ^ block[19:10] ^ block[29:20];
    assign \dut.entries.watched = one[7:0];
    assign \dut.filter.watched = place;
    assign \dut.strides.watched = 0;
    wire idle = \dut.turn_ff$q == 0;
    wire judges = \dut.turn_ff$q == 1;
    wire [35:0] entry = \dut.entries.watched_word ;
    wire [15:0] set = \dut.filter.watched_word ;
    wire same = entry[35:25] == \dut.region_ff$q && entry[21:0] == one[29:8];
    wire in_entry = same && wrote == 5'd1 << entry[24:22];
    wire in_filter = set[15:5] == \dut.region_ff$q && !(wrote & ~set[4:0]);
    wire falls = \dut.falls_ff$q && \dut.fallen_ff$q == place && wrote == 5'd1 << \dut.faller_ff$q ;
    always @* begin
        assume (!(ask && take));
        assume (writer < 2 || (writer == 4 && writes));
        if (open) assume (now == last);

        if (ask && done && about) a_region: assert (!(before & ~own));

        i_turn: assert (\dut.turn_ff$q < 3);
        if (!idle) i_open: assert (open);
        if (judges) i_judges: assert (last[35]);
        i_one_writer: assert (!(wrote & (wrote - 5'd1)));
        if (wrote && same) i_same: assert (in_entry);
        if (wrote) i_held: assert (in_entry || in_filter || falls);
        if (\dut.due_ff$q ) i_due: assert (idle && \dut.ended_ff$q + 11'd1 == \dut.region_ff$q );
        if (\dut.due_ff$q && \dut.ended_ff$q [7:0] == one[7:0]) i_not_held: assert (!wrote);
        if (\dut.falls_ff$q ) i_falls: assert (idle);
        if (judges && block[7:0] == one[7:0])
            i_entry: assert ({ \dut.entries$read_mark , \dut.entries$read_data } == entry);
        if ((judges && asked_place == place) || (\dut.falls_ff$q && \dut.fallen_ff$q == place))
            i_filter: assert (\dut.filter$read_data == set);
        c_fallen: cover (in_filter && !in_entry && |wrote && told);
        c_all_told: cover (stride_valid && stride_last && |wrote && ask);
    end
endmodule
