//! The options of a simulated board, shared by every command that runs one.

use crate::firmware::Firmware;
use crate::text::parse_size;
use crate::ui::Ui;
use anyhow::{bail, Context, Result};
use lookback_sim::{Board, BoardOptions, CoreChoice, EngineKind, Segment};
use std::path::PathBuf;
use std::str::FromStr;

/// All that a simulated board can have: firmware may put its stack anywhere in it.
const DEFAULT_RAM: u32 = 16 << 20;

/// Which simulator runs the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineChoice {
    /// Verilator if it is installed, else rust-hdl.
    Auto,
    /// rust-hdl's own simulator: slow, needs nothing installed.
    RustHdl,
    /// Verilator: fast, needs Verilator and a C++ compiler.
    Verilator,
}

impl From<EngineChoice> for lookback_sim::EngineChoice {
    fn from(choice: EngineChoice) -> Self {
        match choice {
            EngineChoice::Auto => Self::Auto,
            EngineChoice::RustHdl => Self::RustHdl,
            EngineChoice::Verilator => Self::Verilator,
        }
    }
}

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CodecChoice {
    /// The smallest log: the board `full`.
    Compact,
    /// The format of the BugNet paper: the board `bugnet`.
    Bugnet,
}

/// The board of codec `compact`; the names of its relatives begin with it.
const COMPACT: &str = "full";

/// What the first-load tags keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TagsChoice {
    /// Masks of bytes; what others write is snooped: the boards `full` and `bugnet`.
    Bits,
    /// The words themselves, which are compared; nothing has to be snooped: the boards `full-words`
    /// and `words`.
    Words,
}

/// How codec `compact` makes bytes of bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CoderChoice {
    /// The adaptive arithmetic coder, for the smallest log: the board `full`.
    #[value(alias = "arithmetic")]
    Range,
    /// A bit for each bin: a smaller recorder without a multiplier, the board `full-plain`.
    Plain,
}

/// How fast the log link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkSpeed {
    /// As fast as the RTL can.
    Max,
    /// Bits a second of the board's own time.
    Baud(u32),
}

impl FromStr for LinkSpeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "max" {
            return Ok(Self::Max);
        }
        match text.parse() {
            Ok(baud) if baud > 0 => Ok(Self::Baud(baud)),
            _ => Err(format!(
                "`{text}` is no speed; write `max` or bits a second, like 115200"
            )),
        }
    }
}

/// Options of a simulated board.
#[derive(Debug, Default, clap::Args)]
pub struct BoardArgs {
    /// Simulator: Verilator is used when it is installed, unless told otherwise.
    #[arg(long, value_enum)]
    pub engine: Option<EngineChoice>,
    /// Another core than the project's own, in Verilator: picorv32, serv or ibex.
    ///
    /// Its Verilog comes from PyPI, once (needs python3 with pip), or from the folder that
    /// LOOKBACK_CORES names. Firmware must be built for it: see docs/attach-your-core.md.
    #[arg(long, value_name = "NAME", conflicts_with = "core_dir")]
    pub core: Option<String>,
    /// Your own core: a folder with board.v and board.f, as docs/attach-your-core.md describes.
    #[arg(long, value_name = "DIR")]
    pub core_dir: Option<PathBuf>,
    /// Format of the log [default: compact for one hart of Lookback's own; several harts and other
    /// cores have bugnet only].
    #[arg(long, value_enum, conflicts_with = "preset")]
    pub codec: Option<CodecChoice>,
    /// What the first-load tags keep [default: bits].
    #[arg(long, value_enum, conflicts_with_all = ["preset", "core", "core_dir"])]
    pub tags: Option<TagsChoice>,
    /// How codec compact makes bytes [default: range].
    #[arg(long, value_enum, conflicts_with_all = ["preset", "core", "core_dir"])]
    pub coder: Option<CoderChoice>,
    /// Which board: bugnet (as the paper has it), small (the smallest SoC and a recorder that makes
    /// the hart wait, the one for an iCE40; with --core serv, too), full (codec compact, the smallest
    /// log), full-words, full-plain, full-words-plain, words (bugnet with tags that keep words), or
    /// tiny, whose recorder is too small on purpose; in place of --codec, --tags and --coder.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Harts on the board: 1, 2 or 4 [default: 1].
    #[arg(long, value_name = "N", conflicts_with_all = ["core", "core_dir"])]
    pub harts: Option<u8>,
    /// Memory, 64K to 16M [default: 16M].
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub ram: Option<u32>,
    /// Speed of the log link: `max`, or bits a second of the board's own time [default: max].
    #[arg(long, value_name = "max|BAUD")]
    pub link_speed: Option<LinkSpeed>,
    /// Write the board's pins as a waveform (VCD); grows fast.
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
}

impl BoardArgs {
    /// The name of an option that was given, for commands that do not simulate.
    pub fn first_given(&self) -> Option<&'static str> {
        [
            (self.engine.is_some(), "--engine"),
            (self.core.is_some(), "--core"),
            (self.core_dir.is_some(), "--core-dir"),
            (self.codec.is_some(), "--codec"),
            (self.tags.is_some(), "--tags"),
            (self.coder.is_some(), "--coder"),
            (self.preset.is_some(), "--preset"),
            (self.harts.is_some(), "--harts"),
            (self.ram.is_some(), "--ram"),
            (self.link_speed.is_some(), "--link-speed"),
            (self.vcd.is_some(), "--vcd"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }

    fn core_choice(&self) -> CoreChoice {
        match (&self.core, &self.core_dir) {
            (Some(name), _) => CoreChoice::Named(name.clone()),
            (None, Some(folder)) => CoreChoice::Folder(folder.clone()),
            (None, None) => CoreChoice::Own,
        }
    }

    /// Why the board can have no other codec than `bugnet`, if it cannot.
    fn only_bugnet(&self) -> Option<String> {
        match (self.harts.unwrap_or(1), self.core_choice()) {
            (_, CoreChoice::Named(core)) => Some(format!("the recorder beside {core}")),
            (_, CoreChoice::Folder(_)) => Some("the recorder beside a core of your own".into()),
            (1, CoreChoice::Own) => None,
            (harts, CoreChoice::Own) => Some(format!("the recorder of {harts} harts")),
        }
    }

    /// What a user should know who took the default and gets another codec than usual.
    pub fn note(&self) -> Option<String> {
        let bugnet = self.only_bugnet()?;
        (self.codec.is_none() && self.tags.is_none() && self.preset.is_none()).then(|| {
            format!(
                "{bugnet} writes codec bugnet, whose log is several times larger than compact's"
            )
        })
    }

    fn board_name(&self) -> Result<String> {
        if let Some(preset) = &self.preset {
            let is_own = preset.starts_with(COMPACT);
            if self.core_choice() != CoreChoice::Own && is_own {
                bail!("the board \"{preset}\" has Lookback's own hart; for other cores there are: bugnet, tiny, and small for serv");
            }
            return Ok(preset.clone());
        }
        let codec = match (self.codec, self.only_bugnet()) {
            (Some(CodecChoice::Compact), Some(bugnet)) => {
                bail!("{bugnet} has codec bugnet only; leave --codec away, or write --codec bugnet")
            }
            (None, Some(bugnet)) if self.coder.is_some() => {
                bail!("{bugnet} has codec bugnet only, which has no coder: leave --coder away")
            }
            (None, Some(_)) => CodecChoice::Bugnet,
            (codec, _) => codec.unwrap_or(CodecChoice::Compact),
        };
        let words = self.tags == Some(TagsChoice::Words);
        let plain = self.coder == Some(CoderChoice::Plain);
        let name = match (codec, words, plain) {
            (CodecChoice::Bugnet, ..) if self.coder.is_some() => {
                bail!("--coder is for codec compact: leave it away, or write --codec compact")
            }
            (CodecChoice::Bugnet, false, _) => "bugnet",
            (CodecChoice::Bugnet, true, _) => "words",
            (CodecChoice::Compact, false, false) => COMPACT,
            (CodecChoice::Compact, true, false) => "full-words",
            (CodecChoice::Compact, false, true) => "full-plain",
            (CodecChoice::Compact, true, true) => "full-words-plain",
        };
        Ok(name.into())
    }

    /// What board to build.
    pub fn options(&self) -> Result<BoardOptions> {
        let preset = self.board_name()?;
        let bit_clocks = match self.link_speed {
            None | Some(LinkSpeed::Max) => 1,
            Some(LinkSpeed::Baud(baud)) => bit_clocks(&preset, baud)?,
        };
        Ok(BoardOptions {
            engine: self.engine.unwrap_or(EngineChoice::Auto).into(),
            preset,
            core: self.core_choice(),
            harts: self.harts.unwrap_or(1),
            ram_bytes: self.ram.unwrap_or(DEFAULT_RAM),
            bit_clocks,
            vcd: self.vcd.clone(),
            ..BoardOptions::default()
        })
    }
}

/// The interleaving of a seed: all 64 bits count.
pub fn interleaving(seed: u64) -> u32 {
    (seed ^ seed >> 32) as u32
}

/// Builds a board and loads its firmware, telling the user what takes long.
pub fn power_up(options: &BoardOptions, firmware: &Firmware, ui: &mut Ui) -> Result<Board> {
    firmware.suits(&options.core)?;
    let load = firmware.segments(options.ram_bytes)?;
    let load: Vec<_> = load
        .iter()
        .map(|segment| Segment {
            address: segment.addr,
            bytes: &segment.bytes,
        })
        .collect();
    let board = Board::with_progress(options, &load, &mut |step| ui.tell(step))?;
    if let EngineKind::RustHdl {
        because: Some(because),
    } = board.engine()
    {
        let first = because.lines().next().unwrap_or_default();
        ui.tell(&format!(
            "running in rust-hdl's simulator, which is slow; Verilator is not usable: {first}"
        ));
    }
    Ok(board)
}

/// What a board's engine is called.
pub fn engine_name(board: &Board) -> &'static str {
    match board.engine() {
        EngineKind::Verilator => "verilator",
        _ => "rust-hdl",
    }
}

/// Clock cycles a bit, for a speed in the board's own time.
fn bit_clocks(preset: &str, baud: u32) -> Result<u16> {
    let recorder = lookback_rtl_gen::find(&format!("sim-{preset}"))?.recorder();
    let clock_hz = recorder
        .with_context(|| format!("the board {preset} has no recorder, and so no link"))?
        .clock_hz;
    let clocks = (clock_hz + baud / 2) / baud;
    match u16::try_from(clocks) {
        Ok(clocks) if clocks > 0 => Ok(clocks),
        _ => bail!(
            "--link-speed {baud} is not possible with the board's clock of {} MHz: from {} to {} \
             bits a second are",
            clock_hz / 1_000_000,
            clock_hz / u32::from(u16::MAX) + 1,
            clock_hz
        ),
    }
}
