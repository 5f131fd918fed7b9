//! `reverse-continue` to a watchpoint against the forward run over the same instructions, as a ratio
//! within one run: 10 million instructions, in short and long intervals, and in one key group of codec
//! `compact`. Fails above 3.
//!
//! Not a criterion benchmark, because what counts is the ratio, and the runs move the timeline.

#[path = "../../replay/tests/common/mod.rs"]
mod common;

use common::{config, record_repeatedly};
use lookback_debugger::timeline::run::Distance;
use lookback_debugger::timeline::stops::{Stop, Stops, Watch, WatchKind};
use lookback_debugger::Timeline;
use lookback_firmware::folder;
use lookback_log_format::config::{Codec, Coder, Compact, TagKind};
use std::time::{Duration, Instant};

const INSTRUCTIONS: u64 = 10_000_000;
const MOST: f64 = 3.0;
const MEMORY: usize = 512 << 20;

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

/// Intervals of this length, by themselves or in key groups of so many.
fn ratio((interval, key): (u32, Option<u16>)) -> f64 {
    let elf = std::fs::read(folder().join("prebuilt/compute.elf")).expect("prebuilt firmware");
    let again = 2000;
    let mut config = config(interval);
    if let Some(key) = key {
        config.codec = Codec::Compact(Compact {
            tags: TagKind::Bits,
            row_words: 8,
            coder: Coder::Arithmetic,
            last_bits: 6,
            key,
        });
        config.tag_set_bits = 9;
        config.tag_words = 32;
        config.dict_bits = 8;
    }
    let run = record_repeatedly("compute", &elf, config, b"", INSTRUCTIONS, false, again);
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
    let began = Instant::now();
    backward.goto_end(&mut never).expect("it has an end");
    let opened = began.elapsed();
    let began = Instant::now();
    assert_eq!(backward.backward(&stops, &mut never), Stop::Begin);
    let back = began.elapsed();
    let ratio = seconds(back) / seconds(there);
    let rate = |time| (INSTRUCTIONS as f64 / seconds(time) / 1e6).round();
    println!(
        "| {interval} | {} | {INSTRUCTIONS} | {} | {:.2} | {} | {ratio:.2} |",
        key.map_or("alone".to_owned(), |key| key.to_string()),
        rate(there),
        seconds(opened) / seconds(there),
        rate(back)
    );
    ratio
}

fn main() {
    println!(
        "| interval | key group | instructions | forwards, M/s | to the end : forwards | \
         backwards, M/s | backwards : forwards |"
    );
    println!("|---|---|---|---|---|---|---|");
    let cases = [
        (10_000, None),
        (1 << 20, None),
        ((1 << 24) - 1, None),
        (100_000, Some(10)),
        (100_000, Some(100)),
    ];
    let worst = cases.map(ratio).into_iter().fold(0.0, f64::max);
    if worst > MOST {
        eprintln!(
            "a run backwards takes {worst:.2} times as long as one forwards, more than {MOST}"
        );
        std::process::exit(1);
    }
}
