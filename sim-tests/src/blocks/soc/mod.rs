//! The blocks of `hdl/src/soc`.

mod arithmetic;
mod decoding;
mod devices;
mod masters;

use super::registry::Block;
use crate::block;
use lookback_hdl::soc::{
    alu::Alu, clint::Clint, console::Console, counters::Counters, csr_select::CsrSelect,
    decode::Decode, dma::Dma, gpio::Gpio, immediate::Immediate, lanes::Lanes, muldiv::MulDiv,
    operation::Operation, plic::Plic, registers::Registers,
};

pub use decoding::insn;

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("alu", arithmetic::Results, 60; Alu:
        in op a b; out y equal less less_unsigned),
    block!("clint", devices::Timer, 80; Clint:
        clock; in reset selected write addr wdata running;
        out rdata software timer time_low time_high),
    block!("console", masters::Console, 100; Console:
        clock; in reset selected write second wdata lanes rx_valid rx_data;
        out rdata tx_valid tx_data rx_ready interrupt),
    block!("csr-select", decoding::CsrNames, 60; CsrSelect:
        clock; in load word; out name),
    block!("decode", decoding::Kinds, 60; Decode:
        clock; in load word; out insn kind rs1 rs2 rd funct3),
    block!("dma", masters::Copier, 120; Dma:
        clock; in reset selected write register wdata grant fault bus_rdata;
        out rdata bus_read bus_write bus_addr bus_wdata interrupt),
    block!("gpio", devices::Pins, 30; Gpio:
        clock; in reset selected write second wdata pins_in; out rdata pins_out),
    block!("hart-counters", devices::Counted, 60; Counters:
        clock; in reset count_cycle count_instruction write_cycle write_cycle_high
            write_instruction write_instruction_high write_data;
        out cycle cycle_high instruction instruction_high),
    block!("immediate", decoding::Immediates, 40; Immediate:
        clock; in load word; out imm),
    block!("lanes", arithmetic::Parts, 60; Lanes:
        in size offset value stores word loads; out stored loaded mask misaligned),
    block!("muldiv", arithmetic::Products, 40; MulDiv:
        clock; in reset start funct3 a b; out done result),
    block!("operation", decoding::Operations, 60; Operation:
        clock; in load word; out alu_op),
    block!("plic", devices::Sources, 100; Plic:
        clock; in reset selected write addr wdata console dma; out rdata interrupt),
    block!("registers", arithmetic::Cells, 30; Registers:
        clock; in read_insn write write_address write_data; out left right),
];
