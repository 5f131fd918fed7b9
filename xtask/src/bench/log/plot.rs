//! The rows as a picture: for each program, what each scheme takes, on a logarithmic scale.

use super::measure::{Row, SCHEMES};
use std::fmt::Write;

/// The interval length that is shown.
const INTERVAL: u32 = 1_000_000;

const WIDTH: f64 = 860.0;
const LEFT: f64 = 110.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 84.0;
const LINE: f64 = 24.0;
const BOTTOM: f64 = 44.0;
const LEGEND_COLUMNS: usize = 3;
const COLOURS: [&str; SCHEMES.len()] = [
    "#c44e52", "#2f8f4e", "#93c9a0", "#4c72b0", "#8fb8de", "#8a8a8a", "#d9a441", "#e3a3a5",
];
const INK: &str = "#404040";
const GRID: &str = "#d8d8d8";

/// A picture of the programs that fill an interval of a million instructions, or of all if none
/// does.
pub fn svg(rows: &[Row]) -> String {
    let at = rows.iter().filter(|row| row.interval == INTERVAL);
    let (long, short): (Vec<&Row>, Vec<&Row>) =
        at.partition(|row| row.instructions >= u64::from(INTERVAL));
    let mut shown = if long.is_empty() { short } else { long };
    let ours = |row: &Row| row.bits_per_instruction(row.measured[0].bits);
    shown.sort_by(|a, b| ours(a).total_cmp(&ours(b)));
    let scale = Scale::over(&shown);
    let height = TOP + LINE * shown.len() as f64 + BOTTOM;
    let mut picture = Picture::begin(height);
    picture.legend();
    picture.grid(&scale, height - BOTTOM);
    for (number, row) in shown.iter().enumerate() {
        picture.row(row, &scale, TOP + LINE * (number as f64 + 0.5));
    }
    picture.text += "</svg>\n";
    picture.text
}

/// Decades from left to right.
struct Scale {
    from: i32,
    to: i32,
}

impl Scale {
    fn over(rows: &[&Row]) -> Self {
        let values = rows.iter().flat_map(|row| {
            let bits = row.measured.iter().map(|measured| measured.bits.max(1));
            bits.map(|bits| row.bits_per_instruction(bits).log10())
        });
        let (low, high) = values.fold((0.0, 0.0), |(low, high): (f64, f64), value| {
            (low.min(value), high.max(value))
        });
        Self {
            from: low.floor() as i32,
            to: (high.ceil() as i32).max(1),
        }
    }

    fn x(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.from)) / f64::from(self.to - self.from);
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }
}

struct Picture {
    text: String,
}

impl Picture {
    fn begin(height: f64) -> Self {
        let mut picture = Self {
            text: String::new(),
        };
        picture.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\" fill=\"{INK}\">"
        ));
        picture.add(format_args!(
            "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>"
        ));
        picture.add(format_args!(
            "<text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">Bits an instruction, intervals of \
             1 M instructions</text>"
        ));
        picture
    }

    fn add(&mut self, arguments: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{arguments}").expect("a string takes everything");
    }

    fn legend(&mut self) {
        let step = (WIDTH - LEFT - RIGHT) / LEGEND_COLUMNS as f64;
        for (number, kind) in SCHEMES.iter().enumerate() {
            let x = LEFT + step * (number % LEGEND_COLUMNS) as f64;
            let y = 40.0 + 18.0 * (number / LEGEND_COLUMNS) as f64;
            let colour = COLOURS[number];
            let (dot, words, base) = (x + 5.0, x + 14.0, y + 4.0);
            self.add(format_args!(
                "<circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"5\" fill=\"{colour}\"/>\
                 <text x=\"{words:.1}\" y=\"{base}\" font-size=\"11\">{}</text>",
                kind.title
            ));
        }
    }

    fn grid(&mut self, scale: &Scale, bottom: f64) {
        for decade in scale.from..=scale.to {
            let value = 10f64.powi(decade);
            let x = scale.x(value);
            let label = bottom + 18.0;
            self.add(format_args!(
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"{GRID}\"/>\
                 <text x=\"{x:.1}\" y=\"{label}\" text-anchor=\"middle\">{value}</text>"
            ));
        }
    }

    fn row(&mut self, row: &Row, scale: &Scale, y: f64) {
        let (name_x, name_y) = (LEFT - 10.0, y + 4.0);
        let name = row.program.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            "<text x=\"{name_x}\" y=\"{name_y}\" text-anchor=\"end\">{name}</text>"
        ));
        for (number, measured) in row.measured.iter().enumerate() {
            let value = row.bits_per_instruction(measured.bits.max(1));
            let colour = COLOURS[number];
            self.add(format_args!(
                "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"5\" fill=\"{colour}\" fill-opacity=\"0.85\">\
                 <title>{name}: {} {value:.4}</title></circle>",
                scale.x(value),
                SCHEMES[number].title
            ));
        }
    }
}
