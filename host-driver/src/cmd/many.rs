//! Several boards at once: a thread and a file for each, one line of progress for all.

use crate::driver::file::{self, Recording};
use crate::driver::summary::Summary;
use crate::driver::{self, Settings, Watcher};
use crate::firmware::Firmware;
use crate::stop;
use crate::text::count;
use crate::transport::serial::Serial;
use crate::ui::Ui;
use anyhow::{bail, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Sender};
use std::time::Duration;

/// How long the display waits for news.
const LOOK: Duration = Duration::from_millis(100);

/// What a board's thread has to tell.
enum News {
    Progress(String),
    Note(String),
    Done(Box<Result<Summary>>),
}

/// Records all boards; what came of each, by name. An error means that none was begun.
pub(super) fn record(
    links: Vec<Serial>,
    firmware: &Firmware,
    settings: &Settings,
    output: &Path,
    force: bool,
    ui: &mut Ui,
) -> Result<Vec<(String, Result<Summary>)>> {
    let mut boards: Vec<(String, PathBuf, Serial)> = Vec::new();
    for link in links {
        let name = link.serial_number();
        let path = named(output, &name);
        if boards.iter().any(|board| board.0 == name) {
            bail!("two of these boards have the serial number {name}; record them one at a time");
        }
        file::check(&path, force)?;
        boards.push((name, path, link));
    }
    stop::listen();
    let (sender, news) = channel();
    let mut lines = vec![String::from("begins"); boards.len()];
    let mut results = Vec::new();
    let mut names = Vec::new();
    for (number, (name, path, mut link)) in boards.into_iter().enumerate() {
        ui.tell(&format!("board {name} is recorded into {}", path.display()));
        names.push(name);
        results.push(None);
        let mut watcher = Reporter {
            number,
            news: sender.clone(),
        };
        let (settings, elf) = (settings.clone(), firmware.elf.clone());
        std::thread::spawn(move || {
            let create = |config| Recording::create(&path, force, config, elf);
            let result = driver::record(&mut link, &settings, create, &mut watcher);
            watcher.tell(News::Done(Box::new(result)));
        });
    }
    while results.iter().any(Option::is_none) {
        match news.recv_timeout(LOOK) {
            Ok((number, News::Progress(line))) => lines[number] = line,
            Ok((number, News::Note(text))) => ui.tell(&format!("board {}: {text}", names[number])),
            Ok((number, News::Done(result))) => {
                lines[number] = "done".into();
                results[number] = Some(*result);
            }
            Err(_) => {}
        }
        ui.show_progress(|| {
            let named = names.iter().zip(&lines);
            let told: Vec<_> = named
                .map(|(name, line)| format!("{name}: {line}"))
                .collect();
            told.join(" | ")
        });
    }
    Ok(names
        .into_iter()
        .zip(results.into_iter().flatten())
        .collect())
}

/// The file of one board: its name goes before the ending.
fn named(output: &Path, board: &str) -> PathBuf {
    let mut name: OsString = output.file_stem().unwrap_or_default().to_owned();
    name.push("-");
    name.push(board);
    name.push(".");
    name.push(output.extension().unwrap_or("lbk".as_ref()));
    output.with_file_name(name)
}

/// Tells the display what a board's thread sees.
struct Reporter {
    number: usize,
    news: Sender<(usize, News)>,
}

impl Reporter {
    fn tell(&self, news: News) {
        // Nobody listens any more only when the command is over.
        let _ = self.news.send((self.number, news));
    }
}

impl Watcher for Reporter {
    /// The links of several boards do not show their consoles.
    fn console(&mut self, _: &[u8]) {}

    fn progress(&mut self, so_far: &Summary) {
        let instructions = count(so_far.instructions);
        self.tell(News::Progress(format!("{instructions} instructions")));
    }

    fn note(&mut self, text: &str) {
        self.tell(News::Note(text.into()));
    }

    fn stop_asked(&self) -> u32 {
        stop::asked()
    }
}
