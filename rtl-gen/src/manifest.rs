//! The description that goes with the Verilog, for people, constraint files and build scripts.

use lookback_log_format::{RecorderConfig, FORMAT_VERSION};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Design, Port};

/// Everything about a generated design that its Verilog does not say plainly.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// Name and version of what generated it.
    pub generator: String,
    /// The preset it was made from.
    pub preset: String,
    /// What that preset is.
    pub description: String,
    /// Name of the top module.
    pub top: String,
    /// The file that holds it.
    pub file: String,
    /// SHA-256 of that file.
    pub sha256: String,
    /// Version of the log format that the recorder writes.
    pub format_version: u16,
    /// Sizes of the recorder and its settings after reset; none without a recorder.
    pub recorder: Option<RecorderConfig>,
    /// Ports of the top module, in order.
    pub ports: Vec<Port>,
}

impl Manifest {
    /// Describes a design.
    pub fn new(
        design: &Design,
        preset: &str,
        description: &str,
        recorder: Option<RecorderConfig>,
    ) -> Self {
        Manifest {
            generator: concat!("lookback ", env!("CARGO_PKG_VERSION")).to_owned(),
            preset: preset.to_owned(),
            description: description.to_owned(),
            top: design.top.clone(),
            file: format!("{}.v", design.top),
            sha256: format!("{:x}", Sha256::digest(design.verilog.as_bytes())),
            format_version: FORMAT_VERSION,
            recorder,
            ports: design.ports.clone(),
        }
    }

    /// The manifest as JSON, the same bytes every time.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .expect("a manifest has only strings, numbers and lists");
        text.push('\n');
        text
    }
}
