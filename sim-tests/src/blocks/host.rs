//! The host's side of the link, one sample a cycle: what it sends, and the frames that come.

use super::drain::frame_bits;
use lookback_log_format::frame::{kind, Frame, FrameDecoder};
use lookback_log_format::interval::Record;
use lookback_model::stimulus::Event;
use lookback_sim::block::Dut;
use std::collections::VecDeque;

/// A host at the end of `log_rx` and `log_tx`, or of the same bytes without a UART.
pub struct Host {
    /// cycles a bit; 0 without a UART
    bit_clocks: u32,
    levels: VecDeque<bool>,
    /// bits and bytes for a receiver that has no UART
    pulses: VecDeque<Pulse>,
    seq: u16,
    /// samples of the byte that is coming
    coming: Vec<bool>,
    decoder: FrameDecoder,
    /// frames that came, and how many were damaged
    pub frames: Vec<Frame>,
    /// what came that was no frame
    pub damaged: u32,
}

/// What a UART's receiver says in a cycle.
#[derive(Clone, Copy)]
enum Pulse {
    Bit(bool),
    Byte(u8),
    Nothing,
}

impl Host {
    /// A host that knows the speed; 0 is a link without a UART.
    pub fn new(bit_clocks: u32) -> Self {
        Self {
            bit_clocks,
            levels: VecDeque::new(),
            pulses: VecDeque::new(),
            seq: 0,
            coming: Vec::new(),
            decoder: FrameDecoder::new(),
            frames: Vec::new(),
            damaged: 0,
        }
    }

    /// Sends a READ.
    pub fn read(&mut self, register: u8) {
        self.send(&Frame::read(self.seq, register));
    }

    /// Sends a WRITE.
    pub fn write(&mut self, register: u8, value: u32) {
        self.send(&Frame::write(self.seq, register, value));
    }

    fn send(&mut self, frame: &Frame) {
        self.seq = self.seq.wrapping_add(1);
        for byte in frame.to_wire() {
            if self.bit_clocks == 0 {
                let bits = (0..8).map(|bit| Pulse::Bit(byte >> bit & 1 == 1));
                self.pulses.extend(bits);
                self.pulses.extend([Pulse::Byte(byte), Pulse::Nothing]);
                continue;
            }
            for bit in frame_bits(byte) {
                self.levels
                    .extend(std::iter::repeat_n(bit, self.bit_clocks as usize));
            }
        }
    }

    /// Sets and samples the pins of this cycle; the caller brings the clock's edge.
    pub fn pins(&mut self, dut: &mut dyn Dut) {
        if self.bit_clocks == 0 {
            return self.bytes(dut);
        }
        dut.set("log_rx", self.levels.pop_front().unwrap_or(true).into());
        let level = dut.get("log_tx") == 1;
        if self.coming.is_empty() && level {
            return;
        }
        self.coming.push(level);
        let samples = self.bit_clocks as usize;
        if self.coming.len() < 10 * samples {
            return;
        }
        let bits: Vec<bool> = self.coming.drain(..).collect();
        let steady = bits
            .chunks(samples)
            .all(|bit| bit.iter().all(|level| *level == bit[0]));
        let bit = |n: usize| bits[n * samples];
        if !steady || bit(0) || !bit(9) {
            self.damaged += 1;
        }
        let byte = (0..8).fold(0, |byte, n| byte | u8::from(bit(1 + n)) << n);
        self.take(byte);
    }

    /// A link that takes a byte every third cycle.
    fn bytes(&mut self, dut: &mut dyn Dut) {
        let pulse = self.pulses.pop_front().unwrap_or(Pulse::Nothing);
        let (bit, byte) = match pulse {
            Pulse::Bit(bit) => (Some(bit), None),
            Pulse::Byte(byte) => (None, Some(byte)),
            Pulse::Nothing => (None, None),
        };
        dut.set("rx_bit_valid", bit.is_some().into());
        dut.set("rx_bit_data", bit.unwrap_or(true).into());
        dut.set("rx_byte_valid", byte.is_some().into());
        dut.set("rx_byte_data", byte.unwrap_or(0xa5).into());
        self.coming.push(true);
        let ready = self.coming.len() == 3;
        dut.set("tx_ready", ready.into());
        if ready {
            self.coming.clear();
            if dut.get("tx_valid") == 1 {
                self.take(dut.get("tx_data") as u8);
            }
        }
    }

    fn take(&mut self, byte: u8) {
        match self.decoder.push(byte) {
            Some(Ok(frame)) => self.frames.push(frame),
            Some(Err(_)) => self.damaged += 1,
            None => {}
        }
    }

    /// Replies that came, as register and value.
    pub fn replies(&self) -> Vec<(u8, u32)> {
        self.frames.iter().filter_map(Frame::reply).collect()
    }

    /// Whether the last frame of a recording came.
    pub fn ends(&self) -> usize {
        self.frames
            .iter()
            .filter(|frame| frame.kind == kind::END)
            .count()
    }
}

/// The records that LOG frames carry.
pub fn records(frames: &[Frame]) -> Vec<Vec<u8>> {
    let mut records = vec![Vec::new()];
    for frame in frames.iter().filter(|f| f.kind & 0xfc == kind::LOG) {
        if let Some(record) = records.last_mut() {
            record.extend(&frame.payload);
        }
        if frame.kind & kind::LOG_LAST != 0 {
            records.push(Vec::new());
        }
    }
    records.retain(|record| !record.is_empty());
    records
}

/// The cycle in which a recording began: that is to be seen nowhere but in its first interval.
pub fn began(events: &[(Event, u64)], records: &[Vec<u8>]) -> u64 {
    let is_retirement = |(event, _): &&(Event, u64)| matches!(event, Event::Retire(_));
    let first = records.first().map(|bytes| Record::from_bytes(bytes));
    match (first, events.iter().find(is_retirement)) {
        (Some(Ok(Record::Interval(first))), Some((_, cycle))) => {
            cycle.wrapping_sub(first.header.cycle)
        }
        _ => 0,
    }
}
