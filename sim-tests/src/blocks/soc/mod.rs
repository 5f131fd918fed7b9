//! The blocks of `hdl/src/soc`.

mod arithmetic;
mod decoding;
mod devices;
mod interconnect;
pub(in crate::blocks) mod machine;
mod masters;
mod privilege;
pub mod program;
pub(in crate::blocks) mod several;
mod steps;
mod system;
mod values;

use super::registry::Block;
use crate::block;
use lookback_hdl::soc::{
    alu::Alu,
    bus::Bus,
    clint::Clint,
    cluster::PairOfHarts,
    console::Console,
    control::Control,
    counters::Counters,
    csr::Csr,
    csr_select::CsrSelect,
    datapath::Datapath,
    decode::Decode,
    devices::Devices,
    dma::Dma,
    gpio::Gpio,
    hart::Hart,
    hart_timer::HartTimer,
    immediate::Immediate,
    lanes::Lanes,
    muldiv::MulDiv,
    operation::Operation,
    plic::Plic,
    registers::Registers,
    smp::{Smp2, Smp4},
    soc::Soc,
    traps::Traps,
};

pub use decoding::{immediate, insn};
pub use system::{Outside, System};

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("alu", arithmetic::Results, 60; Alu:
        in op a b; out y equal less less_unsigned),
    block!("bus", interconnect::Lines, 100; Bus:
        clock; in reset ram_bytes hart_req hart_fetch hart_write hart_lock hart_between hart_addr
            hart_mask hart_wdata dma_read dma_write dma_addr dma_wdata;
        out hart_fault dma_grant dma_fault ram_req ram_addr ram_wdata ram_wstrb device device_write
            snoop_valid snoop_addr),
    block!("clint", devices::Timer, 80; Clint:
        clock; in reset selected write addr wdata running;
        out rdata software timer time_low time_high),
    block!("console", masters::Console, 100; Console:
        clock; in reset selected write second wdata lanes rx_valid rx_data;
        out rdata tx_valid tx_data rx_ready interrupt),
    block!("control", steps::Steps, 100; Control:
        clock; in reset stall halt kind fault other_write granted several restart shown misaligned_target misaligned mask reserved
            computed csr_illegal machine timeout_wait request request_cause wake same_pc;
        out state begins req req_write soon soon_data soon_write soon_lock waits restarts soon_retire soon_access under_way load complete cause interrupt running lockup retire writeback
            trapped intr rmask wmask ran_in_machine sweep),
    block!("csr", privilege::Csrs, 100; Csr:
        clock; in reset access name insn rs1 trap trap_interrupt trap_cause trap_value trap_pc mret
            hart_id running retire software timer external time_low time_high;
        out rdata illegal target mepc machine timeout_wait request request_cause wake),
    block!("csr-select", decoding::CsrNames, 60; CsrSelect:
        clock; in load word; out name),
    block!("datapath", values::Values, 100; Datapath:
        clock; in reset state begins restarts kind alu_op insn funct3 imm rs1 rs2 ram_rdata device_rdata
            from_device computed csr_rdata trap_target reserved;
        out pc next_pc result addr mask wdata word misaligned_target target_addr misaligned),
    block!("decode", decoding::Kinds, 60; Decode:
        clock; in load word; out insn kind rs1 rs2 rd funct3),
    block!("devices", interconnect::Answers, 80; Devices:
        clock; in reset device write addr wdata lanes running dma rx_valid rx_data pins_in;
        out rdata time_low time_high software timer external tx_valid tx_data rx_ready pins_out),
    block!("dma", masters::Copier, 120; Dma:
        clock; in reset selected write register wdata grant fault bus_rdata;
        out rdata bus_read bus_write bus_addr bus_wdata interrupt),
    block!("gpio", devices::Pins, 30; Gpio:
        clock; in reset selected write second wdata pins_in; out rdata pins_out),
    block!("hart", machine::Programs, 120; Hart:
        clock; in reset stall halt hart_id several restart shown granted fault ram_rdata device_rdata from_device
            other_write others_write other_addr software timer external time_low time_high;
        out retires running lockup soon soon_data soon_write soon_lock waits soon_retire soon_access soon_addr req req_fetch req_write req_addr req_mask req_wdata lock
            between under_way
            rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata),
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
    block!("cluster", several::Clusters<2>, 120; PairOfHarts:
        clock; in reset stall ending hold_back fault ram_rdata device_rdata from_device dma_read
            dma_write dma_addr software timer external time_low time_high;
        out ended running lockup req req_fetch req_write req_addr req_mask req_wdata device_addr
            device_mask device_wdata dma_turn rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata),
    block!("hart-timer", devices::OwnTimer, 60; HartTimer:
        clock; in reset number selected write addr wdata time_low time_high;
        out rdata software timer),
    block!("smp", several::Socs<2>, 60; Smp2:
        clock; in reset stall hold_back ram_bytes ram_rdata console_rx_valid console_rx_data gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code
            rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata
            snoop_valid snoop_addr snoop_mask),
    block!("smp-4", several::Socs<4>, 24; Smp4:
        clock; in reset stall hold_back ram_bytes ram_rdata console_rx_valid console_rx_data gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code
            rvfi_valid rvfi_hart rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata
            snoop_valid snoop_addr snoop_mask),
    block!("soc", system::System<false, false>, 80; Soc:
        clock; in reset stall ram_bytes ram_rdata console_rx_valid console_rx_data gpio_in;
        out ram_req ram_addr ram_wdata ram_wstrb console_tx_valid console_tx_data console_rx_ready
            gpio_out finished finish_code
            rvfi_valid rvfi_insn rvfi_trap rvfi_intr
            rvfi_mode rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata
            snoop_valid snoop_addr snoop_mask),
    block!("traps", privilege::Modes, 100; Traps:
        clock; in reset trap trap_interrupt trap_cause trap_value trap_pc mret write name write_data
            software timer external;
        out target machine request request_cause wake status enables pending vector epc cause value),
];
