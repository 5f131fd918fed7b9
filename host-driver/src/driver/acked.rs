//! Draining over an acknowledged link: section 5.1 of the format, the host's part.
//!
//! Whatever happens on the way, the next byte that is wanted is asked for until it comes, and
//! nothing is acknowledged before it is on disk. One command is under way at a time, because a
//! board need not obey a second one.

mod command;

use super::arm::{Armed, State};
use super::disk::Sink;
use super::drain::PULLING;
use super::file::Recording;
use super::stream::{Place, Stream};
use super::summary::Summary;
use super::wire::{Event, Wire};
use super::{Settings, Watcher};
use anyhow::Result;
use lookback_log_format::container::Chunk;
use lookback_log_format::frame::{kind, End, Frame};
use lookback_log_format::link::{self, widen, Placed};
use lookback_log_format::registers as reg;
use std::time::{Duration, Instant};

/// How long one look at the link takes at most, so that Ctrl-C is soon seen.
const LOOK: Duration = Duration::from_millis(50);
/// What was not answered after this is asked again.
const RETRY: Duration = Duration::from_millis(250);
/// What waits for the disk waits no longer than this before the disk is asked.
const SYNC: Duration = Duration::from_millis(200);

/// A log of which nothing arrives is given up after so many times the patience for a silent board.
const STUCK: u32 = 3;

/// A connection that breaks so often without a piece of the log between is given up.
const MOST_BREAKS: u32 = 100;

/// So many answers that it neither records nor has ended mean that a board does not.
const IDLE_ANSWERS: u32 = 4;

/// What is known when draining begins, or begins again.
pub(super) struct Begin {
    /// CONTROL as the board has it.
    pub control: u32,
    /// STREAM as the board must have it.
    pub name: u32,
    /// Size of the board's ring.
    pub ring_bytes: u64,
    /// What is in the file.
    pub stream: Stream,
    /// What was counted in the file.
    pub summary: Summary,
}

/// Why draining is over.
enum Over {
    /// The board said so, and everything has arrived.
    Ended(End),
    /// What is not here is nowhere.
    Gone(String),
    /// The board may still have the rest.
    Paused(String),
    /// The board took the bit for acknowledgements and does not know it.
    Plain,
}

/// What the board has said about its end.
#[derive(Default)]
struct Finish {
    end: Option<End>,
    all_here: bool,
    sum: Option<u32>,
    /// The sum is right, or it is certain that it is not.
    certain: bool,
}

/// A command whose answer is due.
#[derive(Clone, Copy)]
struct Asked {
    register: u8,
    value: Option<u32>,
    since: Duration,
    /// Frames that had ended then.
    ended: u64,
}

struct Acked<'w, 'l, 'f, W> {
    wire: &'w mut Wire<'l>,
    file: &'f mut Recording<W>,
    begin: Begin,
    /// KEPT, as far as the board has said.
    kept: u64,
    /// The command under way.
    command: Option<Asked>,
    /// SENT must be written.
    resend: bool,
    /// KEPT must be read: something may be gone.
    look_back: bool,
    /// STREAM must be read: the board does not do what it should.
    doubt: bool,
    /// Ring mode: where the stream begins is not known before its end.
    adrift: bool,
    finish: Finish,
    /// Frames that went missing, which only a link without offsets has to know.
    missing: Option<Event>,
    stopping: bool,
    stopped: bool,
    nudges: u32,
    idle_answers: u32,
    last_progress: Duration,
    last_nudge: Duration,
    /// Frames that had ended at the later of the two.
    ended: u64,
    /// Since when the board is known to have bytes of which none arrives.
    stuck_since: Option<Duration>,
    last_sync: Duration,
    /// How often the connection broke one after the other, and when it last did.
    breaks: (u32, Duration),
    position: u64,
    /// Cycles and bytes at the beginning.
    line_began: Option<(u64, u64)>,
    armed: Armed,
    /// The host's trigger must be pulled.
    pull: bool,
}

/// Drains a recording that runs; `None` if the board sends its log without offsets.
pub(super) fn drain<W: Sink>(
    wire: &mut Wire<'_>,
    file: &mut Recording<W>,
    begin: Begin,
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<Option<Summary>> {
    let began = Instant::now();
    let now = wire.link().now();
    let bytes = wire.traffic().bytes;
    let line_began = wire.link().cycles().map(|(cycles, _)| (cycles, bytes));
    let adrift = begin.control & reg::CONTROL_RING != 0 && begin.stream.wanted == 0;
    let mut drain = Acked {
        wire,
        file,
        kept: begin.stream.safe,
        begin,
        command: None,
        resend: !adrift,
        look_back: false,
        doubt: false,
        adrift,
        finish: Finish::default(),
        missing: None,
        stopping: false,
        stopped: false,
        nudges: 0,
        idle_answers: 0,
        last_progress: now,
        last_nudge: now,
        ended: 0,
        stuck_since: None,
        last_sync: now,
        breaks: (0, now),
        position: 0,
        line_began,
        armed: Armed::default(),
        pull: false,
    };
    drain.begin.summary.ring = drain.begin.control & reg::CONTROL_RING != 0;
    let over = loop {
        if let Some(over) = drain.step(settings, watcher)? {
            break over;
        }
        drain.begin.summary.seconds = began.elapsed().as_secs_f64();
        watcher.progress(&drain.begin.summary);
    };
    drain.take_console(watcher)?;
    if matches!(over, Over::Plain) {
        return Ok(None);
    }
    if let (Some(_), Over::Ended(end)) = (settings.arm, &over) {
        // A small ring is drained before the board is asked again.
        watcher.armed(State::Frozen { by: end.fired });
    }
    let end = drain.close(over)?;
    let mut summary = drain.begin.summary;
    summary.seconds = began.elapsed().as_secs_f64();
    summary.link = drain.wire.traffic();
    summary.file_bytes = drain.file.written();
    summary.finish(end.as_ref());
    Ok(Some(summary))
}

impl<W: Sink> Acked<'_, '_, '_, W> {
    /// One look at the link. An error means that the file cannot be written.
    fn step(&mut self, settings: &Settings, watcher: &mut dyn Watcher) -> Result<Option<Over>> {
        match self.wire.next(LOOK) {
            Ok(Some(Event::Frame(frame))) => {
                if let Some(over) = self.frame(&frame)? {
                    return Ok(Some(over));
                }
            }
            Ok(Some(missing @ Event::Missing { .. })) => self.missing = Some(missing),
            Ok(None) => {}
            Err(error) => {
                if self.wire.worked() {
                    watcher.note(&format!("{error:#}; trying to connect again"));
                }
                let now = self.wire.link().now();
                let lasted = now.saturating_sub(self.breaks.1) > self.wire.patience();
                self.breaks = (if lasted { 1 } else { self.breaks.0 + 1 }, now);
                if self.breaks.0 > MOST_BREAKS {
                    return Ok(Some(Over::Paused(format!(
                        "the connection to {} breaks again and again",
                        self.wire.link().name()
                    ))));
                }
                if let Err(error) = self.wire.reconnect() {
                    return Ok(Some(Over::Paused(format!("{error:#}"))));
                }
                self.command = None;
                self.resend = !self.adrift;
            }
        }
        self.take_console(watcher)?;
        self.begin.summary.link = self.wire.traffic();
        self.stop_if_asked(settings, watcher);
        if settings.arm.is_some() {
            let position = self.position.max(self.wire.link().retired().unwrap_or(0));
            self.armed.tell(position, watcher);
        }
        if watcher.stop_asked() > 1 + u32::from(settings.arm.is_some()) {
            return Ok(Some(Over::Paused("the recording was aborted".into())));
        }
        self.sync()?;
        if let Some(over) = self.over() {
            return Ok(Some(over));
        }
        self.command(settings);
        Ok(None)
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
        if let Some(piece) = Placed::of(frame) {
            self.missing = None;
            self.piece(frame.hart, &piece)?;
        } else if let (kind::END, Ok(end)) = (frame.kind, End::from_bytes(&frame.payload)) {
            self.finish.end = Some(end);
            self.measure_line();
        } else if let Some((register, value)) = frame.reply() {
            return self.reply(register, value);
        } else if frame.kind & !(kind::LOG_FIRST | kind::LOG_LAST) == kind::LOG {
            self.wire.put_back(Event::Frame(frame.clone()));
            if let Some(missing) = self.missing.take() {
                self.wire.put_back(missing);
            }
            return Ok(Some(Over::Plain));
        }
        Ok(None)
    }

    /// How much of the time the line was used, as far as the first END.
    fn measure_line(&mut self) {
        let now = self.wire.link().cycles();
        if let (Some((began, before)), Some((cycles, byte))) = (self.line_began.take(), now) {
            let bytes = self.wire.traffic().bytes - before;
            let busy = (bytes * byte) as f64 / (cycles - began).max(1) as f64;
            self.begin.summary.line_busy = Some(busy);
        }
    }

    fn piece(&mut self, hart: u8, piece: &Placed<'_>) -> Result<()> {
        if self.adrift {
            self.look_back = true;
            return Ok(());
        }
        let Begin {
            stream, summary, ..
        } = &mut self.begin;
        let before = summary.instructions;
        match stream.take(hart, piece, self.file, summary)? {
            Place::Taken => {
                self.last_progress = self.wire.link().now();
                self.ended = self.wire.ended();
                self.stuck_since = None;
                self.breaks.0 = 0;
                self.nudges = 0;
                self.position += summary.instructions - before;
            }
            // Asked once; if nothing comes of it, the next nudge asks again.
            Place::Ahead if self.nudges == 0 => {
                self.nudges = 1;
                self.last_nudge = self.wire.link().now();
                self.resend = true;
            }
            Place::Ahead | Place::Behind => {}
        }
        Ok(())
    }

    fn reply(&mut self, register: u8, value: u32) -> Result<Option<Over>> {
        let asked = self.command.filter(|command| command.register == register);
        if asked.is_some() {
            self.command = None;
        }
        let wish = asked.and_then(|asked| asked.value);
        let refused = wish.is_some_and(|wish| wish != value);
        let wanted = self.begin.stream.wanted;
        match register {
            link::KEPT => {
                self.doubt |= refused;
                self.kept_is(widen(wanted, value))?;
            }
            link::SENT => self.look_back |= refused,
            link::STREAM if value != self.begin.name => {
                let text = if value == 0 {
                    "the board was reset; what it had not sent is lost"
                } else {
                    "the board makes another recording now; what it had not sent is lost"
                };
                return Ok(Some(Over::Gone(text.into())));
            }
            link::STREAM => self.finish.certain |= self.finish.sum.is_some(),
            link::WRITTEN => {
                let all_here = value == wanted as u32;
                if all_here || self.adrift {
                    self.stuck_since = None;
                } else {
                    let now = self.wire.link().now();
                    self.stuck_since.get_or_insert(now);
                }
                self.finish.all_here = all_here && self.finish.end.is_some();
                if !all_here && self.finish.end.is_some() {
                    self.finish.end = None;
                    self.resend = !self.adrift;
                    self.look_back |= self.adrift;
                }
            }
            link::SUM if self.finish.all_here => {
                self.finish.sum = Some(value);
                self.finish.certain = value == self.begin.stream.sum();
                self.doubt |= !self.finish.certain;
            }
            // Pulled for good when the board says so.
            reg::TRIGGER => self.pull &= value & reg::TRIGGER_NOW == 0,
            reg::CONTROL => self.stopped |= value & reg::CONTROL_RECORD == 0,
            reg::STATUS => return Ok(self.status(value)),
            reg::RETIRED_LO => self.position = self.position.max(value.into()),
            _ => {}
        }
        Ok(None)
    }

    fn status(&mut self, status: u32) -> Option<Over> {
        self.armed.status(status);
        self.look_back |= self.adrift && status & reg::STATUS_ENDED != 0;
        // More than once: it may be just about to begin.
        self.idle_answers = match status & (reg::STATUS_RECORDING | reg::STATUS_ENDED) {
            0 => self.idle_answers + 1,
            _ => 0,
        };
        let text = "the board does not record, and has no end to tell";
        (self.idle_answers >= IDLE_ANSWERS).then(|| Over::Gone(text.into()))
    }

    fn kept_is(&mut self, kept: u64) -> Result<()> {
        self.kept = kept;
        let wanted = self.begin.stream.wanted;
        if self.adrift {
            self.adrift = false;
            self.resend = true;
            if kept > wanted {
                self.begin.stream.jump(kept, self.file)?;
            }
        } else if kept > wanted {
            let text = format!(
                "{} bytes of the log are gone: the board no longer has them",
                kept - wanted
            );
            self.begin.stream.jump(kept, self.file)?;
            self.loss(&text)?;
            self.resend = true;
        }
        Ok(())
    }

    fn loss(&mut self, text: &str) -> Result<()> {
        self.begin.summary.losses.push(text.into());
        self.file.put(&Chunk::Loss {
            hart: 0,
            frames: 0,
            text: text.into(),
        })
    }

    fn stop_if_asked(&mut self, settings: &Settings, watcher: &mut dyn Watcher) {
        if self.stopping {
            return;
        }
        let position = self.position.max(self.wire.link().retired().unwrap_or(0));
        let enough = settings.max_instructions.is_some_and(|max| position >= max);
        let armed = u32::from(settings.arm.is_some());
        if armed == 1 && watcher.stop_asked() > 0 && !self.armed.pulled {
            self.armed.pulled = true;
            self.pull = true;
            watcher.note(PULLING);
        }
        if enough || watcher.stop_asked() > armed {
            watcher.note(if enough {
                "enough instructions: stopping, and draining what the board still holds"
            } else {
                "stopping, and draining what the board still holds (Ctrl-C again to abort)"
            });
            self.stopping = true;
        }
    }

    /// Gets bytes to the disk, and learns which are there.
    fn sync(&mut self) -> Result<()> {
        let stream = &mut self.begin.stream;
        let waiting = stream.unsafe_bytes();
        let now = self.wire.link().now();
        let due = now.saturating_sub(self.last_sync) >= SYNC || self.finish.end.is_some();
        if waiting >= self.begin.ring_bytes / 4 || waiting > 0 && due {
            stream.write(false, self.file)?;
            self.file.begin_sync()?;
            self.last_sync = now;
        }
        stream.on_disk(self.file.on_disk()?);
        Ok(())
    }

    fn over(&mut self) -> Option<Over> {
        if let Some(end) = self.finish.end.filter(|_| self.finish.certain) {
            return Some(Over::Ended(end));
        }
        let silence = self.wire.silence();
        let patience = self.wire.patience();
        if silence > patience {
            return Some(Over::Paused(format!(
                "the board fell silent: nothing came for {} s, not even an answer",
                silence.as_secs()
            )));
        }
        let stuck = self.wire.link().now() - self.stuck_since?;
        let traffic = self.wire.traffic();
        (stuck > patience * STUCK).then(|| {
            Over::Paused(format!(
                "the board answers, but no piece of its log came whole for {} s ({} of {} frames came \
                 damaged): check the cable",
                stuck.as_secs(),
                traffic.damaged,
                traffic.damaged + traffic.frames
            ))
        })
    }

    /// Writes the end, or why there is none.
    fn close(&mut self, over: Over) -> Result<Option<End>> {
        self.begin.stream.write(false, self.file)?;
        let end = match over {
            Over::Ended(end) => {
                let (ours, theirs) = (self.begin.stream.sum(), self.finish.sum.unwrap_or(0));
                if ours != theirs {
                    self.loss(&format!(
                        "the digest of the whole stream is {ours:08x} here and {theirs:08x} at the board"
                    ))?;
                }
                self.file.put(&Chunk::End(end))?;
                Some(end)
            }
            Over::Gone(text) => {
                self.loss(&text)?;
                None
            }
            Over::Paused(text) => {
                self.begin.summary.losses.push(text);
                self.begin.summary.resumable = true;
                None
            }
            Over::Plain => None,
        };
        self.file.finish()?;
        if end.is_some() {
            // Only now the board may forget. If it does not hear this, it keeps what nobody needs.
            let wanted = self.begin.stream.wanted as u32;
            let _ = self.wire.tell(link::KEPT, wanted);
        }
        Ok(end)
    }
}
