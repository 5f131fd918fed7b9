//! The `.core` file with which FuseSoC takes a design into a project.

use crate::Manifest;
use std::fmt::Write;

/// A CAPI 2 core file that names the Verilog beside it.
pub fn core_file(manifest: &Manifest) -> String {
    let (file, top) = (&manifest.file, &manifest.top);
    let mut text = String::from("CAPI=2:\n");
    let version = env!("CARGO_PKG_VERSION");
    let written = write!(
        text,
        "\n\
name: lookback:rtl:{preset}:{version}\n\
description: \"{description}\"\n\
\n\
filesets:\n  \
  rtl:\n    \
    files:\n      \
      - {file}\n    \
    file_type: verilogSource\n\
\n\
targets:\n  \
  default:\n    \
    filesets: [rtl]\n    \
    toplevel: {top}\n  \
  lint:\n    \
    default_tool: verilator\n    \
    filesets: [rtl]\n    \
    toplevel: {top}\n    \
    tools:\n      \
      verilator:\n        \
        mode: lint-only\n        \
        verilator_options: [-Wno-fatal]\n",
        preset = manifest.preset,
        description = manifest.description.replace('\\', "/").replace('"', "'"),
    );
    written.expect("writing to a string cannot fail");
    text
}
