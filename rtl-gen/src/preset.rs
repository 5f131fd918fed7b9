//! The named designs. A new one is one entry in [`presets`].

use lookback_hdl::attach::recorder::{config as attached, AttachedBugnet, AttachedTiny};
use lookback_hdl::attach::stream::UartBridge;
use lookback_hdl::boards::sim::{BugnetBoard, SimSoc, TinyBoard};
use lookback_hdl::recorder::config::{BugnetRecorder, TinyRecorder, BUGNET, CLOCK_HZ, TINY};
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
            build: |top| emit(top, &mut AttachedBugnet::default())?.with_plain_names(),
            recorder: || Some(attached(&BUGNET)),
        },
        Preset {
            name: "uart",
            description: "A UART between the streams of `recorder` and two pins",
            build: |top| emit(top, &mut UartBridge::default())?.with_plain_names(),
            recorder: || None,
        },
        Preset {
            name: "recorder-small",
            description: "As `recorder`, so small that it overflows all the time, for tests",
            build: |top| emit(top, &mut AttachedTiny::default())?.with_plain_names(),
            recorder: || Some(attached(&TINY)),
        },
        Preset {
            name: "recorder-bugnet",
            description: "The recorder with the sizes of the BugNet paper, for one RVFI core",
            build: |top| emit(top, &mut BugnetRecorder::default()),
            recorder: || Some(BUGNET.config(CLOCK_HZ)),
        },
        Preset {
            name: "recorder-tiny",
            description: "The recorder so small that it overflows all the time, for tests",
            build: |top| emit(top, &mut TinyRecorder::default()),
            recorder: || Some(TINY.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-bugnet",
            description:
                "The SoC with the recorder of recorder-bugnet, for simulation: RAM outside",
            build: |top| emit(top, &mut BugnetBoard::default()),
            recorder: || Some(BUGNET.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-tiny",
            description: "The SoC with the recorder of recorder-tiny, for simulation: RAM outside",
            build: |top| emit(top, &mut TinyBoard::default()),
            recorder: || Some(TINY.config(CLOCK_HZ)),
        },
        Preset {
            name: "sim-soc",
            description: "The SoC alone, for simulation: RAM outside, retirement port brought out",
            build: |top| emit(top, &mut SimSoc::default()),
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
