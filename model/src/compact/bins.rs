//! From bins to bytes: the plain and the arithmetic coder. Section 10.6 of the format.

use lookback_log_format::config::Coder;

/// Contexts there are.
const CONTEXTS: usize = 1024;
/// How far a probability moves, by how often its context was used.
const SHIFT: [u32; 8] = [1, 2, 2, 3, 3, 4, 4, 5];
/// Contexts of the kind bin.
pub const KIND: usize = 928;
/// Contexts of the hurry bin.
pub const HURRY: usize = 930;

/// What is known of the bins of one context.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// That the next one is 1, in 4096ths.
    probability: u32,
    /// How many there were, up to 7.
    count: usize,
}

fn empty_contexts() -> Vec<Context> {
    let start = |context| {
        let (probability, count) = match context {
            KIND | 929 => (256, 2),
            HURRY | 931 => (64, 7),
            _ => (2048, 0),
        };
        Context { probability, count }
    };
    (0..CONTEXTS).map(start).collect()
}

/// Turns bins into bytes.
#[derive(Debug, Clone)]
pub struct Bins {
    coder: Coder,
    contexts: Vec<Context>,
    bytes: Vec<u8>,
    /// Bits of the plain coder that do not make a byte yet.
    partial: u32,
    partial_bits: u32,
    low: u32,
    range: u32,
    held: Option<u8>,
    /// Bytes 0xff behind the one held back, or one less than 0x100 each if a carry comes.
    waiting: u32,
    written: u64,
}

impl Bins {
    /// A coder before the first interval.
    pub fn new(coder: Coder) -> Self {
        Self {
            coder,
            contexts: empty_contexts(),
            bytes: Vec::new(),
            partial: 0,
            partial_bits: 0,
            low: 0,
            range: 0xff_ffff,
            held: None,
            waiting: 0,
            written: 0,
        }
    }

    /// Forgets what was learnt.
    pub fn forget(&mut self) {
        self.contexts = empty_contexts();
    }

    /// Whether values may be hurried.
    pub fn can_hurry(&self) -> bool {
        self.coder == Coder::Arithmetic
    }

    /// Bins and direct bytes so far: cycles that the hardware takes.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Bytes of the open interval so far, to a few.
    pub fn written_bytes(&self) -> usize {
        self.bytes.len() + self.waiting as usize
    }

    /// A bin that is learnt from.
    pub fn bin(&mut self, context: usize, bin: bool) {
        if self.coder == Coder::Plain {
            return self.bit(bin);
        }
        let Context { probability, count } = self.contexts[context];
        self.narrow(probability, bin);
        let shift = SHIFT[count];
        self.contexts[context] = Context {
            probability: match bin {
                true => probability + ((4095 - probability) >> shift),
                false => probability - (probability >> shift),
            },
            count: (count + 1).min(7),
        };
    }

    /// A bin that is as likely 0 as 1.
    pub fn raw(&mut self, bin: bool) {
        match self.coder {
            Coder::Plain => self.bit(bin),
            Coder::Arithmetic => self.narrow(2048, bin),
        }
    }

    /// `bits` bins, the most significant first, each in a context that the ones before it choose.
    pub fn tree(&mut self, base: usize, value: u32, bits: u32) {
        let mut node = 1;
        for place in (0..bits).rev() {
            let bin = value >> place & 1;
            self.bin(base + node, bin == 1);
            node = 2 * node + bin as usize;
        }
    }

    /// A whole byte at once; arithmetic coder only.
    pub fn byte(&mut self, byte: u8) {
        let unit = self.range >> 12 << 4;
        self.low += unit * u32::from(byte);
        self.range = unit;
        self.written += 1;
        self.renormalise();
    }

    /// The interval ends: its bytes. The next one starts at a byte of its own.
    pub fn finish(&mut self) -> Vec<u8> {
        match self.coder {
            Coder::Plain => {
                if self.partial_bits > 0 {
                    self.bytes.push(self.partial as u8);
                }
                (self.partial, self.partial_bits) = (0, 0);
            }
            Coder::Arithmetic => {
                self.low += 0xffff;
                self.put_out();
                self.bytes.extend(self.held.take());
                self.send_waiting(0);
                (self.low, self.range) = (0, 0xff_ffff);
            }
        }
        std::mem::take(&mut self.bytes)
    }

    fn bit(&mut self, bit: bool) {
        self.written += 1;
        self.partial |= u32::from(bit) << self.partial_bits;
        self.partial_bits += 1;
        if self.partial_bits == 8 {
            self.bytes.push(self.partial as u8);
            (self.partial, self.partial_bits) = (0, 0);
        }
    }

    fn narrow(&mut self, probability: u32, bin: bool) {
        let bound = ((self.range >> 12) * (probability >> 4)) << 4;
        if bin {
            self.range = bound;
        } else {
            self.low += bound;
            self.range -= bound;
        }
        self.written += 1;
        self.renormalise();
    }

    fn renormalise(&mut self) {
        if self.range < 0x1_0000 {
            self.put_out();
            self.range <<= 8;
        }
    }

    fn put_out(&mut self) {
        let carry = self.low >> 24;
        if self.low < 0xff_0000 || carry != 0 {
            let held = self.held.replace((self.low >> 16) as u8);
            self.bytes
                .extend(held.map(|byte| byte.wrapping_add(carry as u8)));
            self.send_waiting(carry);
        } else {
            self.waiting += 1;
        }
        self.low = (self.low & 0xffff) << 8;
    }

    fn send_waiting(&mut self, carry: u32) {
        let byte = 0xffu8.wrapping_add(carry as u8);
        for _ in 0..std::mem::take(&mut self.waiting) {
            self.bytes.push(byte);
        }
    }
}
