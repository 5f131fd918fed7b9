// Proves: what leaves the framer is frames as log-format.md has them: type, hart, sequence number that counts up, the bytes of one message or piece, of a piece with those of its offset before it on an acknowledged link, and the CRC-32 of these; COBS coded, so that a code is the distance to the next code or to the delimiter, every byte between is a byte of the frame and no zero, and a zero ends each frame and is nowhere else; no byte is lost, comes twice or overtakes another; `tx_valid` and `tx_data` (the recorder's `m_axis_*`) stay until `tx_ready`.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 100 cycles
// Assumes: a piece, with its offset, or a message has at most 244 bytes; its next byte stands still from two cycles after `start` or `take` until the next `take`.
// Block: recorder drain$framer
// Fault: a zero is sent as it is | zero = ~|byte_ff__q; => zero = 1'b0;
// Fault: a code is one too small | queue__write_data = run_ff__q; => queue__write_data = run_ff__q - 8'h1;
// Fault: the queue is read up to what is written instead of to the open code | valid_ff__d = (read_ff__q != code_ff__q) => valid_ff__d = (read_ff__q != write_ff__q)
// Fault: the CRC leaves out the header | feedback = (serial ^ crc_ff__q[32'h0] ^ header) & ~check_ff__q; => feedback = (serial ^ crc_ff__q[32'h0] ^ header) & ~check_ff__q & ~header;
// Fault: the CRC has another polynomial | localparam polynomial = 32'hedb88320; => localparam polynomial = 32'hedb88321;
// Fault: the sequence number stands still | carry_ff__d = 1'b1; => carry_ff__d = 1'b0;
// Fault: the hart's byte repeats the type | serial = frame_type[bit_ff__q] & ~slot_ff__q[32'h0]; => serial = frame_type[bit_ff__q];
// Fault: a byte that is not taken goes away | valid_ff__d = (read_ff__q != code_ff__q) & ~(valid_ff__q & tx_ready); => valid_ff__d = (read_ff__q != code_ff__q) & ~valid_ff__q;
module proof (
    input wire clock,
    input wire reset,
    input wire pause,
    input wire placed,
    input wire piece_ready,
    input wire piece_first,
    input wire piece_last,
    input wire [7:0] piece_data,
    input wire piece_more,
    input wire reply_ready,
    input wire end_ready,
    input wire [7:0] message_byte,
    input wire message_more,
    input wire tx_ready
);
    localparam [2:0] IDLE = 0, SHIFT = 1, STORE = 2, CLOSE = 3, TERMINATE = 4;
    wire idle, piece_start, piece_take, message_start, message_end, message_take, tx_valid;
    wire [2:0] message_bit;
    wire [7:0] tx_data;
    reg message_data;
    always @(posedge clock) message_data <= message_byte[message_bit];
    framer dut (
        .clock(clock), .reset(reset), .pause(pause), .placed(placed), .idle(idle), .piece_ready(piece_ready),
        .piece_first(piece_first), .piece_last(piece_last), .piece_start(piece_start),
        .piece_data(piece_data), .piece_more(piece_more), .piece_take(piece_take),
        .reply_ready(reply_ready), .end_ready(end_ready), .message_start(message_start),
        .message_end(message_end), .message_bit(message_bit), .message_data(message_data),
        .message_more(message_more), .message_take(message_take), .tx_valid(tx_valid),
        .tx_data(tx_data), .tx_ready(tx_ready)
    );
    (* hierconn *) wire [2:0] \dut.state_ff__q ;
    (* hierconn *) wire \dut.payload_ff__q ;
    (* hierconn *) wire \dut.check_ff__q ;
    (* hierconn *) wire [1:0] \dut.slot_ff__q ;
    (* hierconn *) wire [2:0] \dut.bit_ff__q ;
    (* hierconn *) wire \dut.log_ff__q ;
    (* hierconn *) wire \dut.placing_ff__q ;
    (* hierconn *) wire \dut.end_ff__q ;
    (* hierconn *) wire \dut.first_ff__q ;
    (* hierconn *) wire \dut.last_ff__q ;
    (* hierconn *) wire [15:0] \dut.seq_ff__q ;
    (* hierconn *) wire \dut.carry_ff__q ;
    (* hierconn *) wire [31:0] \dut.crc_ff__q ;
    (* hierconn *) wire [7:0] \dut.byte_ff__q ;
    (* hierconn *) wire [7:0] \dut.byte_ff__d ;
    (* hierconn *) wire \dut.piece_bit_ff__q ;
    (* hierconn *) wire [8:0] \dut.write_ff__q ;
    (* hierconn *) wire [8:0] \dut.code_ff__q ;
    (* hierconn *) wire [8:0] \dut.read_ff__q ;
    (* hierconn *) wire [7:0] \dut.run_ff__q ;
    (* hierconn *) wire \dut.shift ;
    (* hierconn *) wire \dut.full ;
    (* hierconn *) wire [8:0] \dut.queue.watched ;
    (* hierconn *) wire [7:0] \dut.queue.watched_word ;
    wire [2:0] state = \dut.state_ff__q ;
    wire payload = \dut.payload_ff__q ;
    wire check = \dut.check_ff__q ;
    wire [1:0] slot = \dut.slot_ff__q ;
    wire [2:0] bit_ = \dut.bit_ff__q ;
    wire log = \dut.log_ff__q ;
    wire placing = \dut.placing_ff__q ;
    wire of_piece = log & !placing;
    wire [7:0] byte_ = \dut.byte_ff__q ;
    wire [8:0] write = \dut.write_ff__q ;
    wire [8:0] code = \dut.code_ff__q ;
    wire [8:0] read = \dut.read_ff__q ;
    wire [7:0] run = \dut.run_ff__q ;
    wire shift = \dut.shift ;

    // What happens in this cycle: a frame begins, gets a byte, is complete, gets its delimiter.
    wire begins = piece_start | message_start;
    wire stores = state == STORE;
    wire closes = state == CLOSE;
    wire ends = state == TERMINATE && ! \dut.full ;

    // The specification of a frame: which byte comes next (0 to 3 header, 4 payload, 5 to 8 CRC, 9
    // none), and what it is.
    reg [3:0] part = 9;
    reg [7:0] kind;
    reg [15:0] number = 0;
    reg [31:0] crc = 0;
    reg [7:0] length = 0;
    reg [7:0] taken;
    wire more = of_piece ? piece_more : log | message_more;
    wire [31:0] sum = ~crc;
    wire [7:0] want = part == 0 ? kind : part == 1 ? 8'd0 : part == 2 ? number[7:0]
        : part == 3 ? number[15:8] : part == 4 ? taken : part == 5 ? sum[7:0]
        : part == 6 ? sum[15:8] : part == 7 ? sum[23:16] : sum[31:24];
    always @(posedge clock) begin
        if (begins) begin
            part <= 0;
            kind <= reply_ready ? 8'h20 : piece_ready ? {4'h1, placed, 1'b0, piece_last, piece_first} : 8'h30;
            crc <= 32'hffffffff;
            length <= 0;
        end
        if (shift && part <= 4)
            crc <= (crc >> 1) ^ (crc[0] ^ \dut.byte_ff__d [7] ? 32'hedb88320 : 32'h0);
        if (stores) begin
            if (part != 4 || !more) part <= part + 1;
            length <= length + 1;
        end
        if (piece_take) taken <= piece_data;
        if (message_take) taken <= message_byte;
        if (ends) number <= number + 1;
        if (reset) begin
            part <= 9;
            number <= 0;
        end
    end

    // The sources: their byte stands still, but for the two cycles after a start or a take.
    reg [1:0] quiet = 0;
    reg [7:0] before_piece, before_message;
    always @(posedge clock) begin
        before_piece <= piece_data;
        before_message <= message_byte;
        quiet <= quiet == 3 ? 2'd3 : quiet + 2'd1;
        if (begins || piece_take || message_take) quiet <= 0;
    end
    wire [7:0] before = of_piece ? before_piece : before_message;
    wire next_bit = of_piece ? \dut.piece_bit_ff__q : message_data;

    // The specification of the queue: an arbitrary place, what it is for, what must be in it.
    (* anyconst *) wire [8:0] place;
    assign \dut.queue.watched = place;
    localparam [1:0] CODE = 0, DATA = 1, DELIMITER = 2;
    reg inside = 0, counted = 0;
    reg [1:0] use_;
    reg [7:0] value;
    always @(posedge clock) begin
        if (inside && use_ == CODE && !counted) begin
            if (closes || (stores && byte_ == 0)) counted <= 1;
            else if (stores) value <= value + 1;
        end
        if (tx_valid && tx_ready && read == place) inside <= 0;
        if (write == place) begin
            if (begins || (stores && byte_ == 0)) {inside, counted, use_, value} <= {2'b10, CODE, 8'd1};
            else if (stores) {inside, counted, use_, value} <= {2'b11, DATA, byte_};
            else if (ends) {inside, counted, use_, value} <= {2'b11, DELIMITER, 8'd0};
        end
        if (reset) inside <= 0;
    end
    reg held = 0;
    reg [7:0] held_data;
    always @(posedge clock) begin
        held <= tx_valid & !tx_ready & !reset;
        held_data <= tx_data;
    end

    wire [8:0] used = write - read;
    wire [8:0] open = code - read;
    wire [8:0] offset = place - read;
    wire framing = state == SHIFT || state == STORE;
    wire [2:0] group = {1'b0, slot} + (stores ? 3'd1 : 3'd0);
    wire [5:0] bits = {group, bit_};
    wire [5:0] numbered = slot < 2 ? 6'd0 : bits - 6'd16;
    wire [7:0] low = ~(8'hff << bit_);
    wire [7:0] expected = part == 4 ? before : want;
    wire [15:0] next_number = number + 16'd1;
    always @* begin
        if (quiet >= 2) assume (piece_data == before_piece && message_byte == before_message);
        if (stores && part == 4 && length >= 247) assume (!more);

        // The sentence.
        if (begins) s_begins: assert (part == 9 && state == IDLE);
        if (stores) s_stores: assert (part < 9 && byte_ == want);
        if (closes || ends) s_ends: assert (part == 9);
        if (tx_valid && read == place) begin
            s_there: assert (inside && counted);
            s_value: assert (tx_data == value);
            s_zero: assert ((tx_data == 0) == (use_ == DELIMITER));
        end
        if (held) s_held: assert (tx_valid);
        if (held && read == place) s_held_data: assert (tx_data == held_data);
        if ((begins || stores || ends) && write == place) s_not_lost: assert (!inside);

        // What makes it inductive: where in the frame,
        i_state: assert (state <= TERMINATE);
        i_part: assert (part == (!framing ? 4'd9 : check ? 4'd5 + slot : payload ? 4'd4 : slot));
        i_phase: assert (!(check && payload) && (framing || (!check && !payload)));
        if (!framing || payload) i_slot: assert (slot == 0);
        if (state != SHIFT) i_bit: assert (bit_ == 0);
        if (framing && part == 0) i_kind: assert (kind == (log ? {4'h1, placing, 1'b0, \dut.last_ff__q , \dut.first_ff__q }
            : \dut.end_ff__q ? 8'h30 : 8'h20));
        // the number and the CRC, of which so many bits are done,
        if (state == IDLE) i_number: assert (\dut.seq_ff__q == number);
        else if (framing && !payload && !check) begin
            i_rotated: assert (\dut.seq_ff__q == ((number >> numbered) | (next_number << (6'd16 - numbered))));
            i_carry: assert (\dut.carry_ff__q == &(number | (16'hffff << numbered)));
        end else i_next_number: assert (\dut.seq_ff__q == next_number);
        if (!framing) i_crc_idle: assert (\dut.crc_ff__q == 0);
        else if (payload) i_crc_payload: assert (\dut.crc_ff__q == crc);
        else if (check) i_crc_check: assert (\dut.crc_ff__q == crc >> bits);
        else i_crc_header: assert (\dut.crc_ff__q == (crc ^ (32'hffffffff >> bits)));
        // the byte,
        if (state == SHIFT) i_byte: assert ((byte_ >> (4'd8 - bit_)) == (expected & low));
        if (state == SHIFT && payload) i_next_bit: assert (next_bit == before[bit_]);
        if (state == SHIFT && payload && bit_ == 7) i_taken: assert (before == taken);
        if (state == SHIFT && payload && bit_ != 7) i_quiet: assert (quiet >= 2);
        if (stores && payload) i_quiet_store: assert (quiet >= 1);
        if (framing && !payload && !check) i_quiet_header:
            assert (quiet == 3 || (slot == 0 && state == SHIFT && quiet >= bit_));
        // and where in the queue.
        if (framing) i_length: assert (run <= length + 1 && length <= (check ? 248 + slot : payload ? 247 : slot));
        if (closes) i_length_closed: assert (run <= length + 1 && length <= 252);
        if (framing || closes) i_run: assert (run >= 1 && write - code == run);
        if (state == TERMINATE) i_terminate: assert (code == write);
        if (state == IDLE) i_idle: assert (code == write || code + 9'd1 == write);
        i_order: assert (open <= used && used <= 448);
        if (stores || (state == SHIFT && bit_ != 0)) i_room: assert (used <= 447);
        if (tx_valid) i_valid: assert (open != 0);
        i_inside: assert (inside == (offset < used));
        if (inside && use_ == CODE && !counted)
            i_open: assert (place == code && (framing || closes) && value == run);
        if (inside && (framing || closes) && place == code) i_code: assert (use_ == CODE && !counted);
        if (inside && (counted || use_ != CODE)) begin
            i_kept: assert (\dut.queue.watched_word == value && counted);
            i_value: assert (use_ == DELIMITER ? value == 0 : value != 0);
        end
        if (inside) i_use: assert (use_ != 3);
        c_delimiter: cover (tx_valid && tx_ready && inside && use_ == DELIMITER && read == place);
        c_code: cover (tx_valid && inside && use_ == CODE && value == 2 && read == place);
        c_placed: cover (stores && part == 4 && placing && log && !message_more);
        c_check: cover (stores && part == 8);
    end
endmodule
