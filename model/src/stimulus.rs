//! Random runs to drive the model and the hardware with: deterministic from a seed, and coherent as
//! far as a recorder can tell. What the hart loads is what was stored there, instruction words are
//! what memory holds at their pc, other writers' data is part of memory too. Addresses, register
//! values and branches are free.

use lookback_log_format::retire::lanes;
use lookback_log_format::{RecorderConfig, Retire};
use std::collections::HashMap;

/// A small random number generator (xorshift64*), enough for tests and the same everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator; any seed will do.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed ^ 0x9e37_79b9_7f4a_7c15);
        if random.0 == 0 {
            random.0 = 1;
        }
        // Seeds that differ in few bits are told apart only after some steps.
        for _ in 0..8 {
            random.word();
        }
        random
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    /// True `per_mille` times in a thousand.
    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    /// One of a list, which is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }
}

/// How often the rarer things happen, in a thousand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mix {
    /// Writes by others before an instruction.
    pub dma: u32,
    /// Interrupts before an instruction.
    pub interrupt: u32,
    /// Accesses that fault although the instruction is fine.
    pub fault: u32,
    /// Data accesses (and writes by others) that go to code.
    pub to_code: u32,
    /// Data accesses that go to devices.
    pub to_device: u32,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            dma: 40,
            interrupt: 8,
            fault: 10,
            to_code: 60,
            to_device: 120,
        }
    }
}

/// What happens next on the ports of a recorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An instruction retires.
    Retire(Retire),
    /// Somebody other than the hart writes memory.
    Snoop {
        /// Word-aligned address.
        addr: u32,
        /// Bytes written.
        mask: u8,
        /// The word written, in its lanes. A recorder does not see it.
        data: u32,
    },
}

/// An endless run; see [`Iterator`].
#[derive(Debug, Clone)]
pub struct Stimulus {
    seed: u64,
    random: Random,
    mix: Mix,
    places: Places,
    /// Words that differ from [`Stimulus::initial`].
    written: HashMap<u32, u32>,
    registers: [u32; 32],
    order: u64,
    pc: u32,
    mode: u8,
    /// The next instruction is the first of a handler.
    intr: bool,
    snooped: bool,
}

/// Where things are.
#[derive(Debug, Clone)]
struct Places {
    /// Stretches of code, `[from, to)`: in the image window, beside it, outside memory.
    code: Vec<(u32, u32)>,
    /// Words of data.
    data: Vec<u32>,
    /// Words of devices; empty when everything is memory.
    devices: Vec<u32>,
}

impl Places {
    fn new(config: &RecorderConfig) -> Self {
        let (lo, hi) = (config.image_lo, config.image_hi);
        let memory = |offset: u32| config.mem_base | (offset & !config.mem_mask & !3);
        let mut code = Vec::new();
        if lo < hi {
            code.push((lo, hi.min(lo.saturating_add(256))));
            code.push((hi - 64, hi));
        }
        let beside = memory(hi);
        code.push((beside, beside.saturating_add(64)));
        let mut devices = Vec::new();
        if config.mem_mask != 0 {
            let outside = config.mem_base ^ (1 << config.mem_mask.trailing_zeros());
            code.push((outside, outside.saturating_add(32)));
            devices.extend((0..4).map(|i| outside.wrapping_add(0x100 + 4 * i)));
        }
        // Three lines for each of a few sets, so that two ways are too few.
        let line = u32::from(config.tag_words) * 4;
        let stride = line << config.tag_set_bits;
        let first = hi.wrapping_add(0x400) / line * line;
        let mut data = Vec::new();
        for set in 0..4 {
            for alias in 0..3u32 {
                for word in 0..u32::from(config.tag_words).min(4) {
                    let offset = set * line + 4 * word;
                    let at = first
                        .wrapping_add(alias.wrapping_mul(stride))
                        .wrapping_add(offset);
                    data.push(memory(at));
                }
            }
        }
        Self {
            code,
            data,
            devices,
        }
    }

    fn is_code(&self, addr: u32) -> bool {
        self.code
            .iter()
            .any(|&(from, to)| (from..to).contains(&addr))
    }
}

/// An instruction word, most of them legal.
fn instruction(random: &mut Random) -> u32 {
    let bits = random.word();
    let registers = bits & 0x01ff_8f80;
    let funct3 = |number: u32| number << 12;
    match random.below(100) {
        0..=24 => bits & 0xffff_8f80 | 0x13,
        25..=27 => bits & 0xffff_ff80 | 0x37,
        28..=52 => bits & 0xffff_8f80 | funct3(random.pick(&[0, 1, 2, 2, 2, 4, 5])) | 0x03,
        53..=70 => bits & 0xffff_8f80 | funct3(random.pick(&[0, 1, 2, 2])) | 0x23,
        71..=76 => bits & 0xffff_8f80 | 0x63,
        77..=79 => bits & 0xffff_ff80 | 0x6f,
        80..=85 => bits & 0xffff_8f80 | funct3(random.pick(&[1, 2, 3, 5, 6, 7])) | 0x73,
        86..=89 => registers | random.pick(&[0, 1, 4, 8, 12, 28]) << 27 | funct3(2) | 0x2f,
        90..=91 => registers & !(31 << 20) | 2 << 27 | funct3(2) | 0x2f,
        92..=93 => registers | 3 << 27 | funct3(2) | 0x2f,
        94 => 0x0000_000f,
        95..=97 => random.pick(&[0x3020_0073, 0x3020_0073, 0x1050_0073]),
        98 => random.pick(&[0x0000_0073, 0x0010_0073]),
        _ => bits & !3,
    }
}

/// A word of data: programs use few values often and others once.
fn datum(random: &mut Random) -> u32 {
    match random.below(8) {
        0..=2 => 0,
        3 => 1,
        4 => u32::MAX,
        5 => 0x0101_0101 * random.below(16),
        _ => random.word(),
    }
}

impl Stimulus {
    /// A run with the usual mix.
    pub fn new(seed: u64, config: &RecorderConfig) -> Self {
        Self::with_mix(seed, config, Mix::default())
    }

    /// A run with a mix of its own.
    pub fn with_mix(seed: u64, config: &RecorderConfig, mix: Mix) -> Self {
        let places = Places::new(config);
        Self {
            seed,
            random: Random::new(seed),
            mix,
            pc: places.code[0].0,
            places,
            written: HashMap::new(),
            registers: [0; 32],
            order: 0,
            mode: 3,
            intr: false,
            snooped: false,
        }
    }

    /// What the word at `addr` held when the run began: code in the image window is what the ELF
    /// says.
    pub fn initial(&self, addr: u32) -> u32 {
        let mut random = Random::new(self.seed.rotate_left(32) ^ u64::from(addr));
        if self.places.is_code(addr) {
            instruction(&mut random)
        } else {
            datum(&mut random)
        }
    }

    /// What the word at `addr` holds now.
    pub fn memory(&self, addr: u32) -> u32 {
        let written = self.written.get(&addr).copied();
        written.unwrap_or_else(|| self.initial(addr))
    }

    /// The registers now.
    pub fn registers(&self) -> [u32; 32] {
        self.registers
    }

    fn write(&mut self, addr: u32, mask: u8, data: u32) {
        let lanes = lanes(mask);
        let word = self.memory(addr) & !lanes | data & lanes;
        self.written.insert(addr, word);
    }

    fn code_address(&mut self) -> u32 {
        // The first stretch is the hottest: most code is known code.
        let stretch = if self.random.chance(700) {
            self.places.code[0]
        } else {
            self.random.pick(&self.places.code)
        };
        stretch.0 + 4 * self.random.below((stretch.1 - stretch.0) / 4)
    }

    fn data_address(&mut self) -> u32 {
        if self.random.chance(self.mix.to_code) {
            self.code_address()
        } else {
            self.random.pick(&self.places.data)
        }
    }

    fn is_device(&self, addr: u32) -> bool {
        self.places.devices.contains(&addr)
    }

    /// A value to store at `addr`: code is overwritten by code.
    fn stored(&mut self, addr: u32) -> u32 {
        if self.places.is_code(addr) {
            instruction(&mut self.random)
        } else {
            datum(&mut self.random)
        }
    }

    fn snoop(&mut self) -> Event {
        let addr = self.data_address();
        let mask = 1 + self.random.below(15) as u8;
        let data = self.stored(addr);
        self.write(addr, mask, data);
        Event::Snoop { addr, mask, data }
    }

    fn retire(&mut self) -> Retire {
        if self.random.chance(self.mix.interrupt) {
            self.enter_handler();
        }
        let insn = self.memory(self.pc);
        let mut r = Retire {
            order: self.order,
            insn,
            intr: std::mem::take(&mut self.intr),
            mode: self.mode,
            rs1_addr: (insn >> 15 & 31) as u8,
            rs2_addr: (insn >> 20 & 31) as u8,
            rd_addr: (insn >> 7 & 31) as u8,
            // What a port shows when it means nothing must not matter: make it differ each time.
            rd_wdata: self.random.word(),
            mem_addr: self.random.word() & !3,
            mem_rdata: self.random.word(),
            mem_wdata: self.random.word(),
            pc_rdata: self.pc,
            pc_wdata: self.pc.wrapping_add(4),
            ..Retire::default()
        };
        r.rs1_rdata = self.registers[usize::from(r.rs1_addr)];
        r.rs2_rdata = self.registers[usize::from(r.rs2_addr)];
        if !self.execute(&mut r) {
            r.trap = true;
            (r.rd_addr, r.mem_rmask, r.mem_wmask) = (0, 0, 0);
            self.enter_handler();
            r.pc_wdata = self.pc;
        }
        self.order += 1;
        self.pc = r.pc_wdata;
        if r.rd_addr != 0 {
            self.registers[usize::from(r.rd_addr)] = r.rd_wdata;
        }
        if r.mem_wmask != 0 {
            self.write(r.mem_addr, r.mem_wmask, r.mem_wdata);
        }
        r
    }

    fn enter_handler(&mut self) {
        self.pc = self.code_address();
        self.mode = 3;
        self.intr = true;
    }

    /// Fills in what the instruction does; `false` when it traps.
    fn execute(&mut self, r: &mut Retire) -> bool {
        let funct3 = r.insn >> 12 & 7;
        match r.insn & 0x7f {
            0x13 | 0x37 => {}
            0x0f => r.rd_addr = 0,
            0x63 => {
                r.rd_addr = 0;
                if self.random.chance(500) {
                    r.pc_wdata = self.code_address();
                }
            }
            0x6f => r.pc_wdata = self.code_address(),
            0x03 if matches!(funct3, 0 | 1 | 2 | 4 | 5) => return self.load(r, funct3),
            0x23 if funct3 < 3 => return self.store(r, funct3),
            0x2f if funct3 == 2 => return self.atomic(r),
            0x73 if funct3 == 0 => return self.system(r),
            0x73 if funct3 != 4 => {}
            _ => return false,
        }
        true
    }

    /// Chooses the address of an access and the bytes of it; `None` when it faults.
    fn access(&mut self, r: &mut Retire, size_bits: u32) -> Option<u8> {
        if self.random.chance(self.mix.fault) {
            return None;
        }
        r.mem_addr = if !self.places.devices.is_empty() && self.random.chance(self.mix.to_device) {
            self.random.pick(&self.places.devices)
        } else {
            self.data_address()
        };
        let size = 1 << size_bits;
        let mask = (1u32 << size) - 1;
        Some((mask << (self.random.below(4 / size) * size)) as u8)
    }

    /// The bytes read, and noise in the lanes beside them.
    fn read(&mut self, r: &mut Retire, mask: u8) -> u32 {
        let word = if self.is_device(r.mem_addr) {
            datum(&mut self.random)
        } else {
            self.memory(r.mem_addr)
        };
        r.mem_rmask = mask;
        r.mem_rdata = word & lanes(mask) | self.random.word() & !lanes(mask);
        (word & lanes(mask)) >> (8 * mask.trailing_zeros())
    }

    fn load(&mut self, r: &mut Retire, funct3: u32) -> bool {
        let Some(mask) = self.access(r, funct3 & 3) else {
            return false;
        };
        let value = self.read(r, mask);
        r.rd_wdata = match funct3 {
            0 => value as u8 as i8 as u32,
            1 => value as u16 as i16 as u32,
            _ => value,
        };
        true
    }

    fn store(&mut self, r: &mut Retire, funct3: u32) -> bool {
        let Some(mask) = self.access(r, funct3) else {
            return false;
        };
        r.rd_addr = 0;
        r.mem_wmask = mask;
        r.mem_wdata = self.stored(r.mem_addr);
        r.rs2_rdata = r.mem_wdata >> (8 * mask.trailing_zeros());
        true
    }

    fn atomic(&mut self, r: &mut Retire) -> bool {
        let Some(mask) = self.access(r, 2) else {
            return false;
        };
        match r.insn >> 27 {
            2 => r.rd_wdata = self.read(r, mask),
            3 => {
                let stored = self.random.chance(600);
                r.rd_wdata = u32::from(!stored);
                r.mem_wmask = if stored { mask } else { 0 };
                r.mem_wdata = self.stored(r.mem_addr);
            }
            _ => {
                r.rd_wdata = self.read(r, mask);
                r.mem_wmask = mask;
                r.mem_wdata = self.stored(r.mem_addr);
            }
        }
        true
    }

    fn system(&mut self, r: &mut Retire) -> bool {
        r.rd_addr = 0;
        match r.insn >> 20 {
            0x302 => {
                r.pc_wdata = self.code_address();
                self.mode = self.random.pick(&[0, 3]);
                true
            }
            0x105 => true,
            _ => false,
        }
    }
}

impl Iterator for Stimulus {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        // At most one write by others between two instructions keeps the hart running.
        if !self.snooped && self.random.chance(self.mix.dma) {
            self.snooped = true;
            return Some(self.snoop());
        }
        self.snooped = false;
        Some(Event::Retire(self.retire()))
    }
}
