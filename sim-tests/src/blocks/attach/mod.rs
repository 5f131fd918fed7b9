//! The blocks of `hdl/src/attach`: the recorder for cores that bring their own retirement port.

mod adapter;
mod conformance;
mod expectation;
mod judge;
mod stream;
mod whole;
mod wishbone;

use super::registry::Block;
use super::retirement_ports;
use crate::block;
use lookback_hdl::attach::{
    adapter::Adapter,
    conformance::Conformance,
    expand::Expand,
    expectation::Expectation,
    opaque_word::OpaqueWord,
    recorder::AttachedTiny,
    register_copy::RegisterCopy,
    stream::{StreamRx, UartBridge},
    wishbone::Wishbone,
};
use lookback_log_format::Retire;

pub use stream::Bridge;
pub use whole::Attached;

/// The table.
pub const BLOCKS: &[Block] = &[
    block!("adapter", adapter::Uniform, 60; Adapter:
        clock; in rvfi_valid rvfi_insn rvfi_trap rvfi_mode rvfi_rs1_addr rvfi_rs1_rdata
            rvfi_rd_addr rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask
            rvfi_mem_wmask rvfi_mem_rdata rvfi_mem_wdata old_rd log_results snoop_valid snoop_addr
            snoop_mask;
        out valid insn trap mode rd_addr rd_wdata pc_rdata pc_wdata mem_addr mem_rmask mem_wmask
            mem_rdata mem_wdata opaque jumps loose breaks snooped snooped_addr snooped_mask),
    block!("attached-recorder", whole::Attached<false>, 8; AttachedTiny:
        clock; in reset rvfi_valid rvfi_order rvfi_insn rvfi_trap rvfi_halt rvfi_intr rvfi_mode
            rvfi_ixl rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr
            rvfi_rd_wdata rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask
            rvfi_mem_rdata rvfi_mem_wdata snoop_valid snoop_addr snoop_mask trigger hold run_ended
            run_code mem_base mem_mask clock_hz m_axis_tready s_axis_tvalid s_axis_tdata wb_cyc
            wb_stb wb_we wb_adr wb_sel wb_dat_i;
        out stall m_axis_tvalid m_axis_tdata m_axis_tlast s_axis_tready wb_ack wb_dat_o recording
            triggered breach),
    block!("conformance", conformance::Rules, 100; Conformance:
        clock; in reset clear recording retired_lo rvfi_valid rvfi_order rvfi_insn rvfi_trap
            rvfi_rs1_addr rvfi_rs2_addr rvfi_rs1_rdata rvfi_rs2_rdata rvfi_rd_addr rvfi_rd_wdata
            rvfi_pc_rdata rvfi_pc_wdata rvfi_mem_addr rvfi_mem_rmask rvfi_mem_wmask rvfi_mem_rdata
            rvfi_mem_wdata;
        out old_rd breach rule at pc insn want got),
    block!("expand", adapter::Expanded, 200; Expand:
        in insn; out word short),
    block!("expectation", expectation::Implied, 100; Expectation:
        in insn short pc left right mem_low mem_rmask mem_wmask mem_rdata mem_wdata;
        out reads_left reads_right unsupported checked opaque rd knows_result result knows_next
            next_pc accesses address masks_bad masks_want masks_got stores stored_want stored_got),
    block!("opaque-word", adapter::Opaque, 60; OpaqueWord:
        in insn; out opaque),
    block!("register-copy", conformance::Copied, 40; RegisterCopy:
        clock; in reset write write_addr write_data left_addr right_addr old_addr;
        out left right old),
    block!("stream-rx", stream::Taken, 40; StreamRx:
        clock; in reset s_axis_tvalid s_axis_tdata;
        out s_axis_tready bit_valid bit_data byte_valid byte_data),
    block!("uart-bridge", stream::Bridge, 40; UartBridge:
        clock; in reset bit_clocks rx s_axis_tvalid s_axis_tdata m_axis_tready;
        out tx s_axis_tready m_axis_tvalid m_axis_tdata),
    block!("wishbone", wishbone::Transfers, 80; Wishbone:
        clock; in reset wb_cyc wb_stb wb_we wb_adr wb_sel wb_dat_i quiet version tag_sizes sizes
            clock_hz mem_base mem_mask control_word interval count_bits image_lo image_hi
            post_trigger watch watch_lo watch_hi status retired_lo retired_hi cycles_lo cycles_hi stalls_lo lost_lo
            breach_rule breach_at breach_pc breach_insn breach_want breach_got;
        out wb_ack wb_dat_o poke ask bus_register bus_value),
];

/// A core's own port, but for `rvfi_valid` and what only the whole recorder has.
fn raw_ports(r: &Retire) -> Vec<(&'static str, u32)> {
    let mut ports = retirement_ports(r).to_vec();
    ports.extend([
        ("rvfi_order", r.order as u32),
        ("rvfi_rs1_addr", r.rs1_addr.into()),
        ("rvfi_rs2_addr", r.rs2_addr.into()),
        ("rvfi_rs1_rdata", r.rs1_rdata),
        ("rvfi_rs2_rdata", r.rs2_rdata),
    ]);
    ports
}
