//! A small SoC to record when the user brings none: one RV32IMA hart and the devices of QEMU's
//! `virt` machine that bare-metal programs use, with the retirement port built in.
//!
//! ```text
//!            ┌ hart ──────────────────────────┐
//!            │ decode → registers → alu,      │ rvfi
//!            │ muldiv, lanes, csr (counters)  ├──────►
//!            └──────┬─────────────────────────┘
//!                  bus ── ram_* (external)         snoop
//!    ┌───────┬──────┼───────┬────────┐           ┌──────►
//!  clint  console  gpio    plic     dma ─────────┘
//! ```
//! Reading order: `soc` (the ports), `hart` (how an instruction goes), `bus` (who may access memory
//! when, and why the order of `snoop` and `rvfi` is exact), then the rest. `smp` is the same with two
//! or four harts, and `cluster` says how they share memory and the retirement port.
//!
//! What differs from `virt`: no S mode, no compressed or floating-point instructions, misaligned
//! accesses trap, and PMP registers accept writes but read zero while U mode may access everything.

#[macro_use]
mod circuit;

pub mod alu;
pub mod bus;
pub mod clint;
pub mod cluster;
pub mod console;
pub mod control;
pub mod counters;
pub mod csr;
pub mod csr_select;
pub mod datapath;
pub mod decode;
pub mod devices;
pub mod dma;
pub mod gpio;
pub mod hart;
pub mod hart_timer;
pub mod immediate;
pub mod lanes;
pub mod muldiv;
pub mod operation;
pub mod plic;
pub mod registers;
pub mod small;
pub mod smp;
#[allow(clippy::module_inception)]
pub mod soc;

pub mod traps;

pub use small::SmallSoc;
pub use soc::Soc;
