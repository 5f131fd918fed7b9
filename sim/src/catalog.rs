//! Which boards can be simulated: their Verilog and their rust-hdl blocks, side by side.

use lookback_hdl::tops;
use lookback_rtl_gen::Design;

use crate::engine::Engine;
use crate::stepped::Stepped;
use crate::{Error, Result};

/// A board for both engines.
pub(crate) struct Entry {
    name: &'static str,
    rtl: &'static str,
    attached: &'static str,
    stepped: fn() -> Box<dyn Engine>,
}

impl Entry {
    /// Its Verilog.
    pub(crate) fn design(&self) -> Result<Design> {
        Ok(lookback_rtl_gen::find(self.rtl)?.generate()?)
    }

    /// The preset of the recorder of this size for somebody else's core.
    pub(crate) fn attached(&self) -> &'static str {
        self.attached
    }

    /// Itself in rust-hdl's simulator.
    pub(crate) fn stepped(&self) -> Box<dyn Engine> {
        (self.stepped)()
    }
}

const BOARDS: &[Entry] = &[
    Entry {
        name: "bugnet",
        rtl: "sim-bugnet",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_bugnet())),
    },
    Entry {
        name: "tiny",
        rtl: "sim-tiny",
        attached: "recorder-small",
        stepped: || Box::new(Stepped::new(tops::board_tiny())),
    },
];

/// Without its recorder every board is this one.
const WITHOUT_RECORDER: Entry = Entry {
    name: "soc",
    rtl: "sim-soc",
    attached: "recorder",
    stepped: || Box::new(Stepped::new(tops::board_soc())),
};

/// The names of the boards, which are those of their recorders' sizes.
pub fn board_names() -> Vec<&'static str> {
    BOARDS.iter().map(|entry| entry.name).collect()
}

pub(crate) fn find(name: &str, recorder: bool) -> Result<&'static Entry> {
    let found = BOARDS.iter().find(|entry| entry.name == name);
    match found {
        Some(_) if !recorder => Ok(&WITHOUT_RECORDER),
        Some(entry) => Ok(entry),
        None => Err(Error::UnknownBoard {
            name: name.to_owned(),
            known: board_names().join(", "),
        }),
    }
}
