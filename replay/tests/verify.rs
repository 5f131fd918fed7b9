//! What `verify`, `walk` and `cause` say about whole, cut, damaged and gappy recordings.

mod common;

use common::{config, record, Run};
use lookback_firmware::header::Expect;
use lookback_firmware::{folder, programs};
use lookback_log_format::container::{Chunk, Writer};
use lookback_log_format::interval::{EndReason, Interval, Record};
use lookback_log_format::Retire;
use lookback_replay::cause::{explain, Cause};
use lookback_replay::walk::{machine_at, walk, Event};
use lookback_replay::{verify, Error, Image, Recording, Step, What};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

fn elf(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("prebuilt/{name}.elf"))).unwrap()
}

fn hello(interval: u32) -> Run {
    record("hello", &elf("hello"), config(interval), b"", 50_000, true)
}

#[test]
fn a_whole_recording_is_ok() {
    let run = hello(500);
    let recording = run.recording();
    let image = recording.image(None).unwrap();
    let most = AtomicU64::new(0);
    let report = verify(&recording, &image, |done, all| {
        assert!(done <= all);
        most.fetch_max(done, Ordering::Relaxed);
    });
    assert!(report.ok, "{report:#?}");
    let instructions = run.retires.len() as u64;
    assert_eq!(report.totals.instructions_ok, instructions);
    assert_eq!(most.into_inner(), instructions);
    let summary = recording.summary();
    assert_eq!(summary.retired, (0, instructions));
    assert_eq!(summary.intervals, instructions.div_ceil(500));
    assert_eq!(
        summary.bits_per_instruction,
        report.totals.bits_per_instruction
    );
}

#[test]
fn a_cut_recording_is_fine_up_to_the_cut() {
    let file = hello(200).file();
    let whole = Recording::from_bytes(&file).unwrap();
    let image = whole.image(None).unwrap();
    for cut in (file.len() - 3000..file.len()).step_by(7) {
        let recording = Recording::from_bytes(&file[..cut]).unwrap();
        let report = verify(&recording, &image, |_, _| {});
        assert!(!report.ok);
        assert_eq!(report.totals.intervals, report.totals.intervals_ok);
        let kept = &recording.harts[0].records;
        assert_eq!(kept[..], whole.harts[0].records[..kept.len()]);
    }
}

/// A file with some of the records, and with others changed.
fn rewritten(run: &Run, change: impl Fn(usize, &Record) -> Option<Record>) -> Recording {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.put(&Chunk::Config(run.config.clone())).unwrap();
    writer.put(&Chunk::Elf(run.elf.clone())).unwrap();
    for (at, record) in run.records.iter().enumerate() {
        if let Some(record) = change(at, record) {
            writer.put(&Chunk::Record { hart: 0, record }).unwrap();
        }
    }
    writer.put(&Chunk::End(run.end)).unwrap();
    Recording::from_bytes(writer.get_mut()).unwrap()
}

#[test]
fn a_missing_interval_is_named() {
    let recording = rewritten(&hello(500), |at, record| (at != 2).then(|| record.clone()));
    let image = recording.image(None).unwrap();
    let report = verify(&recording, &image, |_, _| {});
    assert!(!report.ok);
    assert_eq!(report.harts[0].missing, [(2, 2)]);
    assert_eq!(report.divergences().count(), 0);
    let mut missing = 0;
    let _ = walk(&recording, &image, &recording.harts[0], 0..9999, |event| {
        missing += u32::from(matches!(event, Event::Missing { first: 2, last: 2 }));
        ControlFlow::Continue(())
    });
    assert_eq!(missing, 1);
}

#[test]
fn a_wrong_interval_does_not_spoil_the_others() {
    let recording = rewritten(&hello(500), |at, record| {
        let mut record = record.clone();
        if let (2, Record::Interval(interval)) = (at, &mut record) {
            interval.trailer.digest ^= 1;
        }
        Some(record)
    });
    let image = recording.image(None).unwrap();
    let report = verify(&recording, &image, |_, _| {});
    assert_eq!(report.totals.intervals, report.totals.intervals_ok + 1);
    let divergence = report.divergences().next().unwrap();
    assert_eq!((divergence.interval, divergence.position), (2, 500));
    assert!(matches!(divergence.what, What::Digest { .. }));
}

#[test]
fn registers_that_nobody_reads_are_checked_at_the_seam() {
    let run = record("compute", &elf("compute"), config(500), b"", 50_000, false);
    let recording = rewritten(&run, |at, record| {
        let mut record = record.clone();
        if let (2, Record::Interval(interval)) = (at, &mut record) {
            // The program does not use tp, and no interrupt saves it.
            interval.header.registers[4] ^= 1;
        }
        Some(record)
    });
    let report = verify(&recording, &recording.image(None).unwrap(), |_, _| {});
    assert_eq!(report.divergences().count(), 0);
    assert!(report.seams().any(|seam| seam.before == 1), "{report:?}");
    assert!(!report.ok);
}

/// What no digest covers: mode, cycles and the reason of an interval that others follow.
#[test]
fn headers_are_held_against_their_neighbours() {
    let user = record(
        "user_mode",
        &elf("user_mode"),
        config(300),
        b"",
        50_000,
        false,
    );
    for run in [hello(300), user] {
        assert!(run.records.len() > 3);
        let with = |change: &dyn Fn(&mut Interval)| {
            let recording = rewritten(&run, |at, record| {
                let mut record = record.clone();
                if let (2, Record::Interval(interval)) = (at, &mut record) {
                    change(interval);
                }
                Some(record)
            });
            verify(&recording, &recording.image(None).unwrap(), |_, _| {})
        };
        assert!(with(&|_| {}).ok);
        let changes: [&dyn Fn(&mut Interval); 7] = [
            &|interval| interval.header.mode ^= 2,
            &|interval| interval.header.cycle = 0,
            &|interval| interval.header.cycle ^= 1 << 40,
            &|interval| interval.trailer.reason = EndReason::Stopped,
            &|interval| interval.trailer.reason = EndReason::RunEnded,
            &|interval| interval.trailer.reason = EndReason::Overflow,
            &|interval| interval.trailer.reason = EndReason::Trigger,
        ];
        for (n, change) in changes.into_iter().enumerate() {
            let report = with(change);
            assert_eq!(report.divergences().count(), 0, "{n}");
            assert!(!report.ok, "{n}: {report:#?}");
            assert!(report.seams().any(|s| s.before == 2 || s.after == 2));
        }
    }
}

#[test]
fn replay_goes_on_behind_a_gap() {
    let mut run = hello(500);
    let mut recorder = lookback_model::recorder::Recorder::new(&run.config);
    for (at, retire) in run.retires.iter().enumerate() {
        if (700..900).contains(&at) {
            recorder.lose(retire);
        } else {
            recorder.retire(retire, at as u64);
        }
    }
    recorder.stop(EndReason::RunEnded, 0);
    run.records = recorder.take_records();
    let recording = run.recording();
    let image = recording.image(None).unwrap();
    let report = verify(&recording, &image, |_, _| {});
    assert!(report.ok, "{report:#?}");
    assert!(!recording.is_whole());
    assert_eq!(report.totals.instructions_lost, 200);
    assert_eq!(report.harts[0].gaps.len(), 1);
    let mut seen = Vec::new();
    let _ = walk(&recording, &image, &recording.harts[0], 690..910, |event| {
        match event {
            Event::Step(step) => seen.push(step.retired),
            Event::Gap(gap) => assert_eq!((gap.retired, gap.lost), (700, 200)),
            Event::Interval(_) => {}
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    });
    assert_eq!(seen, (690..700).chain(900..910).collect::<Vec<_>>());
}

#[test]
fn walking_a_range_gives_exactly_its_steps() {
    let run = hello(300);
    let recording = run.recording();
    let image = recording.image(None).unwrap();
    let mut seen = Vec::new();
    let _ = walk(&recording, &image, &recording.harts[0], 250..950, |event| {
        if let Event::Step(step) = event {
            seen.push(step.retired);
        }
        ControlFlow::Continue(())
    });
    assert_eq!(seen, (250..950).collect::<Vec<_>>());
    for retired in [0, 1, 299, 300, 777, run.retires.len() as u64] {
        let log = &recording.harts[0];
        let machine = machine_at(&recording, &image, log, retired, 2).unwrap();
        let machine = machine.unwrap();
        assert_eq!(machine.retired(), retired);
    }
    let log = &recording.harts[0];
    let beyond = machine_at(&recording, &image, log, 1 << 40, 0).unwrap();
    assert!(beyond.is_none());
}

#[test]
fn crash_causes_are_found() {
    for program in programs().unwrap() {
        let (Expect::CrashIn(cause, _) | Expect::CrashFrom(cause, _)) = &program.header.expect
        else {
            continue;
        };
        let bytes = std::fs::read(&program.elf).unwrap();
        let limit = program.header.limit * 4;
        let run = record(&program.name, &bytes, config(1 << 16), b"", limit, false);
        let recording = run.recording();
        let image = recording.image(None).unwrap();
        let mut steps: Vec<Step> = Vec::new();
        let _ = walk(&recording, &image, &recording.harts[0], 0..u64::MAX, |e| {
            if let Event::Step(step) = e {
                steps.push(*step);
            }
            ControlFlow::Continue(())
        });
        let at = steps.iter().rposition(|step| step.trap).unwrap();
        let fault = explain(&recording.config, &steps[at], &steps[at + 1..]).unwrap();
        let expected = Cause::from_mcause(cause.number());
        assert_eq!(fault.cause, expected, "{}", program.name);
        assert!(fault.confirmed, "{}", program.name);
        // Without the handler's help it is the same.
        let alone = explain(&recording.config, &steps[at], []).unwrap();
        assert_eq!((alone.cause, alone.confirmed), (expected, false));
        assert_eq!(alone.addr, fault.addr, "{}", program.name);
    }
}

#[test]
fn another_elf_is_refused_by_name() {
    let recording = hello(500).recording();
    let hello = elf("hello");
    assert!(recording.image(Some(("hello.elf", &hello))).is_ok());
    let other = elf("gpio");
    let error = recording.image(Some(("gpio.elf", &other))).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::WrongElf { .. }), "{text}");
    assert!(
        text.contains("gpio.elf") && text.contains("hello.elf"),
        "{text}"
    );
}

#[test]
fn the_window_covers_the_code_and_no_data() {
    for program in programs().unwrap() {
        let image = Image::parse(&std::fs::read(&program.elf).unwrap()).unwrap();
        let window = image.window();
        assert_eq!(window.start, 0x8000_0000, "{}", program.name);
        assert_eq!(window.end % 64, 0);
        assert!(window.clone().all(|addr| image.in_file(addr)));
        assert!(image.build_id().is_some());
        assert!(!image.compressed());
    }
}

/// A port that reports one wrong result: the digest of its interval differs, and the registers at the
/// start of the next one tell where.
#[test]
fn a_wrong_result_is_traced_to_its_instruction() {
    let run = hello(500);
    let third = &run.retires[1500..2000];
    // The last write of some register in the interval, which the next header must show.
    let culprit = (0..500)
        .rev()
        .find(|&at| {
            let rd = third[at].rd_addr;
            let read_later = |r: &Retire| r.rs1_addr == rd || r.rs2_addr == rd;
            rd != 0
                && !third[at + 1..]
                    .iter()
                    .any(|r| r.rd_addr == rd || read_later(r))
        })
        .unwrap();
    let mut model = lookback_model::Recorder::new(&run.config);
    for (at, r) in run.retires.iter().enumerate() {
        let mut r = *r;
        if at == 1500 + culprit {
            r.rd_wdata ^= 0x40;
        }
        model.retire(&r, 0);
    }
    model.stop(EndReason::RunEnded, 0);
    let records = model.take_records();
    let recording = rewritten(&run, |at, _| records.get(at).cloned());
    let image = recording.image(None).unwrap();
    let report = verify(&recording, &image, |_, _| {});
    assert!(!report.ok);
    let suspect = report.suspects().next().expect("somebody is to blame");
    let wrong = &third[culprit];
    assert_eq!(suspect.retired, 1500 + culprit as u64);
    assert_eq!((suspect.pc, suspect.insn), (wrong.pc_rdata, wrong.insn));
    assert_eq!(suspect.core, wrong.rd_wdata ^ 0x40);
    assert_eq!(suspect.replay, wrong.rd_wdata);
    assert!(suspect.proven);
}
