//! `reverse-continue` to a watchpoint against the forward run over the same instructions, as a ratio
//! within one run: 10 million instructions, in short and long intervals. Fails above 3.
//!
//! Not a criterion benchmark, because what counts is the ratio, and the runs move the timeline.

#[path = "../../replay/tests/common/mod.rs"]
mod common;

use common::{config, record_repeatedly};
use lookback_debugger::timeline::run::Distance;
use lookback_debugger::timeline::stops::{Stop, Stops, Watch, WatchKind};
use lookback_debugger::Timeline;
use lookback_firmware::folder;
use std::time::{Duration, Instant};

const INSTRUCTIONS: u64 = 10_000_000;
const MOST: f64 = 3.0;
const MEMORY: usize = 512 << 20;

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

fn ratio(interval: u32) -> f64 {
    let elf = std::fs::read(folder().join("prebuilt/compute.elf")).expect("prebuilt firmware");
    let again = 2000;
    let run = record_repeatedly(
        "compute",
        &elf,
        config(interval),
        b"",
        INSTRUCTIONS,
        false,
        again,
    );
    let recording = run.recording();
    let image = recording.image(None).expect("the firmware's own ELF");
    let log = &recording.harts[0];
    let mut never = || false;
    let open = || Timeline::new(&recording, &image, log, MEMORY).expect("it has intervals");
    // The stack pointer is set only once in so many instructions; nothing writes below the stack.
    let mut stops = Stops::default();
    let untouched = Watch {
        addr: 0x8000_f000,
        len: 4,
        kind: WatchKind::Write,
    };
    stops.add_watch(untouched);
    let mut forward = open();
    let began = Instant::now();
    assert_eq!(
        forward.forward(&stops, &Distance::Far, &mut never),
        Stop::End
    );
    let there = began.elapsed();
    // A timeline that knows nothing of what it goes over.
    let mut backward = open();
    backward.goto_end(&mut never).expect("it has an end");
    let began = Instant::now();
    assert_eq!(backward.backward(&stops, &mut never), Stop::Begin);
    let back = began.elapsed();
    let ratio = seconds(back) / seconds(there);
    let rate = |time| (INSTRUCTIONS as f64 / seconds(time) / 1e6).round();
    println!(
        "| {interval} | {INSTRUCTIONS} | {} | {} | {ratio:.2} |",
        rate(there),
        rate(back)
    );
    ratio
}

fn main() {
    println!("| interval | instructions | forwards, M/s | backwards, M/s | backwards : forwards |");
    println!("|---|---|---|---|---|");
    let worst = [10_000, 1 << 20, (1 << 24) - 1]
        .map(ratio)
        .into_iter()
        .fold(0.0, f64::max);
    if worst > MOST {
        eprintln!(
            "a run backwards takes {worst:.2} times as long as one forwards, more than {MOST}"
        );
        std::process::exit(1);
    }
}
