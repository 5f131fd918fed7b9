//! ULX3S: an ECP5 with 85,000 or 25,000 LUTs. The LEDs are D0 to D2, the reset button is PWR.

use super::board::{Board, Button, Capacity, ClockSource, Family};

/// With the LFE5U-85F.
pub const ULX3S: Board = Board {
    name: "ulx3s",
    title: "ULX3S (85F)",
    device: "LFE5U-85F-6BG381C",
    family: Family::Ecp5 {
        size: "85k",
        package: "CABGA381",
        speed: "6",
    },
    constraints: "ulx3s.lpf",
    oscillator_hz: 25_000_000,
    clock: ClockSource::Ecp5Pll {
        multiply: 2,
        divide: 12,
    },
    button: Button::Low,
    leds_low: false,
    harts: 1,
    core: "lookback",
    ram_bytes: 64 << 10,
    initial_bytes: 64 << 10,
    baud: 3_000_000,
    presets: &["bugnet", "full", "bugnet-4k", "tiny"],
    without_block_ram: &[],
    least_mhz: 50,
    capacity: Capacity {
        luts: 83_640,
        ffs: 83_640,
        brams: 208,
    },
    loader: "ulx3s",
};

/// With the LFE5U-25F.
pub const ULX3S_25: Board = Board {
    name: "ulx3s-25",
    title: "ULX3S (25F)",
    device: "LFE5U-25F-6BG381C",
    family: Family::Ecp5 {
        size: "25k",
        package: "CABGA381",
        speed: "6",
    },
    presets: &["bugnet-4k", "tiny"],
    capacity: Capacity {
        luts: 24_288,
        ffs: 24_288,
        brams: 56,
    },
    ..ULX3S
};

/// The same with two harts, whose recorder takes the block RAM of most of the memory and most look-up
/// tables: it is too full for more than the oscillator's clock.
pub const ULX3S_25_SMP: Board = Board {
    name: "ulx3s-25-smp",
    title: "ULX3S (25F), two harts",
    clock: ClockSource::Oscillator,
    harts: 2,
    core: "lookback",
    ram_bytes: 16 << 10,
    initial_bytes: 16 << 10,
    presets: &["bugnet-4k-2"],
    least_mhz: 25,
    without_block_ram: &[
        "*dictionaries*.nexts.mem",
        "*dictionaries*.ranks.mem",
        "*shadows*.mem",
    ],
    ..ULX3S_25
};
