//! Real programs on both engines: whatever a host can see of a board must be equal.

use std::path::Path;
use std::time::Instant;

use lookback_log_format::frame::{kind, End, FrameDecoder};
use lookback_log_format::{frame::Frame, registers as reg};
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

/// Starts a recording that may hold the hart, as a host does: the next command follows the reply to
/// the last one. Gives what the board has sent meanwhile.
fn start_recording(board: &mut Board) -> Vec<u8> {
    let settings = [
        (reg::INTERVAL, 500),
        (reg::COUNT_BITS, 9),
        (reg::CONTROL, reg::CONTROL_MAY_STALL),
        (reg::CONTROL, reg::CONTROL_MAY_STALL | reg::CONTROL_RECORD),
    ];
    let mut link = Vec::new();
    for (seq, (register, value)) in (0_u16..).zip(settings) {
        board.link_send(&Frame::write(seq, register, value).to_wire());
        let reply = |link: &[u8]| {
            frames(link)
                .iter()
                .any(|f| f.reply() == Some((register, value)))
        };
        let waited = (0..1000).find(|_| {
            board.run(1000).unwrap();
            link.extend(board.link_take());
            reply(&link)
        });
        assert!(waited.is_some(), "no reply to a write of {register:#x}");
    }
    link
}

/// Plays a program on a board of a preset, or on the SoC alone.
fn play(engine: EngineChoice, preset: Option<&str>, name: &str, input: &[u8]) -> Option<Seen> {
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
        preset: preset.unwrap_or("bugnet").to_owned(),
        recorder: preset.is_some(),
        hold: true,
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
    let mut link = Vec::new();
    if preset.is_some() {
        link = start_recording(&mut board);
    }
    let start = Instant::now();
    let status = board.run(20_000_000).unwrap();
    let rate = status.cycles as f64 / start.elapsed().as_secs_f64();
    eprintln!(
        "{name}, {engine:?}: {} cycles, {:.0} k cycles/s",
        status.cycles,
        rate / 1e3
    );
    while !board.run(100_000).unwrap().quiet {}
    link.extend(board.link_take());
    Some(Seen {
        console: board.console_take(),
        link,
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

fn same_on_both(preset: Option<&str>, name: &str, input: &[u8]) -> Seen {
    let slow = play(EngineChoice::RustHdl, preset, name, input).unwrap();
    assert!(slow.finished.is_some(), "{name} did not end");
    let Some(fast) = play(EngineChoice::Verilator, preset, name, input) else {
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
        let seen = same_on_both(None, name, b"");
        assert!(seen.link.is_empty(), "there is no recorder");
    }
    let seen = same_on_both(None, "console_input", b"look\n\x04");
    let console = String::from_utf8(seen.console).unwrap();
    assert!(console.contains("1 [LOOK]"), "{console}");
}

/// What the host's end of the link makes of the bytes.
fn frames(link: &[u8]) -> Vec<Frame> {
    let mut decoder = FrameDecoder::new();
    let whole = link.iter().filter_map(|byte| decoder.push(*byte));
    whole
        .map(|frame| frame.expect("the link has no errors"))
        .collect()
}

#[test]
fn a_recorded_board_is_the_same_on_both() {
    for preset in ["bugnet", "tiny"] {
        let seen = same_on_both(Some(preset), "lockup", b"");
        let frames = frames(&seen.link);
        assert_eq!(frames[0].reply(), Some((reg::INTERVAL, 500)));
        let end = frames.last().expect("a log has an end");
        assert_eq!(end.kind, kind::END, "{preset}");
        let end = End::from_bytes(&end.payload).unwrap();
        assert_eq!(Some(end.code), seen.finished);
        assert_eq!(end.retired, seen.numbers[3]);
        assert_eq!(end.lost, 0);
    }
}

#[test]
fn a_recorder_does_not_disturb() {
    let name = "exit_code";
    let recorded = play(EngineChoice::Auto, Some("bugnet"), name, b"").unwrap();
    let alone = play(EngineChoice::Auto, None, name, b"").unwrap();
    assert_eq!(recorded.numbers[0], alone.numbers[0], "program cycles");
    assert_eq!(recorded.numbers[2], 0, "stalls");
    assert_eq!(recorded.trace, alone.trace);
}
