//! A reader that knows nothing but the log, the image and the rules of the format: it follows an
//! interval beside the run that made it, and fails where it would not know what to do.

use lookback_log_format::entry::{Entry, EntryReader, Escape, Value, Widths};
use lookback_log_format::interval::Interval;
use lookback_log_format::{Digest, RecorderConfig, Retire};
use std::collections::HashMap;

/// The dictionary as the format words it, as a list of (value, counter).
struct Ranks(Vec<(u32, u8)>);

impl Ranks {
    fn update(&mut self, value: u32) {
        let list = &mut self.0;
        if let Some(i) = list.iter().position(|&(v, c)| c > 0 && v == value) {
            list[i].1 = (list[i].1 + 1).min(7);
            if i > 0 && list[i].1 >= list[i - 1].1 {
                list.swap(i, i - 1);
            }
        } else {
            let (mut worst, mut at) = (8, 0);
            for (i, &(_, counter)) in list.iter().enumerate() {
                if counter <= worst {
                    (worst, at) = (counter, i);
                }
            }
            list[at] = (value, 1);
        }
    }
}

/// What a replayer of one interval knows.
pub struct Reader<'a> {
    config: &'a RecorderConfig,
    image: &'a dyn Fn(u32) -> u32,
    entries: EntryReader<'a>,
    next: Option<Entry>,
    skipped: u32,
    ranks: Ranks,
    /// Bytes read or written in this interval.
    memory: HashMap<u32, u8>,
    registers: [u32; 32],
    digest: Digest,
    position: u32,
    expected_pc: Option<u32>,
    /// Operations that were logged, and all of them.
    pub operations: (u32, u32),
}

impl<'a> Reader<'a> {
    pub fn new(
        config: &'a RecorderConfig,
        image: &'a dyn Fn(u32) -> u32,
        interval: &'a Interval,
    ) -> Self {
        let mut entries = EntryReader::new(&interval.entries, Widths::from(config));
        let next = entries.next_entry().unwrap();
        Self {
            config,
            image,
            entries,
            next,
            skipped: 0,
            ranks: Ranks(vec![(0, 0); 1 << config.dict_bits]),
            memory: HashMap::new(),
            registers: interval.header.registers,
            digest: Digest::new(),
            position: 0,
            expected_pc: Some(interval.header.pc),
            operations: (0, 0),
        }
    }

    fn advance(&mut self) {
        self.next = self.entries.next_entry().unwrap();
    }

    fn escape(&mut self, wanted: fn(Escape) -> Option<u32>) -> Option<u32> {
        match self.next {
            Some(Entry::Escape { position, escape }) if position == self.position => {
                let payload = wanted(escape)?;
                self.advance();
                Some(payload)
            }
            _ => None,
        }
    }

    fn word(&self, addr: u32) -> [Option<u8>; 4] {
        std::array::from_fn(|lane| self.memory.get(&(addr + lane as u32)).copied())
    }

    fn learn(&mut self, addr: u32, mask: u8, word: u32) {
        for lane in (0..4).filter(|lane| mask >> lane & 1 == 1) {
            let byte = (word >> (8 * lane)) as u8;
            self.memory.insert(addr + lane, byte);
        }
    }

    fn fetch(&mut self, pc: u32) -> u32 {
        let fetched = self.escape(|escape| match escape {
            Escape::Fetch(word) => Some(word),
            _ => None,
        });
        if let Some(word) = fetched {
            self.learn(pc, 15, word);
            return word;
        }
        let in_window = (self.config.image_lo..self.config.image_hi).contains(&pc);
        let image = (self.image)(pc).to_le_bytes();
        let bytes = self.word(pc);
        u32::from_le_bytes(std::array::from_fn(|lane| match bytes[lane] {
            Some(byte) => byte,
            None if in_window => image[lane],
            None => panic!("nothing is known of the code at {pc:#x}"),
        }))
    }

    /// The value of an operation: from the log, or from memory, which must then be known.
    fn operation(&mut self, r: &Retire) -> u32 {
        self.operations.1 += 1;
        let logged = match self.next {
            Some(Entry::Operation { skipped, value }) if skipped == self.skipped => Some(value),
            _ => None,
        };
        let value = match logged {
            Some(logged) => {
                self.operations.0 += 1;
                self.skipped = 0;
                self.advance();
                match logged {
                    Value::Word(word) => {
                        let new = self.ranks.0.iter().all(|&e| e.1 == 0 || e.0 != word);
                        assert!(new, "{word:#x} is in the dictionary");
                        word
                    }
                    Value::Index(index) => {
                        let (value, counter) = self.ranks.0[index as usize];
                        assert!(counter > 0, "an index of an empty entry");
                        value
                    }
                }
            }
            None => {
                self.skipped += 1;
                assert_ne!(r.mem_rmask, 0, "only memory reads may be left out");
                assert!(self.config.is_memory(r.mem_addr), "devices are logged");
                let lanes = (0..4).filter(|lane| r.mem_rmask >> lane & 1 == 1);
                let bytes = self.word(r.mem_addr);
                lanes.rev().fold(0, |value, lane| {
                    let byte = bytes[lane].expect("a byte that was never seen was not logged");
                    value << 8 | u32::from(byte)
                })
            }
        };
        self.ranks.update(value);
        value
    }

    /// Follows one instruction. Returns whether all bytes of its memory read were known before.
    pub fn step(&mut self, r: &Retire) -> bool {
        let redirect = self.escape(|escape| match escape {
            Escape::Redirect(pc) => Some(pc),
            _ => None,
        });
        let pc = redirect.or(self.expected_pc).expect("a pc is known");
        assert_eq!(pc, r.pc_rdata, "pc at position {}", self.position);
        assert_eq!(self.fetch(pc), r.insn, "word at {pc:#x}");
        let trapped = self.escape(|escape| (escape == Escape::Trap).then_some(0));
        assert_eq!(trapped.is_some(), r.trap);
        let known = (0..4)
            .filter(|lane| r.mem_rmask >> lane & 1 == 1)
            .all(|lane| self.word(r.mem_addr)[lane].is_some());
        let is_csr = r.insn & 0x7f == 0x73 && r.insn & 0x7000 != 0 && r.rd_addr != 0;
        let is_sc = r.insn & 0xf800_007f == 0x1800_002f;
        if !r.trap && (r.mem_rmask != 0 || is_csr || is_sc) {
            let value = self.operation(r);
            if r.mem_rmask != 0 {
                let shift = 8 * r.mem_rmask.trailing_zeros();
                let mask = lookback_log_format::retire::lanes(r.mem_rmask);
                assert_eq!(value, (r.mem_rdata & mask) >> shift);
                if self.config.is_memory(r.mem_addr) {
                    self.learn(r.mem_addr, r.mem_rmask, value << shift);
                }
            } else {
                assert_eq!(value, result(r));
            }
        }
        if !r.trap && self.config.is_memory(r.mem_addr) {
            self.learn(r.mem_addr, r.mem_wmask, r.mem_wdata);
        }
        if r.rd_addr != 0 {
            self.registers[usize::from(r.rd_addr)] = r.rd_wdata;
        }
        self.digest.retire(r);
        self.position += 1;
        let opaque = r.trap || r.insn & 0x707f == 0x73;
        self.expected_pc = (!opaque).then_some(r.pc_wdata);
        known
    }

    /// The interval is over: nothing may be left, and the trailer must agree.
    pub fn finish(self, interval: &Interval) -> [u32; 32] {
        assert_eq!(self.next, None, "entries are left over");
        assert_eq!(interval.trailer.instructions, self.position);
        assert_eq!(interval.trailer.digest, self.digest.value());
        self.registers
    }
}

/// The value of a CSR read or store-conditional; `sc` may have no destination.
fn result(r: &Retire) -> u32 {
    if r.insn & 0x7f == 0x73 {
        r.rd_wdata
    } else {
        u32::from(r.mem_wmask == 0)
    }
}
