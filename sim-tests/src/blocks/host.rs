//! The host's side of the UART, one sample a cycle: what it sends, and the frames that come.

use super::drain::frame_bits;
use lookback_log_format::frame::{kind, Frame, FrameDecoder};
use lookback_sim::block::Dut;
use std::collections::VecDeque;

/// A host at the end of `log_rx` and `log_tx`.
pub struct Host {
    bit_clocks: u32,
    levels: VecDeque<bool>,
    seq: u16,
    /// samples of the byte that is coming
    coming: Vec<bool>,
    decoder: FrameDecoder,
    /// frames that came, and how many were damaged
    pub frames: Vec<Frame>,
    /// what came that was no frame
    pub damaged: u32,
}

impl Host {
    /// A host that knows the speed.
    pub fn new(bit_clocks: u32) -> Self {
        Self {
            bit_clocks,
            levels: VecDeque::new(),
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
            for bit in frame_bits(byte) {
                self.levels
                    .extend(std::iter::repeat_n(bit, self.bit_clocks as usize));
            }
        }
    }

    /// Sets and samples the pins of this cycle; the caller brings the clock's edge.
    pub fn pins(&mut self, dut: &mut dyn Dut) {
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
