//! The rows as CSV, as JSON, and as tables with means and ratios for people.

use super::measure::{Row, INTERVALS, SCHEMES};
use super::scheme::WINDOWS;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Pairs of schemes whose ratio is told, and at which interval length.
const RATIOS: [(&str, &str, u32); 5] = [
    ("compact", "bugnet", 1_000_000),
    ("compact_noimage", "bugnet", 1_000_000),
    ("compact_alone", "bugnet", 1_000_000),
    ("compact", "etrace_iret", 100_000),
    ("compact_alone", "etrace_iret", 100_000),
];

/// The columns of a row, in order: name and value.
pub fn columns(row: &Row) -> Vec<(String, Value)> {
    let bpi = |bits: u64| Value::from(row.bits_per_instruction(bits));
    let mut columns = vec![
        ("program".to_owned(), Value::from(row.program.as_str())),
        ("interval".to_owned(), Value::from(row.interval)),
        ("instructions".to_owned(), Value::from(row.instructions)),
    ];
    let schemes = || SCHEMES.iter().zip(&row.measured);
    for (kind, measured) in schemes() {
        columns.push((format!("{}_bpi", kind.name), bpi(measured.bits)));
    }
    columns.push(("loads".to_owned(), Value::from(row.loads)));
    for (kind, measured) in schemes().filter(|(kind, _)| kind.ours) {
        if let Some(bits) = measured.squeezed_bits {
            columns.push((format!("{}_zstd_bpi", kind.name), bpi(bits)));
        }
        for (window, bits) in WINDOWS.iter().zip(measured.bursts) {
            columns.push((format!("{}_burst_{window}", kind.name), Value::from(bits)));
        }
    }
    let stalls = Value::from(row.stalls_per_thousand);
    columns.push(("stalls_per_thousand".to_owned(), stalls));
    columns
}

/// One line a row, after the names of the columns.
pub fn csv(rows: &[Row]) -> String {
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let columns = columns(row);
        if number == 0 {
            let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
            text += &names.join(",");
            text.push('\n');
        }
        let cells: Vec<String> = columns.iter().map(|(_, value)| cell(value)).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            format!("{:.6}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

/// The same as an array of objects.
pub fn json(rows: &[Row]) -> Value {
    let object = |row| Value::Object(columns(row).into_iter().collect::<Map<_, _>>());
    rows.iter().map(object).collect()
}

/// A table for each interval length, then what the means say.
pub fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for interval in INTERVALS {
        text += &interval_table(rows, interval);
    }
    text += "Ratios of the means over programs that fill an interval:\n\n";
    text += "| of | to | interval | geometric | arithmetic |\n|---|---|---|---|---|\n";
    for (of, to, interval) in RATIOS {
        let filling: Vec<&Row> = filling(rows, interval);
        let (of_index, to_index) = (index(of), index(to));
        if let (Some(a), Some(b), false) = (of_index, to_index, filling.is_empty()) {
            let [a_geometric, a_arithmetic] = means(&filling, a);
            let [b_geometric, b_arithmetic] = means(&filling, b);
            let geometric = a_geometric / b_geometric;
            let arithmetic = a_arithmetic / b_arithmetic;
            line(
                &mut text,
                format_args!("| {of} | {to} | {interval} | {geometric:.3} | {arithmetic:.3} |"),
            );
        }
    }
    text
}

fn interval_table(rows: &[Row], interval: u32) -> String {
    let mut text = format!("Bits an instruction, intervals of {interval} instructions:\n\n");
    let titles: Vec<&str> = SCHEMES.iter().map(|kind| kind.title).collect();
    text += &format!(
        "| program | instructions | loads | {} |",
        titles.join(" | ")
    );
    for kind in SCHEMES.iter().filter(|kind| kind.ours) {
        text += &format!(" {0} after zstd | {0}, worst burst |", kind.name);
    }
    let ours = SCHEMES.iter().filter(|kind| kind.ours).count();
    text += &format!(
        " stalls ‰ |\n|{}\n",
        "---|".repeat(SCHEMES.len() + 2 * ours + 4)
    );
    let at: Vec<&Row> = rows.iter().filter(|row| row.interval == interval).collect();
    for row in &at {
        line(&mut text, format_args!("{}", row_line(row)));
    }
    let filling = filling(rows, interval);
    for (name, group) in [("", &at), (" that fill an interval", &filling)] {
        if group.is_empty() {
            continue;
        }
        for (which, mean) in ["geometric", "arithmetic"].into_iter().enumerate() {
            let means = (0..SCHEMES.len()).map(|scheme| means(group, scheme)[which]);
            let means: Vec<String> = means.map(|mean| format!("**{mean:.4}**")).collect();
            line(
                &mut text,
                format_args!(
                    "| **{mean} mean, {} programs{name}** | | | {} |{}",
                    group.len(),
                    means.join(" | "),
                    " |".repeat(2 * ours + 1)
                ),
            );
        }
    }
    text.push('\n');
    text
}

fn row_line(row: &Row) -> String {
    let bpi = |bits| format!("{:.4}", row.bits_per_instruction(bits));
    let mut cells = vec![
        row.program.clone(),
        row.instructions.to_string(),
        row.loads.to_string(),
    ];
    cells.extend(row.measured.iter().map(|measured| bpi(measured.bits)));
    for (_, measured) in SCHEMES.iter().zip(&row.measured).filter(|(k, _)| k.ours) {
        cells.push(measured.squeezed_bits.map_or_else(String::new, bpi));
        cells.push(measured.bursts.map(|bits| bits.to_string()).join(" / "));
    }
    cells.push(format!("{:.2}", row.stalls_per_thousand));
    format!("| {} |", cells.join(" | "))
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("a string takes everything");
}

fn index(scheme: &str) -> Option<usize> {
    SCHEMES.iter().position(|kind| kind.name == scheme)
}

/// Programs that run for an interval at least: of others a mean would show the cost of one header.
fn filling(rows: &[Row], interval: u32) -> Vec<&Row> {
    let long = |row: &&Row| row.interval == interval && row.instructions >= u64::from(interval);
    rows.iter().filter(long).collect()
}

/// Geometric and arithmetic mean of a scheme's bits an instruction. A log without any bit counts as
/// one bit, so that the geometric mean exists.
fn means(rows: &[&Row], scheme: usize) -> [f64; 2] {
    let count = rows.len() as f64;
    let each = |row: &&Row| row.bits_per_instruction(row.measured[scheme].bits.max(1));
    let logarithms: f64 = rows.iter().map(|row| each(row).ln()).sum();
    let sum: f64 = rows.iter().map(each).sum();
    [(logarithms / count).exp(), sum / count]
}

#[cfg(test)]
mod tests {
    use super::super::scheme::Measured;
    use super::*;

    fn row(program: &str, instructions: u64, bits: u64) -> Row {
        let measured = Measured {
            bits,
            squeezed_bits: Some(bits / 2),
            bursts: [1, 2, 3],
        };
        Row {
            program: program.to_owned(),
            interval: 10_000,
            instructions,
            loads: 7,
            stalls_per_thousand: 0.5,
            measured: vec![measured; SCHEMES.len()],
        }
    }

    #[test]
    fn the_columns_are_those_that_were_promised() {
        let csv = csv(&[row("a,b", 1000, 250)]);
        let mut lines = csv.lines();
        assert_eq!(
            lines.next(),
            Some(
                "program,interval,instructions,bugnet_bpi,compact_bpi,compact_noimage_bpi,\
                 etrace_bpi,etrace_iret_bpi,zstd_bpi,compact_alone_bpi,small_bpi,loads,\
                 bugnet_zstd_bpi,bugnet_burst_64,bugnet_burst_256,bugnet_burst_1024,\
                 compact_zstd_bpi,compact_burst_64,compact_burst_256,compact_burst_1024,\
                 stalls_per_thousand"
            )
        );
        assert_eq!(
            lines.next(),
            Some(
                "\"a,b\",10000,1000,0.250000,0.250000,0.250000,0.250000,0.250000,0.250000,0.250000,\
                 0.250000,7,\
                 0.125000,1,2,3,0.125000,1,2,3,0.500000"
            )
        );
    }

    #[test]
    fn means_are_over_programs() {
        let rows = [
            row("a", 10_000, 10_000),
            row("b", 10_000, 40_000),
            row("c", 10, 10),
        ];
        let filling = filling(&rows, 10_000);
        assert_eq!(filling.len(), 2);
        let [geometric, arithmetic] = means(&filling, 0);
        assert!((geometric - 2.0).abs() < 1e-9 && (arithmetic - 2.5).abs() < 1e-9);
    }
}
