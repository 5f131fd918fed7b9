//! From the start of a recording to its end: frames in, chunks out, nothing received is lost.

use super::arm::{Armed, State};
use super::disk::Sink;
use super::file::Recording;
use super::summary::Summary;
use super::wire::{Event, Wire};
use super::{Settings, Watcher};
use anyhow::Result;
use lookback_log_format::container::Chunk;
use lookback_log_format::frame::{kind, End, Frame};
use lookback_log_format::interval::Record;
use lookback_log_format::parcel;
use lookback_log_format::registers as reg;
use lookback_log_format::stream::{Assembler, Broken, Item};
use std::time::{Duration, Instant};

/// How long one look at the link takes at most, so that Ctrl-C is soon seen.
const LOOK: Duration = Duration::from_millis(100);
/// A board that says nothing for so long is asked whether it is still there.
const POLL: Duration = Duration::from_millis(500);
/// So many answers "END is sent" or "not recording" without an END mean that it was lost.
const IDLE_ANSWERS: u32 = 4;

/// What a user is told who asked to stop an armed recorder.
pub(super) const PULLING: &str =
    "the host's trigger: the board freezes after its next instructions (Ctrl-C again to stop it at once)";

/// Why draining is over.
enum Over {
    /// The board said so.
    Ended(End),
    /// Something broke; the text says what.
    Broken(String),
}

struct Drain<'w, 'l, 'f, W> {
    wire: &'w mut Wire<'l>,
    file: &'f mut Recording<W>,
    harts: Vec<Assembler>,
    summary: Summary,
    next_index: Vec<u32>,
    /// CONTROL without its record bit: writing it stops the recording.
    control: u32,
    /// The records of several harts come in parcels.
    parcels: bool,
    stopping: bool,
    idle_answers: u32,
    last_poll: Duration,
    /// Retirements so far, as far as anything has told.
    position: u64,
    armed: Armed,
}

/// Drains a recording that has just been started.
pub(super) fn drain<W: Sink>(
    wire: &mut Wire<'_>,
    file: &mut Recording<W>,
    (control, harts): (u32, u8),
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<Summary> {
    let began = Instant::now();
    let last_poll = wire.link().now();
    let mut drain = Drain {
        summary: Summary::new(file.path()),
        wire,
        file,
        harts: Vec::new(),
        next_index: Vec::new(),
        control,
        parcels: harts > 1,
        stopping: false,
        idle_answers: 0,
        last_poll,
        position: 0,
        armed: Armed::default(),
    };
    drain.summary.ring = control & reg::CONTROL_RING != 0;
    let over = loop {
        match drain.step(settings, watcher) {
            Ok(Some(over)) => break over,
            Ok(None) => {
                drain.summary.seconds = began.elapsed().as_secs_f64();
                watcher.progress(&drain.summary);
            }
            Err(error) => {
                // The board must not wait for a host that cannot write; it may be gone as well.
                let _ = drain
                    .wire
                    .tell(reg::CONTROL, control & !reg::CONTROL_RECORD);
                return Err(error);
            }
        }
    };
    drain.take_console(watcher)?;
    if let (Some(_), Over::Ended(end)) = (settings.arm, &over) {
        // A small ring is drained before the board is asked again.
        watcher.armed(State::Frozen { by: end.fired });
    }
    let end = drain.close(over)?;
    drain.summary.seconds = began.elapsed().as_secs_f64();
    drain.summary.link = drain.wire.traffic();
    drain.summary.file_bytes = drain.file.written();
    drain.summary.finish(end.as_ref());
    Ok(drain.summary)
}

impl<W: Sink> Drain<'_, '_, '_, W> {
    /// One look at the link. An error means that the file cannot be written.
    fn step(&mut self, settings: &Settings, watcher: &mut dyn Watcher) -> Result<Option<Over>> {
        let event = match self.wire.next(LOOK) {
            Ok(event) => event,
            // What was under way is lost, which the numbers of the next frames tell.
            Err(error) => {
                if self.wire.worked() {
                    watcher.note(&format!("{error:#}; trying to connect again"));
                }
                if self.wire.reconnect().is_err() {
                    return Ok(Some(Over::Broken(format!("{error:#}"))));
                }
                None
            }
        };
        self.take_console(watcher)?;
        match event {
            Some(Event::Frame(frame)) => {
                if let Some(over) = self.frame(&frame)? {
                    return Ok(Some(over));
                }
            }
            Some(Event::Missing { frames }) => self.missing(frames)?,
            None => {}
        }
        self.summary.link = self.wire.traffic();
        self.stop_if_asked(settings, watcher);
        if watcher.stop_asked() > 1 + u32::from(settings.arm.is_some()) {
            return Ok(Some(Over::Broken("the recording was aborted".into())));
        }
        if settings.arm.is_some() {
            let instructions = self.instructions();
            self.armed.tell(instructions, watcher);
        }
        Ok(self.poll(settings))
    }

    fn take_console(&mut self, watcher: &mut dyn Watcher) -> Result<()> {
        let bytes = self.wire.link().take_console();
        if !bytes.is_empty() {
            self.file.console(&bytes)?;
            watcher.console(&bytes);
        }
        Ok(())
    }

    fn frame(&mut self, frame: &Frame) -> Result<Option<Over>> {
        match frame.kind {
            kind if kind & !(kind::LOG_FIRST | kind::LOG_LAST) == kind::LOG => {
                self.idle_answers = 0;
                if !self.parcels {
                    return self.log(frame);
                }
                match parcel::open(frame) {
                    Ok(frame) => return self.log(&frame),
                    Err(error) => self.loss(0, 1, &format!("the board sent {error}"))?,
                }
            }
            kind::END => match End::from_bytes(&frame.payload) {
                Ok(end) => return Ok(Some(Over::Ended(end))),
                Err(error) => self.loss(0, 1, &format!("the END frame is no END: {error}"))?,
            },
            _ => {
                if let Some((register, value)) = frame.reply() {
                    self.reply(register, value);
                }
            }
        }
        Ok(None)
    }

    /// A piece of a hart's log.
    fn log(&mut self, frame: &Frame) -> Result<Option<Over>> {
        let hart = usize::from(frame.hart);
        if hart >= self.harts.len() {
            self.harts.resize_with(hart + 1, Assembler::new);
            self.next_index.resize(hart + 1, 0);
        }
        for item in self.harts[hart].push(frame) {
            self.item(frame.hart, item)?;
        }
        Ok(None)
    }

    fn reply(&mut self, register: u8, value: u32) {
        match register {
            reg::STATUS => {
                self.armed.status(value);
                let recording = value & reg::STATUS_RECORDING != 0;
                let sent = value & reg::STATUS_END_SENT != 0;
                self.idle_answers = if recording && !sent {
                    0
                } else {
                    self.idle_answers + 1
                };
            }
            // The high word is not asked for: a limit beyond 4 G is found from the intervals.
            reg::RETIRED_LO => self.position = self.position.max(value.into()),
            _ => {}
        }
    }

    fn item(&mut self, hart: u8, item: Item) -> Result<()> {
        match item {
            Item::Record { record, bytes } => self.record(hart, record, bytes.len() as u64),
            // In a ring the oldest parcels have given way, in the middle of an interval, too.
            Item::Broken {
                why: Broken::NoStart,
                ..
            } if self.summary.ring && self.parcels && self.is_first_of(hart) => Ok(()),
            Item::Broken { bytes, why } => self.loss(
                hart,
                0,
                &format!(
                    "an interval of hart {hart} is dropped ({bytes} bytes of it arrived): {why}"
                ),
            ),
        }
    }

    fn record(&mut self, hart: u8, record: Record, len: u64) -> Result<()> {
        let index = record.index();
        // What gives way in a ring is no loss; a frame that is missing tells so itself.
        let gave_way = self.summary.ring;
        let expected = std::mem::replace(
            &mut self.next_index[usize::from(hart)],
            index.wrapping_add(1),
        );
        if index != expected && !gave_way {
            self.loss(
                hart,
                0,
                &format!("interval {index} of hart {hart} follows where {expected} was due"),
            )?;
        }
        if let Record::Interval(interval) = &record {
            let instructions = u64::from(interval.trailer.instructions);
            let end = interval.header.retired.saturating_add(instructions);
            self.position = self.position.max(end);
        }
        self.summary.record(&record, len);
        self.file.put(&Chunk::Record { hart, record })
    }

    fn missing(&mut self, frames: u32) -> Result<()> {
        let text = if frames == 0 {
            "the board began to count its frames anew: it was reset".to_string()
        } else {
            format!("{frames} frames did not arrive whole")
        };
        self.loss(0, frames, &text)?;
        for hart in 0..self.harts.len() {
            if let Some(item) = self.harts[hart].lost() {
                self.item(hart as u8, item)?;
            }
        }
        Ok(())
    }

    fn loss(&mut self, hart: u8, frames: u32, text: &str) -> Result<()> {
        self.summary.losses.push(text.into());
        self.file.put(&Chunk::Loss {
            hart,
            frames,
            text: text.into(),
        })
    }

    fn stop_if_asked(&mut self, settings: &Settings, watcher: &mut dyn Watcher) {
        if self.stopping {
            return;
        }
        let position = self.instructions();
        let enough = settings.max_instructions.is_some_and(|max| position >= max);
        let armed = u32::from(settings.arm.is_some());
        if armed == 1 && watcher.stop_asked() > 0 && !self.armed.pulled {
            self.armed.pulled = true;
            watcher.note(PULLING);
            self.pull(settings);
        }
        if enough || watcher.stop_asked() > armed {
            watcher.note(if enough {
                "enough instructions: stopping, and draining what the board still holds"
            } else {
                "stopping, and draining what the board still holds (Ctrl-C again to abort)"
            });
            self.stopping = true;
            self.tell_stop();
        }
    }

    /// Has the board's trigger fire.
    fn pull(&mut self, settings: &Settings) {
        let kinds = settings.arm.map_or(0, |arm| arm.trigger.kinds);
        let _ = self.wire.tell(reg::TRIGGER, kinds | reg::TRIGGER_NOW);
    }

    /// Instructions so far.
    fn instructions(&mut self) -> u64 {
        self.position.max(self.wire.link().retired().unwrap_or(0))
    }

    /// Nothing of this hart is in the file yet.
    fn is_first_of(&self, hart: u8) -> bool {
        self.next_index.get(usize::from(hart)) == Some(&0)
    }

    fn tell_stop(&mut self) {
        // If it cannot be sent, the next look at the link says so.
        let _ = self
            .wire
            .tell(reg::CONTROL, self.control & !reg::CONTROL_RECORD);
    }

    /// Keeps asking a quiet board, and gives up on a silent one.
    fn poll(&mut self, settings: &Settings) -> Option<Over> {
        if self.idle_answers >= IDLE_ANSWERS {
            return Some(Over::Broken(
                "the board no longer records, and its END did not arrive (was it reset?)".into(),
            ));
        }
        let silence = self.wire.silence();
        if silence > self.wire.patience() {
            return Some(Over::Broken(format!(
                "the board fell silent: nothing came for {} s, not even an answer",
                silence.as_secs()
            )));
        }
        let now = self.wire.link().now();
        let counted = settings.max_instructions.is_some() || settings.arm.is_some();
        let limited = counted && self.wire.link().retired().is_none();
        let due = now.saturating_sub(self.last_poll) >= POLL;
        if due && (silence >= POLL || limited || self.stopping || settings.arm.is_some()) {
            self.last_poll = now;
            let _ = self.wire.ask(reg::STATUS);
            if limited {
                let _ = self.wire.ask(reg::RETIRED_LO);
            }
            if self.stopping {
                self.tell_stop();
            } else if self.armed.pulled {
                self.pull(settings);
            }
        }
        None
    }

    /// Writes the end, or the note that there is none.
    fn close(&mut self, over: Over) -> Result<Option<End>> {
        for hart in 0..self.harts.len() {
            if let Some(item) = self.harts[hart].lost() {
                self.item(hart as u8, item)?;
            }
        }
        let end = match over {
            Over::Ended(end) => {
                self.file.put(&Chunk::End(end))?;
                Some(end)
            }
            Over::Broken(text) => {
                self.loss(0, 0, &text)?;
                None
            }
        };
        self.file.finish()?;
        Ok(end)
    }
}
