//! The report as text for a terminal.

use crate::report::{Crash, Line, Place, Report};
use crate::symbols::Location;
use std::fmt::{self, Display, Formatter, Write};

/// Frames of a call stack that are printed.
const FRAMES: usize = 16;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.elf.as_deref().unwrap_or("firmware without its ELF");
        match &self.crash {
            Some(crash) => {
                writeln!(f, "{name} crashed{}: {}\n", self.on_hart(), crash.cause)?;
                crash_text(f, crash, self.hart)?;
            }
            None => {
                writeln!(f, "{name} did not crash: {}\n", self.ended)?;
                if let Some(place) = &self.last_seen {
                    writeln!(
                        f,
                        "Last seen     {:#010x}  {}{}\n",
                        place.at.address,
                        place.at,
                        self.on_hart()
                    )?;
                    place_text(f, place)?;
                }
            }
        }
        self.totals(f)
    }
}

impl Report {
    /// Which of several harts this is about.
    fn on_hart(&self) -> String {
        match self.hart {
            Some(hart) => format!(" on hart {hart}"),
            None => String::new(),
        }
    }

    fn totals(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nEnded         {}", self.ended)?;
        write!(
            f,
            "Recording     {} instructions in {} intervals",
            grouped(self.instructions),
            grouped(self.intervals)
        )?;
        if let Some(bits) = self.bits_per_instruction {
            write!(f, ", {bits:.3} bits per instruction")?;
        }
        writeln!(f)?;
        if self.lost > 0 {
            writeln!(
                f,
                "Lost          {} instructions in gaps",
                grouped(self.lost)
            )?;
        }
        let digests = if self.matched == self.replayed && self.replayed == self.intervals {
            format!(
                "all {} intervals replayed, every digest matched",
                grouped(self.matched)
            )
        } else {
            format!(
                "{} of {} intervals replayed for this report, {} digests matched",
                grouped(self.replayed),
                grouped(self.intervals),
                grouped(self.matched)
            )
        };
        writeln!(f, "Replay        {digests}")?;
        if let Some(divergence) = &self.diverged {
            writeln!(f, "Diverged      {divergence}")?;
        }
        Ok(())
    }
}

fn crash_text(f: &mut Formatter<'_>, crash: &Crash, hart: Option<u8>) -> fmt::Result {
    let place = &crash.place;
    let at = &place.at;
    write!(f, "At            {:#010x}  ", at.address)?;
    match &at.function {
        Some(_) => writeln!(f, "{at}")?,
        None => writeln!(f, "no function is here")?,
    }
    if let Some(from) = &crash.jumped_from {
        writeln!(f, "Jumped from   {:#010x}  {from}", from.address)?;
    }
    writeln!(
        f,
        "When          instruction {} of {}, interval {}",
        grouped(place.retired),
        hart.map_or("the recording".into(), |hart| format!("hart {hart}")),
        place.interval
    )?;
    let source = if crash.cause_confirmed {
        "as its own handler read it"
    } else {
        "worked out from the instruction"
    };
    if let Some(number) = crash.mcause {
        writeln!(f, "mcause        {number}, {source}")?;
    }
    if !crash.origin.is_empty() {
        writeln!(f, "\nWhere the bad value came from, going back")?;
        for step in &crash.origin {
            let whose = match step.hart {
                Some(hart) => format!("on hart {hart}: "),
                None => String::new(),
            };
            writeln!(f, "  {:>10}  {whose}{}", grouped(step.retired), step.what)?;
            writeln!(f, "              in {}", step.at)?;
        }
    }
    writeln!(f)?;
    place_text(f, place)
}

fn place_text(f: &mut Formatter<'_>, place: &Place) -> fmt::Result {
    let how = if place.stack_followed {
        ", followed through the recording (memory does not show all of it)"
    } else {
        ""
    };
    writeln!(f, "Call stack{how}")?;
    for (number, frame) in place.stack.iter().take(FRAMES).enumerate() {
        writeln!(f, "  #{number:<3} {:#010x}  {frame}", frame.address)?;
    }
    if let Some(more) = place
        .stack
        .len()
        .checked_sub(FRAMES)
        .filter(|&more| more > 0)
    {
        writeln!(f, "  … and {more} more")?;
    }
    writeln!(f, "\nLast instructions")?;
    let mut line_before = None;
    for line in &place.last {
        let here = (line.at.function.clone(), line.at.file.clone(), line.at.line);
        if line_before.as_ref() != Some(&here) {
            writeln!(f, "  {}", heading(&line.at))?;
            line_before = Some(here);
        }
        writeln!(f, "{}", listed(line))?;
    }
    Ok(())
}

/// Function and line, without the offset that changes with every instruction.
fn heading(at: &Location) -> String {
    let mut text = at.function.clone().unwrap_or_else(|| "no function".into());
    if let (Some(file), Some(line)) = (&at.file, at.line) {
        let _ = write!(text, " ({file}:{line})");
    }
    text
}

fn listed(line: &Line) -> String {
    let text = line.text.replace('\t', " ");
    format!(
        "  {:>10}  {:08x}  {text:<30}  {}",
        grouped(line.retired),
        line.at.address,
        line.values
    )
    .trim_end()
    .to_owned()
}

/// A number with a comma at each thousand.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
