//! Codec `compact`: what the golden recorder writes replays to what was recorded, with every kind of
//! tags and coder, with others' writes, gaps and haste; and damage is found.

mod common;

use common::reference::{Event, Reference, RAM_BASE};
use common::{config, RAM_BYTES};
use lookback_firmware::{folder, programs};
use lookback_log_format::config::{Codec, Coder, Compact, TagKind};
use lookback_log_format::interval::{EndReason, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::retire::lanes;
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::stimulus::Random;
use lookback_model::Recorder;
use lookback_replay::recording::HartLog;
use lookback_replay::{verify, Divergence, Image, Machine, Step, What};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

const FULL: Compact = Compact {
    tags: TagKind::Bits,
    row_words: 8,
    coder: Coder::Arithmetic,
    last_bits: 6,
    key: 1,
};

/// A recorder with tags that are too few for most programs.
fn compact(interval: u32, compact: Compact) -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Compact(compact),
        tag_set_bits: 2,
        tag_words: compact.row_words * 4,
        dict_bits: 7,
        ..config(interval)
    }
}

/// What goes wrong while a program is recorded.
#[derive(Clone, Copy)]
struct Trouble {
    seed: u64,
    /// Retirements in a thousand at which haste begins or ends.
    haste: u32,
    /// Retirements in a hundred thousand at which a gap begins.
    gaps: u32,
}

const NONE: Trouble = Trouble {
    seed: 0,
    haste: 0,
    gaps: 0,
};

struct Run {
    config: RecorderConfig,
    image: Arc<Image>,
    records: Vec<Record>,
    /// Those that were not lost.
    retires: Vec<Retire>,
}

/// Runs an ELF and records it.
fn record(elf: &[u8], mut config: RecorderConfig, stdin: &[u8], trouble: Trouble) -> Run {
    let image = Arc::new(Image::parse(elf).unwrap());
    if config.image_hi != 0 {
        let window = image.loaded_window();
        (config.image_lo, config.image_hi) = (window.start, window.end);
    }
    let mut machine = Reference::new(RAM_BYTES, RAM_BASE);
    let ram = u64::from(RAM_BASE);
    for segment in image.segments(ram..ram + RAM_BYTES as u64).unwrap() {
        machine.load(segment.addr, &segment.bytes);
    }
    machine.input.extend(stdin);
    let mut recorder = Recorder::new(&config);
    let mut random = Random::new(trouble.seed);
    let (mut retires, mut lost, mut haste) = (Vec::new(), 0, false);
    machine.run(200_000, |event| match event {
        Event::Retire(retire, cycle) => {
            if lost == 0 && random.below(100_000) < trouble.gaps {
                lost = 1 + random.below(300);
            }
            if random.chance(trouble.haste) {
                haste = !haste;
                recorder.hurry(haste);
            }
            if lost > 0 {
                lost -= 1;
                recorder.lose(&retire);
            } else {
                recorder.retire(&retire, cycle);
                retires.push(retire);
            }
        }
        Event::Snoop(addr, mask) => recorder.snoop(addr, mask),
    });
    recorder.stop(EndReason::RunEnded, machine.cycle);
    let records = recorder.take_records();
    // What is replayed is what was sent.
    let records = records
        .iter()
        .map(|record| Record::from_bytes(&record.to_bytes()).unwrap());
    Run {
        records: records.collect(),
        config,
        image,
        retires,
    }
}

/// The image window is switched off with `image_hi` 0, and chosen otherwise.
fn with_image(mut config: RecorderConfig) -> RecorderConfig {
    config.image_hi = 64;
    config
}

fn assert_replays(name: &str, run: &Run) {
    let mut tracking = Machine::<true>::new(&run.config, run.image.clone());
    let mut fast = Machine::<false>::new(&run.config, run.image.clone());
    let mut retires = run.retires.iter();
    for record in &run.records {
        let Record::Interval(interval) = record else {
            continue;
        };
        tracking.begin(0, interval).unwrap();
        while let Some(step) = tracking.step().unwrap_or_else(|e| panic!("{name}: {e}")) {
            let r = retires.next().unwrap();
            let context = || format!("{name}: {step:x?}\n{r:x?}");
            assert_eq!(step.retired, r.order, "{}", context());
            let (fetch, port) = ((step.pc, step.insn), (r.pc_rdata, r.insn));
            assert_eq!((fetch, step.trap), (port, r.trap), "{}", context());
            let written = (step.rd, step.rd_value);
            assert_eq!(written, (r.rd_addr, r.rd_wdata), "{}", context());
            assert_eq!(step.mem_rmask, r.mem_rmask, "{}", context());
            let read = r.mem_rdata & lanes(r.mem_rmask);
            assert_eq!(step.mem_rdata, read, "{}", context());
            let stored = (step.mem_wmask, step.mem_wdata);
            let port = (r.mem_wmask, r.mem_wdata & lanes(r.mem_wmask));
            assert_eq!(stored, port, "{}", context());
            let sources = lookback_replay::decode::decode(step.insn);
            if sources.source1().is_some() {
                assert_eq!(step.rs1_value, r.rs1_rdata, "{}", context());
            }
            if sources.source2().is_some() {
                assert_eq!(step.rs2_value, r.rs2_rdata, "{}", context());
            }
        }
        fast.begin(0, interval).unwrap();
        fast.run().unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    assert!(retires.next().is_none(), "{name}");
}

fn all_programs_replay(config: &RecorderConfig, trouble: Trouble) {
    for program in programs().unwrap() {
        let elf = std::fs::read(&program.elf).unwrap();
        let run = record(&elf, config.clone(), &program.header.stdin, trouble);
        assert_replays(&program.name, &run);
    }
}

#[test]
fn programs_replay_interval_by_interval() {
    all_programs_replay(&with_image(compact(64, FULL)), NONE);
}

#[test]
fn programs_replay_in_key_groups() {
    let grouped = Compact { key: 5, ..FULL };
    all_programs_replay(&with_image(compact(300, grouped)), NONE);
}

#[test]
fn programs_replay_without_the_image() {
    all_programs_replay(&compact(1000, FULL), NONE);
}

#[test]
fn programs_replay_from_a_plain_log() {
    let plain = Compact {
        coder: Coder::Plain,
        key: 2,
        ..FULL
    };
    all_programs_replay(&with_image(compact(1000, plain)), NONE);
}

#[test]
fn programs_replay_with_words_beside_the_masks() {
    let words = Compact {
        tags: TagKind::Words,
        row_words: 1,
        key: 3,
        ..FULL
    };
    all_programs_replay(&with_image(compact(500, words)), NONE);
    all_programs_replay(&compact(500, words), NONE);
}

#[test]
fn programs_replay_with_haste_and_gaps() {
    let grouped = Compact { key: 4, ..FULL };
    for seed in 0..4 {
        let trouble = Trouble {
            seed,
            haste: 20,
            gaps: 150,
        };
        all_programs_replay(&with_image(compact(200, grouped)), trouble);
    }
}

fn elf(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("prebuilt/{name}.elf"))).unwrap()
}

/// Runs with interrupts, traps, user mode, written code and devices; one with the plain coder, one in key
/// groups, and two with tags that keep words, one of them with the plain coder, too.
fn runs() -> &'static [Run; 6] {
    static RUNS: OnceLock<[Run; 6]> = OnceLock::new();
    let words = Compact {
        tags: TagKind::Words,
        row_words: 4,
        ..FULL
    };
    let plain = Compact {
        coder: Coder::Plain,
        ..FULL
    };
    RUNS.get_or_init(|| {
        [
            ("user_mode", FULL),
            ("self_modify", FULL),
            ("dma_overwrite", plain),
            ("atomics", Compact { key: 3, ..FULL }),
            ("dma_overwrite", words),
            (
                "dma_overwrite",
                Compact {
                    coder: Coder::Plain,
                    ..words
                },
            ),
        ]
        .map(|(name, kind)| record(&elf(name), with_image(compact(400, kind)), b"", NONE))
    })
}

/// The steps of an interval behind those before it, if it replays.
fn steps(run: &Run, at: usize, interval: &Interval) -> Result<Vec<Step>, Divergence> {
    let mut machine = Machine::<true>::new(&run.config, run.image.clone());
    let key = run.records[..=at]
        .iter()
        .rposition(|record| matches!(record, Record::Interval(i) if i.header.is_key()))
        .unwrap();
    for record in &run.records[key..at] {
        let Record::Interval(before) = record else {
            panic!("a gap ends a key group");
        };
        machine
            .begin(0, before)
            .and_then(|()| machine.run())
            .unwrap();
    }
    machine.begin(0, interval)?;
    let mut steps = Vec::new();
    while let Some(step) = machine.step()? {
        steps.push(step);
        assert!(steps.len() <= interval.trailer.instructions as usize);
    }
    Ok(steps)
}

/// Every flipped bit of the entries is refused, unless all that it changes is an instruction word
/// that does the same.
#[test]
fn a_flipped_bit_in_the_entries_is_found() {
    for run in runs() {
        let (mut flips, mut harmless) = (0, 0);
        for (at, record) in run.records.iter().enumerate() {
            let Record::Interval(interval) = record else {
                continue;
            };
            let right = steps(run, at, interval).unwrap();
            for bit in 0..interval.entries.len() * 8 {
                let mut changed = interval.clone();
                changed.entries[bit / 8] ^= 1 << (bit % 8);
                flips += 1;
                let Ok(steps) = steps(run, at, &changed) else {
                    continue;
                };
                harmless += 1;
                let differ: Vec<_> = right.iter().zip(&steps).filter(|(a, b)| a != b).collect();
                assert!(differ.iter().all(|(a, _)| a.fetched), "{differ:x?}");
            }
        }
        assert!(
            flips > 500 && harmless * 1000 < flips,
            "{harmless} of {flips}"
        );
    }
}

/// Header and trailer: pc, instructions, digest and the mark of a key interval.
#[test]
fn a_flipped_bit_beside_the_entries_is_found() {
    for run in runs() {
        for (at, record) in run.records.iter().enumerate() {
            let Record::Interval(interval) = record else {
                continue;
            };
            let bytes = record.to_bytes();
            let pc = bytes.len() - interval.entries.len() - 12;
            let end = bytes.len() - 1;
            let flips = (pc..pc + 4)
                .chain(end - 7..end)
                .flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
            for (byte, bit) in flips.chain([(0, 6)]) {
                let mut changed = bytes.clone();
                changed[byte] ^= 1 << bit;
                let Ok(Record::Interval(changed)) = Record::from_bytes(&changed) else {
                    continue;
                };
                // The first interval of a group has no other before it to go on from.
                assert!(
                    steps(run, at, &changed).is_err(),
                    "interval {at}, byte {byte}, bit {bit}"
                );
            }
        }
    }
}

/// The entries of an interval of the plain coder, from bins in the order in which they are read.
fn plain_entries(bins: &str) -> Vec<u8> {
    let bits: Vec<u8> = bins.bytes().filter_map(|b| b.checked_sub(b'0')).collect();
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    bits.chunks(8).map(byte).collect()
}

/// Codes that no recorder writes, past frame and CRC.
#[test]
fn codes_without_a_meaning_are_refused() {
    let [_, _, run, ..] = runs();
    let Record::Interval(interval) = &run.records[0] else {
        panic!("a recording begins with an interval");
    };
    let index = "0".repeat(run.config.dict_bits.into());
    let ones = "1".repeat(25);
    // Values that the first need takes, one after the other, until something else is wrong.
    let zeros = "0 1 ".repeat(100_000);
    let cases = [
        ("1 101".to_owned(), What::UnknownEscape(5)),
        ("1 110".to_owned(), What::UnknownEscape(6)),
        ("1 111".to_owned(), What::UnknownEscape(7)),
        (format!("0 001 {index}"), What::EmptyIndex(0)),
        (format!("1 001 {ones}"), What::BadCode),
        // Distance 2^20: far beyond the interval.
        (
            format!("1 001 {}0 {}1", "1".repeat(20), "0".repeat(19)),
            What::EscapeBeyondEnd(1 << 20),
        ),
        // END at once, though values are needed, and END with a check that is another's.
        ("1 100 00000000".to_owned(), What::NothingLeft),
        ("1 100 00000001".to_owned(), What::Check),
    ];
    for (bins, what) in cases {
        let mut changed = interval.clone();
        changed.entries = plain_entries(&bins);
        changed.entries.extend([0; 4]);
        match steps(run, 0, &changed) {
            Err(divergence) => assert_eq!(divergence.what, what, "{bins}"),
            Ok(_) => panic!("{bins} was taken"),
        }
    }
    for entries in [
        Vec::new(),
        plain_entries(&zeros),
        vec![0; 4],
        vec![0xff; 100],
    ] {
        let mut changed = interval.clone();
        changed.entries = entries;
        assert!(steps(run, 0, &changed).is_err());
    }
}

/// A log that is read as if another recorder had made it.
#[test]
fn another_configuration_is_found() {
    for run in runs() {
        let kind = *run.config.compact().unwrap();
        let with = |kind: Compact| RecorderConfig {
            codec: Codec::Compact(kind),
            ..run.config.clone()
        };
        let coder = match kind.coder {
            Coder::Plain => Coder::Arithmetic,
            Coder::Arithmetic => Coder::Plain,
        };
        let others = [
            with(Compact { coder, ..kind }),
            RecorderConfig {
                dict_bits: 1,
                ..run.config.clone()
            },
            RecorderConfig {
                image_lo: 0,
                image_hi: 0,
                ..run.config.clone()
            },
            RecorderConfig {
                codec: Codec::Bugnet,
                ..run.config.clone()
            },
        ];
        for other in others {
            let mut machine = Machine::<false>::new(&other, run.image.clone());
            let mut intervals = run.records.iter().filter_map(|record| match record {
                Record::Interval(interval) => Some(interval),
                Record::Gap(_) | Record::Order(_) => None,
            });
            let all = intervals.try_for_each(|interval| {
                machine.begin(0, interval)?;
                machine.run()
            });
            assert!(all.is_err(), "{other:?}");
        }
    }
}

/// A reader does not run the comparison of words, so it need not know which tags there were: every escape
/// stands in the log.
#[test]
fn the_kind_of_tags_is_nothing_that_a_reader_needs() {
    for run in runs() {
        let kind = *run.config.compact().unwrap();
        let tags = match kind.tags {
            TagKind::Bits => TagKind::Words,
            TagKind::Words => TagKind::Bits,
        };
        let config = RecorderConfig {
            codec: Codec::Compact(Compact { tags, ..kind }),
            ..run.config.clone()
        };
        let other = Run {
            config,
            image: run.image.clone(),
            records: run.records.clone(),
            retires: run.retires.clone(),
        };
        assert_replays("the other kind of tags", &other);
    }
}

/// An interval in the middle of a key group is found from its key interval on, or refused.
#[test]
fn an_interval_finds_what_it_goes_on_from() {
    let run = &runs()[3];
    let at = run
        .records
        .iter()
        .position(|record| matches!(record, Record::Interval(i) if !i.header.is_key()));
    let at = at.unwrap() + 1;
    let Record::Interval(interval) = &run.records[at] else {
        panic!("there are no gaps");
    };
    assert!(!interval.header.is_key());
    let mut alone = Machine::<true>::new(&run.config, run.image.clone());
    assert!(alone.begin(0, interval).is_err());
    let mut among = Machine::<true>::new(&run.config, run.image.clone()).with_records(&run.records);
    among.begin(0, interval).unwrap();
    among.run().unwrap();
    let without: Vec<Record> = run.records[..at - 1]
        .iter()
        .chain(&run.records[at..])
        .cloned()
        .collect();
    let mut hole = Machine::<true>::new(&run.config, run.image.clone()).with_records(&without);
    assert!(hole.begin(0, interval).is_err());
}

/// Key groups are verified in parallel, and one that is damaged costs no other.
#[test]
fn damage_stays_in_its_key_group() {
    let run = &runs()[3];
    let mut log = HartLog {
        hart: 0,
        records: run.records.clone(),
    };
    let groups = log.groups().count();
    assert!(groups > 2);
    assert!(log.groups().all(|group| group.len() <= 3));
    let Record::Interval(first) = &mut log.records[0] else {
        panic!("there are no gaps");
    };
    first.entries[0] ^= 0x10;
    let mut file = lookback_log_format::container::Writer::new(Vec::new()).unwrap();
    use lookback_log_format::container::{Chunk, Elf};
    file.put(&Chunk::Config(run.config.clone())).unwrap();
    file.put(&Chunk::Elf(Elf {
        name: "atomics.elf".into(),
        bytes: elf("atomics"),
    }))
    .unwrap();
    for record in log.records {
        file.put(&Chunk::Record { hart: 0, record }).unwrap();
    }
    let recording = lookback_replay::Recording::from_bytes(file.get_mut()).unwrap();
    let report = verify(&recording, &run.image, |_, _| {});
    assert!(!report.ok);
    let failed: Vec<u32> = report.divergences().map(|d| d.interval).collect();
    assert_eq!(failed, [0, 1, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Entries and pc from anywhere.
    #[test]
    fn random_intervals_never_panic(
        entries: Vec<u8>,
        pc in prop_oneof![Just(0x8000_0000u32), 0x8000_0000u32..0x8000_4000, any::<u32>()],
        instructions in prop_oneof![1u32..400, any::<u32>()],
        digest: u32,
        which in 0usize..6,
    ) {
        let run = &runs()[which];
        let layout = Layout::Compact { key: true };
        let header = Header { layout, mode: 3, index: 0, retired: u64::MAX, cycle: 0, pc, registers: [0; 32] };
        let trailer = Trailer { instructions, digest, reason: EndReason::Length };
        let interval = Interval { header, entries, trailer };
        let mut machine = Machine::<true>::new(&run.config, run.image.clone());
        prop_assert!(machine.begin(0, &interval).and_then(|()| machine.run()).is_err());
    }
}
