//! The named designs. A new one is one entry in [`presets`].

use lookback_hdl::boards::sim::SimSoc;
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
    const PRESETS: &[Preset] = &[Preset {
        name: "sim-soc",
        description: "The SoC alone, for simulation: RAM outside, retirement port brought out",
        build: |top| emit(top, &mut SimSoc::default()),
        recorder: || None,
    }];
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
