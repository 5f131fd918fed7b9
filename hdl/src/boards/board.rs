//! What is known of an FPGA board, and its top: pins, clock, reset, LEDs, memory.
//!
//! A top is the simulated board, with the same ports whoever's core is on it, and around it what a
//! simulator stands in for otherwise:
//!
//! ```text
//!  clk ─► PLL ─► clock     button ─► reset         ┌─► led_recording
//!                                                  ├─► led_triggered
//!  rx ──────────────► log_rx ┌─────────────────┐ ──┴─► led_overflow
//!  fractional divider ─► bit │ simulated board │ ──► log_tx ─► tx
//!        firmware.hex ─► RAM │ (SoC, recorder) │ ──► console bytes ─► FIFO ─► console_tx
//!                            └─────────────────┘
//! ```
//! That is text and no block, because vendors' cells (a PLL) cannot be simulated by rust-hdl. The
//! netlist of the whole is simulated instead: see docs/boards/README.md.

/// A board.
#[derive(Debug, Clone, Copy)]
pub struct Board {
    /// What it is called on the command line, and its files in `constraints/` and `bitstreams/`.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The FPGA, in words.
    pub device: &'static str,
    /// Its tools.
    pub family: Family,
    /// The file with its pins, in `constraints/`.
    pub constraints: &'static str,
    /// Frequency at the pin `clk`.
    pub oscillator_hz: u32,
    /// What becomes of it.
    pub clock: ClockSource,
    /// The pin `button`, if there is one.
    pub button: Button,
    /// A LED is lit by a low level.
    pub leds_low: bool,
    /// Harts of its SoC.
    pub harts: u8,
    /// Whose core it is meant for.
    pub core: &'static str,
    /// Bytes of on-chip RAM for the firmware.
    pub ram_bytes: u32,
    /// So many of them, the first ones, have initial contents: all, or those that are copied from block
    /// RAM into SPRAM at each reset.
    pub initial_bytes: u32,
    /// Bits a second of its UART.
    pub baud: u32,
    /// Recorders that fit, the usual one first; none if no recorder fits.
    pub presets: &'static [&'static str],
    /// Memories of the recorder that are made of look-up tables here, for want of block RAM: patterns of
    /// their names.
    pub without_block_ram: &'static [&'static str],
    /// The least Fmax that it must reach, in MHz.
    pub least_mhz: u32,
    /// What the device has.
    pub capacity: Capacity,
    /// What openFPGALoader calls it.
    pub loader: &'static str,
}

/// The tools of a device, and how they name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// nextpnr-ecp5: size option, package, speed grade.
    Ecp5 {
        /// As `25k`.
        size: &'static str,
        /// As `CABGA381`.
        package: &'static str,
        /// As `6`.
        speed: &'static str,
    },
    /// nextpnr-ice40: device option and package.
    Ice40 {
        /// As `hx8k`.
        device: &'static str,
        /// As `ct256`.
        package: &'static str,
    },
    /// nextpnr-himbaechel for Gowin: part and family.
    Gowin {
        /// As on the chip.
        part: &'static str,
        /// As `GW2A-18C`.
        family: &'static str,
    },
}

/// Where the clock of the whole design comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockSource {
    /// The oscillator as it is.
    Oscillator,
    /// An EHXPLLL of an ECP5: the oscillator times `multiply`, from a VCO of `divide` times that.
    Ecp5Pll {
        /// Feedback divider.
        multiply: u32,
        /// Output divider: the VCO must run at 400 to 800 MHz.
        divide: u32,
    },
}

/// What a pressed button does to its pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// There is none: reset is power-up.
    Absent,
    /// Pressed is low.
    Low,
    /// Pressed is high.
    High,
}

/// What there is of each kind of cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Look-up tables of four inputs (logic cells on iCE40).
    pub luts: u32,
    /// Flip-flops.
    pub ffs: u32,
    /// Block RAMs.
    pub brams: u32,
}

impl Board {
    /// Frequency of the whole design.
    pub fn clock_hz(&self) -> u32 {
        match self.clock {
            ClockSource::Oscillator => self.oscillator_hz,
            ClockSource::Ecp5Pll { multiply, .. } => self.oscillator_hz * multiply,
        }
    }

    /// Clock cycles of a bit as a fraction in lowest terms.
    pub fn bit_clocks(&self) -> (u32, u32) {
        let (clock, baud) = (self.clock_hz(), self.baud);
        let common = greatest_common_divisor(clock, baud);
        (clock / common, baud / common)
    }

    /// With this project's own hart it has the SoC without PLIC, GPIO and DMA engine, as its recorder has.
    pub fn has_small_soc(&self) -> bool {
        self.presets == ["small"]
    }

    /// Ports of its top, as its constraints must name them.
    pub fn ports(&self) -> Vec<&'static str> {
        let mut ports = vec!["clk", "rx", "tx", "console_tx"];
        ports.extend(["led_recording", "led_triggered", "led_overflow"]);
        if self.button != Button::Absent {
            ports.push("button");
        }
        ports
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// All boards, in the order in which they are listed to users.
pub const BOARDS: &[Board] = &[
    super::ulx3s::ULX3S,
    super::ulx3s::ULX3S_25,
    super::ulx3s::ULX3S_25_SMP,
    super::orangecrab::ORANGECRAB,
    super::icebreaker::ICEBREAKER,
    super::hx8k::HX8K,
    super::tangnano20k::TANG_NANO_20K,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_a_fraction_of_the_clock() {
        let named = |name| BOARDS.iter().find(|board| board.name == name);
        let bits = |name| named(name).map(Board::bit_clocks);
        assert_eq!(bits("ulx3s"), Some((50, 3)));
        assert_eq!(bits("orangecrab"), Some((16, 1)));
        assert_eq!(bits("icebreaker"), Some((4, 1)));
        assert_eq!(bits("tangnano20k"), Some((9, 1)));
    }

    #[test]
    fn plls_run_within_their_limits() {
        for board in BOARDS {
            if let ClockSource::Ecp5Pll { divide, .. } = board.clock {
                let vco = board.clock_hz() * divide;
                assert!((400_000_000..=800_000_000).contains(&vco), "{}", board.name);
            }
        }
    }
}
