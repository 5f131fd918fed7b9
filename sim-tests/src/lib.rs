//! The harness of the system tests: runs a firmware on a simulated board, records it with the same
//! driver that real boards are recorded with, and keeps what the board's checking ports said beside
//! it, so that model, hardware and replay can be held against each other.

pub mod blocks;
pub mod faults;
pub mod torture;

use anyhow::{ensure, Context, Result};
use lookback::driver::disk::Sink;
use lookback::driver::file::Recording as File;
use lookback::driver::summary::Summary;
use lookback::driver::{record, Settings, Watcher};
use lookback::firmware::Firmware;
use lookback::transport::sim::SimLink;
use lookback_log_format::interval::Record;
use lookback_log_format::order::{OrderKind, OrderMode};
use lookback_log_format::{isa, RecorderConfig, Retire};
use lookback_model::attach::Adapted;
use lookback_replay::{Machine, Recording, Step};
use lookback_sim::{Board, BoardOptions, CoreChoice, EngineChoice, Segment, TraceItem};
use std::cell::RefCell;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// How a run is made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The board.
    pub board: BoardOptions,
    /// Instructions an interval.
    pub interval: u32,
    /// Whether the recorder may hold the hart.
    pub may_stall: bool,
    /// Whether the results of multiplications and divisions are logged, too.
    pub log_results: bool,
    /// Intervals a key group, with codec `compact`.
    pub key: u16,
    /// What is logged of the order of several harts.
    pub order: OrderMode,
    /// What is typed at the console.
    pub stdin: Vec<u8>,
    /// The recording is stopped after about so many instructions.
    pub max_instructions: u64,
}

impl Options {
    /// A board of a preset, held until recording starts, at full drain speed.
    pub fn new(engine: EngineChoice, preset: &str) -> Self {
        Self {
            board: BoardOptions {
                engine,
                preset: preset.into(),
                hold: true,
                trace: true,
                ..BoardOptions::default()
            },
            interval: 1000,
            may_stall: true,
            log_results: false,
            key: 1,
            order: OrderMode {
                strata: true,
                chunks: true,
            },
            stdin: Vec::new(),
            max_instructions: 2_000_000,
        }
    }
}

impl Options {
    /// A board with somebody else's core, held until recording starts, at full drain speed.
    pub fn core(name: &str) -> Self {
        let mut options = Self::new(EngineChoice::Verilator, "bugnet");
        options.board.core = CoreChoice::Named(name.into());
        options
    }
}

/// What came of a recorded run.
pub struct Outcome {
    /// The recording's bytes.
    pub bytes: Vec<u8>,
    /// The recording.
    pub recording: Recording,
    /// What the driver said of it.
    pub summary: Summary,
    /// What the board's checking ports said, in order; of a foreign core made uniform by the
    /// model's adapter.
    pub trace: Vec<TraceItem>,
    /// Console output.
    pub console: Vec<u8>,
    /// The board's RAM afterwards, word by word.
    pub ram: Vec<u32>,
    /// The finisher's word.
    pub finished: Option<u32>,
    /// Cycles that the program took.
    pub cycles: u64,
    /// Cycles in which the recorder held the hart.
    pub stall_cycles: u64,
}

/// Runs a firmware on a board without a recorder: console output, finisher's word, cycles.
pub fn run_plain(elf: &[u8], options: &Options) -> Result<(Vec<u8>, Option<u32>, u64)> {
    let mut board_options = options.board.clone();
    board_options.recorder = false;
    board_options.trace = false;
    let mut board = board(elf, &board_options)?;
    board.console_send(&options.stdin);
    let mut console = Vec::new();
    while board.finished().is_none() && board.retired() < options.max_instructions {
        board.run(1 << 16)?;
        console.extend(board.console_take());
    }
    Ok((console, board.finished(), board.cycles()))
}

/// Records a firmware's run to its end.
pub fn run_recorded(elf: &[u8], options: &Options) -> Result<Outcome> {
    let firmware = Firmware::parse("test.elf".into(), elf.to_vec())?;
    let mut board = board(elf, &options.board)?;
    board.console_send(&options.stdin);
    let mut link = SimLink::new(board, options.board.bit_clocks, None);
    let settings = Settings {
        interval: options.interval,
        compact_interval: options.interval,
        may_stall: options.may_stall,
        log_results: options.log_results,
        window: firmware.window(),
        loaded: firmware.loaded_window(),
        key: options.key,
        arm: None,
        order: options.order,
        max_instructions: Some(options.max_instructions),
        patience: Duration::from_secs(5),
    };
    let out = Shared::default();
    let create = |config: RecorderConfig| {
        File::begin(
            Path::new("test.lbk"),
            out.clone(),
            config,
            firmware.elf.clone(),
        )
    };
    let mut watcher = Quiet::default();
    let summary = record(&mut link, &settings, create, &mut watcher)?;
    let bytes = out.0.borrow().clone();
    let recording = Recording::from_bytes(&bytes)?;
    let mut board = link.into_board();
    let trace = board.take_trace();
    Ok(Outcome {
        bytes,
        recording,
        summary,
        trace: match options.board.core {
            CoreChoice::Own => trace,
            _ => adapted(&trace, options.log_results),
        },
        console: watcher.console,
        ram: board.ram().to_vec(),
        finished: board.finished(),
        cycles: board.cycles(),
        stall_cycles: board.stall_cycles(),
    })
}

fn board(elf: &[u8], options: &BoardOptions) -> Result<Board> {
    let firmware = Firmware::parse("test.elf".into(), elf.to_vec())?;
    let segments = firmware.segments(options.ram_bytes)?;
    let load: Vec<Segment<'_>> = segments
        .iter()
        .map(|segment| Segment {
            address: segment.addr,
            bytes: &segment.bytes,
        })
        .collect();
    Ok(Board::new(options, &load)?)
}

/// The retirements of a foreign core as the recorder must have taken them.
fn adapted(raw: &[TraceItem], log_results: bool) -> Vec<TraceItem> {
    let mut registers = [0; 32];
    let adapt = |item: &TraceItem| match item {
        TraceItem::Retire { hart, retire: raw } => {
            let field = (isa::expand(raw.insn) >> 7 & 31) as usize;
            let retire = Adapted::new(raw, registers[field], log_results).retire;
            if !raw.trap && raw.rd_addr != 0 {
                registers[usize::from(raw.rd_addr)] = raw.rd_wdata;
            }
            TraceItem::Retire {
                hart: *hart,
                retire,
            }
        }
        snoop => *snoop,
    };
    raw.iter().map(adapt).collect()
}

/// A file that the test can look into afterwards.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Shared {
    fn begin_sync(&mut self) -> io::Result<()> {
        self.0.borrow_mut().begin_sync()
    }

    fn on_disk(&mut self) -> io::Result<u64> {
        self.0.borrow_mut().on_disk()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.borrow_mut().sync()
    }
}

#[derive(Default)]
struct Quiet {
    console: Vec<u8>,
}

impl Watcher for Quiet {
    fn console(&mut self, bytes: &[u8]) {
        self.console.extend_from_slice(bytes);
    }

    fn progress(&mut self, _: &Summary) {}

    fn note(&mut self, _: &str) {}

    fn stop_asked(&self) -> u32 {
        0
    }
}

impl Outcome {
    /// The records of the only hart.
    pub fn records(&self) -> &[Record] {
        self.recording.harts.first().map_or(&[], |log| &log.records)
    }

    /// The records of a hart.
    pub fn records_of(&self, hart: u8) -> &[Record] {
        self.recording.hart(hart).map_or(&[], |log| &log.records)
    }

    /// Retirements that the board's checking port showed.
    pub fn retirements(&self) -> impl Iterator<Item = &Retire> {
        self.trace.iter().filter_map(|item| match item {
            TraceItem::Retire { retire, .. } => Some(retire),
            TraceItem::Snoop { .. } => None,
        })
    }

    /// Those of a hart.
    fn retirements_of(&self, hart: u8) -> impl Iterator<Item = &Retire> {
        self.trace.iter().filter_map(move |item| match item {
            TraceItem::Retire {
                hart: whose,
                retire,
            } if *whose == hart => Some(retire),
            TraceItem::Retire { .. } | TraceItem::Snoop { .. } => None,
        })
    }

    /// Replays all intervals and requires every instruction to be the one that retired: address,
    /// word, registers, memory. Gives the number of instructions compared.
    pub fn replay_equals_retirements(&self) -> Result<u64> {
        let harts = 0..self.recording.config.harts;
        harts.map(|hart| self.replay_of_hart(hart)).sum()
    }

    fn replay_of_hart(&self, hart: u8) -> Result<u64> {
        let retired: Vec<&Retire> = self.retirements_of(hart).collect();
        let image = self.recording.image(None)?;
        let mut machine = Machine::<true>::new(&self.recording.config, image);
        let mut compared = 0;
        for record in self.records_of(hart) {
            let Record::Interval(interval) = record else {
                continue;
            };
            machine.begin(hart, interval)?;
            let mut wrong = None;
            machine.run_until(interval.trailer.instructions, &mut |step: &Step| {
                let port = retired.get(step.retired as usize);
                match port.filter(|port| same(step, port)) {
                    Some(_) => ControlFlow::Continue(()),
                    None => {
                        wrong = Some(format!("replay: {step:x?}\nport: {port:x?}"));
                        ControlFlow::Break(())
                    }
                }
            })?;
            if let Some(wrong) = wrong {
                anyhow::bail!("interval {}: {wrong}", interval.header.index);
            }
            machine
                .finish()
                .with_context(|| format!("interval {}", interval.header.index))?;
            compared += u64::from(interval.trailer.instructions);
        }
        Ok(compared)
    }

    /// Codec `compact`: which values the hardware chose to hurry, as its log says.
    fn hurries(&self) -> Result<Vec<bool>> {
        // No other codec has any, and a log that does not replay may still be what the model says.
        if self.recording.config.compact().is_none() {
            return Ok(Vec::new());
        }
        let image = self.recording.image(None)?;
        let mut machine = Machine::<false>::new(&self.recording.config, image);
        machine.watch_hurries();
        for record in self.records() {
            if let Record::Interval(interval) = record {
                machine.begin(0, interval)?;
                let all = interval.trailer.instructions;
                machine.run_until(all, &mut |_: &Step| ControlFlow::Continue(()))?;
            }
        }
        Ok(machine.take_hurries())
    }

    /// Feeds the model of the order with what the checking ports showed and requires the records that
    /// the hardware sent.
    pub fn order_agrees(&self) -> Result<()> {
        let config = &self.recording.config;
        let Some(settings) = config.order else {
            return Ok(());
        };
        let mut order = lookback_model::order::Order::new(settings, config.harts.into());
        let mut own = config.clone();
        own.control |= lookback_log_format::registers::CONTROL_RECORD;
        // Models of the harts tell when intervals end.
        let mut harts = vec![lookback_model::Recorder::new(&own); config.harts.into()];
        for item in &self.trace {
            match item {
                TraceItem::Retire { hart, retire } => {
                    let hart = usize::from(*hart);
                    order.retire(hart, retire);
                    harts[hart].retire(retire, 0);
                    let ends = harts[hart].take_records();
                    if ends
                        .iter()
                        .any(|record| matches!(record, Record::Interval(_)))
                    {
                        order.interval_ended();
                    }
                }
                TraceItem::Snoop { addr, .. } => order.external(*addr),
            }
        }
        if let Some(end) = self.recording.end {
            order.stop(end.reason);
        }
        let expected = order.take_records();
        for kind in [OrderKind::Strata, OrderKind::Chunks] {
            let wanted = expected.iter().filter(|record| record.kind == kind);
            let found: Vec<_> = self.recording.order(kind).to_vec();
            // Which strata are hurried is the hardware's own choice.
            let wanted = wanted.enumerate().map(|(number, record)| {
                let sent = found.get(number);
                sent.map_or_else(|| record.clone(), |sent| record.at_paces_of(sent))
            });
            let wanted: Vec<_> = wanted.collect();
            ensure!(
                wanted == found,
                "{kind:?}: the model makes {} records, the hardware {}; the first that differs is {:?}",
                wanted.len(),
                found.len(),
                wanted.iter().zip(&found).position(|(wanted, found)| wanted != found)
            );
        }
        Ok(())
    }

    /// Feeds the golden recorder with what the checking ports showed and requires the records that
    /// the hardware sent. Cycle numbers are the hardware's own and only have to go up.
    pub fn model_agrees(&self) -> Result<()> {
        (0..self.recording.config.harts).try_for_each(|hart| self.model_of_hart(hart))
    }

    fn model_of_hart(&self, hart: u8) -> Result<()> {
        let mut config = self.recording.config.clone();
        config.control |= lookback_log_format::registers::CONTROL_RECORD;
        let mut model = lookback_model::Recorder::new(&config);
        model.decide(self.hurries()?);
        for item in &self.trace {
            match item {
                TraceItem::Retire { hart: own, retire } if *own == hart => model.retire(retire, 0),
                // What another hart writes is another's write.
                TraceItem::Retire { retire, .. } if !retire.trap && retire.mem_wmask != 0 => {
                    model.snoop(retire.mem_addr, retire.mem_wmask);
                }
                TraceItem::Retire { .. } => {}
                TraceItem::Snoop { addr, mask } => model.snoop(*addr, *mask),
            }
        }
        if let Some(end) = self.recording.end {
            model.stop(end.reason, 0);
        }
        let expected = model.take_records();
        let found = self.records_of(hart);
        let mut cycle = 0;
        for (wanted, got) in expected.iter().zip(found) {
            let (mut wanted, got) = (wanted.clone(), got);
            if let (Record::Interval(wanted), Record::Interval(got)) = (&mut wanted, got) {
                ensure!(
                    got.header.cycle >= cycle,
                    "cycle numbers go back at {}",
                    got.header.index
                );
                cycle = got.header.cycle;
                wanted.header.cycle = cycle;
            }
            ensure!(
                wanted == *got,
                "record {}: the model says\n{wanted:x?}\nthe hardware\n{got:x?}",
                got.index()
            );
        }
        ensure!(
            expected.len() == found.len(),
            "the model makes {} records, the hardware {}",
            expected.len(),
            found.len()
        );
        Ok(())
    }
}

/// Whether a replayed instruction is the one that retired.
fn same(step: &Step, port: &Retire) -> bool {
    use lookback_log_format::retire::lanes;
    let effects = (step.rd, step.rd_value, step.mem_rmask, step.mem_wmask)
        == (port.rd_addr, port.rd_wdata, port.mem_rmask, port.mem_wmask);
    let access = port.mem_rmask | port.mem_wmask != 0;
    step.pc == port.pc_rdata
        && step.trap == port.trap
        && (step.insn == port.insn || port.trap)
        && effects
        && (!access || step.mem_addr == port.mem_addr)
        && step.mem_rdata == port.mem_rdata & lanes(port.mem_rmask)
        && step.mem_wdata == port.mem_wdata & lanes(port.mem_wmask)
}
