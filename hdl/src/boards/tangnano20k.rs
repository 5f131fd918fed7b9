//! Tang Nano 20K: a Gowin GW2AR-18. Its USB chip is the UART adapter; S1 is the reset button.

use super::board::{Board, Button, Capacity, ClockSource, Family};

/// The board.
pub const TANG_NANO_20K: Board = Board {
    name: "tangnano20k",
    title: "Tang Nano 20K",
    device: "GW2AR-LV18QN88C8/I7",
    family: Family::Gowin {
        part: "GW2AR-LV18QN88C8/I7",
        family: "GW2A-18C",
    },
    constraints: "tangnano20k.cst",
    oscillator_hz: 27_000_000,
    clock: ClockSource::Oscillator,
    button: Button::High,
    leds_low: true,
    harts: 1,
    core: "lookback",
    ram_bytes: 32 << 10,
    initial_bytes: 32 << 10,
    baud: 3_000_000,
    presets: &["bugnet-4k", "tiny"],
    without_block_ram: &[],
    least_mhz: 27,
    capacity: Capacity {
        luts: 20_736,
        ffs: 15_552,
        brams: 46,
    },
    loader: "tangnano20k",
};
