//! The board's end of the link: registers, the ring behind them, and what is sent when. Sections 5,
//! 5.1, 6 and 6.2 of the format.
//!
//! Bytes and frames, no cycles: [`Link::hear`] takes the host's bytes, [`Link::speak`] gives the next
//! frame whenever the line is free, [`Link::write`] takes what the recorder has to say. Offsets are
//! kept as the hardware keeps them: 32 bits, the lower of which address the ring.

use crate::loader::{Effect, Loader};
use lookback_log_format::frame::{kind, End, Frame, FrameDecoder, MAX_PAYLOAD};
use lookback_log_format::link::{self, distance, within, Placed};
use lookback_log_format::{registers as reg, RecorderConfig, CRC};

/// The settings, registers 0x10 to 0x17.
const SETTINGS: std::ops::RangeInclusive<u8> = 0x10..=0x17;
/// The register that a CRC starts with, in this notation.
const SUM_START: u32 = u32::MAX;

/// The board's end of a link.
#[derive(Debug, Clone)]
pub struct Link {
    identity: RecorderConfig,
    settings: [u32; 8],
    /// Bytes, each with whether it ends its record. One place always stays free.
    ring: Vec<(u8, bool)>,
    kept: u32,
    sent: u32,
    /// The furthest that was ever sent: up to here every byte is counted in the sum.
    furthest: u32,
    written: u32,
    sum: u32,
    /// The byte at `furthest` continues a record.
    inside: bool,
    end: Option<End>,
    end_sent: bool,
    started: u32,
    seq: u16,
    decoder: FrameDecoder,
    reply: Option<u8>,
    loader: Loader,
    /// What the loader loads.
    ram: Vec<u32>,
    restarts: u32,
}

impl Link {
    /// A board after reset: `identity` is what it is, not how it is set.
    pub fn new(identity: &RecorderConfig) -> Self {
        Self::with_ram(identity, Vec::new())
    }

    /// The same with a loader for these words of RAM.
    pub fn with_ram(identity: &RecorderConfig, ram: Vec<u32>) -> Self {
        Self {
            identity: identity.clone(),
            settings: [0; 8],
            ring: vec![(0, false); 1 << identity.ring_bits],
            kept: 0,
            sent: 0,
            furthest: 0,
            written: 0,
            sum: SUM_START,
            inside: false,
            end: None,
            end_sent: false,
            started: 0,
            seq: 0,
            decoder: FrameDecoder::new(),
            reply: None,
            loader: Loader::new(4 * ram.len() as u32),
            ram,
            restarts: 0,
        }
    }

    /// Everything but RAM is as after power-up; what was in the ring is gone.
    pub fn reset(&mut self) {
        let ram = std::mem::take(&mut self.ram);
        *self = Self {
            restarts: self.restarts,
            ..Self::with_ram(&self.identity, ram)
        };
    }

    /// The words of RAM.
    pub fn ram(&self) -> &[u32] {
        &self.ram
    }

    /// How often the host has restarted the board.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Whether a command waits for its REPLY.
    pub fn reply_due(&self) -> bool {
        self.reply.is_some()
    }

    /// Whether the SoC is held in reset.
    pub fn held(&self) -> bool {
        self.loader.held()
    }

    /// Recordings that were started since reset: a change tells the recorder to begin.
    pub fn started(&self) -> u32 {
        self.started
    }

    /// Whether the host wants a recording to go on.
    pub fn recording(&self) -> bool {
        self.control() & reg::CONTROL_RECORD != 0 && self.end.is_none()
    }

    /// Whether the hart may be held.
    pub fn may_stall(&self) -> bool {
        self.control() & reg::CONTROL_MAY_STALL != 0
    }

    /// Bytes that the ring would take now, if nothing gives way.
    pub fn room(&self) -> usize {
        self.ring.len() - 1 - distance(self.kept, self.written) as usize
    }

    /// A byte of the host arrives.
    pub fn hear(&mut self, byte: u8) {
        if let Some(Ok(frame)) = self.decoder.push(byte) {
            // One command at a time: the one that comes before the last reply went is not obeyed.
            if self.reply.is_none() {
                self.obey(&frame);
            }
        }
    }

    /// The recorder has a byte; `false` when there is no room for it.
    pub fn write(&mut self, byte: u8, last: bool) -> bool {
        if self.room() == 0 && !self.give_way() {
            return false;
        }
        let at = self.at(self.written);
        self.ring[at] = (byte, last);
        self.written = self.written.wrapping_add(1);
        true
    }

    /// The recording is over and its last byte was taken.
    pub fn end(&mut self, end: End) {
        self.end = Some(end);
    }

    /// The next frame, if there is something to say.
    pub fn speak(&mut self) -> Option<Frame> {
        if let Some(register) = self.reply.take() {
            let mut payload = vec![register];
            payload.extend(self.register(register).to_le_bytes());
            return Some(self.frame(kind::REPLY, payload));
        }
        if let Some((bytes, last)) = self.piece() {
            return Some(self.log(&bytes, last));
        }
        let end = self.end.filter(|_| !self.end_sent)?;
        if self.sent != self.written {
            return None;
        }
        self.end_sent = true;
        Some(self.frame(kind::END, end.to_bytes()))
    }

    fn control(&self) -> u32 {
        self.settings[0]
    }

    fn acknowledged(&self) -> bool {
        self.control() & link::CONTROL_ACKNOWLEDGED != 0
    }

    /// The ring keeps what it has and lets the oldest go, instead of sending.
    fn holds(&self) -> bool {
        self.control() & reg::CONTROL_RING != 0 && self.end.is_none()
    }

    fn at(&self, offset: u32) -> usize {
        offset as usize & (self.ring.len() - 1)
    }

    /// Drops the oldest whole record of a held ring. What was sent and is not acknowledged stays.
    fn give_way(&mut self) -> bool {
        if !self.holds() || self.inside || self.kept != self.furthest {
            return false;
        }
        let count = distance(self.kept, self.written);
        let ends = (0..count).find(|&n| self.ring[self.at(self.kept.wrapping_add(n))].1);
        let Some(last) = ends else {
            return false;
        };
        self.kept = self.kept.wrapping_add(last + 1);
        self.sent = self.kept;
        self.furthest = self.kept;
        true
    }

    /// The next piece to send: 240 bytes, or fewer up to the end of a record.
    fn piece(&self) -> Option<(Vec<u8>, bool)> {
        let waiting = distance(self.sent, self.written);
        let mut bytes = Vec::new();
        for n in 0..waiting.min(MAX_PAYLOAD as u32) {
            let (byte, last) = self.ring[self.at(self.sent.wrapping_add(n))];
            bytes.push(byte);
            if last || bytes.len() == MAX_PAYLOAD {
                return (!self.holds_back()).then_some((bytes, last));
            }
        }
        None
    }

    /// A held ring sends nothing, unless a record that fills it alone would wait for ever.
    fn holds_back(&self) -> bool {
        let count = distance(self.sent, self.written);
        let alone = || (0..count).all(|n| !self.ring[self.at(self.sent.wrapping_add(n))].1);
        let new = self.sent == self.furthest;
        self.holds() && new && !self.inside && !(self.room() == 0 && alone())
    }

    fn log(&mut self, bytes: &[u8], last: bool) -> Frame {
        let offset = self.sent;
        let first = if self.inside { 0 } else { kind::LOG_FIRST };
        for &byte in bytes {
            if self.sent == self.furthest {
                self.sum = summed(self.sum, byte);
                self.furthest = self.furthest.wrapping_add(1);
            }
            self.sent = self.sent.wrapping_add(1);
        }
        if self.sent == self.furthest {
            self.inside = !last;
        }
        if self.acknowledged() {
            let seq = self.number();
            return Placed {
                offset,
                bytes,
                last,
            }
            .to_frame(0, seq);
        }
        self.kept = self.sent;
        let last = if last { kind::LOG_LAST } else { 0 };
        self.frame(kind::LOG | first | last, bytes.to_vec())
    }

    fn frame(&mut self, kind: u8, payload: Vec<u8>) -> Frame {
        Frame {
            kind,
            hart: 0,
            seq: self.number(),
            payload,
        }
    }

    fn number(&mut self) -> u16 {
        let number = self.seq;
        self.seq = number.wrapping_add(1);
        number
    }

    fn obey(&mut self, frame: &Frame) {
        match (frame.kind, frame.payload.as_slice()) {
            (kind::READ, &[register]) => self.reply = Some(register),
            (kind::WRITE, &[register, a, b, c, d]) => {
                // Before the effect: a restart loses it.
                self.reply = Some(register);
                self.set(register, u32::from_le_bytes([a, b, c, d]));
            }
            _ => {}
        }
    }

    fn set(&mut self, register: u8, value: u32) {
        match register {
            reg::CONTROL => {
                let starts = value & !self.control() & reg::CONTROL_RECORD != 0;
                self.settings[0] = value;
                if starts {
                    self.start();
                }
            }
            _ if SETTINGS.contains(&register) => self.settings[usize::from(register & 7)] = value,
            link::KEPT if self.acknowledged() => self.acknowledge(value),
            link::SENT if self.acknowledged() => self.send_again(value),
            _ => match self.loader.write(register, value) {
                Effect::None => {}
                Effect::Store(place, word) => {
                    if let Some(there) = self.ram.get_mut(place as usize / 4) {
                        *there = word;
                    }
                }
                Effect::Restart => {
                    self.reset();
                    self.restarts += 1;
                }
            },
        }
    }

    fn start(&mut self) {
        self.kept = 0;
        self.sent = 0;
        self.furthest = 0;
        self.written = 0;
        self.sum = SUM_START;
        self.inside = false;
        self.end = None;
        self.end_sent = false;
        self.started += 1;
    }

    fn acknowledge(&mut self, offset: u32) {
        if !within(self.kept, offset, self.furthest) {
            return;
        }
        if within(self.kept, self.sent, offset) {
            self.sent = offset;
        }
        self.kept = offset;
    }

    fn send_again(&mut self, offset: u32) {
        if !within(self.kept, offset, self.furthest) {
            return;
        }
        self.sent = offset;
        self.end_sent = false;
    }

    fn register(&self, number: u8) -> u32 {
        match number {
            _ if SETTINGS.contains(&number) => self.settings[usize::from(number & 7)],
            reg::STATUS => {
                let bit = |set: bool, bit: u32| if set { bit } else { 0 };
                bit(self.recording(), reg::STATUS_RECORDING)
                    | bit(self.end.is_some(), reg::STATUS_ENDED)
                    | bit(self.end_sent, reg::STATUS_END_SENT)
            }
            reg::RETIRED_LO => self.end.map_or(0, |end| end.retired as u32),
            link::KEPT => self.kept,
            link::SENT => self.sent,
            link::WRITTEN => self.written,
            link::SUM => !self.sum,
            reg::BOARD.. => {
                let word = |place: u32| self.ram.get(place as usize / 4).copied();
                self.loader.read(number, |place| word(place).unwrap_or(0))
            }
            _ => self.identity.register(number).unwrap_or(0),
        }
    }
}

/// The CRC's register after one more byte.
fn summed(register: u32, byte: u8) -> u32 {
    let mut digest = CRC.digest_with_initial(register.reverse_bits());
    digest.update(&[byte]);
    !digest.finalize()
}

#[cfg(test)]
#[path = "link/tests.rs"]
mod tests;
