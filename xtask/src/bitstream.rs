//! `cargo xtask bitstream`: a board's bitstream from the open tools, and what it costs.
//!
//! ```text
//!  rtl-gen ─► design.v ─► yosys ─► netlist.json ─► nextpnr ─► placed ─► firmware in ─► packed
//!                            └► netlist.v (`cargo xtask netlist` simulates it)
//! ```
//! Everything is built in `target/boards/`; the numbers go to `bitstreams/`, which is committed.
//! RAM is filled with known words while a design is placed, and the firmware replaces them in the
//! placed design where the tools can do that: another firmware then takes seconds.

mod image;
pub mod netlist;
mod place;
mod report;
mod synthesis;
mod tools;
pub mod uart;

use anyhow::{ensure, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use lookback_hdl::boards::board::{Board, Family, BOARDS};
use rayon::prelude::*;
use report::{Built, Entry};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;
use synthesis::Size;

/// Options of `cargo xtask bitstream`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The board; see bitstreams/README.md.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    board: Option<String>,
    /// Every board.
    #[arg(long)]
    all: bool,
    /// Recorder: bugnet, small (the one for an iCE40), full, bugnet-4k (bugnet with a ring of 4 KB),
    /// bugnet-4k-2 (the same for two harts), or tiny. Without this, the one that the board is meant for.
    #[arg(long, conflicts_with = "all")]
    preset: Option<String>,
    /// Whose core. Without this, the one that the board is meant for: lookback, but serv for the
    /// iCEBreaker.
    #[arg(long, value_parser = ["lookback", "picorv32", "serv"])]
    core: Option<String>,
    /// Build without a recorder only.
    #[arg(long, conflicts_with_all = ["all", "preset"])]
    no_recorder: bool,
    /// Place and route with so many seeds; the median of Fmax is told.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    seeds: u32,
    /// Firmware in RAM; without this, firmware/programs/hello.c.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Stop after synthesis: cell counts only, and nothing is written to bitstreams/.
    #[arg(long)]
    synth_only: bool,
    /// Fail where a board misses its clock, or the recorder costs more than 5 % of it.
    #[arg(long, conflicts_with = "synth_only")]
    check: bool,
}

/// What is built.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// For which board.
    pub board: &'static Board,
    /// With which recorder, if any.
    pub preset: Option<&'a str>,
    /// With whose core.
    pub core: &'a str,
}

impl Choice<'_> {
    /// Where it is built.
    pub fn folder(&self) -> PathBuf {
        let preset = self.preset.unwrap_or("without");
        let name = format!("{}-{}-{preset}", self.board.name, self.core);
        crate::root().join("target/boards").join(name)
    }
}

/// Builds what was asked for.
pub fn run(arguments: &Arguments) -> Result<()> {
    let boards: Vec<&'static Board> = match &arguments.board {
        Some(name) => vec![lookback_rtl_gen::find_board(name)?],
        None => BOARDS.iter().collect(),
    };
    let mut missed = Vec::new();
    for board in boards {
        let entry = build(board, arguments)?;
        println!("{}", entry.table());
        // What is committed tells of a board with its recorder, if it can have one.
        let partly = arguments.no_recorder && !board.presets.is_empty();
        if !arguments.synth_only && !partly {
            entry.write()?;
            report::write_overview()?;
        }
        missed.extend(entry.missed());
    }
    ensure!(
        !arguments.check || missed.is_empty(),
        "{}",
        missed.join("\n")
    );
    Ok(())
}

/// One board, with its recorder and without.
fn build(board: &'static Board, arguments: &Arguments) -> Result<Entry> {
    let preset = chosen_preset(board, arguments)?;
    let bar = progress_bar();
    let mut progress = |what: &str| bar.set_message(format!("{}: {what}", board.name));
    let core = arguments.core.as_deref().unwrap_or(board.core);
    let firmware = firmware(board, core, arguments.elf.as_deref())?;
    let mut one = |preset| -> Result<Built> {
        let choice = Choice {
            board,
            preset,
            core,
        };
        build_one(&choice, &firmware, arguments, &mut progress)
    };
    let with = preset.map(|preset| one(Some(preset))).transpose()?;
    let without = one(None)?;
    if let (Some(preset), Some(with), "lookback") = (preset, &with, core) {
        check_added(board, preset, &with.size, &without.size)?;
    }
    let tools = vec![
        tools::version(synthesis::yosys(board, &mut progress)?, "-V"),
        place::version(board, &mut progress)?,
    ];
    bar.finish_and_clear();
    Ok(Entry::new(
        board,
        core,
        preset,
        arguments.seeds,
        tools,
        with,
        without,
    ))
}

fn chosen_preset<'a>(board: &Board, arguments: &'a Arguments) -> Result<Option<&'a str>> {
    if arguments.no_recorder {
        return Ok(None);
    }
    if let Some(preset) = &arguments.preset {
        ensure!(
            lookback_rtl_gen::RECORDERS.contains(&preset.as_str()),
            "no preset is called \"{preset}\"; there are: {}",
            lookback_rtl_gen::RECORDERS.join(", ")
        );
        let harts = if preset.ends_with("-2") { 2 } else { 1 };
        ensure!(
            harts == board.harts,
            "{preset} records {harts} of the {} harts of {}; its presets are: {}",
            board.harts,
            board.name,
            board.presets.join(", ")
        );
        return Ok(Some(preset));
    }
    // Of the boards for `small` only some have room for a core, and only some cores can wait for it.
    let first = board.presets.first().copied();
    Ok(match (first, arguments.core.as_deref()) {
        (Some("small"), Some(core)) if core != board.core && core != "serv" => None,
        _ => first,
    })
}

/// The words of RAM: the user's program, or `hello` for this core and this much memory.
fn firmware(board: &Board, core: &str, elf: Option<&Path>) -> Result<Vec<u32>> {
    if let Some(path) = elf {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        return image::words(&path.display().to_string(), &bytes, board);
    }
    let bytes = crate::firmware::for_board("hello", core, board.ram_bytes)?;
    image::words("hello.elf", &bytes, board)
}

fn build_one(
    choice: &Choice<'_>,
    firmware: &[u32],
    arguments: &Arguments,
    progress: &mut dyn FnMut(&str),
) -> Result<Built> {
    let folder = choice.folder();
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let board = choice.board;
    let what = choice.preset.unwrap_or("no recorder");
    let filling = if place::can_swap(board) {
        image::filling(board.initial_bytes)
    } else {
        firmware.to_vec()
    };
    image::write_hex(&folder.join(place::FILLING_FILE), &filling)?;
    let size = synthesised(choice, &filling, &folder, &mut |step| {
        progress(&format!("{what}: {step}"));
    })?;
    let cells = place::packed_cells(choice, &folder, progress)?;
    synthesis::check_fit(choice, &size, cells)?;
    if arguments.synth_only {
        return Ok(Built {
            size,
            cells,
            fmax: Vec::new(),
            best_seed: 1,
            sha256: String::new(),
        });
    }
    let mut fmax = Vec::new();
    for seed in 1..=arguments.seeds {
        progress(&format!(
            "{what}: place and route, seed {seed} of {}",
            arguments.seeds
        ));
        fmax.push(placed(choice, seed, &folder, progress)?);
    }
    let best = (1..).zip(&fmax).max_by(|a, b| a.1.total_cmp(b.1));
    let best_seed = best.map_or(1, |(seed, _)| seed);
    progress(&format!("{what}: packing"));
    let bitstream = place::pack(choice, best_seed, firmware, &folder, progress)?;
    let bytes = std::fs::read(&bitstream)
        .with_context(|| format!("cannot read {}", bitstream.display()))?;
    eprintln!("{}", bitstream.display());
    Ok(Built {
        size,
        cells,
        fmax,
        best_seed,
        sha256: format!("{:x}", Sha256::digest(&bytes)),
    })
}

/// Synthesis, unless the same Verilog and the same filling were synthesised in the same way before.
fn synthesised(
    choice: &Choice<'_>,
    filling: &[u32],
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Size> {
    progress("generating Verilog");
    let sources = synthesis::write_verilog(choice, folder, progress)?;
    let mut hash = Sha256::new();
    for (_, text) in &sources.texts {
        hash.update(text);
    }
    hash.update(format!("{:?}{:?}", sources.defines, sources.files));
    hash.update(synthesis::synth_command(choice, &sources.top));
    filling
        .iter()
        .for_each(|word| hash.update(word.to_le_bytes()));
    hash.update(tools::version(
        synthesis::yosys(choice.board, progress)?,
        "-V",
    ));
    let hash = format!("{:x}", hash.finalize());
    let kept = folder.join("synthesised.json");
    if let Ok(text) = std::fs::read_to_string(&kept) {
        if let Ok((known, size)) = serde_json::from_str::<(String, Size)>(&text) {
            if known == hash {
                return Ok(size);
            }
        }
    }
    for seed in 1..=99 {
        let stale = folder.join(format!("report-{seed}.json"));
        if stale.exists() {
            std::fs::remove_file(stale)?;
        }
    }
    progress("yosys");
    let size = synthesis::synthesise(choice, filling, folder, progress)?;
    std::fs::write(&kept, serde_json::to_string(&(hash, size))?)?;
    Ok(size)
}

/// Place and route, unless this netlist was placed with this seed before.
fn placed(
    choice: &Choice<'_>,
    seed: u32,
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<f64> {
    let done = folder.join(format!("report-{seed}.json"));
    if done.exists() && folder.join(place::placed(choice.board, seed)).exists() {
        return place::known_fmax(&done);
    }
    place::place(choice, seed, folder, progress)
}

/// The boards whose synthesis is checked every day, and with which recorders: exact, and quick enough.
const CHECKED: &[(&str, &[&str])] = &[
    ("ulx3s", &["bugnet", "full"]),
    ("hx8k", &["small"]),
    ("icebreaker", &["small"]),
];

/// The most look-up tables that a recorder may add to a board with an ECP5.
const ADDED: &[(&str, u64)] = &[("bugnet", 3000), ("full", 4500)];

/// Fails when a board does not fit, when its recorder is over its budget, or when its cells are not
/// those that `bitstreams/` tells of.
pub fn check_synthesised() -> Result<()> {
    let mut jobs = Vec::new();
    for (name, presets) in CHECKED {
        let board = lookback_rtl_gen::find_board(name)?;
        synthesis::yosys(board, &mut |step| eprintln!("{name}: {step}"))?;
        jobs.push((board, None));
        jobs.extend(presets.iter().map(|preset| (board, Some(*preset))));
    }
    let sizes = jobs
        .par_iter()
        .map(|&(board, preset)| check_one(board, preset));
    let sizes = sizes.collect::<Result<Vec<Size>>>()?;
    for ((board, preset), size) in jobs.iter().zip(&sizes) {
        let alone = |job: &(&Board, Option<&str>)| job.0.name == board.name && job.1.is_none();
        let without = jobs.iter().position(alone).map(|at| &sizes[at]);
        if let (Some(preset), Some(without)) = (preset, without) {
            check_added(board, preset, size, without)?;
        }
    }
    Ok(())
}

fn check_one(board: &'static Board, preset: Option<&str>) -> Result<Size> {
    let name = board.name;
    let mut progress = |step: &str| eprintln!("{name}: {step}");
    let choice = Choice {
        board,
        preset,
        core: board.core,
    };
    let folder = choice.folder().join("check");
    std::fs::create_dir_all(&folder)?;
    let filling = image::filling(board.initial_bytes);
    let size = synthesised(&choice, &filling, &folder, &mut progress)?;
    println!("{name}, {}: {size:?}", preset.unwrap_or("no recorder"));
    // A netlist whose cells are those that are told of was placed and routed.
    synthesis::check_fit(&choice, &size, None)?;
    if preset.is_none_or(|preset| board.presets.first() == Some(&preset)) {
        let version = tools::version(synthesis::yosys(board, &mut progress)?, "-V");
        report::check_told(board, preset, &version, &size)?;
    }
    Ok(size)
}

/// Fails where a recorder adds more to a board than it may.
fn check_added(board: &Board, preset: &str, with: &Size, without: &Size) -> Result<()> {
    let ecp5 = matches!(board.family, Family::Ecp5 { .. });
    let added = with.luts.saturating_sub(without.luts);
    for (_, most) in ADDED.iter().filter(|(name, _)| ecp5 && *name == preset) {
        ensure!(
            added <= *most,
            "{}: {preset} adds {added} LUT4 to it, its budget is {most}",
            board.name
        );
    }
    Ok(())
}

/// Every board with five seeds: fails where a clock is missed or the recorder costs more than 5 %.
pub fn check_placed() -> Result<()> {
    run(&Arguments {
        board: None,
        all: true,
        preset: None,
        core: None,
        no_recorder: false,
        seeds: 5,
        elf: None,
        synth_only: false,
        check: true,
    })
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
