//! Several harts of the reference machine that share memory and devices, in an order that a seed
//! chooses: an independent producer of parallel runs.

use super::reference::{Event, Reference, RAM_BASE};
use super::{config, RAM_BYTES};
use lookback_log_format::container::{Chunk, Elf, Writer};
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::order::OrderSettings;
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::several::Recorders;
use lookback_model::stimulus::Random;
use lookback_replay::{Image, Recording};

/// A parallel run and its recording.
pub struct ParallelRun {
    pub config: RecorderConfig,
    pub records: Vec<(u8, Record)>,
    pub elf: Elf,
    pub end: End,
    pub console: Vec<u8>,
    /// What retired, in the order in which it did.
    pub retires: Vec<(usize, Retire)>,
}

/// A recorder of several harts with strata and chunks.
pub fn parallel_config(harts: u8, interval: u32) -> RecorderConfig {
    RecorderConfig {
        harts,
        order: Some(OrderSettings::default()),
        ..config(interval)
    }
}

/// Runs an ELF on several harts and records it. How many instructions a hart executes before another
/// one has its turn is random, up to `burst`.
pub fn record_parallel(
    name: &str,
    elf: &[u8],
    mut config: RecorderConfig,
    seed: u64,
    burst: u32,
    limit: u64,
) -> ParallelRun {
    let image = Image::parse(elf).unwrap();
    (config.image_lo, config.image_hi) = (image.window().start, image.window().end);
    let mut board = Board::new(config.harts.into(), &image);
    let mut random = Random::new(seed);
    let mut recorders = Recorders::new(&config);
    let mut retires = Vec::new();
    while board.finished().is_none() && (retires.len() as u64) < limit {
        let hart = random.below(config.harts.into()) as usize;
        for _ in 0..1 + random.below(burst) {
            board.step(hart, |event| match event {
                Event::Retire(retire, cycle) => {
                    recorders.retire(hart, &retire, cycle);
                    retires.push((hart, retire));
                }
                Event::Snoop(addr, mask) => recorders.snoop(addr, mask),
            });
            if board.finished().is_some() {
                break;
            }
        }
    }
    let (reason, code) = match board.finished() {
        Some(code) => (EndReason::RunEnded, code),
        None => (EndReason::Stopped, 0),
    };
    recorders.stop(reason, board.cycle);
    ParallelRun {
        records: recorders.take_records(),
        end: recorders.end(code, board.cycle, 0).unwrap(),
        console: board.harts[0].console.clone(),
        config,
        elf: Elf {
            name: format!("{name}.elf"),
            bytes: elf.to_vec(),
        },
        retires,
    }
}

/// The harts; memory and devices wander to whichever executes.
struct Board {
    harts: Vec<Reference>,
    /// Whose they are now.
    owner: usize,
    cycle: u64,
}

impl Board {
    fn new(count: usize, image: &Image) -> Self {
        let machine = |hart| {
            let ram_bytes = if hart == 0 { RAM_BYTES } else { 0 };
            let mut machine = Reference::new(ram_bytes, RAM_BASE);
            machine.hart_id = hart as u32;
            machine
        };
        let mut harts: Vec<_> = (0..count).map(machine).collect();
        let ram = u64::from(RAM_BASE);
        for segment in image.segments(ram..ram + RAM_BYTES as u64).unwrap() {
            harts[0].load(segment.addr, &segment.bytes);
        }
        Self {
            harts,
            owner: 0,
            cycle: 0,
        }
    }

    fn finished(&self) -> Option<u32> {
        self.harts.iter().find_map(|hart| hart.finished)
    }

    fn step(&mut self, hart: usize, mut sink: impl FnMut(Event)) {
        if self.owner != hart {
            let mut shared = std::mem::take(&mut self.harts[self.owner].ram);
            std::mem::swap(&mut self.harts[hart].ram, &mut shared);
            self.owner = hart;
        }
        self.harts[hart].cycle = self.cycle;
        let before = self.harts[hart].retired;
        let mut written = None;
        self.harts[hart].run(before + 1, |event| {
            if let Event::Retire(retire, _) = &event {
                written = (retire.mem_wmask != 0).then_some(*retire);
            }
            sink(event);
        });
        self.cycle = self.harts[hart].cycle;
        let console = std::mem::take(&mut self.harts[hart].console);
        self.harts[0].console.extend(console);
        if let Some(retire) = written {
            self.spread(hart, &retire);
        }
    }

    /// What a store means to the other harts.
    fn spread(&mut self, hart: usize, retire: &Retire) {
        for (other, machine) in self.harts.iter_mut().enumerate() {
            if other != hart {
                machine.somebody_wrote(retire.mem_addr, retire.mem_wdata);
            }
        }
    }
}

impl ParallelRun {
    /// The `.lbk` file.
    pub fn file(&self) -> Vec<u8> {
        self.file_of(&self.records)
    }

    /// The file with other records.
    pub fn file_of(&self, records: &[(u8, Record)]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        writer.put(&Chunk::Config(self.config.clone())).unwrap();
        writer.put(&Chunk::Elf(self.elf.clone())).unwrap();
        for (hart, record) in records {
            let (hart, record) = (*hart, record.clone());
            writer.put(&Chunk::Record { hart, record }).unwrap();
        }
        writer.put(&Chunk::Console(self.console.clone())).unwrap();
        writer.put(&Chunk::End(self.end)).unwrap();
        std::mem::take(writer.get_mut())
    }

    /// The recording as a reader sees it.
    pub fn recording(&self) -> Recording {
        Recording::from_bytes(&self.file()).unwrap()
    }

    /// The recording with other records.
    pub fn recording_of(&self, records: &[(u8, Record)]) -> Recording {
        Recording::from_bytes(&self.file_of(records)).unwrap()
    }
}
