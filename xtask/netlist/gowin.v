// The block RAMs of Gowin's GW2A, for simulating netlists: yosys knows their ports alone.
//
// Written from the memory's documented behaviour: 2048 units of 8 or (names with 9) 9 bits. Addresses
// count bits without parity. A word of 16 and more bits has byte enables in the low bits of its
// address. Answers come a cycle later and stay when nothing is read; a second register behind them
// is not used here, nor are selections of one of several blocks.

// What all of them are around: two ports that see the same units as words of their own widths.
module gowin_bsram #(
    parameter UNIT = 8, WIDTH_A = 32, WIDTH_B = 32, MODE_A = 0, MODE_B = 0,
    parameter [UNIT*2048-1:0] INITIAL = 0
) (
    input clock_a, input enable_a, input write_a, input reset_a,
    input [13:0] address_a, input [4*UNIT-1:0] data_a, output reg [4*UNIT-1:0] out_a,
    input clock_b, input enable_b, input write_b, input reset_b,
    input [13:0] address_b, input [4*UNIT-1:0] data_b, output reg [4*UNIT-1:0] out_b
);
    reg [UNIT-1:0] units [0:2047];
    integer i;
    initial begin
        for (i = 0; i < 2048; i = i + 1) units[i] = INITIAL[i * UNIT +: UNIT];
        out_a = 0;
        out_b = 0;
    end

    // How many units a word is.
    function integer units_of;
        input integer width;
        units_of = width >= 4 * 8 ? 4 : width >= 2 * 8 ? 2 : 1;
    endfunction

    // The first unit of the word at a bit address.
    function [10:0] first;
        input [13:0] address;
        input integer width;
        first = units_of(width) == 4 ? {address[13:5], 2'b00}
            : units_of(width) == 2 ? {address[13:4], 1'b0} : address[13:3];
    endfunction

    // A unit, or the part of it that a narrow port sees.
    function [UNIT-1:0] part;
        input [UNIT-1:0] unit;
        input [2:0] low;
        input integer width;
        case (width)
            1: part = (unit >> low) & 1;
            2: part = (unit >> {low[2:1], 1'b0}) & 3;
            4: part = (unit >> {low[2], 2'b00}) & 15;
            default: part = unit;
        endcase
    endfunction

    // A unit of which a narrow port has written its part.
    function [UNIT-1:0] changed;
        input [UNIT-1:0] unit;
        input [UNIT-1:0] data;
        input [2:0] low;
        input integer width;
        begin
            changed = unit;
            case (width)
                1: changed[low] = data[0];
                2: changed[{low[2:1], 1'b0} +: 2] = data[1:0];
                4: changed[{low[2], 2'b00} +: 4] = data[3:0];
                default: changed = data;
            endcase
        end
    endfunction

    // Whether an access writes a unit of its word.
    function written;
        input write;
        input [3:0] enables;
        input integer at;
        input integer width;
        written = write & (units_of(width) == 1 | enables[at]);
    endfunction

    integer a;
    always @(posedge clock_a) begin
        for (a = 0; a < units_of(WIDTH_A); a = a + 1) begin
            if (enable_a & written(write_a, address_a[3:0], a, WIDTH_A))
                units[first(address_a, WIDTH_A) + a] <= changed(
                    units[first(address_a, WIDTH_A) + a], data_a[a * UNIT +: UNIT],
                    address_a[2:0], WIDTH_A);
            // Mode 0 shows nothing of a write, 1 what it writes, 2 what was there before.
            if (enable_a & (~write_a | MODE_A == 2))
                out_a[a * UNIT +: UNIT] <= part(
                    units[first(address_a, WIDTH_A) + a], address_a[2:0], WIDTH_A);
            else if (enable_a & MODE_A == 1)
                out_a[a * UNIT +: UNIT] <= part(
                    written(write_a, address_a[3:0], a, WIDTH_A)
                        ? changed(
                            units[first(address_a, WIDTH_A) + a], data_a[a * UNIT +: UNIT],
                            address_a[2:0], WIDTH_A)
                        : units[first(address_a, WIDTH_A) + a],
                    address_a[2:0], WIDTH_A);
        end
        if (reset_a) out_a <= 0;
    end

    integer b;
    always @(posedge clock_b) begin
        for (b = 0; b < units_of(WIDTH_B); b = b + 1) begin
            if (enable_b & written(write_b, address_b[3:0], b, WIDTH_B))
                units[first(address_b, WIDTH_B) + b] <= changed(
                    units[first(address_b, WIDTH_B) + b], data_b[b * UNIT +: UNIT],
                    address_b[2:0], WIDTH_B);
            // Mode 0 shows nothing of a write, 1 what it writes, 2 what was there before.
            if (enable_b & (~write_b | MODE_B == 2))
                out_b[b * UNIT +: UNIT] <= part(
                    units[first(address_b, WIDTH_B) + b], address_b[2:0], WIDTH_B);
            else if (enable_b & MODE_B == 1)
                out_b[b * UNIT +: UNIT] <= part(
                    written(write_b, address_b[3:0], b, WIDTH_B)
                        ? changed(
                            units[first(address_b, WIDTH_B) + b], data_b[b * UNIT +: UNIT],
                            address_b[2:0], WIDTH_B)
                        : units[first(address_b, WIDTH_B) + b],
                    address_b[2:0], WIDTH_B);
        end
        if (reset_b) out_b <= 0;
    end
endmodule

module SP (
    input CLK, CE, OCE, RESET, WRE, input [13:0] AD, input [2:0] BLKSEL, input [31:0] DI,
    output [31:0] DO
);
    parameter READ_MODE = 0, WRITE_MODE = 0, BIT_WIDTH = 32, BLK_SEL = 0, RESET_MODE = "SYNC";
    parameter [255:0]
        INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0,
        INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, INIT_RAM_08 = 0, INIT_RAM_09 = 0,
        INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0,
        INIT_RAM_0F = 0, INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0,
        INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, INIT_RAM_18 = 0,
        INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0,
        INIT_RAM_1E = 0, INIT_RAM_1F = 0, INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0,
        INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0,
        INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0,
        INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, INIT_RAM_30 = 0, INIT_RAM_31 = 0,
        INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0,
        INIT_RAM_37 = 0, INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0,
        INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0;
    initial if (READ_MODE != 0) $fatal(1, "a second register is not simulated");
    wire [31:0] unused;
    gowin_bsram #(
        .INITIAL({
            INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A,
            INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
            INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E,
            INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
            INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
            INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
            INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16,
            INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
            INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A,
            INIT_RAM_09, INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
            INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
        }),
        .UNIT(8), .WIDTH_A(BIT_WIDTH), .WIDTH_B(BIT_WIDTH), .MODE_A(WRITE_MODE)
    ) memory (
        .clock_a(CLK), .enable_a(CE), .write_a(WRE), .reset_a(RESET), .address_a(AD), .data_a(DI),
        .out_a(DO), .clock_b(CLK), .enable_b(1'b0), .write_b(1'b0), .reset_b(1'b0),
        .address_b(14'h0), .data_b(32'h0), .out_b(unused)
    );
endmodule

module SPX9 (
    input CLK, CE, OCE, RESET, WRE, input [13:0] AD, input [2:0] BLKSEL, input [35:0] DI,
    output [35:0] DO
);
    parameter READ_MODE = 0, WRITE_MODE = 0, BIT_WIDTH = 36, BLK_SEL = 0, RESET_MODE = "SYNC";
    parameter [287:0]
        INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0,
        INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, INIT_RAM_08 = 0, INIT_RAM_09 = 0,
        INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0,
        INIT_RAM_0F = 0, INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0,
        INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, INIT_RAM_18 = 0,
        INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0,
        INIT_RAM_1E = 0, INIT_RAM_1F = 0, INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0,
        INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0,
        INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0,
        INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, INIT_RAM_30 = 0, INIT_RAM_31 = 0,
        INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0,
        INIT_RAM_37 = 0, INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0,
        INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0;
    initial if (READ_MODE != 0) $fatal(1, "a second register is not simulated");
    wire [35:0] unused;
    gowin_bsram #(
        .INITIAL({
            INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A,
            INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
            INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E,
            INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
            INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
            INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
            INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16,
            INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
            INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A,
            INIT_RAM_09, INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
            INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
        }),
        .UNIT(9), .WIDTH_A(BIT_WIDTH), .WIDTH_B(BIT_WIDTH), .MODE_A(WRITE_MODE)
    ) memory (
        .clock_a(CLK), .enable_a(CE), .write_a(WRE), .reset_a(RESET), .address_a(AD), .data_a(DI),
        .out_a(DO), .clock_b(CLK), .enable_b(1'b0), .write_b(1'b0), .reset_b(1'b0),
        .address_b(14'h0), .data_b(36'h0), .out_b(unused)
    );
endmodule

module SDPB (
    input CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB, input [13:0] ADA, ADB,
    input [2:0] BLKSELA, BLKSELB, input [31:0] DI, output [31:0] DO
);
    parameter READ_MODE = 0, BIT_WIDTH_0 = 32, BIT_WIDTH_1 = 32, BLK_SEL_0 = 0, BLK_SEL_1 = 0;
    parameter RESET_MODE = "SYNC";
    parameter [255:0]
        INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0,
        INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, INIT_RAM_08 = 0, INIT_RAM_09 = 0,
        INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0,
        INIT_RAM_0F = 0, INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0,
        INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, INIT_RAM_18 = 0,
        INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0,
        INIT_RAM_1E = 0, INIT_RAM_1F = 0, INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0,
        INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0,
        INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0,
        INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, INIT_RAM_30 = 0, INIT_RAM_31 = 0,
        INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0,
        INIT_RAM_37 = 0, INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0,
        INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0;
    initial if (READ_MODE != 0) $fatal(1, "a second register is not simulated");
    wire [31:0] unused;
    gowin_bsram #(
        .INITIAL({
            INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A,
            INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
            INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E,
            INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
            INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
            INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
            INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16,
            INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
            INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A,
            INIT_RAM_09, INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
            INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
        }),
        .UNIT(8), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1)
    ) memory (
        .clock_a(CLKA), .enable_a(CEA), .write_a(1'b1), .reset_a(1'b0), .address_a(ADA),
        .data_a(DI), .out_a(unused), .clock_b(CLKB), .enable_b(CEB), .write_b(1'b0),
        .reset_b(RESETB), .address_b(ADB), .data_b(32'h0), .out_b(DO)
    );
endmodule

module SDPX9B (
    input CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB, input [13:0] ADA, ADB,
    input [2:0] BLKSELA, BLKSELB, input [35:0] DI, output [35:0] DO
);
    parameter READ_MODE = 0, BIT_WIDTH_0 = 36, BIT_WIDTH_1 = 36, BLK_SEL_0 = 0, BLK_SEL_1 = 0;
    parameter RESET_MODE = "SYNC";
    parameter [287:0]
        INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0,
        INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, INIT_RAM_08 = 0, INIT_RAM_09 = 0,
        INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0,
        INIT_RAM_0F = 0, INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0,
        INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, INIT_RAM_18 = 0,
        INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0,
        INIT_RAM_1E = 0, INIT_RAM_1F = 0, INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0,
        INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0,
        INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0,
        INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, INIT_RAM_30 = 0, INIT_RAM_31 = 0,
        INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0,
        INIT_RAM_37 = 0, INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0,
        INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0;
    initial if (READ_MODE != 0) $fatal(1, "a second register is not simulated");
    wire [35:0] unused;
    gowin_bsram #(
        .INITIAL({
            INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A,
            INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
            INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E,
            INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
            INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
            INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
            INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16,
            INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
            INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A,
            INIT_RAM_09, INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
            INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
        }),
        .UNIT(9), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1)
    ) memory (
        .clock_a(CLKA), .enable_a(CEA), .write_a(1'b1), .reset_a(1'b0), .address_a(ADA),
        .data_a(DI), .out_a(unused), .clock_b(CLKB), .enable_b(CEB), .write_b(1'b0),
        .reset_b(RESETB), .address_b(ADB), .data_b(36'h0), .out_b(DO)
    );
endmodule

module DPB (
    input CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB, input [13:0] ADA, ADB,
    input [2:0] BLKSELA, BLKSELB, input [15:0] DIA, DIB, output [15:0] DOA, DOB
);
    parameter READ_MODE0 = 0, READ_MODE1 = 0, WRITE_MODE0 = 0, WRITE_MODE1 = 0;
    parameter BIT_WIDTH_0 = 16, BIT_WIDTH_1 = 16, BLK_SEL_0 = 0, BLK_SEL_1 = 0;
    parameter RESET_MODE = "SYNC";
    parameter [255:0]
        INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0,
        INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, INIT_RAM_08 = 0, INIT_RAM_09 = 0,
        INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0,
        INIT_RAM_0F = 0, INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0,
        INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, INIT_RAM_18 = 0,
        INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0,
        INIT_RAM_1E = 0, INIT_RAM_1F = 0, INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0,
        INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0,
        INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0,
        INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, INIT_RAM_30 = 0, INIT_RAM_31 = 0,
        INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0,
        INIT_RAM_37 = 0, INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0,
        INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0;
    initial if (READ_MODE0 != 0 || READ_MODE1 != 0) $fatal(1, "a second register is not simulated");
    wire [15:0] unused_a, unused_b;
    gowin_bsram #(
        .INITIAL({
            INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A,
            INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
            INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E,
            INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
            INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
            INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
            INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16,
            INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
            INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A,
            INIT_RAM_09, INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
            INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
        }),
        .UNIT(8), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .MODE_A(WRITE_MODE0),
        .MODE_B(WRITE_MODE1)
    ) memory (
        .clock_a(CLKA), .enable_a(CEA), .write_a(WREA), .reset_a(RESETA), .address_a(ADA),
        .data_a({16'h0, DIA}), .out_a({unused_a, DOA}), .clock_b(CLKB), .enable_b(CEB),
        .write_b(WREB), .reset_b(RESETB), .address_b(ADB), .data_b({16'h0, DIB}),
        .out_b({unused_b, DOB})
    );
endmodule

module DPX9B (
    input CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB, input [13:0] ADA, ADB,
    input [2:0] BLKSELA, BLKSELB, input [17:0] DIA, DIB, output [17:0] DOA, DOB
);
    parameter READ_MODE0 = 0, READ_MODE1 = 0, WRITE_MODE0 = 0, WRITE_MODE1 = 0;
    parameter BIT_WIDTH_0 = 18, BIT_WIDTH_1 = 18, BLK_SEL_0 = 0, BLK_SEL_1 = 0;
    parameter RESET_MODE = "SYNC";
    parameter [287:0]
        INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0,
        INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, INIT_RAM_08 = 0, INIT_RAM_09 = 0,
        INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0,
        INIT_RAM_0F = 0, INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0,
        INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, INIT_RAM_18 = 0,
        INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0,
        INIT_RAM_1E = 0, INIT_RAM_1F = 0, INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0,
        INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0,
        INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0,
        INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, INIT_RAM_30 = 0, INIT_RAM_31 = 0,
        INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0,
        INIT_RAM_37 = 0, INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0,
        INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0;
    initial if (READ_MODE0 != 0 || READ_MODE1 != 0) $fatal(1, "a second register is not simulated");
    wire [17:0] unused_a, unused_b;
    gowin_bsram #(
        .INITIAL({
            INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A,
            INIT_RAM_39, INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34,
            INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E,
            INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
            INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22,
            INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C,
            INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16,
            INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
            INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A,
            INIT_RAM_09, INIT_RAM_08, INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04,
            INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
        }),
        .UNIT(9), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .MODE_A(WRITE_MODE0),
        .MODE_B(WRITE_MODE1)
    ) memory (
        .clock_a(CLKA), .enable_a(CEA), .write_a(WREA), .reset_a(RESETA), .address_a(ADA),
        .data_a({18'h0, DIA}), .out_a({unused_a, DOA}), .clock_b(CLKB), .enable_b(CEB),
        .write_b(WREB), .reset_b(RESETB), .address_b(ADB), .data_b({18'h0, DIB}),
        .out_b({unused_b, DOB})
    );
endmodule
