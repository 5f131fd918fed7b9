//! All schemes at all interval lengths over one recording, in one walk through it.

use super::etrace::Etrace;
use super::first_loads::FirstLoads;
use super::ours::{Ours, KEY};
use super::scheme::{Measured, Meter, Scheme};
use super::stream::{for_each, Event};
use anyhow::{bail, ensure, Context, Result};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::RecorderConfig;
use lookback_model::recorder::Operation;
use lookback_model::Recorder;
use lookback_replay::{verify, Image, Machine, Recording};
use std::path::Path;
use std::sync::Arc;

/// Instructions an interval.
pub const INTERVALS: [u32; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// Makes a scheme for the core that was recorded, its image and an interval length.
type Make = fn(&RecorderConfig, &Image, u32) -> Result<Box<dyn Scheme>>;

/// A scheme's name in the table, and what is measured of it besides its bits.
pub struct Kind {
    /// Its column is this and `_bpi`.
    pub name: &'static str,
    /// What zstd makes of the log and its bursts are told, too.
    pub ours: bool,
    /// For people.
    pub title: &'static str,
    make: Make,
}

/// The schemes, in the order of the columns.
pub const SCHEMES: &[Kind] = &[
    Kind {
        name: "bugnet",
        ours: true,
        title: "bugnet, 16 KB 2-way",
        make: |config, image, interval| Ok(Box::new(Ours::bugnet(config, image, interval)?)),
    },
    Kind {
        name: "compact",
        ours: true,
        title: "compact, key groups of 100",
        make: |config, image, interval| Ok(Box::new(Ours::compact(config, image, interval, KEY)?)),
    },
    Kind {
        name: "compact_noimage",
        ours: false,
        title: "compact without image",
        make: |config, _, interval| {
            Ok(Box::new(Ours::compact_without_image(
                config, interval, KEY,
            )?))
        },
    },
    Kind {
        name: "etrace",
        ours: false,
        title: "E-Trace (no data)",
        make: |_, _, interval| Ok(Box::new(Etrace::new(interval, false))),
    },
    Kind {
        name: "etrace_iret",
        ours: false,
        title: "E-Trace, implicit return (no data)",
        make: |_, _, interval| Ok(Box::new(Etrace::new(interval, true))),
    },
    Kind {
        name: "zstd",
        ours: false,
        title: "zstd -19 of raw first loads",
        make: |config, _, interval| Ok(Box::new(FirstLoads::new(config, interval)?)),
    },
    Kind {
        name: "compact_alone",
        ours: false,
        title: "compact, each interval by itself",
        make: |config, image, interval| Ok(Box::new(Ours::compact(config, image, interval, 1)?)),
    },
    Kind {
        name: "small",
        ours: false,
        title: "small, 2 KB direct-mapped",
        make: |config, image, interval| Ok(Box::new(Ours::small(config, image, interval)?)),
    },
];

/// One program at one interval length.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name.
    pub program: String,
    /// Instructions an interval.
    pub interval: u32,
    /// Instructions that it ran.
    pub instructions: u64,
    /// Instructions among them that read memory or devices.
    pub loads: u64,
    /// Of a thousand clock cycles of the recorded run, those in which the recorder held the hart.
    pub stalls_per_thousand: f64,
    /// One for each of [`SCHEMES`].
    pub measured: Vec<Measured>,
}

impl Row {
    /// Bits an instruction.
    pub fn bits_per_instruction(&self, bits: u64) -> f64 {
        bits as f64 / self.instructions as f64
    }
}

/// Measures a recording, after it has shown that it is right.
pub fn measure(program: &str, path: &Path) -> Result<Vec<Row>> {
    let recording = Recording::open(path)?;
    let image = recording.image(None)?;
    let report = verify(&recording, &image, |_, _| {});
    ensure!(report.ok, "the recording does not verify");
    let end = recording.end.as_ref().context("the recording has no end")?;
    ensure!(end.lost == 0, "the recorder lost {} instructions", end.lost);

    let mut meters = Vec::new();
    for interval in INTERVALS {
        let mut schemes = Vec::new();
        for kind in SCHEMES {
            schemes.push(Meter::new((kind.make)(
                &recording.config,
                &image,
                interval,
            )?));
        }
        meters.push(schemes);
    }
    let mut counted = Counted::new(&recording, &image)?;
    for_each(&recording, &image, &mut |event| {
        counted.event(event);
        meters
            .iter_mut()
            .flatten()
            .try_for_each(|meter| meter.event(event))
    })?;
    counted.check(&recording)?;

    let finish = |(interval, schemes): (u32, Vec<Meter>)| {
        let measured: Result<_> = schemes.into_iter().map(Meter::finish).collect();
        Ok(Row {
            program: program.to_owned(),
            interval,
            instructions: counted.instructions,
            loads: counted.loads,
            stalls_per_thousand: 1000.0 * end.stalls as f64 / end.cycles.max(1) as f64,
            measured: measured?,
        })
    };
    INTERVALS.into_iter().zip(meters).map(finish).collect()
}

/// Counts what all schemes share, and records the stream once more as it was recorded.
struct Counted {
    instructions: u64,
    loads: u64,
    snooped: bool,
    recorder: Recorder,
}

impl Counted {
    fn new(recording: &Recording, image: &Arc<Image>) -> Result<Self> {
        let mut recorder = Recorder::new(&recording.config);
        recorder.decide(hurries(recording, image)?);
        Ok(Self {
            instructions: 0,
            loads: 0,
            snooped: false,
            recorder,
        })
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Retire(retire) => {
                self.instructions += 1;
                let read = matches!(Operation::of(retire), Some(Operation::MemoryRead(_)));
                self.loads += u64::from(read);
                self.recorder.retire(retire, 0);
            }
            Event::Snoop { addr, mask } => {
                self.snooped = true;
                self.recorder.snoop(addr, mask);
            }
        }
    }

    /// The stream is the one that the board's recorder saw, if the golden recorder makes the same
    /// log of it. Only where others wrote memory is that too much to ask: it is not known of every
    /// such write.
    fn check(&mut self, recording: &Recording) -> Result<()> {
        self.recorder.stop(EndReason::RunEnded, 0);
        let records = self.recorder.take_records();
        if self.snooped {
            return Ok(());
        }
        let recorded = recording.harts.iter().flat_map(|hart| hart.intervals());
        let mut again = records.iter();
        for interval in recorded {
            let Some(Record::Interval(again)) = again.next() else {
                bail!("the stream has fewer intervals than the recording");
            };
            let same = interval.entries == again.entries && interval.trailer == again.trailer;
            let index = interval.header.index;
            ensure!(
                same,
                "interval {index} of the stream is not the recorded one"
            );
        }
        ensure!(
            again.next().is_none(),
            "the stream has more than the recording"
        );
        Ok(())
    }
}

/// Which values the board's recorder chose to hurry, as its log says; only codec `compact` has any.
fn hurries(recording: &Recording, image: &Arc<Image>) -> Result<Vec<bool>> {
    if recording.config.compact().is_none() {
        return Ok(Vec::new());
    }
    let mut machine = Machine::<false>::new(&recording.config, image.clone());
    machine.watch_hurries();
    for interval in recording.harts.iter().flat_map(|hart| hart.intervals()) {
        machine.begin(0, interval)?;
        machine.run()?;
    }
    Ok(machine.take_hurries())
}

#[cfg(test)]
mod tests;
