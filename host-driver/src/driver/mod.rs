//! The one driver of recorders, on real boards and simulated ones: asks who is there, sets up,
//! starts, and writes down what comes until the board says that it is complete.
//!
//! [`wire`] speaks frames, `acked` and `drain` turn them into chunks, with and without
//! acknowledgements, [`mod@file`] keeps them.

mod acked;
pub mod arm;
pub mod breach;
pub mod disk;
mod drain;
pub mod ending;
pub mod file;
pub mod load;
mod parcels;
pub mod past;
pub mod stream;
pub mod summary;
pub mod wire;

use crate::transport::Link;
use anyhow::{bail, Context, Result};
use arm::Arm;
use disk::Sink;
use file::Recording;
use lookback_log_format::config::{
    count_bits_for, COMPACT_REGISTERS, CONFIG_REGISTERS, ORDER_REGISTERS, TRIGGER_REGISTERS,
};
use lookback_log_format::order::OrderMode;
use lookback_log_format::{link, registers as reg, RecorderConfig};
use past::Past;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;
use stream::Stream;
use summary::Summary;
use wire::{Event, Wire};

/// Number of codec `compact` in VERSION.
const CODEC_COMPACT: u8 = 2;

/// How the recorder is to be set up.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Instructions an interval.
    pub interval: u32,
    /// The same with codec `compact`.
    pub compact_interval: u32,
    /// Whether the recorder may hold the hart rather than lose events.
    pub may_stall: bool,
    /// Whether the results of multiplications and divisions are logged, to be compared on replay; only
    /// a recorder at a user's core can.
    pub log_results: bool,
    /// Memory that holds code and equals the ELF when the recording begins.
    pub window: Range<u32>,
    /// The same with its data, for codec `compact`.
    pub loaded: Range<u32>,
    /// Intervals a key group, with codec `compact`.
    pub key: u16,
    /// The recorder keeps the last instructions in its ring and waits for a trigger.
    pub arm: Option<Arm>,
    /// What is logged of the order of several harts.
    pub order: OrderMode,
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
    /// What an armed recorder does.
    fn armed(&mut self, _: arm::State) {}
    /// Something that the user should know at once.
    fn note(&mut self, text: &str);
    /// How often the user asked to stop: once for cleanly, twice for now.
    fn stop_asked(&self) -> u32;
}

/// Records a whole run. `create` makes the file once the board has said who it is.
pub fn record<W: Sink>(
    port: &mut dyn Link,
    settings: &Settings,
    create: impl FnOnce(RecorderConfig) -> Result<Recording<W>>,
    watcher: &mut dyn Watcher,
) -> Result<Summary> {
    let mut wire = Wire::new(port, settings.patience);
    let config = prepare(&mut wire, settings, watcher)?;
    let (control, harts) = (config.control, config.harts);
    let ring_bytes = 1 << config.ring_bits.min(31);
    let mut recording = create(config)?;
    let start = control | reg::CONTROL_RECORD;
    let name = choose_name();
    let acknowledged = control & link::CONTROL_ACKNOWLEDGED != 0;
    if acknowledged {
        wire.write(link::STREAM, name, u32::MAX)?;
        recording.stream(name)?;
    }
    wire.forget();
    wire.write(reg::CONTROL, start, reg::CONTROL_RECORD)
        .context("the board was set up, but could not be started")?;
    if !acknowledged {
        return drain::drain(
            &mut wire,
            &mut recording,
            (control, harts),
            settings,
            watcher,
        );
    }
    // A reset since it was named would have undone the settings, too.
    if wire.read(link::STREAM)? != name {
        bail!(
            "the board at {} was reset while it was started",
            wire.link().name()
        );
    }
    // What came before the answer may be an earlier recording's; what is not comes again.
    wire.forget_placed();
    let begin = acked::Begin {
        control: start,
        name,
        ring_bytes,
        stream: Stream::new(harts),
        summary: Summary::new(recording.path()),
    };
    match acked::drain(&mut wire, &mut recording, begin, settings, watcher)? {
        Some(summary) => Ok(summary),
        None => drain::drain(
            &mut wire,
            &mut recording,
            (control, harts),
            settings,
            watcher,
        ),
    }
}

/// Goes on with a recording that was cut off, where the board still has the rest. The file is opened
/// only then: whatever else the board says, it stays as it is.
pub fn resume<W: Sink>(
    port: &mut dyn Link,
    settings: &Settings,
    (path, past): (&Path, Past),
    open: impl FnOnce(&Past) -> Result<Recording<W>>,
    watcher: &mut dyn Watcher,
) -> Result<Summary> {
    let mut wire = Wire::new(port, settings.patience);
    wire.identify()?;
    let name = wire.read(link::STREAM)?;
    if name != past.name {
        bail!(
            "the board at {} no longer has the rest of {}: it {}. What is in the file stays as it is",
            wire.link().name(),
            path.display(),
            if name == 0 {
                "was reset since"
            } else {
                "makes, or made, another recording"
            }
        );
    }
    if wire.read(reg::STATUS)? & (reg::STATUS_RECORDING | reg::STATUS_ENDED) == 0 {
        bail!(
            "the recording in {} never began on the board at {}: record again",
            path.display(),
            wire.link().name()
        );
    }
    let mut recording = open(&past)?;
    let begin = acked::Begin {
        control: wire.read(reg::CONTROL)?,
        name,
        ring_bytes: 1 << past.config.ring_bits.min(31),
        stream: past.stream,
        summary: past.summary,
    };
    acked::drain(&mut wire, &mut recording, begin, settings, watcher)?
        .context("the board sends its log without offsets, so it cannot be resumed")
}

/// A number that no other recording is likely to have.
fn choose_name() -> u32 {
    let random = RandomState::new().hash_one(std::process::id());
    (random as u32).max(1)
}

/// Makes a recording of a stream that was, or is being, caught at a recorder: one that was started on
/// its own board, so that it begins with the recorder's configuration.
pub fn record_stream<W: Sink>(
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
        compact_interval: config.interval,
        may_stall: config.control & reg::CONTROL_MAY_STALL != 0,
        log_results: config.logs_results(),
        window: config.image_lo..config.image_hi,
        loaded: config.image_lo..config.image_hi,
        key: config.compact().map_or(1, |compact| compact.key),
        arm: None,
        order: config
            .order
            .map_or_else(OrderMode::default, |order| order.mode),
        max_instructions: None,
        patience: Duration::MAX,
    };
    let begin = (config.control, config.harts);
    let mut recording = create(config)?;
    wire.put_back(first);
    drain::drain(&mut wire, &mut recording, begin, &settings, watcher)
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
    let mut control = link::CONTROL_ACKNOWLEDGED;
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
    control |= settings.arm.map_or(0, |arm| arm.control());
    // A board without an acknowledged link leaves that bit 0. So does one that is reset just now,
    // but not twice.
    let mut accepted = wire.write(reg::CONTROL, control, !link::CONTROL_ACKNOWLEDGED)?;
    if accepted & link::CONTROL_ACKNOWLEDGED == 0 {
        accepted = wire.write(reg::CONTROL, control, !link::CONTROL_ACKNOWLEDGED)?;
    }
    let compact = (wire.read(reg::VERSION)? >> 16) as u8 == CODEC_COMPACT;
    let window = if compact {
        wire.write(reg::KEY, settings.key.into(), u32::MAX)?;
        &settings.loaded
    } else {
        &settings.window
    };
    let interval = match compact {
        true => settings.compact_interval,
        false => settings.interval,
    };
    for (register, value) in [
        (reg::COUNT_BITS, count_bits_for(interval).into()),
        (reg::INTERVAL, interval),
        (reg::IMAGE_LO, window.start),
        (reg::IMAGE_HI, window.end),
    ] {
        wire.write(register, value, u32::MAX)?;
    }
    settings.arm.unwrap_or_default().set_up(wire)?;
    let order = if wire.read(reg::VERSION)? >> 24 > 1 {
        wire.read(reg::ORDER)?
    } else {
        0
    };
    if order != 0 {
        // What is not there reads 0.
        let mode = settings.order.register() & order >> 24;
        wire.write(reg::ORDER_MODE, mode, u32::MAX)?;
    }
    let mut values = BTreeMap::new();
    // With codec bugnet it tells the kind of the tags, and reads 0 where there is but one.
    let kind = wire.read(reg::COMPACT)?;
    let more = COMPACT_REGISTERS
        .into_iter()
        .filter(|&register| compact || register == reg::COMPACT && kind != 0);
    let more = more.chain(ORDER_REGISTERS.into_iter().filter(|_| order != 0));
    let triggers = TRIGGER_REGISTERS
        .into_iter()
        .filter(|_| settings.arm.is_some());
    for register in CONFIG_REGISTERS.into_iter().chain(more).chain(triggers) {
        values.insert(register, wire.read(register)?);
    }
    if values.get(&reg::CONTROL) != Some(&accepted) {
        bail!(
            "the board at {} forgot its settings while it was set up: was it reset?",
            wire.link().name()
        );
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
mod fault_tests;
#[cfg(test)]
mod tests;
