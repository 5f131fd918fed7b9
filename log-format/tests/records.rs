//! Records, their way through frames, and the configuration: what is written is read, and what is
//! broken is told.

use lookback_log_format::config::{count_bits_for, Codec, TagKind};
use lookback_log_format::frame::Frame;
use lookback_log_format::interval::{EndReason, Gap, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::stream::{to_frames, Assembler, Broken, Item};
use lookback_log_format::{Error, RecorderConfig, TriggerSettings};
use proptest::prelude::*;

fn records() -> impl Strategy<Value = Record> {
    let header = (
        prop::sample::select(vec![0u8, 1, 3]),
        any::<(u32, u64, u64, u32)>(),
        any::<[u32; 32]>(),
    );
    let trailer = (any::<(u32, u32)>(), 1u8..=5);
    let entries = prop::collection::vec(any::<u8>(), 0..700);
    let interval = (header, entries, trailer).prop_map(
        |((mode, (index, retired, cycle, pc), mut registers), entries, (end, reason))| {
            registers[0] = 0;
            Record::Interval(Interval {
                header: Header {
                    layout: Layout::Full,
                    mode,
                    index,
                    retired,
                    cycle,
                    pc,
                    registers,
                },
                entries,
                trailer: Trailer {
                    instructions: end.0,
                    digest: end.1,
                    reason: EndReason::from_code(reason).unwrap(),
                },
            })
        },
    );
    let gap = any::<(u32, u64, u64, u32)>().prop_map(|(index, retired, cycle, lost)| {
        Record::Gap(Gap {
            index,
            retired,
            cycle,
            lost,
        })
    });
    prop_oneof![3 => interval, 1 => gap]
}

fn frames_of(records: &[Record]) -> Vec<Frame> {
    let mut frames = Vec::new();
    for record in records {
        frames.extend(to_frames(0, frames.len() as u16, &record.to_bytes()));
    }
    frames
}

#[test]
fn a_gap_of_another_length_is_refused_for_what_it_is() {
    let gap = |len| {
        let mut bytes = vec![0; len];
        bytes[0] = 2;
        Record::from_bytes(&bytes)
    };
    assert!(gap(26).is_ok());
    assert_eq!(
        gap(25),
        Err(Error::IntervalTooShort {
            len: 25,
            needed: 26
        })
    );
    assert_eq!(
        gap(27),
        Err(Error::BadInterval {
            field: "length of a gap",
            value: 27
        })
    );
}

#[test]
fn the_smallest_count_field_that_fits() {
    assert_eq!(count_bits_for(1), 5);
    assert_eq!(count_bits_for(31), 5);
    assert_eq!(count_bits_for(32), 6);
    assert_eq!(count_bits_for(1023), 10);
    assert_eq!(count_bits_for(1024), 11);
}

proptest! {
    #[test]
    fn records_survive(record in records()) {
        prop_assert_eq!(Record::from_bytes(&record.to_bytes()), Ok(record));
    }

    #[test]
    fn random_records_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0u8..4) {
        if let Some(first) = bytes.first_mut() {
            *first = kind;
        }
        if let Ok(record) = Record::from_bytes(&bytes) {
            // What is not stored (the second byte of a gap) is not looked at either.
            prop_assert_eq!(&record.to_bytes()[2..], &bytes[2..]);
        }
    }

    #[test]
    fn frames_become_records_again(list in prop::collection::vec(records(), 0..6)) {
        let mut assembler = Assembler::new();
        let items: Vec<Item> = frames_of(&list).iter().flat_map(|f| assembler.push(f)).collect();
        let expected = list.into_iter().map(|record| {
            let bytes = record.to_bytes();
            Item::Record { record, bytes }
        });
        prop_assert_eq!(items, expected.collect::<Vec<_>>());
        prop_assert_eq!(assembler.pending(), 0);
    }

    /// A lost frame costs the record that it belongs to, and that is told.
    #[test]
    fn a_lost_frame_costs_one_record(list in prop::collection::vec(records(), 1..6), lost: prop::sample::Index) {
        let frames = frames_of(&list);
        let lost = lost.index(frames.len());
        let mut assembler = Assembler::new();
        let mut items = Vec::new();
        for (i, frame) in frames.iter().enumerate() {
            if i == lost {
                items.extend(assembler.lost());
            } else {
                items.extend(assembler.push(frame));
            }
        }
        let whole = items.iter().filter(|item| matches!(item, Item::Record { .. })).count();
        prop_assert_eq!(whole, list.len() - 1);
        for item in items {
            match item {
                Item::Record { record, .. } => prop_assert!(list.contains(&record)),
                Item::Broken { why, .. } => prop_assert!(matches!(why, Broken::Lost | Broken::NoStart)),
            }
        }
    }

    #[test]
    fn random_frames_never_panic(list in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..240)), 0..20)) {
        let mut assembler = Assembler::new();
        for (kind, payload) in list {
            assembler.push(&Frame { kind, hart: 0, seq: 0, payload });
        }
    }

    #[test]
    fn a_configuration_survives_and_random_bytes_do_no_harm(
        sizes in (0u8..=20, 1u8..=2, 0u8..=6, 1u8..=32, 1u8..=10, 0u8..=20),
        words in any::<[u32; 5]>(),
        interval in 64u32..1 << 24,
        noise: Vec<u8>,
    ) {
        let config = RecorderConfig {
            codec: Codec::Bugnet,
            harts: 1,
            tag_set_bits: sizes.0,
            tag_ways: sizes.1,
            tag_words: 1 << sizes.2,
            epoch_bits: sizes.3,
            tag_kind: if words[1] & 1 == 1 { TagKind::Words } else { TagKind::Bits },
            dict_bits: sizes.4,
            dirty_bits: sizes.5,
            ring_bits: 12,
            fifo_bits: 4,
            clock_hz: words[0],
            mem_base: words[1],
            mem_mask: words[2],
            attached: words[0] & 1 == 1,
            compressed: words[0] & 3 == 3,
            control: 1,
            interval,
            count_bits: count_bits_for(interval),
            image_lo: words[3] & !63,
            image_hi: words[4] & !63,
            post_trigger: words[0],
            trigger: TriggerSettings {
                kinds: words[0] & 0x1f,
                lo: if words[0] & 0x1f == 0 { 0 } else { words[1] },
                hi: if words[0] & 0x1f == 0 { 0 } else { words[2] },
            },
            order: (words[1] & 1 == 1).then(Default::default),
        };
        prop_assert_eq!(RecorderConfig::from_bytes(&config.to_bytes()), Ok(config));
        let _ = RecorderConfig::from_bytes(&noise);
    }
}
