//! What can keep a preset from becoming Verilog.

use std::path::PathBuf;

/// The result of everything here.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no Verilog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No preset has this name.
    #[error("no preset is called \"{name}\"; there are: {known}")]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// All names, for the message.
        known: String,
    },
    /// No FPGA board has this name.
    #[error("no board is called \"{name}\"; there are: {known}")]
    UnknownBoard {
        /// What was asked for.
        name: String,
        /// All names, for the message.
        known: String,
    },
    /// rust-hdl's own checks refuse the circuit.
    #[error("{top}: the circuit is not complete:\n{details}")]
    Check {
        /// Top module.
        top: String,
        /// One line a signal.
        details: String,
    },
    /// Its Verilog would not mean what the simulation means.
    #[error("{top}: the Verilog would differ from the simulation:\n{details}")]
    Guard {
        /// Top module.
        top: String,
        /// One line a finding.
        details: String,
    },
    /// Two names would become one.
    #[error(
        "{top}: `{name}` has a double underscore, which stands for the `$` of paths; rename it"
    )]
    Names {
        /// Top module.
        top: String,
        /// The name.
        name: String,
    },
    /// Verilator found faults.
    #[error("{top}: Verilator refuses the Verilog:\n{details}")]
    Lint {
        /// Top module.
        top: String,
        /// One line a fault.
        details: String,
    },
    /// Verilator is not installed.
    #[error("cannot run \"{command}\": {source}; install Verilator or set VERILATOR to its path")]
    NoVerilator {
        /// The command that was tried.
        command: String,
        /// Why it did not start.
        source: std::io::Error,
    },
    /// Verilator started and failed without saying which line is wrong.
    #[error("Verilator failed: {0}")]
    Verilator(String),
    /// A file could not be written or read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
