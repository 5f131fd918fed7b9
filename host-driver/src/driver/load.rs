//! Puts a program into a board's RAM over its link: section 6.2 of the log format.
//!
//! Each command carries its address, so what was lost is repeated until all of it has come. Commands
//! go without waiting for their answers, with zeros between them, so that the board has answered one
//! before the next begins.

use super::wire::{Event, Wire};
use crate::text::count;
use crate::transport::Link;
use anyhow::{bail, ensure, Result};
use lookback_log_format::{link, registers as reg, CRC};
use std::time::Duration;

/// Zeros behind a command: a REPLY has 15 bytes, and the board begins it at once.
const PADDING: usize = 18;
/// What the padding may grow to, where answers are slower than that.
const MOST_PADDING: usize = 300;
/// Commands that are sent at once.
const SLICE: usize = 16;
/// Commands that may be without an answer while others are sent.
const UNHEARD: usize = 64;
/// So often everything that is still missing is sent without a single answer.
const ATTEMPTS: u32 = 8;
/// A restart is over after this.
const RESTART: Duration = Duration::from_millis(20);
/// The shortest time in which an answer counts as lost.
const LEAST_WAIT: Duration = Duration::from_millis(100);

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Words are written.
    Writing,
    /// All of them are read again.
    Reading,
}

/// What was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Loaded {
    /// Bytes of RAM that were written, and then read.
    pub bytes: u64,
    /// CRC-32 of them, in RAM and in the ELF alike.
    pub crc: u32,
    /// RAM of the board.
    pub ram_bytes: u32,
    /// Commands that had to be repeated.
    pub repeated: u64,
}

/// Words of RAM, by byte offset, in ascending order.
pub type Words = Vec<(u32, u32)>;

/// Loads what `image` makes of the size of the board's RAM, and restarts the board. Without `force`
/// a board that still has something of a recording is left alone.
pub fn load(
    port: &mut dyn Link,
    image: impl FnOnce(u32) -> Result<Words>,
    force: bool,
    patience: Duration,
    progress: &mut dyn FnMut(Phase, usize, usize),
) -> Result<Loaded> {
    let mut loader = Loader {
        wire: Wire::new(port, patience),
        padding: PADDING,
        slowest: Duration::ZERO,
        repeated: 0,
        rounds: 0,
    };
    loader.wire.identify()?;
    let ram_bytes = loader.wire.read(reg::BOARD)?;
    if ram_bytes == 0 {
        bail!(
            "the board at {} has no loader: its bitstream is older than this program, or its recorder \
             is at a core of your own. Put the firmware into the bitstream instead \
             (docs/boards/README.md)",
            loader.name()
        );
    }
    let words = image(ram_bytes)?;
    let busy = loader.busy()?;
    if let (Some(why), false) = (busy, force) {
        bail!(
            "the board at {} {why}; let `lookback record` finish, or load with --force: what the board \
             still has is lost then",
            loader.name()
        );
    }
    loader.wire.write(reg::BOOT, 1, u32::MAX)?;
    if busy.is_some() {
        // Nothing of the recording may come between the answers.
        loader.restart()?;
        loader.wire.write(reg::BOOT, 1, u32::MAX)?;
    }
    let total = words.len();
    let wanted: Vec<u32> = words.iter().map(|(_, word)| *word).collect();
    let written = loader.windows(&words, true, &mut |done| {
        progress(Phase::Writing, done, total)
    })?;
    loader.same(&words, &written)?;
    let read = loader.windows(&words, false, &mut |done| {
        progress(Phase::Reading, done, total)
    })?;
    loader.same(&words, &read)?;
    let crc = checksum(&read);
    ensure!(
        crc == checksum(&wanted),
        "the CRC-32 of the board's RAM is not that of the ELF"
    );
    loader.held()?;
    loader.restart()?;
    Ok(Loaded {
        bytes: 4 * total as u64,
        crc,
        ram_bytes,
        repeated: loader.repeated,
    })
}

fn checksum(words: &[u32]) -> u32 {
    let mut digest = CRC.digest();
    words
        .iter()
        .for_each(|word| digest.update(&word.to_le_bytes()));
    digest.finalize()
}

struct Loader<'a> {
    wire: Wire<'a>,
    padding: usize,
    /// The longest that an answer took.
    slowest: Duration,
    repeated: u64,
    rounds: u64,
}

impl Loader<'_> {
    fn name(&mut self) -> String {
        self.wire.link().name()
    }

    /// What the board has still to do for a recording.
    fn busy(&mut self) -> Result<Option<&'static str>> {
        let status = self.wire.read(reg::STATUS)?;
        if status & reg::STATUS_RECORDING != 0 {
            return Ok(Some("is recording"));
        }
        let ended = status & reg::STATUS_ENDED != 0;
        let sent = status & reg::STATUS_END_SENT != 0;
        let kept = self.wire.read(reg::CONTROL)? & link::CONTROL_ACKNOWLEDGED != 0
            && self.wire.read(link::KEPT)? != self.wire.read(link::WRITTEN)?;
        let undrained = ended && (!sent || kept);
        Ok(undrained.then_some("has a recording that nobody has taken yet"))
    }

    /// The SoC is still held: nobody reset the board meanwhile.
    fn held(&mut self) -> Result<()> {
        let held = self.wire.read(reg::BOOT)? == 1;
        ensure!(held, "{}", was_reset(&self.name()));
        Ok(())
    }

    /// Restarts the board. Its answer may be lost with everything else.
    fn restart(&mut self) -> Result<()> {
        let mut breaks = 0;
        for _ in 0..ATTEMPTS {
            let told = self.wire.burst(&[(reg::BOOT, Some(0))], 0);
            let result = told.and_then(|()| {
                self.wire.next(RESTART)?;
                self.wire.burst(&[], 4)
            });
            if let Err(error) = result {
                self.wire.mend(error, &mut breaks)?;
                continue;
            }
            if self.wire.read(reg::BOOT)? == 0 {
                self.wire.forget();
                return Ok(());
            }
        }
        bail!("the board at {} does not restart", self.name())
    }

    /// Writes, or reads, all words; gives what the board has in their places.
    fn windows(
        &mut self,
        words: &[(u32, u32)],
        write: bool,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<u32>> {
        let base = |offset: u32| offset & reg::LOAD_BASE_MASK;
        let mut found = Vec::with_capacity(words.len());
        for window in words.chunk_by(|a, b| base(a.0) == base(b.0)) {
            let first = base(window[0].0);
            self.wire.write(reg::LOAD_BASE, first, u32::MAX)?;
            let commands: Vec<_> = window
                .iter()
                .map(|&(offset, word)| {
                    let number = reg::LOAD + ((offset - first) / 4) as u8;
                    (number, write.then_some(word))
                })
                .collect();
            found.extend(self.exchange(&commands)?);
            progress(found.len());
        }
        Ok(found)
    }

    /// Each command with its answer; registers are different.
    fn exchange(&mut self, commands: &[(u8, Option<u32>)]) -> Result<Vec<u32>> {
        let mut answers: Vec<Option<u32>> = vec![None; commands.len()];
        let (mut attempts, mut breaks) = (0, 0);
        loop {
            let missing: Vec<_> = commands
                .iter()
                .zip(&answers)
                .filter(|(_, answer)| answer.is_none())
                .map(|(command, _)| *command)
                .collect();
            if missing.is_empty() {
                return Ok(answers.into_iter().flatten().collect());
            }
            let mut came = 0;
            let mut take = |register: u8, value: u32| {
                let place = commands.iter().position(|(own, _)| *own == register);
                if let Some(answer) = place.map(|at| &mut answers[at]) {
                    came += usize::from(answer.is_none());
                    *answer = Some(value);
                }
            };
            if let Err(error) = self.round(&missing, attempts, &mut take) {
                self.wire.mend(error, &mut breaks)?;
            }
            self.repeated += (missing.len() - came) as u64;
            if 4 * came < 3 * missing.len() {
                self.padding = (2 * self.padding).min(MOST_PADDING);
            }
            if came > 0 {
                (attempts, breaks) = (0, 0);
            } else {
                attempts += 1;
            }
            if attempts == ATTEMPTS {
                let name = self.name();
                bail!("the board at {name} no longer answers; is it still powered?");
            }
        }
    }

    /// Sends commands, and takes answers until no more can come.
    fn round(
        &mut self,
        commands: &[(u8, Option<u32>)],
        attempts: u32,
        take: &mut dyn FnMut(u8, u32),
    ) -> Result<()> {
        let longest = self.wire.patience() / ATTEMPTS;
        let limit = match self.slowest {
            Duration::ZERO => longest,
            slowest => longest.min(LEAST_WAIT.max(8 * slowest) * (1 << attempts)),
        };
        // Answers come in order: the one to a last question tells that there are no others. It is asked
        // twice, since it can be lost, too; the next round asks another, so that the second answer does
        // not end it.
        self.rounds += 1;
        let last = [reg::BOOT, reg::BOARD][self.rounds as usize % 2];
        let all = [commands, &[(last, None); 2]].concat();
        let (mut sent, mut answered) = (0, 0);
        for slice in all.chunks(SLICE) {
            self.wire.burst(slice, self.padding)?;
            sent += slice.len();
            // A board that is slow is not buried.
            let unheard = if sent < all.len() { UNHEARD } else { 1 };
            while sent - answered > unheard {
                let Some(register) = self.hear(limit, take)? else {
                    break;
                };
                let place = all.iter().position(|(own, _)| *own == register);
                answered = place.map_or(answered, |place| answered.max(place + 1));
            }
        }
        Ok(())
    }

    /// Takes the next answer, if it comes in time; gives its register.
    fn hear(&mut self, limit: Duration, take: &mut dyn FnMut(u8, u32)) -> Result<Option<u8>> {
        let began = self.wire.link().now();
        loop {
            let waited = self.wire.link().now().saturating_sub(began);
            let left = limit.saturating_sub(waited);
            if left.is_zero() {
                return Ok(None);
            }
            let Some(Event::Frame(frame)) = self.wire.next(left)? else {
                continue;
            };
            if let Some((register, value)) = frame.reply() {
                let waited = self.wire.link().now().saturating_sub(began);
                self.slowest = self.slowest.max(waited).max(Duration::from_micros(1));
                take(register, value);
                return Ok(Some(register));
            }
        }
    }

    /// RAM has what it should have.
    fn same(&mut self, words: &[(u32, u32)], found: &[u32]) -> Result<()> {
        let different = words
            .iter()
            .zip(found)
            .find(|((_, word), own)| word != *own);
        let Some(((offset, word), own)) = different else {
            return Ok(());
        };
        // After a reset the window is closed.
        self.held()?;
        bail!(
            "the board's RAM does not keep what is written: the word at offset {offset:#x} is \
             {own:#010x}, not {word:#010x}, and so may others of {}",
            count(words.len() as u64)
        )
    }
}

fn was_reset(name: &str) -> String {
    format!("the board at {name} was reset while it was loaded: load again")
}

#[cfg(test)]
mod tests;
