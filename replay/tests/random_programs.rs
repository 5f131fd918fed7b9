//! Programs of random instructions, which trap, loop, overwrite themselves and read devices,
//! replay as the reference machine ran them.

mod common;

use common::{config, record};
use lookback_log_format::config::{Codec, Coder, Compact, TagKind};
use lookback_log_format::retire::lanes;
use lookback_log_format::{isa, RecorderConfig};
use lookback_replay::{verify, Machine};
use proptest::prelude::*;

const BODY: u32 = 0x8000_0100;
const BODY_WORDS: usize = 192;

fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: u32) -> u32 {
    imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn lui(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x37
}

/// Sets the trap vector, turns the timer on, points some registers at memory and devices, then
/// falls into the body. The handler skips the instruction that trapped, or starts the body again
/// when the pc is lost.
fn start() -> Vec<u32> {
    const T6: u32 = 31;
    let csr = |funct3, number, rd, rs1| i_type(0x73, funct3, rd, rs1, number);
    let handler = 0x8000_0080u32;
    let mut words = vec![
        lui(T6, handler),
        i_type(0x13, 0, T6, T6, handler & 0xfff),
        csr(1, 0x305, 0, T6),      // csrw mtvec
        csr(6, 0x304, 0, 0b01000), // csrsi mie, software interrupt
        csr(6, 0x300, 0, 0b01000), // csrsi mstatus, MIE
        lui(10, 0x8000_1000),
        lui(11, 0x8000_0000),
        lui(12, 0x0200_0000),           // msip, in the CLINT
        lui(13, 0x1000_0000),           // console
        i_type(0x13, 0, 14, 11, 0x100), // the body itself
    ];
    words.push(jump(BODY - 0x8000_0000 - 4 * words.len() as u32));
    words.resize(32, 0);
    words.extend([
        lui(T6, 0x0200_0000),
        0x0000_0023 | T6 << 15 | 2 << 12, // sw zero, 0(t6): no software interrupt
        csr(2, 0x341, T6, 0),             // csrr t6, mepc
        i_type(0x13, 0, T6, T6, 4),
        csr(1, 0x341, 0, T6),        // csrw mepc
        i_type(0x13, 5, T6, T6, 12), // srli t6, t6, 12
        lui(30, 0x8000_0000),
        i_type(0x13, 5, 30, 30, 12),
        30 << 20 | T6 << 15 | 8 << 7 | 0x63, // beq t6, t5, +8
        jump(8),
        0x3020_0073, // mret: still in the first page
        lui(T6, BODY),
        i_type(0x13, 0, T6, T6, BODY & 0xfff),
        csr(1, 0x341, 0, T6),
        0x3020_0073,
    ]);
    words.resize((BODY - 0x8000_0000) as usize / 4, 0);
    words
}

fn jump(offset: u32) -> u32 {
    let sign = offset & 1 << 31;
    sign | (offset & 0x7fe) << 20 | (offset >> 11 & 1) << 20 | offset & 0xf_f000 | 0x6f
}

/// A word that is an instruction more often than not. Pointers are in x10 to x14 and stay there.
fn instruction() -> impl Strategy<Value = u32> {
    let fields = (any::<u32>(), 0u32..16, any::<prop::sample::Index>());
    let opcodes = [
        0x13, 0x13, 0x13, 0x33, 0x33, 0x37, 0x17, 0x03, 0x03, 0x03, 0x23, 0x23, 0x23, 0x63, 0x63,
        0x6f, 0x67, 0x2f, 0x2f, 0x73, 0x0f,
    ];
    fields.prop_map(move |(bits, small, which)| {
        let opcode = opcodes[which.index(opcodes.len())];
        let mut word = bits & !0x7f | opcode;
        let has_destination = !matches!(opcode, 0x23 | 0x63);
        if has_destination && (10..16).contains(&(word >> 7 & 31)) {
            word ^= 16 << 7;
        }
        let pointer = (10 + small % 5) << 15;
        match opcode {
            // Near a pointer, so that most accesses hit something.
            0x03 | 0x23 if small < 14 => word & 0x03f0_7fff & !(31 << 15) | pointer | word & 0xf80,
            0x67 => word & 0x00c0_0fff | small << 26 | 14 << 15,
            0x63 => word & 0x01ff_f07f | small << 8,
            0x6f => word & 0x0000_0fff | (small + 1) << 22,
            0x33 => word & 0x01ff_ffff | [0, 1 << 25, 1 << 30][small as usize % 3],
            0x2f => word & !(7 << 12) & !(31 << 15) | 2 << 12 | (10 + (small & 1)) << 15,
            0x13 if word >> 12 & 3 == 1 => word & 0x41ff_ffff,
            // CSRs that exist, and `ecall`.
            0x73 if small == 15 => 0x73,
            0x73 => {
                let numbers = [0x340, 0x341, 0x342, 0xb00, 0xb02, 0xc01, 0xf14];
                word & 0xf_ffff | numbers[small as usize % numbers.len()] << 20
            }
            _ => word,
        }
    })
}

/// A compressed word. Pointers mostly stay where they are.
fn compressed() -> impl Strategy<Value = u32> {
    (any::<u16>(), 0u32..20).prop_filter_map("not compressed", |(word, any)| {
        let word = u32::from(word);
        let full = isa::expand(word);
        let destination = match full & 0x7f {
            0x23 | 0x63 => 0,
            _ => full >> 7 & 31,
        };
        let spoils = (10..16).contains(&destination) && any != 0;
        (isa::is_compressed(word) && !spoils).then_some(word)
    })
}

/// Instructions of both sizes, one behind the other, as words of memory.
fn mixed() -> impl Strategy<Value = Vec<u32>> {
    let one = prop_oneof![
        instruction().prop_map(|word| vec![word as u16, (word >> 16) as u16]),
        compressed().prop_map(|word| vec![word as u16]),
    ];
    prop::collection::vec(one, 2 * BODY_WORDS).prop_map(|items| {
        let halves: Vec<u16> = items.concat();
        let words = halves.chunks_exact(2).take(BODY_WORDS);
        words
            .map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16)
            .collect()
    })
}

/// The smallest ELF: a header, one segment, no sections.
fn elf(words: &[u32], writable: bool) -> Vec<u8> {
    let size = 4 * words.len() as u32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend([2, 0, 243, 0, 1, 0, 0, 0]);
    for word in [0x8000_0000, 52, 0, 0] {
        file.extend(u32::to_le_bytes(word));
    }
    for half in [52u16, 32, 1, 40, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    let flags = if writable { 7 } else { 5 };
    for word in [1, 84, 0x8000_0000, 0x8000_0000, size, size, flags, 4] {
        file.extend(u32::to_le_bytes(word));
    }
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    file
}

/// Records a random program and holds its replay against the run.
fn check(body: Vec<u32>, config: RecorderConfig, writable: bool) -> Result<(), TestCaseError> {
    let mut words = start();
    words.extend(body);
    words.push(jump((BODY_WORDS as u32 * 4).wrapping_neg()));
    let run = record(
        "random",
        &elf(&words, writable),
        config,
        b"input",
        3000,
        true,
    );
    let recording = run.recording();
    let image = recording.image(None).unwrap();
    let report = verify(&recording, &image, |_, _| {});
    prop_assert!(report.ok, "{:#?}", report);
    let mut retires = run.retires.iter();
    let mut machine = Machine::<true>::new(&recording.config, image);
    for interval in recording.harts[0].intervals() {
        machine.begin(0, interval).unwrap();
        while let Some(step) = machine.step().unwrap() {
            let r = retires.next().unwrap();
            prop_assert_eq!(step.insn, r.insn);
            prop_assert_eq!((step.pc, step.trap), (r.pc_rdata, r.trap));
            prop_assert_eq!((step.rd, step.rd_value), (r.rd_addr, r.rd_wdata));
            prop_assert_eq!((step.mem_rmask, step.mem_wmask), (r.mem_rmask, r.mem_wmask));
            prop_assert_eq!(step.mem_wdata, r.mem_wdata & lanes(r.mem_wmask));
            prop_assert_eq!(step.mem_rdata, r.mem_rdata & lanes(r.mem_rmask));
        }
    }
    prop_assert!(retires.next().is_none());
    Ok(())
}

/// Every kind of codec `compact`, with tables that are often too small.
fn compact() -> impl Strategy<Value = Compact> {
    let kinds = (any::<bool>(), any::<bool>(), 0u8..4);
    (kinds, 1u8..7, 1u16..5).prop_map(|((words, plain, row), last_bits, key)| Compact {
        tags: if words { TagKind::Words } else { TagKind::Bits },
        row_words: 1 << row,
        coder: if plain {
            Coder::Plain
        } else {
            Coder::Arithmetic
        },
        last_bits,
        key,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_programs_replay(
        body in prop::collection::vec(instruction(), BODY_WORDS),
        interval in prop_oneof![Just(64u32), Just(333), Just(100_000)],
        tag_set_bits in 0u8..4,
        tag_words in prop_oneof![Just(1u8), Just(4), Just(16)],
        epoch_bits in 1u8..3,
        dirty_bits in 0u8..8,
        writable: bool,
    ) {
        let mut config = config(interval);
        (config.tag_set_bits, config.tag_words) = (tag_set_bits, tag_words);
        (config.epoch_bits, config.dirty_bits) = (epoch_bits, dirty_bits);
        check(body, config, writable)?;
    }

    #[test]
    fn random_programs_of_both_sizes_replay(
        body in mixed(),
        interval in prop_oneof![Just(64u32), Just(333), Just(100_000)],
        tag_set_bits in 0u8..4,
        epoch_bits in 1u8..3,
        dirty_bits in 0u8..8,
        compact in prop_oneof![Just(None), compact().prop_map(Some)],
        writable: bool,
    ) {
        let mut config = config(interval);
        (config.attached, config.compressed) = (true, true);
        (config.tag_set_bits, config.dirty_bits) = (tag_set_bits, dirty_bits);
        config.epoch_bits = epoch_bits;
        if let Some(compact) = compact {
            config.tag_words = compact.row_words;
            config.codec = Codec::Compact(compact);
        }
        check(body, config, writable)?;
    }

    #[test]
    fn random_programs_replay_from_compact_logs(
        body in prop::collection::vec(instruction(), BODY_WORDS),
        interval in prop_oneof![Just(64u32), Just(333), Just(100_000)],
        sets_and_ways in (0u8..4, 1u8..3),
        rows in 0u8..4,
        sizes in (1u8..9, 0u8..8),
        compact in compact(),
        writable: bool,
    ) {
        let mut config = config(interval);
        (config.tag_set_bits, config.tag_ways) = sets_and_ways;
        (config.dict_bits, config.dirty_bits) = sizes;
        config.tag_words = compact.row_words << rows;
        config.codec = Codec::Compact(compact);
        check(body, config, writable)?;
    }
}
