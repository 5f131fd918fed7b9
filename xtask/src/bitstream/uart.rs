//! `cargo xtask uart`: the UART of a board's top against one that somebody else wrote.
//!
//! cocotbext-uart sends to the pin `rx` and listens at `tx` and `console_tx`, in Icarus, at the board's
//! rate and at the edges of what a UART must bear. In the place of the SoC every byte goes back.

use super::image;
use super::tools::{self, COCOTB};
use anyhow::{Context, Result};
use lookback_hdl::boards::board::{Board, Button, Family, BOARDS};
use lookback_hdl::boards::top::{top, top_name, Inner, FIRMWARE_FILE};
use std::process::Command;

/// Options of `cargo xtask uart`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Boards; all when none is named.
    boards: Vec<String>,
}

/// Checks boards.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.boards.is_empty() {
        return long();
    }
    for name in &arguments.boards {
        check(lookback_rtl_gen::find_board(name)?)?;
    }
    Ok(())
}

/// The board whose bits are no whole number of clock cycles: every day.
pub fn quick() -> Result<()> {
    check(lookback_rtl_gen::find_board("ulx3s")?)
}

/// All boards: the long tier.
pub fn long() -> Result<()> {
    BOARDS.iter().try_for_each(check)
}

fn check(board: &Board) -> Result<()> {
    let mut progress = |step: &str| eprintln!("{}: {step}", board.name);
    tools::ensure_commands(&[("iverilog", "iverilog")], &mut progress)?;
    let packages = COCOTB.fetch(&mut progress)?;
    let scripts = crate::root().join("xtask/uart");
    let folder = crate::root()
        .join("target/boards")
        .join(format!("{}-uart", board.name));
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let inner = Inner {
        module: "echo",
        shows_state: false,
        several: false,
    };
    std::fs::write(folder.join("top.v"), top(board, inner))?;
    let uart = lookback_rtl_gen::find("uart")?.generate()?;
    std::fs::write(folder.join("uart.v"), uart.verilog)?;
    image::write_hex(
        &folder.join(FIRMWARE_FILE),
        &image::filling(board.initial_bytes),
    )?;
    let released = match board.button {
        Button::Low => "1",
        Button::Absent | Button::High => "0",
    };
    let models = match board.family {
        Family::Ice40 { .. } => "xtask/netlist/ice40.v",
        _ => "xtask/netlist/ecp5.v",
    };
    let mut command: Command = tools::python();
    command
        .arg(scripts.join("run.py"))
        .arg(folder.join("sim"))
        .arg(top_name(board))
        .args([folder.join("top.v"), folder.join("uart.v")])
        .arg(scripts.join("echo.v"))
        .arg(crate::root().join(models))
        .env("PYTHONPATH", std::env::join_paths([&packages, &scripts])?)
        .env("LOOKBACK_BAUD", board.baud.to_string())
        .env("LOOKBACK_CLOCK_HZ", board.clock_hz().to_string())
        .env("LOOKBACK_BUTTON_RELEASED", released);
    tools::run(command, &folder, "cocotb.log")
        .with_context(|| format!("the UART of {} against cocotbext-uart", board.name))?;
    println!(
        "{}: {} baud, 2 % off either way, both directions and the console's pin: right",
        board.name, board.baud
    );
    Ok(())
}
