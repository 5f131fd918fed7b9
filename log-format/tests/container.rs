//! A recording survives what happens to files: cuts, damage, strangers.

#![cfg(feature = "std")]

use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::container::{self, Chunk, Elf, Found, Writer, FILE_HEADER_LEN};
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Gap, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::{Error, RecorderConfig, CRC, FORMAT_VERSION};
use proptest::prelude::*;

fn config() -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Bugnet,
        harts: 1,
        tag_set_bits: 9,
        tag_ways: 2,
        tag_words: 4,
        epoch_bits: 4,
        tag_kind: TagKind::Bits,
        dict_bits: 6,
        dirty_bits: 10,
        ring_bits: 14,
        fifo_bits: 6,
        clock_hz: 25_000_000,
        mem_base: 0x8000_0000,
        mem_mask: 0xff00_0000,
        attached: false,
        compressed: false,
        control: 3,
        interval: 10_000,
        count_bits: 14,
        image_lo: 0x8000_0000,
        image_hi: 0x8001_0000,
        post_trigger: 0,
        trigger: Default::default(),
        order: None,
    }
}

fn interval(index: u32) -> Chunk {
    Chunk::Record {
        hart: 0,
        record: Record::Interval(Interval {
            header: Header {
                layout: Layout::Full,
                mode: 3,
                index,
                retired: 10,
                cycle: 30,
                pc: 0x8000_0000,
                registers: [0; 32],
            },
            entries: vec![0x40, 0x3c, 0x2b, 0x1a, 0x09],
            trailer: Trailer {
                instructions: 4,
                digest: 0x1234_5678,
                reason: EndReason::Length,
            },
        }),
    }
}

/// One chunk of every kind.
fn chunks() -> Vec<Chunk> {
    vec![
        Chunk::Config(config()),
        Chunk::Elf(Elf {
            name: "fw.elf".into(),
            bytes: b"\x7fELF and so on and so on".to_vec(),
        }),
        interval(0),
        Chunk::Console(b"hello\n".to_vec()),
        Chunk::Record {
            hart: 0,
            record: Record::Gap(Gap {
                index: 1,
                retired: 4,
                cycle: 9,
                lost: 3,
            }),
        },
        Chunk::Loss {
            hart: 0,
            frames: 2,
            text: "a cable was pulled".into(),
        },
        interval(2),
        Chunk::End(End {
            reason: EndReason::RunEnded,
            code: 0x5555,
            retired: 100,
            cycles: 300,
            stalls: 0,
            lost: 3,
            fired: None,
            breach: None,
        }),
    ]
}

/// The file and where each chunk ends in it.
fn file() -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::new();
    let mut ends = Vec::new();
    let mut writer = Writer::new(&mut bytes).unwrap();
    for chunk in chunks() {
        writer.put(&chunk).unwrap();
        ends.push(writer.written() as usize);
    }
    assert_eq!(bytes.len(), *ends.last().unwrap());
    (bytes, ends)
}

fn only_chunks(found: &[Found]) -> Vec<Chunk> {
    let chunk = |found: &Found| match found {
        Found::Chunk { chunk, .. } => Some(chunk.clone()),
        _ => None,
    };
    found.iter().filter_map(chunk).collect()
}

fn damaged(found: &[Found]) -> Vec<(usize, usize)> {
    let range = |found: &Found| match found {
        &Found::Damaged { offset, len, .. } => Some((offset as usize, (offset + len) as usize)),
        _ => None,
    };
    found.iter().filter_map(range).collect()
}

/// A file of one chunk whose CRC is right, whatever its payload.
fn one_chunk(kind: u8, payload: &[u8]) -> Vec<u8> {
    let mut chunk = vec![kind, 0, 0, 0];
    chunk.extend((payload.len() as u32).to_le_bytes());
    chunk.extend(payload);
    chunk.extend(CRC.checksum(&chunk).to_le_bytes());
    let mut bytes = file().0[..FILE_HEADER_LEN].to_vec();
    bytes.extend(chunk);
    bytes
}

fn elf_payload(size: u32, crc: u32, name: &[u8], deflated: &[u8]) -> Vec<u8> {
    let mut payload = size.to_le_bytes().to_vec();
    payload.extend(crc.to_le_bytes());
    payload.extend((name.len() as u16).to_le_bytes());
    payload.extend(name);
    payload.extend(deflated);
    payload
}

fn why_damaged(bytes: &[u8]) -> String {
    match container::read(bytes).unwrap().as_slice() {
        [Found::Damaged { why, .. }] => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_written_is_read() {
    let found = container::read(&file().0).unwrap();
    assert_eq!(only_chunks(&found), chunks());
    assert_eq!(found.len(), chunks().len());
}

#[test]
fn a_cut_file_is_read_up_to_its_last_whole_chunk() {
    let (bytes, ends) = file();
    for cut in FILE_HEADER_LEN..bytes.len() {
        let found = container::read(&bytes[..cut]).unwrap();
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        assert_eq!(only_chunks(&found), chunks()[..whole], "cut at {cut}");
        let last_end = match whole {
            0 => FILE_HEADER_LEN,
            n => ends[n - 1],
        };
        let rest: Vec<_> = (last_end < cut)
            .then_some((last_end, cut))
            .into_iter()
            .collect();
        assert_eq!(damaged(&found), rest, "cut at {cut}");
    }
    for cut in 0..FILE_HEADER_LEN {
        assert_eq!(container::read(&bytes[..cut]), Err(Error::NotARecording));
    }
}

#[test]
fn damage_costs_the_chunk_that_has_it_and_is_reported() {
    let (bytes, ends) = file();
    for at in FILE_HEADER_LEN..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut hurt = bytes.clone();
            hurt[at] ^= flip;
            let found = container::read(&hurt).unwrap();
            let victim = ends.iter().filter(|&&end| end <= at).count();
            let mut rest = chunks();
            rest.remove(victim);
            assert_eq!(only_chunks(&found), rest, "byte {at} ^ {flip:#x}");
            let start = match victim {
                0 => FILE_HEADER_LEN,
                n => ends[n - 1],
            };
            assert_eq!(
                damaged(&found),
                [(start, ends[victim])],
                "byte {at} ^ {flip:#x}"
            );
        }
    }
}

#[test]
fn missing_and_foreign_bytes_are_bridged() {
    let (bytes, ends) = file();
    let mut rest = chunks();
    rest.remove(3);
    let mut missing = bytes.clone();
    missing.drain(ends[2] + 3..ends[2] + 10);
    assert_eq!(only_chunks(&container::read(&missing).unwrap()), rest);
    let mut foreign = bytes;
    foreign.splice(ends[2]..ends[2], [0xaa; 100]);
    let found = container::read(&foreign).unwrap();
    assert_eq!(only_chunks(&found), chunks());
    assert_eq!(damaged(&found), [(ends[2], ends[2] + 100)]);
}

#[test]
fn a_newer_version_is_refused_by_its_number() {
    let (mut bytes, _) = file();
    bytes[4..6].copy_from_slice(&7u16.to_le_bytes());
    let error = container::read(&bytes).unwrap_err();
    let known = FORMAT_VERSION;
    assert_eq!(error, Error::NewerVersion { found: 7, known });
    assert!(error.to_string().contains("version 7"), "{error}");
    bytes[4] = 0;
    assert_eq!(container::read(&bytes), Err(Error::NotARecording));
    bytes[0] = b'X';
    assert_eq!(container::read(&bytes), Err(Error::NotARecording));
}

#[test]
fn an_unknown_chunk_is_skipped_and_told() {
    let mut bytes = one_chunk(200, b"from the future");
    bytes.extend(&file().0[FILE_HEADER_LEN..]);
    let found = container::read(&bytes).unwrap();
    let offset = FILE_HEADER_LEN as u64;
    assert_eq!(found[0], Found::Unknown { offset, kind: 200 });
    assert_eq!(only_chunks(&found), chunks());
}

#[test]
fn a_chunk_that_claims_more_than_the_file_has_is_damage() {
    let mut bytes = one_chunk(4, b"x");
    bytes[FILE_HEADER_LEN + 4..FILE_HEADER_LEN + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(why_damaged(&bytes).contains("ends within a chunk"));
}

#[test]
fn a_short_file_cannot_ask_for_much_memory() {
    let huge = one_chunk(2, &elf_payload(u32::MAX, 0, b"a", &[]));
    assert!(why_damaged(&huge).contains("256 MB"));
    let liar = one_chunk(2, &elf_payload(200 << 20, 0, b"a", &[3, 0]));
    assert!(why_damaged(&liar).contains("another size"));
    let garbage = one_chunk(2, &elf_payload(10, 0, b"a", &[0xff; 20]));
    assert!(why_damaged(&garbage).contains("inflate"));
}

/// A deflate stream of many zeros: inflating stops one byte after the size it claimed.
#[test]
fn an_elf_that_inflates_to_more_than_it_claims_is_refused() {
    let elf = Elf {
        name: "a".into(),
        bytes: vec![0; 1 << 20],
    };
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes).unwrap();
    writer.put(&Chunk::Elf(elf)).unwrap();
    let payload_at = FILE_HEADER_LEN + 8;
    let mut payload = bytes[payload_at..bytes.len() - 4].to_vec();
    payload[..4].copy_from_slice(&100u32.to_le_bytes());
    payload[4..8].copy_from_slice(&CRC.checksum(&[0; 100]).to_le_bytes());
    assert!(why_damaged(&one_chunk(2, &payload)).contains("another size"));
}

/// Every word of it may be the header of a chunk that reaches far: summing each anew would take
/// hours.
#[test]
fn headers_everywhere_cost_no_time() {
    const BYTES: u32 = 6 << 20;
    let (head, _) = file();
    let mut bytes = head.clone();
    bytes.push(0xff);
    while (bytes.len() as u32) < BYTES {
        let at = bytes.len() as u32;
        let reach = (BYTES - at).saturating_sub(at % 999);
        bytes.extend([4, 0, 0, 0]);
        bytes.extend(reach.saturating_sub(100).to_le_bytes());
    }
    let tail_at = bytes.len();
    bytes.extend(&head[FILE_HEADER_LEN..]);
    let found = container::read(&bytes).unwrap();
    assert_eq!(only_chunks(&found), [chunks(), chunks()].concat());
    assert_eq!(damaged(&found), [(head.len(), tail_at)]);
}

/// Damage after every chunk, each time with a header that claims most of the file.
#[test]
fn damage_between_many_chunks_costs_no_time() {
    const PAIRS: u32 = 100_000;
    let console = one_chunk(4, b"").split_off(FILE_HEADER_LEN);
    let mut bytes = file().0[..FILE_HEADER_LEN].to_vec();
    for pair in 0..PAIRS {
        bytes.extend([4, 0, 0, 0]);
        bytes.extend(
            ((PAIRS - pair) * 20)
                .saturating_sub(60)
                .max(1)
                .to_le_bytes(),
        );
        bytes.extend(&console);
    }
    let found = container::read(&bytes).unwrap();
    assert_eq!(only_chunks(&found).len(), PAIRS as usize);
    assert_eq!(damaged(&found).len(), PAIRS as usize);
}

/// Each inflates to what one recording may hold; only one of them may cost that.
#[test]
fn many_elfs_cannot_ask_for_much_work() {
    let claim = elf_payload(container::MAX_ELF, 0, b"a", &[3, 0]);
    let bomb = one_chunk(2, &claim).split_off(FILE_HEADER_LEN);
    let mut bytes = file().0[..FILE_HEADER_LEN].to_vec();
    bytes.extend(bomb.repeat(3));
    let found = container::read(&bytes).unwrap();
    let whys: Vec<_> = found
        .iter()
        .map(|found| match found {
            Found::Damaged { why, .. } => why.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(whys[0].contains("another size"), "{whys:?}");
    assert!(whys[1].contains("more ELFs"), "{whys:?}");
    assert!(whys[2].contains("more ELFs"), "{whys:?}");
}

proptest! {
    #[test]
    fn random_bytes_never_panic(tail: Vec<u8>) {
        let _ = container::read(&tail);
        let mut bytes = file().0[..FILE_HEADER_LEN].to_vec();
        bytes.extend(tail);
        let found = container::read(&bytes).unwrap();
        prop_assert!(only_chunks(&found).is_empty());
    }

    #[test]
    fn random_payloads_never_panic(kind: u8, payload: Vec<u8>) {
        let found = container::read(&one_chunk(kind, &payload)).unwrap();
        // The name of a stream is nothing to replay, and an interval that was never finished is not
        // counted; whatever else it is, it shows.
        let name = kind == 8 && payload.len() == 4;
        let unfinished = kind == 7 && payload.len() > 10 && payload[1] == 1;
        prop_assert_eq!(found.len(), usize::from(!name && !unfinished));
    }

    #[test]
    fn random_damage_never_panics(
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..10),
    ) {
        let (mut bytes, _) = file();
        for (at, value) in hits {
            let at = FILE_HEADER_LEN + at.index(bytes.len() - FILE_HEADER_LEN);
            bytes[at] = value;
        }
        let found = container::read(&bytes).unwrap();
        let kept = only_chunks(&found);
        let all = chunks();
        prop_assert!(kept.iter().all(|chunk| all.contains(chunk)));
        // Every byte of the file is accounted for: damage lies between chunks.
        let mut last = FILE_HEADER_LEN;
        for (from, to) in damaged(&found) {
            prop_assert!(last <= from && from < to && to <= bytes.len());
            last = to;
        }
    }

    /// Whatever replaces a stretch of the file, all chunks before it and after it are read.
    #[test]
    fn what_lies_around_damage_is_read(
        from: prop::sample::Index,
        length in 1_usize..300,
        instead in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let (bytes, ends) = file();
        let from = FILE_HEADER_LEN + from.index(bytes.len() - FILE_HEADER_LEN);
        let to = bytes.len().min(from + length);
        let mut hurt = bytes.clone();
        hurt.splice(from..to, instead);
        let found = container::read(&hurt).unwrap();
        let all = chunks();
        let before = ends.iter().filter(|&&end| end <= from).count();
        let starts = std::iter::once(FILE_HEADER_LEN).chain(ends.iter().copied());
        let after = starts.take(all.len()).filter(|&start| start >= to).count();
        let kept = only_chunks(&found);
        prop_assert!(kept.len() >= before + after);
        prop_assert_eq!(&kept[..before], &all[..before]);
        prop_assert_eq!(&kept[kept.len() - after..], &all[all.len() - after..]);
    }

    #[test]
    fn any_elf_and_name_survive(name in "[a-z0-9.]{0,40}", contents: Vec<u8>) {
        let chunk = Chunk::Elf(Elf { name, bytes: contents });
        let mut bytes = Vec::new();
        Writer::new(&mut bytes).unwrap().put(&chunk).unwrap();
        prop_assert_eq!(only_chunks(&container::read(&bytes).unwrap()), [chunk]);
    }
}
