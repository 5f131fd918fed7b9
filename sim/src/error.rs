//! What can go wrong with a simulated board.

use std::path::PathBuf;

/// The result of everything here.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a board cannot be built or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No board has this name.
    #[error("no simulated board is called \"{name}\"; there are: {known}")]
    UnknownBoard {
        /// What was asked for.
        name: String,
        /// All names, for the message.
        known: String,
    },
    /// There is no board with so many harts.
    #[error("there is no simulated board with {0} harts; there are boards with 1, 2 and 4")]
    Harts(u8),
    /// This board has not so many harts, though others have.
    #[error("the board \"{name}\" has one hart; with {harts} harts there are: {known}")]
    HartsOfBoard {
        /// What was asked for.
        name: String,
        /// Harts.
        harts: u8,
        /// The boards that have so many.
        known: String,
    },
    /// Somebody else's core is alone on its board.
    #[error("boards with several harts have Lookback's own; leave --core or --harts away")]
    HartsOfOthers,
    /// No core has this name.
    #[error(
        "no core is called \"{name}\"; there are: {known} (and a folder with your own, which \
         docs/attach-your-core.md describes)"
    )]
    UnknownCore {
        /// What was asked for.
        name: String,
        /// All names, for the message.
        known: String,
    },
    /// The smallest recorder beside a core that does not wait with its port standing still.
    #[error(
        "the recorder `small` needs a core that keeps its retirement port while it waits: {known}; take \
         the preset tiny or bugnet"
    )]
    PortNotKept {
        /// Cores that do, for the message.
        known: String,
    },
    /// A core's Verilog is not there and cannot be fetched.
    #[error(
        "cannot fetch {package}: {details}\nIt needs python3 with pip and the network, once. Or \
         unpack that package elsewhere, and set LOOKBACK_CORES to the folder that has {module} in it"
    )]
    NoCore {
        /// The package and its version.
        package: String,
        /// The folder in it.
        module: String,
        /// Why not.
        details: String,
    },
    /// A user's folder has no board.
    #[error(
        "{0} has neither board.v nor board.sv; docs/attach-your-core.md says what belongs into it"
    )]
    NoBoard(PathBuf),
    /// The list of a user's files is wrong.
    #[error("{path}:{line}: {problem}")]
    FileList {
        /// The list.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// Another engine than Verilator was asked for.
    #[error("a core that is Verilog runs in Verilator only, not in rust-hdl's simulator")]
    OnlyVerilator,
    /// RAM of this size cannot be simulated.
    #[error("{0} bytes of RAM: it must be a multiple of 4, from 64 KiB to 16 MiB")]
    RamSize(u32),
    /// A UART bit of no cycles.
    #[error("a bit on the log link takes at least one clock cycle")]
    BitClocks,
    /// The program lies outside the RAM.
    #[error(
        "{size} bytes at {address:#010x} do not fit the RAM at {:#010x}, which has {ram_bytes} bytes",
        crate::RAM_BASE
    )]
    DoesNotFit {
        /// Where the segment wants to go.
        address: u32,
        /// Its size.
        size: usize,
        /// The size of the RAM.
        ram_bytes: u32,
    },
    /// The Verilog could not be made, or Verilator is missing.
    #[error(transparent)]
    Rtl(#[from] lookback_rtl_gen::Error),
    /// Verilator or the C++ compiler failed.
    #[error("{command} failed:\n{details}")]
    Build {
        /// The command.
        command: String,
        /// The end of what it printed.
        details: String,
    },
    /// There is no C++ compiler.
    #[error("cannot run the C++ compiler \"{command}\": {source}; install one or set CXX")]
    NoCompiler {
        /// The command that was tried.
        command: String,
        /// Why it did not start.
        source: std::io::Error,
    },
    /// The compiled board cannot be loaded.
    #[error("{path}: {details}")]
    Load {
        /// The shared library.
        path: PathBuf,
        /// Why.
        details: String,
    },
    /// A file could not be written or read.
    #[error("{path}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The pseudo terminal does not work.
    #[error("pseudo terminal: {0}")]
    Pty(std::io::Error),
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}
