// Proves: unless the host has written BOOT with 1 and not with 0 since, and for fifteen cycles after that, the loader gives the board's reset and the SoC's RAM port on as they are, whatever else the host does; while the host has RAM, the SoC is in reset and only a WRITE of the window changes it.
// Depth: unbounded, by induction over 2 cycles
// Witnesses: within 24 cycles
// Assumes: nothing.
// Block: sim-bugnet loader as loader
// Fault: the SoC keeps RAM unless the window is meant | if (boot_ff$q) begin => if (window) begin
// Fault: BOOT does not hold the SoC | soc_reset = reset | restarting | boot_ff$q; => soc_reset = reset | restarting;
// Fault: a READ of BOOT changes it | sets = fire & write & here; => sets = fire & here;
// Fault: a restart leaves the recorder as it is | recorder_reset = reset | restarting; => recorder_reset = reset;
module proof (
    input wire clock,
    input wire reset,
    input wire [31:0] ram_bytes,
    input wire fire,
    input wire write,
    input wire [7:0] register,
    input wire [31:0] value,
    input wire [4:0] index,
    input wire soc_req,
    input wire [31:0] soc_addr,
    input wire [31:0] soc_wdata,
    input wire [3:0] soc_wstrb,
    input wire [31:0] ram_rdata
);
    wire out_bit, ram_req, soc_reset, recorder_reset;
    wire [31:0] ram_addr, ram_wdata;
    wire [3:0] ram_wstrb;
    loader dut (
        .clock(clock), .reset(reset), .ram_bytes(ram_bytes), .fire(fire), .write(write),
        .register(register), .value(value), .index(index), .out_bit(out_bit), .soc_req(soc_req),
        .soc_addr(soc_addr), .soc_wdata(soc_wdata), .soc_wstrb(soc_wstrb), .ram_rdata(ram_rdata),
        .ram_req(ram_req), .ram_addr(ram_addr), .ram_wdata(ram_wdata), .ram_wstrb(ram_wstrb),
        .soc_reset(soc_reset), .recorder_reset(recorder_reset)
    );
    // The specification: what the host last wrote to BOOT, and how long ago it fell.
    reg boot = 0;
    reg [3:0] left = 0;
    reg stores = 0;
    wire writes = fire && write && ram_bytes != 0 && register == 8'h41;
    always @(posedge clock) begin
        stores <= fire && write && ram_bytes != 0 && register[7] && boot && !reset;
        if (left != 0) left <= left - 1;
        if (writes) begin
            boot <= value[0];
            if (boot && !value[0]) left <= 15;
        end
        if (reset) begin
            boot <= 0;
            left <= 0;
        end
    end

    (* hierconn *) wire \dut.boot_ff$q ;
    (* hierconn *) wire \dut.store_ff$q ;
    (* hierconn *) wire [3:0] \dut.left_ff$q ;
    always @* begin
        a_reset: assert (soc_reset == (reset || boot || left != 0));
        a_recorder: assert (recorder_reset == (reset || left != 0));
        if (!boot) a_req: assert (ram_req == soc_req);
        if (!boot) a_addr: assert (ram_addr == soc_addr);
        if (!boot) a_wdata: assert (ram_wdata == soc_wdata);
        if (!boot) a_wstrb: assert (ram_wstrb == soc_wstrb);
        if (boot) a_held: assert (soc_reset);
        if (boot && ram_req && ram_wstrb != 0) a_wrote: assert (stores);
        i_boot: assert (\dut.boot_ff$q == boot);
        i_stores: assert (\dut.store_ff$q == stores);
        i_left: assert (\dut.left_ff$q == left);
        c_written: cover (boot && ram_req && ram_wstrb == 15 && ram_addr == 32'h604);
        c_again: cover (!boot && left == 1);
    end
endmodule
