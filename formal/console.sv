// Proves: the console's receive FIFO neither loses, duplicates nor reorders bytes: each byte that was offered is stored once, and a program reads them in the order in which they came; a byte is visible at most two cycles after it was stored.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 40 cycles
// Assumes: whoever offers a byte holds it until `rx_ready`.
// Block: sim-soc soc$devices$console
// Uses: fifo_checker.sv
// Fault: a byte is lost when another is read in the same cycle | fifo$write_enable = push; => fifo$write_enable = push & ~pop;
// Fault: a byte is stored again while it is being acknowledged | push = (rx_valid & ~taken_ff$q) & => push = rx_valid &
// Fault: a full FIFO takes one more byte | (count_ff$q != full) => (count_ff$q != 5'd17)
// Fault: a read with DLAB set takes a byte | pop = (lanes[32'h0] & ~latch) & available_ff$q => pop = lanes[32'h0] & available_ff$q
module proof (
    input wire clock,
    input wire reset,
    input wire mark,
    input wire selected,
    input wire write,
    input wire second,
    input wire [31:0] wdata,
    input wire [3:0] lanes,
    input wire rx_valid,
    input wire [7:0] rx_data
);
    wire [31:0] rdata;
    wire [7:0] tx_data;
    wire tx_valid, rx_ready, interrupt;
    console dut (
        .clock(clock), .reset(reset), .selected(selected), .write(write), .second(second),
        .wdata(wdata), .lanes(lanes), .rdata(rdata), .tx_valid(tx_valid), .tx_data(tx_data),
        .rx_valid(rx_valid), .rx_data(rx_data), .rx_ready(rx_ready), .interrupt(interrupt)
    );
    (* hierconn *) wire \dut.available_ff$q ;
    (* hierconn *) wire [3:0] \dut.head_ff$q ;
    (* hierconn *) wire [3:0] \dut.tail_ff$q ;
    (* hierconn *) wire [4:0] \dut.count_ff$q ;
    (* hierconn *) wire \dut.push ;
    (* hierconn *) wire \dut.pop ;
    (* hierconn *) wire [31:0] \dut.first_ff$q ;
    (* hierconn *) wire [3:0] \dut.fifo.watched ;
    (* hierconn *) wire [7:0] \dut.fifo.watched_word ;
    (* hierconn *) wire [7:0] \dut.fifo$read_data ;
    wire valid = \dut.available_ff$q ;
    wire divisors = \dut.first_ff$q [31];
    // A program's read of the receive register, as the 16550 has it.
    wire pop = selected & !write & !second & lanes[0] & !divisors & valid;
    wire [4:0] count, ahead;
    wire watching;
    wire [7:0] watched;
    fifo_checker #(.WIDTH(8), .COUNT_BITS(5)) follow (
        .clock(clock), .clear(reset), .mark(mark), .push(\dut.push ), .push_data(rx_data), .pop(pop),
        .valid(valid), .head_data(\dut.fifo$read_data ),
        .count(count), .watching(watching), .ahead(ahead), .watched(watched)
    );

    // The byte that is offered, and whether it was stored already.
    reg offered = 0, stored = 0, stored_now = 0, waited = 0;
    reg [7:0] offered_data;
    always @(posedge clock) begin
        offered <= rx_valid & !rx_ready & !reset;
        offered_data <= rx_data;
        stored <= (stored | \dut.push ) & !rx_ready & !reset;
        stored_now <= \dut.push & !reset;
        waited <= !reset & !pop & count != 0;
    end

    (* anyconst *) wire [3:0] place;
    assign \dut.fifo.watched = place;
    always @* begin
        if (offered) assume (rx_valid && rx_data == offered_data);
        if (mark) assume (\dut.head_ff$q == place);

        i_first: assert (\dut.first_ff$q [7:0] == 0);
        a_pop: assert (pop == \dut.pop );
        if (pop) a_read: assert (rdata[7:0] == \dut.fifo$read_data );
        if (\dut.push ) a_stored_once: assert (rx_valid && !stored);
        if (rx_ready) a_acknowledged: assert (stored && rx_valid);
        a_at_once: assert (rx_ready == stored_now && stored == stored_now);
        if (stored) a_still_offered: assert (offered);
        if (!reset && rx_valid && !rx_ready && count < 16) a_taken: assert (\dut.push );
        a_count: assert (\dut.count_ff$q == count && count <= 16);
        a_pointers: assert (count[3:0] == \dut.head_ff$q - \dut.tail_ff$q );
        if (watching) a_place: assert (place == \dut.tail_ff$q + ahead[3:0]);
        if (watching) a_kept: assert (\dut.fifo.watched_word == watched);
        if (waited) a_visible: assert (valid);
        c_second_leaves: cover (watching && ahead == 0 && pop && count == 2);
    end
endmodule
