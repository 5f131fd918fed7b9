// The block RAM of an ECP5, for simulating netlists: yosys comes with models of all cells but this.
//
// Written from the memory's documented behaviour: 1024 words of 18 bits, seen by each port as words
// of 1, 2, 4, 9, 18 or (both ports together) 36 bits. Addresses count bits without parity, so that
// bit 0 of an address counts in words of one bit, and words of 18 bits have theirs from bit 4 on;
// the low bits are then byte enables. Output registers and chip selects are not used here.
module DP16KD (
    input
        DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13,
        DIA14, DIA15, DIA16, DIA17, ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9,
        ADA10, ADA11, ADA12, ADA13, CEA, OCEA, CLKA, WEA, RSTA, CSA0, CSA1, CSA2, DIB0, DIB1,
        DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15,
        DIB16, DIB17, ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11,
        ADB12, ADB13, CEB, OCEB, CLKB, WEB, RSTB, CSB0, CSB1, CSB2,
    output
        DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13,
        DOA14, DOA15, DOA16, DOA17, DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9,
        DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG";
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
    parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000";
    parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB";
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
    parameter GSR = "ENABLED", INIT_DATA = "STATIC", WID = 0;
    parameter [319:0]
        INITVAL_00 = 320'h0, INITVAL_01 = 320'h0, INITVAL_02 = 320'h0, INITVAL_03 = 320'h0,
        INITVAL_04 = 320'h0, INITVAL_05 = 320'h0, INITVAL_06 = 320'h0, INITVAL_07 = 320'h0,
        INITVAL_08 = 320'h0, INITVAL_09 = 320'h0, INITVAL_0A = 320'h0, INITVAL_0B = 320'h0,
        INITVAL_0C = 320'h0, INITVAL_0D = 320'h0, INITVAL_0E = 320'h0, INITVAL_0F = 320'h0,
        INITVAL_10 = 320'h0, INITVAL_11 = 320'h0, INITVAL_12 = 320'h0, INITVAL_13 = 320'h0,
        INITVAL_14 = 320'h0, INITVAL_15 = 320'h0, INITVAL_16 = 320'h0, INITVAL_17 = 320'h0,
        INITVAL_18 = 320'h0, INITVAL_19 = 320'h0, INITVAL_1A = 320'h0, INITVAL_1B = 320'h0,
        INITVAL_1C = 320'h0, INITVAL_1D = 320'h0, INITVAL_1E = 320'h0, INITVAL_1F = 320'h0,
        INITVAL_20 = 320'h0, INITVAL_21 = 320'h0, INITVAL_22 = 320'h0, INITVAL_23 = 320'h0,
        INITVAL_24 = 320'h0, INITVAL_25 = 320'h0, INITVAL_26 = 320'h0, INITVAL_27 = 320'h0,
        INITVAL_28 = 320'h0, INITVAL_29 = 320'h0, INITVAL_2A = 320'h0, INITVAL_2B = 320'h0,
        INITVAL_2C = 320'h0, INITVAL_2D = 320'h0, INITVAL_2E = 320'h0, INITVAL_2F = 320'h0,
        INITVAL_30 = 320'h0, INITVAL_31 = 320'h0, INITVAL_32 = 320'h0, INITVAL_33 = 320'h0,
        INITVAL_34 = 320'h0, INITVAL_35 = 320'h0, INITVAL_36 = 320'h0, INITVAL_37 = 320'h0,
        INITVAL_38 = 320'h0, INITVAL_39 = 320'h0, INITVAL_3A = 320'h0, INITVAL_3B = 320'h0,
        INITVAL_3C = 320'h0, INITVAL_3D = 320'h0, INITVAL_3E = 320'h0, INITVAL_3F = 320'h0;

    wire [17:0] data_a = {
        DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
        DIA4, DIA3, DIA2, DIA1, DIA0
    };
    wire [13:0] address_a = {
        ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0
    };
    wire [17:0] data_b = {
        DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
        DIB4, DIB3, DIB2, DIB1, DIB0
    };
    wire [13:0] address_b = {
        ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0
    };
    wire clock_a = CLKAMUX == "INV" ? ~CLKA : CLKA;
    wire clock_b = CLKBMUX == "INV" ? ~CLKB : CLKB;
    reg [17:0] out_a = 18'h0, out_b = 18'h0;
    assign {
        DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
        DOA4, DOA3, DOA2, DOA1, DOA0
    } = out_a;
    assign {
        DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
        DOB4, DOB3, DOB2, DOB1, DOB0
    } = out_b;

    reg [17:0] words [0:1023];
    integer i;
    // Sixteen words in each parameter, each in 20 bits.
    localparam [20479:0] initial_words = {
        INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
        INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
        INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
        INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
        INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
        INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
        INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
        INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
        INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01,
        INITVAL_00
    };
    initial for (i = 0; i < 1024; i = i + 1) words[i] = initial_words[i * 20 +: 18];

    // Reading: the word at a bit address, from its lowest bit on.
    function [17:0] part;
        input [17:0] word;
        input [3:0] low;
        input integer width;
        case (width)
            1: part = {17'h0, word[{1'b0, low} + (low[3] ? 5'd1 : 5'd0)]};
            2: part = {16'h0, word[{1'b0, low[3:1], 1'b0} + (low[3] ? 5'd1 : 5'd0) +: 2]};
            4: part = {14'h0, word[{1'b0, low[3:2], 2'b00} + (low[3] ? 5'd1 : 5'd0) +: 4]};
            9: part = {9'h0, low[3] ? word[17:9] : word[8:0]};
            default: part = word;
        endcase
    endfunction

    // Writing: the word with a part of it replaced.
    function [17:0] changed;
        input [17:0] word;
        input [3:0] low;
        input [17:0] data;
        input integer width;
        begin
            changed = word;
            case (width)
                1: changed[{1'b0, low} + (low[3] ? 5'd1 : 5'd0)] = data[0];
                2: changed[{1'b0, low[3:1], 1'b0} + (low[3] ? 5'd1 : 5'd0) +: 2] = data[1:0];
                4: changed[{1'b0, low[3:2], 2'b00} + (low[3] ? 5'd1 : 5'd0) +: 4] = data[3:0];
                9: if (low[3]) changed[17:9] = data[8:0]; else changed[8:0] = data[8:0];
                default: begin
                    if (low[0]) changed[8:0] = data[8:0];
                    if (low[1]) changed[17:9] = data[17:9];
                end
            endcase
        end
    endfunction

    generate
        if (DATA_WIDTH_A == 36 || DATA_WIDTH_B == 36) begin : wide
            // Port A writes, port B reads, of whatever width. A wide word is two of 18 bits, the
            // lower one first; the lower half of what is read comes out of port A.
            always @(posedge clock_a) if (CEA & WEA) begin
                if (DATA_WIDTH_A == 36) begin
                    words[{address_a[13:5], 1'b0}] <= changed(
                        words[{address_a[13:5], 1'b0}], {2'b00, address_a[1:0]}, data_a, 18);
                    words[{address_a[13:5], 1'b1}] <= changed(
                        words[{address_a[13:5], 1'b1}], {2'b00, address_a[3:2]}, data_b, 18);
                end else
                    words[address_a[13:4]] <= changed(
                        words[address_a[13:4]], address_a[3:0], data_a, DATA_WIDTH_A);
            end
            always @(posedge clock_b) if (RSTB) {out_b, out_a} <= 36'h0;
            else if (CEB) begin
                if (DATA_WIDTH_B == 36) begin
                    out_a <= words[{address_b[13:5], 1'b0}];
                    out_b <= words[{address_b[13:5], 1'b1}];
                end else
                    out_b <= part(words[address_b[13:4]], address_b[3:0], DATA_WIDTH_B);
            end
        end else begin : narrow
            always @(posedge clock_a) begin
                if (CEA & WEA)
                    words[address_a[13:4]] <= changed(
                        words[address_a[13:4]], address_a[3:0], data_a, DATA_WIDTH_A);
                if (RSTA) out_a <= 18'h0;
                else if (CEA) begin
                    if (~WEA | WRITEMODE_A == "READBEFOREWRITE")
                        out_a <= part(words[address_a[13:4]], address_a[3:0], DATA_WIDTH_A);
                    else if (WRITEMODE_A == "WRITETHROUGH")
                        out_a <= part(
                            changed(words[address_a[13:4]], address_a[3:0], data_a, DATA_WIDTH_A),
                            address_a[3:0], DATA_WIDTH_A);
                end
            end
            always @(posedge clock_b) begin
                if (CEB & WEB)
                    words[address_b[13:4]] <= changed(
                        words[address_b[13:4]], address_b[3:0], data_b, DATA_WIDTH_B);
                if (RSTB) out_b <= 18'h0;
                else if (CEB) begin
                    if (~WEB | WRITEMODE_B == "READBEFOREWRITE")
                        out_b <= part(words[address_b[13:4]], address_b[3:0], DATA_WIDTH_B);
                    else if (WRITEMODE_B == "WRITETHROUGH")
                        out_b <= part(
                            changed(words[address_b[13:4]], address_b[3:0], data_b, DATA_WIDTH_B),
                            address_b[3:0], DATA_WIDTH_B);
                end
            end
        end
    endgenerate
endmodule

// The simulator's clock is what the PLL makes; how it makes it is not simulated.
module EHXPLLL (
    input CLKI, CLKFB, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP, PHASELOADREG, STDBY, PLLWAKESYNC,
    input RST, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
    output CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 8, CLKOS_DIV = 8, CLKOS2_DIV = 8;
    parameter CLKOS3_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
    parameter CLKOP_ENABLE = "ENABLED", FEEDBK_PATH = "CLKOP", OUTDIVIDER_MUXA = "DIVA";
    parameter PLLRST_ENA = "DISABLED", STDBY_ENABLE = "DISABLED", DPHASE_SOURCE = "DISABLED";
    assign CLKOP = CLKI;
    assign LOCK = 1'b1;
endmodule
