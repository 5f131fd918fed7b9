//! Codec `compact` in long key groups, with both kinds of tags and both coders: whatever one bit does to a
//! file, or to a log behind its CRC, nothing replays silently wrong, and the damage ends with its
//! group.

mod common;

use common::reference::{Event, Reference, RAM_BASE};
use common::{config, RAM_BYTES};
use lookback_firmware::folder;
use lookback_log_format::config::{Codec, Coder, Compact, TagKind};
use lookback_log_format::container::{Chunk, Elf, Writer};
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::RecorderConfig;
use lookback_model::stimulus::Random;
use lookback_model::Recorder;
use lookback_replay::verify::{verify, Report};
use lookback_replay::{Image, Machine, Recording, Step};
use std::sync::Arc;

struct Run {
    name: &'static str,
    elf: Vec<u8>,
    config: RecorderConfig,
    records: Vec<Record>,
    retired: u64,
}

/// What the recorder `full` has.
const FULL: (TagKind, Coder) = (TagKind::Bits, Coder::Arithmetic);

/// Records a program in groups of this many intervals; after one in so many instructions the ring wants
/// another group.
fn record(
    name: &'static str,
    (tags, coder): (TagKind, Coder),
    key: u16,
    cut: u32,
    lose: u32,
) -> Run {
    let elf = std::fs::read(folder().join(format!("prebuilt/{name}.elf"))).unwrap();
    let image = Image::parse(&elf).unwrap();
    let window = image.loaded_window();
    let config = RecorderConfig {
        codec: Codec::Compact(Compact {
            tags,
            row_words: if tags == TagKind::Words { 4 } else { 8 },
            coder,
            last_bits: 6,
            key,
        }),
        tag_set_bits: 4,
        tag_words: 32,
        dict_bits: 8,
        image_lo: window.start,
        image_hi: window.end,
        ..config(400)
    };
    let mut machine = Reference::new(RAM_BYTES, RAM_BASE);
    let ram = u64::from(RAM_BASE);
    for segment in image.segments(ram..ram + RAM_BYTES as u64).unwrap() {
        machine.load(segment.addr, &segment.bytes);
    }
    let mut recorder = Recorder::new(&config);
    let mut random = Random::new(1);
    machine.run(40_000, |event| match event {
        Event::Retire(retire, _) if lose > 0 && random.below(lose) == 0 => recorder.lose(&retire),
        Event::Retire(retire, cycle) => {
            if cut > 0 && random.below(cut) == 0 {
                recorder.cut();
            }
            recorder.retire(&retire, cycle);
        }
        Event::Snoop(addr, mask) => recorder.snoop(addr, mask),
    });
    recorder.stop(EndReason::RunEnded, machine.cycle);
    Run {
        name,
        elf,
        config,
        records: recorder.take_records(),
        retired: recorder.retired(),
    }
}

impl Run {
    /// The file, with these records in place of its own.
    fn file(&self, records: &[Record]) -> Vec<u8> {
        let mut file = Writer::new(Vec::new()).unwrap();
        file.put(&Chunk::Config(self.config.clone())).unwrap();
        file.put(&Chunk::Elf(Elf {
            name: self.name.into(),
            bytes: self.elf.clone(),
        }))
        .unwrap();
        for record in records.iter().cloned() {
            file.put(&Chunk::Record { hart: 0, record }).unwrap();
        }
        file.put(&Chunk::End(End {
            reason: EndReason::RunEnded,
            code: 0x5555,
            retired: self.retired,
            cycles: 0,
            stalls: 0,
            lost: 0,
            fired: None,
            breach: None,
        }))
        .unwrap();
        file.get_mut().clone()
    }

    fn verified(&self, records: &[Record]) -> (Recording, Report) {
        let recording = Recording::from_bytes(&self.file(records)).unwrap();
        let image = recording.image(None).unwrap();
        let report = verify(&recording, &image, |_, _| {});
        (recording, report)
    }

    fn steps(&self, recording: &Recording) -> Vec<Step> {
        let image = Arc::new(Image::parse(&self.elf).unwrap());
        let mut machine = Machine::<true>::new(&self.config, image);
        let mut steps = Vec::new();
        for interval in recording.harts[0].intervals() {
            machine.begin(0, interval).unwrap();
            while let Some(step) = machine.step().unwrap() {
                steps.push(step);
            }
        }
        steps
    }
}

fn runs() -> [Run; 6] {
    [
        record("user_mode", FULL, u16::MAX, 0, 0),
        record("dma_overwrite", FULL, 7, 0, 0),
        record("atomics", FULL, u16::MAX, 500, 0),
        record(
            "dma_overwrite",
            (TagKind::Words, Coder::Arithmetic),
            7,
            0,
            0,
        ),
        record("atomics", (TagKind::Bits, Coder::Plain), u16::MAX, 0, 0),
        record(
            "dma_overwrite",
            (TagKind::Words, Coder::Plain),
            u16::MAX,
            500,
            0,
        ),
    ]
}

#[test]
fn long_groups_cuts_and_gaps_verify() {
    let gaps = record("atomics", FULL, u16::MAX, 0, 500);
    let has_gap = |record: &Record| matches!(record, Record::Gap(_));
    assert!(gaps.records.iter().any(has_gap));
    for run in runs().into_iter().chain([gaps]) {
        let (recording, report) = run.verified(&run.records);
        assert!(report.ok, "{}: {report:?}", run.name);
        let keys = recording.harts[0].intervals().filter(|i| i.header.is_key());
        let (keys, all) = (keys.count(), recording.harts[0].intervals().count());
        assert!(keys < all, "{}: {keys} of {all}", run.name);
    }
    let cut = &runs()[2];
    let early = |record: &&Record| match record {
        Record::Interval(i) => {
            i.trailer.reason == EndReason::Length && i.trailer.instructions < 400
        }
        _ => false,
    };
    assert!(cut.records.iter().filter(early).count() > 2);
}

/// Anywhere in the file: the chunk is refused, and whatever needs it is not said to be right.
#[test]
fn a_flipped_bit_in_a_file_is_found() {
    for run in runs() {
        let right = run.file(&run.records);
        let mut random = Random::new(2);
        for _ in 0..150 {
            let mut bytes = right.clone();
            let bit = random.below(8 * bytes.len() as u32) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(recording) = Recording::from_bytes(&bytes) else {
                continue;
            };
            let Ok(image) = recording.image(None) else {
                continue;
            };
            let report = verify(&recording, &image, |_, _| {});
            assert!(!report.ok, "{}, bit {bit}", run.name);
        }
    }
}

/// Behind the CRC: the interval with the bit diverges, those before it do not, and from the next key
/// interval on everything is right again.
#[test]
fn a_flipped_bit_in_a_long_group_is_found() {
    for run in runs() {
        let (recording, report) = run.verified(&run.records);
        assert!(report.ok);
        let right = run.steps(&recording);
        let mut random = Random::new(3);
        let (mut flips, mut harmless) = (0, 0);
        for _ in 0..150 {
            let at = random.below(run.records.len() as u32) as usize;
            let mut records = run.records.clone();
            let Record::Interval(interval) = &mut records[at] else {
                continue;
            };
            let bit = random.below(8 * interval.entries.len() as u32) as usize;
            interval.entries[bit / 8] ^= 1 << (bit % 8);
            flips += 1;
            let is_key =
                |record: &Record| matches!(record, Record::Interval(i) if i.header.is_key());
            let behind = records[at + 1..].iter().position(is_key);
            let next = behind.map_or(records.len(), |behind| at + 1 + behind);
            let (recording, report) = run.verified(&records);
            let mut failed = report.divergences().map(|d| d.interval as usize);
            let Some(first) = failed.next() else {
                // Of an instruction word that does the same nothing can be seen.
                harmless += 1;
                let steps = run.steps(&recording);
                let differ = right.iter().zip(&steps).filter(|(a, b)| a != b);
                assert!(differ.clone().all(|(a, _)| a.fetched), "{}", run.name);
                continue;
            };
            assert!((at..next).contains(&first), "{}: {at} {first}", run.name);
            assert!(failed.all(|index| index < next), "{}", run.name);
            assert!(!report.ok);
        }
        assert!(
            flips > 100 && harmless * 100 <= flips,
            "{harmless} of {flips}"
        );
    }
}

/// A record that is missing from the middle of a group costs the rest of it, and that is said.
#[test]
fn what_is_missing_costs_the_rest_of_its_group() {
    let run = &runs()[1];
    let mut records = run.records.clone();
    records.remove(9);
    let (_, report) = run.verified(&records);
    assert!(!report.ok);
    let failed: Vec<u32> = report.divergences().map(|d| d.interval).collect();
    assert_eq!(failed, [10, 11, 12, 13], "groups of seven");
    assert_eq!(report.harts[0].missing, [(9, 9)]);
    let said = report.divergences().next().unwrap().to_string();
    assert!(said.contains("key interval"), "{said}");
}
