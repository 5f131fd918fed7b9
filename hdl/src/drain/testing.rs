//! What the tests of several blocks share: the other end of the wire, written independently of
//! the circuits (and with other people's COBS and CRC), and random numbers.

use std::collections::VecDeque;

use rust_hdl::prelude::*;

/// Everything that is checked without stimulus: connections, the guard, and yosys' opinion.
pub fn synthesises<B: Block>(prefix: &str, mut block: B) {
    block.connect_all();
    check_all(&block).expect("connected and free of loops");
    let findings = crate::guard::lint(&block);
    assert!(findings.is_empty(), "{findings:?}");
    yosys_validate(prefix, &generate_verilog(&block)).expect("yosys takes it");
}

/// SplitMix64: small, seedable, the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A byte, zero more often than chance has it: zeros are what COBS is about.
    pub fn byte(&mut self) -> u8 {
        if self.one_in(8) {
            0
        } else {
            self.next() as u8
        }
    }

    /// Bytes as above.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }
}

/// Reads a UART line from one sample a clock cycle.
pub struct LineReader {
    bit_clocks: usize,
    /// Samples since the falling edge of a start bit.
    frame: Option<Vec<bool>>,
    /// The bytes so far.
    pub bytes: Vec<u8>,
    /// Zero bytes, which end frames, among them.
    pub zeros: usize,
    /// Cycles within bytes.
    pub busy: usize,
    /// Cycles between bytes.
    pub idle: usize,
    /// Cycles since the last byte.
    quiet: usize,
}

impl LineReader {
    pub fn new(bit_clocks: usize) -> Self {
        LineReader {
            bit_clocks,
            frame: None,
            bytes: Vec::new(),
            zeros: 0,
            busy: 0,
            idle: 0,
            quiet: 0,
        }
    }

    pub fn sample(&mut self, level: bool) {
        if self.frame.is_none() && !level {
            self.frame = Some(Vec::new());
            if self.busy > 0 {
                self.idle += self.quiet;
            }
            self.quiet = 0;
        }
        let Some(samples) = &mut self.frame else {
            self.quiet += 1;
            return;
        };
        self.busy += 1;
        samples.push(level);
        if samples.len() == 10 * self.bit_clocks {
            let bits: Vec<bool> = samples
                .chunks(self.bit_clocks)
                .map(|bit| {
                    assert!(
                        bit.iter().all(|&s| s == bit[0]),
                        "level changes within a bit"
                    );
                    bit[0]
                })
                .collect();
            assert!(!bits[0] && bits[9], "start and stop bit");
            let byte = (0..8).fold(0, |byte, i| byte | u8::from(bits[1 + i]) << i);
            self.bytes.push(byte);
            self.zeros += usize::from(byte == 0);
            self.frame = None;
        }
    }
}

/// Drives a UART line, one sample a clock cycle.
pub struct LineWriter {
    bit_clocks: usize,
    samples: VecDeque<bool>,
}

impl LineWriter {
    pub fn new(bit_clocks: usize) -> Self {
        LineWriter {
            bit_clocks,
            samples: VecDeque::new(),
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let bits = std::iter::once(false)
                .chain((0..8).map(|i| byte >> i & 1 == 1))
                .chain(std::iter::once(true));
            for bit in bits {
                self.samples
                    .extend(std::iter::repeat_n(bit, self.bit_clocks));
            }
        }
    }

    pub fn pause(&mut self, cycles: usize) {
        self.samples.extend(std::iter::repeat_n(true, cycles));
    }

    pub fn idle(&self) -> bool {
        self.samples.is_empty()
    }

    pub fn sample(&mut self) -> bool {
        self.samples.pop_front().unwrap_or(true)
    }
}

/// A frame of the log format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub hart: u8,
    pub seq: u16,
    pub payload: Vec<u8>,
}

const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

impl Frame {
    pub fn new(kind: u8, seq: u16, payload: &[u8]) -> Self {
        Frame {
            kind,
            hart: 0,
            seq,
            payload: payload.to_vec(),
        }
    }

    /// The frame without COBS.
    pub fn plain(&self) -> Vec<u8> {
        let mut plain = vec![self.kind, self.hart];
        plain.extend(self.seq.to_le_bytes());
        plain.extend(&self.payload);
        plain.extend(CRC.checksum(&plain).to_le_bytes());
        plain
    }

    /// The frame as it is on the wire.
    pub fn wire(&self) -> Vec<u8> {
        wire(&self.plain())
    }
}

/// COBS and the zero after it.
pub fn wire(plain: &[u8]) -> Vec<u8> {
    let mut bytes = cobs::encode_vec(plain);
    bytes.push(0);
    bytes
}

/// All frames of a stream of bytes, each of which must be right and end with its zero.
pub fn frames(bytes: &[u8]) -> Vec<Frame> {
    assert!(bytes.last().is_none_or(|&b| b == 0), "cut off frame");
    bytes
        .split(|&b| b == 0)
        .filter(|coded| !coded.is_empty())
        .map(|coded| {
            let plain = cobs::decode_vec(coded).expect("COBS");
            let (body, check) = plain.split_at(plain.len() - 4);
            assert_eq!(CRC.checksum(body).to_le_bytes(), check, "CRC");
            Frame {
                kind: body[0],
                hart: body[1],
                seq: u16::from_le_bytes([body[2], body[3]]),
                payload: body[4..].to_vec(),
            }
        })
        .collect()
}

/// Puts the LOG frames together again; asserts the flags and lengths of the pieces.
pub fn intervals(frames: &[Frame]) -> Vec<Vec<u8>> {
    let mut whole = Vec::new();
    let mut open: Option<Vec<u8>> = None;
    for frame in frames.iter().filter(|f| f.kind & 0xf0 == 0x10) {
        assert_eq!(frame.hart, 0);
        assert_eq!(frame.kind & !0x13, 0);
        assert!((1..=240).contains(&frame.payload.len()));
        if frame.kind & 1 == 1 {
            assert!(open.is_none(), "first inside an interval");
            open = Some(Vec::new());
        }
        let interval = open.as_mut().expect("an interval is open");
        interval.extend(&frame.payload);
        if frame.kind & 2 == 2 {
            whole.extend(open.take());
        } else {
            assert_eq!(frame.payload.len(), 240, "only the last piece is short");
        }
    }
    assert!(open.is_none(), "interval without an end");
    whole
}
