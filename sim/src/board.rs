//! A simulated board as its host sees it.

use std::path::PathBuf;

use lookback_rtl_gen::Port;

use crate::catalog;
use crate::cores::{self, CoreChoice};
use crate::engine::{item, Engine, Exchange, Inputs, TraceItem};
use crate::sources::Sources;
use crate::uart::{Receiver, Sender};
use crate::vcd::Waves;
use crate::verilator::Verilated;
use crate::{Error, Result, RAM_BASE};

/// Cycles of reset at power-up.
const RESET_CYCLES: u64 = 4;

/// Cycles of one batch, after which the host's side is served.
const BATCH: u64 = 1 << 16;

/// The link counts as quiet after so many cycles, and so many bit times, without an edge.
const QUIET_CYCLES: u64 = 1 << 14;
const QUIET_BITS: u64 = 200;

/// Which engine to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// Verilator where it is installed, else rust-hdl's simulator.
    #[default]
    Auto,
    /// rust-hdl's simulator, which needs nothing installed.
    RustHdl,
    /// Verilator, which needs itself and a C++ compiler.
    Verilator,
}

/// The engine that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// rust-hdl's simulator.
    RustHdl {
        /// Why not Verilator, if it would have been preferred.
        because: Option<String>,
    },
    /// Verilator.
    Verilator,
}

/// What board to build.
#[derive(Clone, Debug)]
pub struct BoardOptions {
    /// Which engine clocks it.
    pub engine: EngineChoice,
    /// Sizes of its recorder, by name; see [`crate::board_names`].
    pub preset: String,
    /// Whose core it has; any but the project's own needs Verilator.
    pub core: CoreChoice,
    /// Harts: 1, 2 or 4.
    pub harts: u8,
    /// Which interleaving of several harts: another number brings another one, 0 that of the hardware
    /// alone.
    pub seed: u32,
    /// Bytes of RAM at [`RAM_BASE`].
    pub ram_bytes: u32,
    /// Clock cycles of a bit on the log link.
    pub bit_clocks: u16,
    /// With a recorder; without, the link is dead and the program runs at once.
    pub recorder: bool,
    /// The program waits until a recording is started.
    pub hold: bool,
    /// Collect retirements and snooped writes for [`Board::take_trace`].
    pub trace: bool,
    /// Write waves of all ports to this file; slow and large.
    pub vcd: Option<PathBuf>,
}

impl Default for BoardOptions {
    fn default() -> Self {
        BoardOptions {
            engine: EngineChoice::Auto,
            preset: "bugnet".to_owned(),
            core: CoreChoice::Own,
            harts: 1,
            seed: 0,
            ram_bytes: 16 << 20,
            bit_clocks: 1,
            recorder: true,
            hold: false,
            trace: false,
            vcd: None,
        }
    }
}

/// Bytes that are in RAM when the board powers up.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// Address of the first byte.
    pub address: u32,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// How a call of [`Board::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStatus {
    /// Cycles that it ran.
    pub cycles: u64,
    /// The finisher's word, once the program has ended.
    pub finished: Option<u32>,
    /// Nothing has moved on the link for a while, and nothing is left to be sent.
    pub quiet: bool,
}

/// A running board.
pub struct Board {
    engine: Box<dyn Engine>,
    kind: EngineKind,
    exchange: Exchange,
    sender: Sender,
    receiver: Receiver,
    console: Vec<u8>,
    trace: Vec<TraceItem>,
    traced: u64,
    waves: Option<Waves>,
    bit_clocks: u16,
}

impl Board {
    /// Builds a board, loads its RAM and takes it out of reset.
    pub fn new(options: &BoardOptions, load: &[Segment<'_>]) -> Result<Board> {
        Self::with_progress(options, load, &mut |_| {})
    }

    /// The same, telling what the one-off build of a Verilated board is doing.
    pub fn with_progress(
        options: &BoardOptions,
        load: &[Segment<'_>],
        progress: &mut dyn FnMut(&str),
    ) -> Result<Board> {
        let entry = catalog::find(&options.preset, options.harts, options.recorder)?;
        if options.core != CoreChoice::Own && options.harts != 1 {
            return Err(Error::HartsOfOthers);
        }
        let ram = load_ram(options.ram_bytes, load)?;
        if options.bit_clocks == 0 {
            return Err(Error::BitClocks);
        }
        if options.core != CoreChoice::Own && options.engine == EngineChoice::RustHdl {
            return Err(Error::OnlyVerilator);
        }
        let recorder = options.recorder.then(|| entry.attached());
        let foreign = cores::sources(&options.core, recorder, progress)?;
        let sources = || -> Result<Sources> {
            match &foreign {
                Some(sources) => Ok(sources.clone()),
                None => Ok(entry.design()?.into()),
            }
        };
        let verilated = |progress: &mut dyn FnMut(&str)| -> Result<Box<dyn Engine>> {
            Ok(Box::new(Verilated::new(&sources()?, progress)?))
        };
        let (engine, kind) = match options.engine {
            EngineChoice::RustHdl => (entry.stepped(), EngineKind::RustHdl { because: None }),
            EngineChoice::Verilator => (verilated(progress)?, EngineKind::Verilator),
            EngineChoice::Auto => match verilated(progress) {
                Ok(engine) => (engine, EngineKind::Verilator),
                Err(error) if foreign.is_some() => return Err(error),
                Err(error) => {
                    let because = Some(error.to_string());
                    (entry.stepped(), EngineKind::RustHdl { because })
                }
            },
        };
        let mut board = Self::power_up(engine, kind, options, ram);
        if let Some(path) = &options.vcd {
            let sources = sources()?;
            board.record_waves(path, &sources.top, &sources.ports)?;
        }
        board.reset()?;
        Ok(board)
    }

    pub(crate) fn power_up(
        engine: Box<dyn Engine>,
        kind: EngineKind,
        options: &BoardOptions,
        ram: Vec<u32>,
    ) -> Board {
        let inputs = Inputs {
            reset: 1,
            hold: options.hold.into(),
            ram_bytes: options.ram_bytes,
            bit_clocks: options.bit_clocks.into(),
            gpio_in: 0,
            seed: options.seed,
        };
        let mut exchange = Exchange::new(inputs, ram);
        exchange.trace = options.trace.then(Vec::new);
        Board {
            engine,
            kind,
            exchange,
            sender: Sender::new(options.bit_clocks),
            receiver: Receiver::new(options.bit_clocks),
            console: Vec::new(),
            trace: Vec::new(),
            traced: 0,
            waves: None,
            bit_clocks: options.bit_clocks,
        }
    }

    pub(crate) fn record_waves(
        &mut self,
        path: &std::path::Path,
        top: &str,
        ports: &[Port],
    ) -> Result<()> {
        self.waves = Some(Waves::create(path, top, ports)?);
        self.exchange.snapshot = Some(Vec::new());
        Ok(())
    }

    /// Resets the board as its button would; memory keeps its contents.
    pub fn reset(&mut self) -> Result<()> {
        self.exchange.inputs.reset = 1;
        let end = self.exchange.state.cycle + RESET_CYCLES;
        while self.exchange.state.cycle < end {
            self.batch(end - self.exchange.state.cycle)?;
        }
        self.exchange.inputs.reset = 0;
        Ok(())
    }

    /// Which engine clocks this board, and why.
    pub fn engine(&self) -> &EngineKind {
        &self.kind
    }

    /// Runs up to `max_cycles` clock cycles. Returns early when the program ends, and, once it has
    /// ended, when the link falls quiet.
    pub fn run(&mut self, max_cycles: u64) -> Result<RunStatus> {
        let start = self.exchange.state.cycle;
        let end = start.saturating_add(max_cycles);
        let was_finished = self.exchange.finished();
        while self.exchange.state.cycle < end {
            self.batch(end - self.exchange.state.cycle)?;
            if self.exchange.finished() && (!was_finished || self.quiet()) {
                break;
            }
        }
        if let Some(waves) = &mut self.waves {
            waves.flush()?;
        }
        Ok(RunStatus {
            cycles: self.exchange.state.cycle - start,
            finished: self.finished(),
            quiet: self.quiet(),
        })
    }

    fn batch(&mut self, max_cycles: u64) -> Result<()> {
        let exchange = &mut self.exchange;
        let cycles = if self.waves.is_some() { 1 } else { BATCH };
        self.engine.run(exchange, cycles.min(max_cycles));
        self.receiver.feed(&exchange.log_tx, exchange.state.cycle);
        exchange.log_tx.clear();
        self.console.append(&mut exchange.console_out);
        if let Some(records) = &mut exchange.trace {
            let items = records.drain(..).map(|r| item(&r, &mut self.traced));
            self.trace.extend(items);
        }
        if let (Some(waves), Some(values)) = (&mut self.waves, &exchange.snapshot) {
            waves.cycle(exchange.state.cycle - 1, values)?;
        }
        Ok(())
    }

    fn quiet(&self) -> bool {
        let now = self.exchange.state.cycle;
        let enough = QUIET_CYCLES.max(QUIET_BITS * u64::from(self.bit_clocks));
        self.exchange.log_rx.is_empty()
            && self.sender.idle(now)
            && self.receiver.idle_for(now) >= enough
    }

    /// Sends bytes to the board's recorder; they take their time on the wire.
    pub fn link_send(&mut self, bytes: &[u8]) {
        let now = self.exchange.state.cycle;
        self.sender.send(bytes, now, &mut self.exchange.log_rx);
    }

    /// Takes the bytes that have come from the board's recorder.
    pub fn link_take(&mut self) -> Vec<u8> {
        self.receiver.take()
    }

    /// Bytes on the link that had no stop bit, since power-up.
    pub fn framing_errors(&self) -> u64 {
        self.receiver.framing_errors()
    }

    /// Queues input for the program's console.
    pub fn console_send(&mut self, bytes: &[u8]) {
        self.exchange.console_in.extend_from_slice(bytes);
    }

    /// Takes what the program wrote to its console.
    pub fn console_take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.console)
    }

    /// Makes the program wait for a recording to be started, or no longer.
    pub fn set_hold(&mut self, hold: bool) {
        self.exchange.inputs.hold = hold.into();
    }

    /// Sets the input pins of the GPIO.
    pub fn set_gpio(&mut self, pins: u32) {
        self.exchange.inputs.gpio_in = pins;
    }

    /// The output pins of the GPIO.
    pub fn gpio(&self) -> u32 {
        self.exchange.state.gpio_out
    }

    /// Cycles that the program has taken: from its first fetch, whatever the hart did or waited for
    /// before, until its end.
    pub fn cycles(&self) -> u64 {
        self.exchange.state.program_cycles
    }

    /// All cycles since power-up.
    pub fn total_cycles(&self) -> u64 {
        self.exchange.state.cycle
    }

    /// Instructions retired.
    pub fn retired(&self) -> u64 {
        self.exchange.state.retired
    }

    /// Cycles of the program in which the recorder made the hart wait.
    pub fn stall_cycles(&self) -> u64 {
        self.exchange.state.stall_cycles
    }

    /// The finisher's word, once the program has ended.
    pub fn finished(&self) -> Option<u32> {
        self.exchange
            .finished()
            .then_some(self.exchange.state.finish_code)
    }

    /// Takes the retirements and snooped writes since the last call, in their order.
    pub fn take_trace(&mut self) -> Vec<TraceItem> {
        std::mem::take(&mut self.trace)
    }

    /// The RAM, word by word.
    pub fn ram(&self) -> &[u32] {
        &self.exchange.ram
    }
}

fn load_ram(ram_bytes: u32, load: &[Segment<'_>]) -> Result<Vec<u32>> {
    const KIB: u32 = 1024;
    if ram_bytes % 4 != 0 || !(64 * KIB..=16 * KIB * KIB).contains(&ram_bytes) {
        return Err(Error::RamSize(ram_bytes));
    }
    let mut bytes = vec![0; ram_bytes as usize];
    for segment in load {
        let place = segment
            .address
            .checked_sub(RAM_BASE)
            .map(|offset| offset as usize)
            .and_then(|start| bytes.get_mut(start..)?.get_mut(..segment.bytes.len()));
        match place {
            Some(place) => place.copy_from_slice(segment.bytes),
            None => {
                return Err(Error::DoesNotFit {
                    address: segment.address,
                    size: segment.bytes.len(),
                    ram_bytes,
                })
            }
        }
    }
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}
