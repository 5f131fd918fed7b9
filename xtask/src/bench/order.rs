//! `cargo xtask bench order`: what the order of several harts costs, as strata and as chunks, against
//! point-to-point logging of the same run.
//!
//! The runs are those of the reference machine that the tests of replay use: harts take turns of a
//! random length, from a seed. All schemes see the same run.

mod point_to_point;

// The reference machine, which belongs to the tests of the replayer; those are built for older
// compilers than this crate.
#[path = "../../../replay/tests/common/mod.rs"]
#[allow(missing_docs, clippy::manual_is_multiple_of)]
mod common;

use anyhow::{ensure, Context, Result};
use common::several::{parallel_config, record_parallel, ParallelRun};
use lookback_firmware::{parallel_programs, Program};
use lookback_log_format::interval::Record;
use lookback_log_format::order::{OrderElement, OrderKind, OrderSettings};
use point_to_point::{PointToPoint, ENTRY_BYTES};

/// What the Strata paper reports for its own scheme with strides of 16 bits: P2P over strata.
const PAPERS_RATIO: f64 = 12.0;
/// CapoOne's interleaving and chunk size logs, in bits a thousand instructions.
const CAPO_ONE: f64 = 2.5;
/// Instructions an interval: the order's records are closed every eight of them.
const INTERVAL: u32 = 100_000;
/// Instructions that a hart executes at most before another one has its turn.
const BURST: u32 = 4;

/// Options of `cargo xtask bench order`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Numbers of harts.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 4])]
    harts: Vec<u8>,
    /// Runs of each program, each with another interleaving.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// log2 of the bytes of a block, for all schemes.
    #[arg(long, default_value_t = OrderSettings::default().block_bits)]
    block_bits: u8,
    /// Only these programs; all when none is named.
    programs: Vec<String>,
}

/// What one program came to, over all seeds.
#[derive(Default)]
struct Measured {
    instructions: u64,
    accesses: u64,
    entries: u64,
    strata: u64,
    strata_bytes: u64,
    chunks: u64,
    chunk_bytes: u64,
}

impl Measured {
    fn ratio(&self) -> f64 {
        (self.entries * ENTRY_BYTES) as f64 / self.strata_bytes.max(1) as f64
    }

    fn chunk_bits(&self) -> f64 {
        self.chunk_bytes as f64 * 8000.0 / self.instructions.max(1) as f64
    }
}

/// Runs the benchmark and prints its table.
pub fn run(arguments: &Arguments) -> Result<()> {
    for &harts in &arguments.harts {
        let mut programs = parallel_programs(harts)?;
        if !arguments.programs.is_empty() {
            programs.retain(|program| arguments.programs.contains(&program.name));
        }
        ensure!(
            !programs.is_empty(),
            "there is no such program for {harts} harts"
        );
        table(harts, &programs, arguments)?;
    }
    Ok(())
}

fn table(harts: u8, programs: &[Program], arguments: &Arguments) -> Result<()> {
    println!(
        "\n{harts} harts, blocks of {} bytes, {} runs each\n\n\
         | program | instructions | accesses | P2P entries | P2P bytes | strata | strata bytes | \
         P2P / strata | chunks | instructions a chunk | chunks, bits / 1000 |\n\
         |---|---|---|---|---|---|---|---|---|---|---|",
        1 << arguments.block_bits,
        arguments.seeds
    );
    let (mut ratios, mut bits) = (0.0, 0.0);
    for program in programs {
        let mut measured = Measured::default();
        for seed in 0..arguments.seeds {
            measure(program, harts, seed, arguments.block_bits, &mut measured)?;
        }
        ratios += measured.ratio().ln();
        bits += measured.chunk_bits().ln();
        println!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {:.2} | {} | {} | {:.1} |",
            program.name,
            measured.instructions,
            measured.accesses,
            measured.entries,
            measured.entries * ENTRY_BYTES,
            measured.strata,
            measured.strata_bytes,
            measured.ratio(),
            measured.chunks,
            measured.instructions / measured.chunks.max(1),
            measured.chunk_bits()
        );
    }
    let count = programs.len() as f64;
    println!(
        "| geometric mean | | | | | | | {:.2} (paper: {PAPERS_RATIO}) | | | {:.1} (CapoOne: {CAPO_ONE}) |",
        (ratios / count).exp(),
        (bits / count).exp()
    );
    Ok(())
}

fn measure(
    program: &Program,
    harts: u8,
    seed: u64,
    block_bits: u8,
    measured: &mut Measured,
) -> Result<()> {
    let elf = std::fs::read(&program.elf)
        .with_context(|| format!("cannot read {}", program.elf.display()))?;
    let mut config = parallel_config(harts, INTERVAL);
    let settings = OrderSettings {
        block_bits,
        ..OrderSettings::default()
    };
    config.order = Some(settings);
    let limit = program.header.limit * 4;
    let run = record_parallel(&program.name, &elf, config, seed, BURST, limit);
    let wanted = program.header.expect.finish_code();
    ensure!(
        run.end.code == wanted,
        "{} ended with {:#x} instead of {wanted:#x}",
        program.name,
        run.end.code
    );
    let mut baseline = PointToPoint::new(harts.into());
    for (hart, retire) in &run.retires {
        measured.instructions += 1;
        let accesses = !retire.trap && retire.mem_rmask | retire.mem_wmask != 0;
        if accesses {
            measured.accesses += 1;
            let block = settings.block(retire.mem_addr);
            baseline.access(*hart, block, retire.mem_rmask != 0, retire.mem_wmask != 0);
        }
    }
    measured.entries += baseline.entries();
    count(&run, measured);
    Ok(())
}

fn count(run: &ParallelRun, measured: &mut Measured) {
    for (_, record) in &run.records {
        let Record::Order(order) = record else {
            continue;
        };
        let elements = order.elements().filter(|element| {
            matches!(
                element,
                Ok(OrderElement::Stratum(_) | OrderElement::Chunk { .. })
            )
        });
        let (count, bytes) = match order.kind {
            OrderKind::Strata => (&mut measured.strata, &mut measured.strata_bytes),
            OrderKind::Chunks => (&mut measured.chunks, &mut measured.chunk_bytes),
        };
        *count += elements.count() as u64;
        *bytes += order.len_bytes() as u64;
    }
}
