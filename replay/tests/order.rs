//! All harts of a recording together: the logged order explains what every hart saw, and a wrong one
//! does not.

mod common;

use common::several::{parallel_config, record_parallel, ParallelRun};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::order::{encode, OrderElement, OrderKind, OrderRecord};
use lookback_log_format::retire::lanes;
use lookback_replay::order::{check, OrderReport, Schedule};
use lookback_replay::verify::verify;
use lookback_replay::{Recording, What};
use std::collections::HashMap;

const KINDS: [OrderKind; 2] = [OrderKind::Strata, OrderKind::Chunks];

fn run(name: &str, harts: u8, seed: u64, burst: u32) -> ParallelRun {
    let programs = lookback_firmware::parallel_programs(harts).unwrap();
    let program = programs.iter().find(|program| program.name == name);
    let elf = std::fs::read(&program.expect("there is such a program").elf).unwrap();
    record_parallel(
        name,
        &elf,
        parallel_config(harts, 5000),
        seed,
        burst,
        2_000_000,
    )
}

fn order_of(recording: &Recording, kind: OrderKind) -> OrderReport {
    let image = recording.image(None).unwrap();
    check(recording, &image, kind, &mut |_| {})
}

#[test]
fn programs_replay_together() {
    for harts in [2, 4] {
        for program in lookback_firmware::parallel_programs(harts).unwrap() {
            let seed = u64::from(harts);
            let run = run(&program.name, harts, seed, 9);
            assert_eq!(
                run.end.code,
                program.header.expect.finish_code(),
                "{}: {}",
                program.name,
                String::from_utf8_lossy(&run.console)
            );
            assert!(
                program.header.console_matches(&run.console),
                "{}",
                program.name
            );
            let recording = run.recording();
            let image = recording.image(None).unwrap();
            let report = verify(&recording, &image, |_, _| {});
            assert_eq!(report.order.len(), 2);
            for order in &report.order {
                let name = &program.name;
                assert!(order.is_ok(), "{name}: {order:#?}");
                assert_eq!(
                    order.instructions, run.end.retired,
                    "{name} {:?}",
                    order.kind
                );
                assert!(order.reads_confirmed > 100, "{name}");
                assert_eq!(order.notes, [""; 0], "{name}");
            }
            assert!(report.ok, "{}", program.name);
        }
    }
}

/// The schedule is a permutation of the run that keeps each hart's own order, and at every moment the
/// shared memory is what the run's own memory was.
#[test]
fn the_schedule_leads_through_the_same_memory() {
    for seed in 0..4 {
        let run = run("lrsc_stack", 4, seed, 1 + 4 * seed as u32);
        let recording = run.recording();
        let image = recording.image(None).unwrap();
        for kind in KINDS {
            let (schedule, report) = Schedule::new(&recording, &image, kind);
            assert!(report.is_ok(), "{report:#?}");
            assert_eq!(schedule.length(), run.end.retired);
            let mut of_hart: Vec<Vec<_>> = vec![Vec::new(); 4];
            for (hart, retire) in &run.retires {
                of_hart[*hart].push(retire);
            }
            let mut memory: HashMap<u32, u32> = HashMap::new();
            let mut moment = 0;
            for slice in schedule.slices() {
                assert_eq!(slice.start, moment);
                for at in slice.from..slice.to {
                    let retire = of_hart[usize::from(slice.hart)][at as usize];
                    if moment % 5003 == 17 {
                        let shared = schedule.memory_at(&recording, &image, moment).unwrap();
                        for (&addr, &word) in &memory {
                            let byte = shared.byte(addr).expect("somebody wrote it");
                            assert_eq!(byte, word as u8, "{addr:#x} at moment {moment}");
                        }
                        assert_eq!(schedule.harts_at(moment)[usize::from(slice.hart)], at);
                        assert_eq!(schedule.moment_before(slice.hart, at), Some(moment));
                    }
                    let word = retire.mem_wdata & lanes(retire.mem_wmask);
                    if retire.mem_addr >= 0x8000_0000 && retire.mem_wmask & 1 == 1 {
                        memory.insert(retire.mem_addr, word);
                    }
                    moment += 1;
                }
            }
        }
    }
}

/// The records with the elements of one of them changed.
fn changed(
    run: &ParallelRun,
    kind: OrderKind,
    change: impl Fn(usize, &mut Vec<OrderElement>, &mut OrderRecord),
) -> Vec<(u8, Record)> {
    let mut records = run.records.clone();
    let mut number = 0;
    for (_, record) in &mut records {
        let Record::Order(order) = record else {
            continue;
        };
        if order.kind != kind {
            continue;
        }
        let mut elements: Vec<_> = order.elements().map(Result::unwrap).collect();
        change(number, &mut elements, order);
        order.elements = encode(order.retired.len(), kind, &elements);
        number += 1;
    }
    records
}

#[test]
fn a_stratum_that_is_missing_is_a_located_divergence() {
    let run = run("spin_lock", 2, 5, 7);
    let mut found = 0;
    for victim in (3..60).step_by(7) {
        // Two regions become one.
        let records = changed(&run, OrderKind::Strata, |number, elements, _| {
            if number != 0 {
                return;
            }
            let OrderElement::Stratum(gone) = elements.remove(victim) else {
                return;
            };
            let Some(OrderElement::Stratum(next)) = elements.get_mut(victim) else {
                return;
            };
            next.iter_mut()
                .zip(gone)
                .for_each(|(next, gone)| *next += gone);
        });
        let report = order_of(&run.recording_of(&records), OrderKind::Strata);
        // Where the region was taken apart for nothing, nothing is wrong without.
        if let Some(divergence) = report.divergence {
            let what = divergence.what;
            let known = matches!(
                what,
                What::OtherValue { .. } | What::TwoWriters(_) | What::NoOrder
            );
            assert!(known, "{what}");
            assert!(divergence.pc >= 0x8000_0000);
            found += 1;
        }
    }
    assert!(found >= 6, "{found}");
}

#[test]
fn chunks_in_another_order_are_a_located_divergence() {
    let run = run("spin_lock", 2, 5, 7);
    let mut found = 0;
    for victim in (2..60).step_by(5) {
        let records = changed(&run, OrderKind::Chunks, |number, elements, _| {
            if number == 0 {
                elements.swap(victim, victim + 1);
            }
        });
        let report = order_of(&run.recording_of(&records), OrderKind::Chunks);
        found += usize::from(!report.is_ok());
        assert!(report.faults.is_empty(), "{:?}", report.faults);
    }
    assert!(found >= 6, "{found}");
}

fn texts(report: &OrderReport) -> String {
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    faults.join("\n")
}

#[test]
fn bad_logs_of_the_order_are_told() {
    let run = run("ring_buffer", 2, 1, 5);
    for kind in KINDS {
        // A record is missing.
        let mut records = run.records.clone();
        let is_victim = |(_, record): &(u8, Record)| matches!(record, Record::Order(o) if o.kind == kind && o.index == 1);
        let at = records.iter().position(is_victim).unwrap();
        let victim = records.remove(at);
        let report = order_of(&run.recording_of(&records), kind);
        assert!(
            texts(&report).contains("records 1 to 1 are not in the file"),
            "{report:#?}"
        );
        assert!(report.divergence.is_none(), "{report:#?}");
        assert!(
            report.instructions > run.end.retired / 2,
            "the rest is followed"
        );
        // It comes later.
        records.push(victim);
        let recording = run.recording_of(&records);
        assert!(
            recording.damage[0].why.contains("comes after record"),
            "{:?}",
            recording.damage
        );
        // All of them.
        let none: Vec<_> = run
            .records
            .iter()
            .filter(|(hart, _)| *hart < 2)
            .cloned()
            .collect();
        let report = order_of(&run.recording_of(&none), kind);
        assert!(
            texts(&report).contains("none are in the file"),
            "{report:#?}"
        );
        // The last one.
        let last =
            |(_, record): &(u8, Record)| matches!(record, Record::Order(o) if o.kind == kind);
        let mut records = run.records.clone();
        records.remove(records.iter().rposition(last).unwrap());
        let report = order_of(&run.recording_of(&records), kind);
        assert!(
            texts(&report).contains("after the last record come"),
            "{report:#?}"
        );
        // A start that does not fit.
        let records = changed(&run, kind, |number, _, record| {
            record.retired[1] -= u32::from(number == 1);
        });
        assert!(!order_of(&run.recording_of(&records), kind).is_ok());
        // More than the hart does.
        let records = changed(&run, kind, |_, elements, record| {
            if record.reason == EndReason::RunEnded {
                match elements.last_mut().unwrap() {
                    OrderElement::Stratum(strides) => strides[1] += 1000,
                    OrderElement::Chunk { size, .. } => *size += 1000,
                    OrderElement::External(_) => {}
                }
            }
        });
        let report = order_of(&run.recording_of(&records), kind);
        assert!(texts(&report).contains("its log ends"), "{report:#?}");
        // A hart that there is not, an element that ends early.
        let records = changed(&run, kind, |number, _, record| {
            if number == 0 {
                record.retired.push(0);
            }
        });
        assert!(!order_of(&run.recording_of(&records), kind).is_ok());
    }
    // A counter that overflows: no recorder writes such a stride.
    let records = changed(&run, OrderKind::Strata, |_, elements, _| {
        elements[0] = OrderElement::Stratum([u16::MAX; 8]);
    });
    let report = order_of(&run.recording_of(&records), OrderKind::Strata);
    assert!(
        texts(&report).contains("larger than a counter can be"),
        "{report:#?}"
    );
}

#[test]
fn a_hart_may_never_run_or_stop_early() {
    // Four harts, of which the program uses two and one never gets a turn.
    let elf = std::fs::read(lookback_firmware::folder().join("prebuilt/harts2/ring_buffer.elf"));
    let elf = elf.unwrap();
    let mut config = parallel_config(4, 3000);
    config.harts = 4;
    let run = record_parallel("ring_buffer", &elf, config, 3, 5, 200_000);
    let without: Vec<_> = run
        .records
        .iter()
        .filter(|(hart, _)| *hart != 3)
        .cloned()
        .collect();
    assert!(order_of(&run.recording(), OrderKind::Chunks).is_ok());
    // The parked hart makes no accesses: strata do not miss its log, chunks do.
    let recording = run.recording_of(&without);
    let report = order_of(&recording, OrderKind::Strata);
    assert_eq!(report.divergence, None);
    let report = order_of(&recording, OrderKind::Chunks);
    assert!(texts(&report).contains("hart 3"), "{report:#?}");
    // The log of one hart ends before the others'.
    let mut short = run.records.clone();
    let of_hart_1 = |(hart, _): &(u8, Record)| *hart == 1;
    short.remove(short.iter().rposition(of_hart_1).unwrap());
    for kind in KINDS {
        let report = order_of(&run.recording_of(&short), kind);
        assert!(texts(&report).contains("hart 1"), "{report:#?}");
    }
}

/// `bne rs1, x0, offset`.
fn bnez(rs1: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    let high = (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3f) << 25;
    let low = (offset >> 1 & 0xf) << 8 | (offset >> 11 & 1) << 7;
    high | rs1 << 15 | 1 << 12 | low | 0x63
}

/// All harts read one word for ever, but hart 0 ends the run after 69632 reads.
fn readers() -> Vec<u8> {
    let words = [
        0xf140_2473, // csrr x8, mhartid
        0x8000_1337, // lui x6, 0x80001
        0x0001_13b7, // lui x7, 0x11
        0x0003_2283, // lw x5, 0(x6)
        bnez(8, -4),
        0xfff3_8393, // addi x7, x7, -1
        bnez(7, -12),
        0x0010_0337, // lui x6, 0x100
        0x0000_52b7, // lui x5, 5
        0x5552_8293, // addi x5, x5, 0x555
        0x0053_2023, // sw x5, 0(x6)
    ];
    let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let size = 4 * words.len() as u32;
    let halves = |elf: &mut Vec<u8>, halves: &[u16]| {
        elf.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    };
    let put = |elf: &mut Vec<u8>, words: &[u32]| {
        elf.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    // Executable, RISC-V; one segment behind the headers.
    halves(&mut elf, &[2, 243]);
    put(&mut elf, &[1, 0x8000_0000, 52, 0, 0]);
    halves(&mut elf, &[52, 32, 1, 40, 0, 0]);
    put(
        &mut elf,
        &[1, 84, 0x8000_0000, 0x8000_0000, size, size, 5, 4],
    );
    put(&mut elf, &words);
    elf
}

fn elements_of(recording: &Recording, kind: OrderKind) -> Vec<OrderElement> {
    let records = recording.order(kind).iter();
    records
        .flat_map(|record| record.elements().map(Result::unwrap).collect::<Vec<_>>())
        .collect()
}

/// Harts that do not depend on each other for long: a stride and a chunk's size come to their ends.
#[test]
fn counters_that_are_full_take_a_stratum_or_end_a_chunk() {
    for chunk_bits in [8u8, 16] {
        let mut config = parallel_config(2, 100_000);
        let order = config.order.as_mut().unwrap();
        order.chunk_bits = chunk_bits;
        let run = record_parallel("readers", &readers(), config, 1, 900, 2_000_000);
        assert_eq!(run.end.code, 0x5555);
        let recording = run.recording();
        for kind in KINDS {
            let report = order_of(&recording, kind);
            assert!(report.is_ok(), "{report:#?}");
            assert_eq!(report.instructions, run.end.retired);
        }
        let full = elements_of(&recording, OrderKind::Strata)
            .iter()
            .filter(|element| matches!(element, OrderElement::Stratum(s) if s.contains(&65534)))
            .count();
        assert!(full >= 1, "{full}");
        let limit = (1u32 << chunk_bits) - 1;
        let sizes: Vec<_> = elements_of(&recording, OrderKind::Chunks)
            .iter()
            .filter_map(|element| match element {
                OrderElement::Chunk { size, .. } => Some(*size),
                _ => None,
            })
            .collect();
        assert_eq!(sizes.iter().max(), Some(&limit));
        // A size is one more than a counter can hold.
        let records = changed(&run, OrderKind::Chunks, |number, elements, _| {
            if number == 0 {
                for element in elements {
                    if let OrderElement::Chunk { size, .. } = element {
                        *size = size.saturating_sub(1).max(1);
                    }
                }
            }
        });
        assert!(!order_of(&run.recording_of(&records), OrderKind::Chunks).is_ok());
    }
}

/// Records tell the low 32 bits of retirements; a run that is longer replays all the same.
#[test]
fn retirements_go_on_beyond_32_bits() {
    let run = run("ring_buffer", 2, 2, 5);
    for shift in [(1u64 << 32) - 7000, 1 << 32, (3 << 32) + 12345] {
        let mut records = run.records.clone();
        for (_, record) in &mut records {
            match record {
                Record::Interval(interval) => interval.header.retired += shift,
                Record::Gap(gap) => gap.retired += shift,
                Record::Order(order) => order
                    .retired
                    .iter_mut()
                    .for_each(|low| *low = low.wrapping_add(shift as u32)),
            }
        }
        let recording = run.recording_of(&records);
        for kind in KINDS {
            let report = order_of(&recording, kind);
            assert!(report.is_ok(), "{shift:#x}: {report:#?}");
            assert_eq!(report.instructions, run.end.retired, "{shift:#x}");
        }
    }
}
