//! Random programs for a hart that has nothing but RAM around it: pieces that can be left out one by
//! one, between a start, a trap handler that goes on after what trapped, and a jump back.
//!
//! ```text
//!  0x8000_0000  start: registers, CSRs, PLIC
//!  0x8000_0100  trap vectors, handler
//!  0x8000_0400  the pieces, then back to the first
//!  0x8000_4000  data
//! ```

use super::decoding::{csr, insn};
use crate::blocks::seldom;
use crate::torture::asm::{
    addi, amo, branch, csr as csr_access, csrr, csrs, csrw, jal, jalr, li, lui, lw, store, sw,
    with_offset, Code, AUIPC, MRET, WFI,
};
use lookback_hdl::soc::csr_select::CsrName;
use lookback_model::stimulus::Random;
use proptest::collection::vec;
use proptest::prelude::*;

/// Where RAM begins.
pub const RAM: u32 = 0x8000_0000;
/// Its size.
pub const RAM_BYTES: u32 = 0x8000;
const HANDLER: u32 = RAM + 0x100;
const BODY: u32 = RAM + 0x400;
const DATA: u32 = RAM + 0x4000;

/// Registers that pieces leave alone: two pointers into the data, and the handler's.
const POINTER: u32 = 8;
const SECOND: u32 = 9;
const CLAIMED: u32 = 29;
const ONES: u32 = 30;
const OWN: u32 = 31;
/// Scratch for pieces.
const LEFT: u32 = 5;
const RIGHT: u32 = 6;

/// A step of a run: how the surroundings behave, or a piece of the program.
#[derive(Clone, Debug)]
pub enum Step {
    /// The surroundings; once, before the pieces.
    Around(Around),
    /// A part of the program.
    Piece(Piece),
}

/// What happens around the program.
#[derive(Clone, Debug)]
pub struct Around {
    /// data, bytes that come in, times
    pub seed: u64,
    /// how long it runs
    pub cycles: u16,
    /// how often the hart is stalled, somebody else writes, a line rises: in a thousand
    pub stall: u32,
    /// see `stall`
    pub others: u32,
    /// see `stall`
    pub lines: u32,
    /// interrupts go to entries of the vector table by their cause
    pub vectored: bool,
    /// when a reset comes, if one does
    pub reset: Option<u16>,
}

/// A part of a program.
#[derive(Clone, Debug)]
pub enum Piece {
    /// An instruction that goes on to the next.
    Word(u32),
    /// A branch or `jal` over some words, or to where no instruction can be.
    Forward(u32, u32, bool),
    /// `jalr` into `rd` over some words, and this much further.
    Indirect(u32, u32, u32),
    /// `jalr` to wherever a register points.
    Wild(u32),
    /// An access to an address.
    At(u32, u32),
    /// `mret` to the next piece, to U mode or M mode.
    Return(bool),
    /// `wfi`, with an alarm.
    Wait,
    /// A word to the test finisher, in an access of this size.
    Finish(u32, u32),
    /// A store or an AMO that writes the word of this instruction, or of the next.
    Rewrite(bool, bool),
    /// `lr.w`, some words, `sc.w`.
    Reserved(u32),
    /// The same while the DMA engine writes, so many words before the reserved one first.
    Race(u32, u32),
    /// The DMA engine copies: from, to, bytes.
    Copy(u32, u32, u32),
    /// Stores of the hart's own number to a word that all harts use, and loads of it, so many.
    Contend(u32),
}

impl Piece {
    /// A piece that does what an instruction word does, as far as the program stays in reach.
    fn of(w: u32) -> Self {
        let over = w >> 25 & 3;
        let is_odd = w >> 27 & 15 == 0;
        // The destination is none of those that must stay.
        let kept = [POINTER, SECOND, CLAIMED, ONES, OWN].contains(&(w >> 7 & 31));
        let safe = if kept { w ^ 16 << 7 } else { w };
        let based = |base: u32, w: u32| w & !(31 << 15) | base << 15;
        match w & 0x7f {
            0x63 => Self::Forward(w & !0xfe00_0f80, over, is_odd),
            0x6f => Self::Forward(safe & 0xfff, over, is_odd),
            0x67 if is_odd => Self::Wild(w >> 15 & 31),
            0x67 => Self::Indirect(safe >> 7 & 31, over, w >> 20 & 3),
            0x03 if !is_odd => Self::Word(based(POINTER, safe)),
            0x23 if !is_odd => Self::Word(based(POINTER, w)),
            0x2f if !is_odd => Self::Word(based(SECOND, safe)),
            0x23 => Self::Word(w),
            0x73 if w == MRET => Self::Return(is_odd),
            0x73 if w == WFI => Self::Wait,
            // Handler and resumption stay.
            0x73 if [csrs::MTVEC, csrs::MSCRATCH].contains(&(w >> 20)) => {
                Self::Word(csrr(safe >> 7 & 31, w >> 20))
            }
            _ => Self::Word(safe),
        }
    }

    fn words(&self) -> Vec<u32> {
        let further = |over: u32| 4 * (2 + over as i32);
        match *self {
            Self::Word(word) => vec![word],
            Self::Forward(word, over, odd) => {
                let offset = if odd { 6 } else { further(over) };
                vec![with_offset(word, offset)]
            }
            Self::Indirect(rd, over, odd) => {
                let offset = 4 + further(over) + odd as i32;
                vec![AUIPC | LEFT << 7, jalr(rd, LEFT, offset)]
            }
            Self::Wild(rs1) => vec![
                AUIPC | LEFT << 7,
                addi(LEFT, LEFT, 16),
                csrw(csrs::MSCRATCH, LEFT),
                jalr(1, rs1, 0),
            ],
            Self::At(word, address) => {
                let [upper, lower] = li(LEFT, address);
                vec![upper, lower, word & !(31 << 15) | LEFT << 15]
            }
            Self::Return(user) => {
                let [upper, lower] = li(RIGHT, 0x1800);
                let funct3 = if user { 3 } else { 2 };
                vec![
                    AUIPC | LEFT << 7,
                    addi(LEFT, LEFT, 28),
                    csrw(csrs::MEPC, LEFT),
                    upper,
                    lower,
                    csr_access(funct3, csrs::MSTATUS, 0, RIGHT),
                    MRET,
                ]
            }
            Self::Wait => vec![lui(LEFT, 0x0200_4000), sw(0, LEFT, 4), sw(0, LEFT, 0), WFI],
            Self::Finish(word, size) => {
                let [upper, lower] = li(RIGHT, word);
                let write = store(size, RIGHT, LEFT, 0);
                vec![lui(LEFT, 0x0010_0000), upper, lower, write]
            }
            Self::Rewrite(is_amo, next) => {
                let place = 12 + 4 * i32::from(next);
                let write = if is_amo {
                    amo(1, 0, 0, LEFT, RIGHT)
                } else {
                    sw(RIGHT, LEFT, 0)
                };
                let here = [
                    AUIPC | LEFT << 7,
                    addi(LEFT, LEFT, place),
                    lw(RIGHT, LEFT, 0),
                ];
                [&here[..], &[write, addi(0, 0, 0)]].concat()
            }
            Self::Reserved(between) => {
                let mut words = vec![amo(2, 0, 10, SECOND, 0)];
                words.resize(1 + between as usize, addi(0, 0, 0));
                words.push(amo(3, 0, 11, SECOND, 10));
                words
            }
            Self::Race(before, between) => {
                let to = DATA + 0x1000 - 4 * before;
                let copy = Self::Copy(DATA, to, 4 * (before + 2));
                [copy.words(), Self::Reserved(between).words()].concat()
            }
            Self::Copy(from, to, bytes) => {
                let mut words = vec![lui(LEFT, 0x1001_3000)];
                for (register, value) in [(0, from), (4, to), (8, bytes), (12, 3)] {
                    words.extend(li(RIGHT, value));
                    words.push(sw(RIGHT, LEFT, register));
                }
                words
            }
            Self::Contend(times) => {
                let mut words = vec![csrr(RIGHT, csrs::MHARTID)];
                for _ in 0..times {
                    words.extend([sw(RIGHT, SECOND, 0), lw(LEFT, SECOND, 0)]);
                }
                words
            }
        }
    }
}

/// Addresses of devices, of RAM's ends, and of nothing.
const PLACES: &[u32] = &[
    0x0200_0000,
    0x0200_0000,
    0x0200_4000,
    0x0200_4004,
    0x0200_bff8,
    0x0c00_1000,
    0x0c20_0004,
    0x1000_0000,
    0x1000_0000,
    0x1000_0001,
    0x1000_0003,
    0x1000_0005,
    0x1000_1000,
    0x1001_2000,
    0x1001_2004,
    0x1001_3010,
    0x1001_3008,
    RAM + RAM_BYTES - 4,
    RAM + RAM_BYTES,
    BODY + 0x40,
    0x7fff_fffc,
    0,
];

/// Programs; with or without the devices that only a whole SoC has.
pub fn programs(cycles: std::ops::Range<u16>, devices: bool) -> BoxedStrategy<Vec<Step>> {
    let known = (0..0x1000u32).prop_filter("a register", |n| csr(*n) != CsrName::Unknown);
    let system = (
        known,
        prop_oneof![Just(1u32), Just(2), Just(3), Just(5)],
        0..32u32,
        0..32u32,
    );
    let system =
        system.prop_map(|(number, f3, rd, rs1)| Piece::of(csr_access(f3, number, rd, rs1)));
    let access = prop_oneof![
        (proptest::sample::select(&[0u32, 1, 2, 4, 5][..]), 10..20u32)
            .prop_map(|(f3, rd)| 0x03 | f3 << 12 | rd << 7),
        (0..3u32, 0..32u32).prop_map(|(f3, rs2)| store(f3, rs2, 0, 0)),
        (0..32u32, 10..20u32, 0..32u32)
            .prop_map(|(f5, rd, rs2)| 0x202f | f5 << 27 | rd << 7 | rs2 << 20),
    ];
    let place = proptest::sample::select(PLACES);
    let at = (access, place).prop_map(|(word, address)| Piece::At(word, address));
    let code = proptest::sample::select(&[0x5555u32, 0x0007_3333, 0x0012_7777, 0x0001_2345][..]);
    let finish = (code, 0..3u32).prop_map(|(code, size)| Piece::Finish(code, size));
    let reserved = prop_oneof![
        (0..12u32).prop_map(Piece::Reserved),
        Just(Piece::Word(amo(2, 0, 12, SECOND, 0))),
        Just(Piece::Word(amo(3, 0, 13, SECOND, 10))),
    ];
    let near = (0..8u32).prop_map(|word| DATA + 0x1000 + 4 * word);
    let copy = (0..0x2000u32, near, 1..6u32)
        .prop_map(|(from, to, words)| Piece::Copy((RAM + 4 * from) & !3, to, 4 * words));
    let race = (0..8u32, 0..8u32).prop_map(|(before, between)| Piece::Race(before, between));
    let copy = if devices {
        prop_oneof![copy, race].boxed()
    } else {
        Just(Piece::Wait).boxed()
    };
    let piece = prop_oneof![
        40 => insn().prop_map(Piece::of),
        6 => system,
        6 => at,
        6 => reserved,
        1 => finish,
        2 => any::<bool>().prop_map(Piece::Return),
        6 => (any::<bool>(), any::<bool>()).prop_map(|(amo, next)| Piece::Rewrite(amo, next)),
        1 => Just(Piece::Wait),
        4 => copy,
    ];
    let rate = || prop_oneof![2 => Just(0u32), 1 => Just(100), 1 => Just(500)];
    let lines = prop_oneof![1 => Just(0u32), 1 => Just(5), 1 => Just(40)];
    let reset = (seldom(300), 40..1000u16).prop_map(|(is, cycle)| is.then_some(cycle));
    let around = (
        any::<u64>(),
        cycles,
        rate(),
        rate(),
        lines,
        any::<bool>(),
        reset,
    );
    let around = around.prop_map(
        |(seed, cycles, stall, others, lines, vectored, reset)| Around {
            seed,
            cycles,
            stall,
            others,
            lines,
            vectored,
            reset,
        },
    );
    (around, vec(piece.prop_map(Step::Piece), 1..60))
        .prop_map(|(around, pieces)| [vec![Step::Around(around)], pieces].concat())
        .boxed()
}

/// The same on several harts, some of which begin with accesses to one word: the order of accesses
/// shows where they meet.
pub fn programs_that_meet(cycles: std::ops::Range<u16>, devices: bool) -> BoxedStrategy<Vec<Step>> {
    (programs(cycles, devices), seldom(200), 1..8u32)
        .prop_map(|(mut run, meet, times)| {
            if meet {
                run.insert(1, Step::Piece(Piece::Contend(times)));
            }
            run
        })
        .boxed()
}

/// The surroundings of a run.
pub fn around(run: &[Step]) -> Option<&Around> {
    run.iter().find_map(|step| match step {
        Step::Around(around) => Some(around),
        Step::Piece(_) => None,
    })
}

/// RAM with a run's program in it.
pub fn memory(run: &[Step], around: &Around) -> Vec<u32> {
    let mut memory = vec![0; RAM_BYTES as usize / 4];
    let mut place = |at: u32, words: Vec<u32>| {
        let first = (at - RAM) as usize / 4;
        memory[first..first + words.len()].copy_from_slice(&words);
    };
    place(RAM, start(around.vectored));
    place(HANDLER, handler());
    let pieces = run.iter().filter_map(|step| match step {
        Step::Piece(piece) => Some(piece.words()),
        Step::Around(_) => None,
    });
    let mut body: Vec<u32> = pieces.flatten().collect();
    // Where jumps over the last pieces go.
    body.extend([addi(0, 0, 0); 8]);
    body.push(jal(0, -4 * body.len() as i32));
    place(BODY, body);
    let mut random = Random::new(around.seed ^ 0xdada);
    let words = (DATA..RAM + RAM_BYTES).step_by(4);
    place(
        DATA,
        words.map(|_| random.word() >> random.below(32)).collect(),
    );
    memory
}

fn start(vectored: bool) -> Vec<u32> {
    let mut code = Code::at(RAM);
    code.put(li(LEFT, HANDLER | u32::from(vectored)));
    code.put([csrw(csrs::MTVEC, LEFT)]);
    code.put(li(POINTER, DATA + 0x800));
    code.put(li(SECOND, DATA + 0x1000));
    code.put([addi(ONES, 0, -1)]);
    code.put(li(LEFT, BODY)).put([csrw(csrs::MSCRATCH, LEFT)]);
    code.put(li(LEFT, 0x888)).put([csrw(csrs::MIE, LEFT)]);
    // Both sources of the PLIC may interrupt.
    code.put([lui(LEFT, 0x0c00_0000), addi(RIGHT, 0, 1)]);
    code.put([sw(RIGHT, LEFT, 40), sw(RIGHT, LEFT, 44)]);
    code.put([lui(LEFT, 0x0c00_2000)]);
    code.put(li(RIGHT, 0xc00)).put([sw(RIGHT, LEFT, 0)]);
    code.put([lui(LEFT, 0x1000_0000), addi(RIGHT, 0, 1)]);
    code.put([store(0, RIGHT, LEFT, 1)]);
    code.put([csr_access(6, csrs::MSTATUS, 0, 8)]);
    let offset = BODY.wrapping_sub(code.here()) as i32;
    code.put([jal(0, offset)]);
    code.finish()
}

/// Goes on after what trapped; after a jump to nowhere, where `mscratch` says.
fn handler() -> Vec<u32> {
    let mut code = Code::at(HANDLER);
    for _ in 0..16 {
        code.to(jal(0, 0), "common");
    }
    code.label("common").put([csrr(OWN, csrs::MCAUSE)]);
    code.to(branch(4, OWN, 0, 0), "interrupt");
    code.put([addi(OWN, OWN, -1)]);
    code.to(branch(0, OWN, 0, 0), "lost");
    code.put([csrr(OWN, csrs::MEPC), addi(OWN, OWN, 4)]);
    code.put([csrw(csrs::MEPC, OWN), MRET]);
    code.label("lost").put([csrr(OWN, csrs::MSCRATCH)]);
    code.put([csrw(csrs::MEPC, OWN), MRET]);
    // Whatever it was is silenced.
    code.label("interrupt");
    code.put([lui(OWN, 0x0200_0000), sw(0, OWN, 0)]);
    code.put([lui(OWN, 0x0200_4000), sw(ONES, OWN, 4)]);
    code.put([lui(OWN, 0x1000_0000), store(0, 0, OWN, 1)]);
    code.put([lui(OWN, 0x1001_3000), sw(ONES, OWN, 16)]);
    code.put([lui(OWN, 0x0c20_0000), lw(CLAIMED, OWN, 4)]);
    code.put([sw(CLAIMED, OWN, 4), MRET]);
    code.finish()
}
