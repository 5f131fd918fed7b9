// Proves: the ring gives back the bytes that it took, in order, again if the host wants that, and never writes over one that was neither acknowledged (without acknowledgements: taken) nor dropped, so never over an interval that is being drained; only what was sent is given up by an acknowledgement; a piece has 1 to 240 bytes and, unless it is sent again from within, only the last one of an interval fewer than 240; bytes are dropped only from a ring that was full while it held, and never while a piece is being taken or one that was sent is not acknowledged; where key groups give way, what a held ring keeps behind dropped bytes begins one.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 16 cycles
// Assumes: `piece_start` only while `piece_ready` and not `piece_more`, `piece_take` only while `piece_more` and not within two cycles of the last start or take: the framer is slower; an acknowledgement, or a wish to have bytes again, only between two pieces and while nothing is dropped; no byte is offered during reset.
// Block: recorder-tiny drain$core$ring
// Fault: reading stands still | window$take = piece_take; => window$take = 1'b0;
// Fault: what was sent is given up although it is not acknowledged | if (drop | (take & ~keep)) begin => if (drop | take) begin
// Fault: what is gone can be acknowledged | valid_offset = ~|(distance & above_ring) & (back <= span); => valid_offset = ~|(distance & above_ring);
// Fault: the lookout stays where it is when bytes are sent again | look_ff$d = value[(32'h0)+:(10)]; => look_ff$d = look_ff$q;
// Fault: a byte is written where the one before it is | bytes$write_address = write_ff$q; => bytes$write_address = window$sent;
// Fault: a piece is said to have a byte more than it has | left_ff$d = count_ff$q; => left_ff$d = count_ff$q + step;
module proof (
    input wire clock,
    input wire reset,
    input wire clear,
    input wire hold,
    input wire byte_valid,
    input wire [7:0] byte_data,
    input wire byte_last,
    input wire piece_start,
    input wire piece_take,
    input wire keep,
    input wire [31:0] value,
    input wire acknowledge,
    input wire again
);
    localparam N = 10;
    (* anyconst *) wire groups;
    wire byte_ready, piece_ready, piece_first, piece_last, piece_more, empty;
    wire [7:0] piece_data;
    log_ring dut (
        .clock(clock), .reset(reset), .clear(clear), .hold(hold), .groups(groups),
        .byte_valid(byte_valid), .byte_data(byte_data), .byte_last(byte_last),
        .byte_ready(byte_ready),
        .piece_ready(piece_ready), .piece_first(piece_first), .piece_last(piece_last),
        .piece_start(piece_start), .piece_data(piece_data), .piece_more(piece_more),
        .piece_take(piece_take), .empty(empty), .keep(keep), .value(value),
        .acknowledge(acknowledge), .again(again)
    );
    (* hierconn *) wire [N-1:0] \dut.write_ff$q ;
    (* hierconn *) wire [N-1:0] \dut.window.kept_ff$q ;
    (* hierconn *) wire \dut.window.acknowledged ;
    (* hierconn *) wire [N-1:0] \dut.window.kept_ff$d ;
    (* hierconn *) wire [N-1:0] \dut.window.sent_ff$q ;
    (* hierconn *) wire [31:0] \dut.window.furthest_ff$q ;
    (* hierconn *) wire \dut.window.moves ;
    (* hierconn *) wire [N-1:0] \dut.look_ff$q ;
    (* hierconn *) wire \dut.looked_ff$q ;
    (* hierconn *) wire [7:0] \dut.count_ff$q ;
    (* hierconn *) wire \dut.measured_ff$q ;
    (* hierconn *) wire \dut.last_ff$q ;
    (* hierconn *) wire \dut.inside_ff$q ;
    (* hierconn *) wire [7:0] \dut.left_ff$q ;
    (* hierconn *) wire \dut.dropping_ff$q ;
    (* hierconn *) wire \dut.dropping_ff$d ;
    (* hierconn *) wire \dut.look ;
    (* hierconn *) wire \dut.full ;
    (* hierconn *) wire \dut.peek_ff$q ;
    (* hierconn *) wire \dut.peeked_ff$q ;
    (* hierconn *) wire [7:0] \dut.bytes$read_data ;
    (* hierconn *) wire [N-1:0] \dut.bytes.watched ;
    (* hierconn *) wire [N-1:0] \dut.marks.watched ;
    (* hierconn *) wire [7:0] \dut.bytes.watched_word ;
    wire [N-1:0] write = \dut.write_ff$q ;
    wire [N-1:0] kept = \dut.window.kept_ff$q ;
    wire [N-1:0] kept_next = \dut.window.kept_ff$d ;
    wire [N-1:0] read = \dut.window.sent_ff$q ;
    wire [N-1:0] furthest = \dut.window.furthest_ff$q [N-1:0];
    wire moves = \dut.window.moves ;
    wire [N-1:0] look = \dut.look_ff$q ;
    wire looked = \dut.looked_ff$q ;
    wire [7:0] count = \dut.count_ff$q ;
    wire measured = \dut.measured_ff$q ;
    wire last = \dut.last_ff$q ;
    wire inside = \dut.inside_ff$q ;
    wire [7:0] left = \dut.left_ff$q ;
    wire dropping = \dut.dropping_ff$q ;
    wire peek = \dut.peek_ff$q ;
    wire peeked = \dut.peeked_ff$q ;

    // An arbitrary place in the ring: the byte there is followed on its way.
    (* anyconst *) wire [N-1:0] place;
    wire [N-1:0] next_place = place + 1'b1;
    assign \dut.bytes.watched = place;
    assign \dut.marks.watched = place;

    wire emptied = reset | clear;
    wire accept = byte_valid & byte_ready;
    wire drop = \dut.look & dropping;
    wire removed = piece_take | drop;

    wire [N-1:0] used = write - kept;
    wire [N-1:0] unread = write - read;
    wire [N-1:0] sent = read - kept;
    wire [N-1:0] span = furthest - kept;
    wire [N-1:0] a_offset = place - kept;
    // What is given up: a byte that is dropped or, without acknowledgements, sent; what the host has.
    wire frees = drop | (piece_take & !keep);
    wire released = \dut.window.acknowledged ;
    wire [N-1:0] host_offset = value[N-1:0] - kept;

    // The specification: what was accepted at the place and not yet given up, whether that was in the
    // cycle before, and for how long nothing was started, removed or sent again.
    reg a_in = 0, a_fresh = 0;
    reg [7:0] a_data;
    reg [1:0] quiet = 0;
    always @(posedge clock) begin
        a_fresh <= 0;
        quiet <= quiet + (quiet != 3);
        if (removed || piece_start || moves) quiet <= 0;
        if (frees && kept == place) a_in <= 0;
        if (released && a_offset < host_offset) a_in <= 0;
        if (accept && write == place) {a_in, a_fresh, a_data} <= {2'b11, byte_data};
        if (emptied) {a_in, a_fresh} <= 0;
    end

    wire [N-1:0] seen = left + count; // bytes that the lookout has passed
    always @* begin
        assume (!(reset && byte_valid));
        if (piece_start) assume (piece_ready && !piece_more && !piece_take);
        if (piece_take) assume (piece_more && quiet >= 1);
        if (acknowledge || again) assume (!piece_more && !piece_start && !dropping && !emptied);

        // The sentence.
        if (removed) s_something_to_remove: assert (unread != 0);
        if (released) s_given_up: assert (host_offset <= span && kept_next == value[N-1:0] && acknowledge);
        else if (!emptied) s_kept: assert (kept_next == kept + frees);
        if (drop) s_nothing_unacknowledged: assert (span == 0);
        s_one_at_a_time: assert (!(piece_take && drop));
        if (accept && write == place) s_no_byte_is_lost: assert (!a_in);
        if (piece_take && a_in && read == place) begin
            s_data: assert (piece_data == a_data);
        end
        if (!dropping && \dut.dropping_ff$d ) begin
            s_drops_when_full: assert (hold && \dut.full );
        end
        if (dropping && !\dut.dropping_ff$d && groups && hold && !emptied && a_in && read == place) begin
            s_group: assert ((a_data & 8'h4f) != 8'h03);
        end
        if (piece_start) begin
            s_piece_length: assert (count >= 1 && count <= 240 && (piece_last || count == 240));
        end
        s_more: assert (piece_more == (left != 0));
        if (empty) s_empty: assert (left == unread);

        // What makes it inductive: where the pointers are,
        i_order: assert (sent <= span && span <= used && unread <= used);
        i_seen: assert (look - read == seen && seen <= unread);
        if (looked && !dropping) i_new: assert (count != 0);
        i_count: assert (count <= 240 && left <= 240);
        if (measured) i_measured: assert (count != 0 && (last || count == 240) && !looked);
        if (!measured && !dropping) i_measuring: assert (looked ? count != 0 : count != 240);
        if (dropping) i_dropping: assert (!inside && !measured && left == 0 && count == 0 && span == 0);
        // and that the byte is where it was written.
        if (a_in) i_a_stored: assert (a_offset < used && \dut.bytes.watched_word == a_data);
        if (!a_in) i_a_out: assert (a_offset >= used);
        if (a_fresh) i_a_fresh: assert (a_in && write == next_place && sent + seen <= a_offset);
        if (a_in && read == place && quiet != 0 && !a_fresh)
            i_a_read: assert (\dut.bytes$read_data == a_data);
        if (peek) i_peek: assert (dropping && groups && !looked);
        if (peeked) i_peeked: assert (peek && write != look && quiet != 0);
        if (peeked && a_in && look == place) i_a_peeked: assert (!a_fresh);

        c_taken: cover (piece_take && a_in && read == place && byte_data == 8'h5a);
        c_again: cover (moves && again && sent == 2 && keep);
        c_ended: cover (piece_start && piece_last && piece_first && count == 3);
    end
endmodule
