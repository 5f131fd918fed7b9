//! Recordings made without hardware: the reference machine runs an ELF, the golden recorder logs
//! it, and the container holds both.
// Each test binary uses its own part of this.
#![allow(dead_code)]

pub mod reference;
pub mod several;

use lookback_log_format::config::{count_bits_for, Codec, TagKind};
use lookback_log_format::container::{Chunk, Elf, Writer};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::recorder::Recorder;
use lookback_replay::{Image, Recording};
use reference::{Event, Reference, RAM_BASE};

/// A board's RAM, larger than any test needs.
pub const RAM_BYTES: usize = 1 << 20;

/// A recorder as small boards have it.
pub fn config(interval: u32) -> RecorderConfig {
    RecorderConfig {
        codec: Codec::Bugnet,
        harts: 1,
        tag_set_bits: 7,
        tag_ways: 2,
        tag_words: 16,
        epoch_bits: 4,
        tag_kind: TagKind::Bits,
        dict_bits: 6,
        dirty_bits: 10,
        ring_bits: 14,
        fifo_bits: 5,
        clock_hz: 25_000_000,
        mem_base: 0x8000_0000,
        mem_mask: 0x8000_0000,
        attached: false,
        compressed: false,
        control: 3,
        interval,
        count_bits: count_bits_for(interval),
        image_lo: 0,
        image_hi: 0,
        post_trigger: 0,
        trigger: Default::default(),
        order: None,
    }
}

/// A run and its recording.
pub struct Run {
    pub machine: Reference,
    pub retires: Vec<Retire>,
    pub config: RecorderConfig,
    pub records: Vec<Record>,
    pub elf: Elf,
    pub end: lookback_log_format::frame::End,
}

/// Runs an ELF and records it. `keep` keeps the retirements, too.
pub fn record(
    name: &str,
    elf: &[u8],
    config: RecorderConfig,
    input: &[u8],
    limit: u64,
    keep: bool,
) -> Run {
    record_repeatedly(name, elf, config, input, limit, keep, 0)
}

/// Runs an ELF, starts it again whenever it finishes, and records all of it.
pub fn record_repeatedly(
    name: &str,
    elf: &[u8],
    mut config: RecorderConfig,
    input: &[u8],
    limit: u64,
    keep: bool,
    restarts: u32,
) -> Run {
    let image = Image::parse(elf).unwrap();
    (config.image_lo, config.image_hi) = (image.window().start, image.window().end);
    let mut machine = Reference::new(RAM_BYTES, RAM_BASE);
    let ram = u64::from(RAM_BASE);
    for segment in image.segments(ram..ram + RAM_BYTES as u64).unwrap() {
        machine.load(segment.addr, &segment.bytes);
    }
    machine.input.extend(input);
    machine.restarts = restarts;
    machine.compressed = config.compressed;
    let mut recorder = Recorder::new(&config);
    let mut retires = Vec::new();
    machine.run(limit, |event| match event {
        Event::Retire(retire, cycle) => {
            recorder.retire(&retire, cycle);
            if keep {
                retires.push(retire);
            }
        }
        Event::Snoop(addr, mask) => recorder.snoop(addr, mask),
    });
    let reason = match machine.finished {
        Some(_) => EndReason::RunEnded,
        None => EndReason::Stopped,
    };
    recorder.stop(reason, machine.cycle);
    let code = machine.finished.unwrap_or(0);
    Run {
        records: recorder.take_records(),
        end: recorder.end(code, machine.cycle, 0).unwrap(),
        machine,
        retires,
        config,
        elf: Elf {
            name: format!("{name}.elf"),
            bytes: elf.to_vec(),
        },
    }
}

impl Run {
    /// The `.lbk` file.
    pub fn file(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        writer.put(&Chunk::Config(self.config.clone())).unwrap();
        writer.put(&Chunk::Elf(self.elf.clone())).unwrap();
        for record in &self.records {
            let record = record.clone();
            writer.put(&Chunk::Record { hart: 0, record }).unwrap();
        }
        let console = self.machine.console.clone();
        writer.put(&Chunk::Console(console)).unwrap();
        writer.put(&Chunk::End(self.end)).unwrap();
        std::mem::take(writer.get_mut())
    }

    /// The recording as a reader sees it.
    pub fn recording(&self) -> Recording {
        Recording::from_bytes(&self.file()).unwrap()
    }
}
