//! What gdb has no command for: `monitor help` and its like.

use super::session::Session;
use crate::text::grouped;
use crate::timeline::stretch::Stretch;
use std::fmt::Write;

/// Intervals listed around the present one.
const LISTED: usize = 20;

/// A command: its name, its arguments, what it does, and how that is used.
struct Command {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    details: &'static str,
}

const COMMANDS: [Command; 8] = [
    Command {
        name: "help",
        arguments: "[COMMAND]",
        summary: "these commands, or one of them in detail",
        details: "",
    },
    Command {
        name: "when",
        arguments: "",
        summary: "the present: hart, instruction, interval, cycle",
        details: "Instructions are counted from 0, from where the recording began. The recorder notes \
                  the clock cycle at the start of each interval, so the cycle lies between two of them.",
    },
    Command {
        name: "goto",
        arguments: "N | crash | start | end",
        summary: "go to an instruction by its number, to the crash, or to an end",
        details: "gdb keeps what it read before: if it was not started by `lookback gdb`, say \
                  `maintenance flush register-cache` and `maintenance flush dcache` afterwards.",
    },
    Command {
        name: "intervals",
        arguments: "[all]",
        summary: "the intervals around the present, with holes and damage",
        details: "An interval is checked when it has been replayed to its end.",
    },
    Command {
        name: "last-write",
        arguments: "ADDRESS [LENGTH]",
        summary: "who wrote this memory last, before the present",
        details: "ADDRESS is a number (0x… or decimal) or the name of a variable, LENGTH is in bytes \
                  (4, or the variable's size). The present stays; `monitor goto` goes there. \
                  In gdb: eval \"monitor last-write %p 4\", &variable",
    },
    Command {
        name: "next-read",
        arguments: "ADDRESS [LENGTH]",
        summary: "who reads this memory next, from the present on",
        details: "Arguments as of last-write.",
    },
    Command {
        name: "irqs",
        arguments: "[COUNT]",
        summary: "interrupts and traps before the present, the last ones (10)",
        details: "With the number of the first instruction of each handler, for `monitor goto`.",
    },
    Command {
        name: "stats",
        arguments: "",
        summary: "the recording and this session in numbers",
        details: "",
    },
];

impl Session<'_> {
    /// Does a `monitor` command; the answer has one or more lines.
    pub fn monitor(&mut self, line: &str) -> String {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or("help");
        let arguments: Vec<&str> = words.collect();
        let mut answer = match (name, arguments.as_slice()) {
            ("help", []) => help(),
            ("help", [name]) => help_of(name),
            ("when", []) => self.when(),
            ("goto", [target]) => self.goto(target),
            ("intervals", []) => self.intervals(LISTED),
            ("intervals", ["all"]) => self.intervals(usize::MAX),
            ("last-write", [addr]) => self.last_write(addr, None),
            ("last-write", [addr, len]) => self.last_write(addr, Some(len)),
            ("next-read", [addr]) => self.next_read(addr, None),
            ("next-read", [addr, len]) => self.next_read(addr, Some(len)),
            ("irqs", []) => self.irqs(10),
            ("irqs", [count]) => match count.parse() {
                Ok(count) => self.irqs(count),
                Err(_) => format!("`{count}` is no number\n{}", usage("irqs")),
            },
            ("stats", []) => self.stats(),
            _ => match COMMANDS.iter().find(|command| command.name == name) {
                Some(_) => usage(name),
                None => format!("there is no command `{name}`\n{}", help()),
            },
        };
        self.follow_current();
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.timeline().take_notes());
        for note in notes {
            let _ = write!(answer, "\n{note}");
        }
        answer
    }

    fn when(&mut self) -> String {
        let mut text = self.describe();
        let timeline = self.timeline();
        let interval = timeline.interval();
        let _ = write!(
            text,
            "\ninstruction {} of the {} in the interval",
            timeline.position(),
            interval.trailer.instructions
        );
        let row = timeline.row();
        let here = row.iter().position(|s| s.start == interval.header.retired);
        let next = here.and_then(|at| row.get(at + 1));
        let _ = match next {
            Some(next) => writeln!(
                text,
                ", cycle {} to {}",
                interval.header.cycle, next.interval.header.cycle
            ),
            None => writeln!(text, ", cycle {} or later", interval.header.cycle),
        };
        let _ = write!(
            text,
            "the recording has instructions {} to {}",
            timeline.first(),
            timeline.last()
        );
        text
    }

    fn goto(&mut self, target: &str) -> String {
        let recording = self.recording;
        let timeline = self.timeline();
        let mut never = || false;
        let moved = match target {
            "crash" => {
                if super::crash_of(timeline, recording) {
                    Ok(())
                } else {
                    return self.arrived("there was no crash; this is the end: ");
                }
            }
            "start" => timeline.goto(timeline.first(), &mut never),
            "end" => timeline.goto_end(&mut never),
            number => match number.replace(['_', ','], "").parse() {
                Ok(moment) => timeline.goto(moment, &mut never),
                Err(_) => return format!("`{number}` is no instruction number\n{}", usage("goto")),
            },
        };
        match moved {
            Ok(()) => self.arrived(""),
            Err(why) => {
                let text = format!("cannot go there: {why}\n");
                self.arrived(&text)
            }
        }
    }

    fn arrived(&self, prefix: &str) -> String {
        let hint = match self.gdb_flushes {
            true => "",
            false => {
                "\nnow say: maintenance flush register-cache\n         maintenance flush dcache"
            }
        };
        format!("{prefix}{}{hint}", self.describe())
    }

    fn intervals(&mut self, most: usize) -> String {
        let timeline = self.timeline();
        let now = timeline.interval().header.index;
        let row = timeline.row();
        let here = row.iter().position(|s| s.interval.header.index == now);
        let first = here.unwrap_or(0).saturating_sub(most / 2);
        let last = first.saturating_add(most).min(row.len());
        let mut text = String::from("  interval  from instruction  instructions       cycle");
        if first > 0 {
            let _ = write!(
                text,
                "\n  … {first} before; `monitor intervals all` lists all"
            );
        }
        for stretch in &row[first..last] {
            if let Some(hole) = &stretch.hole {
                let _ = write!(text, "\n            hole: {hole}");
            }
            let _ = write!(text, "\n{}", line_of(stretch, now));
        }
        if last < row.len() {
            let _ = write!(text, "\n  … {} more", row.len() - last);
        }
        text
    }

    fn stats(&mut self) -> String {
        let summary = self.recording.summary();
        let timeline = self.timeline();
        let (snapshots, bytes) = timeline.held();
        let mut text = format!(
            "recording     {} instructions in {} intervals",
            grouped(summary.instructions),
            grouped(summary.intervals)
        );
        if let Some(bits) = summary.bits_per_instruction {
            let _ = write!(text, ", {bits:.3} bits each");
        }
        if summary.gaps + summary.missing_records > 0 {
            let _ = write!(
                text,
                "\nnot in it     {} instructions in {} gaps, {} missing intervals",
                grouped(summary.lost),
                summary.gaps,
                summary.missing_records
            );
        }
        let _ = write!(
            text,
            "\nreplayed      {} instructions so far\nsnapshots     {snapshots}, {} KB with the pages of {} earlier intervals",
            grouped(timeline.replayed()),
            grouped(bytes as u64 / 1024),
            timeline.intervals_asked()
        );
        text
    }
}

fn line_of(stretch: &Stretch<'_>, now: u32) -> String {
    let header = &stretch.interval.header;
    let mark = if header.index == now { '>' } else { ' ' };
    let mut line = format!(
        "{mark} {:>8}  {:>16}  {:>12}  {:>10}",
        header.index, stretch.start, stretch.length, header.cycle
    );
    if let Some(flaw) = &stretch.flaw {
        let _ = write!(
            line,
            "  damaged at position {}: {}",
            flaw.position, flaw.what
        );
    }
    line
}

fn help() -> String {
    let mut text = String::from("monitor commands:");
    for command in &COMMANDS {
        let head = format!("{} {}", command.name, command.arguments);
        let _ = write!(text, "\n  {head:<32} {}", command.summary);
    }
    text
}

fn help_of(name: &str) -> String {
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => format!(
            "monitor {} {}: {}\n{}",
            command.name, command.arguments, command.summary, command.details
        ),
        None => format!("there is no command `{name}`\n{}", help()),
    }
}

/// How a command is used.
pub(super) fn usage(name: &str) -> String {
    let command = COMMANDS.iter().find(|command| command.name == name);
    command.map_or_else(help, |command| {
        format!("usage: monitor {} {}", command.name, command.arguments)
            .trim_end()
            .to_owned()
    })
}
