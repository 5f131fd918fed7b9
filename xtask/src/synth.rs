//! `cargo xtask synth`: what the recorder costs, in cells of an ECP5, and whether that is within
//! its budget. Cell counts from yosys are exact, so the budget is a test.

use anyhow::{bail, ensure, Context, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::process::Command;

/// Options of `cargo xtask synth`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Presets of rtl-gen; those with a budget when none is named.
    presets: Vec<String>,
    /// With yosys' multiplexers of LUTs, as boards are built.
    #[arg(long)]
    wide: bool,
}

/// The most that a preset may take.
struct Budget {
    preset: &'static str,
    lut4: u64,
    /// Block RAMs of 2 KB besides those of the ring: of its bytes, and of the marks that end records.
    block_rams: Option<u64>,
}

const BUDGETS: &[Budget] = &[
    Budget {
        preset: "recorder-bugnet",
        lut4: 3000,
        block_rams: None,
    },
    Budget {
        preset: "recorder-full",
        lut4: 4500,
        block_rams: Some(16),
    },
    // Strata and chunks of two harts.
    Budget {
        preset: "order-2",
        lut4: 1500,
        block_rams: None,
    },
];

/// How many times the LUT4 of one preset another may take.
struct Ratio {
    preset: &'static str,
    of: &'static str,
    hundredths: u64,
}

/// The recorder of two harts has their order, too, and one drain for both.
const RATIOS: &[Ratio] = &[Ratio {
    preset: "recorder-bugnet-2",
    of: "recorder-bugnet",
    hundredths: 180,
}];

/// Of a DP16KD, without those for parity.
const BLOCK_RAM_BITS: u64 = 16 << 10;

/// How recorders are synthesised alone. Multiplexers of LUTs (PFUMX, L6MUX21) are
/// left out: yosys takes them for free, doubles LUT4s to use them, and the recorders become a fifth
/// larger.
const SYNTH_ECP5: &str = "synth_ecp5 -nowidelut";

/// Cells by their type.
pub(crate) type Cells = BTreeMap<String, u64>;

/// Synthesises and prints.
pub fn run(arguments: &Arguments) -> Result<()> {
    let presets: Vec<&str> = if arguments.presets.is_empty() {
        budgeted()
    } else {
        arguments.presets.iter().map(String::as_str).collect()
    };
    let command = if arguments.wide {
        "synth_ecp5"
    } else {
        SYNTH_ECP5
    };
    println!("| preset | LUT4 | CCU2C | DPR16X4 | FF | DP16KD |\n|---|---|---|---|---|---|");
    for preset in presets {
        println!("{}", row(preset, &synthesise(preset, command)?));
    }
    Ok(())
}

/// Fails when a preset is over its budget or ratio, or its memories did not become block RAM.
pub fn check() -> Result<()> {
    let presets = budgeted();
    let taken = presets.par_iter().map(|&preset| {
        let cells = synthesise(preset, SYNTH_ECP5)?;
        println!("{}", row(preset, &cells));
        Ok((preset, cells))
    });
    let taken: BTreeMap<&str, Cells> = taken.collect::<Result<_>>()?;
    for budget in BUDGETS {
        check_budget(budget, &taken[budget.preset])?;
    }
    for ratio in RATIOS {
        let [lut4, base] = [ratio.preset, ratio.of].map(|preset| count(&taken[preset], "LUT4"));
        ensure!(
            lut4 * 100 <= base * ratio.hundredths,
            "{} takes {lut4} LUT4, more than {}.{:02} times the {base} of {}",
            ratio.preset,
            ratio.hundredths / 100,
            ratio.hundredths % 100,
            ratio.of
        );
    }
    Ok(())
}

/// All presets that have a budget or take part in a ratio, each once.
fn budgeted() -> Vec<&'static str> {
    let mut presets: Vec<&str> = BUDGETS.iter().map(|budget| budget.preset).collect();
    for preset in RATIOS.iter().flat_map(|ratio| [ratio.of, ratio.preset]) {
        if !presets.contains(&preset) {
            presets.push(preset);
        }
    }
    presets
}

fn check_budget(budget: &Budget, cells: &Cells) -> Result<()> {
    let (preset, lut4) = (budget.preset, count(cells, "LUT4"));
    ensure!(
        lut4 <= budget.lut4,
        "{preset} takes {lut4} LUT4, its budget is {}",
        budget.lut4
    );
    let block_rams = count(cells, "DP16KD");
    ensure!(block_rams > 0, "{preset}: no memory became block RAM");
    if let Some(most) = budget.block_rams {
        let besides = block_rams.saturating_sub(ring_block_rams(preset)?);
        ensure!(
            besides <= most,
            "{preset} takes {besides} block RAMs besides the ring, its budget is {most}"
        );
    }
    Ok(())
}

/// Block RAMs of a preset's ring: its bytes, and a mark for each of them.
fn ring_block_rams(preset: &str) -> Result<u64> {
    let recorder = lookback_rtl_gen::find(preset)?.recorder();
    let recorder = recorder.with_context(|| format!("the preset {preset} has no recorder"))?;
    let bytes = 1u64 << recorder.ring_bits;
    Ok((8 * bytes).div_ceil(BLOCK_RAM_BITS) + bytes.div_ceil(BLOCK_RAM_BITS))
}

fn row(preset: &str, cells: &Cells) -> String {
    let columns = ["LUT4", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF", "DP16KD"]
        .map(|cell| count(cells, cell).to_string());
    format!("| {preset} | {} |", columns.join(" | "))
}

pub(crate) fn count(cells: &Cells, cell: &str) -> u64 {
    cells.get(cell).copied().unwrap_or(0)
}

fn synthesise(preset: &str, command: &str) -> Result<Cells> {
    let preset = lookback_rtl_gen::find(preset)?;
    let design = preset.generate()?;
    let folder = tempfile::tempdir()?;
    // A name without its folder: yosys keeps it in the design, and what it makes of the design must not
    // depend on where that lies.
    std::fs::write(folder.path().join("design.v"), &design.verilog)?;
    let script = format!(
        "read_verilog design.v; {command} -top {}; tee -q -o stat.txt stat",
        design.top
    );
    let output = Command::new("yosys")
        .current_dir(folder.path())
        .args(["-q", "-p", &script])
        .output()
        .context("cannot run yosys; `cargo xtask setup` installs it")?;
    if !output.status.success() {
        bail!("yosys failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let stat = std::fs::read_to_string(folder.path().join("stat.txt"))?;
    Ok(cells(&stat))
}

/// The cell counts of the whole design: the last table of `stat`. Newer versions of yosys print the
/// number before the name.
pub(crate) fn cells(stat: &str) -> Cells {
    let last = stat.rsplit("=== ").next().unwrap_or_default();
    last.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (first, second) = (words.next()?, words.next()?);
            match (first.parse(), second.parse()) {
                (Err(_), Ok(number)) => Some((first.to_owned(), number)),
                (Ok(number), Err(_)) => Some((second.to_owned(), number)),
                _ => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_whichever_yosys_prints_them() {
        let old = "=== part ===\n     LUT4     1\n=== top ===\n     LUT4     12\n     DFF    3\n";
        let new =
            "=== part ===\n        1   LUT4\n=== top ===\n       12   LUT4\n        3   DFF\n";
        for stat in [old, new] {
            let cells = cells(stat);
            assert_eq!((count(&cells, "LUT4"), count(&cells, "DFF")), (12, 3));
        }
    }
}
