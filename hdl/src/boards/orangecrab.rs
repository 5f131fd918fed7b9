//! OrangeCrab r0.2 with the ECP5-25: one LED of three colours, and the button beside it. Its UART is
//! on the pins 0 and 1 of the header: it has no USB adapter of its own.

use super::board::{Board, Button, Capacity, ClockSource, Family};

/// The board.
pub const ORANGECRAB: Board = Board {
    name: "orangecrab",
    title: "OrangeCrab r0.2 (25F)",
    device: "LFE5U-25F-8MG285C",
    family: Family::Ecp5 {
        size: "25k",
        package: "CSFBGA285",
        speed: "8",
    },
    constraints: "orangecrab.lpf",
    oscillator_hz: 48_000_000,
    clock: ClockSource::Oscillator,
    button: Button::Low,
    leds_low: true,
    harts: 1,
    core: "lookback",
    ram_bytes: 64 << 10,
    initial_bytes: 64 << 10,
    baud: 3_000_000,
    presets: &["bugnet-4k", "tiny"],
    without_block_ram: &[],
    least_mhz: 50,
    capacity: Capacity {
        luts: 24_288,
        ffs: 24_288,
        brams: 56,
    },
    loader: "orangeCrab",
};
