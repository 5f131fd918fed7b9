//! What is told of a bitstream: a table for people, JSON for programs, an overview of all boards.

use super::synthesis::Size;
use anyhow::{ensure, Context, Result};
use lookback_hdl::boards::board::{Board, BOARDS};
use lookback_hdl::boards::top::uart_error_percent;
use serde_json::{json, Value};
use std::fmt::Write;
use std::path::PathBuf;

/// A built design.
pub struct Built {
    /// Cells after synthesis.
    pub size: Size,
    /// Logic cells that these share, on an iCE40.
    pub cells: Option<u64>,
    /// Fmax in MHz, seed by seed from 1.
    pub fmax: Vec<f64>,
    /// The seed of the bitstream.
    pub best_seed: u32,
    /// Of the bitstream.
    pub sha256: String,
}

impl Built {
    /// The median of Fmax.
    pub fn median(&self) -> f64 {
        let mut sorted = self.fmax.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[n / 2],
            n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
        }
    }

    fn json(&self) -> Value {
        let mut value = json!({
            "luts": self.size.luts,
            "ffs": self.size.ffs,
            "brams": self.size.brams,
            "carries": self.size.carries,
            "lut_rams": self.size.lut_rams,
            "fmax_mhz": self.median(),
            "fmax_mhz_by_seed": self.fmax,
            "seed": self.best_seed,
            "sha256": self.sha256,
        });
        if let Some(cells) = self.cells {
            value["cells"] = json!(cells);
        }
        value
    }

    fn row(&self, what: &str) -> String {
        let fmax = match self.fmax.len() {
            0 => "not placed".into(),
            1 => format!("{:.1}", self.median()),
            n => format!("{:.1} (median of {n})", self.median()),
        };
        let Size {
            luts,
            carries,
            lut_rams,
            ffs,
            brams,
        } = self.size;
        format!("| {what} | {luts} | {carries} | {lut_rams} | {ffs} | {brams} | {fmax} |")
    }
}

/// A board's entry in `bitstreams/`.
pub struct Entry {
    board: &'static Board,
    core: String,
    preset: Option<String>,
    seeds: u32,
    tools: Vec<String>,
    with: Option<Built>,
    without: Built,
}

impl Entry {
    /// Of what was built.
    pub fn new(
        board: &'static Board,
        core: &str,
        preset: Option<&str>,
        seeds: u32,
        tools: Vec<String>,
        with: Option<Built>,
        without: Built,
    ) -> Self {
        Self {
            board,
            core: core.to_owned(),
            preset: preset.map(str::to_owned),
            seeds,
            tools,
            with,
            without,
        }
    }

    /// The table that a build ends with.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{}: core {}, {} KB RAM, clock {} MHz\n\n\
             | | LUT4 | carry | LUT RAM | FF | block RAM | Fmax, MHz |\n|---|---|---|---|---|---|---|\n",
            self.board.title,
            self.core,
            self.board.ram_bytes >> 10,
            f64::from(self.board.clock_hz()) / 1e6
        );
        if let Some(with) = &self.with {
            let name = format!("recorder `{}`", self.preset.as_deref().unwrap_or_default());
            let _ = writeln!(text, "{}", with.row(&name));
        }
        let _ = writeln!(text, "{}", self.without.row("no recorder"));
        if let Some(with) = &self.with {
            let _ = writeln!(text, "{}", difference(with, &self.without));
        }
        let seed = self
            .with
            .as_ref()
            .map_or(self.without.best_seed, |with| with.best_seed);
        text += &self.packed();
        let _ = write!(
            text,
            "\nSeeds 1 to {}; the bitstream is of seed {seed}. Tools: {}.",
            self.seeds,
            self.tools.join("; ")
        );
        let clock = f64::from(self.board.clock_hz()) / 1e6;
        let built = self.with.as_ref().unwrap_or(&self.without);
        let best = built.fmax.iter().copied().fold(f64::NAN, f64::max);
        if best < clock {
            let _ = write!(
                text,
                "\n\n**Timing is not met**: {best:.1} MHz at best, and the board's clock is {clock} \
                 MHz. Do not trust this bitstream; more seeds may do."
            );
        }
        text
    }

    /// How full an iCE40 is.
    fn packed(&self) -> String {
        let there = self.board.capacity.luts;
        let told = |what: &str, built: &Built| {
            let cells = built.cells?;
            let percent = 100.0 * cells as f64 / f64::from(there);
            Some(format!("{cells} {what} ({percent:.0} %)"))
        };
        let with = self.with.as_ref();
        let with = with.and_then(|with| told("with the recorder", with));
        let all = [with, told("without", &self.without)];
        let all: Vec<String> = all.into_iter().flatten().collect();
        if all.is_empty() {
            return String::new();
        }
        format!("\nPacked into {there} logic cells: {}.\n", all.join(", "))
    }

    /// Which of the board's promises are not kept.
    pub fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        let name = self.board.name;
        let least = f64::from(self.board.least_mhz);
        let (with, without) = (self.with.as_ref(), self.without.median());
        let reached = with.map_or(without, Built::median);
        if reached < least {
            missed.push(format!(
                "{name}: {reached:.1} MHz, at least {least:.0} are wanted"
            ));
        }
        if let Some(with) = with.filter(|with| with.median() < 0.95 * without) {
            missed.push(format!(
                "{name}: the recorder slows the board from {without:.1} to {:.1} MHz, more than 5 %",
                with.median()
            ));
        }
        missed
    }

    fn json(&self) -> Value {
        let mut value = self.with.as_ref().map_or_else(
            || json!({"luts": null, "ffs": null, "brams": null, "fmax_mhz": null}),
            Built::json,
        );
        let (cycles, bits) = self.board.bit_clocks();
        value["board"] = json!(self.board.name);
        value["device"] = json!(self.board.device);
        value["core"] = json!(self.core);
        value["preset"] = json!(self.preset);
        value["ram_bytes"] = json!(self.board.ram_bytes);
        value["clock_mhz"] = json!(f64::from(self.board.clock_hz()) / 1e6);
        value["baud"] = json!(self.board.baud);
        value["bit_clocks"] = json!(f64::from(cycles) / f64::from(bits));
        value["uart_error_percent"] =
            json!((uart_error_percent(self.board) * 100.0).round() / 100.0);
        value["without_recorder"] = self.without.json();
        value["tools"] = json!(self.tools);
        value
    }

    /// Writes `bitstreams/<board>.json` and `.md`; another core than the project's own has its name
    /// in theirs.
    pub fn write(&self) -> Result<()> {
        let folder = folder();
        std::fs::create_dir_all(&folder)?;
        let stem = match self.core.as_str() {
            core if core == self.board.core => self.board.name.to_owned(),
            core => format!("{}-{core}", self.board.name),
        };
        let save = |name: String, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        let json = serde_json::to_string_pretty(&self.json())?;
        save(format!("{stem}.json"), json + "\n")?;
        let mut sums = String::new();
        for (what, built) in [
            ("with recorder", self.with.as_ref()),
            ("without", Some(&self.without)),
        ] {
            if let Some(built) = built {
                let _ = writeln!(sums, "- {what}: sha256 `{}`", built.sha256);
            }
        }
        let text = format!(
            "# {}\n\n{}\n\nBitstreams with `hello` as firmware (built, not committed):\n\n{sums}",
            self.board.title,
            self.table()
        );
        save(format!("{stem}.md"), text)
    }
}

fn folder() -> PathBuf {
    crate::root().join("bitstreams")
}

fn difference(with: &Built, without: &Built) -> String {
    let more = |a: u64, b: u64| format!("{:+}", i128::from(a) - i128::from(b));
    let (a, b) = (&with.size, &without.size);
    let fmax = if with.fmax.is_empty() {
        String::new()
    } else {
        format!("{:.0} %", 100.0 * with.median() / without.median())
    };
    format!(
        "| difference | {} | {} | {} | {} | {} | {fmax} |",
        more(a.luts, b.luts),
        more(a.carries, b.carries),
        more(a.lut_rams, b.lut_rams),
        more(a.ffs, b.ffs),
        more(a.brams, b.brams)
    )
}

/// Fails where the committed numbers of a board are not those of its synthesis. Another yosys than that
/// of the numbers counts differently.
pub fn check_told(board: &Board, preset: Option<&str>, yosys: &str, size: &Size) -> Result<()> {
    let path = folder().join(format!("{}.json", board.name));
    let text = std::fs::read_to_string(&path).with_context(|| {
        let name = board.name;
        format!(
            "cannot read {}; `cargo xtask bitstream {name}` writes it",
            path.display()
        )
    })?;
    let value: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    if value["tools"][0] != json!(yosys) {
        eprintln!("{} is of another yosys; not compared", path.display());
        return Ok(());
    }
    let told = match preset {
        Some(_) => &value,
        None => &value["without_recorder"],
    };
    for (key, found) in [
        ("luts", size.luts),
        ("ffs", size.ffs),
        ("brams", size.brams),
        ("carries", size.carries),
        ("lut_rams", size.lut_rams),
    ] {
        ensure!(
            told[key] == json!(found),
            "{}: {key} is {found} now, {} tells of {}; `cargo xtask bitstream {0}` rewrites it",
            board.name,
            path.display(),
            told[key]
        );
    }
    Ok(())
}

/// Rewrites the table of all boards from their JSON.
pub fn write_overview() -> Result<()> {
    let mut text = String::from(OVERVIEW);
    for board in BOARDS {
        let path = folder().join(format!("{}.json", board.name));
        let Ok(json) = std::fs::read_to_string(&path) else {
            let _ = writeln!(text, "| {} | not built | | | | | | | |", board.title);
            continue;
        };
        let value: Value =
            serde_json::from_str(&json).with_context(|| path.display().to_string())?;
        text += &overview_row(board, &value);
    }
    text += REMARKS;
    let path = folder().join("README.md");
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn overview_row(board: &Board, value: &Value) -> String {
    let without = &value["without_recorder"];
    let cell = |key: &str| {
        let (a, b) = (value[key].as_f64(), without[key].as_f64());
        let decimals = usize::from(key == "fmax_mhz");
        match (a, b) {
            (Some(a), Some(b)) if decimals == 1 => {
                format!("{a:.1} / {b:.1} ({:.0} %)", 100.0 * a / b)
            }
            (Some(a), Some(b)) => format!("{a} / {b} ({:+})", a - b),
            (None, Some(b)) => format!("– / {b:.decimals$}"),
            _ => "–".into(),
        }
    };
    let (cycles, bits) = board.bit_clocks();
    let mut recorder = value["preset"].as_str().unwrap_or("none fits").to_owned();
    if board.core != "lookback" {
        recorder += &format!(", core {}", board.core);
    }
    format!(
        "| [{}]({}.md) | {} | {} | {} | {} | {} | {} | {} | {} Mbaud, {:.2} cycles a bit, error at most {:.1} % |\n",
        board.title,
        board.name,
        recorder,
        board.ram_bytes >> 10,
        cell("luts"),
        cell("ffs"),
        cell("brams"),
        cell("fmax_mhz"),
        f64::from(board.clock_hz()) / 1e6,
        f64::from(board.baud) / 1e6,
        f64::from(cycles) / f64::from(bits),
        uart_error_percent(board)
    )
}

const OVERVIEW: &str = "\
# Bitstreams

Made by `cargo xtask bitstream --all`, which rewrites this file. Cells are those of synthesis, with the recorder / without it (difference); Fmax is the median over the seeds named in each board's file. The bitstreams themselves are built into `target/boards/`, not committed; their checksums are in the boards' files. None of them was tried on hardware.

| board | recorder | RAM, KB | LUT4 | FF | block RAM | Fmax, MHz | clock, MHz | UART |
|---|---|---|---|---|---|---|---|---|
";

const REMARKS: &str = "
LUT4 is what yosys calls so. Carry cells and small RAMs take look-up tables, too: each board's file has them. A bit of the UART takes a whole number of clock cycles, or two numbers in turn that give the rate exactly on average; the error named is that of a single byte at worst. `cargo xtask uart` holds each board's UART against an independent one, 2 % off either way.
";
