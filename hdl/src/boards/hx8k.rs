//! iCE40-HX8K breakout board. The hart, its RAM and the smallest recorder fit and are routed
//! (docs/boards/hx8k.md says what is left).

use super::board::{Board, Button, Capacity, ClockSource, Family};

/// The board.
pub const HX8K: Board = Board {
    name: "hx8k",
    title: "iCE40-HX8K breakout",
    device: "iCE40HX8K-CT256",
    family: Family::Ice40 {
        device: "hx8k",
        package: "ct256",
    },
    constraints: "hx8k.pcf",
    oscillator_hz: 12_000_000,
    clock: ClockSource::Oscillator,
    button: Button::Absent,
    leds_low: false,
    harts: 1,
    core: "lookback",
    ram_bytes: 8 << 10,
    initial_bytes: 8 << 10,
    baud: 3_000_000,
    presets: &["small"],
    without_block_ram: &[],
    least_mhz: 24,
    capacity: Capacity {
        luts: 7_680,
        ffs: 7_680,
        brams: 32,
    },
    loader: "ice40_generic",
};
