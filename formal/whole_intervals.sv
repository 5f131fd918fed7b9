// Proves: on a link without acknowledgements the ring gives each interval or gap away as a whole: all of its bytes are dropped, or all of them go out in pieces, of which the first alone has `piece_first` and the last alone `piece_last`; a piece never goes past the end of an interval; for each interval that is dropped, or key group of them, the ring was full while it held.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 30 cycles
// Assumes: `piece_start` only while `piece_ready` and not `piece_more`, `piece_take` only while `piece_more`; the link is one without acknowledgements; a piece ends with its 240th byte or, for all that matters here, at any byte before.
// Block: recorder-tiny drain$core$ring as ring
// Free: full
// Free: limit
// Fault: an interval of which a piece was sent is dropped | kept = hold & ~inside_ff$q & ~|count_ff$q & => kept = hold & ~|count_ff$q &
// Fault: an interval that is being measured is dropped | ~inside_ff$q & ~|count_ff$q & ~window$old & ~(stuck => ~inside_ff$q & ~window$old & ~(stuck
// Fault: dropping ends after a byte | if (marked) begin => if (looked_ff$q) begin
// Fault: dropping a key group ends at any interval | dropping_ff$d = continues; => dropping_ff$d = 1'b0;
// Fault: dropping goes on to the next interval | if (marked) begin => if (marked & byte_valid) begin
// Fault: the lookout goes past the end of an interval | look = behind & ~measured_ff$q & ~marked => look = behind & ~measured_ff$q
// Fault: every piece begins an interval | piece_first = ~inside_ff$q; => piece_first = 1'b1;
// Fault: a full piece counts as the last | last_ff$d = marked; => last_ff$d = 1'b1;
module proof (
    input wire clock,
    input wire reset,
    input wire clear,
    input wire hold,
    input wire byte_valid,
    input wire [7:0] byte_data,
    input wire byte_last,
    input wire piece_start,
    input wire piece_take
);
    (* anyconst *) wire groups;
    wire byte_ready, piece_ready, piece_first, piece_last, piece_more, empty;
    wire [7:0] piece_data;
    ring dut (
        .clock(clock), .reset(reset), .clear(clear), .hold(hold), .groups(groups),
        .byte_valid(byte_valid), .byte_data(byte_data), .byte_last(byte_last),
        .byte_ready(byte_ready),
        .piece_ready(piece_ready), .piece_first(piece_first), .piece_last(piece_last),
        .piece_start(piece_start), .piece_data(piece_data), .piece_more(piece_more),
        .piece_take(piece_take), .empty(empty), .keep(1'b0), .value(32'd0),
        .acknowledge(1'b0), .again(1'b0)
    );
    (* hierconn *) wire \dut.looked_ff$q ;
    (* hierconn *) wire [7:0] \dut.count_ff$q ;
    (* hierconn *) wire \dut.measured_ff$q ;
    (* hierconn *) wire \dut.last_ff$q ;
    (* hierconn *) wire \dut.inside_ff$q ;
    (* hierconn *) wire \dut.dropping_ff$q ;
    (* hierconn *) wire \dut.dropping_ff$d ;
    (* hierconn *) wire \dut.limit ;
    (* hierconn *) wire \dut.full ;
    (* hierconn *) wire \dut.peek_ff$q ;
    (* hierconn *) wire \dut.marks$read_data ;
    (* hierconn *) wire [7:0] \dut.bytes$read_data ;
    (* hierconn *) wire [9:0] \dut.window.kept_ff$q ;
    (* hierconn *) wire [9:0] \dut.window.sent_ff$q ;
    (* hierconn *) wire [31:0] \dut.window.furthest_ff$q ;
    (* hierconn *) wire [9:0] \dut.bytes.watched ;
    (* hierconn *) wire [9:0] \dut.marks.watched ;
    wire looked = \dut.looked_ff$q ;
    wire [7:0] count = \dut.count_ff$q ;
    wire measured = \dut.measured_ff$q ;
    wire last = \dut.last_ff$q ;
    wire inside = \dut.inside_ff$q ;
    wire dropping = \dut.dropping_ff$q ;
    wire mark = \dut.marks$read_data ;
    wire peek = \dut.peek_ff$q ;
    // No place is followed: that bytes and marks come back as they were written is another proof.
    (* anyconst *) wire [9:0] place;
    assign \dut.bytes.watched = place;
    assign \dut.marks.watched = place;

    // The specification follows the lookout, which passes every byte once: whether it is within an
    // interval and whether that is being dropped; whether the piece that it measures began one, and
    // whether the last byte of that piece ended it; and whether the interval may be dropped.
    reg within = 0, dropped = 0, begins = 0, ended = 0, may_drop = 0;
    always @(posedge clock) begin
        if (looked) begin
            within <= !mark;
            dropped <= dropping;
            ended <= mark;
            if (!dropping && count == 1) begins <= !within;
        end
        if (looked && mark && !groups) may_drop <= 0;
        if (dropping && !\dut.dropping_ff$d ) may_drop <= 0;
        if (!dropping && \dut.dropping_ff$d ) may_drop <= hold && \dut.full ;
        if (reset | clear) {within, may_drop} <= 0;
    end

    always @* begin
        if (piece_start) assume (piece_ready && !piece_more && !piece_take);
        if (piece_take) assume (piece_more);
        if (count == 240) assume (\dut.limit );

        // The sentence.
        if (looked && within) s_whole: assert (dropped == dropping);
        if (piece_start) begin
            s_first: assert (piece_first == begins);
            s_last: assert (piece_last == ended);
        end
        if (looked && dropping) s_dropped_when_full: assert (may_drop);
        // Dropping a key group ends where a byte was read that begins another.
        if (dropping && !\dut.dropping_ff$d && groups && hold && !reset && !clear)
            s_group: assert ((\dut.bytes$read_data & 8'h4f) != 8'h03);
        if (looked && !dropping && count != 1) s_not_past_the_end: assert (within);

        // What makes it inductive.
        if (looked && !dropping) begin
            i_counted: assert (count != 0 && !measured);
            if (count == 1) i_first: assert (within == inside);
            else i_more: assert (begins == !inside);
        end
        if (!looked && count != 0) begin
            i_waiting: assert (!dropping && begins == !inside && !dropped);
            if (!measured) i_within: assert (within);
            else i_measured: assert (last == ended && within == !last);
        end
        if (measured) i_offered: assert (count != 0 && !looked);
        if (!looked && count == 0 && !dropping) i_between: assert (within == inside);
        if (inside && within) i_sent: assert (!dropped);
        if (dropping) i_dropping: assert (!inside && count == 0 && !measured);
        if (dropping && within) i_still: assert (dropped);
        if (peek) i_peek: assert (dropping && !within && !looked);
        if (dropping) i_may_drop: assert (may_drop);
        i_count: assert (count <= 240);
        i_kept: assert (\dut.window.kept_ff$q == \dut.window.sent_ff$q );
        i_furthest: assert (\dut.window.furthest_ff$q [9:0] == \dut.window.sent_ff$q );

        c_drops: cover (looked && within && dropping);
        c_drops_two: cover (looked && dropping && !within && dropped);
        c_two_pieces: cover (piece_start && piece_last && begins && count == 4);
        c_after: cover (piece_start && piece_first && dropped == 0 && hold);
    end
endmodule
