//! Damaged logs, registers and ELFs: never a panic, never silence.

mod common;

use common::{config, record, Run};
use lookback_firmware::folder;
use lookback_log_format::config::count_bits_for;
use lookback_log_format::interval::{EndReason, Header, Interval, Layout, Record, Trailer};
use lookback_replay::{verify, Divergence, Image, Machine, Recording, Step};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

fn elf(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("prebuilt/{name}.elf"))).unwrap()
}

/// A run with interrupts, traps, user mode, written code and devices.
fn runs() -> &'static [Run; 3] {
    static RUNS: OnceLock<[Run; 3]> = OnceLock::new();
    RUNS.get_or_init(|| {
        ["user_mode", "self_modify", "dma_overwrite"]
            .map(|name| record(name, &elf(name), config(400), b"", 100_000, false))
    })
}

fn intervals(run: &Run) -> Vec<&Interval> {
    let records = run.records.iter();
    let intervals = records.filter_map(|record| match record {
        Record::Interval(interval) => Some(interval),
        Record::Gap(_) | Record::Order(_) => None,
    });
    intervals.collect()
}

/// The steps of an interval, if it replays with every byte of memory accounted for.
///
/// This is the stricter way: without tracking, a wrong count of skipped operations passes when the
/// memory that is read instead of the log holds the very same value.
fn steps(run: &Run, image: &Arc<Image>, interval: &Interval) -> Result<Vec<Step>, Divergence> {
    let mut fast = Machine::<false>::new(&run.config, image.clone());
    let fast = fast.begin(0, interval).and_then(|()| fast.run());
    let mut tracking = Machine::<true>::new(&run.config, image.clone());
    let mut steps = Vec::new();
    let tracking = tracking.begin(0, interval).and_then(|()| {
        while let Some(step) = tracking.step()? {
            steps.push(step);
            assert!(steps.len() <= interval.trailer.instructions as usize);
        }
        Ok(steps)
    });
    if fast.is_err() {
        assert!(tracking.is_err(), "{fast:?}");
    }
    tracking
}

/// What a step did, without what it was.
fn effect(step: &Step) -> Step {
    Step {
        insn: 0,
        rs1_value: 0,
        rs2_value: 0,
        ..*step
    }
}

/// Flips one bit of an interval's bytes; `None` if it cannot even be parsed afterwards.
fn flipped(interval: &Interval, bit: usize) -> Option<Interval> {
    let mut bytes = Record::Interval(interval.clone()).to_bytes();
    bytes[bit / 8] ^= 1 << (bit % 8);
    match Record::from_bytes(&bytes) {
        Ok(Record::Interval(interval)) => Some(interval),
        _ => None,
    }
}

const ENTRIES_START: usize = 150;

/// Every flipped bit of the entries is found by the replay of the interval alone, but for bits of
/// logged instruction words that made no difference: the target of a branch that is not taken,
/// fields that the instruction ignores, a word that traps anyway.
#[test]
fn a_flipped_bit_in_the_entries_diverges() {
    for run in runs() {
        let image = Arc::new(Image::parse(&run.elf.bytes).unwrap());
        let (mut flips, mut harmless) = (0, 0);
        for interval in intervals(run) {
            let right = steps(run, &image, interval).unwrap();
            for bit in 0..interval.entries.len() * 8 {
                let bit = ENTRIES_START * 8 + bit;
                let changed = flipped(interval, bit).expect("entries are any bytes");
                flips += 1;
                let Ok(steps) = steps(run, &image, &changed) else {
                    continue;
                };
                harmless += 1;
                let differ: Vec<_> = right.iter().zip(&steps).filter(|(a, b)| a != b).collect();
                assert!(differ.iter().any(|(a, _)| a.fetched));
                for (a, b) in differ {
                    assert_eq!(effect(a), effect(b));
                }
            }
        }
        assert!(harmless * 50 < flips, "{harmless} of {flips}");
    }
}

/// No byte of a file is one that nobody looks at.
#[test]
fn any_wrong_byte_is_noticed() {
    let file = runs()[1].file();
    for at in 0..file.len() {
        let mut bytes = file.clone();
        bytes[at] ^= 1;
        let Ok(recording) = Recording::from_bytes(&bytes) else {
            continue;
        };
        let Ok(image) = recording.image(None) else {
            continue;
        };
        assert!(!verify(&recording, &image, |_, _| {}).ok, "byte {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Pc, instruction count and digest matter always. Registers matter unless they are written
    /// before they are read; mode, index, counts, cycles and the reason of the end never do within
    /// one interval. What an interval alone cannot show, its neighbours do, but for the cycle
    /// count, the mode and the reason, which nothing is derived from.
    #[test]
    fn a_flipped_bit_in_header_or_trailer_is_noticed(
        which in 0usize..3,
        number: prop::sample::Index,
        field in 0usize..5,
        bit: prop::sample::Index,
    ) {
        let run = &runs()[which];
        let image = Arc::new(Image::parse(&run.elf.bytes).unwrap());
        let intervals = intervals(run);
        let at = number.index(intervals.len());
        let interval = intervals[at];
        let trailer = ENTRIES_START + interval.entries.len();
        let (start, bytes, alone) = [
            (22, 4, true),
            (trailer, 8, true),
            (26, 124, false),
            (2, 4, false),
            (6, 8, false),
        ][field];
        let bit = start * 8 + bit.index(bytes * 8);
        let Some(changed) = flipped(interval, bit) else { return Ok(()) };
        let still_replays = steps(run, &image, &changed).is_ok();
        prop_assert!(!(alone && still_replays));
        if !still_replays {
            return Ok(());
        }
        let mut recording = run.recording();
        recording.harts[0].records[at] = Record::Interval(changed);
        // The first and the last interval have a neighbour on one side only.
        let sides = if field == 2 { 1..intervals.len() } else { 0..intervals.len() };
        if intervals.len() > 1 && sides.contains(&at) && field != 3 {
            let report = verify(&recording, &image, |_, _| {});
            prop_assert!(!report.ok);
        }
    }

    /// Entries, registers and pc from anywhere.
    #[test]
    fn random_intervals_never_panic(
        entries: Vec<u8>,
        pc in prop_oneof![Just(0x8000_0000u32), 0x8000_0000u32..0x8000_4000, any::<u32>()],
        registers in prop::array::uniform32(any::<u32>()),
        instructions in prop_oneof![0u32..400, any::<u32>()],
        digest: u32,
        dict_bits in 1u8..=10,
    ) {
        let run = &runs()[0];
        let image = Arc::new(Image::parse(&run.elf.bytes).unwrap());
        let mut config = run.config.clone();
        config.dict_bits = dict_bits;
        config.count_bits = count_bits_for(config.interval);
        let header = Header { layout: Layout::Full, mode: 3, index: 0, retired: u64::MAX, cycle: 0, pc, registers };
        let trailer = Trailer { instructions, digest, reason: EndReason::Length };
        let interval = Interval { header, entries, trailer };
        let mut machine = Machine::<true>::new(&config, image);
        if machine.begin(0, &interval).is_ok() {
            while let Ok(Some(_)) = machine.step() {}
            prop_assert!(machine.step().is_err() || machine.position() == instructions);
        }
    }

    /// Every byte of a file may be wrong.
    #[test]
    fn damaged_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut: prop::sample::Index,
    ) {
        static FILE: OnceLock<Vec<u8>> = OnceLock::new();
        let file = FILE.get_or_init(|| runs()[1].file());
        let mut bytes = file.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        let cut = cut.index(bytes.len() * 4);
        bytes.truncate(cut);
        if let Ok(recording) = Recording::from_bytes(&bytes) {
            if let Ok(image) = recording.image(None) {
                let report = verify(&recording, &image, |_, _| {});
                prop_assert!(!report.ok || bytes == *file);
            }
        }
    }

    #[test]
    fn damaged_elfs_never_panic(
        changes in prop::collection::vec((0usize..2000, any::<u8>()), 0..6),
        far in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut: prop::sample::Index,
    ) {
        static ELF: OnceLock<Vec<u8>> = OnceLock::new();
        let mut bytes = ELF.get_or_init(|| elf("hello")).clone();
        for (at, value) in changes {
            bytes[at % 52 + at / 1900 * 52] ^= value;
        }
        for (at, value) in far {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        bytes.truncate(cut.index(bytes.len() * 8));
        use_image(&bytes);
    }

    #[test]
    fn random_bytes_are_no_elf(bytes: Vec<u8>, like_elf: bool) {
        let mut bytes = bytes;
        if like_elf {
            let start = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xf3\0";
            bytes.splice(..0, start.iter().copied());
        }
        use_image(&bytes);
    }
}

fn use_image(bytes: &[u8]) {
    if let Ok(image) = Image::parse(bytes) {
        let window = image.window();
        assert!(window.start % 64 == 0 && window.end % 64 == 0);
        for addr in window.step_by(61) {
            assert!(image.in_file(addr));
            assert!(image.byte(addr).is_some());
        }
        let _ = image.segments(0x8000_0000..0x8010_0000);
        let mut words = [0; 1024];
        image.page(0x80000, &mut words);
        image.page(0xfffff, &mut words);
    }
}
