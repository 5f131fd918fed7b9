// What every foreign core's board has around the core: the RAM outside, the devices that the
// firmware expects (those of QEMU's `virt` machine, and GPIO), and the end of the run.
//
//   valid/fetch/address/wdata/wstrb ──► one access at a time ──► ready, rdata, fault a cycle later
//
// An access is taken in the cycle in which `taken` is high and answered in the next one. A core
// without separate grant and answer leaves `taken` open and keeps its request until `ready`.
// `stall` keeps fetches from being taken and nothing else: an instruction under way goes on, the
// next one does not begin. That is all that a recorder needs of a core.
module lookback_bus #(
    // Clock cycles of a tick of the timer are 2 to the power of this.
    parameter TIMER_SHIFT = 0,
    // What a data access to an address where nothing is does besides reading 0 and raising `fault`.
    // 2: it ends the run. 1: a write in the RAM's half of the addresses does, because a recorder
    // takes what is written there for memory. 0: nothing, for a core that traps on `fault`.
    parameter NOWHERE = 2
) (
    input wire clock,
    input wire reset,
    // the core's bus
    input wire valid,
    input wire fetch,
    input wire [31:0] address,
    input wire [31:0] wdata,
    input wire [3:0] wstrb,
    output wire taken,
    output reg ready,
    output wire [31:0] rdata,
    output reg fault,
    output wire timer_interrupt,
    output reg software_interrupt,
    // the recorder
    input wire stall,
    // the core's retirements: the run ends with the one whose access asked for it, or with a halt
    input wire retired,
    input wire retired_halt,
    input wire retired_access,
    input wire [31:0] retired_address,
    // the board's pins
    input wire [31:0] ram_bytes,
    input wire [31:0] ram_rdata,
    input wire console_rx_valid,
    input wire [7:0] console_rx_data,
    input wire [31:0] gpio_in,
    output wire ram_req,
    output wire [31:0] ram_addr,
    output wire [31:0] ram_wdata,
    output wire [3:0] ram_wstrb,
    output wire console_tx_valid,
    output wire [7:0] console_tx_data,
    output wire console_rx_ready,
    output reg [31:0] gpio_out,
    output reg finished,
    output reg [31:0] finish_code
);
    localparam [31:0] LOCKUP = 32'hdead0000;
    // What is fetched from where nothing is: ebreak.
    localparam [31:0] EBREAK = 32'h00100073;

    // Where an address lies.
    wire [31:0] offset = {1'b0, address[30:2], 2'b00};
    wire high_half = address[31];
    wire in_ram = high_half && offset < ram_bytes;
    wire at_finisher = address[31:2] == 30'h00040000;        // 0x00100000
    wire at_msip = address[31:2] == 30'h00800000;            // 0x02000000
    wire at_compare_low = address[31:2] == 30'h00801000;     // 0x02004000
    wire at_compare_high = address[31:2] == 30'h00801001;
    wire at_time_low = address[31:2] == 30'h00802ffe;        // 0x0200bff8
    wire at_time_high = address[31:2] == 30'h00802fff;
    wire at_uart_data = address[31:2] == 30'h04000000;       // 0x10000000
    wire at_uart_status = address[31:2] == 30'h04000001;
    wire at_gpio_out = address[31:2] == 30'h04004800;        // 0x10012000
    wire at_gpio_in = address[31:2] == 30'h04004801;
    wire at_device = at_finisher | at_msip | at_compare_low | at_compare_high | at_time_low
        | at_time_high | at_uart_data | at_uart_status | at_gpio_out | at_gpio_in;
    wire nowhere = ~in_ram & (fetch | ~at_device);

    // The end of the run is asked for by an access and comes when its instruction retires.
    reg ending;
    reg [31:2] ending_address;

    wire write = |wstrb;
    assign taken = valid & ~ready & ~(fetch & (stall | ending | finished));
    wire device_read = taken & at_device & ~fetch & ~write;
    wire device_write = taken & at_device & ~fetch & write;

    // RAM: the request goes out as it comes, its word is there a cycle later, with `ready`.
    assign ram_req = taken & in_ram;
    assign ram_addr = offset;
    assign ram_wdata = wdata;
    assign ram_wstrb = fetch ? 4'b0000 : wstrb;

    // The console takes and gives a byte at once: it is the host's side that waits.
    assign console_tx_valid = device_write & at_uart_data & wstrb[0];
    assign console_tx_data = wdata[7:0];
    assign console_rx_ready = device_read & at_uart_data & console_rx_valid;

    // The timer stands still until the first fetch, so that time begins with the program.
    reg started;
    reg [TIMER_SHIFT:0] fraction;
    reg [63:0] now;
    reg [63:0] deadline;
    assign timer_interrupt = now >= deadline;

    reg from_ram;
    reg [31:0] device_word;
    assign rdata = from_ram ? ram_rdata : device_word;

    wire [31:0] uart_status = {16'h0000, 8'h60 | {7'h00, console_rx_valid}, 8'h00};

    always @(posedge clock) begin
        ready <= taken;
        fault <= taken & nowhere;
        if (taken) begin
            from_ram <= in_ram;
            device_word <= fetch ? EBREAK
                : at_msip ? {31'h00000000, software_interrupt}
                : at_compare_low ? deadline[31:0]
                : at_compare_high ? deadline[63:32]
                : at_time_low ? now[31:0]
                : at_time_high ? now[63:32]
                : at_uart_data ? {24'h000000, console_rx_valid ? console_rx_data : 8'h00}
                : at_uart_status ? uart_status
                : at_gpio_out ? gpio_out
                : at_gpio_in ? gpio_in
                : 32'h00000000;
        end
        if (taken & fetch)
            started <= 1'b1;
        if (started)
            fraction <= fraction[TIMER_SHIFT] ? 1 : fraction + 1'b1;
        if (started & fraction[TIMER_SHIFT])
            now <= now + 1'b1;
        if (device_write & at_msip)
            software_interrupt <= wdata[0];
        if (device_write & at_compare_low)
            deadline[31:0] <= wdata;
        if (device_write & at_compare_high)
            deadline[63:32] <= wdata;
        if (device_write & at_gpio_out)
            gpio_out <= wdata;
        if (~ending & ~finished) begin
            if (device_write & at_finisher) begin
                ending <= 1'b1;
                ending_address <= address[31:2];
                finish_code <= wdata;
            end
            if (taken & ~fetch & nowhere & (NOWHERE == 2 || NOWHERE == 1 && write && high_half)) begin
                ending <= 1'b1;
                ending_address <= address[31:2];
                finish_code <= LOCKUP;
            end
        end
        if (retired & ending & retired_access & retired_address[31:2] == ending_address)
            finished <= 1'b1;
        if (retired & retired_halt & ~finished) begin
            finished <= 1'b1;
            finish_code <= LOCKUP;
        end
        if (reset) begin
            ready <= 1'b0;
            fault <= 1'b0;
            from_ram <= 1'b0;
            started <= 1'b0;
            fraction <= 1;
            now <= 64'h0;
            deadline <= 64'hffffffffffffffff;
            software_interrupt <= 1'b0;
            gpio_out <= 32'h0;
            ending <= 1'b0;
            finished <= 1'b0;
            finish_code <= 32'h0;
        end
    end
endmodule
