// Follows one arbitrary entry through a first-in-first-out buffer.
//
// `mark` is free: whichever accepted entry it picks, the checker remembers the entry's data and
// how many are ahead of it. Each entry that leaves shortens that number; when nothing is ahead the
// head must be the watched entry. So the n-th entry that leaves is the n-th that came: none is
// lost, none comes twice, none overtakes another.
module fifo_checker #(
    parameter WIDTH = 8,
    parameter COUNT_BITS = 5
) (
    input wire clock,
    input wire clear,
    input wire mark,
    input wire push,
    input wire [WIDTH-1:0] push_data,
    input wire pop,
    // The head is visible in this cycle.
    input wire valid,
    input wire [WIDTH-1:0] head_data,
    output reg [COUNT_BITS-1:0] count,
    output reg watching,
    output reg [COUNT_BITS-1:0] ahead,
    output reg [WIDTH-1:0] watched
);
    initial count = 0;
    initial watching = 0;
    wire [COUNT_BITS-1:0] after_pop = count - pop;
    always @(posedge clock) begin
        count <= after_pop + push;
        if (watching && pop) begin
            ahead <= ahead - 1;
            watching <= ahead != 0;
        end
        if (!watching && mark && push) begin
            watching <= 1;
            ahead <= after_pop;
            watched <= push_data;
        end
        if (clear) begin
            count <= 0;
            watching <= 0;
        end
    end
    always @* begin
        if (valid) a_head_exists: assert (count != 0);
        if (watching) a_watched_is_inside: assert (ahead < count);
        if (watching && valid && ahead == 0) a_head_is_the_watched: assert (head_data == watched);
    end
endmodule
