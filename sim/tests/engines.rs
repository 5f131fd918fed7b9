//! Real programs on both engines: whatever a host can see of a board must be equal.

use std::path::Path;
use std::time::Instant;

use lookback_sim::{Board, BoardOptions, EngineChoice, Error, Segment, TraceItem};
use object::{Object, ObjectSegment};

fn elf(name: &str) -> Vec<u8> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../firmware/prebuilt/{name}.elf"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[derive(Debug, PartialEq)]
struct Seen {
    console: Vec<u8>,
    link: Vec<u8>,
    trace: Vec<TraceItem>,
    ram: Vec<u32>,
    finished: Option<u32>,
    /// Program cycles, all cycles, stalls, retirements.
    numbers: [u64; 4],
}

fn play(engine: EngineChoice, recorder: bool, name: &str, input: &[u8]) -> Option<Seen> {
    let file = elf(name);
    let parsed = object::File::parse(&*file).unwrap();
    let load: Vec<Segment<'_>> = parsed
        .segments()
        .map(|segment| Segment {
            address: segment.address() as u32,
            bytes: segment.data().unwrap(),
        })
        .collect();
    let options = BoardOptions {
        engine,
        recorder,
        ram_bytes: 64 * 1024,
        trace: true,
        ..BoardOptions::default()
    };
    let mut board = match Board::with_progress(&options, &load, &mut |step| eprintln!("{step}")) {
        Ok(board) => board,
        Err(Error::Rtl(error @ lookback_rtl_gen::Error::NoVerilator { .. })) => {
            eprintln!("skipped: {error}");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    board.console_send(input);
    let start = Instant::now();
    let status = board.run(20_000_000).unwrap();
    let rate = status.cycles as f64 / start.elapsed().as_secs_f64();
    eprintln!(
        "{name}, {engine:?}: {} cycles, {:.0} k cycles/s",
        status.cycles,
        rate / 1e3
    );
    board.run(100_000).unwrap();
    Some(Seen {
        console: board.console_take(),
        link: board.link_take(),
        trace: board.take_trace(),
        ram: board.ram().to_vec(),
        finished: board.finished(),
        numbers: [
            board.cycles(),
            board.total_cycles(),
            board.stall_cycles(),
            board.retired(),
        ],
    })
}

fn same_on_both(recorder: bool, name: &str, input: &[u8]) -> Seen {
    let slow = play(EngineChoice::RustHdl, recorder, name, input).unwrap();
    assert!(slow.finished.is_some(), "{name} did not end");
    let Some(fast) = play(EngineChoice::Verilator, recorder, name, input) else {
        return slow;
    };
    assert_eq!(fast.numbers, slow.numbers, "{name}");
    for (index, (a, b)) in fast.trace.iter().zip(&slow.trace).enumerate() {
        assert_eq!(a, b, "{name}, record {index}");
    }
    assert!(fast == slow, "{name}: the rest differs");
    slow
}

#[test]
fn the_soc_alone_is_the_same_on_both() {
    for name in ["lockup", "exit_code", "dma_code"] {
        let seen = same_on_both(false, name, b"");
        assert!(seen.link.is_empty(), "there is no recorder");
    }
    let seen = same_on_both(false, "console_input", b"look\n\x04");
    let console = String::from_utf8(seen.console).unwrap();
    assert!(console.contains("1 [LOOK]"), "{console}");
}
