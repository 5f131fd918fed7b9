//! Programs on which independent machines have to agree: the hart (rust-hdl's circuit, Verilated),
//! the replayer, a reference machine written for this purpose, and QEMU.
//!
//! Reading order: `image` (what a program looks like in memory, and the trap handler), `item` and
//! `pieces` (what programs are made of), `generate` (random ones), `follow` (the reference machine),
//! `qemu`, `compare`, then this file, which runs them against each other, and `minimise`, which
//! makes a failing program small. `docs/verification.md` says what is compared and what is not.

pub mod asm;
pub mod campaign;
pub mod compare;
pub mod directed;
pub mod follow;
mod follow_alu;
mod follow_csr;
pub mod generate;
pub mod image;
pub mod item;
pub mod minimise;
pub mod pieces;
pub mod qemu;
pub mod random;
mod run;
pub mod tables;

pub use run::{check, Failure, Setup, Stats};
