//! Random programs from a seed.
//!
//! A [`Profile`] says who has to agree on a program. `Common` is for all machines, QEMU included, so
//! it keeps to what the specification fixes. `Own` adds what QEMU does otherwise, and what comes at
//! a time that no other machine has: misaligned accesses, faulting atomics, alarms that go off
//! anywhere, clocks that are read.

use super::asm::{self, csrs, i_type, jal, lui, r_type, store, AUIPC, EBREAK, ECALL};
use super::image::{Program, POINTER, RESERVED, SECOND_POINTER};
use super::item::{Back, Item};
use super::pieces::{self, Source};
use super::random::Random;
use super::tables::{CLOCKS, ILLEGAL, MAJORS, NOWHERE, OTHERS, WRITABLE};

/// Who has to agree on a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The hart, the replayer, the reference and QEMU.
    Common,
    /// All but QEMU.
    Own,
}

/// A program of a seed.
pub fn program(seed: u64, profile: Profile, pieces: usize) -> Program {
    let mut random = Random::new(
        seed ^ if profile == Profile::Own {
            0x006f_776e
        } else {
            0
        },
    );
    let vectored = random.one_in(2);
    let source = random.pick(&SOURCES);
    let mut generator = Generator {
        random,
        profile,
        source,
    };
    let items = generator.items(pieces, true);
    Program {
        name: format!("{profile:?} {seed:#x}").to_lowercase(),
        items,
        seed,
        vectored,
    }
}

const SOURCES: [Source; 3] = [Source::Software, Source::Timer, Source::Console];

struct Generator {
    random: Random,
    profile: Profile,
    /// The only source of interrupts in a common program: of several at once QEMU takes the one
    /// with the lowest number, against the specification.
    source: Source,
}

impl Generator {
    fn items(&mut self, count: usize, loops: bool) -> Vec<Item> {
        (0..count).map(|_| self.item(loops)).collect()
    }

    fn item(&mut self, loops: bool) -> Item {
        match self.random.below(100) {
            0..=26 => Item::word(self.register_operation()),
            27..=44 => Item::word(self.immediate_operation()),
            45..=60 => Item::word(self.memory_access()),
            61..=66 => self.atomic(),
            67..=76 => self.forward(),
            77..=79 if loops => self.repeated(),
            77..=84 => self.csr(),
            85..=88 => self.exception(),
            89..=93 => self.mode(),
            94..=97 => self.interrupt(),
            _ => self.fence(),
        }
    }

    fn rd(&mut self) -> u32 {
        loop {
            let register = self.random.below(32);
            if !RESERVED.contains(&register) {
                return register;
            }
        }
    }

    fn rs(&mut self) -> u32 {
        self.random.below(32)
    }

    fn register_operation(&mut self) -> u32 {
        let (rd, rs1, rs2) = (self.rd(), self.rs(), self.rs());
        let funct3 = self.random.below(8);
        let funct7 = match self.random.below(3) {
            0 => 0,
            1 if funct3 == 0 || funct3 == 5 => 0x20,
            _ => 1,
        };
        r_type(0x33, funct3, funct7, rd, rs1, rs2)
    }

    fn immediate_operation(&mut self) -> u32 {
        let (rd, rs1) = (self.rd(), self.rs());
        let funct3 = self.random.below(9);
        let imm = self.random.operand() as i32;
        match funct3 {
            8 if imm & 1 == 0 => lui(rd, self.random.word()),
            8 => AUIPC | rd << 7 | self.random.word() & 0xffff_f000,
            1 => i_type(0x13, 1, rd, rs1, imm & 31),
            5 => i_type(0x13, 5, rd, rs1, imm & 31 | (imm & 32) << 5),
            _ => i_type(0x13, funct3, rd, rs1, imm << 20 >> 20),
        }
    }

    /// An offset into the data: near the pointer more often than not, so that accesses meet.
    fn offset(&mut self, size: u32) -> i32 {
        let range = self.random.pick(&[16, 16, 64, 2048]);
        let offset = self.random.below(2 * range) as i32 - range as i32;
        let keeps = self.profile == Profile::Own && self.random.one_in(4);
        if keeps {
            offset
        } else {
            offset & -(size as i32)
        }
    }

    fn memory_access(&mut self) -> u32 {
        let base = self.random.pick(&[POINTER, POINTER, SECOND_POINTER]);
        if self.random.one_in(2) {
            let funct3 = self.random.below(3);
            let offset = self.offset(1 << funct3).max(-2048);
            // The second pointer's upper reach is the end of the data.
            let offset = if base == POINTER {
                offset
            } else {
                offset.min(1016)
            };
            return store(funct3, self.rs(), base, offset);
        }
        let funct3 = self.random.pick(&[0, 1, 2, 4, 5]);
        let offset = self.offset(1 << (funct3 & 3));
        pieces::load(funct3, self.rd(), base, offset)
    }

    fn atomic(&mut self) -> Item {
        let (rd, rs2, ordering) = (self.rd(), self.rs(), self.random.below(4));
        let offset = self.offset(4);
        let operations = [0, 1, 4, 8, 12, 16, 20, 24, 28];
        match self.random.below(8) {
            0 | 1 => {
                let between: Vec<u32> = (0..self.random.below(4)).map(|_| self.between()).collect();
                let apart = self.random.pick(&[0, 0, 0, 4]);
                let result = self.rd();
                pieces::reserved(rd, result, rs2, offset, &between, apart)
            }
            2 => pieces::reserved_once(rd, self.rd(), rs2, offset),
            3 if self.profile == Profile::Own => {
                let address = self.random.pick(&NOWHERE) + self.random.below(4);
                let operation = self.random.pick(&[0, 1, 2, 3, 4, 28]);
                let rs2 = if operation == 2 { 0 } else { rs2 };
                let word = asm::amo(operation, 0, rd, super::item::LINK, rs2);
                pieces::access_at(address, word)
            }
            _ => pieces::atomic(self.random.pick(&operations), ordering, rd, rs2, offset),
        }
    }

    /// Something that keeps `x30` and does not trap.
    fn between(&mut self) -> u32 {
        let rd = self.random.pick(&[5, 6, 7, 10, 11, 12]);
        let (rs1, rs2) = (self.rs(), self.rs());
        r_type(
            0x33,
            self.random.below(8),
            self.random.below(2),
            rd,
            rs1,
            rs2,
        )
    }

    fn forward(&mut self) -> Item {
        let over = self.random.below(6) as usize;
        match self.random.below(8) {
            0 => Item::Forward(jal(self.rd(), 0), over),
            1 => {
                let odd = self.random.pick(&[0, 0, 1, 2]);
                let rd = self.rd();
                pieces::computed_jump(rd, self.random.below(3), odd)
            }
            2 if self.random.one_in(3) => Item::word(jal(self.rd(), 6)),
            2 if self.random.one_in(2) => {
                let funct3 = self.random.pick(&[0, 1, 4, 5, 6, 7]);
                Item::word(asm::branch(funct3, self.rs(), self.rs(), 6))
            }
            _ => {
                let funct3 = self.random.pick(&[0, 1, 4, 5, 6, 7]);
                let (rs1, rs2) = (self.rs(), self.rs());
                Item::Forward(asm::branch(funct3, rs1, rs2, 0), over)
            }
        }
    }

    fn repeated(&mut self) -> Item {
        let pieces = 1 + self.random.below(8) as usize;
        Item::Loop {
            count: 1 + self.random.below(5),
            back: self.random.pick(&[Back::Branch, Back::Jal, Back::Jalr]),
            body: self.items(pieces, false),
        }
    }

    fn csr(&mut self) -> Item {
        let funct3 = self.random.pick(&[1, 2, 3, 5, 6, 7]);
        let rd = self.rd();
        match self.random.below(8) {
            0 => {
                let number = self.random.pick(&OTHERS);
                let value = self.random.pick(&[0, 0, 1, 0xffff_ffff]);
                if value == 0 && funct3 < 4 && self.profile == Profile::Common {
                    // QEMU takes a register of value 0 for none.
                    return Item::word(asm::csr(funct3, number, rd, 0));
                }
                pieces::csr_access(funct3, number, rd, value)
            }
            1 => {
                let number = self.random.pick(&CLOCKS);
                match (self.profile, self.random.below(4)) {
                    (_, 0) => pieces::csr_access(1, number, 0, self.random.operand()),
                    (Profile::Common, _) => pieces::clock_read(number, rd),
                    (Profile::Own, _) => pieces::csr_access(2, number, rd, 0),
                }
            }
            2 => {
                let value = self.random.word() & !2;
                pieces::vector_access(self.random.pick(&[1, 1, 2]), rd, value)
            }
            _ => {
                let (number, mask) = self.random.pick(&WRITABLE);
                let mut value = self.random.operand() & mask;
                if number == csrs::MSTATUS && value & 0x1800 != 0 {
                    value |= 0x1800;
                }
                if funct3 & 4 != 0 {
                    value &= 31;
                }
                pieces::csr_access(funct3, number, rd, value)
            }
        }
    }

    /// A device's register whose value only the machine itself knows.
    fn device(&mut self) -> Item {
        let registers = [0x0200_bff8, 0x0200_bffc, 0x0200_4000, 0x0c00_1000];
        let word = pieces::load(2, self.rd(), super::item::LINK, 0);
        pieces::access_at(self.random.pick(&registers), word)
    }

    fn exception(&mut self) -> Item {
        match self.random.below(7) {
            6 if self.profile == Profile::Own => self.device(),
            0 => Item::word(ECALL),
            1 => Item::word(EBREAK),
            2 => Item::word(self.random.pick(&ILLEGAL)),
            3 => Item::word(self.random.word() & !0x7f | self.random.pick(&MAJORS)),
            4 => pieces::jump_nowhere(self.random.pick(&NOWHERE)),
            _ => {
                let (rd, rs2) = (self.rd(), self.rs());
                let words = [
                    pieces::load(self.random.pick(&[0, 1, 2, 4, 5]), rd, 30, 0),
                    store(self.random.below(3), rs2, 30, 0),
                ];
                let word = self.random.pick(&words);
                pieces::access_at(self.random.pick(&NOWHERE), word)
            }
        }
    }

    fn mode(&mut self) -> Item {
        let status = match self.profile {
            Profile::Common => self.random.operand() & 0x0020_0088,
            Profile::Own => self.random.operand() & 0x0022_0088,
        };
        match self.random.below(8) {
            0..=2 => pieces::return_to(false, status),
            3..=5 => pieces::to_machine(),
            6 => pieces::return_to(true, status),
            _ => pieces::forbidden_return(),
        }
    }

    fn interrupt(&mut self) -> Item {
        let source = match self.profile {
            Profile::Common => self.source,
            Profile::Own => self.random.pick(&SOURCES),
        };
        match self.random.below(8) {
            0..=2 => pieces::raise(source),
            3 | 4 => pieces::enable(source),
            5 => Item::Words(pieces::wait_pending(source)),
            6 => pieces::sleep(self.random.one_in(2), 40 + self.random.below(40)),
            _ if self.profile == Profile::Own => pieces::alarm(self.random.below(60)),
            _ => pieces::enable(source),
        }
    }

    fn fence(&mut self) -> Item {
        match self.random.below(4) {
            0 => Item::word(asm::FENCE_I),
            1 => Item::word(0x0f | self.random.below(256) << 20),
            _ => {
                let word = match self.random.below(3) {
                    0 => self.register_operation(),
                    1 => self.immediate_operation(),
                    _ => self.random.pick(&[ECALL, EBREAK, 0]),
                };
                pieces::modify_code(word)
            }
        }
    }
}
