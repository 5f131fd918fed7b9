//! The one driver of recorders, on real boards and simulated ones: asks who is there, sets up,
//! starts, and writes down what comes until the board says that it is complete.
//!
//! [`wire`] speaks frames, [`drain`] turns them into chunks, [`mod@file`] keeps them.

pub mod breach;
pub mod drain;
pub mod ending;
pub mod file;
pub mod summary;
pub mod wire;

use crate::transport::Link;
use anyhow::{bail, Context, Result};
use file::Recording;
use lookback_log_format::config::{count_bits_for, CONFIG_REGISTERS};
use lookback_log_format::{registers as reg, RecorderConfig};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::time::Duration;
use summary::Summary;
use wire::{Event, Wire};

/// How the recorder is to be set up.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Instructions an interval.
    pub interval: u32,
    /// Whether the recorder may hold the hart rather than lose events.
    pub may_stall: bool,
    /// Whether the results of multiplications and divisions are logged, to be compared on replay; only
    /// a recorder at a user's core can.
    pub log_results: bool,
    /// Memory that equals the ELF when the recording begins.
    pub window: Range<u32>,
    /// After about so many instructions the recording is stopped.
    pub max_instructions: Option<u64>,
    /// How long a board may say nothing.
    pub patience: Duration,
}

/// Whoever looks on while a recording is made.
pub trait Watcher {
    /// The firmware wrote to its console.
    fn console(&mut self, bytes: &[u8]);
    /// The recording has grown.
    fn progress(&mut self, so_far: &Summary);
    /// Something that the user should know at once.
    fn note(&mut self, text: &str);
    /// How often the user asked to stop: once for cleanly, twice for now.
    fn stop_asked(&self) -> u32;
}

/// Records a whole run. `create` makes the file once the board has said who it is.
pub fn record<W: Write>(
    link: &mut dyn Link,
    settings: &Settings,
    create: impl FnOnce(RecorderConfig) -> Result<Recording<W>>,
    watcher: &mut dyn Watcher,
) -> Result<Summary> {
    let mut wire = Wire::new(link, settings.patience);
    let config = prepare(&mut wire, settings, watcher)?;
    let control = config.control;
    let mut recording = create(config)?;
    let start = control | reg::CONTROL_RECORD;
    wire.forget();
    wire.write(reg::CONTROL, start, reg::CONTROL_RECORD)
        .context("the board was set up, but could not be started")?;
    drain::drain(&mut wire, &mut recording, control, settings, watcher)
}

/// Makes a recording of a stream that was, or is being, caught at a recorder: one that was started on
/// its own board, so that it begins with the recorder's configuration.
pub fn record_stream<W: Write>(
    link: &mut dyn Link,
    create: impl FnOnce(RecorderConfig) -> Result<Recording<W>>,
    watcher: &mut dyn Watcher,
) -> Result<Summary> {
    let name = link.name();
    let mut wire = Wire::new(link, Duration::MAX);
    let mut values = BTreeMap::new();
    let (config, first) = loop {
        let event = wire.next(Duration::MAX);
        let event = event.with_context(|| {
            format!(
                "{name} holds no recording: no log follows {} register values",
                values.len()
            )
        })?;
        match event {
            Some(Event::Frame(frame)) => match frame.reply() {
                Some((register, value)) => drop(values.insert(register, value)),
                None => {
                    let config = RecorderConfig::from_registers(|r| values.get(&r).copied());
                    break (config, Event::Frame(frame));
                }
            },
            // What is missing before the log is missed in the configuration.
            Some(Event::Missing { .. }) | None => {}
        }
    };
    let config = config.with_context(|| {
        format!(
            "{name} does not begin with the recorder's configuration, which a recorder sends when it \
             is started over its Wishbone port; catch the stream from before that on"
        )
    })?;
    let settings = Settings {
        interval: config.interval,
        may_stall: config.control & reg::CONTROL_MAY_STALL != 0,
        log_results: config.logs_results(),
        window: config.image_lo..config.image_hi,
        max_instructions: None,
        patience: Duration::MAX,
    };
    let control = config.control;
    let mut recording = create(config)?;
    wire.put_back(first);
    drain::drain(&mut wire, &mut recording, control, &settings, watcher)
}

/// Identifies a board, ends what it may still be recording, and sets it up.
fn prepare(
    wire: &mut Wire<'_>,
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<RecorderConfig> {
    wire.identify()?;
    let status = wire.read(reg::STATUS)?;
    let draining = status & reg::STATUS_ENDED != 0 && status & reg::STATUS_END_SENT == 0;
    if status & reg::STATUS_RECORDING != 0 || draining {
        watcher.note("the board was still busy with an earlier recording, which is stopped");
        wire.write(reg::CONTROL, 0, reg::CONTROL_RECORD)?;
        discard_until_quiet(wire)?;
    }
    let mut control = 0;
    if settings.may_stall {
        control |= reg::CONTROL_MAY_STALL;
    }
    if settings.log_results {
        if wire.read(reg::PORT)? & reg::PORT_ATTACHED == 0 {
            bail!(
                "results are logged for comparison (--check) by recorders at a core of your own; the \
                 one at {} is at Lookback's own hart: record without it",
                wire.link().name()
            );
        }
        control |= reg::CONTROL_LOG_RESULTS;
    }
    let count_bits = count_bits_for(settings.interval);
    for (register, value) in [
        (reg::CONTROL, control),
        (reg::COUNT_BITS, count_bits.into()),
        (reg::INTERVAL, settings.interval),
        (reg::IMAGE_LO, settings.window.start),
        (reg::IMAGE_HI, settings.window.end),
        (reg::POST_TRIGGER, 0),
    ] {
        wire.write(register, value, u32::MAX)?;
    }
    let mut values = BTreeMap::new();
    for register in CONFIG_REGISTERS {
        values.insert(register, wire.read(register)?);
    }
    RecorderConfig::from_registers(|register| values.get(&register).copied()).with_context(|| {
        format!(
            "the recorder at {} cannot be used with this program",
            wire.link().name()
        )
    })
}

/// Reads on until the END of a recording that nobody wants.
fn discard_until_quiet(wire: &mut Wire<'_>) -> Result<()> {
    use lookback_log_format::frame::kind;
    let quiet = wire.patience() / 4;
    while let Some(event) = wire.next(quiet)? {
        if matches!(&event, Event::Frame(frame) if frame.kind == kind::END) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
