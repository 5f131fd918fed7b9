//! Instructions a second in `verify`, one thread, over a recorded run of ordinary compiled code.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{config, record_repeatedly};
use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use lookback_firmware::folder;
use lookback_replay::{verify, Machine, Recording, Silent};

/// `compute` runs for 31,000 instructions only, so it runs several times.
fn recording(interval: u32) -> Recording {
    let elf = std::fs::read(folder().join("prebuilt/compute.elf")).expect("prebuilt firmware");
    let run = record_repeatedly("compute", &elf, config(interval), b"", 1 << 20, false, 100);
    run.recording()
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replay");
    for interval in [1000, 1 << 19] {
        let recording = recording(interval);
        let image = recording.image(None).expect("the firmware's own ELF");
        let log = &recording.harts[0];
        group.throughput(Throughput::Elements(recording.summary().instructions));
        let mut fast = Machine::<false>::new(&recording.config, image.clone());
        group.bench_function(format!("verify, intervals of {interval}"), |bencher| {
            bencher.iter(|| {
                for interval in log.intervals() {
                    fast.begin(0, interval)
                        .and_then(|()| fast.run())
                        .expect("it replays");
                }
            });
        });
        let mut tracking = Machine::<true>::new(&recording.config, image.clone());
        group.bench_function(format!("tracking, intervals of {interval}"), |bencher| {
            bencher.iter(|| {
                for interval in log.intervals() {
                    tracking.begin(0, interval).expect("it starts");
                    tracking
                        .run_until(u32::MAX, &mut Silent)
                        .expect("it replays");
                }
            });
        });
        group.bench_function(format!("all at once, intervals of {interval}"), |bencher| {
            bencher.iter(|| verify(&recording, &image, |_, _| {}));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
