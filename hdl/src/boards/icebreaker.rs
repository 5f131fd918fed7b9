//! iCEBreaker: an iCE40 UP5K. Lookback's own hart fits, but no recorder beside it; SERV and the smallest
//! recorder do, with RAM in SPRAM (docs/boards/icebreaker.md).

use super::board::{Board, Button, Capacity, ClockSource, Family};

/// The board.
pub const ICEBREAKER: Board = Board {
    name: "icebreaker",
    title: "iCEBreaker (UP5K)",
    device: "iCE40UP5K-SG48",
    family: Family::Ice40 {
        device: "up5k",
        package: "sg48",
    },
    constraints: "icebreaker.pcf",
    oscillator_hz: 12_000_000,
    clock: ClockSource::Oscillator,
    button: Button::Low,
    leds_low: true,
    harts: 1,
    core: "serv",
    ram_bytes: 64 << 10,
    initial_bytes: 8 << 10,
    baud: 3_000_000,
    presets: &["small"],
    without_block_ram: &[],
    least_mhz: 12,
    capacity: Capacity {
        luts: 5_280,
        ffs: 5_280,
        brams: 30,
    },
    loader: "ice40_generic",
};
