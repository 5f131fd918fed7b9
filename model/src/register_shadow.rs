//! The recorder's own copy of the register file, from which interval headers are made. It has to be
//! its own: the retirement port shows only what is written.

use lookback_log_format::Retire;

/// x0 … x31 as far as retirements have told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisterShadow {
    values: [u32; 32],
}

impl RegisterShadow {
    /// A copy that has followed a run for a while.
    pub fn holding(values: [u32; 32]) -> Self {
        let mut shadow = Self { values };
        shadow.values[0] = 0;
        shadow
    }

    /// All registers now. Those never written since reset are 0.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn write(rd_addr: u8, rd_wdata: u32) -> Retire {
        Retire {
            rd_addr,
            rd_wdata,
            ..Retire::default()
        }
    }

    #[test]
    fn it_follows_writes_but_not_of_x0_or_traps() {
        let mut shadow = RegisterShadow::default();
        shadow.retire(&write(5, 1));
        shadow.retire(&write(31, 2));
        shadow.retire(&write(0, 3));
        shadow.retire(&Retire {
            trap: true,
            ..write(5, 4)
        });
        let mut expected = [0; 32];
        (expected[5], expected[31]) = (1, 2);
        assert_eq!(shadow.values(), expected);
    }
}
