//! Frames over a link: requests with their answers, and everything else in order of arrival.

use crate::transport::Link;
use anyhow::{bail, Context, Result};
use lookback_log_format::frame::{kind, Frame, FrameDecoder, MAX_WIRE};
use lookback_log_format::link::Placed;
use lookback_log_format::registers as reg;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// How often a request is sent before the board counts as silent.
const ATTEMPTS: u32 = 8;

/// Ends whatever half frame the board may hold from an earlier connection.
const RESYNC: [u8; 4] = [0; 4];

/// Bytes that a frame has besides its payload: header, CRC, COBS and the zero.
const FRAMING: u64 = 4 + 4 + 1 + 1;

/// So often a connection may break while one register is read or written.
const BREAKS: u32 = 20;

/// A pause between two attempts to open a port again.
const AGAIN: Duration = Duration::from_millis(100);

/// What a board sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A frame that is whole.
    Frame(Frame),
    /// The sequence numbers say that frames are missing here.
    Missing {
        /// How many; 0 when the count went backwards, because the board was reset.
        frames: u32,
    },
}

/// What went over the wire so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Traffic {
    /// Bytes received.
    pub bytes: u64,
    /// Bytes of those that are log, with its framing.
    pub log: u64,
    /// Whole frames received.
    pub frames: u64,
    /// Frames that arrived damaged.
    pub damaged: u64,
    /// Frames that the sequence numbers say were sent and did not arrive whole.
    pub missing: u64,
}

/// Sends requests over a link and sorts what comes back.
pub struct Wire<'a> {
    link: &'a mut dyn Link,
    decoder: FrameDecoder,
    inbox: VecDeque<Event>,
    buffer: Vec<u8>,
    next_out: u16,
    next_in: Option<u16>,
    patience: Duration,
    traffic: Traffic,
    /// When a frame was last whole, or one that may be grew.
    last_sign: Duration,
    last_byte: Duration,
    /// The last frame that ended was damaged.
    garbled: bool,
    /// Frames that had come when the connection was last made anew.
    frames_then: Option<u64>,
}

impl<'a> Wire<'a> {
    /// Talks over `link`; a board that says nothing for `patience` counts as silent.
    pub fn new(link: &'a mut dyn Link, patience: Duration) -> Self {
        let now = link.now();
        Self {
            link,
            decoder: FrameDecoder::new(),
            inbox: VecDeque::new(),
            buffer: Vec::new(),
            next_out: 0,
            next_in: None,
            patience,
            traffic: Traffic::default(),
            last_sign: now,
            last_byte: now,
            garbled: false,
            frames_then: None,
        }
    }

    /// What went over the wire so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The link below.
    pub fn link(&mut self) -> &mut dyn Link {
        self.link
    }

    /// How long a board may say nothing.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// How long ago the last whole frame came, or the last byte of one that is still coming: on a slow
    /// line, as a simulated one is, a frame can take longer than patience lasts.
    pub fn silence(&self) -> Duration {
        self.link.now().saturating_sub(self.last_sign)
    }

    /// Frames that ended so far, whole or not.
    pub fn ended(&self) -> u64 {
        self.traffic.frames + self.traffic.damaged
    }

    /// Whether a frame is coming in: its last byte is no older than `age`. One that no longer can be a
    /// frame does not count.
    pub fn coming(&self, age: Duration) -> bool {
        let pending = self.decoder.pending();
        let recent = self.link.now().saturating_sub(self.last_byte) <= age;
        pending > 0 && pending <= MAX_WIRE && recent && !self.garbled
    }

    /// Waits at most `patience` for the next event.
    pub fn next(&mut self, patience: Duration) -> Result<Option<Event>> {
        if self.inbox.is_empty() {
            self.pump(patience)?;
        }
        Ok(self.inbox.pop_front())
    }

    /// Makes an event the next one again.
    pub fn put_back(&mut self, event: Event) {
        self.inbox.push_front(event);
    }

    /// Opens a link again that broke, for as long as a board may say nothing.
    pub fn reconnect(&mut self) -> Result<()> {
        let began = Instant::now();
        loop {
            let result = self.link.reopen().and_then(|()| self.link.send(&RESYNC));
            match result {
                Ok(()) => break,
                Err(error)
                    if began.elapsed() >= self.patience
                        || matches!(
                            error.kind(),
                            io::ErrorKind::ConnectionAborted | io::ErrorKind::Unsupported
                        ) =>
                {
                    return Err(error)
                        .with_context(|| format!("the connection to {} broke", self.link.name()));
                }
                Err(_) => std::thread::sleep(AGAIN),
            }
        }
        self.decoder = FrameDecoder::new();
        self.garbled = false;
        // A connection over which nothing comes before it breaks again is no sign of life.
        if self.worked() {
            self.last_sign = self.link.now();
        }
        self.frames_then = Some(self.traffic.frames);
        Ok(())
    }

    /// Whether anything came over this connection.
    pub fn worked(&self) -> bool {
        self.frames_then != Some(self.traffic.frames)
    }

    /// Drops what arrived and was not asked for yet: it belongs to an earlier recording.
    pub fn forget(&mut self) {
        self.inbox.clear();
    }

    /// Drops the pieces of a stream that arrived and were not asked for yet.
    pub fn forget_placed(&mut self) {
        let placed =
            |event: &Event| matches!(event, Event::Frame(frame) if Placed::of(frame).is_some());
        self.inbox.retain(|event| !placed(event));
    }

    /// Sends a request to read, without waiting for its answer.
    pub fn ask(&mut self, register: u8) -> Result<()> {
        let frame = Frame::read(self.number(), register);
        self.send(&frame)
    }

    /// Sends a request to write, without waiting for its answer.
    pub fn tell(&mut self, register: u8, value: u32) -> Result<()> {
        let frame = Frame::write(self.number(), register, value);
        self.send(&frame)
    }

    /// Sends requests to write, or without a value to read, each with so many zeros behind it, without
    /// waiting for answers.
    pub fn burst(&mut self, requests: &[(u8, Option<u32>)], zeros: usize) -> Result<()> {
        let mut bytes = Vec::new();
        for &(register, value) in requests {
            let number = self.number();
            let frame = match value {
                Some(value) => Frame::write(number, register, value),
                None => Frame::read(number, register),
            };
            bytes.extend(frame.to_wire());
            bytes.resize(bytes.len() + zeros, 0);
        }
        if requests.is_empty() {
            bytes.resize(zeros, 0);
        }
        self.link
            .send(&bytes)
            .with_context(|| format!("cannot send to {}", self.link.name()))
    }

    /// Reads a register.
    pub fn read(&mut self, register: u8) -> Result<u32> {
        let (mut attempts, mut breaks) = (0, 0);
        while attempts < ATTEMPTS {
            match self
                .ask(register)
                .and_then(|()| self.answer(register, None))
            {
                Ok(Some(value)) => return Ok(value),
                Ok(None) => attempts += 1,
                Err(error) => self.mend(error, &mut breaks)?,
            }
        }
        bail!("{}", self.no_answer(register))
    }

    /// Makes a broken connection anew; `error` says how it broke, if that cannot be done.
    pub(super) fn mend(&mut self, error: anyhow::Error, breaks: &mut u32) -> Result<()> {
        *breaks += 1;
        if *breaks > BREAKS || self.reconnect().is_err() {
            return Err(error);
        }
        Ok(())
    }

    /// Writes a register and gives what it then reads. `expected` are the bits that must be as written.
    pub fn write(&mut self, register: u8, value: u32, expected: u32) -> Result<u32> {
        let mut breaks = 0;
        for _ in 0..ATTEMPTS {
            let told = self.tell(register, value);
            match told.and_then(|()| self.answer(register, Some((value, expected)))) {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => {}
                Err(error) => self.mend(error, &mut breaks)?,
            }
            // The answer alone may have been lost, and starting twice would begin anew.
            let found = self.read(register)?;
            if (found ^ value) & expected == 0 {
                return Ok(found);
            }
        }
        let found = self.read(register)?;
        bail!(
            "{} does not accept {value:#x} in register {register:#04x}, which stays {found:#x}; \
             its bitstream may be older than this program",
            self.link.name()
        )
    }

    /// Asks a board who it is; tells apart why one does not answer.
    pub fn identify(&mut self) -> Result<()> {
        if let Err(error) = self.link.send(&RESYNC) {
            let name = self.link.name();
            let error = anyhow::Error::new(error).context(format!("cannot send to {name}"));
            self.mend(error, &mut 0)?;
        }
        let id = self.read(reg::ID)?;
        if id != reg::ID_VALUE {
            bail!(
                "{} answers, but it is no Lookback recorder: its ID is {id:#010x}",
                self.link.name()
            );
        }
        Ok(())
    }

    fn number(&mut self) -> u16 {
        let number = self.next_out;
        self.next_out = number.wrapping_add(1);
        number
    }

    fn send(&mut self, frame: &Frame) -> Result<()> {
        self.link
            .send(&frame.to_wire())
            .with_context(|| format!("cannot send to {}", self.link.name()))
    }

    /// Waits for a REPLY about a register, with certain bits if told; keeps all else for later.
    fn answer(&mut self, register: u8, wanted: Option<(u32, u32)>) -> Result<Option<u32>> {
        let attempt = self.patience / ATTEMPTS;
        let deadline = self.link.now() + attempt;
        let ended = self.ended();
        let mut kept = VecDeque::new();
        let mut found = None;
        while found.is_none() {
            let mut left = deadline.saturating_sub(self.link.now());
            if left.is_zero() {
                // Behind a frame that is still coming in, the answer is not late yet.
                if self.ended() > ended || !self.coming(attempt) {
                    break;
                }
                left = attempt;
            }
            let Some(event) = self.next(left)? else {
                continue;
            };
            let reply = match &event {
                Event::Frame(frame) => frame.reply(),
                Event::Missing { .. } => None,
            };
            match (reply, wanted) {
                (Some((about, value)), None) if about == register => found = Some(value),
                (Some((about, value)), Some((wish, bits)))
                    if about == register && (value ^ wish) & bits == 0 =>
                {
                    found = Some(value);
                }
                // A late answer to an earlier attempt says nothing new.
                (Some(_), _) => {}
                (None, _) => kept.push_back(event),
            }
        }
        kept.append(&mut self.inbox);
        self.inbox = kept;
        Ok(found)
    }

    fn pump(&mut self, patience: Duration) -> Result<()> {
        self.buffer.clear();
        self.link
            .receive(&mut self.buffer, patience)
            .with_context(|| format!("the connection to {} broke", self.link.name()))?;
        self.traffic.bytes += self.buffer.len() as u64;
        for i in 0..self.buffer.len() {
            match self.decoder.push(self.buffer[i]) {
                Some(Ok(frame)) => self.arrived(frame),
                Some(Err(_)) => {
                    self.traffic.damaged += 1;
                    self.garbled = true;
                }
                None => {}
            }
        }
        if !self.buffer.is_empty() {
            self.last_byte = self.link.now();
            if self.coming(Duration::MAX) {
                self.last_sign = self.last_byte;
            }
        }
        Ok(())
    }

    fn arrived(&mut self, frame: Frame) {
        self.traffic.frames += 1;
        if frame.kind & 0xf0 == kind::LOG {
            self.traffic.log += frame.payload.len() as u64 + FRAMING;
        }
        self.last_sign = self.link.now();
        self.garbled = false;
        let expected = self.next_in.unwrap_or(frame.seq);
        self.next_in = Some(frame.seq.wrapping_add(1));
        let skipped = frame.seq.wrapping_sub(expected);
        if skipped >= 0x8000 {
            self.inbox.push_back(Event::Missing { frames: 0 });
        } else if skipped > 0 {
            self.traffic.missing += u64::from(skipped);
            self.inbox.push_back(Event::Missing {
                frames: skipped.into(),
            });
        }
        self.inbox.push_back(Event::Frame(frame));
    }

    fn no_answer(&self, register: u8) -> String {
        let name = self.link.name();
        let Traffic {
            bytes,
            frames,
            damaged,
            ..
        } = self.traffic;
        let baud = match self.link.baud() {
            Some(baud) => format!("{baud} baud"),
            None => "this speed".into(),
        };
        match (bytes, frames) {
            (0, _) => format!(
                "the board at {name} does not answer: nothing came back at {baud}. Is it powered, \
                 is its bitstream loaded, are rx and tx the right way round, does it run at \
                 another speed (--baud auto tries)?"
            ),
            (_, 0) if damaged == 0 => format!(
                "{name} sends bytes ({bytes} so far) at {baud}, but no frame has ended yet: it is \
                 slow, as simulated boards can be (--timeout waits longer), or the baud rate is \
                 wrong (--baud auto looks for the board's own)"
            ),
            (_, 0) => format!(
                "{name} sends bytes ({bytes} so far) that make no frame at {baud}: most likely \
                 the wrong baud rate; --baud auto looks for the board's own"
            ),
            _ if damaged > frames / 4 => format!(
                "{name} does not answer about register {register:#04x}, and {damaged} of {} frames \
                 from it came damaged at {baud}: check the cable",
                damaged + frames
            ),
            _ => format!(
                "{name} sends a log but does not answer about register {register:#04x}: it may \
                 not hear this side; check the line from host to board"
            ),
        }
    }
}
