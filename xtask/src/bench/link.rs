//! `cargo xtask bench link`: how well the link is used, and what it costs the host.
//!
//! The board is the twin of the board's link at one end of a pseudo terminal, paced as a UART would
//! be; the host is `lookback record` at the other. Then the same with the RTL of the board, as
//! `lookback record --sim` simulates it: there the line is measured in cycles of the board.

use anyhow::{ensure, Context, Result};
use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::frame::{kind, End};
use lookback_log_format::interval::{EndReason, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::RecorderConfig;
use lookback_model::link::Link;
use serialport::{SerialPort, TTYPort};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Options of `cargo xtask bench link`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Bytes of log.
    #[arg(long, default_value_t = 6_000_000)]
    bytes: u64,
    /// Bits a second on the line; 0 is as fast as the host can.
    #[arg(long, default_value_t = 3_000_000)]
    baud: u32,
}

impl Arguments {
    /// Two gigabytes, as fast as the host can.
    pub fn long() -> Self {
        Self {
            bytes: 2_000_000_000,
            baud: 0,
        }
    }
}

/// At least so much of the line must be log with its framing.
const LEAST_LOG: f64 = 0.95;
/// The line may be idle for so much of the time in which data waits.
const MOST_IDLE: f64 = 0.02;
/// So much of a core may the host take.
const MOST_CPU: f64 = 0.10;
/// A recording of any length takes no more memory than this.
const MOST_MEMORY_KB: u64 = 64 << 10;

/// Bytes of entries in a synthetic interval.
const ENTRIES: usize = 4000;
/// Instructions that it claims.
const INSTRUCTIONS: u32 = 1000;

/// Runs the benchmark.
pub fn run(lookback: &Path, arguments: &Arguments) -> Result<()> {
    let Arguments { bytes, baud } = *arguments;
    let folder = tempfile::tempdir()?;
    let (mut port, host) = TTYPort::pair().context("no pseudo terminal")?;
    port.set_timeout(Duration::from_millis(1))?;
    let path = host.name().context("a terminal without a name")?;
    drop(host);
    let elf = lookback_firmware::folder().join("prebuilt/hello.elf");
    let child = Command::new(lookback)
        .args(["record", "--port", &path, "--elf"])
        .arg(elf)
        .arg("-o")
        .arg(folder.path().join("run.lbk"))
        .stdout(Stdio::null())
        .spawn()?;
    let line = Line::new(port, baud, bytes);
    let seen = line.serve(child)?;
    report(&seen, baud)?;
    if baud > 0 {
        rtl(lookback, baud, folder.path())?;
    }
    Ok(())
}

/// Instructions that the board's RTL runs: enough to fill its ring, so that acknowledgements count.
const RTL_INSTRUCTIONS: &str = "40000";
/// Instructions an interval: so few that the headers alone are more than the line takes.
const RTL_INTERVAL: &str = "64";

/// The line of the simulated board, with a program that has more to log than the line takes.
fn rtl(lookback: &Path, baud: u32, folder: &Path) -> Result<()> {
    let elf = lookback_firmware::folder().join("prebuilt/benches/aes.elf");
    let baud = baud.to_string();
    let output = Command::new(lookback)
        .args(["record", "--sim", "--json", "--codec", "bugnet"])
        .args(["--interval", RTL_INTERVAL])
        .args(["--max-instructions", RTL_INSTRUCTIONS])
        .args(["--link-speed", &baud, "--elf"])
        .arg(elf)
        .arg("-o")
        .arg(folder.join("rtl.lbk"))
        .output()?;
    ensure!(output.status.success(), "the recording failed");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| summary["link"][name].as_f64().unwrap_or(0.0);
    let share = number("log") / number("bytes").max(1.0);
    let busy = summary["line_busy"].as_f64().unwrap_or(0.0);
    println!(
        "| {baud}, RTL | {} | {:.2} % | | {:.2} % | | | |",
        number("bytes"),
        share * 100.0,
        (1.0 - busy).max(0.0) * 100.0
    );
    ensure!(share >= LEAST_LOG, "too little of the board's line is log");
    ensure!(
        1.0 - busy <= MOST_IDLE,
        "the board's line is idle while data waits"
    );
    Ok(())
}

fn report(seen: &Seen, baud: u32) -> Result<()> {
    let share = seen.log as f64 / seen.bytes.max(1) as f64;
    let payload = seen.payload as f64 / seen.bytes.max(1) as f64;
    let idle = seen.idle.as_secs_f64() / seen.seconds;
    let cpu = seen.cpu_seconds / seen.seconds;
    println!(
        "| baud | bytes | log and framing | log alone | idle | host CPU | host memory | MB/s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    println!(
        "| {baud} | {} | {:.2} % | {:.2} % | {:.2} % | {:.1} % | {} KB | {:.2} |",
        seen.bytes,
        share * 100.0,
        payload * 100.0,
        idle * 100.0,
        cpu * 100.0,
        seen.memory_kb,
        seen.bytes as f64 / seen.seconds / 1e6,
    );
    ensure!(share >= LEAST_LOG, "too little of the line is log");
    ensure!(
        seen.memory_kb <= MOST_MEMORY_KB,
        "the host takes too much memory"
    );
    // At full speed there is no line that could be idle, and the host works as hard as it can.
    if baud > 0 {
        ensure!(idle <= MOST_IDLE, "the line is idle while data waits");
        ensure!(cpu <= MOST_CPU, "the host takes too much of its CPU");
    }
    Ok(())
}

/// What was seen of a run.
#[derive(Default)]
struct Seen {
    bytes: u64,
    log: u64,
    payload: u64,
    idle: Duration,
    seconds: f64,
    cpu_seconds: f64,
    memory_kb: u64,
}

/// A board with a log of some length.
struct Line {
    port: TTYPort,
    baud: u32,
    twin: Link,
    left: u64,
    index: u32,
    current: Vec<u8>,
    at: usize,
}

impl Line {
    fn new(port: TTYPort, baud: u32, left: u64) -> Self {
        Self {
            port,
            baud,
            twin: Link::new(&identity()),
            left,
            index: 0,
            current: Vec::new(),
            at: 0,
        }
    }

    /// Serves until the host is done.
    fn serve(mut self, mut host: Child) -> Result<Seen> {
        let mut seen = Seen::default();
        let mut began = None;
        let mut free_at = Instant::now();
        let mut idle_since: Option<Instant> = None;
        let mut last_look = Instant::now();
        loop {
            if last_look.elapsed() > Duration::from_millis(20) {
                last_look = Instant::now();
                usage(host.id(), &mut seen);
                if let Some(status) = host.try_wait()? {
                    ensure!(status.success(), "the host failed: {status}");
                    break;
                }
            }
            self.listen();
            self.produce();
            if self.twin.started() > 0 && began.is_none() {
                began = Some(Instant::now());
            }
            let now = Instant::now();
            if now < free_at {
                std::thread::sleep((free_at - now).min(Duration::from_micros(300)));
                continue;
            }
            let Some(frame) = self.twin.speak() else {
                // Nothing may be sent although the recorder has more to say.
                if self.left > 0 && self.twin.recording() {
                    idle_since.get_or_insert(now);
                }
                std::thread::sleep(Duration::from_micros(50));
                continue;
            };
            if let Some(since) = idle_since.take() {
                seen.idle += now - since;
                free_at = now;
            }
            let wire = frame.to_wire();
            if self.baud > 0 {
                let time = wire.len() as f64 * 10.0 / f64::from(self.baud);
                free_at += Duration::from_secs_f64(time);
            }
            if began.is_some() {
                count(&mut seen, frame.kind, frame.payload.len(), wire.len());
                seen.seconds = began.map_or(0.0, |began: Instant| began.elapsed().as_secs_f64());
            }
            self.say(&wire);
        }
        Ok(seen)
    }

    fn listen(&mut self) {
        let waiting = self.port.bytes_to_read().unwrap_or(0);
        if waiting == 0 {
            return;
        }
        let mut buffer = [0; 256];
        let count = self.port.read(&mut buffer).unwrap_or(0);
        buffer[..count]
            .iter()
            .for_each(|&byte| self.twin.hear(byte));
    }

    /// A terminal, unlike a wire, can be full for a moment.
    fn say(&mut self, mut wire: &[u8]) {
        while !wire.is_empty() {
            match self.port.write(wire) {
                Ok(count) => wire = &wire[count..],
                Err(error) if error.kind() == std::io::ErrorKind::TimedOut => self.listen(),
                Err(_) => return,
            }
        }
    }

    fn produce(&mut self) {
        while self.twin.recording() {
            if self.at == self.current.len() {
                if self.left == 0 {
                    self.twin.end(end(self.index));
                    return;
                }
                self.current = interval(self.index).to_bytes();
                self.at = 0;
                self.index += 1;
                self.left = self.left.saturating_sub(self.current.len() as u64);
            }
            let last = self.at + 1 == self.current.len();
            if !self.twin.write(self.current[self.at], last) {
                return;
            }
            self.at += 1;
        }
    }
}

fn count(seen: &mut Seen, frame_kind: u8, payload: usize, wire: usize) {
    seen.bytes += wire as u64;
    if frame_kind & !kind::LOG_LAST == kind::LOG_AT {
        seen.log += wire as u64;
        seen.payload += payload as u64 - 4;
    }
}

/// What a process has taken so far; what cannot be read stays as it was.
fn usage(pid: u32, seen: &mut Seen) {
    let read =
        |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    if let [_, _, _, _, _, _, _, _, _, _, _, user, system, ..] = fields[..] {
        let ticks: f64 = [user, system]
            .iter()
            .filter_map(|t| t.parse::<f64>().ok())
            .sum();
        // Linux counts in hundredths of a second for programs, whatever its own clock is.
        seen.cpu_seconds = ticks / 100.0;
    }
    for line in read("status").lines() {
        let size = line
            .strip_prefix("VmHWM:")
            .and_then(|rest| rest.split_whitespace().next());
        if let Some(size) = size.and_then(|size| size.parse().ok()) {
            seen.memory_kb = size;
        }
    }
}

fn interval(index: u32) -> Record {
    Record::Interval(Interval {
        header: Header {
            layout: Layout::Full,
            mode: 3,
            index,
            retired: u64::from(index) * u64::from(INSTRUCTIONS),
            cycle: 0,
            pc: 0x8000_0000,
            registers: [index; 32],
        },
        entries: (0..ENTRIES).map(|n| (n as u32 ^ index) as u8).collect(),
        trailer: Trailer {
            instructions: INSTRUCTIONS,
            digest: 0,
            reason: EndReason::Length,
        },
    })
}

fn end(intervals: u32) -> End {
    End {
        reason: EndReason::RunEnded,
        code: 0x5555,
        retired: u64::from(intervals) * u64::from(INSTRUCTIONS),
        cycles: 0,
        stalls: 0,
        lost: 0,
        fired: None,
        breach: None,
    }
}

/// A recorder with the ring of the `bugnet` preset.
fn identity() -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Bugnet,
        harts: 1,
        tag_set_bits: 7,
        tag_ways: 2,
        tag_words: 8,
        epoch_bits: 8,
        tag_kind: TagKind::Bits,
        dict_bits: 6,
        dirty_bits: 10,
        ring_bits: 16,
        fifo_bits: 8,
        clock_hz: 25_000_000,
        mem_base: 0x8000_0000,
        mem_mask: 0xff00_0000,
        attached: false,
        compressed: false,
        control: 0,
        interval: 1000,
        count_bits: 10,
        image_lo: 0,
        image_hi: 0,
        post_trigger: 0,
        trigger: Default::default(),
        order: None,
    }
}
