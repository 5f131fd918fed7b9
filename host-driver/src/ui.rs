//! What the user sees while a board runs: its console on stdout, a progress line on stderr.

use crate::driver::arm::State;
use crate::driver::summary::Summary;
use crate::driver::Watcher;
use crate::stop;
use crate::text::{count, rate};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How often the progress line changes.
const REFRESH: Duration = Duration::from_millis(100);

/// The user's view of a running board.
pub struct Ui {
    /// Console output is kept instead of shown, for a program that reads JSON.
    keep_console: bool,
    console: Vec<u8>,
    /// The cursor stands behind console output that has not ended its line.
    mid_line: bool,
    /// Stdout does not take any more, as with `| head`; that must not end a recording.
    unheard: bool,
    bar: Option<ProgressBar>,
    last: Option<Instant>,
    /// What an armed recorder does.
    armed: Option<State>,
}

impl Ui {
    /// A view; with `json` nothing but the final result goes to stdout.
    pub fn new(json: bool) -> Self {
        Self {
            keep_console: json,
            console: Vec::new(),
            mid_line: false,
            unheard: false,
            bar: None,
            last: None,
            armed: None,
        }
    }

    /// The console output that was kept, as text.
    pub fn kept_console(&self) -> String {
        String::from_utf8_lossy(&self.console).into_owned()
    }

    /// Shows console output at once, so that a prompt without a line end is seen.
    pub fn show_console(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else {
            return;
        };
        if self.keep_console {
            self.console.extend_from_slice(bytes);
            return;
        }
        if self.unheard {
            return;
        }
        self.clear();
        let mut out = io::stdout().lock();
        self.mid_line = last != b'\n';
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.unheard = true;
            self.mid_line = false;
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.tell(&format!(
                    "the console cannot be shown: {error}; the board runs on"
                ));
            }
        }
    }

    /// Replaces the progress line, now and then.
    pub fn show_progress(&mut self, text: impl FnOnce() -> String) {
        if self.mid_line || self.last.is_some_and(|last| last.elapsed() < REFRESH) {
            return;
        }
        self.last = Some(Instant::now());
        self.bar
            .get_or_insert_with(|| {
                let style = ProgressStyle::with_template("{spinner} {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner());
                ProgressBar::new_spinner().with_style(style)
            })
            .set_message(text());
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }

    /// Tells the user something on stderr.
    pub fn tell(&mut self, text: &str) {
        self.clear();
        self.end_line();
        eprintln!("lookback: {text}");
    }

    /// Removes the progress line and ends an open console line: what follows is the result.
    pub fn finish(&mut self) {
        self.clear();
        self.end_line();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.mid_line) {
            // A closed stdout shows itself at the next output that matters.
            let _ = writeln!(io::stdout().lock());
        }
    }
}

impl Watcher for Ui {
    fn console(&mut self, bytes: &[u8]) {
        self.show_console(bytes);
    }

    fn progress(&mut self, so_far: &Summary) {
        let armed = self.armed;
        self.show_progress(|| {
            if let Some(state) = armed.filter(|_| so_far.intervals == 0) {
                return state.to_string();
            }
            let errors = so_far.link.damaged + so_far.link.missing + so_far.gaps;
            format!(
                "{} instructions ({}/s), {:.3} bits each, {} intervals, {errors} errors",
                count(so_far.instructions),
                rate(so_far.instructions as f64 / so_far.seconds.max(1e-9)),
                so_far.bits_per_instruction,
                so_far.intervals,
            )
        });
    }

    fn armed(&mut self, state: State) {
        let changed = self
            .armed
            .is_none_or(|before| std::mem::discriminant(&before) != std::mem::discriminant(&state));
        self.armed = Some(state);
        if changed && self.keep_console {
            // Stdout is for the result alone.
            let line = serde_json::to_string(&state).unwrap_or_default();
            eprintln!("{line}");
        } else if changed {
            self.tell(&state.to_string());
        }
    }

    fn note(&mut self, text: &str) {
        self.tell(text);
    }

    fn stop_asked(&self) -> u32 {
        stop::asked()
    }
}
