//! The recorder's own copy of the register file, from which interval headers are made. It has to be
//! its own: the retirement port shows only what is written.

use lookback_log_format::Retire;

/// x0 … x31 as far as retirements have told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisterShadow {
    values: [u32; 32],
}

impl RegisterShadow {
    /// All registers now. Those never written since the recording began are 0.
    pub fn values(&self) -> [u32; 32] {
        self.values
    }

    /// Takes the register write of a retirement in; a trapped instruction has none.
    pub fn retire(&mut self, r: &Retire) {
        if !r.trap && r.rd_addr != 0 {
            self.values[usize::from(r.rd_addr & 31)] = r.rd_wdata;
        }
    }
}
