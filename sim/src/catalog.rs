//! Which boards can be simulated: their Verilog and their rust-hdl blocks, side by side.

use lookback_hdl::boards::sim::SimSoc;
use lookback_rtl_gen::Design;

use crate::engine::Engine;
use crate::stepped::{board_pins, Stepped};
use crate::{Error, Result};

/// A board for both engines.
pub(crate) struct Entry {
    name: &'static str,
    recorder: bool,
    rtl: &'static str,
    stepped: fn() -> Box<dyn Engine>,
}

impl Entry {
    /// Its Verilog.
    pub(crate) fn design(&self) -> Result<Design> {
        Ok(lookback_rtl_gen::find(self.rtl)?.generate()?)
    }

    /// Itself in rust-hdl's simulator.
    pub(crate) fn stepped(&self) -> Box<dyn Engine> {
        (self.stepped)()
    }
}

const BOARDS: &[Entry] = &[Entry {
    name: "bugnet",
    recorder: false,
    rtl: "sim-soc",
    stepped: || Box::new(Stepped::new(SimSoc::default())),
}];

board_pins!(SimSoc);

/// The names of the boards, which are those of their recorders' sizes.
pub fn board_names() -> Vec<&'static str> {
    let with = BOARDS.iter().filter(|entry| entry.recorder);
    with.map(|entry| entry.name).collect()
}

pub(crate) fn find(name: &str, recorder: bool) -> Result<&'static Entry> {
    BOARDS
        .iter()
        .find(|entry| entry.name == name && entry.recorder == recorder)
        .ok_or_else(|| Error::UnknownBoard {
            name: name.to_owned(),
            known: board_names().join(", "),
        })
}
