//! Recordings of several harts of a simulated board: every command on them, and orders that were
//! tampered with and whose checksums are right.

mod common;

use common::{firmware, json, lookback, Run, Scratch};
use lookback_log_format::container::{Chunk, Writer};
use lookback_log_format::interval::Record;
use lookback_log_format::order::{encode, OrderElement, OrderKind, OrderRecord};
use lookback_replay::Recording;
use std::sync::OnceLock;

/// A race on two harts, recorded with both orders in a few intervals.
fn race() -> &'static [u8] {
    static RECORDING: OnceLock<Vec<u8>> = OnceLock::new();
    RECORDING.get_or_init(|| record("harts2/reference_count", 2, &["--order", "both"]))
}

fn record(program: &str, harts: u8, more: &[&str]) -> Vec<u8> {
    let scratch = Scratch::new();
    let (elf, harts) = (firmware(program), harts.to_string());
    let args = [
        "record",
        "--sim",
        "--harts",
        &harts,
        "--elf",
        &elf,
        "--interval",
        "10000",
        "--seed",
        "4",
        "-o",
        "run.lbk",
    ];
    let run = lookback(&scratch, &[&args[..], more].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    std::fs::read(scratch.path("run.lbk")).unwrap()
}

fn on(bytes: &[u8], args: &[&str]) -> Run {
    let scratch = Scratch::new();
    scratch.file("run.lbk", bytes);
    let run = lookback(&scratch, &[&args[..1], &["run.lbk"], &args[1..]].concat());
    assert!(!run.stderr.contains("panicked"), "{args:?}: {run:?}");
    run
}

/// The same recording with other records of the order, all of its checksums right.
fn rewritten(change: impl Fn(OrderKind, &mut Vec<OrderRecord>)) -> Vec<u8> {
    let recording = Recording::from_bytes(race()).unwrap();
    let mut file = Writer::new(Vec::new()).unwrap();
    file.put(&Chunk::Config(recording.config.clone())).unwrap();
    file.put(&Chunk::Elf(recording.elf.clone().unwrap()))
        .unwrap();
    for log in &recording.harts {
        for record in log.records.iter().cloned() {
            let hart = log.hart;
            file.put(&Chunk::Record { hart, record }).unwrap();
        }
    }
    for (kind, hart) in [(OrderKind::Strata, 0xff), (OrderKind::Chunks, 0xfe)] {
        let mut records = recording.order(kind).to_vec();
        assert!(records.len() > 2, "{}", records.len());
        change(kind, &mut records);
        for record in records {
            let record = Record::Order(record);
            file.put(&Chunk::Record { hart, record }).unwrap();
        }
    }
    file.put(&Chunk::End(recording.end.unwrap())).unwrap();
    std::mem::take(file.get_mut())
}

/// Changes the elements of one record.
fn altered(
    which: OrderKind,
    number: usize,
    change: impl Fn(&mut Vec<OrderElement>),
) -> impl Fn(OrderKind, &mut Vec<OrderRecord>) {
    move |kind, records| {
        if kind == which {
            let record = &mut records[number];
            let mut elements: Vec<_> = record.elements().map(Result::unwrap).collect();
            change(&mut elements);
            record.elements = encode(record.retired.len(), kind, &elements);
        }
    }
}

/// `verify` says that the order is wrong, and where.
fn is_refused(bytes: &[u8], text: &str) {
    let run = on(bytes, &["verify"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says(text);
    // Every hart by itself is as good as before.
    run.says("every digest matches");
}

#[test]
fn the_recording_as_it_is_verifies() {
    for bytes in [race().to_vec(), rewritten(|_, _| {})] {
        let run = on(&bytes, &["verify"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        run.says("strata regions: every read sees what was written last");
        run.says("chunks: every read sees what was written last");
    }
}

#[test]
fn records_of_the_order_that_are_gone_are_named() {
    for which in [OrderKind::Strata, OrderKind::Chunks] {
        let without = rewritten(|kind, records| {
            if kind == which {
                records.remove(1);
            }
        });
        is_refused(&without, "records 1 to 1 are not in the file");
        let last = rewritten(|kind, records| {
            if kind == which {
                records.pop();
            }
        });
        is_refused(&last, "after the last record come");
        let none = rewritten(|kind, records| {
            if kind == which {
                records.clear();
            }
        });
        is_refused(&none, "none are in the file");
    }
}

#[test]
fn records_of_the_order_in_another_order_are_told() {
    for which in [OrderKind::Strata, OrderKind::Chunks] {
        let bytes = rewritten(|kind, records| {
            if kind == which {
                records.swap(1, 2);
            }
        });
        let run = on(&bytes, &["verify"]);
        assert_eq!(run.status, Some(1), "{run:?}");
        run.says("comes after record");
        // Numbered anew they are in a row, but start where they do not.
        let bytes = rewritten(|kind, records| {
            if kind == which {
                records.swap(1, 2);
                records[1].index = 1;
                records[2].index = 2;
            }
        });
        let run = on(&bytes, &["verify"]);
        assert_eq!(run.status, Some(1), "{run:?}");
        run.says("record 1");
    }
}

#[test]
fn altered_elements_are_divergences_at_an_instruction() {
    let mut found = [0; 2];
    for at in (20..140).step_by(6) {
        // Two regions become one; two chunks change places.
        let merged = rewritten(altered(OrderKind::Strata, 1, |elements| {
            if let OrderElement::Stratum(gone) = elements.remove(at) {
                if let OrderElement::Stratum(next) = &mut elements[at] {
                    next.iter_mut().zip(gone).for_each(|(a, b)| *a += b);
                }
            }
        }));
        let swapped = rewritten(altered(OrderKind::Chunks, 1, |elements| {
            elements.swap(at, at + 1);
        }));
        for (bytes, found) in [merged, swapped].iter().zip(&mut found) {
            let run = on(bytes, &["verify"]);
            // What was apart because of neighbours in a block may be together.
            if run.status == Some(1) {
                run.says("does not explain what they saw");
                run.says("diverges: hart");
                *found += 1;
            }
        }
    }
    assert!(found[0] >= 5 && found[1] >= 5, "{found:?}");
    // One access or instruction too many.
    let bytes = rewritten(altered(OrderKind::Strata, 0, |elements| {
        if let Some(OrderElement::Stratum(strides)) = elements.first_mut() {
            strides[0] += 1;
        }
    }));
    assert_eq!(on(&bytes, &["verify"]).status, Some(1));
    let bytes = rewritten(altered(OrderKind::Chunks, 0, |elements| {
        if let Some(OrderElement::Chunk { size, .. }) = elements.first_mut() {
            *size += 1;
        }
    }));
    assert_eq!(on(&bytes, &["verify"]).status, Some(1));
    // A counter that no recorder has.
    let bytes = rewritten(altered(OrderKind::Strata, 0, |elements| {
        elements[0] = OrderElement::Stratum([u16::MAX; 8]);
    }));
    is_refused(&bytes, "larger than a counter can be");
}

#[test]
fn all_harts_are_listed_in_their_order() {
    let steps = json(&on(race(), &["replay", "--hart", "all", "--json"]));
    let steps = steps.as_array().unwrap();
    let info = json(&on(race(), &["info", "--json"]));
    let instructions = info["contents"]["instructions"].as_u64().unwrap();
    assert_eq!(steps.len() as u64, instructions);
    // Each hart's own instructions are all there, in their own order, and both are mixed.
    let mut next = [0; 2];
    let mut changes = 0;
    for (moment, step) in steps.iter().enumerate() {
        let hart = step["hart"].as_u64().unwrap() as usize;
        assert_eq!(step["moment"], moment);
        assert_eq!(step["retired"], next[hart]);
        next[hart] += 1;
        changes += usize::from(moment > 0 && steps[moment - 1]["hart"] != step["hart"]);
    }
    assert!(
        next[0] > 1000 && next[1] > 1000 && changes > 500,
        "{next:?} {changes}"
    );
    for hart in [0, 1] {
        let own = json(&on(
            race(),
            &["replay", "--hart", &hart.to_string(), "--json"],
        ));
        let own: Vec<_> = own
            .as_array()
            .unwrap()
            .iter()
            .map(|step| &step["pc"])
            .collect();
        let listed = steps.iter().filter(|step| step["hart"] == hart);
        assert_eq!(own, listed.map(|step| &step["pc"]).collect::<Vec<_>>());
    }
}

#[test]
fn options_count_in_the_order_of_all_harts() {
    let run = on(race(), &["replay", "--hart", "all", "--last", "7"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 7, "{run:?}");
    let run = on(
        race(),
        &["replay", "--hart", "all", "--from", "5", "--until", "9"],
    );
    let numbers: Vec<_> = run
        .stdout
        .lines()
        .map(|l| l.split_whitespace().next())
        .collect();
    assert_eq!(numbers, [Some("5"), Some("6"), Some("7"), Some("8")]);
    // Whoever comes first: the function runs on both.
    let run = on(race(), &["replay", "--hart", "all", "--break", "work"]);
    run.says("stopped before instruction");
    let run = on(race(), &["replay", "--hart", "all", "--watch", "foo"]);
    run.says("stopped behind instruction");
    let run = on(race(), &["replay", "--hart", "all", "--from", "99999999"]);
    run.fails_with("no instruction lies in that range");
    let run = on(race(), &["replay", "--hart", "both"]);
    run.fails_with("a hart's number, or `all`");
    let run = on(race(), &["replay", "--hart", "7"]);
    run.fails_with("its harts: 0, 1");
}

#[test]
fn a_wrong_order_is_listed_as_far_as_it_goes() {
    let bytes = rewritten(altered(OrderKind::Strata, 0, |elements| {
        elements[40] = OrderElement::Stratum([u16::MAX; 8]);
    }));
    let run = on(&bytes, &["replay", "--hart", "all"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("larger than a counter can be");
}

#[test]
fn without_an_order_harts_are_listed_one_by_one() {
    let bytes = record("harts2/spin_lock", 2, &["--order", "none"]);
    let run = on(&bytes, &["replay", "--hart", "all"]);
    run.fails_with("does not have the order of its harts");
    assert_eq!(on(&bytes, &["replay", "--hart", "1"]).status, Some(0));
    on(&bytes, &["info"]).says("not recorded: each hart can be replayed only by itself");
}

#[test]
fn tags_that_keep_words_are_told_and_verify() {
    for (tags, told) in [("bits", false), ("words", true)] {
        let bytes = record("harts2/reference_count", 2, &["--tags", tags]);
        assert_eq!(on(&bytes, &["verify"]).status, Some(0));
        let info = on(&bytes, &["info"]);
        assert_eq!(info.stdout.contains("that keep words"), told, "{info:?}");
    }
}

#[test]
fn a_crash_is_traced_to_the_hart_that_caused_it() {
    for harts in [2u8, 4] {
        let bytes = record(&format!("harts{harts}/overrun"), harts, &[]);
        let report = on(&bytes, &["report"]);
        report.says("crashed on hart 0: instruction access fault");
        report.says("on hart 1: 0xc3 was stored");
        report.says("in receive+");
        let report = json(&on(&bytes, &["report", "--json"]));
        assert_eq!(report["hart"], 0);
        assert_eq!(report["crash"]["origin"][1]["hart"], 1);
        // Where the others were in that moment, and what hart 0 was about to use.
        let scratch = Scratch::new();
        scratch.file("run.lbk", &bytes);
        let run = lookback(&scratch, &["export", "run.lbk", "--core", "run.core"]);
        assert_eq!(run.status, Some(0), "{run:?}");
        run.says("hart 0 before instruction");
        run.says("hart 1 before instruction");
        let run = lookback(
            &scratch,
            &["export", "run.lbk", "--core", "x", "--at", "99999999"],
        );
        run.fails_with("the order of its harts has");
    }
    // Without an order nobody can tell which hart it was, but not the wrong one.
    let bytes = record("harts2/overrun", 2, &["--order", "none"]);
    on(&bytes, &["report"]).says("somebody else wrote since (another hart, or DMA)");
}
