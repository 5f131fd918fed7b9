//! One block by itself, behind its named ports: the same driver code runs it in rust-hdl's simulator
//! ([`stepped`]) and as compiled Verilog ([`verilated`]).
//!
//! ```text
//!  driver ── set, get, cycle ──► dyn Dut ─┬─ SteppedBlock    (rust-hdl, through `pins!`)
//!                                         └─ VerilatedBlock  (C++ made from the port list)
//! ```
//! Both keep to the same clock: inputs that were set are seen by the outputs at once, while the
//! clock is low; [`Dut::cycle`] then brings the rising edge.

pub mod stepped;
pub mod verilated;

/// A block under test, driven through its ports.
pub trait Dut {
    /// Gives an input a value from now on.
    ///
    /// # Panics
    /// When there is no such input: the driver and the block do not belong together.
    fn set(&mut self, port: &str, value: u32);

    /// The value that an output has with the inputs as they are, before the clock's edge.
    ///
    /// # Panics
    /// When there is no such output.
    fn get(&mut self, port: &str) -> u32;

    /// The rising edge of the clock. A block without a clock only settles.
    fn cycle(&mut self);

    /// All outputs in the order of their declaration, as [`Dut::get`] gives them.
    fn outputs(&mut self) -> Vec<u32>;
}

/// Finds a port by its name.
fn find<'a, T>(ports: &'a [(String, T)], name: &str) -> &'a T {
    match ports.iter().find(|(port, _)| port == name) {
        Some((_, port)) => port,
        None => {
            let names: Vec<&str> = ports.iter().map(|(port, _)| port.as_str()).collect();
            panic!("no port \"{name}\"; there are: {}", names.join(", "))
        }
    }
}
