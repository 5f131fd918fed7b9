//! Faults that nobody thought of: an operator, a number, a condition or an assignment changed at
//! random. Not each of them is a fault (`a + 0` is as good as `a - 0`), so survivors are for people to
//! read: they show where the stimulus is weak.

use lookback_model::stimulus::Random;
use std::ops::Range;

/// A change of one place.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// Line of the Verilog, from 1.
    pub line: usize,
    /// The line as it was.
    pub before: String,
    /// The line as it is.
    pub after: String,
}

impl Mutation {
    /// The Verilog with it.
    pub fn apply(&self, verilog: &str) -> String {
        let lines = verilog.lines().zip(1..);
        let changed = lines.map(|(line, number)| match number == self.line {
            true => format!("{}\n", self.after),
            false => format!("{line}\n"),
        });
        changed.collect()
    }
}

/// Operators and what becomes of them.
const OPERATORS: &[(&str, &str)] = &[
    (" + ", " - "),
    (" - ", " + "),
    (" == ", " != "),
    (" != ", " == "),
    (" & ", " | "),
    (" | ", " & "),
    (" ^ ", " | "),
    (" << ", " >> "),
    (" >> ", " << "),
    (" > ", " >= "),
    (" < ", " <= "),
    (" >= ", " > "),
    ("~", ""),
    ("(|(", "(&("),
    ("(&(", "(|("),
];

/// All changes of one kind each, in the order of the text.
pub fn all(verilog: &str) -> Vec<Mutation> {
    let mut found = Vec::new();
    let mut inside = false;
    for (text, line) in verilog.lines().zip(1..) {
        let trimmed = text.trim();
        if trimmed.starts_with("always") {
            inside = true;
        } else if trimmed.starts_with("endmodule") {
            inside = false;
        }
        if inside {
            of_line(text, line, &mut found);
        } else if trimmed.starts_with("localparam") {
            of_number(text, line, &mut found);
        }
    }
    found
}

/// A number of them, each different, chosen by a seed.
pub fn some(verilog: &str, count: usize, seed: u64) -> Vec<Mutation> {
    let mut left = all(verilog);
    let mut random = Random::new(seed);
    let mut chosen = Vec::new();
    while chosen.len() < count && !left.is_empty() {
        let at = random.below(left.len() as u32) as usize;
        chosen.push(left.swap_remove(at));
    }
    chosen
}

fn of_line(text: &str, line: usize, found: &mut Vec<Mutation>) {
    let trimmed = text.trim();
    // The wiring of a clock is no place for a fault that a register would not show everywhere.
    if trimmed.contains("clock") {
        return;
    }
    let mut change = |range: Range<usize>, to: &str| {
        let after = format!("{}{to}{}", &text[..range.start], &text[range.end..]);
        found.push(Mutation {
            line,
            before: text.to_owned(),
            after,
        });
    };
    for (from, to) in OPERATORS {
        for (start, _) in text.match_indices(from) {
            // `<=` is an assignment as well as a comparison.
            change(start..start + from.len(), to);
        }
    }
    if let (Some(open), true) = (text.find("if ("), text.trim_end().ends_with("begin")) {
        if let Some(close) = text.rfind(')') {
            change(open + 4..close, &format!("!({})", &text[open + 4..close]));
        }
    }
    if trimmed.ends_with(';') && trimmed.contains(" = ") && !trimmed.starts_with("localparam") {
        let start = text.len() - text.trim_start().len();
        change(start..text.len(), ";");
    }
    of_number(text, line, found);
}

/// Numbers with another lowest bit.
fn of_number(text: &str, line: usize, found: &mut Vec<Mutation>) {
    let hexadecimal = text.match_indices("'h").map(|(at, _)| (at, 16));
    let binary = text.match_indices("'b").map(|(at, _)| (at, 2));
    for (at, radix) in hexadecimal.chain(binary) {
        let digits = text[at + 2..]
            .find(|c: char| !c.is_digit(radix))
            .map_or(text.len(), |end| at + 2 + end);
        let Ok(number) = u64::from_str_radix(&text[at + 2..digits], radix) else {
            continue;
        };
        let number = match radix {
            16 => format!("{:x}", number ^ 1),
            _ => format!("{:b}", number ^ 1),
        };
        let after = format!("{}{number}{}", &text[..at + 2], &text[digits..]);
        found.push(Mutation {
            line,
            before: text.to_owned(),
            after,
        });
    }
}
