//! Packets of gdb's remote protocol on a byte stream: framing, checksums, acknowledgements.
//!
//! `gdbstub` ends a session at the first byte that it does not understand. Here nothing ends but what
//! the client ends: what is no packet is skipped, what is damaged is asked for again.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Longer packets are refused.
pub const MAX_PACKET: usize = 16 << 10;
/// How long a read waits before it is looked whether the server shall end.
const TICK: Duration = Duration::from_millis(50);
/// How often a long run looks for an interruption.
const GLANCE: Duration = Duration::from_millis(20);

/// Something that the client sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet's contents.
    Packet(Vec<u8>),
    /// Ctrl-C.
    Interrupt,
    /// Nothing came for a while.
    Quiet,
    /// The client is gone.
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Inside,
    /// The packet is too long; skips to its end.
    Skipping,
    /// So many digits of the checksum have come.
    Checksum(u8),
}

/// Takes bytes apart into packets.
#[derive(Debug)]
pub struct Framer {
    state: State,
    body: Vec<u8>,
    digits: [u8; 2],
    too_long: bool,
}

/// What a byte completes.
#[derive(Debug, PartialEq, Eq)]
pub enum Framed {
    /// A whole packet.
    Packet(Vec<u8>),
    /// A packet whose checksum is wrong, or that is too long.
    Damaged,
    /// The client wants the last reply again.
    Nack,
    /// Ctrl-C.
    Interrupt,
}

impl Default for Framer {
    fn default() -> Self {
        Self {
            state: State::Outside,
            body: Vec::new(),
            digits: [0; 2],
            too_long: false,
        }
    }
}

impl Framer {
    /// Takes a byte.
    pub fn take(&mut self, byte: u8) -> Option<Framed> {
        match (self.state, byte) {
            (State::Checksum(0), _) => {
                self.digits[0] = byte;
                self.state = State::Checksum(1);
                None
            }
            (State::Checksum(_), _) => {
                self.digits[1] = byte;
                self.state = State::Outside;
                Some(self.finish())
            }
            // A packet that begins within another: the end of the first was lost.
            (_, b'$') => {
                self.body.clear();
                self.too_long = false;
                self.state = State::Inside;
                None
            }
            (State::Inside | State::Skipping, b'#') => {
                self.state = State::Checksum(0);
                None
            }
            (State::Inside, _) if self.body.len() == MAX_PACKET => {
                self.too_long = true;
                self.state = State::Skipping;
                None
            }
            (State::Inside, _) => {
                self.body.push(byte);
                None
            }
            (State::Skipping, _) => None,
            (State::Outside, b'-') => Some(Framed::Nack),
            (State::Outside, 3) => Some(Framed::Interrupt),
            (State::Outside, _) => None,
        }
    }

    fn finish(&mut self) -> Framed {
        let body = std::mem::take(&mut self.body);
        let claimed = std::str::from_utf8(&self.digits)
            .ok()
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let whole = !std::mem::take(&mut self.too_long);
        match claimed == Some(checksum(&body)) && whole {
            true => Framed::Packet(body),
            false => Framed::Damaged,
        }
    }
}

/// The sum of all bytes.
pub fn checksum(body: &[u8]) -> u8 {
    body.iter().fold(0, |sum, &byte| sum.wrapping_add(byte))
}

/// A packet as it goes over the wire. `body` must not contain `$`, `#` or `}` but as escapes.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let mut packet = Vec::with_capacity(body.len() + 4);
    packet.push(b'$');
    packet.extend_from_slice(body);
    packet.extend_from_slice(format!("#{:02x}", checksum(body)).as_bytes());
    packet
}

/// A text in an error reply. Only what needs no escape goes through.
pub fn error(text: &str) -> Vec<u8> {
    let plain = |c: char| match c {
        ' '..='~' if !"$#}*".contains(c) => c,
        _ => '?',
    };
    format!("E.{}", text.chars().map(plain).collect::<String>()).into_bytes()
}

/// A connection to a client.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    framer: Framer,
    waiting: VecDeque<Event>,
    acks: bool,
    /// The last reply as it was sent.
    last: Vec<u8>,
    glanced: Instant,
    gone: bool,
}

impl Wire {
    /// Speaks with a client.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(TICK))?;
        // A client that reads nothing must not hold the server for ever.
        stream.set_write_timeout(Some(Duration::from_secs(10)))?;
        Ok(Self {
            stream,
            framer: Framer::default(),
            waiting: VecDeque::new(),
            acks: true,
            last: Vec::new(),
            glanced: Instant::now(),
            gone: false,
        })
    }

    /// No acknowledgements from now on.
    pub fn stop_acks(&mut self) {
        self.acks = false;
    }

    /// The next thing that the client sends.
    pub fn receive_event(&mut self) -> Event {
        if self.waiting.is_empty() && !self.gone {
            self.receive();
        }
        match self.waiting.pop_front() {
            Some(event) => event,
            None if self.gone => Event::Gone,
            None => Event::Quiet,
        }
    }

    /// Whether a run that is under way shall end: Ctrl-C, or nobody is there any more.
    pub fn wants_stop(&mut self) -> bool {
        if self.glanced.elapsed() < GLANCE {
            return false;
        }
        self.glanced = Instant::now();
        if self.stream.set_nonblocking(true).is_ok() {
            self.receive();
            self.gone |= self.stream.set_nonblocking(false).is_err();
        }
        let interrupt = self
            .waiting
            .iter()
            .position(|event| *event == Event::Interrupt);
        if let Some(at) = interrupt {
            self.waiting.remove(at);
        }
        self.gone || interrupt.is_some()
    }

    fn receive(&mut self) {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.gone = true,
            Ok(length) => bytes[..length].iter().for_each(|&byte| self.take(byte)),
            Err(error) => {
                use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
                self.gone |= !matches!(error.kind(), WouldBlock | TimedOut | Interrupted);
            }
        }
    }

    fn take(&mut self, byte: u8) {
        match self.framer.take(byte) {
            None => {}
            Some(Framed::Packet(body)) => {
                if self.acks {
                    self.send(b"+");
                }
                self.waiting.push_back(Event::Packet(body));
            }
            Some(Framed::Damaged) if self.acks => self.send(b"-"),
            // Without acknowledgements nobody would send it again.
            Some(Framed::Damaged) => self.reply(&error("the packet is damaged or too long")),
            Some(Framed::Nack) if self.acks => {
                let last = self.last.clone();
                self.send(&last);
            }
            Some(Framed::Nack) => {}
            Some(Framed::Interrupt) => self.waiting.push_back(Event::Interrupt),
        }
    }

    /// Sends a reply.
    pub fn reply(&mut self, body: &[u8]) {
        self.send_packets(framed(body));
    }

    /// Sends text to the client's console; only while the client waits for a stop.
    pub fn console(&mut self, text: &str) {
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.send_packets(framed(format!("O{hex}").as_bytes()));
    }

    /// Sends packets that are framed already.
    pub fn send_packets(&mut self, packets: Vec<u8>) {
        self.send(&packets);
        self.last = packets;
    }

    fn send(&mut self, bytes: &[u8]) {
        self.gone |= self.stream.write_all(bytes).is_err();
    }
}
