//! `lookback record --stream`: bytes that were caught at a recorder's AXI-Stream port become the
//! recording that a host at its UART would have made; damage and breaches are told.

mod common;

use common::{crash, firmware, json, lookback, Run, Scratch};
use lookback_log_format::container::{self, Chunk, Found};
use lookback_log_format::frame::{kind, End, Frame, MAX_PAYLOAD};
use lookback_log_format::interval::Record;
use lookback_log_format::{Breach, Rule};

fn chunks() -> Vec<Chunk> {
    let found = container::read(crash()).unwrap();
    let chunk = |found| match found {
        Found::Chunk { chunk, .. } => Some(chunk),
        _ => None,
    };
    found.into_iter().filter_map(chunk).collect()
}

/// What a recorder that is started over Wishbone sends of the run in [`crash`].
fn stream(breach: Option<Breach>) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut put = |kind, payload: Vec<u8>| {
        let seq = frames.len() as u16;
        frames.push(Frame {
            kind,
            hart: 0,
            seq,
            payload,
        });
    };
    for chunk in chunks() {
        match chunk {
            Chunk::Config(config) => {
                for pair in config.to_bytes().chunks(5) {
                    put(kind::REPLY, pair.to_vec());
                }
            }
            Chunk::Record { record, .. } => {
                let bytes = record.to_bytes();
                let pieces = bytes.chunks(MAX_PAYLOAD);
                let last = pieces.len() - 1;
                for (number, piece) in pieces.enumerate() {
                    let mut kind = kind::LOG;
                    kind |= if number == 0 { kind::LOG_FIRST } else { 0 };
                    kind |= if number == last { kind::LOG_LAST } else { 0 };
                    put(kind, piece.to_vec());
                }
            }
            Chunk::End(end) => put(kind::END, End { breach, ..end }.to_bytes()),
            _ => {}
        }
    }
    frames
}

fn wire(frames: &[Frame]) -> Vec<u8> {
    frames.iter().flat_map(Frame::to_wire).collect()
}

fn record(scratch: &Scratch, bytes: &[u8], more: &[&str]) -> Run {
    scratch.file("caught.bin", bytes);
    let elf = firmware("heap_overflow");
    let args = ["record", "--stream", "caught.bin", "--elf", &elf];
    lookback(
        scratch,
        &[&args, &["--force", "-o", "run.lbk"] as &[_], more].concat(),
    )
}

#[test]
fn a_caught_stream_is_the_recording() {
    let scratch = Scratch::new();
    let mut bytes = vec![0, 0, 0];
    bytes.extend(wire(&stream(None)));
    let run = record(&scratch, &bytes, &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let records = |bytes: &[u8]| {
        let found = container::read(bytes).unwrap().into_iter();
        let record = |found| match found {
            Found::Chunk {
                chunk: Chunk::Record { record, .. },
                ..
            } => Some(record),
            _ => None,
        };
        found.filter_map(record).collect::<Vec<Record>>()
    };
    let made = std::fs::read(scratch.path("run.lbk")).unwrap();
    assert_eq!(records(&made), records(crash()));
    let run = lookback(&scratch, &["verify", "run.lbk"]);
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[test]
fn what_is_missing_is_told() {
    let scratch = Scratch::new();
    let mut frames = stream(None);
    let log = frames.iter().position(|f| f.kind & 0xf0 == kind::LOG);
    frames.remove(log.unwrap() + 3);
    let run = record(&scratch, &wire(&frames), &["--json"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert_eq!(json(&run)["link"]["missing"], 1);

    let bytes = wire(&stream(None));
    let run = record(&scratch, &bytes[..bytes.len() / 2], &[]);
    assert_eq!(run.status, Some(1), "{run:?}");
    run.says("the captured stream ends here");
    assert_eq!(lookback(&scratch, &["verify", "run.lbk"]).status, Some(1));
}

#[test]
fn a_stream_without_configuration_is_refused() {
    let scratch = Scratch::new();
    let frames = stream(None);
    record(&scratch, &wire(&frames[5..]), &[]).fails_with("recorder's configuration");
    record(&scratch, &[], &[]).fails_with("holds no recording");
    record(&scratch, &[7; 5000], &[]).fails_with("holds no recording");
    let elf = firmware("heap_overflow");
    lookback(&scratch, &["record", "--stream", "no.bin", "--elf", &elf])
        .fails_with("cannot read no.bin");
}

#[test]
fn a_breach_names_rule_and_instruction() {
    let scratch = Scratch::new();
    let breach = Breach {
        rule: Rule::Registers,
        at: 1234,
        pc: 0x8000_0104,
        insn: 0x00b5_0533,
        want: 7,
        got: 9,
    };
    let run = record(&scratch, &wire(&stream(Some(breach))), &[]);
    assert_eq!(run.status, Some(1), "{run:?}");
    for run in [
        run,
        lookback(&scratch, &["verify", "run.lbk"]),
        lookback(&scratch, &["info", "run.lbk"]),
    ] {
        assert_eq!(run.status, Some(1), "{run:?}");
        run.says("`registers`");
        run.says("Instruction 1234 at 0x80000104");
        run.says("add");
        run.says("wanted 0x00000007");
    }
    let run = lookback(&scratch, &["verify", "run.lbk", "--json"]);
    assert_eq!(json(&run)["breach"]["rule"], "registers");
}

#[test]
fn settings_are_what_a_host_would_set() {
    let scratch = Scratch::new();
    let elf = firmware("heap_overflow");
    let run = lookback(&scratch, &["settings", "--elf", &elf, "--json"]);
    let list = json(&run);
    let value = |name: &str| {
        let found = list
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["register"] == name);
        found.unwrap()["value"].as_u64().unwrap() as u32
    };
    let Some(Chunk::Config(config)) = chunks().into_iter().next() else {
        panic!("a recording begins with its configuration");
    };
    assert_eq!(value("IMAGE_LO"), config.image_lo);
    assert_eq!(value("IMAGE_HI"), config.image_hi);
    assert_eq!((value("INTERVAL"), value("COUNT_BITS")), (100_000, 17));
    assert_eq!(value("CONTROL"), 3);
}
