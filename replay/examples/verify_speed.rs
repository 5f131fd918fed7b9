//! How fast a recording verifies: replays it again and again on one thread and on all.
//!
//! `cargo run --release -p lookback-replay --example verify_speed -- RECORDING [SECONDS]`

use lookback_replay::{verify, Error, Recording};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: verify_speed RECORDING [SECONDS]");
        std::process::exit(2);
    };
    let seconds = arguments.next().and_then(|text| text.parse().ok());
    let patience = Duration::from_secs_f64(seconds.unwrap_or(2.0));
    let recording = Recording::open(&path)?;
    let image = recording.image(None)?;
    let report = verify(&recording, &image, |_, _| {});
    if let Some(divergence) = report.divergences().next() {
        return Err(divergence.clone().into());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in [1, threads] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        let start = Instant::now();
        let mut best = f64::INFINITY;
        while start.elapsed() < patience {
            let round = Instant::now();
            pool.install(|| verify(&recording, &image, |_, _| {}));
            best = best.min(round.elapsed().as_secs_f64());
        }
        let rate = report.totals.instructions as f64 / best / 1e6;
        println!("{threads} threads: {rate:.1} M instructions/s");
    }
    Ok(())
}
