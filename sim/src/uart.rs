//! The host's end of the log link: 8N1 bytes to and from the edges on the board's pins.

use std::collections::VecDeque;

use crate::engine::Edge;

/// Puts bytes onto the board's receive pin.
#[derive(Debug)]
pub(crate) struct Sender {
    bit_clocks: u64,
    /// The first cycle in which the line is free for a start bit.
    free: u64,
    /// The level after the last edge.
    level: bool,
}

impl Sender {
    pub(crate) fn new(bit_clocks: u16) -> Self {
        Sender {
            bit_clocks: bit_clocks.into(),
            free: 0,
            level: true,
        }
    }

    /// Appends the edges of `bytes`, which start at cycle `now` or when the line is free.
    pub(crate) fn send(&mut self, bytes: &[u8], now: u64, edges: &mut Vec<Edge>) {
        for byte in bytes {
            let start = self.free.max(now);
            // start bit, eight bits from the lowest, stop bit
            let frame = u16::from(*byte) << 1 | 1 << 9;
            for bit in 0..10 {
                let level = frame >> bit & 1 != 0;
                if level != self.level {
                    edges.push(Edge::new(start + bit * self.bit_clocks, level));
                    self.level = level;
                }
            }
            self.free = start + 10 * self.bit_clocks;
        }
    }

    /// Whether the last bit has gone out by cycle `now`.
    pub(crate) fn idle(&self, now: u64) -> bool {
        self.free <= now
    }
}

/// Reads bytes from the board's transmit pin.
#[derive(Debug)]
pub(crate) struct Receiver {
    bit_clocks: u64,
    level: bool,
    byte: Option<Partial>,
    bytes: VecDeque<u8>,
    framing_errors: u64,
    last_edge: u64,
}

#[derive(Debug)]
struct Partial {
    start: u64,
    bits: u32,
    value: u8,
}

impl Receiver {
    pub(crate) fn new(bit_clocks: u16) -> Self {
        Receiver {
            bit_clocks: bit_clocks.into(),
            level: true,
            byte: None,
            bytes: VecDeque::new(),
            framing_errors: 0,
            last_edge: 0,
        }
    }

    /// Takes all level changes before cycle `now`.
    pub(crate) fn feed(&mut self, edges: &[Edge], now: u64) {
        for edge in edges {
            self.sample_before(edge.cycle());
            self.level = edge.level();
            self.last_edge = edge.cycle();
            if !self.level && self.byte.is_none() {
                self.byte = Some(Partial {
                    start: edge.cycle(),
                    bits: 0,
                    value: 0,
                });
            }
        }
        self.sample_before(now);
    }

    /// Samples every bit whose middle lies before this cycle: the line has had one level since.
    fn sample_before(&mut self, cycle: u64) {
        while let Some(partial) = &mut self.byte {
            let bit = u64::from(partial.bits);
            let middle = partial.start + bit * self.bit_clocks + self.bit_clocks / 2;
            if middle >= cycle {
                return;
            }
            partial.bits += 1;
            match bit {
                // A start bit that is gone by its middle was a glitch.
                0 if self.level => self.byte = None,
                0 => {}
                1..=8 => partial.value |= u8::from(self.level) << (bit - 1),
                _ => {
                    if self.level {
                        self.bytes.push_back(partial.value);
                    } else {
                        self.framing_errors += 1;
                    }
                    self.byte = None;
                }
            }
        }
    }

    /// The bytes that have come whole.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        self.bytes.drain(..).collect()
    }

    /// Bytes without a stop bit so far; they are dropped.
    pub(crate) fn framing_errors(&self) -> u64 {
        self.framing_errors
    }

    /// How long the line has been high and still.
    pub(crate) fn idle_for(&self, now: u64) -> u64 {
        if self.level && self.byte.is_none() {
            now.saturating_sub(self.last_edge)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bytes: &[u8], bit_clocks: u16, pieces: usize) -> (Vec<u8>, u64) {
        let mut sender = Sender::new(bit_clocks);
        let mut edges = Vec::new();
        sender.send(bytes, 7, &mut edges);
        let mut receiver = Receiver::new(bit_clocks);
        let mut out = Vec::new();
        for piece in edges.chunks(pieces) {
            receiver.feed(piece, piece[piece.len() - 1].cycle());
            out.extend(receiver.take());
        }
        receiver.feed(&[], sender.free);
        assert!(sender.idle(sender.free) && !sender.idle(sender.free - 1));
        out.extend(receiver.take());
        (out, receiver.framing_errors())
    }

    #[test]
    fn bytes_survive_at_every_speed_and_split() {
        let bytes: Vec<u8> = (0..=255).chain([0, 0, 255, 255, 0x55]).collect();
        for bit_clocks in [1, 2, 3, 16, 434] {
            for pieces in [1, 2, 7, 10_000] {
                let (out, errors) = round_trip(&bytes, bit_clocks, pieces);
                assert_eq!((out, errors), (bytes.clone(), 0), "{bit_clocks} {pieces}");
            }
        }
    }

    #[test]
    fn a_missing_stop_bit_is_counted() {
        let mut receiver = Receiver::new(4);
        receiver.feed(&[Edge::new(10, false)], 100);
        assert_eq!(receiver.framing_errors(), 1);
        assert_eq!(receiver.idle_for(200), 0);
        receiver.feed(&[Edge::new(150, true)], 200);
        assert_eq!(receiver.idle_for(200), 50);
        assert!(receiver.take().is_empty());
    }
}
