//! A register with an initial value other than zero.
//!
//! An FPGA's register takes the same value at power-up and when it is set or cleared. rust-hdl's own
//! start with zero, so one that is set to ones pays with an inverter for each.

use rust_hdl::prelude::*;

/// A register of `N` bits.
#[derive(LogicBlock)]
pub struct Preset<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// What to take at the next rising edge.
    pub d: Signal<In, Bits<N>>,
    /// What was taken.
    pub q: Signal<Out, Bits<N>>,
    _initial: u64,
}

impl<const N: usize> Preset<N> {
    /// A register that holds this value at power-up.
    pub fn new(initial: u64) -> Self {
        let mut q: Signal<Out, Bits<N>> = Default::default();
        q.next = initial.into();
        Self {
            clock: Default::default(),
            d: Default::default(),
            q,
            _initial: initial,
        }
    }
}

impl<const N: usize> Logic for Preset<N> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self.d.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
initial begin
   q = {N}'h{initial:x};
end

always @(posedge clock) begin
   q <= d;
end
",
            initial = self._initial
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "preset".into(),
            clock: "clock".into(),
            inputs: vec!["d".into()],
            outputs: vec!["q".into()],
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::synthesises;
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_preset", Preset::<5>::new(9));
    }

    #[test]
    fn starts_with_its_value_and_takes_others() {
        let mut register = Preset::<5>::new(9);
        register.connect_all();
        register.d.next = 22u64.into();
        register.clock.next = Clock { clk: false };
        crate::harness::settle(&mut register);
        assert_eq!(register.q.val().to_u64(), 9);
        tick!(register);
        assert_eq!(register.q.val().to_u64(), 22);
    }
}
