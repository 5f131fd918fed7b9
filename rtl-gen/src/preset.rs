//! The named designs. A new one is one entry in [`presets`].

use lookback_hdl::attach::recorder::config as attached;
use lookback_hdl::recorder::config::{BUGNET, CLOCK_HZ, TINY};
use lookback_hdl::tops;
use lookback_log_format::RecorderConfig;

use crate::{emit, Design, Error, Manifest, Result};

/// A named design.
pub struct Preset {
    /// What users call it.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    build: fn(top: &str) -> Result<Design>,
    recorder: fn() -> Option<RecorderConfig>,
}

impl Preset {
    /// The top module's name: `lookback_` and the preset's name.
    pub fn top(&self) -> String {
        format!("lookback_{}", self.name.replace('-', "_"))
    }

    /// Sizes of the recorder in it, if there is one.
    pub fn recorder(&self) -> Option<RecorderConfig> {
        (self.recorder)()
    }

    /// Checks the circuit and emits its Verilog.
    pub fn generate(&self) -> Result<Design> {
        (self.build)(&self.top())
    }

    /// Describes a design that [`Preset::generate`] made.
    pub fn manifest(&self, design: &Design) -> Manifest {
        Manifest::new(design, self.name, self.description, self.recorder())
    }
}

/// All presets, in the order in which they are listed to users.
pub fn presets() -> &'static [Preset] {
    const PRESETS: &[Preset] = &[
        Preset {
            name: "recorder",
            description: "The recorder for any RVFI core: AXI-Stream out, Wishbone control",
            build: |top| emit(top, &mut *tops::attached_bugnet())?.with_plain_names(),
            recorder: || Some(attached(&BUGNET)),
        },
        Preset {
            name: "uart",
            description: "A UART between the streams of `recorder` and two pins",
            build: |top| emit(top, &mut *tops::uart_bridge())?.with_plain_names(),
            recorder: || None,
        },
        Preset {
            name: "recorder-small",
            description: "As `recorder`, so small that it overflows all the time, for tests",
            build: |top| emit(top, &mut *tops::attached_tiny())?.with_plain_names(),
            recorder: || Some(attached(&TINY)),
        },
        Preset {
            name: "recorder-bugnet",
            description: "The recorder with the sizes of the BugNet paper, for one RVFI core",
            build: |top| emit(top, &mut *tops::recorder_bugnet()),
            recorder: || Some(BUGNET.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-tiny",
            description: "The recorder so small that it overflows all the time, for tests",
            build: |top| emit(top, &mut *tops::recorder_tiny()),
            recorder: || Some(TINY.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-bugnet",
            description:
                "The SoC with the recorder of recorder-bugnet, for simulation: RAM outside",
            build: |top| emit(top, &mut *tops::board_bugnet()),
            recorder: || Some(BUGNET.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-tiny",
            description: "The SoC with the recorder of recorder-tiny, for simulation: RAM outside",
            build: |top| emit(top, &mut *tops::board_tiny()),
            recorder: || Some(TINY.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-soc",
            description: "The SoC alone, for simulation: RAM outside, retirement port brought out",
            build: |top| emit(top, &mut *tops::board_soc()),
            recorder: || None,
        },
    ];
    PRESETS
}

/// The preset of this name; the error lists all names.
pub fn find(name: &str) -> Result<&'static Preset> {
    presets()
        .iter()
        .find(|preset| preset.name == name)
        .ok_or_else(|| Error::UnknownPreset {
            name: name.to_owned(),
            known: presets()
                .iter()
                .map(|preset| preset.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
