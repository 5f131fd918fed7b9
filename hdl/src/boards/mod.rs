//! Tops: pins and wiring only. `sim` is simulated; `board` says what FPGA boards there are, one file
//! each, and `top` puts one around what `sim` has.

pub mod alone;
pub mod board;
pub mod compact;
pub mod hx8k;
pub mod icebreaker;
pub mod loader;
pub mod orangecrab;
pub mod pins;
pub mod sim;
pub mod small;
pub mod smp;
pub mod tangnano20k;
pub mod top;
pub mod ulx3s;
