//! Which boards can be simulated: their Verilog and their rust-hdl blocks, side by side.

use lookback_hdl::tops;
use lookback_rtl_gen::Design;

use crate::engine::Engine;
use crate::stepped::Stepped;
use crate::{Error, Result};

/// A board for both engines.
pub(crate) struct Entry {
    name: &'static str,
    harts: u8,
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

/// The smallest recorder, for a core that keeps its port.
pub(crate) const KEPT: &str = "recorder-kept";

const BOARDS: &[Entry] = &[
    Entry {
        name: "full",
        harts: 1,
        rtl: "sim-full",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_full())),
    },
    Entry {
        name: "full-words",
        harts: 1,
        rtl: "sim-full-words",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_full_words())),
    },
    Entry {
        name: "full-plain",
        harts: 1,
        rtl: "sim-full-plain",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_full_plain())),
    },
    Entry {
        name: "full-words-plain",
        harts: 1,
        rtl: "sim-full-words-plain",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_full_words_plain())),
    },
    Entry {
        name: "bugnet",
        harts: 1,
        rtl: "sim-bugnet",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_bugnet())),
    },
    Entry {
        name: "small",
        harts: 1,
        rtl: "sim-small",
        attached: KEPT,
        stepped: || Box::new(Stepped::new(tops::board_small())),
    },
    Entry {
        name: "tiny",
        harts: 1,
        rtl: "sim-tiny",
        attached: "attached-tiny",
        stepped: || Box::new(Stepped::new(tops::board_tiny())),
    },
    Entry {
        name: "bugnet",
        harts: 2,
        rtl: "sim-bugnet-2",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_bugnet_2())),
    },
    Entry {
        name: "tiny",
        harts: 2,
        rtl: "sim-tiny-2",
        attached: "attached-tiny",
        stepped: || Box::new(Stepped::new(tops::board_tiny_2())),
    },
    Entry {
        name: "bugnet",
        harts: 4,
        rtl: "sim-bugnet-4",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_bugnet_4())),
    },
    Entry {
        name: "tiny",
        harts: 4,
        rtl: "sim-tiny-4",
        attached: "attached-tiny",
        stepped: || Box::new(Stepped::new(tops::board_tiny_4())),
    },
    Entry {
        name: "words",
        harts: 1,
        rtl: "sim-words",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_words())),
    },
    Entry {
        name: "words",
        harts: 2,
        rtl: "sim-words-2",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_words_2())),
    },
    Entry {
        name: "words",
        harts: 4,
        rtl: "sim-words-4",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_words_4())),
    },
];

/// Without its recorder every board is one of these.
const WITHOUT_RECORDER: &[Entry] = &[
    Entry {
        name: "soc",
        harts: 1,
        rtl: "sim-soc",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_soc())),
    },
    Entry {
        name: "soc",
        harts: 2,
        rtl: "sim-soc-2",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_smp_2())),
    },
    Entry {
        name: "soc",
        harts: 4,
        rtl: "sim-soc-4",
        attached: "recorder",
        stepped: || Box::new(Stepped::new(tops::board_smp_4())),
    },
];

/// The names of the boards, which are those of their recorders' sizes.
pub fn board_names() -> Vec<&'static str> {
    let single = BOARDS.iter().filter(|entry| entry.harts == 1);
    single.map(|entry| entry.name).collect()
}

pub(crate) fn find(name: &str, harts: u8, recorder: bool) -> Result<&'static Entry> {
    if !BOARDS.iter().any(|entry| entry.name == name) {
        return Err(Error::UnknownBoard {
            name: name.to_owned(),
            known: board_names().join(", "),
        });
    }
    let boards = if recorder { BOARDS } else { WITHOUT_RECORDER };
    let of_harts: Vec<&Entry> = boards.iter().filter(|entry| entry.harts == harts).collect();
    let wanted = of_harts
        .iter()
        .find(|entry| !recorder || entry.name == name);
    match wanted {
        Some(entry) => Ok(entry),
        None if of_harts.is_empty() => Err(Error::Harts(harts)),
        None => Err(Error::HartsOfBoard {
            name: name.to_owned(),
            harts,
            known: of_harts
                .iter()
                .map(|entry| entry.name)
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}
