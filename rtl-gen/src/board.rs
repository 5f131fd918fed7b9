//! FPGA boards with the project's own hart: the SoC, a recorder or none, and the board's top.

use lookback_hdl::boards::board::{Board, Family, BOARDS};
use lookback_hdl::boards::top::{top, top_name, Inner};
use lookback_hdl::tops;

use crate::{emit, Error, Result};

/// Module of the SoC, with or without a recorder.
const INNER: &str = "lookback_board";

/// The whole Verilog of a board.
#[derive(Clone, Debug)]
pub struct BoardVerilog {
    /// Name of the top module, whose ports are pins.
    pub top: String,
    /// The text.
    pub verilog: String,
}

/// The board of this name; the error lists all names.
pub fn find_board(name: &str) -> Result<&'static Board> {
    let found = BOARDS.iter().find(|board| board.name == name);
    found.ok_or_else(|| Error::UnknownBoard {
        name: name.to_owned(),
        known: names(BOARDS.iter().map(|board| board.name)),
    })
}

/// The presets that a recorder on a board can have.
pub const RECORDERS: &[&str] = &[
    "bugnet",
    "small",
    "full",
    "bugnet-4k",
    "bugnet-4k-2",
    "tiny",
];

/// The Verilog of a board with the recorder of a preset, or with none.
pub fn board_verilog(board: &Board, preset: Option<&str>) -> Result<BoardVerilog> {
    let mut block = match preset {
        None if board.harts == 2 => tops::board_smp_2_block(),
        // What the smallest recorder goes around.
        None if board.has_small_soc() => tops::board_small_soc_block(),
        None => tops::board_soc_block(),
        Some(preset) => {
            tops::board_at(preset, board.clock_hz()).ok_or_else(|| Error::UnknownPreset {
                name: preset.to_owned(),
                known: names(RECORDERS.iter().copied()),
            })?
        }
    };
    let design = emit(INNER, &mut *block)?;
    let inner = Inner {
        module: INNER,
        shows_state: preset.is_some_and(|preset| !matches!(preset, "full" | "bugnet-4k-2")),
        several: board.harts > 1,
    };
    let soc = match board.family {
        Family::Ice40 { .. } => without_small_memories(&design.verilog),
        _ => with_fast_registers(&design.verilog),
    };
    Ok(BoardVerilog {
        top: top_name(board),
        verilog: soc + &top(board, inner),
    })
}

/// Takes the hart's registers out of block RAM, whose answer comes late in the cycle and begins the
/// longest path. Only an iCE40 has no smaller memories for them.
fn with_fast_registers(verilog: &str) -> String {
    verilog.replace(
        SLOW_REGISTERS,
        "(* ram_style = \"distributed\" *) reg [31:0] cells",
    )
}

/// An iCE40 has no RAMs made of look-up tables. A memory that is read in the same cycle becomes a block
/// RAM that is read at the falling edge: its address must be there by then. The hart reads its registers
/// in another cycle than it writes them, so they need none of the logic that keeps what was there before.
pub fn without_small_memories(verilog: &str) -> String {
    verilog
        .replace("ram_style = \"distributed\"", "ram_style = \"block\"")
        .replace(
            "always @(*) read_data = mem[read_address];",
            "always @(negedge clock) read_data <= mem[read_address];",
        )
        .replace(SLOW_REGISTERS, UNCHECKED_REGISTERS)
}

/// How the register file is declared.
const SLOW_REGISTERS: &str = "(* ram_style = \"block\" *) reg [31:0] cells";
/// The same in block RAM as it comes.
const UNCHECKED_REGISTERS: &str = "(* no_rw_check, ram_style = \"block\" *) reg [31:0] cells";

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A pin that a constraints file forgets would be put anywhere by the tools, or refused late.
    #[test]
    fn constraints_name_the_ports_of_every_top() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../constraints");
        for board in BOARDS {
            let text = std::fs::read_to_string(folder.join(board.constraints)).unwrap();
            let mut placed: Vec<&str> = text
                .lines()
                .filter_map(|line| {
                    let words: Vec<&str> = line.split_whitespace().collect();
                    let name = match words[..] {
                        ["LOCATE", "COMP", name, "SITE", _] => name,
                        ["set_io", name, _] | ["IO_LOC", name, _] => name,
                        _ => return None,
                    };
                    Some(name.trim_matches('"'))
                })
                .collect();
            let mut wanted = board.ports();
            placed.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(placed, wanted, "{}", board.constraints);
        }
    }

    #[test]
    fn registers_are_in_block_ram_only_where_nothing_else_is() {
        for board in BOARDS {
            let slow = board_verilog(board, None).unwrap().verilog;
            assert!(!slow.contains(SLOW_REGISTERS), "{}", board.name);
            let slow = slow.contains(UNCHECKED_REGISTERS);
            assert_eq!(
                slow,
                matches!(board.family, Family::Ice40 { .. }),
                "{}",
                board.name
            );
        }
    }

    /// yosys refuses a memory of look-up tables for a device that has none.
    #[test]
    fn an_ice40_has_block_memories_only() {
        let board = find_board("hx8k").unwrap();
        let text = board_verilog(board, Some("tiny")).unwrap().verilog;
        assert!(text.contains("always @(negedge clock) read_data <= mem[read_address];"));
        assert!(!text.contains("distributed") && !text.contains("always @(*) read_data = mem"));
    }

    #[test]
    fn an_unknown_board_or_preset_is_answered_with_the_known_ones() {
        let error = find_board("icestick").unwrap_err().to_string();
        assert!(error.contains("icestick") && error.contains("ulx3s, ulx3s-25"));
        for name in ["huge", "mini"] {
            let error = board_verilog(&BOARDS[0], Some(name))
                .unwrap_err()
                .to_string();
            assert!(error.contains(name), "{error}");
            assert!(error.contains("bugnet, small, full, bugnet-4k, bugnet-4k-2, tiny"));
        }
    }
}
