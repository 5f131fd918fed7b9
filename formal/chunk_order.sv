// Proves: no two conflicting operations of different harts lie in unordered chunks: whoever accesses a block ends, before the access counts, each open chunk of another hart that wrote it, or read it if the access writes; so does an external write. Chunks are told in the order in which they ended, each once and each before another one ends that ended later.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 20 cycles
// Assumes: what is asked stands still until `done`; harts are 0 and 1; an external write writes and does not read.
// Block: order-2 counter
// Fault: a conflict ends nobody's chunk | ending = conflicting; => ending = nobody;
// Fault: what a hart has read is forgotten | if (reads | was_read) begin => if (was_read) begin
// Fault: a hart's second access makes its first forgotten | if (writes | was_written) begin => if (writes) begin
// Fault: a chunk is told twice | telling_ff$d = ending & (ending - first_of_all); => telling_ff$d = ending;
module proof (
    input wire clock,
    input wire clear,
    input wire ask,
    input wire close,
    input wire retires,
    input wire [1:0] hart,
    input wire reads,
    input wire writes,
    input wire [29:0] block,
    input wire trap
);
    wire ended, telling, done;
    wire [1:0] ended_hart;
    wire [15:0] ended_size;
    chunk_order dut (
        .clock(clock), .clear(clear), .ask(ask), .retires(retires), .hart(hart), .reads(reads),
        .writes(writes), .block(block), .trap(trap), .close(close), .ended(ended),
        .ended_hart(ended_hart), .ended_size(ended_size), .telling(telling), .done(done)
    );

    // What the open chunks have done to an arbitrary block.
    (* anyconst *) wire [29:0] one;
    (* hierconn *) wire \dut.counts ;
    (* hierconn *) wire [3:0] \dut.ending ;
    wire about = block == one && (reads || writes);
    wire [1:0] own = retires ? 2'd1 << hart : 2'd0;
    wire happens = about && ask && (retires ? \dut.counts : done);
    reg [1:0] has_read = 0, has_written = 0;
    wire [1:0] conflicting = (has_written | (writes ? has_read : 2'd0)) & ~own;
    always @(posedge clock) begin
        has_read <= (has_read & ~\dut.ending [1:0]) | (happens && reads ? own : 2'd0);
        has_written <= (has_written & ~\dut.ending [1:0]) | (happens && writes ? own : 2'd0);
        if (clear) {has_read, has_written} <= 0;
    end

    // Chunks that ended and were not told.
    reg [1:0] pending = 0;
    wire [1:0] due = pending ? pending : \dut.ending [1:0];
    wire [1:0] told = ended ? 2'd1 << ended_hart : 2'd0;
    always @(posedge clock) begin
        pending <= pending ? (pending & ~told) | \dut.ending [1:0] : \dut.ending [1:0] & ~told;
        if (clear) pending <= 0;
    end

    // What was asked and is not done.
    reg open = 0;
    reg [37:0] last;
    wire [37:0] now = {ask, close, retires, hart, reads, writes, trap, block};
    always @(posedge clock) begin
        open <= (ask || close) && !done && !clear;
        last <= now;
    end

    // What the registers and memories hold, so that one step suffices for the induction.
    (* hierconn *) wire [1:0] \dut.turn_ff$q ;
    (* hierconn *) wire [3:0] \dut.telling_ff$q ;
    (* hierconn *) wire [3:0] \dut.begun_ff$q ;
    (* hierconn *) wire [10:0] \dut.numbers$0$q ;
    (* hierconn *) wire [10:0] \dut.numbers$1$q ;
    (* hierconn *) wire [12:0] \dut.signatures$0$read_data ;
    (* hierconn *) wire [12:0] \dut.signatures$1$read_data ;
    (* hierconn *) wire [9:0] \dut.signatures$0.watched ;
    (* hierconn *) wire [9:0] \dut.signatures$1.watched ;
    (* hierconn *) wire [12:0] \dut.signatures$0.watched_word ;
    (* hierconn *) wire [12:0] \dut.signatures$1.watched_word ;
    (* hierconn *) wire [1:0] \dut.sizes.watched ;
    (* hierconn *) wire [1:0] \dut.told_sizes.watched ;
    (* hierconn *) wire [1:0] \dut.marks.watched ;
    wire [9:0] place = one[9:0] ^ one[19:10] ^ one[29:20];
    wire [9:0] asked_place = block[9:0] ^ block[19:10] ^ block[29:20];
    assign \dut.signatures$0.watched = place;
    assign \dut.signatures$1.watched = place;
    assign \dut.sizes.watched = 0;
    assign \dut.told_sizes.watched = 0;
    assign \dut.marks.watched = 0;
    wire judges = \dut.turn_ff$q == 1;
    wire [12:0] first = \dut.signatures$0.watched_word ;
    wire [12:0] second = \dut.signatures$1.watched_word ;
    wire [1:0] in_first = first[12:2] == \dut.numbers$0$q ? first[1:0] : 2'd0;
    wire [1:0] in_second = second[12:2] == \dut.numbers$1$q ? second[1:0] : 2'd0;
    always @* begin
        assume (!(ask && close));
        assume (hart < 2);
        if (!retires) assume (writes && !reads && !trap);
        if (trap) assume (!reads && !writes);
        if (open) assume (now == last);

        if (happens) a_ordered: assert (!(conflicting & ~\dut.ending [1:0]));
        if (happens) a_not_its_own: assert (!(\dut.ending [1:0] & own));
        if (|\dut.ending && !clear) a_told_before: assert (!(pending & ~told));
        a_told_once: assert (!(told & ~due));
        if (\dut.counts ) a_size_is_told: assert (!(pending & ~told & own));
        if (|due) a_told_at_once: assert (ended && (!due[0] || ended_hart == 0));

        i_nobody_else: assert (!\dut.ending [3:2] && !\dut.begun_ff$q [3:2]);
        // Of two one is told when they end.
        i_one: assert (pending != 3);
        i_pending: assert (\dut.telling_ff$q == {2'd0, pending});
        if (judges) i_judges: assert (open && last[37] && (reads || writes));
        if (\dut.turn_ff$q == 2) i_own: assert (open && last[37] && retires && !(pending & own));
        if (\dut.turn_ff$q == 3) i_close: assert (open && last[36]);
        i_read: assert (!(has_read & ~{in_second[0], in_first[0]}));
        i_written: assert (!(has_written & ~{in_second[1], in_first[1]}));
        if (judges && asked_place == place)
            i_there: assert (\dut.signatures$0$read_data == first
                && \dut.signatures$1$read_data == second);
        c_both_end: cover (\dut.ending == 3 && ask && about);
        c_own: cover (\dut.turn_ff$q == 2 && has_written[0] && done);
    end
endmodule
